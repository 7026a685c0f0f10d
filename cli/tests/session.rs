//! Tests of incremental checks: after each edit, a session must report the same diagnostics as a compilation from scratch.
#![expect(clippy::unwrap_used, reason = "tests")]

use fizzle_compiler::diagnostics::render::render;
use fizzle_compiler::session::{CheckScope, Session};
use fizzle_compiler::{Compilation, Diagnostic, SourceFile, compile};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Diagnostics: file, first byte, code, and the rendered message.
type Findings = BTreeSet<(String, usize, String, String)>;

fn collect_sources(directory: &Path, found: &mut BTreeMap<String, String>) {
    let mut entries: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect_sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "fz") {
            found.insert(path.to_string_lossy().into_owned(), std::fs::read_to_string(&path).unwrap());
        }
    }
}

fn pack(name: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    collect_sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../cards").join(name), &mut found);
    found
}

fn findings_of_compile(files: &BTreeMap<String, String>) -> Findings {
    let files = files.iter().map(|(path, text)| SourceFile { path: path.clone(), text: text.clone() }).collect();
    findings(&compile(files))
}

fn findings_of_session(session: &Session) -> Findings {
    findings(&session.to_compilation())
}

fn findings(compilation: &Compilation) -> Findings {
    let sources = &compilation.sources;
    let one = |problem: &Diagnostic| {
        let path = sources.path(problem.span.file).to_owned();
        (path, problem.span.start as usize, problem.code.code.to_owned(), render(problem, sources, false))
    };
    compilation.diagnostics.iter().map(one).collect()
}

/// A linear congruential generator.
struct RandomNumbers(u64);

impl RandomNumbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// Applies a random edit: inserts or removes a character, or removes or duplicates a line.
fn random_edit(text: &str, numbers: &mut RandomNumbers) -> String {
    let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let at = places.get(numbers.below(places.len())).copied().unwrap_or(0);
    let (before, after) = text.split_at(at);
    match numbers.below(6) {
        0 => format!("{before}x{after}"),
        1 => format!("{before}{}", after.chars().skip(1).collect::<String>()),
        2 => format!("{before}\n{after}"),
        3 => {
            let line = before.rfind('\n').map_or(0, |newline| newline + 1);
            let next = after.find('\n').map_or(text.len(), |newline| at + newline + 1);
            format!("{}{}", &text[..line], &text[next..])
        }
        4 => {
            let line = before.rfind('\n').map_or(0, |newline| newline + 1);
            let next = after.find('\n').map_or(text.len(), |newline| at + newline + 1);
            format!("{}{}{}", &text[..next], &text[line..next], &text[next..])
        }
        _ => format!("{before}{}{after}", numbers.below(10)),
    }
}

/// Applies random edits to a pack, undoes each, and compares the session with a compilation each time. `FIZZLE_EDITS` overrides the
/// number of edits (400 take two minutes for Magic).
fn check_random_edits(name: &str, edits: usize, seed: u64) {
    let edits = std::env::var("FIZZLE_EDITS").ok().and_then(|edits| edits.parse().ok()).unwrap_or(edits);
    let mut files = pack(name);
    let mut session = Session::default();
    for (path, text) in &files {
        session.set(path, text);
    }
    assert_eq!(session.check(), CheckScope::All);
    assert_eq!(findings_of_session(&session), findings_of_compile(&files));
    let paths: Vec<String> = files.keys().cloned().collect();
    let mut numbers = RandomNumbers(seed);
    let mut incremental_checks = 0;
    for round in 0..edits {
        let path = &paths[numbers.below(paths.len())];
        let before = files[path].clone();
        let after = random_edit(&before, &mut numbers);
        for text in [after, before] {
            session.set(path, &text);
            let previous = findings_of_session(&session);
            let checked = session.check();
            files.insert(path.clone(), text);
            let found = findings_of_session(&session);
            if let CheckScope::Files(checked_files) = &checked {
                incremental_checks += 1;
                let reported_paths: BTreeSet<String> =
                    checked_files.iter().map(|file| session.store().document(*file).unwrap().path.to_string()).collect();
                let unreported =
                    |found: &Findings| found.iter().filter(|one| !reported_paths.contains(&one.0)).cloned().collect::<Findings>();
                assert_eq!(
                    unreported(&previous),
                    unreported(&found),
                    "round {round}: diagnostics changed in a file that was not reported as checked, after an edit of {path}"
                );
            }
            assert_eq!(found, findings_of_compile(&files), "round {round}, {path}");
        }
    }
    assert!(
        edits < 5 || incremental_checks > edits / 4,
        "most checks should be incremental, but only {incremental_checks} were, in {edits} rounds"
    );
}

#[test]
fn random_edits_of_duel_masters_match_a_compilation() {
    check_random_edits("duel_masters", 6, 1);
}

#[test]
fn two_packs_match_a_compilation() {
    let mut both = pack("duel_masters");
    both.extend(pack("duel_magic"));
    let mut session = Session::default();
    both.iter().for_each(|(path, text)| session.set(path, text));
    session.check();
    assert_eq!(findings_of_session(&session), findings_of_compile(&both));
}

#[test]
fn random_edits_of_yugioh_match_a_compilation() {
    check_random_edits("yugioh", 3, 2);
}

#[test]
fn random_edits_of_magic_match_a_compilation() {
    check_random_edits("magic", 6, 3);
}

#[test]
fn card_errors_remain_when_other_bodies_change() {
    let mut files = pack("duel_masters");
    let mut session = Session::default();
    let cards = files.keys().find(|path| path.contains("/cards/")).unwrap().clone();
    files.entry(cards).and_modify(|text| text.push_str("\ncard \"Wrong\" { creature fire cost 1 powr 1000 }\n"));
    files.iter().for_each(|(path, text)| session.set(path, text));
    session.check();
    let before = findings_of_session(&session);
    assert_eq!(before.len(), 1);
    let tap = "action tap(it) { tapped of it = true }";
    let rules = files.iter().find(|(_, text)| text.contains(tap)).unwrap().0.clone();
    for (from, to) in [(tap, "action tap(it) { tappd of it = true }"), ("tappd of it", "tapped of it")] {
        files.entry(rules.clone()).and_modify(|text| *text = text.replace(from, to));
        session.set(&rules, &files[&rules]);
        assert_eq!(session.check(), CheckScope::All);
        assert_eq!(findings_of_session(&session), findings_of_compile(&files));
    }
    assert_eq!(findings_of_session(&session), before);
}

const OWN_PACK: &str = "pack own { edition 1  extends duel_masters  deny W0702 }
keyword shy { this cannot attack }
keyword loud { activated \"shout\" { cost { tap this }  does { draw 1 } } }
action shine(it: object) { }
card \"Own\" { creature fire cost 1 power 1000  loud
  // allow W0701: later
  when this enters battle { let n = 3 }
  when this is shined { let m = 1
    let m = m + 1
    draw m }
}
format bold extends duel_masters { remove keyword.shy  deck rules { main 1 } }
deck \"D\" { format bold  main { 1 \"Own\" } }
scenario \"a shout\" {
  position { A: { battle \"Own\" as own } B: { } }
  at A's turn.main
  A shouts own
}
";

/// Warnings that depend on the whole pack (unused names, lint levels, allowances) appear and disappear as soon as an edit elsewhere
/// causes it.
#[test]
fn global_warnings_match_a_compilation() {
    let mut files = pack("duel_masters");
    files.insert("own/pack.fz".to_owned(), OWN_PACK.to_owned());
    files.insert("own/more.fz".to_owned(), "card \"More\" { creature fire cost 1 power 1000 }\n".to_owned());
    let mut session = Session::default();
    files.iter().for_each(|(path, text)| session.set(path, text));
    session.check();
    let codes = |found: &Findings| found.iter().map(|one| one.2.clone()).collect::<Vec<_>>();
    assert_eq!(codes(&findings_of_session(&session)), ["W0705", "W0702", "W0708"]);
    let edits = [
        ("own/pack.fz", "{ 1 \"Own\" }", "{ 2 \"Own\" }"),
        ("own/pack.fz", "  deny W0702", ""),
        ("own/more.fz", "cost 1", "cost 1 shy"),
        ("own/more.fz", "shy", "shy does { shine this }"),
        ("own/more.fz", " does { shine this }", " does { shine thsi }"),
        ("own/more.fz", "thsi", "this"),
        ("own/pack.fz", "power 1000  loud", "power 1000"),
        ("own/pack.fz", "{ main 1 }", "{ main 2 }"),
        ("own/more.fz", "shy", "loud"),
        ("own/pack.fz", "let n = 3", "draw 3"),
        ("own/more.fz", "shine this", "draw 1"),
        ("own/more.fz", "loud", "lou d"),
        ("own/pack.fz", "loud {", "loud(n: number) {"),
        ("own/more.fz", "lou d", "loud(1)"),
        ("own/more.fz", "loud(1)", ""),
        ("own/more.fz", "card \"More\"", "zone limbo { shared; public }\nnoun lost = card in limbo\ncard \"More\""),
        ("own/more.fz", "power 1000", "power 1000  when this is destroyed { put this into limbo }"),
        ("own/more.fz", "put this into limbo", "put this into your hand"),
        (
            "own/more.fz",
            "card \"More\"",
            "format echo extends duel_masters { errata \"Echo\" { creature fire cost 1 power 1000 } }\n\
             card \"Echo\" { creature fire cost 1 power 2000 }\ncard \"More\"",
        ),
        ("own/more.fz", "power 2000", "power 1000"),
    ];
    for (path, from, to) in edits {
        let text = files[path].replace(from, to);
        assert_ne!(text, files[path], "{from}");
        session.set(path, &text);
        files.insert(path.to_owned(), text);
        let previous = findings_of_session(&session);
        let checked = session.check();
        let found = findings_of_session(&session);
        assert_eq!(found, findings_of_compile(&files), "{from} -> {to}");
        if let CheckScope::Files(checked_files) = checked {
            let unreported = |found: &Findings| {
                let is_unreported =
                    |one: &&(String, usize, String, String)| !checked_files.contains(&session.store().number(&one.0).unwrap());
                found.iter().filter(is_unreported).cloned().collect::<Findings>()
            };
            assert_eq!(unreported(&previous), unreported(&found), "{from} -> {to}");
        }
    }
}

#[test]
fn keyword_signature_edits_match_a_compilation() {
    let mut files = pack("duel_masters");
    files.retain(|path, _| !path.contains("/scenarios/"));
    let at = files.keys().find(|path| path.ends_with("pack.fz")).unwrap().replace("pack.fz", "cards/zz_own.fz");
    let own = "keyword early(n: number) { when this enters battle { draw n } }\n\
               keyword late { when this attacks { draw 1 } }\n\
               function first_comer(one: object): bool = one has early\n\
               card \"One\" { creature  fire  cost 1  power 1000  early(2) }\n\
               card \"Two\" { creature  fire  cost 1  power 1000  when this attacks { if first_comer(this) { draw 1 } } }\n\
               card \"Three\" { creature  fire  cost 1  power 1000  late }\n";
    files.insert(at.clone(), own.to_owned());
    let mut session = Session::default();
    files.iter().for_each(|(path, text)| session.set(path, text));
    session.check();
    assert_eq!(findings_of_session(&session), findings_of_compile(&files));
    let edits = [
        ("early(n: number)", "early(n: numbre)"),
        ("early(n: number)", "early"),
        ("keyword early", "keyword eraly"),
        ("keyword early", "keyword between { }\nkeyword early"),
        ("keyword late {", "keyword late(n: number) {"),
        ("keyword late { when this attacks { draw 1 } }\n", ""),
        ("keyword early", "keyword draw"),
        ("keyword early", "keyword late"),
        ("one has early", "one has late"),
        ("keyword late {", "keyword late {{"),
    ];
    for (from, to) in edits {
        for text in [own.replacen(from, to, 1), own.to_owned()] {
            assert!(text == own || own.contains(from), "{from}");
            session.set(&at, &text);
            session.check();
            files.insert(at.clone(), text);
            assert_eq!(findings_of_session(&session), findings_of_compile(&files), "{from} becomes {to}");
        }
    }
}
