//! The git that is there, or is not (F21): found out at the start, with a hint, before anything is
//! touched.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use afresh_testkit::repo::finish;
use afresh_testkit::{Ran, TestRepo};
use support::{WORKER, expect_landed_once, repo};

fn ready() -> TestRepo {
    let repo = repo();
    repo.agent(WORKER);
    repo.plan_of(1);
    repo
}

/// A directory with a `git` that is this script.
fn wrapper(repo: &TestRepo, script: &str) -> String {
    let directory = repo.path().join("bin");
    fs::create_dir_all(&directory).expect("a new directory");
    let path = directory.join("git");
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    directory.display().to_string()
}

fn real_git() -> PathBuf {
    let path = std::env::var_os("PATH").expect("a PATH");
    let mut places = std::env::split_paths(&path).map(|directory| directory.join("git"));
    places.find(|place| place.is_file()).expect("git is on the PATH")
}

fn run_with_path(repo: &TestRepo, path: &str) -> Ran {
    let mut command = repo.command(&["run", "p.plan.toml"]);
    command.env("PATH", path);
    finish(command)
}

fn in_front(directory: &str) -> String {
    format!("{directory}:{}", std::env::var("PATH").expect("a PATH"))
}

#[track_caller]
fn expect_refused(repo: &TestRepo, ran: Ran, words: &[&str]) {
    let refused = ran.expect(2);
    for word in words {
        assert!(refused.stderr.contains(word), "no {word:?} in {}", refused.stderr);
    }
    assert!(!repo.state().exists(), "nothing was written");
}

#[test]
fn f21_without_git_the_run_is_refused_with_a_hint() {
    let repo = ready();
    let empty = repo.path().join("empty");
    fs::create_dir(&empty).expect("a new directory");
    let ran = run_with_path(&repo, &empty.to_string_lossy());
    expect_refused(&repo, ran, &["cannot find git", "hint: install git"]);
}

#[test]
fn f21_an_old_git_is_refused_with_a_hint() {
    let repo = ready();
    let directory = wrapper(&repo, "echo git version 2.20.1");
    let ran = run_with_path(&repo, &in_front(&directory));
    expect_refused(&repo, ran, &["it is git 2.20", "hint: install git"]);
}

#[test]
fn f21_something_else_that_is_named_git_is_refused() {
    for (script, words) in [("echo hello", "hello"), ("echo broken >&2; exit 3", "broken")] {
        let repo = ready();
        let directory = wrapper(&repo, script);
        let ran = run_with_path(&repo, &in_front(&directory));
        expect_refused(&repo, ran, &[words, "hint: "]);
    }
}

#[test]
fn f21_a_wrapper_that_prints_warnings_is_no_hindrance() {
    let repo = ready();
    let script = format!(
        "echo 'warning: this git is watched' >&2\n'{}' \"$@\"\ncode=$?\n\
         echo 'fatal: not really' >&2\nexit $code",
        real_git().display()
    );
    let directory = wrapper(&repo, &script);
    run_with_path(&repo, &in_front(&directory)).expect(0);
    expect_landed_once(&repo, 1);
}

/// A repository of somebody else is refused as git refuses it; what the user trusts is used.
/// Only root can give files away, so there is nothing to see for others.
#[test]
fn f21_a_repository_of_somebody_else_is_refused_until_it_is_trusted() {
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
