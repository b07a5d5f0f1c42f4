//! What `afresh init` detects, and the configuration that it proposes.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`agents`] | the agent programs that afresh knows how to start |
//! | [`files`] | the files of a repository that show how it is built |
//! | [`template`] | the configuration file, with its comments |
//! | [`trial`] | running the proposed commands once |

pub mod agents;
pub mod files;
pub mod template;
pub mod trial;
