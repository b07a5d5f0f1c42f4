//! What is wrong with a plan that was made from a specification, all of it at once (PL-08, PL-15, PL-16, PL-18).
//!
//! Every rule is the program's: no model judges. A finding has a rule, a place and a hint; only errors block.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `checks` | checks that prove nothing, whatever the work |
//! | `contradictions` | statements of the specification that cannot both be met |
//! | `coverage` | statements without a task, tasks without a statement, statements that are not in scope |
//! | [`grounding`] | paths, commands and symbols, resolved against the repository and what earlier tasks create |
//! | `order` | phases, writers of one file, tasks that are planned twice |
//! | `ownership` | files that the specification names and no task writes |
//! | `scope` | tasks whose words are those of something that is not in scope |
//! | `sizes` | tasks that fill more of a context than a worker should |
//! | `steel_thread` | the first way through the whole program: present, checked, early |
//! | `vague` | sentences that are too vague to verify |
//! | `wording` | tasks that shrink what was asked for |

mod checks;
mod contradictions;
mod coverage;
pub mod grounding;
mod order;
mod ownership;
mod scope;
mod sizes;
mod steel_thread;
mod vague;
mod wording;

use std::collections::BTreeSet;

use afresh_core::Plan;
use afresh_core::plan::{Check, PlanField, Task, TaskIndex};
use afresh_formats::findings::locator::FindingLocator;
use afresh_formats::findings::{Finding, Severity};
use afresh_formats::folder::PlanFolder;
use afresh_formats::lint;
use afresh_formats::reading::{PlanReading, SourceSpan, TaskPlaces};

use crate::discovery::RepositoryFiles;
use crate::ledger::Ledger;
use grounding::GroundingReport;

/// Findings of other rules that block a plan made from a specification.
const BLOCKING: &[&str] = &[
    "missing-file",
    "file-exists",
    "created-twice",
    "same-wave-file",
    "unchecked",
    "check-cannot-fail",
    "check-is-prose",
    "check-leaves-tree",
    "vague-criterion",
    "no-files",
    "large-task",
];

/// A plan, and what it is measured against.
#[derive(Clone, Copy)]
pub struct PlanSubject<'a> {
    pub reading: &'a PlanReading,
    pub folder: &'a dyn PlanFolder,
    pub ledger: &'a Ledger,
    pub repository: &'a dyn RepositoryFiles,
    /// The context window of the workers' model, in tokens.
    pub window: u64,
    /// The share of it that a task may fill, in per cent.
    pub soft: u8,
}

impl std::fmt::Debug for PlanSubject<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlanSubject").field("ledger", self.ledger).finish_non_exhaustive()
    }
}

/// What a review shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewReport {
    /// In the order of the file.
    pub findings: Vec<Finding>,
    /// What the plan names, resolved.
    pub grounding: GroundingReport,
}

/// Everything that is wrong with a plan in the native format, in the order of the file. What could not be checked is
/// a note.
pub fn review_plan(subject: PlanSubject<'_>) -> Vec<Finding> {
    let ReviewReport { mut findings, grounding } = review_whole(subject);
    let file = subject.reading.places.first().map_or(".", |places| &places.whole.file);
    findings.extend(unchecked_note(file, &grounding));
    findings
}

/// The most references that a note names.
const MAX_NAMED: usize = 12;

fn unchecked_note(file: &str, grounding: &GroundingReport) -> Option<Finding> {
    let unchecked = &grounding.unchecked;
    if unchecked.is_empty() {
        return None;
    }
    let named = unchecked
        .iter()
        .take(MAX_NAMED)
        .map(|it| format!("{} {:?} ({})", it.kind.word(), it.name, it.task));
    let more = match unchecked.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!(
        "{} of {} references could not be checked: {}{more}",
        unchecked.len(),
        unchecked.len() + grounding.verified + grounding.missing + grounding.ambiguous,
        named.collect::<Vec<_>>().join(", ")
    );
    let mut note = Finding::for_file(file, "unchecked-references", message)
        .with_hint("this blocks nothing and proves nothing; the probe runs the checks");
    note.severity = Severity::Note;
    Some(note)
}

/// What a plan names, resolved; none for plans that are too large for that. Nothing else is judged.
pub fn ground_plan(subject: PlanSubject<'_>) -> Option<GroundingReport> {
    let plan = subject.reading.plan.as_ref().filter(|plan| plan.len() <= grounding::MAX_TASKS)?;
    let mut review = PlanReview::new(plan, &subject);
    grounding::check(&mut review);
    Some(std::mem::take(&mut review.grounding))
}

/// The same, with what was resolved and what could not be.
pub fn review_whole(subject: PlanSubject<'_>) -> ReviewReport {
    let files: BTreeSet<String> =
        subject.repository.files().iter().map(|file| file.path.clone()).collect();
    let mut findings = lint::all_findings(subject.folder, "native", subject.reading, Some(&files));
    // Coverage is judged by the ledger.
    findings.retain(|finding| {
        !matches!(finding.code.as_str(), "unknown-requirement" | "unserved-requirement")
    });
    let is_alone = subject.reading.plan.as_ref().is_some_and(|plan| plan.len() == 1);
    for finding in &mut findings {
        // A single task has nobody to share the files with.
        let is_harmless = is_alone && matches!(finding.code.as_str(), "no-files" | "large-task");
        if BLOCKING.contains(&finding.code.as_str()) && !is_harmless {
            finding.severity = Severity::Error;
        }
    }
    let mut grounding = GroundingReport::default();
    if let Some(plan) = &subject.reading.plan {
        let mut review = PlanReview::new(plan, &subject);
        contradictions::check(&mut review);
        coverage::check(&mut review);
        scope::check(&mut review);
        checks::check(&mut review);
        grounding::check(&mut review);
        ownership::check(&mut review);
        wording::check(&mut review);
        order::check(&mut review);
        steel_thread::check(&mut review);
        sizes::check(&mut review);
        grounding = std::mem::take(&mut review.grounding);
        findings.extend(review.finish());
    }
    findings.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    ReviewReport { findings, grounding }
}

/// The checks of a task, with the step and the position that they are listed at.
fn placed_checks(task: &Task) -> impl Iterator<Item = ((Option<usize>, usize), &Check)> {
    let own = task.checks.iter().enumerate().map(|(item, check)| ((None, item), check));
    let steps = task.steps.iter().enumerate().flat_map(|(step, of)| {
        of.checks.iter().enumerate().map(move |(item, check)| ((Some(step), item), check))
    });
    own.chain(steps)
}

/// A review on its way.
struct PlanReview<'a> {
    plan: &'a Plan,
    subject: &'a PlanSubject<'a>,
    findings: Vec<Finding>,
    locator: FindingLocator,
    grounding: GroundingReport,
}

impl<'a> PlanReview<'a> {
    fn new(plan: &'a Plan, subject: &'a PlanSubject<'a>) -> Self {
        Self {
            plan,
            subject,
            findings: Vec::new(),
            locator: FindingLocator::default(),
            grounding: GroundingReport::default(),
        }
    }

    /// Tasks for workers.
    fn tasks(&self) -> impl Iterator<Item = (TaskIndex, &'a Task)> + use<'a> {
        let tasks = self.plan.indices().zip(self.plan.tasks());
        tasks.filter(|(_, task)| task.done_before.is_none() && task.checkpoint.is_none())
    }

    fn places(&self, task: TaskIndex) -> Option<&'a TaskPlaces> {
        self.subject.reading.places.get(task.position())
    }

    /// An error about a part of a task.
    fn report(
        &mut self,
        task: TaskIndex,
        field: PlanField,
        code: &str,
        message: String,
        hint: &str,
    ) {
        let span = self.places(task).map(|places| places.locate(None, field, 0).clone());
        self.report_at(span.as_ref(), code, message, hint);
    }

    fn report_at(&mut self, span: Option<&SourceSpan>, code: &str, message: String, hint: &str) {
        if let Some(span) = span {
            self.locator.locate(self.findings.len(), span);
        }
        let file = span.map_or(".", |span| &span.file);
        self.findings.push(Finding::for_file(file, code, message).with_hint(hint));
    }

    /// An error about a line of the specification.
    fn report_statement(
        &mut self,
        file: &str,
        line: usize,
        code: &str,
        message: String,
        hint: &str,
    ) {
        let text = self.subject.folder.text(file).and_then(Result::ok).unwrap_or_default();
        let start =
            text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum::<usize>();
        let length = text[start..].lines().next().map_or(0, str::len);
        let span = SourceSpan::new(file, start..start + length);
        if length > 0 {
            self.locator.locate(self.findings.len(), &span);
        }
        let finding = Finding::for_file(file, code, message).with_hint(hint);
        self.findings.push(Finding { line, column: 1, ..finding });
    }

    /// Makes a warning of the last finding.
    fn soften_last(&mut self) {
        if let Some(last) = self.findings.last_mut() {
            last.severity = Severity::Warning;
        }
    }

    fn finish(mut self) -> Vec<Finding> {
        self.locator.fill_in(self.subject.folder, &mut self.findings);
        self.findings
    }
}
