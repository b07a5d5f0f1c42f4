//! The demo: a scratch repository, a plan, workers that follow a script, and a run like any other.
//!
//! Only the workers are played. Clones, checks, merges and the journal are those of every run.

mod ending;
mod roles;
mod scratch;

pub(crate) use ending::{tell, try_next};
pub(crate) use roles::Direction;
pub(crate) use scratch::Scratch;
