//! English lines of a card together: their order, heads before an effect, and lines that merge because they differ in one event only.

use super::inflection::join_list;
use crate::text::english::lower_first;
use crate::text::lexicon::Lexicon;
use crate::text::line_marks::{REMINDER, WHENEVER};
use crate::text::normalize::Builder;
use crate::text::renderer::Renderer;
use crate::text::tree::equal_ignoring_spans;
use crate::text::tree::{TextNode, TextNodeKind};

/// Marks a line that is the effect of the card.
pub(in crate::text) const EFFECT: char = '\u{10}';
/// Behind [`EFFECT`]: the effect began with a lower-case letter.
pub(in crate::text) const LOWER_CASE: char = '\u{11}';
/// Separates the form of a head alone from its form before an effect. A head says when, or for which price.
pub(in crate::text) const HEAD: char = '\u{13}';

/// Moves the reminders of a line behind the sentences in which they are marked.
pub(in crate::text) fn place_reminders(line: &str, japanese: bool) -> String {
    let mut out = line.to_owned();
    while let Some((front, rest)) = line_parts(&out) {
        let (reminder, back) = rest;
        let ends = if japanese { ["。", "。", "。"] } else { [". ", ".\n", "."] };
        let stop = if japanese { "。".len() } else { 1 };
        let end = ends.iter().filter_map(|end| back.find(end).map(|at| at + stop)).min().unwrap_or(back.len());
        let (sentence, after) = back.split_at(end);
        out = match japanese {
            true => format!("{front}{sentence}（{reminder}）{after}"),
            false => format!("{front}{sentence} ({reminder}){after}"),
        };
    }
    out
}

/// A text without its reminders.
pub(in crate::text) fn without_reminders(text: &str) -> String {
    text.split(REMINDER).step_by(2).collect()
}

fn line_parts(line: &str) -> Option<(String, (String, String))> {
    let (front, rest) = line.split_once(REMINDER)?;
    let (reminder, back) = rest.split_once(REMINDER)?;
    Some((front.to_owned(), (reminder.to_owned(), back.to_owned())))
}

/// Adds `also` to a conditional line with the same action as the line before: `If …, your opponent also discards 2 cards.`
fn add_also(before: &str, line: &str) -> Option<String> {
    let rest = line.strip_prefix("If ")?;
    let at = rest.find(", ")? + "If , ".len();
    let words: Vec<&str> = before.split(' ').take(3).collect();
    let [one, two, verb] = words.as_slice() else { return None };
    let subject = format!("{} {two} ", lower_first(one));
    let again = line.get(at..)?.strip_prefix(&subject).filter(|rest| rest.starts_with(&format!("{verb} ")))?;
    let apart = before != line && before.strip_suffix('.').is_some_and(|before| !before.contains(['.', ',']));
    apart.then(|| format!("{}{subject}also {again}", &line[..at]))
}

/// Whether a line is a head, which only says when or for which price: `When an attack is declared:`, `pay 100;`.
pub(in crate::text) fn is_head(text: &str) -> bool {
    text.ends_with([':', ';']) && !text.contains(['.', '\n'])
}

/// Orders the parts of a card as cards print them. How it enters comes before what it is used for, and some keywords come first or last.
/// Mirrored abilities and alternative yields are merged.
pub(in crate::text) fn order_parts(parts: &mut Vec<(u32, TextNode)>, lexicon: &Lexicon, builder: Builder<'_>) {
    let (first, last) = (lexicon.styles("first"), lexicon.styles("last"));
    let named =
        |words: &[String], node: &TextNode| node.kind == TextNodeKind::Keyword && words.iter().any(|word| *word == node.text);
    parts.sort_by_key(|(_, node)| (!named(first, node), named(last, node)));
    let abilities = |node: &TextNode| match node.kind {
        TextNodeKind::Keyword => {
            let known = lexicon.keyword(&node.text, builder);
            known.map_or_else(Vec::new, |(_, abilities)| abilities.iter().map(|ability| builder.ability(ability)).collect())
        }
        _ => vec![node.clone()],
    };
    let used = |node: &TextNode| {
        if named(first, node) {
            return false;
        }
        // a word that is no keyword, but has an ability entry
        if node.kind == TextNodeKind::Keyword && !builder.names.keywords.contains_key(&node.text) {
            return true;
        }
        let abilities = abilities(node);
        !abilities.is_empty() && abilities.iter().all(|ability| ability.kind == TextNodeKind::Activated)
    };
    let enters = |node: &TextNode| {
        let event = |ability: &TextNode| {
            ability.kind == TextNodeKind::Instead && ability.kid(0).text == "enter" && ability.kid(0).kid(0).is_word("this")
        };
        abilities(node).iter().any(event)
    };
    let start = parts.iter().position(|(_, node)| used(node)).unwrap_or(parts.len());
    let mut place = start;
    for at in start..parts.len() {
        if parts.get(at).is_some_and(|(_, node)| enters(node)) {
            let part = parts.remove(at);
            parts.insert(place, part);
            place += 1;
        }
    }
    parts.dedup_by(|(_, later), (_, before)| are_mirrored(before, later, lexicon, builder) || merge_yields(before, later));
}

/// Indices of the children of an `Activated` node: the yielded units, and the usage limit.
const YIELDS: usize = 4;
const LIMIT: usize = 5;

/// Merges two activated abilities that differ in their yielded units only into one that yields either. Abilities with a usage limit stay
/// apart, since each limit counts separately.
fn merge_yields(before: &mut TextNode, later: &TextNode) -> bool {
    let makes = |node: &TextNode| node.kind == TextNodeKind::Activated && !node.kid(YIELDS).is_nil() && node.kid(LIMIT).is_nil();
    if !makes(before) || !makes(later) {
        return false;
    }
    let without = |node: &TextNode| {
        let mut node = node.clone();
        node.kids[YIELDS] = TextNode::nil();
        node
    };
    let alike = equal_ignoring_spans(&without(before), &without(later));
    if alike {
        let both = vec![before.kid(YIELDS).clone(), later.kid(YIELDS).clone()];
        before.kids[YIELDS] = TextNode::new(TextNodeKind::Binary, "or", both, later.span);
    }
    alike
}

/// Whether two triggers wait for the two sides of a mutual event (setting `mutual`) and do the same.
pub(in crate::text) fn are_mirrored(one: &TextNode, other: &TextNode, lexicon: &Lexicon, builder: Builder<'_>) -> bool {
    let (event, turned) = (one.kid(0), other.kid(0));
    let mutual = one.kind == TextNodeKind::When
        && event.kind == TextNodeKind::Event
        && lexicon.styles("mutual").iter().any(|verb| *verb == event.text);
    if !mutual || event.text != turned.text {
        return false;
    }
    let (params, _) = builder.parameters(&event.text);
    let [(first, _), (second, _)] = params.as_slice() else { return false };
    // the second trigger names the other side of the event
    let mark = "\u{1}";
    let mut back = other.replace_word(first, &TextNode::word(mark, other.span));
    back = back.replace_word(second, &TextNode::word(first, other.span)).replace_word(mark, &TextNode::word(second, other.span));
    let sides = equal_ignoring_spans(event.kid(0), turned.kid(1)) && equal_ignoring_spans(event.kid(1), turned.kid(0));
    let mut own = one.clone();
    for node in [&mut own, &mut back] {
        for side in node.kids.iter_mut().take(1).flat_map(|event| event.kids.iter_mut().take(2)) {
            *side = TextNode::nil();
        }
    }
    sides && equal_ignoring_spans(&own, &back)
}

impl Renderer<'_> {
    /// The lines as they are printed: heads before effects, merged triggers, merged chapters.
    pub(in crate::text) fn lines_en(&self, lines: Vec<String>) -> Vec<String> {
        let effects = lines.iter().any(|line| line.starts_with(EFFECT));
        let heads: Vec<String> = lines.iter().filter_map(|line| Some(line.split_once(HEAD)?.1.to_owned())).collect();
        let mut made: Vec<String> = Vec::new();
        let mut before = false;
        for line in lines {
            let waits = line.starts_with(WHENEVER);
            if let Some((alone, _)) = line.split_once(HEAD) {
                if !effects {
                    made.push(alone.to_owned());
                }
            } else if let Some(effect) = line.strip_prefix(EFFECT) {
                let line = self.prepend_heads_en(&heads, effect);
                let line = made.last().and_then(|last| add_also(last, &line)).unwrap_or(line);
                match made.last().and_then(|last| self.merge_lines(last, &line)) {
                    Some(joined) => *made.last_mut().unwrap_or(&mut String::new()) = joined,
                    None => made.push(line),
                }
            } else {
                let line = line.trim_start_matches(WHENEVER).to_owned();
                let joined = made.last().and_then(|last| self.merge_lines(last, &line));
                let joined =
                    joined.or_else(|| made.last().filter(|_| before && waits).and_then(|last| self.merge_events(last, &line)));
                match (joined, made.last_mut()) {
                    (Some(joined), Some(last)) => *last = joined,
                    _ => made.push(line),
                }
            }
            before = waits;
        }
        self.print_shared_limit(super::merge_chapters(made, " — ", ", "))
    }

    /// Prints a shared limit once, in a line before the lines that share it. These get bullets.
    fn print_shared_limit(&self, lines: Vec<String>) -> Vec<String> {
        let [limit, head, ..] = self.lexicon.styles("shared_limit") else { return lines };
        let mut made = Vec::new();
        let mut shared = false;
        for line in lines {
            match line.strip_suffix(limit.as_str()) {
                Some(effect) => {
                    if !shared {
                        made.push(head.clone());
                    }
                    shared = true;
                    made.push(format!("{}{}", self.style("bullet"), effect.trim_end()));
                }
                None => made.push(line),
            }
        }
        made
    }

    /// The line of an effect of the card. The sentence that the setting `apart` names gets a separate line at the end.
    pub(in crate::text) fn effect_en(&self, text: &str) -> String {
        let text = &self.move_target_first(text);
        let small = text.trim_start().starts_with(char::is_lowercase);
        let (next, apart) = (self.style("next"), self.style("apart"));
        let line = self.finish_line(text);
        let last = format!("{next}{}{}", super::capitalise(apart), self.style("end"));
        let line = match line.strip_suffix(&last).filter(|_| !apart.is_empty()) {
            Some(front) => format!("{front}{}\n{}", next.trim_end(), last.trim_start_matches(next)),
            None => line,
        };
        format!("{EFFECT}{}{line}", if small { LOWER_CASE.to_string() } else { String::new() })
    }

    /// Moves the announcement of a target before everything that is done: `target a card; gain 5, then destroy it`.
    fn move_target_first(&self, text: &str) -> String {
        let moved = || {
            let (front, back) = self.style("target").split_once("{X}").filter(|(front, _)| !front.is_empty())?;
            let (first, rest) = text.split_once(&format!("{}{front}", self.style("then")))?;
            let (named, rest) = rest.split_once(back)?;
            let plain = !first.contains([';', ':', '.', '\n']);
            plain.then(|| format!("{front}{named}{back}{}{}{rest}", lower_first(first), self.style("then")))
        };
        moved().unwrap_or_else(|| text.to_owned())
    }

    /// The head that a keyword prints before an effect, with its form alone; or the effect itself if its text begins with `^`.
    pub(in crate::text) fn head_en(&mut self, node: &TextNode, name: &str) -> Option<String> {
        if self.is_japanese() {
            return None;
        }
        if let Some(effect) = name.strip_prefix('^') {
            return Some(self.effect_en(effect));
        }
        let short = self.keyword_short(node).filter(|short| is_head(short))?;
        Some(format!("{}{HEAD}{short}", super::capitalise(name)))
    }

    /// Puts the heads before an effect: `When …: pay 100; destroy it.`
    fn prepend_heads_en(&self, heads: &[String], effect: &str) -> String {
        let small = effect.starts_with(LOWER_CASE);
        let effect = effect.trim_start_matches(LOWER_CASE);
        let (mut whens, mut prices) = (Vec::new(), Vec::new());
        for head in heads {
            match head.strip_suffix(':') {
                Some(when) => whens.push(when.to_owned()),
                None => prices.push(head.trim_end_matches(';').to_owned()),
            }
        }
        let own = effect.split_once(": ").filter(|(when, _)| !when.contains(['.', '\n', ';']));
        let (rest, small) = own.map_or((effect, small), |(_, rest)| (rest, true));
        whens.extend(own.map(|(when, _)| when.to_owned()));
        let mut out = String::new();
        for (at, when) in whens.iter().enumerate() {
            out.push_str(&if at == 0 { super::capitalise(when) } else { format!(", {}", lower_first(when)) });
        }
        if !whens.is_empty() {
            out.push_str(": ");
        }
        if prices.is_empty() {
            out.push_str(rest);
            return out;
        }
        out.push_str(&super::capitalise(&join_list(&prices)));
        out.push_str("; ");
        out.push_str(&if small { lower_first(rest) } else { rest.to_owned() });
        self.join_price_and_target(&out)
    }

    /// Joins a price and the target behind it: `pay 100, then target a card; …`.
    pub(in crate::text) fn join_price_and_target(&self, text: &str) -> String {
        match self.style("target").split_once("{X}") {
            Some((front, _)) if !front.is_empty() => {
                text.replace(&format!("; {front}"), &format!("{}{front}", self.style("then")))
            }
            _ => text.to_owned(),
        }
    }

    /// Merges two triggers with different events and the same effect: `Whenever this attacks or blocks, …`.
    fn merge_events(&self, one: &str, other: &str) -> Option<String> {
        let name = self.self_name();
        let parts = |line: &str| {
            let opener = ["Whenever ", "When ", "If "].into_iter().find(|opener| line.starts_with(opener))?;
            let rest = &line[opener.len()..];
            let subject = [name.as_str(), "you"].into_iter().find(|subject| rest.starts_with(&format!("{subject} ")))?;
            let rest = &rest[subject.len() + 1..];
            let end = rest.find([',', ':'])?;
            Some((opener, subject.to_owned(), rest[..end].to_owned(), rest[end..].to_owned()))
        };
        let (opener, subject, event, rest) = parts(one)?;
        let (again, who, other_event, other_rest) = parts(other)?;
        let opener = match (opener, again) {
            (a, b) if a == b => a,
            ("When ", "Whenever ") | ("Whenever ", "When ") => "Whenever ",
            _ => return None,
        };
        (subject == who && rest == other_rest).then(|| format!("{opener}{subject} {event} or {other_event}{rest}"))
    }
}

/// Moves the event that an effect answers before a sign (setting `event_before`) at the head of its line: `(Quick Effect): You can discard 1 card; when
/// a Spell is activated: Negate it` becomes `when a Spell is activated (Quick Effect): You can discard 1 card; negate it`.
pub fn place_event_first(text: &str, sign: &str) -> String {
    let placed = || {
        let (front, doing) = text.split_once(sign).filter(|_| !sign.is_empty())?;
        let doing = doing.strip_prefix(": ")?;
        let at = doing.find("; when ").map(|at| at + "; ".len());
        let at = at.or_else(|| doing.strip_prefix("You can when ").map(|_| "You can ".len()))?;
        let (event, effect) = doing[at..].split_once(": ")?;
        let before = front.trim_end();
        let comma = if before.is_empty() { "" } else { ", " };
        (!event.contains(". ")).then(|| format!("{before}{comma}{event} {sign}: {}{}", &doing[..at], super::lower_first(effect)))
    };
    placed().unwrap_or_else(|| text.to_owned())
}
