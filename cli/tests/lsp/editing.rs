//! Tests of features for editing: diagnostics, completion, code actions, formatting, semantic tokens and code lenses.

use crate::client::Client;
use serde_json::{Value, json};

pub const PACK: &str = "pack duel_sparks { edition 1; extends duel_masters }\n";
pub const CARDS: &str = "/// Burns what is small.\ncard 《火花の竜》 {\n  creature  fire  race \"Spark Dragon\"  cost 4  power 3000\n  \
    speed_attacker\n  when this enters battle { destroy 1 creature of opponent with power <= 2000 }\n}\n\n\
    card \"🐉 Second\" {\n  creature  water  race \"Spark Dragon\"  cost 2  power 1000\n  when this attacks { draw 1 }\n}\n";
pub const SCENARIOS: &str = "scenario \"the dragon burns\" {\n  format duel_masters\n  position {\n    \
    A: { hand 《火花の竜》 as dragon, mana 4 《火花の竜》 }\n    B: { battle \"🐉 Second\" as second }\n  }\n  at A's turn.main\n  \
    A summons dragon\n  expect second in graveyard of B\n}\n\nscenario \"it does not\" {\n  format duel_masters\n  position {\n    \
    A: { battle 《火花の竜》 as dragon }\n    B: { }\n  }\n  at A's turn.main\n  expect dragon in graveyard of A\n}\n";

pub fn start(name: &str) -> Client {
    let files = [("pack.fz", PACK), ("cards.fz", CARDS), ("scenarios.fz", SCENARIOS)];
    let mut client = Client::start(name, &files);
    client.open("cards.fz", CARDS);
    client
}

fn codes(problems: &[Value]) -> Vec<&str> {
    problems.iter().map(|problem| problem["code"].as_str().unwrap()).collect()
}

fn labels(list: &Value) -> Vec<&str> {
    list["items"].as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap()).collect()
}

#[test]
fn diagnostics_follow_edits() {
    let mut client = start("diagnostics");
    assert_eq!(client.current_diagnostics("cards.fz"), Vec::<Value>::new());
    // `draw` becomes `drwa`.
    client.edit("cards.fz", 2, 9, 22, 26, "drwa");
    let problems = client.current_diagnostics("cards.fz");
    assert_eq!(codes(&problems), ["E0203"]);
    assert_eq!(problems[0]["range"]["start"], json!({ "line": 9, "character": 22 }));
    assert_eq!(problems[0]["range"]["end"], json!({ "line": 9, "character": 26 }));
    assert!(problems[0]["message"].as_str().unwrap().contains("did you mean `draw`?"));
    assert_eq!(problems[0]["source"], "fizzle");
    client.edit("cards.fz", 3, 9, 22, 26, "draw");
    assert_eq!(client.current_diagnostics("cards.fz"), Vec::<Value>::new());
    // If two cards have the same name, the diagnostic is at the second one and refers to the first.
    client.edit("cards.fz", 4, 7, 5, 16, "《火花の竜》");
    let problems = client.current_diagnostics("cards.fz");
    let duplicate = problems.iter().find(|problem| problem["code"] == "E0106").unwrap();
    assert_eq!(duplicate["range"]["start"], json!({ "line": 7, "character": 5 }));
    let related = &duplicate["relatedInformation"][0];
    assert_eq!(related["location"]["range"]["start"], json!({ "line": 1, "character": 5 }));
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn warnings_are_allowed_in_sources_and_denied_by_the_editor() {
    let card = |allowed: &str| CARDS.replace("{ draw 1 }", &format!("{{ {allowed}let n = 1\n    draw 1 }}"));
    let files = [("pack.fz", PACK), ("cards.fz", CARDS)];
    let options = json!({ "deny": ["W0701", "W9999"] });
    let mut client = Client::start_with("levels", &files, options);
    client.open("cards.fz", &card(""));
    let problems = client.current_diagnostics("cards.fz");
    assert_eq!((codes(&problems), &problems[0]["severity"]), (vec!["W0701"], &json!(1)));
    assert_eq!(client.shut_down(), 0);
    let mut client = Client::start("allowed", &files);
    client.open("cards.fz", &card("\n// allow W0701: later\n"));
    assert_eq!(client.current_diagnostics("cards.fz"), Vec::<Value>::new());
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn edits_update_diagnostics_of_other_files() {
    let mut client = start("other");
    assert_eq!(client.current_diagnostics("scenarios.fz"), Vec::<Value>::new());
    client.edit("cards.fz", 2, 1, 6, 10, "火花の鳥");
    let problems = client.current_diagnostics("scenarios.fz");
    assert!(!problems.is_empty() && codes(&problems).iter().all(|code| *code == "E0205"), "{problems:?}");
    client.edit("cards.fz", 3, 1, 6, 10, "火花の竜");
    assert_eq!(client.current_diagnostics("scenarios.fz"), Vec::<Value>::new());
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn positions_count_utf_16_units() {
    let mut client = start("utf16");
    // The edit is after a character of two UTF-16 units.
    client.edit("cards.fz", 2, 7, 8, 8, "x");
    let symbols = client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": client.uri("cards.fz") } }));
    assert_eq!(symbols[1]["name"], "🐉x Second");
    assert_eq!(symbols[1]["selectionRange"]["end"]["character"], 5 + "\"🐉x Second\"".encode_utf16().count());
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn code_actions_apply_suggested_fixes() {
    let mut client = start("actions");
    client.edit("cards.fz", 2, 9, 22, 26, "drwa");
    let problems = client.current_diagnostics("cards.fz");
    let range = problems[0]["range"].clone();
    let uri = client.uri("cards.fz");
    let actions = client.request(
        "textDocument/codeAction",
        json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": problems } }),
    );
    assert_eq!(actions[0]["title"], "Replace `drwa` by `draw`");
    assert_eq!(actions[0]["edit"]["changes"][&uri][0], json!({ "range": range, "newText": "draw" }));
    // A quoted name keeps its quotes.
    client.edit("cards.fz", 3, 9, 21, 29, " create \"🐉 Secnd\" into battle ");
    client.open("other.fz", "");
    let problems = client.current_diagnostics("cards.fz");
    let actions = client.request(
        "textDocument/codeAction",
        json!({ "textDocument": { "uri": uri }, "range": problems[0]["range"], "context": { "diagnostics": [] } }),
    );
    assert_eq!(actions[0]["title"], "Replace `🐉 Secnd` by `🐉 Second`", "{problems:?}");
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn completion_offers_what_fits_the_context() {
    let mut client = start("completion");
    let at = |client: &mut Client, version: i64, text: &str, complete: &str| {
        // Writes a third card and completes at its end.
        client.edit("cards.fz", version, 11, 0, 10_000, &format!("card \"C\" {{ creature {text}{complete} }}"));
        let column = format!("card \"C\" {{ creature {text}{complete}").encode_utf16().count() as u32;
        client.request("textDocument/completion", client.position("cards.fz", 11, column))
    };
    let list = at(&mut client, 2, "", "");
    let found = labels(&list);
    for fits in ["fire", "power", "race", "speed_attacker", "when"] {
        assert!(found.contains(&fits), "{fits} in {found:?}");
    }
    let list = at(&mut client, 3, "when this enters battle { ", "");
    let found = labels(&list);
    for fits in ["draw", "put", "destroy", "if"] {
        assert!(found.contains(&fits), "{fits} in {found:?}");
    }
    let list = at(&mut client, 4, "when this enters battle { put it into ", "");
    let found = labels(&list);
    assert!(found.contains(&"your hand") && found.contains(&"mana"), "{found:?}");
    assert!(!found.contains(&"power") && !found.contains(&"draw"), "only zones: {found:?}");
    let list = at(&mut client, 5, "when this enters battle { draw ", "");
    let found = labels(&list);
    assert!(found.contains(&"count of") && !found.contains(&"your hand"), "numbers: {found:?}");
    let list = at(&mut client, 6, "race \"", "");
    assert!(labels(&list).contains(&"Spark Dragon") && !labels(&list).contains(&"火花の竜"), "words of the trait set");
    let list = at(&mut client, 7, "when this enters battle { create 《", "");
    let found = labels(&list);
    assert!(found.contains(&"火花の竜"), "{found:?}");
    let text = list["items"].as_array().unwrap().iter().find(|item| item["label"] == "火花の竜").unwrap();
    assert_eq!(text["textEdit"]["newText"], "《火花の竜》");
    let list = at(&mut client, 8, "when this enters battle { draw 1 } when this ", "");
    let found = labels(&list);
    assert!(found.contains(&"attacks") && found.contains(&"enters"), "{found:?}");
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn formatting_equals_the_formatter() {
    let mut client = start("formatting");
    let unformatted = "card \"A\" {\n      creature fire cost 1 power 1000\n}\n\n\n\n  card \"B\" {\ncreature   water cost 1 power 1000\n    }\n";
    client.open("crooked.fz", unformatted);
    let uri = client.uri("crooked.fz");
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let edits = client.request("textDocument/formatting", json!({ "textDocument": { "uri": uri }, "options": options }));
    assert_eq!(apply(unformatted, &edits), fizzle_grammar::format(unformatted));
    let range = json!({ "start": { "line": 7, "character": 0 }, "end": { "line": 7, "character": 3 } });
    let edits = client
        .request("textDocument/rangeFormatting", json!({ "textDocument": { "uri": uri }, "range": range, "options": options }));
    let some = apply(unformatted, &edits);
    assert!(some.starts_with("card \"A\" {\n      creature"), "the first card is unchanged: {some}");
    assert!(some.contains("\n  creature  water cost 1 power 1000\n}\n"), "{some}");
    assert_eq!(client.shut_down(), 0);
}

/// Applies edits to a text in ASCII.
fn apply(text: &str, edits: &Value) -> String {
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let byte = |place: &Value| {
        let line = place["line"].as_u64().unwrap() as usize;
        starts.get(line).map_or(text.len(), |start| start + place["character"].as_u64().unwrap() as usize)
    };
    let mut edits: Vec<(usize, usize, &str)> = edits
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| (byte(&edit["range"]["start"]), byte(&edit["range"]["end"]), edit["newText"].as_str().unwrap()))
        .collect();
    edits.sort_unstable();
    let mut result = text.to_owned();
    for (from, to, new) in edits.into_iter().rev() {
        result.replace_range(from..to, new);
    }
    result
}

#[test]
fn semantic_tokens_classify_names() {
    let mut client = start("tokens");
    let uri = client.uri("cards.fz");
    let full = client.request("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": uri } }));
    let data: Vec<u64> = full["data"].as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect();
    let lines: Vec<&str> = CARDS.split('\n').collect();
    let (mut line, mut column) = (0, 0);
    let mut found = Vec::new();
    for token in data.chunks(5) {
        line += token[0] as usize;
        column = if token[0] == 0 { column + token[1] as usize } else { token[1] as usize };
        let units: Vec<u16> = lines[line].encode_utf16().skip(column).take(token[2] as usize).collect();
        found.push((String::from_utf16(&units).unwrap(), token[3], token[4]));
    }
    let of = |word: &str| found.iter().find(|(text, _, _)| text == word).map(|(_, kind, _)| *kind);
    assert_eq!(of("card"), Some(0), "a keyword of the language");
    assert_eq!(of("《火花の竜》"), Some(7), "a card is a class");
    assert_eq!(of("fire"), Some(8), "a trait word");
    assert_eq!(of("power"), Some(9), "a property");
    assert_eq!(of("speed_attacker"), Some(15), "a keyword of the game");
    assert_eq!(of("destroy"), Some(13), "an action");
    assert_eq!(of("battle"), Some(5), "a zone");
    assert!(found.iter().any(|(text, _, modifiers)| text == "\"🐉 Second\"" && *modifiers == 1), "declared here: {found:?}");
    let range = json!({ "start": { "line": 7, "character": 0 }, "end": { "line": 8, "character": 0 } });
    let some = client.request("textDocument/semanticTokens/range", json!({ "textDocument": { "uri": uri }, "range": range }));
    assert!(some["data"].as_array().unwrap().len() < data.len() / 2);
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn code_lenses_run_scenarios() {
    let mut client = start("lens");
    client.open("scenarios.fz", SCENARIOS);
    let uri = client.uri("scenarios.fz");
    let lenses = client.request("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(lenses.as_array().unwrap().len(), 2);
    let command = &lenses[0]["command"];
    assert_eq!(command["command"], "fizzle.runScenario");
    let result =
        client.request("workspace/executeCommand", json!({ "command": command["command"], "arguments": command["arguments"] }));
    assert_eq!(result["status"], "passed", "{result}");
    assert!(client.shown_messages.iter().any(|text| text.contains("passed: the dragon burns")));
    let command = &lenses[1]["command"];
    let result =
        client.request("workspace/executeCommand", json!({ "command": command["command"], "arguments": command["arguments"] }));
    assert_eq!(result["status"], "failed");
    assert_eq!(result["line"], 19);
    let problems = client.current_diagnostics("scenarios.fz");
    assert_eq!(problems[0]["range"]["start"]["line"], 18, "{problems:?}");
    // An edit removes the result of the scenario.
    client.edit("scenarios.fz", 2, 18, 32, 33, "B");
    assert_eq!(client.current_diagnostics("scenarios.fz"), Vec::<Value>::new());
    assert_eq!(client.shut_down(), 0);
}
