//! English: articles, plurals, persons, possessives, pronouns.

mod inflection;
pub mod lines;
mod phrases;
mod values;
mod verbs;

pub use inflection::{again_they, article, as_number, capital, chapters, chosen, joined, plural, sentences};

/// What is wanted of a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::text) enum NounForm {
    /// As it stands in a sentence; one thing without a number has an article.
    Usual,
    /// Several things where no number is given.
    Plural,
    /// Without an article.
    Bare,
}

const NUMBERS: [&str; 21] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

/// From twenty on.
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// A number below a hundred in words.
fn number_word(n: usize) -> Option<String> {
    if let Some(word) = NUMBERS.get(n) {
        return Some((*word).to_owned());
    }
    let tens = TENS.get((n / 10).checked_sub(2)?)?;
    Some(if n.is_multiple_of(10) { (*tens).to_owned() } else { format!("{tens}-{}", NUMBERS.get(n % 10)?) })
}
