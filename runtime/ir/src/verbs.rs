//! Tables of the built-in verbs and functions, one row each. Parser, checker, lowering, documentation and machine read them. The
//! templates of rules texts, in both languages, are columns of a row.
//!
//! A *verb* is a primitive event: it can be proposed, forbidden, replaced and triggered on like any action of a game. Its row
//! number is its `ActionId`. A new verb is a row here and an arm in the machine's `vm/commit.rs`. Most words that cards use for what happens are
//! not verbs: a game's source declares them as `action`s, such as `exile` in `cards/magic/rules/actions.fz`.

#![deny(clippy::wildcard_enum_match_arm)]

use crate::types::Type;

/// A parameter of a built-in.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name in patterns and messages.
    pub name: &'static str,
    /// Its type.
    pub ty: Type,
    /// The prepositions that introduce it; empty for the direct operand or the subject.
    pub prepositions: &'static [&'static str],
    /// The operand that is used if none is written.
    pub default: OperandDefault,
}

/// The operand that is used if none is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandDefault {
    /// There is none: the operand must be written.
    Required,
    /// This value.
    Value(i64),
    /// The controller of the text (`you`).
    You,
    /// The machine provides it when it proposes the event.
    Machine,
}

/// A primitive event.
#[derive(Clone, Copy, Debug)]
pub struct Verb {
    /// The word of the language.
    pub name: &'static str,
    /// The words in patterns, if they differ from the verb with `s` (`enters` for a move, from the view of its destination).
    pub pattern_words: &'static [&'static str],
    /// Its parameters; the first is the direct operand.
    pub params: &'static [Param],
    /// One line for the reference.
    pub doc: &'static str,
    /// An example statement, compiled by a test.
    pub example: &'static str,
    /// The phrase of English rules texts, with `{NAME}` for operands: the form of a `do` entry of texts, which entries of a game
    /// override. Empty where each game has its own phrases, and for events that no text mentions.
    pub english: &'static str,
    /// The phrase of Japanese rules texts.
    pub japanese: &'static str,
}

const fn param(name: &'static str, ty: Type, prepositions: &'static [&'static str], default: OperandDefault) -> Param {
    Param { name, ty, prepositions, default }
}

/// `put`
pub const PUT: u32 = 0;
/// `attach`
pub const ATTACH: u32 = 1;
/// `create`
pub const CREATE: u32 = 2;
/// `shuffle`
pub const SHUFFLE: u32 = 3;
/// `reveal`
pub const REVEAL: u32 = 4;
/// `look`
pub const LOOK: u32 = 5;
/// `win`
pub const WIN: u32 = 6;
/// `lose`
pub const LOSE: u32 = 7;
/// `tie`
pub const TIE: u32 = 8;
/// `begin`: a period begins (proposed by the machine only).
pub const BEGIN: u32 = 9;
/// `finish`: a period ends (proposed by the machine only).
pub const FINISH: u32 = 10;
/// `announce`: an object was announced (proposed by the machine only).
pub const ANNOUNCE: u32 = 11;
/// `resolve`: an object resolved and has left the list (proposed by the machine only).
pub const RESOLVE: u32 = 12;
/// `fizzle`: an object did nothing because no announced choice was legal any more (proposed by the machine only).
pub const FIZZLE: u32 = 13;
/// `write`: a status or variable changes. Abilities never hook it; games name an action to hook.
pub const WRITE: u32 = 14;
/// `erase`: an object leaves the game.
pub const ERASE: u32 = 15;

/// `pick`: a player chooses an object or player for a text or rule (proposed by the machine only, after the choice). Forbidding
/// it removes the thing from the candidates.
pub const CHOSEN: u32 = 16;

/// `start_resolving`: the text of an announced object is about to resolve (proposed by the machine only). If it is forbidden, the text
/// has no effect.
pub const START_RESOLVING: u32 = 17;

/// `shift`: an object is in another zone and stays the same object (no new incarnation).
pub const SHIFT: u32 = 18;

/// `check_state_triggers`: the machine checks the conditions of state triggers (no event happens).
pub const CHECK_STATE_TRIGGERS: u32 = 19;

/// The position arguments of `put`.
pub mod position {
    /// On top of an ordered zone (the end of its list).
    pub const TOP: i64 = 0;
    /// At the bottom.
    pub const BOTTOM: i64 = 1;
}

/// The built-in verbs; the row number is the `ActionId`.
pub const VERBS: &[Verb] = &[
    Verb {
        name: "put",
        pattern_words: &["enters", "enter", "leaves", "leave"],
        params: &[
            param("it", Type::Object, &[], OperandDefault::Required),
            param("into", Type::Zone, &["into", "onto", "to"], OperandDefault::Required),
            param("under", Type::Player, &["under"], OperandDefault::Value(-1)),
            param("position", Type::Number, &["at"], OperandDefault::Value(position::TOP)),
            param("flags", Type::Number, &[], OperandDefault::Value(0)),
            param("from", Type::Zone, &[], OperandDefault::Machine),
            param("alone", Type::Bool, &[], OperandDefault::Value(0)),
        ],
        doc: "Moves objects into a zone. `under` names the controller (else the owner); adverbs are bool statuses that hold on arrival; \
              `to bottom of ZONE` is written `put X into ZONE bottom`. The pile of an object goes along, or parts where the kind of zone \
              changes; `put X into ZONE alone` leaves its pile behind, whose topmost member is then the object there.",
        example: "put it into hand of owner of it",
        english: "put/put {it:from} into {into}",
        japanese: "{it}を{into}に置く",
    },
    Verb {
        name: "attach",
        pattern_words: &[],
        params: &[
            param("it", Type::Object, &[], OperandDefault::Required),
            param("host", Type::Object, &["onto", "under", "to"], OperandDefault::Required),
            param("below", Type::Bool, &[], OperandDefault::Value(0)),
        ],
        doc: "Makes an object part of another one's pile: it moves along, is not counted, and is free again when the pile's top object moves alone. \
              `attach X under Y` adds it below; `attach X onto Y` puts X on top: X becomes the object and Y part of its pile.",
        example: "attach it under this",
        english: "put/put {it} on {host}",
        japanese: "{it}を{host}の上に重ね|る",
    },
    Verb {
        name: "create",
        pattern_words: &[],
        params: &[
            param("what", Type::Card, &[], OperandDefault::Required),
            param("place", Type::Zone, &["into", "onto"], OperandDefault::Required),
            param("whose", Type::Player, &["under"], OperandDefault::You),
            param("model", Type::Object, &[], OperandDefault::Value(0)),
            param("except", Type::Number, &[], OperandDefault::Value(0)),
            param("flags", Type::Number, &[], OperandDefault::Value(0)),
            param("text", Type::Number, &[], OperandDefault::Value(0)),
        ],
        doc: "Makes a new object of a token's definition, which is put into a zone, or (`create copy of X`) one that is a copy of `model`; adverbs \
              are bool statuses that hold on arrival.",
        example: "create \"Soldier\" into field",
        english: "",
        japanese: "",
    },
    Verb {
        name: "shuffle",
        pattern_words: &[],
        params: &[param("zone", Type::Zone, &[], OperandDefault::Required)],
        doc: "Puts a zone into random order.",
        example: "shuffle your deck",
        english: "shuffle {zone}",
        japanese: "{zone}をシャッフルする",
    },
    Verb {
        name: "reveal",
        pattern_words: &[],
        params: &[param("it", Type::Object, &[], OperandDefault::Required)],
        doc: "Shows an object to everybody.",
        example: "reveal it",
        english: "reveal {it}",
        japanese: "{it}を見せ|る",
    },
    Verb {
        name: "look",
        pattern_words: &[],
        params: &[
            param("it", Type::Object, &["at"], OperandDefault::Required),
            param("by", Type::Player, &["by"], OperandDefault::You),
        ],
        doc: "Shows an object to one player.",
        example: "look it",
        english: "look at {it}",
        japanese: "{it}を見|る",
    },
    Verb {
        name: "win",
        pattern_words: &[],
        params: &[param("who", Type::Player, &[], OperandDefault::You)],
        doc: "The player wins the game.",
        example: "you win",
        english: "win the game",
        japanese: "ゲームに勝つ",
    },
    Verb {
        name: "lose",
        pattern_words: &[],
        params: &[param("who", Type::Player, &[], OperandDefault::You)],
        doc: "The player loses the game. Players who lose in one batch tie if no player is left.",
        example: "you lose",
        english: "lose the game",
        japanese: "ゲームに負け|る",
    },
    Verb {
        name: "tie",
        pattern_words: &[],
        params: &[],
        doc: "The game ends without a winner.",
        example: "tie",
        english: "the game is a draw",
        japanese: "ゲームは引き分けになる",
    },
    Verb {
        name: "begin",
        pattern_words: &[],
        params: &[
            param("span", Type::Period, &[], OperandDefault::Machine),
            param("who", Type::Player, &[], OperandDefault::Machine),
        ],
        doc: "A phase or step begins; `who` is the active player.",
        example: "",
        english: "",
        japanese: "",
    },
    Verb {
        name: "finish",
        pattern_words: &[],
        params: &[
            param("span", Type::Period, &[], OperandDefault::Machine),
            param("who", Type::Player, &[], OperandDefault::Machine),
        ],
        doc: "A phase or step ends.",
        example: "",
        english: "",
        japanese: "",
    },
    Verb {
        name: "announce",
        pattern_words: &["uses", "use", "used"],
        params: &[
            param("who", Type::Player, &[], OperandDefault::Machine),
            param("it", Type::Object, &[], OperandDefault::Machine),
            param("play", Type::Number, &[], OperandDefault::Machine),
        ],
        doc: "A player used an object: announced, paid, waiting on the list if the play waits.",
        example: "",
        english: "use/used {it}",
        japanese: "{it}を使う",
    },
    Verb {
        name: "resolve",
        pattern_words: &["resolved"],
        params: &[
            param("it", Type::Object, &[], OperandDefault::Machine),
            param("who", Type::Player, &[], OperandDefault::Machine),
            param("play", Type::Number, &[], OperandDefault::Machine),
        ],
        doc: "Something used was carried out; `who` used it.",
        example: "",
        english: "resolve",
        japanese: "解決され|る",
    },
    Verb {
        name: "fizzle",
        pattern_words: &["fizzled"],
        params: &[
            param("it", Type::Object, &[], OperandDefault::Machine),
            param("who", Type::Player, &[], OperandDefault::Machine),
        ],
        doc: "Something did nothing for want of legal choices.",
        example: "",
        english: "fizzle",
        japanese: "不発になる",
    },
    Verb {
        name: "write",
        pattern_words: &[],
        params: &[],
        doc: "A status or variable changes. It cannot be hooked: name an action to make it an event.",
        example: "",
        english: "",
        japanese: "",
    },
    Verb {
        name: "erase",
        pattern_words: &[],
        params: &[param("it", Type::Object, &[], OperandDefault::Required)],
        doc: "An object leaves the game for good (tokens outside the field, used-up abilities).",
        example: "erase it",
        english: "cease to exist",
        japanese: "消滅する",
    },
    Verb {
        name: "pick",
        pattern_words: &["chooses", "choose", "chosen", "targets", "target", "targeted"],
        params: &[
            param("who", Type::Player, &[], OperandDefault::Machine),
            param("it", Type::Thing, &[], OperandDefault::Machine),
            param("source", Type::Object, &[], OperandDefault::Machine),
            param("targeted", Type::Bool, &[], OperandDefault::Machine),
            param("chosen_for", Type::Object, &[], OperandDefault::Machine),
        ],
        doc: "A player chose an object or a player for something; `source` is the object whose text asks (if any), `targeted` says whether the text says \
              `target`, `chosen_for` is what waits on the list with the choice (nothing when it is chosen as something is carried out). What cannot be chosen is no candidate, and is illegal once it was.",
        example: "",
        english: "choose/chosen {it}",
        japanese: "{it}を選ぶ",
    },
    Verb {
        name: "start_resolving",
        pattern_words: &[],
        params: &[
            param("it", Type::Object, &[], OperandDefault::Machine),
            param("link", Type::Object, &[], OperandDefault::Machine),
            param("who", Type::Player, &[], OperandDefault::Machine),
        ],
        doc: "The text of something on the list, or a trigger whose turn has come, is about to resolve: `it` is the object whose text it is, \
              `link` what is on the list, `who` used it. What cannot start resolving was used nevertheless, and has no effect.",
        example: "",
        english: "take/taken effect",
        japanese: "適用され|る",
    },
    Verb {
        name: "shift",
        pattern_words: &[],
        params: &[
            param("it", Type::Object, &[], OperandDefault::Required),
            param("into", Type::Zone, &["into", "onto", "to"], OperandDefault::Required),
        ],
        doc: "Lets an object be in another zone as the object that it is: it keeps its statuses and its controller, references still mean it, and \
              nothing enters or leaves a zone.",
        example: "shift it into field",
        english: "move {it} into {into}",
        japanese: "{it}を{into}に移す",
    },
    Verb {
        name: "check_state_triggers",
        pattern_words: &[],
        params: &[],
        doc: "Abilities that trigger as soon as something holds are looked for. It cannot be hooked otherwise.",
        example: "",
        english: "",
        japanese: "",
    },
];

/// What a built-in function reads in addition to its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltinReads {
    /// Nothing that changes during a game.
    Arguments,
    /// What is the same throughout a game: its number in the match, who lost before.
    Match,
    /// Which players take part.
    Players,
    /// The number of the turn, or which extra turn it is.
    Turn,
    /// The identity of the object that is its argument: its definition, and whether it is a copy without a card.
    Object,
    /// Which objects exist, and where.
    Objects,
    /// Piles, or what was announced for objects.
    Announcements,
    /// Anything.
    Unknown,
}

/// A built-in pure function.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Selects the evaluator; its number is that of the row.
    pub function: BuiltinFunction,
    /// The word.
    pub name: &'static str,
    /// Types of its arguments.
    pub params: &'static [Type],
    /// Type of its value.
    pub result: Type,
    /// What it reads.
    pub reads: BuiltinReads,
    /// One line for the reference.
    pub doc: &'static str,
}

impl BuiltinFunction {
    /// The function of a row number.
    #[must_use]
    pub fn from_number(number: u16) -> Option<Self> {
        BUILTINS.get(usize::from(number)).map(|row| row.function)
    }

    /// The row number.
    #[must_use]
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// What the function reads.
    #[must_use]
    pub fn reads(self) -> BuiltinReads {
        BUILTINS.get(self as usize).map_or(BuiltinReads::Unknown, |row| row.reads)
    }
}

macro_rules! builtins {
    ($($function:ident $name:ident($($param:ident),*) -> $result:ident, $reads:ident, $doc:literal;)*) => {
        /// The built-in functions by name; the numbers are those of the rows of [`BUILTINS`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum BuiltinFunction {
            $(#[doc = $doc] $function,)*
        }

        /// The built-in functions. `runtime::vm::builtin_functions` evaluates them.
        pub const BUILTINS: &[Builtin] = &[$(Builtin {
            function: BuiltinFunction::$function,
            name: stringify!($name),
            params: &[$(Type::$param),*],
            result: Type::$result,
            reads: BuiltinReads::$reads,
            doc: $doc,
        }),*];
    };
}

builtins! {
    Min min(Number, Number) -> Number, Arguments, "The smaller number.";
    Max max(Number, Number) -> Number, Arguments, "The larger number.";
    Price price(Number, Number) -> Price, Arguments,
        "`price(total, kinds)`: `total` units, at least one of each kind of the mask (words of a trait set) among them.";
    Generic generic(Number) -> Price, Arguments, "`generic(n)`: n units of any kind.";
    Plus plus(Price, Price) -> Price, Arguments, "The units of both prices.";
    Reduced reduced(Price, Number) -> Price, Arguments, "The price with up to n units of any kind fewer.";
    UnitsOf units_of(Price, Number) -> Number, Arguments,
        "`units_of(price, kinds)`: how many units of a price accept one of the kinds, but not all kinds.";
    WithoutUnits without_units(Price, Number, Number) -> Price, Arguments,
        "`without_units(price, kinds, n)`: the price with up to n of those units fewer that `units_of` counts.";
    AtLeast at_least(Price, Number) -> Price, Arguments, "The price with as many units of any kind more as it lacks to have n.";
    OneOf one_of(Number) -> Price, Arguments,
        "`one_of(kinds)`: one unit of one of the kinds (words of a trait set); of no kind at all without any.";
    Due due(Price, Object) -> Price, Unknown,
        "`due(price, object)`: the price, or that of the option chosen instead of it for the object being announced, with those \
         of its further options.";
    Payable payable(Player, Object, Price) -> Bool, Unknown,
        "`payable(player, object, price)`: whether the player could pay the price for the object now, without doing anything \
         before.";
    Affordable affordable(Player, Object, Price, Number, Number) -> Number, Unknown,
        "`affordable(player, object, price, n, less)`: how often n units of any kind could be paid in addition to the price, `less` \
         units of any kind being for nothing.";
    AnnouncedFrom announced_from(Object) -> Number, Announcements,
        "The number of the kind of zone (`zone_kind`) in which an object is, or from which it was put on the list as it was \
         announced.";
    ProducesUnits produces_units(Number) -> Bool, Arguments,
        "Whether a play (the `play` of an announcement) can be used while a price is paid.";
    IsAbilityPlay is_ability_play(Number) -> Bool, Arguments,
        "Whether a play (the `play` of an announcement) is an activated ability; a `concealed` one is not.";
    Units units(Price) -> Number, Arguments, "How many units a price has.";
    GameNumber game_number() -> Number, Match,
        "Which game of its match this is: 1 for the first one, and for a game on its own.";
    PreviousLoser previous_loser() -> Player, Match,
        "Who lost the game before this one of the same match; no player in the first one and after a draw.";
    Exists exists(Player) -> Bool, Arguments, "Whether it is a player.";
    IsPlaying is_playing(Player) -> Bool, Players, "Whether a player takes part: has neither lost nor left the game.";
    HasWon has_won(Player) -> Bool, Unknown, "Whether the game is over and this player won it.";
    IsDrawn is_drawn() -> Bool, Unknown, "Whether the game is over without a winner.";
    ExtraTurnNumber extra_turn_number() -> Number, Turn,
        "Which extra turn this is, as `extra_turn X as NAME` named it; 0 for a turn that is none.";
    TurnNumber turn_number() -> Number, Turn, "1 in the first turn of the game.";
    ListSize list_size() -> Number, Objects, "How many objects wait on the list (the resolving one included).";
    Waiting waiting() -> Number, Unknown, "How many triggers wait to be put on the list.";
    Resolving resolving() -> Bool, Unknown, "Whether the text of something is being resolved.";
    WordCount word_count(Number) -> Number, Arguments, "How many words a mask of words has.";
    PositionOf position_of(Object) -> Number, Objects, "Position in its zone from the bottom, from 1; 0 when stale.";
    PileSize pile_size(Object) -> Number, Announcements, "How many objects are in its pile, itself not counted.";
    IsAbility is_ability(Object) -> Bool, Objects, "Whether an object of the list is an ability, not a card.";
    ListTop list_top() -> Object, Objects, "The topmost object of the list; 0 when it is empty.";
    Current current(Object) -> Object, Unknown,
        "The object that a reference became when it last moved into a public zone; itself while it has not moved; 0 if it is not \
         known.";
    Faces faces(Object) -> Number, Object,
        "How many faces an object has that show one at a time; 1 for one that is printed on one side.";
    Created created(Object) -> Bool, Object, "Whether an object was made by an effect (a token, a copy that is no card).";
    User user(Object) -> Player, Announcements, "Who put an object on the list.";
    ZoneKind zone_kind(Zone) -> Number, Arguments,
        "The number of the kind of a zone, in the order of their declarations; -1 for none.";
    TargetsAnnounced targets_announced(Object) -> Number, Unknown,
        "How many explicit targets have been announced for what waits on the list: a price may depend on it where it is computed \
         after the choices.";
    WaitingOf waiting_of(Object) -> Number, Unknown, "How many triggers of an object wait to be put on the list.";
    IsTriggered is_triggered(Object) -> Bool, Announcements,
        "Whether an object of the list is an ability that triggered, not one that a player used.";
    BeforeMove before_move(Object) -> Object, Unknown,
        "An object as it was right before its last move, in this turn, with its statuses: `bearer of before_move(this)`; itself if \
         it has left, 0 if the zone that it came from keeps nothing.";
    BeforeLeaving before_leaving(Object) -> Object, Unknown,
        "An object as it was right before it left the field or the list by its last move, in this turn; itself if it came from \
         elsewhere or is there. What a statement or a cost has moved is read so.";
    Became became(Object, Objects) -> Object, Arguments,
        "`became(x, moved)`: the object of a list that x became by a move, or x itself if it is in the list; nothing if there is \
         none.";
    BecameEach became_each(Objects, Objects) -> Objects, Arguments,
        "`became_each(xs, moved)`: the objects of a list that the objects xs became by their moves, in the order of the list.";
}
