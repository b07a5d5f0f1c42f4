//! `afresh run [PLAN]`: starts, resumes and recovers alike.

use std::path::{Path, PathBuf};

use afresh_core::input::ResumeMode;
use afresh_engine::RepoContext;
use afresh_git::{DiscoverError, Repository};

use crate::app::agents::assignment::Staff;
use crate::app::config;
use crate::app::environment;
use crate::app::error::Failure;
use crate::app::plan_source::{self, How, PlanFile};
use crate::app::session::control;
use crate::app::session::preflight;
use crate::app::session::select_run;
use crate::app::session::workplace;
use crate::app::session::{Drive, Driving, prepare, rules};
use crate::app::text::moment;
use crate::cli::Common;
use crate::commands::planning::show;
use crate::exit::Exit;
use crate::reporters::summary;
use crate::terminal::output::Output;

/// Run a plan: start it, or go on where it stopped
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A plan file, or a directory that holds one; without it the last one
    plan: Option<PathBuf>,
    #[command(flatten)]
    how: How,
    /// Start a new run, from the current commit, although there is one of this plan
    #[arg(long)]
    new: bool,
    /// Show what would run, and stop there
    #[arg(long)]
    dry_run: bool,
    /// A wave that was interrupted: only what failed, the whole wave again, or give the run up
    #[arg(long, value_enum, value_name = "HOW")]
    resume: Option<Resumption>,
    /// Make a git repository with an empty first commit, where there is none
    #[arg(long)]
    init_git: bool,
    #[command(flatten)]
    driving: Driving,
}

/// What to do about a wave that was interrupted.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Resumption {
    /// What failed is tried again
    Failed,
    /// The branch goes back to before the wave (its tip is kept), and all of it is done again
    Wave,
    /// The run is given up; everything is kept
    Abort,
}

impl From<Resumption> for ResumeMode {
    fn from(how: Resumption) -> Self {
        match how {
            Resumption::Failed => Self::Failed,
            Resumption::Wave => Self::Wave,
            Resumption::Abort => Self::Abort,
        }
    }
}

pub(crate) fn run(args: &Args, common: &Common, output: &Output) -> Result<Exit, Failure> {
    let here = workplace::directory(common)?;
    // Everything that can be wrong is found before anything is touched.
    let given =
        args.plan.as_deref().map(|plan| plan_source::load(&here, plan, &args.how)).transpose()?;
    // A plan's target selects the repository, and with it the configuration (EX-12).
    let target = given.as_ref().and_then(|file| file.target.clone());
    let directory = target.unwrap_or_else(|| here.clone());
    let config_file = common.config.as_deref().map(|path| here.join(path));
    let config = config::load(&directory, config_file.as_deref())?;
    if let (true, Some(file)) = (args.dry_run, &given) {
        let staff = Staff::chosen(config, &args.driving, file, output);
        show::print(file, &staff, output);
        return Ok(Exit::Done);
    }
    if let (true, Some(file)) = (args.init_git, &given) {
        // No repository is made for a plan that cannot run.
        let (rules, _) = rules(config.clone(), &args.driving, file, output)?;
        preflight::plan(file, &config.settings, &rules)
            .map_err(|failure| failure.or_about(&config.shown))?;
    }
    let place = find_place(&directory, args.init_git, output)?;
    let file = match given {
        Some(file) => file,
        None => last_plan(&place)?,
    };
    if args.dry_run {
        let staff = Staff::chosen(config, &args.driving, &file, output);
        show::print(&file, &staff, output);
        return Ok(Exit::Done);
    }
    let mut job = prepare(place, file, config, &args.driving, output)?;
    job.anew = args.new;
    job.resume = args.resume.map(ResumeMode::from);
    finish(job, output)
}

/// Clears the last run's halt and drives it on.
pub(crate) fn resume(driving: &Driving, common: &Common, output: &Output) -> Result<Exit, Failure> {
    let directory = workplace::directory(common)?;
    let config = config::load(&directory, common.config.as_deref())?;
    let place = workplace::find(common)?;
    let file = last_plan(&place)?;
    let mut job = prepare(place, file, config, driving, output)?;
    job.clear_halt = true;
    finish(job, output)
}

fn finish(job: Drive, output: &Output) -> Result<Exit, Failure> {
    let ended = job.start_or_continue(output)?;
    summary::print(&ended, output);
    Ok(ended.standing.into())
}

fn find_place(directory: &Path, init_git: bool, output: &Output) -> Result<RepoContext, Failure> {
    let program = workplace::git()?;
    let cache = workplace::cache()?;
    let unborn = match Repository::discover(&program, directory) {
        Ok(repository) => {
            repository.head().map_err(|error| Failure::usage("git", error.to_string()))?.is_none()
        }
        Err(DiscoverError::NotARepository { .. }) if init_git => true,
        Err(error @ DiscoverError::NotARepository { .. }) => {
            return Err(Failure::from(error)
                .help("`afresh run --init-git …` makes one with an empty first commit; your files stay as they are"));
        }
        Err(error) => return Err(error.into()),
    };
    if unborn && init_git {
        Repository::init(&program, directory, moment::now_seconds())
            .map_err(|error| Failure::usage("git", error.to_string()))?;
        output.note("made a git repository with an empty first commit");
    }
    Ok(RepoContext::find(&program, directory, environment::state(), cache)?)
}

/// The plan of the newest run, read from its file again.
fn last_plan(place: &RepoContext) -> Result<PlanFile, Failure> {
    let found = place.find_run(|_| true)?.ok_or_else(control::no_run)?;
    select_run::plan_file(&found.run)
}
