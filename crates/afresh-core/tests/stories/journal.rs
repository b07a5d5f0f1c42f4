//! Old journals replay in new versions (R13).
//!
//! `golden/events.jsonl` holds events of every variant, as the first version wrote them. A change that cannot read
//! it, or reads it differently, breaks the journals of users: the file is only ever extended.

use std::collections::BTreeSet;

use afresh_core::ids::QuestionId;
use afresh_core::status::RunStatus;
use afresh_core::{Event, Run};

use crate::support::{Story, attempt_id, commit};

const GOLDEN: &str = include_str!("../golden/events.jsonl");

fn golden() -> Vec<Event> {
    let lines = GOLDEN.lines().filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_str(line).expect("an event")).collect()
}

/// The kind of an event, as stored in the journal.
fn kind(event: &Event) -> String {
    let json = serde_json::to_value(event).expect("JSON");
    json["type"].as_str().expect("a kind").to_owned()
}

/// Every variant, by name: a new one does not compile until it is named here, and does not pass
/// until the golden journal has it.
fn kinds() -> BTreeSet<String> {
    macro_rules! kinds {
        ($($variant:ident = $kind:literal),* $(,)?) => {{
            #[expect(dead_code, reason = "only there to be complete")]
            fn complete(event: &Event) {
                match event { $(Event::$variant { .. } => {})* }
            }
            [$($kind),*]
        }};
    }
    let all = kinds![
        RunStarted = "run-started",
        Opened = "opened",
        AgentsHeldBack = "agents-held-back",
        PlanChanged = "plan-changed",
        SettingsChanged = "settings-changed",
        ForecastMade = "forecast-made",
        AttemptStarting = "attempt-starting",
        AttemptSpawned = "attempt-spawned",
        PromptMeasured = "prompt-measured",
        SpawnFailed = "spawn-failed",
        UsageCounted = "usage-counted",
        AttemptIdentified = "attempt-identified",
        ContextSeen = "context-seen",
        ContextWarned = "context-warned",
        ContextReached = "context-reached",
        AgentParked = "agent-parked",
        AttemptEnded = "attempt-ended",
        AttemptHarvested = "attempt-harvested",
        AttemptInterrupted = "attempt-interrupted",
        WorkerLogged = "worker-logged",
        StepClaimed = "step-claimed",
        StepSaved = "step-saved",
        StepDone = "step-done",
        StepRefused = "step-refused",
        StepsDropped = "steps-dropped",
        LeavingsSaved = "leavings-saved",
        AttemptRejected = "attempt-rejected",
        AttemptAccepted = "attempt-accepted",
        RedSeen = "red-seen",
        ChecksPassed = "checks-passed",
        ContestEntered = "contest-entered",
        ContestForfeited = "contest-forfeited",
        ContestDecided = "contest-decided",
        ChecksStopped = "checks-stopped",
        ChecksResumed = "checks-resumed",
        ProbeStarted = "probe-started",
        Probed = "probed",
        ReviewRequested = "review-requested",
        ReviewStarting = "review-starting",
        ReviewUsageCounted = "review-usage-counted",
        ReviewEnded = "review-ended",
        ReviewWaived = "review-waived",
        ChecksDeferred = "checks-deferred",
        GatheringStarted = "gathering-started",
        MergeStarted = "merge-started",
        BatchStarted = "batch-started",
        BatchPassed = "batch-passed",
        BatchFailed = "batch-failed",
        PrefixesChosen = "prefixes-chosen",
        PrefixChecked = "prefix-checked",
        MergesPostponed = "merges-postponed",
        MergeFailed = "merge-failed",
        MergeBuilt = "merge-built",
        LandIntended = "land-intended",
        LandDelayed = "land-delayed",
        Merged = "merged",
        NoteWarned = "note-warned",
        HookFailed = "hook-failed",
        BranchRestoreAllowed = "branch-restore-allowed",
        TaskFailed = "task-failed",
        TaskSkipped = "task-skipped",
        TaskSettled = "task-settled",
        NeedIgnored = "need-ignored",
        TaskRetried = "task-retried",
        TaskCommented = "task-commented",
        CommentRead = "comment-read",
        Aborted = "aborted",
        QuestionAsked = "question-asked",
        QuestionAnswered = "question-answered",
        HaltRequested = "halt-requested",
        HaltCleared = "halt-cleared",
        BudgetReached = "budget-reached",
        LandingInherited = "landing-inherited",
        RewindWanted = "rewind-wanted",
        RewindRequested = "rewind-requested",
        RewindIntended = "rewind-intended",
        Rewound = "rewound",
        RewindGivenUp = "rewind-given-up",
        FinalChecksStarted = "final-checks-started",
        FinalChecked = "final-checked",
    ];
    all.map(str::to_owned).into_iter().collect()
}

/// R13.
#[test]
fn the_golden_journal_holds_every_kind_of_event() {
    let held: BTreeSet<String> = golden().iter().map(kind).collect();
    assert_eq!(held, kinds());
}

/// R13: an event that is read is written the same way again.
#[test]
fn every_event_survives_the_journal() {
    for (line, event) in GOLDEN.lines().zip(golden()) {
        let text = serde_json::to_string(&event).expect("JSON");
        assert_eq!(serde_json::from_str::<Event>(&text).expect("an event"), event);
        assert_eq!(text, line);
    }
}

/// R13: the golden journal leads to the same state forever.
#[test]
fn the_golden_journal_replays_to_the_same_state() {
    let events = golden();
    let mut run = Run::start(&events[0]).expect("the journal starts a run");
    // The file was written by hand, to have every kind of event: some do not fit their task's stage.
    let illegal = events[1..].iter().filter_map(|event| run.apply(event).err()).count();
    assert!(illegal < 20, "{illegal} of {} events do not apply", events.len());
    let status = serde_json::to_string_pretty(&RunStatus::from_run(&run)).expect("JSON");
    insta::assert_snapshot!(status);
}

/// R13: fields that were added later may be missing.
#[test]
fn settings_of_an_older_version_get_the_defaults() {
    let line = r#"{"type":"settings-changed","settings":{"parallel":7}}"#;
    let Event::SettingsChanged { settings } = serde_json::from_str(line).expect("an event") else {
        panic!("another event");
    };
    let expected = afresh_core::run::settings::Settings {
        parallel: 7,
        ..afresh_core::run::settings::Settings::default()
    };
    assert_eq!(*settings, expected);
}

/// A journal that does not start with a run is not a run.
#[test]
fn a_journal_without_its_start_is_no_run() {
    assert_eq!(Run::replay(&[Event::HaltCleared]), Ok(None));
    assert_eq!(Run::replay(&[]), Ok(None));
}

/// R13: whole journals, written before types and functions were renamed, replay to the state that they led to
/// when they were written. They come from the simulator, with its crashes, people and failures.
#[test]
#[expect(clippy::disallowed_methods, reason = "only the core itself touches no files")]
fn journals_of_an_earlier_version_replay_to_the_same_state() {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/journals");
    let mut replayed = 0;
    for entry in std::fs::read_dir(directory).expect("golden journals").flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a journal");
        let events: Vec<Event> =
            text.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
        let again: Vec<String> =
            events.iter().map(|event| serde_json::to_string(event).expect("JSON")).collect();
        assert_eq!(again.join("\n") + "\n", text, "{} is written differently now", path.display());
        let run = Run::replay(&events).expect("legal events").expect("the journal starts a run");
        let status = serde_json::to_value(RunStatus::from_run(&run)).expect("JSON");
        let expected =
            std::fs::read_to_string(path.with_extension("status.json")).expect("a status");
        let expected = serde_json::from_str(&expected).expect("JSON");
        let name = path.display();
        assert_eq!(
            without_wording(status),
            without_wording(expected),
            "{name} leads elsewhere now"
        );
        replayed += 1;
    }
    assert!(replayed >= 10, "only {replayed} golden journals");
}

/// A status with its sentences reduced to whether they exist: the version that reads it words them.
fn without_wording(mut status: serde_json::Value) -> serde_json::Value {
    for task in status["tasks"].as_array_mut().expect("tasks") {
        task["error"] = task["error"].is_string().into();
    }
    status
}

/// R10: a journal whose events cannot follow each other is refused, not interpreted.
#[test]
fn an_event_that_does_not_fit_the_stage_of_its_task_is_an_error() {
    let mut story = Story::of_plan("A: a.txt\nB: b.txt");
    let merged = Event::Merged { attempt: attempt_id("A.1"), commit: commit("m") };
    let unknown = Event::AttemptSpawned { attempt: attempt_id("Z.1") };
    let unasked = Event::QuestionAnswered {
        question: QuestionId(9),
        answer: "retry".to_owned(),
        by: "person".to_owned(),
    };
    let errors = [merged, unknown, unasked, story.journal[0].clone()]
        .map(|event| story.run.apply(&event).expect_err("an illegal event").to_string());
    assert_eq!(
        errors,
        [
            "task A is starting",
            "the plan has no task Z",
            "there is no open question Q9",
            "the journal starts its run a second time",
        ]
    );
    let before = story.run.clone();
    story.spawned("A.1");
    assert_ne!(story.run, before, "a legal event still applies");
}
