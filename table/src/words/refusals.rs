//! Why something is refused, in each language.

use super::pack_texts::{card_name, name};
use super::phrases::Speaker;
use crate::protocol::Lang;
use fizzle_ir::{CompiledGame, DefId, Format};
use fizzle_runtime::view::{FactWords, RefusalWords};
use fizzle_runtime::vm::decision::AnswerError;

/// What a refusal says. Its names are those of the pack in the language.
#[must_use]
pub fn refusal(words: &RefusalWords, speaker: &Speaker, (game, format): (&CompiledGame, &Format)) -> String {
    if speaker.lang == Lang::En {
        return words.to_string();
    }
    let named = |declared: &str| name(game, format, declared, Lang::Ja);
    let card = |printed: &String| of_card(game, printed);
    match words {
        RefusalWords::Hidden => "非公開のものが禁じている".to_owned(),
        RefusalWords::HiddenEffect => "効果が禁じている".to_owned(),
        RefusalWords::Rule(rule) => match rule.strip_prefix("rule ") {
            Some(rule) => format!("ルール「{}」が禁じている", named(rule)),
            None => format!("{rule}が禁じている"),
        },
        RefusalWords::Keyword { name, of: None } => format!("「{}」が禁じている", named(name)),
        RefusalWords::Keyword { name, of: Some(of) } => format!("{}の「{}」が禁じている", card(of), named(name)),
        RefusalWords::Text(of) => format!("{}のテキストが禁じている", card(of)),
        RefusalWords::Effect(of) => format!("{}の効果が禁じている", card(of)),
        RefusalWords::Condition => "いまは条件を満たしていない".to_owned(),
        RefusalWords::Period(here) if here.is_empty() => "ターンのこの時点ではできない".to_owned(),
        RefusalWords::Period(here) => format!("このステップ（{here}）ではできない"),
        RefusalWords::OtherTurn => "自分のターンではない".to_owned(),
        RefusalWords::ListWaits => "解決を待つものがある間はできない".to_owned(),
        RefusalWords::OtherDecision => "いまは他のプレイヤーが選択する".to_owned(),
        RefusalWords::Window => "この時点でできることに含まれていない".to_owned(),
        RefusalWords::Price { price, .. } if price.is_empty() => "コストを支払えない".to_owned(),
        RefusalWords::Price { price, unpaid } if price == unpaid => format!("コスト{price}を支払えない"),
        RefusalWords::Price { price, unpaid } => format!("コスト{price}のうち{unpaid}を支払えない"),
        RefusalWords::Limit => "使える回数に達している".to_owned(),
        RefusalWords::NoChoice => "適正に選べるものがない".to_owned(),
        RefusalWords::Zone(zone) => format!("{}では働かない", named(zone)),
        RefusalWords::NotAmong(text) => format!("`{text}`に含まれていない"),
        RefusalWords::NoFit(text, facts) => {
            let facts: Vec<String> = facts.iter().map(|it| fact(it, speaker, game, format)).collect();
            let why = if facts.is_empty() { String::new() } else { format!("：{}", facts.join("、")) };
            format!("`{text}`に合わない{why}")
        }
    }
}

/// A card of the pack by the name in its sources, as it is called in Japanese.
fn of_card(game: &CompiledGame, printed: &str) -> String {
    let mut cards = game.library.definitions.numbered();
    let found = cards.find(|(number, card)| *number != 0 && card.name == printed);
    found.map_or_else(|| printed.to_owned(), |(number, _)| card_name(game, DefId(number as u32), Lang::Ja))
}

/// A fact about an object, in Japanese.
fn fact(it: &FactWords, speaker: &Speaker, game: &CompiledGame, format: &Format) -> String {
    let named = |declared: &str| name(game, format, declared, Lang::Ja);
    let seat = |seat: &Option<usize>| seat.map_or_else(|| "誰でもない".to_owned(), |seat| speaker.player(seat));
    match it {
        FactWords::Is(word, true) => format!("{}である", named(word)),
        FactWords::Is(word, false) => format!("{}ではない", named(word)),
        FactWords::Has(keyword, true) => format!("「{}」を持つ", named(keyword)),
        FactWords::Has(keyword, false) => format!("「{}」を持たない", named(keyword)),
        FactWords::In(zone, true) => format!("{}にある", named(zone)),
        FactWords::In(zone, false) => format!("{}にない", named(zone)),
        FactWords::Number(what, value) => format!("{}が{value}", named(what)),
        FactWords::Player(what, player) => format!("{}が{}", named(what), seat(player)),
        FactWords::Owner(player) => format!("オーナーが{}", seat(player)),
        FactWords::Controller(player) => format!("コントローラーが{}", seat(player)),
        FactWords::Card(printed) => of_card(game, printed),
    }
}

/// Why an answer is not legal, in Japanese.
#[must_use]
pub fn answer_refusal(refusal: &AnswerError) -> String {
    match refusal {
        AnswerError::NoDecisionPending => "いま選択するものはない".to_owned(),
        AnswerError::Count { given, min, max } if min == max => format!("{given}個を選んだが、{min}個を選ぶ"),
        AnswerError::Count { given, min, max } => format!("{given}個を選んだが、{min}個から{max}個を選ぶ"),
        AnswerError::NoSuchOption(_) => "その選択肢はない".to_owned(),
        AnswerError::DuplicateOption(_) => "同じものを2度選んでいる".to_owned(),
        AnswerError::Shares { given, wanted } => format!("{wanted}個に分けるところ、{given}個が示された"),
        AnswerError::Share { min, .. } => format!("1つに少なくとも{min}を割り振る"),
        AnswerError::Sum { given, wanted } => format!("合計が{given}だが、{wanted}を割り振る"),
        AnswerError::Range { given, min, max } => format!("{given}は{min}から{max}の間にない"),
        AnswerError::IllegalDeclaration { why: fizzle_runtime::assign::Violation::Requirement(_), .. } => {
            "宣言しなければならないものが足りない".to_owned()
        }
        AnswerError::IllegalDeclaration { .. } => "これらを同時に宣言することはできない".to_owned(),
        AnswerError::Unpayable => "それに必要なコストを支払えない".to_owned(),
        AnswerError::Undecided => "適正かどうかを判定しきれない".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{answer_refusal, refusal};
    use crate::protocol::Lang;
    use crate::words::phrases::Speaker;
    use fizzle_ir::{CompiledGame, Format};
    use fizzle_runtime::view::{FactWords, RefusalWords};
    use fizzle_runtime::vm::decision::AnswerError;

    #[test]
    fn refusals_are_written_in_both_languages() {
        let (game, format) = (CompiledGame::default(), Format::default());
        let say = |words: &RefusalWords, lang| refusal(words, &Speaker { lang, ..Speaker::default() }, (&game, &format));
        let price = RefusalWords::Price { price: "{2}{R}".to_owned(), unpaid: "{R}".to_owned() };
        assert_eq!(say(&price, Lang::En), "it cannot be paid for: of {2}{R} nothing pays {R}");
        assert_eq!(say(&price, Lang::Ja), "コスト{2}{R}のうち{R}を支払えない");
        let facts = vec![FactWords::Number("power".to_owned(), 3000), FactWords::Owner(Some(1))];
        let fit = RefusalWords::NoFit("x".to_owned(), facts);
        assert_eq!(say(&fit, Lang::En), "it does not fit `x`: its power is 3000, its owner is B");
        assert_eq!(say(&fit, Lang::Ja), "`x`に合わない：powerが3000、オーナーがB");
        assert_eq!(answer_refusal(&AnswerError::Count { given: 3, min: 1, max: 2 }), "3個を選んだが、1個から2個を選ぶ");
    }
}
