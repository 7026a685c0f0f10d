//! Lowers event patterns and legality queries. A pattern is an action and one filter function over the arguments and the cause of the event.

use super::function_builder::{Binding, FunctionBuilder, ItBinding, Local};
use super::{Lowering, TypedRegister};
use crate::diagnostics::{Diagnostic, codes};
use crate::phrase_syntax::{as_phrase, bare_word, is_word};
use crate::verb_forms::is_inflected_form;
use fizzle_grammar::ast::{BinaryOp, Expr, ExprKind, Head, Name, Pattern, Phrase, PhraseFilter, PhraseFilterKind, Span};
use fizzle_ir::op::{Binary, Place};
use fizzle_ir::scenario::third_person;
use fizzle_ir::verbs::{ANNOUNCE, CREATE, FIZZLE, PUT, RESOLVE, VERBS};
use fizzle_ir::{ActionId, Batching, CAUSE_WORDS, EventPattern, NO_PLAYER, Op, Reg, Type};
use smol_str::SmolStr;

/// The parameters that describe the cause of an event; they follow its arguments.
pub(super) const CAUSE_PARAMS: [(&str, Type); CAUSE_WORDS] =
    [("cause", Type::Number), ("cause_source", Type::Object), ("cause_player", Type::Player), ("chooser", Type::Player)];

/// The parameter of announcements that is the number of the play.
const PLAY_PARAM: usize = 2;

/// The most actions that a message lists.
const MAX_SPECIAL_ACTIONS: usize = 4;

/// English articles and `another`, which are no words of the language and get a suggestion.
const ARTICLES: [&str; 4] = ["a", "an", "the", "another"];

/// What the verb of a pattern resolves to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventVerb {
    /// An action.
    Action(ActionId),
    /// A move into a zone.
    Enters,
    /// A move out of a zone.
    Leaves,
    /// The announcement of the play with this number.
    Play(u32),
}

impl EventVerb {
    /// Returns the action of the event.
    #[must_use]
    pub fn action(self) -> ActionId {
        match self {
            Self::Action(id) => id,
            Self::Enters | Self::Leaves => ActionId(PUT),
            Self::Play(_) => ActionId(ANNOUNCE),
        }
    }
}

/// A pattern whose filter is not closed over its captures yet.
#[derive(Debug)]
pub struct UnclosedPattern {
    /// What its verb resolves to.
    pub event_verb: EventVerb,
    /// Its filter; `None` if all events of the action match.
    pub filter: Option<FunctionBuilder>,
    /// Whether it is matched against the state before the event (CR 603.10).
    pub looks_back: bool,
    /// Parameters that are things and that the pattern proves to be objects or players.
    pub narrowed_params: Vec<(usize, Type)>,
    /// The span of `one or more`: all matching events of a batch are one match.
    pub one_or_more: Option<Span>,
    /// The only party that the pattern names, of an action that a later parameter does: simultaneous events of that party are one match.
    pub sole_party: Option<usize>,
}

impl<'a> Lowering<'a> {
    /// Finds what a verb in a pattern means; reports an unknown one.
    pub fn event_verb(&mut self, word: &str, span: Span, passive: bool) -> Option<EventVerb> {
        if matches!(word, "enters" | "enter") {
            return Some(EventVerb::Enters);
        }
        if matches!(word, "leaves" | "leave") {
            return Some(EventVerb::Leaves);
        }
        if let Some(id) = self.names.action_of_form(word, passive) {
            return Some(EventVerb::Action(id));
        }
        if let Some(id) = VERBS.iter().position(|verb| verb.pattern_words.contains(&word)) {
            return Some(EventVerb::Action(ActionId(id as u32)));
        }
        if let Some(play) = self.names.plays.keys().position(|name| is_inflected_form(name, word, passive)) {
            return Some(EventVerb::Play(play as u32));
        }
        let names = self.names;
        let third: Vec<String> = names.actions.keys().chain(names.plays.keys()).map(|name| third_person(name)).collect();
        let known = third.iter().map(String::as_str).chain(names.actions.keys().map(SmolStr::as_str)).chain(["enters", "leaves"]);
        let problem =
            Diagnostic::new(&codes::UNKNOWN_VERB, span, format!("no action is called `{word}`")).did_you_mean(word, known);
        let own =
            self.owner.name.strip_prefix("card ").is_some_and(|name| name.trim_matches('"').split(' ').any(|part| part == word));
        let problem = match self.names.action_within(word) {
            Some(action) if problem.help.is_empty() => {
                let by_player = self.names.actions.get(action).and_then(|signature| signature.params.first());
                let event = match by_player {
                    Some((_, Type::Player)) => format!("PLAYER {}", third_person(action)),
                    _ => format!("X is {}", self.names.participle_of_action(action)),
                };
                problem
                    .help(format!("the action is called `{action}`, and its event is `{event}`"))
                    .help(format!("`fizzle explain {action}` shows how cards use it"))
            }
            _ => problem,
        };
        let problem = match self.suggest_passive_of_joined(word) {
            Some(help) => Diagnostic { help: vec![help], fixes: Vec::new(), ..problem },
            None => problem,
        };
        let problem = if own {
            problem.help("a card calls itself `this`: `when this …`")
        } else if self.names.zone_id(word).is_some() {
            problem.help(format!(
                "a pattern begins with the object or player of the event: `this enters {word}`, `this leaves {word}`"
            ))
        } else if self.names.find_period(word).is_empty() {
            problem
                .or_help("a pattern uses an action of the game: `this is …ed`, `you …`, `this enters ZONE`, `this leaves ZONE`")
        } else {
            let before = self.sources.text(span.file).get(..span.start as usize).unwrap_or("").trim_end();
            let words: Vec<&str> = before.rsplit(' ').take(2).collect();
            let whose = match words.as_slice() {
                ["next", whose @ ("your" | "its" | "opponent's")] => format!("{whose} next "),
                ["your", ..] => "your ".to_owned(),
                _ => String::new(),
            };
            let message = format!("`{whose}{word}` is a period, not an event");
            Diagnostic { message, ..problem }
                .help(format!("write its start or its end: `start of {whose}{word}`, `end of {whose}{word}`"))
        };
        self.report(problem);
        None
    }

    /// Returns the names and types of the event parameters of a filter or body: the parameters of the action, then `CAUSE_PARAMS`.
    pub fn event_params(&self, action: ActionId) -> Vec<(SmolStr, Type)> {
        let own = self.names.actions.get_index(action.index()).map(|(_, signature)| signature.params.clone()).unwrap_or_default();
        own.into_iter().chain(CAUSE_PARAMS.iter().map(|(name, ty)| (SmolStr::new(name), *ty))).collect()
    }

    /// Begins a child function with the event as its trailing parameters. `it` is the object or thing that acts, or the first one.
    pub fn begin_event(&mut self, action: ActionId, pure: bool) -> Vec<Reg> {
        self.begin_child(pure, pure.then_some(Type::Bool));
        let params = self.event_params(action);
        let mut regs = Vec::with_capacity(params.len());
        self.fun().locals.reserve(params.len());
        let (mut subject, mut named) = (None, None);
        let doer = self.names.actions.get_index(action.index()).and_then(|(_, signature)| signature.acting_param);
        for (index, (name, ty)) in params.into_iter().enumerate() {
            let reg = self.trailing_param(ty);
            regs.push(reg);
            if ty.is_reference() && subject.is_none() && name != "cause_source" || doer == Some(index) {
                subject = Some((reg, ty));
            }
            if name == "it" {
                named = Some((reg, ty));
            } else {
                // Reported once, in the filter: the body has the same names.
                if pure {
                    self.report_shadowing(&name, self.at);
                }
                self.fun().locals.push(Local {
                    name,
                    span: Span::default(),
                    ty: Some(ty),
                    binding: Binding::Reg(reg),
                    is_used: true,
                    warn_if_unused: false,
                });
            }
        }
        // A parameter of this name has no other one.
        if let Some((reg, ty)) = named.or(subject) {
            self.fun().it = ItBinding::Bound(Binding::Reg(reg), ty);
        }
        regs
    }

    /// To be called after [`Lowering::begin_event`] in a condition or body of a pattern: binds what the pattern proves about the event. With
    /// `one or more` only the parameters of the cause are in scope, since the arguments differ by event.
    pub fn bind_event(&mut self, open: &UnclosedPattern) {
        match open.one_or_more {
            Some(span) => {
                let fun = self.fun();
                fun.it = ItBinding::EventGroup(span);
                fun.locals.retain(|local| CAUSE_PARAMS.iter().any(|(name, _)| *name == local.name));
            }
            None => self.narrow_event_params(open.event_verb.action(), &open.narrowed_params),
        }
    }

    /// To be called after [`Lowering::begin_event`]: gives parameters that are things the type that the pattern proves.
    pub fn narrow_event_params(&mut self, action: ActionId, known: &[(usize, Type)]) {
        let params = self.event_params(action);
        for (index, ty) in known {
            let Some((name, _)) = params.get(*index) else { continue };
            let Some(thing) = self.fun().trailing_params.get(*index).copied() else { continue };
            let start = self.fun().ops.len();
            let reg = self.cast(thing, *ty);
            let fun = self.fun();
            // Targets that depend on it compute it themselves on announcement.
            fun.record_let(start);
            if fun.it == ItBinding::Bound(Binding::Reg(thing), Type::Thing) {
                fun.it = ItBinding::Bound(Binding::Reg(reg), *ty);
            }
            if name != "it" {
                let binding = Binding::Reg(reg);
                fun.locals.push(Local {
                    name: name.clone(),
                    span: Span::default(),
                    ty: Some(*ty),
                    binding,
                    is_used: true,
                    warn_if_unused: false,
                });
            }
        }
    }

    /// Lowers a pattern with further conditions on the event. Returns `None` if its verb or its form is wrong; that was reported.
    pub fn pattern(&mut self, pattern: &'a Pattern, conditions: &[&'a Expr]) -> Option<UnclosedPattern> {
        let before = self.at;
        self.at = pattern.span;
        if let Some(article) = bare_word(&pattern.subject).filter(|word| ARTICLES.contains(&word.text.as_str()))
            && self.local_type(&article.text).is_none()
        {
            let problem = Diagnostic::new(&codes::UNKNOWN_NAME, article.span, format!("nothing is called `{}`", article.text));
            self.report(problem.help(match article.text.as_str() {
                "another" => format!("write `other`: `other {} …`", pattern.verb.text),
                _ => format!("leave `{}` out: `{} …`", article.text, pattern.verb.text),
            }));
            self.at = before;
            return None;
        }
        if self.report_second_event(pattern) {
            self.at = before;
            return None;
        }
        if self.names.action_of_form(&pattern.verb.text, pattern.passive).is_none()
            && let Some(help) = self.suggest_event_of_this(pattern)
        {
            let subject = self.sources.slice(pattern.subject.span).to_owned();
            let noun = &pattern.verb.text;
            let message = format!("`{subject} {noun}` is `{subject}` alone");
            self.report(Diagnostic::new(&codes::UNKNOWN_VERB, pattern.verb.span, message).help(help));
            return None;
        }
        let event_verb = self.event_verb(&pattern.verb.text, pattern.verb.span, pattern.passive);
        let Some(event_verb) = event_verb else {
            self.at = before;
            return None;
        };
        let names = self.names;
        let name = match event_verb {
            EventVerb::Action(id) => names.actions.get_index(id.index()).map(|(name, _)| name.as_str()),
            EventVerb::Play(play) => names.plays.get_index(play as usize).map(|(name, _)| name.as_str()),
            EventVerb::Enters | EventVerb::Leaves => None,
        };
        if let Some(name) = name
            && crate::verb_forms::is_past(name, pattern)
        {
            // A wrong voice is reported first; then the past tense is not reported.
            if self.subject_param(&pattern.subject, false, &pattern.verb, event_verb).is_some() {
                self.suggest_event_form(name, pattern, &third_person(name));
            }
            self.at = before;
            return None;
        }
        let action = event_verb.action();
        let args = self.begin_event(action, true);
        self.fun().outlives_statement = true;
        let mut tests: Vec<EventConstraint<'a>> = Vec::new();
        if let EventVerb::Play(play) = event_verb {
            tests.push(EventConstraint::Play(play));
            self.lint_play_object(play, pattern);
        }
        if let EventVerb::Action(action) = event_verb {
            self.lint_repeating_action(action, pattern);
        }
        self.pattern_constraints(pattern, event_verb, &mut tests);
        let params = self.event_params(action);
        let thing = |index: usize| params.get(index).is_some_and(|(_, ty)| *ty == Type::Thing);
        let known: Vec<(usize, Type)> = tests
            .iter()
            .filter_map(|test| match test {
                EventConstraint::Param(index, expr) if thing(*index) => Some((*index, self.thing_kind(expr)?)),
                _ => None,
            })
            .collect();
        let first = tests.len();
        for condition in pattern.condition.iter() {
            tests.push(EventConstraint::Holds(condition));
        }
        for condition in conditions {
            tests.push(EventConstraint::Holds(condition));
        }
        let mut fails = Vec::new();
        let mut constant = true;
        let nth = pattern.nth_time.as_deref().and_then(|nth| Some((nth, self.memory_of(pattern, nth, event_verb)?)));
        for (number, test) in tests.iter().enumerate() {
            if number == first {
                self.narrow_event_params(action, &known);
            }
            if let Some(holds) = self.event_constraint(test, &args) {
                constant = false;
                fails.push(self.jump_unless(holds));
            }
        }
        if let Some((nth, memory)) = nth {
            if tests.len() == first {
                self.narrow_event_params(action, &known);
            }
            constant = false;
            let holds = self.is_nth_time(memory, nth, &known, &args);
            fails.push(self.jump_unless(holds));
        }
        self.return_unless(&fails);
        let fun = self.end_child();
        self.at = before;
        let two_parties = self
            .names
            .actions
            .get_index(action.index())
            .is_some_and(|(_, signature)| signature.acting_param.is_some_and(|param| param > 0));
        let sole_party = match &pattern.object {
            None if two_parties => self.subject_param(&pattern.subject, pattern.passive, &pattern.verb, event_verb),
            _ => None,
        };
        let from_field = action.0 == PUT && pattern.from.as_ref().is_some_and(|from| self.is_field(from));
        let declared = self.names.actions.get_index(action.index()).is_some_and(|(_, signature)| signature.looks_back);
        Some(UnclosedPattern {
            event_verb,
            filter: (!constant).then_some(fun),
            looks_back: declared || event_verb == EventVerb::Leaves || from_field,
            narrowed_params: known,
            one_or_more: pattern.one_or_more,
            sole_party,
        })
    }

    /// Returns how the simultaneous events of a trigger count, with its condition and body.
    ///
    /// An action that is done by a later parameter (`by source`) has two parties. A trigger that names one of them (`this deals_damage`,
    /// `this is dealt_damage`) triggers once for all simultaneous events of that party, and its number is their total, unless its text or
    /// its conditions read the other party (CR 510.2, 603.2c).
    pub fn batching<'f>(&self, open: &'f UnclosedPattern, texts: impl Iterator<Item = &'f FunctionBuilder>) -> Batching {
        if open.one_or_more.is_some() {
            return Batching::Once;
        }
        let params = self.names.actions.get_index(open.event_verb.action().index()).map(|(_, signature)| &signature.params);
        let (Some(party), Some(params)) = (open.sole_party, params) else { return Batching::Each };
        let is_party = |(index, (_, ty)): &(usize, &(SmolStr, Type))| {
            *index != party && matches!(ty, Type::Object | Type::Player | Type::Thing)
        };
        let others: Vec<Reg> = params.iter().enumerate().filter(is_party).map(|(index, _)| index as Reg + 2).collect();
        if open.filter.iter().chain(texts).any(|function| self.reads_any(function, &others)) {
            return Batching::Each;
        }
        let total = params.iter().position(|(_, ty)| *ty == Type::Number);
        Batching::PerParam { param: party as u16, total: total.map(|total| total as u16) }
    }

    /// Returns whether a function that captures nothing before its parameters reads some of its registers, in code or in choices.
    fn reads_any(&self, function: &FunctionBuilder, regs: &[Reg]) -> bool {
        let mut reads = false;
        for op in &function.ops {
            op.for_each_read(|reg| reads |= reg >= 2 && regs.contains(&reg));
        }
        let sites = function.sites.iter().filter_map(|site| self.library.sites.get(site.index()));
        reads || sites.into_iter().any(|site| site.captures.iter().any(|reg| *reg >= 2 && regs.contains(reg)))
    }

    /// Reports `when piece enters field of you` if all players share the zone: the owner must be named with the object.
    fn report_owner_of_shared_zone(&mut self, pattern: &'a Pattern, zone: &'a Expr) -> bool {
        let Some(Phrase { quantifier: None, other: false, head: Head::Word(name), filters: posts }) = as_phrase(zone) else {
            return false;
        };
        let [PhraseFilter { kind: PhraseFilterKind::Of(owner), .. }] = posts.as_slice() else { return false };
        if !self.is_zone_word(&name.text) || self.word_takes_of(name) {
            return false;
        }
        let text = |span| self.sources.slice(span).to_owned();
        let (subject, owner) = (text(pattern.subject.span), text(owner.span));
        let message = format!("`{}` is shared by all players", name.text);
        let mut problem = Diagnostic::new(&codes::BAD_PATTERN, zone.span, message);
        let bare = bare_word(&pattern.subject).is_some_and(|word| self.is_noun(&word.text));
        problem = problem.help(if bare {
            format!("write the owner with the object: `{subject} of {owner} {} {}`", pattern.verb.text, name.text)
        } else {
            format!("write the owner with the object: `NOUN of {owner} {} {}`", pattern.verb.text, name.text)
        });
        self.report(problem);
        true
    }

    /// Lowers a filter on parameters of an action, and a condition. Returns `None` if all events pass.
    pub fn pattern_filter(
        &mut self,
        event_verb: EventVerb,
        sides: &[(usize, &'a Expr)],
        condition: Option<&'a Expr>,
    ) -> Option<FunctionBuilder> {
        let args = self.begin_event(event_verb.action(), true);
        self.fun().outlives_statement = true;
        let tests = sides.iter().map(|(n, side)| EventConstraint::Param(*n, side)).chain(condition.map(EventConstraint::Holds));
        let mut fails = Vec::new();
        for test in tests.collect::<Vec<_>>() {
            if let Some(holds) = self.event_constraint(&test, &args) {
                fails.push(self.jump_unless(holds));
            }
        }
        self.return_unless(&fails);
        let fun = self.end_child();
        (!fails.is_empty()).then_some(fun)
    }

    /// Ends a filter: returns true, or false at the targets of the given jumps.
    fn return_unless(&mut self, fails: &[usize]) {
        let yes = self.constant(1, Type::Bool);
        self.emit(Op::Return { value: Some(yes) });
        for fail in fails {
            self.patch_jump(*fail);
        }
        if !fails.is_empty() {
            let no = self.constant(0, Type::Bool);
            self.emit(Op::Return { value: Some(no) });
        }
    }

    /// Adds the tests for the subject of `X would be created`, where X describes what does not exist yet: any card or token, of a player, or a
    /// definition by its name. Returns whether the subject is such a description; what cannot be tested in it is reported.
    fn created_subject(&mut self, subject: &'a Expr, tests: &mut Vec<EventConstraint<'a>>) -> bool {
        let (what_param, whose_param) = (0, 2);
        let Some(phrase) = as_phrase(subject).filter(|phrase| phrase.quantifier.is_none()) else { return false };
        let described = match &phrase.head {
            Head::Quoted(_) if phrase.filters.is_empty() => {
                tests.push(EventConstraint::Param(what_param, subject));
                return true;
            }
            Head::Quoted(_) => false,
            Head::Word(name) if self.is_noun(&name.text) => !phrase.other && self.names_all_created(&name.text),
            _ => return false,
        };
        if !described {
            return self.report_created_subject(subject.span);
        }
        for filter in &phrase.filters {
            match &filter.kind {
                PhraseFilterKind::Of(owner) => tests.push(EventConstraint::Param(whose_param, owner)),
                PhraseFilterKind::ThatIs { what, negated: false } if self.guess(what) == Some(Type::Card) => {
                    tests.push(EventConstraint::Param(what_param, what));
                }
                _ => return self.report_created_subject(filter.span),
            }
        }
        true
    }

    /// Whether a noun describes everything that can be created: `card`, or a noun of what was created, such as `token`.
    fn names_all_created(&self, noun: &str) -> bool {
        let Some(meaning) = self.names.nouns.get(noun) else { return matches!(noun, "card" | "object") };
        let Some(Phrase { quantifier: None, other: false, head: Head::Word(head), filters }) = as_phrase(meaning) else {
            return false;
        };
        let [PhraseFilter { kind: PhraseFilterKind::That(test), .. }] = filters.as_slice() else { return false };
        self.names_all_created(&head.text) && self.sources.slice(test.span).trim_start_matches(['(', ' ']).starts_with("created(")
    }

    fn report_created_subject(&mut self, span: Span) -> bool {
        let text = self.sources.slice(span).to_owned();
        let noun = self.names.nouns.keys().find(|noun| self.names_all_created(noun)).map_or("card", |noun| noun.as_str());
        self.report(
            Diagnostic::new(&codes::BAD_PATTERN, span, format!("`{text}` cannot be tested before the object exists")).help(
                format!("write `{noun} of PLAYER would be created`, `\"CARD\" would be created`, or `NOUN would enter ZONE`"),
            ),
        );
        true
    }

    fn pattern_constraints(&mut self, pattern: &'a Pattern, event_verb: EventVerb, tests: &mut Vec<EventConstraint<'a>>) {
        let params = self.event_params(event_verb.action());
        let params = &params[..params.len() - CAUSE_PARAMS.len()];
        let player_like = self.is_player_like(&pattern.subject);
        let describes_created =
            event_verb.action().0 == CREATE && pattern.passive && self.created_subject(&pattern.subject, tests);
        let subject = if describes_created {
            Some(0)
        } else {
            self.subject_param(&pattern.subject, pattern.passive, &pattern.verb, event_verb)
        };
        let Some(subject) = subject else { return };
        if describes_created {
        } else if params.is_empty() {
            if !self.matches_any_player(&pattern.subject) {
                self.report_no_param(&pattern.subject, &pattern.verb, event_verb.action());
            }
        } else if !(params.get(subject).is_some_and(|(_, ty)| !matches!(ty, Type::Player | Type::Thing))
            && player_like
            && self.matches_any_player(&pattern.subject))
        {
            if !self.fits_param(event_verb, subject, &pattern.subject) {
                return;
            }
            tests.push(EventConstraint::Param(subject, &pattern.subject));
        }
        match (event_verb, &pattern.object) {
            (EventVerb::Enters | EventVerb::Leaves, Some(zone)) if self.report_owner_of_shared_zone(pattern, zone) => {}
            (EventVerb::Enters, Some(zone)) => tests.push(EventConstraint::Crossing { inside: 1, outside: 5, zone }),
            (EventVerb::Leaves, Some(zone)) => tests.push(EventConstraint::Crossing { inside: 5, outside: 1, zone }),
            (EventVerb::Enters | EventVerb::Leaves, None) => {
                self.report(
                    Diagnostic::new(&codes::BAD_PATTERN, pattern.verb.span, format!("`{}` needs a zone", pattern.verb.text))
                        .help(format!("write `{} ZONE`", pattern.verb.text)),
                );
            }
            (_, Some(object)) => {
                let next = (subject + 1..params.len()).chain(0..subject).find(|index| *index != subject);
                match next.filter(|index| *index < params.len()) {
                    Some(index) if self.fits_param(event_verb, index, object) => {
                        tests.push(EventConstraint::Param(index, object))
                    }
                    Some(_) => {}
                    None => self.report_no_param(object, &pattern.verb, event_verb.action()),
                }
            }
            (_, None) => {}
        }
        if let Some(from) = &pattern.from {
            match params.iter().position(|(name, ty)| name == "from" && *ty == Type::Zone) {
                Some(index) => tests.push(EventConstraint::Param(index, from)),
                None => match params.iter().rposition(|(_, ty)| *ty == Type::Zone) {
                    Some(index) => tests.push(EventConstraint::Param(index, from)),
                    None => self.report_no_param(from, &pattern.verb, event_verb.action()),
                },
            }
        }
    }

    /// Whether an expression is the name of the field zone.
    pub fn is_field(&self, expr: &Expr) -> bool {
        let zone = bare_word(expr).filter(|word| self.is_zone_word(&word.text)).and_then(|word| self.names.zone_id(&word.text));
        zone.and_then(|zone| self.library.zones.get(zone.index())).is_some_and(|zone| zone.field)
    }

    /// Whether a pattern matches `this` entering the field.
    pub fn is_own_entry(&self, pattern: &Pattern) -> bool {
        is_word(&pattern.subject, "this")
            && (matches!(pattern.verb.text.as_str(), "enter" | "enters") || pattern.passive && pattern.verb.text == "put")
            && pattern.object.as_ref().is_some_and(|zone| self.is_field(zone))
    }

    /// Returns which parameter the subject of a pattern is: the one that acts (active voice), or the one that is acted on (passive voice).
    /// Reports a voice that the action does not have.
    pub fn subject_param(&mut self, subject: &Expr, passive: bool, verb: &Name, event_verb: EventVerb) -> Option<usize> {
        let action = event_verb.action();
        let names = self.names;
        if matches!(event_verb, EventVerb::Enters | EventVerb::Leaves) {
            return Some(0);
        }
        let (name, signature) = names.actions.get_index(action.index())?;
        let name = match event_verb {
            EventVerb::Play(play) => names.plays.get_index(play as usize)?.0.as_str(),
            _ => name.as_str(),
        };
        let built_in = VERBS.get(action.index()).is_some();
        let doer = signature.acting_param.unwrap_or(usize::MAX);
        let objects = signature.params.iter().enumerate().filter(|(_, (_, ty))| matches!(ty, Type::Object | Type::Thing));
        let object = objects.map(|(index, _)| index).find(|index| *index != doer);
        let Some((_, first)) = signature.params.first() else { return Some(0) };
        if doer > 0 && doer < signature.params.len() {
            return Some(if passive { object.unwrap_or(0) } else { doer });
        }
        let text = self.sources.slice(subject.span).to_owned();
        // The base form of the verb is right after `would` and `cannot`, but not in `is attack` or `you discard`.
        let between = self.sources.slice(Span { start: subject.span.end, end: verb.span.start, ..subject.span });
        let plain = verb.text == name && !matches!(between.trim(), "" | "is");
        let mood = if between.trim() == "cannot" { "cannot" } else { "would" };
        let does = if plain { format!("{mood} {name}") } else { third_person(name) };
        let participle = names.participle_of_action(name);
        let done = if plain { format!("{mood} be {participle}") } else { format!("is {participle}") };
        let (message, help) = match first {
            Type::Player | Type::Players => {
                if passive {
                    return Some(object.unwrap_or(0));
                }
                if object.is_none() || self.is_player_like(subject) || !self.is_object_like(subject) {
                    return Some(0);
                }
                (format!("a player does `{name}`, not an object"), format!("write `{text} {done}`, or `PLAYER {does} {text}`"))
            }
            _ if built_in && matches!(action.0, RESOLVE | FIZZLE) => return Some(0),
            Type::Object if signature.acting_param.is_some() => {
                if !passive {
                    return Some(0);
                }
                // Nothing can do it to the subject. As an event the passive would be ambiguous: it happens once for each that does it.
                if object.is_some() && between.trim().starts_with("cannot") {
                    // Reported if no player declares the action: `cannot be unattached` would be about the bearer.
                    self.clause_actions.insert(verb.span, action);
                    return object;
                }
                let second = signature.params.iter().skip(1).any(|(_, ty)| matches!(ty, Type::Object | Type::Thing));
                let does = self.active_form(between.trim(), name);
                let help =
                    if second { format!("write `{text} {does}` or `X {does} {text}`") } else { format!("write `{text} {does}`") };
                (format!("`{name}` is done by its object, not to it"), help)
            }
            _ if passive => return Some(object.unwrap_or(0)),
            _ => {
                let by = signature.params.iter().find(|(_, ty)| *ty == Type::Player).map(|(name, _)| name.as_str());
                let theirs = self.suggest_passive(subject, verb, &done, by);
                let help = match &theirs {
                    Some(theirs) => format!("write {theirs}"),
                    None if built_in || !matches!(first, Type::Object | Type::Objects) => format!("write `{text} {done}`"),
                    None => self.suggest_done_to(name, signature, &text, &done, verb.span),
                };
                (format!("`{name}` is done to its object, not by it"), help)
            }
        };
        let mut problem = Diagnostic::new(&codes::BAD_PATTERN, verb.span, message).help(help);
        if !built_in {
            problem = problem.also(signature.span, "declared here");
        }
        self.report(problem);
        None
    }

    /// A play, and those that have its name as their class: what is about the play is about them.
    fn plays_of_class(&self, play: u32) -> Vec<u32> {
        let plays = &self.names.plays;
        let mut found = vec![play];
        let mut next = 0;
        while let Some((name, _)) = found.get(next).and_then(|play| plays.get_index(*play as usize)) {
            let of_class = plays.values().enumerate().filter(|(_, play)| play.classes.iter().any(|class| class.text == *name));
            let more: Vec<u32> = of_class.map(|(number, _)| number as u32).filter(|number| !found.contains(number)).collect();
            found.extend(more);
            next += 1;
        }
        found
    }

    fn is_object_like(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Binary { op: BinaryOp::Or | BinaryOp::And, left, right } => {
                self.is_object_like(left) && self.is_object_like(right)
            }
            _ => self.is_noun_like(expr) || matches!(self.guess(expr), Some(Type::Object | Type::Objects | Type::Card)),
        }
    }

    /// Whether a phrase can be matched against a parameter; reports it if not.
    pub fn fits_param(&mut self, event_verb: EventVerb, index: usize, expr: &Expr) -> bool {
        let names = self.names;
        let Some((action, signature)) = names.actions.get_index(event_verb.action().index()) else { return true };
        let Some((param, ty)) = signature.params.get(index) else { return true };
        match &expr.kind {
            ExprKind::Binary { op: BinaryOp::Or | BinaryOp::And, left, right } => {
                return self.fits_param(event_verb, index, left) && self.fits_param(event_verb, index, right);
            }
            ExprKind::Phrase(Phrase { quantifier: None, head: Head::Group(inner), filters: posts, .. }) if posts.is_empty() => {
                return self.fits_param(event_verb, index, inner);
            }
            _ => {}
        }
        let zone = bare_word(expr).is_some_and(|word| self.is_zone_word(&word.text));
        let found = if self.matches_any_player(expr) {
            Some(Type::Player)
        } else if self.is_noun_like(expr) && !zone {
            self.guess(expr)
                .filter(|ty| matches!(ty, Type::Player | Type::Players | Type::Card | Type::Zone))
                .or(Some(Type::Objects))
        } else {
            self.guess(expr)
        };
        let Some(found) = found else { return true };
        if *ty == Type::Number && self.report_unrelated_number(expr, param) {
            return false;
        }
        let fits = match ty {
            Type::Object | Type::Objects => {
                !matches!(found, Type::Player | Type::Players | Type::Number | Type::Zone | Type::Price)
            }
            Type::Player | Type::Players => matches!(found, Type::Player | Type::Players | Type::Bool | Type::Thing),
            Type::Thing => !matches!(found, Type::Number | Type::Zone | Type::Price),
            Type::Number => matches!(found, Type::Number | Type::Words(_)),
            Type::Zone => !matches!(found, Type::Player | Type::Players | Type::Number | Type::Object | Type::Price | Type::Bool),
            Type::Card => matches!(found, Type::Card | Type::Object) || is_word(expr, "card"),
            _ => true,
        };
        if fits {
            return true;
        }
        let text = self.sources.slice(expr.span).to_owned();
        let found = if found == Type::Objects { "a kind of object".to_owned() } else { self.a_type(found) };
        let wanted = self.a_type(*ty);
        let mut problem = Diagnostic::new(
            &codes::BAD_PATTERN,
            expr.span,
            format!("`{text}` is {found}, but `{param}` of `{action}` is {wanted}"),
        );
        if *ty == Type::Number {
            problem = problem.help(format!("leave it out, or test the number: `where {param} >= 2`"));
        } else if matches!(ty, Type::Player | Type::Players) {
            problem = problem.help("name the player: `you …`, `opponent …`, `player …`");
        } else if matches!(ty, Type::Object | Type::Objects) {
            let is_doer = signature.acting_param == Some(index);
            let does = third_person(action);
            problem = problem.help(match (text.as_str(), is_doer) {
                (whose @ ("you" | "opponent" | "active"), true) => format!(
                    "objects do that: write `card of {whose} {does}` for each of them, or `one or more card of {whose} {does}` once for several"
                ),
                _ => "name the object: `this …`, `card …`, or another noun".to_owned(),
            });
        }
        if signature.span.end > 0 {
            problem = problem.also(signature.span, "declared here");
        }
        self.report(problem);
        false
    }

    /// Lowers a legality query (`X can VERB`, `X can be VERBED`, `X can VERB Y`): does nothing forbid this event now? A player of a declared action
    /// whom it does not name is `you`; in a text of no player, the machine tries each player.
    pub fn can(&mut self, left: &'a Expr, passive: bool, verb: &'a Name, object: Option<&'a Expr>) -> TypedRegister {
        let Some(event_verb) = self.event_verb(&verb.text, verb.span, passive) else { return self.error_value() };
        let Some(subject) = self.subject_param(left, passive, verb, event_verb) else { return self.error_value() };
        let action = event_verb.action();
        let params =
            self.names.actions.get_index(action.index()).map(|(_, signature)| signature.params.clone()).unwrap_or_default();
        let mut values: Vec<Option<Reg>> = vec![None; params.len()];
        let mut named_player = None;
        match params.get(subject) {
            Some((_, ty)) => values[subject] = self.can_operand(*ty, left),
            None => {
                self.player(left);
            }
        }
        let it = values.first().copied().flatten();
        if let (EventVerb::Enters | EventVerb::Leaves, Some(it)) = (event_verb, it) {
            let zone = self.reg(Type::Zone);
            self.emit(Op::Get { dst: zone, place: Place::Zone, of: it });
            if let Some(from) = values.get_mut(5) {
                *from = Some(zone);
            }
        }
        match (event_verb, object) {
            (EventVerb::Enters, Some(zone)) => values[1] = Some(self.destination_zone(zone, it)),
            (EventVerb::Leaves, _) | (_, None) => {}
            (_, Some(object)) => match self.queried_param(subject, &params, object) {
                Some(index) => {
                    values[index] = self.can_operand(params[index].1, object);
                    named_player = values[index].filter(|_| index > 0 && params[index].1 == Type::Player);
                }
                None => self.report_no_param(object, verb, action),
            },
        }
        if let EventVerb::Play(play) = event_verb {
            values[2] = Some(self.constant(i64::from(play), Type::Number));
            values[0] = values[0].or(Some(1));
        }
        let is_declared = VERBS.get(action.index()).is_none();
        let mut args = Vec::new();
        for ((_, ty), value) in params.iter().zip(values) {
            args.push(match (value, ty) {
                (Some(value), _) => value,
                (None, Type::Player) if is_declared => 1,
                (None, Type::Player | Type::Zone) => self.constant(NO_PLAYER, *ty),
                (None, Type::Objects | Type::Players | Type::Price) => self.constant(0, Type::Number),
                (None, _) => self.constant(0, *ty),
            });
        }
        let allowed = |lower: &mut Self| {
            let dst = lower.reg(Type::Bool);
            lower.emit(Op::IsAllowed { dst, action, args, paying: false });
            dst
        };
        let dst = match named_player {
            // Nothing happens by a player whom a value does not name.
            Some(player) if player != 1 => {
                let missing = self.constant(NO_PLAYER, Type::Player);
                let there = self.binary(Binary::NotEqual, player, missing, Type::Bool);
                self.short_circuit(true, there, allowed)
            }
            _ => allowed(self),
        };
        TypedRegister::new(dst, Type::Bool)
    }

    /// The parameter that the object of a legality query is: for a player the first one that is a player, else the next one after the subject.
    fn queried_param(&mut self, subject: usize, params: &[(SmolStr, Type)], object: &Expr) -> Option<usize> {
        let mut others = (subject + 1..params.len()).chain(0..subject);
        let next = others.clone().next();
        let players = |index: &usize| params.get(*index).is_some_and(|(_, ty)| *ty == Type::Player);
        if self.is_player_like(object) { others.find(players).or(next) } else { next }
    }

    fn can_operand(&mut self, ty: Type, expr: &'a Expr) -> Option<Reg> {
        if ty.is_list() {
            let text = self.sources.slice(expr.span).to_owned();
            self.error(&codes::MISPLACED_FORM, expr.span, format!("`{text}` is a list, which `can` does not accept"));
            return None;
        }
        let value = self.expr(expr, Some(ty));
        Some(self.coerce(value, ty, expr.span))
    }

    /// Emits the zone that an object would move to. Of a zone that each player has, it is the zone of the object's owner.
    fn destination_zone(&mut self, zone: &'a Expr, it: Option<Reg>) -> Reg {
        let kind = bare_word(zone).filter(|word| self.is_zone_word(&word.text)).and_then(|word| self.names.zone_id(&word.text));
        if let (Some(kind), Some(it)) = (kind, it) {
            let owner = self.reg(Type::Player);
            self.emit(Op::Get { dst: owner, place: Place::Owner, of: it });
            let dst = self.reg(Type::Zone);
            self.emit(Op::ZoneOf { dst, zone: kind, player: owner });
            return dst;
        }
        let value = self.expr(zone, Some(Type::Zone));
        self.coerce(value, Type::Zone, zone.span)
    }

    fn report_no_param(&mut self, expr: &Expr, verb: &Name, action: ActionId) {
        let text = self.sources.slice(expr.span).to_owned();
        let message = format!("`{}` has no parameter that `{text}` could match", verb.text);
        let problem = Diagnostic::new(&codes::BAD_PATTERN, expr.span, message);
        let is_zone = bare_word(expr).is_some_and(|word| self.is_zone_word(&word.text));
        let problem = match is_zone {
            true => problem.help(format!("leave it out, or test where the object is: `where it in {text}`")),
            false => problem.help(format!("leave `{text}` out")),
        };
        let problem = match self.joined_verb(expr, verb) {
            Some(joined) => {
                let message = format!("`{}` and `{text}` are one verb", verb.text);
                let problem = Diagnostic::new(&codes::BAD_PATTERN, verb.span.to(expr.span), message);
                self.report(problem.help(format!("write `{joined}`")));
                return;
            }
            None => problem,
        };
        // Where the object is does not depend on the action.
        let special = if is_zone { String::new() } else { self.special_actions(action, &verb.text) };
        self.report(match special.as_str() {
            "" => problem,
            _ => problem.help(format!("or write a more special action, each of which is also `{}`: {special}", verb.text)),
        });
    }

    /// For `sent to graveyard`, where the game has the action `send_to_graveyard`: its verb.
    fn joined_verb(&self, expr: &Expr, verb: &Name) -> Option<String> {
        let object = bare_word(expr)?;
        let between = self.sources.slice(Span { start: verb.span.end, end: object.span.start, ..verb.span }).trim();
        let joined = format!("{}_{between}_{}", verb.text, object.text);
        let is_verb = |passive: bool| self.names.action_of_form(&joined, passive).is_some();
        (!between.is_empty() && (is_verb(true) || is_verb(false))).then_some(joined)
    }

    /// The actions that are declared with an action as their parent, in the form of a verb, each with its further parameters.
    fn special_actions(&self, action: ActionId, verb: &str) -> String {
        let plain = self.names.actions.get_index(action.index()).is_some_and(|(name, _)| name == verb);
        let children =
            self.names.actions.iter().filter(|(name, signature)| signature.parent == Some(action) && !name.starts_with('_'));
        let form = |(name, signature): (&SmolStr, &crate::names::Signature)| {
            let params: Vec<&str> = signature.params.iter().map(|(name, _)| name.as_str()).collect();
            let verb = if plain { name.to_string() } else { third_person(name) };
            let others = params.iter().skip(1).map(|param| format!(" {}", param.to_uppercase())).collect::<String>();
            format!("`{verb}{others}`")
        };
        children.map(form).take(MAX_SPECIAL_ACTIONS).collect::<Vec<_>>().join(", ")
    }

    /// Whether an expression is `player`, which matches any player.
    fn matches_any_player(&self, expr: &Expr) -> bool {
        bare_word(expr)
            .is_some_and(|word| matches!(word.text.as_str(), "player" | "players") && self.local_type(&word.text).is_none())
    }

    fn is_player_like(&self, expr: &Expr) -> bool {
        if let Some(word) = bare_word(expr)
            && self.local_type(&word.text).is_none()
            && matches!(word.text.as_str(), "player" | "you" | "opponent" | "active")
        {
            return true;
        }
        matches!(self.guess(expr), Some(Type::Player | Type::Players))
    }

    /// Lowers a constraint on an event. In the operands of a pattern, `it` is that of the text around it: `tap target creature; it cannot
    /// attack`. The `it` of the event, which conditions and bodies have, would make an operand match every event.
    fn event_constraint(&mut self, test: &EventConstraint<'a>, args: &[Reg]) -> Option<Reg> {
        if matches!(test, EventConstraint::Holds(_)) {
            return self.constraint_value(test, args);
        }
        let of_event = std::mem::replace(&mut self.fun().it, ItBinding::None);
        let holds = self.constraint_value(test, args);
        self.fun().it = of_event;
        holds
    }

    fn constraint_value(&mut self, test: &EventConstraint<'a>, args: &[Reg]) -> Option<Reg> {
        match test {
            EventConstraint::Play(play) => {
                let used = *args.get(PLAY_PARAM)?;
                let mut holds: Option<Reg> = None;
                for play in self.plays_of_class(*play) {
                    let wanted = self.constant(i64::from(play), Type::Number);
                    let is_it = self.binary(Binary::Equal, used, wanted, Type::Bool);
                    holds = Some(holds.map_or(is_it, |other| self.binary(Binary::Or, other, is_it, Type::Bool)));
                }
                holds
            }
            EventConstraint::Holds(expr) => Some(self.bool(expr)),
            EventConstraint::Crossing { inside, outside, zone } => {
                let inside = self.zone_matches(*args.get(*inside)?, zone);
                let outside = *args.get(*outside)?;
                Some(self.short_circuit(true, inside, |lower| {
                    let matches = lower.zone_matches(outside, zone);
                    lower.negate(matches)
                }))
            }
            EventConstraint::Param(index, expr) => {
                let reg = *args.get(*index)?;
                let ty = self.fun().registers.get(usize::from(reg)).copied()?;
                match ty {
                    Type::Zone => Some(self.zone_matches(reg, expr)),
                    Type::Object if self.matches_any_object(expr) => None,
                    Type::Player if self.matches_any_player(expr) => None,
                    _ => Some(self.predicate(super::TypedRegister::new(reg, ty), expr)),
                }
            }
        }
    }

    /// Whether an expression is `object` or `card`, which match any object.
    fn matches_any_object(&self, expr: &Expr) -> bool {
        bare_word(expr)
            .is_some_and(|word| matches!(word.text.as_str(), "object" | "card") && self.local_type(&word.text).is_none())
    }

    /// Closes the filter of a pattern over the captures of its effect.
    pub fn close_pattern(&mut self, open: UnclosedPattern, captures: &[Reg]) -> EventPattern {
        let filter = open.filter.map(|fun| self.close(fun, captures));
        EventPattern { action: open.event_verb.action(), filter, looks_back: open.looks_back }
    }
}

/// One condition of a pattern on the arguments of the event.
#[derive(Clone, Copy, Debug)]
enum EventConstraint<'a> {
    /// The event is that of a play, or of one whose class it is.
    Play(u32),
    Param(usize, &'a Expr),
    Crossing {
        inside: usize,
        outside: usize,
        zone: &'a Expr,
    },
    Holds(&'a Expr),
}
