//! Plans of other formats, through the whole program: shown, looked through, and run to done with a
//! worker that answers as that format's users expect (FO-01 to FO-04, RE-01, PL-11).

mod support;

use std::fs;
use std::path::Path;

use afresh_testkit::TestRepo;
use support::repo;

/// A repository that holds a fixture of `afresh-formats`, and a worker that writes the files of its
/// task and then answers with `answer`.
fn holding(fixture: &str, answer: &str) -> TestRepo {
    let repo = repo();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../afresh-formats/tests/fixtures");
    copy(&fixtures.join(fixture), &repo.root());
    let end =
        if answer.is_empty() { String::new() } else { format!(", {{ answer = {answer:?} }}") };
    let script = format!(
        "version = 1\n[[task]]\nid = \"*\"\ndo = [ {{ listed = \"by {{task}}\\n\" }}{end} ]\n"
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
fn runs(fixture: &str, format: &str, answer: &str) -> TestRepo {
    let repo = holding(fixture, answer);
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
    runs("specflow", "specflow", answer);
}
