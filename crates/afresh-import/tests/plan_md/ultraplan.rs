//! Ultra Planner's dialect.

use afresh_formats::folder::MemoryFolder;
use afresh_import::detect::{WorkUnit, detect_formats};

use crate::{fixture, read, rendered, shown};

/// FO-02: a plan is one task; what it says is completed is not done again.
#[test]
fn a_completed_task_is_not_done_again() {
    let reading = read(fixture("ultraplan/tool"), WorkUnit::Plan);
    insta::assert_snapshot!(shown(&reading) + &rendered(&reading));
}

/// FO-02: by task, `### Wave N` says what runs side by side.
#[test]
fn waves_inside_a_plan_order_its_tasks() {
    insta::assert_snapshot!(shown(&read(fixture("ultraplan/tool"), WorkUnit::Task)));
}

/// Its own directory tells it from GSD.
#[test]
fn it_is_told_from_gsd() {
    let names = |files: Vec<(String, String)>| -> Vec<&str> {
        detect_formats(&MemoryFolder::new(files)).iter().map(|format| format.name).collect()
    };
    assert_eq!(names(fixture("ultraplan/tool")), ["ultraplan"]);
    assert_eq!(names(fixture("gsd/shop")), ["gsd"]);
    assert_eq!(names(vec![("README.md".to_owned(), String::new())]), Vec::<&str>::new());
}
