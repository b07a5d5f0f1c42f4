//! The parts of a reviewer's prompt.

use std::fmt::Write as _;

use afresh_core::review::ReviewIssue;

use super::context::longest_fence;
use crate::bundle::review::ReviewAssignment;
use crate::bundle::{Bundle, ReportChannel};

/// How many changed files are listed.
const MAX_FILES: usize = 200;
/// How much of a worker's own notes is shown.
const MAX_NOTE_CHARS: usize = 2_000;

pub(super) fn passed_checks(review: &ReviewAssignment) -> String {
    review.passed.iter().fold(String::new(), |mut text, command| {
        let _ = writeln!(text, "- {command}");
        text
    })
}

/// The changed files, the patch, and how to see the rest.
pub(super) fn change(review: &ReviewAssignment) -> String {
    let mut text = format!(
        "Your directory holds the finished work. `git diff {} HEAD` shows the change; it has these files:\n",
        review.base
    );
    for file in review.files.iter().take(MAX_FILES) {
        let _ = writeln!(text, "- {file}");
    }
    if let more @ 1.. = review.files.len().saturating_sub(MAX_FILES) {
        let _ = writeln!(text, "- and {more} more");
    }
    let notes: String =
        review.notes.iter().flat_map(|it| it.chars()).take(MAX_NOTE_CHARS).collect();
    if !notes.trim().is_empty() {
        let _ = writeln!(text, "\nWhat its worker reports (unchecked): {}", notes.trim());
    }
    let fence = "`".repeat(longest_fence(&review.patch).max(2) + 1);
    let start = if review.cut {
        "The start of the patch; read the rest in the files:"
    } else {
        "The patch:"
    };
    let _ = writeln!(text, "\n{start}\n{fence}diff\n{}\n{fence}", review.patch.trim_end());
    text
}

/// What the last reviewer wanted: it must be done now.
pub(super) fn earlier(review: &ReviewAssignment) -> String {
    let Some(earlier) = &review.earlier else { return String::new() };
    let mut text = format!("Another reviewer rejected an earlier attempt: {}\n", earlier.summary);
    for issue in &earlier.issues {
        let _ = writeln!(text, "- {}", issue.describe());
    }
    text.push_str("Check that this is solved. Do not ask for more than is needed.");
    text
}

const APPROVED: &str = r#"{"verdict": "APPROVED", "summary": "…"}"#;
const CHANGES: &str = r#"{"verdict": "CHANGES_REQUESTED", "summary": "…", "issues": [{"file": "src/a.py", "line": 3, "description": "what is wrong, and what would be right"}]}"#;

pub(super) fn contract(bundle: &Bundle) -> String {
    let tool = "Your last act is one call of the tool `report_review` (server `afresh`)";
    let how = match bundle.reports_by {
        ReportChannel::Commands => {
            return format!(
                "End your output with exactly one of these objects, each marker alone on its line:\n\
                 OUTPUT_JSON_START\n{APPROVED}\nOUTPUT_JSON_END\nor\n\
                 OUTPUT_JSON_START\n{CHANGES}\nOUTPUT_JSON_END"
            );
        }
        ReportChannel::Tools => String::new(),
        ReportChannel::HiddenTools => {
            " It may be hidden: then search for it with `tool_search`.".to_owned()
        }
        ReportChannel::ToolsOrCommand => {
            " It may be hidden: then search for it. If there is none, pipe the same object into `afresh report-result`."
                .to_owned()
        }
    };
    format!(
        "{tool}, with one of these objects; without it, your review is lost.{how}\n- {APPROVED}\n- {CHANGES}"
    )
}

/// What a reviewer wanted, for the next worker.
pub(super) fn wanted_changes(issues: &[ReviewIssue]) -> String {
    issues.iter().fold(String::new(), |mut text, issue| {
        let _ = writeln!(text, "- {}", issue.describe());
        text
    })
}
