//! The turn of a format as a tree, before lowering: found, changed, removed and added to by path.

use fizzle_grammar::ast::{Block, Expr, PeriodDecl, Span, Statement, TurnEntry};
use smol_str::SmolStr;

/// A phase or step, or the turn.
#[derive(Clone, Debug, Default)]
pub struct TurnNode<'a> {
    /// A phase (else a step).
    pub phase: bool,
    /// Its name.
    pub name: SmolStr,
    /// Skipped when it does not hold.
    pub condition: Option<&'a Expr>,
    /// In order.
    pub entries: Vec<TurnNodeEntry<'a>>,
    /// Where it is written.
    pub span: Span,
}

/// What a phase or step is made of.
#[derive(Clone, Debug)]
pub enum TurnNodeEntry<'a> {
    /// A child.
    Span(TurnNode<'a>),
    /// Repeated children.
    Repeat(&'a Expr, Vec<TurnNodeEntry<'a>>),
    /// A statement.
    Statement(&'a Statement),
    /// `at end of each step { … }`
    Each {
        /// `start` (else `end`).
        start: bool,
        /// `step`, `phase`, `turn`.
        what: SmolStr,
        /// What is done.
        body: &'a Block,
    },
}

/// The entries of a turn, phase or step.
pub fn entries_of(entries: &[TurnEntry]) -> Vec<TurnNodeEntry<'_>> {
    entries
        .iter()
        .map(|entry| match entry {
            TurnEntry::Span(span) => TurnNodeEntry::Span(node_of(span)),
            TurnEntry::Repeat { condition, entries, .. } => TurnNodeEntry::Repeat(condition, entries_of(entries)),
            TurnEntry::Statement(statement) => TurnNodeEntry::Statement(statement),
            TurnEntry::Each { start, what, body } => TurnNodeEntry::Each { start: *start, what: what.text.clone(), body },
        })
        .collect()
}

/// A phase or step as written.
pub fn node_of(span: &PeriodDecl) -> TurnNode<'_> {
    TurnNode {
        phase: span.phase,
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
            TurnNodeEntry::Span(node) => {
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
                TurnNodeEntry::Span(node) => {
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

/// Adds a phase or step before or after another one; says whether that was found.
pub fn insert_beside<'a>(
    entries: &mut Vec<TurnNodeEntry<'a>>,
    parent: &str,
    path: &str,
    before: bool,
    node: TurnNode<'a>,
) -> bool {
    let mut place = None;
    for (index, entry) in entries.iter_mut().enumerate() {
        match entry {
            TurnNodeEntry::Span(child) => {
                let own = format!("{parent}.{}", child.name);
                if own == path {
                    place = Some(index);
                    break;
                }
                if path.starts_with(&format!("{own}.")) {
                    return insert_beside(&mut child.entries, &own, path, before, node);
                }
            }
            TurnNodeEntry::Repeat(_, inner) => {
                let found = insert_beside(inner, parent, path, before, node.clone());
                if found {
                    return true;
                }
            }
            _ => {}
        }
    }
    match place {
        Some(index) => {
            entries.insert(if before { index } else { index + 1 }, TurnNodeEntry::Span(node));
            true
        }
        None => false,
    }
}

/// Removes the phase or step of a full path.
pub fn remove_node(entries: &mut Vec<TurnNodeEntry<'_>>, parent: &str, path: &str) {
    entries.retain(|entry| !matches!(entry, TurnNodeEntry::Span(node) if format!("{parent}.{}", node.name) == path));
    for entry in entries {
        match entry {
            TurnNodeEntry::Span(node) => {
                let own = format!("{parent}.{}", node.name);
                remove_node(&mut node.entries, &own, path);
            }
            TurnNodeEntry::Repeat(_, inner) => remove_node(inner, parent, path),
            _ => {}
        }
    }
}
