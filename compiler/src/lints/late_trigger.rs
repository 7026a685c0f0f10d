//! Lint: triggers at the very end of a turn, which wait for a window of the next one.

use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lowering;
use crate::names::NameTable;
use fizzle_grammar::ast::Moment;

/// The period that contains all others.
const TURN: &str = "turn";

impl Lowering<'_> {
    /// Reports `at end of turn` of a trigger that does not happen immediately: it has no window left in this turn.
    pub fn lint_late_trigger(&mut self, moment: &Moment) {
        let [period] = moment.period_path.parts.as_slice() else { return };
        if moment.start || period.text != TURN {
            return;
        }
        let Some(last) = self.names.last_period() else { return };
        let whose = moment.whose.as_ref().map(|whose| match self.sources.slice(whose.span).trim() {
            "your" => " of you".to_owned(),
            other => format!(" of {}", other.trim_end_matches("'s")),
        });
        let message = "no player acts after this in the turn, so this waits, mostly until the next turn";
        let help = format!("the last part of the turn is `{last}`: write `at start of {last}{}`", whose.unwrap_or_default());
        self.report(Diagnostic::new(&codes::LATE_TRIGGER, period.span, message).help(help));
    }
}

impl NameTable<'_> {
    /// The first step of the last phase of a turn, by its short name if no other has it.
    #[must_use]
    pub fn last_period(&self) -> Option<String> {
        let paths: Vec<&str> = self.periods.keys().map(String::as_str).collect();
        let depth = |path: &str| path.matches('.').count();
        let last = paths.iter().rposition(|path| depth(path) == 1)?;
        let inner = paths.get(last..)?;
        let first = inner.iter().zip(inner.iter().skip(1)).find(|(path, next)| depth(next) <= depth(path));
        let path = first.map_or_else(|| inner.last().copied(), |(path, _)| Some(*path))?;
        let short = path.rsplit('.').next().unwrap_or(path);
        Some(if self.find_period(short).len() == 1 { short } else { path }.to_owned())
    }
}
