//! What a titled task says: its files, its checks and its steps.

use std::ops::Range;

use afresh_core::plan::{CheckDraft, PlanField, StepDraft, TaskDraft};

use super::label::{self, LabelKind};
use super::outline::TitledTask;
use super::stated_needs::StatedNeeds;
use crate::box_lists::boxes::{BoxList, is_about_criteria};
use crate::box_lists::commands::{find_checks, is_expected_to_fail};
use crate::box_lists::tasks::add_files;
use crate::draft::DraftTask;
use crate::plan_md::parse::heading_parts::HeadingParts;
use crate::plan_md::parse::remarks::PlanRemarks;
use crate::prose::{title, unticked};
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::markdown::fence::info;
use afresh_formats::text::markdown::{FenceTracker, LineKind, TextLine, lines_from};

/// The languages of code blocks that contain commands.
const SHELLS: &[&str] = &["", "bash", "sh", "shell", "console", "zsh"];

/// How many lines below a command are searched for what is expected of it.
const MAX_EXPECTED_LINES: usize = 12;

/// How many lines below a title are searched for a status.
const MAX_STATUS_LINES: usize = 12;

/// A titled task as it was read.
pub(super) struct TaskSection {
    pub(super) task: DraftTask,
    /// The text that is not part of a step.
    pub(super) text: String,
    /// `**Status:** Complete`
    pub(super) is_done: bool,
    /// What it says about its dependencies.
    pub(super) needs: Option<StatedNeeds>,
}

/// A line of a section, outside of code blocks or not.
struct SectionLine<'a> {
    line: TextLine<'a>,
    kind: LineKind,
}

pub(super) fn read(
    file: &str,
    text: &str,
    list: &BoxList<'_>,
    one: &TitledTask<'_>,
    remarks: &mut PlanRemarks,
) -> TaskSection {
    let lines = section_lines(text, &one.section);
    let span = SourceSpan::new(file, one.line.range());
    let mut task = DraftTask::new(TaskDraft::default(), span.clone());
    task.note(None, PlanField::Id, 0, span);
    task.draft.id.clone_from(&one.id);
    let words = if one.words.text.is_empty() { one.line.text } else { one.words.text };
    task.draft.title = title(words.trim_matches(['~', '*', ' ', ':']));
    let parts = HeadingParts::read(text, &one.section, remarks);
    for (found, at) in parts.files {
        if task.draft.files.iter().all(|known| known.path != found.path) {
            task.note(None, PlanField::Files, task.draft.files.len(), SourceSpan::new(file, at));
            task.draft.files.push(found);
        }
    }
    if task.draft.files.is_empty() {
        let title = std::iter::once(&one.line);
        let prose = lines.iter().filter(|line| line.kind == LineKind::Text).map(|line| &line.line);
        title.chain(prose).for_each(|line| add_files(&mut task, file, line));
    }
    for (command, at) in parts.checks.into_iter().chain(commands(&lines)) {
        if task.draft.checks.iter().all(|known| known.command != command) {
            task.note(None, PlanField::Checks, task.draft.checks.len(), SourceSpan::new(file, at));
            task.draft.checks.push(CheckDraft { command, ..CheckDraft::default() });
        }
    }
    let markers = markers(text, list, one, &lines);
    let first = markers.first().map_or(one.section.end, |marker| marker.at);
    let intro = lines.iter().take_while(|one| one.line.start < first).take(MAX_STATUS_LINES);
    let is_done = intro.into_iter().any(states_done);
    let (steps, text) = divide(text, &one.section, &markers);
    task.draft.steps = steps;
    let prose = lines.iter().filter(|line| line.kind == LineKind::Text).map(|line| line.line);
    let needs = StatedNeeds::read(prose).or_else(|| StatedNeeds::read_title(&one.line));
    TaskSection { task, text, is_done, needs }
}

fn section_lines<'a>(text: &'a str, section: &Range<usize>) -> Vec<SectionLine<'a>> {
    let mut fences = FenceTracker::within(text, section.clone());
    let lines = lines_from(&text[section.clone()], section.start);
    lines.map(|line| SectionLine { kind: fences.kind(&line), line }).collect()
}

/// `**Status:** Complete`
fn states_done(line: &SectionLine<'_>) -> bool {
    let bare = line.line.without_bullet().text.trim_start_matches(['*', '_']);
    let status = bare.split_once(':').filter(|(key, _)| {
        line.kind == LineKind::Text
            && key.trim_matches(['*', '_', ' ']).eq_ignore_ascii_case("status")
    });
    status.is_some_and(|(_, status)| label::is_done_status(status))
}

/// The commands that must pass. One that is expected to fail, as before the implementation, is none.
fn commands(lines: &[SectionLine<'_>]) -> Vec<(String, Range<usize>)> {
    let mut found: Vec<(String, Range<usize>)> = Vec::new();
    for (at, one) in lines.iter().enumerate() {
        let commands = match one.kind {
            LineKind::Text => find_checks(one.line.text),
            LineKind::Opening if is_run(&lines[..at]) => block_command(&lines[at..]),
            _ => continue,
        };
        if !commands.is_empty() && !is_expected_to_fail(expectation(&lines[at..])) {
            let place = one.line.trimmed().range();
            found.extend(commands.into_iter().map(|command| (command, place.clone())));
        }
    }
    found
}

/// Whether the last line before a code block asks to run it.
fn is_run(before: &[SectionLine<'_>]) -> bool {
    let last = before.iter().rev().find(|one| !one.line.text.trim().is_empty());
    last.filter(|one| one.kind == LineKind::Text).is_some_and(|one| {
        let words = one.line.without_bullet().text.trim_matches(['*', '_', ' ', ':', '.']);
        let words = label::find(words).map_or(words, |label| label.words).to_lowercase();
        ["run", "verify", "test"].iter().any(|verb| words.split([' ', ':']).next() == Some(*verb))
    })
}

/// The command of a code block of one line.
fn block_command(block: &[SectionLine<'_>]) -> Vec<String> {
    let is_shell = info(block[0].line.text).is_some_and(|info| SHELLS.contains(&info));
    let code: Vec<&str> = block[1..]
        .iter()
        .take_while(|one| one.kind == LineKind::Code)
        .map(|one| one.line.text.trim())
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    match code[..] {
        [command] if is_shell && !command.contains('`') => {
            find_checks(&format!("Run `{}`", command.trim_start_matches("$ ")))
        }
        _ => Vec::new(),
    }
}

/// The words after `Expected:` that belong to the first of these lines.
fn expectation<'a>(lines: &[SectionLine<'a>]) -> &'a str {
    let near = lines.iter().enumerate().take(MAX_EXPECTED_LINES);
    let text = near.filter(|(_, one)| one.kind == LineKind::Text);
    for (at, one) in text {
        let lower = one.line.text.to_lowercase();
        if let Some(found) = lower.find("expected").or_else(|| lower.find("expect:")) {
            return one.line.text.get(found..).unwrap_or_default();
        }
        let is_next = at > 0 && (one.line.text.contains('`') || is_step(one.line.text));
        if is_next {
            break;
        }
    }
    ""
}

/// Where a step or something else begins.
struct SectionMarker {
    at: usize,
    /// The name of the step; none for the end of the steps.
    name: Option<String>,
}

/// Boxes, or else lines `**Step 1: …**` and headings `#### Step 1: …`.
fn markers(
    text: &str,
    list: &BoxList<'_>,
    one: &TitledTask<'_>,
    lines: &[SectionLine<'_>],
) -> Vec<SectionMarker> {
    let mut found: Vec<SectionMarker> = Vec::new();
    let boxes = &list.boxes[one.boxes.clone()];
    let line_start = |at: usize| text[..at].rfind('\n').map_or(0, |at| at + 1);
    let ends: Vec<usize> =
        lines.iter().filter(|one| is_criteria(one)).map(|l| l.line.start).collect();
    let starts: Vec<usize> =
        lines.iter().filter(|one| begins_part(one)).map(|l| l.line.start).collect();
    // A box below a label of criteria is one, up to the next label.
    let among_criteria = |at: usize| {
        let last = |all: &[usize]| all[..all.partition_point(|start| *start < at)].last().copied();
        last(&ends).is_some_and(|end| last(&starts) == Some(end))
    };
    let steps: Vec<_> = boxes.iter().filter(|one| !among_criteria(one.text.start)).collect();
    let top = steps.iter().map(|one| one.indent).min().unwrap_or_default();
    for step in steps.iter().filter(|one| one.indent == top) {
        let name = Some(step_name(step.text.text));
        found.push(SectionMarker { at: line_start(step.text.start), name });
    }
    if found.is_empty() {
        let steps = lines.iter().filter(|one| one.kind == LineKind::Text && is_step(one.line.text));
        found.extend(steps.map(|one| SectionMarker {
            at: one.line.start,
            name: Some(step_name(one.line.text.trim_start_matches(['#', ' ']))),
        }));
    }
    if !found.is_empty() {
        found.extend(ends.into_iter().map(|at| SectionMarker { at, name: None }));
        let from = list.headings.partition_point(|heading| heading.at.start < one.section.start);
        let inside = list.headings[from..].iter();
        let inside = inside.take_while(|heading| heading.at.start < one.section.end);
        let others = inside.filter(|heading| !is_step(&format!("# {}", heading.text)));
        let others = others.map(|heading| line_start(heading.at.start));
        found.extend(others.map(|at| SectionMarker { at, name: None }));
        found.sort_by_key(|marker| marker.at);
    }
    found
}

/// `**Acceptance criteria:**`
fn is_criteria(one: &SectionLine<'_>) -> bool {
    begins_part(one) && is_about_criteria(one.line.text)
}

/// `**Files:**` and headings.
fn begins_part(one: &SectionLine<'_>) -> bool {
    let words = one.line.text.trim();
    let labelled = words.starts_with("**") && words.trim_end_matches('*').ends_with(':');
    let labelled = labelled || (words.starts_with("**") && words.ends_with("**"));
    one.kind == LineKind::Text && (labelled || words.starts_with('#'))
}

/// `**Step 1: …**`, `#### Step 1: …`
fn is_step(line: &str) -> bool {
    let marked = line.starts_with("**") || line.starts_with('#');
    let words = line.trim_start_matches(['#', ' ']);
    marked && label::find(words).is_some_and(|label| label.kind == LabelKind::Step)
}

fn step_name(text: &str) -> String {
    let words = label::find(text).filter(|label| label.kind == LabelKind::Step);
    let words = words.map(|label| label.words).filter(|words| !words.trim_matches('*').is_empty());
    title(words.unwrap_or(text).trim_matches(['*', ' ']))
}

/// The steps, and the text that is in none of them.
fn divide(
    text: &str,
    section: &Range<usize>,
    markers: &[SectionMarker],
) -> (Vec<StepDraft>, String) {
    let first = markers.first().map_or(section.end, |marker| marker.at);
    let mut rest = text[section.start..first.max(section.start)].trim().to_owned();
    let mut steps = Vec::new();
    for (at, marker) in markers.iter().enumerate() {
        let end = markers.get(at + 1).map_or(section.end, |next| next.at);
        let part = text[marker.at..end].trim();
        if let Some(name) = marker.name.clone() {
            let instructions = unticked(part);
            steps.push(StepDraft { name, instructions, ..StepDraft::default() });
        } else {
            rest.push_str("\n\n");
            rest.push_str(part);
        }
    }
    (steps, unticked(rest.trim()))
}
