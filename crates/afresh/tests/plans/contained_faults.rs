//! Faults of single tasks, and the formats of real repositories, through the whole program (FO-08 to FO-11).

use crate::support::fixture::with_files;
use afresh_testkit::TestRepo;

fn gsd_plan(needs: &str, file: &str) -> String {
    format!(
        "---\nphase: a\nplan: 1\ntype: execute\nwave: 1\ndepends_on: [{needs}]\nfiles_modified: [{file}]\nautonomous: true\nmust_haves: {{truths: []}}\n---\n<task type=\"auto\">\n<name>Make {file}</name>\n<files>{file}</files>\n<action>Make it</action>\n<verify>test -s {file}</verify>\n<done>there</done>\n</task>\n"
    )
}

fn files(all: &[(&str, String)]) -> Vec<(String, String)> {
    all.iter().map(|(path, text)| ((*path).to_owned(), text.clone())).collect()
}

/// FO-11: `run`, `lint`, `show` and `import` agree about a plan with one broken file of four: it is a
/// question, what depends on it waits, and the rest is merged.
#[test]
fn one_broken_plan_of_four_blocks_itself_and_what_needs_it() {
    let repo = with_files(
        &files(&[
            (".planning/phases/01-a/01-01-PLAN.md", gsd_plan("", "a.txt")),
            (
                ".planning/phases/01-a/01-02-PLAN.md",
                "---\ndepends_on: []\n---\n<task>\ncut off".to_owned(),
            ),
            (".planning/phases/01-a/01-03-PLAN.md", gsd_plan("01-02", "c.txt")),
            (".planning/phases/01-a/01-04-PLAN.md", gsd_plan("01-01", "d.txt")),
        ]),
        "",
    );
    let linted = repo.afresh(&["lint", "."]).expect(1);
    assert!(linted.stdout.contains("error[unbalanced-task]"), "{}", linted.stdout);
    let shown = repo.afresh(&["show", "."]).expect(0);
    assert!(shown.stdout.contains("01-03") && shown.stderr.contains("unbalanced-task"));
    assert!(shown.stdout.contains("BLOCKED: this task is not closed"), "{}", shown.stdout);
    let json = repo.afresh(&["show", ".", "--json"]).expect(0).json();
    let blocked: Vec<&str> = json["tasks"]
        .as_array()
        .expect("tasks")
        .iter()
        .filter(|task| task["blocked"].is_string())
        .filter_map(|task| task["id"].as_str())
        .collect();
    assert_eq!(blocked, ["01-02"], "{json}");
    let linted = repo.afresh(&["lint", ".", "--json"]).expect(1).json();
    assert!(linted["blocked"]["01-02"].is_string(), "{linted}");
    let imported = repo.afresh(&["import", "."]).expect(0);
    assert!(imported.stdout.contains("cannot be run as it is written"), "{}", imported.stdout);
    let ran = repo.afresh(&["run", "."]);
    assert_ne!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(repo.landed(), ["01-01", "01-04"], "{}", ran.stderr);
    assert!(ran.stderr.contains("unbalanced-task"), "{}", ran.stderr);
    let questions = repo.afresh(&["questions"]).expect(0);
    assert!(
        questions.stdout.contains("01-02 cannot be run as it is written"),
        "{}",
        questions.stdout
    );
    // Once the file is right, the same run takes it up.
    repo.write(".planning/phases/01-a/01-02-PLAN.md", &gsd_plan("", "b.txt"));
    let ran = repo.afresh(&["run", "."]);
    let landed = repo.landed();
    assert!(landed.contains(&"01-02".to_owned()), "{landed:?}: {}", ran.stderr);
}

/// FO-11: a phase and a single plan are read with the project around them.
#[test]
fn a_phase_is_read_with_the_project_around_it() {
    let repo = TestRepo::without_git(env!("CARGO_BIN_EXE_afresh"));
    for (path, text) in files(&[
        (".planning/phases/09-z/09-01-PLAN.md", gsd_plan("", "z.txt")),
        (".planning/phases/10-a/10-01-PLAN.md", gsd_plan("", "a.txt")),
        (".planning/phases/10-a/10-06b-PLAN.md", gsd_plan("10-01", "b.txt")),
        (".planning/phases/10-a/71-FIX-PLAN.md", gsd_plan("10-06b", "c.txt")),
    ]) {
        repo.write(&path, &text);
    }
    let shown = repo.afresh(&["show", ".planning/phases/10-a", "--json"]).expect(0);
    assert!(shown.stderr.contains("needs-outside"), "{}", shown.stderr);
    let plan = shown.json();
    let waves = serde_json::json!([["10-01"], ["10-06b"], ["71-FIX"]]);
    assert_eq!(plan["waves"], waves, "{plan}");
    let shown = repo.afresh(&["show", ".planning/phases/10-a/10-06b-PLAN.md"]).expect(0);
    assert!(shown.stderr.contains("10-01"), "{}", shown.stderr);
}

/// FO-11: finished plans do not count towards the limits.
#[test]
fn finished_work_is_no_limit() {
    let repo = TestRepo::without_git(env!("CARGO_BIN_EXE_afresh"));
    let large = format!("{}{}", gsd_plan("", "a.txt"), "some words\n".repeat(100_000));
    for number in 1..=24 {
        let front = format!(".planning/phases/01-a/01-{number:02}");
        repo.write(&format!("{front}-PLAN.md"), &large);
        repo.write(&format!("{front}-SUMMARY.md"), "# Done\n");
    }
    repo.write(".planning/phases/02-b/02-01-PLAN.md", &gsd_plan("", "b.txt"));
    let shown = repo.afresh(&["show", ".", "--json"]).expect(0).json();
    assert_eq!(shown["tasks"].as_array().map(Vec::len), Some(25), "{shown}");
}

/// FO-08 to FO-10: the formats run to completion, from the root, from their directory and by their file.
#[test]
fn new_formats_run_to_done() {
    let line =
        |id: &str, file: &str| format!("- [ ] {id} Make `{file}`; `test -s {file}` passes\n");
    let boxes = format!("{}{}", line("1.1", "a.txt"), line("1.2", "b.txt"));
    let stories = r#"{"userStories": [{"id": "1.1", "title": "Make a.txt", "passes": false, "acceptanceCriteria": [{"text": "a", "testCommand": "test -s a.txt"}]}, {"id": "1.2", "title": "Make b.txt", "passes": false, "acceptanceCriteria": [{"text": "b", "testCommand": "test -s b.txt"}]}]}"#;
    for (format, path, text, named) in [
        (
            "openspec",
            "openspec/changes/x/tasks.md",
            format!("## 1. All\n{boxes}"),
            "openspec/changes/x",
        ),
        (
            "kiro",
            ".kiro/specs/x/tasks.md",
            format!("# Implementation Plan\n{boxes}"),
            ".kiro/specs/x",
        ),
        ("prd", "prd.json", stories.to_owned(), "prd.json"),
        ("checklist", "TODO.md", format!("# List\n{boxes}"), "TODO.md"),
    ] {
        let repo = with_files(&[(path.to_owned(), text)], "");
        for plan in [".", named, path] {
            let shown = repo.afresh(&["show", plan, "--json"]).expect(0).json();
            assert_eq!(shown["format"], format, "{plan}");
            assert_eq!(shown["waves"], serde_json::json!([["1.1"], ["1.2"]]), "{format} {plan}");
        }
        // The worker of these tests writes the files that its task lists; stories list none.
        if format != "prd" {
            repo.afresh(&["run", "."]).expect(0);
            assert_eq!(repo.landed(), ["1.1", "1.2"], "{format}");
        }
    }
}
