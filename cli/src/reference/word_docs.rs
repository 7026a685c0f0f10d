//! What the words of the language mean, in a line each: every reserved word, and the words of forms that are asked for most.

/// A word and its meaning, in the order of the words.
pub const MEANINGS: &[(&str, &str)] = &[
    ("active", "the player whose turn it is; before the first turn whoever begins"),
    ("add", "in a format: adds a rule, a play, a step or another declaration to those of the game that it extends"),
    (
        "after",
        "behind which step or phase another one stands (`after turn.draw step extra { priority }`), or is put while a turn is on (`insert step X after this`)",
    ),
    ("all", "the same as `each`: all of a selection, and nobody chooses"),
    (
        "always",
        "begins a static ability without a condition: `always { this cannot attack }`; `while CONDITION { … }` is one with",
    ),
    ("and", "both conditions hold; between two events: they happen at once; between two selections: all of both"),
    ("any", "before `number of`: as many as the player wants, none included"),
    ("as", "gives what was chosen, moved or made a name, by which the rest of the text speaks of it"),
    (
        "at",
        "before a moment, `at the beginning of X`: what is done or triggers then; `at once { … }`: all of the block happens together",
    ),
    ("bottom", "the lowest object of an ordered zone, or so many of them"),
    ("by", "the player or object that an event is due to; after an action's name: who acts in it"),
    ("cannot", "forbids: an event that matches does not happen, and nobody can choose to cause it"),
    (
        "choose",
        "a player chooses: modes (`choose 1 { - … }`), or what a selection finds, for what is said next (`choose 1 creature as x`). Whether that \
         is chosen on announcement or as the text is carried out, the format says",
    ),
    (
        "chooses",
        "says which player makes a choice: `opponent chooses 1 creature of opponent as x`; without it, the player whose text it is",
    ),
    ("count", "how many a selection finds: `count of creature of you`"),
    ("does", "the paragraph of a card or play: what happens when it is carried out"),
    ("each", "all of a selection, and nobody chooses: `destroy each creature`; before a list: one after the other (`for each`)"),
    ("false", "the condition that never holds"),
    (
        "for",
        "`for each X in LIST { … }`: the block is done for every element; before an object or player: on whose behalf, or against what",
    ),
    ("from", "the zone that something leaves, or lies in to be played"),
    (
        "gets",
        "a number, word or keyword is changed or given while an effect lasts: `each creature of you gets +1 power, flying until end of turn`",
    ),
    ("has", "an object has a keyword or a status: `if it has flying`"),
    ("highest", "the greatest value among those of a selection: `highest power of creature of you`"),
    (
        "if",
        "only if a condition holds the next block is done; `if you do`: only if the sentence before was done; `if X would …`: a replacement",
    ),
    ("in", "the zone that something lies in; of a list its elements; before a zone and `:` an ability that works there"),
    ("instead", "what happens in place of an event that something replaces: `if X would …, instead …`"),
    ("into", "the zone that something is put into"),
    ("is", "an object is of a kind, or has a word or status; an action that counts as another one"),
    ("it", "what the sentence, the event or the parameter is about"),
    ("its", "of what `it` is: `its owner`, `its controller`"),
    ("let", "gives a value or a choice a name for the rest of the block: `let x = count of card in hand of you`"),
    ("lowest", "the smallest value among those of a selection"),
    ("may", "a player decides whether it happens: `you may draw 1`"),
    ("no", "before a selection: it finds nothing; `no creature of you` is a condition"),
    ("not", "a condition does not hold"),
    ("of", "whose something is, or of which object a value is read: `hand of you`, `power of it`"),
    ("onto", "what something is put on, so that it lies over it"),
    ("opponent", "the other player; where there may be several, say which: `each opponent`, `1 opponent`, `target opponent`"),
    ("or", "one of two conditions holds, or both; between two selections: what either of them finds"),
    ("other", "in a selection: not the object whose text it is"),
    ("otherwise", "after `if`: what is done where the condition does not hold"),
    ("random", "chance decides, not a player: `random 1 card in hand of opponent`; between two numbers: `random 1 to 6`"),
    ("remove", "in a format: takes a rule, a play, a step or another declaration out of the game that it extends"),
    (
        "replace",
        "in a format: puts something else in the place of a rule, a play, a step or another declaration of the game that it extends",
    ),
    ("some", "before a selection: it finds something; `some creature of you` is a condition"),
    ("sum", "the sum of a value over a selection: `sum of power of creature of you`"),
    (
        "target",
        "an explicit target: `destroy target creature`. It is chosen as the text is announced, where the format lets targets be; what is no \
         legal target any more when the text is carried out is left alone",
    ),
    (
        "that",
        "before a condition in parentheses: narrows a selection, `creature that (power of candidate > 2)`; `that card`: the one spoken of",
    ),
    ("then", "joins two sentences that belong together: the second is done after the first, whatever came of it"),
    ("this", "the object whose text it is; of an ability its source"),
    ("to", "whom or what an event is done to; the end of a range"),
    ("top", "the uppermost object of an ordered zone, or so many of them"),
    ("true", "the condition that always holds"),
    ("under", "under whose control something comes, or below which object it is put"),
    ("until", "how long something lasts (`until end of turn`), or how often it is repeated"),
    ("up", "before `to N`: at most so many, none included: `up to 2 creature`"),
    (
        "when",
        "begins a triggered ability, which happens each time that its event does: `when this enters battle { draw 1 }`. At the head of a play, \
         step or phase: only if the condition holds",
    ),
    ("whenever", "the same as `when`, for those who write as the cards are printed"),
    (
        "while",
        "begins a static ability: what is so as long as a condition holds; `while on ZONE`: as long as its object lies there",
    ),
    ("with", "in a selection: only what has this word, keyword, status or value: `creature with power <= 3000`"),
    ("without", "in a selection: only what does not have it"),
    ("would", "begins a replacement: `if this would be destroyed, instead …` happens in place of the event"),
    ("you", "the player whose text it is: who controls its object"),
    ("your", "of the player whose text it is: `your creatures`, `your hand`"),
];

/// What a word means.
pub fn of(word: &str) -> Option<&'static str> {
    MEANINGS.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fizzle_grammar::lexer::RESERVED;

    #[test]
    fn every_reserved_word_has_a_meaning() {
        let without: Vec<&&str> = RESERVED.iter().filter(|word| of(word).is_none()).collect();
        assert!(without.is_empty(), "{without:?}");
        assert!(MEANINGS.windows(2).all(|pair| pair[0].0 < pair[1].0), "in their order, each once");
    }
}
