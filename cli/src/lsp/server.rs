//! The loop: messages are taken in order, checks run when nothing more waits, requests that were cancelled meanwhile are not carried out.

use super::code_lens::{RUN, Report, ScenarioJob};
use super::server_state::ServerState;
use super::transport::{self, Outgoing, answer, notify, refuse};
use super::{
    code_actions, code_lens, completion, definition, document_symbols, formatting, hover, references, rename, semantic_tokens,
    uri, workspace_symbols,
};
use crossbeam_channel::{Receiver, Sender, never, select, unbounded};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{self as told, Notification as _, PublishDiagnostics, ShowMessage};
use lsp_types::request::{self as asked, Request as _};
use lsp_types::*;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// Serves until the editor is done. Whether it said goodbye.
pub fn serve() -> bool {
    let (out, incoming, writer) = transport::start();
    let (reports, reported) = unbounded();
    let mut server =
        Server { world: ServerState::default(), out, reports, state: State::New, dirty: false, dynamic_watch: false, next: 0 };
    server.run(&incoming, &reported);
    let polite = matches!(server.state, State::Leaving);
    drop(server);
    drop(writer.join());
    polite
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Serving,
    Leaving,
}

type Reported = (RequestId, Result<Report, String>);

struct Server {
    world: ServerState,
    out: Sender<Outgoing>,
    reports: Sender<Reported>,
    state: State,
    /// Something has changed since the last check.
    dirty: bool,
    /// The editor can be told which files to watch.
    dynamic_watch: bool,
    next: i32,
}

impl Server {
    fn run(&mut self, incoming: &Receiver<Message>, reported: &Receiver<Reported>) {
        let mut waiting: VecDeque<Message> = VecDeque::new();
        let mut open = true;
        loop {
            // What waits is taken in at once: a later message may cancel an earlier one.
            while let Ok(message) = incoming.try_recv() {
                take(&mut waiting, message, &self.out);
            }
            while let Ok(report) = reported.try_recv() {
                self.report(report);
            }
            if let Some(message) = waiting.pop_front() {
                if !self.message(message) {
                    return;
                }
                continue;
            }
            if self.dirty {
                self.check();
                continue;
            }
            if !open {
                return;
            }
            let gone = never();
            select! {
                recv(if open { incoming } else { &gone }) -> message => match message {
                    Ok(message) => take(&mut waiting, message, &self.out),
                    Err(_) => open = false,
                },
                recv(reported) -> report => if let Ok(report) = report { self.report(report) },
            }
        }
    }

    fn send(&self, outgoing: Outgoing) {
        // The editor may have gone; the loop ends when there is nothing more to read.
        drop(self.out.send(outgoing));
    }

    fn check(&mut self) {
        self.dirty = false;
        if self.state != State::Serving {
            return;
        }
        let world = &mut self.world;
        match catch_unwind(AssertUnwindSafe(|| world.check())) {
            Ok(news) => news.iter().for_each(|news| self.send(notify::<PublishDiagnostics>(news))),
            Err(_) => {
                self.world.reset_session();
                self.show(
                    MessageType::ERROR,
                    "fizzle found a defect in itself while it checked; the next edit is checked from scratch",
                );
            }
        }
    }

    fn show(&self, typ: MessageType, message: &str) {
        self.send(notify::<ShowMessage>(&ShowMessageParams { typ, message: message.to_owned() }));
    }

    /// `false`: the editor is done.
    fn message(&mut self, message: Message) -> bool {
        match message {
            Message::Request(request) => self.request(request),
            Message::Notification(notification) if notification.method == told::Exit::METHOD => return false,
            Message::Notification(notification) => {
                let result = catch_unwind(AssertUnwindSafe(|| self.notification(notification)));
                if let Err(message) = result.unwrap_or_else(|_| Err("fizzle found a defect in itself".to_owned())) {
                    let params = LogMessageParams { typ: MessageType::WARNING, message };
                    self.send(notify::<told::LogMessage>(&params));
                }
            }
            Message::Response(_) => {}
        }
        true
    }

    fn request(&mut self, request: Request) {
        let id = request.id.clone();
        match (self.state, request.method.as_str()) {
            (State::New, asked::Initialize::METHOD) => {}
            (State::New, _) => return self.send(refuse(id, ErrorCode::ServerNotInitialized, "`initialize` comes first")),
            (_, asked::Initialize::METHOD) => return self.send(refuse(id, ErrorCode::InvalidRequest, "`initialize` comes once")),
            (State::Leaving, _) => return self.send(refuse(id, ErrorCode::InvalidRequest, "the server was shut down")),
            (State::Serving, _) => {}
        }
        // Answers are about what was written, not about what was checked last.
        if self.dirty {
            self.check();
        }
        let result = catch_unwind(AssertUnwindSafe(|| self.handle(request)));
        match result {
            Ok(Ok(Some(value))) => self.send(answer(id, &value)),
            Ok(Ok(None)) => {}
            Ok(Err((code, message))) => self.send(refuse(id, code, message)),
            Err(_) => self.send(refuse(id, ErrorCode::InternalError, "fizzle found a defect in itself")),
        }
    }

    /// The answer; none if it comes later.
    fn handle(&mut self, request: Request) -> Result<Option<Value>, (ErrorCode, String)> {
        let Request { id, method, params } = request;
        let world = &self.world;
        let value = match method.as_str() {
            asked::Initialize::METHOD => self.initialize(read(params)?),
            asked::Shutdown::METHOD => {
                self.state = State::Leaving;
                Value::Null
            }
            asked::Completion::METHOD => to(completion::completion(world, &read(params)?)),
            asked::HoverRequest::METHOD => to(hover::hover(world, &read(params)?)),
            asked::GotoDefinition::METHOD => to(definition::definition(world, &read(params)?)),
            asked::References::METHOD => to(references::references(world, &read(params)?)),
            asked::DocumentHighlightRequest::METHOD => to(references::highlights(world, &read(params)?)),
            asked::PrepareRenameRequest::METHOD => to(rename::prepare(world, &read(params)?).map_err(failed)?),
            asked::Rename::METHOD => to(rename::rename(world, &read(params)?).map_err(failed)?),
            asked::DocumentSymbolRequest::METHOD => to(document_symbols::document_symbols(world, &read(params)?)),
            asked::WorkspaceSymbolRequest::METHOD => to(workspace_symbols::workspace_symbols(world, &read(params)?)),
            asked::SemanticTokensFullRequest::METHOD => {
                let params: SemanticTokensParams = read(params)?;
                to(semantic_tokens::semantic_tokens(world, &params.text_document.uri, None))
            }
            asked::SemanticTokensRangeRequest::METHOD => {
                let params: SemanticTokensRangeParams = read(params)?;
                to(semantic_tokens::semantic_tokens(world, &params.text_document.uri, Some(params.range)))
            }
            asked::Formatting::METHOD => {
                let params: DocumentFormattingParams = read(params)?;
                to(formatting::formatting(world, &params.text_document.uri, None))
            }
            asked::RangeFormatting::METHOD => {
                let params: DocumentRangeFormattingParams = read(params)?;
                to(formatting::formatting(world, &params.text_document.uri, Some(params.range)))
            }
            asked::CodeActionRequest::METHOD => to(code_actions::code_actions(world, &read(params)?)),
            asked::CodeLensRequest::METHOD => to(code_lens::code_lens(world, &read(params)?)),
            asked::ExecuteCommand::METHOD => {
                let params: ExecuteCommandParams = read(params)?;
                if params.command != RUN {
                    return Err((ErrorCode::InvalidParams, format!("there is no command `{}`", params.command)));
                }
                let job = ScenarioJob::new(world, &params.arguments).map_err(|message| (ErrorCode::InvalidParams, message))?;
                let reports = self.reports.clone();
                job.start(move |result| drop(reports.send((id, result))));
                return Ok(None);
            }
            _ => return Err((ErrorCode::MethodNotFound, format!("`{method}` is not understood"))),
        };
        Ok(Some(value))
    }

    fn report(&mut self, (id, result): Reported) {
        match result {
            Err(message) => {
                self.show(MessageType::ERROR, &format!("the scenario cannot be run: {message}"));
                self.send(refuse(id, ErrorCode::RequestFailed, message));
            }
            Ok(report) => {
                match &report.failure {
                    None => self.show(MessageType::INFO, &format!("passed: {}", report.title)),
                    Some((message, line)) => {
                        self.show(MessageType::ERROR, &format!("failed: {}, line {line}: {message}", report.title));
                    }
                }
                match report.diagnostic(&self.world) {
                    Some(diagnostic) => drop(self.world.failures.insert(report.path.clone(), diagnostic)),
                    None => drop(self.world.failures.remove(&report.path)),
                }
                let file = self.world.session.store().number(&report.path);
                let files = file.into_iter().collect();
                for news in super::diagnostics::changed_diagnostics(&mut self.world, Some(&files)) {
                    self.send(notify::<PublishDiagnostics>(&news));
                }
                self.send(Outgoing::Message(Message::Response(Response::new_ok(id, report.answer()))));
            }
        }
    }

    fn initialize(&mut self, params: InitializeParams) -> Value {
        self.state = State::Serving;
        self.dirty = true;
        let watch = params.capabilities.workspace.as_ref().and_then(|workspace| workspace.did_change_watched_files.as_ref());
        self.dynamic_watch = watch.and_then(|watch| watch.dynamic_registration).unwrap_or(false);
        let folders = params.workspace_folders.unwrap_or_default().into_iter().map(|folder| folder.uri);
        #[expect(deprecated, reason = "what editors before folders say")]
        let root = params.root_uri;
        let mut roots: Vec<PathBuf> = folders.map(|folder| PathBuf::from(uri::path_of(&folder))).collect();
        if roots.is_empty() {
            roots.extend(root.map(|root| PathBuf::from(uri::path_of(&root))));
        }
        roots.retain(|root| root.is_absolute() && root.is_dir());
        let options = params.initialization_options.unwrap_or_default();
        let problems = self.world.set_levels(&options);
        for message in problems.into_iter().chain(self.world.open_folders(roots)) {
            self.send(notify::<told::LogMessage>(&LogMessageParams { typ: MessageType::WARNING, message }));
        }
        to(InitializeResult {
            capabilities: capabilities(),
            server_info: Some(ServerInfo { name: "fizzle".to_owned(), version: Some(env!("CARGO_PKG_VERSION").to_owned()) }),
        })
    }

    fn notification(&mut self, notification: Notification) -> Result<(), String> {
        let Notification { method, params } = notification;
        if self.state != State::Serving {
            return Ok(());
        }
        match method.as_str() {
            told::Initialized::METHOD if self.dynamic_watch => self.watch(),
            told::DidOpenTextDocument::METHOD => {
                let document = given::<DidOpenTextDocumentParams>(&method, params)?.text_document;
                self.world.open(document.uri, document.version, document.text);
                self.dirty = true;
            }
            told::DidChangeTextDocument::METHOD => {
                let params = given::<DidChangeTextDocumentParams>(&method, params)?;
                let document = params.text_document;
                if !self.world.change(&document.uri, document.version, params.content_changes) {
                    return Err(format!("`{}` is not open", document.uri.as_str()));
                }
                self.dirty = true;
            }
            told::DidCloseTextDocument::METHOD => {
                let document = given::<DidCloseTextDocumentParams>(&method, params)?.text_document;
                let news = self.world.close(&document.uri);
                news.iter().for_each(|news| self.send(notify::<PublishDiagnostics>(news)));
                self.dirty = true;
            }
            told::DidChangeWatchedFiles::METHOD => {
                for change in given::<DidChangeWatchedFilesParams>(&method, params)?.changes {
                    let news = self.world.reload(&uri::path_of(&change.uri));
                    news.iter().for_each(|news| self.send(notify::<PublishDiagnostics>(news)));
                }
                self.dirty = true;
            }
            // What is not understood and not asked for may be passed over.
            _ => {}
        }
        Ok(())
    }

    fn watch(&mut self) {
        self.next += 1;
        let watchers = json!({ "watchers": [{ "globPattern": "**/*.fz" }] });
        let registration =
            json!({ "id": "fizzle-files", "method": told::DidChangeWatchedFiles::METHOD, "registerOptions": watchers });
        let request = Request::new(
            self.next.into(),
            asked::RegisterCapability::METHOD.to_owned(),
            json!({ "registrations": [registration] }),
        );
        self.send(Outgoing::Message(Message::Request(request)));
    }
}

/// Takes a message in. A request that is cancelled before its turn is refused.
fn take(waiting: &mut VecDeque<Message>, message: Message, out: &Sender<Outgoing>) {
    let Message::Notification(notification) = &message else { return waiting.push_back(message) };
    if notification.method != told::Cancel::METHOD {
        return waiting.push_back(message);
    }
    let Ok(params) = serde_json::from_value::<CancelParams>(notification.params.clone()) else { return };
    let id: RequestId = match params.id {
        NumberOrString::Number(number) => number.into(),
        NumberOrString::String(text) => text.into(),
    };
    let place = waiting.iter().position(|waiting| matches!(waiting, Message::Request(request) if request.id == id));
    if place.and_then(|place| waiting.remove(place)).is_some() {
        drop(out.send(refuse(id, ErrorCode::RequestCanceled, "cancelled")));
    }
}

fn read<T: serde::de::DeserializeOwned>(params: Value) -> Result<T, (ErrorCode, String)> {
    serde_json::from_value(params).map_err(|problem| (ErrorCode::InvalidParams, problem.to_string()))
}

fn given<T: serde::de::DeserializeOwned>(method: &str, params: Value) -> Result<T, String> {
    serde_json::from_value(params).map_err(|problem| format!("`{method}`: {problem}"))
}

fn failed(message: String) -> (ErrorCode, String) {
    (ErrorCode::RequestFailed, message)
}

fn to<T: serde::Serialize>(value: T) -> Value {
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
            commands: vec![RUN.to_owned()],
            ..ExecuteCommandOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}
