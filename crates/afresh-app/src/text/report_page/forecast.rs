//! What the run was expected to take, and how well its plan worked.

use std::fmt::Write as _;

use afresh_core::status::forecast::ForecastComparison;
use afresh_engine::reports::run_report::{ForecastReport, RunReport, TaskEstimateReport};

use crate::text::count;
use crate::text::markdown::code;

pub(super) fn section(page: &mut String, report: &RunReport) {
    let has_work = report.tasks.iter().any(|task| !task.attempts.is_empty());
    if !has_work {
        return;
    }
    page.push_str("\n## Forecast and plan\n\n");
    let score = &report.score;
    let first = score.first_attempt_rate.map_or_else(
        || "no task is done".to_owned(),
        |rate| format!("{:.0} % of the done tasks at the first attempt", rate * 100.0),
    );
    let retries = match score.retries {
        1 => "1 retry".to_owned(),
        many => format!("{many} retries"),
    };
    let conflicts = count(score.conflicts, "conflict");
    let _ = writeln!(page, "- {first}, {retries}, {conflicts}");
    if let Some(error) = score.estimate_error {
        let _ = writeln!(page, "- estimates of tasks were off by {:.0} % (median)", error * 100.0);
    }
    if let Some(forecast) = &report.forecast {
        totals(page, forecast);
        tasks(page, forecast);
    }
}

fn totals(page: &mut String, forecast: &ForecastReport) {
    if forecast.samples == 0 {
        page.push_str("- no forecast: there was no history\n");
        return;
    }
    let compared = [
        ("tokens", forecast.tokens, "", 0),
        ("cost", forecast.cost_usd, "$", 4),
        ("minutes", forecast.minutes, "", 2),
    ];
    for (what, comparison, sign, digits) in compared {
        let Some(it) = comparison else { continue };
        let ForecastComparison { p50, p90, actual, .. } = it;
        let _ = writeln!(
            page,
            "- {what}: {sign}{actual:.digits$}, forecast {sign}{p50:.digits$} (P90 {sign}{p90:.digits$}){}",
            describe_error(it.error)
        );
    }
}

fn tasks(page: &mut String, forecast: &ForecastReport) {
    let mut known = forecast.tasks.iter().filter(|task| task.used_tokens.is_some()).peekable();
    if known.peek().is_none() {
        return;
    }
    page.push_str(
        "\n| task | estimated | used, without cache reads | error |\n| --- | --- | --- | --- |\n",
    );
    for TaskEstimateReport { task, estimated_tokens, used_tokens, error, .. } in known {
        let error = describe_error(*error);
        let _ = writeln!(
            page,
            "| {} | {estimated_tokens} | {} | {} |",
            code(task.as_str()),
            used_tokens.unwrap_or_default(),
            error.trim_start_matches(": ")
        );
    }
}

/// `: 12 % more`.
fn describe_error(error: Option<f64>) -> String {
    match error {
        None => String::new(),
        Some(error) if error < 0.0 => format!(": {:.0} % less", -error * 100.0),
        Some(error) => format!(": {:.0} % more", error * 100.0),
    }
}
