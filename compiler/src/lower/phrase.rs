//! Static analysis of phrases, without emitting code: which `of` belongs to which word, and which type a phrase will have.

use super::Lowering;
use super::function_builder::{Binding, ItBinding};
use crate::limits::MAX_LOWERING_DEPTH;
use crate::names::FACTS;
use crate::names::Meaning;
use crate::phrase_syntax::{Atom, AtomHead, PhraseCondition, alternatives, as_phrase, bare_word, is_word};
use fizzle_grammar::ast::{BinaryOp, Expr, ExprKind, Head, Name, Phrase, PhraseFilter, PhraseFilterKind, Quantifier};
use fizzle_ir::op::Place;
use fizzle_ir::verbs::BUILTINS;
use fizzle_ir::{TraitSetId, Type};

impl<'a> Lowering<'a> {
    /// Whether a bare word takes the `of` that follows it.
    pub fn takes_of(&self, expr: &Expr) -> bool {
        bare_word(expr).is_some_and(|name| self.word_takes_of(name)) || self.keyed_call(expr).is_some()
    }

    /// Returns the name and the key of `counters(charge)`: a status or variable with a number for each word.
    pub fn keyed_call<'e>(&self, expr: &'e Expr) -> Option<(&'e Name, &'e [Expr])> {
        let phrase = as_phrase(expr)?;
        match &phrase.head {
            Head::Call { name, args } if phrase.quantifier.is_none() && !phrase.other && self.has_keys(&name.text) => {
                Some((name, args))
            }
            _ => None,
        }
    }

    /// Whether a word is a status or variable with a number for each word of a trait set, and not a function.
    pub fn has_keys(&self, word: &str) -> bool {
        !self.names.functions.contains_key(word)
            && (self.keyed_place(word, Type::Object).is_some() || self.keyed_place(word, Type::Player).is_some())
    }

    /// Finds the status (of an object) or variable (of a player) that has a number for each word of a trait set. Returns its place and the
    /// set.
    pub fn keyed_place(&self, word: &str, owner: Type) -> Option<(Place, TraitSetId)> {
        self.names.meanings(word).iter().find_map(|meaning| {
            let (place, variable) = match (*meaning, owner) {
                (Meaning::Status(n), Type::Object | Type::Objects) => (Place::Status(n), self.names.statuses.get(usize::from(n))),
                (Meaning::Player(n), Type::Player | Type::Players) => (Place::Player(n), self.names.players.get(usize::from(n))),
                _ => return None,
            };
            let traits = self.names.traits_id(&variable?.keys.as_ref()?.text)?;
            Some((place, traits))
        })
    }

    /// Whether a word takes the `of` that follows it.
    pub fn word_takes_of(&self, name: &Name) -> bool {
        let word = name.text.as_str();
        if let Some((ty, _)) = self.local_type(word) {
            return ty == Some(Type::Shares);
        }
        if FACTS.contains(&word) || word == "opponent" {
            return true;
        }
        self.names.meanings(word).iter().any(|meaning| match meaning {
            Meaning::Property(_) | Meaning::Status(_) | Meaning::Player(_) | Meaning::Traits(_) | Meaning::Keyword(_) => true,
            Meaning::Zone(zone) => self.library.zones.get(zone.index()).is_some_and(|zone| zone.each_player),
            Meaning::Function => self.names.functions.get(word).is_some_and(|function| function.params.len() == 1),
            _ => false,
        })
    }

    /// Assigns every `of` to its word. Returns the atom that belongs to the head (if `head_takes`), and the conditions.
    pub fn conditions(&mut self, head_takes: bool, posts: &'a [PhraseFilter]) -> (Option<Atom<'a>>, Vec<PhraseCondition<'a>>) {
        self.report_filter_of_counted(posts);
        let mut at = 0;
        let mut of = None;
        if head_takes && let Some(PhraseFilter { kind: PhraseFilterKind::Of(expr), .. }) = posts.first() {
            at = 1;
            of = Some(self.atom_at(expr, posts, &mut at));
        }
        let mut conditions = Vec::new();
        while let Some(post) = posts.get(at) {
            at += 1;
            conditions.push(match &post.kind {
                PhraseFilterKind::Of(expr) => PhraseCondition::Of(self.atom_at(expr, posts, &mut at)),
                PhraseFilterKind::In(expr) => PhraseCondition::In(self.atom_at(expr, posts, &mut at)),
                PhraseFilterKind::With(expr) | PhraseFilterKind::That(expr) => PhraseCondition::Holds(expr),
                PhraseFilterKind::Without(name) => PhraseCondition::Without(name),
                PhraseFilterKind::ThatIs { what, negated } => PhraseCondition::Is(what, *negated),
                PhraseFilterKind::ThatHas(name) => PhraseCondition::Has(name),
                PhraseFilterKind::Total(total) => PhraseCondition::Total(total, post.span),
            });
        }
        (of, conditions)
    }

    fn atom_at(&self, expr: &'a Expr, posts: &'a [PhraseFilter], at: &mut usize) -> Atom<'a> {
        let takes = match as_phrase(expr) {
            Some(phrase) => self.takes_of(expr) && phrase.filters.is_empty(),
            None => false,
        };
        if takes && let Some(PhraseFilter { kind: PhraseFilterKind::Of(of), .. }) = posts.get(*at) {
            *at += 1;
            let of = self.atom_at(of, posts, at);
            return Atom { head: AtomHead::Expr(expr), of: Some(Box::new(of)) };
        }
        Atom::of_expr(expr)
    }

    /// Whether a word is a kind of object or player, so that it can have a quantifier or filters.
    pub fn is_noun(&self, word: &str) -> bool {
        if self.local_type(word).is_some() {
            return false;
        }
        matches!(word, "card" | "object" | "player")
            || self.names.meanings(word).iter().any(|meaning| matches!(meaning, Meaning::Word(..) | Meaning::Noun))
    }

    /// Whether a phrase without a quantifier selects objects or players by a noun, a zone or a list.
    pub fn selects(&self, phrase: &Phrase) -> bool {
        if phrase.quantifier.is_some() {
            return false;
        }
        match &phrase.head {
            Head::Word(name) => {
                let list = matches!(self.local_type(&name.text), Some((Some(Type::Objects | Type::Players | Type::Things), _)));
                self.is_noun(&name.text)
                    || (list && !phrase.filters.is_empty())
                    || (phrase.other && name.text == "opponent")
                    || self.is_zone_word(&name.text)
            }
            Head::Quoted(_) => true,
            Head::Group(inner) => self.is_noun_like(inner),
            Head::Possessive { word, .. } => self.is_noun(&word.text) || self.is_zone_word(&word.text),
            _ => false,
        }
    }

    /// Whether an expression consists of nouns: `spell`, `(spell or trap)`.
    pub fn is_noun_like(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Binary { op: BinaryOp::Or, left, right } => self.is_noun_like(left) && self.is_noun_like(right),
            ExprKind::Phrase(phrase) => self.selects(phrase),
            _ => false,
        }
    }

    /// Whether a word is a zone and not a local name.
    pub fn is_zone_word(&self, word: &str) -> bool {
        self.local_type(word).is_none() && self.names.zone_id(word).is_some()
    }

    /// Infers the type of an expression without lowering it. `None` if it cannot be inferred.
    pub fn guess(&self, expr: &Expr) -> Option<Type> {
        match &expr.kind {
            ExprKind::Phrase(phrase) => self.guess_phrase(phrase),
            ExprKind::Aggregate { .. } | ExprKind::Negative(_) | ExprKind::RandomNumber { .. } => Some(Type::Number),
            ExprKind::Is { .. } | ExprKind::Has { .. } | ExprKind::Shares { .. } | ExprKind::Can { .. } | ExprKind::Not(_) => {
                Some(Type::Bool)
            }
            ExprKind::If { then, .. } => self.guess(then),
            ExprKind::Binary { .. } => None,
        }
    }

    fn guess_phrase(&self, phrase: &Phrase) -> Option<Type> {
        if let Some(quantifier) = &phrase.quantifier {
            let list = self.candidates_type(&phrase.head, 0);
            let one = match quantifier {
                Quantifier::Some | Quantifier::No => return Some(Type::Bool),
                Quantifier::Exactly(count) => matches!(as_phrase(count), Some(Phrase { head: Head::Number(1), .. })),
                Quantifier::Target { count: None, .. } => true,
                _ => false,
            };
            return if one { list.element() } else { Some(list) };
        }
        match &phrase.head {
            Head::Word(name) => self.guess_word(name, phrase),
            Head::Quoted(_) => Some(Type::Card),
            Head::Number(_) => Some(Type::Number),
            Head::Bool(_) => Some(Type::Bool),
            Head::Price(_) => Some(Type::Price),
            Head::Group(inner) => self.guess(inner),
            Head::List(items) => {
                // each item once: lists nest
                let types: Vec<Option<Type>> = items.iter().map(|item| self.guess(item)).collect();
                let may_be_player = |ty: &Option<Type>| matches!(ty, Some(Type::Player | Type::Thing));
                match types.first() {
                    Some(Some(Type::Player)) if types.iter().all(|ty| *ty == Some(Type::Player)) => Some(Type::Players),
                    _ if types.iter().any(may_be_player) => Some(Type::Things),
                    _ => Some(Type::Objects),
                }
            }
            Head::Call { name, .. } if self.has_keys(&name.text) => Some(Type::Number),
            Head::Call { name, args } => self.call_type(name, args),
            Head::Possessive { word, owner } => self.guess_fact(&word.text, self.guess(owner)),
        }
    }

    /// Infers the list type of what a head selects.
    fn candidates_type(&self, head: &Head, depth: u32) -> Type {
        if depth > MAX_LOWERING_DEPTH {
            return Type::Objects;
        }
        match head {
            Head::Word(name) => match (self.local_type(&name.text), name.text.as_str()) {
                (Some((Some(ty), _)), _) if ty.element().is_some() => ty,
                (Some(_), _) => Type::Objects,
                (None, "player" | "opponent" | "players") => Type::Players,
                (None, word) => match self.names.nouns.get(word) {
                    Some(meaning) => self.alternative_type(meaning, depth + 1),
                    None => match self.guess_fact(word, None) {
                        Some(ty) if ty.element().is_some() => ty,
                        _ => Type::Objects,
                    },
                },
            },
            Head::Group(inner) => self.alternative_type(inner, depth + 1),
            _ => Type::Objects,
        }
    }

    /// Infers the list type of what the nouns that are joined by `or` select: things, if some are of objects and others of players.
    fn alternative_type(&self, expr: &Expr, depth: u32) -> Type {
        if depth > MAX_LOWERING_DEPTH {
            return Type::Objects;
        }
        match &expr.kind {
            ExprKind::Binary { op: BinaryOp::Or, left, right } => {
                let (a, b) = (self.alternative_type(left, depth + 1), self.alternative_type(right, depth + 1));
                if a == b { a } else { Type::Things }
            }
            // one of the two analyses only: each follows nouns
            ExprKind::Phrase(phrase) => match if self.selects(phrase) { None } else { self.guess(expr) } {
                Some(ty) if ty.element().is_some() => ty,
                _ => self.candidates_type(&phrase.head, depth),
            },
            _ => Type::Objects,
        }
    }

    /// Returns the nouns that an expression joins by `or`, if some are of objects and others of players.
    pub fn mixed_parts(&self, expr: &'a Expr) -> Option<Vec<&'a Expr>> {
        let parts = alternatives(expr);
        let nouns = parts.iter().all(|part| {
            let Some(phrase) = as_phrase(part) else { return false };
            let opponent = is_word(part, "opponent") && self.local_type("opponent").is_none();
            self.selects(phrase) || opponent
        });
        (parts.len() > 1 && nouns && self.alternative_type(expr, 0) == Type::Things).then_some(parts)
    }

    /// Returns the nouns that an expression joins by `or`, if at least one names a zone other than the field, or a list.
    pub fn zoned_parts(&self, expr: &'a Expr) -> Option<Vec<&'a Expr>> {
        let parts = alternatives(expr);
        if parts.len() < 2 || !self.is_noun_like(expr) {
            return None;
        }
        let field = self.library.zones.iter().position(|zone| zone.field).map_or(0, |zone| 1 << zone);
        let elsewhere = |part: &&Expr| self.named_zones(part, 0) & !field != 0;
        parts.iter().any(elsewhere).then_some(parts)
    }

    /// Returns the zones that nouns name, as bits; bit 63 stands for lists. 0 if they name none.
    fn named_zones(&self, expr: &Expr, depth: u32) -> u64 {
        const LIST: u64 = 1 << 63;
        if depth > MAX_LOWERING_DEPTH {
            return 0;
        }
        let phrase = match &expr.kind {
            ExprKind::Binary { op: BinaryOp::Or, left, right } => {
                return self.named_zones(left, depth + 1) | self.named_zones(right, depth + 1);
            }
            ExprKind::Phrase(phrase) => phrase,
            _ => return 0,
        };
        let zone = |word: &str| self.names.zone_id(word).map_or(LIST, |zone| 1 << zone.0.min(62));
        let mut named = 0;
        for post in &phrase.filters {
            named |= match &post.kind {
                PhraseFilterKind::In(place) | PhraseFilterKind::Of(place) => {
                    match (bare_word(place), as_phrase(place).map(|place| &place.head)) {
                        (Some(word), _) if self.is_zone_word(&word.text) => zone(&word.text),
                        (None, Some(Head::Possessive { word, .. })) if self.is_zone_word(&word.text) => zone(&word.text),
                        _ if matches!(post.kind, PhraseFilterKind::In(_)) => LIST,
                        _ => match self.guess(place) {
                            Some(Type::Zone | Type::Objects)
                                if !bare_word(place).is_some_and(|word| self.is_noun(&word.text)) =>
                            {
                                LIST
                            }
                            _ => 0,
                        },
                    }
                }
                _ => 0,
            };
        }
        if named != 0 {
            return named;
        }
        match &phrase.head {
            Head::Word(name) | Head::Possessive { word: name, .. } => match self.local_type(&name.text) {
                Some((Some(Type::Objects), _)) => LIST,
                Some(_) => 0,
                None if self.is_noun(&name.text) => {
                    self.names.nouns.get(&name.text).map_or(0, |meaning| self.named_zones(meaning, depth + 1))
                }
                None if self.is_zone_word(&name.text) => zone(&name.text),
                None => 0,
            },
            Head::Group(inner) => self.named_zones(inner, depth + 1),
            _ => 0,
        }
    }

    /// Returns the result type of a declared or built-in function.
    pub fn call_type(&self, name: &Name, args: &[Expr]) -> Option<Type> {
        let declared = self.names.functions.get(&name.text).and_then(|function| function.result);
        if let ("unconcealed", [call]) = (name.text.as_str(), args) {
            return declared.or_else(|| self.guess(call));
        }
        declared.or_else(|| BUILTINS.iter().find(|row| row.name == name.text).map(|row| row.result))
    }

    fn guess_word(&self, name: &Name, phrase: &Phrase) -> Option<Type> {
        let of = phrase.filters.iter().find_map(|post| match &post.kind {
            PhraseFilterKind::Of(expr) => Some(expr),
            _ => None,
        });
        self.guess_name(name, of)
    }

    /// Infers the type of a head together with the `of` that belongs to its word.
    pub fn guess_head(&self, head: &Head, of: Option<&Atom<'_>>) -> Option<Type> {
        match (head, of) {
            (Head::Word(name), Some(of)) if self.local_type(&name.text).is_none() => {
                self.guess_fact(&name.text, self.guess_atom(of))
            }
            (Head::Word(name), _) => self.guess_name(name, None),
            (Head::Group(inner), _) => self.guess(inner),
            (Head::Call { name, args }, _) => self.call_type(name, args),
            (Head::Possessive { owner, word }, _) => self.guess_fact(&word.text, self.guess(owner)),
            _ => None,
        }
    }

    fn guess_name(&self, name: &Name, of: Option<&Expr>) -> Option<Type> {
        let word = name.text.as_str();
        if let Some((ty, binding)) = self.local_type(word) {
            return match binding {
                _ if ty == Some(Type::Shares) && of.is_some() => Some(Type::Number),
                Binding::Word(traits, _) => Some(Type::Words(traits)),
                _ => ty,
            };
        }
        match word {
            "this" => return Some(Type::Object),
            "it" => {
                return match self.find_it() {
                    (_, ItBinding::Bound(_, ty)) => Some(ty),
                    _ => Some(Type::Object),
                };
            }
            "you" | "opponent" | "active" | "player" => return Some(Type::Player),
            "players" => return Some(Type::Players),
            "candidate" => return self.bare_candidate().or(Some(Type::Object)),
            _ => {}
        }
        self.guess_fact(word, of.and_then(|of| self.guess(of)))
    }

    fn guess_fact(&self, word: &str, owner: Option<Type>) -> Option<Type> {
        match word {
            "owner" | "controller" | "opponent" => return Some(Type::Player),
            "zone" => return Some(Type::Zone),
            "name" => return Some(Type::Card),
            "face" => return Some(Type::Number),
            "source" | "host" => return Some(Type::Object),
            "card" | "object" => return Some(Type::Objects),
            _ => {}
        }
        let types = &self.names.types;
        let meanings = self.names.meanings(word);
        let wanted = if owner == Some(Type::Player) {
            meanings.iter().find(|meaning| matches!(meaning, Meaning::Player(_) | Meaning::Zone(_)))
        } else {
            None
        };
        match wanted.or_else(|| meanings.first())? {
            Meaning::Property(n) => types[0].get(usize::from(*n)).copied(),
            Meaning::Status(n) => types[1].get(usize::from(*n)).copied(),
            Meaning::Player(n) => types[2].get(usize::from(*n)).copied(),
            Meaning::Global(n) => types[3].get(usize::from(*n)).copied(),
            Meaning::Traits(id) => Some(Type::Words(*id)),
            Meaning::Constant(constant) => Some(self.names.constant_type(*constant)),
            Meaning::Keyword(_) => Some(Type::Number),
            Meaning::Zone(_) => Some(Type::Zone),
            Meaning::Function => self.names.functions.get(word).and_then(|function| function.result),
            Meaning::Word(..) => Some(Type::Objects),
            Meaning::Noun => Some(self.names.nouns.get(word).map_or(Type::Objects, |meaning| self.alternative_type(meaning, 1))),
        }
    }

    /// Infers the type of an atom.
    pub fn guess_atom(&self, atom: &Atom<'_>) -> Option<Type> {
        match (&atom.of, atom.word(), atom.head) {
            (Some(of), Some(word), _) => self.guess_fact(&word.text, self.guess_atom(of)),
            (_, _, AtomHead::Expr(expr)) => self.guess(expr),
            (_, _, AtomHead::Word(name)) => self.guess_name(name, None),
        }
    }
}
