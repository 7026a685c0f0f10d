//! Selections: where to look, and one filter for all conditions.

use super::Lowering;
use super::function_builder::{Binding, Candidate, FunctionBuilder};
use super::phrase::{Atom, AtomHead, PhraseCondition, as_phrase};
use crate::diagnostics::{Diagnostic, codes};
use crate::names::Meaning;
use fizzle_grammar::ast::{Expr, Head, Name, Phrase, Span};
use fizzle_runtime::ir::op::Place;
use fizzle_runtime::ir::{DefId, KeywordId, Op, Reg, TraitSetId, Type, ZoneKindId};

/// How deep nouns stand in the meanings of nouns before one of them is taken to need itself.
pub const NOUN_DEPTH: u32 = 24;

/// Where candidates come from.
#[derive(Clone, Debug)]
pub enum SearchSpace<'a> {
    /// A zone of everybody.
    Zone(ZoneKindId),
    /// The zone of a player.
    Of(ZoneKindId, Atom<'a>),
    /// A zone value.
    Value(Atom<'a>),
    /// A list.
    List(Atom<'a>),
}

/// What a candidate must be.
#[derive(Clone, Debug)]
pub enum Constraint<'a> {
    /// Has the word.
    Word(TraitSetId, u16),
    /// Has the bool status or property.
    Flag(Place),
    /// Has the keyword.
    Keyword(KeywordId),
    /// Is of the card.
    Card(DefId),
    /// Not `this`.
    Other,
    /// No ability on the list.
    NoAbility,
    /// Is another player than `you`.
    Opponent,
    /// Controlled by the player.
    Controlled(Atom<'a>),
    /// The condition holds, bare names being those of the candidate.
    Holds(&'a Expr),
    /// `is X` or, when negated, `is not X`.
    Is(&'a Expr, bool),
    /// Controlled by the subject of the sentence.
    Scoped,
    /// Not the test.
    Not(Box<Constraint<'a>>),
    /// The condition of a noun: no local names in it.
    Noun(Box<Constraint<'a>>),
}

/// A selection.
#[derive(Clone, Debug, Default)]
pub struct Selection<'a> {
    /// Where to look; empty: nowhere named.
    pub bases: Vec<SearchSpace<'a>>,
    /// What they must be.
    pub tests: Vec<Constraint<'a>>,
    /// Candidates are players.
    pub players: bool,
    /// Candidates are objects and players.
    pub things: bool,
    /// `piece or player`, `piece or card in grave`: what is of any of these.
    pub parts: Vec<Self>,
    /// What was written for parts that are objects of several zones, when none of them names its zone itself.
    pub loose: Option<&'a Expr>,
    /// `of you` or `your`.
    pub own: bool,
    /// The zones come from a noun and give way to named ones.
    pub default_bases: bool,
}

impl Selection<'_> {
    /// The type of a list of candidates.
    pub fn list_type(&self) -> Type {
        match (self.things, self.players) {
            (true, _) => Type::Things,
            (false, true) => Type::Players,
            (false, false) => Type::Objects,
        }
    }

    /// The type of one candidate.
    pub fn single_type(&self) -> Type {
        self.list_type().element().unwrap_or(Type::Object)
    }

    /// Takes over what candidates a noun or a group stands for.
    fn take_kind(&mut self, players: bool, things: bool) {
        self.players |= players;
        self.things |= things;
    }
}

impl<'a> Lowering<'a> {
    /// What a phrase selects. `None` when its head is no noun (told already).
    pub fn selection(&mut self, phrase: &'a Phrase, span: Span) -> Option<Selection<'a>> {
        let scopes = std::mem::take(&mut self.fun().scopes);
        let mut selection = Selection::default();
        if phrase.other {
            selection.tests.push(Constraint::Other);
        }
        let head_takes = match &phrase.head {
            Head::Word(name) => self.word_takes_of(name) && !self.is_noun(&name.text),
            _ => false,
        };
        let (of, conditions) = self.conditions(head_takes, &phrase.posts);
        let placed = of.is_some()
            || matches!(phrase.head, Head::Possessive { .. })
            || conditions.iter().any(|condition| matches!(condition, PhraseCondition::Of(_) | PhraseCondition::In(_)));
        self.select_head(&phrase.head, of, span, &mut selection)?;
        // another object is not `this`, another player is not `you`
        if phrase.other && selection.players {
            if matches!(&phrase.head, Head::Word(name) if name.text == "opponent") {
                self.other_opponent(span);
            }
            if let Some(test) = selection.tests.iter_mut().find(|test| matches!(test, Constraint::Other)) {
                *test = Constraint::Opponent;
            }
        }
        for condition in conditions {
            self.select_condition(condition, &mut selection);
        }
        self.suspect_tests(&selection.tests, span);
        self.suspect_zone(phrase, span, scopes, &selection);
        if scopes && self.wants_scope(&selection, placed) {
            selection.tests.push(Constraint::Scoped);
        }
        Some(selection)
    }

    /// Every opponent is another player than `you`: who is meant beside somebody else must be said.
    pub fn other_opponent(&mut self, span: Span) {
        let help = "leave `other` out; besides `x`, say `opponent that (candidate is not x)`";
        self.not_here(span, "an opponent is another player already", help);
    }

    /// Whether a choice of another player is among their own objects: nothing says whose, or only a zone that each player has.
    fn wants_scope(&self, selection: &Selection<'a>, placed: bool) -> bool {
        let own_zones = !selection.bases.is_empty()
            && selection.bases.iter().all(|base| match base {
                SearchSpace::Zone(zone) => self.library.zones.get(zone.index()).is_some_and(|zone| zone.each_player),
                _ => false,
            });
        let whose = selection.tests.iter().any(|test| matches!(test, Constraint::Controlled(_)))
            || selection.bases.iter().any(|base| !matches!(base, SearchSpace::Zone(_)));
        !selection.players && !selection.things && !whose && (own_zones || !placed)
    }

    fn select_head(&mut self, head: &'a Head, of: Option<Atom<'a>>, span: Span, selection: &mut Selection<'a>) -> Option<()> {
        match head {
            Head::Word(name) => self.select_word(name, of, selection),
            Head::Quoted(name) => {
                let test = self.quoted_test(name)?;
                selection.tests.push(test);
                Some(())
            }
            Head::Group(inner) => {
                if let Some(parts) = self.mixed_parts(inner) {
                    selection.things = true;
                    for part in parts {
                        let found = match (as_phrase(part), super::phrase::bare_word(part)) {
                            (_, Some(word)) => {
                                let mut found = Selection::default();
                                self.select_word(word, None, &mut found)?;
                                found
                            }
                            (Some(phrase), None) => self.selection(phrase, part.span)?,
                            _ => continue,
                        };
                        selection.parts.push(found);
                    }
                } else if self.select_alternatives(inner, selection)? {
                    // Each in its own zone.
                } else if let Some(phrase) = as_phrase(inner)
                    && phrase.quantifier.is_none()
                    && self.selects(phrase)
                {
                    let found = self.selection(phrase, inner.span)?;
                    selection.bases.extend(found.bases);
                    selection.tests.extend(found.tests);
                    selection.take_kind(found.players, found.things);
                    selection.parts.extend(found.parts);
                    selection.loose = found.loose;
                    selection.own |= found.own;
                } else if self.noun_like(inner) {
                    selection.tests.push(Constraint::Is(inner, false));
                } else {
                    self.list_base(inner, selection);
                }
                Some(())
            }
            Head::Possessive { owner, word } => {
                let atom = Atom::of_expr(owner);
                if let Some(zone) = self.names.zone_id(&word.text).filter(|_| !self.is_noun(&word.text)) {
                    self.zone_base(zone, Some(atom), selection);
                } else {
                    self.select_word(word, None, selection)?;
                    self.controlled(atom, selection);
                }
                Some(())
            }
            Head::Call { .. } | Head::List(_) => {
                self.error(&codes::NOT_HERE, span, "a computed list is selected from in parentheses");
                None
            }
            Head::Number(_) | Head::Bool(_) | Head::Price(_) => {
                self.error(&codes::TYPE_MISMATCH, span, "this is no kind of object");
                None
            }
        }
    }

    /// `piece or card in grave`: where the nouns stand in different zones, each is looked for in its own. False where they do not.
    pub fn select_alternatives(&mut self, expr: &'a Expr, selection: &mut Selection<'a>) -> Option<bool> {
        let Some(alternatives) = self.zoned_parts(expr) else { return Some(false) };
        let field = self.library.zones.iter().position(|zone| zone.field).unwrap_or(0);
        for part in alternatives {
            let Some(phrase) = as_phrase(part) else { continue };
            let mut found = self.selection(phrase, part.span)?;
            if found.bases.is_empty() && found.parts.is_empty() {
                found.bases.push(SearchSpace::Zone(ZoneKindId(field as u32)));
                found.default_bases = true;
            }
            selection.parts.push(found);
        }
        selection.own |= selection.parts.iter().all(|part| part.own);
        let loose = |part: &Selection<'a>| part.default_bases || part.loose.is_some();
        selection.loose = selection.parts.iter().all(loose).then_some(expr);
        Some(true)
    }

    /// A zone is named for nouns that are joined by `or`: it is the zone of all of them, unless one names its own.
    fn place_parts(&mut self, span: Span, selection: &mut Selection<'a>) {
        if selection.parts.is_empty() {
            return;
        }
        selection.parts.clear();
        match selection.loose.take() {
            Some(expr) => selection.tests.push(Constraint::Is(expr, false)),
            None => {
                let text = self.sources.slice(span).to_owned();
                self.report(
                    Diagnostic::new(&codes::NOT_HERE, span, format!("`{text}` cannot be the zone of all of these"))
                        .label("one of them is a player, or says itself where it is")
                        .help("name the zone of each: `(A in hand or B in hand)`"),
                );
            }
        }
    }

    fn list_base(&mut self, expr: &'a Expr, selection: &mut Selection<'a>) {
        let ty = self.guess(expr);
        selection.take_kind(ty == Some(Type::Players), ty == Some(Type::Things));
        selection.bases.push(SearchSpace::List(Atom::of_expr(expr)));
    }

    /// Adds what a word says to a selection.
    pub fn select_word(&mut self, name: &'a Name, of: Option<Atom<'a>>, selection: &mut Selection<'a>) -> Option<()> {
        let word = name.text.as_str();
        if let Some((ty, binding)) = self.local_type(word) {
            if let Binding::Word(traits, index) = binding {
                self.mark_used(word);
                selection.tests.push(Constraint::Word(traits, index));
                return Some(());
            }
            if ty.is_none_or(|ty| ty.element().is_some()) {
                selection.take_kind(ty == Some(Type::Players), ty == Some(Type::Things));
                selection.bases.push(SearchSpace::List(Atom::of_word(name)));
                return Some(());
            }
            self.report(
                Diagnostic::new(&codes::TYPE_MISMATCH, name.span, format!("`{word}` is one value, not a kind of object"))
                    .help("leave the quantifier out"),
            );
            return None;
        }
        match word {
            "card" => {
                selection.tests.push(Constraint::NoAbility);
                return Some(());
            }
            "object" => return Some(()),
            "player" | "players" => {
                selection.players = true;
                return Some(());
            }
            "opponent" => {
                selection.players = true;
                selection.tests.push(Constraint::Opponent);
                return Some(());
            }
            _ => {}
        }
        let meanings = self.names.meanings(word).to_vec();
        for meaning in &meanings {
            match meaning {
                Meaning::Word(traits, index) => {
                    selection.tests.push(Constraint::Word(*traits, *index));
                    return Some(());
                }
                Meaning::Noun => return self.select_noun(name, selection),
                _ => {}
            }
        }
        for meaning in &meanings {
            match meaning {
                Meaning::Zone(zone) => {
                    self.zone_base(*zone, of, selection);
                    return Some(());
                }
                Meaning::Global(n) if self.names.types[3].get(usize::from(*n)).is_some_and(|ty| ty.is_list()) => {
                    let ty = self.names.types[3].get(usize::from(*n)).copied();
                    selection.take_kind(ty == Some(Type::Players), ty == Some(Type::Things));
                    selection.bases.push(SearchSpace::List(Atom::of_word(name)));
                    return Some(());
                }
                Meaning::Status(n) if self.names.types[1].get(usize::from(*n)) == Some(&Type::Bool) => {
                    selection.tests.push(Constraint::Flag(Place::Status(*n)));
                    return Some(());
                }
                _ => {}
            }
        }
        if meanings.is_empty() {
            self.unknown(name);
        } else {
            self.report(
                Diagnostic::new(&codes::TYPE_MISMATCH, name.span, format!("`{word}` is no kind of object"))
                    .help("a quantifier stands before a noun, a trait word or a zone"),
            );
        }
        None
    }

    fn select_noun(&mut self, name: &'a Name, selection: &mut Selection<'a>) -> Option<()> {
        if self.noun_stack.contains(&name.text) || self.hidden_locals_depth > NOUN_DEPTH {
            self.report(
                Diagnostic::new(&codes::RECURSION, name.span, format!("the noun `{}` needs itself", name.text))
                    .help("say what it is by other nouns, trait words and conditions"),
            );
            return None;
        }
        let meaning = *self.names.nouns.get(&name.text)?;
        let Some(phrase) = as_phrase(meaning) else {
            selection.tests.push(Constraint::Noun(Box::new(Constraint::Holds(meaning))));
            return Some(());
        };
        self.noun_stack.push(name.text.clone());
        self.hidden_locals_depth += 1;
        let found = self.selection(phrase, meaning.span);
        self.hidden_locals_depth -= 1;
        self.noun_stack.pop();
        let found = found?;
        if selection.bases.is_empty() {
            selection.bases = found.bases;
            selection.default_bases = true;
        }
        selection.tests.extend(found.tests.into_iter().map(|test| Constraint::Noun(Box::new(test))));
        selection.take_kind(found.players, found.things);
        selection.parts.extend(found.parts);
        selection.loose = found.loose;
        Some(())
    }

    fn zone_base(&mut self, zone: ZoneKindId, of: Option<Atom<'a>>, selection: &mut Selection<'a>) {
        if selection.default_bases {
            selection.bases.clear();
            selection.default_bases = false;
        }
        let each = self.library.zones.get(zone.index()).is_some_and(|zone| zone.each_player);
        match of {
            Some(of) if each => {
                selection.own |= of.is_you();
                selection.bases.push(SearchSpace::Of(zone, of));
            }
            Some(of) => {
                selection.bases.push(SearchSpace::Zone(zone));
                self.controlled(of, selection);
            }
            None => selection.bases.push(SearchSpace::Zone(zone)),
        }
    }

    fn controlled(&mut self, of: Atom<'a>, selection: &mut Selection<'a>) {
        if selection.things {
            self.report(
                Diagnostic::new(
                    &codes::TYPE_MISMATCH,
                    of.span(),
                    "nothing says of which of the two this is: a player is of nobody",
                )
                .help("say it of the objects: `(piece of opponent or opponent)`"),
            );
            return;
        }
        // `N card in hand of you`: the zone took its `of`; a zone without one takes this.
        let zones: Vec<ZoneKindId> = selection
            .bases
            .iter()
            .filter_map(|base| match base {
                SearchSpace::Zone(zone) if self.library.zones.get(zone.index()).is_some_and(|zone| zone.each_player) => {
                    Some(*zone)
                }
                _ => None,
            })
            .collect();
        selection.own |= of.is_you();
        if zones.is_empty() || zones.len() < selection.bases.len() {
            selection.tests.push(Constraint::Controlled(of));
        } else {
            selection.bases = zones.into_iter().map(|zone| SearchSpace::Of(zone, of.clone())).collect();
        }
    }

    /// Adds a condition after the head.
    pub fn select_condition(&mut self, condition: PhraseCondition<'a>, selection: &mut Selection<'a>) {
        match condition {
            PhraseCondition::Of(atom) => match self.guess_atom(&atom) {
                Some(Type::Zone) => self.in_zone(atom, selection),
                Some(Type::Objects | Type::Players | Type::Things)
                    if atom.word().is_none_or(|word| !self.is_noun(&word.text)) =>
                {
                    self.place_parts(atom.span(), selection);
                    if selection.default_bases {
                        selection.bases.clear();
                        selection.default_bases = false;
                    }
                    selection.bases.push(SearchSpace::List(atom));
                }
                _ => self.controlled(atom, selection),
            },
            PhraseCondition::In(atom) => self.in_zone(atom, selection),
            PhraseCondition::Holds(expr) => selection.tests.push(Constraint::Holds(expr)),
            PhraseCondition::Without(name) => {
                if let Some(test) = self.word_test(name) {
                    selection.tests.push(Constraint::Not(Box::new(test)));
                }
            }
            PhraseCondition::Is(what, negated) => selection.tests.push(Constraint::Is(what, negated)),
            PhraseCondition::Has(name) => {
                if let Some(test) = self.word_test(name) {
                    selection.tests.push(test);
                }
            }
        }
    }

    fn in_zone(&mut self, atom: Atom<'a>, selection: &mut Selection<'a>) {
        self.place_parts(atom.span(), selection);
        if let Some(word) = atom.word().filter(|word| self.is_zone_word(&word.text)) {
            if let Some(zone) = self.names.zone_id(&word.text) {
                self.zone_base(zone, atom.of.map(|of| *of), selection);
            }
            return;
        }
        if let AtomHead::Expr(expr) = atom.head
            && let Some(Phrase { quantifier: None, head: Head::Possessive { owner, word }, posts, .. }) = as_phrase(expr)
            && posts.is_empty()
            && let Some(zone) = self.names.zone_id(&word.text)
        {
            self.zone_base(zone, Some(Atom::of_expr(owner)), selection);
            return;
        }
        if selection.default_bases {
            selection.bases.clear();
            selection.default_bases = false;
        }
        match self.guess_atom(&atom) {
            Some(Type::Zone) => selection.bases.push(SearchSpace::Value(atom)),
            Some(Type::Objects | Type::Players | Type::Things) => selection.bases.push(SearchSpace::List(atom)),
            None => selection.bases.push(SearchSpace::Value(atom)),
            Some(_) => {
                let span = atom.span();
                let text = self.sources.slice(span).to_owned();
                self.report(
                    Diagnostic::new(&codes::TYPE_MISMATCH, span, format!("`{text}` is no zone and no list"))
                        .help("after `in` and `from` stands a zone or a list of objects"),
                );
            }
        }
    }

    /// The candidates that a selection looks through, and then those that pass.
    pub fn candidates(&mut self, selection: &Selection<'a>) -> Reg {
        let list = self.base_list(selection);
        let tests = self.sorted(selection);
        if tests.is_empty() {
            return list;
        }
        self.begin_child(true, Some(Type::Bool));
        let ty = selection.single_type();
        let reg = self.trailing(ty);
        self.fun().candidate = Some(Candidate { reg, ty, bare: true });
        self.return_tests(&tests, reg, ty);
        let fun = self.end_child();
        self.filter(list, fun, selection.list_type())
    }

    /// A filter operation with the captures of its function.
    pub fn filter(&mut self, list: Reg, fun: FunctionBuilder, ty: Type) -> Reg {
        let outer = Self::captured(&[&fun]);
        let filter = self.close(fun, &outer);
        let dst = self.reg(ty);
        let captures = [0, 1].into_iter().chain(outer).collect();
        self.emit(Op::Filter { dst, list, filter, captures });
        dst
    }

    fn base_list(&mut self, selection: &Selection<'a>) -> Reg {
        if !selection.parts.is_empty() {
            let ty = selection.list_type();
            let mut all: Option<Reg> = None;
            for part in &selection.parts {
                let list = self.candidates(part);
                let list = if selection.things { self.cast(list, Type::Things) } else { list };
                all = Some(match all {
                    None => list,
                    Some(before) => {
                        let dst = self.reg(ty);
                        self.emit(Op::Union { dst, a: before, b: list });
                        dst
                    }
                });
            }
            return all.unwrap_or(0);
        }
        if selection.players && selection.bases.is_empty() {
            let dst = self.reg(Type::Players);
            self.emit(Op::Players { dst });
            return dst;
        }
        let mut all: Option<Reg> = None;
        if selection.bases.is_empty() {
            let field = self.library.zones.iter().position(|zone| zone.field).unwrap_or(0);
            let dst = self.reg(Type::Objects);
            self.emit(Op::AllInZone { dst, zone: ZoneKindId(field as u32) });
            all = Some(dst);
        }
        for base in &selection.bases {
            let list = match base {
                SearchSpace::Zone(zone) => {
                    let dst = self.reg(Type::Objects);
                    self.emit(Op::AllInZone { dst, zone: *zone });
                    dst
                }
                SearchSpace::Of(zone, player) => match self.zone_of(*zone, player) {
                    Some(instance) => {
                        let dst = self.reg(Type::Objects);
                        self.emit(Op::ZoneList { dst, zone: instance });
                        dst
                    }
                    None => {
                        let dst = self.reg(Type::Objects);
                        self.emit(Op::AllInZone { dst, zone: *zone });
                        dst
                    }
                },
                SearchSpace::Value(atom) => {
                    let span = atom.span();
                    let zone = self.atom(atom, Some(Type::Zone));
                    let zone = self.want(zone, Type::Zone, span);
                    let dst = self.reg(Type::Objects);
                    self.emit(Op::ZoneList { dst, zone });
                    dst
                }
                SearchSpace::List(atom) => {
                    let span = atom.span();
                    let ty = selection.list_type();
                    let list = self.atom(atom, Some(ty));
                    self.want(list, ty, span)
                }
            };
            all = Some(match all {
                None => list,
                Some(before) => {
                    let dst = self.reg(selection.list_type());
                    self.emit(Op::Union { dst, a: before, b: list });
                    dst
                }
            });
        }
        all.unwrap_or(0)
    }

    /// The zone instance of a player; `None` when the atom means everybody.
    pub fn zone_of(&mut self, zone: ZoneKindId, player: &Atom<'a>) -> Option<Reg> {
        let span = player.span();
        let player = self.atom(player, Some(Type::Player));
        if matches!(player.ty, Some(Type::Players)) {
            return None;
        }
        let player = self.want(player, Type::Player, span);
        let dst = self.reg(Type::Zone);
        self.emit(Op::ZoneOf { dst, zone, player });
        Some(dst)
    }

    /// The zones that a selection looks through, as bits.
    pub fn zone_mask(&self, selection: &Selection<'a>) -> u32 {
        if selection.things {
            return u32::MAX;
        }
        if !selection.parts.is_empty() {
            return selection.parts.iter().fold(0, |mask, part| mask | self.zone_mask(part));
        }
        let mut mask = 0;
        for base in &selection.bases {
            match base {
                SearchSpace::Zone(zone) | SearchSpace::Of(zone, _) => mask |= 1 << zone.0,
                SearchSpace::Value(_) | SearchSpace::List(_) => mask = u32::MAX,
            }
        }
        if selection.bases.is_empty() { self.field_mask() } else { mask }
    }
}
