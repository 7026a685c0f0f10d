//! Declares every code of a diagnostic: severity, summary, and an explanation with a wrong and a right example.
//!
//! The hundreds of a code say what it is about: 00 syntax, 01 packs and editions, 02 names, 03 types and values, 04 declarations, formats and
//! layouts, 05 scenarios and decks, 07 lints (`W`). The message itself is written where the problem is reported; search for the constant.

use fizzle_grammar::hidden_characters::escape_hidden;

/// The severity of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The sources cannot be compiled.
    Error,
    /// The sources can be compiled, but a text is probably not meant so.
    Warning,
}

impl Severity {
    /// The word for it in messages.
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
    /// The code, for example `E0201`. It never changes.
    pub code: &'static str,
    /// Its severity.
    pub severity: Severity,
    /// A summary in one line.
    pub summary: &'static str,
    /// The explanation.
    pub about: &'static str,
    /// Sources with the problem: items of a small game. A line `// FILE.fz` begins a separate file.
    pub wrong: &'static str,
    /// The same sources without the problem.
    pub right: &'static str,
}

impl Code {
    /// The explanation with a wrong and a right example.
    #[must_use]
    pub fn explanation(&self) -> String {
        let indented = |text: &str| text.lines().map(|line| format!("    {line}\n")).collect::<String>();
        format!("{}\n\nWrong:\n{}Right:\n{}", self.about, indented(&escape_hidden(self.wrong)), indented(self.right))
    }
}

/// Finds a code by its name, in either case.
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
    "Each item is parsed separately, so that one broken item does not hide the next one."
    r#"card "A" { piece  power = 3 }"#
    r#"card "A" { piece  power 3 }"#

    HIDDEN_CHARACTER "E0002" Error "a name contains a hidden character"
    "Names may not contain control characters, marks that change the writing direction, or characters that show nothing: two different \
     names would look the same, and a printed name could change the lines around it. Letters of all scripts, accents and emoji are allowed."
    "card \"A\u{202e}B\" { piece  power 3 }"
    r#"card "AB" { piece  power 3 }"#

    NO_PACK "E0101" Error "a file belongs to no pack"
    "A file belongs to the pack whose `pack.fz` is in its directory or above it. A file without a pack must name the game that it extends: \
     by a manifest, or by the format of a deck or scenario in it."
    r#"// alone/cards.fz
card "A" { power 3 }"#
    r#"// alone/cards.fz
pack my_set { edition 2; extends tiny }
card "A" { power 3 }"#

    UNKNOWN_PACK "E0102" Error "a pack extends or uses an unknown pack"
    "All packs that a pack extends or uses must be given together with it. Shipped packs are always available. A local pack is found by its \
     path from the folder of the manifest: `uses \"../other\"`. A pack that builds on another game cannot be used: packs share names within \
     one game only."
    r#"pack my_set { edition 2; extends tyni }"#
    r#"pack my_set { edition 2; extends tiny }"#

    PACK_CYCLE "E0103" Error "packs extend or use each other in a cycle"
    "A pack extends a game. The game cannot extend the pack. Nor can packs use each other in a cycle."
    r#"// a/pack.fz
pack a { edition 2; extends b }
// b/pack.fz
pack b { edition 2; extends a }"#
    r#"// a/pack.fz
pack a { edition 2; extends tiny }
// b/pack.fz
pack b { edition 2; extends a }"#

    UNKNOWN_FORMAT "E0104" Error "an unknown format"
    "A format is a game, or a change of a game declared by `format`."
    "format fast extends no_such_game { }"
    "format fast extends tiny { }"

    FORMAT_CYCLE "E0105" Error "formats extend each other in a cycle"
    "A format changes another format. That format must not depend on it."
    "format a extends b { }\nformat b extends a { }"
    "format a extends tiny { }\nformat b extends a { }"

    DUPLICATE "E0106" Error "a name is declared twice"
    "Two declarations of one kind cannot have the same name, nor two of different kinds if a text could mean either. A format \
     changes a declaration of its base by `replace`."
    "status tired: bool\nstatus tired: bool"
    "status tired: bool\nstatus hungry: bool"

    EDITION "E0107" Error "an edition of the language that this compiler does not know"
    "A pack names the edition that it is written in, so that its meaning never changes."
    "pack my_set { edition 99; extends tiny }"
    "pack my_set { edition 2; extends tiny }"

    MANIFEST "E0108" Error "a manifest in the wrong place"
    "A pack has one manifest, the first item of its `pack.fz`."
    "pack one { edition 2; extends tiny }\npack two { edition 2; extends tiny }"
    "// one/pack.fz\npack one { edition 2; extends tiny }\n// two/pack.fz\npack two { edition 2; extends tiny }"

    OTHER_EDITION "E0109" Error "a form that another edition of the language writes differently"
    "All files of a pack are written in the edition that its manifest names. `fizzle fmt --edition 2 PATH` rewrites a \
     pack of the first edition, its manifest included."
    "pack my_set { edition 2; extends tiny }\ncard \"Twin\" { piece  when this enters field { at once { draw 1; lose_life 1 } } }"
    "pack my_set { edition 2; extends tiny }\ncard \"Twin\" { piece  when this enters field { simultaneously { draw 1; lose_life 1 } } }"

    UNKNOWN_NAME "E0201" Error "a name that nothing declares"
    "A word in an expression is a local name or declared by the game: a noun, trait word, property, status, variable, constant, zone, \
     keyword, function, phase or step."
    r#"card "A" { does { draw strat } }"#
    r#"card "A" { does { draw start } }"#

    UNKNOWN_TYPE "E0202" Error "a type that does not exist"
    "Types are `number`, `bool`, `player`, `object`, `thing` (an object or a player), `zone`, `card`, `price`, `period`, the name of a \
     traits item, `word of` a traits item, and `list of` object, player or thing."
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

    UNKNOWN_PERIOD "E0206" Error "a phase or step that no turn has"
    "Phases and steps are named by their path in the turn, or by a unique end of that path."
    "rule more { at start of turn.drw { draw 1 by active } }"
    "rule more { at start of turn.draw { draw 1 by active } }"

    AMBIGUOUS_PERIOD "E0207" Error "several phases or steps have this name"
    "A shortened path must be the end of one path only."
    "rule more { at end of fight { draw 1 by active } }"
    "rule more { at end of second.fight { draw 1 by active } }"

    RECURSION "E0208" Error "a declaration that uses itself"
    "Constants, nouns, functions, keywords, parents of actions and announcement policies refer to each other without circles, so that card \
     code always terminates. The message shows the circle."
    "function twofold(n: number): number = twofold(n) + 1"
    "function twofold(n: number): number = n * 2"

    LIMIT "E0209" Error "a limit of the machine is exceeded"
    "Tables have limits: zones, words of a set that is used as a value, statuses that are set on arrival, numbers, … What one text makes the \
     compiler do is limited, too. The page on limits of the book lists all of them."
    r#"scenario "luck" {
  at A's turn.draw
  chance 3000000000
}"#
    r#"scenario "luck" {
  at A's turn.draw
  chance 3
}"#

    AMBIGUOUS_WORD "E0219" Error "a word that several open trait sets have"
    "A quoted word names a word of the trait set under which cards print it. If cards print it under two sets, it is ambiguous."
    r#"card "A" { piece  race "Tree" }
card "B" { piece  place "Tree" }
card "C" { does { discard each piece that is "Tree" } }"#
    r#"card "A" { piece  race "Tree" }
card "B" { piece  place "Grove" }
card "C" { does { discard each piece that is "Tree" } }"#

    UNKNOWN_PART "E0220" Error "a template names a part that its pattern does not have"
    "A template names the parts of its pattern in braces: words of one capital letter, the operands of the verb, `this` and `name`. \
     Any other word in braces would be printed unchanged."
    r#"text en { do draw: "draw {cards}" }"#
    r#"text en { do draw: "draw {n card}" }"#

    EMPTY_TEXT "E0221" Error "a pattern of a text that matches nothing, or everything"
    "An entry of a text is found by its pattern. An empty pattern never matches, and the pattern `X` always matches."
    r#"text en { value X: "something" }"#
    r#"text en { value X of you: "your {X}" }"#

    AMBIGUOUS_CARD "E0222" Error "a name of a card that several packs declare"
    "A name means the card of the own pack, else that of the nearest pack that this one extends or uses. If several packs are equally near, \
     write the name of the pack before that of the card, with a dot between: `\"PACK.NAME\"`."
    r#"// red/pack.fz
pack red { edition 2; extends tiny }
card "Ember" { piece  power 1 }
// blue/pack.fz
pack blue { edition 2; extends tiny }
card "Ember" { piece  power 2 }
// both/pack.fz
pack both { edition 2; extends tiny; uses red, blue }
card "Kindling" { piece  power 1  when this enters field { create "Ember" into field } }"#
    r#"// red/pack.fz
pack red { edition 2; extends tiny }
card "Ember" { piece  power 1 }
// blue/pack.fz
pack blue { edition 2; extends tiny }
card "Ember" { piece  power 2 }
// both/pack.fz
pack both { edition 2; extends tiny; uses red, blue }
card "Kindling" { piece  power 1  when this enters field { create "red.Ember" into field } }"#

    TYPE_MISMATCH "E0301" Error "a value of the wrong type"
    "Each operand, condition and value has a type; a number is not an object, and a player is not a zone."
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

    CHOICE_IN_EXPRESSION "E0304" Error "a choice where no player can choose"
    "Conditions, prices and static abilities can be evaluated at any time. Players choose only in statements."
    r#"card "A" { while 1 piece of you is marked { this gets +1 power } }"#
    r#"card "A" { while some piece of you with marked { this gets +1 power } }"#

    MISSING_COUNT "E0305" Error "a noun without a count, or a negative count"
    "A noun alone is a filter. A verb needs a count or quantifier: `each piece`, `1 piece`, `up to 2 piece`, `target piece`. A count cannot be negative: `draw 1`, never `draw -1`."
    r#"card "A" { does { discard card in your hand } }"#
    r#"card "A" { does { discard 1 card in your hand } }"#

    UNCLEAR_IT "E0306" Error "`it` has no meaning here, or several"
    "`it` is the single object of the statement before, or the subject of the trigger. Name several objects with `as`."
    r#"card "A" { does { discard 2 card in your hand
  reveal it } }"#
    r#"card "A" { does { discard 2 card in your hand as gone
  reveal gone } }"#

    MISSING_OWNER "E0307" Error "a word that needs an owner"
    "A property or status belongs to an object, and a zone of each player to a player."
    r#"card "A" { does { put this into hand } }"#
    r#"card "A" { does { put this into hand of owner of this } }"#

    NOT_ASSIGNABLE "E0308" Error "something that cannot be assigned"
    "Statuses and variables can be assigned. Printed properties change by `gets`, zones by `put`."
    r#"card "A" { does { power of this = 3 } }"#
    r#"card "A" { does { this gets power = 3 until end of turn } }"#

    NOT_CONSTANT "E0309" Error "a value that must be a constant"
    "Printed values, arguments of keywords and the number of repeated modes are constants."
    r#"card "A" { piece  eager(count of card in field) }"#
    r#"card "A" { piece  eager(2) }"#

    NO_THIS "E0310" Error "`this` where there is no source"
    "Actions, state rules, the setup and the turn are rules of the game and have no source object."
    "state rule weak { discard this }"
    "state rule weak { discard each piece with power <= 0 }"

    BAD_ADVERB "E0311" Error "a trailing word that the verb does not know"
    "The words after a `put` are statuses that are set on arrival, `top` or `bottom`. Those after another verb are its parameters of type `bool`."
    r#"card "A" { does { put this into field quickly } }"#
    r#"card "A" { does { put this into field marked } }"#

    MISPLACED_FORM "E0312" Error "a form that is not possible in this place"
    "Some forms of the language are possible only in certain places: delayed abilities cannot keep lists, static abilities contain no statements."
    r#"card "A" { does { let found = each piece
  at start of turn.draw { discard found } } }"#
    r#"card "A" { does { for each found in each piece { at start of turn.draw { discard found } } } }"#

    BAD_PATTERN "E0313" Error "a pattern that can match no event"
    "The first phrase of a pattern matches the first parameter of the action, the second phrase the second parameter."
    r#"card "A" { when this draws { draw 1 } }"#
    r#"card "A" { when opponent draws { draw 1 } }"#

    LIST_PARAMETER "E0314" Error "an action with a parameter that is a list"
    "An event can outlive the list that it came from, so it has single values. A call with several objects for a parameter that takes one \
     proposes one event for each, all in one batch."
    "action sweep(them: list of object) { discard them }"
    "action sweep(it: object) { discard it }"

    CHOICE_IN_OTHER_ZONE "E0315" Error "a choice in a zone from which its verb takes nothing"
    "A noun without a zone selects in the field. An action can declare the zone of its object: `action drop(it: object in hand)`. A choice for \
     it must name that zone. Known objects (`drop it`) and lists need not."
    r#"action drop(it: object in hand) { discard it }
card "A" { does { drop 1 card } }"#
    r#"action drop(it: object in hand) { discard it }
card "A" { does { drop 1 card in your hand } }"#

    TARGET_NOT_ANNOUNCED "E0316" Error "a target that cannot be chosen on announcement"
    "`target` makes a choice a part of the announcement, before any statement of the text has run. So it cannot be in a loop, and cannot depend on what an earlier statement does. Values of `let` that earlier targets and the state determine are no obstacle."
    r#"card "A" { does { 2 times { discard target piece } } }"#
    r#"card "A" { does { discard 2 target piece } }"#

    NO_YOU "E0317" Error "`you` where there is no player"
    "A rule of the game belongs to no player. Its statements name who acts. A step, a state rule and the setup belong to the active player."
    "rule gift { when piece enters field { draw 1 } }"
    "rule gift { when piece enters field { (controller of it) draws 1 } }"

    UNKNOWN_PATH "E0401" Error "a difference changes something that its base does not have"
    "Paths name what the base declares: `action.NAME`, `keyword.NAME`, `turn.PERIOD`, …"
    "format quick extends tiny { remove turn.drw }"
    "format quick extends tiny { remove turn.draw }"

    PATH_TWICE "E0402" Error "two differences change the same thing"
    "The result would be unclear, so a format changes each declaration once."
    "format quick extends tiny {\n  remove turn.draw\n  replace step turn.draw { }\n}"
    "format quick extends tiny {\n  replace step turn.draw { }\n}"

    OTHER_SIGNATURE "E0403" Error "a replacement with other parameters"
    "Cards that are written for the base must also work in the format."
    "format quick extends tiny {\n  replace action lose_life(n: number) { }\n}"
    "format quick extends tiny {\n  replace action lose_life(who: player, n: number) { }\n}"

    BAD_SETTING "E0404" Error "a setting that does not exist"
    "Zones, timings, announcement policies and windows have fixed settings."
    "timing { pile }"
    "timing { stack }"

    ALREADY_THERE "E0405" Error "a difference adds what its base already has"
    "An item in a format is added. To change an item of the base, write `replace`."
    "format quick extends tiny { constant start = 7 }"
    "format quick extends tiny { replace constant start = 7 }"

    MISSING_PART "E0406" Error "a game lacks a required declaration"
    "A game needs a turn, each format needs the field, the list and the deck, and a play with a price needs a payment."
    "pack idle { edition 2 }\nzone field { shared; field; public }"
    "pack idle { edition 2 }\nzone field { shared; field; public }\nturn { step only { priority } }"

    BAD_MATCH "E0407" Error "a match that cannot be played as written"
    "A match is best of an odd number of games, so that one player wins more than half of them. Cards are exchanged between sections of the \
     deck rules."
    "match { best of 2 }"
    "match { best of 3 }"

    MANY_OPPONENTS "E0408" Error "one opponent where there may be several"
    "In a game of more than two players `opponent` alone does not name a player: neither the next one nor all. In patterns (`opponent draws`), \
     in selections (`piece of opponent`) and after `is` it means any opponent."
    "players 2 to 4\ncard \"Tax\" { piece  at start of turn.draw of you { life of opponent -= 1 } }"
    "players 2 to 4\ncard \"Tax\" { piece  at start of turn.draw of you { lose_life(each opponent, 1) } }"

    BAD_LAYOUT "E0409" Error "a layout that cannot be drawn as written"
    "A row names the zone of its objects, a hue is 0 to 359 degrees, numbered places are 1 to 64, and a plate has one large number."
    "layout { seat { fan hand } hue red 400 }"
    "layout { seat { fan hand } hue red 40 }"

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

    BAD_DECK "E0502" Error "a deck that cannot be built as written"
    "A deck names its format and lists cards of that game by section. A game has at most 4095 objects."
    r#"deck "D" { format tiny  main { 5000 "Bear" } }"#
    r#"deck "D" { format tiny  main { 4 "Bear" } }"#

    UNUSED_ALLOW_COMMENT "W0700" Warning "a warning is allowed where it is not reported"
    "A comment `// allow W0701: REASON` allows a warning for the line that it ends, or for what begins in the line below it: a statement, \
     an ability, an item. If no such warning is reported there, the comment is obsolete."
    r#"// allow W0701: not read yet
card "A" { does { draw 2 } }"#
    r#"// allow W0701: not read yet
card "A" { does { let n = 3
  draw 2 } }"#

    UNUSED "W0701" Warning "a name that is never used"
    "A local name that nothing reads is probably a mistake. Begin the name with `_` if it is intended."
    r#"card "A" { does { let n = 3
  draw 2 } }"#
    r#"card "A" { does { let n = 3
  draw n } }"#

    SHADOWED "W0702" Warning "a local name hides another one"
    "A second name hides the first one. The values of an event have names too: in `when you draw { … }` they are the parameters of the action."
    r#"card "A" { does { let n = 1
  let n = n + 1
  draw n } }"#
    r#"card "A" { does { let n = 1
  let m = n + 1
  draw m } }"#

    CONSTANT_CONDITION "W0703" Warning "a condition that is always true or always false"
    "The condition compares two literal numbers, a value with itself, or a count with a negative number; or a text \
     that resolves on the list requires its card to be elsewhere. So what depends on it always happens, or never."
    r#"card "A" { does { if count of piece >= 0 { draw 1 } } }"#
    r#"card "A" { does { if count of piece >= 1 { draw 1 } } }"#

    CONTRADICTION "W0704" Warning "conditions that exclude each other"
    "Nothing satisfies them all, so nothing can be chosen, and what depends on it never happens."
    r#"card "A" { does { discard 1 piece with power >= 5 with power <= 2 } }"#
    r#"card "A" { does { discard 1 piece with power >= 2 with power <= 5 } }"#

    NEVER_HAPPENS "W0705" Warning "a trigger on an action that never happens"
    "No card, rule, play or step of the game and its formats performs the action, so the trigger never happens."
    r#"action shine(it: object)
card "A" { when this is shined { draw 1 } }"#
    r#"action shine(it: object)
card "A" { when this is shined { draw 1 }  does { shine this } }"#

    CANNOT_FAIL "W0706" Warning "a link to a statement that cannot fail"
    "`if you do` and `otherwise` test whether the statement before has happened. Assignments, names and effects always happen. An offer is tested only directly behind it."
    r#"card "A" { does { life of you += 1
  if you do, draw 1 } }"#
    r#"card "A" { does { discard 1 card in your hand
  if you do, draw 1 } }"#

    TRIGGERS_ITSELF "W0707" Warning "a trigger that triggers itself without end"
    "Its text always causes its own event. No player can decline, and only the limits of the machine end it."
    r#"card "A" { when you draw { draw 1 } }"#
    r#"card "A" { when you draw { you may draw 1 } }"#

    NO_CHANGE "W0708" Warning "a difference that changes nothing"
    "A format contains only what differs from its base."
    "format quick extends tiny { replace constant start = 5 }"
    "format quick extends tiny { replace constant start = 7 }"

    TREAT_CYCLE "W0709" Warning "events that are re-read in a cycle"
    "`treat A as B` re-reads every event of one action as an event of the other, once. Two that lead to each other only exchange their names."
    "treat discard as destroy\ntreat destroy as discard"
    "treat discard as destroy"

    UNUSED_DECLARATION "W0710" Warning "a declaration that nothing uses"
    "A declaration of a pack that no other pack extends is used only in that pack. If nothing there uses it, it is probably a mistake or obsolete."
    "pack own { edition 2; extends tiny }\nkeyword shy { this cannot be discarded }"
    r#"pack own { edition 2; extends tiny }
keyword shy { this cannot be discarded }
card "A" { piece  shy }"#

    INACTIVE_ABILITY "W0711" Warning "an ability that works in no zone where its condition holds"
    "An ability works in the field, or in the zones that are written before it: `in hand while …`. In other zones it does not work, even if its \
     condition is true. A card that is used for its text only is never in the field, and a play is used from the zones that it names: what \
     waits for it must work there."
    r#"card "A" { piece  while this in hand { this gets +1 power } }"#
    r#"card "A" { piece  in hand while this in hand { this gets +1 power } }"#

    ILLEGAL_DECK "W0712" Warning "a deck that its format refuses"
    "The deck rules of a format say how many cards a section has and how many copies of one are allowed; banned cards are not allowed at all. \
     `fizzle deck check` reports everything that makes a deck illegal."
    r#"deck "D" { main { 3 "Bear" } }"#
    r#"deck "D" { main { 4 "Bear" } }"#

    UNATTACHED_DOCS "W0713" Warning "a doc comment without an item behind it"
    "A comment that begins with `///` belongs to the item right below it and is shown with it. Before an empty line or at the end of a file it \
     belongs to nothing and is never shown. Only at the start of a file it describes the file."
    "card \"A\" { piece  power 3 }\n/// What a bear does.\n\ncard \"B\" { piece  power 3 }"
    "card \"A\" { piece  power 3 }\n/// What a bear does.\ncard \"B\" { piece  power 3 }"

    TEXT_NEVER_RESOLVED "W0714" Warning "a text that no play resolves"
    "The text in `does` of a card happens when a play says `resolve text of it`. The type of the play's object and the conditions around this \
     statement determine the cards whose texts it resolves. The text of any other card never happens."
    r#"card "A" { piece  does { draw 1 } }"#
    r#"card "A" { piece  when this enters field { draw 1 } }"#

    ALWAYS_EMPTY "W0715" Warning "a zone is read that nothing is ever put into"
    "No card, rule, play, step or deck of the game and its formats puts anything there: a count, choice or trigger about the zone finds nothing. \
     Zones that only a scenario fills are not reported."
    r#"zone limbo { shared; public }
card "A" { does { draw (count of card in limbo) } }"#
    r#"zone limbo { shared; public }
card "A" { does { draw (count of card in limbo) }
  when this enters field { put 1 card in your hand into limbo } }"#

    KIND_MISMATCH "W0716" Warning "a card that does not print what its kind does"
    "A game declares what cards with a word print, and what they do not: `kind piece prints power, not spell`. A missing property has its \
     default value, often 0. If a card is intended so, write `// allow W0716: REASON`."
    r#"kind piece prints power
card "A" { piece }"#
    r#"kind piece prints power
card "A" { piece  power 3 }"#

    EMPTY_ROW "W0717" Warning "a row of a layout that can never hold anything"
    "An object is in the first row that takes it. What follows a row that takes all of a zone gets nothing from this zone, and neither does \
     a row of a zone that is `hidden`."
    "layout { seat { row field; row piece in field; fan hand } }"
    "layout { seat { row piece in field; row field; fan hand } }"

    TAKEN_NAME "W0718" Warning "a card has the name of a card of the game"
    "In the files of a pack, the name of a card means the card of this pack, else that of the nearest pack that it extends or uses. A pack \
     that declares a card or token again takes the name for its own; the other one can still be named `\"PACK.NAME\"`. A token that the game \
     has can be created without a declaration. If another card is meant, write `// allow W0718: REASON`."
    r#"// mine/pack.fz
pack mine { edition 2; extends tiny }
card "Bear" { piece  power 3 }"#
    r#"// mine/pack.fz
pack mine { edition 2; extends tiny }
card "Cave Bear" { piece  power 3 }"#

    TEXT_MISSING "W0719" Warning "a card without a text that its play resolves"
    "A play resolves the text of such a card, `does { … }`, and does not put it into the field. Without one it has no effect. If a card is \
     intended so, write `// allow W0719: REASON`."
    r#"card "A" { spell }"#
    r#"card "A" { spell  does { draw 1 } }"#

    NEVER_IN_FIELD "W0720" Warning "a choice in the field of what is never there"
    "A selection without a zone is searched in the field. Cards that a play uses for their text only are never there: while they are used, \
     they are in the zone of what waits to resolve."
    r#"card "A" { spell  does { destroy target spell } }"#
    r#"card "A" { spell  does { destroy target spell in line } }"#

    ACTS_ON_MOVED "W0721" Warning "a statement about an object that was moved away"
    "An object that leaves the field loses its statuses, and effects on it end. A statement that only changes these of an object which the \
     statement before has moved elsewhere does nothing. Neither does one that moves the object by its old name: `discard one as gone` names the \
     object where it is then."
    r#"card "A" { spell  does { discard target piece
  send it } }"#
    r#"card "A" { spell  does { send target piece
  discard it } }"#

    RENAMED_WORD "W0722" Warning "a word that the game has renamed"
    "A game may rename what it declares, and say so: `renamed action dole to deal_damage`. Texts that use the old word keep their meaning. The \
     old word may be removed in a later version of the game, so write the new one."
    "renamed property strength to power\ncard \"A\" { piece  strength 3 }"
    "renamed property strength to power\ncard \"A\" { piece  power 3 }"

    OPEN_SUBJECT "W0724" Warning "an effect of a text that also reaches what comes later"
    "A text resolves once. `each piece gets …` changes the objects that are there then. A noun alone as the subject of `gets` also changes what \
     comes later, for as long as the effect lasts. What is meant so is written as an ability with a duration, `until end of turn { always: … }`."
    r#"card "A" { spell  does { piece of you gets +1 power until end of turn } }"#
    r#"card "A" { spell  does { each piece of you gets +1 power until end of turn } }"#

    LATE_TRIGGER "W0725" Warning "a trigger after the last window of a turn"
    "A turn ends after its last step. A trigger at that moment waits for the next window or `settle`, which is mostly in the next turn. A game \
     whose cards do something at the end of a turn has a step for it."
    r#"card "A" { piece  power 3  at end of turn { draw 1 } }"#
    r#"card "A" { piece  power 3  at start of turn.second.fight { draw 1 } }"#

    UNUSED_TEXT "W0726" Warning "an entry of a text that no call matches"
    "A text omits nothing: an entry is used for a call only if it prints all operands that its pattern leaves open. Without one of them the call is \
     written with the name of the action."
    r#"text en { do discard: "discard" }"#
    r#"text en { do discard: "discard {it}" }"#

    UNSET_STATUS "W0727" Warning "a prohibition that depends on what the forbidden event would set"
    "Whether an event is forbidden is decided before it happens. A status that only this event sets still has its old value then, so the condition \
     does not hold. The parameter of the action from which it is set says what is meant."
    r#"status struck: object
action strike(it, foe) by it { struck of it = foe }
card "A" { piece  power 3  piece of opponent cannot strike where struck of it is red }"#
    r#"status struck: object
action strike(it, foe) by it { struck of it = foe }
card "A" { piece  power 3  piece of opponent cannot strike where foe is red }"#

    NUMBER_FOR_PRICE "W0728" Warning "a number in the place of a price"
    "A keyword with a price takes it in braces. A number stands for as many generic units, and the text of the card prints it as a number."
    "keyword ward(fee: price) { }\ncard \"A\" { piece  power 3  ward(2) }"
    "keyword ward(fee: price) { }\ncard \"A\" { piece  power 3  ward({2}) }"

    REPEATING_ACTION "W0729" Warning "a pattern about an action that only repeats another one"
    "An action such as `draw`, which is `n times { draw_card(who) }`, happens once for any number of cards. If the turn or a rule also has \
     `draw_card` alone, as in a draw step, then a trigger, replacement or prohibition means that."
    r#"action draw_one(who: player) { draw(who, 1) }
action draw_some(who: player, n: number) { n times { draw_one(who) } }
rule first_draw { at start of turn: draw_one(active) }
card "A" { piece  power 3  if you would draw_some, instead: discard 1 card in hand of you }"#
    r#"action draw_one(who: player) { draw(who, 1) }
action draw_some(who: player, n: number) { n times { draw_one(who) } }
rule first_draw { at start of turn: draw_one(active) }
card "A" { piece  power 3  if you would draw_one, instead: discard 1 card in hand of you }"#
}
