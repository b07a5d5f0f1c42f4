//! Builds one plan from the PLAN.md files of a project.

use std::collections::BTreeSet;

use afresh_core::plan::PlanField;

use super::commit_label::commit_label;
use super::parts::{self, PlanTasks};
use super::reads;
use crate::detect::{ReadOptions, WorkUnit};
use crate::draft::{DraftPlan, DraftTask, report_needs_outside, unreadable_file};
use crate::plan_md::order::dependencies::{self, PlanNeeds};
use crate::plan_md::order::plan_set::{PlanMember, PlanSet};
use crate::plan_md::order::waves;
use crate::prose;
use afresh_formats::findings::SourceText;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::{PlanReading, SourceSpan};
use afresh_formats::text::limits::{self, MAX_INSTRUCTION_BYTES};

/// The most dependencies of the whole plan.
const MAX_LINKS: usize = 200_000;

/// Adds the plans to the draft and builds the plan.
pub fn assemble(
    folder: &dyn PlanFolder,
    options: &ReadOptions,
    mut drafted: DraftPlan,
    mut set: PlanSet,
) -> PlanReading {
    let needs = dependencies::resolve(&mut set);
    let waves = waves::compute_waves(&set, &needs);
    waves::remark(&mut set, &needs, &waves);
    let orderings = orderings(&set, &needs);
    let open = || set.members.iter().filter(|member| member.done_before.is_none());
    let shared: usize = open().map(|m| m.document.sections.len() * m.document.items.len()).sum();
    if options.unit == WorkUnit::Task && shared > MAX_INSTRUCTION_BYTES {
        let message = "the instructions of all workers together are larger than 16 MiB";
        return too_large(message);
    }
    let items: usize = open().map(|member| member.document.items.len()).sum();
    if let Some(finding) = limits::too_many_tasks(".", items.max(set.members.len())) {
        return PlanReading::failed(finding);
    }
    let parts: Vec<PlanTasks> =
        set.members.iter().map(|member| parts::plan_tasks(member, options.unit)).collect();
    let all = |at: usize| {
        let stated = needs[at].iter().map(|(need, place)| (*need, place.clone()));
        stated.chain(orderings[at].iter().map(|need| (*need, 0..0)))
    };
    let ends = |at: usize| all(at).map(|(need, _)| parts[need].last.len()).sum::<usize>();
    if (0..parts.len()).map(|at| parts[at].first.len() * ends(at)).sum::<usize>() > MAX_LINKS {
        return too_large("phases and waves lead to more than 200,000 dependencies");
    }
    let named = |at: &usize| options.includes(&set.members[*at].document.path);
    let mut wanted: BTreeSet<usize> = (0..parts.len()).filter(named).collect();
    if options.only.is_none() {
        wanted.clear();
    }
    let is_wanted = |at: usize| wanted.is_empty() || wanted.contains(&at);
    for at in (0..parts.len()).filter(|at| is_wanted(*at)) {
        let outside: BTreeSet<usize> = all(at)
            .map(|(need, _)| need)
            .filter(|need| !is_wanted(*need) && set.members[*need].done_before.is_none())
            .collect();
        report_outside(&mut drafted, &set, at, &outside);
        let mut tasks = parts[at].tasks.clone();
        let fault = fault_of(&set.members[at]);
        for task in &mut tasks {
            task.fault.clone_from(&fault);
            task.draft.commit = commit_label(&set.members[at], &task.draft);
        }
        name_phase(&mut tasks, &set.phases[set.members[at].phase].name);
        for first in &parts[at].first {
            for (need, place) in all(at).filter(|(need, _)| is_wanted(*need)) {
                let span = SourceSpan::new(&set.members[at].document.path, place);
                link(&mut tasks[*first], &parts[need].last, &span);
            }
        }
        drafted.tasks.extend(tasks);
        report_remarks(&mut drafted, &set.members[at]);
    }
    if !drafted.has_failed() {
        prose::label_unjudged(&mut drafted);
    }
    drafted.finish(folder)
}

/// Why a plan cannot be run as it is written.
fn fault_of(member: &PlanMember) -> Option<String> {
    let unreadable = member.fault.as_ref().or(member.document.yaml_finding.as_ref());
    let unreadable = unreadable.filter(|finding| finding.is_error());
    unreadable
        .map(|finding| finding.message.clone())
        .or_else(|| member.document.remarks.first_error())
}

/// Reports unfinished plans that a named plan needs, and that were not named.
fn report_outside(drafted: &mut DraftPlan, set: &PlanSet, at: usize, outside: &BTreeSet<usize>) {
    let member = &set.members[at];
    if outside.is_empty() || member.done_before.is_some() {
        return;
    }
    let needs: Vec<&str> = outside.iter().map(|need| set.members[*need].id.as_str()).collect();
    let span = SourceSpan::new(&member.document.path, 0..0);
    report_needs_outside(drafted, &member.id, &needs, &span);
}

/// Adds the phase of the project to the instructions (PR-02).
fn name_phase(tasks: &mut [DraftTask], phase: &str) {
    if phase.is_empty() {
        return;
    }
    for task in tasks {
        let text = &mut task.draft.instructions;
        *text = format!("Phase: {phase}\n\n{text}");
        text.truncate(text.trim_end().len());
    }
}

/// Makes a task wait for others.
fn link(task: &mut DraftTask, others: &[String], span: &SourceSpan) {
    for id in others {
        task.draft.needs.push(id.clone());
        task.note(None, PlanField::Needs, task.draft.needs.len() - 1, span.clone());
    }
}

fn too_large(message: &str) -> PlanReading {
    PlanReading::failed(
        limits::over_limit(".", message).with_hint("read one phase or one plan at a time"),
    )
}

/// Adds a plan's remarks and unknown fields to the draft.
fn report_remarks(drafted: &mut DraftPlan, member: &PlanMember) {
    let document = &member.document;
    // A plan that is done needs no fixes.
    if let Some(fault) = member.fault.clone().filter(|_| member.done_before.is_none()) {
        drafted.contain([unreadable_file(fault)]);
    } else if member.done_before.is_none() {
        let source = SourceText::new(&document.path, &document.text);
        drafted.contain(document.yaml_finding.clone());
        drafted.contain(document.remarks.render(&source));
        let reads = reads::context_files(document).into_iter();
        drafted.reads.extend(reads.map(|(path, at)| (path, SourceSpan::new(&document.path, at))));
    }
    for (key, value) in &document.fields.unknown {
        drafted.unknown.insert(format!("{}:{key}", document.path), value.clone());
    }
}

/// Dependencies that follow from the order of phases: a plan that waits for no other of its phase
/// waits for the last plans of the phases before.
fn orderings(set: &PlanSet, needs: &[PlanNeeds]) -> Vec<Vec<usize>> {
    let same = |a: usize, b: usize| set.members[a].phase == set.members[b].phase;
    // A done plan waits for nothing, so it does not pass on an order.
    let is_open = |at: usize| set.members[at].done_before.is_none();
    let mut is_needed = vec![false; needs.len()];
    let mut starts = vec![true; needs.len()];
    for (at, needs) in needs.iter().enumerate() {
        for (need, _) in needs.iter().filter(|(need, _)| same(at, *need) && *need != at) {
            is_needed[*need] |= is_open(at);
            starts[at] &= !is_open(*need);
        }
    }
    let mut ends: Vec<Vec<usize>> = vec![Vec::new(); set.phases.len()];
    for at in (0..needs.len()).filter(|at| !is_needed[*at]) {
        ends[set.members[at].phase].push(at);
    }
    let mut budget = MAX_LINKS + 1;
    let mut found = Vec::with_capacity(needs.len());
    for (at, starts) in starts.iter().enumerate() {
        let phases = &set.phases[set.members[at].phase].needs;
        let before = phases.iter().flat_map(|phase| &ends[*phase]).copied();
        let before: Vec<usize> = before.take(if *starts { budget } else { 0 }).collect();
        budget -= before.len();
        found.push(before);
    }
    found
}
