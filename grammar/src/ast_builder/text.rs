//! Builds `text` items: templates for rules texts.

use super::{AstBuilder, BuildResult, Children, CstNode};
use crate::ast::{Block, Link, TextEntry, TextItem, TextPattern};
use crate::parser::Rule;

impl AstBuilder {
    /// `text en { … }`
    pub(super) fn text(&self, mut kids: Children<'_>) -> BuildResult<TextItem> {
        let language = self.name(&kids.find(Rule::name)?);
        let entries =
            kids.filter(|kid| kid.as_rule() == Rule::text_entry).map(|kid| self.text_entry(kid)).collect::<BuildResult<_>>()?;
        Ok(TextItem { language, entries })
    }

    fn text_entry(&self, node: CstNode<'_>) -> BuildResult<TextEntry> {
        let span = self.span(&node);
        let mut kids = self.children(node);
        let pattern = self.text_pattern(kids.require()?)?;
        let templates = kids.map(|kid| self.name(&kid)).collect();
        Ok(TextEntry { pattern, templates, span })
    }

    fn text_pattern(&self, node: CstNode<'_>) -> BuildResult<TextPattern> {
        let rule = node.as_rule();
        let mut kids = self.children(node);
        if rule == Rule::text_until {
            return Ok(TextPattern::Until(self.until(kids.require()?)?));
        }
        kids.require()?;
        Ok(match rule {
            Rule::text_name => TextPattern::Name(self.name(&kids.require()?)),
            Rule::text_rule => {
                kids.require()?;
                TextPattern::Rule(self.name(&kids.require()?))
            }
            Rule::text_self => TextPattern::SelfName(kids.next().map(|kid| self.name(&kid))),
            Rule::text_style => TextPattern::Style(self.name(&kids.require()?)),
            Rule::text_do => TextPattern::Do(self.text_block(kids.require()?)?),
            Rule::text_cost => TextPattern::Cost(self.text_block(kids.require()?)?),
            Rule::text_event => TextPattern::Event(*self.pattern(kids.require()?)?),
            Rule::text_value => TextPattern::Value(self.expr(kids.require()?)?),
            Rule::text_change => TextPattern::Change(self.all_modifications(kids)?),
            _ => {
                let node = kids.require()?;
                let fact = node.as_rule() == Rule::fact;
                TextPattern::Ability(Box::new(if fact { self.fact_ability(node)? } else { self.ability(node)? }))
            }
        })
    }

    fn text_block(&self, node: CstNode<'_>) -> BuildResult<Block> {
        if node.as_rule() == Rule::block {
            return self.block(node);
        }
        let span = self.span(&node);
        Ok(Block { statements: vec![self.statement(node, Link::Next)?], span })
    }
}
