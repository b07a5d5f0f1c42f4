//! F21: finding a git that can be used.

use std::ffi::OsString;
use std::path::Path;

use afresh_git::{GitEnv, GitProgram, GitProgramError, Repository};
use tempfile::tempdir;

use crate::scene::{GitScene, variables, write_script};

/// A PATH of one directory, whose git is this script.
fn find_with(dir: &Path, script: Option<&str>) -> Result<GitProgram, GitProgramError> {
    if let Some(script) = script {
        let path = dir.join("git");
        write_script(&path, &format!("#!/bin/sh\n{script}\n"));
    }
    let path: (OsString, OsString) = ("PATH".into(), dir.into());
    GitProgram::find(GitEnv::from_vars([path]))
}

/// F21.
#[test]
fn a_missing_git_is_named_with_a_hint() {
    let dir = tempdir().unwrap();
    let error = find_with(dir.path(), None).unwrap_err();
    assert!(matches!(error, GitProgramError::Missing), "{error}");
    assert!(error.hint().contains("install git 2.38"));
}

/// F21.
#[test]
fn an_old_git_is_named_with_its_version() {
    let dir = tempdir().unwrap();
    let error = find_with(dir.path(), Some("echo git version 2.37.9")).unwrap_err();
    assert!(matches!(error, GitProgramError::TooOld { .. }));
    assert!(error.to_string().contains("git 2.37; at least 2.38"), "{error}");
}

/// F21.
#[test]
fn something_that_is_not_git_is_not_used() {
    let dir = tempdir().unwrap();
    let error = find_with(dir.path(), Some("echo hello")).unwrap_err();
    assert!(matches!(error, GitProgramError::Unrecognised { .. }), "{error}");
    let error = find_with(dir.path(), Some("exit 3")).unwrap_err();
    assert!(matches!(error, GitProgramError::Unusable(_)), "{error}");
}

/// F21.
#[test]
fn a_wrapper_that_warns_on_every_call_works() {
    let scene = GitScene::new();
    let dir = tempdir().unwrap();
    let git = scene.repository().program().path().display();
    let script =
        format!("#!/bin/sh\necho 'warning: wrapped, fatal: not really' >&2\nexec {git} \"$@\"\n");
    write_script(&dir.path().join("git"), &script);
    let mut path = OsString::from(dir.path());
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    let mut vars = variables(&scene.home());
    vars[0].1 = path;
    let program = GitProgram::find(GitEnv::from_vars(vars)).unwrap();
    assert!(program.path().starts_with(dir.path()));
    let repository = Repository::discover(&program, &scene.root).unwrap();
    assert_eq!(repository.head().unwrap(), Some(scene.base.clone()));
    assert_eq!(repository.list_files(&scene.base).unwrap().len(), 5);
}

#[test]
fn a_relative_directory_in_path_is_not_searched() {
    let vars: (OsString, OsString) = ("PATH".into(), ".:bin".into());
    let error = GitProgram::find(GitEnv::from_vars([vars])).unwrap_err();
    assert!(matches!(error, GitProgramError::Missing));
}
