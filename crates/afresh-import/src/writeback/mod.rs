//! Progress, written into the files of a plan as the users of its format expect it (FO-07).
//!
//! Pure: a writer is a function over text, from the plan's files as they are and a task that is finished to edits of
//! some files. What a person wrote stays byte for byte: an edit replaces a mark, a status or a count, or adds lines of
//! its own. Whatever a writer does, its result is read again: the task must be done by the format's own reader, and no
//! other task may have changed. Otherwise nothing is written, and the problem is returned.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`edits`] | changes of files that leave every other byte as it was |
//! | [`finished`] | what is known of a finished task |
//! | `boxes` | check boxes |
//! | `json_edits` | edits of JSON that keep its layout |
//! | `records` | formats that keep a status in JSON |

mod boxes;
pub mod edits;
pub mod finished;
mod json_edits;
mod records;

use std::collections::BTreeSet;
use std::ops::Range;

use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::{PlanReading, SourceSpan};

use crate::detect::{PlanFormat, ReadOptions};
use edits::{EditedFolder, PlanEdits};
use finished::FinishedTask;

/// Why nothing is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WritebackProblem {
    /// The files as they are now have no such task.
    NoTask,
    /// A file that has to be changed cannot be read.
    Unreadable(String),
    /// Read again, the result would not say that this task is finished, or would say more than that.
    NotUnderstood,
}

impl std::fmt::Display for WritebackProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoTask => write!(f, "its files have no such task"),
            Self::Unreadable(file) => write!(f, "{file} cannot be read"),
            Self::NotUnderstood => write!(f, "its files have no place for it"),
        }
    }
}

/// Writes that a task is finished. No edits: the files say so already, or the format keeps no progress.
pub fn write_back(
    folder: &dyn PlanFolder,
    format: &PlanFormat,
    options: &ReadOptions,
    task: &FinishedTask,
) -> Result<PlanEdits, WritebackProblem> {
    let reading = (format.read)(folder, options);
    let progress = PlanProgress::find(folder, &reading, task).ok_or(WritebackProblem::NoTask)?;
    let mut edits = PlanEdits::default();
    if progress.is_done(&task.id) {
        return Ok(edits);
    }
    match format.name {
        "task-master" => records::finish_task_master(&progress, &mut edits)?,
        "beads" => records::close_issue(&progress, &mut edits)?,
        "prd" => records::pass_story(&progress, &mut edits)?,
        _ => boxes::tick_task(&progress, &mut edits)?,
    }
    if edits.is_empty() {
        return Err(WritebackProblem::NotUnderstood);
    }
    let after = (format.read)(&EditedFolder::new(folder, &edits), options);
    let mut expected = progress.done.clone();
    expected.insert(task.id.clone());
    if done_tasks(&after) == expected { Ok(edits) } else { Err(WritebackProblem::NotUnderstood) }
}

/// The ids of the tasks that a reading calls done.
fn done_tasks(reading: &PlanReading) -> BTreeSet<String> {
    let tasks = reading.plan.iter().flat_map(|plan| plan.tasks());
    tasks.filter(|task| task.done_before.is_some()).map(|task| task.id.to_string()).collect()
}

/// The plan as its files say now, and the task that is finished.
pub(crate) struct PlanProgress<'a> {
    pub(crate) folder: &'a dyn PlanFolder,
    pub(crate) reading: &'a PlanReading,
    pub(crate) task: &'a FinishedTask,
    at: usize,
    /// The tasks that are done by the files.
    done: BTreeSet<String>,
}

impl<'a> PlanProgress<'a> {
    fn find(
        folder: &'a dyn PlanFolder,
        reading: &'a PlanReading,
        task: &'a FinishedTask,
    ) -> Option<Self> {
        let plan = reading.plan.as_ref()?;
        let at = plan.tasks().iter().position(|one| one.id.as_str() == task.id)?;
        reading.places.get(at)?;
        Some(Self { folder, reading, task, at, done: done_tasks(reading) })
    }

    fn is_done(&self, id: &str) -> bool {
        self.done.contains(id)
    }

    /// Whether a task is finished, by the files or by the run.
    pub(crate) fn is_finished(&self, id: &str) -> bool {
        self.is_done(id) || self.task.finished.contains(id) || self.task.id == id
    }

    /// The place of the task.
    pub(crate) fn place(&self) -> &'a SourceSpan {
        &self.reading.places[self.at].whole
    }

    /// The places of the other tasks of a file.
    pub(crate) fn other_places(&self, file: &str) -> Vec<Range<usize>> {
        let others = self.reading.places.iter().enumerate().filter(|(at, _)| *at != self.at);
        let of_file = others.filter(|(_, places)| &*places.whole.file == file);
        of_file.map(|(_, places)| places.whole.range.clone()).collect()
    }

    /// The ids of all tasks of a file.
    pub(crate) fn tasks_of(&self, file: &str) -> impl Iterator<Item = &'a str> {
        let tasks = self.reading.plan.iter().flat_map(|plan| plan.tasks());
        let placed = tasks.zip(&self.reading.places);
        let of_file = placed.filter(move |(_, places)| &*places.whole.file == file);
        of_file.map(|(task, _)| task.id.as_str()).collect::<Vec<_>>().into_iter()
    }

    /// The text of a file that must exist.
    pub(crate) fn text(&self, file: &str) -> Result<String, WritebackProblem> {
        let text = self.folder.text(file).and_then(Result::ok);
        text.ok_or_else(|| WritebackProblem::Unreadable(file.to_owned()))
    }

    /// The text of a file that may be missing.
    pub(crate) fn text_if_any(&self, file: &str) -> Option<String> {
        self.folder.text(file).and_then(Result::ok)
    }
}
