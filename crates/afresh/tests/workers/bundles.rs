//! `afresh bundle`: a worker's bundle, made, checked, listed and removed from outside.

use afresh_core::estimate::tokens::estimate_text;
use std::fs;
use std::path::Path;

use crate::support::{Driver, Gate, repo};
use afresh_testkit::TestRepo;
use serde_json::Value;

const WORKER: &str = "echo \"by $AFRESH_TASK\" > $AFRESH_TASK.txt";

/// A plan whose second task builds on its first, with everything that a bundle can hold.
fn project() -> TestRepo {
    let repo = repo();
    repo.write("README.md", "# Hello\n\nGreets people.\n");
    repo.write("docs/spec.md", "# Greeter\n## Greeting\n- FR-001: greets by name\n");
    repo.commit("a project");
    repo.plan(
        "spec = \"docs/spec.md\"\n\
         [[task]]\nid = \"A\"\ntitle = \"first\"\ndo = \"Does FR-001.\"\nfiles = [\"A.txt\"]\nchecks = [\"true\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"second\"\nneeds = [\"A\"]\ncontext = \"full\"\nfiles = [\"B.txt\"]\nchecks = [\"true\"]\n",
    );
    repo.agent(WORKER);
    repo
}

/// The same with A done and B given up by its worker, so that B has a previous attempt.
fn half_done() -> TestRepo {
    let repo = project();
    repo.agent(&format!("[ $AFRESH_TASK = A ] || exit 3\n{WORKER}"));
    repo.config("[run]\nagent = \"mine\"\nattempts = 1\nbackoff = [\"10ms\"]\n");
    repo.run(&["--no-input"]).expect(4);
    repo
}

fn read(path: &Value) -> String {
    let path = Path::new(path.as_str().expect("a path"));
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// PR-04, ST-06: a bundle can be made before any run; it is the one that the first worker gets.
#[test]
fn a_bundle_of_a_plan_is_what_its_first_worker_gets() {
    let repo = project();
    let untouched = repo.untouched();
    let made = repo.afresh(&["bundle", "generate", "A", "--plan", "p.plan.toml", "--json"]);
    let made = made.expect(0).json();
    assert_eq!(
        (&made["task"], &made["attempt"], &made["fits"]),
        (&"A".into(), &1.into(), &true.into())
    );
    assert_eq!(made["window"], 200_000);
    let prompt = read(&made["prompt"]);
    assert_eq!(made["tokens"], estimate_text(&prompt));
    let printed = repo.afresh(&["bundle", "generate", "A", "--plan", "p.plan.toml", "--prompt"]);
    assert_eq!(printed.expect(0).stdout.trim_end(), prompt.trim_end());
    repo.untouched().expect_same_as(&untouched);
    assert_eq!(repo.git(&["status", "--porcelain", "--untracked-files=all", ".afresh/state"]), "");
    assert_eq!(repo.status()["run"], Value::Null);
    repo.run(&[]).expect(0);
    assert_eq!(repo.prompt("A", 1), prompt);
    // The files that B builds on did not exist yet, and the command reported that.
    let early = repo.afresh(&["bundle", "generate", "B", "--plan", "p.plan.toml"]).expect(0);
    assert!(early.stderr.contains("B waits for A"), "{}", early.stderr);
    assert!(early.stdout.trim().ends_with("bundles/plan/B.1/bundle.json"), "{}", early.stdout);
}

/// PR-04: in a run it is what the next attempt gets: the files that it builds on, read from the branch, and how the
/// previous attempt ended.
#[test]
fn a_bundle_of_a_run_is_what_its_next_attempt_gets() {
    let repo = half_done();
    let bundle = repo.afresh(&["bundle", "generate", "B", "--stdout"]).expect(0).json();
    assert_eq!(bundle["attempt"]["number"], 2);
    assert_eq!(bundle["interfaces"][0]["text"], "by A");
    assert!(!bundle["feedback"].is_null(), "{bundle}");
    let text = repo.afresh(&["bundle", "generate", "B", "--prompt"]).expect(0).stdout;
    repo.agent(WORKER);
    repo.afresh(&["decide", "Q1", "retry"]).expect(0);
    repo.run(&[]).expect(0);
    assert_eq!(repo.prompt("B", 2).trim_end(), text.trim_end());
    let done = repo.afresh(&["bundle", "generate", "B"]).expect(2);
    assert!(done.stderr.contains("B is done") && done.stderr.contains("afresh logs B --prompt"));
    let unknown = repo.afresh(&["bundle", "generate", "C"]).expect(2);
    assert!(unknown.stderr.contains("no task \"C\""), "{}", unknown.stderr);
}

/// ST-06: all tasks that are ready, and no others.
#[test]
fn bundles_of_all_ready_tasks_are_made_at_once() {
    let repo = repo();
    repo.plan_of(3);
    let made = repo.afresh(&["bundle", "generate-ready", "--plan", "p.plan.toml", "--json"]);
    let made = made.expect(0).json();
    let tasks: Vec<&Value> =
        made["bundles"].as_array().expect("bundles").iter().map(|one| &one["task"]).collect();
    assert_eq!(tasks, ["T001", "T002", "T003"]);
    let repo = project();
    let paths =
        repo.afresh(&["bundle", "generate-ready", "--plan", "p.plan.toml"]).expect(0).stdout;
    assert_eq!(paths.lines().count(), 1, "{paths}");
}

/// PR-04: a file that cannot be read as a bundle is reported with the place.
#[test]
fn a_broken_bundle_is_reported_with_its_place() {
    let repo = half_done();
    repo.afresh(&["bundle", "generate", "B"]).expect(0);
    let all = repo.afresh(&["bundle", "validate", "--json"]).expect(0).json();
    assert_eq!(all["bundles"], serde_json::json!(["A.1", "B.1", "B.2"]));
    repo.afresh(&["bundle", "validate", "B"]).expect(0);
    let text = repo.afresh(&["bundle", "generate", "B", "--stdout"]).expect(0).stdout;
    repo.write("bad.json", &text.replace("\"context\": \"full\"", "\"context\": \"huge\""));
    let report = repo.afresh(&["bundle", "validate", "bad.json"]).expect(1).stdout;
    assert!(report.contains("unknown variant `huge`, expected one of `minimal`"), "{report}");
    assert!(report.contains("\"context\": \"huge\""), "{report}");
    assert!(report.contains("bad.json:"), "{report}");
    repo.write("bad.json", &text.replace("\"plan\":", "\"plam\":"));
    let report = repo.afresh(&["bundle", "validate", "bad.json"]).expect(1).stdout;
    assert!(report.contains("missing field `plan`"), "{report}");
    // The schema does not describe the form of an id.
    repo.write("bad.json", &text.replace("\"task\": \"B\"", "\"task\": \"../B\""));
    repo.afresh(&["bundle", "validate", "bad.json"]).expect(1);
    repo.write("bad.json", "{");
    repo.afresh(&["bundle", "validate", "bad.json"]).expect(1);
    let none = repo.afresh(&["bundle", "validate", "no.json", "--json"]).expect(2).json();
    assert_eq!(none["error"]["kind"], "bundle");
}

/// PR-04: each file that has changed since the bundle was made is named: the user's, and those of dependencies on the
/// branch.
#[test]
fn what_a_bundle_was_made_from_is_compared() {
    let repo = half_done();
    repo.afresh(&["bundle", "generate", "B"]).expect(0);
    let same = repo.afresh(&["bundle", "validate-integrity", "B", "--json"]).expect(0).json();
    let sources = same["bundles"][0]["sources"].as_array().expect("sources");
    let paths: Vec<&Value> = sources.iter().map(|source| &source["path"]).collect();
    assert_eq!(paths, ["p.plan.toml", "docs/spec.md", "README.md", "A.txt"], "{same}");
    repo.write("docs/spec.md", "# Another\n");
    fs::remove_file(repo.root().join("README.md")).expect("it was there");
    let output = repo.afresh(&["bundle", "validate-integrity"]).expect(1).stdout;
    for line in [
        "B.2: docs/spec.md has changed since",
        "B.2: README.md is missing",
        "A.1: README.md is missing",
    ] {
        assert!(output.contains(line), "{line:?} is not in:\n{output}");
    }
    assert!(!output.contains("p.plan.toml") && !output.contains("A.txt"), "{output}");
}

/// PR-06, PR-03: the list has the size of each prompt compared with the window, its state, and the project's own
/// template that it was rendered with.
#[test]
fn bundles_are_listed_with_their_size() {
    let repo = project();
    let own = "OWN {{task}} {{files}} {{checks}} {{rules}} {{contract}}\n";
    repo.write(".afresh/templates/worker.md", own);
    repo.commit("a template");
    repo.run(&[]).expect(0);
    let list = repo.afresh(&["bundle", "list", "--json"]).expect(0).json();
    let first = &list["bundles"][0];
    let prompt = repo.prompt("A", 1);
    assert!(prompt.starts_with("OWN A: first"), "{prompt}");
    assert_eq!((&first["task"], &first["state"]), (&"A".into(), &"over".into()));
    assert_eq!(first["tokens"], estimate_text(&prompt));
    assert_eq!(first["window"], 200_000);
    assert_eq!(first["template"]["path"], ".afresh/templates/worker.md");
    let text = repo.afresh(&["bundle", "list"]).expect(0).stdout;
    assert!(text.starts_with("A.1  over") && text.contains("% of 200000"), "{text}");
    assert!(text.contains(".afresh/templates/worker.md "), "{text}");
}

/// ST-06: bundles of ended attempts are removed, and nothing else; running workers and open questions keep theirs.
#[test]
fn only_unneeded_bundles_are_removed() {
    let repo = half_done();
    repo.afresh(&["bundle", "generate", "B"]).expect(0);
    let output = repo.afresh(&["bundle", "clean"]).expect(0).stdout;
    assert_eq!(output, "removed 2 bundles\nkept B.1: a question about its task is open\n");
    let run = repo.status()["run"].as_str().expect("a run").to_owned();
    let first = repo.state().join("attempts").join(&run).join("A.1");
    assert!(!first.join("bundle.json").exists() && !first.join("prompt.md").exists());
    assert!(first.join("stdout.log").exists());
    assert!(!repo.state().join("bundles").join(&run).join("B.2").exists());

    let repo = project();
    let (started, go_on) = (Gate::new(&repo, "started"), Gate::new(&repo, "go-on"));
    repo.agent(&format!("{}\n{}\n{WORKER}", started.opened_by_worker(), go_on.wait()));
    let driver = Driver::run(&repo, &[]);
    repo.wait_until("a worker starts", || started.is_open());
    let report = repo.afresh(&["bundle", "clean", "--json"]).expect(0).json();
    assert_eq!(report["removed"], serde_json::json!([]));
    assert_eq!(report["kept"][0]["why"], "running");
    go_on.open();
    driver.end().expect(0);
}

/// TR-08: a worker is told which existing tests touch its files, from the commit that it starts with; `afresh bundle`
/// shows the same.
#[test]
fn a_bundle_names_the_tests_that_touch_the_files() {
    let repo = repo();
    repo.write("greet.py", "def greet():\n    return 1\n");
    repo.write("tests/test_api.py", "from greet import greet\n");
    repo.write("tests/test_other.py", "import os\n");
    repo.commit("tests");
    repo.write("tests/test_uncommitted.py", "import greet\n");
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"greet.py\"]\nchecks = [\"grep -q 2 greet.py\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"b\"\nneeds = [\"A\"]\nfiles = [\"b.txt\"]\nchecks = [\"test -s b.txt\"]\n",
    );
    let generated = |task: &str| {
        repo.afresh(&["bundle", "generate", task, "--plan", ".", "--prompt"]).expect(0).stdout
    };
    let expected = "## Existing tests that touch these files\n- tests/test_api.py (imports)\n\n";
    assert!(generated("A").contains(expected), "{}", generated("A"));
    repo.agent("[ $AFRESH_TASK = A ] && echo 'def greet(): return 2' > greet.py || echo x > b.txt");
    repo.run(&[]).expect(0);
    assert!(repo.prompt("A", 1).contains(expected), "{}", repo.prompt("A", 1));
    assert!(!repo.prompt("B", 1).contains("Existing tests"), "{}", repo.prompt("B", 1));
}
