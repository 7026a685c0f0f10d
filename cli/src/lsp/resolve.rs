//! What a name means: the one thing that it stands for in its game.

use super::name_index::{NameUse, Occurrence};
use super::server_state::ServerState;
use fizzle_compiler::lower::pattern::{inflected, third_person};
use fizzle_compiler::names::{Meaning, NameTable};
use fizzle_compiler::session::{FileRange, Game};
use fizzle_grammar::ast::Span;
use fizzle_grammar::visit::{DeclKind, NameRole};
use fizzle_runtime::ir::verbs::{BUILTINS, VERBS};
use smol_str::SmolStr;

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// Something that is declared for the whole game.
    Global(DeclKind, SmolStr),
    /// A parameter of an action.
    Parameter(SmolStr, SmolStr),
    /// A local name: the part, and the occurrence that binds it.
    Local(u32, usize),
    /// A word of an open trait set, which stands on cards: the set, the word.
    Open(SmolStr, SmolStr),
    /// A verb of the language.
    Verb(SmolStr),
    /// A function of the language.
    Builtin(SmolStr),
}

impl Target {
    /// What is written for it.
    pub fn name(&self) -> Option<&SmolStr> {
        match self {
            Self::Global(_, name) | Self::Parameter(_, name) | Self::Open(_, name) | Self::Verb(name) | Self::Builtin(name) => {
                Some(name)
            }
            Self::Local(..) => None,
        }
    }
}

/// What an occurrence stands for.
pub fn target(game: &Game<'_>, part: u32, occurrence: &Occurrence) -> Option<Target> {
    let names = &game.names;
    let text = &occurrence.text;
    match &occurrence.use_ {
        NameUse::Local(binding) => Some(Target::Local(part, *binding)),
        NameUse::Parameter { action, .. } => Some(Target::Parameter(action.clone(), text.clone())),
        NameUse::Span(path) => {
            // Inside of a replaced or inserted span, paths are known by their ends.
            let full = names.find_span(path).first().cloned().unwrap_or_else(|| path.to_string());
            Some(Target::Global(DeclKind::Span, SmolStr::new(full)))
        }
        NameUse::Path { parts, whole } => path(names, parts, *whole),
        NameUse::Role { role, events } => {
            for verb in events.iter() {
                if let Some((action, signature)) = action_of(names, verb, false)
                    && signature.iter().any(|(name, _)| name == text)
                    && matches!(role, NameRole::Word | NameRole::Called)
                {
                    return Some(Target::Parameter(action, text.clone()));
                }
            }
            of_role(game, *role, text)
        }
    }
}

fn of_role(game: &Game<'_>, role: NameRole, text: &SmolStr) -> Option<Target> {
    let names = &game.names;
    let global = |kind: DeclKind| Some(Target::Global(kind, text.clone()));
    match role {
        NameRole::Declares(DeclKind::Action) if VERBS.iter().any(|verb| verb.name == text) => Some(Target::Verb(text.clone())),
        NameRole::Declares(kind) | NameRole::Replaces(kind) => global(kind),
        NameRole::Of(DeclKind::Format) => {
            if names_pack(game, text) {
                global(DeclKind::Pack)
            } else {
                global(DeclKind::Format)
            }
        }
        NameRole::Of(DeclKind::Span) => {
            let path = names.find_span(text).first().cloned()?;
            Some(Target::Global(DeclKind::Span, SmolStr::new(path)))
        }
        NameRole::Of(DeclKind::Action) => verb(names, text),
        NameRole::Of(kind) => global(kind),
        NameRole::Verb => verb(names, text),
        NameRole::Type => names.traits_id(text).and_then(|_| global(DeclKind::Traits)),
        NameRole::Fact => meaning(names, text, &[DeclKind::TraitWord, DeclKind::Traits, DeclKind::Property, DeclKind::Keyword])
            .or_else(|| quoted(names, text)),
        NameRole::Changed => {
            let kinds = [DeclKind::Property, DeclKind::Keyword, DeclKind::TraitWord, DeclKind::Traits, DeclKind::Status];
            meaning(names, text, &kinds).or_else(|| quoted(names, text))
        }
        NameRole::Quoted => quoted(names, text),
        NameRole::Called => meaning(names, text, &[]).or_else(|| builtin(text)).or_else(|| verb(names, text)),
        NameRole::Word => meaning(names, text, &[])
            .or_else(|| names.cards.get_index_of(text).filter(|index| *index > 0).and_then(|_| global(DeclKind::Card)))
            .or_else(|| {
                let found = names.find_span(text);
                let path = found.first().filter(|_| found.len() == 1)?;
                Some(Target::Global(DeclKind::Span, SmolStr::new(path)))
            })
            .or_else(|| names.actions.contains_key(text).then(|| verb(names, text)).flatten())
            .or_else(|| quoted(names, text)),
        NameRole::Binds | NameRole::Parameter | NameRole::Seat | NameRole::Setting => None,
    }
}

/// Whether the root of the game is called so.
fn names_pack(game: &Game<'_>, text: &str) -> bool {
    game.models.iter().all(|model| model.name != text) || game.name == text
}

fn builtin(text: &str) -> Option<Target> {
    BUILTINS.iter().find(|row| row.name == text).map(|row| Target::Builtin(SmolStr::new(row.name)))
}

/// A card; else a word that cards print.
fn quoted(names: &NameTable<'_>, text: &SmolStr) -> Option<Target> {
    if names.card_id(text).is_some() {
        return Some(Target::Global(DeclKind::Card, text.clone()));
    }
    let closed = names.traits.iter().any(|set| set.words.iter().flatten().any(|word| word == text));
    if closed {
        return Some(Target::Global(DeclKind::TraitWord, text.clone()));
    }
    let set = names.traits.iter().find(|set| set.words.is_none())?;
    Some(Target::Open(set.name.clone(), text.clone()))
}

/// The kind of a meaning.
pub fn kind_of(meaning: Meaning) -> DeclKind {
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

/// The first meaning of a word, among some kinds or all.
fn meaning(names: &NameTable<'_>, text: &SmolStr, kinds: &[DeclKind]) -> Option<Target> {
    let kind =
        names.meanings(text).iter().map(|meaning| kind_of(*meaning)).find(|kind| kinds.is_empty() || kinds.contains(kind))?;
    Some(Target::Global(kind, text.clone()))
}

/// The action of a verb as written, and its parameters.
pub fn action_of(
    names: &NameTable<'_>,
    word: &str,
    passive: bool,
) -> Option<(SmolStr, Vec<(SmolStr, fizzle_runtime::ir::Type)>)> {
    let exact = names.actions.get_key_value(word);
    let third = || names.actions.iter().find(|(name, _)| third_person(name, word));
    let done = || names.actions.iter().find(|(name, _)| inflected(name, word, passive));
    let other = || {
        let row = VERBS
            .iter()
            .find(|verb| verb.pattern_words.contains(&word) || matches!(word, "leaves" | "leave") && verb.name == "put")?;
        names.actions.get_key_value(row.name)
    };
    let (name, signature) = exact.or_else(third).or_else(done).or_else(other)?;
    Some((name.clone(), signature.params.clone()))
}

/// The action or play of a verb as written.
fn verb(names: &NameTable<'_>, word: &SmolStr) -> Option<Target> {
    if let Some((name, _)) = action_of(names, word, true) {
        return Some(if VERBS.iter().any(|verb| verb.name == name) {
            Target::Verb(name)
        } else {
            Target::Global(DeclKind::Action, name)
        });
    }
    let play = names.plays.keys().find(|name| inflected(name, word, true));
    let counted = || {
        let of = |name: &&SmolStr| name.split_once('_').is_some_and(|(first, _)| inflected(first, word, true));
        names.actions.keys().find(of).map(|name| Target::Global(DeclKind::Action, name.clone()))
    };
    play.map(|play| Target::Global(DeclKind::Play, play.clone())).or_else(counted)
}

/// What a part of a path names.
fn path(names: &NameTable<'_>, parts: &[SmolStr], whole: usize) -> Option<Target> {
    let (first, last) = (parts.first()?, parts.last()?);
    let span = |written: &str| {
        let found = names.find_span(written);
        found.first().map(|path| Target::Global(DeclKind::Span, SmolStr::new(path)))
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
        return verb(names, last);
    }
    None
}

/// Everything that stands for a target in its game: the place, and whether it is declared there.
pub fn places(world: &ServerState, game: &Game<'_>, wanted: &Target) -> Vec<(FileRange, bool)> {
    let store = world.session.store();
    let mut found = Vec::new();
    let name = wanted.name();
    // Only texts that have the stem of the name can mention it.
    let last = name.map(|name| name.rsplit('.').next().unwrap_or(name).to_owned());
    let stem: Option<String> = last.map(|name| {
        let short: String = name.chars().take(name.chars().count().saturating_sub(1).clamp(1, 64)).collect();
        if matches!(wanted, Target::Global(DeclKind::Action | DeclKind::Play, _) | Target::Verb(_)) {
            short.chars().take(2).collect()
        } else {
            name
        }
    });
    for part in parts(world, game, wanted) {
        if stem.as_ref().is_some_and(|stem| !store.sources().text(part).contains(stem.as_str())) {
            continue;
        }
        let names = world.index.part(store, part);
        for (index, occurrence) in names.iter().enumerate() {
            let same = match (wanted, &occurrence.use_) {
                (Target::Local(of, binding), NameUse::Local(bound)) => part == *of && bound == binding,
                (Target::Local(..), _) | (_, NameUse::Local(_)) => false,
                _ => target(game, part, occurrence).as_ref() == Some(wanted),
            };
            if same {
                let span = Span { file: part, start: occurrence.start, end: occurrence.end };
                found.extend(world.session.place(span).map(|place| (place, occurrence.declares(index))));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The parts in which a target can be named.
fn parts(world: &ServerState, game: &Game<'_>, wanted: &Target) -> Vec<u32> {
    match wanted {
        Target::Local(part, _) => vec![*part],
        Target::Global(DeclKind::Pack | DeclKind::Format, _) => {
            world.session.store().documents().flat_map(|(_, document)| document.parts.iter().map(|placed| placed.part)).collect()
        }
        _ => game.parts.iter().map(|(part, _)| *part).collect(),
    }
}
