//! A fresh reviewer looks at work whose checks passed (EX-08).

use afresh_core::Input;
use afresh_core::check::CheckPhase;
use afresh_core::hook::{HookFailure, HookPoint};
use afresh_core::input::RunOpening;
use afresh_core::model_error::{ModelError, ModelErrorClass};
use afresh_core::review::{ReviewOutcome, ReviewVerdict};
use afresh_core::run::DriveState;
use afresh_core::run::settings::{OnFailure, ReviewPolicy, ReviewWhen, Settings};
use afresh_core::usage::Budget;

use crate::support::{Story, attempt_id, review_id, task_id, tokens_used};
use ReviewVerdict::{Approved, ChangesRequested};

fn reviewed() -> Settings {
    let review = ReviewPolicy {
        when: ReviewWhen::Always,
        agent: "claude".to_owned(),
        ..ReviewPolicy::default()
    };
    Settings { review, ..Settings::default() }
}

fn story(plan: &str) -> Story {
    Story::with(plan, reviewed())
}

/// EX-08: the reviewer sees what passed, and its approval is part of the receipt.
#[test]
fn approved_work_lands() {
    let mut story = story("A: a");
    let mut steps = vec![story.passes_alone("A.1").text()];
    steps.push(story.reviewed("A.1/1", Approved).text());
    insta::assert_snapshot!(steps.join("\n"), @"
    passed A.1: test A
    review wanted of A.1
    review 1 of A.1 starting in 1 by claude (large)
    → review 1 of A.1 in 1 by claude (large) from base to cA.1
    review 1 of A.1 ended: approved
    merging A.1 onto base
    → build A.1 onto base
    ");
    story.built("A.1");
    let landed = story.moved("A.1", afresh_core::input::BranchMove::Done);
    assert!(landed.text().starts_with("merged A.1"));
    let status = story.status();
    let receipt = status.tasks[0].receipt.clone().expect("a receipt");
    let review = receipt.review.expect("an approval");
    assert_eq!(review.describe(), "approved by claude: fine");
}

/// EX-08, PR-07: what the reviewer wants goes to a fresh worker, and counts as an attempt.
#[test]
fn a_rejected_attempt_gives_its_feedback_to_the_next_one() {
    let mut story = story("A: a");
    story.passes_alone("A.1");
    insta::assert_snapshot!(story.reviewed("A.1/1", ChangesRequested).text(), @"
    review 1 of A.1 ended: changesrequested
    rejected A.1 (counts): the review asks for changes: the lock leaks (1 issue)
    starting A.2 in 1
    → start A.2 in 1 from base
    ");
    let feedback = story.run.state_of(&task_id("A")).and_then(|a| a.last.feedback.clone());
    let explained = feedback.expect("feedback").explain();
    assert!(explained.ends_with("a:3: released on one path only"), "{explained}");
    story.passes_alone("A.2");
    story.reviewed("A.2/1", Approved);
    story.built("A.2");
    story.moved("A.2", afresh_core::input::BranchMove::Done);
    assert_eq!(story.states(), "A done");
}

/// EX-08: rounds are bounded; then a person decides, and nothing is lost meanwhile.
#[test]
fn after_its_rounds_a_person_decides() {
    let asked = || {
        let mut story = story("A: a");
        story.passes_alone("A.1");
        story.reviewed("A.1/1", ChangesRequested);
        story.passes_alone("A.2");
        let asked = story.reviewed("A.2/1", ChangesRequested);
        assert_eq!(story.states(), "A waiting");
        assert_eq!(story.run.drive_state(story.now), DriveState::Waiting);
        (story, asked)
    };
    insta::assert_snapshot!(asked().1.text(), @"
    review 1 of A.2 ended: changesrequested
    Q1 review [accept retry review skip abort]: the checks of task A pass, but reviewers asked for changes 2 times, last: the lock leaks
    ");
    let answers = ["accept", "retry", "review", "skip"].map(|answer| {
        let (mut story, _) = asked();
        format!("{answer}:\n{}", story.answer(1, answer).text())
    });
    insta::assert_snapshot!(answers.join("\n"), @r#"
    accept:
    Q1 answered "accept" by person
    review of A.2 waived by person
    merging A.2 onto base
    → build A.2 onto base
    retry:
    Q1 answered "retry" by person
    rejected A.2 (does not count): the review asks for changes: the lock leaks (1 issue)
    starting A.3 in 1
    → start A.3 in 1 from base
    review:
    Q1 answered "review" by person
    review 2 of A.2 starting in 1 by claude (large)
    → review 2 of A.2 in 1 by claude (large) from base to cA.2
    skip:
    Q1 answered "skip" by person
    rejected A.2 (does not count): the review asks for changes: the lock leaks (1 issue)
    skipped A: the checks of task A pass, but reviewers asked for changes 2 times, last: the lock leaks
    "#);
}

/// EX-08: work that a person accepts says so in its receipt.
#[test]
fn a_person_who_accepts_the_work_is_in_its_receipt() {
    let settings =
        Settings { review: ReviewPolicy { rounds: 1, ..reviewed().review }, ..Settings::default() };
    let mut story = Story::with("A: a", settings);
    story.passes_alone("A.1");
    story.reviewed("A.1/1", ChangesRequested);
    story.answer(1, "accept");
    story.built("A.1");
    story.moved("A.1", afresh_core::input::BranchMove::Done);
    let receipt = story.status().tasks[0].receipt.clone().expect("a receipt");
    let said = receipt.review.map(|review| review.describe());
    assert_eq!(
        said.as_deref(),
        Some("accepted by person although changes were requested: the lock leaks")
    );
}

/// EX-08: reviewers that fail are replaced, with a pause; then a person is asked.
#[test]
fn reviewers_that_fail_are_replaced_and_then_asked_about() {
    let mut story = story("A: a");
    story.passes_alone("A.1");
    let failed = || ReviewOutcome::Failed { reason: "exit code 1".to_owned(), error: None };
    let mut steps = vec![story.review_ends("A.1/1", failed()).text()];
    steps.push(story.wait(2).text());
    steps.push(story.review_ends("A.1/2", failed()).text());
    steps.push(story.wait(5).text());
    steps.push(story.review_ends("A.1/3", failed()).text());
    insta::assert_snapshot!(steps.join("\n"), @"
    review 1 of A.1 ended until 2000 ms: exit code 1
    review 2 of A.1 starting in 1 by claude (large)
    → review 2 of A.1 in 1 by claude (large) from base to cA.1
    review 2 of A.1 ended until 7000 ms: exit code 1
    review 3 of A.1 starting in 1 by claude (large)
    → review 3 of A.1 in 1 by claude (large) from base to cA.1
    review 3 of A.1 ended until 12000 ms: exit code 1
    Q1 review [accept retry review skip abort]: the checks of task A pass, but it could not be reviewed: exit code 1
    ");
}

/// EX-08, BE-04: a reviewer whose model asks to wait is waited for, and the time is not a failure of the work.
#[test]
fn a_rate_limit_of_reviewers_is_waited_for() {
    let mut story = story("A: a");
    story.passes_alone("A.1");
    let wait = Some(std::time::Duration::from_secs(60));
    let error = ModelError::new(ModelErrorClass::RateLimit, "later").waiting(wait);
    let limited = ReviewOutcome::Failed { reason: String::new(), error: Some(error) };
    story.review_ends("A.1/1", limited);
    assert_eq!(story.run.drive_state(story.now), DriveState::Busy);
    assert_eq!(story.wait(30).lines(), Vec::<String>::new());
    assert_eq!(story.wait(31).effects().len(), 1);
}

/// EX-08, R7: a halt lets reviewers finish, and starts none; an immediate one stops them, and they are started again.
#[test]
fn reviewers_are_halted_as_workers_are() {
    let mut story = story("A: a\nB: b");
    story.passes_alone("A.1");
    story.halt(false);
    story.passes_alone("B.1");
    assert_eq!(story.states(), "A checking, B checking");
    let stopped = story.halt(true).effects();
    assert_eq!(stopped[0], "→ stop A.1 within 5s");
    story.review_ends("A.1/1", ReviewOutcome::Stopped);
    assert_eq!(story.run.drive_state(story.now), DriveState::Halted);
    insta::assert_snapshot!(story.clear().text(), @"
    halt cleared
    review 2 of A.1 starting in 1 by claude (large)
    review 1 of B.1 starting in 2 by claude (large)
    → review 2 of A.1 in 1 by claude (large) from base to cA.1
    → review 1 of B.1 in 2 by claude (large) from base to cB.1
    ");
}

/// EX-08, ST-02, R2: a reviewer dies with its driver and another one starts; the late report of the first changes
/// nothing.
#[test]
fn a_lost_reviewer_is_replaced_by_the_next_driver() {
    let mut story = story("A: a");
    story.passes_alone("A.1");
    insta::assert_snapshot!(story.open().text(), @"
    opened 2
    review 1 of A.1 ended: lost
    review 2 of A.1 starting in 1 by claude (large)
    → review 2 of A.1 in 1 by claude (large) from base to cA.1
    ");
    story.reviewed("A.1/1", ChangesRequested).changes_nothing();
    story.feed(&Input::ReviewUsageSeen(review_id("A.1/1"), tokens_used(9))).changes_nothing();
    story.reviewed("A.1/2", Approved);
    assert_eq!(story.states(), "A merging");
}

/// EX-08: work that waits for a review lands once no review is wanted any more.
#[test]
fn reviews_that_are_switched_off_are_waived() {
    let mut story = story("A: a");
    story.passes_alone("A.1");
    let settings = Some(Settings::default());
    let opened = story.open_with(RunOpening { settings, ..RunOpening::default() });
    assert!(opened.text().contains("review of A.1 waived by the settings"), "{}", opened.text());
    assert_eq!(story.states(), "A merging");
}

/// EX-08, R14: what reviewers use counts once, against the budget of the run, and stands apart.
#[test]
fn reviewers_spend_from_the_budget() {
    let budget = Budget { tokens: Some(100), cost_micros: None };
    let mut story = Story::with("A: a", Settings { budget, ..reviewed() });
    story.uses("A.1", 40);
    story.passes_alone("A.1");
    let seen = |story: &mut Story, tokens| {
        story.feed(&Input::ReviewUsageSeen(review_id("A.1/1"), tokens_used(tokens)))
    };
    seen(&mut story, 50);
    seen(&mut story, 50);
    assert_eq!(story.run.usage().tokens(), 90);
    let reached = seen(&mut story, 60).lines();
    assert_eq!(
        reached,
        ["review 1 of A.1 used 60", "budget reached at 100", "→ stop A.1 within 5s"]
    );
    story.review_ends("A.1/1", ReviewOutcome::Stopped);
    assert_eq!(story.run.drive_state(story.now), DriveState::BudgetReached);
    let task = &story.status().tasks[0];
    assert_eq!(task.usage.input, 100);
    assert_eq!(task.review_usage.map(|usage| usage.input), Some(60));
}

/// EX-08: `large` reviews large work alone: many files, or a task of that size.
#[test]
fn only_large_work_is_reviewed_if_the_settings_say_so() {
    let review = ReviewPolicy { when: ReviewWhen::Large, large_files: 2, ..reviewed().review };
    let plan = "A: a b\nB: c\nC! large: d";
    let mut story = Story::with(plan, Settings { review, ..Settings::default() });
    story.ends("A.1");
    story.harvested("A.1", &["a", "b"]);
    let is_reviewed = |lines: String| lines.contains("review wanted");
    assert!(is_reviewed(story.checked("A.1", CheckPhase::Alone, 0).text()));
    assert!(!is_reviewed(story.passes_alone("B.1").text()));
    assert!(is_reviewed(story.passes_alone("C.1").text()));
}

/// EX-08: reviewers share the workspaces, and come before new tasks.
#[test]
fn reviewers_come_before_new_tasks() {
    let settings = Settings { parallel: 1, ..reviewed() };
    let mut story = Story::with("A: a\nB: b\nC: c", settings);
    // B has started as soon as A's worker had ended.
    story.passes_alone("A.1");
    story.ends("B.1");
    let freed = story.harvested("B.1", &["b"]).effects();
    assert!(freed.iter().any(|effect| effect.starts_with("→ review 1 of A.1 in 1")), "{freed:?}");
    assert!(story.reviewed("A.1/1", Approved).text().contains("→ start C.1"));
}

/// EX-08, BE-10: a rewind takes back work that is being reviewed.
#[test]
fn a_rewind_stops_reviewers_first() {
    let mut story = story("A: a\nB < A: b");
    story.passes_alone("A.1");
    story.reviewed("A.1/1", Approved);
    story.built("A.1");
    story.moved("A.1", afresh_core::input::BranchMove::Done);
    story.passes_alone("B.1");
    let target = afresh_core::run::RewindTarget::Task(task_id("A"));
    let asked = story.feed(&Input::RewindAsked { target, by: "ann".to_owned() });
    assert_eq!(asked.effects(), ["→ stop B.1 within 5s"]);
    let stopped = story.review_ends("B.1/1", ReviewOutcome::Stopped).text();
    assert!(stopped.contains("→ move back from mA.1 to base"), "{stopped}");
}

/// EX-08: the policy for failures answers in place of a person.
#[test]
fn a_policy_answers_for_a_person() {
    let settings = |on_failure| Settings {
        on_failure,
        review: ReviewPolicy { rounds: 1, ..reviewed().review },
        ..Settings::default()
    };
    let mut skips = Story::with("A: a", settings(OnFailure::Skip));
    skips.passes_alone("A.1");
    skips.reviewed("A.1/1", ChangesRequested);
    assert_eq!(skips.states(), "A skipped");
    let mut asks = Story::with("A: a", settings(OnFailure::Ask));
    asks.passes_alone("A.1");
    asks.reviewed("A.1/1", ChangesRequested);
    let opening = RunOpening { settings: Some(settings(OnFailure::Skip)), ..RunOpening::default() };
    asks.open_with(opening);
    assert_eq!(asks.states(), "A skipped");
    let mut aborts = Story::with("A: a", settings(OnFailure::Abort));
    aborts.passes_alone("A.1");
    aborts.reviewed("A.1/1", ChangesRequested);
    assert!(aborts.run.aborted().is_some());
}

/// EX-08, BE-11: an approval holds when a hook before the merge held the work back.
#[test]
fn approved_work_is_not_reviewed_again() {
    let mut story = story("A: a");
    story.passes_alone("A.1");
    story.reviewed("A.1/1", Approved);
    story.feed(&Input::HookFailed(HookFailure {
        point: HookPoint::BeforeMerge,
        attempt: Some(attempt_id("A.1")),
        command: "freeze".to_owned(),
        why: "exit code 1".to_owned(),
    }));
    let released = story.answer(1, "retry").text();
    assert!(released.contains("→ build A.1") && !released.contains("review"), "{released}");
}

/// EX-08: an end by policy leaves the question, so that the next start does not ask another reviewer instead.
#[test]
fn an_end_by_policy_leaves_the_question() {
    let review = ReviewPolicy { rounds: 1, ..reviewed().review };
    let settings = Settings { on_failure: OnFailure::Abort, review, ..Settings::default() };
    let mut story = Story::with("A: a", settings.clone());
    story.passes_alone("A.1");
    story.reviewed("A.1/1", ChangesRequested);
    assert!(story.run.aborted().is_some());
    let asks = Settings { on_failure: OnFailure::Ask, ..settings };
    let opened = story.open_with(RunOpening { settings: Some(asks), ..RunOpening::default() });
    assert_eq!(opened.effects(), Vec::<String>::new());
    assert_eq!(story.states(), "A waiting");
}

/// EX-08: reviews that are switched on also concern work that waits for its merge.
#[test]
fn reviews_that_are_switched_on_concern_what_has_not_landed() {
    let mut story = Story::of_plan("A: a\nB: b");
    story.passes_alone("A.1");
    story.passes_alone("B.1");
    let settings = Some(reviewed());
    let opened = story.open_with(RunOpening { settings, ..RunOpening::default() }).text();
    assert!(opened.contains("→ review 1 of B.1"), "{opened}");
    assert!(opened.contains("→ review 1 of A.1"), "its merge was only being built: {opened}");
    let mut story = Story::of_plan("A: a");
    story.passes_alone("A.1");
    story.built("A.1");
    let settings = Some(reviewed());
    let opened = story.open_with(RunOpening { settings, ..RunOpening::default() }).text();
    assert!(opened.contains("→ move A.1") && !opened.contains("review 1"), "{opened}");
}

/// EX-08: a person who wants another try gives the reviewers all their rounds again.
#[test]
fn a_retry_by_a_person_gives_all_rounds_again() {
    let mut story = story("A: a");
    for attempt in ["A.1", "A.2"] {
        story.passes_alone(attempt);
        story.reviewed(&format!("{attempt}/1"), ChangesRequested);
    }
    story.answer(1, "retry");
    story.passes_alone("A.3");
    assert!(story.reviewed("A.3/1", ChangesRequested).text().contains("→ start A.4"));
}
