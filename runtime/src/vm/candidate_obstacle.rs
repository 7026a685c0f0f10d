//! Why an object cannot be chosen in the pending choice of a text: its selection is evaluated again with a trace.

use super::decision::Decision;
use super::eval_trace::{EvalTrace, MAX_TRACE_DEPTH};
use super::hooks::Obstacle;
use super::inline_vecs::Args;
use crate::ir::op::{Binary, Op, Place};
use crate::ir::verbs::CHOSEN;
use crate::ir::{ChoiceSite, ChoiceSiteId, FnId, KeywordId, ObjectRef, TraitSetId, Type, ZoneKindId};
use crate::program::Program;
use crate::records::ENTRY_PARAGRAPHS;
use crate::records::frame::{FrameKind, announce, body};
use crate::state::block::Handle;
use crate::vm::eval_context::get;
use crate::vm::machine::Machine;
use std::sync::Arc;

/// Why an object is not among the candidates of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CandidateObstacle {
    /// A prohibition forbids to choose it.
    Forbidden(Obstacle),
    /// It is not among the objects that the text chooses from.
    Elsewhere,
    /// Conditions of the selection do not hold. Empty if none of them is a fact about the object alone.
    Conditions(Vec<FailedFact>),
}

/// A fact about an object because of which a condition does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailedFact {
    /// It has a word, or lacks it.
    Word {
        /// The trait set.
        traits: TraitSetId,
        /// The word.
        word: u16,
        /// Whether the object has it.
        has: bool,
    },
    /// It has a keyword, or lacks it.
    Keyword {
        /// The keyword.
        keyword: KeywordId,
        /// Whether the object has it.
        has: bool,
    },
    /// It is in a zone, or outside of it.
    Zone {
        /// The zone.
        zone: ZoneKindId,
        /// Whether the object is there.
        inside: bool,
    },
    /// A value of it.
    Value {
        /// Where it stands.
        place: Place,
        /// Its type.
        ty: Type,
        /// The value.
        value: i64,
    },
}

impl Machine {
    /// Why an object is not among the candidates of the pending choice. `None` if the decision is no choice of a text, or if the object can be
    /// chosen.
    pub(crate) fn candidate_obstacle(&mut self, decision: &Decision, it: ObjectRef) -> Option<CandidateObstacle> {
        let id = ChoiceSiteId(decision.site?);
        let program = Arc::clone(&self.program);
        let site = program.library.sites.get(id.index())?;
        let (function, first, waiting) = self.pending_choice_registers(&program, id)?;
        let code = program.function(function)?;
        let mark = self.scratch.mark();
        let floor = self.scratch.registers.len();
        let base = self.load(function, code, first);
        let args: Args = site.captures.iter().map(|reg| get(&self.scratch, base, *reg)).collect();
        let (source, you) = (get(&self.scratch, base, 0), get(&self.scratch, base, 1));
        let found = self.selection_obstacle(&program, site, &args, it).or_else(|| {
            let registers = self.scratch.registers.get(base..).map_or_else(Args::new, Args::from_slice);
            let why = [crate::ir::cause::EFFECT, source, you, decision.player as i64];
            let obstacle = self.candidate_need_obstacle(id, it, |reg| registers.get(usize::from(reg)).copied(), why);
            obstacle.map(CandidateObstacle::Forbidden)
        });
        self.scratch.registers.truncate(floor);
        self.scratch.release(mark);
        found.or_else(|| {
            let args = [decision.player as i64, it.value(), source, i64::from(site.target), waiting.value()];
            let cause = [crate::ir::cause::EFFECT, source, you, decision.player as i64];
            self.why_forbidden(CHOSEN, &args, cause).map(CandidateObstacle::Forbidden)
        })
    }

    /// The function of the pending choice, where its registers are (of the body that waits, or of the paragraph that is announced), and what waits on
    /// the list with it.
    fn pending_choice_registers(&self, program: &Program, site: ChoiceSiteId) -> Option<(FnId, Handle, ObjectRef)> {
        let frame = self.state.top_frame()?;
        match FrameKind::from_word(self.word(frame))? {
            FrameKind::Body => Some((FnId(self.word(frame + body::FUNCTION)), frame + body::REGISTERS, ObjectRef::NONE)),
            FrameKind::Announce => {
                let entry = self.word(frame + announce::ENTRY) as usize;
                let index = self.word(frame + announce::PARAGRAPH) as usize;
                let paragraphs = self.state.block.list(entry + ENTRY_PARAGRAPHS);
                let Some(&[function, registers]) = paragraphs.chunks(2).nth(index) else { return None };
                let reads = |op: &Op| matches!(op, Op::Choose { site: chosen, .. } if *chosen == site);
                let has_site = program.function(FnId(function)).is_some_and(|code| code.ops.iter().any(reads));
                has_site.then(|| (FnId(function), registers as usize, self.announced_object(frame)))
            }
            FrameKind::Batch
            | FrameKind::Window
            | FrameKind::Settle
            | FrameKind::Pay
            | FrameKind::Resolve
            | FrameKind::Paragraphs
            | FrameKind::Turn
            | FrameKind::Game => None,
        }
    }

    /// The step of the selection at which an object is left out.
    fn selection_obstacle(
        &mut self,
        program: &Program,
        site: &ChoiceSite,
        args: &[i64],
        it: ObjectRef,
    ) -> Option<CandidateObstacle> {
        let selector = program.source_function(site.selector?)?;
        let (world, scratch) = self.world();
        let trace = EvalTrace::new(&world, scratch, selector, args);
        let has = |at: usize| trace.value(at).is_some_and(|traced| traced.ty.is_list() && traced.list.contains(&it.0));
        if trace.result.is_none_or(has) {
            return None;
        }
        let mut filters = Vec::new();
        for at in trace.numbers() {
            let Some(Op::Filter { filter, captures, .. }) = trace.op(at) else { continue };
            if has(at) || !trace.operand(at, 0).is_some_and(has) {
                continue;
            }
            // A captured list has no place any more.
            let operands = (1..=captures.len()).filter_map(|number| trace.value(trace.operand(at, number)?));
            let values: Vec<i64> = operands.clone().map(|traced| traced.value).collect();
            if values.len() == captures.len() && !operands.clone().any(|traced| traced.ty.is_list()) {
                filters.push((*filter, values));
            } else {
                return Some(CandidateObstacle::Conditions(Vec::new()));
            }
        }
        if filters.is_empty() {
            return Some(CandidateObstacle::Elsewhere);
        }
        let mut facts = Vec::new();
        for (filter, mut values) in filters {
            values.push(it.value());
            self.failed_facts(program, filter, &values, true, it, MAX_TRACE_DEPTH, &mut facts);
        }
        Some(CandidateObstacle::Conditions(facts))
    }

    /// Adds the facts about an object because of which a condition does not have the value `wanted`.
    #[expect(clippy::too_many_arguments, reason = "one recursion over conditions and their calls")]
    fn failed_facts(
        &mut self,
        program: &Program,
        condition: FnId,
        args: &[i64],
        wanted: bool,
        it: ObjectRef,
        depth: usize,
        facts: &mut Vec<FailedFact>,
    ) {
        let (Some(depth), Some(function)) = (depth.checked_sub(1), program.source_function(condition)) else { return };
        let (world, scratch) = self.world();
        let trace = EvalTrace::new(&world, scratch, function, args);
        let mut calls = Vec::new();
        let mut open: Vec<(usize, bool)> = trace.result.map(|at| (at, wanted)).into_iter().collect();
        let mut steps = 0;
        while let Some((at, wanted)) = open.pop() {
            steps += 1;
            if steps > MAX_STEPS || trace.value(at).is_none_or(|traced| (traced.value != 0) == wanted) {
                continue;
            }
            let part = |number: usize| trace.operand(at, number);
            let about_it = |number: usize| trace.reference(at, number) == Some(it);
            let Some(op) = trace.op(at) else { continue };
            let fact = match op {
                Op::Copy { .. } => {
                    // The other side of an `or` or `and` that was evaluated before.
                    open.extend(trace.value(at).and_then(|traced| traced.previous).map(|before| (before, wanted)));
                    open.extend(part(0).map(|from| (from, wanted)));
                    None
                }
                Op::Not { .. } => {
                    open.extend(part(0).map(|from| (from, !wanted)));
                    None
                }
                Op::Binary { op: Binary::And | Binary::Or, .. } => {
                    open.extend([part(1), part(0)].into_iter().flatten().map(|from| (from, wanted)));
                    None
                }
                Op::Binary { op: Binary::Equal | Binary::NotEqual | Binary::Less | Binary::LessEqual, .. } => {
                    [part(0), part(1)].into_iter().flatten().map(|side| trace.skip_copies(side)).find_map(|side| {
                        match trace.op(side) {
                            Some(Op::Get { place, .. }) if trace.reference(side, 0) == Some(it) => {
                                let traced = trace.value(side)?;
                                Some(FailedFact::Value { place: *place, ty: traced.ty, value: traced.value })
                            }
                            _ => None,
                        }
                    })
                }
                Op::Get { place, .. } if about_it(0) => {
                    trace.value(at).map(|traced| FailedFact::Value { place: *place, ty: traced.ty, value: traced.value })
                }
                Op::HasWord { traits, word, .. } if about_it(0) => {
                    Some(FailedFact::Word { traits: *traits, word: *word, has: !wanted })
                }
                Op::HasKeyword { keyword, .. } if about_it(0) => Some(FailedFact::Keyword { keyword: *keyword, has: !wanted }),
                Op::InZone { zone, .. } if about_it(0) => Some(FailedFact::Zone { zone: *zone, inside: !wanted }),
                Op::Call { function, .. } => {
                    let parts = trace.value(at).map_or(&[][..], |traced| traced.operands.as_slice());
                    let parts: Vec<_> = parts.iter().filter_map(|part| trace.value(*part)).collect();
                    if !parts.iter().any(|traced| traced.ty.is_list()) {
                        calls.push((*function, parts.iter().map(|traced| traced.value).collect::<Vec<i64>>(), wanted));
                    }
                    None
                }
                // Facts about other things: they may be hidden from who wants to know.
                _ => None,
            };
            facts.extend(fact.filter(|fact| !facts.contains(fact)));
        }
        for (function, args, wanted) in calls {
            self.failed_facts(program, function, &args, wanted, it, depth, facts);
        }
    }
}

/// The operations of one condition that an explanation follows.
const MAX_STEPS: usize = 200;
