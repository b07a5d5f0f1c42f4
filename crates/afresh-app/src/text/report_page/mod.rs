//! A report as Markdown.

mod accounts;
mod base;
mod contests;
mod forecast;
mod refusals;
mod requirements;
mod reviews;
mod workers;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use afresh_core::check::{CheckEnd, CheckExcuse, CheckResult};
use afresh_core::outcome::CriterionReport;
use afresh_core::printable::join_lines;
use afresh_core::status::{CheckStatus, RunState, TaskPhase};
use afresh_engine::reports::run_report::{
    AttemptReport, AttemptResult, FilesReport, RunReport, TaskReport,
};

use crate::text::count;
use crate::text::markdown::{code, text};
use crate::text::time;

/// How many paths of one kind are listed.
const MAX_PATHS: usize = 200;
/// How many hooks that failed are named.
const MAX_HOOKS: usize = 20;

pub fn render(report: &RunReport) -> String {
    let mut page = String::new();
    head(&mut page, report);
    next(&mut page, report);
    tasks(&mut page, report);
    unfinished(&mut page, report);
    files(&mut page, &report.files);
    base::section(&mut page, report);
    checks(&mut page, report);
    requirements::list(&mut page, report);
    receipt_notes(&mut page, report);
    failed_hooks(&mut page, report);
    deviations(&mut page, report);
    questions(&mut page, report);
    reviews::list(&mut page, report);
    contests::tables(&mut page, report);
    retries(&mut page, report);
    refusals::list(&mut page, report);
    workers::table(&mut page, report);
    forecast::section(&mut page, report);
    accounts::agents(&mut page, report);
    accounts::table(&mut page, report);
    page
}

fn head(page: &mut String, report: &RunReport) {
    let state = match report.state {
        RunState::Running if !report.driven => "not finished",
        state => state.word(),
    };
    let _ = writeln!(page, "# {}: {state}\n", text(report.plan.as_str()));
    let done = report.counts.get(&TaskPhase::Done).copied().unwrap_or(0);
    let _ = writeln!(page, "- run {}, branch {}", code(report.run.as_str()), code(&report.branch));
    let counts: Vec<String> =
        counted(report).into_iter().map(|(word, number)| format!("{number} {word}")).collect();
    let _ = writeln!(
        page,
        "- {done} of {} done ({})",
        count(report.tasks.len(), "task"),
        counts.join(", ")
    );
    let commits = report.tasks.iter().map(|task| task.commits.len()).sum();
    let _ = writeln!(
        page,
        "- {} on the branch, from {} to {}",
        count(commits, "commit"),
        short(report.base.as_str()),
        short(report.tip.as_str())
    );
    if let Some(branch) = &report.landed_on {
        let _ = writeln!(page, "- landed on {}", code(branch));
    }
    if let Some(sandbox) = &report.sandbox {
        let _ = writeln!(page, "- sandbox: {}", text(sandbox));
    }
    if let Some(limits) = &report.limits {
        let _ = writeln!(page, "- limits: {}", text(limits));
    }
    let driven = time::format_duration(Duration::from_millis(report.driven_ms));
    let _ = writeln!(
        page,
        "- started {}, last event {}, driven for {driven}",
        report.started_at, report.last_at
    );
    let _ = writeln!(page, "- {}", accounts::tokens(&report.accounts));
    let _ = writeln!(page, "- {}", accounts::cost(&report.accounts));
    if let Some(error) = &report.error {
        let _ = writeln!(page, "- **problem**: {}", text(error));
    }
}

/// Without a driver, no attempt is alive.
fn phase_word(report: &RunReport, phase: TaskPhase) -> &'static str {
    match phase {
        TaskPhase::Running | TaskPhase::Checking | TaskPhase::Merging if !report.driven => {
            "interrupted"
        }
        phase => phase.word(),
    }
}

/// How many tasks are in each state, by its word.
fn counted(report: &RunReport) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for (phase, number) in &report.counts {
        *counts.entry(phase_word(report, *phase)).or_default() += number;
    }
    counts
}

fn next(page: &mut String, report: &RunReport) {
    if report.next.is_empty() {
        return;
    }
    page.push_str("\n## Next steps\n\n");
    for step in &report.next {
        let _ = writeln!(page, "- {}: {}", code(&step.command), text(&step.why));
    }
}

fn tasks(page: &mut String, report: &RunReport) {
    page.push_str("\n## Tasks\n\n| task | | wave | attempts | time | commit |\n| --- | --- | --- | --- | --- | --- |\n");
    for task in &report.tasks {
        let commit = task.commits.last().map(|commit| short(commit.as_str())).unwrap_or_default();
        let _ = writeln!(
            page,
            "| {} {} | {} | {} | {} | {} | {commit} |",
            code(task.id.as_str()),
            text(&task.title),
            phase_word(report, task.state),
            task.wave,
            task.attempts.len(),
            time::format_duration(Duration::from_millis(task.accounts.worked_ms)),
        );
    }
}

/// Failures and skips come with their reasons.
fn unfinished(page: &mut String, report: &RunReport) {
    let open = report.tasks.iter().filter(|task| task.state != TaskPhase::Done);
    let with_reason: Vec<(&TaskReport, &String)> =
        open.filter_map(|task| Some((task, task.error.as_ref()?))).collect();
    if with_reason.is_empty() {
        return;
    }
    page.push_str("\n## Not done\n\n");
    for (task, reason) in with_reason {
        // The state is already printed before it.
        let reason = reason.strip_prefix("blocked: ").unwrap_or(reason);
        let _ = writeln!(page, "- {} {}: {}", code(task.id.as_str()), task.state, text(reason));
    }
}

fn files(page: &mut String, files: &FilesReport) {
    page.push_str("\n## Files\n\n");
    let kinds =
        [("created", &files.created), ("modified", &files.modified), ("deleted", &files.deleted)];
    if kinds.iter().all(|(_, paths)| paths.is_empty()) {
        page.push_str("No files changed.\n");
        return;
    }
    for (kind, paths) in kinds {
        if paths.is_empty() {
            continue;
        }
        let shown: Vec<String> = paths.iter().take(MAX_PATHS).map(|path| code(path)).collect();
        let more = paths.len().saturating_sub(MAX_PATHS);
        let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
        let _ = writeln!(page, "- {kind} ({}): {}{rest}", paths.len(), shown.join(", "));
    }
}

fn checks(page: &mut String, report: &RunReport) {
    page.push_str("\n## Checks\n\n");
    if let Some(last) = &report.final_checks {
        let tree = short(last.tree.as_str());
        let excused = last.results.iter().any(|result| result.excuse.is_some());
        let outcome = match (last.passed, excused) {
            (true, false) => format!("All checks on the final tree {tree} passed:"),
            (true, true) => format!("No check fails on the final tree {tree} that should not:"),
            (false, _) => format!("Some checks on the final tree {tree} failed:"),
        };
        let _ = writeln!(page, "{outcome}\n");
        for result in &last.results {
            let _ = writeln!(page, "- {}", check(result));
        }
        for refuted in &last.refuted {
            let (task, command) = (code(refuted.task.as_str()), code(&refuted.command));
            let _ = writeln!(
                page,
                "- {task} is marked done in the plan, but its check fails: {command}"
            );
        }
        page.push('\n');
    }
    let proved = report.tasks.iter().filter_map(|task| Some((task, task.receipt.as_ref()?)));
    let mut any = false;
    for (task, receipt) in proved {
        any = true;
        let tree = short(receipt.tree.as_str());
        let _ = writeln!(page, "- {} on the merged tree {tree}", code(task.id.as_str()));
        if receipt.checks.is_empty() {
            page.push_str("  - intentionally without checks\n");
        }
        for ran in &receipt.checks {
            let ended = ran
                .exit_code
                .map_or_else(|| "did not finish".to_owned(), |code| format!("exit {code}"));
            let took = time::format_duration(Duration::from_millis(ran.duration_ms));
            let remarks = remarks(ran);
            let _ = writeln!(page, "  - {}: {ended} in {took}{remarks}", code(&ran.command));
        }
        if let Some(review) = &receipt.review {
            let _ = writeln!(page, "  - {}", text(&review.describe()));
        }
        for path in &receipt.unexecuted_tests {
            let _ = writeln!(page, "  - no check executed the changed test file {}", code(path));
        }
    }
    if !any {
        page.push_str("No task is done yet.\n");
    }
}

/// What else is to be known about a result.
fn remarks(ran: &CheckStatus) -> String {
    let mut remarks = String::new();
    if let Some(tests) = ran.executed_tests {
        let _ =
            write!(remarks, ", {}", count(usize::try_from(tests).unwrap_or(usize::MAX), "test"));
    }
    if let Some(mutants) = &ran.mutants {
        let _ = write!(remarks, ", {mutants}");
    }
    if ran.reused {
        remarks.push_str(", reused from the same tree");
    }
    if ran.flaky {
        remarks.push_str(", **flaky**: it failed on the same tree before");
    }
    match &ran.excuse {
        Some(CheckExcuse::FailedBefore) => remarks.push_str("; it failed before the work, too"),
        Some(CheckExcuse::Quarantined(why)) => {
            let _ = write!(remarks, "; in quarantine: {}", text(why));
        }
        Some(CheckExcuse::OnlyMeasured) => remarks.push_str("; only measured"),
        None => {}
    }
    remarks
}

/// Receipts that others cannot verify.
fn receipt_notes(page: &mut String, report: &RunReport) {
    if report.note_problems.is_empty() {
        return;
    }
    page.push_str("\n## Receipts in the git notes\n\n");
    for problem in &report.note_problems {
        let _ = writeln!(page, "- {}: {}", code(&problem.attempt), text(&problem.text));
    }
}

/// Hooks that failed; those before an action held it back.
fn failed_hooks(page: &mut String, report: &RunReport) {
    if report.hook_failures.is_empty() {
        return;
    }
    page.push_str("\n## Hooks that failed\n\n");
    let newest = report.hook_failures.len().saturating_sub(MAX_HOOKS);
    if newest > 0 {
        let _ = writeln!(page, "- {newest} earlier ones are in `afresh logs`");
    }
    for failure in &report.hook_failures[newest..] {
        let who = failure.attempt.as_ref().map(|it| format!("{}: ", code(&it.to_string())));
        let (who, word) = (who.unwrap_or_default(), failure.point.word());
        let why = text(&failure.why);
        let _ = writeln!(page, "- {who}{word} {}: {why}", code(&failure.command));
    }
}

fn check(result: &CheckResult) -> String {
    let ended = match &result.end {
        CheckEnd::Exited(code) => format!("exit {code}"),
        CheckEnd::Signaled(signal) => format!("signal {signal}"),
        CheckEnd::TimedOut => "timed out".to_owned(),
        CheckEnd::OverLimit(excess) => excess.describe(),
        CheckEnd::NotStarted(why) => format!("not started: {}", text(why)),
    };
    let remark = match &result.excuse {
        Some(CheckExcuse::FailedBefore) if result.is_flaky() => {
            ", **flaky**: it failed before the work, too, and otherwise on the same tree".to_owned()
        }
        Some(CheckExcuse::FailedBefore) => "; it failed before the work, too".to_owned(),
        Some(CheckExcuse::Quarantined(why)) => format!("; in quarantine: {}", text(why)),
        Some(CheckExcuse::OnlyMeasured) => "; only measured".to_owned(),
        None if result.is_flaky() => ", **flaky**: it failed on the same tree before".to_owned(),
        None if result.executed_no_test() => "; it executed no test".to_owned(),
        None => String::new(),
    };
    format!("{}: {ended}{remark}", code(&result.command))
}

fn deviations(page: &mut String, report: &RunReport) {
    let told = |task: &&TaskReport| {
        !task.criteria.is_empty()
            || !task.deviations.is_empty()
            || !task.differences.is_empty()
            || task.notes.is_some()
    };
    let mut tasks = report.tasks.iter().filter(told).peekable();
    if tasks.peek().is_none() {
        return;
    }
    page.push_str("\n## Deviations and differences\n\n");
    for task in tasks {
        let _ = writeln!(page, "- {}", code(task.id.as_str()));
        for criterion in &task.criteria {
            let _ = writeln!(page, "  - the worker says: {}", met(criterion));
        }
        for deviation in &task.deviations {
            let files: Vec<String> = deviation.files.iter().map(|file| code(file)).collect();
            let at =
                if files.is_empty() { String::new() } else { format!(" ({})", files.join(", ")) };
            let _ = writeln!(page, "  - the worker declared: {}{at}", text(&deviation.description));
        }
        for difference in &task.differences {
            let _ = writeln!(page, "  - noted: {}", text(difference));
        }
        if let Some(notes) = &task.notes {
            let _ = writeln!(page, "  - the worker notes: {}", text(notes));
        }
    }
}

fn met(criterion: &CriterionReport) -> String {
    let (word, name) = (criterion.result.word(), text(&criterion.name));
    match criterion.evidence.as_str() {
        "" => format!("{word} {name}"),
        evidence => format!("{word} {name} ({})", text(evidence)),
    }
}

fn questions(page: &mut String, report: &RunReport) {
    if report.questions.is_empty() {
        return;
    }
    page.push_str("\n## Questions and decisions\n\n");
    for question in &report.questions {
        let answer = match (&question.answer, &question.by, question.open) {
            (Some(answer), Some(by), _) => format!("**{}** (by {})", text(answer), text(by)),
            (_, _, true) => "waits for an answer".to_owned(),
            _ => "no longer needed".to_owned(),
        };
        let _ = writeln!(
            page,
            "- {} ({}, {}): {} → {answer}",
            question.id,
            code(question.task.as_str()),
            question.kind,
            text(&join_lines(&question.text))
        );
    }
}

fn retries(page: &mut String, report: &RunReport) {
    let all = report.tasks.iter().flat_map(|task| &task.attempts).chain(&report.dropped);
    let mut lost = all
        .filter(|attempt| {
            !matches!(
                attempt.result,
                AttemptResult::Merged | AttemptResult::Passed | AttemptResult::Underway
            )
        })
        .peekable();
    if lost.peek().is_none() {
        return;
    }
    page.push_str("\n## Failed attempts\n\n");
    for attempt in lost {
        let _ = writeln!(page, "- {}", lost_attempt(attempt));
    }
}

fn lost_attempt(attempt: &AttemptReport) -> String {
    let took = attempt
        .duration_ms
        .map(|ms| format!(" after {}", time::format_duration(Duration::from_millis(ms))));
    let counted = if attempt.counted { "" } else { " (does not count)" };
    let reason = attempt.reason.as_deref().unwrap_or("no reason recorded");
    format!("{}{}: {}{counted}", code(&attempt.attempt), took.unwrap_or_default(), text(reason))
}

fn short(id: &str) -> String {
    code(&id[..id.len().min(10)])
}
