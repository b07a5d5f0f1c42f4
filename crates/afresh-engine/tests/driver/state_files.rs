//! Where files live, and the bundles that lie there.

use std::fs;
use std::path::Path;

use afresh_engine::StateLayout;
use afresh_engine::bundle::stored::{BundlePurpose, DependencyState, StoredBundle};

use crate::support::{ScriptedHost, StoreFault, WorkerScript, attempt_id, run_id};

fn layout(root: &Path) -> StateLayout {
    StateLayout {
        state: root.join("state"),
        cache: root.join("cache"),
        lock: root.join("afresh.lock"),
    }
}

fn write_bundle(directory: &Path) {
    fs::create_dir_all(directory).expect("a directory");
    fs::write(directory.join("bundle.json"), "{}").expect("a bundle");
    fs::write(directory.join("prompt.md"), "do it").expect("a prompt");
}

#[test]
fn everything_of_an_attempt_is_in_its_own_directory() {
    let layout = layout(Path::new("/r"));
    let (run, attempt) = (run_id(), attempt_id("A.2"));
    let own = layout.attempt(&run, &attempt);
    assert_eq!(own, Path::new("/r/state/attempts/r1/A.2"));
    assert!(layout.worker(&run, &attempt).starts_with(&own));
    assert!(layout.checks(&run, Some(&attempt)).starts_with(&own));
    assert!(!layout.checks(&run, None).starts_with(&own));
}

#[test]
fn two_attempts_share_no_directory() {
    let layout = layout(Path::new("/r"));
    let directory = |attempt| layout.attempt(&run_id(), &attempt_id(attempt));
    assert_ne!(directory("A.1"), directory("A.2"));
    assert_ne!(directory("A.1"), directory("B.1"));
}

#[test]
fn what_people_read_is_in_the_state_directory() {
    let layout = layout(Path::new("/r"));
    let files = [layout.stop_file(), layout.state_page(), layout.issues(), layout.activity_log()];
    assert!(files.iter().all(|file| file.parent() == Some(Path::new("/r/state"))));
    assert!(layout.tools().starts_with("/r/cache"));
    assert!(layout.processes().starts_with("/r/state"));
}

#[test]
fn no_directory_is_no_bundles() {
    let root = tempfile::tempdir().expect("a directory");
    assert!(StoredBundle::list(&layout(root.path()), &run_id()).is_empty());
}

/// ST-06: bundles are listed by task and attempt.
#[test]
fn bundles_are_listed_by_task_and_attempt() {
    let root = tempfile::tempdir().expect("a directory");
    let layout = layout(root.path());
    for attempt in ["B.1", "A.10", "A.2"] {
        write_bundle(&layout.attempt(&run_id(), &attempt_id(attempt)));
    }
    write_bundle(&layout.bundles("r1").join("A.2"));
    let listed: Vec<(String, BundlePurpose)> = StoredBundle::list(&layout, &run_id())
        .into_iter()
        .map(|it| (it.attempt.to_string(), it.made_for))
        .collect();
    let worker = |attempt: &str| (attempt.to_owned(), BundlePurpose::Worker);
    let looking = ("A.2".to_owned(), BundlePurpose::Looking);
    assert_eq!(listed, [looking, worker("A.2"), worker("A.10"), worker("B.1")]);
}

#[test]
fn a_directory_that_is_no_bundle_is_not_listed() {
    let root = tempfile::tempdir().expect("a directory");
    let layout = layout(root.path());
    fs::create_dir_all(layout.attempt(&run_id(), &attempt_id("A.1"))).expect("a directory");
    write_bundle(&layout.attempts(&run_id()).join("final-checks"));
    write_bundle(&layout.attempts(&run_id()).join("A.x"));
    assert!(StoredBundle::list(&layout, &run_id()).is_empty());
}

fn bundle_of(root: &Path, attempt: &str) -> StoredBundle {
    let layout = layout(root);
    write_bundle(&layout.attempt(&run_id(), &attempt_id(attempt)));
    let listed = StoredBundle::list(&layout, &run_id());
    listed.into_iter().find(|it| it.attempt == attempt_id(attempt)).expect("the bundle")
}

/// ST-06: only bundles that nobody needs are removed.
#[test]
fn a_bundle_is_needed_while_its_attempt_runs_or_is_asked_about() {
    let root = tempfile::tempdir().expect("a directory");
    let bundle = bundle_of(root.path(), "A.1");
    let running = ScriptedHost::of_plan("A: a").fault(3, StoreFault::CrashAfter).drive();
    assert_eq!(bundle.need(Some(&running.run)), DependencyState::Running);
    let waiting = ScriptedHost::of_plan("A: a").worker("A.1", WorkerScript::asks()).drive();
    assert_eq!(bundle.need(Some(&waiting.run)), DependencyState::Asked);
    let done = ScriptedHost::of_plan("A: a").drive().succeeds();
    assert_eq!(bundle.need(Some(&done.run)), DependencyState::Over);
    assert_eq!(bundle.need(None), DependencyState::Looking);
}

#[test]
fn only_a_bundle_whose_attempt_is_over_or_that_was_made_to_look_at_is_over() {
    let over = [DependencyState::Over, DependencyState::Looking];
    let needed = [DependencyState::Running, DependencyState::Asked];
    assert!(over.iter().all(|it| it.is_over()) && !needed.iter().any(|it| it.is_over()));
}

#[test]
fn removing_a_bundle_keeps_what_the_worker_left() {
    let root = tempfile::tempdir().expect("a directory");
    let bundle = bundle_of(root.path(), "A.1");
    let output = bundle.directory.join("output.log");
    fs::write(&output, "said").expect("a file");
    bundle.remove().expect("removed");
    assert!(output.exists());
    assert!(!bundle.bundle().exists() && !bundle.prompt().exists());
    bundle.remove().expect("nothing is left to remove");
}

#[test]
fn removing_a_bundle_to_look_at_removes_its_empty_directory() {
    let root = tempfile::tempdir().expect("a directory");
    let layout = layout(root.path());
    write_bundle(&layout.bundles("r1").join("A.1"));
    let bundle = StoredBundle::list(&layout, &run_id()).remove(0);
    bundle.remove().expect("removed");
    assert!(!bundle.directory.exists());
}
