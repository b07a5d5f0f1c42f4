//! What checks show before any work, without a run and without any agent (TR-01).
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`findings`] | what was found, as findings at the places of the checks |
//! | [`rerun`] | running the checks of receipts again |

pub mod findings;
pub mod rerun;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use afresh_agents::Briefing;
use afresh_agents::bundle::surroundings::WorkerSurroundings;
use afresh_core::Plan;
use afresh_core::effect::ProbeRequest;
use afresh_core::ids::{CommitId, TaskId};
use afresh_core::plan::{Check, Task};
use afresh_core::probe::ProbedCheck;
use afresh_engine::execution_config::{HookConfig, WorkerConfig};
use afresh_engine::reports::flaky::FlakyHistory;
use afresh_engine::{ExecutionConfig, RepoContext, StandaloneProbe, journal_records};

use crate::config::Config;
use crate::config::policy::network::ChosenNetwork;
use crate::config::policy::{limits, sandbox};
use crate::context::AppContext;
use crate::error::AppError;
use crate::notice::Notice;
use crate::session::RunOptions;

/// How a probe is to be done.
#[derive(Debug, Clone, Default)]
pub struct ProbeOptions {
    /// One of [`crate::config::policy::sandbox::WORDS`].
    pub sandbox: Option<String>,
    /// Checks may reach the network.
    pub check_network: bool,
    /// How often a failed check of a task runs again, to tell flaky from failing.
    pub reruns: u32,
    /// Run everything, whatever an earlier probe has shown.
    pub fresh: bool,
    /// The time limit of all checks together; none: as configured.
    pub limit: Option<Duration>,
}

/// A probe that is ready to start.
#[derive(Debug)]
pub struct PreparedProbe {
    probe: StandaloneProbe,
    request: ProbeRequest,
}

/// The checks of a probe.
struct CheckLists {
    own: Vec<Check>,
    /// Commands of every merge.
    always: Vec<String>,
}

/// The checks of a plan that a worker's work is judged by: not those of tasks that are done or ask a person.
pub fn probed_tasks(plan: &Plan) -> impl Iterator<Item = &Task> {
    plan.tasks().iter().filter(|task| task.done_before.is_none() && task.checkpoint.is_none())
}

/// The tasks that each command judges.
pub fn tasks_by_command(plan: &Plan) -> BTreeMap<&str, Vec<&TaskId>> {
    let mut tasks: BTreeMap<&str, Vec<&TaskId>> = BTreeMap::new();
    for task in probed_tasks(plan) {
        for check in task.all_checks() {
            let known = tasks.entry(&check.command).or_default();
            if known.last() != Some(&&task.id) {
                known.push(&task.id);
            }
        }
    }
    tasks
}

impl PreparedProbe {
    /// Prepares a probe of a plan's checks and of those of every merge, on the current commit.
    pub fn for_plan(
        context: &AppContext,
        repository: &RepoContext,
        plan: &Plan,
        config: &Config,
        options: &ProbeOptions,
        notices: &mut Vec<Notice>,
    ) -> Result<Self, AppError> {
        let always: BTreeSet<&String> = config.settings.always.iter().collect();
        let mut seen = BTreeSet::new();
        let own = probed_tasks(plan)
            .flat_map(Task::all_checks)
            .filter(|check| !always.contains(&check.command) && seen.insert(check.command.clone()));
        let own: Vec<Check> = own.cloned().collect();
        let checks = CheckLists { own, always: config.settings.always.clone() };
        Self::prepare(context, repository, checks, config, options, notices)
    }

    /// Prepares a probe of these commands alone.
    pub fn for_commands(
        context: &AppContext,
        repository: &RepoContext,
        commands: &BTreeSet<String>,
        config: &Config,
        options: &ProbeOptions,
        notices: &mut Vec<Notice>,
    ) -> Result<Self, AppError> {
        let own = commands.iter().map(|command| Check::from_command(command)).collect();
        let checks = CheckLists { own, always: Vec::new() };
        Self::prepare(context, repository, checks, config, options, notices)
    }

    /// Prepares a probe of the checks of every merge alone.
    pub fn for_every_merge(
        context: &AppContext,
        repository: &RepoContext,
        config: &Config,
        notices: &mut Vec<Notice>,
    ) -> Result<Self, AppError> {
        let options = ProbeOptions::default();
        let checks = CheckLists { own: Vec::new(), always: config.settings.always.clone() };
        Self::prepare(context, repository, checks, config, &options, notices)
    }

    fn prepare(
        context: &AppContext,
        repository: &RepoContext,
        checks: CheckLists,
        config: &Config,
        options: &ProbeOptions,
        notices: &mut Vec<Notice>,
    ) -> Result<Self, AppError> {
        let commit = head(repository)?;
        let execution = execution_config(context, repository, config, options, notices)?;
        let settings = &config.settings;
        let quarantined = settings.quarantine.iter().map(|entry| entry.command.clone());
        let request = ProbeRequest {
            commit,
            own: checks.own,
            always: checks.always.iter().map(|command| Check::from_command(command)).collect(),
            reruns: settings.rerun.max(options.reruns),
            own_reruns: options.reruns,
            known_flaky: quarantined.chain(flaky_before(repository)).collect(),
        };
        Ok(Self { probe: open_probe(repository, execution)?, request })
    }

    /// How many commands will run.
    pub fn count(&self) -> usize {
        self.request.own.len() + self.request.always.len()
    }

    /// Runs them; `on_probed` gets each result as it is known.
    pub fn run(&self, plan: &Plan, on_probed: &(dyn Fn(&ProbedCheck) + Sync)) -> Vec<ProbedCheck> {
        self.probe.measure(&self.request, plan, on_probed)
    }
}

fn open_probe(
    repository: &RepoContext,
    execution: ExecutionConfig,
) -> Result<StandaloneProbe, AppError> {
    StandaloneProbe::open(repository, execution).map_err(|error| {
        AppError::machine("probe", "cannot prepare a workspace for the checks")
            .cause(error.to_string())
            .hint("`afresh doctor` checks the directories that afresh uses")
    })
}

/// The commit that a run would start from.
fn head(repository: &RepoContext) -> Result<CommitId, AppError> {
    let head = repository.git.head().map_err(AppError::git)?;
    head.ok_or_else(|| {
        AppError::usage("unborn", "the repository has no commit yet, so there is nothing to check")
            .hint("commit something first; checks run on a clean checkout of the last commit")
    })
}

/// Commands that earlier runs have shown to be flaky. A journal that cannot be read is the business of other commands.
fn flaky_before(repository: &RepoContext) -> Vec<String> {
    let mut history = FlakyHistory::default();
    for run in repository.all_runs().unwrap_or_default() {
        for record in &run.records {
            if let Ok(event) = journal_records::to_event(record) {
                history.note_event(&event);
            }
        }
    }
    history.into_checks().into_iter().map(|check| check.command).collect()
}

/// How checks are run: as in a run, without any agent.
fn execution_config(
    context: &AppContext,
    repository: &RepoContext,
    config: &Config,
    options: &ProbeOptions,
    notices: &mut Vec<Notice>,
) -> Result<ExecutionConfig, AppError> {
    let environment = &context.environment;
    let run_options = RunOptions {
        sandbox: options.sandbox.clone(),
        check_network: options.check_network,
        ..RunOptions::default()
    };
    let chosen = sandbox::choose(config.sandbox, &run_options, environment)?;
    notices.extend(chosen.notice.clone());
    limits::delegate_controllers();
    Ok(ExecutionConfig {
        workers: WorkerConfig {
            agents: BTreeMap::new(),
            default_agent: String::new(),
            reviewer: None,
            prices: Arc::new(config.prices.clone()),
            briefing: Arc::new(Briefing::default()),
            check_env: config.check_env.clone(),
            environment: environment.all(),
            surroundings: WorkerSurroundings::default(),
        },
        attempt_timeout: None,
        silence_timeout: None,
        output_bytes: config.output_bytes,
        check_timeout: config.check_timeout,
        checks_parallel: config.checks_parallel,
        probe_limit: options.limit.unwrap_or(config.probe_limit),
        probe_cache: (!options.fresh).then(|| repository.layout.probe_cache()),
        setup: config.setup.clone(),
        keep: config.keep.clone(),
        hooks: HookConfig::default(),
        containment: environment.containment().unwrap_or(afresh_process::Containment::Auto),
        bounds: limits::bounds(config.sandbox.limits),
        quota: config.quota,
        sandbox: chosen.with_network(ChosenNetwork::default(), environment),
        exe: environment.executable.clone(),
    })
}
