//! What runs inside an attempt.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`acp`] | the client for agents that speak the Agent Client Protocol |
//! | [`json_lines`] | JSON messages of one line each |
//! | [`mcp`] | the reporting tools as a Model Context Protocol server |
//! | [`scripted`] | the scripted agent |
//! | [`worker`] | what a worker reports by command |

pub(crate) mod acp;
pub(crate) mod json_lines;
pub(crate) mod mcp;
pub(crate) mod scripted;
pub(crate) mod worker;
