//! Lowers scenarios: positions and steps. Expressions become pure functions of the names that the scenario binds.

use crate::diagnostics::{Diagnostic, closest, codes};
use crate::layout::is_this;
use crate::limits::{self, MAX_POSITION_BASES, MAX_REPEATED_ENTRIES, MAX_SCENARIO_NAMES};
use crate::lower::turn::statements_of;
use crate::lower::{Lowering, Owner};
use crate::names::{Meaning, dotted};
use crate::phrase_syntax::as_phrase;
use crate::phrase_syntax::bare_word;
use crate::syntax_diagnostics::is_caused_by_unparsed;
use fizzle_grammar::ast::{
    Answer, Block, Expr, FizzledPart as WrittenPart, Head, Name, NamedPosition, Path, Phrase, Position,
    PositionEntry as WrittenEntry, PositionValue, Scenario as WrittenScenario, ScenarioStepKind as WrittenStep, Span,
};
use fizzle_ir::DecisionKind;
use fizzle_ir::scenario::{
    ExpectedValue, FizzledPart, PositionEntry, Scenario, ScenarioStep, ScenarioStepKind, ScriptedAnswer, Stage,
};
use fizzle_ir::{FnId, Op, PeriodId, Type};
use smol_str::SmolStr;

/// The names that a scenario binds, with their types. The players come first.
pub(crate) struct ScenarioNames {
    names: Vec<(SmolStr, Type)>,
    pub(crate) players: u8,
}

/// The size of a position in entries: an entry counts once, and once more for each statement of an effect.
fn size_of_position(position: &Position) -> usize {
    let statements = |entry: &WrittenEntry| match entry {
        WrittenEntry::Effect { body, .. } => body.statements.len(),
        _ => 0,
    };
    position.players.iter().flat_map(|player| &player.entries).map(|entry| 1 + statements(entry)).sum()
}

impl<'a> Lowering<'a> {
    /// Lowers a scenario of the game `game`. `formats`: the names of its formats. Names that its unparsed text may bind are not reported.
    pub fn scenario(&mut self, written: &'a WrittenScenario, game: &str, formats: &[SmolStr]) -> Scenario {
        let known = self.diagnostics.len();
        let scenario = self.parts_of_scenario(written, game, formats);
        if !written.unread.is_empty() {
            let sources = self.sources;
            let new = self.diagnostics.split_off(known);
            self.diagnostics.extend(new.into_iter().filter(|new| !is_caused_by_unparsed(new, &written.unread, sources)));
        }
        scenario
    }

    fn parts_of_scenario(&mut self, written: &'a WrittenScenario, game: &str, formats: &[SmolStr]) -> Scenario {
        let before = std::mem::replace(&mut self.owner, Owner::new(format!("scenario \"{}\"", written.title.text)));
        let format = written.format.as_ref().map_or(game, |format| format.text.as_str());
        if let Some(name) = &written.format
            && !formats.contains(&name.text)
        {
            self.report(
                Diagnostic::new(&codes::UNKNOWN_FORMAT, name.span, format!("there is no format `{}` in this game", name.text))
                    .did_you_mean(&name.text, formats.iter().map(SmolStr::as_str)),
            );
        }
        let mut scenario = Scenario {
            title: written.title.text.to_string(),
            claims: written.claims.iter().map(|claim| claim.text.to_string()).collect(),
            strict: written.strict,
            format: format.to_owned(),
            source: self.sources.source(written.title.span),
            ..Scenario::default()
        };
        let bases = self.bases_of(written.from.as_ref());
        let mut slots = ScenarioNames::of_players(bases.iter().copied().chain(&written.position));
        scenario.players = slots.players;
        let has_repeated = self.repeated_entries;
        let entries = bases.iter().map(|base| size_of_position(base)).sum();
        self.repeated_entries = has_repeated.saturating_add(entries);
        if self.repeated_entries > MAX_REPEATED_ENTRIES {
            if let Some(from) = written.from.as_ref().filter(|_| has_repeated <= MAX_REPEATED_ENTRIES) {
                self.report(limits::too_many_repeated_entries(from.span));
            }
            self.owner = before;
            return scenario;
        }
        let known = self.diagnostics.len();
        for base in &bases {
            self.collect_position_slots(base, &mut slots);
        }
        // A named position reports its problems itself.
        self.forget_problems_since(known);
        self.collect_slots(written, &mut slots);
        scenario.players = slots.players;
        if self.owner.is_refused {
            self.owner = before;
            return scenario;
        }
        if written.position.is_some() || !bases.is_empty() {
            let mut placed = Vec::new();
            let known = self.diagnostics.len();
            bases.iter().for_each(|base| self.position(base, &slots, &mut placed));
            self.forget_problems_since(known);
            written.position.iter().for_each(|position| self.position(position, &slots, &mut placed));
            scenario.position = Some(placed);
        }
        let start_of_position = match (&written.from, &written.position) {
            (_, Some(Position { players, values })) => {
                players.first().map(|player| player.player.span).or_else(|| values.first().map(|value| value.name.span))
            }
            (from, None) => from.as_ref().map(|from| from.span),
        };
        if let Some(contest) = &written.match_header {
            scenario.match_setup = Some(self.scenario_match(contest, format, &slots));
            if written.position.is_some() || written.from.is_some() {
                self.report(
                    Diagnostic::new(&codes::BAD_SCENARIO, contest.span, "a match starts with the setup of its first game")
                        .help("leave out the position or the match"),
                );
            }
        }
        if let (Some(first), None) = (start_of_position, &written.match_header)
            && !written.steps.iter().any(|step| matches!(step.kind, WrittenStep::Start { .. }))
            && !written.unread.contains("at")
        {
            let span =
                self.names.periods.keys().find(|path| path.contains('.')).map_or_else(|| "turn".to_owned(), ToString::to_string);
            self.report(
                Diagnostic::new(&codes::BAD_SCENARIO, first, "the position does not say when the game starts")
                    .help(format!("write the start after the position: `at A's {span}`")),
            );
        }
        for step in &written.steps {
            let wrong = match &step.kind {
                WrittenStep::Match(step)
                    if written.match_header.is_none() && !matches!(step, fizzle_grammar::ast::MatchStep::Rules(_)) =>
                {
                    Some("the scenario has no match")
                }
                WrittenStep::Start { .. } if written.match_header.is_some() => {
                    Some("a match starts with the setup of its first game")
                }
                _ => None,
            };
            if let Some(message) = wrong {
                self.report(
                    Diagnostic::new(&codes::BAD_SCENARIO, step.span, message)
                        .help("declare a match by `match { A: \"…\"  B: \"…\" }`; in it, `go to A's …` continues the game"),
                );
            }
            if let Some(kind) = self.step(&step.kind, step.span, &mut slots) {
                let text = self.sources.slice(step.span).split_whitespace().collect::<Vec<_>>().join(" ");
                scenario.steps.push(ScenarioStep { kind, source: self.sources.source(step.span), text });
            }
        }
        scenario.slots = slots.names.iter().map(|(name, _)| name.to_string()).collect();
        self.owner = before;
        scenario
    }

    /// The positions that a scenario or position begins with, the innermost first. An unknown name is reported; a circle ends it.
    fn bases_of(&mut self, from: Option<&Name>) -> Vec<&'a Position> {
        let mut bases: Vec<&'a NamedPosition> = Vec::new();
        let mut next = from;
        while let Some(name) = next {
            let Some(base) = self.names.positions.get(&name.text).copied() else {
                let names = self.names;
                // What a named position extends is reported there.
                if bases.is_empty() {
                    let known = names.positions.keys().map(SmolStr::as_str);
                    self.report(
                        Diagnostic::new(&codes::UNKNOWN_NAME, name.span, format!("there is no position `{}`", name.text))
                            .did_you_mean(&name.text, known)
                            .help(format!("declare it outside of scenarios: `position {} {{ A: {{ … }} }}`", name.text)),
                    );
                }
                break;
            };
            if bases.len() == MAX_POSITION_BASES || bases.iter().any(|known| std::ptr::eq(*known, base)) {
                break;
            }
            bases.push(base);
            next = base.from.as_ref();
        }
        bases.iter().rev().map(|base| &base.position).collect()
    }

    /// Checks a named position by itself, whether or not a scenario uses it.
    pub fn check_position(&mut self, named: &'a NamedPosition) {
        let before = std::mem::replace(&mut self.owner, Owner::new(format!("position {}", named.name.text)));
        let mut reached = vec![&named.name.text];
        let mut next = named.from.as_ref();
        while let Some(base) = next.and_then(|name| self.names.positions.get(&name.text).copied()) {
            if base.name.text == named.name.text {
                let span = named.from.as_ref().map_or(named.name.span, |from| from.span);
                self.report(
                    Diagnostic::new(&codes::BAD_SCENARIO, span, format!("the position `{}` extends itself", named.name.text))
                        .help(format!(
                            "it leads back through `{}`: leave one `from` out",
                            reached.iter().map(|name| name.as_str()).collect::<Vec<_>>().join("`, `")
                        )),
                );
                self.owner = before;
                return;
            }
            if reached.len() > MAX_POSITION_BASES {
                let message = format!("the position `{}` extends more than {MAX_POSITION_BASES} others", named.name.text);
                self.report(limits::exceeded(named.name.span, message, "let it extend fewer"));
                break;
            }
            if reached.contains(&&base.name.text) {
                break;
            }
            reached.push(&base.name.text);
            next = base.from.as_ref();
        }
        let bases = self.bases_of(named.from.as_ref());
        let mut slots = ScenarioNames::of_players(bases.iter().copied().chain([&named.position]));
        let known = self.diagnostics.len();
        for base in &bases {
            self.collect_position_slots(base, &mut slots);
        }
        self.forget_problems_since(known);
        self.collect_position_slots(&named.position, &mut slots);
        if !self.owner.is_refused {
            self.outside_of_rules(named.name.span, |lower| lower.position(&named.position, &slots, &mut Vec::new()));
        }
        self.owner = before;
    }

    fn position(&mut self, position: &'a Position, slots: &ScenarioNames, placed: &mut Vec<PositionEntry>) {
        for player in &position.players {
            let Some(seat) = self.seat(&player.player, slots) else { continue };
            for entry in &player.entries {
                placed.extend(self.position_entry(seat, entry, slots));
            }
        }
        for value in &position.values {
            placed.extend(self.game_value(value, slots));
        }
    }

    /// A variable of the game in a position.
    fn game_value(&mut self, written: &'a PositionValue, slots: &ScenarioNames) -> Option<PositionEntry> {
        let PositionValue { name, key, value } = written;
        let variable = self.names.meanings(&name.text).iter().find_map(|meaning| match meaning {
            Meaning::Global(number) => Some(*number),
            _ => None,
        });
        let Some(variable) = variable else {
            let names = self.names;
            let message = format!("`{}` is not a variable of the game", name.text);
            let problem = Diagnostic::new(&codes::BAD_SCENARIO, name.span, message);
            self.report(if names.meanings(&name.text).iter().any(|meaning| matches!(meaning, Meaning::Player(_))) {
                problem.help(format!("write it where a player's things are: `A: {{ {} … }}`", name.text))
            } else {
                let of_players = || closest(&name.text, names.players.iter().map(|variable| variable.name.text.as_str()));
                let problem = problem.did_you_mean(&name.text, names.globals.iter().map(|variable| variable.name.text.as_str()));
                match of_players().filter(|_| problem.help.is_empty()) {
                    Some(near) => problem.help(format!("write a variable of a player as `A: {{ {near} … }}`")),
                    None => problem.or_help("declare it in the rules: `global NAME: number`"),
                }
            });
            return None;
        };
        if let Some(key) = key {
            self.error(&codes::BAD_SCENARIO, key.span, format!("`{}` has one value, not one for each word", name.text));
            return None;
        }
        let ty = self.names.types[3].get(usize::from(variable)).copied().unwrap_or(Type::Number);
        if ty.is_list() {
            let message = format!("`{}` is a list, which a position cannot set", name.text);
            self.error(&codes::BAD_SCENARIO, name.span, message);
            return None;
        }
        Some(PositionEntry::GameValue { variable, value: self.slot_function(value, Some(ty), slots) })
    }

    /// An effect that begins with the game.
    fn position_effect(
        &mut self,
        player: u8,
        source: Option<&Name>,
        body: &'a Block,
        span: Span,
        slots: &ScenarioNames,
    ) -> Option<PositionEntry> {
        if self.in_stage {
            self.error(&codes::BAD_SCENARIO, span, "a stage has no effects");
            return None;
        }
        let source = match source {
            Some(name) => {
                let slot = slots.names.iter().position(|(known, ty)| *known == name.text && *ty == Type::Object);
                let Some(slot) = slot else {
                    let known = slots.names.iter().filter(|(_, ty)| *ty == Type::Object).map(|(name, _)| name.as_str());
                    let message = format!("no object of the position is called `{}`", name.text);
                    let problem = Diagnostic::new(&codes::UNKNOWN_NAME, name.span, message).did_you_mean(&name.text, known);
                    self.report(problem.help("name the source where it is placed: `\"…\" as NAME`"));
                    return None;
                };
                Some(slot as u16)
            }
            None => None,
        };
        self.at = span;
        self.begin(false, None, &slots.names);
        self.fun().has_no_source = source.is_none();
        self.statements(&statements_of(body));
        Some(PositionEntry::Effect { player, source, function: self.end() })
    }

    fn collect_position_slots(&mut self, position: &'a Position, slots: &mut ScenarioNames) {
        for player in &position.players {
            for entry in &player.entries {
                let WrittenEntry::Cards { binding: Some(name), count, card, .. } = entry else { continue };
                if *count != 1 {
                    let card = self.sources.slice(card.span);
                    self.report(
                        Diagnostic::new(
                            &codes::BAD_SCENARIO,
                            name.span,
                            format!("`{}` would name one of {count} cards", name.text),
                        )
                        .help(format!("name each by itself: `{card} as {0}_1, {card} as {0}_2`", name.text)),
                    );
                }
                self.add_slot(name, Type::Object, slots);
            }
        }
    }

    fn collect_slots(&mut self, written: &'a WrittenScenario, slots: &mut ScenarioNames) {
        written.position.iter().for_each(|position| self.collect_position_slots(position, slots));
        for step in &written.steps {
            if let WrittenStep::Let { name, value } = &step.kind {
                let ty = self.guess(value).filter(|ty| !ty.is_list()).unwrap_or(Type::Object);
                self.add_slot(name, ty, slots);
            }
        }
    }

    /// Adds a name that steps can use. Nothing of a scenario with too many names is lowered.
    fn add_slot(&mut self, name: &Name, ty: Type, slots: &mut ScenarioNames) {
        if slots.names.iter().any(|(known, _)| *known == name.text) {
            self.report(
                Diagnostic::new(&codes::BAD_SCENARIO, name.span, format!("`{}` is bound twice", name.text))
                    .help("give one of them another name"),
            );
            return;
        }
        if slots.names.len() >= MAX_SCENARIO_NAMES {
            self.at = name.span;
            self.refuse_owner(format!("this scenario has more than {MAX_SCENARIO_NAMES} names"), "write it as several scenarios");
            return;
        }
        slots.names.push((name.text.clone(), ty));
    }

    /// Whether a word that was parsed as a player continues the step before it: it is lowercase and not first in its line.
    fn continues_step(&self, word: &Name) -> bool {
        let before = self.sources.text(word.span.file).get(..word.span.start as usize).unwrap_or("");
        let line = before.rsplit(['\n', ';', '{']).next().unwrap_or("");
        !line.trim().is_empty() && word.text.chars().count() > 1 && word.text.chars().all(|c| c.is_lowercase())
    }

    pub(crate) fn seat(&mut self, name: &Name, slots: &ScenarioNames) -> Option<u8> {
        let found = slots.names.iter().take(usize::from(slots.players)).position(|(known, _)| *known == name.text);
        if found.is_none() {
            self.report(Diagnostic::new(&codes::BAD_SCENARIO, name.span, format!("`{}` is not a player", name.text)).help(
                format!("players are `A` to `{}`: those with a position, and at least two", char::from(b'A' + slots.players - 1)),
            ));
        }
        found.map(|seat| seat as u8)
    }

    /// Lowers an expression to a pure function of the bound names.
    fn slot_function(&mut self, expr: &'a Expr, want: Option<Type>, slots: &ScenarioNames) -> FnId {
        self.at = expr.span;
        self.begin(true, want, &slots.names);
        let fun = self.fun();
        fun.has_no_source = true;
        fun.takes_first = true;
        fun.it = crate::lower::function_builder::ItBinding::None;
        let value = match want {
            Some(Type::Bool) if self.report_condition_taken_by_with(expr) => self.error_value(),
            _ => self.expr(expr, want),
        };
        let reg = match want {
            Some(ty) => self.coerce(value, ty, expr.span),
            None => {
                self.fun().result = value.ty;
                value.reg
            }
        };
        self.emit(Op::Return { value: Some(reg) });
        self.end()
    }

    fn constant_function(&mut self, value: i64, ty: Type, slots: &ScenarioNames) -> FnId {
        self.begin(true, Some(ty), &slots.names);
        let reg = self.constant(value, ty);
        self.emit(Op::Return { value: Some(reg) });
        self.end()
    }

    fn position_entry(&mut self, seat: u8, entry: &'a WrittenEntry, slots: &ScenarioNames) -> Option<PositionEntry> {
        match entry {
            WrittenEntry::Cards { zone, count, card, flags, statuses, binding, .. } => {
                let zone = match self.names.zone_id(&zone.text) {
                    Some(zone) => zone,
                    None => {
                        self.report_unknown_zone(zone);
                        return None;
                    }
                };
                let card = match self.names.card_id(card) {
                    _ if is_this(card) && self.in_stage => Stage::THIS,
                    _ if is_this(card) => {
                        self.report(
                            Diagnostic::new(&codes::BAD_SCENARIO, card.span, "only a stage has a card that is `this`")
                                .help(format!("name the card: `{} \"…\"`", self.library.zones[zone.index()].name)),
                        );
                        return None;
                    }
                    Some(card) => card,
                    None => {
                        self.report_unknown_card(card);
                        return None;
                    }
                };
                let mut values = Vec::new();
                for flag in flags {
                    if let Some((number, ty)) = self.status(flag) {
                        if ty != Type::Bool {
                            self.error(
                                &codes::TYPE_MISMATCH,
                                flag.span,
                                format!("`{}` needs a value: `with {} = …`", flag.text, flag.text),
                            );
                        }
                        values.push((number, 0, self.constant_function(1, Type::Bool, slots)));
                    }
                }
                for (name, key, value) in statuses {
                    if let Some((number, ty)) = self.status(name)
                        && let Some(key) = self.position_key(name, key.as_ref(), Type::Object)
                    {
                        values.push((number, key, self.slot_function(value, Some(ty), slots)));
                    }
                }
                let slot = binding.as_ref().and_then(|name| slots.names.iter().position(|(known, _)| *known == name.text));
                Some(PositionEntry::Cards {
                    player: seat,
                    zone,
                    count: *count,
                    card,
                    statuses: values,
                    slot: slot.map(|slot| slot as u16),
                })
            }
            WrittenEntry::Effect { source, body, span } => self.position_effect(seat, source.as_ref(), body, *span, slots),
            WrittenEntry::Value(PositionValue { name, key, value }) => {
                let variable = self.names.meanings(&name.text).iter().find_map(|meaning| match meaning {
                    Meaning::Player(number) => Some(*number),
                    _ => None,
                });
                let Some(variable) = variable else {
                    let names = self.names;
                    let known = names.players.iter().map(|variable| variable.name.text.as_str()).chain(names.zone_names());
                    let problem = Diagnostic::new(
                        &codes::BAD_SCENARIO,
                        name.span,
                        format!("`{}` is not a variable of a player", name.text),
                    )
                    .did_you_mean(&name.text, known);
                    self.report(problem);
                    return None;
                };
                let ty = self.names.types[2].get(usize::from(variable)).copied().unwrap_or(Type::Number);
                let key = self.position_key(name, key.as_ref(), Type::Player)?;
                Some(PositionEntry::Value { player: seat, variable, key, value: self.slot_function(value, Some(ty), slots) })
            }
        }
    }

    /// The key after a status or variable: the number of a word plus one, or 0 without a key.
    fn position_key(&mut self, name: &Name, key: Option<&Name>, owner: Type) -> Option<u16> {
        match (self.keyed_place(&name.text, owner), key) {
            (None, None) => Some(0),
            (Some((_, traits)), Some(key)) => {
                let Some(word) = self.intern_word(traits, key) else {
                    let known: Vec<String> =
                        self.words.get(traits.index()).into_iter().flat_map(|w| w.keys()).map(ToString::to_string).collect();
                    let problem = Diagnostic::new(
                        &codes::UNKNOWN_NAME,
                        key.span,
                        format!("`{}` is not a word of this trait set", key.text),
                    )
                    .did_you_mean(&key.text, known.iter().map(String::as_str));
                    self.report(problem);
                    return None;
                };
                Some(word + 1)
            }
            (Some(_), None) => {
                self.report(
                    Diagnostic::new(&codes::BAD_SCENARIO, name.span, format!("`{}` has a number for each word", name.text))
                        .help(format!("write `{}(WORD) = …`", name.text)),
                );
                None
            }
            (None, Some(key)) => {
                self.error(&codes::BAD_SCENARIO, key.span, format!("`{}` has one value, not one for each word", name.text));
                None
            }
        }
    }

    fn status(&mut self, name: &Name) -> Option<(u16, Type)> {
        let found = self.names.meanings(&name.text).iter().find_map(|meaning| match meaning {
            Meaning::Status(number) => Some(*number),
            _ => None,
        });
        match found {
            Some(number) => Some((number, self.names.types[1].get(usize::from(number)).copied().unwrap_or(Type::Number))),
            None if self.names.zone_id(&name.text).is_some() => {
                self.report(
                    Diagnostic::new(&codes::BAD_SCENARIO, name.span, format!("`{}` is a zone, not a status", name.text))
                        .help("separate the cards of different zones by a comma or a `;`"),
                );
                None
            }
            None => {
                let names = self.names;
                let known = names.statuses.iter().map(|status| status.name.text.as_str());
                let problem = Diagnostic::new(&codes::UNKNOWN_NAME, name.span, format!("no status is called `{}`", name.text))
                    .did_you_mean(&name.text, known);
                self.report(match names.negated_word(&name.text) {
                    Some(status) => {
                        let help = format!("leave it out: an object is `{status}` only where that is written");
                        Diagnostic { help: vec![help], fixes: Vec::new(), ..problem }
                    }
                    None => problem,
                });
                None
            }
        }
    }

    /// Reports the choices of a step that takes none, as in `refuse A casts x choosing y` or `A answers 3 choosing y`. `span`: from `choosing` on.
    fn report_choices(&mut self, span: Span) {
        let line = self.text_before(span).rsplit(['\n', ';', '{']).next().unwrap_or("").trim();
        let refused = line.strip_prefix("refuse ");
        let act = refused.unwrap_or(line);
        let who = act.split(' ').next().unwrap_or("");
        let chosen = self.sources.slice(span).trim_start_matches("choosing").trim();
        let problem = match refused {
            Some(_) => {
                let help = format!("announce it, and refuse the choice in the next step: `{act}; refuse {who} chooses {chosen}`");
                Diagnostic::new(&codes::BAD_SCENARIO, span, "`refuse` takes no choices").help(help)
            }
            None => {
                let verb = act.split(' ').nth(1).unwrap_or("");
                let help = format!("write the choice as the next step: `{act}; {who} chooses {chosen}`");
                Diagnostic::new(&codes::BAD_SCENARIO, span, format!("`{verb}` takes no choices")).help(help)
            }
        };
        self.report(problem);
    }

    fn step(&mut self, step: &'a WrittenStep, span: Span, slots: &mut ScenarioNames) -> Option<ScenarioStepKind> {
        Some(match step {
            WrittenStep::Start { player, path } => {
                ScenarioStepKind::Start { player: self.seat(player, slots)?, period: self.period_at(path)? }
            }
            WrittenStep::GoTo { player, path } => {
                ScenarioStepKind::GoTo { player: self.seat(player, slots)?, period: self.period_at(path)? }
            }
            WrittenStep::Act { player, .. } if player.text == "choosing" => {
                self.report_choices(span);
                return None;
            }
            // `A casts s targeting x`: the rest of a step is parsed as a separate step.
            WrittenStep::Act { player, .. } if self.continues_step(player) => {
                let message = format!("`{}` is not part of a step", player.text);
                let zone = self.sources.slice(span).split_whitespace().nth(1).unwrap_or("").to_owned();
                if matches!(player.text.as_str(), "on" | "at" | "inside" | "within") && self.names.zone_id(&zone).is_some() {
                    let problem = Diagnostic::new(&codes::BAD_SCENARIO, player.span, message);
                    let help = format!("write `in` for where something is: `expect NAME in {zone}`");
                    self.report(problem.help(help).fix(player.text.as_str(), "in"));
                    return None;
                }
                self.report(
                    Diagnostic::new(&codes::BAD_SCENARIO, player.span, message)
                        .help("write choices with `choosing`: `A PLAYs OBJECT choosing x and y`")
                        .fix(player.text.as_str(), "choosing"),
                );
                return None;
            }
            WrittenStep::Act { player, play, object, choosing } => ScenarioStepKind::Act {
                play: {
                    self.scripted_verbs.push(play.clone());
                    play.text.to_string()
                },
                player: self.seat(player, slots)?,
                object: object.as_ref().map(|object| self.expected(object, slots)),
                choosing: choosing.iter().map(|answer| self.answer(answer, slots)).collect(),
            },
            WrittenStep::Pass(players) => {
                ScenarioStepKind::Pass(players.iter().filter_map(|player| self.seat(player, slots)).collect())
            }
            WrittenStep::Concede(player) => ScenarioStepKind::Concede(self.seat(player, slots)?),
            WrittenStep::RefuseAnswer { player, answer, because } => ScenarioStepKind::RefuseAnswer {
                player: self.seat(player, slots)?,
                answer: answer.as_ref().map_or(ScriptedAnswer::Pass, |answer| self.answer(answer, slots)),
                because: because.as_ref().map(|path| dotted(path.parts.iter().map(|part| part.text.as_str()))),
            },
            WrittenStep::PayWith { player, producers } => {
                ScenarioStepKind::PayWith { player: self.seat(player, slots)?, producers: self.all_expected(producers, slots) }
            }
            WrittenStep::Answer { player, answer } => {
                ScenarioStepKind::Answer { player: self.seat(player, slots)?, answer: self.answer(answer, slots) }
            }
            WrittenStep::Expect(expr) => ScenarioStepKind::Expect(self.slot_function(expr, Some(Type::Bool), slots)),
            WrittenStep::ExpectList(items) => ScenarioStepKind::ExpectList(self.all_expected(items, slots)),
            WrittenStep::ExpectDecision { player, kind } => {
                if let Some(kind) = kind {
                    let kinds = DecisionKind::ALL.map(DecisionKind::name);
                    if !kinds.contains(&kind.text.as_str()) {
                        self.report(
                            Diagnostic::new(
                                &codes::BAD_SCENARIO,
                                kind.span,
                                format!("no kind of decision is called `{}`", kind.text),
                            )
                            .did_you_mean(&kind.text, kinds)
                            .help(format!("kinds are `{}`", kinds.join("`, `"))),
                        );
                    }
                }
                ScenarioStepKind::ExpectDecision {
                    player: self.seat(player, slots)?,
                    kind: kind.as_ref().map(|kind| kind.text.to_string()),
                }
            }
            WrittenStep::ExpectChoices(items) => {
                let is_bound = |name: &str| slots.names.iter().any(|(known, _)| known == name);
                let is_nothing =
                    |item: &&Expr| bare_word(item).is_some_and(|word| word.text == "nothing" && !is_bound(&word.text));
                let options: Vec<&'a Expr> = items.iter().filter(|item| !is_nothing(item)).collect();
                let declining = options.len() < items.len();
                ScenarioStepKind::ExpectChoices {
                    options: options.into_iter().map(|item| self.expected(item, slots)).collect(),
                    declining,
                }
            }
            WrittenStep::ExpectAllEvents(paths) => ScenarioStepKind::ExpectAllEvents(self.event_names(paths)),
            WrittenStep::ExpectEvents(paths) => ScenarioStepKind::ExpectEvents(self.event_names(paths)),
            WrittenStep::ExpectNoEvents(paths) => ScenarioStepKind::ExpectNoEvents(self.event_names(paths)),
            WrittenStep::ExpectWindows { player, steps } => ScenarioStepKind::ExpectWindows {
                player: self.seat(player, slots)?,
                periods: steps.iter().filter_map(|path| self.period_at(path)).collect(),
            },
            WrittenStep::ExpectSees { player, sees, what, chosen_for } => ScenarioStepKind::ExpectSees {
                player: self.seat(player, slots)?,
                sees: *sees,
                what: self.slot_function(what, Some(Type::Objects), slots),
                of: chosen_for.as_ref().map(|of| self.expected(of, slots)),
            },
            WrittenStep::ExpectFizzles { what, part, fizzles } => ScenarioStepKind::ExpectFizzles {
                what: self.expected(what, slots),
                part: part.map(|part| match part {
                    WrittenPart::Paragraph(number) => FizzledPart::Paragraph(number.saturating_sub(1)),
                    WrittenPart::Mode(number) => FizzledPart::Mode(number.saturating_sub(1)),
                }),
                fizzles: *fizzles,
            },
            WrittenStep::ChanceShuffle(items) => ScenarioStepKind::ChanceShuffle(self.all_expected(items, slots)),
            WrittenStep::RefusePay { player, producers, because } => ScenarioStepKind::RefusePay {
                player: self.seat(player, slots)?,
                producers: self.all_expected(producers, slots),
                because: because.as_ref().map(|path| dotted(path.parts.iter().map(|part| part.text.as_str()))),
            },
            WrittenStep::ExpectSeen { player, seen, card, zone } => {
                let Some(definition) = self.names.card_id(card) else {
                    self.report_unknown_card(card);
                    return None;
                };
                ScenarioStepKind::ExpectSeen {
                    player: self.seat(player, slots)?,
                    seen: *seen,
                    card: definition,
                    zone: zone.as_ref().map(|zone| self.slot_function(zone, Some(Type::Zone), slots)),
                }
            }
            WrittenStep::Refuse { player, play, objects, because } => {
                let player = self.seat(player, slots)?;
                // Answers can be refused too: `refuse A chooses x`, `refuse A answers 3, 0`.
                if !["chooses", "answers"].contains(&play.text.as_str()) {
                    self.scripted_verbs.push(play.clone());
                }
                ScenarioStepKind::Refuse {
                    player,
                    play: play.text.to_string(),
                    objects: self.all_expected(objects, slots),
                    because: because.as_ref().map(|path| dotted(path.parts.iter().map(|part| part.text.as_str()))),
                }
            }
            WrittenStep::Assign { player, verb, pairs } => ScenarioStepKind::Assign {
                player: self.seat(player, slots)?,
                verb: verb.text.to_string(),
                pairs: self.pairs(pairs, slots),
            },
            WrittenStep::RefuseAssign { player, verb, pairs, because, offering } => ScenarioStepKind::RefuseAssign {
                player: self.seat(player, slots)?,
                verb: verb.text.to_string(),
                pairs: self.pairs(pairs, slots),
                because: because.as_ref().map(|path| dotted(path.parts.iter().map(|part| part.text.as_str()))),
                offering: offering.as_ref().map(|pairs| self.pairs(pairs, slots)),
            },
            WrittenStep::Let { name, value } => {
                let slot = slots.names.iter().position(|(known, _)| *known == name.text)?;
                let ty = slots.names[slot].1;
                ScenarioStepKind::Let { slot: slot as u16, value: self.slot_function(value, Some(ty), slots) }
            }
            WrittenStep::Chance(numbers) => {
                for (number, span) in numbers {
                    if *number > i32::MAX as u32 {
                        self.report(
                            Diagnostic::new(&codes::LIMIT, *span, "the random number is too large")
                                .help(format!("the largest is {}", i32::MAX)),
                        );
                    }
                }
                ScenarioStepKind::Chance(numbers.iter().map(|(number, _)| *number).collect())
            }
            WrittenStep::ExpectDeck { deck, because } => ScenarioStepKind::ExpectDeck {
                deck: self.written_deck(deck, ""),
                because: because.iter().map(|text| text.text.to_string()).collect(),
            },
            WrittenStep::Match(step) => ScenarioStepKind::Match(self.match_step(step, slots)?),
            WrittenStep::Rest(word) => {
                if word.text != "first" {
                    self.report(
                        Diagnostic::new(&codes::BAD_SCENARIO, span, format!("the rest cannot be answered with `{}`", word.text))
                            .help("write `answer the rest with first`"),
                    );
                }
                ScenarioStepKind::RemainingAnswers(word.text.to_string())
            }
        })
    }

    fn period_at(&mut self, path: &Path) -> Option<PeriodId> {
        let written = dotted(path.parts.iter().map(|part| part.text.as_str()));
        self.period_of_path(&written, path.span)
    }

    fn event_names(&mut self, paths: &[Path]) -> Vec<String> {
        let mut names = Vec::new();
        for path in paths {
            let written = dotted(path.parts.iter().map(|part| part.text.as_str()));
            if self.names.actions.contains_key(written.as_str()) {
                names.push(written);
            } else if self.names.plays.contains_key(written.as_str()) {
                self.report(
                    Diagnostic::new(&codes::BAD_SCENARIO, path.span, format!("`{written}` is a play, which is not an event"))
                        .help("name the actions of its text, or test the list: `expect list is [x]`"),
                );
            } else if let Some(span) = self.period_of_path(&written, path.span)
                && let Some((path, _)) = self.names.periods.get_index(span.index())
            {
                names.push(path.clone());
            }
        }
        names
    }

    fn all_expected(&mut self, items: &'a [Expr], slots: &ScenarioNames) -> Vec<ExpectedValue> {
        items.iter().map(|item| self.expected(item, slots)).collect()
    }

    fn pairs(&mut self, pairs: &'a [(Expr, Option<Expr>)], slots: &ScenarioNames) -> Vec<(ExpectedValue, Option<ExpectedValue>)> {
        let one = |(left, right): &'a (Expr, Option<Expr>)| {
            (self.expected(left, slots), right.as_ref().map(|right| self.expected(right, slots)))
        };
        pairs.iter().map(one).collect()
    }

    fn expected(&mut self, expr: &'a Expr, slots: &ScenarioNames) -> ExpectedValue {
        if let Some(Phrase { quantifier: None, other: false, head: Head::Quoted(name), filters: posts }) = as_phrase(expr)
            && posts.is_empty()
            && let Some(card) = self.names.card_id(name)
        {
            return ExpectedValue::Card(card);
        }
        let want = self.trait_word_type(expr, slots);
        ExpectedValue::Value(self.slot_function(expr, want, slots))
    }

    /// The type of an expression that is only a word of a trait set.
    fn trait_word_type(&self, expr: &Expr, slots: &ScenarioNames) -> Option<Type> {
        let Phrase { quantifier: None, other: false, head: Head::Word(name) | Head::Quoted(name), filters: posts } =
            as_phrase(expr)?
        else {
            return None;
        };
        if !posts.is_empty() || slots.names.iter().any(|(slot, _)| *slot == name.text) {
            return None;
        }
        let set = self.words.iter().position(|words| words.contains_key(&name.text))?;
        Some(Type::Word(fizzle_ir::TraitSetId(set as u32)))
    }

    fn answer(&mut self, answer: &'a Answer, slots: &ScenarioNames) -> ScriptedAnswer {
        match answer {
            Answer::Values(values) => ScriptedAnswer::Values(self.all_expected(values, slots)),
            Answer::Nothing => ScriptedAnswer::Nothing,
            Answer::Yes => ScriptedAnswer::Yes,
            Answer::No => ScriptedAnswer::No,
            Answer::Modes(modes) => ScriptedAnswer::Modes(modes.iter().map(|mode| mode.saturating_sub(1)).collect()),
        }
    }
}

impl ScenarioNames {
    /// The players of some positions: at least two, and up to the highest letter with a position.
    fn of_players<'p>(positions: impl Iterator<Item = &'p Position>) -> Self {
        let named = positions.flat_map(|position| &position.players).filter_map(|player| match player.player.text.as_bytes() {
            [letter @ b'A'..=b'H'] => Some(letter - b'A' + 1),
            _ => None,
        });
        let players = named.max().unwrap_or(2).max(2);
        let name = |seat: u8| (SmolStr::new(char::from(b'A' + seat).to_string()), Type::Player);
        Self { names: (0..players).map(name).collect(), players }
    }
}
