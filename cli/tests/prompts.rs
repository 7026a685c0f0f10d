//! Tests the prompts of choices in the shipped games: every choice site has one in every language of its game.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "shipped/sources.rs"]
mod sources;

use fizzle_compiler::SourceFile;
use std::collections::BTreeMap;
use std::fmt::Write as _;

const OWN_FILE: &str = "asking.fz";

/// Choices that need special prompts: by a condition without words (the options show what can be chosen), about the element of a list,
/// and about a parameter of an action.
const OWN_CARDS: &str = "
function odd(it: object): bool = cost of it == 1 or cost of it == 3
card 《The odd one》 {
  spell fire cost 2
  does { destroy 1 creature of opponent that (odd(candidate)) }
}
action rob(whom: player) {
  for each one in creature of whom {
    choose 1 card in shields of whom as lost
    if cost of one == 1 { trash lost }
  }
}
card 《Robber》 {
  spell fire cost 2
  does { rob(opponent) }
}
";

/// Expected prompts: a part of the path of the file that contains the choice, the language, and the text.
const EXPECTED_PROMPTS: [(&str, &str, &str); 9] = [
    (OWN_FILE, "en", "One of your opponent's creatures that can be chosen"),
    (OWN_FILE, "ja", "相手の選べるクリーチャー1体"),
    (OWN_FILE, "en", "A card in that player's shields"),
    ("duel_masters/rules/turn.fz", "en", "Put up to one card from your hand into your mana zone"),
    ("duel_masters/rules/turn.fz", "ja", "自分の手札からカードを1枚まで選び、マナゾーンに置く"),
    ("duel_masters/rules/turn.fz", "en", "Up to one of your creatures that can block that creature"),
    ("magic/rules/combat.fz", "en", "Declare attackers"),
    ("magic/rules/combat.fz", "ja", "ブロック・クリーチャーを指定する"),
    ("magic/rules/casting_keywords.fz", "en", "You may pay the kicker cost"),
];

#[test]
fn every_choice_has_a_prompt() {
    let mut files = sources::sources();
    files.push(SourceFile { path: format!("cards/duel_masters/cards/{OWN_FILE}"), text: OWN_CARDS.to_owned() });
    let compilation = fizzle_compiler::compile_with(files, true);
    let problems: Vec<&str> = compilation.diagnostics.iter().map(|problem| problem.message.as_str()).collect();
    let Some(artifact) = compilation.artifact else { panic!("{problems:?}") };
    let mut missing = String::new();
    for game in &artifact.games {
        for texts in game.texts.iter().filter(|texts| texts.format.is_empty()) {
            let known: BTreeMap<u32, &str> = texts.prompts.iter().map(|prompt| (prompt.site, prompt.text.as_str())).collect();
            for (number, site) in game.library.sites.numbered() {
                let file = game.library.files.get(site.source.file as usize).map_or("", String::as_str);
                // Fixtures of scenarios have no texts.
                if !known.contains_key(&(number as u32)) && !file.contains("/scenarios/") {
                    let text = site.text.split_whitespace().collect::<Vec<_>>().join(" ");
                    let _ = writeln!(missing, "{}.{} {file}:{}: {text}", game.name, texts.language, site.source.line);
                }
            }
        }
    }
    for (place, language, expected) in EXPECTED_PROMPTS {
        let mut all: Vec<&str> = Vec::new();
        for game in &artifact.games {
            for texts in game.texts.iter().filter(|texts| texts.language == language && texts.format.is_empty()) {
                let prompts_of_file = texts.prompts.iter().filter(|prompt| {
                    let site = &game.library.sites[prompt.site as usize];
                    game.library.files.get(site.source.file as usize).is_some_and(|file| file.contains(place))
                });
                all.extend(prompts_of_file.map(|prompt| prompt.text.as_str()));
            }
        }
        assert!(all.contains(&expected), "{place} {language}: `{expected}` is not one of {all:#?}");
    }
    assert!(missing.is_empty(), "choices without a prompt, which are shown as source:\n{missing}");
}
