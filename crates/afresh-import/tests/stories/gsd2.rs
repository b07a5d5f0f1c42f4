//! GSD 2: milestones, slices and tasks.

use std::collections::BTreeMap;

use afresh_formats::folder::MemoryFolder;
use afresh_import::detect::detect_formats;
use afresh_import::formats::gsd2::FORMAT;

use crate::folders::{
    files, fixture, line_ends_make_no_difference, plan_or_located_problems, read, read_only, shown,
    survives_any_damage,
};

const M002: &str = ".gsd/milestones/M002/";

/// PL-11: the first unfinished milestone is read; tasks wait for the writers of what they read, slices as
/// stated; commands are checks, prose is not.
#[test]
fn a_milestone_of_gsd_2_becomes_a_plan() {
    insta::assert_snapshot!(shown(&read(&FORMAT, &fixture("gsd2"))));
}

/// FO-04: a worker gets its line, its plan and its slice's goal.
#[test]
fn a_worker_of_gsd_2_gets_its_plan() {
    let plan = read(&FORMAT, &fixture("gsd2")).plan.expect("a plan");
    let task = plan.tasks().iter().find(|task| task.id.as_str() == "M002-S02-T02").expect("T02");
    insta::assert_snapshot!(task.instructions);
}

/// PL-11: a milestone is read if the user names one of its files.
#[test]
fn a_named_milestone_is_read() {
    let reading = read_only(&FORMAT, &fixture("gsd2"), ".gsd/milestones/M001/M001-ROADMAP.md");
    let plan = reading.plan.expect("a plan");
    assert_eq!((plan.name.as_str(), plan.len()), ("M001: Skeleton", 1));
    assert!(plan.tasks()[0].done_before.is_some());
}

/// PL-11: detected from the root, from `.gsd` and from a milestone's directory.
#[test]
fn gsd_2_is_recognised_by_its_files() {
    for front in ["", ".gsd/", ".gsd/milestones/", M002] {
        let inside =
            |(path, text): (String, Vec<u8>)| Some((path.strip_prefix(front)?.to_owned(), text));
        let folder = MemoryFolder::new(files("gsd2").into_iter().filter_map(inside));
        let names: Vec<&str> = detect_formats(&folder).iter().map(|format| format.name).collect();
        assert_eq!(names, ["gsd2"], "{front}");
        assert_eq!(read(&FORMAT, &folder).plan.map(|plan| plan.len()), Some(6), "{front}");
    }
}

fn with(roadmap: &str, more: &[(&str, &str)]) -> BTreeMap<String, Vec<u8>> {
    let files = more.iter().map(|(path, text)| (format!("{M002}{path}"), text.as_bytes().to_vec()));
    let own = (format!("{M002}M002-ROADMAP.md"), roadmap.as_bytes().to_vec());
    files.chain([own]).collect()
}

/// B09, B10, B12: a slice that waits for one without a plan, slices in a cycle, and no slices.
#[test]
fn wrong_slices_are_located() {
    let task = "- [ ] **T01: Do** `est:5m`\n";
    let roadmap = "- [ ] **S01: A** `depends:[S02]`\n- [ ] **S02: B** `depends:[]`\n";
    let unplanned = with(roadmap, &[("slices/S01/S01-PLAN.md", task)]);
    insta::assert_snapshot!(
        "an_unplanned_slice",
        shown(&plan_or_located_problems(&FORMAT, &unplanned))
    );
    let roadmap = "- [ ] **S01: A** `depends:[S02]`\n- [ ] **S02: B** `depends:[S01]`\n";
    let both = [("slices/S01/S01-PLAN.md", task), ("slices/S02/S02-PLAN.md", task)];
    let circle = plan_or_located_problems(&FORMAT, &with(roadmap, &both));
    assert!(circle.findings.iter().any(|found| (found.code.as_str(), found.line) == ("cycle", 1)));
    let empty = plan_or_located_problems(&FORMAT, &with("# M002\n", &[]));
    assert_eq!(empty.findings[0].code, "empty-plan");
}

/// PL-11: slices without stated dependencies run in order.
#[test]
fn slices_without_dependencies_run_in_order() {
    let task = "- [ ] **T01: Do** `est:5m`\n- [ ] **T02: Do more** `est:5m`\n";
    let both = [("slices/S01/S01-PLAN.md", task), ("slices/S02/S02-PLAN.md", task)];
    let roadmap = "- [ ] **S01: A** `risk:low`\n- [ ] **S02: B**\n";
    let plan = plan_or_located_problems(&FORMAT, &with(roadmap, &both)).plan.expect("a plan");
    assert_eq!(plan.critical_path().len(), 4);
}

/// FO-06: cut off at any byte, any line lost.
#[test]
fn damaged_milestones_are_plans_or_located_problems() {
    survives_any_damage(&FORMAT, "gsd2");
}

/// B18
#[test]
fn line_endings_of_milestones_make_no_difference() {
    line_ends_make_no_difference(&FORMAT, "gsd2");
}
