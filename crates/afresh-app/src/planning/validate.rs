//! `afresh plan validate`: everything that is wrong with a plan made from a specification, at once.

use std::path::{Path, PathBuf};

use afresh_formats::folder::MemoryFolder;
use afresh_formats::{Finding, Severity, native};
use afresh_planner::discovery::RepositoryFiles;
use afresh_planner::ledger::Ledger;
use afresh_planner::review::{PlanSubject, review_plan};

use super::audit::model_window;
use super::directory::SPEC;
use super::trial::CheckTrial;
use crate::config::Config;
use crate::error::AppError;
use crate::session::probe::findings::plan_findings;
use crate::text::files::read_bounded;

/// More than any plan.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The file of a plan's statements, beside the plan.
pub const LEDGER: &str = "ledger.json";

/// A plan to validate, and what it is measured against.
#[derive(Debug)]
pub struct PlanToValidate<'a> {
    pub path: &'a Path,
    /// As the user named it.
    pub shown: &'a str,
    pub config: &'a Config,
    /// Runs the plan's checks, if they are to be run.
    pub trial: Option<CheckTrial<'a>>,
}

impl PlanToValidate<'_> {
    /// Everything that is wrong; an error means that nothing could be judged.
    pub fn findings(&self, files: &dyn RepositoryFiles) -> Result<Vec<Finding>, AppError> {
        let bytes = match read_bounded(self.path, MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) => return Ok(vec![self.not_written(&error)]),
        };
        let ledger = read_ledger(&self.beside(LEDGER))?;
        let reading = native::read(self.shown, &bytes);
        let spec = read_bounded(&self.beside(SPEC), MAX_BYTES).unwrap_or_default();
        let named = ledger.statements.first().map_or(SPEC, |statement| statement.file.as_str());
        let folder = MemoryFolder::new([(self.shown, bytes), (named, spec)]);
        let subject = PlanSubject {
            reading: &reading,
            folder: &folder,
            ledger: &ledger,
            repository: files,
            window: model_window(self.config),
            soft: self.config.settings.context.soft,
        };
        let mut findings = review_plan(subject);
        if let (Some(plan), Some(trial)) = (&reading.plan, &self.trial) {
            let probed = trial.run_checks(plan).map_err(|why| AppError::bug("probe", why))?;
            let mut measured = plan_findings(plan, &reading.places, &probed, &folder);
            // What proves nothing is never planned; a person may still mark it as a guard.
            for finding in &mut measured {
                if matches!(
                    finding.code.as_str(),
                    "vacuous-check" | "empty-check" | "unproved-task"
                ) {
                    finding.severity = Severity::Error;
                }
            }
            findings.extend(measured);
        }
        Ok(findings)
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new(".")).join(name)
    }

    /// A worker may have printed it, or written it elsewhere.
    fn not_written(&self, error: &std::io::Error) -> Finding {
        let message = format!("{} was not written: {error}", self.shown);
        Finding::for_file(self.shown, "unreadable", message).with_hint(
            "write the file to exactly this path with your file tool; printing it is not enough",
        )
    }
}

pub fn read_ledger(path: &Path) -> Result<Ledger, AppError> {
    let shown = path.display();
    let bytes = read_bounded(path, MAX_BYTES).map_err(|error| {
        AppError::usage(
            "ledger",
            format!("cannot read the statements of the specification: {shown}"),
        )
        .cause(error.to_string())
        .hint("`afresh plan SPEC` writes it; `afresh lint` checks plans that have no specification")
    })?;
    serde_json::from_slice(&bytes).map_err(|error| {
        AppError::usage("ledger", format!("cannot read {shown}")).cause(error.to_string())
    })
}
