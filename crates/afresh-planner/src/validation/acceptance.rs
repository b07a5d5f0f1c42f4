//! Tests that were written before the work: each statement has a scenario or a reason, each scenario a task that serves
//! it, and each file is new and belongs to one task (PL-17). That they fail now is measured by running them.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Plan;
use afresh_formats::Finding;
use afresh_formats::reading::PlanReading;

use super::{ArtifactReview, ArtifactSubject};
use crate::artifacts::{AcceptanceScenario, AcceptanceSet, ArtifactKind, JsonKey, LocatedJson};
use crate::ledger::Ledger;
use crate::sequencing::attach_acceptance;

/// What the path of each file has in it, so that the files are recognised wherever the project keeps its tests.
pub const ACCEPTANCE_WORD: &str = "acceptance";

pub(super) fn validate(subject: &ArtifactSubject<'_>) -> ArtifactReview {
    let read = subject.read(ArtifactKind::Acceptance).and_then(|read| {
        let reading = subject.read_sequenced()?;
        Ok((read, reading))
    });
    let ((set, json), reading): ((AcceptanceSet, LocatedJson), PlanReading) = match read {
        Ok(read) => read,
        Err(findings) => return ArtifactReview::of(findings),
    };
    let Some(plan) = &reading.plan else { return ArtifactReview::of(reading.findings) };
    let ledger = subject.refined_ledger();
    let mut findings = check_scenarios(subject, plan, &ledger, &set, &json);
    findings.extend(check_coverage(&ledger, &set, &json));
    let attached = attach_acceptance(plan, &set).ok();
    let places = reading.places;
    let reading =
        attached.map(|plan| PlanReading { plan: Some(plan), places, ..PlanReading::default() });
    ArtifactReview { findings, reading }
}

fn check_scenarios(
    subject: &ArtifactSubject<'_>,
    plan: &Plan,
    ledger: &Ledger,
    set: &AcceptanceSet,
    json: &LocatedJson,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut ids = BTreeSet::new();
    let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
    for (at, scenario) in set.scenarios.iter().enumerate() {
        let AcceptanceScenario { id, task, statements, files, command, .. } = scenario;
        let mut report = |field: &'static str, code: &str, message: String, hint: &str| {
            let path: [JsonKey<'_>; 3] = ["scenarios".into(), at.into(), field.into()];
            findings.push(json.finding(&path, code, message).with_hint(hint));
        };
        if !ids.insert(id.as_str()) {
            let message = format!("the id {id} is used twice");
            report("id", "duplicate-id", message, "give each scenario an id of its own");
        }
        let found = plan.tasks().iter().find(|it| it.id.as_str() == task);
        let Some(found) = found else {
            let message = format!("{id} belongs to {task}, which is no task");
            report("task", "unknown-task", message, "name the task that makes it pass");
            continue;
        };
        for statement in statements {
            let is_served = |ledger_id: &str| {
                found.requirements.iter().any(|it| it.as_str().eq_ignore_ascii_case(ledger_id))
            };
            match ledger.find(statement) {
                None => {
                    let message = format!("{id} tests {statement}, which is no statement");
                    report(
                        "statements",
                        "unknown-statement",
                        message,
                        "the ids are in ledger.json",
                    );
                }
                Some(known) if !known.is_active() => {
                    let message = format!("{id} tests {statement}, which is left out");
                    report("statements", "leaks-scope", message, "leave it for later");
                }
                Some(known) => {
                    let by_parent = known.parent.as_ref().is_some_and(|it| is_served(it.as_str()));
                    if !is_served(known.id.as_str()) && !by_parent {
                        let message =
                            format!("{id} tests {statement}, which {task} does not serve");
                        let hint = "let the task that serves the statement make the test pass";
                        report("statements", "other-tasks-statement", message, hint);
                    }
                }
            }
        }
        for file in files {
            let owner = owners.entry(file).or_insert(task);
            if owner != task {
                let message = format!("{file} belongs to {owner} and to {task}");
                let hint = "a test file lands with one task: write one file for each";
                report("files", "shared-test-file", message, hint);
            }
            if !file.to_lowercase().contains(ACCEPTANCE_WORD) {
                let message = format!("the path {file} has no \"acceptance\" in it");
                let hint = "such as tests/acceptance/test_store.py or tests/acceptance_store.rs";
                report("files", "unmarked-test-file", message, hint);
            } else if subject.reserved_paths().any(|path| path == *file) {
                let message = format!("{file} existed before");
                report("files", "file-exists", message, "write a new file; existing tests stay");
            } else if subject.repository.bytes_of(file).is_none() {
                let message = format!("{file} was not written");
                let hint = "write the test to exactly this path with your file tool";
                report("files", "unreadable", message, hint);
            }
        }
        let mentions = files.iter().any(|file| names_file(command, file));
        if !mentions {
            let message = format!("the command of {id} names none of its files: {command}");
            let hint = "run exactly this test, not a whole suite that other tasks turn red";
            report("command", "broad-command", message, hint);
        }
    }
    findings
}

/// Whether a command runs a file: by its path, by its name without ending, or as a module.
fn names_file(command: &str, file: &str) -> bool {
    let stem = file.rsplit('/').next().unwrap_or(file).split('.').next().unwrap_or(file);
    let directory = file.rsplit('/').nth(1).unwrap_or_default();
    command.contains(file)
        || command.contains(stem)
        || (directory.to_lowercase().contains(ACCEPTANCE_WORD) && command.contains(directory))
}

/// Every statement in scope is tested, or the author says why it cannot be.
fn check_coverage(ledger: &Ledger, set: &AcceptanceSet, json: &LocatedJson) -> Vec<Finding> {
    let tested: BTreeSet<String> = set
        .scenarios
        .iter()
        .flat_map(|scenario| &scenario.statements)
        .chain(set.untestable.iter().map(|it| &it.statement))
        .map(|id| id.to_lowercase())
        .collect();
    let is_tested = |id: &str| tested.contains(&id.to_lowercase());
    let missing = ledger.active().filter(|statement| {
        let parts = || ledger.active().filter(|it| it.parent.as_ref() == Some(&statement.id));
        let by_parts = parts().next().is_some() && parts().all(|it| is_tested(it.id.as_str()));
        let by_parent = statement.parent.as_ref().is_some_and(|it| is_tested(it.as_str()));
        !is_tested(statement.id.as_str()) && !by_parts && !by_parent
    });
    let finding = |statement: &crate::ledger::LedgerStatement| {
        let quote: String = statement.quote.chars().take(100).collect();
        let message = format!("no scenario tests {}: {quote}", statement.id);
        let hint = "write a test for it, or list it in `untestable` with a reason";
        json.finding(&["scenarios".into()], "untested-statement", message).with_hint(hint)
    };
    missing.map(finding).collect()
}
