//! Plans with one planted defect each, and clean ones (PL-08, PL-15, PL-16, PL-18).

use afresh_formats::folder::MemoryFolder;
use afresh_formats::native;
use afresh_planner::discovery::MemoryFiles;
use afresh_planner::ledger::{PhaseFilter, cut};
use afresh_planner::review::{PlanSubject, review_plan};
use afresh_planner::spec::Specification;

const SPEC: &str = "# Notes

## Requirements

- R1: `notes add TEXT` stores a note
- R2: `notes list` prints every note
- R3: An empty text is refused with exit code 2
- R4: `notes export FILE` writes all notes as JSON

## Phase 2: Sync

- R5: Notes are synced

## Out of scope

- R6: Accounts
";

const PLAN: &str = r#"version = 1
name = "notes"
spec = "spec.md"

[[task]]
id = "T1"
title = "Store notes"
requirements = ["R1"]
phase = 2
steel_thread = true
files = [{ path = "src/store.py", action = "create" }, { path = "tests/test_store.py", action = "create" }]
do = "Write the store in src/store.py, with src/paths.py for the location."
checks = [{ run = "python3 -m unittest tests.test_store", red_first = true }]

[[task]]
id = "T2"
title = "List notes"
needs = ["T1"]
requirements = ["R2"]
phase = 3
files = [{ path = "src/list.py", action = "create" }, { path = "tests/test_list.py", action = "create" }]
do = "Write src/list.py."
checks = ["python3 -m unittest tests.test_list"]

[[task]]
id = "T3"
title = "Refuse empty texts"
needs = ["T1"]
requirements = ["R3"]
phase = 3
files = [{ path = "src/paths.py", action = "modify" }, { path = "tests/test_empty.py", action = "create" }]
do = "Refuse an empty text."
checks = ["python3 -m unittest tests.test_empty"]

[[task]]
id = "T4"
title = "Export"
needs = ["T1"]
requirements = ["R4"]
phase = 3
files = [{ path = "src/export.py", action = "create" }, { path = "tests/test_export.py", action = "create" }]
do = "Write src/export.py."
checks = ["python3 -m unittest tests.test_export"]
"#;

/// The codes and lines of all errors.
fn errors(spec: &str, plan: &str) -> Vec<String> {
    let ledger = cut(&Specification::from_text("spec.md", spec.to_owned()), PhaseFilter::First);
    let folder = MemoryFolder::new([("p.plan.toml", plan)]);
    let reading = native::read("p.plan.toml", plan.as_bytes());
    let repository = MemoryFiles::new([
        ("src/paths.py", "x = 1\n".to_owned()),
        ("src/large.py", "x = 1\n".repeat(100_000)),
        ("a/util.py", String::new()),
        ("b/util.py", String::new()),
    ]);
    let subject = PlanSubject {
        reading: &reading,
        folder: &folder,
        ledger: &ledger,
        repository: &repository,
        window: 200_000,
        soft: 50,
    };
    let found =
        review_plan(subject).into_iter().filter(afresh_formats::findings::Finding::is_error);
    found.map(|finding| format!("{} {}:{}", finding.code, finding.file, finding.line)).collect()
}

fn planted(from: &str, to: &str) -> Vec<String> {
    assert!(PLAN.contains(from), "{from}");
    errors(SPEC, &PLAN.replace(from, to))
}

/// PL-08: a plan that is right has no finding.
#[test]
fn a_clean_plan_has_no_errors() {
    assert_eq!(errors(SPEC, PLAN), Vec::<String>::new());
}

/// PL-15: statements without tasks, tasks without statements, and those that are not in scope.
#[test]
fn statements_and_tasks_are_matched() {
    assert_eq!(planted(r#"["R4"]"#, r#"["R3"]"#), ["uncovered-statement spec.md:8"]);
    assert_eq!(planted(r#"["R4"]"#, r#"["R4", "R9"]"#), ["unknown-statement p.plan.toml:39"]);
    assert_eq!(planted(r#"["R4"]"#, r#"["R4", "R5"]"#), ["leaks-scope p.plan.toml:39"]);
    assert_eq!(planted(r#"["R4"]"#, r#"["R4", "R6"]"#), ["leaks-scope p.plan.toml:39"]);
    let idle = format!(
        "{PLAN}\n[[task]]\nid = \"T5\"\ntitle = \"More\"\nneeds = [\"T1\"]\nfiles = [\"x.py\"]\nchecks = [\"python3 x.py\"]\n"
    );
    assert_eq!(errors(SPEC, &idle), ["serves-nothing p.plan.toml:46"]);
}

/// PL-16: files and paths are resolved against the repository and the plan.
#[test]
fn paths_are_grounded() {
    let code = |from: &str, to: &str| {
        planted(from, to)
            .iter()
            .map(|it| it.split(' ').next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        code("\"src/paths.py\", action = \"modify\"", "\"src/path.py\", action = \"modify\""),
        ["missing-file"]
    );
    assert_eq!(
        code("\"src/export.py\", action = \"create\"", "\"src/paths.py\", action = \"create\""),
        ["ungrounded-path", "same-wave-file", "file-exists"]
    );
    assert_eq!(code("with src/paths.py for", "with lib/paths.py for"), ["ungrounded-path"]);
    assert_eq!(
        code("Write src/export.py.", "Write src/export.py, see src/unknown.py."),
        ["ungrounded-path"]
    );
    assert_eq!(
        code("Write src/export.py.", "Write src/export.py; it fills data/notes.json."),
        Vec::<String>::new()
    );
}

/// PL-15: no stage shrinks what was asked for.
#[test]
fn a_statement_is_not_shrunk() {
    assert_eq!(
        planted("Write src/export.py.", "Write a simplified export for now."),
        ["shrinks-statement p.plan.toml:37"]
    );
    assert_eq!(
        planted("Write src/export.py.", "Write src/export.py without hard-coded paths."),
        Vec::<String>::new()
    );
    let asked = SPEC.replace("as JSON", "as JSON, in a simplified form");
    let plan = PLAN.replace("Write src/export.py.", "Write the simplified form.");
    assert_eq!(errors(&asked, &plan), Vec::<String>::new());
}

/// PL-18: the steel thread is there, checked, one chain, and before the features.
#[test]
fn the_steel_thread_is_enforced() {
    assert_eq!(planted("steel_thread = true\n", ""), ["no-steel-thread p.plan.toml:6"]);
    assert_eq!(planted(", red_first = true", ""), ["steel-thread-unchecked p.plan.toml:13"]);
    let late = planted(
        "id = \"T4\"\ntitle = \"Export\"\nneeds = [\"T1\"]\n",
        "id = \"T4\"\ntitle = \"Export\"\n",
    );
    assert_eq!(late, ["steel-thread-late p.plan.toml:35"]);
}

/// PL-08: a cycle, a check that proves nothing, a task without a check, and a task that is too large.
#[test]
fn order_checks_and_sizes_are_judged() {
    let cycle = planted("id = \"T1\"\n", "id = \"T1\"\nneeds = [\"T2\"]\n");
    assert!(cycle.iter().any(|it| it.starts_with("cycle ")), "{cycle:?}");
    assert_eq!(
        planted("\"python3 -m unittest tests.test_export\"", "\"true\""),
        ["check-cannot-fail p.plan.toml:43"]
    );
    assert_eq!(
        planted("checks = [\"python3 -m unittest tests.test_export\"]\n", ""),
        ["unchecked p.plan.toml:35"]
    );
    let large =
        planted("\"src/paths.py\", action = \"modify\"", "\"src/large.py\", action = \"modify\"");
    assert_eq!(large, ["task-too-large p.plan.toml:31"]);
}
