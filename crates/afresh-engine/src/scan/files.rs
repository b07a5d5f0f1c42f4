//! Files: those of the checkout, and those that the user named. Links are not followed.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use afresh_git::Repository;
use afresh_secrets::{SecretScan, SecretSource};

use super::MAX_BYTES;
use crate::executor::causes::describe;
use crate::worker_files::open_plain;

/// Tracked files, and new files that are not ignored.
pub fn checkout(scan: &mut SecretScan, repository: &Repository) {
    let Some(root) = repository.root() else { return };
    match repository.checkout_files() {
        Ok(files) => {
            for file in files {
                self::file(scan, SecretSource::File, &root.join(&file), &display_path(&file));
            }
        }
        Err(error) => scan.skip(display_path(root), describe(&error)),
    }
}

/// These paths, and everything below them.
pub fn paths(scan: &mut SecretScan, directory: &Path, named: &[PathBuf]) {
    for path in named {
        below(scan, SecretSource::File, &directory.join(path), path);
    }
}

/// A file, or all files below a directory. `known_as` is the path that is reported.
pub(super) fn below(scan: &mut SecretScan, source: SecretSource, path: &Path, known_as: &Path) {
    let mut open = vec![(path.to_owned(), known_as.to_owned())];
    while let Some((path, known_as)) = open.pop() {
        let found = match fs::symlink_metadata(&path) {
            Ok(found) => found,
            Err(error) => {
                scan.skip(display_path(&known_as), error.to_string());
                continue;
            }
        };
        if found.is_file() {
            file(scan, source, &path, &display_path(&known_as));
        }
        if !found.is_dir() {
            continue;
        }
        match fs::read_dir(&path) {
            Ok(entries) => {
                let mut entries: Vec<_> = entries.flatten().map(|it| it.file_name()).collect();
                entries.sort();
                let inner = entries.iter().rev().map(|it| (path.join(it), known_as.join(it)));
                open.extend(inner);
            }
            Err(error) => scan.skip(display_path(&known_as), error.to_string()),
        }
    }
}

fn file(scan: &mut SecretScan, source: SecretSource, path: &Path, known_as: &str) {
    // A link, a submodule or a pipe, or the file is gone already.
    if !fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
        return;
    }
    match read(path) {
        Ok(Some(bytes)) => scan.scan_text(source, known_as, &bytes, None),
        Ok(None) => {
            let limit = format!("larger than {} MiB", MAX_BYTES >> 20);
            scan.skip(known_as.to_owned(), limit);
        }
        Err(error) => scan.skip(known_as.to_owned(), error.to_string()),
    }
}

/// None if it is too large.
fn read(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    open_plain(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok((u64::try_from(bytes.len()).is_ok_and(|length| length <= MAX_BYTES)).then_some(bytes))
}

pub(super) fn display_path(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
