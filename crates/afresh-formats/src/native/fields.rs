//! The fields of a plan, a task, a step, a file and a check.

use std::collections::BTreeMap;

use afresh_core::commit::CommitLabel;
use afresh_core::plan::{
    CheckDraft, ContestRule, ContextLevel, FileAction, FileDraft, PlanDraft, PlanField, StepDraft,
    TaskDraft, TierChoice,
};

use super::PlanSyntax;
use super::reader::{NativePlanReader, TaskRanges};
use crate::findings::Finding;
use crate::text::limits;
use crate::text::node::{Node, Value};

pub const PLAN_FIELDS: &[&str] = &["version", "name", "spec", "target", "task"];
pub const TASK_FIELDS: &[&str] = &[
    "id",
    "title",
    "do",
    "needs",
    "files",
    "checks",
    "no_check",
    "steps",
    "tier",
    "context",
    "agent",
    "attempts_by",
    "land",
    "type",
    "requirements",
    "phase",
    "steel_thread",
    "acceptance",
    "done_before",
    "checkpoint",
];
pub const STEP_FIELDS: &[&str] = &["name", "do", "files", "checks"];
pub const FILE_FIELDS: &[&str] = &["path", "action"];
pub const CHECK_FIELDS: &[&str] = &["name", "run", "red_first", "guard"];

impl NativePlanReader<'_, '_> {
    pub(super) fn plan(&mut self, root: &Node) -> PlanDraft {
        let mut draft = PlanDraft::default();
        let Value::Table(entries) = &root.value else {
            self.wrong_type(root, "a table with `version`, `name` and `task`");
            return draft;
        };
        let mut versioned = false;
        for entry in entries {
            match self.known_field(String::new, PLAN_FIELDS, (entries, entry)) {
                "version" => {
                    versioned = true;
                    if entry.node.value != Value::Integer(1) {
                        let finding = self.source.finding(
                            "version",
                            &entry.node.span,
                            "unsupported version; the only version is 1",
                        );
                        self.findings.push(finding.with_hint("write `version = 1`"));
                    }
                }
                "name" => draft.name = self.text(&entry.node),
                "spec" => draft.spec = Some(self.text(&entry.node)),
                "target" => self.target = Some(self.text(&entry.node)),
                "task" => draft.tasks = self.tasks(&entry.node),
                _ => {}
            }
        }
        if !versioned {
            let finding = Finding::for_file(
                self.source.name,
                "version",
                "the plan has no `version`; assuming 1",
            );
            let hint = match PlanSyntax::from_file_name(self.source.name) {
                PlanSyntax::Toml => "write `version = 1` at the top",
                PlanSyntax::Json => "write `\"version\": 1` at the top",
            };
            self.findings.push(finding.as_warning().with_hint(hint));
        }
        draft
    }

    fn tasks(&mut self, node: &Node) -> Vec<TaskDraft> {
        let Value::List(items) = &node.value else {
            self.wrong_type(node, "a list of tasks");
            return Vec::new();
        };
        if let Some(finding) = limits::too_many_tasks(self.source.name, items.len()) {
            self.findings.push(finding);
            return Vec::new();
        }
        items.iter().map(|item| self.task(item)).collect()
    }

    fn task(&mut self, node: &Node) -> TaskDraft {
        let at = self.places.len();
        self.places.push(TaskRanges { whole: node.span.clone(), fields: BTreeMap::new() });
        let mut draft = TaskDraft::default();
        let Value::Table(entries) = &node.value else {
            self.wrong_type(node, "a task: a table with `id`, `title` and `checks`");
            return draft;
        };
        for entry in entries {
            let value = &entry.node;
            let path = || format!("task.{at}.");
            match self.known_field(path, TASK_FIELDS, (entries, entry)) {
                "id" => draft.id = self.noted_text(at, PlanField::Id, value),
                "title" => draft.title = self.noted_text(at, PlanField::Title, value),
                "do" => draft.instructions = self.text(value),
                "needs" => draft.needs = self.texts(at, None, PlanField::Needs, value),
                "files" => draft.files = self.files(at, None, value),
                "checks" => draft.checks = self.checks(at, None, value),
                "no_check" => draft.no_check = Some(self.noted_text(at, PlanField::NoCheck, value)),
                "steps" => draft.steps = self.steps(at, value),
                "tier" => {
                    draft.tier = self.word(value, TierChoice::WORDS);
                }
                "context" => {
                    draft.context = self.word(
                        value,
                        &[
                            ("minimal", ContextLevel::Minimal),
                            ("standard", ContextLevel::Standard),
                            ("full", ContextLevel::Full),
                        ],
                    );
                }
                "agent" => draft.agent = Some(self.text(value)),
                "attempts_by" => {
                    draft.attempts_by = self.texts(at, None, PlanField::AttemptsBy, value);
                }
                "land" => draft.land = self.word(value, ContestRule::WORDS),
                "type" => draft.commit = self.commit_label(value),
                "requirements" => {
                    draft.requirements = self.texts(at, None, PlanField::Requirements, value);
                }
                "phase" => draft.phase = self.phase(value),
                "steel_thread" => self.set_flag(&mut draft.steel_thread, value),
                "acceptance" => {
                    draft.acceptance = self.texts(at, None, PlanField::Acceptance, value);
                }
                "done_before" => draft.done_before = self.reason(value),
                "checkpoint" => draft.checkpoint = self.checkpoint(at, value),
                _ => {}
            }
        }
        draft
    }

    fn steps(&mut self, at: usize, node: &Node) -> Vec<StepDraft> {
        let Value::List(items) = &node.value else {
            self.wrong_type(node, "a list of steps");
            return Vec::new();
        };
        items.iter().enumerate().map(|(number, item)| self.step(at, number, item)).collect()
    }

    fn step(&mut self, at: usize, number: usize, node: &Node) -> StepDraft {
        let mut draft = StepDraft::default();
        let Value::Table(entries) = &node.value else {
            self.wrong_type(node, "a step: a table with `name` and `do`");
            return draft;
        };
        for entry in entries {
            let value = &entry.node;
            let path = || format!("task.{at}.steps.{number}.");
            match self.known_field(path, STEP_FIELDS, (entries, entry)) {
                "name" => draft.name = self.text(value),
                "do" => draft.instructions = self.text(value),
                "files" => draft.files = self.files(at, Some(number), value),
                "checks" => draft.checks = self.checks(at, Some(number), value),
                _ => {}
            }
        }
        draft
    }

    fn files(&mut self, at: usize, step: Option<usize>, node: &Node) -> Vec<FileDraft> {
        self.items(at, step, PlanField::Files, node, "a list of paths")
            .iter()
            .enumerate()
            .map(|(item, node)| self.file(&path_of(at, step, "files", item), node))
            .collect()
    }

    fn file(&mut self, path: &str, node: &Node) -> FileDraft {
        let mut draft = FileDraft::default();
        match &node.value {
            Value::Text(path) => draft.path.clone_from(path),
            Value::Table(entries) => {
                for entry in entries {
                    let path = || path.to_owned();
                    match self.known_field(path, FILE_FIELDS, (entries, entry)) {
                        "path" => draft.path = self.text(&entry.node),
                        "action" => {
                            draft.action = self.word(
                                &entry.node,
                                &[
                                    ("create", FileAction::Create),
                                    ("modify", FileAction::Modify),
                                    ("delete", FileAction::Delete),
                                ],
                            );
                        }
                        _ => {}
                    }
                }
            }
            _ => self.wrong_type(node, "a path, or { path = \"…\", action = \"create\" }"),
        }
        draft
    }

    fn checks(&mut self, at: usize, step: Option<usize>, node: &Node) -> Vec<CheckDraft> {
        self.items(at, step, PlanField::Checks, node, "a list of commands")
            .iter()
            .enumerate()
            .map(|(item, node)| self.check(&path_of(at, step, "checks", item), node))
            .collect()
    }

    fn check(&mut self, path: &str, node: &Node) -> CheckDraft {
        let mut draft = CheckDraft::default();
        match &node.value {
            Value::Text(command) => draft.command.clone_from(command),
            Value::Table(entries) => {
                for entry in entries {
                    let path = || path.to_owned();
                    match self.known_field(path, CHECK_FIELDS, (entries, entry)) {
                        "name" => draft.name = Some(self.text(&entry.node)),
                        "run" => draft.command = self.text(&entry.node),
                        "red_first" => self.set_flag(&mut draft.red_first, &entry.node),
                        "guard" => self.set_flag(&mut draft.guard, &entry.node),
                        _ => {}
                    }
                }
            }
            _ => self.wrong_type(node, "a command, or { run = \"…\", red_first = true }"),
        }
        draft
    }

    fn phase(&mut self, node: &Node) -> Option<u32> {
        let phase = match node.value {
            Value::Integer(number) => u32::try_from(number).ok().filter(|number| *number > 0),
            _ => None,
        };
        if phase.is_none() {
            self.wrong_type(node, "a number from 1");
        }
        phase
    }

    /// `docs`, or with a scope `feat(parser)`.
    fn commit_label(&mut self, node: &Node) -> Option<CommitLabel> {
        let label = match &node.value {
            Value::Text(text) => CommitLabel::parse(text),
            _ => None,
        };
        if label.is_none() {
            self.wrong_type(node, "the type of a commit: a word such as `docs`, or `feat(parser)`");
        }
        label
    }

    fn set_flag(&mut self, flag: &mut bool, node: &Node) {
        match node.value {
            Value::Bool(value) => *flag = value,
            _ => self.wrong_type(node, "true or false"),
        }
    }
}

/// The path of a list item, for reporting unknown fields.
fn path_of(at: usize, step: Option<usize>, list: &str, item: usize) -> String {
    match step {
        Some(step) => format!("task.{at}.steps.{step}.{list}.{item}."),
        None => format!("task.{at}.{list}.{item}."),
    }
}
