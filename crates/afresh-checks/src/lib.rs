//! What a check shows, from structure alone: exit codes, the reports that test runners print, the shell's own reading.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`classify`](mod@classify) | what a check is worth before any work |
//! | [`runners`] | how many tests a runner executed, and which failed |
//! | [`tally`] | the same, added up |
//! | [`missing`] | what a command needs and did not find |
//! | [`executed_files`] | which test files a check did not execute |
//! | [`fingerprint`](mod@fingerprint) | whether two failures are the same |

pub mod classify;
pub mod executed_files;
pub mod fingerprint;
pub mod missing;
pub mod runners;
pub mod tally;

pub use classify::{ClassifiedCheck, ProbeFacts, classify};
pub use executed_files::unexecuted_tests;
pub use fingerprint::fingerprint;
pub use missing::{MissingKind, MissingThing, find_missing};
pub use runners::{TestReport, TestRunner, executed_tests, read_test_reports};
pub use tally::add_up;
