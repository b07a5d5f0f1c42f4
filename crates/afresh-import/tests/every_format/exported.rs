//! Plans written in every format and read again (FO-05, PL-11).

use std::collections::BTreeSet;
use std::fmt::Write as _;

use afresh_core::Plan;
use afresh_core::plan::{CheckDraft, FileDraft, PlanDraft, StepDraft, TaskDraft};
use afresh_formats::findings::{Finding, Severity};
use afresh_formats::folder::MemoryFolder;
use afresh_import::detect::{FORMATS, PlanFormat, ReadOptions, detect_formats};
use afresh_import::export::{ExportedPlan, export};

/// A plan with what most formats hold.
fn plan() -> Plan {
    let task = |id: &str, needs: &[&str]| TaskDraft {
        id: id.to_owned(),
        title: format!("Create {id}"),
        instructions: format!("Write the file of {id}.\nKeep it short."),
        needs: needs.iter().map(|need| (*need).to_owned()).collect(),
        files: vec![FileDraft { path: format!("src/{}.txt", id.to_lowercase()), action: None }],
        checks: vec![CheckDraft {
            command: format!("test -s src/{}.txt", id.to_lowercase()),
            ..CheckDraft::default()
        }],
        ..TaskDraft::default()
    };
    let mut last = task("T003", &["T001", "T002"]);
    let step = |name: &str| StepDraft { name: name.to_owned(), ..StepDraft::default() };
    last.steps = vec![step("first part"), step("second part")];
    let tasks = vec![task("T001", &[]), task("T002", &["T001"]), last];
    let draft = PlanDraft { name: "Greeting service".to_owned(), spec: None, tasks };
    Plan::new(draft).expect("a plan without problems")
}

fn read(format: &PlanFormat, exported: &ExportedPlan) -> Plan {
    let folder = MemoryFolder::new(exported.files.clone());
    let reading = (format.read)(&folder, &ReadOptions::default());
    reading.plan.unwrap_or_else(|| panic!("{}: {:?}", format.name, reading.findings))
}

/// FO-05: the files are recognised as their format, have every task, and whatever is different when they are read
/// again is listed.
#[test]
fn an_exported_plan_is_read_again() {
    let plan = plan();
    let mut shown = String::new();
    for format in FORMATS {
        let exported = export(&plan, format);
        let folder = MemoryFolder::new(exported.files.clone());
        let found: Vec<&str> = detect_formats(&folder).iter().map(|found| found.name).collect();
        assert_eq!(found, [format.name]);
        assert_eq!(read(format, &exported).len(), 3, "{}", format.name);
        let lost: Vec<String> = exported
            .losses
            .iter()
            .map(|loss| format!("{} ({})", loss.part, loss.tasks.join(" ")))
            .collect();
        let _ = writeln!(shown, "{}: {}", format.name, lost.join("; "));
    }
    insta::assert_snapshot!(shown);
}

/// FO-05, BE-01: nothing in the files is wrong by the format's own rules.
#[test]
fn an_exported_plan_has_nothing_to_warn_of() {
    let plan = plan();
    for format in FORMATS {
        let folder = MemoryFolder::new(export(&plan, format).files);
        let findings = (format.read)(&folder, &ReadOptions::default()).findings;
        // Commands are criteria in words there, which is listed as lost.
        let is_prose =
            |it: &&Finding| it.code == "criteria-are-prose" || it.code == "checks-are-prose";
        let is_wrong = |it: &&Finding| it.severity != Severity::Note && !is_prose(it);
        let wrong: Vec<&Finding> = findings.iter().filter(is_wrong).collect();
        assert!(wrong.is_empty(), "{}: {wrong:#?}", format.name);
    }
}

/// FO-05: what is not listed as lost is the same: dependencies, files and checks.
#[test]
fn what_is_not_lost_is_the_same() {
    let plan = plan();
    for format in FORMATS {
        let exported = export(&plan, format);
        let again = read(format, &exported);
        let is_lost = |part: &str| exported.losses.iter().any(|loss| loss.part == part);
        for (own, read) in plan.tasks().iter().zip(again.tasks()) {
            let name = format.name;
            assert!(is_lost("titles") || read.title.contains(&own.title), "{name}: {read:?}");
            assert!(is_lost("dependencies") || own.needs.len() == read.needs.len(), "{name}");
            let commands = |task: &afresh_core::plan::Task| -> BTreeSet<String> {
                task.all_checks().map(|check| check.command.clone()).collect()
            };
            assert!(is_lost("checks") || commands(own) == commands(read), "{name}");
        }
    }
}

/// FO-05, FO-07: what is done stays done in every format.
#[test]
fn what_is_done_is_exported_as_done() {
    let mut draft = PlanDraft::from(&plan());
    draft.tasks[0].done_before = Some("by hand".to_owned());
    let plan = Plan::new(draft).expect("a plan without problems");
    for format in FORMATS {
        let again = read(format, &export(&plan, format));
        let done: Vec<bool> = again.tasks().iter().map(|task| task.done_before.is_some()).collect();
        assert_eq!(done, [true, false, false], "{}", format.name);
    }
}
