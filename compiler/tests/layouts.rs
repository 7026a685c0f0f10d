//! Layouts and stages: what they compile to, that no rule sees them, and that their words stay names.

#![allow(missing_docs, clippy::panic, reason = "tests")]

mod common;

use common::{TINY, compile_files, problems};
use fizzle_compiler::Compilation;
use fizzle_grammar::format as format_source;
use fizzle_ir::artifact::{decode, encode};
use fizzle_ir::layout::{FaceValue, Layout, LayoutArea, RowStyle, Tone};
use fizzle_ir::scenario::{PositionEntry, Stage};
use fizzle_ir::verify::verify;
use fizzle_ir::{Artifact, DefId, FnId, Function, Library, rules_hash};

const LAYOUT: &str = "layout {
  seat {
    row piece in field with marked
    row field, equal together // a comment
    left { backs pile }
    places 5 by wounds: spell in hand
    fan hand
  }
  middle { pile line }
  plate { large life  show stock_red, stock_blue }
  forward when marked and power > 3
  face piece { hue color  corner cost  line race, kind  stat power when not marked; turned when marked  dim when sent }
  face card { count wounds  mark sent }
  hue red 30, blue 245 soft
}
";

const STAGE: &str = "stage \"first\" for piece with power >= 2 {
  format tiny
  position { A: { hand this as tried, \"Bear\" with wounds = 1 } }
  at A's turn.first
}
stage \"all\" for card { format tiny  position { A: { hand this } }  at A's turn.first }
";

fn compiled(more: &str) -> Compilation {
    compile_files(&[("tiny/pack.fz", TINY), ("tiny/more.fz", more)])
}

fn artifact(more: &str) -> Artifact {
    let compilation = compiled(more);
    assert!(!compilation.has_errors(), "{}", problems(&compilation));
    compilation.artifact.expect("it compiles")
}

fn layout_of(more: &str) -> Layout {
    let game = artifact(more).games.remove(0);
    game.formats.last().expect("a format").layout.clone()
}

fn zone(library: &Library, name: &str) -> u32 {
    library.zones.iter().position(|zone| zone.name == name).expect("the zone") as u32
}

#[test]
fn layouts_compile_to_rows_and_faces() {
    let compilation = compiled(LAYOUT);
    assert_eq!(problems(&compilation), "");
    let game = &compilation.artifact.expect("it compiles").games[0];
    let layout = &game.formats[0].layout;
    let shown: Vec<(LayoutArea, RowStyle, Vec<u32>, bool)> = layout
        .rows
        .iter()
        .map(|row| {
            let content = &row.contents[0];
            (row.area, row.style, content.zones.iter().map(|zone| zone.0).collect(), content.condition.is_some())
        })
        .collect();
    let zone = |name| vec![zone(&game.library, name)];
    assert_eq!(
        shown,
        [
            (LayoutArea::Seat, RowStyle::Row, zone("field"), true),
            (LayoutArea::Seat, RowStyle::Row, zone("field"), false),
            (LayoutArea::Left, RowStyle::Backs, zone("pile"), false),
            (LayoutArea::Seat, RowStyle::Places, zone("hand"), true),
            (LayoutArea::Seat, RowStyle::Fan, zone("hand"), false),
            (LayoutArea::Middle, RowStyle::Pile, zone("line"), false),
        ]
    );
    assert!(layout.rows[1].equal_together && !layout.rows[0].equal_together);
    assert_eq!(layout.rows[3].places, Some((5, 1)));
    assert_eq!((layout.large, layout.show.as_slice()), (Some(0), &[1, 2][..]));
    assert_eq!((layout.forward.len(), layout.faces.len()), (1, 2));
    let [face, all] = layout.faces.as_slice() else { panic!("two faces") };
    assert_eq!((face.corner, face.stats.len(), face.turned.len(), face.dim.len()), (Some(1), 1, 1, 1));
    assert_eq!((face.hue.len(), face.line.len()), (1, 2));
    assert_eq!((all.counts.as_slice(), all.marks.as_slice()), (&[FaceValue::Status(1)][..], &[FaceValue::Status(2)][..]));
    let hues: Vec<(&str, u16, Tone)> = layout.hues.iter().map(|hue| (hue.word.as_str(), hue.degrees, hue.tone)).collect();
    assert_eq!(hues, [("red", 30, Tone::Full), ("blue", 245, Tone::Soft)]);
}

#[test]
fn lines_lead_to_what_a_status_refers_to_or_between_two() {
    let statuses = "status holder: object\nstatus held: object\n";
    let layout = layout_of(&format!("{statuses}layout {{ arrow holder, holder to held }}"));
    let game = artifact(statuses).games.remove(0);
    let number = |name: &str| game.library.statuses.iter().position(|status| status.name == name).expect("the status") as u16;
    assert_eq!(layout.arrow, [number("holder")]);
    assert_eq!(layout.arrows_between, [(number("holder"), number("held"))]);
    let wrong = problems(&compiled("status holder: object\nlayout { arrow holder to wounds }"));
    assert!(wrong.contains("`wounds`"), "{wrong}");
    let source = "layout { arrow holder,holder to  held }\n";
    assert!(format_source(source).contains("arrow holder, holder to  held"));
}

#[test]
fn rules_hash_does_not_depend_on_layouts_and_stages() {
    let hashes = |more: &str| rules_hash::of_game(&artifact(more).games[0]);
    let plain = hashes("");
    assert_eq!(hashes(LAYOUT), plain);
    assert_eq!(hashes(STAGE), plain);
    assert_eq!(hashes(&format!("{LAYOUT}{STAGE}")), plain);
    // A function that only a layout uses is not a rule.
    let tall = "function tall(it: object): bool = power of it > 4\nlayout { forward when tall(it) }";
    assert_eq!(hashes(tall), plain);
    assert_ne!(hashes("state rule fall { destroy each piece with wounds > 3 }"), plain);
}

#[test]
fn compiled_packs_keep_layouts_and_stages() {
    let artifact = artifact(&format!("{LAYOUT}{STAGE}"));
    let read = decode(&encode(&artifact).expect("it is sound")).expect("it is read");
    assert_eq!(read, artifact);
    assert_eq!(read.games[0].stages.len(), 2);
    assert!(read.games[0].library.shown_functions > 0);
}

#[test]
fn partly_loaded_packs_have_the_conditions_of_layouts() {
    let artifact = artifact(&format!("{LAYOUT}{STAGE}"));
    let bytes = encode(&artifact).expect("it is sound");
    let pack = fizzle_ir::artifact::Pack::open(bytes.as_slice()).expect("it opens");
    let part = pack.load_part(0, &[DefId(1)], fizzle_ir::artifact::PackContents::Play).expect("it is sound");
    assert_eq!(part.formats[0].layout, artifact.games[0].formats[0].layout);
    for face in &part.formats[0].layout.faces {
        assert!(part.library.functions.get(face.filter.index()).is_some());
    }
}

#[test]
fn stages_are_scenarios_for_a_card() {
    let artifact = artifact(STAGE);
    let game = &artifact.games[0];
    let titles: Vec<&str> = game.stages.iter().map(|stage| stage.scenario.title.as_str()).collect();
    assert_eq!(titles, ["first", "all"]);
    let cards = |scenario: &fizzle_ir::scenario::Scenario| -> Vec<DefId> {
        let entries = scenario.position.iter().flatten();
        entries.filter_map(|entry| if let PositionEntry::Cards { card, .. } = entry { Some(*card) } else { None }).collect()
    };
    let stage = &game.stages[0];
    assert_eq!(cards(&stage.scenario), [Stage::THIS, DefId(1)]);
    assert_eq!(cards(&stage.with_card(DefId(1))), [DefId(1), DefId(1)]);
}

#[test]
fn formats_change_layouts_by_path() {
    let rows = |more: &str| -> Vec<(LayoutArea, RowStyle)> {
        let layout = layout_of(&format!(
            "layout {{ seat {{ row field; left {{ pile pile }} fan hand }} }}\nformat f extends tiny {{ {more} }}"
        ));
        layout.rows.iter().map(|row| (row.area, row.style)).collect()
    };
    use LayoutArea::{Left, Middle, Seat};
    use RowStyle::{Fan, Pile, Row, Tiles};
    assert_eq!(rows(""), [(Seat, Row), (Left, Pile), (Seat, Fan)]);
    assert_eq!(rows("append layout.seat { tiles line }"), [(Seat, Row), (Left, Pile), (Seat, Fan), (Seat, Tiles)]);
    assert_eq!(rows("append layout.middle { tiles line }").last(), Some(&(Middle, Tiles)));
    assert_eq!(
        rows("replace layout.seat.field { tiles piece in field; row field }"),
        [(Seat, Tiles), (Seat, Row), (Left, Pile), (Seat, Fan)]
    );
    assert_eq!(rows("replace layout.seat.pile { tiles pile }"), [(Seat, Row), (Left, Tiles), (Seat, Fan)]);
    assert_eq!(rows("replace layout.seat { row hand }"), [(Seat, Row)]);
    assert_eq!(rows("replace layout { middle { row hand } }"), [(Middle, Row)]);
    assert_eq!(rows("remove layout.seat.hand"), [(Seat, Row), (Left, Pile)]);
    assert_eq!(rows("remove layout"), []);
    assert_eq!(layout_of("layout { seat { fan hand } }\nformat f extends tiny { append layout { hue red 1 } }").hues.len(), 1);
}

/// All words of layouts and stages are names where no layout is.
#[test]
fn words_of_layouts_are_names() {
    let words = fizzle_grammar::ast::LAYOUT_WORDS.into_iter().chain(["layout", "stage"]);
    // names of the small game, and the built-in property `face`
    let words = words.filter(|word| !["line", "pile", "face"].contains(word));
    for word in words {
        let text = format!(
            "status {word}: number\nfunction of_{word}(it: object): number = {word} of it + 1\ncard \"Named\" {{ piece  power 1  when this enters field {{ {word} of this += 1; let x = {word} of this\n    if x > {word} of this {{ draw 1 }} }} }}
layout {{ seat {{ places 3 by {word}: field; row field }}  face piece {{ dim when {word} > 3; count {word} }} }}
scenario \"named\" {{ position {{ A: {{ field \"Named\" as {word}_, with {word} = 2 }} }}  at A's turn.first  expect {word} of {word}_ == 2 }}
"
        );
        let text = text.replace("_, with", "_ with");
        let compilation = compiled(&text);
        assert!(!compilation.has_errors(), "{word}: {}", problems(&compilation));
        let zone = compiled(&format!(
            "zone {word}_ {{ each player; public }}\nzone {word} {{ shared; public }}\nkeyword keeps {{ when this enters field {{ put it into {word} }} }}\nlayout {{ seat {{ row {word}; fan piece in {word}_ }} hidden {word}_ }}"
        ));
        assert!(!zone.has_errors(), "{word}: {}", problems(&zone));
    }
}

#[test]
fn formatting_keeps_layouts() {
    let text = "layout {\n seat { // rows\n  row   field\n  fan hand }\n// faces\n face piece { hue color   corner cost // the price\n }\n}\n";
    let once = format_source(text);
    assert_eq!(format_source(&once), once);
    for comment in ["// rows", "// faces", "// the price"] {
        assert!(once.contains(comment), "{once}");
    }
    assert_eq!(format_source(LAYOUT), LAYOUT);
    assert_eq!(format_source(STAGE), STAGE);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(&once), words(text));
}

#[test]
fn layouts_that_are_too_large_are_refused() {
    let rows = format!("layout {{ seat {{ {} }} }}", "row piece in field with wounds > 1; ".repeat(70));
    let faces = format!("layout {{ {} }}", "face piece { count wounds }\n".repeat(70));
    let hues = format!("layout {{ hue red 1{} }}", ", blue 2".repeat(300));
    for text in [rows, faces, hues] {
        let compilation = compiled(&text);
        assert!(compilation.diagnostics.iter().any(|problem| problem.code.code == "E0209"), "{}", problems(&compilation));
    }
}

/// Forged layouts: statements as conditions, conditions of other types, numbers out of range, functions of rules behind the hash.
#[test]
fn forged_layouts_are_refused() {
    let sound = artifact(LAYOUT);
    assert_eq!(verify(&sound), Ok(()));
    let refused = |what: &str, forge: &dyn Fn(&mut fizzle_ir::CompiledGame)| {
        let mut artifact = sound.clone();
        forge(&mut artifact.games[0]);
        assert!(verify(&artifact).is_err(), "{what}");
    };
    let statements = |library: &Library| {
        let found = library.functions.numbered().find(|(_, function)| !Function::is_pure(function));
        FnId(found.expect("statements").0 as u32)
    };
    refused("statements", &|game| game.formats[0].layout.forward = vec![statements(&game.library)]);
    refused("no function", &|game| game.formats[0].layout.forward = vec![FnId(1 << 20)]);
    refused("a function of no object", &|game| {
        let found = game.library.functions.numbered().find(|(_, function)| Function::is_pure(function) && function.params == 2);
        game.formats[0].layout.forward = vec![FnId(found.expect("a pure function").0 as u32)];
    });
    refused("no zone", &|game| game.formats[0].layout.hidden = vec![fizzle_ir::ZoneKindId(40)]);
    refused("no status", &|game| game.formats[0].layout.arrow = vec![400]);
    refused("a status that refers to nothing", &|game| game.formats[0].layout.arrow = vec![0]);
    refused("no status at the end of a line", &|game| game.formats[0].layout.arrows_between = vec![(0, 400)]);
    refused("a line from what is no object", &|game| game.formats[0].layout.arrows_between = vec![(0, 0)]);
    refused("no variable", &|game| game.formats[0].layout.large = Some(9));
    refused("no property", &|game| game.formats[0].layout.faces[0].corner = Some(9));
    refused("a price as number", &|game| game.formats[0].layout.faces[0].stats[0].first = 1);
    refused("a bool as count", &|game| game.formats[0].layout.faces[1].counts = vec![FaceValue::Status(0)]);
    refused("no trait set", &|game| game.formats[0].layout.faces[0].hue = vec![fizzle_ir::TraitSetId(99)]);
    refused("no place", &|game| game.formats[0].layout.rows[3].places = Some((0, 1)));
    refused("places without places", &|game| game.formats[0].layout.rows[3].places = None);
    refused("a hue beyond the circle", &|game| game.formats[0].layout.hues[0].degrees = 360);
    refused("a hidden character", &|game| game.formats[0].layout.hues[0].word = "re\u{202e}d".into());
    refused("too many rows", &|game| {
        let row = game.formats[0].layout.rows[1].clone();
        game.formats[0].layout.rows = vec![row; 65];
    });
    refused("a rule that uses a function of the layout", &|game| {
        let shown = FnId(game.library.functions.len() as u32 - 1);
        game.formats[0].evaluate = Some(shown);
    });
    refused("rules that count as layout", &|game| game.library_mut().shown_functions = game.library.functions.len() as u32);
    refused("more functions than there are", &|game| game.library_mut().shown_functions = u32::MAX);
}
