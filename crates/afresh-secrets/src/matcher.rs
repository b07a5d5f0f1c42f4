//! Finds known values and keys of well-known services in bytes.

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, Match, MatchKind};

use crate::patterns::{KEY_PATTERNS, KeyCharset, KeyPattern};

/// Shorter values are ordinary words, and would match everywhere.
const MIN_VALUE_BYTES: usize = 8;
const MAX_VALUE_BYTES: usize = 16 * 1024;
/// A key is recognised by at most this many bytes after its prefix.
pub(crate) const MAX_KEY_BYTES: usize = 256;

#[derive(Debug)]
pub(crate) struct SecretMatcher {
    /// The prefixes of [`KEY_PATTERNS`] first, then the values.
    needles: Vec<Vec<u8>>,
    /// For each needle that is a value: its index in the caller's list.
    value_indices: Vec<usize>,
    automaton: Option<AhoCorasick>,
}

/// Whether more bytes may follow those that are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextEnd {
    Final,
    MoreMayFollow,
}

/// What a needle that was found turned out to be.
pub(crate) enum Classified {
    /// A secret that ends here.
    Secret {
        end: usize,
    },
    /// The text ends before this can be decided.
    Undecided,
    NotSecret,
}

impl SecretMatcher {
    pub(crate) fn new(secrets: &[String]) -> Self {
        let mut needles: Vec<Vec<u8>> =
            KEY_PATTERNS.iter().map(|pattern| pattern.prefix.as_bytes().to_vec()).collect();
        let mut value_indices = Vec::new();
        let is_usable =
            |secret: &String| (MIN_VALUE_BYTES..=MAX_VALUE_BYTES).contains(&secret.len());
        for (index, secret) in secrets.iter().enumerate().filter(|(_, it)| is_usable(it)) {
            needles.push(secret.as_bytes().to_vec());
            value_indices.push(index);
            // The value as it appears inside a JSON string, where that differs.
            let quoted = serde_json::Value::from(secret.as_str()).to_string();
            let quoted = quoted.as_bytes()[1..quoted.len() - 1].to_vec();
            if quoted != secret.as_bytes() {
                needles.push(quoted);
                value_indices.push(index);
            }
        }
        // This kind is the fastest to build: most texts are short, and each job builds its own.
        let automaton = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::NoncontiguousNFA))
            .match_kind(MatchKind::LeftmostLongest)
            .build(&needles);
        Self { needles, value_indices, automaton: automaton.ok() }
    }

    pub(crate) fn find(&self, bytes: &[u8], from: usize) -> Option<Match> {
        self.automaton.as_ref()?.find(Input::new(bytes).range(from..))
    }

    /// The key pattern whose prefix was found; none if it is a value.
    pub(crate) fn key_pattern(found: &Match) -> Option<&'static KeyPattern> {
        KEY_PATTERNS.get(found.pattern().as_usize())
    }

    /// The index of the value that was found, in the list that the matcher was made from.
    pub(crate) fn value_index(&self, found: &Match) -> usize {
        self.value_indices[found.pattern().as_usize() - KEY_PATTERNS.len()]
    }

    /// `preceding` are the two bytes before `bytes`.
    pub(crate) fn classify(
        bytes: &[u8],
        preceding: [u8; 2],
        found: Match,
        text_end: TextEnd,
    ) -> Classified {
        let Some(pattern) = Self::key_pattern(&found) else {
            return Classified::Secret { end: found.end() };
        };
        if is_within_word(bytes, preceding, found.start()) {
            return Classified::NotSecret;
        }
        let rest = &bytes[found.end()..];
        let rest = &rest[..rest.len().min(MAX_KEY_BYTES)];
        let length = pattern.charset.prefix_len(rest);
        let end = found.end() + length;
        if end == bytes.len() && length < MAX_KEY_BYTES && text_end == TextEnd::MoreMayFollow {
            return Classified::Undecided;
        }
        let has_digit = rest[..length].iter().any(u8::is_ascii_digit);
        if length < pattern.min_len || (pattern.charset.needs_digit() && !has_digit) {
            return Classified::NotSecret;
        }
        let more = pattern.charset.prefix_len(&bytes[end..]);
        Classified::Secret { end: end + more }
    }

    /// Where the longest suffix of the bytes starts that a needle begins with.
    pub(crate) fn partial_match_start(&self, bytes: &[u8], from: usize) -> usize {
        let tail = &bytes[from..];
        let longest = |needle: &Vec<u8>| {
            let most = (needle.len() - 1).min(tail.len());
            let fits = |length: &usize| needle.starts_with(&tail[tail.len() - length..]);
            (1..=most).rev().find(fits).unwrap_or(0)
        };
        bytes.len() - self.needles.iter().map(longest).max().unwrap_or(0)
    }
}

/// Whether this is the middle of a longer word. The byte after an escape such as `\n` is not.
fn is_within_word(bytes: &[u8], preceding: [u8; 2], start: usize) -> bool {
    let back = |by: usize| match start.checked_sub(by) {
        Some(index) => bytes[index],
        None => preceding[2 + start - by],
    };
    KeyCharset::AlphanumericDashed.contains(back(1)) && back(2) != b'\\'
}
