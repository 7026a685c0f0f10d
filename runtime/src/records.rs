//! Records: the layout of what the cells of a state hold apart from objects and lists. Each constant is the offset of a word in its record.

pub mod event;
pub mod frame;

use crate::ir::{AbilityKind, Change, FnId, Type};
use crate::state::block::{Block, Handle};
use crate::tables::LinkedTables;

/// Offset of the derived row in a last-known record. Before it: reference, shown definition, owner, zone instance, printed
/// definition. After it: statuses, copiable values, list of word substitutions, and for an object that left the list the entry, the
/// definition and the face that a copy of it has.
pub const KNOWN_ROW: usize = 5;

/// Payload of an effect record: timestamp.
pub const EFFECT_STAMP: usize = 0;
/// Source object.
pub const EFFECT_SOURCE: usize = 1;
/// Controller.
pub const EFFECT_CONTROLLER: usize = 2;
/// List of modifications.
pub const EFFECT_MODS: usize = 3;
/// Whether the set of affected objects is fixed.
pub const EFFECT_LOCKED: usize = 4;
/// List of the fixed affected objects.
pub const EFFECT_WHOM: usize = 5;
/// List of captured values.
pub const EFFECT_CAPTURES: usize = 6;
/// List of duration ends, four words each: kind, a, b, turn in which it began. For an event, the last word says whether it is
/// matched before it happens.
pub const EFFECT_UNTIL: usize = 7;
/// Kind of a duration end that is an event.
pub(crate) const UNTIL_EVENT: u32 = 3;
/// Kind of a duration end that is the failure of a condition, with its function.
pub(crate) const UNTIL_FAILURE: u32 = 4;
/// List of abilities that the effect itself has (triggers, replacements).
pub const EFFECT_ABILITIES: usize = 8;
/// Whether the effect ends when one of its abilities was used.
pub const EFFECT_ONCE: usize = 9;
/// For a copy effect: the row that its object becomes.
pub const EFFECT_COPIED: usize = 10;
/// Number of words of an effect record.
pub const EFFECT_WORDS: usize = 11;

/// Payload of an entry: what was announced, see [`entry_kind`].
pub const ENTRY_KIND: usize = 0;
/// Play code, or ability of a trigger.
pub const ENTRY_PLAY: usize = 1;
/// The player who announced it.
pub const ENTRY_USER: usize = 2;
/// The object that has the ability; for a card, the object itself.
pub const ENTRY_SOURCE: usize = 3;
/// List of paragraphs, two words each: function, register block.
pub const ENTRY_PARAGRAPHS: usize = 4;
/// Nonzero while the entry resolves; the resolving frame then frees it.
pub const ENTRY_RESOLVING: usize = 5;
/// List of the extra arguments of its play.
pub const ENTRY_EXTRAS: usize = 6;
/// What its use counts for if it has a usage limit, three words: code, seat, key.
pub const ENTRY_USE_KEY: usize = 7;
/// List of the chosen cost options, two words each: ability, number of times.
pub const ENTRY_OPTIONS: usize = 10;
/// The zone it was announced from, plus one.
pub const ENTRY_ORIGIN: usize = 11;
/// List of the price abilities that the card had in its previous zone and lost by moving to the list.
pub const ENTRY_KEPT_ABILITIES: usize = 12;
/// Number of words of an entry.
pub const ENTRY_WORDS: usize = 13;

/// Kinds of entries.
pub mod entry_kind {
    /// A play of the format.
    pub const PLAY: u32 = 0;
    /// An activated ability.
    pub const ABILITY: u32 = 1;
    /// A triggered ability.
    pub const TRIGGER: u32 = 2;
}

/// Payload of a waiting trigger: ability.
pub const PENDING_ABILITY: usize = 0;
/// Source.
pub const PENDING_SOURCE: usize = 1;
/// Controller.
pub const PENDING_CONTROLLER: usize = 2;
/// List of the arguments of its body, from register 2 on.
pub const PENDING_ARGS: usize = 3;
/// Serial of the commit in which it triggered.
pub const PENDING_SERIAL: usize = 4;
/// Number of words of a waiting trigger.
pub const PENDING_WORDS: usize = 5;

/// Number of words of a use count: code, seat, key, period, count.
pub const USE_COUNT_WORDS: usize = 5;

/// Bit that marks the codes of triggers; all other codes are codes of plays.
pub const TRIGGER_CODE: u32 = 1 << 31;

/// Number of words of an entry in the record of what a player was shown: turn, card, owner, zone instance.
pub const SHOWN_WORDS: usize = 4;

/// Stands in the column of the shown definition if an object has no name.
pub const NAMELESS: u32 = u32::MAX;

/// Returns where a last-known record keeps the word substitutions: a list of trait set, old word, new word.
pub fn last_known_text(program: &LinkedTables, record: Handle) -> Handle {
    record + KNOWN_ROW + 2 * program.row.stride + program.library.statuses.len()
}

/// Returns where a last-known record keeps the entry of an object that has left the list; 0 if there is none. Behind it are the
/// definition and the face of a copy.
pub fn last_known_entry(program: &LinkedTables, record: Handle) -> Handle {
    last_known_text(program, record) + 1
}

/// Number of words of a last-known record.
pub fn last_known_words(program: &LinkedTables) -> usize {
    last_known_entry(program, 0) + 3
}

/// The body of a triggered ability or replacement.
fn trigger_body(program: &LinkedTables, ability: u32) -> Option<FnId> {
    match program.library.abilities.get(ability as usize).map(|a| &a.kind) {
        Some(AbilityKind::Triggered { body, .. } | AbilityKind::Replacement { body, .. }) => Some(*body),
        _ => None,
    }
}

/// The types of the arguments of a waiting trigger, captures first.
pub(crate) fn pending_types(program: &LinkedTables, ability: u32) -> &[Type] {
    let body = trigger_body(program, ability).and_then(|body| program.function(body));
    body.and_then(|body| body.registers.get(2..)).unwrap_or(&[])
}

/// The types of the captured values of an effect: each of its functions has all of them as parameters.
pub(crate) fn captured_types<'p>(program: &'p LinkedTables, block: &Block, record: Handle) -> &'p [Type] {
    let function = block.list(record + EFFECT_MODS).iter().find_map(|number| {
        let change = program.modification(*number)?;
        let filter = if let Change::Prohibit(pattern) = &change.change { pattern.filter } else { None };
        change.selector.or(change.change.value_functions().0).or(filter)
    });
    let of_ability = || block.list(record + EFFECT_ABILITIES).first().and_then(|ability| trigger_body(program, *ability));
    let of_end = || {
        block.list(record + EFFECT_UNTIL).chunks(4).find_map(|end| match *end {
            [UNTIL_EVENT, _, filter, _] => Some(FnId(filter)),
            [UNTIL_FAILURE, condition, ..] => Some(FnId(condition)),
            _ => None,
        })
    };
    let function = function.or_else(of_ability).or_else(of_end).and_then(|function| program.function(function));
    function.and_then(|function| function.registers.get(2..)).unwrap_or(&[])
}

/// Words of a decision record.
pub mod decision {
    /// The index of the kind in [`DecisionKind::ALL`](super::DecisionKind::ALL).
    pub const KIND: usize = 0;
    /// The player.
    pub const PLAYER: usize = 1;
    /// The field `min` of [`Decision`](super::Decision).
    pub const MIN: usize = 2;
    /// The field `max` of [`Decision`](super::Decision).
    pub const MAX: usize = 3;
    /// The choice site plus one, or 0.
    pub const SITE: usize = 4;
    /// Whether the same option may be picked more than once.
    pub const REPEATS: usize = 5;
    /// List of options, four words each: tag (and index among equal options), a, b, c.
    pub const OPTIONS: usize = 6;
    /// List of the words of an assignment's constraints.
    pub const BOARD: usize = 7;
    /// The number of words.
    pub const WORDS: usize = 8;
}
