//! Commands for what a run leaves: report, land, scan, clean up.

pub(crate) mod clean;
pub(crate) mod land;
pub(crate) mod report;
pub(crate) mod scan;
