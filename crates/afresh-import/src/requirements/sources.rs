//! The text of each task in its own file: where tasks cite requirements.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use afresh_core::Plan;
use afresh_core::ids::TaskId;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::{SourceSpan, TaskPlaces};

/// How much of one task's text is searched.
const MAX_OWN_BYTES: usize = 16 * 1024;

/// A task and its file.
#[derive(Debug, Clone)]
pub struct TracedTask {
    pub id: TaskId,
    pub title: String,
    pub is_done: bool,
    /// Of its first line, box or object.
    pub place: SourceSpan,
}

/// The tasks of a plan by file, and the texts of those files.
#[derive(Debug, Default)]
pub struct TaskSources {
    pub tasks: Vec<TracedTask>,
    texts: BTreeMap<Arc<str>, Arc<str>>,
    by_file: BTreeMap<Arc<str>, Vec<usize>>,
}

impl TaskSources {
    pub(super) fn new(folder: &dyn PlanFolder, plan: &Plan, places: &[TaskPlaces]) -> Self {
        let tasks = plan.tasks().iter().zip(places).map(|(task, places)| TracedTask {
            id: task.id.clone(),
            title: task.title.clone(),
            is_done: task.done_before.is_some(),
            place: places.whole.clone(),
        });
        let tasks: Vec<TracedTask> = tasks.collect();
        let mut texts: BTreeMap<Arc<str>, Arc<str>> = BTreeMap::new();
        let mut by_file: BTreeMap<Arc<str>, Vec<usize>> = BTreeMap::new();
        for (at, task) in tasks.iter().enumerate() {
            let file = &task.place.file;
            by_file.entry(Arc::clone(file)).or_default().push(at);
            if !texts.contains_key(file) {
                let text = folder.finished_text(file).unwrap_or_default();
                texts.insert(Arc::clone(file), text.into());
            }
        }
        Self { tasks, texts, by_file }
    }

    /// The files of the tasks, each once.
    pub fn files(&self) -> Vec<Arc<str>> {
        self.texts.keys().cloned().collect()
    }

    pub fn text(&self, file: &str) -> Arc<str> {
        self.texts.get(file).cloned().unwrap_or_else(|| "".into())
    }

    /// The tasks of a file, by position in the plan.
    pub fn of_file(&self, file: &str) -> &[usize] {
        self.by_file.get(file).map_or(&[], Vec::as_slice)
    }

    /// The lines of a task: its own and what is indented or headed below it.
    pub fn own_range(&self, task: usize) -> Range<usize> {
        let place = &self.tasks[task].place;
        let text = self.text(&place.file);
        let start = place.range.start.min(text.len());
        if !text.is_char_boundary(start) {
            return 0..0;
        }
        // All tasks of a JSON file may be on one line, which is no task's own.
        if is_long_line(&text, start) {
            let end = place.range.end.min(start + MAX_OWN_BYTES).min(text.len());
            return if text.is_char_boundary(end) { start..end.max(start) } else { 0..0 };
        }
        own_lines(&text, start)
    }

    /// Whether a task starts in this range of a file.
    pub fn is_task_at(&self, file: &str, range: &Range<usize>) -> bool {
        let starts = |at: &usize| self.tasks[*at].place.range.start;
        let own = self.of_file(file);
        // Readers keep the order of the file, or the search misses some, which does no harm.
        let from = own.partition_point(|at| starts(at) < range.start.saturating_sub(8));
        own[from..].first().is_some_and(|at| starts(at) <= range.end)
    }

    /// The range that the reader noted, for objects of JSON.
    pub fn object_range(&self, task: usize) -> Range<usize> {
        self.tasks[task].place.range.clone()
    }
}

/// Whether the line around `at` is longer than any that a person writes.
fn is_long_line(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let before = bytes[..at].iter().rev().take(MAX_OWN_BYTES).position(|byte| *byte == b'\n');
    let after = bytes[at..].iter().take(MAX_OWN_BYTES).position(|byte| *byte == b'\n');
    before.is_none() && at > MAX_OWN_BYTES || after.is_none() && text.len() - at > MAX_OWN_BYTES
}

/// From the line that holds `at` to the first line that is not below it.
fn own_lines(text: &str, at: usize) -> Range<usize> {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let first = text[start..].lines().next().unwrap_or_default();
    let level = heading_level(first);
    let indent = first.len() - first.trim_start().len();
    let is_row = first.trim_start().starts_with('|');
    let mut end = start;
    for (number, line) in text[start..].split_inclusive('\n').enumerate() {
        let bare = line.trim();
        let own = match (number, level) {
            (0, _) => true,
            _ if is_row => false,
            (_, Some(level)) => heading_level(line).is_none_or(|other| other > level),
            (_, None) => bare.is_empty() || line.len() - line.trim_start().len() > indent,
        };
        // Deeply nested tasks would be read again and again.
        if !own || end - start > MAX_OWN_BYTES {
            break;
        }
        end += line.len();
    }
    start..end
}

fn heading_level(line: &str) -> Option<usize> {
    let level = line.bytes().take_while(|byte| *byte == b'#').count();
    ((1..=6).contains(&level) && line[level..].starts_with([' ', '\t'])).then_some(level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_ends_where_the_next_begins() {
        let text = "# Plan\n- [ ] 1. a\n  - note\n\n  more\n- [ ]* 2. b\n## G\n### T\nx\n#### Y\ny\n### U\n";
        let own = |mark: &str| &text[own_lines(text, text.find(mark).expect("it is there"))];
        assert_eq!(own("1. a"), "- [ ] 1. a\n  - note\n\n  more\n");
        assert_eq!(own("T\nx"), "### T\nx\n#### Y\ny\n");
        assert_eq!(own_lines("", 0), 0..0);
    }
}
