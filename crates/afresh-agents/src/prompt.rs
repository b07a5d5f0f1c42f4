//! What a worker is told.
//!
//! Short on purpose: every word is paid for again by every worker.

use std::fmt::Write as _;

use afresh_core::check::CheckResult;
use afresh_core::event::Rejection;
use afresh_core::ids::TaskId;
use afresh_core::plan::{Check, FileScope};

use crate::bundle::Bundle;

/// How much of a failing check's output goes into a prompt, in characters.
const MAX_OUTPUT_CHARS: usize = 4_000;

/// How many of a person's answers go into a prompt: the last ones.
const MAX_ANSWERS: usize = 10;

const RULES: &str = "\
## Rules
- Work only in the current directory: it is a private clone. Do not push, and leave git's configuration alone.
- Change only the files listed above. If the task cannot be done without another file:
  1. fix a bug, 2. add what is critically missing, or 3. fix what blocks you: do it, and declare it under `deviations`;
  4. for an architectural change, stop and answer NEEDS_DECISION;
  5. anything else: leave it, and note it with `afresh issue`.
- Never change tests or checks to make them pass. Never delete files that are not yours.
- Your word is not enough: the checks are run by somebody else, on a clean checkout.
- `afresh log INFO WORD MESSAGE` adds a line to the run's log; `afresh issue TEXT` notes what is not yours to mend.
- Commits are optional.
";

const CONTRACT: &str = "\
## Answer
End with exactly one block like this, each marker alone on its line:
OUTPUT_JSON_START
{\"status\": \"COMPLETED\", \"files_modified\": [\"…\"], \"deviations\": [{\"rule\": 3, \"description\": \"why\", \"files\": [\"…\"]}]}
OUTPUT_JSON_END
Other answers: {\"status\": \"NEEDS_DECISION\", \"decision_needed\": \"…\", \"options\": [{\"key\": \"a\", \"description\": \"…\"}], \"context\": \"…\"},
{\"status\": \"NEEDS_ACTION\", \"action_needed\": \"…\", \"instructions\": [\"…\"]}, {\"status\": \"FAILED\", \"failed_at\": \"…\", \"error\": \"…\"},
{\"status\": \"PARTIAL\", \"reason\": \"…\"}, {\"status\": \"BLOCKED\", \"blocked_by\": [\"TASK\"], \"error\": \"…\"}.
";

/// The prompt of one attempt.
pub fn render(bundle: &Bundle) -> String {
    let mut text = String::new();
    let task = &bundle.task;
    let _ = writeln!(text, "# Task {}: {}\n", task.id, task.title);
    if !bundle.plan.is_empty() {
        let _ = writeln!(text, "Part of: {}\n", bundle.plan);
    }
    if !task.instructions.trim().is_empty() {
        let _ = writeln!(text, "{}\n", task.instructions.trim());
    }
    files(&mut text, "## Files\n", &task.files);
    missing(&mut text, bundle);
    steps(&mut text, bundle);
    checks(&mut text, bundle);
    answers(&mut text, bundle);
    feedback(&mut text, bundle);
    text.push_str(RULES);
    text.push('\n');
    text.push_str(CONTRACT);
    text
}

fn files(text: &mut String, heading: &str, files: &[FileScope]) {
    if files.is_empty() {
        return;
    }
    text.push_str(heading);
    for file in files {
        let action = match file.action {
            Some(action) => format!(" ({action:?})").to_lowercase(),
            None => String::new(),
        };
        let _ = writeln!(text, "- {}{action}", file.pattern);
    }
    text.push('\n');
}

/// What a worker would look for in vain (HU-03).
fn missing(text: &mut String, bundle: &Bundle) {
    if bundle.without.is_empty() {
        return;
    }
    let tasks: Vec<&str> = bundle.without.iter().map(TaskId::as_str).collect();
    let _ = writeln!(
        text,
        "## Not there\nThis task was to build on {}, which a person gave up. Do without it.\n",
        tasks.join(", ")
    );
}

fn steps(text: &mut String, bundle: &Bundle) {
    if bundle.task.steps.is_empty() {
        return;
    }
    text.push_str(
        "## Steps, in this order\n\
         After each: `afresh step done N`. It is checked at once, and kept even if you are cut off.\n",
    );
    let done = bundle.first_step.saturating_sub(1);
    if done > 0 {
        let _ =
            writeln!(text, "Steps 1 to {done} are done and in your directory; go on after them.");
    }
    for (number, step) in
        bundle.task.steps.iter().enumerate().skip(bundle.first_step.saturating_sub(1))
    {
        let _ = writeln!(text, "{}. {}", number + 1, step.name);
        if !step.instructions.trim().is_empty() {
            let _ = writeln!(text, "   {}", step.instructions.trim());
        }
        for file in &step.files {
            let _ = writeln!(text, "   - file: {}", file.pattern);
        }
        for check in &step.checks {
            let _ = writeln!(text, "   - check: {}", check.command);
        }
    }
    text.push('\n');
}

fn checks(text: &mut String, bundle: &Bundle) {
    let own: Vec<&Check> = bundle.task.checks.iter().collect();
    if own.is_empty() && bundle.always.is_empty() {
        return;
    }
    text.push_str("## Checks that must pass\n");
    for check in own {
        let red = if check.red_first { "  (fails before the work is done)" } else { "" };
        let _ = writeln!(text, "- {}{red}", check.command);
    }
    for command in &bundle.always {
        let _ = writeln!(text, "- {command}");
    }
    text.push('\n');
}

fn answers(text: &mut String, bundle: &Bundle) {
    if bundle.answers.is_empty() {
        return;
    }
    text.push_str("## Decided by a person\n");
    let older = bundle.answers.len().saturating_sub(MAX_ANSWERS);
    for answered in &bundle.answers[older..] {
        let _ = writeln!(text, "- {} → {}", answered.text.replace('\n', " "), answered.answer);
    }
    text.push('\n');
}

/// What the attempt before came to: facts, never its transcript (PR-07).
fn feedback(text: &mut String, bundle: &Bundle) {
    let Some(rejection) = &bundle.feedback else { return };
    let _ = writeln!(
        text,
        "## The attempt before this one came to nothing\nThis is attempt {} (at most {} count). You start from {}.\n{}",
        bundle.attempt.number,
        bundle.attempts_allowed,
        if bundle.first_step > 1 { "its last finished step" } else { "a clean tree" },
        rejection.describe()
    );
    match rejection {
        Rejection::OutOfScope { violations } => {
            for violation in violations.iter().take(50) {
                let _ = writeln!(text, "- {} {}", violation.path, violation.why.explain());
            }
        }
        Rejection::ChecksFailed { results }
        | Rejection::BrokenMerge { results }
        | Rejection::NotRed { results } => {
            outputs(text, results);
        }
        Rejection::Conflict { detail, .. } => {
            let _ = writeln!(text, "```text\n{}\n```", tail(detail));
        }
        Rejection::GaveUp { output, .. } if !output.is_empty() => {
            let _ = writeln!(text, "```text\n{}\n```", tail(output));
        }
        Rejection::Unintelligible { excerpt, .. } => {
            let _ = writeln!(text, "```text\n{}\n```", tail(excerpt));
        }
        _ => {}
    }
    text.push('\n');
}

fn outputs(text: &mut String, results: &[CheckResult]) {
    for result in results.iter().filter(|result| !result.passed()) {
        let _ = writeln!(
            text,
            "{}; the end of its output:\n```text\n{}\n```",
            result.describe(),
            tail(&result.output_tail)
        );
    }
}

/// The last characters, because that is where compilers and tests say what is wrong.
fn tail(text: &str) -> String {
    let count = text.chars().count();
    text.trim_end().chars().skip(count.saturating_sub(MAX_OUTPUT_CHARS)).collect()
}

#[cfg(test)]
mod tests {
    use afresh_core::check::CheckEnd;
    use afresh_core::ids::{AttemptId, CommitId, RunId};
    use afresh_core::plan::{CheckDraft, FileDraft, Plan, PlanDraft, TaskDraft};

    use super::*;

    fn bundle(feedback: Option<Rejection>) -> Bundle {
        let task = TaskDraft {
            id: "T001".to_owned(),
            title: "Create the greeter".to_owned(),
            instructions: "Write greet(name).".to_owned(),
            files: vec![FileDraft { path: "src/greet.py".to_owned(), action: None }],
            checks: vec![CheckDraft {
                command: "python3 -m unittest".to_owned(),
                ..CheckDraft::default()
            }],
            ..TaskDraft::default()
        };
        let draft = PlanDraft { name: "greeting".to_owned(), spec: None, tasks: vec![task] };
        let plan = Plan::new(draft).expect("a good plan");
        Bundle {
            version: 1,
            run: RunId::new("r1").expect("an id"),
            plan: plan.name.clone(),
            attempt: AttemptId { task: plan.task(0).id.clone(), number: 2 },
            attempts_allowed: 3,
            base: CommitId::new("0".repeat(40)).expect("an id"),
            task: plan.task(0).clone(),
            first_step: 1,
            without: vec![],
            always: vec![],
            feedback,
            answers: vec![],
        }
    }

    #[test]
    fn a_prompt_names_task_files_checks_rules_and_answer() {
        insta::assert_snapshot!(render(&bundle(None)));
    }

    /// RE-03 and EX-05: the next worker is told what failed, with the failing output.
    #[test]
    fn a_retry_carries_the_failing_command_and_its_output() {
        let result = CheckResult {
            name: "unittest".to_owned(),
            command: "python3 -m unittest".to_owned(),
            end: CheckEnd::Exited(1),
            duration_ms: 3,
            output_digest: String::new(),
            output_tail: "AssertionError: 'Hi' != 'Hello'".to_owned(),
            reused: false,
        };
        let text = render(&bundle(Some(Rejection::BrokenMerge { results: vec![result] })));
        assert!(text.contains("AssertionError: 'Hi' != 'Hello'"));
        assert!(text.contains("exit code 1"));
        assert!(text.contains("attempt 2 (at most 3 count)"));
    }
}
