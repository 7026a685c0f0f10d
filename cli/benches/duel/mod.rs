//! A handwritten engine for one deck: the duel of `examples/vanilla/yugioh`. It is the upper bound that Fizzle is measured against.
//!
//! For the same seeds it asks the same questions in the same order, picks the same answers as the random bot, and ends the same way.
//! `cli/tests/handwritten_duel.rs` compares both engines.

mod dice;
pub mod engine;

use dice::Dice;

/// The number of monsters that a player may control.
const MAX_MONSTERS: usize = 5;
/// The number of cards that a player may keep in hand at the end of a turn.
const MAX_HAND: usize = 6;
/// The number of cards of a deck.
const DECK_SIZE: usize = 40;
/// The maximal number of options of a question: to pass, two for each card in hand, and one for each monster.
const MAX_OPTIONS: usize = 1 + 2 * (MAX_HAND + 1) + MAX_MONSTERS;

/// The printed values of a monster.
struct MonsterStats {
    tributes: usize,
    atk: i32,
    def: i32,
}

const fn monster_stats(level: u8, atk: i32, def: i32) -> MonsterStats {
    let tributes = if level >= 7 { 2 } else { (level >= 5) as usize };
    MonsterStats { tributes, atk, def }
}

/// The cards, in the order of the deck list: level, ATK, DEF.
const CARDS: [MonsterStats; 14] = [
    monster_stats(4, 1900, 900),
    monster_stats(4, 1900, 1200),
    monster_stats(4, 2000, 100),
    monster_stats(4, 1900, 1500),
    monster_stats(4, 1900, 1500),
    monster_stats(4, 1850, 800),
    monster_stats(4, 1800, 1000),
    monster_stats(3, 1300, 2000),
    monster_stats(4, 800, 2000),
    monster_stats(5, 2000, 1500),
    monster_stats(6, 2500, 1200),
    monster_stats(7, 2500, 2100),
    monster_stats(8, 3000, 2500),
    monster_stats(4, 1400, 1200),
];

/// A card, as its index in [`CARDS`].
type Card = u8;

/// The kinds of questions, named as the engine's decision kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionKind {
    /// An action of a main phase, or to pass.
    Act,
    /// A choice of some of the options.
    Choose,
    /// Yes or no.
    YesNo,
}

/// A question to a player, with the state of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// The turn, from 1.
    pub turn: u32,
    /// Life points of both players.
    pub life: [i32; 2],
    /// The player who must answer.
    pub player: usize,
    /// The kind of the question.
    pub kind: QuestionKind,
    /// The number of options.
    pub options: usize,
    /// The minimal number of picks.
    pub min: usize,
    /// The maximal number of picks.
    pub max: usize,
}

/// Receives every question with more than one answer, and the first option that was picked.
pub trait Witness {
    /// Records a question and its answer. `first` is the first pick, if any.
    fn record(&mut self, question: &Question, first: Option<usize>);
}

impl Witness for () {
    #[inline]
    fn record(&mut self, _: &Question, _: Option<usize>) {}
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameEnd {
    /// The player who won.
    pub winner: usize,
    /// The number of turns.
    pub turns: u32,
    /// The number of questions with more than one answer.
    pub decisions: u64,
    /// Life points of both players.
    pub life: [i32; 2],
}

#[derive(Clone, Copy, Default)]
struct Monster {
    card: Card,
    face_down: bool,
    defense: bool,
    /// The turn in which it was placed or last changed its position.
    placed_in: u32,
    /// The turn of its latest attack.
    attacked_in: u32,
}

impl Monster {
    fn stats(&self) -> &'static MonsterStats {
        &CARDS[self.card as usize]
    }
}

/// A list of at most `N` items, stored inline. Removal keeps the order.
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
    deck: Row<Card, DECK_SIZE>,
    hand: Row<Card, { MAX_HAND + 1 }>,
    monsters: Row<Monster, MAX_MONSTERS>,
}

/// An action of the turn player in a main phase, with the index of the card in hand or of the monster.
#[derive(Clone, Copy, Default)]
enum Action {
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

/// The game is over; the field is the player who lost.
struct Loser(usize);

/// Plays a game. `chance` is the seed of the game, `bots` are the seeds of the bots.
pub fn play<W: Witness>(chance: u64, bots: [u64; 2], witness: &mut W) -> GameEnd {
    let mut chance = Dice::for_game(chance);
    let players = bots.map(|seed| {
        let mut deck = Row::new();
        (0..DECK_SIZE).for_each(|n| deck.push((n / 3) as Card));
        chance.shuffle(&mut deck.items);
        Player { dice: Dice::for_bot(seed), life: 8000, deck, hand: Row::new(), monsters: Row::new() }
    });
    let mut duel = Duel { players, active: 0, turn: 0, summoned: false, decisions: 0, witness };
    let Loser(loser) = duel.run();
    GameEnd { winner: 1 - loser, turns: duel.turn, decisions: duel.decisions, life: duel.life() }
}

impl<W: Witness> Duel<'_, W> {
    fn run(&mut self) -> Loser {
        for seat in 0..2 {
            for _ in 0..5 {
                if let Err(loser) = self.draw(seat) {
                    return loser;
                }
            }
        }
        loop {
            self.turn += 1;
            self.summoned = false;
            if let Err(loser) = self.take_turn() {
                return loser;
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

    fn draw(&mut self, seat: usize) -> Result<(), Loser> {
        let player = &mut self.players[seat];
        if player.deck.len == 0 {
            return Err(Loser(seat));
        }
        player.deck.len -= 1;
        let card = player.deck.items[player.deck.len];
        player.hand.push(card);
        Ok(())
    }

    /// The random bot's answer: a permutation of the options, and how many of its first elements are picked.
    fn ask(&mut self, kind: QuestionKind, options: usize, min: usize, max: usize) -> ([u8; MAX_OPTIONS], usize) {
        self.decisions += 1;
        let dice = &mut self.players[self.active].dice;
        let size = min + dice.below((max - min) as u32 + 1) as usize;
        let mut numbers: [u8; MAX_OPTIONS] = std::array::from_fn(|n| n as u8);
        dice.shuffle(&mut numbers[..options]);
        let (turn, life, player) = (self.turn, self.life(), self.active);
        let first = (size > 0).then_some(usize::from(numbers[0]));
        self.witness.record(&Question { turn, life, player, kind, options, min, max }, first);
        (numbers, size)
    }

    /// Picks one of several options. A single option is picked without a question.
    fn ask_one(&mut self, kind: QuestionKind, options: usize) -> usize {
        if options == 1 { 0 } else { usize::from(self.ask(kind, options, 1, 1).0[0]) }
    }

    fn take_turn(&mut self) -> Result<(), Loser> {
        if self.turn > 1 {
            self.draw(self.active)?;
        }
        self.main_phase();
        // There is no attack in the first turn (YG-07). Without a battle phase there is no second main phase (YG-41).
        if self.turn > 1 && self.ask_one(QuestionKind::YesNo, 2) == 0 {
            self.battle_phase()?;
            self.main_phase();
        }
        let over = self.me().hand.len.saturating_sub(MAX_HAND);
        if over > 0 {
            let hand = self.me().hand.len;
            let (numbers, _) = self.ask(QuestionKind::Choose, hand, over, over);
            self.me().hand.remove(usize::from(numbers[0]));
        }
        Ok(())
    }

    /// The legal actions of the turn player, in the order of the plays, then of the cards.
    fn actions(&self) -> ([Action; MAX_OPTIONS], usize) {
        let me = &self.players[self.active];
        let mut actions = [Action::Pass; MAX_OPTIONS];
        let mut count = 1;
        let mut add = |act| {
            actions[count] = act;
            count += 1;
        };
        if !self.summoned {
            let monster_count = me.monsters.len;
            let fits = |card: Card| {
                let tributes = CARDS[card as usize].tributes;
                tributes <= monster_count && monster_count - tributes < MAX_MONSTERS
            };
            for way in [Action::Summon, Action::Set] {
                for (n, card) in me.hand.as_slice().iter().enumerate() {
                    if fits(*card) {
                        add(way(n as u8));
                    }
                }
            }
        }
        for (n, monster) in me.monsters.as_slice().iter().enumerate() {
            if monster.face_down && monster.placed_in < self.turn {
                add(Action::Flip(n as u8));
            }
        }
        for (n, monster) in me.monsters.as_slice().iter().enumerate() {
            if !monster.face_down && monster.placed_in < self.turn && monster.attacked_in != self.turn {
                add(Action::Change(n as u8));
            }
        }
        (actions, count)
    }

    fn main_phase(&mut self) {
        let mut quiet = false;
        loop {
            let (actions, count) = self.actions();
            match actions[self.ask_one(QuestionKind::Act, count)] {
                Action::Pass => {
                    // After a set or a change of position, a pass gives the other player a window if that player has a card in hand.
                    // Then the phase continues.
                    if !quiet || self.players[1 - self.active].hand.len == 0 {
                        return;
                    }
                    quiet = false;
                }
                Action::Summon(n) => {
                    self.place(usize::from(n), false);
                    quiet = false;
                }
                Action::Set(n) => {
                    self.place(usize::from(n), true);
                    quiet = true;
                }
                Action::Flip(n) => {
                    let turn = self.turn;
                    let monster = &mut self.me().monsters.items[usize::from(n)];
                    *monster = Monster { face_down: false, defense: false, placed_in: turn, ..*monster };
                    quiet = false;
                }
                Action::Change(n) => {
                    let turn = self.turn;
                    let monster = &mut self.me().monsters.items[usize::from(n)];
                    *monster = Monster { defense: !monster.defense, placed_in: turn, ..*monster };
                    quiet = true;
                }
            }
        }
    }

    /// Pays the tributes and places the card.
    fn place(&mut self, card: usize, set: bool) {
        let tributes = CARDS[self.me().hand.items[card] as usize].tributes;
        let monster_count = self.me().monsters.len;
        if tributes == monster_count {
            self.me().monsters.len = 0;
        } else if tributes > 0 {
            let (numbers, size) = self.ask(QuestionKind::Choose, monster_count, tributes, tributes);
            let mut sacrificed = [0; MAX_MONSTERS];
            sacrificed[..size].copy_from_slice(&numbers[..size]);
            sacrificed[..size].sort_unstable();
            for n in sacrificed[..size].iter().rev() {
                self.me().monsters.remove(usize::from(*n));
            }
        }
        self.summoned = true;
        let placed_in = self.turn;
        let me = self.me();
        let card = me.hand.remove(card);
        me.monsters.push(Monster { card, face_down: set, defense: set, placed_in, attacked_in: 0 });
    }

    fn battle_phase(&mut self) -> Result<(), Loser> {
        loop {
            let (active, turn) = (self.active, self.turn);
            let mut ready = [0; MAX_MONSTERS];
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
            let (numbers, size) = self.ask(QuestionKind::Choose, count, 0, 1);
            if size == 0 {
                return Ok(());
            }
            let attacker = ready[usize::from(numbers[0])];
            let foes = self.players[1 - active].monsters.len;
            let target = (foes > 0).then(|| self.ask_one(QuestionKind::Choose, foes));
            self.players[active].monsters.items[attacker].attacked_in = turn;
            self.fight(attacker, target);
            if let Some(loser) = (0..2).find(|seat| self.players[*seat].life <= 0) {
                return Err(Loser(loser));
            }
        }
    }

    /// Battle by YG-29 to YG-36, for players without usable effects.
    fn fight(&mut self, attacker: usize, target: Option<usize>) {
        let [first, second] = &mut self.players;
        let (me, you) = if self.active == 0 { (first, second) } else { (second, first) };
        let atk = me.monsters.items[attacker].stats().atk;
        let Some(target) = target else {
            you.life -= atk;
            return;
        };
        let theirs = &mut you.monsters.items[target];
        theirs.face_down = false;
        let margin = atk - if theirs.defense { theirs.stats().def } else { theirs.stats().atk };
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
