//! Agents that cannot be started, that die, and that do not end: B37, B38, AG-09.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use afresh_testkit::{CommandOutput, TestRepo};
use serde_json::Value;

fn repo() -> TestRepo {
    TestRepo::new(env!("CARGO_BIN_EXE_afresh"))
}

/// A plan of one task.
fn planned() -> TestRepo {
    let repo = repo();
    repo.plan_of(1);
    repo
}

#[track_caller]
fn run(repo: &TestRepo, args: &[&str], code: i32) -> CommandOutput {
    let before = repo.untouched();
    let ran = repo.run(args).expect(code);
    assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    repo.untouched().expect_same_as(&before);
    repo.expect_no_survivors();
    ran
}

#[track_caller]
fn error(repo: &TestRepo) -> String {
    let task = repo.status()["tasks"][0].clone();
    task["error"].as_str().unwrap_or_else(|| panic!("no error in {task}")).to_owned()
}

/// Makes `program` the agent of every task.
fn agent_is(repo: &TestRepo, program: &str) {
    repo.write(
        ".afresh/config.toml",
        &format!(
            "[run]\nagent = \"odd\"\nbackoff = [\"10ms\"]\n[agents.odd]\nkind = \"command\"\ncommand = [{program:?}]\n"
        ),
    );
}

/// The events of `run --json`, by type.
fn events(ran: &CommandOutput) -> Vec<Value> {
    ran.stdout.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
}

/// B37: found before anything is touched.
#[test]
fn a_missing_agent_is_refused_before_the_run() {
    let repo = planned();
    for (program, why) in
        [("/nowhere/agent", "does not exist"), ("afresh-no-such-agent", "is not on the PATH")]
    {
        agent_is(&repo, program);
        let ran = run(&repo, &["--json"], 2);
        let error = &ran.json()["error"];
        assert_eq!(
            (&error["kind"], &error["file"]),
            (&"spawn".into(), &".afresh/config.toml".into()),
            "{error}"
        );
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains(program) && message.contains(why), "{error}");
        assert!(
            error["help"].as_str().is_some_and(|help| help.contains("[agents.odd]")),
            "{error}"
        );
        assert!(!repo.state().exists());
    }
    repo.write(
        ".afresh/config.toml",
        "[run]\nagent = \"odd\"\n[agents.old]\nkind = \"command\"\ncommand = [\"sh\"]\n",
    );
    let error = run(&repo, &["--json"], 2).json()["error"].clone();
    assert!(error["help"].as_str().is_some_and(|help| help.contains("\"old\"")), "{error}");
}

/// B37.
#[test]
fn an_agent_that_is_not_executable_is_refused_before_the_run() {
    let repo = planned();
    let program = repo.path().join("agent.sh");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o644)).expect("a mode");
    agent_is(&repo, program.to_str().expect("UTF-8"));
    let ran = run(&repo, &[], 2);
    assert!(ran.stderr.contains("is not executable"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint:"), "{}", ran.stderr);
    assert!(!repo.state().exists());
}

/// B37: the kernel refuses it; the task never counts as running, and the reason is reported.
#[test]
fn an_agent_for_another_machine_fails_to_spawn_and_never_runs() {
    let repo = planned();
    let foreign = repo.path().join("foreign");
    // The header of a program for a machine that does not exist.
    fs::write(&foreign, b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xff\xff garbage")
        .expect("written");
    let garbage = repo.path().join("garbage");
    fs::write(&garbage, b"\0\x01\x02 no program at all \xff\xfe").expect("written");
    let lost = repo.path().join("lost");
    fs::write(&lost, "#!/nowhere/interpreter\n").expect("written");
    for program in [foreign, garbage, lost] {
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a mode");
        let repo = planned();
        agent_is(&repo, program.to_str().expect("UTF-8"));
        let ran = run(&repo, &["--json"], 4);
        let events = events(&ran);
        assert!(events.iter().all(|event| event["type"] != "attempt-spawned"), "{}", ran.stdout);
        let failed: Vec<&Value> = events.iter().filter(|e| e["type"] == "spawn-failed").collect();
        assert_eq!(failed.len(), 3, "{}", ran.stdout);
        assert!(failed[0]["failure"]["hint"].as_str().is_some_and(|hint| hint.contains("command")));
        // EX-14: what stops every task is asked once.
        assert_eq!(repo.state_of("T001"), "waiting");
        let question =
            repo.status()["questions"][0]["text"].as_str().unwrap_or_default().to_owned();
        assert!(question.starts_with("no worker can start: "), "{question}");
        let name = program.file_name().and_then(|name| name.to_str()).expect("a name");
        assert!(question.contains(name), "{question}");
    }
}

/// B38: each way to end has its own class, and each gets its fresh workers.
#[test]
fn every_way_to_end_badly_has_a_class_of_its_own() {
    for (script, class) in [
        ("exit 0", "no-op: "),
        ("kill -9 $$", "failed:signal: the worker was ended by signal 9 (SIGKILL)"),
        ("kill -11 $$", "failed:signal: the worker was ended by signal 11 (SIGSEGV)"),
        ("echo x > T001.txt; exit 255", "failed:exit: the worker ended with exit code 255"),
        ("exit 1", "failed:exit: the worker ended with exit code 1"),
    ] {
        let repo = planned();
        repo.agent(script);
        run(&repo, &[], 4);
        let error = error(&repo);
        assert!(error.starts_with(class), "{script}: {error}");
        assert_eq!(repo.status()["tasks"][0]["attempts"], 3, "{script}");
        assert_eq!(repo.landed(), [""; 0]);
    }
}

/// B38: the last line that a dead worker printed is part of the reason, without its colours.
#[test]
fn the_last_words_of_a_dead_worker_are_shown() {
    for (script, reason) in [
        (
            "echo working; printf 'x\\n\\033[31mno API key\\033[0m\\n\\n' >&2; exit 3",
            "exit code 3: no API key",
        ),
        ("echo 'cannot log in'; exit 1", "exit code 1: cannot log in"),
        ("exit 1", "exit code 1"),
    ] {
        let repo = planned();
        repo.agent(script);
        run(&repo, &["--no-input"], 4);
        assert!(error(&repo).ends_with(reason), "{}", error(&repo));
    }
}

/// B38: a worker that died is retried only after the backoff.
#[test]
fn after_a_death_the_next_worker_waits_for_the_back_off() {
    let repo = planned();
    repo.agent("if [ $AFRESH_ATTEMPT = 1 ]; then exit 255; fi; echo x > T001.txt");
    let ran = run(&repo, &["--json"], 0);
    let rejected = events(&ran).into_iter().find(|event| event["type"] == "attempt-rejected");
    assert!(rejected.is_some_and(|event| !event["not_before"].is_null()), "{}", ran.stdout);
    assert_eq!(repo.landed(), ["T001"]);
}

/// B38: a backoff that is over before the death is on disk still ends.
#[test]
fn the_shortest_back_off_does_not_stop_the_run() {
    let repo = planned();
    repo.config("[run]\nagent = \"mine\"\nbackoff = [\"1ms\"]\nattempts = 20\n");
    repo.agent("if [ $AFRESH_ATTEMPT -lt 20 ]; then exit 255; fi; echo x > T001.txt");
    run(&repo, &[], 0);
    assert_eq!(repo.status()["tasks"][0]["attempts"], 20);
}

/// A worker that leaves a process tree behind and never ends.
const ENDLESS: &str = "echo partial > T001.txt\n(sleep 1000 &)\n\
    if command -v setsid > /dev/null; then setsid sleep 1001 & fi\n\
    trap '' TERM; while :; do sleep 1000; done";

fn impatient(limit: &str, action: &str) -> TestRepo {
    let repo = planned();
    repo.config(&format!(
        "[run]\nagent = \"mine\"\nattempts = 2\nhalt_grace = \"100ms\"\n{limit} = \"1s\"\ntimeout_action = \"{action}\"\n"
    ));
    repo.agent(ENDLESS);
    repo
}

/// What every timeout leaves: no process (`run` checks that), nothing on the branch, and the partial work.
#[track_caller]
fn timed_out(repo: &TestRepo, expected: &str) {
    assert_eq!(repo.landed(), [""; 0]);
    let salvage = repo.git(&["for-each-ref", "--format=%(refname)", "refs/afresh/salvage"]);
    let first = salvage.lines().next().unwrap_or_else(|| panic!("nothing was kept"));
    assert_eq!(repo.git(&["show", &format!("{first}:T001.txt")]), "partial");
    let status = repo.status().to_string();
    assert!(status.contains("failed:timeout") && status.contains(expected), "{status}");
}

/// AG-09.
#[test]
fn a_worker_that_does_not_end_in_time_is_asked_about() {
    let repo = impatient("attempt_timeout", "ask");
    run(&repo, &[], 4);
    assert_eq!(repo.state_of("T001"), "waiting");
    assert_eq!(repo.status()["state"], "waiting");
    let question = repo.status()["questions"][0].clone();
    assert_eq!(question["kind"], "timeout", "{question}");
    timed_out(&repo, "did not end within 1s (`run.attempt_timeout`)");
    // Another policy answers the question that waits.
    repo.config("[run]\nagent = \"mine\"\ntimeout_action = \"skip\"\n");
    run(&repo, &[], 1);
    assert_eq!(repo.state_of("T001"), "skipped");
}

/// AG-09.
#[test]
fn a_worker_that_does_not_end_in_time_is_tried_again() {
    let repo = impatient("attempt_timeout", "retry");
    run(&repo, &[], 4);
    assert_eq!(repo.state_of("T001"), "failed");
    assert_eq!(repo.status()["tasks"][0]["attempts"], 2);
    timed_out(&repo, "did not end within 1s (`run.attempt_timeout`)");
    // After the second timeout: the hint to split the task.
    assert!(
        repo.status()["questions"][0]["text"].as_str().is_some_and(|t| t.contains("splitting"))
    );
}

/// AG-09.
#[test]
fn a_worker_that_does_not_end_in_time_is_skipped() {
    let repo = impatient("attempt_timeout", "skip");
    run(&repo, &[], 1);
    assert_eq!(repo.state_of("T001"), "skipped");
    timed_out(&repo, "did not end within 1s (`run.attempt_timeout`)");
}

/// AG-09.
#[test]
fn a_worker_that_does_not_end_in_time_halts_the_run() {
    let repo = impatient("attempt_timeout", "fail");
    run(&repo, &[], 3);
    assert_eq!(repo.status()["state"], "halted");
    timed_out(&repo, "did not end within 1s (`run.attempt_timeout`)");
    // The state is saved: resumed, the run continues.
    repo.config("[run]\nagent = \"mine\"\n");
    repo.agent("echo x > T001.txt");
    repo.afresh(&["resume"]).expect(0);
    assert_eq!(repo.landed(), ["T001"]);
}

/// AG-09.
#[test]
fn a_worker_that_goes_silent_is_ended_whatever_the_policy() {
    for (action, code) in [("ask", 4), ("retry", 4), ("skip", 1), ("fail", 3)] {
        let repo = impatient("silence_timeout", action);
        run(&repo, &[], code);
        timed_out(&repo, "no output for 1s (`run.silence_timeout`); it ran for ");
    }
}

/// AG-09: a worker that prints is not silent, however long it takes.
#[test]
fn a_worker_that_prints_is_not_silent() {
    let repo = planned();
    repo.config("[run]\nagent = \"mine\"\nsilence_timeout = \"10s\"\n");
    repo.agent(
        "i=0; while [ $i -lt 12 ]; do echo $i; sleep 1; i=$((i+1)); done; echo x > T001.txt",
    );
    run(&repo, &[], 0);
}
