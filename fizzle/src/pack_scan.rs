//! Scans the tokens of a source file for packs and formats: which it declares, and which it needs. No full parse is needed to find the
//! shipped packs that must be compiled with it.

use fizzle_grammar::lexer::{Token, TokenKind};
use std::collections::BTreeSet;

/// The packs and formats that a file declares or needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackReferences {
    /// Packs declared here.
    pub packs: BTreeSet<String>,
    /// Formats declared here.
    pub formats: BTreeSet<String>,
    /// Packs or formats referred to here.
    pub needs: BTreeSet<String>,
    /// Paths of packs that are used here (`uses "../other"`), as they are written.
    pub paths: BTreeSet<String>,
}

impl PackReferences {
    /// Adds the references of another file.
    pub fn add(&mut self, other: Self) {
        self.packs.extend(other.packs);
        self.formats.extend(other.formats);
        self.needs.extend(other.needs);
        self.paths.extend(other.paths);
    }

    /// Reads what a pack uses: names and quoted paths, separated by commas.
    fn read_used(&mut self, tokens: &[&Token], text: &str, mut at: usize) {
        while let Some(token) = tokens.get(at) {
            match token.kind {
                TokenKind::Word => self.needs.insert(token.text(text).to_owned()),
                TokenKind::Quoted => self.paths.insert(token.text(text).trim_matches(['"', '《', '》']).to_owned()),
                _ => break,
            };
            if tokens.get(at + 1).is_none_or(|token| token.kind != TokenKind::Comma) {
                break;
            }
            at += 2;
        }
    }

    /// Whether a pack or format of this name is declared here.
    pub fn declares(&self, name: &str) -> bool {
        self.packs.contains(name) || self.formats.contains(name)
    }
}

/// Whether a line may begin an item that names packs or formats. A cheap test: most files have none, and are not split into tokens.
fn may_begin_relevant_item(line: &str) -> bool {
    let line = line.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\u{3000}', '\u{a0}']);
    ["pack", "format", "deck", "scenario"].iter().any(|word| line.starts_with(word))
}

/// Scans the text of a file.
pub fn scan(text: &str) -> PackReferences {
    if !text.lines().any(may_begin_relevant_item) {
        return PackReferences::default();
    }
    let split = fizzle_grammar::split(0, text);
    let mut references = PackReferences::default();
    for item in &split.items {
        let tokens: Vec<&Token> =
            split.tokens.get(item.tokens.clone()).unwrap_or(&[]).iter().filter(|t| is_significant(t)).collect();
        let word = |at: usize| tokens.get(at).filter(|t| t.kind == TokenKind::Word).map(|t| t.text(text));
        let named = |at: usize| word(at).map(str::to_owned);
        match word(0) {
            Some("pack") => {
                references.packs.extend(named(1));
                for at in 2..tokens.len() {
                    match word(at) {
                        Some("extends") => references.needs.extend(named(at + 1)),
                        Some("uses") => references.read_used(&tokens, text, at + 1),
                        _ => {}
                    }
                }
            }
            Some("format") => {
                references.formats.extend(named(1));
                for at in 2..tokens.len() {
                    if matches!(word(at), Some("extends")) || (word(at) == Some("like") && word(at - 1) == Some("announce")) {
                        references.needs.extend(named(at + 1));
                    }
                }
            }
            Some("deck" | "scenario") => {
                let at = (1..tokens.len()).find(|at| word(*at) == Some("format"));
                references.needs.extend(at.and_then(|at| named(at + 1)));
            }
            _ => {}
        }
    }
    references
}

fn is_significant(token: &Token) -> bool {
    !matches!(token.kind, TokenKind::Blank | TokenKind::Newline | TokenKind::Comment | TokenKind::Doc)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn scan_finds_packs_formats_and_needs() {
        let text = "pack mine { edition 1; extends base; uses other, \"../far\", third }\n\
                    // format not_this extends nor_this\n\
                    format quick \"Quick\" extends mine {\n  announce like slow\n}\n\
                    deck \"D\" { format quick  main { 4 \"A\" } }\n\
                    scenario \"S\" { format base\n}\n";
        let mentions = scan(text);
        assert_eq!(mentions.packs, set(&["mine"]));
        assert_eq!(mentions.formats, set(&["quick"]));
        assert_eq!(mentions.needs, set(&["base", "mine", "other", "quick", "slow", "third"]));
        assert_eq!(mentions.paths, set(&["../far"]));
        assert!(mentions.declares("quick") && !mentions.declares("slow"));
    }
}
