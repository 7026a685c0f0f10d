//! Phrases for what an effect was done to, where the text counts it: `draw a card for each creature destroyed this way`.
//!
//! The name that a statement gives to several things is bound to those of them to which it happened, which may be fewer than it selected.

use crate::text::english::{participle, split_verb};
use crate::text::japanese::{past_passive, split_subject};
use crate::text::normalize::{ADVERBS, BINDING, OPERANDS};
use crate::text::pattern_match::{LexiconTable, TemplatePart};
use crate::text::renderer::Renderer;
use crate::text::tree::{TextNode, TextNodeKind};

/// How a word begins that stands for a name as what was done: the verb follows, then the name. Sources cannot contain it.
const DONE: &str = "_done ";

/// Verbs to whose objects it always happens, or whose phrase is no participle.
const ALWAYS_DONE: [&str; 5] = ["put", "create", "reveal", "look", "attach"];

impl Renderer<'_> {
    /// Records the name that an action gives to several things.
    pub(in crate::text) fn record_done(&mut self, call: &TextNode) {
        let is_action = self.builder.names.actions.contains_key(&call.text) && !ALWAYS_DONE.contains(&call.text.as_str());
        let selection = call.kid(OPERANDS);
        let is_several = self.is_plural(selection) || selection.kid(0).text == "each";
        if is_action && is_several {
            self.done.push((call.kid(BINDING).text.clone(), call.text.clone()));
        }
    }

    /// A copy in which counted names stand for what was done.
    pub(in crate::text) fn count_what_was_done(&self, node: &TextNode) -> TextNode {
        if self.done.is_empty() {
            return node.clone();
        }
        let mut made = TextNode { kids: node.kids.iter().map(|kid| self.count_what_was_done(kid)).collect(), ..node.clone() };
        if node.kind == TextNodeKind::Aggregate
            && node.text == "count"
            && let Some((name, verb)) = self.done.iter().rev().find(|(name, _)| node.kid(1).is_word(name))
        {
            let word = format!("{DONE}{verb} {name}");
            if self.done_thing(&word, true).is_some() {
                made.kids[1] = TextNode::word(&word, node.kid(1).span);
            }
        }
        made
    }

    /// The text of a word that stands for what was done: `creatures destroyed this way`, この方法で破壊されたクリーチャー. `None` for other words, and if
    /// the verb has more words than its object.
    pub(in crate::text) fn done_thing(&self, word: &str, several: bool) -> Option<String> {
        let (verb, name) = word.strip_prefix(DONE)?.split_once(' ')?;
        let value = self.local(name)?.value.clone();
        let noun = self.noun_of(&value);
        let forms = self.lexicon.name(&noun.text).filter(|_| noun.kind == TextNodeKind::Word)?;
        let (params, _) = self.builder.parameters(verb);
        let mut kids = vec![TextNode::nil(); OPERANDS + params.len()];
        kids[ADVERBS] = TextNode::new(TextNodeKind::List, "", Vec::new(), value.span);
        let call = TextNode::new(TextNodeKind::Do, verb, kids, value.span);
        let (entry, _) = self.lexicon.find(LexiconTable::Do, &call, self.builder)?;
        let noun = forms.get(usize::from(several && !self.is_japanese())).or(forms.first())?.replace('^', "");
        if self.is_japanese() {
            let [TemplatePart::Slot(..), TemplatePart::Text(predicate)] = entry.parts.as_slice() else { return None };
            let predicate = split_subject(predicate).1.strip_prefix('を')?;
            return Some(format!("この方法で{}{noun}", past_passive(predicate)));
        }
        let [TemplatePart::Text(template), TemplatePart::Slot(..)] = entry.parts.as_slice() else { return None };
        let (verb, part, rest) = split_verb(template);
        let part = part.map_or_else(|| participle(verb), str::to_owned);
        rest.trim().is_empty().then(|| format!("{noun} {part} this way"))
    }
}
