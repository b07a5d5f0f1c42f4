//! The text of a pull request: what was done, what proves it, and how a reviewer checks that.

use std::fmt::Write as _;

use afresh_app::git::ref_names::RECEIPT_NOTES;
use afresh_app::text::count;
use afresh_app::text::markdown::{code, text};
use afresh_core::Run;
use afresh_core::check::{CheckResult, Receipt};
use afresh_core::commit::compose_subject;
use afresh_core::plan::Task;
use afresh_core::run::{TaskStage, TaskState};
use afresh_core::status::trace::RequirementTrace;
use afresh_core::status::{RunState, RunStatus};

use crate::trace::markdown;

/// The most rows of a table: reviews are read by people.
const MAX_ROWS: usize = 200;
/// The most checks in one row.
const MAX_CHECKS: usize = 5;

/// The subject of the only task, or the name of the plan.
pub fn render_title(run: &Run) -> String {
    let mut done = run.tasks().filter(|(_, state)| matches!(state.stage, TaskStage::Done { .. }));
    match (done.next(), done.next()) {
        (Some((task, _)), None) => compose_subject(&task.title, task.commit.as_ref()),
        _ => compose_subject(&run.plan().name, None),
    }
}

/// Tasks with their commits and checks, what is not done, the requirements, and the receipts.
pub fn render_body(run: &Run, trace: Option<&RequirementTrace>) -> String {
    let mut page = String::new();
    write_summary(&mut page, run);
    write_unfinished(&mut page, run);
    if let Some(trace) = trace.filter(|trace| !trace.requirements.is_empty()) {
        let _ = write!(page, "\n{}", markdown::render(trace));
    }
    write_receipts(&mut page, run);
    disarm_mentions(&page)
}

/// A name in a plan must not notify anyone. Code is shown as it is, and mentions nothing.
fn disarm_mentions(page: &str) -> String {
    let mut out = String::new();
    let mut rest = page;
    while let Some(start) = rest.find('`') {
        let (before, code) = rest.split_at(start);
        out.push_str(&before.replace('@', "@<!-- -->"));
        let fence = &code[..code.len() - code.trim_start_matches('`').len()];
        let end = code[fence.len()..].find(fence).map_or(code.len(), |at| 2 * fence.len() + at);
        out.push_str(&code[..end]);
        rest = &code[end..];
    }
    out.push_str(&rest.replace('@', "@<!-- -->"));
    out
}

fn write_summary(page: &mut String, run: &Run) {
    let landed: Vec<_> = run.tasks().filter_map(|(task, state)| landed_task(task, state)).collect();
    let _ = writeln!(
        page,
        "{} of {}, run {}. Every commit passed its checks as exactly that tree.\n",
        count(landed.len(), "task"),
        text(&run.plan().name),
        code(run.id().as_str())
    );
    page.push_str("| task | commit | checks |\n| --- | --- | --- |\n");
    for (task, commit, receipt) in landed.iter().take(MAX_ROWS) {
        let commit = code(&commit[..commit.len().min(10)]);
        let name = format!("**{}** {}", text(task.id.as_str()), text(&task.title));
        let _ = writeln!(page, "| {name} | {commit} | {} |", describe_checks(receipt));
    }
    if let Some(more) = landed.len().checked_sub(MAX_ROWS).filter(|more| *more > 0) {
        let _ = writeln!(page, "\nAnd {}.", count(more, "more task"));
    }
}

fn landed_task<'a>(
    task: &'a Task,
    state: &'a TaskState,
) -> Option<(&'a Task, &'a str, &'a Receipt)> {
    match &state.stage {
        TaskStage::Done { commit, receipt, .. } => Some((task, commit.as_str(), receipt)),
        _ => None,
    }
}

fn describe_checks(receipt: &Receipt) -> String {
    if receipt.checks.is_empty() {
        return "none".to_owned();
    }
    let describe = |result: &CheckResult| {
        let note = match (&result.excuse, result.passed()) {
            (Some(_), false) => " (failed, excused)",
            _ if result.is_flaky() => " (flaky)",
            _ => "",
        };
        format!("{}{note}", code(&result.command))
    };
    let mut shown: Vec<String> = receipt.checks.iter().take(MAX_CHECKS).map(describe).collect();
    if let Some(more) = receipt.checks.len().checked_sub(MAX_CHECKS).filter(|more| *more > 0) {
        shown.push(format!("and {}", count(more, "more check")));
    }
    shown.join("<br>")
}

fn write_unfinished(page: &mut String, run: &Run) {
    let status = RunStatus::from_run(run);
    if status.state == RunState::Done {
        return;
    }
    page.push_str("\n### Not done\n\n");
    let open = status.tasks.iter().filter(|task| task.state.word() != "done");
    for task in open.take(MAX_ROWS) {
        let why = task.error.as_deref().map(|why| format!(": {}", text(why))).unwrap_or_default();
        let _ = writeln!(page, "- **{}** {}{why}", text(task.id.as_str()), task.state.word());
    }
}

fn write_receipts(page: &mut String, run: &Run) {
    let tip = run.tip();
    let _ = writeln!(
        page,
        "\n### Receipts\n\nWhich checks ran on which tree is in git notes under {}. To verify them:\n\n\
         ```sh\ngit fetch origin {RECEIPT_NOTES}:{RECEIPT_NOTES}\nafresh verify-run {tip}\n```",
        code(RECEIPT_NOTES)
    );
}

#[cfg(test)]
mod tests {
    use super::disarm_mentions;

    /// BE-09: mentions are disarmed in text, and commands stay what they are.
    #[test]
    fn a_mention_is_disarmed_and_code_is_not_changed() {
        assert_eq!(
            disarm_mentions("ask @ann, run `npm i @a/b` or ``x`@y``\n```sh\n@z\n```\n@end `@open"),
            "ask @<!-- -->ann, run `npm i @a/b` or ``x`@y``\n```sh\n@z\n```\n@<!-- -->end `@open"
        );
    }
}
