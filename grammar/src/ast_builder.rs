//! Builds the syntax tree of an item from its concrete syntax tree ([`CstNode`]).
//!
//! Words and events of older editions get the names of the newest one here.

mod clause;
mod expr;
mod fragments;
mod items;
mod label;
mod layout;
mod matches;
mod repeated_entries;
mod scenario;
mod shorthand;
mod statement;
mod text;

use smol_str::SmolStr;
use std::cell::Cell;
use std::collections::BTreeMap;

use crate::ast::{Name, Path, Span};
use crate::cst::CstChildren;
use crate::edition;
use crate::error::{NESTING_HELP, SyntaxError, SyntaxErrorKind};

use crate::parser::Rule;

pub(crate) type BuildResult<T> = Result<T, SyntaxError>;
pub(crate) use crate::cst::CstNode;

/// The longest chain of operators, negations, possessives or `otherwise if`. Each link is one level of the tree.
pub const MAX_CHAIN_LINKS: usize = 64;

/// The greatest depth of the tree of an item: nesting and chains together. Later stages recurse over the tree.
pub const MAX_TREE_DEPTH: usize = 128;

/// Builds the tree of one item. `base` is the offset of pest's input in the file.
pub(crate) struct AstBuilder {
    pub(crate) file: u32,
    pub(crate) base: u32,
    /// The depth of the node that is being built.
    depth: Cell<usize>,
    /// A form was built that the compiler expands.
    has_shorthand: Cell<bool>,
    /// Names that are read as others, by their first byte.
    other_names: BTreeMap<u32, SmolStr>,
}

/// Iterator over the children of a node, without punctuation.
#[derive(Clone)]
pub(crate) struct Children<'i> {
    inner: CstChildren<'i>,
    /// The node whose children they are.
    parent: CstNode<'i>,
    file: u32,
    base: u32,
}

impl<'i> Iterator for Children<'i> {
    type Item = CstNode<'i>;

    fn next(&mut self) -> Option<CstNode<'i>> {
        self.peek();
        self.inner.next()
    }
}

impl<'i> Children<'i> {
    /// The span of the parent.
    fn span(&self) -> Span {
        AstBuilder::new(self.file, self.base).span(&self.parent)
    }

    /// The rule of the next child, without advancing.
    fn peek(&mut self) -> Option<Rule> {
        while let Some(node) = self.inner.peek() {
            match node.as_rule() {
                Rule::open
                | Rule::close
                | Rule::lparen
                | Rule::rparen
                | Rule::lbrack
                | Rule::rbrack
                | Rule::comma
                | Rule::colon
                | Rule::equals
                | Rule::EOI => {
                    self.inner.next();
                }
                rule => return Some(rule),
            }
        }
        None
    }

    /// Takes the next child if it has this rule.
    fn next_if(&mut self, rule: Rule) -> Option<CstNode<'i>> {
        if self.peek() == Some(rule) { self.next() } else { None }
    }

    /// Takes the next child if it has this rule. Returns whether it did.
    fn take_if(&mut self, rule: Rule) -> bool {
        self.next_if(rule).is_some()
    }

    /// Takes the next child. The grammar guarantees that there is one.
    fn require(&mut self) -> BuildResult<CstNode<'i>> {
        self.next().ok_or_else(|| unexpected_tree(self.span()))
    }

    /// Takes the next child of this rule and skips keywords before it. The grammar guarantees that there is one.
    fn find(&mut self, rule: Rule) -> BuildResult<CstNode<'i>> {
        loop {
            let node = self.require()?;
            if node.as_rule() == rule {
                return Ok(node);
            }
        }
    }

    /// Takes the next child that is a name or quoted name, and skips others before it.
    fn find_label(&mut self) -> BuildResult<CstNode<'i>> {
        loop {
            let node = self.require()?;
            if matches!(node.as_rule(), Rule::name | Rule::quoted) {
                return Ok(node);
            }
        }
    }
}

/// The error for a tree that the grammar does not produce. It is a defect of the builder.
fn unexpected_tree(span: Span) -> SyntaxError {
    let kind = SyntaxErrorKind::Expected { found: "invalid syntax".into(), expected: vec!["an item".to_owned()] };
    SyntaxError { span, kind, help: None }
}

fn chain_too_long(span: Span, help: &str) -> SyntaxError {
    SyntaxError { span, kind: SyntaxErrorKind::TooDeep { limit: MAX_CHAIN_LINKS }, help: Some(help.to_owned()) }
}

fn missing_part(span: Span, part: &str, help: &str) -> SyntaxError {
    SyntaxError { span, kind: SyntaxErrorKind::Missing { part: part.into() }, help: Some(help.to_owned()) }
}

impl AstBuilder {
    pub(crate) fn new(file: u32, base: u32) -> Self {
        Self { file, base, depth: Cell::new(0), has_shorthand: Cell::new(false), other_names: BTreeMap::new() }
    }

    /// Reads the names that begin at these bytes as others.
    pub(crate) fn with_other_names(self, other_names: BTreeMap<u32, SmolStr>) -> Self {
        Self { other_names, ..self }
    }

    /// A name that is written so at this place, or the one that is read there.
    fn name_at(&self, text: &str, mut span: Span) -> Name {
        match self.other_names.get(&span.start) {
            Some(other) => {
                // A span that is longer than its name would be that of a quoted name.
                span.end = span.end.min(span.start + other.len() as u32);
                Name { text: other.clone(), span }
            }
            None => Name { text: text.into(), span },
        }
    }

    /// Builds a part of the tree that is some levels deeper.
    fn nested<T>(&self, levels: usize, span: Span, build: impl FnOnce() -> BuildResult<T>) -> BuildResult<T> {
        let depth = self.depth.get();
        if depth + levels > MAX_TREE_DEPTH {
            let kind = SyntaxErrorKind::TooDeep { limit: MAX_TREE_DEPTH };
            return Err(SyntaxError { span, kind, help: Some(NESTING_HELP.to_owned()) });
        }
        self.depth.set(depth + levels);
        let built = build();
        self.depth.set(depth);
        built
    }

    /// The span of a node, without trailing blanks and separators that pest's optional parts consumed.
    pub(crate) fn span(&self, node: &CstNode<'_>) -> Span {
        let mut text = node.as_str().as_bytes();
        while let [before @ .., b' ' | b'\n' | b';' | b','] = text {
            text = before;
        }
        let start = u32::try_from(node.start()).unwrap_or(u32::MAX);
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        Span { file: self.file, start: self.base + start, end: self.base + start + length }
    }

    fn children<'i>(&self, node: CstNode<'i>) -> Children<'i> {
        Children { inner: node.into_inner(), parent: node, file: self.file, base: self.base }
    }

    fn name(&self, node: &CstNode<'_>) -> Name {
        let text = node.as_str();
        let text = text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'))
            .or_else(|| text.strip_prefix('《').and_then(|text| text.strip_suffix('》')))
            .unwrap_or(text);
        self.name_at(text, self.span(node))
    }

    /// All names and quoted names among the children.
    fn names(&self, node: CstNode<'_>) -> Vec<Name> {
        self.children(node)
            .filter(|kid| matches!(kid.as_rule(), Rule::name | Rule::quoted | Rule::word | Rule::number))
            .map(|kid| self.name(&kid))
            .collect()
    }

    /// The names and quoted names among the remaining children.
    fn labels(&self, kids: Children<'_>) -> Vec<Name> {
        kids.filter(|kid| matches!(kid.as_rule(), Rule::name | Rule::quoted)).map(|kid| self.name(&kid)).collect()
    }

    /// A dotted path. It has at most as many names as a chain has links: what reads a path may read each of its beginnings.
    fn path(&self, node: &CstNode<'_>) -> BuildResult<Path> {
        let parts: Vec<_> = node.into_inner().map(|part| self.name(&part)).collect();
        if parts.len() > MAX_CHAIN_LINKS {
            return Err(chain_too_long(
                self.span(node),
                "a path names a phase, a step or a declaration: `turn.main`, `action.NAME`",
            ));
        }
        Ok(Path { parts, span: self.span(node) })
    }

    /// A path to an event, with the name of the newest edition.
    fn event_path(&self, node: &CstNode<'_>) -> BuildResult<Path> {
        let mut path = self.path(node)?;
        if let [name] = path.parts.as_mut_slice()
            && let Some(renamed) = edition::renamed_listed_event(&name.text)
        {
            name.text = renamed.into();
        }
        Ok(path)
    }

    fn number(&self, node: &CstNode<'_>) -> BuildResult<i64> {
        // the machine computes with 32-bit integers
        node.as_str().parse::<i32>().map(i64::from).map_err(|_| SyntaxError {
            span: self.span(node),
            kind: SyntaxErrorKind::NumberTooLarge,
            help: Some(format!("the largest number is {}", i32::MAX)),
        })
    }

    fn small_number(&self, node: &CstNode<'_>) -> BuildResult<u32> {
        node.as_str().parse().map_err(|_| SyntaxError {
            span: self.span(node),
            kind: SyntaxErrorKind::NumberTooLarge,
            help: Some(format!("the largest number is {}", i32::MAX)),
        })
    }
}
