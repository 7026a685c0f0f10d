//! Tests of what depends on the place of the cursor: the order of completion, snippets, signature help; and of folding and inlay hints.

use crate::client::Client;
use crate::editing::{CARDS, PACK};
use serde_json::{Value, json};

const SPELLS: &str = "/// Burns.\n/// And again.\n///\n/// Details.\nkeyword searing(n: number) { when this enters battle { draw n } }\n\n\
    card \"🔥 Pyre\" {\n  spell  fire  cost 2\n  does { destroy 1 target creature of opponent }\n}\n\n\
    card \"Ember\" {\n  creature  fire  cost 2  power 1000\n  when this enters battle {\n    destroy 1 creature of opponent\n  }\n}\n";

fn start(name: &str, capabilities: Value) -> Client {
    let files = [("pack.fz", PACK), ("cards.fz", CARDS), ("spells.fz", SPELLS)];
    let mut client = Client::start_capable(name, &files, Value::Null, capabilities);
    client.open("new.fz", "");
    client
}

/// Writes a document with the text around `¦`, and returns the position of `¦`.
fn write(client: &mut Client, version: &mut i64, text: &str) -> Value {
    let (before, _) = text.split_once('¦').unwrap();
    *version += 1;
    let uri = client.uri("new.fz");
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": uri, "version": *version }, "contentChanges": [{ "text": text.replacen('¦', "", 1) }] }),
    );
    let line = before.matches('\n').count() as u32;
    let column = before.rsplit('\n').next().unwrap().encode_utf16().count() as u32;
    client.position("new.fz", line, column)
}

/// The items of a completion in the order in which an editor shows them.
fn completed(client: &mut Client, version: &mut i64, text: &str) -> Vec<Value> {
    let position = write(client, version, text);
    let list = client.request("textDocument/completion", position);
    let mut items = list["items"].as_array().unwrap().clone();
    items.sort_by_key(|item| item["sortText"].as_str().unwrap().to_owned());
    items
}

fn labels(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["label"].as_str().unwrap()).collect()
}

const SCENARIO: &str = "scenario \"s\" {\n  format duel_masters\n  position {\n    A: { hand \"🐉 Second\" as dragon, mana 4 \"Ember\" }\n    \
    B: { battle \"Ember\" as foe }\n  }\n  this step is wrong\n";

/// Names that fit must be among so many first ones.
const MAX_LEADING: usize = 24;

#[test]
fn completion_leads_with_what_fits_the_place() {
    let mut client = start("places", json!({}));
    let mut version = 1;
    let scenario = |step: &str| format!("{SCENARIO}  {step}");
    let mut wrong = Vec::new();
    for (text, leading) in [
        // plays after a player, bound names after a play
        (scenario("A ¦"), &["summons", "casts", "passes"][..]),
        (scenario("A summons ¦"), &["dragon", "foe"]),
        (scenario("A casts dragon choosing ¦"), &["dragon", "foe"]),
        (scenario("at ¦"), &["A", "B"]),
        (scenario("at A's ¦"), &["turn.main", "turn.charge"]),
        (scenario("go to A's ¦\n}\n"), &["turn.main", "turn.charge"]),
        (scenario("expect ¦"), &["dragon", "foe", "list"]),
        (scenario("expect dragon ¦"), &["is", "has"]),
        (scenario("expect dragon in ¦"), &["hand", "graveyard", "battle"]),
        (scenario("¦"), &["A", "B", "at", "expect", "refuse"]),
        // items
        ("deck \"D\" { ¦ }".to_owned(), &["format", "main"]),
        ("deck \"D\" { format ¦ }".to_owned(), &["duel_masters"]),
        ("deck \"D\" { format duel_masters main { 4 ¦".to_owned(), &["《🐉 Second》", "\"Ember\""]),
        ("format house extends ¦".to_owned(), &["duel_masters"]),
        ("format house extends duel_masters { ¦ }".to_owned(), &["replace", "remove"]),
        ("format house extends duel_masters { replace ¦ }".to_owned(), &["constant", "keyword"]),
        ("format house extends duel_masters { replace constant ¦ }".to_owned(), &["starting_shields", "starting_hand"]),
        ("format house extends duel_masters {\n  replace keyword ¦\n}".to_owned(), &["speed_attacker"]),
        ("pack x { ¦ }".to_owned(), &["edition", "extends", "uses"]),
        // cards
        ("card \"X\" { ¦ }".to_owned(), &["creature", "fire", "cost", "power"]),
        ("card \"X\" { creature  race ¦".to_owned(), &["\"Angel Command\"", "\"Dragon Guild\""]),
        ("card \"X\" {\n  creature  fire\n  ¦".to_owned(), &["when", "whenever", "while", "does"]),
        ("card \"X\" { when ¦".to_owned(), &["this", "you"]),
        ("card \"X\" { when this ¦".to_owned(), &["attacks", "enters"]),
        ("card \"X\" { when this enters ¦".to_owned(), &["battle", "graveyard"]),
        ("card \"X\" { when this attacks { ¦".to_owned(), &["draw", "destroy"]),
        ("card \"X\" { when this attacks { destroy ¦".to_owned(), &["each", "it"]),
        ("card \"X\" { when this attacks { destroy each ¦".to_owned(), &["card", "creature"]),
        ("card \"X\" { when this attacks { put it ¦".to_owned(), &["into"]),
        ("card \"X\" { when this attacks { draw 1 ¦".to_owned(), &["then", "as"]),
        ("card \"X\" { while this ¦".to_owned(), &["is", "has"]),
        ("card \"X\" { activated { ¦".to_owned(), &["cost", "does"]),
    ] {
        let items = completed(&mut client, &mut version, &text);
        let found = labels(&items);
        for label in leading {
            let at = found.iter().position(|found| found == label);
            if at.is_none_or(|at| at >= MAX_LEADING) {
                let first: Vec<&str> = found.iter().take(MAX_LEADING).copied().collect();
                wrong.push(format!("{label} at {text} is number {at:?}: {first:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(client.shut_down(), 0);
}

/// Declared actions are no plays, but players of scenarios declare them.
#[test]
fn declared_actions_follow_a_player() {
    let files = [("pack.fz", "pack sparks { edition 2 extends magic }\n"), ("cards.fz", "")];
    let mut client = Client::start("declared", &files);
    client.open("new.fz", "");
    let items = completed(&mut client, &mut 1, "scenario \"s\" {\n  format magic\n  A ¦");
    let found = labels(&items);
    let first: Vec<&str> = found.iter().take(8).copied().collect();
    assert!(["attacks", "blocks", "casts", "activates"].iter().all(|label| first.contains(label)), "{found:?}");
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn internal_names_and_names_of_rules_come_last() {
    let mut client = start("last", json!({}));
    let mut version = 1;
    let internal = "status _noted: bool\naction ponder(it: object) { }\nfunction _depth(it: object): number = 1\n";
    client.open("internal.fz", internal);
    for place in ["card \"X\" { when this attacks { ¦", "card \"X\" { when this attacks { let n = ¦"] {
        let items = completed(&mut client, &mut version, place);
        let found = labels(&items);
        let first = found.iter().position(|label| label.starts_with('_')).unwrap_or_else(|| panic!("{found:?}"));
        assert!(found.iter().skip(first).all(|label| label.starts_with('_')), "{found:?}");
    }
    let items = completed(&mut client, &mut version, "card \"X\" { when this attacks { ¦");
    let found = labels(&items);
    let at = |label: &str| found.iter().position(|found| *found == label).unwrap_or_else(|| panic!("{label} in {found:?}"));
    assert!(at("draw") < at("ponder"), "words that cards use come first");
    assert!(at("ponder") < at("start_resolving"), "an action of the author comes before verbs that only rules use");
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn the_documentation_of_a_word_is_its_first_paragraph() {
    let mut client = start("documentation", json!({}));
    let items = completed(&mut client, &mut 1, "card \"X\" { creature  ¦");
    let keyword = items.iter().find(|item| item["label"] == "searing").unwrap();
    assert_eq!(keyword["documentation"]["value"], "Burns. And again.");
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn snippets_are_inserted_where_the_editor_accepts_them() {
    let capable = json!({ "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } } });
    for (name, capabilities, accepts) in [("plain", json!({}), false), ("snippets", capable, true)] {
        let mut client = start(name, capabilities);
        let mut version = 1;
        for (text, word, form) in [
            ("¦", "card", "card \"${1:Name}\" {"),
            ("sc¦", "scenario", "scenario \"${1:What happens}\" {"),
            ("card \"X\" {\n  ¦", "when", "when ${1:this} ${2:event}: $0"),
            ("card \"X\" { does { ¦", "if", "if ${1:condition} { $0 }"),
        ] {
            let items = completed(&mut client, &mut version, text);
            let item = items.iter().find(|item| item["label"] == word).unwrap();
            let new = item["textEdit"]["newText"].as_str().unwrap();
            if accepts {
                assert!(new.starts_with(form), "{new}");
                assert_eq!(item["insertTextFormat"], 2);
            } else {
                assert_eq!((new, &item["insertTextFormat"]), (word, &Value::Null));
            }
        }
        assert_eq!(client.shut_down(), 0);
    }
}

/// The label of the signature at `¦`, and the text of its active parameter.
fn signature(client: &mut Client, version: &mut i64, text: &str) -> Option<(String, String)> {
    let position = write(client, version, text);
    let help = client.request("textDocument/signatureHelp", position);
    let signature = help["signatures"].get(0)?;
    let label = signature["label"].as_str().unwrap().to_owned();
    let active = help["activeParameter"].as_u64().and_then(|active| signature["parameters"].get(active as usize));
    let units: Vec<u16> = label.encode_utf16().collect();
    let active = active.map_or(String::new(), |parameter| {
        let at = |index: usize| parameter["label"][index].as_u64().unwrap() as usize;
        String::from_utf16(&units[at(0)..at(1)]).unwrap()
    });
    Some((label, active))
}

#[test]
fn signature_help_shows_sentences_and_parameters() {
    let mut client = start("signature", json!({}));
    let mut version = 1;
    client.open(
        "own.fz",
        "action share(who: player, n: number, whom: player) { }\nfunction twice(n: number, m: number): number = n\n",
    );
    let card = |text: &str| format!("card \"🐉\" {{ when this attacks {{ {text}");
    let mut at = |text: &str| signature(&mut client, &mut version, &card(text));
    let (label, active) = at("draw ¦").unwrap();
    assert_eq!((label.as_str(), active.as_str()), ("[who: player] draw n: number", "n: number"));
    let (label, active) = at("destroy 1 creature ¦ }").unwrap();
    assert_eq!((label.as_str(), active.as_str()), ("destroy it: object", "it: object"));
    let (label, active) = at("put it into ¦").unwrap();
    assert!(label.starts_with("put ") && active.contains("into") && active.contains("zone"), "{label}: {active}");
    let (_, active) = at("put ¦").unwrap();
    assert!(!active.contains("into"), "{active}");
    let (label, active) = at("let n = twice(1, ¦").unwrap();
    assert_eq!((label.as_str(), active.as_str()), ("twice(n: number, m: number): number", "m: number"));
    let (label, active) = at("draw 1\n    share 2 to ¦\n  }\n}\n").unwrap();
    assert_eq!((label.as_str(), active.as_str()), ("[who: player] share n: number to whom: player", "to whom: player"));
    assert_eq!(at("¦"), None);
    assert_eq!(at("// draw ¦"), None);
    assert_eq!(at("\"draw ¦"), None);
    let (label, active) = signature(&mut client, &mut version, "card \"X\" {\n  creature\n  searing(¦").unwrap();
    assert_eq!((label.as_str(), active.as_str()), ("searing(n: number)", "n: number"));
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn items_blocks_and_comments_fold() {
    let mut client = start("folding", json!({}));
    client.open("spells.fz", SPELLS);
    let uri = client.uri("spells.fz");
    let ranges = client.request("textDocument/foldingRange", json!({ "textDocument": { "uri": uri } }));
    let found: Vec<(u64, u64, &str)> = ranges
        .as_array()
        .unwrap()
        .iter()
        .map(|range| {
            (range["startLine"].as_u64().unwrap(), range["endLine"].as_u64().unwrap(), range["kind"].as_str().unwrap_or(""))
        })
        .collect();
    assert_eq!(found, [(0, 3, "comment"), (6, 8, ""), (11, 15, ""), (13, 14, "")]);
    // Brackets without their end do not fold, and those of the next item do.
    let text = "// one\n// two\n\n// three\ncard \"A\" {\n  does {\n    draw 1\n\ncard \"B\" {\n  creature\n}¦\n";
    write(&mut client, &mut 1, text);
    let uri = client.uri("new.fz");
    let ranges = client.request("textDocument/foldingRange", json!({ "textDocument": { "uri": uri } }));
    let lines: Vec<(u64, u64)> = ranges
        .as_array()
        .unwrap()
        .iter()
        .map(|range| (range["startLine"].as_u64().unwrap(), range["endLine"].as_u64().unwrap()))
        .collect();
    assert_eq!(lines, [(0, 1), (8, 9)]);
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn inlay_hints_show_what_is_announced() {
    let hints = |client: &mut Client, path: &str| -> Vec<(u64, u64, String)> {
        let uri = client.uri(path);
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 100, "character": 0 } });
        let found = client.request("textDocument/inlayHint", json!({ "textDocument": { "uri": uri }, "range": range }));
        let hint = |hint: &Value| {
            let at = |key: &str| hint["position"][key].as_u64().unwrap();
            (at("line"), at("character"), hint["label"].as_str().unwrap().to_owned())
        };
        found.as_array().unwrap().iter().map(hint).collect()
    };
    let cards = "card \"Bolt\" {\n  instant  mana_cost {R}\n  does { deal 3 damage to target creature }\n}\n\ncard \"🐉 Twice\" {\n  sorcery  mana_cost {R}\n  \
        does { destroy target artifact; deal 2 damage to target creature }\n}\n\ncard \"Later\" {\n  sorcery  mana_cost {R}\n  does { destroy 1 creature of you }\n}\n";
    let files = [("pack.fz", "pack sparks { edition 2 extends magic }\n"), ("cards.fz", cards)];
    let mut client = Client::start("inlay", &files);
    client.open("cards.fz", cards);
    assert_eq!(client.current_diagnostics("cards.fz"), Vec::<Value>::new());
    let column = |line: usize, words: &str| {
        let text = cards.lines().nth(line).unwrap();
        text[..text.find(words).unwrap() + words.len()].encode_utf16().count() as u64
    };
    let expected = [
        (2, column(2, "target creature"), "announced, can fizzle".to_owned()),
        (7, column(7, "target artifact"), "announced".to_owned()),
        (7, column(7, "target creature"), "announced, can fizzle".to_owned()),
    ];
    assert_eq!(hints(&mut client, "cards.fz"), expected);
    // an unfinished card has none, those of the others stay
    client.edit("cards.fz", 2, 2, 9, 13, "deal deal");
    assert!(hints(&mut client, "cards.fz").iter().all(|(line, _, _)| *line == 7));
    assert_eq!(client.shut_down(), 0);
}

/// Text that is nested deeply, or has no end, is answered.
#[test]
fn hostile_text_is_answered() {
    let mut client = start("hostile", json!({}));
    let mut version = 1;
    for text in [
        "card \"A\" { does { let n = ".to_owned() + &"(".repeat(20_000),
        "card \"A\" { ".to_owned() + &"when this attacks { ".repeat(5_000),
        "noun x = a".to_owned() + &" + a".repeat(30_000) + " + ",
        "x ".repeat(100_000),
    ] {
        let position = write(&mut client, &mut version, &(text + "¦"));
        for method in ["textDocument/completion", "textDocument/signatureHelp"] {
            client.request(method, position.clone());
        }
        let uri = client.uri("new.fz");
        client.request("textDocument/foldingRange", json!({ "textDocument": { "uri": uri } }));
    }
    assert_eq!(client.shut_down(), 0);
}

/// Requests at every few characters of a large shipped text are answered fast, also where the text is cut off.
#[test]
fn requests_are_answered_fast_in_large_files() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../cards/magic/text/en.fz")).unwrap();
    let mut client = Client::start("large", &[("pack.fz", "pack large { edition 2 extends magic }\n")]);
    client.open("new.fz", "");
    let mut version = 1;
    let mut slowest = std::time::Duration::ZERO;
    for cut in [text.len() / 4, text.len() / 2, text.len() - 10] {
        let cut = (cut..).find(|at| text.is_char_boundary(*at)).unwrap();
        let position = write(&mut client, &mut version, &format!("{}¦", &text[..cut]));
        client.current_diagnostics("new.fz");
        for method in ["textDocument/completion", "textDocument/signatureHelp"] {
            let start = std::time::Instant::now();
            client.request(method, position.clone());
            slowest = slowest.max(start.elapsed());
        }
    }
    // 50 ms on an idle machine; builds without optimisation and busy machines are slower
    assert!(slowest < std::time::Duration::from_secs(2), "{slowest:?}");
    assert_eq!(client.shut_down(), 0);
}
