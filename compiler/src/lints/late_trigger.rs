//! Lint: triggers at the very end of a turn, which wait for a window of the next one.

use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lowering;
use crate::names::NameTable;
use fizzle_grammar::ast::{Moment, PeriodDecl, TurnEntry};

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
    /// The first step of the last phase of the game's turn, by its short name if no other period has it. The turns of formats may differ.
    #[must_use]
    pub fn last_period(&self) -> Option<String> {
        let last = nested_periods(self.turn?).pop()?;
        let mut path = format!("{TURN}.{}", last.name.text);
        let mut period = last;
        while let Some(first) = nested_periods(&period.entries).into_iter().next() {
            path = format!("{path}.{}", first.name.text);
            period = first;
        }
        let short = period.name.text.as_str();
        Some(if self.find_period(short).len() == 1 { short.to_owned() } else { path })
    }
}

/// The phases and steps directly among the entries of a turn or phase, also those in a repetition.
fn nested_periods(entries: &[TurnEntry]) -> Vec<&PeriodDecl> {
    let mut found = Vec::new();
    for entry in entries {
        match entry {
            TurnEntry::Period(period) => found.push(period),
            TurnEntry::Repeat { entries, .. } => found.extend(nested_periods(entries)),
            TurnEntry::Statement(_) | TurnEntry::Each { .. } => {}
        }
    }
    found
}
