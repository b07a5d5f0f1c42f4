//! Opening a run: lock the repository, then continue the plan's run or start one.

use std::collections::{BTreeMap, BTreeSet};

use afresh_agents::bundle::FileChecksum;
use afresh_core::Run;
use afresh_core::estimate::forecast::RunForecast;
use afresh_core::ids::RunId;
use afresh_core::input::{Dispatch, ResumeMode, RunOpening};
use afresh_core::run::settings::{OnChange, Settings};
use afresh_engine::driver::local::LocalHost;
use afresh_engine::execution_config::WorkerConfig;
use afresh_engine::{Driver, ExecutionConfig, OpenRun, RepoContext, Reporter};

use super::PreparedRun;
use super::interruption::InterruptedWave;
use super::runs::{self, repositories};
use super::start::preflight;
use crate::agents::agent_files;
use crate::config::policy::budget;
use crate::context::AppContext;
use crate::error::AppError;
use crate::notice::Notice;
use crate::plan_source::PlanFile;
use crate::plan_source::estimates::ContextEstimates;
use crate::plan_source::estimates::forecast::{forecast_plan, read_samples};

/// What the user wants of a run that exists.
#[derive(Debug, Clone, Default)]
pub struct RunRequest {
    /// The run; none: the last one of the plan.
    pub run: Option<RunId>,
    pub halt: HaltedRun,
    pub existing: ExistingRun,
    /// How to continue an interrupted wave; none: ask, or continue as usual.
    pub resume: Option<ResumeMode>,
    pub dispatch: Dispatch,
}

/// What to do with a halted run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum HaltedRun {
    #[default]
    Refuse,
    ClearHalt,
}

/// What to do where a run of this plan exists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ExistingRun {
    #[default]
    Continue,
    StartNew,
}

/// Asks how to continue an interrupted wave; none: as usual.
pub type ChooseResume<'a> = &'a dyn Fn(&InterruptedWave) -> Option<ResumeMode>;

/// A run with the repository's lock held.
#[derive(Debug)]
pub struct OpenedRun {
    pub repository: RepoContext,
    /// Whether this session started it.
    pub is_new: bool,
    open: OpenRun,
    opening: RunOpening,
    execution: ExecutionConfig,
}

impl PreparedRun {
    /// Locks the repository, and continues the plan's run or starts one.
    pub fn open(
        self,
        request: &RunRequest,
        context: &AppContext,
        choose_resume: ChooseResume<'_>,
        notices: &mut Vec<Notice>,
    ) -> Result<OpenedRun, AppError> {
        let Self {
            repository,
            file,
            mut settings,
            execution,
            notify: _,
            on_change,
            mut ground,
            base_files,
        } = self;
        let locked = match request.existing {
            ExistingRun::Continue => repository.lock(&context.lock_holder())?,
            ExistingRun::StartNew => repository.lock_for_new_run(&context.lock_holder())?,
        };
        notices.extend(locked.repairs.iter().map(Notice::new));
        repositories::remember(&repository);
        ground.check_files(&repository)?;
        let source = settings.source.clone();
        let is_wanted = |run: &Run| match &request.run {
            Some(id) => run.id() == id,
            None => request.existing == ExistingRun::Continue && run.settings().source == source,
        };
        let found = locked.find_run(is_wanted)?;
        // A run that ended before any worker started holds nothing: perhaps its base was fixed since.
        let is_empty = |run: &Run| run.is_ended_for_good() && !run.has_attempts();
        let Some(found) = found.filter(|it| request.run.is_some() || !is_empty(&it.run)) else {
            notices.extend(ground.check_head(&repository, &file)?);
            preflight::check_agents_are_committed(&repository, &execution.workers, None)?;
            notices.extend(preflight::uncommitted_files(&repository, &file));
            notices.extend(runs::note_unfinished(&repository)?);
            // The tasks of a planning run, which brings its own files, are another kind of work.
            let forecast = base_files
                .is_empty()
                .then(|| forecast_run(&file, &settings, &execution.workers, &repository));
            let mut open = locked.start_run(file.plan, settings, &base_files)?;
            open.keep_branch()?;
            let dispatch = request.dispatch;
            let opening = RunOpening { forecast, dispatch, ..RunOpening::default() };
            return Ok(OpenedRun { repository, is_new: true, open, opening, execution });
        };
        if let Some(refused) = refuse_ended(&found.run) {
            return Err(refused);
        }
        if let Some(refused) = refuse_halted(&found.run, request.halt) {
            return Err(refused);
        }
        if request.resume != Some(ResumeMode::Abort) {
            let run = Some(&found.run);
            preflight::check_agents_are_committed(&repository, &execution.workers, run)?;
            let workers = &execution.workers;
            notices.extend(agent_files::note_outdated(&repository, workers, &found.run));
        }
        let before = found.run.settings();
        let mut changed = changed_files(&before.digests, &settings.digests);
        changed.retain(|path| !is_own_progress(&repository, &found.run, &settings, path));
        refuse_change(before, &settings, on_change, &changed)?;
        notices.extend(describe_change(&changed));
        // A budget stays in force until another one is given.
        settings.budget = budget::or_earlier(settings.budget, before.budget);
        settings.task_budget = budget::or_earlier(settings.task_budget, before.task_budget);
        notices.extend(changed_settings(before, &settings));
        let plan = found.run.without_own_marks(&file.plan);
        let is_changed = !plan.has_same_tasks_as(found.run.plan());
        let forecast = (is_changed && base_files.is_empty())
            .then(|| forecast_run(&file, &settings, &execution.workers, &repository));
        let ask = || choose_resume(&InterruptedWave::find(&found.run)?);
        let opening = RunOpening {
            plan: Some(file.plan),
            settings: Some(settings),
            forecast,
            clear_halt: request.halt == HaltedRun::ClearHalt || waits_for_machine(&found.run),
            resume: request.resume.or_else(ask),
            dispatch: request.dispatch,
        };
        let repaired = locked.repairs.len();
        let mut open = locked.open_run(found.run, found.last_at);
        open.keep_branch()?;
        if request.resume != Some(ResumeMode::Abort) {
            open.check_branch_in_place()?;
        }
        notices.extend(open.repo.repairs[repaired..].iter().map(Notice::new));
        Ok(OpenedRun { repository, is_new: false, open, opening, execution })
    }
}

impl OpenedRun {
    /// What the run is expected to take, if this session computed it.
    pub fn forecast(&self) -> Option<&RunForecast> {
        self.opening.forecast.as_ref()
    }

    pub fn run(&self) -> &Run {
        &self.open.run
    }

    /// The driver of the run, and how it begins.
    pub fn into_driver(
        self,
        reporters: Vec<Box<dyn Reporter>>,
    ) -> Result<(Driver<LocalHost>, RunOpening), AppError> {
        Ok((Driver::local(self.open, self.execution, reporters)?, self.opening))
    }
}

/// What the plan is expected to take, by the journal as it is now.
fn forecast_run(
    file: &PlanFile,
    settings: &Settings,
    workers: &WorkerConfig,
    repository: &RepoContext,
) -> RunForecast {
    let estimates = ContextEstimates::new(&file.plan, &file.root());
    forecast_plan(&file.plan, &estimates, settings, workers, &read_samples(repository))
}

/// Files that a run depends on are read once per session (B28): those that differ from the last
/// session.
fn changed_files(before: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<String> {
    // Earlier versions recorded none.
    if before.is_empty() {
        return Vec::new();
    }
    let paths: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let changed = paths.into_iter().filter(|path| before.get(*path) != now.get(*path));
    changed.cloned().collect()
}

/// Whether a file has landed as the run itself wrote it, with its own progress (ST-07).
fn is_own_progress(repository: &RepoContext, run: &Run, now: &Settings, path: &str) -> bool {
    if run.settings().writeback.is_none() {
        return false;
    }
    let written = repository.git.show_file(run.tip(), path).ok().flatten();
    let written = written.map(|bytes| FileChecksum::from_bytes(path, &bytes).sha256);
    written.is_some() && written.as_ref() == now.digests.get(path)
}

/// The user is shown what was read again.
fn describe_change(changed: &[String]) -> Option<Notice> {
    (!changed.is_empty()).then(|| {
        Notice::note(format!(
            "these files changed since the last session and were read again: {}",
            changed.join(", ")
        ))
    })
}

/// What was started to refuse changes does so even if the change is to that very setting.
fn refuse_change(
    before: &Settings,
    now: &Settings,
    wanted: Option<OnChange>,
    changed: &[String],
) -> Result<(), AppError> {
    let configured = [before.on_change, now.on_change].contains(&OnChange::Refuse);
    let refuses = wanted.map_or(configured, |wanted| wanted == OnChange::Refuse);
    if !refuses || changed.is_empty() {
        return Ok(());
    }
    let files = changed.join(", ");
    let message = format!("these files changed since the run was last driven: {files}");
    Err(AppError::usage("changed", message).hint(
        "`on_change` is \"refuse\"; check the change, then `afresh run --on-change read` continues with it",
    ))
}

/// A run keeps the settings that it was started with; each change is shown with the old and the new value (ST-07).
fn changed_settings(before: &Settings, now: &Settings) -> Vec<Notice> {
    let (before, now) = (before.describe(), now.describe());
    let changed = before.iter().zip(&now).filter(|((_, old), (_, new))| old != new);
    changed
        .map(|((name, old), (_, new))| Notice::note(format!("{name}: {new} (was: {old})")))
        .collect()
}

fn refuse_ended(run: &Run) -> Option<AppError> {
    let why = run.aborted().filter(|_| run.is_ended_for_good())?;
    let message = format!("run {} is over: {why}", run.id());
    Some(AppError::usage("ended", message).hint(
        "`afresh run --new` starts another run of the plan; the branch and saved work of this one are kept",
    ))
}

/// Who starts a run again that the machine stopped has removed the cause.
fn waits_for_machine(run: &Run) -> bool {
    run.halt().is_some_and(|halt| halt.cause.is_some())
}

fn refuse_halted(run: &Run, wanted: HaltedRun) -> Option<AppError> {
    let halt = run.halt().filter(|_| wanted == HaltedRun::Refuse && !waits_for_machine(run))?;
    let message = format!("run {} was halted by {}: {}", run.id(), halt.by, halt.reason);
    Some(AppError::halted(message).hint("`afresh resume` clears the halt and continues"))
}
