//! Denials: what the sandbox, limits and the proxy refused.

use std::fmt::Write as _;

use afresh_core::denial::DeniedAction;
use afresh_engine::reports::run_report::{AttemptReport, DenialReport, RunReport};

use crate::text::markdown::{code, text};

pub(super) fn list(page: &mut String, report: &RunReport) {
    let all = report.tasks.iter().flat_map(|task| &task.attempts).chain(&report.dropped);
    let met: Vec<&AttemptReport> = all.filter(|attempt| !attempt.refusals.is_empty()).collect();
    if met.is_empty() {
        return;
    }
    page.push_str(
        "\n## Denials\n\nWhat the sandbox, the limits and the git wrapper blocked. Lines marked \"said\" are taken \
         from a program's output and were not measured.\n\n",
    );
    for attempt in &met {
        attempt.refusals.iter().for_each(|refusal| line(page, attempt, refusal));
    }
    let mut refusals = met.iter().flat_map(|attempt| &attempt.refusals);
    if refusals.any(|refusal| refusal.what == DeniedAction::Said) {
        page.push_str(
            "\nWhat workers and checks rightly need, you can open: `AFRESH_SANDBOX_READ`, \
             `AFRESH_SANDBOX_WRITE`, `--check-network`.\n",
        );
    }
}

fn line(page: &mut String, attempt: &AttemptReport, refusal: &DenialReport) {
    let times =
        if refusal.times > 1 { format!(" ({} times)", refusal.times) } else { String::new() };
    let check = refusal.check.as_ref().map(|command| format!(", by the check {}", code(command)));
    let _ = writeln!(
        page,
        "- {} {}: {}{times}{}",
        code(&attempt.attempt),
        refusal.what.word(),
        text(&refusal.detail),
        check.unwrap_or_default(),
    );
}
