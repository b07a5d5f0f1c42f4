//! What a check is worth: how it ends on the tree that the work starts from (TR-01).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::CheckResult;
use crate::ids::TreeId;
use crate::plan::Task;

/// What a check shows before any work.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum CheckClass {
    /// It fails now, so that it can show that the work is done.
    Red,
    /// It passes before any work.
    Vacuous,
    /// It cannot run: a program, target or file is missing that no task creates, or it is written wrongly.
    Unrunnable,
    /// What it misses is declared by a task.
    Pending,
    /// It executed no test.
    Empty,
    /// Marked to pass before and after the work, and it passes.
    Guard,
    /// It failed and passed on the same tree.
    Flaky,
    /// It was not run: the time for all of them was over, or the workspace could not be prepared.
    Unprobed,
}

impl CheckClass {
    pub const ALL: [Self; 8] = [
        Self::Red,
        Self::Vacuous,
        Self::Unrunnable,
        Self::Pending,
        Self::Empty,
        Self::Guard,
        Self::Flaky,
        Self::Unprobed,
    ];

    /// The word that people and scripts see.
    pub fn word(self) -> &'static str {
        match self {
            Self::Red => "red",
            Self::Vacuous => "vacuous",
            Self::Unrunnable => "unrunnable",
            Self::Pending => "pending",
            Self::Empty => "empty",
            Self::Guard => "guard",
            Self::Flaky => "flaky",
            Self::Unprobed => "unprobed",
        }
    }

    /// Whether a check of this class can never show that a task is done.
    pub fn proves_nothing(self) -> bool {
        matches!(self, Self::Vacuous | Self::Unrunnable | Self::Empty)
    }
}

impl std::fmt::Display for CheckClass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.word())
    }
}

/// Why a check cannot run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnrunnableCause {
    /// Something is missing that no task creates.
    Missing,
    /// What is missing exists in the user's checkout, and is not committed.
    Uncommitted,
    /// Only tasks that depend on the task that it judges create what is missing.
    CreatedLater,
    /// The shell or a tool does not understand the command.
    Malformed,
}

/// One command, run before the work.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
pub struct ProbedCheck {
    pub class: CheckClass,
    /// Why it is of this class, in one line; empty if the class says it all.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Why it cannot run; none if it can. Earlier versions did not record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<UnrunnableCause>,
    /// The tree that it ran on.
    pub tree: TreeId,
    pub result: CheckResult,
}

impl ProbedCheck {
    pub fn command(&self) -> &str {
        &self.result.command
    }
}

/// The checks of a task, if none of them can show that it is done; none if one can, if one was not measured, or if it
/// has none.
pub fn find_unproved<'a>(
    task: &Task,
    find_probed: impl Fn(&str) -> Option<&'a ProbedCheck>,
) -> Option<Vec<&'a ProbedCheck>> {
    let probed = task.all_checks().map(|check| find_probed(&check.command));
    let checks: Vec<&ProbedCheck> = probed.collect::<Option<_>>()?;
    let prove_nothing = checks.iter().all(|probed| probed.class.proves_nothing());
    (!checks.is_empty() && prove_nothing).then_some(checks)
}

/// `3 red, 1 vacuous`.
pub fn count_classes<'a>(checks: impl IntoIterator<Item = &'a ProbedCheck>) -> String {
    let classes: Vec<CheckClass> = checks.into_iter().map(|probed| probed.class).collect();
    let count = |class: CheckClass| classes.iter().filter(|one| **one == class).count();
    let counts = CheckClass::ALL.map(|class| (count(class), class));
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    counts.map(|(count, class)| format!("{count} {class}")).collect::<Vec<_>>().join(", ")
}
