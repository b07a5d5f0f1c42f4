//! Task lines as tasks.

use afresh_core::plan::{FileDraft, PlanField, StepDraft, TaskDraft};

use super::order::{self, SpecKitNeeds};
use super::phases::{self, SpecKitPhase, TaskLine};
use super::stated;
use crate::box_lists::tasks::report_other_boxes;
use crate::draft::feature_dirs::FeatureDir;
use crate::draft::{DraftPlan, DraftTask};
use crate::prose::{self, WorkerBrief, paths, title, unticked};
use afresh_formats::findings::Severity;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::limits::too_many_tasks;
use afresh_formats::text::markdown::{TextLine, headings};

/// Documents that tasks refer to and do not write.
const DOCUMENTS: &[&str] =
    &["plan.md", "spec.md", "research.md", "data-model.md", "quickstart.md", "tasks.md"];

pub(super) fn add(
    folder: &dyn PlanFolder,
    drafted: &mut DraftPlan,
    feature: &FeatureDir,
    file: &str,
    text: &str,
) {
    let document = phases::read(text);
    let count = document.phases.iter().map(|phase| phase.tasks.len()).sum();
    if let Some(finding) = too_many_tasks(file, count) {
        drafted.findings.push(finding);
        return;
    }
    let order = order::read(text, &document);
    let beside = StoryContext::read(folder, drafted, feature);
    report_repeated(drafted, file, &document.repeated);
    report_other_boxes(drafted, file, &document.no_tasks);
    let mut warn = |at: &std::ops::Range<usize>, code: &str, message: String, hint: &str| {
        let found = drafted.find(&SourceSpan::new(file, at.clone()), code, message);
        found.severity = Severity::Warning;
        found.hint = Some(hint.to_owned());
    };
    for nameless in &document.nameless {
        let message = "this check box has no task id, so it is not run".to_owned();
        warn(nameless, "no-task-id", message, "start it with an id such as `T001`");
    }
    for (id, place) in &order.backwards {
        let message = format!("{id} needs a later task, and waits for it");
        warn(place, "dependency-not-earlier", message, "move the task below the one that it needs");
    }
    for (id, place) in &order.itself {
        let message = format!("{id} depends on itself; the dependency is ignored");
        warn(place, "self-dependency", message, "write the id of the task that it needs");
    }
    if order.too_many {
        let span = SourceSpan::new(file, document.phases[0].heading.at.clone());
        drafted.find(&span, "too-large", "too many dependencies between tasks").hint =
            Some("split the plan, or its phases".to_owned());
    }
    for (phase, needs) in document.phases.iter().zip(&order.needs) {
        let about = about(text, phase);
        for (line, needs) in phase.tasks.iter().zip(needs) {
            let mut brief = WorkerBrief::for_one_of(count);
            brief.paragraph(&unticked(line.text.text));
            brief.part(phase.heading.text, &about, file);
            beside.add_to(&mut brief, line.story);
            let task = task(file, line, needs, brief.finish());
            drafted.tasks.push(task);
            prose::warn_about_outside(drafted, file, &line.text);
        }
    }
    label(drafted, file, &document.phases);
}

/// Reports ids that repeat.
fn report_repeated(
    drafted: &mut DraftPlan,
    file: &str,
    repeated: &[(String, std::ops::Range<usize>, std::ops::Range<usize>)],
) {
    for (name, place, first) in repeated {
        let id = name.rsplit_once('.').map_or(name.as_str(), |(id, _)| id);
        let message = format!("two tasks have the id {id:?}; this one is called {name}");
        let found = drafted.find(&SourceSpan::new(file, place.clone()), "duplicate-id", message);
        found.severity = Severity::Warning;
        found.hint = Some("give it a number of its own".to_owned());
        let position = drafted.findings.len() - 1;
        drafted.placing.locate_first(position, &SourceSpan::new(file, first.clone()));
    }
}

fn task(file: &str, line: &TaskLine<'_>, needs: &SpecKitNeeds, instructions: String) -> DraftTask {
    let feature = file.strip_suffix("tasks.md").unwrap_or_default();
    let span = |at| SourceSpan::new(file, at);
    let mut task = DraftTask::new(TaskDraft::default(), span(line.id.start..line.words.end()));
    task.note(None, PlanField::Id, 0, span(line.id.range()));
    task.draft.id.clone_from(&line.name);
    for item in &line.steps {
        let (name, instructions) = (title(item.text.text), unticked(item.text.text));
        task.draft.steps.push(StepDraft { name, instructions, ..StepDraft::default() });
    }
    task.draft.title = title(line.words.text);
    task.draft.instructions = instructions;
    task.draft.done_before = line.ticked.then(|| format!("checked in {file}"));
    for (item, (need, place)) in needs.iter().enumerate() {
        task.draft.needs.push(need.clone());
        if let Some(place) = place {
            task.note(None, PlanField::Needs, item, span(place.clone()));
        }
    }
    for path in paths(&line.text) {
        let own = path.text.strip_prefix(feature).unwrap_or(path.text);
        if path.text.starts_with("specs/") || DOCUMENTS.contains(&own) {
            continue;
        }
        task.note(None, PlanField::Files, task.draft.files.len(), span(path.range()));
        task.draft.files.push(FileDraft { path: path.text.to_owned(), action: None });
    }
    task
}

/// The text of a phase without its tasks: its goal, its test, its checkpoint.
fn about(text: &str, phase: &SpecKitPhase<'_>) -> String {
    let mut about = String::new();
    for line in text[phase.heading.body.clone()].lines() {
        if line.starts_with("**") || line.starts_with("> ") {
            about.push_str(line);
            about.push('\n');
        }
    }
    about
}

/// Reports that the criteria are prose, not commands (FO-04).
fn label(drafted: &mut DraftPlan, file: &str, phases: &[SpecKitPhase<'_>]) {
    let open = |task: &&DraftTask| task.draft.done_before.is_none();
    let ids: Vec<String> =
        drafted.tasks.iter().filter(open).map(|task| task.draft.id.clone()).collect();
    if let Some(phase) = phases.first() {
        let span = SourceSpan::new(file, phase.heading.at.clone());
        prose::label(drafted, &span, ids.iter().map(String::as_str));
    }
}

/// The spec, by story, and the plan.
struct StoryContext {
    spec: Option<(String, String)>,
    plan: Option<(String, String)>,
    stories: std::collections::BTreeMap<u64, std::ops::Range<usize>>,
}

impl StoryContext {
    fn read(folder: &dyn PlanFolder, drafted: &mut DraftPlan, feature: &FeatureDir) -> Self {
        let mut text = |name: &str| match feature.text(folder, name)? {
            Ok(text) => Some((text, feature.file(name))),
            Err(finding) => {
                let hint = "workers do not get it";
                drafted.findings.push(finding.as_warning().with_hint(hint));
                None
            }
        };
        let (spec, plan) = (text("spec.md"), text("plan.md"));
        let mut stories = std::collections::BTreeMap::new();
        for heading in spec.iter().flat_map(|(text, _)| headings(text)) {
            let words = TextLine { text: heading.text, start: heading.at.start };
            if let [story] = stated::stories(&words)[..] {
                stories.entry(story).or_insert(heading.at.start..heading.body.end);
            }
        }
        Self { spec, plan, stories }
    }

    /// A task of a story gets that story, any other task the whole spec.
    fn add_to(&self, brief: &mut WorkerBrief, story: Option<u64>) {
        if let Some((text, file)) = &self.spec {
            let part = story.and_then(|story| self.stories.get(&story));
            let shown = part.map_or(text.as_str(), |part| &text[part.clone()]);
            brief.part("Specification", shown, file);
        }
        if let Some((text, file)) = &self.plan {
            brief.part("Plan", text, file);
        }
    }
}
