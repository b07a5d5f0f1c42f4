//! Workers that replace the files of their mailbox with something else: R5, R7, R15.

use std::fs;

use crate::support::{Driver, repo};
use nix::sys::signal::Signal;

/// One task with two steps.
const PLAN: &str = r#"
[[task]]
id = "T"
title = "two pieces"
files = ["a.txt"]
checks = ["test -s a.txt"]
steps = [{ name = "one", files = ["a.txt"] }, { name = "two", files = ["a.txt"] }]
"#;

/// R7, EX-04: a pipe in place of a result, or of a check's output, blocks nothing.
#[test]
fn pipes_in_the_place_of_our_files_hold_nothing_up() {
    let repo = repo();
    repo.plan(PLAN);
    repo.agent(
        "own=$(dirname \"$AFRESH_RESULT\"); mkdir \"$own/answers\" \"$own/checks\"\n\
         mkfifo \"$own/answers/.step-1.json\" \"$own/answers/step-1.json\"\n\
         mkfifo \"$own/checks/alone-1.log\" \"$own/checks/merged-1.log\"\n\
         mkfifo \"$own/checks/final-1.log\"\n\
         rm \"$own/stdout.log\"; mkfifo \"$own/stdout.log\"\n\
         echo a > a.txt; afresh step done 1",
    );
    let ran = Driver::run(&repo, &[]).end().expect(0);
    assert!(ran.stderr.contains("step 1 of 2: one"), "{}", ran.stderr);
}

/// R7: a pipe in place of its output does not keep a worker alive that has to end.
#[test]
fn a_worker_that_hides_its_output_is_ended_like_any_other() {
    let repo = repo();
    repo.plan(PLAN);
    let script = "version = 1\n[[task]]\nid = \"T\"\n\
                  do = [ { run = \"own=$(dirname $AFRESH_RESULT); rm $own/stdout.log; mkfifo $own/stdout.log\" },\n\
                  { say = \"hidden\" }, { hang = true } ]\n";
    fs::write(repo.path().join("script.toml"), script).expect("written");
    let script = repo.path().join("script.toml");
    repo.config(&format!(
        "[run]\nagent = \"actor\"\nhalt_grace = \"100ms\"\n\
         [agents.actor]\nkind = \"scripted\"\nscript = {script:?}"
    ));
    let mut run = Driver::run(&repo, &[]);
    run.await_stderr("start T.1");
    let own = repo.state().join("attempts");
    repo.wait_until("the pipe is there", || {
        let found = find_by_name(&own, "stdout.log");
        found.is_some_and(|file| !file.is_file())
    });
    run.signal(Signal::SIGINT);
    run.await_stderr("halt");
    run.signal(Signal::SIGINT);
    assert_eq!(run.end().code, Some(3));
    repo.expect_no_survivors();
}

/// The first entry with this name below a directory, whatever it is.
fn find_by_name(directory: &std::path::Path, name: &str) -> Option<std::path::PathBuf> {
    let entries = fs::read_dir(directory).ok()?.flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.file_name().is_some_and(|found| found == name) {
            return Some(path);
        }
        if let Some(found) = find_by_name(&path, name) {
            return Some(found);
        }
    }
    None
}

/// R5: a mailbox that is a link is not emptied at its target, and nothing is written through it.
#[test]
fn a_mailbox_that_is_a_link_leads_nowhere() {
    let repo = repo();
    repo.plan(PLAN);
    let precious = repo.path().join("precious");
    fs::create_dir(&precious).expect("made");
    fs::write(precious.join("package.json"), "{}").expect("written");
    let to = precious.display();
    repo.agent(&format!(
        "own=$(dirname \"$AFRESH_RESULT\")\n\
         for name in mail answers checks; do ln -s '{to}' \"$own/$name\"; done\n\
         echo a > a.txt; sleep 0.5"
    ));
    repo.run(&[]).expect(0);
    let left: Vec<_> = fs::read_dir(&precious).expect("there").flatten().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(fs::read_to_string(precious.join("package.json")).expect("kept"), "{}");
}

/// EX-04: a claim that is too long is refused at once, instead of waiting for an answer.
#[test]
fn a_claim_that_is_too_long_to_be_read_is_refused() {
    let repo = repo();
    repo.plan(PLAN);
    repo.agent(
        "echo a > a.txt\n\
         long=$(head -c 20000 /dev/zero | tr '\\0' a)\n\
         afresh step done 1 --deviation \"b.txt: $long\" 2>&1; echo \"ended with $?\"",
    );
    repo.run(&[]).expect(0);
    let output = repo.afresh(&["logs", "T"]).expect(0).stdout;
    assert!(
        output.contains("a note may have 16384 bytes") && output.contains("ended with 2"),
        "{output}"
    );
}

/// R15: a worker's log lines are bounded, however many it sends.
#[test]
fn a_worker_that_floods_the_log_is_cut_off() {
    let repo = repo();
    repo.plan(PLAN);
    repo.agent(
        "own=$(dirname \"$AFRESH_RESULT\"); mkdir \"$own/mail\"; i=1000\n\
         while [ $i -lt 2500 ]; do\n\
         echo '{\"kind\":\"log\",\"level\":\"INFO\",\"event\":\"flood\",\"message\":\"x\"}' \
         > \"$own/mail/$i.json\"; i=$((i+1)); done\n\
         while [ -n \"$(ls \"$own/mail\")\" ]; do sleep 0.1; done\n\
         echo a > a.txt",
    );
    repo.run(&[]).expect(0);
    let log = fs::read_to_string(repo.state().join("activity.log")).expect("the log");
    assert_eq!(log.lines().filter(|line| line.contains("flood")).count(), 999);
    assert!(log.contains("what follows is left out"), "{log}");
}
