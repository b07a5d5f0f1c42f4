//! `afresh plan status`, `load` and `advance`: where planning stands, for people and scripts.

use serde_json::json;

use super::find_directory;
use super::outcome::progress_json;
use crate::exit::Exit;
use crate::terminal::output::{Output, count};
use afresh_app::config::{self, Config};
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::formats::Finding;
use afresh_app::planner::artifacts::ArtifactKind;
use afresh_app::planner::stages::PlanningRoute;
use afresh_app::planning::checkout::CheckoutFiles;
use afresh_app::planning::directory::{LEDGER, PlanDirectory, REPORT};
use afresh_app::planning::progress::{PlanningPhase, PlanningProgress};
use afresh_app::planning::validate::{PlanValidator, PlanningArtifact};

/// Show how far a specification is planned: its phase, and the state of each artifact
#[derive(Debug, clap::Args)]
pub(super) struct StatusArgs {
    /// The plan; by default, the only one
    name: Option<String>,
}

/// Read the task files again, and show what is wrong with them
#[derive(Debug, clap::Args)]
pub(super) struct LoadArgs {
    /// The plan; by default, the only one
    name: Option<String>,
}

/// Make the plan from its artifacts, if all of them are valid and the verdict allows it
#[derive(Debug, clap::Args)]
pub(super) struct AdvanceArgs {
    /// The plan; by default, the only one
    name: Option<String>,
}

/// A plan's directory with what is needed to judge it.
struct PlanStanding {
    home: PlanDirectory,
    config: Config,
    files: CheckoutFiles,
}

impl PlanStanding {
    fn find(name: Option<&str>, context: &AppContext) -> Result<Self, AppError> {
        let home = find_directory(name, context)?;
        let config = config::load(home.root(), context.config_file.as_deref())?;
        let files = CheckoutFiles::list(context.git().ok().as_ref(), home.root());
        Ok(Self { home, config, files })
    }

    fn validator(&self) -> PlanValidator<'_> {
        PlanValidator { directory: &self.home, config: &self.config, trial: None }
    }

    fn progress(&self) -> Result<PlanningProgress, AppError> {
        let route =
            if self.home.holds_stages() { PlanningRoute::Staged } else { PlanningRoute::Quick };
        PlanningProgress::measure(&self.validator(), route, self.config.acceptance, &self.files)
    }

    fn print(&self, progress: &PlanningProgress, output: &Output) {
        let report = self.home.file(REPORT).is_file();
        let report = report.then(|| format!("{}/{REPORT}", self.home.inside()));
        if output.json {
            let document =
                progress_json(&self.home, progress, &progress.findings, report.as_deref());
            return output.document(&document);
        }
        output.prose(&format!("{}: phase {}", self.home.name, progress.phase.word()));
        for artifact in &progress.artifacts {
            output.prose(&format!(
                "  {:<16} {:<8} {}",
                artifact.name,
                artifact.standing.word(),
                artifact.path
            ));
        }
        if let Some(verdict) = &progress.verdict {
            output.prose(&format!(
                "  verdict {}: {}",
                verdict.verdict.word(),
                verdict.summary.trim()
            ));
        }
    }
}

pub(super) fn show(
    args: &StatusArgs,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let standing = PlanStanding::find(args.name.as_deref(), context)?;
    standing.print(&standing.progress()?, output);
    Ok(Exit::Done)
}

pub(super) fn load(
    args: &LoadArgs,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let standing = PlanStanding::find(args.name.as_deref(), context)?;
    let artifact = PlanningArtifact::Staged(ArtifactKind::Task);
    let findings = standing.validator().findings(artifact, &standing.files)?;
    let errors = findings.iter().filter(|finding| finding.is_error()).count();
    let plan = standing.validator().finished_plan(&standing.files)?.ok();
    let tasks = plan.as_ref().map_or(0, |(plan, _)| plan.len());
    if output.json {
        output.document(&json!({"plan": standing.home.name, "tasks": tasks, "ok": errors == 0, "issues": findings}));
    } else {
        for finding in &findings {
            output.prose(finding.render().trim_end());
        }
        let verdict = if errors == 0 { "valid".to_owned() } else { count(errors, "error") };
        output.prose(&format!("{}: {}, {verdict}", standing.home.name, count(tasks, "task")));
    }
    Ok(if errors == 0 { Exit::Done } else { Exit::Incomplete })
}

pub(super) fn advance(
    args: &AdvanceArgs,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let standing = PlanStanding::find(args.name.as_deref(), context)?;
    let progress = standing.progress()?;
    if progress.phase == PlanningPhase::Sequencing {
        match standing.validator().finished_plan(&standing.files)? {
            Ok((plan, ledger)) => {
                let text = serde_json::to_vec_pretty(&ledger)
                    .map_err(|error| AppError::bug("ledger", error.to_string()))?;
                standing.home.write(LEDGER, &text)?;
                standing.home.write_plan(&plan)?;
            }
            Err(findings) => {
                return Err(AppError::with_findings("plan", "the plan is not valid", findings));
            }
        }
    }
    let progress = standing.progress()?;
    standing.print(&progress, output);
    if progress.phase == PlanningPhase::Ready {
        return Ok(Exit::Done);
    }
    if !output.json {
        for finding in progress.findings.iter().filter(|finding| Finding::is_error(finding)) {
            output.note(finding.render().trim_end());
        }
        let hint = if progress.is_blocked() {
            format!("edit the tasks, then `afresh plan --verify --name {}`", standing.home.name)
        } else {
            "`afresh plan SPEC` lets an agent do the next stage".to_owned()
        };
        output.note(&format!("hint: {hint}"));
    }
    Ok(Exit::Waiting)
}
