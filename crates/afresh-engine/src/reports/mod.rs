//! Projections of the journal for people: the activity log, the list of issues, the run report.

pub mod activity;
pub mod issues;
pub mod run_report;
