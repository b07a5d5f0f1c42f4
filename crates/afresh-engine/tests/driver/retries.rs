//! Attempts that come to nothing, and what follows.

use afresh_core::Event;
use afresh_core::input::BranchMove;
use afresh_core::model_error::{ModelError, ModelErrorClass};
use afresh_core::outcome::Outcome;
use afresh_core::process::ProcessEnd;
use afresh_core::run::DriveState;
use afresh_core::run::settings::{OnFailure, Settings, TimeoutAction};
use std::time::Duration;

use crate::support::{Driven, ScriptedHost, WorkerScript};

fn with_policy(on_failure: OnFailure) -> Settings {
    Settings { on_failure, ..Settings::default() }
}

/// Why attempts were rejected, in order.
fn rejections(driven: &Driven) -> Vec<String> {
    let rejected = driven.events().filter_map(|event| match event {
        Event::AttemptRejected { attempt, reason, .. } => {
            Some(format!("{attempt} {}", reason.describe()))
        }
        _ => None,
    });
    rejected.collect()
}

/// B38: a worker that dies is tried again after the first backoff.
#[test]
fn a_worker_that_died_is_followed_by_another_after_the_backoff() {
    let host = ScriptedHost::of_plan("A: a").worker("A.1", WorkerScript::dies());
    let driven = host.drive().succeeds();
    assert_eq!(driven.at("spawn A.2") - driven.at("rejected A.1"), 2_000);
}

#[test]
fn the_second_death_waits_for_the_second_backoff() {
    let host = ScriptedHost::of_plan("A: a");
    let host = host.worker("A.1", WorkerScript::dies()).worker("A.2", WorkerScript::dies());
    let driven = host.drive().succeeds();
    assert_eq!(driven.at("spawn A.3") - driven.at("rejected A.2"), 5_000);
}

#[test]
fn the_driver_waits_for_exactly_the_deadline_of_the_backoff() {
    let host = ScriptedHost::of_plan("A: a").worker("A.1", WorkerScript::dies());
    let driven = host.drive().succeeds();
    let deadline = driven.at("rejected A.1") + 2_000;
    assert!(driven.host.deadlines.iter().any(|at| at.0 == deadline));
}

/// EX-06: others continue while one waits for its backoff.
#[test]
fn a_backoff_of_one_task_holds_up_no_other() {
    let host = ScriptedHost::of_plan("A: a\nB: b").worker("A.1", WorkerScript::dies());
    let driven = host.drive().succeeds();
    driven.is_in_order(&["rejected A.1", "task-result B.1", "→ start A.2"]);
}

#[test]
fn without_a_backoff_the_next_worker_starts_at_once() {
    let settings = Settings { backoff: vec![], ..Settings::default() };
    let host = ScriptedHost::with("A: a", settings).worker("A.1", WorkerScript::dies());
    let driven = host.drive().succeeds();
    assert_eq!(driven.at("spawn A.2"), driven.at("rejected A.1"));
}

/// AG-05: what could not be started is tried again after 2 s and 5 s.
#[test]
fn a_program_that_does_not_start_is_tried_again_after_two_and_five_seconds() {
    let fails = || WorkerScript::cannot_start(false);
    let host = ScriptedHost::of_plan("A: a").worker("A.1", fails()).worker("A.2", fails());
    let driven = host.drive().succeeds();
    assert_eq!(driven.at("spawn A.2") - driven.at("spawn-failed A.1"), 2_000);
    assert_eq!(driven.at("spawn A.3") - driven.at("spawn-failed A.2"), 5_000);
}

/// AG-05: then a person is asked.
#[test]
fn a_program_that_never_starts_ends_in_a_question() {
    let host = ScriptedHost::of_plan("A: a").worker("A", WorkerScript::cannot_start(false));
    let driven = host.drive();
    assert_eq!(driven.state(), DriveState::Waiting);
    assert_eq!(driven.questions().len(), 1, "{:?}", driven.questions());
    assert!(!driven.has("→ harvest A.1"));
}

#[test]
fn what_can_never_start_is_not_tried_again() {
    let host = ScriptedHost::of_plan("A: a").worker("A", WorkerScript::cannot_start(true));
    let driven = host.drive();
    assert_eq!(driven.state(), DriveState::Waiting);
    assert_eq!(driven.count("→ start A.1"), 1);
    assert!(!driven.has("→ start A.2"));
}

/// HU-05.
#[test]
fn an_unintelligible_answer_is_tried_again_with_its_reason() {
    let host = ScriptedHost::of_plan("A: a").worker("A.1", WorkerScript::unintelligible());
    let driven = host.drive().succeeds();
    let rejections = rejections(&driven);
    assert!(rejections[0].contains("no status"), "{rejections:?}");
}

/// HU-05: when the attempts are spent, a question shows what the worker reported.
#[test]
fn a_question_shows_what_the_worker_said() {
    let host = ScriptedHost::of_plan("A: a").worker("A", WorkerScript::unintelligible());
    let driven = host.drive();
    assert_eq!(driven.state(), DriveState::Waiting);
    let text = driven.run.questions().next().map(|question| question.text.clone());
    assert!(text.is_some_and(|text| text.contains("blah")));
}

/// RE-05.
#[test]
fn a_failure_that_cannot_be_retried_is_not_retried() {
    let gives_up = WorkerScript::gives_up("no database", Some(false));
    let driven = ScriptedHost::of_plan("A: a").worker("A", gives_up).drive();
    assert_eq!(driven.state(), DriveState::Waiting);
    assert!(!driven.has("→ start A.2"));
    assert!(driven.questions()[0].contains("no database"));
}

#[test]
fn a_worker_that_gives_up_is_followed_by_as_many_as_the_settings_allow() {
    let settings = Settings { attempts: 2, ..with_policy(OnFailure::Skip) };
    let gives_up = WorkerScript::gives_up("stuck", None);
    let driven = ScriptedHost::with("A: a", settings).worker("A", gives_up).drive();
    assert_eq!(driven.states(), "A skipped");
    assert!(driven.has("→ start A.2") && !driven.has("→ start A.3"));
}

/// EX-06: what needs a failed task is blocked, and all others continue.
#[test]
fn a_failed_task_blocks_its_dependents_and_nothing_else() {
    let host = ScriptedHost::with("A: a\nB < A: b\nC: c", with_policy(OnFailure::Skip));
    let driven = host.worker("A", WorkerScript::gives_up("stuck", None)).drive();
    assert_eq!(driven.state(), DriveState::Finished { ok: false });
    assert_eq!(driven.states(), "A skipped, B blocked, C done");
    assert_eq!(driven.error_of("B"), "blocked: A skipped");
}

#[test]
fn the_abort_policy_stops_workers_and_ends_the_run() {
    let host = ScriptedHost::with("A: a\nB: b", with_policy(OnFailure::Abort));
    let host = host.worker("A", WorkerScript::gives_up("stuck", Some(false)));
    let driven = host.worker("B", WorkerScript::works_until_stopped()).drive();
    assert_eq!(driven.state(), DriveState::Finished { ok: false });
    driven.is_in_order(&["aborted afresh", "→ stop B.1", "spawn-complete B.1", "→ harvest B.1"]);
}

#[test]
fn the_retry_policy_tries_a_failed_task_once_more_per_drive() {
    let settings = Settings { attempts: 1, ..with_policy(OnFailure::Retry) };
    let gives_up = WorkerScript::gives_up("stuck", None);
    let driven = ScriptedHost::with("A: a", settings).worker("A", gives_up).drive();
    assert_eq!(driven.state(), DriveState::Waiting);
    assert_eq!(driven.count("retried A"), 1);
    assert!(driven.has("→ start A.2") && !driven.has("→ start A.3"));
}

#[test]
fn the_next_drive_retries_a_failed_task_again() {
    let settings = Settings { attempts: 1, ..with_policy(OnFailure::Retry) };
    let gives_up = WorkerScript::gives_up("stuck", None);
    let driven = ScriptedHost::with("A: a", settings).worker("A", gives_up).drive();
    let driven = driven.again().worker("A.3", WorkerScript::done()).drive().succeeds();
    assert_eq!(driven.count("retried A"), 2);
}

/// EX-11, B25: a success that changed nothing is none.
#[test]
fn a_success_without_changes_is_rejected() {
    let host = ScriptedHost::of_plan("A: a").worker("A.1", WorkerScript::done().changing(&[]));
    let driven = host.drive().succeeds();
    assert!(driven.has("rejected A.1"));
    assert!(!driven.has("→ check Alone of A.1: test A"));
}

/// B26: an undeclared change outside the task's files is listed.
#[test]
fn a_change_out_of_scope_is_rejected_and_named() {
    let strays = WorkerScript::done().changing(&["a", "other/file.rs"]);
    let driven = ScriptedHost::of_plan("A: a").worker("A.1", strays).drive().succeeds();
    assert!(rejections(&driven)[0].contains("other/file.rs"));
    assert!(driven.has("task-result A.2"));
}

/// R16: work that cannot be read is not merged.
#[test]
fn an_attempt_whose_work_cannot_be_read_is_tried_again() {
    let unreadable = WorkerScript::done().unreadable("the index is broken");
    let driven = ScriptedHost::of_plan("A: a").worker("A.1", unreadable).drive().succeeds();
    assert!(rejections(&driven)[0].contains("the index is broken"));
    assert!(!driven.has("→ merge A.1"));
}

/// AG-09.
#[test]
fn a_timeout_asks_by_default() {
    let host = ScriptedHost::of_plan("A: a").worker("A.1", WorkerScript::times_out());
    let driven = host.drive();
    assert_eq!(driven.state(), DriveState::Waiting);
    assert!(!driven.has("→ start A.2"));
}

/// AG-09: `timeout_action` decides.
#[test]
fn a_timeout_is_retried_skipped_or_halts_as_the_settings_say() {
    let ends = |timeout_action| {
        let settings = Settings { timeout_action, ..Settings::default() };
        let host = ScriptedHost::with("A: a", settings);
        let driven = host.worker("A.1", WorkerScript::times_out()).drive();
        (driven.state(), driven.states())
    };
    let retried = (DriveState::Finished { ok: true }, "A done".to_owned());
    assert_eq!(ends(TimeoutAction::Retry), retried);
    let skipped = (DriveState::Finished { ok: false }, "A skipped".to_owned());
    assert_eq!(ends(TimeoutAction::Skip), skipped);
    assert_eq!(ends(TimeoutAction::Fail).0, DriveState::Halted);
}

/// AG-09: a limit for silence ends an attempt as a time limit does.
#[test]
fn a_worker_that_went_silent_timed_out() {
    let settings = Settings { timeout_action: TimeoutAction::Retry, ..Settings::default() };
    let silent = WorkerScript::ends(ProcessEnd::WentSilent, Outcome::Silent);
    let driven = ScriptedHost::with("A: a", settings).worker("A.1", silent).drive().succeeds();
    assert!(rejections(&driven)[0].contains("failed:timeout"));
}

/// BE-04: a limit with a time is waited for.
#[test]
fn a_rate_limit_with_a_time_is_waited_for() {
    let wait = Duration::from_secs(90);
    let limited = ModelError::new(ModelErrorClass::RateLimit, "slow down").waiting(Some(wait));
    let host = ScriptedHost::of_plan("A: a");
    let driven = host.worker("A.1", WorkerScript::model_fails(limited)).drive().succeeds();
    assert!(driven.at("spawn A.2") - driven.at("rejected A.1") >= 90_000);
    assert!(driven.has("agent-parked afresh"));
}

/// BE-04: everyone who would meet the limit waits for it.
#[test]
fn no_other_worker_of_a_parked_agent_starts_before_its_time() {
    let wait = Duration::from_secs(90);
    let limited = ModelError::new(ModelErrorClass::RateLimit, "slow down").waiting(Some(wait));
    let settings = Settings { parallel: 1, ..Settings::default() };
    let host = ScriptedHost::with("A: a\nB: b", settings);
    let driven = host.worker("A.1", WorkerScript::model_fails(limited)).drive().succeeds();
    assert!(driven.at("spawn B.1") - driven.at("rejected A.1") >= 90_000);
}

/// AG-06: a refused key is asked about at once.
#[test]
fn a_refused_key_is_not_retried() {
    let refused = ModelError::new(ModelErrorClass::Auth, "invalid key");
    let host = ScriptedHost::of_plan("A: a").worker("A", WorkerScript::model_fails(refused));
    let driven = host.drive();
    assert_eq!(driven.state(), DriveState::Waiting);
    assert!(!driven.has("→ start A.2"));
}

/// F19: with a model in demand the pauses grow, and a person is asked in the end.
#[test]
fn an_overloaded_model_is_waited_for_longer_and_longer_and_then_asked_about() {
    let overloaded = ModelError::new(ModelErrorClass::Overloaded, "busy");
    let host = ScriptedHost::of_plan("A: a").worker("A", WorkerScript::model_fails(overloaded));
    let driven = host.drive();
    assert_eq!(driven.state(), DriveState::Waiting);
    let starts: Vec<u64> = (1..100)
        .map(|number| format!("→ start A.{number}"))
        .take_while(|line| driven.has(line))
        .map(|line| driven.at(&line.replace("→ start", "spawn")))
        .collect();
    let pauses: Vec<u64> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let (first, longest) = (pauses[0], pauses.iter().max().copied().unwrap_or_default());
    assert!(first < 10_000 && longest > 15 * 60 * 1_000, "{pauses:?}");
}

/// R3: a move that could not be tried halts the run, and the next drive completes it.
#[test]
fn a_branch_that_could_not_be_moved_halts_and_is_moved_by_the_next_drive() {
    let trouble = BranchMove::Trouble("a lock".to_owned());
    let driven = ScriptedHost::of_plan("A: a").branch("A.1", trouble).drive();
    assert_eq!(driven.state(), DriveState::Halted);
    driven.is_in_order(&["landing-delayed A.1", "halt afresh"]);
    let opening = afresh_core::input::RunOpening { clear_halt: true, ..Default::default() };
    let driven = driven.again().drive_with(opening, vec![]).succeeds();
    assert_eq!(driven.count("→ start A.1"), 1);
    assert_eq!(driven.count("→ move branch to A.1"), 2);
    assert_eq!(driven.count("task-result A.1"), 1);
}
