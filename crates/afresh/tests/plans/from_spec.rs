//! From a specification to a plan, and from there to done: `afresh audit`, `afresh plan`, `afresh run SPEC`.

use std::fs;

use afresh_testkit::TestRepo;
use serde_json::Value;

use crate::support::repo;

const SPEC: &str = "# Greeter\n\n## Behaviour\n\n- `greet` writes the name to greeting.txt\n\
    - Without a name it must write world\n\n## Out of scope\n\n- Other languages\n";

/// A plan that is right.
const GOOD: &str = r#"version = 1
name = "greet"
spec = "spec.md"
[[task]]
id = "T001"
title = "Greet"
requirements = ["S1", "S2"]
files = [{ path = "greeting.txt", action = "create" }]
do = "Write greeting.txt."
checks = ["test -s greeting.txt"]
"#;

/// A repository with a specification, and a planner that writes `first`, and then a plan that is right.
fn planned(first: &str) -> TestRepo {
    let repo = repo();
    repo.config("[plan]\nacceptance = \"plan\"\n");
    repo.write("greet.md", SPEC);
    repo.commit("a specification");
    fs::write(repo.path().join("first"), first).expect("written");
    fs::write(repo.path().join("good"), GOOD).expect("written");
    let place = repo.path().display().to_string();
    repo.agent(&format!(
        "to=.afresh/plans/greet/greet.plan.toml\n\
         case $AFRESH_TASK.$AFRESH_ATTEMPT in\n\
         plan.1) cat '{place}/first' > $to; test -s $to || rm $to;;\n\
         plan.*) cat '{place}/good' > $to;;\n\
         *) echo world > greeting.txt;;\n\
         esac"
    ));
    repo
}

/// The findings that the second planner was given.
fn told(repo: &TestRepo) -> String {
    let prompt = repo.prompt("plan", 2);
    let (_, rest) = prompt.split_once("## The previous attempt was rejected").expect("feedback");
    rest.to_owned()
}

/// PL-01, PL-02, PL-10, PL-13, PL-15: a specification becomes a plan, the plan runs, and every statement is proved.
#[test]
fn a_specification_is_planned_run_and_proved() {
    let repo = planned(GOOD);
    let before = repo.untouched();
    let ran = repo.afresh(&["run", "greet.md", "--yes"]).expect(0);
    assert!(ran.stderr.contains("one planner writes the whole plan"), "{}", ran.stderr);
    assert_eq!(repo.landed(), ["T001"]);
    assert_eq!(repo.on_branch("greeting.txt").as_deref(), Some("world\n"));
    let trace = repo.afresh(&["trace", "--json"]).expect(0).json();
    let state = |at: usize| {
        format!("{} {}", trace["requirements"][at]["id"], trace["requirements"][at]["state"])
    };
    let states: Vec<String> = (0..3).map(state).collect();
    assert_eq!(states, ["\"S1\" \"proved\"", "\"S2\" \"proved\"", "\"S3\" \"out-of-scope\""]);
    let stored = fs::read(repo.root().join(".afresh/plans/greet/spec.md")).expect("stored");
    assert_eq!(stored, SPEC.as_bytes(), "byte for byte");
    fs::remove_dir_all(repo.root().join(".afresh/plans")).expect("removed");
    assert_eq!(repo.untouched(), before, "only the plan's directory is new");
    repo.expect_no_survivors();
}

/// PL-09, PL-15, PL-16: what a planner gets wrong is told to a fresh one, with the rule and the place.
#[test]
fn a_plan_that_is_wrong_is_corrected_by_a_fresh_planner() {
    let cases = [
        ("", "Write .afresh/plans/greet/greet.plan.toml with your file tool"),
        ("version = 1\n[[task]\n", "error[syntax]"),
        (
            &GOOD.replace("\"S1\", \"S2\"", "\"S1\""),
            "error[uncovered-statement]: no task serves S2",
        ),
        (&GOOD.replace("\"S2\"]", "\"S2\", \"S3\"]"), "error[leaks-scope]"),
        (&GOOD.replace("test -s greeting.txt", "test -f greet.md"), "error[vacuous-check]"),
        (
            &GOOD.replace("test -s greeting.txt", "no-such-program greeting.txt"),
            "error[unrunnable-check]",
        ),
        (&GOOD.replace("action = \"create\"", "action = \"modify\""), "error[missing-file]"),
        (
            &GOOD.replace("Write greeting.txt.", "Write a simplified greeting for now."),
            "error[shrinks-statement]",
        ),
        (
            &GOOD.replace("title = \"Greet\"", "title = \"Greet\"\nneeds = [\"T001\"]"),
            "error[cycle]",
        ),
    ];
    for (first, expected) in cases {
        let repo = planned(first);
        repo.afresh(&["plan", "greet.md", "--yes"]).expect(0);
        let told = told(&repo);
        assert!(told.contains(expected), "{expected}\n{told}");
        let plan = fs::read_to_string(repo.root().join(".afresh/plans/greet/greet.plan.toml"));
        assert_eq!(plan.expect("a plan"), GOOD);
    }
}

/// PL-09: attempts are bounded, and then a person is asked; nothing invalid is copied.
#[test]
fn a_planner_that_never_succeeds_ends_with_a_question() {
    let repo = planned("nonsense");
    repo.agent("echo nonsense > .afresh/plans/greet/greet.plan.toml");
    let ran = repo.afresh(&["plan", "greet.md", "--yes", "--json"]).expect(4);
    assert!(ran.stderr.contains("the same command continues it"), "{}", ran.stderr);
    assert!(!repo.root().join(".afresh/plans/greet/greet.plan.toml").exists());
    let questions = repo.afresh(&["questions", "--json"]).expect(0).json();
    assert_eq!(questions.as_array().map(Vec::len), Some(1), "{questions}");
}

/// PL-01, R1: a planner that was killed with afresh is not paid for twice: what it finished stays, and planning goes on.
#[test]
fn a_killed_planning_run_continues() {
    let repo = planned(GOOD);
    let flag = repo.path().join("started");
    repo.agent(&format!(
        "test $AFRESH_ATTEMPT = 1 && {{ touch '{}'; sleep 600; }}\n\
         cat '{}' > .afresh/plans/greet/greet.plan.toml",
        flag.display(),
        repo.path().join("good").display()
    ));
    let mut first = repo.spawn(&["plan", "greet.md", "--yes"]);
    repo.wait_until("the planner starts", || flag.exists());
    first.kill().expect("killed");
    first.wait().expect("ended");
    repo.afresh(&["plan", "greet.md", "--yes"]).expect(0);
    let runs = repo.afresh(&["runs", "--json"]).expect(0).json();
    assert_eq!(runs.as_array().map(Vec::len), Some(1), "{runs}");
    // Once more: nothing is left to do, and nobody is started.
    let before =
        fs::read_dir(repo.state().join("attempts/planning-greet-1")).expect("attempts").count();
    repo.afresh(&["plan", "greet.md", "--yes"]).expect(0);
    let after =
        fs::read_dir(repo.state().join("attempts/planning-greet-1")).expect("attempts").count();
    assert_eq!(before, after);
    repo.expect_no_survivors();
}

/// PL-14: a stored specification is never replaced silently, and `-` is standard input.
#[test]
fn a_stored_specification_is_not_replaced_silently() {
    let repo = planned(GOOD);
    repo.afresh(&["plan", "greet.md", "--yes"]).expect(0);
    repo.write("greet.md", &SPEC.replace("world", "everybody"));
    let ran = repo.afresh(&["plan", "greet.md", "--yes"]).expect(2);
    assert!(
        ran.stderr.contains("another version") && ran.stderr.contains("--update"),
        "{}",
        ran.stderr
    );
    let listed = repo.afresh(&["plan"]).expect(2);
    assert!(listed.stderr.contains("no specification was found"), "{}", listed.stderr);
    repo.write("docs/greet-spec.md", SPEC);
    let listed = repo.afresh(&["plan", "--json"]).expect(0).json();
    assert_eq!(listed["specifications"][0]["path"], "docs/greet-spec.md");
}

/// AU-05: a small specification in a project with tests is one task for one worker, without a planner.
#[test]
fn a_small_specification_runs_without_a_planner() {
    let repo = planned(GOOD);
    repo.config("[checks]\nalways = [\"true\"]\n[plan]\nacceptance = \"plan\"\n");
    repo.commit("checks");
    let ran = repo.afresh(&["run", "greet.md", "--yes"]).expect(0);
    assert!(ran.stderr.contains("mode single"), "{}", ran.stderr);
    assert_eq!(repo.landed(), ["T001"]);
    let runs = repo.afresh(&["runs", "--json"]).expect(0).json();
    assert_eq!(runs.as_array().map(Vec::len), Some(1), "no planning run: {runs}");
}

fn verdict(repo: &TestRepo, code: i32) -> Value {
    repo.afresh(&["audit", "spec.md", "--json"]).expect(code).json()
}

/// AU-01, AU-02, AU-04: the exit code says the verdict, and `--write` adds groups that a person's own replace.
#[test]
fn an_audit_says_how_large_a_specification_is() {
    let repo = repo();
    repo.write("spec.md", SPEC);
    assert_eq!(verdict(&repo, 0)["verdict"], "approved");
    let file = |at: usize| format!("- R{at}: Create `src/part{at}.py`");
    let files = (0..7).map(file).collect::<Vec<_>>().join("\n");
    let large = format!("# Parts\n\n## Requirements\n\n{files}\n");
    repo.write("spec.md", &large);
    let audit = verdict(&repo, 10);
    assert_eq!(
        (&audit["verdict"], &audit["mode"]),
        (&"needs-decomposition".into(), &"orchestrated".into())
    );
    assert_eq!(audit["metrics"][0]["state"], "exceeded");
    assert_eq!(
        fs::read_to_string(repo.root().join("spec.md")).expect("read"),
        large,
        "nothing is written"
    );
    repo.afresh(&["audit", "spec.md", "--write"]).expect(10);
    let written = fs::read_to_string(repo.root().join("spec.md")).expect("read");
    assert!(
        written.starts_with(&large) && written.contains("## Implementation Tasks"),
        "{written}"
    );
    let own = written.replace("> Generated by `afresh audit`", "> By hand, after `afresh audit`");
    repo.write("spec.md", &own);
    let ran = repo.afresh(&["audit", "spec.md", "--write"]).expect(10);
    assert!(ran.stderr.contains("has its own"), "{}", ran.stderr);
    repo.write("src/huge.py", &"x = 1\n".repeat(120_000));
    repo.write("spec.md", "# X\n\n## Requirements\n\n- R1: Modify `src/huge.py`\n");
    assert_eq!(verdict(&repo, 11)["verdict"], "needs-split");
    let refused = repo.afresh(&["run", "spec.md", "--yes"]).expect(2);
    assert!(refused.stderr.contains("too large to be planned"), "{}", refused.stderr);
}

/// The plan of [`planned`] for two tasks, one for each statement.
fn two_tasks() -> String {
    let second = "\n[[task]]\nid = \"T002\"\ntitle = \"World\"\nneeds = [\"T001\"]\nrequirements = [\"S2\"]\n\
        files = [{ path = \"default.txt\", action = \"create\" }]\ndo = \"Write default.txt.\"\n\
        checks = [\"grep -qx world default.txt\"]\n";
    GOOD.replace("\"S1\", \"S2\"", "\"S1\"") + second
}

/// PL-19: a changed specification changes its plan by a patch: what is unchanged stays, the difference is shown, and the
/// run in progress keeps what has landed.
#[test]
fn a_changed_specification_patches_its_plan() {
    let repo = planned(&two_tasks());
    let place = repo.path().display().to_string();
    repo.agent(&format!(
        "to=.afresh/plans/greet/greet.plan.toml\n\
         case $AFRESH_TASK.$AFRESH_ATTEMPT in\n\
         plan.*) cat '{place}/first' > $to;;\n\
         update.1) cat '{place}/greedy' > $to;;\n\
         update.*) cat '{place}/patched' > $to;;\n\
         T001.*) echo hi > greeting.txt;;\n\
         T002.*) exit 1;;\n\
         T003.*) echo everybody > default.txt;;\n\
         esac"
    ));
    repo.afresh(&["run", "greet.md", "--yes", "--on-failure", "skip"]).expect(1);
    assert_eq!(repo.landed(), ["T001"]);
    repo.write("greet.md", &SPEC.replace("write world", "write everybody"));
    let patched = two_tasks()
        .replace("id = \"T002\"\ntitle = \"World\"", "id = \"T003\"\ntitle = \"Everybody\"")
        .replace("grep -qx world", "grep -qx everybody");
    fs::write(repo.path().join("patched"), &patched).expect("written");
    // The first editor also changes a task whose statement did not change.
    let greedy =
        patched.replace("do = \"Write greeting.txt.\"", "do = \"Write another greeting.\"");
    fs::write(repo.path().join("greedy"), greedy).expect("written");
    let ran = repo.afresh(&["plan", "--update", "greet.md", "--yes"]).expect(0);
    for expected in [
        "1 statement changed, 2 kept",
        "+ add    T003: Everybody",
        "- drop   T002: World",
        "= keep   1 of 2 tasks",
    ] {
        assert!(ran.stderr.contains(expected), "{expected}\n{}", ran.stderr);
    }
    let prompt = repo.prompt("update", 2);
    assert!(prompt.contains("error[changed-kept-task]: T001 is not as it was"), "{prompt}");
    assert!(prompt.contains("S2 changed. Before: Without a name it must write world"), "{prompt}");
    let plan = fs::read_to_string(repo.root().join(".afresh/plans/greet/greet.plan.toml"));
    assert_eq!(plan.expect("a plan"), patched);
    let trace = repo.afresh(&["trace", "--json"]).expect(0).json();
    let state = |at: usize| &trace["requirements"][at]["state"];
    assert_eq!(
        (state(0), state(1)),
        (&"stale".into(), &"proved".into()),
        "landed work keeps its proof: {trace}"
    );
    repo.afresh(&["run", "greet.md", "--yes"]).expect(0);
    assert_eq!(repo.landed(), ["T001", "T003"], "in the same run");
    // Nothing changed since: nobody is started.
    let again = repo.afresh(&["plan", "--update", "greet.md", "--yes"]).expect(0);
    assert!(again.stderr.contains("no statement changed"), "{}", again.stderr);
}

/// PL-14, AG-04: an agent that is missing is reported before anything is asked or written.
#[test]
fn a_missing_agent_is_reported_before_planning() {
    let repo = repo();
    repo.write(".afresh/config.toml", "[run]\nagent = \"mine\"\n[agents.mine]\nkind = \"command\"\ncommand = [\"no-such-agent\"]\n");
    repo.write("greet.md", SPEC);
    repo.commit("a specification");
    let refused = repo.afresh(&["plan", "greet.md"]).expect(2);
    assert!(refused.stderr.contains("no-such-agent"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("plan greet:"), "{}", refused.stderr);
    assert!(!repo.root().join(".afresh/plans").exists());
}

/// PL-15: statements that contradict each other are reported before anything is spent, and a person decides.
#[test]
fn contradicting_statements_are_refused_before_planning() {
    let repo = planned(GOOD);
    let contradicting = "# Greeter\n\n## Behaviour\n\n- A greeting must be at most 80 characters long\n\
        - A greeting must be at most 120 characters long\n";
    repo.write("greet.md", contradicting);
    let refused = repo.afresh(&["plan", "greet.md", "--yes"]).expect(2);
    assert!(refused.stderr.contains("contradict each other"), "{}", refused.stderr);
    assert!(refused.stderr.contains("S2 (line 6) says: A greeting"), "{}", refused.stderr);
    assert!(!repo.state().join("attempts").exists(), "no agent was started");
    // A person takes one of them out of scope.
    let path = repo.root().join(".afresh/plans/greet/ledger.json");
    let mut ledger: Value =
        serde_json::from_slice(&fs::read(&path).expect("a ledger")).expect("JSON");
    ledger["statements"][1]["scope"] = "out-of-scope".into();
    fs::write(&path, ledger.to_string()).expect("written");
    fs::write(repo.path().join("first"), GOOD.replace(", \"S2\"", "")).expect("written");
    repo.afresh(&["plan", "greet.md", "--yes"]).expect(0);
}
