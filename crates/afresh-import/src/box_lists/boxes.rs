//! The boxes of a document: `- [ ]`, `- [x]`, and those of other states, `- [-]`, `- [~]`, `- [ ]*`.

use std::ops::Range;

use afresh_formats::text::markdown::{
    FenceTracker, Heading, LineKind, ListItem, TextLine, check_box, headings, items, lines,
};

/// A check box.
#[derive(Debug, Clone)]
pub(crate) struct ListBox<'a> {
    pub(crate) is_done: bool,
    /// `- [ ]* …`: not needed.
    pub(crate) is_optional: bool,
    pub(crate) indent: usize,
    pub(crate) text: TextLine<'a>,
    /// The lines below it that belong to it, with those of nested boxes.
    pub(crate) below: Range<usize>,
    /// The index of the heading that it is under.
    pub(crate) heading: Option<usize>,
}

/// All boxes of a document.
#[derive(Debug, Default)]
pub(crate) struct BoxList<'a> {
    pub(crate) headings: Vec<Heading<'a>>,
    pub(crate) boxes: Vec<ListBox<'a>>,
    /// The first box in a code block.
    pub(crate) in_code: Option<Range<usize>>,
}

impl<'a> BoxList<'a> {
    pub(crate) fn read(text: &'a str) -> Self {
        let headings = headings(text);
        let mut boxes: Vec<ListBox<'a>> = Vec::new();
        let mut under = headings.iter().enumerate().peekable();
        let mut heading = None;
        for item in items(text, 0..text.len()) {
            while let Some((at, _)) = under.next_if(|(_, h)| h.at.start < item.text.start) {
                heading = Some(at);
            }
            boxes.extend(list_box(&item, heading));
        }
        Self { headings, boxes, in_code: box_in_code(text) }
    }

    /// The headings around a box, the innermost first.
    pub(crate) fn headings_of(&self, one: &ListBox<'a>) -> Vec<&Heading<'a>> {
        let mut level = usize::MAX;
        let before = self.headings[..one.heading.map_or(0, |at| at + 1)].iter().rev();
        let outer = |heading: &&Heading<'a>| {
            let outer = heading.level < level;
            level = level.min(heading.level);
            outer
        };
        before.filter(outer).collect()
    }

    /// The boxes that are not below another box.
    pub(crate) fn outermost(&self) -> impl Iterator<Item = &ListBox<'a>> {
        let mut end = 0;
        self.boxes.iter().filter(move |one| {
            let is_outer = one.text.start >= end;
            end = end.max(one.below.end);
            is_outer
        })
    }

    /// The boxes below a box, which follow it: those that are indented deeper.
    pub(crate) fn nested(&self, at: usize) -> &[ListBox<'a>] {
        let own = self.boxes[at].indent;
        let end = self.boxes[at].below.end.max(self.boxes[at].text.end());
        let rest = &self.boxes[at + 1..];
        let count = rest.iter().take_while(|b| b.indent > own && b.text.start < end).count();
        &rest[..count]
    }
}

impl<'a> ListBox<'a> {
    /// Its text and everything below it.
    pub(crate) fn whole(&self, text: &'a str) -> TextLine<'a> {
        let end = if self.below.is_empty() { self.text.end() } else { self.below.end };
        TextLine { text: &text[self.text.start..end.max(self.text.end())], start: self.text.start }
    }

    /// The start of its first line.
    pub(crate) fn line_start(&self, text: &str) -> usize {
        text[..self.text.start].rfind('\n').map_or(0, |at| at + 1)
    }

    /// The first line with the lines that continue it, without bullets below.
    pub(crate) fn sentence(&self, text: &'a str) -> String {
        let mut words = self.text.text.to_owned();
        for line in text[self.below.clone()].lines() {
            let line = line.trim();
            let item = line.starts_with(['-', '*', '+', '`', '#', '>', '|'])
                || line.starts_with(|c: char| c.is_ascii_digit());
            if line.is_empty() || item {
                break;
            }
            words.push(' ');
            words.push_str(line);
        }
        words
    }
}

/// The box that an item is.
fn list_box<'a>(item: &ListItem<'a>, heading: Option<usize>) -> Option<ListBox<'a>> {
    Some(ListBox {
        is_done: item.ticked?,
        is_optional: item.is_optional,
        indent: item.indent,
        text: item.text,
        below: item.below.clone(),
        heading,
    })
}

/// Headings over boxes that are not tasks.
const CRITERIA: &[&str] = &[
    "criteria",
    "success",
    "definition of done",
    "verification",
    "notes",
    "acceptance",
    "test checklist",
    "testing checklist",
    "validation checklist",
    "quality checklist",
    "review checklist",
    "quality gates",
];

/// Headings of work, whatever it is about: `Phase 4: Verification`.
const WORK: &[&str] = &["phase", "stage", "milestone", "sprint", "task", "step"];

/// Whether boxes below a heading are criteria or notes, and no tasks.
pub(crate) fn is_about_criteria(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let is_work = words.next().is_some_and(|word| WORK.contains(&word))
        && words.next().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    !is_work && speaks_of(&lower, CRITERIA)
}

/// Whether a heading in lowercase is about one of these, as whole words.
pub(crate) fn speaks_of(heading: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        heading.match_indices(word).any(|(at, _)| {
            let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
            let negated = heading[..at].ends_with("not ") || heading[..at].ends_with("un");
            edge(heading[..at].chars().next_back())
                && edge(heading[at + word.len()..].chars().next())
                && !negated
        })
    })
}

fn box_in_code(text: &str) -> Option<Range<usize>> {
    let mut fences = FenceTracker::within(text, 0..text.len());
    lines(text)
        .filter(|line| fences.kind(line) == LineKind::Code)
        .find_map(|line| check_box::parse(&line))
        .map(|found| found.at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_of_every_state_are_read() {
        let text = "## A\n- [ ] one\n  more\n  - [x] two\n- [-] three\n- [ ]* four\n- [~] five\n- [x](link)\n- [P] label\n```\n- [ ] code\n```\n";
        let list = BoxList::read(text);
        let shown: Vec<_> = list
            .boxes
            .iter()
            .map(|b| (b.text.text, b.is_done, b.is_optional, b.indent, b.heading))
            .collect();
        assert_eq!(
            shown,
            [
                ("one", false, false, 0, Some(0)),
                ("two", true, false, 2, Some(0)),
                ("three", false, false, 0, Some(0)),
                ("four", false, true, 0, Some(0)),
                ("five", false, false, 0, Some(0)),
            ]
        );
        assert_eq!(list.nested(0).len(), 1);
        assert_eq!(list.boxes[0].sentence(text), "one more");
        assert!(list.in_code.is_some());
    }
}
