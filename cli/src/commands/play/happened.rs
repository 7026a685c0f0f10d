//! What happened since a person was last asked, as that person saw it: what was used and chosen, what moved, what was counted.

use crate::out;
use fizzle_runtime::ir::{Format, Type};
use fizzle_runtime::view::stream::{Arg, Item, Place};
use std::collections::BTreeMap;

/// More is not shown at once.
const MOST: usize = 40;

/// The names of the objects that a person has met, by number.
#[derive(Clone, Debug)]
pub struct Names {
    known: BTreeMap<u32, String>,
    /// Who is told.
    seat: usize,
}

impl Names {
    /// Those of somebody who has met nothing yet.
    pub fn of(seat: usize) -> Self {
        Self { known: BTreeMap::new(), seat }
    }

    /// The name of the card with a number.
    pub fn name(&self, handle: u32) -> Option<&str> {
        self.known.get(&handle).map(String::as_str)
    }

    /// Tells what happened.
    pub fn tell(&mut self, items: &[Item], format: &Format) {
        let lines = self.lines(items, format);
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
                self.known.insert(*handle, name.clone());
            }
        }
    }

    fn lines(&mut self, items: &[Item], format: &Format) -> Vec<(String, usize)> {
        // What moves may be met only then.
        self.meet(items);
        let mut lines: Vec<(String, usize)> = Vec::new();
        for line in items.iter().filter_map(|item| self.line(item, format)) {
            match lines.last_mut() {
                Some((last, times)) if *last == line => *times += 1,
                _ => lines.push((line, 1)),
            }
        }
        lines
    }

    fn line(&self, item: &Item, format: &Format) -> Option<String> {
        match item {
            Item::Event { action, args, source, .. } => {
                let of = |verb: &str| {
                    args.iter().find_map(|arg| if let Arg::Player(Some(who)) = arg { Some(*who) } else { None }).map(|who| {
                        let by = source.map_or_else(String::new, |source| format!(", by {}", self.object(source)));
                        format!(
                            "{} {}{by}",
                            self.player(who),
                            if who == self.seat { verb.to_owned() } else { format!("{verb}s") }
                        )
                    })
                };
                match action.as_str() {
                    "win" => of("win"),
                    "lose" => of("lose"),
                    _ => self.event(action, args, format),
                }
            }
            Item::Triggered { source: Some(source), .. } => Some(format!("{} triggers", self.object(*source))),
            Item::Chosen { objects, others, .. } if objects.len() + others.len() > 0 => {
                let objects = objects.iter().map(|handle| self.object(*handle));
                let others = others.iter().map(|other| format!("number {other}"));
                // Players and modes are told by number: which of them the text asks for.
                Some(format!("  choosing {}", objects.chain(others).collect::<Vec<_>>().join(", ")))
            }
            Item::TookBack { player } => Some(format!("{} takes that back", self.player(*player))),
            _ => None,
        }
    }

    fn event(&self, action: &str, args: &[Arg], format: &Format) -> Option<String> {
        match (action, args) {
            ("announce", [Arg::Player(Some(who)), it, .., Arg::Word(play)]) => {
                Some(format!("{}: {play} {}", self.player(*who), self.arg(it)?))
            }
            ("fizzle", [.., it @ Arg::Object { .. }]) => Some(format!("{} fizzles", self.arg(it)?)),
            ("put" | "shift", [it, Arg::Zone(into), rest @ ..]) => {
                let from = rest.iter().find_map(|arg| if let Arg::Zone(zone) = arg { Some(self.place(zone)) } else { None });
                let it = self.arg(it).unwrap_or_else(|| "a card".to_owned());
                let from = from.filter(|from| !from.is_empty()).map_or_else(String::new, |from| format!(" from {from}"));
                Some(format!("{it}{from} into {}", self.place(into)))
            }
            ("pick" | "create" | "cease" | "reveal" | "shuffle", _) => None,
            // Something of an amount: damage, life, counters.
            _ if !action.starts_with('_') && args.iter().any(|arg| matches!(arg, Arg::Number(1..))) => {
                let about = args.iter().any(|arg| matches!(arg, Arg::Player(Some(_)) | Arg::Object { .. }));
                let declared = format.actions.iter().find(|declared| declared.name == action).map(|declared| &declared.params);
                let declared = declared.filter(|params| params.len() == args.len());
                let args = args.iter().enumerate().filter_map(|(index, arg)| {
                    let (name, ty) = declared.and_then(|params| params.get(index)).map_or(("", Type::Number), |(n, ty)| (n, *ty));
                    // Whether something is so is told by its name, or not at all.
                    match (ty, arg) {
                        (Type::Bool, Arg::Number(0)) => None,
                        (Type::Bool, Arg::Number(_)) => Some(name.to_owned()),
                        _ => self.arg(arg),
                    }
                });
                let args: Vec<String> = args.collect();
                about.then(|| format!("{}: {}", action.replace('_', " "), args.join(", ")))
            }
            _ => None,
        }
    }

    fn arg(&self, arg: &Arg) -> Option<String> {
        match arg {
            Arg::Number(number) => Some(number.to_string()),
            Arg::Player(player) => player.map(|player| self.player(player)),
            Arg::Zone(zone) => Some(self.place(zone)).filter(|text| !text.is_empty()),
            Arg::Object { handle, became } => became.or(*handle).map(|handle| self.object(handle)),
            Arg::Word(word) => Some(word.clone()).filter(|word| !word.is_empty()),
        }
    }

    fn object(&self, handle: u32) -> String {
        format!("{} #{handle}", self.known.get(&handle).map_or("", String::as_str)).trim_start().to_owned()
    }

    fn player(&self, player: usize) -> String {
        if player == self.seat { "you".to_owned() } else { format!("player {player}") }
    }

    fn place(&self, zone: &Place) -> String {
        match zone.owner {
            Some(owner) if owner == self.seat && !zone.name.is_empty() => format!("your {}", zone.name),
            Some(owner) if !zone.name.is_empty() => format!("{} of player {owner}", zone.name),
            _ => zone.name.clone(),
        }
    }
}
