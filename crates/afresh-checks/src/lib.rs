//! What a check shows, from structure alone: exit codes, the reports that test runners print, the shell's own reading.
//!
//! Nothing here runs a command or reads a file. A word in prose never decides: a line counts if it has the exact shape
//! that a tool prints, and if the command can have started that tool.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`classify`](mod@classify) | what a check is worth before any work |
//! | `command` | which tools a command starts |
//! | [`executed_files`] | which test files a check did not execute |
//! | [`fingerprint`](mod@fingerprint) | whether two failures are the same |
//! | [`mutants`] | how many deliberate faults the tests noticed |
//! | [`missing`] | what a command needs and did not find |
//! | `planned` | whether a task declares it |
//! | [`report_files`](mod@report_files) | which reports a command writes to files |
//! | [`runners`] | how many tests a runner executed, and which failed |
//! | [`tally`] | the same, added up |
//! | `text` | output as plain lines |
//! | `usage` | commands that a tool does not understand |

pub mod classify;
mod command;
pub mod executed_files;
pub mod fingerprint;
pub mod missing;
pub mod mutants;
mod planned;
pub mod report_files;
pub mod runners;
pub mod tally;
mod text;
mod usage;

pub use classify::{ClassifiedCheck, ProbeFacts, classify};
pub use command::words_before_program;
pub use executed_files::unexecuted_tests;
pub use fingerprint::fingerprint;
pub use missing::{MissingKind, MissingThing, NeededBy, find_missing};
pub use mutants::read_mutation_report;
pub use report_files::report_files;
pub use runners::{TestReport, TestRunner, executed_tests, read_report_file, read_test_reports};
pub use tally::add_up;
