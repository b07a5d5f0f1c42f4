//! For tests only: the simulator, test repositories, large plans.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`simulation`] | the real driver with a simulated host, from a seed |
//! | [`repo`] | a real repository, a scripted worker, and the real program |
//! | [`large_plan`] | large plans of every format |
//! | [`repo_fingerprint`] | everything of the user's that a run must leave byte-identical (R5) |
//! | [`file_tree`] | the files below a directory |
//! | [`notation`] | a short notation for plans, ids and states |
//! | [`survivors`] | processes that a run left behind (R6) |

pub mod file_tree;
pub mod large_plan;
pub mod notation;
pub mod repo;
pub mod repo_fingerprint;
pub mod simulation;
pub mod survivors;

pub use repo::{CommandOutput, TestRepo};
