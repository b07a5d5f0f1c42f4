//! What the stages of planning write, in Tasker's formats: types, JSON Schemas, and reading with places.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `acceptance` | tests that were written before the work: requirement, scenario, test |
//! | `capability_map` | what the program does |
//! | `located` | JSON whose parts know their places in the file |
//! | `physical_map` | in which files it does it |
//! | `schema` | checks JSON against a schema, everything at once |
//! | `task_file` | what one worker does |
//! | `verdict` | what the plan verifier says |

mod acceptance;
mod capability_map;
mod located;
mod physical_map;
mod schema;
mod task_file;
mod verdict;

pub use acceptance::{AcceptanceScenario, AcceptanceSet, UntestableStatement};
pub use capability_map::{
    Behavior, BehaviorKind, Capability, CapabilityDomain, CapabilityFlow, CapabilityMap, FlowStep,
    StatementRefinement,
};
pub use located::{JsonKey, LocatedJson};
pub use physical_map::{
    BehaviorFiles, CrossCuttingConcern, FilePlace, MappedAction, MappedFile, PhysicalMap,
};
pub use task_file::{AcceptanceCriterion, TaskContext, TaskDependencies, TaskFile};
pub use verdict::{IssueSeverity, PlanVerdict, TaskEvidence, VerdictIssue, VerdictWord};

use afresh_formats::Finding;
use serde::de::DeserializeOwned;
use serde_json::Value as JsonValue;

/// A kind of artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArtifactKind {
    CapabilityMap,
    PhysicalMap,
    Task,
    Acceptance,
    Verdict,
}

impl ArtifactKind {
    pub const ALL: &[Self] =
        &[Self::CapabilityMap, Self::PhysicalMap, Self::Task, Self::Acceptance, Self::Verdict];

    /// Its name for `afresh schema`.
    pub fn schema_name(self) -> &'static str {
        match self {
            Self::CapabilityMap => "capability-map",
            Self::PhysicalMap => "physical-map",
            Self::Task => "task",
            Self::Acceptance => "acceptance",
            Self::Verdict => "verdict",
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            Self::CapabilityMap => "What a planned program does",
            Self::PhysicalMap => "In which files it does it",
            Self::Task => "A task file of a plan that was made in stages",
            Self::Acceptance => "Acceptance tests that were written before the work",
            Self::Verdict => "The verdict on a plan",
        }
    }

    pub fn schema_text(self) -> &'static str {
        match self {
            Self::CapabilityMap => include_str!("schemas/capability-map.schema.json"),
            Self::PhysicalMap => include_str!("schemas/physical-map.schema.json"),
            Self::Task => include_str!("schemas/task.schema.json"),
            Self::Acceptance => include_str!("schemas/acceptance.schema.json"),
            Self::Verdict => include_str!("schemas/verdict.schema.json"),
        }
    }

    pub fn schema(self) -> JsonValue {
        serde_json::from_str(self.schema_text()).expect("our own schemas are JSON")
    }

    /// Its file in the directory of a plan; tasks have a directory.
    pub fn path(self) -> &'static str {
        match self {
            Self::CapabilityMap => "artifacts/capability-map.json",
            Self::PhysicalMap => "artifacts/physical-map.json",
            Self::Task => "tasks",
            Self::Acceptance => "artifacts/acceptance.json",
            Self::Verdict => "reports/verdict.json",
        }
    }

    /// The kind of a file, by its name.
    pub fn recognize(path: &str) -> Option<Self> {
        let path = path.trim_end_matches('/');
        let name = path.rsplit('/').next().unwrap_or(path);
        let in_tasks = path.rsplit('/').nth(1) == Some("tasks") && is_task_file(name);
        match name {
            "capability-map.json" => Some(Self::CapabilityMap),
            "physical-map.json" => Some(Self::PhysicalMap),
            "acceptance.json" => Some(Self::Acceptance),
            "verdict.json" => Some(Self::Verdict),
            "tasks" => Some(Self::Task),
            _ => in_tasks.then_some(Self::Task),
        }
    }
}

/// Whether a file of the directory of tasks is one.
pub fn is_task_file(path: &str) -> bool {
    std::path::Path::new(path).extension().is_some_and(|ending| ending == "json")
}

/// An artifact with its places; or everything that is wrong with its form.
pub fn read_artifact<T: DeserializeOwned>(
    kind: ArtifactKind,
    file: &str,
    text: &str,
) -> Result<(T, LocatedJson), Vec<Finding>> {
    let located = LocatedJson::parse(file, text).map_err(|finding| vec![finding])?;
    let findings = schema::check(&kind.schema(), &located);
    if !findings.is_empty() {
        return Err(findings);
    }
    let read = serde_json::from_str(text).map_err(|error| {
        vec![Finding::for_file(file, "wrong-form", format!("cannot be read: {error}"))]
    })?;
    Ok((read, located))
}
