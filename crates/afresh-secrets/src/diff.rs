//! Which lines with secrets a change adds.

use std::collections::BTreeSet;

use crate::scan::{SecretKind, SecretMatch};

/// A line with this marker may hold what looks like a key: an example, a test. It does not excuse a
/// value that the caller named as secret.
const EXAMPLE_MARKER: &str = "afresh:allow-secret";

/// A secret by its place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LocatedSecret<'a> {
    /// Counted from 1.
    pub(crate) line: u64,
    /// In bytes, counted from 1.
    pub(crate) column: u64,
    pub(crate) kind: SecretKind,
    /// The whole line in which it begins.
    pub(crate) text: &'a [u8],
}

impl LocatedSecret<'_> {
    pub(crate) fn is_marked_as_example(&self) -> bool {
        let marker = EXAMPLE_MARKER.as_bytes();
        matches!(self.kind, SecretKind::Key(_))
            && self.text.windows(marker.len()).any(|part| part == marker)
    }
}

/// The matches with their lines, in order.
fn locate_secrets<'a>(text: &'a [u8], matches: &[SecretMatch]) -> Vec<LocatedSecret<'a>> {
    let (mut line, mut from) = (1, 0);
    let mut located = Vec::with_capacity(matches.len());
    for found in matches {
        while let Some(end) = text[from..found.start].iter().position(|byte| *byte == b'\n') {
            from += end + 1;
            line += 1;
        }
        let rest = &text[from..];
        let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let column = u64::try_from(found.start - from + 1).unwrap_or(u64::MAX);
        located.push(LocatedSecret { line, column, kind: found.kind, text: &rest[..end] });
    }
    located
}

/// The same without those in lines that `before` has too.
pub(crate) fn locate_new_secrets<'a>(
    text: &'a [u8],
    before: Option<&[u8]>,
    matches: &[SecretMatch],
) -> Vec<LocatedSecret<'a>> {
    let old: BTreeSet<&[u8]> = before.unwrap_or_default().split(|byte| *byte == b'\n').collect();
    let mut located = locate_secrets(text, matches);
    located.retain(|it| !old.contains(it.text));
    located
}

/// The numbers of the lines that hold a secret, are not in `before`, and are not marked as examples.
pub fn new_secret_lines(text: &[u8], before: Option<&[u8]>, matches: &[SecretMatch]) -> Vec<u64> {
    let new = locate_new_secrets(text, before, matches);
    let mut lines: Vec<u64> =
        new.iter().filter(|it| !it.is_marked_as_example()).map(|it| it.line).collect();
    lines.dedup();
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::SecretScanner;

    const VALUE: &str = "hunter2-hunter2";

    fn lines(text: &str, before: Option<&str>) -> Vec<u64> {
        let matches = SecretScanner::new(&[VALUE.to_owned()]).find(text.as_bytes());
        new_secret_lines(text.as_bytes(), before.map(str::as_bytes), &matches)
    }

    /// B36: new lines with a value or a key are found, unless they are marked as examples.
    #[test]
    fn new_lines_with_secrets_are_found() {
        let key = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB"; // afresh:allow-secret
        let text = format!(
            "fine\npassword = {VALUE}\ntoken = {key}\nexample = {key} # afresh:allow-secret\nx = {VALUE} # afresh:allow-secret\n"
        );
        assert_eq!(lines(&text, None), [2, 3, 5]);
        assert_eq!(lines(&text, Some(&format!("token = {key}\n"))), [2, 5]);
        assert!(lines("nothing here\n", None).is_empty());
    }
}
