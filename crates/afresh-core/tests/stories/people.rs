//! The person in the loop: questions, answers, policies, skip and retry.

use afresh_core::harvest::ChangeKind;
use afresh_core::input::RunOpening;
use afresh_core::outcome::{
    ActionRequest, CompletionClaim, DecisionOption, DecisionRequest, Outcome,
};
use afresh_core::process::ProcessEnd;
use afresh_core::run::DriveState;
use afresh_core::run::settings::{OnDecision, OnFailure, OnOrphan, Settings, TimeoutAction};

use crate::support::{Story, changed, task_id};

fn decision() -> Outcome {
    Outcome::NeedsDecision(DecisionRequest {
        question: "which one?".to_owned(),
        options: vec![DecisionOption::new("a", "this"), DecisionOption::new("b", "that")],
        ..DecisionRequest::default()
    })
}

fn action() -> Outcome {
    Outcome::NeedsAction(ActionRequest {
        needed: "an account".to_owned(),
        instructions: vec!["open it".to_owned()],
        ..ActionRequest::default()
    })
}

/// A run whose first worker ends with this outcome.
fn asked(outcome: Outcome, settings: Settings) -> (Story, String) {
    let mut story = Story::with("A: a", settings);
    story.spawned("A.1");
    story.ends_with("A.1", ProcessEnd::Exited(0), outcome);
    let text = story.harvested("A.1", &[]).lines()[1..].join("\n");
    (story, text)
}

/// A worker's question waits; the answer goes to the next worker, and may be free text.
#[test]
fn a_decision_is_asked_and_its_answer_goes_to_the_next_worker() {
    let (mut story, text) = asked(decision(), Settings::default());
    insta::assert_snapshot!(text, @"
    rejected A.1 (does not count): stopped to ask
    Q1 decision [a b defer]: which one?
    ");
    assert_eq!(
        (story.run.drive_state(story.now), story.states().as_str()),
        (DriveState::Waiting, "A waiting")
    );
    let slip = story.answer(1, "neither: use the old one").refusal().to_owned();
    assert!(slip.contains("say: YOUR WORDS"), "HU-07: {slip}");
    assert_eq!(story.answer(1, "say: neither: use the old one").started(), ["A.2"]);
    let answers = &story.run.state_of(&task_id("A")).expect("a task").people.answers;
    assert_eq!(answers[0].answer, "neither: use the old one");
    assert_eq!(story.answer(1, "a").refusal(), "there is no open question Q1");
}

/// HU-01: an option that a worker offers is its answer, even if the word is a command elsewhere.
#[test]
fn an_option_that_a_worker_offers_is_not_a_command() {
    let offers = |keys: &[&str]| {
        Outcome::NeedsDecision(DecisionRequest {
            question: "and now?".to_owned(),
            options: keys.iter().map(|key| DecisionOption::new(key, "that")).collect(),
            ..DecisionRequest::default()
        })
    };
    for word in ["abort", "skip", "retry", "resume", "clarify"] {
        let (mut story, _) =
            asked(offers(&["abort", "skip", "retry", "resume", "clarify"]), Settings::default());
        assert_eq!(story.answer(1, word).started(), ["A.2"], "{word}");
        let answers = &story.run.state_of(&task_id("A")).expect("a task").people.answers;
        assert_eq!(answers[0].answer, format!("{word}: that"));
    }
    let first = Settings { on_decision: OnDecision::First, ..Settings::default() };
    let (_, text) = asked(offers(&["abort"]), first);
    assert!(text.contains("start A.2"), "{text}");
    let abort = Settings { on_decision: OnDecision::Abort, ..Settings::default() };
    let (story, _) = asked(offers(&["abort"]), abort);
    assert_eq!(story.run.aborted(), Some("run stopped by policy at Q1"));
}

/// HU-01: an answer in free text is passed on once, whatever it begins with.
#[test]
fn free_text_is_passed_on_once() {
    let (mut story, _) = asked(decision(), Settings::default());
    story.answer(1, "clarify: the old one");
    let answers = &story.run.state_of(&task_id("A")).expect("a task").people.answers;
    assert_eq!(
        answers.iter().map(|a| a.answer.as_str()).collect::<Vec<_>>(),
        ["clarify: the old one"]
    );
}

/// An action to be done first; only its own answers are accepted.
#[test]
fn an_action_waits_until_it_is_done_or_deferred() {
    let (mut story, text) = asked(action(), Settings::default());
    insta::assert_snapshot!(text, @"
    rejected A.1 (does not count): stopped to ask
    Q1 action [done defer]: an account
    ");
    assert_eq!(story.answer(1, "later").refusal(), "Q1 takes one of: done, defer");
    let mut deferred = story.clone();
    assert_eq!(deferred.answer(1, "defer").lines()[1], "skipped A: deferred: an account");
    assert_eq!(story.answer(1, "done").started(), ["A.2"]);
}

/// Every policy for decisions.
#[test]
fn policies_answer_decisions() {
    let with =
        |on_decision, outcome| asked(outcome, Settings { on_decision, ..Settings::default() }).1;
    insta::assert_snapshot!(with(OnDecision::First, decision()), @r#"
    rejected A.1 (does not count): stopped to ask
    Q1 decision [a b defer]: which one?
    Q1 answered "a" by policy
    starting A.2 in 1
    → start A.2 in 1 from base
    "#);
    insta::assert_snapshot!(with(OnDecision::Defer, decision()), @r#"
    rejected A.1 (does not count): stopped to ask
    Q1 decision [a b defer]: which one?
    Q1 answered "defer" by policy
    skipped A: deferred: which one?
    "#);
    insta::assert_snapshot!(with(OnDecision::Abort, decision()), @"
    rejected A.1 (does not count): stopped to ask
    Q1 decision [a b defer]: which one?
    aborted: run stopped by policy at Q1
    ");
    insta::assert_snapshot!(with(OnDecision::Defer, action()), @r#"
    rejected A.1 (does not count): stopped to ask
    Q1 action [done defer]: an account
    Q1 answered "defer" by policy
    skipped A: deferred: an account
    "#);
    // There is no first option for something that must be done.
    insta::assert_snapshot!(with(OnDecision::First, action()), @"
    rejected A.1 (does not count): stopped to ask
    Q1 action [done defer]: an account
    ");
}

/// Every policy for tasks whose attempts are used up; `retry` gives new chances once per start.
#[test]
fn policies_settle_failures() {
    let with = |on_failure| {
        let settings = Settings { attempts: 1, on_failure, ..Settings::default() };
        let mut story = Story::with("A: a\nB < A: b", settings);
        let mut steps = vec![story.dies("A.1").lines()[1..].join("\n")];
        if on_failure == OnFailure::Retry {
            story.wait(2);
            steps.push(story.dies("A.2").lines()[1..].join("\n"));
        }
        steps.push(format!("{:?}: {}", story.run.drive_state(story.now), story.states()));
        steps.join("\n")
    };
    insta::assert_snapshot!(with(OnFailure::Ask), @"
    rejected A.1 (counts) until 2000 ms: failed:exit: the worker ended with exit code 1
    failed A: failed:exit: the worker ended with exit code 1
    Q1 failed [retry skip ignore cascade clarify abort]: task A failed after 1 attempt: failed:exit: the worker ended with exit code 1
    Waiting: A failed, B blocked
    ");
    insta::assert_snapshot!(with(OnFailure::Skip), @"
    rejected A.1 (counts) until 2000 ms: failed:exit: the worker ended with exit code 1
    failed A: failed:exit: the worker ended with exit code 1
    skipped A: failed:exit: the worker ended with exit code 1
    Finished { ok: false }: A skipped, B blocked
    ");
    insta::assert_snapshot!(with(OnFailure::Retry), @"
    rejected A.1 (counts) until 2000 ms: failed:exit: the worker ended with exit code 1
    failed A: failed:exit: the worker ended with exit code 1
    retried A
    starting A.2 in 1
    → start A.2 in 1 from base
    rejected A.2 (counts) until 4000 ms: failed:exit: the worker ended with exit code 1
    failed A: failed:exit: the worker ended with exit code 1
    Q1 failed [retry skip ignore cascade clarify abort]: task A failed after 1 attempt: failed:exit: the worker ended with exit code 1
    Waiting: A failed, B blocked
    ");
    insta::assert_snapshot!(with(OnFailure::Abort), @"
    rejected A.1 (counts) until 2000 ms: failed:exit: the worker ended with exit code 1
    failed A: failed:exit: the worker ended with exit code 1
    aborted: task A failed: failed:exit: the worker ended with exit code 1
    Finished { ok: false }: A failed, B blocked
    ");
}

/// The answers to a failure: retry with all attempts, skip, or end the run here.
#[test]
fn a_failure_is_retried_skipped_or_ends_the_run() {
    let mut story = Story::with("A: a\nB < A: b", Settings { attempts: 1, ..Settings::default() });
    story.dies("A.1");
    let mut aborted = story.clone();
    assert_eq!(aborted.answer(1, "abort").lines(), ["aborted: run stopped by person at Q1"]);
    assert_eq!(aborted.run.drive_state(aborted.now), DriveState::Finished { ok: false });
    // The question waits for the next start.
    aborted.open();
    assert_eq!(aborted.run.drive_state(aborted.now), DriveState::Waiting);
    let mut skipped = story.clone();
    skipped.answer(1, "skip");
    assert_eq!(skipped.states(), "A skipped, B blocked");
    assert_eq!(story.answer(1, "retry").started(), ["A.2"]);
    assert_eq!(story.dies("A.2").lines()[3..].len(), 1, "asked again after one more attempt");
}

/// A policy also answers questions that already wait, when the run is opened.
#[test]
fn policies_answer_what_waits_already() {
    let opened = |story: &mut Story, settings: Settings| {
        let opening = RunOpening { settings: Some(settings), ..RunOpening::default() };
        story.open_with(opening).lines()[2..].join("\n")
    };
    let (mut story, _) = asked(decision(), Settings::default());
    let settings = Settings { on_decision: OnDecision::First, ..Settings::default() };
    insta::assert_snapshot!(opened(&mut story, settings), @r#"
    Q1 answered "a" by policy
    starting A.2 in 1
    → start A.2 in 1 from base
    "#);
    let one = Settings { attempts: 1, ..Settings::default() };
    let mut story = Story::with("A: a", one.clone());
    story.dies("A.1");
    insta::assert_snapshot!(opened(&mut story, Settings { on_failure: OnFailure::Skip, ..one }), @r#"
    Q1 answered "skip" by policy
    skipped A: failed:exit: the worker ended with exit code 1
    "#);
    let mut story = Story::of_plan("A: a");
    story.ends_with("A.1", ProcessEnd::TimedOut, Outcome::Silent);
    story.harvested("A.1", &[]);
    let settings = Settings { timeout_action: TimeoutAction::Retry, ..Settings::default() };
    insta::assert_snapshot!(opened(&mut story, settings), @r#"
    Q1 answered "retry" by policy
    retried A
    starting A.2 in 1
    → start A.2 in 1 from base
    "#);
}

/// Every policy for attempts that were running when afresh was killed.
#[test]
fn policies_settle_orphans() {
    let with = |on_orphan| {
        let mut story = Story::with("A: a", Settings { on_orphan, ..Settings::default() });
        story.spawned("A.1");
        let mut steps = vec![story.open().text()];
        steps.push(story.harvested("A.1", &["a"]).text());
        steps.join("\n")
    };
    insta::assert_snapshot!(with(OnOrphan::Retry), @"
    opened 2
    ended A.1 Lost
    → harvest A.1 in 1
    harvested A.1: 1 changes
    interrupted A.1
    rejected A.1 (does not count): was running when afresh ended
    starting A.2 in 1
    → start A.2 in 1 from base
    ");
    insta::assert_snapshot!(with(OnOrphan::Skip), @"
    opened 2
    ended A.1 Lost
    → harvest A.1 in 1
    harvested A.1: 1 changes
    interrupted A.1
    rejected A.1 (does not count): was running when afresh ended
    skipped A: was running when afresh ended
    ");
    insta::assert_snapshot!(with(OnOrphan::Abort), @"
    opened 2
    ended A.1 Lost
    → harvest A.1 in 1
    harvested A.1: 1 changes
    interrupted A.1
    rejected A.1 (does not count): was running when afresh ended
    aborted: task A was running when afresh ended
    ");
}

/// EX-04: a listed file that can make other programs run code needs a person's permission.
#[test]
fn trust_is_asked_for() {
    let held = || {
        let mut story = Story::of_plan("A: AGENTS.md a");
        let claim = CompletionClaim { files: vec!["a".to_owned()], ..CompletionClaim::default() };
        story.ends_with("A.1", ProcessEnd::Exited(0), Outcome::Done(claim));
        let changes = vec![changed("AGENTS.md", ChangeKind::Modified)];
        let text = story.harvested_changes("A.1", changes).text();
        (story, text)
    };
    insta::assert_snapshot!(held().1, @"
    harvested A.1: 1 changes
    Q1 trust [accept reject skip]: task A changed files that tell agents, hooks or other tools what to do: AGENTS.md
    ");
    let answered = |answer: &str| {
        let mut story = held().0;
        story.answer(1, answer).text()
    };
    insta::assert_snapshot!(answered("accept"), @r#"
    Q1 answered "accept" by person
    accepted A.1: a was claimed, but did not change; AGENTS.md changed, but was not claimed
    → check Alone tree A.1: test A
    "#);
    insta::assert_snapshot!(answered("reject"), @r#"
    Q1 answered "reject" by person
    rejected A.1 (counts): a person refused the change to AGENTS.md
    starting A.2 in 1
    → start A.2 in 1 from base
    "#);
    insta::assert_snapshot!(answered("skip"), @r#"
    Q1 answered "skip" by person
    rejected A.1 (does not count): a person refused the change to AGENTS.md
    skipped A: skip was answered to Q1
    "#);
}

/// Skip and retry by command, with what they refuse.
#[test]
fn skip_and_retry_say_why_not() {
    let mut story = Story::with(
        "A: a\nB < A: b\nC: c\nD < C: d",
        Settings { parallel: 1, ..Settings::default() },
    );
    assert_eq!(story.skip("Z").refusal(), "there is no task Z");
    assert_eq!(story.skip("A").refusal(), "A is being worked on; halt the run first");
    assert_eq!(story.retry("A").refusal(), "A has not failed");
    assert_eq!(story.retry("B").refusal(), "B has not failed");
    assert_eq!(story.retry("Z").refusal(), "there is no task Z");
    story.lands("A.1");
    assert_eq!(story.skip("A").refusal(), "A is done");
    assert_eq!(story.retry("A").refusal(), "A is done; nothing is merged twice");
    assert_eq!(story.skip("D").lines(), ["skipped D: not today"]);
    assert_eq!(story.skip("D").refusal(), "D is skipped already");
    assert_eq!(story.retry("D").lines(), ["retried D"]);
}

/// A command settles a task whose question is open; the question is withdrawn.
#[test]
fn a_command_withdraws_the_question() {
    let (mut story, _) = asked(decision(), Settings::default());
    let mut skipped = story.clone();
    assert_eq!(
        skipped.skip("A").lines(),
        ["Q1 answered \"withdrawn\" by command", "skipped A: not today"]
    );
    assert_eq!(skipped.run.questions().count(), 0);
    assert_eq!(story.retry("A").started(), ["A.2"]);
}
