//! `fizzle explain`: explains a card in each format, the turn and rules of a format, a declared name, a word of the language, a diagnostic
//! code, or shows a location in a shipped file. Lists the declared words of a kind. Searches words, recipes and cards for anything else.

mod declaration;
mod differences;
mod list;
mod rules;
mod search_results;
mod source_location;
mod turn;

use crate::card_face::{self, CardFace};
use crate::failure::{CommandError, ExitStatus};
use crate::game_setup;
use crate::load::{LoadPurpose, LoadedGames, compile_games, is_compiled_pack, load_cards};
use crate::output::{self, MessageFormat, Style, wrap};
use crate::paths::SourceSet;
use crate::shipped;
use crate::text_gaps;
use crate::vocabulary::{Vocabulary, WordKind, with_games};
use clap::ValueEnum;
use declaration::Explanation;
use fizzle_compiler::Sources;
use fizzle_compiler::diagnostics::codes;
use fizzle_compiler::packs::is_fixture_path;
use fizzle_compiler::session::Game;
use fizzle_runtime::ir::op::Source;
use fizzle_runtime::ir::{CardText, CompiledGame, DefId, Definition, Format, Texts, Type, Variable};
use fizzle_runtime::program::Program;
use fizzle_table::protocol::Lang;
use fizzle_workbench::labels::Labels;
use fizzle_workbench::notes::CardNotes;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The language of an explanation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Japanese.
    Ja,
}

impl From<Language> for Lang {
    fn from(language: Language) -> Self {
        match language {
            Language::En => Self::En,
            Language::Ja => Self::Ja,
        }
    }
}

impl Language {
    /// Its ISO 639-1 code.
    pub fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ja => "ja",
        }
    }
}

/// Explains a card, a format, a declared name, a word of the language, or a message code; searches for anything else.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A card or format; a keyword, verb, action, zone, property, step or other declared name; a message code such as `E0201`; a location in
    /// a shipped file as messages show it (`shipped:magic/rules/zones.fz:12`); any words to search for in names, meanings, recipes and
    /// texts of cards (with `--list`: the first PATH)
    #[arg(value_name = "CARD-OR-WORDS-OR-CODE", required_unless_present_any = ["reference", "list"])]
    what: Option<String>,
    /// Files, directories or a compiled pack with the card, if it is not shipped
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// Explain it for this format only
    #[arg(long, value_name = "F")]
    format: Option<String>,
    /// The language of the explanation
    #[arg(long, value_enum, default_value_t)]
    lang: Language,
    /// List the words of these kinds that the games declare, with their meanings
    #[arg(long, value_enum, value_name = "KIND", value_delimiter = ',')]
    list: Vec<WordKind>,
    /// Search, even if something has this name
    #[arg(long, conflicts_with = "list")]
    search: bool,
    /// The format of a list
    #[arg(long, value_enum, default_value_t)]
    message_format: MessageFormat,
    /// Print the reference of the language instead, as `fizzle reference` does
    #[arg(long, exclusive = true, hide = true)]
    reference: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    if args.reference {
        return super::reference::run_reference();
    }
    if !args.list.is_empty() {
        // there is nothing to explain: the first argument is a path, too
        let paths: Vec<String> = args.what.iter().chain(&args.paths).cloned().collect();
        refuse_compiled(&paths)?;
        let given = SourceSet::read_paths(&paths, &shipped_names(args, &paths), true)?;
        return list::list(&given, args).map(|()| ExitStatus::Success);
    }
    let what = args.what.as_deref().unwrap_or_default();
    if args.search {
        refuse_compiled(&args.paths)?;
        let given = SourceSet::read_paths(&args.paths, &shipped_names(args, &args.paths), true)?;
        let vocabularies = vocabularies(&given);
        let loaded = compile_games(given, MessageFormat::Human, LoadPurpose::Texts).ok();
        let is_found = search_results::search(what, search_results::Wanted::Texts, &vocabularies, loaded.as_ref(), args);
        return if is_found { Ok(ExitStatus::Success) } else { Err(not_found(what)) };
    }
    if let Some(shown) = source_location::show(what) {
        return shown.map(|()| ExitStatus::Success);
    }
    if let Some(code) = codes::find(what) {
        output::line(format!("{} ({}): {}\n", code.code, code.severity.word(), code.summary));
        output::line(code.explanation().trim_end());
        return Ok(ExitStatus::Success);
    }
    if is_code(what) {
        return Err(CommandError::unknown_name("code", what, codes::CODES.iter().map(|code| code.code)));
    }
    let everything = shipped_names(args, &args.paths);
    let name = what.trim_matches(['"', '《', '》']);
    let mut known = None;
    let sources = if has_compiled_pack(args) {
        None
    } else {
        Some(SourceSet::read_paths(&args.paths, &everything, true).map_err(|failure| with_pack_help(failure, args, what))?)
    };
    if let Some(given) = &sources {
        match declaration::explain(given, name, args.format.as_deref()) {
            Explanation::Shown { is_also_card: false } => return Ok(ExitStatus::Success),
            Explanation::Shown { is_also_card: true } | Explanation::NotShown => {}
            Explanation::NotFound(names) => known = Some(names),
        }
    }
    let compiled = load_cards(LoadPurpose::Texts, &args.paths, &everything, &[name].into(), MessageFormat::Human)
        .map_err(|failure| with_pack_help(failure, args, what))?;
    if let Ok(picked) = game_setup::find_format(&compiled.artifact, name)
        && let Some(format) = picked.format()
    {
        turn::show(&picked.game.library, format);
        rules::show(picked.game, format, args.lang, sources.as_ref());
        if let Some(given) = &sources {
            differences::show(given, name);
        }
        return Ok(ExitStatus::Success);
    }
    if explain_cards(&compiled, args, name)? {
        return Ok(ExitStatus::Success);
    }
    let unknown = known.map_or_else(|| unknown_card(&compiled, name), |names| unknown_word(name, &names));
    // a similar name is more likely meant than words somewhere in a text
    let is_misspelt = matches!(&unknown, CommandError::Usage { help: Some(help), .. } if help.starts_with("did"));
    let wanted = if is_misspelt { search_results::Wanted::Names } else { search_results::Wanted::Texts };
    if sources.is_some_and(|given| search_results::search(name, wanted, &vocabularies(&given), Some(&compiled), args)) {
        return Ok(ExitStatus::Success);
    }
    Err(with_pack_help(unknown, args, what))
}

/// The shipped packs to read: those of the format; all if there is neither a format nor a path.
fn shipped_names<'a>(args: &'a Args, paths: &[String]) -> Vec<&'a str> {
    match &args.format {
        Some(format) => vec![format],
        None if paths.is_empty() => shipped::packs().iter().map(|pack| pack.name.as_str()).collect(),
        None => Vec::new(),
    }
}

fn has_compiled_pack(args: &Args) -> bool {
    args.paths.iter().any(|path| is_compiled_pack(path))
}

/// Refuses compiled packs, which have no words with meanings.
fn refuse_compiled(paths: &[String]) -> Result<(), CommandError> {
    let Some(compiled) = paths.iter().find(|path| is_compiled_pack(path)) else { return Ok(()) };
    let message = format!("`{compiled}` is a compiled pack: words are listed and searched in sources");
    let help = "name the folder of its sources, or leave it out to search the shipped games".to_owned();
    Err(CommandError::Usage { message, help: Some(help) })
}

/// Whether a text has Japanese characters: kana or ideographs.
fn is_japanese(text: &str) -> bool {
    text.chars().any(|letter| matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'))
}

/// The vocabularies of the games of some sources.
fn vocabularies(given: &SourceSet) -> Vec<Vocabulary> {
    let collect = |games: &[Game<'_>], sources: &Sources| games.iter().map(|game| Vocabulary::of(game, sources)).collect();
    with_games(given, collect)
}

fn not_found(words: &str) -> CommandError {
    CommandError::usage(format!("`{words}` occurs in no name, meaning, recipe or text of a card"))
}

/// Prints the cards of a name, game by game. Returns whether there is one.
fn explain_cards(compiled: &LoadedGames, args: &Args, name: &str) -> Result<bool, CommandError> {
    let mut found = false;
    for game in &compiled.artifact.games {
        let Some(card) = find_card(game, name) else { continue };
        found = true;
        let formats: Vec<usize> = match &args.format {
            Some(format) => vec![game_setup::find_format(&compiled.artifact, format)?.index],
            None => (0..game.formats.len()).collect(),
        };
        let mut shown_texts = Vec::new();
        explain_card(game, card, &formats, args.lang, &mut shown_texts)?;
        text_gaps::report(&compiled.text_gaps, args.lang.code(), &shown_texts);
    }
    Ok(found)
}

/// The error for a name that is neither declared nor part of the language.
fn unknown_word(name: &str, names: &BTreeSet<String>) -> CommandError {
    CommandError::unknown_name(
        "card, format, keyword, verb, action, zone, property or step",
        name,
        names.iter().map(String::as_str),
    )
}

/// If no path was given and no similar name is suggested, replaces the help by the command that searches the user's own pack.
fn with_pack_help(failure: CommandError, args: &Args, what: &str) -> CommandError {
    match failure {
        CommandError::Usage { message, help }
            if args.paths.is_empty() && help.as_ref().is_none_or(|help| !help.starts_with("did")) =>
        {
            let format = args.format.as_ref().map_or_else(String::new, |format| format!(" --format {format}"));
            let help = format!("to search your own pack: `fizzle explain \"{what}\" PACK{format}`");
            CommandError::Usage { message, help: Some(help) }
        }
        other => other,
    }
}

fn is_code(text: &str) -> bool {
    let rest = text.strip_prefix(['E', 'W', 'e', 'w']);
    rest.is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()))
}

fn unknown_card(compiled: &LoadedGames, name: &str) -> CommandError {
    let names: Vec<&str> = compiled
        .artifact
        .games
        .iter()
        .flat_map(|g| g.library.definitions.present())
        .skip(1)
        .map(|card| card.name.as_str())
        .collect();
    CommandError::unknown_name("card", name, names)
}

/// The first card with a name.
fn find_card(game: &CompiledGame, name: &str) -> Option<DefId> {
    let found = game.library.definitions.numbered().find(|(number, card)| *number != 0 && card.name == name);
    found.map(|(number, _)| DefId(number as u32))
}

/// Prints a card and its faces, each as it is printed, then what it does in each format. Appends the printed rules texts to `shown_texts`,
/// with the name of the card.
fn explain_card<'g>(
    game: &'g CompiledGame,
    printed: DefId,
    formats: &[usize],
    lang: Language,
    shown_texts: &mut Vec<(&'g str, Vec<String>)>,
) -> Result<(), CommandError> {
    // The card brings its faces with it. The first program lays out what all formats share.
    let first = if let [only] = formats { *only } else { 0 };
    let link = |index: usize| Program::link_to_show(game, index, &[printed]).map(Arc::new);
    let linked = link(first).ok_or_else(|| CommandError::Defect("cannot link the format".into()))?;
    let of = |index: &usize| if *index == first { Some(Arc::clone(&linked)) } else { link(*index) };
    let known: Option<Vec<Arc<Program>>> = formats.iter().filter(|index| game.formats.len() > **index).map(of).collect();
    let known = known.ok_or_else(|| CommandError::Defect("cannot link the format".into()))?;
    let programs: Vec<Arc<Program>> = std::iter::once(Arc::clone(&linked)).chain(known).collect();
    explain_face(game, printed, (formats, &programs), lang, shown_texts);
    Ok(())
}

/// As [`explain_card`], for a card or a face of it. `formats`: with the program that lays out the card as the game prints it, and that of each.
fn explain_face<'g>(
    game: &'g CompiledGame,
    printed: DefId,
    (formats, all_programs): (&[usize], &[Arc<Program>]),
    lang: Language,
    shown_texts: &mut Vec<(&'g str, Vec<String>)>,
) {
    let w = Labels::of(lang.into());
    // with one format its errata are shown; with several the printed card
    let only = if let [index] = formats { game.formats.get(*index) } else { None };
    let card = only.map_or(printed, |format| format.corrected(printed));
    let Some(definition) = game.library.definitions.get(card.index()) else { return };
    let Some((first, programs)) = all_programs.split_first() else { return };
    let face = |program: &Arc<Program>, format: Option<&Format>, card: DefId| CardFace {
        printed: card_face::printed_by(game, program, card, lang.into()),
        text: rules_text(game, format, card, lang),
    };
    let base = face(first, only, card);
    print_face(&base, &definition.name, &location(game, definition.source));
    if is_made_up(game, definition) {
        output::line("  made up for scenarios: only decks of its pack can name it");
    }
    shown_texts.push((&definition.name, base.text.clone()));
    // Formats with the same lines share a section, under the first of them.
    // The name of a format, its title and status, further formats with the same lines, and the lines.
    let mut sections: Vec<(&str, String, Vec<String>, Vec<String>)> = Vec::new();
    for (format, program) in formats.iter().filter_map(|index| game.formats.get(*index)).zip(programs) {
        let here = format.corrected(printed);
        let mut lines = CardNotes::new(game, program, format, here, lang.into()).lines(lang.into());
        let own = face(program, Some(format), here);
        let changes = differing_lines(&base, &own);
        if !changes.is_empty() {
            shown_texts.push((&definition.name, own.text.clone()));
            lines.splice(0..0, changes);
        }
        let status = legality(format, printed, w);
        match sections.iter_mut().find(|(.., known)| *known == lines) {
            Some((_, _, others, _)) => others.push(format!("{}{status}", format.name)),
            None => {
                let is_titled = !format.title.is_empty() && format.title != format.name;
                let title = if is_titled { format!(" ({})", format.title) } else { String::new() };
                sections.push((&format.name, format!("{title}{status}"), Vec::new(), lines));
            }
        }
    }
    for (name, status, others, lines) in &sections {
        output::line("");
        output::styled_line(Style::Bold, name, status);
        for line in lines {
            output::line(line);
        }
        if !others.is_empty() {
            output::line(format!("  {} {}", w.the_same_in, others.join(", ")));
        }
    }
    output::line("");
    for face in &definition.faces {
        explain_face(game, *face, (formats, all_programs), lang, shown_texts);
    }
}

/// A card as a format prints it; `None`: as the game does.
fn card_face(game: &CompiledGame, format: Option<&Format>, card: DefId, lang: Language) -> CardFace {
    CardFace { printed: card_face::printed(game, format, card, lang.into()), text: rules_text(game, format, card, lang) }
}

/// Prints a card, with its name in the source if it has another one, and its place.
fn print_face(face: &CardFace, source_name: &str, place: &str) {
    let lines = face.lines(wrap::terminal_width());
    let Some((head, body)) = lines.split_first() else { return };
    let name = &face.printed.name;
    output::styled_line(Style::Bold, name, head.get(name.len()..).unwrap_or_default());
    for line in body {
        output::line(line);
    }
    let named = if name == source_name { String::new() } else { format!("{source_name}   ") };
    output::line(format!("  {named}{place}"));
}

/// What a card of a format has in place of the lines of its base: each line that is not in both, `-` before one of the base, and `+`.
fn differing_lines(base: &CardFace, own: &CardFace) -> Vec<String> {
    let lines = |face: &CardFace| -> Vec<String> {
        let head = face.head().join(" ").trim_end().to_owned();
        std::iter::once(head).chain(face.paragraphs()).collect()
    };
    let (base, own) = (lines(base), lines(own));
    let only_in = |these: &[String], those: &[String], sign: char| {
        let differing = these.iter().filter(|line| !those.contains(line)).map(move |line| format!("  {sign} {line}"));
        differing.collect::<Vec<_>>()
    };
    let mut changes = only_in(&base, &own, '-');
    changes.extend(only_in(&own, &base, '+'));
    changes
}

/// The rules text of a card for players: the text of the format, else of the nearest format that it extends, else of the game.
pub fn rules_text(game: &CompiledGame, format: Option<&Format>, card: DefId, lang: Language) -> Vec<String> {
    let [own, printed] = texts_of_format(game, format, lang);
    text_lines(own.and_then(|texts| texts.of(card)).or_else(|| printed.and_then(|texts| texts.of(card))))
}

/// The texts of a format, or of the nearest format that it extends and that has any; and those of the game.
fn texts_of_format<'g>(game: &'g CompiledGame, format: Option<&'g Format>, lang: Language) -> [Option<&'g Texts>; 2] {
    let of = |name: &str| game.texts.iter().find(|texts| texts.language == lang.code() && texts.format == name);
    let (mut next, mut texts) = (format, None);
    for _ in 0..=game.formats.len() {
        let Some(format) = next else { break };
        texts = of(&format.name);
        let base = format.base.as_ref().filter(|_| texts.is_none());
        next = base.and_then(|base| game.formats.iter().find(|known| known.name == *base));
    }
    [texts, of("")]
}

fn text_lines(text: Option<&CardText>) -> Vec<String> {
    let lines = text.map_or(&[][..], |text| text.lines.as_slice());
    lines.iter().flat_map(|line| line.lines()).map(str::to_owned).collect()
}

/// The cards of a format with their rules texts by number, for commands that show many of them.
pub struct RulesTexts<'g> {
    /// The texts of the format, then those of the game.
    texts: [BTreeMap<u32, &'g CardText>; 2],
    /// The card with errata of each card that has some.
    errata: BTreeMap<u32, DefId>,
}

impl<'g> RulesTexts<'g> {
    /// Those of a format, or of the game.
    pub fn new(game: &'g CompiledGame, format: Option<&'g Format>, lang: Language) -> Self {
        let by_card = |texts: Option<&'g Texts>| {
            let cards = texts.into_iter().flat_map(|texts| &texts.cards).rev();
            cards.map(|text| (text.card, text)).collect()
        };
        let errata = format.into_iter().flat_map(|format| &format.errata).rev();
        Self { texts: texts_of_format(game, format, lang).map(by_card), errata: errata.map(|(from, to)| (from.0, *to)).collect() }
    }

    /// As [`rules_text`].
    pub fn lines(&self, card: DefId) -> Vec<String> {
        text_lines(self.texts.iter().find_map(|texts| texts.get(&card.0)).copied())
    }

    /// As [`Format::corrected`].
    pub fn card_in_format(&self, card: DefId) -> DefId {
        self.errata.get(&card.0).copied().unwrap_or(card)
    }
}

/// Whether a card is made up for the scenarios of its pack: only decks of this pack can name it.
fn is_made_up(game: &CompiledGame, card: &Definition) -> bool {
    game.library.files.get(card.source.file as usize).is_some_and(|path| is_fixture_path(path))
}

fn location(game: &CompiledGame, source: Source) -> String {
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

/// Lists what is printed on the cards of a game.
pub struct FactLister<'g> {
    game: &'g CompiledGame,
    /// The properties whose names are the end of the name of a property, by its number: `power` of `original_power`. Names are compared once
    /// for all cards.
    shorter_properties: Vec<Vec<usize>>,
}

impl<'g> FactLister<'g> {
    /// For the cards of a game.
    pub fn new(game: &'g CompiledGame) -> Self {
        let properties = &game.library.properties;
        let mut by_name: BTreeMap<&str, usize> = BTreeMap::new();
        for (number, property) in properties.iter().enumerate() {
            by_name.entry(&property.name).or_insert(number);
        }
        let shorter_of = |property: &Variable| {
            let names = property.name.match_indices('_').filter_map(|(at, _)| property.name.get(at + 1..));
            names.filter_map(|name| by_name.get(name).copied()).collect()
        };
        Self { game, shorter_properties: properties.iter().map(shorter_of).collect() }
    }

    /// What is printed on the card: its words, then the properties that it writes or that differ from their initial value, then those that
    /// its text defines (`power *`).
    pub fn facts(&self, card: DefId) -> Vec<String> {
        let library = &self.game.library;
        let Some(definition) = library.definitions.get(card.index()) else { return Vec::new() };
        let mut facts = Vec::new();
        for (traits, words) in library.traits.iter().zip(&definition.words) {
            facts.extend(words.iter().filter_map(|word| traits.words.get(usize::from(*word)).cloned()));
        }
        let written: BTreeSet<u16> = definition.written.iter().copied().collect();
        let defined: BTreeSet<u16> = definition.defined.iter().copied().collect();
        for (number, (property, value)) in (0u16..).zip(library.properties.iter().zip(&definition.properties)) {
            let is_written = written.contains(&number);
            let list =
                |value: i32| library.lists.get(usize::try_from(value).unwrap_or(usize::MAX)).map_or(&[][..], Vec::as_slice);
            match property.ty {
                _ if defined.contains(&number) => facts.push(format!("{} *", property.name)),
                Type::Price if is_written || list(*value) != list(property.initial) => {
                    facts.push(format!("{} {}", property.name, self.game.format_price(*value)));
                }
                Type::Bool if *value != 0 => facts.push(property.name.clone()),
                Type::Price | Type::Bool => {}
                _ if is_written || *value != property.initial && !self.repeats_shorter_property(definition, number) => {
                    facts.push(format!("{} {value}", property.name));
                }
                _ => {}
            }
        }
        facts
    }

    /// Whether a property repeats the value of a property with a shorter name: `original_power` repeats `power`.
    fn repeats_shorter_property(&self, definition: &Definition, property: u16) -> bool {
        let own = definition.properties.get(usize::from(property));
        let shorter = self.shorter_properties.get(usize::from(property)).into_iter().flatten();
        shorter.filter_map(|shorter| definition.properties.get(*shorter)).any(|value| Some(value) == own)
    }
}

/// A card in a format, for players, as lines of a terminal: as it is printed. `None` if there is no card with this name.
pub fn card_text(game: &CompiledGame, format: &Format, name: &str) -> Option<Vec<String>> {
    let card = format.corrected(find_card(game, name)?);
    Some(card_face(game, Some(format), card, Language::En).lines(wrap::terminal_width()))
}
