//! Expectations of a scenario about what a player can see: `expect A sees …` and `expect A has seen …`.

use super::ScenarioFailure;
use super::run::ScenarioRun;
use crate::ir::FnId;
use crate::ir::ObjectRef;
use crate::ir::scenario::ExpectedValue;
use crate::view::{event_stream::announced_choices, sees};

impl ScenarioRun<'_> {
    /// Checks whether a player knows which cards the objects of `what` are and, with `of`, that they were chosen for that object.
    pub(super) fn expect_sees(
        &mut self,
        player: usize,
        wanted: bool,
        what: FnId,
        of: Option<&ExpectedValue>,
    ) -> Result<(), ScenarioFailure> {
        self.settle()?;
        let args = self.args();
        let objects: Vec<ObjectRef> = self.machine.items(what, &args).into_iter().map(ObjectRef).collect();
        let who = self.player_name(player);
        if objects.is_empty() {
            return self.fail(format!("there is nothing that {who} could see or not see"));
        }
        let chosen = match of {
            Some(of) => Some(self.choices_seen(player, of, wanted)?),
            None => None,
        };
        for it in objects {
            let visible = self.machine.state.exists(it) && sees(&self.machine, player, it.slot());
            let is = visible && chosen.as_ref().is_none_or(|chosen| chosen.contains(&it));
            if is == wanted {
                continue;
            }
            let name = self.object_name(it);
            let zone = if self.machine.state.exists(it) { self.machine.state.zone(it.slot()) } else { None };
            let zone = zone.map_or_else(|| "no zone".to_owned(), |zone| self.zone_name(zone));
            return match (wanted, of) {
                (false, _) => self.fail(format!("{who} sees {name}, which is in {zone}")),
                (true, Some(of)) if visible => {
                    let of = self.expected_text(of);
                    self.fail(format!("{who} does not see {name} chosen for {of}"))
                }
                (true, _) => self.fail(format!("{who} does not see {name}, which is in {zone}")),
            };
        }
        Ok(())
    }

    /// The objects that a player sees chosen for an object on the list, or for the abilities of it that wait there.
    fn choices_seen(&mut self, player: usize, of: &ExpectedValue, wanted: bool) -> Result<Vec<ObjectRef>, ScenarioFailure> {
        let program = std::sync::Arc::clone(&self.machine.program);
        let list = program.list.map_or_else(Vec::new, |list| self.machine.state.zone_items(&program, list).to_vec());
        let mut waiting: Vec<ObjectRef> = Vec::new();
        for item in list {
            if self.matches_object(of, ObjectRef(item)) {
                waiting.push(ObjectRef(item));
            }
        }
        if waiting.is_empty() && wanted {
            let of = self.expected_text(of);
            return self.fail(format!("neither {of} nor an ability of it is on the list"));
        }
        waiting.retain(|it| sees(&self.machine, player, it.slot()));
        Ok(waiting.into_iter().flat_map(|it| announced_choices(&self.machine, it).0).collect())
    }

    /// Checks whether a player was shown a card (in a zone, if one is given) while it was hidden.
    pub(super) fn expect_seen(
        &mut self,
        player: usize,
        wanted: bool,
        card: u32,
        zone: Option<FnId>,
    ) -> Result<(), ScenarioFailure> {
        self.settle()?;
        let args = self.args();
        let zone = zone.map(|zone| self.machine.number(zone, &args));
        let shown: Vec<(u32, u32)> = self.machine.state.shown(player).map(|[_, card, _, zone]| (card, zone)).collect();
        let stands = shown.iter().any(|(name, place)| *name == card && zone.is_none_or(|zone| zone == i64::from(*place)));
        if stands == wanted {
            return Ok(());
        }
        let mut names: Vec<String> = Vec::new();
        for (card, zone) in shown {
            let name = self.machine.program.definition(card).map_or_else(String::new, |d| d.name.clone());
            names.push(format!("\"{name}\" in {}", self.zone_name(zone as usize)));
        }
        let (who, record) = (self.player_name(player), if names.is_empty() { "nothing".to_owned() } else { names.join(", ") });
        self.fail(format!("{who} was shown {record}"))
    }
}
