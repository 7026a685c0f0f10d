//! The English grammar: articles, plurals, verb forms, possessives and pronouns.

mod inflection;
pub mod lines;
mod phrases;
pub(in crate::text) use phrases::shared_set;
pub(in crate::text) use values::can_event;
mod values;
mod verb_phrases;

pub use inflection::{
    article, capitalise, capitalise_sentences, join_alternatives, join_list, join_sentences, lower_first, merge_chapters,
    ordinal_word, past, plural, replace_by_they, replace_that_many,
};
pub(in crate::text) use inflection::{participle, split_verb};

/// The form that a phrase takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::text) enum NounForm {
    /// The form inside a sentence: a single thing without a number has an article.
    Usual,
    /// The plural, if no number is written.
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

/// The tens from twenty on.
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// A number below a hundred in words. `None` for larger numbers.
fn number_word(n: usize) -> Option<String> {
    if let Some(word) = NUMBERS.get(n) {
        return Some((*word).to_owned());
    }
    let tens = TENS.get((n / 10).checked_sub(2)?)?;
    Some(if n.is_multiple_of(10) { (*tens).to_owned() } else { format!("{tens}-{}", NUMBERS.get(n % 10)?) })
}
