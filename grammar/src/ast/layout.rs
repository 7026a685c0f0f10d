//! Syntax tree of layouts: how the board of a format looks. No rule reads them.

use super::expr::Expr;
use crate::span::{Name, Span};

/// The words of layouts, sorted. Everywhere else they are names.
pub const LAYOUT_WORDS: [&str; 30] = [
    "arrow", "backs", "beside", "corner", "dim", "equal", "face", "fan", "forward", "grey", "hidden", "hue", "large", "left",
    "line", "mark", "middle", "pale", "pile", "places", "plate", "right", "row", "seat", "show", "soft", "stat", "tiles",
    "together", "turned",
];

/// `layout { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// Its entries, in source order.
    pub entries: Vec<LayoutEntry>,
    /// The whole of it.
    pub span: Span,
}

/// One entry of a layout.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutEntry {
    /// Its kind and contents.
    pub kind: LayoutEntryKind,
    /// The whole of it.
    pub span: Span,
}

/// The kinds of entries.
#[derive(Clone, Debug, PartialEq)]
pub enum LayoutEntryKind {
    /// `seat { … }`, `middle { … }`
    Area {
        /// `middle`; else `seat`.
        is_middle: bool,
        /// Its rows.
        rows: Vec<LayoutRow>,
    },
    /// `plate { large life  show mana, storm }`: the numbers of a player.
    Plate {
        /// `large NAME`, each.
        large: Vec<Name>,
        /// `show NAME, …`
        show: Vec<Name>,
    },
    /// `hidden ZONE, …`: zones that are never shown.
    Hidden(Vec<Name>),
    /// `beside STATUS, …`, `under STATUS, …`
    Links {
        /// How an object with the status is shown.
        kind: LinkKind,
        /// The statuses, which refer to objects or players.
        statuses: Vec<Name>,
    },
    /// `arrow STATUS, …`, `arrow STATUS to STATUS, …`
    Arrows(Vec<ArrowEnds>),
    /// `forward when COND`
    Forward(Expr),
    /// `face FILTER { … }`
    Face(LayoutFace),
    /// `hue WORD N TONE, …`
    Hues(Vec<WordHue>),
}

/// How an object is shown whose status refers to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// Next to it.
    Beside,
    /// Under it.
    Under,
}

/// What a line leads from and to.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrowEnds {
    /// Without `to`, a line leads from the object with this status to what the status refers to; with it, from what it refers to.
    pub from: Name,
    /// `to STATUS`: a status of the same object, which refers to the other end.
    pub to: Option<Name>,
}

/// One row of an area, or what stands next to its numbered places.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutRow {
    /// Its kind and contents.
    pub kind: LayoutRowKind,
    /// The whole of it.
    pub span: Span,
}

/// The kinds of rows.
#[derive(Clone, Debug, PartialEq)]
pub enum LayoutRowKind {
    /// `row creature in battle, equal together`, `places 5 by place: monster in field`
    Row {
        /// How it shows its objects.
        style: RowStyle,
        /// The zones and selections whose objects lie in it.
        contents: Vec<Expr>,
        /// For numbered places: their number with its span, and the status that holds the number of an object.
        places: Option<(u32, Span, Name)>,
        /// `, equal together`
        equal_together: bool,
    },
    /// `left { … }`, `right { … }`
    Side {
        /// `left`; else `right`.
        is_left: bool,
        /// Its rows.
        rows: Vec<LayoutRow>,
    },
}

/// How a row shows its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowStyle {
    /// `row`: cards side by side.
    Row,
    /// `tiles`: names only.
    Tiles,
    /// `fan`: large cards.
    Fan,
    /// `pile`: the top card and the number of cards.
    Pile,
    /// `backs`: hidden cards, one by one, numbered.
    Backs,
    /// `places`: numbered places.
    Places,
}

/// `face FILTER { … }`: how an object that passes the filter is drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutFace {
    /// Which objects it is for.
    pub filter: Expr,
    /// Its parts, in source order.
    pub parts: Vec<FacePart>,
}

/// One part of a face.
#[derive(Clone, Debug, PartialEq)]
pub enum FacePart {
    /// `hue TRAITS, …`: the sets whose words give its hues.
    Hue(Vec<Name>),
    /// `corner PROPERTY`
    Corner(Name),
    /// `line TRAITS, …`: the sets whose words stand under its name.
    Line(Vec<Name>),
    /// `stat PROPERTY / PROPERTY when COND, …`
    Stats(Vec<FaceStat>),
    /// `turned when COND`
    Turned(Expr),
    /// `dim when COND`
    Dim(Expr),
    /// `count VALUE, …`: numbers that are shown if they are not 0.
    Counts(Vec<Name>),
    /// `mark VALUE, …`: bools whose name is shown while they hold.
    Marks(Vec<Name>),
}

/// `power / toughness when COND`
#[derive(Clone, Debug, PartialEq)]
pub struct FaceStat {
    /// The property.
    pub first: Name,
    /// `/ PROPERTY`
    pub second: Option<Name>,
    /// `when COND`
    pub condition: Option<Expr>,
}

/// `white 95 pale`: the hue of a word.
#[derive(Clone, Debug, PartialEq)]
pub struct WordHue {
    /// The word.
    pub word: Name,
    /// Its hue in degrees.
    pub degrees: u32,
    /// Where the hue is written.
    pub degrees_span: Span,
    /// Its tone.
    pub tone: Tone,
}

/// How strong a hue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    Full,
    /// `soft`
    Soft,
    /// `grey`
    Grey,
    /// `pale`
    Pale,
}
