//! How far the requirements of the plan are met.

use std::fmt::Write as _;

use afresh_engine::reports::run_report::RunReport;

use crate::text::count;
use crate::text::markdown::{code, text};

/// How many gaps are listed.
const MAX_GAPS: usize = 20;

pub(super) fn list(page: &mut String, report: &RunReport) {
    let Some(requirements) = &report.requirements else { return };
    let total: usize = requirements.counts.values().sum();
    let counts = requirements.counts.iter().map(|(state, number)| format!("{number} {state}"));
    let counts: Vec<String> = counts.collect();
    page.push_str("\n## Requirements\n\n");
    let _ = writeln!(page, "{}: {}.", count(total, "requirement"), counts.join(", "));
    if requirements.gaps.is_empty() {
        return;
    }
    page.push('\n');
    for gap in requirements.gaps.iter().take(MAX_GAPS) {
        let (id, words) = (text(gap.id.as_str()), text(&gap.text));
        let _ = writeln!(page, "- {} **{id}** {words}: {}", gap.state, text(&gap.reason));
    }
    let more = requirements.gap_count.saturating_sub(MAX_GAPS);
    if more > 0 {
        let _ = writeln!(page, "- and {}: {}", count(more, "more gap"), code("afresh trace"));
    }
}
