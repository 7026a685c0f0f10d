//! The words of a selection, for decisions without a rules text.

/// A selection without the expression in parentheses at its start, which is its amount: decisions say the amount themselves.
#[must_use]
pub fn without_amount(text: &str) -> &str {
    let mut open = 0;
    if !text.starts_with('(') {
        return text;
    }
    for (at, c) in text.char_indices() {
        match c {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        if open == 0 {
            let rest = text.get(at + 1..).map_or("", str::trim_start);
            return if rest.is_empty() { text } else { rest };
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::without_amount;

    #[test]
    fn amount_before_selection_is_omitted() {
        assert_eq!(without_amount("(count of card - f(active)) card in hand"), "card in hand");
        assert_eq!(without_amount("(x)"), "(x)");
        assert_eq!(without_amount("1 card"), "1 card");
        assert_eq!(without_amount("((1) card"), "((1) card");
    }
}
