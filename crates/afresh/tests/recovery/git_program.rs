//! A git that is missing, old or broken (F21): detected at the start, with a hint, before anything is touched.

use std::fs;

use crate::support::git::{in_front_of_path, put_git};
use crate::support::{WORKER, expect_landed_once, repo};
use afresh_testkit::repo::finish;
use afresh_testkit::{CommandOutput, TestRepo};

fn ready() -> TestRepo {
    let repo = repo();
    repo.agent(WORKER);
    repo.plan_of(1);
    repo
}

fn run_with_path(repo: &TestRepo, path: &str) -> CommandOutput {
    let mut command = repo.command(&["run", "p.plan.toml"]);
    command.env("PATH", path);
    finish(command)
}

#[track_caller]
fn expect_refused(repo: &TestRepo, ran: CommandOutput, expected: &[&str]) {
    let refused = ran.expect(2);
    for word in expected {
        assert!(refused.stderr.contains(word), "no {word:?} in {}", refused.stderr);
    }
    assert!(!repo.state().exists(), "nothing was written");
}

/// F21.
#[test]
fn without_git_the_run_is_refused_with_a_hint() {
    let repo = ready();
    let empty = repo.path().join("empty");
    fs::create_dir(&empty).expect("a new directory");
    let ran = run_with_path(&repo, &empty.to_string_lossy());
    expect_refused(&repo, ran, &["cannot find git", "hint: install git"]);
}

/// F21.
#[test]
fn an_old_git_is_refused_with_a_hint() {
    let repo = ready();
    let directory = put_git(&repo, "echo git version 2.20.1; exit 0");
    let ran = run_with_path(&repo, &in_front_of_path(&directory));
    expect_refused(&repo, ran, &["it is git 2.20", "hint: install git"]);
}

/// F21.
#[test]
fn something_else_that_is_named_git_is_refused() {
    for (script, expected) in
        [("echo hello; exit 0", "hello"), ("echo broken >&2; exit 3", "broken")]
    {
        let repo = ready();
        let directory = put_git(&repo, script);
        let ran = run_with_path(&repo, &in_front_of_path(&directory));
        expect_refused(&repo, ran, &[expected, "hint: "]);
    }
}

/// F21.
#[test]
fn a_wrapper_that_prints_warnings_is_no_hindrance() {
    let repo = ready();
    let script = "echo 'warning: this git is watched' >&2\n\"$git\" \"$@\"\ncode=$?\n\
                  echo 'fatal: not really' >&2\nexit $code";
    let directory = put_git(&repo, script);
    run_with_path(&repo, &in_front_of_path(&directory)).expect(0);
    expect_landed_once(&repo, 1);
}

/// F21: a repository of another user is refused as git refuses it; one that the user trusts is used. Only root can
/// give files away, so other users cannot test this.
#[test]
fn a_repository_of_another_user_is_refused_until_it_is_trusted() {
    if !nix::unistd::getuid().is_root() {
        return;
    }
    let repo = ready();
    let stranger = Some(nix::unistd::Uid::from_raw(54_321));
    for path in [repo.root(), repo.root().join(".git")] {
        nix::unistd::chown(&path, stranger, None).expect("given away");
    }
    let refused = repo.run(&[]);
    expect_refused(&repo, refused, &["safe.directory", "hint: if you trust it"]);
    let config = repo.path().join("home/.gitconfig");
    let own = fs::read_to_string(&config).expect("text");
    let root = repo.root().canonicalize().expect("a path");
    fs::write(&config, format!("{own}[safe]\ndirectory = {}\n", root.display())).expect("written");
    repo.run(&[]).expect(0);
    expect_landed_once(&repo, 1);
}
