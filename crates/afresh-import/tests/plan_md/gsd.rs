//! A GSD project with everything that real ones contain.

use afresh_core::plan::TaskIndex;
use afresh_formats::folder::MemoryFolder;
use afresh_import::detect::{ReadOptions, WorkUnit};

use crate::{fixture, format, read, rendered, shown, task};

/// FO-02: phases, plans, checkpoints, must-haves, and what is done.
#[test]
fn a_project_is_a_plan() {
    insta::assert_snapshot!(shown(&read(fixture("gsd/shop"), WorkUnit::Plan)));
}

/// FO-02: every `<task>` on its own.
#[test]
fn every_task_can_have_its_own_worker() {
    insta::assert_snapshot!(shown(&read(fixture("gsd/shop"), WorkUnit::Task)));
}

/// FO-06, B17: all problems are reported with their positions.
#[test]
fn problems_are_reported_with_their_positions() {
    insta::assert_snapshot!(rendered(&read(fixture("gsd/shop"), WorkUnit::Plan)));
}

/// FO-06: unknown fields are kept with their source text.
#[test]
fn unknown_fields_are_kept() {
    let reading = read(fixture("gsd/shop"), WorkUnit::Plan);
    let kept: Vec<String> =
        reading.unknown.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    insta::assert_snapshot!(kept.join("\n"));
}

/// FO-02: a worker gets the plan's sections and tasks.
#[test]
fn a_worker_gets_the_text_of_the_plan() {
    let reading = read(fixture("gsd/shop"), WorkUnit::Plan);
    let plan = task(&reading, "02-01");
    insta::assert_snapshot!(format!(
        "{}\n=====\n{}",
        plan.instructions, plan.steps[0].instructions
    ));
    // Instructions for GSD itself are omitted: workers would write its summary.
    assert!(!plan.instructions.contains("SUMMARY"), "{}", plan.instructions);
}

/// FO-02: one plan can be read on its own.
#[test]
fn a_single_plan_can_be_read() {
    let folder = MemoryFolder::new(fixture("gsd/shop"));
    let path = ".planning/phases/02-accounts/02-02-PLAN.md";
    let options = ReadOptions { only: Some(path.to_owned()), ..ReadOptions::default() };
    let reading = (format("gsd").read)(&folder, &options);
    let plan = reading.plan.as_ref().expect("a plan");
    assert_eq!(plan.len(), 1);
    assert_eq!(
        (plan.task(TaskIndex::new(0)).id.as_str(), plan.needs(TaskIndex::new(0))),
        ("02-02", &[][..])
    );
    assert!(reading.findings.iter().all(|finding| finding.file == path));
}

/// FO-02: the folder may be `.planning`, or one of its phases.
#[test]
fn a_project_can_be_entered_anywhere() {
    let below = |prefix: &str| {
        let files = fixture("gsd/shop").into_iter();
        let inside =
            files.filter_map(|(path, text)| Some((path.strip_prefix(prefix)?.to_owned(), text)));
        read(inside.collect(), WorkUnit::Plan).plan.expect("a plan")
    };
    let ids = |plan: afresh_core::Plan| -> Vec<String> {
        plan.tasks().iter().map(|task| task.id.to_string()).collect()
    };
    let whole = read(fixture("gsd/shop"), WorkUnit::Plan).plan.expect("a plan");
    let inside = below(".planning/");
    let links = |plan: &afresh_core::Plan| {
        plan.indices().map(|at| plan.needs(at).to_vec()).collect::<Vec<_>>()
    };
    assert_eq!((&inside.name, links(&inside)), (&whole.name, links(&whole)));
    assert_eq!(ids(inside), ids(whole));
    assert_eq!(ids(below(".planning/phases/02-accounts/")), ["02-01", "02-02", "02-03", "02-04"]);
}
