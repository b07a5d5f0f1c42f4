//! Which size of model a task gets.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::task::Task;
use crate::pattern::FilePattern;

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum ModelTier {
    Small,
    Standard,
    Large,
}

impl ModelTier {
    /// The word used in plans and in the configuration.
    pub fn word(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Standard => "standard",
            Self::Large => "large",
        }
    }

    /// The next smaller one.
    pub fn below(self) -> Option<Self> {
        match self {
            Self::Small => None,
            Self::Standard => Some(Self::Small),
            Self::Large => Some(Self::Standard),
        }
    }
}

/// The model size that a plan or a configuration asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TierChoice {
    Small,
    #[default]
    Standard,
    Large,
    /// By the size of the task in the plan.
    Auto,
}

/// Up to this, a small model is enough: files, steps, characters of text.
const SMALL: (usize, usize, usize) = (2, 1, 1_500);
/// Beyond this, a large one is needed.
const STANDARD: (usize, usize, usize) = (8, 6, 8_000);

impl TierChoice {
    pub const WORDS: &'static [(&'static str, Self)] = &[
        ("small", Self::Small),
        ("standard", Self::Standard),
        ("large", Self::Large),
        ("auto", Self::Auto),
    ];

    pub fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Small => ModelTier::Small.word(),
            Self::Standard => ModelTier::Standard.word(),
            Self::Large => ModelTier::Large.word(),
        }
    }

    /// The size for this task. It depends on the plan alone, so that it stays the same while files grow.
    pub fn resolve(self, task: &Task) -> ModelTier {
        match self {
            Self::Small => ModelTier::Small,
            Self::Standard => ModelTier::Standard,
            Self::Large => ModelTier::Large,
            Self::Auto => by_size(task),
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over so")]
    pub(crate) fn is_standard(&self) -> bool {
        *self == Self::Standard
    }
}

/// The thresholds are documented in `docs/plan-format.md` (AG-03).
fn by_size(task: &Task) -> ModelTier {
    let files: BTreeSet<&str> = task.patterns().map(FilePattern::as_str).collect();
    let texts = task.steps.iter().map(|step| step.instructions.chars().count());
    let characters = texts.fold(task.instructions.chars().count(), usize::saturating_add);
    let within = |(most_files, most_steps, most_characters)| {
        files.len() <= most_files && task.steps.len() <= most_steps && characters <= most_characters
    };
    // A task that lists no files, or whole directories, says nothing about the amount of work.
    let is_listed = !files.is_empty() && task.patterns().all(|pattern| pattern.literal().is_some());
    if within(SMALL) && is_listed {
        ModelTier::Small
    } else if within(STANDARD) {
        ModelTier::Standard
    } else {
        ModelTier::Large
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::TaskIndex;
    use crate::plan::{FileDraft, Plan, PlanDraft, StepDraft, TaskDraft};

    fn task(files: &[&str], steps: usize, characters: usize) -> Task {
        let file = |path: &&str| FileDraft { path: (*path).to_owned(), action: None };
        let draft = TaskDraft {
            id: "T".to_owned(),
            title: "t".to_owned(),
            instructions: "ü".repeat(characters),
            files: files.iter().map(file).collect(),
            steps: vec![StepDraft::default(); steps],
            no_check: Some("a test".to_owned()),
            ..TaskDraft::default()
        };
        let plan = PlanDraft { tasks: vec![draft], ..PlanDraft::default() };
        Plan::new(plan).expect("a plan").task(TaskIndex::new(0)).clone()
    }

    /// AG-03: `auto` decides by documented thresholds.
    #[test]
    fn auto_decides_by_the_size_of_the_task() {
        let nine = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];
        let sizes = [
            (task(&nine[..2], 1, 1_500), ModelTier::Small),
            (task(&nine[..3], 1, 100), ModelTier::Standard),
            (task(&nine[..1], 2, 100), ModelTier::Standard),
            (task(&nine[..1], 0, 1_501), ModelTier::Standard),
            (task(&[], 0, 10), ModelTier::Standard),
            (task(&["src/**"], 0, 10), ModelTier::Standard),
            (task(&nine[..8], 6, 8_000), ModelTier::Standard),
            (task(&nine, 0, 10), ModelTier::Large),
            (task(&nine[..1], 7, 10), ModelTier::Large),
            (task(&nine[..1], 0, 8_001), ModelTier::Large),
        ];
        for (task, tier) in sizes {
            assert_eq!(TierChoice::Auto.resolve(&task), tier, "{task:?}");
        }
    }

    /// AG-03: a size named in the plan is used, whatever the size of the task.
    #[test]
    fn a_size_that_is_named_counts() {
        let large = task(&["a"], 20, 20_000);
        assert_eq!(TierChoice::Small.resolve(&large), ModelTier::Small);
        assert_eq!(TierChoice::default().resolve(&large), ModelTier::Standard);
    }
}
