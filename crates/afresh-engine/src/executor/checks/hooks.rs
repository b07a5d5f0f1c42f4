//! Hooks around a round of checks.
//!
//! Before: the checks of an attempt's own tree, which a person may have to release. After: every round that judges a
//! tree. Checks before any work and those of single steps have none.

use afresh_core::check::{CheckOutcome, CheckPhase, CheckResult};
use afresh_core::effect::{CheckOn, CheckRequest};
use afresh_core::hook::HookPoint;
use afresh_core::input::CheckReport;
use afresh_core::{Input, Run};
use serde_json::json;

use crate::executor::ExecutorContext;
use crate::executor::hooks::{HookEvent, HookResult, failure_after, run_stoppable_hooks};

/// What to run before and after a round.
pub(crate) struct CheckHooks {
    before: Option<HookEvent>,
    after: Option<HookEvent>,
}

impl CheckHooks {
    pub(crate) fn new(run: &Run, request: &CheckRequest) -> Self {
        let attempt = request.attempt.as_ref();
        let tree = match &request.on {
            CheckOn::Tree(tree) => tree.as_str(),
            CheckOn::Commit(commit) => commit.as_str(),
        };
        let commands: Vec<&str> = request.checks().map(|it| it.command.as_str()).collect();
        let with = |event: HookEvent| {
            event.with("tree", tree.into()).with("checks", commands.clone().into())
        };
        let before = attempt
            .filter(|_| request.phase == CheckPhase::Alone)
            .and_then(|attempt| HookEvent::before(run, HookPoint::BeforeCheck, attempt));
        let judges =
            matches!(request.phase, CheckPhase::Alone | CheckPhase::Merged | CheckPhase::Final);
        let after = judges.then(|| HookEvent::new(run, HookPoint::AfterCheck, attempt));
        Self { before: before.map(with), after: after.map(with) }
    }

    /// The round with its hooks; the answers come in the order in which they became true.
    pub(crate) fn run_around(
        &self,
        shared: &ExecutorContext,
        request: &CheckRequest,
        answer: &(dyn Fn(Input) + Sync),
        round: impl FnOnce() -> Input,
    ) {
        match self.before.as_ref().map(|event| run_stoppable_hooks(shared, event)) {
            Some(HookResult::Failed(failure)) => return answer(Input::HookFailed(failure)),
            Some(HookResult::Stopped) => return answer(stopped(request)),
            Some(HookResult::Passed) | None => {}
        }
        let report = round();
        if let (
            Some(after),
            Input::Checked(CheckReport { checked: CheckOutcome::Ran(results), .. }),
        ) = (&self.after, &report)
        {
            let passed = results.iter().all(CheckResult::passed);
            let result = |it: &CheckResult| json!({"command": it.command, "passed": it.passed()});
            let all: Vec<_> = results.iter().map(result).collect();
            let event = after.clone().with("passed", passed.into()).with("results", all.into());
            failure_after(shared, &event).map(Input::HookFailed).into_iter().for_each(answer);
        }
        answer(report);
    }
}

/// A halt ended the hooks, so the checks did not begin.
fn stopped(request: &CheckRequest) -> Input {
    let tree = match &request.on {
        CheckOn::Tree(tree) => tree.clone(),
        CheckOn::Commit(_) => super::round::no_tree(),
    };
    let (attempt, batch, phase) = (request.attempt.clone(), request.batch, request.phase);
    Input::Checked(CheckReport { attempt, batch, phase, tree, checked: CheckOutcome::Stopped })
}
