//! Traces: recorded games (hash of the rules, seed, decks, all answers), their file format, and replay.
//!
//! A replay reproduces the game exactly, or reports the first decision at which the rules differ now. A file is one line of JSON
//! ([`TraceHeader`]), then the answers and a hash of the final position (postcard), then a checksum (8 bytes, XXH3).

use crate::game::RecordedAnswer;
use crate::game::{MatchContext, SeatCards, StartError, start_game, zone_named};
use crate::ir::artifact::{EDITION, IR_VERSION};
use crate::ir::{CompiledGame, DefId};
use crate::program::Program;
use crate::view::seat_name;
use crate::vm::decision::{AnswerError, DecisionKind};
use crate::vm::machine::outcome_name;
use crate::vm::machine::{Machine, StepResult};
use crate::vm::random::GENERATOR;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The maximum size of a trace that is decoded, in bytes: two million answers. Answers and names need up to ten times the memory of their bytes.
pub const MAX_BYTES: usize = 8 << 20;

fn kind_name(number: u8) -> &'static str {
    DecisionKind::ALL.get(usize::from(number)).map_or("unknown", |kind| kind.name())
}

/// The readable part of a trace: the first line of its file, as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceHeader {
    /// The version of the file format.
    pub fizzle_trace: u32,
    /// The edition of the language.
    pub edition: u32,
    /// The version of the intermediate representation.
    pub ir: u32,
    /// The name of the game.
    pub game: String,
    /// The name of the format.
    pub format: String,
    /// The rules hash, in hexadecimal digits.
    pub rules_hash: String,
    /// The layout hash of states ([`layout_hash`]), in hexadecimal digits.
    pub layout_hash: String,
    /// The name of the random number generator.
    pub generator: String,
    /// The seed, in decimal digits (large JSON numbers lose precision).
    pub seed: String,
    /// The number of the game within its match, from 1.
    #[serde(default = "first")]
    pub game_number: u32,
    /// The seat that lost the previous game of the match.
    #[serde(default)]
    pub loser_before: Option<usize>,
    /// The names of the cards, by seat and zone.
    pub decks: Vec<Vec<(String, Vec<String>)>>,
    /// The outcome as [`outcome_name`] writes it; `open` for an unfinished game.
    pub outcome: String,
    /// The number of answers.
    pub answers: usize,
}

fn first() -> u32 {
    1
}

/// A recorded game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The header.
    pub header: TraceHeader,
    /// All answers, in order.
    pub answers: Vec<RecordedAnswer>,
    /// The hash of the position after the last answer ([`State::board_hash`](crate::state::State::board_hash)).
    pub final_hash: u64,
}

/// Why a trace cannot be read or replayed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// The bytes are not a trace.
    #[error("this is not a trace: {0}")]
    Malformed(&'static str),
    /// The checksum is wrong.
    #[error("the trace is damaged: its checksum is wrong")]
    Checksum,
    /// The version of the file format is not supported.
    #[error("the trace has version {0} of the file form, this program reads version 1")]
    Version(u32),
    /// The trace was recorded with another random number generator.
    #[error("the trace was made with the generator `{0}`, this program has `{GENERATOR}`")]
    Generator(String),
    /// The game does not have the format of the trace.
    #[error("the trace is a game of `{0}`, not of `{1}`")]
    Format(String, String),
    /// The game has no card with this name any more.
    #[error("there is no card `{0}` any more")]
    UnknownCard(String),
    /// The game has no zone with this name any more.
    #[error("there is no zone `{0}` any more")]
    UnknownZone(String),
    /// The game cannot be started with the decks.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The replay reached another decision than the recorded one.
    #[error("the rules differ at decision {decision}, turn {turn}: recorded was {expected}, now it is {found}")]
    OtherDecision {
        /// The number of the decision, from 1.
        decision: usize,
        /// The number of the turn.
        turn: u32,
        /// The recorded decision.
        expected: String,
        /// The decision of the replay.
        found: String,
    },
    /// A recorded answer is not legal.
    #[error("the rules differ at decision {decision}, turn {turn}: the answer is refused: {refusal}")]
    Refused {
        /// The number of the decision, from 1.
        decision: usize,
        /// The number of the turn.
        turn: u32,
        /// The reason.
        refusal: AnswerError,
    },
    /// The game of the replay is over before this decision.
    #[error("the rules differ at decision {decision}, turn {turn}: the game is over ({outcome})")]
    OverBefore {
        /// The number of the decision, from 1.
        decision: usize,
        /// The number of the turn.
        turn: u32,
        /// How it ended.
        outcome: String,
    },
    /// The game of the replay has another outcome.
    #[error("the rules differ after the last decision: recorded was `{expected}`, now it is `{found}`")]
    Outcome {
        /// The recorded outcome.
        expected: String,
        /// The outcome of the replay.
        found: String,
    },
    /// The same rules and answers lead to another final position: the recorded hash was changed, or another build of the engine that
    /// calculates differently wrote it.
    #[error(
        "the recorded final position ({expected:016x}) is not the one that the same rules and answers lead to ({found:016x}): the trace was \
         changed, or another build of this program recorded it"
    )]
    State {
        /// The recorded hash.
        expected: u64,
        /// The hash of the replay.
        found: u64,
    },
}

/// The result of a replay.
#[derive(Clone, Debug)]
pub struct ReplayResult {
    /// The game after the last answer.
    pub machine: Machine,
    /// The number of answers that were replayed.
    pub answers: usize,
    /// Whether the rules hash equals the recorded one.
    pub same_rules: bool,
}

/// Must be increased whenever the meaning of the words of a state changes, or the definition of their hash.
const LAYOUT_VERSION: u64 = 6;

/// The hash of the layout of a program's states. Programs with equal layout hashes can read each other's states.
#[must_use]
pub fn layout_hash(program: &Program) -> u64 {
    let layout = &program.layout;
    let row = &program.row;
    let mut words: Vec<u64> = vec![layout.globals, layout.players, layout.player_stride, layout.zones, layout.instances]
        .into_iter()
        .chain([layout.fixed, layout.columns, row.properties, row.bundles, row.bundle_words, row.stride])
        .chain(layout.zone_base.iter().copied())
        .chain(layout.zone_kind.iter().copied())
        .chain(row.words.iter().copied())
        .map(|word| word as u64)
        .collect();
    words.extend([u64::MAX, LAYOUT_VERSION]);
    words.extend(program.bundles.iter().map(|unit| u64::from(unit.0)));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    xxhash_rust::xxh3::xxh3_64(&bytes)
}

impl Trace {
    /// Creates the trace of a game, finished or not. `game` is the name of the game that the program was linked from.
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
        let context = MatchContext::of(machine);
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
            game_number: context.number,
            loser_before: context.loser,
            decks,
            outcome: outcome_name(machine.outcome()),
            answers: answers.len(),
        };
        Self { header, answers, final_hash: machine.state.board_hash(program) }
    }

    /// Encodes the trace as the bytes of a file.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec(&self.header).unwrap_or_default();
        bytes.push(b'\n');
        bytes.extend(postcard::to_stdvec(&(&self.answers, self.final_hash)).unwrap_or_default());
        let sum = xxhash_rust::xxh3::xxh3_64(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Decodes the bytes of a file.
    ///
    /// # Errors
    /// [`TraceError::Malformed`], [`TraceError::Version`] or [`TraceError::Checksum`].
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
        let ((answers, final_hash), rest): ((Vec<RecordedAnswer>, u64), &[u8]) =
            postcard::take_from_bytes(body).map_err(|_| TraceError::Malformed("its answers cannot be read"))?;
        if !rest.is_empty() || header.answers != answers.len() {
            return Err(TraceError::Malformed("its answers are not as many as it says"));
        }
        Ok(Self { header, answers, final_hash })
    }

    /// The seed of the game.
    ///
    /// # Errors
    /// [`TraceError::Malformed`] if it is not a number.
    pub fn seed(&self) -> Result<u64, TraceError> {
        self.header.seed.parse().map_err(|_| TraceError::Malformed("its seed is not a number"))
    }

    /// The position of the game within its match.
    #[must_use]
    pub fn match_context(&self) -> MatchContext {
        MatchContext { number: self.header.game_number, loser: self.header.loser_before }
    }

    /// The cards of the seats, with the numbers that `game` gives them.
    ///
    /// # Errors
    /// [`TraceError::UnknownCard`] or [`TraceError::UnknownZone`].
    pub fn seats(&self, game: &CompiledGame) -> Result<Vec<SeatCards>, TraceError> {
        // The first card of each name; there can be as many names as the trace has bytes.
        let mut cards: BTreeMap<&str, DefId> = BTreeMap::new();
        for (number, definition) in
            game.library.definitions.numbered().filter(|(number, it)| *number != 0 && !it.token && !it.part)
        {
            cards.entry(definition.name.as_str()).or_insert(DefId(number as u32));
        }
        let card = |name: &String| cards.get(name.as_str()).copied().ok_or_else(|| TraceError::UnknownCard(name.clone()));
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

    /// Links the format of the trace for the cards of the trace.
    ///
    /// # Errors
    /// [`TraceError`]: the format, a card or a zone is unknown.
    pub fn link(&self, game: &CompiledGame) -> Result<(Arc<Program>, Vec<SeatCards>), TraceError> {
        let seats = self.seats(game)?;
        let format = game.formats.iter().position(|f| f.name == self.header.format);
        let pool: Vec<DefId> = seats.iter().flatten().flat_map(|(_, cards)| cards.iter().copied()).collect();
        let program = format.and_then(|format| Program::link_for(game, format, &pool, seats.len()));
        let program = program.ok_or_else(|| TraceError::Format(self.header.format.clone(), game.name.clone()))?;
        Ok((Arc::new(program), seats))
    }
}

/// Replays a trace.
///
/// # Errors
/// [`TraceError`]: the decision at which the rules differ now, or why the trace cannot be replayed at all.
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
    if zone_named(&program, crate::ir::DECK_ZONE).is_none() {
        return Err(StartError::NoDeckZone.into());
    }
    let same_rules = trace.header.rules_hash == format!("{:016x}", program.rules_hash);
    let same_layout = trace.header.layout_hash == format!("{:016x}", layout_hash(&program));
    let mut machine = start_game(program, seats, trace.seed()?, trace.match_context())?;
    for (number, recorded) in trace.answers.iter().enumerate() {
        let decision = number + 1;
        let pending = match machine.step() {
            StepResult::Decision(pending) => pending,
            StepResult::Over(outcome) => {
                let turn = machine.state.turn();
                return Err(TraceError::OverBefore { decision, turn, outcome: outcome_name(Some(outcome)) });
            }
        };
        let turn = machine.state.turn();
        if recorded.is_concession() {
            if !machine.concede(usize::from(recorded.player)) {
                let found = describe_decision(&RecordedAnswer::new(&pending, &[]));
                return Err(TraceError::OtherDecision { decision, turn, expected: describe_decision(recorded), found });
            }
            continue;
        }
        let now = RecordedAnswer::new(&pending, &recorded.picks);
        if now != *recorded {
            return Err(TraceError::OtherDecision {
                decision,
                turn,
                expected: describe_decision(recorded),
                found: describe_decision(&now),
            });
        }
        machine.answer(&recorded.picks).map_err(|refusal| TraceError::Refused { decision, turn, refusal })?;
    }
    // A finished game ends after its last answer without further answers; an unfinished one reaches its next decision.
    machine.step();
    let found = outcome_name(machine.outcome());
    if found != trace.header.outcome {
        return Err(TraceError::Outcome { expected: trace.header.outcome.clone(), found });
    }
    let hash = machine.state.board_hash(&machine.program);
    if same_rules && same_layout && hash != trace.final_hash {
        return Err(TraceError::State { expected: trace.final_hash, found: hash });
    }
    Ok(ReplayResult { machine, answers: trace.answers.len(), same_rules })
}

fn describe_decision(recorded: &RecordedAnswer) -> String {
    if recorded.is_concession() {
        return format!("{} gives the game up", seat_name(usize::from(recorded.player)));
    }
    let who = seat_name(usize::from(recorded.player));
    format!("{who} to answer `{}` among {} options", kind_name(recorded.kind), recorded.options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{RecordedGame, start_seats};
    use crate::random_answers::RandomAnswers;
    use crate::testing;
    use proptest::prelude::*;

    fn recorded_game() -> (Trace, Vec<SeatCards>) {
        let seats: Vec<SeatCards> = (0..2).map(|_| vec![(crate::ir::ZoneKindId(0), testing::cards(12))]).collect();
        let mut game = RecordedGame::new(start_seats(testing::program(), &seats, 99).expect("it starts"));
        let mut random = RandomAnswers::new(1);
        while let StepResult::Decision(decision) = game.advance() {
            let picks = random.answer(&game.machine, &decision);
            game.answer(&decision, &picks).expect("legal");
        }
        (Trace::new("tiny", &game.machine, &seats, 99, game.answers.iter().collect()), seats)
    }

    #[test]
    fn trace_replays_after_encoding_and_decoding() {
        let (trace, seats) = recorded_game();
        let read = Trace::decode(&trace.encode()).expect("it reads");
        assert_eq!(read, trace);
        let (program, again) = read.link(&testing::game()).expect("it links");
        assert_eq!(again, seats);
        let replayed = replay(&read, program, &again).expect("it replays");
        assert!(replayed.same_rules);
        assert_eq!(replayed.machine.state.board_hash(&replayed.machine.program), trace.final_hash);
    }

    #[test]
    fn replay_reports_the_first_different_decision() {
        let (mut trace, seats) = recorded_game();
        trace.answers[3].picks = vec![77];
        let error = replay(&trace, testing::program(), &seats).expect_err("no such option");
        assert!(matches!(error, TraceError::Refused { decision: 4, refusal: AnswerError::NoSuchOption(77), .. }), "{error}");
        trace.answers[2].player = 1 - trace.answers[2].player;
        let error = replay(&trace, testing::program(), &seats).expect_err("another player");
        assert!(matches!(error, TraceError::OtherDecision { decision: 3, .. }), "{error}");
    }

    #[test]
    fn answers_that_are_not_as_many_as_announced_are_refused() {
        let (mut trace, _) = recorded_game();
        let mut longer = trace.encode();
        longer.truncate(longer.len() - 8);
        longer.push(0);
        longer.extend(xxhash_rust::xxh3::xxh3_64(&longer).to_le_bytes());
        assert!(matches!(Trace::decode(&longer), Err(TraceError::Malformed(_))));
        trace.header.answers += 1;
        assert!(matches!(Trace::decode(&trace.encode()), Err(TraceError::Malformed(_))));
    }

    proptest! {
        #[test]
        fn garbage_is_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(Trace::decode(&bytes).is_err());
        }

        #[test]
        fn damaged_bytes_are_refused(cut in 0usize..100_000, at in 0usize..100_000, bit in 0u8..8) {
            let bytes = recorded_game().0.encode();
            prop_assert!(Trace::decode(&bytes[..cut % bytes.len()]).is_err());
            let mut flipped = bytes.clone();
            flipped[at % bytes.len()] ^= 1 << bit;
            prop_assert!(Trace::decode(&flipped).is_err());
        }
    }
}
