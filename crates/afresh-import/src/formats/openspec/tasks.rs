//! The boxes of a change as tasks.

use super::changes::OpenSpecChange;
use crate::box_lists::boxes::{BoxList, ListBox};
use crate::box_lists::tasks::{self, is_deferred, warn};
use crate::draft::DraftPlan;
use crate::draft::status::{self, ImportedTask, TaskStanding};
use crate::prose::{WorkerBrief, unticked, warn_about_outside};
use afresh_formats::findings::Finding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::{PlanReading, SourceSpan};
use afresh_formats::text::limits::too_many_tasks;
use afresh_formats::text::markdown::headings;

const EXPECTED: &str = "expected boxes `- [ ] 1.1 …` below headings `## 1. …`";

pub(super) fn read(folder: &dyn PlanFolder, change: &OpenSpecChange) -> PlanReading {
    let file = change.tasks.as_str();
    let text = match folder.text(file) {
        Some(Ok(text)) => text,
        Some(Err(finding)) => return PlanReading::failed(finding.with_hint(EXPECTED)),
        None => return PlanReading::default(),
    };
    let mut drafted = DraftPlan { name: name(&text, change), ..DraftPlan::default() };
    let proposal = change.directory.file("proposal.md");
    drafted.spec = folder.holds(&proposal).then_some(proposal);
    let list = BoxList::read(&text);
    tasks::report_code(&mut drafted, file, list.in_code.as_ref());
    let outer: Vec<usize> = outermost(&list);
    if let Some(finding) = too_many_tasks(file, outer.len()) {
        return PlanReading::failed(finding);
    }
    let documents = ChangeDocuments::read(folder, &mut drafted, change);
    let mut found: Vec<ImportedTask> = Vec::new();
    let mut before: Option<(String, SourceSpan)> = None;
    for at in &outer {
        let one = &list.boxes[*at];
        let mut task = tasks::task(file, &text, one, list.nested(*at));
        task.draft.files.retain(|known| !known.path.starts_with("openspec/"));
        let mut brief = WorkerBrief::for_one_of(outer.len());
        brief.paragraph(&unticked(one.whole(&text).text));
        if let Some(group) = list.headings_of(one).first().filter(|group| group.level > 1) {
            brief.paragraph(&format!("Group: {}", group.text));
        }
        documents.add_to(&mut brief);
        task.draft.instructions = brief.finish();
        let needs = before.take().into_iter().collect();
        before = Some((task.draft.id.clone(), task.places.whole.clone()));
        let standing = standing(&mut drafted, file, one);
        if standing == TaskStanding::Open {
            warn_about_outside(&mut drafted, file, &one.whole(&text));
        }
        found.push(ImportedTask { task, needs, standing });
    }
    if found.is_empty() {
        let message = "no check box outside of code: nothing to do";
        let finding = Finding::for_file(file, "empty-plan", message);
        return PlanReading::failed(finding.with_hint(EXPECTED));
    }
    status::finish(folder, drafted, found, (file, EXPECTED))
}

/// The boxes that are not below another one.
fn outermost(list: &BoxList<'_>) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < list.boxes.len() {
        found.push(at);
        at += 1 + list.nested(at).len();
    }
    found
}

fn standing(drafted: &mut DraftPlan, file: &str, one: &ListBox<'_>) -> TaskStanding {
    if one.is_done {
        return TaskStanding::Done(format!("checked in {file}"));
    }
    if !is_deferred(one.text.text) {
        return TaskStanding::Open;
    }
    let message = "this box is open, and struck out or called deferred".to_owned();
    let hint = "a person is asked about it; check the box or remove it";
    warn(drafted, &SourceSpan::new(file, one.text.range()), "unclear-box", message, hint);
    TaskStanding::Deferred
}

fn name(text: &str, change: &OpenSpecChange) -> String {
    let first = headings(text).into_iter().find(|heading| heading.level == 1);
    let title = first.map(|heading| heading.text.trim_start_matches("Tasks:").trim());
    let generic = ["tasks", "implementation tasks", ""];
    let title = title.filter(|title| !generic.contains(&title.to_lowercase().as_str()));
    let directory = change.directory.name();
    title.unwrap_or(if directory.is_empty() { "OpenSpec" } else { directory }).to_owned()
}

/// The documents of a change that every worker gets.
struct ChangeDocuments(Vec<(String, String, String)>);

impl ChangeDocuments {
    fn read(folder: &dyn PlanFolder, drafted: &mut DraftPlan, change: &OpenSpecChange) -> Self {
        let mut found = Vec::new();
        let mut add = |heading: String, path: &str| {
            if let Some(text) = drafted.read_additional(folder, path, "workers do not get it") {
                found.push((heading, text, path.to_owned()));
            }
        };
        add("Proposal".to_owned(), &change.directory.file("proposal.md"));
        add("Design".to_owned(), &change.directory.file("design.md"));
        let front = change.directory.file("specs/");
        for path in folder.starting_with(&front).iter().filter(|path| path.ends_with("/spec.md")) {
            let capability = path[front.len()..].trim_end_matches("/spec.md");
            add(format!("Changes to the specification of {capability}"), path);
        }
        Self(found)
    }

    fn add_to(&self, brief: &mut WorkerBrief) {
        for (heading, text, file) in &self.0 {
            brief.part(heading, text, file);
        }
    }
}
