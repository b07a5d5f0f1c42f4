//! Halting: gracefully and immediately, by signal, by file and by command, with any kind of worker (R7, F15, F17, F18,
//! ST-04); and resuming afterwards.

use std::fs;
use std::time::{Duration, Instant};

use crate::support::git::{in_front_of_path, put_git};
use crate::support::{Driver, Gate, expect_landed_once, repo, run_section, salvaged};
use afresh_testkit::TestRepo;
use nix::sys::signal::Signal;

/// `halt_grace` (1 s) and 5 s are promised; the machine may be busy with other tests.
const BOUND: Duration = Duration::from_secs(6 * 4);

/// Ignores SIGTERM, leaves daemons that do so too and hold its output, and stops itself.
const STUBBORN: &str = "marker=$(dirname \"$0\")/daemon\n\
     loop='trap \"\" TERM HUP INT; while :; do sleep 0.2; done'\n\
     (setsid env -i PATH=\"$PATH\" sh -c \"$loop\" \"$marker\" &)\n\
     (setsid sh -c \"$loop\" \"$marker\" >/dev/null 2>&1 &)\n\
     trap '' TERM HUP INT\n\
     echo \"half of $AFRESH_TASK\" > $AFRESH_TASK.txt\n\
     : > \"$(dirname \"$0\")/up.$AFRESH_TASK\"\n\
     if [ $AFRESH_TASK = T001 ]; then kill -STOP $$; fi\n\
     while :; do sleep 0.2; done";

/// Three tasks; their workers write, and wait at a gate.
fn gated() -> (TestRepo, Gate) {
    let repo = repo();
    let go = Gate::new(&repo, "go");
    repo.config(&run_section("halt_grace = \"1s\"\nparallel = 1"));
    repo.commit("config");
    repo.plan_of(3);
    let half = "echo \"half of $AFRESH_TASK\" > $AFRESH_TASK.txt";
    repo.agent(&format!("{half}\n{}\necho \"by $AFRESH_TASK\" > $AFRESH_TASK.txt", go.wait()));
    (repo, go)
}

fn stop_file(repo: &TestRepo) -> std::path::PathBuf {
    repo.state().join("STOP")
}

/// ST-04: a halted run reports who halted it, and `run` names the command that continues.
#[track_caller]
fn expect_halted(repo: &TestRepo, by: &str, reason: &str) {
    let status = repo.status();
    assert_eq!(status["state"], "halted", "{status}");
    assert_eq!(status["halt"]["by"], by, "{status}");
    assert_eq!(status["halt"]["reason"], reason, "{status}");
    assert!(status["halt"]["since"].as_str().is_some_and(|at| at.len() > 15), "{status}");
    let refused = repo.run(&[]).expect(3);
    assert!(refused.stderr.contains("afresh resume"), "{}", refused.stderr);
    assert!(refused.stderr.contains(reason), "{}", refused.stderr);
}

/// The person that `afresh halt` speaks for, by the name of the account.
fn person() -> String {
    let user = nix::unistd::User::from_uid(nix::unistd::getuid()).ok().flatten();
    user.map_or_else(|| "somebody".to_owned(), |user| user.name)
}

/// Starts three stubborn workers and waits until all are running.
fn stubborn(containment: &str) -> (TestRepo, Driver) {
    let repo = repo();
    repo.config(&run_section("halt_grace = \"1s\""));
    repo.commit("config");
    repo.plan_of(4);
    repo.agent(STUBBORN);
    let mut command = repo.command(&["run", "p.plan.toml", "--parallel", "3"]);
    command.env("AFRESH_CONTAINMENT", containment);
    let driver = Driver::start_command(&repo, command);
    repo.wait_until("three workers are up", || {
        (1..=3).all(|n| repo.path().join(format!("up.T00{n}")).exists())
    });
    (repo, driver)
}

#[track_caller]
fn expect_ended_in_time(repo: &TestRepo, driver: Driver, asked_at: Instant) {
    driver.end().expect(3);
    let took = asked_at.elapsed();
    assert!(took < BOUND, "R7: {took:?}");
    repo.expect_no_survivors();
    // R16: their work is kept.
    let salvage = salvaged(repo);
    assert_eq!(salvage.len(), 3, "{salvage:?}");
    assert!(repo.landed().is_empty());
}

/// F15, R6, R7: two halts end workers that ignore signals, are stopped, have forked and hold the pipes.
#[test]
fn two_halts_end_everything_within_the_grace() {
    for containment in ["auto", "group"] {
        let (repo, mut driver) = stubborn(containment);
        repo.afresh(&["halt", "first"]).expect(0);
        driver.await_stderr("a second request ends them");
        std::thread::sleep(Duration::from_millis(300));
        assert!(driver.has_ended().is_none(), "the first one waits: {}", driver.stderr());
        let asked_at = Instant::now();
        repo.afresh(&["halt", "second"]).expect(0);
        expect_ended_in_time(&repo, driver, asked_at);
        expect_halted(&repo, &person(), "second");
    }
}

/// F15, F17, R7: the same by Ctrl-C twice.
#[test]
fn ctrl_c_twice_ends_everything_within_the_grace() {
    for containment in ["auto", "group"] {
        let (repo, mut driver) = stubborn(containment);
        driver.signal(Signal::SIGINT);
        driver.await_stderr("a second request ends them");
        let asked_at = Instant::now();
        driver.signal(Signal::SIGINT);
        expect_ended_in_time(&repo, driver, asked_at);
    }
}

/// F15, R7: `afresh halt --now` needs no second request.
#[test]
fn halt_now_ends_everything_within_the_grace() {
    let (repo, driver) = stubborn("auto");
    let asked_at = Instant::now();
    repo.afresh(&["halt", "--now", "fire"]).expect(0);
    expect_ended_in_time(&repo, driver, asked_at);
}

/// ST-04: a halt that ended a worker mentions saved work only if there is some, with a command that lists it.
#[test]
fn saved_work_is_mentioned_if_there_is_some() {
    for (work, is_saved) in [("true", false), ("echo half > T001.txt", true)] {
        let repo = repo();
        let (go, up) = (Gate::new(&repo, "go"), Gate::new(&repo, "up"));
        repo.plan_of(1);
        repo.agent(&format!("{work}\n{}\n{}", up.opened_by_worker(), go.wait()));
        let driver = Driver::run(&repo, &[]);
        repo.wait_until("the worker is up", || up.is_open());
        repo.afresh(&["halt", "--now"]).expect(0);
        let ended = driver.end().expect(3).stderr;
        let hint = "`git for-each-ref refs/afresh/salvage/test-1` lists it";
        assert_eq!(ended.contains(hint), is_saved, "{ended}");
        assert_eq!(salvaged(&repo).len(), usize::from(is_saved));
    }
}

/// F17, ST-04: after one request, running attempts finish and nothing new starts; `resume` continues.
#[test]
fn ctrl_c_and_a_hang_up_let_running_attempts_finish() {
    for (signal, name) in [(Signal::SIGINT, "Ctrl-C"), (Signal::SIGHUP, "SIGHUP")] {
        let (repo, go) = gated();
        let before = repo.untouched();
        let mut driver = Driver::run(&repo, &[]);
        driver.await_stderr(" start T001.1");
        driver.signal(signal);
        driver.await_stderr("a second request ends them");
        go.open();
        let ended = driver.end().expect(3);
        assert!(ended.stderr.contains("`afresh resume`"), "{}", ended.stderr);
        expect_landed_once(&repo, 1);
        repo.expect_no_survivors();
        expect_halted(&repo, name, &format!("{name} was received"));
        repo.afresh(&["resume"]).expect(0);
        expect_landed_once(&repo, 3);
        repo.untouched().expect_same_as(&before);
    }
}

/// F17: a terminal sends Ctrl-C to its whole process group. Our running git does not receive it, so its work is neither
/// lost nor counted against the attempt.
#[test]
fn ctrl_c_at_a_terminal_does_not_end_our_git() {
    for verb in ["add", "update-ref"] {
        let (repo, go) = gated();
        let (armed, at_it) = (Gate::new(&repo, "armed"), Gate::new(&repo, "at-it"));
        let script = format!(
            "case \" $* \" in *' {verb} '*) if {}; then {}; {}; sleep 1; fi;; esac",
            armed.is_open_in_script(),
            armed.closed_by_script(),
            at_it.opened_by_worker()
        );
        let mut command = repo.command(&["run", "p.plan.toml"]);
        command.env("PATH", in_front_of_path(&put_git(&repo, &script)));
        let mut driver = Driver::start_command(&repo, command);
        driver.await_stderr(" start T001.1");
        armed.open();
        go.open();
        repo.wait_until("git is at work", || at_it.is_open());
        driver.signal_group(Signal::SIGINT);
        let ended = driver.end().expect(3);
        assert!(ended.stderr.contains("Ctrl-C was received"), "{verb}: {}", ended.stderr);
        expect_landed_once(&repo, 1);
        assert_eq!(repo.status()["tasks"][0]["attempts"], 1, "{verb}: {}", ended.stderr);
        expect_halted(&repo, "Ctrl-C", "Ctrl-C was received");
        repo.afresh(&["resume"]).expect(0);
        expect_landed_once(&repo, 3);
    }
}

/// F17, R16: SIGTERM ends attempts at once; their work is kept, and they do not count.
#[test]
fn sigterm_ends_attempts_and_keeps_their_work() {
    let (repo, go) = gated();
    let mut driver = Driver::run(&repo, &[]);
    driver.await_stderr(" start T001.1");
    driver.signal(Signal::SIGTERM);
    driver.end().expect(3);
    repo.expect_no_survivors();
    expect_halted(&repo, "SIGTERM", "SIGTERM was received");
    assert!(repo.landed().is_empty());
    let salvage = salvaged(&repo);
    assert!(salvage.len() == 1 && salvage[0].ends_with("/T001.1"), "{salvage:?}");
    go.open();
    repo.afresh(&["resume"]).expect(0);
    expect_landed_once(&repo, 3);
}

/// F17: with standard output closed, nothing panics, and the work is done.
#[test]
fn a_closed_terminal_does_not_stop_a_run() {
    for more in [&[][..], &["--json"]] {
        let (repo, go) = gated();
        go.open();
        let closed = || {
            let (reader, writer) = std::io::pipe().expect("a pipe");
            drop(reader);
            writer
        };
        let args: Vec<&str> = ["run", "p.plan.toml"].iter().chain(more).copied().collect();
        let code = |args: &[&str]| {
            let mut command = repo.command(args);
            command.stdout(closed()).stderr(closed());
            command.status().expect("it starts").code()
        };
        assert_eq!(code(&args), Some(0));
        expect_landed_once(&repo, 3);
        assert_eq!(code(&["status"]), Some(0));
        assert_eq!(code(&["show", "p.plan.toml"]), Some(0));
        assert_eq!(code(&["show", "missing.plan.toml"]), Some(2));
        assert_eq!(code(&["--help"]), Some(0));
    }
}

/// F18, ST-04: a STOP file that exists before anything starts.
#[test]
fn a_stop_file_before_the_first_spawn_starts_nothing() {
    let (repo, go) = gated();
    go.open();
    fs::create_dir_all(repo.state()).expect("a new directory");
    fs::write(stop_file(&repo), "").expect("written");
    repo.run(&[]).expect(3);
    expect_halted(&repo, "STOP file", "found a STOP file");
    let status = repo.status();
    assert!(status["tasks"].as_array().expect("tasks").iter().all(|task| task["attempts"] == 0));
    repo.afresh(&["resume"]).expect(0);
    assert!(!stop_file(&repo).exists());
    expect_landed_once(&repo, 3);
}

/// ST-04: the STOP file that users of Tasker know halts a run of such a plan too, and `resume` removes it.
#[test]
fn the_stop_file_of_the_plans_format_counts() {
    let repo = repo();
    repo.agent("echo x > a.txt");
    let task = r#"{"id": "T001", "name": "A", "files": [{"path": "a.txt", "action": "create", "purpose": "it"}],
        "dependencies": {"tasks": [], "external": []},
        "acceptance_criteria": [{"criterion": "it is there", "verification": "test -s a.txt"}]}"#;
    repo.write("project-planning/tasks/T001.json", task);
    repo.commit("a plan");
    repo.write("project-planning/STOP", "");
    repo.afresh(&["run", "project-planning"]).expect(3);
    assert_eq!(repo.status()["halt"]["reason"], "found project-planning/STOP");
    repo.afresh(&["resume"]).expect(0);
    assert!(!repo.root().join("project-planning/STOP").exists());
    assert_eq!(repo.state_of("T001"), "done");
}

/// F18, ST-04: a STOP file that appears while workers are running.
#[test]
fn a_stop_file_during_a_run_lets_running_attempts_finish() {
    let (repo, go) = gated();
    let mut driver = Driver::run(&repo, &[]);
    driver.await_stderr(" start T001.1");
    fs::write(stop_file(&repo), "").expect("written");
    driver.await_stderr("a second request ends them");
    // The file still exists, and does not count as a second request.
    std::thread::sleep(Duration::from_millis(400));
    assert!(driver.has_ended().is_none(), "{}", driver.stderr());
    go.open();
    driver.end().expect(3);
    expect_landed_once(&repo, 1);
    expect_halted(&repo, "STOP file", "found a STOP file");
    repo.afresh(&["resume"]).expect(0);
    assert!(!stop_file(&repo).exists());
    expect_landed_once(&repo, 3);
}

/// F18: a backoff before the next attempt does not delay a halt.
#[test]
fn a_halt_during_a_back_off_does_not_wait_for_it() {
    let repo = repo();
    repo.config("[run]\nagent = \"mine\"\nbackoff = [\"20s\"]\n");
    repo.commit("config");
    repo.plan_of(1);
    repo.agent("if [ $AFRESH_ATTEMPT = 1 ]; then exit 1; fi; echo \"by T001\" > T001.txt");
    let mut driver = Driver::run(&repo, &[]);
    driver.await_stderr(" rejected T001.1");
    let asked_at = Instant::now();
    fs::write(stop_file(&repo), "").expect("written");
    driver.end().expect(3);
    assert!(asked_at.elapsed() < Duration::from_secs(15), "it waited: {:?}", asked_at.elapsed());
    assert_eq!(repo.status()["tasks"][0]["attempts"], 1, "it did not wait for the next attempt");
    expect_halted(&repo, "STOP file", "found a STOP file");
    repo.afresh(&["resume"]).expect(0);
    expect_landed_once(&repo, 1);
}

/// Two tasks from one base, the second of which waits in the check of its merged tree.
fn slow_merge() -> (TestRepo, Gate, Driver) {
    let repo = repo();
    repo.config(&run_section("halt_grace = \"1s\""));
    repo.commit("config");
    let (merged, check, at_it) =
        (Gate::new(&repo, "merged"), Gate::new(&repo, "check"), Gate::new(&repo, "at-it"));
    let slow = format!(
        "if [ -e T001.txt ]; then {}; {}; fi; test -s T002.txt",
        at_it.opened_by_worker(),
        check.wait()
    );
    repo.plan(&format!(
        "[[task]]\nid = \"T001\"\ntitle = \"first\"\nfiles = [\"T001.txt\"]\nchecks = [\"true\"]\n\
         [[task]]\nid = \"T002\"\ntitle = \"second\"\nfiles = [\"T002.txt\"]\nchecks = [{slow:?}]\n\
         [[task]]\nid = \"T003\"\ntitle = \"third\"\nneeds = [\"T002\"]\nfiles = [\"T003.txt\"]\nchecks = [\"true\"]\n"
    ));
    repo.agent(&format!(
        "if [ $AFRESH_TASK = T002 ]; then {}; fi\necho \"by $AFRESH_TASK\" > $AFRESH_TASK.txt",
        merged.wait()
    ));
    let mut driver = Driver::run(&repo, &["--parallel", "2"]);
    driver.await_stderr(" start T002.1");
    driver.await_stderr(" merged T001.1");
    merged.open();
    repo.wait_until("the merged tree is being checked", || at_it.is_open());
    assert_eq!(repo.state_of("T002"), "merging");
    (repo, check, driver)
}

/// F18: a merge that is underway when the halt comes is completed.
#[test]
fn a_stop_file_during_a_merge_lets_it_land() {
    let (repo, check, mut driver) = slow_merge();
    fs::write(stop_file(&repo), "").expect("written");
    driver.await_stderr("a second request ends them");
    check.open();
    driver.end().expect(3);
    expect_landed_once(&repo, 2);
    repo.afresh(&["resume"]).expect(0);
    expect_landed_once(&repo, 3);
}

/// F18, R7: an immediate halt stops the check of a merge, and the check runs again when the run resumes.
#[test]
fn a_second_halt_during_a_merge_ends_its_check() {
    let (repo, check, driver) = slow_merge();
    let asked_at = Instant::now();
    repo.afresh(&["halt", "--now", "fire"]).expect(0);
    driver.end().expect(3);
    assert!(asked_at.elapsed() < BOUND, "R7: {:?}", asked_at.elapsed());
    repo.expect_no_survivors();
    expect_landed_once(&repo, 1);
    check.open();
    repo.afresh(&["resume"]).expect(0);
    expect_landed_once(&repo, 3);
    assert_eq!(repo.status()["tasks"][1]["attempts"], 1, "its work was not done again");
}

/// ST-04: by command, with user, reason and time.
#[test]
fn halt_by_command_records_who_why_and_when() {
    let (repo, go) = gated();
    let mut driver = Driver::run(&repo, &[]);
    driver.await_stderr(" start T001.1");
    repo.afresh(&["halt", "lunch"]).expect(0);
    // It is acknowledged, so it is recorded.
    let status = repo.status();
    assert_eq!(status["halt"]["reason"], "lunch", "{status}");
    go.open();
    driver.end().expect(3);
    expect_landed_once(&repo, 1);
    expect_halted(&repo, &person(), "lunch");
    let text = repo.afresh(&["status"]).expect(0).stdout;
    assert!(text.contains("lunch") && text.contains("halted by"), "{text}");
    repo.afresh(&["resume"]).expect(0);
    expect_landed_once(&repo, 3);
    assert_eq!(repo.status()["halt"], serde_json::Value::Null);
}

/// ST-04: without a driver, the command itself halts the run.
#[test]
fn a_run_without_a_driver_can_be_halted_and_cleared() {
    let (repo, go) = gated();
    let mut driver = Driver::run(&repo, &[]);
    driver.await_stderr(" start T001.1");
    driver.kill_9();
    repo.afresh(&["halt", "for the night"]).expect(0);
    expect_halted(&repo, &person(), "for the night");
    // A STOP file beside it is removed as well.
    fs::write(stop_file(&repo), "").expect("written");
    repo.afresh(&["resume", "--clear-only"]).expect(0);
    assert!(!stop_file(&repo).exists());
    assert_eq!(repo.status()["halt"], serde_json::Value::Null);
    assert!(repo.landed().is_empty(), "it was only cleared");
    let again = repo.afresh(&["resume", "--clear-only"]).expect(1);
    assert!(again.stderr.contains("not halted"), "{}", again.stderr);
    go.open();
    repo.run(&[]).expect(0);
    expect_landed_once(&repo, 3);
}

/// ST-04: a halt that is cleared while it is still underway lets the driver continue.
#[test]
fn a_halt_can_be_taken_back() {
    let (repo, go) = gated();
    let mut driver = Driver::run(&repo, &[]);
    driver.await_stderr(" start T001.1");
    repo.afresh(&["halt", "no"]).expect(0);
    repo.afresh(&["resume", "--clear-only"]).expect(0);
    go.open();
    driver.end().expect(0);
    expect_landed_once(&repo, 3);
}

/// ST-04: if there is nothing to halt, the command reports that.
#[test]
fn without_a_run_there_is_nothing_to_halt() {
    let repo = repo();
    for command in ["halt", "resume"] {
        let refused = repo.afresh(&[command]).expect(2);
        assert!(
            refused.stderr.contains("there is no run in this repository"),
            "{}",
            refused.stderr
        );
    }
    assert!(!repo.state().exists(), "nothing was written");
}

/// ST-04: `halt` says what happens to running attempts: they finish, they are ended, or there are none.
#[test]
fn a_halt_says_what_happens_to_running_attempts() {
    let (repo, go) = gated();
    let mut driver = Driver::run(&repo, &[]);
    driver.await_stderr("start T001.1");
    let graceful = repo.afresh(&["halt"]).expect(0);
    assert!(graceful.stderr.contains("running attempts finish"), "{graceful:?}");
    let now = repo.afresh(&["halt", "--now"]).expect(0);
    assert!(now.stderr.contains("running attempts are ended, and their work is saved"), "{now:?}");
    let ended = driver.end().expect(3);
    let saved = "`git for-each-ref refs/afresh/salvage/test-1` lists it";
    assert!(ended.stderr.contains(saved), "{ended:?}");
    assert_eq!(salvaged(&repo).len(), 1);
    let idle = repo.afresh(&["halt"]).expect(0);
    assert!(idle.stderr.contains("nothing was running"), "{idle:?}");
    drop(go);
}
