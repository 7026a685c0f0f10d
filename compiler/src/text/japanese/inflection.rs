//! Forms of Japanese verbs, and sentences joined by them.

use super::markers;

/// The row of a sound: what it ends in, the stem of the polite form, of the negative one, and what joins it to て or た.
const ROWS: [(&str, &str, &str, &str, bool); 9] = [
    ("く", "き", "か", "い", false),
    ("ぐ", "ぎ", "が", "い", true),
    ("す", "し", "さ", "し", false),
    ("つ", "ち", "た", "っ", false),
    ("ぬ", "に", "な", "ん", true),
    ("ぶ", "び", "ば", "ん", true),
    ("む", "み", "ま", "ん", true),
    ("る", "り", "ら", "っ", false),
    ("う", "い", "わ", "っ", false),
];

/// The forms of a verb that texts need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VerbForm {
    /// 破壊し
    Stem,
    /// 破壊して
    Te,
    /// 破壊した
    Past,
    /// 破壊しない
    Negative,
    /// 破壊される
    Passive,
}

pub(super) fn form(text: &str, form: VerbForm) -> String {
    let ends = |stem: &str, [a, b, c, d, e]: [&str; 5]| {
        let end = match form {
            VerbForm::Stem => a,
            VerbForm::Te => b,
            VerbForm::Past => c,
            VerbForm::Negative => d,
            VerbForm::Passive => e,
        };
        format!("{stem}{end}")
    };
    if let Some(stem) = text.strip_suffix("する") {
        return ends(stem, ["し", "して", "した", "しない", "され|る"]);
    }
    if let Some(stem) = text.strip_suffix("|る") {
        // 手札を見て、: one sound alone is no clause
        let alone = if stem.ends_with('見') { "て" } else { "" };
        return ends(stem, [alone, "て", "た", "ない", "られ|る"]);
    }
    if let Some(stem) = text.strip_suffix("しない").filter(|_| form == VerbForm::Stem) {
        return format!("{stem}せず");
    }
    if let Some(stem) = text.strip_suffix("ない") {
        return ends(stem, ["ず", "なくて", "なかった", "なくない", "ない"]);
    }
    for (end, polite, negative, join, voiced) in ROWS {
        if let Some(stem) = text.strip_suffix(end) {
            let (te, ta) = if voiced { ("で", "だ") } else { ("て", "た") };
            return match form {
                VerbForm::Stem => format!("{stem}{polite}"),
                VerbForm::Te => format!("{stem}{join}{te}"),
                VerbForm::Past => format!("{stem}{join}{ta}"),
                VerbForm::Negative => format!("{stem}{negative}ない"),
                VerbForm::Passive => format!("{stem}{negative}れ|る"),
            };
        }
    }
    text.to_owned()
}

/// The subject that two sentences begin with, with its particle.
fn subject<'t>(text: &'t str, other: &str) -> &'t str {
    let end = text.find('は').map_or(0, |at| at + 'は'.len_utf8());
    let subject = &text[..end];
    if subject.contains(['。', 'を']) || !other.starts_with(subject) { "" } else { subject }
}

/// Who does it, where that is somebody spoken of before: そのプレイヤーは.
fn spoken_of(text: &str) -> &str {
    let end = text.find('は').map_or(0, |at| at + 'は'.len_utf8());
    let subject = &text[..end];
    if (subject.starts_with("その") || subject.starts_with(markers::WHICH)) && !subject.contains(['、', '。', 'を', 'が']) {
        subject
    } else {
        ""
    }
}

/// Whether a sentence goes on with what the same one does: そのプレイヤーはカードを引き、ライフを失う.
pub fn goes_on(before: &str, next: &str) -> bool {
    let last = markers::named_first(before.rsplit(['。', '\n']).next().unwrap_or("")).1;
    let subject = spoken_of(last);
    !subject.is_empty()
        && spoken_of(next) == subject
        && !next.contains(['。', '\n'])
        && !last.contains('、')
        && !last.ends_with('い')
}

/// What is done, without who does it.
pub fn without_subject(text: &str) -> &str {
    &text[spoken_of(text).len()..]
}

/// このカードを除外する behind モンスターを除外する: モンスターとこのカードを除外する
fn both_done(one: &str, other: &str) -> Option<String> {
    let (targets, other) = markers::named_first(other);
    let (named, said) = markers::named_first(one);
    let ((first, done), (second, again)) = (said.rsplit_once('を')?, other.rsplit_once('を')?);
    let plain = |text: &str| !text.is_empty() && !text.contains(['を', '、', '。', 'は', 'が', '\n', markers::OPEN]);
    (done == again && plain(first) && plain(second)).then(|| format!("{named}{targets}{first}と{second}を{done}"))
}

/// すべてのクリーチャーに2点のダメージを与える and 各プレイヤーに2点の…: すべてのクリーチャーと各プレイヤーに…
fn both_given(one: &str, other: &str) -> Option<String> {
    let (targets, other) = markers::named_first(other);
    let (named, said) = markers::named_first(one);
    let who = subject(said, other);
    let ((first, done), (second, again)) =
        (said.strip_prefix(who)?.rsplit_once('に')?, other.strip_prefix(who)?.rsplit_once('に')?);
    let plain =
        |text: &str| !text.is_empty() && !text.contains("それ") && !text.contains(['、', '。', 'は', '\n', markers::OPEN]);
    let and = if second.contains(['が', 'と']) { "と、" } else { "と" };
    let given = done == again && done.contains('を') && plain(first) && plain(second);
    given.then(|| format!("{named}{targets}{who}{first}{and}{second}に{done}"))
}

/// Sentences joined into one.
pub fn joined(texts: &[String]) -> String {
    let mut said: Vec<String> = Vec::new();
    for text in texts {
        match said.last().and_then(|last| both_done(last, text).or_else(|| both_given(last, text))) {
            Some(both) => *said.last_mut().unwrap_or(&mut String::new()) = both,
            None => said.push(text.clone()),
        }
    }
    match said.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => {
            // all targets are named before the first sentence
            let mut named = String::new();
            let mut out = String::new();
            for text in first {
                let (targets, text) = markers::named_first(text);
                named.push_str(targets);
                out.push_str(&form(text, VerbForm::Stem));
                // カードを3枚まで: how many, of what the next sentence does
                if !text.ends_with("まで") {
                    out.push('、');
                }
            }
            let (targets, last) = markers::named_first(last);
            // who does it is said once
            let subject = first.first().map_or("", |text| subject(markers::named_first(text).1, last));
            let last = last.strip_prefix(subject).unwrap_or(last);
            format!("{named}{targets}{out}{last}")
        }
    }
}

/// What a number that an event brings is called.
pub(super) const THAT_MANY: &str = "その数";

/// A condition before another one: …が存在せず、 …が闇属性で、
pub(super) fn and_so(text: &str) -> String {
    if text.ends_with('た') {
        format!("{text}、かつ")
    } else if text.ends_with(['る', 'い', 'う', 'く', 'す', 'つ', 'む', 'ぶ']) {
        let verb = match text.strip_suffix('る') {
            // いる, 出る: the stem is what stands before る
            Some(stem)
                if stem.ends_with(['い', 'え', 'け', 'せ', 'て', 'ね', 'へ', 'め', 'れ', 'べ', 'げ', '出', '得', '見']) =>
            {
                format!("{stem}|る")
            }
            _ => text.to_owned(),
        };
        form(&verb, VerbForm::Stem)
    } else {
        format!("{text}で")
    }
}

/// Whether a text is a number as it is written, or X.
pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == 'X')
}
