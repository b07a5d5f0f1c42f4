//! Any text is a plan or has located problems; a plan survives both notations.

use afresh_core::Plan;
use afresh_core::plan::{
    CheckDraft, Checkpoint, CheckpointKind, ContextLevel, FileAction, FileDraft, PlanDraft,
    StepDraft, TaskDraft, TierChoice,
};
use afresh_formats::native::read;
use afresh_formats::reading::PlanReading;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::drafts::draft;
use crate::reading::{JSON, TOML};

#[track_caller]
fn plan_or_located_problems(file: &str, bytes: &[u8]) -> PlanReading {
    let reading = read(file, bytes);
    let errors: Vec<_> = reading.findings.iter().filter(|finding| finding.is_error()).collect();
    assert_eq!(reading.plan.is_none(), !errors.is_empty(), "{:?}", reading.findings);
    let lines = bytes.split(|byte| *byte == b'\n').count();
    for finding in &reading.findings {
        assert!(finding.line <= lines, "{finding:?}");
        assert!(finding.hint.is_some(), "{finding:?}");
        assert!(!finding.render().is_empty());
    }
    reading
}

/// FO-06: a file that was cut off, at any byte.
#[test]
fn a_plan_cut_off_anywhere_is_a_plan_or_located_problems() {
    for (file, text) in [("p.toml", TOML), ("p.json", JSON)] {
        for end in 0..text.len() {
            let reading = plan_or_located_problems(file, &text.as_bytes()[..end]);
            let whole = end >= text.trim_end().len();
            assert!(file == "p.toml" || reading.plan.is_none() || whole, "cut off at {end}");
        }
    }
}

/// FO-06: a file that lost any line, or has one twice.
#[test]
fn a_plan_without_any_line_is_a_plan_or_located_problems() {
    for (file, text) in [("p.toml", TOML), ("p.json", JSON)] {
        let lines: Vec<&str> = text.lines().collect();
        for at in 0..lines.len() {
            let (before, after) = (&lines[..at], &lines[at + 1..]);
            plan_or_located_problems(file, [before, after].concat().join("\n").as_bytes());
            plan_or_located_problems(
                file,
                [before, &lines[at..=at], &lines[at..]].concat().join("\n").as_bytes(),
            );
        }
    }
}

/// The draft as the data of both notations.
fn data(draft: &PlanDraft) -> Value {
    let mut plan = Map::new();
    plan.insert("version".to_owned(), json!(1));
    plan.insert("name".to_owned(), json!(draft.name));
    if let Some(spec) = &draft.spec {
        plan.insert("spec".to_owned(), json!(spec));
    }
    plan.insert("task".to_owned(), draft.tasks.iter().map(task_data).collect());
    Value::Object(plan)
}

fn task_data(task: &TaskDraft) -> Value {
    let mut fields = Map::new();
    fields.insert("id".to_owned(), json!(task.id));
    fields.insert("title".to_owned(), json!(task.title));
    fields.insert("do".to_owned(), json!(task.instructions));
    fields.insert("needs".to_owned(), json!(task.needs));
    fields.insert("requirements".to_owned(), json!(task.requirements));
    fields.extend(task.phase.map(|phase| ("phase".to_owned(), json!(phase))));
    fields.extend(task.commit.as_ref().map(|label| ("type".to_owned(), json!(label))));
    fields.insert("steel_thread".to_owned(), json!(task.steel_thread));
    fields.insert("acceptance".to_owned(), json!(task.acceptance));
    if !task.attempts_by.is_empty() {
        fields.insert("attempts_by".to_owned(), json!(task.attempts_by));
    }
    fields.extend(task.land.map(|rule| ("land".to_owned(), json!(rule))));
    fields.insert("files".to_owned(), task.files.iter().map(file_data).collect());
    fields.insert("checks".to_owned(), task.checks.iter().map(check_data).collect());
    fields.insert("steps".to_owned(), task.steps.iter().map(step_data).collect());
    let words = [
        ("no_check", task.no_check.as_deref()),
        ("agent", task.agent.as_deref()),
        ("done_before", task.done_before.as_deref()),
        ("tier", task.tier.map(TierChoice::word)),
        (
            "context",
            task.context.map(|level| match level {
                ContextLevel::Minimal => "minimal",
                ContextLevel::Standard => "standard",
                ContextLevel::Full => "full",
            }),
        ),
    ];
    for (key, value) in words {
        fields.extend(value.map(|word| (key.to_owned(), json!(word))));
    }
    let checkpoint = task.checkpoint.as_ref().map(checkpoint_data);
    fields.extend(checkpoint.map(|data| ("checkpoint".to_owned(), data)));
    Value::Object(fields)
}

fn step_data(step: &StepDraft) -> Value {
    let files: Value = step.files.iter().map(file_data).collect();
    let checks: Value = step.checks.iter().map(check_data).collect();
    json!({"name": step.name, "do": step.instructions, "files": files, "checks": checks})
}

fn checkpoint_data(checkpoint: &Checkpoint) -> Value {
    let kind = match checkpoint.kind {
        CheckpointKind::Verify => "verify",
        CheckpointKind::Decision => "decision",
        CheckpointKind::Action => "action",
    };
    let options: Value = checkpoint
        .options
        .iter()
        .map(|choice| json!({"key": choice.key, "description": choice.description}))
        .collect();
    json!({"kind": kind, "text": checkpoint.text, "options": options})
}

fn file_data(file: &FileDraft) -> Value {
    match file.action {
        None => json!(file.path),
        Some(FileAction::Create) => json!({"path": file.path, "action": "create"}),
        Some(FileAction::Modify) => json!({"path": file.path, "action": "modify"}),
        Some(FileAction::Delete) => json!({"path": file.path, "action": "delete"}),
    }
}

fn check_data(check: &CheckDraft) -> Value {
    let (red_first, guard) = (check.red_first, check.guard);
    match (&check.name, red_first, guard) {
        (None, false, false) => json!(check.command),
        (None, ..) => json!({"run": check.command, "red_first": red_first, "guard": guard}),
        (Some(name), ..) => {
            json!({"run": check.command, "name": name, "red_first": red_first, "guard": guard})
        }
    }
}

/// The same data in TOML.
fn in_toml(data: &Value) -> String {
    let Value::Object(plan) = data else { panic!("a plan is a table") };
    let mut document = toml_edit::DocumentMut::new();
    for (key, value) in plan {
        if let (Value::Array(tasks), "task") = (value, key.as_str()) {
            let tables = tasks.iter().map(|task| match toml_value(task) {
                toml_edit::Value::InlineTable(table) => table.into_table(),
                other => panic!("a task is a table, not {other}"),
            });
            document["task"] =
                toml_edit::Item::ArrayOfTables(tables.collect::<toml_edit::ArrayOfTables>());
        } else {
            document[key] = toml_edit::Item::Value(toml_value(value));
        }
    }
    document.to_string()
}

fn toml_value(value: &Value) -> toml_edit::Value {
    match value {
        Value::String(text) => text.as_str().into(),
        Value::Bool(flag) => (*flag).into(),
        Value::Number(number) => number.as_i64().expect("a whole number").into(),
        Value::Array(items) => {
            toml_edit::Value::Array(items.iter().map(toml_value).collect::<toml_edit::Array>())
        }
        Value::Object(fields) => {
            let table: toml_edit::InlineTable =
                fields.iter().map(|(key, value)| (key.as_str(), toml_value(value))).collect();
            toml_edit::Value::InlineTable(table)
        }
        Value::Null => panic!("nothing is null"),
    }
}

proptest! {
    /// FO-05: a plan is the same in TOML and in JSON, and equals the draft.
    #[test]
    fn a_plan_survives_both_notations(draft in draft()) {
        let meant = Plan::new(draft.clone());
        let data = data(&draft);
        let text = serde_json::to_string_pretty(&data).expect("JSON");
        let one = plan_or_located_problems("p.json", text.as_bytes());
        let other = plan_or_located_problems("p.toml", in_toml(&data).as_bytes());
        prop_assert_eq!(&one.plan, &other.plan);
        match meant {
            Ok(plan) => prop_assert_eq!(one.plan, Some(plan)),
            Err(problems) => prop_assert_eq!(one.findings.len(), problems.len()),
        }
    }

    /// FO-06: any bytes at all.
    #[test]
    fn any_bytes_are_a_plan_or_located_problems(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        plan_or_located_problems("p.toml", &bytes);
        plan_or_located_problems("p.json", &bytes);
    }

    /// FO-06: a plan with one byte replaced.
    #[test]
    fn a_plan_with_a_wrong_byte_is_a_plan_or_located_problems(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        for (file, text) in [("p.toml", TOML), ("p.json", JSON)] {
            let mut bytes = text.as_bytes().to_vec();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            plan_or_located_problems(file, &bytes);
        }
    }
}
