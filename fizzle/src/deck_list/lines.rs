//! Lists of lines: `4 NAME`, with headings, comments, and what programs add to names (set, number in the set, foil).

use super::{CardLine, DeckList, EntryKind, ListFormat, ListProblem, ListProblemKind, MAX_COPIES, MAX_NAME_CHARS};

/// Beginnings of lines that name a section for one card.
const SIDE_PREFIX: &str = "SB:";
/// Signs behind a number of copies.
const TIMES: [char; 4] = ['x', 'X', '×', '枚'];
/// The heading of what is not cards, in a list of Forge.
const METADATA: &str = "metadata";
/// The heading of the name of the deck, in a list of MTG Arena.
const ABOUT: &str = "about";
/// The most additions behind a name, such as set and foil.
const MAX_ADDITIONS: usize = 5;
/// The longest line with a card, in characters.
const MAX_LINE_CHARS: usize = 2 * MAX_NAME_CHARS;
/// Lines of XMage that are no cards.
const LAYOUT: &str = "LAYOUT ";

/// Whether a text names cards by passcodes: it is an address of a deck, or its first line with a card is a number of many digits.
pub fn has_passcodes(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let Some(first) = lines.next() else { return false };
    let is_passcode = |line: &str| line.len() >= 5 && line.bytes().all(|byte| byte.is_ascii_digit());
    first.starts_with("ydke:")
        || first.starts_with('#') && lines.find(|line| !line.starts_with(['#', '!'])).is_some_and(is_passcode)
        || is_passcode(first)
}

/// Reads a list of lines.
pub fn read(text: &str) -> Result<DeckList, ListProblem> {
    let mut list = DeckList::new(ListFormat::Lines);
    let (mut in_metadata, mut in_about) = (false, false);
    for (number, line) in text.lines().enumerate() {
        let (number, line) = (number + 1, line.trim());
        if line.is_empty() {
            in_about = false;
            list.add(number, EntryKind::Gap);
            continue;
        }
        if let Some(heading) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            in_metadata = heading.eq_ignore_ascii_case(METADATA);
            if !in_metadata {
                list.add_heading(number, heading);
            }
            continue;
        }
        if in_metadata {
            if let Some((_, name)) = line.split_once('=').filter(|(key, _)| key.trim().eq_ignore_ascii_case("name")) {
                list.set_name(number, name);
            }
        } else if let Some(name) = name_line(line).filter(|_| in_about || line.starts_with("NAME:")) {
            list.set_name(number, name);
        } else if line.eq_ignore_ascii_case(ABOUT) && list.entries.iter().all(|entry| entry.kind == EntryKind::Gap) {
            in_about = true;
        } else if let Some(comment) = line.strip_prefix("//").or_else(|| line.strip_prefix('#')) {
            list.add(number, EntryKind::Comment(comment.trim().to_owned()));
        } else if !line.starts_with(LAYOUT) {
            list.add_line(number, line);
        }
    }
    Ok(list)
}

/// The name in `Name Red burn` of Arena, or in `NAME:Red burn` of XMage.
fn name_line(line: &str) -> Option<&str> {
    let rest = line.get(..4).filter(|word| word.eq_ignore_ascii_case("name")).and_then(|_| line.get(4..))?;
    rest.starts_with([' ', ':', '\t']).then(|| rest.trim_start_matches(':'))
}

impl DeckList {
    /// Adds a heading, unless its name is refused.
    pub(super) fn add_heading(&mut self, number: usize, heading: &str) {
        match super::check_name(heading) {
            Ok(()) => self.add(number, EntryKind::Heading(heading.trim().to_owned())),
            Err(kind) => self.report(number, kind),
        }
    }

    /// Adds a line with a card, or a heading that ends with `:`.
    fn add_line(&mut self, number: usize, line: &str) {
        if line.chars().nth(MAX_LINE_CHARS).is_some() {
            return self.report(number, ListProblemKind::LongName);
        }
        let prefix = line.get(..SIDE_PREFIX.len()).filter(|start| start.eq_ignore_ascii_case(SIDE_PREFIX));
        let (section, line) = match prefix.and_then(|prefix| line.get(prefix.len()..)) {
            Some(rest) if !rest.trim().is_empty() => (Some("side".to_owned()), rest.trim()),
            _ => (None, line),
        };
        if let Some(heading) = line.strip_suffix(':').filter(|_| section.is_none()) {
            return self.add_heading(number, heading);
        }
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        if let Some(heading) = counted_heading(line).filter(|_| section.is_none() && digits == 0) {
            return self.add_heading(number, heading);
        }
        let (count, rest) = line.split_at(digits);
        let rest = rest.strip_prefix(TIMES).filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t'])).unwrap_or(rest);
        if digits == 0 {
            return self.add_bare_line(number, line, section);
        }
        match count.parse::<u32>() {
            Ok(copies @ 1..=MAX_COPIES) => {
                // The name can begin with digits.
                let whole = (1, line.to_owned());
                let readings = std::iter::once(whole).chain(names(rest).into_iter().map(|name| (copies, name))).collect();
                self.add_card(number, CardLine { readings, is_bare: false, section });
            }
            _ if rest.trim().is_empty() => self.report(number, ListProblemKind::NoName),
            _ => self.report(number, ListProblemKind::Copies(count.chars().take(12).collect())),
        }
    }

    /// Adds a line that begins with no number: a card with a number behind it, one copy of a card, or a heading.
    fn add_bare_line(&mut self, number: usize, line: &str, section: Option<String>) {
        let mut readings = vec![(1, line.to_owned())];
        let counted = count_behind(line);
        match counted {
            Some((name, count)) => readings.extend(names(name).into_iter().map(|name| (count, name))),
            // In `NAME (4)` the number can be that of copies, or that of the cards below a heading.
            None if without_number(line) != line => {}
            None => readings.extend(names(line).into_iter().skip(1).map(|name| (1, name))),
        }
        self.add_card(number, CardLine { readings, is_bare: counted.is_none(), section });
    }
}

/// The name and the number of copies of `NAME x4` and `NAME×4`.
fn count_behind(line: &str) -> Option<(&str, u32)> {
    let (name, count) = line.rsplit_once('×').or_else(|| line.rsplit_once(" x")).or_else(|| line.rsplit_once(" X"))?;
    let count = count.trim().parse().ok()?;
    (1..=MAX_COPIES).contains(&count).then_some((name.trim(), count))
}

/// The heading of `Main: 40`: a name, and the number of the cards below it.
fn counted_heading(line: &str) -> Option<&str> {
    let (heading, count) = line.rsplit_once(':')?;
    let count = count.trim();
    (!count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit())).then_some(heading)
}

/// A line without a number in brackets at its end: `Sideboard (15)`.
pub fn without_number(line: &str) -> &str {
    match line.strip_suffix(')').and_then(|line| line.rsplit_once('(')) {
        Some((before, number)) if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => before.trim_end(),
        _ => line,
    }
}

/// The name as written, then without what people and programs add to it: quotes, `(M21) 159`, `[Burn]`, `*F*`, `|M21|1`.
fn names(written: &str) -> Vec<String> {
    let written = written.trim();
    let mut names = vec![written.to_owned()];
    let quoted = [('"', '"'), ('《', '》')].into_iter().find_map(|(open, close)| written.strip_prefix(open)?.strip_suffix(close));
    let mut shorter = quoted.unwrap_or(written).split('|').next().unwrap_or(written).trim();
    // `[M21:159] NAME` of XMage.
    if let Some((_, name)) = shorter.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        shorter = name.trim();
    }
    for _ in 0..MAX_ADDITIONS {
        if !shorter.is_empty() && names.last().is_some_and(|last| last != shorter) {
            names.push(shorter.to_owned());
        }
        shorter = without_brackets(shorter).trim();
    }
    names
}

/// The name without its last addition.
fn without_brackets(name: &str) -> &str {
    for (open, close) in [("(", ")"), ("[", "]"), (" *", "*"), ("^", "^")] {
        if let Some((before, _)) = name.strip_suffix(close).and_then(|name| name.rsplit_once(open)) {
            return before;
        }
    }
    // The number in the set, behind the set: `(M21) 159a`.
    match name.rsplit_once(' ') {
        Some((before, number)) if before.ends_with(')') && number.bytes().any(|byte| byte.is_ascii_digit()) => before,
        _ => name,
    }
}
