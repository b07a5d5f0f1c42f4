//! The id of an object as bytes, for code that handles many of them.

use std::fmt;

/// The length of the longest digest.
const MAX_BYTES: usize = 32;

/// A digest of either length.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ObjectId {
    bytes: [u8; MAX_BYTES],
    length: u8,
}

impl ObjectId {
    /// The bytes are those of a digest: there are at most 32.
    pub(crate) fn new(digest: &[u8]) -> Self {
        let mut bytes = [0; MAX_BYTES];
        bytes[..digest.len()].copy_from_slice(digest);
        Self { bytes, length: u8::try_from(digest.len()).expect("a digest is short") }
    }

    /// Parses an id that git printed or that a type guarantees.
    pub(crate) fn parse(id: &str) -> Option<Self> {
        let digit = |byte: u8| char::from(byte).to_digit(16);
        if !id.len().is_multiple_of(2) || id.len() / 2 > MAX_BYTES {
            return None;
        }
        let mut digest = Vec::with_capacity(MAX_BYTES);
        for pair in id.as_bytes().chunks(2) {
            digest.push(u8::try_from(digit(pair[0])? << 4 | digit(pair[1])?).ok()?);
        }
        Some(Self::new(&digest))
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_parsed_as_it_is_displayed() {
        for id in ["0123456789abcdef".repeat(4), "f0".repeat(20)] {
            assert_eq!(ObjectId::parse(&id).unwrap().to_string(), id);
        }
        for odd in ["abc", "zz", &"00".repeat(33)] {
            assert_eq!(ObjectId::parse(odd), None, "{odd}");
        }
    }
}
