//! How a verb is written, for messages: `burn PLAYER for N`.

use crate::names::{NameTable, Signature};
use fizzle_ir::Type;
use fizzle_ir::verbs::{OperandDefault, VERBS};

/// How a verb is written, in backticks; several forms are joined by `or`. `None` for an unknown number.
#[must_use]
pub fn usage(names: &NameTable<'_>, action: usize) -> Option<String> {
    if let Some(verb) = VERBS.get(action) {
        let needed = verb.params.iter().filter(|param| param.default == OperandDefault::Required);
        // the first operand is direct, also where rules texts have a preposition
        let parts = needed.enumerate().map(|(number, param)| match param.prepositions.first().filter(|_| number > 0) {
            Some(preposition) => format!(" {preposition} {}", placeholder(param.ty, param.name)),
            None => format!(" {}", placeholder(param.ty, param.name)),
        });
        return Some(format!("`{}{}`", verb.name, parts.collect::<String>()));
    }
    let (name, signature) = names.actions.get_index(action)?;
    let params = signature.params.iter().enumerate();
    let params = params.filter(|(index, (_, ty))| *ty != Type::Bool && signature.acting_param != Some(*index));
    let mut params: Vec<(&str, Type)> = params.map(|(_, (name, ty))| (name.as_str(), *ty)).collect();
    if let Some((verb, noun)) = split_counting_name(signature) {
        let number = params.iter().position(|(_, ty)| *ty == Type::Number)?;
        params.remove(number);
        params.retain(|(_, ty)| *ty != Type::Player);
        return Some(format!("`{verb} N {noun}{}`", operands(&params, 1)));
    }
    let third = if name.ends_with(['s', 'x']) || name.ends_with("ch") || name.ends_with("sh") { "es" } else { "s" };
    Some(match (params.as_slice(), signature.acting_param) {
        ([], Some(_)) => format!("`this {name}{third}`"),
        ([], None) => format!("`{name}`"),
        (all, Some(_)) => format!("`this {name}{third}{}`", operands(all, 0)),
        ([(_, Type::Player)], None) => format!("`{name}` or `PLAYER {name}{third}`"),
        ([(_, Type::Player), rest @ ..], None) => {
            format!("`{name}{}` or `PLAYER {name}{third}{0}`", operands(rest, 0))
        }
        (all, None) => format!("`{name}{}`", operands(all, 0)),
    })
}

/// The operands after a verb; `written` is the number of those before them. Those after the first have a preposition.
fn operands(params: &[(&str, Type)], written: usize) -> String {
    let mut text = String::new();
    for (index, (name, ty)) in params.iter().enumerate() {
        let preposition = match ty {
            _ if index + written == 0 => "",
            Type::Player => " by",
            Type::Zone => " into",
            Type::Number => " for",
            _ => " to",
        };
        let placeholder = placeholder(*ty, name);
        let is_second = params.iter().take(index).any(|(_, earlier)| placeholder == "X" && earlier.is_reference());
        text.push_str(preposition);
        text.push(' ');
        text.push_str(if is_second { "Y" } else { &placeholder });
    }
    text
}

fn placeholder(ty: Type, name: &str) -> String {
    match ty {
        Type::Object | Type::Objects | Type::Thing | Type::Things => "X".to_owned(),
        Type::Player | Type::Players => "PLAYER".to_owned(),
        Type::Zone => "ZONE".to_owned(),
        Type::Number => "N".to_owned(),
        _ => name.to_uppercase(),
    }
}

/// Whether an action has an operand after the first one.
#[must_use]
pub fn takes_second_operand(names: &NameTable<'_>, action: usize) -> bool {
    if let Some(verb) = VERBS.get(action) {
        return verb.params.iter().skip(1).any(|param| !param.prepositions.is_empty());
    }
    let Some((_, signature)) = names.actions.get_index(action) else { return false };
    let params = signature.params.iter().enumerate();
    let params = params.filter(|(index, (_, ty))| *ty != Type::Bool && signature.acting_param != Some(*index));
    params.count() > 1
}

/// Whether an action has a parameter that is a number.
#[must_use]
pub fn takes_number(names: &NameTable<'_>, action: usize) -> bool {
    names.actions.get_index(action).is_some_and(|(_, signature)| signature.params.iter().any(|(_, ty)| *ty == Type::Number))
}

/// Splits the name of an action with a number into verb and noun: `deal_damage` is written `deal 3 damage`.
#[must_use]
pub fn split_counting_name(action: &Signature) -> Option<(&str, &str)> {
    let numbers = action.params.iter().any(|(_, ty)| *ty == Type::Number);
    action.name.split_once('_').filter(|(verb, noun)| numbers && !verb.is_empty() && !noun.is_empty() && !noun.contains('_'))
}
