//! The `<task>` blocks of a PLAN.md.
//!
//! A block goes from `<task …>` to `</task>`, or to the next `<task …>` where that is missing. What
//! stands in a code block, in a comment or in backticks is an example, not a task. A code block
//! that a task leaves open ends with the task: models often nest marks of one length.

use std::ops::Range;

use afresh_core::plan::MAX_TASKS;

use crate::plan_md::parse::remarks::PlanRemarks;
use crate::plan_md::parse::tags::OpeningTag;
use afresh_formats::findings::Fix;
use afresh_formats::text::markdown::lines::lines_from;
use afresh_formats::text::markdown::{FenceTracker, LineKind, TextLine};

const CLOSING: &str = "</task>";

/// A task as it stands in the text.
#[derive(Debug, Clone)]
pub struct TaskBlock<'a> {
    pub opening: OpeningTag<'a>,
    pub inner: Range<usize>,
}

impl TaskBlock<'_> {
    /// All of it, without the closing tag.
    pub fn range(&self) -> Range<usize> {
        self.opening.at.start..self.inner.end
    }
}

/// The tasks of a text from a byte on.
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
    /// Tasks in the code block that is open now.
    fenced: usize,
    /// Those of them that have not ended.
    depth: usize,
    /// Where the comment that is open now starts, and whether a task stands in it.
    comment: Option<(usize, bool)>,
    /// What stands before this byte was looked at.
    resume: usize,
}

impl<'a> TaskBlockScanner<'a, '_> {
    fn line(&mut self, line: &TextLine<'a>) {
        // A line inside a comment, or inside an opening tag of several lines, is no mark of code.
        if self.comment.is_some() || line.start < self.resume {
            return self.text_line(line);
        }
        match self.fences.kind(line) {
            LineKind::Text => self.text_line(line),
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

    /// Looks at what may be a tag, or the start or end of a comment.
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

    fn code_line(&mut self, line: &TextLine<'a>) {
        for (at, _) in line.text.match_indices("<task") {
            if opens_task(&line.text[at..]) {
                self.fenced += 1;
                self.depth += 1;
                let place = line.start + at..line.start + at + "<task".len();
                let message = "a task in a code block is not read as a task".to_owned();
                let hint = "if it is meant to be done, take it out of the code block";
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
            let message = "the code block that starts here does not end in its task".to_owned();
            let hint = "close it, or use a longer mark around a block that holds others";
            self.remarks.warning("unclosed-fence", &(since..since + 3), message, hint);
            self.fences.leave();
            self.close(line.trimmed().start);
        }
    }

    fn open(&mut self, at: usize) {
        if self.blocks.len() > MAX_TASKS {
            // Whoever puts plans together says that it is too much.
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
                let message = "this opening tag never ends".to_owned();
                let place = at..at + "<task".len();
                self.remarks.error("unbalanced-task", &place, message, "add the missing `>`");
            }
        }
    }

    /// The closing tag, on a line of its own behind the last words before this byte.
    fn closing_before(&self, at: usize) -> Fix {
        let end = self.text[..at].trim_end().len();
        Fix::rewording(end..end, format!("\n{CLOSING}"))
    }

    fn close(&mut self, at: usize) {
        self.resume = at + CLOSING.len();
        if let Some(opening) = self.open.take() {
            self.blocks.push(TaskBlock { inner: opening.at.end..at, opening });
        } else {
            let message = "this closes a task that was never opened".to_owned();
            let hint = "add `<task type=\"auto\">` where it starts, or remove this";
            let place = at..at + CLOSING.len();
            self.remarks.error("unbalanced-task", &place, message, hint);
        }
    }

    fn finish(&mut self) {
        if let Some((start, true)) = self.comment {
            let message = "the comment that starts here never ends, and holds tasks".to_owned();
            self.remarks.error("unclosed-comment", &(start..start + 4), message, "add `-->`");
        }
        if let Some(start) =
            self.fences.open_since().filter(|_| self.open.is_none() && self.fenced > 0)
        {
            let message = "the code block that starts here never ends, and holds tasks".to_owned();
            self.remarks.error("unclosed-fence", &(start..start + 3), message, "close it");
        }
        if let Some(opening) = self.open.take() {
            let rest = &self.text[opening.at.end..];
            let hint = "add `</task>`, and whatever else is missing before it";
            if let Some(end) = rest.find("</tasks>") {
                let message = "this task is not closed before the tasks end".to_owned();
                let end = opening.at.end + end;
                let fix = self.closing_before(end);
                self.remarks.fixable("unbalanced-task", &opening.at, message, hint, fix);
                self.blocks.push(TaskBlock { inner: opening.at.end..end, opening });
            } else {
                let message = "this task never ends: the file may be cut off".to_owned();
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

    /// The tasks, and what was said: code and line.
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

    /// B17: what is not closed is named with its line, and nothing is lost.
    #[test]
    fn tags_that_do_not_match_are_named() {
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

    /// Marks of one length, nested: the block that is left open ends with its task.
    #[test]
    fn a_code_block_left_open_does_not_swallow_the_next_task() {
        let text =
            "<task>\n```md\n```sh\nls\n```\n```\n<done>x</done>\n</task>\n<task>\ntwo\n</task>";
        let (tasks, said) = read(text);
        assert_eq!(tasks.len(), 2);
        assert_eq!(said, ["Warning unclosed-fence 6"]);
        let example = "<task>\n```xml\n<task>\n</task>\n```\n</task>";
        assert_eq!(read(example).0.len(), 1);
    }

    #[test]
    fn an_opening_tag_of_several_lines_holds_no_code_and_no_end() {
        let (tasks, _) = read("<task name=\"\n```\n</task>\n\">one</task>");
        assert_eq!(tasks, ["one"]);
    }

    #[test]
    fn tasks_that_an_endless_block_hides_are_an_error() {
        assert_eq!(
            read("```\n<task>\n</task>\n").1,
            ["Warning task-in-fence 2", "Error unclosed-fence 1"]
        );
        assert_eq!(read("x <!--\n<task>\n</task>\n").1, ["Error unclosed-comment 1"]);
    }
}
