//! Files that leave the tree, or break a tool: B01 to B06.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::plans::{help, line_of, message, refused, repo, task};
use crate::support::refusal::refusal;

/// Expects that the path is refused in a task and in a step; the error names task and path, with the place.
#[track_caller]
fn refused_path(path: &str, shown: &str, why: &str) {
    let repo = repo();
    let in_task = task(&json!({"files": [path]}));
    let in_step = task(&json!({"steps": [{"name": "one", "do": "it", "files": [path]}]}));
    for tasks in [[in_task], [in_step]] {
        for error in refused(&repo, &tasks, "bad-path") {
            for part in ["T001", shown, why] {
                assert!(message(&error).contains(part), "{part:?} is not in {error}");
            }
            let start: String = Value::from(path).to_string().chars().take(8).collect();
            assert!(line_of(&repo, &error).contains(&start), "points elsewhere: {error}");
        }
    }
}

/// B01.
#[test]
fn a_path_that_climbs_out_is_refused_with_task_and_path() {
    refused_path("../../etc/x", "../../etc/x", "leaves the repository");
    refused_path("src/../../x", "src/../../x", "leaves the repository");
}

/// B02.
#[test]
fn an_absolute_path_is_refused() {
    refused_path("/etc/passwd", "/etc/passwd", "absolute");
    refused_path("~/.ssh/config", "~/.ssh/config", "absolute");
}

/// B04.
#[test]
fn gits_own_directory_is_refused_in_any_spelling() {
    refused_path(".git/hooks/post-commit", ".git/hooks/post-commit", "git's own");
    refused_path("sub/.GIT/config", "sub/.GIT/config", "git's own");
}

/// B05: printed escaped; `refusal` checks that no control character reaches the terminal.
#[test]
fn line_breaks_nul_and_leading_dashes_are_refused_and_printed_escaped() {
    refused_path("a\nb", "\"a\\nb\"", "control character");
    refused_path("a\u{0}b", "\"a\\0b\"", "control character");
    refused_path("a\u{1b}[2Jb", "\"a\\u{1b}[2Jb\"", "control character");
    refused_path("-rf", "\"-rf\"", "starts with '-'");
    refused_path("src/--output=x", "\"src/--output=x\"", "starts with '-'");
}

/// B06.
#[test]
fn paths_and_components_beyond_the_limit_are_refused_with_the_limit() {
    let deep = "d/".repeat(2048);
    refused_path(&format!("{deep}x"), "\"d/d/", "at most 3072");
    refused_path(&"c".repeat(256), "\"ccc", "at most 255");
}

/// B03 at the plan: files, directories and globs behind a link of the repository are refused before anything is
/// touched.
#[test]
fn a_path_through_a_symbolic_link_is_refused_before_the_run() {
    let repo = repo();
    let outside = repo.path().join("outside");
    std::fs::create_dir(&outside).expect("a directory");
    symlink(&outside, repo.root().join("link")).expect("a link");
    repo.commit("a link that leads out");
    for path in ["link/x.txt", "link/deep/x.txt", "link/", "link/*.txt"] {
        super::plans::write(&repo, &[task(&json!({"files": [path]}))]);
        for file in [super::plans::TOML, super::plans::JSON] {
            let error = refusal(&repo, &["run", file]);
            assert_eq!((&error["kind"], &error["file"]), (&json!("bad-path"), &json!(file)));
            for part in ["T001", path, "\"link\"", "symbolic link"] {
                assert!(message(&error).contains(part), "{part:?} is not in {error}");
            }
            assert!(help(&error).contains("real path"), "{error}");
        }
    }
    assert_eq!(std::fs::read_dir(outside).expect("a directory").count(), 0);
}
