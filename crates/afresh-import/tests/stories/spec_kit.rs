//! spec-kit: tasks.md with phases and user stories.

use std::collections::BTreeMap;

use afresh_formats::folder::MemoryFolder;
use afresh_import::detect::detect_formats;
use afresh_import::formats::spec_kit::FORMAT;

use crate::folders::{
    files, fixture, line_ends_make_no_difference, plan_or_located_problems, read, shown,
    survives_any_damage,
};

const TASKS: &str = "specs/002-photo-albums/tasks.md";

/// PL-11: lines are tasks; adjacent `[P]` tasks run in parallel, stories as stated, phases in order;
/// templates, comments and code contain no tasks.
#[test]
fn lines_of_spec_kit_become_tasks() {
    insta::assert_snapshot!(shown(&read(&FORMAT, &fixture("spec-kit"))));
}

/// FO-04: a worker gets its line, its phase, its story and the plan.
#[test]
fn a_worker_of_a_story_gets_that_story() {
    let plan = read(&FORMAT, &fixture("spec-kit")).plan.expect("a plan");
    let task = plan.tasks().iter().find(|task| task.id.as_str() == "T014").expect("T014");
    insta::assert_snapshot!(task.instructions);
}

/// PL-11: detected from the root, from the directory of features and from a feature's; templates are not
/// features.
#[test]
fn spec_kit_is_recognised_by_its_files() {
    let below = |front: &str| -> MemoryFolder {
        let inside =
            |(path, text): (String, Vec<u8>)| Some((path.strip_prefix(front)?.to_owned(), text));
        MemoryFolder::new(files("spec-kit").into_iter().filter_map(inside))
    };
    for front in ["", "specs/", "specs/002-photo-albums/"] {
        let names: Vec<&str> =
            detect_formats(&below(front)).iter().map(|format| format.name).collect();
        assert_eq!(names, ["spec-kit"], "{front}");
        assert_eq!(read(&FORMAT, &below(front)).plan.map(|plan| plan.len()), Some(16), "{front}");
    }
    assert!(detect_formats(&below(".specify/")).is_empty());
}

fn with(text: &str) -> BTreeMap<String, Vec<u8>> {
    BTreeMap::from([(TASKS.to_owned(), text.as_bytes().to_vec())])
}

fn needs(text: &str) -> BTreeMap<String, String> {
    let plan = plan_or_located_problems(&FORMAT, &with(text)).plan.expect("a plan");
    let line = |task: &afresh_core::plan::Task| {
        let needs: Vec<&str> = task.needs.iter().map(afresh_core::ids::TaskId::as_str).collect();
        (task.id.to_string(), needs.join(" "))
    };
    plan.tasks().iter().map(line).collect()
}

/// PL-11: stories run in order unless the document says otherwise.
#[test]
fn stories_run_in_parallel_only_if_the_document_says_so() {
    let text = "## Phase 1: Setup\n- [ ] T1 a\n## Phase 2: User Story 1\n- [ ] T2 b\n## Phase 3: User Story 2\n- [ ] T3 c\n## Phase 4: Polish\n- [ ] T4 d\n";
    let plain = needs(text);
    assert_eq!(
        (plain["T2"].as_str(), plain["T3"].as_str(), plain["T4"].as_str()),
        ("T1", "T2", "T1 T2 T3")
    );
    let document = format!("{text}## Dependencies\n- **User Story 2**: can start after Setup\n");
    assert_eq!(needs(&document)["T3"], "T1");
    let document = format!("{text}## Dependencies\n- **US2**: depends on US1\n");
    assert_eq!(needs(&document)["T3"], "T1 T2");
}

/// B09, B10, B12: problems are located.
#[test]
fn wrong_lines_of_spec_kit_are_located() {
    let text = "# T\n## Phase 1\n- [ ] T001 a (depends on T009)\n- [ ] T002 b (needs T003)\n- [ ] T003 c (needs T002)\n- [ ] T003 d\n";
    insta::assert_snapshot!(shown(&plan_or_located_problems(&FORMAT, &with(text))));
}

/// PL-11: a document without headings is one phase.
#[test]
fn lines_without_phases_are_tasks_too() {
    let found = needs("- [ ] T001 a\n- [ ] T002 b\n");
    assert_eq!(found["T002"], "T001");
}

/// B11: a batch of many tasks after another is rejected, not multiplied.
#[test]
fn large_lists_of_spec_kit_are_limited() {
    let lines = |from: usize, mark: &str| -> String {
        (from..from + 5_000)
            .map(|n| format!("- [ ] T{n} {mark} x in src/f{n}.py\n"))
            .collect::<Vec<_>>()
            .concat()
    };
    let text = format!("## Phase 1\n{}", lines(10_000, ""));
    assert_eq!(needs(&text).len(), 5_000);
    let text = format!("## Phase 1\n{}## Phase 2\n{}", lines(10_000, "[P]"), lines(20_000, "[P]"));
    let reading = plan_or_located_problems(&FORMAT, &with(&text));
    assert!(reading.findings.iter().any(|found| found.code == "too-large"));
}

/// FO-06: cut off at any byte, any line lost.
#[test]
fn damaged_lists_of_spec_kit_are_plans_or_located_problems() {
    survives_any_damage(&FORMAT, "spec-kit");
}

/// B18
#[test]
fn line_endings_of_spec_kit_make_no_difference() {
    line_ends_make_no_difference(&FORMAT, "spec-kit");
}
