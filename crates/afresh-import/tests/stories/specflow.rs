//! `SpecFlow`: specifications with task groups.

use std::collections::BTreeMap;

use afresh_formats::folder::MemoryFolder;
use afresh_import::detect::{detect_formats, format_by_name};
use afresh_import::formats::specflow::FORMAT;

use crate::folders::{
    files, fixture, line_ends_make_no_difference, plan_or_located_problems, read, read_only, shown,
    survives_any_damage,
};

const SPEC: &str = ".specflow/specs/SPEC-014.md";

/// FO-04: groups, dependencies in prose, files, steps, what was executed before; tables in audits and in
/// code are ignored.
#[test]
fn groups_become_tasks() {
    insta::assert_snapshot!(shown(&read(&FORMAT, &fixture("specflow"))));
}

/// FO-04: a group's worker gets its row, its requirements and criteria, then the common text.
#[test]
fn a_worker_gets_the_parts_that_belong_to_its_group() {
    let reading = read(&FORMAT, &fixture("specflow"));
    let plan = reading.plan.expect("a plan");
    insta::assert_snapshot!(plan.tasks()[1].instructions);
}

/// FO-04: a spec that was split is not run; its children are named and read.
#[test]
fn a_split_spec_names_its_children() {
    let folder = fixture("specflow-split");
    insta::assert_snapshot!("a_split_spec_among_its_children", shown(&read(&FORMAT, &folder)));
    let alone = read_only(&FORMAT, &folder, ".specflow/specs/SPEC-020.md");
    assert!(alone.plan.is_none());
    insta::assert_snapshot!("a_split_spec_alone", shown(&alone));
}

/// FO-04: one of several specs, named by its file, keeps the ids of its groups.
#[test]
fn one_file_is_read_alone() {
    let folder = fixture("specflow-split");
    let reading = read_only(&FORMAT, &folder, ".specflow/specs/SPEC-020a.md");
    let plan = reading.plan.expect("a plan");
    let ids: Vec<_> = plan.tasks().iter().map(|task| task.id.to_string()).collect();
    assert_eq!(ids, ["G1", "G2-S1", "G2-S2", "G3", "G4"]);
}

/// FO-04: detected from the project's root and from its own directory.
#[test]
fn it_is_recognised_by_its_files() {
    let names = |folder: &MemoryFolder| -> Vec<&str> {
        detect_formats(folder).iter().map(|format| format.name).collect()
    };
    assert_eq!(names(&fixture("specflow")), ["specflow"]);
    let inside = files("specflow")
        .into_iter()
        .map(|(path, text)| (path.strip_prefix(".specflow/").expect("inside").to_owned(), text));
    let inside = MemoryFolder::new(inside);
    assert_eq!(names(&inside), ["specflow"]);
    assert_eq!(read(&FORMAT, &inside).plan.map(|plan| plan.len()), Some(5));
    assert!(
        names(&MemoryFolder::new([("docs/SPEC-1.md", ""), ("specs/1/spec.md", "")])).is_empty()
    );
    assert!(format_by_name("specflow").is_some());
}

fn with(text: &str) -> BTreeMap<String, Vec<u8>> {
    BTreeMap::from([(SPEC.to_owned(), text.as_bytes().to_vec())])
}

fn table(rows: &str) -> BTreeMap<String, Vec<u8>> {
    with(&format!(
        "---\nid: SPEC-014\n---\n# T\n### Task Groups\n| Group | Tasks | Dependencies |\n|---|---|---|\n{rows}"
    ))
}

/// B09, B10: wrong dependencies are located in the table.
#[test]
fn wrong_dependencies_are_located() {
    let unknown = table("| G1 | a | — |\n| G2 | b | G1, G7 |\n");
    insta::assert_snapshot!(
        "an_unknown_group",
        shown(&plan_or_located_problems(&FORMAT, &unknown))
    );
    let circle = table("| G1 | a | G2 |\n| G2 | b | G1 |\n");
    insta::assert_snapshot!("a_circle", shown(&plan_or_located_problems(&FORMAT, &circle)));
    let doubled = table("| G1 | a | — |\n| G1 | b | — |\n");
    let reading = plan_or_located_problems(&FORMAT, &doubled);
    assert!(
        reading
            .findings
            .iter()
            .any(|found| (found.code.as_str(), found.line) == ("duplicate-id", 9))
    );
}

/// FO-06: a heading without its table, and a table without its column, say what was expected.
#[test]
fn a_missing_table_says_what_was_expected() {
    let text = "---\nid: SPEC-014\n---\n# T\n## Task Groups\n\nlater\n\n## Notes\n";
    let none = plan_or_located_problems(&FORMAT, &with(text));
    insta::assert_snapshot!(shown(&none));
    let text = "# T\n## Task Groups\n| Name | Tasks |\n|---|---|\n| G1 | a |\n";
    let reading = plan_or_located_problems(&FORMAT, &with(text));
    assert_eq!(reading.findings[0].message, "the table below this heading has no column `Group`");
}

/// FO-04: every status that means done.
#[test]
fn executed_specs_are_done_before() {
    for (text, done) in [
        ("---\nstatus: done\n---\n# T\n", true),
        ("# T\n---\nstatus: review\n---\n", true),
        ("# T\n```yaml\nstatus: archived\n```\n", true),
        ("---\nstatus: running\n---\n# T\n## Execution Summary\n**Executed:** today\n", true),
        ("---\nstatus: audited\n---\n# T\n", false),
        ("# T\n", false),
    ] {
        let plan = plan_or_located_problems(&FORMAT, &with(text)).plan.expect("a plan");
        assert_eq!(plan.tasks()[0].done_before.is_some(), done, "{text}");
        assert_eq!(plan.tasks()[0].id.to_string(), "SPEC-014");
    }
}

/// FO-04: a state file without waves, as some versions write it.
#[test]
fn a_short_state_file_counts_too() {
    let state = ".specflow/execution/SPEC-014-state.json".to_owned();
    let mut files = table("| G1 | a | — |\n| G2 | b | G1 |\n");
    files.insert(state.clone(), br#"{"spec_id": "SPEC-014", "status": "complete"}"#.to_vec());
    let plan = plan_or_located_problems(&FORMAT, &files).plan.expect("a plan");
    assert!(plan.tasks().iter().all(|task| task.done_before.is_some()));
    files.insert(state, b"{\"waves\": [".to_vec());
    let reading = plan_or_located_problems(&FORMAT, &files);
    assert!(reading.plan.is_some_and(|plan| plan.tasks()[0].done_before.is_none()));
    assert_eq!((reading.findings[0].code.as_str(), reading.findings[0].line), ("syntax", 1));
}

/// FO-06: cut off at any byte, any line lost.
#[test]
fn damaged_specs_are_plans_or_located_problems() {
    survives_any_damage(&FORMAT, "specflow");
    survives_any_damage(&FORMAT, "specflow-split");
}

/// B18
#[test]
fn line_endings_of_specs_make_no_difference() {
    line_ends_make_no_difference(&FORMAT, "specflow");
    line_ends_make_no_difference(&FORMAT, "specflow-split");
}

/// B12, B19: nothing to do, and bytes that are not text.
#[test]
fn empty_and_binary_specs_are_rejected() {
    let empty = read(&FORMAT, &MemoryFolder::default());
    assert_eq!(empty.findings[0].code, "empty-plan");
    let reading =
        plan_or_located_problems(&FORMAT, &BTreeMap::from([(SPEC.to_owned(), vec![b'#', 0xff])]));
    assert_eq!(reading.findings[0].code, "not-utf8");
}

fn joined(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().concat()
}

/// B11: ten thousand groups with ranges as dependencies, and files that belong to all.
#[test]
fn large_tables_are_limited() {
    let rows = joined(10_000, |n| format!("| G{n} | make `src/f{n}.ts` | — |\n"));
    let files = joined(10_000, |n| format!("- `src/f{n}.ts`\n"));
    let requirements = joined(10_000, |n| format!("### R{n}: thing\n\nIn `src/f{n}.ts`.\n"));
    let mut folder = table(&rows);
    let text = String::from_utf8(folder[SPEC].clone()).expect("text");
    folder.insert(
        SPEC.to_owned(),
        format!("{text}\n## Files to Create\n{files}\n## Requirements\n{requirements}")
            .into_bytes(),
    );
    let plan = plan_or_located_problems(&FORMAT, &folder).plan.expect("a plan");
    assert_eq!(plan.tasks()[9_999].files[0].pattern.as_str(), "src/f9999.ts");
    let rows = joined(2_000, |n| format!("| G{n} | x | G0-G9999 |\n"));
    let reading = plan_or_located_problems(&FORMAT, &table(&rows));
    assert!(reading.findings.iter().any(|found| found.code == "too-large"));
}
