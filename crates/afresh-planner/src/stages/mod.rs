//! Planning as a plan (PL-10): its tasks write artifacts, and their checks validate them.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `single` | one worker does all of a small specification, without a planner |
//! | `stage` | one stage: who writes what, and the command that judges it |

mod single;
mod stage;

pub use single::single_plan;
pub use stage::PlanningStage;

use std::collections::BTreeMap;

// Prompts have absolute paths (PL-13).
use afresh_core::plan::WORKSPACE_PLACEHOLDER as WORKSPACE;
use afresh_core::plan::{PlanDraft, RequirementScope};

use crate::ledger::{Ledger, LedgerStatement};
use crate::prompts::PlanningRole;

/// Which stages a plan is made by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanningRoute {
    /// One planner.
    Quick,
    /// One agent after the other: what, where, tasks, verdict.
    Staged,
    /// A plan follows its changed specification.
    Update,
}

/// Whose tests judge the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcceptanceTests {
    /// Another fresh agent writes them before the code (PL-17).
    Authored,
    /// Those of the plan.
    Planned,
}

impl AcceptanceTests {
    pub const ALL: [Self; 2] = [Self::Authored, Self::Planned];

    pub fn word(self) -> &'static str {
        match self {
            Self::Authored => "authored",
            Self::Planned => "plan",
        }
    }
}

impl PlanningRoute {
    /// Its stages, in order.
    pub fn stages(self, tests: AcceptanceTests) -> Vec<PlanningStage> {
        let (before, after) = match self {
            Self::Quick => (vec![PlanningStage::Plan], vec![]),
            Self::Update => (vec![PlanningStage::Update], vec![]),
            Self::Staged => (
                vec![PlanningStage::Logical, PlanningStage::Physical, PlanningStage::Definition],
                vec![PlanningStage::Validation],
            ),
        };
        let authored = (tests == AcceptanceTests::Authored).then_some(PlanningStage::Acceptance);
        before.into_iter().chain(authored).chain(after).collect()
    }
}

/// What a planning run is about.
#[derive(Debug, Clone)]
pub struct PlanningJob<'a> {
    pub name: &'a str,
    /// The directory of its files, from the root of the repository.
    pub directory: String,
    pub ledger: &'a Ledger,
    /// What is known about the repository, as Markdown.
    pub project: &'a str,
    /// What the user says about the technology to use.
    pub stack: Option<&'a str>,
    /// What changed in the specification, as Markdown.
    pub changes: &'a str,
    /// Whether the plan is in task files; else it is in the native format.
    pub has_task_files: bool,
    /// Whether the user's preferences are in the plan's directory.
    pub has_preferences: bool,
    /// Texts of the project that replace those of roles.
    pub templates: &'a BTreeMap<String, String>,
}

impl PlanningJob<'_> {
    /// The plan that comes out.
    pub fn plan_path(&self) -> String {
        format!("{}/{}.plan.toml", self.directory, self.name)
    }

    /// The plan of the planning run: one task for each stage, one after the other.
    pub fn plan_stages(&self, stages: &[PlanningStage]) -> PlanDraft {
        let mut after = None;
        let mut tasks = Vec::new();
        for stage in stages {
            tasks.push(stage.task(self, after));
            after = Some(*stage);
        }
        PlanDraft {
            name: format!("planning {}", self.name),
            spec: Some("spec.md".to_owned()),
            tasks,
        }
    }

    fn template(&self, role: PlanningRole) -> &str {
        self.templates.get(role.file_name()).map_or(role.template(), String::as_str)
    }

    fn values(&self, stage: PlanningStage) -> BTreeMap<&'static str, String> {
        let stack =
            self.stack.map(|stack| format!("\n\nTechnology, as the user wants it: {stack}"));
        let first = self.ledger.active().next().map_or("S1", |statement| statement.id.as_str());
        let path = stage.path(self);
        let tasks = if self.has_task_files {
            format!("{WORKSPACE}/{}/tasks", self.directory)
        } else {
            format!("{WORKSPACE}/{}", self.plan_path())
        };
        let preferences = if self.has_preferences {
            format!(" What the user prefers: {WORKSPACE}/{}/preferences.md.", self.directory)
        } else {
            String::new()
        };
        BTreeMap::from([
            ("artifact", format!("{WORKSPACE}/{path}")),
            ("changes", self.changes.trim_end().to_owned()),
            ("deferred", self.deferred()),
            ("directory", format!("{WORKSPACE}/{}", self.directory)),
            ("first_id", first.to_owned()),
            ("name", self.name.to_owned()),
            ("plan_path", format!("{WORKSPACE}/{}", self.plan_path())),
            ("preferences", preferences),
            ("project", format!("{}{}", self.project.trim_end(), stack.unwrap_or_default())),
            ("statements", list(self.ledger.active())),
            ("tasks", tasks),
            ("test_changes", self.test_changes()),
            ("validate", format!("afresh plan validate {path}")),
        ])
    }

    /// For the author of tests of a plan that has some already.
    fn test_changes(&self) -> String {
        if self.changes.trim().is_empty() {
            return String::new();
        }
        format!(
            "\n## What changed\nThe specification and its plan changed. Change the tests and the list accordingly, if they \
             exist; leave the scenarios of everything else as they are.\n{}\n",
            self.changes.trim_end()
        )
    }

    fn deferred(&self) -> String {
        let left: Vec<&LedgerStatement> = self
            .ledger
            .statements
            .iter()
            .filter(|it| it.scope != RequirementScope::Active)
            .collect();
        if left.is_empty() {
            return String::new();
        }
        format!("\nNot to be planned:\n{}\n", list(left.into_iter()))
    }
}

/// One line per statement.
fn list<'l>(statements: impl Iterator<Item = &'l LedgerStatement>) -> String {
    let lines = statements.map(|it| {
        let parent =
            it.parent.as_ref().map(|parent| format!(" (part of {parent})")).unwrap_or_default();
        let words = it.quote.strip_prefix(it.id.as_str()).unwrap_or(&it.quote);
        let words = words.trim_start_matches([':', '.', ')', '-', '—', '–', ' ']);
        format!("- {}{parent}, line {}: {words}", it.id, it.line)
    });
    lines.collect::<Vec<_>>().join("\n")
}
