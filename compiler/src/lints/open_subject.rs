//! Lint: continuous effects of a text whose subject is a noun alone (*open*). Such an effect also applies to objects that come later; one on `each`
//! object applies to those that are there as it begins (CR 611.2c).

use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lowering;
use fizzle_grammar::ast::{Duration, Expr, Span};

impl Lowering<'_> {
    /// Reports `creature of you gets … until …` as a statement. `span` is the whole statement.
    pub fn lint_open_subject(&mut self, whom: &Expr, until: Option<&Duration>, span: Span) {
        let subject = self.sources.slice(whom.span).trim().to_owned();
        let message = format!("this also reaches each `{subject}` that comes later");
        let mut problem = Diagnostic::new(&codes::OPEN_SUBJECT, whom.span, message)
            .help(format!("for those that are there now, write `each {subject} gets …`"));
        if let Some(until) = until {
            let end = self.sources.slice(until.span).trim().to_owned();
            let behind = Span { start: whom.span.end, end: until.span.start, ..span };
            let changes = self.sources.slice(behind).trim().trim_end_matches("until").trim().to_owned();
            let lasting = if end.starts_with("for ") { end } else { format!("until {}", end.trim_start_matches("until ")) };
            problem =
                problem.help(format!("for all as long as it lasts, write `{lasting} {{ always {{ {subject} {changes} }} }}`"));
        }
        self.report(problem);
    }
}
