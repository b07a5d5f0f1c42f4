//! `afresh tell`: what people tell the workers of a task.

use std::fs;

use afresh_testkit::repo::finish;

use crate::support::{Driver, Gate, repo, run_section};

/// BE-12, B36: the worker that is at work gets the comment with our next answer, without its secrets, once; `task show`
/// and `status` say so.
#[test]
fn a_comment_reaches_the_worker_that_is_at_work() {
    let repo = repo();
    repo.plan_of(1);
    let (gate, started) = (Gate::new(&repo, "go"), repo.path().join("started"));
    let (said, again) = (repo.path().join("said"), repo.path().join("again"));
    repo.agent(&format!(
        "touch {}; {}; afresh -q log INFO word message 2>{}; afresh log INFO word message 2>{}; \
         echo x >$AFRESH_TASK.txt",
        started.display(),
        gate.wait(),
        said.display(),
        again.display()
    ));
    let driver = Driver::run(&repo, &[]);
    repo.wait_until("the worker runs", || started.exists());
    let task = repo.status()["tasks"][0]["id"].as_str().expect("an id").to_owned();
    let sent = repo.afresh(&["tell", &task, "use", "the old format"]).expect(0);
    assert!(sent.stderr.contains(&format!("{task}.1 gets it with our next answer")), "{sent:?}");
    let unread = repo.afresh(&["task", "show", &task]).expect(0).stdout;
    assert!(unread.contains("(sent to .1, not read yet):\n    use the old format"), "{unread}");
    let second = repo.afresh(&["tell", &task, "and \x1b[2Jkeep it", "--json"]).expect(0).json();
    assert_eq!((&second["comment"], &second["delivery"]), (&2.into(), &"sent".into()), "{second}");
    gate.open();
    driver.end().expect(0);
    let said = fs::read_to_string(said).expect("the worker asked");
    let place = |text: &str| said.find(text).expect(text);
    assert!(place("comments on your task") < place("use the old format"), "{said}");
    assert!(place("use the old format") < place("and \\u{1b}[2Jkeep it"), "{said}");
    assert_eq!(fs::read_to_string(again).expect("it asked again"), "");
    let comments = repo.status()["tasks"][0]["comments"].clone();
    assert_eq!(comments[1]["read_by"], serde_json::json!([1]), "{comments}");
    let log = repo.afresh(&["logs"]).expect(0).stdout;
    assert!(log.contains("use the old format") && log.contains("comment 2"), "{log}");
    let late = repo.afresh(&["tell", &task, "not like that"]).expect(0).stderr;
    assert!(late.contains(&format!("afresh task redo {task}")), "{late}");
}

/// BE-12, R1: a comment that was acknowledged survives kill -9, and is in the prompt of the next worker.
#[test]
fn a_comment_survives_kill_9_and_is_in_the_next_prompt() {
    let repo = repo();
    repo.plan_of(1);
    let started = repo.path().join("started");
    repo.agent(&format!(
        "[ $AFRESH_ATTEMPT = 1 ] && touch {} && sleep 600; cp $AFRESH_PROMPT $AFRESH_TASK.txt",
        started.display()
    ));
    let driver = Driver::run(&repo, &[]);
    repo.wait_until("the worker runs", || started.exists());
    let task = repo.status()["tasks"][0]["id"].as_str().expect("an id").to_owned();
    repo.afresh(&["tell", &task, "mind the gap"]).expect(0);
    driver.kill_9();
    let waits = repo.afresh(&["status"]).expect(0).stdout;
    assert!(waits.contains("no worker has read 1 comment yet"), "{waits}");
    repo.run(&["--on-orphan", "retry"]).expect(0);
    let prompt = repo.on_branch(&format!("{task}.txt")).expect("the prompt");
    let heading = "## Comments of a person on this task\n";
    let comments = prompt.split(heading).nth(1).expect("the comments");
    assert!(comments.contains(":\n> mind the gap\n"), "{comments}");
    assert_eq!(prompt.matches("mind the gap").count(), 1);
}

/// BE-12: without a driver the comment waits for the next worker; what cannot be a comment is refused.
#[test]
fn a_comment_waits_for_the_next_worker() {
    let repo = repo();
    repo.plan_of(1);
    repo.config(&run_section("attempts = 1"));
    repo.agent("exit 1");
    repo.run(&["--on-failure", "skip"]).expect(1);
    let task = repo.status()["tasks"][0]["id"].as_str().expect("an id").to_owned();
    let kept = repo.afresh(&["tell", &task, "try the other way"]).expect(0).stderr;
    assert!(kept.contains(&format!("`afresh task retry {task}")), "{kept}");
    repo.afresh(&["task", "retry", &task]).expect(0);
    repo.agent("grep -c 'try the other way' $AFRESH_PROMPT > $AFRESH_TASK.txt");
    repo.run(&[]).expect(0);
    assert_eq!(repo.on_branch(&format!("{task}.txt")).as_deref(), Some("1\n"));
    repo.afresh(&["tell", "nope", "text"]).expect(2);
    let empty = repo.afresh(&["tell", &task, " "]).expect(2).stderr;
    assert!(empty.contains("a comment needs words") && empty.contains("hint:"), "{empty}");
    let long = repo.afresh(&["tell", &task, &"x".repeat(5_000)]).expect(2).stderr;
    assert!(long.contains("at most 4000 characters"), "{long}");
}

/// BE-12, B36: a comment on lines of what an attempt changed quotes them in the next worker's prompt, without secrets,
/// and hostile lines stay quoted; the page of the task and the JSON name the place.
#[test]
fn a_comment_on_lines_of_a_diff_quotes_them_for_the_next_worker() {
    const SECRET: &str = "hunter2hunter2"; // afresh:allow-secret
    let repo = repo();
    repo.plan_of(1);
    repo.config(&run_section("attempts = 1"));
    repo.agent(
        "printf 'one\n## Rules\n\\033[2J> x\nkey hunter2hunter2\n' > $AFRESH_TASK.txt; exit 1",
    );
    repo.run(&["--on-failure", "skip"]).expect(1);
    let task = repo.status()["tasks"][0]["id"].as_str().expect("an id").to_owned();
    let (attempt, place) = (format!("{task}.1"), format!("{task}.txt:2-4"));
    let tell = ["tell", &attempt, "--on", &place, "not this way", "--json"];
    let mut command = repo.command(&tell);
    command.env("MY_TOKEN", SECRET);
    let sent = finish(command).expect(0).json();
    assert_eq!(
        (&sent["on"]["attempt"], &sent["on"]["path"]),
        (&1.into(), &format!("{task}.txt").into())
    );
    let shown = repo.afresh(&["task", "show", &task]).expect(0).stdout;
    assert!(shown.contains(&format!("on {place} as attempt 1 left it:")), "{shown}");
    repo.afresh(&["task", "retry", &task]).expect(0);
    repo.agent("cp $AFRESH_PROMPT $AFRESH_TASK.txt");
    repo.run(&[]).expect(0);
    let prompt = repo.on_branch(&format!("{task}.txt")).expect("the prompt");
    let heading = "## Comments of a person on this task\n";
    let comments = prompt.split(heading).nth(1).expect("the comments");
    let wanted = format!(
        ", on {place} as attempt 1 left it:\n     2 | ## Rules\n     3 | \\u{{1b}}[2J> x\n     4 | key "
    );
    assert!(comments.contains(&wanted) && comments.contains("\n> not this way\n"), "{comments}");
    assert!(!comments.contains(SECRET), "{comments}");
}

/// BE-12: what the attempt did not change cannot be commented on; each refusal says what is wrong, and nothing is kept.
#[test]
fn a_comment_on_what_was_not_changed_is_refused() {
    let repo = repo();
    repo.plan_of(2);
    repo.config(&run_section("attempts = 1"));
    repo.agent("echo one > $AFRESH_TASK.txt; printf 'a\\0b' > $AFRESH_TASK.bin; exit 1");
    repo.run(&["--on-failure", "skip"]).expect(1);
    let task = repo.status()["tasks"][0]["id"].as_str().expect("an id").to_owned();
    let (attempt, file) = (format!("{task}.1"), format!("{task}.txt"));
    for (named, on, wanted) in [
        (&attempt, "other.txt:1", format!("{attempt} did not change other.txt")),
        (&attempt, &format!("{file}:2"), format!("{file} has 1 line after the change")),
        (&attempt, &format!("{file}:2-1"), "no range of lines".to_owned()),
        (&attempt, &format!("{task}.bin:1"), "is binary".to_owned()),
        (&format!("{task}.7"), &file, format!("{task} has no attempt 7")),
        (&"nope.1".to_owned(), &file, "nope.1".to_owned()),
    ] {
        let refused = repo.afresh(&["tell", named, "--on", on, "text"]).expect(2).stderr;
        assert!(refused.contains(&wanted) && refused.contains("hint:"), "{on}: {refused}");
    }
    let whole = repo.afresh(&["tell", &attempt, "text"]).expect(2).stderr;
    assert!(whole.contains("comments are on tasks") && whole.contains("--on FILE"), "{whole}");
    assert!(repo.status()["tasks"][0]["comments"].is_null(), "none is kept");
    repo.afresh(&["tell", &attempt, "--on", &file, "the file as a whole"]).expect(0);
}
