//! Name resolution for the editor: maps an occurrence of a name to the declaration that it refers to in its game, and back.

use super::name_index::{NameUse, Occurrence};
use super::server_state::ServerState;
use fizzle_compiler::names::{Meaning, NameTable};
use fizzle_compiler::session::{FileRange, Game};
use fizzle_compiler::verb_forms::{is_inflected_form, is_third_person_of};
use fizzle_grammar::ast::Span;
use fizzle_grammar::visit::{DeclKind, NameRole};
use fizzle_runtime::ir::verbs::{BUILTINS, VERBS};
use smol_str::SmolStr;

/// What a name refers to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// A declaration with a scope of the whole game: kind and name; for phases and steps, kind and path.
    Global(DeclKind, SmolStr),
    /// A parameter of an action: the action, the parameter.
    Parameter(SmolStr, SmolStr),
    /// A local name: the part, and the index of the occurrence that binds it.
    Local(u32, usize),
    /// A word of an open trait set, which only cards introduce: the set, the word.
    OpenTraitWord(SmolStr, SmolStr),
    /// A verb of the language.
    Verb(SmolStr),
    /// A function of the language.
    Builtin(SmolStr),
}

impl Target {
    /// The declared name; `None` for local names, which are known by their binding only.
    pub fn name(&self) -> Option<&SmolStr> {
        match self {
            Self::Global(_, name)
            | Self::Parameter(_, name)
            | Self::OpenTraitWord(_, name)
            | Self::Verb(name)
            | Self::Builtin(name) => Some(name),
            Self::Local(..) => None,
        }
    }
}

/// The target of an occurrence.
pub fn resolve_occurrence(game: &Game<'_>, part: u32, occurrence: &Occurrence) -> Option<Target> {
    let names = &game.names;
    let text = &occurrence.text;
    match &occurrence.use_ {
        NameUse::Local(binding) => Some(Target::Local(part, *binding)),
        NameUse::Parameter { action, .. } => Some(Target::Parameter(action.clone(), text.clone())),
        NameUse::Period(path) => {
            // Inside a replaced or inserted period the path is relative; `find_period` matches it by its end.
            let full = names.find_period(path).first().cloned().unwrap_or_else(|| path.to_string());
            Some(Target::Global(DeclKind::Period, SmolStr::new(full)))
        }
        NameUse::Path { parts, whole } => resolve_path(names, parts, *whole),
        NameUse::Role { role, events } => {
            for verb in events.iter() {
                if let Some((action, signature)) = find_action(names, verb, false)
                    && signature.iter().any(|(name, _)| name == text)
                    && matches!(role, NameRole::Word | NameRole::Called)
                {
                    return Some(Target::Parameter(action, text.clone()));
                }
            }
            resolve_role(game, *role, text)
        }
    }
}

fn resolve_role(game: &Game<'_>, role: NameRole, text: &SmolStr) -> Option<Target> {
    let names = &game.names;
    let global = |kind: DeclKind| Some(Target::Global(kind, text.clone()));
    match role {
        NameRole::Declares(DeclKind::Action) if VERBS.iter().any(|verb| verb.name == text) => Some(Target::Verb(text.clone())),
        NameRole::Declares(kind) | NameRole::Replaces(kind) => global(kind),
        NameRole::RefersTo(DeclKind::Format) => {
            if is_pack_name(game, text) {
                global(DeclKind::Pack)
            } else {
                global(DeclKind::Format)
            }
        }
        NameRole::RefersTo(DeclKind::Period) => {
            let path = names.find_period(text).first().cloned()?;
            Some(Target::Global(DeclKind::Period, SmolStr::new(path)))
        }
        NameRole::RefersTo(DeclKind::Action) => resolve_verb(names, text),
        NameRole::RefersTo(kind) => global(kind),
        NameRole::Verb => resolve_verb(names, text),
        NameRole::Type => names.traits_id(text).and_then(|_| global(DeclKind::Traits)),
        NameRole::Fact => {
            resolve_meaning(names, text, &[DeclKind::TraitWord, DeclKind::Traits, DeclKind::Property, DeclKind::Keyword])
                .or_else(|| resolve_quoted(names, text))
        }
        NameRole::Changed => {
            let kinds = [DeclKind::Property, DeclKind::Keyword, DeclKind::TraitWord, DeclKind::Traits, DeclKind::Status];
            resolve_meaning(names, text, &kinds).or_else(|| resolve_quoted(names, text))
        }
        NameRole::Quoted => resolve_quoted(names, text),
        NameRole::Called => {
            resolve_meaning(names, text, &[]).or_else(|| find_builtin(text)).or_else(|| resolve_verb(names, text))
        }
        NameRole::Word => resolve_meaning(names, text, &[])
            .or_else(|| names.cards.get_index_of(text).filter(|index| *index > 0).and_then(|_| global(DeclKind::Card)))
            .or_else(|| {
                let found = names.find_period(text);
                let path = found.first().filter(|_| found.len() == 1)?;
                Some(Target::Global(DeclKind::Period, SmolStr::new(path)))
            })
            .or_else(|| names.actions.contains_key(text).then(|| resolve_verb(names, text)).flatten())
            .or_else(|| resolve_quoted(names, text)),
        NameRole::Binds | NameRole::Parameter | NameRole::Seat | NameRole::Setting => None,
    }
}

/// Whether a name after `format` means the pack at the root of the game: no format has the name, or the game has it.
fn is_pack_name(game: &Game<'_>, text: &str) -> bool {
    game.models.iter().all(|model| model.name != text) || game.name == text
}

fn find_builtin(text: &str) -> Option<Target> {
    BUILTINS.iter().find(|row| row.name == text).map(|row| Target::Builtin(SmolStr::new(row.name)))
}

/// Resolves a quoted name: to a card, else to a word of a closed trait set, else to a word of the first open trait set.
fn resolve_quoted(names: &NameTable<'_>, text: &SmolStr) -> Option<Target> {
    if names.definition_id(text).is_some() || names.scopes.is_contested(text) {
        return Some(Target::Global(DeclKind::Card, text.clone()));
    }
    let closed = names.traits.iter().any(|set| set.words.iter().flatten().any(|word| word == text));
    if closed {
        return Some(Target::Global(DeclKind::TraitWord, text.clone()));
    }
    let set = names.traits.iter().find(|set| set.words.is_none())?;
    Some(Target::OpenTraitWord(set.name.clone(), text.clone()))
}

/// The kind of declaration that a meaning comes from.
pub fn meaning_kind(meaning: Meaning) -> DeclKind {
    match meaning {
        Meaning::Word(..) => DeclKind::TraitWord,
        Meaning::Traits(_) => DeclKind::Traits,
        Meaning::Property(_) => DeclKind::Property,
        Meaning::Status(_) => DeclKind::Status,
        Meaning::Player(_) => DeclKind::Player,
        Meaning::Global(_) => DeclKind::Global,
        Meaning::Constant(_) => DeclKind::Constant,
        Meaning::Zone(_) => DeclKind::Zone,
        Meaning::Noun => DeclKind::Noun,
        Meaning::Keyword(_) => DeclKind::Keyword,
        Meaning::Function => DeclKind::Function,
    }
}

/// Resolves a word to its first meaning of one of `kinds`, or of any kind if `kinds` is empty.
fn resolve_meaning(names: &NameTable<'_>, text: &SmolStr, kinds: &[DeclKind]) -> Option<Target> {
    let kind = names
        .meanings(text)
        .iter()
        .map(|meaning| meaning_kind(*meaning))
        .find(|kind| kinds.is_empty() || kinds.contains(kind))?;
    Some(Target::Global(kind, text.clone()))
}

/// Finds the action that a verb denotes, in any inflection, and its parameters. `passive` also accepts passive forms.
pub fn find_action(
    names: &NameTable<'_>,
    word: &str,
    passive: bool,
) -> Option<(SmolStr, Vec<(SmolStr, fizzle_runtime::ir::Type)>)> {
    let exact = names.actions.get_key_value(word);
    let third_person_form = || names.actions.iter().find(|(name, _)| is_third_person_of(name, word));
    let inflected_form = || names.actions.iter().find(|(name, _)| is_inflected_form(name, word, passive));
    let pattern_word = || {
        let row = VERBS
            .iter()
            .find(|verb| verb.pattern_words.contains(&word) || matches!(word, "leaves" | "leave") && verb.name == "put")?;
        names.actions.get_key_value(row.name)
    };
    let (name, signature) = exact.or_else(third_person_form).or_else(inflected_form).or_else(pattern_word)?;
    Some((name.clone(), signature.params.clone()))
}

/// Resolves a verb to an action, else to a play, else to an action `VERB_…` whose first word it is.
fn resolve_verb(names: &NameTable<'_>, word: &SmolStr) -> Option<Target> {
    if let Some((name, _)) = find_action(names, word, true) {
        return Some(if VERBS.iter().any(|verb| verb.name == name) {
            Target::Verb(name)
        } else {
            Target::Global(DeclKind::Action, name)
        });
    }
    let play = names.plays.keys().find(|name| is_inflected_form(name, word, true));
    let action_with_suffix = || {
        let of = |name: &&SmolStr| name.split_once('_').is_some_and(|(first, _)| is_inflected_form(first, word, true));
        names.actions.keys().find(of).map(|name| Target::Global(DeclKind::Action, name.clone()))
    };
    play.map(|play| Target::Global(DeclKind::Play, play.clone())).or_else(action_with_suffix)
}

/// Resolves the last of `parts`, which are the beginning of a path of `whole` parts.
fn resolve_path(names: &NameTable<'_>, parts: &[SmolStr], whole: usize) -> Option<Target> {
    let (first, last) = (parts.first()?, parts.last()?);
    let span = |written: &str| {
        let found = names.find_period(written);
        found.first().map(|path| Target::Global(DeclKind::Period, SmolStr::new(path)))
    };
    if whole > 1 && parts.len() == 2 {
        let kind = match first.as_str() {
            "action" | "treat" => Some(DeclKind::Action),
            "keyword" => Some(DeclKind::Keyword),
            "rule" => Some(DeclKind::Rule),
            "state" => Some(DeclKind::StateRule),
            "play" => Some(DeclKind::Play),
            "payment" => Some(DeclKind::Payment),
            "constant" => Some(DeclKind::Constant),
            "zone" => Some(DeclKind::Zone),
            "card" => Some(DeclKind::Card),
            _ => None,
        };
        if let Some(kind) = kind {
            return Some(Target::Global(kind, last.clone()));
        }
    }
    if let Some(found) = span(&parts.join(".")) {
        return Some(found);
    }
    if whole == 1 {
        return resolve_verb(names, last);
    }
    None
}

/// Places that an answer lists, and that a rename changes. Each takes some kilobytes as the answer is written.
pub const MAX_PLACES: usize = 10_000;

/// Finds all occurrences that resolve to a target in its game, sorted. The flag is `true` for the declaration.
///
/// Cost: one text search for each part, and a resolution of each name in the parts that match.
pub fn find_occurrences(state: &ServerState, game: &Game<'_>, wanted: &Target) -> Vec<(FileRange, bool)> {
    let store = state.session.store();
    let mut found = Vec::new();
    let name = wanted.name();
    // A part that does not contain the stem of the name cannot refer to it. Verbs are inflected, so their stem is two letters.
    let last = name.map(|name| name.rsplit('.').next().unwrap_or(name).to_owned());
    let stem: Option<String> = last.map(|name| {
        let short: String = name.chars().take(name.chars().count().saturating_sub(1).clamp(1, 64)).collect();
        if matches!(wanted, Target::Global(DeclKind::Action | DeclKind::Play, _) | Target::Verb(_)) {
            short.chars().take(2).collect()
        } else {
            name
        }
    });
    // Patterns have other words for events of the verbs of the language.
    let is_spelt_out = !matches!(wanted, Target::Verb(_));
    for part in parts_to_search(state, game, wanted) {
        if stem.as_ref().is_some_and(|stem| !store.sources().text(part).contains(stem.as_str())) {
            continue;
        }
        let names = state.name_index.names_in_part(store, part);
        for (index, occurrence) in names.iter().enumerate() {
            // To resolve a name can compare it with all actions of the game.
            if is_spelt_out && stem.as_ref().is_some_and(|stem| !occurrence.text.contains(stem.as_str())) {
                continue;
            }
            let same = match (wanted, &occurrence.use_) {
                (Target::Local(of, binding), NameUse::Local(bound)) => part == *of && bound == binding,
                (Target::Local(..), _) | (_, NameUse::Local(_)) => false,
                _ => resolve_occurrence(game, part, occurrence).as_ref() == Some(wanted),
            };
            if same {
                let span = Span { file: part, start: occurrence.start, end: occurrence.end };
                found.extend(state.session.place(span).map(|place| (place, occurrence.declares(index))));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The parts that can refer to a target: one for a local name, those of all packs for a pack or format, else those of the game.
fn parts_to_search(state: &ServerState, game: &Game<'_>, wanted: &Target) -> Vec<u32> {
    match wanted {
        Target::Local(part, _) => vec![*part],
        Target::Global(DeclKind::Pack | DeclKind::Format, _) => state
            .session
            .store()
            .documents()
            .flat_map(|(_, document)| document.items.iter().map(|placed| placed.number))
            .collect(),
        _ => game.items.iter().map(|(part, _)| *part).collect(),
    }
}
