//! The compiler of Fizzle: translates the source files of packs into the tables that the machine plays.
//!
//! [`compile`] is pure: it reads no files and prints nothing. It is one run of the incremental checker ([`session`]), which groups files into
//! packs ([`packs`]), collects names ([`names`]), applies the differences of formats ([`formats`]), and lowers everything ([`lower`],
//! [`tables`], [`scenario`], [`deck`]).
//!
//! # Where to look
//!
//! | What | Where |
//! |---|---|
//! | From files to a compiled game, once or after each edit | [`session`] |
//! | Packs and formats: what extends what, differences of formats | [`packs`], [`formats`], `turn_tree` |
//! | Names: collecting, looking up, conflicts | [`names`], `lookup`, `name_conflicts` |
//! | What a phrase of a text compiles to | [`lower`]: one module for each kind of phrase (`call` for verbs, `choice`, `effect`, `expr`, `play`, `ability`, …) |
//! | Ability bundles: abilities and keywords with their arguments, each lowered once | `lower::ability_bundles`; expanded in [`tables`] |
//! | Which types a phrase has | `lower::phrase`, `lower::type_narrowing` |
//! | Tables of a game and of each format | [`tables`] |
//! | Error codes; adding one | `diagnostics::codes` |
//! | Warnings about texts that compile | `lints`: one module for each; it also lists the warnings of other passes |
//! | The closest name to an unknown one (did you mean) | `diagnostics::closest_name` |
//! | Other suggestions in messages | `lower::usage_hints` (misused constructs), `diagnostics::word_suggestions` (words of other languages), `foreign_terms` (words of other games), `call_syntax` (calls that do not parse) |
//! | Old words of declarations | `renamed_words` |
//! | How diagnostics are printed | `diagnostics::render`, `diagnostics::sarif` |
//! | Rules texts in English and Japanese; prompts | `text`: tree, then `text::english`, `text::japanese`; `text::prompts` |
//! | Scenarios and decks | [`scenario`], [`deck`] |
//! | Limits of what a pack may make the compiler compute | `limits` |

mod action_effects;
mod call_syntax;
pub mod card_scopes;
mod compilation;
pub mod deck;
mod dependencies;
pub mod dependency_graph;
pub mod diagnostics;
pub mod foreign_terms;
pub mod formats;
pub mod layout;
pub mod layout_difference;
pub mod limits;
mod lints;
pub mod lookup;
pub mod lower;
pub mod maps;
pub mod matches;
mod name_conflicts;
pub mod names;
pub mod packs;
pub mod phrase_syntax;
mod relation_zones;
mod renamed_words;
pub mod scenario;
pub mod session;
pub mod settings;
mod shorthand;
pub mod sources;
pub mod syntax_diagnostics;
pub mod tables;
pub mod text;
mod text_resolvers;
pub mod turn_tree;
pub mod unreferenced;
pub mod verb_forms;
mod verb_usage;

pub use compilation::Compilation;
pub use diagnostics::{Diagnostic, LintLevels};
pub use sources::{SourceFile, Sources};

use session::Session;

/// Compiles all files of all packs together.
#[must_use]
pub fn compile(files: Vec<SourceFile>) -> Compilation {
    compile_with(files, false)
}

/// As [`compile`], with the levels of warnings that `levels` sets.
#[must_use]
pub fn compile_at(files: Vec<SourceFile>, levels: &LintLevels) -> Compilation {
    compile_as(files, levels, false)
}

/// As [`compile`]. `with_texts`: the artifact also gets the rules texts of all cards.
#[must_use]
pub fn compile_with(files: Vec<SourceFile>, with_texts: bool) -> Compilation {
    compile_as(files, &LintLevels::default(), with_texts)
}

fn compile_as(files: Vec<SourceFile>, levels: &LintLevels, with_texts: bool) -> Compilation {
    let mut session = Session::default();
    session.set_levels(levels.clone());
    session.keep(&files);
    drop(files);
    session.compile(with_texts)
}
