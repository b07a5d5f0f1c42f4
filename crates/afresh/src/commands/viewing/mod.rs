//! Commands that show runs.

pub(crate) mod serve;
