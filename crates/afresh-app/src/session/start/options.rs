//! How to run: options win over the configuration.

use std::collections::BTreeMap;
use std::path::PathBuf;

use afresh_agents::{AgentKind, PromptRole};
use afresh_core::hook::HookPoint;
use afresh_core::ids::TaskId;
use afresh_core::plan::nearest;
use afresh_core::run::settings::{
    FilterRule, MergePolicy, OnChange, OnDecision, OnFailure, OnOrphan, OnRedBase, ProbeScope,
    ReviewPolicy, ReviewWhen, Schedule, Settings,
};
use afresh_core::usage::Budget;
use afresh_engine::RepoContext;
use afresh_proxy::HostPattern;

use crate::config::Config;
use crate::config::policy::budget;
use crate::config::policy::hook_consent::HookChoice;
use crate::error::AppError;
use crate::plan_source::PlanFile;
use crate::session::briefing;

/// What the user asks of a run, beyond the configuration.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// How many workers run at the same time.
    pub parallel: Option<u16>,
    /// The default agent.
    pub agent: Option<String>,
    /// The model of every task, whatever its size.
    pub model: Option<String>,
    pub schedule: Option<Schedule>,
    /// Run this task only.
    pub task: Option<String>,
    /// Ask before each task.
    pub interactive: bool,
    /// One of [`crate::config::policy::sandbox::WORDS`].
    pub sandbox: Option<String>,
    /// Checks may reach the network.
    pub check_network: bool,
    /// What the user says about the configuration's hooks.
    pub hooks: HookChoice,
    /// One of [`crate::config::policy::network::WORDS`].
    pub agent_network: Option<String>,
    /// Which checks run before the first worker.
    pub probe: Option<ProbeScope>,
    pub on_red_base: Option<OnRedBase>,
    pub on_orphan: Option<OnOrphan>,
    pub on_decision: Option<OnDecision>,
    pub on_failure: Option<OnFailure>,
    /// Which work is reviewed.
    pub review: Option<ReviewWhen>,
    /// For this session alone.
    pub on_change: Option<OnChange>,
    pub budget: Budget,
    pub task_budget: Budget,
    /// Variables of workers and checks that are not the user's.
    pub variables: BTreeMap<String, String>,
    /// Hosts that workers may reach in addition to their allowlists.
    pub hosts: Vec<HostPattern>,
}

impl RunOptions {
    /// The options that a run keeps for its later sessions (ST-07). Budgets are kept as settings; `--task` and
    /// `--interactive` are of one session.
    pub fn to_flags(&self) -> BTreeMap<String, String> {
        let flags = [
            ("parallel", self.parallel.map(|number| number.to_string())),
            ("agent", self.agent.clone()),
            ("model", self.model.clone()),
            ("schedule", self.schedule.map(|it| it.word().to_owned())),
            ("sandbox", self.sandbox.clone()),
            ("check-network", self.check_network.then(|| "on".to_owned())),
            ("no-hooks", (self.hooks == HookChoice::Omit).then(|| "on".to_owned())),
            ("agent-network", self.agent_network.clone()),
            ("probe", self.probe.map(|it| it.word().to_owned())),
            ("on-red-base", self.on_red_base.map(|it| it.word().to_owned())),
            ("on-orphan", self.on_orphan.map(|it| it.word().to_owned())),
            ("on-decision", self.on_decision.map(|it| it.word().to_owned())),
            ("on-failure", self.on_failure.map(|it| it.word().to_owned())),
            ("review", self.review.map(|it| it.word().to_owned())),
        ];
        let given = flags.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        given.collect()
    }

    /// The same, with the options of an earlier session where this one gives none.
    #[must_use]
    pub fn or_flags(self, flags: &BTreeMap<String, String>) -> Self {
        let flag = |name: &str| flags.get(name).cloned();
        let word = |name: &str| flags.get(name).map(String::as_str);
        Self {
            parallel: self.parallel.or_else(|| word("parallel")?.parse().ok()),
            agent: self.agent.or_else(|| flag("agent")),
            model: self.model.or_else(|| flag("model")),
            schedule: self.schedule.or_else(|| Schedule::from_word(word("schedule")?)),
            sandbox: self.sandbox.or_else(|| flag("sandbox")),
            check_network: self.check_network || flags.contains_key("check-network"),
            hooks: match self.hooks {
                HookChoice::IfAllowed if flags.contains_key("no-hooks") => HookChoice::Omit,
                choice => choice,
            },
            agent_network: self.agent_network.or_else(|| flag("agent-network")),
            probe: self.probe.or_else(|| ProbeScope::from_word(word("probe")?)),
            on_red_base: self.on_red_base.or_else(|| OnRedBase::from_word(word("on-red-base")?)),
            on_orphan: self.on_orphan.or_else(|| OnOrphan::from_word(word("on-orphan")?)),
            on_decision: self.on_decision.or_else(|| OnDecision::from_word(word("on-decision")?)),
            on_failure: self.on_failure.or_else(|| OnFailure::from_word(word("on-failure")?)),
            review: self.review.or_else(|| ReviewWhen::from_word(word("review")?)),
            ..self
        }
    }
}

/// What the core decides by.
pub(in crate::session) fn settings(
    config: &Config,
    options: &RunOptions,
    repository: &RepoContext,
    file: &PlanFile,
) -> Result<Settings, AppError> {
    let configured = config.settings.clone();
    let settings = Settings {
        source: file.path.to_string_lossy().into_owned(),
        pinned: pinned_files(config, repository, file),
        parallel: options.parallel.unwrap_or(configured.parallel),
        schedule: options.schedule.unwrap_or(configured.schedule),
        probe: options.probe.unwrap_or(configured.probe),
        on_red_base: options.on_red_base.unwrap_or(configured.on_red_base),
        on_orphan: options.on_orphan.unwrap_or(configured.on_orphan),
        on_decision: options.on_decision.unwrap_or(configured.on_decision),
        on_failure: options.on_failure.unwrap_or(configured.on_failure),
        review: review_policy(config, options, file),
        merge: merge_policy(config, options),
        budget: budget::or_earlier(options.budget, configured.budget),
        task_budget: budget::or_earlier(options.task_budget, configured.task_budget),
        agent: default_agent(config, options),
        interactive: options.interactive,
        only: options.task.as_deref().map(|task| only_task(task, file)).transpose()?,
        ..configured
    };
    Ok(file.how.record_in(settings))
}

/// How work is merged. A hook before checks may hold them back, so they run before anything is merged.
fn merge_policy(config: &Config, options: &RunOptions) -> MergePolicy {
    let hooks = config.hooks.commands.get(&HookPoint::BeforeCheck);
    let has_hook = options.hooks != HookChoice::Omit && hooks.is_some_and(|list| !list.is_empty());
    let configured = config.settings.merge;
    let filter = if has_hook { FilterRule::Always } else { configured.filter };
    MergePolicy { slots: config.checks_parallel, filter, ..configured }
}

/// When work is reviewed. What planners write is judged by rules and by a verifier of their own.
fn review_policy(config: &Config, options: &RunOptions, file: &PlanFile) -> ReviewPolicy {
    if file.is_planning() {
        return ReviewPolicy::default();
    }
    let configured = config.settings.review.clone();
    ReviewPolicy { when: options.review.unwrap_or(configured.when), ..configured }
}

/// The agent that reviews, if any work is to be reviewed.
pub(in crate::session) fn reviewer(
    config: &Config,
    options: &RunOptions,
    file: &PlanFile,
    default_agent: &str,
) -> Option<String> {
    let policy = review_policy(config, options, file);
    let agent = if policy.agent.is_empty() { default_agent.to_owned() } else { policy.agent };
    (policy.when != ReviewWhen::Never).then_some(agent)
}

/// The default agent.
pub fn default_agent(config: &Config, options: &RunOptions) -> String {
    let named = options.agent.clone().or_else(|| config.agent.clone());
    named.unwrap_or_else(|| "claude".to_owned())
}

/// The task that `--task` names.
pub fn only_task(task: &str, file: &PlanFile) -> Result<TaskId, AppError> {
    let id = TaskId::new(task).ok().filter(|id| file.plan.index_of(id).is_some());
    id.ok_or_else(|| {
        let near = nearest(task, file.plan.tasks().iter().map(|task| task.id.as_str()));
        let failure = AppError::usage("task", format!("the plan has no task {task:?}"));
        match near {
            Some(near) => failure.hint(format!("did you mean {near:?}?")),
            None => failure.hint("`afresh show PLAN` lists its tasks"),
        }
    })
}

/// The files inside the repository that no worker may change: the plan, scripts of agents and of hooks, and the
/// prompt templates.
fn pinned_files(config: &Config, repository: &RepoContext, file: &PlanFile) -> Vec<String> {
    let Some(root) = repository.git.root().and_then(|root| root.canonicalize().ok()) else {
        return Vec::new();
    };
    let scripts = config.agents.values().filter_map(|agent| match &agent.kind {
        AgentKind::Scripted { script } => Some(&script.path),
        AgentKind::Command { .. } | AgentKind::Program(_) | AgentKind::Acp(_) => None,
    });
    let plan = std::iter::once(&file.path).chain(&file.files).filter(|path| !path.is_dir());
    let templates =
        PromptRole::ALL.map(|role| root.join(briefing::TEMPLATES).join(role.file_name()));
    let hooks = config.hooks.commands.values().flatten();
    let hooks: Vec<PathBuf> = hooks
        .flat_map(|command| command.split([' ', '\t', ';', '&', '|', '"', '\'', '(', ')']))
        .filter(|word| !word.is_empty())
        .map(|word| root.join(word))
        .filter(|path| path.is_file())
        .collect();
    plan.chain(scripts)
        .chain(&hooks)
        .chain(templates.iter().filter(|template| template.is_file()))
        .filter_map(|path| path.strip_prefix(&root).ok())
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
}
