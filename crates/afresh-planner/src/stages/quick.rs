//! One fresh planner writes the whole plan in the native format.

use afresh_core::plan::{CheckDraft, ContextLevel, FileAction, FileDraft, PlanDraft, TaskDraft};

use super::PlanningJob;
use crate::prompts::{PlanningRole, render};

/// The plan of the planning run: one task, whose check is that the plan is valid.
pub fn quick_plan(job: &PlanningJob<'_>) -> PlanDraft {
    let path = job.plan_path();
    let task = TaskDraft {
        id: "plan".to_owned(),
        title: format!("Plan {}", job.name),
        instructions: render(job.template(PlanningRole::Planner), &job.values()),
        files: vec![FileDraft { path: path.clone(), action: Some(FileAction::Create) }],
        // A planner needs all of the specification.
        context: Some(ContextLevel::Full),
        checks: vec![CheckDraft {
            name: Some("the plan is valid".to_owned()),
            command: format!("afresh plan validate --probe {path}"),
            ..CheckDraft::default()
        }],
        ..TaskDraft::default()
    };
    PlanDraft {
        name: format!("planning {}", job.name),
        spec: Some("spec.md".to_owned()),
        tasks: vec![task],
    }
}
