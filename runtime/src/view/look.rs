//! The look of an object: how the layout of the format shows it, with its conditions evaluated.
//!
//! Conditions are evaluated only for objects whose values the viewer sees. Of others, the viewer sees statuses and zone; for them only
//! conditions that read nothing else are evaluated, and an object with a numbered place is there. Evaluating takes no fuel of the game.

use super::{distinguishes, sees};
use crate::ir::layout::{FaceStat, FaceValue, Layout, LayoutRow};
use crate::ir::op::Place;
use crate::ir::operands::{Operand, StateRead};
use crate::ir::{DECK_ZONE, DefId, FnId, ObjectRef, Op, TraitSetId, Type, Variable};
use crate::program::Program;
use crate::state::layout as at;
use crate::vm::machine::Machine;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The operations that all conditions about one object may take together. Beyond that they do not hold.
const MAX_LOOK_FUEL: u64 = 1 << 20;

/// The register of the object in a condition.
const OBJECT: u16 = 2;

/// How an object is drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// The row of the layout in which it is, by its number in [`Layout::rows`]; `None`: none takes it.
    pub row: Option<usize>,
    /// In a row of numbered places, its place, from 0.
    pub place: Option<i64>,
    /// Sideways.
    pub turned: bool,
    /// Paler.
    pub dim: bool,
    /// Towards the middle.
    pub forward: bool,
    /// The names of the bools of the object that hold, and that the conditions for this read: why it is sideways, paler or towards the middle.
    pub states: Vec<String>,
    /// The property in the corner.
    pub corner: Option<usize>,
    /// The numbers that are shown, with their printed values.
    pub stat: Vec<ShownNumber>,
    /// For a card as it is printed, the numbers of all conditions.
    pub printed_stats: Vec<Vec<ShownNumber>>,
    /// Numbers that are not 0: the name of the property or status, the word of one with a number for each, the number.
    pub counts: Vec<(String, Option<String>, i64)>,
    /// The names of bools that hold.
    pub marks: Vec<String>,
    /// The words that give its hues.
    pub hues: Vec<String>,
    /// The words under its name, set by set.
    pub line: Vec<String>,
}

/// A property of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShownNumber {
    /// Its number among the properties.
    pub property: usize,
    /// Its value now.
    pub value: i64,
    /// Its printed value.
    pub printed: i64,
}

/// The look of an object for a viewer. `None` if the viewer cannot identify it, or if the format has no layout.
#[must_use]
pub fn look(machine: &mut Machine, viewer: usize, it: ObjectRef) -> Option<Look> {
    let program = Arc::clone(&machine.program);
    let layout = &program.format.layout;
    if *layout == Layout::default() || !machine.state.exists(it) || !distinguishes(machine, viewer, it.slot()) {
        return None;
    }
    let is_open = sees(machine, viewer, it.slot()) || machine.state.is_disguised(&program, it.slot());
    let fuel = machine.scratch.suspend_fuel();
    machine.scratch.limit = fuel.used.saturating_add(MAX_LOOK_FUEL);
    let look = Observer { machine, program: &program, it, is_open, is_print: false }.look(layout);
    machine.scratch.restore_fuel(fuel);
    Some(look)
}

/// The look of a card as it is printed, evaluated in a new game with only this card. `None` if the format has no layout, or the program not
/// the card.
#[must_use]
pub fn printed_look(program: &Arc<Program>, card: DefId) -> Option<Look> {
    let layout = &program.format.layout;
    if *layout == Layout::default() || card.0 == 0 || program.library.definitions.get(card.index()).is_none() {
        return None;
    }
    let mut machine = Machine::new(Arc::clone(program), 0);
    let zone = crate::game::zone_named(program, DECK_ZONE).map_or(0, |zone| zone.index());
    let instance = program.zone_instance(zone, 0).unwrap_or(0);
    let it = machine.add_object(card.0, 0, instance)?;
    Some(Observer { machine: &mut machine, program, it, is_open: true, is_print: true }.look(layout))
}

/// An object whose conditions are evaluated.
struct Observer<'m> {
    machine: &'m mut Machine,
    program: &'m Program,
    it: ObjectRef,
    /// Whether the viewer sees its values.
    is_open: bool,
    /// Whether it is a card as it is printed.
    is_print: bool,
}

impl Observer<'_> {
    fn look(&mut self, layout: &Layout) -> Look {
        let mut look = Look::default();
        if let Some((row, place)) = self.row_of(&layout.rows) {
            (look.row, look.place) = (Some(row), place);
        }
        let mut states = BTreeSet::new();
        look.forward = self.any_holds(&layout.forward, &mut states);
        let (mut hue, mut line): (&[TraitSetId], &[TraitSetId]) = (&[], &[]);
        for face in &layout.faces {
            if !self.holds(face.filter) {
                continue;
            }
            look.turned |= self.any_holds(&face.turned, &mut states);
            look.dim |= self.any_holds(&face.dim, &mut states);
            for value in &face.counts {
                self.add_counts(*value, &mut look.counts);
            }
            for value in &face.marks {
                let (variable, number) = self.value(*value);
                if let (Some(variable), true) = (variable, number != 0) {
                    look.marks.push(variable.name.clone());
                }
            }
            if !self.is_open {
                continue;
            }
            if !face.hue.is_empty() {
                hue = &face.hue;
            }
            if !face.line.is_empty() {
                line = &face.line;
            }
            look.corner = face.corner.map(usize::from).or(look.corner);
            if self.is_print && !face.stats.is_empty() {
                look.printed_stats = face.stats.iter().map(|stat| self.numbers(stat)).collect();
            }
            let shown = face.stats.iter().find(|stat| stat.condition.is_none_or(|condition| self.holds(condition)));
            if let Some(stat) = shown {
                look.stat = self.numbers(stat);
            } else if !face.stats.is_empty() {
                look.stat.clear();
            }
        }
        look.states = self.bools_among(&states);
        look.hues = self.words_of(hue);
        look.line = self.words_of(line);
        look
    }

    /// The first row that takes the object, and its place there.
    fn row_of(&mut self, rows: &[LayoutRow]) -> Option<(usize, Option<i64>)> {
        let zone = self.machine.state.zone(self.it.slot())?;
        let kind = self.program.layout.kind(zone);
        for (number, row) in rows.iter().enumerate() {
            let place = match row.places {
                None => None,
                Some((count, status)) => {
                    let place = self.status(status);
                    if !(1..=i64::from(count)).contains(&place) {
                        continue;
                    }
                    Some(place - 1)
                }
            };
            let of_zone: Vec<Option<FnId>> = row
                .contents
                .iter()
                .filter(|content| content.zones.iter().any(|zone| zone.index() == kind))
                .map(|content| content.condition)
                .collect();
            // The place of an object is seen although its values are not.
            let is_placed = place.is_some() && !self.is_open && !of_zone.is_empty();
            if is_placed || of_zone.into_iter().any(|condition| condition.is_none_or(|condition| self.holds(condition))) {
                return Some((number, place));
            }
        }
        None
    }

    /// Whether one of the conditions holds. Adds the statuses that the first of these reads to `states`.
    fn any_holds(&mut self, conditions: &[FnId], states: &mut BTreeSet<u16>) -> bool {
        let found = conditions.iter().find(|condition| self.holds(**condition));
        states.extend(found.into_iter().flat_map(|condition| statuses_read(self.program, *condition)));
        found.is_some()
    }

    /// The names of those statuses that are bools and hold.
    fn bools_among(&self, statuses: &BTreeSet<u16>) -> Vec<String> {
        let holds = |status: &&u16| self.status(**status) != 0;
        let named = statuses.iter().filter(holds).filter_map(|status| self.program.library.statuses.get(usize::from(*status)));
        named.filter(|status| status.ty == Type::Bool).map(|status| status.name.clone()).collect()
    }

    /// Whether a condition holds, as far as the viewer may know that.
    fn holds(&mut self, condition: FnId) -> bool {
        if !self.is_open && !reads_only_what_is_open(self.program, condition) {
            return false;
        }
        let controller = self.machine.controller(self.it);
        self.machine.test(condition, &[0, controller, self.it.value()])
    }

    fn status(&self, status: u16) -> i64 {
        let state = &self.machine.state;
        state.block.int(state.cell(self.it.slot(), at::STATUSES + usize::from(status)))
    }

    fn numbers(&mut self, stat: &FaceStat) -> Vec<ShownNumber> {
        std::iter::once(stat.first).chain(stat.second).map(|property| self.number(usize::from(property))).collect()
    }

    fn number(&mut self, property: usize) -> ShownNumber {
        let it = self.it.value();
        let number = u16::try_from(property).unwrap_or(u16::MAX);
        let (world, scratch) = self.machine.world();
        let value = world.read(scratch, Place::Property(number), it);
        ShownNumber { property, value, printed: world.read(scratch, Place::Printed(number), it) }
    }

    /// The variable of a value, and its number; 0 for a property that the viewer does not see.
    fn value(&mut self, value: FaceValue) -> (Option<&Variable>, i64) {
        match value {
            FaceValue::Status(number) => (self.program.library.statuses.get(usize::from(number)), self.status(number)),
            FaceValue::Property(number) => {
                let shown = if self.is_open { self.number(usize::from(number)).value } else { 0 };
                (self.program.library.properties.get(usize::from(number)), shown)
            }
        }
    }

    fn add_counts(&mut self, value: FaceValue, counts: &mut Vec<(String, Option<String>, i64)>) {
        let cell = match value {
            FaceValue::Status(number) => self.machine.state.cell(self.it.slot(), at::STATUSES + usize::from(number)),
            FaceValue::Property(_) => 0,
        };
        let (variable, number) = self.value(value);
        let Some(variable) = variable.cloned() else { return };
        let Some(set) = variable.keys else {
            if number != 0 {
                counts.push((variable.name, None, number));
            }
            return;
        };
        let words = self.program.library.traits.get(set.index()).map_or(&[][..], |set| &set.words);
        for pair in self.machine.state.block.list(cell).chunks_exact(2) {
            if let [key, number] = *pair
                && let Some(word) = words.get((key as usize).wrapping_sub(1))
            {
                counts.push((variable.name.clone(), Some(word.clone()), i64::from(number as i32)));
            }
        }
    }

    /// The words of the object from some trait sets, in the order of the sets.
    fn words_of(&mut self, sets: &[TraitSetId]) -> Vec<String> {
        let it = self.it;
        let program = self.program;
        let (world, _) = self.machine.world();
        let mut found = Vec::new();
        for set in sets {
            let (Some(traits), Some(first)) = (program.library.traits.get(set.index()), program.row.words.get(set.index()))
            else {
                continue;
            };
            for (word, name) in traits.words.iter().enumerate() {
                if world.row_word(it, first + word / 32) & (1 << (word % 32)) != 0 {
                    found.push(name.clone());
                }
            }
        }
        found
    }
}

/// The statuses that a condition reads, also in the functions that it calls.
fn statuses_read(program: &Program, condition: FnId) -> BTreeSet<u16> {
    let (mut statuses, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![condition]);
    while let Some(function) = open.pop() {
        let Some(source) = program.source_function(function).filter(|_| seen.insert(function)) else { continue };
        for op in &source.ops {
            if let StateRead::Place(Place::Status(status)) = op.state_read() {
                statuses.insert(status);
            }
            op.for_each_operand(|operand| {
                if let Operand::Callee(callee) = operand {
                    open.push(callee);
                }
            });
        }
    }
    statuses
}

/// Whether a condition reads of its object only statuses, zone, owner and controller, and else only variables: what every player sees
/// of an object that can be distinguished from others.
fn reads_only_what_is_open(program: &Program, condition: FnId) -> bool {
    let Some(function) = program.source_function(condition) else { return false };
    function.ops.iter().all(|op| match op {
        Op::Const { .. } | Op::Copy { .. } | Op::Binary { .. } | Op::Not { .. } | Op::Jump { .. } | Op::JumpUnless { .. } => true,
        Op::Return { .. } => true,
        Op::InZone { of, .. } => *of == OBJECT,
        Op::Get { place: Place::Status(_) | Place::Zone | Place::Owner | Place::Controller, of, .. } => *of == OBJECT,
        Op::GetKey { place: Place::Status(_), of, .. } => *of == OBJECT,
        Op::Get { place: Place::Player(_) | Place::Global(_), .. } => true,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{advance, start};
    use crate::ir::layout::{LayoutFace, RowContent, RowStyle};
    use crate::ir::op::{Function, Source};
    use crate::ir::{CompiledGame, Reg, Type, ZoneKindId};
    use crate::testing;

    fn condition(ops: Vec<Op>, more: &[Type]) -> Function {
        let mut registers = vec![Type::Object, Type::Player, Type::Object];
        registers.extend(more);
        let sources = vec![Source::default(); ops.len()];
        Function {
            name: "condition".into(),
            registers,
            params: 3,
            result: Some(Type::Bool),
            ops,
            sources,
            text_slots: Vec::new(),
        }
    }

    fn add(game: &mut CompiledGame, function: Function) -> FnId {
        game.library_mut().functions.push(function);
        game.library_mut().shown_functions += 1;
        FnId(game.library.functions.len() as u32 - 1)
    }

    fn face(filter: FnId) -> LayoutFace {
        LayoutFace {
            filter,
            hue: Vec::new(),
            corner: None,
            line: Vec::new(),
            stats: Vec::new(),
            turned: Vec::new(),
            dim: Vec::new(),
            counts: Vec::new(),
            marks: Vec::new(),
        }
    }

    fn hand(game: &CompiledGame) -> ZoneKindId {
        ZoneKindId(game.library.zones.iter().position(|zone| zone.name == "hand").expect("a hand") as u32)
    }

    /// The tiny game with a layout: large cards of the hand in a row, the others in another one; large ones are turned.
    fn machine() -> Machine {
        let mut game = testing::game();
        let reads_size = |value: Reg| Op::Get { dst: value, place: Place::Property(0), of: OBJECT };
        let large = condition(
            vec![
                reads_size(3),
                Op::Const { dst: 4, value: 3 },
                Op::Binary { op: crate::ir::op::Binary::LessEqual, dst: 5, a: 4, b: 3 },
                Op::Return { value: Some(5) },
            ],
            &[Type::Number, Type::Number, Type::Bool],
        );
        let large = add(&mut game, large);
        let all = condition(vec![Op::Const { dst: 3, value: 1 }, Op::Return { value: Some(3) }], &[Type::Bool]);
        let all = add(&mut game, all);
        let hand = hand(&game);
        let row = |condition| LayoutRow {
            style: RowStyle::Fan,
            contents: vec![RowContent { zones: vec![hand], condition }],
            ..LayoutRow::default()
        };
        game.formats[0].layout.rows = vec![row(Some(large)), row(None)];
        game.formats[0].layout.faces = vec![LayoutFace { turned: vec![large], ..face(all) }];
        crate::ir::verify::verify(&crate::ir::Artifact { games: vec![game.clone()] }).expect("it is sound");
        let program = Arc::new(Program::link(&game, 0, &[]).expect("it links"));
        let mut machine = start(program, &[testing::cards(12), testing::cards(12)], 5).expect("it starts");
        advance(&mut machine);
        machine
    }

    fn hand_of(machine: &Machine, seat: usize) -> Vec<ObjectRef> {
        let game = testing::game();
        let instance = machine.program.zone_instance(hand(&game).index(), seat).expect("a hand");
        machine.state.zone_items(&machine.program, instance).iter().map(|it| ObjectRef(*it)).collect()
    }

    #[test]
    fn conditions_choose_rows_and_turn_cards() {
        let mut machine = machine();
        let mut seen = 0;
        for it in hand_of(&machine, 0) {
            let size = machine.property(it, 0);
            let look = look(&mut machine, 0, it).expect("the player sees it");
            assert_eq!((look.row, look.turned), (Some(usize::from(size < 3)), size >= 3), "size {size}");
            seen += 1;
        }
        assert!(seen > 0);
    }

    #[test]
    fn looks_of_hidden_objects_are_not_given() {
        let mut machine = machine();
        let cards = hand_of(&machine, 0);
        assert!(!cards.is_empty());
        for it in cards {
            assert_eq!(look(&mut machine, 1, it), None);
        }
    }

    #[test]
    fn looks_take_no_fuel_and_change_nothing() {
        let mut machine = machine();
        let (fuel, hash) = (machine.fuel(), machine.state.hash());
        for it in hand_of(&machine, 0) {
            let first = look(&mut machine, 0, it);
            assert_eq!(first, look(&mut machine, 0, it));
        }
        assert_eq!((machine.fuel(), machine.state.hash()), (fuel, hash));
    }
}
