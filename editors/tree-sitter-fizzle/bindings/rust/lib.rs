//! The tree-sitter grammar of Fizzle, for editors, with its queries. Only tests of this repository use this crate.

use tree_sitter_language::LanguageFn;

#[expect(unsafe_code, reason = "the parser is generated C")]
mod generated {
    use tree_sitter_language::LanguageFn;

    unsafe extern "C" {
        fn tree_sitter_fizzle() -> *const ();
    }

    /// The function of `src/parser.c` that returns its tables.
    // SAFETY: the generated function has this signature, and returns a pointer to static data.
    pub(crate) const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_fizzle) };
}

/// The language, for `tree_sitter::Parser::set_language`.
pub const LANGUAGE: LanguageFn = generated::LANGUAGE;

/// The kinds of nodes, as JSON.
pub const NODE_TYPES: &str = include_str!("../../src/node-types.json");

/// The query for colours.
pub const HIGHLIGHTS_QUERY: &str = include_str!("../../queries/highlights.scm");

/// The query for what can be folded.
pub const FOLDS_QUERY: &str = include_str!("../../queries/folds.scm");

/// The query for indentation.
pub const INDENTS_QUERY: &str = include_str!("../../queries/indents.scm");

/// The query for languages inside of comments.
pub const INJECTIONS_QUERY: &str = include_str!("../../queries/injections.scm");

/// The query for names that are known in a part of a file.
pub const LOCALS_QUERY: &str = include_str!("../../queries/locals.scm");

/// The query for the outline.
pub const TAGS_QUERY: &str = include_str!("../../queries/tags.scm");

/// The query for text objects: items, abilities, scenarios, blocks.
pub const TEXTOBJECTS_QUERY: &str = include_str!("../../queries/textobjects.scm");
