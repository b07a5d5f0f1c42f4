//! Reads which commit a worker's own `.git` is at.
//!
//! Its files are not trusted: reads are bounded, symlinks are not followed, git is not run.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use afresh_core::ids::CommitId;
use nix::libc::{O_NOFOLLOW, O_NONBLOCK};

use crate::harvest::paths::{is_reached_without_symlinks, is_safe_relative_path};
use crate::workspace::clone::alternates;

const MAX_REF_BYTES: u64 = 4 * 1024;
const MAX_PACKED_REFS_BYTES: u64 = 4 * 1024 * 1024;
const MAX_OBJECT_FILES: usize = 200_000;

/// The commit of HEAD, or why it is unknown.
pub(crate) fn read(git: &Path) -> Result<CommitId, &'static str> {
    if !git.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return Err("its .git is missing or not a directory");
    }
    let head = read_text(&git.join("HEAD"), MAX_REF_BYTES).ok_or("its HEAD cannot be read")?;
    let Some(name) = head.trim().strip_prefix("ref: ") else {
        return head.trim().parse().map_err(|_| "its HEAD names no commit");
    };
    let name = name.trim();
    if !name.starts_with("refs/")
        || !is_safe_relative_path(name)
        || !is_reached_without_symlinks(git, name)
    {
        return Err("its HEAD does not point to a branch or commit");
    }
    if let Some(text) = read_text(&git.join(name), MAX_REF_BYTES) {
        return text.trim().parse().map_err(|_| "its branch names no commit");
    }
    let packed = read_text(&git.join("packed-refs"), MAX_PACKED_REFS_BYTES).unwrap_or_default();
    let mut lines = packed.lines().filter_map(|line| line.split_once(' '));
    let found = lines.find(|(_, refname)| *refname == name).and_then(|(id, _)| id.parse().ok());
    found.ok_or("its branch does not exist")
}

/// Whether git may read a worker's objects: only regular files, and `main` as the only alternate.
pub(crate) fn objects_are_plain(objects: &Path, main: &Path) -> bool {
    if !objects.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return false;
    }
    let (info, ours) = (objects.join("info"), alternates(main));
    if !info.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        return false;
    }
    let borrowed = read_bytes(&info.join("alternates"), ours.len() as u64);
    if borrowed.is_none_or(|text| text != ours) {
        return false;
    }
    let mut open = vec![objects.to_owned()];
    let mut seen = 0;
    while let Some(directory) = open.pop() {
        let Ok(entries) = fs::read_dir(&directory) else { return false };
        for entry in entries {
            let Ok((entry, kind)) = entry.and_then(|e| e.file_type().map(|kind| (e, kind))) else {
                return false;
            };
            seen += 1;
            if kind.is_dir() {
                open.push(entry.path());
            } else if !kind.is_file() || seen > MAX_OBJECT_FILES {
                return false;
            }
        }
    }
    true
}

pub(crate) fn read_text(path: &Path, max_bytes: u64) -> Option<String> {
    String::from_utf8(read_bytes(path, max_bytes)?).ok()
}

/// A small regular file; pipes and symlinks are not opened.
pub(crate) fn read_bytes(path: &Path, max_bytes: u64) -> Option<Vec<u8>> {
    let flags = O_NOFOLLOW | O_NONBLOCK;
    let file: File = OpenOptions::new().read(true).custom_flags(flags).open(path).ok()?;
    let found = file.metadata().ok()?;
    if !found.is_file() || found.len() > max_bytes {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(max_bytes).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}
