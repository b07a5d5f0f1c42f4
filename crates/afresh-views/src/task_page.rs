//! One task of a run as text.

use std::fmt::Write as _;
use std::time::Duration;

use afresh_app::tasks::details::{AttemptReport, LastCheckResult, RelatedTask, TaskDetails};
use afresh_app::text::time::format_duration;
use afresh_core::comment::{CommentedPart, KeptComment};
use afresh_core::printable;

/// How many lines of a question or of a worker's notes are shown.
const MAX_LINES: usize = 12;

/// A heading, then one fact per line; sections without facts are left out.
pub fn render_task(details: &TaskDetails) -> String {
    let report = &details.report;
    let mut page = format!("{} {}\n", report.id, printable::line(&report.title));
    let state = match &details.why {
        Some(why) => format!("{}: {}", report.state, printable::line(why)),
        None => report.state.to_string(),
    };
    let _ = writeln!(page, "  state     {state}");
    let _ = writeln!(page, "  run       {}, wave {}", details.run, report.wave);
    fact(&mut page, "needs", &list_tasks(&details.needs));
    fact(&mut page, "needed by", &list_tasks(&details.needed_by));
    let files: Vec<String> =
        details.files.iter().map(|it| printable::line(it.pattern.as_str())).collect();
    fact(&mut page, "files", &files.join(", "));
    if let Some(steps) = details.steps {
        fact(&mut page, "steps", &format!("{} of {} finished", steps.done, steps.of));
    }
    for commit in &report.commits {
        fact(&mut page, "merged", commit.as_str());
    }
    if let Some(notes) = &report.notes {
        section(&mut page, "Notes of its worker", &bounded_lines(notes));
    }
    let question = details.questions.iter().flat_map(|question| {
        let keys: Vec<&str> = question.options.iter().map(|option| option.key.as_str()).collect();
        let head =
            format!("{} ({}): {}", question.id, question.kind, printable::line(&keys.join(", ")));
        std::iter::once(head).chain(bounded_lines(&question.text))
    });
    section(&mut page, "Question", &question.collect::<Vec<_>>());
    let comments = details.comments.iter().flat_map(describe_comment);
    section(&mut page, "Comments", &comments.collect::<Vec<_>>());
    let checks = details.checks.iter().map(|check| {
        let command = printable::line(&check.command);
        format!(
            "{command}: {}",
            check.last.as_ref().map_or("not run yet".to_owned(), describe_result)
        )
    });
    section(&mut page, "Checks", &checks.collect::<Vec<_>>());
    section(
        &mut page,
        "Attempts",
        &report.attempts.iter().map(describe_attempt).collect::<Vec<_>>(),
    );
    let saved = details
        .saved
        .iter()
        .map(|work| format!("{}: {}", work.attempt, printable::line(&work.r#ref)));
    section(&mut page, "Saved work", &saved.collect::<Vec<_>>());
    let next = details.next.iter().map(|step| format!("{}: {}", step.why, step.command));
    section(&mut page, "Next", &next.collect::<Vec<_>>());
    page
}

fn fact(page: &mut String, name: &str, value: &str) {
    if !value.is_empty() {
        let _ = writeln!(page, "  {name:<9} {value}");
    }
}

fn section(page: &mut String, heading: &str, lines: &[String]) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(page, "\n{heading}:");
    for line in lines {
        let _ = writeln!(page, "  {line}");
    }
}

fn list_tasks(tasks: &[RelatedTask]) -> String {
    let shown: Vec<String> =
        tasks.iter().map(|task| format!("{} ({})", task.id, task.state)).collect();
    shown.join(", ")
}

fn bounded_lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().take(MAX_LINES).map(printable::line).collect();
    if text.lines().nth(MAX_LINES).is_some() {
        lines.push("…".to_owned());
    }
    lines
}

fn describe_comment(kept: &KeptComment) -> Vec<String> {
    let number = kept.comment.number;
    let readers: Vec<String> = kept.read_by.iter().map(|attempt| format!(".{attempt}")).collect();
    let state = match (readers.is_empty(), kept.sent_to) {
        (false, _) => format!("read by {}", readers.join(", ")),
        (true, Some(attempt)) => format!("sent to .{attempt}, not read yet"),
        (true, None) => "for the next worker".to_owned(),
    };
    let on = kept.comment.on.as_ref();
    let place = on.map(|on| format!(", on {}", on.describe())).unwrap_or_default();
    let head = format!("{number} by {} ({state}){place}:", printable::line(&kept.comment.by));
    let quotation = on.map(CommentedPart::quotation).unwrap_or_default();
    let text = bounded_lines(&kept.comment.text).into_iter().map(|line| format!("  {line}"));
    std::iter::once(head).chain(quotation).chain(text).collect()
}

fn describe_result(last: &LastCheckResult) -> String {
    let took = format_duration(Duration::from_millis(last.result.duration_ms));
    let attempt = &last.attempt;
    if last.passed {
        return format!("passed for {attempt} in {took}");
    }
    format!("failed for {attempt} in {took}: {}", printable::line(&last.result.describe()))
}

fn describe_attempt(attempt: &AttemptReport) -> String {
    let mut line = format!("{}: {}", attempt.attempt, attempt.result.word());
    if let Some(reason) = &attempt.reason {
        let _ = write!(line, ", {}", printable::line(reason));
    }
    if let Some(worked) = attempt.duration_ms {
        let _ = write!(line, "; {}", format_duration(Duration::from_millis(worked)));
    }
    let tokens = attempt.used.tokens();
    if tokens > 0 {
        let _ = write!(line, ", {tokens} tokens");
    }
    if let Some(cost) = attempt.usage.cost_usd {
        let _ = write!(line, ", ${cost:.2}");
    }
    if let Some(by) = &attempt.by_hand {
        let _ = write!(line, ", by hand of {}", printable::line(by));
    }
    let by = [&attempt.agent, &attempt.model];
    let by: Vec<String> = by.into_iter().flatten().map(|name| printable::line(name)).collect();
    if !by.is_empty() {
        let _ = write!(line, ", by {}", by.join(" with "));
    }
    line
}
