//! Converts the syntax tree into the text tree. Forms that the source may write in several ways get one normal form.

mod abilities;
mod statements;

pub(in crate::text) use abilities::{CONDITION, LISTED};

use super::cards_by_word::CardsByWord;
use super::tree::{TextNode, TextNodeKind, collect_alternatives, is_hole};
use crate::names::{Meaning, NameTable};
use fizzle_grammar::ast::{
    Ability, Aggregate, BinaryOp, Expr, ExprKind, Head, Name, Phrase, PhraseFilter, PhraseFilterKind, Quantifier, Span,
};
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
    ("produce", &["price", "into"]),
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
    /// What keywords stand for, if known. Read by `Lexicon::keyword`.
    pub keywords: Option<&'n Keywords<'n>>,
    /// The cards that print a word, if known.
    pub cards_by_word: Option<&'n CardsByWord<'n>>,
}

/// The parameters and abilities of a keyword.
pub type Keyword<'n> = (&'n [fizzle_grammar::ast::Param], &'n [Ability]);

/// Keywords, by their names.
pub type Keywords<'n> = BTreeMap<SmolStr, Keyword<'n>>;

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
            if quoted && !printed && self.names.is_card_name(text, span) { TextNodeKind::Quoted } else { TextNodeKind::Word };
        TextNode::new(kind, text.clone(), Vec::new(), span)
    }

    /// Whether a word names a phase or step, and nothing else.
    pub(in crate::text) fn is_period(&self, word: &str) -> bool {
        let is_last = |path: &String| path.strip_suffix(word).is_some_and(|front| front.ends_with('.'));
        self.names.periods.keys().any(is_last) && self.names.meanings(word).is_empty()
    }

    /// Whether an action has a parameter of this name.
    fn is_parameter(&self, word: &str) -> bool {
        self.names.actions.values().any(|action| action.params.iter().any(|(name, _)| name == word))
    }

    /// Whether a node mentions a word that is a phase or step and a parameter of an action.
    fn mentions_period_parameter(&self, node: &TextNode) -> bool {
        node.kind == TextNodeKind::Word && self.is_period(&node.text) && self.is_parameter(&node.text)
            || node.kids.iter().any(|kid| self.mentions_period_parameter(kid))
    }

    /// An ability in which words for phases and steps that are parameters of actions too are paths, `turn.combat`, unless they are parameters of an
    /// event around them.
    fn with_periods(&self, node: TextNode) -> TextNode {
        if self.mentions_period_parameter(&node) { self.with_periods_in(node, &[]) } else { node }
    }

    fn with_periods_in(&self, node: TextNode, known: &[SmolStr]) -> TextNode {
        let event = match node.kind {
            TextNodeKind::Event => Some(&node),
            TextNodeKind::When | TextNodeKind::Instead | TextNodeKind::Cannot | TextNodeKind::DelayedWhen => Some(node.kid(0)),
            _ => None,
        };
        let own = event.map(|event| self.parameters(&event.text).0.into_iter().map(|(name, _)| name));
        let joined: Vec<SmolStr> = own.map(|own| known.iter().cloned().chain(own).collect()).unwrap_or_default();
        let known = if event.is_some() { joined.as_slice() } else { known };
        match node.kind {
            TextNodeKind::Word if self.is_period(&node.text) && self.is_parameter(&node.text) && !known.contains(&node.text) => {
                TextNode { text: format!("turn.{}", node.text).into(), ..node }
            }
            TextNodeKind::Word | TextNodeKind::Limit | TextNodeKind::List => node,
            _ => TextNode { kids: node.kids.into_iter().map(|kid| self.with_periods_in(kid, known)).collect(), ..node },
        }
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
                let (left, right) = (self.expr(left), self.expr(right));
                if let ("+", Some(made)) = (text, product_of_sum(&left, &right, span)) {
                    return made;
                }
                if let ("==" | "!=", Some(made)) = (text, whose_turn(&left, &right, text == "!=", span)) {
                    return made;
                }
                self.presence(text, &left, &right, span).unwrap_or_else(|| node(TextNodeKind::Binary, text, vec![left, right]))
            }
            ExprKind::Not(inner) => self.negate(self.expr(inner), span),
            ExprKind::Negative(inner) => node(TextNodeKind::Negative, "", vec![self.expr(inner)]),
            ExprKind::Is { left, right, negated } => {
                let (left, right) = (self.expr(left), self.expr(right));
                whose_turn(&left, &right, *negated, span)
                    .unwrap_or_else(|| node(TextNodeKind::Is, if *negated { "not" } else { "" }, vec![left, right]))
            }
            ExprKind::Has { left, word } => node(TextNodeKind::Has, "", vec![self.expr(left), self.word(word)]),
            ExprKind::Shares { left, traits, right } => {
                node(TextNodeKind::Shares, &traits.text, vec![self.expr(left), self.expr(right)])
            }
            ExprKind::Can { left, passive, verb, object } => {
                let verb = self.verb(&verb.text, *passive);
                let manner = if *passive { TextNode::word("passive", span) } else { nil() };
                node(TextNodeKind::Can, &verb, vec![self.expr(left), self.optional_expr(object.as_deref()), manner])
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
            // the place includes the `not`: a part without words is shown as source
            (TextNodeKind::Is | TextNodeKind::Has, "") => TextNode { text: "not".into(), span, ..node },
            (TextNodeKind::Is | TextNodeKind::Has, "not") => TextNode { text: "".into(), span, ..node },
            // neither of two qualities
            (TextNodeKind::Binary, "or") if node.kids.iter().all(is_quality) => {
                let kids = node.kids.into_iter().map(|kid| self.negate(kid, span)).collect();
                TextNode::new(TextNodeKind::Binary, "and", kids, node.span)
            }
            // `not (some creature)` is `no creature`
            (TextNodeKind::Phrase, _) if matches!(node.kid(0).text.as_str(), "some" | "no") => {
                let mut made = node;
                let opposite = if made.kid(0).text == "some" { "no" } else { "some" };
                made.kids[0].text = opposite.into();
                made.span = span;
                made
            }
            _ => TextNode::new(TextNodeKind::Not, "", vec![node], span),
        }
    }

    /// Rewrites `count of X > 0` as `some X`, and `count of X == 0` as `no X`. `None` for other comparisons.
    fn presence(&self, operator: &str, count: &TextNode, number: &TextNode, span: Span) -> Option<TextNode> {
        let quantifier = match (operator, number.text.as_str()) {
            (">", "0") => "some",
            ("==", "0") => "no",
            _ => return None,
        };
        let things = count.kid(1);
        let is_count = count.kind == TextNodeKind::Aggregate && count.text == "count" && number.kind == TextNodeKind::Number;
        let quantifier = TextNode::new(TextNodeKind::Quantifier, quantifier, Vec::new(), span);
        self.quantified(things, quantifier).filter(|_| is_count).map(|made| TextNode { span, ..made })
    }

    /// A selection without a quantifier with this one. `None` for other nodes, and for what is no selection by a noun.
    pub(super) fn quantified(&self, things: &TextNode, quantifier: TextNode) -> Option<TextNode> {
        let is_thing = |noun: &TextNode| {
            let mut kinds = Vec::new();
            collect_alternatives(noun, &mut kinds);
            let is_one = |word: &str| matches!(word, "this" | "it" | "you" | "opponent" | "player" | "players");
            let is_kind = |kind: &TextNode| kind.kind == TextNodeKind::Word && !is_one(&kind.text) && self.is_noun(&kind.text);
            kinds.iter().all(is_kind)
        };
        match things.kind {
            TextNodeKind::Word if is_thing(things) => {
                Some(TextNode::new(TextNodeKind::Phrase, "", vec![quantifier, things.clone()], things.span))
            }
            TextNodeKind::Phrase if things.kid(0).is_nil() && is_thing(things.kid(1)) => {
                let mut made = things.clone();
                made.kids[0] = quantifier;
                Some(made)
            }
            _ => None,
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

    /// Whether a node is a zone: `hand`, `hand of you`.
    pub(super) fn is_place(&self, node: &TextNode) -> bool {
        match node.kind {
            TextNodeKind::Word => self.names.meanings(&node.text).iter().any(|meaning| matches!(meaning, Meaning::Zone(_))),
            TextNodeKind::Phrase => node.kid(0).is_nil() && node.text.is_empty() && self.is_place(node.kid(1)),
            _ => false,
        }
    }

    /// Whether a word is a noun for things of the game.
    pub(super) fn is_noun(&self, word: &str) -> bool {
        matches!(word, "card" | "player" | "object" | "players")
            || self.names.meanings(word).iter().any(|meaning| matches!(meaning, Meaning::Word(..) | Meaning::Noun))
    }

    /// Rewrites `creature that (candidate in ZONE)` as `creature in ZONE`. What is selected from a list keeps
    /// the form: it is still there.
    fn place_candidates(&self, head: &TextNode, filters: &mut [TextNode]) {
        let is_placed = |filter: &TextNode| filter.kind == TextNodeKind::In;
        let mut kinds = Vec::new();
        collect_alternatives(head, &mut kinds);
        if !kinds.iter().all(|kind| kind.kind == TextNodeKind::Word && self.is_noun(&kind.text)) || filters.iter().any(is_placed)
        {
            return;
        }
        for filter in filters.iter_mut().filter(|filter| filter.kind == TextNodeKind::That) {
            if let Some(zone) = self.place_of("candidate", filter.kid(0)) {
                *filter = TextNode::new(TextNodeKind::In, "", vec![zone], filter.span);
            }
        }
    }

    /// The zone that a condition says something is in, or the zones of which it is in one: `NAME in hand or NAME in graveyard`.
    fn place_of(&self, name: &str, test: &TextNode) -> Option<TextNode> {
        match (test.kind, test.kids.as_slice()) {
            (TextNodeKind::Binary, [one, other]) if test.text == "or" => {
                let zones = vec![self.place_of(name, one)?, self.place_of(name, other)?];
                Some(TextNode { kids: zones, ..test.clone() })
            }
            (TextNodeKind::Phrase, [quantifier, head, place]) => {
                let is_placed = quantifier.is_nil() && head.is_word(name) && place.kind == TextNodeKind::In;
                // in a pattern, a hole with this letter is a zone, and one with another letter is a list
                let is_zone = |place: &TextNode| self.is_place(place) || place.kind == TextNodeKind::Hole && place.text == "Z";
                (is_placed && is_zone(place.kid(0))).then(|| place.kid(0).clone())
            }
            _ => None,
        }
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
            Quantifier::Range { min: least, max: most, target } if is_zero(least) => {
                node(if *target { "target_up_to" } else { "up_to" }, vec![self.expr(most)])
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
        let is_from_end = matches!(phrase.quantifier, Some(Quantifier::Top(_) | Quantifier::Bottom(_)));
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
            Head::Group(inner) => plain_kinds_first(self.expr(inner)),
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
                    let of = self.attach_of(of, &mut posts);
                    // `creature of hand` is in the hand; `top 1 card of deck` and `top of deck` have words of their own.
                    let is_end = is_from_end || head.is_word("top") || head.is_word("bottom");
                    let kind = if !is_end && self.is_place(&of) { TextNodeKind::In } else { TextNodeKind::Of };
                    made.push(TextNode::new(kind, "", vec![of], span));
                }
                PhraseFilterKind::In(zone) => {
                    // `top 1 card in deck` is `top 1 card of deck`.
                    let kind = if is_from_end { TextNodeKind::Of } else { TextNodeKind::In };
                    made.push(TextNode::new(kind, "", vec![self.attach_of(zone, &mut posts)], span))
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
                PhraseFilterKind::Total(total) => {
                    let how = match total.op {
                        BinaryOp::Equal => "==",
                        BinaryOp::Less => "<",
                        BinaryOp::LessEqual => "<=",
                        BinaryOp::Greater => ">",
                        _ => ">=",
                    };
                    made.push(TextNode::new(
                        TextNodeKind::Total,
                        how,
                        vec![self.word(&total.property), self.expr(&total.amount)],
                        span,
                    ));
                }
                PhraseFilterKind::ThatHas(name) => made.push(TextNode::new(TextNodeKind::Has, "", vec![self.word(name)], span)),
            }
        }
        let head = match head.kind {
            TextNodeKind::Binary => self.own_alternatives(join_places(head, &mut made), &mut made),
            _ => head,
        };
        self.place_candidates(&head, &mut made);
        join_zones(&mut made);
        own_zones(&mut made);
        // `creature that (candidate != this)` is `other creature`
        let other = phrase.other || made.iter().any(excludes_this);
        made.retain(|filter| !excludes_this(filter));
        let quantifier = phrase.quantifier.as_ref().map_or_else(nil, |quantifier| self.quantifier(quantifier, span));
        if quantifier.is_nil() && !other && made.is_empty() {
            return head;
        }
        // `tapped of it` becomes `it is tapped`
        if quantifier.is_nil()
            && !other
            && head.kind == TextNodeKind::Word
            && self.is_flag(&head.text)
            && let [of] = made.as_slice()
            && of.kind == TextNodeKind::Of
        {
            return TextNode::new(TextNodeKind::Is, "", vec![of.kid(0).clone(), head], span);
        }
        let mut kids = vec![quantifier, head];
        kids.append(&mut made);
        TextNode::new(TextNodeKind::Phrase, if other { "other" } else { "" }, kids, span)
    }

    /// Moves the player of all alternatives to each of them, so that each says whose zone it is: `(card in hand or monster) of you` is `card in hand of
    /// you or monster of you`.
    fn own_alternatives(&self, head: TextNode, filters: &mut Vec<TextNode>) -> TextNode {
        let mut kinds = Vec::new();
        collect_alternatives(&head, &mut kinds);
        let is_placed =
            |kind: &TextNode| kind.kind == TextNodeKind::Phrase && kind.kids.iter().any(|filter| filter.kind == TextNodeKind::In);
        let is_kind =
            |kind: &TextNode| kind.kind == TextNodeKind::Word || kind.kind == TextNodeKind::Phrase && kind.kid(0).is_nil();
        let of = filters.iter().position(|filter| filter.kind == TextNodeKind::Of);
        let Some(of) = of.filter(|_| kinds.len() > 1 && kinds.iter().any(is_placed) && kinds.iter().all(is_kind)) else {
            return head;
        };
        let of = filters.remove(of);
        let owned = |kind: TextNode| {
            let mut kids = if kind.kind == TextNodeKind::Phrase {
                kind.kids
            } else {
                vec![nil(), TextNode { kids: Vec::new(), ..kind.clone() }]
            };
            let zone = kids.iter_mut().skip(2).find(|filter| {
                filter.kind == TextNodeKind::In && filter.kid(0).kind == TextNodeKind::Word && self.takes_of(&filter.kid(0).text)
            });
            match zone {
                Some(zone) => {
                    let place = vec![nil(), zone.kid(0).clone(), of.clone()];
                    zone.kids = vec![TextNode::new(TextNodeKind::Phrase, "", place, zone.span)];
                }
                None => kids.push(of.clone()),
            }
            let text = if kind.kind == TextNodeKind::Phrase { kind.text } else { SmolStr::default() };
            TextNode::new(TextNodeKind::Phrase, text, kids, kind.span)
        };
        let either = |one: TextNode, other: TextNode| TextNode::new(TextNodeKind::Binary, "or", vec![one, other], head.span);
        kinds.into_iter().map(owned).reduce(either).unwrap_or_else(nil)
    }

    /// Adds a condition on the candidate as filters: `that (a and b)` becomes two.
    pub(super) fn add_test(&self, test: TextNode, made: &mut Vec<TextNode>) {
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
            (TextNodeKind::Not, _) if self.place_of("candidate", test.kid(0)).is_some() => {
                let zone = self.place_of("candidate", test.kid(0));
                made.push(TextNode::new(TextNodeKind::NotIn, "", zone.into_iter().collect(), test.span));
            }
            // `that (not candidate in kept)` is `that (candidate != kept)`
            (TextNodeKind::Not, _) if list_of_candidate(test.kid(0)).is_some() => {
                let list = list_of_candidate(test.kid(0)).cloned().unwrap_or_else(TextNode::nil);
                let differs = vec![TextNode::word("candidate", test.span), list];
                let differs = TextNode::new(TextNodeKind::Binary, "!=", differs, test.span);
                made.push(TextNode::new(TextNodeKind::That, "", vec![differs], test.span));
            }
            (TextNodeKind::Call, _) if test.kids.len() == 1 && test.kid(0).is_word("candidate") => {
                made.push(TextNode::new(TextNodeKind::Is, "", vec![TextNode::word(&test.text, test.span)], test.span));
            }
            // `that (candidate == attacker)` is `that is attacker`
            (TextNodeKind::Binary, "==") if word_compared_with_candidate(&test).is_some() => {
                let other = word_compared_with_candidate(&test).cloned();
                made.push(TextNode::new(TextNodeKind::Is, "", other.into_iter().collect(), test.span));
            }
            _ => made.push(TextNode::new(TextNodeKind::That, "", vec![test.clone()], test.span)),
        }
    }
}

/// Whether an expression is the number 0.
fn is_zero(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Phrase(phrase) if phrase.quantifier.is_none() && matches!(phrase.head, Head::Number(0)))
}

/// The name of the list that a condition says the candidate is in: `candidate in kept`. `None` for other conditions.
fn list_of_candidate(test: &TextNode) -> Option<&TextNode> {
    let [quantifier, head, place] = test.kids.as_slice() else { return None };
    let is_placed = test.kind == TextNodeKind::Phrase && quantifier.is_nil() && head.is_word("candidate");
    let list = Some(place.kid(0)).filter(|list| matches!(list.kind, TextNodeKind::Word | TextNodeKind::Hole));
    list.filter(|_| is_placed && place.kind == TextNodeKind::In)
}

/// Rewrites `2 * A + 2 * B` as `2 * (A + B)`. `None` for other sums.
fn product_of_sum(left: &TextNode, right: &TextNode, span: Span) -> Option<TextNode> {
    let factor = |term: &TextNode| {
        let is_product = term.kind == TextNodeKind::Binary && term.text == "*" && term.kid(0).kind == TextNodeKind::Number;
        is_product.then(|| term.kid(0).text.clone())
    };
    if factor(left)? != factor(right)? {
        return None;
    }
    let sum = TextNode::new(TextNodeKind::Binary, "+", vec![left.kid(1).clone(), right.kid(1).clone()], span);
    Some(TextNode::new(TextNodeKind::Binary, "*", vec![left.kid(0).clone(), sum], span))
}

/// The conditions on whose turn it is in one form: `active is opponent` is `you is not active`. `None` for other conditions.
fn whose_turn(left: &TextNode, right: &TextNode, is_negated: bool, span: Span) -> Option<TextNode> {
    let player = match (left.is_word("active"), right.is_word("active")) {
        (true, false) => right,
        (false, true) => left,
        _ => return None,
    };
    let is_yours = match (player.is_word("you"), player.is_word("opponent")) {
        (true, _) => !is_negated,
        (_, true) => is_negated,
        _ => return None,
    };
    let kids = vec![TextNode::word("you", span), TextNode::word("active", span)];
    Some(TextNode::new(TextNodeKind::Is, if is_yours { "" } else { "not" }, kids, span))
}

/// The word that a condition compares the candidate with. `None` for other conditions.
fn word_compared_with_candidate(test: &TextNode) -> Option<&TextNode> {
    let (left, right) = (test.kid(0), test.kid(1));
    let other = if left.is_word("candidate") { right } else { left };
    let has_candidate = left.is_word("candidate") || right.is_word("candidate");
    (has_candidate && other.kind == TextNodeKind::Word && !matches!(other.text.as_str(), "candidate" | "nothing"))
        .then_some(other)
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

/// Rewrites `creature with power <= 2 or artifact` as `artifact or creature with power <= 2`: what follows a kind belongs to it alone.
fn plain_kinds_first(group: TextNode) -> TextNode {
    let mut kinds = Vec::new();
    collect_alternatives(&group, &mut kinds);
    let is_kind = |kind: &TextNode| matches!(kind.kind, TextNodeKind::Word | TextNodeKind::Phrase);
    if kinds.len() < 2 || !kinds.iter().all(is_kind) {
        return group;
    }
    kinds.sort_by_key(|kind| kind.kind == TextNodeKind::Phrase);
    let either = |one: TextNode, other: TextNode| TextNode::new(TextNodeKind::Binary, "or", vec![one, other], group.span);
    kinds.into_iter().reduce(either).unwrap_or_else(TextNode::nil)
}

/// Rewrites `card in hand or card in graveyard` as `card` with a filter for each of the places.
fn join_places(head: TextNode, filters: &mut Vec<TextNode>) -> TextNode {
    let mut kinds = Vec::new();
    collect_alternatives(&head, &mut kinds);
    let noun = kinds.first().map(|kind| kind.kid(1).clone()).unwrap_or_else(nil);
    let is_place = |kind: &TextNode| {
        let [quantifier, head, place] = kind.kids.as_slice() else { return false };
        let is_plain = kind.kind == TextNodeKind::Phrase && kind.text.is_empty() && quantifier.is_nil();
        is_plain && place.kind == TextNodeKind::In && head.kind == TextNodeKind::Word && head.text == noun.text
    };
    if kinds.len() < 2 || !kinds.iter().all(is_place) || filters.iter().any(|filter| filter.kind == TextNodeKind::In) {
        return head;
    }
    let places = kinds.into_iter().filter_map(|kind| kind.kids.into_iter().nth(2));
    filters.splice(0..0, places);
    noun
}

/// Moves the player of things in one of several zones to these zones: `card of opponent in field in graveyard` is a card in the field or the
/// graveyard of the opponent.
fn own_zones(filters: &mut Vec<TextNode>) {
    let is_plain = |zone: &TextNode| zone.kind == TextNodeKind::Word;
    let is_several = |filter: &TextNode| {
        let zones = filter.kid(0);
        filter.kind == TextNodeKind::In
            && zones.kind == TextNodeKind::Binary
            && zones.text == "or"
            && zones.kids.iter().all(is_plain)
    };
    let of = filters.iter().position(|filter| filter.kind == TextNodeKind::Of && filter.kid(0).kind == TextNodeKind::Word);
    if let Some(of) = of
        && filters.iter().any(is_several)
    {
        let of = filters.remove(of);
        for filter in filters.iter_mut().filter(|filter| is_several(filter)) {
            let zones = filter.kid(0).clone();
            filter.kids = vec![TextNode::new(TextNodeKind::Phrase, "", vec![nil(), zones, of.clone()], filter.span)];
        }
    }
}

/// Joins several zones of a phrase, `in hand in mana`, to one filter: an object is in one of them.
fn join_zones(filters: &mut Vec<TextNode>) {
    let is_zone = |filter: &TextNode| filter.kind == TextNodeKind::In;
    if filters.iter().filter(|filter| is_zone(filter)).count() < 2 {
        return;
    }
    let zones: Vec<TextNode> = filters.iter().filter(|filter| is_zone(filter)).map(|filter| filter.kid(0).clone()).collect();
    let either = zones.into_iter().reduce(|one, other| {
        let span = one.span;
        TextNode::new(TextNodeKind::Binary, "or", vec![one, other], span)
    });
    let Some(first) = filters.iter().position(is_zone) else { return };
    filters.retain(|filter| !is_zone(filter));
    filters.insert(first, TextNode::new(TextNodeKind::In, "", either.into_iter().collect(), Span::default()));
}

/// Whether a filter excludes the card itself: `that (candidate != this)`, `that is not this`.
fn excludes_this(filter: &TextNode) -> bool {
    let test = filter.kid(0);
    match filter.kind {
        TextNodeKind::Is => filter.text == "not" && test.is_word("this"),
        TextNodeKind::That => {
            test.kind == TextNodeKind::Binary
                && test.text == "!="
                && test.kid(0).is_word("candidate")
                && test.kid(1).is_word("this")
        }
        _ => false,
    }
}

/// Whether a condition says of what quality something is, or of which of several ones.
fn is_quality(condition: &TextNode) -> bool {
    match condition.kind {
        TextNodeKind::Is | TextNodeKind::Has => true,
        TextNodeKind::Binary => condition.text == "or" && condition.kids.iter().all(is_quality),
        _ => false,
    }
}
