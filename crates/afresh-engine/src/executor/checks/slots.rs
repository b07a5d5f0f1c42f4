//! Workspaces for checks, and the right to use them.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use afresh_core::ids::{CommitId, TreeId, WorkspaceSlot};
use afresh_git::{PrepareTarget, WorkspaceId};

use super::cache::CheckCache;
use crate::executor::ExecutorContext;
use crate::executor::cancel::CancelHandle;
use crate::executor::causes::describe;
use crate::executor::setup::SetupOutcome;

/// Hands out workspaces for checks, and ends what runs in them.
#[derive(Debug)]
pub(crate) struct CheckSlots {
    state: Mutex<SlotQueue>,
    freed: Condvar,
    pub(crate) passes: CheckCache,
}

#[derive(Debug)]
struct SlotQueue {
    free: BTreeSet<u16>,
    running: Vec<CancelHandle>,
    /// Counts how often all checks were stopped; older tickets are void.
    round: u64,
}

/// The right to run checks, until all checks are stopped the next time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckTicket(u64);

impl CheckSlots {
    pub(crate) fn new(slots: u16) -> Self {
        let desk = SlotQueue { free: (1..=slots.max(1)).collect(), running: Vec::new(), round: 0 };
        Self { state: Mutex::new(desk), freed: Condvar::new(), passes: CheckCache::default() }
    }

    pub(crate) fn ticket(&self) -> CheckTicket {
        CheckTicket(self.lock().round)
    }

    pub(crate) fn stop_all(&self, grace: Duration) {
        let mut desk = self.lock();
        desk.round += 1;
        for handle in &desk.running {
            handle.stop(grace);
        }
        self.freed.notify_all();
    }

    pub(super) fn is_void(&self, ticket: CheckTicket) -> bool {
        self.lock().round != ticket.0
    }

    /// Waits for a workspace; none if the checks were stopped meanwhile.
    fn acquire(&self, ticket: CheckTicket) -> Option<(WorkspaceSlot, CancelHandle)> {
        let mut desk = self.lock();
        loop {
            if desk.round != ticket.0 {
                return None;
            }
            if let Some(slot) = desk.free.pop_first() {
                let handle = CancelHandle::default();
                desk.running.push(handle.clone());
                return Some((WorkspaceSlot(slot), handle));
            }
            desk = self.freed.wait(desk).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn give_back(&self, slot: WorkspaceSlot, handle: &CancelHandle) {
        let mut desk = self.lock();
        desk.free.insert(slot.0);
        desk.running.retain(|other| !other.is_same(handle));
        self.freed.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, SlotQueue> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is checked out for checks.
#[derive(Debug, Clone, Copy)]
pub(super) struct CheckedTree<'a> {
    pub(super) tree: &'a TreeId,
    /// The commit that git in the workspace compares it with.
    pub(super) head: &'a CommitId,
}

/// A workspace that is ours until this is dropped.
pub(super) struct OccupiedSlot<'a> {
    pub(super) shared: &'a ExecutorContext,
    pub(super) slot: WorkspaceSlot,
    pub(super) handle: CancelHandle,
}

impl Drop for OccupiedSlot<'_> {
    fn drop(&mut self) {
        self.shared.check_slots.give_back(self.slot, &self.handle);
    }
}

impl<'a> OccupiedSlot<'a> {
    /// Takes a workspace and checks out the tree; none if the checks were stopped meanwhile.
    pub(super) fn enter(
        shared: &'a ExecutorContext,
        ticket: CheckTicket,
        on: CheckedTree<'_>,
    ) -> Result<Option<Self>, String> {
        let Some((slot, handle)) = shared.check_slots.acquire(ticket) else { return Ok(None) };
        let entered = Self { shared, slot, handle };
        Ok(entered.prepare(on)?.then_some(entered))
    }

    /// Makes the workspace equal to the tree again, and sets it up; false if the checks were stopped meanwhile.
    pub(super) fn prepare(&self, on: CheckedTree<'_>) -> Result<bool, String> {
        let target = PrepareTarget::Tree { tree: on.tree, head: on.head };
        let (place, keep) = (self.place(), &self.shared.config.keep);
        self.shared.pool.prepare(place, target, keep).map_err(|error| describe(&error))?;
        let set_up = self.shared.set_up(place, &self.handle);
        match set_up.map_err(|failed| failed.to_string())? {
            SetupOutcome::Ready => Ok(true),
            SetupOutcome::Stopped => Ok(false),
        }
    }

    pub(super) fn place(&self) -> WorkspaceId {
        WorkspaceId::Check(self.slot)
    }
}
