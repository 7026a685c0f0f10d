//! A scripted player of Magic decks of lands and creatures: plays a land, casts the dearest creature that can be paid, attacks with everything,
//! and blocks each attacker with probability one half.

use fizzle_runtime::bot::{Bot, Dice, derive};
use fizzle_runtime::program::Program;
use fizzle_runtime::state::{ObjectRef, layout};
use fizzle_runtime::vm::Machine;
use fizzle_runtime::vm::decision::{Choice, Decision, DecisionKind, Side};

/// The words of the game that the script knows: its plays, and what a card prints for its price.
const LAND: &str = "play_land";
const CAST: &str = "cast";
const PRICE: &str = "mana_cost";

/// The script, with the dice for blocks.
pub struct ScriptedPlayer {
    dice: Dice,
    /// What each card of the library costs.
    costs: Vec<usize>,
}

impl ScriptedPlayer {
    /// For a seat of a game.
    pub fn new(program: &Program, seed: u64, game: u64, seat: usize) -> Self {
        let library = &program.library;
        let price = library.properties.iter().position(|property| property.name == PRICE);
        let cost = |printed: &[i32]| {
            let list = price.and_then(|price| printed.get(price)).and_then(|list| library.lists.get(*list as usize));
            list.map_or(0, Vec::len)
        };
        let costs = library.definitions.by_number(|definition| definition.map_or(0, |definition| cost(&definition.properties)));
        Self { dice: Dice::new(derive(seed, game, 1 + seat as u64)), costs }
    }

    fn cost(&self, machine: &Machine, object: ObjectRef) -> usize {
        let definition = machine.state.column(object.slot(), layout::DEFINITION) as usize;
        self.costs.get(definition).copied().unwrap_or(0)
    }

    /// A land, else the dearest of what can be cast (the first of equal ones), else nothing.
    fn act(&self, machine: &Machine, decision: &Decision) -> usize {
        let named = |choice: &Choice, name: &str| match choice {
            Choice::Play { play, object, .. } if machine.program.play(*play).is_some_and(|it| it.name == name) => Some(*object),
            _ => None,
        };
        let options = || decision.options.iter().enumerate();
        let land = options().find(|(_, choice)| named(choice, LAND).is_some()).map(|(index, _)| index);
        let cast = || {
            let those = options().rev().filter_map(|(index, choice)| Some((index, named(choice, CAST)?)));
            those.max_by_key(|(_, object)| self.cost(machine, *object)).map(|(index, _)| index)
        };
        let pass = || options().position(|(_, choice)| *choice == Choice::Pass);
        land.or_else(cast).or_else(pass).unwrap_or(0)
    }

    /// Everything attacks the first that it can.
    fn attack(decision: &Decision) -> Vec<u32> {
        let mut used = Vec::new();
        let mut picks = Vec::new();
        for (index, choice) in decision.options.iter().enumerate() {
            if let Choice::Pair(who, _) = choice
                && !used.contains(who)
            {
                used.push(*who);
                picks.push(index as u32);
            }
        }
        picks
    }

    /// A coin for each attacker: heads, and the first one that is free blocks it.
    fn block(&mut self, decision: &Decision) -> Vec<u32> {
        let pairs = || decision.options.iter().enumerate();
        let mut attackers: Vec<Side> = Vec::new();
        for (_, choice) in pairs() {
            if let Choice::Pair(_, side) = choice
                && !attackers.contains(side)
            {
                attackers.push(*side);
            }
        }
        let (mut used, mut picks) = (Vec::new(), Vec::new());
        for attacker in attackers {
            if self.dice.below(2) == 0 {
                continue;
            }
            let free = pairs().find_map(|(index, choice)| match choice {
                Choice::Pair(who, side) if *side == attacker && !used.contains(who) => Some((index, *who)),
                _ => None,
            });
            if let Some((index, who)) = free {
                used.push(who);
                picks.push(index as u32);
            }
        }
        picks.sort_unstable();
        picks
    }
}

impl Bot for ScriptedPlayer {
    fn choose(&mut self, machine: &Machine, decision: &Decision) -> Vec<u32> {
        match decision.kind {
            DecisionKind::Act => vec![self.act(machine, decision) as u32],
            DecisionKind::Assign if decision.player == machine.state.active() => Self::attack(decision),
            DecisionKind::Assign => self.block(decision),
            DecisionKind::Number => vec![decision.min as i32 as u32],
            DecisionKind::Divide => decision.default_division(0),
            DecisionKind::Pay => {
                let now = decision.options.iter().position(|choice| *choice == Choice::PayNow);
                vec![now.unwrap_or(0) as u32]
            }
            _ => (0..decision.min.max(0) as u32).collect(),
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::super::workload::{SCRIPTED, sources, tables};
    use super::*;
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    /// What was seen of the games: how often each play was chosen or another one though it was there, and declarations.
    #[derive(Default)]
    struct Seen {
        plays: BTreeMap<String, u32>,
        attacks: u32,
        blockable: u32,
        blocked: u32,
    }

    struct Watched(ScriptedPlayer, Arc<Mutex<Seen>>);

    impl Bot for Watched {
        fn choose(&mut self, machine: &Machine, decision: &Decision) -> Vec<u32> {
            let picks = self.0.choose(machine, decision);
            let mut seen = self.1.lock().unwrap();
            let play = |choice: &Choice| match choice {
                Choice::Play { play, object, .. } => {
                    Some((machine.program.play(*play).unwrap().name.clone(), self.0.cost(machine, *object)))
                }
                _ => None,
            };
            let there: Vec<(String, usize)> = decision.options.iter().filter_map(play).collect();
            match decision.kind {
                DecisionKind::Act => {
                    let picked = play(&decision.options[picks[0] as usize]).expect("it passes only where there is nothing else");
                    if there.iter().any(|(name, _)| name == LAND) {
                        assert_eq!(picked.0, LAND);
                    } else {
                        assert_eq!(picked.1, there.iter().map(|(_, cost)| *cost).max().unwrap(), "{there:?}");
                    }
                    *seen.plays.entry(picked.0).or_default() += 1;
                }
                DecisionKind::Assign if decision.player == machine.state.active() => {
                    assert_eq!(picks.len(), decision.options.len(), "everything attacks the only opponent");
                    seen.attacks += 1;
                }
                DecisionKind::Assign => {
                    let board = decision.board.as_ref().unwrap();
                    if board.most.len() as u32 >= board.rights {
                        seen.blockable += board.rights;
                        seen.blocked += picks.len() as u32;
                    }
                }
                _ => {}
            }
            picks
        }
    }

    #[test]
    fn the_script_plays_lands_and_creatures_attacks_with_all_and_blocks_half() {
        let made = fizzle_compiler::compile(sources()).artifact.unwrap();
        let table = tables(&made).unwrap().into_iter().find(|table| table.name == SCRIPTED).unwrap();
        let seen = Arc::new(Mutex::new(Seen::default()));
        for game in 0..12 {
            let watched = |seat| Box::new(Watched(table.script(game, seat), Arc::clone(&seen))) as Box<dyn Bot>;
            assert!(table.play_with(watched, game, |_| {}).unwrap() > 10);
        }
        let seen = seen.lock().unwrap();
        assert!(seen.plays[LAND] > 12 && seen.plays[CAST] > 24 && seen.attacks > 24, "{:?}", seen.plays);
        // A coin for each attacker, counted where there is somebody for each of them.
        let (blocked, of) = (seen.blocked, seen.blockable);
        assert!(of > 20 && (of / 3..of * 2 / 3).contains(&blocked), "{blocked} of {of}");
    }
}
