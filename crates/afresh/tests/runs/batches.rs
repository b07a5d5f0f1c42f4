//! Several tasks are merged, checked and landed together (IN-01 to IN-03), with real git and real checks.

use afresh_testkit::TestRepo;

use crate::support::{Driver, Gate, repo, run_section};

/// The check of T001 waits for the gate, so that everything else is in the merge queue before the first merge lands.
/// One slot: nothing is checked on top of it meanwhile.
fn behind_a_gate(checks: &[&str], config: &str) -> (TestRepo, Gate) {
    let repo = repo();
    let gate = Gate::new(&repo, "go");
    let task = |(number, check): (usize, &&str)| {
        let id = format!("T{:03}", number + 2);
        format!(
            "[[task]]\nid = \"{id}\"\ntitle = \"task {id}\"\nfiles = [\"{id}.txt\"]\nchecks = [{check:?}]\n"
        )
    };
    let others: String = checks.iter().enumerate().map(task).collect();
    let first = format!("{}; test -s T001.txt", gate.wait());
    repo.plan(&format!(
        "[[task]]\nid = \"T001\"\ntitle = \"task T001\"\nfiles = [\"T001.txt\"]\nchecks = [{first:?}]\n{others}"
    ));
    repo.agent("echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt");
    let checks = "[checks]\nprobe = \"off\"\nparallel = 1\nrerun = 0\n";
    repo.config(&format!("{}{checks}{config}\n", run_section("")));
    (repo, gate)
}

/// The run, once all of its tasks are in the merge queue.
fn start(repo: &TestRepo, tasks: usize) -> Driver {
    let parallel = tasks.to_string();
    let driver = Driver::run(repo, &["--parallel", &parallel, "--on-failure", "skip"]);
    repo.wait_until("all tasks are in the merge queue", || {
        repo.status()["counts"]["merging"].as_u64() == Some(tasks as u64)
    });
    driver
}

fn log(repo: &TestRepo) -> String {
    repo.afresh(&["logs"]).expect(0).stdout
}

fn trailers(repo: &TestRepo, key: &str) -> Vec<String> {
    let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
    let format = format!("--format=[%(trailers:key={key},valueonly,separator=%x2C)]");
    let range = format!("main..{branch}");
    let found = repo.git(&["log", "--reverse", "--first-parent", &format, &range]);
    found.lines().map(|line| line.trim_matches(['[', ']']).to_owned()).collect()
}

/// IN-01, IN-02, R3, R4, TR-06: what waits lands as one batch: the common check runs once for all of it, commits inside
/// name the tree that was checked for them, and each receipt is found by others.
#[test]
fn what_waits_is_checked_and_landed_together() {
    let (repo, gate) =
        behind_a_gate(&["test -s T002.txt", "test -s T003.txt", "test -s T004.txt"], "");
    let before = repo.untouched();
    let driver = start(&repo, 4);
    gate.open();
    driver.end().expect(0);
    repo.untouched().expect_same_as(&before);
    repo.expect_no_survivors();
    assert_eq!(repo.landed().len(), 4);

    let named = trailers(&repo, "Afresh-Checked-Tree");
    let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
    let last_tree = repo.git(&["rev-parse", &format!("{branch}^{{tree}}")]);
    // The first task is in the batch if it finished before the others.
    let is_covered = |tree: &String| *tree == last_tree;
    assert!(named[1..3].iter().all(is_covered) && named[3].is_empty(), "{named:?}, {}", log(&repo));
    let verified = repo.afresh(&["verify-run", "--json"]).expect(0).json();
    let tip = repo.git(&["rev-parse", &branch]);
    let commits = verified["commits"].as_array().expect("commits");
    let covered = commits[1..].iter().map(|commit| commit["covered_by"].as_str());
    assert!(covered.clone().all(|by| by == Some(&*tip)), "{verified}");
    let receipt = &repo.status()["tasks"][1]["receipt"];
    assert_eq!(receipt["checks"].as_array().map(Vec::len), Some(1), "its own: {receipt}");
}

/// IN-03, R4: the member whose work fails the common check is found with that check alone, the others land, and the
/// output reaches its next worker.
#[test]
fn the_culprit_of_a_batch_is_found_and_the_rest_lands() {
    let own = ["true", "true", "true", "true"];
    let (repo, gate) = behind_a_gate(&own, "always = [\"! grep -q broken T004.txt\"]");
    repo.agent(
        "if [ $AFRESH_TASK.$AFRESH_ATTEMPT = T004.1 ]; then echo broken > T004.txt\n\
         else echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt; fi",
    );
    let driver = start(&repo, 5);
    gate.open();
    driver.end().expect(0);
    let landed = repo.landed();
    assert_eq!(landed.len(), 5, "{landed:?}");
    assert_eq!(landed.last().map(String::as_str), Some("T004"), "{landed:?}");
    assert!(repo.prompt("T004", 2).contains("! grep -q broken T004.txt"));
    let log = log(&repo);
    assert!(log.contains("bisect") && log.contains("batch-failed"), "{log}");
    let attempts = |task: usize| repo.status()["tasks"][task]["attempts"].as_u64();
    assert_eq!([attempts(1), attempts(2), attempts(4)], [Some(1); 3], "the others lose nothing");
    repo.afresh(&["verify-run"]).expect(0);
}

/// IN-02: with `batch = 1` each commit is checked by itself.
#[test]
fn with_batches_of_one_every_commit_is_checked_by_itself() {
    let checks = ["test -s T002.txt", "test -s T003.txt"];
    let (repo, gate) = behind_a_gate(&checks, "[merge]\nbatch = 1");
    let driver = start(&repo, 3);
    gate.open();
    driver.end().expect(0);
    assert_eq!(trailers(&repo, "Afresh-Checked-Tree"), ["", "", ""]);
    let tasks = repo.status()["tasks"].as_array().expect("tasks").clone();
    for task in tasks {
        let commit = task["commits"][0].as_str().expect("a commit");
        let tree = repo.git(&["rev-parse", &format!("{commit}^{{tree}}")]);
        assert_eq!(task["receipt"]["tree"], tree.as_str(), "{task}");
    }
}

/// R3, R12, IN-02: killed while a batch is checked, the next driver makes it again; every task lands once.
#[test]
fn a_batch_survives_kill_9() {
    let (repo, gate) = behind_a_gate(&["test -s T002.txt", "test -s T003.txt"], "");
    let driver = start(&repo, 3);
    driver.kill_9();
    gate.open();
    repo.run(&["--parallel", "3"]).expect(0);
    let mut landed = repo.landed();
    landed.sort();
    assert_eq!(landed, ["T001", "T002", "T003"]);
    repo.expect_no_survivors();
    repo.afresh(&["verify-run"]).expect(0);
}
