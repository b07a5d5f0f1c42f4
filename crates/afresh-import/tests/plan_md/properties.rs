//! Any damage to a file gives a plan or located problems.

use afresh_core::plan::TaskIndex;
use afresh_formats::folder::MemoryFolder;
use afresh_formats::reading::PlanReading;
use afresh_import::detect::{WorkUnit, detect_formats};
use proptest::prelude::*;

use crate::{fixture, format, options};

const FIXTURES: [&str; 3] = ["gsd/shop", "ultraplan/tool", "long-run/app"];

#[track_caller]
fn plan_or_located_problems(
    files: &[(String, Vec<u8>)],
    changed: &str,
    unit: WorkUnit,
) -> Vec<PlanReading> {
    let folder = MemoryFolder::new(files.to_vec());
    let formats = detect_formats(&folder);
    let readings: Vec<PlanReading> =
        formats.iter().map(|format| format.read_traced(&folder, &options(unit))).collect();
    for reading in &readings {
        let wrong = reading.findings.iter().any(afresh_formats::Finding::is_error);
        assert!(reading.plan.is_some() || wrong, "{changed}: {:?}", reading.findings);
        assert!(wrong || reading.blocked.is_empty(), "{changed}: {:?}", reading.blocked);
        for finding in &reading.findings {
            let known = files.iter().find(|(path, _)| *path == finding.file);
            let lines = known.map_or(0, |(_, text)| text.split(|byte| *byte == b'\n').count());
            assert!(finding.line <= lines && finding.hint.is_some(), "{changed}: {finding:?}");
            assert!(!finding.render().is_empty());
        }
    }
    readings
}

fn bytes(name: &str) -> Vec<(String, Vec<u8>)> {
    fixture(name).into_iter().map(|(path, text)| (path, text.into_bytes())).collect()
}

/// FO-06: any file of a project, cut off at any byte.
#[test]
fn a_file_cut_off_anywhere_is_a_plan_or_located_problems() {
    for name in FIXTURES {
        let whole = bytes(name);
        for at in 0..whole.len() {
            // Every byte would take minutes; a prime step reaches all kinds of places.
            for end in (0..whole[at].1.len()).step_by(13) {
                let mut files = whole.clone();
                files[at].1.truncate(end);
                plan_or_located_problems(
                    &files,
                    &format!("{} cut at {end}", whole[at].0),
                    WorkUnit::Plan,
                );
            }
        }
    }
}

/// FO-06: every byte of one plan, alone.
#[test]
fn a_plan_cut_off_at_any_byte_is_a_plan_or_located_problems() {
    for (name, path) in [
        ("gsd/shop", ".planning/phases/03-checkout/03-01-PLAN.md"),
        ("gsd/shop", ".planning/phases/02-accounts/02-01-PLAN.md"),
        ("ultraplan/tool", ".planning/phases/03-sequential/03-01-PLAN.md"),
    ] {
        let whole = bytes(name).into_iter().find(|(found, _)| found == path).expect("the plan");
        for end in 0..whole.1.len() {
            let file = vec![(whole.0.clone(), whole.1[..end].to_vec())];
            plan_or_located_problems(&file, &format!("{path} cut at {end}"), WorkUnit::Task);
        }
    }
}

/// FO-06: any file of a project, without any of its lines.
#[test]
fn a_file_without_any_line_is_a_plan_or_located_problems() {
    for name in FIXTURES {
        let whole = fixture(name);
        for (at, (path, text)) in whole.iter().enumerate() {
            for line in 0..text.lines().count() {
                let rest: Vec<&str> = text
                    .lines()
                    .enumerate()
                    .filter(|(n, _)| *n != line)
                    .map(|(_, text)| text)
                    .collect();
                let mut files = bytes(name);
                files[at].1 = rest.join("\n").into_bytes();
                plan_or_located_problems(
                    &files,
                    &format!("{path} without line {}", line + 1),
                    WorkUnit::Plan,
                );
            }
        }
    }
}

/// FO-06: no dependency and no file of a frontmatter is lost because another line is broken.
#[test]
fn a_broken_line_loses_no_dependency() {
    let member = |plan: &str, extra: &str| {
        let text = format!(
            "---\nphase: 01-a\n{extra}\ndepends_on: [\"01-01\"]\nfiles_modified:\n  - src/x.ts\n---\n<task><name>x</name></task>"
        );
        (format!(".planning/phases/01-a/01-{plan}-PLAN.md"), text.into_bytes())
    };
    for extra in [
        "a: b: c",
        "x: \"\\.\"",
        "contains: \"a\", \"b\"",
        "y: `z`",
        "- q",
        "k: [",
        "k: {",
        "k: 'it's'",
        "%x",
        "@y: 1",
        "t:\tx",
    ] {
        let first = (
            ".planning/phases/01-a/01-01-PLAN.md".to_owned(),
            b"<task><name>x</name></task>".to_vec(),
        );
        let readings =
            plan_or_located_problems(&[first, member("02", extra)], extra, WorkUnit::Plan);
        let plan = readings[0]
            .plan
            .as_ref()
            .unwrap_or_else(|| panic!("{extra}: {:?}", readings[0].findings));
        assert_eq!(plan.needs(TaskIndex::new(1)), [TaskIndex::new(0)], "{extra}");
        assert!(plan.task(TaskIndex::new(1)).may_write("src/x.ts"), "{extra}");
    }
}

/// Many small things in one file are read in linear time; a quadratic reader would not end.
#[test]
fn large_files_are_read() {
    let many = [
        ("<task><name>x</name></task>\n", 5_000),
        ("<task>", 10_000),
        ("</task>", 10_000),
        ("<task \"", 10_000),
        ("```\n<task>\n", 5_000),
        ("<!-- ", 15_000),
        ("<task><verify><automated>", 5_000),
        ("### Wave 1\n<task><name>a</name></task>\n", 1_250),
        ("## Task 1: x\n**Files:** a\n", 5_000),
        ("- src/a.ts\n", 12_500),
        ("# a\n", 25_000),
        ("- [ ] 01-01 x\n", 12_500),
        ("a: [", 12_500),
        ("  - ", 12_500),
        ("`", 50_000),
        ("<a ", 25_000),
        ("a && ", 12_500),
    ];
    for (piece, times) in many {
        for start in ["", "---\n", "<task><verify>", "<task><name>x</name><files>"] {
            let text = format!("{start}{}", piece.repeat(times));
            let files = [("01-01-PLAN.md".to_owned(), text.into_bytes())];
            plan_or_located_problems(&files, piece, WorkUnit::Task);
        }
    }
}

/// B11: ten thousand tasks in many plans, phases and waves are a plan.
#[test]
fn ten_thousand_tasks_in_two_thousand_plans_are_a_plan() {
    let plan = |at: usize| {
        let (phase, number) = (at / 20 + 1, at % 20 + 1);
        let needs = if number > 1 { format!("{:02}", number - 1) } else { String::new() };
        let task = "<task type=\"auto\"><name>x</name><files>a.ts</files><verify>npm test</verify></task>\n";
        let text = format!("---\nwave: {number}\ndepends_on: [{needs}]\n---\n{}", task.repeat(5));
        (format!(".planning/phases/{phase:02}-p/{phase:02}-{number:02}-PLAN.md"), text)
    };
    let folder = MemoryFolder::new((0..2_000).map(plan));
    let reading = (format("gsd").read)(&folder, &options(WorkUnit::Task));
    let plan = reading.plan.expect("a plan");
    assert_eq!((plan.len(), plan.waves().len()), (10_000, 10_000));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// FO-06: any text at all.
    #[test]
    fn any_text_is_a_plan_or_located_problems(
        text in "(---\n|phase: |depends_on: \\[01\\]\n|<task>|<task type=\"auto\">|</task>|<verify>|</verify>|<name>|```\n|`|\"|'|: |- |\\[|\\]|&&|<|>|ä|x| |\n|\t|\\\\){0,60}",
        unit in prop_oneof![Just(WorkUnit::Plan), Just(WorkUnit::Task)],
    ) {
        let files = [("01-01-PLAN.md".to_owned(), text.into_bytes())];
        plan_or_located_problems(&files, "", unit);
    }

    /// FO-06: any bytes at all.
    #[test]
    fn any_bytes_are_a_plan_or_located_problems(noise in proptest::collection::vec(any::<u8>(), 0..200)) {
        let folder = MemoryFolder::new([("01-01-PLAN.md", noise)]);
        let reading = (format("gsd").read)(&folder, &options(WorkUnit::Plan));
        prop_assert_eq!(reading.plan.is_none(), reading.findings.iter().any(afresh_formats::Finding::is_error));
    }
}
