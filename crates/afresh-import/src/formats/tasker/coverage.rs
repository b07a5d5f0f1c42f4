//! Whether the tasks are what the capability map asks for, in an order that makes sense.
//!
//! Tasker's own validation stops there; here each is told, and the plan runs as its dependencies
//! say.

use std::collections::{BTreeMap, BTreeSet};

use super::maps::TaskerMaps;
use crate::draft::DraftPlan;
use crate::draft::status::ImportedTask;
use afresh_formats::findings::Severity;
use afresh_formats::reading::SourceSpan;

/// What a task says of its place in the whole.
pub(super) struct TaskCoverage {
    pub(super) behaviours: Vec<(String, SourceSpan)>,
    pub(super) phase: Option<(u64, SourceSpan)>,
    /// Where it says that it belongs to the steel thread.
    pub(super) steel: Option<SourceSpan>,
}

/// Behaviours that no task brings, and those that the map does not know.
pub(super) fn behaviours(drafted: &mut DraftPlan, maps: &TaskerMaps, tasks: &[TaskCoverage]) {
    if maps.places.is_empty() {
        return;
    }
    let mut brought = BTreeSet::new();
    for (id, span) in tasks.iter().flat_map(|task| &task.behaviours) {
        brought.insert(id.as_str());
        if !maps.places.contains_key(id) {
            let message = format!("{id:?} is no behaviour of the capability map");
            let hint = "the worker is told only the id; is it right?";
            add_finding(drafted, span, "unknown-behavior", message, hint, Severity::Warning);
        }
    }
    for (id, span) in maps.places.iter().filter(|(id, _)| !brought.contains(id.as_str())) {
        let message = format!("no task brings the behaviour {id}");
        let hint = "add it to a task's `behaviors`, or take it out of the map";
        add_finding(drafted, span, "uncovered-behavior", message, hint, Severity::Warning);
    }
}

/// The steel thread: there is one, and it comes early.
pub(super) fn steel_thread(drafted: &mut DraftPlan, maps: &TaskerMaps, tasks: &[TaskCoverage]) {
    let marked = tasks.iter().any(|task| task.steel.is_some());
    if let Some(flows) = maps.flows.as_ref().filter(|_| !maps.has_steel_thread && !marked) {
        let message = "none of the flows is the steel thread".to_owned();
        let hint = "mark the thinnest flow through everything with \"is_steel_thread\": true";
        add_finding(drafted, flows, "no-steel-thread", message, hint, Severity::Note);
    }
    let last = tasks.iter().filter_map(|task| task.phase.as_ref()).map(|(phase, _)| *phase).max();
    let latest = last.unwrap_or(0) / 2 + 1;
    for task in tasks.iter().filter(|task| task.steel.is_some()) {
        let Some((phase, span)) = task.phase.as_ref().filter(|(phase, _)| *phase > latest) else {
            continue;
        };
        let message = format!("the steel thread comes as late as phase {phase}");
        let hint =
            format!("it shows early what does not fit together: phase {latest} at the latest");
        add_finding(drafted, span, "steel-thread-late", message, &hint, Severity::Note);
    }
}

/// A phase is a wave by another name: what a task needs is in an earlier one.
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
            let message = format!("{id} of phase {own} needs {need} of phase {phase}");
            // Order comes from dependencies, and phases only group; Tasker itself is stricter.
            let severity = if phase == own { Severity::Note } else { Severity::Warning };
            let hint = "dependencies count, phases do not";
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
