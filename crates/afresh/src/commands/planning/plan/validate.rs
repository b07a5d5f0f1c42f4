//! `afresh plan validate ARTIFACT`: everything that is wrong with a plan made from a specification, or with another
//! artifact of planning.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::json;

use crate::exit::Exit;
use crate::terminal::output::{Output, count};
use afresh_app::config;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::planning::checkout::CheckoutFiles;
use afresh_app::planning::directory::{PLANS, PlanDirectory};
use afresh_app::planning::trial::CheckTrial;
use afresh_app::planning::validate::{PlanValidator, PlanningArtifact};

/// Find everything that is wrong with an artifact of planning
///
/// For planners, before they report, and for people after an edit. An artifact is a file of .afresh/plans/NAME: the
/// plan, artifacts/capability-map.json, artifacts/physical-map.json, artifacts/acceptance.json, reports/verdict.json, or
/// the directory tasks.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The artifact's file
    #[arg(value_name = "ARTIFACT")]
    artifact: PathBuf,
    /// Also run its commands here; only inside of a check of a planning run (else: `afresh probe`)
    #[arg(long)]
    probe: bool,
}

pub(super) fn validate(
    args: &Args,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let directory = context.directory()?;
    let config = config::load(&directory, context.config_file.as_deref())?;
    let path = std::path::absolute(directory.join(&args.artifact))
        .map_err(|error| AppError::usage("plan", error.to_string()))?;
    let shown = args.artifact.display().to_string();
    let (Some(home), Some(artifact)) =
        (PlanDirectory::around(&path), PlanningArtifact::recognize(&path))
    else {
        let message = format!("{shown} is no artifact of planning");
        return Err(AppError::usage("plan", message).hint(format!(
            "artifacts are in {PLANS}/NAME; `afresh lint` checks plans that have no specification"
        )));
    };
    let files = CheckoutFiles::list(context.git().ok().as_ref(), home.root());
    let variables: BTreeMap<String, String> = context.environment.all().into_iter().collect();
    let inside_check = variables.contains_key("AFRESH_RUN");
    if args.probe && !inside_check {
        return Err(AppError::usage("probe", "`--probe` runs commands of the plan where you are")
            .hint("`afresh probe PLAN` runs them in workspaces of their own"));
    }
    let trial = args.probe.then(|| CheckTrial {
        exe: &context.environment.executable,
        root: files.root(),
        environment: &variables,
    });
    let validator = PlanValidator { directory: &home, config: &config, trial };
    let findings = validator.findings(artifact, &files)?;
    let errors = findings.iter().filter(|finding| finding.is_error()).count();
    if output.json {
        output.document(&json!({"plan": shown, "ok": errors == 0, "issues": findings}));
    } else {
        for finding in &findings {
            output.prose(finding.render().trim_end());
        }
        let what = match artifact {
            PlanningArtifact::Plan => "the plan".to_owned(),
            PlanningArtifact::Staged(_) => shown,
        };
        let verdict = if errors == 0 { format!("{what} is valid") } else { count(errors, "error") };
        output.prose(&verdict);
    }
    Ok(if errors == 0 { Exit::Done } else { Exit::Incomplete })
}
