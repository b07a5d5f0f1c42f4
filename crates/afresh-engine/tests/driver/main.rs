//! Stories of the driver on a scripted host: no process, no thread, no clock on the wall.

mod budgets_and_steps;
mod bundles;
mod checks_and_merges;
mod commands;
mod journal_failures;
mod projections;
mod questions;
mod quiet;
mod reporters;
mod resuming;
mod retries;
mod state_files;
mod straight_path;
mod support;
mod waiting;
