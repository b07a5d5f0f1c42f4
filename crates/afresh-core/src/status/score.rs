//! How good a plan is before it runs, in figures (PL-22). No model judges.

use schemars::JsonSchema;
use serde::Serialize;

use super::trace::{RequirementState, RequirementTrace, TraceSources};
use crate::plan::{Plan, Task};
use crate::probe::CheckClass;

/// What `afresh show --json` has as `score`.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct PlanScore {
    /// The share of the requirements in scope that a task serves; null if the plan has none.
    pub coverage: Option<f64>,
    /// The share of the workers' tasks with a check that fails before the work; null if no worker has a task.
    pub red_share: Option<f64>,
    /// References that resolve to nothing; null outside of a repository.
    pub ungrounded: Option<usize>,
    /// Pairs of tasks that may write the same file, and that no dependency orders.
    pub same_file_pairs: usize,
    /// The most tasks of one wave.
    pub width: usize,
    /// The number of tasks in the longest chain.
    pub critical_path: usize,
    /// The largest estimated share of a context.
    pub largest_context: f64,
}

/// What the plan alone does not say.
#[derive(Debug, Clone, Copy)]
pub struct ScoreFacts<F> {
    /// What a command showed when it was last run before the work; without any probe, the plan's word counts.
    pub class_of: Option<F>,
    pub ungrounded: Option<usize>,
    /// In per cent.
    pub largest_context: u64,
}

impl PlanScore {
    pub fn new<F: Fn(&str) -> Option<CheckClass>>(plan: &Plan, facts: &ScoreFacts<F>) -> Self {
        let worked: Vec<&Task> = plan.tasks().iter().filter(|task| task.has_worker()).collect();
        let red = worked.iter().filter(|task| is_red(task, facts.class_of.as_ref())).count();
        Self {
            coverage: coverage(plan),
            red_share: share(red, worked.len()),
            ungrounded: facts.ungrounded,
            same_file_pairs: plan.conflicts().len(),
            width: plan.waves().iter().map(Vec::len).max().unwrap_or(0),
            critical_path: plan.critical_path().len(),
            largest_context: fraction(facts.largest_context, 100),
        }
    }
}

/// Whether a check of it is known to fail before the work; one that misses what a task creates does.
fn is_red(task: &Task, class_of: Option<&impl Fn(&str) -> Option<CheckClass>>) -> bool {
    task.all_checks().any(|check| match class_of {
        Some(class_of) => {
            matches!(class_of(&check.command), Some(CheckClass::Red | CheckClass::Pending))
        }
        None => check.red_first,
    })
}

fn coverage(plan: &Plan) -> Option<f64> {
    if plan.requirements().is_empty() {
        return None;
    }
    let trace = RequirementTrace::new(TraceSources { plan, run: None });
    let count = |state| trace.counts.get(&state).copied().unwrap_or(0);
    let excluded = count(RequirementState::Deferred) + count(RequirementState::OutOfScope);
    let active = trace.requirements.len() - excluded;
    share(active - count(RequirementState::Uncovered), active)
}

fn share(part: usize, whole: usize) -> Option<f64> {
    let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    (whole > 0).then(|| fraction(number(part), number(whole)))
}

/// Rounded to thousandths: figures to compare, not to count with.
fn fraction(part: u64, whole: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "it is shown, not counted with")]
    let exact = part as f64 / whole as f64;
    (exact * 1_000.0).round() / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{CheckDraft, FileDraft, PlanDraft, TaskDraft};

    fn task(id: &str, needs: &[&str], file: &str, check: CheckDraft) -> TaskDraft {
        TaskDraft {
            id: id.to_owned(),
            title: id.to_owned(),
            needs: needs.iter().map(|need| (*need).to_owned()).collect(),
            files: vec![FileDraft { path: file.to_owned(), action: None }],
            checks: vec![check],
            ..TaskDraft::default()
        }
    }

    fn check(command: &str, red_first: bool) -> CheckDraft {
        CheckDraft { command: command.to_owned(), red_first, ..CheckDraft::default() }
    }

    fn plan() -> Plan {
        let tasks = vec![
            task("A", &[], "a", check("one", true)),
            task("B", &[], "b", check("two", false)),
            task("C", &["A"], "b", check("three", false)),
        ];
        Plan::new(PlanDraft { tasks, ..PlanDraft::default() }).expect("a plan")
    }

    fn facts<F: Fn(&str) -> Option<CheckClass>>(class_of: Option<F>) -> ScoreFacts<F> {
        ScoreFacts { class_of, ungrounded: Some(2), largest_context: 12 }
    }

    /// PL-22: the shape of a plan in figures; the plan's own word where nothing was measured.
    #[test]
    fn a_score_is_the_shape_of_the_plan() {
        let unmeasured: Option<fn(&str) -> Option<CheckClass>> = None;
        let score = PlanScore::new(&plan(), &facts(unmeasured));
        assert_eq!(score.coverage, None, "there are no requirements");
        assert_eq!(score.red_share, Some(0.333));
        assert_eq!((score.ungrounded, score.same_file_pairs), (Some(2), 1));
        assert_eq!((score.width, score.critical_path), (2, 2));
        assert!((score.largest_context - 0.12).abs() < f64::EPSILON);
    }

    /// PL-22, TR-01: what was measured wins over what the plan says.
    #[test]
    fn a_measured_check_is_red_or_not_whatever_the_plan_says() {
        let measured = |command: &str| match command {
            "one" => Some(CheckClass::Vacuous),
            "two" => Some(CheckClass::Red),
            _ => Some(CheckClass::Pending),
        };
        let score = PlanScore::new(&plan(), &facts(Some(measured)));
        assert_eq!(score.red_share, Some(0.667));
    }
}
