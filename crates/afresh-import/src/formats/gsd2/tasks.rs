//! A line of a slice and its task plan as a task.

use std::collections::BTreeSet;
use std::ops::Range;

use afresh_core::plan::{CheckDraft, FileDraft, PlanField, StepDraft, TaskDraft};

use super::boxes::{BoxLine, labelled};
use super::slices::SliceReader;
use super::task_plan::{self, TaskPlan};
use crate::draft::DraftTask;
use crate::plan_md::checks::verify;
use crate::plan_md::parse::remarks::PlanRemarks;
use crate::prose::{self, title};
use afresh_formats::findings::SourceText;
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::markdown::Frontmatter;
use afresh_formats::text::yaml;
use afresh_formats::text::yaml::values::{get, word};

/// GSD's own directory, which is not part of a task's files.
const OWN_FILES: &str = ".gsd/";

/// A line of a slice and its source.
#[derive(Clone, Copy)]
pub(super) struct SliceLine<'l> {
    pub(super) slice: &'l BoxLine<'l>,
    pub(super) file: &'l str,
    pub(super) text: &'l str,
    pub(super) task: &'l BoxLine<'l>,
}

impl SliceReader<'_> {
    pub(super) fn task(&mut self, line: SliceLine<'_>, plan: Option<&TaskPlan>) -> DraftTask {
        let SliceLine { slice, file, text, task: own } = line;
        let whole = SourceSpan::new(file, own.id.start..own.title.end().max(own.id.end()));
        let mut task = DraftTask::new(TaskDraft::default(), whole);
        task.note(None, PlanField::Id, 0, SourceSpan::new(file, own.id.range()));
        task.draft.id = self.id(slice, own.id.text);
        task.draft.title = title(own.title.text);
        task.draft.done_before = self.done(slice, own);
        let listed = labelled(text, &own.below, "files");
        if let Some(listed) = &listed {
            prose::warn_about_outside(self.drafted, file, listed);
        }
        let named = listed.iter().flat_map(task_plan::listed);
        let named =
            named.map(|path| (path.text.to_owned(), None, SourceSpan::new(file, path.range())));
        let written = plan.into_iter().flat_map(|plan| {
            let span = |at: &Range<usize>| SourceSpan::new(&plan.file, at.clone());
            plan.outputs.iter().map(move |out| (out.path.clone(), out.action, span(&out.at)))
        });
        let mut seen = BTreeSet::new();
        for (path, action, span) in written.chain(named) {
            if !path.starts_with(OWN_FILES) && seen.insert(path.clone()) {
                task.note(None, PlanField::Files, task.draft.files.len(), span);
                task.draft.files.push(FileDraft { path, action });
            }
        }
        for (name, text) in plan.iter().flat_map(|plan| &plan.steps) {
            let (name, instructions) = (title(name), text.clone());
            task.draft.steps.push(StepDraft { name, instructions, ..StepDraft::default() });
        }
        self.checks(&mut task, line, plan);
        task.block_for(plan.map(|plan| plan.findings.as_slice()).unwrap_or_default());
        task
    }

    /// The commands of the task's own plan, or else of its line.
    fn checks(&mut self, task: &mut DraftTask, line: SliceLine<'_>, plan: Option<&TaskPlan>) {
        let mut commands: Vec<(String, SourceSpan)> = Vec::new();
        if let Some(plan) = plan {
            let span = |at: &Range<usize>| SourceSpan::new(&plan.file, at.clone());
            commands.extend(plan.verify.commands.iter().map(|(run, at)| (run.clone(), span(at))));
        }
        let verify = plan.map(|plan| &plan.verify);
        let planned =
            verify.is_some_and(|block| !block.commands.is_empty() || !block.prose.is_empty());
        let below = labelled(line.text, &line.task.below, "verify");
        if let Some(line_verify) = below.filter(|_| !planned) {
            let mut remarks = PlanRemarks::default();
            let found = verify::parse(line.text, &line_verify.range(), &mut remarks);
            let source = SourceText::new(line.file, line.text);
            let findings = remarks.render(&source);
            task.block_for(&findings);
            self.drafted.contain(findings);
            let span = |at: &Range<usize>| SourceSpan::new(line.file, at.clone());
            commands.extend(found.commands.iter().map(|(run, at)| (run.clone(), span(at))));
        }
        for (command, span) in commands {
            task.note(None, PlanField::Checks, task.draft.checks.len(), span);
            task.draft.checks.push(CheckDraft { command, ..CheckDraft::default() });
        }
    }

    pub(super) fn task_plan(
        &mut self,
        slice: &BoxLine<'_>,
        line: &BoxLine<'_>,
    ) -> Option<TaskPlan> {
        let file = self.milestone.of_task(self.folder, slice.id.text, line.id.text, "PLAN")?;
        let text = self.text(&file)?;
        let plan = task_plan::read(&file, &text);
        self.drafted.contain(plan.findings.iter().cloned());
        for (key, value) in &plan.unknown {
            self.drafted.unknown.insert(format!("{file}:{key}"), value.clone());
        }
        Some(plan)
    }

    /// Why a task is done, if it is: a summary without a failure, or a checked box.
    fn done(&mut self, slice: &BoxLine<'_>, line: &BoxLine<'_>) -> Option<String> {
        let summary = self.milestone.of_task(self.folder, slice.id.text, line.id.text, "SUMMARY");
        if let Some(file) = summary {
            let text = self.text(&file)?;
            let source = SourceText::new(&file, &text);
            let block = Frontmatter::first(&text).map(|block| yaml::frontmatter(&source, &block).0);
            let field = |key: &str| block.as_ref().and_then(|block| get(block, key)).and_then(word);
            let blocked = field("blocker_discovered").is_some_and(|flag| flag == "true");
            let failed =
                field("verification_result").is_some_and(|result| result.starts_with("fail"));
            return (!blocked && !failed).then(|| format!("{file} exists"));
        }
        line.ticked.then(|| format!("checked in {}", slice.id.text))
    }
}
