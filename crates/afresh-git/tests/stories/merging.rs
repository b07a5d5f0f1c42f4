//! Merging without a checkout.

use afresh_core::ids::CommitId;
use afresh_git::{MergeOutcome, MergeRequest};

use crate::scene::{GitScene, SEE_STAGED};

fn merge(scene: &GitScene, onto: &CommitId, theirs: &CommitId) -> MergeOutcome {
    let theirs_tree = scene.repository().commit_tree(theirs).unwrap();
    let base = &scene.base;
    scene.pool.merge(&MergeRequest { base, onto, theirs, theirs_tree: &theirs_tree }).unwrap()
}

/// A commit of the user's on a new branch from the base.
fn branch(scene: &GitScene, name: &str, script: &str) -> CommitId {
    let script = format!(
        "git checkout -q -b {name} main; {script}; git add -A; git commit -qm {name}; git rev-parse HEAD; git checkout -q main"
    );
    scene.user(&script).lines().last().unwrap().parse().unwrap()
}

#[test]
fn changes_in_different_files_merge_into_a_tree_with_both() {
    let scene = GitScene::new();
    let ours = branch(&scene, "ours", "echo new >b.txt");
    let theirs = branch(&scene, "theirs", "echo two >>a.txt");
    let before = scene.user_files();
    let MergeOutcome::Clean { tree } = merge(&scene, &ours, &theirs) else { panic!("conflict") };
    let script = format!("{SEE_STAGED}; git ls-tree -r --name-only {tree}; git show {tree}:a.txt");
    let output = scene.user(&script);
    assert!(output.contains("b.txt") && output.contains("two"), "{output}");
    assert_eq!(scene.user_files(), before, "R5");
}

#[test]
fn a_merge_onto_the_base_is_the_attempts_tree() {
    let scene = GitScene::new();
    let theirs = branch(&scene, "theirs", "echo two >>a.txt");
    let tree = scene.repository().commit_tree(&theirs).unwrap();
    assert_eq!(merge(&scene, &scene.base, &theirs), MergeOutcome::Clean { tree });
}

#[test]
fn a_conflict_names_its_paths_and_describes_them() {
    let scene = GitScene::new();
    let ours = branch(&scene, "ours", "echo ours >a.txt; echo x >'odd name'");
    let theirs = branch(&scene, "theirs", "echo theirs >a.txt; rm src/main.rs; echo y >'odd name'");
    let MergeOutcome::Conflict { paths, text } = merge(&scene, &ours, &theirs) else {
        panic!("no conflict");
    };
    assert_eq!(paths, ["a.txt", "odd name"]);
    assert!(text.contains("CONFLICT (content): Merge conflict in a.txt"), "{text}");
    assert!(text.contains("odd name"), "{text}");
}

/// B31: a merge driver in the user's configuration, chosen by a file of the worker's, does not run.
#[test]
fn no_merge_driver_runs() {
    let scene = GitScene::new();
    let canary = scene.dir.path().join("canary");
    scene.user(&format!("git config merge.evil.driver 'touch {}; false'", canary.display()));
    let attributes = "echo '* merge=evil' >.gitattributes";
    let ours = branch(&scene, "ours", &format!("{attributes}; printf 'zero\\none\\n' >a.txt"));
    let theirs = branch(&scene, "theirs", &format!("{attributes}; printf 'one\\ntwo\\n' >a.txt"));
    merge(&scene, &ours, &theirs);
    assert!(!canary.exists());
}
