//! Tests of navigation: hover, definitions, references, rename and symbols.

use crate::editing::{CARDS, PACK, start};
use serde_json::{Value, json};

const KEYWORD: &str = "/// Draws as it comes.\nkeyword greedy(n: number) { when this enters battle { draw n } }\n\n\
    action flash(it: object, n: number) { draw(owner of it, n) }\n\ncard \"Greed\" {\n  creature  water  cost 3  power 1000\n  greedy(2)\n  \
    when this attacks { flash(this, 1) }\n  when this is flashed { draw n }\n}\n\ncard \"More greed\" {\n  creature  water  cost 5  power 2000\n  greedy(3)\n  \
    when this enters battle {\n    put 1 card in your hand into your mana as moved\n    if you do { draw 1 }\n    reveal moved\n  }\n}\n";

fn value(hover: &Value) -> &str {
    hover["contents"]["value"].as_str().unwrap_or("")
}

#[test]
fn hover_shows_declarations_and_rules_texts() {
    let mut client = start("hover");
    let at = |line, character| (line, character);
    let mut hover_at = |(line, character)| {
        let params = client.position("cards.fz", line, character);
        value(&client.request("textDocument/hover", params)).to_owned()
    };
    let card = hover_at(at(1, 8));
    assert!(card.contains("Burns what is small.") && card.contains("power 3000"), "{card}");
    assert!(card.contains("> ") && card.contains("相手"), "the rules text, in both languages: {card}");
    let action = hover_at(at(4, 30));
    assert!(action.contains("action destroy"), "{action}");
    let verb = hover_at(at(9, 23));
    assert!(verb.contains("action draw") || verb.contains("draw"), "{verb}");
    let keyword = hover_at(at(3, 5));
    assert!(keyword.contains("keyword speed_attacker"), "{keyword}");
    let word = hover_at(at(2, 30));
    assert!(word.contains("race") && word.contains("2 of the game's cards"), "{word}");
    assert_eq!(client.shut_down(), 0);
}

/// If a format replaces a keyword, hover also shows the text of the card in that format.
#[test]
fn hover_shows_texts_of_formats() {
    let format = "format hasty extends duel_masters {\n  replace keyword speed_attacker { when this enters battle { draw 1 } }\n  \
                  text en { name speed_attacker: \"Speed draw (Draw a card as it comes.)\" }\n}\n";
    let files = [("pack.fz", PACK), ("cards.fz", CARDS), ("format.fz", format)];
    let mut client = crate::client::Client::start("hover_format", &files);
    client.open("cards.fz", CARDS);
    let params = client.position("cards.fz", 1, 8);
    let card = value(&client.request("textDocument/hover", params)).to_owned();
    let (usual, own) = card.split_once("In `hasty`:").unwrap_or_else(|| panic!("{card}"));
    assert!(usual.contains("> Speed attacker (") && !usual.contains("Speed draw"), "{card}");
    assert!(own.contains("> Speed draw (Draw a card as it comes.)") && !own.contains("Speed attacker"), "{card}");
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn definitions_reach_packs_and_shipped_games() {
    let mut client = start("definition");
    client.open("keyword.fz", KEYWORD);
    let found = client.request("textDocument/definition", client.position("keyword.fz", 7, 4));
    assert_eq!(found[0]["range"]["start"], json!({ "line": 1, "character": 8 }));
    // A name that an event pattern brings into scope is defined by the parameter of its action.
    let found = client.request("textDocument/definition", client.position("keyword.fz", 9, 30));
    assert_eq!(found[0]["range"]["start"], json!({ "line": 3, "character": 25 }), "{found}");
    // A local name.
    let found = client.request("textDocument/definition", client.position("keyword.fz", 18, 12));
    assert_eq!(found[0]["range"]["start"], json!({ "line": 16, "character": 46 }), "{found}");
    // A shipped declaration is in a file that can be opened.
    let found = client.request("textDocument/definition", client.position("cards.fz", 4, 30));
    let uri = found[0]["uri"].as_str().unwrap();
    let path = uri.strip_prefix("file://").unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    let line = found[0]["range"]["start"]["line"].as_u64().unwrap() as usize;
    assert!(text.lines().nth(line).unwrap().starts_with("action destroy"), "{uri} {line}");
    // In that file requests work, but no diagnostics are published and renames are refused.
    client.notify(
        "textDocument/didOpen",
        json!({ "textDocument": { "uri": uri, "languageId": "fizzle", "version": 1, "text": text } }),
    );
    let position = found[0]["range"]["start"].clone();
    let hover = client.request("textDocument/hover", json!({ "textDocument": { "uri": uri }, "position": position }));
    assert!(value(&hover).contains("action destroy"));
    let refused = client
        .try_request("textDocument/rename", json!({ "textDocument": { "uri": uri }, "position": position, "newName": "smash" }));
    assert!(refused["error"]["message"].as_str().unwrap().contains("shipped"), "{refused}");
    assert!(!client.diagnostics.contains_key(uri));
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn references_and_rename_reach_all_files() {
    let mut client = start("rename");
    client.open("keyword.fz", KEYWORD);
    client.open("scenarios.fz", crate::editing::SCENARIOS);
    let mut params = client.position("keyword.fz", 1, 10);
    params["context"] = json!({ "includeDeclaration": true });
    let found = client.request("textDocument/references", params.clone());
    assert_eq!(found.as_array().unwrap().len(), 3, "{found}");
    params["context"] = json!({ "includeDeclaration": false });
    assert_eq!(client.request("textDocument/references", params).as_array().unwrap().len(), 2);
    let prepared = client.request("textDocument/prepareRename", client.position("keyword.fz", 1, 10));
    assert_eq!(prepared["placeholder"], "greedy");
    // Rename a card, in its pack and in the scenarios.
    let mut params = client.position("cards.fz", 1, 8);
    params["newName"] = json!("炎の竜");
    let edit = client.request("textDocument/rename", params);
    let changes = edit["changes"].as_object().unwrap();
    assert_eq!(changes.len(), 2, "{edit}");
    let edits = changes[&client.uri("scenarios.fz")].as_array().unwrap();
    assert_eq!(edits.len(), 3);
    assert!(edits.iter().all(|edit| edit["newText"] == "《炎の竜》"));
    // Rename an action in all its inflected forms.
    let mut params = client.position("keyword.fz", 3, 8);
    params["newName"] = json!("spark");
    let edit = client.request("textDocument/rename", params);
    let edits = edit["changes"][client.uri("keyword.fz")].as_array().unwrap().clone();
    let texts: Vec<&str> = edits.iter().map(|edit| edit["newText"].as_str().unwrap()).collect();
    assert_eq!(texts, ["spark", "spark", "sparked"]);
    // A rename is refused if it causes new problems, if the new name is invalid, or if the declaration is shipped.
    for (place, name) in [((1, 10), "blocker"), ((1, 10), "each"), ((1, 10), "two words"), ((6, 5), "wet")] {
        let mut params = client.position("keyword.fz", place.0, place.1);
        params["newName"] = json!(name);
        let refused = client.try_request("textDocument/rename", params);
        assert!(refused["error"]["message"].is_string(), "{name}: {refused}");
    }
    let mut params = client.position("keyword.fz", 18, 12);
    params["newName"] = json!("shown");
    let edit = client.request("textDocument/rename", params);
    assert_eq!(edit["changes"][client.uri("keyword.fz")].as_array().unwrap().len(), 2, "{edit}");
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn symbols_are_listed() {
    let mut client = start("symbols");
    client.open("keyword.fz", KEYWORD);
    let symbols = client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": client.uri("keyword.fz") } }));
    let names: Vec<&str> = symbols.as_array().unwrap().iter().map(|symbol| symbol["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["greedy", "flash", "Greed", "More greed"]);
    assert_eq!(symbols[0]["detail"], "keyword");
    let found = client.request("workspace/symbol", json!({ "query": "greed" }));
    let names: Vec<&str> = found.as_array().unwrap().iter().map(|symbol| symbol["name"].as_str().unwrap()).collect();
    assert!(names.starts_with(&["Greed", "greedy", "More greed"]), "{names:?}");
    let highlights = client.request("textDocument/documentHighlight", client.position("keyword.fz", 1, 10));
    assert_eq!(highlights.as_array().unwrap().len(), 3);
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn opened_closed_and_changed_files_are_checked() {
    let mut client = start("files");
    // A file outside of a pack gets a diagnostic, and requests in it still work.
    let outside = client.root.with_extension("alone");
    std::fs::create_dir_all(&outside).unwrap();
    let uri = format!("file://{}", outside.join("alone.fz").to_string_lossy());
    client.notify(
        "textDocument/didOpen",
        json!({ "textDocument": { "uri": uri, "languageId": "fizzle", "version": 1, "text": "card \"Alone\" { }\n" } }),
    );
    client.current_diagnostics("cards.fz");
    assert_eq!(client.diagnostics[&uri][0]["code"], "E0101");
    for method in ["textDocument/hover", "textDocument/completion", "textDocument/definition"] {
        client.request(method, json!({ "textDocument": { "uri": uri }, "position": { "line": 0, "character": 7 } }));
    }
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    client.current_diagnostics("cards.fz");
    assert!(client.diagnostics[&uri].is_empty(), "a closed document that is not on disk has no diagnostics");
    // Files on disk change. A manifest that names another game loads that game.
    std::fs::write(client.root.join("late.fz"), "card \"Late\" { creature fire cost 1 powr 1000 }\n").unwrap();
    let late = client.uri("late.fz");
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": late, "type": 1 }] }));
    assert_eq!(client.current_diagnostics("late.fz")[0]["code"], "E0204");
    std::fs::remove_file(client.root.join("late.fz")).unwrap();
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": late, "type": 3 }] }));
    assert!(client.current_diagnostics("late.fz").is_empty());
    client.open("pack.fz", PACK);
    client.edit("pack.fz", 2, 0, 38, 50, "no_game");
    assert_eq!(client.current_diagnostics("pack.fz")[0]["code"], "E0102");
    client.edit("pack.fz", 3, 0, 38, 45, "duel_masters");
    assert!(client.current_diagnostics("pack.fz").is_empty());
    client.open("cards.fz", CARDS);
    assert!(client.current_diagnostics("cards.fz").is_empty());
    let _ = std::fs::remove_dir_all(outside);
    assert_eq!(client.shut_down(), 0);
}
