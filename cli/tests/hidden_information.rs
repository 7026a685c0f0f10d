//! Non-interference test of hidden information: if two games differ only in what a player cannot know, that player's views and event
//! streams are equal.
//!
//! At random decisions of random games, the state is determinised twice for the player who must answer (the viewer). Both copies continue
//! with the same answers and the same random numbers. Their event streams are compared item by item; at the viewer's decisions, also views and
//! refusals.
//!
//! The viewer's own answers are the options that look the same in both copies. The answer of another player is chosen in the first copy and
//! *translated*. An object that the viewer can identify must have the same handle. An object in a hidden order must have the same position,
//! and any other hidden object the same card. A decision that only one copy has (about hidden cards) is declined.
//!
//! A difference ends the comparison and is legitimate only in these cases:
//! - The viewer meets an object at that item, with the same handle and owner but another name (its destination may follow from its own
//!   text).
//! - The viewer finds an object at another position while searching a hidden order.
//! - An ability of a hidden card has just been put on the list, which shows the card.
//! - An answer could not be translated, or a decision of only one copy could not be declined.
//!
//! In addition, each object that a stream shows is checked by rules that are independent of the stream's implementation
//! ([`WatchedGame::may_meet`]).
//!
//! Half of the games use the decks of the packs, half use decks with random cards of the game.
//!
//! `FIZZLE_GAMES` sets how many games of each family are played, `FIZZLE_FORMAT` names the only format that is played.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs)]

#[allow(dead_code, reason = "each test uses a part of the module")]
mod shipped;

use fizzle_bots::Bot;
use fizzle_runtime::dice::{Dice, derive};
use fizzle_runtime::game::{SeatCards, start_seats};
use fizzle_runtime::ir::ObjectRef;
use fizzle_runtime::ir::verbs::{LOOK, REVEAL, SHUFFLE};
use fizzle_runtime::ir::{DefId, Visibility};
use fizzle_runtime::program::Program;
use fizzle_runtime::records::ENTRY_SOURCE;
use fizzle_runtime::state::layout as at;
use fizzle_runtime::view::event_stream::{Observer, ViewEvent};
use fizzle_runtime::view::{View, determinise, determinise_some, refusals, view_with};
use fizzle_runtime::vm::decision::{Choice, Decision, DecisionKind, Side};
use fizzle_runtime::vm::{Machine, Record, StepResult};
use shipped::{FORMATS, bots_for, game_count, game_setup_for};
use std::collections::BTreeMap;

/// The maximal number of decisions that a comparison follows.
const MAX_FOLLOWED_DECISIONS: usize = 400;

/// A game with an observer for one player, the viewer.
#[derive(Clone)]
struct WatchedGame {
    machine: Machine,
    observer: Observer,
    items: Vec<ViewEvent>,
    /// The length of the log at the observer's last update.
    log_start: usize,
}

impl WatchedGame {
    fn new(mut machine: Machine, viewer: usize) -> Self {
        let observer = Observer::new(&mut machine, viewer);
        Self { machine, observer, items: Vec::new(), log_start: 0 }
    }

    /// Runs to the next decision. Each object that the observer meets on the way must be one that the viewer may see.
    fn step(&mut self) -> StepResult {
        loop {
            let step = self.machine.tick();
            let decision = match &step {
                Some(StepResult::Decision(decision)) => Some(decision.clone()),
                _ => None,
            };
            self.observer.observe_step(&mut self.machine);
            if let Some(decision) = &decision {
                self.observer.observe_decision(&mut self.machine, decision);
            }
            let new_items = self.observer.take_events();
            for item in &new_items {
                if let ViewEvent::Met { handle, name, .. } = item {
                    let it = self.observer.handles().object(*handle).unwrap();
                    let is_known = self.machine.state.is_known(&self.machine.program, self.observer.viewer(), it.slot());
                    assert!(is_known || name.is_empty(), "player {} reads {name}", self.observer.viewer());
                    assert!(self.may_meet(*handle, decision.as_ref()), "player {} sees {name}", self.observer.viewer());
                }
            }
            self.log_start = self.machine.log.len();
            self.items.extend(new_items);
            if let Some(step) = step {
                return step;
            }
        }
    }

    /// Whether the viewer may see an object. It is in a visible zone, was just revealed or shown to the viewer, or is an option of the
    /// viewer's decision. Or it was known before it moved and was not shuffled since, or an ability of it is on the list.
    fn may_meet(&self, handle: u32, decision: Option<&Decision>) -> bool {
        let it = self.observer.handles().object(handle).unwrap();
        let viewer = self.observer.viewer();
        if self.is_in_visible_zone(it) {
            return true;
        }
        let was_logged = |wanted: &dyn Fn(u32, &[i64]) -> bool| {
            self.machine.log[self.log_start..].iter().any(|record| match record {
                Record::Event { action, args, happened: true, .. } => wanted(*action, args),
                _ => false,
            })
        };
        let shown = was_logged(&|action, args| {
            args.first() == Some(&it.value()) && (action == REVEAL || action == LOOK && args[1] == viewer as i64)
        });
        let zone = self.machine.state.zone(it.slot()).unwrap();
        let shuffled = was_logged(&|action, args| action == SHUFFLE && args.first() == Some(&(zone as i64)));
        let searched = decision.is_some_and(|d| d.player == viewer && d.options.contains(&Choice::Object(it)));
        let earlier = ObjectRef::new(it.slot(), it.incarnation() - 1);
        let followed = !shuffled && self.observer.handles().handle(earlier).is_some();
        shown || searched || followed || self.is_shown_by_ability(it)
    }

    /// Whether the zone of an object is public, or visible to its owner and owned by the viewer.
    fn is_in_visible_zone(&self, it: ObjectRef) -> bool {
        let zone = self.machine.state.zone(it.slot()).unwrap();
        match self.machine.program.zone_of(zone).unwrap().visibility {
            Visibility::Public => true,
            Visibility::Owner => self.machine.program.zone_owner(zone) == Some(self.observer.viewer()),
            Visibility::Hidden => false,
        }
    }

    /// The zones and positions of hidden options of the viewer's decision in ordered zones. A player who searches a zone sees these.
    fn searched_positions(&self, decision: &Decision) -> Vec<(usize, usize)> {
        let (state, program) = (&self.machine.state, &self.machine.program);
        let hidden = |it: &ObjectRef| state.exists(*it) && !self.is_in_visible_zone(*it);
        let objects = decision.options.iter().filter_map(|choice| match choice {
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

    /// Whether an ability of the object is on the list.
    fn is_shown_by_ability(&self, it: ObjectRef) -> bool {
        let (state, program) = (&self.machine.state, &self.machine.program);
        program.list.is_some_and(|list| {
            state.zone_items(program, list).iter().any(|item| {
                let entry = state.column(ObjectRef(*item).slot(), at::ENTRY) as usize;
                *item != it.0 && entry != 0 && state.block.get(entry + ENTRY_SOURCE) == it.0
            })
        })
    }

    fn answer(&mut self, decision: &Decision, picks: &[u32]) {
        self.observer.observe_answer(&self.machine, decision, picks);
        self.items.extend(self.observer.take_events());
        self.machine.answer(picks).unwrap();
    }

    fn view(&mut self) -> View {
        view_with(&mut self.machine, self.observer.viewer(), self.observer.handles_mut())
    }

    /// What the viewer can distinguish of another player's option. [`translate`] searches for it in the other copy.
    fn option_meaning(&self, choice: Choice) -> OptionMeaning {
        let (word, it) = match choice {
            Choice::Object(it) => (0, it),
            Choice::Producer(it) => (u64::MAX, it),
            Choice::Play { play, object, face } => (u64::from(play) + 1 + (u64::from(face) << 40), object),
            Choice::Trigger { ability, source, about, nth } | Choice::Replacement { ability, source, about, nth } => {
                let about = self.observer.handles().handle(about).unwrap_or(0);
                (u64::from(ability) + (1 << 32) + (u64::from(nth) << 56) + ((about as u64) << 40), source)
            }
            Choice::Pair(it, side) => {
                let side = match side {
                    Side::Object(with) => Choice::Object(with),
                    Side::Player(seat) => Choice::Player(seat),
                };
                return OptionMeaning::Pair(Box::new([self.option_meaning(Choice::Object(it)), self.option_meaning(side)]));
            }
            other => return OptionMeaning::Plain(other),
        };
        let (state, program) = (&self.machine.state, &self.machine.program);
        if it.is_none() {
            return OptionMeaning::Object(word, 0);
        }
        let zone = state.zone(it.slot());
        let followed = zone.is_none_or(|zone| self.is_in_visible_zone(it) || program.zone_of(zone).unwrap().ordered);
        match (self.observer.handles().handle(it), zone) {
            (Some(handle), _) if followed => OptionMeaning::Object(word, handle),
            (_, Some(zone)) if state.exists(it) && program.zone_of(zone).unwrap().ordered => {
                let place = state.zone_items(program, zone).iter().position(|item| *item == it.0);
                // A played card becomes visible, so it must be the same card.
                let card = if matches!(choice, Choice::Play { .. }) { state.column(it.slot(), at::DEFINITION) } else { 0 };
                OptionMeaning::Place(word, zone, place, card)
            }
            _ => OptionMeaning::Card(word, zone, state.column(it.slot(), at::DEFINITION)),
        }
    }
}

/// An option as the viewer can distinguish it. The first number of an object's variant encodes what is done with the object.
#[derive(Clone, Debug, PartialEq)]
enum OptionMeaning {
    Plain(Choice),
    Pair(Box<[OptionMeaning; 2]>),
    Object(u64, u32),
    Place(u64, usize, Option<usize>, u32),
    Card(u64, Option<usize>, u32),
}

/// Translates picks: finds the options of `to` that have the same meaning as those of `from`. `None` if there are none or they are not
/// legal.
fn translate(from: (&WatchedGame, &Decision), to: (&WatchedGame, &Decision), picks: &[u32]) -> Option<Vec<u32>> {
    if from.1.kind == DecisionKind::Number {
        return to.1.check(picks).is_ok().then(|| picks.to_vec());
    }
    let meanings: Vec<OptionMeaning> = to.1.options.iter().map(|choice| to.0.option_meaning(*choice)).collect();
    if from.1.kind == DecisionKind::Divide {
        let same = from.1.options.iter().map(|choice| from.0.option_meaning(*choice)).eq(meanings);
        return (same && to.1.check(picks).is_ok()).then(|| picks.to_vec());
    }
    let mut found: Vec<u32> = Vec::new();
    for pick in picks {
        let wanted = from.0.option_meaning(from.1.options[*pick as usize]);
        let free = |i: &usize| to.1.repeats || !found.contains(&(*i as u32));
        let same = (0..meanings.len()).filter(free).find(|i| meanings[*i] == wanted)?;
        found.push(same as u32);
    }
    to.1.check(&found).is_ok().then_some(found)
}

/// The picks that decline a decision which the other copy does not have; `None` if it cannot be declined.
fn declining_picks(decision: &Decision) -> Option<Vec<u32>> {
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
enum ComparisonEnd {
    /// The game was over in both copies.
    GameOver,
    /// The viewer met a card that differs between the copies.
    DifferentIdentity,
    /// An ability on the list shows a hidden card.
    ShownByAbility,
    /// An answer could not be translated.
    UntranslatableAnswer,
    /// [`MAX_FOLLOWED_DECISIONS`] was reached.
    DecisionLimit,
}

/// Compares the streams. Returns `None` if they are equal so far, or the reason why their first difference is legitimate. `whole`
/// requires equal lengths, too.
///
/// # Errors
/// A description of the first difference if it is not legitimate.
fn difference(a: &WatchedGame, b: &WatchedGame, whole: bool) -> Result<Option<ComparisonEnd>, String> {
    let differs = a.items.iter().zip(&b.items).position(|(x, y)| x != y);
    let Some(index) = differs else {
        if whole && a.items.len() != b.items.len() {
            let extra = a.items.get(b.items.len()).or_else(|| b.items.get(a.items.len()));
            return Err(format!("one stream continues with {extra:?}"));
        }
        return Ok(None);
    };
    let (x, y) = (&a.items[index], &b.items[index]);
    if let (ViewEvent::Met { handle, name, owner, .. }, ViewEvent::Met { handle: handle_b, name: name_b, owner: owner_b, .. }) =
        (x, y)
        && (handle, owner) == (handle_b, owner_b)
        && name != name_b
    {
        return Ok(Some(ComparisonEnd::DifferentIdentity));
    }
    let is_shown = |watched: &WatchedGame, item: &ViewEvent| match item {
        ViewEvent::Met { handle, .. } => watched
            .observer
            .handles()
            .object(*handle)
            .is_some_and(|it| !watched.is_in_visible_zone(it) && watched.is_shown_by_ability(it)),
        _ => false,
    };
    if is_shown(a, x) || is_shown(b, y) {
        return Ok(Some(ComparisonEnd::ShownByAbility));
    }
    let before = &a.items[index.saturating_sub(4)..index];
    let then = |watched: &WatchedGame| watched.items[index + 1..].iter().take(3).cloned().collect::<Vec<_>>();
    Err(format!(
        "item {index} is\n  {x:?}\nand\n  {y:?}\nafter\n  {before:?}\nand then come\n  {:?}\nand\n  {:?}",
        then(a),
        then(b)
    ))
}

/// Continues both copies with the same answers from a decision of the viewer. Returns why the comparison ended, and after how many
/// decisions.
///
/// # Errors
/// A description of the first illegitimate difference.
fn compare(a: &mut WatchedGame, b: &mut WatchedGame, players: &mut [Box<dyn Bot>]) -> Result<(ComparisonEnd, usize), String> {
    let viewer = a.observer.viewer();
    let pending = |watched: &WatchedGame| StepResult::Decision(watched.machine.pending_decision());
    let (mut step_a, mut step_b) = (pending(a), pending(b));
    let mut followed = 0;
    loop {
        if let Some(end) = difference(a, b, false)? {
            return Ok((end, followed));
        }
        followed += 1;
        if followed > MAX_FOLLOWED_DECISIONS {
            return Ok((ComparisonEnd::DecisionLimit, followed));
        }
        match (&step_a, &step_b) {
            (StepResult::Over(_), StepResult::Over(_)) => {
                return difference(a, b, true).map(|end| (end.unwrap_or(ComparisonEnd::GameOver), followed));
            }
            (StepResult::Decision(da), StepResult::Decision(db)) if da.player == viewer && db.player == viewer => {
                if let Some(end) = difference(a, b, true)? {
                    return Ok((end, followed));
                }
                let (da, db) = (da.clone(), db.clone());
                if a.searched_positions(&da) != b.searched_positions(&db) {
                    return Ok((ComparisonEnd::DifferentIdentity, followed));
                }
                let (view_a, view_b) = (a.view(), b.view());
                if view_a != view_b {
                    return Err(format!("the views differ:\n  {view_a:?}\nand\n  {view_b:?}"));
                }
                if followed % 4 == 0 && da.kind == DecisionKind::Act {
                    let why_a = refusals(&mut a.machine, a.observer.handles(), &da);
                    let why_b = refusals(&mut b.machine, b.observer.handles(), &db);
                    if why_a != why_b {
                        return Err(format!("the refusals differ:\n  {why_a:?}\nand\n  {why_b:?}"));
                    }
                }
                let picks = players[viewer].choose(&a.machine, &da);
                let (Some(seen_a), Some(seen_b)) = (view_a.decision, view_b.decision) else {
                    return Err("a view shows no decision to the viewer who must answer".into());
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
            (StepResult::Decision(da), StepResult::Decision(db))
                if da.player != viewer && db.player != viewer && is_same_question(da, db) =>
            {
                let (da, db) = (da.clone(), db.clone());
                let mut pair = None;
                for _ in 0..20 {
                    // What is proposed depends on the hand of the player who pays, as every choice may. The others see which producers pay.
                    let producer = da.options.iter().position(|choice| matches!(choice, Choice::Producer(_)));
                    let chosen = producer.filter(|_| da.kind == DecisionKind::Pay).map(|option| vec![option as u32]);
                    let picks = chosen.unwrap_or_else(|| players[da.player].choose(&a.machine, &da));
                    if let Some(same) = translate((a, &da), (b, &db), &picks) {
                        pair = Some((picks, same));
                        break;
                    }
                }
                let pass = || Some((declining_picks(&da)?, declining_picks(&db)?)).filter(|_| da.kind == DecisionKind::Act);
                let Some((picks, same)) = pair.or_else(pass) else { return Ok((ComparisonEnd::UntranslatableAnswer, followed)) };
                a.answer(&da, &picks);
                b.answer(&db, &same);
                step_a = a.step();
                step_b = b.step();
            }
            // Only one copy has this decision. It is declined in that copy.
            (StepResult::Decision(da), _) if is_extra(da, &step_b, viewer) => {
                let da = da.clone();
                let Some(picks) = declining_picks(&da) else { return Ok((ComparisonEnd::UntranslatableAnswer, followed)) };
                a.answer(&da, &picks);
                step_a = a.step();
            }
            (_, StepResult::Decision(db)) if is_extra(db, &step_a, viewer) => {
                let db = db.clone();
                let Some(picks) = declining_picks(&db) else { return Ok((ComparisonEnd::UntranslatableAnswer, followed)) };
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

fn is_same_question(a: &Decision, b: &Decision) -> bool {
    (a.player, a.kind, a.site) == (b.player, b.kind, b.site)
}

/// Whether only one copy has a decision. It is not the viewer's, the other copy has a different one, and they are not both windows of
/// other players.
fn is_extra(decision: &Decision, other: &StepResult, viewer: usize) -> bool {
    decision.player != viewer
        && (decision.kind != DecisionKind::Act
            || !matches!(other, StepResult::Decision(other) if other.player != viewer && other.kind != DecisionKind::Act))
        && !matches!(other, StepResult::Decision(other) if is_same_question(decision, other))
}

/// Replaces every other card of the decks by a random card of the game, so that all effects on hidden information occur.
fn mix_decks(program: &Program, seats: &[SeatCards], game: u64) -> Vec<SeatCards> {
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
fn view_streams_do_not_depend_on_hidden_cards() {
    let mut summary = String::new();
    let mut problems: Vec<String> = Vec::new();
    let tables = shipped::selected_formats(&FORMATS)
        .into_iter()
        .flat_map(|format| if format == "magic" { vec![(format, 2), (format, 4)] } else { vec![(format, 2)] });
    for (format, count) in tables {
        let (program, seats) = game_setup_for(format, count);
        let mut ends: BTreeMap<ComparisonEnd, (usize, usize)> = BTreeMap::new();
        for game in 0..if count == 2 { game_count(20) } else { game_count(20) / 4 } {
            let viewer = game as usize % count;
            let seats = if game % 4 < 2 { seats.clone() } else { mix_decks(&program, &seats, game) };
            let machine = start_seats(std::sync::Arc::clone(&program), &seats, derive(7, game, 0)).unwrap();
            let mut watched = WatchedGame::new(machine, viewer);
            let mut players = bots_for(count, 7, game);
            let mut dice = Dice::new(derive(7, game, 9));
            let mut starts = 0;
            while let StepResult::Decision(decision) = watched.step() {
                let open = decision.player == viewer && decision.forced().is_none();
                if open && starts < 4 && dice.below(6) == 0 {
                    starts += 1;
                    // Every other time only the other players' cards differ, so that the viewer's draws do not end the comparison.
                    let copy = |seed: u64| {
                        let mut other = watched.clone();
                        other.machine = if starts % 2 == 0 {
                            determinise(&watched.machine, viewer, seed)
                        } else {
                            determinise_some(&watched.machine, viewer, seed, |owner| owner != viewer)
                        };
                        for word in [at::SEED, at::SEED + 1] {
                            let chance = watched.machine.state.block.get(word);
                            other.machine.state.block.set(word, chance);
                        }
                        other.items.clear();
                        other
                    };
                    let (mut a, mut b) = (copy(derive(game, starts, 1)), copy(derive(game, starts, 2)));
                    assert_eq!(watched.view(), a.view(), "{format}, game {game}: the view before");
                    match compare(&mut a, &mut b, &mut bots_for(count, derive(game, starts, 3), game)) {
                        Ok((end, followed)) => {
                            let count = ends.entry(end).or_default();
                            *count = (count.0 + 1, count.1 + followed);
                        }
                        Err(problem) => problems.push(format!("{format}, game {game}, comparison {starts}: {problem}")),
                    }
                }
                let picks = decision.forced().unwrap_or_else(|| players[decision.player].choose(&watched.machine, &decision));
                watched.answer(&decision, &picks);
                watched.items.clear();
            }
        }
        summary += &format!("{format} for {count}: {ends:?} (how often, decisions followed)\n");
    }
    println!("{summary}");
    let shown = problems.iter().take(5).map(String::as_str).collect::<Vec<_>>().join("\n\n");
    assert!(problems.is_empty(), "{} comparisons fail, the first of them:\n{shown}", problems.len());
}
