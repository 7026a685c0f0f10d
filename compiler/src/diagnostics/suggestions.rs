//! Words that people bring along from other languages and from printed texts: what is said here instead.

/// What to write for a word that nothing declares.
#[must_use]
pub fn word(word: &str) -> Option<String> {
    if let Some(number) = number_word(word) {
        return Some(format!("numbers are written in digits: `{number}`"));
    }
    let help = match word {
        "the" => "leave `the` out: `it`, `this` or a name says which one, `each`, `1` or `target` how many",
        "a" | "an" => "say it with a number: `1 card`; an action that counts takes the number alone: `draw 1`",
        "self" | "me" | "itself" => "the object whose text this is, is `this`; the player who has it, `you`",
        "I" | "my" | "mine" => "the player who has the card is `you`; what belongs to that player is `your X`",
        "yours" => "what is yours is said with `of you`: `1 card of you`, `each card of you`",
        "their" | "his" | "her" => {
            "what belongs to somebody is `its X`, `X of NAME` or `NAME's X`; under a subject a zone alone is the subject's"
        }
        "they" | "them" | "those" | "these" => "name several objects with `as found`, and then say `found`",
        "empty" => "what holds nothing is counted: `count of card in ZONE == 0`",
        "another" => "write `other`: `other card`, `each other card of you`",
        "yes" | "True" | "TRUE" => "write `true`",
        "no" | "False" | "FALSE" => "write `false`",
        "null" | "nil" | "none" | "None" | "nothing" | "nobody" => {
            "there is no such value: ask `is_somebody(PLAYER)` of a player, `some X` or `no X` of objects"
        }
        "X" => "a number that is chosen is asked for: `choose number from 0 to 9 as n`",
        _ => return None,
    };
    Some(help.to_owned())
}

/// What to write for a verb that nothing declares.
#[must_use]
pub fn verb(word: &str) -> Option<&'static str> {
    Some(match word {
        "window" | "windows" | "respond" | "responds" | "response" | "responses" | "react" | "act" => {
            "a window in which players may act is opened by `priority`"
        }
        "players" | "everybody" | "everyone" | "both" | "open" => {
            "a window in which players may act is opened by `priority` alone"
        }
        "phase" | "step" => "a phase or step has a block: `phase NAME { … }`, `step NAME { … }`",
        "say" | "print" | "log" | "show_message" => "there are no messages: what happens is shown by itself",
        "return" | "returns" => {
            "what goes somewhere is moved by `put X into ZONE`; the value of a function stands behind its `=`"
        }
        "set" => "a value is given by `=`: `NAME of X = VALUE`",
        _ => return None,
    })
}

/// The number that a word says.
#[must_use]
pub fn number_word(word: &str) -> Option<usize> {
    const NUMBERS: [&str; 13] =
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];
    NUMBERS.iter().position(|name| *name == word)
}

/// What to write for a type of another language.
#[must_use]
pub fn type_word(word: &str) -> Option<&'static str> {
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
pub fn values(count: usize) -> String {
    if count == 1 { "1 value".to_owned() } else { format!("{count} values") }
}

/// `are` or `is`, for a number.
#[must_use]
pub fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}
