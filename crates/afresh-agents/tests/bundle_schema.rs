//! The published JSON Schema of bundles describes the bundles that are written.

use afresh_agents::Bundle;
use serde_json::{Value, json};

/// A bundle with something in every field.
fn full_bundle() -> Value {
    let mut bundle = json!({
        "version": 1, "run": "r1", "plan": "a plan", "attempt": {"task": "B", "number": 2},
        "attempts_allowed": 3, "base": "0123456789abcdef0123456789abcdef01234567",
        "target": "/work", "task": Value::Null,
        "role": {"name": "reviewer", "text": "You review."},
        "context": "full", "first_step": 1, "without": ["C"], "always": ["true"],
        "feedback": Value::Null, "left": {
            "attempt": {"task": "B", "number": 1}, "why": "halted",
            "commit": "0123456789abcdef0123456789abcdef01234567", "changes": ["M a.rs"],
        },
        "goes_on": false, "answers": [],
        "position": {"plan_file": "p", "task": 2, "of_tasks": 3, "wave": 1, "of_waves": 2},
        "project": {"name": "n", "description": "d"}, "patterns": "p",
        "spec": {"file": "s.md", "text": "t", "whole": true, "cut": false},
        "built_on": [{
            "task": "A", "title": "a", "commit": "0123456789abcdef0123456789abcdef01234567",
            "created": ["a"], "modified": [], "deleted": [], "deviations": [], "notes": Value::Null,
        }],
        "interfaces": [{"path": "a", "text": "t", "cut": false}],
        "recent": [], "sources": [{"path": "a", "sha256": "00", "from": "branch"}],
        "window": 200_000,
    });
    let plan = afresh_formats::native::read(
        "p.plan.toml",
        b"version = 1\n[[task]]\nid = \"B\"\ntitle = \"b\"\nfiles = [\"a.rs\"]\nchecks = [\"true\"]\n",
    );
    let plan = plan.plan.expect("a plan");
    bundle["task"] = serde_json::to_value(&plan.tasks()[0]).expect("JSON");
    bundle
}

/// Everything in which a value does not fit the schema. It knows the keywords that our schemas use.
fn problems(value: &Value, schema: &Value, root: &Value, path: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Some(name) = schema["$ref"].as_str() {
        let target = root.pointer(name.trim_start_matches('#')).expect("a definition");
        found.extend(problems(value, target, root, path));
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !types.is_empty() && !types.iter().any(|name| has_type(value, name)) {
        found.push(format!("{path} is not {}", types.join(" or ")));
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(ways) = schema[keyword].as_array() else { continue };
        if !ways.iter().any(|way| problems(value, way, root, path).is_empty()) {
            found.push(format!("{path} fits no alternative"));
        }
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        found.push(format!("{path} is none of the known words"));
    }
    if !schema["const"].is_null() && schema["const"] != *value {
        found.push(format!("{path} is not {}", schema["const"]));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.is_object() && value.get(name).is_none() {
            found.push(format!("{path} has no {name}"));
        }
    }
    for (name, part) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(inner) = value.get(name) {
            found.extend(problems(inner, part, root, &format!("{path}.{name}")));
        }
    }
    for item in value.as_array().into_iter().flatten().filter(|_| !schema["items"].is_null()) {
        found.extend(problems(item, &schema["items"], root, &format!("{path}[]")));
    }
    found
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        _ => false,
    }
}

/// PR-04: what is written fits the schema, and the schema has every field that is written.
#[test]
fn a_bundle_fits_its_published_schema() {
    let schema: Value = serde_json::from_str(&Bundle::schema()).expect("JSON");
    let bundle: Bundle = serde_json::from_value(full_bundle()).expect("a bundle");
    let written = serde_json::to_value(&bundle).expect("JSON");
    assert_eq!(problems(&written, &schema, &schema, "bundle"), [""; 0]);
    for name in written.as_object().expect("an object").keys() {
        assert!(!schema["properties"][name].is_null(), "{name} is not in the schema");
    }
}

/// PR-04: what does not fit the schema cannot be read as a bundle either, and the other way round.
#[test]
fn schema_and_reader_reject_the_same_bundles() {
    let schema: Value = serde_json::from_str(&Bundle::schema()).expect("JSON");
    let required = schema["required"].as_array().expect("a list");
    assert!(required.len() > 10, "{required:?}");
    for name in required.iter().filter_map(Value::as_str) {
        let mut bundle = full_bundle();
        bundle.as_object_mut().expect("an object").remove(name);
        assert!(!problems(&bundle, &schema, &schema, "bundle").is_empty(), "without {name}");
        assert!(serde_json::from_value::<Bundle>(bundle).is_err(), "without {name}");
    }
    for (pointer, wrong) in [
        ("/context", json!("huge")),
        ("/first_step", json!("one")),
        ("/position/wave", json!("first")),
        ("/spec/cut", json!(1)),
        ("/built_on/0/title", Value::Null),
        ("/sources/0/from", json!("elsewhere")),
        ("/task/title", json!(7)),
    ] {
        let mut bundle = full_bundle();
        *bundle.pointer_mut(pointer).expect(pointer) = wrong;
        assert!(!problems(&bundle, &schema, &schema, "bundle").is_empty(), "{pointer}");
        assert!(serde_json::from_value::<Bundle>(bundle).is_err(), "{pointer}");
    }
}
