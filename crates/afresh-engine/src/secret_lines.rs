//! The lines of a text that hold secrets, as people count them.

use std::collections::BTreeSet;

use afresh_process::{Spot, SpotKind};

/// A line with this word may hold what looks like a key: an example, a test. A value that was
/// handed over is refused all the same.
const ALLOWED: &str = "afresh:allow-secret";

/// A spot by its place in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placed<'a> {
    /// Counted from 1.
    pub(crate) line: u64,
    /// In bytes, counted from 1.
    pub(crate) column: u64,
    pub(crate) kind: SpotKind,
    /// The whole line that it begins in.
    pub(crate) text: &'a [u8],
}

impl Placed<'_> {
    /// Was it marked as an example?
    pub(crate) fn is_allowed(&self) -> bool {
        let marked = || self.text.windows(ALLOWED.len()).any(|part| part == ALLOWED.as_bytes());
        matches!(self.kind, SpotKind::Shape(_)) && marked()
    }
}

/// Where the spots are, in their order.
fn placed<'a>(text: &'a [u8], spots: &[Spot]) -> Vec<Placed<'a>> {
    let (mut line, mut from) = (1, 0);
    let mut placed = Vec::with_capacity(spots.len());
    for spot in spots {
        while let Some(end) = text[from..spot.start].iter().position(|byte| *byte == b'\n') {
            from += end + 1;
            line += 1;
        }
        let rest = &text[from..];
        let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let column = u64::try_from(spot.start - from + 1).unwrap_or(u64::MAX);
        placed.push(Placed { line, column, kind: spot.kind, text: &rest[..end] });
    }
    placed
}

/// The same without those in lines that were there before.
pub(crate) fn placed_anew<'a>(
    text: &'a [u8],
    before: Option<&[u8]>,
    spots: &[Spot],
) -> Vec<Placed<'a>> {
    let known: BTreeSet<&[u8]> = before.unwrap_or_default().split(|byte| *byte == b'\n').collect();
    let mut placed = placed(text, spots);
    placed.retain(|it| !known.contains(it.text));
    placed
}

/// The new lines with secrets that nobody marked as examples.
pub(crate) fn new_lines(text: &[u8], before: Option<&[u8]>, spots: &[Spot]) -> Vec<u64> {
    let new = placed_anew(text, before, spots);
    let mut lines: Vec<u64> = new.iter().filter(|it| !it.is_allowed()).map(|it| it.line).collect();
    lines.dedup();
    lines
}
