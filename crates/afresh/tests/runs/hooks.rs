//! `[hooks]`: commands before and after steps of a run (BE-11).

use std::fs;
use std::time::Instant;

use crate::support::terminal::Terminal;
use crate::support::{repo, run_section};
use afresh_testkit::TestRepo;
use serde_json::Value;

/// A repository with hooks, each of which appends its JSON to `events`.
fn with_hooks(keys: &[&str], more: &str) -> TestRepo {
    let repo = repo();
    let events = repo.path().join("events");
    let hooks: Vec<String> =
        keys.iter().map(|key| format!("{key} = [\"cat >> '{}'\"]\n", events.display())).collect();
    repo.config(&format!("{}[hooks]\n{}{more}", run_section(""), hooks.concat()));
    repo.plan_of(1);
    repo.agent("echo x > T001.txt");
    repo
}

/// What the hooks were given, in order.
fn events(repo: &TestRepo) -> Vec<Value> {
    let text = fs::read_to_string(repo.path().join("events")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

const ALL: &[&str] = &[
    "before_attempt",
    "after_attempt",
    "before_check",
    "after_check",
    "before_merge",
    "after_merge",
    "on_question",
    "on_end",
];

/// BE-11: each hook runs once at its point, in order, in the user's repository, with the event as JSON.
#[test]
fn every_hook_runs_at_its_point() {
    let repo = with_hooks(ALL, "");
    let before = repo.untouched();
    repo.run(&["--allow-hooks"]).expect(0);
    repo.untouched().expect_same_as(&before);
    repo.expect_no_survivors();
    let events = events(&repo);
    let points: Vec<&str> = events.iter().filter_map(|event| event["hook"].as_str()).collect();
    assert_eq!(
        points,
        [
            "before_attempt",
            "after_attempt",
            "before_check",
            "after_check",
            "before_merge",
            "after_merge",
            "after_check",
            "on_end"
        ],
        "the second round is that of the final tree"
    );
    for event in &events {
        assert_eq!(event["run"], "test-1", "{event}");
    }
    let of = |point: &str| events.iter().find(|event| event["hook"] == point).expect(point);
    assert_eq!(
        (&of("before_attempt")["task"], &of("before_attempt")["attempt"]),
        (&"T001".into(), &1.into())
    );
    assert_eq!(of("before_check")["checks"][0], "test -s T001.txt");
    assert_eq!(of("after_check")["passed"], true);
    assert_eq!(of("after_merge")["commit"], repo.git(&["rev-parse", "afresh/test-1"]).as_str());
    assert_eq!(of("on_end")["state"], "done");
}

/// BE-11: a failing hook before an action holds that action back and asks; a retry runs it again.
#[test]
fn a_failing_hook_before_an_action_asks() {
    for (point, action) in [
        ("before_attempt", "the attempt"),
        ("before_check", "the checks"),
        ("before_merge", "the merge"),
    ] {
        let repo = with_hooks(&[], "");
        let allowed = repo.path().join("allowed");
        let command = format!("echo not before noon; test -e '{}'", allowed.display());
        repo.config(&format!("{}[hooks]\n{point} = [{command:?}]\n", run_section("")));
        let ran = repo.run(&["--allow-hooks"]).expect(4);
        assert!(ran.stderr.contains(&format!("hook {point}")), "{}", ran.stderr);
        assert!(ran.stderr.contains("not before noon"), "{}", ran.stderr);
        assert_eq!(repo.on_branch("T001.txt"), None, "{point}: nothing has landed");
        let status = repo.status();
        assert_eq!(status["questions"][0]["kind"], "hook", "{status}");
        let text = status["questions"][0]["text"].as_str().expect("a text");
        assert!(text.contains(&format!("{action} of T001 waits")), "{text}");
        fs::write(&allowed, "").expect("written");
        repo.afresh(&["decide", "Q1", "retry"]).expect(0);
        repo.run(&["--allow-hooks"]).expect(0);
        assert_eq!(repo.state_of("T001"), "done", "{point}");
        let report = repo.afresh(&["report"]).expect(0).stdout;
        assert!(report.contains("Hooks that failed") && report.contains(point), "{report}");
    }
}

/// BE-11, B22: hooks run outside of the sandbox, so none runs that the user has not allowed as it is written now.
#[test]
fn hooks_run_only_after_they_were_allowed() {
    let repo = with_hooks(&["on_end"], "");
    let refused = repo.run(&[]).expect(2).stderr;
    assert!(refused.contains("on_end: cat >> ") && refused.contains("--allow-hooks"), "{refused}");
    repo.run(&["--no-hooks"]).expect(0);
    assert!(events(&repo).is_empty());
    repo.run(&["--new", "--allow-hooks"]).expect(0);
    assert_eq!(events(&repo).len(), 1);
    repo.run(&["--new"]).expect(0);
    assert_eq!(events(&repo).len(), 2, "the consent is remembered");
    repo.config(&format!("{}[hooks]\non_end = [\"echo other\"]\n", run_section("")));
    repo.run(&["--new"]).expect(2);
}

/// BE-11: `skip-hook` continues without the hook for this task.
#[test]
fn a_hook_can_be_skipped() {
    let repo = with_hooks(&[], "before_merge = [\"false\"]\n");
    repo.run(&["--allow-hooks"]).expect(4);
    repo.afresh(&["decide", "Q1", "skip-hook"]).expect(0);
    repo.run(&["--allow-hooks"]).expect(0);
    assert_eq!(repo.state_of("T001"), "done");
}

/// BE-11: a failing hook after an action is in the terminal, the log and the report, and changes nothing; one that does
/// not end is ended with everything that it started.
#[test]
fn a_failing_hook_after_an_action_is_reported() {
    let repo = with_hooks(
        &[],
        "after_merge = [\"echo webhook is down >&2; exit 3\"]\nafter_check = [\"sleep 600 & sleep 600\"]\non_end = [\"exit 5\"]\ntimeout = \"1s\"\n",
    );
    let started = Instant::now();
    let ran = repo.run(&["--allow-hooks"]).expect(0);
    assert!(started.elapsed().as_secs() < 60, "it is bounded");
    repo.expect_no_survivors();
    assert_eq!(repo.state_of("T001"), "done");
    let log = fs::read_to_string(repo.state().join("activity.log")).expect("a log");
    for (what, why) in [
        ("after_merge", "webhook is down"),
        ("after_check", "did not end within 1 s"),
        ("on_end", "exit code 5"),
    ] {
        assert!(ran.stderr.contains(what) && ran.stderr.contains(why), "{what}: {}", ran.stderr);
        assert!(log.contains(what) && log.contains(why), "{what}: {log}");
    }
    let report = repo.afresh(&["report"]).expect(0).stdout;
    assert!(report.contains("webhook is down"), "{report}");
    assert_eq!(
        repo.afresh(&["verify-run", "afresh/test-1", "--json"]).expect(0).json()["ok"],
        true
    );
}

/// BE-11, B36: the hook of a question knows the question and its answers, and sees no secret; without a terminal the
/// run ends only after it.
#[test]
fn the_hook_of_a_question_has_the_question() {
    let repo = with_hooks(&["on_question", "on_end"], "");
    repo.agent(
        "cat <<'END'\nOUTPUT_JSON_START\n{\"status\": \"NEEDS_DECISION\", \"decision_needed\": \"which key, sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA?\", \"options\": [{\"key\": \"a\", \"description\": \"x\"}]}\nOUTPUT_JSON_END\nEND",
    );
    repo.run(&["--allow-hooks"]).expect(4);
    let events = events(&repo);
    let asked = &events[0];
    assert_eq!((&asked["hook"], &asked["question"]), (&"on_question".into(), &"Q1".into()));
    assert_eq!((&asked["task"], &asked["answers"][0]), (&"T001".into(), &"a".into()));
    assert!(asked["text"].as_str().is_some_and(|text| text.starts_with("which key")), "{asked}");
    assert!(!asked.to_string().contains("sk-ant"), "{asked}");
    assert_eq!((&events[1]["hook"], &events[1]["state"]), (&"on_end".into(), &"waiting".into()));
}

/// BE-11: a mistake in the table is an error with its place.
#[test]
fn a_misspelt_hook_is_an_error() {
    let repo = with_hooks(&[], "before_merg = [\"true\"]\n");
    let ran = repo.run(&["--allow-hooks"]).expect(2);
    assert!(ran.stderr.contains("before_merge"), "{}", ran.stderr);
    let repo = with_hooks(&[], "timeout = \"2h\"\n");
    let ran = repo.run(&["--allow-hooks"]).expect(2);
    assert!(ran.stderr.contains("ten minutes"), "{}", ran.stderr);
}

/// BE-11: at a terminal, the end rings the bell and sets the title; a pipe sees no escape codes, and the configuration
/// turns it off.
#[test]
fn a_terminal_is_called_at_the_end() {
    let repo = with_hooks(&[], "");
    let (code, screen) = Terminal::start(repo.command(&["run", "p.plan.toml"])).end();
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.contains("\x1b]2;afresh: run test-1 is done\x07"), "{screen:?}");
    assert!(screen.contains("\x1b]777;notify;afresh;run test-1 is done\x07"), "{screen:?}");
    let ran = repo.run(&["--new"]).expect(0);
    assert!(!ran.stderr.contains('\x07'), "{:?}", ran.stderr);
    repo.config(&format!("{}[notify]\nterminal = \"off\"\n", run_section("")));
    let (_, screen) = Terminal::start(repo.command(&["run", "p.plan.toml", "--new"])).end();
    assert!(!screen.contains('\x07'), "{screen:?}");
}

/// BE-11: hooks are named when a run starts, and `--no-hooks` leaves them out, in later sessions of the run too.
#[test]
fn hooks_can_be_left_out() {
    let repo = with_hooks(&[], "before_attempt = [\"false\"]\n");
    let ran = repo.run(&["--allow-hooks"]).expect(4);
    assert!(ran.stderr.contains("outside of the sandbox: before_attempt"), "{}", ran.stderr);
    let ran = repo.run(&["--new", "--no-hooks"]).expect(0);
    assert!(!ran.stderr.contains("before_attempt"), "{}", ran.stderr);
    repo.run(&["--no-hooks"]).expect(0);
}
