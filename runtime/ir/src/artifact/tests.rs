//! Artifacts are read back equal, whole and in part; damaged or forged bytes are refused. That what is accepted plays without a panic is
//! tested in `runtime/tests/compiled_packs.rs`.

use super::*;
use crate::tiny_game;
use crate::{CardText, DefId, FnId, PeriodEntry, Texts};
use proptest::prelude::*;

fn sample() -> Vec<u8> {
    let mut game = tiny_game::game();
    let text = CardText { card: 1, name: String::new(), lines: vec!["Draw a card.".into()], ..CardText::default() };
    let cards = vec![CardText { card: 0, ..text.clone() }, text];
    game.texts = vec![Texts { language: "en".into(), cards, ..Texts::default() }];
    encode(&Artifact { games: vec![game] }).expect("valid artifact")
}

/// A file with this header and sections, with correct lengths and checksum.
fn file_of(head: &[u8], sections: &[u8]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(IR_VERSION.to_le_bytes());
    bytes.extend(EDITION.to_le_bytes());
    bytes.extend((head.len() as u64).to_le_bytes());
    let sum = checksum(&bytes, head);
    bytes.extend(sum.to_le_bytes());
    bytes.extend(head);
    bytes.extend(sections);
    bytes
}

/// The header of a file and the bytes of its sections.
fn split_file(bytes: &[u8]) -> (PackHeader, Vec<Vec<u8>>) {
    let length = u64::from_le_bytes(*bytes[12..].first_chunk().expect("in range")) as usize;
    let head: PackHeader = postcard::from_bytes(&bytes[FIXED_HEADER_LEN..FIXED_HEADER_LEN + length]).expect("valid header");
    let mut from = FIXED_HEADER_LEN + length;
    let mut part = |section: &Section| {
        from += section.bytes as usize;
        bytes[from - section.bytes as usize..from].to_vec()
    };
    let parts = head.games.iter().flat_map(|game| &game.sections).map(&mut part).collect();
    (head, parts)
}

/// A file of a header and sections, with correct checksums.
fn join_file(mut head: PackHeader, parts: &[Vec<u8>]) -> Vec<u8> {
    let sections = head.games.iter_mut().flat_map(|game| &mut game.sections);
    for (section, part) in sections.zip(parts) {
        *section = section.for_bytes(part);
    }
    file_of(&postcard::to_stdvec(&head).expect("encodes"), &parts.concat())
}

/// Loads a game in part, with a few of its cards.
fn part(bytes: &[u8]) -> Result<crate::CompiledGame, ArtifactError> {
    Pack::open(bytes)?.load_part(0, &[DefId(2)], PackContents::Texts)
}

#[test]
fn decoding_returns_the_encoded_artifact() {
    let artifact = Artifact { games: vec![tiny_game::game()] };
    let bytes = encode(&artifact).expect("valid artifact");
    assert_eq!(decode(&bytes), Ok(artifact.clone()));
    assert_eq!(encode(&artifact), Ok(bytes));
}

#[test]
fn part_contains_only_rules_and_reachable_cards() {
    let bytes = sample();
    let whole = decode(&bytes).expect("valid artifact").games.remove(0);
    let library = &whole.library;
    let lonely = library.definitions.len() as u32;
    let mut more = whole.clone();
    let function = FnId(library.functions.len() as u32);
    more.library_mut().functions.push(library.functions[0].clone());
    more.library_mut().abilities.push(crate::Ability {
        name: "alone".into(),
        zones: 0,
        kind: crate::AbilityKind::Paragraph { body: function },
        source: crate::op::Source::default(),
    });
    let unit = crate::AbilityBundleId(more.formats[0].bundles.len() as u32);
    for format in &mut more.formats {
        let abilities = vec![crate::AbilityId(library.abilities.len() as u32)];
        format.bundles.push(crate::AbilityBundle { keyword: None, abilities });
    }
    let card = crate::Definition { name: "Alone".into(), bundles: vec![unit], ..library.definitions[2].clone() };
    more.library_mut().definitions.push(card);
    let bytes = encode(&Artifact { games: vec![more.clone()] }).expect("valid artifact");
    let pack = Pack::open(bytes.as_slice()).expect("valid pack");
    assert_eq!(pack.find_definitions(0, &["Alone", "Nobody"].into()), Ok(vec![DefId(lonely)]));

    let without = pack.load_part(0, &[DefId(2)], PackContents::Play).expect("valid artifact");
    assert!(without.library.definitions.get(2).is_some() && without.library.definitions.get(lonely as usize).is_none());
    assert!(without.library.functions.get(function.index()).is_none() && without.texts.is_empty());
    assert_eq!(without.library.definitions.len(), more.library.definitions.len());
    assert!(encode(&Artifact { games: vec![without.clone()] }).is_err());

    let with = pack.load_part(0, &[DefId(lonely)], PackContents::Texts).expect("valid artifact");
    assert_eq!(with.library.functions.get(function.index()), more.library.functions.get(function.index()));
}

#[test]
fn other_versions_are_refused() {
    let mut bytes = sample();
    bytes[4] = 99;
    assert_eq!(decode(&bytes), Err(ArtifactError::Version { found: 99 }));
    bytes[0] = b'X';
    assert_eq!(decode(&bytes), Err(ArtifactError::Magic));
}

#[test]
fn forged_texts_are_refused() {
    let forged = |card, line: &str| {
        let mut game = tiny_game::game();
        let text = CardText { card, name: String::new(), lines: vec![line.into()], ..CardText::default() };
        game.texts = vec![Texts { language: "en".into(), cards: vec![text], ..Texts::default() }];
        encode_unverified(&Artifact { games: vec![game] }).expect("encodes")
    };
    assert!(decode(&forged(0, "Draw a card.")).is_ok() && part(&forged(0, "Draw a card.")).is_ok());
    assert!(matches!(decode(&forged(u32::MAX, "Draw a card.")), Err(ArtifactError::Unsound(_))));
    assert!(matches!(decode(&forged(0, "\u{1b}]0;gone\u{7}")), Err(ArtifactError::Unsound(_))));
    assert!(matches!(part(&forged(0, "\u{1b}]0;gone\u{7}")), Err(ArtifactError::Unsound(_))));
}

#[test]
fn parts_are_verified() {
    let forged = |damage: fn(&mut CompiledGame)| {
        let mut game = tiny_game::game();
        damage(&mut game);
        let bytes = encode_unverified(&Artifact { games: vec![game] }).expect("encodes");
        assert!(matches!(part(&bytes), Err(ArtifactError::Unsound(_))), "{:?}", part(&bytes));
        assert!(matches!(decode(&bytes), Err(ArtifactError::Unsound(_))));
    };
    forged(|game| game.library_mut().functions[4].ops[0] = crate::Op::Not { dst: 3, a: 77 });
    forged(|game| game.formats[0].setup = Some(FnId(99)));
    forged(|game| game.library_mut().definitions[2].bundles = vec![crate::AbilityBundleId(999)]);
}

#[test]
fn inconsistent_headers_are_refused() {
    let forged = |damage: fn(&mut GameHeader)| {
        let (mut head, parts) = split_file(&sample());
        damage(&mut head.games[0]);
        let bytes = join_file(head, &parts);
        (decode(&bytes), part(&bytes))
    };
    assert!(forged(|_| ()).0.is_ok());
    assert!(forged(|head| head.hashes[0] ^= 1).0.is_err());
    assert!(forged(|head| head.tokens.push(2)).0.is_err());
    assert!(forged(|head| head.tokens.push(u32::MAX)).1.is_ok(), "there is no such token");
    let both = [forged(|head| head.hashes.clear()), forged(|head| head.sections.truncate(3))];
    assert!(both.iter().all(|(whole, part)| whole.is_err() && part.is_err()));
    for (table, section) in split_file(&sample()).0.games[0].sections.iter().enumerate() {
        for count in [section.count.wrapping_sub(1), section.count + 1, u32::MAX] {
            let (mut head, parts) = split_file(&sample());
            head.games[0].sections[table].count = count;
            assert!(decode(&join_file(head, &parts)).is_err(), "table {table} with {count} entries");
        }
    }
}

#[test]
fn overlapping_entries_are_refused() {
    let (head, mut parts) = split_file(&sample());
    let functions = &mut parts[1];
    let first: [u8; 4] = functions[..4].try_into().expect("not empty");
    functions[8..12].copy_from_slice(&first);
    let refused = ArtifactError::Payload("entries of a table overlap".into());
    assert_eq!(decode(&join_file(head, &parts)), Err(refused));
}

proptest! {
    #[test]
    fn garbage_is_refused(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        prop_assert!(decode(&bytes).is_err());
        prop_assert!(decode(&file_of(&bytes, &[])).is_err() || bytes.iter().all(|b| *b == 0));
        prop_assert!(part(&file_of(&bytes, &bytes)).is_err());
    }

    #[test]
    fn damage_is_noticed(cut in 0usize..100_000, at in 0usize..100_000, bit in 0u8..8) {
        let bytes = sample();
        let read = part(&bytes);
        prop_assert!(decode(&bytes[..cut % bytes.len()]).is_err() && part(&bytes[..cut % bytes.len()]).is_err());
        let mut flipped = bytes.clone();
        flipped[at % bytes.len()] ^= 1 << bit;
        prop_assert!(decode(&flipped).is_err());
        // Scenarios are not loaded, so damage there is not detected.
        let damaged = part(&flipped);
        prop_assert!(damaged.is_err() || damaged == read);
    }

    #[test]
    fn damage_in_each_section_is_noticed(table in 0usize..100, at in 0usize..100_000, bit in 0u8..8, cut in 1usize..100_000) {
        let (head, mut parts) = split_file(&sample());
        let table = table % parts.len();
        prop_assume!(!parts[table].is_empty());
        let at = at % parts[table].len();
        let wrong = |parts: &[Vec<u8>]| {
            let bytes = file_of(&postcard::to_stdvec(&head).expect("encodes"), &parts.concat());
            decode(&bytes)
        };
        prop_assert!(wrong(&parts).is_ok());
        parts[table][at] ^= 1 << bit;
        prop_assert_eq!(wrong(&parts), Err(ArtifactError::Checksum));
        let left = parts[table].len() - 1 - (cut % parts[table].len());
        parts[table].truncate(left);
        prop_assert!(wrong(&parts).is_err());
    }

    #[test]
    fn deep_nesting_is_refused(depth in 20usize..5_000) {
        // Nested repetitions.
        let mut game = tiny_game::game();
        let marker = FnId(0x1234_5678);
        game.formats[0].periods[0].entries = vec![PeriodEntry::Repeat(marker, Vec::new())];
        let (head, parts) = split_file(&encode_unverified(&Artifact { games: vec![game] }).expect("encodes"));
        let payload = postcard::to_stdvec(&head).expect("encodes");
        let needle = postcard::to_stdvec(&PeriodEntry::Repeat(marker, Vec::new())).expect("encodes");
        let found = payload.windows(needle.len()).position(|w| w == needle).expect("in range");
        let mut deep = payload[..found].to_vec();
        for _ in 0..depth {
            deep.extend([1, 0, 1]);
        }
        deep.extend([1, 0, 0]);
        deep.extend(&payload[found + needle.len()..]);
        prop_assert!(matches!(decode(&file_of(&deep, &parts.concat())), Err(ArtifactError::Payload(_))));
    }
}
