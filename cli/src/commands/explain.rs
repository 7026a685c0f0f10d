//! `fizzle explain`: a card as each format has it, the turn of a format, what a declared word means, or an error code at length.

mod declaration;
mod labels;
mod rules;
mod source_location;
mod turn;

use crate::failure::{CommandError, ExitStatus};
use crate::game_setup;
use crate::load::{LoadPurpose, LoadedGames, is_binary, load_cards};
use crate::output::{self, MessageFormat};
use crate::paths::SourceSet;
use crate::shipped;
use crate::text_gaps;
use clap::ValueEnum;
use declaration::Explanation;
use fizzle_compiler::diagnostics::codes;
use fizzle_runtime::ir::op::{Op, Source};
use fizzle_runtime::ir::{Ability, AbilityId, AbilityKind, ChoiceSiteId, CompiledGame, DefId, FnId, Format, Prompt, Type};
use fizzle_runtime::ir::{Definition, Variable};
use fizzle_runtime::program::Program;
use labels::Labels;
use std::collections::BTreeSet;

/// The language of an explanation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Japanese.
    Ja,
}

impl Language {
    /// Its code.
    pub fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ja => "ja",
        }
    }
}

/// Explains a card, the turn of a format, a word that is declared (a keyword, verb, action, zone, property, step), or the code of a diagnostic.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The name of a card or of a format; a keyword, verb, action, zone, property, step or another word that is declared; a code such as `E0201`; a place in a shipped file,
    /// as messages name it (`shipped:magic/rules/zones.fz:12`)
    #[arg(value_name = "CARD-OR-WORD-OR-CODE", required_unless_present = "reference")]
    what: Option<String>,
    /// Files, directories or a compiled pack with the card, if it is not shipped
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// Only as this format has it
    #[arg(long, value_name = "F")]
    format: Option<String>,
    /// The language
    #[arg(long, value_enum, default_value_t)]
    lang: Language,
    /// Print the reference of the language instead, a page of Markdown: words, verbs, functions, grammar, codes
    #[arg(long, exclusive = true)]
    reference: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    let Some(what) = &args.what else {
        output::line(crate::reference::page().trim_end());
        return Ok(ExitStatus::Success);
    };
    if let Some(shown) = source_location::show(what) {
        return shown.map(|()| ExitStatus::Success);
    }
    if let Some(code) = codes::find(what) {
        output::line(format!("{} ({}): {}\n", code.code, code.severity.word(), code.summary));
        output::line(code.explanation().trim_end());
        return Ok(ExitStatus::Success);
    }
    if is_code(what) {
        return Err(CommandError::unknown("code", what, codes::CODES.iter().map(|code| code.code)));
    }
    let everything: Vec<&str> = match &args.format {
        Some(format) => vec![format],
        None if args.paths.is_empty() => shipped::packs().iter().map(|pack| pack.name.as_str()).collect(),
        None => Vec::new(),
    };
    let name = what.trim_matches(['"', '《', '》']);
    let mut known = None;
    if !args.paths.iter().any(|path| is_binary(path)) {
        let given = SourceSet::read(&args.paths, &everything, true).map_err(|failure| in_a_pack(failure, args, what))?;
        match declaration::tell(&given, name, args.format.as_deref()) {
            Explanation::Told { card: false } => return Ok(ExitStatus::Success),
            Explanation::Told { card: true } | Explanation::Card => {}
            Explanation::Nothing(names) => known = Some(names),
        }
    }
    let compiled = load_cards(LoadPurpose::Texts, &args.paths, &everything, &[name].into(), MessageFormat::Human)
        .map_err(|failure| in_a_pack(failure, args, what))?;
    if let Ok(picked) = game_setup::format(&compiled.artifact, name)
        && let Some(format) = picked.format()
    {
        turn::show(&picked.game.library, format);
        rules::show(picked.game, format, args.lang);
        return Ok(ExitStatus::Success);
    }
    let mut found = false;
    for game in &compiled.artifact.games {
        let Some(card) = called(game, name) else { continue };
        found = true;
        let formats: Vec<usize> = match &args.format {
            Some(format) => vec![game_setup::format(&compiled.artifact, format)?.index],
            None => (0..game.formats.len()).collect(),
        };
        let mut said = Vec::new();
        explain(game, card, &formats, args.lang, &mut said)?;
        text_gaps::report(&compiled.text_gaps, args.lang.code(), &said);
    }
    if found {
        return Ok(ExitStatus::Success);
    }
    let unknown = known.map_or_else(|| unknown(&compiled, name), |names| nothing(name, &names));
    Err(in_a_pack(unknown, args, what))
}

/// Nothing is called so.
fn nothing(name: &str, names: &BTreeSet<String>) -> CommandError {
    CommandError::unknown("card, format, keyword, verb, action, zone, property or step", name, names.iter().map(String::as_str))
}

/// What is not shipped may be in a pack that was not named.
fn in_a_pack(failure: CommandError, args: &Args, what: &str) -> CommandError {
    match failure {
        CommandError::Usage { message, help }
            if args.paths.is_empty() && help.as_ref().is_none_or(|help| !help.starts_with("did")) =>
        {
            let format = args.format.as_ref().map_or_else(String::new, |format| format!(" --format {format}"));
            let help = format!("what is in a pack of your own is found there: `fizzle explain \"{what}\" PACK{format}`");
            CommandError::Usage { message, help: Some(help) }
        }
        other => other,
    }
}

fn is_code(text: &str) -> bool {
    let rest = text.strip_prefix(['E', 'W', 'e', 'w']);
    rest.is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()))
}

fn unknown(compiled: &LoadedGames, name: &str) -> CommandError {
    let names: Vec<&str> = compiled
        .artifact
        .games
        .iter()
        .flat_map(|g| g.library.definitions.present())
        .skip(1)
        .map(|card| card.name.as_str())
        .collect();
    CommandError::unknown("card", name, names)
}

/// The first card of a name.
fn called(game: &CompiledGame, name: &str) -> Option<DefId> {
    let found = game.library.definitions.numbered().find(|(number, card)| *number != 0 && card.name == name);
    found.map(|(number, _)| DefId(number as u32))
}

/// What a card is in a format.
pub fn corrected(format: &Format, card: DefId) -> DefId {
    format.errata.iter().find(|(from, _)| *from == card).map_or(card, |(_, to)| *to)
}

/// Shows a card; `said` gets the texts that were shown, by the name of the card.
fn explain<'g>(
    game: &'g CompiledGame,
    printed: DefId,
    formats: &[usize],
    lang: Language,
    said: &mut Vec<(&'g str, Vec<String>)>,
) -> Result<(), CommandError> {
    let w = Labels::of(lang);
    // as the only format has it; as it is printed where there are several
    let only = if let [index] = formats { game.formats.get(*index) } else { None };
    let card = only.map_or(printed, |format| corrected(format, printed));
    let Some(definition) = game.library.definitions.get(card.index()) else { return Ok(()) };
    output::line(format!("\u{1b}[1m{}\u{1b}[0m   {}", definition.name, place(game, definition.source)));
    let facts = facts(game, card);
    if !facts.is_empty() {
        output::line(format!("  {}", facts.join(", ")));
    }
    let lines = text(game, only, card, lang);
    for line in &lines {
        output::line(format!("  {line}"));
    }
    said.push((&definition.name, lines.clone()));
    let shown = lines;
    // What several formats have in common stands once, under the first of them.
    let mut sections: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    for index in formats {
        let Some(format) = game.formats.get(*index) else { continue };
        let here = corrected(format, printed);
        let program =
            Program::link(game, *index, &[printed]).ok_or_else(|| CommandError::Defect("the format cannot be linked".into()))?;
        let mut lines = section(game, &program, format, here, lang);
        let own_text = text(game, Some(format), here, lang);
        if here != card || own_text != shown {
            let facts = if here == card { Vec::new() } else { self::facts(game, here) };
            let facts = if facts.is_empty() { None } else { Some(facts.join(", ")) };
            said.push((&definition.name, own_text.clone()));
            let own = facts.into_iter().chain(own_text).map(|line| format!("  {line}"));
            lines.splice(0..0, own);
        }
        let status = legality(format, printed, w);
        match sections.iter_mut().find(|(_, known)| *known == lines) {
            Some((names, _)) => names.push(format!("{}{status}", format.name)),
            None => {
                let is_titled = !format.title.is_empty() && format.title != format.name;
                let title = if is_titled { format!(" ({})", format.title) } else { String::new() };
                sections.push((vec![format!("\u{1b}[1m{}\u{1b}[0m{title}{status}", format.name)], lines));
            }
        }
    }
    for (names, lines) in &sections {
        output::line(format!("\n{}", names.first().map_or("", String::as_str)));
        for line in lines {
            output::line(line);
        }
        if let Some(others) = names.get(1..).filter(|others| !others.is_empty()) {
            output::line(format!("  {} {}", w.the_same_in, others.join(", ")));
        }
    }
    output::line("");
    for face in &definition.faces {
        explain(game, *face, formats, lang, said)?;
    }
    Ok(())
}

/// The rules text of a card, as players read it: what it says in a format, where it says something of its own there.
pub fn text(game: &CompiledGame, format: Option<&Format>, card: DefId, lang: Language) -> Vec<String> {
    let of = |name: &str| game.texts.iter().find(|texts| texts.language == lang.code() && texts.format == name);
    // the nearest one that it extends speaks for it
    let (mut next, mut own) = (format, None);
    for _ in 0..=game.formats.len() {
        let Some(format) = next else { break };
        own = of(&format.name);
        let base = format.base.as_ref().filter(|_| own.is_none());
        next = base.and_then(|base| game.formats.iter().find(|known| known.name == *base));
    }
    let own = own.and_then(|texts| texts.of(card)).or_else(|| of("").and_then(|texts| texts.of(card)));
    let lines = own.map_or(&[][..], |text| text.lines.as_slice());
    lines.iter().flat_map(|line| line.lines()).map(str::to_owned).collect()
}

/// What is asked at a choice.
pub fn prompt(game: &CompiledGame, site: u32, lang: Language) -> Option<&Prompt> {
    game.texts.iter().find(|texts| texts.language == lang.code() && texts.format.is_empty())?.prompt(site)
}

/// What a state rule says in a format: the words of the game, else its name.
pub fn state_rule(game: &CompiledGame, format: &Format, rule: &str, lang: Language) -> String {
    let of = |name: &str| game.texts.iter().find(|texts| texts.language == lang.code() && texts.format == name);
    // the nearest one that it extends speaks for it
    let mut next = Some(format);
    for _ in 0..=game.formats.len() {
        let Some(format) = next else { break };
        if let Some(texts) = of(&format.name) {
            return texts.rule(rule).map_or_else(|| rule.replace('_', " "), str::to_owned);
        }
        next = format.base.as_ref().and_then(|base| game.formats.iter().find(|known| known.name == *base));
    }
    of("").and_then(|texts| texts.rule(rule)).map_or_else(|| rule.replace('_', " "), str::to_owned)
}

fn place(game: &CompiledGame, source: Source) -> String {
    let file = game.library.files.get(source.file as usize).map_or("", String::as_str);
    if source.line == 0 { file.to_owned() } else { format!("{file}:{}", source.line) }
}

fn legality(format: &Format, card: DefId, w: &Labels) -> String {
    if format.deck.banned.contains(&card) {
        format!(", {}", w.banned)
    } else if format.deck.restricted.contains(&card) {
        format!(", {}", w.restricted)
    } else if format.errata.iter().any(|(from, _)| *from == card) {
        format!(", {}", w.errata)
    } else {
        String::new()
    }
}

/// What is printed on the card: words, then properties that are not as usual.
pub fn facts(game: &CompiledGame, card: DefId) -> Vec<String> {
    let library = &game.library;
    let Some(definition) = library.definitions.get(card.index()) else { return Vec::new() };
    let mut facts = Vec::new();
    for (traits, words) in library.traits.iter().zip(&definition.words) {
        facts.extend(words.iter().filter_map(|word| traits.words.get(usize::from(*word)).cloned()));
    }
    for (property, value) in library.properties.iter().zip(&definition.properties) {
        match property.ty {
            Type::Price => {
                let units = library.lists.get(usize::try_from(*value).unwrap_or(usize::MAX)).map_or(&[][..], Vec::as_slice);
                if !units.is_empty() {
                    facts.push(format!("{} {}", property.name, price(game, units)));
                }
            }
            Type::Bool if *value != 0 => facts.push(property.name.clone()),
            Type::Bool => {}
            _ if *value != property.initial && !repeats(game, definition, property) => {
                facts.push(format!("{} {value}", property.name));
            }
            _ => {}
        }
    }
    facts
}

/// The printed prices of a card, by its name.
pub fn prices(game: &CompiledGame, name: &str) -> Vec<String> {
    let library = &game.library;
    let Some(definition) = called(game, name).and_then(|card| library.definitions.get(card.index())) else { return Vec::new() };
    let priced = library.properties.iter().zip(&definition.properties).filter(|(property, _)| property.ty == Type::Price);
    let units = priced.filter_map(|(_, value)| library.lists.get(usize::try_from(*value).ok()?));
    units.filter(|units| !units.is_empty()).map(|units| price(game, units)).collect()
}

/// A card as a format has it, for players: its facts and its text. None if no card is called so.
pub fn card_text(game: &CompiledGame, format: &Format, name: &str) -> Option<Vec<String>> {
    let card = corrected(format, called(game, name)?);
    let facts = facts(game, card).join(", ");
    let first = if facts.is_empty() { name.to_owned() } else { format!("{name}: {facts}") };
    let mut lines = vec![first];
    lines.extend(text(game, Some(format), card, Language::En).into_iter().map(|line| format!("  {line}")));
    Some(lines)
}

/// Whether a property only says again what another one says: `original_power` beside `power`.
fn repeats(game: &CompiledGame, definition: &Definition, property: &Variable) -> bool {
    let value = |name: &str| {
        let at = game.library.properties.iter().position(|other| other.name == name);
        at.and_then(|at| definition.properties.get(at))
    };
    let shorter = property.name.match_indices('_').filter_map(|(at, _)| property.name.get(at + 1..));
    let own = value(&property.name);
    shorter.into_iter().any(|name| value(name).is_some() && value(name) == own)
}

/// A price: `{2}{R}`.
fn price(game: &CompiledGame, units: &[i32]) -> String {
    let payment = game.formats.first().and_then(|format| format.payments.first());
    let units: Vec<u32> = units.iter().map(|unit| *unit as u32).collect();
    payment.map_or_else(|| format!("{{{}}}", units.len()), |payment| payment.written(&game.library, &units))
}

/// The abilities of a card in a format, each with its choices.
fn section(game: &CompiledGame, program: &Program, format: &Format, card: DefId, lang: Language) -> Vec<String> {
    let w = Labels::of(lang);
    let mut lines = Vec::new();
    let Some(definition) = program.definition(card.0) else { return lines };
    let mut paragraphs = 0;
    for unit in definition.units.iter().filter_map(|unit| format.units.get(unit.index())) {
        if let Some((keyword, args)) = &unit.keyword {
            let name = program.library.keywords.get(keyword.index()).map_or("", |k| k.name.as_str());
            let args: Vec<String> = args.iter().map(ToString::to_string).collect();
            let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
            lines.push(format!("  {} {name}{args}", w.keyword));
        }
        let indent = if unit.keyword.is_some() { "    " } else { "  " };
        for id in &unit.abilities {
            let Some(ability) = program.library.abilities.get(id.index()) else { continue };
            if matches!(ability.kind, AbilityKind::Paragraph { .. }) {
                paragraphs += 1;
            }
            ability_lines(game, program, ability, indent, lang, &mut lines);
        }
    }
    if lines.is_empty() {
        lines.push(format!("  {}", w.no_text));
    }
    let lifted =
        any_lifted(program, definition.units.iter().filter_map(|unit| format.units.get(unit.index())).flat_map(|u| &u.abilities));
    if lifted {
        lines.push(format!("  {}", if format.announce.fizzle_whole { w.fizzle_whole } else { w.fizzle_paragraph }));
        lines.push(format!("  {}", if format.announce.requires_choices { w.none_refused } else { w.none_allowed }));
    } else if paragraphs > 0 {
        lines.push(format!("  {}", w.never_fizzles));
    }
    lines
}

fn any_lifted<'a>(program: &Program, abilities: impl Iterator<Item = &'a AbilityId>) -> bool {
    abilities
        .filter_map(|id| program.library.abilities.get(id.index()))
        .filter(|ability| is_announced(&ability.kind))
        .flat_map(|ability| sites(program, &bodies(&ability.kind)))
        .any(|site| program.is_lifted(site))
}

/// Whether something of this kind goes through an announcement.
fn is_announced(kind: &AbilityKind) -> bool {
    match kind {
        AbilityKind::Paragraph { .. } | AbilityKind::Activated { .. } => true,
        AbilityKind::Triggered { immediate, .. } => !immediate,
        AbilityKind::Replacement { .. }
        | AbilityKind::Prohibition { .. }
        | AbilityKind::TriggerModifier { .. }
        | AbilityKind::Static { .. }
        | AbilityKind::Cost { .. }
        | AbilityKind::Option { .. } => false,
    }
}

fn ability_lines(
    game: &CompiledGame,
    program: &Program,
    ability: &Ability,
    indent: &str,
    lang: Language,
    lines: &mut Vec<String>,
) {
    let w = Labels::of(lang);
    let action = |pattern: &fizzle_runtime::ir::EventPattern| {
        program.format.actions.get(pattern.action.index()).map_or_else(String::new, |a| a.name.clone())
    };
    let kind = match &ability.kind {
        AbilityKind::Triggered { pattern, optional, once_per_batch: together, .. } => {
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
        AbilityKind::TriggerModifier { pattern, again, .. } => {
            format!("{} {}, {}", w.triggered, action(pattern), if *again { w.again } else { w.prohibition })
        }
        AbilityKind::Static { .. } => w.continuous.to_owned(),
        AbilityKind::Paragraph { .. } => w.paragraph.to_owned(),
        AbilityKind::Cost { .. } => w.further_cost.to_owned(),
        AbilityKind::Option { status, .. } => {
            let name = program.library.statuses.get(usize::from(*status)).map_or("", |status| status.name.as_str());
            format!("{} {name}", w.option)
        }
        AbilityKind::Activated { play } => format!("{} {}", w.activated, play.name),
    };
    let file = program.library.files.get(ability.source.file as usize).map_or("", String::as_str);
    lines.push(format!("{indent}- {kind}   {file}:{}", ability.source.line));
    for site in sites(program, &bodies(&ability.kind)) {
        let Some(it) = program.library.sites.get(site.index()) else { continue };
        let when = if is_announced(&ability.kind) && program.is_lifted(site) { w.on_announcement } else { w.on_resolution };
        // in words, else as it is written
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
        lines.push(format!("{indent}    {text}{marks}: {when}"));
    }
}

/// The statements of an ability.
fn bodies(kind: &AbilityKind) -> Vec<FnId> {
    match kind {
        AbilityKind::Triggered { body, .. } | AbilityKind::Replacement { body, .. } | AbilityKind::Paragraph { body } => {
            vec![*body]
        }
        AbilityKind::Activated { play } => play.cost.into_iter().chain([play.body]).collect(),
        AbilityKind::Cost { body, .. } => vec![*body],
        AbilityKind::Option { cost, .. } => cost.iter().copied().collect(),
        AbilityKind::Prohibition { .. } | AbilityKind::TriggerModifier { .. } | AbilityKind::Static { .. } => Vec::new(),
    }
}

/// The choice sites of functions, in the order of the text.
fn sites(program: &Program, functions: &[FnId]) -> Vec<ChoiceSiteId> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for op in functions.iter().filter_map(|id| program.function(*id)).flat_map(|function| &function.ops) {
        if let Op::Choose { site, .. } | Op::ChooseModes { site, .. } | Op::Ask { site, .. } = op
            && seen.insert(*site)
        {
            found.push(*site);
        }
    }
    found
}
