//! What pest has read, as a flat list: a node is a number, what it holds stands behind it, and walking copies nothing.

use crate::parser::Rule;
use pest::Token;
use pest::iterators::Pairs;

/// All nodes of a text.
pub(crate) struct Cst<'i> {
    text: &'i str,
    all: Vec<CstEntry>,
}

struct CstEntry {
    rule: Rule,
    start: usize,
    end: usize,
    /// One past the last node in it.
    next: usize,
}

impl<'i> Cst<'i> {
    /// Of what pest has read.
    pub(crate) fn of(text: &'i str, pairs: Pairs<'i, Rule>) -> Self {
        let tokens = pairs.tokens();
        let mut all: Vec<CstEntry> = Vec::with_capacity(tokens.len() / 2);
        let mut open: Vec<usize> = Vec::new();
        for token in tokens {
            match token {
                Token::Start { rule, pos } => {
                    open.push(all.len());
                    all.push(CstEntry { rule, start: pos.pos(), end: pos.pos(), next: 0 });
                }
                Token::End { pos, .. } => {
                    let next = all.len();
                    if let Some(entry) = open.pop().and_then(|index| all.get_mut(index)) {
                        (entry.end, entry.next) = (pos.pos(), next);
                    }
                }
            }
        }
        Self { text, all }
    }

    /// The first node.
    pub(crate) fn first(&self) -> Option<CstNode<'_>> {
        CstChildren { nodes: self, at: 0, end: self.all.len() }.next()
    }
}

/// What a rule has read.
#[derive(Clone, Copy)]
pub(crate) struct CstNode<'n> {
    nodes: &'n Cst<'n>,
    entry: &'n CstEntry,
    index: usize,
}

impl<'n> CstNode<'n> {
    /// The rule.
    pub(crate) fn as_rule(&self) -> Rule {
        self.entry.rule
    }

    /// The text.
    pub(crate) fn as_str(&self) -> &'n str {
        self.nodes.text.get(self.entry.start..self.entry.end).unwrap_or("")
    }

    /// The text of the whole tree.
    pub(crate) fn source(&self) -> &'n str {
        self.nodes.text
    }

    /// The first byte.
    pub(crate) fn start(&self) -> usize {
        self.entry.start
    }

    /// The nodes right in it.
    pub(crate) fn into_inner(self) -> CstChildren<'n> {
        CstChildren { nodes: self.nodes, at: self.index + 1, end: self.entry.next }
    }
}

/// The nodes right in one.
pub(crate) struct CstChildren<'n> {
    nodes: &'n Cst<'n>,
    at: usize,
    end: usize,
}

impl<'n> CstChildren<'n> {
    /// The next one, which is still to come.
    pub(crate) fn peek(&self) -> Option<CstNode<'n>> {
        let entry = self.nodes.all.get(self.at).filter(|_| self.at < self.end)?;
        Some(CstNode { nodes: self.nodes, entry, index: self.at })
    }
}

impl<'n> Iterator for CstChildren<'n> {
    type Item = CstNode<'n>;

    fn next(&mut self) -> Option<CstNode<'n>> {
        let node = self.peek()?;
        self.at = node.entry.next;
        Some(node)
    }
}
