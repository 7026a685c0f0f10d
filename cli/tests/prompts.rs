//! What players are asked at the choices of the shipped games: in words, in each language that a game speaks.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "shipped/sources.rs"]
mod sources;

use fizzle_compiler::SourceFile;
use std::collections::BTreeMap;
use std::fmt::Write as _;

const OWN: &str = "asking.fz";

/// A condition that no text says: the options show what can be chosen. The element of a list, and the parameters of an action.
const ASKING: &str = "
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

/// What is asked somewhere: by a file, in a language.
const SAID: [(&str, &str, &str); 9] = [
    (OWN, "en", "One of your opponent's creatures that can be chosen"),
    (OWN, "ja", "相手の選べるクリーチャー1体"),
    (OWN, "en", "A card in that player's shields"),
    ("duel_masters/rules/turn.fz", "en", "Put up to one card from your hand into your mana zone"),
    ("duel_masters/rules/turn.fz", "ja", "自分の手札からカードを1枚まで選び、マナゾーンに置く"),
    ("duel_masters/rules/turn.fz", "en", "Up to one of your creatures that can block that creature"),
    ("magic/rules/combat.fz", "en", "Declare attackers"),
    ("magic/rules/combat.fz", "ja", "ブロック・クリーチャーを指定する"),
    ("magic/rules/casting_keywords.fz", "en", "You may pay the kicker cost"),
];

#[test]
fn every_choice_is_asked_in_words() {
    let mut files = sources::sources();
    files.push(SourceFile { path: format!("cards/duel_masters/cards/{OWN}"), text: ASKING.to_owned() });
    let compilation = fizzle_compiler::compile_with(files, true);
    let problems: Vec<&str> = compilation.diagnostics.iter().map(|problem| problem.message.as_str()).collect();
    let Some(artifact) = compilation.artifact else { panic!("{problems:?}") };
    let mut wrong = String::new();
    for game in &artifact.games {
        for texts in game.texts.iter().filter(|texts| texts.format.is_empty()) {
            let known: BTreeMap<u32, &str> = texts.prompts.iter().map(|prompt| (prompt.site, prompt.text.as_str())).collect();
            for (number, site) in game.library.sites.numbered() {
                let file = game.library.files.get(site.source.file as usize).map_or("", String::as_str);
                // fixtures of scenarios speak no language
                if !known.contains_key(&(number as u32)) && !file.contains("/scenarios/") {
                    let text = site.text.split_whitespace().collect::<Vec<_>>().join(" ");
                    let _ = writeln!(wrong, "{}.{} {file}:{}: {text}", game.name, texts.language, site.source.line);
                }
            }
        }
    }
    for (place, language, said) in SAID {
        let mut all: Vec<&str> = Vec::new();
        for game in &artifact.games {
            for texts in game.texts.iter().filter(|texts| texts.language == language && texts.format.is_empty()) {
                let asked = texts.prompts.iter().filter(|prompt| {
                    let site = &game.library.sites[prompt.site as usize];
                    game.library.files.get(site.source.file as usize).is_some_and(|file| file.contains(place))
                });
                all.extend(asked.map(|prompt| prompt.text.as_str()));
            }
        }
        assert!(all.contains(&said), "{place} {language}: `{said}` is not one of {all:#?}");
    }
    assert!(wrong.is_empty(), "asked as it is written in the source:\n{wrong}");
}
