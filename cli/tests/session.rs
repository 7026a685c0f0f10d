//! A session finds after each edit what compiling everything anew finds.
#![expect(clippy::unwrap_used, reason = "a test")]

use fizzle_compiler::diagnostics::render::render;
use fizzle_compiler::session::{CheckScope, Session};
use fizzle_compiler::{Compilation, Diagnostic, SourceFile, compile};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// File, first byte, code, and all that is told.
type Found = BTreeSet<(String, usize, String, String)>;

fn sources(directory: &Path, found: &mut BTreeMap<String, String>) {
    let mut entries: Vec<_> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "fz") {
            found.insert(path.to_string_lossy().into_owned(), std::fs::read_to_string(&path).unwrap());
        }
    }
}

fn pack(name: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../cards").join(name), &mut found);
    found
}

fn compiled(files: &BTreeMap<String, String>) -> Found {
    let files = files.iter().map(|(path, text)| SourceFile { path: path.clone(), text: text.clone() }).collect();
    found(&compile(files))
}

fn session_finds(session: &Session) -> Found {
    found(&session.to_compilation())
}

fn found(compilation: &Compilation) -> Found {
    let sources = &compilation.sources;
    let one = |problem: &Diagnostic| {
        let path = sources.path(problem.span.file).to_owned();
        (path, problem.span.start as usize, problem.code.code.to_owned(), render(problem, sources, false))
    };
    compilation.diagnostics.iter().map(one).collect()
}

/// Numbers without a pattern.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

/// Changes a text as somebody who types does: a character more or less, a line more or less.
fn edit(text: &str, numbers: &mut Numbers) -> String {
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

/// So many edits, or as many as `FIZZLE_EDITS` says (400 take Magic two minutes).
fn typed(name: &str, edits: usize, seed: u64) {
    let edits = std::env::var("FIZZLE_EDITS").ok().and_then(|edits| edits.parse().ok()).unwrap_or(edits);
    let mut files = pack(name);
    let mut session = Session::default();
    for (path, text) in &files {
        session.set(path, text);
    }
    assert_eq!(session.check(), CheckScope::All);
    assert_eq!(session_finds(&session), compiled(&files));
    let paths: Vec<String> = files.keys().cloned().collect();
    let mut numbers = Numbers(seed);
    let mut light = 0;
    for round in 0..edits {
        let path = &paths[numbers.below(paths.len())];
        let before = files[path].clone();
        let after = edit(&before, &mut numbers);
        for text in [after, before] {
            session.set(path, &text);
            let known = session_finds(&session);
            let checked = session.check();
            files.insert(path.clone(), text);
            let found = session_finds(&session);
            if let CheckScope::Files(touched) = &checked {
                light += 1;
                let told: BTreeSet<String> =
                    touched.iter().map(|file| session.store().document(*file).unwrap().path.to_string()).collect();
                let silent = |found: &Found| found.iter().filter(|one| !told.contains(&one.0)).cloned().collect::<Found>();
                assert_eq!(
                    silent(&known),
                    silent(&found),
                    "round {round}: a file changed and was not named, after an edit of {path}"
                );
            }
            assert_eq!(found, compiled(&files), "round {round}, {path}");
        }
    }
    assert!(edits < 5 || light > edits / 4, "most edits should not touch everything, but {light} of {edits} did not");
}

#[test]
fn typing_in_duel_masters() {
    typed("duel_masters", 6, 1);
}

#[test]
fn typing_in_duel_magic() {
    let mut both = pack("duel_masters");
    both.extend(pack("duel_magic"));
    let mut session = Session::default();
    both.iter().for_each(|(path, text)| session.set(path, text));
    session.check();
    assert_eq!(session_finds(&session), compiled(&both));
}

#[test]
fn typing_in_yugioh() {
    typed("yugioh", 3, 2);
}

#[test]
fn typing_in_magic() {
    typed("magic", 6, 3);
}

#[test]
fn what_is_wrong_with_a_card_is_still_told_when_a_body_elsewhere_changes() {
    let mut files = pack("duel_masters");
    let mut session = Session::default();
    let cards = files.keys().find(|path| path.contains("/cards/")).unwrap().clone();
    files.entry(cards).and_modify(|text| text.push_str("\ncard \"Wrong\" { creature fire cost 1 powr 1000 }\n"));
    files.iter().for_each(|(path, text)| session.set(path, text));
    session.check();
    let before = session_finds(&session);
    assert_eq!(before.len(), 1);
    let tap = "action tap(it: object) { tapped of it = true }";
    let rules = files.iter().find(|(_, text)| text.contains(tap)).unwrap().0.clone();
    for (from, to) in [(tap, "action tap(it: object) { tappd of it = true }"), ("tappd of it", "tapped of it")] {
        files.entry(rules.clone()).and_modify(|text| *text = text.replace(from, to));
        session.set(&rules, &files[&rules]);
        assert_eq!(session.check(), CheckScope::All);
        assert_eq!(session_finds(&session), compiled(&files));
    }
    assert_eq!(session_finds(&session), before);
}

const OWN: &str = "pack own { edition 1  extends duel_masters  deny W0702 }
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

/// What stands nowhere, levels and allowances: told, and no longer told, as soon as an edit elsewhere makes it so.
#[test]
fn what_depends_on_everything_is_told_like_by_a_compilation() {
    let mut files = pack("duel_masters");
    files.insert("own/pack.fz".to_owned(), OWN.to_owned());
    files.insert("own/more.fz".to_owned(), "card \"More\" { creature fire cost 1 power 1000 }\n".to_owned());
    let mut session = Session::default();
    files.iter().for_each(|(path, text)| session.set(path, text));
    session.check();
    let codes = |found: &Found| found.iter().map(|one| one.2.clone()).collect::<Vec<_>>();
    assert_eq!(codes(&session_finds(&session)), ["W0705", "W0702", "W0708"]);
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
    ];
    for (path, from, to) in edits {
        let text = files[path].replace(from, to);
        assert_ne!(text, files[path], "{from}");
        session.set(path, &text);
        files.insert(path.to_owned(), text);
        let known = session_finds(&session);
        let checked = session.check();
        let found = session_finds(&session);
        assert_eq!(found, compiled(&files), "{from} -> {to}");
        if let CheckScope::Files(touched) = checked {
            let silent = |found: &Found| {
                let told = |one: &&(String, usize, String, String)| !touched.contains(&session.store().number(&one.0).unwrap());
                found.iter().filter(told).cloned().collect::<Found>()
            };
            assert_eq!(silent(&known), silent(&found), "{from} -> {to}");
        }
    }
}

#[test]
fn only_what_mentions_a_keyword_depends_on_how_it_is_called() {
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
    assert_eq!(session_finds(&session), compiled(&files));
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
            assert_eq!(session_finds(&session), compiled(&files), "{from} becomes {to}");
        }
    }
}
