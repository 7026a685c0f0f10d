//! Refuses a quoted word that can be read in two ways: as a word of the printed fact before it, or as the label of the ability after it.

use super::{AstBuilder, BuildResult, CstNode};
use crate::error::{NEW_LINE_HELP, SyntaxError, SyntaxErrorKind};
use crate::parser::Rule;

impl AstBuilder {
    /// Refuses `flying "boost" {T}: draw 1`: the grammar reads `"boost"` as a word of `flying`.
    pub(super) fn refuse_unclear_label(&self, members: CstNode<'_>) -> BuildResult<()> {
        let mut fact: Option<CstNode<'_>> = None;
        for kid in self.children(members) {
            if let Some(quoted) = fact.and_then(last_quoted)
                && begins_without_label(kid)
                && self.is_same_line(quoted, kid)
            {
                let message = format!("`{}` is either a printed word or the label of the ability after it", quoted.as_str());
                let kind = SyntaxErrorKind::Notation { message: message.into(), replacement: None };
                return Err(SyntaxError { span: self.span(&quoted), kind, help: Some(NEW_LINE_HELP.to_owned()) });
            }
            fact = (kid.as_rule() == Rule::fact).then_some(kid);
        }
        Ok(())
    }

    /// Whether only blanks are between a node and a later one.
    fn is_same_line(&self, node: CstNode<'_>, later: CstNode<'_>) -> bool {
        let end = node.start() + node.as_str().len();
        node.source().get(end..later.start()).is_some_and(|between| between.bytes().all(|byte| byte == b' '))
    }
}

/// The quoted word with which a fact ends.
fn last_quoted(fact: CstNode<'_>) -> Option<CstNode<'_>> {
    let form = fact.into_inner().next()?;
    form.into_inner().last().filter(|last| last.as_rule() == Rule::quoted)
}

/// Whether a member is an ability that can have a label, and has none.
fn begins_without_label(member: CstNode<'_>) -> bool {
    let Some(kind) = member.into_inner().next().filter(|_| member.as_rule() == Rule::ability) else { return false };
    let first = kind.into_inner().next().map(|first| first.as_rule());
    matches!(kind.as_rule(), Rule::costed | Rule::keyword_block) && first != Some(Rule::quoted)
}
