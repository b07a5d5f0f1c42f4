//! A plan as the entries of a file; defaults are omitted.

use afresh_core::Plan;
use afresh_core::outcome::DecisionOption;
use afresh_core::plan::{Check, Checkpoint, FileScope, Step, Task};

use crate::native::schema::{
    CheckEntry, CheckpointEntry, FileEntry, NativePlanFile, OptionEntry, StepEntry, TaskEntry,
};

pub(super) fn plan_entries(plan: &Plan, target: Option<&str>) -> NativePlanFile {
    NativePlanFile {
        version: 1,
        name: non_empty(&plan.name),
        spec: plan.spec.clone(),
        target: target.map(str::to_owned),
        task: plan.tasks().iter().map(task).collect(),
    }
}

fn task(task: &Task) -> TaskEntry {
    TaskEntry {
        id: task.id.to_string(),
        title: task.title.clone(),
        instructions: non_empty(&task.instructions),
        needs: non_empty_list(task.needs.iter().map(ToString::to_string).collect()),
        files: files(&task.files),
        checks: checks(&task.checks),
        no_check: task.no_check.clone(),
        steps: non_empty_list(task.steps.iter().map(step).collect()),
        tier: task.tier,
        context: task.context,
        agent: task.agent.clone(),
        attempts_by: task.contest.as_ref().map(|contest| contest.agents.clone()),
        land: task.contest.as_ref().map(|contest| contest.land),
        label: task.commit.as_ref().map(ToString::to_string),
        requirements: non_empty_list(task.requirements.iter().map(ToString::to_string).collect()),
        phase: task.phase,
        steel_thread: task.steel_thread.then_some(true),
        acceptance: non_empty_list(task.acceptance.iter().map(|file| file.path.clone()).collect()),
        done_before: task.done_before.clone(),
        checkpoint: task.checkpoint.as_ref().map(checkpoint),
    }
}

fn step(step: &Step) -> StepEntry {
    StepEntry {
        name: step.name.clone(),
        instructions: non_empty(&step.instructions),
        files: files(&step.files),
        checks: checks(&step.checks),
    }
}

fn files(scopes: &[FileScope]) -> Option<Vec<FileEntry>> {
    let entry = |scope: &FileScope| {
        let path = scope.pattern.as_str().to_owned();
        match scope.action {
            None => FileEntry::Path(path),
            action => FileEntry::Detailed { path, action },
        }
    };
    non_empty_list(scopes.iter().map(entry).collect())
}

/// A check's default name is its command.
fn checks(checks: &[Check]) -> Option<Vec<CheckEntry>> {
    let entry = |check: &Check| {
        let name = (check.name != check.command).then(|| check.name.clone());
        let (red_first, guard) = (check.red_first.then_some(true), check.guard.then_some(true));
        let run = check.command.clone();
        if name.is_none() && red_first.is_none() && guard.is_none() {
            CheckEntry::Command(run)
        } else {
            CheckEntry::Detailed { name, run, red_first, guard }
        }
    };
    non_empty_list(checks.iter().map(entry).collect())
}

fn checkpoint(checkpoint: &Checkpoint) -> CheckpointEntry {
    let option = |choice: &DecisionOption| OptionEntry {
        key: choice.key.clone(),
        description: non_empty(&choice.description),
    };
    CheckpointEntry {
        kind: checkpoint.kind,
        text: checkpoint.text.clone(),
        options: non_empty_list(checkpoint.options.iter().map(option).collect()),
    }
}

fn non_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

fn non_empty_list<T>(items: Vec<T>) -> Option<Vec<T>> {
    (!items.is_empty()).then_some(items)
}
