//! A table of tasks, with attempts and receipts that unfold.

use std::fmt::Write as _;
use std::time::Duration;

use afresh_app::dashboard::data::glyphs;
use afresh_app::text::time;
use afresh_core::status::{ReceiptStatus, TaskPhase};
use afresh_engine::reports::run_report::{AttemptReport, AttemptResult, RunReport, TaskReport};

use super::markup::{HtmlCell, HtmlPage, code, escape};

/// How many files of a task are listed.
const MAX_FILES: usize = 40;
/// How many attempts of a task are shown, the last ones.
const MAX_ATTEMPTS: usize = 12;

pub(super) fn table(page: &mut HtmlPage, report: &RunReport) {
    page.heading("Tasks");
    let columns = ["task", "state", "attempts", "time of workers", "tokens", "cost"];
    page.table(&columns, report.tasks.iter().map(row));
}

fn row(task: &TaskReport) -> Vec<HtmlCell> {
    let class = match task.state {
        TaskPhase::Done => "good",
        TaskPhase::Failed | TaskPhase::Blocked => "bad",
        TaskPhase::Waiting => "warn",
        TaskPhase::Running | TaskPhase::Checking | TaskPhase::Merging => "active",
        _ => "muted",
    };
    let cost = match (task.accounts.usage.cost_usd, task.attempts.is_empty()) {
        (Some(cost), _) => format!("${cost:.4}"),
        (None, true) => String::new(),
        (None, false) => "unknown".to_owned(),
    };
    let worked = time::format_duration(Duration::from_millis(task.accounts.worked_ms));
    vec![
        HtmlCell::markup(details(task)),
        HtmlCell::with_class(
            class,
            &format!("{} {}", glyphs::of_phase(task.state), task.state.word()),
        ),
        HtmlCell::number(task.attempts.len()),
        HtmlCell::number(worked),
        HtmlCell::number(task.accounts.tokens),
        HtmlCell::number(cost),
    ]
}

fn details(task: &TaskReport) -> String {
    let name = format!("{} {}", code(task.id.as_str()), escape(&task.title));
    let mut inside = String::new();
    if let Some(error) = &task.error {
        let _ = write!(inside, "<p class=\"bad\">{}</p>", escape(error));
    }
    let skipped = task.attempts.len().saturating_sub(MAX_ATTEMPTS);
    if skipped > 0 {
        let _ = write!(inside, "<p class=\"muted\">{skipped} earlier attempts are not shown</p>");
    }
    inside.extend(task.attempts.iter().skip(skipped).map(attempt));
    if let Some(receipt) = &task.receipt {
        inside.push_str(&proof(receipt));
    }
    if let Some(notes) = &task.notes {
        let _ = write!(inside, "<p>the worker's notes:</p><pre>{}</pre>", escape(notes));
    }
    if inside.is_empty() {
        name
    } else {
        format!("<details><summary>{name}</summary>{inside}</details>")
    }
}

fn attempt(attempt: &AttemptReport) -> String {
    let class = match attempt.result {
        AttemptResult::Merged => "good",
        AttemptResult::Rejected | AttemptResult::NotStarted => "bad",
        AttemptResult::Underway => "active",
        AttemptResult::Passed | AttemptResult::Undone => "muted",
    };
    let took = attempt.duration_ms.map(|ms| time::format_duration(Duration::from_millis(ms)));
    let by_hand = attempt.by_hand.as_ref().map(|by| format!("by hand of {by}"));
    let who = [by_hand, attempt.agent.clone(), attempt.model.clone(), took].into_iter().flatten();
    let who: Vec<String> = who.map(|word| escape(&word)).collect();
    let mut shown = format!(
        "<p>{} <span class=\"{class}\">{}</span> <span class=\"muted\">{}</span></p>",
        code(&attempt.attempt),
        attempt.result.word(),
        who.join(" · ")
    );
    if let Some(reason) = &attempt.reason {
        let _ = write!(shown, "<pre>{}</pre>", escape(reason));
    }
    for review in &attempt.reviews {
        let _ = write!(
            shown,
            "<p>review by {}: {}</p><pre>{}</pre>",
            escape(&review.agent),
            review.result.word(),
            escape(&review.summary)
        );
    }
    shown
}

/// What was run on which tree, and what changed.
fn proof(receipt: &ReceiptStatus) -> String {
    let tree: String = receipt.tree.as_str().chars().take(10).collect();
    let batch = receipt.covered_by.as_ref().map(|commit| {
        let commit: String = commit.as_str().chars().take(10).collect();
        format!(", together with the rest of its batch, up to {}", code(&commit))
    });
    let mut shown =
        format!("<p>checked on tree {}{}:</p><ul>", code(&tree), batch.unwrap_or_default());
    for check in &receipt.checks {
        let exit = check.exit_code.map_or("no exit code".to_owned(), |code| format!("exit {code}"));
        let tests =
            check.executed_tests.map(|tests| format!(", {tests} tests")).unwrap_or_default();
        let flaky = if check.flaky { ", flaky" } else { "" };
        let took = time::format_duration(Duration::from_millis(check.duration_ms));
        let _ = write!(
            shown,
            "<li>{} <span class=\"muted\">{exit}{tests}{flaky}, {took}</span></li>",
            code(&check.command)
        );
    }
    shown.push_str("</ul>");
    let groups = [
        ("created", &receipt.created),
        ("modified", &receipt.modified),
        ("deleted", &receipt.deleted),
    ];
    for (word, paths) in groups.into_iter().filter(|(_, paths)| !paths.is_empty()) {
        let listed: Vec<String> = paths.iter().take(MAX_FILES).map(|path| code(path)).collect();
        let more = match paths.len().saturating_sub(MAX_FILES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let _ = write!(shown, "<p>{word}: {}{more}</p>", listed.join(" "));
    }
    shown
}
