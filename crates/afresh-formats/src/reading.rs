//! The result of reading a plan in any format.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use afresh_core::Plan;
use afresh_core::plan::PlanField;

use crate::findings::Finding;
use crate::folder::PlanFolder;

#[derive(Debug, Default)]
pub struct PlanReading {
    /// `None` if no task can run. Otherwise an error is a fault of a task that is blocked, or of
    /// something that is left out.
    pub plan: Option<Plan>,
    /// The part of a plan that has no problems, where the whole is refused: lint looks at it.
    pub part: Option<PartialPlan>,
    /// The ids of tasks that cannot be run as they are written, and why; a person is asked about each.
    pub blocked: BTreeMap<String, String>,
    pub findings: Vec<Finding>,
    /// The directory whose repository the plan is for, relative to the plan's file (EX-12).
    pub target: Option<String>,
    /// Unknown fields by path, with their source text (FO-06).
    pub unknown: BTreeMap<String, String>,
    /// The source position of each task.
    pub places: Vec<TaskPlaces>,
    /// Files that the plan asks workers to read, if the format lists them.
    pub reads: Vec<(String, SourceSpan)>,
}

/// Some tasks of a plan, without those that have problems and without dependencies on them.
#[derive(Debug)]
pub struct PartialPlan {
    pub plan: Plan,
    /// The source position of each of its tasks.
    pub places: Vec<TaskPlaces>,
}

/// The text of a plan's only file, or the failed reading.
pub fn only_text(folder: &dyn PlanFolder, file: &str, hint: &str) -> Result<String, PlanReading> {
    let missing = || Err(Finding::for_file(file, "unreadable", "the file does not exist"));
    let text = folder.text(file).unwrap_or_else(missing);
    text.map_err(|finding| PlanReading::failed(finding.with_hint(hint)))
}

impl PlanReading {
    /// A reading that failed as a whole.
    pub fn failed(finding: Finding) -> Self {
        Self { findings: vec![finding], ..Self::default() }
    }
}

/// The source positions of a task and its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskPlaces {
    pub whole: SourceSpan,
    /// By step, field and item.
    pub parts: BTreeMap<(Option<usize>, PlanField, usize), SourceSpan>,
}

impl TaskPlaces {
    pub fn new(whole: SourceSpan) -> Self {
        Self { whole, parts: BTreeMap::new() }
    }

    /// The position of an item, or of its field, or of the whole task, whichever is known.
    pub fn locate(&self, step: Option<usize>, field: PlanField, item: usize) -> &SourceSpan {
        let exact = self.parts.get(&(step, field, item));
        exact.or_else(|| self.parts.get(&(step, field, 0))).unwrap_or(&self.whole)
    }
}

/// A range in one of the plan's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSpan {
    pub file: Arc<str>,
    /// Bytes of the decoded text: without a byte order mark, with `\n` line breaks.
    pub range: Range<usize>,
}

impl SourceSpan {
    pub fn new(file: &str, range: Range<usize>) -> Self {
        Self { file: file.into(), range }
    }

    /// Like `new`, sharing the file's name.
    pub fn in_file(file: &Arc<str>, range: Range<usize>) -> Self {
        Self { file: Arc::clone(file), range }
    }
}
