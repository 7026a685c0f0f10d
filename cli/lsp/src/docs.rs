//! Doc comments of declarations.

/// The first paragraph of a doc comment, on one line.
#[must_use]
pub fn first_paragraph(docs: &str) -> String {
    let lines = docs.lines().map(str::trim).skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}
