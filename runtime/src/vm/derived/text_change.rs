//! Text-changing effects (CR 612): word substitutions in the texts of objects, through which abilities and keyword arguments read
//! their words.
//!
//! Words that an object has (types, colours) are changed by other modifications.

use crate::ir::ObjectRef;
use crate::ir::TraitSetId;
use crate::ir::op::TextSlot;
use crate::program::Program;
use crate::records::last_known_text;
use crate::state::block::Handle;
use crate::state::{State, layout as at};
use crate::vm::derived::values::DerivedValues;
use crate::vm::derived::values::WordSubstitution;
use crate::vm::eval_context::EvalContext;

impl WordSubstitution {
    fn of(self, traits: TraitSetId, word: u16) -> u16 {
        if traits == self.traits && word == self.old { self.new } else { word }
    }
}

/// Adds a substitution to those of a text. Each printed word is in the list at most once, with the word that it is now, so the list has at most as
/// many entries as there are words, however many effects apply.
fn add_substitution(all: &mut Vec<WordSubstitution>, change: WordSubstitution) {
    let mut is_printed = true;
    for known in all.iter_mut().filter(|known| known.traits == change.traits) {
        is_printed &= known.old != change.old;
        known.new = change.of(known.traits, known.new);
    }
    if is_printed {
        all.push(change);
    }
}

/// Returns the word that a printed word is now.
fn substituted(all: impl Iterator<Item = WordSubstitution>, traits: TraitSetId, word: u16) -> u16 {
    let mut all = all.filter(|change| change.traits == traits && change.old == word);
    all.next().map_or(word, |change| change.new)
}

impl DerivedValues {
    /// Returns the word substitutions in the text of a slot's object, encoded as words.
    #[must_use]
    pub fn text(&self, slot: usize) -> Vec<u32> {
        let changes = self.texts.get(&slot).into_iter().flatten();
        changes.flat_map(|change| [change.traits.0, u32::from(change.old), u32::from(change.new)]).collect()
    }

    /// Substitutes a word in the text of a slot's object. Both arguments are word numbers plus one; 0 means none.
    pub(super) fn write_text(&mut self, program: &Program, slot: usize, traits: TraitSetId, [new, old]: [i64; 2]) {
        let words = program.library.traits.get(traits.index()).map_or(0, |set| set.words.len());
        let word = |value: i64| u16::try_from(value.checked_sub(1)?).ok().filter(|word| usize::from(*word) < words);
        let (Some(new), Some(old)) = (word(new), word(old)) else { return };
        let change = WordSubstitution { traits, old, new };
        if new == old {
            return;
        }
        add_substitution(self.texts.entry(slot).or_default(), change);
        // All bundles change at once: one that comes of another one is not changed again.
        let held = program.worded_bundles.with_word(traits, old).iter().filter(|dense| self.has_unit(program, slot, **dense));
        let changed: Vec<(u32, u32, u32)> = held
            .map(|dense| {
                (
                    *dense,
                    substitute_in_bundle(program, *dense, change),
                    self.copies.get(&(slot, *dense)).map_or(1, |more| 1 + more),
                )
            })
            .filter(|(before, after, _)| before != after)
            .collect();
        if changed.is_empty() {
            return;
        }
        self.units_written = true;
        for (before, _, _) in &changed {
            let column = program.row.bundles + *before as usize / 32;
            let bits = self.word(slot, column) & !(1 << (before % 32));
            self.set_word(slot, column, bits);
            self.copies.remove(&(slot, *before));
        }
        for (_, after, times) in changed {
            let more = if self.has_unit(program, slot, after) { times } else { times - 1 };
            if more > 0 {
                *self.copies.entry((slot, after)).or_insert(0) += more;
            }
            let column = program.row.bundles + after as usize / 32;
            let bits = self.word(slot, column) | 1 << (after % 32);
            self.set_word(slot, column, bits);
        }
    }

    fn has_unit(&self, program: &Program, slot: usize, dense: u32) -> bool {
        self.word(slot, program.row.bundles + dense as usize / 32) & (1 << (dense % 32)) != 0
    }
}

/// Returns the dense unit number of an ability bundle after substituting the words among its arguments.
fn substitute_in_bundle(program: &Program, dense: u32, change: WordSubstitution) -> u32 {
    let unit = program.bundles.get(dense as usize).and_then(|unit| program.format.bundles.get(unit.index()));
    let Some((keyword, args)) = unit.and_then(|unit| unit.keyword.as_ref()) else { return dense };
    let Some(declared) = program.library.keywords.get(keyword.index()) else { return dense };
    let mut args = args.clone();
    for (number, traits) in &declared.words {
        if let Some(arg) = args.get_mut(usize::from(*number))
            && let Ok(word) = u16::try_from(*arg)
        {
            *arg = i32::from(change.of(*traits, word));
        }
    }
    program.worded_bundles.with_arguments(*keyword, args).unwrap_or(dense)
}

impl EvalContext<'_> {
    /// Returns the current word at a place in an object's text: its number plus one. For an object that has left, last-known
    /// information is read.
    pub(crate) fn current_word(&self, this: i64, slot: &TextSlot) -> i64 {
        let it = ObjectRef::from_value(this);
        let mut word = slot.word;
        if self.state.exists(it) {
            word = substituted(self.derived.texts.get(&it.slot()).into_iter().flatten().copied(), slot.traits, word);
        } else if let Some(record) = last_known_record(self.state, it) {
            let changes = self.state.block.list(last_known_text(self.program, record)).chunks(3);
            let changes = changes.filter_map(|change| match *change {
                [traits, old, new] => Some(WordSubstitution { traits: TraitSetId(traits), old: old as u16, new: new as u16 }),
                _ => None,
            });
            word = substituted(changes, slot.traits, word);
        }
        i64::from(word) + 1
    }
}

fn last_known_record(state: &State, it: ObjectRef) -> Option<Handle> {
    let rows = state.block.list(at::LAST_KNOWN_ROWS).iter().rev().map(|row| *row as usize);
    rows.into_iter().find(|row| it.0 != 0 && state.block.get(*row) == it.0)
}
