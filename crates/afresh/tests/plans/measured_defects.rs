//! Defects of checks that only running them shows, and what reading them shows already: `afresh probe`, `afresh plan
//! validate`.

use std::fs;

use afresh_testkit::TestRepo;
use serde_json::{Value, json};

use crate::support::repo;

const SPEC: &str = "# Greeter\n\n## Behaviour\n\n- `greet` writes the name to greeting.txt\n";

/// A repository with a plan of one task, its specification and its statements.
fn planned(check: &str) -> TestRepo {
    let repo = repo();
    repo.config("");
    repo.write("src/app.txt", "hello\n");
    repo.write("tests/__init__.py", "");
    repo.write("tests/test_nothing.py", "import unittest\n");
    repo.write("plans/greet/spec.md", SPEC);
    let ledger = json!({"version": 1, "statements": [{
        "id": "S1", "quote": "`greet` writes the name to greeting.txt", "file": "spec.md", "line": 5, "hash": "h",
    }]});
    repo.write("plans/greet/ledger.json", &ledger.to_string());
    repo.write(
        "plans/greet/greet.plan.toml",
        &format!(
            "version = 1\nname = \"greet\"\nspec = \"spec.md\"\n[[task]]\nid = \"T1\"\ntitle = \"Greet\"\n\
             requirements = [\"S1\"]\nfiles = [{{ path = \"greeting.txt\", action = \"create\" }}]\n\
             do = \"Write greeting.txt.\"\nchecks = ['''{check}''']\n"
        ),
    );
    repo.commit("a plan");
    repo
}

fn codes(document: &Value, key: &str) -> Vec<String> {
    let findings = document[key].as_array().expect("findings").iter();
    let errors = findings.filter(|finding| finding["severity"] != "note");
    errors.map(|finding| finding["code"].as_str().unwrap_or_default().to_owned()).collect()
}

/// TR-01, PL-09: checks that read well are measured: vacuous, unrunnable and empty ones are named.
#[test]
fn what_reading_does_not_show_is_measured() {
    for (check, class, code) in [
        ("grep -q hello src/app.txt", "vacuous", "vacuous-check"),
        ("no-such-program greeting.txt", "unrunnable", "unrunnable-check"),
        ("python3 -m unittest tests.test_nothing", "empty", "empty-check"),
        ("test -s greeting.txt", "pending", ""),
    ] {
        let repo = planned(check);
        let plan = "plans/greet/greet.plan.toml";
        let read = repo.afresh(&["plan", "validate", plan, "--json"]).expect(0).json();
        assert_eq!(codes(&read, "issues"), Vec::<String>::new(), "{check}: {read}");
        let probed = repo.afresh(&["probe", plan, "--json"]).json();
        let found = probed["probe"][0]["class"].as_str().unwrap_or_default();
        let is_same = found == class || (class == "pending" && found == "red");
        assert!(is_same, "{check}: {probed}");
        assert_eq!(
            codes(&probed, "findings").iter().any(|it| it == code),
            !code.is_empty(),
            "{check}: {probed}"
        );
    }
}

/// PL-16: what a check names is resolved without running anything, and what cannot be checked is a note.
#[test]
fn what_reading_shows_is_found_without_running() {
    for (check, code) in [
        ("test -f src/app.txt", "vacuous-check"),
        ("sh scripts/check.sh", "ungrounded-check"),
        ("make greeting", "ungrounded-check"),
        ("python3 -m unittest tests.test_greeting", "ungrounded-check"),
        ("test -s greeting.txt || true", "check-cannot-fail"),
    ] {
        let repo = planned(check);
        let ran = repo
            .afresh(&["plan", "validate", "plans/greet/greet.plan.toml", "--json"])
            .expect(1)
            .json();
        assert_eq!(codes(&ran, "issues"), [code], "{check}: {ran}");
    }
    let repo = planned("salute Ann && test -s greeting.txt");
    let ran = repo.afresh(&["plan", "validate", "plans/greet/greet.plan.toml"]).expect(0);
    let shown = format!("{}{}", ran.stdout, ran.stderr);
    assert!(shown.contains("note[unchecked-references]"), "{shown}");
    assert!(shown.contains("program \"salute\" (T1)"), "{shown}");
    assert!(fs::metadata(repo.root().join("greeting.txt")).is_err(), "nothing was run");
}
