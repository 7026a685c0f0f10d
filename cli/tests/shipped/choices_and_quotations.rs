//! Cards whose texts the test `rules_texts` compares: choices before what happens later, quoted abilities of others and of tokens, whose action a
//! sentence is, what several players choose, and where the part under an event, a duration or a condition ends.

use crate::CardText;

/// What the cards of Magic name.
pub const MAGIC: &str = r#"keyword pinger { "ping" {T}: deal 1 damage to target recipient }
keyword prod { when this attacks { choose target creature of defending of this as a; tap a } }
keyword parting_gift { when this dies: draw 1 }
token "Mana Elf" { creature "Elf" green 1/1 green_mana }
token "Stuck Ooze" { creature "Ooze" green 2/2 stays_tapped }
token "Tapped Wall" { artifact creature "Wall" 0/4 defender enters_tapped }
token "Mad Imp" { creature "Imp" red 2/1 must_attack }
token "Last Imp" { creature "Imp" red 2/1 blocked_if_able any_hand_size }
"#;

/// What the cards of Yu-Gi-Oh! name.
pub const YUGIOH: &str = r#"keyword thorns(n: number) { when this is destroyed_in_battle: burn opponent for n }
"#;

/// The cards.
pub const CARDS: [CardText<'_>; 47] = [
    (
        "magic",
        "Chosen Raider",
        "sorcery {1}{R} does { choose target creature of you as a; whenever a deals_damage to player until end of turn { draw 1 } }",
        "Whenever target creature you control deals damage to a player this turn, draw a card.",
        "あなたがコントロールしているクリーチャー1体を対象とする。このターン、そのクリーチャーがプレイヤーにダメージを与えるたび、カードを1枚引く。",
    ),
    (
        "magic",
        "Doom Ahead",
        "sorcery {1}{R} does { choose target creature as a; at start of upkeep of you { destroy a } }",
        "Destroy target creature at the beginning of your next upkeep.",
        "クリーチャー1体を対象とする。あなたの次のアップキープの開始時に、そのクリーチャーを破壊する。",
    ),
    (
        "magic",
        "Late Sacrifice",
        "sorcery {1}{B} does { choose 1 creature of you as a; at start of end_step { sacrifice a } ; a gets +4/+0 until end of turn }",
        "Choose a creature you control. Sacrifice that creature at the beginning of the next end step. That creature gets +4/+0 until end of turn.",
        "あなたがコントロールしているクリーチャー1体を選ぶ。次の終了ステップの開始時に、そのクリーチャーを生け贄に捧げる。ターン終了時まで、そのクリーチャーは+4/+0の修整を受ける。",
    ),
    (
        "magic",
        "Doomsayer",
        "creature \"Human\" {1}{W} 2/2 when this attacks { choose target creature of opponent as foe; at start of end_step { destroy foe } }",
        "Whenever Doomsayer attacks, destroy target creature an opponent controls at the beginning of the next end step.",
        "このクリーチャーが攻撃するたび、対戦相手がコントロールしているクリーチャー1体を対象とする。次の終了ステップの開始時に、そのクリーチャーを破壊する。",
    ),
    (
        "magic",
        "Doombringer",
        "creature \"Human\" {1}{W} 2/2 when this enters { choose 1 creature of opponent as foe; at start of end_step { destroy foe } }",
        "When Doombringer enters the battlefield, choose a creature an opponent controls. Destroy that creature at the beginning of the next end step.",
        "このクリーチャーが戦場に出たとき、対戦相手がコントロールしているクリーチャー1体を選ぶ。次の終了ステップの開始時に、そのクリーチャーを破壊する。",
    ),
    (
        "magic",
        "Timely Shield",
        "creature \"Human\" {1}{W} 2/2 {2}: { choose target creature of you as c; until end of turn, once { if c would be destroyed, instead: untap c } }",
        "{2}: Until end of turn, the next time target creature you control would be destroyed, untap that creature instead.",
        "{2}：あなたがコントロールしているクリーチャー1体を対象とする。このターン、次にそのクリーチャーが破壊されるなら、代わりにそのクリーチャーをアンタップする。",
    ),
    (
        "magic",
        "Two Graves",
        "sorcery {2}{B} does { choose target creature of you as a; choose target creature of opponent as b; destroy a; if a in graveyard { destroy b } }",
        "Choose target creature you control. Choose target creature an opponent controls. Destroy the first creature. If the first creature is in a graveyard, destroy the second creature.",
        "あなたがコントロールしているクリーチャー1体と、対戦相手がコントロールしているクリーチャー1体を対象とする。前者を破壊する。前者が墓地にあるなら、後者を破壊する。",
    ),
    (
        "magic",
        "Two Targets",
        "sorcery {1}{R} does { choose target creature of you as a; choose target creature of opponent as b; tap a; if a is tapped { deal 3 damage to b } }",
        "Choose target creature you control. Choose target creature an opponent controls. Tap the first creature. If the first creature is tapped, Two Targets deals 3 damage to the second creature.",
        "あなたがコントロールしているクリーチャー1体と、対戦相手がコントロールしているクリーチャー1体を対象とする。前者をタップする。前者がタップ状態なら、Two Targetsは後者に3点のダメージを与える。",
    ),
    (
        "magic",
        "Two Exiles",
        "sorcery {1}{B} does { choose 1 creature of opponent as a; choose 1 creature of opponent that (candidate != a) as b; exile a; bounce b }",
        "Choose a creature an opponent controls. Choose another creature an opponent controls. Exile the first creature. Return the second creature to its owner's hand.",
        "対戦相手がコントロールしているクリーチャー1体を選ぶ。対戦相手がコントロールしている他のクリーチャー1体を選ぶ。1体目のクリーチャーを追放する。2体目のクリーチャーをオーナーの手札に戻す。",
    ),
    (
        "magic",
        "Milling Cast",
        "enchantment {1}{G} when player casts spell { (who) mills 1; if it is creature { (who) gains 1 } }",
        "Whenever a player casts a spell, that player mills a card. If that spell is a creature, that player gains 1 life.",
        "プレイヤーが呪文を唱えるたび、そのプレイヤーはカード1枚を切削する。その呪文がクリーチャーなら、そのプレイヤーは1点のライフを得る。",
    ),
    (
        "magic",
        "Drawn Tap",
        "enchantment {1}{G} when creature of opponent enters { draw 1; tap it }",
        "Whenever a creature an opponent controls enters the battlefield, draw a card. Tap that creature.",
        "対戦相手がコントロールしているクリーチャーが戦場に出るたび、カードを1枚引く。そのクリーチャーをタップする。",
    ),
    (
        "magic",
        "Pinging Blade",
        "artifact \"Equipment\" {2} always: bearer of this gets pinger ; equip({1})",
        "Equipped creature has \"{T}: This creature deals 1 damage to any target.\"\nEquip {1}",
        "装備しているクリーチャーは「{T}：1つを対象とする。このクリーチャーはそれに1点のダメージを与える」を持つ。\n装備{1}（{1}：あなたがコントロールしているクリーチャー1体を対象とする。これをそれにつける。装備はソーサリーとしてのみ行う。）",
    ),
    (
        "magic",
        "Prodding Aura",
        "enchantment \"Aura\" {1}{B} enchant_creature always: bearer of this gets prod",
        "Enchant creature\nEnchanted creature has \"Whenever this creature attacks, tap target creature defending player controls.\"",
        "エンチャント（クリーチャー）\nエンチャントされているクリーチャーは「このクリーチャーが攻撃するたび、防御プレイヤーがコントロールするクリーチャー1体を対象とする。そのクリーチャーをタップする」を持つ。",
    ),
    (
        "magic",
        "Luring Song",
        "instant {1}{G} does { target creature of you gets lures until end of turn }",
        "Until end of turn, target creature you control gains \"All creatures able to block this creature do so.\"",
        "あなたがコントロールしているクリーチャー1体を対象とする。ターン終了時まで、そのクリーチャーは「このクリーチャーをブロックできるすべてのクリーチャーは、それをブロックする」を得る。",
    ),
    (
        "magic",
        "Shy Crowd",
        "enchantment {1}{G} always: creature gets not_alone",
        "Creatures have \"This creature can't attack or block alone.\"",
        "クリーチャーは「このクリーチャーは、単独では攻撃したりブロックしたりできない」を持つ。",
    ),
    (
        "magic",
        "Sure Word",
        "instant {1}{U} does { target spell of you gets uncounterable until end of turn }",
        "Until end of turn, target spell you control gains \"This spell can't be countered.\"",
        "あなたがコントロールしている呪文1つを対象とする。ターン終了時まで、その呪文は「この呪文は打ち消されない」を得る。",
    ),
    (
        "magic",
        "Parting Gifts",
        "enchantment {2}{W} when creature of you attacks: it gets parting_gift until end of turn",
        "Whenever a creature you control attacks, until end of turn, it gains \"When this creature dies, draw a card.\"",
        "あなたがコントロールしているクリーチャーが攻撃するたび、ターン終了時まで、それは「このクリーチャーが死亡したとき、カードを1枚引く」を得る。",
    ),
    (
        "magic",
        "Token Maker",
        "creature \"Human\" {1}{W} 2/2 when this enters: create \"Mana Elf\" into battlefield; when this dies: create \"Stuck Ooze\" into battlefield; when this attacks: create \"Tapped Wall\" into battlefield; when this blocks: create \"Mad Imp\" into battlefield",
        "When Token Maker enters the battlefield, create a 1/1 green Elf creature token with \"{T}: Add {G}.\"\nWhen Token Maker dies, create a 2/2 green Ooze creature token with \"This token doesn't untap during your untap step.\"\nWhenever Token Maker attacks, create a 0/4 colorless Wall artifact creature token with defender and \"This token enters the battlefield tapped.\"\nWhenever Token Maker blocks, create a 2/1 red Imp creature token with \"This token attacks each combat if able.\"",
        "このクリーチャーが戦場に出たとき、「{T}：{G}を加える。」を持つ緑の1/1のエルフ・クリーチャー・トークン1体を生成する。\nこのクリーチャーが死亡したとき、「このトークンは、あなたのアンタップ・ステップの間にアンタップしない。」を持つ緑の2/2のウーズ・クリーチャー・トークン1体を生成する。\nこのクリーチャーが攻撃するたび、防衛と「このトークンはタップ状態で戦場に出る。」を持つ無色の0/4の壁・アーティファクト・クリーチャー・トークン1体を生成する。\nこのクリーチャーがブロックするたび、「このクリーチャーは、可能なら各戦闘で攻撃する。」を持つ赤の2/1のインプ・クリーチャー・トークン1体を生成する。",
    ),
    (
        "magic",
        "Imp Maker",
        "creature \"Human\" {1}{W} 2/2 when this enters { draw 1; create \"Mad Imp\" into battlefield }; when this dies: create \"Last Imp\" into battlefield",
        "When Imp Maker enters the battlefield, draw a card. Create a 2/1 red Imp creature token with \"This token attacks each combat if able.\"\nWhen Imp Maker dies, create a 2/1 red Imp creature token with \"This token must be blocked if able.\" and \"You have no maximum hand size.\"",
        "このクリーチャーが戦場に出たとき、カードを1枚引く。「このクリーチャーは、可能なら各戦闘で攻撃する。」を持つ赤の2/1のインプ・クリーチャー・トークン1体を生成する。\nこのクリーチャーが死亡したとき、「このクリーチャーは、可能ならブロックされなければならない。」と「あなたの手札の上限はなくなる。」を持つ赤の2/1のインプ・クリーチャー・トークン1体を生成する。",
    ),
    (
        "magic",
        "Own Draw",
        "creature \"Elf\" {1}{G} 2/2 when this deals_damage to player where combat { (whom) discards 1 card in hand of whom; draw 1 }",
        "Whenever Own Draw deals combat damage to a player, that player discards a card. Draw a card.",
        "このクリーチャーがプレイヤーに戦闘ダメージを与えるたび、そのプレイヤーはカード1枚を捨てる。あなたはカードを1枚引く。",
    ),
    (
        "magic",
        "Own Reward",
        "creature \"Human\" {1}{W} 2/2 when this enters { (target opponent) may draw 1; if you do { draw 2 } }",
        "When Own Reward enters the battlefield, target opponent may draw a card. If they do, draw two cards.",
        "このクリーチャーが戦場に出たとき、対戦相手1人を対象とする。そのプレイヤーはカードを1枚引いてもよい。そうしたなら、あなたはカードを2枚引く。",
    ),
    (
        "magic",
        "Shared Loss",
        "sorcery {3}{B} does { each player sacrifices 1 creature as lost; draw (count of lost) }",
        "Each player sacrifices a creature. Draw cards equal to the number of those creatures.",
        "各プレイヤーはそれぞれクリーチャー1体を生け贄に捧げる。あなたはそれらの数に等しい数のカードを引く。",
    ),
    (
        "magic",
        "Shared Discard",
        "sorcery {3}{B} does { each player discards 1 card in hand as lost; draw (count of lost) }",
        "Each player discards a card. Draw cards equal to the number of those cards.",
        "各プレイヤーはそれぞれカード1枚を捨てる。あなたはそれらの数に等しい数のカードを引く。",
    ),
    (
        "magic",
        "Shared Graves",
        "sorcery {3}{B} does { each player sacrifices 1 creature as lost; for each one in lost { gain 1 } }",
        "Each player sacrifices a creature. For each of those creatures, you gain 1 life.",
        "各プレイヤーはそれぞれクリーチャー1体を生け贄に捧げる。それら1体につき、あなたは1点のライフを得る。",
    ),
    (
        "magic",
        "Land Or Not",
        "creature \"Human\" {1}{W} 2/2 when this enters { you may discard 1 card in your hand as gone; if you do { if gone is land { draw 2 } otherwise { draw 1 } } }",
        "When Land Or Not enters the battlefield, you may discard a card. If you do and that card is a land, draw two cards. If you do and that isn't so, draw a card.",
        "このクリーチャーが戦場に出たとき、あなたはカード1枚を捨ててもよい。そうして、そのカードが土地なら、カードを2枚引く。そうして、その条件を満たさないなら、カードを1枚引く。",
    ),
    (
        "duel_masters",
        "Own Cards",
        "spell water cost 3 does { opponent may draw 1; if you do, draw 2 }",
        "Your opponent may draw a card. If they do, draw 2 cards.",
        "■相手はカードを1枚引いてもよい。そうした場合、自分はカードを2枚引く。",
    ),
    (
        "duel_masters",
        "Watched Rival",
        "creature fire \"Dragon\" cost 4 power 4000 when this enters { let x = 1 creature of opponent; when x is destroyed until end of turn { draw 2 } }",
        "When you put this creature into the battle zone, choose one of your opponent's creatures. The next time that creature is destroyed this turn, draw 2 cards.",
        "■このクリーチャーが出た時、相手のクリーチャーを1体選ぶ。このターン、次にそのクリーチャーが破壊された時、カードを2枚引く。",
    ),
    (
        "duel_masters",
        "Doomed Rival",
        "creature fire \"Dragon\" cost 4 power 4000 when this enters { choose 1 creature of opponent as x; at start of turn.finish { destroy x } }",
        "When you put this creature into the battle zone, choose one of your opponent's creatures. At the end of the turn, destroy that creature.",
        "■このクリーチャーが出た時、相手のクリーチャーを1体選ぶ。このターンの終わりに、そのクリーチャーを破壊する。",
    ),
    (
        "duel_masters",
        "Watched Friend",
        "spell water cost 3 does { choose 1 creature of you as x; until end of turn { if x would be destroyed, instead: untap x } }",
        "Choose one of your creatures. Until the end of the turn, if that creature would be destroyed, untap that creature instead.",
        "■自分のクリーチャーを1体選ぶ。このターン、そのクリーチャーが破壊される時、かわりにそのクリーチャーをアンタップする。",
    ),
    (
        "duel_masters",
        "Both Under Event",
        "spell water cost 3 does { until end of turn { when creature of you is destroyed { draw 1; opponent discards 1 card in hand } } }",
        "Until the end of the turn, whenever one of your creatures is destroyed, draw a card and your opponent discards a card from their hand.",
        "■このターン、自分のクリーチャーが破壊された時、カードを1枚引き、相手は自身の手札を1枚選び、捨てる。",
    ),
    (
        "duel_masters",
        "Either Way Round",
        "spell water cost 3 does { until end of turn { when creature of you attacks { if no card in your hand { draw 1 }; tap 1 creature of opponent } } }",
        "Until the end of the turn, whenever one of your creatures attacks, if there are no cards in your hand, draw a card. At that time, either way, tap one of your opponent's creatures.",
        "■このターン、自分のクリーチャーが攻撃する時、自分の手札にカードがないなら、カードを1枚引く。その時に、いずれの場合も、相手のクリーチャーを1体選び、タップする。",
    ),
    (
        "duel_masters",
        "Two Events",
        "spell water cost 3 does { until end of turn { when creature of you is destroyed { draw 1; opponent discards 1 card in hand }; when you cast spell: draw 1 } }",
        "Until the end of the turn, whenever one of your creatures is destroyed, draw a card and your opponent discards a card from their hand and whenever you cast a spell, draw a card.",
        "■このターン、自分のクリーチャーが破壊された時、カードを1枚引き、相手は自身の手札を1枚選び、捨て、自分が呪文を唱えた時、カードを1枚引く。",
    ),
    (
        "duel_masters",
        "Both Under Duration",
        "spell water cost 3 does { until end of turn { always { creature of you gets blocker; creature of opponent gets -1000 power } } }",
        "Until the end of the turn, your creatures have blocker and your opponent's creatures get -1000 power.",
        "■このターン、自分のクリーチャーに「ブロッカー」を与え、相手のクリーチャーのパワーを-1000する。",
    ),
    (
        "duel_masters",
        "Turn Or Not",
        "creature fire \"Dragon\" cost 4 power 4000 when this enters { if you is active { draw 1 }; opponent discards 1 card in hand }",
        "When you put this creature into the battle zone, if it's your turn, draw a card. Either way, your opponent discards a card from their hand.",
        "■このクリーチャーが出た時、自分のターンなら、カードを1枚引く。いずれの場合も、相手は自身の手札を1枚選び、捨てる。",
    ),
    (
        "duel_masters",
        "After The Attack",
        "creature fire \"Dragon\" cost 4 power 4000 when this attacks { when this ends_attack { draw 1; opponent discards 1 card in hand } }",
        "Whenever this creature attacks, after the attack, draw a card and your opponent discards a card from their hand.",
        "■このクリーチャーが攻撃する時、その攻撃の終わりに、カードを1枚引き、相手は自身の手札を1枚選び、捨てる。",
    ),
    (
        "duel_masters",
        "Chosen By Each",
        "spell water cost 3 does { each player chooses 1 creature of player as x; destroy x; draw 1 }",
        "Each player chooses one of their creatures. Destroy those creatures. Draw a card.",
        "■各プレイヤーは自身のクリーチャーを1体選ぶ。それらを破壊する。カードを1枚引く。",
    ),
    (
        "duel_masters",
        "Thrown By Each",
        "spell water cost 3 does { each player discards 1 card in hand as gone; if count of gone == 2 { draw 1 } }",
        "Each player discards a card from their hand. If there are exactly 2 of those cards, draw a card.",
        "■各プレイヤーは自身の手札を1枚選び、捨てる。それらの数が2なら、カードを1枚引く。",
    ),
    (
        "duel_masters",
        "Counted By Each",
        "creature fire \"Dragon\" cost 4 power 4000 when this enters { each player may discard 1 card in hand as gone; draw (count of gone) }",
        "When you put this creature into the battle zone, each player may discard a card from their hand. Draw a card for each of those cards.",
        "■このクリーチャーが出た時、各プレイヤーは自身の手札を1枚選び、捨ててもよい。自分はそれら1枚につき、カードを1枚引く。",
    ),
    (
        "yugioh",
        "Doom Phase",
        "monster dark \"Fiend\" level 4 atk 1500 def 1000 when this is summoned { let x = target open_monster of opponent; at start of end_phase { destroy x } }",
        "If this card is Summoned: Target 1 face-up monster your opponent controls; during the End Phase, destroy that face-up monster.",
        "①：このカードが召喚・反転召喚・特殊召喚した場合、相手フィールドの表側表示モンスター1体を対象として発動する。エンドフェイズにそのモンスターを破壊する。",
    ),
    (
        "yugioh",
        "Watched Attack",
        "spell does { let x = target open_monster of you; when x declares_attack until end of turn { draw 1 } }",
        "Target 1 face-up monster you control; the next time that face-up monster declares an attack this turn, draw 1 card.",
        "①：自分フィールドの表側表示モンスター1体を対象として発動できる。このターン、次にそのモンスターが攻撃宣言した時、自分は1枚ドローする。",
    ),
    (
        "yugioh",
        "Watched End",
        "spell does { let x = target open_monster of you; until end of turn { if x would be destroyed, may instead: discard 1 card in hand of you } }",
        "Target 1 face-up monster you control; until the end of this turn, if that face-up monster would be destroyed, you can discard 1 card instead.",
        "①：自分フィールドの表側表示モンスター1体を対象として発動できる。ターン終了時まで、そのモンスターが破壊される場合、代わりに自分の手札を1枚選んで捨てる事ができる。",
    ),
    (
        "yugioh",
        "Thorny Field",
        "spell discard_cost(1) does { each open_monster of you gets thorns(300) until end of turn }",
        "Discard 1 card; until the end of this turn, face-up monsters you control gain \"If this card is destroyed by battle: Inflict 300 damage to your opponent.\"",
        "①：手札を1枚捨てて発動できる。ターン終了時まで、自分フィールドの表側表示モンスター全ては「このカードが戦闘で破壊された場合に発動する。相手に300ダメージを与える」を得る。",
    ),
    (
        "yugioh",
        "Paid Watch",
        "spell discard_cost(1) does { until end of turn { when monster of opponent declares_attack: burn opponent for 300 } }",
        "Discard 1 card; until the end of this turn, if a monster your opponent controls declares an attack: Inflict 300 damage to your opponent.",
        "①：手札を1枚捨てて発動できる。ターン終了時まで、相手フィールドのモンスターが攻撃宣言した場合に発動する。相手に300ダメージを与える。",
    ),
    (
        "yugioh",
        "Thorny Target",
        "spell does { target open_monster of you gets thorns(800) until end of turn }",
        "Target 1 face-up monster you control; until the end of this turn, it gains \"If this card is destroyed by battle: Inflict 800 damage to your opponent.\"",
        "①：自分フィールドの表側表示モンスター1体を対象として発動できる。ターン終了時まで、そのモンスターは「このカードが戦闘で破壊された場合に発動する。相手に800ダメージを与える」を得る。",
    ),
    (
        "yugioh",
        "Costly Watch",
        "monster dark \"Fiend\" level 4 atk 1500 def 1000 \"a\" discard 1 card in your hand, when ignition(you), limit 1 per turn: { until end of turn { when monster of opponent declares_attack: burn opponent for 500 } }",
        "Once per turn: You can discard 1 card; until the end of this turn, if a monster your opponent controls declares an attack: Inflict 500 damage to your opponent.",
        "①：1ターンに1度、手札を1枚捨てて発動できる。ターン終了時まで、相手フィールドのモンスターが攻撃宣言した場合に発動する。相手に500ダメージを与える。",
    ),
    (
        "yugioh",
        "Watched Attacks",
        "spell does { let x = target open_monster of you; whenever x declares_attack until end of turn { draw 1 } }",
        "Target 1 face-up monster you control; whenever that face-up monster declares an attack this turn, draw 1 card.",
        "①：自分フィールドの表側表示モンスター1体を対象として発動できる。このターン、そのモンスターが攻撃宣言するたび、自分は1枚ドローする。",
    ),
    (
        "yugioh",
        "Drawn Before",
        "spell does { draw 1; let x = target open_monster of you; when x declares_attack until end of turn { draw 1 } }",
        "Draw 1 card. Target 1 face-up monster you control; the next time that face-up monster declares an attack this turn, draw 1 card.",
        "①：自分フィールドの表側表示モンスター1体を対象として発動できる。自分は1枚ドローする。このターン、次にそのモンスターが攻撃宣言した時、自分は1枚ドローする。",
    ),
];
