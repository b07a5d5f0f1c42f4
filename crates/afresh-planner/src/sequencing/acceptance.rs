//! Tests that were written before the work become checks of their tasks, and their files land with them (PL-17).

use afresh_core::Plan;
use afresh_core::plan::{CheckDraft, PlanDraft, PlanProblem};

use crate::artifacts::AcceptanceSet;

/// The plan with the scenarios as checks. One command may show several scenarios.
pub fn attach_acceptance(plan: &Plan, set: &AcceptanceSet) -> Result<Plan, Vec<PlanProblem>> {
    let mut draft = PlanDraft::from(plan);
    for task in &mut draft.tasks {
        for scenario in set.scenarios.iter().filter(|it| it.task == task.id) {
            let name = format!(
                "{} ({}): {}",
                scenario.id,
                scenario.statements.join(", "),
                scenario.scenario.trim()
            );
            match task.checks.iter_mut().find(|check| check.command == scenario.command) {
                Some(check) => check.red_first |= scenario.end_to_end,
                None => task.checks.push(CheckDraft {
                    name: Some(name),
                    command: scenario.command.clone(),
                    red_first: scenario.end_to_end,
                    guard: false,
                }),
            }
            for file in &scenario.files {
                if !task.acceptance.contains(file) {
                    task.acceptance.push(file.clone());
                }
            }
        }
    }
    Plan::from_draft(&draft)
}
