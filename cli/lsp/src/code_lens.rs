//! Code lenses: a "Run scenario" command above each scenario.
//!
//! The server runs the scenario on a separate thread ([`ScenarioJob::start`]) with a copy of the sources of the session. It answers other
//! requests meanwhile.

use super::server_state::ServerState;
use super::{diagnostics, pack_requests};
use fizzle_compiler::SourceFile;
use fizzle_grammar::ast::ItemKind;
use lsp_types::{CodeLens, CodeLensParams, Command, Diagnostic, DiagnosticSeverity, NumberOrString, Position, Range};
use serde_json::{Value, json};

/// The name of the command that runs a scenario.
pub const RUN_COMMAND: &str = "fizzle.runScenario";

/// Answers `textDocument/codeLens`.
pub fn code_lens(state: &ServerState, params: &CodeLensParams) -> Option<Vec<CodeLens>> {
    let uri = &params.text_document.uri;
    let file = state.file_number(uri)?;
    let store = state.session.store();
    let mut lenses = Vec::new();
    for placed in &store.document(file)?.items {
        let Some(ItemKind::Scenario(scenario)) =
            store.item_source(placed.number).and_then(|part| part.item.as_ref()).map(|item| &item.kind)
        else {
            continue;
        };
        let Some(range) = state.session.place(scenario.title.span).and_then(|place| state.location(&place)).map(|at| at.range)
        else {
            continue;
        };
        let arguments = vec![json!(uri), json!(scenario.title.text.as_str()), json!(range.start.line)];
        let command =
            Command { title: "▶ Run scenario".to_owned(), command: RUN_COMMAND.to_owned(), arguments: Some(arguments) };
        lenses.push(CodeLens { range, command: Some(command), data: None });
    }
    Some(lenses)
}

/// A scenario to run, with a copy of the sources of the session.
#[derive(Debug)]
pub struct ScenarioJob {
    path: String,
    title: String,
    line: u32,
    files: Vec<SourceFile>,
}

/// The result of a scenario.
#[derive(Debug)]
pub struct ScenarioReport {
    /// The path of the file that declares the scenario.
    pub path: String,
    /// The title of the scenario.
    pub title: String,
    /// If it failed: the message, and the line of the failed step (from 1).
    pub failure: Option<(String, u32)>,
}

impl ScenarioReport {
    /// The result of the command as JSON.
    pub fn response(&self) -> Value {
        match &self.failure {
            None => json!({ "status": "passed", "name": self.title }),
            Some((message, line)) => json!({ "status": "failed", "name": self.title, "message": message, "line": line }),
        }
    }

    /// The diagnostic on the failed line; `None` if the scenario passed or its file was removed.
    pub fn diagnostic(&self, state: &ServerState) -> Option<Diagnostic> {
        let (message, line) = self.failure.as_ref()?;
        let line = line.saturating_sub(1);
        let file = state.session.store().number(&self.path)?;
        let (text, lines) = state.text(file)?;
        let line_text = text.split('\n').nth(line as usize).unwrap_or("");
        let indent = (line_text.len() - line_text.trim_start().len()) as u32;
        let start = lines.byte(&text, Position { line, character: 0 }) + indent;
        let range = Range { start: lines.position(&text, start), end: Position { line, character: u32::MAX } };
        let end = lines.position(&text, lines.byte(&text, range.end));
        Some(Diagnostic {
            range: Range { end, ..range },
            severity: Some(DiagnosticSeverity::ERROR),
            code: Some(NumberOrString::String("scenario".to_owned())),
            source: Some(diagnostics::SOURCE.to_owned()),
            message: format!("scenario \"{}\": {message}", self.title),
            ..Diagnostic::default()
        })
    }
}

impl ScenarioJob {
    /// Parses the arguments of the command: the URI of the document, the title, and optionally the line (from 0), which distinguishes
    /// scenarios of the same title.
    ///
    /// # Errors
    /// If an argument is missing or malformed, or if the session has no such document.
    pub fn new(state: &ServerState, arguments: &[Value]) -> Result<Self, String> {
        let text = |index: usize| arguments.get(index).and_then(Value::as_str);
        let (Some(uri), Some(title)) = (text(0), text(1)) else {
            return Err(format!("`{RUN_COMMAND}` takes the address of a document, the title of a scenario and perhaps its line"));
        };
        let path = pack_requests::find_document(state, uri)?;
        let line = arguments.get(2).and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok()).map_or(0, |line| line + 1);
        let files = state.source_files();
        Ok(Self { path, title: title.to_owned(), line, files })
    }

    /// Runs the scenario on a new thread and passes the result to `done`. Returns whether the thread was created.
    pub fn start(self, done: impl FnOnce(Result<ScenarioReport, String>) + Send + 'static) -> bool {
        pack_requests::run_apart(move || self.run(), done)
    }

    fn run(self) -> Result<ScenarioReport, String> {
        let Self { path, title, line, files } = self;
        let compilation = fizzle_compiler::compile(files);
        let Some(artifact) = compilation.artifact else { return Err("the sources have errors".to_owned()) };
        let mut found = Vec::new();
        for game in &artifact.games {
            let file =
                |source: fizzle_runtime::ir::op::Source| game.library.files.get(source.file as usize).map_or("", String::as_str);
            found.extend(
                game.scenarios
                    .iter()
                    .filter(|scenario| scenario.title == title && file(scenario.source) == path)
                    .map(|it| (game, it)),
            );
        }
        let exact = found.iter().find(|(_, scenario)| scenario.source.line == line);
        let Some((game, scenario)) = exact.or(found.first()) else { return Err(format!("there is no scenario \"{title}\"")) };
        let failure = fizzle_runtime::scenario::run(game, scenario, false).err();
        let failure = failure.map(|failure| (failure.message, failure.source.line));
        Ok(ScenarioReport { path, title, failure })
    }
}
