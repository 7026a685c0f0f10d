//! Traces: the rules' hash, the seed, the decks and all answers of a game. They are replayed exactly, or it is told where the rules now differ.
//!
//! A file is one line of JSON for people and scripts, then the answers in binary with a checksum.

use crate::artifact::{EDITION, IR_VERSION};
use crate::game::{MatchContext, SeatCards, StartError, start_game, zone_named};
use crate::ir::{CompiledGame, DefId};
use crate::program::Program;
use crate::view::seat_name;
use crate::vm::decision::{AnswerError, Decision, DecisionKind};
use crate::vm::random::GENERATOR;
use crate::vm::{Machine, Outcome, StepResult};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The largest trace that is read.
pub const MAX_BYTES: usize = 64 << 20;

/// One answer, with enough of its question to see when the rules ask something else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedAnswer {
    /// Who answered.
    pub player: u8,
    /// What kind of decision it was: an index into the kinds.
    pub kind: u8,
    /// How many options there were.
    pub options: u32,
    /// The picks.
    pub picks: Vec<u32>,
}

impl RecordedAnswer {
    /// An answer to a decision.
    #[must_use]
    pub fn new(decision: &Decision, picks: &[u32]) -> Self {
        Self {
            player: decision.player as u8,
            kind: kind_number(decision.kind),
            options: decision.options.len() as u32,
            picks: picks.to_vec(),
        }
    }

    /// A player who could do nothing else passes.
    #[must_use]
    pub fn pass(player: usize) -> Self {
        Self { player: player as u8, kind: kind_number(DecisionKind::Act), options: 1, picks: vec![0] }
    }

    /// A player gives the game up while a question is open.
    #[must_use]
    pub fn conceded(player: usize) -> Self {
        Self { player: player as u8, kind: CONCEDED, options: 0, picks: Vec::new() }
    }

    /// Whether this is no answer: the player gave the game up.
    #[must_use]
    pub fn concedes(&self) -> bool {
        self.kind == CONCEDED
    }
}

/// In place of a kind: the player gave the game up instead of an answer of anybody.
const CONCEDED: u8 = u8::MAX;

fn kind_number(kind: DecisionKind) -> u8 {
    DecisionKind::ALL.iter().position(|k| *k == kind).unwrap_or(0) as u8
}

fn kind_name(number: u8) -> &'static str {
    DecisionKind::ALL.get(usize::from(number)).map_or("unknown", |kind| kind.name())
}

/// The readable part of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceHeader {
    /// The version of the file's form.
    pub fizzle_trace: u32,
    /// The edition of the language.
    pub edition: u32,
    /// The version of the intermediate representation.
    pub ir: u32,
    /// The game.
    pub game: String,
    /// The format.
    pub format: String,
    /// The hash of the rules, in hexadecimal digits.
    pub rules_hash: String,
    /// The hash of the layout of states, in hexadecimal digits.
    pub layout_hash: String,
    /// The generator of chance.
    pub generator: String,
    /// The seed of chance, in decimal digits (JSON numbers lose large ones).
    pub seed: String,
    /// Which game of its match it is, from 1.
    #[serde(default = "first")]
    pub game_number: u32,
    /// The seat that lost the game before it.
    #[serde(default)]
    pub loser_before: Option<usize>,
    /// Per seat, per zone: the names of the cards.
    pub decks: Vec<Vec<(String, Vec<String>)>>,
    /// How the game ended, or `open`.
    pub outcome: String,
    /// How many answers follow.
    pub answers: usize,
}

fn first() -> u32 {
    1
}

/// A recorded game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// What it is a game of.
    pub header: TraceHeader,
    /// All answers.
    pub answers: Vec<RecordedAnswer>,
    /// The hash of what lies on the table after the last answer ([`State::table_hash`](crate::state::State::table_hash)).
    pub final_hash: u64,
}

/// Why a trace cannot be read or replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// It is not a trace.
    #[error("this is not a trace: {0}")]
    Malformed(&'static str),
    /// The answers are damaged.
    #[error("the trace is damaged: its checksum is wrong")]
    Checksum,
    /// It was written by another version.
    #[error("the trace has version {0} of the file form, this program reads version 1")]
    Version(u32),
    /// Chance was made otherwise.
    #[error("the trace was made with the generator `{0}`, this program has `{GENERATOR}`")]
    Generator(String),
    /// It is a game of another format.
    #[error("the trace is a game of `{0}`, not of `{1}`")]
    Format(String, String),
    /// A card is not there any more.
    #[error("there is no card `{0}` any more")]
    UnknownCard(String),
    /// A zone is not there any more.
    #[error("there is no zone `{0}` any more")]
    UnknownZone(String),
    /// The decks do not fit.
    #[error(transparent)]
    Start(#[from] StartError),
    /// Another question is asked.
    #[error("the rules differ at decision {decision}, turn {turn}: recorded was {expected}, asked is {found}")]
    Asked {
        /// Which, from 1.
        decision: usize,
        /// In which turn.
        turn: u32,
        /// What was recorded.
        expected: String,
        /// What is asked now.
        found: String,
    },
    /// An answer is not legal.
    #[error("the rules differ at decision {decision}, turn {turn}: the answer is refused: {refusal}")]
    Refused {
        /// Which, from 1.
        decision: usize,
        /// In which turn.
        turn: u32,
        /// Why.
        refusal: AnswerError,
    },
    /// The game ends earlier.
    #[error("the rules differ at decision {decision}, turn {turn}: the game is over ({outcome})")]
    OverBefore {
        /// Which, from 1.
        decision: usize,
        /// In which turn.
        turn: u32,
        /// How it ended.
        outcome: String,
    },
    /// The game ends otherwise.
    #[error("the rules differ after the last decision: recorded was `{expected}`, now it is `{found}`")]
    Outcome {
        /// What was recorded.
        expected: String,
        /// What it is.
        found: String,
    },
    /// The same rules lead to another state: a defect.
    #[error("the same rules and answers lead to another state ({found:016x} instead of {expected:016x})")]
    State {
        /// What was recorded.
        expected: u64,
        /// What it is.
        found: u64,
    },
}

/// A game that was replayed to its end.
#[derive(Clone, Debug)]
pub struct ReplayResult {
    /// As it stands now.
    pub machine: Machine,
    /// How many answers were given.
    pub answers: usize,
    /// Whether the rules are the recorded ones to the byte.
    pub same_rules: bool,
}

/// The word for an outcome: `won 0`, `drawn`, `budget fuel`; `open` while the game goes on.
#[must_use]
pub fn outcome_name(outcome: Option<Outcome>) -> String {
    match outcome {
        None => "open".into(),
        Some(Outcome::Won(seat)) => format!("won {seat}"),
        Some(Outcome::Drawn) => "drawn".into(),
        Some(Outcome::Budget(budget)) => format!("budget {}", budget.name()),
    }
}

/// Goes up whenever states come to hold something else where they held something, or hashes of them are of something else.
const LAYOUT: u64 = 4;

/// A hash of where things stand in a state of a program: two programs with the same one read each other's states.
#[must_use]
pub fn layout_hash(program: &Program) -> u64 {
    let layout = &program.layout;
    let row = &program.row;
    let mut words: Vec<u64> = vec![layout.globals, layout.players, layout.player_stride, layout.zones, layout.instances]
        .into_iter()
        .chain([layout.fixed, layout.columns, row.properties, row.units, row.unit_words, row.stride])
        .chain(layout.zone_base.iter().copied())
        .chain(layout.zone_kind.iter().copied())
        .chain(row.words.iter().copied())
        .map(|word| word as u64)
        .collect();
    words.extend([u64::MAX, LAYOUT]);
    words.extend(program.units.iter().map(|unit| u64::from(unit.0)));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    xxhash_rust::xxh3::xxh3_64(&bytes)
}

impl Trace {
    /// The trace of a game, finished or not. `game` is the name of the game that the program was linked from.
    #[must_use]
    pub fn new(game: &str, machine: &Machine, seats: &[SeatCards], seed: u64, answers: Vec<RecordedAnswer>) -> Self {
        let program = &machine.program;
        let zone_name = |zone: usize| program.library.zones.get(zone).map_or_else(String::new, |z| z.name.clone());
        let card_name = |card: &DefId| program.library.definitions.get(card.index()).map_or_else(String::new, |d| d.name.clone());
        let decks = seats
            .iter()
            .map(|zones| {
                zones.iter().map(|(zone, cards)| (zone_name(zone.index()), cards.iter().map(card_name).collect())).collect()
            })
            .collect();
        let standing = MatchContext::of(machine);
        let header = TraceHeader {
            fizzle_trace: 1,
            edition: EDITION,
            ir: IR_VERSION,
            game: game.to_owned(),
            format: program.format.name.clone(),
            rules_hash: format!("{:016x}", program.rules_hash),
            layout_hash: format!("{:016x}", layout_hash(program)),
            generator: GENERATOR.to_owned(),
            seed: seed.to_string(),
            game_number: standing.number,
            loser_before: standing.loser,
            decks,
            outcome: outcome_name(machine.outcome()),
            answers: answers.len(),
        };
        Self { header, answers, final_hash: machine.state.table_hash(program) }
    }

    /// The bytes of a file.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(&self.header).unwrap_or_default();
        bytes.push(b'\n');
        bytes.extend(postcard::to_stdvec(&(&self.answers, self.final_hash)).unwrap_or_default());
        let sum = xxhash_rust::xxh3::xxh3_64(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Reads the bytes of a file.
    ///
    /// # Errors
    /// [`TraceError`] says what is wrong with them.
    pub fn decode(bytes: &[u8]) -> Result<Self, TraceError> {
        if bytes.len() > MAX_BYTES {
            return Err(TraceError::Malformed("it is too large"));
        }
        let line = bytes.iter().position(|b| *b == b'\n').ok_or(TraceError::Malformed("it has no first line"))?;
        let (head, rest) = bytes.split_at(line);
        let header: TraceHeader =
            serde_json::from_slice(head).map_err(|_| TraceError::Malformed("its first line is not the one of a trace"))?;
        if header.fizzle_trace != 1 {
            return Err(TraceError::Version(header.fizzle_trace));
        }
        let body_end = bytes.len().checked_sub(8).filter(|end| *end > line).ok_or(TraceError::Malformed("it ends too early"))?;
        let (summed, sum) = bytes.split_at(body_end);
        if xxhash_rust::xxh3::xxh3_64(summed).to_le_bytes() != sum {
            return Err(TraceError::Checksum);
        }
        let body = rest.get(1..rest.len() - 8).unwrap_or(&[]);
        let (answers, final_hash): (Vec<RecordedAnswer>, u64) =
            postcard::from_bytes(body).map_err(|_| TraceError::Malformed("its answers cannot be read"))?;
        Ok(Self { header, answers, final_hash })
    }

    /// The seed of chance.
    ///
    /// # Errors
    /// When it is not a number.
    pub fn seed(&self) -> Result<u64, TraceError> {
        self.header.seed.parse().map_err(|_| TraceError::Malformed("its seed is not a number"))
    }

    /// Where the game stood in its match.
    #[must_use]
    pub fn standing(&self) -> MatchContext {
        MatchContext { number: self.header.game_number, loser: self.header.loser_before }
    }

    /// The cards of the seats, as this game numbers them.
    ///
    /// # Errors
    /// When a card or zone is not there.
    pub fn seats(&self, game: &CompiledGame) -> Result<Vec<SeatCards>, TraceError> {
        let card = |name: &String| {
            let is = |d: &crate::ir::Definition| d.name == *name && !d.token && !d.part;
            let found = game.library.definitions.numbered().find(|(number, definition)| *number != 0 && is(definition));
            found.map(|(number, _)| DefId(number as u32)).ok_or_else(|| TraceError::UnknownCard(name.clone()))
        };
        let zone = |name: &String| {
            let found = game.library.zones.iter().position(|z| z.name == *name);
            found.map(|i| crate::ir::ZoneKindId(i as u32)).ok_or_else(|| TraceError::UnknownZone(name.clone()))
        };
        self.header
            .decks
            .iter()
            .map(|zones| {
                zones.iter().map(|(name, cards)| Ok((zone(name)?, cards.iter().map(card).collect::<Result<_, _>>()?))).collect()
            })
            .collect()
    }

    /// Links the trace's format for the trace's cards.
    ///
    /// # Errors
    /// When the format or a card is not there.
    pub fn link(&self, game: &CompiledGame) -> Result<(Arc<Program>, Vec<SeatCards>), TraceError> {
        let seats = self.seats(game)?;
        let format = game.formats.iter().position(|f| f.name == self.header.format);
        let pool: Vec<DefId> = seats.iter().flatten().flat_map(|(_, cards)| cards.iter().copied()).collect();
        let program = format.and_then(|format| Program::link_for(game, format, &pool, seats.len()));
        let program = program.ok_or_else(|| TraceError::Format(self.header.format.clone(), game.name.clone()))?;
        Ok((Arc::new(program), seats))
    }
}

/// Plays a trace again.
///
/// # Errors
/// [`TraceError`] says at which decision the rules now differ, or why the trace cannot be replayed at all.
pub fn replay(trace: &Trace, program: Arc<Program>, seats: &[SeatCards]) -> Result<ReplayResult, TraceError> {
    if trace.header.generator != GENERATOR {
        return Err(TraceError::Generator(trace.header.generator.clone()));
    }
    if trace.header.format != program.format.name {
        return Err(TraceError::Format(trace.header.format.clone(), program.format.name.clone()));
    }
    if let Some(zone) = seats.iter().flatten().map(|(zone, _)| zone).find(|z| z.index() >= program.library.zones.len()) {
        return Err(TraceError::UnknownZone(zone.0.to_string()));
    }
    if zone_named(&program, crate::game::DECK_ZONE).is_none() {
        return Err(StartError::NoDeckZone.into());
    }
    let same_rules = trace.header.rules_hash == format!("{:016x}", program.rules_hash);
    let same_layout = trace.header.layout_hash == format!("{:016x}", layout_hash(&program));
    let mut machine = start_game(program, seats, trace.seed()?, trace.standing())?;
    for (number, answered) in trace.answers.iter().enumerate() {
        let decision = number + 1;
        let asked = match machine.step() {
            StepResult::Asked(asked) => asked,
            StepResult::Over(outcome) => {
                let turn = machine.state.turn();
                return Err(TraceError::OverBefore { decision, turn, outcome: outcome_name(Some(outcome)) });
            }
        };
        let turn = machine.state.turn();
        if answered.concedes() {
            if !machine.concede(usize::from(answered.player)) {
                let found = question(&RecordedAnswer::new(&asked, &[]));
                return Err(TraceError::Asked { decision, turn, expected: question(answered), found });
            }
            continue;
        }
        let now = RecordedAnswer::new(&asked, &answered.picks);
        if now != *answered {
            return Err(TraceError::Asked { decision, turn, expected: question(answered), found: question(&now) });
        }
        machine.answer(&answered.picks).map_err(|refusal| TraceError::Refused { decision, turn, refusal })?;
    }
    // A finished game ends by itself after its last answer; an open one stands at its next decision.
    machine.step();
    let found = outcome_name(machine.outcome());
    if found != trace.header.outcome {
        return Err(TraceError::Outcome { expected: trace.header.outcome.clone(), found });
    }
    let hash = machine.state.table_hash(&machine.program);
    if same_rules && same_layout && hash != trace.final_hash {
        return Err(TraceError::State { expected: trace.final_hash, found: hash });
    }
    Ok(ReplayResult { machine, answers: trace.answers.len(), same_rules })
}

fn question(answered: &RecordedAnswer) -> String {
    if answered.concedes() {
        return format!("{} gives the game up", seat_name(usize::from(answered.player)));
    }
    let who = seat_name(usize::from(answered.player));
    format!("{who} to answer `{}` among {} options", kind_name(answered.kind), answered.options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{RecordedGame, start_seats};
    use crate::{bot, testing};
    use proptest::prelude::*;

    fn recorded() -> (Trace, Vec<SeatCards>) {
        let seats: Vec<SeatCards> = (0..2).map(|_| vec![(crate::ir::ZoneKindId(0), testing::cards(12))]).collect();
        let mut game = RecordedGame::new(start_seats(testing::program(), &seats, 99).expect("it starts"));
        let mut random = bot::named("random", 1, 0, 0).expect("a bot");
        while let StepResult::Asked(decision) = game.advance() {
            let picks = random.choose(&game.machine, &decision);
            game.answer(&decision, &picks).expect("legal");
        }
        (Trace::new("tiny", &game.machine, &seats, 99, game.answers), seats)
    }

    #[test]
    fn a_trace_is_written_read_and_replayed() {
        let (trace, seats) = recorded();
        let read = Trace::decode(&trace.encode()).expect("it reads");
        assert_eq!(read, trace);
        let (program, again) = read.link(&testing::game()).expect("it links");
        assert_eq!(again, seats);
        let replayed = replay(&read, program, &again).expect("it replays");
        assert!(replayed.same_rules);
        assert_eq!(replayed.machine.state.table_hash(&replayed.machine.program), trace.final_hash);
    }

    #[test]
    fn changed_rules_are_found_at_their_decision() {
        let (mut trace, seats) = recorded();
        trace.answers[3].picks = vec![77];
        let error = replay(&trace, testing::program(), &seats).expect_err("no such option");
        assert!(matches!(error, TraceError::Refused { decision: 4, refusal: AnswerError::NoSuchOption(77), .. }), "{error}");
        trace.answers[2].player = 1 - trace.answers[2].player;
        let error = replay(&trace, testing::program(), &seats).expect_err("another player");
        assert!(matches!(error, TraceError::Asked { decision: 3, .. }), "{error}");
    }

    proptest! {
        #[test]
        fn garbage_is_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(Trace::decode(&bytes).is_err());
        }

        #[test]
        fn damage_is_noticed(cut in 0usize..100_000, at in 0usize..100_000, bit in 0u8..8) {
            let bytes = recorded().0.encode();
            prop_assert!(Trace::decode(&bytes[..cut % bytes.len()]).is_err());
            let mut flipped = bytes.clone();
            flipped[at % bytes.len()] ^= 1 << bit;
            prop_assert!(Trace::decode(&flipped).is_err());
        }
    }
}
