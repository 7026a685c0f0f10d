//! The cards of a game by their names, as people write them: case, kinds of quotes, dashes and blanks do not matter.

use super::ListProblemKind;
use fizzle_compiler::diagnostics::closest;
use fizzle_runtime::ir::{CompiledGame, DefId};
use std::collections::BTreeMap;

/// What separates the names of faces.
const FACES: &str = " // ";

/// The cards that decks can have.
pub struct CardNames<'a> {
    /// By name. A card and its errata have one name; the card comes first.
    exact: BTreeMap<&'a str, DefId>,
    /// The names with an equal [`folded`] form.
    folded: BTreeMap<String, Vec<&'a str>>,
    /// The names with a pack before them (`red.Ember`), by the form of the rest: several packs have a card of this name.
    qualified: BTreeMap<String, Vec<&'a str>>,
}

impl<'a> CardNames<'a> {
    /// The cards of a game. A card with several faces can also be written with all of them: `FRONT // BACK`.
    pub fn new(game: &'a CompiledGame) -> Self {
        let definitions = &game.library.definitions;
        let mut names = Self { exact: BTreeMap::new(), folded: BTreeMap::new(), qualified: BTreeMap::new() };
        for (number, card) in definitions.numbered().skip(1) {
            if card.part || card.token || card.name.is_empty() || names.exact.contains_key(card.name.as_str()) {
                continue;
            }
            names.exact.insert(&card.name, DefId(number as u32));
            names.add(folded(&card.name), &card.name);
            if let Some((_, plain)) = card.name.split_once('.').filter(|(_, plain)| !plain.starts_with([' ', '.'])) {
                names.qualified.entry(folded(plain)).or_default().push(&card.name);
            }
            let faces = card.faces.iter().filter_map(|face| definitions.get(face.index())).map(|face| face.name.as_str());
            let all: Vec<&str> = std::iter::once(card.name.as_str()).chain(faces.filter(|face| *face != card.name)).collect();
            if all.len() > 1 {
                names.add(folded(&all.join(FACES)), &card.name);
            }
        }
        names
    }

    fn add(&mut self, key: String, name: &'a str) {
        let names = self.folded.entry(key).or_default();
        if !names.contains(&name) {
            names.push(name);
        }
    }

    /// The card of a name; `None` if there is none.
    ///
    /// # Errors
    /// Several cards have names that are like it, and none has exactly this one.
    pub fn find(&self, name: &str) -> Result<Option<(&'a str, DefId)>, ListProblemKind> {
        if let Some((name, card)) = self.exact.get_key_value(name) {
            return Ok(Some((name, *card)));
        }
        let written_otherwise = || self.folded.get(&folded(&with_faces(name)?));
        let found = self.folded.get(&folded(name)).or_else(written_otherwise).or_else(|| self.qualified.get(&folded(name)));
        match found.map(Vec::as_slice) {
            None | Some([]) => Ok(None),
            Some([only]) => Ok(self.exact.get(only).map(|card| (*only, *card))),
            Some(several) => {
                let names = several.iter().map(ToString::to_string).collect();
                Err(ListProblemKind::AmbiguousCard { name: name.to_owned(), names })
            }
        }
    }

    /// The only name that begins with another one, else the name that is most like it.
    pub fn closest(&self, name: &str) -> Option<String> {
        let longer = self.only_longer(name).or_else(|| closest(name, self.exact.keys().copied()));
        longer.map(str::to_owned)
    }

    /// The only name that continues another one behind a whole word: `Oko, Thief of Crowns` for `Oko`.
    fn only_longer(&self, name: &str) -> Option<&'a str> {
        let begin = folded(name);
        let continues = |known: &str| {
            let rest = known.strip_prefix(begin.as_str()).unwrap_or("");
            rest.starts_with(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | 'ー'))
        };
        let names = self.folded.range(begin.clone()..).take_while(|(known, _)| known.starts_with(&begin));
        let mut longer = names.filter(|(known, _)| !begin.is_empty() && continues(known)).flat_map(|(_, names)| names);
        let first = longer.next().copied()?;
        longer.all(|other| *other == first).then_some(first)
    }
}

/// The name with the usual separator of faces: `Fire/Ice`, `Fire /// Ice`. `None` if it names one face.
fn with_faces(name: &str) -> Option<String> {
    let faces: Vec<&str> = name.split('/').map(str::trim).filter(|face| !face.is_empty()).collect();
    (faces.len() > 1).then(|| faces.join(FACES))
}

/// The full-width forms of the half-width Japanese characters from U+FF61 to U+FF9D, in their order.
const FULL_WIDTH: &str =
    "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン";

/// The kana with the mark of voiced or half-voiced kana that follows it, as in half-width and in decomposed texts.
fn voiced(kana: char, mark: char) -> Option<char> {
    let code = u32::from(kana);
    match (kana, mark) {
        ('ウ', '\u{ff9e}' | '\u{3099}') => Some('ヴ'),
        ('カ'..='ト' | 'ハ'..='ホ' | 'か'..='と' | 'は'..='ほ', '\u{ff9e}' | '\u{3099}') => char::from_u32(code + 1),
        ('ハ'..='ホ' | 'は'..='ほ', '\u{ff9f}' | '\u{309a}') => char::from_u32(code + 2),
        _ => None,
    }
}

/// A form that is equal for names that people do not distinguish.
fn folded(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for character in name.chars() {
        if let Some(kana) = folded.chars().next_back().and_then(|kana| voiced(kana, character)) {
            folded.pop();
            folded.push(kana);
            continue;
        }
        let plain = match character {
            '\u{2018}' | '\u{2019}' | '\u{2bc}' | '\u{2032}' | '`' | '\u{b4}' => '\'',
            '\u{201c}' | '\u{201d}' | '\u{201e}' | '\u{2033}' => '"',
            '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
            // The full-width forms of ASCII.
            '\u{ff01}'..='\u{ff5e}' => char::from_u32(character as u32 - 0xfee0).unwrap_or(character),
            '\u{ff61}'..='\u{ff9d}' => FULL_WIDTH.chars().nth((u32::from(character) - 0xff61) as usize).unwrap_or(character),
            other => other,
        };
        match plain {
            blank if blank.is_whitespace() => {
                if !folded.is_empty() && !folded.ends_with(' ') {
                    folded.push(' ');
                }
            }
            'Æ' | 'æ' => folded.push_str("ae"),
            other => folded.extend(other.to_lowercase()),
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn half_width_and_decomposed_kana_are_those_of_names() {
        for (written, name) in [
            ("ﾌｪｱﾘｰ･ﾗｲﾌ", "フェアリー・ライフ"),
            ("ﾎﾞﾙｼｬｯｸ･ﾄﾞﾗｺﾞﾝ", "ボルシャック・ドラゴン"),
            ("ﾊﾟﾝﾀﾞ ｳﾞｧﾝ", "パンダ ヴァン"),
            ("\u{30db}\u{3099}\u{30eb}", "ボル"),
            ("２ Ｂｅａｒ", "2 bear"),
        ] {
            assert_eq!(folded(written), folded(name), "{written}");
        }
        assert_ne!(folded("ハル"), folded("バル"));
    }
}
