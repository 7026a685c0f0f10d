//! From what pest has read to the syntax tree.

mod clause;
mod expr;
mod fragments;
mod items;
mod matches;
mod scenario;
mod statement;
mod text;

use crate::ast::{Name, Path, Span};
use crate::cst::CstChildren;
use crate::edition;
use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::parser::Rule;

pub(crate) type BuildResult<T> = Result<T, SyntaxError>;
pub(crate) use crate::cst::CstNode;

/// The longest chain of operators, negations, possessives or `otherwise if`: each link is a level of the tree.
const CHAIN_LIMIT: usize = 64;

/// Builds trees for one item. Places in pest's input are relative to `base`.
pub(crate) struct AstBuilder {
    pub(crate) file: u32,
    pub(crate) base: u32,
}

/// The children of a node without punctuation.
pub(crate) struct Children<'i> {
    inner: CstChildren<'i>,
    /// What they are the children of, and in whose file.
    of: CstNode<'i>,
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
    /// Where the node stands whose children they are.
    fn span(&self) -> Span {
        AstBuilder { file: self.file, base: self.base }.span(&self.of)
    }

    /// The rule of the next child.
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

    /// Takes the next child if it is of this rule.
    fn next_if(&mut self, rule: Rule) -> Option<CstNode<'i>> {
        if self.peek() == Some(rule) { self.next() } else { None }
    }

    /// Takes the next child if it is of this rule, and says so.
    fn take_if(&mut self, rule: Rule) -> bool {
        self.next_if(rule).is_some()
    }

    /// The next child. The grammar guarantees it.
    fn need(&mut self) -> BuildResult<CstNode<'i>> {
        self.next().ok_or_else(|| unreadable(self.span()))
    }

    /// The next child of this rule; those before it are words of the language. The grammar guarantees it.
    fn find(&mut self, rule: Rule) -> BuildResult<CstNode<'i>> {
        loop {
            let node = self.need()?;
            if node.as_rule() == rule {
                return Ok(node);
            }
        }
    }

    /// The next child that is a name or quoted name.
    fn find_label(&mut self) -> BuildResult<CstNode<'i>> {
        loop {
            let node = self.need()?;
            if matches!(node.as_rule(), Rule::name | Rule::quoted) {
                return Ok(node);
            }
        }
    }
}

/// The error for a shape that the grammar does not produce.
fn unreadable(span: Span) -> SyntaxError {
    let kind = SyntaxErrorKind::Expected { found: "something unreadable".into(), expected: vec!["a readable item".to_owned()] };
    SyntaxError { span, kind, help: None }
}

fn too_long(span: Span, help: &str) -> SyntaxError {
    SyntaxError { span, kind: SyntaxErrorKind::TooDeep { limit: CHAIN_LIMIT }, help: Some(help.to_owned()) }
}

fn missing(span: Span, part: &str, help: &str) -> SyntaxError {
    SyntaxError { span, kind: SyntaxErrorKind::Missing { part: part.into() }, help: Some(help.to_owned()) }
}

impl AstBuilder {
    /// Where a node stands, without the blanks that pest's optional parts swallow.
    pub(crate) fn span(&self, node: &CstNode<'_>) -> Span {
        let mut text = node.as_str().as_bytes();
        while let [before @ .., b' ' | b'\n' | b';' | b','] = text {
            text = before;
        }
        let start = u32::try_from(node.start()).unwrap_or(u32::MAX);
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        Span { file: self.file, start: self.base + start, end: self.base + start + length }
    }

    fn kids<'i>(&self, node: CstNode<'i>) -> Children<'i> {
        Children { inner: node.into_inner(), of: node, file: self.file, base: self.base }
    }

    fn name(&self, node: &CstNode<'_>) -> Name {
        let text = node.as_str();
        let text = text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'))
            .or_else(|| text.strip_prefix('《').and_then(|text| text.strip_suffix('》')))
            .unwrap_or(text);
        Name { text: text.into(), span: self.span(node) }
    }

    /// All names and quoted names among the children.
    fn names(&self, node: CstNode<'_>) -> Vec<Name> {
        self.kids(node)
            .filter(|kid| matches!(kid.as_rule(), Rule::name | Rule::quoted | Rule::word | Rule::number))
            .map(|kid| self.name(&kid))
            .collect()
    }

    /// The names and quoted names among what is left.
    fn labels(&self, kids: Children<'_>) -> Vec<Name> {
        kids.filter(|kid| matches!(kid.as_rule(), Rule::name | Rule::quoted)).map(|kid| self.name(&kid)).collect()
    }

    fn path(&self, node: &CstNode<'_>) -> Path {
        let parts = node.into_inner().map(|part| self.name(&part)).collect();
        Path { parts, span: self.span(node) }
    }

    /// A path that names an event, as the newest edition calls it.
    fn event_path(&self, node: &CstNode<'_>) -> Path {
        let mut path = self.path(node);
        if let [name] = path.parts.as_mut_slice() {
            if let Some(renamed) = edition::renamed_listed_event(&name.text) {
                name.text = renamed.into();
            }
        }
        path
    }

    fn number(&self, node: &CstNode<'_>) -> BuildResult<i64> {
        // what the machine counts with
        node.as_str().parse::<i32>().map(i64::from).map_err(|_| SyntaxError {
            span: self.span(node),
            kind: SyntaxErrorKind::NumberTooLarge,
            help: Some(format!("numbers go up to {}", i32::MAX)),
        })
    }

    fn small_number(&self, node: &CstNode<'_>) -> BuildResult<u32> {
        node.as_str().parse().map_err(|_| SyntaxError {
            span: self.span(node),
            kind: SyntaxErrorKind::NumberTooLarge,
            help: Some(format!("numbers go up to {}", i32::MAX)),
        })
    }
}
