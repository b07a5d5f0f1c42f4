//! What a worker is told: its bundle, as the values that a template shows.
//!
//! Short on purpose: every word is paid for again by every worker.
//!
//! | module | idea |
//! | --- | --- |
//! | `words` | rules and contract, the same for all |
//! | `surroundings` | project, place in the plan, specification, what the task builds on |
//! | `feedback` | what became of the attempt before |
//! | `interrupted` | what an attempt left that was cut off; the prompt of whoever goes on with it |

mod context;
mod feedback;
mod interrupted;
mod rules;
pub mod size;
pub mod template;

use std::fmt::Write as _;

use afresh_core::ids::TaskId;
use afresh_core::plan::FileScope;

use crate::bundle::Bundle;
use crate::prompt::rules::{CONTRACT, RULES};
use crate::prompt::template::{PromptTemplate, TemplateValues};
pub use interrupted::resumed;

/// How many of a person's answers go into a prompt: the last ones.
const MAX_ANSWERS: usize = 10;

/// The prompt of one attempt.
pub fn render(bundle: &Bundle, template: &PromptTemplate) -> String {
    template.render(&values(bundle))
}

/// What a template can show.
fn values(bundle: &Bundle) -> TemplateValues {
    TemplateValues::from([
        ("task", task(bundle)),
        ("plan", bundle.plan.clone()),
        ("position", crate::prompt::context::position(bundle)),
        ("project", crate::prompt::context::project(bundle)),
        ("patterns", bundle.patterns.clone().unwrap_or_default()),
        ("spec", crate::prompt::context::spec(bundle)),
        ("files", files(&bundle.task.files)),
        ("without", missing(bundle)),
        ("steps", steps(bundle)),
        ("checks", checks(bundle)),
        ("built_on", crate::prompt::context::landed(&bundle.built_on)),
        ("interfaces", crate::prompt::context::interfaces(&bundle.interfaces)),
        ("recent", crate::prompt::context::landed(&bundle.recent)),
        ("answers", answers(bundle)),
        ("feedback", feedback::render_feedback(bundle)),
        ("left", interrupted::left(bundle)),
        ("directory", bundle.target.clone()),
        ("rules", RULES.to_owned()),
        ("contract", CONTRACT.to_owned()),
    ])
}

/// Its own words, as the plan has them, and the role that they are done in. In one value, so that no
/// template can lose the role.
fn task(bundle: &Bundle) -> String {
    let task = &bundle.task;
    let text = format!("{}: {}\n\n{}", task.id, task.title, task.instructions.trim());
    match &bundle.role {
        Some(role) => format!("{text}\n\n## Your role: {}\n{}", role.name, role.text),
        None => text,
    }
}

fn files(files: &[FileScope]) -> String {
    let mut text = String::new();
    for file in files {
        let action = match file.action {
            Some(action) => format!(" ({action:?})").to_lowercase(),
            None => String::new(),
        };
        let _ = writeln!(text, "- {}{action}", file.pattern);
    }
    text
}

/// What a worker would look for in vain (HU-03).
fn missing(bundle: &Bundle) -> String {
    if bundle.without.is_empty() {
        return String::new();
    }
    let tasks: Vec<&str> = bundle.without.iter().map(TaskId::as_str).collect();
    let tasks = tasks.join(", ");
    format!("This task was to build on {tasks}, which a person gave up. Do without it.")
}

fn steps(bundle: &Bundle) -> String {
    if bundle.task.steps.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "After each: `afresh step done N`. It is checked at once, and kept even if you are cut off.\n",
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
    text
}

fn checks(bundle: &Bundle) -> String {
    let mut text = String::new();
    for check in &bundle.task.checks {
        let red = if check.red_first { "  (fails before the work is done)" } else { "" };
        let _ = writeln!(text, "- {}{red}", check.command);
    }
    for command in &bundle.always {
        let _ = writeln!(text, "- {command}");
    }
    text
}

fn answers(bundle: &Bundle) -> String {
    let mut text = String::new();
    let older = bundle.answers.len().saturating_sub(MAX_ANSWERS);
    for answered in &bundle.answers[older..] {
        let _ = writeln!(text, "- {} → {}", answered.text.replace('\n', " "), answered.answer);
    }
    text
}

#[cfg(test)]
mod tests {
    use afresh_core::check::{CheckEnd, CheckResult};
    use afresh_core::ids::{AttemptId, CommitId, RunId};
    use afresh_core::plan::{CheckDraft, ContextLevel, FileDraft, Plan, PlanDraft, TaskDraft};
    use afresh_core::rejection::Rejection;

    use super::*;
    use crate::bundle::InterruptedWork;
    use crate::prompt::size;
    use afresh_core::plan::TaskIndex;

    fn rendered(bundle: &Bundle) -> String {
        render(bundle, &PromptTemplate::default())
    }

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
            attempt: AttemptId { task: plan.task(TaskIndex::new(0)).id.clone(), number: 2 },
            attempts_allowed: 3,
            base: CommitId::new("0".repeat(40)).expect("an id"),
            task: plan.task(TaskIndex::new(0)).clone(),
            first_step: 1,
            without: vec![],
            always: vec![],
            feedback,
            left: None,
            goes_on: false,
            answers: vec![],
            target: String::new(),
            role: None,
            context: ContextLevel::Minimal,
            position: None,
            project: None,
            patterns: None,
            spec: None,
            built_on: vec![],
            interfaces: vec![],
            recent: vec![],
            sources: vec![],
            window: None,
        }
    }

    /// PR-06: what is not the task's own costs every worker less than 1,500 tokens.
    #[test]
    fn a_prompt_without_its_task_is_short() {
        let bundle = bundle(None);
        let words = bundle.task.instructions.len() + bundle.task.title.len();
        let tokens = size::tokens(rendered(&bundle).len() - words);
        assert!(tokens < 1_500, "{tokens}");
    }

    /// PR-05, PR-08: the five rules and the commands are in every prompt.
    #[test]
    fn the_rules_and_the_ways_to_answer_are_in_every_prompt() {
        let text = rendered(&bundle(None));
        let said =
            ["1. fix a bug", "2. add what", "3. fix what blocks", "4. for an arch", "5. any"];
        let ways = ["report_result", "tool_search", "afresh report-result", "OUTPUT_JSON_START"];
        let notes = ["afresh log INFO WORD MESSAGE", "afresh issue TEXT"];
        for words in said.iter().chain(&ways).chain(&notes) {
            assert!(text.contains(words), "{words}");
        }
    }

    #[test]
    fn a_prompt_names_task_files_checks_rules_and_answer() {
        insta::assert_snapshot!(rendered(&bundle(None)));
    }

    fn cut_off() -> InterruptedWork {
        InterruptedWork {
            attempt: AttemptId { task: bundle(None).task.id, number: 1 },
            why: "was running when afresh ended".to_owned(),
            commit: Some(CommitId::new("c".repeat(40)).expect("an id")),
            changes: (0..40).map(|number| format!("A file-{number}")).collect(),
        }
    }

    /// AG-08: a fresh worker is told what the interrupted one left, and where it is.
    #[test]
    fn a_fresh_worker_is_told_what_an_interrupted_one_left() {
        let text = rendered(&Bundle { left: Some(cut_off()), ..bundle(None) });
        let commit = "c".repeat(40);
        assert!(text.contains("Attempt 1 was cut off (was running when afresh ended)"), "{text}");
        assert!(text.contains("- A file-29\n- and 10 more"), "{text}");
        assert!(text.contains(&format!("git show {commit}")), "{text}");
    }

    /// AG-08: whoever goes on is told that it was interrupted, and not its task again.
    #[test]
    fn whoever_goes_on_gets_a_short_prompt() {
        let goes_on =
            Bundle { left: Some(cut_off()), goes_on: true, first_step: 3, ..bundle(None) };
        insta::assert_snapshot!(resumed(&goes_on));
        assert!(!rendered(&goes_on).contains("cut off"));
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
            refusals: Vec::new(),
        };
        let text = rendered(&bundle(Some(Rejection::BrokenMerge { results: vec![result] })));
        assert!(text.contains("AssertionError: 'Hi' != 'Hello'"));
        assert!(text.contains("exit code 1"));
        assert!(text.contains("attempt 2 (at most 3 count)"));
    }
}
