//! Renumbers the registers of an operation or site, when a function's parameters are known at last.

use fizzle_runtime::ir::op::{ChosenBy, DurationEnd, EventProposal, Place};
use fizzle_runtime::ir::{ChoiceSite, Chooser, Op, Reg};

fn one(reg: &mut Reg, to: &[Reg]) {
    if let Some(new) = to.get(usize::from(*reg)) {
        *reg = *new;
    }
}

fn each(regs: &mut [Reg], to: &[Reg]) {
    for reg in regs {
        one(reg, to);
    }
}

fn optional(reg: &mut Option<Reg>, to: &[Reg]) {
    if let Some(reg) = reg {
        one(reg, to);
    }
}

fn until(points: &mut [DurationEnd], to: &[Reg]) {
    for point in points {
        match point {
            DurationEnd::NextEnd(_, reg) | DurationEnd::NextStart(_, reg) => one(reg, to),
            DurationEnd::End(_) | DurationEnd::Event { .. } => {}
        }
    }
}

/// Renumbers a site of the function.
pub fn site(site: &mut ChoiceSite, to: &[Reg]) {
    each(&mut site.captures, to);
    one(&mut site.dst, to);
    if let Chooser::Player(reg) = &mut site.chooser {
        one(reg, to);
    }
}

/// Renumbers an operation.
pub fn op(op: &mut Op, to: &[Reg]) {
    match op {
        Op::Const { dst, .. }
        | Op::List { dst, .. }
        | Op::AllInZone { dst, .. }
        | Op::Players { dst }
        | Op::Active { dst }
        | Op::InSpan { dst, .. }
        | Op::Constant { dst, .. }
        | Op::Choose { dst, .. }
        | Op::Divide { dst, .. }
        | Op::ChooseModes { dst, .. } => one(dst, to),
        Op::MakeList { dst, items } => {
            one(dst, to);
            each(items, to);
        }
        Op::ShareOf { dst, shares, of } => each_of([dst, shares, of], to),
        Op::Copy { dst, src } | Op::Cast { dst, src } => each_of([dst, src], to),
        Op::Binary { dst, a, b, .. } | Op::Union { dst, a, b } | Op::Except { dst, a, b } => each_of([dst, a, b], to),
        Op::HasCommonWord { dst, a, b, .. } => each_of([dst, a, b], to),
        Op::Not { dst, a } => each_of([dst, a], to),
        Op::Jump { .. }
        | Op::BeginBatch
        | Op::Window { .. }
        | Op::InsertSpan { .. }
        | Op::EndSpan { .. }
        | Op::SkipTo { .. }
        | Op::Expire { .. } => {}
        Op::JumpUnless { cond, .. } => one(cond, to),
        Op::Get { dst, of, place: _ } => each_of([dst, of], to),
        Op::GetKey { dst, of, key: other, place: _ }
        | Op::NextKey { dst, of, after: other, place: _ }
        | Op::HasSomeWord { dst, of, word: other, .. } => each_of([dst, of, other], to),
        Op::HasWord { dst, of, .. }
        | Op::HasKeyword { dst, of, .. }
        | Op::KeywordValue { dst, of, .. }
        | Op::IsCard { dst, of, .. }
        | Op::Exists { dst, of }
        | Op::InZone { dst, of, .. } => each_of([dst, of], to),
        Op::ZoneOf { dst, player, .. } | Op::Opponent { dst, player } => each_of([dst, player], to),
        Op::ZoneList { dst, zone } => each_of([dst, zone], to),
        Op::Filter { dst, list, captures, .. } | Op::Fold { dst, list, captures, .. } => {
            each_of([dst, list], to);
            each(captures, to);
        }
        Op::Count { dst, list } => each_of([dst, list], to),
        Op::Contains { dst, list, item } => each_of([dst, list, item], to),
        Op::ElementAt { dst, list, index } => each_of([dst, list, index], to),
        Op::TakeEnds { dst, list, count, .. } | Op::Random { dst, list, count } => each_of([dst, list, count], to),
        Op::CallUnconcealed { dst, args, of, .. } => {
            one(dst, to);
            one(of, to);
            each(args, to);
        }
        Op::Call { dst, args, .. } | Op::Builtin { dst, args, .. } | Op::IsAllowed { dst, args, .. } => {
            one(dst, to);
            each(args, to);
        }
        Op::Return { value } => optional(value, to),
        Op::Ask { dst, player, .. } => each_of([dst, player], to),
        Op::AskWord { dst, player, captures, .. } => {
            each_of([dst, player], to);
            each(captures, to);
        }
        Op::RandomNumber { dst, min, max } => each_of([dst, min, max], to),
        Op::Declare(it) => {
            each_of([&mut it.dst, &mut it.stage, &mut it.lefts, &mut it.player, &mut it.from, &mut it.onto], to);
            each(&mut it.captures, to);
        }
        Op::PayForDeclaration { pairs, player, owed, stage, .. } => each_of([pairs, player, owed, stage], to),
        Op::ProposePairs { pairs, player, done, .. } => {
            each_of([pairs, player], to);
            optional(done, to);
        }
        Op::AskNumber { dst, player, min, max } => each_of([dst, player, min, max], to),
        Op::Propose { events, done, out } => {
            for EventProposal { args, chosen, .. } in events {
                each(args, to);
                if let ChosenBy::Player(reg) = chosen {
                    one(reg, to);
                }
            }
            optional(done, to);
            optional(out, to);
        }
        Op::EndBatch { done, out } => {
            optional(done, to);
            optional(out, to);
        }
        Op::Write { of, value, place, .. } => {
            if !matches!(place, Place::Global(_)) {
                one(of, to);
            }
            one(value, to);
        }
        Op::WriteKey { of, key, value, .. } => each_of([of, key, value], to),
        Op::Trigger { captures, .. } => each(captures, to),
        Op::StoreCostResult { src, .. } => one(src, to),
        Op::BeginEffect { whom, captures, until: points, .. } => {
            optional(whom, to);
            each(captures, to);
            until(points, to);
        }
        Op::CopyListed { dst, object, .. } => {
            one(dst, to);
            one(object, to);
        }
        Op::Become { whom, model, captures, until: points, .. } => {
            one(whom, to);
            one(model, to);
            each(captures, to);
            until(points, to);
        }
        Op::Settle { acted, .. } => optional(acted, to),
        Op::Use { object, args, done, .. } => {
            one(object, to);
            each(args, to);
            optional(done, to);
        }
        Op::CanPay { dst, player, price } => each_of([dst, player, price], to),
        Op::AddToPool { player, units } => each_of([player, units], to),
        Op::Pay { player, price, done } => {
            each_of([player, price], to);
            optional(done, to);
        }
        Op::CarryOut { object } | Op::Refund { object } | Op::Retarget { object } => one(object, to),
        Op::ExtraTurn { dst, player } => each_of([dst, player], to),
        Op::SkipSpan { player, .. } | Op::SetActivePlayer { player } => one(player, to),
    }
}

fn each_of<const N: usize>(regs: [&mut Reg; N], to: &[Reg]) {
    for reg in regs {
        one(reg, to);
    }
}
