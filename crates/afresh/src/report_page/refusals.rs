//! What workers and checks were refused.

use std::fmt::Write as _;

use afresh_engine::report::{AttemptReport, RefusalReport, Report};

use crate::markdown::{code, text};

pub(super) fn list(page: &mut String, report: &Report) {
    let all = report.tasks.iter().flat_map(|task| &task.attempts).chain(&report.dropped);
    let mut met = all.filter(|attempt| !attempt.refusals.is_empty()).peekable();
    if met.peek().is_none() {
        return;
    }
    page.push_str(
        "\n## Refused\n\nWhat the sandbox, the limits and git's wrapper did not let happen. Lines marked \
         \"said\" are from a program's own output; nobody measured them.\n\n",
    );
    for attempt in met {
        attempt.refusals.iter().for_each(|refusal| line(page, attempt, refusal));
    }
}

fn line(page: &mut String, attempt: &AttemptReport, refusal: &RefusalReport) {
    let times =
        if refusal.times > 1 { format!(" ({} times)", refusal.times) } else { String::new() };
    let check = refusal.check.as_ref().map(|command| format!(", by the check {}", code(command)));
    let _ = writeln!(
        page,
        "- {} {}: {}{times}{}",
        code(&attempt.attempt),
        refusal.what.word(),
        text(&refusal.detail),
        check.unwrap_or_default(),
    );
}
