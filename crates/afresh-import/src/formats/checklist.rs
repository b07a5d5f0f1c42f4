//! Plain checklists: TODO.md, PLAN.md, `fix_plan.md`, `IMPLEMENTATION_PLAN.md`, or any Markdown file with
//! check boxes that the user names (FO-10).
//!
//! A task is an outermost box that is not a criterion; boxes below it are steps. Headings with a
//! priority order the list, then the file does. Without boxes there are no tasks: prose is not guessed
//! at.

use crate::box_lists::boxes::{BoxList, ListBox, is_about_criteria, speaks_of};
use crate::box_lists::tasks::{self, is_deferred, report_optional, warn};
use crate::detect::{PlanFormat, ReadOptions};
use crate::draft::status::{self, ImportedTask, TaskStanding};
use crate::draft::unfinished::{PlanCandidate, choose_unfinished};
use crate::draft::{DraftPlan, DraftTask};
use crate::prose::{WorkerBrief, unticked, warn_about_outside};
use afresh_formats::findings::Finding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::{PlanReading, SourceSpan};
use afresh_formats::text::limits::too_many_tasks;
use afresh_formats::text::markdown::Heading;

pub const FORMAT: PlanFormat = PlanFormat { name: "checklist", is_present, read };

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

const EXPECTED: &str = "expected lines `- [ ] …` outside of code blocks";

const OPTIONAL: &[&str] = &["optional", "future", "nice to have", "nice-to-have", "stretch"];
const FINISHED: &[&str] = &["completed", "done", "finished"];

fn is_present(folder: &dyn PlanFolder) -> bool {
    found(folder).next().is_some()
}

/// The checklists with boxes.
fn found(folder: &dyn PlanFolder) -> impl Iterator<Item = &String> {
    named_files(folder).filter(|path| {
        let text = folder.text(path).and_then(Result::ok).unwrap_or_default();
        !BoxList::read(&text).boxes.is_empty()
    })
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
    let mut drafted = DraftPlan { name: name(&list, file), ..DraftPlan::default() };
    tasks::report_code(&mut drafted, file, list.in_code.as_ref());
    let mut reader = ChecklistReader { file, text: &text, list: &list, drafted };
    let mut rows = reader.rows();
    if let Some(finding) = too_many_tasks(file, rows.len()) {
        return PlanReading::failed(finding);
    }
    let ChecklistReader { mut drafted, .. } = reader;
    if rows.is_empty() {
        let message = "no check box that is a task: nothing to do";
        let finding = Finding::for_file(file, "empty-plan", message);
        drafted.findings.push(finding.with_hint(EXPECTED));
        return drafted.finish(folder);
    }
    rows.sort_by_key(|row| row.rank);
    let mut before: Option<(String, SourceSpan)> = None;
    let imported = rows.into_iter().map(|row| {
        let needs = before.take().into_iter().collect();
        before = Some((row.task.draft.id.clone(), row.task.places.whole.clone()));
        ImportedTask { task: row.task, needs, standing: row.standing }
    });
    let imported = imported.collect();
    status::finish(folder, drafted, imported, (file, EXPECTED))
}

/// A task of a checklist.
struct ChecklistRow {
    /// By the priority of its heading.
    rank: usize,
    task: DraftTask,
    standing: TaskStanding,
}

struct ChecklistReader<'x> {
    file: &'x str,
    text: &'x str,
    list: &'x BoxList<'x>,
    drafted: DraftPlan,
}

impl ChecklistReader<'_> {
    /// The outermost boxes that are tasks.
    fn rows(&mut self) -> Vec<ChecklistRow> {
        let mut rows = Vec::new();
        let (mut optional, mut criteria) = (Vec::new(), Vec::new());
        let mut at = 0;
        let count = self.list.boxes.len();
        while at < count {
            let one = &self.list.boxes[at];
            let steps = self.list.nested(at);
            let headings = self.list.headings_of(one);
            at += 1 + steps.len();
            // Of the headings above the sections, the title of the document says nothing.
            let sections: Vec<&&Heading<'_>> =
                headings.iter().filter(|heading| heading.level > 1).collect();
            let below = |words: &[&str]| {
                sections.iter().any(|heading| speaks_of(&heading.text.to_lowercase(), words))
            };
            if sections.iter().any(|heading| is_about_criteria(heading.text)) {
                criteria.extend((!one.is_done).then(|| one.text.range()));
                continue;
            }
            let mut task = tasks::task(self.file, self.text, one, steps);
            if one.is_optional || (below(OPTIONAL) && !one.is_done) {
                optional.push((task.draft.id.clone(), task.places.whole.clone()));
                continue;
            }
            task.draft.instructions = self.instructions(one, &headings);
            let standing = self.standing(one, below(FINISHED));
            if standing == TaskStanding::Open {
                warn_about_outside(&mut self.drafted, self.file, &one.whole(self.text));
            }
            let rank = sections.iter().find_map(|heading| rank(heading.text)).unwrap_or(usize::MAX);
            rows.push(ChecklistRow { rank, task, standing });
        }
        report_optional(&mut self.drafted, &optional);
        tasks::report_other_boxes(&mut self.drafted, self.file, &criteria);
        rows
    }

    fn instructions(&self, one: &ListBox<'_>, headings: &[&Heading<'_>]) -> String {
        let mut brief = WorkerBrief::for_one_of(self.list.boxes.len());
        brief.paragraph(&unticked(one.whole(self.text).text));
        let around: Vec<&str> = headings.iter().rev().map(|heading| heading.text).collect();
        if !around.is_empty() {
            brief.paragraph(&format!("Section: {}", around.join(" / ")));
        }
        let end = self.list.headings.iter().find(|heading| heading.level > 1);
        let first = self.list.boxes.first().map_or(self.text.len(), |first| first.text.start);
        let intro = &self.text[..end.map_or(first, |heading| heading.at.start).min(first)];
        let intro = intro.trim_end_matches(['#', '-', '*', ' ', '[', ']', '\n']);
        brief.part("About the list", intro, self.file);
        brief.finish()
    }

    fn standing(&mut self, one: &ListBox<'_>, among_finished: bool) -> TaskStanding {
        if one.is_done {
            return TaskStanding::Done(format!("checked in {}", self.file));
        }
        let span = SourceSpan::new(self.file, one.text.range());
        if is_deferred(one.text.text) {
            let message = "this box is open, and struck out or called deferred".to_owned();
            let hint = "a person is asked about it; check the box or remove it";
            warn(&mut self.drafted, &span, "unclear-box", message, hint);
            return TaskStanding::Deferred;
        }
        if among_finished {
            let message = "this box is open, but its section is about finished work".to_owned();
            let hint = "it is run; check the box if it is done";
            warn(&mut self.drafted, &span, "unclear-box", message, hint);
        }
        TaskStanding::Open
    }
}

/// The rank of a heading with a priority: `High Priority`, `P1`.
fn rank(heading: &str) -> Option<usize> {
    let lower = heading.to_lowercase();
    let first = lower.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty())?;
    let named = [
        ("critical", 0),
        ("urgent", 0),
        ("p0", 0),
        ("high", 1),
        ("p1", 1),
        ("medium", 2),
        ("normal", 2),
        ("p2", 2),
        ("low", 3),
        ("p3", 3),
    ];
    let whole = lower.contains("priority") || lower.split_whitespace().count() == 1;
    named.iter().find(|(word, _)| *word == first && whole).map(|(_, rank)| *rank)
}

fn name(list: &BoxList<'_>, file: &str) -> String {
    let first = list.headings.iter().find(|heading| heading.level == 1);
    let stem = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".md");
    first.map_or(stem, |heading| heading.text).to_owned()
}
