//! Fields that are misspelt, unknown, or of the wrong type: B20, FO-05, FO-06.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::plans::{JSON, TOML, help, line_of, message, refused, refused_file, repo, task, write};
use crate::support::refusal::bounded;

/// B20: a misspelt field must never silently mean "no verification".
#[test]
fn a_misspelt_field_is_refused_with_the_one_that_was_meant() {
    let repo = repo();
    for (typo, meant) in [
        ("verfiy", "checks"),
        ("verify", "checks"),
        ("chekcs", "checks"),
        ("Checks", "checks"),
        ("depends_on", "needs"),
        ("fiels", "files"),
        ("no_chek", "no_check"),
    ] {
        for error in refused(&repo, &[task(&json!({typo: ["true"]}))], "unknown-field") {
            assert!(message(&error).contains(&format!("{typo:?}")), "{error}");
            assert!(help(&error).contains(&format!("did you mean {meant:?}?")), "{error}");
            assert!(line_of(&repo, &error).contains(typo), "{error}");
        }
    }
    let step = json!({"steps": [{"name": "one", "verfiy": ["true"]}]});
    refused(&repo, &[task(&step)], "unknown-field");
    let check = json!({"checks": [{"run": "true", "red_frist": true}]});
    for error in refused(&repo, &[task(&check)], "unknown-field") {
        assert!(help(&error).contains("red_first"), "{error}");
    }
}

/// FO-06: an unknown field is a warning with its place, and does not stop the plan.
#[test]
fn an_unknown_field_is_warned_about_where_it_stands() {
    let repo = repo();
    write(&repo, &[task(&json!({"x_priority": 3}))]);
    for file in [TOML, JSON] {
        let shown = bounded(&repo, &["show", file, "--json"]).expect(0);
        assert_eq!(shown.json()["tasks"][0]["id"], "T001");
        assert!(shown.stderr.contains("warning[unknown-field]"), "{}", shown.stderr);
        assert!(shown.stderr.contains("x_priority"), "{}", shown.stderr);
        assert!(shown.stderr.contains(&format!("{file}:")), "{}", shown.stderr);
    }
}

/// FO-06: file, line, column, and what was expected.
#[test]
fn what_cannot_be_read_is_named_with_what_was_expected() {
    let repo = repo();
    for (over, expected) in [
        (json!({"files": "a.txt"}), "a list of paths"),
        (json!({"checks": "true"}), "a list of commands"),
        (json!({"needs": [1]}), "a string"),
        (json!({"tier": "huge"}), "one of: small, standard, large"),
        (json!({"checks": [{"run": "true", "red_first": "yes"}]}), "true or false"),
    ] {
        for error in refused(&repo, &[task(&over)], "wrong-type") {
            assert!(message(&error).contains(&format!("expected {expected}")), "{error}");
            line_of(&repo, &error);
        }
    }
}

/// FO-06: all problems are reported at once.
#[test]
fn all_problems_are_reported_at_once() {
    let repo = repo();
    let bad = [task(&json!({"id": "../x", "files": ["/a"]})), task(&json!({"needs": ["gone"]}))];
    for error in refused(&repo, &bad, "bad-path") {
        let codes: BTreeSet<&str> = error["findings"]
            .as_array()
            .expect("findings")
            .iter()
            .filter_map(|finding| finding["code"].as_str())
            .collect();
        assert_eq!(codes, BTreeSet::from(["bad-id", "bad-path", "unknown-dependency"]));
    }
}

/// FO-06.
#[test]
fn broken_syntax_is_named_with_its_place() {
    let repo = repo();
    for (file, text, line) in [
        (TOML, "version = 1\n[[task]\nid = \"a\"\n", 2),
        (TOML, "version = 1\nname = \"no end\n", 2),
        (TOML, "version = 1\nversion = 1\n", 2),
        (JSON, "{\n\"version\": 1,\n\"task\": [}\n", 3),
        (JSON, "{\n\"version\": 1,\n\"version\": 1}\n", 3),
        (JSON, "{\"name\": \"\u{1b}[2J\"}", 1),
    ] {
        repo.write(file, text);
        let error = refused_file(&repo, file, "syntax");
        assert_eq!(error["line"], line, "{error}");
    }
    repo.write(JSON, &"[".repeat(100_000));
    refused_file(&repo, JSON, "syntax");
    repo.write(TOML, &format!("version = 1\nx = {}", "[".repeat(100_000)));
    refused_file(&repo, TOML, "syntax");
}

/// FO-05: a plan with every field of the schema is read without a warning, and a field that the schema does not have
/// is not.
#[test]
fn the_schema_describes_what_is_read() {
    let repo = repo();
    let schema = bounded(&repo, &["schema", "plan"]).expect(0).json();
    let fields = |at: &Value| -> BTreeSet<String> {
        at["properties"].as_object().expect("properties").keys().cloned().collect()
    };
    let full = json!({
        "id": "T001", "title": "all of it", "do": "it", "needs": ["T000"], "tier": "small",
        "files": ["a.txt", {"path": "b.txt", "action": "create"}],
        "checks": ["true", {"name": "c", "run": "true", "red_first": true, "guard": false}],
        "no_check": "not meant", "context": "full", "agent": "mine",
        "steps": [{"name": "s", "do": "it", "files": ["c.txt"], "checks": ["true"]}],
        "done_before": "by hand", "requirements": ["R1"], "phase": 2, "steel_thread": true,
        "acceptance": ["t/acceptance.sh"], "type": "docs",
    });
    let asks = json!({
        "id": "T002", "title": "which one?",
        "checkpoint": {"kind": "decision", "text": "which?", "options": [{"key": "a", "description": "A"}]},
    });
    let contested = json!({
        "id": "T003", "title": "whose work is better?", "files": ["d.txt"], "checks": ["true"],
        "attempts_by": ["mine", "other"], "land": "cheapest",
    });
    let keys = |object: &Value| -> BTreeSet<String> {
        object.as_object().expect("an object").keys().cloned().collect()
    };
    let known: BTreeSet<String> = [&full, &asks, &contested].into_iter().flat_map(keys).collect();
    assert_eq!(known, fields(&schema["$defs"]["TaskEntry"]));
    assert_eq!(keys(&asks["checkpoint"]), fields(&schema["$defs"]["CheckpointEntry"]));
    assert_eq!(keys(&full["steps"][0]), fields(&schema["$defs"]["StepEntry"]));
    let plan = json!({"version": 1, "name": "n", "spec": "s.md", "target": ".", "task": [task(&json!({"id": "T000"})), full, asks, contested]});
    assert_eq!(keys(&plan), fields(&schema));
    repo.write("s.md", "# What is wanted\n");
    repo.write("acceptance/t/acceptance.sh", "exit 1\n");
    repo.write(JSON, &plan.to_string());
    let shown = bounded(&repo, &["show", JSON, "--json"]).expect(0);
    assert_eq!(shown.stderr, "");
    assert_eq!(shown.json()["tasks"][1]["files"][1], json!({"path": "b.txt", "action": "create"}));
    // The reader requires what the schema requires.
    for required in ["id", "title"] {
        let named = schema["$defs"]["TaskEntry"]["required"].as_array().expect("required");
        assert!(named.contains(&json!(required)));
        let mut without = task(&json!({}));
        without.as_object_mut().expect("an object").remove(required);
        let kind = if required == "id" { "bad-id" } else { "missing-title" };
        refused(&repo, &[without], kind);
    }
}
