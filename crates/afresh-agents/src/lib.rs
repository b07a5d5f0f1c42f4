//! One directory per agent program: how it is started, what it is told, how its answer is read.
//!
//! Everything here is pure. Starting processes, keeping transcripts and judging the work is for
//! others.
//!
//! | module | idea |
//! | --- | --- |
//! | [`agent`] | an agent as the configuration names it |
//! | [`bundle`] | everything one worker gets, as data |
//! | [`prompt`] | the same as text |
//! | [`command`] | any program at all |

pub mod agent;
pub mod bundle;
pub mod command;
pub mod prompt;

pub use agent::{Agent, Kind, Launch, LaunchError, PromptBy};
pub use bundle::Bundle;
