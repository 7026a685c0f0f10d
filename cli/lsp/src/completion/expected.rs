//! What can be written at a place: a list of classes of text, the best one first.

use super::operand_type::{TokenReader, left_type, meaning_type, operand_type, path_before_dot};
use super::sentence_verb::verb_of_sentence;
use fizzle_compiler::names::{Meaning, NameTable};
use fizzle_compiler::settings;
use fizzle_grammar::lexer::TokenKind;
use fizzle_grammar::place::{Place, Slot};
use fizzle_grammar::visit::DeclKind;
use fizzle_runtime::ir::Type;
use fizzle_runtime::ir::verbs::VERBS;

/// A class of text that may come next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// An item.
    Item,
    /// A printed word, property or keyword of a card.
    Fact,
    /// An ability.
    Ability,
    /// A statement.
    Statement,
    /// A value of the given type, or of any type.
    Value(Option<Type>),
    /// A noun, after a number or `each`.
    Noun,
    /// A word after `is`: a noun, trait word, bool status.
    Quality,
    /// A keyword or trait word, after `has` and `without`.
    Keyword,
    /// A zone, property, status or player variable, after a possessive (`your`, `its`, `'s`).
    Possession,
    /// A property, status, trait set or keyword of the candidate, after `with`.
    Condition,
    /// A change, after `gets`.
    Change,
    /// A verb in the third person, in an event pattern.
    Event,
    /// The subject of an event pattern.
    Subject,
    /// A name between quotes: a word of the trait set with this index, or a card.
    Quoted(Option<usize>),
    /// Names of declarations of these kinds.
    Declared(&'static [DeclKind]),
    /// The next part of a path, after these parts (joined by dots).
    Path(String),
    /// A type.
    Type,
    /// A name that is bound before the cursor.
    Local,
    /// A play in the third person, as a player of a scenario makes it.
    Play,
    /// A player of a scenario.
    Seat,
    /// A section of a deck.
    Section,
    /// A phase or step by its path from `turn`.
    Period,
    /// One of these words.
    Words(&'static [&'static str]),
    /// One of these words, which the grammar accepts at the cursor.
    Accepted(Vec<String>),
}

const DIFFERENCES: &[&str] =
    &["replace", "remove", "append", "before", "after", "ban", "restrict", "errata", "deck rules", "announce like"];
const STEPS: &[&str] = &[
    "at",
    "go to",
    "expect",
    "expect no event",
    "expect events",
    "expect choices",
    "expect list is",
    "refuse",
    "let",
    "chance",
    "chance shuffle",
    "position",
    "format",
    "answer the rest with first",
];
const TURN_POINTS: &[&str] = &["turn", "your", "your next turn"];

/// What is expected at a place, best first.
pub fn expected_at_place(place: &Place, reader: &TokenReader<'_>, names: Option<&NameTable<'_>>) -> Vec<Expected> {
    use Expected as E;
    if reader.word_before(0) == "." {
        return vec![E::Path(path_before_dot(reader))];
    }
    let item = reader.tokens.first().map_or("", |token| token.text(reader.text));
    let in_scenario = matches!(item, "scenario" | "stage" | "position");
    let begins_sentence = place.sentence.trim().is_empty();
    let accepted = E::Accepted(place.words.clone());
    let after = |groups: Vec<E>| groups.into_iter().chain([accepted.clone()]).collect::<Vec<E>>();
    let before = |groups: Vec<E>| std::iter::once(accepted.clone()).chain(groups).collect::<Vec<E>>();
    let Some(slot) = place.slot else { return vec![accepted] };
    match slot {
        Slot::Item => vec![E::Item],
        Slot::Fact => expected_fact(place, reader, names, item),
        Slot::Statement if begins_sentence => after(vec![E::Statement]),
        Slot::Statement => before(vec![E::Statement]),
        Slot::Verb => vec![E::Event, E::Statement],
        Slot::AfterOperand => expected_after_operand(accepted, reader, names),
        Slot::Operand => after(operand(reader, names)),
        Slot::Prepositional => expected_after_preposition(reader, names),
        Slot::Event => after(vec![E::Event]),
        Slot::BaseEvent => after(vec![E::Declared(&[DeclKind::Action, DeclKind::Play])]),
        Slot::Subject => vec![E::Subject],
        Slot::EventObject => expected_event_object(accepted, reader),
        Slot::Counted => expected_counted(accepted, reader, names),
        Slot::Value if in_scenario => vec![E::Local, accepted, E::Seat, E::Value(None)],
        Slot::Value => after(expected_value(reader, names)),
        Slot::Condition => vec![E::Condition],
        Slot::Keyword => vec![E::Keyword],
        Slot::Quality => after(vec![E::Quality, E::Value(None)]),
        Slot::Zone if in_scenario => vec![E::Declared(&[DeclKind::Zone])],
        Slot::Zone => after(vec![E::Value(Some(Type::Zone))]),
        Slot::Owner if in_scenario => vec![E::Seat, E::Local],
        Slot::Owner => vec![E::Value(Some(Type::Player)), E::Value(Some(Type::Object))],
        Slot::Possession => vec![E::Possession],
        Slot::Change => vec![E::Change],
        Slot::Type => vec![E::Type],
        Slot::Setting if item == "zone" => vec![E::Words(settings::ZONE_SETTINGS)],
        Slot::Period if in_scenario || place.words.is_empty() => vec![E::Period],
        Slot::Period => vec![E::Declared(&[DeclKind::Period]), E::Words(TURN_POINTS)],
        Slot::Part | Slot::RulePlace => vec![E::Path(String::new())],
        Slot::Difference => vec![E::Words(DIFFERENCES), E::Item],
        Slot::Format => vec![E::Declared(&[DeclKind::Format, DeclKind::Pack])],
        Slot::Section => before(vec![E::Section]),
        Slot::Step if begins_sentence => vec![E::Seat, E::Words(STEPS)],
        Slot::Step => before(vec![E::Value(None), E::Seat]),
        Slot::Seat => after(vec![E::Seat]),
        Slot::Play => after(vec![E::Play]),
        Slot::Chosen => vec![E::Local, accepted, E::Seat, E::Value(None)],
        Slot::Placed if begins_sentence || reader.word_before(0) == "{" => {
            vec![E::Declared(&[DeclKind::Zone, DeclKind::Player]), accepted]
        }
        Slot::Placed => before(vec![E::Declared(&[DeclKind::Status, DeclKind::Zone, DeclKind::Player])]),
        Slot::Declared(kinds) => after(vec![E::Declared(kinds)]),
        _ => vec![accepted],
    }
}

/// A fact or an ability of a card, keyword or rule: what a card needs first, abilities at the start of a later line.
fn expected_fact(place: &Place, reader: &TokenReader<'_>, names: Option<&NameTable<'_>>, item: &str) -> Vec<Expected> {
    let is_first = reader.kind_before(0) == Some(TokenKind::OpenBrace);
    let on_card = matches!(item, "card" | "token");
    if !place.sentence.trim().is_empty() {
        let meanings = names.map(|names| (names, names.meanings(reader.word_before(0))));
        let printed = meanings.and_then(|(names, meanings)| {
            let is_printed = |meaning: &&Meaning| matches!(meaning, Meaning::Property(_) | Meaning::Traits(_));
            meaning_type(names, *meanings.iter().find(is_printed)?)
        });
        // a property or trait set is followed by its value
        return match printed {
            Some(ty @ (Type::Words(_) | Type::Word(_))) => vec![Expected::Value(Some(ty)), Expected::Fact, Expected::Ability],
            _ => vec![Expected::Fact, Expected::Ability],
        };
    }
    if is_first && on_card { vec![Expected::Fact, Expected::Ability] } else { vec![Expected::Ability, Expected::Fact] }
}

/// After the operand of a verb: its prepositions, then what the grammar accepts, then conditions on the objects.
fn expected_after_operand(accepted: Expected, reader: &TokenReader<'_>, names: Option<&NameTable<'_>>) -> Vec<Expected> {
    let takes = names.and_then(|names| verb_of_sentence(reader, names)).map_or_else(Vec::new, |verb| verb.continuations(reader));
    const CONDITIONS: &[&str] = &["of", "in", "from", "with", "without", "that is", "that has"];
    vec![
        Expected::Accepted(takes),
        Expected::Words(CONDITIONS),
        accepted,
        Expected::Declared(&[DeclKind::Status]),
        Expected::Noun,
    ]
}

/// The direct operand of the verb of the sentence.
fn operand(reader: &TokenReader<'_>, names: Option<&NameTable<'_>>) -> Vec<Expected> {
    let wanted = names.and_then(|names| {
        let of_parts = || verb_of_sentence(reader, names).and_then(|verb| verb.first_type());
        operand_type(reader, names, None).or_else(of_parts)
    });
    let is_object = matches!(wanted, None | Some(Type::Object | Type::Objects | Type::Thing | Type::Things));
    std::iter::once(Expected::Value(wanted)).chain(is_object.then_some(Expected::Noun)).collect()
}

fn expected_after_preposition(reader: &TokenReader<'_>, names: Option<&NameTable<'_>>) -> Vec<Expected> {
    let last = reader.word_before(0);
    let wanted = names.and_then(|names| operand_type(reader, names, Some(last)));
    vec![Expected::Value(match (wanted, last) {
        (Some(ty), _) => Some(ty),
        (None, "into" | "onto" | "from") => Some(Type::Zone),
        (None, "under" | "by") => Some(Type::Player),
        (None, _) => None,
    })]
}

/// After the event of a pattern: a zone if the event moves an object, else an object or a player.
fn expected_event_object(accepted: Expected, reader: &TokenReader<'_>) -> Vec<Expected> {
    let moves = |word: &str| {
        let of_verb = |words: &[&str]| words.contains(&word);
        matches!(word, "leaves" | "leave") || VERBS.iter().any(|verb| verb.name == "put" && of_verb(verb.pattern_words))
    };
    if moves(reader.word_before(0)) {
        return vec![Expected::Declared(&[DeclKind::Zone]), accepted, Expected::Subject];
    }
    vec![Expected::Subject, accepted]
}

/// After a number or a quantifier: a noun; after the number of a verb that wants a number, its prepositions.
fn expected_counted(accepted: Expected, reader: &TokenReader<'_>, names: Option<&NameTable<'_>>) -> Vec<Expected> {
    let verb =
        names.filter(|_| reader.kind_before(0) == Some(TokenKind::Number)).and_then(|names| verb_of_sentence(reader, names));
    if let Some(verb) = verb.filter(|verb| verb.first_type() == Some(Type::Number)) {
        return vec![Expected::Accepted(verb.continuations(reader)), accepted, Expected::Noun];
    }
    vec![Expected::Noun, accepted]
}

/// A value: of the type of the left side after an operator, of a parameter inside of parentheses.
fn expected_value(reader: &TokenReader<'_>, names: Option<&NameTable<'_>>) -> Vec<Expected> {
    let wanted = names.and_then(|names| match reader.kind_before(0) {
        Some(TokenKind::OpenParen | TokenKind::Comma) => operand_type(reader, names, None),
        _ if matches!(reader.word_before(0), "=" | "+=" | "-=" | "==" | "!=" | "<" | ">" | "<=" | ">=") => {
            left_type(reader, names)
        }
        _ => None,
    });
    vec![Expected::Value(wanted)]
}
