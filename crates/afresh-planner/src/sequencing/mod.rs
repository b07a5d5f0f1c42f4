//! From valid artifacts to a plan in the native format, by rule (PL-08): no model orders anything.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `acceptance` | tests that were written before the work become checks of their tasks |
//! | `brief` | what a worker is told, from the artifacts |
//! | `guards` | the project's own tests and linters, on every task |
//! | `phases` | foundations, steel thread, features; features wait for the thread |

mod acceptance;
mod brief;
mod guards;
mod phases;

pub use acceptance::attach_acceptance;
pub use guards::{ProjectGuard, attach_guards};

use std::collections::BTreeSet;

use afresh_core::Plan;
use afresh_core::plan::{CheckDraft, FileDraft, PlanDraft, PlanField, PlanProblem, TaskDraft};
use afresh_formats::Finding;
use afresh_formats::findings::SourceText;
use afresh_formats::reading::{PlanReading, TaskPlaces};

use crate::artifacts::{CapabilityMap, JsonKey, LocatedJson, TaskFile};

/// A task's file, with the places of its parts.
#[derive(Debug, Clone)]
pub struct LocatedTask {
    pub task: TaskFile,
    pub json: LocatedJson,
}

/// The plan that the tasks make, with phases and the order that the steel thread demands; or what is wrong with it.
pub fn sequence_tasks(name: &str, map: &CapabilityMap, tasks: &[LocatedTask]) -> PlanReading {
    let places: Vec<TaskPlaces> = tasks.iter().map(locate_task).collect();
    let drafts = tasks.iter().map(|located| draft_task(map, &located.task)).collect();
    let draft =
        PlanDraft { name: name.to_owned(), spec: Some("spec.md".to_owned()), tasks: drafts };
    match Plan::from_draft(&draft) {
        Ok(plan) => {
            let plan = Plan::from_draft(&phases::assign_phases(draft, &plan))
                .expect("features that wait for the thread form no cycle");
            PlanReading { plan: Some(plan), places, ..PlanReading::default() }
        }
        Err(problems) => {
            let findings = problems.iter().map(|problem| locate_problem(problem, tasks, &places));
            PlanReading { findings: findings.collect(), places, ..PlanReading::default() }
        }
    }
}

fn draft_task(map: &CapabilityMap, task: &TaskFile) -> TaskDraft {
    let behaviors = || task.behaviors.iter().filter_map(|id| map.find_behavior(id));
    let mut seen = BTreeSet::new();
    let served = behaviors().flat_map(|behavior| &behavior.statements);
    let served = served.chain(&task.context.spec_requirements);
    TaskDraft {
        id: task.id.clone(),
        title: task.name.clone(),
        instructions: brief::render(map, task),
        needs: task.dependencies.tasks.clone(),
        files: task
            .files
            .iter()
            .map(|file| FileDraft { path: file.path.clone(), action: Some(file.action.to_plan()) })
            .collect(),
        checks: task
            .acceptance_criteria
            .iter()
            .map(|criterion| CheckDraft {
                name: Some(criterion.criterion.clone()),
                command: criterion.verification.clone(),
                red_first: criterion.end_to_end,
                guard: criterion.guard,
            })
            .collect(),
        requirements: served.filter(|id| seen.insert(id.as_str())).cloned().collect(),
        steel_thread: behaviors().any(|behavior| map.is_in_steel_thread(&behavior.id)),
        ..TaskDraft::default()
    }
}

fn locate_task(located: &LocatedTask) -> TaskPlaces {
    let LocatedTask { task, json } = located;
    let mut places = TaskPlaces::new(json.span(&["id".into()]));
    let mut note = |field: PlanField, item: usize, path: &[JsonKey<'_>]| {
        places.parts.insert((None, field, item), json.span(path));
    };
    note(PlanField::Id, 0, &["id".into()]);
    note(PlanField::Title, 0, &["name".into()]);
    note(PlanField::Requirements, 0, &["behaviors".into()]);
    for item in 0..task.dependencies.tasks.len() {
        note(PlanField::Needs, item, &["dependencies".into(), "tasks".into(), item.into()]);
    }
    for item in 0..task.files.len() {
        note(PlanField::Files, item, &["files".into(), item.into(), "path".into()]);
    }
    for item in 0..task.acceptance_criteria.len() {
        let path = ["acceptance_criteria".into(), item.into(), "verification".into()];
        note(PlanField::Checks, item, &path);
    }
    places
}

fn locate_problem(problem: &PlanProblem, tasks: &[LocatedTask], places: &[TaskPlaces]) -> Finding {
    let at = problem.place.task.filter(|at| *at < tasks.len());
    let mut finding = match at {
        Some(at) => {
            let json = &tasks[at].json;
            let span = places[at].locate(None, problem.place.field, problem.place.item);
            let source = SourceText::new(&json.file, &json.text);
            source.finding(problem.kind.code(), &span.range, problem.message.clone())
        }
        None => Finding::for_file("tasks", problem.kind.code(), problem.message.clone()),
    };
    finding.hint.clone_from(&problem.hint);
    finding
}
