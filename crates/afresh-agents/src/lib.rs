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
//! | [`event`] | what agents report while they work |
//! | [`usage`] | numbers that agents report, without the nonsense |
//! | [`command`] | any program at all |
//! | [`scripted`] | the built-in one that follows a script |

pub mod agent;
pub mod bundle;
pub mod command;
pub mod event;
pub mod prompt;
pub mod scripted;
pub mod usage;

pub use agent::{Agent, Kind, Launch, LaunchError, PromptBy};
pub use bundle::Bundle;
pub use event::{AgentEvent, StreamReader};
