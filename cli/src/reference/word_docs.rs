//! Documentation of the words of the language, one line each: every reserved word, and the most frequent other words.

/// The words with their meanings, sorted by word.
pub const MEANINGS: &[(&str, &str)] = &[
    ("active", "the player whose turn it is; before the first turn, the starting player"),
    ("add", "in a format: adds a rule, a play, a step or another declaration to the game that it extends"),
    (
        "after",
        "the step or phase that another one follows: in a format (`after turn.draw step extra { priority }`), or during a turn (`insert step X after this`)",
    ),
    ("all", "the same as `each`: all of a selection, without a choice"),
    (
        "always",
        "begins a static ability without a condition: `always { this cannot attack }`; `while CONDITION { … }` is one with",
    ),
    ("and", "both conditions hold; between two events: they happen simultaneously; between two selections: all of both"),
    ("any", "before `number of`: as many as the player wants, including none"),
    ("as", "names what was chosen, moved or created, so that the rest of the text can refer to it"),
    (
        "at",
        "before a moment (`at the beginning of X`): what happens or triggers then; `at once { … }`: the whole block happens simultaneously",
    ),
    ("bottom", "the lowest object of an ordered zone, or the lowest N objects"),
    ("by", "the player or object that causes an event; after the name of an action: who acts in it"),
    ("cannot", "forbids: an event that matches does not happen, and no player can choose to cause it"),
    (
        "choose",
        "a player chooses modes (`choose 1 { - … }`), or objects of a selection for the following statements (`choose 1 creature as x`). The \
         format decides whether that is chosen on announcement or on resolution",
    ),
    (
        "chooses",
        "names the player who makes a choice: `opponent chooses 1 creature of opponent as x`; without it, the player whose text it is",
    ),
    ("count", "the number of objects or players in a selection: `count of creature of you`"),
    ("does", "the paragraph of a card or play: what happens when it resolves"),
    ("each", "all of a selection, without a choice: `destroy each creature`; before a list: one after the other (`for each`)"),
    ("false", "the condition that is never met"),
    (
        "for",
        "`for each X in LIST { … }`: executes the block for every element; before an object or player: on whose behalf, or against what",
    ),
    ("from", "the zone that an object leaves, or is played from"),
    (
        "gets",
        "changes a number, or gives a word or keyword, while an effect lasts: `each creature of you gets +1 power, flying until end of turn`",
    ),
    ("has", "an object has a keyword or a status: `if it has flying`"),
    ("highest", "the greatest value among those of a selection: `highest power of creature of you`"),
    (
        "if",
        "executes the next block only if a condition holds; `if you do`: only if the previous sentence was done; `if X would …`: a replacement",
    ),
    ("in", "the zone that an object is in; the elements of a list; before a zone and `:`, the zone where an ability works"),
    ("instead", "what happens in place of a replaced event: `if X would …, instead …`"),
    ("into", "the zone that an object is put into"),
    ("is", "an object is of a kind, or has a word or status; in an action: the other action that it counts as"),
    ("it", "what the sentence, the event or the parameter is about"),
    ("its", "belonging to `it`: `its owner`, `its controller`"),
    ("let", "names a value or a choice for the rest of the block: `let x = count of card in hand of you`"),
    ("lowest", "the smallest value among those of a selection"),
    ("may", "a player decides whether it happens: `you may draw 1`"),
    ("no", "before a selection: it finds nothing; `no creature of you` is a condition"),
    ("not", "the condition does not hold"),
    ("of", "whose something is, or of which object a value is read: `hand of you`, `power of it`"),
    ("onto", "the object that another object is put on top of"),
    (
        "opponent",
        "the other player; in games with several opponents, write which: `each opponent`, `1 opponent`, `target opponent`",
    ),
    ("or", "at least one of two conditions holds; between two selections: what either of them finds"),
    ("other", "in a selection: excludes the object whose text it is"),
    ("otherwise", "after `if`: what is done if the condition does not hold"),
    ("random", "chance decides, not a player: `random 1 card in hand of opponent`; between two numbers: `random 1 to 6`"),
    ("remove", "in a format: takes a rule, a play, a step or another declaration out of the game that it extends"),
    ("replace", "in a format: replaces a rule, a play, a step or another declaration of the game that it extends"),
    ("some", "before a selection: it finds something; `some creature of you` is a condition"),
    ("sum", "the sum of a value over a selection: `sum of power of creature of you`"),
    (
        "target",
        "an explicit target: `destroy target creature`. It is chosen as the text is announced, if the format lifts targets. A target that \
         is no longer legal on resolution is not affected",
    ),
    (
        "that",
        "before a condition in parentheses: narrows a selection, `creature that (power of candidate > 2)`; `that card`: the card mentioned before",
    ),
    ("then", "joins two sentences that belong together: the second is done after the first, regardless of its result"),
    ("this", "the object whose text it is; in an ability, its source"),
    ("to", "the player or object that an event is done to; the end of a range"),
    ("top", "the uppermost object of an ordered zone, or the uppermost N objects"),
    ("true", "the condition that is always met"),
    ("under", "the player who gets control of an object, or the object that it is put below"),
    ("until", "how long something lasts (`until end of turn`), or how often it is repeated"),
    ("up", "before `to N`: at most N, including none: `up to 2 creature`"),
    (
        "when",
        "begins a triggered ability, which happens each time that its event does: `when this enters battle { draw 1 }`. In a play, \
         step or phase: only if the condition holds",
    ),
    ("whenever", "the same as `when`, as on printed cards"),
    (
        "while",
        "begins a static ability, which applies as long as a condition holds; `while on ZONE`: as long as its object is there",
    ),
    ("with", "in a selection: only objects with this word, keyword, status or value: `creature with power <= 3000`"),
    ("without", "in a selection: only objects without it"),
    ("would", "begins a replacement: `if this would be destroyed, instead …` happens in place of the event"),
    ("you", "the player whose text it is: the controller of its object"),
    ("your", "of the player whose text it is: `your creatures`, `your hand`"),
];

/// The meaning of a word.
pub fn find_meaning(word: &str) -> Option<&'static str> {
    MEANINGS.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fizzle_grammar::lexer::RESERVED;

    #[test]
    fn every_reserved_word_has_a_meaning() {
        let without: Vec<&&str> = RESERVED.iter().filter(|word| find_meaning(word).is_none()).collect();
        assert!(without.is_empty(), "{without:?}");
        assert!(MEANINGS.windows(2).all(|pair| pair[0].0 < pair[1].0), "sorted, each word once");
    }
}
