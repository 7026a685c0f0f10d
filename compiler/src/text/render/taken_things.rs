//! Records by which statuses the text has selected things and done something with them, so that a template can call what has the status later
//! *the rest*: `{taken looked_at:the rest|them}`.

use crate::text::normalize::OPERANDS;
use crate::text::renderer::Renderer;
use crate::text::tree::{TextNode, TextNodeKind};
use smol_str::SmolStr;

/// The verbs after which things are where they were.
const SHOWING: [&str; 3] = ["choose", "look", "reveal"];

impl Renderer<'_> {
    /// Records the statuses by which a statement selects what it takes. What it only shows or chooses is not taken.
    pub(super) fn record_taken(&mut self, act: &TextNode) {
        match act.kind {
            TextNodeKind::Sentence => act.kids.iter().for_each(|kid| self.record_taken(kid)),
            TextNodeKind::Do if !SHOWING.contains(&act.text.as_str()) => {
                let mut statuses = Vec::new();
                act.kids.iter().skip(OPERANDS).for_each(|operand| self.collect_statuses(operand, &mut statuses));
                self.taken.extend(statuses);
            }
            _ => {}
        }
    }

    /// Collects the statuses by which a selection selects, also one that a name is bound to.
    fn collect_statuses(&self, selection: &TextNode, statuses: &mut Vec<SmolStr>) {
        let named = self.local(&selection.text).filter(|_| selection.kind == TextNodeKind::Word).map(|local| &local.value);
        let selection = named.unwrap_or(selection);
        if selection.kind != TextNodeKind::Phrase {
            return;
        }
        for filter in selection.kids.iter().skip(2).filter(|filter| filter.text != "not") {
            let word = &filter.kid(0).text;
            if matches!(filter.kind, TextNodeKind::Has | TextNodeKind::Is) && self.is_status(word) {
                statuses.push(word.clone());
            }
        }
    }
}

/// What an action that gets a name has taken: its first operand, or the one behind the player. A number is one of cards.
pub(super) fn taken_operand(act: &TextNode) -> TextNode {
    let is_player =
        |node: &TextNode| node.kind == TextNodeKind::Word && matches!(node.text.as_str(), "you" | "opponent" | "player");
    let operand = act.kids.iter().skip(OPERANDS).find(|operand| !operand.is_nil() && !is_player(operand));
    let operand = operand.unwrap_or_else(|| act.kid(OPERANDS));
    match operand.kind {
        TextNodeKind::Number => {
            let quantifier = TextNode::new(TextNodeKind::Quantifier, "exactly", vec![operand.clone()], operand.span);
            TextNode::new(TextNodeKind::Phrase, "", vec![quantifier, TextNode::word("card", operand.span)], operand.span)
        }
        _ => operand.clone(),
    }
}
