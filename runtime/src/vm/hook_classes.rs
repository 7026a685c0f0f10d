//! Classes of events: which hooks of an action can match an event, by the arguments that are the same for many events.
//!
//! A move is classified by the zones that it connects, an announcement by its play or ability. Most triggers, replacements and prohibitions name
//! one of these, so their filters are false for all events of most classes. The class says so once, by partial evaluation with everything else
//! unknown, and the filters are not evaluated again.
//!
//! Cache. Key: action and class. Value: a mask of the hooks that can match. Valid for a program; never invalidated, since nothing of a game or match is
//! read. A hit costs two look-ups, a miss one partial evaluation for each hook. The mask of a class does not depend on what was evaluated before: a
//! filter that is left out costs no fuel, so the fuel of a game must not depend on other games. Bounds: [`MAX_CLASSES`] for each action,
//! [`MAX_OPERATIONS`]; hooks from number 64 on can always match. Reference mode evaluates all filters; the test `reference_mode` compares.

use crate::ir::verbs::{ANNOUNCE, PUT};
use crate::ir::{AbilityKind, FnId};
use crate::program::Program;
use crate::tables::{ABILITY_PLAY, AbilityHook};
use crate::vm::cache_entries::MatchingHooks;
use crate::vm::eval_context::EvalContext;
use crate::vm::inline_vecs::Args;
use crate::vm::optimized::known_inputs::KnownInputs;
use crate::vm::scratch::Scratch;

/// Classes of an action. Events of further ones may match every hook.
const MAX_CLASSES: usize = 1 << 12;
/// Operations of one evaluation, which are charged to no game. A filter that needs more may match.
const MAX_OPERATIONS: u64 = 256;

/// For the verb `put`: the numbers of the arguments with the zone that an object goes to and the one that it comes from.
const INTO_AND_FROM: [usize; 2] = [1, 5];
/// For the verb `announce`: the number of the argument with the play.
const PLAY: usize = 2;

/// Returns the hooks of a mask, and those from number 64 on.
pub(crate) fn matching(hooks: &[AbilityHook], mut mask: u64) -> impl Iterator<Item = &AbilityHook> {
    let mut beyond = 64;
    std::iter::from_fn(move || {
        if mask != 0 {
            let number = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            if let Some(hook) = hooks.get(number) {
                return Some(hook);
            }
            mask = 0;
        }
        let hook = hooks.get(beyond);
        beyond += 1;
        hook
    })
}

/// Returns whether any hook is in a mask.
pub(crate) fn any_matches(hooks: &[AbilityHook], mask: u64) -> bool {
    match hooks.len() {
        0 => false,
        count @ 1..64 => mask & ((1 << count) - 1) != 0,
        64 => mask != 0,
        _ => true,
    }
}

/// Returns the number of the class of an event, and the arguments that it is made of; `None` if its action has no classes.
fn class_of(program: &Program, action: u32, args: &[i64]) -> Option<(usize, &'static [usize])> {
    match action {
        PUT => {
            let zones = program.layout.instances + 1;
            // A zone number plus one; 0 for none.
            let zone = |n: usize| usize::try_from(args.get(n)?.checked_add(1)?).ok().filter(|zone| *zone < zones);
            let [into, from] = INTO_AND_FROM.map(zone);
            let (into, from) = (into?, from?);
            Some((into * zones + from, &INTO_AND_FROM))
        }
        ANNOUNCE => {
            let code = u32::try_from(*args.get(PLAY)?).ok()?;
            let class = match code.checked_sub(ABILITY_PLAY) {
                Some(ability) => program.format.plays.len() + ability as usize,
                None => code as usize,
            };
            Some((class, &[PLAY]))
        }
        _ => None,
    }
}

impl EvalContext<'_> {
    /// Returns the hooks of an action that can match an event with these arguments.
    pub(crate) fn matching_hooks(&self, scratch: &mut Scratch, action: u32, args: &[i64]) -> MatchingHooks {
        let class = class_of(self.program, action, args).filter(|(class, _)| *class < MAX_CLASSES && !scratch.reference_mode);
        let Some((class, known)) = class else { return MatchingHooks::ALL };
        if let Some(found) = scratch.hook_classes.of(action).get(class).copied().flatten() {
            return found;
        }
        let (fuel, limit) = (std::mem::take(&mut scratch.fuel), std::mem::replace(&mut scratch.limit, MAX_OPERATIONS));
        let found = self.match_class(scratch, action, args, known);
        (scratch.fuel, scratch.limit) = (fuel, limit);
        let classes = scratch.hook_classes.of(action);
        if classes.len() <= class {
            classes.resize(class + 1, None);
        }
        if let Some(place) = classes.get_mut(class) {
            *place = Some(found);
        }
        found
    }

    /// Evaluates the filters of all hooks of an action for events of which only the arguments `known` are known.
    fn match_class(&self, scratch: &mut Scratch, action: u32, args: &[i64], known: &[usize]) -> MatchingHooks {
        let Some(hooks) = self.program.hooks.get(action as usize) else { return MatchingHooks::ALL };
        let mut mask = |hooks: &[AbilityHook]| {
            let mut can_match = |hook: &AbilityHook| {
                let Some(filter) = self.filter_of(hook) else { return true };
                // The source of the ability, its controller, the arguments of the event, its cause.
                let count = 2 + hook.args + crate::ir::CAUSE_WORDS;
                let mut all: Args = [0, 0].into_iter().chain(args.iter().copied().take(hook.args)).collect();
                all.resize(count, 0);
                let known = known.iter().filter(|n| **n < hook.args.min(args.len())).fold(0, |mask, n| mask | 1u32 << (n + 2));
                let unknown = ((1u64 << count) - 1) as u32 & !known;
                self.evaluate_partially(scratch, filter, &all, unknown, KnownInputs::Nothing).value != Some(0)
            };
            hooks.iter().take(64).enumerate().fold(0, |mask, (n, hook)| mask | u64::from(can_match(hook)) << n)
        };
        MatchingHooks {
            triggers: mask(&hooks.triggers),
            replacements: mask(&hooks.replacements),
            prohibitions: mask(&hooks.prohibitions),
        }
    }

    /// Returns the filter of the pattern of a hook.
    fn filter_of(&self, hook: &AbilityHook) -> Option<FnId> {
        match &self.program.library.abilities.get(hook.ability.index())?.kind {
            AbilityKind::Triggered { pattern, .. } | AbilityKind::Prohibition { pattern, .. } => pattern.filter,
            AbilityKind::Replacement { .. } => self.program.replacement_filter(hook.ability),
            _ => None,
        }
    }
}
