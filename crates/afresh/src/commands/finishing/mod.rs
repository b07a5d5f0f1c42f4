//! Commands for what a run leaves: report, trace, land, verify, scan, clean up.

pub(crate) mod clean;
pub(crate) mod land;
pub(crate) mod report;
pub(crate) mod scan;
pub(crate) mod trace;
pub(crate) mod verify_run;
