//! Edits of a large pack, with the time until what is wrong is told and until nothing is wrong any more, over the protocol.

use super::client::Client;
use std::time::{Duration, Instant};

#[path = "../../examples/generate_pack/pack.rs"]
mod pack;

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// The cards of the pack.
    pub cards: usize,
    /// The cards of a file.
    pub in_a_file: usize,
    /// Whether it has a zone that nothing fills.
    pub empty_zone: bool,
    /// Cards that are edited; of the keywords and the format, a twentieth as often.
    pub rounds: usize,
}

/// What was measured.
#[derive(Debug, Default)]
pub struct Times {
    /// Until all files are read and checked.
    pub first: Duration,
    /// Of edits inside a card.
    pub inside: Vec<Duration>,
    /// Of edits of the name of a card.
    pub names: Vec<Duration>,
    /// Of edits of a keyword that cards use: its body and its parameters.
    pub keywords: Vec<Duration>,
    /// Of edits of a format.
    pub formats: Vec<Duration>,
}

/// A zone that something reads and nothing fills.
const VAULT: &str = "zone vault { each player; public }\n\
                     // allow W0710: a format may look\nfunction stored(who: player): number = count of card in vault of who  // allow W0715: a format may fill it\n";

/// A place in a document: the line and, in UTF-16, the columns of what is replaced.
type Place = (u32, u32, u32);

/// An edit that makes a mistake, and the one that mends it, each with its time.
fn both(client: &mut Client, path: &str, version: i64, place: Place, wrong: &str, right: &str) -> [Duration; 2] {
    let (line, from, to) = place;
    let wrong_to = from + wrong.encode_utf16().count() as u32;
    [(to, wrong, true), (wrong_to, right, false)].map(|(to, text, expected)| {
        let start = Instant::now();
        client.edit(path, version + i64::from(!expected), line, from, to, text);
        while client.diagnostics.values().any(|problems| !problems.is_empty()) != expected {
            client.next();
        }
        start.elapsed()
    })
}

/// Starts a server in a folder with the pack, and edits.
pub fn measure(size: Size) -> Times {
    let files = pack::pack(size.cards, size.in_a_file);
    let mut given: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    if size.empty_zone {
        given.push(("vault.fz", VAULT));
    }
    let mut times = Times::default();
    let start = Instant::now();
    let mut client = Client::start("speed", &given);
    client.diagnosed("pack.fz");
    times.first = start.elapsed();
    assert!(client.diagnostics.is_empty(), "{:?}", client.diagnostics.iter().next());

    let text = |path: &str| files.iter().find(|(known, _)| known == path).map(|(_, text)| text.as_str()).unwrap();
    let mut numbers = pack::Numbers::new(7);
    for round in 0..size.rounds {
        // One of the full files.
        let path = format!("cards/{:03}.fz", numbers.below((size.cards / size.in_a_file).max(1)));
        let lines: Vec<&str> = text(&path).lines().collect();
        client.open(&path, text(&path));
        client.diagnosed(&path);
        let line = loop {
            let line = numbers.below(lines.len());
            if lines[line].starts_with("  creature  ") {
                break line;
            }
        };
        let version = 2 + 10 * round as i64;
        // A word that nobody knows.
        let end = lines[line].encode_utf16().count() as u32;
        times.inside.extend(both(&mut client, &path, version, (line as u32, end, end), " blokcer", ""));
        // The name of another card.
        let name = &lines[line - 1][5..lines[line - 1].len() - 2];
        let end = 5 + name.encode_utf16().count() as u32;
        let other = pack::name(numbers.below(size.cards));
        if other != name {
            times.names.extend(both(&mut client, &path, version + 2, (line as u32 - 1, 5, end), &other, name));
        }
    }
    client.open("keywords.fz", text("keywords.fz"));
    client.open("format.fz", text("format.fz"));
    client.diagnosed("format.fz");
    for round in 0..size.rounds.div_ceil(20) {
        let version = 2 + 10 * round as i64;
        times.keywords.extend(both(&mut client, "keywords.fz", version, (1, 55, 59), "drwa", "draw"));
        times.keywords.extend(both(&mut client, "keywords.fz", version + 2, (1, 19, 25), "numbre", "number"));
        times.formats.extend(both(&mut client, "format.fz", version, (1, 19, 32), "startnig_hand", "starting_hand"));
    }
    assert_eq!(client.stop(), 0);
    times
}
