//! Tasks that have a title of their own, above boxes or steps (FO-10): one task with steps, never one per
//! step.

use afresh_core::Plan;
use afresh_formats::folder::MemoryFolder;
use afresh_formats::reading::PlanReading;
use afresh_import::detect::formats_of_file;

use super::{codes, needs, one, plan, read, task};
use crate::rendered;

fn list(text: &str) -> PlanReading {
    one("checklist", "PLAN.md", text)
}

fn ids(plan: &Plan) -> Vec<&str> {
    plan.tasks().iter().map(|task| task.id.as_str()).collect()
}

fn steps<'p>(plan: &'p Plan, id: &str) -> Vec<&'p str> {
    task(plan, id).steps.iter().map(|step| step.name.as_str()).collect()
}

/// A task with a failing test first, as skills for agents have plans written; `{N}` is its number, and
/// `{B}` stands before each of its steps.
const TEST_FIRST: &str = "### Task {N}: Count the words of part {N}

**Files:**
- Create: `src/part{N}.py`
- Test: `tests/test_part{N}.py`

{B}**Step 1: Write the failing test**

```python
def test_part():
    assert part() == 1
```

{B}**Step 2: Run test to verify it fails**

Run: `pytest tests/test_red{N}.py -v`
Expected: FAIL with \"no such function\"

{B}**Step 3: Write minimal implementation**

```markdown
# A page
- [ ] a box of the page
```

{B}**Step 4: Run test to verify it passes**

Run: `pytest tests/test_part{N}.py -v`
Expected: PASS

{B}**Step 5: Commit**

```bash
git commit -m part
```

---

";

fn test_first(number: usize, bullet: &str) -> String {
    TEST_FIRST.replace("{N}", &number.to_string()).replace("{B}", bullet)
}

/// FO-10: a heading of a task is one task; its boxes, or the lines that are called steps, are its steps,
/// with the code below them.
#[test]
fn a_heading_with_steps_is_one_task() {
    for bullet in ["- [ ] ", "", "* [ ] "] {
        let text = format!(
            "# Words\n\n**Goal:** count\n\n## Global Constraints\n\nNo threads.\n\n{}{}",
            test_first(1, bullet),
            test_first(2, bullet)
        );
        let reading = list(&text);
        let plan = plan(&reading);
        assert_eq!(ids(plan), ["task-1", "task-2"], "{bullet:?} {}", rendered(&reading));
        assert_eq!(needs(plan, "task-2"), ["task-1"]);
        let first = task(plan, "task-1");
        assert_eq!(first.title, "Count the words of part 1");
        assert_eq!(
            steps(plan, "task-1"),
            [
                "Write the failing test",
                "Run test to verify it fails",
                "Write minimal implementation",
                "Run test to verify it passes",
                "Commit"
            ],
            "{bullet:?}"
        );
        assert!(first.steps[0].instructions.contains("assert part() == 1"), "{bullet:?}");
        assert!(first.instructions.contains("No threads."), "{}", first.instructions);
        let checks: Vec<&str> = first.checks.iter().map(|check| check.command.as_str()).collect();
        assert_eq!(checks, ["pytest tests/test_part1.py -v"], "what fails first is no check");
        let paths: Vec<String> = first.patterns().map(ToString::to_string).collect();
        assert_eq!(paths, ["src/part1.py", "tests/test_part1.py"]);
    }
}

/// FO-10: the ways to title a task above its boxes.
#[test]
fn every_title_above_boxes_is_one_task() {
    let boxes = "\n- [ ] write it\n- [ ] try it\n  - [ ] twice\n";
    let below = "\n  - [ ] write it\n  - [ ] try it\n    - [ ] twice\n";
    for (title, id, boxes) in [
        ("## Task 1: Parse", "task-1", boxes),
        ("## Phase 1\n### Task 1.2 — Parse", "task-1.2", boxes),
        ("### T001 [P] Parse", "T001", boxes),
        ("### 📋 TASK-004: Parse", "task-004", boxes),
        ("### PARSE-01: Parse", "PARSE-01", boxes),
        ("## Phase 1: Start\n### 1.1 Parse", "1.1", boxes),
        ("## Sprint 2\n### 3. Parse", "3", boxes),
        ("- **Task 3: Parse**", "task-3", below),
        ("- T003 Parse", "T003", below),
        ("2. Parse", "2", "\n   - [ ] write it\n   - [ ] try it\n     - [ ] twice\n"),
    ] {
        let text = format!("# Plan\n{title}{boxes}");
        let reading = list(&text);
        let plan = plan(&reading);
        assert_eq!(ids(plan), [id], "{title}");
        assert_eq!(steps(plan, id), ["write it", "try it"], "{title}");
        assert!(task(plan, id).title.ends_with("Parse"), "{title}: {}", task(plan, id).title);
        assert!(task(plan, id).steps[1].instructions.contains("twice"), "{title}");
    }
    let reading = list(&format!("# Plan\n- **Parse**{below}- **Print**{below}"));
    assert_eq!(plan(&reading).len(), 2, "{}", rendered(&reading));
}

/// FO-10: boxes below a heading that is no task are tasks, and so are boxes with ids of their own.
#[test]
fn boxes_below_a_section_are_tasks() {
    for (text, count) in [
        ("## Setup\n- [ ] a\n- [ ] b\n", 2),
        ("## 1. Setup\n- [ ] a\n- [ ] b\n", 2),
        ("## Phase 1: Setup\n- [ ] a\n- [ ] b\n", 2),
        ("## Phase 1\n### 1.1 Setup\n- [ ] 1.1.1 a\n- [ ] 1.1.2 b\n", 2),
        ("## Phase 1\n### 1.1 Setup\n- [ ] T001 a\n- [ ] T002 b\n", 2),
        ("- parser\n  - [ ] a\n  - [ ] b\n", 2),
        ("## Task 1: Group\n- [ ] own\n### Task 1.1: a\n- [ ] x\n### Task 1.2: b\n- [ ] x\n", 3),
        ("## Tasks\n- [ ] a\n## Task 1: b\n- [ ] x\n- [ ] y\n", 2),
        ("## Phase 2: Verification\n- [ ] a\n- [ ] b\n", 2),
        ("## Setup\n- [ ] a\n### ✅ Testing Checklist\n- [ ] b\n## Quality Gates\n- [ ] c\n", 1),
        ("## Phase 2: Final Verification\n### Task 2.1: a\n- [ ] x\n### Task 2.2: b\n", 2),
        ("## Final Verification\n### Task 1: a\nrun it\n### Task 2: b\nrun it\n", 2),
    ] {
        let reading = list(text);
        assert_eq!(plan(&reading).len(), count, "{text}: {:?}", ids(plan(&reading)));
    }
    let reading = list("# Plan\n- parser\n  - [ ] a\n");
    let text = &plan(&reading).tasks()[0].instructions;
    assert!(text.contains("parser"), "a worker knows what its box is part of: {text}");
}

/// FO-10, FO-11: what is finished is not done again, and what is partly finished is said.
#[test]
fn finished_titles_are_done() {
    let done = |text: &str| {
        let reading = list(&format!("{text}\n## Task 9: next\n- [ ] x\n"));
        let plan = plan(&reading);
        let said = codes(&reading).into_iter().filter(|code| *code != "checks-are-prose");
        (plan.tasks()[0].done_before.is_some(), said.collect::<Vec<_>>().join(" "))
    };
    for text in [
        "## Task 1: a\n- [x] x\n- [x] y\n",
        "## Task 1: a\n- [✓] x\n",
        "## ✅ Task 1: a\ndo it\n",
        "## Task 1: a ✅\ndo it\n",
        "## Task 1: a (done)\ndo it\n",
        "## Task 1: a\n**Status:** ✅ Complete\n\ndo it\n",
        "## Task 1: a\n- Status: Completed\n",
        "## Overview\n- [x] Task 1: a\n\n## Task 1: a\ndo it\n",
    ] {
        assert_eq!(done(text), (true, String::new()), "{text}");
    }
    for text in [
        "## Task 1: a\n**Status:** Not Started\n",
        "## Task 1: a\nStatus: [Not Started|In Progress|Complete]\n",
        "## Overview\n- [ ] Task 1: a\n\n## Task 1: a\ndo it\n",
        "## Task 1: a\n```\nStatus: Complete\n```\n",
    ] {
        assert_eq!(done(text), (false, String::new()), "{text}");
    }
    assert_eq!(done("## Task 1: a\n- [x] x\n- [ ] y\n"), (false, "partly-done".to_owned()));
    assert_eq!(done("## Task 1: a ✅\n- [ ] y\n"), (true, "unclear-box".to_owned()));
}

/// FO-10: criteria of a task are no steps, and are part of its text; a section with the number and the
/// words of a box says more about it.
#[test]
fn criteria_and_details_reach_the_worker() {
    let reading = list(
        "# P\n## Task 1: a\n**Steps:**\n- [ ] one\n- [ ] two\n\n**Acceptance Criteria:**\n- [ ] it counts\n",
    );
    let first = plan(&reading);
    assert_eq!(steps(first, "task-1"), ["one", "two"]);
    assert!(task(first, "task-1").instructions.contains("it counts"));
    let reading = list(
        "# P\n## Progress\n- [ ] **1. Harden the door** (P0)\n\n## 1. Harden the door\nUse steel.\n",
    );
    let plan = plan(&reading);
    assert_eq!(ids(plan), ["1"]);
    assert!(
        plan.tasks()[0].instructions.contains("Use steel."),
        "{}",
        plan.tasks()[0].instructions
    );
}

/// FO-11: a sentence about git's own directory does not block its task.
#[test]
fn a_sentence_about_git_names_no_file() {
    for text in [
        "# P\n- [ ] Walk up until `.git/` in `src/a.py`\n",
        "## Task 1: a\nFind `.git` in `src/a.py`\n",
    ] {
        let reading = list(text);
        let first = &plan(&reading).tasks()[0];
        let paths: Vec<String> = first.patterns().map(ToString::to_string).collect();
        assert_eq!(paths, ["src/a.py"], "{text}");
        assert!(reading.blocked.is_empty(), "{}", rendered(&reading));
    }
}

/// FO-10, FO-11: a task whose heading is in a code block is reported, unless it is an example of one.
#[test]
fn a_title_in_a_code_block_is_reported() {
    let reading = list("## Task 1: a\n- [ ] x\n```\n## Task 2: b\n- [ ] y\n```\n");
    assert_eq!(ids(plan(&reading)), ["task-1"]);
    let fenced = codes(&reading).into_iter().filter(|code| *code == "task-in-fence").count();
    assert_eq!(fenced, 2, "{}", rendered(&reading));
    let reading = list("## Task 1: a\n```\n## Task 1: b\n```\n");
    assert!(!codes(&reading).contains(&"task-in-fence"), "{}", rendered(&reading));
}

/// FO-10: plans below `docs/plans` are found where there is no other list, and any of them can be named.
#[test]
fn plans_below_docs_are_found() {
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let plan_text = test_first(1, "");
    let design = file("docs/plans/2026-01-01-words-design.md", "# Design\n\nProse.\n");
    let work = file("docs/plans/2026-01-01-words.md", &plan_text);
    let reading = read("checklist", &[design.clone(), work.clone()]);
    assert_eq!(ids(plan(&reading)), ["task-1"]);
    let other = file("docs/plans/2026-01-02-lines.md", &plan_text);
    let reading = read("checklist", &[design, work.clone(), other]);
    assert_eq!(codes(&reading), ["several-plans"], "{}", rendered(&reading));
    let reading = read("checklist", &[work, file("TODO.md", "- [ ] a\n")]);
    assert!(plan(&reading).tasks()[0].title == "a", "the list of the project is meant");
    let elsewhere = MemoryFolder::new([("notes/words.md", plan_text.as_str())]);
    let names: Vec<&str> =
        formats_of_file(&elsewhere, "notes/words.md").iter().map(|format| format.name).collect();
    assert_eq!(names, ["checklist"]);
}

/// FO-10: a list with as many titles as a plan may have tasks is read in one pass.
#[test]
fn ten_thousand_titles_are_read() {
    let titles: Vec<String> = (0..10_000).map(|at| format!("## Task {at}: a\n- [ ] x\n")).collect();
    let reading = list(&titles.concat());
    assert_eq!(plan(&reading).len(), 10_000);
}
