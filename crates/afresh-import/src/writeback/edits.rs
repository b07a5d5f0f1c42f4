//! Changes of files that leave every other byte as it was.
//!
//! A position is one of the decoded text, without a byte order mark and with `\n` line breaks, as readers see it. The
//! bytes keep both: added lines end as the lines of the file do.

use std::collections::BTreeMap;
use std::ops::Range;

use afresh_formats::Finding;
use afresh_formats::folder::{PlanFolder, as_text};

/// A part of a text and what replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkEdit {
    pub at: Range<usize>,
    pub text: String,
}

/// How one file changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    /// Parts of it, which do not overlap.
    Parts(Vec<MarkEdit>),
    /// A new file.
    New(String),
}

/// The changes of all files, by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlanEdits {
    files: BTreeMap<String, FileChange>,
}

impl PlanEdits {
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Replaces a part of a file. A part that overlaps with an earlier one is left as it is.
    pub(crate) fn replace(&mut self, path: &str, at: Range<usize>, text: impl Into<String>) {
        let parts = FileChange::Parts(Vec::new());
        let FileChange::Parts(edits) = self.files.entry(path.to_owned()).or_insert(parts) else {
            return;
        };
        let overlaps = |edit: &MarkEdit| edit.at.start < at.end && at.start < edit.at.end;
        if !edits.iter().any(|edit| overlaps(edit) || edit.at == at) {
            edits.push(MarkEdit { at, text: text.into() });
        }
    }

    /// Adds a file that is not there.
    pub(super) fn add(&mut self, path: &str, text: String) {
        self.files.insert(path.to_owned(), FileChange::New(text));
    }

    /// The paths that change.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// The new contents of the files. A file that `read` does not have stays missing, unless it is new.
    pub fn apply(&self, read: impl Fn(&str) -> Option<Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
        let mut contents = BTreeMap::new();
        for (path, change) in &self.files {
            let old = read(path);
            let new = match (change, &old) {
                (FileChange::New(text), _) => Some(text.clone().into_bytes()),
                (FileChange::Parts(edits), Some(old)) => Some(apply_edits(old, edits)),
                (FileChange::Parts(_), None) => None,
            };
            if let Some(new) = new.filter(|new| old.as_ref() != Some(new)) {
                contents.insert(path.clone(), new);
            }
        }
        contents
    }
}

/// Applies edits of the decoded text to the bytes of a file.
fn apply_edits(bytes: &[u8], edits: &[MarkEdit]) -> Vec<u8> {
    let mut edits: Vec<&MarkEdit> = edits.iter().collect();
    edits.sort_by_key(|edit| (edit.at.start, edit.at.end));
    let line_end = line_end_of(bytes);
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = RawPosition::start(bytes);
    out.extend(&bytes[..at.raw]);
    for edit in edits {
        let start = at.advance(bytes, edit.at.start);
        out.extend(&bytes[at.raw..start.raw]);
        let end = start.advance(bytes, edit.at.end);
        out.extend(edit.text.replace('\n', line_end).into_bytes());
        at = end;
    }
    out.extend(&bytes[at.raw..]);
    out
}

/// The line break of a file: that of its first line.
fn line_end_of(bytes: &[u8]) -> &'static str {
    let first = bytes.iter().position(|byte| *byte == b'\n');
    let is_wide = first.is_some_and(|at| at > 0 && bytes[at - 1] == b'\r');
    if is_wide { "\r\n" } else { "\n" }
}

/// The same place in the bytes and in the decoded text.
#[derive(Debug, Clone, Copy)]
struct RawPosition {
    raw: usize,
    decoded: usize,
}

impl RawPosition {
    fn start(bytes: &[u8]) -> Self {
        let mark = "\u{feff}".as_bytes();
        Self { raw: if bytes.starts_with(mark) { mark.len() } else { 0 }, decoded: 0 }
    }

    /// The later position of this place of the decoded text.
    fn advance(mut self, bytes: &[u8], decoded: usize) -> Self {
        while self.decoded < decoded && self.raw < bytes.len() {
            let is_wide = bytes[self.raw..].starts_with(b"\r\n");
            self.raw += if is_wide { 2 } else { 1 };
            self.decoded += 1;
        }
        self
    }
}

/// A folder with changes, some of which may be new files.
pub(super) struct EditedFolder<'a> {
    under: &'a dyn PlanFolder,
    paths: Vec<String>,
    changed: BTreeMap<String, Vec<u8>>,
}

impl<'a> EditedFolder<'a> {
    pub(super) fn new(under: &'a dyn PlanFolder, edits: &PlanEdits) -> Self {
        let decoded = |path: &str| under.text(path)?.ok().map(String::into_bytes);
        let changed = edits.apply(decoded);
        let mut paths = under.paths().to_vec();
        paths.extend(changed.keys().cloned());
        paths.sort();
        paths.dedup();
        Self { under, paths, changed }
    }
}

impl PlanFolder for EditedFolder<'_> {
    fn paths(&self) -> &[String] {
        &self.paths
    }

    fn text(&self, path: &str) -> Option<Result<String, Finding>> {
        match self.changed.get(path) {
            Some(bytes) => Some(as_text(path, bytes)),
            None => self.under.text(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(bytes: &[u8], edits: &[(Range<usize>, &str)]) -> Vec<u8> {
        let edits: Vec<MarkEdit> = edits
            .iter()
            .map(|(at, text)| MarkEdit { at: at.clone(), text: (*text).to_owned() })
            .collect();
        apply_edits(bytes, &edits)
    }

    /// FO-07: a byte order mark, line breaks of either kind and text beyond ASCII stay as they are.
    #[test]
    fn an_edit_changes_only_its_own_bytes() {
        let bytes = "\u{feff}é\r\nab\nc\r\n".as_bytes();
        // Decoded: "é\nab\nc\n", where é has two bytes.
        assert_eq!(edited(bytes, &[(3..4, "X")]), "\u{feff}é\r\nXb\nc\r\n".as_bytes());
        assert_eq!(
            edited(bytes, &[(6..7, "y"), (3..3, "n\n")]),
            "\u{feff}é\r\nn\r\nab\ny\r\n".as_bytes()
        );
        assert_eq!(edited(bytes, &[(8..8, "end\n")]), "\u{feff}é\r\nab\nc\r\nend\r\n".as_bytes());
        assert_eq!(edited(b"", &[(0..0, "a\n")]), b"a\n");
    }

    proptest::proptest! {
        /// FO-07: whatever the text, the bytes before, between and after the edits are those that were there, and the
        /// decoded result is the decoded text with the edits.
        #[test]
        fn all_other_bytes_stay(
            text in "(\u{feff})?([a-zé\u{1f600} \\[\\]-]|\r\n|\n|\r){0,60}",
            places in proptest::collection::vec((0usize..200, 0usize..4, "[xé\n]{0,3}"), 0..4),
        ) {
            let decoded = as_text("x.md", text.as_bytes()).expect("UTF-8");
            let boundaries: Vec<usize> =
                (0..=decoded.len()).filter(|at| decoded.is_char_boundary(*at)).collect();
            let mut edits: Vec<MarkEdit> = Vec::new();
            for (start, length, new) in places {
                let from = start % boundaries.len();
                let to = (from + length).min(boundaries.len() - 1);
                let at = boundaries[from]..boundaries[to];
                if edits.iter().all(|edit| edit.at.end < at.start || at.end < edit.at.start) {
                    edits.push(MarkEdit { at, text: new });
                }
            }
            let bytes = apply_edits(text.as_bytes(), &edits);
            let mut expected = decoded.clone();
            edits.sort_by_key(|edit| std::cmp::Reverse(edit.at.start));
            for edit in &edits {
                expected.replace_range(edit.at.clone(), &edit.text);
            }
            // A carriage return of its own before an added line break would become part of it.
            if !edits.iter().any(|edit| edit.text.starts_with('\n') || edit.at.start != edit.at.end) {
                proptest::prop_assert_eq!(as_text("x.md", &bytes).expect("UTF-8"), expected);
            }
            // Without what was added, the rest is what was there without what was removed.
            let removed: usize = edits
                .iter()
                .map(|edit| apply_edits(text.as_bytes(), &[MarkEdit { at: edit.at.clone(), text: String::new() }]))
                .map(|without| text.len() - without.len())
                .sum();
            let line_end = line_end_of(text.as_bytes());
            let added: usize =
                edits.iter().map(|edit| edit.text.replace('\n', line_end).len()).sum();
            proptest::prop_assert_eq!(bytes.len(), text.len() - removed + added);
            let first = edits.last().map_or(bytes.len(), |edit| {
                RawPosition::start(text.as_bytes()).advance(text.as_bytes(), edit.at.start).raw
            });
            proptest::prop_assert_eq!(&bytes[..first], &text.as_bytes()[..first]);
        }
    }
}
