//! Our objects survive the user's garbage collections, and dead refs are found.

use std::fs;
use std::path::PathBuf;

use afresh_core::ids::CommitId;
use afresh_git::ref_names::{run_branch_ref, run_tip_ref, salvage_ref, step_ref};
use afresh_git::{
    DEFAULT_LOCK_TIMEOUT, GitEnv, GitProgram, MergeOutcome, MergeRequest, NewCommit, PrepareTarget,
    RefExpectation, RefOutcome, RefUpdate, Repository, WorkspacePool,
};

use crate::scene::{GitScene, WORK, owned, variables, write_script};

/// Everything that removes objects which no ref reaches.
const COLLECTIONS: [&str; 3] =
    ["prune --expire=now", "gc -q --prune=now", "gc -q && \"$GIT\" repack -adq"];

/// A pool whose git runs a garbage collection of the user's before and after each call of ours.
fn collecting_pool(scene: &GitScene, collection: &str) -> WorkspacePool {
    let bin = scene.dir.path().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let git = scene.repository().program().path().display().to_string();
    let root = scene.root.display();
    let collect =
        format!("(cd '{root}' && env -i GIT={git} HOME=\"$HOME\" sh -c '\"$GIT\" {collection}')");
    // The process that keeps running is not followed by a collection.
    let script = format!(
        "#!/bin/sh\n{collect} >/dev/null 2>&1\ncase \" $* \" in *' --batch-command '*) \
         exec {git} \"$@\";; esac\n{git} \"$@\"\ncode=$?\n{collect} >/dev/null 2>&1\nexit $code\n"
    );
    write_script(&bin.join("git"), &script);
    let mut vars = variables(&scene.home());
    vars[0].1 = bin.into();
    let program = GitProgram::find(GitEnv::from_vars(vars)).unwrap();
    let repository = Repository::discover(&program, &scene.root).unwrap();
    WorkspacePool::open(repository, &scene.dir.path().join("cache")).unwrap()
}

fn move_ref(repository: &Repository, name: String, new: &CommitId) {
    let update = RefUpdate { name, new: Some(new.clone()), old: RefExpectation::Any };
    assert_eq!(repository.update_refs(&[update], DEFAULT_LOCK_TIMEOUT).unwrap(), RefOutcome::Done);
}

fn files_in_packs(scene: &GitScene, extension: &str) -> Vec<PathBuf> {
    let packs = fs::read_dir(scene.repository().common_dir().join("objects/pack")).unwrap();
    let files = packs.flatten().map(|entry| entry.path());
    files.filter(|path| path.extension().is_some_and(|it| it == extension)).collect()
}

/// R3, R16: some programs that pack a repository delete packs in spite of their `.keep` file. What is gone is published
/// again, before and after the ref has moved.
#[test]
fn packs_that_another_program_deletes_are_published_again() {
    let scene = GitScene::new();
    let repository = scene.repository();
    scene.prepare();
    scene.lease();
    scene.work("echo two >>a.txt");
    let first = scene.harvest().commit.unwrap();
    let tree = repository.commit_tree(&first).unwrap();
    let message = "next\n";
    let signature = &scene.signature;
    let parents = [first];
    let new = NewCommit { tree: &tree, parents: &parents, message, signature };
    let commit = repository.commit(&new).unwrap();
    repository.publish(&commit).unwrap();
    for extension in ["keep", "idx", "pack"] {
        for file in files_in_packs(&scene, extension) {
            fs::remove_file(file).unwrap();
        }
    }
    move_ref(repository, run_branch_ref("run"), &commit);
    assert!(repository.is_whole(&commit).unwrap());
    scene.user("git fsck --strict --no-dangling");
}

/// R1, R3, R16: with a collection before and after every git process of ours, a harvest, a step, a
/// merge and the move of the branch lose nothing.
#[test]
fn a_garbage_collection_at_any_moment_takes_nothing_of_ours() {
    for collection in COLLECTIONS {
        let scene = GitScene::new();
        move_ref(scene.repository(), run_tip_ref("run"), &scene.base);
        let pool = collecting_pool(&scene, collection);
        let repository = pool.repository();
        pool.prepare(WORK, PrepareTarget::Commit(&scene.base), &[]).unwrap();
        scene.lease();
        // The same content, which nothing reaches: git does not write it again.
        scene.user("printf 'by the worker' | git hash-object -w --stdin");
        scene.work("printf 'by the worker' >new; echo two >>a.txt; git add -A; git commit -qm one");
        let step = step_ref("run", "T1.1", 1);
        let saved = pool.snapshot(WORK, &scene.snapshot_request(&scene.base, &step)).unwrap();
        assert!(repository.is_whole(&saved.commit.unwrap()).unwrap(), "{collection}");
        scene.work("echo three >src/more; git add -A; git commit -qm two");
        let harvest = pool.harvest(WORK, &scene.request(&[])).unwrap();
        let theirs = harvest.commit.unwrap();
        let onto = scene.user(
            "git checkout -q -b other; echo x >other; git add -A; git commit -qm o; \
             git rev-parse HEAD; git checkout -q main",
        );
        let onto: CommitId = onto.lines().next().unwrap().parse().unwrap();
        let theirs_tree = &harvest.tree;
        let merge = MergeRequest { base: &scene.base, onto: &onto, theirs: &theirs, theirs_tree };
        let MergeOutcome::Clean { tree } = pool.merge(&merge).unwrap() else { panic!("clean") };
        let parents = [onto.clone(), theirs];
        let signature = &scene.signature;
        let new = NewCommit { tree: &tree, parents: &parents, message: "merge\n", signature };
        let commit = repository.commit(&new).unwrap();
        repository.publish(&commit).unwrap();
        scene.user(&format!("GIT=git; git {}", collection.replace("\"$GIT\"", "git")));
        move_ref(repository, run_branch_ref("run"), &commit);
        assert!(repository.is_whole(&commit).unwrap(), "{collection}");
        assert_eq!(repository.find_dead_refs().unwrap(), [], "{collection}");
        assert_eq!(files_in_packs(&scene, "keep"), Vec::<PathBuf>::new(), "{collection}");
        scene.user("git fsck --strict --no-dangling; git gc -q --prune=now; git fsck --strict");
        assert!(scene.show(&commit, "new").is_some());
    }
}

/// R16: a merge whose checks take long stays, although no ref reaches it, also in the next session.
#[test]
fn a_published_commit_is_kept_until_a_ref_reaches_it() {
    let scene = GitScene::new();
    let repository = scene.repository();
    let tree = repository.commit_tree(&scene.base).unwrap();
    let parents = [scene.base.clone()];
    let signature = &scene.signature;
    let new = NewCommit { tree: &tree, parents: &parents, message: "later\n", signature };
    let commit = repository.commit(&new).unwrap();
    repository.publish(&commit).unwrap();
    repository.empty_staging().unwrap();
    scene.user("git gc -q --prune=now; git repack -adq; git prune --expire=now");
    let next = Repository::discover(repository.program(), &scene.root).unwrap();
    next.end_stale_git(DEFAULT_LOCK_TIMEOUT).unwrap();
    assert!(next.is_whole(&commit).unwrap());
    assert_eq!(files_in_packs(&scene, "keep").len(), 1);
    move_ref(&next, run_branch_ref("run"), &commit);
    next.end_stale_git(DEFAULT_LOCK_TIMEOUT).unwrap();
    assert_eq!(files_in_packs(&scene, "keep").len(), 0, "a ref reaches it");
    scene.user("git gc -q --prune=now; git fsck --strict --no-dangling");
    assert!(next.is_whole(&commit).unwrap());
}

/// A long run does not leave one pack for each attempt, also where a configuration splits packs.
#[test]
fn many_small_packs_are_combined() {
    let scene = GitScene::new();
    scene.user("git config pack.packSizeLimit 1m; git config pack.writeReverseIndex true");
    let repository = scene.repository();
    let tree = repository.commit_tree(&scene.base).unwrap();
    let mut tip = scene.base.clone();
    for number in 0..100 {
        let (message, parents) = (format!("{number}\n"), [tip]);
        let signature = &scene.signature;
        let new = NewCommit { tree: &tree, parents: &parents, message: &message, signature };
        tip = repository.commit(&new).unwrap();
        move_ref(repository, run_branch_ref("run"), &tip);
    }
    assert!(files_in_packs(&scene, "pack").len() < 50);
    assert_eq!(files_in_packs(&scene, "keep").len(), 0);
    scene.user("git fsck --strict --no-dangling; git gc -q --prune=now");
    assert_eq!(repository.first_parents(&tip, Some(&scene.base)).unwrap().len(), 100);
}

/// R16: a ref whose objects are gone is found; what was staged brings it back.
#[test]
fn a_dead_ref_is_found_and_revived_from_what_was_staged() {
    let scene = GitScene::new();
    scene.prepare();
    scene.work("echo new >new");
    scene.pool.harvest(WORK, &scene.request(&owned(&["new"]))).unwrap();
    let repository = scene.repository();
    assert_eq!(repository.find_dead_refs().unwrap(), []);
    scene.user("rm -f .git/objects/pack/pack-*");
    let next = Repository::discover(repository.program(), &scene.root).unwrap();
    let dead = next.find_dead_refs().unwrap();
    assert_eq!(dead.len(), 1);
    assert_eq!(dead[0].name, salvage_ref("run", "T1.1"));
    assert!(next.revive_from_staging(&dead[0]).unwrap());
    assert_eq!(next.find_dead_refs().unwrap(), []);
    // A blob alone is missing.
    next.empty_staging().unwrap();
    scene.user(
        "git unpack-objects -q <$(ls .git/objects/pack/pack-*.pack) 2>/dev/null || true; \
         mkdir -p p; mv .git/objects/pack/pack-* p; for p in p/*.pack; do \
         git unpack-objects -q <$p; done; rm -r p; \
         b=$(git rev-parse refs/afresh/salvage/run/T1.1:new); \
         rm -f .git/objects/$(echo $b | cut -c1-2)/$(echo $b | cut -c3-)",
    );
    let next = Repository::discover(repository.program(), &scene.root).unwrap();
    let dead = next.find_dead_refs().unwrap();
    assert_eq!(dead.len(), 1);
    assert!(!next.revive_from_staging(&dead[0]).unwrap());
    next.replace_dead_ref(&dead[0], None).unwrap();
    scene.user("git gc -q --prune=now; git fsck --strict");
}
