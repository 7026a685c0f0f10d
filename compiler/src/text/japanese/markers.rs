//! Marks in a Japanese text under way, and what becomes of them once it is whole.
//!
//! How many of something are meant is kept between two marks behind the noun, until it is known what particle follows: クリーチャー 1体 を becomes
//! クリーチャーを1体選び、 or クリーチャー1体を. Targets are kept until all of a sentence are known, for one sentence names them; and what is said of one
//! of them is kept until it is known whether another has the same noun, for then they are the former and the latter.

use super::super::render::Renderer;
use std::collections::BTreeMap;

/// Around how many.
pub(super) const OPEN: char = '\u{1}';
pub(super) const CLOSE: char = '\u{2}';
/// Around a target: its number, a stroke, what it is.
const TARGET: char = '\u{3}';
const TARGET_END: char = '\u{4}';
/// Around a word for a target: its number, a stroke, its noun.
pub(super) const WHICH: char = '\u{5}';
const WHICH_END: char = '\u{6}';
/// Between what targets are and how many of them at most.
const MOST: char = '\u{7}';

/// A target is named before the sentence.
pub(super) fn target(number: u32, text: &str) -> String {
    format!("{TARGET}{number}/{text}{TARGET_END}")
}

/// So are some targets, of which there may be fewer.
pub(super) fn up_to_target(number: u32, text: &str, most: &str) -> String {
    target(number, &format!("{text}{MOST}{most}"))
}

/// A word for what was named so.
pub(super) fn which(number: u32, noun: &str) -> String {
    format!("{WHICH}{number}/{noun}{WHICH_END}")
}

/// The targets that a sentence names first, and the rest of it.
pub(super) fn named_first(text: &str) -> (&str, &str) {
    let mut end = 0;
    while text[end..].starts_with(TARGET)
        && let Some(length) = text[end..].find(TARGET_END)
    {
        end += length + TARGET_END.len_utf8();
    }
    text.split_at(end)
}

/// Each part between two marks, as number and text.
fn marked(text: &str, open: char, close: char) -> Vec<(&str, &str)> {
    text.split(open).skip(1).filter_map(|rest| rest.split(close).next()?.split_once('/')).collect()
}

/// Targets are named in the order in which they are chosen.
fn announced(number: &str) -> u32 {
    number.parse().unwrap_or(0)
}

/// The noun behind `その`; a pronoun stands alone.
pub(super) fn that(noun: &str) -> String {
    if noun.starts_with("それ") { noun.to_owned() } else { format!("その{noun}") }
}

/// What stands behind a sentence that says no more than that something is chosen.
fn chosen(text: &str) -> Option<&str> {
    let (noun, more) = text.split_once("を選ぶ。")?;
    let plain = noun.starts_with('そ') && !noun.trim_start_matches("その").contains(['、', '。', 'の', 'を', 'は']);
    plain.then_some(more)
}

/// Whether what was chosen last is a player.
fn is_somebody(text: &str) -> bool {
    text.rsplit(['。', '、']).nth(1).is_some_and(|clause| clause.starts_with("プレイヤーを"))
}

/// A number of what the subject of the sentence has: 相手は…を、自身のクリーチャーの数と同じ数.
fn owned_by_subject(before: &str, count: &str, their: &str) -> String {
    let clause = before.rsplit(['。', '、']).next().unwrap_or("");
    match clause.split_once('は') {
        Some((who, _)) if !who.is_empty() => count.replace(&format!("{who}の"), their),
        _ => count.to_owned(),
    }
}

impl Renderer<'_> {
    /// A text without marks.
    pub(in crate::text) fn settled_ja(&self, text: &str) -> String {
        let text = self.targets_first(text);
        let text = self.which_ja(&text);
        let text = self.targets_ja(&text);
        let text = self.counted_ja(&text);
        let text: String = text.split_inclusive('。').map(|sentence| self.own_ja(sentence)).collect();
        self.each_of_ja(&text)
    }

    /// What each of several does, each does alone: 各プレイヤーはそれぞれカードを1枚引く.
    fn each_of_ja(&self, text: &str) -> String {
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

    /// Targets are chosen before anything is done, where sentences say what something waits for and what it chooses before what it does.
    fn targets_first(&self, text: &str) -> String {
        let heads = self.lexicon.styles("heads");
        let Some((before, rest)) = text.find(TARGET).map(|at| text.split_at(at)) else { return text.to_owned() };
        let done = |sentence: &str| !heads.iter().any(|head| sentence.ends_with(head.as_str()));
        if heads.is_empty() || text.contains('\n') || !before.split_inclusive('。').any(|one| one.ends_with('。') && done(one))
        {
            return text.to_owned();
        }
        let (named, rest) = named_first(rest);
        format!("{named}{before}{rest}")
    }

    /// 相手は相手の手札を is 相手は自身の手札を.
    fn own_ja(&self, sentence: &str) -> String {
        let start = sentence.rfind('、').map_or(0, |at| at + '、'.len_utf8());
        let (front, clause) = sentence.split_at(start);
        match clause.split_once('は') {
            Some((who, rest)) if !who.is_empty() && !who.starts_with("この") => {
                let own = format!("{who}の");
                format!(
                    "{front}{who}は{}",
                    rest.strip_prefix(own.as_str()).map_or(rest.to_owned(), |rest| format!("{}{rest}", self.style("their")))
                )
            }
            _ => sentence.to_owned(),
        }
    }

    fn which_ja(&self, text: &str) -> String {
        let mut order: Vec<&str> = marked(text, TARGET, TARGET_END).into_iter().map(|(number, _)| number).collect();
        order.sort_by_key(|number| announced(number));
        let nouns: BTreeMap<&str, &str> = marked(text, WHICH, WHICH_END).into_iter().collect();
        let mut parts = text.split(WHICH);
        let mut out = parts.next().unwrap_or("").to_owned();
        for part in parts {
            let Some(((number, noun), rest)) =
                part.split_once(WHICH_END).and_then(|(inner, rest)| Some((inner.split_once('/')?, rest)))
            else {
                out.push_str(part);
                continue;
            };
            // of two, one of which has no name of its own: the former and the latter
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
            let same: Vec<&&str> = order.iter().filter(|other| nouns.get(*other) == Some(&noun)).collect();
            match (same.len(), same.iter().position(|other| **other == number)) {
                (2, Some(0)) => out.push_str("前者"),
                (2, Some(_)) => out.push_str("後者"),
                (3.., Some(at)) => out.push_str(&format!("{}番目の{noun}", at + 1)),
                _ => out.push_str(&that(noun)),
            }
            out.push_str(rest);
        }
        // 前者は後者に、前者のパワーに…: the two stand apart
        out.replace("後者に前者", "後者に、前者").replace("前者に後者", "前者に、後者")
    }

    fn targets_ja(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(TARGET) {
            out.push_str(&rest[..at]);
            let (named, mut after) = named_first(&rest[at..]);
            let mut named = marked(named, TARGET, TARGET_END);
            // that a target is chosen needs no sentence more; what is chosen at once with it is named with it
            while let Some(more) = chosen(after).filter(|more| more.starts_with(TARGET)) {
                let (others, later) = named_first(more);
                if others.is_empty() {
                    break;
                }
                named.extend(marked(others, TARGET, TARGET_END));
                after = later;
            }
            if named.is_empty() {
                rest = rest[at..].trim_start_matches(TARGET);
                continue;
            }
            named.sort_by_key(|(number, _)| announced(number));
            let named: Vec<&str> = named.into_iter().map(|(_, text)| text).collect();
            let most = named.as_slice().first().and_then(|one| one.split_once(MOST)).filter(|_| named.len() == 1);
            match (most, self.style("target_up_to")) {
                (Some((what, most)), style) if !style.is_empty() => {
                    out.push_str(&style.replace("{X}", what).replace("{N}", most));
                }
                _ => {
                    // a bare number is no noun to be listed: クリーチャー1体を対象とし、1つを対象とする
                    let bare = named.iter().any(|text| text.starts_with(|c: char| c.is_ascii_digit()));
                    let join = if bare { "を対象とし、" } else { self.style("targets") };
                    let named = named.join(join).replace(MOST, "");
                    out.push_str(&self.style("target").replace("{X}", &named));
                }
            }
            rest = chosen(after).unwrap_or(after);
        }
        out.push_str(rest);
        // what is said behind modes belongs before them: …場合にのみ起動できる
        match (out.split_once('\n'), out.rsplit_once("。。")) {
            (Some((first, _)), Some((modes, behind))) if !behind.contains('\n') => {
                let modes = &modes[first.len()..];
                format!("{first}{behind}。{modes}。")
            }
            _ => out,
        }
    }

    /// Puts how many of something are meant to their places.
    fn counted_ja(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(OPEN) {
            out.push_str(&rest[..at]);
            let Some(end) = rest[at..].find(CLOSE).map(|end| at + end) else { break };
            let inner = &rest[at + 1..end];
            rest = &rest[end + 1..];
            let mut chars = inner.chars();
            let kind = chars.next().unwrap_or('c');
            let count = owned_by_subject(&out, chars.as_str(), self.style("their"));
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
                // an amount that is told at length stands apart
                let style = if count.contains('の') { style.replace("を{N}", "を、{N}") } else { style.to_owned() };
                // `を{N}、` and a verb that follows at once: カードを1枚引く
                out.push_str(&style.replace("{N}", count));
                rest = after;
            } else if rest.is_empty() || kind == 'a' {
                out.push_str(if kind == 'a' { every } else { count });
            } else {
                out.push_str(&style.replace("{N}", count));
                match rest.strip_prefix('の') {
                    Some(after) => {
                        out.push_str(if out.trim_end_matches('、').ends_with("選び") && is_somebody(&out) {
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
