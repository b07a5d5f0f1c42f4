//! Checks now and then whether a process tree exceeds its limits.
//!
//! Limits that the kernel enforces are read from their cgroups; the others are polled. The caller
//! ends the tree.

use std::time::{Duration, Instant};

use afresh_core::process::{LimitExceeded, LimitedResource};

use crate::limits::cgroup_limits::CgroupLimits;
use crate::limits::disk::DiskMonitor;
use crate::limits::poll::UsagePoller;
use crate::limits::tree_limits::{EnforcedLimits, LimitEnforcer, TreeLimits};

/// The time between two reads of the cgroups.
const CGROUP_CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// How many times its limit a polled tree may ever reach.
const CEILING_FACTOR: u64 = 4;

#[derive(Debug)]
pub(crate) struct LimitMonitor {
    cgroup_limits: CgroupLimits,
    poller: UsagePoller,
    disk: Option<DiskMonitor>,
    enforced: EnforcedLimits,
    due: Option<Instant>,
}

impl LimitMonitor {
    pub(crate) fn new(tree_limits: &TreeLimits, cgroup_limits: CgroupLimits) -> Self {
        let mut enforced = EnforcedLimits::default();
        let mut uncounted = Vec::new();
        for bound in tree_limits.cgroup_limits() {
            let enforcer = cgroup_limits.enforcer(bound.of);
            enforced.set_enforcer(bound.of, enforcer.unwrap_or(LimitEnforcer::Polled));
            if enforcer.is_none() {
                uncounted.push(bound);
            }
        }
        let poller = UsagePoller::new(uncounted);
        let soon = Instant::now() + poller.next_check_in().unwrap_or(CGROUP_CHECK_INTERVAL);
        let due = (!tree_limits.cgroup_limits().is_empty()).then_some(soon);
        let disk = tree_limits.disk.as_ref().and_then(DiskMonitor::new);
        Self { cgroup_limits, poller, disk, enforced, due }
    }

    pub(crate) fn cgroup_limits(&self) -> &CgroupLimits {
        &self.cgroup_limits
    }

    /// The process limit (rlimit) for a tree that is only polled: the kernel enforces it between
    /// two polls, for users other than root. It counts all processes of that user, so it is
    /// generous.
    pub(crate) fn ceiling(&self) -> Option<u64> {
        self.poller
            .limit(LimitedResource::Processes)
            .map(|limit| limit.saturating_mul(CEILING_FACTOR))
    }

    /// The program could not enter the cgroups: all limits are polled instead.
    pub(crate) fn poll_all(&mut self, tree_limits: &TreeLimits) {
        self.poller = UsagePoller::new(tree_limits.cgroup_limits());
        for bound in tree_limits.cgroup_limits() {
            self.enforced.set_enforcer(bound.of, LimitEnforcer::Polled);
        }
    }

    /// When to check next.
    pub(crate) fn due(&self) -> Option<Instant> {
        self.due.into_iter().chain(self.disk.as_ref().map(DiskMonitor::due)).min()
    }

    /// The limit that the tree exceeds, if it is time to check.
    pub(crate) fn check_if_due(&mut self) -> Option<LimitExceeded> {
        let filled = self.disk.as_mut().and_then(DiskMonitor::check_if_due);
        self.enforced.exceeded.extend(filled.map(|bound| (bound, 1)));
        filled.or_else(|| self.check_tree())
    }

    fn check_tree(&mut self) -> Option<LimitExceeded> {
        if self.due.is_none_or(|due| Instant::now() < due) {
            return None;
        }
        let refused = self.cgroup_limits.exceeded().first().map(|(bound, _)| *bound);
        let over = refused.or_else(|| {
            let counted = self.poller.check_quickly();
            self.enforced.exceeded.extend(counted.map(|bound| (bound, 1)));
            counted
        });
        self.due =
            Some(Instant::now() + self.poller.next_check_in().unwrap_or(CGROUP_CHECK_INTERVAL));
        over
    }

    /// What enforced the limits, and which were exceeded, up to now.
    pub(crate) fn enforced_limits(&self) -> EnforcedLimits {
        let mut enforced = self.enforced.clone();
        enforced.exceeded.extend(self.cgroup_limits.exceeded());
        enforced
    }
}
