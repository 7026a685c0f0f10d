//! Transport: reads and writes framed JSON-RPC messages, each on its own thread.
//!
//! Malformed input is answered with an error response, and reading continues with the next message. Input whose next message cannot be found
//! (an endless header, a length beyond [`MAX_SKIPPED_BYTES`]) ends the session. All queues are bounded, so an editor that sends and does not
//! read waits, and memory does not grow.

use crossbeam_channel::{bounded, select};
use lsp_server::{Connection, ErrorCode, Message, RequestId, Response};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, BufWriter, Cursor, Read, Write};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

/// A longer message is skipped and answered with an error. It is more than the longest document in JSON.
const MAX_MESSAGE_BYTES: u64 = 128 << 20;

/// The most values of a message, by the commas and opening brackets outside of its strings. A message with more is answered with an error: each
/// value needs a hundred times its bytes in memory. A whole document is one string.
const MAX_VALUES: usize = 500_000;

/// A message that announces more bytes ends the session: its length is wrong, and all that follows would be skipped.
const MAX_SKIPPED_BYTES: u64 = 1 << 30;

/// The most bytes of a header. A longer one ends the session.
const MAX_HEADER_BYTES: u64 = 64 << 10;

/// The most messages that wait to be written.
const MAX_OUTGOING: usize = 4096;

/// The most messages that were read and wait for the server.
const MAX_INCOMING: usize = 64;

/// A connection to the editor, with the threads that read and write it.
pub struct Transport {
    /// The messages.
    pub connection: Connection,
    /// Why the next message could not be found, if the input ended by that. It is set before the connection's receiver disconnects.
    pub broken: Arc<OnceLock<&'static str>>,
    /// The writer. It ends when the connection is dropped, and all messages are written.
    pub writer: JoinHandle<()>,
}

/// Starts the reader and the writer thread. The receiver of the connection disconnects when the input ends.
pub fn start(input: impl Read + Send + 'static, output: impl Write + Send + 'static) -> Transport {
    let (sender, to_write) = bounded::<Message>(MAX_OUTGOING);
    let (read, receiver) = bounded(MAX_INCOMING);
    // Error responses to malformed input have a channel of their own: the reader may wait for input for ever, and must not keep the writer.
    let (errors, errors_to_write) = bounded::<Value>(MAX_OUTGOING);
    let broken = Arc::new(OnceLock::new());
    let reason = Arc::clone(&broken);
    std::thread::spawn(move || {
        let mut input = Input::new(input);
        loop {
            let message = match read_message(&mut input) {
                Ok(message) => message,
                Err(end) => {
                    if let Some(why) = end {
                        drop(errors.send(error_response(ErrorCode::InvalidRequest, Value::Null, why)));
                        let _ = reason.set(why);
                    }
                    return;
                }
            };
            let is_sent = match message {
                Ok(message) => read.send(message).is_ok(),
                Err(answer) => errors.send(answer).is_ok(),
            };
            if !is_sent {
                return;
            }
        }
    });
    let writer = std::thread::spawn(move || {
        let mut output = BufWriter::new(output);
        let mut write =
            |text: String| write!(output, "Content-Length: {}\r\n\r\n{text}", text.len()).and_then(|()| output.flush()).is_ok();
        loop {
            let is_written = select! {
                recv(to_write) -> message => match message {
                    Ok(message) => write(serialize_message(&message)),
                    Err(_) => break,
                },
                recv(errors_to_write) -> error => match error {
                    Ok(error) => write(error.to_string()),
                    // The reader has ended; the server may still answer.
                    Err(_) => {
                        for message in to_write {
                            if !write(serialize_message(&message)) {
                                return;
                            }
                        }
                        return;
                    }
                },
            };
            if !is_written {
                return;
            }
        }
        for error in errors_to_write.try_iter() {
            if !write(error.to_string()) {
                return;
            }
        }
    });
    Transport { connection: Connection { sender, receiver }, broken, writer }
}

/// What bytes hold: each message, or the error response to it if it is malformed.
pub struct AllMessages {
    /// In the order of the bytes.
    pub messages: Vec<Result<Message, Value>>,
    /// Why the next message could not be found, if the bytes end by that.
    pub broken: Option<&'static str>,
}

/// Reads all messages of bytes, without threads.
pub fn read_all(bytes: &[u8]) -> AllMessages {
    let mut input = Input::new(bytes);
    let mut messages = Vec::new();
    loop {
        match read_message(&mut input) {
            Ok(message) => messages.push(message),
            Err(broken) => return AllMessages { messages, broken },
        }
    }
}

/// A message as its JSON text.
#[must_use]
pub fn serialize_message(message: &Message) -> String {
    #[derive(serde::Serialize)]
    struct VersionedMessage<'m> {
        jsonrpc: &'static str,
        #[serde(flatten)]
        message: &'m Message,
    }
    serde_json::to_string(&VersionedMessage { jsonrpc: "2.0", message }).unwrap_or_default()
}

fn error_response(code: ErrorCode, id: Value, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code as i32, "message": message } })
}

/// What was read up to the end of a message.
enum Frame {
    /// The body of a message.
    Body(Vec<u8>),
    /// A malformed message, and the error response to it. The next message follows.
    Refused(Value),
    /// The next message cannot be found: why.
    Broken(&'static str),
    /// The end of the input, also within a message.
    End,
}

/// The input, with what was read too far.
struct Input<R> {
    returned: Cursor<Vec<u8>>,
    inner: BufReader<R>,
}

impl<R: Read> Input<R> {
    fn new(inner: R) -> Self {
        Self { returned: Cursor::new(Vec::new()), inner: BufReader::new(inner) }
    }

    /// Cuts a body after its first JSON value, and returns the rest to the input: the announced length was too large.
    fn return_rest(&mut self, body: &mut Vec<u8>) {
        let mut values = serde_json::Deserializer::from_slice(body).into_iter::<serde::de::IgnoredAny>();
        if !matches!(values.next(), Some(Ok(_))) {
            return;
        }
        let mut rest = body.split_off(values.byte_offset());
        if rest.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        rest.extend_from_slice(&self.returned.get_ref()[self.returned.position() as usize..]);
        self.returned = Cursor::new(rest);
    }
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let found = self.fill_buf()?;
        let count = found.len().min(buffer.len());
        buffer[..count].copy_from_slice(&found[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for Input<R> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        if self.returned.fill_buf()?.is_empty() { self.inner.fill_buf() } else { self.returned.fill_buf() }
    }

    fn consume(&mut self, count: usize) {
        if self.returned.position() < self.returned.get_ref().len() as u64 {
            self.returned.consume(count);
        } else {
            self.inner.consume(count);
        }
    }
}

/// Reads the next message; the inner error is the response to a malformed one.
///
/// # Errors
/// The end of the input, with the reason if the next message cannot be found.
fn read_message(input: &mut Input<impl Read>) -> Result<Result<Message, Value>, Option<&'static str>> {
    match read_frame(input) {
        Frame::Body(body) => Ok(parse_message(&body)),
        Frame::Refused(answer) => Ok(Err(answer)),
        Frame::Broken(why) => Err(Some(why)),
        Frame::End => Err(None),
    }
}

/// Reads the next message. Invalid header lines are skipped.
fn read_frame(input: &mut Input<impl Read>) -> Frame {
    let mut length: Option<u64> = None;
    let mut garbage = false;
    let mut left = MAX_HEADER_BYTES;
    loop {
        let mut line = Vec::new();
        match input.by_ref().take(left).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) if left > 0 => return Frame::End,
            Ok(_) | Err(_) => left -= line.len() as u64,
        }
        if left == 0 && !line.ends_with(b"\n") {
            return Frame::Broken("the header of a message is too long");
        }
        if !line.ends_with(b"\n") {
            // The input has ended within a line.
            return Frame::End;
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            match length {
                Some(length) if length <= MAX_MESSAGE_BYTES => {
                    let mut body = Vec::new();
                    let read = input.by_ref().take(length).read_to_end(&mut body);
                    let complete = read.is_ok() && body.len() as u64 == length;
                    let announced = body.len();
                    input.return_rest(&mut body);
                    return if complete || body.len() < announced { Frame::Body(body) } else { Frame::End };
                }
                Some(length) if length <= MAX_SKIPPED_BYTES => {
                    return match std::io::copy(&mut input.by_ref().take(length), &mut std::io::sink()) {
                        Ok(skipped) if skipped == length => {
                            Frame::Refused(error_response(ErrorCode::InvalidRequest, Value::Null, "the message is too long"))
                        }
                        _ => Frame::End,
                    };
                }
                Some(_) => return Frame::Broken("the `Content-Length` of a message is too large"),
                None if garbage => {
                    return Frame::Refused(error_response(ErrorCode::ParseError, Value::Null, "there is no `Content-Length`"));
                }
                None => continue,
            }
        }
        match length_of(line) {
            Some(Ok(number)) => length = Some(number),
            Some(Err(_)) => garbage = true,
            None => garbage |= !line.split_once(':').is_some_and(|(name, _)| name.trim().eq_ignore_ascii_case("content-type")),
        }
    }
}

/// The length in a header line, if the line has one. The rest of a body whose length was too small may precede it in the same line.
fn length_of(line: &str) -> Option<Result<u64, std::num::ParseIntError>> {
    let (name, value) = line.rsplit_once(':')?;
    let name = name.trim_end().as_bytes();
    let is_length = |name: &[u8]| name.eq_ignore_ascii_case(b"content-length");
    let last = name.len().checked_sub("content-length".len()).and_then(|start| name.get(start..));
    last.is_some_and(is_length).then(|| value.trim().parse())
}

/// Returns whether a message has no more than [`MAX_VALUES`] values.
fn has_few_values(body: &[u8]) -> bool {
    let (mut values, mut is_string, mut is_escaped) = (0, false, false);
    for byte in body {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_string => is_escaped = true,
            b'"' => is_string = !is_string,
            b',' | b'[' | b'{' if !is_string => values += 1,
            _ => {}
        }
    }
    values <= MAX_VALUES
}

fn parse_message(body: &[u8]) -> Result<Message, Value> {
    if !has_few_values(body) {
        let message = format!("the message has more than {MAX_VALUES} values");
        return Err(error_response(ErrorCode::InvalidRequest, Value::Null, &message));
    }
    let value: Value = serde_json::from_slice(body)
        .map_err(|problem| error_response(ErrorCode::ParseError, Value::Null, &format!("this is no JSON: {problem}")))?;
    let id = value.get("id").cloned().filter(|id| id.is_number() || id.is_string()).unwrap_or(Value::Null);
    serde_json::from_value(value)
        .map_err(|problem| error_response(ErrorCode::InvalidRequest, id, &format!("this is no message: {problem}")))
}

/// A successful response.
pub fn respond(id: RequestId, result: Value) -> Message {
    Message::Response(Response { id, response_result: Ok(result) })
}

/// An error response.
pub fn refuse(id: RequestId, code: ErrorCode, message: impl Into<String>) -> Message {
    Message::Response(Response::new_err(id, code as i32, message.into()))
}

/// A notification.
pub fn notify<N: lsp_types::notification::Notification>(params: &N::Params) -> Message {
    let params = serde_json::to_value(params).unwrap_or_default();
    Message::Notification(lsp_server::Notification { method: N::METHOD.to_owned(), params })
}
