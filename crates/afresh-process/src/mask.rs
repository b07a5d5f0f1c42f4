//! Secrets in what a program prints, masked before anything is on disk.
//!
//! Values that are known, and words that look like keys of well-known services. It works on a stream:
//! what may be the beginning of a secret is held back until more has come, and never more than that.
//! Which values are secret is for others to say.

use aho_corasick::{AhoCorasick, Input, MatchKind};

/// What stands in the place of a secret; it breaks no JSON.
const MASKED: &[u8] = b"[masked]";
/// Shorter values are words, and would be masked everywhere.
const SHORTEST: usize = 8;
const LONGEST: usize = 16 * 1024;
/// A key is at most so long before it is decided upon; the rest of it is passed over.
const LONGEST_KEY: usize = 256;

/// How keys of well-known services begin, and how many characters follow at least.
const KEYS: &[(&str, usize)] = &[
    ("sk-", 20),
    ("AIza", 30),
    ("ghp_", 30),
    ("gho_", 30),
    ("ghs_", 30),
    ("github_pat_", 30),
    ("glpat-", 16),
    ("AKIA", 16),
    ("xoxb-", 20),
    ("xoxp-", 20),
];

/// One stream, on its way to disk.
#[derive(Debug)]
pub(crate) struct Mask {
    /// Beginnings of keys first, then values.
    patterns: Vec<Vec<u8>>,
    finder: Option<AhoCorasick>,
    /// What may be the beginning of a secret.
    held: Vec<u8>,
    /// The last two bytes that came before it.
    before: [u8; 2],
    /// The rest of a key that was masked already is still to come.
    inside: bool,
}

/// What to do about a place that was found.
enum Found {
    /// A secret up to here.
    Secret(usize),
    /// More must come before it can be told.
    Open,
    Nothing,
}

impl Mask {
    pub(crate) fn new(secrets: &[String]) -> Self {
        let mut patterns: Vec<Vec<u8>> =
            KEYS.iter().map(|(begin, _)| begin.as_bytes().to_vec()).collect();
        for secret in secrets.iter().filter(|it| (SHORTEST..=LONGEST).contains(&it.len())) {
            patterns.push(secret.as_bytes().to_vec());
            // As it is inside of a JSON text, where that is different.
            let quoted = serde_json::Value::from(secret.as_str()).to_string();
            let quoted = quoted.as_bytes()[1..quoted.len() - 1].to_vec();
            if quoted != secret.as_bytes() {
                patterns.push(quoted);
            }
        }
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&patterns);
        Self { patterns, finder: finder.ok(), held: Vec::new(), before: [b'\n'; 2], inside: false }
    }

    /// What may go to disk now.
    pub(crate) fn take(&mut self, piece: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(piece);
        self.pass(Ends::Later)
    }

    /// The rest, when nothing more comes.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        self.pass(Ends::Here)
    }

    fn pass(&mut self, ends: Ends) -> Vec<u8> {
        let bytes = std::mem::take(&mut self.held);
        let mut out = Vec::with_capacity(bytes.len());
        let mut from = 0;
        if self.inside {
            from = bytes.iter().take_while(|byte| is_of_key(**byte)).count();
            self.inside = from == bytes.len();
        }
        let mut look = from;
        let mut keep = bytes.len();
        while let Some(found) = self.find(&bytes, look) {
            match self.judge(&bytes, found, ends) {
                Found::Secret(end) => {
                    out.extend_from_slice(&bytes[from..found.start()]);
                    out.extend_from_slice(MASKED);
                    self.inside = found.pattern().as_usize() < KEYS.len() && end == bytes.len();
                    (from, look) = (end, end);
                }
                Found::Open => {
                    keep = found.start();
                    break;
                }
                Found::Nothing => look = found.start() + 1,
            }
        }
        if ends == Ends::Later {
            keep = keep.min(self.beginning_at_the_end(&bytes, from)).max(from);
        }
        out.extend_from_slice(&bytes[from..keep]);
        self.note_before(&bytes[..keep]);
        self.held = bytes[keep..].to_vec();
        out
    }

    fn find(&self, bytes: &[u8], from: usize) -> Option<aho_corasick::Match> {
        self.finder.as_ref()?.find(Input::new(bytes).range(from..))
    }

    fn judge(&self, bytes: &[u8], found: aho_corasick::Match, ends: Ends) -> Found {
        let Some((_, least)) = KEYS.get(found.pattern().as_usize()) else {
            return Found::Secret(found.end());
        };
        if self.is_within_word(bytes, found.start()) {
            return Found::Nothing;
        }
        let rest = &bytes[found.end()..];
        let rest = &rest[..rest.len().min(LONGEST_KEY)];
        let length = rest.iter().take_while(|byte| is_of_key(**byte)).count();
        let end = found.end() + length;
        if end == bytes.len() && length < LONGEST_KEY && ends == Ends::Later {
            return Found::Open;
        }
        // Names have dashes too, but hardly a number in so long a word.
        let has_digit = rest[..length].iter().any(u8::is_ascii_digit);
        if length < *least || !has_digit {
            return Found::Nothing;
        }
        let more = bytes[end..].iter().take_while(|byte| is_of_key(**byte)).count();
        Found::Secret(end + more)
    }

    /// Is it the middle of a longer word? What follows an escape such as `\n` is not.
    fn is_within_word(&self, bytes: &[u8], at: usize) -> bool {
        let back = |by: usize| match at.checked_sub(by) {
            Some(index) => bytes[index],
            None => self.before[2 + at - by],
        };
        is_of_key(back(1)) && back(2) != b'\\'
    }

    /// Where the longest beginning of a pattern starts that the bytes end with.
    fn beginning_at_the_end(&self, bytes: &[u8], from: usize) -> usize {
        let tail = &bytes[from..];
        let longest = |pattern: &Vec<u8>| {
            let most = (pattern.len() - 1).min(tail.len());
            let fits = |length: &usize| pattern.starts_with(&tail[tail.len() - length..]);
            (1..=most).rev().find(fits).unwrap_or(0)
        };
        bytes.len() - self.patterns.iter().map(longest).max().unwrap_or(0)
    }

    fn note_before(&mut self, gone: &[u8]) {
        for byte in &gone[gone.len().saturating_sub(2)..] {
            self.before = [self.before[1], *byte];
        }
    }
}

/// A text without these secrets, and without what looks like a key.
pub fn masked(text: &str, secrets: &[String]) -> String {
    let mut mask = Mask::new(secrets);
    let mut bytes = mask.take(text.as_bytes());
    bytes.extend(mask.finish());
    // Secrets are texts, so what is left of a text is one.
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Does more come?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    Here,
    Later,
}

fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-ant-api03-abcdefghij0123456789";

    fn masked(secrets: &[&str], pieces: &[&str]) -> String {
        let secrets: Vec<String> = secrets.iter().map(|it| (*it).to_owned()).collect();
        let mut mask = Mask::new(&secrets);
        let mut out: Vec<u8> = Vec::new();
        for piece in pieces {
            out.extend(mask.take(piece.as_bytes()));
        }
        out.extend(mask.finish());
        String::from_utf8(out).expect("text")
    }

    /// B36: a value is masked wherever the pieces of the stream begin and end.
    #[test]
    fn b36_a_value_is_masked_across_any_border() {
        let text = format!("one hunter22hunter two {KEY} three");
        let whole = masked(&["hunter22hunter"], &[&text]);
        assert_eq!(whole, "one [masked] two [masked] three");
        for at in 0..text.len() {
            let (a, b) = text.split_at(at);
            assert_eq!(masked(&["hunter22hunter"], &[a, b]), whole, "cut at {at}");
        }
        let bytes: Vec<String> = text.chars().map(String::from).collect();
        let bytes: Vec<&str> = bytes.iter().map(String::as_str).collect();
        assert_eq!(masked(&["hunter22hunter"], &bytes), whole);
    }

    /// B36: JSON stays JSON, and a value is known in its escaped form too.
    #[test]
    fn b36_masked_json_can_still_be_read() {
        let secret = "pass\"word\\with/quotes";
        let line = serde_json::json!({"text": format!("it is {secret}\n{KEY}\nand")}).to_string();
        let read: serde_json::Value =
            serde_json::from_str(&masked(&[secret], &[&line])).expect("JSON");
        assert_eq!(read["text"], "it is [masked]\n[masked]\nand");
    }

    /// B36: words that only look a little like a key, and short values, stay.
    #[test]
    fn b36_ordinary_words_stay() {
        let text = "task-0123456789-0123456789-0123 sk-learn-is-a-library-of-python sk-12 AKIA";
        assert_eq!(masked(&["on", ""], &[text]), text);
    }

    /// B36: nothing but a possible beginning is held back: whoever follows sees whole lines at once.
    #[test]
    fn b36_whole_lines_are_not_held_back() {
        let mut mask = Mask::new(&["hunter22hunter".to_owned()]);
        assert_eq!(mask.take(b"a line\nhunt"), b"a line\n");
        assert_eq!(mask.take(b"ing\n"), b"hunting\n");
    }

    /// B36: a key that never ends is masked once, and takes no memory.
    #[test]
    fn b36_a_key_without_end_is_passed_over() {
        let mut mask = Mask::new(&[]);
        let mut out = mask.take(b"sk-");
        for _ in 0..1_000 {
            out.extend(mask.take(&[b'7'; 1_000]));
            assert!(mask.held.len() < 2 * LONGEST_KEY + 1_000);
        }
        out.extend(mask.take(b" end"));
        assert!(out == b"[masked] end", "{} bytes", out.len());
    }
}
