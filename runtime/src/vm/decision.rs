//! Decisions and their answers. An answer picks among listed options (one, some, or all in an order), or is a number in a range.

use super::inline_vecs::InlineWords;
use crate::assign::{self, AssignmentProblem, Verdict, Violation};
pub use crate::ir::DecisionKind;
use crate::ir::ObjectRef;
use crate::ir::TraitSetId;
use crate::ir::Type;
use std::collections::BTreeMap;

/// One option of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Choice {
    /// Do nothing.
    Pass,
    /// Play an object, or a play without an object.
    Play {
        /// The play's code (see `Program::play`).
        play: u32,
        /// The object.
        object: ObjectRef,
        /// The face that is used: 0 for an object with one face, 1 for the front, 2 and more for further ones.
        face: u8,
    },
    /// An object.
    Object(ObjectRef),
    /// A player.
    Player(usize),
    /// A mode, from 0.
    Mode(u32),
    /// Yes.
    Yes,
    /// No.
    No,
    /// The waiting trigger of this ability and source.
    Trigger {
        /// The ability.
        ability: u32,
        /// Its source.
        source: ObjectRef,
        /// The object of its event, or none.
        about: ObjectRef,
        /// The index among triggers that are otherwise equal, from 0.
        nth: u16,
    },
    /// A replacement by this ability of this source.
    Replacement {
        /// The ability.
        ability: u32,
        /// Its source.
        source: ObjectRef,
        /// The object of the event that it would replace, if several events have replacements to choose from; else none.
        about: ObjectRef,
        /// The index among replacements that are otherwise equal, from 0.
        nth: u16,
    },
    /// A word of a trait set.
    Word(TraitSetId, u16),
    /// Pay as it is proposed.
    PayNow,
    /// Pay with this producer.
    Producer(ObjectRef),
    /// Take back the announcement in progress.
    Abandon,
    /// Pair this object with that object or player.
    Pair(ObjectRef, Side),
}

/// What an object is paired with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// An object.
    Object(ObjectRef),
    /// A player.
    Player(usize),
}

/// A decision that a player must make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The player who decides.
    pub player: usize,
    /// The kind of decision.
    pub kind: DecisionKind,
    /// The options. Empty for a number.
    pub options: Vec<Choice>,
    /// The fewest picks; the smallest number; the smallest share of each option.
    pub min: i64,
    /// The most picks; the largest number; the number that is divided.
    pub max: i64,
    /// The choice site, if a text asks for the decision.
    pub site: Option<u32>,
    /// Whether the same option may be picked more than once.
    pub repeats: bool,
    /// For an assignment: the constraints under which pairs may be picked together.
    pub board: Option<Box<AssignmentProblem>>,
}

/// Why an answer is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// No decision is pending.
    #[error("nothing is asked")]
    NoDecisionPending,
    /// The number of picks is wrong.
    #[error("{given} picks were given, {min} to {max} are asked for")]
    Count {
        /// The number of picks.
        given: usize,
        /// The fewest picks.
        min: i64,
        /// The most picks.
        max: i64,
    },
    /// A pick is not among the options.
    #[error("there is no option {0}")]
    NoSuchOption(u32),
    /// An option was picked twice.
    #[error("option {0} was picked twice")]
    DuplicateOption(u32),
    /// The number of shares differs from the number of options.
    #[error("{given} shares were given for {wanted}")]
    Shares {
        /// The number of shares.
        given: usize,
        /// The number of options.
        wanted: usize,
    },
    /// A share is too small.
    #[error("a share is {given}, each is at least {min}")]
    Share {
        /// The share.
        given: i64,
        /// The smallest share.
        min: i64,
    },
    /// The sum of the shares differs from the number that is divided.
    #[error("the shares are {given} together, {wanted} are divided")]
    Sum {
        /// Their sum.
        given: i64,
        /// The number that is divided.
        wanted: i64,
    },
    /// The number is outside its range.
    #[error("{given} is not between {min} and {max}")]
    Range {
        /// The number.
        given: i64,
        /// The smallest number.
        min: i64,
        /// The largest number.
        max: i64,
    },
    /// These pairs may not be declared together, or not without others.
    #[error("{}", match why {
        Violation::Requirement(_) => "more of what must be declared could be",
        _ => "these may not be declared together",
    })]
    IllegalDeclaration {
        /// The constraint that is violated.
        why: Violation,
        /// A legal declaration that is as near as possible, if one was found.
        instead: Option<Vec<u32>>,
    },
    /// The cost of these pairs cannot be paid.
    #[error("what that costs cannot be paid")]
    Unpayable,
    /// Whether the answer is legal could not be determined within the budget.
    #[error("it is too hard to tell whether that is legal")]
    Undecided,
}

/// Numbers replacements that are otherwise equal, in their order.
pub(crate) fn number_equal(options: &mut [Choice]) {
    let mut counts: BTreeMap<(u32, ObjectRef, ObjectRef), u16> = BTreeMap::new();
    for option in options {
        if let Choice::Replacement { ability, source, about, nth } = option {
            let count = counts.entry((*ability, *source, *about)).or_default();
            *nth = *count;
            *count += 1;
        }
    }
}

impl Decision {
    /// The options that an automatic player considers: all but taking an announcement back, unless too few remain.
    #[must_use]
    pub fn considered_options(&self) -> Vec<u32> {
        let all = 0..self.options.len() as u32;
        let kept: Vec<u32> = all.clone().filter(|i| self.options.get(*i as usize) != Some(&Choice::Abandon)).collect();
        if (kept.len() as i64) < self.min.max(1) { all.collect() } else { kept }
    }

    /// The minimum and maximum number of picks from this number of options.
    #[must_use]
    pub fn size_range(&self, options: usize) -> (usize, usize) {
        let most = if self.repeats && options > 0 { usize::MAX } else { options };
        let min = usize::try_from(self.min).unwrap_or(0).min(most);
        let max = usize::try_from(self.max).unwrap_or(0).min(most).max(min);
        (min, max)
    }

    /// A decision for exactly one of these options, which the machine asks for and not a choice site.
    #[must_use]
    pub fn one(player: usize, kind: DecisionKind, options: Vec<Choice>) -> Self {
        Self { player, kind, options, min: 1, max: 1, site: None, repeats: false, board: None }
    }

    /// Returns the answer that the machine proposes: for a declaration a legal one that pays nothing, for a payment to pay as proposed.
    #[must_use]
    pub fn proposal(&self) -> Option<Vec<u32>> {
        if self.kind == DecisionKind::Pay {
            let pay = self.options.iter().position(|choice| *choice == Choice::PayNow);
            return pay.map(|option| vec![option as u32]);
        }
        self.board.as_ref().and_then(|board| board.nearest_legal(&[], assign::BUDGET).ok().flatten())
    }

    /// Lowers the numbers of modes to choose to the modes that are left.
    pub(crate) fn limit_modes(&mut self) {
        let most = if self.repeats && !self.options.is_empty() { self.max } else { self.options.len() as i64 };
        self.max = self.max.min(most);
        self.min = self.min.min(self.max);
    }

    /// Returns the only legal answer, or `None` if there are several.
    #[must_use]
    pub fn forced(&self) -> Option<Vec<u32>> {
        let n = self.options.len() as i64;
        match self.kind {
            DecisionKind::Number => (self.min == self.max).then(|| vec![self.min as u32]),
            DecisionKind::Divide => (n <= 1 || n.saturating_mul(self.min) == self.max).then(|| self.default_division(0)),
            _ if self.max == 0 => Some(Vec::new()),
            DecisionKind::Assign => self.board.as_ref().and_then(|board| board.only_legal(assign::BUDGET)),
            _ if n == 1 && self.min == self.max => Some(vec![0; self.min.max(0) as usize]),
            _ if !self.repeats && self.min == n => Some((0..n as u32).collect()),
            _ => None,
        }
    }

    /// Checks an answer: indices of options, or the number.
    ///
    /// # Errors
    /// The reason why the answer is not legal.
    pub fn check(&self, picks: &[u32]) -> Result<(), AnswerError> {
        if self.kind == DecisionKind::Number {
            let given = picks.first().map_or(i64::MIN, |n| i64::from(*n as i32));
            let ok = picks.len() == 1 && (self.min..=self.max).contains(&given);
            return if ok { Ok(()) } else { Err(AnswerError::Range { given, min: self.min, max: self.max }) };
        }
        if let Some(board) = &self.board {
            return match board.check(picks, assign::BUDGET) {
                Verdict::Legal => Ok(()),
                Verdict::Illegal { why: Violation::NoPair, .. } => {
                    let unknown = picks.iter().find(|pick| **pick as usize >= self.options.len());
                    Err(unknown.map_or_else(
                        || AnswerError::DuplicateOption(first_duplicate(picks)),
                        |pick| AnswerError::NoSuchOption(*pick),
                    ))
                }
                Verdict::Illegal { why, instead } => Err(AnswerError::IllegalDeclaration { why, instead }),
                Verdict::Undecided => Err(AnswerError::Undecided),
            };
        }
        if self.kind == DecisionKind::Divide {
            return self.check_shares(picks);
        }
        let given = picks.len() as i64;
        if given < self.min || given > self.max {
            return Err(AnswerError::Count { given: picks.len(), min: self.min, max: self.max });
        }
        for (i, pick) in picks.iter().enumerate() {
            if *pick as usize >= self.options.len() {
                return Err(AnswerError::NoSuchOption(*pick));
            }
            if !self.repeats && picks.iter().take(i).any(|other| other == pick) {
                return Err(AnswerError::DuplicateOption(*pick));
            }
        }
        Ok(())
    }
}

/// Returns the first pick that occurs twice.
fn first_duplicate(picks: &[u32]) -> u32 {
    let again = picks.iter().enumerate().find(|(i, pick)| picks.iter().take(*i).any(|other| other == *pick));
    again.map_or(0, |(_, pick)| *pick)
}

impl Decision {
    /// Returns a division in which each option has the smallest share, and the option `favoured` also the rest.
    #[must_use]
    pub fn default_division(&self, favoured: usize) -> Vec<u32> {
        let n = self.options.len();
        let rest = self.max.saturating_sub(self.min.saturating_mul(n as i64));
        (0..n).map(|option| (self.min + if option == favoured % n.max(1) { rest } else { 0 }) as u32).collect()
    }

    fn check_shares(&self, picks: &[u32]) -> Result<(), AnswerError> {
        if picks.len() != self.options.len() {
            return Err(AnswerError::Shares { given: picks.len(), wanted: self.options.len() });
        }
        let shares = || picks.iter().map(|share| i64::from(*share as i32));
        if let Some(given) = shares().find(|share| *share < self.min) {
            return Err(AnswerError::Share { given, min: self.min });
        }
        let given: i64 = shares().sum();
        // Without options, nothing is divided.
        if given == self.max || picks.is_empty() { Ok(()) } else { Err(AnswerError::Sum { given, wanted: self.max }) }
    }
}

/// The code of a play occupies the lower bits of its word, the face the upper ones.
const FACE_SHIFT: u32 = 27;
/// The tag occupies the lower bits of its word, the index among equal options the upper ones.
const NTH_SHIFT: u32 = 16;

/// Words of an encoded choice.
pub(super) const CHOICE_WORDS: usize = 4;

pub(super) fn encode(choice: Choice) -> [u32; CHOICE_WORDS] {
    match choice {
        Choice::Pass => [0, 0, 0, 0],
        Choice::Play { play, object, face } => [1, play | u32::from(face) << FACE_SHIFT, object.0, 0],
        Choice::Object(it) => [2, it.0, 0, 0],
        Choice::Player(seat) => [3, seat as u32, 0, 0],
        Choice::Mode(mode) => [4, mode, 0, 0],
        Choice::Yes => [5, 0, 0, 0],
        Choice::No => [6, 0, 0, 0],
        Choice::Trigger { ability, source, about, nth } => [7 | u32::from(nth) << NTH_SHIFT, ability, source.0, about.0],
        Choice::Replacement { ability, source, about, nth } => [8 | u32::from(nth) << NTH_SHIFT, ability, source.0, about.0],
        Choice::Word(traits, word) => [13, traits.0, u32::from(word), 0],
        Choice::PayNow => [9, 0, 0, 0],
        Choice::Abandon => [10, 0, 0, 0],
        Choice::Pair(it, Side::Object(with)) => [11, it.0, with.0, 0],
        Choice::Pair(it, Side::Player(seat)) => [12, it.0, seat as u32, 0],
        Choice::Producer(it) => [14, it.0, 0, 0],
    }
}

pub(super) fn decode(words: &[u32]) -> Choice {
    let a = words.get(1).copied().unwrap_or(0);
    let b = words.get(2).copied().unwrap_or(0);
    let (about, nth) = (ObjectRef(words.get(3).copied().unwrap_or(0)), (words.first().copied().unwrap_or(0) >> NTH_SHIFT) as u16);
    match words.first().copied().unwrap_or(0) & ((1 << NTH_SHIFT) - 1) {
        1 => Choice::Play { play: a & ((1 << FACE_SHIFT) - 1), object: ObjectRef(b), face: (a >> FACE_SHIFT) as u8 },
        2 => Choice::Object(ObjectRef(a)),
        14 => Choice::Producer(ObjectRef(a)),
        3 => Choice::Player(a as usize),
        4 => Choice::Mode(a),
        5 => Choice::Yes,
        6 => Choice::No,
        7 => Choice::Trigger { ability: a, source: ObjectRef(b), about, nth },
        8 => Choice::Replacement { ability: a, source: ObjectRef(b), about, nth },
        13 => Choice::Word(TraitSetId(a), b as u16),
        9 => Choice::PayNow,
        10 => Choice::Abandon,
        11 => Choice::Pair(ObjectRef(a), Side::Object(ObjectRef(b))),
        12 => Choice::Pair(ObjectRef(a), Side::Player(b as usize)),
        _ => Choice::Pass,
    }
}

/// Returns pairs of an option, as a thing, and its share.
pub(crate) fn shares_of(decision: &Decision, shares: &[u32]) -> Vec<u32> {
    let things = crate::vm::decision::picked_words(&decision.options, crate::ir::Type::Things);
    things.into_iter().zip(shares).flat_map(|(thing, share)| [thing, *share]).collect()
}

/// Returns picked objects, players, things (if `of` says so) or modes as words.
pub(crate) fn picked_words(choices: &[Choice], of: Type) -> InlineWords {
    choices
        .iter()
        .filter_map(|choice| match choice {
            Choice::Object(it) => Some(it.0),
            Choice::Player(seat) if of == Type::Things => Some(ObjectRef::of_player(*seat).0),
            Choice::Player(seat) => Some(*seat as u32),
            Choice::Mode(mode) => Some(*mode),
            _ => None,
        })
        .collect()
}
