//! Options of `afresh run` and `afresh resume`: what was typed, and what it means.

use afresh_core::run::settings::{
    OnChange, OnDecision, OnFailure, OnOrphan, OnRedBase, ProbeScope, ReviewWhen, Schedule,
};
use afresh_core::usage::Budget;

use crate::terminal::completion;
use crate::terminal::output::ProgressMode;
use afresh_app::config::policy::hook_consent::HookChoice;
use afresh_app::config::policy::{network, sandbox};
use afresh_app::session::RunOptions;

/// How to run; options win over the configuration.
#[derive(Debug, Clone, Default, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct RunArgs {
    /// How many workers run at the same time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    parallel: Option<u16>,
    /// The default agent, for tasks that name none
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// The model of every task, by the name that the agent program uses
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// eager: start a task as soon as its dependencies are merged; waves: finish each wave first
    #[arg(long, value_parser = possible_values(Schedule::WORDS))]
    schedule: Option<String>,
    /// Run this task only
    #[arg(long, value_name = "ID", add = completion::tasks())]
    task: Option<String>,
    /// Ask before each task
    #[arg(long)]
    interactive: bool,
    /// Sandbox for workers and checks; auto: the strongest available; required: refuse to run without
    #[arg(long, value_name = "LEVEL", value_parser = possible_values(sandbox::WORDS))]
    sandbox: Option<String>,
    /// Let checks reach the network
    #[arg(long)]
    check_network: bool,
    /// Allow the configuration's hooks, as they are written now, in this repository from now on
    #[arg(long, conflicts_with = "no_hooks")]
    allow_hooks: bool,
    /// Run none of the configuration's hooks
    #[arg(long)]
    no_hooks: bool,
    /// Worker network access: allowlist (listed), open, or off. By default, known agents get an allowlist
    #[arg(long, value_name = "MODE", value_parser = possible_values(network::WORDS))]
    agent_network: Option<String>,
    /// on: run every check once before the first worker; off: only those of every merge
    #[arg(long, value_parser = possible_values(&["on", "off"]))]
    probe: Option<String>,
    /// What to do when a check of every merge fails before any work
    #[arg(long, value_parser = possible_values(OnRedBase::WORDS))]
    on_red_base: Option<String>,
    /// Let a fresh agent review work whose checks passed: never, always, or large changes only
    #[arg(long, value_name = "WHEN", value_parser = possible_values(ReviewWhen::WORDS))]
    review: Option<String>,
    /// Never ask in this terminal; exit with code 4 when only a person can continue
    #[arg(long)]
    pub(crate) no_input: bool,
    /// Continue in the background; `afresh attach` follows the run
    #[arg(long, conflicts_with = "interactive")]
    pub(crate) detach: bool,
    /// This is the process in the background
    #[arg(long, hide = true, conflicts_with = "detach")]
    pub(crate) in_background: bool,
    /// How to show progress
    #[arg(long, value_enum, value_name = "MODE", default_value_t = ProgressMode::Auto)]
    pub(crate) progress: ProgressMode,
    /// What to do with attempts that were running when afresh was killed
    #[arg(long, value_parser = possible_values(OnOrphan::WORDS))]
    on_orphan: Option<String>,
    /// How to answer a worker that needs a decision
    #[arg(long, value_parser = possible_values(OnDecision::WORDS))]
    on_decision: Option<String>,
    /// What to do when a task has used up its attempts
    #[arg(long, value_parser = possible_values(OnFailure::WORDS))]
    on_failure: Option<String>,
    /// What to do if the plan, its checks or the configuration changed since the run was last driven
    #[arg(long, value_parser = possible_values(OnChange::WORDS))]
    on_change: Option<String>,
    /// Stop the run at this many dollars
    #[arg(long, value_name = "X", value_parser = parse_usd)]
    budget_usd: Option<u64>,
    /// Stop the run at this many tokens
    #[arg(long, value_name = "N")]
    budget_tokens: Option<u64>,
    /// Stop a task at this many dollars, for all its attempts together
    #[arg(long, value_name = "X", value_parser = parse_usd)]
    task_budget_usd: Option<u64>,
    /// Stop a task at this many tokens, for all its attempts together
    #[arg(long, value_name = "N")]
    task_budget_tokens: Option<u64>,
}

impl RunArgs {
    pub(crate) fn options(&self) -> RunOptions {
        fn parse<T>(word: Option<&String>, from_word: impl Fn(&str) -> Option<T>) -> Option<T> {
            word.and_then(|word| from_word(word))
        }
        RunOptions {
            parallel: self.parallel,
            agent: self.agent.clone(),
            model: self.model.clone(),
            schedule: parse(self.schedule.as_ref(), Schedule::from_word),
            task: self.task.clone(),
            interactive: self.interactive,
            sandbox: self.sandbox.clone(),
            check_network: self.check_network,
            hooks: match (self.allow_hooks, self.no_hooks) {
                (_, true) => HookChoice::Omit,
                (true, false) => HookChoice::Allow,
                (false, false) => HookChoice::IfAllowed,
            },
            agent_network: self.agent_network.clone(),
            probe: parse(self.probe.as_ref(), ProbeScope::from_word),
            on_red_base: parse(self.on_red_base.as_ref(), OnRedBase::from_word),
            on_orphan: parse(self.on_orphan.as_ref(), OnOrphan::from_word),
            on_decision: parse(self.on_decision.as_ref(), OnDecision::from_word),
            on_failure: parse(self.on_failure.as_ref(), OnFailure::from_word),
            review: parse(self.review.as_ref(), ReviewWhen::from_word),
            on_change: parse(self.on_change.as_ref(), OnChange::from_word),
            budget: Budget { cost_micros: self.budget_usd, tokens: self.budget_tokens },
            task_budget: Budget {
                cost_micros: self.task_budget_usd,
                tokens: self.task_budget_tokens,
            },
            ..RunOptions::default()
        }
    }
}

pub(crate) fn possible_values(
    words: &'static [&'static str],
) -> clap::builder::PossibleValuesParser {
    clap::builder::PossibleValuesParser::new(words)
}

/// Dollars as whole millionths.
fn parse_usd(text: &str) -> Result<u64, String> {
    let dollars = text.parse().ok().and_then(afresh_agents::stream::usage::micros);
    dollars.ok_or_else(|| "not an amount of dollars from 0 to 1000000".to_owned())
}
