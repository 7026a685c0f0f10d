//! Lint: numbers in the place of the price of a keyword.

use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lowering;
use fizzle_grammar::ast::{Expr, Name};
use fizzle_ir::Type;

impl Lowering<'_> {
    /// Reports `ward 2` for `ward {2}`: the text of the card would print the number as one of things.
    pub fn lint_number_for_price(&mut self, keyword: &Name, arg: &Expr, ty: Type) {
        let text = self.sources.slice(arg.span);
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if ty != Type::Price || !is_number || self.names.payments.is_empty() {
            return;
        }
        let price = format!("{{{text}}}");
        let message = format!("`{}` has a price, which is written in braces", keyword.text);
        self.report(
            Diagnostic::new(&codes::NUMBER_FOR_PRICE, arg.span, message)
                .help(format!("write `{}({price})`", keyword.text))
                .fix(text, price),
        );
    }
}
