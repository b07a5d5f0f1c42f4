//! A session: from a plan and a configuration to a run that can be driven.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`await_person`] | waiting until a run needs a person or has ended |
//! | [`by_hand`] | driving a run without agents, for one step that a person takes |
//! | [`briefing`] | the files that every prompt of a run contains |
//! | [`control`] | commands to a run, whether another process drives it or none does |
//! | [`fork`] | a new run that starts from an earlier merge of another one |
//! | [`interruption`] | an interrupted wave, and the ways to continue |
//! | [`open`] | locking the repository; continuing the plan's run or starting one |
//! | [`probe`] | what checks show before any work, without a run |
//! | [`prose`] | plans whose tasks have no commands for checks |
//! | [`runs`] | the list of all runs, and the one that a command is about |
//! | [`start`] | how a run is started, from what, and what must be true before |
//! | [`tracing`] | the requirements of a plan, with what a run says about them |
//! | [`view_command`] | what a person does in a view: answers, retries, skips, halts |
//!
//! Terms are built once and whole: [`plan_terms`] for everything that needs only the plan, and
//! [`Session::prepare`] for a run.

pub mod await_person;
pub mod briefing;
pub mod by_hand;
pub mod control;
pub mod fork;
pub mod interruption;
pub mod open;
pub mod probe;
pub mod prose;
pub mod runs;
pub mod start;
pub mod tracing;
pub mod view_command;

use std::collections::BTreeMap;
use std::sync::Arc;

use afresh_agents::bundle::surroundings::{SandboxedWorker, WorkerSurroundings};
use afresh_core::run::settings::{OnChange, Settings};
use afresh_engine::execution_config::WorkerConfig;
use afresh_engine::{ExecutionConfig, RepoContext};
use afresh_secrets::redact;

use crate::agents::assignment::AgentSet;
use crate::config::policy::network::{self, NetworkRequest};
use crate::config::policy::{budget, hook_consent, limits, sandbox};
use crate::config::{Config, TerminalNotify};
use crate::context::AppContext;
use crate::context::environment::Environment;
use crate::error::AppError;
use crate::notice::Notice;
use crate::plan_source::PlanFile;
use start::ground::PreparedGround;
pub use start::options::RunOptions;

/// A plan and everything that a run of it needs; nothing has been touched yet.
#[derive(Debug)]
pub struct PreparedRun {
    pub repository: RepoContext,
    pub file: PlanFile,
    /// What the core decides by; recorded in the journal.
    pub settings: Settings,
    /// How the executor carries it out; of this machine and this session alone.
    pub execution: ExecutionConfig,
    /// Whether the terminal draws attention to questions and to the end.
    pub notify: TerminalNotify,
    /// What to do if files of the run changed, for this session alone.
    pub on_change: Option<OnChange>,
    /// What the plan and the terms were made from.
    pub ground: PreparedGround,
    /// Files that a new run adds to the commit that it starts from, by path.
    pub base_files: BTreeMap<String, Vec<u8>>,
}

/// What a run is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunPurpose {
    Work,
    /// To work on it by hand: no agent of its tasks has to be in place.
    ByHand,
    /// To save what its attempts left, and to end it.
    End,
}

/// Prepares runs with the user's options.
#[derive(Debug, Clone, Copy)]
pub struct Session<'a> {
    pub context: &'a AppContext,
    pub options: &'a RunOptions,
}

impl Session<'_> {
    /// Reads, decides and checks everything that can be wrong before anything is touched.
    pub fn prepare(
        &self,
        repository: RepoContext,
        file: PlanFile,
        config: Config,
        notices: &mut Vec<Notice>,
    ) -> Result<PreparedRun, AppError> {
        self.prepare_for(RunPurpose::Work, repository, file, config, notices)
    }

    /// The same for a run whose tasks people do by hand.
    pub fn prepare_by_hand(
        &self,
        repository: RepoContext,
        file: PlanFile,
        config: Config,
        notices: &mut Vec<Notice>,
    ) -> Result<PreparedRun, AppError> {
        self.prepare_for(RunPurpose::ByHand, repository, file, config, notices)
    }

    /// The same for a run that is only to be ended: nothing has to be in place for workers.
    pub fn prepare_to_end(
        &self,
        repository: RepoContext,
        file: PlanFile,
        config: Config,
    ) -> Result<PreparedRun, AppError> {
        self.prepare_for(RunPurpose::End, repository, file, config, &mut Vec::new())
    }

    fn prepare_for(
        &self,
        purpose: RunPurpose,
        repository: RepoContext,
        mut file: PlanFile,
        config: Config,
        notices: &mut Vec<Notice>,
    ) -> Result<PreparedRun, AppError> {
        let environment = &self.context.environment;
        let mut ground = PreparedGround::read(&repository, &file);
        let warnings = file.warnings.iter().chain(&config.warnings);
        notices.extend(warnings.map(|warning| Notice::new(warning.render().trim_end())));
        let in_config = |failure: AppError| failure.or_in_file(&config.shown);
        let terms = plan_terms(&repository, &mut file, &config, self.options, environment, notices);
        let PlanTerms { settings, mut workers } = terms.map_err(in_config)?;
        ground.add_sources(&repository, &file, &workers);
        if purpose == RunPurpose::Work {
            notices.extend(start::left_out_config::check(&repository, &config)?);
            start::preflight::check(&repository, &file, &settings, &workers).map_err(in_config)?;
            notices.extend(start::preflight::missing_logins(&file, &workers, environment));
        }
        if purpose == RunPurpose::ByHand {
            start::preflight::check_by_hand(&repository, &file, &settings, &workers)
                .map_err(in_config)?;
        }
        let chosen = sandbox::choose(config.sandbox, self.options, environment)?;
        notices.extend(chosen.notice.clone());
        limits::delegate_controllers();
        let bounds = limits::bounds(config.sandbox.limits);
        let request = NetworkRequest {
            option: self.options.agent_network.as_deref(),
            config: config.sandbox.agent_network,
            more_hosts: &self.options.hosts,
            level: &chosen.level,
            root: &file.root(),
            environment,
        };
        let network = network::choose(&request, &workers, &file.plan)?;
        notices.extend(network.notices.iter().map(Notice::new));
        if !chosen.level.is_off() {
            workers.surroundings.sandbox = SandboxedWorker::Yes;
            workers.surroundings.listed_network = network.listed_agents();
        }
        let settings = Settings {
            flags: self.options.to_flags(),
            limits: limits::describe(&bounds),
            sandbox: sandbox::describe(&chosen.level, &chosen.passed_over, &network.summary),
            writeback: start::progress_target::choose(
                config.writeback,
                &repository,
                &file,
                notices,
            ),
            ..settings
        };
        notices.extend(budget::agents_without_usage(&file.plan, &settings, &workers));
        notices.extend(budget::weak_budgets(&file.plan, &settings, &workers));
        let (hooks, notice) =
            hook_consent::choose(config.hooks, self.options, &repository, &config.shown)?;
        notices.extend(notice);
        let execution = ExecutionConfig {
            attempt_timeout: Some(config.attempt_timeout),
            silence_timeout: Some(config.silence_timeout),
            output_bytes: config.output_bytes,
            check_timeout: config.check_timeout,
            checks_parallel: config.checks_parallel,
            probe_limit: config.probe_limit,
            probe_cache: Some(repository.layout.probe_cache()),
            setup: config.setup,
            keep: config.keep,
            containment: environment.containment().unwrap_or(afresh_process::Containment::Auto),
            bounds,
            quota: config.quota,
            hooks,
            sandbox: chosen.with_network(network, environment),
            exe: environment.executable.clone(),
            workers,
        };
        let on_change = self.options.on_change;
        let base_files = BTreeMap::new();
        Ok(PreparedRun {
            repository,
            file,
            settings,
            execution,
            notify: config.notify,
            on_change,
            ground,
            base_files,
        })
    }
}

/// What follows from a plan and a configuration alone: enough to make bundles and to check the plan.
#[derive(Debug)]
pub struct PlanTerms {
    pub settings: Settings,
    pub workers: WorkerConfig,
}

/// Builds the terms of a plan, and redacts the plan by them.
pub fn plan_terms(
    repository: &RepoContext,
    file: &mut PlanFile,
    config: &Config,
    options: &RunOptions,
    environment: &Environment,
    notices: &mut Vec<Notice>,
) -> Result<PlanTerms, AppError> {
    let settings = start::options::settings(config, options, repository, file)?;
    let root = file.root();
    let settings = prose::add_repository_checks(file, settings, &root, notices);
    let agents = AgentSet::load(config, options, file, environment, notices)?;
    let pinned = settings.pinned.iter().cloned().chain(agents.definitions_inside(&root));
    let pinned = pinned.collect();
    let briefing_root = briefing::root(repository, file);
    let workers =
        worker_config(config, options, file, agents, &briefing_root, environment, notices)?;
    let sources = workers.briefing.sources.iter().cloned().chain(config.checksum.clone());
    let digests: BTreeMap<String, String> = sources.map(|it| (it.path, it.sha256)).collect();
    // The plan goes into the journal, prompts, commits and reports (B36).
    let secrets = workers.secrets();
    file.plan.reword(|text| redact(text, &secrets));
    Ok(PlanTerms { settings: Settings { pinned, digests, ..settings }, workers })
}

/// The agents with what their prompts contain.
pub fn worker_config(
    config: &Config,
    options: &RunOptions,
    file: &PlanFile,
    agents: AgentSet,
    root: &std::path::Path,
    environment: &Environment,
    notices: &mut Vec<Notice>,
) -> Result<WorkerConfig, AppError> {
    let mut briefing = briefing::load(root, file, notices)?;
    let AgentSet { default_agent, agents, definitions } = agents;
    definitions.add_to(&file.root(), &mut briefing);
    Ok(WorkerConfig {
        reviewer: start::options::reviewer(config, options, file, &default_agent),
        agents,
        default_agent,
        prices: Arc::new(config.prices.clone()),
        briefing: Arc::new(briefing),
        check_env: config.check_env.clone(),
        environment: environment.all().into_iter().chain(options.variables.clone()).collect(),
        surroundings: WorkerSurroundings {
            time_limit: Some(config.attempt_timeout),
            ..WorkerSurroundings::default()
        },
    })
}
