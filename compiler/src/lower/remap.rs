//! Renumbers the registers of operations and choice sites, so that the parameters of a function come first.

use fizzle_runtime::ir::op::{ChosenBy, DurationEnd, EventProposal, Place};
use fizzle_runtime::ir::{ChoiceSite, Chooser, Op, Reg};

fn renumber(reg: &mut Reg, to: &[Reg]) {
    if let Some(new) = to.get(usize::from(*reg)) {
        *reg = *new;
    }
}

fn renumber_slice(regs: &mut [Reg], to: &[Reg]) {
    for reg in regs {
        renumber(reg, to);
    }
}

fn renumber_option(reg: &mut Option<Reg>, to: &[Reg]) {
    if let Some(reg) = reg {
        renumber(reg, to);
    }
}

fn renumber_duration(points: &mut [DurationEnd], to: &[Reg]) {
    for point in points {
        match point {
            DurationEnd::NextEnd(_, reg) | DurationEnd::NextStart(_, reg) => renumber(reg, to),
            DurationEnd::End(_) | DurationEnd::Event { .. } => {}
        }
    }
}

/// Renumbers the registers of a choice site; `to[old]` is the new number.
pub fn renumber_site(site: &mut ChoiceSite, to: &[Reg]) {
    renumber_slice(&mut site.captures, to);
    renumber(&mut site.dst, to);
    if let Chooser::Player(reg) = &mut site.chooser {
        renumber(reg, to);
    }
}

/// Renumbers the registers of an operation; `to[old]` is the new number.
pub fn renumber_op(op: &mut Op, to: &[Reg]) {
    match op {
        Op::Const { dst, .. }
        | Op::List { dst, .. }
        | Op::AllInZone { dst, .. }
        | Op::Players { dst }
        | Op::ActivePlayer { dst }
        | Op::InPeriod { dst, .. }
        | Op::Constant { dst, .. }
        | Op::Choose { dst, .. }
        | Op::Divide { dst, .. }
        | Op::ChooseModes { dst, .. } => renumber(dst, to),
        Op::MakeList { dst, items } => {
            renumber(dst, to);
            renumber_slice(items, to);
        }
        Op::ShareOf { dst, shares, of } => renumber_all([dst, shares, of], to),
        Op::Copy { dst, src } | Op::Cast { dst, src } => renumber_all([dst, src], to),
        Op::Binary { dst, a, b, .. } | Op::Union { dst, a, b } | Op::Except { dst, a, b } => renumber_all([dst, a, b], to),
        Op::HasCommonWord { dst, a, b, .. } => renumber_all([dst, a, b], to),
        Op::Not { dst, a } => renumber_all([dst, a], to),
        Op::Jump { .. }
        | Op::BeginBatch
        | Op::Window { .. }
        | Op::InsertPeriod { .. }
        | Op::EndPeriod { .. }
        | Op::SkipTo { .. }
        | Op::Expire { .. } => {}
        Op::JumpUnless { cond, .. } => renumber(cond, to),
        Op::Get { dst, of, place: _ } => renumber_all([dst, of], to),
        Op::GetKey { dst, of, key: other, place: _ }
        | Op::NextKey { dst, of, after: other, place: _ }
        | Op::HasSomeWord { dst, of, word: other, .. } => renumber_all([dst, of, other], to),
        Op::HasWord { dst, of, .. }
        | Op::HasKeyword { dst, of, .. }
        | Op::KeywordValue { dst, of, .. }
        | Op::IsCard { dst, of, .. }
        | Op::Exists { dst, of }
        | Op::InZone { dst, of, .. } => renumber_all([dst, of], to),
        Op::ZoneOf { dst, player, .. } | Op::Opponent { dst, player } => renumber_all([dst, player], to),
        Op::ZoneList { dst, zone } => renumber_all([dst, zone], to),
        Op::Filter { dst, list, captures, .. } | Op::Fold { dst, list, captures, .. } => {
            renumber_all([dst, list], to);
            renumber_slice(captures, to);
        }
        Op::Count { dst, list } => renumber_all([dst, list], to),
        Op::Contains { dst, list, item } => renumber_all([dst, list, item], to),
        Op::ElementAt { dst, list, index } => renumber_all([dst, list, index], to),
        Op::TakeEnds { dst, list, count, .. } | Op::Random { dst, list, count } => renumber_all([dst, list, count], to),
        Op::CallUnconcealed { dst, args, of, .. } => {
            renumber(dst, to);
            renumber(of, to);
            renumber_slice(args, to);
        }
        Op::Call { dst, args, .. } | Op::Builtin { dst, args, .. } | Op::IsAllowed { dst, args, .. } => {
            renumber(dst, to);
            renumber_slice(args, to);
        }
        Op::Return { value } => renumber_option(value, to),
        Op::Ask { dst, player, .. } => renumber_all([dst, player], to),
        Op::AskWord { dst, player, captures, .. } => {
            renumber_all([dst, player], to);
            renumber_slice(captures, to);
        }
        Op::RandomNumber { dst, min, max } => renumber_all([dst, min, max], to),
        Op::Declare(it) => {
            renumber_all([&mut it.dst, &mut it.stage, &mut it.declared, &mut it.player, &mut it.from, &mut it.onto], to);
            renumber_slice(&mut it.captures, to);
        }
        Op::PayForDeclaration { pairs, player, owed, stage, .. } => renumber_all([pairs, player, owed, stage], to),
        Op::ProposePairs { pairs, player, done, .. } => {
            renumber_all([pairs, player], to);
            renumber_option(done, to);
        }
        Op::AskNumber { dst, player, min, max } => renumber_all([dst, player, min, max], to),
        Op::Propose { events, done, out } => {
            for EventProposal { args, chosen, .. } in events {
                renumber_slice(args, to);
                if let ChosenBy::Player(reg) = chosen {
                    renumber(reg, to);
                }
            }
            renumber_option(done, to);
            renumber_option(out, to);
        }
        Op::EndBatch { done, out } => {
            renumber_option(done, to);
            renumber_option(out, to);
        }
        Op::Write { of, value, place, .. } => {
            if !matches!(place, Place::Global(_)) {
                renumber(of, to);
            }
            renumber(value, to);
        }
        Op::WriteKey { of, key, value, .. } => renumber_all([of, key, value], to),
        Op::Trigger { captures, .. } => renumber_slice(captures, to),
        Op::StoreCostResult { src, .. } => renumber(src, to),
        Op::BeginEffect { whom, captures, until: points, .. } => {
            renumber_option(whom, to);
            renumber_slice(captures, to);
            renumber_duration(points, to);
        }
        Op::CopyListed { dst, object, .. } => {
            renumber(dst, to);
            renumber(object, to);
        }
        Op::Become { whom, model, captures, until: points, .. } => {
            renumber(whom, to);
            renumber(model, to);
            renumber_slice(captures, to);
            renumber_duration(points, to);
        }
        Op::Settle { acted, .. } => renumber_option(acted, to),
        Op::Use { object, args, done, .. } => {
            renumber(object, to);
            renumber_slice(args, to);
            renumber_option(done, to);
        }
        Op::CanPay { dst, player, price } => renumber_all([dst, player, price], to),
        Op::AddToPool { player, units } => renumber_all([player, units], to),
        Op::Pay { player, price, done } => {
            renumber_all([player, price], to);
            renumber_option(done, to);
        }
        Op::RunText { object } | Op::Refund { object } | Op::Retarget { object } => renumber(object, to),
        Op::ExtraTurn { dst, player } => renumber_all([dst, player], to),
        Op::SkipPeriod { player, .. } | Op::SetActivePlayer { player } => renumber(player, to),
    }
}

fn renumber_all<const N: usize>(regs: [&mut Reg; N], to: &[Reg]) {
    for reg in regs {
        renumber(reg, to);
    }
}
