//! Collects findings at the positions of tasks.

use afresh_core::plan::{PlanField, Task, TaskIndex};

use crate::findings::locator::FindingLocator;
use crate::findings::{Finding, Severity};
use crate::folder::PlanFolder;
use crate::reading::{SourceSpan, TaskPlaces};

/// The findings so far.
pub(crate) struct LintFindings<'a> {
    places: &'a [TaskPlaces],
    findings: Vec<Finding>,
    locator: FindingLocator,
}

/// A file in the list of a task or step, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ListedFile {
    pub(crate) task: TaskIndex,
    step: Option<usize>,
    item: usize,
}

/// The files of a task with their positions: its own, then those of its steps.
pub(crate) fn listed_files(
    at: TaskIndex,
    task: &Task,
) -> impl Iterator<Item = (ListedFile, &afresh_core::plan::FileScope)> {
    let own = task.files.iter().enumerate().map(|(item, scope)| (None, item, scope));
    let steps = task.steps.iter().enumerate().flat_map(|(step, steps)| {
        steps.files.iter().enumerate().map(move |(item, scope)| (Some(step), item, scope))
    });
    own.chain(steps).map(move |(step, item, scope)| (ListedFile { task: at, step, item }, scope))
}

impl<'a> LintFindings<'a> {
    pub(crate) fn new(places: &'a [TaskPlaces]) -> Self {
        Self { places, findings: Vec::new(), locator: FindingLocator::default() }
    }

    /// Adds a warning about a whole task.
    pub(crate) fn warn_about_task(
        &mut self,
        task: TaskIndex,
        code: &str,
        message: String,
        hint: &str,
    ) -> &mut Finding {
        let span = self.places.get(task.position()).map(|places| places.whole.clone());
        self.warn_at(span.as_ref(), code, message, hint)
    }

    /// Adds a warning about a file that a task lists.
    pub(crate) fn warn_about_file(
        &mut self,
        listed: ListedFile,
        code: &str,
        message: String,
        hint: &str,
    ) -> &mut Finding {
        let span = self.file_span(listed);
        self.warn_at(span.as_ref(), code, message, hint)
    }

    /// Adds a related place to the last finding.
    pub(crate) fn add_related_file(&mut self, listed: ListedFile, message: &'static str) {
        if let (Some(span), Some(last)) =
            (self.file_span(listed), self.findings.len().checked_sub(1))
        {
            self.locator.locate_related(last, &span, message);
        }
    }

    pub(crate) fn warn_at(
        &mut self,
        span: Option<&SourceSpan>,
        code: &str,
        message: String,
        hint: &str,
    ) -> &mut Finding {
        if let Some(span) = span {
            self.locator.locate(self.findings.len(), span);
        }
        let file = span.map_or(".", |span| &span.file);
        let mut finding = Finding::for_file(file, code, message).with_hint(hint);
        finding.severity = Severity::Warning;
        self.findings.push(finding);
        self.findings.last_mut().expect("just added")
    }

    /// The findings, each with its position.
    pub(crate) fn finish(mut self, folder: &dyn PlanFolder) -> Vec<Finding> {
        self.locator.fill_in(folder, &mut self.findings);
        self.findings
    }

    /// The position of a listed file.
    pub(crate) fn file_span(&self, listed: ListedFile) -> Option<SourceSpan> {
        let places = self.places.get(listed.task.position())?;
        Some(places.locate(listed.step, PlanField::Files, listed.item).clone())
    }
}
