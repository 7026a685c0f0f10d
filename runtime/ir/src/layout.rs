//! The layout of a format: how its board looks. No rule reads it, and the rules hash does not cover it.
//!
//! A condition is a pure function (0, controller of the object, the object) to bool.

use crate::ids::{FnId, TraitSetId, ZoneKindId};
use serde::{Deserialize, Serialize};

/// The maximum number of rows of a layout, and of faces.
pub const MAX_LAYOUT_ENTRIES: usize = 64;

/// The maximum length of any other list of a layout.
pub const MAX_LAYOUT_NAMES: usize = 256;

/// The greatest number of numbered places of a row.
pub const MAX_PLACES: u8 = 64;

/// How the board of a format looks. An empty one leaves all to the client.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// Its rows, in the order of the source. An object is in the first row that takes it.
    pub rows: Vec<LayoutRow>,
    /// The variable of a player that is shown large.
    pub large: Option<u16>,
    /// The other variables of a player that are shown.
    pub show: Vec<u16>,
    /// The zones that are never shown.
    pub hidden: Vec<ZoneKindId>,
    /// Statuses whose object is next to the one that they refer to.
    pub beside: Vec<u16>,
    /// Statuses whose object is under the one that they refer to.
    pub under: Vec<u16>,
    /// Statuses that are shown as a line to what they refer to.
    pub arrow: Vec<u16>,
    /// Pairs of statuses of one object, which itself need not be shown: a line leads from what the first one refers to, to what the second one
    /// does.
    pub arrows_between: Vec<(u16, u16)>,
    /// Conditions: an object for which one of them holds stands a little towards the middle.
    pub forward: Vec<FnId>,
    /// How objects are drawn. All faces whose filter holds apply.
    pub faces: Vec<LayoutFace>,
    /// The hues of words.
    pub hues: Vec<WordHue>,
}

impl Layout {
    /// The statuses that are shown by where their object is, or by a line.
    #[must_use]
    pub fn links(&self) -> [&[u16]; 3] {
        [&self.beside, &self.under, &self.arrow]
    }
}

/// Where a row is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LayoutArea {
    /// With each player, from the middle of the table outwards.
    #[default]
    Seat,
    /// With each player, to the left of the numbered places.
    Left,
    /// With each player, to their right.
    Right,
    /// In the middle, for all players.
    Middle,
}

/// How a row shows its objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowStyle {
    /// Cards side by side.
    #[default]
    Row,
    /// Names only.
    Tiles,
    /// Large cards.
    Fan,
    /// The top card and the number of cards.
    Pile,
    /// Hidden cards, one by one, numbered.
    Backs,
    /// Numbered places.
    Places,
}

/// A row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LayoutRow {
    /// Where it is.
    pub area: LayoutArea,
    /// How it shows its objects.
    pub style: RowStyle,
    /// What is in it.
    pub contents: Vec<RowContent>,
    /// For numbered places: how many, and the status that holds the number of an object, from 1.
    pub places: Option<(u8, u16)>,
    /// Equal objects are shown once, with their number.
    pub equal_together: bool,
}

/// Objects of some zones for which a condition holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowContent {
    /// The zones.
    pub zones: Vec<ZoneKindId>,
    /// The condition; `None`: all objects of the zones.
    pub condition: Option<FnId>,
}

/// How an object that passes the filter is drawn. What a later face says of hues, corner, line and numbers replaces what an earlier
/// one says; its conditions, counts and marks are added.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayoutFace {
    /// Which objects it is for: a condition.
    pub filter: FnId,
    /// The trait sets whose words give the hues.
    pub hue: Vec<TraitSetId>,
    /// The property in the corner: a number or a price.
    pub corner: Option<u16>,
    /// The trait sets whose words stand under the name.
    pub line: Vec<TraitSetId>,
    /// The numbers; the first whose condition holds is shown.
    pub stats: Vec<FaceStat>,
    /// Conditions: turned sideways.
    pub turned: Vec<FnId>,
    /// Conditions: paler.
    pub dim: Vec<FnId>,
    /// Numbers that are shown if they are not 0.
    pub counts: Vec<FaceValue>,
    /// Bools whose names are shown while they hold.
    pub marks: Vec<FaceValue>,
}

/// One or two numbers of an object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FaceStat {
    /// The property.
    pub first: u16,
    /// The property after the slash.
    pub second: Option<u16>,
    /// When it is shown.
    pub condition: Option<FnId>,
}

/// A value of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FaceValue {
    /// A property.
    Property(u16),
    /// A status; one with keys has a number for each word.
    Status(u16),
}

/// The hue of a word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordHue {
    /// The word.
    pub word: String,
    /// In degrees, 0 to 359.
    pub degrees: u16,
    /// How strong it is.
    pub tone: Tone,
}

/// How strong a hue is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tone {
    /// As it is.
    #[default]
    Full,
    /// Softer.
    Soft,
    /// Nearly grey.
    Grey,
    /// Nearly white.
    Pale,
}
