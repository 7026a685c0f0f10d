//! The measuring of the editor, `cargo bench -p fizzle-cli --bench editor`, in so small a form that it says nothing about time.

use crate::edits::{Size, measure};

#[test]
fn every_mistake_is_told_and_its_mending_too() {
    let times = measure(Size { cards: 200, in_a_file: 80, rounds: 3, empty_zone: true });
    assert_eq!(times.inside.len(), 6);
    assert!(times.names.len() >= 4, "few cards are given their own name");
    assert_eq!((times.keywords.len(), times.formats.len()), (4, 2));
}
