//! After a run on a plan of another tool, that tool's own program accepts the files and says that everything is done
//! (FO-07). The programs are in the directory that `AFRESH_TEST_PLAN_TOOLS` names; `.ci/plan-tools` makes one.

use std::path::PathBuf;
use std::process::Command;

use afresh_testkit::TestRepo;
use serde_json::Value;

use crate::support::fixture::with_files;
use crate::writing_back::lands_as_done;

/// The directory with the programs; none if the tests are to be skipped.
#[expect(clippy::print_stderr, reason = "a test that skips a part says so")]
fn installed(path: &str) -> Option<PathBuf> {
    let tools = std::env::var_os("AFRESH_TEST_PLAN_TOOLS").map(PathBuf::from);
    let found = tools.map(|tools| tools.join(path)).filter(|program| program.exists());
    if found.is_none() {
        eprintln!("SKIPPED: there is no {path} in $AFRESH_TEST_PLAN_TOOLS");
    }
    found
}

/// A program of another tool, in a repository.
struct PlanTool<'a> {
    program: PathBuf,
    repo: &'a TestRepo,
}

impl<'a> PlanTool<'a> {
    fn find(name: &str, repo: &'a TestRepo) -> Option<Self> {
        let program = installed(&format!("node_modules/.bin/{name}"))?;
        Some(Self { program, repo })
    }

    /// Runs it; fails the test if it fails.
    #[track_caller]
    fn run(&self, args: &[&str]) -> String {
        let mut command = Command::new(&self.program);
        let home = self.repo.path().join("home");
        command.args(args).current_dir(self.repo.root()).env("HOME", home);
        let output = command.output().expect("it starts");
        assert!(output.status.success(), "{args:?}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The JSON document that it prints; some print advice after it.
    #[track_caller]
    fn json(&self, args: &[&str]) -> Value {
        let text = self.run(args);
        let mut documents = serde_json::Deserializer::from_str(&text).into_iter();
        documents.next().and_then(Result::ok).unwrap_or_else(|| panic!("{args:?}: {text}"))
    }
}

fn project(files: &[(&str, &str)]) -> TestRepo {
    let files: Vec<_> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    with_files(&files, "")
}

/// FO-07, FO-08: a change of `OpenSpec` lands ticked; `openspec` accepts it, counts it as complete and archives it.
#[test]
fn openspec_calls_a_finished_change_complete() {
    let repo = project(&[
        (
            "openspec/changes/add-rm/proposal.md",
            "## Why\nNotes must go, because a list that only grows is of no use to its readers.\n\n\
             ## What Changes\n- rm\n",
        ),
        (
            "openspec/changes/add-rm/specs/notes/spec.md",
            "## ADDED Requirements\n\n### Requirement: Remove\nThe program SHALL remove a note.\n\n\
             #### Scenario: Known\n- **WHEN** it is removed\n- **THEN** it is gone\n",
        ),
        (
            "openspec/changes/add-rm/tasks.md",
            "## 1. Store\n\n- [ ] 1.1 Create `rm.txt`; `test -s rm.txt` passes\n  - [ ] part of it\n\
             - [ ] 1.2 Create `list.txt`\n",
        ),
    ]);
    lands_as_done(&repo);
    let tasks = repo.git(&["show", "HEAD:openspec/changes/add-rm/tasks.md"]);
    assert_eq!((tasks.matches("- [x]").count(), tasks.matches("- [ ]").count()), (3, 0), "{tasks}");
    let Some(openspec) = PlanTool::find("openspec", &repo) else { return };
    openspec.run(&["validate", "add-rm", "--strict"]);
    let listed = openspec.run(&["list"]);
    assert!(listed.contains("Complete"), "{listed}");
    let archived = openspec.run(&["archive", "add-rm", "--yes"]);
    assert!(!archived.to_lowercase().contains("incomplete"), "{archived}");
}

const GSD_PLAN: &str = "---\nphase: PHASE\nplan: 01\ntype: execute\nwave: 1\ndepends_on: []\nfiles_modified: [src/FILE.txt]\n\
     autonomous: true\nrequirements: [REQ-01]\nmust_haves:\n  truths:\n    - \"it is there\"\n---\n\n<objective>\n\
     Write FILE.\n</objective>\n\n<tasks>\n\n<task type=\"auto\">\n  <name>Task 1: FILE</name>\n\
     <files>src/FILE.txt</files>\n  <action>Write it.</action>\n\
     <verify><automated>test -s src/FILE.txt</automated></verify>\n  <done>It is there</done>\n</task>\n\n</tasks>\n";

/// FO-07, FO-02: a project of GSD lands with summaries, roadmap and state; `gsd-tools` finds every phase complete and
/// the files consistent.
#[test]
fn gsd_finds_every_phase_of_a_finished_project_complete() {
    let plan = |phase: &str, file: &str| GSD_PLAN.replace("PHASE", phase).replace("FILE", file);
    let (first, second) = (plan("01-base", "base"), plan("02-more", "more"));
    let repo = project(&[
        (
            ".planning/PROJECT.md",
            "# Greeter\n\n## What This Is\n\nA greeter.\n\n## Core Value\n\nIt greets.\n\n## Requirements\n\n- REQ-01\n",
        ),
        (
            ".planning/ROADMAP.md",
            "# Roadmap: Greeter\n\n## Phases\n\n- [ ] **Phase 1: Base** - Base\n- [ ] **Phase 2: More** - More\n\n\
             ## Phase Details\n\n### Phase 1: Base\n**Goal**: A base\n**Depends on**: Nothing (first phase)\n\
             **Plans**: 1 plan\n\nPlans:\n- [ ] 01-01-PLAN.md — Base\n\n\
             ### Phase 2: More\n**Goal**: More\n**Depends on**: Phase 1\n**Plans**: 1 plan\n\nPlans:\n\
             - [ ] 02-01-PLAN.md — More\n\n## Progress\n\n| Phase | Plans Complete | Status | Completed |\n\
             |-------|----------------|--------|-----------|\n| 1. Base | 0/1 | Not started | - |\n\
             | 2. More | 0/1 | Not started | - |\n",
        ),
        (
            ".planning/STATE.md",
            "---\ngsd_state_version: 1.0\nmilestone: v1.0\nmilestone_name: first\nstatus: executing\nprogress:\n\
             \x20 total_phases: 2\n  completed_phases: 0\n  total_plans: 2\n  completed_plans: 0\n  percent: 0\n---\n\n\
             # Project State\n\n## Current Position\n\nPhase: 1 of 2 (Base)\nPlan: 0 of 1 in current phase\n\
             Status: Ready to execute\nLast activity: 2026-01-01 — planned\n\nProgress: [░░░░░░░░░░] 0%\n",
        ),
        (".planning/phases/01-base/01-01-PLAN.md", &first),
        (".planning/phases/02-more/02-01-PLAN.md", &second),
    ]);
    lands_as_done(&repo);
    let Some(gsd) = PlanTool::find("gsd-tools", &repo) else { return };
    for phase in ["01", "02"] {
        let complete = gsd.json(&["verify", "phase-completeness", phase]);
        assert_eq!(complete["complete"], true, "{complete}");
    }
    let progress = gsd.json(&["progress", "json"]);
    assert_eq!((&progress["total_plans"], &progress["total_summaries"]), (&2.into(), &2.into()));
    let roadmap = gsd.json(&["roadmap", "analyze"]);
    let phases = roadmap["phases"].as_array().expect("phases");
    for phase in phases {
        // More than that takes a report of GSD's own verifier.
        assert_eq!(phase["disk_status"], "partial", "{roadmap}");
        assert_eq!(phase["plan_count"], phase["summary_count"], "{roadmap}");
        assert_eq!(phase["roadmap_complete"], true, "{roadmap}");
    }
    let state = gsd.json(&["state", "json"]);
    assert_eq!(state["progress"]["completed_plans"].to_string().trim_matches('"'), "2", "{state}");
    let consistent = gsd.json(&["validate", "consistency"]);
    assert_eq!(consistent["passed"], true, "{consistent}");
    let summary = ".planning/phases/01-base/01-01-SUMMARY.md";
    let extracted = gsd.json(&["summary-extract", summary]);
    assert_eq!(
        extracted["key_files"]["created"],
        serde_json::json!(["src/base.txt"]),
        "{extracted}"
    );
}

/// FO-07: tasks of Task Master land as done; `task-master` reads them, and has no next one.
#[test]
fn task_master_has_no_next_task_after_a_finished_run() {
    let task = |id: u32, needs: &str| {
        format!(
            r#"{{"id": {id}, "title": "Make part {id}", "description": "Part {id}", "details": "Create part{id}.txt",
            "testStrategy": "`test -s part{id}.txt`", "priority": "high", "dependencies": [{needs}],
            "status": "pending", "subtasks": []}}"#
        )
    };
    let tasks = format!(
        "{{\"master\": {{\"tasks\": [{}, {}], \"metadata\": {{\"created\": \"2026-01-01T00:00:00.000Z\", \
         \"updated\": \"2026-01-01T00:00:00.000Z\", \"description\": \"parts\"}}}}}}\n",
        task(1, ""),
        task(2, "1")
    );
    let repo = project(&[
        (".taskmaster/tasks/tasks.json", &tasks),
        (".taskmaster/state.json", "{\"currentTag\": \"master\"}\n"),
    ]);
    lands_as_done(&repo);
    let Some(master) = PlanTool::find("task-master", &repo) else { return };
    let listed = master.json(&["list", "--json"]);
    let states: Vec<&Value> =
        listed["tasks"].as_array().expect("tasks").iter().map(|task| &task["status"]).collect();
    assert_eq!(states, ["done", "done"], "{listed}");
    let next = master.json(&["next", "--format", "json"]);
    assert!(next["task"].is_null(), "{next}");
}

/// FO-07: a feature of Spec Kit lands ticked, and the scripts of Spec Kit find what they look for.
#[test]
fn scripts_of_spec_kit_accept_a_finished_feature() {
    let repo = project(&[
        ("specs/001-greet/spec.md", "# Feature: Greet\n\n- **FR-001**: It greets.\n"),
        ("specs/001-greet/plan.md", "# Plan\n\nPlain text.\n"),
        (
            "specs/001-greet/tasks.md",
            "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 Create greet.txt\n- [ ] T002 [P] Create bye.txt\n",
        ),
    ]);
    lands_as_done(&repo);
    let tasks = repo.git(&["show", "HEAD:specs/001-greet/tasks.md"]);
    assert_eq!(tasks.matches("- [x] T00").count(), 2, "{tasks}");
    let Some(scripts) = installed("python/specify_cli/core_pack/scripts/bash") else { return };
    let directory = repo.root().join(".specify/scripts/bash");
    std::fs::create_dir_all(&directory).expect("a directory");
    for script in std::fs::read_dir(scripts).expect("scripts").flatten() {
        std::fs::copy(script.path(), directory.join(script.file_name())).expect("copied");
    }
    let output = Command::new("bash")
        .arg(directory.join("check-prerequisites.sh"))
        .args(["--json", "--require-tasks", "--include-tasks"])
        .current_dir(repo.root())
        .env("SPECIFY_FEATURE", "001-greet")
        .env("SPECIFY_FEATURE_DIRECTORY", repo.root().join("specs/001-greet"))
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{output:?}");
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(found["AVAILABLE_DOCS"].to_string().contains("tasks.md"), "{found}");
}
