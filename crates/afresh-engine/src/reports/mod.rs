//! Projections of the journal for people: the activity log, flaky checks, the list of issues, reminders of what is
//! underway, the run report, samples for forecasts.

pub mod activity;
mod activity_batches;
pub mod flaky;
pub mod issues;
pub mod quiet;
pub mod run_report;
pub mod samples;
