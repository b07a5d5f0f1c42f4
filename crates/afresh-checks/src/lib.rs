//! What the output of a check shows, from structure alone: exit codes and the reports that test runners print.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`runners`] | how many tests a runner executed, and which failed |
//! | [`missing`] | what a command needs and did not find |

pub mod missing;
pub mod runners;

pub use missing::{MissingKind, MissingThing, find_missing};
pub use runners::{TestReport, TestRunner, executed_tests, read_test_reports};
