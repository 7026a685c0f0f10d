//! Patterns: which events they match. A pattern is an action and one filter function.

use super::function_builder::{Binding, FunctionBuilder, ItBinding, Local};
use super::phrase::{as_phrase, bare_word, is_word};
use super::{Lowering, TypedRegister};
use crate::diagnostics::{Diagnostic, codes};
use fizzle_grammar::ast::{BinaryOp, Expr, ExprKind, Head, Name, Pattern, Phrase, PhraseFilter, PhraseFilterKind, Span};
use fizzle_runtime::ir::op::{Binary, Place};
use fizzle_runtime::ir::verbs::{ANNOUNCE, FIZZLE, PUT, RESOLVE, VERBS};
use fizzle_runtime::ir::{ActionId, CAUSE_WORDS, EventPattern, Op, Reg, Type};
use smol_str::SmolStr;

/// The names of what is known of the cause of an event, after its arguments.
const CAUSE: [(&str, Type); CAUSE_WORDS] =
    [("cause", Type::Number), ("cause_source", Type::Object), ("cause_player", Type::Player), ("chooser", Type::Player)];

/// What is not said before what an event is about.
const ARTICLES: [&str; 4] = ["a", "an", "the", "another"];

/// Where a verb's word in a pattern leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventVerb {
    /// An action.
    Action(ActionId),
    /// A move seen from where it goes.
    Enters,
    /// A move seen from where it comes.
    Leaves,
    /// A play being announced.
    Play(u32),
}

impl EventVerb {
    /// The action of the event.
    #[must_use]
    pub fn action(self) -> ActionId {
        match self {
            Self::Action(id) => id,
            Self::Enters | Self::Leaves => ActionId(PUT),
            Self::Play(_) => ActionId(ANNOUNCE),
        }
    }
}

/// A pattern whose filter is not closed yet.
#[derive(Debug)]
pub struct UnclosedPattern {
    /// What it is about.
    pub verbed: EventVerb,
    /// Its filter, if it has conditions.
    pub filter: Option<FunctionBuilder>,
    /// Matched before the event.
    pub looks_back: bool,
    /// Parameters that are things, with what the pattern says of them: objects or players.
    pub known: Vec<(usize, Type)>,
    /// `one or more`: it matches all that happens at once together.
    pub together: Option<Span>,
}

impl<'a> Lowering<'a> {
    /// Finds the action of a word in a pattern.
    pub fn verbed(&mut self, word: &str, span: Span, passive: bool) -> Option<EventVerb> {
        if matches!(word, "enters" | "enter") {
            return Some(EventVerb::Enters);
        }
        if matches!(word, "leaves" | "leave") {
            return Some(EventVerb::Leaves);
        }
        let found = self.names.actions.keys().position(|name| inflected(name, word, passive));
        if let Some(id) = found {
            return Some(EventVerb::Action(ActionId(id as u32)));
        }
        if let Some(id) = VERBS.iter().position(|verb| verb.pattern_words.contains(&word)) {
            return Some(EventVerb::Action(ActionId(id as u32)));
        }
        if let Some(play) = self.names.plays.keys().position(|name| inflected(name, word, passive)) {
            return Some(EventVerb::Play(play as u32));
        }
        let names = self.names;
        let third: Vec<String> = names.actions.keys().chain(names.plays.keys()).map(|name| third_form(name)).collect();
        let known = third.iter().map(String::as_str).chain(names.actions.keys().map(SmolStr::as_str)).chain(["enters", "leaves"]);
        let problem =
            Diagnostic::new(&codes::UNKNOWN_VERB, span, format!("no action is called `{word}`")).did_you_mean(word, known);
        let own = self.owner.strip_prefix("card ").is_some_and(|name| name.trim_matches('"').split(' ').any(|part| part == word));
        let problem = if own {
            problem.help("a card calls itself `this`: `when this …`")
        } else if self.names.zone_id(word).is_some() {
            problem.help(format!("an event begins with who or what it is about: `this enters {word}`, `this leaves {word}`"))
        } else if self.names.find_span(word).is_empty() {
            problem.or_help(
                "an event is said with an action of the game: `this is …ed`, `you …`, `this enters ZONE`, `this leaves ZONE`",
            )
        } else {
            problem.help(format!("a phase or step has a start and an end: `start of your next {word}`, `end of {word}`"))
        };
        self.report(problem);
        None
    }

    /// Names and types of what a filter or body gets of an event.
    pub fn event_params(&self, action: ActionId) -> Vec<(SmolStr, Type)> {
        let own = self.names.actions.get_index(action.index()).map(|(_, signature)| signature.params.clone()).unwrap_or_default();
        own.into_iter().chain(CAUSE.iter().map(|(name, ty)| (SmolStr::new(name), *ty))).collect()
    }

    /// Begins a child function with the event as its last parameters.
    pub fn begin_event(&mut self, action: ActionId, pure: bool) -> Vec<Reg> {
        self.begin_child(pure, pure.then_some(Type::Bool));
        let params = self.event_params(action);
        let mut regs = Vec::with_capacity(params.len());
        self.fun().locals.reserve(params.len());
        let mut subject = None;
        let doer = self.names.actions.get_index(action.index()).and_then(|(_, signature)| signature.doer);
        for (index, (name, ty)) in params.into_iter().enumerate() {
            let reg = self.trailing(ty);
            regs.push(reg);
            if ty.is_reference() && subject.is_none() && name != "cause_source" || doer == Some(index) {
                subject = Some((reg, ty));
            }
            if name != "it" {
                // Once: the body that follows a filter has the same names.
                if pure {
                    self.report_shadowing(&name, self.at);
                }
                self.fun().locals.push(Local {
                    name,
                    span: Span::default(),
                    ty: Some(ty),
                    binding: Binding::Reg(reg),
                    used: true,
                    warn: false,
                });
            }
        }
        if let Some((reg, ty)) = subject {
            self.fun().it = ItBinding::Bound(Binding::Reg(reg), ty);
        }
        regs
    }

    /// After [`Lowering::begin_event`], in what follows a pattern: what that says of the event. A text for several events at once names the cause of
    /// them alone.
    pub fn know_event(&mut self, open: &UnclosedPattern) {
        match open.together {
            Some(span) => {
                let fun = self.fun();
                fun.it = ItBinding::Together(span);
                fun.locals.retain(|local| CAUSE.iter().any(|(name, _)| *name == local.name));
            }
            None => self.know(open.verbed.action(), &open.known),
        }
    }

    /// After [`Lowering::begin_event`]: what a pattern says of parameters that are things; their names are of that type.
    pub fn know(&mut self, action: ActionId, known: &[(usize, Type)]) {
        let params = self.event_params(action);
        for (index, ty) in known {
            let Some((name, _)) = params.get(*index) else { continue };
            let Some(thing) = self.fun().trailing.get(*index).copied() else { continue };
            let reg = self.cast(thing, *ty);
            let fun = self.fun();
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
                    used: true,
                    warn: false,
                });
            }
        }
    }

    /// A pattern and further conditions on the event.
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
        let verbed = self.verbed(&pattern.verb.text, pattern.verb.span, pattern.passive);
        let Some(verbed) = verbed else {
            self.at = before;
            return None;
        };
        let names = self.names;
        let name = match verbed {
            EventVerb::Action(id) => names.actions.get_index(id.index()).map(|(name, _)| name.as_str()),
            EventVerb::Play(play) => names.plays.get_index(play as usize).map(|(name, _)| name.as_str()),
            EventVerb::Enters | EventVerb::Leaves => None,
        };
        if let Some(name) = name
            && super::suggestions::is_past(name, pattern)
        {
            // what the object does not do at all is told first
            if self.voice(&pattern.subject, false, &pattern.verb, verbed).is_some() {
                self.suggest_event_form(name, pattern, &third_form(name));
            }
            self.at = before;
            return None;
        }
        let action = verbed.action();
        let args = self.begin_event(action, true);
        self.fun().keeps = true;
        let mut tests: Vec<EventConstraint<'a>> = Vec::new();
        if let EventVerb::Play(play) = verbed {
            tests.push(EventConstraint::Number(2, i64::from(play)));
        }
        self.pattern_tests(pattern, verbed, &mut tests);
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
        for (number, test) in tests.iter().enumerate() {
            if number == first {
                self.know(action, &known);
            }
            if let Some(holds) = self.event_test(test, &args) {
                constant = false;
                fails.push(self.jump_unless(holds));
            }
        }
        self.return_unless(&fails);
        let fun = self.end_child();
        self.at = before;
        let from_field = action.0 == PUT && pattern.from.as_ref().is_some_and(|from| self.is_field(from));
        let declared = self.names.actions.get_index(action.index()).is_some_and(|(_, signature)| signature.looks_back);
        Some(UnclosedPattern {
            verbed,
            filter: (!constant).then_some(fun),
            looks_back: declared || verbed == EventVerb::Leaves || from_field,
            known,
            together: pattern.one_or_more,
        })
    }

    /// Tells of `when piece enters field of you` where all players share the zone: whose it is belongs to the object.
    fn owned_by_nobody(&mut self, pattern: &'a Pattern, zone: &'a Expr) -> bool {
        let Some(Phrase { quantifier: None, other: false, head: Head::Word(name), posts }) = as_phrase(zone) else {
            return false;
        };
        let [PhraseFilter { kind: PhraseFilterKind::Of(owner), .. }] = posts.as_slice() else { return false };
        if !self.is_zone_word(&name.text) || self.word_takes_of(name) {
            return false;
        }
        let text = |span| self.sources.slice(span).to_owned();
        let (subject, owner) = (text(pattern.subject.span), text(owner.span));
        let message = format!("`{}` belongs to all players together", name.text);
        let mut problem = Diagnostic::new(&codes::BAD_PATTERN, zone.span, message);
        let bare = bare_word(&pattern.subject).is_some_and(|word| self.is_noun(&word.text));
        problem = problem.help(if bare {
            format!("say with the object whose it is: `{subject} of {owner} {} {}`", pattern.verb.text, name.text)
        } else {
            format!("say with the object whose it is: `NOUN of {owner} {} {}`", pattern.verb.text, name.text)
        });
        self.report(problem);
        true
    }

    /// A filter on parameters of an action and a condition; none if all pass.
    pub fn pattern_of(
        &mut self,
        verbed: EventVerb,
        sides: &[(usize, &'a Expr)],
        condition: Option<&'a Expr>,
    ) -> Option<FunctionBuilder> {
        let args = self.begin_event(verbed.action(), true);
        self.fun().keeps = true;
        let tests = sides.iter().map(|(n, side)| EventConstraint::Param(*n, side)).chain(condition.map(EventConstraint::Holds));
        let mut fails = Vec::new();
        for test in tests.collect::<Vec<_>>() {
            if let Some(holds) = self.event_test(&test, &args) {
                fails.push(self.jump_unless(holds));
            }
        }
        self.return_unless(&fails);
        let fun = self.end_child();
        (!fails.is_empty()).then_some(fun)
    }

    /// Ends a filter: true, or false where one of the tests that jump away failed.
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

    fn pattern_tests(&mut self, pattern: &'a Pattern, verbed: EventVerb, tests: &mut Vec<EventConstraint<'a>>) {
        let params = self.event_params(verbed.action());
        let params = &params[..params.len() - CAUSE.len()];
        let player_like = self.player_like(&pattern.subject);
        let Some(subject) = self.voice(&pattern.subject, pattern.passive, &pattern.verb, verbed) else { return };
        if params.is_empty() {
            if !self.matches_any_player(&pattern.subject) {
                self.no_param(&pattern.subject, &pattern.verb.text);
            }
        } else if !(params.get(subject).is_some_and(|(_, ty)| !matches!(ty, Type::Player | Type::Thing))
            && player_like
            && self.matches_any_player(&pattern.subject))
        {
            if !self.fits_param(verbed, subject, &pattern.subject) {
                return;
            }
            tests.push(EventConstraint::Param(subject, &pattern.subject));
        }
        match (verbed, &pattern.object) {
            (EventVerb::Enters | EventVerb::Leaves, Some(zone)) if self.owned_by_nobody(pattern, zone) => {}
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
                    Some(index) if self.fits_param(verbed, index, object) => tests.push(EventConstraint::Param(index, object)),
                    Some(_) => {}
                    None => self.no_param(object, &pattern.verb.text),
                }
            }
            (_, None) => {}
        }
        if let Some(from) = &pattern.from {
            match params.iter().position(|(name, ty)| name == "from" && *ty == Type::Zone) {
                Some(index) => tests.push(EventConstraint::Param(index, from)),
                None => match params.iter().rposition(|(_, ty)| *ty == Type::Zone) {
                    Some(index) => tests.push(EventConstraint::Param(index, from)),
                    None => self.no_param(from, &pattern.verb.text),
                },
            }
        }
    }

    /// Whether an expression is the word of the field.
    pub fn is_field(&self, expr: &Expr) -> bool {
        let zone = bare_word(expr).filter(|word| self.is_zone_word(&word.text)).and_then(|word| self.names.zone_id(&word.text));
        zone.and_then(|zone| self.library.zones.get(zone.index())).is_some_and(|zone| zone.field)
    }

    /// Whether a pattern is about this object coming into the field.
    pub fn own_entry(&self, pattern: &Pattern) -> bool {
        is_word(&pattern.subject, "this")
            && (matches!(pattern.verb.text.as_str(), "enter" | "enters") || pattern.passive && pattern.verb.text == "put")
            && pattern.object.as_ref().is_some_and(|zone| self.is_field(zone))
    }

    /// Which parameter the subject of a pattern is: the one that acts, or the one that something is done to.
    /// A voice that the action does not have is told.
    pub fn voice(&mut self, subject: &Expr, passive: bool, verb: &Name, verbed: EventVerb) -> Option<usize> {
        let action = verbed.action();
        let names = self.names;
        if matches!(verbed, EventVerb::Enters | EventVerb::Leaves) {
            return Some(0);
        }
        let (name, signature) = names.actions.get_index(action.index())?;
        let name = match verbed {
            EventVerb::Play(play) => names.plays.get_index(play as usize)?.0.as_str(),
            _ => name.as_str(),
        };
        let built_in = VERBS.get(action.index()).is_some();
        let doer = signature.doer.unwrap_or(usize::MAX);
        let objects = signature.params.iter().enumerate().filter(|(_, (_, ty))| matches!(ty, Type::Object | Type::Thing));
        let object = objects.map(|(index, _)| index).find(|index| *index != doer);
        let Some((it, first)) = signature.params.first() else { return Some(0) };
        if doer > 0 && doer < signature.params.len() {
            return Some(if passive { object.unwrap_or(0) } else { doer });
        }
        let text = self.sources.slice(subject.span).to_owned();
        // `is attack` and `you discard` are no forms behind `would` and `cannot`
        let between = self.sources.slice(Span { start: subject.span.end, end: verb.span.start, ..subject.span });
        let plain = verb.text == name && !matches!(between.trim(), "" | "is");
        let mood = if between.trim() == "cannot" { "cannot" } else { "would" };
        let does = if plain { format!("{mood} {name}") } else { third_form(name) };
        let done = if plain { format!("{mood} be {}", participle(name)) } else { format!("is {}", participle(name)) };
        let (message, help) = match first {
            Type::Player | Type::Players => {
                if passive {
                    return Some(object.unwrap_or(0));
                }
                if object.is_none() || self.player_like(subject) || !self.object_like(subject) {
                    return Some(0);
                }
                (format!("a player does `{name}`, not an object"), format!("write `{text} {done}`, or `PLAYER {does} {text}`"))
            }
            _ if built_in && matches!(action.0, RESOLVE | FIZZLE) => return Some(0),
            Type::Object if signature.doer.is_some() => {
                if !passive {
                    return Some(0);
                }
                let second = signature.params.iter().skip(1).any(|(_, ty)| matches!(ty, Type::Object | Type::Thing));
                let help =
                    if second { format!("write `{text} {does}` or `X {does} {text}`") } else { format!("write `{text} {does}`") };
                (format!("`{name}` is what its object does; it is not done to it"), help)
            }
            _ if passive => return Some(object.unwrap_or(0)),
            _ => {
                let theirs = self.suggest_passive(subject, verb, &done);
                let mut help = match &theirs {
                    Some(theirs) => format!("write {theirs}"),
                    None => format!("write `{text} {done}`"),
                };
                if theirs.is_none() && !built_in && matches!(first, Type::Object | Type::Objects) {
                    help = format!("{help}; if `{it}` is the one that acts, declare `action {name}(…) by {it}`");
                }
                (format!("`{name}` is done to its object; the object does not do it"), help)
            }
        };
        let mut problem = Diagnostic::new(&codes::BAD_PATTERN, verb.span, message).help(help);
        if !built_in {
            problem = problem.also(signature.span, "declared here");
        }
        self.report(problem);
        None
    }

    fn object_like(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Binary { op: BinaryOp::Or | BinaryOp::And, left, right } => {
                self.object_like(left) && self.object_like(right)
            }
            _ => self.noun_like(expr) || matches!(self.guess(expr), Some(Type::Object | Type::Objects | Type::Card)),
        }
    }

    /// Whether a phrase can be matched against a parameter; tells when it cannot.
    pub fn fits_param(&mut self, verbed: EventVerb, index: usize, expr: &Expr) -> bool {
        let names = self.names;
        let Some((action, signature)) = names.actions.get_index(verbed.action().index()) else { return true };
        let Some((param, ty)) = signature.params.get(index) else { return true };
        match &expr.kind {
            ExprKind::Binary { op: BinaryOp::Or | BinaryOp::And, left, right } => {
                return self.fits_param(verbed, index, left) && self.fits_param(verbed, index, right);
            }
            ExprKind::Phrase(Phrase { quantifier: None, head: Head::Group(inner), posts, .. }) if posts.is_empty() => {
                return self.fits_param(verbed, index, inner);
            }
            _ => {}
        }
        let zone = bare_word(expr).is_some_and(|word| self.is_zone_word(&word.text));
        let found = if self.matches_any_player(expr) {
            Some(Type::Player)
        } else if self.noun_like(expr) && !zone {
            self.guess(expr)
                .filter(|ty| matches!(ty, Type::Player | Type::Players | Type::Card | Type::Zone))
                .or(Some(Type::Objects))
        } else {
            self.guess(expr)
        };
        let Some(found) = found else { return true };
        if *ty == Type::Number && self.tell_other_number(expr, param) {
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
            problem = problem.help(format!("leave it out, or ask for the number: `where {param} >= 2`"));
        } else if matches!(ty, Type::Player | Type::Players) {
            problem = problem.help("say which player: `you …`, `opponent …`, `player …`");
        } else if matches!(ty, Type::Object | Type::Objects) {
            problem = problem.help("say which object: `this …`, `card …`, or another noun");
        }
        if signature.span.end > 0 {
            problem = problem.also(signature.span, "declared here");
        }
        self.report(problem);
        false
    }

    /// `X can VERB`, `X can be VERBED`, `X can VERB Y`: whether nothing forbids it now.
    pub fn can(&mut self, left: &'a Expr, passive: bool, verb: &'a Name, object: Option<&'a Expr>) -> TypedRegister {
        let Some(verbed) = self.verbed(&verb.text, verb.span, passive) else { return self.error_value() };
        let Some(subject) = self.voice(left, passive, verb, verbed) else { return self.error_value() };
        let action = verbed.action();
        let params =
            self.names.actions.get_index(action.index()).map(|(_, signature)| signature.params.clone()).unwrap_or_default();
        let mut values: Vec<Option<Reg>> = vec![None; params.len()];
        match params.get(subject) {
            Some((_, ty)) => values[subject] = self.can_operand(*ty, left),
            None => {
                self.player(left);
            }
        }
        let it = values.first().copied().flatten();
        if let (EventVerb::Enters | EventVerb::Leaves, Some(it)) = (verbed, it) {
            let zone = self.reg(Type::Zone);
            self.emit(Op::Get { dst: zone, place: Place::Zone, of: it });
            if let Some(from) = values.get_mut(5) {
                *from = Some(zone);
            }
        }
        match (verbed, object) {
            (EventVerb::Enters, Some(zone)) => values[1] = Some(self.zone_for(zone, it)),
            (EventVerb::Leaves, _) | (_, None) => {}
            (_, Some(object)) => match (subject + 1..params.len()).chain(0..subject).next() {
                Some(index) => values[index] = self.can_operand(params[index].1, object),
                None => self.no_param(object, &verb.text),
            },
        }
        if let EventVerb::Play(play) = verbed {
            values[2] = Some(self.constant(i64::from(play), Type::Number));
            values[0] = values[0].or(Some(1));
        }
        let mut args = Vec::new();
        for ((_, ty), value) in params.iter().zip(values) {
            args.push(match (value, ty) {
                (Some(value), _) => value,
                (None, Type::Player | Type::Zone) => self.constant(-1, *ty),
                (None, Type::Objects | Type::Players | Type::Price) => self.constant(0, Type::Number),
                (None, _) => self.constant(0, *ty),
            });
        }
        let dst = self.reg(Type::Bool);
        self.emit(Op::IsAllowed { dst, action, args, paying: false });
        TypedRegister::new(dst, Type::Bool)
    }

    fn can_operand(&mut self, ty: Type, expr: &'a Expr) -> Option<Reg> {
        if ty.is_list() {
            let text = self.sources.slice(expr.span).to_owned();
            self.error(&codes::NOT_HERE, expr.span, format!("`{text}` stands for a whole list, of which `can` cannot ask"));
            return None;
        }
        let value = self.expr(expr, Some(ty));
        Some(self.want(value, ty, expr.span))
    }

    /// The zone that an object would come to: a zone of each player is its owner's.
    fn zone_for(&mut self, zone: &'a Expr, it: Option<Reg>) -> Reg {
        let kind = bare_word(zone).filter(|word| self.is_zone_word(&word.text)).and_then(|word| self.names.zone_id(&word.text));
        if let (Some(kind), Some(it)) = (kind, it) {
            let owner = self.reg(Type::Player);
            self.emit(Op::Get { dst: owner, place: Place::Owner, of: it });
            let dst = self.reg(Type::Zone);
            self.emit(Op::ZoneOf { dst, zone: kind, player: owner });
            return dst;
        }
        let value = self.expr(zone, Some(Type::Zone));
        self.want(value, Type::Zone, zone.span)
    }

    fn no_param(&mut self, expr: &Expr, verb: &str) {
        let text = self.sources.slice(expr.span).to_owned();
        self.error(&codes::BAD_PATTERN, expr.span, format!("`{verb}` has no parameter that `{text}` could match"));
    }

    /// `player`: matches anybody.
    fn matches_any_player(&self, expr: &Expr) -> bool {
        bare_word(expr)
            .is_some_and(|word| matches!(word.text.as_str(), "player" | "players") && self.local_type(&word.text).is_none())
    }

    fn player_like(&self, expr: &Expr) -> bool {
        if let Some(word) = bare_word(expr)
            && self.local_type(&word.text).is_none()
            && matches!(word.text.as_str(), "player" | "you" | "opponent" | "active")
        {
            return true;
        }
        matches!(self.guess(expr), Some(Type::Player | Type::Players))
    }

    fn event_test(&mut self, test: &EventConstraint<'a>, args: &[Reg]) -> Option<Reg> {
        match test {
            EventConstraint::Number(index, value) => {
                let wanted = self.constant(*value, Type::Number);
                Some(self.binary(Binary::Equal, *args.get(*index)?, wanted, Type::Bool))
            }
            EventConstraint::Holds(expr) => Some(self.bool(expr)),
            EventConstraint::Crossing { inside, outside, zone } => {
                let inside = self.zone_matches(*args.get(*inside)?, zone);
                let outside = *args.get(*outside)?;
                Some(self.short(true, inside, |lower| {
                    let there = lower.zone_matches(outside, zone);
                    lower.negate(there)
                }))
            }
            EventConstraint::Param(index, expr) => {
                let reg = *args.get(*index)?;
                let ty = self.fun().registers.get(usize::from(reg)).copied()?;
                match ty {
                    Type::Zone => Some(self.zone_matches(reg, expr)),
                    Type::Object if self.any_object(expr) => None,
                    Type::Player if self.matches_any_player(expr) => None,
                    _ => Some(self.predicate(super::TypedRegister::new(reg, ty), expr)),
                }
            }
        }
    }

    /// `object`: matches anything.
    fn any_object(&self, expr: &Expr) -> bool {
        bare_word(expr)
            .is_some_and(|word| matches!(word.text.as_str(), "object" | "card") && self.local_type(&word.text).is_none())
    }

    /// Closes a pattern with the captures of its group.
    pub fn close_pattern(&mut self, open: UnclosedPattern, captures: &[Reg]) -> EventPattern {
        let filter = open.filter.map(|fun| self.close(fun, captures));
        EventPattern { action: open.verbed.action(), filter, looks_back: open.looks_back }
    }
}

/// One condition of a pattern.
#[derive(Clone, Copy, Debug)]
enum EventConstraint<'a> {
    Number(usize, i64),
    Param(usize, &'a Expr),
    Crossing { inside: usize, outside: usize, zone: &'a Expr },
    Holds(&'a Expr),
}

/// Whether a word is a form of a verb: the name itself, the third person, or (after `is`, but harmless elsewhere) the past participle.
#[must_use]
pub fn inflected(name: &str, word: &str, passive: bool) -> bool {
    if begins_otherwise(name, word) {
        return false;
    }
    if name == word {
        return true;
    }
    // A name of several words is inflected in its first or its last one: `put_back`, `puts_back`.
    if let (Some((first, rest)), Some((word_first, word_rest))) = (name.split_once('_'), word.split_once('_'))
        && rest == word_rest
        && inflected(first, word_first, passive)
    {
        return true;
    }
    if third_person(name, word) {
        return true;
    }
    if let Some(rest) = word.strip_prefix(name)
        && matches!(rest, "d" | "ed" | "n" | "en" | "ped" | "ted" | "ned" | "ged" | "bed" | "med" | "red" | "led" | "ded")
    {
        return true;
    }
    if let Some(stem) = name.strip_suffix('y')
        && word.strip_prefix(stem) == Some("ied")
    {
        return true;
    }
    passive && irregular(name, word)
}

/// `draws`, `passes`, `carries`, `loses_life`
#[must_use]
pub fn third_person(name: &str, word: &str) -> bool {
    if begins_otherwise(name, word) {
        return false;
    }
    if let (Some((first, rest)), Some((word_first, word_rest))) = (name.split_once('_'), word.split_once('_'))
        && rest == word_rest
        && third_person(first, word_first)
    {
        return true;
    }
    if let Some(rest) = word.strip_prefix(name)
        && matches!(rest, "s" | "es")
    {
        return true;
    }
    name.strip_suffix('y').is_some_and(|stem| word.strip_prefix(stem) == Some("ies"))
}

/// `draws`, for messages.
fn third_form(name: &str) -> String {
    if let Some((first, rest)) = name.split_once('_') {
        return format!("{}_{rest}", third_form(first));
    }
    match name.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if name.ends_with(['s', 'x', 'z', 'h', 'o']) => format!("{name}es"),
        _ => format!("{name}s"),
    }
}

/// `destroyed`, for messages.
fn participle(name: &str) -> String {
    if name.contains('_') {
        return name.to_owned();
    }
    if let Some((_, form)) = FORMS.iter().find(|(base, _)| *base == name) {
        return (*form).to_owned();
    }
    match name.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ied"),
        _ if name.ends_with('e') => format!("{name}d"),
        _ if name.len() == 3 && name.ends_with(['p', 't', 'n', 'g', 'b', 'm']) => format!("{name}{}ed", &name[2..]),
        _ => format!("{name}ed"),
    }
}

/// Past participles with another ending.
const FORMS: &[(&str, &str)] = &[
    ("draw", "drawn"),
    ("put", "put"),
    ("deal", "dealt"),
    ("break", "broken"),
    ("choose", "chosen"),
    ("take", "taken"),
    ("give", "given"),
    ("lose", "lost"),
    ("win", "won"),
    ("send", "sent"),
    ("bring", "brought"),
    ("cast", "cast"),
    ("make", "made"),
    ("pay", "paid"),
    ("strike", "struck"),
    ("fight", "fought"),
    ("shuffle", "shuffled"),
    ("set", "set"),
    ("hit", "hit"),
    ("cut", "cut"),
    ("leave", "left"),
    ("begin", "begun"),
];

/// Whether the first letters tell that a word is no form of a name: a form begins as the name does. (Of `y` and `_` nothing may be left.)
fn begins_otherwise(name: &str, word: &str) -> bool {
    name.bytes().next().is_some_and(|first| !matches!(first, b'y' | b'_') && word.bytes().next() != Some(first))
}

fn irregular(name: &str, word: &str) -> bool {
    FORMS.iter().any(|(base, form)| *base == name && *form == word)
}
