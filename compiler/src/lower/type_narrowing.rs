//! Type narrowing: in the code that a condition guards, a thing that the condition proves to be an object or a player has that type.

use super::Lowering;
use super::function_builder::{Binding, Local};
use crate::phrase_syntax::{as_phrase, bare_word};
use fizzle_grammar::ast::{BinaryOp, Expr, ExprKind, Head, Name, Phrase};
use fizzle_ir::Type;

/// The name of a thing, and its narrowed type.
#[derive(Clone, Copy, Debug)]
pub struct NarrowedName<'a> {
    name: &'a Name,
    ty: Type,
}

impl<'a> Lowering<'a> {
    /// Returns the narrowed names if a condition holds, and those if it does not.
    pub fn narrowings(&self, condition: &'a Expr) -> (Vec<NarrowedName<'a>>, Vec<NarrowedName<'a>>) {
        match &condition.kind {
            ExprKind::Not(inner) => {
                let (yes, no) = self.narrowings(inner);
                (no, yes)
            }
            ExprKind::Binary { op: BinaryOp::And, left, right } => {
                let (mut yes, _) = self.narrowings(left);
                yes.extend(self.narrowings(right).0);
                (yes, Vec::new())
            }
            ExprKind::Binary { op: BinaryOp::Or, left, right } => {
                let (_, mut no) = self.narrowings(left);
                no.extend(self.narrowings(right).1);
                (Vec::new(), no)
            }
            ExprKind::Phrase(Phrase { quantifier: None, other: false, head: Head::Group(inner), filters: posts })
                if posts.is_empty() =>
            {
                self.narrowings(inner)
            }
            ExprKind::Is { left, right, negated } => {
                let Some(name) = bare_word(left).filter(|_| self.guess(left) == Some(Type::Thing)) else {
                    return (Vec::new(), Vec::new());
                };
                let yes: Vec<_> = self.thing_kind(right).map(|ty| NarrowedName { name, ty }).into_iter().collect();
                let word = as_phrase(right).and_then(|_| bare_word(right)).filter(|word| self.local_type(&word.text).is_none());
                let no: Vec<_> = match word.map(|word| word.text.as_str()) {
                    Some("player") => vec![NarrowedName { name, ty: Type::Object }],
                    Some("object") => vec![NarrowedName { name, ty: Type::Player }],
                    _ => Vec::new(),
                };
                if *negated { (no, yes) } else { (yes, no) }
            }
            _ => (Vec::new(), Vec::new()),
        }
    }

    /// Lowers code that a condition guards, with narrowed names.
    pub fn with_narrowed<T>(&mut self, known: &[NarrowedName<'a>], inner: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.fun().locals.len();
        for NarrowedName { name, ty } in known {
            let value = self.word(name, None, None, name.span);
            if value.ty != Some(Type::Thing) {
                continue;
            }
            let reg = self.cast(value.reg, *ty);
            self.fun().locals.push(Local {
                name: name.text.clone(),
                span: name.span,
                ty: Some(*ty),
                binding: Binding::Reg(reg),
                is_used: true,
                warn_if_unused: false,
            });
        }
        let result = inner(self);
        self.fun().locals.truncate(mark);
        result
    }
}
