//! From nothing to a repository that is ready for a run.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`doctor`] | checks of everything that a run needs |
//! | [`init`] | what a new configuration file contains; entries in the files of agent programs |

pub mod doctor;
pub mod init;
