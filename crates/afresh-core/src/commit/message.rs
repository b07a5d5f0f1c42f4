//! The message of a task's commit.
//!
//! Trailers are always the last paragraph, in the same form: recovery, `verify-run` and `clean` read them.

use std::fmt::Write as _;

use super::label::{CommitLabel, compose_subject, one_line};
use super::paragraph::{code_list, wrap_prose};
use super::template::CommitTemplate;
use crate::ids::{AttemptId, RunId};
use crate::run::{Run, TaskStage};

/// Everything that a message may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitFacts {
    pub run: RunId,
    pub attempt: AttemptId,
    pub plan: String,
    pub title: String,
    pub label: Option<CommitLabel>,
    /// What the worker reported about its work.
    pub summary: Option<String>,
    /// The commands that must pass on this very tree.
    pub checks: Vec<String>,
    pub agent: Option<String>,
    pub model: Option<String>,
    /// The paths that the attempt changed.
    pub files: Vec<String>,
    pub requirements: Vec<String>,
}

impl CommitFacts {
    /// The whole message: as the template says, or subject, summary and checks; and the trailers.
    pub fn render(&self, template: Option<&CommitTemplate>) -> String {
        let trailers = compose_trailers(&self.run, &self.attempt);
        match template {
            Some(template) => template.render(self, &trailers),
            None => self.render_default(&trailers),
        }
    }

    fn render_default(&self, trailers: &str) -> String {
        let mut message = self.subject();
        for paragraph in [self.summary(), self.checks()] {
            if !paragraph.is_empty() {
                let _ = write!(message, "\n\n{paragraph}");
            }
        }
        format!("{message}\n\n{trailers}")
    }

    pub(super) fn subject(&self) -> String {
        compose_subject(&self.title, self.label.as_ref())
    }

    pub(super) fn title(&self) -> String {
        one_line(&self.title)
    }

    pub(super) fn summary(&self) -> String {
        wrap_prose(self.summary.as_deref().unwrap_or_default())
    }

    pub(super) fn checks(&self) -> String {
        if self.checks.is_empty() {
            return String::new();
        }
        format!("Checks:\n{}", code_list(&self.checks))
    }
}

/// The trailer of a commit inside of a batch: the tree that was checked for it (IN-02).
pub const CHECKED_TREE: &str = "Afresh-Checked-Tree";

/// The last paragraph of a task's commit.
pub fn compose_trailers(run: &RunId, attempt: &AttemptId) -> String {
    format!(
        "Afresh-Run: {run}\nAfresh-Task: {}\nAfresh-Attempt: {}\n",
        attempt.task, attempt.number
    )
}

/// The body of a commit that is a step of a task.
pub fn compose_step_body(attempt: &AttemptId, title: &str) -> String {
    let title = one_line(title);
    if title.is_empty() || title == attempt.task.as_str() {
        return format!("Part of {}, attempt {}.", attempt.task, attempt.number);
    }
    let mut lines = Vec::new();
    let sentence = format!("Part of {}, attempt {}: {title}", attempt.task, attempt.number);
    lines.push(wrap_prose(&sentence));
    lines.join("\n")
}

impl Run {
    /// What the commit of a finished attempt may name. None if its task is no longer in the plan.
    pub fn commit_facts(&self, attempt: &AttemptId) -> Option<CommitFacts> {
        let at = self.plan().index_of(&attempt.task)?;
        let (task, state) = (self.plan().task(at), self.task(at));
        let checks = self.landing_checks(at);
        let tolerated = self.tolerated(&[at], checks.iter());
        let must_pass = |command: &String| tolerated.iter().all(|it| it.command != *command);
        let files = match &state.stage {
            TaskStage::Merging { harvest, .. } => {
                harvest.changes.iter().map(|change| change.path.clone()).collect()
            }
            _ => Vec::new(),
        };
        let identity = state.records.identities.get(&attempt.number);
        Some(CommitFacts {
            run: self.id().clone(),
            attempt: attempt.clone(),
            plan: self.plan().name.clone(),
            title: task.title.clone(),
            label: task.commit.clone(),
            summary: state.claim().and_then(|claim| claim.notes.clone()),
            checks: checks.into_iter().map(|check| check.command).filter(must_pass).collect(),
            agent: self.agent_of_attempt(at, attempt.number).map(str::to_owned),
            model: identity.and_then(|identity| identity.model.clone()),
            files,
            requirements: task.requirements.iter().map(ToString::to_string).collect(),
        })
    }

    /// The message of the commit that lands an attempt; the same for the same journal.
    pub fn commit_message(&self, attempt: &AttemptId) -> String {
        match self.commit_facts(attempt) {
            Some(facts) => facts.render(self.settings().commit_template.as_ref()),
            None => format!("{}\n\n{}", attempt.task, compose_trailers(self.id(), attempt)),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::ids::TaskId;

    pub(in crate::commit) fn facts() -> CommitFacts {
        CommitFacts {
            run: "demo-1".parse().expect("an id"),
            attempt: AttemptId { task: TaskId::new("T8").expect("an id"), number: 2 },
            plan: "greeting".to_owned(),
            title: "Release notes".to_owned(),
            label: None,
            summary: Some("Wrote the notes.\n\nThe old ones moved.".to_owned()),
            checks: vec!["make docs".to_owned(), "test -s NEWS".to_owned()],
            agent: Some("claude".to_owned()),
            model: None,
            files: vec!["NEWS".to_owned()],
            requirements: vec![],
        }
    }

    /// EX-16: subject, the worker's summary, the checks, the trailers.
    #[test]
    fn a_message_has_summary_checks_and_trailers() {
        assert_eq!(
            facts().render(None),
            "Release notes\n\nWrote the notes.\n\nThe old ones moved.\n\nChecks:\n- make docs\n- test -s NEWS\n\n\
             Afresh-Run: demo-1\nAfresh-Task: T8\nAfresh-Attempt: 2\n"
        );
        let bare = CommitFacts { summary: None, checks: vec![], ..facts() };
        assert_eq!(
            bare.render(None),
            "Release notes\n\nAfresh-Run: demo-1\nAfresh-Task: T8\nAfresh-Attempt: 2\n"
        );
    }

    #[test]
    fn a_step_says_its_task() {
        let attempt = facts().attempt;
        assert_eq!(
            compose_step_body(&attempt, "Release notes"),
            "Part of T8, attempt 2: Release notes"
        );
        assert_eq!(compose_step_body(&attempt, ""), "Part of T8, attempt 2.");
    }
}
