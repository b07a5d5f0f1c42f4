//! Artifacts of planning: everything that is wrong is found, with its rule and its place.

use afresh_formats::Finding;
use afresh_formats::folder::MemoryFolder;
use afresh_planner::artifacts::ArtifactKind::{
    self, Acceptance, CapabilityMap, PhysicalMap, Task, Verdict,
};
use afresh_planner::discovery::MemoryFiles;
use afresh_planner::ledger::{Ledger, PhaseFilter, cut};
use afresh_planner::spec::Specification;
use afresh_planner::validation::ArtifactSubject;

const SPEC: &str = "# Notes\n\n## Behaviour\n\n- `add` stores a note\n- `list` shows all notes\n\
    - A note must be at most 200 characters long\n- Notes can be exported as JSON\n\n## Out of scope\n\n- Sharing\n";

const CAPABILITIES: &str = r#"{"version": "1.0",
 "domains": [{"id": "D1", "name": "Notes", "capabilities": [{"id": "C1", "name": "Keep", "behaviors": [
   {"id": "B1", "name": "Store", "type": "state", "statements": ["S1", "S3"]},
   {"id": "B2", "name": "List", "type": "output", "statements": ["S2"]},
   {"id": "B3", "name": "Export", "type": "output", "statements": ["S4"]}]}]}],
 "flows": [{"id": "F1", "name": "Add and list", "is_steel_thread": true,
   "steps": [{"behavior_id": "B1"}, {"behavior_id": "B2"}]}]}"#;

const FILES: &str = r#"{"version": "1.0", "file_mapping": [
 {"behavior_id": "B1", "files": [{"path": "src/store.py", "action": "create"}],
  "tests": [{"path": "tests/test_store.py", "action": "create"}]},
 {"behavior_id": "B2", "files": [{"path": "src/cli.py", "action": "modify"}]},
 {"behavior_id": "B3", "files": [{"path": "src/export.py", "action": "create"}]}]}"#;

const STORE: &str = r#"{"id": "T001", "name": "Store notes", "behaviors": ["B1"],
 "files": [{"path": "src/store.py", "action": "create"}, {"path": "tests/test_store.py", "action": "create"}],
 "instructions": "store.add(text) keeps a note of at most 200 characters.", "interface": "store.add(text)",
 "acceptance_criteria": [{"criterion": "A note of 201 characters raises ValueError",
   "verification": "python3 -m unittest tests.test_store"}]}"#;

const CLI: &str = r#"{"id": "T002", "name": "List notes", "behaviors": ["B2"],
 "files": [{"path": "src/cli.py", "action": "modify"}],
 "instructions": "The command list prints every note in one line.", "dependencies": {"tasks": ["T001"]},
 "acceptance_criteria": [{"criterion": "list prints an added note", "end_to_end": true,
   "verification": "python3 src/cli.py add x && python3 src/cli.py list | grep -qx x"}]}"#;

const EXPORT: &str = r#"{"id": "T003", "name": "Export notes", "behaviors": ["B3"],
 "files": [{"path": "src/export.py", "action": "create"}],
 "instructions": "The command export prints all notes as a JSON list.",
 "acceptance_criteria": [{"criterion": "export prints a JSON list", "verification": "python3 src/export.py | python3 -m json.tool"}]}"#;

const ACCEPTANCE: &str = r#"{"version": "1.0", "scenarios": [
 {"id": "A1", "task": "T001", "statements": ["S1", "S3"], "scenario": "Given 201 characters, then it is refused.",
  "files": ["tests/acceptance/test_store.py"], "command": "python3 -m unittest tests.acceptance.test_store"},
 {"id": "A2", "task": "T002", "statements": ["S2"], "scenario": "Given a note, then it is listed.",
  "files": ["tests/acceptance/test_list.py"], "command": "python3 -m unittest tests.acceptance.test_list"}],
 "untestable": [{"statement": "S4", "reason": "the format is left to the author"}]}"#;

const READY: &str = r#"{"version": "1.0", "verdict": "READY", "summary": "All statements are met.",
 "tasks": [{"task": "T001", "evidence": "S1 and S3 are in its instructions"},
  {"task": "T002", "evidence": "S2 is in its instructions"}, {"task": "T003", "evidence": "S4 is in its instructions"}]}"#;

/// Every artifact, by its path below the plan's directory.
const ARTIFACTS: &[(&str, &str)] = &[
    ("artifacts/capability-map.json", CAPABILITIES),
    ("artifacts/physical-map.json", FILES),
    ("tasks/T001.json", STORE),
    ("tasks/T002.json", CLI),
    ("tasks/T003.json", EXPORT),
    ("artifacts/acceptance.json", ACCEPTANCE),
    ("reports/verdict.json", READY),
];

const MAP: &str = "artifacts/capability-map.json";
const FILE_MAP: &str = "artifacts/physical-map.json";
const STORE_FILE: &str = "tasks/T001.json";
const CLI_FILE: &str = "tasks/T002.json";
const EXPORT_FILE: &str = "tasks/T003.json";
const TESTS: &str = "artifacts/acceptance.json";
const VERDICT: &str = "reports/verdict.json";

/// A kind of artifact, the file with a slip, what is replaced by what, and the finding.
const SLIPS: &[(ArtifactKind, &str, &str, &str, &str)] = &[
    (CapabilityMap, MAP, "\"S4\"", "\"S2\"", "uncovered-statement"),
    (CapabilityMap, MAP, "\"S4\"", "\"S4\", \"S5\"", "leaks-scope"),
    (CapabilityMap, MAP, "\"S4\"", "\"S4\", \"S44\"", "unknown-statement"),
    (CapabilityMap, MAP, "\"state\"", "\"gadget\"", "wrong-form"),
    (CapabilityMap, MAP, "\"id\": \"B3\"", "\"id\": \"B2\"", "duplicate-id"),
    (CapabilityMap, MAP, "\"behavior_id\": \"B2\"", "\"behavior_id\": \"B8\"", "unknown-behavior"),
    (CapabilityMap, MAP, "true", "false", "no-steel-thread"),
    (CapabilityMap, MAP, "\"flows\"", "\"flow\"", "wrong-form"),
    (CapabilityMap, MAP, "{\"version\"", "{\"version", "syntax"),
    (
        PhysicalMap,
        FILE_MAP,
        "\"src/cli.py\", \"action\": \"modify\"",
        "\"src/cli.py\", \"action\": \"create\"",
        "file-exists",
    ),
    (PhysicalMap, FILE_MAP, "\"src/cli.py\"", "\"src/clii.py\"", "missing-file"),
    (PhysicalMap, FILE_MAP, "\"src/export.py\"", "\"../export.py\"", "bad-path"),
    (PhysicalMap, FILE_MAP, "\"B3\"", "\"B2\"", "duplicate-id"),
    (PhysicalMap, FILE_MAP, "\"B3\"", "\"B2\"", "unmapped-behavior"),
    (PhysicalMap, FILE_MAP, "\"B3\"", "\"B9\"", "unknown-behavior"),
    (Task, STORE_FILE, "[\"B1\"]", "[\"B2\"]", "uncovered-behavior"),
    (Task, STORE_FILE, "[\"B1\"]", "[\"B1\", \"B9\"]", "unknown-behavior"),
    (Task, STORE_FILE, "tests/test_store.py", "tests/test_stores.py", "file-without-owner"),
    (
        Task,
        STORE_FILE,
        "A note of 201 characters raises ValueError",
        "The store works correctly",
        "vague-criterion",
    ),
    (Task, STORE_FILE, "python3 -m unittest tests.test_store", "true # tests", "check-cannot-fail"),
    (Task, STORE_FILE, "\"id\": \"T001\"", "\"id\": \"T009\"", "id-unlike-file"),
    (
        Task,
        STORE_FILE,
        "keeps a note of",
        "is a simplified version for now of",
        "shrinks-statement",
    ),
    (
        Task,
        STORE_FILE,
        "\"interface\": \"store.add(text)\"",
        "\"dependencies\": {\"tasks\": [\"T002\"]}",
        "cycle",
    ),
    (Task, CLI_FILE, "\"tasks\": [\"T001\"]", "\"tasks\": [\"T077\"]", "unknown-dependency"),
    (
        Task,
        EXPORT_FILE,
        "\"path\": \"src/export.py\", \"action\": \"create\"",
        "\"path\": \"src/export.py\", \"action\": \"modify\"",
        "missing-file",
    ),
    (
        Task,
        EXPORT_FILE,
        "\"acceptance_criteria\": [{",
        "\"acceptance_criteria\": [], \"x\": [{",
        "wrong-form",
    ),
    (Acceptance, TESTS, "\"untestable\"", "\"unused\"", "untested-statement"),
    (
        Acceptance,
        TESTS,
        "\"statements\": [\"S2\"]",
        "\"statements\": [\"S1\"]",
        "other-tasks-statement",
    ),
    (
        Acceptance,
        TESTS,
        "\"statements\": [\"S2\"]",
        "\"statements\": [\"S2\", \"S5\"]",
        "leaks-scope",
    ),
    (Acceptance, TESTS, "\"task\": \"T002\"", "\"task\": \"T020\"", "unknown-task"),
    (
        Acceptance,
        TESTS,
        "[\"tests/acceptance/test_list.py\"]",
        "[\"tests/acceptance/test_store.py\"]",
        "shared-test-file",
    ),
    (
        Acceptance,
        TESTS,
        "[\"tests/acceptance/test_list.py\"]",
        "[\"tests/test_cli.py\"]",
        "unmarked-test-file",
    ),
    (
        Acceptance,
        TESTS,
        "[\"tests/acceptance/test_list.py\"]",
        "[\"tests/acceptance/gone.py\"]",
        "unreadable",
    ),
    (
        Acceptance,
        TESTS,
        "[\"tests/acceptance/test_list.py\"]",
        "[\"tests/old_acceptance.py\"]",
        "file-exists",
    ),
    (
        Acceptance,
        TESTS,
        "python3 -m unittest tests.acceptance.test_list",
        "make test",
        "broad-command",
    ),
    (Acceptance, TESTS, "\"id\": \"A2\"", "\"id\": \"A1\"", "duplicate-id"),
    (
        Verdict,
        VERDICT,
        "{\"task\": \"T003\", \"evidence\": \"S4 is in its instructions\"}",
        "{\"task\": \"T001\", \"evidence\": \"S4 is in its instructions\"}",
        "no-evidence",
    ),
    (Verdict, VERDICT, "\"T003\"", "\"T033\"", "unknown-task"),
    (Verdict, VERDICT, "READY", "BLOCKED", "verdict-unlike-issues"),
    (
        Verdict,
        VERDICT,
        "\"summary\"",
        "\"issues\": [{\"rule\": \"wrong-order\", \"place\": \"here\", \"severity\": \"blocker\", \"text\": \"It is not right.\", \"fix\": \"Turn it.\"}], \"summary\"",
        "issue-without-place",
    ),
    (
        Verdict,
        VERDICT,
        "\"summary\"",
        "\"issues\": [{\"rule\": \"ugly\", \"place\": \"T001\", \"severity\": \"note\", \"text\": \"It is not right.\", \"fix\": \"Turn it.\"}], \"summary\"",
        "wrong-form",
    ),
];

fn ledger() -> Ledger {
    cut(&Specification::from_text("spec.md", SPEC.to_owned()), PhaseFilter::First)
}

fn repository() -> MemoryFiles {
    MemoryFiles::new([
        ("src/cli.py", "import sys\n"),
        ("tests/acceptance/test_store.py", "x"),
        ("tests/acceptance/test_list.py", "x"),
        ("tests/test_cli.py", "x"),
    ])
}

/// What is wrong with an artifact after a part of it was replaced.
fn findings(kind: ArtifactKind, path: &str, from: &str, to: &str) -> Vec<Finding> {
    let text = |name: &str, text: &str| {
        let changed = if name == path { text.replacen(from, to, 1) } else { text.to_owned() };
        assert!(name != path || from.is_empty() || changed != text, "{path} has no {from}");
        changed
    };
    let files = ARTIFACTS.iter().map(|(name, it)| (format!("plans/notes/{name}"), text(name, it)));
    let spec = [("spec.md".to_owned(), SPEC.to_owned())];
    let reserved =
        [("plans/notes/reserved-paths.txt".to_owned(), "tests/old_acceptance.py".to_owned())];
    let folder = MemoryFolder::new(files.chain(spec).chain(reserved));
    let (ledger, repository) = (ledger(), repository());
    let subject = ArtifactSubject {
        name: "notes",
        directory: "plans/notes",
        folder: &folder,
        ledger: &ledger,
        repository: &repository,
        window: 200_000,
        soft: 50,
    };
    subject.validate(kind).findings.into_iter().filter(Finding::is_error).collect()
}

/// PL-09: artifacts that are right have no errors.
#[test]
fn artifacts_that_are_right_are_valid() {
    for kind in ArtifactKind::ALL {
        let found = findings(*kind, "none", "", "");
        assert!(found.is_empty(), "{kind:?}: {found:#?}");
    }
}

/// PL-04, PL-05, PL-06, PL-07, PL-08, PL-09, PL-15, PL-16, PL-17, PL-18, PL-21: one slip, one finding of the right kind
/// in the right file.
#[test]
fn every_slip_is_found_where_it_is() {
    for (kind, path, from, to, code) in SLIPS {
        let found = findings(*kind, path, from, to);
        let codes: Vec<&str> = found.iter().map(|it| it.code.as_str()).collect();
        assert!(codes.contains(code), "{code} in {path}: {found:#?}");
        let has_hint = |it: &Finding| it.hint.is_some() || it.code == "syntax";
        assert!(found.iter().all(has_hint), "{code}: {found:#?}");
    }
}

/// PL-08, PL-18: features wait for the steel thread, and phases say which is which.
#[test]
fn phases_are_assigned_by_rule() {
    let found = findings(ArtifactKind::Task, "none", "", "");
    assert!(found.is_empty(), "{found:#?}");
    let files =
        ARTIFACTS.iter().map(|(name, it)| (format!("plans/notes/{name}"), (*it).to_owned()));
    let folder = MemoryFolder::new(files);
    let (ledger, repository) = (ledger(), repository());
    let subject = ArtifactSubject {
        name: "notes",
        directory: "plans/notes",
        folder: &folder,
        ledger: &ledger,
        repository: &repository,
        window: 200_000,
        soft: 50,
    };
    let plan = subject.finished_plan().expect("a plan");
    let shown: Vec<String> = plan
        .tasks()
        .iter()
        .map(|task| format!("{} phase {:?} needs {:?}", task.id, task.phase, task.needs))
        .collect();
    assert_eq!(
        shown,
        [
            "T001 phase Some(2) needs []",
            "T002 phase Some(2) needs [TaskId(\"T001\")]",
            "T003 phase Some(3) needs [TaskId(\"T002\")]"
        ]
    );
    let end = plan.task(plan.steel_thread_end().expect("a thread"));
    assert_eq!(end.id.as_str(), "T002");
    assert!(end.checks.iter().any(|check| check.red_first));
    assert_eq!(end.acceptance[0].path, "tests/acceptance/test_list.py");
}

/// PL-15: an agent may take a statement apart; nothing is removed from the ledger, and the parts are served.
#[test]
fn a_statement_is_refined_and_never_removed() {
    let refined = "\"refinements\": [{\"statement\": \"S4\", \"parts\": [\"Export notes\", \"As JSON\"]}], \"flows\"";
    let found = findings(
        ArtifactKind::CapabilityMap,
        "artifacts/capability-map.json",
        "\"flows\"",
        refined,
    );
    assert!(found.is_empty(), "a behavior that serves S4 serves its parts: {found:#?}");
    let text = CAPABILITIES.replacen("\"flows\"", refined, 1);
    let map: afresh_planner::artifacts::CapabilityMap = serde_json::from_str(&text).expect("a map");
    let ids: Vec<String> =
        map.refine(&ledger()).statements.iter().map(|it| it.id.to_string()).collect();
    assert_eq!(ids, ["S1", "S2", "S3", "S4", "S4.1", "S4.2", "S5"]);
}
