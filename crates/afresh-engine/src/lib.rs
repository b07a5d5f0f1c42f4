//! The driver, and the executor that carries out its effects on this machine.
//!
//! ```text
//! input ─▶ decide ─▶ events ─▶ journal (on disk) ─▶ reporters, effects ─▶ executor ─▶ input …
//! ```
//!
//! Nothing is performed before it is recorded. The core decides what to do; this crate does it.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`driver`] | the loop: decide, record, perform, wait; control commands, reporters, the run's clock |
//! | [`session`] | taking the lock; starting a run or opening a recorded one |
//! | [`executor`] | effects, each in its own thread: attempts, checks, harvests, merges, sandboxes |
//! | [`execution_config`] | how effects are carried out: agents, timeouts, set-up, sandbox |
//! | [`mailbox`] | messages from workers while they work |
//! | [`bundle`] | what a worker is given |
//! | [`cleanup`] | removing what is merged or saved, and why the rest stays |
//! | [`reports`] | activity log, issue list and run report, all computed from the journal |
//! | [`scan`] | searching files, history and state for secrets |
//! | [`journal_records`] | events as records of the journal, and back |
//! | [`layout`] | where files live |
//! | `unique` | names that no other process uses |
//! | `worker_files` | reading and writing files that a worker can reach meanwhile |

pub mod bundle;
pub mod cleanup;
pub mod driver;
pub mod execution_config;
pub mod executor;
pub mod journal_records;
pub mod layout;
pub mod mailbox;
pub mod reports;
pub mod scan;
pub mod session;
mod unique;
mod worker_files;

pub use driver::control::ControlCommand;
pub use driver::reporter::{RecordedEvent, Reporter};
pub use driver::{DriveError, Driver};
pub use execution_config::ExecutionConfig;
pub use executor::checks::standalone::{ProbeError, StandaloneProbe};
pub use executor::sandbox::probe::ProbeSandbox;
pub use layout::StateLayout;
pub use session::{OpenError, OpenRun, RepoContext};
