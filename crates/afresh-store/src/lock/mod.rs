//! The lock that allows one driver per repository.
//!
//! It is a kernel lock: it is released when its holder exits, however that happens, and no child
//! process inherits it. The file stays forever; its content only tells people who holds the lock.

pub(crate) mod ofd;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};

use crate::fault::IoFault;

/// More than any holder needs to describe itself.
const MAX_HOLDER_BYTES: u64 = 64 << 10;

/// How often we try to read the description of a holder that has only just taken the lock.
const HOLDER_READ_ATTEMPTS: u32 = 20;
const HOLDER_READ_PAUSE: Duration = Duration::from_millis(5);

/// Who holds a lock, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockHolder {
    pub pid: u32,
    pub host: String,
    pub command: String,
    pub since_wall_ms: i64,
}

/// Why the lock was not acquired.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("another afresh process is running in this repository{}", describe_holder(.0.as_ref()))]
    Held(Option<LockHolder>),

    #[error(
        "the file system of {} has no working locks ({source}), so two drivers could run at the same \
         time",
        path.display()
    )]
    Unsupported { path: PathBuf, source: io::Error },

    #[error(transparent)]
    Fault(#[from] IoFault),
}

/// The lock, held until this is dropped or the process ends.
#[derive(Debug)]
pub struct DriverLock {
    file: Flock<File>,
}

impl DriverLock {
    /// Acquires the lock immediately, or fails.
    ///
    /// A file system whose locks keep no other process out is rejected, and then no file is left.
    pub fn acquire(path: &Path, holder: &LockHolder) -> Result<Self, LockError> {
        let is_new = path.symlink_metadata().is_err();
        let lock = Self::acquire_at(path, holder);
        if let (Err(LockError::Unsupported { .. }), true) = (&lock, is_new) {
            // The file is of no use; any other process will find out the same.
            let _ = fs::remove_file(path);
        }
        lock
    }

    fn acquire_at(path: &Path, holder: &LockHolder) -> Result<Self, LockError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(IoFault::during("open the lock", path))?;
        let file = match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(file) => file,
            Err((_, Errno::EWOULDBLOCK)) => {
                return Err(LockError::Held(read_holder_with_retries(path)));
            }
            Err((_, errno)) => return Err(refused(path, errno)),
        };
        if !excludes_others(path)? {
            let source = io::Error::other("a second lock was granted while the first was held");
            return Err(LockError::Unsupported { path: path.to_path_buf(), source });
        }
        ofd::set(&file).map_err(|errno| refused(path, errno))?;
        let mut lock = Self { file };
        lock.write_holder(holder).map_err(IoFault::during("write the lock", path))?;
        Ok(lock)
    }

    /// The current holder of the lock, if any; does not acquire anything.
    ///
    /// A holder without a readable description is reported as [`LockError::Held`].
    pub fn holder(path: &Path) -> Result<Option<LockHolder>, LockError> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(IoFault::new("read the lock", path, error).into()),
        };
        for _ in 0..HOLDER_READ_ATTEMPTS {
            if !ofd::is_set(&file).map_err(|errno| refused(path, errno))? {
                return Ok(None);
            }
            if let Some(holder) = read_holder(path) {
                return Ok(Some(holder));
            }
            thread::sleep(HOLDER_READ_PAUSE);
        }
        Err(LockError::Held(None))
    }

    fn write_holder(&mut self, holder: &LockHolder) -> io::Result<()> {
        let text = serde_json::to_vec(holder)?;
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(&text)
    }
}

impl Drop for DriverLock {
    fn drop(&mut self) {
        // So that the name of a former holder is not read; the kernel releases the rest in any
        // case.
        let _ = self.file.set_len(0);
        // Explicitly, because a child that is just being started has a copy of the file until its
        // exec.
        let _ = ofd::clear(&self.file);
    }
}

/// The description that the holder wrote.
fn read_holder(path: &Path) -> Option<LockHolder> {
    let mut text = Vec::new();
    File::open(path).ok()?.take(MAX_HOLDER_BYTES).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

/// The same, but waits a moment for a holder that is about to write it.
fn read_holder_with_retries(path: &Path) -> Option<LockHolder> {
    for _ in 0..HOLDER_READ_ATTEMPTS {
        if let Some(holder) = read_holder(path) {
            return Some(holder);
        }
        thread::sleep(HOLDER_READ_PAUSE);
    }
    None
}

/// Some file systems grant every lock. Ours is held, so a second one must not be granted.
fn excludes_others(path: &Path) -> Result<bool, LockError> {
    let second = File::open(path).map_err(IoFault::during("open the lock", path))?;
    match Flock::lock(second, FlockArg::LockExclusiveNonblock) {
        Ok(_) => Ok(false),
        Err((_, Errno::EWOULDBLOCK)) => Ok(true),
        Err((_, errno)) => Err(refused(path, errno)),
    }
}

fn refused(path: &Path, errno: Errno) -> LockError {
    let source = io::Error::from(errno);
    match errno {
        Errno::ENOLCK | Errno::ENOTSUP | Errno::ENOSYS | Errno::EINVAL => {
            LockError::Unsupported { path: path.to_path_buf(), source }
        }
        _ => IoFault::new("lock", path, source).into(),
    }
}

fn describe_holder(holder: Option<&LockHolder>) -> String {
    match holder {
        Some(LockHolder { pid, host, command, .. }) => {
            format!(": `{command}`, pid {pid} on {host}; wait for it, or halt it")
        }
        None => "; it has not identified itself".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F20: no locks, no run.
    #[test]
    fn a_file_system_without_locks_is_rejected() {
        for errno in [Errno::ENOLCK, Errno::ENOTSUP] {
            let error = refused(Path::new("/state/lock"), errno);
            assert!(matches!(error, LockError::Unsupported { .. }));
            assert!(error.to_string().contains("no working locks"), "{error}");
        }
        assert!(matches!(refused(Path::new("/x"), Errno::EIO), LockError::Fault(_)));
    }
}
