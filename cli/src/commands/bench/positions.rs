//! Measures wide boards: listing the legal actions, and computing all derived values under many continuous effects.

use super::measure::{minimum_of_three, percentile_99, rate_in_cpu_time};
use super::result_row::ResultRow;
use super::workload::SEED;
use crate::failure::CommandError;
use fizzle_bots as bot;
use fizzle_runtime::game::{advance, zone_named};
use fizzle_runtime::ir::DECK_ZONE;
use fizzle_runtime::ir::{Artifact, CompiledGame, DefId};
use fizzle_runtime::program::Program;
use fizzle_runtime::vm::decision::DecisionKind;
use fizzle_runtime::vm::derived::values::DerivedValues;
use fizzle_runtime::vm::scratch::Scratch;
use fizzle_runtime::vm::{Budgets, Machine, StepResult};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Numbers of copies, by card name.
type CardCounts = &'static [(u32, &'static str)];

/// A position at the start of the main phase of the first turn: the cards of both players on the field, in hand and in the deck.
struct Position {
    name: &'static str,
    field: [CardCounts; 2],
    hand: [CardCounts; 2],
    deck: [CardCounts; 2],
}

/// The fewest decisions that are timed.
const MIN_DECISIONS: usize = 10;

const FORMAT: &str = "magic";
const START: &str = "precombat_main";

/// Sixty permanents: creatures with and without abilities, and lands for all cards in hand.
const WIDE: Position = Position {
    name: "Magic, 60 permanents",
    field: [
        &[
            (6, "Forest"),
            (6, "Mountain"),
            (4, "Llanowar Elves"),
            (3, "Elvish Visionary"),
            (3, "Grizzly Bears"),
            (4, "Prodigal Pyromancer"),
            (2, "Giant Spider"),
            (2, "Craw Wurm"),
        ],
        &[
            (6, "Plains"),
            (6, "Island"),
            (4, "Savannah Lions"),
            (4, "Wind Drake"),
            (3, "Soul Warden"),
            (3, "Youthful Knight"),
            (2, "Serra Angel"),
            (2, "Viscera Seer"),
        ],
    ],
    hand: HAND,
    deck: DECK,
};

/// Sixty permanents, half of them with an ability that changes many others: power, toughness, keywords.
const STATIC: Position = Position {
    name: "Magic, 30 static abilities",
    field: [
        &[
            (3, "Glorious Anthem"),
            (3, "Crusade"),
            (3, "Muscle Sliver"),
            (3, "Winged Sliver"),
            (3, "Goblin Chieftain"),
            (7, "Savannah Lions"),
            (8, "Mountain"),
        ],
        &[
            (3, "Glorious Anthem"),
            (3, "Bad Moon"),
            (3, "Muscle Sliver"),
            (3, "Winged Sliver"),
            (3, "Goblin Chieftain"),
            (7, "Viscera Seer"),
            (8, "Island"),
        ],
    ],
    hand: HAND,
    deck: DECK,
};

const HAND: [CardCounts; 2] = [
    &[(2, "Lightning Bolt"), (1, "Llanowar Elves"), (1, "Grizzly Bears"), (1, "Stampeding Rhino"), (2, "Forest")],
    &[(2, "Counterspell"), (2, "Unsummon"), (1, "Divination"), (1, "Serra Angel"), (1, "Plains")],
];
const DECK: [CardCounts; 2] =
    [&[(10, "Forest"), (10, "Grizzly Bears"), (10, "Lightning Bolt")], &[(10, "Plains"), (10, "Wind Drake"), (10, "Unsummon")]];

impl Position {
    fn cards(&self) -> impl Iterator<Item = &'static str> {
        [self.field, self.hand, self.deck].into_iter().flatten().flatten().map(|(_, name)| *name)
    }

    fn build(&self, game: &CompiledGame) -> Result<Machine, CommandError> {
        let missing = |what: &str| CommandError::Defect(format!("there is no `{what}` for the position `{}`", self.name));
        let definition = |name: &str| {
            let mut known = game.library.definitions.numbered();
            let found = known.find(|(_, it)| it.name == name && !it.token && !it.part);
            found.map(|(number, _)| DefId(number as u32)).ok_or_else(|| missing(name))
        };
        let pool: Vec<DefId> = self.cards().map(definition).collect::<Result<_, _>>()?;
        let index = game.formats.iter().position(|format| format.name == FORMAT).ok_or_else(|| missing(FORMAT))?;
        let program = Arc::new(Program::link_for(game, index, &pool, 2).ok_or_else(|| missing(FORMAT))?);
        let mut machine = Machine::new(Arc::clone(&program), SEED);
        let zones = [program.field, zone_named(&program, "hand").map(|zone| zone.index())];
        let deck = zone_named(&program, DECK_ZONE).map(|zone| zone.index());
        for (zone, [first, second]) in zones.into_iter().chain([deck]).zip([self.field, self.hand, self.deck]) {
            for (seat, cards) in [first, second].into_iter().enumerate() {
                let instance = zone.and_then(|zone| program.zone_instance(zone, seat)).ok_or_else(|| missing("zone"))?;
                for (count, name) in cards {
                    let card = definition(name)?;
                    for _ in 0..*count {
                        machine.add_object(card.0, seat, instance).ok_or_else(|| missing(name))?;
                    }
                }
            }
        }
        let span = program.format.periods.iter().position(|span| span.name == START).ok_or_else(|| missing(START))?;
        machine.begin(0, Some(span as u32));
        Ok(machine)
    }
}

/// Measures decisions of random bots in the first turn of each position, and derived values computed from scratch.
pub fn measure(
    made: &Artifact,
    duration: Duration,
    wanted: &dyn Fn(&str) -> bool,
    report: &mut dyn FnMut(ResultRow),
) -> Result<(), CommandError> {
    for (position, values) in [(WIDE, false), (STATIC, true)] {
        let names = ["decisions", "legal actions, 99th percentile", "all values from nothing"];
        let [decisions_name, late_name, values_name] = names.map(|what| format!("{}: {what}", position.name));
        let played = wanted(&decisions_name) || wanted(&late_name);
        let computed = values && wanted(&values_name);
        if !played && !computed {
            continue;
        }
        let game = made.games.iter().find(|game| game.formats.iter().any(|format| format.name == FORMAT));
        let machine = position.build(game.ok_or_else(|| CommandError::Defect(format!("there is no `{FORMAT}`")))?)?;
        if played {
            let (steps, acts) = measure_first_turns(&machine, duration)?;
            report(ResultRow::new(
                decisions_name,
                steps.len() as f64 / steps.iter().sum::<Duration>().as_secs_f64(),
                "decisions/s",
            ));
            report(ResultRow::new(late_name, percentile_99(acts).as_secs_f64() * 1e6, "us"));
        }
        if computed {
            let mut scratch = Scratch::new(Budgets::default().fuel);
            let computed = rate_in_cpu_time(duration, || {
                scratch.fuel = 0;
                black_box(DerivedValues::from_scratch(&machine.program, &machine.state, &mut scratch));
                true
            });
            report(ResultRow::new(values_name, 1e6 / computed, "us"));
        }
    }
    Ok(())
}

/// Plays the first turn repeatedly with random bots. Returns the times from an answer to the next decision, and those among them that led to
/// a decision to act. The time of the bots is not counted.
fn measure_first_turns(start: &Machine, duration: Duration) -> Result<(Vec<Duration>, Vec<Duration>), CommandError> {
    let mut steps = Vec::new();
    let begun = Instant::now();
    for game in 0.. {
        let is_enough = |acts: usize| begun.elapsed() >= duration && acts >= MIN_DECISIONS;
        let mut longest = usize::MAX;
        let times = minimum_of_three(|| {
            let times = play_first_turn(start, game, |steps| steps < longest && (longest < usize::MAX || !is_enough(steps)))?;
            // The repetitions play the same steps, regardless of the remaining time.
            longest = times.len();
            Ok(times)
        })?;
        steps.extend(times);
        if is_enough(steps.len()) {
            break;
        }
    }
    let acts = steps.iter().filter(|(_, is_act)| *is_act).map(|(took, _)| *took).collect();
    Ok((steps.into_iter().map(|(took, _)| took).collect(), acts))
}

/// Plays the first turn of one game while `continues` returns `true` for the number of steps. Returns the time of each step, and whether it
/// led to a decision to act.
fn play_first_turn(start: &Machine, game: u64, continues: impl Fn(usize) -> bool) -> Result<Vec<(Duration, bool)>, CommandError> {
    let mut steps = Vec::new();
    let mut machine = start.clone();
    let mut bots: Vec<_> = (0..2).filter_map(|seat| bot::named("random", SEED, game, seat)).collect();
    let mut since = Instant::now();
    while let StepResult::Decision(decision) = advance(&mut machine) {
        let took = since.elapsed();
        if machine.state.turn() > 1 || !continues(steps.len()) {
            break;
        }
        steps.push((took, decision.kind == DecisionKind::Act));
        let picks = bots.get_mut(decision.player).map_or_else(Vec::new, |bot| bot.choose(&machine, &decision));
        since = Instant::now();
        machine.answer(&picks).map_err(|refusal| CommandError::Defect(format!("the answer of a bot was refused: {refusal}")))?;
    }
    Ok(steps)
}
