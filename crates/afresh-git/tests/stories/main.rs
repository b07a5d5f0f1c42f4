//! The promises of the git crate, tested with a real git in temporary directories.

#![allow(clippy::unwrap_used)]

mod acceptance;
mod cat_file;
mod commits;
mod cost;
mod discovery;
mod harvesting;
mod hostile;
mod landing;
mod leases;
mod merging;
mod moving_refs;
mod notes;
mod preparing;
mod program;
mod reading;
mod restoring;
mod retiring;
mod scene;
mod snapshots;
mod staging;
mod stale_git;
mod step_commits;
mod steps;
mod trees;
