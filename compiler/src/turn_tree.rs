//! The turn of a format as a tree, before lowering. Nodes are found, inserted and removed by path.

use fizzle_grammar::ast::{Block, Expr, PeriodDecl, Span, Statement, TurnEntry};
use smol_str::SmolStr;

/// A phase or step, or the turn.
#[derive(Clone, Debug, Default)]
pub struct TurnNode<'a> {
    /// Whether it is a phase; otherwise a step or the turn.
    pub is_phase: bool,
    /// Its name.
    pub name: SmolStr,
    /// The condition under which it takes place.
    pub condition: Option<&'a Expr>,
    /// Its entries in order.
    pub entries: Vec<TurnNodeEntry<'a>>,
    /// Its place in the source.
    pub span: Span,
}

/// An entry of a turn, phase or step.
#[derive(Clone, Debug)]
pub enum TurnNodeEntry<'a> {
    /// A phase or step.
    Period(TurnNode<'a>),
    /// Entries that repeat while a condition holds.
    Repeat(&'a Expr, Vec<TurnNodeEntry<'a>>),
    /// A statement.
    Statement(&'a Statement),
    /// `at end of each step { … }`
    Each {
        /// Whether it is `at start of`; otherwise `at end of`.
        at_start: bool,
        /// The kind of period: `step`, `phase` or `turn`.
        what: SmolStr,
        /// The statements.
        body: &'a Block,
    },
}

/// The entries of a turn, phase or step.
pub fn entries_of(entries: &[TurnEntry]) -> Vec<TurnNodeEntry<'_>> {
    entries
        .iter()
        .map(|entry| match entry {
            TurnEntry::Period(span) => TurnNodeEntry::Period(node_of(span)),
            TurnEntry::Repeat { condition, entries, .. } => TurnNodeEntry::Repeat(condition, entries_of(entries)),
            TurnEntry::Statement(statement) => TurnNodeEntry::Statement(statement),
            TurnEntry::Each { start, what, body } => TurnNodeEntry::Each { at_start: *start, what: what.text.clone(), body },
        })
        .collect()
}

/// The node of a phase or step.
pub fn node_of(span: &PeriodDecl) -> TurnNode<'_> {
    TurnNode {
        is_phase: span.is_phase,
        name: span.name.text.clone(),
        condition: span.condition.as_deref(),
        entries: entries_of(&span.entries),
        span: span.span,
    }
}

/// The paths of all phases and steps below `parent`.
pub fn node_paths(entries: &[TurnNodeEntry<'_>], parent: &str, paths: &mut Vec<String>) {
    for entry in entries {
        match entry {
            TurnNodeEntry::Period(node) => {
                let path = format!("{parent}.{}", node.name);
                paths.push(path.clone());
                node_paths(&node.entries, &path, paths);
            }
            TurnNodeEntry::Repeat(_, entries) => node_paths(entries, parent, paths),
            _ => {}
        }
    }
}

/// The phase or step of a full path.
pub fn find_node<'n, 'a>(turn: &'n mut TurnNode<'a>, path: &str) -> Option<&'n mut TurnNode<'a>> {
    fn walk<'n, 'a>(entries: &'n mut [TurnNodeEntry<'a>], parent: &str, path: &str) -> Option<&'n mut TurnNode<'a>> {
        for entry in entries {
            match entry {
                TurnNodeEntry::Period(node) => {
                    let own = format!("{parent}.{}", node.name);
                    if own == path {
                        return Some(node);
                    }
                    if path.starts_with(&format!("{own}.")) {
                        return walk(&mut node.entries, &own, path);
                    }
                }
                TurnNodeEntry::Repeat(_, entries) => {
                    if let Some(found) = walk(entries, parent, path) {
                        return Some(found);
                    }
                }
                _ => {}
            }
        }
        None
    }
    walk(&mut turn.entries, "turn", path)
}

/// Inserts a phase or step before or after the one of a full path. Returns whether that one was found.
pub fn insert_sibling<'a>(
    entries: &mut Vec<TurnNodeEntry<'a>>,
    parent: &str,
    path: &str,
    before: bool,
    node: TurnNode<'a>,
) -> bool {
    let mut place = None;
    for (index, entry) in entries.iter_mut().enumerate() {
        match entry {
            TurnNodeEntry::Period(child) => {
                let own = format!("{parent}.{}", child.name);
                if own == path {
                    place = Some(index);
                    break;
                }
                if path.starts_with(&format!("{own}.")) {
                    return insert_sibling(&mut child.entries, &own, path, before, node);
                }
            }
            TurnNodeEntry::Repeat(_, inner) => {
                let found = insert_sibling(inner, parent, path, before, node.clone());
                if found {
                    return true;
                }
            }
            _ => {}
        }
    }
    match place {
        Some(index) => {
            entries.insert(if before { index } else { index + 1 }, TurnNodeEntry::Period(node));
            true
        }
        None => false,
    }
}

/// Removes the phase or step of a full path.
pub fn remove_node(entries: &mut Vec<TurnNodeEntry<'_>>, parent: &str, path: &str) {
    entries.retain(|entry| !matches!(entry, TurnNodeEntry::Period(node) if format!("{parent}.{}", node.name) == path));
    for entry in entries {
        match entry {
            TurnNodeEntry::Period(node) => {
                let own = format!("{parent}.{}", node.name);
                remove_node(&mut node.entries, &own, path);
            }
            TurnNodeEntry::Repeat(_, inner) => remove_node(inner, parent, path),
            _ => {}
        }
    }
}
