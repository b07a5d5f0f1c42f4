//! What `afresh init` finds and writes; asking and writing are the command's.
//!
//! | module | idea |
//! | --- | --- |
//! | [`agents`] | the agent programs that we know how to start |
//! | [`files`] | the files of a repository that tell what it is built with |
//! | [`template`] | the configuration file, with its comments |

pub(crate) mod agents;
pub(crate) mod files;
pub(crate) mod template;
