//! `afresh import`: converts a plan of any format to the native one, and runs it from there (FO-05, PL-11).

use std::fs;
use std::path::Path;

use crate::support::fixture::{holding, runs_to_done};
use afresh_testkit::TestRepo;

/// The tasks as both plans describe them.
fn tasks(repo: &TestRepo, plan: &str) -> serde_json::Value {
    let mut shown = repo.afresh(&["show", plan, "--json"]).expect(0).json();
    // A prompt names the plan's file, so its size differs.
    for task in shown["tasks"].as_array_mut().into_iter().flatten() {
        task.as_object_mut().map(|task| task.remove("prompt"));
        // A native plan says why a task has no check.
        task.as_object_mut().map(|task| task.remove("no_check"));
    }
    serde_json::json!([shown["name"], shown["tasks"], shown["waves"], shown["conflicts"]])
}

/// FO-05, FO-02: a plan of GSD is converted to the native format, means the same, and runs to completion.
#[test]
fn an_imported_plan_of_gsd_runs_to_done() {
    let repo = holding("gsd/greeting", "");
    let meant = tasks(&repo, ".");
    let ran = repo.afresh(&["import", "--format", "gsd", "-o", "work.plan.toml"]).expect(0);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains("wrote work.plan.toml"), "{}", ran.stderr);
    assert_eq!(tasks(&repo, "work.plan.toml"), meant);
    runs_to_done(&repo, "work.plan.toml");
}

/// FO-05: on standard output, in both notations, with everything else on standard error.
#[test]
fn an_imported_plan_can_be_printed() {
    let repo = holding("gsd/shop", "");
    let meant = tasks(&repo, ".");
    for (file, args) in [
        ("a.plan.toml", ["import", "."].as_slice()),
        ("a.plan.json", ["import", "--json"].as_slice()),
    ] {
        let ran = repo.afresh(args).expect(0);
        assert!(ran.stderr.contains("warning["), "findings are for people: {}", ran.stderr);
        let kept = repo.path().join(file);
        fs::write(&kept, ran.stdout).expect("written");
        assert_eq!(tasks(&repo, &kept.to_string_lossy()), meant);
    }
}

/// FO-05: an existing file is not overwritten unless the user asks for it; a native plan is accepted too.
#[test]
fn importing_overwrites_nothing_unasked() {
    let repo = crate::support::repo();
    repo.plan("[[task]]\nid = \"A\"\ntitle = \"a\"\nno_check = \"x\"\n");
    repo.write("mine.plan.toml", "mine\n");
    let import = |more: &[&str]| {
        let args = ["import", "p.plan.toml", "-o"];
        repo.afresh(&args.iter().chain(more).copied().collect::<Vec<_>>())
    };
    let refused = import(&["mine.plan.toml"]).expect(1);
    assert!(refused.stderr.contains("--force"), "{}", refused.stderr);
    let text = |file: &str| fs::read_to_string(repo.root().join(file)).expect("a file");
    assert_eq!(text("mine.plan.toml"), "mine\n");
    let written = import(&["mine.plan.toml", "--force", "--json"]).expect(0).json();
    assert_eq!(written["tasks"], 1);
    assert_eq!(written["format"], "native");
    assert!(text("mine.plan.toml").contains("id = \"A\""));
    let unusable = import(&["plan.md"]).expect(2);
    assert!(unusable.stderr.contains("*.plan.toml"), "{}", unusable.stderr);
    assert!(!Path::new(&repo.root()).join("plan.md").exists());
    import(&["nowhere/x.plan.toml"]).expect(2);
    repo.afresh(&["import", "missing", "-o", "x.plan.toml"]).expect(2);
}

/// FO-05: a plan without commands runs after its import as it does before: with a note, not an error.
#[test]
fn an_imported_plan_without_checks_can_be_run() {
    let repo = crate::support::repo();
    repo.write("specs/001-x/tasks.md", "# Tasks\n\n- [ ] T001 Create T001.txt\n");
    repo.commit("a list of tasks");
    repo.agent("echo x > T001.txt");
    let imported = repo.afresh(&["import", "specs/001-x", "-o", "w.plan.toml"]).expect(0);
    assert!(imported.stderr.contains("no command checks 1 task"), "{imported:?}");
    let linted = repo.afresh(&["lint", "w.plan.toml"]);
    assert!(!linted.stdout.contains("unchecked"), "{linted:?}");
    repo.afresh(&["run", "w.plan.toml"]).expect(0);
}

/// FO-05: a plan is exported to another format, with a list of what is lost; it overwrites nothing unasked, and the
/// result runs.
#[test]
fn an_exported_plan_runs_to_done() {
    let repo = crate::support::repo();
    repo.plan(
        "[[task]]\nid = \"A\"\ntitle = \"Create A.txt\"\nfiles = [\"A.txt\"]\ndo = \"Write it.\"\nchecks = [\"test -s A.txt\"]\n\
         [[task]]\nid = \"B\"\ntitle = \"Create B.txt\"\nneeds = [\"A\"]\nfiles = [\"B.txt\"]\nchecks = [\"test -s B.txt\"]\n",
    );
    let export = |more: &[&str]| {
        let args = ["export", "p.plan.toml", "--format", "openspec", "-o", "out"];
        repo.afresh(&args.iter().chain(more).copied().collect::<Vec<_>>())
    };
    let ran = export(&[]).expect(0);
    assert!(ran.stderr.contains("lost: ids of A, B"), "{}", ran.stderr);
    assert!(export(&[]).expect(1).stderr.contains("--force"));
    let written = export(&["--force", "--json"]).expect(0).json();
    assert_eq!((&written["format"], &written["tasks"]), (&"openspec".into(), &2.into()));
    let shown = repo.afresh(&["show", "out", "--json"]).expect(0).json();
    assert_eq!(shown["waves"], serde_json::json!([["1.1"], ["1.2"]]));
    repo.agent("case $AFRESH_TASK in 1.1) echo x > A.txt;; *) echo x > B.txt;; esac");
    repo.config("");
    repo.commit("an exported plan");
    repo.afresh(&["run", "out"]).expect(0);
    let branch = repo.status()["branch"].as_str().expect("a branch").to_owned();
    let tasks = repo.git(&["grep", "-h", "x] 1", &branch, "--", "out"]);
    assert_eq!(tasks.lines().count(), 2, "{tasks}");
}

/// FO-05, TR-01: in another directory, a plan still names its specification, and with it the requirements that no
/// task serves.
#[test]
fn an_imported_plan_names_its_specification_from_where_it_is() {
    let repo = crate::support::repo();
    repo.write("specs/001-x/tasks.md", "# Tasks\n\n- [ ] T001 Create T001.txt for FR-001\n");
    repo.write(
        "specs/001-x/spec.md",
        "# Spec\n\n## Requirements\n\n- **FR-001**: It MUST store\n- **FR-002**: It MUST load\n",
    );
    repo.write("plans/deep/keep", "");
    for (from, to) in
        [("specs/001-x", "plans/w.plan.toml"), ("plans/w.plan.toml", "plans/deep/v.plan.json")]
    {
        repo.afresh(&["import", from, "-o", to]).expect(0);
        let traced = repo.afresh(&["trace", "--plan", to, "--json"]).json();
        let gap = &traced["requirements"][0];
        assert_eq!(
            (&gap["id"], &gap["state"]),
            (&"FR-002".into(), &"uncovered".into()),
            "{traced}"
        );
    }
    let text = fs::read_to_string(repo.root().join("plans/w.plan.toml")).expect("a plan");
    assert!(text.contains("spec = \"../specs/001-x/spec.md\""), "{text}");
}
