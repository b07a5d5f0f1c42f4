//! `afresh plan SPEC`: from a specification to a plan.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`announce`] | what is said before planning starts |
//! | [`outcome`] | from artifacts to a plan, or to what a person has to do first |
//! | [`request`] | the whole way from a specification to a plan; also for `afresh run SPEC` |
//! | `status` | `afresh plan status`, `load` and `advance` |
//! | `update` | `afresh plan --update`: a plan follows its changed specification |
//! | `validate` | `afresh plan validate` |
//! | `verdict` | `afresh plan verdict` |

pub(crate) mod announce;
pub(crate) mod outcome;
pub(crate) mod request;
mod status;
mod update;
mod validate;
mod verdict;

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::commands::running::detach;
use crate::commands::running::drive::Interaction;
use crate::commands::running::run_args::RunArgs;
use crate::exit::Exit;
use crate::terminal::output::Output;
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::planner::discovery::facts::ProjectState;
use afresh_app::planner::ledger::PhaseFilter;
use afresh_app::planner::stages::{PlanningRoute, PlanningStage};
use afresh_app::planning::checkout::CheckoutFiles;
use afresh_app::planning::directory::{PlanDirectory, SPEC};
use afresh_app::planning::earlier_run::PlanningStart;
use afresh_app::planning::specification;
use afresh_app::session::RunOptions;
use outcome::PlannedSpec;
use request::SpecRequest;

/// Make a plan from a specification
///
/// Audits the specification, cuts it into statements, looks at the repository, and lets fresh agents write a plan that
/// serves every statement: one planner for a small specification, one agent for each stage of a large one, and another
/// one that writes acceptance tests before the code. Everything is validated by afresh before it is used: coverage,
/// paths, order, sizes, and each check is run on the current code. The files are in .afresh/plans/NAME.
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
    /// The directory whose repository the plan is for; by default, this one
    #[arg(long, value_name = "DIR")]
    target: Option<PathBuf>,
    /// It is a new project: there are no patterns to follow
    #[arg(long, conflicts_with = "existing")]
    new: bool,
    /// It is an existing project, whatever it looks like
    #[arg(long)]
    existing: bool,
    /// One planner writes the whole plan, whatever the size of the specification
    #[arg(long, conflicts_with = "staged")]
    quick: bool,
    /// One fresh agent for each stage, whatever the size of the specification
    #[arg(long)]
    staged: bool,
    /// Plan every phase of the specification, not only the first
    #[arg(long)]
    all_phases: bool,
    /// The specification changed: change its plan accordingly, and only that
    #[arg(long, conflicts_with_all = ["again", "from", "verify"])]
    update: bool,
    /// Plan once more from the beginning, even if this specification was planned before
    #[arg(long, conflicts_with_all = ["from", "verify"])]
    again: bool,
    /// Plan again from this stage; what earlier stages wrote, and you edited, is used
    #[arg(long, value_name = "STAGE", value_parser = parse_stage, conflicts_with = "verify")]
    from: Option<PlanningStage>,
    /// Verify the plan again, after you edited its tasks
    #[arg(long)]
    verify: bool,
    /// Do not ask before planning starts
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    options: RunArgs,
}

#[derive(Debug, clap::Subcommand)]
enum PlanCommand {
    Validate(validate::Args),
    Verdict(verdict::Args),
    Status(status::StatusArgs),
    Load(status::LoadArgs),
    Advance(status::AdvanceArgs),
}

pub(crate) fn plan(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let output = &output.with_progress(args.options.progress);
    match &args.command {
        Some(PlanCommand::Validate(args)) => return validate::validate(args, context, output),
        Some(PlanCommand::Verdict(args)) => return verdict::register(args, context, output),
        Some(PlanCommand::Status(args)) => return status::show(args, context, output),
        Some(PlanCommand::Load(args)) => return status::load(args, context, output),
        Some(PlanCommand::Advance(args)) => return status::advance(args, context, output),
        None => {}
    }
    if args.options.detach {
        return detach::start(context, output);
    }
    if args.options.in_background {
        detach::leave_session();
    }
    let is_about_stored = args.verify || args.from.is_some() || args.again;
    let (spec, stored) = match &args.spec {
        Some(spec) => (spec.clone(), None),
        None if is_about_stored => {
            let home = find_directory(args.name.as_deref(), context)?;
            (home.file(SPEC), Some(home))
        }
        None => {
            let files = CheckoutFiles::list(context.git().ok().as_ref(), &context.directory()?);
            return list_candidates(files.root(), output);
        }
    };
    let name = stored.as_ref().map(|home| home.name.as_str()).or(args.name.as_deref());
    let options = args.options.options();
    let request = args.request(&spec, name, &options);
    let planned = if args.update {
        update::update_plan(&request, context, output)?
    } else {
        request.make_plan(context, output)?
    };
    match planned {
        PlannedSpec::Ended(exit) => Ok(exit),
        PlannedSpec::Ready(planned) => Ok(planned.print(output)),
    }
}

impl Args {
    fn request<'a>(
        &'a self,
        spec: &'a Path,
        name: Option<&'a str>,
        options: &'a RunOptions,
    ) -> SpecRequest<'a> {
        let start = match self.from {
            Some(stage) => PlanningStart::From(stage),
            None if self.verify => PlanningStart::From(PlanningStage::Validation),
            None if self.again => PlanningStart::Again,
            None => PlanningStart::Resume,
        };
        let route = match (self.quick, self.staged) {
            (true, _) => Some(PlanningRoute::Quick),
            (_, true) => Some(PlanningRoute::Staged),
            _ => None,
        };
        let project = match (self.new, self.existing) {
            (true, _) => Some(ProjectState::New),
            (_, true) => Some(ProjectState::Existing),
            _ => None,
        };
        let interaction = Interaction::from_no_input(self.options.no_input);
        SpecRequest {
            name,
            stack: self.stack.as_deref(),
            target: self.target.as_deref(),
            project,
            phases: if self.all_phases { PhaseFilter::All } else { PhaseFilter::First },
            start,
            yes: self.yes,
            route,
            ..SpecRequest::new(spec, options, interaction)
        }
    }
}

/// The directory of a plan, by its name, or the only one.
fn find_directory(name: Option<&str>, context: &AppContext) -> Result<PlanDirectory, AppError> {
    let files = CheckoutFiles::list(context.git().ok().as_ref(), &context.directory()?);
    let mut found = PlanDirectory::list(files.root());
    let names: Vec<String> = found.iter().map(|home| home.name.clone()).collect();
    if let Some(name) = name {
        found.retain(|home| home.name == name);
    }
    match (found.len(), found.pop()) {
        (1, Some(home)) => Ok(home),
        (0, _) if names.is_empty() => Err(AppError::usage("plan", "nothing is planned here yet")
            .hint("`afresh plan SPEC` starts with a specification")),
        (0, _) => {
            let message = format!("no plan is named {:?}", name.unwrap_or_default());
            Err(AppError::usage("plan", message).hint(format!("plans: {}", names.join(", "))))
        }
        _ => Err(AppError::usage("plan", "several specifications are planned here")
            .hint(format!("name one with --name: {}", names.join(", ")))),
    }
}

fn parse_stage(word: &str) -> Result<PlanningStage, String> {
    let found = PlanningStage::REPEATABLE.iter().find(|stage| stage.word() == word);
    found.copied().ok_or_else(|| {
        let words: Vec<&str> = PlanningStage::REPEATABLE.iter().map(|it| it.word()).collect();
        format!("one of: {}", words.join(", "))
    })
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
