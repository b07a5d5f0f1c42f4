//! The journal from the outside: refused when it is damaged or newer (F09, R10, R13), and the source of everything that
//! is shown (LO-01, ST-01).

use std::fs;
use std::path::Path;

use crate::support::{Driver, Gate, WORKER, expect_landed_once, repo};
use afresh_app::store::Journal;
use afresh_core::Event;
use afresh_core::status::RunStatus;
use afresh_engine::journal_records;
use afresh_engine::reports::activity;
use afresh_testkit::TestRepo;
use afresh_testkit::file_tree::contents_below;

/// A repository with a finished run.
fn finished() -> TestRepo {
    let repo = repo();
    repo.agent(WORKER);
    repo.plan_of(2);
    repo.run(&[]).expect(0);
    repo
}

/// Every command refuses the journal with this message, and leaves every file unchanged.
#[track_caller]
fn expect_refused(repo: &TestRepo, expected: &str) {
    let before = contents_below(&repo.state());
    let refs = repo.git(&["for-each-ref"]);
    for args in [&["status"][..], &["run", "p.plan.toml"], &["run"], &["resume"], &["halt"]] {
        let refused = repo.afresh(args).expect(2);
        assert!(refused.stderr.contains(expected), "{args:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("nothing was changed"), "{args:?}: {}", refused.stderr);
        let after = contents_below(&repo.state());
        let changed: Vec<_> = before
            .keys()
            .chain(after.keys())
            .filter(|name| before.get(*name) != after.get(*name))
            .collect();
        assert!(changed.is_empty(), "{args:?} changed {changed:?}");
    }
    let json = repo.afresh(&["status", "--json"]).expect(2).json();
    assert_eq!(json["error"]["kind"], "journal", "{json}");
    assert_eq!(repo.git(&["for-each-ref"]), refs);
}

fn rewrite(path: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = fs::read(path).expect("the journal");
    change(&mut bytes);
    fs::write(path, bytes).expect("written");
}

/// F09, R13.
#[test]
fn a_journal_of_a_newer_version_is_refused_unchanged() {
    let repo = finished();
    // SQLite keeps the format's number in its header.
    rewrite(&repo.state().join("journal.sqlite"), |bytes| {
        bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    });
    expect_refused(&repo, "was written by a newer afresh: it has format 99");
}

/// R10: half of it is gone.
#[test]
fn a_truncated_journal_is_refused_unchanged() {
    let repo = finished();
    rewrite(&repo.state().join("journal.sqlite"), |bytes| bytes.truncate(bytes.len() / 2));
    expect_refused(&repo, "is damaged from record ");
}

/// R10: one letter of one record is changed, and still valid.
#[test]
fn a_changed_record_is_refused_with_its_place() {
    let repo = finished();
    rewrite(&repo.state().join("journal.sqlite"), |bytes| {
        let at = bytes.windows(6).rposition(|part| part == b"merged").expect("a merge");
        bytes[at] = b'M';
    });
    expect_refused(&repo, "is damaged from record ");
}

/// R10: acknowledged records are missing completely.
#[test]
fn an_older_copy_of_the_journal_is_refused() {
    let repo = repo();
    repo.agent(WORKER);
    repo.plan_of(1);
    repo.run(&[]).expect(0);
    let journal = repo.state().join("journal.sqlite");
    let older = fs::read(&journal).expect("the journal");
    repo.plan_of(2);
    repo.run(&[]).expect(0);
    fs::write(&journal, older).expect("written");
    expect_refused(&repo, "was acknowledged");
}

/// The state in the journal, by our own replay.
fn replayed(repo: &TestRepo) -> (Vec<Event>, Option<RunStatus>) {
    let reader = Journal::open_read_only(&repo.state()).expect("a journal").expect("a journal");
    let all = reader.read_all().expect("records");
    let events =
        all.iter().map(|record| journal_records::to_event(record).expect("an event")).collect();
    let run =
        journal_records::replay(&all).expect("a replay").map(|(run, _)| RunStatus::from_run(&run));
    (events, run)
}

/// The lines of the activity log without their times.
fn logged(repo: &TestRepo) -> Vec<String> {
    let text = fs::read_to_string(repo.state().join("activity.log")).expect("a log");
    let after_moment = |line: &str| line.split_once("] ").expect("a moment").1.to_owned();
    text.lines().map(after_moment).collect()
}

fn expected_lines(events: &[Event]) -> Vec<String> {
    let line = |line: activity::ActivityLine| {
        let message = activity::one_line(&line.message);
        format!("[{}] [{}] {}: {message}", line.level, line.who, line.event)
    };
    events.iter().flat_map(activity::lines).map(line).collect()
}

/// LO-01: a line with level, agent, event and message for every transition, in order; also for what happens before the
/// first worker and for commands that no driver carried out.
#[test]
fn the_activity_log_has_a_line_for_every_transition() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"T001\"\ntitle = \"one\"\nfiles = [\"T001.txt\"]\nchecks = [\"true\"]\n\
         [[task]]\nid = \"bad\"\ntitle = \"bad\"\nfiles = [\"bad.txt\"]\nchecks = [\"false\"]\n",
    );
    repo.agent("echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt");
    repo.run(&[]).expect(4);
    repo.afresh(&["halt", "enough"]).expect(0);
    repo.afresh(&["resume", "--on-failure", "skip"]).expect(1);
    let (events, _) = replayed(&repo);
    assert_eq!(logged(&repo), expected_lines(&events));
    let log = logged(&repo).join("\n");
    for expected in ["run-started", "spawn", "task-result", "enough", "skipped"] {
        assert!(log.contains(expected), "no {expected} in\n{log}");
    }
}

/// ST-01: `run --json` prints every event of the journal.
#[test]
fn the_event_lines_are_the_journal() {
    let repo = repo();
    repo.agent(WORKER);
    repo.plan_of(2);
    let ran = repo.run(&["--json"]).expect(0);
    let numbers: Vec<u64> = ran
        .stdout
        .lines()
        .map(|line| {
            let event: serde_json::Value = serde_json::from_str(line).expect("an event");
            event["seq"].as_u64().expect("a number")
        })
        .collect();
    let (events, _) = replayed(&repo);
    let all: Vec<u64> = (1..=events.len() as u64).collect();
    assert_eq!(numbers, all);
}

/// ST-01: another process sees what the driver sees, because both read the journal.
#[test]
fn status_from_another_process_agrees_with_the_journal() {
    let repo = repo();
    let go = Gate::new(&repo, "go");
    repo.plan_of(4);
    repo.agent(&format!(
        "[ $AFRESH_TASK = T001 ] || {{ {}; }}\necho \"by $AFRESH_TASK\" > $AFRESH_TASK.txt",
        go.wait()
    ));
    let mut driver = Driver::run(&repo, &["--parallel", "2"]);
    driver.await_stderr(" merged T001.1");
    driver.await_stderr(" start T003.1");
    let agree = || {
        let status = repo.status();
        let (_, replayed) = replayed(&repo);
        let wanted = serde_json::to_value(replayed.expect("a run")).expect("plain data");
        for field in ["run", "state", "branch", "base", "tip", "counts", "tasks", "questions"] {
            assert_eq!(status[field], wanted[field], "{field}");
        }
        status
    };
    let status = agree();
    assert_eq!(status["state"], "running");
    assert_eq!(status["counts"]["done"], 1, "{status}");
    assert_eq!(status["counts"]["running"], 2, "{status}");
    go.open();
    driver.end().expect(0);
    assert_eq!(agree()["state"], "done");
    expect_landed_once(&repo, 4);
}

/// R13: this version reads a journal file that an earlier version wrote, and `status` and `report` show the same as
/// they did then.
#[test]
fn a_journal_of_an_earlier_version_says_the_same() {
    let repo = repo();
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/demo");
    fs::create_dir_all(repo.state()).expect("the state directory");
    for file in ["journal.sqlite", "journal.head"] {
        fs::copy(golden.join(file), repo.state().join(file)).expect("a copy");
    }
    for command in ["status", "report"] {
        let output = repo.afresh(&[command, "--json"]).expect(0).stdout;
        let json: serde_json::Value = serde_json::from_str(&output).expect("JSON");
        let text = fs::read_to_string(golden.join(format!("{command}.json"))).expect("golden");
        let expected: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        expect_all_of(&without_wording(expected), &without_wording(json), command);
    }
}

/// The same values; newer versions may have added fields.
#[track_caller]
fn expect_all_of(expected: &serde_json::Value, found: &serde_json::Value, place: &str) {
    use serde_json::Value;
    match (expected, found) {
        (Value::Object(expected), Value::Object(_)) => {
            for (name, value) in expected {
                expect_all_of(value, &found[name], &format!("{place}.{name}"));
            }
        }
        (Value::Array(expected), Value::Array(found)) => {
            assert_eq!(expected.len(), found.len(), "{place}");
            for (at, (expected, found)) in expected.iter().zip(found).enumerate() {
                expect_all_of(expected, found, &format!("{place}[{at}]"));
            }
        }
        (expected, found) => assert_eq!(expected, found, "{place}"),
    }
}

/// The document with sentences reduced to whether they exist: the version that reads it words them.
fn without_wording(document: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match document {
        Value::Object(fields) => {
            let strip = |(key, value): (String, Value)| match (key.as_str(), value) {
                ("error" | "reason" | "text" | "step" | "description", Value::String(_)) => {
                    (key, true.into())
                }
                (_, value) => (key, without_wording(value)),
            };
            Value::Object(fields.into_iter().map(strip).collect())
        }
        Value::Array(items) => items.into_iter().map(without_wording).collect(),
        other => other,
    }
}
