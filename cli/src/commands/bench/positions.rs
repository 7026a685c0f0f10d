//! Wide boards: what it takes to list what a player may do there, and to compute all values under many continuous effects.

use super::measure::{late, least_of_three, rate};
use super::result_row::ResultRow;
use super::workload::SEED;
use crate::failure::CommandError;
use fizzle_runtime::bot;
use fizzle_runtime::game::{DECK_ZONE, advance, zone_named};
use fizzle_runtime::ir::{Artifact, CompiledGame, DefId};
use fizzle_runtime::program::Program;
use fizzle_runtime::vm::decision::DecisionKind;
use fizzle_runtime::vm::derived::DerivedValues;
use fizzle_runtime::vm::eval::Scratch;
use fizzle_runtime::vm::{Budgets, Machine, StepResult};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// So many of each.
type Cards = &'static [(u32, &'static str)];

/// What lies where as the first turn goes on with a main phase: of both players, on the field, in hand, and in the deck.
struct Position {
    name: &'static str,
    field: [Cards; 2],
    hand: [Cards; 2],
    deck: [Cards; 2],
}

/// At least so many decisions are timed.
const LEAST: usize = 10;

const FORMAT: &str = "magic";
const START: &str = "precombat_main";

/// Sixty permanents: creatures with and without abilities, and the lands for all that is in hand.
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

const HAND: [Cards; 2] = [
    &[(2, "Lightning Bolt"), (1, "Llanowar Elves"), (1, "Grizzly Bears"), (1, "Stampeding Rhino"), (2, "Forest")],
    &[(2, "Counterspell"), (2, "Unsummon"), (1, "Divination"), (1, "Serra Angel"), (1, "Plains")],
];
const DECK: [Cards; 2] =
    [&[(10, "Forest"), (10, "Grizzly Bears"), (10, "Lightning Bolt")], &[(10, "Plains"), (10, "Wind Drake"), (10, "Unsummon")]];

impl Position {
    fn cards(&self) -> impl Iterator<Item = &'static str> {
        [self.field, self.hand, self.deck].into_iter().flatten().flatten().map(|(_, name)| *name)
    }

    fn set(&self, game: &CompiledGame) -> Result<Machine, CommandError> {
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
                let instance = zone.and_then(|zone| program.instance(zone, seat)).ok_or_else(|| missing("zone"))?;
                for (count, name) in cards {
                    let card = definition(name)?;
                    for _ in 0..*count {
                        machine.add_object(card.0, seat, instance).ok_or_else(|| missing(name))?;
                    }
                }
            }
        }
        let span = program.format.spans.iter().position(|span| span.name == START).ok_or_else(|| missing(START))?;
        machine.begin(0, Some(span as u32));
        Ok(machine)
    }
}

/// Decisions of random bots in the first turn of each position, and values computed from nothing.
pub fn rows(
    made: &Artifact,
    span: Duration,
    wanted: &dyn Fn(&str) -> bool,
    tell: &mut dyn FnMut(ResultRow),
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
        let machine = position.set(game.ok_or_else(|| CommandError::Defect(format!("there is no `{FORMAT}`")))?)?;
        if played {
            let (steps, acts) = played_from(&machine, span)?;
            tell(ResultRow::new(
                decisions_name,
                steps.len() as f64 / steps.iter().sum::<Duration>().as_secs_f64(),
                "decisions/s",
            ));
            tell(ResultRow::new(late_name, late(acts).as_secs_f64() * 1e6, "us"));
        }
        if computed {
            let mut scratch = Scratch::new(Budgets::default().fuel);
            let computed = rate(span, || {
                scratch.fuel = 0;
                black_box(DerivedValues::from_scratch(&machine.program, &machine.state, &mut scratch));
                true
            });
            tell(ResultRow::new(values_name, 1e6 / computed, "us"));
        }
    }
    Ok(())
}

/// The first turn again and again, by random bots: the times from an answer to the next decision, and of these the ones to a decision about what
/// to do. What the bots take is not counted.
fn played_from(start: &Machine, span: Duration) -> Result<(Vec<Duration>, Vec<Duration>), CommandError> {
    let mut steps = Vec::new();
    let begun = Instant::now();
    for game in 0.. {
        let enough = |acts: usize| begun.elapsed() >= span && acts >= LEAST;
        let mut longest = usize::MAX;
        let times = least_of_three(|| {
            let times = first_turn(start, game, |steps| steps < longest && (longest < usize::MAX || !enough(steps)))?;
            // The same steps again, however much time is left.
            longest = times.len();
            Ok(times)
        })?;
        steps.extend(times);
        if enough(steps.len()) {
            break;
        }
    }
    let acts = steps.iter().filter(|(_, is_act)| *is_act).map(|(took, _)| *took).collect();
    Ok((steps.into_iter().map(|(took, _)| took).collect(), acts))
}

/// The first turn of one game, as long as it is to go on: the time of each step, and whether it led to a decision about what to do.
fn first_turn(start: &Machine, game: u64, goes_on: impl Fn(usize) -> bool) -> Result<Vec<(Duration, bool)>, CommandError> {
    let mut steps = Vec::new();
    let mut machine = start.clone();
    let mut bots: Vec<_> = (0..2).filter_map(|seat| bot::named("random", SEED, game, seat)).collect();
    let mut since = Instant::now();
    while let StepResult::Asked(decision) = advance(&mut machine) {
        let took = since.elapsed();
        if machine.state.turn() > 1 || !goes_on(steps.len()) {
            break;
        }
        steps.push((took, decision.kind == DecisionKind::Act));
        let picks = bots.get_mut(decision.player).map_or_else(Vec::new, |bot| bot.choose(&machine, &decision));
        since = Instant::now();
        machine.answer(&picks).map_err(|refusal| CommandError::Defect(format!("a bot's answer is refused: {refusal}")))?;
    }
    Ok(steps)
}
