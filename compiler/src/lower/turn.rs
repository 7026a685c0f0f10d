//! Lowers the turn of a format: its periods (phases and steps), with their conditions and code.

use super::{Lowering, Owner};
use crate::diagnostics::{Diagnostic, codes};
use crate::turn_tree::{TurnNode, TurnNodeEntry};
use fizzle_grammar::ast::{Block, Expr, Statement};
use fizzle_ir::{FnId, Op, Period, PeriodEntry, PeriodId, Type};
use std::collections::BTreeMap;

/// Functions of procedures and conditions, by the addresses of their syntax nodes. Formats that share a procedure share its function.
pub type SharedProcedures = BTreeMap<Vec<usize>, FnId>;

impl<'a> Lowering<'a> {
    /// Lowers a procedure of the game. It has no source object: `this` is an error, `you` is the active player.
    pub fn procedure(&mut self, name: &str, statements: &[&'a Statement], shared: &mut SharedProcedures) -> FnId {
        let key: Vec<usize> = statements.iter().map(|statement| std::ptr::from_ref(*statement) as usize).collect();
        if !key.is_empty()
            && let Some(known) = shared.get(&key)
        {
            return *known;
        }
        let before = std::mem::replace(&mut self.owner, Owner::new(name));
        self.begin(false, None, &[]);
        self.fun().has_no_source = true;
        self.statements(statements);
        let id = self.end();
        self.owner = before;
        if !key.is_empty() {
            shared.insert(key, id);
        }
        id
    }

    /// Lowers a condition or value of the game as a pure function. It has no source object: `this` is an error, `you` is the active player.
    pub fn condition(&mut self, name: &str, expr: &'a Expr, ty: Type, shared: &mut SharedProcedures) -> FnId {
        let key = vec![std::ptr::from_ref(expr) as usize];
        if let Some(known) = shared.get(&key) {
            return *known;
        }
        let before = std::mem::replace(&mut self.owner, Owner::new(name));
        self.at = expr.span;
        self.begin(true, Some(ty), &[]);
        self.fun().has_no_source = true;
        let value = self.expr(expr, Some(ty));
        let value = self.coerce(value, ty, expr.span);
        self.emit(Op::Return { value: Some(value) });
        let id = self.end();
        self.owner = before;
        shared.insert(key, id);
        id
    }

    /// Lowers the periods of a turn. A period has the same number in all formats of the game.
    pub fn turn(&mut self, root: &TurnNode<'a>, shared: &mut SharedProcedures) -> Vec<Period> {
        let mut spans: Vec<Period> = self
            .names
            .periods
            .keys()
            .map(|path| Period {
                name: path.rsplit('.').next().unwrap_or(path).to_owned(),
                path: path.clone(),
                phase: self.names.phases.contains(path),
                ..Period::default()
            })
            .collect();
        let mut order = Vec::new();
        self.period("turn", PeriodId(0), root, &mut spans, &mut order, shared);
        let mut eaches = Vec::new();
        collect_each_blocks("turn", root, &mut eaches);
        for (path, start, what, block) in eaches {
            let code = self.procedure(&format!("{path}: each {what}"), &statements_of(block), shared);
            for id in &order {
                let span = &mut spans[id.index()];
                let inside = path == "turn" || span.path.starts_with(&format!("{path}."));
                let kind = match what {
                    "phase" => span.phase,
                    "turn" => id.0 == 0,
                    _ => id.0 != 0 && !span.phase,
                };
                if inside && kind {
                    if start { span.at_start.push(code) } else { span.at_end.push(code) }
                }
            }
        }
        spans
    }

    fn period(
        &mut self,
        path: &str,
        parent: PeriodId,
        node: &TurnNode<'a>,
        spans: &mut [Period],
        order: &mut Vec<PeriodId>,
        shared: &mut SharedProcedures,
    ) -> Option<PeriodId> {
        let id = self.names.period_id(path)?;
        order.push(id);
        let within = path.rsplit_once('.').map_or("", |(outer, _)| outer);
        if node.is_phase && parent != PeriodId(0) && !self.names.phases.contains(within) {
            let message =
                format!("the phase `{}` is inside the step `{}`", node.name, within.rsplit('.').next().unwrap_or(within));
            let problem = Diagnostic::new(&codes::MISPLACED_FORM, node.span, message);
            self.report(
                problem
                    .help(format!("phases are made of steps: write `step {} {{ … }}`, or make the outer one a phase", node.name)),
            );
        }
        let source = self.sources.source(node.span);
        let condition = node.condition.map(|condition| self.condition(path, condition, Type::Bool, shared));
        let statements: Vec<&'a Statement> = node
            .entries
            .iter()
            .filter_map(|entry| match entry {
                TurnNodeEntry::Statement(statement) => Some(*statement),
                _ => None,
            })
            .collect();
        let body = (!statements.is_empty()).then(|| self.procedure(path, &statements, shared));
        let entries = self.period_entries(path, id, &node.entries, spans, order, shared);
        let span = spans.get_mut(id.index())?;
        span.phase = node.is_phase;
        span.parent = parent;
        span.condition = condition;
        span.body = body;
        span.entries = entries;
        span.source = source;
        Some(id)
    }

    fn period_entries(
        &mut self,
        path: &str,
        id: PeriodId,
        entries: &[TurnNodeEntry<'a>],
        spans: &mut [Period],
        order: &mut Vec<PeriodId>,
        shared: &mut SharedProcedures,
    ) -> Vec<PeriodEntry> {
        let mut lowered = Vec::new();
        for entry in entries {
            match entry {
                TurnNodeEntry::Period(node) => {
                    let path = format!("{path}.{}", node.name);
                    lowered.extend(self.period(&path, id, node, spans, order, shared).map(PeriodEntry::Period));
                }
                TurnNodeEntry::Repeat(condition, entries) => {
                    let condition = self.condition(path, condition, Type::Bool, shared);
                    let entries = self.period_entries(path, id, entries, spans, order, shared);
                    lowered.push(PeriodEntry::Repeat(condition, entries));
                }
                TurnNodeEntry::Statement(_) | TurnNodeEntry::Each { .. } => {}
            }
        }
        lowered
    }
}

/// Returns the statements of a block.
pub fn statements_of(block: &Block) -> Vec<&Statement> {
    block.statements.iter().collect()
}

fn collect_each_blocks<'n, 'a>(path: &str, node: &'n TurnNode<'a>, found: &mut Vec<(String, bool, &'n str, &'a Block)>) {
    fn walk<'n, 'a>(path: &str, entries: &'n [TurnNodeEntry<'a>], found: &mut Vec<(String, bool, &'n str, &'a Block)>) {
        for entry in entries {
            match entry {
                TurnNodeEntry::Period(node) => collect_each_blocks(&format!("{path}.{}", node.name), node, found),
                TurnNodeEntry::Repeat(_, entries) => walk(path, entries, found),
                TurnNodeEntry::Each { at_start: start, what, body } => found.push((path.to_owned(), *start, what.as_str(), body)),
                TurnNodeEntry::Statement(_) => {}
            }
        }
    }
    walk(path, &node.entries, found);
}
