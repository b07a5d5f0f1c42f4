//! What a probe has shown, as `afresh lint --probe --json` prints it.

use std::collections::BTreeMap;

use afresh_app::session::probe::tasks_by_command;
use afresh_core::Plan;
use afresh_core::check::CheckEnd;
use afresh_core::probe::ProbedCheck;
use schemars::JsonSchema;
use serde::Serialize;

/// One check of one task before any work.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct ProbeEntry {
    /// None: it runs on every merge.
    pub task: Option<String>,
    pub check: String,
    /// `red`, `vacuous`, `unrunnable`, `pending`, `empty`, `guard`, `flaky` or `unprobed`.
    pub class: &'static str,
    /// None if it did not end by itself.
    pub exit: Option<i32>,
    pub seconds: f64,
    pub detail: String,
}

/// An entry for each task that has the check, and one for each check of every merge.
pub fn entries(plan: &Plan, probed: &[ProbedCheck]) -> Vec<ProbeEntry> {
    let tasks: BTreeMap<_, _> = tasks_by_command(plan);
    let mut entries = Vec::new();
    for found in probed {
        let owners = tasks.get(found.command()).map(Vec::as_slice).unwrap_or_default();
        for task in owners {
            entries.push(entry(found, Some(task.to_string())));
        }
        if owners.is_empty() {
            entries.push(entry(found, None));
        }
    }
    entries
}

#[expect(clippy::cast_precision_loss, reason = "seconds are shown here, not counted")]
fn entry(probed: &ProbedCheck, task: Option<String>) -> ProbeEntry {
    ProbeEntry {
        task,
        check: probed.command().to_owned(),
        class: probed.class.word(),
        exit: match probed.result.end {
            CheckEnd::Exited(code) => Some(code),
            _ => None,
        },
        seconds: probed.result.duration_ms as f64 / 1000.0,
        detail: probed.detail.clone(),
    }
}
