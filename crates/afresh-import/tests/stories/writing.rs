//! Plans of other formats written in the native one: reading them again gives the same plan (FO-05).

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use afresh_core::Plan;
use afresh_formats::native::{PlanSyntax, read, render};
use afresh_import::detect::{FORMATS, ReadOptions, WorkUnit, detect_formats};

use crate::folders::fixture;
use crate::rendered;

const BOTH: [(PlanSyntax, &str); 2] =
    [(PlanSyntax::Toml, "p.plan.toml"), (PlanSyntax::Json, "p.plan.json")];

/// Writes the plan in both notations, reads both again, and compares.
#[track_caller]
fn survives(plan: &Plan) {
    for (syntax, file) in BOTH {
        let text = render(plan, Some("../there"), syntax);
        let again = read(file, text.as_bytes());
        assert_eq!(rendered(&again), "", "{text}");
        assert_eq!(again.plan.as_ref(), Some(plan), "{text}");
        assert_eq!(again.target.as_deref(), Some("../there"));
        assert!(again.unknown.is_empty(), "{:?}", again.unknown);
        assert_eq!(again.plan.map(|plan| render(&plan, Some("../there"), syntax)), Some(text));
    }
}

/// FO-01 to FO-05: every plan of another format can be written in the native one, by plan and by task.
#[test]
fn plans_of_every_format_can_be_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut written = BTreeSet::new();
    for name in names(&root) {
        let folder = fixture(&name);
        for format in detect_formats(&folder) {
            for unit in [WorkUnit::Plan, WorkUnit::Task] {
                let options = ReadOptions { unit, ..ReadOptions::default() };
                if let Some(plan) = (format.read)(&folder, &options).plan {
                    survives(&plan);
                    written.insert(format.name);
                }
            }
        }
    }
    assert_eq!(written, FORMATS.iter().map(|format| format.name).collect());
}

/// The fixtures: directories, and the directories in them.
fn names(root: &Path) -> Vec<String> {
    let inside = |of: &Path| -> Vec<String> {
        let entries = fs::read_dir(of).expect("a directory").flatten();
        let directories = entries.filter(|entry| entry.path().is_dir());
        directories.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    };
    let mut names = inside(root);
    for name in names.clone() {
        names.extend(inside(&root.join(&name)).iter().map(|inner| format!("{name}/{inner}")));
    }
    names
}
