//! Workspaces for checks, and the right to use them.

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use afresh_core::ids::{CommitId, TreeId, WorkspaceSlot};
use afresh_core::run::merge_queue::BatchId;
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
    /// How many checks of merges wait for a workspace: they go before all others.
    waiting_merges: usize,
    running: Vec<(CheckTicket, CancelHandle)>,
    /// Batches of merges of which nothing is used any more.
    dropped: BTreeSet<BatchId>,
    /// Counts how often all checks were stopped; older tickets are void.
    round: u64,
    /// Counts how often probes were stopped.
    probe_round: u64,
}

/// What checks are run for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckPurpose {
    /// To judge what would land: everything behind it waits.
    Merge,
    /// To judge work on its own tree, or the end of a run.
    Work,
    /// To see what they are worth before any work.
    Probe,
}

/// The right to run checks, until such checks are stopped the next time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CheckTicket {
    purpose: CheckPurpose,
    round: u64,
    /// Of checks on a merged tree.
    batch: Option<BatchId>,
}

/// What runs for a batch that was dropped ends within this time.
const DROP_GRACE: Duration = Duration::from_secs(1);

impl CheckSlots {
    pub(crate) fn new(slots: u16) -> Self {
        let free = (1..=slots.max(1)).collect();
        let desk = SlotQueue {
            free,
            waiting_merges: 0,
            running: Vec::new(),
            dropped: BTreeSet::new(),
            round: 0,
            probe_round: 0,
        };
        Self { state: Mutex::new(desk), freed: Condvar::new(), passes: CheckCache::default() }
    }

    pub(crate) fn ticket(&self) -> CheckTicket {
        self.lock().ticket(CheckPurpose::Work)
    }

    pub(crate) fn merge_ticket(&self, batch: BatchId) -> CheckTicket {
        CheckTicket { batch: Some(batch), ..self.lock().ticket(CheckPurpose::Merge) }
    }

    /// Ends the checks of one batch; their tickets are void.
    pub(crate) fn stop_batch(&self, batch: BatchId) {
        let mut desk = self.lock();
        desk.dropped.insert(batch);
        for (_, handle) in desk.running.iter().filter(|(ticket, _)| ticket.batch == Some(batch)) {
            handle.stop(DROP_GRACE);
        }
        self.freed.notify_all();
    }

    pub(crate) fn probe_ticket(&self) -> CheckTicket {
        self.lock().ticket(CheckPurpose::Probe)
    }

    pub(crate) fn stop_all(&self, grace: Duration) {
        let mut desk = self.lock();
        desk.round += 1;
        desk.probe_round += 1;
        for (_, handle) in &desk.running {
            handle.stop(grace);
        }
        self.freed.notify_all();
    }

    /// Ends what measures checks before any work; checks of work continue.
    pub(crate) fn stop_probes(&self, grace: Duration) {
        let mut desk = self.lock();
        desk.probe_round += 1;
        let is_probe = |ticket: &CheckTicket| ticket.purpose == CheckPurpose::Probe;
        let probes = desk.running.iter().filter(|(ticket, _)| is_probe(ticket));
        for (_, handle) in probes {
            handle.stop(grace);
        }
        self.freed.notify_all();
    }

    pub(super) fn is_void(&self, ticket: CheckTicket) -> bool {
        self.lock().is_void(ticket)
    }

    /// Waits for a workspace; none if the checks were stopped meanwhile.
    fn acquire(&self, ticket: CheckTicket) -> Option<(WorkspaceSlot, CancelHandle)> {
        let is_merge = ticket.purpose == CheckPurpose::Merge;
        let mut desk = self.lock();
        desk.waiting_merges += usize::from(is_merge);
        let slot = loop {
            if desk.is_void(ticket) {
                break None;
            }
            let is_reserved = !is_merge && desk.free.len() <= desk.waiting_merges;
            if let Some(slot) = desk.free.first().copied().filter(|_| !is_reserved) {
                desk.free.remove(&slot);
                break Some(slot);
            }
            desk = self.freed.wait(desk).unwrap_or_else(PoisonError::into_inner);
        };
        desk.waiting_merges -= usize::from(is_merge);
        // Who was kept from a workspace by this one may have it now.
        self.freed.notify_all();
        let handle = CancelHandle::default();
        desk.running.extend(slot.map(|_| (ticket, handle.clone())));
        slot.map(|slot| (WorkspaceSlot(slot), handle))
    }

    fn give_back(&self, slot: WorkspaceSlot, handle: &CancelHandle) {
        let mut desk = self.lock();
        desk.free.insert(slot.0);
        desk.running.retain(|(_, other)| !other.is_same(handle));
        self.freed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, SlotQueue> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SlotQueue {
    fn ticket(&self, purpose: CheckPurpose) -> CheckTicket {
        let round = match purpose {
            CheckPurpose::Merge | CheckPurpose::Work => self.round,
            CheckPurpose::Probe => self.probe_round,
        };
        CheckTicket { purpose, round, batch: None }
    }

    fn is_void(&self, ticket: CheckTicket) -> bool {
        let is_dropped = ticket.batch.is_some_and(|batch| self.dropped.contains(&batch));
        is_dropped || self.ticket(ticket.purpose).round != ticket.round
    }
}

/// What is checked out for checks.
#[derive(Debug, Clone, Copy)]
pub(super) struct CheckedTree<'a> {
    pub(super) tree: &'a TreeId,
    /// The commit that git in the workspace compares it with.
    pub(super) head: &'a CommitId,
    /// When the set-up must have ended; none: it has a limit of its own.
    pub(super) set_up_by: Option<Instant>,
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
        let Some(entered) = Self::acquire(shared, ticket) else { return Ok(None) };
        Ok(entered.prepare(on)?.then_some(entered))
    }

    /// Takes a workspace as it is; none if the checks were stopped meanwhile.
    pub(super) fn acquire(shared: &'a ExecutorContext, ticket: CheckTicket) -> Option<Self> {
        let (slot, handle) = shared.check_slots.acquire(ticket)?;
        Some(Self { shared, slot, handle })
    }

    /// Makes the workspace equal to the tree again, and sets it up; false if the checks were stopped meanwhile.
    pub(super) fn prepare(&self, on: CheckedTree<'_>) -> Result<bool, String> {
        let target = PrepareTarget::Tree { tree: on.tree, head: on.head };
        let (place, keep) = (self.place(), &self.shared.config.keep);
        self.shared.pool.prepare(place, target, keep).map_err(|error| describe(&error))?;
        let set_up = self.shared.set_up(place, &self.handle, on.set_up_by);
        match set_up.map_err(|failed| failed.to_string())? {
            SetupOutcome::Ready => Ok(true),
            SetupOutcome::Stopped => Ok(false),
        }
    }

    pub(super) fn place(&self) -> WorkspaceId {
        WorkspaceId::Check(self.slot)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// IN-01: a workspace that is freed goes to what would land, not to work that is only filtered.
    #[test]
    fn checks_of_merges_go_first() {
        let slots = CheckSlots::new(1);
        let (_, first) = slots.acquire(slots.ticket()).expect("a slot");
        let order = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            let wait = |ticket: CheckTicket, name: &'static str| {
                let (slots, order) = (&slots, &order);
                scope.spawn(move || {
                    let (slot, handle) = slots.acquire(ticket).expect("a slot");
                    order.lock().expect("no panic").push(name);
                    slots.give_back(slot, &handle);
                })
            };
            wait(slots.ticket(), "work");
            wait(slots.merge_ticket(BatchId(1)), "merge");
            while slots.lock().waiting_merges == 0 {
                std::thread::yield_now();
            }
            slots.give_back(WorkspaceSlot(1), &first);
        });
        assert_eq!(order.into_inner().expect("no panic"), ["merge", "work"]);
    }

    /// IN-04: of a dropped batch, what runs is ended, and nothing else starts; other batches go on.
    #[test]
    fn checks_of_a_dropped_batch_are_stopped() {
        let slots = CheckSlots::new(3);
        let (dropped, kept) = (slots.merge_ticket(BatchId(1)), slots.merge_ticket(BatchId(2)));
        let (_, running) = slots.acquire(dropped).expect("a slot");
        let (_, other) = slots.acquire(kept).expect("a slot");
        slots.stop_batch(BatchId(1));
        assert_eq!((running.is_asked(), other.is_asked()), (true, false));
        assert!(slots.acquire(dropped).is_none() && slots.is_void(dropped));
        assert!(!slots.is_void(kept) && !slots.is_void(slots.merge_ticket(BatchId(3))));
    }

    /// R7, TR-01: what measures checks is stopped alone; checks of work are stopped only with everything.
    #[test]
    fn probes_are_stopped_without_the_checks_of_work() {
        let slots = CheckSlots::new(3);
        let (work, probe) = (slots.ticket(), slots.probe_ticket());
        let (_, checking) = slots.acquire(work).expect("a slot");
        let (_, probing) = slots.acquire(probe).expect("a slot");
        slots.stop_probes(Duration::ZERO);
        assert_eq!((checking.is_asked(), probing.is_asked()), (false, true));
        assert_eq!((slots.is_void(work), slots.is_void(probe)), (false, true));
        assert!(slots.acquire(probe).is_none(), "nothing of it starts any more");
        assert!(!slots.is_void(slots.probe_ticket()), "the next probe may run");
        slots.stop_all(Duration::ZERO);
        assert!(checking.is_asked() && slots.is_void(work));
    }
}
