//! Renumbers the registers of operations and choice sites, so that the parameters of a function come first.

use fizzle_ir::{ChoiceSite, Chooser, Op, Reg};

fn renumber(reg: &mut Reg, to: &[Reg]) {
    if let Some(new) = to.get(usize::from(*reg)) {
        *reg = *new;
    }
}

/// Renumbers the registers of a choice site; `to[old]` is the new number.
pub fn renumber_site(site: &mut ChoiceSite, to: &[Reg]) {
    site.captures.iter_mut().for_each(|reg| renumber(reg, to));
    renumber(&mut site.dst, to);
    if let Chooser::Player(reg) = &mut site.chooser {
        renumber(reg, to);
    }
}

/// Renumbers the registers of an operation; `to[old]` is the new number.
pub fn renumber_op(op: &mut Op, to: &[Reg]) {
    op.for_each_register_mut(|reg| renumber(reg, to));
}
