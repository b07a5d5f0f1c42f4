//! Builds the instructions for a worker from parts of documents.
//!
//! A part that is long, or that many tasks share, is cut, with a note which file has the rest.

use std::fmt::Write as _;

/// The longest part, in bytes.
const MAX_PART_BYTES: usize = 32 * 1024;
/// The most bytes of shared documents in all tasks of a plan together.
const MAX_REPEATED_BYTES: usize = 16 * 1024 * 1024;

#[derive(Debug, Clone)]
pub struct WorkerBrief {
    text: String,
    /// The remaining bytes for parts that other tasks get too.
    room: usize,
}

impl WorkerBrief {
    /// A brief for one of `tasks` tasks.
    pub fn for_one_of(tasks: usize) -> Self {
        Self { text: String::new(), room: MAX_REPEATED_BYTES / tasks.max(1) }
    }

    /// A paragraph without a heading.
    pub fn paragraph(&mut self, text: &str) -> &mut Self {
        let text = text.trim();
        if !text.is_empty() {
            self.space();
            let kept = cut(text, MAX_PART_BYTES);
            self.text.push_str(kept);
            if kept.len() < text.len() {
                self.text.push_str("\n\n(cut here; the rest is in the plan)");
            }
        }
        self
    }

    /// A part of a document under its heading.
    pub fn part(&mut self, heading: &str, text: &str, file: &str) -> &mut Self {
        let text = text.trim();
        let kept = cut(text, MAX_PART_BYTES.min(self.room));
        if text.is_empty() {
            return self;
        }
        self.room -= kept.len();
        self.space();
        let _ = write!(self.text, "## {heading}\n\n{}", kept.trim_end());
        if kept.len() < text.len() {
            let _ = write!(self.text, "\n\n(cut here; the rest is in `{file}`)");
        }
        self
    }

    /// A list under a heading.
    pub fn list<'a>(
        &mut self,
        heading: &str,
        items: impl IntoIterator<Item = &'a str>,
        file: &str,
    ) -> &mut Self {
        let lines: Vec<String> = items.into_iter().map(|item| format!("- {item}")).collect();
        self.part(heading, &lines.join("\n"), file)
    }

    pub fn finish(self) -> String {
        self.text
    }

    fn space(&mut self) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
    }
}

/// The start of a text, at most `bytes` long.
fn cut(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_their_headings() {
        let mut brief = WorkerBrief::for_one_of(2);
        brief.paragraph("Do it.").part("Context", "  why\n", "a.md").part("Empty", " ", "a.md");
        brief.list("Criteria", ["one", "two"], "a.md");
        assert_eq!(brief.finish(), "Do it.\n\n## Context\n\nwhy\n\n## Criteria\n\n- one\n- two");
    }

    #[test]
    fn parts_shared_by_many_tasks_are_cut() {
        let mut brief = WorkerBrief::for_one_of(MAX_REPEATED_BYTES / 4);
        brief.part("Context", "äöü and more", "a.md");
        assert_eq!(brief.finish(), "## Context\n\näö\n\n(cut here; the rest is in `a.md`)");
    }
}
