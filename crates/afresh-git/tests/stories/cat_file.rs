//! The long-running `git cat-file` process may exit at any time without any effect.

use std::fs;

use afresh_git::{GitEnv, GitProgram, Repository, WorkspacePool};

use crate::scene::{GitScene, variables, write_script};

/// The scene's repository, with a script in the place of `git cat-file`.
fn with_cat_file(scene: &GitScene, script: &str) -> Repository {
    let bin = scene.dir.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let git = scene.repository().program().path().display().to_string();
    let script = format!(
        "#!/bin/sh\ncase \" $* \" in *' --batch-command '*) {script};; esac\nexec {git} \"$@\"\n"
    );
    write_script(&bin.join("git"), &script.replace("GIT", &git));
    let mut vars = variables(&scene.home());
    let mut path = bin.into_os_string();
    path.push(":");
    path.push(&vars[0].1);
    vars[0].1 = path;
    let program = GitProgram::find(GitEnv::from_vars(vars)).unwrap();
    Repository::discover(&program, &scene.root).unwrap()
}

#[test]
fn a_cat_file_process_that_exited_is_restarted() {
    let scene = GitScene::new();
    let tree = scene.repository().commit_tree(&scene.base).unwrap();
    let once = "read question; echo \"$question\" | GIT \"$@\"; exit 1";
    let repository = with_cat_file(&scene, once);
    for _ in 0..3 {
        assert_eq!(repository.commit_tree(&scene.base).unwrap(), tree);
        assert!(repository.exists(&scene.base).unwrap());
    }
}

/// F21: warnings on every call, and more of them than a pipe holds, stop nothing.
#[test]
fn warnings_of_cat_file_do_not_stop_it() {
    let scene = GitScene::new();
    let noisy = "head -c 200000 /dev/zero | tr '\\0' 'w' >&2";
    let repository = with_cat_file(&scene, noisy);
    let pool = WorkspacePool::open(repository, &scene.dir.path().join("other cache")).unwrap();
    assert!(pool.repository().exists(&scene.base).unwrap());
}

#[test]
fn a_cat_file_failure_is_reported_with_its_output() {
    let scene = GitScene::new();
    let repository = with_cat_file(&scene, "echo 'fatal: no such luck' >&2; exit 3");
    let error = repository.commit_tree(&scene.base).unwrap_err().to_string();
    assert!(error.contains("no such luck"), "{error}");
}

/// Objects that were made after its start are found, also after the user has packed everything.
#[test]
fn cat_file_sees_new_and_packed_objects() {
    let scene = GitScene::new();
    assert!(scene.repository().exists(&scene.base).unwrap());
    for number in 0..3 {
        let made = scene.user(&format!(
            "echo {number} >n; git add n; git commit -qm n; git rev-parse HEAD HEAD^{{tree}}; \
             git gc -q --prune=now"
        ));
        let (commit, tree) = made.trim().split_once('\n').unwrap();
        let commit = commit.parse().unwrap();
        assert_eq!(scene.repository().commit_tree(&commit).unwrap().as_str(), tree);
    }
}
