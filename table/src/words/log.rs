//! The log: what a viewer sees happen, in words with objects that can be pointed at, and the moves that a page animates.

use super::pack_texts::{name as pack_name, prompt, spaced, state_rule};
use super::phrases::Speaker;
use crate::layout::is_shown;
use crate::protocol::{Event, Lang, Move, Piece};
use crate::table_view::zone_key;
use fizzle_ir::verbs::VERBS;
use fizzle_ir::{ActionId, CompiledGame, Op, Type};
use fizzle_runtime::program::Program;
use fizzle_runtime::view::event_stream::{ChosenValue, EventArg, ViewEvent, ZoneName};
use fizzle_runtime::view::period_name;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The names of objects that one viewer has met, and what is needed to write the events of a game.
#[derive(Clone, Debug, Default)]
pub struct EventLog {
    names: HandleNames,
    /// The actions of declarations, and those that count as one.
    declared: Arc<BTreeSet<String>>,
    /// The period that began, written before the first event in it.
    heading: Option<(String, usize)>,
    turn: u32,
    /// For an object in a zone of bookkeeping: the zone that it came from.
    origins: BTreeMap<u32, ZoneName>,
}

/// Names by handle. Handles are many and dense, and few names differ, so a handle has the number of its name.
#[derive(Clone, Debug, Default)]
struct HandleNames {
    /// The names, each once.
    distinct: Vec<SmolStr>,
    /// By handle, the number of its name, from 1; 0 for none.
    numbers: Vec<u32>,
}

impl HandleNames {
    fn get(&self, handle: u32) -> Option<&SmolStr> {
        self.distinct.get((*self.numbers.get(handle as usize)? as usize).checked_sub(1)?)
    }

    fn insert(&mut self, handle: u32, name: &SmolStr) {
        let known = self.distinct.iter().position(|known| known == name);
        let number = known.unwrap_or_else(|| {
            self.distinct.push(name.clone());
            self.distinct.len() - 1
        });
        let at = handle as usize;
        if at >= self.numbers.len() {
            self.numbers.resize(at + 1, 0);
        }
        if let Some(place) = self.numbers.get_mut(at) {
            *place = number as u32 + 1;
        }
    }
}

/// A line in progress.
#[derive(Default)]
struct Line(Vec<Piece>);

impl Line {
    fn text(mut self, text: &str) -> Self {
        match self.0.last_mut() {
            Some(last) if last.on.is_none() => last.s.push_str(text),
            _ if text.is_empty() => {}
            _ => self.0.push(Piece { s: text.to_owned(), ..Piece::default() }),
        }
        self
    }

    fn pieces(mut self, pieces: Vec<Piece>) -> Self {
        for piece in pieces {
            if piece.on.is_none() {
                self = self.text(&piece.s);
            } else {
                self.0.push(piece);
            }
        }
        self
    }
}

impl EventLog {
    /// The log of a game that begins in a turn; 0 for one that begins with decks.
    #[must_use]
    pub fn new(program: &Program, turn: u32) -> Self {
        let ops = program.library.functions.present().flat_map(|function| &function.ops);
        let wanted: BTreeSet<ActionId> =
            ops.filter_map(|op| if let Op::Declare(it) = op { Some(it.action) } else { None }).collect();
        let actions = &program.format.actions;
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
        let declared = (0..actions.len()).filter(|at| is_declared(*at)).filter_map(|at| actions.get(at));
        Self { declared: Arc::new(declared.map(|action| action.name.clone()).collect()), turn, ..Self::default() }
    }

    /// The name of an object that the viewer has met.
    #[must_use]
    pub fn name(&self, handle: u32) -> Option<&str> {
        self.names.get(handle).map(SmolStr::as_str)
    }

    /// Forgets the names of objects. Without them it cannot write lines, but it continues to note turns and zones.
    pub fn forget_names(&mut self) {
        self.names = HandleNames::default();
    }

    /// Takes over the names that another log has.
    pub fn take_names_of(&mut self, other: &Self) {
        self.names.clone_from(&other.names);
    }

    /// Writes events.
    pub fn write(&mut self, items: &[ViewEvent], speaker: &Speaker, program: &Program, game: &CompiledGame) -> Vec<Event> {
        self.write_noting(items, speaker, program, game, &mut Vec::new())
    }

    /// As [`EventLog::write`]. Adds the positions of the events without which the log would read otherwise.
    pub fn write_noting(
        &mut self,
        items: &[ViewEvent],
        speaker: &Speaker,
        program: &Program,
        game: &CompiledGame,
        noted: &mut Vec<usize>,
    ) -> Vec<Event> {
        // An object may be met after its own move.
        for item in items {
            if let ViewEvent::Met { handle, name, .. } = item {
                self.names.insert(*handle, name);
            }
        }
        let mut events: Vec<Event> = Vec::new();
        for (position, item) in items.iter().enumerate() {
            if self.notes_period(item, speaker, &mut events) {
                noted.push(position);
                continue;
            }
            let mut event = Event { by: actor(item), ..Event::default() };
            event.moves.extend(self.movement(item, game));
            if self.is_bookkeeping(item) || matches!(item, ViewEvent::Met { .. }) {
                noted.push(position);
            } else {
                event.words = self.line(item, speaker, program, game).map(|line| line.0).unwrap_or_default();
            }
            if event.words.is_empty() && event.moves.is_empty() {
                continue;
            }
            noted.push(position);
            if let Some((path, seat)) = self.heading.take_if(|_| !event.words.is_empty()) {
                let words = vec![Piece { s: format!("{}: {}", speaker.name(seat), period_name(&path)), ..Piece::default() }];
                events.push(Event { words, by: Some(seat), heading: true, ..Event::default() });
            }
            if !merged(events.last_mut(), &event) {
                events.push(event);
            }
        }
        for (beat, event) in events.iter_mut().enumerate() {
            event.beat = beat as u32;
            if let ([one], Some(last)) = (event.moves.as_slice(), event.words.last_mut())
                && one.count > 1
            {
                last.s.push_str(&format!(" ×{}", one.count));
            }
        }
        events
    }

    /// Notes the beginning of a turn or period. Returns whether the event is one.
    fn notes_period(&mut self, item: &ViewEvent, speaker: &Speaker, events: &mut Vec<Event>) -> bool {
        let ViewEvent::Event { action, args, .. } = item else { return false };
        let ("begin", [EventArg::Word(path), EventArg::Player(Some(who))]) = (action.as_str(), args.as_slice()) else {
            return false;
        };
        if period_name(path).is_empty() {
            self.heading = None;
            self.turn += 1;
            let words = vec![Piece { s: speaker.period(path, self.turn, *who), ..Piece::default() }];
            events.push(Event { words, by: Some(*who), heading: true, turn: Some(self.turn), ..Event::default() });
        } else {
            self.heading = Some((path.to_string(), *who));
        }
        true
    }

    /// Whether an event moves an object into a zone of bookkeeping. It is written when the object leaves that zone.
    fn is_bookkeeping(&mut self, item: &ViewEvent) -> bool {
        let Some((handle, became, into, from)) = moved(item) else { return false };
        if !into.name.starts_with('_') {
            return false;
        }
        let from = handle.and_then(|handle| self.origins.get(&handle)).or(from).cloned();
        if let (Some(became), Some(from)) = (became, from) {
            self.origins.insert(became, from);
        }
        true
    }

    /// The move of an event, for a page.
    fn movement(&self, item: &ViewEvent, game: &CompiledGame) -> Option<Move> {
        let (was, is, into, from) = moved(item)?;
        let known = |zone: &ZoneName| game.library.zones.iter().any(|kind| kind.name == zone.name && is_shown(kind));
        let from = was.and_then(|was| self.origins.get(&was)).or(from).filter(|from| known(from));
        let key = |zone: &ZoneName| zone_key(&zone.name, zone.owner);
        known(into).then(|| Move { was, is, from: from.map(key).unwrap_or_default(), to: key(into), count: 1 })
    }

    fn line(&self, item: &ViewEvent, speaker: &Speaker, program: &Program, game: &CompiledGame) -> Option<Line> {
        match item {
            ViewEvent::Event { action, args, source, cause } => match action.as_str() {
                "win" | "lose" => {
                    let who =
                        args.iter().find_map(|arg| if let EventArg::Player(Some(who)) = arg { Some(*who) } else { None })?;
                    let line = Line::default().text(&subject(speaker, who)).text(match (action.as_str(), speaker.lang) {
                        ("win", Lang::En) => {
                            if speaker.is_you(who) {
                                " win"
                            } else {
                                " wins"
                            }
                        }
                        (_, Lang::En) => {
                            if speaker.is_you(who) {
                                " lose"
                            } else {
                                " loses"
                            }
                        }
                        ("win", Lang::Ja) => "の勝ち",
                        (_, Lang::Ja) => "の負け",
                    });
                    Some(match source {
                        Some(source) => line.text(speaker.say(", by ", "：")).pieces(self.object(*source, speaker)),
                        None => line,
                    })
                }
                _ => self
                    .described(action, args, speaker, program, game)
                    .or_else(|| self.action_line(action, args, cause, speaker, program)),
            },
            ViewEvent::Triggered { source: Some(source), .. } => {
                Some(Line::default().pieces(self.object(*source, speaker)).text(speaker.say(" triggers", "が誘発")))
            }
            ViewEvent::Chosen { objects, hidden, others, .. } if objects.len() + hidden.len() + others.len() > 0 => {
                let objects = objects.iter().map(|handle| self.object(*handle, speaker));
                let hidden = hidden.iter().map(|(zone, place)| {
                    let zone = speaker.zone(&zone.name, zone.owner);
                    plain(match speaker.lang {
                        Lang::En => format!("number {place} from the bottom of {zone}"),
                        Lang::Ja => format!("{zone}の下から{place}番目"),
                    })
                });
                let others = others.iter().map(|other| plain(chosen_value(*other, speaker, game)));
                let chosen: Vec<Vec<Piece>> = objects.chain(hidden).chain(others).collect();
                Some(joined(Line::default().text(speaker.say("choosing ", "対象：")), chosen, speaker))
            }
            ViewEvent::TookBack { player } => Some(Line::default().text(&match speaker.lang {
                Lang::En if speaker.is_you(*player) => "You take that back".to_owned(),
                Lang::En => format!("{} takes that back", speaker.name(*player)),
                Lang::Ja => format!("{}が取り消した", speaker.player(*player)),
            })),
            ViewEvent::Passed { .. }
            | ViewEvent::Chosen { .. }
            | ViewEvent::Triggered { .. }
            | ViewEvent::Met { .. }
            | ViewEvent::Lost { .. }
            | ViewEvent::Asked { .. }
            | ViewEvent::Question(_)
            | ViewEvent::Answered { .. }
            | ViewEvent::Over { .. } => None,
        }
    }

    fn described(
        &self,
        action: &str,
        args: &[EventArg],
        speaker: &Speaker,
        program: &Program,
        game: &CompiledGame,
    ) -> Option<Line> {
        match (action, args) {
            ("announce", [EventArg::Player(Some(who)), it, .., EventArg::Word(play)]) => {
                let it = self.moved_object(it, speaker)?;
                let play = spaced(play);
                Some(match speaker.lang {
                    Lang::En => Line::default().text(&format!("{}: {play} ", subject(speaker, *who))).pieces(it),
                    Lang::Ja => {
                        Line::default().text(&format!("{}：", speaker.player(*who))).pieces(it).text(&format!("（{play}）"))
                    }
                })
            }
            ("fizzle", [.., it @ EventArg::Object { .. }]) => {
                Some(Line::default().pieces(self.argument(it, speaker)?).text(speaker.say(" fizzles", "は立ち消え")))
            }
            ("put" | "shift", [it, EventArg::Zone(into), rest @ ..]) => {
                let from = rest.iter().find_map(|arg| if let EventArg::Zone(zone) = arg { Some(zone) } else { None });
                // Where a waiting object comes from was logged when it was announced.
                let waited = |from: &ZoneName| game.library.zones.iter().any(|zone| zone.list && zone.name == from.name);
                let was = if let EventArg::Object { handle: Some(handle), .. } = it { self.origins.get(handle) } else { None };
                let from = was.or_else(|| from.filter(|from| !waited(from))).filter(|from| !from.name.is_empty());
                let it = self.moved_object(it, speaker).unwrap_or_else(|| plain(speaker.say("a card", "カード").to_owned()));
                let into = speaker.zone(&into.name, into.owner);
                let from = from.map(|from| speaker.zone(&from.name, from.owner));
                Some(Line::default().pieces(it).text(&match (from, speaker.lang) {
                    (Some(from), Lang::En) => format!(": {from} → {into}"),
                    (Some(from), Lang::Ja) => format!("：{from} → {into}"),
                    (None, _) => format!(" → {into}"),
                }))
            }
            ("reveal", [it @ EventArg::Object { .. }, ..]) => {
                Some(Line::default().pieces(self.argument(it, speaker)?).text(speaker.say(" is revealed", "を公開")))
            }
            ("pick" | "create" | "erase" | "reveal" | "shuffle", _) => None,
            // Events with an amount, or with a word that says how or of what.
            _ if !action.starts_with('_') => {
                let about = args.iter().any(|arg| matches!(arg, EventArg::Player(Some(_)) | EventArg::Object { .. }));
                let declared = program.format.actions.iter().find(|declared| declared.name == action);
                let params = declared.map(|declared| &declared.params).filter(|params| params.len() == args.len());
                let is_word =
                    |index: usize| params.and_then(|params| params.get(index)).is_some_and(|(_, ty)| matches!(ty, Type::Word(_)));
                let says_more = |(index, arg): (usize, &EventArg)| match arg {
                    EventArg::Number(number) => *number > 0,
                    EventArg::Word(word) => is_word(index) && !word.is_empty(),
                    _ => false,
                };
                if !args.iter().enumerate().any(says_more) {
                    return None;
                }
                let is_amount = |(index, arg): &(usize, &EventArg)| {
                    let is_number = params.and_then(|params| params.get(*index)).is_none_or(|(_, ty)| *ty == Type::Number);
                    is_number && matches!(arg, EventArg::Number(_))
                };
                let amounts: Vec<(usize, &EventArg)> = args.iter().enumerate().filter(is_amount).collect();
                // The only number belongs to the verb: `draw 7: A`.
                let (amount_at, what) = match amounts.as_slice() {
                    [(index, EventArg::Number(number))] => (Some(*index), format!("{} {number}", spaced(action))),
                    _ => (None, spaced(action)),
                };
                let texts: Vec<Vec<Piece>> = args
                    .iter()
                    .enumerate()
                    .filter(|(index, _)| amount_at != Some(*index))
                    .filter_map(|(index, arg)| {
                        let (name, ty) =
                            params.and_then(|params| params.get(index)).map_or(("", Type::Number), |(name, ty)| (name, *ty));
                        match (ty, arg) {
                            (Type::Bool, EventArg::Number(0)) => None,
                            (Type::Bool, EventArg::Number(_)) => Some(plain(spaced(name))),
                            (Type::Word(_), EventArg::Word(word)) if !word.is_empty() => {
                                let named = pack_name(game, &program.format, word, speaker.lang);
                                Some(plain(if named.is_empty() { spaced(word) } else { named }))
                            }
                            _ => self.argument(arg, speaker),
                        }
                    })
                    .collect();
                about.then(|| joined(Line::default().text(&format!("{what}: ")), texts, speaker))
            }
            _ => None,
        }
    }

    /// An action or declaration of an object, an effect on an object, or a rule that concerns two things.
    fn action_line(&self, action: &str, args: &[EventArg], cause: &str, speaker: &Speaker, program: &Program) -> Option<Line> {
        if action.starts_with('_') || VERBS.iter().any(|verb| verb.name == action) {
            return None;
        }
        let is_thing = |arg: &&EventArg| matches!(arg, EventArg::Player(_) | EventArg::Object { .. });
        let is_object = |arg: &EventArg| matches!(arg, EventArg::Object { .. });
        let mut things: Vec<Vec<Piece>> = args.iter().filter(is_thing).filter_map(|arg| self.argument(arg, speaker)).collect();
        let what = spaced(action);
        let acts = self.declared.contains(action)
            || program.format.actions.iter().any(|known| known.name == action && known.acting_param == Some(0));
        if acts && args.first().is_some_and(is_object) && !things.is_empty() {
            let first = things.remove(0);
            let line = Line::default().pieces(first).text(&format!(": {what}"));
            return Some(if things.is_empty() { line } else { joined(line.text(" → "), things, speaker) });
        }
        let is_shown = match cause {
            "effect" => !things.is_empty(),
            "rule" => things.len() > 1,
            _ => false,
        };
        (is_shown && args.iter().any(is_object)).then(|| joined(Line::default().text(&format!("{what}: ")), things, speaker))
    }

    fn argument(&self, arg: &EventArg, speaker: &Speaker) -> Option<Vec<Piece>> {
        match arg {
            EventArg::Number(number) => Some(plain(number.to_string())),
            EventArg::Player(player) => player.map(|player| plain(speaker.player(player))),
            EventArg::Zone(zone) => Some(speaker.zone(&zone.name, zone.owner)).filter(|text| !text.is_empty()).map(plain),
            EventArg::Object { handle, became } => handle.or(*became).map(|handle| self.object(handle, speaker)),
            EventArg::Word(word) => Some(spaced(word)).filter(|word| !word.is_empty()).map(plain),
        }
    }

    /// The object that moved, by its new handle.
    fn moved_object(&self, arg: &EventArg, speaker: &Speaker) -> Option<Vec<Piece>> {
        match arg {
            EventArg::Object { handle, became } => became.or(*handle).map(|handle| self.object(handle, speaker)),
            other => self.argument(other, speaker),
        }
    }

    /// An object in a line; one that is face down to the viewer has no name.
    fn object(&self, handle: u32, speaker: &Speaker) -> Vec<Piece> {
        let name = self.names.get(handle).cloned().unwrap_or_default();
        let s =
            if name.is_empty() { speaker.say("a face-down card", "裏向きのカード").to_owned() } else { name.to_string() };
        vec![Piece { s, on: Some(handle), card: name.into() }]
    }
}

/// How a game ended, by the state rule or action that ended it; empty if there is neither.
#[must_use]
pub fn ending(game: &CompiledGame, machine: &fizzle_runtime::vm::machine::Machine, lang: Lang) -> String {
    let rule = machine.ending_state_rule().map(|rule| state_rule(game, &machine.program.format, rule, lang));
    rule.or_else(|| machine.ending_action().map(spaced)).unwrap_or_default()
}

/// A move: the object before and after it, the zone that it goes to, and the one that it comes from.
type Moved<'e> = (Option<u32>, Option<u32>, &'e ZoneName, Option<&'e ZoneName>);

fn moved(item: &ViewEvent) -> Option<Moved<'_>> {
    let ViewEvent::Event { action, args, .. } = item else { return None };
    let ("put" | "shift", [EventArg::Object { handle, became }, EventArg::Zone(into), rest @ ..]) =
        (action.as_str(), args.as_slice())
    else {
        return None;
    };
    let from = rest.iter().find_map(|arg| if let EventArg::Zone(zone) = arg { Some(zone) } else { None });
    Some((*handle, *became, into, from))
}

/// The player whose event it is.
fn actor(item: &ViewEvent) -> Option<usize> {
    match item {
        ViewEvent::Event { args, .. } => {
            args.iter().find_map(|arg| if let EventArg::Player(Some(who)) = arg { Some(*who) } else { None })
        }
        ViewEvent::TookBack { player } | ViewEvent::Passed { player } => Some(*player),
        _ => None,
    }
}

/// Counts an event with the one before it, if both are moves of an unknown object between the same places.
fn merged(last: Option<&mut Event>, event: &Event) -> bool {
    let Some(last) = last.filter(|last| last.words == event.words && last.by == event.by && !last.heading) else { return false };
    let ([known], [new]) = (last.moves.as_mut_slice(), event.moves.as_slice()) else { return false };
    let unknown = |one: &Move| one.was.is_none() && one.is.is_none();
    if !unknown(known) || !unknown(new) || (&known.from, &known.to) != (&new.from, &new.to) {
        return false;
    }
    known.count += 1;
    true
}

/// A player at the beginning of a sentence.
fn subject(speaker: &Speaker, seat: usize) -> String {
    match speaker.lang {
        Lang::En if speaker.is_you(seat) => "You".to_owned(),
        Lang::En | Lang::Ja => speaker.player(seat),
    }
}

fn chosen_value(other: ChosenValue, speaker: &Speaker, game: &CompiledGame) -> String {
    match other {
        ChosenValue::Player(seat) => speaker.player(seat),
        ChosenValue::Mode { site, mode } => {
            let words = prompt(game, site, speaker.lang).and_then(|prompt| prompt.modes.get(mode as usize));
            words.map_or_else(|| format!("{}", mode + 1), |words| format!("“{}”", words.trim_end_matches('.')))
        }
        ChosenValue::Share(share) => share.to_string(),
    }
}

fn plain(s: String) -> Vec<Piece> {
    vec![Piece { s, ..Piece::default() }]
}

fn joined(mut line: Line, parts: Vec<Vec<Piece>>, speaker: &Speaker) -> Line {
    for (number, part) in parts.into_iter().enumerate() {
        if number > 0 {
            line = line.text(speaker.say(", ", "、"));
        }
        line = line.pieces(part);
    }
    line
}
