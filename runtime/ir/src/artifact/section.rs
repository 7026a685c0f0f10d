//! Sections: tables whose entries can be read separately. First the end offset of each entry (32 bits each), then the entries.

use super::ArtifactError;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The description of a section in the header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Section {
    /// The number of entries.
    pub count: u32,
    /// The size in bytes.
    pub bytes: u64,
    /// The checksum of the bytes.
    checksum: u64,
}

/// Encodes entries as a section.
pub(super) fn encode_section<'a, T: Serialize + 'a>(
    entries: impl Iterator<Item = &'a T>,
) -> Result<(Section, Vec<u8>), ArtifactError> {
    let (mut ends, mut body) = (Vec::new(), Vec::new());
    let mut count = 0u32;
    for entry in entries {
        body = postcard::to_extend(entry, body).map_err(|e| ArtifactError::Payload(e.to_string()))?;
        let end = u32::try_from(body.len()).map_err(|_| ArtifactError::Length)?;
        ends.extend(end.to_le_bytes());
        count += 1;
    }
    ends.extend(body);
    let section = Section { count, bytes: ends.len() as u64, checksum: xxhash_rust::xxh3::xxh3_64(&ends) };
    Ok((section, ends))
}

/// The bytes of a section. Checksum and offsets are checked; entries do not overlap.
#[derive(Debug)]
pub(super) struct Entries<'a> {
    ends: Cow<'a, [u8]>,
    /// The offset of the first entry.
    body: usize,
}

impl Section {
    /// The description of other bytes with the same number of entries.
    pub fn for_bytes(&self, bytes: &[u8]) -> Self {
        Self { count: self.count, bytes: bytes.len() as u64, checksum: xxhash_rust::xxh3::xxh3_64(bytes) }
    }

    /// Checks the bytes of the section.
    pub fn open<'a>(&self, bytes: Cow<'a, [u8]>) -> Result<Entries<'a>, ArtifactError> {
        if xxhash_rust::xxh3::xxh3_64(&bytes) != self.checksum {
            return Err(ArtifactError::Checksum);
        }
        let body = (self.count as usize).checked_mul(4).filter(|body| *body <= bytes.len()).ok_or(ArtifactError::Length)?;
        let entries = Entries { ends: bytes, body };
        let mut last = 0;
        for end in entries.ends() {
            if end < last {
                return Err(ArtifactError::Payload("entries of a table overlap".into()));
            }
            last = end;
        }
        if body + last as usize == entries.ends.len() { Ok(entries) } else { Err(ArtifactError::Length) }
    }
}

impl Entries<'_> {
    fn ends(&self) -> impl Iterator<Item = u32> {
        let (ends, _) = self.ends.split_at(self.body).0.as_chunks::<4>();
        ends.iter().map(|end| u32::from_le_bytes(*end))
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.body / 4
    }

    /// The bytes of an entry.
    fn bytes(&self, number: usize) -> Option<&[u8]> {
        let (ends, body) = self.ends.split_at_checked(self.body)?;
        let (ends, _) = ends.as_chunks::<4>();
        let end = |number: usize| ends.get(number).map(|end| u32::from_le_bytes(*end) as usize);
        let from = match number.checked_sub(1) {
            None => 0,
            Some(before) => end(before)?,
        };
        body.get(from..end(number)?)
    }

    /// Deserialises an entry; `None` if the number is out of range.
    pub fn get<T: DeserializeOwned>(&self, number: usize) -> Result<Option<T>, ArtifactError> {
        self.bytes(number).map(decode_entry).transpose()
    }

    /// Deserialises the first field of an entry.
    pub fn first_field<T: for<'d> Deserialize<'d>>(&self, number: usize) -> Result<Option<T>, ArtifactError> {
        let first = |bytes| postcard::take_from_bytes(bytes).map(|(first, _)| first);
        self.bytes(number).map(first).transpose().map_err(|e| ArtifactError::Payload(e.to_string()))
    }

    /// The first field of an entry, if it is a string.
    pub fn name(&self, number: usize) -> Result<&str, ArtifactError> {
        let name = postcard::take_from_bytes::<&str>(self.bytes(number).unwrap_or_default());
        name.map(|(name, _)| name).map_err(|e| ArtifactError::Payload(e.to_string()))
    }

    /// Deserialises all entries.
    pub fn all<T: DeserializeOwned, C: FromIterator<T>>(&self) -> Result<C, ArtifactError> {
        (0..self.len()).map(|number| self.bytes(number).map_or(Err(ArtifactError::Length), decode_entry)).collect()
    }
}

/// Deserialises one value, which must use all bytes.
fn decode_entry<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ArtifactError> {
    let (value, left) = postcard::take_from_bytes(bytes).map_err(|e| ArtifactError::Payload(e.to_string()))?;
    if left.is_empty() { Ok(value) } else { Err(ArtifactError::Length) }
}
