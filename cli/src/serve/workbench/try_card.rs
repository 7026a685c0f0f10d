//! Trying a card: `fizzle/try` opens a table in a position, or plays the table that is open again with the text as it is now. `fizzle/keep` writes
//! what was played there as a scenario.

use super::super::api::{Made, new_key, new_name, open_table};
use super::super::app::App;
use super::super::saved::{SavedSeat, SavedTable, Who};
use super::super::table_handle::Mail;
use fizzle_lsp::{PackRequest, PackRequests};
use fizzle_runtime::ir::Deck;
use fizzle_table::rule_text::Sources;
use fizzle_table::table::{Occupant, Table, TableSetup};
use fizzle_table::table_view::PackIndex;
use fizzle_workbench::keep_as_scenario::{KeptScenario, keep};
use fizzle_workbench::position::{Position, PositionInfo, WantedPosition, position};
use fizzle_workbench::requests::{CARDS, PREVIEW, RULES, RUN, Workbench};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use tokio::sync::oneshot;

/// The request that opens a table.
const TRY: &str = "fizzle/try";
/// The request for what was played at a table, as source text.
const KEEP: &str = "fizzle/keep";

/// The most tables at which cards are tried at the same time. Each holds a compiled game, some ten megabytes.
const MAX_TRY_TABLES: usize = 16;

/// Answers the requests of an editor of the workbench.
pub struct WorkbenchRequests {
    app: Weak<App>,
    runtime: tokio::runtime::Handle,
    workbench: Workbench,
}

impl std::fmt::Debug for WorkbenchRequests {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("WorkbenchRequests")
    }
}

/// The parameters of [`TRY`] and [`KEEP`].
#[derive(Deserialize)]
struct TryParams {
    #[serde(flatten)]
    wanted: WantedPosition,
    /// The table of an earlier request: which is played again, or at which was played.
    #[serde(default)]
    table: Option<String>,
}

/// The answer to [`TRY`].
#[derive(Serialize)]
struct TryAnswer {
    /// The table; absent if the earlier one is played again.
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<Made>,
    position: PositionInfo,
}

impl WorkbenchRequests {
    /// Those of a server. Must be called within its runtime.
    pub fn new(app: &Arc<App>) -> Self {
        Self { app: Arc::downgrade(app), runtime: tokio::runtime::Handle::current(), workbench: Workbench::default() }
    }

    fn open(&self, request: &PackRequest) -> Result<TryAnswer, String> {
        let app = self.app.upgrade().ok_or("the server has ended")?;
        let params: TryParams = serde_json::from_value(request.params.clone()).map_err(|error| error.to_string())?;
        let games = self.workbench.games(request)?;
        let begun = position(&games, &request.path, request.line, &params.wanted)?;
        let info = begun.info.clone();
        let files = request.files.iter().map(|file| (file.path.clone(), file.text.clone()));
        let sources: Arc<Sources> = Arc::new(files.collect());
        let earlier = params.table.as_ref().and_then(|name| app.find_table(name)).filter(|table| table.saved().is_try);
        if let Some(table) = earlier {
            let setup = setup_of(&app, table.name.clone(), begun, &sources);
            table.mail.blocking_send(Mail::Reload(Ok(Box::new(setup)))).map_err(|_| "the table has ended")?;
            return Ok(TryAnswer { table: None, position: info });
        }
        if app.all_tables().iter().filter(|table| table.saved().is_try).count() >= MAX_TRY_TABLES {
            return Err(format!("cards are tried at {MAX_TRY_TABLES} tables already: close one of their pages"));
        }
        let saved = saved_for(&app, &begun)?;
        let setup = setup_of(&app, saved.name.clone(), begun, &sources);
        let made =
            catch_unwind(AssertUnwindSafe(|| Table::new(setup))).map_err(|_| "a defect of the program; please report it")?;
        let _within = self.runtime.enter();
        let table = open_table(&app, saved, made.map_err(|error| error.to_string())?, false)?;
        Ok(TryAnswer { table: Some(table), position: info })
    }

    fn keep(&self, request: &PackRequest) -> Result<KeptScenario, String> {
        let app = self.app.upgrade().ok_or("the server has ended")?;
        let params: TryParams = serde_json::from_value(request.params.clone()).map_err(|error| error.to_string())?;
        let table = params.table.as_ref().and_then(|name| app.find_table(name)).filter(|table| table.saved().is_try);
        let table = table.ok_or("the table has ended")?;
        let (send, answers) = oneshot::channel();
        table.mail.blocking_send(Mail::Answers(send)).map_err(|_| "the table has ended")?;
        let answers = answers.blocking_recv().map_err(|_| "the table has ended")?;
        keep(&self.workbench.compiler, &request.files, (&request.path, request.line), &params.wanted, &answers)
    }
}

/// A table at which one person answers for all seats. Its keys are those of any table.
fn saved_for(app: &App, begun: &Position) -> Result<SavedTable, String> {
    let mut seats = Vec::new();
    for seat in 0..begun.machine.program.players() {
        seats.push(SavedSeat {
            who: Who::Hot,
            bot: String::new(),
            name: String::new(),
            key: if seat == 0 { new_key()?.text() } else { String::new() },
            token: String::new(),
            deck: String::new(),
            cards: Vec::new(),
        });
    }
    Ok(SavedTable {
        fizzle_table: 1,
        name: new_name(app)?,
        format: begun.info.format.clone(),
        rules_hash: String::new(),
        seats,
        watch: new_key()?.text(),
        sandbox: true,
        best_of: 1,
        seed: "1".to_owned(),
        timing_seed: "1".to_owned(),
        is_try: true,
    })
}

fn setup_of(app: &App, name: String, begun: Position, sources: &Arc<Sources>) -> TableSetup {
    let Position { game, machine, .. } = begun;
    let players = machine.program.players();
    TableSetup {
        name,
        pack_index: Arc::new(PackIndex::new(&game)),
        game,
        sources: Arc::clone(sources),
        program: Arc::clone(&machine.program),
        decks: vec![Deck::default(); players],
        any_deck: false,
        occupants: vec![Occupant::Client; players],
        hot_seat: true,
        sandbox: true,
        best_of: 1,
        seed: 1,
        position: Some(Box::new(machine)),
        timing_seed: 1,
        grace: app.limits.grace.as_millis() as u64,
        forced_wait: None,
    }
}

impl PackRequests for WorkbenchRequests {
    fn methods(&self) -> &[&'static str] {
        &[PREVIEW, RUN, CARDS, RULES, TRY, KEEP]
    }

    fn answer(&self, request: PackRequest) -> Result<Value, String> {
        let written = match request.method.as_str() {
            TRY => serde_json::to_value(self.open(&request)?),
            KEEP => serde_json::to_value(self.keep(&request)?),
            _ => return self.workbench.answer(request),
        };
        written.map_err(|error| error.to_string())
    }
}
