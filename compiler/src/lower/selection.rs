//! Selections: the zones or lists that candidates come from, and one filter function for all conditions on them.

use super::function_builder::{Binding, Candidate, FunctionBuilder};
use super::{Lowering, TypedRegister};
use crate::diagnostics::{Diagnostic, codes};
use crate::names::Meaning;
use crate::phrase_syntax::{Atom, AtomHead, PhraseCondition, alternatives, as_phrase};
use fizzle_grammar::ast::{Expr, Head, Name, Phrase, Span, TotalTest};
use fizzle_ir::op::Place;
use fizzle_ir::{DefId, KeywordId, Op, Reg, TraitSetId, Type, ZoneKindId};

/// Where candidates come from.
#[derive(Clone, Debug)]
pub enum SearchSpace<'a> {
    /// A kind of zone, of all players.
    Zone(ZoneKindId),
    /// The zone of one player.
    Of(ZoneKindId, Atom<'a>),
    /// A zone value.
    Value(Atom<'a>),
    /// A list.
    List(Atom<'a>),
}

/// A condition on a candidate.
#[derive(Clone, Debug)]
pub enum Constraint<'a> {
    /// It has the trait word.
    Word(TraitSetId, u16),
    /// Its bool status or property is set.
    Flag(Place),
    /// It has the keyword.
    Keyword(KeywordId),
    /// It is this card.
    Card(DefId),
    /// It is not `this`.
    Other,
    /// It is not an ability on the list.
    NoAbility,
    /// It is another player than `you`.
    Opponent,
    /// The player controls it.
    Controlled(Atom<'a>),
    /// The condition holds; bare names of properties are those of the candidate.
    Holds(&'a Expr),
    /// `is X`, or `is not X` if the flag is set.
    Is(&'a Expr, bool),
    /// The subject of the sentence controls it.
    Scoped,
    /// The constraint does not hold.
    Not(Box<Constraint<'a>>),
    /// A constraint from the meaning of a noun; local names are hidden in it.
    Noun(Box<Constraint<'a>>),
}

/// What a phrase selects: search spaces, and constraints on the candidates.
#[derive(Clone, Debug, Default)]
pub struct Selection<'a> {
    /// Where candidates come from. If it is empty, no zone was named, and the field is searched.
    pub search_spaces: Vec<SearchSpace<'a>>,
    /// What all candidates must satisfy.
    pub constraints: Vec<Constraint<'a>>,
    /// Whether candidates are players.
    pub selects_players: bool,
    /// Whether candidates are things: objects and players.
    pub selects_things: bool,
    /// The alternatives of `piece or player`, `piece or card in grave`; a candidate matches any of them.
    pub parts: Vec<Self>,
    /// The expression of `parts`, if they are objects of several zones and none of them names its zone in the text.
    pub unplaced: Option<&'a Expr>,
    /// Whether it is restricted by `of you` or `your`.
    pub is_own: bool,
    /// Whether the search spaces are the default of a noun; a zone that is named replaces them.
    pub has_default_space: bool,
    /// The condition on the sum of all that is chosen.
    pub total: Option<&'a TotalTest>,
}

impl Selection<'_> {
    /// Returns the type of a list of candidates.
    pub fn list_type(&self) -> Type {
        match (self.selects_things, self.selects_players) {
            (true, _) => Type::Things,
            (false, true) => Type::Players,
            (false, false) => Type::Objects,
        }
    }

    /// Returns the type of one candidate.
    pub fn single_type(&self) -> Type {
        self.list_type().element().unwrap_or(Type::Object)
    }

    /// Adds the kinds of candidates that a noun or a group stands for.
    fn take_kind(&mut self, players: bool, things: bool) {
        self.selects_players |= players;
        self.selects_things |= things;
    }
}

impl<'a> Lowering<'a> {
    /// Analyses what a phrase selects. Returns `None` if its head is not a noun; that was reported.
    pub fn selection(&mut self, phrase: &'a Phrase, span: Span) -> Option<Selection<'a>> {
        let scopes = std::mem::take(&mut self.fun().scope_next_selection);
        let mut selection = Selection::default();
        if phrase.other {
            selection.constraints.push(Constraint::Other);
        }
        let head_takes = match &phrase.head {
            Head::Word(name) => self.word_takes_of(name) && !self.is_noun(&name.text),
            _ => false,
        };
        let (of, conditions) = self.conditions(head_takes, &phrase.filters);
        let placed = of.is_some()
            || matches!(phrase.head, Head::Possessive { .. })
            || conditions.iter().any(|condition| matches!(condition, PhraseCondition::Of(_) | PhraseCondition::In(_)));
        self.select_head(&phrase.head, of, span, &mut selection)?;
        // `other` of an object means not `this`, `other` of a player means not `you`.
        if phrase.other && selection.selects_players {
            if matches!(&phrase.head, Head::Word(name) if name.text == "opponent") {
                self.report_other_opponent(span);
            }
            if let Some(test) = selection.constraints.iter_mut().find(|test| matches!(test, Constraint::Other)) {
                *test = Constraint::Opponent;
            }
        }
        for condition in conditions {
            self.select_condition(condition, &mut selection);
        }
        self.lint_constraints(&selection.constraints, span);
        let takes_from_zone = self.fun().operand_zone.as_ref().is_some_and(|(operand, _)| *operand == span);
        self.lint_zone(phrase, span, scopes, &selection);
        if !takes_from_zone {
            self.lint_choice_in_field(phrase, span, &selection);
        }
        if scopes && self.needs_scope(&selection, placed) {
            selection.constraints.push(Constraint::Scoped);
        }
        Some(selection)
    }

    /// Reports `other opponent`: every opponent is another player than `you`, so the text must say who is excepted.
    pub fn report_other_opponent(&mut self, span: Span) {
        let help = "leave `other` out; to exclude `x`, write `opponent that (candidate is not x)`";
        self.report_not_here(span, "an opponent is always another player", help);
    }

    /// Whether a choice by another player is restricted to the objects of that player: the phrase does not say whose, or names only zones
    /// that each player has.
    fn needs_scope(&self, selection: &Selection<'a>, placed: bool) -> bool {
        let own_zones = !selection.search_spaces.is_empty()
            && selection.search_spaces.iter().all(|base| match base {
                SearchSpace::Zone(zone) => self.library.zones.get(zone.index()).is_some_and(|zone| zone.each_player),
                _ => false,
            });
        let whose = selection.constraints.iter().any(|test| matches!(test, Constraint::Controlled(_)))
            || selection.search_spaces.iter().any(|base| !matches!(base, SearchSpace::Zone(_)));
        !selection.selects_players && !selection.selects_things && !whose && (own_zones || !placed)
    }

    fn select_head(&mut self, head: &'a Head, of: Option<Atom<'a>>, span: Span, selection: &mut Selection<'a>) -> Option<()> {
        match head {
            Head::Word(name) => match &of {
                Some(several) if self.report_number_of_several(name, several, span) => None,
                _ => self.select_word(name, of, selection),
            },
            Head::Quoted(name) => {
                let test = self.quoted_constraint(name)?;
                selection.constraints.push(test);
                Some(())
            }
            Head::Group(inner) => {
                if let Some(parts) = self.mixed_parts(inner) {
                    selection.selects_things = true;
                    for part in parts {
                        let found = match (as_phrase(part), crate::phrase_syntax::bare_word(part)) {
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
                    // The alternatives are in `parts`, each with its zone.
                } else if let Some(phrase) = as_phrase(inner)
                    && phrase.quantifier.is_none()
                    && self.selects(phrase)
                {
                    let found = self.selection(phrase, inner.span)?;
                    selection.search_spaces.extend(found.search_spaces);
                    selection.constraints.extend(found.constraints);
                    selection.take_kind(found.selects_players, found.selects_things);
                    selection.parts.extend(found.parts);
                    selection.unplaced = found.unplaced;
                    selection.is_own |= found.is_own;
                } else if self.is_noun_like(inner) {
                    selection.constraints.push(Constraint::Is(inner, false));
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
                self.error(&codes::MISPLACED_FORM, span, "a selection from a computed list needs parentheses");
                None
            }
            Head::Number(_) | Head::Bool(_) | Head::Price(_) => {
                let problem = Diagnostic::new(&codes::TYPE_MISMATCH, span, "this is not a kind of object");
                let help = self.suggest_member(span);
                self.report(match help {
                    Some(help) => problem.help(help),
                    None => problem,
                });
                None
            }
        }
    }

    /// `piece or card in grave`: if the nouns have different zones, adds one part per noun, each with its zone. Returns `Some(false)` if
    /// they do not.
    pub fn select_alternatives(&mut self, expr: &'a Expr, selection: &mut Selection<'a>) -> Option<bool> {
        let Some(alternatives) = self.zoned_parts(expr) else { return Some(false) };
        let field = self.library.zones.iter().position(|zone| zone.field).unwrap_or(0);
        for part in alternatives {
            let Some(phrase) = as_phrase(part) else { continue };
            let mut found = self.selection(phrase, part.span)?;
            if found.search_spaces.is_empty() && found.parts.is_empty() {
                found.search_spaces.push(SearchSpace::Zone(ZoneKindId(field as u32)));
                found.has_default_space = true;
            }
            selection.parts.push(found);
        }
        selection.is_own |= selection.parts.iter().all(|part| part.is_own);
        let loose = |part: &Selection<'a>| part.has_default_space || part.unplaced.is_some();
        selection.unplaced = selection.parts.iter().all(loose).then_some(expr);
        Some(true)
    }

    /// Applies a zone that follows nouns that are joined by `or`: it is the zone of all of them. Reports it if one of
    /// them is a player or names its own zone.
    fn place_parts(&mut self, span: Span, selection: &mut Selection<'a>) {
        if selection.parts.is_empty() {
            return;
        }
        selection.parts.clear();
        match selection.unplaced.take() {
            Some(expr) => selection.constraints.push(Constraint::Is(expr, false)),
            None => {
                let text = self.sources.slice(span).to_owned();
                self.report(
                    Diagnostic::new(&codes::MISPLACED_FORM, span, format!("`{text}` cannot be the zone of all of these"))
                        .label("one of them is a player, or names its own zone")
                        .help("name the zone of each: `(A in hand or B in hand)`"),
                );
            }
        }
    }

    fn list_base(&mut self, expr: &'a Expr, selection: &mut Selection<'a>) {
        let ty = self.guess(expr);
        selection.take_kind(ty == Some(Type::Players), ty == Some(Type::Things));
        selection.search_spaces.push(SearchSpace::List(Atom::of_expr(expr)));
    }

    /// Adds the meaning of a word to a selection. Returns `None` if the word is not a noun; that was reported.
    pub fn select_word(&mut self, name: &'a Name, of: Option<Atom<'a>>, selection: &mut Selection<'a>) -> Option<()> {
        let word = name.text.as_str();
        if let Some((ty, binding)) = self.local_type(word) {
            if let Binding::Word(traits, index) = binding {
                self.mark_used(word);
                selection.constraints.push(Constraint::Word(traits, index));
                return Some(());
            }
            if ty.is_none_or(|ty| ty.element().is_some()) {
                selection.take_kind(ty == Some(Type::Players), ty == Some(Type::Things));
                selection.search_spaces.push(SearchSpace::List(Atom::of_word(name)));
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
                selection.constraints.push(Constraint::NoAbility);
                return Some(());
            }
            "object" => return Some(()),
            "player" | "players" => {
                selection.selects_players = true;
                return Some(());
            }
            "opponent" => {
                selection.selects_players = true;
                selection.constraints.push(Constraint::Opponent);
                return Some(());
            }
            _ => {}
        }
        let meanings = self.names.meanings(word).to_vec();
        for meaning in &meanings {
            match meaning {
                Meaning::Word(traits, index) => {
                    selection.constraints.push(Constraint::Word(*traits, *index));
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
                    selection.search_spaces.push(SearchSpace::List(Atom::of_word(name)));
                    return Some(());
                }
                Meaning::Status(n) if self.names.types[1].get(usize::from(*n)) == Some(&Type::Bool) => {
                    selection.constraints.push(Constraint::Flag(Place::Status(*n)));
                    return Some(());
                }
                _ => {}
            }
        }
        if meanings.is_empty() {
            self.report_unknown_word(name);
        } else {
            let is_keyword = meanings.iter().any(|meaning| matches!(meaning, Meaning::Keyword(_)));
            let help = match is_keyword {
                true => format!("a keyword is what an object has: `card that has {word}`, with its noun in place of `card`"),
                false => "write a quantifier before a noun, a trait word or a zone".to_owned(),
            };
            let message = format!("`{word}` is not a kind of object");
            self.report(Diagnostic::new(&codes::TYPE_MISMATCH, name.span, message).help(help));
        }
        None
    }

    fn select_noun(&mut self, name: &'a Name, selection: &mut Selection<'a>) -> Option<()> {
        let meaning = *self.names.nouns.get(&name.text)?;
        let Some(phrase) = as_phrase(meaning) else {
            selection.constraints.push(Constraint::Noun(Box::new(Constraint::Holds(meaning))));
            return Some(());
        };
        self.hidden_locals_depth += 1;
        let found = self.nested(|lower| lower.selection(phrase, meaning.span));
        self.hidden_locals_depth -= 1;
        let found = found??;
        if selection.search_spaces.is_empty() {
            selection.search_spaces = found.search_spaces;
            selection.has_default_space = true;
        }
        selection.constraints.extend(found.constraints.into_iter().map(|test| Constraint::Noun(Box::new(test))));
        selection.take_kind(found.selects_players, found.selects_things);
        selection.parts.extend(found.parts);
        selection.unplaced = found.unplaced;
        Some(())
    }

    fn zone_base(&mut self, zone: ZoneKindId, of: Option<Atom<'a>>, selection: &mut Selection<'a>) {
        if selection.has_default_space {
            selection.search_spaces.clear();
            selection.has_default_space = false;
        }
        let each = self.library.zones.get(zone.index()).is_some_and(|zone| zone.each_player);
        match of {
            Some(of) if each => {
                selection.is_own |= of.is_you();
                selection.search_spaces.push(SearchSpace::Of(zone, of));
            }
            Some(of) => {
                selection.search_spaces.push(SearchSpace::Zone(zone));
                self.controlled(of, selection);
            }
            None => selection.search_spaces.push(SearchSpace::Zone(zone)),
        }
    }

    fn controlled(&mut self, of: Atom<'a>, selection: &mut Selection<'a>) {
        if selection.selects_things {
            self.report(
                Diagnostic::new(&codes::TYPE_MISMATCH, of.span(), "`of` cannot apply to both of these: a player has no owner")
                    .help("write it with the objects: `(piece of opponent or opponent)`"),
            );
            return;
        }
        if let Some(word) = of.word().filter(|word| matches!(word.text.as_str(), "player" | "players"))
            && of.of.is_none()
            && self.local_type(&word.text).is_none()
            && !self.funs.iter().any(|fun| fun.each_player.is_some())
        {
            let problem = Diagnostic::new(&codes::MISSING_COUNT, word.span, format!("`of {}` names no player", word.text));
            let help = match self.owner.name.starts_with("memory ") {
                true => {
                    format!("leave `of {}` out: the variable of each player counts for the objects of that player", word.text)
                }
                false => format!("leave `of {}` out for the objects of all players, or name one: `of you`", word.text),
            };
            self.report(problem.help(help));
            return;
        }
        // In `N card in hand of you` the zone has taken the `of`. If the zones have no owner yet, this is their owner.
        let zones: Vec<ZoneKindId> = selection
            .search_spaces
            .iter()
            .filter_map(|base| match base {
                SearchSpace::Zone(zone) if self.library.zones.get(zone.index()).is_some_and(|zone| zone.each_player) => {
                    Some(*zone)
                }
                _ => None,
            })
            .collect();
        selection.is_own |= of.is_you();
        if zones.is_empty() || zones.len() < selection.search_spaces.len() {
            selection.constraints.push(Constraint::Controlled(of));
        } else {
            selection.search_spaces = zones.into_iter().map(|zone| SearchSpace::Of(zone, of.clone())).collect();
        }
    }

    /// Adds a condition that follows the head.
    pub fn select_condition(&mut self, condition: PhraseCondition<'a>, selection: &mut Selection<'a>) {
        match condition {
            PhraseCondition::Of(atom) => match self.guess_atom(&atom) {
                Some(Type::Zone) => self.in_zone(atom, selection),
                Some(Type::Objects | Type::Players | Type::Things)
                    if atom.word().is_none_or(|word| !self.is_noun(&word.text)) =>
                {
                    self.place_parts(atom.span(), selection);
                    if selection.has_default_space {
                        selection.search_spaces.clear();
                        selection.has_default_space = false;
                    }
                    selection.search_spaces.push(SearchSpace::List(atom));
                }
                _ => self.controlled(atom, selection),
            },
            PhraseCondition::In(atom) => self.in_zone(atom, selection),
            PhraseCondition::Holds(expr) => selection.constraints.push(Constraint::Holds(expr)),
            PhraseCondition::Without(name) => {
                if let Some(test) = self.word_constraint(name) {
                    selection.constraints.push(Constraint::Not(Box::new(test)));
                }
            }
            PhraseCondition::Total(total, _) if std::mem::take(&mut self.takes_total) => selection.total = Some(total),
            PhraseCondition::Total(_, span) => self.report_total(span),
            PhraseCondition::Is(what, negated) => selection.constraints.push(Constraint::Is(what, negated)),
            PhraseCondition::Has(name) => {
                if let Some(test) = self.word_constraint(name) {
                    selection.constraints.push(test);
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
            && let Some(Phrase { quantifier: None, head: Head::Possessive { owner, word }, filters: posts, .. }) = as_phrase(expr)
            && posts.is_empty()
            && let Some(zone) = self.names.zone_id(&word.text)
        {
            self.zone_base(zone, Some(Atom::of_expr(owner)), selection);
            return;
        }
        if selection.has_default_space {
            selection.search_spaces.clear();
            selection.has_default_space = false;
        }
        if self.report_joined_zones(&atom) {
            return;
        }
        match self.guess_atom(&atom) {
            Some(Type::Zone) => selection.search_spaces.push(SearchSpace::Value(atom)),
            Some(Type::Objects | Type::Players | Type::Things) => selection.search_spaces.push(SearchSpace::List(atom)),
            None => selection.search_spaces.push(SearchSpace::Value(atom)),
            Some(_) => {
                let span = atom.span();
                let text = self.sources.slice(span).to_owned();
                self.report(
                    Diagnostic::new(&codes::TYPE_MISMATCH, span, format!("`{text}` is neither a zone nor a list"))
                        .help("after `in` and `from` write a zone or a list of objects"),
                );
            }
        }
    }

    /// Reports `in (hand or grave)`: each zone has its own `in`.
    fn report_joined_zones(&mut self, atom: &Atom<'a>) -> bool {
        let AtomHead::Expr(expr) = atom.head else { return false };
        let Some(Phrase { quantifier: None, head: Head::Group(inner), .. }) = as_phrase(expr) else { return false };
        let zones = alternatives(inner);
        let is_zone = |zone: &&Expr| match as_phrase(zone).map(|phrase| &phrase.head) {
            Some(Head::Word(word) | Head::Possessive { word, .. }) => self.is_zone_word(&word.text),
            _ => false,
        };
        if zones.len() < 2 || !zones.iter().all(is_zone) {
            return false;
        }
        let each: Vec<String> = zones.iter().map(|zone| format!("in {}", self.sources.slice(zone.span))).collect();
        let problem = Diagnostic::new(&codes::TYPE_MISMATCH, expr.span, "zones are not joined by `or`");
        self.report(problem.help(format!("write `in` before each of them: `{}`", each.join(" "))));
        true
    }

    /// Emits a selection: the list of its search spaces, filtered by its constraints.
    pub fn candidates(&mut self, selection: &Selection<'a>) -> Reg {
        self.selected(selection).0
    }

    /// Emits a selection. Returns also whether all that it selects from was moved by statements or costs: its constraints are then about the
    /// objects as they left.
    pub fn selected(&mut self, selection: &Selection<'a>) -> (Reg, bool) {
        let (list, is_moved) = self.base_list(selection);
        let tests = self.sorted_constraints(selection);
        if tests.is_empty() {
            return (list, is_moved);
        }
        self.begin_child(true, Some(Type::Bool));
        let ty = selection.single_type();
        let reg = self.trailing_param(ty);
        let left = self.as_it_left(TypedRegister { is_moved, ..TypedRegister::new(reg, ty) }).reg;
        self.fun().candidate = Some(Candidate { as_it_left: is_moved.then_some(left), ..Candidate::new(reg, ty) });
        self.return_constraints(&tests, left, ty);
        let fun = self.end_child();
        (self.filter(list, fun, selection.list_type()), is_moved)
    }

    /// Emits a filter operation with the captures of its function.
    pub fn filter(&mut self, list: Reg, fun: FunctionBuilder, ty: Type) -> Reg {
        let outer = FunctionBuilder::captured_registers(&[&fun]);
        let filter = self.close(fun, &outer);
        let dst = self.reg(ty);
        let captures = [0, 1].into_iter().chain(outer).collect();
        self.emit(Op::Filter { dst, list, filter, captures });
        dst
    }

    /// Emits the list of the search spaces of a selection. Returns also whether all of them were moved by statements or costs.
    fn base_list(&mut self, selection: &Selection<'a>) -> (Reg, bool) {
        if !selection.parts.is_empty() {
            let ty = selection.list_type();
            let mut all: Option<Reg> = None;
            for part in &selection.parts {
                let list = self.candidates(part);
                let list = if selection.selects_things { self.cast(list, Type::Things) } else { list };
                all = Some(match all {
                    None => list,
                    Some(before) => {
                        let dst = self.reg(ty);
                        self.emit(Op::Union { dst, a: before, b: list });
                        dst
                    }
                });
            }
            return (all.unwrap_or(0), false);
        }
        if selection.selects_players && selection.search_spaces.is_empty() {
            let dst = self.reg(Type::Players);
            self.emit(Op::Players { dst });
            return (dst, false);
        }
        let mut all: Option<Reg> = None;
        let mut is_moved = !selection.search_spaces.is_empty();
        if selection.search_spaces.is_empty() {
            let field = self.library.zones.iter().position(|zone| zone.field).unwrap_or(0);
            let dst = self.reg(Type::Objects);
            self.emit(Op::AllInZone { dst, zone: ZoneKindId(field as u32) });
            all = Some(dst);
        }
        for base in &selection.search_spaces {
            is_moved &= matches!(base, SearchSpace::List(_));
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
                    let zone = self.coerce(zone, Type::Zone, span);
                    let dst = self.reg(Type::Objects);
                    self.emit(Op::ZoneList { dst, zone });
                    dst
                }
                SearchSpace::List(atom) => {
                    let span = atom.span();
                    let ty = selection.list_type();
                    let list = self.atom(atom, Some(ty));
                    is_moved &= list.is_moved;
                    self.coerce(list, ty, span)
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
        (all.unwrap_or(0), is_moved)
    }

    /// Emits the zone of a player; returns `None` if the atom means several players.
    pub fn zone_of(&mut self, zone: ZoneKindId, player: &Atom<'a>) -> Option<Reg> {
        let span = player.span();
        let player = self.atom(player, Some(Type::Player));
        if matches!(player.ty, Some(Type::Players)) {
            return None;
        }
        let player = self.coerce(player, Type::Player, span);
        let dst = self.reg(Type::Zone);
        self.emit(Op::ZoneOf { dst, zone, player });
        Some(dst)
    }

    /// Returns the bits of the zones that a selection searches; all bits if they are not known statically.
    pub fn zone_mask(&self, selection: &Selection<'a>) -> u32 {
        if selection.selects_things {
            return u32::MAX;
        }
        if !selection.parts.is_empty() {
            return selection.parts.iter().fold(0, |mask, part| mask | self.zone_mask(part));
        }
        let mut mask = 0;
        for base in &selection.search_spaces {
            match base {
                SearchSpace::Zone(zone) | SearchSpace::Of(zone, _) => mask |= 1 << zone.0,
                SearchSpace::Value(_) | SearchSpace::List(_) => mask = u32::MAX,
            }
        }
        if selection.search_spaces.is_empty() { self.field_mask() } else { mask }
    }
}
