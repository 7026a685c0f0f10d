//! The turn of a format as a tree, before lowering: found, changed, removed and added to by path.

use fizzle_grammar::tree::{Block, Expr, Span, Statement, TurnEntry, TurnSpan};
use smol_str::SmolStr;

/// A phase or step, or the turn.
#[derive(Clone, Debug, Default)]
pub struct Node<'a> {
    /// A phase (else a step).
    pub phase: bool,
    /// Its name.
    pub name: SmolStr,
    /// Skipped when it does not hold.
    pub condition: Option<&'a Expr>,
    /// In order.
    pub entries: Vec<Entry<'a>>,
    /// Where it is written.
    pub span: Span,
}

/// What a phase or step is made of.
#[derive(Clone, Debug)]
pub enum Entry<'a> {
    /// A child.
    Span(Node<'a>),
    /// Repeated children.
    Repeat(&'a Expr, Vec<Entry<'a>>),
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
pub fn entries_of(entries: &[TurnEntry]) -> Vec<Entry<'_>> {
    entries
        .iter()
        .map(|entry| match entry {
            TurnEntry::Span(span) => Entry::Span(node_of(span)),
            TurnEntry::Repeat { condition, entries, .. } => Entry::Repeat(condition, entries_of(entries)),
            TurnEntry::Statement(statement) => Entry::Statement(statement),
            TurnEntry::Each { start, what, body } => Entry::Each { start: *start, what: what.text.clone(), body },
        })
        .collect()
}

/// A phase or step as written.
pub fn node_of(span: &TurnSpan) -> Node<'_> {
    Node {
        phase: span.phase,
        name: span.name.text.clone(),
        condition: span.condition.as_deref(),
        entries: entries_of(&span.entries),
        span: span.span,
    }
}

/// The paths of all phases and steps below `parent`.
pub fn node_paths(entries: &[Entry<'_>], parent: &str, paths: &mut Vec<String>) {
    for entry in entries {
        match entry {
            Entry::Span(node) => {
                let path = format!("{parent}.{}", node.name);
                paths.push(path.clone());
                node_paths(&node.entries, &path, paths);
            }
            Entry::Repeat(_, entries) => node_paths(entries, parent, paths),
            _ => {}
        }
    }
}

/// The phase or step of a full path.
pub fn find_node<'n, 'a>(turn: &'n mut Node<'a>, path: &str) -> Option<&'n mut Node<'a>> {
    fn walk<'n, 'a>(entries: &'n mut [Entry<'a>], parent: &str, path: &str) -> Option<&'n mut Node<'a>> {
        for entry in entries {
            match entry {
                Entry::Span(node) => {
                    let own = format!("{parent}.{}", node.name);
                    if own == path {
                        return Some(node);
                    }
                    if path.starts_with(&format!("{own}.")) {
                        return walk(&mut node.entries, &own, path);
                    }
                }
                Entry::Repeat(_, entries) => {
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
pub fn insert_beside<'a>(entries: &mut Vec<Entry<'a>>, parent: &str, path: &str, before: bool, node: Node<'a>) -> bool {
    let mut place = None;
    for (index, entry) in entries.iter_mut().enumerate() {
        match entry {
            Entry::Span(child) => {
                let own = format!("{parent}.{}", child.name);
                if own == path {
                    place = Some(index);
                    break;
                }
                if path.starts_with(&format!("{own}.")) {
                    return insert_beside(&mut child.entries, &own, path, before, node);
                }
            }
            Entry::Repeat(_, inner) => {
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
            entries.insert(if before { index } else { index + 1 }, Entry::Span(node));
            true
        }
        None => false,
    }
}

/// Removes the phase or step of a full path.
pub fn remove_node(entries: &mut Vec<Entry<'_>>, parent: &str, path: &str) {
    entries.retain(|entry| !matches!(entry, Entry::Span(node) if format!("{parent}.{}", node.name) == path));
    for entry in entries {
        match entry {
            Entry::Span(node) => {
                let own = format!("{parent}.{}", node.name);
                remove_node(&mut node.entries, &own, path);
            }
            Entry::Repeat(_, inner) => remove_node(inner, parent, path),
            _ => {}
        }
    }
}
