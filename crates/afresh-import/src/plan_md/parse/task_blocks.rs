//! The `<task>` blocks of a PLAN.md.
//!
//! A block extends from `<task …>` to `</task>`, or to the next `<task …>` if that is missing. Text in a
//! code block, a comment or backticks is an example, not a task. A code block that a task leaves open
//! ends with the task: models often nest fences of the same length. One that a section leaves open ends
//! with the section.

use std::ops::Range;

use afresh_core::plan::MAX_TASKS;

use crate::plan_md::parse::document::section_without_tasks;
use crate::plan_md::parse::remarks::PlanRemarks;
use crate::plan_md::parse::tags::OpeningTag;
use afresh_formats::findings::Fix;
use afresh_formats::text::markdown::lines::lines_from;
use afresh_formats::text::markdown::{FenceTracker, LineKind, TextLine};

const CLOSING: &str = "</task>";

/// A task in the text.
#[derive(Debug, Clone)]
pub struct TaskBlock<'a> {
    pub opening: OpeningTag<'a>,
    pub inner: Range<usize>,
}

impl TaskBlock<'_> {
    /// The whole block, without the closing tag.
    pub fn range(&self) -> Range<usize> {
        self.opening.at.start..self.inner.end
    }
}

/// The tasks of a text from byte `from` on.
pub fn scan<'a>(text: &'a str, from: usize, remarks: &mut PlanRemarks) -> Vec<TaskBlock<'a>> {
    let mut scanner = TaskBlockScanner {
        text,
        remarks,
        blocks: Vec::new(),
        open: None,
        fences: FenceTracker::default(),
        fenced: 0,
        depth: 0,
        comment: None,
        resume: from,
        sections: Vec::new(),
    };
    for line in lines_from(&text[from..], from) {
        scanner.line(&line);
    }
    scanner.finish();
    scanner.blocks
}

struct TaskBlockScanner<'a, 'r> {
    text: &'a str,
    remarks: &'r mut PlanRemarks,
    blocks: Vec<TaskBlock<'a>>,
    open: Option<OpeningTag<'a>>,
    fences: FenceTracker,
    /// The number of tasks in the open code block.
    fenced: usize,
    /// The number of those that are not closed.
    depth: usize,
    /// The start of the open comment, and whether it contains a task.
    comment: Option<(usize, bool)>,
    /// The bytes before this one are processed.
    resume: usize,
    /// The sections that the last line of text is in, the innermost last.
    sections: Vec<&'static str>,
}

impl<'a> TaskBlockScanner<'a, '_> {
    fn line(&mut self, line: &TextLine<'a>) {
        // A line inside a comment, or inside an opening tag of several lines, is not a fence.
        if self.comment.is_some() || line.start < self.resume {
            return self.text_line(line);
        }
        match self.fences.kind(line) {
            LineKind::Text => {
                self.follow_sections(line.text.trim());
                self.text_line(line);
            }
            LineKind::Opening => (self.fenced, self.depth) = (0, 0),
            LineKind::Code => self.code_line(line),
            LineKind::Closing => {}
        }
    }

    fn text_line(&mut self, line: &TextLine<'a>) {
        let last_tick = line.text.rfind('`').unwrap_or(0);
        let mut in_code = false;
        for (at, byte) in line.text.bytes().enumerate() {
            let place = line.start + at;
            if byte == b'`' && self.comment.is_none() {
                in_code = !in_code && at < last_tick;
            }
            if place < self.resume || in_code || !matches!(byte, b'<' | b'-') {
                continue;
            }
            self.mark(place);
        }
    }

    /// Handles a tag, or the start or end of a comment.
    fn mark(&mut self, at: usize) {
        let rest = &self.text[at..];
        if let Some((_, hides)) = &mut self.comment {
            if rest.starts_with("-->") {
                (self.comment, self.resume) = (None, at + 3);
            } else {
                *hides |= opens_task(rest);
            }
        } else if rest.starts_with("<!--") {
            (self.comment, self.resume) = (Some((at, false)), at + 4);
        } else if rest.starts_with(CLOSING) {
            self.close(at);
        } else if opens_task(rest) {
            self.open(at);
        }
    }

    /// Notes which section the text is in.
    fn follow_sections(&mut self, words: &str) {
        let Some(tag) = words.strip_prefix('<') else { return };
        let (name, closes) = match tag.strip_prefix('/') {
            Some(name) => (name, true),
            None => (tag, false),
        };
        let name = name.strip_suffix('>').and_then(section_without_tasks);
        match name {
            Some(name) if closes => {
                let opened = self.sections.iter().rposition(|open| *open == name);
                self.sections.truncate(opened.unwrap_or(self.sections.len()));
            }
            Some(name) if !self.sections.contains(&name) => self.sections.push(name),
            _ => {}
        }
    }

    /// Whether a line of code is the end of the section that the code block is in.
    fn ends_section(&self, words: &str) -> bool {
        let name = words.strip_prefix("</").and_then(|rest| rest.strip_suffix('>'));
        let ends = name.is_some_and(|name| self.open.is_none() && self.sections.contains(&name));
        // In an example, the section starts inside the code block.
        let since = self.fences.open_since().unwrap_or_default();
        ends && !self.text[since..]
            .lines()
            .take_while(|line| line.trim() != words)
            .any(|line| line.trim().strip_prefix('<').and_then(|tag| tag.strip_suffix('>')) == name)
    }

    fn code_line(&mut self, line: &TextLine<'a>) {
        if self.ends_section(line.text.trim()) {
            let since = self.fences.open_since().unwrap_or(line.start);
            let message = "the code block that starts here is not closed in its section".to_owned();
            let hint = "close it; it was read up to the end of the section";
            self.remarks.warning("unclosed-fence", &(since..since + 3), message, hint);
            self.fences.leave();
            self.follow_sections(line.text.trim());
            return;
        }
        for (at, _) in line.text.match_indices("<task") {
            if opens_task(&line.text[at..]) {
                self.fenced += 1;
                self.depth += 1;
                let place = line.start + at..line.start + at + "<task".len();
                let message = "a task in a code block is an example and not run".to_owned();
                let hint = "move it out of the code block to run it";
                self.remarks.warning("task-in-fence", &place, message, hint);
            }
        }
        if !line.text.contains(CLOSING) {
            return;
        }
        if self.depth > 0 {
            self.depth -= 1;
        } else if self.open.is_some() && line.text.trim() == CLOSING {
            let since = self.fences.open_since().unwrap_or(line.start);
            let message = "the code block that starts here is not closed in its task".to_owned();
            let hint = "close it, or use a longer fence around nested blocks";
            self.remarks.warning("unclosed-fence", &(since..since + 3), message, hint);
            self.fences.leave();
            self.close(line.trimmed().start);
        }
    }

    fn open(&mut self, at: usize) {
        if self.blocks.len() > MAX_TASKS {
            // The caller reports that there are too many.
            (self.open, self.resume) = (None, self.text.len());
            return;
        }
        if let Some(before) = self.open.take() {
            let message = "this task is not closed before the next one starts".to_owned();
            let hint = "add `</task>`; it was read up to the next task";
            let fix = self.closing_before(at);
            self.remarks.fixable("unbalanced-task", &before.at, message, hint, fix);
            self.blocks.push(TaskBlock { inner: before.at.end..at, opening: before });
        }
        match OpeningTag::parse(self.text, at) {
            Some(opening) if opening.is_whole => {
                self.resume = opening.at.end;
                self.blocks.push(TaskBlock { inner: opening.at.end..opening.at.end, opening });
            }
            Some(opening) => {
                self.resume = opening.at.end;
                self.open = Some(opening);
            }
            None => {
                let message = "this opening tag is not closed".to_owned();
                let place = at..at + "<task".len();
                self.remarks.error("unbalanced-task", &place, message, "add the missing `>`");
            }
        }
    }

    /// A fix that adds the closing tag on its own line after the last text before this byte.
    fn closing_before(&self, at: usize) -> Fix {
        let end = self.text[..at].trim_end().len();
        Fix::rewording(end..end, format!("\n{CLOSING}"))
    }

    fn close(&mut self, at: usize) {
        self.resume = at + CLOSING.len();
        if let Some(opening) = self.open.take() {
            self.blocks.push(TaskBlock { inner: opening.at.end..at, opening });
        } else {
            let message = "this closing tag has no opening tag".to_owned();
            let hint = "add `<task type=\"auto\">` where the task starts, or remove this tag";
            let place = at..at + CLOSING.len();
            self.remarks.error("unbalanced-task", &place, message, hint);
        }
    }

    fn finish(&mut self) {
        if let Some((start, true)) = self.comment {
            let message =
                "the comment that starts here is not closed and contains tasks".to_owned();
            self.remarks.error("unclosed-comment", &(start..start + 4), message, "add `-->`");
        }
        if let Some(start) =
            self.fences.open_since().filter(|_| self.open.is_none() && self.fenced > 0)
        {
            let message =
                "the code block that starts here is not closed and contains tasks".to_owned();
            self.remarks.error("unclosed-fence", &(start..start + 3), message, "close it");
        }
        if let Some(opening) = self.open.take() {
            let rest = &self.text[opening.at.end..];
            let hint = "add `</task>`, and what else is missing before it";
            if let Some(end) = rest.find("</tasks>") {
                let message = "this task is not closed before the tasks end".to_owned();
                let end = opening.at.end + end;
                let fix = self.closing_before(end);
                self.remarks.fixable("unbalanced-task", &opening.at, message, hint, fix);
                self.blocks.push(TaskBlock { inner: opening.at.end..end, opening });
            } else {
                let message = "this task is not closed: the file may be cut off".to_owned();
                self.remarks.error("unbalanced-task", &opening.at, message, hint);
                self.blocks.push(TaskBlock { inner: opening.at.end..self.text.len(), opening });
            }
        }
    }
}

/// `<task` and then a space or `>`: not `<tasks>`, nor `<task_list>`.
fn opens_task(rest: &str) -> bool {
    rest.strip_prefix("<task")
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_whitespace() || c == '>' || c == '/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use afresh_formats::findings::SourceText;

    /// The tasks, and severity, code and line of each finding.
    fn read(text: &str) -> (Vec<&str>, Vec<String>) {
        let mut remarks = PlanRemarks::default();
        let blocks = scan(text, 0, &mut remarks);
        let found = remarks.render(&SourceText::new("PLAN.md", text));
        (
            blocks.iter().map(|block| text[block.inner.clone()].trim()).collect(),
            found.iter().map(|f| format!("{:?} {} {}", f.severity, f.code, f.line)).collect(),
        )
    }

    #[test]
    fn examples_are_not_tasks() {
        let text = "Each `<task>` is `</task>`.\n```xml\n<task type=\"auto\">\n</task>\n```\n<!-- <task>no</task>\n<task>\n-->\n<tasks>\n<task type=\"auto\">a && b < c</task>\n<task\n  type=\"auto\">Vec<T></task>\n</tasks>";
        assert_eq!(
            read(text),
            (vec!["a && b < c", "Vec<T>"], vec!["Warning task-in-fence 3".to_owned()])
        );
    }

    /// B17: unclosed tags are reported with their line, and no task is lost.
    #[test]
    fn unbalanced_tags_are_reported() {
        let unclosed = "<task>\none\n<task>\ntwo\n</tasks>";
        assert_eq!(
            read(unclosed),
            (
                vec!["one", "two"],
                vec![
                    "Warning unbalanced-task 1".to_owned(),
                    "Warning unbalanced-task 3".to_owned()
                ]
            )
        );
        assert_eq!(read("a\n<task>\none").1, ["Error unbalanced-task 2"]);
        assert_eq!(read("a\n</task>").1, ["Error unbalanced-task 2"]);
        assert_eq!(read("a\n<task type=\"x\"\n<name>").1, ["Error unbalanced-task 2"]);
    }

    /// With nested fences of the same length, the block that is left open ends with its task.
    #[test]
    fn an_unclosed_code_block_does_not_hide_the_next_task() {
        let text =
            "<task>\n```md\n```sh\nls\n```\n```\n<done>x</done>\n</task>\n<task>\ntwo\n</task>";
        let (tasks, findings) = read(text);
        assert_eq!(tasks.len(), 2);
        assert_eq!(findings, ["Warning unclosed-fence 6"]);
        let example = "<task>\n```xml\n<task>\n</task>\n```\n</task>";
        assert_eq!(read(example).0.len(), 1);
    }

    /// FO-11: a stray fence before the end of a section does not hide the tasks after it.
    #[test]
    fn a_code_block_ends_with_its_section() {
        let text = "<context>\n<interfaces>\n```ts\na\n```\n```\n</interfaces>\n</context>\n<tasks>\n<task>\none\n</task>\n</tasks>";
        assert_eq!(read(text), (vec!["one"], vec!["Warning unclosed-fence 6".to_owned()]));
        let example = "<context>\n```xml\n<context>\n</context>\n<task>\n</task>\n```\n</context>\n<task>\ntwo\n</task>";
        assert_eq!(read(example).0, ["two"]);
    }

    #[test]
    fn fences_and_closing_tags_in_an_opening_tag_are_text() {
        let (tasks, _) = read("<task name=\"\n```\n</task>\n\">one</task>");
        assert_eq!(tasks, ["one"]);
    }

    #[test]
    fn tasks_hidden_by_an_unclosed_block_are_an_error() {
        assert_eq!(
            read("```\n<task>\n</task>\n").1,
            ["Warning task-in-fence 2", "Error unclosed-fence 1"]
        );
        assert_eq!(read("x <!--\n<task>\n</task>\n").1, ["Error unclosed-comment 1"]);
    }
}
