//! Runs the editor benchmark (`cargo bench -p fizzle-cli --bench editor`) with a small pack, as a functional test.

use crate::edits::{Size, measure};

#[test]
fn every_mistake_and_its_fix_are_reported() {
    let times = measure(Size { cards: 200, cards_per_file: 80, rounds: 3, empty_zone: true });
    assert_eq!(times.card_bodies.len(), 6);
    assert!(times.card_names.len() >= 4, "random names rarely equal the card's own name");
    assert_eq!((times.keywords.len(), times.formats.len()), (4, 2));
}
