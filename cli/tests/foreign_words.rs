//! Words and phrases of other games and of printed cards: each row has a card with one, a part of the suggestion that it gets, and the card with
//! the suggested form, which compiles.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// The game, the members of a card or whole items that contain a word of another game, a part of the suggestion, and the form as suggested.
const ROWS: &[(&str, &str, &str, &str)] = &[
    (
        "magic",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  hexproof from black\n}",
        "`this cannot be targeted where targeted and who is opponent and source is black`",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  this cannot be targeted where targeted and who is opponent and source is black\n}",
    ),
    (
        "magic",
        "card \"T\" { sorcery  {B}  does { amass 2 } }",
        "`grow(1 creature of you that is \"Army\", 2)`",
        "token \"Army\" { creature  \"Zombie\", \"Army\"  black  0/0 }\ncard \"T\" { sorcery  {B}  does {\n  if no creature of you that is \"Army\" { create \"Army\" into battlefield }\n  grow(1 creature of you that is \"Army\", 2)\n} }",
    ),
    (
        "magic",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  always: creature of you that shares a creature type with this gets +1/+1\n}",
        "`creature that (candidate shares subtype with this)`",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  always: creature of you that (candidate shares subtype with this) gets +1/+1\n}",
    ),
    (
        "magic",
        "card \"T\" { planeswalker  {2}{U}  starting_loyalty 3  loyalty +1: gain 1\n}",
        "`starting_loyalty` is a printed fact",
        "card \"T\" { planeswalker  {2}{U}  starting_loyalty 3\n  loyalty +1: gain 1\n}",
    ),
    (
        "magic",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  {T}: add G\n}",
        "`{G}`",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  {T}: add {G}\n}",
    ),
    (
        "magic",
        "card \"T\" { creature  \"Rat\"  {B}  1/1\n  when this deals_damage to player { (it) discards 1 card in hand }\n}",
        "`(whom) discards 1 card in hand`",
        "card \"T\" { creature  \"Rat\"  {B}  1/1\n  when this deals_damage to player { (whom) discards 1 card in hand }\n}",
    ),
    (
        "yugioh",
        "card \"T\" { monster  tuner  \"Dragon\"  light  level 4  atk 1000  def 1000 }",
        "`traits monster_kind adds { tuner }`",
        "traits monster_kind adds { tuner }\ncard \"T\" { monster  tuner  \"Dragon\"  light  level 4  atk 1000  def 1000 }",
    ),
    (
        "yugioh",
        "card \"T\" { monster  link  \"Dragon\"  light  level 4  atk 1000  def 1000 }",
        "`traits monster_kind adds { link }`",
        "traits monster_kind adds { link }\ncard \"T\" { monster  link  \"Dragon\"  light  level 4  atk 1000  def 1000 }",
    ),
    (
        "yugioh",
        "card \"T\" { monster  \"Dragon\"  light  level 4  atk 1000  def 1000\n  this cannot be targeted by opponent\n}",
        "`this cannot be targeted where targeted and who is opponent`",
        "card \"T\" { monster  \"Dragon\"  light  level 4  atk 1000  def 1000\n  this cannot be targeted where targeted and who is opponent\n}",
    ),
    (
        "yugioh",
        "card \"T\" { monster  \"Dragon\"  light  level 4  atk 1000  def 1000\n  this cannot be destroyed by opponent\n}",
        "`this cannot be destroyed where cause == effect and cause_player is opponent`",
        "card \"T\" { monster  \"Dragon\"  light  level 4  atk 1000  def 1000\n  this cannot be destroyed where cause == effect and cause_player is opponent\n}",
    ),
    (
        "duel_masters",
        "card \"T\" { creature  fire  \"Human\"  cost 1  power 1000  this can attack untapped creatures }",
        "`attacks_untapped`, a word on the card",
        "card \"T\" { creature  fire  \"Human\"  cost 1  power 1000  attacks_untapped }",
    ),
    (
        "duel_masters",
        "card \"T\" { creature  fire  \"Human\"  cost 1  power 1000\n  while you have no shields: this gets +1000 power\n}",
        "`while no shield of you`",
        "card \"T\" { creature  fire  \"Human\"  cost 1  power 1000\n  while no shield of you: this gets +1000 power\n}",
    ),
    (
        "duel_masters",
        "card \"T\" { creature  fire  \"Human\"  cost 1  power 1000\n  at end of your turn: draw 1\n}",
        "`at start of finish of you`",
        "card \"T\" { creature  fire  \"Human\"  cost 1  power 1000\n  at start of finish of you: draw 1\n}",
    ),
    (
        "magic",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  opponent cannot target this\n}",
        "`this cannot be targeted where targeted and who is opponent`",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  this cannot be targeted where targeted and who is opponent\n}",
    ),
    (
        "yugioh",
        "card \"T\" { monster  dark  \"Fiend\"  level 4  atk 1000  def 1000\n  opponent cannot target this\n}",
        "`this cannot be targeted where targeted and who is opponent`",
        "card \"T\" { monster  dark  \"Fiend\"  level 4  atk 1000  def 1000\n  this cannot be targeted where targeted and who is opponent\n}",
    ),
    (
        "duel_masters",
        "card \"T\" { creature  light  \"Human\"  cost 3  power 1000\n  opponent cannot target this\n}",
        "`this cannot be chosen where who is opponent and cause == effect`",
        "card \"T\" { creature  light  \"Human\"  cost 3  power 1000\n  this cannot be chosen where who is opponent and cause == effect\n}",
    ),
    (
        "yugioh",
        "card \"T\" { monster  dark  \"Fiend\"  level 4  atk 1000  def 1000\n  this cannot be attacked\n}",
        "`this cannot be aimed`",
        "card \"T\" { monster  dark  \"Fiend\"  level 4  atk 1000  def 1000\n  this cannot be aimed\n}",
    ),
    (
        "duel_masters",
        "card \"T\" { creature  light  \"Human\"  cost 3  power 1000\n  this cannot be attacked\n}",
        "`creature of opponent cannot attack_creature this`",
        "card \"T\" { creature  light  \"Human\"  cost 3  power 1000\n  creature of opponent cannot attack_creature this\n}",
    ),
    (
        "magic",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  when this attacks alone: draw 1\n}",
        "`when this attacks where alone(this): …`",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  when this attacks where alone(this): draw 1\n}",
    ),
    (
        "magic",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  when creature token dies: draw 1\n}",
        "`creature that (created(candidate))`",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  when creature that (created(candidate)) dies: draw 1\n}",
    ),
    (
        "magic",
        "card \"T\" { sorcery  {G}  does {\n  choose a color as hue\n  target creature gets protection(green) until end of turn\n} }",
        "`choose word of color as hue`",
        "card \"T\" { sorcery  {G}  does {\n  choose word of color as hue\n  if hue is green { draw 1 }\n} }",
    ),
    (
        "magic",
        "card \"T\" { sorcery  {G}  does {\n  choose a creature type as kind\n} }",
        "`choose word of subtype as kind`",
        "card \"T\" { sorcery  {G}  does {\n  choose word of subtype as kind\n  destroy each creature that is kind\n} }",
    ),
    (
        "duel_masters",
        "card \"T\" { spell  fire  cost 3  does { choose a civilization as hue } }",
        "`choose word of civilization as hue`",
        "card \"T\" { spell  fire  cost 3  does { choose word of civilization as hue; destroy each creature that is hue } }",
    ),
    (
        "magic",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  when this leaves hand or battlefield: draw 1\n}",
        "`when this leaves hand: …`, `when this leaves battlefield: …`",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  when this leaves hand: draw 1\n  when this leaves battlefield: draw 1\n}",
    ),
    (
        "yugioh",
        "card \"T\" { monster  dark  \"Fiend\"  level 4  atk 1000  def 1000\n  when monster enters graveyard or banished: draw 1\n}",
        "`when monster enters graveyard: …`, `when monster enters banished: …`",
        "card \"T\" { monster  dark  \"Fiend\"  level 4  atk 1000  def 1000\n  when monster enters graveyard: draw 1\n  when monster enters banished: draw 1\n}",
    ),
    (
        "magic",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  if this would enter graveyard or exile, instead: bounce it\n}",
        "`if this would enter graveyard, instead: …`",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  if this would enter graveyard, instead: bounce it\n}",
    ),
    (
        "magic",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  when this attacks, if life of opponent < 5: draw 1\n}",
        "`some opponent with life < 5`",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  when this attacks, if some opponent with life < 5: draw 1\n}",
    ),
    (
        "magic",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  while life of opponent <= life of you: this gets +1/+1\n}",
        "`some opponent that (life of candidate <= life of you)`",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  while some opponent that (life of candidate <= life of you): this gets +1/+1\n}",
    ),
    (
        "magic",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  when this enters, if opponent is active: draw 1\n}",
        "`active is opponent`",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  when this enters, if active is opponent: draw 1\n}",
    ),
    (
        "magic",
        "card \"T\" { sorcery  {G}  does {\n  if count of card in hand of opponent == 0 { draw 1 }\n} }",
        "`some opponent that (count of card in hand of candidate == 0)`",
        "card \"T\" { sorcery  {G}  does {\n  if some opponent that (count of card in hand of candidate == 0) { draw 1 }\n} }",
    ),
    (
        "magic",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  always: spell_card of you that (candidate is artifact) gets -1 cost\n}",
        "`+1 discount`",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  always: spell_card of you that (candidate is artifact) gets +1 discount\n}",
    ),
    (
        "magic",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  always: spell_card of you that (candidate is artifact) gets -1 mana_cost\n}",
        "`always: spell_card of you that (candidate is artifact) gets +1 discount`",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  always: spell_card of you that (candidate is artifact) gets +1 discount\n}",
    ),
    (
        "magic",
        "card \"T\" { sorcery  {G}  does {\n  destroy target creature with cost <= 3\n} }",
        "`creature with mana_value <= 3`",
        "card \"T\" { sorcery  {G}  does {\n  destroy target creature with mana_value <= 3\n} }",
    ),
    (
        "magic",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  dash({1}{R})\n}",
        "`keyword dash(c: price) { alternative cost dashed { price c }",
        "status dashed: bool kept on field\nkeyword dash(c: price) { alternative cost dashed { price c }  while dashed of this: this gets haste  at start of end_step, if dashed of this: bounce this }\ncard \"T\" { creature  \"Elf\"  {G}  1/1\n  dash({1}{R})\n}",
    ),
    (
        "magic",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  ward 2\n}",
        "`ward({2})`",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  ward({2})\n}",
    ),
    (
        "magic",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  always: creature of you gets ward(2)\n}",
        "`ward({2})`",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  always: creature of you gets ward({2})\n}",
    ),
    (
        "yugioh",
        "card \"T\" { monster  dark  \"Fiend\"  level 4  atk 1000  def 1000\n  when this is destroyed where before_move(this) in field: draw 1\n}",
        "`when this leaves field`",
        "card \"T\" { monster  dark  \"Fiend\"  level 4  atk 1000  def 1000\n  when this leaves field: draw 1\n}",
    ),
    (
        "magic",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  in graveyard when this enters graveyard, if before_move(this) in hand: draw 1\n}",
        "`when this enters OTHER from hand`",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  in graveyard when this enters graveyard from hand: draw 1\n}",
    ),
    (
        "duel_masters",
        "deck \"d\" { main { 40 《\"轟轟轟\"ブランド》 } }",
        "the pack `duel_magic` has this card",
        "card \"T\" { creature  fire  \"Human\"  cost 1  power 1000 }",
    ),
    (
        "magic",
        "card \"T\" { sorcery  {R}  does { each creature of you deals 1 damage to each opponent } }",
        "`for each one in each creature of you { (one) deals 1 damage to each opponent }`",
        "card \"T\" { sorcery  {R}  does { for each one in each creature of you { (one) deals 1 damage to each opponent } } }",
    ),
    (
        "magic",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  when creature of opponent enters tapped: draw 1\n}",
        "`X enters where tapped of it`",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  when creature of opponent enters where tapped of it: draw 1\n}",
    ),
    (
        "magic",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  when creature of you fights: draw 1\n}",
        "`card is fought where foe is creature of you`",
        "card \"T\" { creature  \"Elf\"  {G}  1/1\n  when card is fought where foe is creature of you: draw 1\n}",
    ),
    (
        "magic",
        "card \"T\" { planeswalker  {2}{U}  starting_loyalty 3\n  loyalty -3: deal 3 damage to each creature with flying and each player\n}",
        "`{ deal 3 damage to each creature with flying; deal 3 damage to each player }`",
        "card \"T\" { planeswalker  {2}{U}  starting_loyalty 3\n  loyalty -3 { deal 3 damage to each creature with flying; deal 3 damage to each player }\n}",
    ),
    (
        "duel_masters",
        "card \"T\" { creature  fire  \"Human\"  cost 1  power 1000\n  while no other creature of you: this cannot be blocked\n}",
        "`this gets unblockable` behind `while COND:`",
        "card \"T\" { creature  fire  \"Human\"  cost 1  power 1000\n  while no other creature of you: this gets unblockable\n}",
    ),
    (
        "yugioh",
        "card \"T\" { spell  does { you may burn opponent for 800 } }",
        "`may burn opponent for 800`",
        "card \"T\" { spell  does { may burn opponent for 800 } }",
    ),
    (
        "yugioh",
        "card \"T\" { spell  does { search(you, 1 monster in your deck as found); send found } }",
        "`search(you, 1 monster in your deck) as found`",
        "card \"T\" { spell  does { search(you, 1 monster in your deck) as found; send found } }",
    ),
];

/// What `fizzle check` prints about items of a pack, and whether it has no errors.
fn check(game: &str, items: &str) -> (String, bool) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fizzle"));
    command.args(["check", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let source = format!("pack own {{ edition 2  extends {game} }}\n{items}\n");
    child.stdin.take().unwrap().write_all(source.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    (String::from_utf8(output.stderr).unwrap(), output.status.success())
}

#[test]
fn foreign_words_suggest_forms_that_compile() {
    let mut mismatches = String::new();
    for (game, wrong, suggestion, right) in ROWS {
        let (shown, _) = check(game, wrong);
        if !shown.lines().any(|line| line.contains("= help: ") && line.contains(suggestion)) {
            mismatches.push_str(&format!("{game}: `{wrong}` does not suggest {suggestion}:\n{shown}\n"));
        }
        let (shown, compiles) = check(game, right);
        if !compiles {
            mismatches.push_str(&format!("{game}: `{right}` does not compile:\n{shown}\n"));
        }
    }
    assert!(mismatches.is_empty(), "\n{mismatches}");
}

/// A sheet reads all shipped packs of a game; the turns of their formats do not change what a warning says of the game's own turn.
#[test]
fn the_last_part_of_a_turn_is_that_of_the_game() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("last_part_of_a_turn");
    std::fs::create_dir_all(&folder).unwrap();
    let card = "card \"T\" { creature  fire  \"Human\"  cost 1  power 1000\n  at end of your turn: draw 1\n}\n";
    std::fs::write(folder.join("own.fz"), format!("pack own {{ edition 2  extends duel_masters }}\n{card}")).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).arg("sheet").arg(&folder).output().unwrap();
    let shown = String::from_utf8(output.stderr).unwrap();
    assert!(shown.contains("`at start of finish of you`"), "{shown}");
}
