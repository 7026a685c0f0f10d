//! Renders costs: their parts, passages of several parts, and those of which one is paid.

use crate::text::lexicon::Lexicon;
use crate::text::normalize::{MAY, SUBJECT};
use crate::text::pattern_match::LexiconTable;
use crate::text::renderer::Renderer;
use crate::text::tree::{TextNode, TextNodeKind};

impl<'a> Renderer<'a> {
    /// The texts of the parts of a cost.
    pub(in crate::text) fn costs(&mut self, block: &TextNode) -> Vec<String> {
        let mut made = Vec::new();
        let parts: Vec<TextNode> = block
            .kids
            .iter()
            .flat_map(|statement| match statement.kid(0).kind {
                TextNodeKind::Sentence => statement.kid(0).kids.clone(),
                _ => vec![statement.kid(0).clone()],
            })
            .collect();
        let mut at = 0;
        while let Some(inner) = parts.get(at) {
            if let Some((text, length)) = self.passage_of_costs(&parts[at..]) {
                made.push(text);
                at += length;
                continue;
            }
            at += 1;
            if self.bind_name(inner, &[]) {
                continue;
            }
            if matches!(
                inner.kind,
                TextNodeKind::Price | TextNodeKind::Call | TextNodeKind::Phrase | TextNodeKind::Word | TextNodeKind::Binary
            ) {
                made.push(self.text(inner));
                continue;
            }
            if let Some(text) = self.alternative_costs(inner) {
                made.push(text);
                continue;
            }
            let entry = if is_own_act(inner) { self.lookup(LexiconTable::Cost, inner) } else { None };
            let text = entry.unwrap_or_else(|| self.act(inner));
            if !text.is_empty() {
                made.push(text);
            }
        }
        made
    }

    /// The text of several parts of a cost that one entry covers, and their number. `None` if there is no such entry.
    fn passage_of_costs(&mut self, parts: &[TextNode]) -> Option<(String, usize)> {
        let as_statement = |part: &TextNode| TextNode::new(TextNodeKind::Statement, "", vec![part.clone()], part.span);
        let statements: Vec<TextNode> = parts.iter().map(as_statement).collect();
        let lexicon: &'a Lexicon = self.lexicon;
        let (entry, found, length) = lexicon.find_sequence(&statements).filter(|(.., length)| *length > 1)?;
        self.bind_names(&statements[..length], &statements);
        Some((self.apply(entry, &found), length))
    }

    /// The text of a cost of which one of several is paid: `sacrifice a creature or discard a card`. `None` for other costs, and if one of
    /// them is more than one sentence.
    fn alternative_costs(&mut self, modes: &TextNode) -> Option<String> {
        let is_one_of = modes.kind == TextNodeKind::Modes && modes.text.is_empty() && modes.kid(0).text == "1";
        let is_single = |mode: &TextNode| mode.kids.len() == 1;
        if !is_one_of || !modes.kid(1).kids.iter().all(is_single) {
            return None;
        }
        let locals = self.locals.len();
        let mut texts = Vec::new();
        for mode in &modes.kid(1).kids {
            texts.extend(self.costs(mode));
            self.locals.truncate(locals);
        }
        Some(match self.is_japanese() {
            true => crate::text::japanese::join_alternatives(&texts),
            false => crate::text::english::join_alternatives(&texts, "or"),
        })
    }
}

/// Whether the player who pays does a part of a cost, and must do it: entries of costs say neither who does something nor that it may be declined.
fn is_own_act(part: &TextNode) -> bool {
    let subject = part.kid(SUBJECT);
    part.kind != TextNodeKind::Do || part.kid(MAY).is_nil() && (subject.is_nil() || subject.is_word("you"))
}
