//! Everything behind the commands that does not depend on a terminal.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`agents`] | agent programs: where they are installed, what they report, which task gets which |
//! | [`bundles`] | what workers are given |
//! | [`config`] | the configuration file, and where each value comes from |
//! | [`context`] | where a command works: directory, configuration file, environment |
//! | [`doctor`] | checks of everything that a run needs |
//! | [`environment`] | every environment variable that afresh reads |
//! | [`error`] | errors with a cause and a hint |
//! | [`init`] | what a new configuration file contains |
//! | [`logs`] | activity and transcripts of a run |
//! | [`notice`] | messages for the user, returned and not printed |
//! | [`plan_source`] | finding and reading a plan; sizes, estimates, fixes |
//! | [`policy`] | sandbox, network, limits, budget |
//! | [`session`] | preparing and driving a run, and controlling one that another process drives |
//! | [`text`] | byte sizes, times and bounded files as text |

pub(crate) mod agents;
pub(crate) mod bundles;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod doctor;
pub(crate) mod environment;
pub(crate) mod error;
pub(crate) mod init;
pub(crate) mod logs;
pub(crate) mod notice;
pub(crate) mod plan_source;
pub(crate) mod policy;
pub(crate) mod session;
pub(crate) mod text;
