//! No message to a client depends on what its player cannot know, and none names a card that its player has not met.

#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

mod common;

use common::{Player, begin_next_game, deliver, formats, game_count, seated, setup, step};
use fizzle_ir::ObjectRef;
use fizzle_runtime::state::layout::COMMIT_COUNT;
use fizzle_runtime::view::object_name;
use fizzle_runtime::vm::Machine;
use fizzle_table::protocol::{ClientMessage, Lang};
use fizzle_table::table::{ClientId, Table};
use serde_json::Value;
use std::collections::BTreeSet;

/// What a table sends to a client that joins in a seat, wants everything again, changes its language, and requests all reasons.
fn frames(table: &mut Table, seat: Option<usize>, handles: &[u32]) -> Vec<Value> {
    let id = ClientId(1_000);
    let mut client = Player::new(id.0, 0);
    table.take_messages();
    table.join(id, seat, "", Lang::En, "token", 0);
    let lang = ClientMessage::Lang { lang: Lang::Ja };
    let whys = handles.iter().map(|handle| ClientMessage::Why { on: Some(*handle) });
    for message in [ClientMessage::Again, lang, ClientMessage::Why { on: None }].into_iter().chain(whys) {
        table.receive(id, message, 0);
    }
    deliver(table, std::slice::from_mut(&mut client));
    client.frames
}

/// What differs, as JSON.
fn shown(differing: Option<(&Value, &Value)>) -> String {
    differing.map_or_else(String::new, |(one, other)| format!("{one}\n{other}"))
}

/// At random decisions, what cannot be known is replaced twice: a client that joins then is sent the same in both.
#[test]
fn messages_do_not_depend_on_hidden_cards() {
    let (mut compared, mut next_games) = (0, 0);
    for format in formats() {
        for seed in 0..game_count(3) {
            let mut made = setup(format, seed, ["", ""]);
            made.best_of = if seed % 5 == 1 { 3 } else { 1 };
            let (mut table, mut players) = seated(made);
            deliver(&mut table, &mut players);
            let mut steps = 0;
            loop {
                if !step(&mut table, &mut players) {
                    if !begin_next_game(&mut table, &mut players) {
                        break;
                    }
                    next_games += 1;
                }
                steps += 1;
                if (steps + seed) % 23 != 0 || table.is_over() || players.iter().all(|player| player.ask.is_null()) {
                    continue;
                }
                // The viewer decides, or only watches. Where another player decides, the decision refers to the real cards.
                let decider = players.iter().position(|player| !player.ask.is_null()).filter(|at| *at < 2);
                for seat in [decider, None] {
                    let viewer = seat.unwrap_or(2);
                    let seen = players[viewer].view["objects"].as_object().unwrap();
                    let handles: Vec<u32> = seen.keys().map(|handle| handle.parse().unwrap()).take(12).collect();
                    let copies: Vec<Vec<Value>> = (0..2)
                        .map(|copy| {
                            let mut copy_table = table.clone();
                            copy_table.determinise(viewer, seed * 7 + copy);
                            frames(&mut copy_table, seat, &handles)
                        })
                        .collect();
                    let differing = copies[0].iter().zip(&copies[1]).find(|(one, other)| one != other);
                    assert!(differing.is_none(), "{format} {seed} {steps} {seat:?}: {}", shown(differing));
                    assert_eq!(copies[0].len(), copies[1].len(), "{format} {seed} {steps} {seat:?}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 25 * formats().len() && next_games > 0, "{compared} {next_games}");
}

/// The names that a viewer has met: those of the objects that it knows, its own deck, and what the texts of these name.
struct MetNames {
    viewer: usize,
    names: BTreeSet<String>,
}

impl MetNames {
    fn update(&mut self, machine: &Machine) {
        let (program, state) = (&machine.program, &machine.state);
        for zone in 0..program.layout.instances {
            for item in state.zone_items(program, zone) {
                let it = ObjectRef(*item);
                let is_known = if self.viewer < program.players() {
                    state.is_known(program, self.viewer, it.slot())
                } else {
                    program.is_public(zone) && !state.is_concealed(program, it.slot())
                };
                if is_known {
                    self.names.insert(object_name(program, state, it));
                }
            }
        }
    }
}

/// The game of a table once more, frame by frame: what is seen between two decisions is met, too.
struct Shadow {
    machine: Machine,
    /// The number of answers that it has been given.
    done: usize,
}

impl Shadow {
    fn of(table: &Table) -> Self {
        Self { machine: table.machine().clone(), done: table.answers().len() }
    }

    fn follow(&mut self, table: &Table, met: &mut [MetNames]) {
        for answer in table.answers().iter().skip(self.done) {
            self.advance(met);
            if answer.is_concession() {
                self.machine.concede(answer.player.into());
            } else {
                self.machine.answer(&answer.picks).unwrap();
            }
        }
        self.done = table.answers().len();
        self.advance(met);
    }

    fn advance(&mut self, met: &mut [MetNames]) {
        let mut commits = u32::MAX;
        let mut is_stopped = false;
        while !is_stopped {
            is_stopped = self.machine.tick().is_some();
            let now = self.machine.state.block.get(COMMIT_COUNT);
            if is_stopped || now != std::mem::replace(&mut commits, now) {
                met.iter_mut().for_each(|it| it.update(&self.machine));
            }
        }
    }
}

/// The texts of a frame that could name a card; the faces of cards have their own texts.
fn texts(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(all) => all.iter().for_each(|one| texts(one, found)),
        Value::Object(all) => {
            all.iter().filter(|(key, _)| *key != "text" && *key != "rules").for_each(|(_, one)| texts(one, found))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A card that only one player has is named in the messages to the others after they have met it, not before: also after
/// rejoining, another language, an undo, in the next game of a match, and for watchers.
#[test]
fn messages_name_no_card_before_it_is_met() {
    let (mut met_later, mut next_games) = (0, 0);
    for format in formats() {
        for seed in 0..game_count(4) {
            let mut made = setup(format, seed, ["", ""]);
            made.best_of = if seed % 3 == 1 { 3 } else { 1 };
            let names = |seat: usize| -> BTreeSet<String> {
                let library = &made.game.library;
                let cards = made.decks[seat].sections.iter().flat_map(|(_, cards)| cards);
                cards.map(|(_, card)| library.definitions.get(card.index()).unwrap().name.clone()).collect()
            };
            let decks = [names(0), names(1)];
            let all: BTreeSet<String> = decks[0].union(&decks[1]).cloned().collect();
            let mut met: Vec<MetNames> =
                (0..3).map(|viewer| MetNames { viewer, names: decks.get(viewer).cloned().unwrap_or_default() }).collect();
            let secrets: Vec<BTreeSet<String>> = met.iter().map(|it| all.difference(&it.names).cloned().collect()).collect();
            let (mut table, mut players) = seated(made);
            let mut read = [0; 3];
            met.iter_mut().for_each(|it| it.update(table.machine()));
            let mut shadow = Shadow::of(&table);
            for steps in 0..400 {
                shadow.follow(&table, &mut met);
                deliver(&mut table, &mut players);
                for viewer in 0..3 {
                    for frame in &players[viewer].frames[read[viewer]..] {
                        let mut found = Vec::new();
                        texts(frame, &mut found);
                        for name in secrets[viewer].difference(&met[viewer].names) {
                            // The name of one card can be part of another.
                            let hidden_in = |text: &String| {
                                text.contains(name) && !met[viewer].names.iter().any(|known| known.contains(name.as_str()))
                            };
                            assert!(!found.iter().any(hidden_in), "{format} {seed} {steps}: {viewer} reads {name} in {frame}");
                        }
                    }
                    read[viewer] = players[viewer].frames.len();
                }
                match steps % 41 {
                    7 => table.receive(
                        ClientId(0),
                        ClientMessage::Lang { lang: if steps % 2 == 0 { Lang::En } else { Lang::Ja } },
                        0,
                    ),
                    17 => table.join(ClientId(1), Some(1), "", Lang::En, "token", 0),
                    23 => {
                        table.receive(ClientId(0), ClientMessage::Undo, 0);
                        table.receive(ClientId(1), ClientMessage::UndoVote { agree: true }, 0);
                        shadow = Shadow::of(&table);
                    }
                    29 => {
                        table.leave(ClientId(99), 0);
                        table.join(ClientId(99), None, "", Lang::En, "", 0);
                    }
                    _ => {}
                }
                deliver(&mut table, &mut players);
                if steps % 150 == 149 && table.game_match().best_of() > 1 {
                    table.receive(ClientId(1), ClientMessage::Concede, 0);
                    deliver(&mut table, &mut players);
                    continue;
                }
                if !step(&mut table, &mut players) {
                    if !begin_next_game(&mut table, &mut players) {
                        break;
                    }
                    // Who remembers a name from the last game learns nothing by reading it too early in this one, so all begin again with their decks.
                    met.iter_mut().for_each(|it| it.names = decks.get(it.viewer).cloned().unwrap_or_default());
                    met.iter_mut().for_each(|it| it.update(table.machine()));
                    shadow = Shadow::of(&table);
                    next_games += 1;
                }
            }
            met_later += met.iter().zip(&secrets).map(|(it, secret)| secret.intersection(&it.names).count()).sum::<usize>();
        }
    }
    assert!(met_later > 25 * formats().len() && next_games >= formats().len() / 2, "{met_later} {next_games}");
}
