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
        for method in
            ["textDocument/hover", "textDocument/completion", "textDocument/definition", "textDocument/documentHighlight"]
        {
            client.request(method, client.position("cards.fz", line, character));
            client.request(method, client.position("nowhere.fz", line, character));
        }
    }
    for method in ["textDocument/documentSymbol", "textDocument/codeLens", "textDocument/semanticTokens/full"] {
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
