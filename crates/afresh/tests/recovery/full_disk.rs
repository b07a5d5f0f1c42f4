//! Real full disks, each a small file system in memory (D10). Skipped where no file system can be mounted.

use std::process::Command;

use crate::support::{expect_landed_once, repo};
use afresh_testkit::TestRepo;
use afresh_testkit::repo::{CommandOutput, finish};

fn can_mount() -> bool {
    let trial = "mount -t tmpfs -o size=64k tmpfs /mnt";
    let tried = Command::new("unshare").args(["-rm", "sh", "-c", trial]).output();
    tried.is_ok_and(|tried| tried.status.success())
}

/// Runs a script with a file system of 6 MiB in `small`; `fill` and `free` fill it and free it again, `afresh` is the
/// program, and `exits N` compares its exit code.
fn with_small_disk(repo: &TestRepo, script: &str) -> CommandOutput {
    let plain = repo.command(&[]);
    let small = repo.path().join("small");
    std::fs::create_dir_all(&small).expect("a directory");
    let prelude = format!(
        "mount -t tmpfs -o size=6m tmpfs '{small}' || exit 99\n\
         fill() {{ dd if=/dev/zero of='{small}/filler' bs=1k 2> /dev/null; }}\n\
         free() {{ rm '{small}/filler'; }}\n\
         afresh() {{ '{exe}' \"$@\"; echo \"exit $?\"; }}\n",
        small = small.display(),
        exe = plain.get_program().display()
    );
    let mut command = Command::new("unshare");
    command.args(["-rm", "sh", "-c", &format!("{prelude}{script}")]).current_dir(repo.root());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    finish(command)
}

/// A plan of three tasks, the first of which is done before the disk is full.
fn planned() -> TestRepo {
    let repo = repo();
    repo.plan_of(3);
    repo.agent("echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt");
    repo
}

fn exits(ran: &CommandOutput) -> Vec<&str> {
    ran.stdout.lines().filter(|line| line.starts_with("exit ")).collect()
}

/// EX-14, D10: a full cache stops the run once, says where and what to do, and blames no task; with space, `run`
/// continues.
#[test]
fn a_full_cache_pauses_the_run_until_there_is_space() {
    if !can_mount() {
        return;
    }
    let repo = planned();
    let small = repo.path().join("small");
    let script = "export AFRESH_CACHE=\"$PWD/../small/cache\"\n\
        afresh run p.plan.toml --task T001\nfill\n\
        afresh run --no-input; afresh run --no-input; afresh run --no-input; afresh resume --no-input\n\
        free\nafresh run --no-input";
    let ran = with_small_disk(&repo, script);
    assert_eq!(
        exits(&ran),
        ["exit 0", "exit 74", "exit 74", "exit 74", "exit 74", "exit 0"],
        "{ran:?}"
    );
    let says = format!("the disk that holds {}", small.canonicalize().expect("a path").display());
    assert!(ran.stderr.contains(&says), "{ran:?}");
    assert!(ran.stderr.contains("free some space there; then `afresh run` continues"), "{ran:?}");
    assert!(!ran.stderr.contains("question"), "one cause, and no question: {ran:?}");
    expect_landed_once(&repo, 3);
}

/// D10: the same for the state directory: nothing starts, nothing is lost, and the directory is named.
#[test]
fn a_full_state_directory_is_named_and_loses_nothing() {
    if !can_mount() {
        return;
    }
    let repo = planned();
    let script = "export AFRESH_STATE=\"$PWD/../small/state\"\n\
        afresh run p.plan.toml --task T001\nfill\n\
        afresh run --no-input; afresh resume --no-input; afresh halt; afresh status > /dev/null\n\
        free\nafresh run --no-input; afresh status";
    let ran = with_small_disk(&repo, script);
    let wanted = ["exit 0", "exit 74", "exit 74", "exit 74", "exit 0", "exit 0"];
    assert_eq!(exits(&ran), wanted, "{ran:?}");
    assert!(ran.stderr.contains("free some space on the disk that holds "), "{ran:?}");
    assert!(
        !ran.stderr.contains("afresh-tmp, then"),
        "a directory is named, not our file: {ran:?}"
    );
    assert!(ran.stdout.contains("3 done"), "{ran:?}");
}

/// EX-14, RE-03: what a worker or a check prints, or how a worker names its files, is no full disk: its work is rejected.
#[test]
fn words_about_a_full_disk_do_not_stop_a_run() {
    let repo = repo();
    repo.plan("[[task]]\nid = \"T001\"\ntitle = \"a\"\ndo = \"a\"\nfiles = [\"a.txt\"]\nchecks = [\"cat a.txt; false\"]\n");
    repo.agent(
        "words='No space left on device (os error 28)'; echo \"$words\" | tee a.txt; touch \"$words\"",
    );
    let ran = repo.run(&["--on-failure", "skip"]).expect(1);
    assert!(!ran.stderr.contains("free some space"), "{ran:?}");
    assert!(repo.landed().is_empty());
}
