//! Layout of the state block: offsets of the header, columns of objects, and offsets computed from a program.

use super::block::CLASSES;
use crate::ir::{Format, Library, has_zone};

/// Two words: the seed of the random number generator.
pub const SEED: usize = CLASSES + 1;
/// Two words: how many random words were drawn.
pub const RANDOM_DRAWS: usize = SEED + 2;
/// The next timestamp.
pub const NEXT_TIMESTAMP: usize = RANDOM_DRAWS + 2;
/// The number of slots ever used, plus one.
pub const SLOT_COUNT: usize = NEXT_TIMESTAMP + 1;
/// List of free slots.
pub const FREE_SLOTS: usize = SLOT_COUNT + 1;
/// The active player.
pub const ACTIVE_PLAYER: usize = FREE_SLOTS + 1;
/// The number of the turn.
pub const TURN: usize = ACTIVE_PLAYER + 1;
/// List of frame handles, innermost last.
pub const FRAMES: usize = TURN + 1;
/// List of records of effects with a duration.
pub const EFFECTS: usize = FRAMES + 1;
/// List of waiting trigger records.
pub const PENDING_TRIGGERS: usize = EFFECTS + 1;
/// The plan: the rest of the turn, next entry last. Pairs (kind, number).
pub const PLAN: usize = PENDING_TRIGGERS + 1;
/// List of open periods, outermost first.
pub const OPEN_PERIODS: usize = PLAN + 1;
/// List of last-known rows.
pub const LAST_KNOWN_ROWS: usize = OPEN_PERIODS + 1;
/// List of players who take the next extra turns, last first; the upper bits hold the number of the extra turn. Below them, with
/// the number of players added, is the player after whom the turn order continues.
pub const EXTRA_TURNS: usize = LAST_KNOWN_ROWS + 1;
/// List of (period, player) pairs to be skipped.
pub const SKIPS: usize = EXTRA_TURNS + 1;
/// The pending decision's record.
pub const DECISION: usize = SKIPS + 1;
/// List: the answer to the decision, taken by the frame that requested it.
pub const ANSWER: usize = DECISION + 1;
/// 0 while the game is played; else the kind of [`crate::vm::machine::Outcome`] plus one.
pub const OUTCOME: usize = ANSWER + 1;
/// The winner, or `u32::MAX`.
pub const WINNER: usize = OUTCOME + 1;
/// Mask of players who have lost; they no longer take part.
pub const PLAYERS_LOST: usize = WINNER + 1;
/// Mask of players who have left the game, or are leaving it.
pub const PLAYERS_LEFT: usize = PLAYERS_LOST + 1;
/// Mask of players who have won by an effect. Not set between two commits: the game ends.
pub const PLAYERS_WON: usize = PLAYERS_LEFT + 1;
/// The number of objects that are resolving.
pub const RESOLVING_COUNT: usize = PLAYERS_WON + 1;
/// The number of decisions so far, those with a single answer included.
pub const DECISIONS: usize = RESOLVING_COUNT + 1;
/// The number of operations executed since the last decision.
pub const FUEL: usize = DECISIONS + 1;
/// The number of decisions in this turn.
pub const TURN_DECISIONS: usize = FUEL + 1;
/// The first period of the first turn (scenarios can start in mid-turn); 0 for the turn itself.
pub const START_PERIOD: usize = TURN_DECISIONS + 1;
/// Whether a random draw or a reveal happened since the last mark (a barrier for rollback).
pub const BARRIER: usize = START_PERIOD + 1;
/// Which budget was exceeded, if one was.
pub const BUDGET: usize = BARRIER + 1;
/// The number of committed primitive events.
pub const COMMIT_COUNT: usize = BUDGET + 1;
/// The value of [`COMMIT_COUNT`] at the last check in which no state rule acted, plus one.
pub const SETTLED_AT: usize = COMMIT_COUNT + 1;
/// The period that is being ended immediately, plus one.
pub const ENDING_PERIOD: usize = SETTLED_AT + 1;
/// The number of this game in its match, from 1.
pub const GAME_NUMBER: usize = ENDING_PERIOD + 1;
/// The player who lost the previous game of the match, or `u32::MAX`.
pub const PREVIOUS_LOSER: usize = GAME_NUMBER + 1;
/// The player who had the first turn, or `u32::MAX` before it.
pub const FIRST_PLAYER: usize = PREVIOUS_LOSER + 1;
/// List of scripted results of random draws, next one last (scenarios write it).
pub const SCRIPTED_RANDOM: usize = FIRST_PLAYER + 1;
/// What each player was shown of hidden cards: one list per seat (see `vm::knowledge`).
pub const SHOWN_CARDS: usize = SCRIPTED_RANDOM + 1;
/// The maximum number of seats that have such a list.
pub const MAX_SEATS: usize = 8;
/// List of usage counts against limits: code, seat, key, period, count.
pub const USAGE_COUNTS: usize = SHOWN_CARDS + MAX_SEATS;
/// The number of the latest commit with an event that is not timing-neutral.
pub const SERIAL: usize = USAGE_COUNTS + 1;
/// The number of extra turns granted so far.
pub const EXTRA_TURN_COUNT: usize = SERIAL + 1;
/// The number of this turn among the extra turns; 0 if it is no extra turn.
pub const EXTRA_TURN_NUMBER: usize = EXTRA_TURN_COUNT + 1;
/// The number of consecutive decisions with a single legal answer.
pub const FORCED_DECISIONS: usize = EXTRA_TURN_NUMBER + 1;
/// Two words: the position hash at one of these decisions, to detect that it recurs.
pub const LOOP_MARK: usize = FORCED_DECISIONS + 1;
/// Mask of the dirty state rules: those that may act. Rules from number 31 on share a bit (see `vm::change_tracking`).
pub const DIRTY_RULES: usize = LOOP_MARK + 2;
/// Bit of the state rule that is running.
pub const RUNNING_RULE: usize = DIRTY_RULES + 1;
/// Changes since [`DIRTY_RULES`] was updated. Masks of statuses, variables of players and variables of the game (four words
/// each). One word of bits: a period boundary passed, anything may have changed, an event happened, a turn passed, and, until it
/// is cleared explicitly, that effects were not local. One mask of zone kinds that objects left or entered.
pub const CHANGES_SINCE_CHECK: usize = RUNNING_RULE + 1;
/// The number of words of [`CHANGES_SINCE_CHECK`].
pub const CHANGES_WORDS: usize = 14;
/// Four words: the active static abilities that objects have by their definitions, all abilities of the objects in zones, the number of copies, and
/// the static abilities that may give others (see `state::ability_totals`).
pub const ABILITY_TOTALS: usize = CHANGES_SINCE_CHECK + CHANGES_WORDS;
/// The page table.
pub const PAGES: usize = ABILITY_TOTALS + 4;
/// The maximum number of pages of 64 objects.
pub const MAX_PAGES: usize = 64;
/// The first word that depends on the program.
pub const HEADER: usize = PAGES + MAX_PAGES;

/// Columns of every object. This one: the definition.
pub const DEFINITION: usize = 0;
/// The incarnation: how often the object in the slot became a new one.
pub const INCARNATION: usize = 1;
/// Seat of the owner.
pub const OWNER: usize = 2;
/// Seat of the controller before continuous effects.
pub const CONTROLLER: usize = 3;
/// Zone instance, or [`NOWHERE`].
pub const ZONE: usize = 4;
/// The timestamp of its entry into its zone.
pub const ENTERED_AT: usize = 5;
/// The object whose pile it is in.
pub const HOST: usize = 6;
/// List of the objects of its pile.
pub const PILE: usize = 7;
/// Record of its announcement, for an object on the list.
pub const ENTRY: usize = 8;
/// Mask of players who know the card although its zone hides it from them (see `vm::knowledge`).
pub const KNOWN_TO: usize = 9;
/// The face that shows: 0 for the default of its zone, 1 for the front, from 2 on for other faces. Set while the object is used.
pub const FACE: usize = 10;
/// List, for a copy: the flags [`COPY_CARDLESS`] and [`COPY_ENTERING`], then a derived row that replaces its definition.
pub const COPY: usize = 11;
/// The first status. The columns before it are part of an object's page. Each status has a separate cell, which is allocated when
/// a value first differs from 0. The page holds the handles of these cells after its columns.
pub const STATUSES: usize = 12;
/// The number of objects of a page, and of words of a column.
pub const LANES: usize = 64;

/// Flag of a copy: an effect created it, and it is no card.
pub const COPY_CARDLESS: u32 = 1;
/// Flag of a copy: it is a copy only because it entered the field as one, and stops being a copy in other zones.
pub const COPY_ENTERING: u32 = 2;

/// The zone value of an object in no zone.
pub const NOWHERE: u32 = u32::MAX;
/// The zone value of an object that was created and not placed yet: it exists, and is in no zone.
pub const NOT_YET_PLACED: u32 = u32::MAX - 1;

/// Offsets in the state block, computed from a program.
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
            let absent = has_zone(format.absent_zones, kind);
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

    /// The word that holds the list of a zone instance.
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
