//! Ids and dependencies, in every format: B07 to B11.

use afresh_core::plan::{Task, TaskIndex};
use afresh_formats::findings::Severity;

use crate::written::{KINDS, Kind, Sample, rendered, with_code};

/// FO-06: three tasks, the second after the first, are a plan in every format.
#[test]
fn the_same_tasks_are_a_plan_in_every_format() {
    for kind in KINDS {
        let mut samples = kind.samples(3);
        samples[1].needs = vec![(kind.word)(1)];
        let (_, reading) = kind.read(&samples);
        let plan = reading
            .plan
            .as_ref()
            .unwrap_or_else(|| panic!("{}: {}", kind.name, rendered(&reading)));
        assert_eq!(plan.len(), 3, "{}", kind.name);
        assert_eq!(plan.needs(TaskIndex::new(1)), [TaskIndex::new(0)], "{}", kind.name);
        assert_eq!(plan.needs(TaskIndex::new(2)).is_empty(), kind.states_needs, "{}", kind.name);
        let writes =
            |at: TaskIndex| plan.task(at).may_write(&format!("src/{}.txt", at.position() + 1));
        assert!(
            !kind.lists_files || plan.indices().all(writes),
            "{}: {:?}",
            kind.name,
            plan.task(TaskIndex::new(0))
        );
        let judged = plan.indices().all(|at| plan.task(at).all_checks().next().is_some());
        assert_eq!(judged, kind.has_checks, "{}", kind.name);
    }
}

/// B07, FO-11: both places are named; ids that differ only in case are equal. In the native format it
/// is an error; where ids are keys, the second task is blocked; where they label lines and headings,
/// both are run.
#[test]
fn a_duplicate_id_is_reported_in_every_format() {
    // Two files in one directory cannot have the same name.
    let doubling = |kind: &&Kind| !["long-run", "ultraplan", "gsd", "gsd2"].contains(&kind.name);
    for kind in KINDS.iter().filter(doubling) {
        for again in [(kind.word)(1), (kind.word)(1).to_lowercase()] {
            let mut samples = kind.samples(3);
            samples[2].name = again.clone();
            let (_, reading) = kind.read(&samples);
            // A reader may not accept that name as an id at all; then it reports that.
            if again != (kind.word)(1) && with_code(&reading, "duplicate-id").is_empty() {
                assert!(!reading.findings.is_empty(), "{} {again}", kind.name);
                continue;
            }
            let found = with_code(&reading, "duplicate-id");
            assert_eq!(found.len(), 1, "{}: {}", kind.name, rendered(&reading));
            let keys = ["native", "tasker", "task-master", "beads", "prd"].contains(&kind.name);
            assert!(found[0].is_error() == keys && found[0].line > 0, "{:?}", found[0]);
            let tasks = reading.plan.as_ref().map(afresh_core::Plan::len);
            let blocked = usize::from(keys && kind.name != "native");
            assert_eq!(tasks, (kind.name != "native").then_some(3), "{}", kind.name);
            assert_eq!(reading.blocked.len(), blocked, "{}", kind.name);
            let other =
                found[0].message.contains("the first is at") || !found[0].related.is_empty();
            assert!(other, "{:?}", found[0]);
        }
    }
}

/// B08, FO-11: an invalid id is rejected with an explanation, whatever it would do to a path or a shell;
/// in formats of other tools it blocks its task and no other.
#[test]
fn hostile_ids_are_rejected_in_every_format_with_free_ids() {
    let long = "x".repeat(10_000);
    for kind in KINDS.iter().filter(|kind| kind.free_names) {
        for id in
            ["../../x", "a;rm -rf ~", "a\u{202e}b", "con", "", "-x", "a\u{1b}[2J", "🦀", &long]
        {
            let mut samples = kind.samples(2);
            id.clone_into(&mut samples[1].name);
            let (_, reading) = kind.read(&samples);
            assert_eq!(reading.plan.is_none(), kind.name == "native", "{} {id:?}", kind.name);
            if let Some(plan) = &reading.plan {
                let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
                let harmless = |task: &Task| task.id.as_str().chars().all(plain);
                assert!(plan.len() == 2 && plan.tasks().iter().all(harmless), "{id:?}");
                assert!(plan.tasks()[0].checkpoint.is_none(), "{} {id:?}", kind.name);
                assert!(plan.tasks()[1].checkpoint.is_some(), "{} {id:?}", kind.name);
            }
            let text = rendered(&reading);
            assert!(text.len() < 5_000, "{}: {} bytes", kind.name, text.len());
            assert!(!text.contains('\u{202e}'), "{text:?}");
        }
    }
}

/// B08: names of files and headings become harmless ids, or are rejected.
#[test]
fn hostile_names_of_files_never_become_ids() {
    for kind in KINDS.iter().filter(|kind| !kind.free_names) {
        for name in ["01-02;rm -rf ~", "01-02 $(x)", "G2\u{202e}", "T002`x`", "02-../../x", "S02|x"]
        {
            let mut samples = kind.samples(1);
            samples.push(Sample { name: name.to_owned(), ..samples[0].clone() });
            let (_, reading) = kind.read(&samples);
            for task in reading.plan.iter().flat_map(afresh_core::Plan::tasks) {
                let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
                assert!(task.id.as_str().chars().all(plain), "{}: {}", kind.name, task.id);
            }
        }
    }
}

/// B09: an unknown dependency is reported with its position: as an error, or as a warning if the format's
/// own tools ignore it.
#[test]
fn an_unknown_dependency_is_reported_in_every_format() {
    for kind in KINDS.iter().filter(|kind| kind.states_needs) {
        let mut samples = kind.samples(2);
        samples[1].needs = vec![(kind.word)(77)];
        let (files, reading) = kind.read(&samples);
        let code = ["unknown-dependency", "unresolved-dependency"];
        let found = reading.findings.iter().find(|found| code.contains(&found.code.as_str()));
        let found = found.unwrap_or_else(|| panic!("{}: {}", kind.name, rendered(&reading)));
        assert!(found.message.contains("77"), "{found:?}");
        let text = &files.iter().find(|(path, _)| *path == found.file).expect("its file").1;
        let line = text.lines().nth(found.line - 1).unwrap_or_default();
        assert!(line.contains("77"), "{}: {line:?} {found:?}", kind.name);
    }
}

/// B10: a task that needs itself never waits for itself.
#[test]
fn a_self_dependency_is_reported_in_every_format() {
    for kind in KINDS.iter().filter(|kind| kind.states_needs) {
        let mut samples = kind.samples(2);
        samples[1].needs = vec![(kind.word)(2)];
        let (_, reading) = kind.read(&samples);
        let reported = reading.findings.iter().any(|found| {
            ["cycle", "self-dependency", "unresolved-dependency"].contains(&found.code.as_str())
        });
        assert!(reported, "{}: {}", kind.name, rendered(&reading));
    }
}

/// B10: cycles of two and of 500 are rejected, and their path is shown.
#[test]
fn cycles_are_rejected_in_every_format() {
    for kind in KINDS.iter().filter(|kind| kind.states_needs) {
        for count in [2, 500] {
            let mut samples = kind.samples(count);
            for (at, sample) in samples.iter_mut().enumerate() {
                sample.needs = vec![(kind.word)((at + 1) % count + 1)];
            }
            let (_, reading) = kind.read(&samples);
            let found = with_code(&reading, "cycle");
            assert!(!found.is_empty(), "{}: {}", kind.name, rendered(&reading));
            assert!(found.iter().all(|found| found.severity == Severity::Error));
            let arrows = found[0].message.matches('→').count();
            assert_eq!(arrows, count, "{}: {}", kind.name, found[0].message);
        }
    }
}

/// B11: ten thousand tasks in a chain, and in parallel, are a plan.
#[test]
fn ten_thousand_tasks_are_a_plan_in_every_format() {
    for kind in KINDS {
        let samples = kind.samples(10_000);
        let (_, reading) = kind.read(&samples);
        let len = |reading: &afresh_formats::reading::PlanReading| {
            reading.plan.as_ref().map(|plan| (plan.len(), plan.waves().len()))
        };
        let waves = if kind.states_needs { 1 } else { 10_000 };
        assert_eq!(len(&reading), Some((10_000, waves)), "{}: {}", kind.name, rendered(&reading));
        let mut chain = samples;
        for (at, sample) in chain.iter_mut().enumerate().skip(1) {
            sample.needs = vec![(kind.word)(at)];
        }
        let (_, reading) = kind.read(&chain);
        assert_eq!(len(&reading), Some((10_000, 10_000)), "{}: {}", kind.name, rendered(&reading));
    }
}
