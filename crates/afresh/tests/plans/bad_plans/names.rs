//! Ids and dependencies: B07 to B11.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::plans::{JSON, TOML, help, line_of, message, refused, repo, task, write};
use crate::support::refusal::bounded;

fn needing(id: &str, needs: &[&str]) -> Value {
    task(&json!({"id": id, "needs": needs, "files": [format!("{id}.txt")]}))
}

/// B07: the error points to the second place, and names the first.
#[test]
fn a_doubled_id_is_refused_with_both_places() {
    let repo = repo();
    for second in ["T001", "t001"] {
        let tasks = [needing("T001", &[]), needing("T002", &[]), needing(second, &[])];
        for error in refused(&repo, &tasks, "duplicate-id") {
            let file = error["file"].as_str().expect("a file");
            let text = std::fs::read_to_string(repo.root().join(file)).expect("the plan");
            let places: Vec<usize> = (1..)
                .zip(text.lines())
                .filter(|(_, line)| line.contains("id") && line.to_lowercase().contains("\"t001\""))
                .map(|(number, _)| number)
                .collect();
            assert_eq!(places.len(), 2, "{text}");
            assert_eq!(error["line"], places[1], "{error}");
            assert!(message(&error).contains(&format!("at line {}", places[0])), "{error}");
        }
    }
}

/// B08.
#[test]
fn what_is_no_id_is_refused_with_the_pattern_of_ids() {
    let repo = repo();
    let long = "x".repeat(1000);
    for id in ["../x", "con", "", &long, "🦀", "a b", "a\u{1b}[2J", "-x", "x.lock"] {
        for error in refused(&repo, &[task(&json!({"id": id}))], "bad-id") {
            assert!(help(&error).contains("letters, digits"), "{error}");
            assert!(message(&error).len() < 500, "{error}");
            assert!(line_of(&repo, &error).contains("id"), "{error}");
        }
    }
}

/// B09.
#[test]
fn an_unknown_dependency_is_refused_with_the_nearest_id() {
    let repo = repo();
    for error in
        refused(&repo, &[needing("parser", &[]), needing("cli", &["parsre"])], "unknown-dependency")
    {
        assert!(message(&error).contains("\"cli\" needs \"parsre\""), "{error}");
        assert!(help(&error).contains("did you mean \"parser\"?"), "{error}");
        assert!(line_of(&repo, &error).contains("parsre"), "{error}");
    }
    // If no similar id exists, there is a hint all the same.
    for error in refused(&repo, &[needing("cli", &["somewhere-else"])], "unknown-dependency") {
        assert!(message(&error).contains("somewhere-else"), "{error}");
    }
}

/// B10.
#[test]
fn a_task_that_needs_itself_is_refused() {
    let repo = repo();
    for error in refused(&repo, &[needing("A", &["A"])], "cycle") {
        assert!(message(&error).contains("\"A\" needs itself"), "{error}");
    }
}

/// B10.
#[test]
fn a_circle_of_two_is_printed_as_its_path() {
    let repo = repo();
    for error in refused(&repo, &[needing("A", &["B"]), needing("B", &["A"])], "cycle") {
        assert!(message(&error).contains("A → B → A"), "{error}");
    }
}

/// B10: the path is printed completely, however long it is.
#[test]
fn a_circle_of_500_is_printed_as_its_path() {
    let repo = repo();
    let id = |n: usize| format!("N{:03}", n % 500);
    let tasks: Vec<Value> = (0..500).map(|n| needing(&id(n), &[&id(n + 1)])).collect();
    let mut path = id(0);
    for n in 1..=500 {
        let _ = write!(path, " → {}", id(n));
    }
    for error in refused(&repo, &tasks, "cycle") {
        assert!(message(&error).contains(&path), "{error}");
    }
}

/// B11: no recursion, nothing quadratic in memory.
#[test]
fn ten_thousand_tasks_in_a_chain_are_shown() {
    let repo = repo();
    let id = |n: usize| format!("C{n:05}");
    let tasks: Vec<Value> = (0..10_000)
        .map(|n| if n == 0 { needing(&id(0), &[]) } else { needing(&id(n), &[&id(n - 1)]) })
        .collect();
    write(&repo, &tasks);
    for file in [TOML, JSON] {
        let shown = bounded(&repo, &["show", file, "--json"]).expect(0).json();
        assert_eq!(shown["tasks"].as_array().map(Vec::len), Some(10_000));
        assert_eq!(shown["waves"].as_array().map(Vec::len), Some(10_000));
        assert_eq!(shown["critical_path"].as_array().map(Vec::len), Some(10_000));
        assert_eq!(shown["tasks"][9_999]["wave"], 10_000);
        bounded(&repo, &["show", file]).expect(0);
    }
}

/// B11.
#[test]
fn ten_thousand_independent_tasks_are_shown_in_one_wave() {
    let repo = repo();
    let tasks: Vec<Value> = (0..10_000).map(|n| needing(&format!("I{n:05}"), &[])).collect();
    write(&repo, &tasks);
    for file in [TOML, JSON] {
        let shown = bounded(&repo, &["show", file, "--json"]).expect(0).json();
        assert_eq!(shown["waves"].as_array().map(Vec::len), Some(1));
        assert_eq!(shown["waves"][0].as_array().map(Vec::len), Some(10_000));
        assert_eq!(shown["conflicts"], json!([]));
        bounded(&repo, &["run", file, "--dry-run"]).expect(0);
    }
}
