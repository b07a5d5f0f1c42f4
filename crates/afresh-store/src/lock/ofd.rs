//! A second lock on the same file whose state can be queried. `flock` can only be tried, and trying
//! would keep a starting driver out. SQLite uses the same kind of lock (open file description).
//!
//! On systems without it, the lock itself is tried, shared and for a moment; a driver that starts
//! in that moment is told that the lock is held.

pub(crate) use here::{clear, is_set, keeps_others_out, set};

#[cfg(any(target_os = "linux", target_os = "android"))]
mod here {
    use std::fs::File;

    use nix::errno::Errno;
    use nix::fcntl::{FcntlArg, fcntl};
    use nix::libc;

    pub(crate) fn set(file: &File) -> Result<(), Errno> {
        fcntl(file, FcntlArg::F_OFD_SETLK(&whole_file(libc::F_WRLCK))).map(|_| ())
    }

    /// Whether a lock through one open file keeps another one out.
    pub(crate) fn keeps_others_out(first: &File, second: &File) -> Result<bool, Errno> {
        set(first)?;
        match set(second) {
            Ok(()) => Ok(false),
            Err(Errno::EAGAIN | Errno::EACCES) => Ok(true),
            Err(errno) => Err(errno),
        }
    }

    pub(crate) fn clear(file: &File) -> Result<(), Errno> {
        fcntl(file, FcntlArg::F_OFD_SETLK(&whole_file(libc::F_UNLCK))).map(|_| ())
    }

    pub(crate) fn is_set(file: &File) -> Result<bool, Errno> {
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

#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod here {
    use std::fs::File;

    use nix::errno::Errno;
    use nix::fcntl::{Flock, FlockArg};

    pub(crate) fn set(_: &File) -> Result<(), Errno> {
        Ok(())
    }

    /// Whether a lock through one open file keeps another one out.
    pub(crate) fn keeps_others_out(first: &File, second: &File) -> Result<bool, Errno> {
        let copy = |file: &File| file.try_clone().map_err(|_| Errno::EMFILE);
        let _first = Flock::lock(copy(first)?, FlockArg::LockExclusiveNonblock)
            .map_err(|(_, errno)| errno)?;
        match Flock::lock(copy(second)?, FlockArg::LockExclusiveNonblock) {
            Ok(_) => Ok(false),
            Err((_, Errno::EWOULDBLOCK)) => Ok(true),
            Err((_, errno)) => Err(errno),
        }
    }

    pub(crate) fn clear(_: &File) -> Result<(), Errno> {
        Ok(())
    }

    pub(crate) fn is_set(file: &File) -> Result<bool, Errno> {
        let file = file.try_clone().map_err(|_| Errno::EMFILE)?;
        match Flock::lock(file, FlockArg::LockSharedNonblock) {
            Ok(_) => Ok(false),
            Err((_, Errno::EWOULDBLOCK)) => Ok(true),
            Err((_, errno)) => Err(errno),
        }
    }
}
