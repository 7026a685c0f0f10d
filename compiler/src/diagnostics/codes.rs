//! Every code of a diagnostic, declared once: severity, summary, explanation with a wrong and a right example.

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Nothing is made of the sources.
    Error,
    /// Something is made, but it is probably not what was meant.
    Warning,
}

impl Severity {
    /// The word in messages.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// A kind of problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    /// `E0201`, `W0701`: stable.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// In one line.
    pub summary: &'static str,
    /// Why it is one.
    pub about: &'static str,
    /// Sources that have it, as items of a small game; a line `// FILE.fz` begins a file of its own.
    pub wrong: &'static str,
    /// The same without it.
    pub right: &'static str,
}

impl Code {
    /// At length, with a wrong and a right example.
    #[must_use]
    pub fn explanation(&self) -> String {
        let indented = |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<String>();
        format!("{}\n\nWrong:\n{}Right:\n{}", self.about, indented(self.wrong), indented(self.right))
    }
}

/// Finds a code by its name.
#[must_use]
pub fn find(code: &str) -> Option<&'static Code> {
    CODES.iter().copied().find(|entry| entry.code.eq_ignore_ascii_case(code))
}

macro_rules! codes {
    ($($name:ident $code:literal $severity:ident $summary:literal $about:literal $wrong:literal $right:literal)*) => {
        $(
            #[doc = $summary]
            pub static $name: Code = Code {
                code: $code,
                severity: Severity::$severity,
                summary: $summary,
                about: $about,
                wrong: $wrong,
                right: $right,
            };
        )*
        /// All codes, in order.
        pub static CODES: &[&Code] = &[$(&$name),*];
    };
}

codes! {
    SYNTAX "E0001" Error "the text does not follow the grammar"
    "Each item is parsed on its own, so that one broken item does not hide the next one."
    r#"card "A" { piece  power = 3 }"#
    r#"card "A" { piece  power 3 }"#

    NO_PACK "E0101" Error "a file belongs to no pack"
    "A file belongs to the pack whose `pack.fz` lies in its directory or above it. A file on its own must say which game it adds to: \
     by a manifest, or by the format of a deck or scenario in it."
    r#"// alone/cards.fz
card "A" { power 3 }"#
    r#"// alone/cards.fz
pack my_set { edition 1; extends tiny }
card "A" { power 3 }"#

    UNKNOWN_PACK "E0102" Error "a pack extends or uses a pack that is not there"
    "All packs that a pack builds on must be given together with it; those that are shipped are always there."
    r#"pack my_set { edition 1; extends tyni }"#
    r#"pack my_set { edition 1; extends tiny }"#

    PACK_CYCLE "E0103" Error "packs extend each other in a circle"
    "A pack adds to a game; the game cannot add to the pack in turn."
    r#"// a/pack.fz
pack a { edition 1; extends b }
// b/pack.fz
pack b { edition 1; extends a }"#
    r#"// a/pack.fz
pack a { edition 1; extends tiny }
// b/pack.fz
pack b { edition 1; extends a }"#

    UNKNOWN_FORMAT "E0104" Error "a format that is not there"
    "A format is a game or one of its differences declared by `format`."
    "format fast extends no_such_game { }"
    "format fast extends tiny { }"

    FORMAT_CYCLE "E0105" Error "formats extend each other in a circle"
    "A format is a difference from another one, and that one must stand without it."
    "format a extends b { }\nformat b extends a { }"
    "format a extends tiny { }\nformat b extends a { }"

    DUPLICATE "E0106" Error "a name is declared twice"
    "Two declarations of one kind cannot have the same name, nor two of different kinds where a text could mean either. A format \
     replaces what its base declares by `replace`."
    "status tired: bool\nstatus tired: bool"
    "status tired: bool\nstatus hungry: bool"

    EDITION "E0107" Error "an edition of the language that this compiler does not know"
    "A pack names the edition that it is written in, so that it keeps its meaning."
    "pack my_set { edition 99; extends tiny }"
    "pack my_set { edition 2; extends tiny }"

    MANIFEST "E0108" Error "a manifest in the wrong place"
    "A pack has one manifest, the first item of its `pack.fz`."
    "pack one { edition 1; extends tiny }\npack two { edition 1; extends tiny }"
    "// one/pack.fz\npack one { edition 1; extends tiny }\n// two/pack.fz\npack two { edition 1; extends tiny }"

    OTHER_EDITION "E0109" Error "a form that another edition of the language writes differently"
    "A pack names the edition that it is written in, and all its files are written in it. `fizzle fmt --edition 2 PATH` rewrites a \
     pack of the first edition, its manifest included."
    "pack my_set { edition 2; extends tiny }\nrule both { when this enters table { at once { draw 1; draw 1 } } }"
    "pack my_set { edition 2; extends tiny }\nrule both { when this enters table { simultaneously { draw 1; draw 1 } } }"

    UNKNOWN_NAME "E0201" Error "a name that nothing declares"
    "A word of an expression is a local name, or declared by the game: a noun, trait word, property, status, variable, constant, zone, \
     keyword, function, phase or step."
    r#"card "A" { does { draw strat } }"#
    r#"card "A" { does { draw start } }"#

    UNKNOWN_TYPE "E0202" Error "a type that does not exist"
    "Types are `number`, `bool`, `player`, `object`, `thing` (an object or a player), `zone`, `card`, `price`, `span`, the name of a \
     traits item, `word of` such a one, and `list of` object, player or thing."
    "status marks: integer"
    "status marks: number"

    UNKNOWN_VERB "E0203" Error "a verb that nothing declares"
    "A verb is built in or an action of the game."
    r#"card "A" { does { drwa 2 } }"#
    r#"card "A" { does { draw 2 } }"#

    UNKNOWN_FACT "E0204" Error "a word on a card that the game does not know"
    "A word on a card is a trait word, a property with its value, the name of an open traits item with a quoted word, or a keyword."
    r#"card "A" { piece  powr 3 }"#
    r#"card "A" { piece  power 3 }"#

    UNKNOWN_CARD "E0205" Error "a card that does not exist"
    "A quoted name is a card or token of the game, or a word of an open traits item."
    r#"card "A" { does { create "Baer" into field } }"#
    r#"card "A" { does { create "Bear" into field } }"#

    UNKNOWN_SPAN "E0206" Error "a phase or step that no turn has"
    "Phases and steps are named by their path in the turn, or by the end of it that is unique."
    "rule more { at start of turn.drw { draw 1 by active } }"
    "rule more { at start of turn.draw { draw 1 by active } }"

    AMBIGUOUS_SPAN "E0207" Error "several phases or steps have this name"
    "A shortened path must be the end of one path only."
    "rule more { at end of fight { draw 1 by active } }"
    "rule more { at end of second.fight { draw 1 by active } }"

    RECURSION "E0208" Error "a function or keyword that needs itself"
    "Card code always comes to an end, so nothing is defined by itself."
    "function twofold(n: number): number = twofold(n) + 1"
    "function twofold(n: number): number = n * 2"

    LIMIT "E0209" Error "more than the machine has room for"
    "Tables have limits: zones, words of a set that is used as a value, statuses that hold on arrival, numbers, …"
    r#"scenario "luck" {
  at A's turn.draw
  chance 3000000000
}"#
    r#"scenario "luck" {
  at A's turn.draw
  chance 3
}"#

    AMBIGUOUS_WORD "E0219" Error "a word that several open trait sets have"
    "A quoted word means the trait set that has it. When cards print it under two of them, nothing says which one is meant."
    r#"card "A" { piece  race "Tree" }
card "B" { piece  place "Tree" }
card "C" { does { discard each piece that is "Tree" } }"#
    r#"card "A" { piece  race "Tree" }
card "B" { piece  place "Grove" }
card "C" { does { discard each piece that is "Tree" } }"#

    UNKNOWN_PART "E0220" Error "a part of a text that its pattern does not have"
    "A template names the parts of its pattern in braces: words of one capital letter, the operands of the verb, and `this` and `name`. \
     What is in braces and none of these would stand in every text as it is written."
    r#"text en { do draw: "draw {cards}" }"#
    r#"text en { do draw: "draw {n card}" }"#

    EMPTY_TEXT "E0221" Error "a pattern of a text that fits nothing, or everything"
    "An entry of a text is looked up by what its pattern says. One that says nothing, or only `X`, would never or always be taken."
    r#"text en { value X: "something" }"#
    r#"text en { value X of you: "your {X}" }"#

    TYPE_MISMATCH "E0301" Error "a value of the wrong type"
    "Each operand, condition and value has a type; a number is no object and a player is no zone."
    r#"card "A" { does { draw your hand } }"#
    r#"card "A" { does { draw (count of card in your hand) } }"#

    MISSING_OPERAND "E0302" Error "a verb lacks an operand"
    "Every parameter of a verb without a default must be given."
    r#"card "A" { does { put this } }"#
    r#"card "A" { does { put this into your hand } }"#

    EXTRA_OPERAND "E0303" Error "a verb was given an operand that it does not take"
    "Operands fill the parameters of a verb by their prepositions, or in order."
    r#"card "A" { does { shuffle your pile into your hand } }"#
    r#"card "A" { does { shuffle your pile } }"#

    CHOICE_IN_EXPRESSION "E0304" Error "a choice where nobody can be asked"
    "Conditions, prices and static abilities are computed at any time; only statements ask players."
    r#"card "A" { while 1 piece of you is marked { this gets +1 power } }"#
    r#"card "A" { while some piece of you with marked { this gets +1 power } }"#

    HOW_MANY "E0305" Error "a noun without saying how many, or how many below zero"
    "A noun alone is a filter. A verb needs to know which objects: `each piece`, `1 piece`, `up to 2 piece`, `target piece`. What counts is not below zero: `draw 1`, never `draw -1`."
    r#"card "A" { does { discard card in your hand } }"#
    r#"card "A" { does { discard 1 card in your hand } }"#

    UNCLEAR_IT "E0306" Error "`it` means nothing here, or more than one thing"
    "`it` is the single object of the statement before, or the subject of the trigger. Several objects are named with `as`."
    r#"card "A" { does { discard 2 card in your hand
  reveal it } }"#
    r#"card "A" { does { discard 2 card in your hand as gone
  reveal gone } }"#

    WHOSE "E0307" Error "a word that needs an owner"
    "A property, a status and a zone of each player belong to somebody."
    r#"card "A" { does { put this into hand } }"#
    r#"card "A" { does { put this into hand of owner of this } }"#

    NOT_ASSIGNABLE "E0308" Error "something that cannot be written"
    "Statuses and variables are written; printed properties change by `gets`, zones by `put`."
    r#"card "A" { does { power of this = 3 } }"#
    r#"card "A" { does { this gets power = 3 until end of turn } }"#

    NOT_CONSTANT "E0309" Error "a value that must be known when compiling"
    "Printed facts, arguments of keywords and the number of repeated modes are constants."
    r#"card "A" { piece  eager(count of card in field) }"#
    r#"card "A" { piece  eager(2) }"#

    NO_THIS "E0310" Error "`this` where there is no source"
    "Actions, state rules, the setup and the turn are rules of the game: they have no source object."
    "state rule weak { discard this }"
    "state rule weak { discard each piece with power <= 0 }"

    BAD_ADVERB "E0311" Error "a trailing word that the verb does not know"
    "The words after a `put` are statuses that hold on arrival, `top` or `bottom`; those after another verb are its yes-or-no parameters."
    r#"card "A" { does { put this into field quickly } }"#
    r#"card "A" { does { put this into field marked } }"#

    NOT_HERE "E0312" Error "a form that is not possible in this place"
    "Some forms of the language only make sense in certain places: what lasts remembers no lists, static abilities hold no statements."
    r#"card "A" { does { let found = each piece
  at end of turn { discard found } } }"#
    r#"card "A" { does { for each found in each piece { at end of turn { discard found } } } }"#

    BAD_PATTERN "E0313" Error "a pattern that can match no event"
    "The first phrase of a pattern matches the action's first parameter, the second one its second."
    r#"card "A" { when this draws { draw 1 } }"#
    r#"card "A" { when opponent draws { draw 1 } }"#

    LIST_PARAMETER "E0314" Error "an action with a parameter that is a list"
    "An event may be replaced, remembered and told long after the list it came from is gone, so it holds single values. A call that gives \
     several objects to a parameter for one proposes one event of each, all in one batch."
    "action sweep(them: list of object) { discard them }"
    "action sweep(it: object) { discard it }"

    ELSEWHERE "E0315" Error "a choice that looks where its verb takes nothing from"
    "Nouns without a zone look in the field. An action can say where its object is taken from: `action drop(it: object in hand)`; what is \
     chosen for it then names that zone. What is known already (`drop it`) and lists need not."
    r#"action drop(it: object in hand) { discard it }
card "A" { does { drop 1 card } }"#
    r#"action drop(it: object in hand) { discard it }
card "A" { does { drop 1 card in your hand } }"#

    UNKNOWN_PATH "E0401" Error "a difference changes something that its base does not have"
    "Paths name what the base declares: `action.NAME`, `keyword.NAME`, `turn.SPAN`, …"
    "format quick extends tiny { remove turn.drw }"
    "format quick extends tiny { remove turn.draw }"

    PATH_TWICE "E0402" Error "two differences change the same thing"
    "What would hold is unclear, so a format says it once."
    "format quick extends tiny {\n  remove turn.draw\n  replace step turn.draw { }\n}"
    "format quick extends tiny {\n  replace step turn.draw { }\n}"

    OTHER_SIGNATURE "E0403" Error "a replacement with other parameters"
    "Cards that were written against the base must mean something under the format too."
    "format quick extends tiny {\n  replace action lose_life(n: number) { }\n}"
    "format quick extends tiny {\n  replace action lose_life(who: player, n: number) { }\n}"

    BAD_SETTING "E0404" Error "a setting that does not exist"
    "Zones, timing, announcing and windows take fixed words."
    "timing { pile }"
    "timing { stack }"

    ALREADY_THERE "E0405" Error "a difference adds what its base has already"
    "An item of a format is added; to change one of the base say `replace`."
    "format quick extends tiny { constant start = 7 }"
    "format quick extends tiny { replace constant start = 7 }"

    MISSING_PART "E0406" Error "a game lacks something that it needs"
    "A game needs a turn, and each format the zones on which the others build; a play with a price needs a payment."
    "pack idle { edition 1 }\nzone field { shared; field; public }"
    "pack idle { edition 1 }\nzone field { shared; field; public }\nturn { step only { priority } }"

    BAD_MATCH "E0407" Error "a match that cannot be played as written"
    "A match is best of an odd number of games, so that somebody wins more than half of them. Cards are exchanged between sections that the \
     deck rules have."
    "match { best of 2 }"
    "match { best of 3 }"

    MANY_OPPONENTS "E0408" Error "one opponent where there may be several"
    "In a game of more than two players `opponent` alone is nobody in particular: not the next player, and not all. In patterns (`opponent draws`), \
     in selections (`piece of opponent`) and after `is` it means any opponent."
    "players 2 to 4\nrule tax { at start of turn.draw of you { life of opponent -= 1 } }"
    "players 2 to 4\nrule tax { at start of turn.draw of you { lose_life(each opponent, 1) } }"

    BAD_SCENARIO "E0501" Error "a scenario that cannot be played as written"
    "Scenarios name players `A` and `B`, bind objects by `as`, and start at a step of the turn."
    r#"scenario "a turn" {
  position { A: { hand "Bear" as bear } }
  at C's turn.draw
  expect bear in hand
}"#
    r#"scenario "a turn" {
  position { A: { hand "Bear" as bear } }
  at A's turn.draw
  expect bear in hand
}"#

    BAD_DECK "E0502" Error "a deck that cannot be made as written"
    "A deck names its format and lists cards of that game by section; no game has room for more than 4095 objects."
    r#"deck "D" { format tiny  main { 5000 "Bear" } }"#
    r#"deck "D" { format tiny  main { 4 "Bear" } }"#

    UNUSED_ALLOWANCE "W0700" Warning "a warning is allowed where it is not told"
    "A comment `// allow W0701: REASON` allows a warning for the line that it ends, or for what begins in the line below it: a statement, \
     an ability, an item. When nothing is told there, the comment is out of date."
    r#"// allow W0701: not read yet
card "A" { does { draw 2 } }"#
    r#"// allow W0701: not read yet
card "A" { does { let n = 3
  draw 2 } }"#

    UNUSED "W0701" Warning "a name that is never used"
    "A local name that nothing reads is probably a slip. A name that begins with `_` is meant so."
    r#"card "A" { does { let n = 3
  draw 2 } }"#
    r#"card "A" { does { let n = 3
  draw n } }"#

    SHADOWED "W0702" Warning "a local name hides another one"
    "A second name hides the first one. What an event brings along has names, too: in `when you draw { … }` they are the parameters of the action."
    r#"card "A" { does { let n = 1
  let n = n + 1
  draw n } }"#
    r#"card "A" { does { let n = 1
  let m = n + 1
  draw m } }"#

    CONSTANT_CONDITION "W0703" Warning "a condition that is always true or always false"
    "Two written numbers compared, something compared with itself, a count below nothing: what hangs on it always happens, or never."
    r#"card "A" { does { if count of piece >= 0 { draw 1 } } }"#
    r#"card "A" { does { if count of piece >= 1 { draw 1 } } }"#

    CONTRADICTION "W0704" Warning "conditions that exclude each other"
    "Nothing passes them all, so nothing can be chosen, and what asks for it never happens."
    r#"card "A" { does { discard 1 piece with power >= 5 with power <= 2 } }"#
    r#"card "A" { does { discard 1 piece with power >= 2 with power <= 5 } }"#

    NEVER_HAPPENS "W0705" Warning "a trigger on something that nothing does"
    "No card, rule, play or step of the game and its formats does the action, so what waits for it never triggers."
    r#"action shine(it: object)
card "A" { when this is shined { draw 1 } }"#
    r#"action shine(it: object)
card "A" { when this is shined { draw 1 }  does { shine this } }"#

    CANNOT_FAIL "W0706" Warning "a link to something that cannot fail"
    "`if you do` and `otherwise` ask whether the statement before has happened. What is written, named or holds from now on always does."
    r#"card "A" { does { life of you += 1
  if you do, draw 1 } }"#
    r#"card "A" { does { discard 1 card in your hand
  if you do, draw 1 } }"#

    TRIGGERS_ITSELF "W0707" Warning "a trigger that sets itself off without end"
    "Its text does, whatever happens, just what it waits for; nobody can decline, and nothing ends it but the limits of the machine."
    r#"card "A" { when you draw { draw 1 } }"#
    r#"card "A" { when you draw { you may draw 1 } }"#

    NO_CHANGE "W0708" Warning "a difference that changes nothing"
    "A format says what differs from its base: what is so already, needs no saying."
    "format quick extends tiny { replace constant start = 5 }"
    "format quick extends tiny { replace constant start = 7 }"

    TREAT_CIRCLE "W0709" Warning "events that are re-read in a circle"
    "`treat A as B` makes every event of the one an event of the other, once. Two that lead to each other only exchange their names."
    "treat discard as destroy\ntreat destroy as discard"
    "treat discard as destroy"

    UNUSED_DECLARATION "W0710" Warning "a declaration that nothing uses"
    "A pack on which no other one builds declares for itself. What it never names is probably a slip, or a rest."
    "pack own { edition 1; extends tiny }\nkeyword shy { this cannot be discarded }"
    r#"pack own { edition 1; extends tiny }
keyword shy { this cannot be discarded }
card "A" { piece  shy }"#

    WORKS_NOWHERE "W0711" Warning "an ability that works in no zone where its condition holds"
    "An ability works in the field, or in the zones that are written before it: `in hand while …`. Elsewhere it is not looked at, whatever its \
     condition says."
    r#"card "A" { piece  while this in hand { this gets +1 power } }"#
    r#"card "A" { piece  in hand while this in hand { this gets +1 power } }"#

    ILLEGAL_DECK "W0712" Warning "a deck that its format refuses"
    "The deck rules of a format say how many cards a section has and how many copies of one are allowed; banned cards are not allowed at all. \
     `fizzle deck check` tells everything that a format has against a deck."
    r#"deck "D" { main { 3 "Bear" } }"#
    r#"deck "D" { main { 4 "Bear" } }"#

    LOOSE_DOCS "W0713" Warning "a doc comment that belongs to nothing"
    "A comment that begins with `///` belongs to the item right below it, and is shown with it. With an empty line below, or at the end of a \
     file, it belongs to nothing and is not shown anywhere; only at the head of a file it speaks of the file."
    "card \"A\" { piece  power 3 }\n/// What a bear does.\n\ncard \"B\" { piece  power 3 }"
    "card \"A\" { piece  power 3 }\n/// What a bear does.\ncard \"B\" { piece  power 3 }"

    NEVER_CARRIED_OUT "W0714" Warning "a text that no play carries out"
    "What stands in `does` on a card happens as a play says `carry out it`. What such a play is for, and the conditions around these words, say \
     whose texts that are; of all other cards it never happens."
    r#"card "A" { piece  does { draw 1 } }"#
    r#"card "A" { piece  when this enters field { draw 1 } }"#

    ALWAYS_EMPTY "W0715" Warning "a zone is read that nothing is ever put into"
    "No card, rule, play, step or deck of the game and its formats puts anything there: what counts, chooses or waits for something in the zone \
     finds nothing. A zone that only a scenario fills is left alone."
    r#"zone limbo { shared; public }
card "A" { does { draw (count of card in limbo) } }"#
    r#"zone limbo { shared; public }
card "A" { does { draw (count of card in limbo) }
  when this enters field { put 1 card in your hand into limbo } }"#

    KIND "W0716" Warning "a card that does not print what its kind does"
    "A game says what cards with a word print, and what they do not: `kind piece prints power, not spell`. What is lacking has the value that \
     its declaration gives, often 0. A card that is meant so says `// allow W0716: REASON`."
    r#"kind piece prints power
card "A" { piece }"#
    r#"kind piece prints power
card "A" { piece  power 3 }"#
}
