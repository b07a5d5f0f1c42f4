//! Something on its way to the core, and when it arrives.

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

    /// Whether it may arrive twice, or after its driver was killed. The branch is moved by the driver's own
    /// process, which reports once or not at all.
    pub(super) fn may_arrive_late(&self) -> bool {
        !matches!(self.input, Input::BranchMoved(..) | Input::MovedBack(..))
    }
}

// The heap gives the largest first; ours is the earliest.
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
