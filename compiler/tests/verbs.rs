//! Checks the table of built-in verbs and functions: each row is documented, and its example compiles.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use fizzle_compiler::{SourceFile, compile};
use fizzle_ir::verbs::{BUILTINS, VERBS};

const GAME: &str = r#"
pack tiny { edition 1 }
traits kind { thing }
zone deck { each player; ordered; hidden }
zone hand { each player; visible to owner }
zone field { shared; public; field }
token "Soldier" { thing }
turn { step main { } }
"#;

#[test]
fn every_verb_is_documented_and_its_example_compiles() {
    for verb in VERBS {
        assert!(!verb.doc.is_empty(), "{} has no description", verb.name);
        if verb.example.is_empty() {
            continue; // proposed by the machine only
        }
        let text = format!("{GAME}\ncard \"Example\" {{\n  thing\n  when this enters field {{ {} }}\n}}\n", verb.example);
        let compilation = compile(vec![SourceFile { path: "tiny/pack.fz".into(), text }]);
        let problems: Vec<&str> = compilation.diagnostics.iter().filter(|d| d.is_error()).map(|d| d.message.as_str()).collect();
        assert!(problems.is_empty(), "{}: `{}`: {problems:?}", verb.name, verb.example);
    }
}

#[test]
fn every_function_is_documented() {
    for builtin in BUILTINS {
        assert!(!builtin.doc.is_empty(), "{} has no description", builtin.name);
    }
}

#[test]
fn every_verb_has_templates_in_all_languages_or_in_none() {
    for verb in VERBS {
        assert_eq!(verb.english.is_empty(), verb.japanese.is_empty(), "{} has a template in one language only", verb.name);
        for words in [verb.english, verb.japanese] {
            for hole in words.split('{').skip(1).map(|rest| rest.split('}').next().unwrap()) {
                // `{it:from}` is the operand in a form
                let hole = hole.split_once(':').map_or(hole, |(name, _)| name);
                assert!(verb.params.iter().any(|param| param.name == hole), "{} has no operand `{hole}`", verb.name);
            }
        }
    }
}

#[test]
fn texts_use_the_templates_of_the_verb_table() {
    let game = format!(
        "{GAME}\ntext en {{ name deck: \"deck\" }}\ntext ja {{ name deck: \"山札\" }}\ncard \"A\" {{ thing when this enters field {{ shuffle your deck }} }}"
    );
    let compilation = fizzle_compiler::compile_with(vec![SourceFile { path: "tiny/pack.fz".into(), text: game }], true);
    let artifact = compilation.artifact.unwrap();
    let lines: Vec<String> =
        artifact.games[0].texts.iter().flat_map(|texts| &texts.cards).flat_map(|card| card.lines.clone()).collect();
    assert!(lines.iter().any(|line| line.ends_with("shuffle your deck.")), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("山札をシャッフルする")), "{lines:?}");
}
