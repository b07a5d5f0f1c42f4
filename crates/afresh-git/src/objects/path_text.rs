//! Paths as text.
//!
//! Git stores any bytes as a path; messages, JSON and the journal hold text. A path that is UTF-8 is
//! shown as it is. In any other path, each byte that is not UTF-8 is shown as `\\xNN` and a backslash
//! as two, so that two different paths are never shown alike.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// A path as text, without loss.
pub(crate) fn render_path(path: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(path) {
        return text.to_owned();
    }
    let mut text = String::new();
    for chunk in path.utf8_chunks() {
        text.push_str(&chunk.valid().replace('\\', "\\\\"));
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// The path that a text with escapes stands for.
pub fn parse_path_text(text: &str) -> PathBuf {
    match parse_path(text) {
        Some(bytes) => PathBuf::from(OsString::from_vec(bytes)),
        None => PathBuf::from(text),
    }
}

/// The bytes of a path that [`render_path`] has shown with escapes; none if it has no escape.
pub(crate) fn parse_path(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend(&rest.as_bytes()[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('\\') {
            bytes.push(b'\\');
            rest = after;
        } else {
            let digits = rest.strip_prefix('x')?.get(..2)?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &rest[3..];
        }
    }
    bytes.extend(rest.as_bytes());
    (std::str::from_utf8(&bytes).is_err()).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_not_utf_8_is_shown_without_loss() {
        for path in [&b"caf\xe9.txt"[..], b"\xff\xfe", b"a\\b\xe9", b"\\xe9\xe9", b"\xe2\x82"] {
            let text = render_path(path);
            assert_eq!(parse_path(&text).as_deref(), Some(path), "{text}");
        }
        assert_eq!(render_path(b"caf\xe9.txt"), "caf\\xe9.txt");
        for plain in ["caf\u{e9}.txt", "a\\b", "a\\xe9", "line\nbreak"] {
            assert_eq!(render_path(plain.as_bytes()), plain);
        }
        assert_eq!(parse_path("plain"), None);
    }
}
