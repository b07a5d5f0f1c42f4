//! The checks of every merge on the base, and what a probe says about commands that cannot work (TR-01 to TR-03).

use std::fs;

use afresh_testkit::TestRepo;
use serde_json::Value;

use crate::support::repo;

/// One task `T` that writes `a.txt`, beside these checks of every merge.
fn project(always: &str, checks: &str) -> TestRepo {
    let repo = repo();
    repo.config(&format!(
        "[run]\nagent = \"mine\"\nattempts = 1\n[checks]\nalways = [{always}]\n{checks}"
    ));
    repo.plan(
        "[[task]]\nid = \"T\"\ntitle = \"work\"\nfiles = [\"a.txt\"]\nchecks = [\"test -s a.txt\"]\n",
    );
    repo.agent("echo x > a.txt");
    repo.commit("a project");
    repo
}

fn lines_of(repo: &TestRepo, file: &str) -> usize {
    fs::read_to_string(repo.path().join(file)).unwrap_or_default().lines().count()
}

fn classes(repo: &TestRepo, args: &[&str]) -> Vec<(String, String)> {
    let linted = repo.afresh(&[&["probe", "--json"], args].concat()).json();
    let text = |it: &Value, key: &str| it[key].as_str().unwrap_or_default().to_owned();
    let probe = linted["probe"].as_array().expect("a probe").iter();
    probe.map(|it| (text(it, "class"), text(it, "detail"))).collect()
}

/// TR-02: the base is measured as a merge is checked: in order, in one tree.
#[test]
fn checks_of_every_merge_see_what_the_ones_before_them_built() {
    let repo = project("\"echo built > out.tmp\", \"test -s out.tmp\"", "");
    repo.run(&[]).expect(0);
    assert_eq!(repo.landed(), ["T"]);
    // A check of a task sees a clean tree all the same.
    let repo = project("\"echo x > a.txt\"", "parallel = 1");
    assert_eq!(classes(&repo, &[])[1].0, "red");
}

/// TR-01, TR-02: what is remembered of them counts only if all of them passed.
#[test]
fn checks_of_every_merge_are_remembered_together() {
    let repo = repo();
    let count = |file: &str| format!("echo x >> {}", repo.path().join(file).display());
    let first = format!("{}; echo built > out.tmp", count("first"));
    let second = format!("{}; test -s out.tmp", count("second"));
    repo.config(&format!("[checks]\nalways = [{first:?}, {second:?}]"));
    repo.plan(
        "[[task]]\nid = \"T\"\ntitle = \"t\"\nfiles = [\"a.txt\"]\nchecks = [\"test -s a.txt\"]\n",
    );
    repo.commit("a project");
    for _ in 0..2 {
        let found = classes(&repo, &[]);
        assert_eq!((found[0].0.as_str(), found[1].0.as_str()), ("vacuous", "vacuous"), "{found:?}");
    }
    assert_eq!((lines_of(&repo, "first"), lines_of(&repo, "second")), (1, 1));
    // Another check, which fails: all of them run again, each time.
    repo.config(&format!("[checks]\nrerun = 0\nalways = [{first:?}, {second:?}, \"false\"]"));
    for runs in [2, 3] {
        assert_eq!(classes(&repo, &[])[2].0, "red");
        assert_eq!((lines_of(&repo, "first"), lines_of(&repo, "second")), (runs, runs));
    }
}

/// Prints what Python's unittest prints: `two` fails always, and `one` in every other run once the work is done.
const HALF_FLAKY: &str = "#!/bin/sh\n\
    failing=two\n\
    if [ -s a.txt ]; then echo x >> COUNTER; [ $(( $(wc -l < COUNTER) % 2 )) = 0 ] || failing='one two'; fi\n\
    for name in $failing; do\n\
    printf '======================================================================\\nFAIL: %s (suite.%s)\\n----------------------------------------------------------------------\\n' $name $name; done\n\
    printf '\\n----------------------------------------------------------------------\\nRan 2 tests in 0.001s\\n\\nFAILED (failures=1)\\n'; exit 1\n";

/// TR-02, TR-03: a flaky failure beside a known one is repeated as any other; the receipt says so.
#[test]
fn a_flaky_failure_beside_a_known_one_is_repeated() {
    let repo = project("\"sh t.sh\"", "on_red_base = \"continue\"");
    let counter = repo.path().join("tries");
    repo.write("t.sh", &HALF_FLAKY.replace("COUNTER", &counter.display().to_string()));
    repo.commit("a test runner");
    repo.run(&[]).expect(0);
    let receipt = &repo.status()["tasks"][0]["receipt"];
    let check = receipt["checks"].as_array().expect("checks").iter();
    let check = check.clone().find(|check| check["command"] == "sh t.sh").expect("its result");
    assert_eq!((&check["excuse"], &check["flaky"]), (&"failed-before".into(), &true.into()));
    // The known failure alone is not repeated: once for the pass, once for the final tree at most.
    assert!(lines_of(&repo, "tries") <= 4, "{}", lines_of(&repo, "tries"));
}

/// TR-01: the limit of a probe holds for the set-up of its workspaces too.
#[test]
fn a_set_up_ends_with_the_probe() {
    let repo = project("", "");
    repo.config("[workspace]\nsetup = [\"sleep 1000\"]");
    let found = classes(&repo, &["--limit", "1s"]);
    let (class, detail) = &found[0];
    assert_eq!(class, "unprobed");
    assert!(detail.contains("`sleep 1000` did not end within 1s"), "{detail}");
    repo.expect_no_survivors();
}

/// TR-01: what cannot work is named with its cause, and the hint fits.
#[test]
fn the_hint_says_why_a_check_cannot_run() {
    let repo = repo();
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a.txt\"]\n\
         checks = [\"grep -q x mine.txt\", \"if then\", \"grep -q x later.txt\", \"grep -q x gone.txt\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nneeds = [\"A\"]\nfiles = [\"later.txt\"]\nchecks = [\"test -s later.txt\"]\n",
    );
    repo.commit("a plan");
    repo.write("mine.txt", "x\n");
    let linted = repo.afresh(&["probe", "--json"]).expect(1).json();
    let findings = linted["findings"].as_array().expect("findings").iter();
    let found: Vec<String> = findings
        .filter(|it| it["code"] == "unrunnable-check")
        .map(|it| {
            let message = it["message"].as_str().unwrap_or_default();
            let first = message.lines().next().unwrap_or_default();
            format!("{first} → {}", it["help"].as_str().unwrap_or_default())
        })
        .collect();
    let expect = |at: usize, parts: &[&str]| {
        assert!(parts.iter().all(|part| found[at].contains(part)), "{found:?}");
    };
    expect(0, &["it exists in your checkout, and is not committed", "→ commit the file"]);
    expect(1, &["`if then` cannot run", "→ correct the command"]);
    assert!(!found[1].contains("install"), "{found:?}");
    expect(2, &["only B creates it, and B depends on A", "→ move the check"]);
    expect(3, &["`gone.txt` does not exist →", "list the missing file"]);
}
