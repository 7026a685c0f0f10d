//! How a board is laid out, as data for a page: rows of zones, the numbers of a player, the faces of cards, hues.
//!
//! Which row an object lies in, and which conditions of its face hold, is computed by the table and sent with the object
//! ([`Object::row`](crate::protocol::Object::row), [`Object::look`](crate::protocol::Object::look)).

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The layout of a format.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// What each player has, from the middle of the table outwards.
    pub seat: Vec<Row>,
    /// To the left of the numbered places of a player.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<Row>,
    /// To their right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub right: Vec<Row>,
    /// What is shared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub middle: Vec<Row>,
    /// The list (stack, chain), if the format has one: the zone's key and its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<Row>,
    /// Statuses whose object lies beside the one that it refers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<String>,
    /// Statuses whose object lies under the one that it refers to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub under: Vec<String>,
    /// Statuses that are shown as a line to what they refer to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arrow: Vec<String>,
    /// The hues of words.
    pub hues: BTreeMap<String, Hue>,
}

/// How a row shows its objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowStyle {
    /// Cards side by side.
    #[default]
    Row,
    /// Names only.
    Tiles,
    /// Large cards; others see backs.
    Fan,
    /// Hidden ones, one by one, numbered.
    Backs,
    /// The top card and how many.
    Pile,
    /// Numbered places.
    Places,
}

/// A row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Its number in the layout, which objects name.
    pub id: usize,
    /// How it shows its objects.
    pub style: RowStyle,
    /// The names of the zones whose objects lie here (those without a row of their own lie in the last row of their zone).
    pub zones: Vec<String>,
    /// Its label in words.
    pub label: String,
    /// For numbered places, how many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub places: Option<usize>,
    /// Equal objects are shown once, with their number.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub equal_together: bool,
}

/// The hue of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hue {
    /// In degrees, 0 to 359.
    pub degrees: u16,
    /// How strong it is.
    #[serde(default)]
    pub tone: Tone,
}

/// How strong a hue is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
