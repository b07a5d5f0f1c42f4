//! The leaves of the outline as tasks.

use afresh_core::plan::{Checkpoint, CheckpointKind, PlanField};

use super::outline::{KiroOutline, KiroTask};
use super::requirements::{KiroRequirements, citations};
use super::{DOCUMENTS, graph, order};
use crate::box_lists::boxes::BoxList;
use crate::box_lists::tasks::{self, report_optional, warn};
use crate::draft::feature_dirs::FeatureDir;
use crate::draft::status::LeftOutTasks;
use crate::draft::{DraftPlan, DraftTask};
use crate::prose::{WorkerBrief, title, unticked, warn_about_outside};
use afresh_formats::findings::Finding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::{PlanReading, SourceSpan};
use afresh_formats::text::limits::too_many_tasks;
use afresh_formats::text::markdown::{Frontmatter, TextLine, lines_from};

const EXPECTED: &str = "expected boxes `- [ ] 1.1 …`";

pub(super) fn read(folder: &dyn PlanFolder, feature: &FeatureDir) -> PlanReading {
    let file = feature.file("tasks.md");
    let text = match folder.text(&file) {
        Some(Ok(text)) => text,
        Some(Err(finding)) => return PlanReading::failed(finding.with_hint(EXPECTED)),
        None => return PlanReading::default(),
    };
    let list = BoxList::read(&text);
    let outline = KiroOutline::read(&list);
    if let Some(finding) = too_many_tasks(&file, outline.tasks.len()) {
        return PlanReading::failed(finding);
    }
    if outline.tasks.is_empty() {
        let message = "no check box outside of code: nothing to do";
        let finding = Finding::for_file(&file, "empty-plan", message);
        return PlanReading::failed(finding.with_hint(EXPECTED));
    }
    let mut drafted = DraftPlan { name: name(&list, feature), ..DraftPlan::default() };
    drafted.spec = DOCUMENTS.iter().map(|name| feature.file(name)).find(|path| folder.holds(path));
    tasks::report_code(&mut drafted, &file, list.in_code.as_ref());
    tasks::report_other_boxes(&mut drafted, &file, &outline.no_tasks);
    let documents = SpecDocuments::read(folder, &mut drafted, feature);
    let mut reader = KiroReader { drafted, file: &file, text: &text, outline: &outline, documents };
    reader.add_tasks();
    reader.link();
    reader.report_parents();
    let mut drafted = reader.drafted;
    leave_out_optional(&mut drafted, &outline, &file);
    tasks::label(&mut drafted);
    drafted.finish(folder)
}

struct KiroReader<'x> {
    drafted: DraftPlan,
    file: &'x str,
    text: &'x str,
    outline: &'x KiroOutline<'x>,
    documents: SpecDocuments,
}

impl KiroReader<'_> {
    fn add_tasks(&mut self) {
        for one in &self.outline.tasks {
            let mut task = tasks::task(self.file, self.text, &one.list_box, &one.steps);
            task.draft.id.clone_from(&one.id);
            task.draft.title = title(&one.words);
            task.draft.instructions = self.brief(one);
            if one.list_box.is_done {
                task.draft.done_before = Some(format!("checked in {}", self.file));
            } else if one.is_checkpoint {
                make_checkpoint(&mut task);
            } else {
                let whole = one.list_box.whole(self.text);
                warn_about_outside(&mut self.drafted, self.file, &whole);
            }
            self.drafted.tasks.push(task);
        }
    }

    fn brief(&mut self, one: &KiroTask<'_>) -> String {
        let whole = one.list_box.whole(self.text);
        let mut brief = WorkerBrief::for_one_of(self.outline.tasks.len());
        brief.paragraph(&unticked(whole.text));
        for at in &one.parents {
            let parent = &self.outline.parents[*at];
            let notes = unticked(self.text[parent.notes.clone()].trim_end());
            brief.paragraph(&format!("Part of {}. {}\n{notes}", parent.id, parent.words));
        }
        let cited = self.cited(one, &whole);
        if cited.is_empty() {
            for (heading, text, file) in &self.documents.requirements {
                brief.part(heading, text, file);
            }
        } else {
            brief.part("Requirements", &cited.join("\n\n"), "requirements.md");
        }
        for (heading, text, file) in &self.documents.others {
            brief.part(heading, text, file);
        }
        brief.finish()
    }

    /// The texts of the requirements that a task cites; those that do not exist are reported.
    fn cited(&mut self, one: &KiroTask<'_>, whole: &TextLine<'_>) -> Vec<String> {
        let known = &self.documents.by_id;
        let (mut texts, mut unknown) = (Vec::new(), Vec::new());
        for cited in citations(whole) {
            match known.get(cited.id.text) {
                Some(text) => texts.push(format!("{}: {text}", cited.id.text)),
                None => unknown.push(cited.id),
            }
        }
        if !known.is_empty() && !one.list_box.is_done {
            for id in unknown {
                let message = format!("there is no requirement {}", id.text);
                let span = SourceSpan::new(self.file, id.range());
                let hint = "cite `N.M`: the Mth criterion of requirement N";
                warn(&mut self.drafted, &span, "unknown-requirement", message, hint);
            }
        }
        texts
    }

    fn link(&mut self) {
        let (graph, trouble) = graph::read(self.file, self.text);
        if let Some(at) = trouble {
            let message = "the dependency graph cannot be read; the order of the file is used";
            let span = SourceSpan::new(self.file, at);
            let hint = "expected {\"waves\": [{\"id\": 0, \"tasks\": [\"1.1\"]}]}";
            warn(&mut self.drafted, &span, "syntax", message.to_owned(), hint);
        }
        let order = order::read(self.outline, &graph);
        for name in &order.unknown {
            let shown: String = name.text.chars().take(40).collect();
            let message = format!("the dependency graph names {shown:?}, which does not exist");
            let span = SourceSpan::new(self.file, name.at.clone());
            let hint = "write the number of a task or wave";
            warn(&mut self.drafted, &span, "unresolved-dependency", message, hint);
        }
        if order.too_many {
            let finding = Finding::for_file(self.file, "too-large", "too many dependencies");
            self.drafted.findings.push(finding.with_hint("split the spec"));
        }
        let ids: Vec<String> = self.outline.tasks.iter().map(|task| task.id.clone()).collect();
        for (at, needs) in order.needs.into_iter().enumerate() {
            for (need, place) in needs {
                let item = self.drafted.tasks[at].draft.needs.len();
                if let Some(place) = place {
                    let span = SourceSpan::new(self.file, place);
                    self.drafted.tasks[at].note(None, PlanField::Needs, item, span);
                }
                self.drafted.tasks[at].draft.needs.push(ids[need].clone());
            }
        }
        self.add_stated_needs();
    }

    /// `_Depends: 1.1_`, `_Dependencies: 1.1_` in the notes of a task.
    fn add_stated_needs(&mut self) {
        for (at, one) in self.outline.tasks.iter().enumerate() {
            let below = one.list_box.below.clone();
            for line in lines_from(&self.text[below.clone()], below.start) {
                let bare = line.part(line.text.trim().trim_start_matches(['-', '*', ' ', '_']));
                let lower = bare.text.to_ascii_lowercase();
                let labels = ["depends:", "dependencies:", "depends on:", "blocked by:"];
                let Some(label) = labels.iter().find(|label| lower.starts_with(**label)) else {
                    continue;
                };
                let words = bare.text[label.len()..].split(|c: char| c.is_whitespace() || c == ',');
                for word in words.map(|word| bare.part(word.trim_matches(['_', '*', '.', '`']))) {
                    self.add_stated_need(at, &word);
                }
            }
        }
    }

    fn add_stated_need(&mut self, at: usize, word: &TextLine<'_>) {
        let found = self.outline.find(word.text);
        if found.is_empty() && word.text.starts_with(|c: char| c.is_ascii_digit()) {
            let shown: String = word.text.chars().take(40).collect();
            let message = format!("{shown:?} matches no task, so the dependency is ignored");
            let span = SourceSpan::new(self.file, word.range());
            let hint = "write the number of a task";
            warn(&mut self.drafted, &span, "unresolved-dependency", message, hint);
        }
        for need in found.into_iter().filter(|need| *need != at) {
            let id = self.outline.tasks[need].id.clone();
            if !self.drafted.tasks[at].draft.needs.contains(&id) {
                self.drafted.tasks[at].draft.needs.push(id);
            }
        }
    }

    /// A parent that is checked above open tasks: the tasks decide.
    fn report_parents(&mut self) {
        for (at, parent) in self.outline.parents.iter().enumerate().filter(|(_, p)| p.is_done) {
            let open = |task: &&KiroTask<'_>| {
                task.parents.contains(&at) && !task.list_box.is_done && !task.is_optional
            };
            let open: Vec<&str> =
                self.outline.tasks.iter().filter(open).map(|task| task.id.as_str()).collect();
            if !open.is_empty() {
                let message = format!("{} is checked, but not {}", parent.id, open.join(", "));
                let span = SourceSpan::new(self.file, parent.at.clone());
                let hint = "the open ones are run; check them if they are done";
                warn(&mut self.drafted, &span, "partly-done", message, hint);
            }
        }
    }
}

/// A checkpoint asks a person; no code is written.
fn make_checkpoint(task: &mut DraftTask) {
    let text = format!("{}\n{}", task.draft.title, task.draft.instructions);
    let text: String = text.chars().take(2_000).collect();
    let kind = CheckpointKind::Verify;
    task.draft.checkpoint = Some(Checkpoint { kind, text, options: Vec::new() });
    task.draft.files.clear();
    task.draft.checks.clear();
    task.draft.steps.clear();
}

/// Removes open optional tasks; what needed one waits for what it waited for.
fn leave_out_optional(drafted: &mut DraftPlan, outline: &KiroOutline<'_>, file: &str) {
    let is_out = |at: usize| outline.tasks[at].is_optional && !outline.tasks[at].list_box.is_done;
    let needs_of = |at: usize| -> Vec<(String, ())> {
        drafted.tasks[at].draft.needs.iter().map(|need| (need.clone(), ())).collect()
    };
    let out = (0..outline.tasks.len()).filter(|at| is_out(*at));
    let out = out.map(|at| (drafted.tasks[at].draft.id.clone(), needs_of(at)));
    let mut out = LeftOutTasks::new(out.collect::<Vec<_>>());
    if out.is_empty() {
        return;
    }
    let mut left_out = Vec::new();
    let mut kept = Vec::with_capacity(drafted.tasks.len());
    for (at, mut task) in std::mem::take(&mut drafted.tasks).into_iter().enumerate() {
        if is_out(at) {
            left_out.push((task.draft.id.clone(), task.places.whole.clone()));
            continue;
        }
        let needs = task.draft.needs.drain(..).map(|need| (need, ())).collect();
        task.draft.needs = out.replace_in(needs).into_iter().map(|(need, ())| need).collect();
        kept.push(task);
    }
    drafted.tasks = kept;
    out.report(drafted, file);
    report_optional(drafted, &left_out);
}

fn name(list: &BoxList<'_>, feature: &FeatureDir) -> String {
    let first = list.headings.iter().find(|heading| heading.level == 1);
    let title = first.and_then(|heading| heading.text.split_once(':')).map(|(_, name)| name.trim());
    let directory = feature.name();
    let fallback = if directory.is_empty() { "Kiro" } else { directory };
    title.filter(|title| !title.is_empty()).unwrap_or(fallback).to_owned()
}

/// The documents of a spec that workers get.
struct SpecDocuments {
    requirements: Vec<(String, String, String)>,
    others: Vec<(String, String, String)>,
    by_id: KiroRequirements,
}

impl SpecDocuments {
    fn read(folder: &dyn PlanFolder, drafted: &mut DraftPlan, feature: &FeatureDir) -> Self {
        let mut text = |heading: &str, path: String| {
            let text = drafted.read_additional(folder, &path, "workers do not get it")?;
            Some((heading.to_owned(), text, path))
        };
        let requirements: Vec<_> = text("Requirements", feature.file("requirements.md"))
            .into_iter()
            .chain(text("The defect", feature.file("bugfix.md")))
            .collect();
        let mut others: Vec<_> = text("Design", feature.file("design.md")).into_iter().collect();
        let root = feature.directory.find("specs/").map_or("", |at| &feature.directory[..at]);
        let front = format!("{root}steering/");
        let steering: Vec<&String> = folder
            .starting_with(&front)
            .iter()
            .filter(|path| path.strip_suffix(".md").is_some())
            .collect();
        for path in steering.into_iter().filter(|_| root.ends_with(".kiro/")) {
            let found = text("Project rules", path.clone());
            others.extend(found.filter(|(_, text, _)| is_always_included(text)));
        }
        let all: Vec<&str> = requirements.iter().map(|(_, text, _)| text.as_str()).collect();
        let all = all.join("\n");
        Self { by_id: KiroRequirements::read(&all), requirements, others }
    }
}

/// Steering files are for every task, unless their frontmatter says otherwise.
fn is_always_included(text: &str) -> bool {
    Frontmatter::first(text).is_none_or(|block| {
        let keys = block.keys();
        let inclusion = keys.iter().find(|key| key.name == "inclusion");
        inclusion.is_none_or(|key| key.value == "always")
    })
}
