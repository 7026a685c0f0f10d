//! The recipes of the cookbook, for the search: the pages of the book are part of the program.

/// A page of the cookbook: the format, its file in the book, its text.
const PAGES: &[(&str, &str, &str)] = &[
    ("magic", "docs/cookbook/magic.md", include_str!("../../../docs/cookbook/magic.md")),
    ("yugioh", "docs/cookbook/yugioh.md", include_str!("../../../docs/cookbook/yugioh.md")),
    ("duel_masters", "docs/cookbook/duel-masters.md", include_str!("../../../docs/cookbook/duel-masters.md")),
    ("duel_magic", "docs/cookbook/duel-magic.md", include_str!("../../../docs/cookbook/duel-magic.md")),
];

/// A recipe: a kind of card, and source text that does it.
#[derive(Debug)]
pub struct Recipe {
    /// The format that it is for.
    pub format: &'static str,
    /// The page of the book.
    pub page: &'static str,
    /// Its heading.
    pub heading: &'static str,
    /// Its text, with its code.
    pub text: &'static str,
}

impl Recipe {
    /// Its text before its source text.
    pub fn prose(&self) -> &'static str {
        self.text.split("```").next().unwrap_or(self.text)
    }

    /// The lines of its first block of source text.
    pub fn code(&self) -> impl Iterator<Item = &'static str> {
        let begins = |line: &&str| line.starts_with("```fz");
        self.text.lines().skip_while(move |line| !begins(line)).skip(1).take_while(|line| !line.starts_with("```"))
    }
}

/// All recipes, by page: the sections that have source text.
pub fn recipes() -> impl Iterator<Item = Recipe> {
    let sections = PAGES.iter().flat_map(|(format, page, text)| {
        text.split("\n## ").skip(1).map(move |section| {
            let (heading, text) = section.split_once('\n').unwrap_or((section, ""));
            Recipe { format, page, heading, text }
        })
    });
    sections.filter(|recipe| recipe.code().next().is_some())
}

#[cfg(test)]
mod tests {
    use super::{PAGES, recipes};

    #[test]
    fn every_page_has_recipes_with_cards() {
        for (format, page, text) in PAGES {
            let cards = text.lines().filter(|line| line.starts_with("card ")).count();
            let found: usize = recipes().filter(|recipe| recipe.format == *format).map(|recipe| recipe.code().count()).sum();
            assert!(cards > 5 && found > cards, "{page}: {cards} cards, {found} lines of recipes");
        }
    }
}
