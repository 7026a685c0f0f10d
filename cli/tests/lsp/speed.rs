//! How soon diagnostics come in a pack of 30,000 cards, over the protocol. Long: run by itself, in the release profile.

use crate::client::Client;
use std::time::{Duration, Instant};

#[path = "../../examples/generate_pack/pack.rs"]
mod pack;

const CARDS: usize = 30_000;

/// An edit of a file, and the time until its diagnostics are there. The edit must change what they are.
fn measure(client: &mut Client, path: &str, version: i64, line: u32, from: u32, to: u32, text: &str) -> Duration {
    let start = Instant::now();
    client.edit(path, version, line, from, to, text);
    client.wait_for_diagnostics();
    start.elapsed()
}

fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() * percent / 100).min(times.len() - 1)]
}

#[test]
#[ignore = "long: `cargo test --release -p fizzle-cli --test lsp speed -- --ignored --nocapture`"]
fn diagnostics_come_at_once() {
    let files = pack::pack(CARDS, 1000);
    let given: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let start = Instant::now();
    let mut client = Client::start("speed", &given);
    let mut numbers = pack::Numbers::new(7);
    client.diagnosed("pack.fz");
    let first = start.elapsed();
    assert!(client.diagnostics.is_empty(), "{:?}", client.diagnostics.iter().next());

    let text = |path: &str| files.iter().find(|(known, _)| known == path).map(|(_, text)| text.as_str()).unwrap();
    let (mut inside, mut names) = (Vec::new(), Vec::new());
    for round in 0..100 {
        let path = format!("cards/{:03}.fz", numbers.below(CARDS / 1000));
        let lines: Vec<&str> = text(&path).lines().collect();
        client.open(&path, text(&path));
        client.diagnosed(&path);
        // A number of a fact or effect becomes a word that nobody knows, and back.
        let line = loop {
            let line = numbers.below(lines.len());
            if lines[line].starts_with("  creature  ") {
                break line;
            }
        };
        let end = lines[line].encode_utf16().count() as u32;
        let (line, version) = (line as u32, 2 + 10 * round);
        inside.push(measure(&mut client, &path, version, line, end, end, " blokcer"));
        inside.push(measure(&mut client, &path, version + 1, line, end, end + 8, " blocker"));
        // The name of the card becomes that of another one, and back.
        let card = line - 1;
        let name = &lines[card as usize][5..lines[card as usize].len() - 2];
        let end = 5 + name.encode_utf16().count() as u32;
        let other = pack::name(numbers.below(CARDS));
        if other != name {
            let other_end = 5 + other.encode_utf16().count() as u32;
            names.push(measure(&mut client, &path, version + 2, card, 5, end, &other));
            names.push(measure(&mut client, &path, version + 3, card, 5, other_end, name));
        }
    }
    let (mut keywords, mut formats) = (Vec::new(), Vec::new());
    client.open("keywords.fz", text("keywords.fz"));
    client.open("format.fz", text("format.fz"));
    client.diagnosed("format.fz");
    for round in 0..5 {
        // A body, and then the parameters, on which cards depend.
        keywords.push(measure(&mut client, "keywords.fz", 2 + 4 * round, 1, 55, 59, "drwa"));
        keywords.push(measure(&mut client, "keywords.fz", 3 + 4 * round, 1, 55, 59, "draw"));
        keywords.push(measure(&mut client, "keywords.fz", 4 + 4 * round, 1, 19, 25, "numbre"));
        keywords.push(measure(&mut client, "keywords.fz", 5 + 4 * round, 1, 19, 25, "number"));
        formats.push(measure(&mut client, "format.fz", 2 + 2 * round, 1, 19, 32, "startnig_hand"));
        formats.push(measure(&mut client, "format.fz", 3 + 2 * round, 1, 19, 32, "starting_hand"));
    }
    let shown = |name: &str, times: &mut Vec<Duration>| {
        let (half, most, worst) = (percentile(times, 50), percentile(times, 95), percentile(times, 100));
        println!("{name}: {} edits, median {half:.1?}, 95 % under {most:.1?}, worst {worst:.1?}", times.len());
    };
    println!("all files read and checked after {first:.1?}");
    shown("inside a card", &mut inside);
    shown("the name of a card", &mut names);
    shown("a keyword", &mut keywords);
    shown("a format", &mut formats);
    assert_eq!(client.stop(), 0);
}
