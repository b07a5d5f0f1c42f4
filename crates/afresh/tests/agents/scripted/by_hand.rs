//! A person tries a script, without a run.

use super::scene::{does, one_task};

/// AG-02: a dry run shows what would be done.
#[test]
fn a_dry_run_shows_what_would_be_done() {
    let repo = one_task(&does(
        "{ write = \"b.txt\", text = \"four\" },\n{ chance = 1, do = [ { run = \"echo hi\" } ] }, { exit = 4 }",
    ));
    let play = ["agent", "scripted", "script.toml", "--task", "A", "--dry-run"];
    let output = repo.afresh(&play).expect(0).stdout;
    insta::assert_snapshot!(output, @"
        3  write b.txt (4 bytes)
        4  run echo hi
        4  end with code 4, without an answer
        ");
    assert!(!repo.root().join("b.txt").exists());
}

/// AG-02: it plays in the current directory, reports as a stream, and ends as the script says.
#[test]
fn a_script_can_be_played_by_hand() {
    let repo = one_task(&does(
        "{ write = \"b.txt\", text = \"four\" }, { use = { input = 3, cost_usd = 0.5 } }, { say = \"hm\" }, { exit = 4 }",
    ));
    let play = ["agent", "scripted", "script.toml", "--task", "A"];
    let played = repo.afresh(&play).expect(4);
    insta::assert_snapshot!(played.stdout, @r#"
        {"cache_read":0,"cache_write":0,"cost_usd":0.5,"input":3,"output":0,"type":"usage"}
        {"text":"hm","type":"text"}
        "#);
    assert_eq!(std::fs::read_to_string(repo.root().join("b.txt")).expect("written"), "four");
    let whose = repo.afresh(&["agent", "scripted", "script.toml"]).expect(2);
    assert!(whose.stderr.contains("--task ID: A"), "{}", whose.stderr);
    let nobody = repo.afresh(&["agent", "scripted", "script.toml", "--task", "B", "--dry-run"]);
    assert!(nobody.expect(2).stderr.contains("no part for attempt 1 of task B"));
}
