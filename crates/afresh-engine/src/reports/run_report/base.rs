//! What was measured before the work, and what became of it (TR-01, TR-02).

use afresh_core::Run;
use afresh_core::check::CheckEnd;
use afresh_core::ids::{TaskId, TreeId};
use afresh_core::plan::Task;
use afresh_core::probe::{CheckClass, ProbedCheck};
use schemars::JsonSchema;
use serde::Serialize;

/// The measurement of the base.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct BaseReport {
    pub checks: Vec<ProbedCheckReport>,
    /// Tasks whose every check proves nothing.
    pub unproved: Vec<TaskId>,
    /// Checks of every merge that failed before the work.
    pub earlier_failures: Vec<EarlierFailureReport>,
}

/// One command before the work.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct ProbedCheckReport {
    pub command: String,
    pub class: CheckClass,
    /// Why it is of this class.
    pub detail: String,
    /// The exit code, if it ended by itself.
    pub exit: Option<i32>,
    pub duration_ms: u64,
    pub tree: TreeId,
    /// The tasks whose check it is; none: it runs on every merge.
    pub tasks: Vec<TaskId>,
}

/// What failed before the work, and how it is now.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct EarlierFailureReport {
    pub command: String,
    pub passes_now: bool,
    /// Tests that failed before and still fail.
    pub still_failing: Vec<String>,
    /// Tests that failed before and pass now.
    pub now_passing: Vec<String>,
}

/// None if nothing was measured.
pub(super) fn base_report(run: &Run) -> Option<BaseReport> {
    let checks: Vec<ProbedCheckReport> =
        run.probed_checks().map(|probed| probed_check(run, probed)).collect();
    if checks.is_empty() {
        return None;
    }
    let earlier = run.earlier_failures().into_iter().map(|it| EarlierFailureReport {
        command: it.command,
        passes_now: it.passes_now,
        still_failing: it.still_failing,
        now_passing: it.now_passing,
    });
    let unproved = run.unproved_tasks();
    Some(BaseReport {
        checks,
        unproved: unproved.iter().map(|unproved| unproved.task.id.clone()).collect(),
        earlier_failures: earlier.collect(),
    })
}

fn probed_check(run: &Run, probed: &ProbedCheck) -> ProbedCheckReport {
    let has = |task: &&Task| task.all_checks().any(|check| check.command == probed.command());
    ProbedCheckReport {
        command: probed.command().to_owned(),
        class: probed.class,
        detail: probed.detail.clone(),
        exit: match probed.result.end {
            CheckEnd::Exited(code) => Some(code),
            _ => None,
        },
        duration_ms: probed.result.duration_ms,
        tree: probed.tree.clone(),
        tasks: run.plan().tasks().iter().filter(has).map(|task| task.id.clone()).collect(),
    }
}
