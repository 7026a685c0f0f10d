//! Serialises a game in progress, at any decision. Only a program with the same rules and state layout can load it. Loading
//! verifies the checksum, what owns each cell ([`crate::ownership`]) and the invariants.

use crate::ownership;
use crate::program::Program;
use crate::state::State;
use crate::state::block::Block;
use crate::state::layout as at;
use crate::trace::layout_hash;
use crate::vm::machine::Machine;
use std::sync::Arc;

/// The magic number of a saved game.
pub const MAGIC: [u8; 8] = *b"FZSTATE\x01";

/// The maximum number of words of a block.
const MAX_WORDS: usize = 1 << 24;

/// The maximum number of marks.
const MAX_MARKS: usize = 64;

/// Why bytes are not a saved game of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SaveGameError {
    /// The magic number is missing, or the version differs.
    #[error("this is not a saved game of this version")]
    Magic,
    /// The bytes are truncated or too long.
    #[error("the saved game has another length than it says")]
    Length,
    /// The checksum is wrong.
    #[error("the saved game is damaged: its checksum is wrong")]
    Checksum,
    /// The game was played with other rules.
    #[error("the saved game was played by other rules")]
    Rules,
    /// The layout of the state differs.
    #[error("the saved game has another layout of its state")]
    Layout,
    /// The state is inconsistent.
    #[error("the saved game does not hold together: {0}")]
    Unsound(&'static str),
}

/// Serialises a game in progress.
#[must_use]
pub fn save(machine: &Machine) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(machine.program.rules_hash.to_le_bytes());
    bytes.extend(layout_hash(&machine.program).to_le_bytes());
    let blocks = || std::iter::once(&machine.state.block).chain(&machine.state.marks);
    bytes.extend((blocks().count() as u32).to_le_bytes());
    for block in blocks() {
        bytes.extend((block.words().len() as u32).to_le_bytes());
        bytes.extend(block.words().iter().flat_map(|word| word.to_le_bytes()));
    }
    let sum = xxhash_rust::xxh3::xxh3_64(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// Loads a game in progress.
///
/// # Errors
/// Returns a [`SaveGameError`] if the bytes are no valid save of this program.
pub fn load(program: Arc<Program>, bytes: &[u8]) -> Result<Machine, SaveGameError> {
    let mut reader = ByteReader { bytes };
    if reader.take::<8>()? != MAGIC {
        return Err(SaveGameError::Magic);
    }
    let (summed, sum) = bytes.split_at(bytes.len().checked_sub(8).ok_or(SaveGameError::Length)?);
    if xxhash_rust::xxh3::xxh3_64(summed).to_le_bytes() != sum {
        return Err(SaveGameError::Checksum);
    }
    if u64::from_le_bytes(reader.take()?) != program.rules_hash {
        return Err(SaveGameError::Rules);
    }
    if u64::from_le_bytes(reader.take()?) != layout_hash(&program) {
        return Err(SaveGameError::Layout);
    }
    let count = reader.number()?;
    if count == 0 || count > MAX_MARKS + 1 {
        return Err(SaveGameError::Unsound("too many marks"));
    }
    let mut blocks = Vec::new();
    for _ in 0..count {
        let state = State { block: reader.block()?, marks: Vec::new() };
        check_state(&program, &state)?;
        blocks.push(state.block);
    }
    if reader.bytes.len() != 8 {
        return Err(SaveGameError::Length);
    }
    let mut blocks = blocks.into_iter();
    let block = blocks.next().unwrap_or_default();
    let state = State { block, marks: blocks.collect() };
    let mut machine = Machine::with_state(program, state);
    machine.check_objects().map_err(|_| SaveGameError::Unsound("objects are not where their zones say"))?;
    // The check computes derived values, which the saved game had. A game that is resumed has the budget of one that continues.
    if !machine.scratch.has_too_much_derived_work() {
        machine.scratch.reset_fuel();
    }
    Ok(machine)
}

struct ByteReader<'a> {
    bytes: &'a [u8],
}

impl ByteReader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], SaveGameError> {
        let (head, rest) = self.bytes.split_first_chunk::<N>().ok_or(SaveGameError::Length)?;
        self.bytes = rest;
        Ok(*head)
    }

    fn number(&mut self) -> Result<usize, SaveGameError> {
        Ok(u32::from_le_bytes(self.take()?) as usize)
    }

    fn block(&mut self) -> Result<Block, SaveGameError> {
        let words = self.number()?;
        if words > MAX_WORDS || words * 4 > self.bytes.len() {
            return Err(SaveGameError::Length);
        }
        let (head, rest) = self.bytes.split_at(words * 4);
        self.bytes = rest;
        let mut block = Block::default();
        block.set_words(head.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect());
        Ok(block)
    }
}

/// Checks a state: who owns each cell, and that objects are of cards, players and zones that exist.
fn check_state(program: &Program, state: &State) -> Result<(), SaveGameError> {
    ownership::check(program, state).map_err(SaveGameError::Unsound)?;
    if state.block.get(at::ACTIVE_PLAYER) as usize >= program.players() {
        return Err(SaveGameError::Unsound("its header is out of range"));
    }
    for slot in 1..state.slots() {
        let owner = state.column(slot, at::OWNER) as usize;
        let definition = state.column(slot, at::DEFINITION) as usize;
        let known = owner < program.players()
            && program.library.definitions.get(definition).is_some()
            && state.column(slot, at::FACE) <= *program.faces(definition as u32).end()
            && state.zone(slot).is_none_or(|zone| zone < program.layout.instances);
        let copied = state.copied_row(slot).len();
        if !known || (copied != 0 && copied != program.row.stride) {
            return Err(SaveGameError::Unsound("an object is out of range"));
        }
    }
    if state.ability_totals() != state.count_abilities(program) {
        return Err(SaveGameError::Unsound("its numbers of abilities are wrong"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{RecordedGame, start};
    use crate::random_answers::RandomAnswers;
    use crate::records::event::{REPLACED_EVENT_SHIFT, word};
    use crate::records::frame::batch;
    use crate::testing;
    use crate::vm::machine::StepResult;
    use proptest::prelude::*;

    fn game_after(answers: usize) -> RecordedGame {
        let machine = start(testing::program(), &[testing::cards(12), testing::cards(12)], 5).expect("the game starts");
        let mut game = RecordedGame::new(machine);
        let mut random = RandomAnswers::new(1);
        for _ in 0..answers {
            let StepResult::Decision(decision) = game.advance() else { break };
            let picks = random.answer(&game.machine, &decision);
            game.answer(&decision, &picks).expect("legal");
        }
        game.advance();
        game
    }

    #[test]
    fn a_loaded_game_has_used_nothing_of_its_budget() {
        for answers in [3, 9, 14] {
            let loaded = load(testing::program(), &save(&game_after(answers).machine)).expect("the save loads");
            assert_eq!(loaded.fuel(), 0, "after {answers} answers");
        }
    }

    #[test]
    fn loaded_game_continues_like_the_saved_one() {
        let mut game = game_after(9);
        let bytes = save(&game.machine);
        let mut loaded = load(testing::program(), &bytes).expect("the save loads");
        assert_eq!(loaded.state.hash(), game.machine.state.hash());
        assert_eq!(loaded.state, game.machine.state);
        for _ in 0..5 {
            let (a, b) = (game.machine.step(), loaded.step());
            assert_eq!(a, b);
            if let StepResult::Decision(decision) = a {
                let picks: Vec<u32> = (0..decision.min as u32).collect();
                game.machine.answer(&picks).expect("legal");
                loaded.answer(&picks).expect("legal");
            }
        }
        assert_eq!(loaded.state.hash(), game.machine.state.hash());
    }

    /// Replaces the checksum by the correct one.
    fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
        let end = bytes.len().saturating_sub(8);
        bytes.truncate(end);
        let sum = xxhash_rust::xxh3::xxh3_64(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    #[test]
    fn free_cells_must_be_empty() {
        let mut machine = game_after(9).machine;
        let handle = machine.state.block.alloc(8);
        machine.state.block.free(handle);
        assert!(load(testing::program(), &save(&machine)).is_ok(), "one more free cell");
        machine.state.block.set(handle + 3, 1);
        assert!(matches!(load(testing::program(), &save(&machine)), Err(SaveGameError::Unsound("a free cell is not empty"))));
    }

    /// Events that are part of each other, or stand in for each other, would be followed without an end.
    #[test]
    fn events_form_no_circle() {
        let mut machine = game_after(9).machine;
        let frame = machine.push_batch();
        machine.propose_in(frame, crate::ir::verbs::PUT, &[0, 0], [0; 4]);
        assert!(load(testing::program(), &save(&machine)).is_ok());
        for (word, value) in [(word::PARENT, 1), (word::FLAGS, 1 << REPLACED_EVENT_SHIFT)] {
            let mut forged = machine.clone();
            forged.state.block.overwrite(frame + batch::EVENTS, word, &[value]);
            assert!(matches!(load(testing::program(), &save(&forged)), Err(SaveGameError::Unsound(_))), "{word}");
        }
    }

    /// The numbers by which fuel is charged are those of the objects.
    #[test]
    fn numbers_of_abilities_are_checked() {
        let mut machine = game_after(9).machine;
        machine.state.block.set(at::ABILITY_TOTALS + 1, machine.state.ability_totals()[1] + 1);
        let found = load(testing::program(), &save(&machine));
        assert!(matches!(found, Err(SaveGameError::Unsound("its numbers of abilities are wrong"))));
    }

    proptest! {
        #[test]
        fn random_bytes_never_load(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            prop_assert!(load(testing::program(), &bytes).is_err());
        }

        #[test]
        fn cut_and_flipped_bytes_never_load(cut in 0usize..100_000, at in 0usize..100_000, bit in 0u8..8) {
            let bytes = save(&game_after(4).machine);
            let cut = cut % bytes.len();
            prop_assert!(load(testing::program(), &bytes[..cut]).is_err());
            let mut flipped = bytes.clone();
            let at = at % bytes.len();
            flipped[at] ^= 1 << bit;
            prop_assert!(load(testing::program(), &flipped).is_err());
        }

        #[test]
        fn forged_states_load_or_are_refused_but_never_panic(at in 24usize..40_000, value in any::<u8>()) {
            let mut bytes = save(&game_after(4).machine);
            let at = 24 + at % (bytes.len() - 32);
            bytes[at] = value;
            if let Ok(mut machine) = load(testing::program(), &with_checksum(bytes)) {
                machine.limits.fuel = 20_000;
                let _ = machine.step();
            }
        }
    }
}
