//! Statements and calls as text trees.

use super::{Builder, STATEMENTS, SUBJECT, nil};
use crate::lower::call::statement_of;
use crate::names::{Meaning, NameTable};
use crate::phrase_syntax::as_phrase;
use crate::text::tree::{TextNode, TextNodeKind, is_hole};
use crate::verb_forms::{is_inflected_form, is_third_person_of};
use fizzle_grammar::ast::{AssignOp, Block, Call, Head, Link, Span, Statement, StatementKind};
use fizzle_ir::Type;
use fizzle_ir::verbs::VERBS;
use smol_str::SmolStr;

/// The first of the acts that a sentence joins.
fn first_act_mut(act: &mut TextNode) -> &mut TextNode {
    let is_joined = act.kind == TextNodeKind::Sentence && !act.kids.is_empty();
    if is_joined { &mut act.kids[0] } else { act }
}

impl Builder<'_> {
    /// The name of the action, play or statement that a verb form belongs to.
    pub(super) fn verb(&self, word: &str, passive: bool) -> SmolStr {
        let known = |name: &str| name == word || is_inflected_form(name, word, passive);
        if self.names.actions.contains_key(word) || self.names.plays.contains_key(word) {
            return word.into();
        }
        match word {
            "enter" | "enters" => return "enter".into(),
            "leave" | "leaves" => return "leave".into(),
            _ => {}
        }
        let statements = STATEMENTS.iter().map(|(name, _)| *name);
        let actions = self.names.actions.keys().map(SmolStr::as_str);
        let plays = self.names.plays.keys().map(SmolStr::as_str);
        let names: Vec<&str> = actions.chain(plays).chain(statements).collect();
        let found = names.iter().find(|name| is_third_person_of(name, word)).or_else(|| names.iter().find(|name| known(name)));
        found.copied().or_else(|| statement_of(word)).unwrap_or(word).into()
    }

    /// Whether a verb, as [`Self::parameters`] takes it, is one of the game or of the language.
    #[must_use]
    pub fn is_verb(&self, verb: &str) -> bool {
        self.names.actions.contains_key(verb)
            || self.names.plays.contains_key(verb)
            || matches!(verb, "enter" | "leave")
            || STATEMENTS.iter().any(|(name, _)| *name == verb)
    }

    /// The names and types of the parameters of a verb, and the index of its subject if it has one.
    #[must_use]
    pub fn parameters(&self, verb: &str) -> (Vec<(SmolStr, Option<Type>)>, Option<usize>) {
        if let Some((_, operands)) = STATEMENTS.iter().find(|(name, _)| *name == verb)
            && !self.names.actions.contains_key(verb)
        {
            return (operands.iter().map(|name| (SmolStr::new(name), None)).collect(), None);
        }
        let Some(signature) = self.names.actions.get(verb) else { return (Vec::new(), None) };
        let params: Vec<_> = signature.params.iter().map(|(name, ty)| (name.clone(), Some(*ty))).collect();
        let subject =
            signature.acting_param.or_else(|| params.iter().position(|(_, ty)| *ty == Some(Type::Player)).filter(|at| *at == 0));
        (params, subject)
    }

    pub(super) fn call(&self, call: &Call) -> TextNode {
        let span = call.span;
        let mut verb = self.verb(&call.verb.text, false);
        let mut operands: Vec<TextNode> = call.operands.iter().map(|operand| self.expr(operand)).collect();
        // `deal 3 damage to X` is a call of `deal_damage`
        if let Some(first) = operands.first()
            && first.kind == TextNodeKind::Phrase
            && first.kids.len() == 2
            && first.kid(0).text == "exactly"
            && first.kid(1).kind == TextNodeKind::Word
        {
            let named = self.verb(&format!("{}_{}", call.verb.text, first.kid(1).text), false);
            if self.names.actions.contains_key(&named) {
                verb = named;
                operands = vec![first.kid(0).kid(0).clone()];
            }
        }
        let (params, subject) = self.parameters(&verb);
        if self.is_pattern && params.is_empty() && is_hole(&call.verb.text) && call.operands.is_empty() && call.subject.is_none()
        {
            return TextNode::new(TextNodeKind::Hole, call.verb.text.clone(), Vec::new(), span);
        }
        let mut slots: Vec<TextNode> = vec![nil(); params.len()];
        let mut who = call.subject.as_ref().map_or_else(nil, |subject| {
            let who = self.expr(&subject.who);
            if subject.each {
                let other = if subject.other { "other" } else { "" };
                TextNode::new(
                    TextNodeKind::Phrase,
                    other,
                    vec![TextNode::new(TextNodeKind::Quantifier, "each", vec![], subject.span), who],
                    subject.span,
                )
            } else {
                who
            }
        });
        let counted = operands.len() == 1
            && call.operands.len() == 1
            && verb.as_str() != call.verb.text.as_str()
            && verb.contains('_')
            && !call.verb.text.contains('_');
        let builtin = VERBS.iter().find(|row| row.name == verb);
        let mut next = 0;
        // `each opponent gets_counters(poison, 1)`: the written subject is the player, and the operands follow it
        let is_written = call.subject.is_some()
            && operands.len() < params.len()
            && subject.and_then(|at| params.get(at)).is_some_and(|(_, ty)| *ty == Some(Type::Player));
        let names_player = |operand: &TextNode| is_player(operand, self.names);
        let several = operands.len() > 1 && (!is_written || names_player(&operands[0]))
            || (operands.len() == 1 && subject == Some(0) && names_player(&operands[0]));
        for operand in operands {
            if !several && subject == Some(next) && params.len() > 1 {
                next += 1;
            }
            // a counted amount becomes the first operand that is a number
            let at = if counted { params.iter().position(|(_, ty)| *ty == Some(Type::Number)).unwrap_or(next) } else { next };
            if let Some(slot) = slots.get_mut(at) {
                *slot = operand;
            }
            if at == next {
                next += 1;
            }
        }
        for (preposition, value) in &call.prepositions {
            let value = self.expr(value);
            let word = preposition.text.as_str();
            let named = builtin.and_then(|row| row.params.iter().position(|param| param.prepositions.contains(&word)));
            if word == "by" && builtin.is_none() && self.names.actions.contains_key(&verb) {
                // the player that an action without a doer takes: `special_summon X by you`
                let free = (0..slots.len()).find(|at| slots[*at].is_nil() && params[*at].1 == Some(Type::Player));
                match free.filter(|_| subject.is_none()).and_then(|at| slots.get_mut(at)) {
                    Some(slot) => *slot = value,
                    None => who = value,
                }
                continue;
            }
            let free = || (0..slots.len()).find(|at| slots[*at].is_nil() && subject != Some(*at) && !(*at == 0 && word != "to"));
            let of_statement = params.iter().position(|(name, ty)| ty.is_none() && name == word);
            let at = of_statement.or(named).or_else(free).or_else(|| (0..slots.len()).find(|at| slots[*at].is_nil()));
            if word == "under"
                && verb == "attach"
                && let Some(slot) = slots.get_mut(2)
            {
                *slot = TextNode::word("true", span);
            }
            if let Some(slot) = at.and_then(|at| slots.get_mut(at)) {
                *slot = value;
            }
        }
        // `its controller explores it`: the player is the first operand of what the object does
        if subject == Some(1)
            && slots.len() == 2
            && params.first().is_some_and(|(_, ty)| *ty == Some(Type::Player))
            && !who.is_nil()
            && !call.may
            && !slots[0].is_nil()
            && slots[1].is_nil()
        {
            who = std::mem::replace(&mut slots[0], who);
        }
        // `you may receive(this, charge, 1)`: the player decides, and the operand is what the action is about
        let decides = |slot: &TextNode, at: usize| {
            call.may && !slot.is_nil() && params.get(at).is_some_and(|(_, ty)| *ty != Some(Type::Player))
        };
        if let Some(at) = subject
            && let Some(slot) = slots.get_mut(at)
        {
            if decides(slot, at) && !who.is_nil() && !who.is_word("you") {
                // no text says that another player decides about it
                return TextNode::new(TextNodeKind::Other, "", Vec::new(), span);
            }
            if who.is_nil() || decides(slot, at) {
                who = std::mem::replace(slot, nil());
            }
            *slot = nil();
        }
        let may = if call.may { TextNode::word("may", span) } else { nil() };
        let adverbs = call.adverbs.iter().map(|adverb| self.word(adverb)).collect();
        let binding = call.binding.as_ref().map_or_else(nil, |name| self.word(name));
        let mut kids = vec![who, may, TextNode::new(TextNodeKind::List, "", adverbs, span), binding];
        kids.append(&mut slots);
        TextNode::new(TextNodeKind::Do, verb, kids, span)
    }

    /// Converts a block of statements.
    #[must_use]
    pub fn block(&self, block: &Block) -> TextNode {
        let mut made: Vec<TextNode> = block.statements.iter().map(|s| self.statement(s)).collect();
        for (at, statement) in block.statements.iter().enumerate().skip(1) {
            self.take_over_subject(statement, &mut made, at);
        }
        TextNode::new(TextNodeKind::Block, "", made, block.span)
    }

    /// After `then`, a verb in the third person without a subject takes over that of the sentence before.
    fn take_over_subject(&self, statement: &Statement, made: &mut [TextNode], at: usize) {
        let StatementKind::Calls(calls) = &statement.kind else { return };
        let Some(call) = calls.first().filter(|call| statement.link == Link::Then && call.subject.is_none()) else { return };
        let Some((before, [here, ..])) = made.split_at_mut_checked(at) else { return };
        let Some(before) = before.last().map(|sentence| sentence.kid(0).last_act()) else { return };
        if let Some(act) = here.kids.first_mut().map(first_act_mut)
            && act.kind == TextNodeKind::Do
            && before.kind == TextNodeKind::Do
            && act.kid(SUBJECT).is_nil()
            && is_third_person_of(&act.text, &call.verb.text)
        {
            act.kids[SUBJECT] = before.kid(SUBJECT).clone();
        }
    }

    /// Converts a block that a condition, a time or a number governs.
    pub(super) fn governed_block(&self, block: &Block, by: &str) -> TextNode {
        TextNode { text: by.into(), ..self.block(block) }
    }

    /// Converts a statement with its link.
    #[must_use]
    pub fn statement(&self, statement: &Statement) -> TextNode {
        let link = match statement.link {
            Link::Next => "",
            Link::Then => "then",
            Link::IfYouDo => "if_you_do",
            Link::Otherwise => "otherwise",
        };
        let mut inner = self.act(&statement.kind, statement.span);
        if inner.kind == TextNodeKind::Block && matches!(link, "if_you_do" | "otherwise") {
            inner.text = "if".into();
        }
        if inner.kind == TextNodeKind::Hole && link.is_empty() {
            return inner;
        }
        TextNode::new(TextNodeKind::Statement, link, vec![inner], statement.span)
    }

    pub(super) fn act(&self, kind: &StatementKind, span: Span) -> TextNode {
        let node = |kind, text: &str, kids| TextNode::new(kind, text, kids, span);
        match kind {
            StatementKind::Let { name, value } => {
                // a selection without a quantifier is all of it
                let value = self.expr(value);
                let each = TextNode::new(TextNodeKind::Quantifier, "each", Vec::new(), value.span);
                let value = self.quantified(&value, each).unwrap_or(value);
                node(TextNodeKind::Let, "", vec![self.word(name), value])
            }
            StatementKind::Assign { place, op: how, value } => {
                let how = match how {
                    AssignOp::Set => "=",
                    AssignOp::Add => "+=",
                    AssignOp::Subtract => "-=",
                };
                node(TextNodeKind::Assign, how, vec![self.expr(place), self.expr(value)])
            }
            StatementKind::Calls(calls) => {
                let mut made: Vec<TextNode> = calls.iter().map(|call| self.call(call)).collect();
                // a later verb in the third person takes over the subject of the one before
                for at in 1..made.len() {
                    let before = made[at - 1].kid(SUBJECT).clone();
                    let called = calls.get(at);
                    if called.is_some_and(|call| {
                        call.subject.is_none() && call.verb.text != made[at].text && made[at].kid(SUBJECT).is_nil()
                    }) && made[at].kind == TextNodeKind::Do
                    {
                        made[at].kids[SUBJECT] = before;
                    }
                }
                if made.len() == 1 { made.remove(0) } else { node(TextNodeKind::Sentence, "", made) }
            }
            StatementKind::Block(block) => self.block(block),
            StatementKind::If { condition, then, otherwise } => {
                // An empty block says nothing.
                let otherwise = otherwise.as_ref().filter(|block| !block.statements.is_empty());
                let otherwise = otherwise.map_or_else(nil, |block| self.governed_block(block, "if"));
                node(TextNodeKind::If, "", vec![self.expr(condition), self.governed_block(then, "if"), otherwise])
            }
            StatementKind::ForEach { name, list, body } => {
                // the elements of `players that (…)` are called `player`
                let mut list = self.expr(list);
                if list.kind == TextNodeKind::Phrase && list.kid(1).is_word("players") {
                    list.kids[1] = TextNode::word("player", list.kid(1).span);
                }
                // the elements of a zone are its cards
                if self.is_place(&list) {
                    let place = node(TextNodeKind::In, "", vec![list]);
                    list = node(TextNodeKind::Phrase, "", vec![nil(), TextNode::word("card", span), place]);
                }
                let (mut name, mut body) = (self.word(name), self.governed_block(body, "each"));
                // a name that is also the noun of the list is another word behind it
                if name.kind == TextNodeKind::Word && list.mentions(&name.text) {
                    let element = TextNode::word(&format!("_element {}", name.text), name.span);
                    body = body.replace_word(&name.text, &element);
                    name = element;
                }
                node(TextNodeKind::ForEach, "", vec![name, list, body])
            }
            StatementKind::Divide(divided) => node(
                TextNodeKind::Divide,
                "",
                vec![
                    self.optional_expr(divided.subject.as_ref()),
                    self.expr(&divided.amount),
                    self.expr(&divided.among),
                    self.optional_expr(divided.min_each.as_ref()),
                    self.word(&divided.name),
                ],
            ),
            StatementKind::Times { count, body } => {
                node(TextNodeKind::Times, "", vec![self.expr(count), self.governed_block(body, "times")])
            }
            StatementKind::Repeat { condition, body } => {
                node(TextNodeKind::Repeat, "", vec![self.expr(condition), self.block(body)])
            }
            StatementKind::Simultaneously(body) => node(TextNodeKind::AtOnce, "", vec![self.block(body)]),
            StatementKind::Modes { count, least, repeats, modes } => {
                let all = as_phrase(count).is_some_and(|it| matches!(it.head, Head::Number(n) if n == modes.len() as i64));
                let kind = match least {
                    None => "",
                    Some(0) => "up_to",
                    Some(1) if all && modes.len() == 2 => "both",
                    Some(1) if all => "or_more",
                    Some(_) => "range",
                };
                let text = if *repeats { format!("{kind}_repeats") } else { kind.to_owned() };
                let text = text.trim_start_matches('_');
                let least = TextNode::new(TextNodeKind::Number, least.unwrap_or_default().to_string(), Vec::new(), count.span);
                let modes = modes.iter().map(|mode| self.block(mode)).collect();
                node(TextNodeKind::Modes, text, vec![self.expr(count), node(TextNodeKind::List, "", modes), least])
            }
            StatementKind::Gets { whom, mods, until } => {
                let until = until.as_ref().map_or_else(nil, |until| self.until(until));
                node(TextNodeKind::Gets, "", vec![self.expr(whom), self.changes(mods, span), until])
            }
            StatementKind::Becomes { whom, model, enters, except, until } => {
                let until = until.as_ref().map_or_else(nil, |until| self.until(until));
                let text = if *enters { "enters" } else { "" };
                node(TextNodeKind::Becomes, text, vec![self.expr(whom), self.expr(model), self.changes(except, span), until])
            }
            StatementKind::CreateCopy { model, except, into, under, name, adverbs } => node(
                TextNodeKind::CreateCopy,
                "",
                vec![
                    self.expr(model),
                    self.changes(except, span),
                    self.expr(into),
                    self.optional_expr(under.as_deref()),
                    name.as_ref().map_or_else(nil, |name| self.word(name)),
                    if adverbs.is_empty() {
                        nil()
                    } else {
                        node(TextNodeKind::List, "", adverbs.iter().map(|adverb| self.word(adverb)).collect())
                    },
                ],
            ),
            StatementKind::CopyListed { model, choosing, name } => node(
                TextNodeKind::CopyListed,
                if *choosing { "choosing" } else { "" },
                vec![self.expr(model), name.as_ref().map_or_else(nil, |name| self.word(name))],
            ),
            StatementKind::Cannot { pattern, until } => {
                let until = until.as_ref().map_or_else(nil, |until| self.until(until));
                node(TextNodeKind::Cannot, "", vec![self.event(pattern), until])
            }
            StatementKind::Clause { clause, until } => {
                let until = until.as_ref().map_or_else(nil, |until| self.until(until));
                let mut made = self.clause(clause);
                made.kids.push(until);
                made
            }
            StatementKind::DelayedAt { moment, body } => {
                // without a player, a delayed trigger waits for the next one in any case
                let mut moment = self.moment(moment);
                if moment.kid(1).is_nil() {
                    moment.text = moment.text.trim_end_matches("_next").into();
                }
                node(TextNodeKind::Delayed, "", vec![moment, self.governed_block(body, "at")])
            }
            StatementKind::DelayedWhen { once, pattern, until, body, .. } => {
                let until = until.as_ref().map_or_else(nil, |until| self.until(until));
                let text = if *once { "when" } else { "whenever" };
                node(TextNodeKind::DelayedWhen, text, vec![self.event(pattern), self.governed_block(body, "at"), until])
            }
            StatementKind::TemporaryAbilities { until, once, abilities } => {
                let abilities = abilities.iter().map(|ability| self.ability(ability)).collect();
                let text = if *once { "once" } else { "" };
                node(TextNodeKind::Standing, text, vec![self.until(until), node(TextNodeKind::List, "", abilities)])
            }
            StatementKind::Trigger(body) => node(TextNodeKind::Trigger, "", vec![self.block(body)]),
            StatementKind::Declare(declare) => {
                let parts = [&declare.by, &declare.from, &declare.onto];
                node(TextNodeKind::Declare, &declare.action.text, parts.map(|part| self.optional_expr(part.as_ref())).to_vec())
            }
            StatementKind::Window { .. } => node(TextNodeKind::Other, "", vec![]),
        }
    }
}

/// Whether an operand names a player.
fn is_player(node: &TextNode, names: &NameTable<'_>) -> bool {
    let word = match node.kind {
        TextNodeKind::Word => node,
        TextNodeKind::Phrase => node.kid(1),
        _ => return false,
    };
    matches!(word.text.as_str(), "you" | "opponent" | "active" | "player" | "owner" | "controller")
        || names
            .meanings(&word.text)
            .iter()
            .any(|meaning| matches!(meaning, Meaning::Player(n) if names.types[2].get(usize::from(*n)) == Some(&Type::Player)))
}
