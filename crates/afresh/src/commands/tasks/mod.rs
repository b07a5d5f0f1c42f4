//! Commands about one task.

mod by_hand;
pub(crate) mod checkpoint;
pub(crate) mod diff;
pub(crate) mod open;
mod plan_task;
mod redo;
pub(crate) mod task;
pub(crate) mod tell;
