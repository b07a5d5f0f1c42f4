//! Several agents compete for one task (BE-08).

use crate::support::{Driver, repo, salvaged};
use afresh_testkit::TestRepo;

/// A run of one task by `careful` and `quick`, each with a script of its own.
fn contested(land: &str, careful: &str, quick: &str) -> TestRepo {
    let repo = repo();
    repo.plan(&format!(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a.txt\"]\nchecks = [\"grep -q good a.txt\"]\n\
         attempts_by = [\"careful\", \"quick\"]\nland = \"{land}\"\n"
    ));
    repo.write("careful.toml", &format!("version = 1\n[[task]]\nid = \"A\"\ndo = [ {careful} ]\n"));
    repo.write("quick.toml", &format!("version = 1\n[[task]]\nid = \"A\"\ndo = [ {quick} ]\n"));
    repo.config(
        "[run]\nagent = \"careful\"\nbackoff = [\"10ms\"]\n\
         [agents.careful]\nkind = \"scripted\"\nscript = \"careful.toml\"\n\
         [agents.quick]\nkind = \"scripted\"\nscript = \"quick.toml\"\n",
    );
    repo.commit("a plan and its scripts");
    repo
}

/// BE-08, R5, R16, LO-03: both try from the same commit, the cheaper work lands, the other is kept, both are paid for,
/// and the report compares them.
#[test]
fn the_cheaper_work_lands_and_the_other_is_kept() {
    let repo = contested(
        "cheapest",
        "{ run = \"test ! -e a.txt\" }, { listed = \"good and careful\\n\" }, { use = { input = 900, cost_usd = 0.5 } }",
        "{ run = \"test ! -e a.txt\" }, { listed = \"good enough\\n\" }, { use = { input = 300, cost_usd = 0.125 } }",
    );
    let before = repo.untouched();
    let ran = repo.run(&["--no-input"]).expect(0);
    repo.untouched().expect_same_as(&before);
    assert!(ran.stderr.contains("chosen A.2 the work of quick ($0.125) lands next"), "{ran:?}");
    assert_eq!(repo.on_branch("a.txt").as_deref(), Some("good enough\n"));
    let task = &repo.status()["tasks"][0];
    assert_eq!((&task["agent"], &task["attempts"]), (&"quick".into(), &2.into()), "{task}");
    assert_eq!(task["usage"]["cost_usd"], 0.625);
    assert!(salvaged(&repo).iter().any(|name| name.ends_with("/A.1")), "{:?}", salvaged(&repo));

    let report = repo.afresh(&["report"]).expect(0).stdout;
    for line in [
        "`A` a: the cheapest work that passes lands.",
        "| `A.1` | careful | passed, not chosen | 1 |",
        "| `A.2` | quick | merged | 1 |",
        "| 900 | $0.5000 |",
        "To compare their work: `afresh diff A.1 A.2`",
    ] {
        assert!(report.contains(line), "{line:?} is not in:\n{report}");
    }
    let difference = repo.afresh(&["diff", "A.1", "A.2"]).expect(0).stdout;
    assert!(difference.contains("-good and careful\n+good enough"), "{difference}");
    repo.expect_no_survivors();
}

/// BE-08: under `first` the second agent starts only if the first one fails, and then its work lands.
#[test]
fn the_first_work_that_passes_lands() {
    let repo = contested("first", "{ listed = \"bad\\n\" }", "{ listed = \"good\\n\" }");
    repo.run(&["--no-input"]).expect(0);
    assert_eq!(repo.on_branch("a.txt").as_deref(), Some("good\n"));
    assert_eq!(repo.status()["tasks"][0]["agent"], "quick");

    let repo = contested("first", "{ listed = \"good\\n\" }", "{ exit = 9 }");
    repo.run(&["--no-input"]).expect(0);
    assert_eq!(repo.status()["tasks"][0]["attempts"], 1);
}

/// BE-08, ST-02: after a kill -9 in the middle of a contest, the work that had passed is still there, and the agent whose
/// turn it was has it again.
#[test]
fn a_contest_survives_a_kill() {
    let repo = contested(
        "cheapest",
        "{ listed = \"good\\n\" }, { use = { input = 1 } }",
        "{ listed = \"good again\\n\" }, { use = { input = 9 } }",
    );
    let quick = std::fs::read_to_string(repo.root().join("quick.toml"))
        .expect("a script")
        .replace("version = 1\n", "");
    let hanging = "[[task]]\nid = \"A\"\nattempt = 2\ndo = [ { run = \"sleep 600\" } ]\n";
    repo.write("quick.toml", &format!("version = 1\n{hanging}{quick}"));
    repo.commit("the second attempt hangs");
    let driver = Driver::run(&repo, &["--no-input"]);
    repo.wait_until("the second agent works", || {
        // There is no run at first.
        let task = &repo.status()["tasks"][0];
        task["attempts"] == 2 && task["state"] == "running"
    });
    driver.kill_9();
    repo.run(&["--no-input", "--on-orphan", "retry"]).expect(0);
    assert_eq!(repo.on_branch("a.txt").as_deref(), Some("good\n"));
    let report = repo.afresh(&["report", "--json"]).expect(0).json();
    let attempts = report["tasks"][0]["attempts"].as_array().expect("attempts");
    let agents: Vec<_> = attempts.iter().map(|attempt| attempt["agent"].clone()).collect();
    assert_eq!(agents, ["careful", "quick", "quick"]);
    repo.expect_no_survivors();
}

/// BE-08, AG-04: an agent that does not exist is refused before the run, wherever its name stands in the list.
#[test]
fn an_unknown_contestant_is_refused_before_the_run() {
    let repo = contested("first", "{ listed = \"good\\n\" }", "{ listed = \"good\\n\" }");
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nchecks = [\"true\"]\nattempts_by = [\"careful\", \"quik\"]\n",
    );
    let refused = repo.run(&[]).expect(2);
    assert!(refused.stderr.contains("quik"), "{refused:?}");
    assert!(refused.stderr.contains("quick"), "{refused:?}");
}
