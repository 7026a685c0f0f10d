//! The message loop of the server: dispatches requests and notifications in the order of arrival.
//!
//! Changed documents are checked when no message waits, or before the next request. A request that is cancelled while it waits is
//! refused. A panic in a handler is caught and reported as an error response or a log message.

use super::code_lens::{RUN_COMMAND, ScenarioJob, ScenarioReport};
use super::host::Host;
use super::server_state::ServerState;
use super::transport::{self, AllMessages, Transport, notify, refuse, respond};
use super::{
    code_actions, code_lens, completion, definition, document_symbols, folding, formatting, hover, inlay_hints, pack_requests,
    references, rename, semantic_tokens, signature_help, uri, workspace_symbols,
};
use crossbeam_channel::{Receiver, Sender, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self as notifications, Notification as _, PublishDiagnostics, ShowMessage};
use lsp_types::request::{self as requests, Request as _};
use lsp_types::*;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// The most messages in the queue in which a later message can cancel an earlier one. More messages wait in the pipe.
const MAX_QUEUED: usize = 1024;

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// The editor requested a shutdown before.
    ShutDown,
    /// The editor sent `exit` without a shutdown request.
    Exit,
    /// The input ended without a shutdown request.
    Disconnected,
    /// The next message could not be found: why.
    Broken(&'static str),
}

/// Serves an editor over stdin and stdout, until it exits or disconnects.
#[must_use]
pub fn serve_stdio(host: Host) -> SessionEnd {
    serve_stream(std::io::stdin(), std::io::stdout(), host)
}

/// Serves an editor over streams of framed messages, until it exits or disconnects. All answers are written before the function returns.
#[must_use]
pub fn serve_stream(input: impl Read + Send + 'static, output: impl Write + Send + 'static, host: Host) -> SessionEnd {
    let Transport { connection, broken, writer } = transport::start(input, output);
    let end = serve(connection, host);
    drop(writer.join());
    match broken.get() {
        Some(why) if end == SessionEnd::Disconnected => SessionEnd::Broken(why),
        _ => end,
    }
}

/// Serves an editor whose messages are all there, on this thread: they are read before the first one is handled. Returns also what was answered, as
/// JSON texts: first the error responses to malformed messages, then all else. For tests, since all inputs are in memory at once.
#[must_use]
pub fn serve_bytes(input: &[u8], host: Host) -> (SessionEnd, Vec<String>) {
    let AllMessages { messages, broken } = transport::read_all(input);
    let (sender, receiver) = unbounded();
    let (outgoing, answers) = unbounded();
    let mut written = Vec::new();
    for message in messages {
        match message {
            Ok(message) => drop(sender.send(message)),
            Err(answer) => written.push(answer.to_string()),
        }
    }
    drop(sender);
    let end = serve(Connection { sender: outgoing, receiver }, host);
    written.extend(answers.try_iter().map(|message| transport::serialize_message(&message)));
    match broken {
        Some(why) if end == SessionEnd::Disconnected => (SessionEnd::Broken(why), written),
        _ => (end, written),
    }
}

/// Serves a connection until `exit`, or until its receiver disconnects. All messages that were received are handled before.
///
/// With the default [`Host`] the server reads and writes nothing else, so that [`Connection::memory`] can drive it.
#[must_use]
pub fn serve(connection: Connection, host: Host) -> SessionEnd {
    let (finished_sender, finished_receiver) = unbounded();
    let mut server = Server::new(host, connection.sender, finished_sender);
    let end = server.run(&connection.receiver, &finished_receiver);
    if server.lifecycle == Lifecycle::ShutDown { SessionEnd::ShutDown } else { end }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Lifecycle {
    Uninitialized,
    Running,
    ShutDown,
}

/// Work that has ended on a separate thread, and is answered now.
enum Finished {
    /// A scenario of the command that runs one.
    Scenario(RequestId, Result<ScenarioReport, String>),
    /// A request of the program.
    PackRequest(RequestId, Result<Value, String>),
}

struct Server {
    state: ServerState,
    outgoing: Sender<Message>,
    finished_sender: Sender<Finished>,
    /// The number of requests of the program, and of scenarios, that run.
    running: usize,
    lifecycle: Lifecycle,
    /// A document has changed since the last check.
    needs_check: bool,
    /// The editor accepts dynamic registration of file watchers.
    can_register_watchers: bool,
    last_request_id: i32,
}

impl Server {
    fn new(host: Host, outgoing: Sender<Message>, finished_sender: Sender<Finished>) -> Self {
        Self {
            state: ServerState::new(host),
            outgoing,
            finished_sender,
            running: 0,
            lifecycle: Lifecycle::Uninitialized,
            needs_check: false,
            can_register_watchers: false,
            last_request_id: 0,
        }
    }

    fn run(&mut self, incoming: &Receiver<Message>, finished: &Receiver<Finished>) -> SessionEnd {
        let mut waiting: VecDeque<Message> = VecDeque::new();
        // How the session ends when all messages that were read are handled; `None` while more can follow.
        let mut end = None;
        loop {
            // Waiting messages are read first, because a later message may cancel an earlier one.
            while waiting.len() < MAX_QUEUED
                && let Ok(message) = incoming.try_recv()
            {
                enqueue(&mut waiting, message, &self.outgoing);
            }
            while let Ok(ended) = finished.try_recv() {
                self.finish(ended);
            }
            if let Some(message) = waiting.pop_front() {
                if !self.handle_message(message) {
                    return SessionEnd::Exit;
                }
                continue;
            }
            if self.needs_check {
                self.check();
                continue;
            }
            if let Some(end) = end {
                return end;
            }
            select! {
                recv(incoming) -> message => match message {
                    Ok(message) => enqueue(&mut waiting, message, &self.outgoing),
                    Err(_) => end = Some(SessionEnd::Disconnected),
                },
                recv(finished) -> ended => if let Ok(ended) = ended { self.finish(ended) },
            }
        }
    }

    fn send(&self, outgoing: Message) {
        // Sending fails if the editor has disconnected; the loop then ends when the input ends.
        drop(self.outgoing.send(outgoing));
    }

    fn check(&mut self) {
        self.needs_check = false;
        if self.lifecycle != Lifecycle::Running {
            return;
        }
        let state = &mut self.state;
        match catch_unwind(AssertUnwindSafe(|| state.check())) {
            Ok(changed) => changed.iter().for_each(|params| self.send(notify::<PublishDiagnostics>(params))),
            Err(_) => {
                self.state.reset_session();
                self.show_message(
                    MessageType::ERROR,
                    "fizzle found a defect in itself while it checked; the next edit is checked from scratch",
                );
            }
        }
    }

    fn show_message(&self, typ: MessageType, message: &str) {
        self.send(notify::<ShowMessage>(&ShowMessageParams { typ, message: message.to_owned() }));
    }

    /// Handles a message. Returns `false` on the `exit` notification.
    fn handle_message(&mut self, message: Message) -> bool {
        match message {
            Message::Request(request) => self.handle_request(request),
            Message::Notification(notification) if notification.method == notifications::Exit::METHOD => return false,
            Message::Notification(notification) => {
                let result = catch_unwind(AssertUnwindSafe(|| self.handle_notification(notification)));
                if let Err(message) = result.unwrap_or_else(|_| Err("fizzle found a defect in itself".to_owned())) {
                    let params = LogMessageParams { typ: MessageType::WARNING, message };
                    self.send(notify::<notifications::LogMessage>(&params));
                }
            }
            Message::Response(_) => {}
        }
        true
    }

    fn handle_request(&mut self, request: Request) {
        let id = request.id.clone();
        match (self.lifecycle, request.method.as_str()) {
            (Lifecycle::Uninitialized, requests::Initialize::METHOD) => {}
            (Lifecycle::Uninitialized, _) => {
                return self.send(refuse(id, ErrorCode::ServerNotInitialized, "`initialize` comes first"));
            }
            (_, requests::Initialize::METHOD) => {
                return self.send(refuse(id, ErrorCode::InvalidRequest, "`initialize` comes once"));
            }
            (Lifecycle::ShutDown, _) => return self.send(refuse(id, ErrorCode::InvalidRequest, "the server was shut down")),
            (Lifecycle::Running, _) => {}
        }
        // Responses must refer to the current text, not to the text of the last check.
        if self.needs_check {
            self.check();
        }
        let result = catch_unwind(AssertUnwindSafe(|| self.dispatch(request)));
        match result {
            Ok(Ok(Some(value))) => self.send(respond(id, value)),
            Ok(Ok(None)) => {}
            Ok(Err((code, message))) => self.send(refuse(id, code, message)),
            Err(_) => self.send(refuse(id, ErrorCode::InternalError, "fizzle found a defect in itself")),
        }
    }

    /// Handles a request. Returns `None` if the response is sent later.
    fn dispatch(&mut self, request: Request) -> Result<Option<Value>, (ErrorCode, String)> {
        let Request { id, method, params } = request;
        let state = &self.state;
        let value = match method.as_str() {
            requests::Initialize::METHOD => self.initialize(parse_params(params)?),
            requests::Shutdown::METHOD => {
                self.lifecycle = Lifecycle::ShutDown;
                Value::Null
            }
            requests::Completion::METHOD => to_json(completion::completion(state, &parse_params(params)?)),
            requests::HoverRequest::METHOD => to_json(hover::hover(state, &parse_params(params)?)),
            requests::GotoDefinition::METHOD => to_json(definition::definition(state, &parse_params(params)?)),
            requests::References::METHOD => to_json(references::references(state, &parse_params(params)?)),
            requests::DocumentHighlightRequest::METHOD => to_json(references::highlights(state, &parse_params(params)?)),
            requests::PrepareRenameRequest::METHOD => {
                to_json(rename::prepare(state, &parse_params(params)?).map_err(request_failed)?)
            }
            requests::Rename::METHOD => to_json(rename::rename(state, &parse_params(params)?).map_err(request_failed)?),
            requests::DocumentSymbolRequest::METHOD => to_json(document_symbols::document_symbols(state, &parse_params(params)?)),
            requests::WorkspaceSymbolRequest::METHOD => {
                to_json(workspace_symbols::workspace_symbols(state, &parse_params(params)?))
            }
            requests::SemanticTokensFullRequest::METHOD => {
                let params: SemanticTokensParams = parse_params(params)?;
                to_json(semantic_tokens::semantic_tokens(state, &params.text_document.uri, None))
            }
            requests::SemanticTokensRangeRequest::METHOD => {
                let params: SemanticTokensRangeParams = parse_params(params)?;
                to_json(semantic_tokens::semantic_tokens(state, &params.text_document.uri, Some(params.range)))
            }
            requests::Formatting::METHOD => {
                let params: DocumentFormattingParams = parse_params(params)?;
                to_json(formatting::formatting(state, &params.text_document.uri, None))
            }
            requests::RangeFormatting::METHOD => {
                let params: DocumentRangeFormattingParams = parse_params(params)?;
                to_json(formatting::formatting(state, &params.text_document.uri, Some(params.range)))
            }
            requests::CodeActionRequest::METHOD => to_json(code_actions::code_actions(state, &parse_params(params)?)),
            requests::SignatureHelpRequest::METHOD => to_json(signature_help::signature_help(state, &parse_params(params)?)),
            requests::FoldingRangeRequest::METHOD => to_json(folding::folding_ranges(state, &parse_params(params)?)),
            requests::InlayHintRequest::METHOD => to_json(inlay_hints::inlay_hints(state, &parse_params(params)?)),
            requests::CodeLensRequest::METHOD => to_json(code_lens::code_lens(state, &parse_params(params)?)),
            requests::ExecuteCommand::METHOD => {
                let params: ExecuteCommandParams = parse_params(params)?;
                if params.command != RUN_COMMAND {
                    return Err((ErrorCode::InvalidParams, format!("there is no command `{}`", params.command)));
                }
                self.check_running()?;
                let job = ScenarioJob::new(state, &params.arguments).map_err(|message| (ErrorCode::InvalidParams, message))?;
                let finished_sender = self.finished_sender.clone();
                return self
                    .run_apart(move || job.start(move |result| drop(finished_sender.send(Finished::Scenario(id, result)))));
            }
            method if state.host.pack_requests.as_ref().is_some_and(|requests| requests.methods().contains(&method)) => {
                return self.start_pack_request(id, method.to_owned(), params);
            }
            _ => return Err((ErrorCode::MethodNotFound, format!("`{method}` is not understood"))),
        };
        Ok(Some(value))
    }

    fn start_pack_request(&mut self, id: RequestId, method: String, params: Value) -> Result<Option<Value>, (ErrorCode, String)> {
        let Some(requests) = self.state.host.pack_requests.clone() else { return Ok(None) };
        self.check_running()?;
        let request = pack_requests::with_sources(&self.state, method, params);
        let finished_sender = self.finished_sender.clone();
        self.run_apart(move || {
            pack_requests::start(requests, request, move |result| drop(finished_sender.send(Finished::PackRequest(id, result))))
        })
    }

    /// Refuses work on a separate thread if too much runs already: each has a copy of all sources.
    fn check_running(&self) -> Result<(), (ErrorCode, String)> {
        if self.running >= pack_requests::MAX_RUNNING {
            return Err((ErrorCode::RequestFailed, "too many requests run already".to_owned()));
        }
        Ok(())
    }

    /// Starts work on a separate thread, which is answered later. `start` returns whether the thread was created.
    fn run_apart(&mut self, start: impl FnOnce() -> bool) -> Result<Option<Value>, (ErrorCode, String)> {
        if !start() {
            return Err((ErrorCode::RequestFailed, "the system has no thread for the request".to_owned()));
        }
        self.running += 1;
        Ok(None)
    }

    fn finish(&mut self, ended: Finished) {
        self.running = self.running.saturating_sub(1);
        match ended {
            Finished::Scenario(id, result) => self.finish_scenario(id, result),
            Finished::PackRequest(id, result) => {
                self.send(match result {
                    Ok(value) => respond(id, value),
                    Err(message) => refuse(id, ErrorCode::RequestFailed, message),
                });
            }
        }
    }

    fn finish_scenario(&mut self, id: RequestId, result: Result<ScenarioReport, String>) {
        match result {
            Err(message) => {
                self.show_message(MessageType::ERROR, &format!("the scenario cannot be run: {message}"));
                self.send(refuse(id, ErrorCode::RequestFailed, message));
            }
            Ok(report) => {
                match &report.failure {
                    None => self.show_message(MessageType::INFO, &format!("passed: {}", report.title)),
                    Some((message, line)) => {
                        self.show_message(MessageType::ERROR, &format!("failed: {}, line {line}: {message}", report.title));
                    }
                }
                match report.diagnostic(&self.state) {
                    Some(diagnostic) => drop(self.state.scenario_failures.insert(report.path.clone(), diagnostic)),
                    None => drop(self.state.scenario_failures.remove(&report.path)),
                }
                let file = self.state.session.store().number(&report.path);
                let files = file.into_iter().collect();
                for params in super::diagnostics::changed_diagnostics(&mut self.state, Some(&files)) {
                    self.send(notify::<PublishDiagnostics>(&params));
                }
                self.send(Message::Response(Response::new_ok(id, report.response())));
            }
        }
    }

    fn initialize(&mut self, params: InitializeParams) -> Value {
        self.lifecycle = Lifecycle::Running;
        self.needs_check = true;
        let watched_files =
            params.capabilities.workspace.as_ref().and_then(|workspace| workspace.did_change_watched_files.as_ref());
        self.can_register_watchers = watched_files.and_then(|watch| watch.dynamic_registration).unwrap_or(false);
        let completion = params.capabilities.text_document.as_ref().and_then(|document| document.completion.as_ref());
        let completion_item = completion.and_then(|completion| completion.completion_item.as_ref());
        self.state.snippets = completion_item.and_then(|item| item.snippet_support).unwrap_or(false);
        let folders = params.workspace_folders.unwrap_or_default().into_iter().map(|folder| folder.uri);
        #[expect(deprecated, reason = "editors without workspace folders send only `root_uri`")]
        let root = params.root_uri;
        let mut roots: Vec<PathBuf> = folders.map(|folder| PathBuf::from(uri::path_of(&folder))).collect();
        if roots.is_empty() {
            roots.extend(root.map(|root| PathBuf::from(uri::path_of(&root))));
        }
        roots.retain(|root| root.is_absolute() && root.is_dir());
        let options = params.initialization_options.unwrap_or_default();
        let problems = self.state.set_levels(&options);
        for message in problems.into_iter().chain(self.state.open_folders(roots)) {
            self.send(notify::<notifications::LogMessage>(&LogMessageParams { typ: MessageType::WARNING, message }));
        }
        to_json(InitializeResult {
            capabilities: capabilities(),
            server_info: Some(ServerInfo { name: "fizzle".to_owned(), version: Some(env!("CARGO_PKG_VERSION").to_owned()) }),
        })
    }

    fn handle_notification(&mut self, notification: Notification) -> Result<(), String> {
        let Notification { method, params } = notification;
        if self.lifecycle != Lifecycle::Running {
            return Ok(());
        }
        match method.as_str() {
            notifications::Initialized::METHOD if self.can_register_watchers => self.register_watchers(),
            notifications::DidOpenTextDocument::METHOD => {
                let document = notification_params::<DidOpenTextDocumentParams>(&method, params)?.text_document;
                for message in self.state.open(document.uri, document.version, document.text) {
                    self.send(notify::<notifications::LogMessage>(&LogMessageParams { typ: MessageType::WARNING, message }));
                }
                self.needs_check = true;
            }
            notifications::DidChangeTextDocument::METHOD => {
                let params = notification_params::<DidChangeTextDocumentParams>(&method, params)?;
                let document = params.text_document;
                if !self.state.change(&document.uri, document.version, params.content_changes) {
                    return Err(format!("`{}` is not open", document.uri.as_str()));
                }
                self.needs_check = true;
            }
            notifications::DidCloseTextDocument::METHOD => {
                let document = notification_params::<DidCloseTextDocumentParams>(&method, params)?.text_document;
                let changed = self.state.close(&document.uri);
                changed.iter().for_each(|params| self.send(notify::<PublishDiagnostics>(params)));
                self.needs_check = true;
            }
            notifications::DidChangeWatchedFiles::METHOD => {
                for change in notification_params::<DidChangeWatchedFilesParams>(&method, params)?.changes {
                    let changed = self.state.reload(&uri::path_of(&change.uri));
                    changed.iter().for_each(|params| self.send(notify::<PublishDiagnostics>(params)));
                }
                self.needs_check = true;
            }
            // The protocol allows ignoring unknown notifications.
            _ => {}
        }
        Ok(())
    }

    fn register_watchers(&mut self) {
        self.last_request_id += 1;
        let watchers = json!({ "watchers": [{ "globPattern": "**/*.fz" }] });
        let registration =
            json!({ "id": "fizzle-files", "method": notifications::DidChangeWatchedFiles::METHOD, "registerOptions": watchers });
        let request = Request::new(
            self.last_request_id.into(),
            requests::RegisterCapability::METHOD.to_owned(),
            json!({ "registrations": [registration] }),
        );
        self.send(Message::Request(request));
    }
}

/// Appends a message to the queue. A cancel notification instead removes the request from the queue and refuses it.
fn enqueue(waiting: &mut VecDeque<Message>, message: Message, outgoing: &Sender<Message>) {
    let Message::Notification(notification) = &message else { return waiting.push_back(message) };
    if notification.method != notifications::Cancel::METHOD {
        return waiting.push_back(message);
    }
    let Ok(params) = serde_json::from_value::<CancelParams>(notification.params.clone()) else { return };
    let id: RequestId = match params.id {
        NumberOrString::Number(number) => number.into(),
        NumberOrString::String(text) => text.into(),
    };
    let index = waiting.iter().position(|waiting| matches!(waiting, Message::Request(request) if request.id == id));
    if index.and_then(|place| waiting.remove(place)).is_some() {
        drop(outgoing.send(refuse(id, ErrorCode::RequestCanceled, "cancelled")));
    }
}

fn parse_params<T: serde::de::DeserializeOwned>(params: Value) -> Result<T, (ErrorCode, String)> {
    serde_json::from_value(params).map_err(|problem| (ErrorCode::InvalidParams, problem.to_string()))
}

fn notification_params<T: serde::de::DeserializeOwned>(method: &str, params: Value) -> Result<T, String> {
    serde_json::from_value(params).map_err(|problem| format!("`{method}`: {problem}"))
}

fn request_failed(message: String) -> (ErrorCode, String) {
    (ErrorCode::RequestFailed, message)
}

fn to_json<T: serde::Serialize>(value: T) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn capabilities() -> ServerCapabilities {
    let tokens = SemanticTokensOptions {
        legend: semantic_tokens::legend(),
        range: Some(true),
        full: Some(SemanticTokensFullOptions::Bool(true)),
        ..SemanticTokensOptions::default()
    };
    let triggers = ["\"", "《", ".", "(", " ", ":"].map(str::to_owned).to_vec();
    ServerCapabilities {
        position_encoding: Some(PositionEncodingKind::UTF16),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            ..TextDocumentSyncOptions::default()
        })),
        completion_provider: Some(CompletionOptions { trigger_characters: Some(triggers), ..CompletionOptions::default() }),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some(["(", ","].map(str::to_owned).to_vec()),
            retrigger_characters: Some([" "].map(str::to_owned).to_vec()),
            ..SignatureHelpOptions::default()
        }),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        inlay_hint_provider: Some(OneOf::Left(true)),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        })),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        semantic_tokens_provider: Some(SemanticTokensServerCapabilities::SemanticTokensOptions(tokens)),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![RUN_COMMAND.to_owned()],
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each scenario that runs has a thread and a copy of all sources, so that their number is bounded.
    #[test]
    fn scenarios_are_refused_while_many_run() {
        let (outgoing, answers) = unbounded();
        let (finished_sender, finished) = unbounded();
        let mut server = Server::new(Host::default(), outgoing, finished_sender);
        server.lifecycle = Lifecycle::Running;
        server.state.session.set("/nowhere/pack.fz", "pack small { edition 2 }\n");
        let run = |server: &mut Server| {
            let params = json!({ "command": RUN_COMMAND, "arguments": ["file:///nowhere/pack.fz", "none"] });
            server.handle_request(Request { id: 1.into(), method: requests::ExecuteCommand::METHOD.to_owned(), params });
            answers.try_iter().map(|answer| transport::serialize_message(&answer)).collect::<String>()
        };
        for running in 1..=pack_requests::MAX_RUNNING {
            assert_eq!(run(&mut server), "");
            assert_eq!(server.running, running);
        }
        assert!(run(&mut server).contains("too many requests run already"));
        finished.iter().take(pack_requests::MAX_RUNNING).for_each(|ended| server.finish(ended));
        assert_eq!(server.running, 0);
        assert!(!run(&mut server).contains("too many requests"));
    }
}
