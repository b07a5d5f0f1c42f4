//! GSD: `.planning/phases/NN-name/NN-PP-PLAN.md`, with a ROADMAP.md that orders the phases.
//!
//! A plan is done if its SUMMARY.md exists and does not say otherwise; the boxes in ROADMAP.md only
//! mirror that. Phases run one after the other, or as ROADMAP.md says.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`layout`] | the paths of plans, and what they mean |
//! | [`roadmap`] | phases, their dependencies, and the titles of plans |

pub mod layout;
pub mod roadmap;

use std::collections::BTreeMap;

use crate::detect::{PlanFormat, ReadOptions};
use crate::draft::DraftPlan;
use crate::plan_md::assemble::assemble;
use crate::plan_md::completeness;
use crate::plan_md::order::plan_set::{PlanMember, PlanPhase, PlanSet};
use crate::plan_md::parse::document::PlanDocument;
use crate::plan_md::parse::item::short;
use crate::plan_md::summary::PlanSummary;
use afresh_formats::findings::Finding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::PlanReading;
use afresh_formats::text::markdown::headings;
use layout::{GsdPlanPath, PlanningArea};
use roadmap::GsdRoadmap;

pub const FORMAT: PlanFormat = PlanFormat { name: "gsd", is_present, read };

/// Whether there are plans in GSD's layout, unless they are Ultra Planner's.
fn is_present(folder: &dyn PlanFolder) -> bool {
    !crate::formats::ultraplan::leaves_traces(folder) && !layout::plans(folder.paths()).is_empty()
}

/// Reads the plans of a project.
pub fn read(folder: &dyn PlanFolder, options: &ReadOptions) -> PlanReading {
    let plans = layout::plans(folder.paths());
    let Some(root) = plans.first().map(|plan| plan.root.clone()) else {
        let finding = Finding::for_file(".", "empty-plan", "no plans here: nothing to do");
        return PlanReading::failed(
            finding.with_hint("plans are .planning/phases/NN-name/NN-PP-PLAN.md"),
        );
    };
    let mut drafted = DraftPlan::default();
    let mut text =
        |name: &str, follows: &str| drafted.beside(folder, &format!("{root}{name}"), follows);
    let roadmap = text("ROADMAP.md", "phases run in the order of their numbers");
    let roadmap = GsdRoadmap::read(&roadmap.unwrap_or_default());
    let project = text("PROJECT.md", "the plan has no name");
    drafted.name = project.as_deref().and_then(title).unwrap_or_else(|| "plan".to_owned());
    match set(folder, &plans, &roadmap, &mut drafted) {
        Ok(set) => assemble(folder, options, drafted, set),
        Err(findings) => PlanReading { findings, ..PlanReading::default() },
    }
}

/// The first heading of a document.
fn title(text: &str) -> Option<String> {
    headings(text).first().map(|heading| short(heading.text)).filter(|title| !title.is_empty())
}

/// The plans with their phases, or the failed reading.
fn set(
    folder: &dyn PlanFolder,
    plans: &[GsdPlanPath],
    roadmap: &GsdRoadmap,
    drafted: &mut DraftPlan,
) -> Result<PlanSet, Vec<Finding>> {
    let mut set =
        PlanSet { phases: phases(plans, roadmap), members: Vec::with_capacity(plans.len()) };
    let places: BTreeMap<_, usize> = phase_keys(plans).into_iter().zip(0..).collect();
    let mut spaces: Vec<&PlanningArea> = plans.iter().map(|plan| &plan.area).collect();
    spaces.dedup();
    // It scans every path, so it is called once and not for each plan.
    let foreign = crate::formats::ultraplan::leaves_traces(folder);
    let mut unreadable = Vec::new();
    for (plan, id) in plans.iter().zip(layout::ids(plans)) {
        let mut document = match folder.text(&plan.path) {
            Some(Ok(text)) => PlanDocument::read(&plan.path, text),
            Some(Err(finding)) => {
                unreadable.push(finding);
                continue;
            }
            None => continue,
        };
        if plan.area == PlanningArea::Phases && !foreign {
            completeness::remark_on_keys(&mut document);
        }
        let current = plan.number.as_ref().filter(|_| plan.area == PlanningArea::Phases);
        let listed = current.and_then(|number| roadmap.plans.get(number));
        let mut member = PlanMember {
            title: document.title(listed.map(|listed| listed.title.as_str()), &id),
            done_before: None,
            stem: plan.stem.clone(),
            number: plan.number.clone(),
            phase: places.get(&plan.phase_key()).copied().unwrap_or(0),
            space: spaces.iter().position(|area| **area == plan.area).unwrap_or(0),
            id,
            document,
        };
        let summary = PlanSummary::find(folder, &plan.summaries(), drafted);
        mark_if_done(
            plan,
            &mut member,
            summary.as_ref(),
            listed.is_some_and(|listed| listed.ticked),
        );
        set.members.push(member);
    }
    if unreadable.is_empty() { Ok(set) } else { Err(unreadable) }
}

/// Marks a plan as done by its summary, status or area.
fn mark_if_done(
    plan: &GsdPlanPath,
    member: &mut PlanMember,
    summary: Option<&PlanSummary>,
    ticked: bool,
) {
    let status = member.document.fields.status.as_deref().unwrap_or_default();
    let archived = matches!(plan.area, PlanningArea::Milestone(_));
    member.done_before = match summary {
        Some(summary) if !summary.is_unfinished() => Some(format!("{} exists", summary.path)),
        _ if status.eq_ignore_ascii_case("superseded") => {
            Some("its status is superseded".to_owned())
        }
        None if archived => Some("its milestone is archived".to_owned()),
        _ => None,
    };
    if ticked && summary.is_none() && member.done_before.is_none() {
        let message = "ROADMAP.md marks this plan as done, but it has no SUMMARY.md".to_owned();
        let hint = "it counts as not done; write the summary, or uncheck the box";
        member.document.remarks.warning("ticked-without-summary", &(0..0), message, hint);
    }
}

/// Identifies and orders phases: area and number or directory.
type PhaseKey = (PlanningArea, Vec<u64>, String);

fn phase_keys(plans: &[GsdPlanPath]) -> Vec<PhaseKey> {
    let keys: std::collections::BTreeSet<PhaseKey> =
        plans.iter().map(GsdPlanPath::phase_key).collect();
    keys.into_iter().collect()
}

/// The phases, and which must be finished before each.
fn phases(plans: &[GsdPlanPath], roadmap: &GsdRoadmap) -> Vec<PlanPhase> {
    let keys = phase_keys(plans);
    let position = |area: &PlanningArea, number: &Vec<u64>| {
        keys.iter().position(|(other, phase, _)| other == area && phase == number)
    };
    let needs = |at: usize| {
        let (area, number, _) = &keys[at];
        let stated = roadmap.phases.get(number).and_then(|phase| phase.needs.as_ref());
        match stated.filter(|_| *area == PlanningArea::Phases) {
            // Quick plans and archived milestones have no known dependencies.
            _ if *area != PlanningArea::Phases => Vec::new(),
            Some(numbers) => {
                numbers.iter().filter_map(|n| position(area, n)).filter(|p| *p != at).collect()
            }
            None => {
                at.checked_sub(1).filter(|before| keys[*before].0 == *area).into_iter().collect()
            }
        }
    };
    (0..keys.len()).map(|at| PlanPhase { name: keys[at].2.clone(), needs: needs(at) }).collect()
}
