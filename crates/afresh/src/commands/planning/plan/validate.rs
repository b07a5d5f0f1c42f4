//! `afresh plan validate PLAN`: everything that is wrong with a plan made from a specification.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::exit::Exit;
use crate::terminal::output::{Output, count};
use afresh_app::config;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::planning::checkout::CheckoutFiles;
use afresh_app::planning::trial::CheckTrial;
use afresh_app::planning::validate::PlanToValidate;

/// Find everything that is wrong with a plan made from a specification
///
/// For planners, before they report, and for people after an edit. Needs ledger.json beside the plan.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The plan's file
    plan: PathBuf,
    /// Also run the plan's checks here; only inside of a check of a planning run (else: `afresh probe`)
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
    let path = directory.join(&args.plan);
    let files = CheckoutFiles::list(context.git().ok().as_ref(), &directory);
    let variables: BTreeMap<String, String> = context.environment.all().into_iter().collect();
    let inside_check = variables.contains_key("AFRESH_TASK");
    if args.probe && !inside_check {
        return Err(AppError::usage("probe", "`--probe` runs commands of the plan where you are")
            .hint("`afresh probe PLAN` runs them in workspaces of their own"));
    }
    let trial = args.probe.then(|| CheckTrial {
        exe: &context.environment.executable,
        root: files.root(),
        environment: &variables,
    });
    let shown = shown_path(&args.plan);
    let subject = PlanToValidate { path: &path, shown: &shown, config: &config, trial };
    let findings = subject.findings(&files)?;
    let errors = findings.iter().filter(|finding| finding.is_error()).count();
    if output.json {
        output.document(&json!({"plan": shown, "ok": errors == 0, "issues": findings}));
    } else {
        for finding in &findings {
            output.prose(finding.render().trim_end());
        }
        let verdict =
            if errors == 0 { "the plan is valid".to_owned() } else { count(errors, "error") };
        output.prose(&verdict);
    }
    Ok(if errors == 0 { Exit::Done } else { Exit::Incomplete })
}

fn shown_path(given: &Path) -> String {
    given.display().to_string()
}
