//! The labels of explanations in each language.

use fizzle_table::protocol::Lang;

/// The labels of one language.
#[derive(Debug)]
#[expect(missing_docs, reason = "each field is named after what it says")]
pub struct Labels {
    pub keyword: &'static str,
    pub triggered: &'static str,
    pub again: &'static str,
    pub replacement: &'static str,
    pub prohibition: &'static str,
    pub continuous: &'static str,
    pub paragraph: &'static str,
    pub activated: &'static str,
    pub further_cost: &'static str,
    pub option: &'static str,
    pub optional: &'static str,
    pub together: &'static str,
    pub target: &'static str,
    pub on_announcement: &'static str,
    pub on_resolution: &'static str,
    pub fizzle_whole: &'static str,
    pub fizzle_paragraph: &'static str,
    pub never_fizzles: &'static str,
    pub none_allowed: &'static str,
    pub none_refused: &'static str,
    pub no_text: &'static str,
    pub the_same_in: &'static str,
    pub banned: &'static str,
    pub restricted: &'static str,
    pub errata: &'static str,
}

const ENGLISH: Labels = Labels {
    keyword: "keyword",
    triggered: "triggered by",
    again: "triggers again",
    replacement: "instead of",
    prohibition: "forbids",
    continuous: "static ability",
    paragraph: "effect",
    activated: "activated:",
    further_cost: "additional cost",
    option: "option:",
    optional: "optional",
    together: "once for simultaneous events",
    target: "target",
    on_announcement: "chosen on announcement",
    on_resolution: "chosen on resolution",
    fizzle_whole: "if no announced choice is legal any more, the whole object fizzles",
    fizzle_paragraph: "if no announced choice of a paragraph is legal any more, that paragraph fizzles; the others resolve",
    never_fizzles: "nothing is chosen on announcement, so nothing can fizzle",
    none_allowed: "it may be announced if there is nothing to choose",
    none_refused: "it may not be announced if there is nothing to choose",
    no_text: "no rules text",
    the_same_in: "the same in",
    banned: "banned",
    restricted: "restricted to one copy",
    errata: "with errata",
};

const JAPANESE: Labels = Labels {
    keyword: "キーワード",
    triggered: "誘発:",
    again: "もう一度誘発",
    replacement: "置換:",
    prohibition: "禁止:",
    continuous: "常在型",
    paragraph: "効果",
    activated: "起動:",
    further_cost: "追加コスト",
    option: "選択コスト:",
    optional: "任意",
    together: "同時のものに1度",
    target: "対象",
    on_announcement: "宣言時に選ぶ",
    on_resolution: "解決時に選ぶ",
    fizzle_whole: "宣言時に選んだものがすべて不適正になったら、全体が立ち消えになる",
    fizzle_paragraph: "宣言時に選んだものがすべて不適正になった段落は立ち消えになり、他の段落は解決される",
    never_fizzles: "宣言時に選ぶものがないので、立ち消えにならない",
    none_allowed: "選べるものがなくても宣言できる",
    none_refused: "選べるものがなければ宣言できない",
    no_text: "効果なし",
    the_same_in: "次のフォーマットでも同じ:",
    banned: "禁止カード",
    restricted: "制限カード（1枚まで）",
    errata: "エラッタあり",
};

impl Labels {
    /// The labels of a language.
    #[must_use]
    pub fn of(lang: Lang) -> &'static Self {
        match lang {
            Lang::En => &ENGLISH,
            Lang::Ja => &JAPANESE,
        }
    }
}
