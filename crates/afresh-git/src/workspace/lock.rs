//! Locks workspaces: one call at a time uses a workspace.
//!
//! A snapshot reads a workspace while its worker is alive; it must be over before the workspace is
//! harvested or emptied. A worker can make git take as long as it likes, so a snapshot that blocks
//! another call is preempted.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::workspace::pool::WorkspaceId;

/// How long a snapshot may delay a harvest: an immediate halt must stay short (R7).
const TIMEOUT: Duration = Duration::from_secs(2);

/// The workspaces that are in use.
#[derive(Debug, Default)]
pub(crate) struct WorkspaceLocks {
    taken: Mutex<BTreeMap<WorkspaceId, PreemptFlag>>,
    freed: Condvar,
}

/// Set when another call needs the workspace.
#[derive(Debug, Clone, Default)]
pub(crate) struct PreemptFlag(Arc<AtomicBool>);

impl PreemptFlag {
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The right to use a workspace, until it is dropped.
#[derive(Debug)]
pub(crate) struct WorkspaceGuard<'a> {
    locks: &'a WorkspaceLocks,
    id: WorkspaceId,
    preempt_flag: PreemptFlag,
}

impl WorkspaceGuard<'_> {
    pub(crate) fn preempt_flag(&self) -> &PreemptFlag {
        &self.preempt_flag
    }
}

impl Drop for WorkspaceGuard<'_> {
    fn drop(&mut self) {
        self.locks.lock().remove(&self.id);
        self.locks.freed.notify_all();
    }
}

impl WorkspaceLocks {
    /// Waits until the workspace is free.
    pub(crate) fn lock_workspace(&self, id: WorkspaceId) -> WorkspaceGuard<'_> {
        let mut taken = self.lock();
        while taken.contains_key(&id) {
            taken = self.freed.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        self.guard(taken, id)
    }

    /// The same, but preempts a call that holds the workspace for long.
    pub(crate) fn lock_preempting(&self, id: WorkspaceId) -> WorkspaceGuard<'_> {
        let mut taken = self.lock();
        while let Some(other) = taken.get(&id).cloned() {
            let waited = self.freed.wait_timeout(taken, TIMEOUT);
            let (now, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            taken = now;
            if timeout.timed_out() {
                other.set();
            }
        }
        self.guard(taken, id)
    }

    fn guard(
        &self,
        mut taken: MutexGuard<'_, BTreeMap<WorkspaceId, PreemptFlag>>,
        id: WorkspaceId,
    ) -> WorkspaceGuard<'_> {
        let preempt_flag = PreemptFlag::default();
        taken.insert(id, preempt_flag.clone());
        WorkspaceGuard { locks: self, id, preempt_flag }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<WorkspaceId, PreemptFlag>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
