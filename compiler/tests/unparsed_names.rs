//! Names of items that cannot be parsed are known, to a compilation and to an editor session after each edit.

mod common;

use common::TINY;
use fizzle_compiler::diagnostics::render::render;
use fizzle_compiler::session::Session;
use fizzle_compiler::{Compilation, SourceFile, compile};
use std::collections::{BTreeMap, BTreeSet};

fn rendered_problems(compilation: &Compilation) -> BTreeSet<String> {
    let text = |problem| render(problem, &compilation.sources, false);
    compilation.diagnostics.iter().map(|problem| format!("{} {}", problem.code.code, text(problem))).collect()
}

/// Decks and scenarios name a card while its head is being edited, and cards name an action.
#[test]
fn names_of_unparsed_items_are_known() {
    let uses = "deck \"Own\" { format tiny  main { 4 \"Beast\" } }\n\
                scenario \"known\" {\n  position { A: { hand \"Beast\" as beast } }\n  at A's turn.draw\n  expect beast in hand of A\n}\n\
                card \"Hunter\" { piece  red  power 1  when this enters field { howl(you); destroy 1 \"Wolf Folk\" } }\n";
    let body = "{\n  piece  red  race \"Wolf Folk\"  power 3\n}\n";
    let (card, action) = (format!("card \"Beast\" {body}"), "action howl(who: player) { draw 1 by who }\n");
    let broken = [
        format!("card \"Beast\" fast {body}"),
        format!("card 「Beast」 {body}"),
        format!("creature \"Beast\" {body}"),
        "card \"Beast\" {\n  piece  red  race \"Wolf Folk\" of \"Elves\"\n}\n".to_owned(),
        "card \"Beast\" {\n  piece  red  race \"Wolf Folk\"\n  does\n    draw 1\n  }\n}\n".to_owned(),
    ];
    let mut files = BTreeMap::from([("tiny/pack.fz", TINY.to_owned()), ("tiny/uses.fz", uses.to_owned())]);
    let mut session = Session::default();
    let mut codes_after = |card: &str, action: &str| {
        files.insert("tiny/cards.fz", card.to_owned());
        files.insert("tiny/rules.fz", action.to_owned());
        files.iter().for_each(|(path, text)| session.set(path, text));
        session.check();
        let found = rendered_problems(&session.to_compilation());
        let sources = files.iter().map(|(path, text)| SourceFile { path: (*path).to_owned(), text: text.clone() }).collect();
        assert_eq!(found, rendered_problems(&compile(sources)), "{card}{action}");
        let codes: BTreeSet<&str> =
            found.iter().filter_map(|text| text.split(' ').next()).filter(|code| code.starts_with('E')).collect();
        codes.into_iter().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(codes_after(&card, action), "");
    for broken in &broken {
        assert_eq!(codes_after(broken, action), "E0001", "{broken}");
        assert_eq!(codes_after(&card, action), "");
    }
    assert_eq!(codes_after(&card, &action.replace("who:", "who")), "E0001");
    assert_eq!(codes_after(&card, ""), "E0203");
    assert_eq!(codes_after(&card, action), "");
}
