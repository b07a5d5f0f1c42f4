//! Ultra Planner's dialect.

use afresh_formats::folder::MemoryFolder;
use afresh_import::detect::{WorkUnit, detect_formats};

use crate::{fixture, read, rendered, shown};

/// FO-02: a plan is one task; completed tasks are not done again.
#[test]
fn a_completed_task_is_not_done_again() {
    let reading = read(fixture("ultraplan/tool"), WorkUnit::Plan);
    insta::assert_snapshot!(shown(&reading) + &rendered(&reading));
}

/// FO-02: with `--unit task`, `### Wave N` says what runs in parallel.
#[test]
fn waves_inside_a_plan_order_its_tasks() {
    insta::assert_snapshot!(shown(&read(fixture("ultraplan/tool"), WorkUnit::Task)));
}

/// Its own directory distinguishes it from GSD.
#[test]
fn it_is_distinguished_from_gsd() {
    let names = |files: Vec<(String, String)>| -> Vec<&str> {
        detect_formats(&MemoryFolder::new(files)).iter().map(|format| format.name).collect()
    };
    assert_eq!(names(fixture("ultraplan/tool")), ["ultraplan"]);
    assert_eq!(names(fixture("gsd/shop")), ["gsd"]);
    assert_eq!(names(vec![("README.md".to_owned(), String::new())]), Vec::<&str>::new());
}
