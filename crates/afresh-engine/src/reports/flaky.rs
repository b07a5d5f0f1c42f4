//! Checks that failed and passed on the same tree, as the journal proves it (TR-03).

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::Event;
use afresh_core::check::CheckResult;
use afresh_core::rejection::Rejection;
use schemars::JsonSchema;
use serde::Serialize;

/// A command that is flaky by proof.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
pub struct FlakyCheck {
    pub command: String,
    /// How often it failed and then passed on the same tree.
    pub times: usize,
    /// The end of the output of its last failure.
    pub failed_output: String,
    /// The end of the output of the pass after it.
    pub passed_output: String,
}

/// Collects flaky results from events.
#[derive(Debug, Default)]
pub struct FlakyHistory {
    found: BTreeMap<String, FlakyCheck>,
    /// The same result is in several events.
    seen: BTreeSet<(String, String, String, u64)>,
}

impl FlakyHistory {
    pub fn note_event(&mut self, event: &Event) {
        match event {
            Event::StepDone { results, .. }
            | Event::RedSeen { results, .. }
            | Event::ChecksPassed { results, .. }
            | Event::ContestEntered { results, .. }
            | Event::BatchPassed { results, .. }
            | Event::BatchFailed { results, .. }
            | Event::MergeFailed { results, .. }
            | Event::FinalChecked { results, .. }
            | Event::AttemptRejected {
                reason: Rejection::ChecksFailed { results } | Rejection::BrokenMerge { results, .. },
                ..
            } => results.iter().for_each(|result| self.note(result)),
            Event::LandIntended { receipt, .. } => {
                receipt.checks.iter().for_each(|result| self.note(result));
            }
            Event::Probed { checks, .. } => {
                for probed in checks {
                    self.note(&probed.result);
                }
            }
            _ => {}
        }
    }

    fn note(&mut self, result: &CheckResult) {
        let Some(failed) = result.failed_tries.last().filter(|_| result.is_flaky()) else { return };
        let digests = (failed.output_digest.clone(), result.output_digest.clone());
        let key = (result.command.clone(), digests.0, digests.1, result.duration_ms);
        if !self.seen.insert(key) {
            return;
        }
        let command = result.command.clone();
        let known = self.found.entry(command.clone()).or_insert_with(|| FlakyCheck {
            command,
            times: 0,
            failed_output: String::new(),
            passed_output: String::new(),
        });
        known.times += 1;
        known.failed_output.clone_from(&failed.output_tail);
        known.passed_output.clone_from(&result.output_tail);
    }

    /// By command.
    pub fn into_checks(self) -> Vec<FlakyCheck> {
        self.found.into_values().collect()
    }
}
