//! Findings about links between tasks and requirements: citations of nothing, requirements that no task
//! serves.

use std::collections::BTreeSet;

use afresh_core::plan::{
    RequirementId, RequirementKind, RequirementLink, RequirementScope, nearest,
};
use afresh_core::printable;
use afresh_formats::findings::locator::FindingLocator;
use afresh_formats::findings::{Finding, Severity};
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::PlanReading;

use super::ledger::{LedgerEntry, TracedPlan};

/// The most findings of each kind.
const MAX_FINDINGS: usize = 50;

pub(super) fn findings(
    folder: &dyn PlanFolder,
    traced: &TracedPlan,
    reading: &PlanReading,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut locator = FindingLocator::default();
    unknown(traced, reading, &mut findings, &mut locator);
    unserved(traced, &mut findings, &mut locator);
    locator.fill_in(folder, &mut findings);
    findings
}

/// Tasks that cite a requirement which no document states, where documents state some.
fn unknown(
    traced: &TracedPlan,
    reading: &PlanReading,
    findings: &mut Vec<Finding>,
    locator: &mut FindingLocator,
) {
    // A format's own reader may have reported them.
    let is_reported = reading.findings.iter().any(|found| found.code == "unknown-requirement");
    if traced.entries.is_empty() || is_reported {
        return;
    }
    let ids = || traced.entries.iter().map(|entry| entry.requirement.id.as_str());
    let open = traced.unknown.iter().filter(|cited| !traced.tasks[cited.task].is_done);
    let mut seen = BTreeSet::new();
    for cited in open.filter(|cited| seen.insert((cited.task, &cited.id))).take(MAX_FINDINGS) {
        let shown: String = printable::line(&cited.id).chars().take(80).collect();
        let message = format!("there is no requirement {shown}");
        let hint = match nearest(&cited.id, ids()) {
            Some(near) => format!("did you mean {near}?"),
            None => "`afresh trace` lists the requirements".to_owned(),
        };
        locator.locate(findings.len(), &cited.span);
        let found = Finding::for_file(&cited.span.file, "unknown-requirement", message);
        findings.push(found.with_hint(hint).as_warning());
    }
}

/// Requirements that no task serves: notes, because plans are often written in parts.
fn unserved(traced: &TracedPlan, findings: &mut Vec<Finding>, locator: &mut FindingLocator) {
    let gaps = find_unserved(traced);
    for entry in gaps.iter().take(MAX_FINDINGS) {
        let id = &entry.requirement.id;
        let message = format!("no task serves {id}: {}", printable::line(&entry.requirement.text));
        let message: String = message.chars().take(200).collect();
        locator.locate(findings.len(), &entry.span);
        let mut found = Finding::for_file(&entry.span.file, "unserved-requirement", message)
            .with_hint("cite it in a task, or say that it is deferred or out of scope");
        found.severity = Severity::Note;
        findings.push(found);
    }
    if let Some(entry) = gaps.get(MAX_FINDINGS) {
        let message = format!("no task serves {} more requirements", gaps.len() - MAX_FINDINGS);
        let mut found = Finding::for_file(&entry.span.file, "unserved-requirement", message)
            .with_hint("`afresh trace` lists all of them");
        found.severity = Severity::Note;
        findings.push(found);
    }
}

/// The requirements without a task, without the parts of one that has none itself.
fn find_unserved(traced: &TracedPlan) -> Vec<&LedgerEntry> {
    let cited: BTreeSet<&str> = traced.served.iter().flatten().map(RequirementId::as_str).collect();
    let parents_of_cited: BTreeSet<&str> = traced
        .entries
        .iter()
        .filter(|entry| cited.contains(entry.requirement.id.as_str()))
        .filter_map(|entry| entry.requirement.parent.as_ref())
        .map(RequirementId::as_str)
        .collect();
    let is_served = |id: &str| cited.contains(id) || parents_of_cited.contains(id);
    let ids: BTreeSet<&str> =
        traced.entries.iter().map(|entry| entry.requirement.id.as_str()).collect();
    let gap = |entry: &&LedgerEntry| {
        let one = &entry.requirement;
        let parent = one.parent.as_ref().map(RequirementId::as_str).filter(|id| ids.contains(id));
        // A part is named only if other parts of the same whole are served.
        let is_named_by_parent =
            parent.is_some_and(|parent| cited.contains(parent) || !is_served(parent));
        one.scope == RequirementScope::Active
            && one.link == RequirementLink::Stated
            && one.kind != RequirementKind::Section
            && !is_served(one.id.as_str())
            && !is_named_by_parent
    };
    traced.entries.iter().filter(gap).collect()
}
