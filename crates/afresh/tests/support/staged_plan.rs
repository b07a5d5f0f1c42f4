//! A specification, and what the agents of each planning stage write about it when they do it right.

pub(crate) const SPEC: &str = "# Greeter\n\n## Behaviour\n\n- `greet` writes the name to greeting.txt\n\
    - Without a name it must write world\n\n## Out of scope\n\n- Other languages\n";

pub(crate) const CAPABILITIES: &str = r#"{"version": "1.0",
 "domains": [{"id": "D1", "name": "Greeting", "capabilities": [{"id": "C1", "name": "Greet", "behaviors": [
   {"id": "B1", "name": "Choose a name", "type": "input", "description": "The argument, else world.", "statements": ["S2"]},
   {"id": "B2", "name": "Write the greeting", "type": "output", "statements": ["S1"]}]}]}],
 "flows": [{"id": "F1", "name": "Greet", "is_steel_thread": true,
   "steps": [{"order": 1, "behavior_id": "B1"}, {"order": 2, "behavior_id": "B2"}]}]}
"#;

pub(crate) const FILES: &str = r#"{"version": "1.0", "file_mapping": [
 {"behavior_id": "B1", "files": [{"path": "name.sh", "action": "create", "layer": "domain", "purpose": "chooses the name"}]},
 {"behavior_id": "B2", "files": [{"path": "greet.sh", "action": "create", "layer": "api"}]}]}
"#;

pub(crate) const FIRST_TASK: &str = r#"{"id": "T001", "name": "Choose a name", "behaviors": ["B1"],
 "files": [{"path": "name.sh", "action": "create", "purpose": "chooses the name"}],
 "instructions": "name.sh prints its first argument, or world without one.",
 "interface": "sh name.sh [NAME] prints the name",
 "acceptance_criteria": [{"criterion": "Without an argument it prints world", "verification": "sh name.sh | grep -qx world"}]}
"#;

pub(crate) const SECOND_TASK: &str = r#"{"id": "T002", "name": "Write the greeting", "behaviors": ["B2"],
 "files": [{"path": "greet.sh", "action": "create"}, {"path": "greeting.txt", "action": "create"}],
 "instructions": "greet.sh writes what name.sh prints to greeting.txt.",
 "interface": "sh greet.sh [NAME] writes greeting.txt",
 "dependencies": {"tasks": ["T001"]},
 "acceptance_criteria": [{"criterion": "greeting.txt holds the name", "verification": "sh greet.sh Ada && grep -qx Ada greeting.txt",
   "end_to_end": true}]}
"#;

pub(crate) const ACCEPTANCE: &str = r#"{"version": "1.0", "scenarios": [
 {"id": "A1", "task": "T001", "statements": ["S2"], "scenario": "Given no argument, then the name is world.",
  "files": ["tests/acceptance/name.sh"], "command": "sh tests/acceptance/name.sh"},
 {"id": "A2", "task": "T002", "statements": ["S1"], "scenario": "Given a name, then greeting.txt holds it.",
  "files": ["tests/acceptance/greet.sh"], "command": "sh tests/acceptance/greet.sh", "end_to_end": true}]}
"#;

pub(crate) const NAME_TEST: &str = "test \"$(sh name.sh)\" = world\n";
pub(crate) const GREET_TEST: &str = "sh greet.sh Bob && test \"$(cat greeting.txt)\" = Bob\n";

pub(crate) const READY: &str = r#"{"version": "1.0", "verdict": "READY", "summary": "Both statements are met.",
 "tasks": [{"task": "T001", "evidence": "S2 in line 6 is in its instructions"},
           {"task": "T002", "evidence": "S1 in line 5 is in its instructions"}]}
"#;

pub(crate) const BLOCKED: &str = r#"{"version": "1.0", "verdict": "BLOCKED", "summary": "The default is not the one of the specification.",
 "tasks": [{"task": "T001", "evidence": "S2 in line 6 is not in its instructions"},
           {"task": "T002", "evidence": "S1 in line 5 is in its instructions"}],
 "issues": [{"rule": "contradicts-spec", "place": "T001", "severity": "blocker",
   "text": "S2 says world, the task says nothing.", "fix": "Name the default."}]}
"#;

/// What the agents of a planning run write, by path below the plan's directory or, for tests, below the repository.
pub(crate) const WRITTEN: &[(&str, &str, &str)] = &[
    ("logical", "artifacts/capability-map.json", CAPABILITIES),
    ("physical", "artifacts/physical-map.json", FILES),
    ("definition", "tasks/T001.json", FIRST_TASK),
    ("definition", "tasks/T002.json", SECOND_TASK),
    ("acceptance", "artifacts/acceptance.json", ACCEPTANCE),
    ("validation", "reports/verdict.json", READY),
];
