//! The kinds of decisions: the machine asks them, and scenarios name them.

/// The kind of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DecisionKind {
    /// What to do in a window: a play, or pass.
    Act,
    /// Objects or players.
    Choose,
    /// Modes of a text.
    Modes,
    /// Yes or no.
    YesNo,
    /// A number.
    Number,
    /// Which waiting trigger is next.
    Trigger,
    /// Which replacement applies.
    Replacement,
    /// How a price is paid.
    Pay,
    /// Which objects go with which objects or players.
    Assign,
    /// How a number is divided: a share for each option, in their order.
    Divide,
}

impl DecisionKind {
    /// Returns the word for scenarios and screens.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Act => "act",
            Self::Choose => "choose",
            Self::Modes => "modes",
            Self::YesNo => "yes_no",
            Self::Number => "number",
            Self::Trigger => "order",
            Self::Replacement => "replacement",
            Self::Pay => "pay",
            Self::Assign => "assign",
            Self::Divide => "divide",
        }
    }

    /// All kinds.
    pub const ALL: [Self; 10] = [
        Self::Act,
        Self::Choose,
        Self::Modes,
        Self::YesNo,
        Self::Number,
        Self::Trigger,
        Self::Replacement,
        Self::Pay,
        Self::Assign,
        Self::Divide,
    ];
}
