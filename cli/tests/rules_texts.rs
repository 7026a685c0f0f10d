//! Compares the rules texts of all shipped cards with golden files: one for each game or format and each language, in `tests/texts`.
//!
//! `FIZZLE_WRITE_TEXTS=1 cargo test -p fizzle-cli --test rules_texts` rewrites them. Review the difference as a player would read it.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "shipped/choices_and_quotations.rs"]
mod choices_and_quotations;
#[path = "shipped/conditions_of_use.rs"]
mod conditions_of_use;
#[path = "shipped/governed_blocks.rs"]
mod governed_blocks;
#[path = "shipped/later_worded_cards.rs"]
mod later_worded_cards;
#[path = "shipped/own_designs.rs"]
mod own_designs;
#[path = "shipped/owners_and_operands.rs"]
mod owners_and_operands;
#[path = "shipped/references_and_conditions.rs"]
mod references_and_conditions;
#[path = "shipped/references_to_players.rs"]
mod references_to_players;
#[path = "shipped/sources.rs"]
mod sources;
#[path = "shipped/true_sentences.rs"]
mod true_sentences;
#[path = "shipped/worded_cards.rs"]
mod worded_cards;

use fizzle_runtime::ir::{CompiledGame, Texts};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

fn golden_page(game: &CompiledGame, texts: &Texts) -> String {
    let mut out = String::new();
    for text in &texts.cards {
        let name = &game.library.definitions[text.card as usize].name;
        let own = if text.name.is_empty() { String::new() } else { format!(" ({})", text.name) };
        // An erratum is shown with the format that declares it.
        let corrects = game.formats.iter().find(|format| format.errata.iter().any(|(_, new)| new.0 == text.card));
        let of = corrects.map_or_else(String::new, |format| format!(" [{}]", format.name));
        let _ = writeln!(out, "{name}{own}{of}");
        for line in text.lines.iter().flat_map(|line| line.lines()) {
            let _ = writeln!(out, "  {line}");
        }
        out.push('\n');
    }
    out
}

#[test]
fn texts_equal_the_golden_files() {
    let write = std::env::var_os("FIZZLE_WRITE_TEXTS").is_some();
    let compilation = fizzle_compiler::compile_with(sources::sources(), true);
    let artifact = compilation.artifact.unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/texts");
    let mut wrong = Vec::new();
    // No part may lack words.
    for (language, card, _) in &compilation.gaps {
        wrong.push(format!("no words for a part of `{card}` in `{language}`"));
    }
    for game in &artifact.games {
        for texts in &game.texts {
            // Texts that differ in a format have their own file.
            let of = if texts.format.is_empty() { &game.name } else { &texts.format };
            let path = folder.join(format!("{of}.{}.txt", texts.language));
            let page = golden_page(game, texts);
            // No part may be shown as source.
            for line in page.lines().filter(|line| line.contains('⟦')) {
                wrong.push(format!("{}.{}: no words for: {}", game.name, texts.language, line.trim()));
            }
            if write {
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(&path, &page).unwrap();
                continue;
            }
            let golden = std::fs::read_to_string(&path).unwrap_or_default();
            let differs = golden.lines().zip(page.lines()).position(|(a, b)| a != b);
            if golden != page {
                let line = differs.unwrap_or_else(|| golden.lines().count().min(page.lines().count()));
                wrong.push(format!(
                    "{}:{}\n  golden: {}\n  now:    {}",
                    path.display(),
                    line + 1,
                    golden.lines().nth(line).unwrap_or(""),
                    page.lines().nth(line).unwrap_or("")
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\nFIZZLE_WRITE_TEXTS=1 rewrites the golden files", wrong.join("\n"));
}

/// A card, a part of its source, its replacement with another number, and both numbers as the texts write them in English and Japanese.
type NumberChange = (&'static str, &'static str, &'static str, [(&'static str, &'static str); 2]);

const CHANGES: [NumberChange; 18] = [
    ("Lightning Bolt", "deal 3 damage", "deal 7 damage", [("3", "7"), ("3", "7")]),
    ("Divination", "draw 2", "draw 5", [("two", "five"), ("2", "5")]),
    ("Mana Leak", "pay {3}", "pay {5}", [("{3}", "{5}"), ("{3}", "{5}")]),
    ("Army of the Damned", "13 times", "9 times", [("thirteen", "nine"), ("13", "9")]),
    ("Mind Rot", "discards 2", "discards 3", [("two", "three"), ("2", "3")]),
    ("Ookazi", "burn opponent for 800", "burn opponent for 900", [("800", "900"), ("800", "900")]),
    ("Dian Keto the Cure Master", "gain 1000", "gain 1100", [("1000", "1100"), ("1000", "1100")]),
    ("Swords of Revealing Light", ">= 3", ">= 4", [("3rd", "4th"), ("3", "4")]),
    ("Sangan", "atk <= 1500", "atk <= 1700", [("1500", "1700"), ("1500", "1700")]),
    ("スチーム・ハエタタキ", "power <= 4000", "power <= 4500", [("4000", "4500"), ("4000", "4500")]),
    ("エナジー・ライト", "draw 2", "draw 4", [("2", "4"), ("2", "4")]),
    ("喧嘩屋タイラー", "power_attacker(2000)", "power_attacker(5000)", [("2000", "5000"), ("2000", "5000")]),
    ("Volcanic Fallout", "deal 2 damage", "deal 6 damage", [("2", "6"), ("2", "6")]),
    ("Tarmogoyf", "types_in_graveyards() + 1", "types_in_graveyards() + 3", [("1", "3"), ("1を", "3を")]),
    ("Skill Drain", "life_cost 1000", "life_cost 1500", [("1000", "1500"), ("1000", "1500")]),
    ("スケルトン・バイス", "discard random 2", "discard random 3", [("2", "3"), ("2", "3")]),
    ("煌メク聖戦 絶十", "gets -3 cost", "gets -4 cost", [("3 less", "4 less"), ("3少なく", "4少なく")]),
    ("ストーンザウルス", "power_attacker(2000)", "power_attacker(3000)", [("2000", "3000"), ("2000", "3000")]),
];

/// The texts of a language, by game and name of the card. Texts of definitions with the same name are concatenated.
fn texts_by_card(games: &[CompiledGame], language: &str) -> BTreeMap<String, String> {
    let mut texts_of_cards = BTreeMap::new();
    for game in games {
        for texts in game.texts.iter().filter(|texts| texts.language == language) {
            for text in &texts.cards {
                let name = game.library.definitions[text.card as usize].name.clone();
                texts_of_cards
                    .entry(format!("{}: {name}", game.name))
                    .or_insert_with(String::new)
                    .push_str(&text.lines.join("\n"));
            }
        }
    }
    texts_of_cards
}

#[test]
fn changed_numbers_change_only_their_own_text() {
    let printed = fizzle_compiler::compile_with(sources::sources(), true).artifact.unwrap();
    let mut changed = sources::sources();
    for (card, old, new, _) in CHANGES {
        let heads = [format!("card \"{card}\" {{"), format!("card 《{card}》 {{")];
        let place = |text: &str| heads.iter().find_map(|head| text.find(head.as_str()));
        let file = changed.iter_mut().find(|file| file.path.contains("/cards/") && place(&file.text).is_some());
        let file = file.unwrap_or_else(|| panic!("no card {card}"));
        let start = place(&file.text).unwrap();
        let at = start + file.text[start..].find(old).unwrap_or_else(|| panic!("{card}: no `{old}`"));
        file.text.replace_range(at..at + old.len(), new);
    }
    let changed = fizzle_compiler::compile_with(changed, true).artifact.unwrap();
    for (index, language) in ["en", "ja"].into_iter().enumerate() {
        let before = texts_by_card(&printed.games, language);
        let after = texts_by_card(&changed.games, language);
        let mut change_count = 0;
        for (card, text) in &before {
            let change = CHANGES.iter().find(|(name, ..)| card.ends_with(&format!(": {name}")));
            let expected = change.map_or_else(|| text.clone(), |(.., numbers)| text.replace(numbers[index].0, numbers[index].1));
            assert_eq!(after[card], expected, "{language}, {card}");
            if change.is_some() {
                change_count += 1;
                assert_ne!(*text, expected, "{language}, {card}: the text must contain the number");
            }
        }
        assert_eq!(change_count, CHANGES.len(), "{language}");
    }
}

#[test]
fn formats_with_own_words_have_own_texts() {
    let artifact = fizzle_compiler::compile_with(sources::sources(), true).artifact.unwrap();
    let game = artifact.games.iter().find(|game| game.name == "duel_masters").unwrap();
    for language in ["en", "ja"] {
        let of = |format: &str| game.texts.iter().find(|texts| texts.language == language && texts.format == format);
        let (general, own) = (of("").unwrap(), of("duel_magic").unwrap());
        assert!(!own.cards.is_empty());
        for text in &own.cards {
            let printed = general.cards.iter().find(|printed| printed.card == text.card).unwrap();
            assert_ne!(printed.lines, text.lines, "{language}");
        }
        // A format that extends it has the same texts.
        assert!(of("duel_magic_hands").is_none());
    }
}

#[test]
fn errata_have_own_texts() {
    let artifact = fizzle_compiler::compile_with(sources::sources(), true).artifact.unwrap();
    let game = artifact.games.iter().find(|game| game.name == "duel_masters").unwrap();
    let format = game.formats.iter().find(|format| format.name == "duel_magic").unwrap();
    assert!(!format.errata.is_empty());
    for (printed, corrected) in &format.errata {
        for texts in game.texts.iter().filter(|texts| texts.format.is_empty()) {
            let (printed, corrected) = (texts.of(*printed).unwrap(), texts.of(*corrected).unwrap());
            assert_ne!(printed.lines, corrected.lines, "{}", texts.language);
        }
    }
}

/// Cards that use a number or a condition from before it changes: the text notes it first.
const NOTED_NUMBERS: &str = r#"
card "Tide Once" { spell water cost 1 does { let n = count of card in your hand; discard each card in your hand; draw n } }
card "Tide Kept" { spell water cost 1 does { let n = count of card in your hand; draw n } }
card "Tide Met" {
  spell water cost 1
  does {
    let n = count of creature of opponent
    destroy each creature of opponent with power <= 2000
    if n >= 3 { draw 1 }
  }
}
card "Tide Told" {
  spell water cost 1
  does {
    let given = any number of card in your hand
    let n = count of given
    discard given
    draw n
  }
}
card "Tide Twice" {
  spell water cost 1
  does {
    let n = count of card in your hand
    let m = count of card in your graveyard
    discard each card in your hand
    draw n
    draw m
  }
}
card "Tide Asked" {
  spell water cost 1
  does {
    let full = some card in your hand
    discard each card in your hand
    if full { draw 1 }
  }
}
"#;

/// The texts of all shipped cards and of additional ones (path suffix, source), in English and Japanese.
fn texts_with_cards(cards: &[(&str, &str)]) -> [BTreeMap<String, String>; 2] {
    let mut with = sources::sources();
    for (path, cards) in cards {
        with.iter_mut().find(|file| file.path.ends_with(path)).unwrap().text.push_str(cards);
    }
    let games = fizzle_compiler::compile_with(with, true).artifact.unwrap().games;
    ["en", "ja"].map(|language| texts_by_card(&games, language))
}

/// Cards with forms that no shipped card uses.
const UNSHIPPED_FORMS: &str = r#"
card "Dusk" { creature fire cost 3 power 3000 at end of your turn { draw 1 } at end of turn of opponent { draw 1 } }
card "Each Dusk" { creature fire cost 3 power 3000 at end of turn { draw 1 } }
card "Once" { creature fire cost 3 power 3000 when creature of you attacks, limit 1 per turn { draw 1 } }
card "Bully" { creature fire cost 3 power 3000 when this attacks { destroy 1 creature of opponent with power < power of this } }
card "Crowd" { creature fire cost 3 power 3000 when one or more creature of you attacks { draw 1 } }
card "Salvage" { spell fire cost 3 does { take_shield up to 2 card in your shields } }
"#;

#[test]
fn unshipped_forms_have_texts() {
    let magic = r#"card "Dusk" { creature mana_cost {R} power 1 toughness 1 at end of turn of opponent { draw 1 }
        when creature of you dies, limit 1 per turn { draw 1 } }"#;
    let [en, ja] =
        texts_with_cards(&[("duel_masters/cards/fixtures.fz", UNSHIPPED_FORMS), ("magic/cards/replacement.fz", magic)]);
    let of = |texts: &BTreeMap<String, String>, card: &str| texts[card].clone();
    assert_eq!(
        of(&en, "duel_masters: Dusk"),
        "At the end of your turn, draw a card.\nAt the end of your opponent's turn, draw a card."
    );
    assert_eq!(
        of(&ja, "duel_masters: Dusk"),
        "■自分のターンの終わりに、カードを1枚引く。\n■相手のターンの終わりに、カードを1枚引く。"
    );
    assert_eq!(of(&en, "duel_masters: Each Dusk"), "At the end of each turn, draw a card.");
    assert_eq!(of(&ja, "duel_masters: Each Dusk"), "■各ターンの終わりに、カードを1枚引く。");
    let once = "Whenever one of your creatures attacks, draw a card. This ability triggers only once each turn.";
    assert_eq!(of(&en, "duel_masters: Once"), once);
    let once = "■自分のクリーチャーが攻撃する時、カードを1枚引く。この能力は各ターンに1回だけ誘発する。";
    assert_eq!(of(&ja, "duel_masters: Once"), once);
    let salvage = "Put up to 2 of your shields into your hand. You can't use their shield triggers.";
    assert_eq!(of(&en, "duel_masters: Salvage"), salvage);
    let salvage = "■自分のシールドを2つまで選び、手札に加える。ただし、その「S・トリガー」は使えない。";
    assert_eq!(of(&ja, "duel_masters: Salvage"), salvage);
    let bully =
        "■このクリーチャーが攻撃する時、このクリーチャーのパワー未満のパワーを持つ相手のクリーチャーを1体選び、破壊する。";
    assert_eq!(of(&ja, "duel_masters: Bully"), bully);
    assert_eq!(of(&ja, "duel_masters: Crowd"), "■自分のクリーチャーが1体以上攻撃する時、カードを1枚引く。");
    for (card, texts) in [("magic: Dusk", &en), ("magic: Dusk", &ja)] {
        assert!(!of(texts, card).contains('⟦'), "{}", of(texts, card));
    }
}

/// Zones that belong to others, what remains of cards that were looked at, and conditions with a limit: as printed cards word them.
#[test]
fn zones_of_others_and_the_rest_have_texts() {
    let magic = r#"
        card "Fetch For Them" { sorcery {1}{G} does { let gone = target land of opponent; destroy gone
            put up to 1 basic_land in deck of controller of gone into battlefield under controller of gone } }
        card "Grave Ward" { creature {1}{G} 1/1 opponent cannot cast card in graveyard }
        card "Lamp Maker" { creature {1}{G} 1/1 when this enters { create "Lamp" into battlefield; draw 1 } }
        token "Lamp" { creature 1/1 when this dies { gain 1 } }
        card "Level Once" { creature {1}{G} 1/1
            activated "up" { price {1} when sorcery_time(you) limit 1 per turn does { draw 1 } } }
        card "Dig" { sorcery {1}{U} does { let seen = top 3 card in your deck; look seen
            put 1 card in seen into your hand
            put each card in seen that (candidate in deck) into bottom of your deck } }"#;
    let duel = r#"
        card "Dig" { spell water cost 2 does { let seen = top 3 card in your deck; look seen
            put 1 card in seen into your hand
            put each card in seen that (candidate in deck) into bottom of your deck } }"#;
    let [en, ja] = texts_with_cards(&[("duel_masters/cards/fixtures.fz", duel), ("magic/cards/replacement.fz", magic)]);
    let fetch = "Destroy target land an opponent controls. That land's controller puts up to one basic land card from their library onto the \
                 battlefield.";
    assert_eq!(en["magic: Fetch For Them"], fetch);
    let fetch = "対戦相手がコントロールしている土地1つを対象とする。その土地を破壊する。\
                 その土地のコントローラーは基本土地カード最大1枚をライブラリーから戦場に出す。";
    assert_eq!(ja["magic: Fetch For Them"], fetch);
    assert_eq!(en["magic: Grave Ward"], "Your opponents can't cast spells from graveyards.");
    assert!(!en["magic: Lamp Maker"].contains(".\"."), "{}", en["magic: Lamp Maker"]);
    assert_eq!(en["magic: Level Once"], "{1}: Draw a card. Activate only as a sorcery and only once each turn.");
    assert!(en["magic: Dig"].ends_with("Put a card among them into your hand. Put the rest on the bottom of your library."));
    let dig = "あなたのライブラリーの一番上からカード3枚を見る。その中のカード1枚をあなたの手札に加える。\
               残りをあなたのライブラリーの一番下に置く。";
    assert_eq!(ja["magic: Dig"], dig);
    let dig = "■自分の山札の上から3枚を見る。その中のカードを1枚選び、手札に加える。残りを自分の山札の下に置く。";
    assert_eq!(ja["duel_masters: Dig"], dig);
}

/// What was chosen before is excluded, a condition of a prohibition is a filter of its object, and a computed price says what it is.
#[test]
fn exclusions_prohibitions_and_computed_prices_have_texts() {
    let magic = r#"
        card "Sorting Room" { sorcery {2}{U} does { let seen = top 4 card in your deck; reveal seen
            let first = 1 card in seen
            let second = 1 card in seen that (candidate != first)
            put first into your hand
            put second into your graveyard
            put each card in seen that (candidate != first and candidate != second) into bottom of your deck } }
        card "Low Ceiling" { creature {1}{W} 1/1 opponent cannot cast spell_card where mana_value(it) >= 4 }
        card "Sealed Lathe" { creature {1}{W} 1/1
            opponent cannot use permanent that (artifact) where is_ability_play(play) and not produces_units(play) }
        card "Crowd Levy" { creature {1}{W} 1/1 "pay" price generic(count of creature of you): draw 1 }
        card "Guild Oath" { sorcery {2}{W} does: create "Guild Oath Emblem" into command }
        token "Guild Oath Emblem" { always { creature of you gets +1/+1 }
            when creature of you dies: draw 1 }
        status charged_up: bool
        card "Coil" { creature {1}{G} 1/1 "boost" {G}: charged_up of this = true
            while charged_up of this { this gets +2/+2 } }
        card "Either Blade" { enchantment {3} "x" {1}, {T}: destroy target (artifact or enchantment) that is not white }
        card "Great Cull" { sorcery {4}{W} does: destroy each creature that (power >= 4 or toughness >= 4) }
        card "Shoal Lord" { creature "Merfolk" {1}{U} 1/1 always { other permanent of you that is "Merfolk" gets +1/+1 } }
        card "Raider" { creature {1}{B} 1/1 when creature of you deals_damage to opponent { exile top 1 card in deck of whom } }
        card "Lantern Choice" { artifact {3} "light" {1}, {T}: if count of creature of you >= 3 {
            create "Lantern Moth" into battlefield } otherwise { create "Lantern Moth" into battlefield; gain 2 } }
        token "Lantern Moth" { creature 1/1 when this dies { gain 1 } }"#;
    let yugioh = r#"
        card "Deep Seal" { monster dark "Machine" level 7 atk 2600 def 1800
            opponent cannot use monster where is_ability_play(play) and level of it >= 7
            monster of opponent cannot be special_summoned where level of it >= 5 }
        card "Two Embers" { spell quick_play does {
            let a = target open_monster of you; let b = target open_monster of opponent
            a gets +(atk of b) atk until end of turn; b gets atk = 0 until end of turn } }
        card "Fast Shell" { monster dark "Machine" level 1 atk 300 def 0 quick_effect
            "shell" discard 1 card in your hand, when quick(this, you) and main1 and some monster of opponent: draw 1 }
        card "Branches" { spell does { if some monster of opponent { draw 2; let a = target open_monster; destroy a }
            otherwise { let b = target set_monster; destroy b } } }"#;
    let duel = r#"
        card "Sluice" { spell darkness cost 4 does { opponent discards random 1 card in hand of opponent } }
        card "Wide Maw" { creature nature "Giant" cost 8 power 12000 breaker(5) }"#;
    let [en, ja] = texts_with_cards(&[
        ("magic/cards/replacement.fz", magic),
        ("yugioh/cards/spells.fz", yugioh),
        ("duel_masters/cards/fixtures.fz", duel),
    ]);
    let english = [
        (
            "magic: Sorting Room",
            "Reveal the top four cards of your library. Put a card among them into your hand. Put another card among them into \
             your graveyard. Put the rest on the bottom of your library.",
        ),
        ("magic: Low Ceiling", "Your opponents can't cast spells with mana value 4 or greater."),
        ("magic: Sealed Lathe", "Your opponents can't activate abilities of artifacts unless they're mana abilities."),
        ("magic: Crowd Levy", "{X}: Draw a card, where X is the number of creatures you control."),
        (
            "magic: Guild Oath",
            "You get an emblem with \"Creatures you control get +1/+1. Whenever a creature you control dies, draw a card.\"",
        ),
        ("magic: Coil", "{G}: Coil becomes charged up.\nAs long as Coil is charged up, it gets +2/+2."),
        ("magic: Either Blade", "{1}, {T}: Destroy target artifact or enchantment that isn't white."),
        ("magic: Great Cull", "Destroy all creatures with power 4 or greater or toughness 4 or greater."),
        ("magic: Shoal Lord", "Other Merfolk you control get +1/+1."),
        (
            "magic: Raider",
            "Whenever a creature you control deals damage to an opponent, exile the top card of that player's library.",
        ),
        (
            "magic: Lantern Choice",
            "{1}, {T}: If you control three or more creatures, create a 1/1 colorless creature token with \"When this token dies, you gain 1 \
             life.\" Otherwise, create a 1/1 colorless creature token with \"When this token dies, you gain 1 life.\" In that case, you gain 2 \
             life.",
        ),
        (
            "yugioh: Deep Seal",
            "Your opponent cannot activate the effects of Level 7 or higher monsters.\n\
             Your opponent's Level 5 or higher monsters cannot be Special Summoned.",
        ),
        (
            "yugioh: Two Embers",
            "Target 1 face-up monster you control and 1 face-up monster your opponent controls; the first target gains ATK equal to \
             the second target's ATK until the end of this turn. The second target's ATK becomes 0 until the end of this turn.",
        ),
        (
            "yugioh: Branches",
            "If your opponent controls a monster, draw 2 cards. In that case, target 1 face-up monster on the field; \
             destroy it. Otherwise, target 1 Set monster on the field; destroy it.",
        ),
        ("duel_masters: Sluice", "Your opponent discards a card at random from their hand."),
        ("duel_masters: Wide Maw", "Breaker (This creature breaks 5 shields.)"),
    ];
    let japanese = [
        (
            "magic: Sorting Room",
            "あなたのライブラリーの一番上からカード4枚を公開する。その中のカード1枚をあなたの手札に加える。\
             その中の他のカード1枚をあなたの墓地に置く。残りをあなたのライブラリーの一番下に置く。",
        ),
        ("magic: Low Ceiling", "対戦相手はマナ総量が4以上の呪文を唱えられない。"),
        ("magic: Crowd Levy", "{X}：カードを1枚引く。Xはあなたがコントロールしているクリーチャーの数に等しい。"),
        ("magic: Great Cull", "パワーが4以上かタフネスが4以上のすべてのクリーチャーを破壊する。"),
        (
            "yugioh: Fast Shell",
            "①：メインフェイズ1で、相手フィールドにモンスターが存在する場合、自分・相手ターンに、手札を1枚捨てて発動できる。\
             自分は1枚ドローする。",
        ),
        (
            "yugioh: Branches",
            "①：フィールドの表側表示モンスター1体を対象として発動できる。相手フィールドにモンスターが存在する場合、\
             自分は2枚ドローする。その場合、そのモンスターを破壊する。そうでない場合、フィールドの裏側守備表示モンスター1体を\
             対象として発動できる。そのモンスターを破壊する。",
        ),
        ("duel_masters: Sluice", "■相手は自身の手札を1枚見ないで選び、捨てる。"),
        // a status without a name in the language is marked as source
        (
            "magic: Coil",
            "{G}：このクリーチャーは「⟦charged up⟧」になる。\nこのクリーチャーが「⟦charged up⟧」であるかぎり、これは+2/+2の修整を受ける。",
        ),
    ];
    for (texts, expected) in [(&en, &english[..]), (&ja, &japanese[..])] {
        for (card, text) in expected {
            assert_eq!(texts[*card], *text, "{card}");
        }
    }
    for card in ["yugioh: Deep Seal", "magic: Sealed Lathe", "magic: Raider"] {
        assert!(!ja[card].contains('⟦'), "{}", ja[card]);
    }
}

#[test]
fn numbers_that_change_before_use_are_noted() {
    let [en, ja] = texts_with_cards(&[("duel_masters/cards/fixtures.fz", NOTED_NUMBERS)]);
    let of = |texts: &BTreeMap<String, String>, card: &str| texts[&format!("duel_masters: {card}")].clone();
    assert_eq!(of(&en, "Tide Once"), "Note the number of cards in your hand. Discard your hand. Draw that many cards.");
    assert_eq!(of(&ja, "Tide Once"), "■自分の手札の数を記録する。自分の手札をすべて捨てる。カードをその数だけ引く。");
    assert_eq!(
        of(&en, "Tide Met"),
        "Note the number of your opponent's creatures. Destroy all your opponent's creatures with power 2000 or less. \
         If that number is 3 or more, draw a card."
    );
    assert_eq!(of(&en, "Tide Told"), "Discard any number of cards from your hand. Draw that many cards.");
    assert_eq!(of(&ja, "Tide Told"), "■自分の手札を好きな枚数選び、捨てる。カードをその数だけ引く。");
    assert!(!of(&en, "Tide Kept").contains("ote "), "{}", of(&en, "Tide Kept"));
    assert_eq!(
        of(&en, "Tide Twice"),
        "Note the number of cards in your hand. Note the number of cards in your graveyard. Discard your hand. Draw cards equal to the \
         first number noted. Draw cards equal to the second number noted."
    );
    assert_eq!(
        of(&en, "Tide Asked"),
        "Note whether there is a card in your hand. Discard your hand. If that was so, draw a card."
    );
    for card in ["Tide Twice", "Tide Asked"] {
        assert!(!of(&ja, card).contains('⟦'), "{}", of(&ja, card));
    }
}

/// Prohibitions, conditions and states, none of which may be missing from a text or reversed by it.
const CONDITIONS: &str = r#"
card "No Draws" { spell does: you cannot draw until end of turn }
card "None Of Yours" { spell in hand, backrow you cannot activate this where some monster of you; does: draw 2 }
card "None Of Theirs" { spell in hand, backrow you cannot activate this where no monster of opponent; does: destroy target monster of opponent }
card "Face-down Price" { spell does: put 3 card in your extra_deck into your banished face_down }
card "Safe Others" { monster earth "Rock" level 4 atk 0 def 2100
  other open_monster of you cannot be destroyed where cause == effect and cause_player is opponent }
card "Late Target" { spell does { banish 1 monster in your graveyard; if you do, destroy target monster of opponent } }
card "Chosen Once" { monster earth "Rock" level 4 atk 0 def 2100 when this is summoned, limit 1 per turn by name { you may draw 1 } }
card "Nothing Left" { spell does: target open_monster gets atk = 0 until end of turn }
card "Two Limits" { monster earth "Rock" level 4 atk 0 def 2100
  when one or more card is banished, if some field_card of opponent, limit 1 per turn by name: draw 1 }
"#;

#[test]
fn conditions_and_states_are_in_the_texts() {
    let magic = r#"
        card "Mirror Wisp" { creature {1} 1/1 when this dies { for each one in each card in exile {
            create "Twin" into battlefield under owner of one as made; made gets power = mana_value(one), toughness = mana_value(one) } } }
        token "Twin" { creature blue 0/0 }
        card "Unmake Life" { instant {W} does: target creature gets not creature until end of turn }
        card "Late Blaze" { instant {R} does {
            choose target creature as burned; until end of turn { if burned would die, instead: exile it } } }"#;
    let [en, ja] = texts_with_cards(&[("yugioh/cards/spells.fz", CONDITIONS), ("magic/cards/replacement.fz", magic)]);
    let english = [
        ("yugioh: No Draws", "You cannot draw cards this turn."),
        ("yugioh: None Of Yours", "You cannot activate this card if you control a monster.\nDraw 2 cards."),
        ("yugioh: None Of Theirs", "Target 1 monster your opponent controls; destroy it."),
        ("yugioh: Face-down Price", "Banish 3 cards from your Extra Deck, face-down."),
        ("yugioh: Safe Others", "Other face-up monsters you control cannot be destroyed by your opponent's card effects."),
        ("yugioh: Nothing Left", "Target 1 face-up monster on the field; its ATK becomes 0 until the end of this turn."),
        (
            "yugioh: Two Limits",
            "If a card(s) is banished, and your opponent controls a card: Draw 1 card. \
             You can only use this effect of \"Two Limits\" once per turn.",
        ),
        (
            "magic: Mirror Wisp",
            "When Mirror Wisp dies, for each card in exile, that card's owner creates a 0/0 blue creature token. \
             That Twin has base power and base toughness each equal to that card's mana value.",
        ),
        ("magic: Unmake Life", "Target creature isn't a creature until end of turn."),
    ];
    let japanese = [
        ("yugioh: No Draws", "①：ターン終了時まで、自分はドローできない。"),
        (
            "yugioh: None Of Yours",
            "自分フィールドにモンスターが存在する場合、このカードは発動できない。\n①：自分は2枚ドローする。",
        ),
        (
            "yugioh: Late Target",
            "①：相手フィールドのモンスター1体を対象として発動できる。自分の墓地のモンスター1体を選んで除外し、対象のモンスターを破壊する。",
        ),
        (
            "yugioh: Chosen Once",
            "このカード名の①の効果は1ターンに1度しか使用できない。\n\
             ①：このカードが召喚・反転召喚・特殊召喚した場合に発動できる。自分は1枚ドローする。",
        ),
    ];
    for (texts, expected) in [(&en, &english[..]), (&ja, &japanese[..])] {
        for (card, text) in expected {
            assert_eq!(texts[*card], *text, "{card}");
        }
    }
    assert!(!en["magic: Late Blaze"].contains('⟦'), "{}", en["magic: Late Blaze"]);
}

/// Costs of cards, optional costs of triggers, limits per game, conditions with several parts, and words that cards print in quotation marks.
const COSTS: &str = r#"
card "Cost Banish" { spell cost { banish 1 monster in your graveyard } does: draw 1 }
card "Cost Trigger" { monster dark "Fiend" level 4 atk 1000 def 1000
  when this is summoned where is_special(how) { you may discard 1 card in your hand
    if you do, trigger { destroy target field_card of opponent } } }
card "Once A Duel" { spell does: draw 1
  in graveyard "again" banish this, when ignition(you) and you is active, limit 1 per game by name: draw 1 }
card "Their Turn" { monster fire "Pyro" level 4 atk 1 def 1
  "zap" discard 1 card in your hand, when quick(this, you) and you is not active, limit 1 per turn: draw 1 }
card "Third Part" { monster dark "Fiend" level 4 atk 1000 def 1000
  in graveyard when this is sent_to_graveyard where from_field and opponent is active: draw 1 }
card "Their Deck" { spell does: opponent may add_to_hand 1 trap in deck }
card "Their Search" { spell does: opponent may search(1 trap in deck) }
card "Bound Trap" { trap counter_trap does { let s = target other fresh_link that is trap; negate_and_destroy s; draw 1 } }
card "Own Series" { monster fire "Pyro" series "Blaze" level 4 atk 1 def 1
  when this is summoned: you may search(1 monster in your deck that is "Blaze") }
card "Agreed" { monster fire "Pyro" level 4 atk 1 def 1 when this is summoned { you may agree if you do { draw 1 } } }
card "Own Equip" { spell does: search(you, 1 spell in your deck that is equip_spell) }
card "Same Type" { trap continuous
  monster cannot be special_summoned where some open_monster of you that (candidate shares race with it) }
card "In Calculation" { monster fire "Pyro" level 4 atk 1 def 1
  at start of calculation, if fights(this): this gets +1000 atk until end of calculation }
"#;

#[test]
fn costs_and_limits_are_in_the_texts() {
    let magic = r#"card "Exile Counter" { instant {1}{U} does {
        let stopped = target spell; counter stopped; if you do { exile current(stopped) } } }"#;
    let duel = r#"card "Dig To Hand" { spell water cost 2 does { let seen = top 3 card of your deck; look seen
        bounce 1 card in seen
        trash each card in seen that (candidate in deck) } }"#;
    let [en, ja] = texts_with_cards(&[
        ("yugioh/cards/spells.fz", COSTS),
        ("magic/cards/replacement.fz", magic),
        ("duel_masters/cards/fixtures.fz", duel),
    ]);
    let dug = en["duel_masters: Dig To Hand"].strip_prefix("Look ");
    assert_eq!(dug, Some("at the top 3 cards of your deck. Put one of them into your hand. Put the rest into your graveyard."));
    let dig = "■自分の山札の上から3枚を見る。その中から1枚を手札に加える。残りを墓地に置く。";
    assert_eq!(ja["duel_masters: Dig To Hand"], dig);
    let exile =
        "Counter target spell. If that spell is countered this way, exile it instead of putting it into its owner's graveyard.";
    assert_eq!(en["magic: Exile Counter"], exile);
    let expected = [
        (
            "Cost Banish",
            "Activate this card by banishing 1 monster from your GY.\nDraw 1 card.",
            "①：自分の墓地からモンスター1体を除外して発動できる。自分は1枚ドローする。",
        ),
        (
            "Cost Trigger",
            "If this card is Special Summoned: You can discard 1 card. When you do, target 1 card your opponent controls; destroy it.",
            "①：このカードが特殊召喚した場合に発動する。自分の手札を1枚選んで捨てる事ができる。そうした時、相手フィールドのカード1枚を対象として発動できる。そのカードを破壊する。",
        ),
        (
            "Their Deck",
            "Your opponent can add 1 Trap from their Deck to their hand.",
            "①：相手は自身のデッキの罠カード1枚を手札に加える事ができる。",
        ),
        (
            "Their Search",
            "Your opponent can add 1 Trap from their Deck to their hand.",
            "①：相手はデッキから罠カード1枚を手札に加える事ができる。",
        ),
        (
            "Third Part",
            "If this card is sent from the field to the GY, and it's your opponent's turn: Draw 1 card.",
            "①：このカードがフィールドから墓地へ送られた場合、相手のターンであるなら発動する。自分は1枚ドローする。",
        ),
        (
            "Bound Trap",
            "When a Trap Card is activated: Negate the activation, and if you do, destroy it. Draw 1 card.",
            "①：罠カードが発動した時に発動できる。その発動を無効にし破壊する。自分は1枚ドローする。",
        ),
        (
            "Their Turn",
            "Once per turn, during your opponent's turn (Quick Effect): You can discard 1 card; draw 1 card.",
            "①：1ターンに1度、相手ターンに、手札を1枚捨てて発動できる。自分は1枚ドローする。",
        ),
        (
            "Own Series",
            "If this card is Summoned: You can add 1 \"Blaze\" monster from your Deck to your hand.",
            "①：このカードが召喚・反転召喚・特殊召喚した場合に発動できる。デッキから「Blaze」モンスター1体を手札に加える。",
        ),
        (
            "Agreed",
            "If this card is Summoned: You can draw 1 card.",
            "①：このカードが召喚・反転召喚・特殊召喚した場合に発動できる。自分は1枚ドローする。",
        ),
        (
            "Same Type",
            "Monsters cannot be Special Summoned if you control a face-up monster with the same Type.",
            "①：自分フィールドに同じ種族の表側表示モンスターが存在する場合、モンスターは特殊召喚できない。",
        ),
        ("Own Equip", "Add 1 Equip Spell from your Deck to your hand.", "①：デッキから装備魔法カード1枚を手札に加える。"),
    ];
    for (card, english, japanese) in expected {
        assert_eq!(en[&format!("yugioh: {card}")], english);
        assert_eq!(ja[&format!("yugioh: {card}")], japanese);
    }
    let limit = "You can only use this effect of \"Once A Duel\" once per Duel.";
    assert!(en["yugioh: Once A Duel"].ends_with(limit), "{}", en["yugioh: Once A Duel"]);
    assert!(ja["yugioh: Once A Duel"].starts_with("このカード名の②の効果はデュエル中に1度しか使用できない。"));
    let calculation = "During damage calculation, if this card battles a monster: This card gains 1000 ATK until the end of damage calculation.";
    assert_eq!(en["yugioh: In Calculation"], calculation);
    assert!(!ja["yugioh: In Calculation"].contains('⟦'), "{}", ja["yugioh: In Calculation"]);
}

/// A game, the name of a card, what it prints and does, and its texts in English and Japanese. An empty text is not compared.
type CardText<'t> = (&'t str, &'t str, &'t str, &'t str, &'t str);

#[test]
fn governed_blocks_and_places_are_in_the_texts() {
    let all = || {
        governed_blocks::GOVERNED
            .iter()
            .chain(&governed_blocks::PLACES)
            .chain(&worded_cards::CARDS)
            .chain(&later_worded_cards::CARDS)
            .chain(&true_sentences::CARDS)
            .chain(&references_and_conditions::CARDS)
            .chain(&conditions_of_use::CARDS)
            .chain(&references_to_players::CARDS)
            .chain(&choices_and_quotations::CARDS)
            .chain(&own_designs::CARDS)
            .chain(&owners_and_operands::CARDS)
    };
    let source = |game: &str| {
        let cards = all().filter(|(of, ..)| *of == game).map(|(_, name, body, ..)| format!("card \"{name}\" {{ {body} }}\n"));
        cards.collect::<String>()
    };
    let magic = source("magic") + worded_cards::DECLARATIONS + later_worded_cards::MAGIC + choices_and_quotations::MAGIC;
    let [en, ja] = texts_with_cards(&[
        ("magic/cards/replacement.fz", magic.as_str()),
        (
            "duel_masters/cards/fixtures.fz",
            (source("duel_masters") + worded_cards::STATUSES + later_worded_cards::DUEL_MASTERS).as_str(),
        ),
        ("yugioh/cards/spells.fz", (source("yugioh") + later_worded_cards::YUGIOH + choices_and_quotations::YUGIOH).as_str()),
    ]);
    let mut wrong = String::new();
    for (game, name, _, english, japanese) in all() {
        let card = format!("{game}: {name}");
        let is_equal = |text: &str, expected: &str| expected.is_empty() || text == expected;
        for (text, expected) in [(&en[&card], *english), (&ja[&card], *japanese)] {
            // a part without words is expected only where the card says so
            if !is_equal(text, expected) || text.contains('⟦') && !expected.contains('⟦') {
                let _ = writeln!(wrong, "{card}\n  is: {text}\n  not: {expected}");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
