//! Starts games and advances them from decision to decision. Decisions with one legal answer are answered automatically.

use crate::ir::encoding_limits::MAX_OBJECTS;
use crate::ir::{DECK_ZONE, Deck, DefId, ZoneKindId};
use crate::packed_list::PackedList;
use crate::program::Program;
use crate::state::layout as at;
use crate::vm::decision::DecisionKind;
use crate::vm::decision::{AnswerError, Decision};
use crate::vm::machine::{Machine, StepResult};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The section of a deck whose cards begin in [`DECK_ZONE`].
pub const MAIN_SECTION: &str = "main";

/// The cards that a seat begins with, by zone kind.
pub type SeatCards = Vec<(ZoneKindId, Vec<DefId>)>;

/// The position of a game within its match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchContext {
    /// The number of the game, from 1.
    pub number: u32,
    /// The seat that lost the previous game.
    pub loser: Option<usize>,
}

impl Default for MatchContext {
    fn default() -> Self {
        Self { number: 1, loser: None }
    }
}

impl MatchContext {
    /// The position of a machine's game within its match.
    #[must_use]
    pub fn of(machine: &Machine) -> Self {
        let block = &machine.state.block;
        let loser = block.get(at::PREVIOUS_LOSER) as usize;
        Self { number: block.get(at::GAME_NUMBER), loser: Some(loser).filter(|seat| *seat < machine.program.players()) }
    }
}

/// Why a game cannot be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// The number of decks is wrong.
    #[error("{given} decks were given for {wanted} players")]
    Seats {
        /// The number of decks given.
        given: usize,
        /// The number of players.
        wanted: usize,
    },
    /// The game has no zone [`DECK_ZONE`], or a seat has no zone of a required kind.
    #[error("the game has no zone `{DECK_ZONE}`")]
    NoDeckZone,
    /// The program has no card with this number, or it is only a part of a card.
    #[error("there is no card number {0}")]
    UnknownCard(u32),
    /// The decks have more cards than the maximum number of objects.
    #[error("the decks hold more cards than a game may have objects")]
    TooMany,
}

/// The zone kind with a name.
#[must_use]
pub fn zone_named(program: &Program, name: &str) -> Option<ZoneKindId> {
    program.library.zones.iter().position(|zone| zone.name == name).map(|kind| ZoneKindId(kind as u32))
}

/// Assigns the cards of a deck to zones: the main section to [`DECK_ZONE`], another section to the zone of its name (`NAME` or
/// `NAME_deck`). A section without such a zone stays outside of the game.
#[must_use]
pub fn seat_cards(program: &Program, deck: &Deck) -> SeatCards {
    let mut all = SeatCards::new();
    for (section, cards) in &deck.sections {
        let zone = if section == MAIN_SECTION {
            zone_named(program, DECK_ZONE)
        } else {
            zone_named(program, section).or_else(|| zone_named(program, &format!("{section}_{DECK_ZONE}")))
        };
        if let Some(zone) = zone.filter(|zone| program.zone_instance(zone.index(), 0).is_some()) {
            let copies = cards.iter().flat_map(|(count, card)| std::iter::repeat_n(*card, *count as usize));
            // One more than a game may have: it is refused when the game starts.
            all.push((zone, copies.take(MAX_OBJECTS + 1).collect()));
        }
    }
    all
}

/// Starts a game with these cards in the players' decks.
///
/// # Errors
/// [`StartError`]: the decks do not fit the program.
pub fn start(program: Arc<Program>, decks: &[Vec<DefId>], seed: u64) -> Result<Machine, StartError> {
    let zone = zone_named(&program, DECK_ZONE).ok_or(StartError::NoDeckZone)?;
    let seats: Vec<SeatCards> = decks.iter().map(|cards| vec![(zone, cards.clone())]).collect();
    start_seats(program, &seats, seed)
}

/// As [`start`], with cards in several zones.
///
/// # Errors
/// [`StartError`]: the cards do not fit the program.
pub fn start_seats(program: Arc<Program>, seats: &[SeatCards], seed: u64) -> Result<Machine, StartError> {
    start_game(program, seats, seed, MatchContext::default())
}

/// As [`start_seats`], for a game of a match.
///
/// # Errors
/// [`StartError`]: the cards do not fit the program.
pub fn start_game(program: Arc<Program>, seats: &[SeatCards], seed: u64, context: MatchContext) -> Result<Machine, StartError> {
    if seats.len() != program.players() {
        return Err(StartError::Seats { given: seats.len(), wanted: program.players() });
    }
    if zone_named(&program, DECK_ZONE).is_none() {
        return Err(StartError::NoDeckZone);
    }
    let mut machine = Machine::new(Arc::clone(&program), seed);
    machine.state.block.set(at::GAME_NUMBER, context.number);
    machine.state.block.set(at::PREVIOUS_LOSER, context.loser.map_or(u32::MAX, |seat| seat as u32));
    for (seat, zones) in seats.iter().enumerate() {
        for (zone, cards) in zones {
            let instance = program.zone_instance(zone.index(), seat).ok_or(StartError::NoDeckZone)?;
            for card in cards {
                if card.0 == 0 || program.library.definitions.get(card.index()).is_none_or(|definition| definition.part) {
                    return Err(StartError::UnknownCard(card.0));
                }
                machine.add_object(card.0, seat, instance).ok_or(StartError::TooMany)?;
            }
        }
    }
    machine.begin(0, None);
    Ok(machine)
}

/// Advances to the next decision with at least two legal answers, or to the end of the game.
pub fn advance(machine: &mut Machine) -> StepResult {
    advance_recording(machine, |_| {})
}

/// As [`advance`]; calls `note` for every automatic answer.
fn advance_recording(machine: &mut Machine, mut note: impl FnMut(RecordedAnswer)) -> StepResult {
    loop {
        let decision = match machine.step_auto_passing(|player| note(RecordedAnswer::pass(player))) {
            StepResult::Decision(decision) => decision,
            over @ StepResult::Over(_) => return over,
        };
        let Some(picks) = decision.forced() else { return StepResult::Decision(decision) };
        if machine.answer(&picks).is_err() {
            return StepResult::Decision(decision);
        }
        note(RecordedAnswer::new(&decision, &picks));
    }
}

/// One answer, with enough of its decision to detect that the rules now lead to another decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedAnswer {
    /// The seat that answered.
    pub player: u8,
    /// The kind of the decision: an index into [`DecisionKind::ALL`], or 255 for a concession.
    pub kind: u8,
    /// The number of options.
    pub options: u32,
    /// The picks.
    pub picks: Vec<u32>,
}

impl RecordedAnswer {
    /// Records an answer to a decision.
    #[must_use]
    pub fn new(decision: &Decision, picks: &[u32]) -> Self {
        Self {
            player: decision.player as u8,
            kind: kind_number(decision.kind),
            options: decision.options.len() as u32,
            picks: picks.to_vec(),
        }
    }

    /// Records an automatic pass.
    #[must_use]
    pub fn pass(player: usize) -> Self {
        Self { player: player as u8, kind: kind_number(DecisionKind::Act), options: 1, picks: vec![0] }
    }

    /// Records that a player concedes while a decision is pending (of any player).
    #[must_use]
    pub fn concession(player: usize) -> Self {
        Self { player: player as u8, kind: CONCESSION_KIND, options: 0, picks: Vec::new() }
    }

    /// Whether this records a concession instead of an answer.
    #[must_use]
    pub fn is_concession(&self) -> bool {
        self.kind == CONCESSION_KIND
    }
}

/// Marks a concession, in place of the kind of a decision.
pub(crate) const CONCESSION_KIND: u8 = u8::MAX;

pub(crate) fn kind_number(kind: DecisionKind) -> u8 {
    DecisionKind::ALL.iter().position(|k| *k == kind).unwrap_or(0) as u8
}

/// Adds an answer to those of a game. They always fit: the budgets of a game end it long before.
fn record(answers: &mut PackedList<RecordedAnswer>, answer: &RecordedAnswer) {
    let is_added = answers.push(answer);
    debug_assert!(is_added, "the answers of a game fit");
}

/// A game in progress with all answers so far.
#[derive(Clone, Debug)]
pub struct RecordedGame {
    /// The game.
    pub machine: Machine,
    /// All answers, including automatic ones.
    pub answers: PackedList<RecordedAnswer>,
    /// The number of decisions with at least two legal answers that were answered, without payments as proposed.
    pub decisions: u64,
}

impl RecordedGame {
    /// Records a game from its current position on.
    #[must_use]
    pub fn new(machine: Machine) -> Self {
        Self { machine, answers: PackedList::default(), decisions: 0 }
    }

    /// Advances to the next decision with at least two legal answers, or to the end of the game.
    pub fn advance(&mut self) -> StepResult {
        let answers = &mut self.answers;
        advance_recording(&mut self.machine, |answer| record(answers, &answer))
    }

    /// Records an answer that was given to the machine.
    pub fn record(&mut self, answer: &RecordedAnswer) {
        record(&mut self.answers, answer);
    }

    /// Answers the decision that [`RecordedGame::advance`] returned.
    ///
    /// # Errors
    /// [`AnswerError`]: why the answer is not legal. The game is then unchanged.
    pub fn answer(&mut self, decision: &Decision, picks: &[u32]) -> Result<(), AnswerError> {
        self.machine.answer(picks)?;
        self.record(&RecordedAnswer::new(decision, picks));
        self.decisions += u64::from(decision.kind != DecisionKind::Pay || decision.proposal().as_deref() != Some(picks));
        Ok(())
    }

    /// Concedes the game for a player. Returns `false` if the player takes no part any more or the game is over.
    pub fn concede(&mut self, seat: usize) -> bool {
        let done = self.machine.concede(seat);
        if done {
            self.record(&RecordedAnswer::concession(seat));
        }
        done
    }
}

#[cfg(test)]
#[expect(clippy::panic, reason = "a test that fails panics")]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn advance_stops_only_at_decisions_with_several_answers() {
        let program = testing::program();
        let cards = testing::cards(12);
        let mut machine = start(program, &[cards.clone(), cards], 7).expect("it starts");
        let StepResult::Decision(decision) = advance(&mut machine) else { panic!("the game continues") };
        assert!(decision.forced().is_none());
        machine.check_invariants().expect("sound");
    }

    #[test]
    fn wrong_decks_are_refused() {
        let program = testing::program();
        let one = start(Arc::clone(&program), &[testing::cards(3)], 0).expect_err("one deck for two");
        assert_eq!(one, StartError::Seats { given: 1, wanted: 2 });
        let unknown = start(program, &[vec![DefId(999)], Vec::new()], 0).expect_err("no such card");
        assert_eq!(unknown, StartError::UnknownCard(999));
    }
}
