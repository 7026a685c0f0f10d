//! Messages over stdin and stdout. What is no message is answered with an error, and the next one is read.

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use lsp_server::{ErrorCode, Message, RequestId, Response};
use serde_json::{Value, json};
use std::io::{BufRead, Read, Write};
use std::thread::JoinHandle;

/// A longer message is not read.
const LONGEST: u64 = 256 << 20;

/// What is sent.
#[derive(Debug)]
pub enum Outgoing {
    /// A message.
    Message(Message),
    /// An answer to something that was no request.
    Raw(Value),
}

/// Starts reading and writing.
pub fn start() -> (Sender<Outgoing>, Receiver<Message>, JoinHandle<()>) {
    let (outgoing, to_write) = unbounded::<Outgoing>();
    let (read, incoming) = bounded(1024);
    let errors = outgoing.clone();
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        while let Some(frame) = frame(&mut input) {
            match frame.and_then(|body| parse(&body)) {
                Ok(message) => {
                    if read.send(message).is_err() {
                        return;
                    }
                }
                Err(answer) => drop(errors.send(Outgoing::Raw(answer))),
            }
        }
    });
    let writer = std::thread::spawn(move || {
        let mut output = std::io::stdout().lock();
        for message in to_write {
            let text = match message {
                Outgoing::Raw(value) => value.to_string(),
                Outgoing::Message(message) => text_of(&message),
            };
            if write!(output, "Content-Length: {}\r\n\r\n{text}", text.len()).and_then(|()| output.flush()).is_err() {
                return;
            }
        }
    });
    (outgoing, incoming, writer)
}

fn text_of(message: &Message) -> String {
    let mut value = serde_json::to_value(message).unwrap_or_default();
    if let Value::Object(map) = &mut value {
        map.insert("jsonrpc".to_owned(), json!("2.0"));
    }
    value.to_string()
}

fn error(code: ErrorCode, id: Value, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code as i32, "message": message } })
}

/// The body of the next message. Lines that are no headers are passed over. `None` at the end.
fn frame(input: &mut impl BufRead) -> Option<Result<Vec<u8>, Value>> {
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
                Some(length) if length <= LONGEST => {
                    let mut body = Vec::new();
                    input.by_ref().take(length).read_to_end(&mut body).ok()?;
                    return (body.len() as u64 == length).then_some(Ok(body));
                }
                Some(length) => {
                    std::io::copy(&mut input.by_ref().take(length), &mut std::io::sink()).ok()?;
                    return Some(Err(error(ErrorCode::InvalidRequest, Value::Null, "the message is too long")));
                }
                None if garbage => return Some(Err(error(ErrorCode::ParseError, Value::Null, "there is no `Content-Length`"))),
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

fn parse(body: &[u8]) -> Result<Message, Value> {
    let value: Value = serde_json::from_slice(body)
        .map_err(|problem| error(ErrorCode::ParseError, Value::Null, &format!("this is no JSON: {problem}")))?;
    let id = value.get("id").cloned().filter(|id| id.is_number() || id.is_string()).unwrap_or(Value::Null);
    serde_json::from_value(value)
        .map_err(|problem| error(ErrorCode::InvalidRequest, id, &format!("this is no message: {problem}")))
}

/// An answer.
pub fn answer<T: serde::Serialize>(id: RequestId, result: &T) -> Outgoing {
    Outgoing::Message(Message::Response(Response::new_ok(id, serde_json::to_value(result).unwrap_or_default())))
}

/// A refusal.
pub fn refuse(id: RequestId, code: ErrorCode, message: impl Into<String>) -> Outgoing {
    Outgoing::Message(Message::Response(Response::new_err(id, code as i32, message.into())))
}

/// A notification.
pub fn notify<N: lsp_types::notification::Notification>(params: &N::Params) -> Outgoing {
    let params = serde_json::to_value(params).unwrap_or_default();
    Outgoing::Message(Message::Notification(lsp_server::Notification { method: N::METHOD.to_owned(), params }))
}
