//! Plain checklists: TODO.md, PLAN.md, `fix_plan.md`, `IMPLEMENTATION_PLAN.md`, or any Markdown file with
//! check boxes that the user names (FO-10).
//!
//! A task is an outermost box that is not a criterion, or a heading or list item with a label of a task;
//! boxes below it are steps. Headings with a priority order the list, then the file does. Without boxes
//! and labels there are no tasks: prose is not guessed at.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `label` | labels of tasks: `Task 3`, `T001`, `1.2` |
//! | `order` | which task waits for which |
//! | `outline` | which boxes, headings and list items are tasks |
//! | `section` | the files, checks and steps of a task that is a heading or a list item |
//! | `stated_needs` | lines that say what a task waits for |
//! | `surroundings` | what the headings around a task say about it |
//! | `trace` | requirements and criteria that the same file states |

mod label;
mod order;
mod outline;
mod section;
mod stated_needs;
mod surroundings;
mod trace;

use std::collections::BTreeSet;
use std::ops::Range;

use crate::box_lists::boxes::{BoxList, ListBox};
use crate::box_lists::tasks::{self, is_deferred, report_optional, warn};
use crate::detect::{PlanFormat, ReadOptions};
use crate::draft::status::{self, TaskStanding};
use crate::draft::unfinished::{PlanCandidate, choose_unfinished};
use crate::draft::{DraftPlan, DraftTask};
use crate::plan_md::parse::remarks::PlanRemarks;
use crate::prose::{WorkerBrief, unticked, warn_about_outside};
use afresh_formats::findings::{Finding, SourceText};
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::{PlanReading, SourceSpan};
use afresh_formats::text::limits::too_many_tasks;
use afresh_formats::text::markdown::{FenceTracker, Heading, LineKind, lines, lines_from};
use label::LabelKind;
use outline::{ChecklistOutline, TitledTask};
use section::TaskSection;
use stated_needs::StatedNeeds;
use surroundings::Surroundings;

pub const FORMAT: PlanFormat =
    PlanFormat { name: "checklist", is_present, read, requirements: trace::add };

/// Names of checklists, in lowercase.
const NAMES: &[&str] = &[
    "plan.md",
    "todo.md",
    "todos.md",
    "tasks.md",
    "fix_plan.md",
    "@fix_plan.md",
    "implementation_plan.md",
    "implementation-plan.md",
    "checklist.md",
];
/// The directories that they are in, below the project's root.
const PLACES: &[&str] = &["", ".ralph", "ralph", ".agent", "scripts/ralph"];

/// Directories of plans with one heading per task, of any name.
const PLAN_PLACES: &[&str] = &["docs/plans", "docs/superpowers/plans"];

const EXPECTED: &str =
    "expected lines `- [ ] …` or headings `### Task 1: …`, outside of code blocks";

const OPTIONAL: &[&str] = &["optional", "future", "nice to have", "nice-to-have", "stretch"];
const FINISHED: &[&str] = &["completed", "done", "finished"];

fn is_present(folder: &dyn PlanFolder) -> bool {
    found(folder).next().is_some()
}

/// The checklists with tasks; without one, the plans below `docs`.
fn found(folder: &dyn PlanFolder) -> impl Iterator<Item = &String> {
    let holds_tasks = |path: &&String| {
        let text = folder.text(path).and_then(Result::ok).unwrap_or_default();
        has_tasks(&text)
    };
    let mut found: Vec<&String> = named_files(folder).filter(holds_tasks).collect();
    if found.is_empty() {
        let plans = folder.paths().iter().filter(|path| is_in_plan_place(path));
        found.extend(plans.filter(|path| {
            let text = folder.text(path).and_then(Result::ok).unwrap_or_default();
            !ChecklistOutline::read(&text, &BoxList::read(&text)).titled.is_empty()
        }));
    }
    found.into_iter()
}

/// Whether a text has boxes, or headings that are tasks.
pub(crate) fn has_tasks(text: &str) -> bool {
    let list = BoxList::read(text);
    !list.boxes.is_empty() || !ChecklistOutline::read(text, &list).titled.is_empty()
}

fn is_in_plan_place(path: &str) -> bool {
    path.strip_suffix(".md").is_some()
        && path.rsplit_once('/').is_some_and(|(directory, _)| PLAN_PLACES.contains(&directory))
}

fn named_files(folder: &dyn PlanFolder) -> impl Iterator<Item = &String> {
    let named = |path: &&String| {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path.as_str()));
        PLACES.contains(&directory) && NAMES.contains(&name.to_lowercase().as_str())
    };
    folder.paths().iter().filter(named)
}

fn read(folder: &dyn PlanFolder, options: &ReadOptions) -> PlanReading {
    if let Some(file) = options.named_file() {
        return read_file(folder, file);
    }
    let all: Vec<&String> = found(folder).filter(|path| options.includes(path)).collect();
    // A file with the right name says what is wrong with it.
    let all = if all.is_empty() { named_files(folder).take(1).collect() } else { all };
    let candidates = all.into_iter().map(|path| {
        let reading = read_file(folder, path);
        PlanCandidate { path: path.clone(), reading }
    });
    choose_unfinished(folder, candidates.collect()).unwrap_or_else(|| {
        let finding = Finding::for_file(".", "empty-plan", "no checklist here: nothing to do");
        PlanReading::failed(finding.with_hint(EXPECTED))
    })
}

fn read_file(folder: &dyn PlanFolder, file: &str) -> PlanReading {
    let text = match folder.text(file) {
        Some(Ok(text)) => text,
        Some(Err(finding)) => return PlanReading::failed(finding.with_hint(EXPECTED)),
        None => {
            let finding = Finding::for_file(file, "unreadable", "the file does not exist");
            return PlanReading::failed(finding.with_hint(EXPECTED));
        }
    };
    let list = BoxList::read(&text);
    let outline = ChecklistOutline::read(&text, &list);
    let mut drafted = DraftPlan { name: name(&list, file), ..DraftPlan::default() };
    tasks::report_code(&mut drafted, file, list.in_code.as_ref());
    report_headings_in_code(&mut drafted, file, &text, &outline);
    let source = SourceText::new(file, &text);
    let mut reader =
        ChecklistReader { file, text: &text, source, list: &list, outline: &outline, drafted };
    let mut rows = reader.rows();
    if let Some(finding) = too_many_tasks(file, rows.len()) {
        return PlanReading::failed(finding);
    }
    let ChecklistReader { mut drafted, .. } = reader;
    if rows.is_empty() {
        let message = "no check box or heading that is a task: nothing to do";
        let finding = Finding::for_file(file, "empty-plan", message);
        drafted.findings.push(finding.with_hint(EXPECTED));
        return drafted.finish(folder);
    }
    rows.sort_by_key(|row| (row.rank, row.at));
    let imported = order::link_rows(file, &mut drafted, rows);
    status::finish(folder, drafted, imported, (file, EXPECTED))
}

/// A task of a checklist.
struct ChecklistRow {
    /// By the priority of its heading.
    rank: usize,
    /// Where it starts.
    at: usize,
    task: DraftTask,
    standing: TaskStanding,
    /// What it says about its dependencies.
    needs: Option<StatedNeeds>,
}

struct ChecklistReader<'x> {
    file: &'x str,
    text: &'x str,
    source: SourceText<'x>,
    list: &'x BoxList<'x>,
    outline: &'x ChecklistOutline<'x>,
    drafted: DraftPlan,
}

impl ChecklistReader<'_> {
    fn rows(&mut self) -> Vec<ChecklistRow> {
        let (mut optional, mut criteria) = (Vec::new(), Vec::new());
        let mut rows = self.box_rows(&mut optional, &mut criteria);
        let outline = self.outline;
        for one in &outline.titled {
            rows.extend(self.titled_row(one, &mut optional));
        }
        report_optional(&mut self.drafted, &optional);
        tasks::report_other_boxes(&mut self.drafted, self.file, &criteria);
        rows
    }

    /// The outermost boxes that are tasks.
    fn box_rows(
        &mut self,
        optional: &mut Vec<(String, SourceSpan)>,
        criteria: &mut Vec<Range<usize>>,
    ) -> Vec<ChecklistRow> {
        let mut rows = Vec::new();
        let mut at = 0;
        while at < self.list.boxes.len() {
            if self.outline.covered.contains(&at) {
                at += 1;
                continue;
            }
            let (one, index) = (&self.list.boxes[at], at);
            let steps = self.list.nested(at);
            let headings = self.list.headings_of(one);
            at += 1 + steps.len();
            let sections = Surroundings::of(&headings);
            if sections.are_criteria() {
                criteria.extend((!one.is_done).then(|| one.text.range()));
                continue;
            }
            let mut task = tasks::task(self.file, self.text, one, steps);
            if one.is_optional || (sections.speak_of(OPTIONAL) && !one.is_done) {
                optional.push((task.draft.id.clone(), task.places.whole.clone()));
                continue;
            }
            let mut brief = self.brief(&unticked(one.whole(self.text).text), &headings);
            let parents = self.outline.parents.get(&index).into_iter().flatten();
            brief.list("It is part of", parents.copied(), self.file);
            if let Some(heading) = self.outline.details.get(&index) {
                brief.part(heading.text, &self.text[heading.body.clone()], self.file);
            }
            task.draft.instructions = self.finish(brief);
            let standing = self.standing(one, sections.speak_of(FINISHED));
            if standing == TaskStanding::Open {
                warn_about_outside(&mut self.drafted, self.file, &one.whole(self.text));
            }
            let needs = box_needs(self.text, one);
            let (rank, at) = (sections.rank(), one.text.start);
            rows.push(ChecklistRow { rank, at, task, standing, needs });
        }
        rows
    }

    /// A heading or list item that is a task.
    fn titled_row(
        &mut self,
        one: &TitledTask<'_>,
        optional: &mut Vec<(String, SourceSpan)>,
    ) -> Option<ChecklistRow> {
        let headings: Vec<&Heading<'_>> =
            one.around.iter().map(|at| &self.list.headings[*at]).collect();
        let sections = Surroundings::of(&headings);
        let mut remarks = PlanRemarks::default();
        let TaskSection { mut task, text, is_done, needs } =
            section::read(self.file, self.text, self.list, one, &mut remarks);
        let standing = self.titled_standing(one, is_done, sections.speak_of(FINISHED));
        let is_optional = one.line.text.to_lowercase().contains("(optional)");
        let is_open = !matches!(standing, TaskStanding::Done(_));
        if is_open && (is_optional || sections.speak_of(OPTIONAL)) {
            optional.push((task.draft.id.clone(), task.places.whole.clone()));
            return None;
        }
        if is_open {
            let findings = remarks.render(&self.source);
            task.block_for(&findings);
            self.drafted.contain(findings);
        }
        let brief = self.brief(&format!("{}\n\n{text}", one.line.text), &headings);
        task.draft.instructions = self.finish(brief);
        let (rank, at) = (sections.rank(), one.line.start);
        Some(ChecklistRow { rank, at, task, standing, needs })
    }

    fn brief(&self, own: &str, headings: &[&Heading<'_>]) -> WorkerBrief {
        let count = self.list.boxes.len() + self.outline.titled.len();
        let mut brief = WorkerBrief::for_one_of(count);
        brief.paragraph(own);
        let around: Vec<&str> = headings.iter().rev().map(|heading| heading.text).collect();
        if !around.is_empty() {
            brief.paragraph(&format!("Section: {}", around.join(" / ")));
        }
        if let Some(section) = headings.first().filter(|h| h.own.start >= self.outline.intro_end) {
            let boxes = self.list.boxes.partition_point(|one| one.text.start < section.own.start);
            let first =
                self.list.boxes.get(boxes).map_or(section.own.end, |one| one.line_start(self.text));
            let lead = section.own.start..first.clamp(section.own.start, section.own.end);
            brief.part("About the section", &self.text[lead], self.file);
        }
        brief
    }

    /// Adds what the document says before its first task.
    fn finish(&self, mut brief: WorkerBrief) -> String {
        brief.part("About the list", &self.text[..self.outline.intro_end], self.file);
        brief.finish()
    }

    fn titled_standing(
        &mut self,
        one: &TitledTask<'_>,
        states_done: bool,
        among_finished: bool,
    ) -> TaskStanding {
        let boxes = &self.list.boxes[one.boxes.clone()];
        let (all, checked) = (boxes.len(), boxes.iter().filter(|one| one.is_done).count());
        let span = SourceSpan::new(self.file, one.line.range());
        let has_mark = one.marks.iter().any(|at| self.list.boxes[*at].is_done);
        if states_done || has_mark || label::is_marked_done(one.line.text) {
            if checked < all {
                let message = format!(
                    "{} is called done, but {} of its boxes are open",
                    one.id,
                    all - checked
                );
                let hint = "it counts as done; remove the mark to have it done";
                warn(&mut self.drafted, &span, "unclear-box", message, hint);
            }
            return TaskStanding::Done(format!("called done in {}", self.file));
        }
        if all > 0 && checked == all {
            return TaskStanding::Done(format!("all its boxes are checked in {}", self.file));
        }
        if is_deferred(one.line.text) {
            return self.deferred(&span);
        }
        if checked > 0 {
            let message = format!(
                "{checked} of {all} boxes of {} are checked; it is done again as a whole",
                one.id
            );
            let hint = "check all of them if it is done";
            warn(&mut self.drafted, &span, "partly-done", message, hint);
        } else if among_finished {
            self.warn_among_finished(&span);
        }
        TaskStanding::Open
    }

    fn deferred(&mut self, span: &SourceSpan) -> TaskStanding {
        let message = "this task is open, and struck out or called deferred".to_owned();
        let hint = "a person is asked about it if a task needs it; mark it as done or remove it";
        warn(&mut self.drafted, span, "unclear-box", message, hint);
        TaskStanding::Deferred
    }

    fn warn_among_finished(&mut self, span: &SourceSpan) {
        let message = "this task is open, but its section is about finished work".to_owned();
        let hint = "it is run; mark it as done if it is";
        warn(&mut self.drafted, span, "unclear-box", message, hint);
    }

    fn standing(&mut self, one: &ListBox<'_>, among_finished: bool) -> TaskStanding {
        if one.is_done {
            return TaskStanding::Done(format!("checked in {}", self.file));
        }
        let span = SourceSpan::new(self.file, one.text.range());
        if is_deferred(one.text.text) {
            return self.deferred(&span);
        }
        if among_finished {
            self.warn_among_finished(&span);
        }
        TaskStanding::Open
    }
}

/// What a box, or a line below it, says about dependencies.
fn box_needs(text: &str, one: &ListBox<'_>) -> Option<StatedNeeds> {
    let below = lines_from(&text[one.below.clone()], one.below.start);
    StatedNeeds::read(below).or_else(|| StatedNeeds::read_title(&one.text))
}

/// Reports the first heading of a task in a code block, unless the document has that task.
fn report_headings_in_code(
    drafted: &mut DraftPlan,
    file: &str,
    text: &str,
    outline: &ChecklistOutline<'_>,
) {
    let known: BTreeSet<&str> = outline.titled.iter().map(|task| task.id.as_str()).collect();
    let mut fences = FenceTracker::within(text, 0..text.len());
    let code = lines(text).filter(|line| fences.kind(line) == LineKind::Code);
    let mut headings = code.filter(|line| line.text.starts_with("##"));
    let lost = headings.find(|line| {
        let label = label::find(line.text.trim_start_matches(['#', ' ']));
        label.is_some_and(|label| label.kind == LabelKind::Task && !known.contains(&*label.id))
    });
    if let Some(line) = lost {
        let message = "a heading of a task in a code block is an example and not run".to_owned();
        let hint =
            "move it out of the code block to run it; a fence inside another needs fewer backticks";
        warn(drafted, &SourceSpan::new(file, line.range()), "task-in-fence", message, hint);
    }
}

fn name(list: &BoxList<'_>, file: &str) -> String {
    let first = list.headings.iter().find(|heading| heading.level == 1);
    let stem = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".md");
    first.map_or(stem, |heading| heading.text).to_owned()
}
