//! Code lens: above each scenario a way to run it. The command is carried out by the server, beside everything else that it does.

use super::server_state::ServerState;
use super::{diagnostics, uri};
use fizzle_compiler::SourceFile;
use fizzle_grammar::ast::ItemKind;
use lsp_types::{CodeLens, CodeLensParams, Command, Diagnostic, DiagnosticSeverity, NumberOrString, Position, Range, Uri};
use serde_json::{Value, json};
use std::str::FromStr;

/// The command.
pub const RUN: &str = "fizzle.runScenario";

/// Room for the machine.
const STACK: usize = 64 << 20;

/// Answers the request.
pub fn code_lens(world: &ServerState, params: &CodeLensParams) -> Option<Vec<CodeLens>> {
    let uri = &params.text_document.uri;
    let file = world.file(uri)?;
    let store = world.session.store();
    let mut lenses = Vec::new();
    for placed in &store.document(file)?.parts {
        let Some(ItemKind::Scenario(scenario)) =
            store.part(placed.part).and_then(|part| part.item.as_ref()).map(|item| &item.kind)
        else {
            continue;
        };
        let Some(range) = world.session.place(scenario.title.span).and_then(|place| world.location(&place)).map(|at| at.range)
        else {
            continue;
        };
        let arguments = vec![json!(uri), json!(scenario.title.text.as_str()), json!(range.start.line)];
        let command = Command { title: "▶ Run scenario".to_owned(), command: RUN.to_owned(), arguments: Some(arguments) };
        lenses.push(CodeLens { range, command: Some(command), data: None });
    }
    Some(lenses)
}

/// What is to be run.
#[derive(Debug)]
pub struct ScenarioJob {
    path: String,
    title: String,
    line: u32,
    files: Vec<SourceFile>,
}

/// What came of it.
#[derive(Debug)]
pub struct Report {
    /// The file of the scenario.
    pub path: String,
    /// What it is called.
    pub title: String,
    /// Why it failed, and on which line (from 1).
    pub failure: Option<(String, u32)>,
}

impl Report {
    /// The answer to the command.
    pub fn answer(&self) -> Value {
        match &self.failure {
            None => json!({ "status": "passed", "name": self.title }),
            Some((message, line)) => json!({ "status": "failed", "name": self.title, "message": message, "line": line }),
        }
    }

    /// What is shown in the sources.
    pub fn diagnostic(&self, world: &ServerState) -> Option<Diagnostic> {
        let (message, line) = self.failure.as_ref()?;
        let line = line.saturating_sub(1);
        let file = world.session.store().number(&self.path)?;
        let (text, lines) = world.text(file)?;
        let written = text.split('\n').nth(line as usize).unwrap_or("");
        let indent = (written.len() - written.trim_start().len()) as u32;
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
    /// Of the arguments of the command: the document, the title, and the line if several have the same one.
    pub fn new(world: &ServerState, arguments: &[Value]) -> Result<Self, String> {
        let text = |index: usize| arguments.get(index).and_then(Value::as_str);
        let (Some(uri), Some(title)) = (text(0), text(1)) else {
            return Err(format!("`{RUN}` takes the address of a document, the title of a scenario and perhaps its line"));
        };
        let path = Uri::from_str(uri).map(|uri| uri::path_of(&uri)).map_err(|_| format!("`{uri}` is no address"))?;
        let path = super::shipped_copies::original(&path).unwrap_or(path);
        if world.session.store().number(&path).is_none() {
            return Err(format!("there is no document `{uri}`"));
        }
        let line = arguments.get(2).and_then(Value::as_u64).and_then(|line| u32::try_from(line).ok()).map_or(0, |line| line + 1);
        let documents = world.session.store().documents();
        let files =
            documents.map(|(_, document)| SourceFile { path: document.path.to_string(), text: document.text.to_string() });
        Ok(Self { path, title: title.to_owned(), line, files: files.collect() })
    }

    /// Starts it; what comes of it goes to `done`.
    pub fn start(self, done: impl FnOnce(Result<Report, String>) + Send + 'static) {
        let run = move || {
            let result = std::panic::catch_unwind(|| self.run());
            done(result.unwrap_or_else(|_| Err("fizzle found a defect in itself".to_owned())));
        };
        // Without a thread there is nobody to answer; the editor goes on without.
        drop(std::thread::Builder::new().stack_size(STACK).spawn(run));
    }

    fn run(self) -> Result<Report, String> {
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
        Ok(Report { path, title, failure })
    }
}
