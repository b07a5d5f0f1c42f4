//! What reviewers said about the work of each attempt.

use std::fmt::Write as _;
use std::time::Duration;

use afresh_core::review::ReviewIssue;
use afresh_engine::reports::run_report::{ReviewReport, RunReport};

use crate::text::markdown::{code, text};
use crate::text::time;

pub(super) fn list(page: &mut String, report: &RunReport) {
    let all = report.tasks.iter().flat_map(|task| &task.attempts).chain(&report.dropped);
    let mut reviewed = all.filter(|attempt| !attempt.reviews.is_empty()).peekable();
    if reviewed.peek().is_none() {
        return;
    }
    page.push_str("\n## Reviews\n\n");
    for attempt in reviewed {
        for review in &attempt.reviews {
            let _ = writeln!(page, "- {} {}", code(&attempt.attempt), describe(review));
            for issue in &review.issues {
                let _ = writeln!(page, "  - {}", text(&ReviewIssue::describe(issue)));
            }
        }
    }
    for task in &report.tasks {
        let by = task.receipt.as_ref().and_then(|receipt| receipt.review.as_ref());
        if let Some(by) = by.and_then(|review| review.accepted_by.as_ref()) {
            let task = code(task.id.as_str());
            let _ = writeln!(page, "- {task} landed without an approval: accepted by {}", text(by));
        }
    }
}

fn describe(review: &ReviewReport) -> String {
    let mut line = format!("{} by {}", review.result.word(), code(&review.agent));
    if let Some(ms) = review.duration_ms {
        let _ = write!(line, " after {}", time::format_duration(Duration::from_millis(ms)));
    }
    if let Some(cost) = review.usage.cost_usd {
        let _ = write!(line, " (${cost:.4})");
    }
    if !review.summary.is_empty() {
        let _ = write!(line, ": {}", text(&review.summary));
    }
    line
}
