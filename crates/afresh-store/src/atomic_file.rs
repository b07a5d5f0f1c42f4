//! Replaces a whole file, or leaves it as it is.
//!
//! For reports and other small files that are written at once. The journal has its own files;
//! bundles and transcripts are written by the code that makes them.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::fault::IoFault;

/// Part of the name of every unfinished file, so that leftovers of a kill can be recognised and
/// removed.
const UNFINISHED: &str = ".afresh-tmp";

/// Writes `path`; after a crash it holds either the old or the new content, never a mixture.
///
/// When this returns, the new content survives a power cut.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), IoFault> {
    let temporary = temporary_beside(path);
    let written = write_new(&temporary, bytes)
        .and_then(|()| fs::rename(&temporary, path).map_err(IoFault::during("replace", path)));
    if let Err(fault) = written {
        // The first fault is reported; a leftover is removed when the journal is next opened.
        let _ = fs::remove_file(&temporary);
        return Err(fault);
    }
    sync_directory(parent(path))
}

/// Makes `dir` and its missing parents, durably. Returns what was made, the outermost first.
pub(crate) fn create_directory(dir: &Path) -> Result<Vec<PathBuf>, IoFault> {
    if dir.is_dir() {
        return Ok(Vec::new());
    }
    let above = parent(dir);
    let mut made = create_directory(above)?;
    match fs::create_dir(dir) {
        Ok(()) => {
            made.push(dir.to_owned());
            sync_directory(above).inspect_err(|_| remove_created(&made))?;
            Ok(made)
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists && dir.is_dir() => Ok(made),
        Err(error) => Err(IoFault::new("create the directory", dir, error)),
    }
}

/// Gives a file a name that no other has: `NAME.lost-1`, `NAME.lost-2` …
pub(crate) fn set_aside(path: &Path) -> Result<PathBuf, IoFault> {
    let free = (1_u32..).map(|number| {
        let mut name = path.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".lost-{number}"));
        path.with_file_name(name)
    });
    let mut free = free.filter(|name| name.symlink_metadata().is_err());
    let name = free.next().expect("numbers do not end");
    fs::rename(path, &name).map_err(IoFault::during("set aside", path))?;
    Ok(name)
}

/// Removes directories that were just made, if they are empty.
pub(crate) fn remove_created(made: &[PathBuf]) {
    for directory in made.iter().rev() {
        // Another process may use it by now.
        let _ = fs::remove_dir(directory);
    }
}

/// Removes what killed writers left in `dir`.
pub(crate) fn remove_leftovers(dir: &Path) -> Result<(), IoFault> {
    for entry in fs::read_dir(dir).map_err(IoFault::during("list", dir))? {
        let entry = entry.map_err(IoFault::during("list", dir))?;
        if entry.file_name().to_string_lossy().contains(UNFINISHED) {
            let path = entry.path();
            fs::remove_file(&path).map_err(IoFault::during("remove the leftover", &path))?;
        }
    }
    Ok(())
}

/// An unused name in the same directory.
pub(crate) fn temporary_beside(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}-{count}{UNFINISHED}", std::process::id()));
    path.with_file_name(name)
}

/// Makes the names in `dir` durable; the content of a file is of no use without its name.
pub(crate) fn sync_directory(dir: &Path) -> Result<(), IoFault> {
    File::open(dir)
        .and_then(|dir| dir.sync_all())
        .map_err(IoFault::during("sync the directory", dir))
}

/// Writes a file that does not exist yet; its content is on disk when this returns.
pub(crate) fn write_new(path: &Path, bytes: &[u8]) -> Result<(), IoFault> {
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(IoFault::during("create", path))?;
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(IoFault::during("write", path))
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ if path.is_absolute() => path,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(dir: &Path) -> Vec<String> {
        let names = fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string());
        let mut names: Vec<String> = names.map(Result::unwrap).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_whole_without_leftovers() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("STATE.md");
        write_atomically(&path, b"a long first text").unwrap();
        write_atomically(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(names(dir.path()), ["STATE.md"]);
    }

    #[test]
    fn a_failed_replacement_names_the_file_and_leaves_no_leftover() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("taken");
        fs::create_dir(&path).unwrap();
        let fault = write_atomically(&path, b"x").unwrap_err();
        assert_eq!(fault.path, path);
        assert_eq!(names(dir.path()), ["taken"]);
    }

    #[test]
    fn leftovers_of_a_kill_are_removed_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("report.json");
        fs::write(&path, "kept").unwrap();
        fs::write(temporary_beside(&path), "half").unwrap();
        remove_leftovers(dir.path()).unwrap();
        assert_eq!(names(dir.path()), ["report.json"]);
    }

    #[test]
    fn missing_parents_are_made() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b/c");
        create_directory(&deep).unwrap();
        create_directory(&deep).unwrap();
        assert!(deep.is_dir());
    }
}
