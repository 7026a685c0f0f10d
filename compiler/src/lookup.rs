//! Look-up in the name table: numbers of declarations, meanings of words, types.

use crate::card_scopes::CardMeaning;
use crate::diagnostics::{Diagnostic, codes};
use crate::names::{Meaning, NameTable};
use crate::relation_zones::relation_of;
use crate::shorthand::enumerations;
use crate::verb_forms::{is_inflected_form, participle};
use fizzle_grammar::ast::{Card, Name, Param, Span, TypeRef};
use fizzle_ir::{ActionId, DefId, PaymentId, PeriodId, PlayId, TraitSetId, Type, ZoneKindId};
use smol_str::SmolStr;

impl<'a> NameTable<'a> {
    /// The known word that another one negates: `tapped` for `untapped`, `creature` for `noncreature`.
    #[must_use]
    pub fn negated_word<'w>(&self, text: &'w str) -> Option<&'w str> {
        let words = ["non", "un", "not_"].iter().filter_map(|prefix| text.strip_prefix(prefix));
        words.map(|word| word.trim_start_matches('_')).find(|word| !self.meanings(word).is_empty())
    }

    /// The paths of phases and steps that a written path can mean: the equal one, else all that end with it.
    #[must_use]
    pub fn find_period(&self, written: &str) -> Vec<String> {
        if self.periods.contains_key(written) {
            return vec![written.to_owned()];
        }
        let full = format!("turn.{written}");
        if self.periods.contains_key(&full) {
            return vec![full];
        }
        let end = format!(".{written}");
        self.periods.keys().filter(|path| path.ends_with(&end)).cloned().collect()
    }

    /// The number of a phase or step.
    #[must_use]
    pub fn period_id(&self, path: &str) -> Option<PeriodId> {
        self.periods.get_index_of(path).map(|index| PeriodId(index as u32))
    }

    /// The number of an action.
    #[must_use]
    pub fn action_id(&self, name: &str) -> Option<ActionId> {
        self.actions.get_index_of(name).map(|index| ActionId(index as u32))
    }

    /// The number of a play.
    #[must_use]
    pub fn play_id(&self, name: &str) -> Option<PlayId> {
        self.plays.get_index_of(name).map(|index| PlayId(index as u32))
    }

    /// The number of a payment.
    #[must_use]
    pub fn payment_id(&self, name: &str) -> Option<PaymentId> {
        self.payments.get_index_of(name).map(|index| PaymentId(index as u32))
    }

    /// The number of the card that a name means where it is written.
    #[must_use]
    pub fn card_id(&self, name: &Name) -> Option<DefId> {
        self.definition_id(self.card_name(&name.text, name.span)?)
    }

    /// The number of the card of a name in the game.
    #[must_use]
    pub fn definition_id(&self, name: &str) -> Option<DefId> {
        self.cards.get_index_of(name).filter(|index| *index > 0).map(|index| DefId(index as u32))
    }

    /// The card that a name means where it is written. `None` also for a card that does not exist.
    #[must_use]
    pub fn card_at(&self, name: &str, span: Span) -> Option<&'a Card> {
        self.cards.get(self.card_name(name, span)?).copied().flatten()
    }

    /// The name in the game of the card that a name means where it is written. `None` if it could mean several.
    pub fn card_name<'n>(&'n self, name: &'n str, span: Span) -> Option<&'n str> {
        match self.card_meaning(name, span) {
            CardMeaning::Named(name) => Some(name),
            CardMeaning::Ambiguous(_) => None,
        }
    }

    /// Whether a name means a card where it is written, or could mean several.
    #[must_use]
    pub fn is_card_name(&self, name: &str, span: Span) -> bool {
        self.card_name(name, span).is_none_or(|name| self.cards.contains_key(name))
    }

    /// Whether a name means a face of another card where it is written.
    #[must_use]
    pub fn is_face(&self, name: &Name) -> bool {
        self.card_name(&name.text, name.span).is_some_and(|name| self.faces.contains(name))
    }

    /// What a name of a card means where it is written.
    pub fn card_meaning<'n>(&'n self, name: &'n str, span: Span) -> CardMeaning<'n> {
        // Names in templates of texts have no place.
        let file = (span != Span::default()).then_some(span.file);
        self.scopes.meaning(name, file, |name| self.cards.get(name).copied().flatten().map(|card| card.name.span))
    }

    /// The number of the status of a word.
    #[must_use]
    pub fn status_number(&self, word: &str) -> Option<u16> {
        self.meanings(word).iter().find_map(|meaning| match meaning {
            Meaning::Status(number) => Some(*number),
            _ => None,
        })
    }

    /// Finds the action that a verb is a form of: `destroyed` is `destroy` in the passive.
    #[must_use]
    pub fn action_of_form(&self, verb: &str, passive: bool) -> Option<ActionId> {
        let found = self.actions.keys().position(|name| is_inflected_form(name, verb, passive));
        found.map(|id| ActionId(id as u32))
    }

    /// The past participle of an action's name, for messages. A name of several words is inflected in the one that is itself an action.
    #[must_use]
    pub fn participle_of_action(&self, name: &str) -> String {
        let inflected = match (name.split_once('_'), name.rsplit_once('_')) {
            (_, Some((rest, last))) if self.actions.contains_key(last) => format!("{rest}_{}", participle(last)),
            (Some((first, rest)), _) if self.actions.contains_key(first) => format!("{}_{rest}", participle(first)),
            _ => participle(name),
        };
        if is_inflected_form(name, &inflected, true) { inflected } else { name.to_owned() }
    }

    /// The action whose name of several words ends another word: `hit_hard` in `was_hit_hard`.
    #[must_use]
    pub fn action_within(&self, word: &str) -> Option<&str> {
        let is_part = |name: &&SmolStr| {
            name.contains('_') && word.strip_suffix(name.as_str()).is_some_and(|before| before.ends_with('_') && before.len() > 1)
        };
        self.actions.keys().find(is_part).map(SmolStr::as_str)
    }

    /// The names of the zones that have one: the zone of a relation has none.
    pub fn zone_names(&self) -> impl Iterator<Item = &str> {
        self.zones.iter().map(|(name, _)| name.text.as_str()).filter(|name| relation_of(name).is_none())
    }

    /// The zone kind of a word.
    #[must_use]
    pub fn zone_id(&self, word: &str) -> Option<ZoneKindId> {
        self.meanings(word).iter().find_map(|meaning| match meaning {
            Meaning::Zone(id) => Some(*id),
            _ => None,
        })
    }

    /// The zone kinds whose objects are treated as not existing: `absent`.
    #[must_use]
    pub fn absent_zones(&self) -> Vec<ZoneKindId> {
        let is_absent = |settings: &[Vec<Name>]| settings.iter().flatten().any(|word| word.text == "absent");
        let zones = (0..).zip(&self.zones).filter(|(_, (_, settings))| is_absent(settings));
        zones.map(|(number, _)| ZoneKindId(number)).collect()
    }

    /// The trait set of a name.
    #[must_use]
    pub fn traits_id(&self, word: &str) -> Option<TraitSetId> {
        self.traits.iter().position(|set| set.name == word).map(|index| TraitSetId(index as u32))
    }

    /// What a word can mean.
    #[must_use]
    pub fn meanings(&self, word: &str) -> &[Meaning] {
        self.words.get(word).map_or(&[], Vec::as_slice)
    }

    /// Names and types of parameters.
    pub fn params(&self, params: &[Param], diagnostics: &mut Vec<Diagnostic>) -> Vec<(SmolStr, Type)> {
        params
            .iter()
            .map(|param| (param.name.text.clone(), self.type_of(&param.ty, diagnostics).unwrap_or(Type::Number)))
            .collect()
    }

    /// The type that a declaration names. Reports an unknown one.
    pub fn type_of(&self, ty: &TypeRef, diagnostics: &mut Vec<Diagnostic>) -> Option<Type> {
        let single = match ty.name.text.as_str() {
            "number" => Some(Type::Number),
            "bool" => Some(Type::Bool),
            "player" => Some(Type::Player),
            "object" => Some(Type::Object),
            "thing" => Some(Type::Thing),
            "zone" => Some(Type::Zone),
            "card" => Some(Type::Card),
            "price" => Some(Type::Price),
            "period" => Some(Type::Period),
            name => {
                self.traits_id(name).or_else(|| self.traits_id(&enumerations::set_of(name)).filter(|_| ty.word)).map(Type::Words)
            }
        };
        let found = match (ty.list, single) {
            (false, Some(Type::Words(traits))) if ty.word => Some(Type::Word(traits)),
            (false, _) if ty.word => None,
            (false, found) => found,
            (true, single) => single.and_then(Type::list),
        };
        if !ty.one_of.is_empty() {
            let problem = Diagnostic::new(&codes::UNKNOWN_TYPE, ty.name.span, "only a variable has a type `one of …`");
            diagnostics.push(problem.help("declare it as the type of a variable, and write `word of VARIABLE` here"));
            return None;
        }
        if found.is_none() {
            let written = match (ty.list, ty.word) {
                (true, _) => format!("list of {}", ty.name.text),
                (_, true) => format!("word of {}", ty.name.text),
                _ => ty.name.text.to_string(),
            };
            let problem = Diagnostic::new(&codes::UNKNOWN_TYPE, ty.name.span, format!("there is no type `{written}`"));
            let problem = match crate::diagnostics::word_suggestions::type_suggestion(&ty.name.text) {
                Some(word) => problem.help(format!("write `{word}`")),
                None => problem,
            };
            let known = ["number", "bool", "player", "object", "thing", "zone", "card", "price", "period"];
            diagnostics.push(
                problem.did_you_mean(&ty.name.text, known)
                    .help("types are `number`, `bool`, `player`, `object`, `thing`, `zone`, `card`, `price`, `period`, a traits item, `word of` a traits item, `list of object`, `list of player`, `list of thing`"),
            );
        }
        found
    }
}

/// A type as in source text. The types of words are shown without their trait set.
#[must_use]
pub fn type_word(ty: Type) -> &'static str {
    match ty {
        Type::Number => "number",
        Type::Bool => "bool",
        Type::Player => "player",
        Type::Object => "object",
        Type::Zone => "zone",
        Type::Card => "card",
        Type::Words(_) => "words",
        Type::Word(_) => "word",
        Type::Objects => "list of object",
        Type::Players => "list of player",
        Type::Price => "price",
        Type::Period => "period",
        Type::Thing => "thing",
        Type::Things => "list of thing",
        Type::Shares => "division",
    }
}
