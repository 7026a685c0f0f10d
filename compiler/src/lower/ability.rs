//! Lowers abilities of cards, keywords and rules (CR 113).

use super::function_builder::{Binding, FunctionBuilder};
use super::pattern::{EventVerb, UnclosedPattern};
use super::{KeywordPart, Lowering};
use crate::diagnostics::word_suggestions::{is_or_are, value_count};
use crate::diagnostics::{Diagnostic, codes};
use crate::limits;
use crate::names::Meaning;
use crate::phrase_syntax::as_phrase;
use fizzle_grammar::ast::{
    Ability, AbilityKind, Block, Call, Expr, Fact, Head, Link, Name, Span, Statement, StatementKind, TriggerChange,
    UseLimit as WrittenLimit,
};
use fizzle_ir::{
    Ability as LoweredAbility, AbilityId, AbilityKind as LoweredKind, Batching, KeywordId, ModificationId, Op, Reg, TraitSetId,
    Type, UseLimit, UseLimitKey,
};

impl<'a> Lowering<'a> {
    /// Begins the context of abilities, which provides `this` and `you` to their functions.
    pub fn begin_context(&mut self, sourceless: bool) {
        self.begin(true, None, &[]);
        self.fun().has_no_source = sourceless;
        self.fun().context = Some(false);
    }

    /// Whether the innermost context is one of a rule of the game, which belongs to no player.
    fn belongs_to_no_player(&self) -> bool {
        self.funs.iter().rev().find(|fun| fun.context.is_some()).is_some_and(|fun| fun.has_no_source)
    }

    /// Reports a word or a statement that means the player of a text (`you`, `opponent`, a statement without a subject) where there
    /// is none. Returns whether it did.
    pub fn report_no_player(&mut self, span: Span, message: impl FnOnce(&str) -> String) -> bool {
        if !self.belongs_to_no_player() {
            return false;
        }
        let message = message(self.sources.slice(span));
        let problem = Diagnostic::new(&codes::NO_YOU, span, message);
        self.report(
            problem.help(
                "name the player: `active`, `controller of it`, a parameter of the event, or `for each p in players { … }`",
            ),
        );
        true
    }

    /// Reports `opponent` where it is a condition on a player or an object, and there is no player of a text.
    pub fn report_no_opponent(&mut self, span: Span) {
        self.report_no_player(span, |_| "`opponent` where no player has the text".to_owned());
    }

    /// Ends the context.
    pub fn end_context(&mut self) {
        self.funs.pop();
    }

    /// Lowers abilities within a context; keywords among them are not expanded.
    pub fn abilities(&mut self, abilities: &'a [Ability]) -> Vec<KeywordPart> {
        let mut parts = Vec::new();
        for ability in abilities {
            match &ability.kind {
                AbilityKind::Keyword(fact) => {
                    if ability.concealed {
                        self.report_not_here(
                            ability.span,
                            "only an activated ability works while its object is concealed",
                            "leave `concealed` out",
                        );
                    }
                    if let Some((keyword, args)) = self.keyword_fact(fact) {
                        parts.push(KeywordPart::Keyword(keyword, args));
                    }
                }
                _ => {
                    if let Some(id) = self.ability(ability) {
                        parts.push(KeywordPart::Ability(id));
                    }
                }
            }
        }
        parts
    }

    /// Lowers a keyword with its arguments, written as a printed fact.
    pub fn keyword_fact(&mut self, fact: &'a Fact) -> Option<(KeywordId, Vec<i32>)> {
        let keyword = self.names.meanings(&fact.word.text).iter().find_map(|meaning| match meaning {
            Meaning::Keyword(id) => Some(*id),
            _ => None,
        });
        let Some(keyword) = keyword else {
            let known = self.names.keywords.keys().map(smol_str::SmolStr::as_str);
            let problem =
                Diagnostic::new(&codes::UNKNOWN_FACT, fact.word.span, format!("no keyword is called `{}`", fact.word.text))
                    .did_you_mean(&fact.word.text, known);
            self.report(problem);
            return None;
        };
        let args = self.keyword_args_of(fact, keyword)?;
        Some((keyword, args))
    }

    fn keyword_args_of(&mut self, fact: &'a Fact, keyword: KeywordId) -> Option<Vec<i32>> {
        match &fact.value {
            Some(value) if fact.args.is_empty() => self.keyword_args(&fact.word, keyword, std::slice::from_ref(value)),
            _ => self.keyword_args(&fact.word, keyword, &fact.args),
        }
    }

    /// Evaluates the arguments of a keyword, which must be constant. Reports a wrong number of arguments.
    pub fn keyword_args(&mut self, name: &Name, keyword: KeywordId, args: &'a [Expr]) -> Option<Vec<i32>> {
        let (_, declared) = self.names.keywords.get_index(keyword.index())?;
        if declared.with_body {
            self.report_missing_body(name, declared);
            return None;
        }
        if declared.params.len() != args.len() {
            let code = if args.len() < declared.params.len() { &codes::MISSING_OPERAND } else { &codes::EXTRA_OPERAND };
            let problem = Diagnostic::new(
                code,
                name.span,
                format!(
                    "`{}` takes {}, but {} {} given",
                    name.text,
                    value_count(declared.params.len()),
                    args.len(),
                    is_or_are(args.len())
                ),
            )
            .also(declared.span, "declared here");
            let example = |(name, ty): &(smol_str::SmolStr, Type)| match ty {
                Type::Number => "2".to_owned(),
                _ => name.to_string(),
            };
            let list: Vec<String> = declared.params.iter().map(example).collect();
            let help = if list.is_empty() {
                format!("write `{}` alone", name.text)
            } else {
                format!("write `{}({})`", name.text, list.join(", "))
            };
            self.report(problem.help(help));
            return None;
        }
        let types: Vec<Type> = declared.params.iter().map(|(_, ty)| *ty).collect();
        for (arg, ty) in args.iter().zip(&types) {
            self.lint_number_for_price(name, arg, *ty);
        }
        let values: Vec<i32> = args
            .iter()
            .zip(types)
            .map(|(arg, ty)| self.word_of_another_set(arg, ty).unwrap_or_else(|| self.must_be_constant(arg, ty) as i32))
            .collect();
        for (arg, value) in args.iter().zip(&values) {
            if another_set(*value).is_some() {
                self.foreign_arguments.entry((keyword, values.clone())).or_insert(arg.span);
            }
        }
        Some(values)
    }

    /// Returns the value of an argument that is a word, but of no set that the parameter is declared for: the keyword's text means that word
    /// then, in all questions about words of objects.
    fn word_of_another_set(&self, arg: &Expr, ty: Type) -> Option<i32> {
        let Type::Words(declared) = ty else { return None };
        let phrase = as_phrase(arg).filter(|phrase| phrase.quantifier.is_none() && phrase.filters.is_empty())?;
        let Head::Word(name) = &phrase.head else { return None };
        let encode = |set: TraitSetId, word: u16| ((set.index() as i32 + 1) << 16) | i32::from(word);
        match self.local_type(&name.text) {
            Some((_, Binding::Word(set, word))) if set != declared => return Some(encode(set, word)),
            Some(_) => return None,
            None => {}
        }
        let words = self.names.meanings(&name.text).iter().filter_map(|meaning| match meaning {
            Meaning::Word(set, word) => Some((*set, *word)),
            _ => None,
        });
        let mut others = words.clone().filter(|(set, _)| *set != declared);
        if words.clone().any(|(set, _)| set == declared) {
            return None;
        }
        others.next().map(|(set, word)| encode(set, word))
    }

    /// Lowers one ability within a context.
    pub fn ability(&mut self, ability: &'a Ability) -> Option<AbilityId> {
        let before = self.at;
        self.at = ability.span;
        let mut zones = self.ability_zones(ability);
        if ability.concealed && !matches!(ability.kind, AbilityKind::Activated(_)) {
            self.report_not_here(
                ability.span,
                "only an activated ability works while its object is concealed",
                "leave `concealed` out",
            );
        }
        let kind = self.ability_kind(ability);
        // An ability about this object entering the field must work in the zone that the object comes from.
        let entry = match &ability.kind {
            AbilityKind::Instead { pattern, .. } | AbilityKind::Cannot(pattern) => self.is_own_entry(pattern),
            _ => false,
        };
        let anywhere =
            matches!(kind, Some(LoweredKind::Paragraph { .. } | LoweredKind::Cost { .. } | LoweredKind::CostOption { .. }))
                || matches!(ability.kind, AbilityKind::Defines(_));
        if (entry || anywhere) && ability.zones.is_empty() {
            zones = u32::MAX;
        }
        self.lint_ability_zones(ability, zones);
        self.at = before;
        let id = AbilityId(self.library.abilities.len() as u32);
        let source = self.sources.source(ability.span);
        self.library.abilities.push(LoweredAbility { name: self.owner.name.clone(), zones, kind: kind?, source });
        Some(id)
    }

    fn ability_kind(&mut self, ability: &'a Ability) -> Option<LoweredKind> {
        match &ability.kind {
            AbilityKind::When { pattern, condition, limit, body } => {
                let mut open = self.pattern(pattern, &[])?;
                // A trigger on `this` entering that does not work in the field is matched with the object after its move.
                let arrives = open.event_verb == EventVerb::Enters && crate::phrase_syntax::is_word(&pattern.subject, "this");
                open.looks_back &= !(arrives && self.ability_zones(ability) & self.field_mask() == 0);
                self.record_trigger(open.event_verb, pattern);
                match open.event_verb {
                    EventVerb::Play(play) => {
                        let zones = self.ability_zones(ability);
                        self.lint_play_trigger(play, pattern, zones);
                    }
                    EventVerb::Enters => self.lint_entering_noun(pattern),
                    EventVerb::Action(action) => {
                        let zones = self.ability_zones(ability);
                        self.lint_arrival_trigger(action, pattern, zones);
                    }
                    EventVerb::Leaves => {}
                }
                if condition.is_none() && limit.is_none() && pattern.nth_time.is_none() {
                    self.lint_self_trigger(pattern, body);
                }
                Some(self.triggered(open, condition.as_deref(), limit.as_deref(), body, ability))
            }
            AbilityKind::TriggerChange { pattern, whose, change } => {
                let open = self.pattern(pattern, &[])?;
                if let Some(span) = open.one_or_more {
                    self.report_not_here(span, "this is evaluated for each event separately", "leave `one or more` out");
                }
                self.begin_event(open.event_verb.action(), true);
                let source = self.trailing_param(Type::Object);
                // A trigger of a rule has no source, so that it is a trigger of no object.
                let none = self.constant(0, Type::Object);
                let is_of_object = self.binary(fizzle_ir::op::Binary::NotEqual, source, none, Type::Bool);
                let holds = self.short_circuit(true, is_of_object, |lower| {
                    lower.predicate(super::TypedRegister::new(source, Type::Object), whose)
                });
                self.emit(Op::Return { value: Some(holds) });
                let child = self.end_child();
                let whose = self.close(child, &[]);
                let pattern = self.close_pattern(open, &[]);
                let change = match change {
                    TriggerChange::Again => fizzle_ir::TriggerChange::Again,
                    TriggerChange::Never => fizzle_ir::TriggerChange::Never,
                    TriggerChange::NotOptionally => fizzle_ir::TriggerChange::NotOptionally,
                };
                Some(LoweredKind::TriggerModifier { pattern, whose, change })
            }
            AbilityKind::AsSoon { condition, body } => Some(self.state_trigger(condition, body, ability)),
            AbilityKind::At { moment, condition, limit, body } => {
                if !ability.immediately {
                    self.lint_late_trigger(moment);
                }
                let open = self.moment_pattern(moment)?;
                Some(self.triggered(open, condition.as_deref(), limit.as_deref(), body, ability))
            }
            AbilityKind::Instead { pattern, condition, optional, body } => {
                let conditions: Vec<&'a Expr> = condition.iter().map(AsRef::as_ref).collect();
                let open = self.pattern(pattern, &conditions)?;
                let body = self.event_body(&open, body, optional.then_some(1));
                let body = self.close(body, &[]);
                let pattern = self.close_pattern(open, &[]);
                Some(LoweredKind::Replacement { pattern, optional: *optional, body })
            }
            AbilityKind::Cannot(pattern) => {
                self.lint_forbidden_noun(pattern);
                self.lint_unset_status(pattern);
                let open = self.pattern(pattern, &[])?;
                let pattern = self.close_pattern(open, &[]);
                Some(LoweredKind::Prohibition { pattern })
            }
            AbilityKind::Clause(clause) => {
                Some(LoweredKind::Static { condition: None, modifications: self.static_clause(clause) })
            }
            AbilityKind::Static { condition, clauses } => {
                let condition = condition.as_ref().map(|condition| {
                    self.begin_child(true, Some(Type::Bool));
                    let holds = self.bool(condition);
                    self.emit(Op::Return { value: Some(holds) });
                    let child = self.end_child();
                    self.close(child, &[])
                });
                let mods = clauses.iter().flat_map(|clause| self.clause(clause)).collect();
                Some(LoweredKind::Static { condition, modifications: mods })
            }
            AbilityKind::Defines(mods) => Some(LoweredKind::Static { condition: None, modifications: self.defines(mods) }),
            AbilityKind::Does(block) => {
                self.begin_child(false, None);
                let outer = self.paragraph_level.replace(self.funs.len());
                self.block(block);
                self.paragraph_level = outer;
                let child = self.end_child();
                Some(LoweredKind::Paragraph { body: self.close(child, &[]) })
            }
            AbilityKind::Cost(block) => {
                let (body, possible) = self.cost_block(block);
                Some(LoweredKind::Cost { body, possible })
            }
            AbilityKind::Option { status, instead, play } => self.option(status, *instead, play),
            AbilityKind::Activated(play) => {
                let (span, written) = (play.span, play);
                let mut play = self.play_in_context(play, true);
                play.while_concealed = ability.concealed;
                if ability.concealed && (!written.immediate || play.during_payment || play.produces.is_some()) {
                    self.report_not_here(
                        span,
                        "an ability of a concealed object must resolve immediately and cannot pay for anything",
                        "write `immediately`, without `usable while paying` and `produces`: an ability on the list would reveal the object",
                    );
                }
                Some(LoweredKind::Activated { play: Box::new(play) })
            }
            AbilityKind::Keyword(_) => None,
            AbilityKind::Costed(_) => {
                let message = "the symbols of its costs expand to too much".to_owned();
                self.report(limits::exceeded(
                    ability.span,
                    message,
                    "let the symbols stand for fewer statements, or write fewer of them",
                ));
                None
            }
            AbilityKind::KeywordBlock(used) => {
                self.report_unexpanded(used, ability.span);
                None
            }
        }
    }

    fn clause(&mut self, clause: &'a Statement) -> Vec<ModificationId> {
        let before = self.at;
        self.at = clause.span;
        let mods = match &clause.kind {
            StatementKind::Gets { whom, mods, until: None } => self.static_gets(whom, mods),
            StatementKind::Cannot { pattern, until: None } => self.static_cannot(pattern),
            StatementKind::Clause { clause, until: None } => self.static_clause(clause),
            StatementKind::Gets { until: Some(until), .. }
            | StatementKind::Cannot { until: Some(until), .. }
            | StatementKind::Clause { until: Some(until), .. } => {
                self.report(
                    Diagnostic::new(&codes::MISPLACED_FORM, until.span, "a static ability lasts while its condition holds")
                        .help("leave `until` out"),
                );
                Vec::new()
            }
            other => {
                let conditional = match other {
                    StatementKind::If { condition, otherwise, .. } => {
                        let condition = self.sources.slice(condition.span);
                        let second =
                            if otherwise.is_some() { format!(", `while not ({condition}) {{ … }}`") } else { String::new() };
                        Some(format!("write the condition first, in the place of `always`: `while {condition} {{ … }}`{second}"))
                    }
                    _ => None,
                };
                let help = conditional.or_else(|| self.suggest_gets(other));
                let help = help.unwrap_or_else(|| "make it a trigger: `when … { … }`".to_owned());
                self.report(
                    Diagnostic::new(
                        &codes::MISPLACED_FORM,
                        clause.span,
                        "a static ability contains only `gets`, `cannot` and `must` clauses",
                    )
                    .help(help),
                );
                Vec::new()
            }
        };
        self.at = before;
        mods
    }

    /// Suggests `gets` for `this gains 2000 power`.
    fn suggest_gets(&self, statement: &StatementKind) -> Option<String> {
        let StatementKind::Calls(calls) = statement else { return None };
        let call = calls.first()?;
        let verb = call.verb.text.as_str();
        let subject = call.subject.as_ref()?;
        if !matches!(verb, "gain" | "gains" | "get" | "have" | "has" | "lose" | "loses") {
            return None;
        }
        let sign = if verb.starts_with("lose") { "-" } else { "+" };
        let rest = self.sources.slice(Span { start: call.verb.span.end, ..call.span }).trim();
        let sign = if rest.starts_with(|c: char| c.is_ascii_digit()) { sign } else { "" };
        Some(format!("write the change with `gets`: `{} gets {sign}{rest}`", self.sources.slice(subject.who.span)))
    }

    fn triggered(
        &mut self,
        open: UnclosedPattern,
        condition: Option<&'a Expr>,
        limit: Option<&'a WrittenLimit>,
        block: &'a Block,
        ability: &Ability,
    ) -> LoweredKind {
        let action = open.event_verb.action();
        let condition = condition.map(|condition| {
            self.begin_event(action, true);
            self.bind_event(&open);
            let holds = self.bool(condition);
            self.emit(Op::Return { value: Some(holds) });
            self.end_child()
        });
        let body = self.event_body(&open, block, None);
        let batching = self.batching(&open, condition.iter().chain([&body]));
        let condition = condition.map(|condition| self.close(condition, &[]));
        let body = self.close(body, &[]);
        let pattern = self.close_pattern(open, &[]);
        let (immediate, off_list, can_miss_timing) = (ability.immediately, ability.off_list, ability.can_miss_timing);
        let limit = limit.and_then(|limit| self.limit(limit));
        LoweredKind::Triggered {
            pattern,
            condition,
            optional: is_optional(block),
            immediate,
            off_list,
            limit,
            can_miss_timing,
            batching,
            body,
        }
    }

    /// Lowers `as soon as COND { … }`: a state trigger (CR 603.8).
    fn state_trigger(&mut self, condition: &'a Expr, block: &'a Block, ability: &Ability) -> LoweredKind {
        let action = fizzle_ir::ActionId(fizzle_ir::verbs::CHECK_STATE_TRIGGERS);
        self.begin_event(action, true);
        let holds = self.bool(condition);
        self.emit(Op::Return { value: Some(holds) });
        let child = self.end_child();
        let filter = Some(self.close(child, &[]));
        self.begin_event(action, false);
        self.block(block);
        let body = self.end_child();
        let body = self.close(body, &[]);
        let help = match (ability.immediately, ability.can_miss_timing) {
            (true, _) => {
                Some("write `off list as soon as COND: …`: when its turn comes, it resolves instead of being put on the list")
            }
            (false, true) => Some("leave `missable` out: `as soon as COND: …`"),
            (false, false) => None,
        };
        if let Some(help) = help {
            self.report_not_here(condition.span, "an `as soon as` trigger cannot be `immediately` or `missable`", help);
        }
        let pattern = fizzle_ir::EventPattern { action, filter, looks_back: false };
        LoweredKind::Triggered {
            pattern,
            condition: None,
            optional: is_optional(block),
            immediate: false,
            off_list: ability.off_list,
            limit: None,
            can_miss_timing: false,
            batching: Batching::Each,
            body,
        }
    }

    /// Lowers the body of a replacement or trigger. `may`: the register of the player who may decline it.
    fn event_body(&mut self, open: &UnclosedPattern, block: &'a Block, may: Option<Reg>) -> FunctionBuilder {
        self.begin_event(open.event_verb.action(), false);
        self.bind_event(open);
        self.fun().may_player = may;
        self.block(block);
        self.end_child()
    }

    /// Lowers a usage limit.
    pub fn limit(&mut self, limit: &'a WrittenLimit) -> Option<UseLimit> {
        let path = crate::names::dotted(limit.period_path.parts.iter().map(|part| part.text.as_str()));
        let span = match path.as_str() {
            super::memory::GAME if self.names.find_period(&path).is_empty() => fizzle_ir::WHOLE_GAME,
            _ => self.period_of_path(&path, limit.period_path.span)?,
        };
        let key = match limit.by.as_ref().map(|by| by.text.as_str()) {
            None => UseLimitKey::Object,
            Some("name") => UseLimitKey::Name,
            Some("player") => UseLimitKey::Player,
            Some(other) => {
                let at = limit.by.as_ref().map_or(limit.span, |by| by.span);
                let problem = Diagnostic::new(&codes::BAD_SETTING, at, format!("a limit cannot count by `{other}`"));
                self.report(
                    problem
                        .did_you_mean(other, ["name", "player"])
                        .help("write `by name` or `by player`; without it each object has its own limit"),
                );
                return None;
            }
        };
        Some(UseLimit { count: limit.count, period: span, key })
    }

    /// Reports a construct that is not allowed at a place.
    pub fn report_not_here(&mut self, span: Span, message: &str, help: &str) {
        self.report(Diagnostic::new(&codes::MISPLACED_FORM, span, message).help(help));
    }
}

/// Whether a text begins with `you may …` and all its other statements depend on that.
#[must_use]
pub fn is_optional(block: &Block) -> bool {
    match block.statements.as_slice() {
        [Statement { kind: StatementKind::Calls(calls), .. }, rest @ ..] => {
            let you = |call: &Call| {
                let subject = call.subject.as_ref();
                call.may && subject.is_none_or(|s| crate::phrase_syntax::is_word(&s.who, "you"))
            };
            let depends = |statement: &Statement| matches!(statement.link, Link::Then | Link::IfYouDo);
            let linked = rest.first().is_none_or(|statement| statement.link == Link::IfYouDo);
            calls.first().is_some_and(you) && linked && rest.iter().all(depends)
        }
        _ => false,
    }
}

/// Returns the set and the word of an argument of a keyword that is a word of another set than the parameter's.
pub fn another_set(value: i32) -> Option<(TraitSetId, u16)> {
    let set = u32::try_from(value >> 16).ok()?.checked_sub(1)?;
    Some((TraitSetId(set), value as u16))
}
