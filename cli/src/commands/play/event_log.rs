//! What happened since a person was last asked, as that person saw it: whose turn it is, what was used, declared and chosen, what moved, what
//! was counted.

use crate::commands::explain::{self, Language};
use crate::output;
use fizzle_runtime::ir::verbs::VERBS;
use fizzle_runtime::ir::{ActionId, CompiledGame, Format, Op, Type};
use fizzle_runtime::program::Program;
use fizzle_runtime::view::event_stream::{ChosenValue, EventArg, ViewEvent, ZoneName};
use fizzle_runtime::view::{seat_name, span_name};
use std::collections::{BTreeMap, BTreeSet};

/// More is not shown at once.
const MOST: usize = 40;

/// The names of the objects that a person has met, by number.
#[derive(Clone, Debug)]
pub struct EventLog {
    known: BTreeMap<u32, String>,
    /// Who is told.
    seat: usize,
    /// Several people read what is told: nobody is `you`.
    hot_seat: bool,
    /// The actions that pairs are declared for, by name.
    declared: BTreeSet<String>,
    /// The step that began, until something happens in it.
    step: Option<String>,
    /// What passes through a place of bookkeeping: where it came from, by its number there.
    passing: BTreeMap<u32, String>,
    /// The lines of the whole game, and how many there were before the last ones that were told.
    log: Vec<(String, usize)>,
    before: usize,
}

impl EventLog {
    /// Those of somebody who has met nothing yet.
    pub fn of(seat: usize, hot_seat: bool, program: &Program) -> Self {
        let functions = program.library.functions.present();
        let declares = functions.flat_map(|function| &function.ops).filter_map(|op| match op {
            Op::Declare(it) => Some(it.action),
            _ => None,
        });
        let wanted: BTreeSet<ActionId> = declares.collect();
        let actions = &program.format.actions;
        // an action that is another one is declared with it
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
            known: BTreeMap::new(),
            seat,
            hot_seat,
            declared,
            step: None,
            passing: BTreeMap::new(),
            log: Vec::new(),
            before: 0,
        }
    }

    /// The name of the card with a number.
    pub fn name(&self, handle: u32) -> Option<&str> {
        self.known.get(&handle).map(String::as_str)
    }

    /// Tells what happened.
    pub fn tell(&mut self, items: &[ViewEvent], format: &Format, game: &CompiledGame) {
        self.skip_events(items, format, game);
        let lines = self.log.get(self.before..).unwrap_or(&[]);
        let skipped = lines.len().saturating_sub(MOST);
        if !lines.is_empty() {
            output::line("");
        }
        if skipped > 0 {
            output::line(format!("  … {skipped} lines before: `log` shows them"));
        }
        show(lines.get(skipped..).unwrap_or(&[]));
    }

    /// Hears what happened and says nothing.
    pub fn skip_events(&mut self, items: &[ViewEvent], format: &Format, game: &CompiledGame) {
        let lines = self.lines(items, format, game);
        self.before = self.log.len();
        self.log.extend(lines);
    }

    /// Forgets what happened: the game is played again.
    pub fn forget(&mut self) {
        (self.step, self.before) = (None, 0);
        self.passing.clear();
        self.log.clear();
    }

    /// Tells again what happened: since the last answer, or in the whole game.
    pub fn again(&self, all: bool) {
        let lines = self.log.get(if all { 0 } else { self.before }..).unwrap_or(&[]);
        if lines.is_empty() {
            output::line(if all {
                "nothing has happened yet"
            } else {
                "nothing has happened since your last answer; `log all`: the whole game"
            });
        }
        show(lines);
    }

    fn meet(&mut self, items: &[ViewEvent]) {
        for item in items {
            if let ViewEvent::Met { handle, name, .. } = item {
                self.known.insert(*handle, name.clone());
            }
        }
    }

    fn lines(&mut self, items: &[ViewEvent], format: &Format, game: &CompiledGame) -> Vec<(String, usize)> {
        // What moves may be met only then.
        self.meet(items);
        let mut lines: Vec<(String, usize)> = Vec::new();
        for item in items {
            if let Some(turn) = self.begun(item) {
                lines.push((turn, 1));
                continue;
            }
            if self.passes(item) {
                continue;
            }
            let Some(line) = self.line(item, format, game) else { continue };
            if let Some(step) = self.step.take() {
                lines.push((step, 1));
            }
            match lines.last_mut() {
                Some((last, times)) if *last == line => *times += 1,
                _ => lines.push((line, 1)),
            }
        }
        lines
    }

    /// Whose turn begins. A step is told of when something happens in it.
    fn begun(&mut self, item: &ViewEvent) -> Option<String> {
        let ViewEvent::Event { action, args, .. } = item else { return None };
        let ("begin", [EventArg::Word(path), EventArg::Player(Some(who))]) = (action.as_str(), args.as_slice()) else {
            return None;
        };
        let step = span_name(path);
        if step.is_empty() {
            self.step = None;
            return Some(format!("{} turn begins", self.whose(*who)));
        }
        self.step = Some(format!("{} {step}:", self.whose(*who)));
        None
    }

    /// Whether something only passes through a place of bookkeeping: it is told of where it comes out.
    fn passes(&mut self, item: &ViewEvent) -> bool {
        let ViewEvent::Event { action, args, .. } = item else { return false };
        let ("put" | "shift", [EventArg::Object { handle, became }, EventArg::Zone(into), rest @ ..]) =
            (action.as_str(), args.as_slice())
        else {
            return false;
        };
        if !into.name.starts_with('_') {
            return false;
        }
        let from = handle.and_then(|handle| self.passing.get(&handle).cloned()).or_else(|| {
            let from = rest.iter().find_map(|arg| if let EventArg::Zone(zone) = arg { Some(zone) } else { None })?;
            Some(self.place(from))
        });
        if let (Some(became), Some(from)) = (became, from) {
            self.passing.insert(*became, from);
        }
        true
    }

    fn line(&self, item: &ViewEvent, format: &Format, game: &CompiledGame) -> Option<String> {
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
                    _ => self.event(action, args, format, game).or_else(|| self.deed(action, args, cause, format)),
                }
            }
            ViewEvent::Triggered { source: Some(source), .. } => Some(format!("{} triggers", self.object(*source))),
            ViewEvent::Chosen { objects, hidden, others, .. } if objects.len() + hidden.len() + others.len() > 0 => {
                let objects = objects.iter().map(|handle| self.object(*handle));
                let hidden = hidden.iter().map(|(zone, place)| format!("number {place} from the bottom in {}", self.place(zone)));
                let others = others.iter().map(|other| self.other(*other, game));
                Some(format!("  choosing {}", objects.chain(hidden).chain(others).collect::<Vec<_>>().join(", ")))
            }
            ViewEvent::TookBack { player } => Some(format!(
                "{} that back",
                if self.is_you(*player) { "you take".into() } else { seat_name(*player) + " takes" }
            )),
            _ => None,
        }
    }

    /// A player, a mode in its own words, or a share.
    fn other(&self, other: ChosenValue, game: &CompiledGame) -> String {
        match other {
            ChosenValue::Player(seat) => self.player(seat),
            ChosenValue::Mode { site, mode } => {
                let words = explain::prompt(game, site, Language::En).and_then(|prompt| prompt.modes.get(mode as usize));
                words.map_or_else(|| format!("mode {}", mode + 1), |words| format!("“{}”", words.trim_end_matches('.')))
            }
            ChosenValue::Share(share) => format!("a share of {share}"),
        }
    }

    fn event(&self, action: &str, args: &[EventArg], format: &Format, game: &CompiledGame) -> Option<String> {
        match (action, args) {
            ("announce", [EventArg::Player(Some(who)), it, .., EventArg::Word(play)]) => {
                let it = self.moved(it)?;
                Some(format!("{}: {} {it}", self.player(*who), play.replace('_', " ")))
            }
            ("fizzle", [.., it @ EventArg::Object { .. }]) => Some(format!("{} fizzles", self.arg(it)?)),
            ("put" | "shift", [it, EventArg::Zone(into), rest @ ..]) => {
                let from = rest.iter().find_map(|arg| if let EventArg::Zone(zone) = arg { Some(zone) } else { None });
                // that something was used, and so waited, was told before
                let waited = |from: &ZoneName| game.library.zones.iter().any(|zone| zone.list && zone.name == from.name);
                let passed =
                    if let EventArg::Object { handle: Some(handle), .. } = it { self.passing.get(handle).cloned() } else { None };
                let from = passed.or_else(|| from.filter(|from| !waited(from)).map(|from| self.place(from)));
                let it = self.moved(it).unwrap_or_else(|| "a card".to_owned());
                let from = from.filter(|from| !from.is_empty()).map_or_else(String::new, |from| format!(" from {from}"));
                Some(format!("{it}{from} into {}", self.place(into)))
            }
            ("pick" | "create" | "cease" | "reveal" | "shuffle", _) => None,
            // Something of an amount: damage, life, counters.
            _ if !action.starts_with('_') && args.iter().any(|arg| matches!(arg, EventArg::Number(1..))) => {
                let about = args.iter().any(|arg| matches!(arg, EventArg::Player(Some(_)) | EventArg::Object { .. }));
                let declared = format.actions.iter().find(|declared| declared.name == action).map(|declared| &declared.params);
                let declared = declared.filter(|params| params.len() == args.len());
                let args = args.iter().enumerate().filter_map(|(index, arg)| {
                    let (name, ty) = declared.and_then(|params| params.get(index)).map_or(("", Type::Number), |(n, ty)| (n, *ty));
                    // Whether something is so is told by its name, or not at all.
                    match (ty, arg) {
                        (Type::Bool, EventArg::Number(0)) => None,
                        (Type::Bool, EventArg::Number(_)) => Some(name.to_owned()),
                        _ => self.arg(arg),
                    }
                });
                let args: Vec<String> = args.collect();
                about.then(|| format!("{}: {}", action.replace('_', " "), args.join(", ")))
            }
            _ => None,
        }
    }

    /// What something does, or is declared to do; what an effect does to something; what the rules do with two.
    fn deed(&self, action: &str, args: &[EventArg], cause: &str, format: &Format) -> Option<String> {
        if action.starts_with('_') || VERBS.iter().any(|verb| verb.name == action) {
            return None;
        }
        let is_thing = |arg: &&EventArg| matches!(arg, EventArg::Player(_) | EventArg::Object { .. });
        let things: Vec<String> = args.iter().filter(is_thing).filter_map(|arg| self.arg(arg)).collect();
        let is_object = |arg: &EventArg| matches!(arg, EventArg::Object { .. });
        let what = action.replace('_', " ");
        let acts = self.declared.contains(action) || format.actions.iter().any(|known| known.name == action && known.acts);
        if acts
            && args.first().is_some_and(is_object)
            && let Some((first, others)) = things.split_first()
        {
            let others = if others.is_empty() { String::new() } else { format!(" → {}", others.join(", ")) };
            return Some(format!("{first}: {what}{others}"));
        }
        let is_told = match cause {
            "effect" => !things.is_empty(),
            "rule" => things.len() > 1,
            _ => false,
        };
        (is_told && args.iter().any(is_object)).then(|| format!("{what}: {}", things.join(", ")))
    }

    fn arg(&self, arg: &EventArg) -> Option<String> {
        match arg {
            EventArg::Number(number) => Some(number.to_string()),
            EventArg::Player(player) => player.map(|player| self.player(player)),
            EventArg::Zone(zone) => Some(self.place(zone)).filter(|text| !text.is_empty()),
            // what it was as that happened, though it may have moved since
            EventArg::Object { handle, became } => handle.or(*became).map(|handle| self.object(handle)),
            EventArg::Word(word) => Some(word.clone()).filter(|word| !word.is_empty()),
        }
    }

    /// What moved, as it is called from now on.
    fn moved(&self, arg: &EventArg) -> Option<String> {
        match arg {
            EventArg::Object { handle, became } => became.or(*handle).map(|handle| self.object(handle)),
            other => self.arg(other),
        }
    }

    fn object(&self, handle: u32) -> String {
        format!("{} #{handle}", self.known.get(&handle).map_or("", String::as_str)).trim_start().to_owned()
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

/// Lines, each with how often it is told in a row.
fn show(lines: &[(String, usize)]) {
    for (line, times) in lines {
        output::line(if *times == 1 { format!("  {line}") } else { format!("  {line} ({times} times)") });
    }
}
