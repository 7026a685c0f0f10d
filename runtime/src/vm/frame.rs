//! Frames: what the machine is in the middle of, as records in the state.
//!
//! A frame is a cell; its first word is its kind. The list of frames is the call stack. Native procedures are a closed set; each is
//! resumed by the machine's loop, does a step, and pushes, pops or asks. None calls the interpreter of bodies, which is a frame kind
//! itself.

/// The kinds of frames.
pub mod kind {
    /// A function of statements.
    pub const BODY: u32 = 1;
    /// A batch of events.
    pub const BATCH: u32 = 2;
    /// A window in which players act.
    pub const WINDOW: u32 = 3;
    /// State rules to a fixpoint, then triggers.
    pub const SETTLE: u32 = 4;
    /// Something is announced.
    pub const ANNOUNCE: u32 = 5;
    /// A price is paid.
    pub const PAY: u32 = 6;
    /// Something is carried out.
    pub const RESOLVE: u32 = 7;
    /// The paragraphs of a text.
    pub const PARAGRAPHS: u32 = 8;
    /// A turn.
    pub const TURN: u32 = 9;
    /// The game.
    pub const GAME: u32 = 10;
}

/// The first word of every frame.
pub const KIND: usize = 0;

/// Words of a body frame.
pub mod body {
    /// The function.
    pub const FUNCTION: usize = 1;
    /// The next operation.
    pub const PC: usize = 2;
    /// The batch that runs it in step with others; 0 for none.
    pub const BATCH: usize = 3;
    /// The event whose body it is, plus one.
    pub const EVENT: usize = 4;
    /// The cause of what it does.
    pub const CAUSE: usize = 5;
    /// Between `Gather` and `Flush`.
    pub const GATHERING: usize = 6;
    /// List of gathered events.
    pub const GATHERED: usize = 7;
    /// Its lifted choices were made on announcement.
    pub const ANNOUNCED: usize = 8;
    /// What it waits for: 0 nothing, 1 an answer.
    pub const AWAITING: usize = 9;
    /// Source of what it does (the object whose text it is).
    pub const SOURCE: usize = 10;
    /// The player responsible.
    pub const PLAYER: usize = 11;
    /// Who chose the object of the event whose body it is.
    pub const CHOOSER: usize = 12;
    /// Its first `you may` was answered with yes when it was put on the list.
    pub const DECLARED: usize = 13;
    /// The first register.
    pub const REGISTERS: usize = 14;
}

/// Words of a batch frame.
pub mod batch {
    /// 0 events are finalised, 1 they are committed, 2 what proposed them goes on, 3 see [`COLLECTING`].
    pub const PHASE: usize = 1;
    /// The next event to finalise; while collecting, the next state rule to ask.
    pub const CURSOR: usize = 2;
    /// List of events.
    pub const EVENTS: usize = 3;
    /// List of paused bodies.
    pub const BODIES: usize = 4;
    /// List of groups: frame, first event, count, done register + 1, out register + 1.
    pub const GROUPS: usize = 5;
    /// The event whose replacement is being asked for, plus one.
    pub const ASKING: usize = 6;
    /// Where the current segment's events start.
    pub const SEGMENT: usize = 7;
    /// Words.
    pub const WORDS: usize = 8;

    /// The phase in which the state rules of a check say what they propose.
    pub const COLLECTING: u32 = 3;
}

/// Words of a window frame.
pub mod window {
    /// 0 settle, 1 ask, 2 answered, 3 resolving all.
    pub const PHASE: usize = 1;
    /// Which window of the library.
    pub const WINDOW: usize = 2;
    /// Who acts next.
    pub const ACTOR: usize = 3;
    /// Passes in succession.
    pub const PASSES: usize = 4;
    /// While triggers are placed: how many objects the list had before, plus one.
    pub const LINKS: usize = 5;
    /// Words.
    pub const WORDS: usize = 6;
}

/// Words of a settle frame.
pub mod settle {
    /// 0 start of a round, 1 the rules of a check run, 2 triggers, 3 a trigger was picked.
    pub const PHASE: usize = 1;
    /// Whether triggers are placed.
    pub const TRIGGERS: usize = 2;
    /// `COMMITTED` when the round began.
    pub const BEFORE: usize = 3;
    /// Whether anything happened.
    pub const ACTED: usize = 4;
    /// Frame to which `ACTED` is reported; 0 for none.
    pub const REPORT: usize = 5;
    /// Its register.
    pub const REGISTER: usize = 6;
    /// Rounds so far.
    pub const ROUNDS: usize = 7;
    /// Whose trigger is being picked.
    pub const PICKER: usize = 8;
    /// Words.
    pub const WORDS: usize = 9;
}

/// Words of an announce frame.
pub mod announce {
    /// The stage being worked on (index into the stages).
    pub const STAGE: usize = 1;
    /// Play code, or `u32::MAX` for a trigger.
    pub const PLAY: usize = 2;
    /// The object used (or the ability on the list).
    pub const OBJECT: usize = 3;
    /// Who.
    pub const USER: usize = 4;
    /// The entry record.
    pub const ENTRY: usize = 5;
    /// Which paragraph's choices are being made.
    pub const PARAGRAPH: usize = 6;
    /// Operation of it.
    pub const PC: usize = 7;
    /// 1: an answer is awaited; within the pay stage, what was pushed.
    pub const AWAITING: usize = 8;
    /// Bit 0: free. Bit 1: a mark was taken. Bit 2: carried out inline when announced.
    pub const FLAGS: usize = 9;
    /// Zone it comes from, plus one.
    pub const ORIGIN: usize = 10;
    /// Frame to which success is reported, 0 for none; and its register.
    pub const REPORT: usize = 11;
    /// Register.
    pub const REGISTER: usize = 12;
    /// Words.
    pub const WORDS: usize = 13;
}

/// Words of a pay frame.
pub mod pay {
    /// 0 start, 1 asked, 2 paying.
    pub const PHASE: usize = 1;
    /// Who pays.
    pub const PLAYER: usize = 2;
    /// Which payment.
    pub const PAYMENT: usize = 3;
    /// List of units still to be paid.
    pub const UNITS: usize = 4;
    /// List of producers to be used, the next one last: how (a clause, or a play code), object.
    pub const PRODUCERS: usize = 5;
    /// Whether it can be abandoned.
    pub const MARKED: usize = 6;
    /// What it is paid for: it cannot help to pay.
    pub const OBJECT: usize = 7;
    /// It is a statement: nothing is announced, and who does not pay has not paid.
    pub const STATEMENT: usize = 8;
    /// The body to which is reported whether it was paid, 0 for none; and its register.
    pub const REPORT: usize = 9;
    /// Register.
    pub const REGISTER: usize = 10;
    /// List of kinds that are left over, to float.
    pub const LEFT: usize = 11;
    /// Words.
    pub const WORDS: usize = 12;
}

/// Words of a resolve frame.
pub mod resolve {
    /// 0 start, 1 body ran, 2 recorded.
    pub const PHASE: usize = 1;
    /// The object.
    pub const OBJECT: usize = 2;
    /// Its entry.
    pub const ENTRY: usize = 3;
    /// Whether all of it fizzled.
    pub const FIZZLED: usize = 4;
    /// Words.
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
    /// How many were carried out.
    pub const RAN: usize = 4;
    /// Whether the entry belongs to this frame (freed with it).
    pub const OWNED: usize = 5;
    /// Whether the checks before the first paragraph were made.
    pub const CHECKED: usize = 6;
    /// Words.
    pub const WORDS: usize = 7;
}

/// Words of a turn frame.
pub mod turn {
    /// 0 next entry, 1 a span began, 2 its blocks run, 3 ending.
    pub const PHASE: usize = 1;
    /// The span being begun or ended.
    pub const SPAN: usize = 2;
    /// Index of the block that runs.
    pub const BLOCK: usize = 3;
    /// Words.
    pub const WORDS: usize = 4;
}

/// Words of the game frame.
pub mod game {
    /// 0 setup, 1 turns.
    pub const PHASE: usize = 1;
    /// Words.
    pub const WORDS: usize = 2;
}
