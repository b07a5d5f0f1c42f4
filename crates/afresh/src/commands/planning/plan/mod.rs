//! `afresh plan SPEC`: from a specification to a plan.

mod validate;

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::commands::running::drive::{Interaction, drive};
use crate::commands::running::run_args::RunArgs;
use crate::exit::Exit;
use crate::reporters::summary;
use crate::terminal::output::{Output, count};
use crate::terminal::prompt::UserPrompt;
use afresh_app::config::{self, Config};
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::planner::audit::{AuditVerdict, SpecAudit};
use afresh_app::planner::ledger::{Ledger, PhaseFilter, cut};
use afresh_app::planning::audit::audit_spec;
use afresh_app::planning::checkout::CheckoutFiles;
use afresh_app::planning::directory::PlanDirectory;
use afresh_app::planning::job::{self, PlanningInputs};
use afresh_app::planning::specification::{self, FoundSpecification};
use afresh_app::planning::validate::PlanToValidate;
use afresh_app::session::Session;
use afresh_app::session::open::{ExistingRun, RunRequest};

/// Make a plan from a specification
///
/// Audits the specification, cuts it into statements, looks at the repository, and lets a fresh agent write a plan that
/// serves every statement. The plan is validated by afresh before it is shown: coverage, paths, order, sizes, and each
/// check is run on the current code. The files are in .afresh/plans/NAME.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<PlanCommand>,
    /// A Markdown file, a directory of a specification tool, or - for standard input; without it, the specifications in
    /// this repository are listed
    spec: Option<PathBuf>,
    /// The name of the plan's directory; by default, that of the specification
    #[arg(long)]
    name: Option<String>,
    /// What to build it with, in your words; every planning prompt has it
    #[arg(long, value_name = "TEXT")]
    stack: Option<String>,
    /// Plan every phase of the specification, not only the first
    #[arg(long)]
    all_phases: bool,
    /// Replace the stored specification with the given one, if it changed
    #[arg(long)]
    update: bool,
    /// Plan once more from the beginning, even if this specification was planned before
    #[arg(long)]
    new: bool,
    /// Do not ask before planning starts
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    options: RunArgs,
}

#[derive(Debug, clap::Subcommand)]
enum PlanCommand {
    Validate(validate::Args),
}

pub(crate) fn plan(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    if let Some(PlanCommand::Validate(args)) = &args.command {
        return validate::validate(args, context, output);
    }
    let directory = context.directory()?;
    let files = CheckoutFiles::list(context.git().ok().as_ref(), &directory);
    if args.spec.is_none() {
        return list_candidates(files.root(), output);
    }
    let config = config::load(&directory, context.config_file.as_deref())?;
    let found = specification::find(&directory, files.root(), args.spec.as_deref())?;
    let audit = audit_spec(&found.spec, &files, &config);
    refuse_split(&found, &audit)?;
    let name = args.name.clone().unwrap_or_else(|| found.spec.name.clone());
    let home = PlanDirectory::new(files.root(), &name);
    let ledger = ledger(args, &found);
    if ledger.active().next().is_none() {
        return Err(AppError::usage("spec", format!("{} states nothing to plan", found.shown))
            .hint("write what is wanted as list items or as sentences with \"must\""));
    }
    refuse_overwrite(&home, &found, args)?;
    announce(&found, &audit, &ledger, &home, output);
    if !args.yes && !confirm(output) {
        output.note("nothing was started");
        return Ok(Exit::Waiting);
    }
    let project = "New or existing project; look at the files before you plan.";
    home.store_inputs(&found.spec, &ledger, project)?;
    let inputs =
        PlanningInputs { directory: &home, ledger: &ledger, project, stack: args.stack.as_deref() };
    let exit = run_planning(args, &inputs, files.root(), config.clone(), context, output)?;
    if exit != Exit::Done {
        return Ok(exit);
    }
    finish(&home, &config, &files, output)
}

fn ledger(args: &Args, found: &FoundSpecification) -> Ledger {
    let phases = if args.all_phases { PhaseFilter::All } else { PhaseFilter::First };
    cut(&found.spec, phases)
}

fn list_candidates(root: &Path, output: &Output) -> Result<Exit, AppError> {
    let found = specification::candidates(root);
    if output.json {
        let specs =
            found.iter().map(|it| json!({"path": it.path, "kind": it.kind, "name": it.name}));
        output.document(&json!({"specifications": specs.collect::<Vec<_>>()}));
    } else if found.is_empty() {
        return Err(AppError::usage("spec", "no specification was found here")
            .hint("name a Markdown file: `afresh plan SPEC.md`"));
    } else {
        output.prose("Specifications here:");
        for it in &found {
            output.prose(&format!("  {:<40} {}", it.path, it.kind.word()));
        }
        output.prose("\n`afresh plan SPEC` plans one of them.");
    }
    Ok(Exit::Done)
}

/// A specification that no division fits is not planned (AU-02).
fn refuse_split(found: &FoundSpecification, audit: &SpecAudit) -> Result<(), AppError> {
    if audit.verdict != AuditVerdict::NeedsSplit {
        return Ok(());
    }
    let why = audit.too_large.first().cloned().unwrap_or_default();
    Err(AppError::usage("spec", format!("{} is too large to be planned", found.shown))
        .cause(why)
        .hint("split it into several specifications; `afresh audit` shows the parts"))
}

/// A stored specification is never replaced silently (PL-14).
fn refuse_overwrite(
    home: &PlanDirectory,
    found: &FoundSpecification,
    args: &Args,
) -> Result<(), AppError> {
    let first = found.spec.documents.first().map_or("", |document| document.text.as_str());
    match home.stored_spec() {
        Some(stored) if stored != first.as_bytes() && !args.update => {
            let message = format!("{} holds another version of this specification", home.inside());
            Err(AppError::usage("spec", message)
                .hint("`--update` replaces it; `--name NAME` plans it beside the other"))
        }
        _ => Ok(()),
    }
}

fn announce(
    found: &FoundSpecification,
    audit: &SpecAudit,
    ledger: &Ledger,
    home: &PlanDirectory,
    output: &Output,
) {
    let active = ledger.active().count();
    let left = ledger.statements.len() - active;
    output.note(&format!(
        "plan {}: {} of {}, {}, ~{} % of a context ({})",
        home.name,
        count(active, "statement"),
        found.shown,
        count(audit.files.len(), "file"),
        audit.estimate.percent(),
        audit.size_word(),
    ));
    if left > 0 {
        output.note(&format!("  {} deferred or out of scope", count(left, "statement")));
    }
    output.note(&format!("  one planner writes the whole plan; files: {}", home.inside()));
}

fn confirm(output: &Output) -> bool {
    UserPrompt::there(output).is_none_or(|person| person.agrees("Start planning?"))
}

fn run_planning(
    args: &Args,
    inputs: &PlanningInputs<'_>,
    root: &Path,
    config: Config,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let options = args.options.options();
    let session = Session { context, options: &options };
    let repository = context.repository_around(root)?;
    let git = repository.git.clone();
    let source = inputs.directory.stages().to_string_lossy().into_owned();
    let last = repository.find_run(|run| run.settings().source == source)?;
    let is_over = last.as_ref().is_some_and(|last| last.run.is_ended_for_good());
    let existing = if args.new || is_over { ExistingRun::StartNew } else { ExistingRun::Continue };
    let prepared = output.with_notices(|notices| {
        job::prepare(&session, inputs, repository, root, config, notices)
    })?;
    let interaction = Interaction::from_no_input(args.options.no_input);
    let request = RunRequest { existing, ..RunRequest::default() };
    let ended = drive(prepared, &request, interaction, context, output)?;
    let exit = Exit::from(ended.standing);
    if exit == Exit::Done {
        inputs.directory.take_plan(&git, ended.run.tip())?;
    } else {
        summary::print(&ended, output);
        output.note("planning is not finished; the same command continues it");
    }
    Ok(exit)
}

/// What came out, judged once more where the user is.
fn finish(
    home: &PlanDirectory,
    config: &Config,
    files: &CheckoutFiles,
    output: &Output,
) -> Result<Exit, AppError> {
    let (path, shown) = (home.plan(), format!("{}/{}.plan.toml", home.inside(), home.name));
    let subject = PlanToValidate { path: &path, shown: &shown, config, trial: None };
    let findings = subject.findings(files)?;
    let is_ready = !findings.iter().any(afresh_app::formats::Finding::is_error);
    if output.json {
        output.document(&json!({
            "plan": shown,
            "phase": if is_ready { "ready" } else { "validation" },
            "verdict": if is_ready { "READY" } else { "BLOCKED" },
            "report": null,
            "artifacts": [],
            "issues": findings,
        }));
    } else {
        for finding in &findings {
            output.note(finding.render().trim_end());
        }
        output.prose(&format!("{shown} is ready."));
        output.note(&format!("hint: `afresh show {shown}` shows it; `afresh run {shown}` runs it"));
    }
    Ok(if is_ready { Exit::Done } else { Exit::Waiting })
}
