//! Japanese sentences for changes that make something another thing ("becomes a …"), and alternatives of several kinds with counters.

use crate::text::renderer::Renderer;
use crate::text::tree::{TextNode, TextNodeKind, collect_alternatives};
use std::collections::BTreeMap;

impl Renderer<'_> {
    /// Renders changes that make something another thing: 基本のパワーとタフネスが1/1の青のカエルになる. Returns the text, the number of changes that it
    /// covers, and whether it states that the things are still what they were.
    pub(super) fn becomes_ja(
        &mut self,
        changes: &[TextNode],
        gain: bool,
        kind: Option<&TextNode>,
    ) -> Option<(String, usize, bool)> {
        let styles = self.lexicon.styles("made").to_vec();
        let (form, qualities) = styles.split_first()?;
        let (mut stats, mut adjectives) = (BTreeMap::new(), Vec::new());
        // words that are not nouns, with their trait sets; then nouns
        let mut kinds: Vec<(String, String)> = Vec::new();
        let mut nouns: Vec<(TextNode, String)> = Vec::new();
        let (mut length, mut added, mut coloured) = (0, false, false);
        let (mut sets, mut replaced) = (Vec::new(), Vec::new());
        for change in changes {
            match change.text.as_str() {
                "word" | "only" if change.kids.len() == 1 => {
                    let word = change.kid(0);
                    if self.builder.names.keywords.contains_key(&word.text) || self.local(&word.text).is_some() {
                        break;
                    }
                    let Some(set) = self.set_of(&word.text).map(str::to_owned) else { break };
                    let several = self.lexicon.name(&word.text).is_some_and(|forms| forms.len() > 1);
                    let text = self.noun_ja(word);
                    if qualities.contains(&set) {
                        adjectives.push(text);
                        coloured |= change.text == "word";
                        length += 1;
                        continue;
                    }
                    added |= change.text == "word";
                    if change.text == "word" { &mut sets } else { &mut replaced }.push(set.clone());
                    if several { nouns.push((word.clone(), text)) } else { kinds.push((set, text)) }
                }
                "=" if change.kid(1).kind == TextNodeKind::Number => {
                    stats.insert(format!("{{{}}}", change.kid(0).text), change.kid(1).text.to_string());
                }
                _ => break,
            }
            length += 1;
        }
        let none = kinds.is_empty() && nouns.is_empty();
        if none && (adjectives.is_empty() || !stats.is_empty()) {
            return None;
        }
        let numbers = |form: &str| {
            let text = stats.iter().fold(form.to_owned(), |text, (name, value)| text.replace(name, value));
            (!text.contains('{')).then_some(text)
        };
        let quality: String = adjectives.iter().map(|adjective| format!("{adjective}の")).collect();
        let text = match self.lexicon.style("made_noun").filter(|_| !nouns.is_empty() && !stats.is_empty()) {
            // 緑の1/1のクリーチャー
            Some(form) => format!("{quality}{}", numbers(form)?),
            None if stats.is_empty() => quality,
            None => format!("{}{quality}", numbers(form)?),
        };
        let text = if none { text.trim_end_matches('の').to_owned() } else { text };
        let of = |set: &str| {
            let pairs = self.lexicon.styles("alone");
            nouns.iter().position(|(noun, _)| {
                pairs.iter().any(|pair| pair.split_once(' ').is_some_and(|(of, word)| of == set && noun.is_word(word)))
            })
        };
        let mut groups: Vec<Vec<&str>> = vec![Vec::new(); nouns.len().max(1)];
        for (set, kind) in &kinds {
            let at = if nouns.len() > 1 { of(set).unwrap_or(0) } else { 0 };
            if let Some(group) = groups.get_mut(at) {
                group.push(kind);
            }
        }
        for ((_, noun), group) in nouns.iter().zip(&mut groups) {
            group.push(noun);
        }
        let nouns_text: Vec<String> = groups.iter().map(|group| group.join("・")).collect();
        let text = format!("{text}{}", nouns_text.join("であり"));
        let own = |set: &String| kind.is_some_and(|kind| self.set_of(&kind.text) == Some(set.as_str()));
        let still = (!sets.is_empty() && !stats.is_empty() && sets.iter().all(own)).then_some(kind).flatten();
        if let (Some(kind), [is, becomes, ..]) = (still, self.lexicon.styles("still")) {
            let noun = self.lexicon.name(&kind.text).and_then(|forms| forms.first()).cloned().unwrap_or_default();
            let text = if gain { becomes } else { is }.replace("{V}", &text).replace("{X}", &noun);
            return Some((text, length, true));
        }
        let added = match (added, coloured && none) {
            (true, _) if self.is_addition_clear(&sets, &replaced) => "",
            (true, _) if coloured && !self.style("added_both").is_empty() => self.style("added_both"),
            (true, _) => self.style("added"),
            (false, true) => self.style("added_quality"),
            _ => "",
        };
        Some((format!("{added}{text}{}", if gain { "になる" } else { "である" }), length, false))
    }

    /// プレイヤー1人かプレインズウォーカー1体: one of several kinds, each with its counter. `None` if the alternatives are not kinds.
    pub(super) fn each_one(&self, node: &TextNode, text: &str, count: &str) -> Option<String> {
        let words = match node.kids.get(2..) {
            Some([]) => node.kid(1),
            Some([post]) if post.kind == TextNodeKind::Is && post.text.is_empty() => post.kid(0),
            _ => return None,
        };
        let mut parts = Vec::new();
        collect_alternatives(words, &mut parts);
        let names: Vec<&str> = text.split(self.style("or")).collect();
        let counted = count.starts_with('1') && !self.style("either").is_empty() && parts.len() == names.len();
        // alternatives that are qualities of one kind get no counters: 白か青のクリーチャー
        let own = |(part, name): (&TextNode, &&str)| match part.text.as_str() {
            "opponent" => part.kind == TextNodeKind::Word,
            word => self.lexicon.name(word).and_then(|forms| forms.first()).is_some_and(|form| form == name),
        };
        (parts.len() > 1 && counted && parts.iter().zip(&names).all(own)).then(|| {
            let counted = parts.iter().zip(names).map(|(part, name)| format!("{name}1{}", self.counter_ja(part)));
            counted.collect::<Vec<_>>().join(self.style("or"))
        })
    }
}
