//! Runs a command, usually all tests, and checks that it leaves nothing behind.
//!
//! The command gets its own directory for temporary files, which must be empty afterwards. Orphaned processes become
//! our children, so every process that outlives the command is found, whatever it did to its environment. The user's
//! own directories, cgroups, mounts and refs are compared with those before.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};

/// How long processes that are ending may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Where tests with real agent programs have their repositories, because some programs refuse temporary directories.
/// The directory itself stays: several programs may be testing at the same time.
const TESTS: &str = ".cache/afresh-tests";
/// Where programs keep files for the current user; below the home directory.
const PLACES: &[&str] = &[
    ".afresh",
    ".cache/afresh",
    TESTS,
    ".config/afresh",
    ".local/share/afresh",
    ".local/state/afresh",
    ".claude",
    ".claude.json",
    ".codex",
    ".gemini",
];
/// How deep these are searched.
const DEPTH: usize = 3;
/// How many leftovers are named.
const NAMED: usize = 40;

pub(crate) fn run(command: &[String]) -> Result<()> {
    let Some((program, arguments)) = command.split_first() else {
        bail!("name a command: cargo xtask leftovers cargo test --workspace");
    };
    afresh_process::become_subreaper().context("cannot adopt what outlives the command")?;
    let temporary = tempfile::Builder::new().prefix("afresh-leftovers-").tempdir()?;
    let before = snapshot();
    let status = Command::new(program)
        .args(arguments)
        .env("TMPDIR", temporary.path())
        .status()
        .with_context(|| format!("cannot run {program}"))?;
    let mut left = children_that_stay();
    left.extend(
        names(temporary.path())
            .map(|name| format!("temporary file {}", Path::new(&name).display())),
    );
    let after = snapshot();
    let new: BTreeSet<&String> = after.difference(&before).collect();
    // The contents of a new directory are not listed separately.
    let is_told = |line: &String| {
        line.rsplit_once('/').is_some_and(|(above, _)| new.iter().any(|other| *other == above))
    };
    left.extend(new.iter().filter(|line| !is_told(line)).map(|line| (*line).clone()));
    let count = left.len();
    for line in left.iter().take(NAMED) {
        report(line);
    }
    match (status.success(), count) {
        (true, 0) => Ok(()),
        (true, _) => bail!("{count} things were left behind"),
        (false, 0) => bail!("the command failed ({status}); it left nothing behind"),
        (false, _) => bail!("the command failed ({status}), and left {count} things behind"),
    }
}

#[expect(clippy::print_stderr, reason = "a chore talks to the person who runs it")]
fn report(line: &str) {
    eprintln!("left behind: {line}");
}

/// Orphans that have not ended after a while.
fn children_that_stay() -> Vec<String> {
    let until = Instant::now() + PATIENCE;
    loop {
        reap_the_dead();
        let children = own_children();
        if children.is_empty() || Instant::now() >= until {
            return children
                .iter()
                .map(|pid| format!("process {pid}: {}", said_by(*pid)))
                .collect();
        }
        sleep(Duration::from_millis(50));
    }
}

fn reap_the_dead() {
    // Until there is no child, or none that has ended.
    while let Ok(WaitStatus::Exited(..) | WaitStatus::Signaled(..)) =
        waitpid(None, Some(WaitPidFlag::WNOHANG))
    {}
}

fn own_children() -> Vec<u32> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let lists = threads.filter_map(|it| fs::read_to_string(it.path().join("children")).ok());
    lists
        .flat_map(|list| {
            list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()
        })
        .collect()
}

fn said_by(pid: u32) -> String {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).replace('\0', " ").chars().take(200).collect()
}

/// Everything that is compared, one line each.
fn snapshot() -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    if let Some(home) = std::env::var_os("HOME").map(PathBuf::from) {
        for place in PLACES {
            walk(&home.join(place), DEPTH, &mut seen);
        }
        seen.remove(&format!("file {}", home.join(TESTS).display()));
    }
    for hierarchy in names(Path::new("/sys/fs/cgroup")) {
        let hierarchy = Path::new("/sys/fs/cgroup").join(hierarchy);
        let ours = names(&hierarchy).filter(|name| name.to_string_lossy().starts_with("afresh-"));
        seen.extend(ours.map(|name| format!("cgroup {}", hierarchy.join(name).display())));
    }
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let points = mounts.lines().filter_map(|line| line.split(' ').nth(4));
    seen.extend(points.map(|point| format!("mount {point}")));
    let refs =
        Command::new("git").args(["for-each-ref", "refs/afresh", "refs/heads/afresh"]).output();
    let refs = refs.map(|output| output.stdout).unwrap_or_default();
    seen.extend(String::from_utf8_lossy(&refs).lines().map(|line| format!("ref {line}")));
    seen
}

fn walk(place: &Path, depth: usize, seen: &mut BTreeSet<String>) {
    if place.symlink_metadata().is_err() {
        return;
    }
    seen.insert(format!("file {}", place.display()));
    if depth > 0 && place.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        for name in names(place) {
            walk(&place.join(name), depth - 1, seen);
        }
    }
}

fn names(directory: &Path) -> impl Iterator<Item = OsString> {
    fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.file_name())
}
