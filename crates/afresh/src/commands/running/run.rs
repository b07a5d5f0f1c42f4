//! `afresh run [PLAN]`: starts, continues and recovers alike.

use std::path::{Path, PathBuf};

use afresh_app::git::{DiscoverError, Repository};
use afresh_core::Run;
use afresh_core::input::{Dispatch, ResumeMode};
use afresh_engine::RepoContext;

use crate::commands::planning::plan::announce::confirm;
use crate::commands::planning::plan::outcome::PlannedSpec;
use crate::commands::planning::plan::request::{ModeChoice, SpecRequest};
use crate::commands::planning::{PlanArgs, show};
use crate::commands::running::detach;
use crate::commands::running::drive::{Interaction, drive};
use crate::commands::running::run_args::RunArgs;
use crate::exit::Exit;
use crate::reporters::summary;
use crate::terminal::output::Output;
use afresh_app::agents::assignment::TaskAssignments;
use afresh_app::config::{self, Config};
use afresh_app::context::AppContext;
use afresh_app::error::AppError;
use afresh_app::plan_source::estimates::grounding::count_ungrounded;
use afresh_app::plan_source::estimates::outlook::PlanOutlook;
use afresh_app::plan_source::{self, PlanFile, PlanReadOptions};
use afresh_app::planning::specification;
use afresh_app::session::open::{ExistingRun, HaltedRun, RunRequest};
use afresh_app::session::runs::select;
use afresh_app::session::start::options::only_task;
use afresh_app::session::start::preflight;
use afresh_app::session::{PreparedRun, RunOptions, Session};
use afresh_app::text::time;

/// Run a plan or a specification: start it, or continue where it stopped
///
/// A specification is audited and planned first (see `afresh plan`), and its plan is shown before it runs.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct Args {
    /// A plan file, a directory that contains one, or a specification; by default, the plan of the last run, else the
    /// plan in this directory
    plan: Option<PathBuf>,
    #[command(flatten)]
    how: PlanArgs,
    /// Start no agent: people do the tasks, or agents of theirs (see `afresh task start`)
    #[arg(long, conflicts_with = "detach")]
    by_hand: bool,
    /// Start a new run from the current commit, even if this plan already has one
    #[arg(long)]
    new: bool,
    /// Show what would run, and exit
    #[arg(long)]
    dry_run: bool,
    /// How to continue an interrupted wave
    #[arg(long, value_enum, value_name = "HOW")]
    resume: Option<ResumeArg>,
    /// Of a specification: one worker does all of it, without a planner
    #[arg(long, conflicts_with = "orchestrated")]
    single: bool,
    /// Of a specification: a planner divides it, whatever its size
    #[arg(long)]
    orchestrated: bool,
    /// Do not ask before a specification is planned and before its plan runs
    #[arg(long, short)]
    yes: bool,
    /// Create a git repository with an empty first commit if there is none
    #[arg(long)]
    init_git: bool,
    #[command(flatten)]
    options: RunArgs,
}

/// How to continue an interrupted wave.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ResumeArg {
    /// Retry only what failed
    Failed,
    /// Move the branch back to before the wave (its tip is kept) and redo all of it
    Wave,
    /// End the run; everything is kept
    Abort,
}

impl From<ResumeArg> for ResumeMode {
    fn from(how: ResumeArg) -> Self {
        match how {
            ResumeArg::Failed => Self::Failed,
            ResumeArg::Wave => Self::Wave,
            ResumeArg::Abort => Self::Abort,
        }
    }
}

pub(crate) fn run(args: &Args, context: &AppContext, output: &Output) -> Result<Exit, AppError> {
    let output = &output.with_progress(args.options.progress);
    if args.options.detach && !args.dry_run {
        return detach::start(context, output);
    }
    if args.options.in_background {
        detach::leave_session();
    }
    let here = context.directory()?;
    let options = args.options.options();
    // Everything that can be wrong is found before anything is touched.
    let how = args.how.options();
    let given = match args.plan.as_deref().map(|plan| plan_source::load(&here, plan, &how)) {
        Some(Err(error)) if error.kind == plan_source::NO_PLAN => {
            match plan_spec(args, error, context, output)? {
                PlannedSpec::Ready(planned) => Some(plan_source::load(&here, &planned.path, &how)?),
                PlannedSpec::Ended(exit) => return Ok(exit),
            }
        }
        given => given.transpose()?,
    };
    // A plan's target selects the repository, and with it the configuration (EX-12).
    let target = given.as_ref().and_then(|file| file.target.clone());
    let directory = target.unwrap_or_else(|| here.clone());
    let config_file = context.config_file.as_deref().map(|path| here.join(path));
    let config = config::load(&directory, config_file.as_deref())?;
    if let (true, Some(file)) = (args.dry_run, &given) {
        return show_plan(file, &config, &options, context, output);
    }
    if let (true, Some(file)) = (args.init_git, &given) {
        // No repository is created for a plan that cannot run.
        output.with_notices(|notices| {
            preflight::check_plan(file, &config, &options, &context.environment, notices)
        })?;
    }
    let repository = find_repository(&directory, args.init_git, context, output)?;
    let (file, options) = if args.new {
        (given.map_or_else(|| last_plan(&repository, &here, &how), Ok)?, options)
    } else {
        let file = given.map_or_else(|| last_plan(&repository, &here, &how), Ok)?;
        let options = keep_options(options, &repository, &file)?;
        (file, options)
    };
    if args.dry_run {
        return show_plan(&file, &config, &options, context, output);
    }
    let session = Session { context, options: &options };
    let prepared = output.with_notices(|notices| {
        if args.by_hand {
            session.prepare_by_hand(repository, file, config, notices)
        } else {
            session.prepare(repository, file, config, notices)
        }
    })?;
    let dispatch = if args.by_hand { Dispatch::ByHand } else { Dispatch::Agents };
    let request = RunRequest {
        dispatch,
        existing: if args.new { ExistingRun::StartNew } else { ExistingRun::Continue },
        resume: args.resume.map(ResumeMode::from),
        ..RunRequest::default()
    };
    finish(prepared, &request, &args.options, context, output)
}

/// What is no plan may be a specification: it becomes a plan first.
fn plan_spec(
    args: &Args,
    no_plan: AppError,
    context: &AppContext,
    output: &Output,
) -> Result<PlannedSpec, AppError> {
    let Some(spec) = args.plan.as_deref() else { return Err(no_plan) };
    let directory = context.directory()?;
    if specification::find(&directory, &directory, Some(spec)).is_err() {
        return Err(no_plan);
    }
    if args.dry_run {
        return Err(no_plan.hint("`afresh audit SPEC` shows how a specification would be divided"));
    }
    let mode = match (args.single, args.orchestrated) {
        (true, _) => ModeChoice::Single,
        (_, true) => ModeChoice::Planned,
        _ => ModeChoice::Audited,
    };
    let options = args.options.options();
    let interaction = Interaction::from_no_input(args.options.no_input);
    let request =
        SpecRequest { yes: args.yes, mode, ..SpecRequest::new(spec, &options, interaction) };
    let planned = request.make_plan(context, output)?;
    let PlannedSpec::Ready(ready) = &planned else { return Ok(planned) };
    let file = plan_source::load(&context.directory()?, &ready.path, &PlanReadOptions::default())?;
    let config = config::load(&context.directory()?, context.config_file.as_deref())?;
    show_plan(&file, &config, &args.options.options(), context, &output.for_people())?;
    if !args.yes && !confirm("Run this plan?", output) {
        output.note(&format!("nothing was started; `afresh run {}` runs it", file.shown));
        return Ok(PlannedSpec::Ended(Exit::Waiting));
    }
    Ok(planned)
}

/// Clears a run's halt and continues it; without a name, the last run.
pub(crate) fn resume(
    run: Option<&str>,
    args: &RunArgs,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let output = &output.with_progress(args.progress);
    if args.detach {
        return detach::start(context, output);
    }
    if args.in_background {
        detach::leave_session();
    }
    let here = context.directory()?;
    let config = config::load(&here, context.config_file.as_deref())?;
    let repository = context.repository()?;
    let found = select::find_run(&repository, run)?;
    let file = select::load_plan(&found.run, &here)?;
    let options = args.options().or_flags(&found.run.settings().flags);
    let session = Session { context, options: &options };
    let prepared =
        output.with_notices(|notices| session.prepare(repository, file, config, notices))?;
    let run = Some(found.run.id().clone());
    let request = RunRequest { run, halt: HaltedRun::ClearHalt, ..RunRequest::default() };
    finish(prepared, &request, args, context, output)
}

/// Saves what the attempts of an interrupted run left, and ends it.
pub(crate) fn end_interrupted(
    run: &Run,
    context: &AppContext,
    output: &Output,
) -> Result<(), AppError> {
    let config = config::load(&context.directory()?, context.config_file.as_deref())?;
    let options = RunOptions::default().or_flags(&run.settings().flags);
    let session = Session { context, options: &options };
    let file = select::pinned_plan(run);
    let prepared = session.prepare_to_end(context.repository()?, file, config)?;
    let request = RunRequest {
        run: Some(run.id().clone()),
        halt: HaltedRun::ClearHalt,
        resume: Some(ResumeMode::Abort),
        ..RunRequest::default()
    };
    // Scripts get one document, from the command.
    drive(prepared, &request, Interaction::NoInput, context, &output.for_people()).map(drop)
}

fn finish(
    prepared: PreparedRun,
    request: &RunRequest,
    args: &RunArgs,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let interaction = Interaction::from_no_input(args.no_input);
    let ended = drive(prepared, request, interaction, context, output)?;
    summary::print(&ended, output);
    let is_stopped_by_machine = ended.run.halt().is_some_and(|halt| halt.cause.is_some());
    // It did what it was asked to: the tasks are for people.
    let is_left_to_people =
        request.dispatch == Dispatch::ByHand && ended.run.questions().next().is_none();
    Ok(match Exit::from(ended.standing) {
        Exit::Waiting if is_left_to_people => Exit::Done,
        Exit::Halted if is_stopped_by_machine => Exit::Machine,
        exit => exit,
    })
}

fn show_plan(
    file: &PlanFile,
    config: &Config,
    options: &RunOptions,
    context: &AppContext,
    output: &Output,
) -> Result<Exit, AppError> {
    let only = options.task.as_deref().map(|task| only_task(task, file)).transpose()?;
    let assignments = output.with_notices(|notices| {
        TaskAssignments::with_options(config, options, file, &context.environment, notices)
    });
    let found = plan_source::read(&context.directory()?, &file.path, &file.how)?;
    let ungrounded = count_ungrounded(&found, context);
    let outlook = PlanOutlook::new(file, &assignments, ungrounded, context);
    show::print(file, only.as_ref(), &assignments, &outlook, output);
    Ok(Exit::Done)
}

fn find_repository(
    directory: &Path,
    init_git: bool,
    context: &AppContext,
    output: &Output,
) -> Result<RepoContext, AppError> {
    let program = context.git()?;
    let unborn = match Repository::discover(&program, directory) {
        Ok(repository) => repository.head().map_err(AppError::git)?.is_none(),
        Err(DiscoverError::NotARepository { .. }) if init_git => true,
        Err(error @ DiscoverError::NotARepository { .. }) => {
            return Err(AppError::from(error).hint(
                "`afresh run --init-git …` creates one with an empty first commit; your files stay as they are",
            ));
        }
        Err(error) => return Err(error.into()),
    };
    if unborn && init_git {
        Repository::init(&program, directory, time::now_seconds()).map_err(AppError::git)?;
        output.note("created a git repository with an empty first commit");
    }
    context.repository_around(directory)
}

/// The plan of the newest run, read from its file again; without any run, the plan that is here.
fn last_plan(
    repository: &RepoContext,
    here: &Path,
    how: &PlanReadOptions,
) -> Result<PlanFile, AppError> {
    match select::find_optional_run(repository, None)? {
        Some(found) => match select::finished_planning(&found) {
            // What was planned last is what runs next.
            Some(home) if home.plan().is_file() => plan_source::load(here, &home.plan(), how),
            _ => select::load_plan(&found.run, here),
        },
        None => plan_source::load(here, Path::new("."), how),
    }
}

/// A run keeps the options that it was started with, unless others are given (ST-07).
fn keep_options(
    options: RunOptions,
    repository: &RepoContext,
    file: &PlanFile,
) -> Result<RunOptions, AppError> {
    let source = file.path.to_string_lossy();
    let found = repository.find_run(|run| run.settings().source == source)?;
    Ok(match found {
        Some(found) => options.or_flags(&found.run.settings().flags),
        None => options,
    })
}
