//! Explains a declared name or a word of the language: kind, doc comment, source, an example, and the cards that use it. Reads the syntax
//! tree and the name tables only, so it works for sources with errors.

use crate::load::plural;
use crate::output::{self, Style};
use crate::paths::SourceSet;
use crate::reference::{one_line, signature, word_docs};
use crate::vocabulary::places::{self, DeclarationSite, Places, find_places, line_at};
use crate::vocabulary::with_games;
use fizzle_compiler::Sources;
use fizzle_compiler::lookup::type_word;
use fizzle_compiler::session::Game;
use fizzle_grammar::GRAMMAR;
use fizzle_grammar::ast::Span;
use fizzle_grammar::lexer::RESERVED;
use fizzle_grammar::visit::DeclKind;
use fizzle_lsp::resolve::{Target, find_action, meaning_kind};
use fizzle_runtime::ir::verbs::{BUILTINS, VERBS};
use smol_str::SmolStr;
use std::collections::BTreeSet;

/// The most lines of a declaration that are shown.
const MAX_LINES_SHOWN: usize = 14;
/// The most cards and examples that are listed.
const MAX_EXAMPLES: usize = 5;

/// The result of [`explain`].
#[derive(Debug)]
pub enum Explanation {
    /// The explanation was printed.
    Shown {
        /// Whether a card has this name as well, and must be explained by the caller.
        is_also_card: bool,
    },
    /// A format has this name, or a card and nothing else. Nothing was printed.
    NotShown,
    /// Nothing has this name. Contains all names that can be explained.
    NotFound(BTreeSet<String>),
}

/// Prints what a word means in the sources; with a format, only in its game, with the declaration nearest to the format.
pub fn explain(given: &SourceSet, word: &str, format: Option<&str>) -> Explanation {
    with_games(given, |games, sources| explain_in(games, sources, given, word, format))
}

fn explain_in(games: &[Game<'_>], sources: &Sources, given: &SourceSet, word: &str, format: Option<&str>) -> Explanation {
    // a format name takes precedence over all other names
    if games.iter().any(|game| game.models.iter().any(|model| model.name == word)) {
        return Explanation::NotShown;
    }
    let card = games.iter().any(|game| game.names.definition_id(word).is_some());
    let requested: BTreeSet<&str> = given.requested.iter().map(String::as_str).collect();
    let mut shown = explain_built_in(word);
    for game in games {
        if format.is_some_and(|format| game.models.iter().all(|model| model.name != format)) {
            continue;
        }
        let explainer = DeclarationExplainer { game, sources, requested: &requested, format };
        if word == "setup" {
            shown |= explainer.explain_setups();
        }
        let mut found = find_targets(game, word);
        if found.is_empty()
            && let Some((here, note)) = game.names.foreign.get(word.to_lowercase().as_str())
        {
            shown = true;
            let meaning = match note {
                Some(note) => format!(": the closest term in {} is `{here}`: {note}\n", game.name),
                None => format!(": called `{here}` in {}\n", game.name),
            };
            output::styled_line(Style::Bold, word, meaning);
            found = find_targets(game, here);
        }
        for target in found {
            // verbs and functions of the language were printed before
            if !matches!(target, Target::Verb(_) | Target::Builtin(_)) {
                shown |= explainer.explain(&target);
            }
        }
    }
    match (shown, card) {
        (true, card) => Explanation::Shown { is_also_card: card },
        (false, true) => Explanation::NotShown,
        (false, false) => Explanation::NotFound(all_names(games)),
    }
}

/// Prints the meaning of a verb, function or word of the language, which every game has. Returns whether there is one.
fn explain_built_in(word: &str) -> bool {
    let is_reserved = RESERVED.contains(&word);
    let (meaning, examples) = (word_docs::find_meaning(word), find_examples(word));
    let mut shown = meaning.is_some();
    if let Some(meaning) = meaning {
        print_word(word, meaning, is_reserved, &examples);
    }
    for verb in VERBS.iter().filter(|verb| verb.name == word || verb.pattern_words.contains(&word)) {
        shown = true;
        output::styled_line(Style::Bold, verb.name, ": a verb of the language");
        output::line(format!("  {}\n", one_line(verb.doc)));
        output::line(format!("    {}\n", signature(verb)));
        if !verb.example.is_empty() {
            output::line(format!("  for example `{}`", one_line(verb.example)));
        }
        if !verb.pattern_words.is_empty() {
            output::line(format!("  in patterns `{}`", verb.pattern_words.join("`, `")));
        }
        output::line("");
    }
    for row in BUILTINS.iter().filter(|row| row.name == word) {
        shown = true;
        let params: Vec<&str> = row.params.iter().map(|ty| type_word(*ty)).collect();
        output::styled_line(Style::Bold, row.name, ": a function of the language");
        output::line(format!("  {}\n", one_line(row.doc)));
        output::line(format!("    {}({}): {}\n", row.name, params.join(", "), type_word(row.result)));
    }
    if !shown && !examples.is_empty() {
        shown = true;
        print_word(word, "", is_reserved, &examples);
    }
    shown
}

/// Prints a word of the language: its meaning, and examples.
fn print_word(word: &str, meaning: &str, is_reserved: bool, examples: &[&str]) {
    let reserved = if is_reserved { ", reserved: it cannot be used as a name" } else { "" };
    output::styled_line(Style::Bold, word, format!(": a word of the language{reserved}"));
    if !meaning.is_empty() {
        output::line(format!("  {}", one_line(meaning)));
    }
    if !examples.is_empty() {
        output::line("");
    }
    for example in examples.iter().take(MAX_EXAMPLES) {
        output::line(format!("    {example}"));
    }
    output::line("\n  `fizzle reference` lists all forms\n");
}

/// The lines of a text without its indentation, at most [`MAX_LINES_SHOWN`].
fn shortened(whole: &str) -> Vec<String> {
    let margin = |line: &str| line.len() - line.trim_start_matches(' ').len();
    // the closing brace has the indentation of the line on which the block begins
    let ends = whole.lines().last().filter(|line| line.trim_start().starts_with('}'));
    let indent = ends.or_else(|| whole.lines().next()).map_or(0, margin);
    let mut lines: Vec<String> =
        whole.lines().map(|line| line.get(indent.min(margin(line))..).unwrap_or(line).to_owned()).collect();
    if lines.len() > MAX_LINES_SHOWN {
        lines.truncate(MAX_LINES_SHOWN);
        lines.push("…".to_owned());
    }
    lines
}

/// The examples of the grammar file that use a word; none if the word is not a keyword of the grammar.
fn find_examples(word: &str) -> Vec<&'static str> {
    let is_plain = word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
    let rule = format!("k_{word} = ");
    if !is_plain || !GRAMMAR.lines().any(|line| line.starts_with(&rule)) {
        return Vec::new();
    }
    let examples = GRAMMAR.lines().filter_map(|line| line.trim().strip_prefix("// + "));
    let has = |example: &&str| example.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word);
    let mut examples: Vec<&str> = examples.filter(has).collect();
    // examples that begin with the word come first, those of text templates last
    examples.sort_by_key(|example| (!example.starts_with(word), example.starts_with("text ")));
    examples
}

/// The targets that a word can name in a game. `keyword.NAME`, `action.NAME` and so on select the kind.
fn find_targets(game: &Game<'_>, written: &str) -> Vec<Target> {
    let names = &game.names;
    let kinds = [
        ("action", DeclKind::Action),
        ("keyword", DeclKind::Keyword),
        ("rule", DeclKind::Rule),
        ("state", DeclKind::StateRule),
        ("play", DeclKind::Play),
        ("payment", DeclKind::Payment),
        ("constant", DeclKind::Constant),
        ("zone", DeclKind::Zone),
    ];
    let path = written.split_once('.').and_then(|(kind, rest)| {
        let (_, kind) = kinds.iter().find(|(word, _)| *word == kind)?;
        Some((*kind, rest))
    });
    let word = path.map_or(written, |(_, rest)| rest);
    let mut kinds: Vec<DeclKind> = names.meanings(word).iter().map(|meaning| meaning_kind(*meaning)).collect();
    let is_verb = VERBS.iter().any(|verb| verb.name == word);
    for (kind, is) in [
        (DeclKind::Action, names.actions.contains_key(word) && !is_verb),
        (DeclKind::Play, names.plays.contains_key(word)),
        (DeclKind::Payment, names.payments.contains_key(word)),
        (DeclKind::Rule, game.models.iter().any(|model| model.rules.contains_key(word))),
        (DeclKind::StateRule, game.models.iter().any(|model| model.state_rules.contains_key(word))),
    ] {
        if is {
            kinds.push(kind);
        }
    }
    kinds.dedup();
    kinds.retain(|kind| path.is_none_or(|(wanted, _)| wanted == *kind));
    let mut found: Vec<Target> = kinds.into_iter().map(|kind| Target::Global(kind, SmolStr::new(word))).collect();
    if path.is_none() {
        found.extend(names.find_period(word).into_iter().map(|path| Target::Global(DeclKind::Period, SmolStr::new(path))));
    }
    if found.is_empty() && path.is_none() {
        if let Some((action, _)) = find_action(names, word, true) {
            let is_verb = VERBS.iter().any(|verb| verb.name == action);
            found.push(if is_verb { Target::Verb(action) } else { Target::Global(DeclKind::Action, action) });
        } else if game.print_count(word) > 0
            && let Some(set) = names.traits.iter().find(|set| set.words.is_none())
        {
            found.push(Target::OpenTraitWord(set.name.clone(), SmolStr::new(word)));
        }
    }
    found
}

/// All names that can be explained.
fn all_names(games: &[Game<'_>]) -> BTreeSet<String> {
    let mut all: BTreeSet<String> = VERBS.iter().map(|verb| verb.name.to_owned()).collect();
    all.extend(
        BUILTINS.iter().map(|row| row.name.to_owned()).chain(word_docs::MEANINGS.iter().map(|(word, _)| (*word).to_owned())),
    );
    for game in games {
        let names = &game.names;
        all.extend(names.words.keys().chain(names.foreign.keys()).map(ToString::to_string));
        all.extend(names.actions.keys().chain(names.plays.keys()).chain(names.payments.keys()).map(ToString::to_string));
        all.extend(names.cards.keys().skip(1).map(ToString::to_string));
        all.extend(names.periods.keys().filter_map(|path| path.rsplit('.').next()).map(str::to_owned));
        for model in &game.models {
            all.insert(model.name.to_string());
            all.extend(model.rules.keys().chain(model.state_rules.keys()).map(ToString::to_string));
        }
    }
    all.retain(|name| !name.starts_with('_') && !name.is_empty());
    all
}

/// The name of a kind of declaration, with its article.
fn kind_word(kind: DeclKind) -> &'static str {
    match kind {
        DeclKind::Pack => "a pack",
        DeclKind::Format => "a format",
        DeclKind::Traits => "a trait set",
        DeclKind::TraitWord => "a word of a trait set",
        DeclKind::Property => "a printed property",
        DeclKind::Status => "a status of objects",
        DeclKind::Player => "a variable of each player",
        DeclKind::Global => "a variable of the game",
        DeclKind::Constant => "a constant",
        DeclKind::Layer => "a layer",
        DeclKind::Zone => "a zone",
        DeclKind::Noun => "a noun (named selection)",
        DeclKind::Function => "a function",
        DeclKind::Action => "an action",
        DeclKind::Keyword => "a keyword",
        DeclKind::Rule => "a rule",
        DeclKind::StateRule => "a state rule",
        DeclKind::Play => "a play",
        DeclKind::Payment => "a payment",
        DeclKind::Period => "a period of the turn",
        DeclKind::Card => "a card",
        DeclKind::Deck => "a deck",
        DeclKind::Scenario => "a scenario",
        DeclKind::Stage => "a stage",
        DeclKind::Position => "a named position",
    }
}

/// Explains the declarations of one game.
struct DeclarationExplainer<'a> {
    game: &'a Game<'a>,
    sources: &'a Sources,
    requested: &'a BTreeSet<&'a str>,
    format: Option<&'a str>,
}

impl<'a> DeclarationExplainer<'a> {
    /// Prints a target with its declarations and uses. Returns `false` if it is not declared.
    fn explain(&self, target: &Target) -> bool {
        let mut places = find_places(self.game, self.sources, target);
        places.declared.sort_by_key(|place| self.rank(place.format));
        // uses in the given files come before those in shipped files
        places.used.sort_by_key(|place| !self.requested.contains(self.sources.path(place.at.file)));
        let name = target.name().map_or("", SmolStr::as_str);
        match (target, places.declared.split_first()) {
            (Target::OpenTraitWord(set, _), _) => {
                let meaning = format!(": a word of the trait set `{set}` in {}, introduced by cards\n", self.game.name);
                output::styled_line(Style::Bold, name, meaning);
            }
            (Target::Global(kind, _), Some((first, others))) => {
                let what = self.describe_kind(*kind, name);
                output::styled_line(Style::Bold, name, format!(": {what} of {}   {}", self.game.name, self.location(first.at)));
                let docs = places::docs(self.sources, *kind, first);
                for line in docs.lines().map(str::trim).filter(|line| !line.is_empty()) {
                    output::line(format!("  {line}"));
                }
                output::line("");
                for line in self.source_lines(*kind, first) {
                    output::line(format!("    {line}"));
                }
                output::line("");
                self.print_other_declarations(first, others);
            }
            _ => return false,
        }
        self.print_uses(&places, matches!(target, Target::Global(DeclKind::Card, _)));
        output::line("");
        true
    }

    /// Prints the setup of the requested format, or of the game, and where other formats have another one.
    fn explain_setups(&self) -> bool {
        let mut models = self.game.models.iter().filter(|model| self.format.is_none_or(|format| model.name == format));
        let Some(first) = models.next() else { return false };
        for block in &first.setup {
            output::styled_line(Style::Bold, "setup", format!(" of {}   {}\n", first.name, self.location(block.span)));
            for line in shortened(&format!("setup {}", self.sources.slice(block.span))) {
                output::line(format!("    {line}"));
            }
            output::line("");
        }
        let mut has_others = false;
        for other in models {
            let own = other.setup.iter().filter(|block| first.setup.iter().all(|known| known.span != block.span));
            for block in own {
                output::line(format!("  different in {}: {}", other.name, self.location(block.span)));
                has_others = true;
            }
        }
        if has_others {
            output::line("");
        }
        !first.setup.is_empty()
    }

    /// The distance of a declaration to the requested format along its base formats. Without a requested format, the game's own
    /// declaration comes first.
    fn rank(&self, format: Option<&str>) -> usize {
        let Some(wanted) = self.format else { return usize::from(format.is_some()) };
        let mut next = Some(wanted);
        for distance in 0..=self.game.models.len() {
            let Some(here) = next else { break };
            if format == Some(here) {
                return distance;
            }
            let model = self.game.models.iter().find(|model| model.name == here);
            next = model.and_then(|model| model.base.as_deref());
        }
        // the game's own declaration, then those of unrelated formats
        self.game.models.len() + 1 + usize::from(format.is_some())
    }

    fn describe_kind(&self, kind: DeclKind, name: &str) -> String {
        match kind {
            DeclKind::Period if self.game.names.phases.contains(name) => "a phase".to_owned(),
            DeclKind::Period if name == "turn" => "the turn".to_owned(),
            DeclKind::Period => "a step".to_owned(),
            DeclKind::TraitWord => {
                let is_one = |words: &Option<Vec<SmolStr>>| words.iter().flatten().any(|word| word == name);
                let set = self.game.names.traits.iter().find(|set| is_one(&set.words));
                set.map_or_else(|| kind_word(kind).to_owned(), |set| format!("a word of the trait set `{}`", set.name))
            }
            other => kind_word(other).to_owned(),
        }
    }

    fn location(&self, at: Span) -> String {
        places::location(self.sources, at)
    }

    /// The source of the declaration, without its indentation, at most [`MAX_LINES_SHOWN`] lines.
    fn source_lines(&self, kind: DeclKind, place: &DeclarationSite<'_>) -> Vec<String> {
        let whole = match kind {
            DeclKind::Period => {
                let text = self.sources.text(place.at.file);
                let before = text.get(..place.at.start as usize).unwrap_or("");
                let start = before.rfind('\n').map_or(0, |line| line + 1);
                first_block(text.get(start..).unwrap_or(""))
            }
            _ => self.sources.slice(place.item.span),
        };
        shortened(whole)
    }

    /// Prints the locations of the other declarations.
    fn print_other_declarations(&self, first: &DeclarationSite<'_>, others: &[DeclarationSite<'_>]) {
        for other in others {
            match other.format {
                Some(format) => output::line(format!("  different in {format}: {}", self.location(other.at))),
                None if first.format.is_some() => {
                    output::line(format!("  in {} itself: {}", self.game.name, self.location(other.at)))
                }
                None => {}
            }
        }
    }

    /// Prints an example, and the cards that use it.
    fn print_uses(&self, places: &Places<'_>, is_card: bool) {
        if let Some(place) = places.best_example(self.sources) {
            let of = place.card.as_ref().map_or_else(String::new, |card| format!(" on {card}"));
            output::line(format!("  for example `{}`{of}   {}", line_at(self.sources, place.at), self.location(place.at)));
        }
        let cards = places.cards();
        if cards.is_empty() {
            output::line(if is_card { "  no other card names it" } else { "  no card has it" });
        } else {
            let few: Vec<&str> = cards.iter().copied().take(MAX_EXAMPLES).collect();
            let more = if cards.len() > few.len() { ", …" } else { "" };
            output::line(format!("  on {}: {}{more}", plural(cards.len(), "card"), few.join(", ")));
        }
    }
}

/// The text up to the end of its first block, or of its first line if that has no block.
pub fn first_block(text: &str) -> &str {
    let mut open = 0usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => open += 1,
            '}' if open == 1 => return text.get(..=at).unwrap_or(text),
            '}' => open = open.saturating_sub(1),
            '\n' if open == 0 => return text.get(..at).unwrap_or(text),
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::first_block;

    #[test]
    fn first_block_ends_at_its_closing_brace() {
        assert_eq!(first_block("step a { b { c } }\nstep d"), "step a { b { c } }");
        assert_eq!(first_block("step a\nstep d"), "step a");
    }
}
