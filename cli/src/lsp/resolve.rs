//! What a name means: the one thing that it stands for in its game.

use super::index::{Occurrence, Use};
use super::world::World;
use fizzle_compiler::lower::pattern::{inflected, third_person};
use fizzle_compiler::names::{Meaning, Names};
use fizzle_compiler::session::{Game, Place};
use fizzle_grammar::tree::Span;
use fizzle_grammar::visit::{Kind, Role};
use fizzle_runtime::ir::verbs::{BUILTINS, VERBS};
use smol_str::SmolStr;

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// Something that is declared for the whole game.
    Global(Kind, SmolStr),
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
        Use::Local(binding) => Some(Target::Local(part, *binding)),
        Use::Parameter { action, .. } => Some(Target::Parameter(action.clone(), text.clone())),
        Use::Span(path) => {
            // Inside of a replaced or inserted span, paths are known by their ends.
            let full = names.find_span(path).first().cloned().unwrap_or_else(|| path.to_string());
            Some(Target::Global(Kind::Span, SmolStr::new(full)))
        }
        Use::Path { parts, whole } => path(names, parts, *whole),
        Use::Role { role, events } => {
            for verb in events.iter() {
                if let Some((action, signature)) = action_of(names, verb, false)
                    && signature.iter().any(|(name, _)| name == text)
                    && matches!(role, Role::Word | Role::Called)
                {
                    return Some(Target::Parameter(action, text.clone()));
                }
            }
            of_role(game, *role, text)
        }
    }
}

fn of_role(game: &Game<'_>, role: Role, text: &SmolStr) -> Option<Target> {
    let names = &game.names;
    let global = |kind: Kind| Some(Target::Global(kind, text.clone()));
    match role {
        Role::Declares(Kind::Action) if VERBS.iter().any(|verb| verb.name == text) => Some(Target::Verb(text.clone())),
        Role::Declares(kind) | Role::Replaces(kind) => global(kind),
        Role::Of(Kind::Format) => {
            if names_pack(game, text) {
                global(Kind::Pack)
            } else {
                global(Kind::Format)
            }
        }
        Role::Of(Kind::Span) => {
            let path = names.find_span(text).first().cloned()?;
            Some(Target::Global(Kind::Span, SmolStr::new(path)))
        }
        Role::Of(Kind::Action) => verb(names, text),
        Role::Of(kind) => global(kind),
        Role::Verb => verb(names, text),
        Role::Type => names.traits_id(text).and_then(|_| global(Kind::Traits)),
        Role::Fact => {
            meaning(names, text, &[Kind::TraitWord, Kind::Traits, Kind::Property, Kind::Keyword]).or_else(|| quoted(names, text))
        }
        Role::Changed => {
            let kinds = [Kind::Property, Kind::Keyword, Kind::TraitWord, Kind::Traits, Kind::Status];
            meaning(names, text, &kinds).or_else(|| quoted(names, text))
        }
        Role::Quoted => quoted(names, text),
        Role::Called => meaning(names, text, &[]).or_else(|| builtin(text)).or_else(|| verb(names, text)),
        Role::Word => meaning(names, text, &[])
            .or_else(|| names.cards.get_index_of(text).filter(|index| *index > 0).and_then(|_| global(Kind::Card)))
            .or_else(|| {
                let found = names.find_span(text);
                let path = found.first().filter(|_| found.len() == 1)?;
                Some(Target::Global(Kind::Span, SmolStr::new(path)))
            })
            .or_else(|| names.actions.contains_key(text).then(|| verb(names, text)).flatten())
            .or_else(|| quoted(names, text)),
        Role::Binds | Role::Parameter | Role::Seat | Role::Setting => None,
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
fn quoted(names: &Names<'_>, text: &SmolStr) -> Option<Target> {
    if names.card_id(text).is_some() {
        return Some(Target::Global(Kind::Card, text.clone()));
    }
    let closed = names.traits.iter().any(|set| set.words.iter().flatten().any(|word| word == text));
    if closed {
        return Some(Target::Global(Kind::TraitWord, text.clone()));
    }
    let set = names.traits.iter().find(|set| set.words.is_none())?;
    Some(Target::Open(set.name.clone(), text.clone()))
}

/// The kind of a meaning.
pub fn kind_of(meaning: Meaning) -> Kind {
    match meaning {
        Meaning::Word(..) => Kind::TraitWord,
        Meaning::Traits(_) => Kind::Traits,
        Meaning::Property(_) => Kind::Property,
        Meaning::Status(_) => Kind::Status,
        Meaning::Player(_) => Kind::Player,
        Meaning::Global(_) => Kind::Global,
        Meaning::Constant(_) => Kind::Constant,
        Meaning::Zone(_) => Kind::Zone,
        Meaning::Noun => Kind::Noun,
        Meaning::Keyword(_) => Kind::Keyword,
        Meaning::Function => Kind::Function,
    }
}

/// The first meaning of a word, among some kinds or all.
fn meaning(names: &Names<'_>, text: &SmolStr, kinds: &[Kind]) -> Option<Target> {
    let kind =
        names.meanings(text).iter().map(|meaning| kind_of(*meaning)).find(|kind| kinds.is_empty() || kinds.contains(kind))?;
    Some(Target::Global(kind, text.clone()))
}

/// The action of a verb as written, and its parameters.
pub fn action_of(names: &Names<'_>, word: &str, passive: bool) -> Option<(SmolStr, Vec<(SmolStr, fizzle_runtime::ir::Type)>)> {
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
fn verb(names: &Names<'_>, word: &SmolStr) -> Option<Target> {
    if let Some((name, _)) = action_of(names, word, true) {
        return Some(if VERBS.iter().any(|verb| verb.name == name) {
            Target::Verb(name)
        } else {
            Target::Global(Kind::Action, name)
        });
    }
    let play = names.plays.keys().find(|name| inflected(name, word, true));
    let counted = || {
        let of = |name: &&SmolStr| name.split_once('_').is_some_and(|(first, _)| inflected(first, word, true));
        names.actions.keys().find(of).map(|name| Target::Global(Kind::Action, name.clone()))
    };
    play.map(|play| Target::Global(Kind::Play, play.clone())).or_else(counted)
}

/// What a part of a path names.
fn path(names: &Names<'_>, parts: &[SmolStr], whole: usize) -> Option<Target> {
    let (first, last) = (parts.first()?, parts.last()?);
    let span = |written: &str| {
        let found = names.find_span(written);
        found.first().map(|path| Target::Global(Kind::Span, SmolStr::new(path)))
    };
    if whole > 1 && parts.len() == 2 {
        let kind = match first.as_str() {
            "action" | "treat" => Some(Kind::Action),
            "keyword" => Some(Kind::Keyword),
            "rule" => Some(Kind::Rule),
            "state" => Some(Kind::StateRule),
            "play" => Some(Kind::Play),
            "payment" => Some(Kind::Payment),
            "constant" => Some(Kind::Constant),
            "zone" => Some(Kind::Zone),
            "card" => Some(Kind::Card),
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
pub fn places(world: &World, game: &Game<'_>, wanted: &Target) -> Vec<(Place, bool)> {
    let store = world.session.store();
    let mut found = Vec::new();
    let name = wanted.name();
    // Only texts that have the stem of the name can mention it.
    let last = name.map(|name| name.rsplit('.').next().unwrap_or(name).to_owned());
    let stem: Option<String> = last.map(|name| {
        let short: String = name.chars().take(name.chars().count().saturating_sub(1).clamp(1, 64)).collect();
        if matches!(wanted, Target::Global(Kind::Action | Kind::Play, _) | Target::Verb(_)) {
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
                (Target::Local(of, binding), Use::Local(bound)) => part == *of && bound == binding,
                (Target::Local(..), _) | (_, Use::Local(_)) => false,
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
fn parts(world: &World, game: &Game<'_>, wanted: &Target) -> Vec<u32> {
    match wanted {
        Target::Local(part, _) => vec![*part],
        Target::Global(Kind::Pack | Kind::Format, _) => {
            world.session.store().documents().flat_map(|(_, document)| document.parts.iter().map(|placed| placed.part)).collect()
        }
        _ => game.parts.iter().map(|(part, _)| *part).collect(),
    }
}
