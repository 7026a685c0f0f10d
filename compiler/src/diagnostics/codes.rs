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
    /// At length, with a wrong and a right example.
    pub explanation: &'static str,
}

/// Finds a code by its name.
#[must_use]
pub fn find(code: &str) -> Option<&'static Code> {
    CODES.iter().copied().find(|entry| entry.code.eq_ignore_ascii_case(code))
}

macro_rules! codes {
    ($($name:ident $code:literal $severity:ident $summary:literal $explanation:literal)*) => {
        $(
            #[doc = $summary]
            pub static $name: Code = Code { code: $code, severity: Severity::$severity, summary: $summary, explanation: $explanation };
        )*
        /// All codes, in order.
        pub static CODES: &[&Code] = &[$(&$name),*];
    };
}

codes! {
    SYNTAX "E0001" Error "the text does not follow the grammar"
    "Each item is parsed on its own, so that one broken item does not hide the next one.\n\nWrong:\n    card \"A\" { cost }}\nRight:\n    card \"A\" { cost 3 }"

    NO_PACK "E0101" Error "a file belongs to no pack"
    "A file belongs to the pack whose `pack.fz` lies in its directory or above it. A file on its own must say which game it adds to: \
     by a manifest, or by the format of a deck or scenario in it.\n\nWrong: a file with nothing but\n    card \"A\" { cost 3 }\nRight:\n    pack my_set { edition 1; extends some_game }\n    card \"A\" { cost 3 }"

    UNKNOWN_PACK "E0102" Error "a pack extends or uses a pack that is not there"
    "All packs that a pack builds on must be given together with it.\n\nWrong:\n    pack my_set { extends no_such_game }\nRight:\n    pack my_set { extends some_game }"

    PACK_CYCLE "E0103" Error "packs extend each other in a circle"
    "A pack adds to a game; the game cannot add to the pack in turn.\n\nWrong:\n    pack a { extends b }   pack b { extends a }\nRight:\n    pack a { }   pack b { extends a }"

    UNKNOWN_FORMAT "E0104" Error "a format that is not there"
    "A format is a game or one of its differences declared by `format`.\n\nWrong:\n    format fast extends no_such_game { }\nRight:\n    format fast extends some_game { }"

    FORMAT_CYCLE "E0105" Error "formats extend each other in a circle"
    "A format is a difference from another one, and that one must stand without it.\n\nWrong:\n    format a extends b { }   format b extends a { }\nRight:\n    format a extends some_game { }   format b extends a { }"

    DUPLICATE "E0106" Error "a name is declared twice"
    "Two declarations of one kind cannot have the same name, nor two of different kinds where a text could mean either. A format replaces what its base declares by `replace`.\n\nWrong:\n    status marked: bool\n    status marked: bool\nRight:\n    status marked: bool\n    status counted: bool"

    EDITION "E0107" Error "an edition of the language that this compiler does not know"
    "A pack names the edition that it is written in, so that it keeps its meaning.\n\nWrong:\n    pack a { edition 99 }\nRight:\n    pack a { edition 1 }"

    MANIFEST "E0108" Error "a manifest in the wrong place"
    "A pack has one manifest, the first item of its `pack.fz`.\n\nWrong: two `pack` items in one file.\nRight: one, at the beginning."

    UNKNOWN_NAME "E0201" Error "a name that nothing declares"
    "A word of an expression is a local name, or declared by the game: a noun, trait word, property, status, variable, constant, zone, \
     keyword, function, phase or step.\n\nWrong:\n    draw numbr of you\nRight:\n    draw number of you"

    UNKNOWN_TYPE "E0202" Error "a type that does not exist"
    "Types are `number`, `bool`, `player`, `object`, `thing` (an object or a player), `zone`, `card`, `price`, `span`, the name of a traits item, and `list of` object, player or thing.\n\n\
     Wrong:\n    status marks: integer\nRight:\n    status marks: number"

    UNKNOWN_VERB "E0203" Error "a verb that nothing declares"
    "A verb is built in or an action of the game.\n\nWrong:\n    drwa 2\nRight:\n    draw 2"

    UNKNOWN_FACT "E0204" Error "a word on a card that the game does not know"
    "A word on a card is a trait word, a property with its value, the name of an open traits item with a quoted word, or a keyword.\n\n\
     Wrong:\n    card \"A\" { powr 3 }\nRight:\n    card \"A\" { power 3 }"

    UNKNOWN_CARD "E0205" Error "a card that does not exist"
    "A quoted name is a card or token of the game, or a word of an open traits item.\n\nWrong:\n    create \"Soldir\" into field\nRight:\n    create \"Soldier\" into field"

    UNKNOWN_SPAN "E0206" Error "a phase or step that no turn has"
    "Phases and steps are named by their path in the turn, or by the end of it that is unique.\n\nWrong:\n    at start of turn.drw { }\nRight:\n    at start of turn.draw { }"

    AMBIGUOUS_SPAN "E0207" Error "several phases or steps have this name"
    "A shortened path must be the end of one path only.\n\nWrong:\n    at end of damage { }\nRight:\n    at end of second_round.damage { }"

    RECURSION "E0208" Error "a function or keyword that needs itself"
    "Card code always comes to an end, so nothing is defined by itself.\n\nWrong:\n    function f(): number = f() + 1\nRight:\n    function f(): number = 1"

    LIMIT "E0209" Error "more than the machine has room for"
    "Values that are sets of words hold 32 words at most; other tables have limits too.\n\nWrong: reading a traits item of 40 words as a value.\nRight: asking for single words of it."

    AMBIGUOUS_WORD "E0219" Error "a word that several open trait sets have"
    "A quoted word means the trait set that has it. When cards print it under two of them, nothing says which one is meant.\n\nWrong:\n    card \"A\" { race \"Tree\" }\n    card \"B\" { place \"Tree\" }\nRight:\n    card \"A\" { race \"Tree\" }\n    card \"B\" { place \"Grove\" }"

    TYPE_MISMATCH "E0301" Error "a value of the wrong type"
    "Each operand, condition and value has a type; a number is no object and a player is no zone.\n\nWrong:\n    draw your hand\nRight:\n    draw count of card in your hand"

    MISSING_OPERAND "E0302" Error "a verb lacks an operand"
    "Every parameter of a verb without a default must be given.\n\nWrong:\n    put it\nRight:\n    put it into your hand"

    EXTRA_OPERAND "E0303" Error "a verb was given an operand that it does not take"
    "Operands fill the parameters of a verb by their prepositions, or in order.\n\nWrong:\n    shuffle your deck into your hand\nRight:\n    shuffle your deck"

    CHOICE_IN_EXPRESSION "E0304" Error "a choice where nobody can be asked"
    "Conditions, prices and static abilities are computed at any time; only statements ask players.\n\nWrong:\n    while 1 piece of you is marked { }\nRight:\n    while some piece of you that is marked { }"

    HOW_MANY "E0305" Error "a noun without saying how many"
    "A noun alone is a filter. A verb needs to know which objects: `each piece`, `1 piece`, `up to 2 piece`, `target piece`.\n\nWrong:\n    discard card in your hand\nRight:\n    discard 1 card in your hand"

    UNCLEAR_IT "E0306" Error "`it` means nothing here, or more than one thing"
    "`it` is the single object of the statement before, or the subject of the trigger. Several objects are named with `as`.\n\n\
     Wrong:\n    discard 2 card in your hand\n    reveal it\nRight:\n    discard 2 card in your hand as gone\n    reveal gone"

    WHOSE "E0307" Error "a word that needs an owner"
    "A property, a status and a zone of each player belong to somebody.\n\nWrong:\n    put it into hand\nRight:\n    put it into hand of owner of it"

    NOT_ASSIGNABLE "E0308" Error "something that cannot be written"
    "Statuses and variables are written; printed properties change by `gets`, zones by `put`.\n\nWrong:\n    power of it = 3\nRight:\n    it gets power = 3"

    NOT_CONSTANT "E0309" Error "a value that must be known when compiling"
    "Printed facts, arguments of keywords and the number of modes are constants.\n\nWrong:\n    card \"A\" { power count of card }\nRight:\n    card \"A\" { power 3 }"

    NO_THIS "E0310" Error "`this` where there is no source"
    "Actions, state rules, the setup and the turn are rules of the game: they have no source object.\n\nWrong:\n    state rule r { discard this }\nRight:\n    state rule r { discard each card in hand of active }"

    BAD_ADVERB "E0311" Error "a trailing word that the verb does not know"
    "The words after a `put` are statuses that hold on arrival, `top` or `bottom`; those after another verb are its yes-or-no parameters.\n\n\
     Wrong:\n    put it into field quickly\nRight:\n    put it into field marked"

    NOT_HERE "E0312" Error "a form that is not possible in this place"
    "Some forms of the language only make sense in certain places.\n\nWrong: `put 1 card in your hand` in a condition.\nRight: the statement in a block."

    BAD_PATTERN "E0313" Error "a pattern that can match no event"
    "The first phrase of a pattern matches the action's first parameter, the second one its second.\n\nWrong:\n    when 3 draws { }\nRight:\n    when opponent draws { }"

    LIST_PARAMETER "E0314" Error "an action with a parameter that is a list"
    "An event may be replaced, remembered and told long after the list it came from is gone, so it holds single values. A call that gives several \
     objects to a parameter for one proposes one event of each, all in one batch.\n\n\
     Wrong:\n    action sweep(them: list of object) { put each object in them into its owner's pile }\nRight:\n    action sweep(it: object) { put it into its owner's pile }"

    UNKNOWN_PATH "E0401" Error "a difference changes something that its base does not have"
    "Paths name what the base declares: `action.NAME`, `keyword.NAME`, `turn.SPAN`, …\n\nWrong:\n    remove turn.drw\nRight:\n    remove turn.draw"

    PATH_TWICE "E0402" Error "two differences change the same thing"
    "What would hold is unclear, so a format says it once.\n\nWrong:\n    remove turn.draw\n    replace step turn.draw { }\nRight:\n    replace step turn.draw { }"

    OTHER_SIGNATURE "E0403" Error "a replacement with other parameters"
    "Cards that were written against the base must mean something under the format too.\n\nWrong:\n    replace action draw(n: number) { }      // it was draw(who: player, n: number)\nRight:\n    replace action draw(who: player, n: number) { }"

    BAD_SETTING "E0404" Error "a setting that does not exist"
    "Zones, timing, announcing and windows take fixed words.\n\nWrong:\n    timing { pile }\nRight:\n    timing { stack }"

    ALREADY_THERE "E0405" Error "a difference adds what its base has already"
    "An item of a format is added; to change one of the base say `replace`.\n\nWrong:\n    constant start = 7\nRight:\n    replace constant start = 7"

    MISSING_PART "E0406" Error "a game lacks something that it needs"
    "A game needs a turn; a play with a price needs a payment.\n\nWrong: a root pack without `turn`.\nRight:\n    turn { step only { priority } }"

    BAD_MATCH "E0407" Error "a match that cannot be played as written"
    "A match is best of an odd number of games, so that somebody wins more than half of them. Cards are exchanged between sections that the \
     deck rules have.\n\nWrong:\n    match { best of 2  exchange main, sied }\nRight:\n    match { best of 3  exchange main, side }"

    MANY_OPPONENTS "E0408" Error "one opponent where there may be several"
    "In a game of more than two players `opponent` alone is nobody in particular: not the next player, and not all. In patterns (`opponent draws`), \
     in selections (`piece of opponent`) and after `is` it means any opponent.\n\nWrong:\n    players 2 to 4\n    rule tax { at start of turn.main of \
     you { life of opponent -= 1 } }\nRight:\n    players 2 to 4\n    rule tax { at start of turn.main of you { lose_life(each opponent, 1) } }"

    BAD_SCENARIO "E0501" Error "a scenario that cannot be played as written"
    "Scenarios name players `A` and `B`, bind objects by `as`, and start at a step of the turn.\n\nWrong:\n    at A's main of Z\nRight:\n    at A's turn.main"

    BAD_DECK "E0502" Error "a deck that cannot be made as written"
    "A deck names its format and lists cards of that game by section.\n\nWrong:\n    deck \"D\" { main { 4 \"No such card\" } }\nRight:\n    deck \"D\" { format some_game  main { 4 \"A card\" } }"

    UNUSED "W0701" Warning "a name that is never used"
    "A local name that nothing reads is probably a slip. A name that begins with `_` is meant so.\n\nWrong:\n    let n = 3\n    draw 2\nRight:\n    let n = 3\n    draw n"

    SHADOWED "W0702" Warning "a local name hides another one"
    "A second name hides the first one. What an event brings along has names, too: in `when this connects { … }` they are the parameters of the action.\n\nWrong:\n    let n = 1\n    let n = 2\nRight:\n    let n = 1\n    let m = 2"
}
