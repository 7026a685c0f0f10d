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
    let mut input = seed.to_vec();
    let rounds = 1 + chance.below(if kind == InputKind::ChecksummedBytes { 4 } else { 8 });
    for _ in 0..rounds {
        let other = chance.pick(others).map_or(&[][..], Vec::as_slice);
        match kind {
            InputKind::Text => change_text(&mut input, other, dictionary, chance),
            InputKind::Bytes | InputKind::ChecksummedBytes => change_bytes(&mut input, other, chance),
        }
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

/// The ends of the words of a text: runs of letters and digits, runs of spaces, and single other characters.
fn word_ends(text: &str) -> Vec<usize> {
    let class = |c: char| if c.is_alphanumeric() || c == '_' { 1 } else { 2 + u8::from(c.is_whitespace()) };
    let mut ends = Vec::new();
    let mut before = None;
    for (at, c) in text.char_indices() {
        if before.is_some_and(|before| before != class(c) || before == 2) {
            ends.push(at);
        }
        before = Some(class(c));
    }
    ends.push(text.len());
    ends
}

/// A range of at most `most` words.
fn words(text: &str, most: usize, chance: &mut Chance) -> std::ops::Range<usize> {
    let ends = word_ends(text);
    let from = chance.below(ends.len());
    let to = (from + 1 + chance.below(most)).min(ends.len()) - 1;
    let start = from.checked_sub(1).map_or(0, |before| ends[before]);
    start..ends[to]
}

fn change_text(input: &mut Vec<u8>, other: &[u8], dictionary: &[String], chance: &mut Chance) {
    let mut text = String::from_utf8_lossy(input).into_owned();
    let other = String::from_utf8_lossy(other);
    let one = words(&text, 1, chance);
    match chance.below(16) {
        0..=3 => text.replace_range(one, chance.pick(dictionary).map_or("", String::as_str)),
        4 | 5 => {
            let word = chance.pick(dictionary).map_or("", String::as_str);
            text.insert_str(one.start, &format!(" {word} "));
        }
        6 => text.replace_range(one, NUMBERS[chance.below(NUMBERS.len())]),
        7 | 8 => {
            let copy = text[words(&text, 12, chance)].to_owned();
            text.insert_str(one.start, &copy);
        }
        9 => text.replace_range(words(&text, 8, chance), ""),
        10 | 11 => {
            let part = &other[words(&other, 40, chance)];
            text.insert_str(one.start, part);
        }
        12 => {
            let part = &other[words(&other, 6, chance)];
            text.replace_range(one, part);
        }
        13 => {
            let inner = words(&text, 8, chance);
            let (open, close) =
                [("(", ")"), ("{ ", " }"), ("[", "]"), ("\"", "\""), ("not (", ")"), ("if ", " { }")][chance.below(6)];
            let depth = [1, 1, 2, 40, 400][chance.below(5)];
            let wrapped = format!("{}{}{}", open.repeat(depth), &text[inner.clone()], close.repeat(depth));
            text.replace_range(inner, &wrapped);
        }
        14 => {
            let part = format!("{} ", &text[words(&text, 10, chance)]);
            let times = [2, 3, 10, 100][chance.below(4)];
            text.insert_str(one.start, &part.repeat(times));
        }
        _ => {
            let c = ['\u{0}', '\u{1b}', '\u{202e}', '\u{feff}', '"', '{', '}', '\n', '\r', '火', '\u{301}', '\u{9b}']
                [chance.below(12)];
            text.insert(one.start, c);
        }
    }
    *input = text.into_bytes();
}
