//! What commands print with `--json` fits the schemas that `afresh schema` prints.

use crate::support::repo;
use afresh_testkit::TestRepo;
use serde_json::Value;

/// Fields that commands add to a task; the schema of a task is also that of the journal's states.
const ADDED: &[&str] = &["est_context"];

/// Where a value does not fit: a required field is missing, or a field is not described.
struct SchemaCheck<'a> {
    root: &'a Value,
    problems: Vec<String>,
}

impl SchemaCheck<'_> {
    /// All schemas that may apply to a value, with references followed.
    fn variants<'s>(&'s self, schema: &'s Value) -> Vec<&'s Value> {
        let mut found = Vec::new();
        let mut open = vec![schema];
        while let Some(schema) = open.pop() {
            if let Some(name) = schema["$ref"].as_str() {
                let pointer = name.trim_start_matches('#');
                open.push(self.root.pointer(pointer).expect("a reference leads somewhere"));
            }
            for several in ["anyOf", "oneOf", "allOf"] {
                open.extend(schema[several].as_array().into_iter().flatten());
            }
            found.push(schema);
        }
        found
    }

    fn check(&mut self, schema: &Value, value: &Value, location: &str) {
        let variants: Vec<Value> = self.variants(schema).into_iter().cloned().collect();
        match value {
            Value::Object(fields) => {
                let is_open = variants.iter().any(|it| {
                    it == &Value::Bool(true)
                        || it["additionalProperties"].is_object()
                        || it.as_object().is_some_and(serde_json::Map::is_empty)
                });
                for (name, value) in fields {
                    // Several variants may have a field of this name.
                    let known = variants.iter().filter_map(|it| it["properties"].get(name));
                    let known: Vec<Value> = known.cloned().collect();
                    if !known.is_empty() {
                        let inner = serde_json::json!({ "anyOf": known });
                        self.check(&inner, value, &format!("{location}.{name}"));
                    } else if !is_open && !ADDED.contains(&name.as_str()) {
                        self.problems.push(format!("{location}.{name} is not described"));
                    }
                }
                // A tagged variant has fields of its own: the one that fits best counts.
                let fits = |it: &&Value| {
                    let properties = it["properties"].as_object();
                    properties.is_some_and(|properties| {
                        let is_null = |name: &String| fields.get(name).is_none_or(Value::is_null);
                        properties.iter().all(|(name, it)| it["type"] != "null" || is_null(name))
                    })
                };
                let missing = |it: &Value| -> Vec<String> {
                    let required = it["required"].as_array().into_iter().flatten();
                    let names = required.filter_map(Value::as_str);
                    names.filter(|name| !fields.contains_key(*name)).map(str::to_owned).collect()
                };
                let best = variants.iter().filter(fits).map(missing).min_by_key(Vec::len);
                let missing = best.into_iter().flatten();
                self.problems.extend(missing.map(|name| format!("{location}.{name} is missing")));
            }
            Value::Array(items) => {
                let inner = variants.iter().find(|it| it["items"].is_object());
                if let Some(inner) = inner.map(|it| it["items"].clone()) {
                    for item in items {
                        self.check(&inner, item, &format!("{location}[]"));
                    }
                }
            }
            _ => {}
        }
    }
}

#[track_caller]
fn expect_fits(repo: &TestRepo, schema: &str, printed: &Value) {
    let root: Value = repo.afresh(&["schema", schema]).expect(0).json();
    assert_eq!(root["x-afresh-json-version"], 1, "{schema}");
    let mut check = SchemaCheck { root: &root, problems: Vec::new() };
    check.check(&root, printed, schema);
    assert!(check.problems.is_empty(), "{:#?}\n{printed:#}", check.problems);
}

/// A run with a merged task, a failed one and an open question.
fn finished() -> (TestRepo, Vec<Value>) {
    let repo = repo();
    repo.plan_of(2);
    repo.agent("[ $AFRESH_TASK = T001 ] || exit 1; echo x > T001.txt");
    let run = repo.run(&["--json", "--no-input", "--parallel", "1"]).expect(4);
    let events = run.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    (repo, events)
}

/// Scripts can rely on the published schemas.
#[test]
fn outputs_fit_their_schemas() {
    let (repo, events) = finished();
    for (command, schema) in
        [("status", "status"), ("questions", "questions"), ("runs", "runs"), ("report", "report")]
    {
        let printed = repo.afresh(&[command, "--json"]);
        expect_fits(&repo, schema, &printed.json());
    }
    assert!(events.len() > 10, "{events:?}");
    for event in &events {
        expect_fits(&repo, "events", event);
    }
    let refused = repo.afresh(&["decide", "Q9", "x", "--json"]);
    expect_fits(&repo, "error", &refused.json());
}

/// A schema that does not describe a field is noticed.
#[test]
fn a_field_that_is_not_described_is_noticed() {
    let root = serde_json::json!({"properties": {"a": {"items": {"$ref": "#/$defs/b"}}}, "required": ["a"],
        "$defs": {"b": {"properties": {"c": {}}, "required": ["c"]}}});
    let problems = |value: Value| {
        let mut check = SchemaCheck { root: &root, problems: Vec::new() };
        check.check(&root, &value, "x");
        check.problems
    };
    assert_eq!(problems(serde_json::json!({"a": [{"c": 1}]})), [] as [&str; 0]);
    assert_eq!(
        problems(serde_json::json!({"a": [{"c": 1, "d": 2}]})),
        ["x.a[].d is not described"]
    );
    assert_eq!(problems(serde_json::json!({})), ["x.a is missing"]);
}

/// HU-08: without a run, `status` prints another document, and the schema describes that too.
#[test]
fn the_status_of_no_run_fits_its_schema() {
    let repo = repo();
    let none = repo.afresh(&["status", "--json"]).expect(0).json();
    assert_eq!(none, serde_json::json!({"run": null}));
    expect_fits(&repo, "status", &none);
    // Half a status is not taken for it.
    let root: Value = repo.afresh(&["schema", "status"]).expect(0).json();
    let mut check = SchemaCheck { root: &root, problems: Vec::new() };
    check.check(&root, &serde_json::json!({"run": "test-1"}), "status");
    assert!(
        check.problems.contains(&"status.branch is missing".to_owned()),
        "{:?}",
        check.problems
    );
}
