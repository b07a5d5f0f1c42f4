//! What is computed from the journal: activity log, issue list, run report, records.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use afresh_core::check::CheckPhase;
use afresh_core::event::LogLevel;
use afresh_core::input::RunOpening;
use afresh_core::outcome::{CompletionClaim, Deviation, Outcome};
use afresh_core::process::ProcessEnd;
use afresh_core::run::settings::Settings;
use afresh_core::status::{RunState, TaskPhase};
use afresh_core::time::Timestamp;
use afresh_core::{Event, Input};
use afresh_engine::driver::reporter::Reporter;
use afresh_engine::journal_records::{RecordError, replay, to_event};
use afresh_engine::reports::activity::{self, ActivityLog};
use afresh_engine::reports::issues::IssueList;
use afresh_engine::reports::run_report::{AttemptResult, ReportContext, RunReport};
use afresh_engine::session::RecordedRun;
use afresh_store::JournalRecord;

use crate::support::{
    CheckFate, Driven, ScriptedHost, WorkerScript, attempt_id, decide, halt, skip,
};

/// Every kind of event, as journals hold them.
fn golden() -> Vec<Event> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../afresh-core/tests/golden/events.jsonl");
    let text = fs::read_to_string(path).expect("the golden events");
    text.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
}

fn kind(event: &Event) -> String {
    let value = serde_json::to_value(event).expect("plain data");
    value["type"].as_str().expect("a tag").to_owned()
}

fn records(driven: &Driven) -> Vec<JournalRecord> {
    let numbered = (1..).zip(&driven.host.journal);
    let record = |(seq, (at, event)): (u64, &(Timestamp, Event))| JournalRecord {
        seq,
        run: "r1".to_owned(),
        epoch: 1,
        at_ms: at.0,
        wall_ms: i64::try_from(at.0).expect("a small time"),
        kind: kind(event),
        body: serde_json::to_string(event).expect("plain data"),
    };
    numbered.map(record).collect()
}

fn report(driven: &Driven) -> RunReport {
    let records = records(driven);
    let (run, last_at) = replay(&records).expect("legal").expect("a run");
    let context = ReportContext {
        is_driven: false,
        is_last: true,
        landed_on: None,
        moment: |at| format!("at {at}"),
    };
    RunReport::from_run(&RecordedRun { run, last_at, records }, context).expect("readable")
}

/// LO-01: a line for every transition.
#[test]
fn every_kind_of_event_has_a_line_with_level_author_and_word() {
    for event in golden() {
        let lines = activity::lines(&event);
        let own = lines.first().expect("a line");
        assert!(["DEBUG", "INFO", "WARN", "ERROR"].contains(&own.level), "{own:?}");
        assert!(!own.who.is_empty() && !own.event.is_empty(), "{own:?}");
        assert!(!own.event.contains(' '), "one word, for grep: {own:?}");
    }
}

#[test]
fn the_golden_events_hold_many_kinds() {
    let kinds: BTreeSet<String> = golden().iter().map(kind).collect();
    assert!(kinds.len() > 45, "{}: {kinds:?}", kinds.len());
}

/// LO-01, B35: one event, one line, whatever is in it.
#[test]
fn no_event_can_break_a_line_or_reach_the_terminal() {
    for event in golden() {
        for line in activity::lines(&event) {
            let text = line.render("now");
            assert!(!text.contains(|it: char| it.is_control()), "{text:?}");
            assert!(text.starts_with(&format!("[now] [{}] [{}]", line.level, line.who)), "{text}");
        }
    }
}

/// B35.
#[test]
fn a_workers_line_with_control_characters_is_made_printable() {
    let event = Event::WorkerLogged {
        attempt: attempt_id("A.1"),
        level: LogLevel::Error,
        event: "note".to_owned(),
        message: "one\ntwo\u{1b}[2Jthree".to_owned(),
    };
    let line = activity::lines(&event)[0].render("now");
    assert!(line.starts_with("[now] [ERROR] [A.1] worker: note: one"), "{line}");
    assert!(!line.contains(['\n', '\u{1b}']), "{line:?}");
}

#[test]
fn a_long_line_is_cut() {
    assert_eq!(activity::one_line(&"x".repeat(2_000)).len(), 500);
}

/// LO-01.
#[test]
fn the_activity_log_has_the_drive_in_order() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("activity.log");
    let log = ActivityLog::open(&path, |at| format!("t{at}")).expect("a file");
    let driven =
        ScriptedHost::of_plan("A: a").drive_with(RunOpening::default(), vec![Box::new(log)]);
    let text = fs::read_to_string(&path).expect("a log");
    assert_eq!(text.lines().count(), driven.succeeds().host.journal.len() - 1);
    assert!(text.starts_with("[t0] [INFO] [afresh] opened: driver 1 opened the run\n"), "{text}");
}

/// LO-01: the next drive adds to the log.
#[test]
fn the_activity_log_is_continued_by_the_next_drive() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("activity.log");
    let log = || -> Vec<Box<dyn Reporter>> {
        vec![Box::new(ActivityLog::open(&path, |at| at.to_string()).expect("a file"))]
    };
    let driven =
        ScriptedHost::of_plan("A: a").waiting(halt()).drive_with(RunOpening::default(), log());
    driven.again().drive_with(RunOpening::default(), log());
    let text = fs::read_to_string(&path).expect("a log");
    assert!(text.contains("driver 1 opened") && text.contains("driver 2 opened"), "{text}");
}

fn issues_of(host: ScriptedHost) -> String {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("ISSUES.md");
    let list = IssueList::new(path.clone(), |at| format!("t{at}"));
    host.drive_with(RunOpening::default(), vec![Box::new(list)]);
    fs::read_to_string(path).unwrap_or_default()
}

/// PR-08.
#[test]
fn a_run_without_issues_writes_no_list() {
    assert_eq!(issues_of(ScriptedHost::of_plan("A: a")), "");
}

/// PR-08, HU-01: what people put off is listed.
#[test]
fn a_skipped_task_is_an_issue_with_its_reason() {
    let text = issues_of(ScriptedHost::of_plan("A: a\nB < A: b").send("spawned A.1", skip("B")));
    assert!(text.starts_with("# Issues\n"), "{text}");
    assert!(text.contains(" B: skipped: not today\n"), "{text}");
}

/// PR-08: so is what a worker noticed.
#[test]
fn a_workers_issue_is_listed_and_other_lines_are_not() {
    let say = |event: &str, message: &str| Input::WorkerLogged {
        attempt: attempt_id("A.1"),
        level: LogLevel::Info,
        event: event.to_owned(),
        message: message.to_owned(),
    };
    let worker =
        WorkerScript::done().saying(say("issue", "odd name")).saying(say("note", "half way"));
    let text = issues_of(ScriptedHost::of_plan("A: a").worker("A.1", worker));
    assert!(text.contains("A.1: odd name") && !text.contains("half way"), "{text}");
}

/// PR-05, PR-08: the rule that says "leave it and note it".
#[test]
fn a_deviation_of_rule_five_is_an_issue() {
    let deviation = |rule, description: &str| Deviation {
        rule,
        description: description.to_owned(),
        files: vec![],
    };
    let deviations = vec![deviation(5, "rename it later"), deviation(1, "fixed a bug")];
    let claim = CompletionClaim { deviations, ..CompletionClaim::default() };
    let worker = WorkerScript::ends(ProcessEnd::Exited(0), Outcome::Done(claim));
    let text = issues_of(ScriptedHost::of_plan("A: a").worker("A.1", worker));
    assert!(text.contains("rename it later") && !text.contains("fixed a bug"), "{text}");
}

/// EX-10.
#[test]
fn the_report_of_a_finished_run_has_tasks_files_and_checks() {
    let driven = ScriptedHost::of_plan("A: a\nB < A: b").drive().succeeds();
    let report = report(&driven);
    assert_eq!(report.state, RunState::Done);
    assert_eq!(report.tip, *driven.run.tip());
    assert!(
        report.tasks.iter().all(|task| task.state == TaskPhase::Done && task.receipt.is_some())
    );
    assert!(report.final_checks.is_some_and(|checks| checks.passed && checks.results.len() == 2));
    assert_eq!(report.files.modified, ["a", "b"]);
}

/// EX-10, LO-03: what every attempt came to.
#[test]
fn the_report_has_every_attempt_with_its_reason() {
    let host = ScriptedHost::of_plan("A: a").worker("A.1", WorkerScript::dies());
    let host = host.check(CheckPhase::Alone, "test A", CheckFate::Exits(1));
    let report = report(&host.drive().succeeds());
    let attempts = &report.tasks[0].attempts;
    assert_eq!(attempts.len(), 3);
    assert!(attempts[0].reason.is_some() && attempts[1].reason.is_some());
    assert_eq!(attempts[2].reason, None);
    assert_eq!(attempts[2].result, AttemptResult::Merged);
}

/// LO-03: tokens and time per attempt, task, wave and run; an unknown price is unknown.
#[test]
fn the_report_adds_up_usage_and_knows_no_price() {
    let host = ScriptedHost::of_plan("A: a\nB < A: b").worker("A.1", WorkerScript::dies().using(7));
    let report = report(&host.drive().succeeds());
    assert_eq!(report.accounts.tokens, 207);
    assert_eq!(report.tasks[0].accounts.tokens, 107);
    assert_eq!(
        report.waves.iter().map(|wave| wave.accounts.tokens).collect::<Vec<_>>(),
        [107, 100]
    );
    assert_eq!((report.accounts.attempts, report.accounts.without_price), (3, 3));
}

/// EX-10: decisions, with who made them.
#[test]
fn the_report_has_questions_with_their_answers() {
    let host = ScriptedHost::of_plan("A: a").worker("A.1", WorkerScript::asks());
    let report = report(&host.person(vec![decide(1, "left")]).drive().succeeds());
    let question = &report.questions[0];
    assert_eq!((question.id.as_str(), question.open), ("Q1", false));
    assert_eq!(question.answer.as_deref(), Some("left"));
    assert_eq!(question.by.as_deref(), Some("person"));
}

/// EX-10: what to do next.
#[test]
fn the_report_says_what_to_do_next() {
    let next = |host: ScriptedHost| -> Vec<String> {
        report(&host.drive()).next.into_iter().map(|step| step.command).collect()
    };
    assert_eq!(next(ScriptedHost::of_plan("A: a")), ["afresh land"]);
    assert_eq!(next(ScriptedHost::of_plan("A: a").waiting(halt())), ["afresh resume"]);
    let asking = ScriptedHost::of_plan("A: a").worker("A.1", WorkerScript::asks());
    assert_eq!(next(asking), ["afresh decide Q1 ANSWER"]);
    let partial = ScriptedHost::of_plan("A: a\nB < A: b").send("spawned A.1", skip("B"));
    assert_eq!(next(partial), ["afresh land --partial"]);
}

#[test]
fn the_report_of_a_failed_final_check_has_the_error() {
    let host = ScriptedHost::of_plan("A: a");
    let driven = host.check(CheckPhase::Final, "test A", CheckFate::Exits(3)).drive();
    let report = report(&driven);
    assert_eq!(report.state, RunState::Failed);
    assert!(report.error.is_some_and(|error| error.contains("exit code 3")));
}

/// R12, ST-01: records lead to the run that wrote them, and to its time.
#[test]
fn records_read_back_as_the_run_that_wrote_them() {
    let driven = ScriptedHost::with("A: a\nB < A: b", Settings::default()).drive().succeeds();
    let (run, last) = replay(&records(&driven)).expect("legal").expect("a run");
    assert!(run == driven.run);
    assert_eq!(last, driven.host.now);
}

#[test]
fn no_records_are_no_run() {
    assert!(replay(&[]).expect("legal").is_none());
}

/// R10, R13: a record that this version cannot read is named, never skipped.
#[test]
fn a_record_that_cannot_be_read_is_named() {
    let driven = ScriptedHost::of_plan("A: a").drive().succeeds();
    let mut records = records(&driven);
    records[4].body = r#"{"type":"from-the-future"}"#.to_owned();
    let error = replay(&records).expect_err("unreadable");
    assert!(matches!(error, RecordError::Unreadable { seq: 5, .. }), "{error:?}");
    assert!(error.to_string().contains("record 5"), "{error}");
    assert!(to_event(&records[4]).is_err() && to_event(&records[3]).is_ok());
}

/// R10: a record that cannot follow the ones before it is named.
#[test]
fn a_record_that_is_missing_makes_the_next_one_illegal() {
    let driven = ScriptedHost::of_plan("A: a").drive().succeeds();
    let mut records = records(&driven);
    let started = records.iter().position(|record| record.kind == "attempt-starting");
    records.remove(started.expect("a start"));
    let error = replay(&records).expect_err("illegal");
    assert!(matches!(error, RecordError::Illegal { .. }), "{error:?}");
    assert!(error.to_string().contains("cannot follow"), "{error}");
}

/// R13.
#[test]
fn every_golden_event_survives_a_round_trip() {
    for event in golden() {
        let body = serde_json::to_string(&event).expect("plain data");
        assert_eq!(serde_json::from_str::<Event>(&body).expect("an event"), event);
    }
}
