//! What a person can decide about a task whose attempts failed, and about its dependents: HU-03, HU-05, BE-06; and
//! being asked before each task: EX-09.

use afresh_core::Input;
use afresh_core::input::RunOpening;
use afresh_core::outcome::{DecisionRequest, Outcome};
use afresh_core::process::ProcessEnd;
use afresh_core::run::settings::{OnOrphan, Settings};
use insta::assert_snapshot;

use crate::support::{Story, StoryStep, task_id};

fn one_attempt() -> Settings {
    Settings { attempts: 1, parallel: 8, ..Settings::default() }
}

/// A fails; B and C wait for it, D for them; E for nothing.
fn failed() -> Story {
    let mut story = Story::with("A: a\nB < A: b\nC < A: c\nD < B C: d\nE: e", one_attempt());
    story.lands("E.1");
    story.spawned("A.1");
    story.dies("A.1");
    story
}

fn keys(story: &Story) -> Vec<String> {
    let question = &story.status().questions[0];
    question.options.iter().map(|o| format!("{}: {}", o.key, o.description)).collect()
}

/// HU-03: retry, skip, ignore, cascade, clarify, abort; each option describes its effect here.
#[test]
fn a_failed_task_offers_options_for_itself_and_its_dependents() {
    assert_snapshot!(keys(&failed()).join("\n"), @"
    retry: try again with fresh workers
    skip: continue without it; B, C stay blocked
    ignore: continue without it, and unblock B, C
    cascade: skip it and everything that depends on it: B, C, D
    clarify: retry with a note for the worker: `clarify: YOUR WORDS`
    abort: end the run here
    ");
    // A task without dependents has none to unblock.
    let mut alone = Story::with("A: a", one_attempt());
    alone.spawned("A.1");
    alone.dies("A.1");
    assert_snapshot!(keys(&alone).join("\n"), @"
    retry: try again with fresh workers
    skip: continue without it
    clarify: retry with a note for the worker: `clarify: YOUR WORDS`
    abort: end the run here
    ");
}

/// HU-03: `ignore` removes the dependency, with a separate event.
#[test]
fn ignore_unblocks_the_dependents() {
    let mut story = failed();
    assert_snapshot!(story.answer(1, "ignore").text(), @r#"
    Q1 answered "ignore" by person
    skipped A: failed:exit: the worker ended with exit code 1
    A is done without
    starting B.1 in 1
    starting C.1 in 2
    → start B.1 in 1 from mE.1
    → start C.1 in 2 from mE.1
    "#);
    assert_eq!(story.states(), "A skipped, B ready, C ready, D pending, E done");
}

/// HU-03: a command can unblock the dependents of a skipped task later.
#[test]
fn a_skipped_task_can_be_done_without_later() {
    let mut story = failed();
    let ignore = |story: &mut Story, task| story.feed(&Input::IgnoreAsked(task_id(task)));
    assert_eq!(ignore(&mut story, "A").refusal(), "A is not skipped; skip it first");
    story.answer(1, "skip");
    assert_eq!(story.states(), "A skipped, B blocked, C blocked, D blocked, E done");
    assert_eq!(ignore(&mut story, "A").started(), ["B.1", "C.1"]);
    assert_eq!(ignore(&mut story, "A").refusal(), "nothing waits for A any more");
    assert_eq!(ignore(&mut story, "X").refusal(), "there is no task X");
}

/// HU-03.
#[test]
fn cascade_skips_all_that_waits_for_it() {
    let mut story = failed();
    assert_snapshot!(story.answer(1, "cascade").text(), @r#"
    Q1 answered "cascade" by person
    skipped A: failed:exit: the worker ended with exit code 1
    skipped B: A, which it needs, was skipped
    skipped C: A, which it needs, was skipped
    skipped D: A, which it needs, was skipped
    final checks
    → check Final tree E.1: test E
    "#);
    assert_eq!(story.states(), "A skipped, B skipped, C skipped, D skipped, E done");
}

/// HU-03: a person's words reach the next worker.
#[test]
fn clarify_retries_with_a_persons_words() {
    let mut story = failed();
    for (vague, wanted) in [
        ("clarify", "type `clarify: YOUR WORDS` to Q1"),
        ("clarify: ", "type `clarify: YOUR WORDS` to Q1"),
        ("maybe", "Q1 takes one of: retry, skip, ignore"),
        ("", "Q1 cannot be answered with nothing"),
    ] {
        let refusal = story.answer(1, vague).refusal().to_owned();
        assert!(refusal.starts_with(wanted), "{refusal}");
    }
    assert_eq!(story.answer(1, "clarify: use the second form ").started(), ["A.2"]);
    let answers = &story.run.state_of(&task_id("A")).expect("a task").people.answers;
    assert_eq!(answers.last().map(|given| given.answer.as_str()), Some("use the second form"));
}

/// HU-03: `resume` is a synonym for continuing after the last finished step.
#[test]
fn resume_means_retry() {
    assert_eq!(failed().answer(1, "resume").started(), ["A.2"]);
}

/// HU-05: when the attempts are used up, the person sees what the worker really reported.
#[test]
fn an_unintelligible_answer_is_shown_as_it_was() {
    let mut story = Story::with("A: a", one_attempt());
    story.spawned("A.1");
    let outcome = Outcome::Unintelligible {
        reason: "no status".to_owned(),
        excerpt: "line one\n{\"stat".to_owned(),
    };
    story.ends_with("A.1", ProcessEnd::Exited(0), outcome);
    story.harvested("A.1", &[]);
    assert_snapshot!(story.status().questions[0].text, @r#"
    task A failed after 1 attempt: unintelligible answer: no status
    line one
    {"stat
    "#);
}

/// BE-06, HU-01: many questions wait at once, and each blocks only the dependents of its task.
#[test]
fn many_questions_wait_and_the_rest_continues() {
    let settings = Settings { parallel: 8, ..Settings::default() };
    let mut story = Story::with("A: a\nB: b\nC: c\nD < A: d\nE < C: e", settings);
    let asks = |story: &mut Story, attempt: &str| -> StoryStep {
        story.spawned(attempt);
        let decision =
            DecisionRequest { question: "which?".to_owned(), ..DecisionRequest::default() };
        story.ends_with(attempt, ProcessEnd::Exited(0), Outcome::NeedsDecision(decision));
        story.harvested(attempt, &[])
    };
    asks(&mut story, "A.1");
    asks(&mut story, "B.1");
    assert_eq!(story.lands("C.1").started(), ["E.1"]);
    assert_eq!(story.states(), "A waiting, B waiting, C done, D pending, E ready");
    assert_eq!(story.status().questions.len(), 2);
    assert_eq!(story.answer(2, "the second").started(), ["B.2"]);
    assert_eq!(story.status().questions.len(), 1);
}

/// ST-02: orphans are retried, skipped, aborted, or asked about.
#[test]
fn an_orphan_can_be_asked_about() {
    let settings = Settings { on_orphan: OnOrphan::Ask, ..Settings::default() };
    let mut story = Story::with("A: a", settings);
    story.spawned("A.1");
    story.open();
    assert_snapshot!(story.harvested("A.1", &["a"]).text(), @"
    harvested A.1: 1 changes
    interrupted A.1
    rejected A.1 (does not count): was running when afresh ended
    Q1 orphan [retry skip clarify abort]: task A was running when afresh ended
    ");
    assert_eq!(story.status().questions[0].kind, "orphan");
    assert_eq!(story.answer(1, "retry").started(), ["A.2"]);
}

/// EX-09: one question at a time, before each task; `all` ends the asking.
#[test]
fn interactive_asks_before_each_task() {
    let settings = Settings { interactive: true, ..Settings::default() };
    let mut story = Story::unopened(crate::support::plan_of("A: a\nB: b\nC: c"), settings);
    assert_snapshot!(story.open().text(), @"
    opened 1
    Q1 start [start all skip]: start A: task A?
    ");
    assert_snapshot!(story.answer(1, "start").text(), @r#"
    Q1 answered "start" by person
    starting A.1 in 1
    Q2 start [start all skip]: start B: task B?
    → start A.1 in 1 from base
    "#);
    story.answer(2, "skip");
    assert_snapshot!(story.answer(3, "all").text(), @r#"
    Q3 answered "all" by person
    settings changed
    starting C.1 in 2
    → start C.1 in 2 from base
    "#);
    // A start that was allowed once is not asked about again.
    story.spawned("A.1");
    story.dies("A.1");
    assert_eq!(story.wait(10).started(), ["A.2"]);
}

/// EX-09: a user who no longer wants to be asked is not asked, even if a question waits.
#[test]
fn without_interactive_a_question_before_a_start_is_answered() {
    let settings = Settings { interactive: true, ..Settings::default() };
    let mut story = Story::with("A: a", settings);
    assert_eq!(story.states(), "A waiting");
    let settings = Some(Settings::default());
    assert_eq!(
        story.open_with(RunOpening { settings, ..RunOpening::default() }).started(),
        ["A.1"]
    );
}
