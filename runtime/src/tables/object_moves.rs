//! What the actions of a format do to their first object, as far as their bodies show: whether they move it, and whether they do anything else to it.

use crate::ir::op::EventProposal;
use crate::ir::operands::{OpClass, Operand};
use crate::ir::verbs::{ATTACH, ERASE, PUT, VERBS};
use crate::ir::{Action, FnId, Format, Library, Op, Reg};

/// What actions do to their first object.
#[derive(Clone, Debug, Default)]
pub(crate) struct ObjectMoves {
    /// For each action, whether it moves it in any case.
    always: Vec<bool>,
    /// For each action, what it can do to it.
    effects: Vec<ObjectEffect>,
}

/// What a body can do to an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum ObjectEffect {
    #[default]
    Nothing,
    /// It moves it, or not.
    Moves,
    /// Something else as well.
    Other,
}

impl ObjectMoves {
    pub(crate) fn of(library: &Library, format: &Format) -> Self {
        let always = always_moving(library, format);
        let effects = object_effects(library, format, &always);
        Self { always, effects }
    }

    /// Whether an event of an action moves its first object in any case, or does nothing else to it.
    #[inline]
    pub(crate) fn moves_first_object(&self, action: u32) -> bool {
        let index = action as usize;
        self.always.get(index) == Some(&true) || self.effects.get(index) == Some(&ObjectEffect::Moves)
    }

    /// Whether a body moves the object in a register on every path.
    pub(crate) fn moves_register(&self, library: &Library, body: FnId, register: u16) -> bool {
        moves_on_every_path(library, body, register, &self.always)
    }
}

fn is_built_in_move(action: u32) -> bool {
    matches!(action, PUT | ATTACH | ERASE)
}

/// Which actions move their first object in any case: the built-in moves, and actions whose bodies do.
fn always_moving(library: &Library, format: &Format) -> Vec<bool> {
    let mut moving: Vec<bool> = (0..format.actions.len() as u32).map(is_built_in_move).collect();
    loop {
        let next: Vec<bool> = format
            .actions
            .iter()
            .zip(&moving)
            .map(|(action, known)| *known || action.body.is_some_and(|body| moves_on_every_path(library, body, 2, &moving)))
            .collect();
        if next == moving {
            return moving;
        }
        moving = next;
    }
}

/// What each action can do to its first object. An action that moves it in any case does nothing else to it, one without a body does nothing, and a
/// built-in action that is no move does something else.
fn object_effects(library: &Library, format: &Format, always: &[bool]) -> Vec<ObjectEffect> {
    let moves = |action: usize| always.get(action) == Some(&true);
    let built_in = |(action, declared): (usize, &Action)| match declared.body {
        _ if moves(action) => ObjectEffect::Moves,
        None if VERBS.get(action).is_some() => ObjectEffect::Other,
        _ => ObjectEffect::Nothing,
    };
    let mut effects: Vec<ObjectEffect> = format.actions.iter().enumerate().map(built_in).collect();
    loop {
        let of_body = |(number, (action, known)): (usize, (&Action, &ObjectEffect))| match action.body {
            Some(body) if !moves(number) => effect_on_register(library, body, 2, &effects),
            _ => *known,
        };
        let next: Vec<ObjectEffect> = format.actions.iter().zip(&effects).enumerate().map(of_body).collect();
        if next == effects {
            return effects;
        }
        effects = next;
    }
}

/// What a body can do to the object in a register. Any use of it counts as doing something else, except as the object of an event and in what
/// computes no object.
fn effect_on_register(library: &Library, body: FnId, register: u16, effects: &[ObjectEffect]) -> ObjectEffect {
    let Some(function) = library.functions.get(body.index()) else { return ObjectEffect::Other };
    let ty = |reg: Reg| function.registers.get(usize::from(reg));
    let is_plain = |reg: Reg| ty(reg).is_some_and(|ty| !ty.is_reference() && ty.element().is_none());
    let of_op = |op: &Op| match op {
        Op::Propose { events, .. } => {
            let in_others = |event: &EventProposal| event.args.iter().skip(1).any(|arg| *arg == register);
            let own = events.iter().filter(|event| event.args.first() == Some(&register));
            let of_event = |event: &EventProposal| effects.get(event.action.index()).copied().unwrap_or(ObjectEffect::Other);
            if events.iter().any(in_others) { ObjectEffect::Other } else { own.map(of_event).max().unwrap_or_default() }
        }
        Op::Use { object, .. } if *object == register => ObjectEffect::Moves,
        Op::BeginEffect { .. } | Op::Become { .. } => ObjectEffect::Other,
        _ => {
            let mut is_read = false;
            op.for_each_operand(|operand| is_read |= matches!(operand, Operand::Register(reg, ..) if reg == register));
            if is_read && !op.destination().is_some_and(is_plain) { ObjectEffect::Other } else { ObjectEffect::Nothing }
        }
    };
    function.ops.iter().map(of_op).max().unwrap_or_default()
}

/// Whether a body moves the object in a register on every path.
fn moves_on_every_path(library: &Library, body: FnId, register: u16, moving: &[bool]) -> bool {
    let Some(function) = library.functions.get(body.index()) else { return false };
    let moves = |op: &Op| match op {
        Op::Propose { events, .. } => events
            .iter()
            .any(|event| event.args.first() == Some(&register) && moving.get(event.action.index()).copied().unwrap_or(false)),
        Op::Use { object, .. } => *object == register,
        _ => false,
    };
    // Searches for a path to the end without a move.
    let mut seen = vec![false; function.ops.len()];
    let mut open = vec![0usize];
    while let Some(at) = open.pop() {
        let Some(op) = function.ops.get(at) else { return false };
        if std::mem::replace(seen.get_mut(at).unwrap_or(&mut true), true) || moves(op) {
            continue;
        }
        if op.class() == OpClass::Return {
            return false;
        }
        op.for_each_successor(at, |next| open.push(next));
    }
    true
}
