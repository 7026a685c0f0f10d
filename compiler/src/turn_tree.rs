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

/// The rest of a path below a node: empty if the path is that of the node, `None` if it leads elsewhere.
fn below<'p>(node: &TurnNode<'_>, path: &'p str) -> Option<&'p str> {
    let rest = path.strip_prefix(node.name.as_str())?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
}

/// The path of a phase or step without the name of the turn.
fn within_turn(path: &str) -> &str {
    path.strip_prefix("turn.").unwrap_or("")
}

/// Whether a turn has the phase or step of a full path.
pub fn has_node(turn: &TurnNode<'_>, path: &str) -> bool {
    fn walk(entries: &[TurnNodeEntry<'_>], path: &str) -> bool {
        entries.iter().any(|entry| match entry {
            TurnNodeEntry::Period(node) => below(node, path).is_some_and(|rest| rest.is_empty() || walk(&node.entries, rest)),
            TurnNodeEntry::Repeat(_, entries) => walk(entries, path),
            _ => false,
        })
    }
    let path = within_turn(path);
    !path.is_empty() && walk(&turn.entries, path)
}

/// The phase or step of a full path.
pub fn find_node<'n, 'a>(turn: &'n mut TurnNode<'a>, path: &str) -> Option<&'n mut TurnNode<'a>> {
    fn walk<'n, 'a>(entries: &'n mut [TurnNodeEntry<'a>], path: &str) -> Option<&'n mut TurnNode<'a>> {
        for entry in entries {
            match entry {
                TurnNodeEntry::Period(node) => match below(node, path) {
                    Some("") => return Some(node),
                    Some(rest) => return walk(&mut node.entries, rest),
                    None => {}
                },
                TurnNodeEntry::Repeat(_, entries) => {
                    if let Some(found) = walk(entries, path) {
                        return Some(found);
                    }
                }
                _ => {}
            }
        }
        None
    }
    walk(&mut turn.entries, within_turn(path))
}

/// Inserts a phase or step before or after the one of a full path. Returns whether that one was found.
pub fn insert_sibling<'a>(turn: &mut TurnNode<'a>, path: &str, before: bool, node: TurnNode<'a>) -> bool {
    /// Returns the node if its place was not found.
    fn walk<'a>(entries: &mut Vec<TurnNodeEntry<'a>>, path: &str, before: bool, mut node: TurnNode<'a>) -> Option<TurnNode<'a>> {
        let mut place = None;
        for (index, entry) in entries.iter_mut().enumerate() {
            match entry {
                TurnNodeEntry::Period(child) => match below(child, path) {
                    Some("") => {
                        place = Some(index);
                        break;
                    }
                    Some(rest) => return walk(&mut child.entries, rest, before, node),
                    None => {}
                },
                TurnNodeEntry::Repeat(_, inner) => node = walk(inner, path, before, node)?,
                _ => {}
            }
        }
        let Some(index) = place else { return Some(node) };
        entries.insert(if before { index } else { index + 1 }, TurnNodeEntry::Period(node));
        None
    }
    walk(&mut turn.entries, within_turn(path), before, node).is_none()
}

/// Removes the phase or step of a full path.
pub fn remove_node(turn: &mut TurnNode<'_>, path: &str) {
    fn walk(entries: &mut Vec<TurnNodeEntry<'_>>, path: &str) {
        entries.retain(|entry| !matches!(entry, TurnNodeEntry::Period(node) if below(node, path) == Some("")));
        for entry in entries {
            match entry {
                TurnNodeEntry::Period(node) => {
                    if let Some(rest) = below(node, path) {
                        walk(&mut node.entries, rest);
                    }
                }
                TurnNodeEntry::Repeat(_, inner) => walk(inner, path),
                _ => {}
            }
        }
    }
    walk(&mut turn.entries, within_turn(path));
}
