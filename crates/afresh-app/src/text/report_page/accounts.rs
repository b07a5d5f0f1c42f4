//! Tokens, cost and time of a report. A price that was not reported is unknown.

use std::fmt::Write as _;
use std::time::Duration;

use afresh_core::status::UsageStatus;
use afresh_engine::reports::run_report::{AgentReport, RunReport, UsageReport};

use crate::text::count;
use crate::text::markdown::code;
use crate::text::time;

pub(super) fn table(page: &mut String, report: &RunReport) {
    if report.accounts.tokens == 0 && report.accounts.usage.cost_usd.is_none() {
        return;
    }
    page.push_str("\n## Tokens and cost\n\n| | input | output | cache read | cache write | cost |\n| --- | --- | --- | --- | --- | --- |\n");
    let mut row = |what: String, usage: &UsageStatus, without_price: usize| {
        let price = match (usage.cost_usd, without_price) {
            (None, _) => "unknown".to_owned(),
            (Some(cost), 0) => format!("${cost:.4}"),
            (Some(cost), unknown) => format!("${cost:.4} + {unknown} unknown"),
        };
        let _ = writeln!(
            page,
            "| {what} | {} | {} | {} | {} | {price} |",
            usage.input, usage.output, usage.cache_read, usage.cache_write
        );
    };
    for task in &report.tasks {
        row(code(task.id.as_str()), &task.accounts.usage, task.accounts.without_price);
    }
    for wave in &report.waves {
        row(format!("wave {}", wave.number), &wave.accounts.usage, wave.accounts.without_price);
    }
    for agent in report.agents.iter().filter(|_| report.agents.len() > 1) {
        row(
            format!("agent {}", code(&agent.agent)),
            &agent.accounts.usage,
            agent.accounts.without_price,
        );
    }
    for model in &report.models {
        row(format!("model {}", code(&model.model)), &model.usage, model.without_price);
    }
    if let Some(reviews) = &report.review_accounts {
        let what = format!("{} of it", count(reviews.attempts, "review"));
        row(what, &reviews.usage, reviews.without_price);
    }
    row("all".to_owned(), &report.accounts.usage, report.accounts.without_price);
}

/// Several agents, compared (BE-08).
pub(super) fn agents(page: &mut String, report: &RunReport) {
    if report.agents.len() < 2 {
        return;
    }
    page.push_str("\n## Agents\n\n| agent | attempts | merged | rejected | worked | tokens | cost |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for AgentReport { agent, merged, rejected, accounts } in &report.agents {
        let worked = time::format_duration(Duration::from_millis(accounts.worked_ms));
        let cost = match accounts.usage.cost_usd {
            Some(cost) => format!("${cost:.4}"),
            None => "unknown".to_owned(),
        };
        let _ = writeln!(
            page,
            "| {} | {} | {merged} | {rejected} | {worked} | {} | {cost} |",
            code(agent),
            accounts.attempts,
            accounts.tokens
        );
    }
}

pub(super) fn tokens(accounts: &UsageReport) -> String {
    let worked = time::format_duration(Duration::from_millis(accounts.worked_ms));
    let who = format!("{} worked for {worked}", count(accounts.attempts, "attempt"));
    match (accounts.attempts, accounts.without_tokens) {
        (0, _) => "no attempt has run".to_owned(),
        (all, silent) if all == silent => format!("{who}; token use: not reported by the agents"),
        (_, 0) => format!("{who}; {} tokens", accounts.tokens),
        (_, silent) => format!("{who}; {} tokens, {silent} reported none", accounts.tokens),
    }
}

pub(super) fn cost(accounts: &UsageReport) -> String {
    match (accounts.usage.cost_usd, accounts.without_price) {
        (None, _) => "cost: not reported by the agents".to_owned(),
        (Some(cost), 0) => format!("cost: ${cost:.2}"),
        (Some(cost), unknown) => {
            format!("cost: ${cost:.2}, and {} of unknown price", count(unknown, "attempt"))
        }
    }
}
