//! Commands that run a plan and control a run.

pub(crate) mod abort;
pub(crate) mod attach;
pub(crate) mod decide;
pub(crate) mod detach;
pub(crate) mod drive;
pub(crate) mod fork;
pub(crate) mod halt;
pub(crate) mod questions;
pub(crate) mod resume;
pub(crate) mod rewind;
pub(crate) mod run;
pub(crate) mod run_args;
