//! Checks that each cell of a state has one owner, for loaded games and for the invariant checker: it is owned once, or is empty and once in the
//! list of free cells of its size. Records have the size of their kind, and name players, functions and abilities that exist.

use crate::ir::encoding_limits::MAX_OBJECTS;
use crate::ir::{FnId, NO_PLAYER};
use crate::program::Program;
use crate::records::event::{EVENT_WORDS, REPLACED_EVENT_SHIFT, word as event_word};
use crate::records::frame::body::carries;
use crate::records::frame::{FrameKind, KIND, announce, batch, body, game, kind, paragraphs, pay, resolve, settle, turn, window};
use crate::records::{
    EFFECT_ABILITIES, EFFECT_CAPTURES, EFFECT_CONTROLLER, EFFECT_COPIED, EFFECT_MODS, EFFECT_UNTIL, EFFECT_WHOM, EFFECT_WORDS,
    ENTRY_EXTRAS, ENTRY_KEPT_ABILITIES, ENTRY_KIND, ENTRY_OPTIONS, ENTRY_PARAGRAPHS, ENTRY_USER, ENTRY_WORDS, KNOWN_ROW,
    PENDING_ABILITY, PENDING_ARGS, PENDING_CONTROLLER, PENDING_WORDS, decision, entry_kind, last_known_entry, last_known_text,
    last_known_words,
};
use crate::state::block::{Block, CLASSES};
use crate::state::{State, layout as at};
use std::collections::{BTreeMap, BTreeSet};

/// `Err`: what does not hold.
type Checked = Result<(), &'static str>;

/// The walk over everything that owns a cell.
struct Walk<'a> {
    program: &'a Program,
    state: &'a State,
    block: &'a Block,
    /// The cells that have no owner yet, with their size classes.
    cells: BTreeMap<usize, usize>,
    frames: BTreeSet<usize>,
    /// The frame below the one that is checked, or 0.
    below: usize,
    entries: BTreeSet<usize>,
}

/// Checks all cells of a state, apart from its marks.
///
/// # Errors
/// Returns what does not hold.
pub(crate) fn check(program: &Program, state: &State) -> Checked {
    let block = &state.block;
    let cells = cells(program, block)?;
    let slots = state.slots();
    require((1..=MAX_OBJECTS + 1).contains(&slots), "its header is out of range")?;
    let mut walk = Walk { program, state, block, cells, frames: BTreeSet::new(), below: 0, entries: BTreeSet::new() };
    walk.free_cells()?;
    walk.header()?;
    walk.objects()?;
    walk.records()?;
    require(walk.cells.is_empty(), "a cell is neither in use nor free")
}

/// All cells of a block, with their size classes.
fn cells(program: &Program, block: &Block) -> Result<BTreeMap<usize, usize>, &'static str> {
    let length = block.words().len();
    let mut place = program.layout.fixed.max(CLASSES + 1);
    require(place <= length, "it is too short")?;
    let mut cells = BTreeMap::new();
    while place < length {
        let class = block.get(place) as usize;
        require(class < CLASSES, "a cell has no size")?;
        cells.insert(place + 1, class);
        place += 1 + (4 << class);
    }
    require(place == length, "the last cell is cut off")?;
    Ok(cells)
}

fn require(holds: bool, what: &'static str) -> Checked {
    if holds { Ok(()) } else { Err(what) }
}

impl Walk<'_> {
    /// Takes a cell of at least `words` words, which nothing else owns.
    fn own(&mut self, handle: usize, words: usize) -> Checked {
        if handle == 0 {
            return require(words == 0, "a record is missing");
        }
        require(self.block.capacity(handle) >= words, "a record is too small")?;
        require(self.cells.remove(&handle).is_some(), "a cell has two owners")
    }

    /// Takes the cell of the list in a word. Returns its items.
    fn own_list(&mut self, holder: usize) -> Result<Vec<u32>, &'static str> {
        let handle = self.block.get(holder) as usize;
        self.own(handle, 0)?;
        require(
            handle == 0 || (self.block.get(handle) as usize) < self.block.capacity(handle),
            "a list is longer than its cell",
        )?;
        Ok(self.block.items(handle).to_vec())
    }

    fn own_lists(&mut self, record: usize, words: &[usize]) -> Checked {
        words.iter().try_for_each(|word| self.own_list(record + word).map(|_| ()))
    }

    fn is_seat(&self, word: u32) -> bool {
        (word as usize) < self.program.players()
    }

    fn is_seat_or_none(&self, word: u32) -> bool {
        i64::from(word as i32) == NO_PLAYER || self.is_seat(word)
    }

    /// Each free cell is once in the list of its size. Apart from the link to the next one it is empty: records are made in free cells without
    /// clearing them.
    fn free_cells(&mut self) -> Checked {
        for class in 0..CLASSES {
            let mut cell = self.block.get(1 + class) as usize;
            while cell != 0 {
                require(
                    self.cells.remove(&cell) == Some(class),
                    "the list of free cells holds a cell twice, or of another size",
                )?;
                let rest = self.block.slice(cell + 1, (4 << class) - 1);
                require(rest.iter().all(|word| *word == 0), "a free cell is not empty")?;
                cell = self.block.get(cell) as usize;
            }
        }
        Ok(())
    }

    fn header(&mut self) -> Checked {
        let lists = [
            at::FREE_SLOTS,
            at::USAGE_COUNTS,
            at::PLAN,
            at::OPEN_PERIODS,
            at::EXTRA_TURNS,
            at::SKIPS,
            at::SCRIPTED_RANDOM,
            at::ANSWER,
        ];
        self.own_lists(0, &lists)?;
        let shown: Vec<usize> = (at::SHOWN_CARDS..at::SHOWN_CARDS + at::MAX_SEATS).collect();
        self.own_lists(0, &shown)?;
        let zones: Vec<usize> = (0..self.program.layout.instances).map(|zone| self.program.layout.zone(zone)).collect();
        self.own_lists(0, &zones)?;
        let lists = self
            .program
            .library
            .globals
            .iter()
            .enumerate()
            .filter(|(_, variable)| variable.ty.is_list() || variable.keys.is_some());
        let lists: Vec<usize> = lists.map(|(number, _)| self.program.layout.global(number)).collect();
        self.own_lists(0, &lists)?;
        for player in 0..self.program.players() {
            let keyed = self.program.library.player_variables.iter().enumerate().filter(|(_, variable)| variable.keys.is_some());
            let keyed: Vec<usize> = keyed.map(|(number, _)| self.program.layout.player(player, number)).collect();
            self.own_lists(0, &keyed)?;
        }
        for period in self.block.list(at::OPEN_PERIODS) {
            require((*period as usize) < self.program.format.periods.len(), "a period does not exist")?;
        }
        for word in [at::WINNER, at::FIRST_PLAYER, at::PREVIOUS_LOSER] {
            let seat = self.block.get(word);
            require(seat == u32::MAX || self.is_seat(seat), "its header names a player who does not exist")?;
        }
        require(self.block.get(at::OUTCOME) <= 3, "its outcome does not exist")?;
        let record = self.block.get(at::DECISION) as usize;
        if record != 0 {
            self.own(record, decision::WORDS)?;
            require(self.is_seat(self.block.get(record + decision::PLAYER)), "a player who does not exist would decide")?;
            self.own_lists(record, &[decision::OPTIONS, decision::BOARD])?;
        }
        Ok(())
    }

    /// Pages of objects, the cells of their statuses, their piles, entries and copies.
    fn objects(&mut self) -> Checked {
        let keyed: Vec<bool> =
            self.program.library.statuses.iter().map(|status| status.keys.is_some() || status.ty.is_list()).collect();
        for page in 0..at::MAX_PAGES {
            let page = self.block.get(at::PAGES + page) as usize;
            if page == 0 {
                continue;
            }
            self.own(page, self.program.layout.page)?;
            for (status, keyed) in keyed.iter().enumerate() {
                let column = self.block.get(page + at::STATUSES * at::LANES + status) as usize;
                if column == 0 {
                    continue;
                }
                self.own(column, at::LANES)?;
                if *keyed {
                    let lists: Vec<usize> = (0..at::LANES).collect();
                    self.own_lists(column, &lists)?;
                }
            }
        }
        let state = self.state;
        let mut free = BTreeSet::new();
        for slot in self.block.list(at::FREE_SLOTS).iter().map(|slot| *slot as usize) {
            let is_free = (1..state.slots()).contains(&slot) && state.zone(slot).is_none() && state.column(slot, at::HOST) == 0;
            require(is_free && free.insert(slot), "a slot is free twice, or in use")?;
        }
        for slot in 1..state.slots() {
            require(self.is_seat_or_none(state.column(slot, at::CONTROLLER)), "an object has a controller who does not exist")?;
            self.own_lists(0, &[state.cell(slot, at::PILE), state.cell(slot, at::COPY)])?;
            let entry = state.column(slot, at::ENTRY) as usize;
            if entry != 0 {
                self.entry(entry)?;
            }
        }
        Ok(())
    }

    /// The record of something on the list. Frames may refer to it, too.
    fn entry(&mut self, entry: usize) -> Checked {
        if !self.entries.insert(entry) {
            return Ok(());
        }
        self.own(entry, ENTRY_WORDS)?;
        require(self.block.get(entry + ENTRY_KIND) <= entry_kind::TRIGGER, "an entry of the list has no kind")?;
        require(self.is_seat(self.block.get(entry + ENTRY_USER)), "an entry of the list has a player who does not exist")?;
        self.own_lists(entry, &[ENTRY_EXTRAS, ENTRY_OPTIONS, ENTRY_KEPT_ABILITIES])?;
        for pair in self.own_list(entry + ENTRY_PARAGRAPHS)?.chunks(2) {
            let &[function, registers] = pair else { return require(false, "an entry of the list has half a paragraph") };
            self.own(registers as usize, 1)?;
            self.registers(FnId(function), registers as usize, registers as usize)?;
        }
        Ok(())
    }

    /// The registers of a function in the cell `holder`, from the word `first` on. Lists are stored by value.
    fn registers(&mut self, function: FnId, holder: usize, first: usize) -> Checked {
        let program = self.program;
        let Some(code) = program.function(function) else { return require(false, "a function does not exist") };
        let fits = first - holder + code.registers.len() <= self.block.capacity(holder);
        require(fits || code.registers.is_empty(), "a function has more registers than its record")?;
        let lists = code.registers.iter().enumerate().filter(|(_, ty)| ty.is_list());
        let lists: Vec<usize> = lists.map(|(register, _)| register).collect();
        self.own_lists(first, &lists)
    }

    fn records(&mut self) -> Checked {
        let frames = self.own_list(at::FRAMES)?;
        self.frames = frames.iter().map(|frame| *frame as usize).collect();
        for frame in frames {
            self.frame(frame as usize)?;
            self.below = frame as usize;
        }
        for effect in self.own_list(at::EFFECTS)? {
            self.effect(effect as usize)?;
        }
        for trigger in self.own_list(at::PENDING_TRIGGERS)? {
            let trigger = trigger as usize;
            self.own(trigger, PENDING_WORDS)?;
            self.own_lists(trigger, &[PENDING_ARGS])?;
            let ability = self.block.get(trigger + PENDING_ABILITY) as usize;
            require(self.program.library.abilities.get(ability).is_some(), "a waiting trigger has no ability")?;
            require(self.is_seat_or_none(self.block.get(trigger + PENDING_CONTROLLER)), "a waiting trigger has no controller")?;
        }
        let statuses = KNOWN_ROW + self.program.row.stride;
        for row in self.own_list(at::LAST_KNOWN_ROWS)? {
            let row = row as usize;
            let text = last_known_text(self.program, row) - row;
            self.own(row, last_known_words(self.program))?;
            let keyed = self
                .program
                .library
                .statuses
                .iter()
                .enumerate()
                .filter(|(_, status)| status.keys.is_some() || status.ty.is_list());
            let mut lists: Vec<usize> = keyed.map(|(number, _)| statuses + number).collect();
            lists.push(text);
            self.own_lists(row, &lists)?;
            let entry = self.block.get(last_known_entry(self.program, row)) as usize;
            if entry != 0 {
                self.entry(entry)?;
            }
        }
        Ok(())
    }

    fn effect(&mut self, effect: usize) -> Checked {
        self.own(effect, EFFECT_WORDS)?;
        require(
            self.is_seat_or_none(self.block.get(effect + EFFECT_CONTROLLER)),
            "an effect has a controller who does not exist",
        )?;
        self.own_lists(effect, &[EFFECT_WHOM, EFFECT_CAPTURES, EFFECT_UNTIL])?;
        let modifications = self.own_list(effect + EFFECT_MODS)?;
        let exists = modifications.iter().all(|number| self.program.modification(*number).is_some());
        let abilities = self.own_list(effect + EFFECT_ABILITIES)?;
        let have = abilities.iter().all(|number| self.program.library.abilities.get(*number as usize).is_some());
        let copied = self.own_list(effect + EFFECT_COPIED)?.len();
        let whole = copied == 0 || copied >= self.program.row.stride;
        require(exists && have && whole, "an effect does what does not exist")
    }

    /// A frame that another one refers to, or none.
    fn is_frame_or_none(&self, word: usize) -> bool {
        let frame = self.block.get(word) as usize;
        frame == 0 || self.frames.contains(&frame)
    }

    /// Returns whether a frame is a body that has the registers of two results, plus one; or 0 for none.
    fn receives(&self, frame: usize, done: u32, out: u32) -> bool {
        let function = self.program.function(FnId(self.block.get(frame + body::FUNCTION)));
        let registers = function.map_or(&[][..], |function| function.registers.as_slice());
        let register = |number: u32| number.checked_sub(1).map(|number| registers.get(number as usize));
        self.block.get(frame + KIND) == kind::BODY
            && register(done).is_none_or(|ty| ty.is_some_and(|ty| !ty.is_list()))
            && register(out).is_none_or(|ty| ty.is_some())
    }

    fn frame(&mut self, frame: usize) -> Checked {
        let get = |word: usize| self.block.get(frame + word);
        let Some(what) = FrameKind::from_word(get(KIND)) else { return require(false, "a frame has no kind") };
        let entry = |word: usize| get(word) as usize;
        match what {
            FrameKind::Body => {
                self.own(frame, body::REGISTERS)?;
                let function = FnId(get(body::FUNCTION));
                require(self.is_seat_or_none(get(body::PLAYER)), "a frame has a player who does not exist")?;
                require(self.is_seat_or_none(get(body::CHOOSER)), "a frame has a player who does not exist")?;
                let outer = get(body::BATCH) as usize;
                let is_batch = self.frames.contains(&outer) && self.block.get(outer + KIND) == kind::BATCH;
                require(outer == 0 || is_batch, "a frame waits for no batch")?;
                let events = if is_batch { self.block.len(outer + batch::EVENTS) / EVENT_WORDS } else { 0 };
                require(get(body::EVENT) as usize <= events, "a frame is the body of no event")?;
                let events = self.own_list(frame + body::GATHERED)?;
                self.events(&events)?;
                let carried = self.block.words().get(frame + body::CARRIED..frame + body::REGISTERS).unwrap_or(&[]).to_vec();
                let what = get(body::CARRIES);
                if what != carries::NOTHING {
                    let fits = what <= carries::EVENT_WITH_RESULTS && outer == 0;
                    require(fits && self.receives(self.below, get(body::DONE), get(body::OUT)), "a frame reports to no body")?;
                    self.events(&carried)?;
                }
                self.own_list(frame + body::RESULTS)?;
                self.registers(function, frame, frame + body::REGISTERS)?;
                let operations = self.program.function(function).map_or(0, |function| function.ops.len());
                require(get(body::PC) as usize <= operations, "a frame is behind the end of its function")
            }
            FrameKind::Batch => {
                self.own(frame, batch::WORDS)?;
                let events = self.own_list(frame + batch::EVENTS)?;
                self.events(&events)?;
                let count = events.len() / EVENT_WORDS;
                let numbers = [get(batch::ASKING), get(batch::SEGMENT)].into_iter().all(|number| number as usize <= count);
                require(numbers, "a batch is behind its last event")?;
                let bodies = self.own_list(frame + batch::BODIES)?;
                self.frames.extend(bodies.iter().map(|body| *body as usize));
                for group in self.own_list(frame + batch::GROUPS)?.chunks(5) {
                    let &[waiting, first, length, done, out] = group else { return require(false, "a batch has half a group") };
                    require(self.receives(waiting as usize, done, out), "a batch reports to no body")?;
                    require(
                        first.checked_add(length).is_some_and(|end| end as usize <= count),
                        "a group has events that do not exist",
                    )?;
                }
                bodies.into_iter().try_for_each(|body| self.frame(body as usize))
            }
            FrameKind::Window => {
                self.own(frame, window::WORDS)?;
                require(self.is_seat(get(window::ACTOR)), "a window has a player who does not exist")
            }
            FrameKind::Settle => {
                self.own(frame, settle::WORDS)?;
                require(self.is_seat_or_none(get(settle::PICKER)), "a frame has a player who does not exist")?;
                require(self.is_frame_or_none(frame + settle::REPORT), "a frame reports to none")
            }
            FrameKind::Announce => {
                self.own(frame, announce::WORDS)?;
                require(self.is_seat(get(announce::USER)), "a frame has a player who does not exist")?;
                require(self.is_frame_or_none(frame + announce::REPORT), "a frame reports to none")?;
                if entry(announce::ENTRY) == 0 { Ok(()) } else { self.entry(entry(announce::ENTRY)) }
            }
            FrameKind::Pay => {
                self.own(frame, pay::WORDS)?;
                require(self.is_seat(get(pay::PLAYER)), "a frame has a player who does not exist")?;
                require(self.is_frame_or_none(frame + pay::REPORT), "a frame reports to none")?;
                require((get(pay::PAYMENT) as usize) < self.program.format.payments.len(), "a payment does not exist")?;
                self.own_lists(frame, &[pay::UNITS, pay::PRODUCERS, pay::LEFT_OVER, pay::NAMED])
            }
            FrameKind::Resolve => {
                self.own(frame, resolve::WORDS)?;
                if entry(resolve::ENTRY) == 0 { Ok(()) } else { self.entry(entry(resolve::ENTRY)) }
            }
            FrameKind::Paragraphs => {
                self.own(frame, paragraphs::WORDS)?;
                require(self.is_frame_or_none(frame + paragraphs::RESOLVE), "a frame reports to none")?;
                if entry(paragraphs::ENTRY) == 0 { Ok(()) } else { self.entry(entry(paragraphs::ENTRY)) }
            }
            FrameKind::Turn => {
                self.own(frame, turn::WORDS)?;
                require((get(turn::PERIOD) as usize) < self.program.format.periods.len().max(1), "a period does not exist")
            }
            FrameKind::Game => self.own(frame, game::WORDS),
        }
    }

    /// The events of a batch, and the lists of replacements that they used.
    fn events(&mut self, words: &[u32]) -> Checked {
        require(words.len().is_multiple_of(EVENT_WORDS), "a batch has half an event")?;
        for (number, event) in words.chunks(EVENT_WORDS).enumerate() {
            let get = |word: usize| event.get(word).copied().unwrap_or(0);
            require((get(event_word::ACTION) as usize) < self.program.format.actions.len(), "an action does not exist")?;
            // An event is part of an earlier one and stands in for an earlier one, so that following these links ends.
            require(get(event_word::PARENT) as usize <= number, "an event is part of none before it")?;
            let replaced = get(event_word::FLAGS) >> REPLACED_EVENT_SHIFT;
            require(replaced as usize <= number, "an event stands in for none before it")?;
            let used = get(event_word::USED) as usize;
            self.own(used, 0)?;
            let fits = used == 0 || (self.block.get(used) as usize) < self.block.capacity(used);
            require(fits, "a list is longer than its cell")?;
        }
        Ok(())
    }
}
