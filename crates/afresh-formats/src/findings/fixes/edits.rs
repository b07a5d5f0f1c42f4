//! Applies edits to a file's bytes and leaves all other bytes unchanged.
//!
//! Ranges count bytes of the decoded text: without a byte order mark, with `\n` line breaks. The file
//! itself may use `\n`, `\r\n`, or both.

use crate::findings::TextEdit;

const MARK: &str = "\u{feff}";

/// The bytes of the edited file. `None` if the file is not text, or an edit is out of range or
/// overlaps another.
pub fn apply_edits<'e>(
    bytes: &[u8],
    edits: impl IntoIterator<Item = &'e TextEdit>,
) -> Option<Vec<u8>> {
    let whole = std::str::from_utf8(bytes).ok()?;
    let text = whole.strip_prefix(MARK).unwrap_or(whole);
    let breaks = LineBreaks::from_text(text);
    let mut sorted: Vec<&TextEdit> = edits.into_iter().collect();
    sorted.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut fixed = whole[..whole.len() - text.len()].to_owned();
    let (mut at, mut last) = (0, 0);
    for edit in sorted {
        let range = breaks.in_file(edit.range.start)..breaks.in_file(edit.range.end);
        if edit.range.start < last || edit.range.end < edit.range.start {
            return None;
        }
        text.get(range.clone())?;
        fixed.push_str(&text[at..range.start]);
        if breaks.is_windows(edit.range.start) {
            fixed.push_str(&edit.text.replace('\n', "\r\n"));
        } else {
            fixed.push_str(&edit.text);
        }
        (at, last) = (range.end, edit.range.end);
    }
    fixed.push_str(&text[at..]);
    Some(fixed.into_bytes())
}

/// The positions of `\r\n` and `\n` line breaks, in bytes of the decoded text.
struct LineBreaks {
    windows: Vec<usize>,
    plain: Vec<usize>,
}

impl LineBreaks {
    fn from_text(text: &str) -> Self {
        let (mut windows, mut plain) = (Vec::new(), Vec::new());
        for (at, _) in text.match_indices('\n') {
            let here = at - windows.len();
            if text[..at].ends_with('\r') { windows.push(here - 1) } else { plain.push(here) }
        }
        Self { windows, plain }
    }

    /// Converts an offset in the decoded text to one in the file.
    fn in_file(&self, byte: usize) -> usize {
        byte + self.windows.partition_point(|at| *at < byte)
    }

    /// Whether the line at this offset ends with `\r\n`. A last line without a break follows the majority.
    fn is_windows(&self, byte: usize) -> bool {
        let next = |breaks: &[usize]| breaks.get(breaks.partition_point(|at| *at < byte)).copied();
        match (next(&self.windows), next(&self.plain)) {
            (Some(windows), Some(plain)) => windows < plain,
            (None, None) => self.windows.len() > self.plain.len(),
            (windows, _) => windows.is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edit(range: std::ops::Range<usize>, text: &str) -> TextEdit {
        TextEdit { range, text: text.to_owned() }
    }

    #[test]
    fn edits_change_only_their_ranges() {
        let bytes = "\u{feff}one\r\ntwo\nthree\r\nfour".as_bytes();
        let edits = [edit(4..7, "2"), edit(0..3, "1\n1"), edit(8..8, "\n")];
        let fixed = apply_edits(bytes, &edits).expect("text");
        assert_eq!(String::from_utf8_lossy(&fixed), "\u{feff}1\r\n1\r\n2\n\r\nthree\r\nfour");
    }

    #[test]
    fn edits_that_do_not_fit_are_refused() {
        assert_eq!(apply_edits(b"\xff", &[edit(0..0, "x")]), None);
        assert_eq!(apply_edits("ä".as_bytes(), &[edit(1..2, "x")]), None);
        assert_eq!(apply_edits(b"abc", &[edit(0..2, "x"), edit(1..3, "y")]), None);
        assert_eq!(apply_edits(b"abc", &[edit(99..100, "x")]), None);
    }

    proptest! {
        /// With any mix of line breaks, an edit followed by its reverse gives the same bytes.
        #[test]
        fn an_edit_and_its_reverse_give_the_same_bytes(
            text in "\u{feff}?([aä\u{65e5}]{0,4}(\r\n|\n|\r)){0,5}[a ]{0,3}",
            start in 0usize..30, length in 0usize..10,
        ) {
            let plain = text.strip_prefix(MARK).unwrap_or(&text).replace("\r\n", "\n");
            let range = start..start + length;
            if let Some(was) = plain.get(range.clone()) {
                prop_assume!(!was.contains('\n'));
                let there = apply_edits(text.as_bytes(), &[edit(range, "new")]).expect("it fits");
                let back = edit(start..start + 3, was);
                prop_assert_eq!(apply_edits(&there, &[back]).expect("it fits"), text.into_bytes());
            }
        }
    }
}
