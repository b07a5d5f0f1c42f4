//! A plan as scripts read it: `afresh show --json`.
//!
//! Serialised straight from the plan: as a tree of JSON values, a large plan would take several times
//! the memory and the time.

use std::collections::BTreeMap;
use std::path::Path;

use afresh_core::ids::TaskId;
use afresh_core::plan::{
    Check, Checkpoint, FileAction, FileConflict, FileScope, ModelTier, RequirementId, Step, Task,
    TaskIndex,
};
use afresh_core::status::forecast::{ForecastStatus, RunForecastStatus};
use afresh_core::status::score::PlanScore;
use serde::Serialize;

use afresh_app::agents::assignment::AssignedAgent;
use afresh_app::plan_source::PlanFile;
use afresh_app::plan_source::estimates::outlook::PlanOutlook;

#[derive(Debug, Serialize)]
pub struct PlanJson<'a> {
    format: &'a str,
    name: &'a str,
    tasks: Vec<TaskJson<'a>>,
    waves: Vec<Vec<&'a TaskId>>,
    critical_path: Vec<&'a TaskId>,
    conflicts: Vec<ConflictJson>,
    /// None: there is no history.
    forecast: Option<RunForecastStatus>,
    score: PlanScore,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a Path>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    unknown: &'a BTreeMap<String, String>,
}

#[derive(Debug, Serialize)]
struct TaskJson<'a> {
    id: &'a TaskId,
    title: &'a str,
    wave: u32,
    depends_on: &'a [TaskId],
    files: Vec<FileJson<'a>>,
    steps: Vec<StepJson<'a>>,
    checks: Vec<CheckJson<'a>>,
    no_check: Option<&'a str>,
    tier: Option<ModelTier>,
    agent: Option<String>,
    model: Option<String>,
    est_context: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<PromptJson>,
    forecast: Option<ForecastStatus>,
    checkpoint: Option<&'a Checkpoint>,
    /// Why it cannot be run as it is written.
    blocked: Option<&'a str>,
    done_before: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    requirements: &'a [RequirementId],
}

/// The minimum size of the prompt, and the context window.
#[derive(Debug, Serialize)]
struct PromptJson {
    tokens: u64,
    window: u64,
    fits: bool,
}

#[derive(Debug, Serialize)]
struct StepJson<'a> {
    name: &'a str,
    files: Vec<FileJson<'a>>,
    checks: Vec<CheckJson<'a>>,
}

#[derive(Debug, Serialize)]
struct FileJson<'a> {
    path: &'a str,
    action: Option<FileAction>,
}

#[derive(Debug, Serialize)]
struct CheckJson<'a> {
    name: &'a str,
    command: &'a str,
}

#[derive(Debug, Serialize)]
struct ConflictJson {
    tasks: (TaskId, TaskId),
    path: String,
}

impl<'a> PlanJson<'a> {
    /// `staff` is the agent of a task.
    pub fn new(
        file: &'a PlanFile,
        outlook: &PlanOutlook,
        staff: impl Fn(&Task) -> AssignedAgent,
    ) -> Self {
        let plan = &file.plan;
        let sizes = outlook.sizes.as_ref();
        let prompt = |at: TaskIndex| {
            sizes.map(|sizes| PromptJson {
                tokens: sizes.fill(at).used,
                window: sizes.fill(at).window,
                fits: sizes.refused(at).is_none(),
            })
        };
        let ids = |positions: &[TaskIndex]| -> Vec<&'a TaskId> {
            positions.iter().map(|at| &plan.task(*at).id).collect()
        };
        let conflict = |FileConflict { tasks, path }| ConflictJson { tasks, path };
        let forecasts: BTreeMap<&TaskId, ForecastStatus> = outlook
            .forecast
            .iter()
            .flat_map(|forecast| &forecast.tasks)
            .filter_map(|task| Some((&task.task, ForecastStatus::from_task(task)?)))
            .collect();
        let figures = |at: TaskIndex| TaskFigures {
            percent: outlook.percents[at.position()],
            prompt: prompt(at),
            forecast: forecasts.get(&plan.task(at).id).copied(),
        };
        Self {
            format: file.format,
            name: &plan.name,
            tasks: plan.indices().map(|at| task(file, at, &staff, figures(at))).collect(),
            waves: plan.waves().iter().map(|wave| ids(wave)).collect(),
            critical_path: ids(&plan.critical_path()),
            conflicts: plan.conflicts().into_iter().map(conflict).collect(),
            forecast: outlook.forecast.as_ref().and_then(RunForecastStatus::new),
            score: outlook.score,
            target: file.target.as_deref(),
            unknown: &file.unknown,
        }
    }
}

/// What is computed about a task.
struct TaskFigures {
    percent: u64,
    prompt: Option<PromptJson>,
    forecast: Option<ForecastStatus>,
}

fn task(
    file: &PlanFile,
    at: TaskIndex,
    staff: impl Fn(&Task) -> AssignedAgent,
    figures: TaskFigures,
) -> TaskJson<'_> {
    let plan = &file.plan;
    let task = plan.task(at);
    let AssignedAgent { agent, model } = staff(task);
    TaskJson {
        id: &task.id,
        title: &task.title,
        wave: plan.wave(at),
        depends_on: &task.needs,
        files: files(&task.files),
        steps: task.steps.iter().map(step).collect(),
        checks: checks(&task.checks),
        no_check: task.no_check.as_deref(),
        tier: task.tier.map(|tier| tier.resolve(task)),
        agent,
        model,
        est_context: share(figures.percent),
        prompt: figures.prompt,
        forecast: figures.forecast,
        checkpoint: task.checkpoint.as_ref(),
        blocked: file.blocked.get(task.id.as_str()).map(String::as_str),
        done_before: task.done_before.as_deref(),
        requirements: &task.requirements,
    }
}

fn step(step: &Step) -> StepJson<'_> {
    StepJson { name: &step.name, files: files(&step.files), checks: checks(&step.checks) }
}

fn files(scopes: &[FileScope]) -> Vec<FileJson<'_>> {
    scopes
        .iter()
        .map(|scope| FileJson { path: scope.pattern.as_str(), action: scope.action })
        .collect()
}

fn checks(checks: &[Check]) -> Vec<CheckJson<'_>> {
    checks.iter().map(|check| CheckJson { name: &check.name, command: &check.command }).collect()
}

/// Per cent as a fraction.
pub fn share(percent: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "it is shown, not counted with")]
    let percent = percent as f64;
    percent / 100.0
}
