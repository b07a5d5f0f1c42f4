//! State and cache directories, the journal, free space, the lock.

use std::path::{Path, PathBuf};

use afresh_engine::RepoContext;
use afresh_engine::cleanup::{CleanupSize, of_directory};
use afresh_store::Journal;
use nix::sys::statfs::statfs;
use nix::sys::statvfs::statvfs;
use nix::unistd::{AccessFlags, access};

use crate::setup::doctor::{DoctorLine, LineSink};
use crate::text::byte_size::format_bytes as bytes;
use crate::text::time;

/// Below this, work is likely to stop.
const LITTLE_BYTES: u64 = 2 << 30;
/// Below this, nothing works.
const NO_BYTES: u64 = 100 << 20;
/// Above this, cleaning up is suggested.
const MUCH_BYTES: u64 = 10 << 30;
/// Measuring more takes too long.
const MOST_FILES: u64 = 200_000;
/// File systems whose locks and renames are not reliable enough for the journal.
const REMOTE: &[(i64, &str)] = &[
    (0x6969, "NFS"),
    (0x0102_1997, "9p"),
    (0x6573_5546, "FUSE"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB"),
];

pub(super) fn check_directories(repository: &RepoContext, lines: &mut LineSink<'_>) {
    let layout = &repository.layout;
    lines.push(directory("state", &layout.state, "AFRESH_STATE"));
    lines.push(journal(&layout.state));
    lines.push(directory("cache", &layout.cache, "AFRESH_CACHE"));
    lines.push(lock(repository));
    lines.push(disk_space(&layout.state, &layout.cache));
}

/// How much space afresh uses. The cache is shared by all repositories.
fn disk_space(state: &Path, cache: &Path) -> DoctorLine {
    let (state, cache) = (of_directory(state, MOST_FILES), of_directory(cache, MOST_FILES));
    let shown = |size: CleanupSize| {
        let least = if size.is_whole { "" } else { "more than " };
        format!("{least}{}", bytes(size.bytes))
    };
    let text = format!("workspaces use {}, transcripts {}", shown(cache), shown(state));
    if cache.bytes.saturating_add(state.bytes) < MUCH_BYTES {
        return DoctorLine::ok("disk use", text);
    }
    DoctorLine::warn("disk use", text, "`afresh clean --dry-run` lists what can be removed")
}

/// A directory that exists or can be created.
fn directory(name: &str, path: &Path, variable: &str) -> DoctorLine {
    let elsewhere = format!("set {variable} to a writable directory on a local disk");
    let there = nearest(path);
    let shown = path.display();
    if !there.is_dir() {
        return DoctorLine::fail(
            name,
            format!("{} is not a directory", there.display()),
            elsewhere,
        );
    }
    if access(&there, AccessFlags::W_OK | AccessFlags::X_OK).is_err() {
        return DoctorLine::fail(name, format!("{} cannot be written", there.display()), elsewhere);
    }
    if let Some(kind) = remote_kind(&there)
        && name == "state"
    {
        let text = format!("{shown} is on {kind}, where locks are unreliable");
        return DoctorLine::fail(name, text, elsewhere);
    }
    match free_bytes(&there) {
        Some(free) if free < NO_BYTES => {
            DoctorLine::fail(name, format!("{shown}: {} free", bytes(free)), "free some space")
        }
        Some(free) if free < LITTLE_BYTES => {
            DoctorLine::warn(name, format!("{shown}: only {} free", bytes(free)), "free some space")
        }
        Some(free) => DoctorLine::ok(name, format!("{shown}, {} free", bytes(free))),
        None => DoctorLine::ok(name, shown.to_string()),
    }
}

/// The path itself, or its nearest existing parent.
fn nearest(path: &Path) -> PathBuf {
    let there = path.ancestors().find(|place| place.exists());
    there.unwrap_or(Path::new("/")).to_owned()
}

fn remote_kind(path: &Path) -> Option<&'static str> {
    let kind = statfs(path).ok()?.filesystem_type();
    REMOTE.iter().find(|(magic, _)| i128::from(kind.0) == i128::from(*magic)).map(|(_, name)| *name)
}

fn free_bytes(path: &Path) -> Option<u64> {
    let found = statvfs(path).ok()?;
    Some(found.blocks_available().saturating_mul(found.fragment_size()))
}

/// Reads it from end to end: every record is chained to the one before.
fn journal(state: &Path) -> DoctorLine {
    let read = Journal::open_read_only(state)
        .and_then(|reader| reader.map(|reader| reader.read_all()).transpose());
    match read {
        Ok(None) => DoctorLine::ok("journal", "none yet; the first run creates it"),
        Ok(Some(records)) => {
            let text = format!("{} records, all intact", records.len());
            DoctorLine::ok("journal", text)
        }
        Err(error) => DoctorLine::fail(
            "journal",
            error.to_string(),
            "nothing was changed; copy the state directory, then move it away to start over",
        ),
    }
}

fn lock(repository: &RepoContext) -> DoctorLine {
    match repository.holder() {
        Ok(None) => DoctorLine::ok("driver", "no run is active"),
        Ok(Some(holder)) => {
            let since = time::format_utc(holder.since_wall_ms);
            let text =
                format!("process {} on {} has been running since {since}", holder.pid, holder.host);
            DoctorLine::ok("driver", text)
        }
        Err(error) => {
            DoctorLine::fail("driver", error.to_string(), "`fuser -v` shows who holds the lock")
        }
    }
}
