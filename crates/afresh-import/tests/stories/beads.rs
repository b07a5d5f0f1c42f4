//! beads: one issue per line.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use afresh_formats::folder::MemoryFolder;
use afresh_import::detect::{ReadOptions, detect_formats};
use afresh_import::formats::beads::FORMAT;

use crate::folders::{
    fixture, line_ends_make_no_difference, plan_or_located_problems, read, shown,
    survives_any_damage,
};

const FILE: &str = ".beads/issues.jsonl";

/// PL-11: issues become tasks; epics are replaced by their children; closed issues are done; a person is
/// asked about a deferred issue that another needs.
#[test]
fn beads_issues_become_tasks() {
    let reading = read(&FORMAT, &fixture("beads"));
    insta::assert_snapshot!(shown(&reading));
    let plan = reading.plan.expect("a plan");
    insta::assert_snapshot!("beads_instructions", plan.tasks()[0].instructions);
    let names: Vec<&str> =
        detect_formats(&fixture("beads")).iter().map(|format| format.name).collect();
    assert_eq!(names, ["beads"]);
}

fn with(lines: &str) -> BTreeMap<String, Vec<u8>> {
    BTreeMap::from([(FILE.to_owned(), lines.as_bytes().to_vec())])
}

/// PL-11: a lost issue is an error, because its dependents would start too early; a deleted issue or one
/// of another project is not.
#[test]
fn a_dependency_on_a_lost_issue_is_an_error() {
    let waits = |id: &str| {
        let lines = format!(
            "{{\"id\":\"a-1\",\"title\":\"x\",\"status\":\"open\",\"dependencies\":[{{\"depends_on_id\":\"{id}\",\"type\":\"blocks\"}}]}}\n\
             {{\"id\":\"a-2\",\"title\":\"gone\",\"status\":\"tombstone\"}}\n"
        );
        let folder = MemoryFolder::new([(".beads/issues.jsonl", lines)]);
        let reading = (FORMAT.read)(&folder, &ReadOptions::default());
        let codes: Vec<String> = reading.findings.into_iter().map(|found| found.code).collect();
        (reading.plan.is_some(), codes)
    };
    assert_eq!(waits("a-9"), (false, vec!["unknown-dependency".to_owned()]));
    let (readable, codes) = waits("a-2");
    assert!(readable && !codes.iter().any(|code| code.contains("dependency")), "{codes:?}");
    let (readable, codes) = waits("external:billing:api");
    assert!(readable && codes.contains(&"unresolved-dependency".to_owned()), "{codes:?}");
}

/// B07, B10, B12, FO-06: duplicate issues, cycles and merge conflict markers are located.
#[test]
fn wrong_issues_are_located() {
    for (name, lines) in [
        ("beads_doubled", "{\"id\":\"a-1\",\"title\":\"x\"}\n{\"id\":\"a-1\",\"title\":\"y\"}\n"),
        (
            "beads_circle",
            "{\"id\":\"a-1\",\"title\":\"x\",\"dependencies\":[\"a-2\"]}\n{\"id\":\"a-2\",\"title\":\"y\",\"dependencies\":[{\"depends_on_id\":\"a-1\",\"type\":\"blocks\"}]}\n",
        ),
        ("beads_itself", "{\"id\":\"a-1\",\"title\":\"x\",\"dependencies\":[\"a-1\"]}\n"),
        (
            "beads_merge",
            "<<<<<<< HEAD\n{\"id\":\"a-1\",\"title\":\"x\"}\n=======\n{\"id\":\"a-2\",\"title\":\"y\"} {}\n[]\n",
        ),
        ("beads_empty", "\n\n"),
        (
            "beads_types",
            "{\"id\":{},\"title\":null,\"status\":7,\"dependencies\":[{},3,{\"depends_on_id\":[]}]}",
        ),
    ] {
        let reading = plan_or_located_problems(&FORMAT, &with(lines));
        insta::assert_snapshot!(name, shown(&reading));
    }
}

/// PL-11: reading ends for an epic of epics, one that waits for its own child, and a child of itself.
#[test]
fn circular_epics_are_read() {
    let lines = r#"{"id":"e1","title":"e","issue_type":"epic","dependencies":[{"depends_on_id":"e2","type":"parent-child"},{"depends_on_id":"t1","type":"blocks"}]}
{"id":"e2","title":"e","issue_type":"epic","dependencies":[{"depends_on_id":"e1","type":"parent-child"}]}
{"id":"t1","title":"t","dependencies":[{"depends_on_id":"e1","type":"parent-child"}]}
{"id":"t2","title":"t","dependencies":[{"depends_on_id":"e1","type":"parent-child"},{"depends_on_id":"t2","type":"parent-child"}]}
{"id":"t3","title":"t","dependencies":["e2"]}"#;
    let reading = plan_or_located_problems(&FORMAT, &with(lines));
    let plan = reading.plan.as_ref().unwrap_or_else(|| panic!("{}", shown(&reading)));
    let needs: Vec<String> = plan
        .tasks()
        .iter()
        .map(|task| {
            format!(
                "{} <- {:?}",
                task.id,
                task.needs.iter().map(ToString::to_string).collect::<Vec<_>>()
            )
        })
        .collect();
    assert_eq!(needs, ["t1 <- []", "t2 <- [\"t1\"]", "t3 <- [\"t1\", \"t2\"]"]);
}

/// B11: ten thousand issues in a chain are read; epics with a hundred million dependencies are rejected
/// without computing them.
#[test]
fn many_issues_are_read() {
    let mut lines = String::new();
    for id in 0..10_000 {
        let _ = writeln!(
            lines,
            r#"{{"id":"a-{id}","title":"t","dependencies":[{{"depends_on_id":"a-{}","type":"blocks"}}]}}"#,
            (id + 9_999) % 10_000
        );
    }
    let circle = plan_or_located_problems(&FORMAT, &with(&lines));
    assert!(circle.findings.iter().any(|found| found.code == "cycle"));
    let chain = lines.replace(r#""a-9999","type":"blocks""#, r#""a-9999","type":"related""#);
    let reading = plan_or_located_problems(&FORMAT, &with(&chain));
    assert_eq!(reading.plan.map(|plan| plan.waves().len()), Some(10_000));
    let mut lines = String::from(
        "{\"id\":\"e1\",\"title\":\"e\",\"issue_type\":\"epic\"}\n{\"id\":\"e2\",\"title\":\"e\",\"issue_type\":\"epic\",\"dependencies\":[\"e1\"]}\n",
    );
    for id in 0..9_000 {
        let _ = writeln!(
            lines,
            r#"{{"id":"a-{id}","title":"t","dependencies":[{{"depends_on_id":"e{}","type":"parent-child"}}]}}"#,
            1 + id % 2
        );
    }
    let reading = plan_or_located_problems(&FORMAT, &with(&lines));
    assert!(reading.findings.iter().any(|found| found.code == "too-large"));
}

/// FO-06, B18.
#[test]
fn any_damage_to_beads_is_a_plan_or_located_problems() {
    survives_any_damage(&FORMAT, "beads");
    line_ends_make_no_difference(&FORMAT, "beads");
}
