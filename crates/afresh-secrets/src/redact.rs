//! Replaces secrets in text.
//!
//! [`Redactor`] works on a stream: it holds back what may be the beginning of a secret until more
//! bytes arrive, and never more than that.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::matcher::{Classified, SecretMatcher, TextEnd};
use crate::patterns::KeyCharset;

/// Stands in the place of a secret. It needs no escaping, so redacted JSON stays valid.
const REPLACEMENT: &[u8] = b"[masked]";

/// Redacts one stream of bytes.
#[derive(Debug)]
pub struct Redactor {
    matcher: SecretMatcher,
    /// What may be the beginning of a secret.
    held: Vec<u8>,
    /// The last two bytes before `held`.
    preceding: [u8; 2],
    /// The characters of a key that was replaced already and whose rest is still to come.
    open_key: Option<KeyCharset>,
}

impl Redactor {
    /// Redacts these values, and everything that looks like a key.
    pub fn new(secrets: &[String]) -> Self {
        Self {
            matcher: SecretMatcher::new(secrets),
            held: Vec::new(),
            preceding: [b'\n'; 2],
            open_key: None,
        }
    }

    /// Adds bytes of the stream; returns what can be written now.
    pub fn push(&mut self, piece: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(piece);
        self.redact_held(TextEnd::MoreMayFollow)
    }

    /// Returns the rest at the end of the stream.
    pub fn finish(&mut self) -> Vec<u8> {
        self.redact_held(TextEnd::Final)
    }

    fn redact_held(&mut self, text_end: TextEnd) -> Vec<u8> {
        let bytes = std::mem::take(&mut self.held);
        let mut out = Vec::with_capacity(bytes.len());
        let mut written = 0;
        if let Some(charset) = self.open_key {
            written = charset.prefix_len(&bytes);
            self.open_key = (written == bytes.len()).then_some(charset);
        }
        let mut from = written;
        let mut safe_end = bytes.len();
        while let Some(found) = self.matcher.find(&bytes, from) {
            match SecretMatcher::classify(&bytes, self.preceding, found, text_end) {
                Classified::Secret { end } => {
                    out.extend_from_slice(&bytes[written..found.start()]);
                    out.extend_from_slice(REPLACEMENT);
                    let pattern = SecretMatcher::key_pattern(&found);
                    let charset = pattern.map(|pattern| pattern.charset);
                    self.open_key = charset.filter(|_| end == bytes.len());
                    (written, from) = (end, end);
                }
                Classified::Undecided => {
                    safe_end = found.start();
                    break;
                }
                Classified::NotSecret => from = found.start() + 1,
            }
        }
        if text_end == TextEnd::MoreMayFollow {
            let partial = self.matcher.partial_match_start(&bytes, written);
            safe_end = safe_end.min(partial).max(written);
        }
        out.extend_from_slice(&bytes[written..safe_end]);
        self.remember_preceding(&bytes[..safe_end]);
        self.held = bytes[safe_end..].to_vec();
        out
    }

    fn remember_preceding(&mut self, written: &[u8]) {
        for byte in &written[written.len().saturating_sub(2)..] {
            self.preceding = [self.preceding[1], *byte];
        }
    }
}

/// Redacts these values in a text, and everything that looks like a key.
pub fn redact(text: &str, secrets: &[String]) -> String {
    let mut redactor = Redactor::new(secrets);
    let mut bytes = redactor.push(text.as_bytes());
    bytes.extend(redactor.finish());
    // Secrets are whole characters, so what is left of valid UTF-8 is valid UTF-8.
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Redacts every text inside a value.
pub fn redact_value<T: Serialize + DeserializeOwned>(value: T, secrets: &[String]) -> T {
    let Ok(text) = serde_json::to_string(&value) else { return value };
    let clean = redact(&text, secrets);
    if clean == text {
        return value;
    }
    serde_json::from_str(&clean).unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::MAX_KEY_BYTES;

    const KEY: &str = "sk-ant-api03-abcdefghij0123456789"; // afresh:allow-secret

    fn redacted(secrets: &[&str], pieces: &[&str]) -> String {
        let secrets: Vec<String> = secrets.iter().map(|it| (*it).to_owned()).collect();
        let mut redactor = Redactor::new(&secrets);
        let mut out: Vec<u8> = Vec::new();
        for piece in pieces {
            out.extend(redactor.push(piece.as_bytes()));
        }
        out.extend(redactor.finish());
        String::from_utf8(out).expect("text")
    }

    /// B36: a value is redacted wherever the stream is cut into pieces.
    #[test]
    fn a_value_is_redacted_across_pieces() {
        let text = format!("one hunter22hunter two {KEY} three");
        let whole = redacted(&["hunter22hunter"], &[&text]);
        assert_eq!(whole, "one [masked] two [masked] three");
        for at in 0..text.len() {
            let (a, b) = text.split_at(at);
            assert_eq!(redacted(&["hunter22hunter"], &[a, b]), whole, "cut at {at}");
        }
        let bytes: Vec<String> = text.chars().map(String::from).collect();
        let bytes: Vec<&str> = bytes.iter().map(String::as_str).collect();
        assert_eq!(redacted(&["hunter22hunter"], &bytes), whole);
    }

    /// B36: redacted JSON stays valid, and a value is also found in its escaped form.
    #[test]
    fn redacted_json_is_still_valid() {
        let secret = "pass\"word\\with/quotes";
        let line = serde_json::json!({"text": format!("it is {secret}\n{KEY}\nand")}).to_string();
        let read: serde_json::Value =
            serde_json::from_str(&redacted(&[secret], &[&line])).expect("JSON");
        assert_eq!(read["text"], "it is [masked]\n[masked]\nand");
    }

    /// B36: a private key is redacted whole, also in JSON, and also in pieces.
    #[test]
    fn a_private_key_is_redacted_whole() {
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n".repeat(9);
        let (begin, end) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
        let text = format!("a\n{begin}\n{body}{end}\nz");
        let whole = format!("a\n[masked]{end}\nz");
        assert_eq!(redacted(&[], &[&text]), whole);
        for at in (0..text.len()).step_by(7) {
            let (a, b) = text.split_at(at);
            assert_eq!(redacted(&[], &[a, b]), whole, "cut at {at}");
        }
        let line = serde_json::json!({"text": text}).to_string();
        let read: serde_json::Value = serde_json::from_str(&redacted(&[], &[&line])).expect("JSON");
        assert_eq!(read["text"], whole);
        let code = format!("if line == {begin:?} {{");
        assert_eq!(redacted(&[], &[&code]), code);
    }

    /// B36: words that only resemble a key, and short values, stay.
    #[test]
    fn ordinary_words_stay() {
        let text = "task-0123456789-0123456789-0123 sk-learn-is-a-library-of-python sk-12 AKIA \
                    npm_package_devDependencies_version_1_2_3_and_more cio1234";
        assert_eq!(redacted(&["on", ""], &[text]), text);
    }

    /// B36: only the possible beginning of a secret is held back, so that a reader of the stream
    /// sees whole lines at once.
    #[test]
    fn whole_lines_are_not_held_back() {
        let mut redactor = Redactor::new(&["hunter22hunter".to_owned()]);
        assert_eq!(redactor.push(b"a line\nhunt"), b"a line\n");
        assert_eq!(redactor.push(b"ing\n"), b"hunting\n");
    }

    /// B36: a key that never ends is replaced once, and uses no memory.
    #[test]
    fn an_endless_key_uses_no_memory() {
        let mut redactor = Redactor::new(&[]);
        let mut out = redactor.push(b"sk-");
        for _ in 0..1_000 {
            out.extend(redactor.push(&[b'7'; 1_000]));
            assert!(redactor.held.len() < 2 * MAX_KEY_BYTES + 1_000);
        }
        out.extend(redactor.push(b" end"));
        out.extend(redactor.finish());
        assert!(out == b"[masked] end", "{} bytes", out.len());
    }
}
