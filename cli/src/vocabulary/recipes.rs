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
    /// The lines of its first block of source text.
    pub fn code(&self) -> impl Iterator<Item = &'static str> {
        let begins = |line: &&str| line.starts_with("```fz");
        self.text.lines().skip_while(move |line| !begins(line)).skip(1).take_while(|line| !line.starts_with("```"))
    }
}

/// All recipes, by page.
pub fn recipes() -> impl Iterator<Item = Recipe> {
    PAGES.iter().flat_map(|(format, page, text)| {
        text.split("\n## ").skip(1).map(move |section| {
            let (heading, text) = section.split_once('\n').unwrap_or((section, ""));
            Recipe { format, page, heading, text }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::recipes;

    #[test]
    fn every_page_has_recipes_and_each_recipe_has_code() {
        for format in ["magic", "yugioh", "duel_masters", "duel_magic"] {
            assert!(recipes().filter(|recipe| recipe.format == format).count() > 5, "{format}");
        }
        for recipe in recipes() {
            assert!(recipe.code().next().is_some(), "{}: {} has no code", recipe.page, recipe.heading);
        }
    }
}
