//! Cards whose texts the test `rules_texts` compares: options, words without a name, moves out of a zone, changes that make another thing.

use crate::CardText;

/// What the cards of Magic name.
pub const DECLARATIONS: &str = r#"
token "Wisp" { creature 1/1 }
action juggle(who: player, it)
traits subtype adds { "Elk" }
"#;

/// The cards.
pub const CARDS: [CardText<'_>; 29] = [
    (
        "magic",
        "Path Home",
        "instant {W} does { choose target creature as gone; let loser = controller of gone; destroy gone; (loser) may search; if you do, { (loser) puts up to 1 basic_land in deck of loser into battlefield under loser; shuffle deck of loser } }",
        "Destroy target creature. That creature's controller may search their library for a basic land card, put it onto the battlefield, then shuffle.",
        "クリーチャー1体を対象とする。そのクリーチャーを破壊する。そのクリーチャーのコントローラーは「自分のライブラリーから基本土地カード1枚を探し、戦場に出す。その後、ライブラリーを切り直す。」を選んでもよい。",
    ),
    (
        "magic",
        "Late Search",
        "instant {W} does { choose target creature as x; (controller of x) may search }",
        "Target creature's controller may search their library.",
        "クリーチャー1体を対象とする。そのクリーチャーのコントローラーは自分のライブラリーからカードを探してもよい。",
    ),
    (
        "magic",
        "Juggler",
        "instant {W} does { choose target creature as x; (controller of x) may juggle(x) }",
        "Target creature's controller may juggle that creature.",
        "クリーチャー1体を対象とする。そのクリーチャーのコントローラーはそのクリーチャーを「juggle」してもよい。",
    ),
    (
        "magic",
        "Elk Maker",
        "instant {W} does: target (artifact or creature) gets no abilities, green only, creature, subtype = \"Elk\", power = 3, toughness = 3",
        "Target artifact or creature loses all abilities and becomes a 3/3 green Elk creature.",
        "アーティファクト1つかクリーチャー1体を対象とする。それはすべての能力を失い、緑の3/3の大鹿・クリーチャーになる。",
    ),
    (
        "magic",
        "Elk Only",
        "instant {W} does: target creature gets subtype = \"Elk\"",
        "Target creature becomes an Elk.",
        "クリーチャー1体を対象とする。そのクリーチャーは大鹿になる。",
    ),
    (
        "magic",
        "Sharp Tithe",
        "sorcery {B} cost { choose 1 { - sacrifice 1 creature of you  - discard 1 other card in your hand } } does: draw 1",
        "As an additional cost to cast this spell, sacrifice a creature or discard a card.\nDraw a card.",
        "この呪文を唱えるための追加コストとして、クリーチャー1体を生け贄に捧げるか、カード1枚を捨てる。\nカードを1枚引く。",
    ),
    (
        "magic",
        "Fair Trade",
        "sorcery {U} does { choose target (artifact or creature) of you as mine; choose target creature of opponent as theirs; let owner_then = controller of theirs; if mine in battlefield and theirs in battlefield { simultaneously { mine gets controller = owner_then; theirs gets controller = you } } }",
        "Exchange control of target artifact or creature you control and target creature an opponent controls.",
        "あなたがコントロールしているアーティファクトかクリーチャー1つと、対戦相手がコントロールしているクリーチャー1体を対象とする。前者と後者のコントロールを交換する。",
    ),
    (
        "magic",
        "Called Back",
        "sorcery {W} does { put target creature in your graveyard into battlefield under you as back; if back in battlefield { draw 1 } }",
        "Return target creature card from your graveyard to the battlefield. If that creature is on the battlefield, draw a card.",
        "あなたの墓地にあるクリーチャー・カード1枚を対象とする。それを戦場に戻す。そのカードが戦場にあるなら、カードを1枚引く。",
    ),
    (
        "magic",
        "Counter Of Choice",
        "sorcery {W} does { choose target creature in your graveyard as called; put called into battlefield under you as back; choose word of counter_kind that is (\"+1/+1\" or loyalty) as sort; receive(back, sort, 1) }",
        "Return target creature card from your graveyard to the battlefield. Put your choice of a +1/+1 or loyalty counter on that creature.",
        "",
    ),
    (
        "magic",
        "Horde Leader",
        "creature {W} 1/1 when you declare_attackers: draw 1",
        "Whenever you attack, draw a card.",
        "あなたが攻撃するたび、カードを1枚引く。",
    ),
    (
        "magic",
        "Raid Leader",
        "creature {W} 1/1 when one or more creature of you attacks { for each foe in each opponent { choose 1 attackable that (defender_of(candidate) is foe) as prey; create \"Wisp\" into battlefield under you tapped as raider; join_attack(raider, prey) } }",
        "Whenever one or more creatures you control attack, for each opponent, create a 1/1 colorless creature token that's tapped and attacking that opponent or a planeswalker they control.",
        "あなたがコントロールしているクリーチャー1体以上が攻撃するたび、対戦相手1つにつき、そのプレイヤーかそのプレイヤーがコントロールしているプレインズウォーカー1体を攻撃しているタップ状態の無色の1/1のクリーチャー・トークン1体を生成する。",
    ),
    (
        "magic",
        "Channel Bear",
        "creature {W} 1/1\nin hand \"channel\" {1}{G}, discard this: draw 1",
        "{1}{G}, Discard this card: Draw a card.",
        "{1}{G}、このカードを捨てる：カードを1枚引く。",
    ),
    (
        "magic",
        "Cheaper Channel",
        "creature {W} 1/1\n  in hand \"channel\" {G}, price generic(max(0, 1 - count of creature of you with legendary)), discard this: { destroy target artifact; draw 1 }",
        "{1}{G}, Discard this card: Destroy target artifact. Draw a card. This ability costs {1} less to activate for each legendary creature you control.",
        "{1}{G}、このカードを捨てる：アーティファクト1つを対象とする。そのアーティファクトを破壊する。カードを1枚引く。この能力を起動するためのコストは、あなたがコントロールしている伝説のクリーチャー1体につき{1}少なくなる。",
    ),
    (
        "magic",
        "Nested Either",
        "instant {W} does { if some creature of you { draw 1; if some land of you { gain 3 }; lose_life 2 } }",
        "If you control a creature, draw a card. In that case, if you control a land, you gain 3 life. If the first condition was met, you lose 2 life.",
        "あなたがクリーチャーをコントロールしているなら、カードを1枚引く。その場合、あなたが土地をコントロールしているなら、あなたは3点のライフを得る。最初の条件を満たしていたなら、あなたは2点のライフを失う。",
    ),
    (
        "magic",
        "Each Either",
        "instant {W} does { for each _x in creature of you { you may draw 1; if you do, lose_life 1; gain 3 } }",
        "For each creature you control, you may draw a card. If you do, you lose 1 life. For each of them, whether or not that was done, you gain 3 life.",
        "",
    ),
    (
        "magic",
        "Crowned",
        "creature {W} toughness 4\ndefines { power = count of creature of you }",
        "Crowned's power is equal to the number of creatures you control.",
        "このクリーチャーのパワーは、あなたがコントロールしているクリーチャーの数に等しい。",
    ),
    (
        "magic",
        "Other Way",
        "creature {W} 1/1 if other creature of you would die, may instead { exile it; if some card in your hand { draw 1 } }",
        "If another creature you control would die, you may instead exile it. In that case, if there is a card in your hand, draw a card.",
        "あなたがコントロールしている他のクリーチャーが死亡するなら、代わりにそれを追放してもよい。その場合、あなたの手札にカードがあるなら、カードを1枚引く。",
    ),
    (
        "magic",
        "Moved In",
        "instant {W} does { put 1 land in your hand into battlefield tapped; then you may put 1 creature in your graveyard into exile }",
        "Put a land card from your hand onto the battlefield tapped, then you may exile a creature card from your graveyard.",
        "",
    ),
    (
        "duel_masters",
        "Saved By Chance",
        "creature fire cost 5 power 5000 if other creature of you would be destroyed, may instead { let gone = it; trash top 1 card of your deck as shown; if not (shown is \"Dragon\" or shown is \"Fire Bird\") { put gone into its owner's graveyard } }",
        "If another of your creatures would be destroyed, you may instead put the top card of your deck into your graveyard. If that card is neither a Dragon nor a Fire Bird, put that creature into its owner's graveyard.",
        "■自分の他のクリーチャーが破壊される時、かわりに自分の山札の上から1枚を墓地に置いてもよい。そうした場合、そのカードがドラゴンでもファイアー・バードでもないなら、そのクリーチャーを持ち主の墓地に置く。",
    ),
    (
        "duel_masters",
        "Recaller",
        "creature water cost 2 power 2000 when this attacks: you may recall 1 spell in your graveyard",
        "Whenever this creature attacks, you may cast a spell from your graveyard for no cost, then put it on the bottom of its owner's deck instead of into their graveyard.",
        "■このクリーチャーが攻撃する時、自分の墓地にある呪文を1枚選び、コストを支払わずに唱えてもよい。その後、墓地に置くかわりに持ち主の山札の下に置く。",
    ),
    (
        "duel_masters",
        "Hand Back",
        "creature water cost 2 power 2000 if creature of you would enter hand from battle, instead: charge it",
        "If one of your creatures would be returned to your hand from the battle zone, put it into your mana zone instead.",
        "■自分のクリーチャーがバトルゾーンから手札に戻される時、かわりにそれをマナゾーンに置く。",
    ),
    (
        "duel_masters",
        "Mana Rise",
        "spell nature cost 2 does { let n = count of card in your mana; put 1 creature in your mana with cost <= n into battle under you }",
        "Put a creature from your mana zone with cost less than or equal to the number of cards in your mana zone into the battle zone.",
        "",
    ),
    (
        "duel_masters",
        "Their Rise",
        "spell nature cost 2 does: put 1 creature in mana of opponent into battle under opponent",
        "Put a creature from your opponent's mana zone into the battle zone.",
        "■相手のマナゾーンからクリーチャーを1体選び、バトルゾーンに出す。",
    ),
    (
        "yugioh",
        "Quick Fall",
        "monster dark \"Fiend\" level 4 atk 1 def 1\nin hand activated \"x\" { when quick(this, you) and (main1 or main2)  does { special_summon(this, you) } }",
        "During the Main Phase (Quick Effect): You can Special Summon this card from your hand.",
        "①：自分・相手のメインフェイズに発動できる。このカードを手札から特殊召喚する。",
    ),
    (
        "yugioh",
        "Deep Gate",
        "monster dark \"Fiend\" level 4 atk 1 def 1\nin graveyard activated \"x\" { when some monster of you  cost { banish this }  does { draw 1 } }",
        "If you control a monster and this card is in your GY: You can banish this card; draw 1 card.",
        "①：このカードが墓地に存在し、自分フィールドにモンスターが存在する場合、このカードを除外して発動できる。自分は1枚ドローする。",
    ),
    (
        "yugioh",
        "Closed Book",
        "trap continuous\n  players cannot activate spell\n  player cannot activate spell where it in hand",
        "Neither player can activate Spell Cards.\nPlayers cannot activate Spells from the hand.",
        "①：お互いに魔法カードを発動できない。\n②：お互いに手札から魔法カードを発動できない。",
    ),
    (
        "yugioh",
        "Great Burn",
        "spell does { let n = highest atk of open_monster; burn opponent for n }",
        "Inflict damage to your opponent equal to the highest ATK among face-up monsters.",
        "①：表側表示モンスターの中で最も大きい攻撃力分のダメージを相手に与える。",
    ),
    (
        "yugioh",
        "Twice Struck",
        "monster dark \"Fiend\" level 4 atk 1 def 1\nif opponent would be battle_damaged where fights(this) or attacker == this, instead: battle_damage(opponent, 2 * n)",
        "Any battle damage your opponent takes from battles involving this card is doubled.",
        "①：このカードの戦闘で発生する相手への戦闘ダメージは2倍になる。",
    ),
    (
        "yugioh",
        "Lost Wearer",
        "monster dark \"Fiend\" level 4 atk 1 def 1\nin graveyard when this is sent_to_graveyard where bearer of this in graveyard: you may draw 1",
        "If this card is sent to the GY, and the equipped monster is in either GY: You can draw 1 card.",
        "",
    ),
];
