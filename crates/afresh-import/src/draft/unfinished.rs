//! Which of several plans is meant: the only unfinished one.

use afresh_formats::findings::{Finding, Severity};
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::PlanReading;

/// The most plans that a message names.
const MAX_NAMED: usize = 10;

/// A plan that may be meant.
#[derive(Debug)]
pub(crate) struct PlanCandidate {
    /// The file or directory that names it, relative to the folder.
    pub(crate) path: String,
    pub(crate) reading: PlanReading,
}

/// The only unfinished plan, or a finished one if there is no other. What is wrong with one plan does
/// not stop another. None without candidates.
pub(crate) fn choose_unfinished(
    folder: &dyn PlanFolder,
    candidates: Vec<PlanCandidate>,
) -> Option<PlanReading> {
    let mut open: Vec<PlanCandidate> = Vec::new();
    let mut broken: Vec<PlanReading> = Vec::new();
    let mut finished = None;
    for candidate in candidates {
        match candidate.reading.plan.as_ref().map(afresh_core::Plan::tasks) {
            None => broken.push(candidate.reading),
            Some(tasks) if tasks.iter().all(|task| task.done_before.is_some()) => {
                finished = Some(candidate.reading);
            }
            Some(_) => open.push(candidate),
        }
    }
    let mut reading = match (open.len(), finished) {
        (0, Some(finished)) if broken.iter().all(is_empty) => finished,
        (0, _) => {
            let findings = broken.iter_mut().flat_map(|one| std::mem::take(&mut one.findings));
            let findings = findings.collect();
            return Some(PlanReading { findings, ..broken.pop()? });
        }
        (1, _) => open.remove(0).reading,
        _ => several(folder, &open),
    };
    for mut other in broken {
        // A file without tasks is worth no more than a note beside a plan.
        if is_empty(&other) {
            other.findings.iter_mut().for_each(|finding| finding.severity = Severity::Note);
        }
        reading.findings.append(&mut other.findings);
    }
    Some(reading)
}

/// Whether there is nothing wrong with a plan but that it has no tasks.
fn is_empty(reading: &PlanReading) -> bool {
    let errors = reading.findings.iter().filter(|finding| finding.is_error());
    errors.into_iter().all(|finding| finding.code == "empty-plan")
}

fn several(folder: &dyn PlanFolder, open: &[PlanCandidate]) -> PlanReading {
    let names: Vec<String> =
        open.iter().take(MAX_NAMED).map(|candidate| folder.shown(&candidate.path)).collect();
    let more = if open.len() > names.len() { " and others" } else { "" };
    let message = format!("{} plans are unfinished: {}{more}", open.len(), names.join(", "));
    let finding = Finding::for_file(".", "several-plans", message);
    PlanReading::failed(finding.with_hint(format!("name one of them, for example {}", names[0])))
}
