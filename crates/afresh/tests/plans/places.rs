//! Findings name files as seen from where the command was started (FO-06).

use std::fs;

use afresh_testkit::TestRepo;

use crate::support::fixture::with_files;

/// One plan of each format with a warning or an error, and the directory or file that names it.
fn plans() -> Vec<(&'static str, &'static str, String)> {
    let gsd = "---\ndepends_on: [\"99-99\"]\nfiles_modified: [a.txt]\n---\n<task type=\"auto\">\n<name>A</name>\n<files>a.txt</files>\n<action>do</action>\n<verify>test -s a.txt</verify>\n<done>d</done>\n</task>\n";
    let boxes = "- [ ] 1.1 Write `../out.md` and `a.txt`; `test -s a.txt` passes\n";
    vec![
        (
            "specs/001-x",
            "tasks.md",
            "## Phase 1\n- [ ] T001 Write ../out.md and a.txt\n- [ ] no id\n".to_owned(),
        ),
        (".planning/phases/01-a", "01-01-PLAN.md", gsd.to_owned()),
        ("openspec/changes/x", "tasks.md", boxes.to_owned()),
        (".kiro/specs/x", "tasks.md", boxes.to_owned()),
        (
            "agent-os/specs/x",
            "tasks.md",
            "#### Task Group 1: a\n**Dependencies:** Phase 9\n- [ ] 1.1 a\n".to_owned(),
        ),
        (
            ".specflow/specs",
            "SPEC-1.md",
            "---\nid: SPEC-1\n---\n# A\n## Files to Modify\n- `../x.md`\n".to_owned(),
        ),
        ("docs", "TODO.md", boxes.to_owned()),
        (
            ".beads",
            "issues.jsonl",
            "{\"id\":\"a\",\"title\":\"a\",\"status\":\"odd\"}\n".to_owned(),
        ),
        (
            ".taskmaster/tasks",
            "tasks.json",
            r#"{"tasks":[{"id":1,"title":"a","status":"odd"}]}"#.to_owned(),
        ),
    ]
}

/// The files of all findings.
fn places(repo: &TestRepo, args: &[&str]) -> Vec<String> {
    let found = repo.afresh(&[&["lint", "--json"], args].concat()).json();
    let findings = found["findings"].as_array().cloned().unwrap_or_default();
    findings.iter().map(|one| one["file"].as_str().unwrap_or_default().to_owned()).collect()
}

/// FO-06: from the root, by a directory and by a file, from inside, and with `-C`: each place can be
/// opened from where the command was started.
#[test]
fn places_are_relative_to_the_caller() {
    for (directory, name, text) in plans() {
        let repo = TestRepo::without_git(env!("CARGO_BIN_EXE_afresh"));
        let file = format!("{directory}/{name}");
        repo.write(&file, &text);
        for plan in [directory, &file] {
            let found = places(&repo, &[plan]);
            assert!(!found.is_empty(), "{plan}");
            assert!(found.iter().all(|place| *place == file), "{plan}: {found:?}");
        }
        let found = places(&repo, &["-C", directory, name]);
        assert!(!found.is_empty() && found.iter().all(|place| place == name), "{file}: {found:?}");
        let absolute = repo.root().canonicalize().expect("there").join(&file);
        let absolute = absolute.to_str().expect("UTF-8");
        let found = places(&repo, &[absolute]);
        assert!(!found.is_empty() && found.iter().all(|place| place == absolute), "{found:?}");
    }
}

/// FO-06: `show`, `import` and `run` name the same places as `lint`, and so does a run that goes on.
#[test]
fn every_command_names_the_same_place() {
    let tasks = "## Phase 1\n- [ ] T001 Write a.txt\n- [ ] no id\n".to_owned();
    let repo = with_files(&[("specs/001-x/tasks.md".to_owned(), tasks)], "");
    let place = "--> specs/001-x/tasks.md:3:7";
    let linted = repo.afresh(&["lint", "specs/001-x"]).expect(1);
    assert!(linted.stdout.contains(place), "{}", linted.stdout);
    for command in ["show", "import"] {
        let ran = repo.afresh(&[command, "specs/001-x"]).expect(0);
        assert!(ran.stderr.contains(place), "{command}: {}", ran.stderr);
    }
    let ran = repo.afresh(&["run", "specs/001-x"]);
    assert!(ran.stderr.contains(place), "{}", ran.stderr);
    let again = repo.afresh(&["run"]);
    assert!(again.stderr.contains(place), "{}", again.stderr);
}

/// FO-06: a message that asks to name one of several plans names them as they can be typed.
#[test]
fn several_plans_are_named_as_they_can_be_typed() {
    let repo = TestRepo::without_git(env!("CARGO_BIN_EXE_afresh"));
    for name in ["001-a", "002-b"] {
        repo.write(&format!("app/specs/{name}/tasks.md"), "## Phase 1\n- [ ] T001 Write a.txt\n");
    }
    let ran = repo.afresh(&["show", "app"]).expect(2);
    assert!(
        ran.stderr.contains("name one of them, for example app/specs/001-a/"),
        "{}",
        ran.stderr
    );
    repo.afresh(&["show", "app/specs/001-a/"]).expect(0);
}

/// BE-01: fixes and their diffs name the caller's paths, and change the right file.
#[test]
fn fixes_name_the_same_place() {
    let repo = TestRepo::without_git(env!("CARGO_BIN_EXE_afresh"));
    let plan = "---\nphase: a\nplan: 1\ntype: execute\nwave: 1\ndepends_on: []\nfiles_modifed: [a.txt]\nautonomous: true\nmust_haves: {truths: []}\n---\n<task type=\"auto\">\n<name>A</name>\n<files>a.txt</files>\n<action>do</action>\n<verify>test -s a.txt</verify>\n<done>d</done>\n</task>\n";
    let file = "app/.planning/phases/01-a/01-01-PLAN.md";
    repo.write(file, plan);
    let shown = repo.afresh(&["lint", "app", "--fix", "--dry-run"]);
    assert!(shown.stdout.contains(&format!("--- a/{file}")), "{}", shown.stdout);
    repo.afresh(&["lint", "app", "--fix"]);
    let text = fs::read_to_string(repo.root().join(file)).expect("the plan");
    assert!(text.contains("files_modified"), "{text}");
}
