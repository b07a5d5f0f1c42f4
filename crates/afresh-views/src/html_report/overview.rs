//! Headline, figures, what to do next.

use std::fmt::Write as _;
use std::time::Duration;

use afresh_app::dashboard::Dashboard;
use afresh_app::dashboard::data::context::ContextBar;
use afresh_app::dashboard::text::figures::{amount, dollars};
use afresh_app::text::{count, time};
use afresh_core::status::{RunState, TaskPhase};
use afresh_engine::reports::run_report::RunReport;

use super::markup::{HtmlPage, code, escape};

pub(super) fn headline(page: &mut HtmlPage, report: &RunReport, dashboard: &Dashboard) {
    let (class, state) = match report.state {
        RunState::Done => ("good", "done"),
        RunState::Failed => ("bad", "failed"),
        RunState::Waiting => ("warn", "waiting for you"),
        RunState::Running if !report.driven => ("warn", "not finished"),
        state => ("active", state.word()),
    };
    page.push(&format!(
        "<h1>{} <span class=\"{class}\">{state}</span></h1>\n<p class=\"muted\">run {} on {}, started {}</p>",
        escape(&report.plan),
        code(report.run.as_str()),
        code(&report.branch),
        escape(&report.started_at)
    ));
    if let Some(error) = report.error.as_ref().or(dashboard.error.as_ref()) {
        page.push(&format!("<p class=\"bad\">{}</p>", escape(error)));
    }
}

pub(super) fn figures(page: &mut HtmlPage, report: &RunReport, dashboard: &Dashboard) {
    let progress = &dashboard.progress;
    let number = |phase| progress.counts.get(&phase).copied().unwrap_or(0);
    let failed = number(TaskPhase::Failed) + number(TaskPhase::Blocked);
    let attempts: usize = report.tasks.iter().map(|task| task.attempts.len()).sum();
    let fullest = dashboard.contexts.iter().filter_map(ContextBar::percent).max();
    let mut tiles = vec![
        (format!("{} / {}", progress.done, progress.total), "tasks done".to_owned()),
        (time::format_duration(Duration::from_millis(progress.driven_ms)), "driven".to_owned()),
        (attempts.to_string(), "attempts".to_owned()),
        (amount(progress.tokens), "tokens".to_owned()),
    ];
    if let Some(cost) = progress.cost_micros {
        let unknown = match progress.without_price {
            0 => "cost".to_owned(),
            some => format!("cost, and {} of unknown price", count(some, "attempt")),
        };
        tiles.push((dollars(cost), unknown));
    }
    if failed > 0 {
        tiles.push((failed.to_string(), "failed or blocked".to_owned()));
    }
    tiles.extend(fullest.map(|percent| (format!("{percent} %"), "fullest context".to_owned())));
    let mut markup = String::from("<div class=\"figures\">");
    for (value, name) in tiles {
        let _ = write!(
            markup,
            "<div class=\"figure\"><b>{}</b><span>{}</span></div>",
            escape(&value),
            escape(&name)
        );
    }
    page.push(&(markup + "</div>"));
}

pub(super) fn needs_you(page: &mut HtmlPage, dashboard: &Dashboard) {
    if dashboard.needs_you.is_empty() {
        return;
    }
    page.heading("Needs you");
    for need in &dashboard.needs_you {
        let who = need.question.as_deref().map(|id| format!("{} ", escape(id))).unwrap_or_default();
        let task = need.task.as_ref().map(|task| code(task.as_str())).unwrap_or_default();
        let mut options = String::new();
        for option in &need.options {
            let _ =
                write!(options, "<li>{}: {}</li>", code(&option.key), escape(&option.description));
        }
        page.push(&format!(
            "<div class=\"ask\"><b>{who}</b>{task} {}<pre>{}</pre><ul>{options}</ul>{}</div>",
            escape(&need.title),
            escape(&need.text),
            code(&need.command)
        ));
    }
}

pub(super) fn next_steps(page: &mut HtmlPage, report: &RunReport) {
    if report.next.is_empty() {
        return;
    }
    page.heading("What to do next");
    let mut list = String::from("<ul>");
    for step in &report.next {
        let _ = write!(list, "<li>{}: {}</li>", code(&step.command), escape(&step.why));
    }
    page.push(&(list + "</ul>"));
}

/// What it rests on, at the end of the page.
pub(super) fn origin(page: &mut HtmlPage, report: &RunReport) {
    let short = |id: &str| id.chars().take(10).collect::<String>();
    let mut facts = vec![
        format!(
            "from {} to {}",
            code(&short(report.base.as_str())),
            code(&short(report.tip.as_str()))
        ),
        format!("last event {}", escape(&report.last_at)),
    ];
    facts.extend(report.sandbox.as_ref().map(|it| format!("sandbox: {}", escape(it))));
    facts.extend(report.limits.as_ref().map(|it| format!("limits: {}", escape(it))));
    page.push(&format!("<p class=\"muted\">{}</p>", facts.join(" · ")));
}
