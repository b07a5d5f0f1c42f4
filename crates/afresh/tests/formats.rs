//! Plans of other formats, through the whole program: shown, looked through, and run to done with a
//! worker that answers as that format's users expect (FO-01 to FO-04, RE-01, PL-11).

mod support;

use std::fs;
use std::path::Path;

use afresh_testkit::TestRepo;
use support::repo;

/// A repository that holds a fixture of `afresh-formats`, and a worker that writes the files of its
/// task, or one of its own where the task names none, and then answers with `answer`.
fn holding(fixture: &str, answer: &str, unlisted: &[(&str, &str)]) -> TestRepo {
    let repo = repo();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../afresh-formats/tests/fixtures");
    copy(&fixtures.join(fixture), &repo.root());
    let end =
        if answer.is_empty() { String::new() } else { format!(", {{ answer = {answer:?} }}") };
    let own = unlisted.iter().map(|(id, path)| {
        format!("[[task]]\nid = {id:?}\ndo = [ {{ write = {path:?}, text = \"x\" }} ]\n")
    });
    let own: Vec<String> = own.collect();
    let script = format!(
        "version = 1\n{}[[task]]\nid = \"*\"\ndo = [ {{ listed = \"by {{task}}\\n\" }}{end} ]\n",
        own.concat()
    );
    fs::write(repo.path().join("script.toml"), script).expect("written");
    let script = repo.path().join("script.toml").to_string_lossy().into_owned();
    repo.write(
        ".afresh/config.toml",
        &format!(
            "[run]\nagent = \"actor\"\nattempts = 1\n[checks]\nalways = [\"true\"]\n\
             [agents.actor]\nkind = \"scripted\"\nscript = {script:?}\n"
        ),
    );
    repo.commit("a plan of another format");
    repo
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a fixture").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            fs::create_dir_all(&target).expect("a directory");
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).expect("copied");
        }
    }
}

/// Shows it, looks it through, and runs it to done.
#[track_caller]
fn runs(fixture: &str, format: &str, answer: &str, unlisted: &[(&str, &str)]) -> TestRepo {
    let repo = holding(fixture, answer, unlisted);
    let shown = repo.afresh(&["show", ".", "--json"]).expect(0).json();
    assert_eq!(shown["format"], format);
    let tasks = shown["tasks"].as_array().expect("tasks").len();
    assert!(tasks > 0, "{shown}");
    let linted = repo.afresh(&["lint", ".", "--json"]);
    assert!(matches!(linted.code, Some(0 | 1)), "{linted:?}");
    let before = repo.untouched();
    let ran = repo.afresh(&["run", ".", "--on-decision", "first"]).expect(0);
    repo.untouched().expect_same_as(&before);
    repo.expect_no_survivors();
    assert!(ran.stderr.contains(&format!("{tasks}/{tasks} tasks")), "{}", ran.stderr);
    // Once more: everything is done.
    repo.afresh(&["run", "."]).expect(0);
    repo
}

#[test]
fn fo_04_a_specflow_spec_runs_to_done() {
    let answer = r#"{"group": "{task}", "status": "complete", "files_created": [], "files_modified": [], "commits": [], "criteria_met": [], "deviations": []}"#;
    runs("specflow", "specflow", answer, &[]);
}

/// A specification that is named by its file still knows what was executed before: that lies in
/// another directory.
#[test]
fn fo_04_a_named_spec_keeps_what_was_executed_before() {
    let repo = holding("specflow", "", &[]);
    repo.afresh(&["run", ".specflow/specs/SPEC-014.md"]).expect(0);
    let status = repo.afresh(&["status", "--json"]).expect(0).json();
    let attempts = |id: &str| {
        let tasks = status["tasks"].as_array().expect("tasks");
        tasks.iter().find(|task| task["id"] == id).map(|task| task["attempts"].clone())
    };
    assert_eq!((attempts("G1"), attempts("G2a")), (Some(0.into()), Some(1.into())), "{status}");
}

#[test]
fn fo_01_task_groups_of_agent_os_run_to_done() {
    let unlisted = [("2", "app/imports.py"), ("3", "web/form.ts"), ("4", "tests/more.py")];
    runs("agent-os", "agent-os", "", &unlisted);
}

#[test]
fn pl_11_tasks_of_spec_kit_run_to_done() {
    // What is named by a glob or a directory has no one name that could be written.
    let unlisted = [
        ("T014b", "web/app/albums/[id]/page.tsx"),
        ("T030", "docs/albums.md"),
        ("T031", "validation.txt"),
    ];
    runs("spec-kit", "spec-kit", "", &unlisted);
}

#[test]
fn pl_11_a_milestone_of_gsd_2_runs_to_done() {
    runs("gsd2", "gsd2", "", &[("M002-S02-T04", "notes.txt")]);
}
