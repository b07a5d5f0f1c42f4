//! What the headings around a task say about it: criteria, priority, finished or optional work.

use crate::box_lists::boxes::{is_about_criteria, speaks_of};
use afresh_formats::text::markdown::Heading;

/// The sections that a task is in, the innermost first. The title of the document is none.
pub(super) struct Surroundings<'h> {
    texts: Vec<&'h str>,
}

impl<'h> Surroundings<'h> {
    pub(super) fn of(headings: &[&Heading<'h>]) -> Self {
        let sections = headings.iter().filter(|heading| heading.level > 1);
        Self { texts: sections.map(|heading| heading.text).collect() }
    }

    pub(super) fn are_criteria(&self) -> bool {
        self.texts.iter().any(|text| is_about_criteria(text))
    }

    pub(super) fn speak_of(&self, words: &[&str]) -> bool {
        self.texts.iter().any(|text| speaks_of(&text.to_lowercase(), words))
    }

    pub(super) fn rank(&self) -> usize {
        self.texts.iter().find_map(|text| rank(text)).unwrap_or(usize::MAX)
    }
}

/// The rank of a heading with a priority: `High Priority`, `P1`.
fn rank(heading: &str) -> Option<usize> {
    let lower = heading.to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty())?;
    let named = [
        ("critical", 0),
        ("urgent", 0),
        ("p0", 0),
        ("high", 1),
        ("p1", 1),
        ("medium", 2),
        ("normal", 2),
        ("p2", 2),
        ("low", 3),
        ("p3", 3),
    ];
    let whole = lower.contains("priority") || lower.split_whitespace().count() == 1;
    named.iter().find(|(word, _)| *word == first && whole).map(|(_, rank)| *rank)
}
