//! Frames: procedures of the machine in progress, as records in the state.
//!
//! A frame is a cell; its first word is its kind. The list of frames is the call stack. The kinds of frames are a closed set. The
//! loop of the machine resumes the top frame, which executes one step and then pushes a frame, pops itself, or asks for a
//! decision. No procedure calls the interpreter of bodies; a body is a frame itself.

#![deny(clippy::wildcard_enum_match_arm)]

macro_rules! frame_kinds {
    ($($(#[$doc:meta])* $kind:ident $word:ident = $number:literal;)*) => {
        /// The kinds of frames, as words of the state.
        pub mod kind {
            $($(#[$doc])* pub const $word: u32 = $number;)*
        }

        /// The kind of a frame.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum FrameKind {
            $($(#[$doc])* $kind,)*
        }

        impl FrameKind {
            /// The kind of a word; `None` for a damaged state.
            #[inline]
            pub fn from_word(word: u32) -> Option<Self> {
                match word {
                    $($number => Some(Self::$kind),)*
                    _ => None,
                }
            }
        }
    };
}

frame_kinds! {
    /// A function of statements in progress.
    Body BODY = 1;
    /// A batch of events.
    Batch BATCH = 2;
    /// A window in which players act.
    Window WINDOW = 3;
    /// State rules to a fixpoint, then triggers.
    Settle SETTLE = 4;
    /// An object is announced.
    Announce ANNOUNCE = 5;
    /// A price is paid.
    Pay PAY = 6;
    /// An object resolves.
    Resolve RESOLVE = 7;
    /// The paragraphs of a text.
    Paragraphs PARAGRAPHS = 8;
    /// A turn.
    Turn TURN = 9;
    /// The game.
    Game GAME = 10;
}

/// The first word of every frame.
pub const KIND: usize = 0;

/// Words of a body frame.
pub mod body {
    /// The function.
    pub const FUNCTION: usize = 1;
    /// The next operation.
    pub const PC: usize = 2;
    /// The batch that runs it in lockstep with others, or 0.
    pub const BATCH: usize = 3;
    /// The number of the event whose body it is, plus one.
    pub const EVENT: usize = 4;
    /// The cause of the events that it proposes.
    pub const CAUSE: usize = 5;
    /// Whether the body is between `BeginBatch` and `EndBatch`.
    pub const GATHERING: usize = 6;
    /// List of gathered events.
    pub const GATHERED: usize = 7;
    /// Whether its choices were made on announcement.
    pub const ANNOUNCED: usize = 8;
    /// What it waits for: 0 for nothing, 1 for an answer.
    pub const AWAITING: usize = 9;
    /// The source of the events that it proposes: the object whose text it is.
    pub const SOURCE: usize = 10;
    /// The player responsible.
    pub const PLAYER: usize = 11;
    /// The player who chose the object of the event whose body it is.
    pub const CHOOSER: usize = 12;
    /// Whether its first `you may` was answered with yes when it was put on the list.
    pub const DECLARED: usize = 13;
    /// Whether it carries the event whose body it is: see [`carries`].
    pub const CARRIES: usize = 14;
    /// The register of the frame below that receives whether the carried event happened, plus one; or 0.
    pub const DONE: usize = 15;
    /// The register of the frame below that receives what the carried event moved or created, plus one; or 0.
    pub const OUT: usize = 16;
    /// List of the objects that the carried event has moved or created.
    pub const RESULTS: usize = 17;
    /// The first word of the carried event.
    pub const CARRIED: usize = 18;
    /// The first register.
    pub const REGISTERS: usize = CARRIED + crate::records::event::EVENT_WORDS;

    /// Values of [`CARRIES`].
    pub mod carries {
        /// It carries no event.
        pub const NOTHING: u32 = 0;
        /// It carries an event.
        pub const EVENT: u32 = 1;
        /// It carries an event, and it or a frame below collects what moves.
        pub const EVENT_WITH_RESULTS: u32 = 2;
    }
}

/// Words of a batch frame.
pub mod batch {
    /// 0 events are finalised, 1 they are committed, 2 the proposing bodies continue, 3 see [`COLLECTING`].
    pub const PHASE: usize = 1;
    /// The next event to finalise. While collecting, the next state rule to run.
    pub const CURSOR: usize = 2;
    /// List of events.
    pub const EVENTS: usize = 3;
    /// List of paused bodies.
    pub const BODIES: usize = 4;
    /// List of groups: frame, first event, count, done register + 1, out register + 1.
    pub const GROUPS: usize = 5;
    /// The event for which a player is choosing a replacement, plus one.
    pub const ASKING: usize = 6;
    /// The first event of the current segment.
    pub const SEGMENT: usize = 7;
    /// The number of words.
    pub const WORDS: usize = 8;

    /// In place of a batch: none.
    pub const NONE: usize = 0;

    /// The phase in which the state rules of a check propose their events.
    pub const COLLECTING: u32 = 3;
}

/// Words of a window frame.
pub mod window {
    /// 0 settle, 1 ask the actor, 2 take the answer, 3 resolve all.
    pub const PHASE: usize = 1;
    /// The number of the window in the library.
    pub const WINDOW: usize = 2;
    /// The player who acts next.
    pub const ACTOR: usize = 3;
    /// Passes in succession.
    pub const PASSES: usize = 4;
    /// While triggers are placed: the number of objects on the list before, plus one.
    pub const LIST_LENGTH: usize = 5;
    /// The number of words.
    pub const WORDS: usize = 6;
}

/// Words of a settle frame.
pub mod settle {
    /// 0 start of a round, 1 the rules of a check run, 2 triggers are placed, 3 a trigger was picked.
    pub const PHASE: usize = 1;
    /// Whether triggers are placed.
    pub const TRIGGERS: usize = 2;
    /// `COMMITTED` when the round began.
    pub const BEFORE: usize = 3;
    /// Whether anything happened.
    pub const ACTED: usize = 4;
    /// The frame that receives `ACTED`, or 0.
    pub const REPORT: usize = 5;
    /// The register that receives `ACTED`.
    pub const REGISTER: usize = 6;
    /// The number of rounds so far.
    pub const ROUNDS: usize = 7;
    /// The player whose trigger is being picked.
    pub const PICKER: usize = 8;
    /// The number of words.
    pub const WORDS: usize = 9;
}

/// Words of an announce frame.
pub mod announce {
    /// The index of the current stage.
    pub const STAGE: usize = 1;
    /// The play code, or `u32::MAX` for a trigger.
    pub const PLAY: usize = 2;
    /// The object that is used, or the ability on the list.
    pub const OBJECT: usize = 3;
    /// The player who announces.
    pub const USER: usize = 4;
    /// The entry record.
    pub const ENTRY: usize = 5;
    /// The paragraph whose choices are being made.
    pub const PARAGRAPH: usize = 6;
    /// The operation of that paragraph.
    pub const PC: usize = 7;
    /// 1 if an answer is awaited; in the pay stage, what was pushed.
    pub const AWAITING: usize = 8;
    /// Bit 0: free. Bit 1: a mark was taken. Bit 2: resolved inline once announced.
    pub const FLAGS: usize = 9;
    /// The zone that the object comes from, plus one.
    pub const ORIGIN: usize = 10;
    /// The frame that receives whether the announcement succeeded, or 0.
    pub const REPORT: usize = 11;
    /// The register that receives it.
    pub const REGISTER: usize = 12;
    /// The number of words.
    pub const WORDS: usize = 13;
}

/// Words of a pay frame.
pub mod pay {
    /// 0 start, 1 the player was asked, 2 paying.
    pub const PHASE: usize = 1;
    /// The player who pays.
    pub const PLAYER: usize = 2;
    /// The number of the payment.
    pub const PAYMENT: usize = 3;
    /// List of the units that are not paid yet.
    pub const UNITS: usize = 4;
    /// List of producers to use, the next one last: two words each, how (a clause or a play code) and the object.
    pub const PRODUCERS: usize = 5;
    /// Whether the announcement can be abandoned.
    pub const MARKED: usize = 6;
    /// The object that is paid for. It cannot help to pay.
    pub const OBJECT: usize = 7;
    /// Whether a statement pays. Then nothing is announced, and a player who does not pay simply has not paid.
    pub const STATEMENT: usize = 8;
    /// The body that receives whether the price was paid, or 0.
    pub const REPORT: usize = 9;
    /// The register that receives it.
    pub const REGISTER: usize = 10;
    /// List of the kinds of produced units that are left over. They go to the pool.
    pub const LEFT_OVER: usize = 11;
    /// Whether the player has taken the proposal. Then no further decision follows.
    pub const AS_PROPOSED: usize = 12;
    /// Whether an ability of the object is used, not the object itself.
    pub const FOR_ABILITY: usize = 13;
    /// List of what the player has named: two words for each unit that was paid, the kinds it accepts and those of the produced unit. Which pays for
    /// which is open until the end.
    pub const NAMED: usize = 14;
    /// The number of words.
    pub const WORDS: usize = 15;
}

/// Words of a resolve frame.
pub mod resolve {
    /// 0 start, 1 the body ran, 2 recorded.
    pub const PHASE: usize = 1;
    /// The object that resolves.
    pub const OBJECT: usize = 2;
    /// The entry of the object.
    pub const ENTRY: usize = 3;
    /// Whether the whole text fizzled.
    pub const FIZZLED: usize = 4;
    /// The number of words.
    pub const WORDS: usize = 5;
}

/// Words of a paragraphs frame.
pub mod paragraphs {
    /// The entry.
    pub const ENTRY: usize = 1;
    /// The next paragraph.
    pub const INDEX: usize = 2;
    /// The resolve frame.
    pub const RESOLVE: usize = 3;
    /// The number of paragraphs that ran.
    pub const RAN: usize = 4;
    /// Whether the frame owns the entry, which is then freed with it.
    pub const OWNED: usize = 5;
    /// Whether the checks before the first paragraph were made.
    pub const CHECKED: usize = 6;
    /// The number of words.
    pub const WORDS: usize = 7;
}

/// Words of a turn frame.
pub mod turn {
    /// 0 next entry of the plan, 1 a period began, 2 its blocks run, 3 it ends.
    pub const PHASE: usize = 1;
    /// The period that begins or ends.
    pub const PERIOD: usize = 2;
    /// The index of the block that runs.
    pub const BLOCK: usize = 3;
    /// The number of words.
    pub const WORDS: usize = 4;
}

/// Words of the game frame.
pub mod game {
    /// 0 setup, 1 turns.
    pub const PHASE: usize = 1;
    /// The number of words.
    pub const WORDS: usize = 2;
}
