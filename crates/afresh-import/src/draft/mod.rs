//! What a reader collects from several files, and how that becomes a plan with located findings.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `document` | a JSON file: typed values with positions |
//! | `faults` | faults of single tasks, which block them and nothing else |
//! | `feature_dirs` | formats with one directory per feature |
//! | `outside_paths` | paths that no worker can write |
//! | `status` | tasks that are done, cancelled or deferred |
//! | `unfinished` | which of several plans is meant |

pub(crate) mod document;
mod faults;
pub(crate) mod feature_dirs;
mod outside_paths;
pub(crate) mod status;
pub(crate) mod unfinished;

use std::collections::BTreeMap;

use afresh_core::plan::{PlanField, PlanProblem, ProblemLocation, TaskDraft};

use afresh_formats::findings::locator::FindingLocator;
use afresh_formats::findings::{Finding, Severity};
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::{PlanReading, SourceSpan, TaskPlaces};
use afresh_formats::text::limits::too_many_tasks;
use faults::ContainedPlan;

/// The most findings of one plan.
const MAX_FINDINGS: usize = 1_000;
/// The most tasks that a message names.
const MAX_NAMED: usize = 10;

/// A task as it was read.
#[derive(Debug, Clone)]
pub struct DraftTask {
    pub draft: TaskDraft,
    pub places: TaskPlaces,
    /// Why it cannot be run as it is written. The finding about it is the reader's.
    pub fault: Option<String>,
}

impl DraftTask {
    pub fn new(draft: TaskDraft, whole: SourceSpan) -> Self {
        Self { draft, places: TaskPlaces::new(whole), fault: None }
    }

    /// Records the position of an item.
    pub fn note(&mut self, step: Option<usize>, field: PlanField, item: usize, span: SourceSpan) {
        self.places.parts.insert((step, field, item), span);
    }

    /// Blocks it for the first error among these findings.
    pub(crate) fn block_for(&mut self, findings: &[Finding]) {
        if let Some(error) = findings.iter().find(|finding| finding.is_error()) {
            self.fault.get_or_insert_with(|| error.message.clone());
        }
    }
}

/// What an id is in a format.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IdRule {
    /// A label of a line or heading: two with the same one are two tasks.
    #[default]
    Labels,
    /// A key: two with the same one are a mistake.
    Keys,
}

/// Everything that was read.
#[derive(Debug, Clone, Default)]
pub struct DraftPlan {
    pub name: String,
    pub spec: Option<String>,
    pub target: Option<String>,
    pub tasks: Vec<DraftTask>,
    pub findings: Vec<Finding>,
    /// How many of the findings are errors that only block tasks, or concern what is left out.
    pub contained: usize,
    pub id_rule: IdRule,
    /// Unknown fields by file and path, with their source text (FO-06).
    pub unknown: BTreeMap<String, String>,
    /// See [`PlanReading::reads`].
    pub reads: Vec<(String, SourceSpan)>,
    /// Positions of findings, to be filled in at the end.
    pub(crate) placing: FindingLocator,
}

impl DraftPlan {
    /// Adds a finding at a position in one of the files.
    pub fn find(
        &mut self,
        span: &SourceSpan,
        code: &str,
        message: impl Into<String>,
    ) -> &mut Finding {
        // Beyond the limit, only errors and the last finding are kept.
        if self.findings.len() < MAX_FINDINGS {
            self.placing.locate(self.findings.len(), span);
        } else if self.findings.len() > MAX_FINDINGS {
            self.findings.pop_if(|last| !last.is_error());
        }
        self.findings.push(Finding::for_file(&span.file, code, message));
        self.findings.last_mut().expect("just added")
    }

    /// The text of an additional file. If it cannot be read, that is a warning with the consequence as
    /// its hint.
    pub(crate) fn read_additional(
        &mut self,
        folder: &dyn PlanFolder,
        path: &str,
        follows: &str,
    ) -> Option<String> {
        match folder.text(path)? {
            Ok(text) => Some(text),
            Err(finding) => {
                self.findings.push(finding.as_warning().with_hint(follows));
                None
            }
        }
    }

    /// Adds findings whose errors stop nothing but the tasks that are blocked for them.
    pub(crate) fn contain(&mut self, findings: impl IntoIterator<Item = Finding>) {
        for finding in findings {
            self.contained += usize::from(finding.is_error());
            self.findings.push(finding);
        }
    }

    /// Whether an error concerns the plan as a whole.
    pub(crate) fn has_failed(&self) -> bool {
        self.findings.iter().filter(|finding| finding.is_error()).count() > self.contained
    }

    /// Builds the plan. A fault of one task blocks that task; anything else that is wrong is reported,
    /// and there is no plan.
    pub fn finish(mut self, folder: &dyn PlanFolder) -> PlanReading {
        if let Some(finding) = too_many_tasks(".", self.tasks.len()) {
            self.findings.push(finding);
            self.tasks.clear();
        }
        self.leave_out_paths();
        let failed = self.has_failed();
        let found_errors = self.findings.iter().any(Finding::is_error);
        // An empty plan is a consequence of what could not be read.
        let contained = if self.tasks.is_empty() && found_errors {
            ContainedPlan::default()
        } else {
            self.contain_faults()
        };
        let ContainedPlan { plan, blocked } = contained;
        self.placing.fill_in(folder, &mut self.findings);
        let place = |found: &Finding| (found.file.clone(), found.line, found.column);
        self.findings.sort_by_key(place);
        self.findings = limit_findings(self.findings);
        let plan = plan.filter(|_| !failed);
        // If no file could be opened, there are no tasks to speak of.
        let unopened = |found: &Finding| ["unreadable", "not-utf8"].contains(&found.code.as_str());
        if plan.is_none() && self.findings.iter().filter(|found| found.is_error()).all(unopened) {
            self.tasks.clear();
        }
        let places = self.tasks.into_iter().map(|task| task.places).collect();
        let Self { findings, target, unknown, reads, .. } = self;
        PlanReading { plan, findings, target, unknown, places, reads, blocked, part: None }
    }

    /// Adds a finding for a problem of the plan.
    fn add_problem(&mut self, problem: &PlanProblem) {
        let position = self.findings.len();
        let span = self.span(&problem.place).cloned();
        if let Some(span) = &span {
            self.placing.locate(position, span);
        }
        let first = problem.related.as_ref().and_then(|place| self.span(place)).cloned();
        if let Some(first) = &first {
            self.placing.locate_first(position, first);
        }
        let file = span.as_ref().map_or(".", |span| &span.file);
        let mut found = Finding::for_file(file, problem.kind.code(), problem.message.as_str());
        found.hint.clone_from(&problem.hint);
        self.findings.push(found);
    }

    fn span(&self, place: &ProblemLocation) -> Option<&SourceSpan> {
        let task = self.tasks.get(place.task?)?;
        Some(task.places.locate(place.step, place.field, place.item))
    }
}

/// Reports unfinished tasks that a task needs, and that are not part of what was named.
pub(crate) fn report_needs_outside(
    drafted: &mut DraftPlan,
    task: &str,
    needs: &[&str],
    span: &SourceSpan,
) {
    let named = needs.iter().take(MAX_NAMED).copied().collect::<Vec<_>>().join(", ");
    let more = if needs.len() > MAX_NAMED { " and others" } else { "" };
    let message =
        format!("{task} comes after {named}{more}: unfinished, and not part of what was named");
    let found = drafted.find(span, "needs-outside", message);
    found.severity = Severity::Warning;
    found.hint = Some("finish those first, or name the whole project".to_owned());
}

/// The finding about a file that cannot be read, with a hint.
pub(crate) fn unreadable_file(finding: Finding) -> Finding {
    match finding.hint {
        Some(_) => finding,
        None => finding.with_hint("save it as UTF-8 text, and make it smaller"),
    }
}

/// Limits the findings and says how many more there are. An error is never dropped.
fn limit_findings(mut findings: Vec<Finding>) -> Vec<Finding> {
    if findings.len() <= 2 * MAX_FINDINGS {
        return findings;
    }
    let rest = findings.split_off(2 * MAX_FINDINGS);
    let lost = rest.iter().find(|found| found.is_error());
    let error = lost.filter(|_| !findings.iter().any(Finding::is_error)).cloned();
    let message =
        format!("{} more findings are not listed", rest.len() - usize::from(error.is_some()));
    let more = Finding::for_file(".", "more", message).with_hint("fix the listed ones first");
    findings.extend(error);
    findings.push(more.as_warning());
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use afresh_formats::folder::MemoryFolder;

    /// FO-06: an error is reported, however many warnings come before and after it.
    #[test]
    fn too_many_findings_do_not_hide_an_error() {
        let folder = MemoryFolder::new([("a.md", "one\ntwo\n")]);
        let (first, second) = (SourceSpan::new("a.md", 0..3), SourceSpan::new("a.md", 4..7));
        let mut drafted = DraftPlan::default();
        let draft = TaskDraft { id: "T1".into(), title: "t".into(), ..TaskDraft::default() };
        drafted.tasks.push(DraftTask::new(draft, first.clone()));
        let warn = |drafted: &mut DraftPlan, times: usize| {
            for _ in 0..times {
                drafted.find(&second, "w", "warning").severity = Severity::Warning;
            }
        };
        warn(&mut drafted, MAX_FINDINGS + 5);
        drafted.find(&first, "e", "error");
        warn(&mut drafted, 50);
        let reading = drafted.finish(&folder);
        assert!(reading.plan.is_none());
        assert_eq!(reading.findings.iter().filter(|found| found.is_error()).count(), 1);
        assert!(reading.findings.len() <= MAX_FINDINGS + 3, "{}", reading.findings.len());
        assert_eq!(reading.findings.iter().filter(|found| found.line == 2).count(), MAX_FINDINGS);
    }
}
