//! Verifies the rules texts of an artifact: each belongs to one existing card, has a limited size, and contains no hidden
//! characters.

use super::names::visible;
use super::{Verifier, VerifyError};
use crate::{CardText, Prompt, Texts};
use std::collections::BTreeSet;

/// The maximum number of languages of a game.
const MAX_LANGUAGES: usize = 64;
/// The maximum length of a language code, in bytes.
const MAX_CODE: usize = 35;
/// The maximum length of a name, in bytes.
const MAX_NAME: usize = 1 << 12;
/// The maximum number of names of declarations.
const MAX_NAMES: usize = 1 << 17;
/// The maximum number of lines of a card.
const MAX_LINES: usize = 1 << 10;
/// The maximum length of a line, in bytes.
const MAX_LINE: usize = 1 << 16;

impl Verifier<'_> {
    pub(super) fn texts(&self) -> Result<(), VerifyError> {
        let own = self.game.texts.iter().filter(|texts| texts.format.is_empty()).count();
        self.at_most("languages of texts", own, MAX_LANGUAGES)?;
        let most = MAX_LANGUAGES.saturating_mul(self.game.formats.len() + 1);
        self.at_most("texts of formats", self.game.texts.len(), most)?;
        let mut languages = BTreeSet::new();
        for texts in &self.game.texts {
            let code = texts.language.as_str();
            let is_code =
                !code.is_empty() && code.len() <= MAX_CODE && code.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
            if !is_code {
                return Err(VerifyError::new("texts", "a language has no code of letters, digits and `-`"));
            }
            let format = texts.format.as_str();
            if !format.is_empty() && self.game.formats.iter().all(|known| known.name != format) {
                return Err(VerifyError::new("texts", format!("there is no format `{format}`")));
            }
            if !languages.insert((code, format)) {
                return Err(VerifyError::new("texts", format!("the language `{code}` comes twice")));
            }
            self.language(texts).map_err(|e| e.within(&format!("texts `{code}`")))?;
        }
        Ok(())
    }

    fn language(&self, texts: &Texts) -> Result<(), VerifyError> {
        let mut cards = BTreeSet::new();
        for text in &texts.cards {
            self.index("card", text.card as usize, self.library.definitions.len())?;
            if !cards.insert(text.card) {
                return Err(VerifyError::new(&format!("card {}", text.card), "it has two texts"));
            }
            self.card_text(text).map_err(|e| e.within(&format!("card {}", text.card)))?;
        }
        let mut sites = BTreeSet::new();
        for prompt in &texts.prompts {
            self.index("choice", prompt.site as usize, self.library.sites.len())?;
            if !sites.insert(prompt.site) {
                return Err(VerifyError::new(&format!("choice {}", prompt.site), "it has two texts"));
            }
            self.prompt(prompt).map_err(|e| e.within(&format!("choice {}", prompt.site)))?;
        }
        let mut rules = BTreeSet::new();
        for (rule, text) in &texts.rules {
            let known = self.game.formats.iter().flat_map(|format| &format.state_rules).any(|known| known.name == *rule);
            if !known || !rules.insert(rule) {
                return Err(VerifyError::new("texts", "a text is of no state rule, or is a second one"));
            }
            self.at_most("bytes of a line", text.len(), MAX_LINE)?;
            visible("line", text)?;
        }
        self.at_most("names", texts.names.len(), MAX_NAMES)?;
        let mut named = BTreeSet::new();
        for (declared, name) in &texts.names {
            if !named.insert(declared) {
                return Err(VerifyError::new("texts", "a declaration has two names"));
            }
            for text in [declared, name] {
                self.at_most("bytes of a name", text.len(), MAX_NAME)?;
                visible("name", text)?;
            }
        }
        Ok(())
    }

    fn prompt(&self, prompt: &Prompt) -> Result<(), VerifyError> {
        let site = self.library.sites.get(prompt.site as usize);
        let modes = site.and_then(|site| site.modes).map_or(0, |(modes, _)| usize::from(modes));
        self.at_most("modes", prompt.modes.len(), modes)?;
        for line in prompt.modes.iter().chain([&prompt.text]) {
            self.at_most("bytes of a line", line.len(), MAX_LINE)?;
            visible("line", line)?;
        }
        Ok(())
    }

    fn card_text(&self, text: &CardText) -> Result<(), VerifyError> {
        self.at_most("bytes of the name", text.name.len(), MAX_NAME)?;
        self.at_most("lines", text.lines.len(), MAX_LINES)?;
        // Control characters could be terminal commands. Line breaks separate the modes of a line.
        visible("name", &text.name)?;
        for line in &text.lines {
            self.at_most("bytes of a line", line.len(), MAX_LINE)?;
            line.split('\n').try_for_each(|line| visible("line", line))?;
        }
        self.at_most("texts of abilities", text.abilities.len(), MAX_LINES)?;
        for ability in &text.abilities {
            self.at_most("bytes of the text of an ability", ability.text.len(), MAX_LINE)?;
            ability.text.split('\n').try_for_each(|line| visible("text of an ability", line))?;
        }
        Ok(())
    }
}
