//! The plan file itself: B12 to B14, B18, B19.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use serde_json::json;

use super::plans::{JSON, TOML, help, message, refused, refused_file, repo, task, write};
use crate::support::refusal::bounded;

/// B12.
#[test]
fn an_empty_plan_is_nothing_to_do() {
    let repo = repo();
    for file in [TOML, JSON] {
        for text in ["", " ", "\n\n\t \r\n", "\u{feff}"] {
            repo.write(file, text);
            let error = refused_file(&repo, file, "empty-plan");
            assert!(message(&error).contains("nothing to do"), "{error}");
        }
    }
    for error in refused(&repo, &[], "empty-plan") {
        assert!(message(&error).contains("no tasks: nothing to do"), "{error}");
        assert!(help(&error).contains("add a task with an id"), "{error}");
    }
}

/// B13.
#[test]
fn a_missing_plan_is_named() {
    let repo = repo();
    let error = refused_file(&repo, "nowhere.plan.toml", "plan");
    assert!(message(&error).contains("No such file"), "{error}");
    assert!(help(&error).contains(".plan.toml"), "{error}");
}

/// B13.
#[test]
fn a_directory_without_exactly_one_plan_is_refused() {
    let repo = repo();
    fs::create_dir(repo.root().join("plans")).expect("a directory");
    let error = refused_file(&repo, "plans", "no-plan");
    assert!(message(&error).contains("contains no plan"), "{error}");
    repo.write("plans/a.plan.toml", "");
    repo.write("plans/b.plan.json", "");
    let error = refused_file(&repo, "plans", "plan");
    assert!(message(&error).contains("a.plan.toml, b.plan.json"), "{error}");
    // A directory with the name of a plan is still a directory.
    fs::create_dir(repo.root().join("odd.plan.toml")).expect("a directory");
    refused_file(&repo, "odd.plan.toml", "no-plan");
}

/// B13: an endless file is not read.
#[test]
fn devices_and_pipes_are_refused_without_waiting() {
    let repo = repo();
    let error = refused_file(&repo, "/dev/zero", "plan");
    assert!(message(&error).contains("not a regular file"), "{error}");
    let pipe = repo.root().join("pipe.plan.toml");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    // `refusal` compares the checkout, and reading a pipe would block forever.
    let ran = bounded(&repo, &["show", "pipe.plan.toml", "--json"]).expect(2);
    assert!(message(&ran.json()["error"]).contains("not a regular file"));
    bounded(&repo, &["run", "pipe.plan.toml"]).expect(2);
    repo.expect_no_survivors();
}

/// B14.
#[test]
fn an_unreadable_plan_is_named() {
    let repo = repo();
    write(&repo, &[task(&json!({}))]);
    for file in [TOML, JSON] {
        let path = repo.root().join(file);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).expect("a mode");
        // Root can read every file.
        if fs::File::open(&path).is_ok() {
            return;
        }
        let error = refused_file(&repo, file, "plan");
        assert!(message(&error).contains("Permission denied"), "{error}");
    }
}

/// B18: also inside multi-line texts, where a stray carriage return would break a check.
#[test]
fn line_ends_byte_order_mark_tabs_and_a_missing_last_line_end_change_nothing() {
    let repo = repo();
    let plain = "version = 1\nname = \"test\"\n[[task]]\nid = \"T001\"\ntitle = \"a task\"\n\
                 files = [\"a.txt\"]\ndo = \"\"\"\nfirst\nsecond\n\"\"\"\nchecks = [\"\"\"\ntest -s a.txt\ntrue\n\"\"\"]\n";
    let object = json!({"version": 1, "name": "test", "task": [{"id": "T001", "title": "a task",
        "files": ["a.txt"], "do": "first\nsecond\n", "checks": ["test -s a.txt\ntrue"]}]});
    let spellings =
        [(TOML, plain.to_owned()), (JSON, serde_json::to_string_pretty(&object).expect("JSON"))];
    repo.write(TOML, plain);
    let expected = bounded(&repo, &["show", TOML, "--json"]).expect(0).json();
    assert_eq!(expected["tasks"][0]["checks"][0]["command"], "test -s a.txt\ntrue");
    for (file, text) in &spellings {
        for variant in [
            text.clone(),
            text.replace('\n', "\r\n"),
            format!("\u{feff}{text}"),
            format!("\u{feff}{}", text.replace('\n', "\r\n")),
            text.replace(" = ", "\t=\t").replace("\": ", "\":\t"),
            text.trim_end().to_owned(),
        ] {
            repo.write(file, &variant);
            let shown = bounded(&repo, &["show", file, "--json"]).expect(0).json();
            assert_eq!(shown, expected, "{variant:?}");
        }
    }
    // The worker gets the same text as well.
    repo.write(TOML, &plain.replace('\n', "\r\n"));
    repo.agent("echo x > a.txt");
    repo.run(&[]).expect(0);
    let prompt = repo.prompt("T001", 1);
    assert!(prompt.contains("first\nsecond") && !prompt.contains('\r'), "{prompt:?}");
}

/// B19.
#[test]
fn invalid_utf8_is_refused_with_its_byte_offset() {
    let repo = repo();
    write(&repo, &[task(&json!({"title": "café"}))]);
    for file in [TOML, JSON] {
        let path = repo.root().join(file);
        let mut bytes = fs::read(&path).expect("the plan");
        let at = bytes.windows(2).position(|pair| pair == "é".as_bytes()).expect("the é");
        bytes.splice(at..at + 2, [0xe9]);
        fs::write(&path, &bytes).expect("written");
        let error = refused_file(&repo, file, "not-utf8");
        assert!(
            message(&error).contains(&format!("byte {at} (0xe9) is not valid UTF-8")),
            "{error}"
        );
        assert!(help(&error).contains("UTF-8"), "{error}");
        let lines = String::from_utf8_lossy(&bytes[..at]).lines().count();
        assert_eq!(error["line"], lines, "{error}");
    }
}
