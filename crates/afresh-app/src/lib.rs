//! What commands, a terminal view, a browser page, a planner and a fleet share.
//!
//! Nothing in here prints, parses arguments or reads the process environment: functions take an
//! [`context::AppContext`], return [`notice::Notice`]s for the user, and fail with an
//! [`error::AppError`] that has a cause and a hint.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`agents`] | agent programs: where they are installed, whether they work, which task gets which |
//! | [`config`] | the configuration file, where each value comes from, and what follows for sandbox, network and budget |
//! | [`context`] | where a command works: directory, configuration file, and every environment variable that is read |
//! | [`error`] | errors with a class, a cause and a hint |
//! | [`handover`] | a run as a pull request: remote, branch, `gh` and `glab` |
//! | [`logs`] | activity and transcripts of a run |
//! | [`notice`] | messages for the user, returned and not printed |
//! | [`plan_source`] | finding and reading a plan; sizes, estimates, fixes |
//! | [`planning`] | from a specification to a plan |
//! | [`session`] | preparing and opening a run; commands to a run that another process drives |
//! | [`setup`] | a new configuration, and checks of everything that a run needs |
//! | [`tasks`] | one task: its state, its changes, what its worker is given |
//! | [`text`] | byte sizes, times and bounded files as text |
//!
//! The crates below are re-exported, because their types are part of this interface: users of this
//! crate need only core, agents and engine besides it.

pub mod agents;
pub mod config;
pub mod context;
pub mod error;
pub mod handover;
pub mod logs;
pub mod notice;
pub mod plan_source;
pub mod planning;
pub mod session;
pub mod setup;
pub mod tasks;
pub mod text;

pub use afresh_dashboard as dashboard;
pub use afresh_formats as formats;
pub use afresh_git as git;
pub use afresh_import as import;
pub use afresh_notes as notes;
pub use afresh_planner as planner;
pub use afresh_process as process;
pub use afresh_proof as proof;
pub use afresh_proxy as proxy;
pub use afresh_sandbox as sandbox;
pub use afresh_secrets as secrets;
pub use afresh_store as store;
