//! Cancels running work from any thread, even before it has really started.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use afresh_core::ids::AttemptId;
use afresh_process::{JobStopper, SilenceLimit};

#[derive(Debug, Default)]
pub(crate) struct CancelRegistry(Mutex<BTreeMap<AttemptId, CancelHandle>>);

/// One thing that can be stopped.
#[derive(Debug, Clone, Default)]
pub(crate) struct CancelHandle(Arc<Mutex<CancelState>>);

#[derive(Debug, Default)]
struct CancelState {
    asked: Option<Duration>,
    stopper: Option<JobStopper>,
}

impl CancelRegistry {
    pub(crate) fn register(&self, attempt: &AttemptId) -> CancelHandle {
        let handle = CancelHandle::default();
        self.lock().insert(attempt.clone(), handle.clone());
        handle
    }

    pub(crate) fn forget(&self, attempt: &AttemptId) {
        self.lock().remove(attempt);
    }

    /// The same, unless something else of the attempt was registered meanwhile.
    pub(crate) fn forget_same(&self, attempt: &AttemptId, handle: &CancelHandle) {
        let mut registered = self.lock();
        if registered.get(attempt).is_some_and(|known| known.is_same(handle)) {
            registered.remove(attempt);
        }
    }

    pub(crate) fn stop(&self, attempt: &AttemptId, grace: Duration) {
        if let Some(handle) = self.lock().get(attempt) {
            handle.stop(grace);
        }
    }

    /// A worker that waits for our answer must not count as silent.
    pub(crate) fn set_silence_limit(&self, attempt: &AttemptId, limit: SilenceLimit) {
        if let Some(handle) = self.lock().get(attempt)
            && let Some(stopper) = &handle.lock().stopper
        {
            stopper.set_silence_limit(limit);
        }
    }

    pub(crate) fn cancel_all(&self) {
        for handle in self.lock().values() {
            handle.stop(Duration::ZERO);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<AttemptId, CancelHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CancelHandle {
    pub(crate) fn stop(&self, grace: Duration) {
        let mut state = self.lock();
        state.asked = Some(grace);
        if let Some(stopper) = &state.stopper {
            stop(stopper, grace);
        }
    }

    pub(crate) fn is_asked(&self) -> bool {
        self.lock().asked.is_some()
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Attaches the running job; if it was already cancelled, it is stopped now.
    pub(crate) fn attach(&self, stopper: JobStopper) {
        let mut state = self.lock();
        if let Some(grace) = state.asked {
            stop(&stopper, grace);
        }
        state.stopper = Some(stopper);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, CancelState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stop(stopper: &JobStopper, grace: Duration) {
    if grace.is_zero() {
        stopper.kill();
    } else {
        stopper.stop(grace);
    }
}
