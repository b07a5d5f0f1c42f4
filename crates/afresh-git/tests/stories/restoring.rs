//! Restoring the work of an interrupted attempt.

use afresh_core::ids::TreeId;
use afresh_git::PrepareTarget;

use crate::scene::{GitScene, WORK, checkout};

const WORK_DONE: &str = "echo two >>a.txt; rm run.sh; rm link; ln -s src/main.rs link; mkdir -p new/deep; \
                         printf 'x' >new/deep/file; chmod +x new/deep/file; rm src/main.rs; mkdir src/main.rs; \
                         echo y >src/main.rs/inner; git add -A; git commit -qm 'a part'; echo z >later";

/// AG-08: whatever was changed, created, deleted or replaced is restored as uncommitted changes: of
/// the worker's own commits only the content is left.
#[test]
fn interrupted_work_is_restored_as_uncommitted_changes() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work(WORK_DONE);
    let left = checkout(&scene.tree());
    let harvest = scene.harvest();
    scene.prepare();
    assert_ne!(checkout(&scene.tree()), left);
    scene.pool.restore_files(WORK, &harvest.tree).unwrap();
    assert_eq!(checkout(&scene.tree()), left);
    assert_eq!(scene.work("git rev-parse HEAD").trim(), scene.base.as_str());
    assert_eq!(scene.work("git diff --cached --stat"), "", "nothing is staged");
    let again = scene.harvest();
    assert_eq!((&again.tree, &again.changes), (&harvest.tree, &harvest.changes));
}

/// AG-08: a worker that continues restored work is harvested as usual, with its own new commits as
/// steps.
#[test]
fn additions_to_restored_work_are_harvested() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work("echo half >half");
    let harvest = scene.harvest();
    scene.prepare();
    scene.pool.restore_files(WORK, &harvest.tree).unwrap();
    scene.work(
        "git add half; git commit -qm first; echo whole >whole; git add -A; git commit -qm second",
    );
    let request = afresh_git::HarvestRequest {
        salvage: "refs/afresh/salvage/run/T1.2",
        ..scene.request(&[])
    };
    let whole = scene.pool.harvest(WORK, &request).unwrap();
    assert_eq!(whole.steps.len(), 2);
    let paths: Vec<&str> = whole.changes.iter().map(|change| change.path.as_str()).collect();
    assert_eq!(paths, ["half", "whole"]);
}

/// AG-08: kept paths stay; a missing tree is an error, and the workspace can be prepared again.
#[test]
fn restoring_keeps_kept_paths_and_reports_a_missing_tree() {
    let scene = GitScene::new();
    scene.prepare_keeping(&["target/"]);
    scene.work("mkdir target; echo warm >target/cache; echo half >half");
    let harvest = scene.harvest();
    scene.prepare_keeping(&["target/"]);
    scene.pool.restore_files(WORK, &harvest.tree).unwrap();
    assert_eq!(scene.work("cat target/cache half"), "warm\nhalf\n");
    let nowhere = TreeId::new("1".repeat(40)).unwrap();
    let error = scene.pool.restore_files(WORK, &nowhere).unwrap_err();
    assert!(error.to_string().contains(nowhere.as_str()), "{error}");
    scene.pool.prepare(WORK, PrepareTarget::Commit(&scene.base), &[]).unwrap();
    assert_eq!(scene.work("git status --porcelain"), "");
}
