//! Unique names.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// A random UUID, the form that programs expect as the id of a new conversation.
pub(crate) fn uuid() -> String {
    // The standard library seeds each new hasher state from the system's random source.
    let random = || RandomState::new().build_hasher().finish();
    let (high, low) = (random(), random());
    let high = high & !0xF000 | 0x4000;
    let low = low & !(0b11 << 62) | 0b10 << 62;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        high >> 16 & 0xFFFF,
        high & 0xFFFF,
        low >> 48,
        low & 0xFFFF_FFFF_FFFF
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn uuids_are_well_formed_and_differ() {
        let some: BTreeSet<String> = (0..1000).map(|_| uuid()).collect();
        assert_eq!(some.len(), 1000);
        for one in some {
            let lengths: Vec<usize> = one.split('-').map(str::len).collect();
            assert_eq!(lengths, [8, 4, 4, 4, 12], "{one}");
            assert_eq!(&one[14..15], "4");
            assert!(matches!(&one[19..20], "8" | "9" | "a" | "b"), "{one}");
        }
    }
}
