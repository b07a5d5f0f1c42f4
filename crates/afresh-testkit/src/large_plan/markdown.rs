//! Formats whose tasks are Markdown.

use std::fmt::Write as _;

use super::PlanShape;

/// The body of a PLAN.md: two tasks, one file each.
fn body(task: PlanShape) -> String {
    let block = |name: &str, file: &str| {
        format!(
            "<task type=\"auto\">\n  <name>{name}</name>\n  <files>{file}</files>\n  <action>\n{}\n  </action>\n  \
             <verify>{}</verify>\n  <done>The tests of this piece pass</done>\n</task>\n",
            task.text(),
            task.check()
        )
    };
    let (piece, shared) =
        (block("Task 1: Piece", &task.file()), block("Task 2: Wire it", &task.shared_file()));
    format!("<objective>\n{}\n</objective>\n\n<tasks>\n{piece}{shared}</tasks>\n", task.title())
}

pub(super) fn long_run(tasks: &[PlanShape]) -> Vec<(String, String)> {
    let file = |task: &PlanShape| {
        let needs = task.need().map_or(String::new(), |need| format!("\"{need:05}\""));
        let (number, body) = (task.number, body(*task));
        let head = format!(
            "---\nplan: {number:05}\ntask_group: \"Part {number}\"\ndepends_on: [{needs}]\n---\n\n"
        );
        (format!(".long-run/plans/{number:05}-PLAN.md"), head + &body)
    };
    let mut files: Vec<(String, String)> = tasks.iter().map(file).collect();
    files.push(("spec.md".to_owned(), "# Service\n\nIt has parts.\n".to_owned()));
    files
}

/// One phase per ten tasks.
pub(super) fn gsd(tasks: &[PlanShape]) -> Vec<(String, String)> {
    let file = |task: &PlanShape| {
        let (phase, plan) = (task.ten(), task.place_in_ten());
        let id = |task: PlanShape| format!("{:04}-{:02}", task.ten(), task.place_in_ten());
        let needs =
            task.need().map_or(String::new(), |number| format!("\"{}\"", id(PlanShape { number })));
        let head = format!(
            "---\nphase: {phase:04}-part\nplan: {plan:02}\ntype: execute\nwave: {plan}\ndepends_on: [{needs}]\n\
             files_modified: [{}, {}]\nautonomous: true\nmust_haves:\n  truths:\n    - \"The piece works\"\n---\n\n",
            task.file(),
            task.shared_file()
        );
        let name = format!(".planning/phases/{phase:04}-part/{}-PLAN.md", id(*task));
        (name, head + &body(*task))
    };
    tasks.iter().map(file).collect()
}

pub(super) fn ultraplan(tasks: &[PlanShape]) -> Vec<(String, String)> {
    let mut files = gsd(tasks);
    files.push((".ultraplan/config.json".to_owned(), "{}\n".to_owned()));
    files
}

/// One specification with a group and a requirement for every task. All of it is one file of at most 2 MiB, so
/// each task has few words.
pub(super) fn specflow(tasks: &[PlanShape]) -> Vec<(String, String)> {
    let mut text = String::from(
        "---\nid: SPEC-001\ntype: feature\nstatus: audited\npriority: P1\ncomplexity: large\n---\n\n# SPEC-001: Service\n\n\
         ## Context\n\nIt has parts.\n\n## Requirements\n\n",
    );
    for task in tasks {
        let _ = write!(text, "### R{0}: Part {0}\n\nIt adds its own.\n\n", task.number);
    }
    text.push_str("## Acceptance Criteria\n\n1. `cargo test` passes\n\n## Files to Create\n\n");
    for task in tasks {
        let _ = writeln!(text, "- [ ] `{}`", task.file());
    }
    text.push_str("\n## Implementation Tasks\n\n### Task Groups\n\n| Group | Wave | Tasks | Dependencies | Est. Context |\n|---|---|---|---|---|\n");
    for task in tasks {
        let need = task.need().map_or("—".to_owned(), |need| format!("G{need}"));
        let (number, file) = (task.number, task.file());
        // The first tasks of all tens are a chain, and each ten hangs below its first task.
        let wave = task.ten() + task.place_in_ten() - 1;
        let _ =
            writeln!(text, "| G{number} | {wave} | Write `{file}` (R{number}) | {need} | ~10% |");
    }
    vec![(".specflow/specs/SPEC-001.md".to_owned(), text)]
}

/// Also a single file.
pub(super) fn agent_os(tasks: &[PlanShape]) -> Vec<(String, String)> {
    let mut text = String::from("# Task Breakdown: Service\n\n## Task List\n\n");
    for task in tasks {
        let (number, file) = (task.number, task.file());
        let need = task.need().map_or("None".to_owned(), |need| format!("Task Group {need}"));
        let _ = write!(
            text,
            "#### Task Group {number}: Part {number}\n**Dependencies:** {need}\n\n- [ ] {number}.0 Complete it\n  \
             - [ ] {number}.1 Write its tests\n  - [ ] {number}.2 Write `{file}`\n\n"
        );
    }
    let home = "agent-os/specs/2026-01-10-service";
    let spec = "# Service\n\nIt has parts.\n".to_owned();
    vec![(format!("{home}/tasks.md"), text), (format!("{home}/spec.md"), spec)]
}

/// One phase per ten tasks; every second task may run in parallel with its neighbour.
pub(super) fn spec_kit(tasks: &[PlanShape]) -> Vec<(String, String)> {
    let mut text = String::from("# Tasks: Service\n\n");
    for task in tasks {
        if task.place_in_ten() == 1 {
            let _ = write!(text, "\n## Phase {0}: Part {0}\n\n", task.ten());
        }
        let beside = if task.number % 3 == 0 { "" } else { "[P] " };
        let need = task.need().map_or(String::new(), |need| format!(" (depends on T{need:05})"));
        let _ = writeln!(
            text,
            "- [ ] T{:05} {beside}{} in {}{need}",
            task.number,
            task.title(),
            task.file()
        );
    }
    vec![("specs/001-service/tasks.md".to_owned(), text)]
}

/// One slice per ten tasks, and one file per task.
pub(super) fn gsd2(tasks: &[PlanShape]) -> Vec<(String, String)> {
    let home = ".gsd/milestones/M001";
    let mut files = Vec::new();
    let mut roadmap = String::from("# M001: Service\n\n**Vision:** It has parts.\n\n## Slices\n\n");
    for ten in tasks.chunks(10) {
        let number = ten[0].ten();
        let slice = format!("S{number:04}");
        let before = if number > 1 { format!("S{:04}", number - 1) } else { String::new() };
        let _ = write!(
            roadmap,
            "- [ ] **{slice}: Part {number}** `risk:low` `depends:[{before}]`\n  > After this: part {number} works.\n\n"
        );
        let mut plan =
            format!("# {slice}: Part {number}\n\n**Goal:** Part {number} works.\n\n## Tasks\n\n");
        for task in ten {
            let (at, title, check) = (task.place_in_ten(), task.title(), task.check());
            let file = task.file();
            let _ = write!(
                plan,
                "- [ ] **T{at:02}: {title}** `est:30m`\n  - Files: `{file}`\n  - Verify: `{check}`\n"
            );
            let input = match task.need() {
                Some(number) if at > 1 => format!("- `{}`", PlanShape { number }.file()),
                _ => "- None specified.".to_owned(),
            };
            let text = format!(
                "---\nestimated_steps: 2\nestimated_files: 2\n---\n\n# T{at:02}: {title}\n\n## Description\n\n{}\n\n## Steps\n\n\
                 1. Write the tests.\n2. Write the piece.\n\n## Inputs\n\n{input}\n\n## Expected Output\n\n- `{file}`\n\n\
                 ## Verification\n\n- `{check}`\n",
                task.text()
            );
            files.push((format!("{home}/slices/{slice}/tasks/T{at:02}-PLAN.md"), text));
        }
        files.push((format!("{home}/slices/{slice}/{slice}-PLAN.md"), plan));
    }
    files.push((format!("{home}/M001-ROADMAP.md"), roadmap));
    files
}

pub(super) fn openspec(tasks: &[PlanShape]) -> Vec<(String, String)> {
    vec![("openspec/changes/service/tasks.md".to_owned(), boxes(tasks, "## 1. Service"))]
}

pub(super) fn checklist(tasks: &[PlanShape]) -> Vec<(String, String)> {
    vec![("TODO.md".to_owned(), boxes(tasks, "# Service"))]
}

/// A list of boxes, in sequence.
fn boxes(tasks: &[PlanShape], heading: &str) -> String {
    let mut text = format!("{heading}\n");
    for task in tasks {
        let (number, title, file) = (task.number, task.title(), task.file());
        let _ = writeln!(text, "- [ ] 1.{number} {title} in `{file}`, `{}`", task.shared_file());
        let _ = writeln!(text, "  - `{}` passes", task.check());
    }
    text
}

pub(super) fn kiro(tasks: &[PlanShape]) -> Vec<(String, String)> {
    let mut text = boxes(tasks, "# Implementation Plan");
    text.push_str("## Task Dependency Graph\n```json\n{\"tasks\": [");
    let entry = |task: &PlanShape| {
        let needs: Vec<String> = task.need().iter().map(|need| format!("\"1.{need}\"")).collect();
        format!("{{\"id\": \"1.{}\", \"dependsOn\": [{}]}}", task.number, needs.join(","))
    };
    let entries: Vec<String> = tasks.iter().map(entry).collect();
    text.push_str(&entries.join(",\n"));
    text.push_str("]}\n```\n");
    vec![(".kiro/specs/service/tasks.md".to_owned(), text)]
}
