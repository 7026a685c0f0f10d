//! Rewrites a source from an older edition of the language into the newest.

use crate::ast::Item;
use crate::edition::{Edition, Spelling};

/// Rewrites the spellings of older editions in a text into those of the newest. Everything else stays as it is, comments and blanks included.
///
/// `is_taken` returns whether the game declares a name; spellings that would then mean something else are left alone and returned.
pub fn upgrade<'i>(text: &str, items: &'i [Item], is_taken: impl Fn(&str) -> bool) -> (String, Vec<&'i Spelling>) {
    let mut upgraded = String::with_capacity(text.len());
    let (mut copied, mut left_alone) = (0, Vec::new());
    for spelling in items.iter().flat_map(|item| &item.spellings).filter(|spelling| spelling.edition < Edition::NEWEST) {
        if is_taken(spelling.other.split(' ').next().unwrap_or("")) && spelling.is_name() {
            left_alone.push(spelling);
            continue;
        }
        let (start, end) = (spelling.span.start as usize, spelling.span.end as usize);
        upgraded.push_str(text.get(copied..start).unwrap_or(""));
        upgraded.push_str(&spelling.other);
        copied = end;
    }
    upgraded.push_str(text.get(copied..).unwrap_or(""));
    (upgraded, left_alone)
}
