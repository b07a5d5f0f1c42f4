//! Scripts that cannot be used are refused before anything is touched.

use super::scene::{does, one_task, repo, run};

/// AG-02: a mistake in a script is shown with its place, and no run starts.
#[test]
fn a_script_with_a_mistake_is_refused_with_its_place() {
    let repo = one_task(&does("{ wirte = \"a.txt\" }"));
    let ran = run(&repo, &[], 2);
    assert!(ran.stderr.contains("--> script.toml:3:10"), "{}", ran.stderr);
    assert!(ran.stderr.contains("did you mean \"write\"?"), "{}", ran.stderr);
    let error = run(&repo, &["--json"], 2).json()["error"].clone();
    assert_eq!((&error["file"], &error["line"]), (&"script.toml".into(), &3.into()), "{error}");
    assert!(!repo.state().exists());
}

/// AG-02: the same for a missing script, and for one that does not cover a task.
#[test]
fn a_script_that_is_missing_or_lacks_a_part_is_refused() {
    let missing = one_task(&does("{ say = \"x\" }"));
    std::fs::remove_file(missing.root().join("script.toml")).expect("it was there");
    let ran = run(&missing, &[], 2);
    assert!(ran.stderr.contains("config.toml:7:10"), "{}", ran.stderr);
    let repo = repo(&does("{ say = \"x\" }"));
    repo.plan_of(2);
    let ran = run(&repo, &[], 2);
    assert!(ran.stderr.contains("no part for the first attempt of: T001, T002"), "{}", ran.stderr);
    assert!(ran.stderr.contains("id = \"*\""), "{}", ran.stderr);
}

/// AG-02: an attempt that the script does not cover gives up at once, and reports that.
#[test]
fn an_attempt_without_a_part_gives_up() {
    let script = "[[task]]\nid = \"A\"\nattempt = 1\ndo = [ { exit = 1 } ]\n";
    let repo = one_task(script);
    let ran = run(&repo, &["--on-failure", "skip"], 1);
    assert!(ran.stderr.contains("no part for attempt 2 of task A"), "{}", ran.stderr);
    assert_eq!(repo.status()["tasks"][0]["attempts"], 2);
}
