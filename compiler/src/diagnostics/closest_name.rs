//! The closest known name to an unknown one (did you mean): a search by edit distance, with a budget of comparisons for each thread.

use std::cell::Cell;

/// The greatest number of names that the suggestions of one game compare with unknown words.
pub const MAX_COMPARISONS: u64 = 2_000_000;

thread_local! {
    /// The number of names that suggestions may still compare.
    static COMPARISONS: Cell<u64> = const { Cell::new(MAX_COMPARISONS) };
}

/// Allows [`MAX_COMPARISONS`] comparisons of names on this thread.
pub(super) fn allow_max_comparisons() {
    COMPARISONS.set(MAX_COMPARISONS);
}

/// Whether a suggestion may compare a word with this many names; counts them.
#[must_use]
pub fn allow_comparisons(count: usize) -> bool {
    let left = COMPARISONS.get().checked_sub(count as u64);
    COMPARISONS.set(left.unwrap_or(0));
    left.is_some()
}

/// The name with the smallest edit distance to `word`, if that is at most 1 to 3, depending on the length of the word; or a name that `word` abbreviates. `None` after too many
/// comparisons: a pack with thousands of unknown names among thousands of names gets suggestions for the first ones.
#[must_use]
pub fn closest<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let limit = match word.chars().count() {
        0..=2 => 0,
        3..=5 => 1,
        6..=9 => 2,
        10..=MAX_SUGGESTED_CHARS => 3,
        _ => return None,
    };
    let mut left = COMPARISONS.get();
    let mut best: Option<(usize, &str)> = None;
    for name in names {
        if left == 0 {
            break;
        }
        left -= 1;
        // They differ only by case.
        if name != word && name.eq_ignore_ascii_case(word) {
            best = Some((0, name));
            break;
        }
        // A short word must have the same first letter.
        if limit < 2 && word.chars().next() != name.chars().next() {
            continue;
        }
        let edits = distance(word, name, limit);
        let is_near = edits <= limit || is_abbreviation(word, name);
        if is_near && name != word && best.is_none_or(|(least, _)| edits < least) {
            best = Some((edits, name));
        }
    }
    COMPARISONS.set(left);
    best.map(|(_, name)| name)
}

/// Whether a word is the beginning of a name of at most twice its length: `pow` for `power`.
fn is_abbreviation(word: &str, name: &str) -> bool {
    let rest = name.strip_prefix(word);
    word.len() >= 3 && rest.is_some_and(|rest| rest.len() <= word.len() && !rest.starts_with('_'))
}

/// The longest word that gets a suggestion, in characters.
const MAX_SUGGESTED_CHARS: usize = 200;

/// Edit distance with transpositions of neighbours. Returns any number above `limit` if it is greater. `a` has at most
/// [`MAX_SUGGESTED_CHARS`] characters.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    // A character has at most four bytes.
    if a.len().abs_diff(b.len()) > limit * 4 {
        return limit + 1;
    }
    if a.is_ascii() && b.is_ascii() {
        return edits(a.as_bytes(), b.as_bytes(), limit);
    }
    let characters = |word: &str| word.chars().collect::<Vec<char>>();
    edits(&characters(a), &characters(b), limit)
}

/// [`distance`] of two words as characters. Only places that lie at most `limit` apart are compared, since others are more edits away.
fn edits<T: PartialEq>(a: &[T], b: &[T], limit: usize) -> usize {
    const ROW: usize = MAX_SUGGESTED_CHARS + 8;
    let far = limit + 1;
    if a.len().abs_diff(b.len()) > limit || b.len() + limit + 1 >= ROW {
        return far;
    }
    let common = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (a.get(common..).unwrap_or(&[]), b.get(common..).unwrap_or(&[]));
    // the row before the last one, the last one, and the current one, in turns; what is outside of the band is far away
    let mut rows = [[u8::MAX - 1; ROW]; 3];
    (0..=limit.min(b.len())).for_each(|j| rows[0][j] = j as u8);
    for i in 1..=a.len() {
        let (now, last, older) = (i % 3, (i + 2) % 3, (i + 1) % 3);
        let (first, end) = (i.saturating_sub(limit).max(1), (i + limit).min(b.len()));
        rows[now][first - 1] = if first == 1 && i <= limit { i as u8 } else { u8::MAX - 1 };
        rows[now][end + 1] = u8::MAX - 1;
        let mut least_of_row = rows[now][first - 1];
        for j in first..=end {
            let change = u8::from(a[i - 1] != b[j - 1]);
            let mut least = (rows[last][j] + 1).min(rows[now][j - 1] + 1).min(rows[last][j - 1].saturating_add(change));
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[older][j - 2] + 1);
            }
            rows[now][j] = least.min(u8::MAX - 1);
            least_of_row = least_of_row.min(least);
        }
        // a transposition reads one row further back, where each number is at most one less
        if usize::from(least_of_row) > far {
            return far;
        }
    }
    usize::from(rows[a.len() % 3][b.len()])
}

#[cfg(test)]
mod tests {
    use super::{closest, distance};

    /// The same distance by the whole table.
    fn plain(a: &str, b: &str) -> usize {
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                if i == 0 || j == 0 {
                    table[i][j] = i + j;
                    continue;
                }
                let change = usize::from(a[i - 1] != b[j - 1]);
                let mut least = (table[i - 1][j] + 1).min(table[i][j - 1] + 1).min(table[i - 1][j - 1] + change);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(table[i - 2][j - 2] + 1);
                }
                table[i][j] = least;
            }
        }
        table[a.len()][b.len()]
    }

    #[test]
    fn an_abbreviation_is_suggested_after_what_is_nearer() {
        assert_eq!(closest("pow", ["power", "row"]), Some("power"));
        assert_eq!(closest("creat", ["create_token_copies", "creature"]), Some("creature"));
        assert_eq!(closest("draw", ["drawing", "drew"]), Some("drew"));
        assert_eq!(closest("to", ["top"]), None);
    }

    #[test]
    fn distances_are_those_of_the_whole_table() {
        let mut words = vec![String::new()];
        let mut seed = 1_u32;
        for _ in 0..300 {
            let mut word = String::new();
            for _ in 0..seed % 9 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                word.push(['a', 'b', 'c', '火'][(seed >> 20) as usize % if seed.is_multiple_of(3) { 4 } else { 3 }]);
            }
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            words.push(word);
        }
        words.extend(["a".repeat(200), format!("{}b", "a".repeat(199)), "a".repeat(203), format!("b{}", "a".repeat(198))]);
        for a in &words {
            for b in &words {
                let whole = plain(a, b);
                for limit in 0..=3 {
                    let found = distance(a, b, limit);
                    assert!(
                        if whole <= limit { found == whole } else { found > limit },
                        "{a} {b}: {found}, not {whole}, limit {limit}"
                    );
                }
            }
        }
    }
}
