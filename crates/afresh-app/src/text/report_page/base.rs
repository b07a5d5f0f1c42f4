//! What was measured before the work: checks that prove nothing, what failed before, and flaky checks.

use std::fmt::Write as _;

use afresh_core::probe::CheckClass;
use afresh_engine::reports::run_report::{BaseReport, EarlierFailureReport, RunReport};

use crate::text::count;
use crate::text::markdown::{code, text};

/// How many commands or tests of one kind are listed.
const MAX_LISTED: usize = 30;
/// How many lines of an output are shown.
const MAX_OUTPUT_LINES: usize = 6;

pub(super) fn section(page: &mut String, report: &RunReport) {
    if let Some(base) = &report.measured {
        // A check of every merge that passes is as it should be.
        let (passing, others): (Vec<_>, Vec<_>) = base.checks.iter().partition(|check| {
            check.tasks.is_empty() && matches!(check.class, CheckClass::Vacuous | CheckClass::Guard)
        });
        let classes = CheckClass::ALL
            .map(|class| (others.iter().filter(|check| check.class == class).count(), class));
        let classes = classes.iter().filter(|(count, _)| *count > 0);
        let mut counts: Vec<String> =
            classes.map(|(count, class)| format!("{count} {class}")).collect();
        if !passing.is_empty() {
            counts.push(format!("{} of every merge passing", passing.len()));
        }
        let _ = writeln!(page, "\n## Before the work\n");
        let number = count(base.checks.len(), "check");
        let _ = writeln!(page, "{number} measured on the base: {}.", counts.join(", "));
        unproved(page, base);
        for failure in &base.earlier_failures {
            earlier_failure(page, failure);
        }
    }
    flaky(page, report);
}

/// Checks that can show nothing, and the tasks that have no other.
fn unproved(page: &mut String, base: &BaseReport) {
    let weak = base.checks.iter().filter(|check| {
        let matters = check.class.proves_nothing() || check.class == CheckClass::Unprobed;
        matters && !check.tasks.is_empty()
    });
    let mut listed = weak.peekable();
    if listed.peek().is_some() {
        page.push('\n');
    }
    for check in listed.take(MAX_LISTED) {
        let tasks: Vec<String> = check.tasks.iter().map(|task| code(task.as_str())).collect();
        let why = if check.detail.is_empty() {
            String::new()
        } else {
            format!(": {}", text(&check.detail))
        };
        let _ = writeln!(
            page,
            "- {} {} ({}){why}",
            check.class,
            code(&check.command),
            tasks.join(", ")
        );
    }
    if !base.unproved.is_empty() {
        let tasks: Vec<String> = base.unproved.iter().map(|task| code(task.as_str())).collect();
        let _ = writeln!(page, "\nNo check of its own can prove these done: {}", tasks.join(", "));
    }
}

fn earlier_failure(page: &mut String, failure: &EarlierFailureReport) {
    let command = code(&failure.command);
    let headline =
        if failure.passes_now { "Failed before, passes now" } else { "Failed before, still fails" };
    let _ = writeln!(page, "\n{headline}: {command}");
    for (word, tests) in
        [("still fails", &failure.still_failing), ("passes now", &failure.now_passing)]
    {
        for test in tests.iter().take(MAX_LISTED) {
            let _ = writeln!(page, "- {word}: {}", code(test));
        }
        if tests.len() > MAX_LISTED {
            let _ = writeln!(page, "- {word}: and {} more", tests.len() - MAX_LISTED);
        }
    }
}

fn flaky(page: &mut String, report: &RunReport) {
    if report.flaky.is_empty() {
        return;
    }
    page.push_str("\n## Flaky checks\n\nThese failed and passed on the same tree.\n\n");
    for check in &report.flaky {
        let times =
            if check.times == 1 { "once".to_owned() } else { format!("{} times", check.times) };
        let _ = writeln!(page, "- {} {times}; the end of its last failure:", code(&check.command));
        let lines: Vec<&str> = check.failed_output.trim_end().lines().collect();
        for line in &lines[lines.len().saturating_sub(MAX_OUTPUT_LINES)..] {
            let _ = writeln!(page, "  - {}", code(line));
        }
    }
}
