//! The workers of a run, by what their programs reported.

use std::fmt::Write as _;

use afresh_engine::reports::run_report::{AttemptReport, RunReport};

use crate::text::markdown::{code, text};

pub(super) fn table(page: &mut String, report: &RunReport) {
    let all = report.tasks.iter().flat_map(|task| &task.attempts).chain(&report.dropped);
    let told = |attempt: &&AttemptReport| {
        attempt.model.is_some()
            || attempt.session.is_some()
            || attempt.prompt.is_some()
            || attempt.context.is_some()
    };
    let mut told = all.filter(told).peekable();
    if told.peek().is_none() {
        return;
    }
    page.push_str(
        "\n## Workers\n\n| attempt | model | prompt | context | session |\n| --- | --- | --- | --- | --- |\n",
    );
    for attempt in told {
        let prompt = attempt.prompt.map_or_else(String::new, |prompt| {
            format!("{} tokens, {} %", prompt.used, prompt.percent())
        });
        let context = attempt.context.map_or_else(String::new, |context| {
            format!("{} % of {} tokens", context.percent(), context.window)
        });
        let _ = writeln!(
            page,
            "| {} | {} | {prompt} | {context} | {} |",
            code(&attempt.attempt),
            text(attempt.model.as_deref().unwrap_or_default()),
            session(attempt),
        );
    }
}

fn session(attempt: &AttemptReport) -> String {
    let session = text(attempt.session.as_deref().unwrap_or_default());
    match attempt.resumes {
        Some(of) => format!("{session} (resumed from attempt {of})"),
        None => session,
    }
}
