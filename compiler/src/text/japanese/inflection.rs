//! Japanese inflection of verbs, and sentences that inflected verbs join.

use super::markers;

/// A row of the verb table: the ending, the polite stem, the negative stem, the sound before て or た, and whether て and た become で and だ.
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

/// The verb forms that texts need.
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

pub(super) fn inflect(text: &str, form: VerbForm) -> String {
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
    // 解決される: the words of an action that says what happens to its object
    if let Some(stem) =
        text.trim_end_matches('る').trim_end_matches('|').strip_suffix("され").filter(|_| form == VerbForm::Passive)
    {
        return format!("{stem}され|る");
    }
    if let Some(stem) = text.strip_suffix("する") {
        return ends(stem, ["し", "して", "した", "しない", "され|る"]);
    }
    if let Some(stem) = text.strip_suffix("|る") {
        // 手札を見て、: a stem of one sound cannot end a clause
        let alone = if stem.ends_with('見') { "て" } else { "" };
        return ends(stem, [alone, "て", "た", "ない", "られ|る"]);
    }
    // 捨てる: a verb with a vowel of this row before る is inflected as if it were marked
    let vowels = ['え', 'け', 'げ', 'せ', 'て', 'で', 'ね', 'へ', 'べ', 'め', 'れ'];
    if let Some(stem) = text.strip_suffix('る').filter(|stem| stem.ends_with(vowels)) {
        return inflect(&format!("{stem}|る"), form);
    }
    // 攻撃できる: できる is inflected as if it were marked
    if text.ends_with("できる") {
        return inflect(&format!("{}|る", text.trim_end_matches('る')), form);
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

/// The subject that two sentences share at their beginnings, with its particle. Empty if they share none.
fn shared_subject<'t>(text: &'t str, other: &str) -> &'t str {
    let end = text.find('は').map_or(0, |at| at + 'は'.len_utf8());
    let subject = &text[..end];
    if subject.contains(['。', 'を']) || !other.starts_with(subject) { "" } else { subject }
}

/// The subject of a sentence if it refers to a player mentioned before: そのプレイヤーは. Empty otherwise.
fn mentioned_subject(text: &str) -> &str {
    let end = text.find('は').map_or(0, |at| at + 'は'.len_utf8());
    let subject = &text[..end];
    if (subject.starts_with("その") || subject.starts_with(markers::REFERENCE)) && !subject.contains(['、', '。', 'を', 'が'])
    {
        subject
    } else {
        ""
    }
}

/// Whether two sentences have the same such subject, so that they can be joined: そのプレイヤーはカードを引き、ライフを失う.
pub fn continues_subject(before: &str, next: &str) -> bool {
    let last = markers::split_targets(before.rsplit(['。', '\n']).next().unwrap_or("")).1;
    let subject = mentioned_subject(last);
    !subject.is_empty()
        && mentioned_subject(next) == subject
        && !next.contains(['。', '\n'])
        && !last.contains('、')
        && !last.ends_with('い')
}

/// The sentence without its subject.
pub fn without_subject(text: &str) -> &str {
    &text[mentioned_subject(text).len()..]
}

/// Merges two sentences with the same verb: モンスターを除外する and このカードを除外する become モンスターとこのカードを除外する.
fn merge_objects(one: &str, other: &str) -> Option<String> {
    let (targets, other) = markers::split_targets(other);
    let (named, rest) = markers::split_targets(one);
    let ((first, done), (second, again)) = (rest.rsplit_once('を')?, other.rsplit_once('を')?);
    let plain = |text: &str| !text.is_empty() && !text.contains(['を', '、', '。', 'は', 'が', '\n', markers::COUNT_START]);
    (done == again && plain(first) && plain(second)).then(|| format!("{named}{targets}{first}と{second}を{done}"))
}

/// Merges two sentences with different recipients: すべてのクリーチャーに2点の… and 各プレイヤーに2点の… become すべてのクリーチャーと各プレイヤーに….
fn merge_recipients(one: &str, other: &str) -> Option<String> {
    let (targets, other) = markers::split_targets(other);
    let (named, rest) = markers::split_targets(one);
    let who = shared_subject(rest, other);
    let ((first, done), (second, again)) =
        (rest.strip_prefix(who)?.rsplit_once('に')?, other.strip_prefix(who)?.rsplit_once('に')?);
    let plain =
        |text: &str| !text.is_empty() && !text.contains("それ") && !text.contains(['、', '。', 'は', '\n', markers::COUNT_START]);
    let and = if second.contains(['が', 'と']) { "と、" } else { "と" };
    let given = done == again && done.contains('を') && plain(first) && plain(second);
    given.then(|| format!("{named}{targets}{who}{first}{and}{second}に{done}"))
}

/// Joins sentences into one.
pub fn join_sentences(texts: &[String]) -> String {
    let mut merged: Vec<String> = Vec::new();
    for text in texts {
        match merged.last().and_then(|last| merge_objects(last, text).or_else(|| merge_recipients(last, text))) {
            Some(both) => *merged.last_mut().unwrap_or(&mut String::new()) = both,
            None => merged.push(text.clone()),
        }
    }
    match merged.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => {
            // all targets are announced before the first sentence
            let mut named = String::new();
            let mut out = String::new();
            for text in first {
                let (targets, text) = markers::split_targets(text);
                named.push_str(targets);
                out.push_str(&inflect(text, VerbForm::Stem));
                // カードを3枚まで: a count for the verb of the next sentence, so no comma
                if !text.ends_with("まで") {
                    out.push('、');
                }
            }
            let (targets, last) = markers::split_targets(last);
            // the subject is printed once
            let subject = first.first().map_or("", |text| shared_subject(markers::split_targets(text).1, last));
            let last = last.strip_prefix(subject).unwrap_or(last);
            format!("{named}{targets}{out}{last}")
        }
    }
}

/// Joins actions of which one is taken: クリーチャー1体を生け贄に捧げるか、カード1枚を捨てる.
pub fn join_alternatives(texts: &[String]) -> String {
    let Some((last, others)) = texts.split_last() else { return String::new() };
    let others: String = others.iter().map(|text| format!("{}か、", text.replace('|', ""))).collect();
    others + last
}

/// The text for a number that an event brings.
pub(super) const THAT_MANY: &str = "その数";

/// A condition in the form that it has before another one: …が存在せず、 …が闇属性で、
pub(in crate::text) fn conjunctive_form(text: &str) -> String {
    if let Some(stem) = text.strip_suffix("ている") {
        format!("{stem}ており")
    } else if let Some(stem) = text.strip_suffix("ていない") {
        format!("{stem}ておらず")
    } else if let Some(stem) = text.strip_suffix("がいる") {
        format!("{stem}がいて")
    } else if text.ends_with('た') {
        format!("{text}、かつ")
    } else if text.ends_with("ない")
        || ["小さい", "大きい", "多い", "少ない", "高い", "低い"].iter().any(|end| text.ends_with(end))
    {
        format!("{}く", text.trim_end_matches('い'))
    } else if text.ends_with(['る', 'い', 'う', 'く', 'す', 'つ', 'む', 'ぶ']) {
        let verb = match text.strip_suffix('る') {
            // いる, 出る: the stem is the part before る
            Some(stem)
                if stem.ends_with(['い', 'え', 'け', 'せ', 'て', 'ね', 'へ', 'め', 'れ', 'べ', 'げ', '出', '得', '見']) =>
            {
                format!("{stem}|る")
            }
            _ => text.to_owned(),
        };
        inflect(&verb, VerbForm::Stem)
    } else {
        format!("{text}で")
    }
}

/// Whether a text is a number in digits, or X.
pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == 'X')
}

/// The past of the passive: 破壊する becomes 破壊された.
pub(in crate::text) fn past_passive(text: &str) -> String {
    inflect(&inflect(text, VerbForm::Passive), VerbForm::Past)
}

/// What something that would happen is called where it cannot: 破壊される becomes 破壊されない, 攻撃する becomes 攻撃することはできない.
pub fn prohibited(text: &str) -> String {
    text.strip_suffix("れる").map_or_else(|| format!("{text}ことはできない"), |stem| format!("{stem}れない"))
}

/// A condition in the past: タップ状態である becomes タップ状態だった.
pub fn past(text: &str) -> String {
    match text.strip_suffix("である").or_else(|| text.strip_suffix('だ')) {
        Some(noun) => format!("{noun}だった"),
        None if text.ends_with("いる") || text.ends_with("ある") => {
            let stem = text.strip_suffix('る').unwrap_or(text);
            if stem.ends_with('あ') { format!("{stem}った") } else { format!("{stem}た") }
        }
        None if text.ends_with(['い', 'た']) => {
            text.strip_suffix('い').map_or_else(|| text.to_owned(), |stem| format!("{stem}かった"))
        }
        None => format!("{text}だった"),
    }
}

/// Kanji of verbs in 〜す, whose past in 〜した is none of する.
const VERBS_IN_SU: &str = "出移戻返渡離示倒残落回起消直増減許";

/// What happened as something that would happen: 破壊された becomes 破壊される. A verb whose past does not show its form in the dictionary is left
/// as it is.
pub fn dictionary_form(text: &str) -> String {
    let form = |from: &str, to: &str| text.strip_suffix(from).map(|stem| format!("{stem}{to}"));
    if let Some(stem) = text.strip_suffix("した") {
        let end = if stem.ends_with(|c| VERBS_IN_SU.contains(c)) { "す" } else { "する" };
        return format!("{stem}{end}");
    }
    const ENDINGS: [(&str, &str); 12] = [
        ("れた", "れる"),
        ("けた", "ける"),
        ("えた", "える"),
        ("めた", "める"),
        ("せた", "せる"),
        ("げた", "げる"),
        ("べた", "べる"),
        ("できた", "できる"),
        ("出た", "出る"),
        ("得た", "得る"),
        ("見た", "見る"),
        ("いた", "く"),
    ];
    ENDINGS.iter().find_map(|(from, to)| form(from, to)).unwrap_or_else(|| text.to_owned())
}
