//! Renders what one of several things gets of an amount that was divided among them.

use crate::text::renderer::Renderer;
use crate::text::tree::{TextNode, TextNodeKind};

impl Renderer<'_> {
    /// `share of one`, for the name of a division: `that creature's share` (setting `share`). `None` for anything else.
    pub(in crate::text) fn share_of(&mut self, node: &TextNode) -> Option<String> {
        let (head, of) = (node.kid(1), node.kid(2));
        let is_share = node.kid(0).is_nil()
            && node.kids.len() == 3
            && of.kind == TextNodeKind::Of
            && self.local(&head.text).is_some_and(|local| local.value.kind == TextNodeKind::Divide);
        if !is_share || self.style("share").is_empty() {
            return None;
        }
        let whose = self.slot(of.kid(0), "'s");
        let text = self.text(of.kid(0));
        Some(self.style("share").replace("{X's}", &whose).replace("{X}", &text))
    }
}
