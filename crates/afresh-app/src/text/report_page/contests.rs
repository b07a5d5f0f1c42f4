//! What each agent did where several competed for one task.

use std::fmt::Write as _;
use std::time::Duration;

use afresh_core::plan::{Contest, ContestRule};
use afresh_engine::reports::run_report::{AttemptReport, AttemptResult, RunReport, TaskReport};

use crate::text::markdown::{code, text};
use crate::text::time;

pub(super) fn tables(page: &mut String, report: &RunReport) {
    let competed = |task: &&TaskReport| task.contest.is_some() && !task.attempts.is_empty();
    let mut tasks = report.tasks.iter().filter(competed).peekable();
    if tasks.peek().is_none() {
        return;
    }
    page.push_str("\n## Competing agents\n");
    for task in tasks {
        let Some(contest) = &task.contest else { continue };
        let (id, title) = (code(task.id.as_str()), text(&task.title));
        let _ = writeln!(page, "\n{id} {title}: {}.\n", rule(contest));
        page.push_str("| attempt | agent | result | files | time | tokens | cost |\n");
        page.push_str("| --- | --- | --- | --- | --- | --- | --- |\n");
        for attempt in &task.attempts {
            page.push_str(&row(attempt));
        }
        let passed: Vec<&AttemptReport> =
            task.attempts.iter().filter(|attempt| has_passed(attempt)).collect();
        if let [first, .., last] = passed[..] {
            let (first, last) = (&first.attempt, &last.attempt);
            let _ = writeln!(page, "\nTo compare their work: `afresh diff {first} {last}`");
        }
    }
}

fn has_passed(attempt: &AttemptReport) -> bool {
    matches!(attempt.result, AttemptResult::Passed | AttemptResult::Merged)
}

fn rule(contest: &Contest) -> &'static str {
    match contest.land {
        ContestRule::First => "the first work that passes lands",
        ContestRule::Cheapest => "the cheapest work that passes lands",
    }
}

fn row(attempt: &AttemptReport) -> String {
    let took = attempt.duration_ms.map(|ms| time::format_duration(Duration::from_millis(ms)));
    let files = attempt.files_changed.map(|number| number.to_string());
    let tokens = Some(attempt.used.tokens()).filter(|tokens| *tokens > 0);
    let cost = attempt.usage.cost_usd.map(|cost| format!("${cost:.4}"));
    format!(
        "| {} | {} | {} | {} | {} | {} | {} |\n",
        code(&attempt.attempt),
        text(attempt.agent.as_deref().unwrap_or("unknown")),
        result(attempt),
        files.unwrap_or_default(),
        took.unwrap_or_default(),
        tokens.map_or_else(|| "unknown".to_owned(), |tokens| tokens.to_string()),
        cost.as_deref().unwrap_or("unknown"),
    )
}

fn result(attempt: &AttemptReport) -> &'static str {
    match attempt.result {
        AttemptResult::Passed => "passed, not chosen",
        other => other.word(),
    }
}
