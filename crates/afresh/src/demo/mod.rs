//! The demo: a scratch repository, a plan, scripted workers, and a run like any other.
//!
//! Only the workers are scripted, or, with a real agent program, its model. Clones, checks, merges and
//! the journal are those of every run.

mod ending;
#[cfg(feature = "scripted-model")]
mod model;
#[cfg(not(feature = "scripted-model"))]
#[path = "no_model.rs"]
mod model;
mod roles;
mod scratch;

pub(crate) use ending::{print_outcome, try_next};
pub(crate) use model::ScriptedModel;
pub(crate) use roles::DemoScript;
pub(crate) use scratch::ScratchRepo;
