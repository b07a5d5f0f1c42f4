//! Sums up the disk usage of directories, in slices, so that the caller can do other things in
//! between.

use std::collections::BTreeSet;
use std::fs::{self, Metadata, ReadDir};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What an entry counts at least: its inode uses space too.
const LEAST: u64 = 4096;
/// How many files with several hard links are remembered; the rest counts once for each link.
const MAX_LINKED: usize = 1_000_000;

/// The disk usage so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct DiskUsage {
    pub bytes: u64,
    /// The part that was written since a given time.
    pub fresh: u64,
    /// Something could not be read.
    pub is_partial: bool,
}

impl DiskUsage {
    pub(crate) fn add(&mut self, found: &Metadata, since_s: i64) {
        let bytes = (found.blocks() * 512).max(LEAST);
        self.bytes += bytes;
        if found.ctime() >= since_s {
            self.fresh += bytes;
        }
    }
}

/// A walk through directories; symlinks are not followed.
#[derive(Debug)]
pub(crate) struct DiskUsageWalk {
    to_do: Vec<PathBuf>,
    open: Option<ReadDir>,
    /// Files with several hard links, by device and inode.
    linked: BTreeSet<(u64, u64)>,
    sum: DiskUsage,
    since_s: i64,
}

impl DiskUsageWalk {
    /// `since_s` is a time of the clock that stamps files.
    pub(crate) fn new(places: &[PathBuf], since_s: i64) -> Self {
        Self {
            to_do: places.to_vec(),
            open: None,
            linked: BTreeSet::new(),
            sum: DiskUsage::default(),
            since_s,
        }
    }

    /// Continues for `budget`; returns the sum when it is finished.
    pub(crate) fn advance(&mut self, budget: Duration) -> Option<DiskUsage> {
        let until = Instant::now() + budget;
        while Instant::now() < until {
            let Some(open) = &mut self.open else {
                match self.to_do.pop() {
                    Some(directory) => self.enter(directory),
                    None => return Some(self.sum),
                }
                continue;
            };
            match open.next() {
                Some(Ok(entry)) => self.add_entry(&entry),
                Some(Err(_)) => self.sum.is_partial = true,
                None => self.open = None,
            }
        }
        None
    }

    fn enter(&mut self, directory: PathBuf) {
        match fs::read_dir(directory) {
            Ok(listing) => self.open = Some(listing),
            Err(error) => self.note_error(&error),
        }
    }

    fn add_entry(&mut self, entry: &fs::DirEntry) {
        let found = match entry.metadata() {
            Ok(found) => found,
            Err(error) => return self.note_error(&error),
        };
        if found.is_dir() {
            self.to_do.push(entry.path());
        } else if self.was_seen(&found) {
            return;
        }
        self.sum.add(&found, self.since_s);
    }

    /// Whether it was counted under another of its names.
    fn was_seen(&mut self, found: &Metadata) -> bool {
        let has_names = found.nlink() > 1 && self.linked.len() < MAX_LINKED;
        has_names && !self.linked.insert((found.dev(), found.ino()))
    }

    /// What was removed meanwhile holds nothing.
    fn note_error(&mut self, error: &io::Error) {
        self.sum.is_partial |= error.kind() != io::ErrorKind::NotFound;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walked(places: &[PathBuf], since_s: i64) -> DiskUsage {
        let mut walk = DiskUsageWalk::new(places, since_s);
        loop {
            if let Some(sum) = walk.advance(Duration::from_micros(50)) {
                return sum;
            }
        }
    }

    /// BE-07: every file counts once, whatever its names, and symlinks are not followed.
    #[test]
    fn disk_usage_is_summed() {
        let directory = tempfile::tempdir().unwrap();
        let inner = directory.path().join("a/b");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("large"), vec![1; 300_000]).unwrap();
        fs::hard_link(inner.join("large"), inner.join("again")).unwrap();
        std::os::unix::fs::symlink("/usr", inner.join("elsewhere")).unwrap();
        let places = [directory.path().to_owned(), directory.path().join("gone")];
        let sum = walked(&places, 0);
        assert!((300_000..400_000).contains(&sum.bytes), "{sum:?}");
        assert_eq!((sum.fresh, sum.is_partial), (sum.bytes, false));
        assert_eq!(walked(&places, i64::MAX).fresh, 0);
    }
}
