//! One stage of planning: who writes what, and the command that judges it.

use afresh_core::plan::{CheckDraft, ContextLevel, FileAction, FileDraft, TaskDraft};

use super::PlanningJob;
use crate::artifacts::ArtifactKind;
use crate::prompts::{PlanningRole, render};

/// A stage that an agent carries out. Ingestion and sequencing are the program's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlanningStage {
    /// One planner writes the whole plan.
    Plan,
    /// A plan follows its changed specification.
    Update,
    Logical,
    Physical,
    Definition,
    Acceptance,
    Validation,
}

impl PlanningStage {
    /// Those that a plan can be made again from.
    pub const REPEATABLE: &[Self] = &[
        Self::Plan,
        Self::Logical,
        Self::Physical,
        Self::Definition,
        Self::Acceptance,
        Self::Validation,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Update => "update",
            Self::Logical => "logical",
            Self::Physical => "physical",
            Self::Definition => "definition",
            Self::Acceptance => "acceptance",
            Self::Validation => "validation",
        }
    }

    pub fn role(self) -> PlanningRole {
        match self {
            Self::Plan => PlanningRole::Planner,
            Self::Update => PlanningRole::PlanEditor,
            Self::Logical => PlanningRole::LogicArchitect,
            Self::Physical => PlanningRole::PhysicalArchitect,
            Self::Definition => PlanningRole::TaskAuthor,
            Self::Acceptance => PlanningRole::CheckAuthor,
            Self::Validation => PlanningRole::PlanVerifier,
        }
    }

    /// What it writes; none for a plan in the native format.
    pub fn artifact(self) -> Option<ArtifactKind> {
        match self {
            Self::Plan | Self::Update => None,
            Self::Logical => Some(ArtifactKind::CapabilityMap),
            Self::Physical => Some(ArtifactKind::PhysicalMap),
            Self::Definition => Some(ArtifactKind::Task),
            Self::Acceptance => Some(ArtifactKind::Acceptance),
            Self::Validation => Some(ArtifactKind::Verdict),
        }
    }

    fn title(self, name: &str) -> String {
        match self {
            Self::Plan => format!("Plan {name}"),
            Self::Update => format!("Update the plan of {name}"),
            Self::Logical => format!("Say what {name} does"),
            Self::Physical => format!("Say where {name} goes"),
            Self::Definition => format!("Define the tasks of {name}"),
            Self::Acceptance => format!("Write acceptance tests of {name}"),
            Self::Validation => format!("Verify the plan of {name}"),
        }
    }

    /// Whether the commands of the artifact are run to judge it.
    fn probes(self) -> bool {
        matches!(self, Self::Plan | Self::Update | Self::Definition | Self::Acceptance)
    }

    /// The stage as a task of the planning run.
    pub(super) fn task(self, job: &PlanningJob<'_>, after: Option<Self>) -> TaskDraft {
        let path = self.path(job);
        let probe = if self.probes() { "--probe " } else { "" };
        TaskDraft {
            id: self.word().to_owned(),
            title: self.title(job.name),
            instructions: render(job.template(self.role()), &job.values(self)),
            needs: after.map(|stage| stage.word().to_owned()).into_iter().collect(),
            files: self.files(&path),
            // Planners need all of the specification, and what the stage before them wrote.
            context: Some(ContextLevel::Full),
            checks: vec![CheckDraft {
                name: Some(format!("{} is valid", self.result())),
                command: format!("afresh plan validate {probe}{path}"),
                ..CheckDraft::default()
            }],
            ..TaskDraft::default()
        }
    }

    pub(super) fn path(self, job: &PlanningJob<'_>) -> String {
        match self.artifact() {
            None => job.plan_path(),
            Some(kind) => format!("{}/{}", job.directory, kind.path()),
        }
    }

    fn result(self) -> &'static str {
        match self {
            Self::Plan | Self::Update => "the plan",
            Self::Logical => "the capability map",
            Self::Physical => "the physical map",
            Self::Definition => "every task",
            Self::Acceptance => "the list of acceptance tests",
            Self::Validation => "the verdict",
        }
    }

    fn files(self, path: &str) -> Vec<FileDraft> {
        let file =
            |path: &str, action: Option<FileAction>| FileDraft { path: path.to_owned(), action };
        match self {
            Self::Definition => vec![file(&format!("{path}/*.json"), None)],
            Self::Update => vec![file(path, Some(FileAction::Modify))],
            // Wherever the project keeps its tests.
            Self::Acceptance => {
                vec![
                    file(path, None),
                    file("**/*acceptance*", None),
                    file("**/*acceptance*/**", None),
                ]
            }
            _ => vec![file(path, Some(FileAction::Create))],
        }
    }
}
