//! The action for hosted CI: its steps, run in a shell with the variables that a hosted runner sets.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use afresh_testkit::repo::finish;
use afresh_testkit::{CommandOutput, TestRepo};

use super::{BRANCH, finished, prepared};

/// One step of the action.
#[derive(Debug, Default)]
struct ActionStep {
    name: String,
    /// As written, such as `inputs.command == 'lint'`.
    condition: String,
    env: Vec<(String, String)>,
    script: String,
}

/// Reads the steps, line by line: their layout is ours.
fn steps() -> Vec<ActionStep> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../action.yml");
    let text = fs::read_to_string(file).expect("the action");
    let (_, text) = text.split_once("\n  steps:\n").expect("steps");
    let mut steps: Vec<ActionStep> = Vec::new();
    let mut section = "";
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("    - name: ") {
            steps.push(ActionStep { name: name.to_owned(), ..ActionStep::default() });
            section = "";
            continue;
        }
        let step = steps.last_mut().expect("a step has begun");
        if let Some(condition) = line.strip_prefix("      if: ") {
            condition.clone_into(&mut step.condition);
        } else if line == "      env:" || line == "      run: |" {
            section = line.trim();
        } else if let (Some(line), "run: |") = (line.strip_prefix("        "), section) {
            step.script.push_str(line);
            step.script.push('\n');
        } else if let (Some((name, value)), "env:") = (line.trim().split_once(": "), section) {
            step.env.push((name.to_owned(), value.to_owned()));
        } else {
            let known = ["      id: lint", "      shell: bash", ""];
            assert!(known.contains(&line), "unexpected in action.yml: {line:?}");
            step.script.push_str(if line.is_empty() { "\n" } else { "" });
        }
    }
    steps
}

/// The files that a hosted runner provides.
struct HostedRunner {
    directory: PathBuf,
    inputs: BTreeMap<&'static str, String>,
}

impl HostedRunner {
    fn new(repo: &TestRepo, inputs: &[(&'static str, &str)]) -> Self {
        let directory = repo.path().join("runner");
        fs::create_dir_all(&directory).expect("a directory");
        for file in ["output", "path", "summary"] {
            fs::write(directory.join(file), "").expect("written");
        }
        let defaults = [
            ("remote", "origin"),
            ("plans", "*.plan.toml *.plan.json"),
            ("sarif", "afresh-sarif"),
            ("require-signed", "false"),
            ("allowed-signers", ""),
            ("rerun", "false"),
        ];
        let own = inputs.iter().map(|(name, value)| (*name, (*value).to_owned()));
        let defaults = defaults.iter().map(|(name, value)| (*name, (*value).to_owned()));
        Self { directory, inputs: defaults.chain(own).collect() }
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.directory.join(name)).expect("a file of the runner")
    }

    /// Runs the steps whose condition holds, until one fails.
    fn run(&self, repo: &TestRepo, checkout: &Path) -> CommandOutput {
        let mut last = None;
        for step in steps() {
            if !self.holds(&step.condition) {
                continue;
            }
            let mut command = Command::new("bash");
            command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &step.script]);
            // The environment of a program of this test, in the checkout of the runner.
            for (name, value) in repo.command(&[]).get_envs() {
                match value {
                    Some(value) => command.env(name, value),
                    None => command.env_remove(name),
                };
            }
            let program = Path::new(env!("CARGO_BIN_EXE_afresh")).parent().expect("a directory");
            let path = std::env::var("PATH").expect("a PATH");
            command.env("PATH", format!("{}:{path}", program.display())).current_dir(checkout);
            for (variable, file) in [
                ("GITHUB_OUTPUT", "output"),
                ("GITHUB_PATH", "path"),
                ("GITHUB_STEP_SUMMARY", "summary"),
            ] {
                command.env(variable, self.directory.join(file));
            }
            command.env("RUNNER_TEMP", &self.directory).env("GITHUB_ACTION_PATH", "/nonexistent");
            for (name, value) in &step.env {
                command.env(name, self.expand(value));
            }
            let ended = finish(command);
            let failed = ended.code != Some(0);
            last = Some(ended);
            if failed {
                break;
            }
        }
        last.expect("a step ran")
    }

    fn holds(&self, condition: &str) -> bool {
        let Some((name, value)) = condition.split_once(" == ") else { return true };
        let name = name.strip_prefix("inputs.").expect("a condition about an input");
        self.inputs[name] == value.trim_matches('\'')
    }

    fn expand(&self, value: &str) -> String {
        let name = value.strip_prefix("${{ inputs.").and_then(|rest| rest.strip_suffix(" }}"));
        self.inputs[name.expect("a variable from an input")].clone()
    }
}

/// A clone as a hosted runner makes it: one commit, without notes.
fn checkout_of(repo: &TestRepo, branch: &str) -> PathBuf {
    let target = repo.path().join("checkout");
    let source = format!("file://{}", repo.root().display());
    let path = target.to_str().expect("a path");
    repo.git(&[
        "clone",
        "-q",
        "--depth",
        "1",
        "--no-single-branch",
        "--branch",
        branch,
        &source,
        path,
    ]);
    target
}

/// TR-06: the steps are found, and each belongs to one use.
#[test]
fn the_action_has_two_uses() {
    let steps = steps();
    let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, ["Install", "Lint", "Verify"]);
    assert_eq!(steps[2].condition, "inputs.command == 'verify-run'");
    assert_eq!((steps[1].env.len(), steps[2].env.len()), (4, 6));
}

/// TR-06: as a required check, it fetches history and receipts, passes a run, and fails what is not covered.
#[test]
fn verify_run_is_a_required_check() {
    let repo = finished(2);
    let checkout = checkout_of(&repo, BRANCH);
    let (base, head) = (repo.git(&["rev-parse", "main"]), repo.git(&["rev-parse", BRANCH]));
    let inputs = [("command", "verify-run"), ("base", base.as_str()), ("head", head.as_str())];
    let runner = HostedRunner::new(&repo, &inputs);
    let passed = runner.run(&repo, &checkout).expect(0);
    assert!(passed.stderr.contains("2 of 2 commits"), "{passed:?}");
    assert!(runner.file("summary").contains("T002"), "{}", runner.file("summary"));
    assert_eq!(runner.file("path"), "", "it is installed already");
    let with = |more: (&'static str, &str)| {
        let inputs = [&inputs[..], &[more]].concat();
        HostedRunner::new(&repo, &inputs).run(&repo, &checkout)
    };
    with(("rerun", "true")).expect(0);
    let unsigned = with(("require-signed", "true")).expect(1);
    assert!(unsigned.stdout.contains("its receipt is not signed"), "{unsigned:?}");
    // Somebody pushed a commit of their own.
    repo.git(&["switch", "-q", BRANCH]);
    repo.write("mine.txt", "mine\n");
    repo.commit("mine");
    let head = repo.git(&["rev-parse", BRANCH]);
    repo.git(&["-C", checkout.to_str().expect("a path"), "fetch", "-q", "origin"]);
    let failed = with(("head", &head)).expect(1);
    assert!(failed.stdout.contains("afresh did not make this commit"), "{failed:?}");
    assert!(runner.file("summary").contains("afresh did not make this commit"));
}

/// TR-06: keys are trusted as the base has them; a pull request cannot add its own.
#[test]
fn a_pull_request_cannot_add_a_trusted_key() {
    let repo = finished(1);
    let base = repo.git(&["rev-parse", "main"]);
    repo.git(&["switch", "-q", BRANCH]);
    repo.write("signers", "me@example.org ssh-ed25519 AAAA\n");
    repo.commit("trust me");
    let head = repo.git(&["rev-parse", BRANCH]);
    let checkout = checkout_of(&repo, BRANCH);
    let configured = || {
        let git = Command::new("git")
            .args(["config", "gpg.ssh.allowedSignersFile"])
            .current_dir(&checkout)
            .output()
            .expect("git starts");
        String::from_utf8_lossy(&git.stdout).trim().to_owned()
    };
    let run = |base: &str| {
        let inputs = [
            ("command", "verify-run"),
            ("base", base),
            ("head", head.as_str()),
            ("allowed-signers", "signers"),
        ];
        HostedRunner::new(&repo, &inputs).run(&repo, &checkout)
    };
    let refused = run(&base).expect(2);
    assert!(refused.stdout.contains("has no signers, so no key is trusted"), "{refused:?}");
    assert_eq!(configured(), "");
    run(&head).expect(2);
    let file = configured();
    assert!(file.ends_with("afresh-allowed-signers"), "{file}");
    assert!(fs::read_to_string(file).expect("the keys").starts_with("me@example.org"));
}

/// TR-06: a repository without receipts fails with a warning that says what to push.
#[test]
fn missing_receipts_are_a_warning_and_a_failure() {
    let repo = finished(1);
    repo.git(&["update-ref", "-d", "refs/notes/afresh"]);
    let checkout = checkout_of(&repo, BRANCH);
    let inputs = [("command", "verify-run"), ("base", ""), ("head", "HEAD")];
    let ended = HostedRunner::new(&repo, &inputs).run(&repo, &checkout).expect(1);
    assert!(ended.stdout.contains("::warning::origin has no receipts"), "{ended:?}");
    assert!(ended.stdout.contains("it has no note"), "{ended:?}");
}

/// TR-06: plans that a pull request touches are linted, each into a SARIF file; other pull requests pass.
#[test]
fn touched_plans_are_linted() {
    let repo = prepared(1);
    let base = repo.git(&["rev-parse", "HEAD"]);
    repo.write("src.txt", "no plan\n");
    repo.commit("no plan");
    let run = |base: &str| {
        let head = repo.git(&["rev-parse", "HEAD"]);
        let inputs = [("command", "lint"), ("base", base), ("head", head.as_str())];
        let runner = HostedRunner::new(&repo, &inputs);
        (runner.run(&repo, &repo.root()), runner.file("output"))
    };
    let (ended, outputs) = run(&base);
    assert!(ended.expect(0).stdout.contains("no plan was touched"));
    assert_eq!(outputs, "");
    repo.write(
        "a b.plan.toml",
        "version = 1\nname = \"x\"\n[[task]]\nid = \"T1\"\ntitle = \"t\"\nneeds = [\"T9\"]\n",
    );
    repo.commit("a plan with a mistake");
    let (ended, outputs) = run(&base);
    assert!(matches!(ended.code, Some(1 | 2)), "{ended:?}");
    assert_eq!(outputs, "sarif=afresh-sarif\n");
    let sarif = fs::read_to_string(repo.root().join("afresh-sarif/0.sarif")).expect("written");
    let sarif: serde_json::Value = serde_json::from_str(&sarif).expect("JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("results");
    assert!(!results.is_empty(), "{sarif}");
    assert!(!repo.root().join("afresh-sarif/1.sarif").exists(), "p.plan.toml was not touched");
    // Without a base, every plan.
    let (ended, _) = run("");
    assert!(matches!(ended.code, Some(1 | 2)), "{ended:?}");
    assert!(repo.root().join("afresh-sarif/1.sarif").exists());
}
