//! Portable proof: receipts as git notes, and `afresh verify-run`.
//!
//! | module | what it tests |
//! | --- | --- |
//! | [`action`] | the action for hosted CI |
//! | [`landing`] | receipts of a run that landed, and in a patch |
//! | [`notes`] | the notes that a run writes, whatever else happens to them |
//! | [`signing`] | signatures of ssh-keygen and gpg |
//! | [`verifying`] | what `afresh verify-run` finds |

#[path = "../support/mod.rs"]
mod support;

mod action;
mod landing;
mod notes;
mod signing;
mod verifying;

use afresh_testkit::TestRepo;
use serde_json::Value;

use support::{WORKER, repo, run_section};

/// A repository with a finished run of so many tasks, one after the other.
fn finished(tasks: usize) -> TestRepo {
    let repo = prepared(tasks);
    repo.run(&["--parallel", "1"]).expect(0);
    repo
}

/// The same before the run.
fn prepared(tasks: usize) -> TestRepo {
    let repo = repo();
    repo.plan_of(tasks);
    repo.agent(WORKER.strip_prefix("sleep 0.1; ").expect("it begins with a pause"));
    // Each commit has a receipt of its own, however quickly the workers finish.
    repo.config(&format!("{}[merge]\nbatch = 1\n", run_section("")));
    repo.commit("a plan");
    repo
}

const BRANCH: &str = "afresh/test-1";

/// The note of a commit.
fn note_of(repo: &TestRepo, commit: &str) -> String {
    repo.git(&["notes", "--ref=afresh", "show", commit])
}

/// Replaces the note of a commit, as anybody can who can push to the repository.
fn put_note(repo: &TestRepo, commit: &str, text: &str) {
    repo.write("../note.txt", text);
    let file = repo.path().join("note.txt");
    let file = file.to_str().expect("a path");
    repo.git(&["notes", "--ref=afresh", "add", "-f", "-F", file, commit]);
}

/// `verify-run --json` with more arguments, which must exit with 0 or 1 as `ok` says.
#[track_caller]
fn verify(repo: &TestRepo, more: &[&str]) -> Value {
    let args: Vec<&str> = ["verify-run", "--json"].iter().chain(more).copied().collect();
    let ran = repo.afresh(&args);
    let json = ran.json();
    assert_eq!(ran.code, Some(i32::from(json["ok"] != true)), "{json}");
    json
}

/// The problems of all commits, the oldest first; `-` where there is none.
#[track_caller]
fn problems(repo: &TestRepo, more: &[&str]) -> Vec<String> {
    let json = verify(repo, more);
    let commits = json["commits"].as_array().expect("commits");
    commits.iter().map(|it| it["problem"].as_str().unwrap_or("-").to_owned()).collect()
}
