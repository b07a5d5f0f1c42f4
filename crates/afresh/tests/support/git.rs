//! A `git` in front of the real one, which runs a script first.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use afresh_testkit::TestRepo;
use afresh_testkit::repo::write_script;

/// Creates a directory with a `git` that runs `script` and then, unless that ended it, the real git, which the script
/// knows as `$git`.
pub(crate) fn put_git(repo: &TestRepo, script: &str) -> PathBuf {
    let directory = repo.path().join("bin");
    fs::create_dir_all(&directory).expect("a new directory");
    let path = directory.join("git");
    let real = real_git();
    let text = format!("#!/bin/sh\ngit='{}'\n{script}\nexec \"$git\" \"$@\"\n", real.display());
    write_script(&path, &text);
    directory
}

fn real_git() -> PathBuf {
    let path = std::env::var_os("PATH").expect("a PATH");
    let mut places = std::env::split_paths(&path).map(|directory| directory.join("git"));
    places.find(|path| path.is_file()).expect("git is on the PATH")
}

/// A PATH on which the directory comes first.
pub(crate) fn in_front_of_path(directory: &Path) -> String {
    format!("{}:{}", directory.display(), std::env::var("PATH").expect("a PATH"))
}

/// Removes one object from the user's repository, also from packs.
pub(crate) fn lose_object(repo: &TestRepo, id: &str) {
    let objects = repo.root().join(".git/objects");
    let aside = repo.path().join("packs");
    if fs::rename(objects.join("pack"), &aside).is_ok() {
        fs::create_dir(objects.join("pack")).expect("a directory");
        for entry in fs::read_dir(&aside).expect("packs").flatten() {
            if entry.path().extension().is_some_and(|extension| extension == "pack") {
                let pack = fs::File::open(entry.path()).expect("a pack");
                let mut unpack = Command::new(real_git());
                unpack.args(["unpack-objects", "-q"]).current_dir(repo.root()).stdin(pack);
                assert!(unpack.status().expect("git").success());
            }
        }
        fs::remove_dir_all(aside).expect("removed");
    }
    fs::remove_file(objects.join(&id[..2]).join(&id[2..])).expect("a loose object");
}
