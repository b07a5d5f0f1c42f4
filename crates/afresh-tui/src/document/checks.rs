//! Every check, with its last result.

use afresh_app::tasks::details::{LastCheckResult, TaskCheck, TaskDetails};
use afresh_core::check::CheckExcuse;
use afresh_dashboard::text::figures::duration;
use afresh_dashboard::text::{TextLine, TextRole};

use super::TaskDocument;

pub fn checks(details: &TaskDetails) -> TaskDocument {
    if details.checks.is_empty() {
        return TaskDocument::note("it has no checks of its own; those of every merge still run");
    }
    let mut lines = Vec::new();
    for check in &details.checks {
        add_check(&mut lines, check);
    }
    TaskDocument { lines, wraps: true, follows: false }
}

fn add_check(lines: &mut Vec<TextLine>, check: &TaskCheck) {
    let Some(last) = &check.last else {
        lines.push(TextLine::new().dim(&format!("○ {}  has not run yet", check.command)));
        return;
    };
    let result = &last.result;
    let (mark, role) = match (last.passed, &result.excuse) {
        (true, _) => ("✓", TextRole::Good),
        (false, Some(_)) => ("≈", TextRole::Warning),
        (false, None) => ("✗", TextRole::Bad),
    };
    let head =
        TextLine::new().with(role, &format!("{mark} ")).with(TextRole::Strong, &check.command);
    let took = duration(result.duration_ms);
    let reused = if result.reused { ", known from the same tree" } else { "" };
    lines.push(head.dim(&format!("  {} · {took}{reused}", last.attempt)));
    if !last.passed {
        lines.push(TextLine::new().with(role, &format!("  {}", result.describe())));
    }
    add_remarks(lines, last);
    let tail = super::lines_of(&result.output_tail);
    lines.extend(tail.map(|line| TextLine::new().dim("  │ ").dim(&line)));
}

fn add_remarks(lines: &mut Vec<TextLine>, last: &LastCheckResult) {
    let result = &last.result;
    let mut remark = |text: String| {
        lines.push(TextLine::new().with(TextRole::Warning, &format!("  {text}")));
    };
    match &result.excuse {
        Some(CheckExcuse::FailedBefore) => remark("it failed before the work, too".to_owned()),
        Some(CheckExcuse::Quarantined(why)) => remark(format!("in quarantine: {why}")),
        Some(CheckExcuse::OnlyMeasured) => remark("it measures, and decides nothing".to_owned()),
        None => {}
    }
    if result.is_flaky() {
        remark("it is flaky: it failed and then passed on the same tree".to_owned());
    }
    if let Some(tests) = result.tests.as_ref().filter(|_| last.passed) {
        remark(format!("{} tests were executed", tests.executed));
    }
}
