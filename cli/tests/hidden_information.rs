//! The hidden is hidden: of two games that differ only in what a player cannot know, that player sees the same.
//!
//! At random decisions of random games the state is determinised twice for the player who is asked. Both copies go on with the same
//! answers, and the player's whole streams are compared item by item, with the views, questions and refusals at the player's decisions.
//!
//! - The player's own answers are the same options as seen. Another player's answer is chosen in the first copy and *translated*: what
//!   the viewer identifies must have the same number, what lies hidden in an order the same place, any other hidden object the same card.
//!   A question that only one copy asks (there is something hidden to choose there) is declined.
//! - Chance is the same in both copies.
//!
//! A difference is legitimate only if
//! - it is the name of an object that the viewer meets at that very item, under the same number and of the same owner (where it goes may
//!   be its own text's doing), or the place at which the viewer finds it while searching a hidden order; or
//! - an ability of a hidden card has just gone to the list, which shows its card; or
//! - an answer could not be translated, or a question of only one copy not be declined (then the comparison ends before it).
//!
//! Besides, every object that a stream tells of is checked against the rules of seeing, not the code that made the stream: it lies
//! where the viewer may look, was revealed or shown to the viewer just now, is what the viewer is asked to search, or was already known
//! when it moved from where it could be followed, and no shuffle came between.
//!
//! Half of the games are played with the decks of the packs, half with decks into which any cards of the game were mixed.
//!
//! `FIZZLE_GAMES` sets how many games of each family are played, `FIZZLE_FORMAT` names the only format that is played.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs)]

#[allow(dead_code, reason = "each test uses a part of it")]
mod shipped;

use fizzle_runtime::bot::{Bot, Dice, derive};
use fizzle_runtime::game::{SeatCards, start_seats};
use fizzle_runtime::ir::verbs::{LOOK, REVEAL, SHUFFLE};
use fizzle_runtime::ir::{DefId, Visibility};
use fizzle_runtime::program::Program;
use fizzle_runtime::state::{ObjectRef, layout as at};
use fizzle_runtime::view::event_stream::{Observer, ViewEvent};
use fizzle_runtime::view::{View, determinise, determinise_some, refusals, view_with};
use fizzle_runtime::vm::announce::ENTRY_SOURCE;
use fizzle_runtime::vm::decision::{Choice, Decision, DecisionKind, Side};
use fizzle_runtime::vm::{Machine, Record, StepResult};
use shipped::{FORMATS, bots_for, games, table_for};
use std::collections::BTreeMap;

/// How many decisions a comparison follows.
const FOLLOWED: usize = 400;

/// A game with somebody watching.
#[derive(Clone)]
struct World {
    machine: Machine,
    watcher: Observer,
    items: Vec<ViewEvent>,
    /// Where in the log the last look began.
    looked: usize,
}

impl World {
    fn new(mut machine: Machine, viewer: usize) -> Self {
        let watcher = Observer::new(&mut machine, viewer);
        Self { machine, watcher, items: Vec::new(), looked: 0 }
    }

    /// On to the next decision. Every object met on the way must be one that the viewer may see.
    fn step(&mut self) -> StepResult {
        loop {
            let step = self.machine.tick();
            let asked = match &step {
                Some(StepResult::Asked(decision)) => Some(decision.clone()),
                _ => None,
            };
            self.watcher.look(&mut self.machine);
            if let Some(decision) = &asked {
                self.watcher.asked(&mut self.machine, decision);
            }
            let fresh = self.watcher.take();
            for item in &fresh {
                if let ViewEvent::Met { handle, name, .. } = item {
                    assert!(self.may_be_seen(*handle, asked.as_ref()), "player {} sees {name}", self.watcher.viewer());
                }
            }
            self.looked = self.machine.log.len();
            self.items.extend(fresh);
            if let Some(step) = step {
                return step;
            }
        }
    }

    fn may_be_seen(&self, handle: u32, asked: Option<&Decision>) -> bool {
        let it = self.watcher.handles().object(handle).unwrap();
        let viewer = self.watcher.viewer();
        if self.is_open(it) {
            return true;
        }
        let happened = |wanted: &dyn Fn(u32, &[i64]) -> bool| {
            self.machine.log[self.looked..].iter().any(|record| match record {
                Record::Event { action, args, happened: true, .. } => wanted(*action, args),
                _ => false,
            })
        };
        let shown = happened(&|action, args| {
            args.first() == Some(&it.value()) && (action == REVEAL || action == LOOK && args[1] == viewer as i64)
        });
        let zone = self.machine.state.zone(it.slot()).unwrap();
        let shuffled = happened(&|action, args| action == SHUFFLE && args.first() == Some(&(zone as i64)));
        let searched = asked.is_some_and(|d| d.player == viewer && d.options.contains(&Choice::Object(it)));
        let earlier = ObjectRef::new(it.slot(), it.incarnation() - 1);
        let followed = !shuffled && self.watcher.handles().known(earlier).is_some();
        shown || searched || followed || self.shows_itself(it)
    }

    /// Whether the viewer may look into the zone of an object.
    fn is_open(&self, it: ObjectRef) -> bool {
        let zone = self.machine.state.zone(it.slot()).unwrap();
        match self.machine.program.zone_of(zone).unwrap().visibility {
            Visibility::Public => true,
            Visibility::Owner => self.machine.program.zone_owner(zone) == Some(self.watcher.viewer()),
            Visibility::Hidden => false,
        }
    }

    /// Where in a hidden order what the viewer is asked to search lies: whoever searches sees that.
    fn searched_places(&self, asked: &Decision) -> Vec<(usize, usize)> {
        let (state, program) = (&self.machine.state, &self.machine.program);
        let hidden = |it: &ObjectRef| state.exists(*it) && !self.is_open(*it);
        let objects = asked.options.iter().filter_map(|choice| match choice {
            Choice::Object(it) => Some(*it),
            _ => None,
        });
        objects
            .filter(hidden)
            .filter_map(|it| {
                let zone = state.zone(it.slot()).filter(|zone| program.zone_of(*zone).is_some_and(|zone| zone.ordered))?;
                let place = state.zone_items(program, zone).iter().position(|item| *item == it.0)?;
                Some((zone, place))
            })
            .collect()
    }

    /// Whether an ability of an object has gone to the list.
    fn shows_itself(&self, it: ObjectRef) -> bool {
        let (state, program) = (&self.machine.state, &self.machine.program);
        program.list.is_some_and(|list| {
            state.zone_items(program, list).iter().any(|item| {
                let entry = state.column(ObjectRef(*item).slot(), at::ENTRY) as usize;
                *item != it.0 && entry != 0 && state.block.get(entry + ENTRY_SOURCE) == it.0
            })
        })
    }

    fn answer(&mut self, decision: &Decision, picks: &[u32]) {
        self.watcher.answered(&self.machine, decision, picks);
        self.items.extend(self.watcher.take());
        self.machine.answer(picks).unwrap();
    }

    fn view(&mut self) -> View {
        view_with(&mut self.machine, self.watcher.viewer(), self.watcher.handles_mut())
    }

    /// What the viewer can tell of an option of another player's, so that the same can be looked for in another copy.
    fn meaning(&self, choice: Choice) -> Meaning {
        let (word, it) = match choice {
            Choice::Object(it) => (0, it),
            Choice::Play { play, object, face } => (u64::from(play) + 1 + (u64::from(face) << 40), object),
            Choice::Trigger { ability, source, about, nth } | Choice::Replacement { ability, source, about, nth } => {
                let about = self.watcher.handles().known(about).unwrap_or(0);
                (u64::from(ability) + (1 << 32) + (u64::from(nth) << 56) + ((about as u64) << 40), source)
            }
            Choice::Pair(it, side) => {
                let side = match side {
                    Side::Object(with) => Choice::Object(with),
                    Side::Player(seat) => Choice::Player(seat),
                };
                return Meaning::Pair(Box::new([self.meaning(Choice::Object(it)), self.meaning(side)]));
            }
            other => return Meaning::Plain(other),
        };
        let (state, program) = (&self.machine.state, &self.machine.program);
        if it.is_none() {
            return Meaning::Object(word, 0);
        }
        let zone = state.zone(it.slot());
        let followed = zone.is_none_or(|zone| self.is_open(it) || program.zone_of(zone).unwrap().ordered);
        match (self.watcher.handles().known(it), zone) {
            (Some(handle), _) if followed => Meaning::Object(word, handle),
            (_, Some(zone)) if state.exists(it) && program.zone_of(zone).unwrap().ordered => {
                let place = state.zone_items(program, zone).iter().position(|item| *item == it.0);
                // What is played will be seen: it must be the same card.
                let card = if matches!(choice, Choice::Play { .. }) { state.column(it.slot(), at::DEFINITION) } else { 0 };
                Meaning::Place(word, zone, place, card)
            }
            _ => Meaning::Card(word, zone, state.column(it.slot(), at::DEFINITION)),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Meaning {
    Plain(Choice),
    Pair(Box<[Meaning; 2]>),
    Object(u64, u32),
    Place(u64, usize, Option<usize>, u32),
    Card(u64, Option<usize>, u32),
}

/// The picks in `to` that mean the same as those in `from`.
fn translate(from: (&World, &Decision), to: (&World, &Decision), picks: &[u32]) -> Option<Vec<u32>> {
    if from.1.kind == DecisionKind::Number {
        return to.1.check(picks).is_ok().then(|| picks.to_vec());
    }
    let meanings: Vec<Meaning> = to.1.options.iter().map(|choice| to.0.meaning(*choice)).collect();
    if from.1.kind == DecisionKind::Divide {
        let same = from.1.options.iter().map(|choice| from.0.meaning(*choice)).eq(meanings);
        return (same && to.1.check(picks).is_ok()).then(|| picks.to_vec());
    }
    let mut found: Vec<u32> = Vec::new();
    for pick in picks {
        let wanted = from.0.meaning(from.1.options[*pick as usize]);
        let free = |i: &usize| to.1.repeats || !found.contains(&(*i as u32));
        let same = (0..meanings.len()).filter(free).find(|i| meanings[*i] == wanted)?;
        found.push(same as u32);
    }
    to.1.check(&found).is_ok().then_some(found)
}

/// The answer to a question that the other copy does not ask.
fn declined(decision: &Decision) -> Option<Vec<u32>> {
    let option = |wanted: Choice| decision.options.iter().position(|choice| *choice == wanted).map(|i| vec![i as u32]);
    match decision.kind {
        _ if decision.max == 0 => Some(Vec::new()),
        DecisionKind::Choose | DecisionKind::Modes if decision.min == 0 => Some(Vec::new()),
        DecisionKind::Act | DecisionKind::Replacement | DecisionKind::Trigger => option(Choice::Pass),
        DecisionKind::YesNo => option(Choice::No),
        _ => None,
    }
}

/// Why a comparison ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// The game was over in both copies.
    Over,
    /// A card that differs was met.
    Identity,
    /// A hidden card showed itself by an ability.
    Ability,
    /// An answer could not be translated.
    Untranslated,
    /// As far as comparisons go.
    Followed,
}

/// The first difference, if the streams differ so far: whether it is legitimate, or what is wrong.
fn difference(a: &World, b: &World, whole: bool) -> Result<Option<End>, String> {
    let differs = a.items.iter().zip(&b.items).position(|(x, y)| x != y);
    let Some(index) = differs else {
        if whole && a.items.len() != b.items.len() {
            let extra = a.items.get(b.items.len()).or_else(|| b.items.get(a.items.len()));
            return Err(format!("one stream goes on with {extra:?}"));
        }
        return Ok(None);
    };
    let (x, y) = (&a.items[index], &b.items[index]);
    if let (ViewEvent::Met { handle, name, owner, .. }, ViewEvent::Met { handle: handle_b, name: name_b, owner: owner_b, .. }) =
        (x, y)
        && (handle, owner) == (handle_b, owner_b)
        && name != name_b
    {
        return Ok(Some(End::Identity));
    }
    let shows_itself = |world: &World, item: &ViewEvent| match item {
        ViewEvent::Met { handle, .. } => {
            world.watcher.handles().object(*handle).is_some_and(|it| !world.is_open(it) && world.shows_itself(it))
        }
        _ => false,
    };
    if shows_itself(a, x) || shows_itself(b, y) {
        return Ok(Some(End::Ability));
    }
    let before = &a.items[index.saturating_sub(4)..index];
    let then = |world: &World| world.items[index + 1..].iter().take(3).cloned().collect::<Vec<_>>();
    Err(format!(
        "item {index} is\n  {x:?}\nand\n  {y:?}\nafter\n  {before:?}\nand then come\n  {:?}\nand\n  {:?}",
        then(a),
        then(b)
    ))
}

/// Plays both copies on with the same answers, from a decision of the viewer.
fn compare(a: &mut World, b: &mut World, players: &mut [Box<dyn Bot>]) -> Result<(End, usize), String> {
    let viewer = a.watcher.viewer();
    let pending = |world: &World| StepResult::Asked(world.machine.pending_decision());
    let (mut step_a, mut step_b) = (pending(a), pending(b));
    let mut followed = 0;
    loop {
        if let Some(end) = difference(a, b, false)? {
            return Ok((end, followed));
        }
        followed += 1;
        if followed > FOLLOWED {
            return Ok((End::Followed, followed));
        }
        match (&step_a, &step_b) {
            (StepResult::Over(_), StepResult::Over(_)) => {
                return difference(a, b, true).map(|end| (end.unwrap_or(End::Over), followed));
            }
            (StepResult::Asked(da), StepResult::Asked(db)) if da.player == viewer && db.player == viewer => {
                if let Some(end) = difference(a, b, true)? {
                    return Ok((end, followed));
                }
                let (da, db) = (da.clone(), db.clone());
                if a.searched_places(&da) != b.searched_places(&db) {
                    return Ok((End::Identity, followed));
                }
                let (view_a, view_b) = (a.view(), b.view());
                if view_a != view_b {
                    return Err(format!("the views differ:\n  {view_a:?}\nand\n  {view_b:?}"));
                }
                if followed % 4 == 0 && da.kind == DecisionKind::Act {
                    let why_a = refusals(&mut a.machine, a.watcher.handles(), &da);
                    let why_b = refusals(&mut b.machine, b.watcher.handles(), &db);
                    if why_a != why_b {
                        return Err(format!("the refusals differ:\n  {why_a:?}\nand\n  {why_b:?}"));
                    }
                }
                let picks = players[viewer].choose(&a.machine, &da);
                let (Some(seen_a), Some(seen_b)) = (view_a.decision, view_b.decision) else {
                    return Err("the viewer is asked without a question".into());
                };
                let same = seen_b.picks(&seen_a.options_of(&picks));
                if let Err(refusal) = db.check(&same) {
                    return Err(format!("the same answer is refused: {refusal}"));
                }
                a.answer(&da, &picks);
                b.answer(&db, &same);
                step_a = a.step();
                step_b = b.step();
            }
            (StepResult::Asked(da), StepResult::Asked(db)) if da.player != viewer && db.player != viewer && alike(da, db) => {
                let (da, db) = (da.clone(), db.clone());
                let mut pair = None;
                for _ in 0..20 {
                    let picks = players[da.player].choose(&a.machine, &da);
                    if let Some(same) = translate((a, &da), (b, &db), &picks) {
                        pair = Some((picks, same));
                        break;
                    }
                }
                let pass = || Some((declined(&da)?, declined(&db)?)).filter(|_| da.kind == DecisionKind::Act);
                let Some((picks, same)) = pair.or_else(pass) else { return Ok((End::Untranslated, followed)) };
                a.answer(&da, &picks);
                b.answer(&db, &same);
                step_a = a.step();
                step_b = b.step();
            }
            // Only one copy asks: it is the one that does not ask the viewer, nor in a window.
            (StepResult::Asked(da), _) if is_extra(da, &step_b, viewer) => {
                let da = da.clone();
                let Some(picks) = declined(&da) else { return Ok((End::Untranslated, followed)) };
                a.answer(&da, &picks);
                step_a = a.step();
            }
            (_, StepResult::Asked(db)) if is_extra(db, &step_a, viewer) => {
                let db = db.clone();
                let Some(picks) = declined(&db) else { return Ok((End::Untranslated, followed)) };
                b.answer(&db, &picks);
                step_b = b.step();
            }
            _ => {
                let end = difference(a, b, true)?;
                return match end {
                    Some(end) => Ok((end, followed)),
                    None => Err(format!("one copy is at {step_a:?}, the other at {step_b:?}")),
                };
            }
        }
    }
}

fn alike(a: &Decision, b: &Decision) -> bool {
    (a.player, a.kind, a.site) == (b.player, b.kind, b.site)
}

fn is_extra(decision: &Decision, other: &StepResult, viewer: usize) -> bool {
    decision.player != viewer
        && (decision.kind != DecisionKind::Act
            || !matches!(other, StepResult::Asked(other) if other.player != viewer && other.kind != DecisionKind::Act))
        && !matches!(other, StepResult::Asked(other) if alike(decision, other))
}

/// The decks with every other card exchanged for any card of the game, so that whatever a card can do with hidden things happens.
fn mixed(program: &Program, seats: &[SeatCards], game: u64) -> Vec<SeatCards> {
    let mut dice = Dice::new(derive(8, game, 0));
    let all: Vec<DefId> = (1..program.library.definitions.len())
        .filter(|card| !program.library.definitions[*card].token && !program.library.definitions[*card].part)
        .map(|card| DefId(card as u32))
        .collect();
    let mut seats = seats.to_vec();
    for card in seats.iter_mut().filter_map(|zones| zones.first_mut()).flat_map(|(_, cards)| cards.iter_mut().step_by(2)) {
        *card = all[dice.below(all.len() as u32) as usize];
    }
    seats
}

#[test]
fn a_stream_does_not_change_with_what_it_hides() {
    let mut told = String::new();
    let mut problems: Vec<String> = Vec::new();
    let tables = shipped::played(&FORMATS)
        .into_iter()
        .flat_map(|format| if format == "magic" { vec![(format, 2), (format, 4)] } else { vec![(format, 2)] });
    for (format, count) in tables {
        let (program, seats) = table_for(format, count);
        let mut ends: BTreeMap<End, (usize, usize)> = BTreeMap::new();
        for game in 0..if count == 2 { games(20) } else { games(20) / 4 } {
            let viewer = game as usize % count;
            let seats = if game % 4 < 2 { seats.clone() } else { mixed(&program, &seats, game) };
            let machine = start_seats(std::sync::Arc::clone(&program), &seats, derive(7, game, 0)).unwrap();
            let mut world = World::new(machine, viewer);
            let mut players = bots_for(count, 7, game);
            let mut dice = Dice::new(derive(7, game, 9));
            let mut starts = 0;
            while let StepResult::Asked(decision) = world.step() {
                let open = decision.player == viewer && decision.forced().is_none();
                if open && starts < 4 && dice.below(6) == 0 {
                    starts += 1;
                    // Every other time only the other player's cards differ: then the viewer's draws do not end the comparison.
                    let copy = |seed: u64| {
                        let mut other = world.clone();
                        other.machine = if starts % 2 == 0 {
                            determinise(&world.machine, viewer, seed)
                        } else {
                            determinise_some(&world.machine, viewer, seed, |owner| owner != viewer)
                        };
                        for word in [at::SEED, at::SEED + 1] {
                            let chance = world.machine.state.block.get(word);
                            other.machine.state.block.set(word, chance);
                        }
                        other.items.clear();
                        other
                    };
                    let (mut a, mut b) = (copy(derive(game, starts, 1)), copy(derive(game, starts, 2)));
                    assert_eq!(world.view(), a.view(), "{format}, game {game}: the view before");
                    match compare(&mut a, &mut b, &mut bots_for(count, derive(game, starts, 3), game)) {
                        Ok((end, followed)) => {
                            let count = ends.entry(end).or_default();
                            *count = (count.0 + 1, count.1 + followed);
                        }
                        Err(problem) => problems.push(format!("{format}, game {game}, comparison {starts}: {problem}")),
                    }
                }
                let picks = decision.forced().unwrap_or_else(|| players[decision.player].choose(&world.machine, &decision));
                world.answer(&decision, &picks);
                world.items.clear();
            }
        }
        told += &format!("{format} for {count}: {ends:?} (how often, decisions followed)\n");
    }
    println!("{told}");
    let shown = problems.iter().take(5).map(String::as_str).collect::<Vec<_>>().join("\n\n");
    assert!(problems.is_empty(), "{} comparisons fail, the first of them:\n{shown}", problems.len());
}
