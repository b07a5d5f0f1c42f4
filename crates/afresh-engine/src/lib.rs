//! The loop, and the real world around the core.
//!
//! ```text
//! input ─▶ decide ─▶ events ─▶ journal (on disk) ─▶ watchers, effects ─▶ threads ─▶ input …
//! ```
//!
//! Nothing is performed before it is recorded. Every source (process threads, signals, the inbox)
//! sends to one channel; the loop has one `recv` with a deadline. What to do is the core's to say;
//! this crate only carries it out.
//!
//! | module | idea |
//! | --- | --- |
//! | [`layout`] | where things live |
//! | [`rules`] | how the world carries things out: agents, timeouts, set-up |
//! | [`open`] | taking the lock; starting a run or taking one up |
//! | [`driver`] | the loop |
//! | [`order`] | commands of other terminals |
//! | [`mailbox`] | what workers say while they work |
//! | [`bundling`] | what a worker is given |
//! | [`cleaning`] | removing what is merged or saved, and saying why the rest stays |
//! | [`watch`] | who wants to see what was recorded |
//! | [`activity`], [`issues`] | the activity log and the list of what was put off: projections of the journal |
//! | [`report`] | what a run came to, a projection of the journal |
//! | `world` | effects, each in its own thread |
//! | `redact_input` | redacts secrets in inputs before anything is decided |
//! | [`scan`] | searching files, history and state for secrets |
//! | `tools` | what a worker needs of a home directory that it does not see |
//! | `clock` | the run's own clock |
//! | `worker_files` | files that a worker can reach while we use them |

pub mod activity;
pub mod bundling;
pub mod cleaning;
mod clock;
pub mod driver;
pub mod issues;
pub mod layout;
pub mod mailbox;
pub mod open;
pub mod order;
pub mod records;
mod redact_input;
pub mod report;
pub mod rules;
pub mod scan;
mod tools;
mod unique;
pub mod watch;
mod worker_files;
mod world;

pub use driver::{DriveError, Driver, Mail};
pub use layout::StateLayout;
pub use open::{OpenError, OpenRun, RepoContext};
pub use order::ControlCommand;
pub use rules::ExecutionConfig;
pub use watch::{RecordedEvent, Reporter};
