//! Search over words, recipes and cards: an entry is found if each word of the query occurs in one of its fields, in any inflection.

use std::collections::BTreeSet;

/// The most words of a query; further ones are ignored.
const MAX_QUERY_WORDS: usize = 16;

/// Words that are left out of a query with others: they occur in every text.
const COMMON_WORDS: &[&str] = &[
    "a", "an", "and", "card", "cards", "for", "from", "in", "into", "it", "of", "on", "or", "that", "the", "this", "to", "with",
    "you", "your",
];

/// The words of a query, each once and without its ending.
#[derive(Clone, Debug)]
pub struct Query {
    words: Vec<String>,
    /// How many of the words an entry must have.
    least: usize,
}

/// A text of an entry, and how much an occurrence in it counts.
pub type Field<'a> = (&'a str, u32);

impl Query {
    /// Splits a query into its words.
    pub fn new(text: &str) -> Self {
        let all: BTreeSet<String> = stems(text).take(MAX_QUERY_WORDS).collect();
        let common: BTreeSet<String> = COMMON_WORDS.iter().map(|word| stem(word).to_owned()).collect();
        let telling: Vec<String> = all.difference(&common).cloned().collect();
        let words = if telling.is_empty() { all.into_iter().collect() } else { telling };
        Self { least: words.len(), words }
    }

    /// A query that most of the words satisfy; `None` if there are too few words.
    pub fn loosened(&self) -> Option<Self> {
        let least = self.words.len().div_ceil(2);
        (self.words.len() > 2).then(|| Self { least, ..self.clone() })
    }

    /// The query with a synonym in the place of its words; `None` if the query does not contain the word. `N` in the word stands for any
    /// number.
    pub fn with_synonym(&self, word: &str, here: &str) -> Option<Self> {
        let (numbers, mut replaced): (Vec<String>, Vec<String>) = stems(word).partition(|part| part == "n");
        let is_number = |part: &&String| part.bytes().all(|byte| byte.is_ascii_digit());
        replaced.extend(self.words.iter().filter(|part| !numbers.is_empty() && is_number(part)).cloned());
        if !replaced.iter().all(|word| self.words.contains(word)) {
            return None;
        }
        let kept = self.words.iter().filter(|word| !replaced.contains(word)).cloned();
        let words: BTreeSet<String> = kept.chain(stems(here)).collect();
        Some(Self { least: words.len(), words: words.into_iter().collect() })
    }

    /// How well an entry fits: the sum of the best field for each word; `None` if too many words occur in no field.
    pub fn score(&self, fields: &[Field<'_>]) -> Option<u32> {
        let mut best: Vec<Option<u32>> = vec![None; self.words.len()];
        for (text, weight) in fields {
            let text = text.to_lowercase();
            for (word, best) in self.words.iter().zip(&mut best).filter(|(word, _)| !word.is_ascii()) {
                if text.contains(word.as_str()) {
                    *best = (*best).max(Some(*weight));
                }
            }
            for stem in split_words(&text).map(stem) {
                for (_, best) in self.words.iter().zip(&mut best).filter(|(word, _)| *word == stem) {
                    *best = (*best).max(Some(*weight));
                }
            }
        }
        let found: Vec<u32> = best.into_iter().flatten().collect();
        (!found.is_empty() && found.len() >= self.least).then(|| found.iter().sum())
    }
}

/// The words of a text in lower case, without their endings.
fn stems(text: &str) -> impl Iterator<Item = String> {
    split_words(text).map(|word| stem(&word.to_lowercase()).to_owned())
}

/// The words of a text.
fn split_words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
    words.filter(|word| !word.is_empty())
}

/// Endings that do not distinguish words, longer ones first. They are removed until none is left: `reductions`, `reduction`, `reduc`.
const ENDINGS: &[&str] = &["ations", "ation", "tions", "tion", "ings", "ing", "ies", "ied", "es", "ed", "s", "e", "y"];

/// The fewest letters that a word keeps.
const MIN_STEM: usize = 3;

fn stem(word: &str) -> &str {
    let shortened = |word: &str| {
        ENDINGS.iter().find_map(|ending| Some(word.strip_suffix(ending)?.len()).filter(|length| *length >= MIN_STEM))
    };
    let mut stem = word;
    while let Some(length) = shortened(stem) {
        stem = stem.get(..length).unwrap_or(stem);
    }
    // `stopped` and `stop`
    match stem.as_bytes() {
        [rest @ .., last, end] if last == end && rest.len() >= MIN_STEM - 1 && stem.len() < word.len() => {
            stem.get(..stem.len() - 1).unwrap_or(stem)
        }
        _ => stem,
    }
}

/// The best `most` entries by their score for one of the queries; entries of one score keep their order.
pub fn best<T>(
    queries: &[&Query],
    entries: impl Iterator<Item = T>,
    most: usize,
    fields: impl Fn(&T) -> Vec<(String, u32)>,
) -> Vec<T> {
    let mut found: Vec<(u32, T)> = entries
        .filter_map(|entry| {
            let own = fields(&entry);
            let fields: Vec<Field<'_>> = own.iter().map(|(text, weight)| (text.as_str(), *weight)).collect();
            queries.iter().filter_map(|query| query.score(&fields)).max().map(|score| (score, entry))
        })
        .collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.truncate(most);
    found.into_iter().map(|(_, entry)| entry).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::Query;

    #[test]
    fn words_are_found_in_any_inflection() {
        let query = Query::new("cost reduction");
        assert_eq!(query.score(&[("Spells cost less", 1)]), None);
        assert_eq!(query.score(&[("it reduces costs", 1)]), Some(2));
        assert_eq!(query.score(&[("cost", 5), ("reduced", 1)]), Some(6));
        assert_eq!(Query::new("  ").score(&[("", 1)]), None);
    }

    #[test]
    fn long_phrases_are_found_by_most_of_their_words() {
        let query = Query::new("search your library for a basic land");
        assert_eq!(query.score(&[("a basic land from the library", 1)]), None);
        assert_eq!(query.loosened().unwrap().score(&[("a basic land from the library", 1)]), Some(3));
        assert_eq!(query.loosened().unwrap().score(&[("a land", 1)]), None);
        assert!(Query::new("basic land").loosened().is_none());
    }

    #[test]
    fn synonyms_take_the_place_of_their_words() {
        let query = Query::new("cheap board wipe").with_synonym("board wipe", "destroy").unwrap();
        assert_eq!(query.score(&[("destroys all, cheap", 1)]), Some(2));
        assert!(Query::new("board").with_synonym("board wipe", "destroy").is_none());
        let query = Query::new("a +1/+1 counter").with_synonym("+N/+N counter", "grow").unwrap();
        assert_eq!(query.score(&[("grow", 1)]), Some(1));
    }

    #[test]
    fn inflected_forms_have_one_stem() {
        for forms in [
            &["destroy", "destroys", "destroyed", "destroying"][..],
            &["counter", "countered", "counters"],
            &["trigger", "triggered", "triggers"],
            &["copy", "copies", "copied"],
            &["tap", "taps", "tapped", "tapping"],
            &["reduce", "reduced", "reduction", "reductions"],
        ] {
            let first = super::stem(forms[0]);
            assert!(forms.iter().all(|form| super::stem(form) == first), "{forms:?}");
        }
        for (one, other) in [("count", "counter"), ("play", "player"), ("card", "care")] {
            assert_ne!(super::stem(one), super::stem(other));
        }
    }

    #[test]
    fn names_with_underscores_are_several_words() {
        assert_eq!(Query::new("trigger").score(&[("shield_trigger", 3)]), Some(3));
        assert_eq!(Query::new("rig").score(&[("trigger", 3)]), None);
    }

    #[test]
    fn words_of_languages_without_spaces_are_found_inside_of_text() {
        assert_eq!(Query::new("破壊").score(&[("相手のクリーチャーを破壊する", 2)]), Some(2));
    }
}
