//! Checks that a file system does what the journal relies on (F20): a lock keeps a second one out,
//! a rename replaces, a sync succeeds.
//!
//! Network file systems and some container mounts do only a part of this, and some report success
//! for everything. So each operation is tried and its effect checked, with two small files that are
//! removed afterwards.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use nix::errno::Errno;

use crate::atomic_file::temporary_beside;
use crate::fault::IoFault;
use crate::journal::error::JournalError;
use crate::lock::ofd;

/// How much is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProbeDepth {
    /// Before the first record: syncs too.
    First,
    /// Later: syncs worked before.
    Again,
}

/// Tries everything in `dir`; the files it made are removed.
pub(crate) fn probe(dir: &Path, depth: ProbeDepth) -> Result<(), JournalError> {
    let (old, new) = (temporary_beside(&dir.join("probe")), temporary_beside(&dir.join("probe")));
    let found = try_all(dir, &old, &new, depth);
    for file in [&old, &new] {
        // If it cannot be removed, the next open removes it.
        let _ = fs::remove_file(file);
    }
    found
}

fn try_all(dir: &Path, old: &Path, new: &Path, depth: ProbeDepth) -> Result<(), JournalError> {
    let unfit = |what: String| JournalError::Unfit { path: dir.to_owned(), what };
    let first = write_new(old, b"old")?;
    write_new(new, b"new")?;
    let second = OpenOptions::new().read(true).write(true).open(old);
    let second = second.map_err(IoFault::during("open", old))?;
    let keeps_out = ofd::keeps_others_out(&first, &second);
    if !keeps_out.map_err(|errno| unfit(format!("it has no working locks ({errno})")))? {
        return Err(unfit("a lock does not keep others out".to_owned()));
    }
    if depth == ProbeDepth::First {
        first.sync_all().map_err(|error| refused(dir, "sync a file", error))?;
        let directory = File::open(dir).and_then(|dir| dir.sync_all());
        directory.map_err(|error| refused(dir, "sync a directory", error))?;
    }
    fs::rename(new, old).map_err(|error| refused(dir, "replace a file", error))?;
    let now = fs::read(old).map_err(IoFault::during("read", old))?;
    if now != b"new" || new.symlink_metadata().is_ok() {
        return Err(unfit("a file that is renamed does not replace another".to_owned()));
    }
    Ok(())
}

/// A failure of the very first sync may mean that the file system does not support it.
pub(crate) fn classify_fault(dir: &Path, fault: IoFault) -> JournalError {
    let cause = fault.source.downcast_ref::<io::Error>().and_then(io::Error::raw_os_error);
    let has_none = [Errno::EINVAL, Errno::ENOSYS, Errno::ENOTSUP].map(|errno| Some(errno as i32));
    if fault.doing.starts_with("sync") && has_none.contains(&cause) {
        let what = format!("it cannot sync a directory ({})", fault.source);
        return JournalError::Unfit { path: dir.to_owned(), what };
    }
    fault.into()
}

fn write_new(path: &Path, bytes: &[u8]) -> Result<File, IoFault> {
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create_new(true).open(path);
    let mut file = file.map_err(IoFault::during("create", path))?;
    file.write_all(bytes).map_err(IoFault::during("write", path))?;
    Ok(file)
}

/// A full or failing disk can be fixed; a file system without the feature cannot.
fn refused(dir: &Path, doing: &'static str, error: io::Error) -> JournalError {
    let passes = matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ReadOnlyFilesystem
    );
    if passes || error.raw_os_error() == Some(Errno::EIO as i32) {
        return IoFault::new(doing, dir, error).into();
    }
    JournalError::Unfit { path: dir.to_owned(), what: format!("it does not {doing} ({error})") }
}
