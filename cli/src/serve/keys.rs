//! Access keys (tokens): 128 random bits of the system, written as hexadecimal digits. They are compared in constant time.

use std::hint::black_box;

/// A key of the host, of a seat or of watchers.
#[derive(Clone, Copy)]
pub struct Key([u8; 16]);

impl Key {
    /// A new key.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Self(bytes))
    }

    /// The key of 32 hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 32 || !digits.iter().all(u8::is_ascii_hexdigit) {
            return None;
        }
        u128::from_str_radix(text, 16).ok().map(|number| Self(number.to_be_bytes()))
    }

    /// As hexadecimal digits.
    #[must_use]
    pub fn text(self) -> String {
        format!("{:032x}", u128::from_be_bytes(self.0))
    }

    /// A random number from the same source.
    #[must_use]
    pub fn number(self) -> u64 {
        u128::from_be_bytes(self.0) as u64
    }
}

impl PartialEq for Key {
    /// Reads all bytes, also those after the first that differs.
    fn eq(&self, other: &Self) -> bool {
        let difference = self.0.iter().zip(other.0).fold(0, |all, (one, two)| black_box(all | (one ^ two)));
        difference == 0
    }
}

impl Eq for Key {}

impl std::fmt::Debug for Key {
    /// Keys are in no log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}
