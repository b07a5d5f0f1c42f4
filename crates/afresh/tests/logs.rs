//! `afresh logs`: the activity of a run, and the transcripts of its attempts.

mod support;

use std::fs;
use std::process::{Command, Stdio};

use afresh_testkit::TestRepo;
use support::terminal::Terminal;
use support::{Driver, Gate, repo};

/// What no terminal may be sent: clear screen, clipboard, link, title, C1, bidi.
const HOSTILE: &str =
    r"printf 'A\033[2J\033]52;c;aGk=\a\033]8;;http://x\033\\\033]0;t\a\302\233\342\200\256Z\r\n'";

/// One task that fails its check once, with hostile words on both streams.
fn tried_twice() -> TestRepo {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"T001\"\ntitle = \"one\"\nfiles = [\"a.txt\"]\n\
         checks = [\"echo checking; test -s a.txt\"]\n",
    );
    repo.agent(&format!(
        "{HOSTILE}; echo \"said by $AFRESH_ATTEMPT\"; echo 'complained' >&2\n\
         [ $AFRESH_ATTEMPT = 1 ] || echo x > a.txt; touch other"
    ));
    // It may change what it likes; that is not what this is about.
    repo.config("[run]\nagent = \"mine\"\nscope = \"open\"\n");
    repo.run(&[]).expect(0);
    repo
}

/// LO-01: level, who, event and message of every transition, from the journal; the last ones; JSON.
#[test]
fn lo_01_the_activity_of_a_run_is_shown() {
    let repo = tried_twice();
    let log = repo.afresh(&["logs"]).expect(0).stdout;
    assert!(
        log.lines().next().is_some_and(|l| l.contains("[INFO] [afresh] run-started: test-1")),
        "{log}"
    );
    assert!(log.contains("[WARN] [T001.1] rejected: `echo checking; test -s a.txt`"), "{log}");
    assert!(log.contains("[INFO] [T001.2] task-result: T001 merged"), "{log}");
    let last = repo.afresh(&["logs", "-n", "2"]).expect(0).stdout;
    assert!(log.ends_with(&last) && last.lines().count() == 2, "{last}");
    let list = repo.afresh(&["logs", "--json"]).expect(0).json();
    let entries = list.as_array().expect("a list");
    assert_eq!(entries.len(), log.lines().count());
    assert_eq!(
        (&entries[0]["level"], &entries[0]["event"]),
        (&"INFO".into(), &"run-started".into())
    );
    // The file beside the journal says the same.
    let file = fs::read_to_string(repo.state().join("activity.log")).expect("the log");
    assert_eq!(file.lines().filter(|line| !line.contains("[DEBUG]")).count(), entries.len());
}

/// LO-02: what each attempt was told and printed, and what its checks printed.
#[test]
fn lo_02_the_transcripts_of_all_attempts_are_shown() {
    let repo = tried_twice();
    let text = repo.afresh(&["logs", "T001"]).expect(0).stdout;
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("===")).collect();
    assert_eq!(
        headings,
        [
            "=== T001.1 stdout (rejected: `echo checking; test -s a.txt` ended with exit code 1)",
            "=== T001.1 stderr",
            "=== T001.1 check alone-1: echo checking; test -s a.txt",
            "=== T001.2 stdout (merged)",
            "=== T001.2 stderr",
            "=== T001.2 check alone-1: echo checking; test -s a.txt",
        ],
        "{text}"
    );
    assert_eq!(text.matches("\ncomplained\n").count(), 2, "{text}");
    assert_eq!(text.matches("\nchecking\n").count(), 2, "{text}");
    let second =
        repo.afresh(&["logs", "T001", "--attempt", "2", "--prompt", "-n", "1"]).expect(0).stdout;
    assert!(second.starts_with("=== T001.2 prompt\n") && !second.contains("T001.1"), "{second}");
    assert!(
        second.contains("=== T001.2 stdout (merged)\nsaid by 2\n=== T001.2 stderr"),
        "{second}"
    );
    let json = repo.afresh(&["logs", "T001", "--json"]).expect(0).json();
    let parts = &json["attempts"][0]["parts"];
    assert_eq!((&parts[0]["name"], &parts[1]["text"]), (&"stdout".into(), &"complained\n".into()));
    assert_eq!(json["attempts"][1]["result"], "merged");
}

/// B35: nothing of what a worker printed controls a terminal, neither as text nor as JSON; people
/// see that it was there; raw bytes go to files and pipes alone.
#[test]
fn b35_nothing_of_a_transcript_controls_a_terminal() {
    let repo = tried_twice();
    let shown = "A\\u{1b}[2J\\u{1b}]52;c;aGk=\\u{7}\\u{1b}]8;;http://x\\u{1b}\\\\u{1b}]0;t\\u{7}\\u{9b}\\u{202e}Z\n";
    let text = repo.afresh(&["logs", "T001"]).expect(0).stdout;
    assert!(text.contains(shown), "{text:?}");
    let json = repo.afresh(&["logs", "T001", "--json"]).expect(0).stdout;
    for text in [&text, &json] {
        let hidden = |c: &char| *c != '\n' && afresh_core::printable::is_unprintable(*c);
        assert_eq!(text.chars().filter(hidden).count(), 0, "{text:?}");
    }
    // The terminal gets nothing but our own colours.
    let (code, seen) = Terminal::start(repo.command(&["logs", "T001"])).end();
    assert_eq!(code, Some(0));
    let plain = seen.replace("\x1b[34m", "").replace("\x1b[0m", "").replace("\r\n", "\n");
    assert!(!plain.contains('\x1b') && plain.contains(shown), "{plain:?}");
    let raw = repo.afresh(&["logs", "T001", "--attempt", "1", "--raw"]).expect(0).stdout;
    assert!(raw.starts_with("A\x1b[2J\x1b]52;c;aGk=\x07"), "{raw:?}");
    let (code, seen) = Terminal::start(repo.command(&["logs", "T001", "--raw"])).end();
    assert_eq!(code, Some(2), "{seen}");
    assert!(seen.contains("may control the terminal") && !seen.contains("\x1b[2J"), "{seen:?}");
}

/// LO-01, LO-02: `-f` shows what comes, and ends with the run.
#[test]
fn lo_02_following_shows_what_comes_and_ends_with_the_run() {
    let repo = repo();
    let gate = Gate::new(&repo, "gate");
    repo.plan_of(1);
    repo.agent(&format!("echo first; {}; echo second; echo x > T001.txt", gate.wait()));
    let run = Driver::run(&repo, &[]);
    repo.wait_until("the worker is at the gate", || {
        repo.afresh(&["logs", "T001"]).stdout.contains("\nfirst\n")
    });
    let activity = Driver::start(&repo, &["logs", "-f"]);
    let lines = Driver::start(&repo, &["logs", "-f", "--json"]);
    let mut transcript = Terminal::start(repo.command(&["logs", "T001", "-f"]));
    transcript.await_words("first");
    assert!(!transcript.seen().contains("second"));
    transcript.keys("nothing waits for this\r");
    gate.open();
    run.end().expect(0);
    let (code, seen) = transcript.end();
    assert!(code == Some(0) && seen.contains("second"), "{seen}");
    let activity = activity.end().expect(0).stdout;
    assert!(activity.contains("task-result: T001 merged"), "{activity}");
    assert!(activity.contains("final checks: 1 passed"), "{activity}");
    for line in lines.end().expect(0).stdout.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("one document per line");
        assert_eq!(line["run"], "test-1");
    }
    // Nobody drives any more: there is nothing to wait for.
    repo.afresh(&["logs", "-f"]).expect(0);
    repo.afresh(&["logs", "T001", "-f"]).expect(0);
}

/// F17: who follows and is not read any more ends, although the run goes on.
#[test]
fn f17_following_ends_when_nobody_reads() {
    let repo = repo();
    let gate = Gate::new(&repo, "gate");
    repo.plan_of(1);
    repo.agent(&format!("{}; echo x > T001.txt", gate.wait()));
    let mut run = Driver::run(&repo, &[]);
    run.await_words("start T001.1");
    let mut logs = repo.command(&["logs", "-f"]).stdout(Stdio::piped()).spawn().expect("it starts");
    let head = Command::new("head").arg("-n1").stdin(logs.stdout.take().expect("piped")).output();
    assert!(!head.expect("head runs").stdout.is_empty());
    // Something must be written before it can be noticed that nobody reads.
    repo.afresh(&["halt", "to make it say something"]).expect(0);
    assert_eq!(logs.wait().expect("it ends").code(), Some(0));
    gate.open();
    run.end();
}

#[test]
fn what_is_not_there_is_told() {
    let repo = repo();
    repo.plan_of(2);
    let ran = repo.afresh(&["logs"]).expect(2);
    assert!(ran.stderr.contains("there is no run here"), "{}", ran.stderr);
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.run(&["--task", "T001"]).expect(0);
    let ran = repo.afresh(&["logs", "T01"]).expect(2);
    assert!(ran.stderr.contains("did you mean \"T001\""), "{}", ran.stderr);
    let ran = repo.afresh(&["logs", "T002"]).expect(0);
    assert!(ran.stderr.contains("no worker has tried T002 yet"), "{}", ran.stderr);
    let ran = repo.afresh(&["logs", "T001", "--attempt", "7"]).expect(2);
    assert!(ran.stderr.contains("T001 has no attempt 7"), "{}", ran.stderr);
}
