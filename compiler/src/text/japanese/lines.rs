//! Japanese lines of a card together: heads gathered into one sentence before an effect, merged triggers, and signs before the lines.

use super::super::tree::TextNode;
use crate::text::line_marks::{MANDATORY, OPTIONAL, REMINDER};
use crate::text::renderer::Renderer;

/// Merges two triggers with different events and the same effect: このクリーチャーが戦場に出るか死亡したとき、…
pub fn merge_events(one: (&str, &str), other: (&str, &str), or: &str) -> Option<String> {
    /// The end of the condition of a trigger that can trigger repeatedly.
    const REPEATED: &str = "たび";
    let ((line, would), (next, again)) = (one, other);
    let ((head, does), (late, same)) = (line.split_once('、')?, next.split_once('、')?);
    // the last one: what stands before it may be a clause of the subject (あなたがコントロールしているクリーチャー)
    let (who, _) = would.rsplit_once('が')?;
    let subject = format!("{who}が");
    let (rest, late) = (again.strip_prefix(&subject)?, late.strip_prefix(&subject)?);
    let alike = !or.is_empty() && does == same && head.starts_with(&subject);
    let always = head.ends_with(REPEATED) || late.ends_with(REPEATED);
    let last = if always { format!("{rest}{REPEATED}") } else { late.to_owned() };
    alike.then(|| format!("{would}{or}{last}、{does}"))
}

/// Adds さらに to a conditional line with the same action as the line before: …なら、さらに相手は自身の手札を2枚選び、捨てる。
fn add_also(before: &str, line: &str) -> Option<String> {
    let (when, rest) = line.split_once("なら、")?;
    let (front, _) = before.split_once('を')?;
    let last = |text: &str| text.rsplit('、').next().map(str::to_owned);
    let single = |text: &str| text.matches('。').count() == 1 && !text.contains('\n');
    let alike = front.contains('は') && !front.contains('、') && last(before) == last(rest) && single(before) && single(line);
    (alike && rest.starts_with(&format!("{front}を"))).then(|| format!("{when}なら、さらに{rest}"))
}

/// A form of the end of a head: as it is found, with another head behind it, and as the last head.
struct LineEnding<'a> {
    found: &'a str,
    joined: &'a str,
    last: &'a str,
}

impl Renderer<'_> {
    /// The lines as they are printed. A line that begins with `^` gets no sign.
    pub(in crate::text) fn lines_ja(&self, lines: Vec<String>) -> Vec<String> {
        let mut made: Vec<String> = Vec::new();
        for line in self.gather_heads(lines) {
            let line = made.last().and_then(|last| add_also(last, &line)).unwrap_or(line);
            match made.last().and_then(|last| self.merge_lines(last, &line)) {
                Some(joined) => *made.last_mut().unwrap_or(&mut String::new()) = joined,
                None => made.push(line),
            }
        }
        self.add_signs(super::super::english::merge_chapters(made, " ― ", "、"))
    }

    /// The event that a trigger waits for, in the mood "would": このクリーチャーが戦場に出る.
    pub(in crate::text) fn trigger_event_ja(&mut self, node: &TextNode) -> String {
        let gaps = self.gaps.len();
        self.locals.clear();
        let node = self.prune(node);
        self.bind_event_parameters(&node);
        let text = self.slot(node.kid(0), ":would");
        self.gaps.truncate(gaps);
        self.resolve_markers(&text.replace('|', ""))
    }

    /// Inserts a comma behind the topic if a clause about the recipients follows: 地震は、飛行を持たない各クリーチャーに…. Else it would modify the topic.
    pub(in crate::text) fn insert_topic_comma(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for clause in ["を持たない各", "を持つ各"] {
            let Some(at) = out.find(clause) else { continue };
            if let Some(topic) = out[..at].rfind(['は', '、', '。', '：']).filter(|topic| out[*topic..].starts_with('は')) {
                out.insert(topic + 'は'.len_utf8(), '、');
            }
        }
        out
    }

    /// Replaces every mention of the card after the first one in a line by これ (setting `again`), except in quotes and brackets.
    pub(in crate::text) fn replace_self_name(&self, text: &str) -> String {
        let (again, own) = (self.style("again"), self.self_name());
        if again.is_empty() || own.is_empty() || own == self.name {
            return text.to_owned();
        }
        let mut out = String::new();
        let (mut depth, mut is_named, mut reminder) = (0_usize, false, false);
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if depth == 0
                && !reminder
                && let Some(after) = rest.strip_prefix(&own)
            {
                out.push_str(if is_named { again } else { &own });
                is_named = true;
                rest = after;
                continue;
            }
            match c {
                '「' | '（' => depth += 1,
                '」' | '）' => depth = depth.saturating_sub(1),
                '\n' => is_named = false,
                REMINDER => reminder = !reminder,
                _ => {}
            }
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
        out
    }

    /// The line of an effect of the card. The sentence that the setting `apart` names gets a separate line at the end.
    pub(in crate::text) fn effect_ja(&self, text: &str) -> String {
        let line = self.finish_line(text);
        let (next, apart) = (self.style("next"), self.style("apart"));
        match line.strip_suffix(&format!("{next}{apart}{}", self.style("end"))).filter(|_| !apart.is_empty()) {
            Some(front) => format!("{front}{}\n{apart}{}", self.style("end"), self.style("end")),
            None => line,
        }
    }

    /// Puts lines that are only heads (when, for which price, with which target something may be done) into the lines behind them.
    pub(in crate::text) fn gather_heads(&self, lines: Vec<String>) -> Vec<String> {
        let heads = self.lexicon.styles("heads");
        if heads.is_empty() {
            return lines;
        }
        // what is only a head applies to all effects, also to one that a keyword before it prints
        let is_head = |line: &String| {
            let (segments, rest) = split_heads(line, heads);
            !line.starts_with('^') && rest.is_empty() && !segments.is_empty()
        };
        let (front, behind): (Vec<String>, Vec<String>) = match lines.iter().position(|line| !line.starts_with('^')) {
            Some(start) if lines[start..].iter().skip_while(|line| !is_head(line)).all(|line| !line.starts_with('^')) => {
                let (marked, rest) = lines.split_at(start);
                let (heads, rest): (Vec<&String>, Vec<&String>) = rest.iter().partition(|line| is_head(line));
                (marked.iter().chain(heads).cloned().collect(), rest.into_iter().cloned().collect())
            }
            _ => (Vec::new(), lines),
        };
        let mut made = Vec::new();
        let mut pending = String::new();
        let mut first = true;
        for line in front.into_iter().chain(behind) {
            if line.starts_with('^') {
                made.push(line);
                continue;
            }
            let (segments, rest) = split_heads(&line, heads);
            if rest.is_empty() && !segments.is_empty() {
                pending.push_str(&line);
                first = true;
            } else if first || !segments.is_empty() {
                made.push(self.join_heads(&format!("{pending}{line}"), heads));
                first = false;
            } else {
                made.push(line.replace(MANDATORY, ""));
            }
        }
        if first && !pending.is_empty() {
            made.push(self.join_heads(&pending, heads));
        }
        made
    }

    /// Joins heads: `…時に発動できる。…を対象として発動できる。` becomes `…時、…を対象として発動できる。`
    fn join_heads(&self, line: &str, heads: &[String]) -> String {
        let is_marked = line.contains(OPTIONAL);
        let is_mandatory = line.contains(MANDATORY);
        let line = line.replace([OPTIONAL, MANDATORY], "");
        let (segments, rest) = split_heads(&line, heads);
        let orders = self.lexicon.styles("head_order");
        let endings: Vec<LineEnding<'_>> = orders
            .chunks_exact(3)
            .filter_map(|three| match three {
                [found, joined, last] => Some(LineEnding { found, joined, last }),
                _ => None,
            })
            .collect();
        let must = segments.iter().map(|(_, head)| if is_marked { 0 } else { *head }).max();
        let Some(head) = must.and_then(|must| heads.get(must)) else { return line.clone() };
        let mut parts: Vec<(usize, &str)> = Vec::new();
        for (segment, _) in &segments {
            let fitting = endings.iter().enumerate().filter(|(_, ending)| segment.ends_with(ending.found));
            let rank = fitting.max_by_key(|(_, ending)| ending.found.len()).map_or(endings.len(), |(rank, _)| rank);
            parts.push((rank, segment));
        }
        // what has no place in the order comes before the targets, which are named directly before the head
        let target = self.style("target").split_once("{X}").map_or("", |(_, behind)| behind);
        let is_target = |rank: usize| endings.get(rank).is_some_and(|ending| target.starts_with(ending.found));
        let first_target = (0..endings.len()).find(|rank| is_target(*rank)).filter(|_| !target.is_empty());
        parts.sort_by_key(|(rank, _)| match first_target {
            Some(target) if *rank == endings.len() => (target, 0),
            _ => (*rank, 1),
        });
        let mut out = String::new();
        for (at, (rank, segment)) in parts.iter().enumerate() {
            let Some(ending) = endings.get(*rank) else {
                out.push_str(segment);
                out.push_str(if at + 1 < parts.len() && !segment.is_empty() && !segment.ends_with('、') { "、" } else { "" });
                continue;
            };
            let stem = segment.strip_suffix(ending.found).unwrap_or(segment);
            out.push_str(stem);
            out.push_str(if at + 1 == parts.len() { ending.last } else { ending.joined });
        }
        let may = self.style("head_may");
        let (first, more) = rest.split_at(rest.find('。').unwrap_or(rest.len()));
        // a trigger whose effect begins with the choice whether to do it at all is optional to use, and has no second "may"
        let more_effects = more.trim_matches('。');
        let only_limit = self.lexicon.styles("named_limit").iter().any(|limit| limit.trim_end_matches('。') == more_effects);
        let whole = more_effects.is_empty() || only_limit || more.starts_with(self.style("then"));
        let optional = must == Some(1) && !is_mandatory && whole && !may.is_empty() && first.ends_with(may);
        let (head, first) = match first.strip_suffix(may).filter(|_| optional) {
            Some(done) => (heads.first().unwrap_or(head), done),
            None => (head, first),
        };
        format!("{out}{head}{first}{more}")
    }

    /// Adds signs or numbers to the lines, and states which of them have a usage limit by name.
    fn add_signs(&self, lines: Vec<String>) -> Vec<String> {
        let signs = self.lexicon.styles("lines");
        if signs.is_empty() {
            return lines.into_iter().map(|line| line.trim_start_matches('^').to_owned()).collect();
        }
        let (mut made, mut number) = (Vec::new(), 0);
        // for each kind of limit: its text in a line, its sentence for one line, and its sentence for several lines
        let limits: Vec<&[String]> = self.lexicon.styles("named_limit").chunks_exact(3).collect();
        let mut limited = vec![String::new(); limits.len()];
        let mut lines_of = vec![0; limits.len()];
        // a limit that several lines share
        let shared = self.lexicon.styles("shared_limit");
        let mut sharing = String::new();
        let mut front = None;
        for line in lines {
            if let Some(line) = line.strip_prefix('^') {
                made.push(line.to_owned());
                continue;
            }
            let sign = signs.get(number).or(signs.last()).map_or("", String::as_str);
            number += 1;
            front = front.or(Some(made.len()));
            let mut line = line;
            if let Some(limit) = shared.first()
                && let Some(at) = line.find(limit.as_str())
            {
                line.replace_range(at..at + limit.len(), "");
                sharing.push_str(sign.trim_end_matches('：'));
            }
            for ((limit, signs), count) in limits.iter().zip(&mut limited).zip(&mut lines_of) {
                if let Some(limit) = limit.first()
                    && let Some(at) = line.find(limit.as_str())
                {
                    line.replace_range(at..at + limit.len(), "");
                    signs.push_str(sign.trim_end_matches('：'));
                    *count += 1;
                }
            }
            made.push(format!("{sign}{line}"));
        }
        for ((limit, signs), count) in limits.iter().zip(&limited).zip(&lines_of) {
            if let Some(form) = limit.get(if *count == 1 { 1 } else { 2 }).filter(|_| *count > 0) {
                made.insert(front.unwrap_or(0), form.replace("{N}", signs));
            }
        }
        if let Some(form) = shared.get(1).filter(|_| !sharing.is_empty()) {
            made.insert(front.unwrap_or(0), form.replace("{N}", &sharing));
        }
        made
    }
}

/// Splits a line into its heads, each with the index of its ending in `heads`, and the rest.
fn split_heads<'t>(line: &'t str, heads: &[String]) -> (Vec<(&'t str, usize)>, &'t str) {
    let (mut found, mut rest) = (Vec::new(), line);
    loop {
        let next = heads
            .iter()
            .enumerate()
            .filter_map(|(number, head)| rest.find(head.as_str()).map(|at| (at, number, head.len())))
            .min()
            .filter(|(at, ..)| !rest[..*at].contains(['。', '\n']));
        let Some((at, number, length)) = next else { return (found, rest) };
        found.push((&rest[..at], number));
        rest = &rest[at + length..];
    }
}
