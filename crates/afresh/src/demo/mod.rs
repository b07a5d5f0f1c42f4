//! The demo: a scratch repository, a plan, scripted workers, and a run like any other.
//!
//! Only the workers are scripted, or, with a real agent program, its model. Clones, checks, merges and
//! the journal are those of every run.

mod ending;
mod model;
mod roles;
mod scratch;

pub(crate) use ending::{tell, try_next};
pub(crate) use model::Played;
pub(crate) use roles::Direction;
pub(crate) use scratch::Scratch;
