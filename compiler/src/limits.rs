//! Limits of the compiler: what one pack may make it compute, and why. Each has a code, and a row in [`LIMITS`] and in the book.
//!
//! Expansion multiplies text: a noun is written out at each use, a keyword is lowered for each of its arguments. A pack of a few
//! hundred bytes could need any amount of memory without these limits. They are far above what the shipped packs need.

pub use crate::diagnostics::closest_name::MAX_COMPARISONS;

use crate::diagnostics::{Code, Diagnostic, codes, render};
use fizzle_grammar::ast::{Name, Span};

/// The greatest number of items of all files together: cards, decks, scenarios and declarations, also those of the shipped packs.
///
/// Each occupies a few kilobytes, however short it is.
pub const MAX_ITEMS: usize = 1 << 17;

/// The greatest number of declarations that use each other in a chain: nouns and functions, or actions with their parents.
///
/// Code that follows a chain takes stack or time in proportion to it.
pub const MAX_DEPENDENCY_DEPTH: u32 = 24;

/// The greatest size of a noun in bytes, with the nouns in its meaning written out.
///
/// The meaning of a noun is lowered again at each use.
pub const MAX_NOUN_BYTES: u64 = 4096;

/// The greatest number of bytes of functions that one call of a function evaluates, counted once for each call in their texts.
///
/// A chain of functions that call the next one twice would otherwise run for ever, in places where no fuel is charged.
pub const MAX_FUNCTION_BYTES: u64 = 1 << 20;

/// The greatest number of abilities of a card or of a rule, or that a keyword stands for, with all keywords expanded.
pub const MAX_ABILITIES: u64 = 1024;

/// The greatest number of versions of one keyword, each with other arguments, that keywords and texts with changeable words lead to.
///
/// Printed keywords do not count. A keyword that grants itself with a greater number would otherwise never end.
pub const MAX_KEYWORD_VERSIONS: usize = 4096;

/// The greatest number of operations of all versions of one keyword, if it leads to versions of itself.
pub const MAX_KEYWORD_OPERATIONS: u64 = 1 << 18;

/// The greatest number of operations of one card, keyword, rule, action or other item.
pub const MAX_ITEM_OPERATIONS: u64 = 1 << 16;

/// The greatest number of operations of one game.
pub const MAX_GAME_OPERATIONS: u64 = 1 << 22;

/// The greatest number of expressions and statements that the keywords `with body` and the symbols of costs of one item stand for.
pub const MAX_ITEM_EXPANSION: usize = 50_000;

/// The greatest number of expressions and statements that the keywords `with body` and the symbols of costs of a game stand for.
///
/// Each use has a copy of the block, which occupies some hundred bytes for a statement. A large game may have more: one for each eight bytes of its
/// sources.
pub const MAX_GAME_EXPANSION: usize = 200_000;

/// The greatest number of registers of one function. Registers have 16 bits; some stay free for captures.
pub const MAX_REGISTERS: usize = 30_000;

/// The greatest number of local names in scope of one function. A name is searched among all of them.
pub const MAX_LOCALS: usize = 2048;

/// The greatest number of names of a scenario: players, cards of its position, and values. Each expression of a scenario is a function of all.
pub const MAX_SCENARIO_NAMES: usize = 256;

/// The greatest number of positions that a position extends, one through the other.
pub const MAX_POSITION_BASES: usize = 16;

/// The greatest number of entries of named positions that the scenarios of a game repeat, all together.
pub const MAX_REPEATED_ENTRIES: usize = 65_536;

/// The greatest nesting of expressions and statements while they are lowered, with nouns written out.
///
/// The stack holds it in a debug build.
pub const MAX_LOWERING_DEPTH: u32 = 160;

/// The greatest number of formats of a game. Each has tables of all actions and keywords.
pub const MAX_FORMATS: usize = 64;

/// The greatest work for the texts of cards that the formats of a game render again, because of their `text` items and keywords: bytes and parts of
/// all texts in all languages. A part counts as sixteen bytes.
///
/// It is enough for some sixty thousand texts. A large game may have more: [`FORMAT_TEXT_WORK_OF_CARD`] for each of its cards.
pub const MAX_FORMAT_TEXT_WORK: usize = 1 << 25;

/// The work for the texts of formats that a large game may have for each of its cards: some three formats that change all cards in two languages.
pub const FORMAT_TEXT_WORK_OF_CARD: usize = 1 << 12;

/// The greatest length of a template of a rules text, in characters. Each card that matches its pattern prints it.
pub const MAX_TEMPLATE_CHARS: usize = 2000;

/// The greatest number of holes of a template of a rules text. What each is bound to is written out.
pub const MAX_TEMPLATE_HOLES: usize = 24;

/// The greatest number of actions and plays of a game. Each of their names is compared with the forms of all others.
pub const MAX_VERBS: usize = 2048;

/// The greatest number of properties, of statuses, and of variables of players or of the game. Each object or player has a value of each.
pub const MAX_VARIABLES: usize = 1024;

/// The greatest number of trait sets of a game. Each card has a list of words of each.
pub const MAX_TRAIT_SETS: usize = 256;

/// Maximum number of old words of a game. Each is compared with the verbs of every item that may use one.
pub const MAX_RENAMED_WORDS: usize = 1000;

/// The greatest number of words of a trait set.
pub const MAX_WORDS: usize = 16_384;

/// The greatest number of objects and players that one relation relates.
pub const MAX_RELATED: usize = 8;

/// The greatest number of relations of a game. Each has a zone, of which a game has at most 32.
pub const MAX_RELATIONS: usize = 32;

/// The greatest number of parameters of an action. An event holds so many arguments.
pub const MAX_ACTION_PARAMS: usize = fizzle_ir::verify::MAX_ARGS;

/// The greatest number of parameters of a keyword.
pub const MAX_KEYWORD_PARAMS: usize = 64;

/// The greatest length of the name of a card, a deck, a printed word or a declaration, in characters. Each object of a position is shown by its name.
pub const MAX_NAME_CHARS: usize = fizzle_ir::verify::MAX_NAME_CHARS;

/// The diagnostic of a game with too many operations, at the text that leads to them.
#[must_use]
pub fn too_many_operations(span: Span) -> Diagnostic {
    let message = format!("the game needs more than {MAX_GAME_OPERATIONS} operations up to this text");
    exceeded(span, message, "leave texts out, or make them shorter: each use of a noun is written out")
}

/// The diagnostic of a game whose scenarios repeat too much of named positions, at the scenario that leads to it.
#[must_use]
pub fn too_many_repeated_entries(span: Span) -> Diagnostic {
    let message = format!("the scenarios of the game repeat more than {MAX_REPEATED_ENTRIES} entries of named positions");
    exceeded(span, message, "make the positions smaller, or write several games")
}

/// Whether a diagnostic is about a limit of all texts of a game together.
#[must_use]
pub fn is_of_game(problem: &Diagnostic) -> bool {
    let limits = [too_many_operations, too_many_repeated_entries];
    problem.code.code == codes::LIMIT.code && limits.iter().any(|limit| limit(problem.span).message == problem.message)
}

/// The diagnostic of a name that is too long.
#[must_use]
pub fn long_name(name: &Name) -> Option<Diagnostic> {
    let message = || format!("a name has at most {MAX_NAME_CHARS} characters, and this one has {}", name.text.chars().count());
    let is_long = name.text.len() > MAX_NAME_CHARS && name.text.chars().nth(MAX_NAME_CHARS).is_some();
    is_long.then(|| exceeded(name.span, message(), "shorten it"))
}

/// A limit, as the book lists it.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The name of its constant.
    pub name: &'static str,
    /// Its value.
    pub value: u64,
    /// The code of the diagnostic; `None` if it only shortens messages.
    pub code: Option<&'static Code>,
}

/// All limits, including those of the parser.
pub const LIMITS: &[Limit] = &[
    Limit { name: "MAX_ITEMS", value: MAX_ITEMS as u64, code: Some(&codes::SYNTAX) },
    Limit { name: "MAX_DEPTH", value: fizzle_grammar::item_splitter::MAX_DEPTH as u64, code: Some(&codes::SYNTAX) },
    Limit { name: "MAX_ITEM_BYTES", value: fizzle_grammar::item_splitter::MAX_ITEM_BYTES as u64, code: Some(&codes::SYNTAX) },
    Limit { name: "MAX_CHAIN_LINKS", value: fizzle_grammar::MAX_CHAIN_LINKS as u64, code: Some(&codes::SYNTAX) },
    Limit { name: "MAX_TREE_DEPTH", value: fizzle_grammar::MAX_TREE_DEPTH as u64, code: Some(&codes::SYNTAX) },
    Limit { name: "MAX_DEPENDENCY_DEPTH", value: MAX_DEPENDENCY_DEPTH as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_NOUN_BYTES", value: MAX_NOUN_BYTES, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_FUNCTION_BYTES", value: MAX_FUNCTION_BYTES, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_ABILITIES", value: MAX_ABILITIES, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_KEYWORD_VERSIONS", value: MAX_KEYWORD_VERSIONS as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_KEYWORD_OPERATIONS", value: MAX_KEYWORD_OPERATIONS, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_ITEM_OPERATIONS", value: MAX_ITEM_OPERATIONS, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_GAME_OPERATIONS", value: MAX_GAME_OPERATIONS, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_ITEM_EXPANSION", value: MAX_ITEM_EXPANSION as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_GAME_EXPANSION", value: MAX_GAME_EXPANSION as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_REGISTERS", value: MAX_REGISTERS as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_LOCALS", value: MAX_LOCALS as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_SCENARIO_NAMES", value: MAX_SCENARIO_NAMES as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_POSITION_BASES", value: MAX_POSITION_BASES as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_REPEATED_ENTRIES", value: MAX_REPEATED_ENTRIES as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_LOWERING_DEPTH", value: MAX_LOWERING_DEPTH as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_FORMATS", value: MAX_FORMATS as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_FORMAT_TEXT_WORK", value: MAX_FORMAT_TEXT_WORK as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_TEMPLATE_CHARS", value: MAX_TEMPLATE_CHARS as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_TEMPLATE_HOLES", value: MAX_TEMPLATE_HOLES as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_VERBS", value: MAX_VERBS as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_VARIABLES", value: MAX_VARIABLES as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_RENAMED_WORDS", value: MAX_RENAMED_WORDS as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_TRAIT_SETS", value: MAX_TRAIT_SETS as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_WORDS", value: MAX_WORDS as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_RELATED", value: MAX_RELATED as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_RELATIONS", value: MAX_RELATIONS as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_ACTION_PARAMS", value: MAX_ACTION_PARAMS as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_KEYWORD_PARAMS", value: MAX_KEYWORD_PARAMS as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_NAME_CHARS", value: MAX_NAME_CHARS as u64, code: Some(&codes::LIMIT) },
    Limit { name: "MAX_QUOTED_CHARS", value: render::MAX_QUOTED_CHARS as u64, code: None },
    Limit { name: "MAX_MESSAGE_CHARS", value: render::MAX_MESSAGE_CHARS as u64, code: None },
    Limit { name: "MAX_COMPARISONS", value: MAX_COMPARISONS, code: None },
];

/// The diagnostic of an exceeded limit.
#[must_use]
pub fn exceeded(span: Span, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
    Diagnostic::new(&codes::LIMIT, span, message).help(help)
}
