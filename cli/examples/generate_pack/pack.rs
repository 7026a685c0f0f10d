//! Generator of packs of any size for measurements: cards of Duel Masters with a mix of abilities. The result depends only on the
//! arguments.

/// The keywords of the pack, used by its cards in addition to those of the game.
const KEYWORDS: &str = "/// Draws as it comes.\nkeyword scholar(n: number) { when this enters battle { draw n } }\n\n\
/// Burns what is small when it attacks.\nkeyword scorching(n: number) { when this attacks { destroy 1 creature of opponent with power <= n } }\n\n\
/// Comes back.\nkeyword returning { when this is destroyed { you may bounce this } }\n\n\
/// Gets larger while its master has enough mana.\nkeyword rooted(n: number) { while this in battle { this gets +n power } }\n";

/// A format of the pack.
const FORMAT: &str = "format generated_rush \"Generated rush\" extends duel_masters {\n  replace constant starting_hand = 6\n}\n";

const CIVILIZATIONS: [&str; 5] = ["light", "water", "darkness", "fire", "nature"];
const RACES: [&str; 12] = [
    "Armored Dragon",
    "Dune Gecko",
    "Liquid People",
    "Ghost",
    "Beast Folk",
    "Initiate",
    "Cyber Lord",
    "Chimera",
    "Tree Folk",
    "Guardian",
    "Machine Eater",
    "Living Dead",
];
const FIRST_WORDS: [&str; 16] = [
    "Ember",
    "Tidal",
    "Gloom",
    "Verdant",
    "Radiant",
    "Iron",
    "Storm",
    "Silent",
    "炎の",
    "水晶の",
    "影の",
    "森の",
    "光の",
    "鋼の",
    "嵐の",
    "静かな",
];
const SECOND_WORDS: [&str; 16] = [
    "Lizard", "Sage", "Wraith", "Giant", "Knight", "Golem", "Serpent", "Scout", "竜", "賢者", "亡霊", "巨人", "騎士", "人形",
    "蛇", "斥候",
];
const KEYWORD_USES: [&str; 14] = [
    "blocker",
    "speed_attacker",
    "cannot_attack",
    "breaker(2)",
    "breaker(3)",
    "power_attacker(2000)",
    "slayer",
    "shield_trigger",
    "unblockable",
    "cannot_be_attacked",
    "scholar(1)",
    "scorching(2000)",
    "returning",
    "rooted(1000)",
];
const TRIGGERS: [&str; 10] = [
    "when this enters battle",
    "when this attacks",
    "when this blocks creature",
    "when this is destroyed",
    "when this leaves battle",
    "at start of turn.draw of you",
    "when other creature of you enters battle",
    "whenever opponent draws",
    "when creature blocks this",
    "when you use spell",
];
const EFFECTS: [&str; 32] = [
    "draw 1",
    "draw 2\n    then discard 1 card in your hand",
    "you may draw 1",
    "destroy 1 creature of opponent with power <= P",
    "destroy up to 2 creature of opponent that has blocker",
    "destroy each creature with power <= P",
    "bounce 1 creature",
    "you may bounce 1 creature of opponent with cost <= N",
    "tap 1 creature of opponent",
    "tap each creature of opponent that is C",
    "untap each card in your mana",
    "charge top 1 card of your deck",
    "put top 1 card of your deck into your mana",
    "put up to 1 creature in your mana into your hand",
    "put 1 card in your hand into your shields",
    "put up to 2 card in your graveyard that is C into your hand",
    "reveal top 3 card of your deck as seen\n    then put each card in seen that is creature into your hand",
    "opponent discards 1 card in hand",
    "each player discards 1 card in hand",
    "each opponent draws 1",
    "shuffle your deck",
    "this gets +P power until end of turn",
    "each other creature of you gets +1000 power until end of turn",
    "1 creature of you gets +P power, breaker(2) until end of turn",
    "1 creature of opponent gets cannot_attack until end of your next turn",
    "if count of creature of you >= N { draw 1 }",
    "if some creature of opponent with power >= P {\n      destroy 1 creature of opponent\n    } otherwise {\n      draw 1\n    }",
    "for each one in creature of you that is C { untap one }",
    "let n = count of creature of you that is C\n    draw n",
    "choose 1 {\n      - draw 1\n      - destroy 1 creature of opponent with power <= P\n      - untap this\n    }",
    "destroy 1 creature of you\n    if you do { draw 2 }",
    "put bottom 1 card of your deck into your graveyard\n    then reveal top 1 card of your deck",
];
const STATICS: [&str; 6] = [
    "while this in battle { each other creature of you that is C gets +1000 power }",
    "while count of creature of you >= N { this gets +P power }",
    "while no other creature of you { this gets speed_attacker }",
    "this cannot be chosen where who is opponent of controller of this",
    "while this is tapped { each creature of opponent gets -1000 power min 1000 }",
    "creature with power <= P cannot block this",
];

/// A linear congruential generator.
#[derive(Debug)]
pub struct RandomNumbers(u64);

impl RandomNumbers {
    /// Creates a generator from a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `limit`, or 0 if `limit` is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }

    fn pick<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words.get(self.below(words.len())).copied().unwrap_or("")
    }
}

/// The name of a card, with its quotes.
pub fn name(number: usize) -> String {
    let (first, second) = (FIRST_WORDS[number % 16], SECOND_WORDS[(number / 16) % 16]);
    let ascii = first.is_ascii() && second.is_ascii();
    if ascii { format!("\"{first} {second} {number}\"") } else { format!("《{first}{second} {number}》") }
}

fn fill_placeholders(text: &str, numbers: &mut RandomNumbers) -> String {
    let power = (numbers.below(8) + 1) * 1000;
    let count = numbers.below(4) + 2;
    let mut text_with_values = String::with_capacity(text.len() + 8);
    for part in text.split_inclusive(|character: char| !character.is_alphanumeric() && character != '_') {
        let word = part.trim_end_matches(|character: char| !character.is_alphanumeric() && character != '_');
        let rest = &part[word.len()..];
        match word {
            "P" => text_with_values.push_str(&power.to_string()),
            "N" => text_with_values.push_str(&count.to_string()),
            "C" => text_with_values.push_str(numbers.pick(&CIVILIZATIONS)),
            _ => text_with_values.push_str(word),
        }
        text_with_values.push_str(rest);
    }
    text_with_values
}

/// The source of a card.
pub fn card(number: usize) -> String {
    let mut numbers = RandomNumbers::new(number as u64);
    let civilization = numbers.pick(&CIVILIZATIONS);
    let cost = numbers.below(9) + 1;
    if numbers.below(5) == 0 {
        let first = fill_placeholders(numbers.pick(&EFFECTS), &mut numbers);
        let trigger = if numbers.below(3) == 0 { "  shield_trigger\n" } else { "" };
        return format!(
            "card {} {{\n  spell  {civilization}  cost {cost}\n{trigger}  does {{\n    {first}\n  }}\n}}\n",
            name(number)
        );
    }
    let (race, power) = (numbers.pick(&RACES), (numbers.below(12) + 1) * 1000);
    let mut text = format!("card {} {{\n  creature  {civilization}  race \"{race}\"  cost {cost}  power {power}\n", name(number));
    if numbers.below(2) == 0 {
        text.push_str(&format!("  {}\n", numbers.pick(&KEYWORD_USES)));
    }
    for _ in 0..numbers.below(3) {
        let effect = fill_placeholders(numbers.pick(&EFFECTS), &mut numbers);
        text.push_str(&format!("  {} {{\n    {effect}\n  }}\n", numbers.pick(&TRIGGERS)));
    }
    if numbers.below(6) == 0 {
        text.push_str(&format!("  {}\n", fill_placeholders(numbers.pick(&STATICS), &mut numbers)));
    }
    text.push_str("}\n");
    text
}

/// The files of a pack, as paths and texts. A file has at most `cards_per_file` cards.
pub fn pack(cards: usize, cards_per_file: usize) -> Vec<(String, String)> {
    let mut files = vec![
        ("pack.fz".to_owned(), "pack generated { edition 2; title \"Generated\"; extends duel_masters }\n".to_owned()),
        ("keywords.fz".to_owned(), KEYWORDS.to_owned()),
        ("format.fz".to_owned(), FORMAT.to_owned()),
    ];
    let mut from = 0;
    while from < cards {
        let to = (from + cards_per_file.max(1)).min(cards);
        let texts: Vec<String> = (from..to).map(card).collect();
        files.push((format!("cards/{:03}.fz", from / cards_per_file.max(1)), texts.join("\n")));
        from = to;
    }
    files
}
