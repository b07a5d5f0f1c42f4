//! The `.git` of a slot: a private clone that borrows the user's objects and has no remote.
//!
//! It is written anew for every attempt, so nothing of the last one is in it. We never run git
//! with it; it is for the worker, and for checks that ask git something.

use std::fs;
use std::path::Path;

use afresh_core::ids::CommitId;

use crate::error::{Context, FileError};
use crate::identity::Identity;
use crate::repository::Repository;
use crate::shadow::format_section;
use crate::workspace::{Workspace, copy_index};

/// Writes `tree/.git`, detached at `head`; there is none when this is called.
pub(crate) fn build(
    workspace: &Workspace,
    repository: &Repository,
    head: &CommitId,
    identity: &Identity,
) -> Result<(), FileError> {
    let git = workspace.tree().join(".git");
    for directory in ["objects/info", "objects/pack", "refs/heads", "refs/tags", "info"] {
        let directory = git.join(directory);
        fs::create_dir_all(&directory).context("make", &directory)?;
    }
    write(&git.join("HEAD"), format!("{head}\n").as_bytes())?;
    write(&git.join("config"), config(repository, identity).as_bytes())?;
    write(&git.join("objects/info/alternates"), &alternates(&repository.objects()))?;
    for (from, to) in [("info/exclude", "info/exclude"), ("shallow", "shallow")] {
        if let Ok(bytes) = fs::read(repository.common_dir().join(from)) {
            write(&git.join(to), &bytes)?;
        }
    }
    copy_index(&workspace.index(), &git.join("index"))
}

/// The line by which a clone finds the objects that it borrows.
pub(crate) fn alternates(objects: &Path) -> Vec<u8> {
    let mut line = quote(objects);
    line.push(b'\n');
    line
}

/// A path as git reads it in a list of object directories, whatever characters it holds.
pub(crate) fn quote(path: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    let mut quoted = vec![b'"'];
    for byte in path.as_os_str().as_bytes() {
        if matches!(byte, b'"' | b'\\') {
            quoted.push(b'\\');
        }
        quoted.push(*byte);
    }
    quoted.push(b'"');
    quoted
}

fn config(repository: &Repository, identity: &Identity) -> String {
    let value = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "{}\tbare = false\n\tlogallrefupdates = true\n[user]\n\tname = \"{}\"\n\temail = \"{}\"\n\
         [commit]\n\tgpgsign = false\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n",
        format_section(repository.object_format()),
        value(identity.name()),
        value(identity.email()),
    )
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    fs::write(path, bytes).context("write", path)
}
