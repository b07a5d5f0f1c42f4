//! GSD: `.planning/phases/NN-name/NN-PP-PLAN.md`, with a ROADMAP.md that orders the phases.
//!
//! A plan is done if its SUMMARY.md exists and does not say otherwise; the boxes in ROADMAP.md only
//! mirror that. Phases run one after the other, or as ROADMAP.md says.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`layout`] | the paths of plans, and what they mean |
//! | [`roadmap`] | phases, their dependencies, and the titles of plans |
//! | [`ultraplan`] | Ultra Planner, which has the same layout |
//! | `trace` | REQUIREMENTS.md, and which plans cite what |

pub mod layout;
pub mod roadmap;
pub(crate) mod trace;
pub mod ultraplan;

use std::collections::{BTreeMap, BTreeSet};

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
use layout::{GsdPlanPath, PhaseKey, PlanningArea};
use roadmap::GsdRoadmap;

pub const FORMAT: PlanFormat =
    PlanFormat { name: "gsd", is_present, read, requirements: trace::add };

/// Whether there are plans in GSD's layout, unless they are Ultra Planner's.
fn is_present(folder: &dyn PlanFolder) -> bool {
    !crate::formats::gsd::ultraplan::leaves_traces(folder)
        && !layout::plans(folder.paths()).is_empty()
}

/// Reads the plans of a project.
pub fn read(folder: &dyn PlanFolder, options: &ReadOptions) -> PlanReading {
    let mut plans = layout::plans(folder.paths());
    // Beside what was named, only the same project counts.
    let root = plans.iter().find(|plan| options.only.is_some() && options.includes(&plan.path));
    if let Some(root) = root.map(|plan| plan.root.clone()) {
        plans.retain(|plan| plan.root == root);
    }
    let Some(root) = plans.first().map(|plan| plan.root.clone()) else {
        let finding = Finding::for_file(".", "empty-plan", "no plans here: nothing to do");
        return PlanReading::failed(
            finding.with_hint("plans are .planning/phases/NN-name/NN-PP-PLAN.md"),
        );
    };
    let mut drafted = DraftPlan::default();
    let roots: BTreeSet<&str> = plans.iter().map(|plan| plan.root.as_str()).collect();
    let mut roadmaps = BTreeMap::new();
    for root in roots {
        let follows = "phases run in the order of their numbers";
        let text = drafted.read_additional(folder, &format!("{root}ROADMAP.md"), follows);
        roadmaps.insert(root.to_owned(), GsdRoadmap::read(&text.unwrap_or_default()));
    }
    let project =
        drafted.read_additional(folder, &format!("{root}PROJECT.md"), "the plan has no name");
    drafted.name = project.as_deref().and_then(title).unwrap_or_else(|| "plan".to_owned());
    for path in layout::unread_plans(folder.paths()).into_iter().filter(|p| options.includes(p)) {
        let message = "this looks like a plan, but its name is not one of a plan; it is not run";
        let finding = Finding::for_file(path, "unread-plan", message).as_warning();
        drafted.findings.push(finding.with_hint("name it NN-PP-PLAN.md, as GSD does"));
    }
    let set = set(folder, &plans, &roadmaps, &mut drafted);
    assemble(folder, options, drafted, set)
}

/// The first heading of a document.
fn title(text: &str) -> Option<String> {
    headings(text).first().map(|heading| short(heading.text)).filter(|title| !title.is_empty())
}

/// ROADMAP.md by the directory that it is in.
type GsdRoadmaps = BTreeMap<String, GsdRoadmap>;

/// The plans with their phases.
fn set(
    folder: &dyn PlanFolder,
    plans: &[GsdPlanPath],
    roadmaps: &GsdRoadmaps,
    drafted: &mut DraftPlan,
) -> PlanSet {
    let keys: BTreeSet<PhaseKey> = plans.iter().map(GsdPlanPath::phase_key).collect();
    let keys: Vec<PhaseKey> = keys.into_iter().collect();
    let places: BTreeMap<&PhaseKey, usize> = keys.iter().zip(0..).collect();
    let mut spaces: Vec<(&str, &PlanningArea)> =
        plans.iter().map(|plan| (plan.root.as_str(), &plan.area)).collect();
    spaces.dedup();
    // It scans every path, so it is called once and not for each plan.
    let foreign = crate::formats::gsd::ultraplan::leaves_traces(folder);
    let mut members = Vec::with_capacity(plans.len());
    for (plan, id) in plans.iter().zip(layout::ids(plans)) {
        let current = plan.number.as_ref().filter(|_| plan.area == PlanningArea::Phases);
        let roadmap = roadmaps.get(&plan.root);
        let listed = current.and_then(|number| roadmap?.plans.get(number));
        let summary = PlanSummary::find(folder, &plan.summaries(), drafted);
        let (mut document, fault) = document(folder, plan, summary.as_ref());
        if plan.area == PlanningArea::Phases && !foreign {
            completeness::remark_on_keys(&mut document);
        }
        let space = (plan.root.as_str(), &plan.area);
        let mut member = PlanMember {
            title: document.title(listed.map(|listed| listed.title.as_str()), &id),
            done_before: None,
            stem: plan.stem.clone(),
            number: plan.number.clone(),
            phase: places.get(&plan.phase_key()).copied().unwrap_or(0),
            space: spaces.iter().position(|other| *other == space).unwrap_or(0),
            id,
            document,
            fault,
        };
        let ticked = listed.is_some_and(|listed| listed.ticked);
        mark_if_done(plan, &mut member, summary.as_ref(), ticked);
        if member.done_before.is_some() {
            member.document.forget_text();
        }
        members.push(member);
    }
    let open: BTreeSet<usize> =
        members.iter().filter(|m| m.done_before.is_none()).map(|m| m.phase).collect();
    PlanSet { phases: phases(&keys, roadmaps, &open), members }
}

/// A plan's text, and why it cannot be read. Finished work is read only for its title, and neither
/// fails nor counts towards the limits.
fn document(
    folder: &dyn PlanFolder,
    plan: &GsdPlanPath,
    summary: Option<&PlanSummary>,
) -> (PlanDocument, Option<Finding>) {
    let finished = match summary {
        Some(summary) => !summary.is_unfinished(),
        None => matches!(plan.area, PlanningArea::Milestone(_)),
    };
    let text = if finished {
        Ok(folder.finished_text(&plan.path).unwrap_or_default())
    } else {
        folder.text(&plan.path).unwrap_or_else(|| Ok(String::new()))
    };
    match text {
        Ok(text) => (PlanDocument::read(&plan.path, text), None),
        Err(finding) => (PlanDocument::read(&plan.path, String::new()), Some(finding)),
    }
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

/// The phases, and which must be finished before each. `open` are those with unfinished plans.
fn phases(keys: &[PhaseKey], roadmaps: &GsdRoadmaps, open: &BTreeSet<usize>) -> Vec<PlanPhase> {
    let of_project = |at: &usize, key: &PhaseKey| {
        keys[*at].root == key.root && keys[*at].area == PlanningArea::Phases
    };
    let needs = |at: usize| -> Vec<usize> {
        let key = &keys[at];
        // Quick plans and archived milestones have no known dependencies.
        if key.area != PlanningArea::Phases {
            return Vec::new();
        }
        let roadmap = roadmaps.get(&key.root);
        let stated = roadmap.and_then(|roadmap| roadmap.phases.get(&key.number)?.needs.as_ref());
        // Of phases with the same number, the later one waits for the one before it.
        let twin = at.checked_sub(1).filter(|twin| keys[*twin].number == key.number);
        let twin = twin.filter(|twin| of_project(twin, key));
        if let Some(numbers) = stated {
            let named = (0..keys.len())
                .filter(|other| of_project(other, key) && numbers.contains(&keys[*other].number));
            return named.filter(|other| keys[*other].number != key.number).chain(twin).collect();
        }
        // A finished phase waits for nothing, so the one before it counts too.
        let mut before: Vec<usize> = Vec::new();
        for other in (0..at).rev().filter(|other| of_project(other, key)) {
            before.push(other);
            if open.contains(&other) {
                break;
            }
        }
        before
    };
    (0..keys.len()).map(|at| PlanPhase { name: keys[at].name.clone(), needs: needs(at) }).collect()
}
