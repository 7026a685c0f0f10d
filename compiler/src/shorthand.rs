//! Expands forms that the game's declarations define: `{T}: …` by `symbol {T} { … }`, `loyalty +2: …` by a keyword `with body`, `2/2` by
//! `pair power / toughness`, `{1}{G}` and `"Elf"` by `unlabelled mana_cost, subtype`, and `enters` without a zone by the zone of the field.
//!
//! The expansion is a rewriting of syntax trees before anything else reads them, so that `{T}: draw 1` and the `activated` ability that it
//! stands for are the same program with the same text. What no declaration defines stays in the tree, and lowering reports it.

pub mod enumerations;
pub mod relations;
mod unlabelled;

use self::unlabelled::UnlabelledFacts;
use crate::limits::{MAX_GAME_EXPANSION, MAX_ITEM_EXPANSION};
use crate::maps::IndexMap;
use fizzle_grammar::ast::{
    Ability, AbilityKind, BinaryOp, Block, Call, Card, CostPart, CostSymbol, CostedAbility, Difference, DifferenceKind, Expr,
    ExprKind, Fact, Head, Item, ItemKind, KeywordArgument, KeywordBlock, Link, Modification, ModificationKind, Name, Param,
    Pattern, Phrase, PhraseFilter, Play, Span, Statement, StatementKind, WordsOfUnits, crosses_zone, pair_part,
};
use fizzle_grammar::visit::mutate::{self, MutVisitor};
use relations::Relations;
use smol_str::SmolStr;
use std::cell::Cell;
use typed_arena::Arena;

/// The deepest nesting of keywords with a body in one another. A deeper one uses itself.
const MAX_NESTED_KEYWORDS: usize = 8;

/// The number of bytes of sources that allow a game one more expanded node.
const BYTES_PER_EXPANDED_NODE: usize = 8;

/// The number of bytes of a label that count as much as a statement.
const LABEL_BYTES_PER_NODE: usize = 64;

/// The statement that stands for the block of a keyword `with body`.
const BODY: &str = "body";

/// A keyword that is declared `with body`.
#[derive(Clone, Copy, Debug)]
struct BodyKeyword<'a> {
    params: &'a [Param],
    abilities: &'a [Ability],
    size: ExpandedSize,
}

/// What each use of a keyword or of a symbol copies.
#[derive(Clone, Copy, Debug, Default)]
struct ExpandedSize {
    /// Expressions, statements, modifications and abilities.
    nodes: usize,
    /// Statements that stand for the block.
    bodies: usize,
    /// Words that name parameters.
    uses: usize,
    /// Bytes of labels.
    label_bytes: usize,
}

/// The declarations of a game that define shorthand forms.
#[derive(Clone, Debug, Default)]
pub struct Shorthands<'a> {
    symbols: IndexMap<SmolStr, (&'a CostSymbol, ExpandedSize)>,
    /// All keywords; those `with body` have their abilities.
    keywords: IndexMap<SmolStr, Option<BodyKeyword<'a>>>,
    pair: Option<[&'a Name; 2]>,
    /// The relations.
    pub relations: Relations<'a>,
    /// The words that printed prices give.
    words: Vec<&'a WordsOfUnits>,
    unlabelled: UnlabelledFacts<'a>,
    /// The zones of the field. Patterns need no zone if there is one.
    fields: Vec<&'a Name>,
    /// The number of bytes of the items.
    bytes: usize,
}

impl<'a> Shorthands<'a> {
    /// Collects the declarations among the items of a game. The first declaration of a name counts.
    pub fn collect(items: &[&'a Item]) -> Self {
        let mut found = Self::default();
        for item in items {
            found.add(item);
            found.bytes += (item.span.end - item.span.start) as usize;
            if let ItemKind::Format { differences, .. } = &item.kind {
                for difference in differences {
                    if let DifferenceKind::Add(item) = &difference.kind {
                        found.add(item);
                    }
                }
            }
        }
        found
    }

    fn add(&mut self, item: &'a Item) {
        self.unlabelled.add(item);
        match &item.kind {
            ItemKind::CostSymbol(symbol) => {
                self.symbols.entry(symbol.symbol.text.clone()).or_insert_with(|| (symbol, size_of_symbol(symbol)));
            }
            ItemKind::Keyword { name, params, with_body, abilities } => {
                let keyword = with_body.then(|| BodyKeyword { params, abilities, size: size_of_keyword(params, abilities) });
                self.keywords.entry(name.text.clone()).or_insert(keyword);
            }
            ItemKind::Relation(relation) => {
                self.relations.entry(relation.name.text.clone()).or_insert(relation);
            }
            ItemKind::Traits { from: Some(from), .. } => self.words.push(from),
            ItemKind::Zone { name, settings }
                if settings.iter().any(|setting| matches!(setting.as_slice(), [word] if word.text == "field")) =>
            {
                self.fields.push(name);
            }
            ItemKind::StatPair(first, second) => {
                self.pair.get_or_insert([first, second]);
            }
            _ => {}
        }
    }

    /// The greatest number of expressions and statements that all items are expanded to.
    pub fn max_expansion(&self) -> usize {
        MAX_GAME_EXPANSION + self.bytes / BYTES_PER_EXPANDED_NODE
    }

    /// Whether a price of the item can give words: it is a card of a game with such prices.
    fn gives_words(&self, item: &Item) -> bool {
        let prints_price = |fact: &Fact| self.words.iter().any(|from| from.property.text == fact.word.text);
        let in_card =
            |card: &Card| card.facts.iter().chain(card.faces.iter().flat_map(|face| &face.card.facts)).any(prints_price);
        !self.words.is_empty()
            && match &item.kind {
                ItemKind::Card(card) => in_card(card),
                ItemKind::Format { differences, .. } => differences.iter().any(|difference| match &difference.kind {
                    DifferenceKind::Errata(card) => in_card(card),
                    DifferenceKind::Replace(item) | DifferenceKind::Add(item) => self.gives_words(item),
                    _ => false,
                }),
                _ => false,
            }
    }

    /// The zone that a verb without one is about.
    fn zone_of(&self, verb: &Name) -> Option<Expr> {
        let [field] = self.fields.as_slice() else { return None };
        let word = Name { text: field.text.clone(), span: verb.span };
        crosses_zone(verb).then(|| phrase(Head::Word(word), Vec::new(), verb.span))
    }

    /// The item without shorthand forms: itself if it has none, else copies in the arena. `total`: what the items of the game were expanded to, to
    /// which it adds.
    pub fn expanded<'i>(&self, item: &'i Item, arena: &'i Arena<Item>, total: &Cell<usize>) -> Vec<&'i Item> {
        match self.parts(item) {
            Some(parts) => parts.into_iter().map(|part| &*arena.alloc(part)).collect(),
            None => vec![self.expand(item, total).map_or(item, |expanded| arena.alloc(expanded))],
        }
    }

    /// The items that one item stands for; `None` if it stands for itself.
    fn parts(&self, item: &Item) -> Option<Vec<Item>> {
        match &item.kind {
            ItemKind::Relation(relation) => {
                let parts = relations::parts(item, relation, &self.relations).into_iter();
                Some(parts.flat_map(|part| self.parts(&part).unwrap_or_else(|| vec![part])).collect())
            }
            ItemKind::Variable(variable) if !variable.ty.one_of.is_empty() => Some(enumerations::parts(item, variable)),
            _ => None,
        }
    }

    /// The item without shorthand forms; `None` if it has none.
    fn expand(&self, item: &Item, total: &Cell<usize>) -> Option<Item> {
        let declares_body = matches!(item.kind, ItemKind::Keyword { with_body: true, .. });
        let adds_parts = self.adds_parts(item);
        if !item.has_shorthand && !declares_body && !adds_parts && !self.gives_words(item) {
            return None;
        }
        let mut expanded = item.clone();
        if let ItemKind::Keyword { with_body: true, abilities, .. } = &mut expanded.kind {
            // Each use has them, with its own block.
            abilities.clear();
        }
        if let ItemKind::Format { differences, .. } = &mut expanded.kind {
            if adds_parts {
                *differences = std::mem::take(differences).into_iter().flat_map(|difference| self.added(difference)).collect();
            }
            for difference in differences {
                if let DifferenceKind::Add(added) = &mut difference.kind
                    && let ItemKind::Keyword { with_body: true, abilities, .. } = &mut added.kind
                {
                    abilities.clear();
                }
            }
        }
        mutate::item_mut(&mut expanded, &mut Expander { by: self, depth: 0, nodes: &Cell::new(0), total });
        Some(expanded)
    }
}

impl Shorthands<'_> {
    /// The differences that one stands for.
    fn added(&self, difference: Difference) -> Vec<Difference> {
        let DifferenceKind::Add(item) = &difference.kind else { return vec![difference] };
        let Some(parts) = self.parts(item) else { return vec![difference] };
        let added = |part| Difference { kind: DifferenceKind::Add(Box::new(part)), span: difference.span };
        parts.into_iter().map(added).collect()
    }

    /// Whether an item is a format that adds what stands for several items.
    fn adds_parts(&self, item: &Item) -> bool {
        let ItemKind::Format { differences, .. } = &item.kind else { return false };
        let has_parts = |item: &Item| match &item.kind {
            ItemKind::Relation(_) => true,
            ItemKind::Variable(variable) => !variable.ty.one_of.is_empty(),
            _ => false,
        };
        differences.iter().any(|difference| matches!(&difference.kind, DifferenceKind::Add(item) if has_parts(item)))
    }
}

/// Rewrites shorthand forms.
struct Expander<'s, 'a> {
    by: &'s Shorthands<'a>,
    /// How many keywords the rewritten abilities come from.
    depth: usize,
    /// How many expressions and statements the item was expanded to.
    nodes: &'s Cell<usize>,
    /// How many those of all items of the game are.
    total: &'s Cell<usize>,
}

impl MutVisitor for Expander<'_, '_> {
    fn expr(&mut self, node: &mut Expr) {
        if let ExprKind::Can { verb, object, .. } = &mut node.kind
            && object.is_none()
        {
            *object = self.by.zone_of(verb).map(Box::new);
        }
    }

    fn facts(&mut self, all: &mut Vec<Fact>) {
        self.by.unlabelled.expand(all);
        self.by.words.iter().for_each(|from| add_words(from, all));
        let Some(pair) = self.by.pair else { return };
        for fact in all {
            if let Some(name) = pair_part(&fact.word).and_then(|part| pair.get(part)) {
                fact.word.text = name.text.clone();
            }
        }
    }

    fn pattern(&mut self, node: &mut Pattern) {
        if node.object.is_none() {
            node.object = self.by.zone_of(&node.verb);
        }
    }

    fn modifications(&mut self, all: &mut Vec<Modification>) {
        let Some(pair) = self.by.pair else { return };
        for change in all {
            if let ModificationKind::Add { property, .. } = &mut change.kind
                && let Some(name) = pair_part(property).and_then(|part| pair.get(part))
            {
                property.text = name.text.clone();
            }
        }
    }

    fn abilities(&mut self, all: &mut Vec<Ability>) {
        let short = |ability: &Ability| matches!(ability.kind, AbilityKind::Costed(_) | AbilityKind::KeywordBlock(_));
        if all.iter().any(short) {
            *all = std::mem::take(all).into_iter().flat_map(|ability| self.ability(ability)).collect();
        }
    }
}

impl Expander<'_, '_> {
    /// What an ability stands for.
    fn ability(&self, mut ability: Ability) -> Vec<Ability> {
        match ability.kind {
            AbilityKind::Costed(costed) if !self.reserve(self.size_of_costs(&costed)) => {
                ability.kind = AbilityKind::Costed(costed);
                vec![ability]
            }
            AbilityKind::Costed(costed) => {
                let play = self.play(*costed, ability.immediately, ability.span);
                ability.immediately = false;
                ability.kind = AbilityKind::Activated(Box::new(play));
                vec![ability]
            }
            AbilityKind::KeywordBlock(used) => {
                let outer = Ability { kind: AbilityKind::Defines(Vec::new()), ..ability };
                self.keyword(outer, *used)
            }
            _ => vec![ability],
        }
    }

    /// The abilities of a keyword, with its arguments and its block. `outer` is the ability around it, with its prefixes.
    fn keyword(&self, outer: Ability, used: KeywordBlock) -> Vec<Ability> {
        let declared = self.by.keywords.get(&used.keyword.text);
        if declared.is_none()
            && let Some(costed) = cost_of(&used)
        {
            let play = self.play(costed, outer.immediately, outer.span);
            return vec![Ability { kind: AbilityKind::Activated(Box::new(play)), immediately: false, ..outer }];
        }
        let fits = |keyword: &BodyKeyword<'_>| used.uses.iter().all(|arguments| arguments.len() == keyword.params.len());
        let within_limits =
            |keyword: &BodyKeyword<'_>| self.depth < MAX_NESTED_KEYWORDS && self.reserve(size_of_use(keyword, &used));
        let Some(keyword) = declared.copied().flatten().filter(fits).filter(within_limits) else {
            return vec![Ability { kind: AbilityKind::KeywordBlock(Box::new(used)), ..outer }];
        };
        let mut made = Vec::new();
        for arguments in &used.uses {
            let values: Vec<_> = keyword.params.iter().map(|param| &param.name.text).zip(arguments).collect();
            let mut abilities = keyword.abilities.to_vec();
            mutate::abilities(&mut abilities, &mut Substitution { values: &values, body: &used.body.statements });
            mutate::abilities(&mut abilities, &mut Expander { depth: self.depth + 1, ..*self });
            for ability in &mut abilities {
                if let AbilityKind::Activated(play) = &mut ability.kind {
                    set_label(play, &values, used.label.as_ref());
                    play.from_keyword = true;
                }
                ability.zones.extend(outer.zones.iter().cloned());
                ability.off_list |= outer.off_list;
                ability.can_miss_timing |= outer.can_miss_timing;
                ability.concealed |= outer.concealed;
                match &mut ability.kind {
                    AbilityKind::Activated(play) => play.immediate |= outer.immediately,
                    _ => ability.immediately |= outer.immediately,
                }
                ability.span = outer.span;
                ability.keyword = Some(used.keyword.clone());
            }
            made.extend(abilities);
        }
        made
    }

    /// Counts what a use expands to. Returns whether the item and the game stay within their limits.
    fn reserve(&self, size: usize) -> bool {
        let (nodes, total) = (self.nodes.get().saturating_add(size), self.total.get().saturating_add(size));
        let is_within = nodes <= MAX_ITEM_EXPANSION && total <= self.by.max_expansion();
        if is_within {
            self.nodes.set(nodes);
            self.total.set(total);
        }
        is_within
    }

    /// What the declared symbols among costs are expanded to.
    fn size_of_costs(&self, costed: &CostedAbility) -> usize {
        let symbols = costed.parts.iter().flat_map(|part| match part {
            CostPart::Symbols(symbols, _) => symbols.as_slice(),
            _ => &[],
        });
        symbols.filter_map(|symbol| self.by.symbols.get(&symbol.text)).map(|(_, size)| size.nodes).sum()
    }

    /// The body of the activated ability that costs before a colon stand for.
    fn play(&self, costed: CostedAbility, immediate: bool, span: Span) -> Play {
        let mut play = Play { name: costed.label, produces: costed.produces, immediate, ..Play::new(costed.body, span) };
        for part in costed.parts {
            match part {
                CostPart::Symbols(symbols, place) => {
                    let (declared, units): (Vec<Name>, Vec<Name>) =
                        symbols.into_iter().partition(|symbol| self.by.symbols.contains_key(&symbol.text));
                    if !units.is_empty() {
                        add_price(&mut play, phrase(Head::Price(units), Vec::new(), place));
                    }
                    for (symbol, _) in declared.iter().filter_map(|symbol| self.by.symbols.get(&symbol.text)) {
                        symbol.condition.iter().for_each(|condition| add_condition(&mut play, condition.clone()));
                        let statements = symbol.cost.iter().flat_map(|cost| cost.statements.iter().cloned());
                        add_costs(&mut play, statements, place);
                    }
                }
                CostPart::Price(price, condition) => {
                    add_price(&mut play, price);
                    play.price_condition = condition.or(play.price_condition.take());
                }
                CostPart::Statement(statement) => {
                    let place = statement.span;
                    add_costs(&mut play, [statement], place);
                }
                CostPart::When(condition) => add_condition(&mut play, condition),
                CostPart::Limit(limit) => play.limit = Some(limit),
                CostPart::DuringPayment => play.during_payment = true,
            }
        }
        play
    }
}

/// What a use of a keyword expands to, as a number of nodes. Every argument counts for every use, which is more than is inserted.
fn size_of_use(keyword: &BodyKeyword<'_>, used: &KeywordBlock) -> usize {
    let ExpandedSize { nodes, bodies, uses, label_bytes } = keyword.size;
    let mut body = Counter::default();
    mutate::block(&mut used.body.clone(), &mut body);
    let mut values = Counter::default();
    let written = used.uses.iter().flatten();
    written.clone().for_each(|argument| mutate::expression(&mut argument.value.clone(), &mut values));
    let inserted = bodies.saturating_mul(body.size.nodes).saturating_add(uses.saturating_mul(values.size.nodes));
    // A parameter in a label has at least three bytes: `{n}`.
    let longest = written.map(|argument| argument.label.len()).max().unwrap_or(0);
    let labels = label_bytes.saturating_add((label_bytes / 3).saturating_mul(longest)) / LABEL_BYTES_PER_NODE;
    nodes.saturating_add(inserted).saturating_add(labels).saturating_mul(used.uses.len())
}

fn size_of_keyword(params: &[Param], abilities: &[Ability]) -> ExpandedSize {
    let mut counter = Counter { params: params.iter().map(|param| param.name.text.clone()).collect(), ..Counter::default() };
    mutate::abilities(&mut abilities.to_vec(), &mut counter);
    counter.size
}

fn size_of_symbol(symbol: &CostSymbol) -> ExpandedSize {
    let mut counter = Counter::default();
    symbol.cost.iter().for_each(|cost| mutate::block(&mut cost.clone(), &mut counter));
    symbol.condition.iter().for_each(|condition| mutate::expression(&mut condition.clone(), &mut counter));
    counter.size
}

/// Counts the parts of a tree.
#[derive(Default)]
struct Counter {
    params: Vec<SmolStr>,
    size: ExpandedSize,
}

impl MutVisitor for Counter {
    fn expr(&mut self, node: &mut Expr) {
        self.size.nodes += 1;
        let names_param = |word: &Name| self.params.contains(&word.text);
        self.size.uses += usize::from(crate::phrase_syntax::bare_word(node).is_some_and(names_param));
    }

    fn modifications(&mut self, all: &mut Vec<Modification>) {
        self.size.nodes += all.len();
    }

    fn abilities(&mut self, all: &mut Vec<Ability>) {
        let symbols = all.iter().map(|ability| match &ability.kind {
            AbilityKind::Costed(costed) => costed.parts.len(),
            AbilityKind::KeywordBlock(used) => used.uses.len(),
            _ => 0,
        });
        self.size.nodes += all.len() + symbols.sum::<usize>();
        let labels = all.iter().filter_map(|ability| match &ability.kind {
            AbilityKind::Costed(costed) => costed.label.as_ref(),
            AbilityKind::Activated(play) => play.name.as_ref(),
            _ => None,
        });
        self.size.label_bytes += labels.map(|label| label.text.len()).sum::<usize>();
    }

    fn statements(&mut self, all: &mut Vec<Statement>) {
        self.size.nodes += all.len();
        self.size.bodies += all.iter().filter(|statement| is_body(statement)).count();
    }
}

/// Sets the label of an ability: the one of its use, else the one of the keyword, in which `{PARAMETER}` is the argument.
fn set_label(play: &mut Play, values: &[(&SmolStr, &KeywordArgument)], own: Option<&Name>) {
    if own.is_some() {
        play.name = own.cloned();
    } else if let Some(label) = &mut play.name {
        for (name, argument) in values {
            label.text = label.text.replace(&format!("{{{name}}}"), &argument.label).into();
        }
    }
}

fn add_costs(play: &mut Play, statements: impl IntoIterator<Item = Statement>, place: Span) {
    play.cost.get_or_insert_with(|| Block { statements: Vec::new(), span: place }).statements.extend(statements);
}

fn add_price(play: &mut Play, price: Expr) {
    play.price = Some(joined(play.price.take(), BinaryOp::Add, price));
}

fn add_condition(play: &mut Play, condition: Expr) {
    play.condition = Some(joined(play.condition.take(), BinaryOp::And, condition));
}

/// `first OP second`, or the second alone.
fn joined(first: Option<Expr>, op: BinaryOp, second: Expr) -> Expr {
    match first {
        Some(first) => {
            let span = first.span;
            Expr { kind: ExprKind::Binary { op, left: Box::new(first), right: Box::new(second) }, span }
        }
        None => second,
    }
}

/// Adds the words that the printed price gives, before it.
fn add_words(from: &WordsOfUnits, facts: &mut Vec<Fact>) {
    let Some(at) = facts.iter().position(|fact| fact.word.text == from.property.text) else { return };
    let Some(symbols) = facts.get(at).and_then(|fact| fact.value.as_deref()).and_then(printed_symbols) else { return };
    let has = |symbol: &Name| symbols.iter().any(|printed| printed.text.split('/').any(|unit| unit == symbol.text));
    let span = facts.get(at).map(|fact| fact.span).unwrap_or_default();
    let given: Vec<Fact> = from
        .units
        .iter()
        .filter(|(word, symbol)| has(symbol) && !facts.iter().any(|fact| fact.word.text == word.text))
        .map(|(word, _)| Fact { word: Name { text: word.text.clone(), span }, value: None, args: Vec::new(), span })
        .collect();
    facts.splice(at..at, given);
}

/// The symbols of a price that is written as such.
fn printed_symbols(value: &Expr) -> Option<Vec<Name>> {
    match &crate::phrase_syntax::as_phrase(value)?.head {
        Head::Price(symbols) => Some(symbols.clone()),
        _ => None,
    }
}

/// A selection or value without a quantifier.
fn phrase(head: Head, filters: Vec<PhraseFilter>, span: Span) -> Expr {
    Expr { kind: ExprKind::Phrase(Phrase { quantifier: None, other: false, head, filters }), span }
}

/// `KEYWORD ARGUMENT: …` read as a cost, for a word that is no keyword: `lose_life 2: draw 1`.
fn cost_of(used: &KeywordBlock) -> Option<CostedAbility> {
    let [arguments] = used.uses.as_slice() else { return None };
    if !used.colon || arguments.is_empty() || arguments.iter().any(KeywordArgument::is_signed) {
        return None;
    }
    let span = used.keyword.span;
    let call = Call {
        subject: None,
        may: false,
        verb: used.keyword.clone(),
        operands: arguments.iter().map(|argument| argument.value.clone()).collect(),
        prepositions: Vec::new(),
        adverbs: Vec::new(),
        binding: None,
        span,
    };
    let cost = Statement { link: Link::Next, kind: StatementKind::Calls(vec![call]), span };
    Some(CostedAbility {
        label: used.label.clone(),
        parts: vec![CostPart::Statement(cost)],
        produces: None,
        body: used.body.clone(),
    })
}

/// Puts the arguments of a keyword in place of its parameters, and its block in place of `body`.
struct Substitution<'s> {
    values: &'s [(&'s SmolStr, &'s KeywordArgument)],
    body: &'s [Statement],
}

impl MutVisitor for Substitution<'_> {
    fn expr(&mut self, node: &mut Expr) {
        if let Some(word) = crate::phrase_syntax::bare_word(node)
            && let Some((_, argument)) = self.values.iter().find(|(name, _)| **name == word.text)
        {
            *node = argument.value.clone();
        }
    }

    fn statements(&mut self, all: &mut Vec<Statement>) {
        if !all.iter().any(is_body) {
            return;
        }
        for statement in std::mem::take(all) {
            if is_body(&statement) {
                let mut inner = self.body.to_vec();
                if let Some(first) = inner.first_mut().filter(|first| first.link == Link::Next) {
                    first.link = statement.link;
                }
                all.extend(inner);
            } else {
                all.push(statement);
            }
        }
    }
}

/// Whether a statement stands for the block of a keyword.
fn is_body(statement: &Statement) -> bool {
    let StatementKind::Calls(calls) = &statement.kind else { return false };
    let [call] = calls.as_slice() else { return false };
    call.verb.text == BODY && call.subject.is_none() && call.operands.is_empty() && call.prepositions.is_empty()
}
