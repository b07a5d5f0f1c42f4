//! `afresh logs`: the activity of a run, and the transcripts of its attempts.

use std::fs;
use std::process::{Command, Stdio};

use crate::support::terminal::Terminal;
use crate::support::{Driver, Gate, repo};
use afresh_testkit::TestRepo;

/// What must not be sent to a terminal: clear screen, clipboard, link, title, C1, bidi.
const HOSTILE: &str =
    r"printf 'A\033[2J\033]52;c;aGk=\a\033]8;;http://x\033\\\033]0;t\a\302\233\342\200\256Z\r\n'";

/// One task that fails its check once, with hostile text on both streams.
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
    // It may change any file; that is not tested here.
    repo.config("[run]\nagent = \"mine\"\nscope = \"open\"\n");
    repo.run(&[]).expect(0);
    repo
}

/// LO-01: level, source, event and message of every transition, from the journal; the last ones; JSON.
#[test]
fn the_activity_of_a_run_is_shown() {
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
    // The file beside the journal has the same lines.
    let file = fs::read_to_string(repo.state().join("activity.log")).expect("the log");
    assert_eq!(file.lines().filter(|line| !line.contains("[DEBUG]")).count(), entries.len());
}

/// LO-02: the id of an attempt, as every message prints it, can be copied; where only a task will do, the hint says
/// which command takes it.
#[test]
fn the_id_of_an_attempt_is_understood() {
    let repo = tried_twice();
    let first = repo.afresh(&["logs", "T001.1"]).expect(0).stdout;
    assert!(first.contains("said by 1") && !first.contains("said by 2"), "{first}");
    let option = repo.afresh(&["logs", "T001", "--attempt", "1"]).expect(0).stdout;
    assert_eq!(first, option);
    let refused = repo.afresh(&["task", "retry", "T001.1"]).expect(2).stderr;
    assert!(refused.contains("`afresh logs T001 --attempt 1` shows it"), "{refused}");
    repo.afresh(&["logs", "T009.1"]).expect(2);
}

/// LO-02: the prompt and the output of each attempt, and the output of its checks.
#[test]
fn the_transcripts_of_all_attempts_are_shown() {
    let repo = tried_twice();
    let text = repo.afresh(&["logs", "T001"]).expect(0).stdout;
    let headings: Vec<&str> = text.lines().filter(|line| line.starts_with("===")).collect();
    assert_eq!(
        headings,
        [
            "=== T001.1 stdout (rejected: `echo checking; test -s a.txt` ended with exit code 1)",
            "=== T001.1 stderr",
            "=== T001.1 check merged-1-1: echo checking; test -s a.txt",
            "=== T001.2 stdout (merged)",
            "=== T001.2 stderr",
            "=== T001.2 check merged-2-1: echo checking; test -s a.txt",
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

/// B35: nothing that a worker printed controls a terminal, neither as text nor as JSON; people see that it was there;
/// raw bytes go only to files and pipes.
#[test]
fn nothing_of_a_transcript_controls_a_terminal() {
    let repo = tried_twice();
    let shown = "A\\u{1b}[2J\\u{1b}]52;c;aGk=\\u{7}\\u{1b}]8;;http://x\\u{1b}\\\\u{1b}]0;t\\u{7}\\u{9b}\\u{202e}Z\n";
    let text = repo.afresh(&["logs", "T001"]).expect(0).stdout;
    assert!(text.contains(shown), "{text:?}");
    let json = repo.afresh(&["logs", "T001", "--json"]).expect(0).stdout;
    for text in [&text, &json] {
        let hidden = |c: &char| *c != '\n' && afresh_core::printable::is_unprintable(*c);
        assert_eq!(text.chars().filter(hidden).count(), 0, "{text:?}");
    }
    // The terminal gets no escape sequences except our own colours.
    let (code, screen) = Terminal::start(repo.command(&["logs", "T001"])).end();
    assert_eq!(code, Some(0));
    let plain = screen.replace("\x1b[36m", "").replace("\x1b[0m", "").replace("\r\n", "\n");
    assert!(!plain.contains('\x1b') && plain.contains(shown), "{plain:?}");
    let raw = repo.afresh(&["logs", "T001", "--attempt", "1", "--raw"]).expect(0).stdout;
    assert!(raw.starts_with("A\x1b[2J\x1b]52;c;aGk=\x07"), "{raw:?}");
    let (code, screen) = Terminal::start(repo.command(&["logs", "T001", "--raw"])).end();
    assert_eq!(code, Some(2), "{screen}");
    assert!(
        screen.contains("could control the terminal") && !screen.contains("\x1b[2J"),
        "{screen:?}"
    );
}

/// LO-01, LO-02: `-f` shows new lines, and ends with the run.
#[test]
fn following_shows_what_comes_and_ends_with_the_run() {
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
    transcript.await_text("first");
    assert!(!transcript.screen().contains("second"));
    transcript.keys("nothing waits for this\r");
    gate.open();
    run.end().expect(0);
    let (code, screen) = transcript.end();
    assert!(code == Some(0) && screen.contains("second"), "{screen}");
    let activity = activity.end().expect(0).stdout;
    assert!(activity.contains("task-result: T001 merged"), "{activity}");
    assert!(activity.contains("final checks: 1 passed"), "{activity}");
    for line in lines.end().expect(0).stdout.lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("one document per line");
        assert_eq!(line["run"], "test-1");
    }
    // No driver is running: there is nothing to wait for.
    repo.afresh(&["logs", "-f"]).expect(0);
    repo.afresh(&["logs", "T001", "-f"]).expect(0);
}

/// F17: a follower whose output is no longer read ends, although the run continues.
#[test]
fn following_ends_when_the_reader_is_gone() {
    let repo = repo();
    let gate = Gate::new(&repo, "gate");
    repo.plan_of(1);
    repo.agent(&format!("{}; echo x > T001.txt", gate.wait()));
    let mut run = Driver::run(&repo, &[]);
    run.await_stderr("start T001.1");
    let mut logs = repo.command(&["logs", "-f"]).stdout(Stdio::piped()).spawn().expect("it starts");
    let head = Command::new("head").arg("-n1").stdin(logs.stdout.take().expect("piped")).output();
    assert!(!head.expect("head runs").stdout.is_empty());
    // Something must be written before a closed pipe is noticed.
    repo.afresh(&["halt", "to make it say something"]).expect(0);
    assert_eq!(logs.wait().expect("it ends").code(), Some(0));
    gate.open();
    run.end();
}

#[test]
fn missing_logs_are_reported() {
    let repo = repo();
    repo.plan_of(2);
    let ran = repo.afresh(&["logs"]).expect(2);
    assert!(ran.stderr.contains("there is no run in this repository"), "{}", ran.stderr);
    repo.agent("echo x > $AFRESH_TASK.txt");
    repo.run(&["--task", "T001"]).expect(0);
    let ran = repo.afresh(&["logs", "T01"]).expect(2);
    assert!(ran.stderr.contains("did you mean \"T001\""), "{}", ran.stderr);
    let ran = repo.afresh(&["logs", "T002"]).expect(0);
    assert!(ran.stderr.contains("T002 has no attempts yet"), "{}", ran.stderr);
    let ran = repo.afresh(&["logs", "T001", "--attempt", "7"]).expect(2);
    assert!(ran.stderr.contains("T001 has no attempt 7"), "{}", ran.stderr);
}

/// What Claude Code prints: a session, text with hostile bytes, a tool that fails, a retry, a line of another
/// program, a result with its usage.
const REPORTS: &str = r#"{"type":"system","subtype":"init","session_id":"s-1","model":"claude-sonnet-4-5"}
{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"I look \u001b[2J around\nfirst."}],"usage":{"input_tokens":10,"output_tokens":1}},"session_id":"s-1"}
{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"cat a.txt"}}],"usage":{"input_tokens":10,"output_tokens":1}},"session_id":"s-1"}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"no such file","is_error":true}]},"session_id":"s-1"}
{"type":"system","subtype":"api_retry","attempt":1,"max_retries":1,"retry_delay_ms":2000,"error_status":529,"error":"overloaded"}
npm warns of something
{"type":"rumour","of":"a later version"}
{"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"Done."}],"usage":{"input_tokens":20,"output_tokens":1}},"session_id":"s-1"}
{"type":"result","subtype":"success","is_error":false,"result":"Done.","total_cost_usd":0.0125,"usage":{"input_tokens":30,"output_tokens":5,"cache_read_input_tokens":7},"modelUsage":{"claude-sonnet-4-5":{"inputTokens":30,"outputTokens":5,"cacheReadInputTokens":7,"cacheCreationInputTokens":0,"costUSD":0.0125,"contextWindow":200000}}}
"#;

/// A worker that prints this, and does its task.
fn reporting(repo: &TestRepo, before_the_answer: &str) {
    let file = repo.path().join("reports");
    fs::write(&file, REPORTS).expect("written");
    let file = file.display();
    let last = REPORTS.lines().count() - 1;
    // It is also called for its version first.
    repo.agent(&format!(
        "case \"$*\" in *--version*) echo 2.1.197; exit;; esac\n\
         head -n {last} '{file}'\n{before_the_answer}\necho x > T001.txt\n\
         echo '{{\"status\":\"COMPLETED\"}}' > \"$AFRESH_RESULT\"\ntail -n 1 '{file}'"
    ));
    let agent = repo.path().join("agent.sh");
    repo.config(&format!(
        "[run]\nagent = \"claude\"\n[agents.claude]\nkind = \"claude\"\ncommand = [\"sh\", {:?}]\n",
        agent.display().to_string()
    ));
    repo.plan_of(1);
}

/// LO-02: what an agent program reported is rendered for people: text, tools and their results, retries, answer,
/// usage; none of it controls a terminal, and `--raw` has every byte.
#[test]
fn reports_of_an_agent_are_shown_readably() {
    let repo = repo();
    reporting(&repo, "");
    repo.run(&["--no-input"]).expect(0);
    let text = repo.afresh(&["logs", "T001"]).expect(0).stdout;
    let transcript =
        text.split("=== ").find(|part| part.starts_with("T001.1 stdout")).expect("a transcript");
    assert_eq!(
        transcript,
        "T001.1 stdout (merged)\n\
         # session s-1\n# model claude-sonnet-4-5\n\
         I look \\u{1b}[2J around\nfirst.\n\
         > Bash: cat a.txt\n! the tool failed\n  | no such file\n\
         ! retries its model request, after 2.0s: overloaded: overloaded (529)\n\
         npm warns of something\n\
         Done.\n= that is its result\n\
         # used: 30 input, 5 output, 7 cache read, 0 cache write; $0.0125\n",
        "{text}"
    );
    let last = repo.afresh(&["logs", "T001", "-n", "2"]).expect(0).stdout;
    assert!(last.contains("stdout (merged)\n= that is its result\n# used: 30 input"), "{last}");
    let raw = repo.afresh(&["logs", "T001", "--raw"]).expect(0).stdout;
    assert!(raw.starts_with(REPORTS), "{raw}");
}

/// LO-02: reports are rendered as they arrive.
#[test]
fn reports_are_followed() {
    let repo = repo();
    let gate = Gate::new(&repo, "gate");
    reporting(&repo, &gate.wait());
    let run = Driver::run(&repo, &["--no-input"]);
    repo.wait_until("the worker is at the gate", || {
        repo.afresh(&["logs", "T001"]).stdout.contains("\nDone.\n")
    });
    let logs = Terminal::start(repo.command(&["logs", "T001", "-f"]));
    logs.await_text("Done.");
    assert!(!logs.screen().contains("that is its result"));
    gate.open();
    run.end().expect(0);
    let (code, screen) = logs.end();
    assert_eq!(code, Some(0));
    assert_eq!(screen.matches("that is its result").count(), 1, "{screen}");
    assert_eq!(screen.matches("# used: 30 input").count(), 1, "{screen}");
}
