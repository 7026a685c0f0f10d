//! The grammar parses every shipped source without an error, its queries fit it, and it knows the words of the language.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

use fizzle_grammar::item_splitter::ITEM_KEYWORDS;
use fizzle_grammar::lexer::{RESERVED, is_reserved};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use tree_sitter::{Language, Node, Parser, Query, QueryCursor, StreamingIterator, Tree};

/// Folders whose sources are correct.
const FOLDERS: [&str; 8] = [
    "cards",
    "examples",
    "cli/templates",
    "cli/tests/mechanisms",
    "cli/tests/toy",
    "compiler/src/text",
    "compiler/tests/editions",
    "compiler/tests/games",
];

/// Nodes whose words may be reserved ones: the parts of a path, and the names of styles and nouns in texts.
const WORDS_OF_ANY_KIND: [&str; 2] = ["path", "text_entry"];

const QUERIES: [(&str, &str); 7] = [
    ("highlights", tree_sitter_fizzle::HIGHLIGHTS_QUERY),
    ("folds", tree_sitter_fizzle::FOLDS_QUERY),
    ("indents", tree_sitter_fizzle::INDENTS_QUERY),
    ("injections", tree_sitter_fizzle::INJECTIONS_QUERY),
    ("locals", tree_sitter_fizzle::LOCALS_QUERY),
    ("tags", tree_sitter_fizzle::TAGS_QUERY),
    ("textobjects", tree_sitter_fizzle::TEXTOBJECTS_QUERY),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn language() -> Language {
    tree_sitter_fizzle::LANGUAGE.into()
}

fn parser() -> Parser {
    let mut parser = Parser::new();
    parser.set_language(&language()).unwrap();
    parser
}

fn parse(text: &str) -> Tree {
    parser().parse(text, None).unwrap()
}

fn find_sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find_sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "fz") {
            found.push(path);
        }
    }
}

fn shipped_sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in FOLDERS {
        find_sources(&root().join(folder), &mut found);
    }
    found.sort();
    assert!(found.len() > 500, "only {} sources were found", found.len());
    found
}

/// Calls a function for each node of a tree.
fn for_each_node<'t>(tree: &'t Tree, mut visit: impl FnMut(Node<'t>)) {
    let mut cursor = tree.walk();
    loop {
        visit(cursor.node());
        if cursor.goto_first_child() || cursor.goto_next_sibling() {
            continue;
        }
        loop {
            if !cursor.goto_parent() {
                return;
            }
            if cursor.goto_next_sibling() {
                break;
            }
        }
    }
}

/// The captures of a query: the name of each, and the text of its node. Of several for a node, the last pattern counts.
fn captures(query: &Query, text: &str) -> Vec<(String, String)> {
    let tree = parse(text);
    let mut cursor = QueryCursor::new();
    let mut last: BTreeMap<(usize, usize), (usize, String)> = BTreeMap::new();
    let mut found = cursor.captures(query, tree.root_node(), text.as_bytes());
    while let Some((matched, index)) = found.next() {
        let capture = matched.captures()[*index];
        let name = query.capture_names()[capture.index as usize];
        let entry = last.entry((capture.node.start_byte(), capture.node.end_byte())).or_default();
        if !name.starts_with('_') && matched.pattern_index >= entry.0 {
            *entry = (matched.pattern_index, name.to_owned());
        }
    }
    last.into_iter().map(|((start, end), (_, name))| (name, text[start..end].to_owned())).collect()
}

fn query(text: &str) -> Query {
    Query::new(&language(), text).unwrap()
}

#[test]
fn every_shipped_source_parses() {
    let mut parser = parser();
    let mut errors = Vec::new();
    for path in shipped_sources() {
        let text = fs::read_to_string(&path).unwrap();
        let tree = parser.parse(&text, None).unwrap();
        for_each_node(&tree, |node| {
            if node.is_error() || node.is_missing() {
                errors.push(format!("{}:{}: {}", path.display(), node.start_position().row + 1, node.to_sexp()));
            } else if matches!(node.kind(), "word" | "verb")
                && is_reserved(&text[node.byte_range()])
                && !node.parent().is_some_and(|parent| WORDS_OF_ANY_KIND.contains(&parent.kind()))
            {
                errors.push(format!("{}:{}: a reserved word as a word", path.display(), node.start_position().row + 1));
            }
        });
    }
    assert_eq!(errors, Vec::<String>::new());
}

/// The examples above the rules of the pest grammar: the name of the rule, and the source.
fn pest_examples(grammar: &str) -> Vec<(&str, &str)> {
    let (mut found, mut pending) = (Vec::new(), Vec::new());
    for line in grammar.lines() {
        if let Some(example) = line.strip_prefix("// + ") {
            pending.push(example);
        } else if let Some((rule, _)) = line.split_once(" = ").or_else(|| line.split_once("  = ")) {
            found.extend(pending.drain(..).map(|example| (rule.trim(), example)));
        } else if !line.starts_with("//") {
            pending.clear();
        }
    }
    found
}

/// A change of the language that has an example in the pest grammar is a change of this grammar as well.
#[test]
fn examples_of_the_language_parse() {
    let grammar = fs::read_to_string(root().join("grammar/src/fizzle.pest")).unwrap();
    let items = grammar.split_once("\nitem = _{").unwrap().1.split_once('}').unwrap().0;
    let items: BTreeSet<&str> = items.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|name| !name.is_empty()).collect();
    let mut errors = Vec::new();
    let mut count = 0;
    for (rule, example) in pest_examples(&grammar) {
        let source = match rule {
            "statement" => format!("setup {{ {example} }}"),
            "ability" | "clause" | "costed" | "face" | "fact" | "fact_pair" | "keyword_block" | "option" => {
                format!("card \"Dog\" {{ {example} }}")
            }
            "difference" => format!("format house extends base {{ {example} }}"),
            "step" | "position" | "match_header" => format!("scenario \"one\" {{ {example} }}"),
            "expr" | "phrase" => format!("noun one = {example}"),
            _ if items.contains(rule) => example.to_owned(),
            _ => continue,
        };
        count += 1;
        let tree = parse(&source);
        if tree.root_node().has_error() {
            errors.push(format!("{source}: {}", tree.root_node().to_sexp()));
        }
    }
    assert_eq!(errors, Vec::<String>::new());
    assert!(count > 150, "only {count} examples were found");
}

/// A misspelt source has an error, so that the test above can fail.
#[test]
fn an_unclosed_card_is_an_error() {
    assert!(parse("card \"Bear\" {").root_node().has_error());
    assert!(parse("car \"Bear\" { creature }").root_node().has_error());
    assert!(!parse("card \"Bear\" { creature }").root_node().has_error());
}

#[test]
fn all_queries_fit_the_grammar() {
    for (name, text) in QUERIES {
        let query = Query::new(&language(), text).unwrap_or_else(|error| panic!("queries/{name}.scm: {error}"));
        assert!(query.pattern_count() > 0, "{name}");
    }
}

/// The queries of the extension for Zed fit as well; its colours are those of the other editors.
#[test]
fn queries_of_zed_fit_the_grammar() {
    let folder = root().join("editors/zed/languages/fizzle");
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "scm") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        Query::new(&language(), &text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        if path.ends_with("highlights.scm") {
            assert!(text == tree_sitter_fizzle::HIGHLIGHTS_QUERY, "copy queries/highlights.scm to {}", path.display());
        }
        count += 1;
    }
    assert_eq!(count, 5);
}

/// Each word of the language is a token of the grammar, and one that `highlights.scm` colours as such.
#[test]
fn all_keywords_are_coloured() {
    let query = query(tree_sitter_fizzle::HIGHLIGHTS_QUERY);
    let mut coloured = BTreeSet::new();
    let mut files = shipped_sources();
    files.retain(|path| path.metadata().unwrap().len() < 20_000);
    for path in files {
        let text = fs::read_to_string(path).unwrap();
        for (name, text) in captures(&query, &text) {
            if name.starts_with("keyword") || name == "variable.builtin" || name == "boolean" {
                coloured.insert(text);
            }
        }
    }
    let missing: Vec<&str> = RESERVED.into_iter().chain(ITEM_KEYWORDS).filter(|word| !coloured.contains(*word)).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn colours_of_a_card() {
    let text = "/// A dog.\ncard \"Dog\" {\n  creature  power 2  cost {1}{W}\n  when this enters field { you may draw 1 }\n}\n";
    let found = captures(&query(tree_sitter_fizzle::HIGHLIGHTS_QUERY), text);
    let colours: Vec<(&str, &str)> = found.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let expected = [
        ("comment.documentation", "/// A dog."),
        ("keyword.type", "card"),
        ("type.definition", "\"Dog\""),
        ("type", "creature"),
        ("property", "power"),
        ("number", "2"),
        ("constant.builtin", "{1}"),
        ("keyword", "when"),
        ("variable.builtin", "this"),
        ("function.call", "enters"),
        ("variable", "field"),
        ("keyword", "may"),
        ("function.call", "draw"),
    ];
    for one in expected {
        assert!(colours.contains(&one), "{one:?} is not in {colours:?}");
    }
}

#[test]
fn colours_of_keywords_with_bodies() {
    let text = "keyword chapter(n: number) with body { when this enters field: body }\nsymbol {T} { cost { tap this } }\n\
        pair power / toughness\nrenamed action dole to deal\nunlabelled subtype for kindred\ncard \"Saga\" { white 2/2; chapter II: draw 1; {T}: produces {C} }\n";
    let found = captures(&query(tree_sitter_fizzle::HIGHLIGHTS_QUERY), text);
    let expected = [
        ("keyword", "body", 2),
        ("keyword.type", "symbol", 1),
        ("type.definition", "{T}", 1),
        ("keyword.type", "pair", 1),
        ("property", "toughness", 1),
        ("keyword.type", "renamed", 1),
        ("keyword.type", "action", 1),
        ("keyword.type", "unlabelled", 1),
        ("property", "subtype", 1),
        ("type", "kindred", 1),
        ("type", "white", 1),
        ("number", "2", 2),
        ("function", "chapter", 2),
        ("number", "II", 1),
        ("keyword", "produces", 1),
    ];
    for (name, text, count) in expected {
        let found_count = found.iter().filter(|one| one.0 == name && one.1 == text).count();
        assert_eq!(found_count, count, "{name} {text} in {found:?}");
    }
}

#[test]
fn outline_of_a_pack() {
    let text = "pack tiny { edition 2 }\ncard \"Dog\" { creature  face \"Cat\" { spell } }\nrule calm { }\nscenario \"a dog\" { }\n\
        turn { phase main { step draw { draw 1 } } }\n";
    let found = captures(&query(tree_sitter_fizzle::TAGS_QUERY), text);
    let names: Vec<&str> = found.iter().filter(|(name, _)| name == "name").map(|(_, text)| text.as_str()).collect();
    assert_eq!(names, ["tiny", "\"Dog\"", "\"Cat\"", "calm", "\"a dog\"", "main", "draw"]);
}

#[test]
fn text_objects_of_a_card() {
    let text = "card \"Dog\" { when this enters field { draw 1 } }";
    let found = captures(&query(tree_sitter_fizzle::TEXTOBJECTS_QUERY), text);
    let of = |wanted: &str| found.iter().filter(|(name, _)| name == wanted).map(|(_, text)| text.as_str()).collect::<Vec<_>>();
    assert_eq!(of("class.outer"), [text]);
    assert_eq!(of("function.outer"), ["when this enters field { draw 1 }"]);
    assert_eq!(of("statement.outer"), ["draw 1"]);
}

/// The statements of the first block of a text.
fn statements(text: &str) -> Vec<String> {
    let tree = parse(text);
    let mut found = Vec::new();
    for_each_node(&tree, |node| {
        if matches!(node.kind(), "statement" | "let_statement") {
            let words: Vec<&str> = text[node.byte_range()].split_whitespace().collect();
            found.push(words.join(" "));
        }
    });
    found
}

/// Newlines end statements as `fizzle_grammar` defines it.
#[test]
fn newlines_end_statements() {
    assert_eq!(statements("setup { draw 1\n draw 2 }"), ["draw 1", "draw 2"]);
    assert_eq!(statements("setup { draw 1\n and discard 1 }"), ["draw 1 and discard 1"]);
    assert_eq!(statements("setup { let x = 1 +\n 2\n win }"), ["let x = 1 + 2", "win"]);
    assert_eq!(statements("setup { draw 1\n // why\n\n then draw 2 }"), ["draw 1 // why then draw 2"]);
    assert_eq!(statements("setup { draw (a\n) ; draw [b,\n c] }"), ["draw (a )", "draw [b, c]"]);
    assert_eq!(statements("setup { draw 1\n if you do, draw 2 }"), ["draw 1", "if you do, draw 2"]);
}

/// A `-` in a block of modes begins a mode, unless it is in parentheses.
#[test]
fn modes_end_at_the_next_dash() {
    let tree = parse("setup { choose 1 { - draw (2 - 1) - gain 3\n - win } }");
    let mut modes = 0;
    for_each_node(&tree, |node| modes += usize::from(node.kind() == "mode" && node.is_named()));
    assert_eq!(modes, 3);
    assert!(!tree.root_node().has_error());
}

/// A case of `test/corpus`: its name, its source, and the tree that is expected.
fn corpus_cases(text: &str) -> Vec<(String, String, String)> {
    let mut cases = Vec::new();
    let mut parts = text.split("================\n").skip(1);
    while let (Some(name), Some(body)) = (parts.next(), parts.next()) {
        let (source, tree) = body.split_once("\n---\n").unwrap();
        cases.push((name.trim().to_owned(), source.to_owned(), tree.to_owned()));
    }
    cases
}

/// A tree in one line with single blanks.
fn normalized(tree: &str) -> String {
    let words: Vec<&str> = tree.split_whitespace().collect();
    words.join(" ").replace(" )", ")")
}

#[test]
fn corpus() {
    let mut count = 0;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test/corpus");
    for entry in fs::read_dir(folder).unwrap() {
        for (name, source, tree) in corpus_cases(&fs::read_to_string(entry.unwrap().path()).unwrap()) {
            assert_eq!(normalized(&parse(&source).root_node().to_sexp()), normalized(&tree), "{name}");
            count += 1;
        }
    }
    assert!(count >= 12, "only {count} cases were found");
}

/// While a brace is missing, the items below keep their trees, and with them colours, outline and text objects.
#[test]
fn items_after_an_unclosed_card_are_known() {
    let text =
        "card \"Dog\" {\n  when this enters field { draw 1\n\ncard \"Cat\" { creature }\nscenario \"a cat\" { A passes }\n";
    let tree = parse(text);
    let mut kinds = Vec::new();
    for_each_node(&tree, |node| {
        if node.is_named() && matches!(node.kind(), "card" | "scenario" | "fact" | "step") {
            kinds.push(node.kind());
        }
    });
    assert!(tree.root_node().has_error());
    assert_eq!(kinds, ["card", "fact", "scenario", "step"]);
    assert!(!parse("rule calm { card in hand cannot move }").root_node().has_error());
}

/// Broken and deep sources are parsed in bounded time: every prefix of a source, and brackets without end.
#[test]
fn broken_sources_are_parsed() {
    let text = fs::read_to_string(root().join("cli/tests/toy/pack.fz"))
        .or_else(|_| fs::read_to_string(shipped_sources().remove(0)))
        .unwrap();
    let mut parser = parser();
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        assert!(parser.parse(&text[..end], None).is_some());
    }
    for bracket in ["{", "(", "[", "card \"A\" {", "setup { if x {"] {
        assert!(parser.parse(bracket.repeat(2_000), None).is_some());
    }
}
