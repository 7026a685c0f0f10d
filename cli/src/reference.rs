//! The reference of the language as a page of the book, from the tables that the program itself works with.

mod grammar;
pub mod word_docs;

use fizzle_compiler::diagnostics::codes::CODES;
use fizzle_runtime::ir::Type;
use fizzle_runtime::ir::verbs::{BUILTINS, OperandDefault, Param, VERBS, Verb};

const HEAD: &str = "# Reference

Made by `fizzle explain --reference` from the tables of the program: this page lists. `fizzle explain WORD` says more of a verb, and of what a game declares.

";

/// The whole page.
pub fn page() -> String {
    let mut page = HEAD.to_owned();
    words(&mut page);
    verbs(&mut page);
    functions(&mut page);
    grammar::sections(&mut page);
    codes(&mut page);
    page
}

/// A text on one line.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// In a cell of a table.
fn cell(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}

fn words(page: &mut String) {
    page.push_str(
        "## Words\n\nReserved words cannot be names; all other words of the language may be, where no form needs them. \
         `fizzle explain WORD` adds examples.\n\n| Word | What it means |\n|---|---|\n",
    );
    for (word, meaning) in word_docs::MEANINGS {
        let free = if fizzle_grammar::lexer::RESERVED.contains(word) { "" } else { " (not reserved)" };
        page.push_str(&format!("| `{word}`{free} | {} |\n", cell(meaning)));
    }
    page.push('\n');
}

fn verbs(page: &mut String) {
    page.push_str(
        "## Verbs\n\nThe events that every game has; all other verbs are the actions that a game declares. Those without operands here happen by \
         themselves, and are for patterns. An operand in brackets may be left out.\n\n",
    );
    for verb in VERBS {
        page.push_str(&format!("### {}\n\n```text\n{}\n```\n\n{}\n\n", verb.name, signature(verb), one_line(verb.doc)));
        if !verb.example.is_empty() {
            page.push_str(&format!("For example `{}`.\n\n", one_line(verb.example)));
        }
        if !verb.pattern_words.is_empty() {
            page.push_str(&format!("In patterns `{}`.\n\n", verb.pattern_words.join("`, `")));
        }
    }
}

/// A verb with its operands, as they are written.
pub fn signature(verb: &Verb) -> String {
    let operand = |param: &Param| {
        let how = if param.prepositions.is_empty() { String::new() } else { format!("{} ", param.prepositions.join("|")) };
        let written = format!("{how}{}: {}", param.name, type_word(param.ty));
        if param.default == OperandDefault::Required { written } else { format!("[{written}]") }
    };
    let operands = verb.params.iter().filter(|param| param.default != OperandDefault::Machine).map(operand);
    std::iter::once(verb.name.to_owned()).chain(operands).collect::<Vec<_>>().join("  ")
}

fn functions(page: &mut String) {
    page.push_str("## Functions\n\n| Function | Its value |\n|---|---|\n");
    let mut rows: Vec<_> = BUILTINS.iter().collect();
    rows.sort_by_key(|row| row.name);
    for row in rows {
        let params: Vec<&str> = row.params.iter().map(|ty| type_word(*ty)).collect();
        page.push_str(&format!("| `{}({}): {}` | {} |\n", row.name, params.join(", "), type_word(row.result), cell(row.doc)));
    }
    page.push('\n');
}

fn codes(page: &mut String) {
    page.push_str("## Diagnostics\n\n`fizzle explain CODE` says more of each, with a wrong and a right example.\n\n| Code | | What it means |\n|---|---|---|\n");
    for code in CODES {
        page.push_str(&format!("| `{}` | {} | {} |\n", code.code, code.severity.word(), cell(code.summary)));
    }
}

/// A type as it is written; of words without their set.
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
        Type::Span => "span",
        Type::Thing => "thing",
        Type::Things => "list of thing",
        Type::Shares => "division",
    }
}
