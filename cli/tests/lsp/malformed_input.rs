//! Tests with malformed messages and invalid requests: each gets an error response, and the next request is served.

use crate::client::Client;
use crate::editing::{CARDS, start};
use serde_json::{Value, json};

#[test]
fn broken_messages_are_answered_with_errors() {
    let mut client = start("broken");
    let frame = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
    for (bytes, code) in [
        (frame("{ this is no JSON"), -32700),
        (frame("[]"), -32600),
        (frame("{}"), -32600),
        (frame("\"text\""), -32600),
        ("Content-Length: many\r\n\r\n".to_owned(), -32700),
        ("Hello there\r\n\r\n".to_owned(), -32700),
    ] {
        client.send_raw(bytes.as_bytes());
        let answer = client.wait_for_response(&Value::Null);
        assert_eq!(answer["error"]["code"], code, "{bytes}: {answer}");
    }
    client.send_raw(b"\r\n\r\n\r\n");
    client.send_raw(&[0xff, 0xfe, b'\r', b'\n', b'\r', b'\n']);
    assert_eq!(client.wait_for_response(&Value::Null)["error"]["code"], -32700);
    assert!(client.current_diagnostics("cards.fz").is_empty(), "the server continues to serve requests");
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn wrong_requests_are_refused() {
    let mut client = start("wrong");
    let uri = client.uri("cards.fz");
    for (method, params, code) in [
        ("textDocument/hover", json!({}), -32602),
        ("textDocument/hover", json!(null), -32602),
        ("textDocument/hover", json!({ "textDocument": { "uri": 3 }, "position": { "line": 0, "character": 0 } }), -32602),
        ("textDocument/hover", json!({ "textDocument": { "uri": uri }, "position": { "line": -1, "character": 0 } }), -32602),
        ("textDocument/rename", json!({ "textDocument": { "uri": uri }, "position": { "line": 0, "character": 0 } }), -32602),
        ("no/such/method", json!({}), -32601),
        ("initialize", json!({ "capabilities": {} }), -32600),
        ("workspace/executeCommand", json!({ "command": "rm", "arguments": [] }), -32602),
        ("workspace/executeCommand", json!({ "command": "fizzle.runScenario", "arguments": [] }), -32602),
        (
            "workspace/executeCommand",
            json!({ "command": "fizzle.runScenario", "arguments": ["file:///nowhere.fz", "x"] }),
            -32602,
        ),
        ("workspace/executeCommand", json!({ "command": "fizzle.runScenario", "arguments": [uri, "no such scenario"] }), -32803),
    ] {
        let answer = client.try_request(method, params.clone());
        assert_eq!(answer["error"]["code"], code, "{method} {params}: {answer}");
    }
    // Positions and documents that do not exist.
    for (line, character) in [(0, 4_000_000_000u32), (4_000_000_000, 0), (u32::MAX, u32::MAX)] {
        for method in [
            "textDocument/hover",
            "textDocument/completion",
            "textDocument/signatureHelp",
            "textDocument/definition",
            "textDocument/documentHighlight",
        ] {
            client.request(method, client.position("cards.fz", line, character));
            client.request(method, client.position("nowhere.fz", line, character));
        }
    }
    for method in
        ["textDocument/documentSymbol", "textDocument/codeLens", "textDocument/foldingRange", "textDocument/semanticTokens/full"]
    {
        let params = json!({ "textDocument": { "uri": client.uri("nowhere.fz") } });
        assert_eq!(client.request(method, params), Value::Null);
    }
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn edits_beyond_the_text_are_clamped() {
    let mut client = start("beyond");
    let uri = client.uri("cards.fz");
    let mut version = 1;
    let place = |line: u32, character: u32| json!({ "line": line, "character": character });
    for (from, to, text) in [
        (place(0, 1_000_000), place(0, 2_000_000), "x"),
        (place(900_000, 0), place(900_001, 5), "\nend"),
        (place(5, 5), place(2, 2), "backwards"),
        // Inside a surrogate pair.
        (place(7, 7), place(7, 7), "y"),
    ] {
        version += 1;
        client.notify(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": uri, "version": version },
                    "contentChanges": [{ "range": { "start": from, "end": to }, "text": text }] }),
        );
        client.current_diagnostics("cards.fz");
    }
    // Replacing the whole text restores a correct document.
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": uri, "version": 90 }, "contentChanges": [{ "text": "\u{feff}{{{{ 《 \" \0 )" }, { "text": CARDS }] }),
    );
    assert!(client.current_diagnostics("cards.fz").is_empty());
    // Changes of documents that are not open, and invalid notifications.
    client.edit("nowhere.fz", 2, 0, 0, 0, "x");
    client.notify("textDocument/didChange", json!({ "nothing": true }));
    client.notify("textDocument/didOpen", json!([1, 2]));
    client.notify("no/such/notification", json!({}));
    client.notify("$/cancelRequest", json!({ "id": 123_456 }));
    client.notify("$/cancelRequest", json!({ "what": 1 }));
    assert!(client.current_diagnostics("cards.fz").is_empty());
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn cancelled_requests_are_refused() {
    let mut client = start("cancel");
    client.current_diagnostics("cards.fz");
    // All messages are sent in one write, so that the cancellation arrives before the request is served.
    let mut bytes = String::new();
    let mut add = |message: Value| {
        let text = message.to_string();
        bytes.push_str(&format!("Content-Length: {}\r\n\r\n{text}", text.len()));
    };
    for id in 1000..1050 {
        add(json!({ "jsonrpc": "2.0", "id": id, "method": "workspace/symbol", "params": { "query": "a" } }));
    }
    add(json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": 1049 } }));
    client.send_raw(bytes.as_bytes());
    let cancelled = client.wait_for_response(&json!(1049));
    assert_eq!(cancelled["error"]["code"], -32800, "{cancelled}");
    for id in 1000..1049 {
        assert!(client.wait_for_response(&json!(id)).get("error").is_none());
    }
    assert_eq!(client.shut_down(), 0);
}

#[test]
fn requests_outside_of_the_lifecycle_are_refused() {
    let root = std::env::temp_dir();
    let mut client = Client::spawn(&root);
    let early = client.try_request("textDocument/hover", json!({}));
    assert_eq!(early["error"]["code"], -32002, "{early}");
    assert_eq!(client.disconnect(), 1, "an editor that disconnects without a shutdown request");
    let mut client = Client::spawn(&root.join("there is no such folder"));
    let uri = client.uri("");
    client.request("initialize", json!({ "rootUri": uri, "capabilities": {} }));
    client.request("shutdown", Value::Null);
    let late = client.try_request("workspace/symbol", json!({ "query": "" }));
    assert_eq!(late["error"]["code"], -32600);
    client.notify("exit", Value::Null);
    assert_eq!(client.disconnect(), 0);
}

/// The server ends at `exit`, although its input stays open. The status says whether the editor requested a shutdown before.
#[test]
fn exit_ends_the_server_while_its_input_is_open() {
    let mut client = start("exit-early");
    client.notify("exit", Value::Null);
    assert_eq!(client.wait_for_end(), 1, "without a shutdown request");
    let mut client = Client::spawn(&std::env::temp_dir());
    client.notify("exit", Value::Null);
    assert_eq!(client.wait_for_end(), 1, "before `initialize`");
    let mut client = start("exit-late");
    client.request("shutdown", Value::Null);
    client.notify("exit", Value::Null);
    assert_eq!(client.wait_for_end(), 0, "after a shutdown request");
}

/// Input whose next message cannot be found ends the session, with an error response and exit status 1.
#[test]
fn unreadable_input_ends_the_server() {
    for (name, bytes) in [
        ("endless-line", "x".repeat(100_000)),
        ("endless-header", "a: b\r\n".repeat(20_000)),
        ("blank-lines", "\r\n".repeat(50_000)),
        ("length", format!("Content-Length: {}\r\n\r\n{{}}", u64::MAX)),
    ] {
        let mut client = start(name);
        client.current_diagnostics("cards.fz");
        // The server may end before it has read everything.
        client.try_send_raw(bytes.as_bytes());
        let answer = client.wait_for_response(&Value::Null);
        assert_eq!(answer["error"]["code"], -32600, "{name}: {answer}");
        assert_eq!(client.wait_for_end(), 1, "{name}");
    }
    // The input ends within a header, and within a message.
    for bytes in ["Content-Length: 10", "Content-Length: 10\r\n\r\n{}"] {
        let mut client = start("ended");
        client.send_raw(bytes.as_bytes());
        assert_eq!(client.disconnect(), 1, "{bytes}");
    }
}

/// After a length that is too small, the next message is found.
#[test]
fn a_wrong_length_loses_one_message() {
    let mut client = start("length-small");
    let body = json!({ "jsonrpc": "2.0", "id": 70, "method": "workspace/symbol", "params": { "query": "" } }).to_string();
    client.send_raw(format!("Content-Length: {}\r\n\r\n{body}", body.len() - 20).as_bytes());
    assert_eq!(client.wait_for_response(&Value::Null)["error"]["code"], -32700);
    assert!(client.current_diagnostics("cards.fz").is_empty(), "the next request is served");
    assert_eq!(client.shut_down(), 0);
}

/// At most 1,000 problems of a file are published; a last entry says how many more there are.
#[test]
fn published_problems_are_limited() {
    let mut client = start("many");
    let uri = client.uri("cards.fz");
    let text: String = (0..1_300).map(|number| format!("card \"{number}\" {{ creture }}\n")).collect();
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "text": text }] }),
    );
    let found = client.current_diagnostics("cards.fz");
    assert_eq!(found.len(), 1_001);
    let last = found.last().unwrap();
    assert_eq!(last["severity"], 3, "{last}");
    assert!(last["message"].as_str().unwrap().starts_with("300 more problems are not shown"), "{last}");
    assert_eq!(client.shut_down(), 0);
}

/// At most 10,000 problems of all files are published.
#[test]
fn published_problems_of_all_files_are_limited() {
    let pack = "pack mine {\n  edition 2\n  extends duel_masters\n}\n";
    let text = |file: usize| (0..1_000).map(|card| format!("card \"{file}, {card}\" {{ creture }}\n")).collect::<String>();
    let texts: Vec<(String, String)> = (0..12).map(|file| (format!("{file}.fz"), text(file))).collect();
    let files: Vec<(&str, &str)> =
        texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).chain([("pack.fz", pack)]).collect();
    let mut client = Client::start("many-files", &files);
    client.current_diagnostics("pack.fz");
    let published: Vec<&Value> = client.diagnostics.values().flatten().collect();
    let (omissions, problems): (Vec<&Value>, Vec<&Value>) = published.into_iter().partition(|found| found["severity"] == 3);
    // The entries that say how many more there are count as well.
    assert!((9_990..=10_000).contains(&problems.len()), "{} problems", problems.len());
    assert!((2..=3).contains(&omissions.len()), "{omissions:?}");
    assert_eq!(client.shut_down(), 0);
}

/// In a folder, what is no regular file of the pack is reported and left out; the other files are read, and the server does not wait.
#[cfg(unix)]
#[test]
fn hostile_folders_are_read() {
    let root = std::env::temp_dir().join(format!("fizzle-lsp-{}-hostile", std::process::id()));
    let _ = std::fs::remove_dir_all(&root);
    std::fs::create_dir_all(root.join("pack")).unwrap();
    let root = root.canonicalize().unwrap();
    std::fs::write(root.join("secret.fz"), "card \"Secret\" { creature }\n").unwrap();
    std::fs::write(root.join("pack/pack.fz"), "pack mine {\n  edition 2\n  extends duel_masters\n}\n").unwrap();
    std::fs::write(root.join("pack/z.fz"), "card \"Last\" { creature fire cost 1 power 1000 }\n").unwrap();
    std::os::unix::fs::symlink(root.join("secret.fz"), root.join("pack/link.fz")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(root.join("pack/pipe.fz")).status().unwrap().success());
    let mut client = Client::spawn(&root.join("pack"));
    let uri = client.uri("");
    client.request("initialize", json!({ "rootUri": uri, "capabilities": {} }));
    client.notify("initialized", json!({}));
    let found = client.request("workspace/symbol", json!({ "query": "Last" }));
    assert!(found.to_string().contains("z.fz"), "{found}");
    let found = client.request("workspace/symbol", json!({ "query": "Secret" }));
    assert!(!found.to_string().contains("link.fz"), "{found}");
    assert_eq!(client.shut_down(), 0);
    let _ = std::fs::remove_dir_all(&root);
}
