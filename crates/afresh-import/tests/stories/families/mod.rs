//! Families of plans as people and agents write them (FO-11): nothing is lost, nothing is refused for
//! another's fault, and what is left out is a finding.

mod faults;
mod losses;
mod progress;
mod stated_needs;
mod titles;

use afresh_core::Plan;
use afresh_core::plan::Task;
use afresh_formats::folder::MemoryFolder;
use afresh_formats::reading::PlanReading;
use afresh_import::detect::{ReadOptions, detect_formats, format_by_name};

use crate::rendered;

fn read(format: &str, files: &[(String, String)]) -> PlanReading {
    let folder = MemoryFolder::new(files.iter().cloned());
    let found: Vec<&str> = detect_formats(&folder).iter().map(|format| format.name).collect();
    assert_eq!(found, [format], "{files:?}");
    (format_by_name(format).expect("a format").read)(&folder, &ReadOptions::default())
}

fn one(format: &str, path: &str, text: &str) -> PlanReading {
    read(format, &[(path.to_owned(), text.to_owned())])
}

#[track_caller]
fn plan(reading: &PlanReading) -> &Plan {
    reading.plan.as_ref().unwrap_or_else(|| panic!("no plan:\n{}", rendered(reading)))
}

#[track_caller]
fn task<'p>(plan: &'p Plan, id: &str) -> &'p Task {
    let ids: Vec<&str> = plan.tasks().iter().map(|task| task.id.as_str()).collect();
    plan.tasks()
        .iter()
        .find(|task| task.id.as_str() == id)
        .unwrap_or_else(|| panic!("{id}: {ids:?}"))
}

fn needs(plan: &Plan, id: &str) -> Vec<String> {
    task(plan, id).needs.iter().map(ToString::to_string).collect()
}

/// Whether a task waits for another, directly or through others.
fn waits(plan: &Plan, task: &Task, other: &str) -> bool {
    let mut open: Vec<String> = task.needs.iter().map(ToString::to_string).collect();
    while let Some(id) = open.pop() {
        if id == other {
            return true;
        }
        open.extend(needs(plan, &id));
    }
    false
}

fn blocked(reading: &PlanReading) -> Vec<&str> {
    reading.blocked.keys().map(String::as_str).collect()
}

fn codes(reading: &PlanReading) -> Vec<&str> {
    reading.findings.iter().map(|finding| finding.code.as_str()).collect()
}

/// A PLAN.md that is complete.
fn gsd_plan(needs: &str, file: &str, verify: &str) -> String {
    format!(
        "---\nphase: a\nplan: 1\ntype: execute\nwave: 1\ndepends_on: [{needs}]\nfiles_modified: [{file}]\nautonomous: true\nmust_haves: {{truths: []}}\n---\n<tasks>\n<task type=\"auto\">\n<name>Do it</name>\n<files>{file}</files>\n<action>Do</action>\n<verify>{verify}</verify>\n<done>done</done>\n</task>\n</tasks>\n"
    )
}

fn files(all: &[(&str, String)]) -> Vec<(String, String)> {
    all.iter().map(|(path, text)| ((*path).to_owned(), text.clone())).collect()
}
