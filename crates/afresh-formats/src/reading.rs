//! What came of reading a plan, in whatever format.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use afresh_core::Plan;
use afresh_core::plan::PlanField;

use crate::findings::Finding;
use crate::folder::PlanFolder;

#[derive(Debug, Default)]
pub struct PlanReading {
    /// None where a finding is an error.
    pub plan: Option<Plan>,
    pub findings: Vec<Finding>,
    /// The directory whose repository the plan is for, relative to the plan's file (EX-12).
    pub target: Option<String>,
    /// Fields that we do not know, by their path, as they were written (FO-06).
    pub unknown: BTreeMap<String, String>,
    /// Where each task of the plan is.
    pub places: Vec<TaskPlaces>,
    /// Files that workers are told to read, as far as the format names them apart.
    pub reads: Vec<(String, SourceSpan)>,
}

/// The text of the one file that a plan stands in, or why there is no plan.
pub fn only_text(folder: &dyn PlanFolder, file: &str, hint: &str) -> Result<String, PlanReading> {
    let missing = || Err(Finding::of_file(file, "unreadable", "there is no such file"));
    let text = folder.text(file).unwrap_or_else(missing);
    text.map_err(|finding| PlanReading::failed(finding.with_hint(hint)))
}

impl PlanReading {
    /// Nothing could be read.
    pub fn failed(finding: Finding) -> Self {
        Self { findings: vec![finding], ..Self::default() }
    }
}

/// Where a task and its parts are.
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

    /// Where an item of a field is; else the field, else the whole task.
    pub fn locate(&self, step: Option<usize>, field: PlanField, item: usize) -> &SourceSpan {
        let exact = self.parts.get(&(step, field, item));
        exact.or_else(|| self.parts.get(&(step, field, 0))).unwrap_or(&self.whole)
    }
}

/// Somewhere in one of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSpan {
    pub file: Arc<str>,
    /// Bytes of the file's text: without a byte order mark, with plain line breaks.
    pub range: Range<usize>,
}

impl SourceSpan {
    pub fn new(file: &str, range: Range<usize>) -> Self {
        Self { file: file.into(), range }
    }

    /// The same without a copy of the file's name.
    pub fn in_file(file: &Arc<str>, range: Range<usize>) -> Self {
        Self { file: Arc::clone(file), range }
    }
}
