//! Requirements, decisions, deviations, tokens and cost.

use std::fmt::Write as _;

use afresh_core::status::UsageStatus;
use afresh_core::status::trace::{RequirementState, RequirementTrace};
use afresh_engine::reports::run_report::RunReport;

use super::markup::{HtmlCell, HtmlPage, code, escape};

/// How many requirements are listed; the rest is in `afresh trace`.
const MAX_REQUIREMENTS: usize = 300;

pub(super) fn requirements(page: &mut HtmlPage, trace: Option<&RequirementTrace>) {
    let Some(trace) = trace.filter(|trace| !trace.requirements.is_empty()) else { return };
    page.heading("Requirements and what proves them");
    let rows = trace.requirements.iter().take(MAX_REQUIREMENTS).map(|one| {
        let class = match one.state {
            RequirementState::Proved => "good",
            state if state.is_gap() => "bad",
            _ => "muted",
        };
        let tasks: Vec<String> = one.tasks.iter().map(|task| code(task.as_str())).collect();
        let proofs = one.checks.iter().filter(|check| check.proves);
        let mut proofs: Vec<String> = proofs.map(|check| code(&check.command)).collect();
        proofs.dedup();
        proofs.truncate(6);
        vec![
            HtmlCell::code(one.id.as_str()),
            HtmlCell::text(&one.text),
            HtmlCell::with_class(class, one.state.word()),
            HtmlCell::markup(tasks.join(" ")),
            HtmlCell::markup(if proofs.is_empty() {
                escape(&one.reason)
            } else {
                proofs.join(" ")
            }),
        ]
    });
    page.table(&["id", "requirement", "state", "tasks", "proof"], rows);
    let more = trace.requirements.len().saturating_sub(MAX_REQUIREMENTS);
    if more > 0 {
        page.push(&format!("<p class=\"muted\">and {more} more: {}</p>", code("afresh trace")));
    }
}

pub(super) fn decisions(page: &mut HtmlPage, report: &RunReport) {
    if report.questions.is_empty() {
        return;
    }
    page.heading("Decisions");
    let rows = report.questions.iter().map(|question| {
        let answer = match (&question.answer, &question.by, question.open) {
            (Some(answer), Some(by), _) => format!("{answer} (by {by})"),
            (Some(answer), None, _) => answer.clone(),
            (None, _, true) => "waits for an answer".to_owned(),
            (None, _, false) => "settled otherwise".to_owned(),
        };
        vec![
            HtmlCell::code(&question.id),
            HtmlCell::code(question.task.as_str()),
            HtmlCell::text(&question.text),
            HtmlCell::text(&answer),
        ]
    });
    page.table(&["question", "task", "text", "answer"], rows);
}

pub(super) fn deviations(page: &mut HtmlPage, report: &RunReport) {
    let mut list = String::new();
    for task in &report.tasks {
        for deviation in &task.deviations {
            let _ = write!(
                list,
                "<li>{} {}</li>",
                code(task.id.as_str()),
                escape(&deviation.description)
            );
        }
        for difference in &task.differences {
            let _ = write!(list, "<li>{} {}</li>", code(task.id.as_str()), escape(difference));
        }
    }
    if !list.is_empty() {
        page.heading("Deviations");
        page.push(&format!("<ul>{list}</ul>"));
    }
}

pub(super) fn usage(page: &mut HtmlPage, report: &RunReport) {
    if report.accounts.tokens == 0 {
        return;
    }
    page.heading("Tokens and cost");
    let row = |name: String, usage: &UsageStatus, without_price: usize| {
        let cost = match (usage.cost_usd, without_price) {
            (None, _) => "unknown".to_owned(),
            (Some(cost), 0) => format!("${cost:.4}"),
            (Some(cost), unknown) => format!("${cost:.4} + {unknown} unknown"),
        };
        vec![
            HtmlCell::text(&name),
            HtmlCell::number(usage.input),
            HtmlCell::number(usage.output),
            HtmlCell::number(usage.cache_read),
            HtmlCell::number(usage.cache_write),
            HtmlCell::number(cost),
        ]
    };
    let mut rows = Vec::new();
    // A wave that no worker has begun used nothing.
    for wave in report.waves.iter().filter(|wave| wave.accounts.attempts > 0) {
        rows.push(row(
            format!("wave {}", wave.number),
            &wave.accounts.usage,
            wave.accounts.without_price,
        ));
    }
    for agent in &report.agents {
        rows.push(row(
            format!("agent {}", agent.agent),
            &agent.accounts.usage,
            agent.accounts.without_price,
        ));
    }
    for model in &report.models {
        rows.push(row(format!("model {}", model.model), &model.usage, model.without_price));
    }
    if let Some(reviews) = &report.review_accounts {
        rows.push(row("reviews, of it".to_owned(), &reviews.usage, reviews.without_price));
    }
    rows.push(row("all".to_owned(), &report.accounts.usage, report.accounts.without_price));
    page.table(&["", "input", "output", "cache read", "cache write", "cost"], rows);
}
