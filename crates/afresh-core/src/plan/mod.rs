//! A plan: tasks, their order, and all problems at once.
//!
//! Readers pass in a [`PlanDraft`] (what was written); [`Plan::new`] turns it into a [`Plan`] (what it means) or into
//! all its [`PlanProblem`]s, each with the part of the draft it concerns. The reader knows where that part is in a
//! file.

mod conflict;
mod contest;
mod draft;
pub mod estimate;
mod graph;
pub mod pattern;
mod problem;
mod requirement;
mod reword;
pub mod shell;
mod task;
mod tier;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use conflict::FileConflict;
pub use contest::{Contest, ContestRule, MAX_CONTESTANTS};
pub use draft::{CheckDraft, FileDraft, PlanDraft, StepDraft, TaskDraft, nearest};
pub use problem::{PlanField, PlanProblem, ProblemKind, ProblemLocation};
pub use requirement::{
    MAX_REQUIREMENTS, Requirement, RequirementId, RequirementKind, RequirementLink,
    RequirementScope,
};
pub use task::{
    AcceptanceFile, Check, Checkpoint, CheckpointKind, ContextLevel, FileAction, FileScope, Step,
    Task, WORKSPACE_PLACEHOLDER,
};
pub use tier::{ModelTier, TierChoice};

use crate::ids::TaskId;

/// The most tasks that one plan may hold.
pub const MAX_TASKS: usize = 20_000;

/// The most steps, files, checks and dependencies of one plan, all together.
pub const MAX_PARTS: usize = 250_000;

/// A plan without problems.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(into = "PlanText", try_from = "PlanText")]
pub struct Plan {
    pub name: String,
    pub spec: Option<String>,
    tasks: Vec<Task>,
    requirements: Vec<Requirement>,
    order: PlanGraph,
}

/// The position of a task in its plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskIndex(usize);

impl TaskIndex {
    /// Counted from 0; the plan must have that many tasks.
    pub fn new(position: usize) -> Self {
        Self(position)
    }

    pub fn position(self) -> usize {
        self.0
    }
}

impl std::fmt::Display for TaskIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Computed once from the dependencies.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PlanGraph {
    index: BTreeMap<TaskId, TaskIndex>,
    needs: Vec<Vec<TaskIndex>>,
    dependents: Vec<Vec<TaskIndex>>,
    /// Counted from 1.
    wave: Vec<u32>,
    waves: u32,
    /// Tasks on the longest path from this one to the end, including itself.
    height: Vec<u32>,
}

impl Plan {
    /// Checks the draft; returns all problems if there are any.
    #[expect(clippy::needless_pass_by_value, reason = "a draft is of no use afterwards")]
    pub fn new(draft: PlanDraft) -> Result<Self, Vec<PlanProblem>> {
        Self::from_draft(&draft)
    }

    /// Like [`Plan::new`], for a reader that corrects the draft and tries again.
    pub fn from_draft(draft: &PlanDraft) -> Result<Self, Vec<PlanProblem>> {
        draft::check(draft)
    }

    /// A plan without any task, for checks that belong to none.
    pub fn without_tasks() -> Self {
        Self::assemble(String::new(), None, Vec::new()).expect("without tasks there is no cycle")
    }

    fn assemble(
        name: String,
        spec: Option<String>,
        tasks: Vec<Task>,
    ) -> Result<Self, Vec<PlanProblem>> {
        let order = graph::order(&tasks)?;
        Ok(Self { name, spec, tasks, requirements: Vec::new(), order })
    }

    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    pub fn is_empty(&self) -> bool {
        self.tasks.is_empty()
    }

    /// The index of every task, in the plan's order.
    pub fn indices(&self) -> impl DoubleEndedIterator<Item = TaskIndex> + use<> {
        (0..self.tasks.len()).map(TaskIndex)
    }

    pub fn task(&self, index: TaskIndex) -> &Task {
        &self.tasks[index.0]
    }

    pub fn index_of(&self, id: &TaskId) -> Option<TaskIndex> {
        self.order.index.get(id).copied()
    }

    /// The tasks that must be merged first.
    pub fn needs(&self, index: TaskIndex) -> &[TaskIndex] {
        &self.order.needs[index.0]
    }

    /// The tasks that wait for this one.
    pub fn dependents(&self, index: TaskIndex) -> &[TaskIndex] {
        &self.order.dependents[index.0]
    }

    /// The wave a task belongs to, counted from 1, from dependencies alone.
    pub fn wave(&self, index: TaskIndex) -> u32 {
        self.order.wave[index.0]
    }

    /// How many tasks are on the longest path from here to the end.
    pub fn height(&self, index: TaskIndex) -> u32 {
        self.order.height[index.0]
    }

    /// How many waves there are.
    pub fn wave_count(&self) -> u32 {
        self.order.waves
    }

    /// The tasks of each wave, in the plan's order.
    pub fn waves(&self) -> Vec<Vec<TaskIndex>> {
        let mut waves = vec![Vec::new(); self.wave_count() as usize];
        for (position, wave) in self.order.wave.iter().enumerate() {
            waves[*wave as usize - 1].push(TaskIndex(position));
        }
        waves
    }

    /// The longest chain of tasks.
    pub fn critical_path(&self) -> Vec<TaskIndex> {
        graph::critical_path(&self.order)
    }

    /// Tasks that may write the same file and are not ordered by dependencies.
    pub fn conflicts(&self) -> Vec<FileConflict> {
        conflict::find(self)
    }

    /// The plan with other versions of some tasks; unchanged if the result would be no plan.
    pub(crate) fn with_tasks_replaced(&self, version: impl Fn(&Task) -> Option<Task>) -> Self {
        let replaced = |task: &Task| {
            let mut other = version(task)?;
            other.needs.retain(|need| self.index_of(need).is_some());
            Some(other)
        };
        let tasks = self.tasks.iter().map(|task| replaced(task).unwrap_or_else(|| task.clone()));
        match Self::assemble(self.name.clone(), self.spec.clone(), tasks.collect()) {
            Ok(plan) => Self { requirements: self.requirements.clone(), ..plan },
            Err(_) => self.clone(),
        }
    }

    /// The same plan with one more task, without those of its dependencies that this plan lacks.
    pub(crate) fn joined_by(&self, task: &Task) -> Self {
        let mut task = task.clone();
        task.needs.retain(|need| self.index_of(need).is_some());
        let tasks = self.tasks.iter().cloned().chain([task]).collect();
        let plan = Self::assemble(self.name.clone(), self.spec.clone(), tasks)
            .expect("nothing needs the new task, so there is no cycle");
        Self { requirements: self.requirements.clone(), ..plan }
    }

    /// Reads the files that were written before the work; returns the paths of those that `read` does not find.
    pub fn read_acceptance_files(
        &mut self,
        read: impl Fn(&str) -> Option<String>,
    ) -> Vec<(TaskIndex, String)> {
        let mut missing = Vec::new();
        for (position, task) in self.tasks.iter_mut().enumerate() {
            for file in &mut task.acceptance {
                file.text = read(&file.path);
                if file.text.is_none() {
                    missing.push((TaskIndex(position), file.path.clone()));
                }
            }
        }
        missing
    }

    /// The task that first makes the program work from end to end: the last of the steel thread (PL-18).
    pub fn steel_thread_end(&self) -> Option<TaskIndex> {
        let thread = self.indices().filter(|at| self.task(*at).steel_thread);
        thread.max_by_key(|at| self.wave(*at))
    }

    /// The same plan, with a reason for every task that only the worker's own report would judge.
    #[must_use]
    pub fn excused(&self, reason: &str) -> Self {
        let mut plan = self.clone();
        for task in &mut plan.tasks {
            let judged = task.all_checks().next().is_some() || task.no_check.is_some();
            // Nobody works on these.
            let judged = judged || task.checkpoint.is_some() || task.done_before.is_some();
            if !judged {
                task.no_check = Some(reason.to_owned());
            }
        }
        plan
    }

    /// Tasks that only the worker's own report would judge if no checks run on every merge.
    pub fn unchecked(&self) -> impl Iterator<Item = &Task> {
        self.tasks
            .iter()
            .filter(|task| task.all_checks().next().is_none() && task.no_check.is_none())
            .filter(|task| task.checkpoint.is_none() && task.done_before.is_none())
    }
}

/// A plan as it is stored in the journal.
#[derive(JsonSchema, Serialize, Deserialize)]
struct PlanText {
    name: String,
    spec: Option<String>,
    tasks: Vec<Task>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    requirements: Vec<Requirement>,
}

impl From<Plan> for PlanText {
    fn from(plan: Plan) -> Self {
        let Plan { name, spec, tasks, requirements, .. } = plan;
        Self { name, spec, tasks, requirements }
    }
}

impl TryFrom<PlanText> for Plan {
    type Error = String;
    fn try_from(text: PlanText) -> Result<Self, String> {
        let plan = Self::assemble(text.name, text.spec, text.tasks).map_err(|problems| {
            problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        })?;
        Ok(Self { requirements: text.requirements, ..plan })
    }
}
