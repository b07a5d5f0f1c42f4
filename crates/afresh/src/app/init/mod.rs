//! What `afresh init` finds and writes; what is asked is the command's.
//!
//! | module | idea |
//! | --- | --- |
//! | [`agents`] | the agent programs that we know how to start |
//! | [`files`] | the files of a repository that tell what it is built with |
//! | [`template`] | the configuration file, with its comments |
//! | [`writing`] | showing it, and writing it once everybody agrees |

pub(crate) mod agents;
pub(crate) mod files;
pub(crate) mod template;
pub(crate) mod writing;
