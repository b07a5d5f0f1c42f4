//! Reading commits.

use afresh_core::harvest::ChangeKind;
use afresh_core::ids::CommitId;
use afresh_git::{EntryMode, NewCommit};

use crate::scene::{GitScene, owned};

#[test]
fn files_of_a_commit_are_listed_and_read_without_a_checkout() {
    let scene = GitScene::new();
    let repository = scene.repository();
    let files = repository.list_files(&scene.base).unwrap();
    let listed: Vec<_> = files.iter().map(|f| (f.path.as_str(), f.mode)).collect();
    assert_eq!(
        listed,
        [
            (".gitignore", EntryMode::File),
            ("a.txt", EntryMode::File),
            ("link", EntryMode::Symlink),
            ("run.sh", EntryMode::Executable),
            ("src/main.rs", EntryMode::File),
        ]
    );
    assert_eq!(scene.show(&scene.base, "a.txt").as_deref(), Some("one\n"));
    assert_eq!(scene.show(&scene.base, "link").as_deref(), Some("a.txt"));
    for missing in ["b.txt", "src", "../a.txt", "./a.txt", "/a.txt", "link/x", ""] {
        assert_eq!(scene.show(&scene.base, missing), None, "{missing}");
    }
}

/// B03: a symlink on the way to a listed path is visible before anything runs.
#[test]
fn a_symlink_on_the_way_to_a_path_is_visible_in_the_commit() {
    let scene = GitScene::with("ln -s /etc out; mkdir -p d/e; echo x >d/e/f");
    let paths = owned(&["out/passwd", "d/e/f", "d/new"]);
    let modes = scene.repository().entry_modes(&scene.base, &paths).unwrap();
    assert_eq!(modes["out"], EntryMode::Symlink);
    assert_eq!(
        (modes["d"], modes["d/e"], modes["d/e/f"]),
        (EntryMode::Tree, EntryMode::Tree, EntryMode::File)
    );
    assert!(!modes.contains_key("d/new") && !modes.contains_key("out/passwd"));
}

#[test]
fn ancestors_trees_and_missing_commits_are_distinguished() {
    let scene = GitScene::new();
    let repository = scene.repository();
    scene.user("echo two >>a.txt; git commit -qam two");
    let two = repository.head().unwrap().unwrap();
    assert!(repository.is_ancestor(&scene.base, &two).unwrap());
    assert!(!repository.is_ancestor(&two, &scene.base).unwrap());
    assert!(repository.exists(&two).unwrap());
    assert!(!repository.exists(&CommitId::new("1".repeat(40)).unwrap()).unwrap());
    let tree = repository.commit_tree(&two).unwrap();
    assert!(!repository.exists(&CommitId::new(tree.as_str()).unwrap()).unwrap(), "a tree is none");
    assert_eq!(repository.diff_names(&scene.base, &two).unwrap(), ["a.txt"]);
    assert_eq!(repository.diff(&scene.base, &two).unwrap()[0].kind, ChangeKind::Modified);
}

#[test]
fn first_parents_are_read_with_their_trailers() {
    let scene = GitScene::new();
    let repository = scene.repository();
    let tree = repository.commit_tree(&scene.base).unwrap();
    let side = repository
        .commit(&NewCommit {
            tree: &tree,
            parents: std::slice::from_ref(&scene.base),
            message: "side\n\nAfresh-Task: WRONG",
            signature: &scene.signature,
        })
        .unwrap();
    let merge = NewCommit {
        tree: &tree,
        parents: &[scene.base.clone(), side],
        message: "merge T1\n\nWords.\n\nAfresh-Run: r\nAfresh-Task: T1\n",
        signature: &scene.signature,
    };
    let top = repository.commit(&merge).unwrap();
    assert_eq!(repository.commit(&merge).unwrap(), top, "the same inputs give the same commit");
    repository.publish(&top).unwrap();
    let line = repository.first_parents(&top, Some(&scene.base)).unwrap();
    assert_eq!(line.len(), 1);
    assert_eq!((&line[0].commit, &line[0].tree), (&top, &tree));
    assert_eq!(line[0].parents.len(), 2);
    assert_eq!(line[0].trailers, "Afresh-Run: r\nAfresh-Task: T1");
    let whole = repository.first_parents(&top, None).unwrap();
    assert_eq!((whole.len(), whole[1].trailers.as_str()), (2, ""));
}
