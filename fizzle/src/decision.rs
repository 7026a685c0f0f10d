//! Decisions and answers as plain data, from the point of view of the player who answers.

use fizzle_runtime::ir::{CompiledGame, Prompt};
use fizzle_runtime::view::{DecisionView, OptionView};
use fizzle_runtime::vm::decision::{self as machine, Choice};
use serde::{Deserialize, Serialize};

/// The kind of a decision. It says what an answer looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum DecisionKind {
    /// What to do when a player may act: one option, a play or pass.
    Act,
    /// Which objects, players or words: some options.
    Choose,
    /// Which modes of a text: some options.
    Modes,
    /// Yes or no: one option.
    YesNo,
    /// A number: [`Answer::Number`]. There are no options.
    Number,
    /// Which waiting trigger is next: one option.
    Order,
    /// Which replacement effect applies: one option.
    Replacement,
    /// How a price is paid: one option.
    Pay,
    /// A declaration, which pairs objects with objects or players: some options, under the constraints of the rules.
    Assign,
    /// How a number is divided among the options: [`Answer::Shares`].
    Divide,
}

impl DecisionKind {
    fn new(kind: machine::DecisionKind) -> Self {
        match kind {
            machine::DecisionKind::Act => Self::Act,
            machine::DecisionKind::Choose => Self::Choose,
            machine::DecisionKind::Modes => Self::Modes,
            machine::DecisionKind::YesNo => Self::YesNo,
            machine::DecisionKind::Number => Self::Number,
            machine::DecisionKind::Trigger => Self::Order,
            machine::DecisionKind::Replacement => Self::Replacement,
            machine::DecisionKind::Pay => Self::Pay,
            machine::DecisionKind::Assign => Self::Assign,
            machine::DecisionKind::Divide => Self::Divide,
        }
    }

    /// The prompt if no rules text of the game has one.
    fn prompt(self) -> &'static str {
        match self {
            Self::Act => "Choose what to do",
            Self::Choose => "Choose",
            Self::Modes => "Choose modes",
            Self::YesNo => "Yes or no",
            Self::Number => "Choose a number",
            Self::Order => "Choose which trigger is next",
            Self::Replacement => "Choose which replacement effect applies",
            Self::Pay => "Choose how to pay",
            Self::Assign => "Declare pairs",
            Self::Divide => "Divide a number",
        }
    }
}

/// The question that stops a game: who must answer what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Decision {
    /// The seat of the player who must answer, from 0.
    pub seat: usize,
    /// Its kind.
    pub kind: DecisionKind,
    /// The prompt, in English. Never empty.
    pub prompt: String,
    /// The options, in an order that reveals nothing hidden. Empty for a number.
    pub options: Vec<DecisionOption>,
    /// The fewest options of an answer; for a number the smallest number, for a division the smallest share.
    pub min: i64,
    /// The most options of an answer; for a number the largest number, for a division the number that is divided.
    pub max: i64,
    /// Whether an answer can have the same option more than once.
    pub repeats: bool,
}

/// An option of a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DecisionOption {
    /// What it is, in words: `pass`, the play and the name of its card, the name of a card, a player, a mode with its text.
    pub label: String,
    /// What it does: `pass`, `yes`, `no`, `pay`, `mode`, `take back`, the name of a play, trigger or replacement; empty for a thing alone.
    pub action: String,
    /// The player's handle of its object, if the player can identify it: see [`ObjectView::handle`](crate::ObjectView::handle).
    pub handle: Option<u32>,
    /// For a pair, the handle of the object that the first one is paired with; `None` if that is a player.
    pub with: Option<u32>,
    /// The position of a hidden object in a zone that has an order, counted from the bottom, from 1; else 0.
    pub place: usize,
}

impl DecisionOption {
    /// Whether it is to do nothing.
    #[must_use]
    pub fn is_pass(&self) -> bool {
        self.action == "pass"
    }

    /// Whether it takes back the announcement in progress: the game is then again where it was before.
    #[must_use]
    pub fn is_take_back(&self) -> bool {
        self.action == "take back"
    }
}

impl Decision {
    /// Converts a decision of the machine, given how its player sees it.
    pub(crate) fn new(decision: &machine::Decision, view: &DecisionView, game: &CompiledGame) -> Self {
        let kind = DecisionKind::new(decision.kind);
        let texts = game.texts.iter().find(|texts| texts.language == "en" && texts.format.is_empty());
        let prompt = texts.zip(decision.site).and_then(|(texts, site)| texts.prompt(site));
        let text = view.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = prompt.map_or_else(|| fizzle_runtime::view::without_amount(&text), |prompt| prompt.text.as_str());
        let option = |(number, option): (usize, &OptionView)| {
            let picked = view.picks(&[number as u32]).first().and_then(|pick| decision.options.get(*pick as usize));
            Self::option(option, picked, prompt)
        };
        Self {
            seat: decision.player,
            kind,
            prompt: if text.is_empty() { kind.prompt() } else { text }.to_owned(),
            options: view.options.iter().enumerate().map(option).collect(),
            min: decision.min,
            max: decision.max,
            repeats: decision.repeats,
        }
    }

    fn option(view: &OptionView, choice: Option<&Choice>, prompt: Option<&Prompt>) -> DecisionOption {
        let text = match (choice, prompt) {
            (Some(Choice::Mode(mode)), Some(prompt)) => prompt.modes.get(*mode as usize),
            _ => None,
        };
        let label = text.map_or_else(|| view.label.clone(), |text| format!("{}: {text}", view.label));
        DecisionOption { label, action: view.action.clone(), handle: view.handle, with: view.with, place: view.place }
    }

    /// Converts an answer to picks of the machine. Checks what does not depend on the rules: the kind, the range and the number of options.
    pub(crate) fn picks(&self, answer: &Answer, view: &DecisionView) -> Result<Vec<u32>, String> {
        match (self.kind, answer) {
            (DecisionKind::Number, Answer::Number(number)) if (self.min..=self.max).contains(number) => Ok(vec![*number as u32]),
            (DecisionKind::Number, Answer::Number(number)) => Err(format!("{number} is not from {} to {}", self.min, self.max)),
            (DecisionKind::Number, _) => Err("the answer must be a number".to_owned()),
            (DecisionKind::Divide, Answer::Shares(shares)) => {
                let shares = shares.iter().map(|share| u32::try_from(*share).map_err(|_| format!("no share can be {share}")));
                Ok(view.picks(&shares.collect::<Result<Vec<_>, _>>()?))
            }
            (DecisionKind::Divide, _) => Err("the answer must be a share for each option".to_owned()),
            (_, Answer::Options(options)) => self.check_options(options).map(|options| view.picks(&options)),
            _ => Err("the answer must be options".to_owned()),
        }
    }

    fn check_options(&self, options: &[usize]) -> Result<Vec<u32>, String> {
        if let Some(unknown) = options.iter().find(|option| **option >= self.options.len()) {
            return Err(format!("no option {unknown}: the decision has {}, from 0", self.options.len()));
        }
        let is_repeated = |(at, option): &(usize, &usize)| options.iter().take(*at).any(|earlier| earlier == *option);
        let repeated = if self.repeats { None } else { options.iter().enumerate().find(is_repeated) };
        if let Some((_, option)) = repeated {
            return Err(format!("option {option} was given twice"));
        }
        if !(self.min..=self.max).contains(&(options.len() as i64)) {
            return Err(format!("{} options given, the decision needs {} to {}", options.len(), self.min, self.max));
        }
        Ok(options.iter().map(|option| *option as u32).collect())
    }
}

/// An answer to a decision. Made from the index of one option (`0.into()`), or from the indices of several.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Answer {
    /// Indices into [`Decision::options`], from [`Decision::min`] to [`Decision::max`] of them. Where the order matters, it is this one.
    Options(Vec<usize>),
    /// A number, from [`Decision::min`] to [`Decision::max`].
    Number(i64),
    /// For a division, a share for each option, in their order. Each is at least [`Decision::min`], together they are [`Decision::max`].
    Shares(Vec<i64>),
}

impl Answer {
    /// Converts picks of the machine.
    pub(crate) fn from_picks(decision: &machine::Decision, picks: &[u32], view: &DecisionView) -> Self {
        let options = view.options_of(picks);
        match decision.kind {
            machine::DecisionKind::Number => Self::Number(options.first().map_or(0, |number| i64::from(*number as i32))),
            machine::DecisionKind::Divide => Self::Shares(options.into_iter().map(i64::from).collect()),
            _ => Self::Options(options.into_iter().map(|option| option as usize).collect()),
        }
    }
}

impl From<usize> for Answer {
    fn from(option: usize) -> Self {
        Self::Options(vec![option])
    }
}

impl From<&[usize]> for Answer {
    fn from(options: &[usize]) -> Self {
        Self::Options(options.to_vec())
    }
}

impl<const N: usize> From<[usize; N]> for Answer {
    fn from(options: [usize; N]) -> Self {
        Self::Options(options.to_vec())
    }
}

impl From<Vec<usize>> for Answer {
    fn from(options: Vec<usize>) -> Self {
        Self::Options(options)
    }
}
