//! Watches how much of a disk a process tree fills.
//!
//! Reading the free space costs next to nothing. Only when much of it is gone, whatever the cause,
//! directories are walked to find out whether this tree filled them. Deleted files that are still
//! open are found through the processes that hold them.

use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use afresh_core::process::{LimitExceeded, LimitedResource};
use nix::sys::statvfs::statvfs;
use serde::{Deserialize, Serialize};

use crate::leftovers::member_log::for_each_descendant;
use crate::limits::du::{DiskUsage, DiskUsageWalk};

/// The time between two reads of the free space.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// How long a walk runs at a time.
const WALK_SLICE: Duration = Duration::from_millis(4);
/// A walk is not repeated before this many times its own duration.
const WALK_PAUSE_FACTOR: u32 = 10;
/// What must stay free: this, or a fiftieth of the disk if that is less.
const RESERVE: u64 = 1 << 30;
const RESERVE_PART: u64 = 50;
/// A tree may fill at most this fraction of the disk (one half), whatever its quota.
const LARGEST_PART: u64 = 2;
/// What an inode counts.
const INODE: u64 = 4096;

/// Where a tree writes, and how much.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskLimit {
    /// The tree's own directories.
    pub places: Vec<PathBuf>,
    /// What they may hold together, in bytes; without it, half of the disk.
    pub quota: Option<u64>,
}

/// The state of one file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FreeSpace {
    free: u64,
    /// The same, plus an amount for every free inode.
    weighed: u64,
    all: u64,
}

#[derive(Debug)]
pub(crate) struct DiskMonitor {
    places: Vec<PathBuf>,
    quota: u64,
    reserve: u64,
    since_s: i64,
    /// The most that was free since the last walk.
    high_water: u64,
    walk: Option<(DiskUsageWalk, Instant)>,
    due: Instant,
    rest_until: Instant,
}

impl DiskMonitor {
    /// None if the first of the directories cannot be examined.
    pub(crate) fn new(disk: &DiskLimit) -> Option<Self> {
        let space = FreeSpace::read(disk.places.first()?)?;
        let largest = space.all / LARGEST_PART;
        let now = Instant::now();
        Some(Self {
            places: disk.places.clone(),
            quota: disk.quota.map_or(largest, |quota| quota.min(largest)),
            reserve: RESERVE.min(space.all / RESERVE_PART),
            since_s: seconds(),
            high_water: space.weighed,
            walk: None,
            due: now + CHECK_INTERVAL,
            rest_until: now,
        })
    }

    pub(crate) fn due(&self) -> Instant {
        self.due
    }

    /// The limit that is exceeded, if it is time to check and the answer is known already.
    pub(crate) fn check_if_due(&mut self) -> Option<LimitExceeded> {
        if Instant::now() < self.due {
            return None;
        }
        let space = FreeSpace::read(self.places.first()?)?;
        if self.walk.is_none() {
            self.due = Instant::now() + CHECK_INTERVAL;
            self.high_water = self.high_water.max(space.weighed);
            let taken = self.high_water - space.weighed;
            if taken < self.step(space) || Instant::now() < self.rest_until {
                return None;
            }
            self.high_water = space.weighed;
            self.walk = Some((DiskUsageWalk::new(&self.places, self.since_s), Instant::now()));
        }
        let (walk, began) = self.walk.as_mut()?;
        // Other events are handled between two slices.
        self.due = Instant::now();
        let mut sum = walk.advance(WALK_SLICE)?;
        let now = Instant::now();
        (self.due, self.rest_until) =
            (now + CHECK_INTERVAL, now + (now - *began) * WALK_PAUSE_FACTOR);
        self.walk = None;
        self.add_deleted(&mut sum);
        self.find_exceeded(sum, space.free)
    }

    /// How much free space must disappear before the directories are walked.
    fn step(&self, space: FreeSpace) -> u64 {
        let step = (self.quota / 16).clamp(1 << 20, 1 << 30);
        if space.free < self.reserve { step.min(4 << 20) } else { step }
    }

    /// On a full disk, a tree is at fault if it wrote much, not if it only holds much.
    fn find_exceeded(&self, sum: DiskUsage, free: u64) -> Option<LimitExceeded> {
        if sum.bytes > self.quota {
            return Some(LimitExceeded { of: LimitedResource::Disk, limit: self.quota });
        }
        let is_at_fault = sum.fresh > self.reserve || sum.is_partial;
        let excess = LimitExceeded { of: LimitedResource::FreeDisk, limit: self.reserve };
        (free < self.reserve && is_at_fault).then_some(excess)
    }

    /// Deleted files use space as long as a process has them open.
    fn add_deleted(&self, sum: &mut DiskUsage) {
        let mut seen = BTreeSet::new();
        for_each_descendant(|pid| {
            let listing = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
            for found in listing.filter_map(|entry| fs::metadata(entry.path()).ok()) {
                if found.is_file() && found.nlink() == 0 && seen.insert((found.dev(), found.ino()))
                {
                    sum.add(&found, self.since_s);
                }
            }
            ControlFlow::Continue(())
        });
    }
}

impl FreeSpace {
    fn read(place: &PathBuf) -> Option<Self> {
        let found = statvfs(place).ok()?;
        let unit = found.fragment_size();
        let free = found.blocks_available() * unit;
        let weighed = free + found.files_available() * INODE;
        Some(Self { free, weighed, all: found.blocks() * unit })
    }
}

/// By the clock that stamps files.
fn seconds() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// BE-07, R9: a tree is not blamed for a disk that others filled.
    #[test]
    fn only_the_tree_that_wrote_is_at_fault() {
        let directory = tempfile::tempdir().unwrap();
        let disk = DiskLimit { places: vec![directory.path().to_owned()], quota: Some(1000) };
        let watch = DiskMonitor { reserve: 100, ..DiskMonitor::new(&disk).unwrap() };
        let sum = |bytes, fresh| DiskUsage { bytes, fresh, is_partial: false };
        assert_eq!(watch.find_exceeded(sum(1000, 1000), 100), None);
        let over = |of, limit| Some(LimitExceeded { of, limit });
        assert_eq!(watch.find_exceeded(sum(1001, 0), u64::MAX), over(LimitedResource::Disk, 1000));
        assert_eq!(watch.find_exceeded(sum(900, 100), 99), None);
        assert_eq!(watch.find_exceeded(sum(900, 101), 99), over(LimitedResource::FreeDisk, 100));
        let hidden = DiskUsage { is_partial: true, ..sum(0, 0) };
        assert_eq!(watch.find_exceeded(hidden, 99), over(LimitedResource::FreeDisk, 100));
        assert_eq!(watch.find_exceeded(hidden, 100), None);
    }
}
