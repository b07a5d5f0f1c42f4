//! Checks that test only what another task made and proved.
//!
//! A test that another task writes and that passes when that task is done says nothing about this one. Tests that are
//! written before the code do not pass then, and are left alone.

use std::collections::BTreeSet;

use afresh_core::plan::shell::simple_commands;
use afresh_core::plan::{Check, PlanField, Task};

use super::super::grounding::tree::scopes;
use super::PlanReview;

pub(super) fn check(review: &mut PlanReview<'_>) {
    for (at, task) in review.tasks() {
        let mut checks = task.all_checks().filter(|check| !check.guard).peekable();
        if checks.peek().is_none() || task.steel_thread {
            continue;
        }
        let earlier: Vec<&Task> = review
            .tasks()
            .filter(|(other, _)| review.plan.is_before(*other, at))
            .map(|(_, task)| task)
            .collect();
        let provers: Vec<Option<&Task>> =
            checks.map(|check| prover(check, task, &earlier)).collect();
        let Some(Some(other)) = provers.first().filter(|_| provers.iter().all(Option::is_some))
        else {
            continue;
        };
        let message = format!(
            "the checks of {} test only what {} made, which its own checks already prove",
            task.id, other.id
        );
        let hint = "check something that this task adds";
        review.report(at, PlanField::Checks, "check-tests-others", message, hint);
    }
}

/// The task that a check is really about: it wrote every file that the check names, and runs them itself.
fn prover<'t>(check: &Check, task: &Task, earlier: &[&'t Task]) -> Option<&'t Task> {
    let named = named_files(&check.command);
    if named.is_empty() || named.iter().any(|path| task.may_write(path) || is_held_by(path, task)) {
        return None;
    }
    earlier.iter().copied().find(|other| {
        let is_writer = named.iter().all(|path| other.may_write(path));
        let is_proved = other.all_checks().any(|check| {
            let own = named_files(&check.command);
            named.iter().all(|path| {
                own.contains(path) || own.iter().any(|own| path.starts_with(&format!("{own}/")))
            })
        });
        is_writer && is_proved
    })
}

/// Whether a task writes something in a directory that is named.
fn is_held_by(path: &str, task: &Task) -> bool {
    let front = format!("{}/", path.trim_end_matches('/'));
    scopes(task).any(|scope| scope.pattern.as_str().starts_with(&front))
}

/// The files that the words of a check name, also as modules of Python.
fn named_files(command: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for simple in simple_commands(command) {
        let Some(directory) = &simple.directory else { continue };
        let whole = |path: &str| {
            if directory.is_empty() { path.to_owned() } else { format!("{directory}/{path}") }
        };
        let mut is_module = false;
        for word in simple.words.iter().skip(1) {
            let path = word.split("::").next().unwrap_or(word).trim_start_matches("./");
            if afresh_import::prose::paths::is_path(path) {
                found.insert(whole(path.trim_end_matches('/')));
            } else if is_module
                && word.contains('.')
                && word.chars().all(|c| c.is_alphanumeric() || "._".contains(c))
            {
                let parts: Vec<&str> = word
                    .split('.')
                    .take_while(|part| part.starts_with(char::is_lowercase))
                    .collect();
                found.insert(whole(&format!("{}.py", parts.join("/"))));
            }
            is_module |= word == "unittest";
        }
        let target = simple
            .words
            .iter()
            .position(|word| word == "--test")
            .and_then(|at| simple.words.get(at + 1));
        if let Some(target) = target.filter(|_| simple.program() == "cargo") {
            found.insert(whole(&format!("tests/{target}.rs")));
        }
    }
    found
}
