//! Converts the syntax tree into the text tree. Forms that the source may write in several ways get one normal form.

use super::tree::{TextNode, TextNodeKind, is_hole};
use crate::names::{Meaning, NameTable};
use crate::verb_forms::{is_inflected_form, is_third_person_of};
use fizzle_grammar::ast::{
    Ability, AbilityKind, Aggregate, AssignOp, BinaryOp, Block, Call, ClauseKind, DeclarationClause, Duration, DurationPoint,
    Expr, ExprKind, Fact, Head, Link, Modification, ModificationKind, Moment, Name, Pattern, Phrase, PhraseFilter,
    PhraseFilterKind, Play, Quantifier, Span, Statement, StatementKind, UseLimit,
};
use fizzle_runtime::ir::Type;
use fizzle_runtime::ir::verbs::VERBS;
use smol_str::SmolStr;
use std::collections::BTreeMap;

/// Indices of the children of a `Do` node: the subject.
pub const SUBJECT: usize = 0;
/// `may`
pub const MAY: usize = 1;
/// The list of adverbs.
pub const ADVERBS: usize = 2;
/// `as NAME`
pub const BINDING: usize = 3;
/// The first operand. The others follow in the order of the parameters.
pub const OPERANDS: usize = 4;

/// Statements that are no actions of the game, with the names of their operands.
const STATEMENTS: &[(&str, &[&str])] = &[
    ("choose", &["it", "from", "to"]),
    ("use", &["it", "by", "onto"]),
    ("pay", &["price"]),
    ("produce", &["price"]),
    ("resolve_text", &["it"]),
    ("restore_use", &["it"]),
    ("retarget", &["it"]),
    ("insert", &["it"]),
    ("skip", &["it"]),
    ("skip_to", &["it"]),
    ("expire", &["it"]),
    ("end", &["it"]),
    ("priority", &[]),
    ("settle", &["it"]),
    ("check_state_rules", &[]),
    ("extra_turn", &["who"]),
];

/// Builds text trees.
#[derive(Clone, Copy)]
pub struct Builder<'n> {
    /// The names that the game declares.
    pub names: &'n NameTable<'n>,
    /// Whether the tree is a pattern, in which words of one capital letter are holes.
    pub is_pattern: bool,
    /// The quoted words that cards print, with their properties. They are not names of cards.
    pub quoted_words: Option<&'n BTreeMap<SmolStr, SmolStr>>,
    /// What keywords stand for, if known.
    pub keywords: Option<&'n Keywords<'n>>,
}

/// The parameters and abilities of keywords.
pub type Keywords<'n> = BTreeMap<SmolStr, (&'n [fizzle_grammar::ast::Param], &'n [Ability])>;

fn nil() -> TextNode {
    TextNode::nil()
}

impl Builder<'_> {
    fn word(&self, name: &Name) -> TextNode {
        self.word_text(&name.text, name.is_quoted(), name.span)
    }

    fn word_text(&self, text: &SmolStr, quoted: bool, span: Span) -> TextNode {
        if self.is_pattern && !quoted && is_hole(text) {
            return TextNode::new(TextNodeKind::Hole, text.clone(), Vec::new(), span);
        }
        let printed = self.quoted_words.is_some_and(|printed| printed.contains_key(text));
        let kind =
            if quoted && !printed && self.names.cards.contains_key(text) { TextNodeKind::Quoted } else { TextNodeKind::Word };
        TextNode::new(kind, text.clone(), Vec::new(), span)
    }

    fn optional_expr(&self, expr: Option<&Expr>) -> TextNode {
        expr.map_or_else(nil, |expr| self.expr(expr))
    }

    /// Converts an expression.
    #[must_use]
    pub fn expr(&self, expr: &Expr) -> TextNode {
        let span = expr.span;
        let node = |kind, text: &str, kids| TextNode::new(kind, text, kids, span);
        match &expr.kind {
            ExprKind::Binary { op, left, right } => {
                let text = match op {
                    BinaryOp::Or => "or",
                    BinaryOp::And => "and",
                    BinaryOp::Equal => "==",
                    BinaryOp::NotEqual => "!=",
                    BinaryOp::LessEqual => "<=",
                    BinaryOp::GreaterEqual => ">=",
                    BinaryOp::Less => "<",
                    BinaryOp::Greater => ">",
                    BinaryOp::Add => "+",
                    BinaryOp::Subtract => "-",
                    BinaryOp::Multiply => "*",
                    BinaryOp::DivideDown => "/down",
                    BinaryOp::DivideUp => "/up",
                };
                node(TextNodeKind::Binary, text, vec![self.expr(left), self.expr(right)])
            }
            ExprKind::Not(inner) => self.negate(self.expr(inner), span),
            ExprKind::Negative(inner) => node(TextNodeKind::Negative, "", vec![self.expr(inner)]),
            ExprKind::Is { left, right, negated } => {
                node(TextNodeKind::Is, if *negated { "not" } else { "" }, vec![self.expr(left), self.expr(right)])
            }
            ExprKind::Has { left, word } => node(TextNodeKind::Has, "", vec![self.expr(left), self.word(word)]),
            ExprKind::Shares { left, traits, right } => {
                node(TextNodeKind::Shares, &traits.text, vec![self.expr(left), self.expr(right)])
            }
            ExprKind::Can { left, passive, verb, object } => {
                let verb = self.verb(&verb.text, *passive);
                node(TextNodeKind::Can, &verb, vec![self.expr(left), self.optional_expr(object.as_deref())])
            }
            ExprKind::If { condition, then, otherwise } => {
                node(TextNodeKind::Choice, "", vec![self.expr(condition), self.expr(then), self.expr(otherwise)])
            }
            ExprKind::Aggregate { kind, property, over } => {
                let text = match kind {
                    Aggregate::Count => "count",
                    Aggregate::Sum => "sum",
                    Aggregate::Highest => "highest",
                    Aggregate::Lowest => "lowest",
                };
                node(TextNodeKind::Aggregate, text, vec![property.as_ref().map_or_else(nil, |p| self.word(p)), self.expr(over)])
            }
            ExprKind::RandomNumber { from, to } => node(TextNodeKind::Random, "", vec![self.expr(from), self.expr(to)]),
            ExprKind::Phrase(phrase) => self.phrase(phrase, span),
        }
    }

    fn negate(&self, node: TextNode, span: Span) -> TextNode {
        match (node.kind, node.text.as_str()) {
            (TextNodeKind::Is | TextNodeKind::Has, "") => TextNode { text: "not".into(), ..node },
            (TextNodeKind::Is | TextNodeKind::Has, "not") => TextNode { text: "".into(), ..node },
            _ => TextNode::new(TextNodeKind::Not, "", vec![node], span),
        }
    }

    /// Whether a word takes the `of` behind it.
    fn takes_of(&self, word: &str) -> bool {
        if crate::names::FACTS.contains(&word) || word == "opponent" {
            return true;
        }
        self.names.meanings(word).iter().any(|meaning| match meaning {
            Meaning::Property(_) | Meaning::Status(_) | Meaning::Player(_) | Meaning::Traits(_) | Meaning::Keyword(_) => true,
            Meaning::Zone(zone) => self.names.zones.get(zone.index()).is_some_and(|(_, settings)| {
                settings.iter().any(|setting| setting.iter().map(|word| word.text.as_str()).eq(["each", "player"]))
            }),
            Meaning::Function => self.names.functions.get(word).is_some_and(|function| function.params.len() == 1),
            _ => false,
        })
    }

    /// Attaches the following `of` to an expression that takes one, and so on: `hand of owner of it`.
    fn attach_of(&self, atom: &Expr, posts: &mut std::iter::Peekable<std::slice::Iter<'_, PhraseFilter>>) -> TextNode {
        let node = self.expr(atom);
        let takes = (node.kind == TextNodeKind::Word && self.takes_of(&node.text)) || node.kind == TextNodeKind::Call;
        if takes && let Some(PhraseFilter { kind: PhraseFilterKind::Of(of), span }) = posts.peek() {
            posts.next();
            let of = TextNode::new(TextNodeKind::Of, "", vec![self.attach_of(of, posts)], *span);
            return TextNode::new(TextNodeKind::Phrase, "", vec![nil(), node, of], atom.span.to(*span));
        }
        node
    }

    /// Whether a word is a status of type `bool`.
    pub(super) fn is_flag(&self, word: &str) -> bool {
        self.names.meanings(word).iter().any(|meaning| match meaning {
            Meaning::Status(n) => self.names.statuses.get(usize::from(*n)).is_some_and(|status| status.ty.name.text == "bool"),
            _ => false,
        })
    }

    fn quantifier(&self, quantifier: &Quantifier, span: Span) -> TextNode {
        let node = |text: &str, kids| TextNode::new(TextNodeKind::Quantifier, text, kids, span);
        match quantifier {
            Quantifier::Each => node("each", vec![]),
            Quantifier::Exactly(n) => node("exactly", vec![self.expr(n)]),
            Quantifier::UpTo(n) => node("up_to", vec![self.expr(n)]),
            Quantifier::AnyNumber => node("any", vec![]),
            Quantifier::Target { count, up_to } => {
                let count =
                    count.as_ref().map_or_else(|| TextNode::new(TextNodeKind::Number, "1", vec![], span), |n| self.expr(n));
                node(if *up_to { "target_up_to" } else { "target" }, vec![count])
            }
            Quantifier::Range { min: least, max: most, target } => {
                node(if *target { "target_range" } else { "range" }, vec![self.expr(least), self.expr(most)])
            }
            Quantifier::Random(n) => node("random", vec![self.expr(n)]),
            Quantifier::Top(n) => node("top", vec![self.expr(n)]),
            Quantifier::Bottom(n) => node("bottom", vec![self.expr(n)]),
            Quantifier::Some => node("some", vec![]),
            Quantifier::No => node("no", vec![]),
        }
    }

    fn phrase(&self, phrase: &Phrase, span: Span) -> TextNode {
        let mut posts = phrase.filters.iter().peekable();
        let mut made: Vec<TextNode> = Vec::new();
        let head = match &phrase.head {
            Head::Word(name) => {
                let word = self.word(name);
                // a head that takes an `of` takes the first one
                if self.takes_of(&name.text)
                    && phrase.quantifier.is_none()
                    && let Some(PhraseFilter { kind: PhraseFilterKind::Of(of), span }) = posts.peek()
                {
                    posts.next();
                    let of = self.attach_of(of, &mut posts);
                    if !of.is_word("candidate") {
                        made.push(TextNode::new(TextNodeKind::Of, "", vec![of], *span));
                    }
                }
                word
            }
            Head::Quoted(name) => self.word(name),
            Head::Number(n) => TextNode::new(TextNodeKind::Number, n.to_string(), vec![], span),
            Head::Bool(value) => TextNode::word(if *value { "true" } else { "false" }, span),
            Head::Price(units) => {
                let text: String = units.iter().map(|unit| format!("{{{}}}", unit.text)).collect();
                if self.is_pattern && is_hole(&text) {
                    TextNode::new(TextNodeKind::Hole, text, vec![], span)
                } else {
                    TextNode::new(TextNodeKind::Price, text, vec![], span)
                }
            }
            Head::Group(inner) => self.expr(inner),
            Head::List(items) => TextNode::new(TextNodeKind::List, "", items.iter().map(|item| self.expr(item)).collect(), span),
            Head::Call { name, args } => {
                let call =
                    TextNode::new(TextNodeKind::Call, name.text.clone(), args.iter().map(|arg| self.expr(arg)).collect(), span);
                if let Some(PhraseFilter { kind: PhraseFilterKind::Of(of), span }) = posts.peek() {
                    posts.next();
                    let of = self.attach_of(of, &mut posts);
                    if !of.is_word("candidate") {
                        made.push(TextNode::new(TextNodeKind::Of, "", vec![of], *span));
                    }
                }
                call
            }
            Head::Possessive { owner, word } => {
                let of = self.expr(owner);
                made.push(TextNode::new(TextNodeKind::Of, "", vec![of], span));
                self.word(word)
            }
        };
        while let Some(post) = posts.next() {
            let span = post.span;
            match &post.kind {
                PhraseFilterKind::Of(of) => {
                    made.push(TextNode::new(TextNodeKind::Of, "", vec![self.attach_of(of, &mut posts)], span))
                }
                PhraseFilterKind::In(zone) => {
                    made.push(TextNode::new(TextNodeKind::In, "", vec![self.attach_of(zone, &mut posts)], span))
                }
                PhraseFilterKind::With(test) | PhraseFilterKind::That(test) => self.add_test(self.expr(test), &mut made),
                PhraseFilterKind::Without(name) => {
                    let keyword = self.names.keywords.contains_key(&name.text);
                    made.push(TextNode::new(
                        if keyword { TextNodeKind::Has } else { TextNodeKind::Is },
                        "not",
                        vec![self.word(name)],
                        span,
                    ));
                }
                PhraseFilterKind::ThatIs { what, negated } => {
                    made.push(TextNode::new(TextNodeKind::Is, if *negated { "not" } else { "" }, vec![self.expr(what)], span));
                }
                PhraseFilterKind::ThatHas(name) => made.push(TextNode::new(TextNodeKind::Has, "", vec![self.word(name)], span)),
            }
        }
        let quantifier = phrase.quantifier.as_ref().map_or_else(nil, |quantifier| self.quantifier(quantifier, span));
        if quantifier.is_nil() && !phrase.other && made.is_empty() {
            return head;
        }
        // `tapped of it` becomes `it is tapped`
        if quantifier.is_nil()
            && !phrase.other
            && head.kind == TextNodeKind::Word
            && self.is_flag(&head.text)
            && let [of] = made.as_slice()
            && of.kind == TextNodeKind::Of
        {
            return TextNode::new(TextNodeKind::Is, "", vec![of.kid(0).clone(), head], span);
        }
        let mut kids = vec![quantifier, head];
        kids.append(&mut made);
        TextNode::new(TextNodeKind::Phrase, if phrase.other { "other" } else { "" }, kids, span)
    }

    /// Adds a condition on the candidate as filters: `that (a and b)` becomes two.
    fn add_test(&self, test: TextNode, made: &mut Vec<TextNode>) {
        match (test.kind, test.text.as_str()) {
            (TextNodeKind::Binary, "and") => {
                for kid in test.kids {
                    self.add_test(kid, made);
                }
            }
            (TextNodeKind::Binary, "or") if words_of_candidate(&test).is_some() => {
                let words = words_of_candidate(&test).unwrap_or_else(TextNode::nil);
                made.push(TextNode::new(TextNodeKind::Is, "", vec![words], test.span));
            }
            (TextNodeKind::Is | TextNodeKind::Has, _) if test.kid(0).is_word("candidate") => {
                made.push(TextNode { kids: test.kids.into_iter().skip(1).collect(), ..test });
            }
            (TextNodeKind::Word, _) => {
                let word = test.text.as_str();
                let keyword = self.names.keywords.contains_key(word);
                made.push(TextNode::new(
                    if keyword { TextNodeKind::Has } else { TextNodeKind::Is },
                    "",
                    vec![test.clone()],
                    test.span,
                ));
            }
            (TextNodeKind::Not, _) if test.kid(0).kind == TextNodeKind::Word => {
                let word = test.kid(0).clone();
                let keyword = self.names.keywords.contains_key(&word.text);
                made.push(TextNode::new(
                    if keyword { TextNodeKind::Has } else { TextNodeKind::Is },
                    "not",
                    vec![word],
                    test.span,
                ));
            }
            (TextNodeKind::Not, _)
                if test.kid(0).kind == TextNodeKind::Call
                    && test.kid(0).kids.len() == 1
                    && test.kid(0).kid(0).is_word("candidate") =>
            {
                let call = test.kid(0);
                made.push(TextNode::new(TextNodeKind::Is, "not", vec![TextNode::word(&call.text, call.span)], test.span));
            }
            (TextNodeKind::Call, _) if test.kids.len() == 1 && test.kid(0).is_word("candidate") => {
                made.push(TextNode::new(TextNodeKind::Is, "", vec![TextNode::word(&test.text, test.span)], test.span));
            }
            _ => made.push(TextNode::new(TextNodeKind::That, "", vec![test.clone()], test.span)),
        }
    }

    /// The name of the action, play or statement that a verb form belongs to.
    fn verb(&self, word: &str, passive: bool) -> SmolStr {
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
        names
            .iter()
            .find(|name| is_third_person_of(name, word))
            .or_else(|| names.iter().find(|name| known(name)))
            .map_or_else(|| word.into(), SmolStr::new)
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

    fn call(&self, call: &Call) -> TextNode {
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
        let several = operands.len() > 1 || (operands.len() == 1 && subject == Some(0) && is_player(&operands[0], self.names));
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
                who = value;
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
        if let Some(at) = subject
            && let Some(slot) = slots.get_mut(at)
        {
            if who.is_nil() {
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
        TextNode::new(TextNodeKind::Block, "", block.statements.iter().map(|s| self.statement(s)).collect(), block.span)
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
        let inner = self.act(&statement.kind, statement.span);
        if inner.kind == TextNodeKind::Hole && link.is_empty() {
            return inner;
        }
        TextNode::new(TextNodeKind::Statement, link, vec![inner], statement.span)
    }

    fn act(&self, kind: &StatementKind, span: Span) -> TextNode {
        let node = |kind, text: &str, kids| TextNode::new(kind, text, kids, span);
        match kind {
            StatementKind::Let { name, value } => node(TextNodeKind::Let, "", vec![self.word(name), self.expr(value)]),
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
                let otherwise = otherwise.as_ref().map_or_else(nil, |block| self.block(block));
                node(TextNodeKind::If, "", vec![self.expr(condition), self.block(then), otherwise])
            }
            StatementKind::ForEach { name, list, body } => {
                node(TextNodeKind::ForEach, "", vec![self.word(name), self.expr(list), self.block(body)])
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
            StatementKind::Times { count, body } => node(TextNodeKind::Times, "", vec![self.expr(count), self.block(body)]),
            StatementKind::Repeat { condition, body } => {
                node(TextNodeKind::Repeat, "", vec![self.expr(condition), self.block(body)])
            }
            StatementKind::Simultaneously(body) => node(TextNodeKind::AtOnce, "", vec![self.block(body)]),
            StatementKind::Modes { count, up_to, repeats, modes } => {
                let text = match (up_to, repeats) {
                    (false, false) => "",
                    (true, false) => "up_to",
                    (false, true) => "repeats",
                    (true, true) => "up_to_repeats",
                };
                let modes = modes.iter().map(|mode| self.block(mode)).collect();
                node(TextNodeKind::Modes, text, vec![self.expr(count), node(TextNodeKind::List, "", modes)])
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
                node(TextNodeKind::Delayed, "", vec![self.moment(moment), self.block(body)])
            }
            StatementKind::DelayedWhen { once, pattern, until, body } => {
                let until = until.as_ref().map_or_else(nil, |until| self.until(until));
                let text = if *once { "when" } else { "whenever" };
                node(TextNodeKind::DelayedWhen, text, vec![self.event(pattern), self.block(body), until])
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

    /// Converts a list of changes.
    #[must_use]
    pub fn changes(&self, mods: &[Modification], span: Span) -> TextNode {
        TextNode::new(TextNodeKind::List, "", mods.iter().map(|one| self.change(one)).collect(), span)
    }

    /// Converts a change.
    #[must_use]
    pub fn change(&self, change: &Modification) -> TextNode {
        let span = change.span;
        let (text, mut kids) = match &change.kind {
            ModificationKind::Add { negative, amount, property } => {
                (if *negative { "-" } else { "+" }, vec![self.word(property), self.expr(amount)])
            }
            ModificationKind::Set { property, value } => ("=", vec![self.word(property), self.expr(value)]),
            ModificationKind::Word { name, args } => {
                if self.is_pattern && args.is_empty() && is_hole(&name.text) {
                    return self.word(name);
                }
                let mut kids = vec![self.word(name)];
                kids.extend(args.iter().map(|arg| self.expr(arg)));
                ("word", kids)
            }
            ModificationKind::Only(name) => ("only", vec![self.word(name)]),
            ModificationKind::Instead { traits, new, old } => {
                ("instead", vec![self.word(traits), self.expr(new), self.expr(old)])
            }
            ModificationKind::None(name) => ("none", vec![self.word(name)]),
            ModificationKind::Every(name) => ("every", vec![self.word(name)]),
            ModificationKind::Switch(one, two) => ("switch", vec![self.word(one), self.word(two)]),
            ModificationKind::Not(name) => ("not", vec![self.word(name)]),
            ModificationKind::NoAbilities => ("no_abilities", vec![]),
            ModificationKind::NoStatics => ("no_statics", vec![]),
        };
        if let Some(floor) = &change.floor {
            kids.push(TextNode::new(TextNodeKind::List, "min", vec![self.expr(floor)], span));
        }
        TextNode::new(TextNodeKind::Change, text, kids, span)
    }

    /// Converts a duration.
    #[must_use]
    pub fn until(&self, until: &Duration) -> TextNode {
        let points = until.points.iter().map(|point| match point {
            DurationPoint::Moment(moment) => self.moment(moment),
            DurationPoint::Event(pattern) => self.event(pattern),
        });
        TextNode::new(TextNodeKind::Until, "", points.collect(), until.span)
    }

    fn moment(&self, moment: &Moment) -> TextNode {
        let path: Vec<&str> = moment.period_path.parts.iter().map(|part| part.text.as_str()).collect();
        let last = path.last().copied().unwrap_or("");
        let text = format!("{}{}", if moment.start { "start" } else { "end" }, if moment.next { "_next" } else { "" });
        let span = moment.period_path.span;
        let place = self.word_text(&SmolStr::new(last), false, span);
        TextNode::new(TextNodeKind::Moment, text, vec![place, self.optional_expr(moment.whose.as_ref())], span)
    }

    /// Converts the pattern of an event.
    #[must_use]
    pub fn event(&self, pattern: &Pattern) -> TextNode {
        let span = pattern.span;
        let subject = match pattern.one_or_more {
            Some(span) => one_or_more(self.expr(&pattern.subject), span),
            None => self.expr(&pattern.subject),
        };
        if self.is_pattern && matches!(pattern.verb.text.as_str(), "happens" | "happen") && subject.kind == TextNodeKind::Hole {
            return subject;
        }
        let verb = if self.is_pattern && is_hole(&pattern.verb.text) {
            pattern.verb.text.clone()
        } else {
            self.verb(&pattern.verb.text, pattern.passive)
        };
        let kids = vec![
            subject,
            self.optional_expr(pattern.object.as_ref()),
            self.optional_expr(pattern.from.as_ref()),
            self.optional_expr(pattern.condition.as_ref()),
            if pattern.passive { TextNode::word("passive", span) } else { nil() },
        ];
        TextNode::new(TextNodeKind::Event, verb, kids, span)
    }

    fn clause(&self, clause: &DeclarationClause) -> TextNode {
        let span = clause.span;
        let verb = self.verb(&clause.verb.text, clause.passive);
        let (text, mut extra) = match &clause.kind {
            ClauseKind::Must => ("must".to_owned(), vec![]),
            ClauseKind::Alone => ("alone".to_owned(), vec![]),
            ClauseKind::Count { more, count, together } => (
                format!("{}{}", if *more { "more" } else { "fewer" }, if *together { "_together" } else { "" }),
                vec![self.expr(count)],
            ),
            ClauseKind::Unless { count, others, .. } => ("unless".to_owned(), vec![self.expr(count), self.expr(others)]),
            ClauseKind::Price(price) => ("price".to_owned(), vec![self.expr(price)]),
            ClauseKind::Cost(block) => ("cost".to_owned(), vec![self.block(block)]),
        };
        let mut kids = vec![
            TextNode::word(&verb, span),
            self.expr(&clause.subject),
            self.optional_expr(clause.object.as_ref()),
            self.optional_expr(clause.condition.as_ref()),
            if clause.passive { TextNode::word("passive", span) } else { nil() },
            if clause.some { TextNode::word("some", span) } else { nil() },
        ];
        kids.append(&mut extra);
        TextNode::new(TextNodeKind::Clause, text, kids, span)
    }

    fn limit(&self, limit: Option<&UseLimit>) -> TextNode {
        limit.map_or_else(nil, |limit| {
            let by = limit.by.as_ref().map_or_else(String::new, |by| format!("_{}", by.text));
            let place = limit.period_path.parts.last().map_or("", |part| part.text.as_str());
            let kids = vec![
                TextNode::new(TextNodeKind::Number, limit.count.to_string(), vec![], limit.span),
                TextNode::word(place, limit.span),
            ];
            TextNode::new(TextNodeKind::Limit, format!("limit{by}"), kids, limit.span)
        })
    }

    fn play(&self, play: &Play) -> Vec<TextNode> {
        vec![
            self.optional_expr(play.condition.as_ref()),
            self.optional_expr(play.price.as_ref()),
            play.cost.as_ref().map_or_else(nil, |cost| self.block(cost)),
            if play.body.statements.is_empty() { nil() } else { self.block(&play.body) },
            self.optional_expr(play.produces.as_ref()),
            self.limit(play.limit.as_ref()),
            play.numbers.as_ref().map_or_else(nil, |values| self.values(values)),
        ]
    }

    /// The names of the numbers that are chosen for a play.
    fn values(&self, values: &Block) -> TextNode {
        let calls = values.statements.iter().flat_map(|statement| match &statement.kind {
            StatementKind::Calls(calls) => calls.as_slice(),
            _ => &[],
        });
        let names = calls.filter_map(|call| call.binding.as_ref());
        TextNode::new(TextNodeKind::List, "values", names.map(|name| self.word(name)).collect(), values.span)
    }

    fn fact(&self, fact: &Fact) -> TextNode {
        let mut kids: Vec<TextNode> = fact.args.iter().map(|arg| self.expr(arg)).collect();
        kids.extend(fact.value.iter().map(|value| self.expr(value)));
        TextNode::new(TextNodeKind::Keyword, fact.word.text.clone(), kids, fact.span)
    }

    /// Converts an ability. Its zones are the last child.
    #[must_use]
    pub fn ability(&self, ability: &Ability) -> TextNode {
        let span = ability.span;
        let zones = TextNode::new(TextNodeKind::List, "zones", ability.zones.iter().map(|zone| self.word(zone)).collect(), span);
        let (kind, text, mut kids) = match &ability.kind {
            AbilityKind::When { pattern, condition, limit, body } => (
                TextNodeKind::When,
                SmolStr::new(trigger_manner(ability)),
                vec![
                    self.event(pattern),
                    self.optional_expr(condition.as_deref()),
                    self.block(body),
                    self.limit(limit.as_deref()),
                ],
            ),
            AbilityKind::TriggerChange { pattern, whose, again } => {
                (TextNodeKind::Causing, if *again { "again" } else { "" }.into(), vec![self.event(pattern), self.expr(whose)])
            }
            AbilityKind::AsSoon { condition, body } => {
                (TextNodeKind::AsSoon, SmolStr::default(), vec![self.expr(condition), self.block(body)])
            }
            AbilityKind::At { moment, condition, limit, body } => (
                TextNodeKind::At,
                SmolStr::new(trigger_manner(ability)),
                vec![
                    self.moment(moment),
                    self.optional_expr(condition.as_deref()),
                    self.block(body),
                    self.limit(limit.as_deref()),
                ],
            ),
            AbilityKind::Instead { pattern, condition, optional, body } => (
                TextNodeKind::Instead,
                if *optional { "may" } else { "" }.into(),
                vec![self.event(pattern), self.optional_expr(condition.as_deref()), self.block(body)],
            ),
            AbilityKind::Cannot(pattern) => (TextNodeKind::Cannot, SmolStr::default(), vec![self.event(pattern), nil()]),
            AbilityKind::Clause(clause) => {
                let mut made = self.clause(clause);
                made.kids.push(nil());
                made.kids.push(zones);
                return made;
            }
            AbilityKind::Static { condition, clauses } => {
                let clauses = clauses.iter().map(|clause| self.statement(clause)).collect();
                (
                    TextNodeKind::Static,
                    SmolStr::default(),
                    vec![self.optional_expr(condition.as_deref()), TextNode::new(TextNodeKind::Block, "", clauses, span)],
                )
            }
            AbilityKind::Defines(mods) => (TextNodeKind::Defines, SmolStr::default(), vec![self.changes(mods, span)]),
            AbilityKind::Does(block) => (TextNodeKind::Does, SmolStr::default(), vec![self.block(block)]),
            AbilityKind::Cost(block) => (TextNodeKind::Cost, SmolStr::default(), vec![self.block(block)]),
            AbilityKind::Option { status, instead, play } => {
                let mut kids = vec![self.word(status), if *instead { TextNode::word("instead", span) } else { nil() }];
                kids.extend(self.play(play));
                (TextNodeKind::Option, SmolStr::default(), kids)
            }
            AbilityKind::Activated(play) => (TextNodeKind::Activated, SmolStr::default(), self.play(play)),
            AbilityKind::Keyword(fact) => return self.fact(fact),
        };
        kids.push(zones);
        TextNode::new(kind, text, kids, span)
    }

    /// Converts a printed fact to a `Keyword` node, as an ability is.
    #[must_use]
    pub fn keyword(&self, fact: &Fact) -> TextNode {
        self.fact(fact)
    }
}

/// Rewrites `candidate is A or candidate is B` as `A or B`. `None` for other conditions.
fn words_of_candidate(test: &TextNode) -> Option<TextNode> {
    match (test.kind, test.text.as_str()) {
        (TextNodeKind::Binary, "or") => {
            let kids = vec![words_of_candidate(test.kid(0))?, words_of_candidate(test.kid(1))?];
            Some(TextNode { kids, ..test.clone() })
        }
        (TextNodeKind::Is, "") if test.kid(0).is_word("candidate") => Some(test.kid(1).clone()),
        (TextNodeKind::Word, _) if test.text != "candidate" => Some(test.clone()),
        _ => None,
    }
}

/// Rewrites `one or more X` as a phrase with a quantifier.
fn one_or_more(subject: TextNode, span: Span) -> TextNode {
    let quantifier = TextNode::new(TextNodeKind::Quantifier, "one_or_more", Vec::new(), span);
    match subject.kind {
        TextNodeKind::Phrase if subject.kid(0).is_nil() => {
            let kids = std::iter::once(quantifier).chain(subject.kids.into_iter().skip(1)).collect();
            TextNode { kids, ..subject }
        }
        _ => {
            let span = span.to(subject.span);
            TextNode::new(TextNodeKind::Phrase, "", vec![quantifier, subject], span)
        }
    }
}

/// How a trigger is placed. An entry without a manner matches triggers of all manners.
fn trigger_manner(ability: &Ability) -> &'static str {
    match (&ability.kind, ability.can_miss_timing, ability.immediately) {
        (_, true, _) => "timely",
        (_, _, true) => "immediately",
        (AbilityKind::At { .. }, ..) if ability.off_list => "unlisted",
        _ => "",
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
