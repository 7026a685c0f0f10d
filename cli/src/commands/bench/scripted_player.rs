//! A scripted player for Magic decks of lands and creatures: plays a land, casts the most expensive affordable creature, attacks with
//! everything, and blocks each attacker with probability one half.

use fizzle_bots::Bot;
use fizzle_runtime::dice::{Dice, derive};
use fizzle_runtime::ir::ObjectRef;
use fizzle_runtime::program::Program;
use fizzle_runtime::state::layout;
use fizzle_runtime::vm::Machine;
use fizzle_runtime::vm::decision::{Choice, Decision, DecisionKind, Side};

/// The names of the game that the script uses: two plays, and the property with the price of a card.
const LAND: &str = "play_land";
const CAST: &str = "cast";
const PRICE: &str = "mana_cost";

/// The scripted player, with the random numbers for blocks.
pub struct ScriptedPlayer {
    dice: Dice,
    /// The number of price units, by definition number.
    costs: Vec<usize>,
}

impl ScriptedPlayer {
    /// Creates the player of a seat of a game.
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

    /// Picks a land, else the most expensive castable card (the first of equal ones), else the pass.
    fn choose_play(&self, machine: &Machine, decision: &Decision) -> usize {
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

    /// Lets every creature attack the first thing that it can attack.
    fn choose_attackers(decision: &Decision) -> Vec<u32> {
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

    /// Blocks each attacker with probability one half, by the first free blocker.
    fn choose_blockers(&mut self, decision: &Decision) -> Vec<u32> {
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
            DecisionKind::Act => vec![self.choose_play(machine, decision) as u32],
            DecisionKind::Assign if decision.player == machine.state.active() => Self::choose_attackers(decision),
            DecisionKind::Assign => self.choose_blockers(decision),
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
    use super::super::workload::{SCRIPTED, sources, workloads};
    use super::*;
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    /// What was observed in the games: how often each play was chosen, and the counts of attacks and blocks.
    #[derive(Default)]
    struct Observations {
        plays: BTreeMap<String, u32>,
        attacks: u32,
        blockable: u32,
        blocked: u32,
    }

    struct ObservedPlayer(ScriptedPlayer, Arc<Mutex<Observations>>);

    impl Bot for ObservedPlayer {
        fn choose(&mut self, machine: &Machine, decision: &Decision) -> Vec<u32> {
            let picks = self.0.choose(machine, decision);
            let mut observations = self.1.lock().unwrap();
            let play = |choice: &Choice| match choice {
                Choice::Play { play, object, .. } => {
                    Some((machine.program.play(*play).unwrap().name.clone(), self.0.cost(machine, *object)))
                }
                _ => None,
            };
            let offered: Vec<(String, usize)> = decision.options.iter().filter_map(play).collect();
            match decision.kind {
                DecisionKind::Act => {
                    let picked = play(&decision.options[picks[0] as usize]).expect("the script passes only if there is no play");
                    if offered.iter().any(|(name, _)| name == LAND) {
                        assert_eq!(picked.0, LAND);
                    } else {
                        assert_eq!(picked.1, offered.iter().map(|(_, cost)| *cost).max().unwrap(), "{offered:?}");
                    }
                    *observations.plays.entry(picked.0).or_default() += 1;
                }
                DecisionKind::Assign if decision.player == machine.state.active() => {
                    assert_eq!(picks.len(), decision.options.len(), "everything attacks the only opponent");
                    observations.attacks += 1;
                }
                DecisionKind::Assign => {
                    let board = decision.board.as_ref().unwrap();
                    if board.capacities.len() as u32 >= board.right_count {
                        observations.blockable += board.right_count;
                        observations.blocked += picks.len() as u32;
                    }
                }
                _ => {}
            }
            picks
        }
    }

    #[test]
    fn script_plays_lands_and_creatures_and_attacks_with_all_and_blocks_half() {
        let made = fizzle_compiler::compile(sources()).artifact.unwrap();
        let table = workloads(&made).unwrap().into_iter().find(|table| table.name == SCRIPTED).unwrap();
        let observations = Arc::new(Mutex::new(Observations::default()));
        for game in 0..12 {
            let observed =
                |seat| Box::new(ObservedPlayer(table.scripted_player(game, seat), Arc::clone(&observations))) as Box<dyn Bot>;
            assert!(table.play_with(observed, game, |_| {}).unwrap() > 10);
        }
        let observations = observations.lock().unwrap();
        assert!(
            observations.plays[LAND] > 12 && observations.plays[CAST] > 24 && observations.attacks > 24,
            "{:?}",
            observations.plays
        );
        // Each attacker is blocked with probability one half. Only declarations with a possible blocker for each attacker are counted.
        let (blocked, of) = (observations.blocked, observations.blockable);
        assert!(of > 20 && (of / 3..of * 2 / 3).contains(&blocked), "{blocked} of {of}");
    }
}
