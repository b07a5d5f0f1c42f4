//! `afresh plan validate`: everything that is wrong with a plan made from a specification, or with another artifact of
//! planning, at once.

use std::path::Path;

use afresh_core::Plan;
use afresh_formats::folder::{MemoryFolder, PlanFolder};
use afresh_formats::reading::PlanReading;
use afresh_formats::{Finding, Severity, native};
use afresh_planner::artifacts::ArtifactKind;
use afresh_planner::discovery::RepositoryFiles;
use afresh_planner::ledger::Ledger;
use afresh_planner::ledger::changes::LedgerChanges;
use afresh_planner::review::{PlanSubject, review_plan};
use afresh_planner::update::UpdateReview;
use afresh_planner::validation::{ArtifactReview, ArtifactSubject, not_written};

use super::audit::model_window;
use super::directory::{BEFORE_UPDATE, LEDGER, LEDGER_BEFORE_UPDATE, PlanDirectory};
use super::trial::CheckTrial;
use crate::config::Config;
use crate::error::AppError;
use crate::session::probe::findings::plan_findings;

/// What is validated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanningArtifact {
    /// The plan in the native format.
    Plan,
    Staged(ArtifactKind),
}

impl PlanningArtifact {
    /// By the name of its file.
    pub fn recognize(path: &Path) -> Option<Self> {
        let path = path.to_str()?;
        if path.ends_with(".plan.toml") {
            return Some(Self::Plan);
        }
        ArtifactKind::recognize(path).map(Self::Staged)
    }
}

/// The files of a plan in a directory, and what they are measured against.
#[derive(Debug)]
pub struct PlanValidator<'a> {
    pub directory: &'a PlanDirectory,
    pub config: &'a Config,
    /// Runs the commands of artifacts, if they are to be run.
    pub trial: Option<CheckTrial<'a>>,
}

/// The directory, read once.
struct LoadedFiles {
    inside: String,
    ledger: Ledger,
    folder: MemoryFolder,
}

impl PlanValidator<'_> {
    /// Everything that is wrong; an error means that nothing could be judged.
    pub fn findings(
        &self,
        artifact: PlanningArtifact,
        files: &dyn RepositoryFiles,
    ) -> Result<Vec<Finding>, AppError> {
        let loaded = self.load()?;
        let subject = self.subject(&loaded, files);
        let ArtifactReview { mut findings, reading } = match artifact {
            PlanningArtifact::Plan => self.review_native(&subject),
            PlanningArtifact::Staged(kind) => subject.validate(kind),
        };
        if let (Some(reading), Some(trial)) = (&reading, &self.trial)
            && let Some(plan) = &reading.plan
        {
            findings.extend(measure(plan, reading, trial, &loaded.folder)?);
        }
        Ok(findings)
    }

    /// The artifacts that are there, each with everything that is wrong with it.
    pub fn judge_all(
        &self,
        files: &dyn RepositoryFiles,
    ) -> Result<Vec<(PlanningArtifact, Vec<Finding>)>, AppError> {
        let loaded = self.load()?;
        let subject = self.subject(&loaded, files);
        let held = ArtifactKind::ALL.iter().filter(|kind| subject.holds(**kind));
        // Test files are beside the plan, not yet in the repository: that they exist was seen when they were merged.
        let judged = held.map(|kind| {
            let mut findings = subject.validate(*kind).findings;
            findings.retain(|it| *kind != ArtifactKind::Acceptance || it.code != "unreadable");
            (PlanningArtifact::Staged(*kind), findings)
        });
        let mut judged: Vec<_> = judged.collect();
        if self.directory.plan().is_file() {
            judged.push((PlanningArtifact::Plan, self.review_native(&subject).findings));
        }
        Ok(judged)
    }

    /// The plan that the artifacts make, with the tests that were written before the work.
    pub fn finished_plan(
        &self,
        files: &dyn RepositoryFiles,
    ) -> Result<Result<(Plan, Ledger), Vec<Finding>>, AppError> {
        let loaded = self.load()?;
        let subject = self.subject(&loaded, files);
        Ok(subject.finished_plan().map(|plan| (plan, subject.refined_ledger())))
    }

    fn load(&self) -> Result<LoadedFiles, AppError> {
        let Some(ledger) = self.directory.stored_ledger() else {
            let shown = self.directory.file(LEDGER);
            let message =
                format!("cannot read the statements of the specification: {}", shown.display());
            return Err(AppError::usage("ledger", message).hint(
                "`afresh plan SPEC` writes it; `afresh lint` checks plans that have no specification",
            ));
        };
        let folder = self.directory.folder(Some(&ledger));
        Ok(LoadedFiles { inside: self.directory.inside(), ledger, folder })
    }

    fn subject<'s>(
        &'s self,
        loaded: &'s LoadedFiles,
        files: &'s dyn RepositoryFiles,
    ) -> ArtifactSubject<'s> {
        ArtifactSubject {
            name: &self.directory.name,
            directory: &loaded.inside,
            folder: &loaded.folder,
            ledger: &loaded.ledger,
            repository: files,
            window: model_window(self.config),
            soft: self.config.settings.context.soft,
        }
    }

    fn review_native(&self, subject: &ArtifactSubject<'_>) -> ArtifactReview {
        let shown = self.directory.shown_plan();
        let text = match subject.folder.text(&shown) {
            Some(Ok(text)) => text,
            Some(Err(finding)) => {
                return ArtifactReview { findings: vec![finding], reading: None };
            }
            None => return ArtifactReview { findings: vec![not_written(&shown)], reading: None },
        };
        let reading = native::read(&shown, text.as_bytes());
        let ledger = subject.refined_ledger();
        let mut findings = review_plan(PlanSubject {
            reading: &reading,
            folder: subject.folder,
            ledger: &ledger,
            repository: subject.repository,
            window: subject.window,
            soft: subject.soft,
        });
        if let Some((before, changes)) = self.read_update(&ledger)
            && let Some(now) = &reading.plan
        {
            let review = UpdateReview { before: &before, now, changes: &changes, file: &shown };
            findings.extend(review.findings());
        }
        ArtifactReview { findings, reading: Some(reading) }
    }

    /// The plan that an update starts from, and what changed in its specification; none if it is no update.
    fn read_update(&self, now: &Ledger) -> Option<(Plan, LedgerChanges)> {
        let before = native::read(BEFORE_UPDATE, &self.directory.read(BEFORE_UPDATE)?).plan?;
        let ledger: Ledger =
            serde_json::from_slice(&self.directory.read(LEDGER_BEFORE_UPDATE)?).ok()?;
        Some((before, LedgerChanges::between(&ledger, now)))
    }
}

/// What the commands show when they are run.
fn measure(
    plan: &Plan,
    reading: &PlanReading,
    trial: &CheckTrial<'_>,
    folder: &dyn PlanFolder,
) -> Result<Vec<Finding>, AppError> {
    let probed = trial.run_checks(plan).map_err(|why| AppError::bug("probe", why))?;
    let mut measured = plan_findings(plan, &reading.places, &probed, folder);
    // What proves nothing is never planned; a person may still mark it as a guard.
    for finding in &mut measured {
        if matches!(finding.code.as_str(), "vacuous-check" | "empty-check" | "unproved-task") {
            finding.severity = Severity::Error;
        }
    }
    Ok(measured)
}
