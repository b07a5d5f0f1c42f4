//! What the git crate promises, told with a real git in temporary directories.

#![allow(clippy::unwrap_used)]

mod commits;
mod conversations;
mod cost;
mod discovery;
mod harvesting;
mod hostile;
mod landing;
mod merging;
mod moving_refs;
mod orphans;
mod owners;
mod preparing;
mod program;
mod putting_back;
mod reading;
mod retiring;
mod scene;
mod snapshots;
mod step_commits;
mod steps;
mod trees;
