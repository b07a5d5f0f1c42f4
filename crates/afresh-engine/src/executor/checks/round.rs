//! One round of checks on one tree.

use std::fs;
use std::path::PathBuf;

use afresh_checks::unexecuted_tests;
use afresh_core::Input;
use afresh_core::check::{CheckEnd, CheckOutcome, CheckPhase, CheckResult, FailedTry};
use afresh_core::effect::{CheckOn, CheckRequest};
use afresh_core::ids::{CommitId, TreeId};
use afresh_core::input::CheckReport;
use afresh_core::plan::Check;

use super::command::{CheckCommand, new_log};
use super::groups::{CheckPlace, EndedGroups, GroupRunner, NumberedGroup};
use super::slots::{CheckTicket, CheckedTree, OccupiedSlot};
use crate::executor::ExecutorContext;
use crate::executor::causes::describe;

/// Runs one round of checks and reports it.
pub(crate) fn carry_out(
    shared: &ExecutorContext,
    request: &CheckRequest,
    head: &CommitId,
    ticket: CheckTicket,
) -> Input {
    let tree = match &request.on {
        CheckOn::Tree(tree) => Ok(tree.clone()),
        CheckOn::Commit(commit) => shared.pool.repository().commit_tree(commit),
    };
    let (tree, checked) = match tree {
        Ok(tree) => {
            let on = CheckedTree { tree: &tree, head, set_up_by: None };
            let checked = CheckRound { shared, request, on, ticket }.run();
            (tree, checked)
        }
        // The core uses the tree only if the checks could run.
        Err(error) => (no_tree(), CheckOutcome::Impossible(describe(&error))),
    };
    let (attempt, batch, phase) = (request.attempt.clone(), request.batch, request.phase);
    Input::Checked(CheckReport { attempt, batch, phase, tree, checked })
}

pub(super) fn no_tree() -> TreeId {
    TreeId::new("0".repeat(40)).expect("forty digits are an object id")
}

pub(super) struct CheckRound<'a> {
    pub(super) shared: &'a ExecutorContext,
    pub(super) request: &'a CheckRequest,
    pub(super) on: CheckedTree<'a>,
    pub(super) ticket: CheckTicket,
}

impl CheckRound<'_> {
    fn run(&self) -> CheckOutcome {
        let groups = NumberedGroup::of_request(self.request);
        let ended = GroupRunner::new(self, groups).run();
        match ended {
            EndedGroups::Ran(results, slot) => self.add_mutants(results, slot),
            EndedGroups::Stopped => CheckOutcome::Stopped,
            EndedGroups::Impossible(why) => CheckOutcome::Impossible(why),
        }
    }

    /// The mutation test comes last, and only if nothing else has failed.
    fn add_mutants(
        &self,
        mut results: Vec<CheckResult>,
        slot: Option<OccupiedSlot<'_>>,
    ) -> CheckOutcome {
        let is_good = results.iter().all(|result| result.passed() || self.tolerates(result));
        let Some((rule, since)) = self.request.mutation.as_ref().filter(|_| is_good) else {
            return CheckOutcome::Ran(results);
        };
        let slot = match slot {
            Some(slot) => Ok(Some(slot)),
            None => OccupiedSlot::enter(self.shared, self.ticket, self.on),
        };
        let tested = match slot {
            Ok(Some(slot)) => self.test_mutants(&slot, rule, since),
            Ok(None) => Ok(None),
            Err(why) => Err(why),
        };
        match tested {
            Ok(Some(result)) => {
                results.push(result);
                CheckOutcome::Ran(results)
            }
            Ok(None) => CheckOutcome::Stopped,
            Err(why) => CheckOutcome::Impossible(why),
        }
    }

    /// Whether this failure says nothing about the work, whatever it is.
    pub(super) fn is_tolerated_command(&self, check: &Check) -> bool {
        self.request.tolerated.iter().any(|tolerated| tolerated.command == check.command)
    }

    /// Whether this failure does not count.
    fn tolerates(&self, failed: &CheckResult) -> bool {
        self.request.tolerated.iter().any(|tolerated| tolerated.tolerates(failed))
    }

    /// Runs a check, and again on the same tree if it fails (TR-03); none if it was stopped.
    pub(super) fn run_check(
        &self,
        slot: &OccupiedSlot<'_>,
        place: CheckPlace,
        check: &Check,
    ) -> Result<Option<CheckResult>, String> {
        let number = place.number;
        let Some(mut result) = self.run_once(slot, number, check, 0)? else { return Ok(None) };
        for again in 1..=self.request.reruns {
            // What failed before the work is expected to fail; a failure beside it may be flaky.
            if !may_be_flaky(&result) || self.tolerates(&result) {
                break;
            }
            // Later checks of a group may need what earlier ones have built.
            if place.is_first_of_group && !slot.prepare(self.on)? {
                return Ok(None);
            }
            let Some(next) = self.run_once(slot, number, check, again)? else { return Ok(None) };
            if !next.passed() {
                // It says the same again.
                let _ = fs::remove_file(self.log(number, again));
            }
            result = after_failure(result, next);
        }
        let of = self.request.attempt.as_ref();
        let log = of.map(|attempt| format!("{attempt}/{}", self.log_name(number, 0)));
        Ok(Some(CheckResult { log, ..result }))
    }

    fn run_once(
        &self,
        slot: &OccupiedSlot<'_>,
        number: usize,
        check: &Check,
        again: u32,
    ) -> Result<Option<CheckResult>, String> {
        let command = CheckCommand {
            check,
            ticket: self.ticket,
            attempt: self.request.attempt.as_ref(),
            log: self.new_log(number, again)?,
            limit: self.shared.config.check_timeout,
            variables: Vec::new(),
        };
        let Some(ended) = slot.run(&command)? else { return Ok(None) };
        let changed = &self.request.changed_tests;
        let unexecuted = unexecuted_tests(&check.command, &ended.reports, changed);
        Ok(Some(CheckResult { unexecuted, ..ended.result }))
    }

    pub(super) fn new_log(&self, number: usize, again: u32) -> Result<PathBuf, String> {
        let log = self.log(number, again);
        new_log(&log)?;
        Ok(log)
    }

    fn log(&self, number: usize, again: u32) -> PathBuf {
        let attempt = self.request.attempt.as_ref();
        let directory = self.shared.layout.checks(&self.shared.run, attempt);
        directory.join(format!("{}.log", self.log_name(number, again)))
    }

    /// No two rounds that may run at the same time have a name in common.
    fn log_name(&self, number: usize, again: u32) -> String {
        let phase = match (self.request.phase, self.request.batch) {
            // A task has several steps, and each may be retried.
            (CheckPhase::Step, _) => format!("step-{}", &self.on.tree.as_str()[..10]),
            (phase, Some(batch)) => format!("{phase:?}-{}", batch.0).to_lowercase(),
            (phase, None) => format!("{phase:?}").to_lowercase(),
        };
        let number = number + 1;
        match again {
            0 => format!("{phase}-{number}"),
            again => format!("{phase}-{number}-rerun-{again}"),
        }
    }
}

/// Whether another run on the same tree could end otherwise. One that ran out of time would cost that time again.
pub(super) fn may_be_flaky(result: &CheckResult) -> bool {
    !result.passed()
        && !result.executed_no_test()
        && matches!(result.end, CheckEnd::Exited(_) | CheckEnd::Signaled(_))
}

/// The next result, with the failure before it.
pub(super) fn after_failure(failed: CheckResult, next: CheckResult) -> CheckResult {
    let mut failed_tries = failed.failed_tries;
    failed_tries.push(FailedTry {
        end: failed.end,
        duration_ms: failed.duration_ms,
        output_digest: failed.output_digest,
        output_tail: failed.output_tail,
    });
    CheckResult { failed_tries, ..next }
}
