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
        let text = drafted.beside(folder, path, "the plan counts as not done")?;
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
        let status = self.status.as_deref().unwrap_or_default().replace(['_', ' '], "-");
        let words = [
            "blocked",
            "halted",
            "failed",
            "failure",
            "partial",
            "incomplete",
            "skipped",
            "timeout",
            "paused",
            "in-progress",
            "pending",
            "aborted",
            "error",
            "needs-decision",
            "needs-action",
        ];
        words.contains(&status.as_str())
    }
}
