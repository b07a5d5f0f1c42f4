//! Renders a bundle as a prompt, by a template.
//!
//! Short on purpose: every worker pays for every word.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `comments` | comments of people on the task |
//! | `rules` | the rules of a worker |
//! | `contract` | how it reports, by the kind of its agent |
//! | `context` | project, position in the plan, spec, finished tasks |
//! | `feedback` | why the previous attempt was rejected |
//! | `review` | the parts of a reviewer's prompt |
//! | `interrupted` | the prompt after an interruption |
//! | [`template`] | the template language |
//! | [`size`] | the size of a prompt compared with its model's context |

mod comments;
mod context;
mod contract;
mod feedback;
mod interrupted;
mod review;
mod rules;
pub mod size;
pub mod template;

use std::fmt::Write as _;

use afresh_core::ids::TaskId;
use afresh_core::plan::{Task, WORKSPACE_PLACEHOLDER};

use crate::bundle::{Bundle, ReportChannel};
use crate::prompt::template::{PromptRole, PromptTemplates, TemplateValues};
pub use interrupted::resumed_prompt;

/// The most answers of a person, counted from the last.
const MAX_ANSWERS: usize = 10;

/// The prompt of one attempt, or of a review: a worker whose predecessor's work was rejected gets the reason first.
pub fn render(bundle: &Bundle, templates: &PromptTemplates) -> String {
    let role = match (&bundle.review, &bundle.feedback) {
        (Some(_), _) => PromptRole::Reviewer,
        (None, Some(_)) => PromptRole::Repairer,
        (None, None) => PromptRole::Worker,
    };
    templates.for_role(role).render(&values(bundle))
}

/// The values for the template.
fn values(bundle: &Bundle) -> TemplateValues {
    TemplateValues::from([
        ("task", task(bundle)),
        ("plan", bundle.plan.clone()),
        ("position", context::position(bundle)),
        ("project", context::project(bundle)),
        ("patterns", context::conventions(bundle)),
        ("spec", context::spec(bundle)),
        ("files", files(&bundle.task)),
        ("without", skipped_tasks(bundle)),
        ("steps", steps(bundle)),
        ("checks", checks(bundle)),
        ("built_on", context::landed(&bundle.built_on)),
        ("interfaces", context::interfaces(&bundle.interfaces)),
        ("tests", context::tests(&bundle.tests)),
        ("recent", context::landed(&bundle.recent)),
        ("answers", answers(bundle)),
        ("feedback", feedback::render_feedback(bundle)),
        ("left", interrupted::interrupted_work(bundle)),
        ("directory", bundle.target.clone()),
        ("rules", rules::rules(bundle)),
        ("contract", contract(bundle)),
        ("passed", bundle.review.as_ref().map(review::passed_checks).unwrap_or_default()),
        ("change", bundle.review.as_ref().map(review::change).unwrap_or_default()),
        ("reviews", bundle.review.as_ref().map(review::earlier).unwrap_or_default()),
    ])
}

fn contract(bundle: &Bundle) -> String {
    match &bundle.review {
        Some(_) => review::contract(bundle),
        None => contract::contract(bundle),
    }
}

/// The task's text, its role and the comments on it, in one value, so that no template can omit them.
fn task(bundle: &Bundle) -> String {
    let task = &bundle.task;
    let instructions = task.instructions.trim().replace(WORKSPACE_PLACEHOLDER, &bundle.target);
    let mut text = format!("{}: {}\n\n{instructions}", task.id, task.title);
    if let Some(role) = &bundle.role {
        let _ = write!(text, "\n\n## Your role: {}\n{}", role.name, role.text);
    }
    let comments = comments::render_comments(&bundle.comments);
    if !comments.is_empty() {
        let _ = write!(
            text,
            "\n\n## Comments of a person on this task\nLater ones count more.\n{comments}"
        );
    }
    text
}

fn files(task: &Task) -> String {
    let mut text = String::new();
    for file in &task.files {
        let is_written = file.pattern.literal().is_some_and(|path| task.is_acceptance_file(path));
        let action = match file.action {
            _ if is_written => {
                " (exists: an acceptance test; make it pass, do not edit it)".to_owned()
            }
            Some(action) => format!(" ({action:?})").to_lowercase(),
            None => String::new(),
        };
        let _ = writeln!(text, "- {}{action}", file.pattern);
    }
    text
}

/// Missing work of skipped tasks (HU-03).
fn skipped_tasks(bundle: &Bundle) -> String {
    if bundle.without.is_empty() {
        return String::new();
    }
    let tasks: Vec<&str> = bundle.without.iter().map(TaskId::as_str).collect();
    let tasks = tasks.join(", ");
    format!("This task needs {tasks}, which was skipped. Do it without that work.")
}

fn steps(bundle: &Bundle) -> String {
    if bundle.task.steps.is_empty() {
        return String::new();
    }
    let mark = match bundle.reports_by {
        ReportChannel::Commands => "run `afresh step done N`",
        _ => "call the tool `step_done` with its number",
    };
    let mut text = format!(
        "After each step, {mark}. The step is checked at once, and kept even if you are interrupted.\n",
    );
    let done = bundle.first_step.saturating_sub(1);
    if done > 0 {
        let _ = writeln!(
            text,
            "Steps 1 to {done} are done and in your directory; continue after them."
        );
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
    use afresh_core::comment::TaskComment;
    use afresh_core::estimate::tokens::estimate_text;
    use afresh_core::ids::{AttemptId, CommitId, RunId};
    use afresh_core::plan::{
        Check, CheckDraft, ContextLevel, FileDraft, Plan, PlanDraft, TaskDraft,
    };
    use afresh_core::rejection::Rejection;
    use afresh_core::review::{ReviewId, ReviewIssue, ReviewReceipt};

    use super::*;
    use crate::bundle::review::ReviewAssignment;
    use crate::bundle::surroundings::{SandboxedWorker, WorkerSurroundings};
    use crate::bundle::{InterruptedWork, RelatedTest, RepeatedCheckFailure, TestRelation};

    use afresh_core::plan::TaskIndex;

    fn rendered(bundle: &Bundle) -> String {
        render(bundle, &PromptTemplates::default())
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
            repeated_failure: None,
            left: None,
            resumes_session: false,
            answers: vec![],
            comments: vec![],
            target: String::new(),
            role: None,
            context: ContextLevel::Minimal,
            position: None,
            project: None,
            patterns: None,
            spec: None,
            built_on: vec![],
            interfaces: vec![],
            tests: vec![],
            recent: vec![],
            sources: vec![],
            window: None,
            reports_by: ReportChannel::Commands,
            surroundings: vec![],
            project_rules: None,
            review: None,
        }
    }

    const CHANNELS: [ReportChannel; 4] = [
        ReportChannel::Commands,
        ReportChannel::Tools,
        ReportChannel::HiddenTools,
        ReportChannel::ToolsOrCommand,
    ];

    /// PR-06: what is not the task's own costs every worker less than 600 tokens, whatever its agent and sandbox.
    #[test]
    fn a_prompt_without_its_task_is_short() {
        for reports_by in CHANNELS {
            let surroundings = WorkerSurroundings {
                sandbox: SandboxedWorker::Yes,
                listed_network: ["a".to_owned()].into(),
                time_limit: Some(std::time::Duration::from_secs(1800)),
            };
            let surroundings = surroundings.describe("a");
            let bundle = Bundle { reports_by, surroundings, ..bundle(None) };
            let own = [&bundle.task.instructions, &bundle.task.title];
            let own: u64 = own.iter().map(|text| estimate_text(text)).sum();
            let tokens = estimate_text(&rendered(&bundle)) - own;
            assert!(tokens < 600, "{reports_by:?}: {tokens}");
        }
    }

    /// PR-07, PR-06: a worker after a rejection is told so before anything else, in the same number of words.
    #[test]
    fn a_repairer_is_told_first_why_the_last_attempt_was_rejected() {
        let text = rendered(&bundle(Some(Rejection::NoChange)));
        let place = |words: &str| text.find(words).expect(words);
        assert!(
            text.starts_with("You are one worker with one task that another worker has tried.")
        );
        assert!(place("## The previous attempt was rejected") < place("## Checks that must pass"));
        assert!(estimate_text(PromptRole::Repairer.built_in()) < 600);
        assert!(rendered(&bundle(None)).starts_with("You are one worker with one task. Nobody"));
    }

    fn reviewed(reports_by: ReportChannel) -> Bundle {
        let attempt = bundle(None).attempt;
        let commit = |digit: &str| CommitId::new(digit.repeat(40)).expect("an id");
        let issue = |text: &str| ReviewIssue {
            file: Some("a.py".to_owned()),
            line: Some(3),
            description: text.to_owned(),
        };
        let earlier = ReviewReceipt {
            review: None,
            agent: String::new(),
            tier: None,
            summary: "rude".to_owned(),
            issues: vec![issue("say please")],
            accepted_by: None,
        };
        let review = ReviewAssignment {
            review: ReviewId { attempt, number: 1 },
            base: commit("b"),
            work: commit("c"),
            patch: "+```\n+x\n".to_owned(),
            cut: false,
            files: vec!["created a.py".to_owned()],
            notes: Some("all fine".to_owned()),
            passed: vec!["make test".to_owned()],
            earlier: Some(earlier),
        };
        Bundle { review: Some(review), reports_by, ..bundle(None) }
    }

    /// EX-08, PR-06: a reviewer gets the change and how to report; the frame takes less than 1,500 tokens.
    #[test]
    fn a_reviewer_gets_the_change_and_one_way_to_report() {
        assert!(estimate_text(PromptRole::Reviewer.built_in()) < 1_500);
        for reports_by in CHANNELS {
            let text = rendered(&reviewed(reports_by));
            for expected in ["+x", "````", "make test", "a.py:3: say please", "CHANGES_REQUESTED"] {
                assert!(text.contains(expected), "{reports_by:?}: {expected}\n{text}");
            }
            let by_block = reports_by == ReportChannel::Commands;
            assert_eq!(text.contains("OUTPUT_JSON_START"), by_block, "{reports_by:?}");
            assert_eq!(text.contains("report_review"), !by_block, "{reports_by:?}");
            assert!(!text.contains("report_result") && estimate_text(&text) < 1_500);
        }
    }

    /// PR-05, PR-08: the five rules and the commands are in every prompt.
    #[test]
    fn the_rules_and_the_ways_to_answer_are_in_every_prompt() {
        for reports_by in CHANNELS {
            let text = rendered(&Bundle { reports_by, ..bundle(None) });
            let rules = ["(1) a bug", "(2) something critical", "(3) something", "(4)", "(5)"];
            let statuses =
                ["COMPLETED", "PARTIAL", "BLOCKED", "NEEDS_DECISION", "NEEDS_ACTION", "FAILED"];
            for expected in rules.iter().chain(&statuses) {
                assert!(text.contains(expected), "{expected}");
            }
        }
    }

    /// RE-01, PR-05: each kind of agent is told one way to report, and only what it has.
    #[test]
    fn each_kind_of_agent_is_told_one_way_to_report() {
        let text = |reports_by| rendered(&Bundle { reports_by, ..bundle(None) });
        let commands = text(ReportChannel::Commands);
        assert!(commands.contains("OUTPUT_JSON_START") && commands.contains("`afresh issue TEXT`"));
        assert!(!commands.contains("report_result") && !commands.contains("tool"), "{commands}");
        let tools = text(ReportChannel::Tools);
        assert!(tools.contains("`report_result`") && tools.contains("the tool `issue`"));
        for unsaid in ["OUTPUT_JSON", "tool_search", "afresh report-result", "afresh issue"] {
            assert!(!tools.contains(unsaid), "{unsaid}: {tools}");
        }
        assert!(text(ReportChannel::HiddenTools).contains("tool_search"));
        assert!(text(ReportChannel::ToolsOrCommand).contains("afresh report-result"));
    }

    #[test]
    fn a_prompt_contains_task_files_checks_rules_and_contract() {
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

    /// AG-08: a new worker gets the work of the interrupted one, and where it is saved.
    #[test]
    fn a_new_worker_gets_the_work_of_an_interrupted_one() {
        let text = rendered(&Bundle { left: Some(cut_off()), ..bundle(None) });
        let commit = "c".repeat(40);
        assert!(text.contains("Attempt 1 was cut off (was running when afresh ended)"), "{text}");
        assert!(text.contains("- A file-29\n- and 10 more"), "{text}");
        assert!(text.contains(&format!("git show {commit}")), "{text}");
    }

    /// AG-08: a resumed conversation gets a note about the interruption, not its task again.
    #[test]
    fn a_resumed_conversation_gets_a_short_prompt() {
        let resumed =
            Bundle { left: Some(cut_off()), resumes_session: true, first_step: 3, ..bundle(None) };
        insta::assert_snapshot!(resumed_prompt(&resumed));
        assert!(!rendered(&resumed).contains("cut off"));
    }

    /// RE-03 and EX-05: the next worker gets the failing command and its output.
    #[test]
    fn a_retry_carries_the_failing_command_and_its_output() {
        let check = Check::from_command("python3 -m unittest");
        let result = CheckResult {
            output_tail: "AssertionError: 'Hi' != 'Hello'".to_owned(),
            ..CheckResult::new(&check, CheckEnd::Exited(1))
        };
        let text =
            rendered(&bundle(Some(Rejection::BrokenMerge { results: vec![result], with: vec![] })));
        assert!(text.contains("AssertionError: 'Hi' != 'Hello'"));
        assert!(text.contains("exit code 1"));
        assert!(text.contains("attempt 2 (at most 3 count)"));
        assert!(!text.contains("in the same way"));
    }

    /// BE-12, PR-07: comments are in every prompt, whatever its template leaves out, and in that of a conversation that
    /// continues.
    #[test]
    fn comments_of_a_person_are_in_every_prompt() {
        let comment =
            TaskComment { number: 1, text: "keep it".to_owned(), by: "ann".to_owned(), on: None };
        let commented = |feedback| Bundle { comments: vec![comment.clone()], ..bundle(feedback) };
        let least = "{{task}}\n{{files}}\n{{checks}}\n{{rules}}\n{{contract}}\n";
        let own = template::PromptTemplate::parse(PromptRole::Worker, "worker.md", least);
        let templates = PromptTemplates { worker: own.expect("valid"), ..Default::default() };
        let expected =
            "## Comments of a person on this task\nLater ones count more.\nann:\n> keep it\n";
        for feedback in [None, Some(Rejection::NoChange)] {
            let text = render(&commented(feedback.clone()), &templates);
            assert!(text.contains(expected), "{text}");
            assert!(!rendered(&bundle(feedback)).contains("Comments of a person"));
        }
        let resumed = resumed_prompt(&Bundle { resumes_session: true, ..commented(None) });
        assert!(resumed.contains("commented on the task") && resumed.contains("> keep it\n"));
    }

    /// TR-08, PR-06: existing tests are named with why; without any, there is no word about them.
    #[test]
    fn tests_that_touch_the_files_are_named() {
        let test = |path: &str, why, times| RelatedTest { path: path.to_owned(), why, times };
        let tests = vec![
            test("tests/test_greet.py", TestRelation::Imports, 3),
            test("tests/greet_test.py", TestRelation::Name, 0),
            test("tests/test_flow.py", TestRelation::ChangedTogether, 4),
        ];
        let text = rendered(&Bundle { tests, ..bundle(None) });
        let expected = "## Existing tests that touch these files\n\
            - tests/test_greet.py (imports)\n\
            - tests/greet_test.py (name)\n\
            - tests/test_flow.py (changed together 4 times)\n";
        assert!(text.contains(expected), "{text}");
        assert!(!rendered(&bundle(None)).contains("Existing tests"));
    }

    /// TR-09: after the same failure twice, the next worker is told to try something else.
    #[test]
    fn a_repeated_failure_asks_for_another_way() {
        let result = CheckResult::new(&Check::from_command("npm test"), CheckEnd::Exited(1));
        let repeated = |attempts| {
            let failure = RepeatedCheckFailure { fingerprint: "f".to_owned(), attempts };
            rendered(&Bundle {
                repeated_failure: Some(failure),
                ..bundle(Some(Rejection::ChecksFailed { results: vec![result.clone()] }))
            })
        };
        assert!(repeated(2).contains("The last 2 attempts failed in the same way"));
        assert!(!repeated(1).contains("in the same way"));
    }
}
