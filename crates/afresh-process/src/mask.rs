//! Secrets in what a program prints, masked before anything is on disk.
//!
//! Values that are known, and words that look like keys of well-known services. It works on a stream:
//! what may be the beginning of a secret is held back until more has come, and never more than that.
//! Which values are secret is for others to say.

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input, MatchKind};

use crate::shapes::{Body, SHAPES};

/// What stands in the place of a secret; it breaks no JSON.
const MASKED: &[u8] = b"[masked]";
/// Shorter values are words, and would be masked everywhere.
const SHORTEST: usize = 8;
const LONGEST: usize = 16 * 1024;
/// A key is at most so long before it is decided upon; the rest of it is passed over.
const LONGEST_KEY: usize = 256;

/// One stream, on its way to disk.
#[derive(Debug)]
pub(crate) struct Mask {
    /// Beginnings of keys first, then values.
    patterns: Vec<Vec<u8>>,
    /// Which value each of the latter is.
    values: Vec<usize>,
    finder: Option<AhoCorasick>,
    /// What may be the beginning of a secret.
    held: Vec<u8>,
    /// The last two bytes that came before it.
    before: [u8; 2],
    /// The rest of a key that was masked already is still to come.
    inside: Option<Body>,
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
            SHAPES.iter().map(|shape| shape.begin.as_bytes().to_vec()).collect();
        let mut values = Vec::new();
        let is_usable = |secret: &String| (SHORTEST..=LONGEST).contains(&secret.len());
        for (at, secret) in secrets.iter().enumerate().filter(|(_, it)| is_usable(it)) {
            patterns.push(secret.as_bytes().to_vec());
            values.push(at);
            // As it is inside of a JSON text, where that is different.
            let quoted = serde_json::Value::from(secret.as_str()).to_string();
            let quoted = quoted.as_bytes()[1..quoted.len() - 1].to_vec();
            if quoted != secret.as_bytes() {
                patterns.push(quoted);
                values.push(at);
            }
        }
        // The quickest to make: most texts are short, and every job has masks of its own.
        let finder = AhoCorasick::builder()
            .kind(Some(AhoCorasickKind::NoncontiguousNFA))
            .match_kind(MatchKind::LeftmostLongest)
            .build(&patterns);
        let (held, before) = (Vec::new(), [b'\n'; 2]);
        Self { patterns, values, finder: finder.ok(), held, before, inside: None }
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
        if let Some(body) = self.inside {
            from = body.length(&bytes);
            self.inside = (from == bytes.len()).then_some(body);
        }
        let mut look = from;
        let mut keep = bytes.len();
        while let Some(found) = self.find(&bytes, look) {
            match self.judge(&bytes, found, ends) {
                Found::Secret(end) => {
                    out.extend_from_slice(&bytes[from..found.start()]);
                    out.extend_from_slice(MASKED);
                    let shape = SHAPES.get(found.pattern().as_usize());
                    self.inside = shape.map(|shape| shape.body).filter(|_| end == bytes.len());
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
        let Some(shape) = SHAPES.get(found.pattern().as_usize()) else {
            return Found::Secret(found.end());
        };
        if self.is_within_word(bytes, found.start()) {
            return Found::Nothing;
        }
        let rest = &bytes[found.end()..];
        let rest = &rest[..rest.len().min(LONGEST_KEY)];
        let length = shape.body.length(rest);
        let end = found.end() + length;
        if end == bytes.len() && length < LONGEST_KEY && ends == Ends::Later {
            return Found::Open;
        }
        let has_digit = rest[..length].iter().any(u8::is_ascii_digit);
        if length < shape.least || (shape.body.needs_digit() && !has_digit) {
            return Found::Nothing;
        }
        let more = shape.body.length(&bytes[end..]);
        Found::Secret(end + more)
    }

    /// Is it the middle of a longer word? What follows an escape such as `\n` is not.
    fn is_within_word(&self, bytes: &[u8], at: usize) -> bool {
        let back = |by: usize| match at.checked_sub(by) {
            Some(index) => bytes[index],
            None => self.before[2 + at - by],
        };
        Body::Dashed.has(back(1)) && back(2) != b'\\'
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

/// A place in a text that holds a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    pub start: usize,
    pub end: usize,
    pub kind: SpotKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpotKind {
    /// The value at this place of the list.
    Value(usize),
    /// It looks like this.
    Shape(&'static str),
}

/// Finds secrets, without touching anything.
#[derive(Debug)]
pub struct Spotter(Mask);

impl Spotter {
    pub fn new(secrets: &[String]) -> Self {
        Self(Mask::new(secrets))
    }

    /// Every place, in order.
    pub fn spots(&self, bytes: &[u8]) -> Vec<Spot> {
        let mask = &self.0;
        let mut spots = Vec::new();
        let mut look = 0;
        while let Some(found) = mask.find(bytes, look) {
            look = found.start() + 1;
            if let Found::Secret(end) = mask.judge(bytes, found, Ends::Here) {
                let pattern = found.pattern().as_usize();
                let kind = match SHAPES.get(pattern) {
                    Some(shape) => SpotKind::Shape(shape.name),
                    None => SpotKind::Value(mask.values[pattern - SHAPES.len()]),
                };
                spots.push(Spot { start: found.start(), end, kind });
                look = end;
            }
        }
        spots
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

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-ant-api03-abcdefghij0123456789"; // afresh:allow-secret

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
    fn a_value_is_masked_across_any_border() {
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
    fn masked_json_can_still_be_read() {
        let secret = "pass\"word\\with/quotes";
        let line = serde_json::json!({"text": format!("it is {secret}\n{KEY}\nand")}).to_string();
        let read: serde_json::Value =
            serde_json::from_str(&masked(&[secret], &[&line])).expect("JSON");
        assert_eq!(read["text"], "it is [masked]\n[masked]\nand");
    }

    /// B36: a private key is masked whole, also in JSON, and also where it comes in pieces.
    #[test]
    fn a_private_key_is_masked_whole() {
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n".repeat(9);
        let (begin, end) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
        let text = format!("a\n{begin}\n{body}{end}\nz");
        let whole = format!("a\n[masked]{end}\nz");
        assert_eq!(masked(&[], &[&text]), whole);
        for at in (0..text.len()).step_by(7) {
            let (a, b) = text.split_at(at);
            assert_eq!(masked(&[], &[a, b]), whole, "cut at {at}");
        }
        let line = serde_json::json!({"text": text}).to_string();
        let read: serde_json::Value = serde_json::from_str(&masked(&[], &[&line])).expect("JSON");
        assert_eq!(read["text"], whole);
        let code = format!("if line == {begin:?} {{");
        assert_eq!(masked(&[], &[&code]), code);
    }

    /// B36: every shape is known, and told by its name.
    #[test]
    fn every_shape_is_found() {
        let spotter = Spotter::new(&["hunter22hunter".to_owned()]);
        for shape in SHAPES {
            let key = format!("{}{}", shape.begin, "aB3".repeat(shape.least / 3 + 1));
            let text = format!("key = \"{key}\"");
            let spots = spotter.spots(text.as_bytes());
            let [spot] = &spots[..] else { panic!("{text}: {spots:?}") };
            assert_eq!((spot.start, spot.end), (7, 7 + key.len()), "{text}");
            assert_eq!(spot.kind, SpotKind::Shape(shape.name));
        }
        let spots = spotter.spots(b"x hunter22hunter y");
        assert_eq!(spots, [Spot { start: 2, end: 16, kind: SpotKind::Value(0) }]);
    }

    /// B36: words that only look a little like a key, and short values, stay.
    #[test]
    fn ordinary_words_stay() {
        let text = "task-0123456789-0123456789-0123 sk-learn-is-a-library-of-python sk-12 AKIA \
                    npm_package_devDependencies_version_1_2_3_and_more cio1234";
        assert_eq!(masked(&["on", ""], &[text]), text);
    }

    /// B36: nothing but a possible beginning is held back: whoever follows sees whole lines at once.
    #[test]
    fn whole_lines_are_not_held_back() {
        let mut mask = Mask::new(&["hunter22hunter".to_owned()]);
        assert_eq!(mask.take(b"a line\nhunt"), b"a line\n");
        assert_eq!(mask.take(b"ing\n"), b"hunting\n");
    }

    /// B36: a key that never ends is masked once, and takes no memory.
    #[test]
    fn a_key_without_end_is_passed_over() {
        let mut mask = Mask::new(&[]);
        let mut out = mask.take(b"sk-");
        for _ in 0..1_000 {
            out.extend(mask.take(&[b'7'; 1_000]));
            assert!(mask.held.len() < 2 * LONGEST_KEY + 1_000);
        }
        out.extend(mask.take(b" end"));
        out.extend(mask.finish());
        assert!(out == b"[masked] end", "{} bytes", out.len());
    }
}
