//! The parts of a dashboard.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`needs_you`] | what waits for a person, most urgent first |
//! | [`progress`] | how far the run is, and when it may end |
//! | [`task_rows`] | one row per task |
//! | [`workers`] | who is at what right now |
//! | [`context`] | how full the contexts of workers are |
//! | [`timeline`] | attempts as segments of time, and the critical path |
//! | [`graph`] | tasks and dependencies, laid out |
//! | [`burn_up`] | tokens and cost over time |
//! | [`merge_line`] | what is being merged, and what waits for it |
//! | [`retry_heat`] | every attempt of every task, by outcome |
//! | [`glyphs`] | one character per state |

pub mod burn_up;
pub mod context;
pub mod glyphs;
pub mod graph;
pub mod merge_line;
pub mod needs_you;
pub mod progress;
pub mod retry_heat;
pub mod task_rows;
pub mod timeline;
pub mod workers;
