//! Codes and renderings of diagnostics.

mod common;

use common::{compile_example, compile_one, problems, told};
use fizzle_compiler::diagnostics::codes::find;
use fizzle_compiler::diagnostics::render::{render, to_json};
use fizzle_compiler::diagnostics::{CODES, Severity, closest};

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

/// The wrong example of a code has that problem and no other, the right one has none.
#[test]
fn explanations_are_honest() {
    let mut lies = String::new();
    for code in CODES {
        let wrong = compile_example(code.wrong);
        if wrong.diagnostics.is_empty() || wrong.diagnostics.iter().any(|problem| problem.code.code != code.code) {
            lies.push_str(&format!("{} wrong: {:?}\n", code.code, told(&wrong)));
        }
        let right = compile_example(code.right);
        if !right.diagnostics.is_empty() {
            lies.push_str(&format!("{} right: {}\n", code.code, problems(&right)));
        }
    }
    assert!(lies.is_empty(), "{lies}");
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
fn people_see_the_place() {
    let compilation = compile_one("pack p { edition 1 }\nturn { step s { } }\ncard \"A\" { powr 3 }\n");
    let shown = render(&compilation.diagnostics[0], &compilation.sources, false);
    assert!(shown.contains("error[E0204]: `powr` is no word for a card"), "{shown}");
    assert!(shown.contains("game/pack.fz:3:12"), "{shown}");
    assert!(shown.contains("^^^^"), "{shown}");
    assert!(render(&compilation.diagnostics[0], &compilation.sources, true).contains('\u{1b}'));
}
