//! Makes inputs from seeds: the same seeds, seed number and input number give the same bytes.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// The largest input, in bytes.
pub const MAX_INPUT: usize = 64 << 10;

/// Numbers at the bounds of what programs count with.
const NUMBERS: [&str; 12] =
    ["0", "1", "2", "255", "256", "4095", "4096", "65536", "2147483647", "2147483648", "4294967295", "99999999999999999999"];

/// A source of choices. It is seeded with the number of the input, so each input can be made again alone.
#[derive(Debug)]
pub struct Chance(Pcg64Mcg);

impl Chance {
    /// The choices of input `number` of a run with `seed`.
    #[must_use]
    pub fn new(seed: u64, number: u64) -> Self {
        let mixed = xxhash_rust::xxh3::xxh3_64_with_seed(&number.to_le_bytes(), seed);
        Self(Pcg64Mcg::seed_from_u64(mixed))
    }

    /// A number below `bound`; 0 if `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.0.next_u64() % bound as u64) as usize }
    }

    /// An element; `None` of an empty slice.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }

    /// A range within `0..length` of at most `most` elements.
    fn range(&mut self, length: usize, most: usize) -> std::ops::Range<usize> {
        let start = self.below(length);
        start..start + self.below((length - start).min(most) + 1)
    }
}

/// What a target reads, which decides how its inputs are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// Sources or other text: changed by words.
    Text,
    /// Bytes without a checksum.
    Bytes,
    /// Bytes whose checksums the target sets right, so that the data behind them is read: changed only a little.
    ChecksummedBytes,
}

/// Changes a seed. `others` are spliced in; `dictionary` holds words of the language.
#[must_use]
pub fn mutate(kind: InputKind, seed: &[u8], others: &[Vec<u8>], dictionary: &[String], chance: &mut Chance) -> Vec<u8> {
    // Every second input has one change, every fourth two: with many changes most inputs are refused by the first check.
    let most = if kind == InputKind::ChecksummedBytes { 4 } else { 8 };
    let rounds = (1..most).take_while(|_| chance.below(2) == 0).count() + 1;
    let pick = |chance: &mut Chance| -> &[u8] { chance.pick(others).map_or(&[], Vec::as_slice) };
    if kind == InputKind::Text {
        let mut text = String::from_utf8_lossy(seed).into_owned();
        for _ in 0..rounds {
            let other = pick(chance);
            change_text(&mut text, other, dictionary, chance);
            text.truncate(floor_char(&text, MAX_INPUT));
        }
        return text.into_bytes();
    }
    let mut input = seed.to_vec();
    for _ in 0..rounds {
        let other = pick(chance);
        change_bytes(&mut input, other, chance);
        input.truncate(MAX_INPUT);
    }
    input
}

fn change_bytes(input: &mut Vec<u8>, other: &[u8], chance: &mut Chance) {
    let at = chance.below(input.len());
    match chance.below(12) {
        0..=3 => {
            if let Some(byte) = input.get_mut(at) {
                *byte ^= 1 << chance.below(8);
            }
        }
        4..=6 => {
            let value = [0, 1, 2, 0x7f, 0x80, 0xff][chance.below(6)];
            if let Some(byte) = input.get_mut(at) {
                *byte = value;
            }
        }
        7 => {
            let word = [0u32, 1, 63, 4095, 1 << 20, 1 << 31, u32::MAX][chance.below(7)];
            if let Some(bytes) = input.get_mut(at..at + 4) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
        }
        8 => {
            if let Some(byte) = input.get_mut(at) {
                *byte = byte.wrapping_add(if chance.below(2) == 0 { 1 } else { 255 });
            }
        }
        9 => {
            let range = chance.range(input.len(), 64);
            input.drain(range);
        }
        10 => {
            let range = chance.range(input.len(), 64);
            let copy = input[range].to_vec();
            input.splice(at..at, copy);
        }
        _ => {
            let range = chance.range(other.len(), 256);
            input.splice(at..at, other[range].iter().copied());
        }
    }
}

/// The last boundary of a character that is not after a byte.
fn floor_char(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Characters of one class are one word, except for [`SINGLE`]: runs of letters and digits, runs of spaces, and single other characters.
fn class(c: char) -> u8 {
    if c.is_alphanumeric() || c == '_' { 1 } else { SINGLE + u8::from(c.is_whitespace()) }
}

/// The class of the characters that are words alone.
const SINGLE: u8 = 2;

/// A range of at most `most` words, which begins with the word at some byte. Only its words are read, not the whole text.
fn words(text: &str, most: usize, chance: &mut Chance) -> std::ops::Range<usize> {
    let at = floor_char(text, chance.below(text.len()));
    let Some(first) = text[at..].chars().next().map(class) else { return 0..0 };
    let mut start = at;
    if first != SINGLE {
        let before = text[..at].char_indices().rev().take_while(|(_, c)| class(*c) == first);
        start = before.last().map_or(at, |(index, _)| index);
    }
    let mut count = 1 + chance.below(most);
    let mut last = first;
    let end = text[start..].char_indices().skip(1).find(|(_, c)| {
        let class = class(*c);
        count -= usize::from(class != last || last == SINGLE);
        last = class;
        count == 0
    });
    start..end.map_or(text.len(), |(index, _)| start + index)
}

fn change_text(text: &mut String, other: &[u8], dictionary: &[String], chance: &mut Chance) {
    let part_of_other = |most: usize, chance: &mut Chance| -> &str {
        let other = std::str::from_utf8(other).unwrap_or("");
        &other[words(other, most, chance)]
    };
    let one = words(text, 1, chance);
    match chance.below(16) {
        0 | 1 => text.replace_range(one, chance.pick(dictionary).map_or("", String::as_str)),
        2 | 3 => text.replace_range(one, part_of_other(1, chance)),
        4 | 5 => {
            let word = chance.pick(dictionary).map_or("", String::as_str);
            text.insert_str(one.start, &format!(" {word} "));
        }
        6 => text.replace_range(one, NUMBERS[chance.below(NUMBERS.len())]),
        7 | 8 => {
            let copy = text[words(text, 12, chance)].to_owned();
            text.insert_str(one.start, &copy);
        }
        9 => text.replace_range(words(text, 8, chance), ""),
        10 | 11 => {
            text.insert_str(one.start, part_of_other(40, chance));
        }
        12 => {
            text.replace_range(one, part_of_other(6, chance));
        }
        13 => {
            let inner = words(text, 8, chance);
            let (open, close) =
                [("(", ")"), ("{ ", " }"), ("[", "]"), ("\"", "\""), ("not (", ")"), ("if ", " { }")][chance.below(6)];
            let depth = [1, 1, 2, 40, 400][chance.below(5)];
            let wrapped = format!("{}{}{}", open.repeat(depth), &text[inner.clone()], close.repeat(depth));
            text.replace_range(inner, &wrapped);
        }
        14 => {
            let part = format!("{} ", &text[words(text, 10, chance)]);
            let times = [2, 3, 10, 100][chance.below(4)];
            text.insert_str(one.start, &part.repeat(times));
        }
        _ => {
            let c = ['\u{0}', '\u{1b}', '\u{202e}', '\u{feff}', '"', '{', '}', '\n', '\r', '火', '\u{301}', '\u{9b}']
                [chance.below(12)];
            text.insert(one.start, c);
        }
    }
}
