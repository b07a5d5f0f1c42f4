//! Check boxes in documents that people write.

use super::{WritebackProblem, difference, files, finish, task};

/// FO-07: only the mark changes: odd spacing, tabs, other line breaks, code and other tasks stay.
#[test]
fn a_box_is_ticked_and_nothing_else() {
    let text = "\u{feff}# Tasks\r\n\r\n## Phase 1: A — ünïcode\r\n\r\n- [ ]   T001  Create `src/a.rs`  \r\n\t* [ ] part of it\r\n\t* [ ]* nice to have\r\n- [ ] T002 [P] Create `src/b.rs` \t\r\n\r\n```\r\n- [ ] T003 an example\r\n```\r\nno end";
    let old = files(&[("specs/001-x/tasks.md", text)]);
    let new = finish("spec-kit", &old, &task("T001")).expect("written");
    let expected =
        text.replacen("- [ ]   T001", "- [x]   T001", 1).replacen("* [ ] part", "* [x] part", 1);
    assert_eq!(String::from_utf8_lossy(&new["specs/001-x/tasks.md"]), expected);
}

/// FO-07: a parent of Kiro is ticked after its last needed part, an optional part and a note are not.
#[test]
fn a_parent_is_ticked_with_its_last_part() {
    let text = "# Implementation Plan\n\n- [ ] 1. Store\n  - [ ] 1.1 Save in `src/a.py`\n  - [ ] 1.2 Load in `src/b.py`\n  - [ ]* 1.3 Property test\n- [ ] 2. Command in `src/c.py`\n\n## Notes\n\n- [ ] a note\n";
    let old = files(&[(".kiro/specs/x/tasks.md", text)]);
    let first = finish("kiro", &old, &task("1.1")).expect("written");
    insta::assert_snapshot!(difference(&old, &first), @r"
    == .kiro/specs/x/tasks.md
    -  - [ ] 1.1 Save in `src/a.py`
    +  - [x] 1.1 Save in `src/a.py`
    ");
    let second = finish("kiro", &first, &task("1.2")).expect("written");
    insta::assert_snapshot!(difference(&first, &second), @r"
    == .kiro/specs/x/tasks.md
    -- [ ] 1. Store
    +- [x] 1. Store
    -  - [ ] 1.2 Load in `src/b.py`
    +  - [x] 1.2 Load in `src/b.py`
    ");
}

/// FO-07: the boxes of a task group, and none of another one or of its criteria.
#[test]
fn a_group_of_agent_os_is_ticked_whole() {
    let text = "#### Task Group 1: Data\n**Dependencies:** None\n\n- [ ] 1.0 All\n  - [ ] 1.1 Model\n  - [x] 1.2 Migration\n\n**Acceptance Criteria:**\n- It is stored\n\n#### Task Group 2: API\n**Dependencies:** Task Group 1\n\n- [ ] 2.0 All\n";
    let old = files(&[("agent-os/specs/x/tasks.md", text)]);
    let new = finish("agent-os", &old, &task("1")).expect("written");
    insta::assert_snapshot!(difference(&old, &new), @r"
    == agent-os/specs/x/tasks.md
    -- [ ] 1.0 All
    +- [x] 1.0 All
    -  - [ ] 1.1 Model
    +  - [x] 1.1 Model
    ");
}

/// FO-07: what is done by the files is not written again; what the files do not have is not guessed.
#[test]
fn a_task_that_is_done_or_unknown_changes_nothing() {
    let text = "## 1. A\n- [x] 1.1 one\n- [ ] 1.2 two\n";
    let old = files(&[("openspec/changes/x/tasks.md", text)]);
    assert_eq!(finish("openspec", &old, &task("1.1")), Ok(old.clone()));
    assert_eq!(finish("openspec", &old, &task("1.3")), Err(WritebackProblem::NoTask));
}

/// FO-07, FO-10: a box of a checklist with its steps, in progress or not.
#[test]
fn a_checklist_is_ticked_with_its_steps() {
    let text = "# Plan\n\n1. [~] **#8** Add a store\n   - [ ] table\n   - notes stay\n2. [ ] Add a command\n\n## Success criteria\n\n- [ ] fast\n";
    let old = files(&[("PLAN.md", text)]);
    let folder = afresh_formats::folder::MemoryFolder::new(old.clone());
    let plan = crate::folders::read(super::format("checklist"), &folder).plan.expect("a plan");
    let id = plan.tasks()[0].id.to_string();
    let new = finish("checklist", &old, &task(&id)).expect("written");
    insta::assert_snapshot!(difference(&old, &new), @r"
    == PLAN.md
    -1. [~] **#8** Add a store
    +1. [x] **#8** Add a store
    -   - [ ] table
    +   - [x] table
    ");
}
