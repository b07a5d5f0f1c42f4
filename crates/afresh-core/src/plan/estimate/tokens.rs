//! How many tokens a text has, estimated from its letters.
//!
//! No tokenizer: vocabularies differ between models and are large. Tokenizers cut a text into words, numbers, signs
//! and white space before they look anything up, and that part they have in common. How close it is: `docs/audit.md`.

/// A token in the unit that is counted in.
const TOKEN: u64 = 12;
/// The longest word that is usually one token.
const WORD: usize = 8;

/// The estimated number of tokens of a text.
pub fn estimate_text(text: &str) -> u64 {
    let mut rest = text.as_bytes();
    let (mut sum, mut before) = (0_u64, b' ');
    while let Some((&first, _)) = rest.split_first() {
        let run = RunKind::of(first);
        let length = run.length(rest);
        sum = sum.saturating_add(run.weight(&rest[..length], before));
        before = rest[length - 1];
        rest = &rest[length..];
    }
    sum.div_ceil(TOKEN)
}

/// The estimated number of tokens of a file whose size alone is known.
pub fn estimate_file(path: &str, bytes: u64) -> u64 {
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    // Tenths of a byte per token, measured as described in `docs/audit.md`.
    let tenths = match ending {
        "py" | "pyi" | "php" | "java" | "kt" => 44,
        "js" | "jsx" | "mjs" | "cjs" | "md" | "html" | "css" => 38,
        "go" | "ts" | "tsx" => 36,
        // Rust, Ruby, C, JSON and what is unknown.
        _ => 40,
    };
    bytes.saturating_mul(10).div_ceil(tenths)
}

/// Bytes of one kind that stand together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunKind {
    Letters,
    Digits,
    Space,
    Signs,
    /// One character outside of ASCII.
    Other,
}

impl RunKind {
    fn of(byte: u8) -> Self {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => Self::Letters,
            b'0'..=b'9' => Self::Digits,
            0x80.. => Self::Other,
            byte if byte.is_ascii_whitespace() => Self::Space,
            _ => Self::Signs,
        }
    }

    fn length(self, bytes: &[u8]) -> usize {
        match self {
            Self::Letters => word_length(bytes),
            Self::Other => {
                1 + bytes[1..].iter().take_while(|byte| (0x80..0xc0).contains(*byte)).count()
            }
            kind => bytes.iter().take_while(|byte| Self::of(**byte) == kind).count(),
        }
    }

    fn weight(self, run: &[u8], before: u8) -> u64 {
        let length = u64::try_from(run.len()).unwrap_or(u64::MAX);
        match self {
            Self::Letters
                if run.iter().skip(1).all(u8::is_ascii_uppercase)
                    && run.len() > 1
                    && run[0].is_ascii_uppercase() =>
            {
                TOKEN * length.div_ceil(3)
            }
            Self::Letters => word_weight(run.len()),
            Self::Digits => TOKEN * length.div_ceil(3),
            Self::Space => space_weight(run, before),
            Self::Signs => sign_weight(run),
            Self::Other if run.len() == 2 => TOKEN / 2,
            Self::Other => TOKEN - 1,
        }
    }
}

/// A word ends where `camelCase` and `HTTPServer` have a new one.
fn word_length(bytes: &[u8]) -> usize {
    let capitals = bytes.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    let small = bytes[capitals..].iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    match capitals {
        0 | 1 => capitals + small,
        _ if small > 0 => capitals - 1,
        _ => capitals,
    }
}

fn word_weight(length: usize) -> u64 {
    match length {
        0..=WORD => TOKEN,
        9..=12 => TOKEN + 3,
        13..=18 => 2 * TOKEN + 2,
        _ => TOKEN * u64::try_from(length).unwrap_or(u64::MAX).div_ceil(6),
    }
}

/// One space belongs to the word after it, and a line break to the sign before it.
fn space_weight(run: &[u8], before: u8) -> u64 {
    let is_break = |byte: u8| matches!(byte, b'\n' | b'\r');
    let joins = before.is_ascii_punctuation() && is_break(run[0]);
    match run {
        b" " => 0,
        [.., last] if joins && is_break(*last) => 0,
        _ if joins => TOKEN - 1,
        _ => TOKEN,
    }
}

fn sign_weight(run: &[u8]) -> u64 {
    let length = u64::try_from(run.len()).unwrap_or(u64::MAX);
    let is_rule = run.len() > 3 && run.iter().all(|byte| *byte == run[0]);
    match run {
        b"_" => TOKEN / 3,
        _ if is_rule => TOKEN * length.div_ceil(16),
        _ => TOKEN * length.div_ceil(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PR-06, AU-03: words, signs, numbers and other scripts count as tokenizers cut them.
    #[test]
    fn tokens_are_words_signs_and_breaks() {
        assert_eq!(estimate_text(""), 0);
        assert_eq!(estimate_text("a plain sentence of words"), 5);
        assert_eq!(estimate_text("fn main() {\n    run();\n}\n"), 9);
        assert_eq!(estimate_text("parseHttpServerURL"), 4);
        assert_eq!(estimate_text("1234567"), 3);
        assert_eq!(estimate_text("----------------"), 1);
        assert!(estimate_text("日本語の文章") >= 5);
        assert!(estimate_text(&"é".repeat(10)) <= 6);
    }

    /// AU-03: where only the size is known, the kind of file decides.
    #[test]
    fn a_file_has_tokens_by_its_kind() {
        assert_eq!(estimate_file("a.py", 4_400), 1_000);
        assert_eq!(estimate_file("src/a.ts", 3_600), 1_000);
        assert_eq!(estimate_file("Makefile", 4_000), 1_000);
        assert_eq!(estimate_file("x", u64::MAX), u64::MAX / 40 + 1);
    }
}
