//! Attempts by hand: `afresh run --by-hand`, `afresh task start`, `complete` and `fail` (ST-06).

use std::fs;
use std::path::{Path, PathBuf};

use afresh_testkit::TestRepo;
use serde_json::Value;

use crate::support::{Driver, Gate, WORKER, expect_landed_once, gated, repo, run_section};

/// A run that starts no agent: none of this one may ever run.
fn by_hand(tasks: usize) -> TestRepo {
    let repo = repo();
    repo.plan_of(tasks);
    repo.agent("echo an agent was started > $AFRESH_TASK.txt");
    repo.config(&run_section("attempts = 2"));
    repo.run(&["--by-hand"]).expect(0);
    repo
}

fn start(repo: &TestRepo, task: &str) -> Value {
    repo.afresh(&["task", "start", task, "--json"]).expect(0).json()
}

fn path(value: &Value) -> PathBuf {
    PathBuf::from(value.as_str().expect("a path"))
}

fn do_work(started: &Value) {
    let task = started["task"].as_str().expect("a task");
    let workspace = path(&started["workspace"]);
    fs::write(workspace.join(format!("{task}.txt")), format!("by {task}\n")).expect("written");
}

fn ready(repo: &TestRepo) -> Vec<String> {
    repo.afresh(&["task", "ready"]).expect(0).stdout.lines().map(str::to_owned).collect()
}

/// ST-06, R4: seed 003's loop, by its commands alone: ready, start, work in the workspace, complete. Every merge has its
/// receipt, and no agent runs.
#[test]
fn a_script_drives_a_whole_run_by_hand() {
    let repo = by_hand(3);
    let mut merged = 0;
    while let Some(task) = ready(&repo).first() {
        let started = start(&repo, task);
        assert!(Path::new(&path(&started["bundle"])).is_file(), "{started}");
        assert!(fs::read_to_string(path(&started["prompt"])).expect("a prompt").contains(task));
        do_work(&started);
        let done = repo.afresh(&["task", "complete", task, "--json"]).expect(0).json();
        assert_eq!(
            (&done["outcome"], &done["state"]),
            (&"merged".into(), &"done".into()),
            "{done}"
        );
        merged += 1;
    }
    assert_eq!(merged, 3);
    assert_eq!(repo.status()["state"], "done");
    expect_landed_once(&repo, 3);
}

/// The text of a file in saved work.
fn saved(repo: &TestRepo, told: &Value, file: &str) -> String {
    let name = told["saved"].as_str().expect("a ref");
    repo.git(&["show", &format!("{name}:{file}")])
}

/// ST-06, EX-01: beside a driver that runs agents: it reads the requests, the person takes none of its places, and both
/// works land.
#[test]
fn a_person_works_beside_the_agents_of_a_driver() {
    let (repo, go) = gated(2);
    repo.config(&run_section("parallel = 1"));
    let mut driver = Driver::run(&repo, &["--no-input"]);
    driver.await_stderr("start T001.1");
    let started = start(&repo, "T002");
    assert_eq!(started["attempt"], "T002.1", "{started}");
    assert_eq!(repo.status()["tasks"][1]["by_hand"], started["by_hand"]);
    let shown = repo.afresh(&["status"]).expect(0).stdout;
    assert!(shown.contains(" by hand ("), "{shown}");
    do_work(&started);
    let done = repo.afresh(&["task", "complete", "T002", "--json"]).expect(0).json();
    assert_eq!(done["outcome"], "merged", "{done}");
    assert_eq!(repo.state_of("T001"), "running");
    go.open();
    driver.end().expect(0);
    expect_landed_once(&repo, 2);
}

/// ST-06, HU-02: a driver works on the others; when only work by hand is left, it says so and ends with 4. The commands
/// that it names go on.
#[test]
fn a_driver_that_only_waits_for_a_person_says_what_for() {
    let repo = by_hand(2);
    let started = start(&repo, "T001");
    repo.agent(WORKER);
    let ran = repo.run(&["--no-input"]).expect(4);
    assert!(ran.stderr.contains("T001.1 is open by hand ("), "{ran:?}");
    assert!(ran.stderr.contains("`afresh task complete T001` hands it in"), "{ran:?}");
    assert_eq!((repo.state_of("T001"), repo.state_of("T002")), ("running".into(), "done".into()));
    assert_eq!(repo.status()["state"], "waiting");
    // Nothing was interrupted.
    let shown = repo.afresh(&["status"]).expect(0).stdout;
    assert!(!shown.contains("interrupted") && shown.contains("1 running"), "{shown}");
    do_work(&started);
    repo.afresh(&["task", "complete", "T001"]).expect(0);
    expect_landed_once(&repo, 2);
}

/// ST-06, R4, R16: work that fails its check is rejected with exit code 1 and says why; it is saved, and the try counts.
#[test]
fn rejected_work_is_saved_and_counts() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a.txt\"]\nchecks = [\"grep -q good a.txt\"]\n",
    );
    repo.agent("exit 1");
    repo.config(&run_section("attempts = 2"));
    repo.run(&["--by-hand"]).expect(0);
    for attempt in 1..=2 {
        let started = start(&repo, "A");
        fs::write(path(&started["workspace"]).join("a.txt"), format!("bad {attempt}\n"))
            .expect("written");
        let told = repo.afresh(&["task", "complete", "A", "--json"]).expect(1).json();
        assert_eq!((&told["ok"], &told["outcome"]), (&false.into(), &"rejected".into()), "{told}");
        assert!(told["reason"].as_str().is_some_and(|why| why.contains("grep -q good")), "{told}");
        assert_eq!(saved(&repo, &told, "a.txt"), format!("bad {attempt}"));
        // The next worker is told.
        if attempt == 1 {
            assert_eq!(told["state"], "ready", "{told}");
        }
    }
    assert_eq!(repo.status()["state"], "waiting");
    let refused = repo.afresh(&["task", "start", "A"]).expect(1);
    assert!(refused.stderr.contains("A waits for the answer to question Q1"), "{refused:?}");
    repo.afresh(&["task", "retry", "A"]).expect(0);
    let started = start(&repo, "A");
    assert!(fs::read_to_string(path(&started["prompt"])).expect("text").contains("grep -q good"));
    fs::write(path(&started["workspace"]).join("a.txt"), "good\n").expect("written");
    repo.afresh(&["task", "complete", "A", "-m", "by me"]).expect(0);
    assert_eq!(repo.status()["tasks"][0]["notes"], "by me");
    assert_eq!(repo.on_branch("a.txt").as_deref(), Some("good\n"));
}

/// ST-06, EX-06, EX-07: new files belong to the work and ignored ones do not; a change beyond the task's files is out of
/// scope, and a file that it was to create must exist.
#[test]
fn the_harvest_of_work_by_hand_is_judged_like_any_other() {
    let repo = repo();
    repo.write(".gitignore", "*.log\n");
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nchecks = [\"test -s a.txt\"]\n\
         files = [{path = \"a.txt\", action = \"create\"}, {path = \"new.txt\", action = \"create\"}]\n",
    );
    repo.commit("a plan");
    repo.agent("exit 1");
    repo.config(&run_section("attempts = 5"));
    repo.run(&["--by-hand"]).expect(0);
    let attempt = |files: &[&str]| {
        let started = start(&repo, "A");
        for file in files {
            fs::write(path(&started["workspace"]).join(file), "x\n").expect("written");
        }
        repo.afresh(&["task", "complete", "A", "--json"])
    };
    let told = attempt(&["a.txt", "new.txt", "README.md"]).expect(1).json();
    assert!(told["reason"].as_str().is_some_and(|why| why.contains("README.md")), "{told}");
    let told = attempt(&["a.txt"]).expect(1).json();
    assert!(told["reason"].as_str().is_some_and(|why| why.contains("new.txt")), "{told}");
    attempt(&["a.txt", "new.txt", "debug.log"]).expect(0);
    assert!(repo.on_branch("new.txt").is_some() && repo.on_branch("debug.log").is_none());
}

/// ST-06, R16: work that is given up is saved, with its category and reason; `--no-retry` fails the task.
#[test]
fn work_that_is_given_up_is_saved() {
    let repo = by_hand(1);
    do_work(&start(&repo, "T001"));
    let given =
        ["task", "fail", "T001", "--category", "Dependency", "--reason", "no compiler", "--json"];
    let told = repo.afresh(&given).expect(0).json();
    assert_eq!((&told["ok"], &told["state"]), (&true.into(), &"ready".into()), "{told}");
    assert!(told["reason"].as_str().is_some_and(|why| why.contains("no compiler")), "{told}");
    assert_eq!(saved(&repo, &told, "T001.txt"), "by T001");
    assert_eq!(repo.status()["tasks"][0]["error_category"], "dependency");
    start(&repo, "T001");
    let told = repo.afresh(&["task", "fail", "T001", "--no-retry", "--json"]).expect(0).json();
    assert_eq!(told["state"], "failed", "{told}");
}

/// ST-06: a start or an end that cannot be is refused before anything is written, and says what to do instead.
#[test]
fn what_cannot_be_started_or_handed_in_is_refused() {
    let repo = repo();
    repo.afresh(&["task", "start", "A"]).expect(2);
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a.txt\"]\nchecks = [\"test -s a.txt\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nfiles = [\"b.txt\"]\nchecks = [\"test -s b.txt\"]\nneeds = [\"A\"]\n\
         [[task]]\nid = \"C\"\ntitle = \"c\"\nfiles = [\"a.txt\"]\nchecks = [\"test -s a.txt\"]\n",
    );
    repo.agent("exit 1");
    repo.config(&run_section(""));
    repo.run(&["--by-hand"]).expect(0);
    let records = || repo.afresh(&["logs", "--json"]).expect(0).stdout.lines().count();
    let before = records();
    let refused = |args: &[&str], code: i32, why: &str| {
        let told = repo.afresh(args).expect(code);
        assert!(told.stderr.contains(why) && told.stderr.contains("hint:"), "{why}: {told:?}");
    };
    refused(&["task", "start", "B"], 1, "B is not ready: it needs A");
    refused(&["task", "start", "../../x"], 2, "has no task");
    refused(&["task", "complete", "A"], 1, "no attempt by hand of A is open");
    refused(&["task", "fail", "A"], 1, "no attempt by hand of A is open");
    assert_eq!(records(), before, "a refusal leaves no trace");
    start(&repo, "A");
    refused(&["task", "start", "A"], 1, "A is being worked on (A.1)");
    refused(&["task", "start", "C"], 1, "C may change the same files as A");
    refused(&["task", "complete", "B"], 1, "no attempt by hand of B is open");
    refused(&["task", "complete", "A", "--result", "nowhere"], 2, "cannot read nowhere");
    repo.write("result", "{\"status\": ");
    refused(&["task", "complete", "A", "--result", "result"], 2, "cannot read the result");
    repo.afresh(&["task", "fail", "A", "--category", "a b"]).expect(2);
    repo.afresh(&["task", "fail", "A", "--retryable", "--no-retry"]).expect(2);
    assert_eq!(repo.state_of("A"), "running");
    repo.afresh(&["abort"]).expect(0);
    refused(&["task", "start", "B"], 1, "the run is over: ended by");
}

/// ST-06, R2: of several starts of one task at once exactly one wins; the others say that it is being worked on.
#[test]
fn of_concurrent_starts_exactly_one_wins() {
    let repo = by_hand(2);
    let starts: Vec<Driver> =
        (0..4).map(|_| Driver::start(&repo, &["task", "start", "T001", "--json"])).collect();
    let ends: Vec<_> = starts.into_iter().map(Driver::end).collect();
    let won: Vec<_> = ends.iter().filter(|end| end.code == Some(0)).collect();
    assert_eq!(won.len(), 1, "{ends:?}");
    for lost in ends.iter().filter(|end| end.code != Some(0)) {
        assert_eq!(lost.code, Some(1), "{lost:?}");
        let why = &lost.json()["error"]["message"];
        assert_eq!(why, "T001 is being worked on (T001.1)", "{lost:?}");
    }
    do_work(&won[0].json());
    repo.afresh(&["task", "complete", "T001"]).expect(0);
    assert_eq!(repo.status()["tasks"][0]["attempts"], 1);
}

/// ST-02, ST-06: kill -9 of the driver leaves an open workspace as it is; kill -9 while the work is checked loses nothing
/// either, and whatever drives the run next finishes it.
#[test]
fn work_by_hand_survives_kill_9() {
    let (repo, go) = gated(2);
    repo.config(&run_section("parallel = 1"));
    let mut driver = Driver::run(&repo, &["--no-input"]);
    driver.await_stderr("start T001.1");
    let started = start(&repo, "T002");
    do_work(&started);
    driver.kill_9();
    assert_eq!(repo.state_of("T002"), "running");
    // The next driver does not touch it.
    go.open();
    repo.run(&["--no-input"]).expect(4);
    let file = path(&started["workspace"]).join("T002.txt");
    assert_eq!(fs::read_to_string(&file).expect("as it was left"), "by T002\n");
    assert_eq!((repo.state_of("T001"), repo.state_of("T002")), ("done".into(), "running".into()));
    repo.afresh(&["task", "complete", "T002"]).expect(0);
    expect_landed_once(&repo, 2);
}

/// The same at every moment of `task complete`.
#[test]
fn a_killed_complete_is_finished_by_the_next_driver() {
    let repo = repo();
    let go = Gate::new(&repo, "go");
    repo.plan(&format!(
        "[[task]]\nid = \"T001\"\ntitle = \"a\"\nfiles = [\"T001.txt\"]\nchecks = [\"{}; test -s T001.txt\"]\n",
        go.wait()
    ));
    repo.agent("exit 1");
    repo.config(&format!("{}[checks]\nprobe = \"off\"\n", run_section("")));
    repo.run(&["--by-hand"]).expect(0);
    do_work(&start(&repo, "T001"));
    let complete = Driver::start(&repo, &["task", "complete", "T001"]);
    repo.wait_until("it is checked", || repo.state_of("T001") == "merging");
    complete.kill_9();
    // It was handed in; there is nothing to hand in again.
    repo.afresh(&["task", "complete", "T001"]).expect(1);
    go.open();
    repo.run(&["--by-hand"]).expect(0);
    expect_landed_once(&repo, 1);
    repo.expect_no_survivors();
}

/// R7, ST-06: a halt ends no work by hand. While the run is halted nothing starts, and what is handed in lands like the
/// work of a worker that may finish.
#[test]
fn work_by_hand_is_handed_in_while_the_run_is_halted() {
    let repo = by_hand(2);
    do_work(&start(&repo, "T001"));
    repo.afresh(&["halt", "tea"]).expect(0);
    let refused = repo.afresh(&["task", "start", "T002"]).expect(1);
    assert!(refused.stderr.contains("the run was halted by"), "{refused:?}");
    assert!(refused.stderr.contains("--clear-only` clears the halt"), "{refused:?}");
    repo.afresh(&["task", "complete", "T001"]).expect(0);
    assert_eq!(
        (repo.status()["state"].clone(), repo.state_of("T001")),
        ("halted".into(), "done".into())
    );
    repo.afresh(&["resume", "--clear-only"]).expect(0);
    do_work(&start(&repo, "T002"));
    repo.afresh(&["halt", "now", "--now"]).expect(0);
    let told = repo.afresh(&["task", "complete", "T002", "--json"]).expect(3).json();
    assert_eq!((&told["ok"], &told["outcome"]), (&false.into(), &"halted".into()), "{told}");
    repo.afresh(&["resume", "--clear-only"]).expect(0);
    repo.run(&["--by-hand"]).expect(0);
    expect_landed_once(&repo, 2);
}

/// ST-06, R16: `afresh abort` saves the work first; `afresh clean` never removes the workspace of an open attempt, and
/// another run does not take it.
#[test]
fn nothing_takes_an_open_workspace_away() {
    let repo = by_hand(1);
    let started = start(&repo, "T001");
    do_work(&started);
    let file = path(&started["workspace"]).join("T001.txt");
    let cleaned = repo.afresh(&["clean", "--unfinished"]).expect(0);
    assert!(cleaned.stdout.contains("T001.1 of run test-1 is open by hand"), "{cleaned:?}");
    assert!(file.exists());
    repo.agent(WORKER);
    repo.run(&["--new"]).expect(0);
    assert_eq!(fs::read_to_string(&file).expect("untouched"), "by T001\n");
    repo.afresh(&["run", "--new", "p.plan.toml", "--by-hand"]).expect(0);
    let other = start(&repo, "T001");
    assert_ne!(other["workspace"], started["workspace"]);
    repo.afresh(&["abort", "test-1"]).expect(0);
    assert_eq!(repo.git(&["show", "refs/afresh/salvage/test-1/T001.1:T001.txt"]), "by T001");
    let refused = repo.afresh(&["task", "complete", "T001", "--run", "test-1"]).expect(1);
    assert!(refused.stderr.contains("no attempt by hand of T001 is open"), "{refused:?}");
    repo.afresh(&["clean", "--unfinished"]).expect(0);
    assert!(!file.exists());
    do_work(&other);
    repo.afresh(&["task", "complete", "T001"]).expect(0);
}

/// ST-06, HU-01: an agent's own result is understood: what needs a person is asked, with exit code 4.
#[test]
fn a_result_that_needs_a_decision_is_asked() {
    let repo = by_hand(1);
    let started = start(&repo, "T001");
    fs::write(
        path(&started["result"]),
        "{\"status\": \"NEEDS_DECISION\", \"decision_needed\": \"tabs or spaces?\", \
         \"options\": [{\"key\": \"tabs\", \"description\": \"tabs\"}]}",
    )
    .expect("written");
    let told = repo.afresh(&["task", "complete", "T001", "--json"]).expect(4).json();
    assert_eq!((&told["outcome"], &told["question"]), (&"waiting".into(), &"Q1".into()), "{told}");
    assert_eq!(told["reason"], "tabs or spaces?");
    repo.afresh(&["decide", "Q1", "tabs"]).expect(0);
    let started = start(&repo, "T001");
    do_work(&started);
    repo.write("answer.txt", "All done.\n\nT001: SUCCESS\n");
    repo.afresh(&["task", "complete", "T001", "--result", "answer.txt"]).expect(0);
}

/// ST-06: without waiting, the work is only handed in, and what drives the run next checks it.
#[test]
fn work_can_be_handed_in_without_waiting() {
    let repo = by_hand(1);
    do_work(&start(&repo, "T001"));
    let told = repo.afresh(&["task", "complete", "T001", "--no-wait", "--json"]).expect(0).json();
    assert_eq!((&told["outcome"], &told["commit"]), (&"handed-in".into(), &Value::Null), "{told}");
    assert_ne!(repo.state_of("T001"), "done");
    repo.run(&["--by-hand"]).expect(0);
    expect_landed_once(&repo, 1);
}

/// ST-06, EX-08: a review that is asked for judges work by hand, too.
#[test]
fn work_by_hand_is_reviewed() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a.txt\"]\nchecks = [\"test -s a.txt\"]\n",
    );
    repo.write(
        "script.toml",
        "version = 1\n[[task]]\nid = \"A\"\ndo = []\n[[review]]\nid = \"A\"\nattempt = 1\ndo = [ { request_changes = \"not like this\" } ]\n",
    );
    repo.config("[run]\nagent = \"nobody\"\nbackoff = [\"10ms\"]\n[review]\nwhen = \"always\"\nagent = \"actor\"\n\
         [agents.nobody]\nkind = \"command\"\ncommand = [\"no-such-program\"]\n\
         [agents.actor]\nkind = \"scripted\"\nscript = \"script.toml\"\n");
    repo.commit("a plan and its script");
    repo.run(&["--by-hand"]).expect(0);
    let work = || {
        let started = start(&repo, "A");
        fs::write(path(&started["workspace"]).join("a.txt"), "a\n").expect("written");
        repo.afresh(&["task", "complete", "A", "--json"])
    };
    let told = work().expect(1).json();
    assert!(told["reason"].as_str().is_some_and(|why| why.contains("not like this")), "{told}");
    work().expect(0);
    assert_eq!(repo.status()["tasks"][0]["receipt"]["review"]["agent"], "actor");
}
