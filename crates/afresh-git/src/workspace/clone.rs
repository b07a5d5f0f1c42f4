//! The `.git` of a workspace: a private clone that borrows the user's objects and has no remote.
//!
//! It is reset for every attempt, so that it holds nothing of the last one. We never run git with
//! it; it is for the worker, and for checks that use git. Files that are right already stay:
//! deleting and creating the same few files again and again is slow on ext4.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use afresh_core::ids::CommitId;

use crate::git::error::{FileContext, FileError};
use crate::git::identity::CommitIdentity;
use crate::git::repository::Repository;
use crate::workspace::remove::{TreeRemover, make_writable, remove_file};
use crate::workspace::shadow::format_section;
use crate::workspace::slot::{WorkspaceDir, copy_index};

/// The directories of a clone; if one is missing, git does not recognise a repository.
const DIRECTORIES: [&str; 7] =
    ["objects", "objects/info", "objects/pack", "refs", "refs/heads", "refs/tags", "info"];

/// Makes `tree/.git` a clone that is detached at `head`, whatever it is now.
pub(crate) fn build(
    workspace: &WorkspaceDir,
    repository: &Repository,
    head: &CommitId,
    identity: &CommitIdentity,
) -> Result<(), FileError> {
    let git = workspace.tree().join(".git");
    let files = files(repository, head, identity);
    let mut known: BTreeSet<PathBuf> = DIRECTORIES.iter().map(|name| git.join(name)).collect();
    known.insert(git.clone());
    let kept: BTreeSet<PathBuf> =
        files.keys().copied().chain(["index"]).map(|name| git.join(name)).collect();
    clear(&mut TreeRemover::new(&workspace.path), &git, &known, &kept)?;
    for directory in DIRECTORIES {
        let directory = git.join(directory);
        if !directory.is_dir() {
            fs::create_dir_all(&directory).context("make", &directory)?;
        }
    }
    for (name, bytes) in &files {
        let file = git.join(name);
        if !fs::read(&file).is_ok_and(|found| found == *bytes) {
            fs::write(&file, bytes).context("write", &file)?;
        }
    }
    copy_index(&workspace.index(), &git.join("index"))
}

fn files(
    repository: &Repository,
    head: &CommitId,
    identity: &CommitIdentity,
) -> BTreeMap<&'static str, Vec<u8>> {
    let mut files = BTreeMap::from([
        ("HEAD", format!("{head}\n").into_bytes()),
        ("config", config(repository, identity).into_bytes()),
        ("objects/info/alternates", alternates(&repository.objects())),
    ]);
    for name in ["info/exclude", "shallow"] {
        if let Ok(bytes) = fs::read(repository.common_dir().join(name)) {
            files.insert(name, bytes);
        }
    }
    files
}

/// Removes everything but real directories of `known` and regular files of `kept`.
fn clear(
    remover: &mut TreeRemover,
    git: &Path,
    known: &BTreeSet<PathBuf>,
    kept: &BTreeSet<PathBuf>,
) -> Result<(), FileError> {
    if git.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
        remove_file(git)?;
    }
    if git.symlink_metadata().is_err() {
        return Ok(());
    }
    let mut open = vec![git.to_owned()];
    while let Some(directory) = open.pop() {
        make_writable(&directory)?;
        for entry in fs::read_dir(&directory).context("list", &directory)? {
            let path = entry.context("list", &directory)?.path();
            let found = path.symlink_metadata().context("look at", &path)?;
            if found.is_dir() && known.contains(&path) {
                open.push(path);
            } else if !(is_ours_to_write(&found) && kept.contains(&path)) {
                remover.remove(&path)?;
            }
        }
    }
    Ok(())
}

/// A regular file without other hard links: writing it changes nothing else.
fn is_ours_to_write(found: &Metadata) -> bool {
    found.is_file() && found.nlink() == 1 && found.mode() & 0o600 == 0o600
}

/// The line that names the objects that a clone borrows.
pub(crate) fn alternates(objects: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    let bytes = objects.as_os_str().as_bytes();
    // Only git itself reads quotes: libgit2, dulwich and GitPython do not, and neither do programs that use them.
    let is_plain = bytes.starts_with(b"/") && !bytes.contains(&b'\n');
    let mut line = if is_plain { bytes.to_owned() } else { quote(objects) };
    line.push(b'\n');
    line
}

/// A path as git reads it in a list of object directories, whatever characters it contains.
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

fn config(repository: &Repository, identity: &CommitIdentity) -> String {
    let value = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "{}\tbare = false\n\tlogallrefupdates = true\n[user]\n\tname = \"{}\"\n\temail = \"{}\"\n\
         [commit]\n\tgpgsign = false\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n",
        format_section(repository.object_format()),
        value(identity.name()),
        value(identity.email()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AG-01: programs that read a workspace without git do not know quotes; a path that needs them has them.
    #[test]
    fn only_a_path_that_needs_quotes_has_them() {
        let line = |path: &str| String::from_utf8(alternates(Path::new(path))).expect("text");
        assert_eq!(
            line("/home/me/it's \"mine\"/.git/objects"),
            "/home/me/it's \"mine\"/.git/objects\n"
        );
        assert_eq!(line("/two\nlines/objects"), "\"/two\nlines/objects\"\n");
    }
}
