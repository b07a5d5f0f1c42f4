//! For tests only: the simulated world, test repositories, fault injection.
//!
//! | module | idea |
//! | --- | --- |
//! | [`simulation`] | the core in a seeded world |
//! | [`repo`] | a real repository, a scripted worker, and the real program |
//! | [`large_plan`] | large plans of every format |
//! | [`untouched`] | everything of the user's that a run must leave byte-identical (R5) |
//! | [`survivors`] | processes that a run left behind (R6) |

pub mod large_plan;
pub mod repo;
pub mod repo_fingerprint;
pub mod simulation;
pub mod survivors;

pub use repo::{CommandOutput, TestRepo};
