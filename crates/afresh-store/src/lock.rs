//! One driver per repository.
//!
//! The lock is the kernel's: it is gone when its holder is, however that one ended, and no child
//! process inherits it. The file stays for ever; what is in it only tells people who holds it.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};

use crate::fault::Fault;

/// More than any holder needs to tell who it is.
const MAX_HOLDER_BYTES: u64 = 64 << 10;

/// How often we look for the name of a holder that has only just taken the lock.
const INTRODUCTIONS: u32 = 20;
const BETWEEN_INTRODUCTIONS: Duration = Duration::from_millis(5);

/// Who holds a lock, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    pub pid: u32,
    pub host: String,
    pub command: String,
    pub since_wall_ms: i64,
}

/// Why the lock was not taken.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("another process already drives here{}", described(.0.as_ref()))]
    Held(Option<Holder>),

    #[error(
        "the file system of {} has no working locks ({source}); name a directory on a local one \
         with AFRESH_STATE=DIR",
        path.display()
    )]
    Unsupported { path: PathBuf, source: io::Error },

    #[error(transparent)]
    Fault(#[from] Fault),
}

/// The lock, held until this is dropped or the process ends.
#[derive(Debug)]
pub struct Lock {
    file: Flock<File>,
}

impl Lock {
    /// Takes the lock at once or not at all.
    pub fn acquire(path: &Path, holder: &Holder) -> Result<Self, LockError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(Fault::of("open the lock", path))?;
        let file = match Flock::lock(file, FlockArg::LockExclusiveNonblock) {
            Ok(file) => file,
            Err((_, Errno::EWOULDBLOCK)) => return Err(LockError::Held(introduced_soon(path))),
            Err((_, errno)) => return Err(refused(path, errno)),
        };
        mark::set(&file).map_err(|errno| refused(path, errno))?;
        let mut lock = Self { file };
        lock.introduce(holder).map_err(Fault::of("write the lock", path))?;
        Ok(lock)
    }

    /// Who holds the lock now, if anybody; asking takes nothing.
    ///
    /// A holder that does not say who it is gives [`LockError::Held`].
    pub fn holder(path: &Path) -> Result<Option<Holder>, LockError> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Fault::new("read the lock", path, error).into()),
        };
        for _ in 0..INTRODUCTIONS {
            if !mark::is_set(&file).map_err(|errno| refused(path, errno))? {
                return Ok(None);
            }
            if let Some(holder) = introduced(path) {
                return Ok(Some(holder));
            }
            thread::sleep(BETWEEN_INTRODUCTIONS);
        }
        Err(LockError::Held(None))
    }

    fn introduce(&mut self, holder: &Holder) -> io::Result<()> {
        let text = serde_json::to_vec(holder)?;
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(&text)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // So that nobody reads the name of one who has left; the kernel frees the rest in any case.
        let _ = self.file.set_len(0);
        // By hand, because a child that is just being started has a copy of the file until its exec.
        let _ = mark::clear(&self.file);
    }
}

/// What the holder wrote about itself.
fn introduced(path: &Path) -> Option<Holder> {
    let mut text = Vec::new();
    File::open(path).ok()?.take(MAX_HOLDER_BYTES).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

/// What the holder wrote about itself, or is just about to.
fn introduced_soon(path: &Path) -> Option<Holder> {
    for _ in 0..INTRODUCTIONS {
        if let Some(holder) = introduced(path) {
            return Some(holder);
        }
        thread::sleep(BETWEEN_INTRODUCTIONS);
    }
    None
}

fn refused(path: &Path, errno: Errno) -> LockError {
    let source = io::Error::from(errno);
    match errno {
        Errno::ENOLCK | Errno::ENOTSUP | Errno::ENOSYS | Errno::EINVAL => {
            LockError::Unsupported { path: path.to_path_buf(), source }
        }
        _ => Fault::new("lock", path, source).into(),
    }
}

fn described(holder: Option<&Holder>) -> String {
    match holder {
        Some(Holder { pid, host, command, .. }) => {
            format!(": `{command}`, process {pid} on {host}; wait for it, or halt it")
        }
        None => "; it has not said who it is".to_owned(),
    }
}

/// A second lock on the same file that others can ask about; `flock` can only be tried, and trying
/// would keep a starting driver out.
#[cfg(any(target_os = "linux", target_os = "android"))]
mod mark {
    use std::fs::File;

    use nix::errno::Errno;
    use nix::fcntl::{FcntlArg, fcntl};
    use nix::libc;

    pub(super) fn set(file: &File) -> Result<(), Errno> {
        fcntl(file, FcntlArg::F_OFD_SETLK(&whole_file(libc::F_WRLCK))).map(|_| ())
    }

    pub(super) fn clear(file: &File) -> Result<(), Errno> {
        fcntl(file, FcntlArg::F_OFD_SETLK(&whole_file(libc::F_UNLCK))).map(|_| ())
    }

    pub(super) fn is_set(file: &File) -> Result<bool, Errno> {
        let mut found = whole_file(libc::F_RDLCK);
        fcntl(file, FcntlArg::F_OFD_GETLK(&mut found))?;
        Ok(i32::from(found.l_type) != libc::F_UNLCK)
    }

    #[allow(clippy::cast_possible_truncation)] // Constants that fit, typed wider than the field.
    fn whole_file(kind: i32) -> libc::flock {
        let (l_type, l_whence) = (kind as i16, libc::SEEK_SET as i16);
        libc::flock { l_type, l_whence, l_start: 0, l_len: 0, l_pid: 0 }
    }
}

/// Elsewhere the lock itself is tried, shared and for a moment; a driver that starts in that moment
/// is told that the lock is held.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod mark {
    use std::fs::File;

    use nix::errno::Errno;
    use nix::fcntl::{Flock, FlockArg};

    pub(super) fn set(_: &File) -> Result<(), Errno> {
        Ok(())
    }

    pub(super) fn clear(_: &File) -> Result<(), Errno> {
        Ok(())
    }

    pub(super) fn is_set(file: &File) -> Result<bool, Errno> {
        let file = file.try_clone().map_err(|_| Errno::EMFILE)?;
        match Flock::lock(file, FlockArg::LockSharedNonblock) {
            Ok(_) => Ok(false),
            Err((_, Errno::EWOULDBLOCK)) => Ok(true),
            Err((_, errno)) => Err(errno),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F20: no locks, no run.
    #[test]
    fn a_file_system_without_locks_is_refused_with_a_remedy_f20() {
        for errno in [Errno::ENOLCK, Errno::ENOTSUP] {
            let error = refused(Path::new("/state/lock"), errno);
            assert!(matches!(error, LockError::Unsupported { .. }));
            assert!(error.to_string().contains("AFRESH_STATE=DIR"), "{error}");
        }
        assert!(matches!(refused(Path::new("/x"), Errno::EIO), LockError::Fault(_)));
    }
}
