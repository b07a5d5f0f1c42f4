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
    let problems = find_problems(repo, schema, printed);
    assert!(problems.is_empty(), "{problems:#?}\n{printed:#}");
}

/// Where a document does not fit its schema.
#[track_caller]
fn find_problems(repo: &TestRepo, schema: &str, printed: &Value) -> Vec<String> {
    let root: Value = repo.afresh(&["schema", schema]).expect(0).json();
    assert_eq!(root["x-afresh-json-version"], 1, "{schema}");
    let mut check = SchemaCheck { root: &root, problems: Vec::new() };
    check.check(&root, printed, schema);
    check.problems
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

/// Every command with `--json`, the schema of what it prints, and its exit code.
const COMMANDS: &[(&[&str], &str, i32)] = &[
    (&["show", "p.plan.toml"], "show", 0),
    (&["show", "p.plan.toml", "--why", "T001", "T002"], "show-why", 0),
    (&["lint", "bad.plan.toml"], "lint", 1),
    (&["lint", "bad.plan.toml", "--fix", "--dry-run"], "lint", 1),
    (&["lint", "--explain", "unchecked"], "lint-explain", 0),
    (&["import", "p.plan.toml", "-o", "q.plan.toml"], "import", 0),
    (&["export", "p.plan.toml", "--format", "prd", "-o", "exported"], "export", 0),
    (&["new", "new.plan.toml"], "new", 0),
    (&["trace", "--plan", "traced.plan.toml"], "trace", 0),
    (&["trace"], "trace", 0),
    (&["discover"], "discovery", 0),
    (&["audit", "spec.md"], "audit", 0),
    (&["plan"], "plan-list", 0),
    (&["plan", "validate", ".afresh/plans/s/s.plan.toml"], "plan-validate", 0),
    (&["plan", "load", "s"], "plan-load", 1),
    (&["plan", "status"], "plan-status", 0),
    (&["plan", "verdict", "READY", "It is all there."], "plan-verdict", 0),
    (&["init", "--dry-run"], "init", 0),
    (&["init", "--claude", "--dry-run"], "init-sessions", 0),
    (&["doctor"], "doctor", 0),
    (&["agents", "list"], "agents-list", 0),
    (&["config", "list"], "config-list", 0),
    (&["logs"], "logs", 0),
    (&["logs", "T001"], "logs-task", 0),
    (&["diff", "T001"], "diff", 0),
    (&["task", "show", "T002"], "task-show", 0),
    (&["task", "ready"], "task-ready", 0),
    (&["scan"], "scan", 1),
    (&["bundle", "generate", "T002"], "bundle-generate", 0),
    (&["bundle", "generate-ready"], "bundle-generate-ready", 0),
    (&["bundle", "list"], "bundle-list", 0),
    (&["bundle", "validate"], "bundle-validate", 0),
    (&["bundle", "validate-integrity"], "bundle-integrity", 0),
    (&["bundle", "clean"], "bundle-clean", 0),
    (&["decide", "Q1", "skip"], "decide", 0),
    (&["task", "retry", "T002"], "done", 0),
    (&["task", "start", "T002"], "task-start", 0),
    (&["task", "fail", "T002", "no compiler"], "task-complete", 0),
    (&["replay", "--check"], "replay-check", 0),
    (&["halt"], "done", 0),
    (&["resume", "--clear-only"], "done", 0),
    (&["verify-run"], "verify-run", 0),
    (&["land", "--partial", "--dry-run"], "land", 0),
    (&["land", "--partial", "--patch", "x.patch"], "land", 0),
    (&["land", "--partial"], "land", 0),
    (&["land", "--partial"], "land", 0),
    (&["rewind", "T001", "--dry-run"], "rewind", 0),
    (&["rewind", "T001"], "rewind", 0),
    (&["clean", "--dry-run"], "clean", 0),
    (&["abort"], "done", 0),
    (&["clean"], "clean", 0),
    (&["version"], "version", 0),
];

/// HU-08: every command with `--json` has a schema, and what it really prints fits.
#[test]
fn the_output_of_every_command_fits_its_schema() {
    let (repo, _) = finished();
    repo.write(
        "bad.plan.toml",
        "version = 1\n[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a\"]\n",
    );
    repo.write("spec.md", "# S\n\n- **FR-001**: It works.\n- **FR-002**: Well.\n");
    repo.write(
        "traced.plan.toml",
        "version = 1\nspec = \"spec.md\"\n[[task]]\nid = \"A\"\ntitle = \"a\"\nfiles = [\"a\"]\n\
         checks = [\"test -s a\"]\nrequirements = [\"FR-001\"]\n",
    );
    let key = ["sk-ant-api03", &"aB3dE5gH7j".repeat(9), "AA"].join("-");
    repo.write("leak.txt", &format!("KEY = \"{key}\"\n"));
    repo.git(&["add", "leak.txt"]);
    // A plan of one planner, as it is stored.
    let ledger = r#"{"version": 1, "statements": [{"id": "FR-001", "quote": "It works.", "file": "spec.md", "line": 3, "hash": "0"}]}"#;
    repo.write(".afresh/plans/s/spec.md", "# S\n\n- **FR-001**: It works.\n");
    repo.write(".afresh/plans/s/ledger.json", ledger);
    repo.write(
        ".afresh/plans/s/s.plan.toml",
        "version = 1\nname = \"s\"\n[[task]]\nid = \"A\"\ntitle = \"a\"\n\
         files = [{ path = \"a\", action = \"create\" }]\nchecks = [\"test -s a\"]\nrequirements = [\"FR-001\"]\n",
    );
    let mut problems = Vec::new();
    for (args, schema, code) in COMMANDS {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let printed = repo.afresh(&args);
        if printed.code != Some(*code) {
            problems.push(format!("{args:?}: {printed:?}"));
            continue;
        }
        problems.extend(find_problems(&repo, schema, &printed.json()));
    }
    assert!(problems.is_empty(), "{problems:#?}");
}

/// HU-08: the table of docs/json.md names every schema, and `afresh schema` knows every command of the table.
#[test]
fn the_documentation_names_every_schema() {
    let repo = repo();
    let refused = repo.afresh(&["schema", "nonsense"]).expect(2);
    let page = include_str!("../../../../docs/json.md");
    let help = repo.afresh(&["schema", "--help"]).expect(0).stdout;
    let names = help.lines().filter_map(|line| line.trim().strip_prefix("- ")?.split(':').next());
    let names: Vec<&str> = names.collect();
    assert!(names.len() > 30, "{help} {refused:?}");
    for name in names {
        assert!(page.contains(&format!("`{name}`")), "docs/json.md does not name {name}");
    }
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
