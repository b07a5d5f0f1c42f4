//! Help, version, and commands for other tools: schemas, shells, manual pages.

pub(crate) mod completions;
pub(crate) mod help;
pub(crate) mod man;
pub(crate) mod schema;
pub(crate) mod version;
