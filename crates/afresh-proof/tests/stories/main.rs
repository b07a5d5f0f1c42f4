//! Notes and their verification, without git.
#![allow(clippy::unwrap_used, reason = "tests")]

mod extents;
mod hostile_notes;
mod receipts;
mod scene;
mod verdicts;
