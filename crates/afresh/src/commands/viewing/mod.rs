//! Commands that show runs.

pub(crate) mod replay;
pub(crate) mod serve;
