//! What happened since a person was last asked, as that person saw it: what was used and chosen, what moved, what was counted.

use crate::out;
use fizzle_runtime::view::stream::{Arg, Item, Place};
use std::collections::BTreeMap;

/// More is not shown at once.
const MOST: usize = 40;

/// The names of the objects that a person has met, by number.
#[derive(Clone, Debug, Default)]
pub struct Names(BTreeMap<u32, String>);

impl Names {
    /// Tells what happened.
    pub fn tell(&mut self, items: &[Item]) {
        let lines = self.lines(items);
        let skipped = lines.len().saturating_sub(MOST);
        if !lines.is_empty() {
            out::line("");
        }
        if skipped > 0 {
            out::line(format!("  … {skipped} lines before"));
        }
        for (line, times) in lines.iter().skip(skipped) {
            out::line(if *times == 1 { format!("  {line}") } else { format!("  {line} ({times} times)") });
        }
    }

    /// Learns names and says nothing.
    pub fn meet(&mut self, items: &[Item]) {
        for item in items {
            if let Item::Met { handle, name, .. } = item {
                self.0.insert(*handle, name.clone());
            }
        }
    }

    fn lines(&mut self, items: &[Item]) -> Vec<(String, usize)> {
        // What moves may be met only then.
        self.meet(items);
        let mut lines: Vec<(String, usize)> = Vec::new();
        for line in items.iter().filter_map(|item| self.line(item)) {
            match lines.last_mut() {
                Some((last, times)) if *last == line => *times += 1,
                _ => lines.push((line, 1)),
            }
        }
        lines
    }

    fn line(&self, item: &Item) -> Option<String> {
        match item {
            Item::Event { action, args, .. } => self.event(action, args),
            Item::Triggered { source: Some(source), .. } => Some(format!("{} triggers", self.object(*source))),
            Item::Chosen { objects, others, .. } if objects.len() + others.len() > 0 => {
                let objects = objects.iter().map(|handle| self.object(*handle));
                let others = others.iter().map(|other| format!("number {other}"));
                // Players and modes are told by number: which of them the text asks for.
                Some(format!("  choosing {}", objects.chain(others).collect::<Vec<_>>().join(", ")))
            }
            Item::TookBack { player } => Some(format!("player {player} takes that back")),
            _ => None,
        }
    }

    fn event(&self, action: &str, args: &[Arg]) -> Option<String> {
        match (action, args) {
            ("announce", [Arg::Player(Some(who)), it, .., Arg::Word(play)]) => {
                Some(format!("player {who}: {play} {}", self.arg(it)?))
            }
            ("fizzle", [.., it @ Arg::Object { .. }]) => Some(format!("{} fizzles", self.arg(it)?)),
            ("put" | "shift", [it, Arg::Zone(into), rest @ ..]) => {
                let from = rest.iter().find_map(|arg| if let Arg::Zone(zone) = arg { Some(place(zone)) } else { None });
                let it = self.arg(it).unwrap_or_else(|| "a card".to_owned());
                let from = from.filter(|from| !from.is_empty()).map_or_else(String::new, |from| format!(" from {from}"));
                Some(format!("{it}{from} into {}", place(into)))
            }
            ("pick" | "create" | "cease" | "reveal" | "shuffle", _) => None,
            // Something of an amount: damage, life, counters.
            _ if !action.starts_with('_') && args.iter().any(|arg| matches!(arg, Arg::Number(1..))) => {
                let about = args.iter().any(|arg| matches!(arg, Arg::Player(Some(_)) | Arg::Object { .. }));
                let args: Vec<String> = args.iter().filter_map(|arg| self.arg(arg)).collect();
                about.then(|| format!("{action}: {}", args.join(", ")))
            }
            _ => None,
        }
    }

    fn arg(&self, arg: &Arg) -> Option<String> {
        match arg {
            Arg::Number(number) => Some(number.to_string()),
            Arg::Player(player) => player.map(|player| format!("player {player}")),
            Arg::Zone(zone) => Some(place(zone)).filter(|text| !text.is_empty()),
            Arg::Object { handle, became } => became.or(*handle).map(|handle| self.object(handle)),
            Arg::Word(word) => Some(word.clone()).filter(|word| !word.is_empty()),
        }
    }

    fn object(&self, handle: u32) -> String {
        format!("{} #{handle}", self.0.get(&handle).map_or("", String::as_str)).trim_start().to_owned()
    }
}

fn place(zone: &Place) -> String {
    match zone.owner {
        Some(owner) if !zone.name.is_empty() => format!("{} of player {owner}", zone.name),
        _ => zone.name.clone(),
    }
}
