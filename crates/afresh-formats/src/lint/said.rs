//! Findings at the places of tasks.

use afresh_core::plan::{PlanField, Task};

use crate::findings::placing::FindingLocator;
use crate::findings::{Finding, Severity};
use crate::folder::PlanFolder;
use crate::reading::{SourceSpan, TaskPlaces};

/// What was said so far.
pub(super) struct LintFindings<'a> {
    places: &'a [TaskPlaces],
    findings: Vec<Finding>,
    placing: FindingLocator,
}

/// A file of a task: the task's position, the step that lists it, and where in that list it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListedFile {
    pub(super) task: usize,
    step: Option<usize>,
    item: usize,
}

/// The files of a task with their places: its own, then those of its steps.
pub(super) fn listed(
    at: usize,
    task: &Task,
) -> impl Iterator<Item = (ListedFile, &afresh_core::plan::FileScope)> {
    let own = task.files.iter().enumerate().map(|(item, scope)| (None, item, scope));
    let steps = task.steps.iter().enumerate().flat_map(|(step, steps)| {
        steps.files.iter().enumerate().map(move |(item, scope)| (Some(step), item, scope))
    });
    own.chain(steps).map(move |(step, item, scope)| (ListedFile { task: at, step, item }, scope))
}

impl<'a> LintFindings<'a> {
    pub(super) fn new(places: &'a [TaskPlaces]) -> Self {
        Self { places, findings: Vec::new(), placing: FindingLocator::default() }
    }

    /// A warning about a task as a whole.
    pub(super) fn of_task(
        &mut self,
        task: usize,
        code: &str,
        message: String,
        hint: &str,
    ) -> &mut Finding {
        let spot = self.places.get(task).map(|places| places.whole.clone());
        self.at(spot.as_ref(), code, message, hint)
    }

    /// A warning about a file that a task lists.
    pub(super) fn of_file(
        &mut self,
        listed: ListedFile,
        code: &str,
        message: String,
        hint: &str,
    ) -> &mut Finding {
        let spot = self.spot(listed);
        self.at(spot.as_ref(), code, message, hint)
    }

    /// Another place that has to do with the last finding.
    pub(super) fn and_file(&mut self, listed: ListedFile, message: &'static str) {
        if let (Some(spot), Some(last)) = (self.spot(listed), self.findings.len().checked_sub(1)) {
            self.placing.ask_for_other(last, &spot, message);
        }
    }

    pub(super) fn at(
        &mut self,
        spot: Option<&SourceSpan>,
        code: &str,
        message: String,
        hint: &str,
    ) -> &mut Finding {
        if let Some(spot) = spot {
            self.placing.ask(self.findings.len(), spot);
        }
        let file = spot.map_or(".", |spot| &spot.file);
        let mut finding = Finding::of_file(file, code, message).with_hint(hint);
        finding.severity = Severity::Warning;
        self.findings.push(finding);
        self.findings.last_mut().expect("just added")
    }

    /// The findings, each at its place.
    pub(super) fn finish(mut self, folder: &dyn PlanFolder) -> Vec<Finding> {
        self.placing.place(folder, &mut self.findings);
        self.findings
    }

    /// Where a file is listed.
    pub(super) fn spot(&self, listed: ListedFile) -> Option<SourceSpan> {
        let places = self.places.get(listed.task)?;
        Some(places.locate(listed.step, PlanField::Files, listed.item).clone())
    }
}
