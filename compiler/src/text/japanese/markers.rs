//! Markers: control characters in an unfinished Japanese text, resolved once the whole line is known.
//!
//! A count is kept between two markers behind its noun until the following particle is known: クリーチャー 1体 を becomes クリーチャーを1体選び、 or
//! クリーチャー1体を. The particle itself is chosen before, in `verb_phrases` or by a template. Targets are kept until all targets of a sentence are
//! known, because one sentence announces them. A reference to a target is kept until it is known whether another target has the same noun; then
//! they become 前者 and 後者.

use crate::text::renderer::Renderer;
use std::collections::BTreeMap;

/// Around a count: a letter for its kind, then the count.
pub(super) const COUNT_START: char = '\u{1}';
pub(super) const COUNT_END: char = '\u{2}';
/// Around a target: its number, a slash, its text.
const TARGET: char = '\u{3}';
const TARGET_END: char = '\u{4}';
/// Around a reference to a target: its number, a slash, its noun.
pub(super) const REFERENCE: char = '\u{5}';
const REFERENCE_END: char = '\u{6}';
/// Separates the text of targets from their maximum count.
const MAX_COUNT: char = '\u{7}';

/// What begins the other branch of a condition.
const ELSE: [&str; 2] = ["。そうでなければ、", "。そうでない場合、"];

/// Marks a target, which is announced before the sentence.
pub(super) fn target(number: u32, text: &str) -> String {
    format!("{TARGET}{number}/{text}{TARGET_END}")
}

/// Marks a group of targets that may be fewer than `most`.
pub(super) fn up_to_target(number: u32, text: &str, most: &str) -> String {
    target(number, &format!("{text}{MAX_COUNT}{most}"))
}

/// Marks a reference to a target.
pub(super) fn target_reference(number: u32, noun: &str) -> String {
    format!("{REFERENCE}{number}/{noun}{REFERENCE_END}")
}

/// Splits a text into the targets that it begins with and the rest.
pub(super) fn split_targets(text: &str) -> (&str, &str) {
    let mut end = 0;
    while text[end..].starts_with(TARGET)
        && let Some(length) = text[end..].find(TARGET_END)
    {
        end += length + TARGET_END.len_utf8();
    }
    text.split_at(end)
}

/// Splits a text behind the full stop of its first sentence; full stops in quotes and brackets end none. The announcement of its targets is
/// part of the first sentence. The second part is empty if there is one sentence only.
pub(super) fn split_first_sentence(text: &str) -> (&str, &str) {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '「' | '（' | TARGET => depth += 1,
            '」' | '）' | TARGET_END => depth = depth.saturating_sub(1),
            '。' if depth == 0 => return (&text[..at], &text[at + c.len_utf8()..]),
            _ => {}
        }
    }
    (text, "")
}

/// A text without the targets that it begins with.
pub fn without_targets(text: &str) -> &str {
    split_targets(text).1
}

/// The parts between two markers, as number and text.
fn marked_parts(text: &str, open: char, close: char) -> Vec<(&str, &str)> {
    text.split(open).skip(1).filter_map(|rest| rest.split(close).next()?.split_once('/')).collect()
}

/// The number of a target, by which targets are announced in the order in which they are chosen.
fn announcement_order(number: &str) -> u32 {
    number.parse().unwrap_or(0)
}

/// The noun behind その. A pronoun is left unchanged.
pub(super) fn demonstrative(noun: &str) -> String {
    if noun.starts_with("それ") { noun.to_owned() } else { format!("その{noun}") }
}

/// The text behind a sentence that says only that a target is chosen. `None` for other sentences.
fn strip_bare_choice(text: &str) -> Option<&str> {
    let (noun, more) = text.split_once("を選ぶ。")?;
    let plain = matches!(noun, "前者" | "後者")
        || noun.starts_with('そ') && !noun.trim_start_matches("その").contains(['、', '。', 'の', 'を', 'は', 'が']);
    plain.then_some(more)
}

/// Whether the last choice of a text is a player.
fn is_last_choice_player(text: &str) -> bool {
    text.rsplit(['。', '、']).nth(1).is_some_and(|clause| clause.starts_with("プレイヤーを"))
}

/// Replaces the subject in a count by a reflexive: 相手は…を、自身のクリーチャーの数と同じ数.
fn replace_owner_in_count(before: &str, count: &str, their: &str) -> String {
    let clause = before.rsplit(['。', '、']).next().unwrap_or("");
    match clause.split_once('は') {
        Some((who, _)) if !who.is_empty() => count.replace(&format!("{who}の"), their),
        _ => count.to_owned(),
    }
}

impl Renderer<'_> {
    /// Resolves all markers of a text.
    pub(in crate::text) fn resolve_markers(&self, text: &str) -> String {
        let text = self.gather_alike_targets(&self.move_targets_first(text));
        let text = self.resolve_references(&text);
        let text = self.resolve_targets(&text);
        let text = self.resolve_counts(&text);
        let text: String = text.split_inclusive('。').map(|sentence| self.replace_owner(sentence)).collect();
        self.insert_each(&text)
    }

    /// Inserts それぞれ behind each subject of several players: 各プレイヤーはそれぞれカードを1枚引く.
    fn insert_each(&self, text: &str) -> String {
        let Some((alone, all)) = self.lexicon.styles("each_of").split_first() else { return text.to_owned() };
        let mut out = text.to_owned();
        for who in all {
            let subject = format!("{who}は");
            let mut parts = out.split(&subject);
            let mut made = parts.next().unwrap_or("").to_owned();
            for part in parts {
                made.push_str(&subject);
                made.push_str(if part.starts_with(alone.as_str()) { "" } else { alone });
                made.push_str(part);
            }
            out = made;
        }
        out
    }

    /// Moves targets to the beginning of a text in languages with heads (setting `heads`), because they are chosen before anything is
    /// done.
    fn move_targets_first(&self, text: &str) -> String {
        let heads = self.lexicon.styles("heads");
        let Some((before, rest)) = text.find(TARGET).map(|at| text.split_at(at)) else { return text.to_owned() };
        // what is chosen when something has been done is not announced before it
        let later = self.style("when_you_do");
        if !later.is_empty() && before.contains(later) {
            return text.to_owned();
        }
        let done = |sentence: &str| !heads.iter().any(|head| sentence.ends_with(head.as_str()));
        if heads.is_empty() || text.contains('\n') || !before.split_inclusive('。').any(|one| one.ends_with('。') && done(one))
        {
            return text.to_owned();
        }
        let (named, rest) = split_targets(rest);
        format!("{named}{before}{rest}")
    }

    /// Announces all targets where the first one is announced, if two of them have the same noun: before both are known, 前者 and 後者 refer to nothing.
    fn gather_alike_targets(&self, text: &str) -> String {
        let later = self.style("when_you_do");
        let is_later = !later.is_empty() && text.contains(later);
        if is_later || text.contains('\n') || ELSE.iter().any(|word| text.contains(word)) {
            return text.to_owned();
        }
        let nouns: BTreeMap<&str, &str> = marked_parts(text, REFERENCE, REFERENCE_END).into_iter().collect();
        let targets = marked_parts(text, TARGET, TARGET_END);
        let is_alike = |number: &str| {
            let noun = nouns.get(number);
            noun.is_some() && targets.iter().any(|(other, _)| *other != number && nouns.get(other) == noun)
        };
        let Some(start) = text.find(TARGET) else { return text.to_owned() };
        let (first, behind) = split_targets(&text[start..]);
        if !behind.contains(TARGET) || !targets.iter().any(|(number, _)| is_alike(number)) {
            return text.to_owned();
        }
        let (mut gathered, mut rest, mut left) = (first.to_owned(), String::new(), behind);
        while let Some(at) = left.find(TARGET) {
            rest.push_str(&left[..at]);
            let (named, after) = split_targets(&left[at..]);
            if named.is_empty() {
                return text.to_owned();
            }
            gathered.push_str(named);
            left = after;
        }
        format!("{}{gathered}{rest}{left}", &text[..start])
    }

    /// Replaces the owner by a reflexive if it is the subject: 相手は相手の手札を becomes 相手は自身の手札を.
    fn replace_owner(&self, sentence: &str) -> String {
        let mut out = String::new();
        for clause in sentence.split_inclusive('、') {
            let own = clause.split_once('は').filter(|(who, _)| !who.is_empty() && !who.starts_with("この"));
            match own.and_then(|(who, rest)| Some((who, rest.strip_prefix(&format!("{who}の"))?))) {
                Some((who, rest)) => out.push_str(&format!("{who}は{}{rest}", self.style("their"))),
                None => out.push_str(clause),
            }
        }
        out
    }

    /// Resolves references to targets. The branches of a condition announce their targets separately.
    fn resolve_references(&self, text: &str) -> String {
        let branch = ELSE.iter().find_map(|word| text.find(word)).map(|at| text.split_at(at));
        match branch.filter(|(one, other)| one.contains(TARGET) && other.contains(TARGET)) {
            Some((one, other)) => {
                let (otherwise, other) = other.split_at('。'.len_utf8());
                format!("{}{otherwise}{}", self.resolve_references_together(one), self.resolve_references(other))
            }
            None => self.resolve_references_together(text),
        }
    }

    fn resolve_references_together(&self, text: &str) -> String {
        let mut order: Vec<&str> = marked_parts(text, TARGET, TARGET_END).into_iter().map(|(number, _)| number).collect();
        order.sort_by_key(|number| announcement_order(number));
        let nouns: BTreeMap<&str, &str> = marked_parts(text, REFERENCE, REFERENCE_END).into_iter().collect();
        let mut parts = text.split(REFERENCE);
        let mut out = parts.next().unwrap_or("").to_owned();
        for part in parts {
            let Some(((number, noun), rest)) =
                part.split_once(REFERENCE_END).and_then(|(inner, rest)| Some((inner.split_once('/')?, rest)))
            else {
                out.push_str(part);
                continue;
            };
            // two targets of which one has no noun: the former and the latter
            let either =
                |noun: &str| noun.starts_with("それ") || !self.style("either").is_empty() && noun.contains(self.style("or"));
            let vague = order.len() == 2 && nouns.len() == 2 && nouns.values().any(|noun| either(noun));
            if vague && order.contains(&number) {
                out.push_str(if order.first() == Some(&number) { "前者" } else { "後者" });
                out.push_str(rest);
                continue;
            }
            if order.len() == 1 && order.contains(&number) && either(noun) && !noun.starts_with("それ") {
                out.push_str(self.style("either"));
                out.push_str(rest);
                continue;
            }
            // 対象のモンスター: another one of that noun is chosen in between, 1体を選んで…
            let form = self.style("target_reference");
            let chosen = format!("{noun}{COUNT_START}c");
            if order.len() == 1
                && order.contains(&number)
                && !form.is_empty()
                && let Some(at) = out.rfind(&chosen).filter(|at| !out[..*at].ends_with("その"))
                && out.rfind(TARGET_END).is_none_or(|end| end < at)
            {
                if let Some(end) = out[at..].find(COUNT_END).map(|end| at + end + COUNT_END.len_utf8())
                    && out[end..].starts_with('を')
                {
                    out.insert_str(end + 'を'.len_utf8(), self.style("picked"));
                }
                out.push_str(&form.replace("{X}", noun));
                out.push_str(rest);
                continue;
            }
            let same: Vec<&&str> = order.iter().filter(|other| nouns.get(*other) == Some(&noun)).collect();
            match (same.len(), same.iter().position(|other| **other == number)) {
                (2, Some(0)) => out.push_str("前者"),
                (2, Some(_)) => out.push_str("後者"),
                (3.., Some(at)) => out.push_str(&format!("{}番目の{noun}", at + 1)),
                _ => out.push_str(&demonstrative(noun)),
            }
            out.push_str(rest);
        }
        // 前者は後者に、前者のパワーに…: a comma separates the two
        out.replace("後者に前者", "後者に、前者").replace("前者に後者", "前者に、後者")
    }

    fn resolve_targets(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(TARGET) {
            out.push_str(&rest[..at]);
            let (named, mut after) = split_targets(&rest[at..]);
            let mut named = marked_parts(named, TARGET, TARGET_END);
            // a sentence that only says that a target is chosen is dropped; targets chosen with it are announced with it
            while let Some(more) = strip_bare_choice(after).filter(|more| more.starts_with(TARGET)) {
                let (others, later) = split_targets(more);
                if others.is_empty() {
                    break;
                }
                named.extend(marked_parts(others, TARGET, TARGET_END));
                after = later;
            }
            if named.is_empty() {
                rest = rest[at..].trim_start_matches(TARGET);
                continue;
            }
            named.sort_by_key(|(number, _)| announcement_order(number));
            let named: Vec<&str> = named.into_iter().map(|(_, text)| text).collect();
            let most = named.as_slice().first().and_then(|one| one.split_once(MAX_COUNT)).filter(|_| named.len() == 1);
            match (most, self.style("target_up_to")) {
                (Some((what, most)), style) if !style.is_empty() => {
                    out.push_str(&style.replace("{X}", what).replace("{N}", most));
                }
                _ => {
                    // a bare number cannot be listed like a noun: クリーチャー1体を対象とし、1つを対象とする
                    let bare = named.iter().any(|text| text.starts_with(|c: char| c.is_ascii_digit()));
                    let join = if bare { "を対象とし、" } else { self.style("targets") };
                    let named = named.join(join).replace(MAX_COUNT, "");
                    out.push_str(&self.style("target").replace("{X}", &named));
                }
            }
            rest = strip_bare_choice(after).unwrap_or(after);
        }
        out.push_str(rest);
        // a condition behind the modes belongs before them: …場合にのみ起動できる
        match (out.split_once('\n'), out.rsplit_once("。。")) {
            (Some((first, _)), Some((modes, behind))) if !behind.contains('\n') => {
                let modes = &modes[first.len()..];
                format!("{first}{behind}。{modes}。")
            }
            _ => out,
        }
    }

    /// Puts counts where the following particle needs them.
    fn resolve_counts(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(COUNT_START) {
            out.push_str(&rest[..at]);
            let Some(end) = rest[at..].find(COUNT_END).map(|end| at + end) else { break };
            let inner = &rest[at + 1..end];
            rest = &rest[end + 1..];
            let mut chars = inner.chars();
            let kind = chars.next().unwrap_or('c');
            let count = replace_owner_in_count(&out, chars.as_str(), self.style("their"));
            let count = count.as_str();
            let style = match kind {
                'r' => "random",
                'a' => "all",
                _ => "choose",
            };
            let style = self.style(style);
            // を全て, in games that write it so
            let every = self.style("all").strip_prefix('を').unwrap_or("すべて");
            if style.is_empty() {
                if let Some(after) = rest.strip_prefix('を').filter(|_| kind == 'n') {
                    // モンスターを好きな数
                    out.push('を');
                    out.push_str(count);
                    rest = after;
                } else if kind == 'a' {
                    if let Some(after) = rest.strip_prefix('を') {
                        out.push_str("をすべて");
                        rest = after;
                    } else {
                        out.push_str("すべて");
                    }
                } else {
                    out.push_str(count);
                }
            } else if let Some(after) = rest.strip_prefix('を')
                && after.starts_with('選')
                && kind != 'a'
            {
                out.push_str(if count.contains('の') { "を、" } else { "を" });
                out.push_str(count);
                rest = after;
            } else if let Some(after) = rest.strip_prefix('を') {
                // a long amount is separated by a comma
                let style = if count.contains('の') { style.replace("を{N}", "を、{N}") } else { style.to_owned() };
                // a verb follows `を{N}、` directly: カードを1枚引く
                out.push_str(&style.replace("{N}", count));
                rest = after;
            } else if rest.is_empty() || kind == 'a' {
                out.push_str(if kind == 'a' { every } else { count });
            } else {
                out.push_str(&style.replace("{N}", count));
                match rest.strip_prefix('の') {
                    Some(after) => {
                        out.push_str(if out.trim_end_matches('、').ends_with("選び") && is_last_choice_player(&out) {
                            "そのプレイヤーの"
                        } else {
                            "その"
                        });
                        rest = after;
                    }
                    None => out.push_str("それ"),
                }
            }
        }
        out.push_str(rest);
        out
    }
}
