//! The view of a table for a client ([`TableView`]): the view of the runtime as flat objects, zones and facts. Also the difference of two such views.

use crate::face::{Faces, definitions, printed, stat_text};
use crate::layout::{shows_zone, stat_properties};
use crate::protocol::Lang;
use crate::protocol::{Facts, Look, Named, Object, Plate, TableView, Under, Zone};
use crate::words::pack_texts::{self, spaced};
use fizzle_ir::{CompiledGame, DefId, Format, Library, Type, Variable};
use fizzle_runtime::program::Program;
use fizzle_runtime::view::{ObjectView, View, look};
use serde::Serialize;
use serde_json::{Map, Value};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The looks of objects, by handle; empty for a format without a layout.
pub type Looks = BTreeMap<u32, look::Look>;

/// What is looked up in a pack for each view.
#[derive(Debug, Default)]
pub struct PackIndex {
    /// The properties at the foot of a face.
    stats: Vec<String>,
    /// The cards by name, with their further faces.
    pub definitions: BTreeMap<String, DefId>,
    /// Their faces.
    pub faces: Faces,
}

impl PackIndex {
    /// That of a game.
    #[must_use]
    pub fn new(game: &CompiledGame) -> Self {
        Self { stats: stat_properties(game), definitions: definitions(game), faces: Faces::default() }
    }
}

/// The key of a zone: `battle` for a shared one, `hand.1` for one of a seat.
#[must_use]
pub fn zone_key(name: &str, owner: Option<usize>) -> String {
    owner.map_or_else(|| name.to_owned(), |seat| format!("{name}.{seat}"))
}

/// Converts a view, for a client with a language.
#[must_use]
pub fn table_view(
    view: &View,
    (game, program): (&CompiledGame, &Arc<Program>),
    index: &PackIndex,
    looks: &Looks,
    lang: Lang,
) -> TableView {
    let format = &*program.format;
    let mut shown = TableView { facts: facts(view, game, format, lang), ..TableView::default() };
    for zone in &view.zones {
        let Some(kind) =
            game.library.zones.iter().find(|kind| kind.name == zone.name).filter(|kind| shows_zone(game, format, kind))
        else {
            continue;
        };
        let key = SmolStr::from(zone_key(&zone.name, zone.owner));
        for it in &zone.objects {
            let card = index.definitions.get(&it.name).copied().filter(|_| !it.ability);
            let mut object = object(it, &key, card, (game, format), index);
            if let (Some(card), Some(place)) = (index.definitions.get(&it.name), it.ability_place) {
                let text = pack_texts::ability_text(game, format, format.corrected(*card), place, lang);
                object.text = text.unwrap_or_default();
            }
            if let Some(look) = looks.get(&it.handle) {
                apply_look(&mut object, look, (game, format), lang);
                // An ability has no face.
                let face = card.and_then(|card| index.faces.of(game, program, card, lang));
                let printed = face.as_ref().map_or(&[][..], |face| face.hue.as_slice());
                object.look.hue = (!it.ability && printed != look.hues).then(|| look.hues.clone());
            }
            shown.objects.insert(it.handle.to_string(), Arc::new(object));
        }
        let list = zone.objects.iter().map(|it| it.handle).collect();
        shown.zones.insert(key.into(), Zone { list, hidden: zone.hidden, ordered: kind.ordered });
    }
    shown
}

/// Lets a view share the objects that are equal to one of `known`, and adds the others to these. What is in public is mostly the same for all
/// viewers: only what refers to other objects differs, by their handles.
pub fn share_objects(view: &mut TableView, known: &mut BTreeSet<Arc<Object>>) {
    for object in view.objects.values_mut() {
        if let Some(equal) = known.get(object) {
            *object = Arc::clone(equal);
        } else {
            known.insert(Arc::clone(object));
        }
    }
}

/// An object of a view. `card`: its card, if it is one; what is printed on it, the client knows from the face.
fn object(
    it: &ObjectView,
    key: &SmolStr,
    card: Option<DefId>,
    (game, format): (&CompiledGame, &Format),
    index: &PackIndex,
) -> Object {
    let library = &game.library;
    let card = card.and_then(|card| printed(game, format, card));
    // A view has the properties in the order of their declarations, so each is found behind the one before.
    let mut next = 0;
    let properties = it.properties.iter().filter(|(name, _)| !name.starts_with('_')).map(|(name, value)| {
        let at = library.properties.iter().skip(next).position(|property| property.name == *name).map(|at| next + at);
        next = at.map_or(next, |at| at + 1);
        let initial = at.and_then(|at| library.properties.get(at)).map_or(0, |property| i64::from(property.initial));
        let known = at.zip(card).and_then(|(at, card)| card.number(at)).unwrap_or(initial);
        (name, *value, initial, known)
    });
    let properties: Vec<(&SmolStr, i64, i64, i64)> = properties.collect();
    let props: Named<i64> = properties
        .iter()
        .filter(|(_, value, _, known)| value != known)
        .map(|(name, value, ..)| ((*name).clone(), *value))
        .collect();
    let (mut is, mut to, mut look) = (Vec::new(), Vec::new(), Look::default());
    for (name, value) in it.statuses.iter().filter(|(name, _)| !name.starts_with('_')) {
        let base = name.split('(').next().unwrap_or(name);
        let ty = library.statuses.iter().find(|status| status.name == base).map_or(Type::Number, |status| status.ty);
        match ty {
            ty if ty.is_reference() => {
                if let Some(target) = reference(*value) {
                    to.push((name.clone(), target));
                }
            }
            Type::Player => {
                to.push((name.clone(), format!("seat{value}")));
            }
            Type::Bool => {
                is.push((name.clone(), *value));
                if *value != 0 {
                    look.marks.push(spaced(name));
                }
            }
            _ => {
                is.push((name.clone(), *value));
                look.counts.push((spaced(name), *value));
            }
        }
    }
    let unusual = |stat: &String| properties.iter().find(|(name, value, initial, _)| *name == stat && value != initial);
    let stats: Vec<String> = index.stats.iter().filter_map(unusual).map(|(_, value, ..)| value.to_string()).collect();
    look.stat = stats.join("/");
    let words: Vec<SmolStr> = it.words.iter().filter(|word| !word.starts_with('_')).cloned().collect();
    let words = Some(words).filter(|words| card.is_none_or(|card| !card.has_words(game, words)));
    Object {
        card: SmolStr::new(&it.name),
        ability: it.ability,
        owner: it.owner,
        by: usize::try_from(it.controller).ok().filter(|by| *by != it.owner),
        zone: key.clone(),
        position: Some(it.place).filter(|place| *place > 0),
        props,
        words,
        is: is.into_iter().collect(),
        to: to.into_iter().collect(),
        look,
        under: it.pile.iter().map(|it| Under { handle: it.handle, card: SmolStr::new(&it.name), owner: it.owner }).collect(),
        chosen: it.chosen.clone(),
        chosen_seats: it.chosen_players.clone(),
        ..Object::default()
    }
}

/// Draws an object as the layout of its format says.
fn apply_look(object: &mut Object, look: &look::Look, (game, format): (&CompiledGame, &Format), lang: Lang) {
    let word = |name: &str| pack_texts::name(game, format, name, lang);
    object.row = look.row;
    object.place = look.place;
    let change: i64 = look.stat.iter().map(|number| (number.value - number.printed).signum()).sum();
    object.look = Look {
        turned: look.turned,
        dim: look.dim,
        forward: look.forward,
        states: look.states.iter().map(|name| word(name)).collect(),
        stat: stat_text(look),
        stat_change: change.signum() as i8,
        marks: look.marks.iter().map(|name| word(name)).collect(),
        counts: look
            .counts
            .iter()
            .map(|(name, key, number)| (key.as_ref().map_or_else(|| word(name), |key| word(key)), *number))
            .collect(),
        hue: None,
    };
}

/// What a status refers to: a handle, or a player.
fn reference(value: i64) -> Option<String> {
    match value {
        0 => None,
        1.. => Some(value.to_string()),
        ..0 => Some(format!("seat{}", -1 - value)),
    }
}

fn facts(view: &View, game: &CompiledGame, format: &Format, lang: Lang) -> Facts {
    let library = &game.library;
    let text = |(name, value): &(SmolStr, i64), declared: &[Variable]| {
        let base = name.split('(').next().unwrap_or(name);
        let ty = declared.iter().find(|variable| variable.name == base).map_or(Type::Number, |variable| variable.ty);
        match ty {
            _ if name.starts_with('_') || *value == 0 && ty != Type::Player => None,
            Type::Bool => Some((spaced(name), String::new())),
            Type::Number => Some((spaced(name), value.to_string())),
            // What refers to an object or a player is no number for a plate.
            _ => None,
        }
    };
    let layout = &format.layout;
    let has_plate = layout.large.is_some() || !layout.show.is_empty();
    let declared = |number: u16| library.player_variables.get(usize::from(number)).map_or("", |variable| variable.name.as_str());
    let is_of = |name: &str, number: u16| name.split('(').next() == Some(declared(number));
    let seats = view.players.iter().enumerate().map(|(seat, variables)| Plate {
        out: view.out.contains(&seat),
        large: layout.large.and_then(|number| {
            let (name, value) = variables.iter().find(|(name, _)| is_of(name, number))?;
            Some((pack_texts::name(game, format, name, lang), value.to_string()))
        }),
        show: if has_plate {
            let all = layout.show.iter().flat_map(|number| variables.iter().filter(|(name, _)| is_of(name, *number)));
            let shown = all.filter_map(|fact| text(fact, &library.player_variables).map(|(_, value)| (fact, value)));
            shown.map(|((name, _), value)| (pack_texts::name(game, format, name, lang), value)).collect()
        } else {
            variables.iter().filter_map(|fact| text(fact, &library.player_variables)).collect()
        },
    });
    Facts {
        turn: view.turn,
        active: view.active,
        span: view.span.clone(),
        seats: seats.collect(),
        // Like a player's numbers: a layout that names some shows no others.
        game: view.globals.iter().filter(|_| !has_plate).filter_map(|fact| text(fact, &library.globals)).collect(),
        arrows: arrows(view, library, layout),
        shown: view.shown.iter().map(|it| (it.turn, it.name.clone(), zone_key(&it.zone.name, it.zone.owner))).collect(),
    }
}

/// The lines between objects that the statuses of a third one say, by handles; also of objects in zones that are not shown.
fn arrows(view: &View, library: &Library, layout: &fizzle_ir::layout::Layout) -> Vec<(u32, u32)> {
    let mut arrows = Vec::new();
    for (from, to) in &layout.arrows_between {
        let named = |number: &u16| library.statuses.get(usize::from(*number)).map_or("", |status| status.name.as_str());
        let (from, to) = (named(from), named(to));
        for it in view.zones.iter().flat_map(|zone| &zone.objects) {
            let handle = |name: &str| {
                let (_, value) = it.statuses.iter().find(|(status, _)| status == name)?;
                u32::try_from(*value).ok().filter(|handle| *handle > 0)
            };
            arrows.extend(handle(from).zip(handle(to)));
        }
    }
    arrows
}

/// The difference of two views: the shape of a view, with only what changed; `null` removes. What is equal is not written as JSON.
#[must_use]
pub fn patch(before: &TableView, after: &TableView) -> Value {
    let mut changed = Map::new();
    let mut add = |name: &str, part: Map<String, Value>| {
        if !part.is_empty() {
            changed.insert(name.to_owned(), Value::Object(part));
        }
    };
    add("objects", changed_entries(&before.objects, &after.objects));
    add("zones", changed_entries(&before.zones, &after.zones));
    if before.facts != after.facts
        && let Some(Value::Object(facts)) = difference(&written(&before.facts), &written(&after.facts))
    {
        add("facts", facts);
    }
    Value::Object(changed)
}

/// The entries of a map that differ: `null` for those that are not there any more.
fn changed_entries<T: PartialEq + Serialize>(before: &BTreeMap<String, T>, after: &BTreeMap<String, T>) -> Map<String, Value> {
    let removed = before.keys().filter(|key| !after.contains_key(*key)).map(|key| (key.clone(), Value::Null));
    let changed = after.iter().filter_map(|(key, value)| {
        let part = match before.get(key) {
            Some(known) if known == value => return None,
            Some(known) => difference(&written(known), &written(value))?,
            None => written(value),
        };
        Some((key.clone(), part))
    });
    removed.chain(changed).collect()
}

/// Plain data as JSON, which can always be written.
fn written(data: &impl Serialize) -> Value {
    serde_json::to_value(data).unwrap_or_default()
}

/// `None` if nothing changed.
fn difference(before: &Value, after: &Value) -> Option<Value> {
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        return (before != after).then(|| after.clone());
    };
    let mut changed = Map::new();
    for key in old.keys().filter(|key| !new.contains_key(*key)) {
        changed.insert(key.clone(), Value::Null);
    }
    for (key, value) in new {
        match old.get(key) {
            None => {
                changed.insert(key.clone(), value.clone());
            }
            Some(known) => {
                if let Some(part) = difference(known, value) {
                    changed.insert(key.clone(), part);
                }
            }
        }
    }
    (!changed.is_empty()).then_some(Value::Object(changed))
}

/// Applies a difference to a view as JSON, as clients do.
pub fn apply(view: &mut Value, patch: &Value) {
    let (Value::Object(object), Value::Object(changes)) = (&mut *view, patch) else {
        *view = patch.clone();
        return;
    };
    for (key, change) in changes {
        if change.is_null() {
            object.remove(key);
        } else {
            apply(object.entry(key.clone()).or_insert(Value::Null), change);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_objects_are_shared_and_others_are_not() {
        let object = |card: &str| Arc::new(Object { card: card.into(), ..Object::default() });
        let view = |cards: [&str; 2]| TableView {
            objects: cards.iter().enumerate().map(|(at, card)| (at.to_string(), object(card))).collect(),
            ..TableView::default()
        };
        let (mut one, mut other, mut known) = (view(["Pawn", "Rook"]), view(["Rook", "Knight"]), BTreeSet::new());
        share_objects(&mut one, &mut known);
        share_objects(&mut other, &mut known);
        assert!(Arc::ptr_eq(&one.objects["1"], &other.objects["0"]));
        assert_eq!((known.len(), other), (3, view(["Rook", "Knight"])));
    }
}
