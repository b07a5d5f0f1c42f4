//! Finding and initialising repositories.

use std::fs;

use afresh_git::{DiscoverError, GitEnv, GitProgram, Repository};
use tempfile::tempdir;

use crate::scene::{GitScene, shell, snapshot, variables, write_script};

fn program(home: &std::path::Path) -> GitProgram {
    let mut vars = variables(home);
    // The temporary directory itself may be inside of a repository.
    vars.push(("GIT_CEILING_DIRECTORIES".into(), home.parent().unwrap().into()));
    GitProgram::find(GitEnv::from_vars(vars)).unwrap()
}

#[test]
fn a_directory_without_a_repository_differs_from_a_missing_one() {
    let dir = tempdir().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    let program = program(&dir.join("home"));
    fs::create_dir(dir.join("plain")).unwrap();
    let error = Repository::discover(&program, &dir.join("plain")).unwrap_err();
    assert!(matches!(error, DiscoverError::NotARepository { .. }), "{error}");
    assert!(error.hint().unwrap().contains("--init-git"));
    let error = Repository::discover(&program, &dir.join("missing")).unwrap_err();
    assert!(matches!(error, DiscoverError::Directory(_)), "{error}");
}

#[test]
fn a_linked_worktree_belongs_to_the_main_one_and_has_its_own_head() {
    let scene = GitScene::new();
    scene.user(
        "git worktree add -q -b side ../linked && cd ../linked && git commit -q --allow-empty -m s",
    );
    let linked = scene.root.parent().unwrap().join("linked");
    let found = Repository::discover(scene.repository().program(), &linked).unwrap();
    assert_eq!(found.common_dir(), scene.repository().common_dir());
    assert_eq!(found.root(), Some(scene.root.as_path()));
    assert_eq!(found.branch().unwrap().as_deref(), Some("side"));
    assert_ne!(found.head().unwrap(), Some(scene.base.clone()));
    let branches: Vec<_> = found.worktrees().unwrap().into_iter().map(|w| w.branch).collect();
    assert_eq!(branches, [Some("refs/heads/main".into()), Some("refs/heads/side".into())]);
}

#[test]
fn a_bare_repository_has_no_root() {
    let scene = GitScene::new();
    scene.user("git clone -q --bare . ../bare.git");
    let bare = scene.root.parent().unwrap().join("bare.git");
    let found = Repository::discover(scene.repository().program(), &bare).unwrap();
    assert!(found.is_bare());
    assert_eq!(found.head().unwrap(), Some(scene.base.clone()));
}

#[test]
fn the_identity_is_the_users_or_else_afresh() {
    let scene = GitScene::new();
    let identity = scene.repository().identity().unwrap();
    assert_eq!((identity.name(), identity.email()), ("U Q Ser", "u@ser.example"));
    fs::remove_file(scene.home().join(".gitconfig")).unwrap();
    let identity = scene.repository().identity().unwrap();
    assert_eq!((identity.name(), identity.email()), ("afresh", "afresh@localhost"));
}

/// EX-12: an empty, unborn or non-git directory gets an empty root commit; files stay untracked.
#[test]
fn init_begins_a_history_and_leaves_files_untracked() {
    let dir = tempdir().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    let (home, target) = (dir.join("home"), dir.join("target"));
    fs::create_dir(&home).unwrap();
    fs::create_dir(&target).unwrap();
    fs::write(target.join("notes.txt"), "mine").unwrap();
    let program = program(&home);
    let made = Repository::init(&program, &target, 1_700_000_000).unwrap();
    let root = made.head().unwrap().unwrap();
    assert_eq!(made.list_files(&root).unwrap(), []);
    assert_eq!(shell(&target, &home, "git status --porcelain"), "?? notes.txt\n");
    // Doing it again changes nothing.
    let before = snapshot(&target);
    assert_eq!(Repository::init(&program, &target, 5).unwrap().head().unwrap(), Some(root));
    assert_eq!(snapshot(&target), before);
}

/// EX-12: what is staged in an unborn repository stays staged.
#[test]
fn an_unborn_repository_is_recognised_and_keeps_what_is_staged() {
    let dir = tempdir().unwrap();
    let dir = dir.path().canonicalize().unwrap();
    let (home, target) = (dir.join("home"), dir.join("target"));
    fs::create_dir(&home).unwrap();
    fs::create_dir(&target).unwrap();
    shell(&target, &home, "git init -q -b trunk; echo x >x; git add x");
    let program = program(&home);
    let found = Repository::discover(&program, &target).unwrap();
    assert_eq!(found.head().unwrap(), None);
    assert_eq!(found.branch().unwrap().as_deref(), Some("trunk"));
    let made = Repository::init(&program, &target, 1).unwrap();
    assert!(made.head().unwrap().is_some());
    assert_eq!(shell(&target, &home, "git status --porcelain"), "A  x\n");
}

/// F21: a repository of another user is rejected with the command that would allow it.
#[test]
fn an_untrusted_directory_is_rejected_with_a_hint() {
    let scene = GitScene::new();
    // Git's own test switch: as if another user owned it.
    let wrapper = scene.dir.path().join("bin");
    fs::create_dir(&wrapper).unwrap();
    let git = scene.repository().program().path().display().to_string();
    let script = format!("#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec {git} \"$@\"\n");
    write_script(&wrapper.join("git"), &script);
    let mut vars = variables(&scene.home());
    vars[0].1 = wrapper.into();
    let program = GitProgram::find(GitEnv::from_vars(vars)).unwrap();
    let error = Repository::discover(&program, &scene.root).unwrap_err();
    assert!(matches!(error, DiscoverError::Unsafe { .. }), "{error}");
    assert!(error.hint().unwrap().contains("safe.directory"));
}
