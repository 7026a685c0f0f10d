//! Compiled packs as bytes (`.fzb`): magic, versions, a checksum, the games. What was read is verified before anything runs it.

use crate::ir::Artifact;
use crate::verify::{Unsound, verify};

/// The first bytes of a file.
pub const MAGIC: [u8; 4] = *b"FZB\0";

/// The edition of the language that this program compiles.
pub const EDITION: u32 = 1;

/// The version of the intermediate representation. It changes whenever a type of [`crate::ir`] does.
pub const IR_VERSION: u32 = 10;

/// The largest file that is read.
pub const MAX_BYTES: usize = 256 << 20;

/// Magic, version, edition, length of the payload, checksum of all that stands before it and of the payload.
const HEADER: usize = 4 + 4 + 4 + 8 + 8;

/// Why bytes are not a usable artifact.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArtifactError {
    /// Something else.
    #[error("this is not a compiled pack")]
    Magic,
    /// Written by another version.
    #[error(
        "the compiled pack has version {found} of the intermediate representation, this program reads version {IR_VERSION}: build it again"
    )]
    Version {
        /// Its version.
        found: u32,
    },
    /// Written for another edition of the language.
    #[error("the compiled pack is of edition {found}, this program knows edition {EDITION}")]
    Edition {
        /// Its edition.
        found: u32,
    },
    /// Cut off, too long or too large.
    #[error("the compiled pack has another length than it says, or is too large")]
    Length,
    /// Damaged.
    #[error("the compiled pack is damaged: its checksum is wrong")]
    Checksum,
    /// The payload cannot be read.
    #[error("the compiled pack cannot be read: {0}")]
    Payload(String),
    /// It was read, but does not hold together.
    #[error("the compiled pack does not hold together: {0}")]
    Unsound(#[from] Unsound),
}

/// The bytes of a file.
///
/// # Errors
/// When the artifact does not hold together: nothing is written that would not be read.
pub fn encode(artifact: &Artifact) -> Result<Vec<u8>, ArtifactError> {
    verify(artifact)?;
    let payload = postcard::to_stdvec(artifact).map_err(|e| ArtifactError::Payload(e.to_string()))?;
    let mut bytes = Vec::with_capacity(HEADER + payload.len());
    bytes.extend(MAGIC);
    bytes.extend(IR_VERSION.to_le_bytes());
    bytes.extend(EDITION.to_le_bytes());
    bytes.extend((payload.len() as u64).to_le_bytes());
    let sum = checksum(&bytes, &payload);
    bytes.extend(sum.to_le_bytes());
    bytes.extend(payload);
    Ok(bytes)
}

/// Reads the bytes of a file.
///
/// # Errors
/// [`ArtifactError`] says what is wrong with them.
pub fn decode(bytes: &[u8]) -> Result<Artifact, ArtifactError> {
    if bytes.len() > MAX_BYTES {
        return Err(ArtifactError::Length);
    }
    let (magic, rest) = bytes.split_first_chunk::<4>().ok_or(ArtifactError::Magic)?;
    if *magic != MAGIC {
        return Err(ArtifactError::Magic);
    }
    let (version, rest) = rest.split_first_chunk::<4>().ok_or(ArtifactError::Length)?;
    let found = u32::from_le_bytes(*version);
    if found != IR_VERSION {
        return Err(ArtifactError::Version { found });
    }
    let (edition, rest) = rest.split_first_chunk::<4>().ok_or(ArtifactError::Length)?;
    let found = u32::from_le_bytes(*edition);
    if found != EDITION {
        return Err(ArtifactError::Edition { found });
    }
    let (length, rest) = rest.split_first_chunk::<8>().ok_or(ArtifactError::Length)?;
    let (sum, payload) = rest.split_first_chunk::<8>().ok_or(ArtifactError::Length)?;
    if u64::from_le_bytes(*length) != payload.len() as u64 {
        return Err(ArtifactError::Length);
    }
    let head = bytes.get(..HEADER - 8).unwrap_or(&[]);
    if checksum(head, payload) != u64::from_le_bytes(*sum) {
        return Err(ArtifactError::Checksum);
    }
    let (artifact, left) = postcard::take_from_bytes::<Artifact>(payload).map_err(|e| ArtifactError::Payload(e.to_string()))?;
    if !left.is_empty() {
        return Err(ArtifactError::Length);
    }
    verify(&artifact)?;
    Ok(artifact)
}

fn checksum(head: &[u8], payload: &[u8]) -> u64 {
    let mut hasher = xxhash_rust::xxh3::Xxh3::new();
    hasher.update(head);
    hasher.update(payload);
    hasher.digest()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use proptest::prelude::*;

    fn sample() -> Vec<u8> {
        encode(&Artifact { games: vec![testing::game()] }).expect("it is sound")
    }

    /// A file whose payload is this, with everything around it right.
    fn wrapped(payload: &[u8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(IR_VERSION.to_le_bytes());
        bytes.extend(EDITION.to_le_bytes());
        bytes.extend((payload.len() as u64).to_le_bytes());
        let sum = checksum(&bytes, payload);
        bytes.extend(sum.to_le_bytes());
        bytes.extend(payload);
        bytes
    }

    #[test]
    fn it_is_read_as_it_was_written() {
        let artifact = Artifact { games: vec![testing::game()] };
        assert_eq!(decode(&sample()), Ok(artifact));
    }

    #[test]
    fn versions_are_told_apart() {
        let mut bytes = sample();
        bytes[4] = 99;
        assert_eq!(decode(&bytes), Err(ArtifactError::Version { found: 99 }));
        bytes[0] = b'X';
        assert_eq!(decode(&bytes), Err(ArtifactError::Magic));
    }

    #[test]
    fn forged_texts_are_refused() {
        let forged = |card, line: &str| {
            let mut game = testing::game();
            let text = crate::ir::CardText { card, name: String::new(), lines: vec![line.into()] };
            game.texts = vec![crate::ir::Texts {
                language: "en".into(),
                format: String::new(),
                cards: vec![text],
                prompts: vec![],
                rules: vec![],
            }];
            decode(&wrapped(&postcard::to_stdvec(&Artifact { games: vec![game] }).expect("it can be written")))
        };
        assert!(forged(0, "Draw a card.").is_ok());
        assert!(matches!(forged(u32::MAX, "Draw a card."), Err(ArtifactError::Unsound(_))));
        assert!(matches!(forged(0, "\u{1b}]0;gone\u{7}"), Err(ArtifactError::Unsound(_))));
    }

    proptest! {
        #[test]
        fn garbage_is_refused(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            prop_assert!(decode(&bytes).is_err());
            prop_assert!(decode(&wrapped(&bytes)).is_err() || bytes.iter().all(|b| *b == 0));
        }

        #[test]
        fn damage_is_noticed(cut in 0usize..100_000, at in 0usize..100_000, bit in 0u8..8) {
            let bytes = sample();
            prop_assert!(decode(&bytes[..cut % bytes.len()]).is_err());
            let mut flipped = bytes.clone();
            flipped[at % bytes.len()] ^= 1 << bit;
            prop_assert!(decode(&flipped).is_err());
        }

        #[test]
        fn a_forged_pack_is_refused_or_plays_without_a_panic(at in 0usize..100_000, value in any::<u8>()) {
            let mut payload = sample().split_off(HEADER);
            let at = at % payload.len();
            payload[at] = value;
            if let Ok(artifact) = decode(&wrapped(&payload))
                && let Some(program) = artifact.games.first().and_then(|game| crate::program::Program::link(game, 0, &[]))
                && let Ok(mut machine) = crate::game::start(std::sync::Arc::new(program), &[testing::cards(4), testing::cards(4)], 1)
            {
                machine.limits.fuel = 20_000;
                for _ in 0..20 {
                    let crate::vm::Step::Asked(decision) = crate::game::advance(&mut machine) else { break };
                    let picks: Vec<u32> = (0..decision.min.max(0) as u32).rev().collect();
                    if machine.answer(&picks).is_err() {
                        break;
                    }
                }
            }
        }

        #[test]
        fn deep_nesting_is_refused(depth in 20usize..5_000) {
            // A repetition in a repetition in a repetition …
            let mut game = testing::game();
            let marker = crate::ir::FnId(0x1234_5678);
            game.formats[0].spans[0].entries = vec![crate::ir::SpanEntry::Repeat(marker, Vec::new())];
            let payload = postcard::to_stdvec(&Artifact { games: vec![game] }).expect("it is written");
            let needle = postcard::to_stdvec(&crate::ir::SpanEntry::Repeat(marker, Vec::new())).expect("it is written");
            let found = payload.windows(needle.len()).position(|w| w == needle).expect("it is there");
            let mut deep = payload[..found].to_vec();
            for _ in 0..depth {
                deep.extend([1, 0, 1]);
            }
            deep.extend([1, 0, 0]);
            deep.extend(&payload[found + needle.len()..]);
            prop_assert!(matches!(decode(&wrapped(&deep)), Err(ArtifactError::Payload(_))));
        }
    }
}
