//! What the activity log says about batches of merges.

use afresh_core::Event;
use afresh_core::check::CheckResult;
use afresh_core::ids::AttemptId;

use super::activity::{ActivityParts, short};

/// The parts of a line about an event of the merge queue.
pub(super) fn describe_batch_event(event: &Event) -> ActivityParts {
    let ours = || "afresh".to_owned();
    match event {
        Event::ChecksDeferred { attempt } => (
            "INFO",
            attempt.to_string(),
            "queued",
            "its checks run on the tree that would land".to_owned(),
        ),
        Event::GatheringStarted { .. } => {
            ("DEBUG", ours(), "gathering", "the next batch waits a little for more work".to_owned())
        }
        Event::BatchStarted { attempts, onto } => {
            let message = format!("{} together onto {}", names(attempts), short(onto.as_str()));
            ("INFO", ours(), "batch", message)
        }
        Event::BatchPassed { batch, results } => {
            ("INFO", ours(), "batch-passed", format!("{batch}: {} checks passed", results.len()))
        }
        Event::BatchFailed { batch, results } => {
            ("WARN", ours(), "batch-failed", format!("{batch}: {}", describe_failures(results)))
        }
        Event::PrefixesChosen { batch, lengths, .. } => {
            let lengths: Vec<String> = lengths.iter().map(ToString::to_string).collect();
            let message =
                format!("{batch}: what failed runs on its first {} members", lengths.join(", "));
            ("INFO", ours(), "bisect", message)
        }
        Event::PrefixChecked { batch, length, passed } => {
            let outcome = if *passed { "pass" } else { "fail" };
            ("INFO", ours(), "bisect", format!("{batch}: its first {length} members {outcome}"))
        }
        Event::MergesPostponed { attempts, why, .. } => {
            let message = format!("{} in line again: {}", names(attempts), why.describe());
            ("INFO", ours(), "postponed", message)
        }
        Event::MergeFailed { attempt, results } => {
            let message = format!(
                "{}; the same runs on its own tree, to see whose fault it is",
                describe_failures(results)
            );
            ("WARN", attempt.to_string(), "merge-failed", message)
        }
        other => ("DEBUG", ours(), "merge-queue", format!("{other:?}")),
    }
}

fn names(attempts: &[AttemptId]) -> String {
    let names: Vec<String> = attempts.iter().map(ToString::to_string).collect();
    names.join(", ")
}

fn describe_failures(results: &[CheckResult]) -> String {
    let failed = results.iter().filter(|result| !result.is_accepted());
    let failed: Vec<String> = failed.map(CheckResult::describe).collect();
    failed.join("; ")
}
