//! Watches how much of a disk a tree fills.
//!
//! A look at the free space costs next to nothing. Only when much of it went away, whoever it was,
//! directories are walked to see whether it was this tree. Files that were deleted and are still open are
//! found with the processes that hold them.

use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use afresh_core::process::{LimitExceeded, LimitedResource};
use nix::sys::statvfs::statvfs;
use serde::{Deserialize, Serialize};

use crate::leftovers::member_log::each_below_us;
use crate::limits::du::{Sum, Walk};

/// Between two looks at the free space.
const LOOKS: Duration = Duration::from_millis(500);
/// A walk goes on for so long at a time.
const STRIDE: Duration = Duration::from_millis(4);
/// A walk is not repeated before so many times as long as it took.
const REST: u32 = 10;
/// What has to stay free: this, or a fiftieth of the disk where that is less.
const RESERVE: u64 = 1 << 30;
const RESERVE_PART: u64 = 50;
/// A tree may fill no more than this part of the disk, whatever else is allowed.
const LARGEST_PART: u64 = 2;
/// What an inode counts.
const INODE: u64 = 4096;

/// Where a tree writes, and how much.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disk {
    /// Directories that are its own.
    pub places: Vec<PathBuf>,
    /// What they may hold together, in bytes; half of the disk otherwise.
    pub quota: Option<u64>,
}

/// The state of one file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Space {
    free: u64,
    /// The same, with an amount for every inode that is free.
    weighed: u64,
    all: u64,
}

#[derive(Debug)]
pub(crate) struct DiskWatch {
    places: Vec<PathBuf>,
    quota: u64,
    reserve: u64,
    since_s: i64,
    /// The most that was free since the last walk.
    high_water: u64,
    walk: Option<(Walk, Instant)>,
    due: Instant,
    rest_until: Instant,
}

impl DiskWatch {
    /// None where the first of the places cannot be looked at.
    pub(crate) fn new(disk: &Disk) -> Option<Self> {
        let space = Space::of(disk.places.first()?)?;
        let largest = space.all / LARGEST_PART;
        let now = Instant::now();
        Some(Self {
            places: disk.places.clone(),
            quota: disk.quota.map_or(largest, |quota| quota.min(largest)),
            reserve: RESERVE.min(space.all / RESERVE_PART),
            since_s: seconds(),
            high_water: space.weighed,
            walk: None,
            due: now + LOOKS,
            rest_until: now,
        })
    }

    pub(crate) fn due(&self) -> Instant {
        self.due
    }

    /// What it is over, if it is time to look and that is known already.
    pub(crate) fn look_if_due(&mut self) -> Option<LimitExceeded> {
        if Instant::now() < self.due {
            return None;
        }
        let space = Space::of(self.places.first()?)?;
        if self.walk.is_none() {
            self.due = Instant::now() + LOOKS;
            self.high_water = self.high_water.max(space.weighed);
            let taken = self.high_water - space.weighed;
            if taken < self.step(space) || Instant::now() < self.rest_until {
                return None;
            }
            self.high_water = space.weighed;
            self.walk = Some((Walk::new(&self.places, self.since_s), Instant::now()));
        }
        let (walk, began) = self.walk.as_mut()?;
        // Others are heard between two strides.
        self.due = Instant::now();
        let mut sum = walk.go_on(STRIDE)?;
        let now = Instant::now();
        (self.due, self.rest_until) = (now + LOOKS, now + (now - *began) * REST);
        self.walk = None;
        self.add_deleted(&mut sum);
        self.judge(sum, space.free)
    }

    /// How much has to go before somebody looks who it was.
    fn step(&self, space: Space) -> u64 {
        let step = (self.quota / 16).clamp(1 << 20, 1 << 30);
        if space.free < self.reserve { step.min(4 << 20) } else { step }
    }

    /// Whoever only has much is not at fault when a disk is full; whoever wrote much is.
    fn judge(&self, sum: Sum, free: u64) -> Option<LimitExceeded> {
        if sum.bytes > self.quota {
            return Some(LimitExceeded { of: LimitedResource::Disk, limit: self.quota });
        }
        let is_at_fault = sum.fresh > self.reserve || sum.is_partial;
        let excess = LimitExceeded { of: LimitedResource::FreeDisk, limit: self.reserve };
        (free < self.reserve && is_at_fault).then_some(excess)
    }

    /// Files without a name take space as long as somebody has them open.
    fn add_deleted(&self, sum: &mut Sum) {
        let mut seen = BTreeSet::new();
        each_below_us(|pid| {
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

impl Space {
    fn of(place: &PathBuf) -> Option<Self> {
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

    /// BE-07, R9: a disk that others filled is not held against who only has much.
    #[test]
    fn whoever_wrote_is_at_fault_and_nobody_else() {
        let place = tempfile::tempdir().unwrap();
        let disk = Disk { places: vec![place.path().to_owned()], quota: Some(1000) };
        let watch = DiskWatch { reserve: 100, ..DiskWatch::new(&disk).unwrap() };
        let sum = |bytes, fresh| Sum { bytes, fresh, is_partial: false };
        assert_eq!(watch.judge(sum(1000, 1000), 100), None);
        let over = |of, limit| Some(LimitExceeded { of, limit });
        assert_eq!(watch.judge(sum(1001, 0), u64::MAX), over(LimitedResource::Disk, 1000));
        assert_eq!(watch.judge(sum(900, 100), 99), None);
        assert_eq!(watch.judge(sum(900, 101), 99), over(LimitedResource::FreeDisk, 100));
        let hidden = Sum { is_partial: true, ..sum(0, 0) };
        assert_eq!(watch.judge(hidden, 99), over(LimitedResource::FreeDisk, 100));
        assert_eq!(watch.judge(hidden, 100), None);
    }
}
