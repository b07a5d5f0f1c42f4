//! Commands about plans, before a run.

pub(crate) mod bundle;
pub(crate) mod import;
pub(crate) mod lint;
pub(crate) mod show;
