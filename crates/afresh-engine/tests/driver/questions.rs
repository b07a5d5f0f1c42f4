//! Questions, with and without a person, and the policies that answer in a person's place.

use afresh_core::Event;
use afresh_core::plan::{Checkpoint, CheckpointKind};
use afresh_core::run::DriveState;
use afresh_core::run::settings::{OnDecision, Settings};

use crate::support::{Driven, ScriptedHost, WorkerScript, decide, draft_of, skip};

fn with_decision(on_decision: OnDecision) -> Settings {
    Settings { on_decision, ..Settings::default() }
}

fn asking(plan: &str) -> ScriptedHost {
    ScriptedHost::of_plan(plan).worker("A.1", WorkerScript::asks())
}

/// Who answered what.
fn given(driven: &Driven) -> Vec<String> {
    let answered = driven.events().filter_map(|event| match event {
        Event::QuestionAnswered { question, answer, by } => {
            Some(format!("{question} {answer} by {by}"))
        }
        _ => None,
    });
    answered.collect()
}

/// HU-04: without a person the drive ends with the question open.
#[test]
fn without_a_person_the_drive_ends_with_the_question_open() {
    let driven = asking("A: a").drive();
    assert_eq!(driven.state(), DriveState::Waiting);
    assert_eq!(driven.questions(), ["Q1 left or right?"]);
}

/// HU-01: the answer starts a fresh worker.
#[test]
fn a_persons_answer_starts_a_fresh_worker() {
    let driven = asking("A: a").person(vec![decide(1, "left")]).drive().succeeds();
    driven.is_in_order(&["question A", "answer person", "→ start A.2", "task-result A.2"]);
}

/// HU-01, BE-06: all others continue while one waits.
#[test]
fn other_tasks_finish_while_a_question_is_open() {
    let driven = asking("A: a\nB: b\nC < A: c").drive();
    assert_eq!(driven.states(), "A waiting, B done, C pending");
}

#[test]
fn a_person_is_asked_only_after_everything_else_is_done() {
    let host = asking("A: a\nB: b").worker("B", WorkerScript::done().taking(30_000));
    let driven = host.person(vec![decide(1, "left")]).drive().succeeds();
    driven.is_in_order(&["question A", "task-result B.1", "answer person"]);
}

/// HU-04: an answer from another terminal does not have to wait for that.
#[test]
fn an_answer_from_another_terminal_is_used_while_others_work() {
    let host = asking("A: a\nB: b").worker("B", WorkerScript::done().taking(30_000));
    let driven = host.send("question A", decide(1, "right")).drive().succeeds();
    driven.is_in_order(&["answer person", "→ start A.2", "spawn-complete B.1"]);
    assert_eq!(driven.answers(), ["ok"]);
}

/// HU-04: a question survives a restart.
#[test]
fn a_question_can_be_answered_in_a_later_drive() {
    let driven = asking("A: a").drive();
    let driven = driven.again().drive();
    assert_eq!(driven.questions(), ["Q1 left or right?"]);
    driven.again().person(vec![decide(1, "left")]).drive().succeeds();
}

/// HU-07: words of one's own have a key of their own, so that a slip is none.
#[test]
fn a_worker_may_be_answered_in_free_words() {
    let answers = vec![decide(1, "straight on"), decide(1, "say: straight on")];
    let driven = asking("A: a").person(answers).drive().succeeds();
    assert_eq!(given(&driven), ["Q1 straight on by person"]);
}

#[test]
fn an_empty_answer_is_refused() {
    let answers = vec![decide(1, "  "), decide(1, "left")];
    let driven = asking("A: a").person(answers).drive().succeeds();
    assert_eq!(driven.answers(), ["Q1 cannot be answered with nothing", "ok"]);
}

#[test]
fn an_answer_to_an_unknown_question_is_refused() {
    let answers = vec![decide(7, "left"), decide(1, "left")];
    let driven = asking("A: a").person(answers).drive().succeeds();
    assert_eq!(driven.answers(), ["there is no open question Q7", "ok"]);
}

#[test]
fn a_question_is_answered_once() {
    let host = asking("A: a").person(vec![decide(1, "left")]);
    let driven = host.send("answer person", decide(1, "right")).drive().succeeds();
    assert_eq!(driven.answers(), ["ok", "there is no open question Q1"]);
    assert_eq!(given(&driven), ["Q1 left by person"]);
}

/// HU-01: `defer` skips the task.
#[test]
fn a_deferred_question_skips_the_task() {
    let driven = asking("A: a\nB < A: b").person(vec![decide(1, "defer")]).drive();
    assert_eq!(driven.state(), DriveState::Finished { ok: false });
    assert_eq!(driven.states(), "A skipped, B blocked");
    assert_eq!(driven.error_of("A"), "deferred: left or right?");
}

#[test]
fn a_person_who_leaves_ends_the_drive_and_keeps_the_question() {
    let driven = asking("A: a").person(vec![]).drive();
    assert_eq!(driven.state(), DriveState::Waiting);
    assert_eq!(driven.questions().len(), 1);
}

/// HU-04: policies answer for unattended runs.
#[test]
fn the_first_policy_takes_the_first_option() {
    let host = ScriptedHost::with("A: a", with_decision(OnDecision::First));
    let driven = host.worker("A.1", WorkerScript::asks()).drive().succeeds();
    assert_eq!(given(&driven), ["Q1 left by policy"]);
}

#[test]
fn the_first_policy_does_not_answer_one_worker_after_another_for_ever() {
    let host = ScriptedHost::with("A: a", with_decision(OnDecision::First));
    let driven = host.worker("A", WorkerScript::asks()).drive();
    assert_eq!(driven.state(), DriveState::Waiting);
    assert_eq!(given(&driven).len(), 3);
}

#[test]
fn the_defer_policy_skips_without_a_person() {
    let host = ScriptedHost::with("A: a", with_decision(OnDecision::Defer));
    let driven = host.worker("A", WorkerScript::asks()).drive();
    assert_eq!(driven.states(), "A skipped");
    assert_eq!(given(&driven), ["Q1 defer by policy"]);
}

#[test]
fn the_abort_policy_ends_the_run_and_keeps_the_question() {
    let host = ScriptedHost::with("A: a", with_decision(OnDecision::Abort));
    let driven = host.worker("A", WorkerScript::asks()).drive();
    assert_eq!(driven.state(), DriveState::Finished { ok: false });
    assert_eq!(driven.questions(), ["Q1 left or right?"]);
}

#[test]
fn a_policy_that_is_set_later_answers_what_waits_already() {
    let driven = asking("A: a").drive();
    let opening = afresh_core::input::RunOpening {
        settings: Some(with_decision(OnDecision::First)),
        ..Default::default()
    };
    let driven = driven.again().drive_with(opening, vec![]).succeeds();
    driven.is_in_order(&["settings-changed afresh", "answer policy", "→ start A.2"]);
}

/// HU-02.
#[test]
fn an_action_that_is_done_starts_a_fresh_worker() {
    let host = ScriptedHost::of_plan("A: a").worker("A.1", WorkerScript::needs_action());
    let driven = host.person(vec![decide(1, "done")]).drive().succeeds();
    driven.is_in_order(&["question A", "answer person", "→ start A.2"]);
}

#[test]
fn an_action_takes_only_the_answers_that_it_offers() {
    let host = ScriptedHost::of_plan("A: a").worker("A.1", WorkerScript::needs_action());
    let driven = host.person(vec![decide(1, "maybe"), decide(1, "done")]).drive().succeeds();
    assert_eq!(driven.answers(), ["Q1 takes one of: done, defer", "ok"]);
}

fn failed(answer: &str) -> Driven {
    let settings = Settings { attempts: 1, ..Settings::default() };
    let host = ScriptedHost::with("A: a\nB < A: b\nC < B: c", settings);
    let host = host.worker("A.1", WorkerScript::gives_up("stuck", None));
    host.person(vec![decide(1, answer)]).drive()
}

/// HU-03.
#[test]
fn a_failed_task_that_is_retried_can_still_land() {
    assert_eq!(failed("retry").succeeds().states(), "A done, B done, C done");
}

/// HU-03: `ignore` lets dependents continue without it, by a recorded event.
#[test]
fn a_failed_task_that_is_ignored_lets_its_dependents_run() {
    let driven = failed("ignore");
    assert_eq!(driven.states(), "A skipped, B done, C done");
    driven.is_in_order(&["task-result A", "ignored A", "→ start B.1"]);
}

/// HU-03: `cascade` skips everything that waits for it.
#[test]
fn a_failed_task_that_cascades_skips_everything_behind_it() {
    let driven = failed("cascade");
    assert_eq!(driven.states(), "A skipped, B skipped, C skipped");
    assert_eq!(driven.error_of("C"), "A, which it needs, was skipped");
}

/// HU-03: `clarify` retries with a note for the worker.
#[test]
fn a_clarification_reaches_the_journal_and_retries() {
    let driven = failed("clarify: use the other one").succeeds();
    assert_eq!(given(&driven), ["Q1 clarify: use the other one by person"]);
    assert!(driven.has("→ start A.2"));
}

#[test]
fn a_clarification_without_words_is_refused() {
    let driven = failed("clarify:");
    assert_eq!(driven.state(), DriveState::Waiting);
    assert!(driven.answers()[0].contains("clarify: YOUR WORDS"), "{:?}", driven.answers());
}

#[test]
fn abort_as_an_answer_ends_the_run_with_its_reason() {
    let driven = failed("abort");
    assert_eq!(driven.state(), DriveState::Finished { ok: false });
    assert_eq!(driven.status().error.as_deref(), Some("run stopped by person at Q1"));
}

/// Skipping a task withdraws what it asked.
#[test]
fn a_skipped_task_asks_nothing_more() {
    let driven = asking("A: a").person(vec![skip("A")]).drive();
    assert!(driven.questions().is_empty());
    assert_eq!(given(&driven), ["Q1 withdrawn by command"]);
}

/// EX-09: `--interactive` asks before each task.
#[test]
fn an_interactive_run_asks_before_each_task() {
    let settings = Settings { interactive: true, ..Settings::default() };
    let host = ScriptedHost::with("A: a\nB: b", settings);
    let driven = host.person(vec![decide(1, "start"), decide(2, "skip")]).drive();
    assert_eq!(driven.states(), "A done, B skipped");
    driven.is_in_order(&["question A", "answer person", "→ start A.1"]);
}

/// EX-09: and stops asking when the person says so.
#[test]
fn all_as_an_answer_starts_the_others_without_asking() {
    let settings = Settings { interactive: true, ..Settings::default() };
    let host = ScriptedHost::with("A: a\nB: b", settings).person(vec![decide(1, "all")]);
    let driven = host.drive().succeeds();
    assert!(!driven.has("question B"));
}

/// FO-02: a checkpoint starts no worker; its answer settles it.
#[test]
fn a_checkpoint_starts_no_worker_and_holds_up_what_needs_it() {
    let mut draft = draft_of("A: a\nB < A: b");
    draft.tasks[0].checkpoint = Some(Checkpoint {
        kind: CheckpointKind::Verify,
        text: "does it look right?".to_owned(),
        options: vec![],
    });
    let host = ScriptedHost::of_draft(draft, Settings::default());
    let waiting = host.drive();
    assert_eq!(waiting.states(), "A waiting, B pending");
    let driven = waiting.again().person(vec![decide(1, "approved")]).drive().succeeds();
    assert!(!driven.has("→ start A.1"));
    driven.is_in_order(&["answer person", "task-result A", "→ start B.1"]);
}

/// EX-04: a change that hands trust to other programs is never taken unasked.
#[test]
fn a_trust_file_lands_only_after_a_person_accepted_it() {
    let host = ScriptedHost::of_plan("A: .github/workflows/ci.yml");
    let driven = host.person(vec![decide(1, "accept")]).drive();
    driven.succeeds().is_in_order(&[
        "question A",
        "answer person",
        "in-scope A.1",
        "task-result A.1",
    ]);
}
