//! Agent programs: where they are, whether they work, and which task gets which.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`agent_backoff`] | agents that wait because their model is overloaded or unpaid |
//! | [`agent_files`] | files of the repository that an agent's command needs |
//! | [`assignment`] | which agent and model a task gets |
//! | [`definitions`] | agents that the repository defines for other tools |
//! | [`probe`] | starting a program once to see what it says |
//! | [`programs`] | finding and installing agent programs, their versions and logins |
//! | [`which`] | finding a program on the PATH |

pub mod agent_backoff;
pub mod agent_files;
pub mod assignment;
pub mod definitions;
pub mod probe;
pub mod programs;
pub mod which;
