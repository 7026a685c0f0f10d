//! What no client should send: an error is the answer, and the next request is served.

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
        client.raw(bytes.as_bytes());
        let answer = client.answer(&Value::Null);
        assert_eq!(answer["error"]["code"], code, "{bytes}: {answer}");
    }
    client.raw(b"\r\n\r\n\r\n");
    client.raw(&[0xff, 0xfe, b'\r', b'\n', b'\r', b'\n']);
    assert_eq!(client.answer(&Value::Null)["error"]["code"], -32700);
    assert!(client.diagnosed("cards.fz").is_empty(), "the session goes on");
    assert_eq!(client.stop(), 0);
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
    // Documents and places that are not there.
    for (line, character) in [(0, 4_000_000_000u32), (4_000_000_000, 0), (u32::MAX, u32::MAX)] {
        for method in
            ["textDocument/hover", "textDocument/completion", "textDocument/definition", "textDocument/documentHighlight"]
        {
            client.request(method, client.at("cards.fz", line, character));
            client.request(method, client.at("nowhere.fz", line, character));
        }
    }
    for method in ["textDocument/documentSymbol", "textDocument/codeLens", "textDocument/semanticTokens/full"] {
        let params = json!({ "textDocument": { "uri": client.uri("nowhere.fz") } });
        assert_eq!(client.request(method, params), Value::Null);
    }
    assert_eq!(client.stop(), 0);
}

#[test]
fn edits_beyond_the_text_do_no_harm() {
    let mut client = start("beyond");
    let uri = client.uri("cards.fz");
    let mut version = 1;
    let place = |line: u32, character: u32| json!({ "line": line, "character": character });
    for (from, to, text) in [
        (place(0, 1_000_000), place(0, 2_000_000), "x"),
        (place(900_000, 0), place(900_001, 5), "\nend"),
        (place(5, 5), place(2, 2), "backwards"),
        // In the middle of a character of two units.
        (place(7, 7), place(7, 7), "y"),
    ] {
        version += 1;
        client.notify(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": uri, "version": version },
                    "contentChanges": [{ "range": { "start": from, "end": to }, "text": text }] }),
        );
        client.diagnosed("cards.fz");
    }
    // The whole text at once, and then everything is well again.
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": uri, "version": 90 }, "contentChanges": [{ "text": "\u{feff}{{{{ 《 \" \0 )" }, { "text": CARDS }] }),
    );
    assert!(client.diagnosed("cards.fz").is_empty());
    // Changes of what is not open, and notifications that make no sense.
    client.edit("nowhere.fz", 2, 0, 0, 0, "x");
    client.notify("textDocument/didChange", json!({ "nothing": true }));
    client.notify("textDocument/didOpen", json!([1, 2]));
    client.notify("no/such/notification", json!({}));
    client.notify("$/cancelRequest", json!({ "id": 123_456 }));
    client.notify("$/cancelRequest", json!({ "what": 1 }));
    assert!(client.diagnosed("cards.fz").is_empty());
    assert_eq!(client.stop(), 0);
}

#[test]
fn what_is_cancelled_is_not_carried_out() {
    let mut client = start("cancel");
    client.diagnosed("cards.fz");
    // All in one write, so that the cancellation is there before the request's turn.
    let mut bytes = String::new();
    let mut add = |message: Value| {
        let text = message.to_string();
        bytes.push_str(&format!("Content-Length: {}\r\n\r\n{text}", text.len()));
    };
    for id in 1000..1050 {
        add(json!({ "jsonrpc": "2.0", "id": id, "method": "workspace/symbol", "params": { "query": "a" } }));
    }
    add(json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": 1049 } }));
    client.raw(bytes.as_bytes());
    let cancelled = client.answer(&json!(1049));
    assert_eq!(cancelled["error"]["code"], -32800, "{cancelled}");
    for id in 1000..1049 {
        assert!(client.answer(&json!(id)).get("error").is_none());
    }
    assert_eq!(client.stop(), 0);
}

#[test]
fn manners() {
    let root = std::env::temp_dir();
    let mut client = Client::bare(&root);
    let early = client.try_request("textDocument/hover", json!({}));
    assert_eq!(early["error"]["code"], -32002, "{early}");
    assert_eq!(client.vanish(), 1, "an editor that goes away without a word");
    let mut client = Client::bare(&root.join("there is no such folder"));
    let uri = client.uri("");
    client.request("initialize", json!({ "rootUri": uri, "capabilities": {} }));
    client.request("shutdown", Value::Null);
    let late = client.try_request("workspace/symbol", json!({ "query": "" }));
    assert_eq!(late["error"]["code"], -32600);
    client.notify("exit", Value::Null);
    assert_eq!(client.vanish(), 0);
}
