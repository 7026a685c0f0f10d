//! What a scenario expects of a player's view.

use super::ScenarioFailure;
use super::run::{ScenarioRun, StopCondition};
use crate::ir::FnId;
use crate::state::ObjectRef;
use crate::view::{event_stream::announced, sees};

impl ScenarioRun<'_> {
    /// Whether a player can tell which cards objects are, and, with `of`, that they were chosen for that one.
    pub(super) fn expect_sees(
        &mut self,
        player: usize,
        wanted: bool,
        what: FnId,
        of: Option<FnId>,
    ) -> Result<(), ScenarioFailure> {
        self.arrive(StopCondition::Look)?;
        let args = self.args();
        let objects: Vec<ObjectRef> = self.machine.items(what, &args).into_iter().map(ObjectRef).collect();
        let who = self.player(player);
        if objects.is_empty() {
            return self.fail(format!("there is nothing that {who} could see or not see"));
        }
        let of = of.map(|of| ObjectRef::from_value(self.machine.number(of, &args)));
        let chosen =
            of.map(|of| if sees(&self.machine, player, of.slot()) { announced(&self.machine, of).0 } else { Vec::new() });
        for it in objects {
            let visible = self.machine.state.exists(it) && sees(&self.machine, player, it.slot());
            let is = visible && chosen.as_ref().is_none_or(|chosen| chosen.contains(&it));
            if is == wanted {
                continue;
            }
            let name = self.object(it);
            let zone = if self.machine.state.exists(it) { self.machine.state.zone(it.slot()) } else { None };
            let zone = zone.map_or_else(|| "no zone".to_owned(), |zone| self.zone(zone));
            return match (wanted, of) {
                (false, _) => self.fail(format!("{who} sees {name}, which is in {zone}")),
                (true, Some(of)) if visible => {
                    let of = self.object(of);
                    self.fail(format!("{who} does not see {name} chosen for {of}"))
                }
                (true, _) => self.fail(format!("{who} does not see {name}, which is in {zone}")),
            };
        }
        Ok(())
    }

    /// Whether a player was shown a card while it was hidden.
    pub(super) fn expect_seen(
        &mut self,
        player: usize,
        wanted: bool,
        card: u32,
        zone: Option<FnId>,
    ) -> Result<(), ScenarioFailure> {
        self.arrive(StopCondition::Look)?;
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
            names.push(format!("\"{name}\" in {}", self.zone(zone as usize)));
        }
        let (who, record) = (self.player(player), if names.is_empty() { "nothing".to_owned() } else { names.join(", ") });
        self.fail(format!("{who} was shown {record}"))
    }
}
