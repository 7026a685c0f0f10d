//! Codes, renderings and levels of diagnostics.

mod common;

use common::{compile_example, compile_one, problems, summaries};
use fizzle_compiler::diagnostics::codes::find;
use fizzle_compiler::diagnostics::render::{render, to_json};
use fizzle_compiler::diagnostics::sarif::sarif;
use fizzle_compiler::diagnostics::{CODES, Severity, closest};
use fizzle_compiler::{LintLevels, SourceFile, compile_at};

#[test]
fn codes_are_unique_and_explained() {
    for (index, code) in CODES.iter().enumerate() {
        assert!(CODES[..index].iter().all(|earlier| earlier.code != code.code), "{}", code.code);
        assert_eq!(code.code.starts_with('E'), code.severity == Severity::Error, "{}", code.code);
        assert!(code.about.ends_with(['.', '…']) && code.wrong != code.right, "{}", code.code);
        assert!(!code.summary.ends_with('.') && !code.summary.is_empty(), "{}", code.code);
    }
    assert_eq!(find("e0201").map(|code| code.code), Some("E0201"));
    assert_eq!(find("E9999"), None);
}

/// The wrong example of a code has that problem and no other. The right example has none.
#[test]
fn examples_of_codes_compile_as_explained() {
    let mut mismatches = String::new();
    for code in CODES {
        let wrong = compile_example(code.wrong);
        if wrong.diagnostics.is_empty() || wrong.diagnostics.iter().any(|problem| problem.code.code != code.code) {
            mismatches.push_str(&format!("{} wrong: {:?}\n", code.code, summaries(&wrong)));
        }
        let right = compile_example(code.right);
        if !right.diagnostics.is_empty() {
            mismatches.push_str(&format!("{} right: {}\n", code.code, problems(&right)));
        }
    }
    assert!(mismatches.is_empty(), "{mismatches}");
}

#[test]
fn close_names_are_found() {
    let names = ["draw", "destroy", "discard"];
    assert_eq!(closest("drwa", names), Some("draw"));
    assert_eq!(closest("distroy", names), Some("destroy"));
    assert_eq!(closest("sacrifice", names), None);
    assert_eq!(closest("x", ["y"]), None);
}

#[test]
fn json_counts_characters() {
    let compilation = compile_one("pack p { edition 1 }\nturn { step s { } }\ncard 《デーモン》 { 闇 }\n");
    assert_eq!(compilation.diagnostics.len(), 1);
    let json = to_json(&compilation.diagnostics[0], &compilation.sources);
    assert_eq!(json["code"], "E0204");
    assert_eq!(json["severity"], "error");
    assert_eq!((json["line"].as_u64(), json["column"].as_u64()), (Some(3), Some(15)));
    assert_eq!((json["end_line"].as_u64(), json["end_column"].as_u64()), (Some(3), Some(16)));
    assert_eq!(json["file"], "game/pack.fz");
    assert!(json["labels"].is_array() && json["help"].is_array());
}

#[test]
fn renderings_show_the_place() {
    let compilation = compile_one("pack p { edition 1 }\nturn { step s { } }\ncard \"A\" { powr 3 }\n");
    let shown = render(&compilation.diagnostics[0], &compilation.sources, false);
    assert!(shown.contains("error[E0204]: `powr` cannot be printed on a card"), "{shown}");
    assert!(shown.contains("game/pack.fz:3:12"), "{shown}");
    assert!(shown.contains("^^^^"), "{shown}");
    assert!(render(&compilation.diagnostics[0], &compilation.sources, true).contains('\u{1b}'));
}

const SLIP: &str = "card \"A\" { does { let n = 3\n  draw 2 } }\n";

/// `CODE severity` of all diagnostics at these lint levels.
fn severities(text: &str, levels: &LintLevels) -> Vec<String> {
    let files = [("tiny/pack.fz", common::TINY), ("tiny/more.fz", text)];
    let files = files.map(|(path, text)| SourceFile { path: path.to_owned(), text: text.to_owned() });
    let compilation = compile_at(files.to_vec(), levels);
    assert_eq!(compilation.artifact.is_none(), compilation.has_errors());
    compilation.diagnostics.iter().map(|problem| format!("{} {}", problem.code.code, problem.severity.word())).collect()
}

#[test]
fn levels_deny_and_allow_warnings() {
    let levels = |allow: &[&str], deny: &[&str]| {
        let mut levels = LintLevels::default();
        allow.iter().for_each(|code| levels.allow(code).expect("a warning"));
        deny.iter().for_each(|code| levels.deny(code).expect("a warning"));
        levels
    };
    assert_eq!(severities(SLIP, &levels(&[], &[])), ["W0701 warning"]);
    assert_eq!(severities(SLIP, &levels(&[], &["w0701"])), ["W0701 error"]);
    assert_eq!(severities(SLIP, &levels(&[], &["warnings"])), ["W0701 error"]);
    assert_eq!(
        severities(SLIP, &levels(&["W0701"], &["warnings"])),
        Vec::<String>::new(),
        "a code takes precedence over `warnings`"
    );
    assert_eq!(severities(SLIP, &levels(&["warnings"], &["W0701"])), ["W0701 error"]);
    assert_eq!(severities(SLIP, &levels(&["W0701"], &["W0701"])), ["W0701 error"], "deny takes precedence over allow");
    assert_eq!(severities("status owner: bool\n", &levels(&["warnings"], &[])), ["E0106 error"], "errors cannot be allowed");
    assert!(LintLevels::default().allow("E0201").is_err() && LintLevels::default().deny("W9999").is_err());
}

#[test]
fn comments_allow_warnings_at_their_place() {
    let allowed = |text: &str| severities(text, &LintLevels::default());
    let denied = {
        let mut levels = LintLevels::default();
        levels.deny("warnings").expect("`warnings` can be denied");
        levels
    };
    let above = format!("// allow W0701: later\n{SLIP}");
    assert_eq!(severities(&above, &denied), Vec::<String>::new(), "a comment also allows a denied code");
    assert_eq!(
        allowed(&format!("// allow W0702, W0701: later\n{SLIP}")),
        ["W0700 warning"],
        "one of the two codes is not needed"
    );
    assert_eq!(
        allowed(&format!("// allow W0701: later\n\n/// A card.\n{SLIP}")),
        Vec::<String>::new(),
        "above a documentation comment"
    );
    assert_eq!(allowed(&format!("// allow W0701: one item\n{SLIP}{}", SLIP.replace('A', "B"))), ["W0701 warning"]);
    assert_eq!(allowed(&SLIP.replace("3\n", "3 // allow W0701: here\n")), Vec::<String>::new());
    assert_eq!(allowed(&SLIP.replace("does", "\n  // allow W0701: the block\n  does")), Vec::<String>::new());
    assert_eq!(
        allowed("// allow players to draw\ncard \"A\" { piece }\n"),
        Vec::<String>::new(),
        "a comment of prose allows nothing"
    );
    assert_eq!(allowed("// allow W0701: behind all"), ["W0700 warning"]);
}

#[test]
fn sarif_is_one_document() {
    let compilation = compile_example("status owner: bool\ncard \"A\" { does { let n = 1\n  let n = n + 1\n draw n } }\n");
    let document = sarif(&compilation.diagnostics, &compilation.sources, "1.2.3");
    assert_eq!((&document["version"], &document["runs"][0]["columnKind"]), (&"2.1.0".into(), &"unicodeCodePoints".into()));
    let run = &document["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), compilation.diagnostics.len());
    for result in results {
        let rule = &rules[result["ruleIndex"].as_u64().expect("an index") as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "tiny/example.fz");
        assert!(place["region"]["startLine"].as_u64() >= Some(1) && place["region"]["endColumn"].as_u64() >= Some(1));
    }
    assert_eq!((&results[0]["level"], &results[1]["level"]), (&"error".into(), &"warning".into()));
    assert_eq!(results[1]["relatedLocations"][0]["message"]["text"], "this one");
    let compilation = compile_example("card \"A\" { does { drwa 2 } }\n");
    let document = sarif(&compilation.diagnostics, &compilation.sources, "1.2.3");
    let change = &document["runs"][0]["results"][0]["fixes"][0]["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], "tiny/example.fz");
    let replacement = &change["replacements"][0];
    assert_eq!(replacement["insertedContent"]["text"], "draw");
    let region = serde_json::json!({ "startLine": 1, "startColumn": 19, "endLine": 1, "endColumn": 23 });
    assert_eq!(replacement["deletedRegion"], region);
}

/// All diagnostics are counted; those that are not listed have no suggestions and labels, so that thousands of them need little memory.
#[test]
fn diagnostics_beyond_those_listed_are_only_counted() {
    let names: Vec<String> = (0..30_000).map(|number| format!("q{number}")).collect();
    let compilation = compile_example(&format!("format f extends tiny {{ ban {} }}\n", names.join(", ")));
    let unknown: Vec<_> = compilation.diagnostics.iter().filter(|problem| problem.code.code == "E0205").collect();
    let counted: usize = unknown.iter().map(|problem| problem.count()).sum();
    assert_eq!((unknown.len(), counted), (10_001, 30_000));
    assert!(unknown.is_sorted_by_key(|problem| problem.span));
    assert!(unknown.iter().take(200).all(|problem| !problem.help.is_empty()));
    assert!(unknown.iter().all(|problem| problem.message.starts_with("there is no card")));
    assert!(unknown.iter().take(10_000).all(|problem| problem.count() == 1));
}
