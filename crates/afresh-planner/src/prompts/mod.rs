//! What each planning role is told. A project may override every text with a file of the same name in
//! `.afresh/templates/`.

use std::collections::BTreeMap;

/// Who a planning stage is given to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanningRole {
    /// Writes the whole plan at once.
    Planner,
    /// Changes a plan whose specification changed.
    PlanEditor,
    /// Says what the program does.
    LogicArchitect,
    /// Says in which files.
    PhysicalArchitect,
    /// Cuts the work into tasks.
    TaskAuthor,
    /// Writes the tests before the code.
    CheckAuthor,
    /// Judges what a program cannot.
    PlanVerifier,
}

impl PlanningRole {
    pub const ALL: &[Self] = &[
        Self::Planner,
        Self::PlanEditor,
        Self::LogicArchitect,
        Self::PhysicalArchitect,
        Self::TaskAuthor,
        Self::CheckAuthor,
        Self::PlanVerifier,
    ];

    /// The file in `.afresh/templates/`.
    pub fn file_name(self) -> &'static str {
        match self {
            Self::Planner => "planner.md",
            Self::PlanEditor => "plan-editor.md",
            Self::LogicArchitect => "logic-architect.md",
            Self::PhysicalArchitect => "physical-architect.md",
            Self::TaskAuthor => "task-author.md",
            Self::CheckAuthor => "check-author.md",
            Self::PlanVerifier => "plan-verifier.md",
        }
    }

    pub fn template(self) -> &'static str {
        match self {
            Self::Planner => include_str!("planner.md"),
            Self::PlanEditor => include_str!("plan-editor.md"),
            Self::LogicArchitect => include_str!("logic-architect.md"),
            Self::PhysicalArchitect => include_str!("physical-architect.md"),
            Self::TaskAuthor => include_str!("task-author.md"),
            Self::CheckAuthor => include_str!("check-author.md"),
            Self::PlanVerifier => include_str!("plan-verifier.md"),
        }
    }
}

/// The template with its variables filled in. Text that comes in is never a template itself.
pub fn render(template: &str, values: &BTreeMap<&str, String>) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some(start) = rest.find("{{") {
        let Some(end) = rest[start..].find("}}").map(|end| start + end) else { break };
        text.push_str(&rest[..start]);
        match values.get(&rest[start + 2..end]) {
            Some(value) => text.push_str(value),
            None => text.push_str(&rest[start..end + 2]),
        }
        rest = &rest[end + 2..];
    }
    text.push_str(rest);
    text
}

/// The variables that a template may use; others stay as they are.
pub const VARIABLES: &[&str] = &[
    "artifact",
    "changes",
    "deferred",
    "directory",
    "first_id",
    "name",
    "plan_path",
    "preferences",
    "project",
    "statements",
    "tasks",
    "test_changes",
    "validate",
];

#[cfg(test)]
mod tests {
    use afresh_core::estimate::tokens::estimate_text;

    use super::*;

    /// PL-09: every variable of a template is known, and no text that comes in is one.
    #[test]
    fn templates_use_known_variables() {
        for role in PlanningRole::ALL {
            let values = VARIABLES.iter().map(|name| (*name, "{{name}}".to_owned())).collect();
            let text = render(role.template(), &values);
            assert_eq!(text.matches("{{").count(), text.matches("{{name}}").count(), "{role:?}");
        }
    }

    /// PL-09: every role is told how to validate what it writes.
    #[test]
    fn every_role_is_told_how_to_validate() {
        for role in PlanningRole::ALL {
            assert!(role.template().contains("{{validate}}"), "{role:?}");
        }
    }

    /// PR-06: the frame of each role is short.
    #[test]
    fn the_frame_of_each_role_is_short() {
        for role in PlanningRole::ALL {
            let tokens = estimate_text(role.template());
            assert!(tokens < 1_500, "{role:?}: {tokens}");
        }
    }
}
