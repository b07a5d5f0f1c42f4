//! Plans of other formats, through the whole program: shown, linted, and run to completion with a worker that answers
//! as that format's users expect (FO-01 to FO-04, RE-01, PL-11).

use crate::support::fixture::{holding, runs_to_done, with_files};
use afresh_testkit::TestRepo;

/// Shows it, lints it, and runs it to completion.
#[track_caller]
fn runs(fixture: &str, format: &str, answer: &str) {
    runs_there(&holding(fixture, answer), format);
}

#[track_caller]
fn runs_there(repo: &TestRepo, format: &str) {
    let shown = repo.afresh(&["show", ".", "--json"]).expect(0).json();
    assert_eq!(shown["format"], format);
    let linted = repo.afresh(&["lint", ".", "--json"]);
    assert!(matches!(linted.code, Some(0 | 1)), "{linted:?}");
    runs_to_done(repo, ".");
}

/// FO-04.
#[test]
fn a_specflow_spec_runs_to_done() {
    let answer = r#"{"group": "{task}", "status": "complete", "files_created": [], "files_modified": [], "commits": [], "criteria_met": [], "deviations": []}"#;
    runs("specflow", "specflow", answer);
}

/// FO-03: a task answers with the one line of its result file.
#[test]
fn a_tasker_plan_of_either_layout_runs_to_done() {
    for directory in [".tasker", "project-planning"] {
        let task = |id: &str, needs: &str, file: &str| {
            format!(
                r#"{{"id": "{id}", "name": "make {file}", "phase": 1, "behaviors": ["B1"],
                "files": [{{"path": "{file}", "action": "create"}}], "dependencies": {{"tasks": [{needs}]}},
                "acceptance_criteria": [{{"criterion": "the file {file} is there and says something", "verification": "test -s {file}"}}]}}"#
            )
        };
        let repo = with_files(
            &[
                (format!("{directory}/tasks/T001.json"), task("T001", "", "a.txt")),
                (format!("{directory}/tasks/T002.json"), task("T002", "\"T001\"", "b.txt")),
            ],
            "{task}: SUCCESS",
        );
        runs_there(&repo, "tasker");
        assert_eq!(repo.landed(), ["T001", "T002"]);
    }
}

/// FO-01: the group's worker answers with the block that long-run's workers use.
#[test]
fn agent_os_task_groups_run_to_done() {
    let answer = "OUTPUT_JSON_START\n{\"status\": \"COMPLETED\", \"tasks_completed\": \"3/3\", \"commits\": [], \"files_modified\": []}\nOUTPUT_JSON_END";
    runs("agent-os", "agent-os", answer);
}

/// PL-11: plans that can be run as they are.
#[test]
fn spec_kit_task_master_and_beads_plans_run_to_done() {
    runs("spec-kit", "spec-kit", "");
    runs("task-master", "task-master", "");
    runs("task-master-untagged", "task-master", "");
    runs("beads", "beads", "");
}

/// PL-11, FO-10: a milestone of GSD 2 is run; the checks of slices that it marks as done are run too, and fail here.
#[test]
fn a_gsd_2_milestone_runs_and_its_marks_are_checked() {
    let repo = holding("gsd2", "");
    let ran = repo.afresh(&["run", ".", "--on-decision", "first"]).expect(1);
    assert!(ran.stderr.contains("is marked done in the plan, but its check fails"), "{ran:?}");
    let status = repo.status();
    assert_eq!(status["counts"]["done"], status["tasks"].as_array().expect("tasks").len());
}

/// FO-04: a spec that was split is not run; its children are named.
#[test]
fn a_split_spec_is_not_run() {
    let repo = holding("specflow-split", "");
    let ran = repo.afresh(&["run", ".specflow/specs/SPEC-020.md"]).expect(2);
    assert!(ran.stderr.contains("SPEC-020a"), "{}", ran.stderr);
}

/// FO-04: a specification that is named by its file still includes what was executed before, which is stored in another
/// directory.
#[test]
fn a_named_spec_keeps_what_was_executed_before() {
    let repo = holding("specflow", "");
    repo.afresh(&["run", ".specflow/specs/SPEC-014.md"]).expect(0);
    let status = repo.status();
    let attempts = |id: &str| {
        let tasks = status["tasks"].as_array().expect("tasks");
        tasks.iter().find(|task| task["id"] == id).map(|task| task["attempts"].clone())
    };
    assert_eq!((attempts("G1"), attempts("G2a")), (Some(0.into()), Some(1.into())), "{status}");
}

/// FO-02, RE-01: a plan of GSD, with a checkpoint and must-haves, runs to completion.
#[test]
fn a_gsd_project_runs_to_done() {
    let repo = holding("gsd/greeting", "");
    runs_there(&repo, "gsd");
    let tree = repo.git(&["ls-tree", "-r", "--name-only", &branch(&repo)]);
    assert!(tree.contains("src/app/page.txt"), "{tree}");
}

/// FO-02, RE-01: Ultra Planner's workers answer in YAML; by task, its waves are kept.
#[test]
fn an_ultraplan_project_runs_to_done_by_task() {
    let answer = "```yaml\nstatus: success\ntask_name: \"x\"\nfiles_modified: []\nverification:\n  command: \"true\"\n  exit_code: 0\n  output_summary: ok\ndone_criteria_met: true\nevidence: |\n  done\nerror: null\n```";
    runs("ultraplan/greeting", "ultraplan", answer);
    let repo = holding("ultraplan/greeting", answer);
    let shown = repo.afresh(&["show", ".", "--unit", "task", "--json"]).expect(0).json();
    let wave = serde_json::json!([["01-01-01", "01-01-02"], ["01-01-03"]]);
    assert_eq!(shown["waves"], wave);
    repo.afresh(&["run", ".", "--unit", "task"]).expect(0);
}

/// FO-01, RE-01: a plan of long-run continues after what its summaries list as completed.
#[test]
fn a_long_run_plan_continues_where_it_was() {
    let answer = "OUTPUT_JSON_START\n{\"status\": \"COMPLETED\", \"tasks_completed\": \"1/1\", \"commits\": [], \"files_modified\": [], \"deviations\": []}\nOUTPUT_JSON_END";
    let repo = holding("long-run/greeting", answer);
    runs_there(&repo, "long-run");
    let tree = repo.git(&["ls-tree", "-r", "--name-only", &branch(&repo)]);
    assert!(tree.contains("file-02.txt") && tree.contains("file-03.txt"), "{tree}");
    assert!(!tree.contains("file-01.txt"), "{tree}");
}

/// The branch of the last run.
fn branch(repo: &TestRepo) -> String {
    repo.status()["branch"].as_str().expect("a branch").to_owned()
}
