//! SUMMARY.md: the outcome of a plan.

use crate::draft::DraftPlan;
use afresh_formats::findings::SourceText;
use afresh_formats::folder::PlanFolder;
use afresh_formats::text::markdown::Frontmatter;
use afresh_formats::text::yaml;
use afresh_formats::text::yaml::values::{get, word};

/// A plan's summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanSummary {
    pub path: String,
    pub status: Option<String>,
}

impl PlanSummary {
    /// Reads the first of these files that exists.
    pub fn find(
        folder: &dyn PlanFolder,
        candidates: &[String],
        drafted: &mut DraftPlan,
    ) -> Option<Self> {
        let path = candidates.iter().find(|path| folder.holds(path))?;
        // Only its first lines say how the plan ended.
        let text = match folder.head(path)? {
            Ok(text) => text,
            Err(finding) => {
                let hint = "the plan counts as not done";
                drafted.findings.push(finding.as_warning().with_hint(hint));
                return None;
            }
        };
        let source = SourceText::new(path, &text);
        let status = Frontmatter::first(&text).and_then(|block| {
            let (node, _) = yaml::frontmatter(&source, &block);
            get(&node, "status").and_then(word)
        });
        let status = status.map(|status| status.trim().to_ascii_lowercase());
        Some(Self { path: path.clone(), status: status.filter(|status| !status.is_empty()) })
    }

    /// Whether its status says that the plan is done.
    pub fn is_completed(&self) -> bool {
        matches!(
            self.status.as_deref(),
            Some("completed" | "complete" | "done" | "success" | "passed")
        )
    }

    /// Whether its status says that the plan is not done.
    pub fn is_unfinished(&self) -> bool {
        let status = self.status.as_deref().unwrap_or_default();
        let words: Vec<&str> = status.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        let first = words.first().copied().unwrap_or_default();
        UNFINISHED.iter().any(|word| words.contains(word))
            || ["needs", "in", "not", "todo", "open", "started", "wip"].contains(&first)
    }
}

/// Words of a status that say that work is left: `partial-complete-pending-checkpoint`.
const UNFINISHED: &[&str] = &[
    "blocked",
    "halted",
    "failed",
    "failure",
    "partial",
    "partially",
    "incomplete",
    "skipped",
    "timeout",
    "paused",
    "progress",
    "pending",
    "aborted",
    "error",
    "awaiting",
    "waiting",
    "interrupted",
    "stopped",
    "unfinished",
];
