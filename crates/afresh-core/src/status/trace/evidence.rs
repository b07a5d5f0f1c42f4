//! What is known of one task: how it ended, and which of its checks prove it.

use std::collections::BTreeMap;

use super::{TracedCheck, TracedTask};
use crate::check::{CheckEnd, CheckResult, Receipt};
use crate::ids::{AttemptId, CommitId, TaskId, TreeId};
use crate::plan::{Check, Plan, Task, TaskIndex};
use crate::probe::CheckClass;
use crate::run::{FinalChecks, RefutedMark, Run, TaskStage, TaskState};
use crate::status::{RunStatus, TaskPhase};

/// What a task says about the requirements that it serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TaskProof {
    /// It is not done yet.
    Open,
    /// It failed, was skipped, is blocked, or its mark in the plan is wrong.
    Lost(String),
    /// It landed, and a check of its own proves it.
    Proved,
    /// It is done, and this says why nothing proves it.
    Unproved(String),
    /// A person has answered what the plan asks there; there is nothing to prove.
    Answered,
    /// The plan's file says another task now.
    Changed,
}

/// One task of a plan.
#[derive(Debug)]
pub(super) struct TaskEvidence {
    pub(super) proof: TaskProof,
    pub(super) phase: Option<TaskPhase>,
    /// The attempt that landed.
    pub(super) attempt: Option<AttemptId>,
    commit: Option<CommitId>,
    tree: Option<TreeId>,
    checks: Vec<TracedCheck>,
}

/// Every task of a plan.
#[derive(Debug)]
pub(super) struct EvidenceTable(BTreeMap<TaskId, TaskEvidence>);

impl EvidenceTable {
    pub(super) fn new(plan: &Plan, run: Option<&Run>) -> Self {
        let phases: BTreeMap<TaskId, TaskPhase> = run
            .map(|run| RunStatus::from_run(run).tasks)
            .unwrap_or_default()
            .into_iter()
            .map(|task| (task.id, task.state))
            .collect();
        let marks = run.map(Run::refuted_marks).unwrap_or_default();
        let refuted: BTreeMap<&TaskId, &RefutedMark<'_>> =
            marks.iter().map(|mark| (&mark.task.id, mark)).collect();
        let mut found = BTreeMap::new();
        // Tasks that left the plan may still be cited by requirements that left it with them.
        let removed = run.into_iter().flat_map(|run| run.plan().tasks());
        for task in removed.chain(plan.tasks()) {
            let known = run.and_then(|run| Some((run, run.plan().index_of(&task.id)?)));
            let evidence = match known {
                None => TaskEvidence::planned(task),
                Some((run, at)) => {
                    let refuted = refuted.get(&task.id).map(|mark| mark.describe());
                    TaskEvidence::measured(run, at, task, phases.get(&task.id).copied(), refuted)
                }
            };
            found.insert(task.id.clone(), evidence);
        }
        Self(found)
    }

    pub(super) fn get(&self, task: &TaskId) -> Option<&TaskEvidence> {
        self.0.get(task)
    }

    pub(super) fn has_changed_tasks(&self) -> bool {
        self.0.values().any(|evidence| evidence.proof == TaskProof::Changed)
    }

    pub(super) fn checks_of(&self, task: &TaskId) -> &[TracedCheck] {
        self.get(task).map_or(&[], |evidence| &evidence.checks)
    }

    pub(super) fn traced_task(&self, plan: &Plan, at: TaskIndex) -> TracedTask {
        let task = plan.task(at);
        let evidence = self.get(&task.id);
        TracedTask {
            id: task.id.clone(),
            title: task.title.clone(),
            state: evidence.and_then(|evidence| evidence.phase),
            requirements: task.requirements.clone(),
            commit: evidence.and_then(|evidence| evidence.commit.clone()),
            tree: evidence.and_then(|evidence| evidence.tree.clone()),
            attempt: evidence
                .and_then(|evidence| evidence.attempt.as_ref())
                .map(ToString::to_string),
        }
    }
}

impl TaskEvidence {
    /// A task that no run knows.
    fn planned(task: &Task) -> Self {
        let checks = task.all_checks().map(|check| planned_check(task, check, None)).collect();
        Self {
            proof: TaskProof::Open,
            phase: None,
            attempt: None,
            commit: None,
            tree: None,
            checks,
        }
    }

    fn measured(
        run: &Run,
        at: TaskIndex,
        task: &Task,
        phase: Option<TaskPhase>,
        refuted: Option<String>,
    ) -> Self {
        let state = run.task(at);
        if !task.is_same_work_as(run.plan().task(at)) {
            // Work that has not begun is done as the file says then.
            let proof = if state.is_finished() { TaskProof::Changed } else { TaskProof::Open };
            return Self { proof, phase, ..Self::planned(task) };
        }
        let class = |command: &str| run.probed(command).map(|probed| probed.class);
        match &state.stage {
            TaskStage::Done { commit, attempt, receipt } => {
                Self::landed(task, commit, attempt, receipt, class, phase)
            }
            TaskStage::Settled { how } => {
                let proof = settled_proof(task, how, refuted);
                Self::settled(run, task, proof, phase)
            }
            _ => {
                let proof = match lost(state, phase) {
                    Some(why) => TaskProof::Lost(why),
                    None => TaskProof::Open,
                };
                let checks = task.all_checks();
                let checks =
                    checks.map(|check| planned_check(task, check, class(&check.command))).collect();
                Self { proof, phase, checks, ..Self::planned(task) }
            }
        }
    }

    fn landed(
        task: &Task,
        commit: &CommitId,
        attempt: &AttemptId,
        receipt: &Receipt,
        class: impl Fn(&str) -> Option<CheckClass>,
        phase: Option<TaskPhase>,
    ) -> Self {
        let checks: Vec<TracedCheck> = task
            .all_checks()
            .map(|check| {
                let class = class(&check.command);
                let ran = receipt.checks.iter().find(|result| result.command == check.command);
                ran.map_or_else(
                    || planned_check(task, check, class),
                    |result| TracedCheck {
                        commit: Some(commit.clone()),
                        tree: Some(receipt.tree.clone()),
                        proves: proves(check, class, result),
                        ..ran_check(task, result, class)
                    },
                )
            })
            .collect();
        let proof = if checks.iter().any(|check| check.proves) {
            TaskProof::Proved
        } else {
            TaskProof::Unproved(describe_unproved(task, &checks))
        };
        Self {
            proof,
            phase,
            attempt: Some(attempt.clone()),
            commit: Some(commit.clone()),
            tree: Some(receipt.tree.clone()),
            checks,
        }
    }

    /// Done without an attempt. Its checks ran with the final ones, on a tree that held its work before.
    fn settled(run: &Run, task: &Task, proof: TaskProof, phase: Option<TaskPhase>) -> Self {
        let last = match run.final_checks() {
            FinalChecks::Ended { tree, results, .. }
                if run.tip_tree().is_none_or(|tip| tip == tree) =>
            {
                Some((tree, results))
            }
            _ => None,
        };
        let checks = task.all_checks().map(|check| {
            let class = run.probed(&check.command).map(|probed| probed.class);
            let ran = last.and_then(|(tree, results)| {
                let result = results.iter().find(|result| result.command == check.command)?;
                Some((tree, result))
            });
            ran.map_or_else(
                || planned_check(task, check, class),
                |(tree, result)| TracedCheck {
                    commit: Some(run.tip().clone()),
                    tree: Some(tree.clone()),
                    ..ran_check(task, result, class)
                },
            )
        });
        let checks = checks.collect();
        Self { proof, phase, checks, ..Self::planned(task) }
    }
}

/// What is known of a task that is done by word alone, and that the final checks may refute.
fn settled_proof(task: &Task, how: &str, refuted: Option<String>) -> TaskProof {
    match refuted {
        Some(why) => TaskProof::Lost(why),
        None if task.checkpoint.is_some() => TaskProof::Answered,
        None => TaskProof::Unproved(format!("{} is done by word alone: {how}", task.id)),
    }
}

/// Why a task will not be done unless somebody does something.
fn lost(state: &TaskState, phase: Option<TaskPhase>) -> Option<String> {
    match (&state.stage, phase) {
        (TaskStage::Failed { reason, .. }, _) if reason.starts_with("failed:") => {
            Some(reason.clone())
        }
        (TaskStage::Failed { reason, .. }, _) => Some(format!("failed: {reason}")),
        (TaskStage::Skipped { reason, .. }, _) => Some(format!("was skipped: {reason}")),
        (_, Some(TaskPhase::Blocked)) => Some("is blocked".to_owned()),
        _ => None,
    }
}

/// Whether a check shows that its task is done: it passed, and did not before the work.
fn proves(check: &Check, class: Option<CheckClass>, result: &CheckResult) -> bool {
    let failed_before = match class {
        Some(CheckClass::Red | CheckClass::Pending | CheckClass::Unrunnable) => true,
        Some(CheckClass::Vacuous | CheckClass::Empty | CheckClass::Guard | CheckClass::Flaky) => {
            false
        }
        // The attempt itself saw that it failed first.
        Some(CheckClass::Unprobed) | None => check.red_first,
    };
    result.passed() && !result.is_flaky() && failed_before && !check.guard
}

fn describe_unproved(task: &Task, checks: &[TracedCheck]) -> String {
    if checks.is_empty() {
        let why = task.no_check.as_deref().unwrap_or("it has none");
        return format!("{} has no check of its own ({why})", task.id);
    }
    let reasons = checks.iter().map(|check| {
        let why = match (&check.excuse, check.class) {
            (Some(_), _) => "failed, which was excused",
            _ if check.flaky => "is flaky",
            (None, Some(CheckClass::Vacuous)) => "passed before the work",
            (None, Some(CheckClass::Empty)) => "executed no test before the work",
            (None, _) if check.exit.is_none() => "did not run",
            (None, Some(CheckClass::Unprobed) | None) => "was not measured before the work",
            (None, Some(CheckClass::Flaky)) => "was flaky before the work",
            (None, _) => "passes before and after the work",
        };
        format!("`{}` {why}", check.command)
    });
    let reasons: Vec<String> = reasons.collect();
    format!("nothing proves {}: {}", task.id, reasons.join(", "))
}

fn planned_check(task: &Task, check: &Check, class: Option<CheckClass>) -> TracedCheck {
    TracedCheck {
        task: task.id.clone(),
        command: check.command.clone(),
        name: Some(check.name.clone()).filter(|name| *name != check.command),
        class,
        exit: None,
        commit: None,
        tree: None,
        proves: false,
        flaky: false,
        excuse: None,
        output_digest: None,
    }
}

fn ran_check(task: &Task, result: &CheckResult, class: Option<CheckClass>) -> TracedCheck {
    TracedCheck {
        task: task.id.clone(),
        command: result.command.clone(),
        name: Some(result.name.clone()).filter(|name| *name != result.command),
        class,
        exit: match result.end {
            CheckEnd::Exited(code) => Some(code),
            _ => None,
        },
        commit: None,
        tree: None,
        proves: false,
        flaky: result.is_flaky(),
        excuse: result.excuse.clone(),
        output_digest: Some(result.output_digest.clone()).filter(|digest| !digest.is_empty()),
    }
}
