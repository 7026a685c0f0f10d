//! Prints the setup and the turn of a format: its phases and steps in order, with the actions that the rules perform in each.

use crate::output::{self, Style};
use fizzle_runtime::ir::op::{Op, Place};
use fizzle_runtime::ir::{FnId, Format, Library, PeriodEntry, PeriodId};

/// Prints the turn.
pub fn show(library: &Library, format: &Format) {
    output::styled_line(Style::Bold, if format.title.is_empty() { &format.name } else { &format.title }, "");
    let all: Vec<PeriodId> = (0..format.periods.len()).map(|index| PeriodId(index as u32)).collect();
    // What happens at the end of every phase or every step is printed once, at the end.
    let common = |phase: bool| -> Vec<FnId> {
        let of: Vec<&Vec<FnId>> = all
            .iter()
            .skip(1)
            .filter_map(|span| format.periods.get(span.index()))
            .filter(|span| span.phase == phase)
            .map(|span| &span.at_end)
            .collect();
        of.first()
            .map_or_else(Vec::new, |first| first.iter().copied().filter(|f| of.iter().all(|other| other.contains(f))).collect())
    };
    let (phases, steps) = (common(true), common(false));
    let printer = TurnPrinter { library, format, common: phases.iter().chain(&steps).copied().collect() };
    let before: Vec<String> = format.setup.iter().flat_map(|function| printer.describe_function(*function)).collect();
    if !before.is_empty() {
        output::line(format!("  setup: {}", before.join(", ")));
    }
    printer.print_period(PeriodId(0), 1, "");
    for (functions, what) in [(phases, "phase"), (steps, "step")] {
        let done: Vec<String> = functions.iter().flat_map(|function| printer.describe_function(*function)).collect();
        if !done.is_empty() {
            output::line(format!("  at the end of each {what}: {}", done.join(", ")));
        }
    }
}

struct TurnPrinter<'a> {
    library: &'a Library,
    format: &'a Format,
    common: Vec<FnId>,
}

impl TurnPrinter<'_> {
    fn print_period(&self, id: PeriodId, depth: usize, repeated: &str) {
        let Some(span) = self.format.periods.get(id.index()) else { return };
        let indent = "  ".repeat(depth);
        let condition = if span.condition.is_some() { " (not always)" } else { "" };
        let done: Vec<String> =
            span.at_start.iter().chain(&span.body).flat_map(|function| self.describe_function(*function)).collect();
        let done = if done.is_empty() { String::new() } else { format!(": {}", done.join(", ")) };
        output::line(format!("{indent}{}{condition}{repeated}{done}", span.name));
        self.print_entries(&span.entries, depth + 1, "");
        let own = span.at_end.iter().filter(|function| !self.common.contains(function));
        let ending: Vec<String> = own.flat_map(|function| self.describe_function(*function)).collect();
        if !ending.is_empty() {
            output::line(format!("{indent}  at its end: {}", ending.join(", ")));
        }
    }

    fn print_entries(&self, entries: &[PeriodEntry], depth: usize, repeated: &str) {
        for entry in entries {
            match entry {
                PeriodEntry::Period(child) => self.print_period(*child, depth, repeated),
                PeriodEntry::Repeat(_, children) => self.print_entries(children, depth, " (repeated)"),
            }
        }
    }

    /// Describes what a function does, in order: events, status changes, windows, settling, expiry, inserted periods.
    fn describe_function(&self, function: FnId) -> Vec<String> {
        let mut done: Vec<String> = Vec::new();
        for op in self.library.functions.get(function.index()).map_or(&[][..], |function| &function.ops) {
            let name = |path: &PeriodId| self.format.periods.get(path.index()).map_or_else(String::new, |span| span.path.clone());
            let what = match op {
                Op::Propose { events, .. } => {
                    let names = events.iter().filter_map(|event| self.format.actions.get(event.action.index()));
                    names.map(|action| action.name.clone()).collect::<Vec<_>>()
                }
                Op::Write { place: Place::Status(n), .. } => {
                    let status = self.library.statuses.get(usize::from(*n)).filter(|status| !status.name.starts_with('_'));
                    status.map(|status| format!("sets {}", status.name)).into_iter().collect()
                }
                Op::Window { window } => {
                    self.library.windows.get(usize::from(*window)).map(|window| window.name.clone()).into_iter().collect()
                }
                Op::Settle { .. } => vec!["settle".to_owned()],
                Op::Expire { period: span } => vec![format!("expire {}", name(span))],
                Op::InsertPeriod { period: span } => vec![format!("another {}", name(span))],
                _ => Vec::new(),
            };
            done.extend(what);
        }
        done.dedup();
        done
    }
}
