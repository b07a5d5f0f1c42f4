//! Looks now and then whether a tree is beyond its bounds.
//!
//! What the kernel keeps is asked for what it refused; the rest is counted. Ending the tree is for
//! whoever asked.

use std::time::{Duration, Instant};

use afresh_core::process::{LimitExceeded, LimitedResource};

use crate::limits::cgroup_limits::Fence;
use crate::limits::disk::DiskWatch;
use crate::limits::poll::Meter;
use crate::limits::tree_limits::{Bounds, Keeper, Kept};

/// Between two questions to the kernel.
const ASKED_EVERY: Duration = Duration::from_millis(250);

/// How many times its bound a counted tree may ever become.
const CEILING: u64 = 4;

#[derive(Debug)]
pub(crate) struct Guard {
    fence: Fence,
    meter: Meter,
    disk: Option<DiskWatch>,
    kept: Kept,
    due: Option<Instant>,
}

impl Guard {
    pub(crate) fn new(bounds: &Bounds, fence: Fence) -> Self {
        let mut kept = Kept::default();
        let mut uncounted = Vec::new();
        for bound in bounds.of_tree() {
            let keeper = fence.keeper(bound.of);
            kept.note(bound.of, keeper.unwrap_or(Keeper::Counted));
            if keeper.is_none() {
                uncounted.push(bound);
            }
        }
        let meter = Meter::new(uncounted);
        let soon = Instant::now() + meter.again_in().unwrap_or(ASKED_EVERY);
        let due = (!bounds.of_tree().is_empty()).then_some(soon);
        let disk = bounds.disk.as_ref().and_then(DiskWatch::new);
        Self { fence, meter, disk, kept, due }
    }

    pub(crate) fn fence(&self) -> &Fence {
        &self.fence
    }

    /// How many processes the user of a tree may have that is only counted: the kernel keeps this one
    /// between two looks, for users that are not root. It counts all of that user's, so it is
    /// generous.
    pub(crate) fn ceiling(&self) -> Option<u64> {
        self.meter.bound(LimitedResource::Processes).map(|limit| limit.saturating_mul(CEILING))
    }

    /// The program could not enter what the kernel keeps: everything is counted instead.
    pub(crate) fn count_all(&mut self, bounds: &Bounds) {
        self.meter = Meter::new(bounds.of_tree());
        for bound in bounds.of_tree() {
            self.kept.note(bound.of, Keeper::Counted);
        }
    }

    /// When to look next.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.due.into_iter().chain(self.disk.as_ref().map(DiskWatch::due)).min()
    }

    /// What the tree is over, if it is time to look.
    pub(crate) fn look_if_due(&mut self) -> Option<LimitExceeded> {
        let filled = self.disk.as_mut().and_then(DiskWatch::look_if_due);
        self.kept.refused.extend(filled.map(|bound| (bound, 1)));
        filled.or_else(|| self.look_at_tree())
    }

    fn look_at_tree(&mut self) -> Option<LimitExceeded> {
        if self.due.is_none_or(|due| Instant::now() < due) {
            return None;
        }
        let refused = self.fence.refused().first().map(|(bound, _)| *bound);
        let over = refused.or_else(|| {
            let counted = self.meter.glance();
            self.kept.refused.extend(counted.map(|bound| (bound, 1)));
            counted
        });
        self.due = Some(Instant::now() + self.meter.again_in().unwrap_or(ASKED_EVERY));
        over
    }

    /// What kept the tree, and what it was refused, to the end.
    pub(crate) fn kept(&self) -> Kept {
        let mut kept = self.kept.clone();
        kept.refused.extend(self.fence.refused());
        kept
    }
}
