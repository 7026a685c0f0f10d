//! Events, calls and changes of values in Japanese, and the particle (は, が) after their subject.

use super::inflection::{VerbForm, inflect, join_sentences};
use super::markers::{COUNT_START, demonstrative};
use super::split_subject;
use crate::text::normalize::{MAY, OPERANDS};
use crate::text::pattern_match::{HoleBindings, LexiconEntry, LexiconTable, TemplatePart};
use crate::text::renderer::{Mood, Renderer};
use crate::text::tree::{TextNode, TextNodeKind};
use fizzle_ir::Type;

impl Renderer<'_> {
    pub(super) fn event_ja(&mut self, node: &TextNode) -> String {
        // エンドステップが始まった
        if matches!(node.text.as_str(), "begin" | "finish")
            && let Some(step) = self.step_ja(node.kid(0))
        {
            let stem = if node.text == "begin" { "始ま" } else { "終わ" };
            let text = match self.mood {
                Mood::Happens => format!("{step}が{stem}った"),
                Mood::Would => format!("{step}が{stem}る"),
                Mood::Cannot => format!("{step}は{stem}らない"),
            };
            return self.event_on_condition_ja(node, text);
        }
        let (params, subject) = self.builder.parameters(&node.text);
        let passive = !node.kid(4).is_nil();
        let mut kids =
            vec![TextNode::nil(), TextNode::nil(), TextNode::new(TextNodeKind::List, "", vec![], node.span), TextNode::nil()];
        kids.extend(params.iter().map(|_| TextNode::nil()));
        let mut call = TextNode::new(TextNodeKind::Do, node.text.clone(), kids, node.span);
        let is_by = passive && !node.kid(1).is_nil();
        if !node.kid(2).is_nil() || is_by && self.mood != Mood::Cannot {
            return self.gap(node);
        }
        let first = subject.unwrap_or(0);
        let second =
            (0..params.len()).find(|at| *at != first && !matches!(params.get(*at), Some((_, Some(Type::Number | Type::Bool)))));
        if let Some(at) = second.filter(|_| !passive && !node.kid(1).is_nil()) {
            call.kids[OPERANDS + at] = node.kid(1).clone();
        }
        let lexicon = self.lexicon;
        let text = match lexicon.find(LexiconTable::Do, &call, self.builder) {
            // only where the object goes is printed of it: it is the subject
            Some((entry, mut found)) if passive => {
                let Some((object, _)) = params.get(first) else { return self.gap(node) };
                let is_printed = |part: &&TemplatePart| match part {
                    TemplatePart::Slot(name, mode) => name != object || mode.starts_with(":home"),
                    TemplatePart::Text(_) => true,
                };
                let parts: Vec<TemplatePart> = entry.parts.iter().filter(is_printed).cloned().collect();
                found.push((object.clone(), node.kid(0).clone()));
                self.fill(&parts, &found)
            }
            Some((entry, found)) => self.fill(&entry.parts, &found),
            None => match self.plain_verb(&node.text) {
                Some(_) => {
                    let verb = self.source_name(&node.text, node.span);
                    let object =
                        if node.kid(1).is_nil() { String::new() } else { format!("{}を", self.phrase_ja(node.kid(1), false)) };
                    format!("{object}{verb}する")
                }
                None => return self.gap(node),
            },
        };
        let text = split_subject(&text).1.trim_start_matches(['を', 'に', 'が']).to_owned();
        let text = if passive { inflect(&text, VerbForm::Passive) } else { text };
        let text = match self.mood {
            Mood::Happens => inflect(&text, VerbForm::Past),
            Mood::Would => text,
            Mood::Cannot => match text.strip_suffix("する") {
                Some(stem) => format!("{stem}できない"),
                None if passive => inflect(&text, VerbForm::Negative),
                None => format!("{text}ことができない"),
            },
        };
        let subject = self.phrase_ja(node.kid(0), false);
        let particle = if self.mood == Mood::Cannot { "は" } else { "が" };
        let by = if is_by { format!("{}によっては", self.phrase_ja(node.kid(1), false)) } else { String::new() };
        let text = format!("{subject}{particle}{by}{text}");
        self.event_on_condition_ja(node, text)
    }

    /// The text of an event with its condition.
    fn event_on_condition_ja(&mut self, node: &TextNode, text: String) -> String {
        let condition = self.text(node.kid(3));
        if condition.is_empty() { text } else { self.style("where").replace("{E}", &text).replace("{C}", &condition) }
    }

    pub(in crate::text) fn call_ja(&mut self, node: &TextNode) -> String {
        let lexicon = self.lexicon;
        let Some((entry, found)) = lexicon.find(LexiconTable::Do, node, self.builder) else {
            return self.plain_call_ja(node);
        };
        self.add_reminder(entry, &found);
        let subject = self.subject_of(node);
        let full = entry.prints_subject;
        let own = match &subject {
            Some(subject) if !subject.is_word("this") => self.style("their"),
            _ => self.style("anyones"),
        };
        let is_optional = !node.kid(MAY).is_nil() && entry.pattern.kid(MAY).is_nil();
        let is_had_done = is_optional && (self.names_doer_ja(entry, &found) || self.is_done_by_object(node));
        let itself = self.is_done_by_object(node) && !full;
        let (params, doer) = self.builder.parameters(&node.text);
        let is_object = doer.and_then(|at| params.get(at)).is_some_and(|(_, ty)| *ty == Some(Type::Object));
        let is_other = is_optional && !full && is_object && subject.as_ref().is_some_and(|doer| !self.names_player(doer));
        let subject = if full { None } else { subject.map(|subject| self.phrase_ja(&subject, false)) };
        let before = self.implied_owner.replace(own.to_owned());
        let text = self.fill(&entry.parts, &found);
        self.implied_owner = before;
        if let Some(doer) = subject.as_ref().filter(|_| is_other && !self.style("may_have").is_empty()) {
            return self.may_have_ja(&format!("{doer}は{text}"));
        }
        if is_had_done && subject.is_none() {
            let text = if itself { format!("{}は{text}", self.self_name()) } else { text };
            return self.may_have_ja(&text);
        }
        self.with_subject_ja(subject, &text, is_optional)
    }

    /// Whether a template begins with the object that does what it says: {X}は{Y}と格闘を行う.
    fn names_doer_ja(&self, entry: &LexiconEntry, found: &HoleBindings) -> bool {
        let [TemplatePart::Slot(hole, _), TemplatePart::Text(rest), ..] = entry.parts.as_slice() else { return false };
        let doer = found.iter().find(|(name, _)| name == hole).map(|(_, node)| node);
        rest.starts_with('は') && !self.style("may_have").is_empty() && !doer.is_some_and(|doer| self.names_player(doer))
    }

    /// Whether a node names a player, also the one of an event whose entry binds no name.
    fn names_player(&self, node: &TextNode) -> bool {
        self.is_player_node(node) || node.is_word("who") && self.local("who").is_none()
    }

    /// What a player may have an object do (setting `may_have`): あなたは「これはそれと格闘を行う。」を選んでもよい.
    fn may_have_ja(&self, text: &str) -> String {
        let named = self.style("target").split_once("{X}").map_or("", |(_, end)| end);
        let at = text.rfind(named).filter(|_| !named.is_empty()).map_or(0, |at| at + named.len());
        let done = self.style("may_have").replace("{S}", &text[at..]);
        format!("{}{}{done}", &text[..at], self.style("you_may"))
    }

    /// The sentence of a call without an entry: the name of the action in quotes.
    fn plain_call_ja(&mut self, node: &TextNode) -> String {
        let gap = self.gap(node);
        let subject = self.subject_of(node).map(|who| self.phrase_ja(&who, false));
        let Some((verb, operands)) = self.plain_call(node) else { return gap };
        let object = if operands.is_empty() { String::new() } else { format!("{}を", operands.join("、")) };
        self.with_subject_ja(subject, &format!("{object}「⟦{verb}⟧」する"), !node.kid(MAY).is_nil())
    }

    /// A predicate behind its subject. A template that begins with the player who acts has its subject already.
    fn with_subject_ja(&mut self, subject: Option<String>, text: &str, may: bool) -> String {
        let text = if may { self.may_sentences_ja(text) } else { text.to_owned() };
        let (you, text) = split_subject(&text);
        match subject {
            Some(subject) if text.starts_with(&format!("{subject}は")) => text.to_owned(),
            Some(subject) => format!("{subject}は{text}"),
            None if !may || !you.is_empty() => format!("{you}{text}"),
            None => self.you_may_ja(text),
        }
    }

    /// Inserts the player who may act behind the target: …1枚を対象とする。あなたはそれを戻してもよい.
    pub(in crate::text) fn you_may_ja(&self, text: &str) -> String {
        let named = self.style("target").split_once("{X}").map_or("", |(_, end)| end);
        let at = text.rfind(named).filter(|_| !named.is_empty()).map_or(0, |at| at + named.len());
        format!("{}{}{}", &text[..at], self.style("you_may"), &text[at..])
    }

    pub(in crate::text) fn gets_ja(&mut self, node: &TextNode) -> String {
        // 森と苗木は: changes of several kinds of things apply to all things of these kinds
        let both = node.kid(0).kind == TextNodeKind::Binary && node.kid(0).text == "and";
        let plain = node.kid(0).kind == TextNodeKind::Phrase && node.kid(0).kid(0).is_nil();
        let all = !self.style("every").is_empty() && (plain || both);
        let kind = self.kind_of(node.kid(0));
        let mut whole_kind = false;
        let before = std::mem::replace(&mut self.joins_kinds_by_and, all);
        let whom = self.phrase_ja(node.kid(0), true);
        self.joins_kinds_by_and = before;
        let until = self.text(node.kid(2));
        let changes: Vec<TextNode> = node.kid(1).kids.clone();
        let gain = !until.is_empty() || self.is_changed_once(node.kid(0));
        let gives_others = changes.len() > 1 && changes.iter().any(|change| self.is_given(change, node.kid(0), gain));
        let mut predicates = Vec::new();
        let mut at = 0;
        while at < changes.len() {
            let made = self.becomes_ja(&changes[at..], gain, kind.as_ref());
            let still = made.as_ref().is_some_and(|(.., still)| *still);
            let mut done = made.map(|(text, length, _)| (text, length));
            let least = done.as_ref().map_or(0, |(_, length)| *length);
            for length in (least + 1..=changes.len() - at).rev() {
                let list = TextNode::new(TextNodeKind::List, "", changes[at..at + length].to_vec(), node.span);
                if let Some(text) = self.lookup(LexiconTable::Change, &list) {
                    done = Some((text, length));
                    break;
                }
            }
            whole_kind |= still && done.as_ref().is_some_and(|(_, length)| *length == least);
            let (text, length) = done.unwrap_or_else(|| (self.change_ja(&changes[at], node.kid(0), gain), 1));
            let text =
                if gives_others && length == 1 { self.quoted_predicate(&changes[at], &text, gain).unwrap_or(text) } else { text };
            match predicates.last_mut().and_then(|last: &mut String| self.merge_keywords(last, &text, gain)) {
                Some(both) => {
                    predicates.pop();
                    predicates.push(both);
                }
                None => predicates.push(text),
            }
            at += length;
        }
        for later in predicates.iter_mut().skip(1) {
            // Xの攻撃力は…、守備力は…
            if self.style("gets") == "{X}{V}" {
                *later = later.trim_start_matches(['の', 'は', 'に', '、']).to_owned();
            }
        }
        let whom = if self.is_in_any_zone(node.kid(0)) { format!("{}{whom}", self.style("anywhere")) } else { whom };
        let whom =
            match self.lexicon.styles("still").get(2).filter(|_| whole_kind && (plain || node.kid(0).kind == TextNodeKind::Word))
            {
                Some(all_of) => format!("{all_of}{whom}"),
                None => whom,
            };
        let text = join_sentences(&predicates);
        // このクリーチャーは、オーラ1つにつき+2/+2の修整を受ける; …は、他のタイプに加えて森である
        let other = text.starts_with(self.style("other"));
        let apart = other || text.split('、').next().is_some_and(|first| first.contains("につき"));
        let text = if apart && self.style("gets").contains("は{V}") { format!("、{text}") } else { text };
        // クリーチャーを1体選ぶ。このターン、そのクリーチャーは…
        let chosen = ['c', 'n'].iter().any(|kind| whom.contains(&format!("{COUNT_START}{kind}")));
        if chosen && !until.is_empty() && !self.style("choose").is_empty() {
            let noun = self.short_ja(node.kid(0));
            let those = if self.is_plural(node.kid(0)) { format!("それらの{noun}") } else { demonstrative(&noun) };
            let sentence = self.style("gets").replace("{X}", &those).replace("{V}", &text);
            return format!("{whom}を選ぶ{}{until}、{sentence}", self.style("next"));
        }
        // このカードはモンスターになる, where a change names its property itself: このカードの攻撃力は…
        let lacks_particle = self.style("gets") == "{X}{V}" && !text.starts_with(['は', 'の', 'が', 'を', 'に', '、', '⟦']);
        let text = if lacks_particle { format!("は{text}") } else { text };
        let sentence = self.style("gets").replace("{X}", &whom).replace("{V}", &text);
        if until.is_empty() { sentence } else { format!("{until}、{sentence}") }
    }

    /// Whether a change is a keyword that is given in brackets: 「スレイヤー」を与える.
    fn is_given(&mut self, change: &TextNode, whom: &TextNode, gain: bool) -> bool {
        let form = self.style(if gain { "gain" } else { "have" }).to_owned();
        let Some((front, _)) = form.split_once("{K}").filter(|(front, _)| front.ends_with('「')) else { return false };
        change.text == "word" && self.preview(|this| this.change_ja(change, whom, gain)).starts_with(front)
    }

    /// A keyword that is a predicate of the object, はブロックされない, as one that is given with others: 「このクリーチャーはブロックされない」と「スレイヤー」を与える.
    /// `None` for other changes.
    fn quoted_predicate(&mut self, change: &TextNode, text: &str, gain: bool) -> Option<String> {
        let word = change.kid(0);
        let is_predicate =
            change.text == "word" && text.starts_with('は') && self.builder.names.keywords.contains_key(&word.text);
        let arguments = change.kids.iter().skip(1).cloned().collect();
        let keyword = is_predicate.then(|| TextNode::new(TextNodeKind::Keyword, word.text.clone(), arguments, change.span))?;
        let name = self.keyword_short(&keyword).filter(|name| !name.is_empty() && !name.starts_with('~'))?;
        Some(self.style(if gain { "gain" } else { "have" }).replace("{K}", name.trim_end_matches('。')))
    }

    /// Merges 接死を持つ and 絆魂を持つ into 接死と絆魂を持つ.
    pub(super) fn merge_keywords(&self, one: &str, other: &str, gain: bool) -> Option<String> {
        let (front, back) = self.style(if gain { "gain" } else { "have" }).split_once("{K}")?;
        let inner = |text: &'_ str| Some(text.strip_prefix(front)?.strip_suffix(back)?.to_owned());
        let (one, other) = (inner(one)?, inner(other)?);
        let between = match (front.chars().last(), back.chars().next()) {
            (Some('「'), Some('」')) => "」と「",
            _ => "と",
        };
        (!one.contains('。') && !other.contains('。')).then(|| format!("{front}{one}{between}{other}{back}"))
    }

    pub(super) fn change_ja(&mut self, change: &TextNode, whom: &TextNode, gain: bool) -> String {
        if change.text == "word" {
            let word = change.kid(0);
            let keyword = TextNode::new(
                TextNodeKind::Keyword,
                word.text.clone(),
                change.kids.iter().skip(1).cloned().collect(),
                change.span,
            );
            if self.builder.names.keywords.contains_key(&word.text) {
                // a keyword without a name has no words here
                if let Some(name) = self.keyword_short(&keyword).filter(|name| !name.is_empty()) {
                    // a keyword that is a predicate: 可能なら毎戦闘で攻撃する
                    if let Some(predicate) = name.strip_prefix('~') {
                        return predicate.to_owned();
                    }
                    // このクリーチャーはブロックされない, about another object
                    let own = |form: &str| {
                        name.strip_prefix(form)
                            .filter(|rest| rest.starts_with('は'))
                            .map(|rest| rest.trim_end_matches('。').to_owned())
                    };
                    if let (Some(rest), "{X}{V}") = (self.lexicon.self_names().find_map(own), self.style("gets")) {
                        return rest;
                    }
                    return match self.sentence_of_keyword(&keyword, whom) {
                        Some(sentence) => self.gets_quoted_ja(&sentence, gain),
                        None => self.style(if gain { "gain" } else { "have" }).replace("{K}", &name),
                    };
                }
                if let Some(quoted) = self.quoted_keyword(&keyword, whom) {
                    return self.gets_quoted_ja(&quoted, gain);
                }
            } else {
                let name = self.noun_ja(word);
                return format!("{name}になる");
            }
        }
        self.gap(change)
    }

    /// A quoted ability that something gets: 「…」を得る.
    fn gets_quoted_ja(&self, quoted: &str, gain: bool) -> String {
        let form = self.style(if gain { "gain" } else { "have" });
        let quoted = quoted.trim_end_matches('。');
        match form.contains("「{K}」") {
            true => form.replace("{K}", quoted),
            false => form.replace("{K}", &format!("「{quoted}」")),
        }
    }
}
