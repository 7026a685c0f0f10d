//! Views as plain data: what one player may see of a game.

use crate::Outcome;
use fizzle_runtime::ir::{Library, Type, Variable};
use fizzle_runtime::view as machine;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use std::collections::BTreeMap;

/// What one player may see of a game. It has no hidden card, not even by an order or a number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct View {
    /// The seat of the player who sees this, from 0.
    pub seat: usize,
    /// The number of the turn, from 1; 0 before the first one.
    pub turn: u32,
    /// The seat of the active player.
    pub active: usize,
    /// The innermost open phase or step in words; empty before the first turn and between periods.
    pub period: String,
    /// The players, by seat.
    pub players: Vec<PlayerView>,
    /// The zones, also the empty ones.
    pub zones: Vec<ZoneView>,
    /// The variables of the game, by name.
    pub variables: BTreeMap<String, Value>,
    /// The hidden cards that the player was shown so far, oldest first.
    pub shown: Vec<ShownCard>,
    /// The seat of the player who must answer now, if this player may know that.
    pub deciding: Option<usize>,
    /// How the game ended; `None` while it is in progress.
    pub outcome: Option<Outcome>,
}

/// A player, as everybody sees them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PlayerView {
    /// Whether the player has lost and takes no part any more.
    pub has_lost: bool,
    /// The player's variables, by name. A variable with a number for each word has an entry `NAME(WORD)` for each number that is not 0.
    pub variables: BTreeMap<String, Value>,
}

/// A zone, as a player sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ZoneView {
    /// Its name, as sources write it.
    pub name: String,
    /// The seat that owns it; `None` for a zone that all share.
    pub owner: Option<usize>,
    /// The objects that the player can identify, bottom to top; by name in a zone that is hidden from the player and has no order.
    pub objects: Vec<ObjectView>,
    /// The number of its other objects.
    pub hidden: usize,
}

/// An object that a player can identify.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ObjectView {
    /// The player's number for the object, from 1. It stays the same until the object moves, or cannot be distinguished from others any more. Each
    /// player has numbers of their own.
    pub handle: u32,
    /// The name of its card, for an ability that of its source; empty if the player does not know which card it is.
    pub name: String,
    /// Whether it is an ability that waits on the list, and no card.
    pub ability: bool,
    /// The seat of the owner of the card.
    pub owner: usize,
    /// The seat that controls it; `None` for no player.
    pub controller: Option<usize>,
    /// Its properties after continuous effects, by name, without prices.
    pub properties: BTreeMap<String, Value>,
    /// Its words after continuous effects.
    pub words: Vec<String>,
    /// Its statuses that differ from their initial values, by name.
    pub statuses: BTreeMap<String, Value>,
    /// In a hidden zone with an order, its position counted from the bottom, from 1; else 0.
    pub place: usize,
    /// The handles of the objects that were announced for it, as far as the player can identify them.
    pub chosen: Vec<u32>,
    /// The cards under it, bottom to top: names, owners and handles only.
    pub pile: Vec<ObjectView>,
}

/// A hidden card that a player was shown: as it was then, not where it is now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShownCard {
    /// The number of the turn.
    pub turn: u32,
    /// The name of the card.
    pub name: String,
    /// The seat of its owner.
    pub owner: usize,
    /// The name of the zone that it was in.
    pub zone: String,
    /// The seat that owns this zone; `None` for a zone that all share.
    pub zone_owner: Option<usize>,
}

/// The value of a property, status or variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Value {
    /// A number.
    Number(i64),
    /// Whether something holds.
    Bool(bool),
    /// A player, by seat.
    Seat(usize),
    /// An object, by the handle that the player of the view has for it.
    Object(u32),
    /// No player, no object, or an object that the player of the view cannot identify.
    Nothing,
}

impl Value {
    /// The number; `None` for a value of another type.
    #[must_use]
    pub fn number(self) -> Option<i64> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }

    fn new(ty: Type, value: i64) -> Self {
        let seat = |seat: i64| usize::try_from(seat).map_or(Self::Nothing, Self::Seat);
        match ty {
            Type::Bool => Self::Bool(value != 0),
            Type::Player => seat(value),
            // The view of the runtime has objects as handles, and players as negative numbers.
            ty if ty.is_reference() => match value {
                0 => Self::Nothing,
                ..0 => seat(-1 - value),
                1.. => u32::try_from(value).map_or(Self::Nothing, Self::Object),
            },
            _ => Self::Number(value),
        }
    }
}

impl View {
    /// Converts a view of the runtime.
    pub(crate) fn new(view: machine::View, library: &Library, outcome: Option<Outcome>) -> Self {
        let player = |(seat, variables): (usize, &Vec<(SmolStr, i64)>)| PlayerView {
            has_lost: view.out.contains(&seat),
            variables: values(variables, &library.player_variables),
        };
        Self {
            seat: view.viewer,
            turn: view.turn,
            active: view.active,
            period: machine::period_name(&view.span),
            players: view.players.iter().enumerate().map(player).collect(),
            variables: values(&view.globals, &library.globals),
            zones: view
                .zones
                .into_iter()
                .filter(|zone| !holds_relationships(&zone.name))
                .map(|zone| ZoneView::new(zone, library))
                .collect(),
            shown: view.shown.into_iter().map(ShownCard::new).collect(),
            deciding: view.asked,
            outcome,
        }
    }

    /// The zone of a name, of a seat or (`None`) shared; `None` if the game has no such zone.
    #[must_use]
    pub fn zone(&self, name: &str, owner: Option<usize>) -> Option<&ZoneView> {
        self.zones.iter().find(|zone| zone.name == name && zone.owner == owner)
    }

    /// The object of a handle, with its zone; `None` if the player cannot identify such an object now. Cards under others are not found.
    #[must_use]
    pub fn object(&self, handle: u32) -> Option<(&ZoneView, &ObjectView)> {
        self.zones.iter().find_map(|zone| zone.objects.iter().find(|it| it.handle == handle).map(|it| (zone, it)))
    }
}

impl ZoneView {
    fn new(zone: machine::ZoneView, library: &Library) -> Self {
        let objects = zone.objects.into_iter().map(|object| ObjectView::new(object, library)).collect();
        Self { name: zone.name.to_string(), owner: zone.owner, objects, hidden: zone.hidden }
    }

    /// The number of all its objects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.objects.len() + self.hidden
    }

    /// Whether it has no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl ObjectView {
    fn new(object: machine::ObjectView, library: &Library) -> Self {
        Self {
            handle: object.handle,
            name: object.name,
            ability: object.ability,
            owner: object.owner,
            controller: usize::try_from(object.controller).ok(),
            properties: values(&object.properties, &library.properties),
            words: object.words.iter().filter(|word| !is_bookkeeping(word)).map(SmolStr::to_string).collect(),
            statuses: values(&object.statuses, &library.statuses),
            place: object.place,
            chosen: object.chosen,
            pile: object.pile.into_iter().map(|under| Self::new(under, library)).collect(),
        }
    }
}

impl ShownCard {
    fn new(shown: machine::ShownView) -> Self {
        let zone = shown.zone;
        Self { turn: shown.turn, name: shown.name, owner: shown.owner, zone: zone.name.to_string(), zone_owner: zone.owner }
    }
}

/// Whether a zone is that of a relation, whose name no source can contain.
fn holds_relationships(zone: &str) -> bool {
    is_bookkeeping(zone) && zone.contains(' ')
}

/// Whether a name is for the rules alone, not for players.
fn is_bookkeeping(name: &str) -> bool {
    name.starts_with('_')
}

/// The values with the types that they are declared with. Without bookkeeping of the rules.
fn values(named: &[(SmolStr, i64)], declared: &[Variable]) -> BTreeMap<String, Value> {
    let ty = |name: &str| declared.iter().find(|variable| variable.name == name).map_or(Type::Number, |variable| variable.ty);
    let shown = named.iter().filter(|(name, _)| !is_bookkeeping(name));
    shown.map(|(name, value)| (name.to_string(), Value::new(ty(name), *value))).collect()
}
