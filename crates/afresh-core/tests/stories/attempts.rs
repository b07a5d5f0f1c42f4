//! Retries: what counts, how long to wait, when to give up (AG-05, B24, B25, B38, EX-11).

use afresh_core::Input;
use afresh_core::check::{CheckOutcome, CheckPhase};
use afresh_core::harvest::{ChangeKind, Harvest};
use afresh_core::outcome::{
    CompletionClaim, CriterionReport, CriterionResult, Deviation, Outcome, WorkerFailure,
};
use afresh_core::plan::{CheckDraft, Plan};
use afresh_core::process::ProcessEnd;
use afresh_core::process::{LimitExceeded, LimitedResource};
use afresh_core::run::settings::{ScopeMode, Settings, TimeoutAction};

use crate::support::{Story, attempt_id, changed, check_result, commit, draft_of, task_id, tree};

/// AG-05: 2 s, 5 s, and after the third failure a person is asked; none of them is an attempt.
#[test]
fn spawn_failures_wait_and_the_third_asks() {
    let mut story = Story::of_plan("A: a");
    let mut steps = vec![story.spawn_fails("A.1").text()];
    story.wait(1).changes_nothing();
    steps.push(story.wait(1).text());
    steps.push(story.spawn_fails("A.2").text());
    story.wait(4).changes_nothing();
    steps.push(story.wait(1).text());
    steps.push(story.spawn_fails("A.3").text());
    insta::assert_snapshot!(steps.join("\n"), @"
    no spawn A.1 until 2000 ms
    starting A.2 in 1
    → start A.2 in 1 from base
    no spawn A.2 until 7000 ms
    starting A.3 in 1
    → start A.3 in 1 from base
    no spawn A.3 until 12000 ms
    Q1 obstacle [retry skip abort]: no worker can start: no such program
    ");
    assert_eq!(
        story.run.state_of(&crate::support::task_id("A")).map(|a| a.retries.counted),
        Some(0)
    );
}

/// BE-07, F16: a worker that exceeds a resource limit is stopped. That counts, and the next worker is given the
/// reason, also if the work could not be saved completely.
#[test]
fn exceeding_a_limit_counts_and_the_next_worker_is_given_the_reason() {
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    let excess = LimitExceeded { of: LimitedResource::Processes, limit: 200 };
    story.ends_with(
        "A.1",
        ProcessEnd::OverLimit(excess),
        Outcome::Done(CompletionClaim::default()),
    );
    insta::assert_snapshot!(story.harvested("A.1", &["a"]).text(), @"
    harvested A.1: 1 changes
    rejected A.1 (counts): failed:limit: it had more than 200 processes and threads at a time, and was ended with all that it had started
    starting A.2 in 1
    → start A.2 in 1 from base
    ");
    let excess = LimitExceeded { of: LimitedResource::Disk, limit: 5 << 20 };
    story.spawned("A.2");
    story.ends_with("A.2", ProcessEnd::OverLimit(excess), Outcome::Silent);
    let cannot_be_kept = Input::Harvested(attempt_id("A.2"), Err("too much".to_owned()));
    insta::assert_snapshot!(story.feed(&cannot_be_kept).text(), @"
    rejected A.2 (counts): failed:limit: it filled more than 5 MiB of disk, and was ended with all that it had started; the work of A.2 was not taken: too much
    starting A.3 in 1
    → start A.3 in 1 from base
    ");
    assert_eq!(
        story.run.state_of(&crate::support::task_id("A")).map(|a| a.retries.counted),
        Some(2)
    );
}

/// PR-06: a worker that could not start the next time either is not retried; a person is asked, with a hint.
#[test]
fn what_can_never_start_fails_at_once() {
    let mut story = Story::of_plan("A: a");
    insta::assert_snapshot!(story.cannot_start("A.1").text(), @"
    no spawn A.1
    failed A: too large; split it
    Q1 failed [retry skip clarify abort]: task A failed: too large; split it
    ");
    story.wait(60).changes_nothing();
    assert_eq!(
        story.run.state_of(&crate::support::task_id("A")).map(|a| a.retries.counted),
        Some(0)
    );
}

/// AG-05: a worker that started resets the count.
#[test]
fn only_failures_in_a_row_count() {
    let mut story = Story::of_plan("A: a");
    story.spawn_fails("A.1");
    story.wait(2);
    story.spawn_fails("A.2");
    story.wait(5);
    story.spawned("A.3");
    story.dies("A.3");
    story.wait(2);
    let fourth = story.spawn_fails("A.4");
    assert_eq!(fourth.lines().len(), 1, "{fourth:?}");
}

/// B38: an exit code and a signal are distinguished; each death in a row waits longer.
#[test]
fn exit_codes_and_signals_are_distinguished_and_back_off() {
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    story.ends_with("A.1", ProcessEnd::Signaled(9), Outcome::Silent);
    let mut steps = vec![story.harvested("A.1", &[]).text()];
    story.wait(2);
    story.ends_with("A.2", ProcessEnd::Exited(255), Outcome::Silent);
    steps.push(story.harvested("A.2", &[]).text());
    story.wait(5);
    story.ends_with("A.3", ProcessEnd::Exited(1), Outcome::Silent);
    steps.push(story.harvested("A.3", &[]).text());
    insta::assert_snapshot!(steps.join("\n"), @"
    harvested A.1: 0 changes
    rejected A.1 (counts) until 2000 ms: failed:signal: the worker was ended by signal 9 (SIGKILL)
    harvested A.2: 0 changes
    rejected A.2 (counts) until 7000 ms: failed:exit: the worker ended with exit code 255
    harvested A.3: 0 changes
    rejected A.3 (counts) until 12000 ms: failed:exit: the worker ended with exit code 1
    failed A: failed:exit: the worker ended with exit code 1
    Q1 failed [retry skip clarify abort]: task A failed after 3 attempts: failed:exit: the worker ended with exit code 1
    ");
}

/// B24: claim and fact are shown side by side; a fresh worker retries at once.
#[test]
fn success_that_the_checks_deny_is_a_failure() {
    let mut story = Story::with("A: a", Settings { attempts: 1, ..Settings::default() });
    story.ends("A.1");
    story.harvested("A.1", &["a"]);
    insta::assert_snapshot!(story.checked("A.1", CheckPhase::Alone, 1).text(), @"
    rejected A.1 (counts): `test A` ended with exit code 1
    failed A: `test A` ended with exit code 1, although the worker reported success
    Q1 failed [retry skip clarify abort]: task A failed after 1 attempt: `test A` ended with exit code 1, although the worker reported success
    ");
}

/// B25, EX-11: a success that changed nothing, although files were expected, is rejected.
#[test]
fn a_success_without_a_change_is_rejected() {
    let mut story = Story::of_plan("A: a\nB:");
    story.ends("A.1");
    insta::assert_snapshot!(story.harvested("A.1", &[]).text(), @"
    harvested A.1: 0 changes
    rejected A.1 (counts): no-op: the worker exited normally but changed no files
    starting A.2 in 1
    → start A.2 in 1 from base
    ");
}

/// A harvest with one change, which lacks a file that the task was to create.
fn harvest_without(path: &str) -> Harvest {
    Harvest {
        tree: tree("A.1"),
        commit: Some(commit("cA.1")),
        changes: vec![changed("a", ChangeKind::Modified)],
        notes: vec![],
        leaks: vec![],
        missing: vec![path.to_owned()],
    }
}

/// EX-07: a file that the plan has the task create is expected, and the next worker is told.
#[test]
fn a_success_without_an_expected_file_is_rejected() {
    let mut story = Story::of_plan("A: a");
    story.ends("A.1");
    let harvest = Input::Harvested(attempt_id("A.1"), Ok(harvest_without("src/new.rs")));
    insta::assert_snapshot!(story.feed(&harvest).text(), @r"
    harvested A.1: 1 changes
    rejected A.1 (counts): src/new.rs is to be created, and missing
    starting A.2 in 1
    → start A.2 in 1 from base
    ");
}

/// EX-07: a worker may do without the file if it says so; under `open` nothing is expected. Both are shown.
#[test]
fn an_expected_file_may_be_left_out_with_a_reason() {
    let deviation = Deviation {
        rule: 3,
        description: "src/new.rs is not needed: a.rs has it".to_owned(),
        files: vec![],
    };
    let claim = CompletionClaim { deviations: vec![deviation], ..CompletionClaim::default() };
    let open = Settings { scope: ScopeMode::Open, ..Settings::default() };
    for (settings, claim) in [(Settings::default(), claim), (open, CompletionClaim::default())] {
        let mut story = Story::with("A: a", settings);
        story.ends_with("A.1", ProcessEnd::Exited(0), Outcome::Done(claim));
        let harvest = Input::Harvested(attempt_id("A.1"), Ok(harvest_without("src/new.rs")));
        assert!(!story.feed(&harvest).text().contains("rejected"));
        let state = story.run.state_of(&task_id("A")).expect("a task");
        assert_eq!(state.last.differences, ["src/new.rs was not created"]);
    }
}

/// EX-11: a task that lists no files may find nothing to do.
#[test]
fn where_no_files_were_expected_nothing_may_change() {
    let mut story = Story::of_plan("B:");
    story.ends("B.1");
    assert_eq!(
        story.harvested("B.1", &[]).lines(),
        ["harvested B.1: 0 changes", "accepted B.1", "→ check Alone tree B.1: test B"]
    );
}

/// RE-03: claimed and changed files are compared.
#[test]
fn claims_and_facts_are_compared() {
    let mut story = Story::of_plan("A: a b");
    let claim = CompletionClaim {
        files: vec!["./a".to_owned(), "c".to_owned()],
        ..CompletionClaim::default()
    };
    story.ends_with("A.1", ProcessEnd::Exited(0), Outcome::Done(claim));
    insta::assert_snapshot!(story.harvested("A.1", &["a", "b"]).text(), @"
    harvested A.1: 2 changes
    accepted A.1: c was claimed, but did not change; b changed, but was not claimed
    → check Alone tree A.1: test A
    ");
}

/// A halt, a kill and a conflict take no attempt from a task.
#[test]
fn halts_kills_and_conflicts_do_not_count() {
    let mut story = Story::with("A: a\nB: b", Settings { attempts: 1, ..Settings::default() });
    story.spawned("A.1");
    // A kill.
    story.open();
    let orphaned = story.harvested("A.1", &[]);
    assert!(orphaned.text().contains("rejected A.1 (does not count): was running"), "{orphaned:?}");
    story.harvested("B.1", &[]);
    // A halt.
    story.halt(true);
    story.ends_with("A.2", ProcessEnd::Stopped, Outcome::Silent);
    let stopped = story.harvested("A.2", &[]);
    assert_eq!(
        stopped.lines()[1],
        "rejected A.2 (does not count): ended by afresh before it was finished"
    );
    story.ends_with("B.2", ProcessEnd::Stopped, Outcome::Silent);
    story.harvested("B.2", &[]);
    assert_eq!(story.clear().started(), ["A.3", "B.3"]);
    // A conflict.
    story.lands("B.3");
    story.passes_alone("A.3");
    let collided = story.collides("A.3", "b");
    assert_eq!(collided.started(), ["A.4"]);
    assert!(collided.text().contains("rejected A.3 (does not count)"), "{collided:?}");
}

/// RE-05: `retryable: false` skips automatic retries.
#[test]
fn a_worker_that_gives_up_for_good_is_not_retried() {
    let failure = |retryable| {
        Outcome::Failed(WorkerFailure {
            error: "no such API".to_owned(),
            retryable,
            ..WorkerFailure::default()
        })
    };
    let mut story = Story::of_plan("A: a\nB: b");
    story.ends_with("A.1", ProcessEnd::Exited(0), failure(None));
    assert_eq!(story.harvested("A.1", &[]).started(), ["A.2"]);
    story.ends_with("B.1", ProcessEnd::Exited(0), failure(Some(false)));
    assert_eq!(
        story.harvested("B.1", &[]).lines()[1..],
        [
            "rejected B.1 (counts): the worker gave up: no such API",
            "failed B: the worker gave up: no such API",
            "Q1 failed [retry skip clarify abort]: task B failed after 1 attempt: the worker gave up: no such API"
        ]
    );
}

fn reported_claim() -> CompletionClaim {
    let evidence = "3 tests".to_owned();
    let criterion =
        CriterionReport { name: "login".to_owned(), result: CriterionResult::Pass, evidence };
    let deviation = Deviation { rule: 1, description: "a bug in a".to_owned(), files: vec![] };
    CompletionClaim {
        criteria: vec![criterion],
        deviations: vec![deviation],
        notes: Some("mind the cache".to_owned()),
        warnings: vec!["the answer names another task: \"x\"".to_owned()],
        ..CompletionClaim::default()
    }
}

/// RE-05: criteria, deviations and notes reach the receipt and the status; irregularities of the answer are
/// reported with the differences.
#[test]
fn what_a_worker_says_of_its_work_is_in_its_receipt() {
    let mut story = Story::of_plan("A: a");
    story.spawned("A.1");
    story.ends_with("A.1", ProcessEnd::Exited(0), Outcome::Done(reported_claim()));
    let judged = story.harvested("A.1", &["a"]).text();
    assert!(judged.contains("accepted A.1: the answer names another task"), "{judged}");
    story.checked("A.1", CheckPhase::Alone, 0);
    story.built("A.1");
    story.moved("A.1", afresh_core::input::BranchMove::Done);
    let status = story.status();
    let receipt = status.tasks[0].receipt.clone().expect("it landed");
    let claim = reported_claim();
    assert_eq!(receipt.criteria, claim.criteria);
    assert_eq!((receipt.deviations, receipt.notes), (claim.deviations, claim.notes));
    assert_eq!(status.tasks[0].criteria, claim.criteria);
}

/// RE-05: the category of an error and the criteria that failed with it are in the status.
#[test]
fn the_category_of_an_error_is_in_the_status() {
    let mut story = Story::of_plan("A: a");
    let failure = WorkerFailure {
        error: "2 tests fail".to_owned(),
        category: Some("test".to_owned()),
        claim: reported_claim(),
        ..WorkerFailure::default()
    };
    story.ends_with("A.1", ProcessEnd::Exited(0), Outcome::Failed(failure));
    story.harvested("A.1", &[]);
    assert_eq!(story.error_of("A"), "the worker gave up (test): 2 tests fail");
    let status = story.status();
    assert_eq!(status.tasks[0].error_category.as_deref(), Some("test"));
    assert_eq!(status.tasks[0].criteria, reported_claim().criteria);
}

/// B32: an answer that cannot be understood is a failed attempt with its reason.
#[test]
fn an_unintelligible_answer_is_rejected_with_its_reason() {
    let mut story = Story::of_plan("A: a");
    let outcome =
        Outcome::Unintelligible { reason: "not JSON".to_owned(), excerpt: "{".to_owned() };
    story.ends_with("A.1", ProcessEnd::Exited(0), outcome);
    let text = story.harvested("A.1", &["a"]).text();
    assert!(text.contains("rejected A.1 (counts): unintelligible answer: not JSON"), "{text}");
}

/// RE-01, RE-03: right work whose report was forgotten is judged by its changes and the checks, with a note.
#[test]
fn work_without_a_report_is_judged_by_its_tree() {
    let mut story = Story::of_plan("A: a");
    let forgotten = Outcome::Unreported { excerpt: "I am done.".to_owned() };
    story.ends_with("A.1", ProcessEnd::Exited(0), forgotten);
    let text = story.harvested("A.1", &["a"]).text();
    assert!(text.contains("accepted A.1") && text.contains("did not report a result"), "{text}");
}

/// RE-03: without changes, or without any check, nothing shows that the work is right.
#[test]
fn work_without_a_report_needs_changes_and_checks() {
    let forgotten = || Outcome::Unreported { excerpt: "I am done.".to_owned() };
    for (checks, changes) in [(1, &[][..]), (0, &["a"][..])] {
        let mut draft = draft_of("A: a");
        draft.tasks[0].checks.truncate(checks);
        let plan = Plan::new(draft).expect("a plan without problems");
        let mut story = Story::unopened(plan, Settings::default());
        story.open();
        story.ends_with("A.1", ProcessEnd::Exited(0), forgotten());
        let text = story.harvested("A.1", changes).text();
        assert!(text.contains("rejected A.1 (counts): unintelligible answer"), "{text}");
    }
    // A program that failed is no better for its last words.
    let mut story = Story::of_plan("A: a");
    story.ends_with("A.1", ProcessEnd::Exited(1), forgotten());
    let text = story.harvested("A.1", &["a"]).text();
    assert!(text.contains("rejected A.1 (counts)") && text.contains("failed:exit"), "{text}");
}

/// EX-11: a check marked `red_first` must fail on the base before the attempt counts.
#[test]
fn a_check_that_passes_before_the_work_proves_nothing() {
    let mut draft = draft_of("A: a");
    draft.tasks[0].checks.push(CheckDraft {
        command: "new test".to_owned(),
        red_first: true,
        ..CheckDraft::default()
    });
    let plan = Plan::new(draft).expect("a plan without problems");
    let mut story = Story::unopened(plan, Settings::default());
    story.open();
    story.ends("A.1");
    let mut steps = vec![story.harvested("A.1", &["a"]).text()];
    steps.push(story.checked("A.1", CheckPhase::Red, 0).text());
    story.ends("A.2");
    story.harvested("A.2", &["a"]);
    steps.push(story.checked("A.2", CheckPhase::Red, 1).text());
    insta::assert_snapshot!(steps.join("\n--\n"), @"
    harvested A.1: 1 changes
    accepted A.1
    → check Red commit base: new test
    --
    rejected A.1 (counts): new test passes before the work is done, so it proves nothing
    starting A.2 in 1
    → start A.2 in 1 from base
    --
    red seen A.2
    → check Alone tree A.2: test A, new test
    ");
}

/// A failure on our side is no verdict on the work, but it is not retried forever either.
#[test]
fn checks_that_cannot_run_are_trouble() {
    let mut story = Story::with("A: a", Settings { attempts: 1, ..Settings::default() });
    story.ends("A.1");
    story.harvested("A.1", &["a"]);
    let trouble = CheckOutcome::Impossible("no room".to_owned());
    let step = story.report("A.1", CheckPhase::Alone, tree("A.1"), trouble);
    assert_eq!(step.lines()[1], "failed A: checks could not run: no room");
}

/// Every policy for attempts that ran out of time.
#[test]
fn a_timeout_is_retried_skipped_asked_or_halts() {
    let with = |timeout_action| {
        let mut story = Story::with("A: a", Settings { timeout_action, ..Settings::default() });
        story.ends_with("A.1", ProcessEnd::TimedOut, Outcome::Silent);
        story.harvested("A.1", &["a"]).lines()[2..].join("\n")
    };
    insta::assert_snapshot!(with(TimeoutAction::Retry), @"
    starting A.2 in 1
    → start A.2 in 1 from base
    ");
    insta::assert_snapshot!(with(TimeoutAction::Skip), @"skipped A: failed:timeout: the worker did not end within `run.attempt_timeout`");
    insta::assert_snapshot!(with(TimeoutAction::Ask), @"Q1 timeout [retry skip clarify abort]: task A failed after 1 attempt: failed:timeout: the worker did not end within `run.attempt_timeout`");
    insta::assert_snapshot!(with(TimeoutAction::Fail), @"halt gently by afresh");
}

/// After two timeouts the question contains a hint.
#[test]
fn a_second_timeout_suggests_to_split_the_task() {
    let mut story = Story::of_plan("A: a");
    for (attempt, question) in [("A.1", 1), ("A.2", 2)] {
        story.ends_with(attempt, ProcessEnd::WentSilent, Outcome::Silent);
        story.harvested(attempt, &[]);
        let text = story.status().questions[0].text.clone();
        assert_eq!(text.contains("consider splitting it"), question == 2, "{text}");
        story.answer(question, "retry");
    }
}

/// EX-05: a receipt holds the commands, the tree and the files.
#[test]
fn a_receipt_lists_what_was_checked_and_changed() {
    let mut story = Story::of_plan("A: a");
    story.lands("A.1");
    let state = story.run.state_of(&crate::support::task_id("A")).expect("a task");
    let afresh_core::run::TaskStage::Done { receipt, .. } = &state.stage else {
        panic!("not done")
    };
    assert_eq!(receipt.checks, [check_result("test A", 0)]);
    assert_eq!((receipt.modified.as_slice(), &receipt.tree), (&["a".to_owned()][..], &tree("A.1")));
}
