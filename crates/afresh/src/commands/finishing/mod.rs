//! Commands for what a run leaves: report, trace, land, verify, scan, clean up.

pub(crate) mod clean;
pub(crate) mod land;
mod pull_request;
pub(crate) mod report;
pub(crate) mod scan;
mod squash_message;
pub(crate) mod trace;
pub(crate) mod verify_run;
