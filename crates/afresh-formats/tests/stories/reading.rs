//! The same plan from TOML and from JSON (FO-05).

use afresh_core::plan::TaskIndex;
use afresh_core::plan::{ContextLevel, FileAction, TierChoice};

use crate::{json, toml};

pub(crate) const TOML: &str = r#"version = 1
name = "greeting service"
spec = "spec.md"

[[task]]
id = "T001"
title = "Create the greeter"
files = ["src/greet.py", { path = "src/old.py", action = "delete" }]
do = """
Write greet(name).
Test it."""
checks = ["python3 -m py_compile src/greet.py", { run = "pytest", name = "tests", red_first = true }]

[[task]]
id = "T002"
title = "Command line"
needs = ["T001"]
tier = "small"
context = "full"
agent = "claude"
steps = [
  { name = "parser", files = ["src/cli.py"], do = "…", checks = ["true"] },
  { name = "help text", files = ["src/cli.py"], do = "…" },
]
no_check = "documentation only"
"#;

pub(crate) const JSON: &str = r#"{
  "version": 1,
  "name": "greeting service",
  "spec": "spec.md",
  "task": [
    {
      "id": "T001",
      "title": "Create the greeter",
      "files": ["src/greet.py", {"path": "src/old.py", "action": "delete"}],
      "do": "Write greet(name).\nTest it.",
      "checks": ["python3 -m py_compile src/greet.py",
                 {"run": "pytest", "name": "tests", "red_first": true}]
    },
    {
      "id": "T002",
      "title": "Command line",
      "needs": ["T001"],
      "tier": "small",
      "context": "full",
      "agent": "claude",
      "steps": [
        {"name": "parser", "files": ["src/cli.py"], "do": "…", "checks": ["true"]},
        {"name": "help text", "files": ["src/cli.py"], "do": "\u2026"}
      ],
      "no_check": "documentation only"
    }
  ]
}
"#;

/// FO-05.
#[test]
fn toml_and_json_give_the_same_plan() {
    let (one, other) = (toml(TOML), json(JSON));
    assert!(one.findings.is_empty() && other.findings.is_empty());
    let plan = one.plan.expect("a plan");
    assert_eq!(Some(&plan), other.plan.as_ref());
    let (first, second) = (plan.task(TaskIndex::new(0)), plan.task(TaskIndex::new(1)));
    assert_eq!(first.instructions, "Write greet(name).\nTest it.");
    assert_eq!(first.files[1].action, Some(FileAction::Delete));
    assert!(first.checks[1].red_first && first.checks[1].name == "tests");
    assert_eq!((second.tier, second.context), (Some(TierChoice::Small), Some(ContextLevel::Full)));
    assert_eq!(second.steps[1].name, "help text");
    assert_eq!(plan.needs(TaskIndex::new(1)), [TaskIndex::new(0)]);
}

/// FO-06: unknown fields are kept with their source text, and a warning is given.
#[test]
fn unknown_fields_are_kept() {
    let reading = toml(
        "version = 1\nowner = \"me\"\n[[task]]\nid = \"A\"\ntitle = \"a\"\nestimate = [1, 2]\n\
         checks = [{ run = \"true\", shell = \"zsh\" }]\nfiles = [{ path = \"a\", mode = 7 }]\n\
         steps = [{ name = \"s\", files = [{ path = \"b\", mode = 8 }], color = \"red\" }]\n",
    );
    assert!(reading.plan.is_some(), "{:?}", reading.findings);
    let kept: Vec<String> =
        reading.unknown.iter().map(|(path, text)| format!("{path} = {text}")).collect();
    assert_eq!(
        kept,
        [
            "owner = \"me\"",
            "task.0.checks.0.shell = \"zsh\"",
            "task.0.estimate = [1, 2]",
            "task.0.files.0.mode = 7",
            "task.0.steps.0.color = \"red\"",
            "task.0.steps.0.files.0.mode = 8",
        ]
    );
    assert!(reading.findings.iter().all(|finding| !finding.is_error()));
    assert_eq!(reading.findings.len(), kept.len());
}

/// A plan without a version counts as version 1, with a warning.
#[test]
fn a_missing_version_is_a_warning_and_another_one_an_error() {
    let task = "[[task]]\nid = \"A\"\ntitle = \"a\"\nchecks = [\"true\"]\n";
    let reading = toml(task);
    assert!(reading.plan.is_some() && reading.findings.len() == 1);
    let reading = toml(&format!("version = 2\n{task}"));
    assert!(reading.plan.is_none() && reading.findings[0].code == "version");
}
