//! Cards whose texts the test `rules_texts` compares: blocks of several sentences, zones, numbers and tokens.

use crate::CardText;

/// Blocks of several sentences that one condition, time, list or number governs.
pub const GOVERNED: [CardText<'_>; 18] = [
    (
        "magic",
        "Two Gifts",
        "sorcery {1} does { if count of land of you >= 2 { gain 1; draw 1 } }",
        "If you control two or more lands, you gain 1 life and draw a card.",
        "あなたが2つ以上の土地をコントロールしているなら、あなたは1点のライフを得、カードを1枚引く。",
    ),
    (
        "magic",
        "One Gift",
        "sorcery {1} does { if count of land of you >= 2 { gain 1 }; draw 1 }",
        "If you control two or more lands, you gain 1 life.\nDraw a card.",
        "あなたが2つ以上の土地をコントロールしているなら、あなたは1点のライフを得る。\nカードを1枚引く。",
    ),
    (
        "magic",
        "Paid Gifts",
        "creature {1} 1/1 when this dies { you may discard 1 card in your hand; if you do { gain 1; draw 1 } }",
        "When Paid Gifts dies, you may discard a card. If you do, you gain 1 life and draw a card.",
        "",
    ),
    (
        "magic",
        "Either Gifts",
        "creature {1} 1/1 {T}: if count of land of you >= 2 { gain 1; draw 1 } otherwise { gain 2; draw 2 }",
        "{T}: If you control two or more lands, you gain 1 life and draw a card. Otherwise, you gain 2 life and draw two cards.",
        "",
    ),
    (
        "magic",
        "Optional Gift",
        "sorcery {1} does { if count of land of you >= 2 { you may draw 1; gain 1 } }",
        "If you control two or more lands, you may draw a card. Whether or not that was done, you gain 1 life.",
        "あなたが2つ以上の土地をコントロールしているなら、あなたはカードを1枚引いてもよい。そうしたかどうかにかかわらず、あなたは1点のライフを得る。",
    ),
    (
        "magic",
        "Refused Gift",
        "sorcery {1} does { if count of land of you >= 2 { you may pay {1}; otherwise draw 1 }; gain 1 }",
        "If you control two or more lands, you may pay {1}. If that isn't done, draw a card. You gain 1 life.",
        "",
    ),
    (
        "magic",
        "Kept Order",
        "sorcery {1} does { if count of land of you >= 2 { draw 1; lose_life (count of card in your hand) } }",
        "If you control two or more lands, draw a card, then you lose X life, where X is the number of cards in your hand.",
        "",
    ),
    (
        "magic",
        "Shown Order",
        "sorcery {1} does { draw 1; lose_life (count of card in your hand) }",
        "Draw a card. You lose X life, where X is the number of cards in your hand.",
        "",
    ),
    (
        "magic",
        "Later Gifts",
        "sorcery {1} does { at start of end_step { create \"Wisp\" into battlefield; if count of land of you >= 2 { gain 1 } } }",
        "At the beginning of the next end step, create a 1/1 colorless creature token. At that time, if you control two or more lands, you gain \
         1 life.",
        "",
    ),
    ("magic", "Twice Both", "sorcery {1} does { 2 times { draw 1; gain 1 } }", "Draw a card and gain 1 life, two times.", ""),
    (
        "magic",
        "Both Hold",
        "creature {1} 1/1 while count of land of you >= 2 { this gets +1/+1; opponent cannot gain }",
        "As long as you control two or more lands, Both Hold gets +1/+1 and your opponents can't gain life.",
        "あなたが2つ以上の土地をコントロールしているかぎり、このクリーチャーは+1/+1の修整を受け、対戦相手はライフを得られない。",
    ),
    (
        "magic",
        "Named Next",
        "sorcery {1} does { if count of land of you >= 2 { exile top 1 card of your deck as gone; you may use gone; gain 2 } }",
        "If you control two or more lands, exile the top card of your library and you may play that card. Whether or not that was done, you gain 2 life.",
        "",
    ),
    (
        "magic",
        "All Drink",
        "sorcery {1} does { for each one in players { (one) draws 1; (one) gains 1 } }",
        "Each player draws a card and gains 1 life.",
        "各プレイヤーはそれぞれカードを1枚引き、1点のライフを得る。",
    ),
    (
        "magic",
        "All Count",
        "sorcery {1} does { for each one in players { (one) draws (count of card in hand of one) } }",
        "For each player, that player draws cards equal to the number of cards in that player's hand.",
        "",
    ),
    (
        "duel_masters",
        "Two Tides",
        "spell water cost 3 does { if count of creature of you >= 2 { draw 1; charge top 1 card of your deck } }",
        "If you have 2 or more creatures in the battle zone, draw a card and put the top card of your deck into your mana zone.",
        "■自分のクリーチャーが2体以上いるなら、カードを1枚引き、自分の山札の上から1枚をマナゾーンに置く。",
    ),
    (
        "duel_masters",
        "Paid Tides",
        "spell water cost 3 does { you may discard 1 card in your hand; if you do { draw 1; destroy 1 creature of opponent } }",
        "You may discard a card from your hand. If you do, draw a card and destroy one of your opponent's creatures.",
        "",
    ),
    (
        "yugioh",
        "Two Winds",
        "spell does { if some monster of opponent { draw 1; gain 500 } }",
        "If your opponent controls a monster, draw 1 card and gain 500 LP.",
        "①：相手フィールドにモンスターが存在する場合、自分は1枚ドローし、500LP回復する。",
    ),
    (
        "yugioh",
        "Aimed Wind",
        "spell does { if some monster of opponent { draw 1; destroy target monster of opponent } }",
        "If your opponent controls a monster, draw 1 card. In that case, target 1 monster your opponent controls; destroy it.",
        "①：相手フィールドのモンスター1体を対象として発動できる。相手フィールドにモンスターが存在する場合、\
         自分は1枚ドローする。その場合、そのモンスターを破壊する。",
    ),
];

/// Zones of what is forbidden or costs more, numbers, tokens, and what remains.
pub const PLACES: [CardText<'_>; 22] = [
    (
        "magic",
        "Either Place",
        "instant {1} does { choose 1 card in your hand in battlefield as lost; if lost in hand { discard lost } otherwise { sacrifice lost } }",
        "Choose a card in your hand or the battlefield. If that card is in a hand, discard that card. Otherwise, sacrifice that card.",
        "あなたの手札または戦場にあるカード1枚を選ぶ。そのカードが手札にあるなら、そのカードを捨てる。そうでなければ、\
         そのカードを生け贄に捧げる。",
    ),
    (
        "magic",
        "Still Graves",
        "enchantment {1} player cannot cast card where it in graveyard",
        "Players can't cast spells from graveyards.",
        "プレイヤーは墓地から呪文を唱えられない。",
    ),
    (
        "magic",
        "Still Exile",
        "enchantment {1} player cannot cast card where it in exile",
        "Players can't cast spells from exile.",
        "プレイヤーは追放領域から呪文を唱えられない。",
    ),
    (
        "magic",
        "Hands Only",
        "enchantment {1} opponent cannot cast card that (not candidate in hand)",
        "Your opponents can't cast spells from anywhere other than their hands.",
        "対戦相手は手札以外から呪文を唱えられない。",
    ),
    (
        "magic",
        "Still Beasts",
        "enchantment {1} opponent cannot cast creature in graveyard",
        "Your opponents can't cast creature spells from graveyards.",
        "",
    ),
    (
        "magic",
        "Grave Toll",
        "enchantment {1} always: spell_card of opponent that (candidate in graveyard) gets +1 surcharge",
        "Spells your opponents cast from graveyards cost {1} more to cast.",
        "対戦相手が墓地から呪文を唱えるためのコストは{1}多くなる。",
    ),
    (
        "magic",
        "Idle Forge",
        "enchantment {1} opponent cannot activate_ability permanent that (artifact)",
        "Your opponents can't activate abilities of artifacts.",
        "対戦相手はアーティファクトの能力を起動できない。",
    ),
    (
        "magic",
        "Closed Shelves",
        "enchantment {1} opponent cannot search",
        "Your opponents can't search libraries.",
        "対戦相手はライブラリーからカードを探せない。",
    ),
    (
        "magic",
        "Heard Spell",
        "enchantment {1} when opponent casts spell where it in stack and mana_value(it) >= 4: draw 1",
        "Whenever an opponent casts a spell and its mana value is 4 or more, draw a card.",
        "",
    ),
    (
        "magic",
        "Far Spell",
        "enchantment {1} when opponent casts card where not it in hand: draw 1",
        "Whenever an opponent casts a spell from anywhere other than their hand, draw a card.",
        "",
    ),
    (
        "magic",
        "Small Break",
        "instant {1} does: destroy target (creature with power <= 2 or artifact)",
        "Destroy target artifact or creature with power 2 or less.",
        "アーティファクトかパワーが2以下のクリーチャー1つを対象とする。それを破壊する。",
    ),
    (
        "magic",
        "Their Coins",
        "sorcery {1} does { choose target opponent as rich; 2 times { create \"Treasure\" into battlefield under rich } }",
        "Choose target opponent. That opponent creates two Treasure tokens. (They're artifacts with \"{T}, Sacrifice this token: \
         Add one mana of any color.\")",
        "対戦相手1人を対象とする。そのプレイヤーは宝物・トークン2つを生成する。",
    ),
    (
        "magic",
        "Deep Look",
        "sorcery {1} does { put up to 1 card in your deck with looked_at that (not creature and not land) into your hand as found
          reveal found
          put random (count of card in your deck with looked_at) card in your deck with looked_at into bottom of your deck }",
        "You may reveal a noncreature, nonland card from among them and put it into your \
         hand. Put the rest on the bottom of your library in a random order.",
        "",
    ),
    (
        "magic",
        "Tied Blade",
        "artifact \"Equipment\" {1} when this enters: attach_to(this, target creature of you)",
        "When Tied Blade enters the battlefield, attach it to target creature you control.",
        "",
    ),
    (
        "magic",
        "Toll Of Exile",
        "instant {1} does { choose target spell as stopped
          (controller of stopped) may pay {3}
          otherwise { exile stopped } }",
        "Exile target spell unless that spell's controller pays {3}.",
        "",
    ),
    (
        "magic",
        "Grown Double",
        "creature {3}{U} 0/0 if this would enter, may instead {
          choose 1 creature as model
          this enters as copy of model
          put this into battlefield under you and receive(this, \"+1/+1\", 1) }",
        "You may have Grown Double enter the battlefield as a copy of any creature on the battlefield, except it enters with an \
         additional +1/+1 counter on it.",
        "あなたはこのクリーチャーを、戦場に出ているクリーチャー1体のコピーとして戦場に出してもよい。ただし、\
         それは追加の+1/+1カウンターが1個置かれた状態で戦場に出る。",
    ),
    (
        "magic",
        "Brief Prison",
        "enchantment {1} immediately when this leaves: put each card in exile that (held_by == this) into battlefield",
        "Immediately after Brief Prison leaves the battlefield, return each card exiled with it to the battlefield under its owner's \
         control.",
        "",
    ),
    (
        "duel_masters",
        "Still Tombs",
        "creature water cost 4 power 2000 opponent cannot cast spell that (candidate in graveyard)",
        "Your opponent can't cast spells from graveyards.",
        "■相手は墓地から呪文を唱えられない。",
    ),
    (
        "duel_masters",
        "Named Number",
        "spell water cost 3 does { choose number from 1 to 12 as n; destroy each creature of opponent with cost == n }",
        "Choose a number from 1 to 12. Destroy all your opponent's creatures with cost equal to that number.",
        "■1から12までの数を1つ選ぶ。相手のその数と同じコストを持つクリーチャーをすべて破壊する。",
    ),
    (
        "yugioh",
        "Own Doing",
        "monster earth \"Rock\" level 4 atk 0 def 0 when this is sent_to_graveyard where cause_player is you: draw 1",
        "If this card is sent to the GY, and you caused it: Draw 1 card.",
        "①：このカードが墓地へ送られた場合、それが自分によるなら発動する。自分は1枚ドローする。",
    ),
    (
        "yugioh",
        "Not Theirs",
        "monster earth \"Rock\" level 4 atk 0 def 0 when this is sent_to_graveyard where cause_player is not opponent: draw 1",
        "If this card is sent to the GY, and your opponent did not cause it: Draw 1 card.",
        "",
    ),
    (
        "yugioh",
        "Ruled Out",
        "monster earth \"Rock\" level 4 atk 0 def 0 when this is sent_to_graveyard where cause == rule: draw 1",
        "If this card is sent to the GY, and a rule caused it: Draw 1 card.",
        "",
    ),
];
