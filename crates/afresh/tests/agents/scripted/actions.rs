//! What a scripted worker can do.

use super::scene::{configure, does, one_task, repo, run};

/// AG-02: files are written, edited, extended and deleted; commands run; placeholders are filled in.
#[test]
fn a_scripted_worker_does_what_its_script_says() {
    let script = does(
        "{ write = \"a.txt\", text = \"one two\\n\" }, { edit = \"a.txt\", find = \"two\", replace = \"{task}.{attempt}\" },\n\
         { append = \"a.txt\", text = \"more\\n\" }, { delete = \"old.txt\" }, { write = \"deep/down/{task}.txt\", text = \"x\" },\n\
         { run = \"echo $AFRESH_TASK >> a.txt\" }, { run = \"false\", may_fail = true }, { sleep = \"1ms\" }, { say = \"done\" }",
    );
    let repo = one_task(&script);
    repo.write("old.txt", "old");
    repo.commit("something old");
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a.txt\", \"old.txt\", \"deep/**\"]\nchecks = [\"test -s a.txt\"]\n",
    );
    run(&repo, &[], 0);
    assert_eq!(repo.on_branch("a.txt").as_deref(), Some("one A.1\nmore\nA\n"));
    assert_eq!(repo.on_branch("old.txt"), None);
    assert_eq!(repo.on_branch("deep/down/A.txt").as_deref(), Some("x"));
}

/// AG-02: `"*"` with `listed` does every task of a plan.
#[test]
fn listed_files_are_written_for_every_task() {
    let repo = repo("[[task]]\nid = \"*\"\ndo = [ { listed = \"by {task}\\n\" } ]\n");
    repo.plan_of(3);
    run(&repo, &[], 0);
    for task in ["T001", "T002", "T003"] {
        assert_eq!(repo.on_branch(&format!("{task}.txt")), Some(format!("by {task}\n")));
    }
}

/// AG-02: an act that cannot be done ends the attempt, reports its place in the script, and is not retried.
#[test]
fn an_act_that_cannot_be_done_names_its_line() {
    for (act, expected) in [
        ("{ edit = \"README.md\", find = \"no such words\", replace = \"\" }", "does not contain"),
        ("{ delete = \"nothing.txt\" }", "cannot delete nothing.txt"),
        ("{ run = \"exit 9\" }", "`exit 9` failed"),
    ] {
        let repo = one_task(&does(&format!("\n{act}")));
        let ran = run(&repo, &["--on-failure", "skip"], 1);
        let is_reported =
            ran.stderr.contains("line 4 of the script") && ran.stderr.contains(expected);
        assert!(is_reported, "no {expected:?} in\n{}", ran.stderr);
        assert_eq!(repo.status()["tasks"][0]["attempts"], 1, "tried again");
    }
}

/// AG-02: a question is answered by policy or by a person, and the next worker gets the answer.
#[test]
fn an_answer_reaches_the_next_worker() {
    let script = "[[task]]\nid = \"A\"\nattempt = 1\ndo = [ { ask = \"which?\", options = [\"tea: hot\", \"juice: cold\"] } ]\n\
                  [[task]]\nid = \"A\"\ndo = [ { write = \"a.txt\", text = \"{answer} \" }, { run = \"printf %s \\\"$AFRESH_ANSWER\\\" >> a.txt\" } ]\n";
    let repo = one_task(script);
    let ran = run(&repo, &[], 4);
    assert!(ran.stderr.contains("which?") && ran.stderr.contains("tea, juice"), "{}", ran.stderr);
    repo.afresh(&["decide", "Q1", "juice"]).expect(0);
    run(&repo, &[], 0);
    assert_eq!(repo.on_branch("a.txt").as_deref(), Some("juice juice"));
    let repo = one_task(script);
    run(&repo, &["--on-decision", "first"], 0);
    assert_eq!(repo.on_branch("a.txt").as_deref(), Some("tea tea"));
}

/// AG-02: a worker that needs a person to do something reports what to do.
#[test]
fn one_that_needs_a_person_gives_instructions() {
    let script = does("{ need = \"a key\", instructions = [\"open the safe\"] }");
    let repo = one_task(&script);
    run(&repo, &[], 4);
    let question = &repo.status()["questions"][0];
    let text = question["text"].as_str().expect("a text");
    assert!(text.contains("a key") && text.contains("open the safe"), "{question}");
}

/// LO-03, R14: reported usage is counted once per attempt, and in the total.
#[test]
fn use_and_cost_are_those_that_were_reported() {
    let script = "[[task]]\nid = \"A\"\nattempt = 1\ndo = [ { use = { input = 100, output = 20, cost_usd = 0.5 } }, { use = { input = 5, cost_usd = 0.25 } }, { exit = 3 } ]\n\
                  [[task]]\nid = \"A\"\ndo = [ { use = { cache_read = 7, cache_write = 2, cost_usd = 0.01 } }, { write = \"a.txt\", text = \"x\" } ]\n";
    let repo = one_task(script);
    let ran = run(&repo, &[], 0);
    let status = repo.status();
    let used = serde_json::json!({"input": 105, "output": 20, "cache_read": 7, "cache_write": 2, "cost_usd": 0.76});
    assert_eq!((&status["usage"], &status["tasks"][0]["usage"]), (&used, &used), "{status}");
    assert!(ran.stderr.contains("134 tokens") && ran.stderr.contains("$0.76"), "{}", ran.stderr);
}

/// AG-02: the same seed plays the same; another one may not.
#[test]
fn a_seed_repeats_a_run() {
    let landed = |seed: u32| {
        let script = format!(
            "seed = {seed}\n[[task]]\nid = \"*\"\ndo = [ {{ chance = 0.5, do = [ {{ fail = \"bad luck\", retryable = false }} ] }}, {{ listed = \"x\" }} ]\n"
        );
        let repo = repo(&script);
        configure(&repo, "");
        repo.plan_of(6);
        let ran = repo.run(&["--on-failure", "skip"]);
        assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.stderr);
        let mut landed = repo.landed();
        landed.sort();
        landed
    };
    assert_eq!(landed(1), landed(1));
    assert_ne!(landed(1), landed(2));
}

/// AG-02, EX-04: a reported step is kept, and the next worker continues from there.
#[test]
fn a_step_that_is_reported_outlives_its_worker() {
    let script = "[[task]]\nid = \"A\"\nattempt = 1\n\
                  do = [ { write = \"a.txt\", text = \"a\" }, { step = 1 }, { crash = 9 } ]\n\
                  [[task]]\nid = \"A\"\ndo = [ { write = \"b.txt\", text = \"from step {step}\" } ]\n";
    let repo = repo(script);
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nchecks = [\"test -s a.txt\", \"test -s b.txt\"]\n\
         steps = [ { name = \"one\", files = [\"a.txt\"] }, { name = \"two\", files = [\"b.txt\"] } ]\n",
    );
    run(&repo, &[], 0);
    assert_eq!(repo.on_branch("b.txt").as_deref(), Some("from step 2"));
    assert_eq!(repo.on_branch("a.txt").as_deref(), Some("a"));
}
