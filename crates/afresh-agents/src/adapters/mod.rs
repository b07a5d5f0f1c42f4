//! One adapter per agent program: its command line, its output, its errors.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`program`] | the agent programs that afresh knows, and what they have in common |
//! | `claude`, `codex`, `gemini`, `opencode` | one of those each |
//! | [`acp`] | any program that speaks the Agent Client Protocol |
//! | [`command`] | any other program |
//! | [`scripted`] | the built-in agent that follows a script |
//! | [`network`] | the hosts that each program needs |
//! | [`versions`] | the versions that afresh is tested with |

pub mod acp;
pub(crate) mod claude;
pub(crate) mod codex;
pub mod command;
pub(crate) mod gemini;
pub mod network;
pub(crate) mod opencode;
pub mod program;
pub mod scripted;
pub mod versions;
