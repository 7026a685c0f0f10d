//! A recorded game for reading: its positions as boards, and playing on from one of them.

use super::transcript::Transcript;
use crate::commands::play::board::Board;
use crate::commands::play::client_state::ClientState;
use crate::commands::play::seating::Seating;
use crate::commands::play::session::{PlaySession, SessionSetup, trace_path};
use crate::failure::CommandError;
use crate::game_setup::SelectedFormat;
use fizzle_runtime::program::Program;
use fizzle_runtime::trace::Trace;
use fizzle_table::layout::of_format;
use fizzle_table::protocol::Lang;
use fizzle_table::replay::{ALL_SEEING, Replay};
use fizzle_table::rule_text::Sources;
use std::path::Path;
use std::sync::Arc;

/// A recorded game that is read.
pub struct RecordedGame<'a> {
    /// The format.
    pub selected: SelectedFormat<'a>,
    /// Its linked program.
    pub program: Arc<Program>,
    /// The sources of the rules.
    pub sources: Arc<Sources>,
    /// The game.
    pub replay: Replay,
    /// The number of recorded answers.
    pub answers: usize,
    /// Who plays if it is continued.
    pub seating: &'a Seating,
}

impl<'a> RecordedGame<'a> {
    /// Reads a trace.
    ///
    /// # Errors
    /// It cannot be read in words.
    pub fn new(
        (selected, sources): (SelectedFormat<'a>, Arc<Sources>),
        program: Arc<Program>,
        trace: &Trace,
        seating: &'a Seating,
    ) -> Result<Self, CommandError> {
        let game = Arc::new(selected.game.clone());
        let replay = Replay::new(&game, trace).map_err(|error| CommandError::Problem(error.to_string()))?;
        Ok(Self { selected, program, sources, replay, answers: trace.answers.len(), seating })
    }

    /// The number of players.
    pub fn players(&self) -> usize {
        self.program.players()
    }

    /// The game in words for a viewer: a seat, or who sees everything.
    pub fn transcript(&self, viewer: usize) -> Transcript {
        Transcript::new(self.replay.passages(viewer, Lang::En), self.answers)
    }

    /// How the game ended, or why it is not read further.
    pub fn outcome(&self) -> String {
        self.replay.outcome(Lang::En)
    }

    /// A place as a viewer sees it.
    pub fn position(&self, place: usize, viewer: usize) -> ClientState {
        let layout = of_format(self.selected.game, &self.program.format, Lang::En);
        let position = self.replay.position(place, viewer, Lang::En);
        position.map(|position| ClientState::of_position(position, layout, self.players())).unwrap_or_default()
    }

    /// Prints the board of a position.
    pub fn print_board(&self, received: &ClientState, viewer: usize) {
        self.board(received, viewer).print();
    }

    /// Prints the numbers of the players in a position.
    pub fn print_numbers(&self, received: &ClientState, viewer: usize) {
        self.board(received, viewer).print_numbers();
    }

    fn board<'b>(&'b self, received: &'b ClientState, viewer: usize) -> Board<'b> {
        // Who sees everything has the first player below.
        let viewer = if viewer == ALL_SEEING { 0 } else { viewer };
        let library = &self.selected.game.library;
        Board { received, library, format: &self.program.format, viewer, hot_seat: true }
    }

    /// Plays on by hand from a place. `number`: how many games of it were continued before.
    ///
    /// # Errors
    /// The game is over there, or its record cannot be written.
    pub fn play_on(&self, place: usize, seat: usize, number: u32) -> Result<(), CommandError> {
        if self.decider(place).is_none() {
            return Err(CommandError::usage("the game is over there").with_help("name an earlier place".to_owned()));
        }
        let output = self.seating.output.as_ref().map(|path| trace_path(path, (number > 0).then_some(number + 1)));
        if let Some(path) = &output {
            crate::files::check_output(Path::new(path))?;
        }
        let game = (self.selected.game, &self.program);
        let setup = self.seating.table_setup(game, Arc::clone(&self.sources), Vec::new(), seat)?;
        let table = self.replay.table(setup, place).map_err(|error| CommandError::Problem(error.to_string()))?;
        let session = SessionSetup {
            selected: self.selected,
            program: Arc::clone(&self.program),
            decks: Vec::new(),
            best_of: None,
            seat,
            hot_seat: self.seating.hot_seat,
            output,
        };
        let mut session = PlaySession::join(session, table);
        session.print_introduction();
        session.skip_log();
        session.run()
    }

    /// The seat that decides at a place.
    pub fn decider(&self, place: usize) -> Option<usize> {
        self.replay.decider(place)
    }
}
