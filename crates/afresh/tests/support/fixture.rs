//! Repositories with plans of other formats, and their runs to completion.

use std::fs;
use std::path::Path;

use afresh_testkit::TestRepo;

use super::repo;

/// Writes every file that the bundle names without a wildcard, and one into every directory.
const WRITE: &str = r#"grep -o '"pattern": "[^"*?{]*"' "$AFRESH_BUNDLE" | cut -d'"' -f4 | while read -r file; do case $file in */) file=$file$AFRESH_TASK.txt;; esac; mkdir -p "$(dirname "$file")"; echo "by $AFRESH_TASK" >> "$file"; done"#;

/// A repository that holds a fixture of `afresh-import`, and a worker that writes the files of its task and then
/// answers with `answer`.
pub(crate) fn holding(fixture: &str, answer: &str) -> TestRepo {
    let repo = repo();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../afresh-import/tests/fixtures");
    copy(&fixtures.join(fixture), &repo.root());
    act(repo, answer)
}

/// The same with files of its own.
pub(crate) fn with_files(files: &[(String, String)], answer: &str) -> TestRepo {
    let repo = repo();
    for (path, text) in files {
        repo.write(path, text);
    }
    act(repo, answer)
}

fn act(repo: TestRepo, answer: &str) -> TestRepo {
    let end =
        if answer.is_empty() { String::new() } else { format!(", {{ answer = {answer:?} }}") };
    let script =
        format!("version = 1\n[[task]]\nid = \"*\"\ndo = [ {{ run = {WRITE:?} }}{end} ]\n");
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

/// Runs a plan to completion; the test answers what only a person can do.
#[track_caller]
pub(crate) fn runs_to_done(repo: &TestRepo, plan: &str) {
    let output = repo.afresh(&["show", plan, "--json"]).expect(0).json();
    let tasks = output["tasks"].as_array().expect("tasks").len();
    assert!(tasks > 0, "{output}");
    let before = repo.untouched();
    let mut ran = repo.afresh(&["run", plan, "--on-decision", "first"]);
    if ran.code == Some(4) {
        for question in repo.status()["questions"].as_array().expect("questions") {
            assert_eq!(question["kind"], "needs-action", "{question}");
            repo.afresh(&["decide", question["id"].as_str().expect("an id"), "done"]).expect(0);
        }
        ran = repo.afresh(&["run", plan]);
    }
    let ran = ran.expect(0);
    repo.untouched().expect_same_as(&before);
    repo.expect_no_survivors();
    assert!(ran.stderr.contains(&format!("{tasks}/{tasks} tasks")), "{}", ran.stderr);
    // Once more: everything is done.
    repo.afresh(&["run", plan]).expect(0);
}
