//! `afresh run --detach` and `afresh attach`.

use std::fs;
use std::process::Stdio;

use crate::support::terminal::Terminal;
use crate::support::{Driver, Gate, gated, repo, run_section};

/// HU-08: the command returns once another process drives the run, in a session of its own; `attach` follows it to its
/// end, and has its exit code.
#[test]
fn a_detached_run_is_followed_from_another_terminal() {
    let (repo, gate) = gated(2);
    let started = repo.run(&["--detach", "--no-input", "--json"]).expect(0).json();
    assert_eq!(started["run"], "test-1", "{started}");
    let pid = started["pid"].as_u64().expect("a pid");
    repo.wait_until("it is driven", || repo.status()["driver"]["pid"] == pid);
    let session = nix::unistd::getsid(Some(nix::unistd::Pid::from_raw(
        i32::try_from(pid).expect("pids are small"),
    )));
    assert_eq!(u64::try_from(session.expect("it runs").as_raw()), Ok(pid), "a session of its own");
    let mut view = Driver::start(&repo, &["attach"]);
    view.await_stderr("Ctrl-C ends only the view");
    // The end of a view is not the end of the run.
    let ended = Driver::start(&repo, &["attach"]);
    ended.signal(nix::sys::signal::Signal::SIGINT);
    gate.open();
    let seen = view.end().expect(0);
    assert!(seen.stderr.contains("merged") && seen.stderr.contains("has ended"), "{seen:?}");
    assert_eq!(repo.landed().len(), 2);
    let nothing = repo.afresh(&["attach"]).expect(1);
    assert!(nothing.stderr.contains("no process drives run test-1"), "{nothing:?}");
    repo.expect_no_survivors();
}

/// HU-08: what stops the run before it starts is said as without `--detach`, with the same exit code.
#[test]
fn a_detached_run_that_cannot_start_says_why() {
    let repo = repo();
    repo.write("p.plan.toml", "version = 1\n[[task]]\nid = \"A\"\n");
    let refused = repo.run(&["--detach"]).expect(2);
    assert!(refused.stderr.contains("p.plan.toml:2"), "{refused:?}");
}

/// HU-08: with `--json`, what the refused command printed is passed on whole, and as what it was.
#[test]
fn a_long_refusal_of_a_detached_run_is_whole() {
    let repo = repo();
    let task = |n: u32| format!("[[task]]\nid = \"A{n}\"\nneeds = [\"nope\"]\n");
    let tasks: String = (0..120).map(task).collect();
    repo.write("p.plan.toml", &format!("version = 1\n{tasks}"));
    let refused = repo.run(&["--detach", "--json"]).expect(2);
    assert!(refused.stdout.len() > 8 * 1024, "{refused:?}");
    assert!(refused.json()["error"]["findings"].is_array(), "{refused:?}");
    assert_eq!(refused.stderr, "");
}

/// HU-08, R8: a start beside a driven run is refused, and does not touch that run's messages; a new run is named, not
/// an unfinished one.
#[test]
fn each_detached_start_has_its_own_messages() {
    let (repo, gate) = gated(1);
    repo.write(
        "old.plan.toml",
        "version = 1\nname = \"old\"\n[[task]]\nid = \"A\"\ntitle = \"a\"\nno_check = \"prose\"\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nno_check = \"prose\"\n",
    );
    gate.open();
    repo.afresh(&["run", "old.plan.toml", "--no-input", "--task", "A"]).expect(0);
    gate.close();
    let started = repo.run(&["--detach", "--json"]).expect(0).json();
    assert_eq!(started["run"], "test-1", "{started}");
    let file =
        |name: &str| fs::read_to_string(started[name].as_str().expect("a path")).expect(name);
    repo.wait_until("it has reported", || !file("output").is_empty());
    let before = file("output");
    repo.run(&["--detach"]).expect(5);
    assert!(file("output").starts_with(&before), "{before}");
    gate.open();
    let end = repo.afresh(&["attach"]).stderr;
    repo.wait_until("it has ended", || repo.status()["driver"].is_null());
    assert!(file("output").starts_with(&before), "{end}");
    repo.expect_no_survivors();
}

/// HU-04, HU-08: a question of a run that another process drives is answered in the terminal that is attached.
#[test]
fn a_question_is_answered_in_the_attached_terminal() {
    let repo = repo();
    repo.plan_of(2);
    repo.config(&run_section("attempts = 1\nparallel = 2"));
    let (fails, go) = (Gate::new(&repo, "fails"), Gate::new(&repo, "go"));
    repo.agent(&format!(
        "if [ $AFRESH_TASK = T002 ]; then {}; fi\n\
         if [ $AFRESH_TASK = T001 ] && [ $AFRESH_ATTEMPT = 1 ]; then {}; exit 1; fi\n\
         echo x > $AFRESH_TASK.txt",
        go.wait(),
        fails.opened_by_worker()
    ));
    let mut driver = repo.command(&["run", "p.plan.toml", "--no-input"]);
    let driver = driver.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut driver = driver.expect("the program starts");
    repo.wait_until("T001 has failed", || repo.status()["questions"][0]["id"] == "Q1");
    let mut terminal = Terminal::start(repo.command(&["attach"]));
    terminal.await_text("Q1");
    terminal.keys("retry\n");
    repo.wait_until("T001 is done", || repo.status()["counts"]["done"] == 1);
    go.open();
    assert_eq!(driver.wait().expect("ended").code(), Some(0));
    let (code, screen) = terminal.end();
    assert_eq!(code, Some(0), "{screen}");
}
