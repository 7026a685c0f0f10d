//! Searches for a way to announce a play: whether some answers complete the choices of its announcement (CR 601.2b before 601.2c).
//!
//! Candidates of a choice can depend on numbers, options and choices that are announced before it. Then counting candidates decides nothing,
//! so the search announces the play in copies of the machine and tries answers depth first. It is exact up to [`MAX_ANSWERS`]; beyond that the
//! play counts as possible, and an announcement that cannot be completed is taken back.

use super::announce::{Paragraphs, UseRequest};
use super::choices::ChoiceReason;
use super::decision::{Choice, Decision, DecisionKind};
use super::inline_vecs::{Args, InlineWords};
use crate::ir::op::Place;
use crate::ir::operands::StateRead;
use crate::ir::{AnnounceStage, ChoiceSite, ChoiceSiteId, Chooser, FnId, NO_PLAYER, ObjectRef, Op, Play, Reg, Type, cause};
use crate::program::Program;
use crate::records::frame::{KIND, announce, kind};
use crate::state::layout as at;
use crate::vm::machine::{Machine, StepResult};
use std::sync::Arc;

/// The maximum number of answers that one search tries.
const MAX_ANSWERS: u32 = 200;

/// The maximum number of answers to one decision that a search tries.
const MAX_ANSWERS_TO_ONE: usize = 40;

/// How many candidates a choice has before anything is announced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Candidates {
    Enough,
    TooFew,
    /// It depends on what is announced before.
    Unknown,
}

impl Machine {
    /// Returns whether each mandatory announced choice of a play can be made. Of choices in modes, those decide whether enough modes can be chosen.
    pub(crate) fn has_choices(&mut self, code: u32, play: &Play, object: ObjectRef, player: usize) -> bool {
        self.has_choices_for_effect(code, play, object, player, UseRequest::default())
    }

    /// As [`Machine::has_choices`], for an effect that uses the object.
    pub(super) fn has_choices_for_effect(
        &mut self,
        code: u32,
        play: &Play,
        object: ObjectRef,
        player: usize,
        how: UseRequest<'_>,
    ) -> bool {
        // Few bodies of plays contain a choice; the others need no reference to the program.
        let has_choice = |function: &crate::ir::Function| function.ops.iter().any(|op| matches!(op, Op::Choose { .. }));
        if !play.runs_text && !self.program.function(play.body).is_some_and(has_choice) {
            return true;
        }
        let program = Arc::clone(&self.program);
        let bodies = self.texts_of(play, object);
        let mut unknown = false;
        for body in bodies {
            let ops = program.function(body).map_or(&[][..], |function| function.ops.as_slice());
            for op in ops {
                if let Op::ChooseModes { site, .. } = op
                    && !self.has_legal_modes(play, *site, body, object, player)
                {
                    return false;
                }
                let Op::Choose { site, .. } = op else { continue };
                let Some(it) = program.library.sites.get(site.index()).filter(|it| it.mode.is_none()) else { continue };
                if !program.is_announced(*site) {
                    continue;
                }
                match self.candidates_before_announcing(play, (*site, it), object, player) {
                    Candidates::Enough => {}
                    Candidates::TooFew => return false,
                    Candidates::Unknown => unknown = true,
                }
            }
        }
        !unknown || self.can_complete_choices(code, object, player, how)
    }

    /// Returns the texts that a play of an object executes.
    pub(super) fn texts_of(&mut self, play: &Play, object: ObjectRef) -> Paragraphs {
        if play.runs_text { self.paragraphs_of(object) } else { Paragraphs::from_slice(&[play.body]) }
    }

    fn candidates_before_announcing(
        &mut self,
        play: &Play,
        (id, it): (ChoiceSiteId, &ChoiceSite),
        object: ObjectRef,
        player: usize,
    ) -> Candidates {
        if it.min.is_none() {
            return Candidates::Enough;
        }
        let (this, you) = (object.value(), player as i64);
        let Some(args) = own_captures(it, this, you) else {
            // Only explicit targets make an announcement illegal.
            return if it.target { Candidates::Unknown } else { Candidates::Enough };
        };
        // An object that is on the list by then is no candidate in the zone that it comes from (CR 601.2a, 601.2c).
        let has_moved = !play.immediate && !play.is_ability() && self.program.format.announce.lists_before_choices();
        let without = if has_moved { object } else { ObjectRef::NONE };
        if self.has_enough_candidates_for((id, it), &args, (this, you), ObjectRef::NONE, without) {
            Candidates::Enough
        } else if it.target && self.reads_announced_values(play, object, it) {
            Candidates::Unknown
        } else {
            Candidates::TooFew
        }
    }

    /// Returns whether a choice has its minimum of candidates, from the values that it captures.
    pub(super) fn has_enough_candidates(
        &mut self,
        site: (ChoiceSiteId, &ChoiceSite),
        args: &Args,
        source: i64,
        you: i64,
    ) -> bool {
        self.has_enough_candidates_for(site, args, (source, you), ObjectRef::NONE, ObjectRef::NONE)
    }

    /// As [`Machine::has_enough_candidates`], for what waits on the list, without one of the candidates.
    fn has_enough_candidates_for(
        &mut self,
        (id, it): (ChoiceSiteId, &ChoiceSite),
        args: &Args,
        (source, you): (i64, i64),
        waiting: ObjectRef,
        without: ObjectRef,
    ) -> bool {
        let wanted = it.min.map_or(0, |min| self.number(min, args));
        if wanted <= 0 {
            return true;
        }
        let chooser = (it.chooser == Chooser::Controller).then_some(you);
        let found = self.candidates_found_for((id, it), args, (source, you, chooser), waiting);
        let is_left = |item: &&u32| it.candidate_type == Type::Players || **item != without.0;
        found.iter().filter(is_left).count() as i64 >= wanted
    }

    /// Returns the candidates of a choice, from the values that it captures: those that its player may choose, or all if the player is not known.
    pub(super) fn found_candidates(
        &mut self,
        (id, it): (ChoiceSiteId, &ChoiceSite),
        args: &Args,
        source: i64,
        you: i64,
        chooser: Option<i64>,
    ) -> InlineWords {
        self.candidates_found_for((id, it), args, (source, you, chooser), ObjectRef::NONE)
    }

    /// As [`Machine::found_candidates`], for what waits on the list.
    fn candidates_found_for(
        &mut self,
        (id, it): (ChoiceSiteId, &ChoiceSite),
        args: &Args,
        (source, you, chooser): (i64, i64, Option<i64>),
        waiting: ObjectRef,
    ) -> InlineWords {
        let mut found = it.selector.map_or_else(InlineWords::new, |selector| self.items(selector, args));
        if let Some(chooser) = chooser {
            self.retain_choosable(&mut found, it, (source, you, chooser), ChoiceReason { kind: cause::EFFECT, waiting });
        }
        let known =
            |reg: Reg| it.captures.iter().position(|captured| *captured == reg).and_then(|place| args.get(place).copied());
        self.retain_needed(&mut found, id, known, [cause::EFFECT, source, you, chooser.unwrap_or(NO_PLAYER)]);
        found
    }

    /// Returns whether as many modes of a play can be chosen as must be. Modes whose targets depend on what is announced count as possible.
    fn has_legal_modes(&mut self, play: &Play, site: ChoiceSiteId, body: FnId, object: ObjectRef, player: usize) -> bool {
        let program = Arc::clone(&self.program);
        let Some((wanted, modes, repeats)) = self.wanted_modes(site, object.value(), player as i64) else { return true };
        let mut possible = 0;
        for mode in 0..modes {
            let has_targets = |it: &(ChoiceSiteId, &ChoiceSite)| {
                !matches!(self.candidates_before_announcing(play, *it, object, player), Candidates::TooFew)
            };
            possible += i64::from(targets_of_mode(&program, body, site, mode).iter().all(has_targets));
        }
        possible >= wanted || repeats && possible > 0
    }

    /// Returns whether a triggered ability has fewer legal modes than it needs (CR 603.3c, 700.2b).
    pub(super) fn lacks_modes(&mut self, function: FnId, site: ChoiceSiteId, this: i64, you: i64) -> bool {
        let Some((wanted, modes, repeats)) = self.wanted_modes(site, this, you) else { return false };
        let legal =
            (0..modes).filter(|mode| self.is_legal_mode((function, site), *mode, (this, you), ObjectRef::NONE)).count() as i64;
        legal < wanted && !(repeats && legal > 0)
    }

    /// Returns how many modes of a choice must be chosen, how many there are, and whether they may repeat; `None` if any may be announced.
    fn wanted_modes(&mut self, site: ChoiceSiteId, this: i64, you: i64) -> Option<(i64, u16, bool)> {
        let program = Arc::clone(&self.program);
        let it = program.library.sites.get(site.index()).filter(|_| program.format.announce.requires_choices)?;
        let (min, (modes, repeats)) = (it.min?, it.modes?);
        let args = own_captures(it, this, you).filter(|_| program.is_announced(site))?;
        Some((self.number(min, &args), modes, repeats))
    }

    /// Returns whether a mode has enough targets (CR 700.2a). Targets that depend on other choices are not checked.
    fn is_legal_mode(
        &mut self,
        (function, site): (FnId, ChoiceSiteId),
        mode: u16,
        (this, you): (i64, i64),
        waiting: ObjectRef,
    ) -> bool {
        let program = Arc::clone(&self.program);
        let mut sites = targets_of_mode(&program, function, site, mode).into_iter();
        sites.all(|site| {
            let captures = own_captures(site.1, this, you);
            captures.is_none_or(|args| self.has_enough_candidates_for(site, &args, (this, you), waiting, ObjectRef::NONE))
        })
    }

    /// Removes the modes of a decision that are not legal for what waits on the list.
    pub(super) fn retain_legal_modes(
        &mut self,
        decision: &mut Decision,
        choice: (FnId, ChoiceSiteId),
        this: i64,
        waiting: ObjectRef,
    ) {
        if decision.kind != DecisionKind::Modes || !self.program.format.announce.requires_choices {
            return;
        }
        let you = decision.player as i64;
        decision.options.retain(|option| {
            let Choice::Mode(mode) = option else { return true };
            u16::try_from(*mode).is_ok_and(|mode| self.is_legal_mode(choice, mode, (this, you), waiting))
        });
        decision.limit_modes();
    }

    /// Returns whether the candidates of a choice depend on statuses that are set while the play is announced: its numbers and the cost
    /// options of its object.
    fn reads_announced_values(&mut self, play: &Play, object: ObjectRef, site: &ChoiceSite) -> bool {
        let mut set: Vec<u16> = if play.immediate { Vec::new() } else { self.cost_option_statuses(object) };
        let library = &self.program.library;
        library.for_each_op(&Vec::from_iter(play.numbers), |_, op| {
            if let Op::Write { place: Place::Status(status), .. } = op {
                set.push(*status);
            }
        });
        let mut reads = false;
        let functions: Vec<FnId> = site.selector.into_iter().chain(site.min).collect();
        library.for_each_op(&functions, |_, op| {
            reads |= matches!(op.state_read(), StateRead::Place(Place::Status(status)) if set.contains(&status));
        });
        reads
    }

    /// Returns whether some answers complete the announced choices of a play.
    fn can_complete_choices(&mut self, code: u32, object: ObjectRef, player: usize, how: UseRequest<'_>) -> bool {
        let stages = &self.program.format.announce.stages;
        let choices = stages.iter().position(|stage| *stage == AnnounceStage::Choices).unwrap_or(1);
        let face = self.state.column(object.slot(), at::FACE);
        let mut trial = self.clone();
        trial.recording = false;
        let frames = trial.state.block.list(at::FRAMES).len();
        trial.announce_play(code, object, face, player, how.free, how.extra_args);
        let mut answers = MAX_ANSWERS;
        let completes = trial.completes_stage(choices as u32, frames, &mut answers);
        // Each answer costs a copy of the state.
        let copied = u64::from(1 + MAX_ANSWERS - answers) * self.state.block.words().len() as u64;
        self.scratch.fuel = self.scratch.fuel.saturating_add(copied);
        completes
    }

    /// Returns whether the announcement whose frame has this number passes a stage with some answers.
    fn completes_stage(&mut self, stage: u32, frame: usize, answers: &mut u32) -> bool {
        loop {
            let announcement = self.state.block.list(at::FRAMES).get(frame).map(|frame| *frame as usize);
            let Some(announcement) = announcement.filter(|frame| self.word(frame + KIND) == kind::ANNOUNCE) else { return false };
            if self.word(announcement + announce::STAGE) > stage {
                return true;
            }
            match self.tick() {
                None => {}
                Some(StepResult::Over(_)) => return false,
                Some(StepResult::Decision(decision)) => {
                    return answers_to_try(&decision).into_iter().any(|picks| {
                        if *answers == 0 {
                            return true;
                        }
                        *answers -= 1;
                        let mut next = Box::new(self.clone());
                        next.answer(&picks).is_ok() && next.completes_stage(stage, frame, answers)
                    });
                }
            }
        }
    }
}

/// The captured values of a choice that captures nothing but `this` and `you`.
fn own_captures(it: &ChoiceSite, this: i64, you: i64) -> Option<Args> {
    it.captures.iter().map(|reg| [this, you].get(usize::from(*reg)).copied()).collect()
}

/// The explicit targets that a mode needs, chosen by the controller; for a mode that is chosen repeatedly, those of the first time.
fn targets_of_mode(program: &Program, function: FnId, modes: ChoiceSiteId, mode: u16) -> Vec<(ChoiceSiteId, &ChoiceSite)> {
    let ops = program.function(function).map_or(&[][..], |function| function.ops.as_slice());
    let sites = ops.iter().filter_map(|op| if let Op::Choose { site, .. } = op { Some(*site) } else { None });
    sites
        .filter(|site| program.is_announced(*site))
        .filter_map(|site| Some((site, program.library.sites.get(site.index())?)))
        .filter(|(_, it)| it.mode == Some((modes, 0, mode)) && it.target && !it.optional && it.chooser == Chooser::Controller)
        .collect()
}

/// Answers to a decision of an announcement: all single options or numbers; of choices of several, the combinations of the least size.
pub(super) fn answers_to_try(decision: &Decision) -> Vec<Vec<u32>> {
    if let Some(forced) = decision.forced() {
        return vec![forced];
    }
    let options = decision.options.len() as u32;
    match decision.kind {
        DecisionKind::Number => {
            (decision.min..=decision.max).take(MAX_ANSWERS_TO_ONE).map(|number| vec![number as i32 as u32]).collect()
        }
        DecisionKind::Divide => vec![decision.default_division(0)],
        DecisionKind::Assign => decision.proposal().into_iter().collect(),
        _ if decision.min <= 0 => {
            vec![Vec::new()].into_iter().chain((0..options).map(|option| vec![option])).take(MAX_ANSWERS_TO_ONE).collect()
        }
        _ => combinations(options, decision.min as usize),
    }
}

/// The combinations of `size` of the first numbers below `count`, in lexical order.
fn combinations(count: u32, size: usize) -> Vec<Vec<u32>> {
    let mut all = Vec::new();
    let mut picks: Vec<u32> = (0..size.min(count as usize) as u32).collect();
    while picks.len() == size && all.len() < MAX_ANSWERS_TO_ONE {
        all.push(picks.clone());
        let Some(place) = (0..size).rev().find(|place| picks[*place] + ((size - place) as u32) < count) else { break };
        picks[place] += 1;
        for next in place + 1..size {
            picks[next] = picks[next - 1] + 1;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::combinations;

    #[test]
    fn combinations_are_in_lexical_order() {
        assert_eq!(combinations(3, 1), [[0], [1], [2]]);
        assert_eq!(combinations(4, 2), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert!(combinations(1, 2).is_empty());
    }
}
