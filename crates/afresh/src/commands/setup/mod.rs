//! Commands that set afresh up.

pub(crate) mod agents;
pub(crate) mod config;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod init;
mod session_files;
pub(crate) mod write_config;
