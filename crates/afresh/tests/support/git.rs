//! A `git` in front of the real one, which runs a script first.

use std::fs;
use std::path::{Path, PathBuf};

use afresh_testkit::TestRepo;
use afresh_testkit::repo::put_script;

/// Creates a directory with a `git` that runs `script` and then, unless that ended it, the real git, which the script
/// knows as `$git`.
pub(crate) fn put_git(repo: &TestRepo, script: &str) -> PathBuf {
    let directory = repo.path().join("bin");
    fs::create_dir_all(&directory).expect("a new directory");
    let path = directory.join("git");
    let real = real_git();
    let text = format!("#!/bin/sh\ngit='{}'\n{script}\nexec \"$git\" \"$@\"\n", real.display());
    put_script(&path, &text);
    directory
}

fn real_git() -> PathBuf {
    let path = std::env::var_os("PATH").expect("a PATH");
    let mut places = std::env::split_paths(&path).map(|directory| directory.join("git"));
    places.find(|place| place.is_file()).expect("git is on the PATH")
}

/// A PATH on which the directory comes first.
pub(crate) fn in_front_of_path(directory: &Path) -> String {
    format!("{}:{}", directory.display(), std::env::var("PATH").expect("a PATH"))
}
