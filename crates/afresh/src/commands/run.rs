//! `afresh run [PLAN]`: starts, resumes and recovers alike.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use afresh_agents::Kind;
use afresh_core::Run;
use afresh_core::ids::TaskId;
use afresh_core::input::{Opening, Resume};
use afresh_core::settings::{OnDecision, OnFailure, OnOrphan, Schedule, Settings};
use afresh_engine::activity::ActivityLog;
use afresh_engine::issues::IssueList;
use afresh_engine::open::Taken;
use afresh_engine::{Driver, OpenRun, Rules, Watcher, Workplace};
use afresh_git::{DiscoverError, Repository};

use crate::asking::Asker;
use crate::cli::Common;
use crate::commands::show;
use crate::config::{self, Config};
use crate::event_lines::EventLines;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output::{Output, Paint, count};
use crate::person::Person;
use crate::plan_file::{self, How, PlanFile};
use crate::progress::{Progress, Questions};
use crate::state_page::StatePage;
use crate::summary::Ended;
use crate::{
    budgets, completing, environment, interruption, moment, ordering, preflight, signals, summary,
    workplace,
};

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

impl From<Resumption> for Resume {
    fn from(how: Resumption) -> Self {
        match how {
            Resumption::Failed => Self::Failed,
            Resumption::Wave => Self::Wave,
            Resumption::Abort => Self::Abort,
        }
    }
}

/// How to drive; flags win over the configuration.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct Driving {
    /// Workers at once
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    parallel: Option<u16>,
    /// The agent of tasks that name none
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// eager: as soon as its own dependencies are merged; waves: with a barrier between waves
    #[arg(long, value_parser = words(Schedule::WORDS))]
    schedule: Option<String>,
    /// Run this task only
    #[arg(long, value_name = "ID", add = completing::tasks())]
    task: Option<String>,
    /// Ask before each task
    #[arg(long)]
    interactive: bool,
    /// Never ask in this terminal: leave with exit code 4 where only a person can go on
    #[arg(long)]
    no_input: bool,
    /// What becomes of attempts that were running when afresh was killed
    #[arg(long, value_parser = words(OnOrphan::WORDS))]
    on_orphan: Option<String>,
    /// Who answers a worker that needs a decision
    #[arg(long, value_parser = words(OnDecision::WORDS))]
    on_decision: Option<String>,
    /// What follows when a task's attempts are spent
    #[arg(long, value_parser = words(OnFailure::WORDS))]
    on_failure: Option<String>,
    /// Stop spending at this many dollars, in the whole run
    #[arg(long, value_name = "X", value_parser = parse_usd)]
    budget_usd: Option<u64>,
    /// Stop spending at this many tokens, in the whole run
    #[arg(long, value_name = "N")]
    budget_tokens: Option<u64>,
    /// Give a task up at this many dollars, all its attempts together
    #[arg(long, value_name = "X", value_parser = parse_usd)]
    task_budget_usd: Option<u64>,
    /// Give a task up at this many tokens, all its attempts together
    #[arg(long, value_name = "N")]
    task_budget_tokens: Option<u64>,
}

impl Driving {
    /// Everything as configured; without a person the first answer counts.
    pub(crate) fn for_demo(asks: bool) -> Self {
        let on_decision = (!asks).then(|| OnDecision::First.word().to_owned());
        Self { no_input: !asks, on_decision, ..Self::default() }
    }
}

fn words(words: &'static [&'static str]) -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(words)
}

/// Dollars as whole millionths.
fn parse_usd(text: &str) -> Result<u64, String> {
    let dollars = text.parse().ok().and_then(afresh_agents::usage::micros);
    dollars.ok_or_else(|| "not an amount of dollars from 0 to 1000000".to_owned())
}

pub(crate) fn run(args: &Args, common: &Common, output: &Output) -> Result<Exit, Failure> {
    let here = workplace::directory(common)?;
    // Everything that can be wrong is found before anything is touched.
    let given =
        args.plan.as_deref().map(|plan| plan_file::load(&here, plan, &args.how)).transpose()?;
    // A plan's target selects the repository, and with it the configuration (EX-12).
    let target = given.as_ref().and_then(|file| file.target.clone());
    let directory = target.unwrap_or_else(|| here.clone());
    let config_file = common.config.as_deref().map(|path| here.join(path));
    let config = config::load(&directory, config_file.as_deref())?;
    if let (true, Some(file)) = (args.dry_run, &given) {
        show::print(file, output);
        return Ok(Exit::Done);
    }
    if let (true, Some(file)) = (args.init_git, &given) {
        // No repository is made for a plan that cannot run.
        let rules = rules(config.clone(), &args.driving)?;
        preflight::plan(file, &config.settings, &rules)
            .map_err(|failure| failure.or_about(&config.shown))?;
    }
    let place = find_place(&directory, args.init_git, output)?;
    let file = match given {
        Some(file) => file,
        None => last_plan(&place)?,
    };
    if args.dry_run {
        show::print(&file, output);
        return Ok(Exit::Done);
    }
    let mut job = prepare(place, file, config, &args.driving, output)?;
    job.anew = args.new;
    job.resume = args.resume.map(Resume::from);
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

fn find_place(directory: &Path, init_git: bool, output: &Output) -> Result<Workplace, Failure> {
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
    Ok(Workplace::find(&program, directory, environment::state(), cache)?)
}

/// The plan of the newest run, read from its file again.
fn last_plan(place: &Workplace) -> Result<PlanFile, Failure> {
    let found = place.look(|_| true)?.ok_or_else(ordering::no_run)?;
    let source = PathBuf::from(&found.run.settings().source);
    if source.exists() {
        let how = How::of(found.run.settings());
        return plan_file::load(Path::new("/"), &source, &how);
    }
    // The file is gone; the run goes on with the plan that was pinned.
    let shown = source.display().to_string();
    Ok(PlanFile {
        path: source,
        shown,
        format: "native",
        how: How::of(found.run.settings()),
        plan: found.run.plan().clone(),
        files: vec![],
        target: None,
        warnings: vec![],
        unknown: BTreeMap::new(),
    })
}

/// Everything that a drive needs.
#[derive(Debug)]
pub(crate) struct Drive {
    place: Workplace,
    file: PlanFile,
    settings: Settings,
    rules: Rules,
    clear_halt: bool,
    /// Start a new run, whatever there is.
    anew: bool,
    /// Ask whoever sits at this terminal.
    may_ask: bool,
    resume: Option<Resume>,
}

pub(crate) fn prepare(
    place: Workplace,
    file: PlanFile,
    config: Config,
    driving: &Driving,
    output: &Output,
) -> Result<Drive, Failure> {
    for warning in file.warnings.iter().chain(&config.warnings) {
        output.note(warning.render().trim_end());
    }
    let settings = settings(&config, driving, &place, &file)?;
    let configured_in = config.shown.clone();
    let rules = rules(config, driving)?;
    preflight::check(&place, &file, &settings, &rules)
        .map_err(|failure| failure.or_about(&configured_in))?;
    budgets::name_silent_agents(&file.plan, &settings, &rules, output);
    let may_ask = !driving.no_input;
    Ok(Drive {
        place,
        file,
        settings,
        rules,
        clear_halt: false,
        anew: false,
        may_ask,
        resume: None,
    })
}

fn settings(
    config: &Config,
    driving: &Driving,
    place: &Workplace,
    file: &PlanFile,
) -> Result<Settings, Failure> {
    let mut settings = config.settings.clone();
    settings.source = file.path.to_string_lossy().into_owned();
    file.how.note(&mut settings);
    settings.pinned = pinned(config, place, file);
    if let Some(parallel) = driving.parallel {
        settings.parallel = parallel;
    }
    let word = |flag: &Option<String>| flag.clone().unwrap_or_default();
    settings.schedule = Schedule::from_word(&word(&driving.schedule)).unwrap_or(settings.schedule);
    settings.on_orphan =
        OnOrphan::from_word(&word(&driving.on_orphan)).unwrap_or(settings.on_orphan);
    settings.on_decision =
        OnDecision::from_word(&word(&driving.on_decision)).unwrap_or(settings.on_decision);
    settings.on_failure =
        OnFailure::from_word(&word(&driving.on_failure)).unwrap_or(settings.on_failure);
    settings.budget = budgets::limited(driving.budget_usd, driving.budget_tokens, settings.budget);
    settings.task_budget =
        budgets::limited(driving.task_budget_usd, driving.task_budget_tokens, settings.task_budget);
    settings.interactive = driving.interactive;
    if let Some(task) = &driving.task {
        let id = TaskId::new(task.as_str()).ok().filter(|id| file.plan.position(id).is_some());
        settings.only = Some(id.ok_or_else(|| {
            let near = afresh_core::plan::nearest(
                task,
                file.plan.tasks().iter().map(|task| task.id.as_str()),
            );
            let failure = Failure::usage("task", format!("the plan has no task {task:?}"));
            match near {
                Some(near) => failure.help(format!("did you mean {near:?}?")),
                None => failure,
            }
        })?);
    }
    Ok(settings)
}

/// The files inside the repository that the run rests on: its plan, and scripts of its agents.
fn pinned(config: &Config, place: &Workplace, file: &PlanFile) -> Vec<String> {
    let Some(root) = place.repository.root().and_then(|root| root.canonicalize().ok()) else {
        return Vec::new();
    };
    let scripts = config.agents.values().filter_map(|agent| match &agent.kind {
        Kind::Scripted { script } => Some(&script.path),
        Kind::Command { .. } => None,
    });
    let plan = std::iter::once(&file.path).chain(&file.files).filter(|path| !path.is_dir());
    plan.chain(scripts)
        .filter_map(|path| path.strip_prefix(&root).ok())
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
}

fn rules(config: Config, driving: &Driving) -> Result<Rules, Failure> {
    let exe = std::env::current_exe()
        .map_err(|error| Failure::new(Exit::Bug, "exe", error.to_string()))?;
    Ok(Rules {
        agent: driving.agent.clone().or(config.agent).unwrap_or_else(|| "claude".to_owned()),
        agents: config.agents,
        attempt_timeout: Some(config.attempt_timeout),
        silence_timeout: Some(config.silence_timeout),
        output_bytes: config.output_bytes,
        check_timeout: config.check_timeout,
        checks_parallel: config.checks_parallel,
        check_env: config.check_env,
        setup: config.setup,
        keep: config.keep,
        containment: environment::containment().unwrap_or(afresh_process::Containment::Auto),
        environment: environment::all(),
        exe,
    })
}

impl Drive {
    /// Drives it until nothing more can happen by itself.
    pub(crate) fn start_or_continue(mut self, output: &Output) -> Result<Ended, Failure> {
        let taken = self.place.take(&workplace::holder())?;
        let source = self.settings.source.clone();
        let anew = self.anew;
        let same = |run: &Run| !anew && run.settings().source == source;
        let (open, opening) = match taken.find(same)? {
            Some(found) => {
                if let Some(refused) = halted(&found.run, self.clear_halt) {
                    return Err(refused);
                }
                // Money that was limited once stays limited, until another limit is given.
                let (now, before) = (&mut self.settings, found.run.settings());
                now.budget =
                    budgets::limited(now.budget.cost_micros, now.budget.tokens, before.budget);
                let own = now.task_budget;
                now.task_budget = budgets::limited(own.cost_micros, own.tokens, before.task_budget);
                let opening = Opening {
                    plan: Some(self.file.plan.clone()),
                    settings: Some(self.settings.clone()),
                    clear_halt: self.clear_halt,
                    resume: self.resume.or_else(|| self.offer(&found.run, output)),
                };
                (taken.take_up(found.run, found.last_at), opening)
            }
            None => (start(taken, &self, output)?, Opening::default()),
        };
        open.keep_branch()?;
        self.drive(open, opening, output)
    }

    /// Offers the ways to take up an interrupted wave, where there is one and somebody to ask.
    fn offer(&self, run: &Run, output: &Output) -> Option<Resume> {
        let asker = Asker::there(output).filter(|_| self.may_ask)?;
        let question = interruption::of(run)?.question();
        let chosen = asker.choose(&question, &interruption::CHOICES, output)?;
        Some(interruption::WAYS[chosen])
    }

    fn drive(self, open: OpenRun, opening: Opening, output: &Output) -> Result<Ended, Failure> {
        let started = Instant::now();
        let person = Person::at_terminal(output).filter(|_| self.may_ask);
        let watchers = watchers(&self.place, person.as_ref(), output)?;
        let mut driver = Driver::new(open, self.rules, watchers)?;
        signals::listen(driver.mailer())
            .map_err(|error| Failure::new(Exit::Bug, "signals", error.to_string()))?;
        if let Some(person) = person {
            driver.wait_for_answers(person.presence());
            person.listen(driver.run(), driver.mailer());
        }
        let standing = driver.drive(opening)?;
        let (run, took) = (driver.run().clone(), started.elapsed());
        Ok(Ended { run, standing, took, layout: self.place.layout })
    }
}

fn start(taken: Taken, drive: &Drive, output: &Output) -> Result<OpenRun, Failure> {
    let open = taken.start(drive.file.plan.clone(), drive.settings.clone())?;
    let (run, plan) = (open.run.id(), open.run.plan());
    let mark = output.paint(Paint::Blue, "run");
    output.note(&format!(
        "{mark} {run}: {} in {} on {}",
        count(plan.len(), "task"),
        count(plan.waves().len(), "wave"),
        open.run.branch()
    ));
    Ok(open)
}

fn halted(run: &Run, clear: bool) -> Option<Failure> {
    let halt = run.halt().filter(|_| !clear)?;
    let message = format!("run {} was halted by {}: {}", run.id(), halt.by, halt.reason);
    Some(
        Failure::new(Exit::Halted, "halted", message)
            .help("`afresh resume` clears the halt and goes on"),
    )
}

fn watchers(
    place: &Workplace,
    person: Option<&Person>,
    output: &Output,
) -> Result<Vec<Box<dyn Watcher>>, Failure> {
    let log = ActivityLog::open(&place.layout.activity_log(), moment::iso).map_err(|error| {
        Failure::usage("log", format!("cannot write {}", place.layout.activity_log().display()))
            .cause(error.to_string())
    })?;
    let view: Box<dyn Watcher> = if output.json {
        Box::new(EventLines { output: output.clone() })
    } else {
        let asked = person.map_or(Questions::ToldHere, |_| Questions::AskedElsewhere);
        Box::new(Progress::new(output.clone(), asked))
    };
    let issues = IssueList::new(place.layout.issues(), moment::iso);
    let page = StatePage::new(place.layout.state_page());
    let mut watchers: Vec<Box<dyn Watcher>> =
        vec![Box::new(log), Box::new(issues), Box::new(page), view];
    watchers.extend(person.map(|person| Box::new(person.clone()) as Box<dyn Watcher>));
    Ok(watchers)
}
