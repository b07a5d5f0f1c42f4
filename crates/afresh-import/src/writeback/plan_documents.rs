//! GSD, Ultra Planner and long-run: the summary of a finished plan, and the documents that show progress.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use afresh_formats::text::markdown::{Frontmatter, TableRow, check_boxes, headings, tables};

use super::documents::{
    EditedDocument, comment_ranges, gap_after, is_within, list_checks, list_deviations, list_files,
    percent, with_bar, with_count, with_position, yaml_list,
};
use super::edits::PlanEdits;
use super::finished::one_line;
use super::{PlanProgress, TaskMark, WritebackProblem, boxes};
use crate::formats::gsd::layout::{self, GsdPlanPath, PlanningArea};
use crate::formats::gsd::roadmap::listed_plan;
use crate::formats::long_run;
use crate::plan_md::order::plan_set::phase_number;
use crate::plan_md::parse::document::PlanDocument;

/// GSD and Ultra Planner: SUMMARY.md, ROADMAP.md, STATE.md, ISSUES.md.
pub(super) fn finish_gsd(
    progress: &PlanProgress<'_>,
    edits: &mut PlanEdits,
) -> Result<TaskMark, WritebackProblem> {
    let file = &*progress.place().file;
    if !progress.tasks_of(file).all(|id| progress.is_finished(id)) {
        return Ok(TaskMark::Later);
    }
    let own = [file.to_owned()];
    let plan = layout::plans(&own).into_iter().next().ok_or(WritebackProblem::NotUnderstood)?;
    let text = progress.text(file)?;
    write_gsd_summary(progress, &plan, &text, edits)?;
    let counts = GsdCounts::read(progress, &plan);
    if plan.area == PlanningArea::Phases {
        update_roadmap(progress, &plan, &counts, edits);
        update_gsd_state(progress, &plan, &counts, edits);
    }
    log_issues(progress, &format!("{}ISSUES.md", plan.root), edits)?;
    Ok(TaskMark::WholeFile)
}

/// How many plans of the phase, and of the project, are done.
struct GsdCounts {
    of_phase: (usize, usize),
    of_all: (usize, usize),
}

impl GsdCounts {
    fn read(progress: &PlanProgress<'_>, own: &GsdPlanPath) -> Self {
        let plans = layout::plans(progress.folder.paths());
        let open: BTreeSet<&str> = progress.open_files();
        let is_done = |plan: &&GsdPlanPath| plan.path == own.path || !open.contains(&*plan.path);
        let current = || {
            plans.iter().filter(|plan| plan.root == own.root && plan.area == PlanningArea::Phases)
        };
        let in_phase = || current().filter(|plan| plan.phase_key() == own.phase_key());
        Self {
            of_phase: (in_phase().filter(is_done).count(), in_phase().count()),
            of_all: (current().filter(is_done).count(), current().count()),
        }
    }

    fn is_phase_done(&self) -> bool {
        self.of_phase.0 == self.of_phase.1
    }
}

fn write_gsd_summary(
    progress: &PlanProgress<'_>,
    plan: &GsdPlanPath,
    text: &str,
    edits: &mut PlanEdits,
) -> Result<(), WritebackProblem> {
    let task = progress.task;
    let paths = plan.summaries();
    // A summary that says that work is left is corrected, not replaced.
    for path in &paths {
        if let Some(old) = progress.old_text(path)? {
            let file = path.clone();
            EditedDocument { file, text: old, edits }.set_key("status", "complete");
            return Ok(());
        }
    }
    let Some(path) = paths.first() else { return Ok(()) };
    let value = |key: &str| plan_value(text, key);
    let phase = value("phase").unwrap_or_else(|| plan.phase.clone());
    let number = value("plan").or_else(|| plan.number.as_ref().map(|it| format!("{:02}", it.plan)));
    let number = number.unwrap_or_else(|| plan.stem.clone());
    let requirements = value("requirements").filter(|list| list.starts_with('['));
    let (title, date) = (one_line(&task.title), task.date());
    let summary = task.summary().unwrap_or_else(|| title.clone());
    let created = yaml_list(&task.created);
    let modified = yaml_list(&task.modified);
    let mut out = format!(
        "---\nphase: {phase}\nplan: {number}\ntags: []\nkey-files:\n  created: {created}\n  modified: {modified}\n"
    );
    if let Some(requirements) = requirements {
        let _ = writeln!(out, "requirements-completed: {requirements}");
    }
    let _ = write!(out, "completed: {date}\nstatus: complete\n---\n\n");
    let _ = write!(out, "# Phase {phase} Plan {number}: {title} Summary\n\n**{summary}**\n\n");
    let _ = write!(out, "## Accomplishments\n\n- {summary}\n\n");
    let (run, attempt) = (&task.run, task.attempt);
    let _ = write!(
        out,
        "## Task Commits\n\nOne commit, with the trailers `Afresh-Run: {run}`, `Afresh-Task: {}` and `Afresh-Attempt: {attempt}`.\n\n",
        task.id
    );
    let _ = write!(out, "## Files Created/Modified\n\n{}\n", list_files(task));
    let _ = write!(out, "## Verification\n\n{}\n", list_checks(task));
    let _ = write!(out, "## Deviations from Plan\n\n{}\n", list_deviations(task));
    out.push_str("## Self-Check: PASSED\n");
    progress.add_file(path, out, edits)
}

/// The value of a key of a plan's frontmatter, as it was written, in one line.
fn plan_value(text: &str, key: &str) -> Option<String> {
    let keys = Frontmatter::first(text)?.keys();
    let value = keys.iter().find(|one| one.name == key)?.value.trim();
    (!value.is_empty() && !value.contains('\n')).then(|| value.to_owned())
}

fn update_roadmap(
    progress: &PlanProgress<'_>,
    plan: &GsdPlanPath,
    counts: &GsdCounts,
    edits: &mut PlanEdits,
) {
    let file = format!("{}ROADMAP.md", plan.root);
    let (Some(text), Some(number)) = (progress.text_if_any(&file), &plan.number) else { return };
    let is_phase = |text: &str| {
        let bare = text.trim_start_matches(['*', ' ']);
        let named = bare.strip_prefix("Phase ").unwrap_or(bare);
        phase_number(named).is_some_and(|(found, _)| found == number.phase)
    };
    for found in check_boxes(&text).into_iter().filter(|found| !found.ticked) {
        let is_plan = listed_plan(found.text).is_some_and(|(listed, _)| listed == *number);
        let bare = found.text.trim_start_matches(['*', ' ']);
        let is_own_phase = bare.starts_with("Phase ") && is_phase(bare) && counts.is_phase_done();
        if is_plan || is_own_phase {
            edits.replace(&file, found.mark, "x");
        }
    }
    let own = headings(&text)
        .into_iter()
        .find(|one| one.text.starts_with("Phase ") && is_phase(one.text));
    let sections = own.map(|heading| heading.own);
    let mut document = EditedDocument { file: file.clone(), text: text.clone(), edits };
    if let Some(section) = sections {
        document.set_label(&section, "Plans", |old| with_count(old, counts.of_phase.0));
    }
    let comments = comment_ranges(&text);
    let progress_sections: Vec<_> = headings(&text)
        .into_iter()
        .filter(|one| one.text.trim().eq_ignore_ascii_case("progress"))
        .map(|one| one.body)
        .collect();
    for table in tables(&text, 0..text.len()) {
        let Some(phase) = table.column(&["phase"]) else { continue };
        let columns = RoadmapColumns {
            plans: table.column(&["plans complete", "plans"]),
            status: table.column(&["status"]),
            completed: table.column(&["completed"]),
        };
        // A table elsewhere may be the user's own, unless it has a status that the tool writes.
        let is_kept = |row: &&TableRow<'_>| {
            let status = row.cell(columns.status).text.to_lowercase();
            !is_within(&comments, row.at.start)
                && (is_within(&progress_sections, row.at.start)
                    || ROADMAP_STATUSES.contains(&status.as_str()))
        };
        let own = table.rows.iter().filter(|row| is_phase(row.cell(Some(phase)).text));
        for row in own.filter(is_kept) {
            update_row(row, &columns, counts, &progress.task.date(), &mut document);
        }
    }
}

/// What the status of a phase may be in a roadmap.
const ROADMAP_STATUSES: &[&str] =
    &["not started", "planned", "in progress", "complete", "deferred"];

/// Columns of the table of phases.
struct RoadmapColumns {
    plans: Option<usize>,
    status: Option<usize>,
    completed: Option<usize>,
}

fn update_row(
    row: &TableRow<'_>,
    columns: &RoadmapColumns,
    counts: &GsdCounts,
    date: &str,
    document: &mut EditedDocument<'_>,
) {
    let mut set = |column: Option<usize>, new: Option<String>| {
        let cell = row.cell(column);
        if let Some(new) =
            new.filter(|new| column.is_some() && cell.text != new && !cell.text.is_empty())
        {
            document.edits.replace(&document.file, cell.range(), new);
        }
    };
    set(columns.plans, with_count(row.cell(columns.plans).text, counts.of_phase.0));
    let status = if counts.is_phase_done() { "Complete" } else { "In progress" };
    set(columns.status, Some(status.to_owned()));
    if counts.is_phase_done() {
        set(columns.completed, Some(date.to_owned()));
    }
}

/// The name in the directory of a phase: `02-more-work` is `more work`.
fn phase_name(plan: &GsdPlanPath) -> String {
    let name =
        plan.phase.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    one_line(&name.replace('-', " "))
}

fn update_gsd_state(
    progress: &PlanProgress<'_>,
    plan: &GsdPlanPath,
    counts: &GsdCounts,
    edits: &mut PlanEdits,
) {
    let file = format!("{}STATE.md", plan.root);
    let Some(text) = progress.text_if_any(&file) else { return };
    let (done, total) = counts.of_all;
    let (task, date) = (progress.task, progress.task.date());
    let mut document = EditedDocument { file, text, edits };
    let (number, name) = (plan.number.as_ref().map(|number| &number.phase), phase_name(plan));
    document.set_state("Phase", |old| {
        let named = phase_number(old)?;
        let is_other = number.is_some_and(|number| *number != named.0);
        let own = number.filter(|_| is_other)?.iter().map(u64::to_string).collect::<Vec<_>>();
        let (rest, old_name) = old[named.1..].split_once(" (").unwrap_or((&old[named.1..], ""));
        // What follows the name is not the tool's.
        let note = old_name.split_once(')').map_or("", |(_, note)| note);
        Some(format!("{}{rest} ({name}){note}", own.join(".")))
    });
    let (of_phase, in_phase) = counts.of_phase;
    document.set_state("Plan", |old| with_position(old, of_phase, in_phase));
    let status = if counts.is_phase_done() { "Phase complete" } else { "In progress" };
    document.set_state("Status", |_| Some(status.to_owned()));
    let activity = format!("{date} - Completed {}", one_line(&task.id));
    document.set_state("Last activity", |_| Some(activity.clone()));
    document.set_state("Progress", |old| with_bar(old, done, total));
    let number = |old: &str| old.parse::<usize>().is_ok().then(|| done.to_string());
    document.set_state("Total plans completed", number);
    document.set_key("completed_plans", &done.to_string());
    document.set_key("total_plans", &total.to_string());
    document.set_key("percent", &percent(done, total).to_string());
    document.set_key("last_updated", &format!("\"{}\"", task.moment()));
    document.set_key("last_activity", &date);
}

/// long-run: the summary, tasks.md, STATE.md, ISSUES.md.
pub(super) fn finish_long_run(
    progress: &PlanProgress<'_>,
    edits: &mut PlanEdits,
) -> Result<TaskMark, WritebackProblem> {
    let file = &*progress.place().file;
    if !progress.tasks_of(file).all(|id| progress.is_finished(id)) {
        return Ok(TaskMark::Later);
    }
    let plan = long_run::plan_path(file).ok_or(WritebackProblem::NotUnderstood)?;
    let document = PlanDocument::read(file, progress.text(file)?);
    write_long_run_summary(progress, &plan, &document, edits)?;
    if let Some(spec) = plan.home.strip_suffix(".long-run/") {
        let file = format!("{spec}tasks.md");
        if let Some(text) = progress.text_if_any(&file) {
            let wanted: BTreeSet<&str> =
                document.fields.source_tasks.iter().map(|task| task.text.as_str()).collect();
            let is_source = |text: &str| {
                let number = text.split_whitespace().next().unwrap_or_default();
                wanted.contains(number.trim_end_matches(['.', ':']))
            };
            let boxes = check_boxes(&text).into_iter();
            for found in boxes.filter(|found| !found.ticked && is_source(found.text)) {
                edits.replace(&file, found.mark, "x");
            }
        }
    }
    update_long_run_state(progress, plan.home, edits);
    log_issues(progress, &format!("{}ISSUES.md", plan.home), edits)?;
    Ok(TaskMark::WholeFile)
}

fn write_long_run_summary(
    progress: &PlanProgress<'_>,
    plan: &long_run::LongRunPlanPath<'_>,
    document: &PlanDocument,
    edits: &mut PlanEdits,
) -> Result<(), WritebackProblem> {
    let task = progress.task;
    let path = format!("{}summaries/{}-SUMMARY.md", plan.home, plan.id);
    let beside = plan.path.replace("-PLAN.md", "-SUMMARY.md");
    for old in [&path, &beside] {
        if let Some(text) = progress.old_text(old)? {
            let mut summary = EditedDocument { file: old.clone(), text, edits };
            summary.set_key("status", "completed");
            return Ok(());
        }
    }
    let group = document.fields.task_group.clone().unwrap_or_else(|| task.title.clone());
    let group = serde_json::Value::from(one_line(&group)).to_string();
    let (id, moment) = (plan.id, task.moment());
    let mut out = format!(
        "---\nversion: 1\nplan: \"{id}\"\ntask_group: {group}\nexecuted_by_agent: \"{} {}.{}\"\nstatus: completed\ncompleted_at: \"{moment}\"\n---\n\n",
        task.run, task.id, task.attempt
    );
    let title = one_line(&task.title);
    let _ = write!(out, "# Summary of plan {id}: {title}\n\n");
    if let Some(summary) = task.summary() {
        let _ = write!(out, "{summary}\n\n");
    }
    out.push_str("## Tasks Completed\n\n");
    for (at, item) in document.items.iter().enumerate() {
        let _ = writeln!(out, "- [x] Task {}: {}", at + 1, one_line(&item.name));
    }
    let _ = write!(out, "\n## Files Modified\n\n{}\n", list_files(task));
    let _ = write!(out, "## Verification Results\n\n{}\n", list_checks(task));
    let _ = write!(out, "## Deviations\n\n{}", list_deviations(task));
    progress.add_file(&path, out, edits)
}

fn update_long_run_state(progress: &PlanProgress<'_>, home: &str, edits: &mut PlanEdits) {
    let file = format!("{home}STATE.md");
    let Some(text) = progress.text_if_any(&file) else { return };
    let own = &*progress.place().file;
    let open = progress.open_files();
    let mut next = open
        .iter()
        .filter(|path| **path != own)
        .filter_map(|path| long_run::plan_path(path).map(|plan| plan.id.to_owned()));
    let all = progress.all_files();
    let total = all.len();
    let done = all.iter().filter(|path| **path == own || !open.contains(**path)).count();
    let next = next.next().unwrap_or_else(|| "none".to_owned());
    let mut document = EditedDocument { file, text, edits };
    document.set_state("Current plan", |_| Some(next.clone()));
    document.set_state("Plans completed", |old| {
        with_count(old, done)
            .or_else(|| old.parse::<usize>().ok().map(|_| format!("{done}/{total}")))
    });
    document.set_state("Progress", |old| with_bar(old, done, total));
}

/// Improvements that a worker noticed and left alone (rule 5).
fn log_issues(
    progress: &PlanProgress<'_>,
    file: &str,
    edits: &mut PlanEdits,
) -> Result<(), WritebackProblem> {
    let mut deferred = progress.task.claim.deviations.iter().filter(|one| one.rule == 5).peekable();
    if deferred.peek().is_none() {
        return Ok(());
    }
    let old = progress.old_text(file)?;
    let known = old.as_deref().unwrap_or_default();
    let mut number = highest_issue(known);
    let mut added = String::new();
    for deviation in deferred {
        number = number.saturating_add(1);
        let what = one_line(&deviation.description);
        let _ = writeln!(
            added,
            "- **ISS-{number:03}** ({}, {}): {what} - status: open",
            progress.task.date(),
            progress.task.id
        );
    }
    match old {
        Some(text) => {
            let gap = if text.trim_end().lines().next_back().is_some_and(|it| it.starts_with("- "))
                && text.ends_with('\n')
            {
                ""
            } else {
                gap_after(&text)
            };
            edits.replace(file, text.len()..text.len(), format!("{gap}{added}"));
            Ok(())
        }
        None => progress.add_file(file, format!("# Issues\n\n{added}"), edits),
    }
}

/// The highest number of the issues that a text names.
fn highest_issue(text: &str) -> u32 {
    let numbers = text.match_indices("ISS-").filter_map(|(at, mark)| {
        let rest = &text[at + mark.len()..];
        rest[..rest.bytes().take_while(u8::is_ascii_digit).count()].parse().ok()
    });
    numbers.max().unwrap_or(0)
}

/// GSD 2: the box of the task, its summary, and the box of the slice after its last task.
pub(super) fn finish_slice_task(
    progress: &PlanProgress<'_>,
    edits: &mut PlanEdits,
) -> Result<TaskMark, WritebackProblem> {
    boxes::tick_task(progress, edits)?;
    let file = &*progress.place().file;
    let text = progress.text(file)?;
    let own =
        text[progress.place().range.start..].split([':', ' ', '*']).next().unwrap_or_default();
    let (slice_directory, _) = file.rsplit_once('/').unwrap_or(("", file));
    let task = progress.task;
    let summary = format!("{slice_directory}/tasks/{own}-SUMMARY.md");
    let is_planned = progress.folder.holds(&format!("{slice_directory}/tasks/{own}-PLAN.md"));
    if let Some(old) = progress.old_text(&summary)? {
        // A summary that says that work is left is corrected, not replaced.
        let mut old = EditedDocument { file: summary, text: old, edits };
        old.set_key("verification_result", "passed");
        old.set_key("blocker_discovered", "false");
    } else if is_planned {
        let title = one_line(&task.title);
        let what = task.summary().unwrap_or_else(|| title.clone());
        let mut files = task.created.clone();
        files.extend(task.modified.iter().cloned());
        let mut parts = slice_directory.rsplit('/');
        let (slice, milestone) =
            (parts.next().unwrap_or_default(), parts.nth(1).unwrap_or_default());
        progress.add_file(&summary, format!(
            "---\nid: {own}\nparent: {slice}\nmilestone: {milestone}\nkey_files: {}\nverification_result: passed\ncompleted_at: {}\nblocker_discovered: false\n---\n\n# {own}: {title}\n\n{what}\n\n## Verification\n\n{}",
            yaml_list(&files), task.moment(), list_checks(task)
        ), edits)?;
    }
    if progress.tasks_of(file).all(|id| progress.is_finished(id)) {
        tick_slice(progress, slice_directory, edits);
    }
    Ok(TaskMark::Task)
}

fn tick_slice(progress: &PlanProgress<'_>, slice_directory: &str, edits: &mut PlanEdits) {
    let Some((milestone_directory, slice)) = slice_directory.rsplit_once("/slices/") else {
        return;
    };
    let milestone = milestone_directory.rsplit('/').next().unwrap_or_default();
    let roadmap = format!("{milestone_directory}/{milestone}-ROADMAP.md");
    let Some(text) = progress.text_if_any(&roadmap) else { return };
    for found in check_boxes(&text).into_iter().filter(|found| !found.ticked) {
        let bare = found.text.trim_start_matches('*');
        if bare.strip_prefix(slice).is_some_and(|rest| rest.starts_with([':', ' ', '*'])) {
            edits.replace(&roadmap, found.mark, "x");
        }
    }
}
