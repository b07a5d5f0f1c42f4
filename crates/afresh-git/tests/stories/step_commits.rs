//! Finished steps are commits, and the next worker starts from the last of them (EX-04).

use afresh_core::ids::CommitId;
use afresh_git::ref_names::step_ref;
use afresh_git::{HarvestRequest, MergeOutcome, MergeRequest, PrepareTarget, WorkspaceHarvest};

use crate::scene::{GitScene, SEE_STAGED, WORK};

fn paths(harvest: &WorkspaceHarvest) -> Vec<&str> {
    harvest.changes.iter().map(|change| change.path.as_str()).collect()
}

fn parent(scene: &GitScene, commit: &CommitId) -> String {
    scene.user(&format!("git log -1 --format=%P {commit}")).trim().to_owned()
}

fn subject(scene: &GitScene, commit: &CommitId) -> String {
    scene.user(&format!("git log -1 --format=%s {commit}")).trim().to_owned()
}

/// A worker that has finished a first step, and continues.
fn one_step() -> (GitScene, CommitId) {
    let scene = GitScene::new();
    scene.prepare();
    scene.lease();
    scene.work("echo first >first");
    let step = scene.snapshot(&scene.base, 1).commit.expect("something changed");
    (scene, step)
}

/// EX-04: what comes after the last finished step is one commit on top of it; all of it is
/// measured.
#[test]
fn a_harvest_builds_on_the_last_finished_step() {
    let (scene, step) = one_step();
    scene.work("git add -A; git commit -qm 'my own'; echo second >second");
    let request = HarvestRequest { onto: &step, ..scene.request(&[]) };
    let harvest = scene.pool.harvest(WORK, &request).unwrap();
    assert_eq!(paths(&harvest), ["first", "second"]);
    let top = harvest.commit.clone().unwrap();
    assert_eq!(
        harvest.steps,
        std::slice::from_ref(&top),
        "the worker's own commit marks no step here"
    );
    assert_eq!(parent(&scene, &top), step.as_str());
    assert_eq!(parent(&scene, &step), scene.base.as_str());
    assert_eq!(scene.repository().diff_names(&step, &top).unwrap(), ["second"]);
    assert_eq!(scene.salvaged(), Some(top));
    assert_eq!(harvest.notes, Vec::<String>::new());
    let again = scene.pool.harvest(WORK, &request).unwrap();
    assert_eq!(again, harvest, "R12");
}

#[test]
fn a_harvest_without_changes_is_the_last_finished_step() {
    let (scene, step) = one_step();
    let request = HarvestRequest { onto: &step, ..scene.request(&[]) };
    let harvest = scene.pool.harvest(WORK, &request).unwrap();
    assert_eq!((&harvest.commit, harvest.steps.len()), (&Some(step.clone()), 0));
    assert_eq!(paths(&harvest), ["first"]);
    assert_eq!(scene.repository().commit_tree(&step).unwrap(), harvest.tree);
    assert_eq!(scene.salvaged(), Some(step));
}

#[test]
fn work_undone_after_a_step_is_no_change() {
    let (scene, step) = one_step();
    scene.work("rm first");
    let request = HarvestRequest { onto: &step, ..scene.request(&[]) };
    let harvest = scene.pool.harvest(WORK, &request).unwrap();
    assert_eq!((harvest.commit, harvest.steps.len(), harvest.changes.len()), (None, 0, 0));
    assert_eq!(harvest.tree, scene.repository().commit_tree(&scene.base).unwrap());
}

/// EX-04, R16: the next attempt finds the finished step in its workspace, also after the user's
/// garbage collection, and its own commits are steps on top of it.
#[test]
fn the_next_worker_starts_from_the_last_finished_step() {
    let (scene, step) = one_step();
    scene.work("echo unfinished >unfinished");
    scene.user("git gc -q --prune=now");
    scene.pool.prepare(WORK, PrepareTarget::Commit(&step), &[]).unwrap();
    assert!(!scene.tree().join("unfinished").exists());
    assert_eq!(scene.work("cat first; git status --porcelain; git rev-parse HEAD").trim(), {
        format!("first\n{step}")
    });
    scene.work(
        "echo more >>first; git commit -qam more; echo first >first; git commit -qam back; \
         echo end >>first; echo second >second",
    );
    let name = "refs/afresh/salvage/run/T1.2";
    scene.pool.acquire_lease(WORK, name).unwrap();
    let request =
        HarvestRequest { prepared: &step, onto: &step, salvage: name, ..scene.request(&[]) };
    let harvest = scene.pool.harvest(WORK, &request).unwrap();
    assert_eq!(paths(&harvest), ["first", "second"], "measured from the base");
    let subjects: Vec<_> = harvest.steps.iter().map(|commit| subject(&scene, commit)).collect();
    assert_eq!(subjects, ["feat(T1): more", "feat(T1): back", "feat(T1): all of it"]);
    let versions = harvest.steps.iter().map(|commit| scene.show(commit, "first").unwrap());
    let versions: Vec<String> = versions.collect();
    assert_eq!(versions, ["first\nmore\n", "first\n", "first\nend\n"]);
    assert_eq!(parent(&scene, &harvest.steps[0]), step.as_str());
    assert_eq!(parent(&scene, &harvest.steps[1]), harvest.steps[0].as_str());
    assert_eq!(harvest.notes, Vec::<String>::new());
    scene.user("git gc -q --prune=now; git fsck --strict --no-dangling");
}

/// An attempt that starts at a step and finishes a step of its own keeps both below its work.
#[test]
fn steps_of_two_attempts_are_one_chain() {
    let (scene, first) = one_step();
    scene.pool.prepare(WORK, PrepareTarget::Commit(&first), &[]).unwrap();
    let name = "refs/afresh/salvage/run/T1.2";
    scene.pool.acquire_lease(WORK, name).unwrap().mark_unsaved(&[]).unwrap();
    scene.work("echo second >second");
    let kept = step_ref("run", "T1.2", 2);
    let request = afresh_git::SnapshotRequest {
        prepared: &first,
        owner: name,
        keep_as: &kept,
        ..scene.snapshot_request(&first, &kept)
    };
    let second = scene.pool.snapshot(WORK, &request).unwrap().commit.unwrap();
    assert_eq!(parent(&scene, &second), first.as_str());
    scene.work("echo third >third");
    let request =
        HarvestRequest { prepared: &first, onto: &second, salvage: name, ..scene.request(&[]) };
    let harvest = scene.pool.harvest(WORK, &request).unwrap();
    assert_eq!(paths(&harvest), ["first", "second", "third"]);
    assert_eq!(harvest.steps.len(), 1);
    assert_eq!(parent(&scene, &harvest.steps[0]), second.as_str());
}

/// A chain of commits merges as one change, measured from where the first of them started.
#[test]
fn a_chain_of_steps_merges_with_what_landed_meanwhile() {
    let (scene, step) = one_step();
    scene.work("echo two >>a.txt; rm first");
    let request = HarvestRequest { onto: &step, ..scene.request(&[]) };
    let harvest = scene.pool.harvest(WORK, &request).unwrap();
    let onto = scene.user(
        "git checkout -q -b landed; echo l >landed; printf 'fn main() { }\\n' >src/main.rs; \
         git add -A; git commit -qm one; echo m >more; git add -A; git commit -qm two; \
         git rev-parse HEAD; git checkout -q main",
    );
    let onto: CommitId = onto.lines().last().unwrap().parse().unwrap();
    let theirs = harvest.commit.unwrap();
    let merge = MergeRequest {
        base: &scene.base,
        onto: &onto,
        theirs: &theirs,
        theirs_tree: &harvest.tree,
    };
    let MergeOutcome::Clean { tree } = scene.pool.merge(&merge).unwrap() else {
        panic!("nothing collides")
    };
    let script = format!("{SEE_STAGED}; git ls-tree -r --name-only {tree}; git show {tree}:a.txt");
    let files = scene.user(&script);
    assert_eq!(
        files.lines().collect::<Vec<_>>(),
        [".gitignore", "a.txt", "landed", "link", "more", "run.sh", "src/main.rs", "one", "two"]
    );
    // A change on both sides is a conflict, whichever commit of the chain made it.
    let onto = scene.user(
        "git checkout -q -b other; echo other >>a.txt; git commit -qam o; git rev-parse HEAD",
    );
    let onto: CommitId = onto.trim().parse().unwrap();
    let merge = MergeRequest { onto: &onto, ..merge };
    let outcome = scene.pool.merge(&merge).unwrap();
    assert!(matches!(&outcome, MergeOutcome::Conflict { paths, .. } if paths == &["a.txt"]));
}
