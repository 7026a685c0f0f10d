//! The duel of `examples/vanilla/yugioh`, written by hand for this one deck: the limit that a general engine is measured against.
//!
//! Same seeds, same questions in the same order, same answers of the random bot, same end (`cli/tests/duel.rs` compares them).

mod dice;
pub mod engine;

use dice::Dice;

/// How many monsters a player may have.
const PLACES: usize = 5;
/// How many cards may be kept at the end of a turn.
const HAND: usize = 6;
/// The cards of a deck.
const DECK: usize = 40;
/// The most options that a question has: to pass, each card in hand in two ways, each monster in one.
const OPTIONS: usize = 1 + 2 * (HAND + 1) + PLACES;

/// What is printed on a monster.
struct Printed {
    tributes: usize,
    atk: i32,
    def: i32,
}

const fn printed(level: u8, atk: i32, def: i32) -> Printed {
    let tributes = if level >= 7 { 2 } else { (level >= 5) as usize };
    Printed { tributes, atk, def }
}

/// The cards, in the order of the deck list: level, ATK, DEF.
const CARDS: [Printed; 14] = [
    printed(4, 1900, 900),
    printed(4, 1900, 1200),
    printed(4, 2000, 100),
    printed(4, 1900, 1500),
    printed(4, 1900, 1500),
    printed(4, 1850, 800),
    printed(4, 1800, 1000),
    printed(3, 1300, 2000),
    printed(4, 800, 2000),
    printed(5, 2000, 1500),
    printed(6, 2500, 1200),
    printed(7, 2500, 2100),
    printed(8, 3000, 2500),
    printed(4, 1400, 1200),
];

/// A card by its place among [`CARDS`].
type Card = u8;

/// The kinds of questions, as the engine calls them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What to do in a main phase, or to pass.
    Act,
    /// Some of these.
    Choose,
    /// Yes or no.
    YesNo,
}

/// What is asked, and how the game stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// The turn, from 1.
    pub turn: u32,
    /// Life points of both.
    pub life: [i32; 2],
    /// Who is asked.
    pub player: usize,
    /// What kind of question it is.
    pub kind: Kind,
    /// How many options there are.
    pub options: usize,
    /// At least so many are picked.
    pub min: usize,
    /// At most so many are picked.
    pub max: usize,
}

/// Is told of every question with more than one answer, and of the first option picked.
pub trait Witness {
    /// This was asked, and answered.
    fn asked(&mut self, question: &Question, first: Option<usize>);
}

impl Witness for () {
    #[inline]
    fn asked(&mut self, _: &Question, _: Option<usize>) {}
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Who won.
    pub winner: usize,
    /// The turn in which that was.
    pub turns: u32,
    /// How many questions had more than one answer.
    pub decisions: u64,
    /// Life points of both.
    pub life: [i32; 2],
}

#[derive(Clone, Copy, Default)]
struct Monster {
    card: Card,
    face_down: bool,
    defense: bool,
    /// The turn in which it came, or changed its position.
    placed_in: u32,
    /// The turn of its latest attack.
    attacked_in: u32,
}

impl Monster {
    fn printed(&self) -> &'static Printed {
        &CARDS[self.card as usize]
    }
}

/// Items in an order, in place; what leaves closes the gap.
#[derive(Clone, Copy)]
struct Row<T, const N: usize> {
    items: [T; N],
    len: usize,
}

impl<T: Copy + Default, const N: usize> Row<T, N> {
    fn new() -> Self {
        Self { items: [T::default(); N], len: 0 }
    }

    fn push(&mut self, item: T) {
        self.items[self.len] = item;
        self.len += 1;
    }

    fn remove(&mut self, index: usize) -> T {
        let item = self.items[index];
        self.items.copy_within(index + 1..self.len, index);
        self.len -= 1;
        item
    }

    fn as_slice(&self) -> &[T] {
        &self.items[..self.len]
    }
}

struct Player {
    dice: Dice,
    life: i32,
    deck: Row<Card, DECK>,
    hand: Row<Card, { HAND + 1 }>,
    monsters: Row<Monster, PLACES>,
}

/// What the turn player may do in a main phase; with a card in hand, or a monster.
#[derive(Clone, Copy, Default)]
enum Act {
    #[default]
    Pass,
    Summon(u8),
    Set(u8),
    Flip(u8),
    Change(u8),
}

struct Duel<'a, W> {
    players: [Player; 2],
    active: usize,
    turn: u32,
    summoned: bool,
    decisions: u64,
    witness: &'a mut W,
}

/// The game is over; who lost.
struct Lost(usize);

/// Plays a game: the seed of its chance, and those of the bots.
pub fn play<W: Witness>(chance: u64, bots: [u64; 2], witness: &mut W) -> Ended {
    let mut chance = Dice::of_the_game(chance);
    let players = bots.map(|seed| {
        let mut deck = Row::new();
        (0..DECK).for_each(|n| deck.push((n / 3) as Card));
        chance.shuffle(&mut deck.items);
        Player { dice: Dice::of_a_bot(seed), life: 8000, deck, hand: Row::new(), monsters: Row::new() }
    });
    let mut duel = Duel { players, active: 0, turn: 0, summoned: false, decisions: 0, witness };
    let Lost(loser) = duel.run();
    Ended { winner: 1 - loser, turns: duel.turn, decisions: duel.decisions, life: duel.life() }
}

impl<W: Witness> Duel<'_, W> {
    fn run(&mut self) -> Lost {
        for seat in 0..2 {
            for _ in 0..5 {
                if let Err(lost) = self.draw(seat) {
                    return lost;
                }
            }
        }
        loop {
            self.turn += 1;
            self.summoned = false;
            if let Err(lost) = self.take_turn() {
                return lost;
            }
            self.active = 1 - self.active;
        }
    }

    fn life(&self) -> [i32; 2] {
        [self.players[0].life, self.players[1].life]
    }

    fn me(&mut self) -> &mut Player {
        &mut self.players[self.active]
    }

    fn draw(&mut self, seat: usize) -> Result<(), Lost> {
        let player = &mut self.players[seat];
        if player.deck.len == 0 {
            return Err(Lost(seat));
        }
        player.deck.len -= 1;
        let card = player.deck.items[player.deck.len];
        player.hand.push(card);
        Ok(())
    }

    /// The random bot's answer: which options, by their numbers; the first `usize` of them are picked.
    fn ask(&mut self, kind: Kind, options: usize, min: usize, max: usize) -> ([u8; OPTIONS], usize) {
        self.decisions += 1;
        let dice = &mut self.players[self.active].dice;
        let size = min + dice.below((max - min) as u32 + 1) as usize;
        let mut numbers: [u8; OPTIONS] = std::array::from_fn(|n| n as u8);
        dice.shuffle(&mut numbers[..options]);
        let (turn, life, player) = (self.turn, self.life(), self.active);
        let first = (size > 0).then_some(usize::from(numbers[0]));
        self.witness.asked(&Question { turn, life, player, kind, options, min, max }, first);
        (numbers, size)
    }

    /// One of several; nobody is asked about a single one.
    fn ask_one(&mut self, kind: Kind, options: usize) -> usize {
        if options == 1 { 0 } else { usize::from(self.ask(kind, options, 1, 1).0[0]) }
    }

    fn take_turn(&mut self) -> Result<(), Lost> {
        if self.turn > 1 {
            self.draw(self.active)?;
        }
        self.main_phase();
        // Nobody attacks in the first turn (YG-07); without a battle phase there is no second main phase (YG-41).
        if self.turn > 1 && self.ask_one(Kind::YesNo, 2) == 0 {
            self.battle_phase()?;
            self.main_phase();
        }
        let over = self.me().hand.len.saturating_sub(HAND);
        if over > 0 {
            let hand = self.me().hand.len;
            let (numbers, _) = self.ask(Kind::Choose, hand, over, over);
            self.me().hand.remove(usize::from(numbers[0]));
        }
        Ok(())
    }

    /// What the turn player may do now, in the order of the plays, then of the cards.
    fn acts(&self) -> ([Act; OPTIONS], usize) {
        let me = &self.players[self.active];
        let mut acts = [Act::Pass; OPTIONS];
        let mut count = 1;
        let mut add = |act| {
            acts[count] = act;
            count += 1;
        };
        if !self.summoned {
            let there = me.monsters.len;
            let fits = |card: Card| {
                let tributes = CARDS[card as usize].tributes;
                tributes <= there && there - tributes < PLACES
            };
            for way in [Act::Summon, Act::Set] {
                for (n, card) in me.hand.as_slice().iter().enumerate() {
                    if fits(*card) {
                        add(way(n as u8));
                    }
                }
            }
        }
        for (n, monster) in me.monsters.as_slice().iter().enumerate() {
            if monster.face_down && monster.placed_in < self.turn {
                add(Act::Flip(n as u8));
            }
        }
        for (n, monster) in me.monsters.as_slice().iter().enumerate() {
            if !monster.face_down && monster.placed_in < self.turn && monster.attacked_in != self.turn {
                add(Act::Change(n as u8));
            }
        }
        (acts, count)
    }

    fn main_phase(&mut self) {
        let mut quiet = false;
        loop {
            let (acts, count) = self.acts();
            match acts[self.ask_one(Kind::Act, count)] {
                Act::Pass => {
                    // After a quiet move the other player may have an answer, if there is any card; then it goes on.
                    if !quiet || self.players[1 - self.active].hand.len == 0 {
                        return;
                    }
                    quiet = false;
                }
                Act::Summon(n) => {
                    self.place(usize::from(n), false);
                    quiet = false;
                }
                Act::Set(n) => {
                    self.place(usize::from(n), true);
                    quiet = true;
                }
                Act::Flip(n) => {
                    let turn = self.turn;
                    let monster = &mut self.me().monsters.items[usize::from(n)];
                    *monster = Monster { face_down: false, defense: false, placed_in: turn, ..*monster };
                    quiet = false;
                }
                Act::Change(n) => {
                    let turn = self.turn;
                    let monster = &mut self.me().monsters.items[usize::from(n)];
                    *monster = Monster { defense: !monster.defense, placed_in: turn, ..*monster };
                    quiet = true;
                }
            }
        }
    }

    /// Tributes are paid, then the card comes.
    fn place(&mut self, card: usize, set: bool) {
        let tributes = CARDS[self.me().hand.items[card] as usize].tributes;
        let there = self.me().monsters.len;
        if tributes == there {
            self.me().monsters.len = 0;
        } else if tributes > 0 {
            let (numbers, size) = self.ask(Kind::Choose, there, tributes, tributes);
            let mut gone = [0; PLACES];
            gone[..size].copy_from_slice(&numbers[..size]);
            gone[..size].sort_unstable();
            for n in gone[..size].iter().rev() {
                self.me().monsters.remove(usize::from(*n));
            }
        }
        self.summoned = true;
        let placed_in = self.turn;
        let me = self.me();
        let card = me.hand.remove(card);
        me.monsters.push(Monster { card, face_down: set, defense: set, placed_in, attacked_in: 0 });
    }

    fn battle_phase(&mut self) -> Result<(), Lost> {
        loop {
            let (active, turn) = (self.active, self.turn);
            let mut ready = [0; PLACES];
            let mut count = 0;
            for (n, monster) in self.players[active].monsters.as_slice().iter().enumerate() {
                if !monster.face_down && !monster.defense && monster.attacked_in != turn {
                    ready[count] = n;
                    count += 1;
                }
            }
            if count == 0 {
                return Ok(());
            }
            let (numbers, size) = self.ask(Kind::Choose, count, 0, 1);
            if size == 0 {
                return Ok(());
            }
            let attacker = ready[usize::from(numbers[0])];
            let foes = self.players[1 - active].monsters.len;
            let target = (foes > 0).then(|| self.ask_one(Kind::Choose, foes));
            self.players[active].monsters.items[attacker].attacked_in = turn;
            self.fight(attacker, target);
            if let Some(loser) = (0..2).find(|seat| self.players[*seat].life <= 0) {
                return Err(Lost(loser));
            }
        }
    }

    /// YG-29 to YG-36, where nobody has anything to use.
    fn fight(&mut self, attacker: usize, target: Option<usize>) {
        let [first, second] = &mut self.players;
        let (me, you) = if self.active == 0 { (first, second) } else { (second, first) };
        let atk = me.monsters.items[attacker].printed().atk;
        let Some(target) = target else {
            you.life -= atk;
            return;
        };
        let theirs = &mut you.monsters.items[target];
        theirs.face_down = false;
        let margin = atk - if theirs.defense { theirs.printed().def } else { theirs.printed().atk };
        if theirs.defense {
            me.life += margin.min(0);
        } else {
            you.life -= margin.max(0);
            me.life += margin.min(0);
            if margin <= 0 {
                me.monsters.remove(attacker);
            }
        }
        if margin > 0 || (margin == 0 && !you.monsters.items[target].defense) {
            you.monsters.remove(target);
        }
    }
}
