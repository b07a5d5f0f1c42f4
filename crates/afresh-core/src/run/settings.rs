//! How a run is to be driven. Part of the journal, so that a resumed run decides the same way.

use std::collections::BTreeMap;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::commit::CommitTemplate;
use crate::ids::TaskId;
use crate::plan::{ModelTier, Task, TierChoice};
use crate::time::span;
use crate::usage::Budget;

/// Everything the decisions depend on, besides the plan.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    pub parallel: u16,
    pub schedule: Schedule,
    pub scope: ScopeMode,
    /// Fresh workers per task before it counts as failed.
    pub attempts: u32,
    /// Waits after a spawn failure or a worker that died, one per consecutive failure.
    #[serde(with = "spans")]
    #[schemars(with = "Vec<u64>")]
    pub backoff: Vec<Duration>,
    #[serde(with = "span")]
    #[schemars(with = "u64")]
    pub halt_grace: Duration,
    pub history: History,
    /// The message of a task's commit, where it is not the usual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_template: Option<CommitTemplate>,
    pub timeout_action: TimeoutAction,
    pub on_orphan: OnOrphan,
    pub on_decision: OnDecision,
    pub on_failure: OnFailure,
    #[serde(skip_serializing_if = "OnChange::is_read")]
    pub on_change: OnChange,
    pub budget: Budget,
    /// What all attempts of one task together may use.
    #[serde(skip_serializing_if = "Budget::is_unlimited")]
    pub task_budget: Budget,
    /// The default agent; the executor knows what it is.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub agent: String,
    /// The default model size.
    #[serde(skip_serializing_if = "TierChoice::is_standard")]
    pub tier: TierChoice,
    #[serde(skip_serializing_if = "ContextLimits::is_default")]
    pub context: ContextLimits,
    /// Checks that run on every merge, besides the task's own.
    pub always: Vec<String>,
    /// Which checks are run on the base before the first worker.
    #[serde(skip_serializing_if = "ProbeScope::is_nothing")]
    pub probe: ProbeScope,
    /// What follows when every check of a task proves nothing.
    #[serde(skip_serializing_if = "VacuousPolicy::is_warn")]
    pub vacuous: VacuousPolicy,
    /// What follows when checks of every merge fail on the base.
    #[serde(skip_serializing_if = "OnRedBase::is_ask")]
    pub on_red_base: OnRedBase,
    /// How often a failed check runs again on the same tree.
    #[serde(skip_serializing_if = "is_zero")]
    pub rerun: u32,
    /// How the strength of a task's tests is measured on what lands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutation: Option<MutationRule>,
    /// How finished work is checked and landed together.
    #[serde(skip_serializing_if = "MergePolicy::is_default")]
    pub merge: MergePolicy,
    /// When a fresh agent reviews work whose checks passed (EX-08).
    #[serde(skip_serializing_if = "ReviewPolicy::is_default")]
    pub review: ReviewPolicy,
    /// Checks that may fail for now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quarantine: Vec<QuarantinedCheck>,
    /// Tasks without a file list run beside others only if this is set.
    pub unlisted_beside_others: bool,
    /// Ask before each task (EX-09).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interactive: bool,
    /// Run this one task only.
    pub only: Option<TaskId>,
    /// Where the plan was read from; determines which run `afresh run PLAN` continues.
    pub source: String,
    /// The plan's format, if the user named it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub format: String,
    /// Every task of a plan file gets its own worker, if the format has both.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_task: bool,
    /// Where progress is written into the plan's own files; none: nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writeback: Option<WritebackTarget>,
    /// How workers and checks are sandboxed, in words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sandbox: String,
    /// The resource limits of each worker and check, and what enforces them, in words.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub limits: String,
    /// The options of the command line that the run keeps (ST-07).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub flags: BTreeMap<String, String>,
    /// Files of the repository that the run itself depends on (its plan): no worker may change them.
    pub pinned: Vec<String>,
    /// The files that were read at the start and are not read again, with the SHA-256 of each.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub digests: BTreeMap<String, String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            parallel: 3,
            schedule: Schedule::Eager,
            scope: ScopeMode::Declared,
            attempts: 3,
            backoff: vec![Duration::from_secs(2), Duration::from_secs(5)],
            halt_grace: Duration::from_secs(5),
            history: History::Merge,
            commit_template: None,
            timeout_action: TimeoutAction::Ask,
            on_orphan: OnOrphan::Retry,
            on_decision: OnDecision::Ask,
            on_failure: OnFailure::Ask,
            on_change: OnChange::Read,
            budget: Budget::default(),
            task_budget: Budget::default(),
            agent: String::new(),
            tier: TierChoice::default(),
            context: ContextLimits::default(),
            always: Vec::new(),
            probe: ProbeScope::Nothing,
            vacuous: VacuousPolicy::Warn,
            on_red_base: OnRedBase::Ask,
            rerun: 0,
            mutation: None,
            merge: MergePolicy::default(),
            review: ReviewPolicy::default(),
            quarantine: Vec::new(),
            unlisted_beside_others: false,
            interactive: false,
            only: None,
            source: String::new(),
            format: String::new(),
            by_task: false,
            writeback: None,
            sandbox: String::new(),
            limits: String::new(),
            flags: BTreeMap::new(),
            pinned: Vec::new(),
            digests: BTreeMap::new(),
        }
    }
}

/// How finished work is checked and landed together (IN-01 to IN-04).
///
/// The default is what runs of earlier versions did: everything alone, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct MergePolicy {
    pub batch: BatchLimit,
    pub filter: FilterRule,
    /// How many checks run at once; rounds beyond the first build on work that has not passed yet.
    pub slots: u16,
}

impl Default for MergePolicy {
    fn default() -> Self {
        Self { batch: BatchLimit::AtMost(1), filter: FilterRule::Always, slots: 1 }
    }
}

impl MergePolicy {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// How many merges are checked together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BatchLimit {
    /// By the share of candidates that have failed so far in this run.
    Auto,
    AtMost(u16),
}

impl std::fmt::Display for BatchLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Auto => write!(f, "auto"),
            Self::AtMost(1) => write!(f, "off"),
            Self::AtMost(most) => write!(f, "at most {most}"),
        }
    }
}

/// When work is checked on its own tree before it goes to the merge queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FilterRule {
    Always,
    /// Where a review or a contest follows, and while many candidates fail.
    Adaptive,
}

impl Settings {
    /// What a person wants to know of them, by name.
    pub fn describe(&self) -> Vec<(&'static str, String)> {
        let or = |text: &str, none: &str| {
            if text.is_empty() { none.to_owned() } else { text.to_owned() }
        };
        let flag = |name: &str| self.flags.get(name).cloned().unwrap_or_default();
        let on_or_off = |is_on: bool| if is_on { "on" } else { "off" }.to_owned();
        vec![
            ("agent", or(&self.agent, "default")),
            ("model", or(&flag("model"), "the agent's own")),
            ("parallel", self.parallel.to_string()),
            ("schedule", self.schedule.word().to_owned()),
            ("sandbox", or(&self.sandbox, "unknown")),
            ("network of checks", or(&flag("check-network"), "as configured")),
            ("attempts", self.attempts.to_string()),
            ("on orphan", self.on_orphan.word().to_owned()),
            ("on decision", self.on_decision.word().to_owned()),
            ("on failure", self.on_failure.word().to_owned()),
            ("budget", self.budget.describe_limits()),
            ("budget of a task", self.task_budget.describe_limits()),
            ("checks of every merge", or(&self.always.join("; "), "none")),
            ("on red base", self.on_red_base.word().to_owned()),
            ("vacuous", self.vacuous.word().to_owned()),
            ("reruns of a failed check", self.rerun.to_string()),
            ("batches of merges", self.merge.batch.to_string()),
            ("review", self.review.describe()),
            ("history", self.history.word().to_owned()),
            ("commit template", self.describe_commit_template()),
            ("progress in the plan's files", on_or_off(self.writeback.is_some())),
        ]
    }

    fn describe_commit_template(&self) -> String {
        let first = self.commit_template.as_ref().and_then(|it| it.text().trim().lines().next());
        first.map_or_else(|| "none".to_owned(), str::to_owned)
    }

    /// Why a failure of this command does not count for now.
    pub fn quarantine_of(&self, command: &str) -> Option<&QuarantinedCheck> {
        self.quarantine.iter().find(|entry| entry.command == command)
    }

    /// The model size for a task, before any failure.
    pub fn tier_of(&self, task: &Task) -> ModelTier {
        task.tier.unwrap_or(self.tier).resolve(task)
    }
}

/// The plan's own files in the repository, as they are read again to write progress into them (FO-07).
#[derive(Debug, Clone, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct WritebackTarget {
    /// The plan's format.
    pub format: String,
    /// The directory that its files are in, from the root of the repository; empty, or ends in `/`.
    pub directory: String,
    /// The only file or directory of them that is read, from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<String>,
}

/// How full a worker's context may become, in per cent of the window (AG-07).
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct ContextLimits {
    /// From here on the worker is warned.
    pub soft: u8,
    /// Here it is stopped, and a fresh worker continues.
    pub hard: u8,
}

impl ContextLimits {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for ContextLimits {
    fn default() -> Self {
        Self { soft: 50, hard: 70 }
    }
}

/// Reviews by a fresh agent, after the checks (EX-08).
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(default)]
pub struct ReviewPolicy {
    pub when: ReviewWhen,
    /// Empty: the default agent.
    pub agent: String,
    pub tier: ModelTier,
    /// How often a task's work is rejected by reviewers before a person is asked.
    pub rounds: u32,
    /// How many changed files make a change large.
    pub large_files: u32,
}

impl ReviewPolicy {
    /// Whether a change of this size to this task is reviewed.
    pub fn applies_to(&self, tier: ModelTier, changed_files: usize) -> bool {
        let is_large = || {
            tier == ModelTier::Large
                || changed_files >= usize::try_from(self.large_files).unwrap_or(usize::MAX)
        };
        match self.when {
            ReviewWhen::Never => false,
            ReviewWhen::Always => true,
            ReviewWhen::Large => is_large(),
        }
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }

    fn describe(&self) -> String {
        let agent = if self.agent.is_empty() { "the default agent" } else { &self.agent };
        match self.when {
            ReviewWhen::Never => "never".to_owned(),
            when => format!("{}, by {agent} ({})", when.word(), self.tier.word()),
        }
    }
}

impl Default for ReviewPolicy {
    fn default() -> Self {
        Self {
            when: ReviewWhen::Never,
            agent: String::new(),
            tier: ModelTier::Large,
            rounds: 2,
            large_files: 5,
        }
    }
}

/// A mutation test of the change of each task (TR-07).
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct MutationRule {
    /// Tests mutants of `$AFRESH_DIFF`, and writes a report into `$AFRESH_MUTANTS`.
    pub command: String,
    /// The share that must be noticed, in per cent; none: it is only measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required_percent: Option<u8>,
}

/// A flaky check that may fail until a day (TR-03).
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct QuarantinedCheck {
    pub command: String,
    pub reason: String,
    /// The last day, such as `2027-01-31`.
    pub until: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$vdoc])* $variant),* }

        impl $name {
            /// The words of the configuration file and the command line.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }

            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        }
    };
}

choice!(
    /// When a task whose dependencies are merged may start.
    Schedule {
        /// At once; longest remaining path first.
        Eager = "eager",
        /// When all earlier waves are settled.
        Waves = "waves",
    }
);
choice!(
    /// What a worker may change besides its task's files.
    ScopeMode {
        Strict = "strict",
        Declared = "declared",
        Open = "open",
    }
);
choice!(
    /// Whether progress is written into the plan's own files.
    WritebackMode {
        /// Where they are committed in the repository.
        Auto = "auto",
        Off = "off",
    }
);
choice!(
    /// How a task lands on the branch.
    History {
        /// One merge commit, with the task's steps on its second parent; a single commit lands as it is, without one.
        Merge = "merge",
        /// One plain commit.
        Linear = "linear",
    }
);
choice!(
    /// Which work is reviewed by a fresh agent.
    ReviewWhen {
        Never = "never",
        Always = "always",
        /// Work on tasks of tier `large`, and changes of many files.
        Large = "large",
    }
);
choice!(
    /// What follows when an attempt ran out of time.
    TimeoutAction { Ask = "ask", Retry = "retry", Skip = "skip", Fail = "fail" }
);
choice!(
    /// What follows when the plan, its checks or the configuration changed since the run was last driven.
    OnChange { Read = "read", Refuse = "refuse" }
);

impl OnChange {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
    fn is_read(&self) -> bool {
        *self == Self::Read
    }
}

choice!(
    /// Which checks are run on the base before the first worker.
    ProbeScope {
        /// None: journals of earlier versions.
        Nothing = "nothing",
        /// Those of every merge (TR-02).
        Baseline = "off",
        /// Those of every merge and of every task (TR-01).
        All = "on",
    }
);
choice!(
    /// What follows when every check of a task proves nothing.
    VacuousPolicy { Warn = "warn", Ask = "ask", Refuse = "refuse" }
);
choice!(
    /// What follows when checks of every merge fail on the base.
    OnRedBase { Ask = "ask", Continue = "continue", Stop = "stop" }
);

impl ProbeScope {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
    fn is_nothing(&self) -> bool {
        *self == Self::Nothing
    }
}

impl VacuousPolicy {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
    fn is_warn(&self) -> bool {
        *self == Self::Warn
    }
}

impl OnRedBase {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
    fn is_ask(&self) -> bool {
        *self == Self::Ask
    }
}

choice!(
    /// What happens to attempts that were running when afresh was killed.
    OnOrphan { Ask = "ask", Retry = "retry", Skip = "skip", Abort = "abort" }
);
choice!(
    /// Who answers a worker that needs a decision.
    OnDecision { Ask = "ask", Defer = "defer", First = "first", Abort = "abort" }
);
choice!(
    /// What follows when a task's attempts are used up.
    OnFailure { Ask = "ask", Retry = "retry", Skip = "skip", Abort = "abort" }
);

mod spans {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(spans: &[Duration], to: S) -> Result<S::Ok, S::Error> {
        let millis: Vec<u64> =
            spans.iter().map(|s| u64::try_from(s.as_millis()).unwrap_or(u64::MAX)).collect();
        millis.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<Duration>, D::Error> {
        Ok(Vec::<u64>::deserialize(from)?.into_iter().map(Duration::from_millis).collect())
    }
}
