//! `afresh trace`: requirement, task, check, commit, and back (TR-05).

use afresh_testkit::TestRepo;
use serde_json::{Value, json};

use crate::support::plain::without_chance;
use crate::support::repo;

const SPEC: &str = "# Notes\n\n## Requirements\n\n\
    - **FR-001**: A note can be added.\n\
    - **FR-002**: A note can be removed.\n\
    - **FR-003**: A note can be <b>found</b> | \u{1b}[2J.\n\
    - **FR-004**: Notes have a licence.\n\n\
    ## Out of scope\n\n- **FR-009**: Notes are shared.\n";

const PLAN: &str = r#"
spec = "spec.md"
[[task]]
id = "T001"
title = "Add"
files = ["add.txt"]
checks = ["test -s add.txt", "test -d ."]
requirements = ["FR-001"]
[[task]]
id = "T002"
title = "Remove"
needs = ["T001"]
files = ["rm.txt"]
checks = ["test -s rm.txt"]
requirements = ["FR-001", "FR-002"]
[[task]]
id = "T003"
title = "Licence"
files = ["LICENSE"]
checks = ["test -d ."]
requirements = ["FR-004"]
[[task]]
id = "T004"
title = "Tidy"
files = ["tidy.txt"]
checks = ["test -s tidy.txt"]
"#;

/// Does everything but the last task.
const WORKER: &str = "case $AFRESH_TASK in T001) echo x > add.txt;; T002) echo x > rm.txt;; \
    T003) echo x > LICENSE;; T004) exit 1;; esac";

fn traced_repo() -> TestRepo {
    let repo = repo();
    repo.write("spec.md", SPEC);
    repo.commit("a specification");
    repo.plan(PLAN);
    repo
}

/// The states of the requirements, in the order in which they are shown.
fn states(trace: &Value) -> Vec<String> {
    let all = trace["requirements"].as_array().into_iter().flatten();
    let state = |one: &Value| {
        format!("{} {}", one["id"].as_str().unwrap_or("?"), one["state"].as_str().unwrap_or("?"))
    };
    all.map(state).collect()
}

fn trace(repo: &TestRepo, more: &[&str]) -> Value {
    repo.afresh(&[&["trace", "--json"], more].concat()).expect(0).json()
}

/// TR-05: before any run, a plan covers its requirements or not, and nothing is written.
#[test]
fn a_plan_is_traced_before_it_runs() {
    let repo = traced_repo();
    let before = repo.untouched();
    let found = trace(&repo, &["--plan", "p.plan.toml"]);
    assert_eq!(
        states(&found),
        [
            "FR-003 uncovered",
            "FR-001 covered",
            "FR-002 covered",
            "FR-004 covered",
            "FR-009 out-of-scope"
        ]
    );
    assert_eq!((&found["run"], &found["orphans"]), (&Value::Null, &json!(["T004"])));
    assert_eq!(trace(&repo, &[]), found);
    repo.afresh(&["trace", "--check"]).expect(1);
    repo.afresh(&["trace", "FR-001", "--check"]).expect(0);
    repo.afresh(&["trace", "FR-001", "--check=proved"]).expect(1);
    repo.untouched().expect_same_as(&before);
}

/// TR-05: what landed proves requirements, with the commit and the tree that the checks ran on.
#[test]
fn a_run_proves_requirements() {
    let repo = traced_repo();
    repo.agent(WORKER);
    repo.run(&["--on-failure", "skip"]).expect(1);
    let found = trace(&repo, &[]);
    assert_eq!(
        states(&found),
        [
            "FR-003 uncovered",
            "FR-004 partial",
            "FR-001 proved",
            "FR-002 proved",
            "FR-009 out-of-scope"
        ]
    );
    let proved = &found["requirements"][2];
    assert_eq!(proved["tasks"], json!(["T001", "T002"]));
    let checks = proved["checks"].as_array().expect("checks");
    let commands: Vec<&str> = checks.iter().filter_map(|check| check["command"].as_str()).collect();
    assert_eq!(commands, ["test -s add.txt", "test -d .", "test -s rm.txt"]);
    let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
    let log = repo.git(&[
        "log",
        "--first-parent",
        "--format=%H %T%n%H %(trailers:key=Afresh-Checked-Tree,valueonly)",
        &branch,
    ]);
    for check in checks {
        assert_eq!(check["exit"], 0);
        let landed = format!(
            "{} {}",
            check["commit"].as_str().expect("a commit"),
            check["tree"].as_str().expect("a tree")
        );
        assert!(log.lines().any(|line| line == landed), "{landed} is not in {log}");
    }
    let told = |at: usize, field: &str| checks[at][field].clone();
    assert_eq!((told(0, "class"), told(1, "class")), (json!("red"), json!("vacuous")));
    assert_eq!((told(0, "proves"), told(1, "proves")), (json!(true), json!(false)));
    repo.afresh(&["trace", "--check"]).expect(1);
    repo.afresh(&["trace", "fr-001", "--check=proved"]).expect(0);
    let report: Value = repo.afresh(&["report", "--json"]).expect(0).json();
    assert_eq!(report["requirements"]["counts"]["proved"], 2);
    let gaps = report["requirements"]["gaps"].as_array().map(Vec::len);
    assert_eq!(gaps, Some(2));
    let page = repo.afresh(&["report"]).expect(0).stdout;
    assert!(page.contains("## Requirements\n\n5 requirements: 1 uncovered, 1 partial, 2 proved"));
}

/// TR-05: both directions, as text and as Markdown, safe to print whatever a document says.
#[test]
fn a_trace_is_printed_for_people() {
    let repo = traced_repo();
    repo.agent(WORKER);
    repo.run(&["--on-failure", "skip"]).expect(1);
    let show = |args: &[&str]| {
        let shown = repo.afresh(&[&["trace"], args].concat()).expect(0).stdout;
        assert!(!shown.contains('\u{1b}'), "{shown:?}");
        without_chance(&shown)
    };
    insta::assert_snapshot!("trace", show(&[]));
    insta::assert_snapshot!("trace_requirement", show(&["FR-001"]));
    insta::assert_snapshot!("trace_task", show(&["T003"]));
    insta::assert_snapshot!("trace_markdown", show(&["--markdown"]));
}

/// TR-05: a requirement that says something else now is not what was built.
#[test]
fn a_changed_specification_is_stale() {
    let repo = traced_repo();
    repo.agent("echo x > $(case $AFRESH_TASK in T001) echo add.txt;; T002) echo rm.txt;; T003) echo LICENSE;; *) echo tidy.txt;; esac)");
    repo.run(&[]).expect(0);
    repo.write("spec.md", &SPEC.replace("can be removed", "can be removed twice"));
    let found = trace(&repo, &["FR-002"]);
    assert_eq!(states(&found), ["FR-002 stale"]);
    assert_eq!(found["requirements"][0]["reason"], "its text changed since T002 was done");
    // Reformatted is not changed.
    repo.write("spec.md", &SPEC.replace("A note can be removed.", "A note\n  can be removed."));
    assert_eq!(states(&trace(&repo, &["FR-002"])), ["FR-002 proved"]);
}

/// TR-05: an id that does not exist is an error with the nearest one.
#[test]
fn an_unknown_id_is_refused() {
    let repo = traced_repo();
    let refused = repo.afresh(&["trace", "FR-01"]).expect(2);
    assert!(refused.stderr.contains("did you mean \"FR-001\"?"), "{refused:?}");
    let refused = repo.afresh(&["trace", "FR-001", "--task"]).expect(2);
    assert!(refused.stderr.contains("there is no task \"FR-001\""), "{refused:?}");
    let refused = repo.afresh(&["trace", "--run", "nothing"]).expect(2);
    assert!(refused.stderr.contains("no run"), "{refused:?}");
}

/// TR-05: a plan without requirements is no error, and so is one outside of any repository.
#[test]
fn a_plan_without_requirements_has_an_empty_trace() {
    let repo = repo();
    repo.plan_of(1);
    let found = trace(&repo, &["--check"]);
    assert_eq!((&found["requirements"], &found["orphans"]), (&json!([]), &json!([])));
    let shown = repo.afresh(&["trace"]).expect(0).stdout;
    assert!(shown.contains("its documents state no requirements"), "{shown}");
    assert!(shown.contains("`spec = \"FILE\"`"), "what to do about it: {shown}");
}

/// TR-05: where a task and a requirement have the same id, both can be asked for.
#[test]
fn a_task_and_a_requirement_may_have_the_same_id() {
    let repo = repo();
    repo.write(".kiro/specs/n/requirements.md", "# Requirements\n\n### Requirement 1: Store\n\n#### Acceptance Criteria\n\n1. WHEN a note is saved THEN it SHALL be kept\n2. WHEN it is lost THEN it SHALL be found\n");
    repo.write(".kiro/specs/n/design.md", "# Design\n");
    repo.write(".kiro/specs/n/tasks.md", "# Plan\n\n- [ ] 1. Store\n- [ ] 1.1 Save\n  - _Requirements: 1.2_\n- [ ] 1.2 Keep\n  - _Requirements: 1.1_\n");
    let plan = ["--plan", ".kiro/specs/n"];
    let shown = repo.afresh(&[&["trace", "1.1"], &plan[..]].concat()).expect(0);
    assert!(shown.stderr.contains("1.1 is a task too"), "{shown:?}");
    assert!(shown.stdout.starts_with("1.1 is covered"), "{shown:?}");
    let task = repo.afresh(&[&["trace", "1.1", "--task"], &plan[..]].concat()).expect(0).stdout;
    assert!(task.contains("1.2  WHEN it is lost"), "{task}");
}

/// TR-05: where no requirement is stated, nothing is proved, and asking for it is an error.
#[test]
fn a_proof_of_nothing_is_an_error() {
    let repo = repo();
    repo.plan_of(1);
    let ran = repo.afresh(&["trace", "--check=proved", "--json"]).expect(2).json();
    assert_eq!(ran["error"]["kind"], "no-requirements", "{ran}");
}
