//! Keys: 128 random bits of the system, as hexadecimal digits. They stand in the fragment of links, which is never sent, and go in the first message of a connection.

/// A new key.
///
/// # Errors
/// The system has no random numbers.
pub fn new_key() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A random number.
///
/// # Errors
/// The system has no random numbers.
pub fn new_seed() -> Result<u64, getrandom::Error> {
    getrandom::u64()
}

/// Whether two keys are equal. The time does not depend on where they differ.
pub fn same_key(one: &str, other: &str) -> bool {
    let difference = one.bytes().zip(other.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && difference == 0 && !one.is_empty()
}

#[cfg(test)]
mod tests {
    use super::{new_key, same_key};

    #[test]
    fn keys_differ_and_only_equal_keys_are_the_same() {
        let (one, other) = (new_key().expect("random numbers"), new_key().expect("random numbers"));
        assert_eq!(one.len(), 32);
        assert!(same_key(&one, &one.clone()) && !same_key(&one, &other));
        assert!(!same_key(&one, &one[..31]) && !same_key("", ""));
    }
}
