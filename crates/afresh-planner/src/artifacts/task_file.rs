//! What one worker does, as the task author writes it (PL-06).

use serde::{Deserialize, Serialize};

use super::physical_map::MappedFile;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskFile {
    pub id: String,
    pub name: String,
    #[serde(default)]
    pub context: TaskContext,
    pub behaviors: Vec<String>,
    pub files: Vec<MappedFile>,
    pub instructions: String,
    /// What others see of it; tests are written from it.
    #[serde(default)]
    pub interface: String,
    #[serde(default)]
    pub dependencies: TaskDependencies,
    pub acceptance_criteria: Vec<AcceptanceCriterion>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskContext {
    /// Statements that it serves besides those of its behaviors.
    #[serde(default)]
    pub spec_requirements: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskDependencies {
    #[serde(default)]
    pub tasks: Vec<String>,
    #[serde(default)]
    pub external: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptanceCriterion {
    pub criterion: String,
    /// A command.
    pub verification: String,
    /// It shows that the whole steel thread works.
    #[serde(default)]
    pub end_to_end: bool,
    /// It is meant to pass before and after.
    #[serde(default)]
    pub guard: bool,
}
