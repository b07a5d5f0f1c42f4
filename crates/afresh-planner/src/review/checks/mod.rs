//! Checks that prove nothing about their task, whatever the work is (PL-09). What they show on the base is measured
//! elsewhere.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `existence` | checks that only ask for files which already exist |
//! | `network` | checks that need a network, which they do not have, or that never end |
//! | `others` | checks that test only what another task made and proved |
//! | `prose` | checks that are sentences |

mod existence;
mod network;
mod others;
mod prose;

use afresh_core::plan::{Check, PlanField};
use afresh_import::plan_md::checks::command::{cannot_fail, counts_matches, leaves_the_tree};

use super::grounding::tree::{PlannedTree, TaskTree};
use super::{PlanReview, placed_checks};

/// A finding about one check, without its place.
struct CheckFault {
    code: &'static str,
    message: String,
    hint: String,
}

pub(super) fn check(review: &mut PlanReview<'_>) {
    let tree = PlannedTree::new(review.plan, review.subject.repository);
    for (at, task) in review.tasks() {
        let view = tree.for_task(at);
        for ((step, item), check) in placed_checks(task) {
            let Some(CheckFault { code, message, hint }) = find_fault(check, &view) else {
                continue;
            };
            let message = format!("a check of {} {message}", task.id);
            let span = review
                .places(at)
                .map(|places| places.locate(step, PlanField::Checks, item).clone());
            review.report_at(span.as_ref(), code, message, &hint);
        }
    }
    others::check(review);
}

/// The first thing that is wrong with a check: what comes later would follow from it.
fn find_fault(check: &Check, view: &TaskTree<'_, '_>) -> Option<CheckFault> {
    let command = check.command.as_str();
    let fault = |code, message: &str, hint: &str| {
        Some(CheckFault { code, message: message.to_owned(), hint: hint.to_owned() })
    };
    if prose::is_prose(command) {
        return fault(
            "check-is-prose",
            "is a sentence, not a command",
            "write a command that fails until the work is done",
        );
    }
    if let Some(why) = cannot_fail(command) {
        let message = format!("always passes: {why}");
        return fault(
            "check-cannot-fail",
            &message,
            "write a command that fails until the work is done",
        );
    }
    if counts_matches(command) {
        let message = "prints a count, but its exit code only says whether there was any match";
        return fault("check-counts", message, "compare the number: test \"$(grep -c …)\" -eq 3");
    }
    if leaves_the_tree(command) {
        let hint = "checks start in the root of the repository: use paths relative to it";
        return fault("check-leaves-tree", "uses a directory outside of the repository", hint);
    }
    if let Some(what) = network::needs_network(command) {
        let message = format!("needs the network: {what}");
        let hint = "checks have no network; what has to be installed belongs to `setup` in the configuration";
        return fault("check-needs-network", &message, hint);
    }
    if let Some(what) = network::never_ends(command) {
        let message = format!("never ends: {what}");
        return fault("check-never-ends", &message, "start it in a test that also stops it");
    }
    if !check.guard && existence::holds_already(command, view) {
        let message = "passes before any work: it only asks for files that already exist";
        return fault(
            "vacuous-check",
            message,
            "test what the task adds, or mark the check with guard = true",
        );
    }
    None
}
