//! What a probe has shown, as findings at the places of the checks.

use std::collections::BTreeMap;

use afresh_core::Plan;
use afresh_core::plan::{Check, PlanField, Task};
use afresh_core::probe::{CheckClass, ProbedCheck, UnrunnableCause, find_unproved};
use afresh_formats::findings::locator::FindingLocator;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::TaskPlaces;
use afresh_formats::{Finding, Severity};

use crate::config::Config;

/// How many of the last lines of an output a finding shows.
const LAST_LINES: usize = 6;

/// Findings about the checks and tasks of a plan, in its order.
pub fn plan_findings(
    plan: &Plan,
    places: &[TaskPlaces],
    probed: &[ProbedCheck],
    folder: &dyn PlanFolder,
) -> Vec<Finding> {
    let by_command: BTreeMap<&str, &ProbedCheck> =
        probed.iter().map(|probed| (probed.command(), probed)).collect();
    let mut findings: Vec<Finding> = Vec::new();
    let mut locator = FindingLocator::default();
    for (position, task) in plan.tasks().iter().enumerate() {
        if task.done_before.is_some() || task.checkpoint.is_some() {
            continue;
        }
        for (step, item, check) in placed_checks(task) {
            let Some(found) = by_command.get(check.command.as_str()) else { continue };
            let Some(finding) = check_finding(task, check, found) else { continue };
            if let Some(places) = places.get(position) {
                locator.locate(findings.len(), places.locate(step, PlanField::Checks, item));
            }
            findings.push(finding);
        }
        if find_unproved(task, |command| by_command.get(command).copied()).is_some() {
            if let Some(places) = places.get(position) {
                locator.locate(findings.len(), &places.whole);
            }
            findings.push(unproved(task));
        }
    }
    let file = places.first().map_or(".", |first| &first.whole.file);
    for finding in &mut findings {
        file.clone_into(&mut finding.file);
    }
    locator.fill_in(folder, &mut findings);
    findings
}

/// The checks of a task with the step and the position that they are listed at.
fn placed_checks(task: &Task) -> impl Iterator<Item = (Option<usize>, usize, &Check)> {
    let own = task.checks.iter().enumerate().map(|(item, check)| (None, item, check));
    let steps = task.steps.iter().enumerate().flat_map(|(step, of)| {
        of.checks.iter().enumerate().map(move |(item, check)| (Some(step), item, check))
    });
    own.chain(steps)
}

fn unproved(task: &Task) -> Finding {
    let message = format!("no check of {} can prove that it is done", task.id);
    let hint = "add a check that fails now and passes once the task is done";
    new_finding(Severity::Warning, "unproved-task", message, hint)
}

/// What a check that cannot judge the work is to be told; none if it can.
fn check_finding(task: &Task, check: &Check, probed: &ProbedCheck) -> Option<Finding> {
    let (id, command) = (&task.id, &check.command);
    let why = if probed.detail.is_empty() { String::new() } else { format!(": {}", probed.detail) };
    let (severity, code, message, hint) = match probed.class {
        CheckClass::Vacuous => (
            Severity::Warning,
            "vacuous-check",
            format!("`{command}` passes before any work, so it cannot prove {id} done"),
            "test what the task adds; a check that is meant to pass before and after is \
             written as `{ run = \"COMMAND\", guard = true }`",
        ),
        CheckClass::Empty => (
            Severity::Warning,
            "empty-check",
            format!("`{command}` executes no test{why}"),
            "name the tests that exist, or let a task list the test files that it creates",
        ),
        CheckClass::Unrunnable => (
            Severity::Error,
            "unrunnable-check",
            format!("`{command}` cannot run{why}"),
            unrunnable_hint(probed.cause),
        ),
        CheckClass::Flaky => (
            Severity::Warning,
            "flaky-check",
            format!("`{command}` is flaky{why}"),
            "fix it, or put it in quarantine for a time: `[[checks.quarantine]]` in the configuration",
        ),
        CheckClass::Unprobed => (
            Severity::Note,
            "unprobed-check",
            format!("`{command}` was not run{why}"),
            "give the probe more time: `probe_limit` under [checks], or `--limit`",
        ),
        CheckClass::Red if check.guard => (
            Severity::Warning,
            "guard-fails",
            format!("`{command}` is marked as a guard of {id}, and fails before any work"),
            "repair it first, or remove `guard = true`",
        ),
        CheckClass::Red | CheckClass::Pending | CheckClass::Guard => return None,
    };
    Some(new_finding(severity, code, with_output(message, probed), hint))
}

/// What to do about a check that cannot run.
fn unrunnable_hint(cause: Option<UnrunnableCause>) -> &'static str {
    match cause {
        Some(UnrunnableCause::Malformed) => "correct the command",
        Some(UnrunnableCause::Uncommitted) => {
            "commit the file: checks run on a clean checkout of the last commit"
        }
        Some(UnrunnableCause::CreatedLater) => {
            "move the check to the task that creates the file, or let the task that it judges create it"
        }
        Some(UnrunnableCause::Missing) | None => {
            "correct the command, install what it needs, or list the missing file in the task that \
             creates it"
        }
    }
}

/// Checks of every merge that do not pass yet, in the file that configures them.
pub fn baseline_findings(config: &Config, probed: &[ProbedCheck]) -> Vec<Finding> {
    let always = &config.settings.always;
    let place = config.written.get("checks.always").map_or(0, |written| written.line);
    let of_merges = probed.iter().filter(|it| always.iter().any(|command| command == it.command()));
    let mut findings: Vec<Finding> = of_merges
        .filter_map(|probed| {
            let command = probed.command();
            let (severity, message, hint) = match probed.class {
                CheckClass::Vacuous | CheckClass::Guard | CheckClass::Pending => return None,
                CheckClass::Empty => (
                    Severity::Warning,
                    format!("`{command}` runs on every merge, and executes no test"),
                    "correct the command under [checks], so that it finds the tests",
                ),
                CheckClass::Unprobed => (
                    Severity::Note,
                    format!("`{command}` was not run: {}", probed.detail),
                    "give the probe more time: `probe_limit` under [checks]",
                ),
                CheckClass::Flaky => (
                    Severity::Warning,
                    format!("`{command}` runs on every merge, and is flaky"),
                    "fix it, or put it in quarantine for a time: `[[checks.quarantine]]`",
                ),
                CheckClass::Red | CheckClass::Unrunnable => (
                    Severity::Warning,
                    format!("`{command}` runs on every merge, and fails before any work"),
                    "repair the base, or set `on_red_base`: no task is blamed for what fails now",
                ),
            };
            let mut found =
                new_finding(severity, "red-baseline", with_output(message, probed), hint);
            (found.file, found.line) = (config.shown.clone(), place);
            found.column = usize::from(place > 0);
            Some(found)
        })
        .collect();
    findings.extend(unused_quarantines(config, probed));
    findings
}

/// A quarantine that fits no check does nothing.
fn unused_quarantines(config: &Config, probed: &[ProbedCheck]) -> Vec<Finding> {
    let is_used = |command: &str| probed.iter().any(|probed| probed.command() == command);
    let unused = config.settings.quarantine.iter().filter(|entry| !is_used(&entry.command));
    unused
        .map(|entry| {
            let message = format!("no check is `{}`, which is in quarantine", entry.command);
            let hint = "write the command exactly as the check has it, or remove the entry";
            let mut found = new_finding(Severity::Note, "unused-quarantine", message, hint);
            found.file.clone_from(&config.shown);
            found.line = config.written.get("checks.quarantine").map_or(0, |it| it.line);
            found.column = usize::from(found.line > 0);
            found
        })
        .collect()
}

fn new_finding(severity: Severity, code: &str, message: String, hint: &str) -> Finding {
    Finding { severity, ..Finding::for_file("", code, message).with_hint(hint) }
}

/// The message with how the command ended and its last lines.
fn with_output(message: String, probed: &ProbedCheck) -> String {
    let lines: Vec<&str> = probed.result.output_tail.trim_end().lines().collect();
    let last = &lines[lines.len().saturating_sub(LAST_LINES)..];
    last.iter().fold(message, |text, line| format!("{text}\n  | {line}"))
}
