//! What one fresh worker gets.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::commit::CommitLabel;
use crate::ids::TaskId;
use crate::outcome::DecisionOption;
use crate::pattern::FilePattern;
use crate::plan::contest::Contest;
use crate::plan::requirement::RequirementId;
use crate::plan::tier::TierChoice;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Task {
    pub id: TaskId,
    pub title: String,
    /// The worker's instructions.
    pub instructions: String,
    pub needs: Vec<TaskId>,
    pub files: Vec<FileScope>,
    pub checks: Vec<Check>,
    /// Why the task has no check on purpose.
    pub no_check: Option<String>,
    pub steps: Vec<Step>,
    pub tier: Option<TierChoice>,
    pub context: Option<ContextLevel>,
    pub agent: Option<String>,
    /// Several agents that try it, in place of one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contest: Option<Contest>,
    /// Type and scope of its commit; none if the plan says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitLabel>,
    /// What it serves.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requirements: Vec<RequirementId>,
    /// Groups tasks for people: 1 foundations, 2 the steel thread, then features. Order comes from `needs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<u32>,
    /// Part of the first way through the whole program, end to end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub steel_thread: bool,
    /// Files that another author wrote before the work, for its checks. No worker changes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acceptance: Vec<AcceptanceFile>,
    /// No worker: a person decides, inspects or does something at this point of the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,
    /// Why there is nothing to do: the task was finished before this run, without afresh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done_before: Option<String>,
}

/// Stands for the worker's directory in the instructions of a task, where an absolute path is needed.
pub const WORKSPACE_PLACEHOLDER: &str = "{{afresh:workspace}}";

/// A test, or a part of one, that was written before the work. Workers find it in their workspace, and it lands with
/// the work exactly as it is here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AcceptanceFile {
    /// From the root of the repository.
    pub path: String,
    /// Its content; none until it is read from beside the plan.
    pub text: Option<String>,
}

/// A point at which a plan waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Checkpoint {
    pub kind: CheckpointKind,
    /// What the person has to know, in lines.
    pub text: String,
    /// The answers that the plan offers; none for an action.
    pub options: Vec<DecisionOption>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CheckpointKind {
    /// Inspect what was built.
    Verify,
    Decision,
    /// Do what no worker can.
    Action,
}

impl Task {
    /// Every pattern the task may write: its own and its steps'.
    pub fn patterns(&self) -> impl Iterator<Item = &FilePattern> {
        let steps = self.steps.iter().flat_map(|step| &step.files);
        self.files.iter().chain(steps).map(|scope| &scope.pattern)
    }

    /// Paths that it is to create; patterns are not among them.
    pub fn created_files(&self) -> impl Iterator<Item = &str> {
        let steps = self.steps.iter().flat_map(|step| &step.files);
        let created = self.files.iter().chain(steps);
        let created = created.filter(|scope| scope.action == Some(FileAction::Create));
        created.filter_map(|scope| scope.pattern.literal())
    }

    /// Equal except for the title, the type of its commit, the phase and the requirements, which no work depends on,
    /// and for what was done before.
    pub fn is_same_work_as(&self, other: &Self) -> bool {
        let (title, done_before) = (other.title.clone(), other.done_before.clone());
        let requirements = other.requirements.clone();
        let (phase, steel_thread) = (other.phase, other.steel_thread);
        let commit = other.commit.clone();
        Self { title, commit, requirements, phase, steel_thread, done_before, ..self.clone() }
            == *other
    }

    /// Whether this is a file that another author wrote for it.
    pub fn is_acceptance_file(&self, path: &str) -> bool {
        self.acceptance.iter().any(|file| file.path == path)
    }

    /// Whether a worker does it: a person answers a checkpoint, and what is done is not done again.
    pub fn has_worker(&self) -> bool {
        self.checkpoint.is_none() && self.done_before.is_none()
    }

    /// The agents that the plan names for it; none stands for the default agent.
    pub fn agents(&self) -> impl Iterator<Item = Option<&str>> {
        let contestants = self.contest.iter().flat_map(|contest| &contest.agents);
        let single = self.contest.is_none().then_some(self.agent.as_deref());
        contestants.map(|name| Some(name.as_str())).chain(single)
    }

    pub fn lists_files(&self) -> bool {
        self.patterns().next().is_some()
    }

    /// Whether the two may write the same file, by their lists. Without a list, a task may write any.
    pub(crate) fn may_conflict_with(&self, other: &Self, unlisted_beside_others: bool) -> bool {
        let both_listed = self.lists_files() && other.lists_files();
        if !both_listed && !unlisted_beside_others {
            return true;
        }
        self.patterns().any(|own| other.patterns().any(|pattern| own.overlaps(pattern)))
    }

    pub fn may_write(&self, path: &str) -> bool {
        self.patterns().any(|pattern| pattern.matches(path))
    }

    /// Its own checks and those of its steps, in order.
    pub fn all_checks(&self) -> impl Iterator<Item = &Check> {
        self.steps.iter().flat_map(|step| &step.checks).chain(&self.checks)
    }
}

/// An ordered part of a task, with its own files and checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    pub name: String,
    pub instructions: String,
    pub files: Vec<FileScope>,
    pub checks: Vec<Check>,
}

/// Files that a task may write, and what it is expected to do with them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileScope {
    #[schemars(with = "String")]
    pub pattern: FilePattern,
    pub action: Option<FileAction>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileAction {
    Create,
    Modify,
    Delete,
}

/// A command that we run ourselves; exit code 0 is a pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    pub name: String,
    pub command: String,
    /// It must fail on the tree the attempt starts from, or it proves nothing.
    #[serde(default)]
    pub red_first: bool,
    /// It is meant to pass before and after the work.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guard: bool,
}

impl Check {
    /// A command that is its own name, as the configuration has them.
    pub fn from_command(command: &str) -> Self {
        let command = command.to_owned();
        Self { name: command.clone(), command, red_first: false, guard: false }
    }
}

/// How much a worker is given besides its task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ContextLevel {
    Minimal,
    Standard,
    Full,
}
