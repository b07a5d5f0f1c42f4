//! Task groups as tasks.

use std::collections::BTreeMap;

use afresh_core::plan::{PlanField, StepDraft, TaskDraft};

use super::groups::{self, TaskGroup};
use super::{needs, roles};
use crate::draft::feature_dirs::FeatureDir;
use crate::draft::{DraftPlan, DraftTask};
use crate::prose::{self, WorkerBrief, title, unticked};
use afresh_formats::findings::Severity;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::SourceSpan;
use afresh_formats::text::limits::too_many_tasks;
use afresh_formats::text::markdown::ListItem;

/// The most dependencies of one plan.
const MAX_NEEDS: usize = 200_000;

pub(super) fn add(
    folder: &dyn PlanFolder,
    drafted: &mut DraftPlan,
    feature: &FeatureDir,
    file: &str,
    text: &str,
) {
    let groups = groups::read(text);
    if let Some(finding) = too_many_tasks(file, groups.len()) {
        drafted.findings.push(finding);
        return;
    }
    let roles = roles::read(folder, drafted, feature, &groups);
    let others = CommonDocuments::read(folder, drafted, feature);
    let mut by_number: BTreeMap<u64, Vec<&TaskGroup<'_>>> = BTreeMap::new();
    for group in &groups {
        by_number.entry(group.number).or_default().push(group);
    }
    let mut adding =
        GroupReader { drafted, file, text, groups: &groups, by_number: &by_number, needs: 0 };
    for (at, group) in groups.iter().enumerate() {
        let mut brief = WorkerBrief::for_one_of(groups.len());
        let role = roles.get(&at);
        brief.paragraph(role.map_or("", |role| role.standards.as_str()));
        brief.paragraph(&unticked(&text[group.body.clone()]));
        others.add_to(&mut brief);
        let agent = role.and_then(|role| role.agent.clone());
        adding.group(group, brief.finish(), agent);
    }
    adding.label();
}

struct GroupReader<'x> {
    drafted: &'x mut DraftPlan,
    file: &'x str,
    text: &'x str,
    groups: &'x [TaskGroup<'x>],
    by_number: &'x BTreeMap<u64, Vec<&'x TaskGroup<'x>>>,
    /// The number of dependencies so far.
    needs: usize,
}

impl GroupReader<'_> {
    fn group(&mut self, group: &TaskGroup<'_>, instructions: String, agent: Option<String>) {
        let span = |at| SourceSpan::new(self.file, at);
        let mut task = DraftTask::new(TaskDraft::default(), span(group.heading.clone()));
        task.note(None, PlanField::Id, 0, span(group.id.range()));
        group.id.text.clone_into(&mut task.draft.id);
        task.draft.title = title(group.title.text);
        task.draft.instructions = instructions;
        task.draft.agent = agent;
        task.draft.steps = group.steps.iter().map(|at| self.step(&group.boxes[*at])).collect();
        let (ticked, boxes) = group.ticked();
        if boxes > 0 && ticked == boxes {
            task.draft.done_before = Some(format!("all its boxes are checked in {}", self.file));
        } else if ticked > 0 {
            let message = format!(
                "{ticked} of {boxes} boxes of task group {} are checked; the group is done again as a whole",
                group.id.text
            );
            let hint = "check all of them if the group is done";
            self.warn(&group.heading, "partly-done", message, hint);
        }
        self.needs(group, &mut task);
        self.drafted.tasks.push(task);
    }

    fn step(&self, item: &ListItem<'_>) -> StepDraft {
        let text = unticked(&self.text[item.whole()]);
        StepDraft { name: title(item.text.text), instructions: text, ..StepDraft::default() }
    }

    fn needs(&mut self, group: &TaskGroup<'_>, task: &mut DraftTask) {
        for (word, meant) in &group.misspelt {
            prose::warn_about_misspelt(self.drafted, self.file, word, meant);
        }
        let Some(line) = group.needs.filter(|_| self.needs <= MAX_NEEDS) else { return };
        let Some(named) = needs::named(&line) else {
            let message = format!(
                "task group {} depends on {:?}, which matches no task group",
                group.id.text, line.text
            );
            let hint = "write `Task Group 1`, or `None`";
            self.warn(&line.range(), "unresolved-dependency", message, hint);
            return;
        };
        for found in named {
            let span = found.number..=found.through.unwrap_or(found.number);
            let covered = self.by_number.range(span).flat_map(|(_, groups)| groups);
            let covered: Vec<&&TaskGroup<'_>> = covered.take(MAX_NEEDS).collect();
            if found.through.is_none() && found.number == group.number {
                let message = format!(
                    "task group {} depends on itself; the dependency is ignored",
                    group.id.text
                );
                let hint = "remove it from its own dependencies";
                self.warn(&found.id.range(), "self-dependency", message, hint);
                continue;
            }
            let mut ids: Vec<String> = covered
                .iter()
                .filter(|other| other.number != group.number)
                .map(|other| other.id.text.to_owned())
                .collect();
            if covered.is_empty() {
                ids.push(found.id.text.to_owned());
            }
            self.needs += ids.len();
            if self.needs > MAX_NEEDS {
                let message = format!("the groups have more than {MAX_NEEDS} dependencies");
                let span = SourceSpan::new(self.file, line.range());
                self.drafted.find(&span, "too-large", message).hint =
                    Some("list only direct dependencies".to_owned());
                return;
            }
            for id in ids {
                let item = task.draft.needs.len();
                task.note(
                    None,
                    PlanField::Needs,
                    item,
                    SourceSpan::new(self.file, found.id.range()),
                );
                task.draft.needs.push(id);
            }
        }
    }

    fn warn(&mut self, at: &std::ops::Range<usize>, code: &str, message: String, hint: &str) {
        let span = SourceSpan::new(self.file, at.clone());
        let found = self.drafted.find(&span, code, message);
        found.severity = Severity::Warning;
        found.hint = Some(hint.to_owned());
    }

    /// Reports that the criteria are prose, not commands (FO-04).
    fn label(self) {
        let open = |task: &&DraftTask| task.draft.done_before.is_none();
        let ids: Vec<String> =
            self.drafted.tasks.iter().filter(open).map(|task| task.draft.id.clone()).collect();
        let Some(first) = self.groups.first() else { return };
        let criteria = self.groups.iter().find_map(|group| group.criteria.clone());
        let span = SourceSpan::new(self.file, criteria.unwrap_or(first.heading.clone()));
        prose::label(self.drafted, &span, ids.iter().map(String::as_str));
    }
}

/// The documents that every worker gets.
struct CommonDocuments(BTreeMap<&'static str, (String, String)>);

impl CommonDocuments {
    fn read(folder: &dyn PlanFolder, drafted: &mut DraftPlan, feature: &FeatureDir) -> Self {
        let mut found = BTreeMap::new();
        for (heading, name) in
            [("Specification", "spec.md"), ("Requirements", "planning/requirements.md")]
        {
            let file = feature.file(name);
            match folder.text(&file) {
                Some(Ok(text)) => {
                    found.insert(heading, (text, file));
                }
                Some(Err(finding)) => {
                    let hint = "workers do not get it";
                    drafted.findings.push(finding.as_warning().with_hint(hint));
                }
                None => {}
            }
        }
        Self(found)
    }

    fn add_to(&self, brief: &mut WorkerBrief) {
        for heading in ["Specification", "Requirements"] {
            if let Some((text, file)) = self.0.get(heading) {
                brief.part(heading, text, file);
            }
        }
    }
}
