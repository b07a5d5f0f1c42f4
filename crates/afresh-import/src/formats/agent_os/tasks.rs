//! Task groups as tasks.

use std::collections::BTreeMap;

use afresh_core::plan::{PlanField, StepDraft, TaskDraft};

use super::groups::{self, GroupKey, GroupList, ListOrder, TaskGroup};
use super::needs::{self, GroupMention};
use super::roles;
use crate::box_lists::tasks::report_other_boxes;
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
    let GroupList { groups, order, outside, criteria } = groups::read(text);
    if let Some(finding) = too_many_tasks(file, groups.len()) {
        drafted.findings.push(finding);
        return;
    }
    let roles = roles::read(folder, drafted, feature, &groups);
    let others = CommonDocuments::read(folder, drafted, feature);
    let mut by_key: BTreeMap<GroupKey, Vec<usize>> = BTreeMap::new();
    for (at, group) in groups.iter().enumerate() {
        by_key.entry(group.key.clone()).or_default().push(at);
    }
    let groups = groups.as_slice();
    let mut adding = GroupReader { drafted, file, text, groups, by_key, order, needs: 0 };
    for (at, group) in groups.iter().enumerate() {
        let mut brief = WorkerBrief::for_one_of(groups.len());
        let role = roles.get(&at);
        brief.paragraph(role.map_or("", |role| role.standards.as_str()));
        brief.paragraph(&unticked(&text[group.body.clone()]));
        others.add_to(&mut brief);
        let agent = role.and_then(|role| role.agent.clone());
        adding.group(at, brief.finish(), agent);
    }
    // Without any group, that is the finding.
    for at in outside.iter().filter(|_| !groups.is_empty()) {
        let message = "this check box belongs to no task group, so it is not run".to_owned();
        adding.warn(at, "no-task-id", message, "move it below a task group, or number it");
    }
    report_other_boxes(adding.drafted, file, &criteria);
    adding.label();
}

struct GroupReader<'x> {
    drafted: &'x mut DraftPlan,
    file: &'x str,
    text: &'x str,
    groups: &'x [TaskGroup<'x>],
    by_key: BTreeMap<GroupKey, Vec<usize>>,
    order: ListOrder,
    /// The number of dependencies so far.
    needs: usize,
}

impl GroupReader<'_> {
    fn group(&mut self, at: usize, instructions: String, agent: Option<String>) {
        let group = &self.groups[at];
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
        self.needs(at, &mut task);
        self.drafted.tasks.push(task);
    }

    fn step(&self, item: &ListItem<'_>) -> StepDraft {
        let text = unticked(&self.text[item.whole()]);
        StepDraft { name: title(item.text.text), instructions: text, ..StepDraft::default() }
    }

    fn needs(&mut self, at: usize, task: &mut DraftTask) {
        let group = &self.groups[at];
        for (word, meant) in &group.misspelt {
            prose::warn_about_misspelt(self.drafted, self.file, word, meant);
        }
        if self.needs > MAX_NEEDS {
            return;
        }
        let Some(line) = group.needs else {
            // Where no group states an order, the order of the file is one.
            if let Some(before) = at.checked_sub(1).filter(|_| self.order == ListOrder::InSequence)
            {
                let id = self.groups[before].id;
                self.link(task, vec![id.text.to_owned()], &id.range());
            }
            return;
        };
        let stated = needs::read(&line);
        if !stated.is_understood() {
            let message = format!(
                "task group {} depends on {:?}, which matches no task group; it waits for all before it",
                group.id.text, line.text
            );
            let hint = "write `Task Group 1`, or `None`";
            self.warn(&line.range(), "unresolved-dependency", message, hint);
        }
        if stated.all_before || !stated.is_understood() {
            let before = self.groups[..at].iter().map(|other| other.id.text.to_owned()).collect();
            return self.link(task, before, &line.range());
        }
        for phase in stated.phases {
            let of_phase = self.groups.iter().filter(|other| other.phase == Some(phase));
            let ids: Vec<String> =
                of_phase.filter(|o| o.phase != group.phase).map(|o| o.id.text.to_owned()).collect();
            if ids.is_empty() {
                let message = format!("phase {phase} has no other task group");
                self.warn(&line.range(), "unresolved-dependency", message, "name the groups");
            }
            self.link(task, ids, &line.range());
        }
        for found in stated.groups {
            self.mentioned(at, &found, task);
        }
    }

    /// Adds the groups that a name means.
    fn mentioned(&mut self, at: usize, found: &GroupMention<'_>, task: &mut DraftTask) {
        let group = &self.groups[at];
        if found.through.is_none() && found.key == group.key {
            let message = format!(
                "task group {} depends on itself; the dependency is ignored",
                group.id.text
            );
            let hint = "remove it from its own dependencies";
            return self.warn(&found.at.range(), "self-dependency", message, hint);
        }
        let first = if found.through.is_some() { vec![found.key[0]] } else { found.key.clone() };
        let behind = self.by_key.range(first..).take_while(|(key, _)| found.covers(key));
        let covered: Vec<&TaskGroup<'_>> =
            behind.flat_map(|(_, all)| all).map(|at| &self.groups[*at]).collect();
        let others = covered.iter().filter(|other| other.key != group.key);
        let mut ids: Vec<String> = others.map(|other| other.id.text.to_owned()).collect();
        if covered.is_empty() {
            // Finished groups are removed from the file; a number beyond the last is a mistake.
            if self.by_key.last_key_value().is_some_and(|(last, _)| *last > found.key) {
                let name = found.at.text;
                let message =
                    format!("task group {name} is not in this file; it counts as finished");
                let hint = "remove the dependency if that is so, or restore the group";
                return self.warn(&found.at.range(), "unresolved-dependency", message, hint);
            }
            ids.push(found.at.text.to_owned());
        }
        self.link(task, ids, &found.at.range());
    }

    fn link(&mut self, task: &mut DraftTask, ids: Vec<String>, at: &std::ops::Range<usize>) {
        self.needs += ids.len();
        if self.needs > MAX_NEEDS {
            let message = format!("the groups have more than {MAX_NEEDS} dependencies");
            let span = SourceSpan::new(self.file, at.clone());
            self.drafted.find(&span, "too-large", message).hint =
                Some("list only direct dependencies".to_owned());
            return;
        }
        for id in ids {
            let span = SourceSpan::new(self.file, at.clone());
            task.note(None, PlanField::Needs, task.draft.needs.len(), span);
            task.draft.needs.push(id);
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
        let span = SourceSpan::new(self.file, criteria.unwrap_or_else(|| first.heading.clone()));
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
