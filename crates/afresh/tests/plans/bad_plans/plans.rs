//! One plan in both notations, refused by both commands.

use std::fmt::Write as _;

use afresh_testkit::TestRepo;
use serde_json::{Value, json};

use crate::support::refusal::refusal;

pub(crate) const TOML: &str = "p.plan.toml";
pub(crate) const JSON: &str = "p.plan.json";

pub(crate) fn repo() -> TestRepo {
    TestRepo::new(env!("CARGO_BIN_EXE_afresh"))
}

/// A task that is valid except for the given fields.
pub(crate) fn task(over: &Value) -> Value {
    let mut task = json!({"id": "T001", "title": "a task", "files": ["a.txt"], "checks": ["true"]});
    let fields = task.as_object_mut().expect("an object");
    fields.extend(over.as_object().expect("an object").clone());
    task
}

/// Writes the plan in both notations.
pub(crate) fn write(repo: &TestRepo, tasks: &[Value]) {
    repo.write(TOML, &to_toml(tasks));
    let plan = json!({"version": 1, "name": "test", "task": tasks});
    repo.write(JSON, &serde_json::to_string_pretty(&plan).expect("JSON"));
}

/// The errors with which the plan is refused, one per notation; `show` and `run` report the same.
#[track_caller]
pub(crate) fn refused(repo: &TestRepo, tasks: &[Value], kind: &str) -> Vec<Value> {
    write(repo, tasks);
    [TOML, JSON].map(|file| refused_file(repo, file, kind)).to_vec()
}

/// The error with which a plan file is refused; `show` and `run` report the same.
#[track_caller]
pub(crate) fn refused_file(repo: &TestRepo, file: &str, kind: &str) -> Value {
    let error = refusal(repo, &["show", file]);
    assert_eq!(refusal(repo, &["run", file]), error, "show and run differ");
    assert_eq!(
        (error["kind"].as_str(), error["file"].as_str()),
        (Some(kind), Some(file)),
        "{error}"
    );
    error
}

pub(crate) fn message(error: &Value) -> &str {
    error["message"].as_str().expect("a message")
}

pub(crate) fn help(error: &Value) -> &str {
    error["help"].as_str().expect("a remedy")
}

/// The line of the file that the error points to.
#[track_caller]
pub(crate) fn line_of(repo: &TestRepo, error: &Value) -> String {
    let file = error["file"].as_str().expect("a file");
    let text = std::fs::read_to_string(repo.root().join(file)).expect("the plan");
    let number = error["line"].as_u64().unwrap_or_else(|| panic!("no line in {error}"));
    let line = text.lines().nth(usize::try_from(number).expect("small") - 1).expect("that line");
    let column = error["column"].as_u64().expect("a column");
    assert!(column >= 1 && column <= line.chars().count() as u64 + 1, "{error}");
    line.to_owned()
}

fn to_toml(tasks: &[Value]) -> String {
    let mut text = String::from("version = 1\nname = \"test\"\n");
    for task in tasks {
        text.push_str("[[task]]\n");
        for (key, value) in task.as_object().expect("an object") {
            let _ = writeln!(text, "{key} = {}", inline(value));
        }
    }
    text
}

/// A JSON string is also a TOML string; only tables are written differently.
fn inline(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| format!("{key} = {}", inline(value));
            format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        plain => plain.to_string(),
    }
}
