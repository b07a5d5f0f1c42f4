//! Whether the tasks implement the capability map, in a sensible order.
//!
//! Tasker's own validation rejects such plans; here it is a warning, and the plan runs by its
//! dependencies.

use std::collections::{BTreeMap, BTreeSet};

use super::maps::TaskerMaps;
use crate::draft::DraftPlan;
use crate::draft::status::ImportedTask;
use afresh_formats::findings::Severity;
use afresh_formats::reading::SourceSpan;

/// The behaviours and the phase of a task.
pub(super) struct TaskCoverage {
    pub(super) behaviours: Vec<(String, SourceSpan)>,
    pub(super) phase: Option<(u64, SourceSpan)>,
    /// The position of its steel thread mark.
    pub(super) steel: Option<SourceSpan>,
}

/// Reports behaviours without a task, and behaviours that are not in the map.
pub(super) fn behaviours(drafted: &mut DraftPlan, maps: &TaskerMaps, tasks: &[TaskCoverage]) {
    if maps.places.is_empty() {
        return;
    }
    let mut brought = BTreeSet::new();
    for (id, span) in tasks.iter().flat_map(|task| &task.behaviours) {
        brought.insert(id.as_str());
        if !maps.places.contains_key(id) {
            let message = format!("{id:?} is not in the capability map");
            let hint = "check the id; the worker gets nothing else";
            add_finding(drafted, span, "unknown-behavior", message, hint, Severity::Warning);
        }
    }
    for (id, span) in maps.places.iter().filter(|(id, _)| !brought.contains(id.as_str())) {
        let message = format!("no task implements the behaviour {id}");
        let hint = "add it to a task's `behaviors`, or remove it from the map";
        add_finding(drafted, span, "uncovered-behavior", message, hint, Severity::Warning);
    }
}

/// Reports a missing or late steel thread.
pub(super) fn steel_thread(drafted: &mut DraftPlan, maps: &TaskerMaps, tasks: &[TaskCoverage]) {
    let marked = tasks.iter().any(|task| task.steel.is_some());
    if let Some(flows) = maps.flows.as_ref().filter(|_| !maps.has_steel_thread && !marked) {
        let message = "no flow is marked as the steel thread".to_owned();
        let hint = "mark the thinnest flow through the system with \"is_steel_thread\": true";
        add_finding(drafted, flows, "no-steel-thread", message, hint, Severity::Note);
    }
    let last = tasks.iter().filter_map(|task| task.phase.as_ref()).map(|(phase, _)| *phase).max();
    let latest = last.unwrap_or(0) / 2 + 1;
    for task in tasks.iter().filter(|task| task.steel.is_some()) {
        let Some((phase, span)) = task.phase.as_ref().filter(|(phase, _)| *phase > latest) else {
            continue;
        };
        let message = format!("the steel thread is in phase {phase}");
        let hint = format!(
            "move it to phase {latest} or earlier, to find out early what does not fit together"
        );
        add_finding(drafted, span, "steel-thread-late", message, &hint, Severity::Note);
    }
}

/// Reports dependencies that are not in an earlier phase.
pub(super) fn phases(drafted: &mut DraftPlan, found: &[ImportedTask], tasks: &[TaskCoverage]) {
    let phases: BTreeMap<&str, u64> = found
        .iter()
        .zip(tasks)
        .filter_map(|(one, about)| Some((one.task.draft.id.as_str(), about.phase.as_ref()?.0)))
        .collect();
    for one in found {
        let id = one.task.draft.id.as_str();
        let Some(own) = phases.get(id) else { continue };
        for (need, span) in &one.needs {
            let Some(phase) = phases.get(need.as_str()).filter(|phase| *phase >= own) else {
                continue;
            };
            let message = format!("{id} in phase {own} needs {need} in phase {phase}");
            // Phases only group tasks here; Tasker itself is stricter.
            let severity = if phase == own { Severity::Note } else { Severity::Warning };
            let hint = "tasks run by their dependencies, not by phase";
            add_finding(drafted, span, "dependency-not-earlier", message, hint, severity);
        }
    }
}

fn add_finding(
    drafted: &mut DraftPlan,
    span: &SourceSpan,
    code: &str,
    message: String,
    hint: &str,
    severity: Severity,
) {
    let found = drafted.find(span, code, message);
    found.severity = severity;
    found.hint = Some(hint.to_owned());
}
