//! The event log of a person: the visible events since the person's last decision in words. Turns, announcements, declarations, choices,
//! moves and amounts.

use crate::commands::explain::{self, Language};
use crate::output;
use fizzle_runtime::ir::verbs::VERBS;
use fizzle_runtime::ir::{ActionId, CompiledGame, Format, Op, Type};
use fizzle_runtime::program::Program;
use fizzle_runtime::view::event_stream::{ChosenValue, EventArg, ViewEvent, ZoneName};
use fizzle_runtime::view::{period_name, seat_name};
use std::collections::{BTreeMap, BTreeSet};

/// The most lines that are printed at once.
const MAX_LINES_SHOWN: usize = 40;

/// The events of a game as one person sees them, and the names of the objects that the person has met.
#[derive(Clone, Debug)]
pub struct EventLog {
    names: BTreeMap<u32, String>,
    /// The seat of the person.
    seat: usize,
    /// Several people read the log, so no player is called `you`.
    hot_seat: bool,
    /// The names of the actions of declarations, and of actions that count as one.
    declared_actions: BTreeSet<String>,
    /// The line of the step that began, printed before the first event in it.
    pending_step: Option<String>,
    /// Objects in bookkeeping zones (names with `_`): the zone that each came from, by its number there.
    origins: BTreeMap<u32, String>,
    /// The lines of the whole game, each with the number of its repetitions.
    log: Vec<(String, usize)>,
    /// The number of lines before the most recent ones.
    shown_count: usize,
}

impl EventLog {
    /// Creates the empty log of a seat.
    pub fn new(seat: usize, hot_seat: bool, program: &Program) -> Self {
        let functions = program.library.functions.present();
        let declares = functions.flat_map(|function| &function.ops).filter_map(|op| match op {
            Op::Declare(it) => Some(it.action),
            _ => None,
        });
        let wanted: BTreeSet<ActionId> = declares.collect();
        let actions = &program.format.actions;
        // an action that counts as a declared one is declared as well
        let is_declared = |mut at: usize| {
            for _ in 0..actions.len() {
                if wanted.contains(&ActionId(at as u32)) {
                    return true;
                }
                let Some(parent) = actions.get(at).and_then(|action| action.parent) else { return false };
                at = parent.index();
            }
            false
        };
        let declared = (0..actions.len()).filter(|number| is_declared(*number));
        let declared = declared.filter_map(|number| actions.get(number)).map(|action| action.name.clone()).collect();
        Self {
            names: BTreeMap::new(),
            seat,
            hot_seat,
            declared_actions: declared,
            pending_step: None,
            origins: BTreeMap::new(),
            log: Vec::new(),
            shown_count: 0,
        }
    }

    /// The name of the object with a number, if the person has met it.
    pub fn name(&self, handle: u32) -> Option<&str> {
        self.names.get(&handle).map(String::as_str)
    }

    /// Adds events, and prints them.
    pub fn print_new_events(&mut self, items: &[ViewEvent], format: &Format, game: &CompiledGame) {
        self.skip_events(items, format, game);
        let lines = self.log.get(self.shown_count..).unwrap_or(&[]);
        let skipped = lines.len().saturating_sub(MAX_LINES_SHOWN);
        if !lines.is_empty() {
            output::line("");
        }
        if skipped > 0 {
            output::line(format!("  … {skipped} earlier lines: `log` shows them"));
        }
        print_lines(lines.get(skipped..).unwrap_or(&[]));
    }

    /// Adds events without printing them.
    pub fn skip_events(&mut self, items: &[ViewEvent], format: &Format, game: &CompiledGame) {
        let lines = self.lines(items, format, game);
        self.shown_count = self.log.len();
        self.log.extend(lines);
    }

    /// Removes all events, because the game is replayed. The names stay.
    pub fn clear(&mut self) {
        (self.pending_step, self.shown_count) = (None, 0);
        self.origins.clear();
        self.log.clear();
    }

    /// Prints the events again: since the last answer, or of the whole game.
    pub fn print_again(&self, all: bool) {
        let lines = self.log.get(if all { 0 } else { self.shown_count }..).unwrap_or(&[]);
        if lines.is_empty() {
            output::line(if all {
                "nothing has happened yet"
            } else {
                "nothing has happened since your last answer; `log all` shows the whole game"
            });
        }
        print_lines(lines);
    }

    fn record_names(&mut self, items: &[ViewEvent]) {
        for item in items {
            if let ViewEvent::Met { handle, name, .. } = item {
                self.names.insert(*handle, name.clone());
            }
        }
    }

    fn lines(&mut self, items: &[ViewEvent], format: &Format, game: &CompiledGame) -> Vec<(String, usize)> {
        // An object may be met after its own move event.
        self.record_names(items);
        let mut lines: Vec<(String, usize)> = Vec::new();
        for item in items {
            if let Some(turn) = self.turn_line(item) {
                lines.push((turn, 1));
                continue;
            }
            if self.is_bookkeeping_move(item) {
                continue;
            }
            let Some(line) = self.event_line(item, format, game) else { continue };
            if let Some(step) = self.pending_step.take() {
                lines.push((step, 1));
            }
            match lines.last_mut() {
                Some((last, times)) if *last == line => *times += 1,
                _ => lines.push((line, 1)),
            }
        }
        lines
    }

    /// The line of a turn that begins. The line of a step is kept in `pending_step` until an event in it.
    fn turn_line(&mut self, item: &ViewEvent) -> Option<String> {
        let ViewEvent::Event { action, args, .. } = item else { return None };
        let ("begin", [EventArg::Word(path), EventArg::Player(Some(who))]) = (action.as_str(), args.as_slice()) else {
            return None;
        };
        let step = period_name(path);
        if step.is_empty() {
            self.pending_step = None;
            return Some(format!("{} turn begins", self.whose(*who)));
        }
        self.pending_step = Some(format!("{} {step}:", self.whose(*who)));
        None
    }

    /// Whether an event moves an object into a bookkeeping zone. Such a move is printed when the object leaves that zone.
    fn is_bookkeeping_move(&mut self, item: &ViewEvent) -> bool {
        let ViewEvent::Event { action, args, .. } = item else { return false };
        let ("put" | "shift", [EventArg::Object { handle, became }, EventArg::Zone(into), rest @ ..]) =
            (action.as_str(), args.as_slice())
        else {
            return false;
        };
        if !into.name.starts_with('_') {
            return false;
        }
        let from = handle.and_then(|handle| self.origins.get(&handle).cloned()).or_else(|| {
            let from = rest.iter().find_map(|arg| if let EventArg::Zone(zone) = arg { Some(zone) } else { None })?;
            Some(self.place(from))
        });
        if let (Some(became), Some(from)) = (became, from) {
            self.origins.insert(*became, from);
        }
        true
    }

    fn event_line(&self, item: &ViewEvent, format: &Format, game: &CompiledGame) -> Option<String> {
        match item {
            ViewEvent::Event { action, args, source, cause } => {
                let of = |verb: &str| {
                    args.iter().find_map(|arg| if let EventArg::Player(Some(who)) = arg { Some(*who) } else { None }).map(|who| {
                        let by = source.map_or_else(String::new, |source| format!(", by {}", self.object(source)));
                        format!(
                            "{} {}{by}",
                            self.player(who),
                            if self.is_you(who) { verb.to_owned() } else { format!("{verb}s") }
                        )
                    })
                };
                match action.as_str() {
                    "win" => of("win"),
                    "lose" => of("lose"),
                    _ => {
                        self.described_event(action, args, format, game).or_else(|| self.action_line(action, args, cause, format))
                    }
                }
            }
            ViewEvent::Triggered { source: Some(source), .. } => Some(format!("{} triggers", self.object(*source))),
            ViewEvent::Chosen { objects, hidden, others, .. } if objects.len() + hidden.len() + others.len() > 0 => {
                let objects = objects.iter().map(|handle| self.object(*handle));
                let hidden = hidden.iter().map(|(zone, place)| format!("number {place} from the bottom in {}", self.place(zone)));
                let others = others.iter().map(|other| self.chosen_value(*other, game));
                Some(format!("  choosing {}", objects.chain(hidden).chain(others).collect::<Vec<_>>().join(", ")))
            }
            ViewEvent::TookBack { player } => Some(format!(
                "{} that back",
                if self.is_you(*player) { "you take".into() } else { seat_name(*player) + " takes" }
            )),
            _ => None,
        }
    }

    /// Describes a chosen value that is not an object: a player, a mode by its text, or a share.
    fn chosen_value(&self, other: ChosenValue, game: &CompiledGame) -> String {
        match other {
            ChosenValue::Player(seat) => self.player(seat),
            ChosenValue::Mode { site, mode } => {
                let words = explain::prompt(game, site, Language::En).and_then(|prompt| prompt.modes.get(mode as usize));
                words.map_or_else(|| format!("mode {}", mode + 1), |words| format!("“{}”", words.trim_end_matches('.')))
            }
            ChosenValue::Share(share) => format!("a share of {share}"),
        }
    }

    fn described_event(&self, action: &str, args: &[EventArg], format: &Format, game: &CompiledGame) -> Option<String> {
        match (action, args) {
            ("announce", [EventArg::Player(Some(who)), it, .., EventArg::Word(play)]) => {
                let it = self.moved_object(it)?;
                Some(format!("{}: {} {it}", self.player(*who), play.replace('_', " ")))
            }
            ("fizzle", [.., it @ EventArg::Object { .. }]) => Some(format!("{} fizzles", self.argument(it)?)),
            ("put" | "shift", [it, EventArg::Zone(into), rest @ ..]) => {
                let from = rest.iter().find_map(|arg| if let EventArg::Zone(zone) = arg { Some(zone) } else { None });
                // moves from the list are printed without their origin: the announcement was printed before
                let waited = |from: &ZoneName| game.library.zones.iter().any(|zone| zone.list && zone.name == from.name);
                let passed =
                    if let EventArg::Object { handle: Some(handle), .. } = it { self.origins.get(handle).cloned() } else { None };
                let from = passed.or_else(|| from.filter(|from| !waited(from)).map(|from| self.place(from)));
                let it = self.moved_object(it).unwrap_or_else(|| "a card".to_owned());
                let from = from.filter(|from| !from.is_empty()).map_or_else(String::new, |from| format!(" from {from}"));
                Some(format!("{it}{from} into {}", self.place(into)))
            }
            ("pick" | "create" | "erase" | "reveal" | "shuffle", _) => None,
            // Events with an amount: damage, life, counters.
            _ if !action.starts_with('_') && args.iter().any(|arg| matches!(arg, EventArg::Number(1..))) => {
                let about = args.iter().any(|arg| matches!(arg, EventArg::Player(Some(_)) | EventArg::Object { .. }));
                let declared = format.actions.iter().find(|declared| declared.name == action).map(|declared| &declared.params);
                let declared = declared.filter(|params| params.len() == args.len());
                let args = args.iter().enumerate().filter_map(|(index, arg)| {
                    let (name, ty) = declared.and_then(|params| params.get(index)).map_or(("", Type::Number), |(n, ty)| (n, *ty));
                    // A true argument is shown by its name, a false one not at all.
                    match (ty, arg) {
                        (Type::Bool, EventArg::Number(0)) => None,
                        (Type::Bool, EventArg::Number(_)) => Some(name.to_owned()),
                        _ => self.argument(arg),
                    }
                });
                let args: Vec<String> = args.collect();
                about.then(|| format!("{}: {}", action.replace('_', " "), args.join(", ")))
            }
            _ => None,
        }
    }

    /// The line of an action: an action or declaration of an object, an effect on an object, or a rule that concerns two things.
    fn action_line(&self, action: &str, args: &[EventArg], cause: &str, format: &Format) -> Option<String> {
        if action.starts_with('_') || VERBS.iter().any(|verb| verb.name == action) {
            return None;
        }
        let is_thing = |arg: &&EventArg| matches!(arg, EventArg::Player(_) | EventArg::Object { .. });
        let things: Vec<String> = args.iter().filter(is_thing).filter_map(|arg| self.argument(arg)).collect();
        let is_object = |arg: &EventArg| matches!(arg, EventArg::Object { .. });
        let what = action.replace('_', " ");
        let acts = self.declared_actions.contains(action)
            || format.actions.iter().any(|known| known.name == action && known.acting_param == Some(0));
        if acts
            && args.first().is_some_and(is_object)
            && let Some((first, others)) = things.split_first()
        {
            let others = if others.is_empty() { String::new() } else { format!(" → {}", others.join(", ")) };
            return Some(format!("{first}: {what}{others}"));
        }
        let is_shown = match cause {
            "effect" => !things.is_empty(),
            "rule" => things.len() > 1,
            _ => false,
        };
        (is_shown && args.iter().any(is_object)).then(|| format!("{what}: {}", things.join(", ")))
    }

    fn argument(&self, arg: &EventArg) -> Option<String> {
        match arg {
            EventArg::Number(number) => Some(number.to_string()),
            EventArg::Player(player) => player.map(|player| self.player(player)),
            EventArg::Zone(zone) => Some(self.place(zone)).filter(|text| !text.is_empty()),
            // the number at the time of the event; the object may have moved since
            EventArg::Object { handle, became } => handle.or(*became).map(|handle| self.object(handle)),
            EventArg::Word(word) => Some(word.clone()).filter(|word| !word.is_empty()),
        }
    }

    /// The object that moved, by its new number.
    fn moved_object(&self, arg: &EventArg) -> Option<String> {
        match arg {
            EventArg::Object { handle, became } => became.or(*handle).map(|handle| self.object(handle)),
            other => self.argument(other),
        }
    }

    fn object(&self, handle: u32) -> String {
        format!("{} #{handle}", self.names.get(&handle).map_or("", String::as_str)).trim_start().to_owned()
    }

    fn is_you(&self, player: usize) -> bool {
        player == self.seat && !self.hot_seat
    }

    fn player(&self, player: usize) -> String {
        if self.is_you(player) { "you".to_owned() } else { seat_name(player) }
    }

    fn whose(&self, player: usize) -> String {
        if self.is_you(player) { "your".to_owned() } else { format!("{}'s", seat_name(player)) }
    }

    fn place(&self, zone: &ZoneName) -> String {
        let name = zone.name.replace('_', " ");
        match zone.owner {
            Some(owner) if !name.is_empty() => format!("{} {name}", self.whose(owner)),
            _ => name,
        }
    }
}

/// Prints lines, each with the number of its repetitions.
fn print_lines(lines: &[(String, usize)]) {
    for (line, times) in lines {
        output::line(if *times == 1 { format!("  {line}") } else { format!("  {line} ({times} times)") });
    }
}
