//! Builds the parts of scenarios about matches and decks.

use super::{AstBuilder, BuildResult, Children, CstNode, unexpected_tree};
use crate::ast::{DeckExpr, DeckSection, MatchHeader, MatchStep, Name, ScenarioStepKind};
use crate::parser::Rule;

impl AstBuilder {
    /// `NAME { 4 "…" … }`
    pub(super) fn deck_section(&self, node: CstNode<'_>) -> BuildResult<DeckSection> {
        let mut parts = self.children(node);
        let name = self.name(&parts.find(Rule::name)?);
        let card = |card| {
            let mut parts = self.children(card);
            let count = parts.next_if(Rule::number).map(|count| self.small_number(&count)).transpose()?.unwrap_or(1);
            Ok((count, self.name(&parts.find_label()?)))
        };
        Ok(DeckSection { name, cards: parts.map(card).collect::<BuildResult<_>>()? })
    }

    fn deck_lists(&self, node: CstNode<'_>) -> BuildResult<Vec<DeckSection>> {
        self.children(node).filter(|kid| kid.as_rule() == Rule::deck_section).map(|section| self.deck_section(section)).collect()
    }

    fn deck_expr(&self, node: CstNode<'_>) -> BuildResult<DeckExpr> {
        let span = self.span(&node);
        let mut deck = DeckExpr { name: None, lists: Vec::new(), with: Vec::new(), without: Vec::new(), span };
        for kid in self.children(node) {
            match kid.as_rule() {
                Rule::quoted => deck.name = Some(self.name(&kid)),
                Rule::deck_lists => deck.lists = self.deck_lists(kid)?,
                Rule::deck_plus => deck.with = self.deck_lists(self.children(kid).find(Rule::deck_lists)?)?,
                Rule::deck_minus => deck.without = self.deck_lists(self.children(kid).find(Rule::deck_lists)?)?,
                _ => {}
            }
        }
        Ok(deck)
    }

    pub(super) fn match_header(&self, node: CstNode<'_>) -> BuildResult<MatchHeader> {
        let mut header = MatchHeader { span: self.span(&node), ..MatchHeader::default() };
        let entries = self.children(node);
        self.refuse_repeated_entries(&entries, &[Rule::match_best])?;
        for kid in entries {
            match kid.as_rule() {
                Rule::match_best => {
                    let number = self.children(kid).find(Rule::number)?;
                    header.best_of = Some((self.small_number(&number)?, self.span(&number)));
                }
                Rule::match_seat => {
                    let mut parts = self.children(kid);
                    let player = self.name(&parts.find(Rule::name)?);
                    header.seats.push((player, self.deck_expr(parts.find(Rule::deck_written)?)?));
                }
                _ => {}
            }
        }
        Ok(header)
    }

    /// The texts after `because`.
    fn because_texts(&self, kids: &mut Children<'_>) -> BuildResult<Vec<Name>> {
        kids.find(Rule::because_texts).map(|texts| self.names(texts))
    }

    /// `chance 3, 4`
    pub(super) fn chance(&self, kids: Children<'_>) -> BuildResult<ScenarioStepKind> {
        let numbers = kids.filter(|kid| kid.as_rule() == Rule::number);
        let numbers = numbers.map(|number| Ok((self.small_number(&number)?, self.span(&number)))).collect::<BuildResult<_>>()?;
        Ok(ScenarioStepKind::Chance(numbers))
    }

    /// A step about a match.
    pub(super) fn match_step(&self, node: CstNode<'_>) -> BuildResult<ScenarioStepKind> {
        let rule = node.as_rule();
        let mut kids = self.children(node);
        Ok(ScenarioStepKind::Match(match rule {
            Rule::game_won => MatchStep::Wins(self.name(&kids.find(Rule::name)?)),
            Rule::ready => MatchStep::Ready(self.labels(kids)),
            Rule::exchanging => {
                let refused = kids.take_if(Rule::k_refuse);
                let player = self.name(&kids.find(Rule::name)?);
                let gives = self.deck_section(kids.find(Rule::deck_section)?)?;
                let takes = self.deck_section(kids.find(Rule::deck_section)?)?;
                let texts = kids.next_if(Rule::because_texts).map(|texts| self.names(texts));
                MatchStep::Exchange { player, gives, takes, refused: refused.then(|| texts.unwrap_or_default()) }
            }
            _ => MatchStep::Next,
        }))
    }

    /// An expectation about a deck or a match.
    pub(super) fn expect_match(&self, node: CstNode<'_>) -> BuildResult<ScenarioStepKind> {
        let span = self.span(&node);
        let rule = node.as_rule();
        let mut kids = self.children(node);
        let step = match rule {
            Rule::expect_deck => {
                let deck = self.deck_expr(kids.find(Rule::deck_written)?)?;
                kids.take_if(Rule::k_is);
                let because = if kids.take_if(Rule::k_accepted) { Vec::new() } else { self.because_texts(&mut kids)? };
                return Ok(ScenarioStepKind::ExpectDeck { deck, because });
            }
            Rule::expect_score => {
                let numbers = kids.filter(|kid| kid.as_rule() == Rule::number);
                MatchStep::Score(numbers.map(|number| self.small_number(&number)).collect::<BuildResult<_>>()?)
            }
            Rule::expect_match => {
                kids.take_if(Rule::k_match);
                if kids.take_if(Rule::k_is) {
                    MatchStep::Phase(self.name(&kids.find(Rule::word)?))
                } else {
                    MatchStep::Rules(self.match_rules(kids, span)?)
                }
            }
            Rule::expect_section => {
                let section = self.name(&kids.find(Rule::name)?);
                let player = self.name(&kids.find(Rule::name)?);
                let count = |count| -> BuildResult<(u32, Option<Name>)> {
                    let mut parts = self.children(count);
                    let number = self.small_number(&parts.find(Rule::number)?)?;
                    Ok((number, parts.next_if(Rule::quoted).map(|card| self.name(&card))))
                };
                let counts = kids.filter(|kid| kid.as_rule() == Rule::section_count).map(count).collect::<BuildResult<_>>()?;
                MatchStep::Section { section, player, counts }
            }
            Rule::expect_match_sees => {
                let player = self.name(&kids.find(Rule::name)?);
                kids.take_if(Rule::k_sees);
                let negated = kids.take_if(Rule::k_no);
                MatchStep::Sees { player, card: self.name(&kids.find(Rule::quoted)?), negated }
            }
            _ => return Err(unexpected_tree(span)),
        };
        Ok(ScenarioStepKind::Match(step))
    }
}
