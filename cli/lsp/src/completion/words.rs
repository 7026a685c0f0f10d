//! Fixed words of the language, in lists by place; names that a pack declares are found in `candidates.rs`.

/// First words of abilities.
pub const ABILITIES: &[&str] = &[
    "when",
    "whenever",
    "at start of",
    "at end of",
    "while",
    "always",
    "does",
    "activated",
    "cost",
    "additional cost",
    "alternative cost",
    "off list",
    "missable",
    "defines",
    "if",
    "in",
    "as soon as",
    "face",
    "back",
];
/// First words of statements.
pub const STATEMENTS: &[&str] = &[
    "let",
    "if",
    "for each",
    "choose",
    "may",
    "you may",
    "then",
    "if you do",
    "otherwise",
    "simultaneously",
    "repeat while",
    "divide",
    "until",
    "when",
    "whenever",
    "at start of",
    "trigger",
    "window",
    "copy",
    "declare",
    "each player",
    "each opponent",
    "opponent",
    "you",
    "its owner",
];
/// What comes before a noun.
pub const QUANTIFIERS: &[&str] =
    &["each", "1", "2", "up to 1", "any number of", "target", "all", "random 1", "top 1", "this", "it"];
/// Words for players.
pub const PLAYERS: &[&str] =
    &["you", "opponent", "active", "each player", "each opponent", "its owner", "its controller", "owner of", "controller of"];
/// The players of a scenario that are offered.
pub const SEATS: &[&str] = &["A", "B"];
