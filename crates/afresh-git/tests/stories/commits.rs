//! Commits that we write ourselves are identical to git's.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use afresh_core::ids::{CommitId, TreeId};
use afresh_git::{CommitIdentity, CommitSignature, NewCommit};

use crate::scene::GitScene;

/// The same commit, made by git.
fn made_by_git(scene: &GitScene, new: &NewCommit<'_>) -> String {
    let CommitSignature { identity, at_seconds } = new.signature;
    let message = scene.dir.path().join("message");
    fs::write(&message, new.message).unwrap();
    let parents = new.parents.iter().flat_map(|parent| [" -p ", parent.as_str()]);
    let parents: String = parents.collect();
    let script = format!(
        "GIT_AUTHOR_NAME='{name}' GIT_AUTHOR_EMAIL='{email}' GIT_AUTHOR_DATE='@{at_seconds} +0000' \
         GIT_COMMITTER_NAME='{name}' GIT_COMMITTER_EMAIL='{email}' \
         GIT_COMMITTER_DATE='@{at_seconds} +0000' git commit-tree {}{parents} <'{}' 2>/dev/null",
        new.tree,
        message.display(),
        name = identity.name(),
        email = identity.email(),
    );
    scene.user(&script).trim().to_owned()
}

#[test]
fn a_commit_is_identical_to_gits_commit() {
    for format in ["sha1", "sha256"] {
        let scene = GitScene::with_format("echo one >a.txt", format);
        let tree = scene.repository().commit_tree(&scene.base).unwrap();
        let empty: TreeId = scene.user("git mktree </dev/null").trim().parse().unwrap();
        let mut last = scene.base.clone();
        for (message, name, at_seconds) in [
            ("feat(T1): a\n\nbody\n", "Ann", 1_700_000_000),
            ("\n", "Zoë .,x", 1),
            ("ünicode \u{1f600}\r\n\n\n", "A \u{201c}B\u{201d}", 4_000_000_000),
            (" leading\n# no comment\ntrailer: x\n", "x.y", 0),
            (&"long ".repeat(50_000), "L", 9),
        ] {
            let message = format!("{}\n", message.trim_end_matches('\n'));
            let signature =
                CommitSignature { identity: CommitIdentity::new(name, "a@b.c"), at_seconds };
            for (tree, parents) in [
                (&tree, vec![]),
                (&tree, vec![scene.base.clone()]),
                (&empty, vec![last.clone(), scene.base.clone(), last.clone()]),
            ] {
                let new =
                    NewCommit { tree, parents: &parents, message: &message, signature: &signature };
                let ours = scene.repository().commit(&new).unwrap();
                // Ours was written first: git prints the id of the object that it would write.
                assert_eq!(ours.as_str(), made_by_git(&scene, &new), "{message:?} {name}");
                last = ours;
            }
        }
        scene.user(&format!("git branch kept {last}; git fsck --strict --no-dangling"));
    }
}

/// A new object has the permissions that the repository's configuration asks for, also if a group
/// shares it.
#[test]
fn objects_have_the_same_permissions_as_gits() {
    for shared in ["umask", "group", "all"] {
        let scene = GitScene::new();
        let objects = scene.repository().common_dir().join("objects");
        scene.user(&format!(
            "rm -rf .git; git init -q --shared={shared} .; git add -A; git commit -qm base"
        ));
        let tree = scene.user("git rev-parse HEAD^{tree}").trim().parse().unwrap();
        let signature = &scene.signature;
        let new = NewCommit { tree: &tree, parents: &[], message: "x\n", signature };
        let commit = scene.repository().commit(&new).unwrap();
        scene.repository().publish(&commit).unwrap();
        let pack = fs::read_dir(objects.join("pack")).unwrap().flatten().map(|entry| entry.path());
        let packs: Vec<_> = pack.filter(|path| path.extension().unwrap() == "pack").collect();
        let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode();
        let by_git = objects.join(&tree.as_str()[..2]).join(&tree.as_str()[2..]);
        let modes = [mode(&packs[0]), mode(&by_git)];
        assert_eq!(modes[0], modes[1], "shared with {shared}");
    }
}

/// A commit whose tree or parent is missing is not made: it could not be checked out.
#[test]
fn a_commit_needs_its_tree_and_parents() {
    let scene = GitScene::new();
    let tree = scene.repository().commit_tree(&scene.base).unwrap();
    let no_tree: TreeId = "1".repeat(40).parse().unwrap();
    let no_commit: CommitId = "2".repeat(40).parse().unwrap();
    let new =
        NewCommit { tree: &no_tree, parents: &[], message: "x\n", signature: &scene.signature };
    let error = scene.repository().commit(&new).unwrap_err().to_string();
    assert!(error.contains(no_tree.as_str()), "{error}");
    let parents = [scene.base.clone(), no_commit];
    let new = NewCommit { tree: &tree, parents: &parents, ..new };
    let error = scene.repository().commit(&new).unwrap_err().to_string();
    assert!(error.contains(parents[1].as_str()), "{error}");
    // Packed objects count as well.
    scene.user("git gc -q --prune=now");
    let new = NewCommit { parents: &parents[..1], ..new };
    scene.repository().commit(&new).unwrap();
}
