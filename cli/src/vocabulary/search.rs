//! Search over words, recipes and cards: an entry is found if each word of the query occurs in one of its fields, in any inflection.

use std::collections::BTreeSet;

/// The most words of a query; further ones are ignored.
const MAX_QUERY_WORDS: usize = 16;

/// The words of a query, each once and without its ending.
#[derive(Debug)]
pub struct Query {
    words: Vec<String>,
}

/// A text of an entry, and how much an occurrence in it counts.
pub type Field<'a> = (&'a str, u32);

impl Query {
    /// Splits a query into its words.
    pub fn new(text: &str) -> Self {
        let words: BTreeSet<String> = stems(text).take(MAX_QUERY_WORDS).collect();
        Self { words: words.into_iter().collect() }
    }

    /// How well an entry fits: the sum of the best field for each word; `None` if a word occurs in no field.
    pub fn score(&self, fields: &[Field<'_>]) -> Option<u32> {
        let fields: Vec<(String, Vec<String>, u32)> =
            fields.iter().map(|(text, weight)| (text.to_lowercase(), stems(text).collect(), *weight)).collect();
        let best = |word: &String| {
            let has = |(text, stems, _): &&(String, Vec<String>, u32)| {
                stems.contains(word) || (!word.is_ascii() && text.contains(word.as_str()))
            };
            fields.iter().filter(has).map(|(.., weight)| *weight).max()
        };
        if self.words.is_empty() {
            return None;
        }
        self.words.iter().map(best).sum()
    }
}

/// The words of a text in lower case, without their endings.
fn stems(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '\'');
    words.filter(|word| !word.is_empty()).map(|word| stem(&word.to_lowercase()).to_owned())
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

/// The best `most` entries by score; entries of one score keep their order.
pub fn best<T>(
    query: &Query,
    entries: impl Iterator<Item = T>,
    most: usize,
    fields: impl Fn(&T) -> Vec<(String, u32)>,
) -> Vec<T> {
    let mut found: Vec<(u32, T)> = entries
        .filter_map(|entry| {
            let own = fields(&entry);
            let fields: Vec<Field<'_>> = own.iter().map(|(text, weight)| (text.as_str(), *weight)).collect();
            query.score(&fields).map(|score| (score, entry))
        })
        .collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.truncate(most);
    found.into_iter().map(|(_, entry)| entry).collect()
}

#[cfg(test)]
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
