//! Paths outside of the tree, or hostile to tools, in every format: B01, B02, B04, B05, B06.

use crate::written::{KINDS, Kind, rendered, with_code};
use afresh_core::plan::TaskIndex;

/// Formats that find paths in sentences, where a route or an option is not a path.
const SENTENCES: [&str; 5] = ["spec-kit", "gsd2", "openspec", "kiro", "checklist"];

/// Formats with lists of files.
fn listing() -> impl Iterator<Item = &'static Kind> {
    KINDS.iter().filter(|kind| kind.lists_files && !SENTENCES.contains(&kind.name))
}

/// A path that leaves the repository: an error in the native format, and elsewhere left out with a
/// warning (FO-11).
#[track_caller]
fn left_out(path: &str) {
    for kind in listing() {
        let mut samples = kind.samples(2);
        path.clone_into(&mut samples[1].file);
        let (_, reading) = kind.read(&samples);
        if kind.name == "native" {
            assert!(!with_code(&reading, "bad-path").is_empty(), "{path:?}");
            continue;
        }
        let reported = ["path-outside", "file-is-prose"];
        let found = reading.findings.iter().find(|found| reported.contains(&found.code.as_str()));
        let found =
            found.unwrap_or_else(|| panic!("{} {path:?}: {}", kind.name, rendered(&reading)));
        assert!(!found.is_error() && found.line > 0, "{} {path:?}", kind.name);
        let plan = reading.plan.as_ref().unwrap_or_else(|| panic!("{} {path:?}", kind.name));
        let patterns = plan.tasks().iter().flat_map(afresh_core::plan::Task::patterns);
        assert!(
            patterns
                .map(afresh_core::pattern::FilePattern::as_str)
                .all(|kept| kept.starts_with("src/1"))
        );
    }
}

#[track_caller]
fn refused(path: &str) {
    for kind in listing() {
        let mut samples = kind.samples(2);
        path.clone_into(&mut samples[1].file);
        let (files, reading) = kind.read(&samples);
        let found = with_code(&reading, "bad-path");
        assert!(!found.is_empty(), "{} {path:?}: {}", kind.name, rendered(&reading));
        let text = &files.iter().find(|(file, _)| *file == found[0].file).expect("its file").1;
        let line = text.lines().nth(found[0].line - 1).unwrap_or_default();
        // JSON and TOML escape backslashes.
        let start: String = path.chars().take(6).take_while(|c| *c != '\\').collect();
        assert!(line.contains(&start), "{}: {line:?} {:?}", kind.name, found[0]);
    }
}

/// B01, FO-11.
#[test]
fn parent_paths_are_no_files_in_any_format() {
    for path in ["../../etc/x", "src/../../x", ".."] {
        left_out(path);
    }
}

/// B02, FO-11.
#[test]
fn absolute_paths_are_no_files_in_any_format() {
    for path in ["/etc/passwd", "~/.ssh/config", "C:\\Windows\\x.txt", "\\\\host\\share\\x"] {
        left_out(path);
    }
}

/// B04.
#[test]
fn the_git_directory_is_rejected_in_every_format() {
    for path in [".git/hooks/post-commit", "sub/.GIT/config", ".git"] {
        refused(path);
    }
}

/// B05: paths that look like options, or contain control characters, are rejected or not read as paths.
#[test]
fn hostile_paths_are_rejected_in_every_format() {
    refused("--output=x");
    for kind in listing() {
        for path in ["a\u{1b}[2Jb.txt", "a\u{0}b.txt", "a\u{202e}b.txt"] {
            let mut samples = kind.samples(2);
            path.clone_into(&mut samples[1].file);
            let (_, reading) = kind.read(&samples);
            let kept = reading.plan.iter().flat_map(afresh_core::Plan::tasks).any(|task| {
                task.patterns().any(|pattern| pattern.as_str().contains(char::is_control))
            });
            assert!(!kept, "{} {path:?}", kind.name);
            assert!(!reading.findings.is_empty(), "{} {path:?} is passed over", kind.name);
        }
    }
}

/// B06.
#[test]
fn long_paths_and_components_are_rejected_in_every_format() {
    refused(&format!("{}x", "d/".repeat(2_048)));
    refused(&format!("{}.txt", "c".repeat(256)));
}

/// B01: a path outside of the tree in a sentence is not a file of the task; without files the task runs
/// alone, which is safe.
#[test]
fn paths_outside_in_a_sentence_are_ignored() {
    for kind in KINDS.iter().filter(|kind| SENTENCES.contains(&kind.name)) {
        for path in ["../../etc/x.txt", "/etc/passwd", "~/.ssh/config", ".git/hooks/x.sh", "-x.txt"]
        {
            let mut samples = kind.samples(1);
            path.clone_into(&mut samples[0].file);
            let (_, reading) = kind.read(&samples);
            let Some(plan) = reading.plan else {
                assert!(
                    !reading
                        .findings
                        .iter()
                        .filter(|found| found.code == "bad-path")
                        .collect::<Vec<_>>()
                        .is_empty(),
                    "{path}"
                );
                continue;
            };
            assert!(
                !plan.task(TaskIndex::new(0)).lists_files(),
                "{} {path}: {:?}",
                kind.name,
                plan.task(TaskIndex::new(0)).files
            );
            let reported = reading.findings.iter().any(|found| found.code == "path-outside");
            assert!(reported || path.starts_with('-'), "{} {path} is not reported", kind.name);
        }
    }
}
