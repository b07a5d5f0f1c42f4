//! One call at a time works in a slot.
//!
//! A snapshot reads a slot while its worker is alive; it must be over before the slot is harvested
//! or emptied. A worker can make git wait for as long as it likes, so a snapshot that holds up
//! somebody else is asked to give way.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::workspace::pool::Place;

/// How long a snapshot may hold up a harvest: a halt that ends everything must stay short (R7).
const PATIENCE: Duration = Duration::from_secs(2);

/// Who is at work in which slot.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    taken: Mutex<BTreeMap<Place, GiveWay>>,
    freed: Condvar,
}

/// Set when somebody else needs the slot.
#[derive(Debug, Clone, Default)]
pub(crate) struct GiveWay(Arc<AtomicBool>);

impl GiveWay {
    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The right to work in a slot, until it is dropped.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    turns: &'a Turns,
    place: Place,
    give_way: GiveWay,
}

impl Turn<'_> {
    pub(crate) fn give_way(&self) -> &GiveWay {
        &self.give_way
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.lock().remove(&self.place);
        self.turns.freed.notify_all();
    }
}

impl Turns {
    /// Waits until nobody is at work in the slot.
    pub(crate) fn wait_for(&self, place: Place) -> Turn<'_> {
        let mut taken = self.lock();
        while taken.contains_key(&place) {
            taken = self.freed.wait(taken).unwrap_or_else(PoisonError::into_inner);
        }
        self.begin(taken, place)
    }

    /// The same; whoever is at work for long is asked to give way.
    pub(crate) fn insist_on(&self, place: Place) -> Turn<'_> {
        let mut taken = self.lock();
        while let Some(other) = taken.get(&place).cloned() {
            let waited = self.freed.wait_timeout(taken, PATIENCE);
            let (now, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            taken = now;
            if timeout.timed_out() {
                other.ask();
            }
        }
        self.begin(taken, place)
    }

    fn begin(&self, mut taken: MutexGuard<'_, BTreeMap<Place, GiveWay>>, place: Place) -> Turn<'_> {
        let give_way = GiveWay::default();
        taken.insert(place, give_way.clone());
        Turn { turns: self, place, give_way }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Place, GiveWay>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
