//! A test client of the language server: starts `fizzle lsp`, sends requests, waits for responses, and records diagnostics and messages.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The time limit for a message, with a reserve for busy machines.
const MAX_WAIT: Duration = Duration::from_secs(120);

pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Value>,
    last_id: i64,
    /// The diagnostics last published, by URI.
    pub diagnostics: BTreeMap<String, Vec<Value>>,
    /// The texts of all `window/showMessage` notifications.
    pub shown_messages: Vec<String>,
    /// Responses received while waiting for other ones.
    pending_responses: Vec<Value>,
    pub root: PathBuf,
}

impl Client {
    /// Starts and initialises a server in a temporary folder with these files.
    pub fn start(name: &str, files: &[(&str, &str)]) -> Self {
        Self::start_with(name, files, Value::Null)
    }

    /// As [`Self::start`], with initialisation options.
    pub fn start_with(name: &str, files: &[(&str, &str)], options: Value) -> Self {
        Self::start_capable(name, files, options, json!({}))
    }

    /// As [`Self::start_with`], with the capabilities of an editor.
    pub fn start_capable(name: &str, files: &[(&str, &str)], options: Value, capabilities: Value) -> Self {
        let root = std::env::temp_dir().join(format!("fizzle-lsp-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir_all(&root).unwrap();
        let root = root.canonicalize().unwrap();
        for (path, text) in files {
            let place = root.join(path);
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::fs::write(place, text).unwrap();
        }
        let mut client = Self::spawn(&root);
        let uri = client.uri("");
        let params = json!({ "processId": null, "rootUri": uri, "capabilities": capabilities, "initializationOptions": options });
        let result = client.request("initialize", params);
        assert!(result["capabilities"]["hoverProvider"].as_bool().unwrap());
        client.notify("initialized", json!({}));
        client
    }

    /// Starts a server without initialising it.
    pub fn spawn(root: &Path) -> Self {
        // `FIZZLE_BIN` selects another build to measure.
        let program = std::env::var("FIZZLE_BIN").unwrap_or_else(|_| env!("CARGO_BIN_EXE_fizzle").to_owned());
        let mut child = Command::new(program)
            .arg("lsp")
            .env("XDG_CACHE_HOME", root.join(".cache"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let mut reader = BufReader::new(child.stdout.take().unwrap());
        let (send, output) = channel();
        std::thread::spawn(move || {
            loop {
                let mut length = 0;
                loop {
                    let mut line = String::new();
                    if reader.read_line(&mut line).unwrap_or(0) == 0 {
                        return;
                    }
                    if line.trim().is_empty() {
                        break;
                    }
                    if let Some(number) = line.strip_prefix("Content-Length: ") {
                        length = number.trim().parse().unwrap();
                    }
                }
                let mut body = vec![0; length];
                reader.read_exact(&mut body).unwrap();
                if send.send(serde_json::from_slice(&body).unwrap()).is_err() {
                    return;
                }
            }
        });
        let (diagnostics, shown_messages, pending_responses) = (BTreeMap::new(), Vec::new(), Vec::new());
        Self { child, input, output, last_id: 0, diagnostics, shown_messages, pending_responses, root: root.to_owned() }
    }

    pub fn uri(&self, path: &str) -> String {
        let mut uri = String::from("file://");
        for byte in self.root.join(path).to_string_lossy().trim_end_matches('/').bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => uri.push(char::from(byte)),
                _ => uri.push_str(&format!("%{byte:02X}")),
            }
        }
        uri
    }

    pub fn send_raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// Sends bytes that the server may not read, since it may have ended.
    pub fn try_send_raw(&mut self, bytes: &[u8]) {
        let _ = self.input.as_mut().unwrap().write_all(bytes);
    }

    pub fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.send_raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request without waiting for its response. Returns its number.
    pub fn send_request(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Receives the next message and records diagnostics and shown messages.
    pub fn next_message(&mut self) -> Value {
        let message = self.output.recv_timeout(MAX_WAIT).expect("the server sent no message in time");
        match message["method"].as_str() {
            Some("textDocument/publishDiagnostics") => {
                let uri = message["params"]["uri"].as_str().unwrap().to_owned();
                self.diagnostics.insert(uri, message["params"]["diagnostics"].as_array().unwrap().clone());
            }
            Some("window/showMessage") => self.shown_messages.push(message["params"]["message"].as_str().unwrap().to_owned()),
            _ => {}
        }
        message
    }

    /// Waits for the response to a request and returns the whole message.
    pub fn wait_for_response(&mut self, id: &Value) -> Value {
        if let Some(index) = self.pending_responses.iter().position(|answer| answer["id"] == *id) {
            return self.pending_responses.remove(index);
        }
        loop {
            let message = self.next_message();
            if message.get("method").is_none() {
                if message["id"] == *id {
                    return message;
                }
                self.pending_responses.push(message);
            }
        }
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let answer = self.try_request(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    pub fn try_request(&mut self, method: &str, params: Value) -> Value {
        let id = self.send_request(method, params);
        self.wait_for_response(&json!(id))
    }

    pub fn open(&mut self, path: &str, text: &str) {
        let uri = self.uri(path);
        self.notify(
            "textDocument/didOpen",
            json!({ "textDocument": { "uri": uri, "languageId": "fizzle", "version": 1, "text": text } }),
        );
    }

    /// Replaces the characters of a line from one UTF-16 column to another.
    pub fn edit(&mut self, path: &str, version: i64, line: u32, from: u32, to: u32, text: &str) {
        let uri = self.uri(path);
        let range = json!({ "start": { "line": line, "character": from }, "end": { "line": line, "character": to } });
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": uri, "version": version }, "contentChanges": [{ "range": range, "text": text }] }),
        );
    }

    /// The diagnostics of a document after the server has processed everything sent before.
    pub fn current_diagnostics(&mut self, path: &str) -> Vec<Value> {
        self.request("workspace/symbol", json!({ "query": "no such symbol anywhere" }));
        let uri = self.uri(path);
        self.diagnostics.get(&uri).cloned().unwrap_or_default()
    }

    pub fn position(&self, path: &str, line: u32, character: u32) -> Value {
        json!({ "textDocument": { "uri": self.uri(path) }, "position": { "line": line, "character": character } })
    }

    /// Shuts the server down properly and returns its exit status.
    pub fn shut_down(mut self) -> i32 {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.input = None;
        let status = self.child.wait().unwrap();
        let _ = std::fs::remove_dir_all(&self.root);
        status.code().unwrap()
    }

    /// Waits for the end of the server, with its input still open, and returns the exit status.
    pub fn wait_for_end(mut self) -> i32 {
        self.child.wait().unwrap().code().unwrap()
    }

    /// Closes the connection without a shutdown and returns the exit status.
    pub fn disconnect(mut self) -> i32 {
        self.input = None;
        self.child.wait().unwrap().code().unwrap()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
