//! Commands for other tools: schemas, shells, manual pages.

pub(crate) mod completions;
pub(crate) mod man;
pub(crate) mod schema;
