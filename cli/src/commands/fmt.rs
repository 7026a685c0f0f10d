//! `fizzle fmt`: formats sources, and rewrites them into the newest edition of the language.

use crate::failure::{CommandError, ExitStatus};
use crate::files::{STDIN, STDIN_SHOWN};
use crate::load::plural;
use crate::output;
use crate::paths::{check_link_in_pack, find_sources, pack_root, read_source, read_source_to_replace};
use fizzle::files::displayed_path;
use fizzle_compiler::diagnostics::render::{MAX_DIAGNOSTICS_PRINTED, omission_message, shorten_quoted};
use fizzle_grammar::ast::{Item, ItemKind, Name};
use fizzle_grammar::item_splitter::MAX_ITEM_BYTES;
use fizzle_grammar::visit::{self, NameRole, Visitor};
use fizzle_grammar::{Edition, item_ranges};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Formats sources in place.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files or directories; `-` formats the standard input and prints the result
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// Change nothing; list the files that would change, and exit with status 1 if there are any
    #[arg(long)]
    check: bool,
    /// Rewrite packs of an older edition of the language into edition N, manifests included
    #[arg(long, value_name = "N")]
    edition: Option<u32>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    if let Some(number) = args.edition.filter(|number| Edition::from_number(*number) != Some(Edition::NEWEST)) {
        return Err(CommandError::usage(format!("cannot rewrite into edition {number}: write `--edition {}`", Edition::NEWEST)));
    }
    if args.paths.iter().any(|path| path == STDIN) {
        return format_stdin(args);
    }
    let mut files: Vec<PathBuf> = Vec::new();
    for path in &args.paths {
        let place = Path::new(path);
        if place.is_dir() {
            find_sources(place, pack_root(place).as_deref(), &[], &mut files)?;
        } else if place.exists() {
            // Writing through such a link would change a file of another pack, or no source at all.
            check_link_in_pack(place)?;
            files.push(place.to_owned());
        } else if crate::shipped::find_pack(path).is_some() {
            return Err(CommandError::usage(format!("`{path}` is a shipped pack and cannot be formatted")));
        } else {
            return Err(CommandError::usage(format!("there is no file `{path}`")));
        }
    }
    // A file that has two names, or is named twice, is formatted once.
    let mut seen = BTreeSet::new();
    files.retain(|file| seen.insert(file.canonicalize().unwrap_or_else(|_| file.clone())));
    let texts = files.iter().map(|file| read_source_to_replace(file)).collect::<Result<Vec<String>, _>>()?;
    let upgraded = args.edition.map(|_| upgrade(&files, &texts));
    let mut changed = 0;
    for (index, (file, text)) in files.iter().zip(&texts).enumerate() {
        let source = upgraded.as_ref().and_then(|upgraded| upgraded.texts.get(index)).unwrap_or(text);
        let formatted = format_source(source, &displayed_path(file));
        if formatted == *text {
            continue;
        }
        changed += 1;
        if args.check {
            output::line(displayed_path(file));
        } else {
            crate::files::replace(file, formatted.as_bytes())?;
        }
    }
    let problems = upgraded.map_or_else(|| syntax_problems(&files, &texts), |upgraded| upgraded.problems);
    print_problems(&problems);
    if args.check {
        return Ok(if changed > 0 || !problems.is_empty() { ExitStatus::Problems } else { ExitStatus::Success });
    }
    output::line(format!("{}, {changed} changed", plural(files.len(), "file")));
    Ok(if problems.is_empty() { ExitStatus::Success } else { ExitStatus::Problems })
}

/// Formats the standard input, and prints the result. With `--check`: prints its name if the result would differ.
fn format_stdin(args: &Args) -> Result<ExitStatus, CommandError> {
    if args.paths.len() > 1 {
        return Err(CommandError::usage("`-` is the standard input: pass it as the only path"));
    }
    let texts = [read_source(Path::new(STDIN))?];
    let upgraded = args.edition.map(|_| upgrade(&[PathBuf::from(STDIN_SHOWN)], &texts));
    let source = upgraded.as_ref().and_then(|upgraded| upgraded.texts.first()).or(texts.first()).map_or("", String::as_str);
    let formatted = format_source(source, STDIN_SHOWN);
    let problems = upgraded.map_or_else(|| syntax_problems(&[PathBuf::from(STDIN_SHOWN)], &texts), |upgraded| upgraded.problems);
    print_problems(&problems);
    let is_changed = texts.first().is_some_and(|text| *text != formatted);
    if !args.check {
        output::source(&formatted);
    } else if is_changed {
        output::line(STDIN_SHOWN);
    }
    Ok(if !problems.is_empty() || args.check && is_changed { ExitStatus::Problems } else { ExitStatus::Success })
}

/// Formats a source. Notes which items are left as they are.
fn format_source(source: &str, shown: &str) -> String {
    let formatted = fizzle_grammar::format_items(source);
    for start in formatted.unformatted {
        let line = line_of(source, start);
        output::note(format!(
            "{shown}:{line}: left as it is, since an item has at most {MAX_ITEM_BYTES} bytes, and this one would have more when formatted"
        ));
    }
    formatted.text
}

/// Whether an item of a text is longer than an item may be.
fn has_too_large_item(text: &str) -> bool {
    text.len() > MAX_ITEM_BYTES && item_ranges(text).iter().any(|item| (item.end - item.start) as usize > MAX_ITEM_BYTES)
}

/// The first syntax error of each source that has one. Such a source is formatted as well as it can be read.
fn syntax_problems(files: &[PathBuf], texts: &[String]) -> Vec<String> {
    let problem = |(file, text): (&PathBuf, &String)| {
        let parsed = fizzle_grammar::parse_file(0, text);
        let error = parsed.errors.iter().find(|error| !error.is_recoverable())?;
        let line = line_of(text, error.span.start);
        Some(format!("{}:{line}: formatted only in part, since it cannot be read: {error}", displayed_path(file)))
    };
    files.iter().zip(texts).filter_map(problem).collect()
}

/// Prints what could not be formatted or rewritten.
fn print_problems(problems: &[String]) {
    problems.iter().take(MAX_DIAGNOSTICS_PRINTED).for_each(|problem| output::note(shorten_quoted(problem)));
    if let Some(omitted) = problems.len().checked_sub(MAX_DIAGNOSTICS_PRINTED).filter(|omitted| *omitted > 0) {
        output::note(omission_message(omitted));
    }
}

/// Sources in the newest edition, and what could not be rewritten.
struct Upgraded {
    texts: Vec<String>,
    problems: Vec<String>,
}

/// Rewrites the sources of packs into the newest edition.
fn upgrade(files: &[PathBuf], texts: &[String]) -> Upgraded {
    let parsed: Vec<_> = texts.iter().map(|text| fizzle_grammar::parse_file(0, text)).collect();
    let mut declared = Declared::default();
    parsed.iter().flat_map(|file| &file.items).for_each(|item| visit::item(item, &mut declared));
    let mut upgraded = Upgraded { texts: Vec::new(), problems: Vec::new() };
    // A pack is rewritten as a whole, since its manifest says the edition of all of its files.
    let mut unchanged: BTreeMap<Option<PathBuf>, (String, String)> = BTreeMap::new();
    for (file, parsed) in files.iter().zip(&parsed) {
        if let Some(number) = unknown_edition(&parsed.items) {
            let message = format!("this program does not know edition {number} of the language");
            unchanged.insert(root_of(file), (displayed_path(file), message));
        }
    }
    for ((file, text), parsed) in files.iter().zip(texts).zip(&parsed) {
        if let Some(error) = parsed.errors.iter().find(|error| !error.is_recoverable()) {
            let line = line_of(text, error.span.start);
            upgraded.problems.push(format!("{}:{line}: not rewritten, since it cannot be read: {error}", displayed_path(file)));
            upgraded.texts.push(text.clone());
            continue;
        }
        let (rewritten, left_alone) = fizzle_grammar::upgrade(text, &parsed.items, |name| declared.names.contains(name));
        for spelling in left_alone {
            let (line, written, other) = (line_of(text, spelling.span.start), &spelling.written, &spelling.other);
            upgraded.problems.push(format!(
                "{}:{line}: `{written}` is left alone, since the game declares `{other}`: rename that declaration",
                displayed_path(file)
            ));
        }
        if has_too_large_item(&rewritten) && !has_too_large_item(text) {
            let message = format!("an item would have more than {MAX_ITEM_BYTES} bytes: write it as several items");
            unchanged.insert(root_of(file), (displayed_path(file), message));
        }
        upgraded.texts.push(with_newest_edition(&rewritten));
    }
    for ((file, text), upgraded) in files.iter().zip(texts).zip(&mut upgraded.texts) {
        if unchanged.contains_key(&root_of(file)) {
            upgraded.clone_from(text);
        }
    }
    let problem = |(file, message): (String, String)| format!("{file}: its pack is not rewritten, since {message}");
    upgraded.problems.extend(unchanged.into_values().map(problem));
    upgraded
}

/// The folder of the pack of a file; `None` without a manifest.
fn root_of(file: &Path) -> Option<PathBuf> {
    file.parent().and_then(pack_root)
}

/// The edition of a manifest that is not known.
fn unknown_edition(items: &[Item]) -> Option<u32> {
    items.iter().find_map(|item| match &item.kind {
        ItemKind::Pack(pack) => pack.edition.map(|(number, _)| number).filter(|number| Edition::from_number(*number).is_none()),
        _ => None,
    })
}

/// The text with the newest edition in its manifest, if it has one.
fn with_newest_edition(text: &str) -> String {
    let edition = Edition::NEWEST;
    let manifest = fizzle_grammar::parse_file(0, text).items.into_iter().find_map(|item| match item {
        Item { kind: ItemKind::Pack(pack), .. } => Some(pack),
        _ => None,
    });
    let Some(manifest) = manifest else { return text.to_owned() };
    let mut text = text.to_owned();
    match manifest.edition {
        Some((_, span)) => text.replace_range(span.start as usize..span.end as usize, &edition.to_string()),
        None => {
            let name_ends = manifest.name.span.end as usize;
            if let Some(brace) = text.get(name_ends..).and_then(|rest| rest.find('{')) {
                text.insert_str(name_ends + brace + 1, &format!(" edition {edition};"));
            }
        }
    }
    text
}

/// The number of the line of a byte, from 1 on.
fn line_of(text: &str, byte: u32) -> usize {
    text.get(..byte as usize).map_or(1, |before| before.matches('\n').count() + 1)
}

/// Names that sources declare.
#[derive(Default)]
struct Declared {
    names: BTreeSet<SmolStr>,
}

impl Visitor for Declared {
    fn name(&mut self, role: NameRole, name: &Name) {
        if matches!(role, NameRole::Declares(_) | NameRole::Replaces(_)) {
            self.names.insert(name.text.clone());
        }
    }

    fn path(&mut self, _: &fizzle_grammar::ast::Path) {}

    fn period(&mut self, _: &Name) {}

    fn enter(&mut self) {}

    fn event(&mut self, _: &Name) {}

    fn leave(&mut self) {}
}
