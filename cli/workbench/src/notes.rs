//! What a card does in a format: its abilities, when their choices are made, and when it fizzles.

use crate::labels::Labels;
use fizzle_runtime::ir::{
    Ability, AbilityId, AbilityKind, ChoiceSiteId, CompiledGame, DefId, FnId, Format, Keyword, TriggerChange,
};
use fizzle_runtime::program::Program;
use fizzle_table::protocol::Lang;
use fizzle_table::words::pack_texts::prompt;

/// What a card does in a format.
#[derive(Debug, Default)]
pub struct CardNotes {
    /// Its abilities by keyword, in the order of the source.
    pub groups: Vec<AbilityGroup>,
    /// What holds for the whole card: when it fizzles, and whether it may be announced with nothing to choose.
    pub closing: Vec<&'static str>,
}

/// The abilities of one keyword, or those that the card writes itself.
#[derive(Debug)]
pub struct AbilityGroup {
    /// The keyword with its arguments.
    pub keyword: Option<String>,
    /// The abilities.
    pub abilities: Vec<AbilityNote>,
}

/// An ability.
#[derive(Debug)]
pub struct AbilityNote {
    /// Its kind, and what it waits for.
    pub kind: String,
    /// Its place in the sources, `file:line`.
    pub place: String,
    /// Its choices, each with the moment at which it is made.
    pub choices: Vec<String>,
}

impl CardNotes {
    /// The notes about a card.
    #[must_use]
    pub fn new(game: &CompiledGame, program: &Program, format: &Format, card: DefId, lang: Lang) -> Self {
        let w = Labels::of(lang);
        let Some(definition) = program.definition(card.0) else { return Self::default() };
        let bundles = || definition.bundles.iter().filter_map(|bundle| format.bundles.get(bundle.index()));
        let ability = |id: &AbilityId| program.library.abilities.get(id.index());
        let groups = bundles().map(|bundle| AbilityGroup {
            keyword: bundle.keyword.as_ref().and_then(|(keyword, args)| {
                let keyword = program.library.keywords.get(keyword.index())?;
                let args: Vec<String> =
                    (0u8..).zip(args).map(|(number, value)| argument(game, keyword, number, *value)).collect();
                Some(match args.as_slice() {
                    [] => keyword.name.clone(),
                    [price] if keyword.prices == [0] => format!("{} {price}", keyword.name),
                    args => format!("{}({})", keyword.name, args.join(", ")),
                })
            }),
            abilities: bundle.abilities.iter().filter_map(ability).map(|ability| note(game, program, ability, lang)).collect(),
        });
        let mut abilities = bundles().flat_map(|bundle| &bundle.abilities);
        let closing = if has_announced_choice(program, abilities.clone()) {
            vec![
                if format.announce.fizzle_whole { w.fizzle_whole } else { w.fizzle_paragraph },
                if format.announce.requires_choices { w.none_refused } else { w.none_allowed },
            ]
        } else if abilities.any(|id| ability(id).is_some_and(|it| matches!(it.kind, AbilityKind::Paragraph { .. }))) {
            vec![w.never_fizzles]
        } else {
            Vec::new()
        };
        Self { groups: groups.collect(), closing }
    }

    /// The notes as indented lines.
    #[must_use]
    pub fn lines(&self, lang: Lang) -> Vec<String> {
        let w = Labels::of(lang);
        let mut lines = Vec::new();
        for group in &self.groups {
            lines.extend(group.keyword.iter().map(|keyword| format!("  {} {keyword}", w.keyword)));
            let indent = if group.keyword.is_some() { "    " } else { "  " };
            for ability in &group.abilities {
                lines.push(format!("{indent}- {}   {}", ability.kind, ability.place));
                lines.extend(ability.choices.iter().map(|choice| format!("{indent}    {choice}")));
            }
        }
        if lines.is_empty() {
            lines.push(format!("  {}", w.no_text));
        }
        lines.extend(self.closing.iter().map(|line| format!("  {line}")));
        lines
    }
}

fn has_announced_choice<'a>(program: &Program, abilities: impl Iterator<Item = &'a AbilityId>) -> bool {
    abilities
        .filter_map(|id| program.library.abilities.get(id.index()))
        .filter(|ability| ability.kind.is_announced())
        .flat_map(|ability| choice_sites(program, &ability.kind.bodies()))
        .any(|site| program.is_announced(site))
}

/// An argument of a keyword as the card writes it: a price in symbols, a word by its name. A word of another set than the parameter's has
/// the number of its set, from 1, in the upper half.
fn argument(game: &CompiledGame, keyword: &Keyword, number: u8, value: i32) -> String {
    if keyword.prices.contains(&number) {
        return game.format_price(value);
    }
    let Some((_, declared)) = keyword.words.iter().find(|(at, _)| *at == number) else { return value.to_string() };
    let set = usize::try_from((value >> 16) - 1).unwrap_or(declared.index());
    let words = game.library.traits.get(set).map(|traits| traits.words.as_slice());
    words.and_then(|words| words.get(usize::from(value as u16)).cloned()).unwrap_or_else(|| value.to_string())
}

fn note(game: &CompiledGame, program: &Program, ability: &Ability, lang: Lang) -> AbilityNote {
    let w = Labels::of(lang);
    let action = |pattern: &fizzle_runtime::ir::EventPattern| {
        program.format.actions.get(pattern.action.index()).map_or_else(String::new, |a| a.name.clone())
    };
    let kind = match &ability.kind {
        AbilityKind::Triggered { pattern, optional, batching, .. } => {
            let together = &(*batching != fizzle_runtime::ir::Batching::Each);
            let further = [(*together, w.together), (*optional, w.optional)];
            let further: String = further.iter().filter(|(is, _)| *is).map(|(_, word)| format!(", {word}")).collect();
            format!("{} {}{further}", w.triggered, action(pattern))
        }
        AbilityKind::Replacement { pattern, optional, .. } => {
            format!(
                "{} {}{}",
                w.replacement,
                action(pattern),
                if *optional { format!(", {}", w.optional) } else { String::new() }
            )
        }
        AbilityKind::Prohibition { pattern } => format!("{} {}", w.prohibition, action(pattern)),
        AbilityKind::TriggerModifier { pattern, change, .. } => {
            format!(
                "{} {}, {}",
                w.triggered,
                action(pattern),
                if *change == TriggerChange::Again { w.again } else { w.prohibition }
            )
        }
        AbilityKind::Static { .. } => w.continuous.to_owned(),
        AbilityKind::Paragraph { .. } => w.paragraph.to_owned(),
        AbilityKind::Cost { .. } => w.further_cost.to_owned(),
        AbilityKind::CostOption { status, .. } => {
            let name = program.library.statuses.get(usize::from(*status)).map_or("", |status| status.name.as_str());
            format!("{} {name}", w.option)
        }
        AbilityKind::Activated { play } => format!("{} {}", w.activated, play.name),
    };
    let file = program.library.files.get(ability.source.file as usize).map_or("", String::as_str);
    let mut choices = Vec::new();
    for site in choice_sites(program, &ability.kind.bodies()) {
        let Some(it) = program.library.sites.get(site.index()) else { continue };
        let when = if ability.kind.is_announced() && program.is_announced(site) { w.on_announcement } else { w.on_resolution };
        // the prompt in the language, else the source text
        let text = prompt(game, site.0, lang).map_or_else(
            || format!("`{}`", it.text.split_whitespace().collect::<Vec<_>>().join(" ")),
            |prompt| prompt.text.clone(),
        );
        let mut marks = Vec::new();
        if it.target {
            marks.push(w.target);
        }
        if it.optional {
            marks.push(w.optional);
        }
        let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
        choices.push(format!("{text}{marks}: {when}"));
    }
    AbilityNote { kind, place: format!("{file}:{}", ability.source.line), choices }
}

/// The choice sites of functions, each once, in the order of the operations.
fn choice_sites(program: &Program, functions: &[FnId]) -> Vec<ChoiceSiteId> {
    fizzle_runtime::ir::choice_sites(functions.iter().filter_map(|id| program.function(*id)))
}
