//! Where things stand in the block: the header, and offsets computed from a program.

use super::block::CLASSES;
use crate::ir::{Format, Library, has_zone};

/// Two words: the seed of chance.
pub const SEED: usize = CLASSES + 1;
/// Two words: how many random words were drawn.
pub const DRAWN: usize = SEED + 2;
/// The next timestamp.
pub const STAMP: usize = DRAWN + 2;
/// Slots ever used, plus one.
pub const OBJECTS: usize = STAMP + 1;
/// List of free slots.
pub const FREE_SLOTS: usize = OBJECTS + 1;
/// The active player.
pub const ACTIVE: usize = FREE_SLOTS + 1;
/// The number of the turn.
pub const TURN: usize = ACTIVE + 1;
/// List of frame handles, innermost last.
pub const FRAMES: usize = TURN + 1;
/// List of standing effect records.
pub const EFFECTS: usize = FRAMES + 1;
/// List of waiting trigger records.
pub const PENDING: usize = EFFECTS + 1;
/// The plan: what is left of the turn, next last. Pairs (kind, number).
pub const PLAN: usize = PENDING + 1;
/// List of open spans, outermost first.
pub const OPEN: usize = PLAN + 1;
/// List of last-known rows.
pub const KNOWN_ROWS: usize = OPEN + 1;
/// List of players whose extra turns come next, last first, each with the number of the extra turn in the upper bits; below them, plus the number
/// of players, the one after whom the order of turns goes on.
pub const EXTRA_TURNS: usize = KNOWN_ROWS + 1;
/// List of (span, player) pairs to be skipped.
pub const SKIPS: usize = EXTRA_TURNS + 1;
/// The pending decision's record.
pub const DECISION: usize = SKIPS + 1;
/// List: the answer to it, taken by the frame that asked.
pub const ANSWER: usize = DECISION + 1;
/// 0: playing; else one more than the kind of [`crate::vm::Outcome`].
pub const OUTCOME: usize = ANSWER + 1;
/// The winner, or `u32::MAX`.
pub const WINNER: usize = OUTCOME + 1;
/// Mask of players who have lost: they take part no more.
pub const LOST: usize = WINNER + 1;
/// Mask of players who have left the game, or are leaving it.
pub const LEFT: usize = LOST + 1;
/// How many things are being carried out.
pub const RESOLVING: usize = LEFT + 1;
/// Number of decisions so far (those with one answer included).
pub const DECISIONS: usize = RESOLVING + 1;
/// Operations executed since the last decision.
pub const FUEL: usize = DECISIONS + 1;
/// Decisions in this turn.
pub const TURN_DECISIONS: usize = FUEL + 1;
/// The first span of the first turn (scenarios start in mid-turn); 0 for the turn itself.
pub const START_SPAN: usize = TURN_DECISIONS + 1;
/// Whether chance or a reveal happened since the last mark (the barrier of rollback).
pub const BARRIER: usize = START_SPAN + 1;
/// Which budget was exceeded, when one was.
pub const BUDGET: usize = BARRIER + 1;
/// How many primitive events have been committed.
pub const COMMITTED: usize = BUDGET + 1;
/// The value of [`COMMITTED`] when the state rules last had nothing to do, plus one.
pub const SETTLED: usize = COMMITTED + 1;
/// The span that is being ended at once, plus one.
pub const ENDING: usize = SETTLED + 1;
/// Which game of its match this is, from 1.
pub const GAME: usize = ENDING + 1;
/// Who lost the game before it, or `u32::MAX`.
pub const LOSER: usize = GAME + 1;
/// Who had the first turn, or `u32::MAX` before it.
pub const FIRST: usize = LOSER + 1;
/// List of the numbers that chance gives next, last first (scenarios write it).
pub const SCRIPTED_RANDOM: usize = FIRST + 1;
/// What each player was shown of hidden cards: one list per seat (see `vm::knowledge`).
pub const SHOWN: usize = SCRIPTED_RANDOM + 1;
/// At most so many seats have such a list.
pub const SEATS: usize = 8;
/// List of tallies of what has a limit: code, seat, key, span, count.
pub const TALLIES: usize = SHOWN + SEATS;
/// The number of the latest commit in which something happened that is not incidental.
pub const SERIAL: usize = TALLIES + 1;
/// How many extra turns were given.
pub const EXTRA_GIVEN: usize = SERIAL + 1;
/// Which of them this turn is; 0 for none.
pub const EXTRA_NOW: usize = EXTRA_GIVEN + 1;
/// How many decisions in a row had one legal answer.
pub const FORCED: usize = EXTRA_NOW + 1;
/// Two words: the position at one of them, to see whether it recurs.
pub const LOOP_MARK: usize = FORCED + 1;
/// Mask of the state rules that may have something to do (from 31 on they share a bit; see `vm::due`).
pub const DIRTY_RULES: usize = LOOP_MARK + 2;
/// Bit of the state rule that is being asked what it proposes.
pub const RUNNING: usize = DIRTY_RULES + 1;
/// What was written since [`DIRTY_RULES`] was brought up to date: masks of statuses, players' variables and variables of the game (four words
/// each); bits: a span passed, anything may have changed, an event happened, a turn passed, and what stays: effects were not local then;
/// the kinds of zones that something left or came to.
pub const CHANGES_SINCE_CHECK: usize = RUNNING + 1;
/// Words of [`CHANGES_SINCE_CHECK`].
pub const WRITTEN_WORDS: usize = 14;
/// The page table.
pub const PAGES: usize = CHANGES_SINCE_CHECK + WRITTEN_WORDS;
/// At most so many pages of 64 objects.
pub const MAX_PAGES: usize = 64;
/// The first word that depends on the program.
pub const HEADER: usize = PAGES + MAX_PAGES;

/// Columns of every object.
pub const DEFINITION: usize = 0;
/// How often the slot's object became a new one.
pub const INCARNATION: usize = 1;
/// Seat of the owner.
pub const OWNER: usize = 2;
/// Seat of the controller before continuous effects.
pub const CONTROLLER: usize = 3;
/// Zone instance, or [`NOWHERE`].
pub const ZONE: usize = 4;
/// When it entered its zone.
pub const ENTERED: usize = 5;
/// The object on whose pile it lies.
pub const HOST: usize = 6;
/// List of the objects of its pile.
pub const PILE: usize = 7;
/// Record of what was announced of it on the list.
pub const ENTRY: usize = 8;
/// Mask of players who know which card it is, though its zone hides it from them (see `vm::knowledge`).
pub const KNOWN_TO: usize = 9;
/// Which face shows: 0 for what its zone shows, 1 for the front, from 2 on for the further faces. Lasts while it is being used.
pub const FACE: usize = 10;
/// List: what it is instead of its definition (a copy): [`COPY_CARDLESS`] and [`COPY_COMING`], then a derived row.
pub const COPY: usize = 11;
/// The first status. The columns before it stand in the page of an object; each status has a cell of its own, which is there from the first
/// value on that is not 0, and whose handle stands in the page behind those columns.
pub const STATUSES: usize = 12;
/// Objects of a page, and words of a column.
pub const LANES: usize = 64;

/// Of a copy: it was made by an effect, and is no card.
pub const COPY_CARDLESS: u32 = 1;
/// Of a copy: it enters the field so, and is no copy anywhere else.
pub const COPY_COMING: u32 = 2;

/// The zone of what is in no zone.
pub const NOWHERE: u32 = u32::MAX;
/// The place of what was made and has not arrived in its zone: it exists, and is in no zone.
pub const NOT_YET_PLACED: u32 = u32::MAX - 1;

/// Offsets computed from a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// First word of the variables of the game.
    pub globals: usize,
    /// First word of the players' variables.
    pub players: usize,
    /// Words per player.
    pub player_stride: usize,
    /// First word of the zone holders.
    pub zones: usize,
    /// Number of zone instances.
    pub instances: usize,
    /// First instance of each zone kind.
    pub zone_base: Vec<usize>,
    /// Kind of each instance.
    pub zone_kind: Vec<usize>,
    /// Words before the first cell.
    pub fixed: usize,
    /// Columns of an object.
    pub columns: usize,
    /// Words of a page of objects, without the cells of statuses.
    pub page: usize,
}

impl Layout {
    /// The layout for a library and a format.
    #[must_use]
    pub fn new(library: &Library, format: &Format, players: usize) -> Self {
        let globals = HEADER;
        let player_base = globals + library.globals.len();
        let player_stride = library.player_variables.len();
        let zones = player_base + players * player_stride;
        let mut zone_base = Vec::new();
        let mut zone_kind = Vec::new();
        for (kind, zone) in library.zones.iter().enumerate() {
            zone_base.push(zone_kind.len());
            let absent = has_zone(format.absent, kind);
            let count = if absent {
                0
            } else if zone.each_player {
                players
            } else {
                1
            };
            zone_kind.extend(std::iter::repeat_n(kind, count));
        }
        let instances = zone_kind.len();
        Self {
            globals,
            players: player_base,
            player_stride,
            zones,
            instances,
            zone_base,
            zone_kind,
            fixed: zones + instances,
            columns: STATUSES + library.statuses.len(),
            page: STATUSES * LANES + library.statuses.len(),
        }
    }

    /// The word of a variable of the game.
    #[must_use]
    pub fn global(&self, variable: usize) -> usize {
        self.globals + variable
    }

    /// The word of a player's variable.
    #[must_use]
    pub fn player(&self, player: usize, variable: usize) -> usize {
        self.players + player * self.player_stride + variable
    }

    /// The holder of a zone instance's list.
    #[must_use]
    pub fn zone(&self, instance: usize) -> usize {
        self.zones + instance
    }

    /// The kind of a zone instance.
    #[must_use]
    pub fn kind(&self, instance: usize) -> usize {
        self.zone_kind.get(instance).copied().unwrap_or(usize::MAX)
    }
}
