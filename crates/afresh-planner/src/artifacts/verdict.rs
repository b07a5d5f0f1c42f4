//! What the plan verifier says (PL-07). Only an issue with a rule and a place blocks (PL-21).

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanVerdict {
    pub version: String,
    pub verdict: VerdictWord,
    pub summary: String,
    /// What was compared, for each task.
    pub tasks: Vec<TaskEvidence>,
    #[serde(default)]
    pub issues: Vec<VerdictIssue>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum VerdictWord {
    Ready,
    ReadyWithNotes,
    Blocked,
}

impl VerdictWord {
    pub const ALL: &[Self] = &[Self::Ready, Self::ReadyWithNotes, Self::Blocked];

    pub fn word(self) -> &'static str {
        match self {
            Self::Ready => "READY",
            Self::ReadyWithNotes => "READY_WITH_NOTES",
            Self::Blocked => "BLOCKED",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskEvidence {
    pub task: String,
    pub evidence: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictIssue {
    pub rule: String,
    /// The id of a task or of a statement.
    pub place: String,
    pub severity: IssueSeverity,
    pub text: String,
    pub fix: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IssueSeverity {
    Blocker,
    Note,
}

impl PlanVerdict {
    pub fn blockers(&self) -> impl Iterator<Item = &VerdictIssue> {
        self.issues.iter().filter(|issue| issue.severity == IssueSeverity::Blocker)
    }

    /// Blockers that an earlier verdict had, too: the same rule at the same place. They do not converge by
    /// themselves, so a person decides (PL-21).
    pub fn repeated_blockers(&self, earlier: &Self) -> Vec<&VerdictIssue> {
        let is_known = |issue: &&VerdictIssue| {
            earlier.blockers().any(|old| (&old.rule, &old.place) == (&issue.rule, &issue.place))
        };
        self.blockers().filter(is_known).collect()
    }

    /// The report for people: evidence per task, issues with fixes, preferences that are violated.
    pub fn render_report(&self, name: &str) -> String {
        let mut text = format!(
            "# Validation of the plan {name}\n\n**Verdict:** {}\n\n{}\n",
            self.verdict.word(),
            self.summary.trim()
        );
        let (preferences, issues): (Vec<_>, Vec<_>) =
            self.issues.iter().partition(|issue| issue.rule == "violates-preference");
        for (heading, issues) in
            [("Issues", issues), ("Preferences that are violated", preferences)]
        {
            let _ = write!(text, "\n## {heading}\n\n");
            if issues.is_empty() {
                text.push_str("None.\n");
            }
            for VerdictIssue { rule, place, severity, text: words, fix } in issues {
                let severity =
                    if *severity == IssueSeverity::Blocker { "**blocker**" } else { "note" };
                let _ = writeln!(text, "- {severity} `{rule}` at {place}: {words} Fix: {fix}");
            }
        }
        text.push_str("\n## Evidence per task\n\n");
        for TaskEvidence { task, evidence } in &self.tasks {
            let _ = writeln!(text, "- {task}: {evidence}");
        }
        text
    }
}
