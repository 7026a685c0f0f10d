//! `fizzle print` (alias `sheet`): lays out cards with their rules texts, as an HTML page for printing, Markdown, JSON, or plain text.

use super::explain::{FactLister, Language, RulesTexts};
use crate::card_face::{self, CardFace};
use crate::failure::{CommandError, ExitStatus};
use crate::load::{LoadPurpose, load_for, plural};
use crate::output::{self, MessageFormat, wrap};
use crate::{game_setup, text_gaps};
use fizzle::files::displayed_path;
use fizzle_runtime::ir::DefId;
use serde_json::json;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Lays out cards with their rules texts, as a page for printing, Markdown, JSON, or plain text.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files, directories, a compiled pack, or names of shipped games
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// Show the cards with the errata and texts of this format (default: as printed)
    #[arg(long, value_name = "F")]
    format: Option<String>,
    /// The language of the texts
    #[arg(long, value_enum, default_value_t)]
    lang: Language,
    /// The file to write: `.html` for a page to be printed, `.md`, `.json`, or `.txt` (default: plain text on the terminal)
    #[arg(short, long, alias = "out", value_name = "FILE")]
    output: Option<PathBuf>,
}

/// How a sheet is written.
#[derive(Clone, Copy)]
struct Layout {
    write: fn(&[SheetCard], Language) -> String,
    /// Whether it shows the facts of the cards.
    has_facts: bool,
}

impl Layout {
    const fn new(write: fn(&[SheetCard], Language) -> String) -> Self {
        Self { write, has_facts: false }
    }
}

/// The layouts, by the end of the name of the file.
const LAYOUTS: [(&str, Layout); 6] = [
    ("html", Layout::new(page)),
    ("htm", Layout::new(page)),
    ("md", Layout::new(|cards, _| markdown(cards))),
    ("json", Layout { write: |cards, _| json(cards), has_facts: true }),
    ("txt", Layout::new(|cards, _| plain(cards, None))),
    ("", Layout::new(|cards, _| plain(cards, None))),
];

/// The layout of a file.
fn layout_of(path: &Path) -> Result<Layout, CommandError> {
    let end = path.extension().map_or_else(String::new, |end| end.to_string_lossy().to_lowercase());
    let found = LAYOUTS.iter().find(|(known, _)| *known == end);
    found.map(|(_, layout)| *layout).ok_or_else(|| CommandError::Usage {
        message: format!("cannot write `{}`: cards are written as `.html`, `.md`, `.json` or `.txt`", displayed_path(path)),
        help: Some(match end.as_str() {
            "pdf" => "write `.html`, and print the page from a browser into a PDF".to_owned(),
            _ => "write `--output cards.html` for a page to be printed".to_owned(),
        }),
    })
}

/// A card of the sheet, or a face of one.
struct SheetCard {
    /// The name in the source.
    source: String,
    /// Everything that it writes, as the source names it; empty if the layout does not show it.
    facts: Vec<String>,
    face: CardFace,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    let extra: Vec<&str> = args.format.iter().map(String::as_str).collect();
    let compiled = load_for(LoadPurpose::Texts, &args.paths, &extra, true, MessageFormat::Human)?;
    if let Some(path) = &args.output {
        crate::files::check_output(path)?;
    }
    let layout = args.output.as_deref().map_or(Ok(Layout::new(|cards, _| plain(cards, wrap::terminal_width()))), layout_of)?;
    let picked = args.format.as_ref().map(|name| game_setup::find_format(&compiled.artifact, name)).transpose()?;
    let mut cards = Vec::new();
    for game in &compiled.artifact.games {
        if picked.is_some_and(|picked| !std::ptr::eq(picked.game, game)) {
            continue;
        }
        let format = picked.and_then(|picked| picked.game.formats.get(picked.index));
        let has_texts = game.texts.iter().any(|texts| texts.language == args.lang.code() && texts.format.is_empty());
        let rules_texts = RulesTexts::new(game, format, args.lang);
        let lister = layout.has_facts.then(|| FactLister::new(game));
        let before = cards.len();
        let requested = game.library.definitions.numbered().skip(1).filter(|(_, definition)| {
            let file = game.library.files.get(definition.source.file as usize).map_or("", String::as_str);
            // Each face follows its card.
            !definition.part && compiled.is_requested(file)
        });
        let with_faces = requested
            .flat_map(|(index, definition)| std::iter::once(DefId(index as u32)).chain(definition.faces.iter().copied()));
        let shown: Vec<DefId> = with_faces.map(|card| rules_texts.card_in_format(card)).collect();
        let number = picked.map_or(0, |picked| picked.index);
        let printed = card_face::printed_cards(game, number, &shown, args.lang.into());
        for (card, printed) in shown.into_iter().zip(printed) {
            cards.push(SheetCard {
                source: game.library.definitions.get(card.index()).map_or_else(String::new, |card| card.name.clone()),
                facts: lister.as_ref().map_or_else(Vec::new, |lister| lister.facts(card)),
                face: CardFace { printed, text: rules_texts.lines(card) },
            });
        }
        if !has_texts && cards.len() > before {
            output::note(format!(
                "the game `{}` has no rules texts in `{}`: its cards are shown without them",
                game.name,
                args.lang.code()
            ));
        }
    }
    let texts: Vec<(&str, Vec<String>)> = cards.iter().map(|card| (card.source.as_str(), card.face.text.clone())).collect();
    text_gaps::report(&compiled.text_gaps, args.lang.code(), &texts);
    if cards.is_empty() {
        return Err(CommandError::Problem(format!("there is no card in {}: nothing was written", quoted_names(&args.paths))));
    }
    let text = (layout.write)(&cards, args.lang);
    match &args.output {
        Some(path) => {
            crate::files::write(path, text.as_bytes())?;
            output::note(format!("{} in `{}`", plural(cards.len(), "card"), displayed_path(path)));
        }
        None => output::line(text.trim_end()),
    }
    Ok(ExitStatus::Success)
}

fn quoted_names(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Markdown: a heading for each card with its price, then its kinds, a paragraph for each line, and its numbers.
fn markdown(cards: &[SheetCard]) -> String {
    let escaped = |text: &str| {
        let mut escaped = String::new();
        for character in text.chars() {
            if r"\`*_[]<>#|~&".contains(character) {
                escaped.push('\\');
            }
            escaped.push(character);
        }
        escaped
    };
    let mut out = String::new();
    for card in cards {
        let [name, corner] = card.face.head().map(escaped);
        let gap = if corner.is_empty() { "" } else { " " };
        let _ = writeln!(out, "## {name}{gap}{corner}\n");
        let printed = &card.face.printed;
        let styled = |text: &str, mark: &str| (!text.is_empty()).then(|| format!("{mark}{}{mark}", escaped(text)));
        let before = [styled(&printed.line, "*"), styled(&printed.further.join(", "), "*")].into_iter().flatten();
        let text = card.face.text.iter().map(|line| escaped(line));
        for paragraph in before.chain(text).chain(styled(&printed.stat, "**")) {
            let _ = writeln!(out, "{paragraph}\n");
        }
    }
    format!("{}\n", out.trim_end())
}

/// A list of objects, one for each card and each face.
fn json(cards: &[SheetCard]) -> String {
    let object = |card: &SheetCard| {
        let printed = &card.face.printed;
        json!({
            "name": printed.name, "source": card.source, "corner": printed.corner, "line": printed.line, "stat": printed.stat,
            "facts": card.facts, "text": card.face.text,
        })
    };
    let lines: Vec<String> = cards.iter().map(|card| object(card).to_string()).collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

fn plain(cards: &[SheetCard], width: Option<usize>) -> String {
    let mut out = String::new();
    for card in cards {
        for line in card.face.lines(width) {
            let _ = writeln!(out, "{line}");
        }
        out.push('\n');
    }
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

/// The style of the page: nine cards of 63 by 88 mm on a sheet of A4 or Letter. A card with a longer text grows; nothing is cut off.
const STYLE: &str = "body{margin:8mm;font:9pt/1.35 serif}main{display:grid;grid-template-columns:repeat(3,63mm);gap:3mm}\
article{box-sizing:border-box;width:63mm;min-height:88mm;padding:3mm;border:.3mm solid #333;border-radius:3mm;overflow-wrap:anywhere;\
break-inside:avoid;display:grid;grid-template-columns:1fr auto;align-content:start}h2{margin:0 0 1mm;font-size:10pt}\
p{margin:0 0 1.2mm;grid-column:1/3}.corner{grid-column:2;font-weight:bold;font-size:10pt}\
.facts{margin:0 0 2mm;padding-bottom:1mm;border-bottom:.2mm solid #999;font-size:7.5pt;color:#444}\
.stat{margin:0;text-align:right;font-weight:bold;font-size:10pt}@page{margin:4mm}@media print{body{margin:0}}";

fn page(cards: &[SheetCard], lang: Language) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<meta charset=\"utf-8\">\n<title>Cards</title>\n<style>{STYLE}</style>\n<main>\n",
        lang.code()
    );
    for card in cards {
        let [name, corner] = card.face.head().map(escaped);
        let _ = writeln!(out, "<article><h2>{name}</h2><p class=\"corner\">{corner}</p>");
        let printed = &card.face.printed;
        let facts = std::iter::once(printed.line.clone()).chain(printed.further.iter().cloned());
        let facts: Vec<String> = facts.filter(|fact| !fact.is_empty()).collect();
        let _ = writeln!(out, "<p class=\"facts\">{}</p>", escaped(&facts.join(", ")));
        for line in &card.face.text {
            let _ = writeln!(out, "<p>{}</p>", escaped(line));
        }
        if !printed.stat.is_empty() {
            let _ = writeln!(out, "<p class=\"stat\">{}</p>", escaped(&printed.stat));
        }
        out.push_str("</article>\n");
    }
    out.push_str("</main>\n</html>\n");
    out
}
