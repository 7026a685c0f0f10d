//! Transport: reads and writes framed JSON-RPC messages over stdin and stdout, each on its own thread.
//!
//! Malformed input is answered with an error response, and reading continues with the next message.

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use lsp_server::{ErrorCode, Message, RequestId, Response};
use serde_json::{Value, json};
use std::io::{BufRead, Read, Write};
use std::thread::JoinHandle;

/// A longer message is skipped and answered with an error.
const MAX_MESSAGE_BYTES: u64 = 256 << 20;

/// Output to the editor.
#[derive(Debug)]
pub enum OutgoingMessage {
    /// A message.
    Message(Message),
    /// An error response to malformed input.
    Raw(Value),
}

/// Starts the reader and the writer thread. The writer ends when all senders are dropped; the receiver disconnects when the input ends.
pub fn start() -> (Sender<OutgoingMessage>, Receiver<Message>, JoinHandle<()>) {
    let (outgoing, to_write) = unbounded::<OutgoingMessage>();
    let (read, incoming) = bounded(1024);
    let errors = outgoing.clone();
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        while let Some(frame) = read_frame(&mut input) {
            match frame.and_then(|body| parse_message(&body)) {
                Ok(message) => {
                    if read.send(message).is_err() {
                        return;
                    }
                }
                Err(answer) => drop(errors.send(OutgoingMessage::Raw(answer))),
            }
        }
    });
    let writer = std::thread::spawn(move || {
        let mut output = std::io::stdout().lock();
        for message in to_write {
            let text = match message {
                OutgoingMessage::Raw(value) => value.to_string(),
                OutgoingMessage::Message(message) => serialize_message(&message),
            };
            if write!(output, "Content-Length: {}\r\n\r\n{text}", text.len()).and_then(|()| output.flush()).is_err() {
                return;
            }
        }
    });
    (outgoing, incoming, writer)
}

fn serialize_message(message: &Message) -> String {
    let mut value = serde_json::to_value(message).unwrap_or_default();
    if let Value::Object(map) = &mut value {
        map.insert("jsonrpc".to_owned(), json!("2.0"));
    }
    value.to_string()
}

fn error_response(code: ErrorCode, id: Value, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code as i32, "message": message } })
}

/// Reads the body of the next message. Invalid header lines are skipped. `None` at the end of the input.
fn read_frame(input: &mut impl BufRead) -> Option<Result<Vec<u8>, Value>> {
    let mut length: Option<u64> = None;
    let mut garbage = false;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(8192).read_until(b'\n', &mut line).ok()? == 0 {
            return None;
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            match length {
                Some(length) if length <= MAX_MESSAGE_BYTES => {
                    let mut body = Vec::new();
                    input.by_ref().take(length).read_to_end(&mut body).ok()?;
                    return (body.len() as u64 == length).then_some(Ok(body));
                }
                Some(length) => {
                    std::io::copy(&mut input.by_ref().take(length), &mut std::io::sink()).ok()?;
                    return Some(Err(error_response(ErrorCode::InvalidRequest, Value::Null, "the message is too long")));
                }
                None if garbage => {
                    return Some(Err(error_response(ErrorCode::ParseError, Value::Null, "there is no `Content-Length`")));
                }
                None => continue,
            }
        }
        match line.split_once(':') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("content-length") => match value.trim().parse() {
                Ok(number) => length = Some(number),
                Err(_) => garbage = true,
            },
            Some((name, _)) if name.trim().eq_ignore_ascii_case("content-type") => {}
            _ => garbage = true,
        }
    }
}

fn parse_message(body: &[u8]) -> Result<Message, Value> {
    let value: Value = serde_json::from_slice(body)
        .map_err(|problem| error_response(ErrorCode::ParseError, Value::Null, &format!("this is no JSON: {problem}")))?;
    let id = value.get("id").cloned().filter(|id| id.is_number() || id.is_string()).unwrap_or(Value::Null);
    serde_json::from_value(value)
        .map_err(|problem| error_response(ErrorCode::InvalidRequest, id, &format!("this is no message: {problem}")))
}

/// A successful response.
pub fn respond<T: serde::Serialize>(id: RequestId, result: &T) -> OutgoingMessage {
    OutgoingMessage::Message(Message::Response(Response::new_ok(id, serde_json::to_value(result).unwrap_or_default())))
}

/// An error response.
pub fn refuse(id: RequestId, code: ErrorCode, message: impl Into<String>) -> OutgoingMessage {
    OutgoingMessage::Message(Message::Response(Response::new_err(id, code as i32, message.into())))
}

/// A notification.
pub fn notify<N: lsp_types::notification::Notification>(params: &N::Params) -> OutgoingMessage {
    let params = serde_json::to_value(params).unwrap_or_default();
    OutgoingMessage::Message(Message::Notification(lsp_server::Notification { method: N::METHOD.to_owned(), params }))
}
