//! Reading files up to a size, and replacing those that did not change meanwhile.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use nix::fcntl::{Flock, FlockArg};

/// All of a regular file, if it is not too long.
pub fn read_bounded(path: &Path, most_bytes: usize) -> io::Result<Vec<u8>> {
    // A device or a pipe never ends.
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(most_bytes as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > most_bytes {
        return Err(io::Error::other(format!("it has more than {most_bytes} bytes")));
    }
    Ok(bytes)
}

/// Why a file was not replaced.
#[derive(Debug)]
pub(crate) enum ReplaceError {
    /// It no longer is as it was read.
    Changed,
    Io(io::Error),
}

impl From<io::Error> for ReplaceError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Replaces the contents of a file, if they are still the old ones; who may read it stays.
pub(crate) fn replace_unchanged(path: &Path, old: &[u8], new: &[u8]) -> Result<(), ReplaceError> {
    if fs::read(path)? != old {
        return Err(ReplaceError::Changed);
    }
    let permissions = fs::metadata(path)?.permissions();
    afresh_store::write_atomically(path, new).map_err(io::Error::other)?;
    Ok(fs::set_permissions(path, permissions)?)
}

/// A turn at the files of a directory; the kernel ends it, also after a kill.
pub(crate) fn lock_directory(directory: &Path) -> io::Result<Flock<File>> {
    let opened = File::open(directory)?;
    Flock::lock(opened, FlockArg::LockExclusive).map_err(|(_, error)| error.into())
}
