//! What plans of every format are for: requirements, criteria, and which tasks cite them.

use std::fmt::Write as _;

use afresh_core::plan::{RequirementLink, RequirementScope};
use afresh_formats::folder::MemoryFolder;
use afresh_formats::reading::PlanReading;
use afresh_import::detect::{ReadOptions, format_by_name};

fn read(format: &str, files: &[(&str, &str)]) -> PlanReading {
    let folder = MemoryFolder::new(files.iter().map(|(path, text)| (*path, *text)));
    format_by_name(format).expect("a format").read_traced(&folder, &ReadOptions::default())
}

/// One line for each requirement: id, place, scope, tasks, text.
fn ledger(reading: &PlanReading) -> String {
    let plan = reading.plan.as_ref().unwrap_or_else(|| panic!("{:#?}", reading.findings));
    let mut page = String::new();
    for one in plan.requirements() {
        let tasks: Vec<&str> = plan
            .tasks()
            .iter()
            .filter(|task| task.serves(&one.id))
            .map(|t| t.id.as_str())
            .collect();
        let tasks = match one.link {
            RequirementLink::WholePlan => "whole plan".to_owned(),
            RequirementLink::Stated => tasks.join(" "),
        };
        let scope = match one.scope {
            RequirementScope::Active => "",
            RequirementScope::Deferred => " deferred",
            RequirementScope::OutOfScope => " out-of-scope",
        };
        let name = one.file.rsplit('/').next().unwrap_or_default();
        let below = one.parent.as_ref().map(|parent| format!(" < {parent}")).unwrap_or_default();
        let _ =
            writeln!(page, "{}{below} @ {name}:{}{scope} [{tasks}] {}", one.id, one.line, one.text);
    }
    let codes = ["unknown-requirement", "unserved-requirement"];
    for finding in reading.findings.iter().filter(|found| codes.contains(&found.code.as_str())) {
        let name = finding.file.rsplit('/').next().unwrap_or_default();
        let _ = writeln!(page, "{} {name}:{}: {}", finding.code, finding.line, finding.message);
    }
    page
}

/// TR-05: `_Requirements: 1.2, 3.1_` cites criteria by number, also as ranges and in other languages;
/// optional tasks that are left out cite nothing.
#[test]
fn kiro_tasks_cite_criteria_by_number() {
    let requirements = "# Requirements\n### Requirement 1: Save\n**User Story:** As a user\n\
        #### Acceptance Criteria\n1. WHEN a note is saved THEN it is on disk\n2. IF it fails THEN say so\n\
        3. WHEN full THEN stop\n### Requirement 2: Delete\n1. WHEN deleted THEN gone\n";
    let tasks = "# Implementation Plan\n- [ ] 1. Save notes in `a.py`\n  - _Requirements: 1.1-1.2_\n\
        - [ ]* 2. Test it\n  - _Requirements: 1.3_\n- [ ] 3. Delete\n  - _需求：2_\n  - _Depends: 1_\n\
        - [ ] 4. More\n  - _Requirements: 1.1, 9.9_\n";
    let files =
        [(".kiro/specs/n/requirements.md", requirements), (".kiro/specs/n/tasks.md", tasks)];
    insta::assert_snapshot!(ledger(&read("kiro", &files)), @r#"
    1 @ requirements.md:2 [] Save
    1.1 < 1 @ requirements.md:5 [1 4] WHEN a note is saved THEN it is on disk
    1.2 < 1 @ requirements.md:6 [1] IF it fails THEN say so
    1.3 < 1 @ requirements.md:7 [] WHEN full THEN stop
    2 @ requirements.md:8 [3] Delete
    2.1 < 2 @ requirements.md:9 [] WHEN deleted THEN gone
    unknown-requirement tasks.md:10: there is no requirement 9.9
    unserved-requirement requirements.md:7: no task serves 1.3: WHEN full THEN stop
    "#);
}

/// TR-05: REQUIREMENTS.md with versions, what is out of scope, the table of phases; plans cite ids and
/// state truths; a phase without plans is put off.
#[test]
fn gsd_plans_cite_requirements_and_state_truths() {
    let requirements = "# Requirements\n## v1 Requirements\n### Auth\n- [ ] **AUTH-01**: User can sign up\n\
        - [x] **AUTH-02**: User can log in\n- [ ] **AUTH-03**: User can log out\n## v2 Requirements\n\
        - **SOC-01**: User can share\n## Out of Scope\n| Feature | Reason |\n|---|---|\n| Chat | costly |\n\
        ## Traceability\n| Requirement | Phase | Status |\n|---|---|---|\n| AUTH-01 | Phase 1 | Pending |\n\
        | AUTH-02 | Phase 1 | Pending |\n| AUTH-03 | Phase 2 | Pending |\n";
    let plan = "---\nphase: 01-auth\nplan: 01\nwave: 1\nrequirements: [AUTH-01, AUTH-09]\nmust_haves:\n  truths:\n\
        \x20   - \"A user can sign up\"\n    - A wrong mail is refused\n---\n<objective>Sign up</objective>\n\
        <task type=\"auto\"><name>A</name><files>a.py</files><action>do</action>\
        <verify><automated>test -f a.py</automated></verify></task>\n";
    let second =
        plan.replace("requirements: [AUTH-01, AUTH-09]\n", "").replace("plan: 01", "plan: 02");
    let files = [
        (".planning/REQUIREMENTS.md", requirements),
        (".planning/phases/01-auth/01-01-PLAN.md", plan),
        (".planning/phases/01-auth/01-02-PLAN.md", &second),
    ];
    insta::assert_snapshot!(ledger(&read("gsd", &files)), @r#"
    01-01/1 @ 01-01-PLAN.md:8 [01-01] A user can sign up
    01-01/2 @ 01-01-PLAN.md:9 [01-01] A wrong mail is refused
    01-02/1 @ 01-02-PLAN.md:7 [01-02] A user can sign up
    01-02/2 @ 01-02-PLAN.md:8 [01-02] A wrong mail is refused
    AUTH-01 @ REQUIREMENTS.md:4 [01-01 01-02] User can sign up
    AUTH-02 @ REQUIREMENTS.md:5 [01-02] User can log in
    AUTH-03 @ REQUIREMENTS.md:6 deferred [] User can log out
    SOC-01 @ REQUIREMENTS.md:8 deferred [] User can share
    out-of-scope/chat @ REQUIREMENTS.md:12 out-of-scope [] Chat
    unknown-requirement 01-01-PLAN.md:5: there is no requirement AUTH-09
    "#);
}

/// TR-05: user stories by label and by phase, FR and SC by their own families.
#[test]
fn spec_kit_tasks_serve_stories() {
    let spec = "# Feature\n## User Scenarios\n### User Story 1 - Save a note (Priority: P1)\nText\n\
        **Acceptance Scenarios**:\n1. **Given** a, **When** b, **Then** c\n2. **Given** d\n\
        ### User Story 2 - Delete (Priority: P2)\n### Edge Cases\n- what if R2D2\n## Requirements\n\
        ### Functional Requirements\n- **FR-001**: System MUST save\n- **FR-002**: System MUST delete\n\
        ## Success Criteria\n- **SC-001**: In 2 seconds\n";
    let tasks = "# Tasks\n## Phase 1: Setup\n- [ ] T001 Create project in src/a.py\n\
        ## Phase 2: User Story 1 - Save\n- [ ] T002 [US1] Save in src/b.py (FR-001)\n\
        - [ ] T003 Write src/c.py\n";
    let files = [("specs/001-n/spec.md", spec), ("specs/001-n/tasks.md", tasks)];
    insta::assert_snapshot!(ledger(&read("spec-kit", &files)), @r#"
    US1 @ spec.md:3 [T002 T003] Save a note (Priority: P1)
    US1.1 < US1 @ spec.md:6 [] Given a, When b, Then c
    US1.2 < US1 @ spec.md:7 [] Given d
    US2 @ spec.md:8 [] Delete (Priority: P2)
    FR-001 @ spec.md:13 [T002] System MUST save
    FR-002 @ spec.md:14 [] System MUST delete
    SC-001 @ spec.md:16 [whole plan] In 2 seconds
    unserved-requirement spec.md:8: no task serves US2: Delete (Priority: P2)
    unserved-requirement spec.md:14: no task serves FR-002: System MUST delete
    "#);
}

/// TR-05: requirements and scenarios of delta specs; a task or its group names them, or the change as a
/// whole serves them.
#[test]
fn openspec_requirements_are_named_by_tasks_or_served_by_the_change() {
    let delta = "## ADDED Requirements\n### Requirement: Session Expiry\nThe system SHALL end sessions.\n\
        #### Scenario: Expired token\n- **WHEN** x\n- **THEN** y\n## REMOVED Requirements\n\
        ### Requirement: Remember me\n**Reason**: unsafe\n";
    let tasks = "## 1. Session expiry\n- [ ] 1.1 Add `src/s.rs`\n## 2. Rest\n- [ ] 2.1 Docs\n";
    let files = |tasks: &'static str| {
        [
            ("openspec/changes/add-x/proposal.md", "# Why\n"),
            ("openspec/changes/add-x/specs/auth/spec.md", delta),
            ("openspec/changes/add-x/tasks.md", tasks),
        ]
    };
    insta::assert_snapshot!(ledger(&read("openspec", &files(tasks))), @r#"
    auth/session-expiry @ spec.md:2 [1.1] Session Expiry
    auth/session-expiry/expired-token < auth/session-expiry @ spec.md:4 [] Expired token
    auth/remember-me @ spec.md:8 [] Remember me
    unserved-requirement spec.md:8: no task serves auth/remember-me: Remember me
    "#);
    let unlinked = ledger(&read("openspec", &files("## 1. A\n- [ ] 1.1 Add `src/s.rs`\n")));
    assert_eq!(unlinked.matches("[whole plan]").count(), 3, "{unlinked}");
}

/// TR-05: a story is a requirement, with its criteria.
#[test]
fn stories_have_criteria() {
    let prd = r#"{"project":"n","userStories":[
        {"id":"US-001","title":"Delete","acceptanceCriteria":["`cargo test rm_` passes",{"text":"gone","testCommand":"true"}],"passes":false}]}"#;
    insta::assert_snapshot!(ledger(&read("prd", &[("prd.json", prd)])), @r#"
    US-001 @ prd.json:2 [US-001] Delete
    US-001.1 < US-001 @ prd.json:2 [US-001] `cargo test rm_` passes
    US-001.2 < US-001 @ prd.json:2 [US-001] gone
    "#);
}

/// TR-05: behaviours of the capability map, criteria of tasks, phases that are left out.
#[test]
fn tasker_tasks_serve_behaviours() {
    let map = r#"{"version":"1.0","domains":[{"id":"D1","name":"d","capabilities":[{"id":"C1","name":"notes",
        "behaviors":[{"id":"B1","name":"Save","type":"process","description":"on disk"},{"id":"B2","name":"Load","type":"input"}]}]}],
        "flows":[],"phase_filtering":{"active_phase":1,"excluded_phases":[{"phase":2,"heading":"Phase 2: Sync","summary":"Sync notes"}],"total_excluded_requirements":1}}"#;
    let task = r#"{"id":"T001","name":"Save","phase":1,"behaviors":["B1","B7"],"files":[{"path":"a.py","action":"create"}],
        "acceptance_criteria":[{"criterion":"Saves a note","verification":"pytest -q"}]}"#;
    let files = [(".tasker/artifacts/capability-map.json", map), (".tasker/tasks/T001.json", task)];
    insta::assert_snapshot!(ledger(&read("tasker", &files)), @r#"
    C1 @ capability-map.json:1 [] notes
    B1 < C1 @ capability-map.json:2 [T001] Save: on disk
    B2 < C1 @ capability-map.json:2 [] Load
    phase-2/phase-2-sync @ capability-map.json:3 deferred [] Sync notes
    T001/1 @ T001.json:2 [T001] Saves a note
    unknown-requirement T001.json:1: there is no requirement B7
    unserved-requirement capability-map.json:2: no task serves B2: Load
    "#);
}

/// TR-05: criteria and test strategies; ids of requirements documents that tasks name.
#[test]
fn task_master_tasks_state_how_they_are_tested() {
    let tasks = r#"{"master":{"tasks":[{"id":1,"title":"Save (R1)","status":"pending","dependencies":[],
        "testStrategy":"Save and load.\nThen compare.","acceptanceCriteria":["loads again"]}]}}"#;
    let files = [
        (".taskmaster/tasks/tasks.json", tasks),
        (".taskmaster/docs/prd.md", "## Requirements\n- R1: Save notes\n- R2: Delete notes\n"),
    ];
    insta::assert_snapshot!(ledger(&read("task-master", &files)), @r#"
    1/1 @ tasks.json:2 [1] loads again
    1/test @ tasks.json:2 [1] Save and load. Then compare.
    R1 @ prd.md:2 [1] Save notes
    R2 @ prd.md:3 [] Delete notes
    unserved-requirement prd.md:3: no task serves R2: Delete notes
    "#);
}

/// TR-05: criteria of issues, of groups, of boxes, of slices; requirements of specs.
#[test]
fn other_formats_state_criteria() {
    let issue = r#"{"id":"bd-1","title":"Save","status":"open","issue_type":"task","acceptance_criteria":"- [ ] on disk\n- [ ] fast"}"#;
    let beads = ledger(&read("beads", &[(".beads/issues.jsonl", issue)]));
    insta::assert_snapshot!(beads, @r#"
    bd-1/1 @ issues.jsonl:1 [bd-1] on disk
    bd-1/2 @ issues.jsonl:1 [bd-1] fast
    "#);
    let groups = "# Tasks\n#### Task Group 1: Store\n**Dependencies:** None\n- [ ] 1.0 Store notes\n  - [ ] 1.1 Write a.py\n\n\
        **Acceptance Criteria:**\n- Notes are on disk\n- R1 holds\n";
    let spec = "# Spec\n## Specific Requirements\n- **R1**: Save\n- Load quickly\n## Out of Scope\n- Sync\n";
    let files = [("agent-os/specs/n/tasks.md", groups), ("agent-os/specs/n/spec.md", spec)];
    insta::assert_snapshot!(ledger(&read("agent-os", &files)), @r#"
    R1 @ spec.md:3 [1] Save
    specific-requirements.1 @ spec.md:4 [whole plan] Load quickly
    out-of-scope.1 @ spec.md:6 out-of-scope [] Sync
    1/1 @ tasks.md:8 [1] Notes are on disk
    1/2 @ tasks.md:9 [1] R1 holds
    "#);
    let list = "# Plan\n## Requirements\n- R1: Save notes\n- R2: Delete notes\n## Tasks\n- [ ] Save in `a.py` (R1)\n\
        ## Success criteria\n- [ ] It is fast\n";
    insta::assert_snapshot!(ledger(&read("checklist", &[("PLAN.md", list)])), @r#"
    R1 @ PLAN.md:3 [save-in-a-py-r1-dbc4] Save notes
    R2 @ PLAN.md:4 [] Delete notes
    success-criteria.1 @ PLAN.md:8 [whole plan] It is fast
    unserved-requirement PLAN.md:4: no task serves R2: Delete notes
    "#);
}

/// TR-05: `.gsd/REQUIREMENTS.md` by owning slice, must-haves of slices and tasks.
#[test]
fn gsd2_slices_own_requirements() {
    let requirements = "# Requirements\n## Active\n### R001 — Save notes\n- Status: active\n\
        - Primary owning slice: M001/S01\n### R002 — Sync\n- Primary owning slice: M002/S01\n## Deferred\n\
        ### R003 — Share\n## Out of Scope\n### R004 — Chat\n";
    let slice = "# S01: Store\n## Must-Haves\n- Notes survive a restart\n## Tasks\n\
        - [ ] **T01: Save** `est:30m`\n  - Files: `a.py`\n";
    let task = "# T01\n## Description\nSave\n## Must-Haves\n- [ ] atomic\n## Verification\n- `test -f a.py`\n\
        ## Expected Output\n- `a.py`\n";
    let files = [
        (".gsd/REQUIREMENTS.md", requirements),
        (
            ".gsd/milestones/M001/M001-ROADMAP.md",
            "# M001: Notes\n- [ ] **S01: Store** `risk:low` `depends:[]`\n",
        ),
        (".gsd/milestones/M001/slices/S01/S01-PLAN.md", slice),
        (".gsd/milestones/M001/slices/S01/tasks/T01-PLAN.md", task),
    ];
    insta::assert_snapshot!(ledger(&read("gsd2", &files)), @r#"
    R001 @ REQUIREMENTS.md:3 [M001-S01-T01] Save notes
    R002 @ REQUIREMENTS.md:6 deferred [] Sync
    R003 @ REQUIREMENTS.md:9 deferred [] Share
    R004 @ REQUIREMENTS.md:11 out-of-scope [] Chat
    S01/1 @ S01-PLAN.md:3 [M001-S01-T01] Notes survive a restart
    M001-S01-T01/1 @ T01-PLAN.md:5 [M001-S01-T01] atomic
    "#);
}

/// TR-05: requirements, criteria and ids of specs; two specs keep theirs apart.
#[test]
fn specflow_groups_serve_requirements() {
    let spec = |id: &str| {
        format!(
            "---\nid: {id}\nstatus: approved\n---\n# Save notes\n## Requirements\n### R1: Store\nIn a file.\n\
             ### R2: Load\n## Acceptance Criteria\n- [ ] Loads again\n## Task Groups\n\
             | Group | Tasks | Dependencies |\n|---|---|---|\n| G1 | Write R1 in a.py | — |\n| G2 | R2 | G1 |\n"
        )
    };
    let one = ledger(&read("specflow", &[(".specflow/specs/SPEC-001.md", &spec("SPEC-001"))]));
    insta::assert_snapshot!(one, @r#"
    R1 @ SPEC-001.md:7 [G1] Store
    R2 @ SPEC-001.md:9 [G2] Load
    acceptance-criteria.1 @ SPEC-001.md:11 [whole plan] Loads again
    "#);
    let (first, second) = (spec("SPEC-001"), spec("SPEC-002"));
    let files =
        [(".specflow/specs/SPEC-001.md", &*first), (".specflow/specs/SPEC-002.md", &*second)];
    let two = ledger(&read("specflow", &files));
    assert!(two.contains("SPEC-002/R1") && two.contains("SPEC-001/R1"), "{two}");
}

/// TR-05: the spec beside long-run's plans, and their truths.
#[test]
fn long_run_plans_serve_the_spec_beside_them() {
    let plan = "---\nplan: 01\nmust_haves:\n  truths:\n    - Notes are on disk\n---\n<objective>R1</objective>\n\
        <task type=\"auto\"><name>Save</name><files>a.py</files><action>R1</action>\
        <verify><automated>test -f a.py</automated></verify></task>\n";
    let files = [
        ("specs/n/spec.md", "# Spec\n## Requirements\n- R1: Save\n- R2: Load\n"),
        ("specs/n/.long-run/plans/01-PLAN.md", plan),
    ];
    insta::assert_snapshot!(ledger(&read("long-run", &files)), @r#"
    R1 @ spec.md:3 [01] Save
    R2 @ spec.md:4 [] Load
    01/1 @ 01-PLAN.md:5 [01] Notes are on disk
    unserved-requirement spec.md:4: no task serves R2: Load
    "#);
}

/// TR-05: a changed text has another digest, a ticked box or another line break has not.
#[test]
fn a_digest_follows_the_words_alone() {
    let digest = |item: &str| {
        let spec = format!("## Requirements\n{item}\n");
        let tasks = "- [ ] T001 Save in a.py (R1)\n";
        let files = [("specs/001-n/spec.md", &*spec), ("specs/001-n/tasks.md", tasks)];
        let reading = read("spec-kit", &files);
        reading.plan.expect("a plan").requirements()[0].digest.clone()
    };
    let before = digest("- [ ] R1: Save all notes");
    assert_eq!(digest("- [x] R1: Save\n  all notes"), before);
    assert_ne!(digest("- [ ] R1: Save some notes"), before);
}

/// TR-05, FO-06: documents that are made to be slow or deep are read in one pass.
#[test]
fn hostile_documents_are_read_in_one_pass() {
    let lines = |count: usize, line: fn(usize) -> String| -> String {
        (0..count).map(line).collect::<Vec<_>>().concat()
    };
    let heads = lines(60_000, |at| format!("# R{at}\n- R{at}: x\n"));
    let deep = lines(1_500, |at| format!("{}- R{at}: x\n", " ".repeat(at)));
    let table = lines(20_000, |at| format!("| R{at} | x |\n"));
    let table = format!("| ID | Requirement |\n|---|---|\n{table}");
    for spec in [heads, deep, table] {
        let files = [
            ("specs/001-n/spec.md", &*spec),
            ("specs/001-n/tasks.md", "- [ ] T001 Do R7 in a.py\n"),
        ];
        let reading = read("spec-kit", &files);
        let plan = reading.plan.expect("a plan");
        assert!(plan.requirements().len() <= afresh_core::plan::MAX_REQUIREMENTS);
        assert!(reading.findings.len() < 200, "{}", reading.findings.len());
    }
}
