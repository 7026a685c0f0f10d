//! Effects of actions: what the actions of a game do to their object, as far as their bodies prove it. Lints use them. Bodies that formats replace
//! count as well.

use crate::phrase_syntax::{as_phrase, bare_word};
use fizzle_grammar::ast::{
    Action, AssignOp, Block, Call, DifferenceKind, Expr, Head, Item, ItemKind, Name, Path, PhraseFilterKind, Span, Statement,
    StatementKind,
};
use fizzle_grammar::visit::{self, NameRole, Visitor};
use fizzle_ir::scenario::third_person;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// What actions do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionEffects {
    /// The actions whose body, or the body of an action that it calls, mentions the field.
    pub into_field: BTreeSet<SmolStr>,
    /// By zone, the actions whose body, or the body of an action that it calls, mentions it.
    pub mentions: BTreeMap<SmolStr, BTreeSet<SmolStr>>,
    /// The actions that only move their object into another zone than the field, with that zone.
    pub moves: BTreeMap<SmolStr, SmolStr>,
    /// The actions that move their object, so that it becomes another one.
    pub relocates: BTreeSet<SmolStr>,
    /// The actions that put their object into the field, as the first move of it. Each with the action that its body proposes next for
    /// the object in the field, if there is one.
    pub arrivals: BTreeMap<SmolStr, Option<SmolStr>>,
    /// The actions that only write statuses of their object.
    pub marks: BTreeSet<SmolStr>,
    /// The statuses of its object that each action sets to the value of another parameter.
    pub sets: BTreeMap<SmolStr, Vec<WrittenStatus>>,
    /// The actions that only repeat another one a given number of times, with that action: `draw`, which is `n times { draw_card(who) }`. Only if
    /// the turn or a rule also has the other action without the repetition.
    pub repeats: BTreeMap<SmolStr, SmolStr>,
}

/// A status that an action sets: `attacked of it = whom`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenStatus {
    /// The status.
    pub status: SmolStr,
    /// The parameter that is its value.
    pub param: SmolStr,
}

impl ActionEffects {
    /// The effects of the actions of a game. `field`: its field; `zones`: all its zones.
    pub fn of<'a>(items: impl IntoIterator<Item = &'a Item>, field: &str, zones: &[&SmolStr]) -> Self {
        let mut actions: Vec<(&Action, BTreeSet<SmolStr>)> = Vec::new();
        let mut unrepeated = CallCollector::default();
        for item in items {
            let changed = match &item.kind {
                ItemKind::Format { differences, .. } => differences.as_slice(),
                _ => &[],
            };
            let changed = changed.iter().filter_map(|difference| match &difference.kind {
                DifferenceKind::Add(item) | DifferenceKind::Replace(item) => Some(&**item),
                _ => None,
            });
            for item in std::iter::once(item).chain(changed) {
                match &item.kind {
                    ItemKind::Action(action) => {
                        let mut words = NameCollector::default();
                        visit::item(item, &mut words);
                        actions.push((action, words.names));
                    }
                    ItemKind::Turn { .. } | ItemKind::Rule { .. } => visit::item(item, &mut unrepeated),
                    _ => {}
                }
            }
        }
        // The forms in which statements write the actions.
        let forms: BTreeMap<SmolStr, SmolStr> = actions
            .iter()
            .map(|(action, _)| &action.name.text)
            .flat_map(|name| [(name.clone(), name.clone()), (SmolStr::new(third_person(name)), name.clone())])
            .collect();
        let into_field = mentioning(&actions, &forms, field);
        let mentions = zones.iter().map(|zone| ((*zone).clone(), mentioning(&actions, &forms, zone))).collect();
        let mut moves: BTreeMap<SmolStr, SmolStr> = BTreeMap::new();
        // An action can call one that is declared later, so that several rounds are needed; each but the last adds an action.
        loop {
            let before = moves.len();
            for (action, _) in &actions {
                let known = |verb: &str| forms.get(verb).and_then(|name| moves.get(name)).cloned();
                if let Some(zone) = moved_to(action, known).filter(|zone| *zone != field) {
                    moves.insert(action.name.text.clone(), zone);
                }
            }
            if moves.len() == before {
                break;
            }
        }
        let mut relocates: BTreeSet<SmolStr> = BTreeSet::new();
        loop {
            let known = |verb: &str| forms.get(verb).is_some_and(|name| relocates.contains(name));
            let moving =
                actions.iter().filter(|(action, _)| !relocates.contains(&action.name.text) && relocates_object(action, known));
            let more: Vec<SmolStr> = moving.map(|(action, _)| action.name.text.clone()).collect();
            if more.is_empty() {
                break;
            }
            relocates.extend(more);
        }
        let mut arrivals = arrivals(&actions, &forms, &relocates, field);
        let mut marks: BTreeSet<SmolStr> =
            actions.iter().filter(|(action, _)| only_marks(action)).map(|(action, _)| action.name.text.clone()).collect();
        // A format can give an action a body that does something else.
        let differs = |name: &SmolStr| actions.iter().filter(|(action, _)| action.name.text == *name).count() > 1;
        let mut sets: BTreeMap<SmolStr, Vec<WrittenStatus>> =
            actions.iter().map(|(action, _)| (action.name.text.clone(), written_statuses(action))).collect();
        sets.retain(|name, written| !written.is_empty() && !differs(name));
        let mut repeats: BTreeMap<SmolStr, SmolStr> = actions
            .iter()
            .filter_map(|(action, _)| Some((action.name.text.clone(), forms.get(repeated_verb(action)?)?.clone())))
            .collect();
        let unrepeated: BTreeSet<&SmolStr> = unrepeated.verbs.iter().filter_map(|verb| forms.get(verb)).collect();
        repeats.retain(|name, repeated| !differs(name) && unrepeated.contains(repeated));
        moves.retain(|name, _| !differs(name));
        marks.retain(|name| !differs(name));
        relocates.retain(|name| !differs(name));
        arrivals.retain(|name, _| !differs(name));
        Self { into_field, mentions, moves, relocates, arrivals, marks, sets, repeats }
    }
}

/// The actions whose words contain a word, or an action of which that is true. `forms`: the actions by their forms.
fn mentioning(actions: &[(&Action, BTreeSet<SmolStr>)], forms: &BTreeMap<SmolStr, SmolStr>, word: &str) -> BTreeSet<SmolStr> {
    let mut found: BTreeSet<SmolStr> = BTreeSet::new();
    loop {
        let mentions = |words: &BTreeSet<SmolStr>| {
            words.contains(word) || words.iter().filter_map(|word| forms.get(word)).any(|name| found.contains(name))
        };
        let open = actions.iter().filter(|(action, words)| !found.contains(&action.name.text) && mentions(words));
        let more: Vec<SmolStr> = open.map(|(action, _)| action.name.text.clone()).collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// The verb that a body repeats, if its number of times is a parameter and it does nothing else.
fn repeated_verb(action: &Action) -> Option<&str> {
    let [statement] = action.body.as_ref()?.statements.as_slice() else { return None };
    let StatementKind::Times { count, body } = &statement.kind else { return None };
    let counted = bare_word(count)?;
    let is_param = action.params.iter().any(|param| param.name.text == counted.text);
    only_call_of(body).filter(|_| is_param).map(|call| call.verb.text.as_str())
}

/// The only call of the body of an action; `None` if it has other statements.
fn only_call(action: &Action) -> Option<&Call> {
    only_call_of(action.body.as_ref()?)
}

/// The only call of a block; `None` if it has other statements.
fn only_call_of(body: &Block) -> Option<&Call> {
    let [statement] = body.statements.as_slice() else { return None };
    let StatementKind::Calls(calls) = &statement.kind else { return None };
    let [call] = calls.as_slice() else { return None };
    (!call.may && call.subject.is_none()).then_some(call)
}

/// The zone into which an action moves its first parameter and does nothing else.
fn moved_to(action: &Action, known: impl Fn(&str) -> Option<SmolStr>) -> Option<SmolStr> {
    let (call, it) = (only_call(action)?, &action.params.first()?.name.text);
    let [operand] = call.operands.as_slice() else { return None };
    bare_word(operand).filter(|word| word.text == *it)?;
    match (call.verb.text.as_str(), call.prepositions.as_slice()) {
        ("put", [(into, zone)]) if into.text == "into" => zone_word(zone).map(|zone| zone.text.clone()),
        (verb, []) => known(verb),
        _ => None,
    }
}

/// Whether a body moves its first parameter, perhaps under a condition.
fn relocates_object(action: &Action, known: impl Fn(&str) -> bool) -> bool {
    let (Some(body), Some(it)) = (&action.body, action.params.first()) else { return false };
    moves_name(&body.statements, &it.name.text, &known)
}

fn moves_name(statements: &[Statement], name: &str, known: &impl Fn(&str) -> bool) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StatementKind::Calls(calls) => {
            calls.iter().any(|call| relocated_name(call, known).is_some_and(|moved| moved.text == name))
        }
        StatementKind::Block(inner) | StatementKind::Simultaneously(inner) => moves_name(&inner.statements, name, known),
        StatementKind::If { then, otherwise, .. } => {
            moves_name(&then.statements, name, known)
                || otherwise.as_ref().is_some_and(|other| moves_name(&other.statements, name, known))
        }
        _ => false,
    })
}

/// The actions that put their object into the field. `forms`: the actions by their forms; `relocates`: all that move their object.
fn arrivals(
    actions: &[(&Action, BTreeSet<SmolStr>)],
    forms: &BTreeMap<SmolStr, SmolStr>,
    relocates: &BTreeSet<SmolStr>,
    field: &str,
) -> BTreeMap<SmolStr, Option<SmolStr>> {
    let mut found: BTreeMap<SmolStr, Option<SmolStr>> = BTreeMap::new();
    loop {
        let before = found.len();
        for (action, _) in actions.iter().filter(|(action, _)| relocates.contains(&action.name.text)) {
            let (Some(body), Some(it)) = (&action.body, action.params.first()) else { continue };
            let scan = ArrivalScan { actions, forms, relocates, found: &found, field, it: &it.name.text };
            if let Some(FirstMove::IntoField(next)) = scan.first_move(&body.statements) {
                found.insert(action.name.text.clone(), next);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// The first move of an action's object.
enum FirstMove {
    /// Into the field. The action that is proposed next for the object there.
    IntoField(Option<SmolStr>),
    /// Elsewhere, or not always into the field.
    Other,
}

/// Searches the body of an action for the first move of its object.
struct ArrivalScan<'t> {
    actions: &'t [(&'t Action, BTreeSet<SmolStr>)],
    forms: &'t BTreeMap<SmolStr, SmolStr>,
    relocates: &'t BTreeSet<SmolStr>,
    found: &'t BTreeMap<SmolStr, Option<SmolStr>>,
    field: &'t str,
    it: &'t SmolStr,
}

impl ArrivalScan<'_> {
    fn first_move(&self, statements: &[Statement]) -> Option<FirstMove> {
        let moves = |(index, statement): (usize, &Statement)| match &statement.kind {
            StatementKind::Calls(calls) => {
                calls.iter().find_map(|call| self.move_of(call, statements.get(index + 1..).unwrap_or_default()))
            }
            StatementKind::Block(inner) | StatementKind::Simultaneously(inner) => self.first_move(&inner.statements),
            StatementKind::If { then, otherwise, .. } => {
                let then = self.first_move(&then.statements);
                let otherwise = otherwise.as_ref().and_then(|block| self.first_move(&block.statements));
                match (then, otherwise) {
                    (Some(FirstMove::IntoField(_)), Some(FirstMove::Other)) => Some(FirstMove::Other),
                    (then, otherwise) => then.or(otherwise),
                }
            }
            _ => None,
        };
        statements.iter().enumerate().find_map(moves)
    }

    /// The move of the object by a call, and what `rest` does next with it.
    fn move_of(&self, call: &Call, rest: &[Statement]) -> Option<FirstMove> {
        let called = self.forms.get(&call.verb.text);
        let known = |_: &str| called.is_some_and(|name| self.relocates.contains(name));
        relocated_name(call, known).filter(|moved| moved.text == *self.it)?;
        let into = call.prepositions.iter().find(|(into, _)| into.text == "into");
        if call.verb.text == "put" && into.and_then(|(_, zone)| zone_word(zone)).is_some_and(|zone| zone.text == self.field) {
            let arrived = call.binding.as_ref().map_or(self.it, |name| &name.text);
            return Some(FirstMove::IntoField(self.next_event(rest, arrived)));
        }
        Some(called.and_then(|name| self.found.get(name)).map_or(FirstMove::Other, |next| FirstMove::IntoField(next.clone())))
    }

    /// The first action that packs can use and that statements propose for an object.
    fn next_event(&self, statements: &[Statement], object: &SmolStr) -> Option<SmolStr> {
        statements.iter().find_map(|statement| {
            let StatementKind::Calls(calls) = &statement.kind else { return None };
            let call =
                calls.iter().find(|call| call.operands.first().and_then(bare_word).is_some_and(|it| it.text == *object))?;
            let name = self.forms.get(&call.verb.text)?;
            if !name.starts_with('_') {
                return Some(name.clone());
            }
            // A private action of the rules: what it proposes itself.
            let (action, _) = self.actions.iter().find(|(action, _)| action.name.text == *name)?;
            let (body, it) = (action.body.as_ref()?, action.params.first()?);
            body.statements.iter().find_map(|inner| match &inner.kind {
                StatementKind::Calls(calls) => calls
                    .iter()
                    .filter(|call| call.operands.first().and_then(bare_word).is_some_and(|word| word.text == it.name.text))
                    .find_map(|call| self.forms.get(&call.verb.text).filter(|name| !name.starts_with('_')).cloned()),
                _ => None,
            })
        })
    }
}

/// The name of the object that a call moves: `put it into hand`, or an action that is `known` to move.
pub fn relocated_name(call: &Call, known: impl Fn(&str) -> bool) -> Option<&Name> {
    let puts = call.verb.text == "put" && call.prepositions.iter().any(|(into, _)| into.text == "into");
    let moves = puts || known(&call.verb.text);
    call.operands.first().filter(|_| moves).and_then(bare_word)
}

/// The zone word of `graveyard`, `its owner's graveyard` or `hand of you`.
pub fn zone_word(zone: &Expr) -> Option<&Name> {
    let phrase = as_phrase(zone).filter(|phrase| phrase.quantifier.is_none() && !phrase.other)?;
    match &phrase.head {
        Head::Word(word) | Head::Possessive { word, .. } => Some(word),
        _ => None,
    }
}

/// Whether a body consists of assignments to what belongs to its first parameter: `tapped of it = true`.
fn only_marks(action: &Action) -> bool {
    let (Some(body), Some(it)) = (&action.body, action.params.first()) else { return false };
    !body.statements.is_empty()
        && body.statements.iter().all(|statement| match &statement.kind {
            StatementKind::Assign { place, .. } => head_of(place, &it.name.text).is_some(),
            _ => false,
        })
}

/// The head of `HEAD of NAME`.
fn head_of<'e>(place: &'e Expr, name: &str) -> Option<&'e Head> {
    let phrase = as_phrase(place)?;
    let [filter] = phrase.filters.as_slice() else { return None };
    let PhraseFilterKind::Of(of) = &filter.kind else { return None };
    bare_word(of).filter(|word| word.text == name).map(|_| &phrase.head)
}

/// The statuses of its first parameter that an action sets to another parameter, always.
fn written_statuses(action: &Action) -> Vec<WrittenStatus> {
    let mut found = Vec::new();
    for statement in action.body.iter().flat_map(|body| &body.statements) {
        match &statement.kind {
            StatementKind::Simultaneously(inner) => {
                found.extend(inner.statements.iter().filter_map(|inner| written_status(action, inner)));
            }
            _ => found.extend(written_status(action, statement)),
        }
    }
    found
}

fn written_status(action: &Action, statement: &Statement) -> Option<WrittenStatus> {
    let StatementKind::Assign { place, op: AssignOp::Set, value } = &statement.kind else { return None };
    let (it, others) = action.params.split_first()?;
    let Head::Word(status) = head_of(place, &it.name.text)? else { return None };
    let param = bare_word(value).filter(|word| others.iter().any(|param| param.name.text == word.text))?;
    Some(WrittenStatus { status: status.text.clone(), param: param.text.clone() })
}

/// Collects the names of items: all of them, or those of one role.
#[derive(Default)]
pub struct NameCollector {
    /// The role; `None` for all.
    pub role: Option<NameRole>,
    /// The names.
    pub names: BTreeSet<SmolStr>,
}

impl Visitor for NameCollector {
    fn name(&mut self, role: NameRole, name: &Name) {
        if self.role.is_none_or(|wanted| wanted == role) {
            self.names.insert(name.text.clone());
        }
    }
    fn path(&mut self, _: &Path) {}
    fn period(&mut self, _: &Name) {}
    fn enter(&mut self) {}
    fn event(&mut self, _: &Name) {}
    fn leave(&mut self) {}
}

/// Collects the verbs of statements, without those of event patterns.
#[derive(Default)]
struct CallCollector {
    verbs: BTreeSet<SmolStr>,
    /// The verb of the last pattern, which is visited next.
    of_pattern: Option<Span>,
}

impl Visitor for CallCollector {
    fn name(&mut self, role: NameRole, name: &Name) {
        if role == NameRole::Verb && self.of_pattern != Some(name.span) {
            self.verbs.insert(name.text.clone());
        }
    }
    fn path(&mut self, _: &Path) {}
    fn period(&mut self, _: &Name) {}
    fn enter(&mut self) {}
    fn event(&mut self, verb: &Name) {
        self.of_pattern = Some(verb.span);
    }
    fn leave(&mut self) {}
}
