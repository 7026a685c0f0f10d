//! Builds declarations, and clauses about declarations.

use super::{AstBuilder, BuildResult, Children, CstNode};
use crate::ast::{ClauseKind, DeclarationClause, DeclareStatement, ExprKind, Name, Quantifier, Span};
use crate::parser::Rule;

/// The entries of a `declare` block that can be written once.
const SINGLE_DECLARE_MEMBERS: &[Rule] =
    &[Rule::declare_from, Rule::declare_onto, Rule::declare_when, Rule::declare_most, Rule::declare_first, Rule::declare_undone];

impl AstBuilder {
    pub(super) fn declare(&self, mut kids: Children<'_>, span: Span) -> BuildResult<DeclareStatement> {
        let action = self.name(&kids.find(Rule::name)?);
        let mut declare = DeclareStatement {
            action,
            by: None,
            from: None,
            onto: None,
            condition: None,
            max_pairs: None,
            before_costs: None,
            on_rollback: None,
            span,
        };
        self.refuse_repeated_entries(&kids, SINGLE_DECLARE_MEMBERS)?;
        for kid in kids {
            let rule = kid.as_rule();
            let parts = || self.children(kid);
            match rule {
                Rule::atom => declare.by = Some(self.expr(kid)?),
                Rule::declare_from => declare.from = Some(self.expr(parts().find(Rule::expr)?)?),
                Rule::declare_onto => declare.onto = Some(self.expr(parts().find(Rule::expr)?)?),
                Rule::declare_when => declare.condition = Some(self.expr(parts().find(Rule::expr)?)?),
                Rule::declare_most => declare.max_pairs = Some(self.expr(parts().find(Rule::sum)?)?),
                Rule::declare_undone => declare.on_rollback = Some(self.block(parts().find(Rule::block)?)?),
                Rule::declare_first => declare.before_costs = Some(self.block(parts().find(Rule::block)?)?),
                _ => {}
            }
        }
        Ok(declare)
    }

    pub(super) fn clause(&self, node: CstNode<'_>) -> BuildResult<DeclarationClause> {
        let span = self.span(&node);
        let inner = self.children(node).require()?;
        let mut kids = self.children(inner);
        let mut kind = ClauseKind::Must;
        if kids.take_if(Rule::k_no) {
            kind = self.clause_bound(kids.find(Rule::clause_bound)?, true)?;
        }
        let mut subject = self.expr(kids.find(Rule::pattern_subject)?)?;
        let mut some = false;
        if let ExprKind::Phrase(phrase) = &mut subject.kind
            && matches!(phrase.quantifier, Some(Quantifier::Some | Quantifier::Each))
        {
            some = matches!(phrase.quantifier, Some(Quantifier::Some));
            phrase.quantifier = None;
        }
        let mut clause = DeclarationClause {
            subject,
            some,
            passive: false,
            verb: Name { text: "".into(), span },
            object: None,
            condition: None,
            kind,
            span,
        };
        for kid in kids {
            match kid.as_rule() {
                Rule::k_be => clause.passive = true,
                Rule::name => clause.verb = self.trimmed_name(&kid),
                Rule::k_alone => clause.kind = ClauseKind::Alone,
                Rule::clause_object => clause.object = Some(self.expr(kid)?),
                Rule::pattern_where => clause.condition = Some(self.expr(self.children(kid).find(Rule::expr)?)?),
                Rule::clause_by | Rule::clause_by_bound => {
                    let mut parts = self.children(kid);
                    parts.take_if(Rule::k_by);
                    if let Some(bound) = parts.next_if(Rule::clause_bound) {
                        clause.kind = self.clause_bound(bound, false)?;
                    }
                    clause.object = Some(self.expr(parts.find(Rule::clause_object)?)?);
                }
                Rule::clause_unless => clause.kind = self.unless(kid)?,
                _ => {}
            }
        }
        Ok(clause)
    }

    fn clause_bound(&self, node: CstNode<'_>, together: bool) -> BuildResult<ClauseKind> {
        let mut kids = self.children(node);
        let more = kids.take_if(Rule::k_more);
        let count = kids.find_map(|kid| matches!(kid.as_rule(), Rule::number | Rule::group).then(|| self.expr(kid)));
        let count = count.ok_or_else(|| super::unexpected_tree(kids.span()))??;
        Ok(ClauseKind::Count { more, count, together })
    }

    fn unless(&self, node: CstNode<'_>) -> BuildResult<ClauseKind> {
        let span = self.span(&node);
        let part = self.children(node).nth(1).ok_or_else(|| super::unexpected_tree(span))?;
        let rule = part.as_rule();
        let mut kids = self.children(part);
        Ok(match rule {
            Rule::clause_price => ClauseKind::Price(self.expr(kids.find(Rule::expr)?)?),
            Rule::clause_cost => ClauseKind::Cost(self.block(kids.find(Rule::block)?)?),
            _ => ClauseKind::Unless {
                count: self.expr(kids.require()?)?,
                others: self.expr(kids.find(Rule::object_phrase)?)?,
                verb: self.trimmed_name(&kids.find(Rule::name)?),
            },
        })
    }
}
