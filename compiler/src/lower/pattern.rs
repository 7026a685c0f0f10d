//! Patterns: which events they match. A pattern is an action and one filter function.

use super::Lower;
use super::function::{Binding, Fun, It, Local};
use super::phrase::bare_word;
use crate::diagnostics::{Diagnostic, codes};
use fizzle_grammar::tree::{Expr, Pattern, Span};
use fizzle_runtime::ir::op::Binary;
use fizzle_runtime::ir::verbs::{ANNOUNCE, PUT, VERBS};
use fizzle_runtime::ir::{ActionId, EventPattern, Op, Reg, Type};
use smol_str::SmolStr;

/// The names of what is known of the cause of an event, after its arguments.
const CAUSE: [(&str, Type); 3] = [("cause", Type::Number), ("cause_source", Type::Object), ("cause_player", Type::Player)];

/// Where a verb's word in a pattern leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verbed {
    /// An action.
    Action(ActionId),
    /// A move seen from where it goes.
    Enters,
    /// A move seen from where it comes.
    Leaves,
    /// A play being announced.
    Play(u32),
}

impl Verbed {
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
pub struct OpenPattern {
    /// What it is about.
    pub verbed: Verbed,
    /// Its filter, if it has conditions.
    pub filter: Option<Fun>,
    /// Matched before the event.
    pub looks_back: bool,
}

impl<'a> Lower<'a> {
    /// Finds the action of a word in a pattern.
    pub fn verbed(&mut self, word: &str, span: Span, passive: bool) -> Option<Verbed> {
        if matches!(word, "enters" | "enter") {
            return Some(Verbed::Enters);
        }
        if matches!(word, "leaves" | "leave") {
            return Some(Verbed::Leaves);
        }
        let found = self.names.actions.keys().position(|name| inflected(name, word, passive));
        if let Some(id) = found {
            return Some(Verbed::Action(ActionId(id as u32)));
        }
        if let Some(id) = VERBS.iter().position(|verb| verb.pattern_words.contains(&word)) {
            return Some(Verbed::Action(ActionId(id as u32)));
        }
        if let Some(play) = self.names.plays.keys().position(|name| inflected(name, word, passive)) {
            return Some(Verbed::Play(play as u32));
        }
        let names = self.names;
        let third: Vec<String> = names.actions.keys().chain(names.plays.keys()).map(|name| format!("{name}s")).collect();
        let known = third.iter().map(String::as_str).chain(names.actions.keys().map(SmolStr::as_str)).chain(["enters", "leaves"]);
        let problem =
            Diagnostic::new(&codes::UNKNOWN_VERB, span, format!("no action is called `{word}`")).did_you_mean(word, known);
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
        let mut regs = Vec::new();
        let mut subject = None;
        for (name, ty) in params {
            let reg = self.trailing(ty);
            regs.push(reg);
            if ty == Type::Object && subject.is_none() && name != "cause_source" {
                subject = Some(reg);
            }
            if name != "it" {
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
        if let Some(reg) = subject {
            self.fun().it = It::Bound(Binding::Reg(reg), Type::Object);
        }
        regs
    }

    /// A pattern and further conditions on the event.
    pub fn pattern(&mut self, pattern: &'a Pattern, conditions: &[&'a Expr]) -> Option<OpenPattern> {
        let before = self.at;
        self.at = pattern.span;
        let verbed = self.verbed(&pattern.verb.text, pattern.verb.span, pattern.passive);
        let Some(verbed) = verbed else {
            self.at = before;
            return None;
        };
        let action = verbed.action();
        let args = self.begin_event(action, true);
        self.fun().keeps = true;
        let mut tests: Vec<Test<'a>> = Vec::new();
        if let Verbed::Play(play) = verbed {
            tests.push(Test::Number(2, i64::from(play)));
        }
        self.pattern_tests(pattern, verbed, &mut tests);
        for condition in pattern.condition.iter() {
            tests.push(Test::Holds(condition));
        }
        for condition in conditions {
            tests.push(Test::Holds(condition));
        }
        let mut fails = Vec::new();
        let mut constant = true;
        for test in &tests {
            if let Some(holds) = self.event_test(test, &args) {
                constant = false;
                fails.push(self.jump_unless(holds));
            }
        }
        let yes = self.constant(1, Type::Bool);
        self.emit(Op::Return { value: Some(yes) });
        for fail in &fails {
            self.land(*fail);
        }
        if !fails.is_empty() {
            let no = self.constant(0, Type::Bool);
            self.emit(Op::Return { value: Some(no) });
        }
        let fun = self.end_child();
        self.at = before;
        let declared = self.names.actions.get_index(action.index()).is_some_and(|(_, signature)| signature.looks_back);
        Some(OpenPattern { verbed, filter: (!constant).then_some(fun), looks_back: declared || verbed == Verbed::Leaves })
    }

    fn pattern_tests(&mut self, pattern: &'a Pattern, verbed: Verbed, tests: &mut Vec<Test<'a>>) {
        let params = self.event_params(verbed.action());
        let params = &params[..params.len() - CAUSE.len()];
        let first_object = params.iter().position(|(_, ty)| matches!(ty, Type::Object | Type::Objects));
        let player_first = params.first().is_some_and(|(_, ty)| matches!(ty, Type::Player | Type::Players));
        let player_like = self.player_like(&pattern.subject);
        let subject = if player_first && (pattern.passive || !player_like) && first_object.is_some() {
            first_object.unwrap_or(0)
        } else {
            0
        };
        if params.is_empty() {
            if !self.anybody(&pattern.subject) {
                self.no_param(&pattern.subject, &pattern.verb.text);
            }
        } else if !(params.get(subject).is_some_and(|(_, ty)| *ty != Type::Player)
            && player_like
            && self.anybody(&pattern.subject))
        {
            tests.push(Test::Param(subject, &pattern.subject));
        }
        match (verbed, &pattern.object) {
            (Verbed::Enters, Some(zone)) => tests.push(Test::Crossing { inside: 1, outside: 5, zone }),
            (Verbed::Leaves, Some(zone)) => tests.push(Test::Crossing { inside: 5, outside: 1, zone }),
            (Verbed::Enters | Verbed::Leaves, None) => {
                self.report(
                    Diagnostic::new(&codes::BAD_PATTERN, pattern.verb.span, format!("`{}` needs a zone", pattern.verb.text))
                        .help(format!("write `{} ZONE`", pattern.verb.text)),
                );
            }
            (_, Some(object)) => {
                let next = (subject + 1..params.len()).chain(0..subject).find(|index| *index != subject);
                match next.filter(|index| *index < params.len()) {
                    Some(index) if subject + 1 < params.len() => tests.push(Test::Param(index, object)),
                    Some(index) => tests.push(Test::Param(index, object)),
                    None => self.no_param(object, &pattern.verb.text),
                }
            }
            (_, None) => {}
        }
        if let Some(from) = &pattern.from {
            match params.iter().position(|(name, ty)| name == "from" && *ty == Type::Zone) {
                Some(index) => tests.push(Test::Param(index, from)),
                None => match params.iter().rposition(|(_, ty)| *ty == Type::Zone) {
                    Some(index) => tests.push(Test::Param(index, from)),
                    None => self.no_param(from, &pattern.verb.text),
                },
            }
        }
    }

    fn no_param(&mut self, expr: &Expr, verb: &str) {
        let text = self.sources.slice(expr.span).to_owned();
        self.error(&codes::BAD_PATTERN, expr.span, format!("`{verb}` has no parameter that `{text}` could match"));
    }

    /// `player`: matches anybody.
    fn anybody(&self, expr: &Expr) -> bool {
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

    fn event_test(&mut self, test: &Test<'a>, args: &[Reg]) -> Option<Reg> {
        match test {
            Test::Number(index, value) => {
                let wanted = self.constant(*value, Type::Number);
                Some(self.binary(Binary::Equal, *args.get(*index)?, wanted, Type::Bool))
            }
            Test::Holds(expr) => Some(self.bool(expr)),
            Test::Crossing { inside, outside, zone } => {
                let inside = self.zone_matches(*args.get(*inside)?, zone);
                let outside = *args.get(*outside)?;
                Some(self.short(true, inside, |lower| {
                    let there = lower.zone_matches(outside, zone);
                    lower.negate(there)
                }))
            }
            Test::Param(index, expr) => {
                let reg = *args.get(*index)?;
                let ty = self.fun().registers.get(usize::from(reg)).copied()?;
                match ty {
                    Type::Zone => Some(self.zone_matches(reg, expr)),
                    Type::Object if self.any_object(expr) => None,
                    Type::Player if self.anybody(expr) => None,
                    _ => Some(self.predicate(super::Val::new(reg, ty), expr)),
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
    pub fn close_pattern(&mut self, open: OpenPattern, captures: &[Reg]) -> EventPattern {
        let filter = open.filter.map(|fun| self.close(fun, captures));
        EventPattern { action: open.verbed.action(), filter, looks_back: open.looks_back }
    }
}

/// One condition of a pattern.
#[derive(Clone, Copy, Debug)]
enum Test<'a> {
    Number(usize, i64),
    Param(usize, &'a Expr),
    Crossing { inside: usize, outside: usize, zone: &'a Expr },
    Holds(&'a Expr),
}

/// Whether a word is a form of a verb: the name itself, the third person, or (after `is`, but harmless elsewhere) the past participle.
#[must_use]
pub fn inflected(name: &str, word: &str, passive: bool) -> bool {
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

/// Past participles with another ending.
fn irregular(name: &str, word: &str) -> bool {
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
    FORMS.iter().any(|(base, form)| *base == name && *form == word)
}
