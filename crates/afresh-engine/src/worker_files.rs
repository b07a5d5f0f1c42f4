//! Files that a worker can access while we use them.
//!
//! The worker may have put a pipe, a link or a device there, and may do so at any moment. Nothing here blocks on a
//! pipe, follows a link, or writes or removes anything outside of the intended directory.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{OFlag, open, openat, renameat};
use nix::sys::stat::{Mode, mkdirat};
use nix::unistd::{UnlinkatFlags, unlinkat};

const READ: OFlag =
    OFlag::O_RDONLY.union(OFlag::O_NOFOLLOW).union(OFlag::O_NONBLOCK).union(OFlag::O_CLOEXEC);
const ENTER: OFlag = READ.union(OFlag::O_DIRECTORY);
const CREATE: OFlag = OFlag::O_WRONLY
    .union(OFlag::O_CREAT)
    .union(OFlag::O_EXCL)
    .union(OFlag::O_NOFOLLOW)
    .union(OFlag::O_CLOEXEC);

/// A file to read, if it is a plain one.
pub(crate) fn open_plain(path: &Path) -> io::Result<File> {
    plain(open(path, READ, Mode::empty())?)
}

fn plain(file: OwnedFd) -> io::Result<File> {
    let file = File::from(file);
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::new(ErrorKind::InvalidInput, "not a plain file"))
}

/// Opens a plain file below a directory that is ours, without following any link on the way; `path` consists of
/// names separated by slashes.
pub(crate) fn open_below(root: &Path, path: &str) -> io::Result<File> {
    let mut at = open(root, ENTER, Mode::empty())?;
    let (parents, name) = path.rsplit_once('/').unwrap_or(("", path));
    for part in parents.split('/').filter(|part| !part.is_empty()) {
        at = openat(&at, step(part)?, ENTER, Mode::empty())?;
    }
    plain(openat(&at, step(name)?, READ, Mode::empty())?)
}

/// A plain name, and nothing that leads up.
fn step(name: &str) -> io::Result<&str> {
    match name {
        "" | "." | ".." => Err(io::Error::new(ErrorKind::InvalidInput, "not a name")),
        name => Ok(name),
    }
}

/// A directory inside that of an attempt.
#[derive(Debug)]
pub(crate) struct WorkerDirectory(OwnedFd);

impl WorkerDirectory {
    /// Opens the one of this name; fails if it is missing or leads elsewhere.
    pub(crate) fn enter(attempt: &Path, name: &str) -> io::Result<Self> {
        let attempt = open(attempt, ENTER, Mode::empty())?;
        Ok(Self(openat(&attempt, name, ENTER, Mode::empty())?))
    }

    pub(crate) fn make(attempt: &Path, name: &str) -> io::Result<Self> {
        let outer = open(attempt, ENTER, Mode::empty())?;
        match mkdirat(&outer, name, Mode::S_IRWXU) {
            Ok(()) | Err(Errno::EEXIST) => Self::enter(attempt, name),
            Err(error) => Err(error.into()),
        }
    }

    /// The beginning of a plain file.
    pub(crate) fn read(&self, name: &OsStr, most_bytes: u64) -> io::Result<Vec<u8>> {
        let file = plain(openat(&self.0, name, READ, Mode::empty())?)?;
        let mut bytes = Vec::new();
        file.take(most_bytes).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Writes all of it or nothing: the other side may read at any moment.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let draft = format!(".{name}");
        let _ = self.remove(draft.as_ref());
        let mode = Mode::S_IRUSR | Mode::S_IWUSR;
        File::from(openat(&self.0, draft.as_str(), CREATE, mode)?).write_all(bytes)?;
        Ok(renameat(&self.0, draft.as_str(), &self.0, name)?)
    }

    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, UnlinkatFlags::NoRemoveDir)?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use nix::unistd::mkfifo;

    use super::*;

    /// R7: a pipe in the place of a file neither blocks us nor is written to.
    #[test]
    fn a_pipe_does_not_block() {
        let attempt = tempfile::tempdir().expect("a directory");
        let inside = WorkerDirectory::make(attempt.path(), "answers").expect("made");
        let path = |name: &str| attempt.path().join("answers").join(name);
        for name in ["a", ".b"] {
            mkfifo(&path(name), Mode::S_IRWXU).expect("a pipe");
        }
        assert!(open_plain(&path("a")).is_err());
        assert!(inside.read("a".as_ref(), 10).is_err());
        inside.write("b", b"said").expect("written");
        assert_eq!(fs::read(path("b")).expect("a file"), b"said");
    }

    /// B03: a link is not followed, neither at the end of a path nor inside it, wherever it leads.
    #[test]
    fn a_file_is_reached_without_links_or_not_at_all() {
        let tree = tempfile::tempdir().expect("a directory");
        let elsewhere = tempfile::tempdir().expect("a directory");
        fs::write(elsewhere.path().join("key"), "secret").expect("written");
        fs::create_dir_all(tree.path().join("a/b")).expect("directories");
        fs::write(tree.path().join("a/b/plain"), "text").expect("written");
        for (link, target) in [
            ("out", elsewhere.path()),
            ("a/out", elsewhere.path()),
            ("within", Path::new("a")),
            ("loop", Path::new("loop")),
            ("a/key", &elsewhere.path().join("key")),
        ] {
            symlink(target, tree.path().join(link)).expect("a link");
        }
        assert!(open_below(tree.path(), "a/b/plain").is_ok());
        for path in [
            "out/key",
            "a/out/key",
            "within/b/plain",
            "loop/x",
            "loop",
            "a/key",
            "a/b",
            "../x",
            "a/../a/b/plain",
            "",
        ] {
            assert!(open_below(tree.path(), path).is_err(), "{path:?}");
        }
    }

    /// R5: a link is not followed, neither to a file nor to a directory.
    #[test]
    fn a_link_leads_nowhere() {
        let attempt = tempfile::tempdir().expect("a directory");
        let elsewhere = tempfile::tempdir().expect("a directory");
        let precious = elsewhere.path().join("precious.json");
        fs::write(&precious, "mine").expect("written");
        symlink(elsewhere.path(), attempt.path().join("mail")).expect("a link");
        assert!(WorkerDirectory::enter(attempt.path(), "mail").is_err());
        assert!(WorkerDirectory::make(attempt.path(), "mail").is_err());
        let inside = WorkerDirectory::make(attempt.path(), "answers").expect("made");
        symlink(&precious, attempt.path().join("answers/.c")).expect("a link");
        inside.write("c", b"said").expect("written");
        symlink(&precious, attempt.path().join("answers/d")).expect("a link");
        assert!(inside.read("d".as_ref(), 10).is_err());
        inside.remove("d".as_ref()).expect("removed");
        assert_eq!(fs::read(&precious).expect("still there"), b"mine");
    }
}
