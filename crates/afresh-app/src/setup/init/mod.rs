//! What `afresh init` detects and proposes, and what `afresh new` writes.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`agents`] | the agent programs that afresh knows how to start |
//! | [`files`] | the files of a repository that show how it is built |
//! | [`sessions`] | what people's agent sessions need, put there and taken away |
//! | [`starter`] | a plan or a specification to start from |
//! | [`template`] | the configuration file, with its comments |
//! | [`trial`] | running the proposed commands once |

pub mod agents;
pub mod files;
pub mod sessions;
pub mod starter;
pub mod template;
pub mod trial;
