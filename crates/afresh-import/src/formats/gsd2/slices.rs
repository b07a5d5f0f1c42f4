//! The slices of a milestone and their order.

use std::collections::BTreeMap;
use std::ops::Range;

use afresh_core::plan::{PlanField, TaskDraft};

use super::boxes::{self, BoxLine};
use super::milestone::{Gsd2Milestone, is_id};
use super::order::{self, TaskFileFlow};
use super::task_plan::TaskPlan;
use super::tasks::SliceLine;
use crate::draft::{DraftPlan, DraftTask, unreadable_file};
use crate::prose::{self, WorkerBrief, unticked};
use afresh_formats::findings::Severity;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::limits::too_many_tasks;
use afresh_formats::text::markdown::headings;

/// The most dependencies between slices.
const MAX_NEEDS: usize = 200_000;

pub(super) fn name(text: &str, milestone: &Gsd2Milestone) -> String {
    let first = headings(text).into_iter().find(|heading| heading.level == 1);
    first.map_or(milestone.id.as_str(), |heading| heading.text).to_owned()
}

/// Adds the tasks of all slices that are planned.
pub(super) fn add(
    folder: &dyn PlanFolder,
    drafted: &mut DraftPlan,
    milestone: &Gsd2Milestone,
    text: &str,
) {
    let slices = boxes::read(text, 'S');
    if let Some(finding) = too_many_tasks(milestone.file(), slices.len()) {
        drafted.findings.push(finding);
        return;
    }
    let mut adding = SliceReader { folder, drafted, milestone, unread: None, is_finished: false };
    let mut ends = BTreeMap::new();
    for slice in &slices {
        let found = adding.slice(slice);
        ends.insert(slice.id.text, found);
    }
    adding.link(&slices, &ends);
    adding.report_unplanned(&slices, &ends);
    prose::label_unjudged(drafted);
}

pub(super) struct SliceReader<'x> {
    pub(super) folder: &'x dyn PlanFolder,
    pub(super) drafted: &'x mut DraftPlan,
    pub(super) milestone: &'x Gsd2Milestone,
    /// Why a file could not be read, since this was last looked at.
    unread: Option<String>,
    /// Whether the slice that is read is finished.
    is_finished: bool,
}

/// The first and last tasks of a slice, by index.
#[derive(Debug, Default)]
struct SliceEnds {
    firsts: Vec<usize>,
    lasts: Vec<usize>,
    /// Whether the slice is open but not planned.
    open: bool,
}

impl SliceReader<'_> {
    fn slice(&mut self, slice: &BoxLine<'_>) -> SliceEnds {
        if let Some((word, meant)) = &slice.misspelt {
            prose::warn_about_misspelt(self.drafted, self.milestone.file(), word, meant);
        }
        let plan = self.milestone.of_slice(self.folder, slice.id.text, "PLAN");
        let summary = self.milestone.of_slice(self.folder, slice.id.text, "SUMMARY");
        let done = slice.ticked || summary.is_some();
        (self.is_finished, self.unread) = (done, None);
        let text = plan.as_ref().and_then(|plan| self.text(plan));
        let (Some(file), Some(text)) = (plan, text) else {
            return match self.unread.take() {
                Some(why) => self.add_whole(slice, |task| task.fault = Some(why)),
                None => self.unplanned(slice, done),
            };
        };
        let lines = boxes::read(&text, 'T');
        if let Some(finding) = too_many_tasks(&file, self.drafted.tasks.len() + lines.len()) {
            self.drafted.findings.push(finding);
            return SliceEnds::default();
        }
        if lines.is_empty() {
            return self.unplanned(slice, done);
        }
        let (mut plans, mut faults) = (Vec::new(), Vec::new());
        for line in &lines {
            plans.push(self.task_plan(slice, line));
            faults.push(self.unread.take());
        }
        let flows: Vec<TaskFileFlow> = plans.iter().map(|plan| flow(plan.as_ref())).collect();
        let inner = order::within(&flows);
        let goal = goal(&text);
        let first = self.drafted.tasks.len();
        for (at, own) in lines.iter().enumerate() {
            let line = SliceLine { slice, file: &file, text: &text, task: own };
            let mut task = self.task(line, plans[at].as_ref());
            task.fault = task.fault.or_else(|| faults[at].take());
            let mut brief = WorkerBrief::for_one_of(lines.len());
            brief.paragraph(&unticked(&text[own.below.clone()]));
            if let Some(plan) = &plans[at] {
                brief.part(own.title.text, &plan.body, &plan.file);
            }
            brief.part(&format!("Slice {}: {}", slice.id.text, slice.title.text), &goal, &file);
            task.draft.instructions = brief.finish();
            if done && task.draft.done_before.is_none() {
                task.draft.done_before = Some(format!("slice {} is finished", slice.id.text));
            }
            let id = |at: &usize| self.id(slice, lines[*at].id.text);
            task.draft.needs = inner[at].iter().map(id).collect();
            self.drafted.tasks.push(task);
        }
        let firsts = (0..inner.len()).filter(|at| inner[*at].is_empty());
        let lasts = order::lasts(&inner).into_iter();
        SliceEnds {
            firsts: firsts.map(|at| first + at).collect(),
            lasts: lasts.map(|at| first + at).collect(),
            open: false,
        }
    }

    /// A slice without tasks: it is done, or not planned yet.
    fn unplanned(&mut self, slice: &BoxLine<'_>, done: bool) -> SliceEnds {
        if done {
            let why = format!("slice {} is finished", slice.id.text);
            return self.add_whole(slice, |task| task.draft.done_before = Some(why));
        }
        SliceEnds { open: true, ..SliceEnds::default() }
    }

    fn add_whole(&mut self, slice: &BoxLine<'_>, mark: impl FnOnce(&mut DraftTask)) -> SliceEnds {
        let at = self.drafted.tasks.len();
        let mut task = self.whole_slice(slice);
        mark(&mut task);
        self.drafted.tasks.push(task);
        SliceEnds { firsts: vec![at], lasts: vec![at], open: false }
    }

    /// A slice as one task.
    fn whole_slice(&self, slice: &BoxLine<'_>) -> DraftTask {
        let span = SourceSpan::new(self.milestone.file(), slice.id.range());
        let id = format!("{}-{}", self.milestone.id, slice.id.text);
        let title = prose::title(slice.title.text);
        DraftTask::new(TaskDraft { id, title, ..TaskDraft::default() }, span)
    }

    /// Reports slices that are not planned. One that others need is part of the plan, and blocked.
    fn report_unplanned(&mut self, slices: &[BoxLine<'_>], ends: &BTreeMap<&str, SliceEnds>) {
        let needed: Vec<&str> = slices
            .iter()
            .enumerate()
            .filter(|(_, slice)| ends.get(slice.id.text).is_some_and(|end| !end.firsts.is_empty()))
            .flat_map(|(at, slice)| match &slice.needs {
                Some(named) => named.iter().map(|need| need.text).collect(),
                None => {
                    at.checked_sub(1).map(|at| slices[at].id.text).into_iter().collect::<Vec<_>>()
                }
            })
            .collect();
        for slice in slices.iter().filter(|slice| ends.get(slice.id.text).is_some_and(|e| e.open)) {
            self.not_planned(slice);
            if needed.contains(&slice.id.text) {
                let mut task = self.whole_slice(slice);
                task.fault = Some(format!("slice {} has no tasks yet", slice.id.text));
                self.drafted.tasks.push(task);
                if let Some(last) = self.drafted.findings.last_mut() {
                    last.severity = Severity::Error;
                    self.drafted.contained += 1;
                }
            }
        }
    }

    /// The first tasks of a slice wait for the last ones of those that it needs.
    fn link(&mut self, slices: &[BoxLine<'_>], ends: &BTreeMap<&str, SliceEnds>) {
        let mut count = 0;
        for (at, slice) in slices.iter().enumerate() {
            let before = at.checked_sub(1).map(|before| &slices[before]);
            let needs = self.slice_needs(slice, before, ends);
            let Some(own) = ends.get(slice.id.text) else { continue };
            for (need, place) in needs {
                let Some(other) = ends.get(need) else { continue };
                let ids: Vec<String> = if other.open {
                    vec![format!("{}-{need}", self.milestone.id)]
                } else {
                    other.lasts.iter().map(|at| self.drafted.tasks[*at].draft.id.clone()).collect()
                };
                count += ids.len() * own.firsts.len();
                if count > MAX_NEEDS {
                    let span = SourceSpan::new(self.milestone.file(), place);
                    let message = "too many dependencies between slices";
                    self.drafted.find(&span, "too-large", message).hint =
                        Some("split the milestone".to_owned());
                    return;
                }
                for first in &own.firsts {
                    let task = &mut self.drafted.tasks[*first];
                    for id in &ids {
                        let span = SourceSpan::new(self.milestone.file(), place.clone());
                        task.note(None, PlanField::Needs, task.draft.needs.len(), span);
                        task.draft.needs.push(id.clone());
                    }
                }
            }
        }
    }

    /// The slices that a slice waits for: as it says, or else the one before it.
    fn slice_needs<'a>(
        &mut self,
        slice: &BoxLine<'a>,
        before: Option<&BoxLine<'a>>,
        known: &BTreeMap<&str, SliceEnds>,
    ) -> Vec<(&'a str, Range<usize>)> {
        let Some(named) = &slice.needs else {
            return before.map(|before| (before.id.text, slice.id.range())).into_iter().collect();
        };
        let mut needs = Vec::new();
        for need in named {
            // Earlier milestones are done before this one anyway.
            if is_id(need.text, 'M') {
                continue;
            }
            if known.contains_key(need.text) && need.text != slice.id.text {
                needs.push((need.text, need.range()));
                continue;
            }
            let (id, name) = (slice.id.text, need.text);
            let message = format!("{id} depends on {name:?}, which is not another slice");
            let hint = "write ids of slices, for example `depends:[S01,S02]`";
            let span = SourceSpan::new(self.milestone.file(), need.range());
            self.warn(&span, "unresolved-dependency", message, hint);
        }
        needs
    }

    fn not_planned(&mut self, slice: &BoxLine<'_>) {
        let message = format!("slice {} has no tasks, so it is not run", slice.id.text);
        let hint = "plan it with GSD, then read the milestone again";
        let span = SourceSpan::new(self.milestone.file(), slice.id.range());
        self.warn(&span, "not-planned", message, hint);
    }

    pub(super) fn id(&self, slice: &BoxLine<'_>, task: &str) -> String {
        format!("{}-{}-{task}", self.milestone.id, slice.id.text)
    }

    pub(super) fn text(&mut self, file: &str) -> Option<String> {
        match self.folder.text(file)? {
            Ok(text) => Some(text),
            Err(finding) if self.is_finished => {
                self.drafted.findings.push(finding.as_warning().with_hint("its slice is finished"));
                None
            }
            Err(finding) => {
                self.unread.get_or_insert_with(|| finding.message.clone());
                self.drafted.contain([unreadable_file(finding)]);
                None
            }
        }
    }

    fn warn(&mut self, span: &SourceSpan, code: &str, message: String, hint: &str) {
        let found = self.drafted.find(span, code, message);
        found.severity = Severity::Warning;
        found.hint = Some(hint.to_owned());
    }
}

fn flow(plan: Option<&TaskPlan>) -> TaskFileFlow {
    let outputs = plan.into_iter().flat_map(|plan| &plan.outputs);
    TaskFileFlow {
        inputs: plan.map(|plan| plan.inputs.clone()).unwrap_or_default(),
        outputs: outputs.map(|output| output.path.clone()).collect(),
    }
}

/// The goal of a slice: the text before its tasks.
fn goal(text: &str) -> String {
    let end = headings(text)
        .into_iter()
        .find(|heading| heading.text.eq_ignore_ascii_case("tasks"))
        .map_or(text.len(), |heading| heading.at.start);
    let front = text[..end].trim_end_matches(['#', ' ']);
    unticked(front)
}
