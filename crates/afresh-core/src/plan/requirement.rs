//! What a plan is for: the requirements of its documents, and which tasks serve them.
//!
//! The plan that a run pins has them as they were then, so that a later change of a text can be noticed.
//! No decision of a run depends on them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::TaskId;
use crate::plan::{Plan, Task};
use crate::printable::is_unprintable;

/// The most requirements of one plan.
pub const MAX_REQUIREMENTS: usize = 20_000;

/// The longest id of a requirement, in characters.
const MAX_ID_CHARS: usize = 120;

/// The id of a requirement as its document or a task writes it: `FR-003`, `2.1`, `auth/session-expiry`.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct RequirementId(String);

impl RequirementId {
    /// None for an empty text, a very long one, and one with characters that cannot be printed.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = !text.is_empty() && text.chars().count() <= MAX_ID_CHARS;
        (fits && !text.contains(is_unprintable)).then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for RequirementId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<RequirementId> for String {
    fn from(id: RequirementId) -> Self {
        id.0
    }
}

impl TryFrom<String> for RequirementId {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        Self::new(&text).ok_or_else(|| format!("{text:?} is no id of a requirement"))
    }
}

/// A statement that tasks serve and checks prove.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Requirement {
    pub id: RequirementId,
    #[serde(default)]
    pub kind: RequirementKind,
    /// Its first words, in one line.
    pub text: String,
    /// The file that states it.
    pub file: String,
    /// Counted from 1; 0 if it is not known.
    pub line: usize,
    /// A hash of its whole text, without check marks and the breaks of lines.
    pub digest: String,
    /// The requirement that it is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<RequirementId>,
    #[serde(default)]
    pub scope: RequirementScope,
    #[serde(default)]
    pub link: RequirementLink,
    /// Why it is in this scope, where the document says so in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What kind of statement it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RequirementKind {
    #[default]
    Requirement,
    /// A criterion of a requirement, a task or a plan.
    Criterion,
    /// A section of a specification that names no requirements.
    Section,
}

/// Whether the work is meant to meet it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RequirementScope {
    #[default]
    Active,
    Deferred,
    OutOfScope,
}

/// How tasks are linked to it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RequirementLink {
    /// Tasks cite it, or it is stated with its task.
    #[default]
    Stated,
    /// The tasks of this plan cite nothing of its kind: all of them together serve it.
    WholePlan,
}

impl Task {
    pub fn serves(&self, id: &RequirementId) -> bool {
        self.requirements.contains(id)
    }
}

impl Plan {
    /// The requirements of its documents, in their order.
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }

    /// The same plan with requirements, and those that each task serves. More than
    /// [`MAX_REQUIREMENTS`] are cut off.
    #[must_use]
    pub fn with_requirements(
        mut self,
        mut requirements: Vec<Requirement>,
        served: impl IntoIterator<Item = (TaskId, Vec<RequirementId>)>,
    ) -> Self {
        requirements.truncate(MAX_REQUIREMENTS);
        self.requirements = requirements;
        for (task, served) in served {
            if let Some(at) = self.index_of(&task) {
                self.tasks[at.position()].requirements = served;
            }
        }
        self
    }

    /// Renames the files that state requirements, as a caller would write them.
    pub fn rename_requirement_files(&mut self, rename: impl Fn(&str) -> String) {
        for requirement in &mut self.requirements {
            requirement.file = rename(&requirement.file);
        }
    }

    /// Equal except for the requirements, which no work depends on.
    pub fn has_same_tasks_as(&self, other: &Self) -> bool {
        let same = |(one, other): (&Task, &Task)| {
            let requirements = other.requirements.clone();
            Task { requirements, ..one.clone() } == *other
        };
        (&self.name, &self.spec, self.len()) == (&other.name, &other.spec, other.len())
            && self.tasks.iter().zip(&other.tasks).all(same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{PlanDraft, TaskDraft};

    fn plan(title: &str) -> Plan {
        let task = TaskDraft { id: "T1".into(), title: title.to_owned(), ..TaskDraft::default() };
        Plan::new(PlanDraft { tasks: vec![task], ..PlanDraft::default() }).expect("a plan")
    }

    fn with_ledger(plan: Plan, text: &str) -> Plan {
        let id = RequirementId::new("R1").expect("an id");
        let task = plan.tasks()[0].id.clone();
        let requirement = Requirement {
            id: id.clone(),
            kind: RequirementKind::Requirement,
            text: text.to_owned(),
            file: "spec.md".to_owned(),
            line: 3,
            digest: "d".to_owned(),
            parent: None,
            scope: RequirementScope::Active,
            link: RequirementLink::Stated,
            note: None,
        };
        plan.with_requirements(vec![requirement], [(task, vec![id])])
    }

    /// TR-05, R13: a plan of an old journal has no requirements and is still read; one with requirements
    /// survives the journal.
    #[test]
    fn a_plan_is_stored_with_and_without_requirements() {
        let old = serde_json::to_value(plan("a")).expect("JSON");
        assert!(old.get("requirements").is_none() && old["tasks"][0].get("requirements").is_none());
        assert_eq!(serde_json::from_value::<Plan>(old).expect("a plan"), plan("a"));
        let new = with_ledger(plan("a"), "x");
        let stored = serde_json::to_value(&new).expect("JSON");
        assert_eq!(serde_json::from_value::<Plan>(stored).expect("a plan"), new);
    }

    /// TR-05: a changed requirement makes no task of a run another one.
    #[test]
    fn requirements_do_not_make_another_plan() {
        assert!(with_ledger(plan("a"), "x").has_same_tasks_as(&plan("a")));
        assert!(!plan("b").has_same_tasks_as(&plan("a")));
        let (one, other) = (with_ledger(plan("a"), "x"), plan("a"));
        assert!(one.tasks()[0].is_same_work_as(&other.tasks()[0]));
    }

    #[test]
    fn an_id_is_one_printable_line() {
        assert!(RequirementId::new(" FR-001 ").is_some_and(|id| id.as_str() == "FR-001"));
        assert_eq!(RequirementId::new("a\u{1b}[2J"), None);
        assert_eq!(RequirementId::new(&"x".repeat(200)), None);
        assert_eq!(RequirementId::new("  "), None);
    }
}
