//! Suggestions for words of other languages and of printed texts: the form that the language has instead.
//!
//! These are for what parses. What does not parse is in the grammar's `suggestions.rs`; hints that use the names of the game are in
//! `lower/usage_hints.rs`.

/// The suggestion for a word that nothing declares.
#[must_use]
pub fn word_suggestion(word: &str) -> Option<String> {
    if let Some(number) = number_word(word) {
        return Some(format!("numbers are written in digits: `{number}`"));
    }
    let help = match word {
        "the" => "leave `the` out: write `it`, `this` or a name for one object, or `each`, `1` or `target` before a noun",
        "a" | "an" => "write a number: `1 card`; an action that counts takes the number alone: `draw 1`",
        "self" | "me" | "itself" => "write `this` for the object whose text this is, and `you` for its controller",
        "I" | "my" | "mine" => "write `you` for the controller of the card, and `your X` for what belongs to that player",
        "yours" => "write `of you`: `1 card of you`, `each card of you`",
        "their" | "his" | "her" => {
            "write the owner as `its X`, `X of NAME` or `NAME's X`; a zone alone belongs to the subject of the statement"
        }
        "they" | "them" | "those" | "these" => "name several objects with `as found`, and then write `found`",
        "rest" | "others" | "remaining" | "remainder" => {
            "name the whole list before, `let seen = …`, and write what is left of it: `each card in seen that (candidate != chosen)`"
        }
        "empty" => "test for an empty zone with a count: `count of card in ZONE == 0`",
        "another" => "write `other`: `other card`, `each other card of you`",
        "yes" | "True" | "TRUE" => "write `true`",
        "no" | "False" | "FALSE" => "write `false`",
        "null" | "nil" | "none" | "None" | "nothing" | "nobody" => {
            "there is no such value: test `exists(PLAYER)` for a player, `some X` or `no X` for objects"
        }
        "word" | "words" => {
            "`word of TRAITS` is a type, and a player chooses one by `choose word of TRAITS as chosen`; to count different words, add `min(count of X that is WORD, 1)` for each"
        }
        "X" => "to let a player choose a number, write `choose number from 0 to 9 as n`",
        _ => return None,
    };
    Some(help.to_owned())
}

/// The suggestion for a verb that nothing declares.
#[must_use]
pub fn verb_suggestion(word: &str) -> Option<&'static str> {
    Some(match word {
        "window" | "windows" | "respond" | "responds" | "response" | "responses" | "react" | "act" => {
            "write `priority` to open a window in which players may act"
        }
        "players" | "everybody" | "everyone" | "both" | "open" => {
            "write `priority` alone to open a window in which players may act"
        }
        "phase" | "step" => "give a phase or step a block: `phase NAME { … }`, `step NAME { … }`",
        "say" | "print" | "log" | "show_message" => "there are no messages: events are shown automatically",
        "add" | "adds" => "units are made by `produce {…}`; an object is moved by `put X into ZONE`",
        "move" | "moves" | "place" | "remove" => "move objects by `put X into ZONE`",
        "search" | "searches" | "find" => {
            "choose from the zone, then shuffle it: `choose up to 1 card in ZONE as found`, `shuffle ZONE`"
        }
        "take" | "takes" => "a further turn is `extra_turn`; the controller changes by `X gets controller = you`",
        "flip" | "roll" | "toss" => "a coin or a die is a random number: `let n = random 1 to 6`",
        "name" | "names" => {
            "a player chooses a word of a set by `choose word of TRAITS as chosen`, a number by `choose number from 0 to 9 as n`"
        }
        "change" | "double" | "halve" | "switch" => {
            "a property changes by `X gets PROPERTY = VALUE`, a status by `STATUS of X = VALUE`"
        }
        "copies" | "duplicate" => "write `create copy of X into ZONE`, or `copy X` for what waits on the list",
        "return" | "returns" => "move objects by `put X into ZONE`; write the value of a function after its `=`",
        "limit" | "once" | "twice" => {
            "write a limit with its number and period: `{1}, limit 1 per turn: …`, `when EVENT, limit 1 per turn: …`"
        }
        "set" => "assign a value with `=`: `NAME of X = VALUE`",
        _ => return None,
    })
}

/// The number that a word names.
#[must_use]
pub fn number_word(word: &str) -> Option<usize> {
    const NUMBERS: [&str; 13] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    NUMBERS.iter().position(|name| *name == word)
}

/// The type for a type name of another language.
#[must_use]
pub fn type_suggestion(word: &str) -> Option<&'static str> {
    Some(match word {
        "int" | "integer" | "Integer" | "i32" | "float" | "num" | "Number" => "number",
        "boolean" | "Boolean" | "Bool" | "flag" => "bool",
        "Player" => "player",
        "Object" => "object",
        _ => return None,
    })
}

/// `1 value`, `2 values`.
#[must_use]
pub fn value_count(count: usize) -> String {
    if count == 1 { "1 value".to_owned() } else { format!("{count} values") }
}

/// `are` or `is`, for a number.
#[must_use]
pub fn is_or_are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}
