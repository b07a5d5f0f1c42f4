//! What was logged: the activity of a run, and what the attempts of a task printed.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`activity`] | the journal as log entries |
//! | [`decode`] | bytes of a worker as text that is safe to print |
//! | [`folded`] | the same as entries that can be folded |
//! | [`journal_marks`] | noticing that the journal may have changed |
//! | [`needs`] | what waits for a person, of every run |
//! | [`readers`] | which agent made an attempt, and so how its output is read |
//! | [`render`] | an agent's reports as readable text |
//! | [`replay_check`] | whether the records lead to the same state, schedule and trees again |
//! | [`run_replay`] | a recorded run again, record by record |
//! | [`transcript`] | the files of an attempt |
//! | [`watched_run`] | a run, its history and its workers, kept up to date for views |
//! | [`worker_actions`] | what running workers did last |

pub mod activity;
pub mod decode;
pub mod folded;
pub mod journal_marks;
pub mod needs;
pub mod readers;
pub mod render;
pub mod replay_check;
pub mod run_replay;
pub mod transcript;
pub mod watched_run;
pub mod worker_actions;

use std::time::Duration;

/// How often files and journal are read while they are followed.
pub const FOLLOW_INTERVAL: Duration = Duration::from_millis(150);
