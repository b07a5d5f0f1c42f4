//! An input for the core, and the time when it arrives.

use std::cmp::Ordering;

use afresh_core::input::Input;
use afresh_core::time::Timestamp;

#[derive(Debug, Clone)]
pub(super) struct ScheduledInput {
    pub(super) at: Timestamp,
    order: u64,
    pub(super) input: Input,
}

impl ScheduledInput {
    pub(super) fn new(at: Timestamp, order: u64, input: Input) -> Self {
        Self { at, order, input }
    }

    /// Whether it may arrive twice, or after its driver was killed. The driver's own process moves the branch, and
    /// reports once or not at all.
    pub(super) fn may_arrive_late(&self) -> bool {
        !matches!(self.input, Input::BranchMoved(..) | Input::MovedBack(..))
    }
}

// The heap returns the largest first; ours must be the earliest.
impl Ord for ScheduledInput {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.order).cmp(&(self.at, self.order))
    }
}

impl PartialOrd for ScheduledInput {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ScheduledInput {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for ScheduledInput {}
