//! Every attempt, with its end.

use afresh_app::tasks::details::{AttemptReport, TaskDetails};
use afresh_dashboard::text::figures::{amount, context_bar, dollars, duration};
use afresh_dashboard::text::{TextLine, TextRole};
use afresh_engine::reports::run_report::AttemptResult;

use super::TaskDocument;

const BAR_WIDTH: usize = 10;

/// `limits` are those of a context, in per cent.
pub fn attempts(details: &TaskDetails, limits: [u8; 2]) -> TaskDocument {
    let mut lines = Vec::new();
    if let Some(why) = &details.why {
        lines.push(TextLine::new().with(TextRole::Warning, why));
    }
    for attempt in &details.report.attempts {
        add_attempt(&mut lines, attempt, limits);
    }
    if details.report.attempts.is_empty() {
        lines.push(TextLine::new().dim("it was not started yet"));
    }
    for comment in &details.comments {
        let by = format!("✎ {}: ", comment.comment.by);
        lines.push(TextLine::new().with(TextRole::Active, &by).plain(&comment.comment.text));
    }
    for next in &details.next {
        let command = TextLine::new().dim(&format!("{}: ", next.why)).plain(&next.command);
        lines.push(command);
    }
    TaskDocument { lines, wraps: true, follows: false }
}

fn add_attempt(lines: &mut Vec<TextLine>, attempt: &AttemptReport, limits: [u8; 2]) {
    let (mark, role) = match attempt.result {
        AttemptResult::Merged => ("✓", TextRole::Good),
        AttemptResult::Underway => ("▶", TextRole::Active),
        AttemptResult::Passed => ("=", TextRole::Good),
        AttemptResult::Rejected => ("✗", TextRole::Bad),
        AttemptResult::NotStarted => ("∅", TextRole::Bad),
        AttemptResult::Undone => ("↶", TextRole::Warning),
    };
    let word = attempt.result.word().replace('-', " ");
    let mut head = TextLine::new()
        .with(role, &format!("{mark} {} {word}", attempt.attempt))
        .dim(&attempt.duration_ms.map(|ms| format!(" · {}", duration(ms))).unwrap_or_default());
    let by = attempt.by_hand.as_deref().or(attempt.agent.as_deref()).unwrap_or_default();
    let model = attempt.model.as_deref().map(|model| format!(" ({model})")).unwrap_or_default();
    if !by.is_empty() {
        head = head.dim(&format!(" · {by}{model}"));
    }
    if attempt.result == AttemptResult::Rejected && !attempt.counted {
        head = head.dim(" · does not count");
    }
    lines.push(head);
    let mut spent = TextLine::new().plain("  ");
    if let Some(fill) = attempt.context.as_ref().or(attempt.prompt.as_ref()) {
        let bar = context_bar(fill.percent(), limits, BAR_WIDTH);
        spent = spent.plain(&bar).dim(&format!(" {} % of its context · ", fill.percent()));
    }
    spent = spent.dim(&format!("{} tokens", amount(attempt.used.tokens())));
    let price = attempt.used.cost_micros.map_or_else(|| "price unknown".to_owned(), dollars);
    lines.push(spent.dim(&format!(" · {price}")));
    let why = attempt.reason.iter().flat_map(|reason| super::lines_of(reason));
    lines.extend(why.map(|line| TextLine::new().plain("  ").plain(&line)));
    for review in &attempt.reviews {
        let text = format!("  review {} by {}: {}", review.number, review.agent, review.summary);
        lines.push(TextLine::new().plain(&text));
    }
    for refusal in &attempt.refusals {
        let text = format!("  denied: {} ({} times)", refusal.detail, refusal.times);
        lines.push(TextLine::new().with(TextRole::Warning, &text));
    }
}
