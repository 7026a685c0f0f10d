//! Measures edits of a large pack over the protocol: the time until a mistake is reported, and until its correction is.

use super::client::Client;
use std::time::{Duration, Instant};

#[path = "../../examples/generate_pack/pack.rs"]
mod pack;

/// The size of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// The number of cards of the pack.
    pub cards: usize,
    /// The number of cards in a file.
    pub cards_per_file: usize,
    /// Whether the pack has a zone that nothing fills.
    pub empty_zone: bool,
    /// The number of edited cards. Keywords and the format are edited a twentieth as often.
    pub rounds: usize,
}

/// The measured times.
#[derive(Debug, Default)]
pub struct Times {
    /// From the start until all files are read and checked.
    pub initial_check: Duration,
    /// Times of edits inside a card.
    pub card_bodies: Vec<Duration>,
    /// Times of edits of the name of a card.
    pub card_names: Vec<Duration>,
    /// Times of edits of the body and the parameters of keywords that cards use.
    pub keywords: Vec<Duration>,
    /// Times of edits of a format.
    pub formats: Vec<Duration>,
}

/// A zone that something reads and nothing fills.
const VAULT: &str = "zone vault { each player; public }\n\
                     // allow W0710: a format may look\nfunction stored(who: player): number = count of card in vault of who  // allow W0715: a format may fill it\n";

/// A range in a document: the line, and the first and last column in UTF-16 units.
type LineRange = (u32, u32, u32);

/// Makes a mistake and corrects it. Returns the time until the diagnostics change, for each of the two edits.
fn break_and_fix(client: &mut Client, path: &str, version: i64, place: LineRange, wrong: &str, right: &str) -> [Duration; 2] {
    let (line, from, to) = place;
    let wrong_to = from + wrong.encode_utf16().count() as u32;
    [(to, wrong, true), (wrong_to, right, false)].map(|(to, text, expected)| {
        let start = Instant::now();
        client.edit(path, version + i64::from(!expected), line, from, to, text);
        while client.diagnostics.values().any(|problems| !problems.is_empty()) != expected {
            client.next_message();
        }
        start.elapsed()
    })
}

/// Starts a server in a folder with a generated pack and measures edits.
pub fn measure(size: Size) -> Times {
    let files = pack::pack(size.cards, size.cards_per_file);
    let mut all_files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    if size.empty_zone {
        all_files.push(("vault.fz", VAULT));
    }
    let mut times = Times::default();
    let start = Instant::now();
    let mut client = Client::start("speed", &all_files);
    client.current_diagnostics("pack.fz");
    times.initial_check = start.elapsed();
    assert!(client.diagnostics.is_empty(), "{:?}", client.diagnostics.iter().next());

    let text = |path: &str| files.iter().find(|(known, _)| known == path).map(|(_, text)| text.as_str()).unwrap();
    let mut numbers = pack::RandomNumbers::new(7);
    for round in 0..size.rounds {
        // A random file that is full.
        let path = format!("cards/{:03}.fz", numbers.below((size.cards / size.cards_per_file).max(1)));
        let lines: Vec<&str> = text(&path).lines().collect();
        client.open(&path, text(&path));
        client.current_diagnostics(&path);
        let line = loop {
            let line = numbers.below(lines.len());
            if lines[line].starts_with("  creature  ") {
                break line;
            }
        };
        let version = 2 + 10 * round as i64;
        // An unknown word.
        let end = lines[line].encode_utf16().count() as u32;
        times.card_bodies.extend(break_and_fix(&mut client, &path, version, (line as u32, end, end), " blokcer", ""));
        // The name of another card, so that two cards have the same name.
        let name = &lines[line - 1][5..lines[line - 1].len() - 2];
        let end = 5 + name.encode_utf16().count() as u32;
        let other = pack::name(numbers.below(size.cards));
        if other != name {
            times.card_names.extend(break_and_fix(&mut client, &path, version + 2, (line as u32 - 1, 5, end), &other, name));
        }
    }
    client.open("keywords.fz", text("keywords.fz"));
    client.open("format.fz", text("format.fz"));
    client.current_diagnostics("format.fz");
    for round in 0..size.rounds.div_ceil(20) {
        let version = 2 + 10 * round as i64;
        times.keywords.extend(break_and_fix(&mut client, "keywords.fz", version, (1, 55, 59), "drwa", "draw"));
        times.keywords.extend(break_and_fix(&mut client, "keywords.fz", version + 2, (1, 19, 25), "numbre", "number"));
        times.formats.extend(break_and_fix(&mut client, "format.fz", version, (1, 19, 32), "startnig_hand", "starting_hand"));
    }
    assert_eq!(client.shut_down(), 0);
    times
}
