//! The concrete syntax tree: the nodes of pest as one flat list in preorder. Iterating over it copies and allocates nothing.

use crate::parser::Rule;
use pest::Token;
use pest::iterators::Pairs;

/// A node around a byte of the text.
#[derive(Clone, Copy)]
pub(crate) struct Around {
    pub(crate) rule: Rule,
    pub(crate) start: usize,
    /// How many nodes of the same rule come before it in its parent.
    pub(crate) ordinal: usize,
}

/// The nodes of a text, in preorder.
pub(crate) struct Cst<'i> {
    text: &'i str,
    entries: Vec<CstEntry>,
}

struct CstEntry {
    rule: Rule,
    start: usize,
    end: usize,
    /// Index one past its last descendant.
    next: usize,
}

impl<'i> Cst<'i> {
    /// Builds the tree from the pairs of pest.
    pub(crate) fn from_pairs(text: &'i str, pairs: Pairs<'i, Rule>) -> Self {
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
        Self { text, entries: all }
    }

    /// The nodes that contain a byte, outermost first.
    pub(crate) fn path_to(&self, byte: usize) -> Vec<Around> {
        let mut path = Vec::new();
        let mut children = CstChildren { nodes: self, at: 0, end: self.entries.len() };
        let mut before: Vec<Rule> = Vec::new();
        while let Some(node) = children.next() {
            if node.entry.start <= byte && byte < node.entry.end {
                let ordinal = before.iter().filter(|rule| **rule == node.entry.rule).count();
                path.push(Around { rule: node.entry.rule, start: node.entry.start, ordinal });
                children = node.into_inner();
                before.clear();
            } else {
                before.push(node.entry.rule);
            }
        }
        path
    }

    /// The first node.
    pub(crate) fn first(&self) -> Option<CstNode<'_>> {
        CstChildren { nodes: self, at: 0, end: self.entries.len() }.next()
    }
}

/// A node: the text that a rule matched.
#[derive(Clone, Copy)]
pub(crate) struct CstNode<'n> {
    cst: &'n Cst<'n>,
    entry: &'n CstEntry,
    index: usize,
}

impl<'n> CstNode<'n> {
    /// The rule of the node.
    pub(crate) fn as_rule(&self) -> Rule {
        self.entry.rule
    }

    /// The text of the node.
    pub(crate) fn as_str(&self) -> &'n str {
        self.cst.text.get(self.entry.start..self.entry.end).unwrap_or("")
    }

    /// The text of the whole tree.
    pub(crate) fn source(&self) -> &'n str {
        self.cst.text
    }

    /// The offset of its first byte.
    pub(crate) fn start(&self) -> usize {
        self.entry.start
    }

    /// Its direct children.
    pub(crate) fn into_inner(self) -> CstChildren<'n> {
        CstChildren { nodes: self.cst, at: self.index + 1, end: self.entry.next }
    }
}

/// Iterator over the direct children of a node.
#[derive(Clone)]
pub(crate) struct CstChildren<'n> {
    nodes: &'n Cst<'n>,
    at: usize,
    end: usize,
}

impl<'n> CstChildren<'n> {
    /// The next child, without advancing.
    pub(crate) fn peek(&self) -> Option<CstNode<'n>> {
        let entry = self.nodes.entries.get(self.at).filter(|_| self.at < self.end)?;
        Some(CstNode { cst: self.nodes, entry, index: self.at })
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
