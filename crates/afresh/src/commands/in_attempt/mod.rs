//! Commands that a worker, its agent or its agent's hooks call inside an attempt.

pub(crate) mod agent;
pub(crate) mod hook;
pub(crate) mod issue;
pub(crate) mod log;
pub(crate) mod report_result;
pub(crate) mod step;
