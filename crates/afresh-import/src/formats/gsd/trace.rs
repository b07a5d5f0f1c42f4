//! What a project of GSD is for: REQUIREMENTS.md, the phases that ROADMAP.md gives requirements to, and
//! what each plan cites.

use std::collections::{BTreeMap, BTreeSet};

use afresh_core::plan::RequirementScope;
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::markdown::{headings, lines_from, tables};

use crate::plan_md::order::plan_set::phase_number;
use crate::plan_md::trace::{PlanCitations, add_plans};
use crate::requirements::ledger::LedgerBuilder;
use crate::requirements::{RequirementFamilies, mentions};

/// The phase of a requirement, and where a document says so.
struct PhaseClaim {
    phase: Vec<u64>,
    id: String,
    span: SourceSpan,
}

pub(super) fn add(ledger: &mut LedgerBuilder<'_>) {
    let files = ledger.sources.files();
    let roots: BTreeSet<String> = files.iter().map(|file| root_of(file).to_owned()).collect();
    let plans = add_plans(ledger);
    for root in roots {
        ledger.add_file(&format!("{root}REQUIREMENTS.md"), RequirementFamilies::Document);
        let own = plans.iter().filter(|plan| root_of(&plan.file) == root);
        let claims = read_claims(ledger, &root);
        add_phases(ledger, &own.collect::<Vec<_>>(), &claims);
    }
}

/// The directory with REQUIREMENTS.md: the one above `phases/`, or above another area of plans.
fn root_of(file: &str) -> &str {
    let area = ["phases/", "quick/", "milestones/"].iter().filter_map(|area| file.find(area)).min();
    match area {
        Some(at) => &file[..at],
        None => file.rfind('/').map_or("", |at| &file[..=at]),
    }
}

/// Which phase each requirement belongs to, by ROADMAP.md and the table of REQUIREMENTS.md.
fn read_claims(ledger: &LedgerBuilder<'_>, root: &str) -> Vec<PhaseClaim> {
    let mut claims = Vec::new();
    let roadmap = format!("{root}ROADMAP.md");
    let text = ledger.text(&roadmap).unwrap_or_default();
    for heading in headings(&text) {
        let named = heading.text.strip_prefix("Phase ").and_then(phase_number);
        let Some((phase, _)) = named else { continue };
        for line in lines_from(&text[heading.own.clone()], heading.own.start) {
            let bare = line.text.trim_start_matches(['*', '-', ' ']).to_lowercase();
            if bare.starts_with("requirements") {
                claims.extend(mentions(line.text, line.start).into_iter().map(|found| {
                    PhaseClaim {
                        phase: phase.clone(),
                        id: found.id,
                        span: SourceSpan::new(&roadmap, found.at),
                    }
                }));
            }
        }
    }
    let table_file = format!("{root}REQUIREMENTS.md");
    let text = ledger.text(&table_file).unwrap_or_default();
    for table in tables(&text, 0..text.len()) {
        let id = table.column(&["requirement", "req", "id", "req id", "requirement id"]);
        let Some(phase) = table.column(&["phase", "phases"]) else { continue };
        for row in &table.rows {
            let cell = row.cell(Some(phase)).text;
            let number = cell.trim_start_matches(|c: char| !c.is_ascii_digit());
            let Some((phase, _)) = phase_number(number) else { continue };
            for found in mentions(row.cell(id).text, row.cell(id).start) {
                let span = SourceSpan::new(&table_file, found.at);
                claims.push(PhaseClaim { phase: phase.clone(), id: found.id, span });
            }
        }
    }
    claims
}

/// A phase's requirements are served by those of its plans that cite none; those of a phase without plans
/// are put off.
fn add_phases(ledger: &mut LedgerBuilder<'_>, plans: &[&PlanCitations], claims: &[PhaseClaim]) {
    let mut by_phase: BTreeMap<Vec<u64>, Vec<&PlanCitations>> = BTreeMap::new();
    for plan in plans {
        by_phase.entry(phase_of(&plan.file)).or_default().push(*plan);
    }
    let mut unplanned: BTreeMap<String, String> = BTreeMap::new();
    for claim in claims {
        let Some(plans) = by_phase.get(&claim.phase) else {
            let parts: Vec<String> = claim.phase.iter().map(ToString::to_string).collect();
            unplanned.insert(claim.id.to_uppercase(), parts.join("."));
            continue;
        };
        unplanned.remove(&claim.id.to_uppercase());
        for plan in plans.iter().filter(|plan| !plan.cites) {
            for task in ledger.sources.of_file(&plan.file).to_vec() {
                if ledger.knows(&claim.id) {
                    ledger.cite(task, &claim.id, claim.span.clone());
                }
            }
        }
    }
    for requirement in ledger.entries_mut() {
        let phase = unplanned.get(&requirement.id.as_str().to_uppercase());
        if let Some(phase) = phase.filter(|_| requirement.scope == RequirementScope::Active) {
            requirement.scope = RequirementScope::Deferred;
            requirement.note = Some(format!("phase {phase} has no plan yet"));
        }
    }
}

/// `[2, 1]` of `.planning/phases/02.1-name/02.1-01-PLAN.md`.
fn phase_of(file: &str) -> Vec<u64> {
    let directory = file.rsplit('/').nth(1).unwrap_or_default();
    phase_number(directory).map(|(number, _)| number).unwrap_or_default()
}
