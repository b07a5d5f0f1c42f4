//! Commands about one task.

pub(crate) mod diff;
pub(crate) mod task;
pub(crate) mod tell;
