//! Suggestions can be typed: each row has a wrong source, a part of the suggestion that it gets, and the source with the suggested form, which
//! compiles.

#![allow(clippy::panic, missing_docs)]

mod common;

use common::{compile_example, problems};

/// What a row is about: the statements of a spell, the members of a piece, or whole items.
#[derive(Clone, Copy)]
enum Part {
    Statements,
    Members,
    Items,
}
use Part::{Items, Members, Statements};

/// The wrong text, a part of the suggestion, and the text as suggested.
const ROWS: &[(Part, &str, &str, &str)] = &[
    (
        Statements,
        "destroy target piece until end of turn",
        "`destroy target piece as chosen; at start of turn.second.fight { … }`",
        "destroy target piece as chosen; at start of turn.second.fight { draw 1 }; discard chosen",
    ),
    (
        Statements,
        "send target piece until this leaves field",
        "`send target piece as taken; immediately when this leaves field { put taken into field }`",
        "send target piece as taken; immediately when this leaves field { put taken into field }",
    ),
    (Statements, "draw card 2", "write `draw 2`", "draw 2"),
    (Statements, "draw 1 draw 2", "`draw 1; draw 2`", "draw 1; draw 2"),
    (Statements, "create 1 token \"Bear\"", "write `create \"Bear\" into field`", "create \"Bear\" into field"),
    (
        Statements,
        "create 2 token \"Bear\"",
        "write `2 times { create \"Bear\" into field }`",
        "2 times { create \"Bear\" into field }",
    ),
    (Statements, "let n = 3 draw n", "`let n = 3; draw n`", "let n = 3; draw n"),
    (Statements, "lose life 2", "write `lose_life 2`", "lose_life 2"),
    (Statements, "burn target piece 3", "write `burn target piece for 3`", "burn target piece for 3"),
    (Statements, "for i in 3 { draw 1 }", "`3 times { … }`", "3 times { draw 1 }"),
    (
        Statements,
        "each piece of you gets +2 power and eager(1) until end of turn",
        "`gets +2 power, eager(1)`",
        "each piece of you gets +2 power, eager(1) until end of turn",
    ),
    (Statements, "destroy target 1 piece", "write `1 target piece`", "destroy 1 target piece"),
    (Statements, "destroy target card in a field", "leave `a` out: `in field`", "destroy target card in field"),
    (
        Statements,
        "if count of piece with marked == 6 { draw 1 }",
        "`count of (piece with marked) == 6`",
        "if count of (piece with marked) == 6 { draw 1 }",
    ),
    (Statements, "n = count of piece of you; draw n", "`let n = count of piece of you`", "let n = count of piece of you; draw n"),
    (Statements, "destroy each piece with power > \"3\"", "write it without quotes: `3`", "destroy each piece with power > 3"),
    (Statements, "you may lose_life opponent for 300", "`may lose_life opponent for 300`", "may lose_life opponent for 300"),
    (Statements, "send 1 piece to pile", "write `send X`", "send 1 piece"),
    (
        Statements,
        "this gets +1 power until your next turn",
        "`start of your next turn`",
        "this gets +1 power until start of your next turn",
    ),
    (Statements, "if 3 < cost of this { draw 1 }", "`3 < units(cost of this)`", "if 3 < units(cost of this) { draw 1 }"),
    (
        Statements,
        "opponent cannot summon piece this turn",
        "write `until end of turn`",
        "opponent cannot summon piece until end of turn",
    ),
    (Members, "-3: { draw 1 }", "`COST: draw 1`", "discard this: draw 1"),
    (Members, "if this is destroyed { draw 1 }", "`when this is destroyed { draw 1 }`", "when this is destroyed { draw 1 }"),
    (Members, "when this piece is destroyed { draw 1 }", "`this is …`", "when this is destroyed { draw 1 }"),
    (Members, "eager of 3", "`eager(3)`", "eager(3)"),
    (Members, "cannot be destroyed", "`this cannot be destroyed`", "this cannot be destroyed"),
    (Members, "at beginning of turn { draw 1 }", "`at start of turn { … }`", "at start of turn { draw 1 }"),
    (
        Members,
        "if piece would enter field under you, instead { draw 1 }",
        "`if piece of you would enter field, instead { … }`",
        "if piece of you would enter field, instead { draw 1 }",
    ),
    (
        Members,
        "when this destroys one or more pieces { draw 1 }",
        "`when one or more this destroys pieces { … }`",
        "when one or more piece is destroyed { draw 1 }",
    ),
    (Items, "card \"A\" (spell) { }", "`{ … }`", "card \"A\" { spell }"),
    (
        Items,
        "format quick extends tiny { main 40 cards }",
        "`deck rules { main 40 }`",
        "format quick extends tiny { deck rules { main 40 } }",
    ),
    (Items, "deck rules { main 40 cards }", "`main 40`", "format quick extends tiny { deck rules { main 40 } }"),
    (
        Items,
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear } }\n  at A's turn.draw\n  expect bear marked\n}",
        "`expect bear is marked`",
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear } }\n  at A's turn.draw\n  expect bear is marked\n}",
    ),
    (
        Items,
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear } }\n  at A's turn.draw\n  expect A.life == 0\n}",
        "`life of A`",
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear } }\n  at A's turn.draw\n  expect life of A == 0\n}",
    ),
    (Members, "when this enters or draws: draw 1", "`when this enters: …`, `when this draws: …`", "when this enters: draw 1"),
    (
        Statements,
        "destroy target piece or target spell in line",
        "`target (piece or spell in line)`",
        "destroy target (piece or pet)",
    ),
    (
        Statements,
        "choose target piece with power <= 2 or pet as taken; destroy taken",
        "`target (piece with power <= 2 or pet)`",
        "choose target (piece with power <= 2 or pet) as taken; destroy taken",
    ),
    (Statements, "destroy each piece of player", "leave `of player` out", "destroy each piece"),
    (Statements, "if you control a piece { draw 1 }", "`if some piece of you`", "if some piece of you { draw 1 }"),
    (
        Statements,
        "if opponent controls three or more pieces { draw 1 }",
        "`if count of piece of opponent >= 3`",
        "if count of piece of opponent >= 3 { draw 1 }",
    ),
    (
        Statements,
        "if you control 2 red pieces { draw 1 }",
        "`if count of (piece of you that is red) >= 2`",
        "if count of piece of you that is red >= 2 { draw 1 }",
    ),
    (
        Statements,
        "if you control another piece { draw 1 }",
        "`if some other piece of you`",
        "if some other piece of you { draw 1 }",
    ),
    (Statements, "if you control no piece { draw 1 }", "`if no piece of you`", "if no piece of you { draw 1 }"),
    (Statements, "if it's your turn { draw 1 }", "`you is active`", "if you is active { draw 1 }"),
    (Statements, "if it is not your turn { draw 1 }", "`you is not active`", "if you is not active { draw 1 }"),
    (
        Statements,
        "draw 1  this gets +1 power until end of turn",
        "on a new line or after `;`",
        "draw 1;  this gets +1 power until end of turn",
    ),
    (
        Members,
        "piece that (not candidate in hand) gets +1 power",
        "`always { piece that (not candidate in hand) gets +1 power }`",
        "always { piece that (not candidate in hand) gets +1 power }",
    ),
    (Members, "red \"dig\" {1}: draw 1", "on a new line or after `;`", "red; \"dig\" {1}: draw 1"),
    (Members, "cost {1}  {2}: draw 1", "on a new line or after `;`", "cost {1};  {2}: draw 1"),
    (
        Members,
        "immediately as soon as no piece of opponent: draw 1",
        "`off list as soon as COND: …`",
        "off list as soon as no piece of opponent: draw 1",
    ),
    (
        Items,
        "player lost: bool for turn when piece of each player leaves",
        "leave `of each player` out",
        "player lost: bool for turn when piece leaves",
    ),
    (
        Items,
        "status marks: number for each kind\ncard \"T\" { spell  does { draw (marks(stone) of this) } }",
        "`traits kind adds { stone }`",
        "traits kind adds { stone }\nstatus marks: number for each kind\ncard \"T\" { spell  does { draw (marks(stone) of this) } }",
    ),
    (
        Statements,
        "discard each piece in hand with power <= count of card in pile",
        "`count of (card in pile)`",
        "discard each piece in hand with power <= count of (card in pile)",
    ),
    (
        Statements,
        "discard each piece with power <= count of piece in hand",
        "`in hand with …`",
        "discard each piece in hand with power <= count of piece",
    ),
    (Statements, "discard each piece in (hand or pile)", "`in hand in pile`", "discard each piece in hand in pile"),
    (Statements, "let n = each piece destroy n", "`let n = each piece; destroy n`", "let n = each piece; destroy n"),
    (
        Statements,
        "let n = highest power of piece draw n",
        "`let n = highest power of piece; draw n`",
        "let n = highest power of piece; draw n",
    ),
    (
        Statements,
        "for each opponent { draw 1 }",
        "`for each one in each opponent { … }`",
        "for each one in each opponent { (one) draws 1 }",
    ),
    (
        Statements,
        "for each piece of you { draw 1 }",
        "`for each one in each piece of you { … }`",
        "for each one in each piece of you { destroy one }",
    ),
    (Statements, "destroy target pet piece", "`piece that is pet`", "destroy target piece that is pet"),
    (Statements, "destroy target piece that is nonred", "`that is not red`", "destroy target piece that is not red"),
    (Statements, "destroy each piece without nonred", "write `without red`", "destroy each piece without red"),
    (Statements, "draw power of piece", "`highest power of piece`", "draw (highest power of piece)"),
    (Statements, "draw power of piece of you", "`highest power of piece of you`", "draw (highest power of piece of you)"),
    (
        Statements,
        "destroy target piece as gone; if exists(gone) { draw 1 }",
        "`gone != nothing`",
        "destroy target piece as gone; if gone != nothing { draw 1 }",
    ),
    (
        Items,
        "card \"T\" { spell  does { this gets \"when this enters field: draw 1\" until end of turn } }",
        "`keyword NAME { when this enters field: draw 1 }`",
        "keyword odd { when this enters field: draw 1 }\ncard \"T\" { spell  does { this gets odd until end of turn } }",
    ),
    (
        Items,
        "card \"T\" { spell  does { each piece gets \"Imp\" only until end of turn } }",
        "`traits race adds { \"Imp\" }`",
        "traits race adds { \"Imp\" }\ncard \"T\" { spell  does { each piece gets \"Imp\" only until end of turn } }",
    ),
    (
        Members,
        "\"y\" when some piece of opponent: draw 1",
        "`activated \"y\" { when some piece of opponent  does { draw 1 } }`",
        "activated \"y\" { when some piece of opponent  does { draw 1 } }",
    ),
    (
        Members,
        "in hand \"y\" when (marked of this) and turns > 2: draw 1",
        "`in hand activated \"y\" { when (marked of this) and turns > 2  does { draw 1 } }`",
        "in hand activated \"y\" { when (marked of this) and turns > 2  does { draw 1 } }",
    ),
    (Members, "\"y\": draw 1", "`activated \"y\" { does { draw 1 } }`", "activated \"y\" { does { draw 1 } }"),
    (
        Items,
        "property guard: number\npair power / guard\ncard \"T\" { piece  */4 }",
        "`0/4`",
        "property guard: number\npair power / guard\ncard \"T\" { piece  0/4\n  defines { power = 1 } }",
    ),
    (
        Members,
        "when you summon piece where it costs 3 or more: draw 1",
        "`where PROPERTY of it >= 3`",
        "when you summon piece where power of it >= 3: draw 1",
    ),
    (Members, "when this is sent from field: draw 1", "`where it in field`", "when this is sent where it in field: draw 1"),
    (
        Items,
        "action strike(it: object, whom: player) by it { }\ncard \"T\" { piece  power 2\n  when you strike: draw 1 }",
        "`card of you strikes`",
        "action strike(it: object, whom: player) by it { }\ncard \"T\" { piece  power 2\n  when one or more card of you strikes: draw 1 }",
    ),
    (
        Items,
        "global manner: one of by_quick, by_slow\naction call(it: object, how: word of manner) { }\nplay quick_call(it: piece) { from hand; immediately; does { call(it, by_quick) } }\ncard \"T\" { piece  power 2\n  when this is quick_called: draw 1 }",
        "`when this is called where how is by_quick { … }`",
        "global manner: one of by_quick, by_slow\naction call(it: object, how: word of manner) { }\nplay quick_call(it: piece) { from hand; immediately; does { call(it, by_quick) } }\ncard \"T\" { piece  power 2\n  when this is called where how is by_quick: draw 1 }",
    ),
    (
        Items,
        "player x1: number for turn counts piece of player is sent",
        "leave `of player` out: the variable of each player counts",
        "player x1: number for turn counts piece is sent",
    ),
    (
        Items,
        "player x1: number for turn counts player sends piece",
        "`piece is sent`, which counts for the controller of each",
        "player x1: number for turn counts piece is sent",
    ),
    (
        Members,
        "player cannot send piece where it is red",
        "`piece cannot be sent where it is red`",
        "piece cannot be sent where it is red",
    ),
    (
        Items,
        "card \"U\" { piece  race \"Imp\" }\ncard \"T\" { piece  imp }",
        "`race \"Imp\"`",
        "card \"U\" { piece  race \"Imp\" }\ncard \"T\" { piece  race \"Imp\" }",
    ),
    (
        Items,
        "traits tint changeable { green, grey }\nnoun G = green\npayment sack of tint { from each piece; produces {G}; by { send(it) } }\ncard \"C\" { spell  does { each piece gets tint green instead of grey until end of turn } }\ncard \"T\" { piece\n  price price(power of this, green): draw 1 }",
        "`{G}, price generic(power of this)`",
        "traits tint changeable { green, grey }\nnoun G = green\npayment sack of tint { from each piece; produces {G}; by { send(it) } }\ncard \"C\" { spell  does { each piece gets tint green instead of grey until end of turn } }\ncard \"T\" { piece\n  {G}, price generic(power of this): draw 1 }",
    ),
    (
        Items,
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear; hand \"Bear\" as cub } }\n  at A's turn.draw\n  refuse A summons cub choosing bear\n}",
        "`A summons cub; refuse A chooses bear`",
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear; hand \"Bear\" as cub } }\n  at A's turn.draw\n  A summons cub; refuse A chooses bear\n}",
    ),
    (
        Items,
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear } }\n  at A's turn.draw\n  expect power of piece of A == 2\n}",
        "`highest power of piece of A`",
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear } }\n  at A's turn.draw\n  expect highest power of piece of A == 2\n}",
    ),
    (Items, "text en { do draw N: \"say \\\"x\\\"\" }", "write it in `《…》`", "text en { do draw N: 《say \"x\"》 }"),
    (Statements, "destroy target piece where power <= 2", "`piece with power <= 2`", "destroy target piece with power <= 2"),
    (Statements, "choose one - draw 1 - draw 2", "`choose 1 { - draw 1 - draw 2 }`", "choose 1 { - draw 1 - draw 2 }"),
    (
        Statements,
        "opponent's pieces get -1 power until end of turn",
        "`each piece of opponent gets -1 power until end of turn`",
        "each piece of opponent gets -1 power until end of turn",
    ),
    (Statements, "destroy all pieces except this", "`all other piece`", "destroy all other piece"),
    (
        Members,
        "always: each piece of you gets +1 power, has eager(1)",
        "`gets …, eager(1)`",
        "always: each piece of you gets +1 power, eager(1)",
    ),
    (
        Statements,
        "each piece of you gets +2 power and has eager(1) until end of turn",
        "`gets +2 power, eager(1)`",
        "each piece of you gets +2 power, eager(1) until end of turn",
    ),
    (Members, "this gains 500 power", "`always { this gets +500 power }`", "always { this gets +500 power }"),
    (Statements, "draw 1 until count of card in your hand >= 3", "`3 times { draw 1 }`", "3 times { draw 1 }"),
    (Statements, "while count of piece of you < 3 { draw 1 }", "`3 times { … }`", "3 times { draw 1 }"),
    (Members, "eager", "write `eager(2)`", "eager(2)"),
    (
        Statements,
        "if you have more pieces than opponent { draw 1 }",
        "`if count of piece of you > count of piece of opponent`",
        "if count of piece of you > count of piece of opponent { draw 1 }",
    ),
    (
        Statements,
        "if you have more life than opponent { draw 1 }",
        "`if life of you > life of opponent`",
        "if life of you > life of opponent { draw 1 }",
    ),
    (
        Statements,
        "if you control 2 other pieces { draw 1 }",
        "`if count of other piece of you >= 2`",
        "if count of other piece of you >= 2 { draw 1 }",
    ),
    (
        Statements,
        "draw 1 and discard 1 card in hand at random",
        "`discard random 1 card in hand`",
        "draw 1 and discard random 1 card in your hand",
    ),
    (
        Items,
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear } }\n  at A turn.draw\n  expect bear in field\n}",
        "`at A's turn.draw`",
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear } }\n  at A's turn.draw\n  expect bear in field\n}",
    ),
    (
        Items,
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear } }\n  at A's turn.draw\n  expect bear is in field\n}",
        "`expect bear in field`",
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear } }\n  at A's turn.draw\n  expect bear in field\n}",
    ),
    (
        Items,
        "scenario \"x\" {\n  position { A: { field: \"Bear\" as bear } }\n  at A's turn.draw\n  expect bear in field\n}",
        "`field \"Bear\"`",
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear } }\n  at A's turn.draw\n  expect bear in field\n}",
    ),
    (
        Members,
        "\"y\" when marked of this, limit 1 per turn: { draw 1; draw 2 }",
        "`\"y\" limit 1 per turn, when marked of this: { draw 1; draw 2 }`",
        "\"y\" limit 1 per turn, when marked of this: { draw 1; draw 2 }",
    ),
    (
        Members,
        "\"y\" when marked of this: { draw 1; draw 2 }",
        "`activated \"y\" { when marked of this  does { draw 1; draw 2 } }`",
        "activated \"y\" { when marked of this  does { draw 1; draw 2 } }",
    ),
    (
        Members,
        "activated \"y\" { when wounds of this == 0 limit 1 per turn  does { draw 1 } }",
        "`when wounds of this == 0; limit 1 per turn`",
        "activated \"y\" { when wounds of this == 0; limit 1 per turn; does { draw 1 } }",
    ),
    (
        Members,
        "activated \"y\" { when marked of this, limit 1 per turn  does { draw 1 } }",
        "`when marked of this; limit 1 per turn`",
        "activated \"y\" { when marked of this; limit 1 per turn; does { draw 1 } }",
    ),
    (
        Items,
        "keyword charge(n: number) with body { \"charge\" send this: { body } }\ncard \"T\" { piece  power 2\n  charge +1: draw 1  charge -2: draw 2\n}",
        "`charge +1: draw 1; charge -2: draw 2`",
        "keyword charge(n: number) with body { \"charge\" send this: { body } }\ncard \"T\" { piece  power 2\n  charge +1: draw 1; charge -2: draw 2\n}",
    ),
    (
        Statements,
        "choose any number of target (piece or pet) as them; destroy them",
        "`up to 4 target (piece or pet) as them`",
        "choose up to 4 target (piece or pet) as them; destroy them",
    ),
    (
        Statements,
        "destroy any number of target piece of opponent",
        "`up to (count of piece) target piece of opponent`",
        "destroy up to (count of piece) target piece of opponent",
    ),
    (
        Statements,
        "choose up to 2 piece as pile; destroy each piece that (candidate not in pile)",
        "`not candidate in pile`",
        "choose up to 2 piece as pile; destroy each piece that (not candidate in pile)",
    ),
    (
        Statements,
        "destroy each card that is not in field",
        "`card that (not candidate in field)`",
        "destroy each card that (not candidate in field)",
    ),
    (Statements, "if this is not in field { draw 1 }", "`not this in field`", "if not this in field { draw 1 }"),
    (
        Statements,
        "destroy each piece that shares race with this",
        "`piece that (candidate shares race with this)`",
        "destroy each piece that (candidate shares race with this)",
    ),
    (Statements, "if you have no cards in hand { draw 1 }", "`if no card in your hand`", "if no card in your hand { draw 1 }"),
    (
        Statements,
        "if opponent has 3 or more pieces { draw 1 }",
        "`if count of piece of opponent >= 3`",
        "if count of piece of opponent >= 3 { draw 1 }",
    ),
    (
        Statements,
        "if you have 2 red pieces { draw 1 }",
        "`if count of (piece of you that is red) >= 2`",
        "if count of (piece of you that is red) >= 2 { draw 1 }",
    ),
    (Statements, "if you have 5 or less life { draw 1 }", "`if life of you <= 5`", "if life of you <= 5 { draw 1 }"),
    (Statements, "if you have no hand { draw 1 }", "`if no card in your hand`", "if no card in your hand { draw 1 }"),
    (
        Statements,
        "if opponent has more cards in hand than you { draw 1 }",
        "`if count of card in hand of opponent > count of card in hand of you`",
        "if count of card in hand of opponent > count of card in hand of you { draw 1 }",
    ),
    (
        Statements,
        "if opponent has more life than you { draw 1 }",
        "`if life of opponent > life of you`",
        "if life of opponent > life of you { draw 1 }",
    ),
    (
        Members,
        "while you have no pieces: this gets +1 power",
        "`while no piece of you`",
        "while no piece of you: this gets +1 power",
    ),
    (
        Items,
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear } }\n  at A's turn.draw\n  expect A has 1 card in hand\n}",
        "`expect count of card in hand of A == 1`",
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear } }\n  at A's turn.draw\n  expect count of card in hand of A == 1\n}",
    ),
    (
        Items,
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear } }\n  at A's turn.draw\n  expect B has lost\n}",
        "`not is_playing(B)`",
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear } }\n  at A's turn.draw\n  expect not is_playing(B)\n}",
    ),
    (
        Items,
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear } }\n  at A's turn.draw\n  expect A wins\n}",
        "`expect has_won(A)`",
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear } }\n  at A's turn.draw\n  expect has_won(A)\n}",
    ),
    (
        Items,
        "scenario \"x\" {\n  position { A: { field \"Bear\" unmarked as bear } }\n  at A's turn.draw\n  expect bear in field\n}",
        "leave it out: an object is `marked` only where that is written",
        "scenario \"x\" {\n  position { A: { field \"Bear\" as bear } }\n  at A's turn.draw\n  expect bear in field\n}",
    ),
    (Statements, "destroy each piece that is unmarked", "`that is not marked`", "destroy each piece that is not marked"),
    (
        Statements,
        "destroy each unmarked piece of opponent",
        "`piece that is not marked`",
        "destroy each piece of opponent that is not marked",
    ),
    (
        Statements,
        "target opponent discards 1 card in hand",
        "`(target opponent) discards 1 card in hand`",
        "(target opponent) discards 1 card in hand",
    ),
    (Statements, "1 opponent loses_life 2", "`(1 opponent) loses_life 2`", "(1 opponent) loses_life 2"),
    (
        Statements,
        "opponent discards 2 cards at random",
        "`opponent discards random 2 card in hand`",
        "opponent discards random 2 card in hand",
    ),
    (Statements, "discard a card at random", "`discard random 1 card in your hand`", "discard random 1 card in your hand"),
    (
        Members,
        "when you draw 1 or discard card: draw 1",
        "`when you draw 1: …`, `when you discard card: …`",
        "when you draw: draw 1",
    ),
    (
        Members,
        "when opponent sends piece or destroys spell: draw 1",
        "`when opponent sends piece: …`, `when opponent destroys spell: …`",
        "when piece of opponent is sent: draw 1",
    ),
    (Members, "when you put this into field: draw 1", "`when this enters field: draw 1`", "when this enters field: draw 1"),
    (
        Members,
        "when opponent puts piece into field: draw 1",
        "`when piece of opponent enters field: draw 1`",
        "when piece of opponent enters field: draw 1",
    ),
    (
        Members,
        "destroy each piece of opponent with marked",
        "`when EVENT { destroy each piece of opponent with marked }`",
        "when this enters { destroy each piece of opponent with marked }",
    ),
    (
        Items,
        "card \"T\" { piece  power 2  destroy each piece of opponent with marked }",
        "`when EVENT { destroy each piece of opponent with marked }`",
        "card \"T\" { piece  power 2\n  when this enters { destroy each piece of opponent with marked } }",
    ),
    (Members, "this can attack", "leave it out if no rule forbids it", "always { this gets eager(1) }"),
    (
        Members,
        "when this enters: send target piece until this leaves",
        "in braces without the colon: `{ send target piece as taken; immediately when this leaves field { put taken into field } }`",
        "when this enters { send target piece as taken; immediately when this leaves field { put taken into field } }",
    ),
    (
        Members,
        "when this enters: draw 1 draw 2",
        "write both, in braces without the colon: `{ draw 1; draw 2 }`",
        "when this enters { draw 1; draw 2 }",
    ),
    (
        Statements,
        "simultaneously { destroy target piece as lost; draw 1 }; send lost",
        "`lost` ends with the block in which it is named",
        "choose target piece as lost; simultaneously { destroy lost; draw 1 }; send lost",
    ),
    (
        Statements,
        "let seen = top 3 card of pile of you; send 1 of seen",
        "`1 card in seen`",
        "let seen = top 3 card of pile of you; send 1 card in seen",
    ),
    (
        Statements,
        "let seen = top 3 card of pile of you; choose 1 card in seen as chosen; send chosen; put rest into hand of you",
        "`each card in seen that (candidate != chosen)`",
        "let seen = top 3 card of pile of you; choose 1 card in seen as chosen; send chosen; put each card in seen that (candidate != chosen) into hand of you",
    ),
    (
        Members,
        "when this enters { (it) discards 1 card in hand }",
        "`(controller of it) discards 1 card in hand`",
        "when this enters { (controller of it) discards 1 card in hand }",
    ),
    (
        Items,
        "players 2 to 4\ncard \"T\" { piece  power 2\n  when this enters { opponent discards 1 card in hand } }",
        "`(1 opponent) discards …` (a choice)",
        "players 2 to 4\ncard \"T\" { piece  power 2\n  when this enters { (1 opponent) discards 1 card in hand } }",
    ),
    (
        Statements,
        "tap_all each unmarked piece of opponent",
        "`piece that is not marked`",
        "destroy each piece of opponent that is not marked",
    ),
    (
        Statements,
        "choose a color as hue; draw 1",
        "`choose word of color as hue`",
        "choose word of color as hue; if hue is red { draw 1 }",
    ),
    (Statements, "choose the piece as one; destroy one", "`choose 1 piece`", "choose 1 piece as one; destroy one"),
    (Statements, "choose a number as n; draw n", "`choose number from 1 to 6 as n`", "choose number from 1 to 6 as n; draw n"),
    (
        Members,
        "when this enters hand or pile { draw 1 }",
        "`when this enters hand: …`, `when this enters pile: …`",
        "when this enters hand { draw 1 }; when this enters pile { draw 1 }",
    ),
    (Members, "opponent cannot target this", "`this cannot be VERBED`", "this cannot be destroyed"),
    (
        Items,
        "card \"T\" { piece  power 2  fervor({1}) }",
        "`keyword fervor(fee: price) { … }`",
        "keyword fervor(fee: price) { }\ncard \"T\" { piece  power 2  fervor({1}) }",
    ),
    (
        Items,
        "card \"T\" { piece  power 2  fervor 3 }",
        "`keyword fervor(n: number) { … }`",
        "keyword fervor(n: number) { }\ncard \"T\" { piece  power 2  fervor 3 }",
    ),
];

fn source(part: Part, text: &str) -> String {
    match part {
        Statements => format!("card \"T\" {{ spell  does {{\n  {text}\n}} }}\n"),
        Members => format!("card \"T\" {{ piece  power 2\n  {text}\n}}\n"),
        Items => format!("{text}\n"),
    }
}

#[test]
fn suggested_forms_compile() {
    let mut mismatches = String::new();
    for (part, wrong, suggestion, right) in ROWS {
        let refused = compile_example(&source(*part, wrong));
        if !refused.diagnostics.iter().flat_map(|problem| &problem.help).any(|help| help.contains(suggestion)) {
            mismatches.push_str(&format!("`{wrong}` does not suggest {suggestion}:\n{}\n", problems(&refused)));
        }
        let accepted = compile_example(&source(*part, right));
        if accepted.has_errors() {
            mismatches.push_str(&format!("`{right}` does not compile:\n{}\n", problems(&accepted)));
        }
    }
    assert!(mismatches.is_empty(), "\n{mismatches}");
}
