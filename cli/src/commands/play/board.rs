//! Prints a position, player by player: rows of zones as the layout of the format has them, in lines of text.

use super::client_state::ClientState;
use crate::output::{self, Style};
use fizzle_runtime::ir::layout::Layout as WrittenLayout;
use fizzle_runtime::ir::{Format, Library, Type, Variable, Visibility};
use fizzle_runtime::view::period_name;
use fizzle_table::layout::{Layout, Row, RowStyle};
use fizzle_table::protocol::{Object, Plate};

/// A position for one person, or for several at one terminal.
#[derive(Clone, Copy, Debug)]
pub struct Board<'a> {
    /// What the table has sent.
    pub received: &'a ClientState,
    /// The declarations of the game.
    pub library: &'a Library,
    /// Its format.
    pub format: &'a Format,
    /// Whose view it is.
    pub viewer: usize,
    /// Several people read it, so no player is called `you`.
    pub hot_seat: bool,
}

/// A row with its contents.
struct FilledRow {
    label: String,
    style: RowStyle,
    handles: Vec<u32>,
    hidden: usize,
    /// Whether its zone is not public.
    is_secret: bool,
}

impl Board<'_> {
    /// Prints it: the other players, what is shared, the viewer.
    pub fn print(&self) {
        let view = &self.received.view;
        let step = period_name(&view.facts.span);
        let step = if step.is_empty() { step } else { format!(": {step}") };
        let turn = match view.facts.turn {
            0 => "before the first turn".to_owned(),
            number if view.facts.active == self.viewer && !self.hot_seat => format!("turn {number}, yours"),
            number => format!("turn {number}, {}'s", self.received.player(view.facts.active)),
        };
        output::line("");
        output::wrapped_title(Style::Bold, &turn, step);
        for (name, value) in &view.facts.game {
            output::wrapped_line(labelled(name, value));
        }
        let Some(layout) = self.layout() else { return };
        let others = (0..view.facts.seats.len()).filter(|seat| *seat != self.viewer);
        for seat in others {
            self.print_player(seat);
        }
        let shared: Vec<FilledRow> = layout.list.iter().chain(&layout.middle).flat_map(|row| self.fill(row, None)).collect();
        self.print_rows(&shared, "");
        self.print_player(self.viewer);
    }

    fn layout(&self) -> Option<&Layout> {
        self.received.layout.as_ref()
    }

    /// Prints the numbers of a player and how many cards lie hidden where, then the rows.
    fn print_player(&self, seat: usize) {
        let Some(layout) = self.layout() else { return };
        let Some(plate) = self.received.view.facts.seats.get(seat) else { return };
        let rows = self.rows(layout, seat);
        let hidden = rows.iter().filter(|row| row.hidden > 0);
        let hidden = hidden.map(|row| format!("{} {}", row.label, row.hidden + row.handles.len()));
        let facts: Vec<String> = Self::numbers(plate).chain(hidden).collect();
        let name = self.received.player(seat);
        let who = if seat == self.viewer && !self.hot_seat { format!("{name} (you)") } else { name.to_owned() };
        let out = if plate.out { " (out of the game)" } else { "" };
        let colon = if facts.is_empty() { "" } else { ": " };
        output::wrapped_title(Style::Bold, &who, format!("{out}{colon}{}", facts.join(", ")));
        self.print_rows(&rows, "  ");
    }

    /// Prints the numbers of all players, a line for each, also those of empty zones that are not public. Zones that the format removes have none.
    pub fn print_numbers(&self) {
        let Some(layout) = self.layout() else { return };
        for (seat, plate) in self.received.view.facts.seats.iter().enumerate() {
            let rows = self.rows(layout, seat);
            let cards = rows.iter().filter(|row| row.is_secret);
            let cards = cards.map(|row| format!("{} {}", row.label, row.hidden + row.handles.len()));
            let facts: Vec<String> = Self::numbers(plate).chain(cards).collect();
            if !facts.is_empty() {
                output::wrapped_line(format!("{}: {}", self.received.player(seat), facts.join(", ")));
            }
        }
    }

    /// The rows of a player.
    fn rows(&self, layout: &Layout, seat: usize) -> Vec<FilledRow> {
        let rows = layout.seat.iter().chain(&layout.left).chain(&layout.right);
        rows.flat_map(|row| self.fill(row, Some(seat))).collect()
    }

    /// The numbers of a player.
    fn numbers(plate: &Plate) -> impl Iterator<Item = String> {
        plate.large.iter().chain(&plate.show).map(|(name, value)| labelled(name, value))
    }

    /// The contents of a row, one for each zone if it is a pile. An object is in the row that it names, else in the last one of its zone.
    fn fill(&self, row: &Row, seat: Option<usize>) -> Vec<FilledRow> {
        let view = &self.received.view;
        let mut filled: Vec<FilledRow> = Vec::new();
        for name in row.zones.iter().filter(|name| !self.is_removed(name)) {
            let is_split = row.style == RowStyle::Pile && row.zones.len() > 1;
            if is_split || filled.is_empty() {
                let label = if is_split { name.replace('_', " ") } else { row.label.clone() };
                let mut zones = self.library.zones.iter();
                let is_secret = zones.any(|zone| zone.name == *name && zone.visibility != Visibility::Public);
                filled.push(FilledRow { label, style: row.style, handles: Vec::new(), hidden: 0, is_secret });
            }
            let Some(target) = filled.last_mut() else { continue };
            let is_last = self.last_row(name) == Some(row.id);
            let own = seat.and_then(|seat| view.zones.get(&format!("{name}.{seat}"))).map(|zone| (zone, None));
            // Of a zone of all, a player's row has what the player controls.
            let shared = view.zones.get(name).map(|zone| (zone, seat));
            for (zone, controller) in own.into_iter().chain(shared) {
                let is_here = |object: &Object| {
                    controller.is_none_or(|seat| object.controller() == seat) && object.row.map_or(is_last, |own| own == row.id)
                };
                let handles = zone.list.iter().copied();
                target
                    .handles
                    .extend(handles.filter(|handle| view.objects.get(&handle.to_string()).is_some_and(|object| is_here(object))));
                if controller.is_none() && is_last {
                    target.hidden += zone.hidden;
                }
            }
        }
        filled
    }

    /// Whether the format removes a zone of the game.
    fn is_removed(&self, name: &str) -> bool {
        let kind = self.library.zones.iter().position(|zone| zone.name == name);
        kind.is_some_and(|kind| fizzle_runtime::ir::has_zone(self.format.absent_zones, kind))
    }

    fn last_row(&self, zone: &str) -> Option<usize> {
        let layout = self.layout()?;
        let mut rows = layout.middle.iter().chain(&layout.left).chain(&layout.right).chain(&layout.seat).chain(&layout.list);
        rows.rfind(|row| row.zones.iter().any(|other| other == zone)).map(|row| row.id)
    }

    /// Prints rows. Rows with the same label have it once.
    fn print_rows(&self, rows: &[FilledRow], indent: &str) {
        let filled: Vec<&FilledRow> = rows.iter().filter(|row| !row.handles.is_empty()).collect();
        for same in filled.chunk_by(|a, b| a.label == b.label) {
            let lines: Vec<String> = same.iter().flat_map(|row| self.row_lines(row)).collect();
            match (same, lines.as_slice()) {
                ([FilledRow { style: RowStyle::Pile | RowStyle::Tiles, label, .. }], [only]) => {
                    output::wrapped_line(format!("{indent}{label}: {only}"));
                }
                ([first, ..], lines) => {
                    output::wrapped_line(format!("{indent}{}:", first.label));
                    lines.iter().for_each(|line| output::wrapped_line(format!("{indent}  {line}")));
                }
                ([], _) => {}
            }
        }
    }

    /// The objects of a row: those of piles and tiles in one line, others in a line for each.
    fn row_lines(&self, row: &FilledRow) -> Vec<String> {
        let (below, shown) = row.handles.split_at(self.first_of_pile(row));
        let objects = shown.iter().map(|handle| self.object(*handle, row.style));
        match row.style {
            RowStyle::Pile if !below.is_empty() => {
                vec![format!("{}, on top {}", row.handles.len(), objects.collect::<Vec<_>>().join(", "))]
            }
            RowStyle::Pile | RowStyle::Tiles => vec![objects.collect::<Vec<_>>().join(", ")],
            RowStyle::Row | RowStyle::Fan | RowStyle::Backs | RowStyle::Places => objects.collect(),
        }
    }

    /// The number of objects below those that are listed: of a pile that no player may look into, who sees everything is shown the top.
    fn first_of_pile(&self, row: &FilledRow) -> usize {
        let zone_of = |handle: &u32| self.received.view.objects.get(&handle.to_string()).map(|object| object.zone.clone());
        let is_secret = row.handles.last().and_then(zone_of).is_some_and(|key| {
            let name = key.split('.').next().unwrap_or_default();
            self.library.zones.iter().any(|zone| zone.name == name && zone.visibility == Visibility::Hidden)
        });
        if is_secret && row.style == RowStyle::Pile { row.handles.len().saturating_sub(1) } else { 0 }
    }

    /// An object in words: number, name, price and types where it is not in play yet, numbers, and in parentheses what is different about it.
    fn object(&self, handle: u32, style: RowStyle) -> String {
        let Some(object) = self.received.view.objects.get(&handle.to_string()) else { return format!("#{handle}") };
        let name = self.received.name(handle);
        let mut text = format!("#{handle} {}", if name.is_empty() { "a hidden card" } else { name });
        if let (RowStyle::Fan, Some(face)) = (style, self.received.cards.get(object.card.as_str())) {
            let hue = face.hue.join(" ");
            let types = [&face.line, &face.kind, &hue].into_iter().find(|types| !types.is_empty());
            for part in [&face.cost].into_iter().chain(types).filter(|part| !part.is_empty()) {
                text.push_str(&format!(" {part}"));
            }
        }
        if !object.look.stat.is_empty() {
            text.push_str(&format!(" {}", object.look.stat));
        }
        let mut details = self.details(object);
        let arrows = self.received.view.facts.arrows.iter().filter(|(from, _)| *from == handle);
        details.extend(arrows.map(|(_, to)| format!("→ {}", self.target(&to.to_string()))));
        if !details.is_empty() {
            text.push_str(&format!(" ({})", details.join(", ")));
        }
        text
    }

    fn details(&self, object: &Object) -> Vec<String> {
        let mut details = Vec::new();
        let layout = self.layout();
        if layout.and_then(|layout| layout.list.as_ref()).is_some_and(|list| list.zones.iter().any(|zone| *zone == object.zone)) {
            let seat = object.controller();
            let is_own = seat == self.viewer && !self.hot_seat;
            details.push(if is_own { "yours".to_owned() } else { format!("{}'s", self.received.player(seat)) });
        }
        if object.ability {
            details.push(if object.text.is_empty() { "ability".to_owned() } else { object.text.clone() });
        }
        details.extend(object.position.map(|place| format!("number {place} from the bottom")));
        details.extend(object.look.marks.iter().cloned());
        details.extend(object.look.counts.iter().map(|(name, count)| format!("{name} {count}")));
        let statuses = object.is.iter().filter(|(_, value)| **value != 0);
        details.extend(statuses.filter_map(|(name, value)| self.status(object, name, *value)));
        // Of a game whose layout names no links, all of them.
        let has_links = layout.is_some_and(|layout| layout.links().next().is_some());
        let is_link = |name: &str| !has_links || layout.is_some_and(|layout| layout.links().any(|link| link == name));
        for (name, target) in object.to.iter().filter(|(name, _)| is_link(name)) {
            details.push(format!("{} {}", name.replace('_', " "), self.target(target)));
        }
        let chosen = object.chosen.iter().map(|handle| self.target(&handle.to_string()));
        let chosen: Vec<String> = chosen.chain(object.chosen_seats.iter().map(|seat| self.player(*seat))).collect();
        if !chosen.is_empty() {
            details.push(format!("choosing {}", chosen.join(", ")));
        }
        let under: Vec<&str> = object.under.iter().map(|card| card.card.as_str()).collect();
        if !under.is_empty() {
            details.push(format!("over {}", under.join(", ")));
        }
        details
    }

    /// A status of an object in words, unless its marks or counts have it. Of a format with a layout, only those statuses are shown that decide
    /// how the object is drawn, or conceal it.
    fn status(&self, object: &Object, name: &str, value: i64) -> Option<String> {
        let words = name.replace('_', " ");
        // A status with a number for each word is counted by the word.
        let (base, key) = name.split_once('(').unwrap_or((name, name));
        let counted = key.trim_end_matches(')').replace('_', " ");
        if object.look.marks.contains(&words) || object.look.counts.iter().any(|(known, _)| *known == counted) {
            return None;
        }
        let declared = self.library.statuses.iter().find(|status| status.name == base);
        let is_drawn = object.look.states.contains(&words) || declared.is_some_and(|status: &Variable| status.conceals);
        if self.format.layout != WrittenLayout::default() && !is_drawn {
            return None;
        }
        Some(if declared.is_some_and(|status| status.ty == Type::Bool) { words } else { format!("{words} {value}") })
    }

    /// What a status refers to: an object with its number, or a player.
    fn target(&self, target: &str) -> String {
        if let Some(seat) = target.strip_prefix("seat").and_then(|seat| seat.parse().ok()) {
            return self.player(seat);
        }
        let name = target.parse().map_or("", |handle| self.received.name(handle));
        if name.is_empty() { format!("#{target}") } else { format!("{name} #{target}") }
    }

    fn player(&self, seat: usize) -> String {
        if seat == self.viewer && !self.hot_seat { "you".to_owned() } else { self.received.player(seat).to_owned() }
    }
}

fn labelled(name: &str, value: &str) -> String {
    if value.is_empty() { name.to_owned() } else { format!("{name} {value}") }
}
