//! Finding programs as a shell would.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The path of a program, or why it cannot be started. A name with a slash is a path.
pub fn find(program: &str, path: &OsStr) -> Result<PathBuf, &'static str> {
    if program.contains('/') {
        let file = Path::new(program);
        return match (file.exists(), is_executable(file)) {
            (false, _) => Err("does not exist"),
            (true, false) => Err("is not executable"),
            (true, true) => Ok(file.to_owned()),
        };
    }
    let mut places = std::env::split_paths(path).map(|directory| directory.join(program));
    places.find(|place| is_executable(place)).ok_or("is not on the PATH")
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
