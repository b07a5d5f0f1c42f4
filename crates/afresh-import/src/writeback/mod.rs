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
//! | `documents` | labelled lines, counts and lists of documents |
//! | `json_edits` | edits of JSON that keep its layout |
//! | `plan_documents` | GSD, Ultra Planner, long-run, GSD 2: summaries, roadmaps, states |
//! | `records` | formats that keep a status in JSON |
//! | `specs` | `SpecFlow` and Tasker: states of an execution, results |

mod boxes;
mod documents;
pub mod edits;
pub mod finished;
mod json_edits;
mod plan_documents;
mod records;
mod specs;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use afresh_core::plan::{Plan, Task};
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::{PlanReading, SourceSpan};

use crate::detect::{PlanFormat, ReadOptions};
use edits::{EditedFolder, PlanEdits};
use finished::MarkedTask;

/// Why nothing is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WritebackProblem {
    /// The files as they are now have no such task.
    NoTask,
    /// A file that has to be changed cannot be read.
    Unreadable(String),
    /// A file that has to be changed has no place for the progress.
    NoPlace(String),
    /// Read again, the result would not say that this task is finished, or would say more than that.
    NotUnderstood,
}

impl std::fmt::Display for WritebackProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoTask => write!(f, "its files have no such task"),
            Self::Unreadable(file) => write!(f, "{file} cannot be read"),
            Self::NoPlace(file) => write!(f, "{file} has no place for it"),
            Self::NotUnderstood => write!(f, "its files have no place for it"),
        }
    }
}

/// Writes that a task is finished. No edits: the files say so already, or the format keeps no progress.
pub fn write_back(
    folder: &dyn PlanFolder,
    format: &PlanFormat,
    options: &ReadOptions,
    task: &MarkedTask,
) -> Result<PlanEdits, WritebackProblem> {
    let reading = (format.read)(folder, options);
    let progress = PlanProgress::find(folder, &reading, task).ok_or(WritebackProblem::NoTask)?;
    let mut edits = PlanEdits::default();
    if progress.is_done(&task.id) {
        return Ok(edits);
    }
    let mark = match format.name {
        "gsd" | "ultraplan" => plan_documents::finish_gsd(&progress, &mut edits)?,
        "long-run" => plan_documents::finish_long_run(&progress, &mut edits)?,
        "gsd2" => plan_documents::finish_slice_task(&progress, &mut edits)?,
        "specflow" => specs::finish_group(&progress, &mut edits)?,
        "tasker" => specs::finish_tasker(&progress, &mut edits)?,
        "task-master" => records::finish_task_master(&progress, &mut edits)?,
        "beads" => records::close_issue(&progress, &mut edits)?,
        "prd" => records::pass_story(&progress, &mut edits)?,
        "kiro" => boxes::tick_kiro_task(&progress, &mut edits)?,
        _ => boxes::tick_task(&progress, &mut edits)?,
    };
    if mark == TaskMark::Later {
        return Ok(PlanEdits::default());
    }
    let after = (format.read)(&EditedFolder::new(folder, &edits), options);
    if progress.is_shown_by(&after, mark) {
        Ok(edits)
    } else {
        Err(WritebackProblem::NotUnderstood)
    }
}

/// Whether a file has the name of a document that progress is written into, besides the plan's own files.
pub fn is_progress_document(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "STATE.md" | "ROADMAP.md" | "ISSUES.md" | "tasks.md" | "state.json")
        || name.ends_with("-SUMMARY.md")
        || name.ends_with("-state.json")
}

/// What the files of a format can say about a finished task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskMark {
    /// That this task is finished.
    Task,
    /// That everything in its file is finished: it was the last task there.
    WholeFile,
    /// Nothing before the other tasks of its file are finished.
    Later,
}

/// The ids of the tasks that a reading calls done.
fn done_tasks(reading: &PlanReading) -> BTreeSet<String> {
    let done = placed_tasks(reading).filter(|(task, _)| task.done_before.is_some());
    done.map(|(task, _)| task.id.to_string()).collect()
}

/// The tasks of a reading with their files.
fn placed_tasks(reading: &PlanReading) -> impl Iterator<Item = (&Task, &Arc<str>)> {
    let tasks = reading.plan.iter().flat_map(Plan::tasks);
    tasks.zip(reading.places.iter().map(|places| &places.whole.file))
}

/// The plan as its files say now, and the task that is finished.
pub(crate) struct PlanProgress<'a> {
    pub(crate) folder: &'a dyn PlanFolder,
    pub(crate) reading: &'a PlanReading,
    pub(crate) task: &'a MarkedTask,
    at: usize,
    /// The tasks that are done by the files.
    done: BTreeSet<String>,
}

impl<'a> PlanProgress<'a> {
    fn find(
        folder: &'a dyn PlanFolder,
        reading: &'a PlanReading,
        task: &'a MarkedTask,
    ) -> Option<Self> {
        let plan = reading.plan.as_ref()?;
        let at = plan.tasks().iter().position(|one| one.id.as_str() == task.id)?;
        reading.places.get(at)?;
        Some(Self { folder, reading, task, at, done: done_tasks(reading) })
    }

    /// Whether the files as they would be say what is finished now, and nothing else.
    fn is_shown_by(&self, after: &PlanReading, mark: TaskMark) -> bool {
        if mark == TaskMark::Task {
            let mut expected = self.done.clone();
            expected.insert(self.task.id.clone());
            return done_tasks(after) == expected;
        }
        let own = &self.place().file;
        let elsewhere = |reading: &PlanReading| -> BTreeSet<String> {
            let done = placed_tasks(reading).filter(|(task, _)| task.done_before.is_some());
            done.filter(|(_, file)| *file != own).map(|(task, _)| task.id.to_string()).collect()
        };
        let mut here = placed_tasks(after).filter(|(_, file)| *file == own).peekable();
        here.peek().is_some()
            && here.all(|(task, _)| task.done_before.is_some())
            && elsewhere(self.reading) == elsewhere(after)
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
        let tasks = self.reading.plan.iter().flat_map(Plan::tasks);
        let placed = tasks.zip(&self.reading.places);
        let of_file = placed.filter(move |(_, places)| &*places.whole.file == file);
        of_file.map(|(task, _)| task.id.as_str()).collect::<Vec<_>>().into_iter()
    }

    /// The files of all tasks.
    pub(crate) fn all_files(&self) -> BTreeSet<&'a str> {
        self.reading.places.iter().map(|places| &*places.whole.file).collect()
    }

    /// The files with tasks that are not done by the files.
    pub(crate) fn open_files(&self) -> BTreeSet<&'a str> {
        let open = self.reading.plan.iter().flat_map(Plan::tasks).zip(&self.reading.places);
        let open = open.filter(|(task, _)| task.done_before.is_none());
        open.map(|(_, places)| &*places.whole.file).collect()
    }

    /// The wave of a task.
    pub(crate) fn wave_of(&self, id: &str) -> u32 {
        let plan = self.reading.plan.as_ref();
        let found = plan.and_then(|plan| {
            let at = plan.tasks().iter().position(|task| task.id.as_str() == id)?;
            Some(plan.wave(afresh_core::plan::TaskIndex::new(at)))
        });
        found.unwrap_or(0)
    }

    pub(crate) fn title_of(&self, id: &str) -> String {
        let mut tasks = self.reading.plan.iter().flat_map(Plan::tasks);
        tasks.find(|task| task.id.as_str() == id).map(|task| task.title.clone()).unwrap_or_default()
    }

    /// The text of a file that must exist.
    pub(crate) fn text(&self, file: &str) -> Result<String, WritebackProblem> {
        let text = self.folder.text(file).and_then(Result::ok);
        text.ok_or_else(|| WritebackProblem::Unreadable(file.to_owned()))
    }

    /// The text of a file that may be missing, but not unreadable: what cannot be read is never replaced.
    pub(crate) fn old_text(&self, file: &str) -> Result<Option<String>, WritebackProblem> {
        if self.folder.holds(file) { self.text(file).map(Some) } else { Ok(None) }
    }

    /// The text of a document that is left alone where it cannot be read.
    pub(crate) fn text_if_any(&self, file: &str) -> Option<String> {
        self.folder.text(file).and_then(Result::ok)
    }

    /// Adds a file. One that is there keeps what it says.
    pub(crate) fn add_file(
        &self,
        path: &str,
        text: String,
        edits: &mut PlanEdits,
    ) -> Result<(), WritebackProblem> {
        if self.folder.holds(path) {
            return Err(WritebackProblem::NoPlace(path.to_owned()));
        }
        edits.add(path, text);
        Ok(())
    }
}
