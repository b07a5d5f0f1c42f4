//! long-run: `.long-run/plans/NN-PLAN.md` next to the spec that they implement.
//!
//! A plan is done if its summary says `completed`, or if it has none and all its boxes in tasks.md are
//! checked. For a plan in progress, a checkpoint lists the finished tasks.

use std::collections::{BTreeMap, BTreeSet};

use crate::detect::{PlanFormat, ReadOptions};
use crate::draft::DraftPlan;
use crate::plan_md::assemble::assemble;
use crate::plan_md::checkpoint_json;
use crate::plan_md::completeness;
use crate::plan_md::order::plan_set::{PlanMember, PlanNumber, PlanPhase, PlanSet};
use crate::plan_md::parse::document::PlanDocument;
use crate::plan_md::summary::PlanSummary;
use crate::plan_md::trace::add_plans;
use crate::requirements::{LedgerBuilder, RequirementFamilies};
use afresh_formats::findings::Finding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::PlanReading;
use afresh_formats::text::markdown::check_boxes;

pub const FORMAT: PlanFormat = PlanFormat { name: "long-run", is_present, read, requirements };

/// A plan and its directory `.long-run/`, which ends in `/` or is empty.
#[derive(Debug)]
pub(crate) struct LongRunPlanPath<'a> {
    pub(crate) path: &'a str,
    pub(crate) home: &'a str,
    pub(crate) id: &'a str,
}

fn is_present(folder: &dyn PlanFolder) -> bool {
    !plans(folder).is_empty()
}

fn plans(folder: &dyn PlanFolder) -> Vec<LongRunPlanPath<'_>> {
    folder.paths().iter().filter_map(|path| plan_path(path)).collect()
}

/// What the path of a plan says.
pub(crate) fn plan_path(path: &str) -> Option<LongRunPlanPath<'_>> {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let id = name.strip_suffix("-PLAN.md")?;
    let home = directory.strip_suffix("plans")?;
    let ours = home.is_empty() || home == ".long-run/" || home.ends_with("/.long-run/");
    let numbered =
        id.starts_with(|c: char| c.is_ascii_digit()) && PlanNumber::leading(id).is_none();
    (ours && numbered).then_some(LongRunPlanPath { path, home, id })
}

fn read(folder: &dyn PlanFolder, options: &ReadOptions) -> PlanReading {
    let mut plans = plans(folder);
    if options.only.is_some() {
        let home = plans.iter().find(|plan| options.includes(plan.path)).map(|plan| plan.home);
        plans.retain(|plan| home.is_none_or(|home| plan.home == home));
    }
    let homes: BTreeSet<&str> = plans.iter().map(|plan| plan.home).collect();
    let home = match homes.into_iter().collect::<Vec<_>>().as_slice() {
        [] => {
            let finding = Finding::for_file(".", "empty-plan", "no plans here: nothing to do");
            return PlanReading::failed(finding.with_hint("plans are .long-run/plans/NN-PLAN.md"));
        }
        [home] => (*home).to_owned(),
        homes @ [first, ..] => {
            let message = format!("{} specs have plans here", homes.len());
            let shown = folder.shown(first.trim_end_matches(".long-run/"));
            let hint = format!("name one of them, for example {shown}");
            let first = plans.iter().find(|plan| plan.home == *first).map_or(".", |plan| plan.path);
            return PlanReading::failed(
                Finding::for_file(first, "several-plans", message).with_hint(hint),
            );
        }
    };
    let beside = home.strip_suffix(".long-run/");
    let file = |name: &str| beside.map(|spec| format!("{spec}{name}"));
    let mut drafted = DraftPlan::default();
    let boxes = file("tasks.md")
        .and_then(|path| drafted.read_additional(folder, &path, "checked boxes are ignored"));
    let boxes = TickedBoxes::read(boxes.as_deref().unwrap_or_default());
    let spec = file("spec.md").filter(|path| folder.holds(path));
    let name =
        beside.and_then(|spec| spec.trim_end_matches('/').rsplit('/').next()).unwrap_or_default();
    if name.is_empty() { "plan" } else { name }.clone_into(&mut drafted.name);
    drafted.spec = spec;
    let mut set = PlanSet { phases: vec![PlanPhase::default()], members: Vec::new() };
    for plan in &plans {
        let (text, fault) = match folder.text(plan.path) {
            Some(Ok(text)) => (text, None),
            Some(Err(finding)) => (String::new(), Some(finding)),
            None => continue,
        };
        let mut member = member(folder, plan, text, &boxes, &mut drafted);
        resume(folder, plan, &mut member, &mut drafted);
        member.fault = fault;
        set.members.push(member);
    }
    assemble(folder, options, drafted, set)
}

fn member(
    folder: &dyn PlanFolder,
    plan: &LongRunPlanPath,
    text: String,
    boxes: &TickedBoxes,
    drafted: &mut DraftPlan,
) -> PlanMember {
    let mut document = PlanDocument::read(plan.path, text);
    completeness::remark_on_steps(&mut document);
    let summaries = [
        format!("{}summaries/{}-SUMMARY.md", plan.home, plan.id),
        plan.path.replace("-PLAN.md", "-SUMMARY.md"),
    ];
    let done_before = match PlanSummary::find(folder, &summaries, drafted) {
        Some(summary) => {
            summary.is_completed().then(|| format!("completed according to {}", summary.path))
        }
        None => boxes.all_ticked(&document).then(|| "its boxes in tasks.md are checked".to_owned()),
    };
    PlanMember {
        id: plan.id.to_owned(),
        title: document.title(None, plan.id),
        stem: plan.id.to_owned(),
        number: plan.id.parse().ok().map(|number| PlanNumber { phase: Vec::new(), plan: number }),
        phase: 0,
        space: 0,
        done_before,
        document,
        fault: None,
    }
}

/// The spec beside the plans, and what the plans themselves state.
fn requirements(ledger: &mut LedgerBuilder<'_>) {
    let files = ledger.sources.files();
    let beside = files.first().and_then(|file| Some(file[..file.find(".long-run/")?].to_owned()));
    for name in ["spec.md", "planning/requirements.md"] {
        if let Some(beside) = &beside {
            ledger.add_file(&format!("{beside}{name}"), RequirementFamilies::Letters);
        }
    }
    add_plans(ledger);
    ledger.cite_mentions();
}

/// Marks the tasks that a checkpoint lists as finished.
fn resume(
    folder: &dyn PlanFolder,
    plan: &LongRunPlanPath,
    member: &mut PlanMember,
    drafted: &mut DraftPlan,
) {
    let path = plan.path.replace("-PLAN.md", "-CHECKPOINT.json");
    if member.done_before.is_some() {
        return;
    }
    let Some(text) = drafted.read_additional(folder, &path, "nothing counts as done") else {
        return;
    };
    let Some(progress) = checkpoint_json::read(&path, &text, drafted) else { return };
    let items = &mut member.document.items;
    let done = if progress.completed { items.len() } else { progress.done.min(items.len()) };
    items[..done].iter_mut().for_each(|item| item.is_done = true);
}

/// The boxes of tasks.md, by the number that each starts with.
struct TickedBoxes {
    ticked: BTreeMap<String, bool>,
}

impl TickedBoxes {
    fn read(text: &str) -> Self {
        let number = |text: &str| {
            text.split_whitespace().next().map(|word| word.trim_end_matches(['.', ':']).to_owned())
        };
        let boxes = check_boxes(text).into_iter();
        Self {
            ticked: boxes.filter_map(|found| Some((number(found.text)?, found.ticked))).collect(),
        }
    }

    fn all_ticked(&self, plan: &PlanDocument) -> bool {
        let tasks = &plan.fields.source_tasks;
        !tasks.is_empty() && tasks.iter().all(|task| self.ticked.get(&task.text) == Some(&true))
    }
}
