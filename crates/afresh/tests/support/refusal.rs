//! What holds for every refused input: one error that names file and hint, as text and as JSON; exit code 2; no panic;
//! bounded memory; nothing touched, nothing left running.
#![allow(dead_code, reason = "every file of stories uses its own part of this")]

use afresh_testkit::repo::finish;
use afresh_testkit::{CommandOutput, TestRepo};
use serde_json::Value;

/// Runs the program in an address space of 256 MiB, which limits its memory as well.
#[track_caller]
pub(crate) fn bounded(repo: &TestRepo, args: &[&str]) -> CommandOutput {
    let inner = repo.command(args);
    let mut outer = std::process::Command::new("sh");
    outer.args(["-c", "ulimit -v 262144 && exec \"$@\"", "sh"]).arg(inner.get_program());
    outer.args(inner.get_args()).current_dir(repo.root()).stdin(std::process::Stdio::null());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => outer.env(name, value),
            None => outer.env_remove(name),
        };
    }
    finish(outer)
}

/// The error that the command refuses with, in both of its forms.
#[track_caller]
pub(crate) fn refusal(repo: &TestRepo, args: &[&str]) -> Value {
    let before = repo.untouched();
    let people = bounded(repo, args).expect(2);
    assert_eq!(people.stdout, "", "data on standard output, though there is none");
    assert!(people.stderr.lines().any(|line| line.starts_with("error")), "{}", people.stderr);
    let raw = people.stderr.chars().find(|c| c.is_control() && *c != '\n');
    assert_eq!(raw, None, "not escaped: {:?}", people.stderr);
    let scripts = bounded(repo, &[args, &["--json"]].concat()).expect(2);
    let error = scripts.json()["error"].clone();
    for key in ["kind", "message", "help", "file", "line", "column"] {
        assert!(error.get(key).is_some(), "no {key:?} in {error}");
    }
    for key in ["message", "help"] {
        let text = error[key].as_str().unwrap_or_default();
        assert!(!text.is_empty(), "no {key} in {error}");
        // People see a cause on its own line.
        for part in text.lines().flat_map(|line| line.split(": ")) {
            assert!(people.stderr.contains(part.trim()), "{part:?} is not in {}", people.stderr);
        }
    }
    for ran in [&people, &scripts] {
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    }
    repo.untouched().expect_same_as(&before);
    assert!(!repo.state().exists(), "state was written for a run that never was");
    repo.expect_no_survivors();
    error
}
