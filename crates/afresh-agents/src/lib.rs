//! One directory per agent program: how it is started, what it is told, how its answer is read.
//!
//! Everything here is pure. Starting processes, keeping transcripts and judging the work is for
//! others.
//!
//! | module | idea |
//! | --- | --- |
//! | [`agent`] | an agent as the configuration names it |
//! | [`definition`] | in which role a worker works, by a file that a task names |
//! | [`briefing`] | what all workers of a run are told alike |
//! | [`spec_part`] | what of a specification belongs to a task |
//! | [`bundle`] | everything one worker gets, as data |
//! | [`template`], [`prompt`] | the same as text |
//! | [`size`] | how large that is |
//! | [`event`] | what agents report while they work |
//! | [`lines`] | output in pieces, as lines |
//! | [`usage`] | numbers that agents report, without the nonsense |
//! | [`prices`] | what models cost, and how much they can hold |
//! | [`command`] | any program at all |
//! | [`scripted`] | the built-in one that follows a script |
//! | [`program`] | the coding agents whose ways we know |
//! | `claude`, `codex`, `gemini`, `opencode` | one of those each: command line, output, errors |
//! | [`reach`] | whom those need on the network |
//! | [`pins`] | the versions that afresh is tested with |
//! | [`abilities`] | what can be done with an agent |
//! | [`acp`] | any program that speaks the Agent Client Protocol |
//! | [`rpc`] | messages of JSON-RPC |
//! | `errors` | what their error messages have in common |
//! | `fields` | fields of a line of JSON |

pub mod abilities;
pub mod acp;
pub mod agent;
pub mod briefing;
pub mod bundle;
mod claude;
mod codex;
pub mod command;
pub mod definition;
mod errors;
pub mod event;
mod fields;
mod gemini;
pub mod lines;
mod opencode;
pub mod pins;
pub mod prices;
pub mod program;
pub mod prompt;
pub mod reach;
pub mod rpc;
pub mod scripted;
pub mod size;
pub mod spec_part;
pub mod template;
pub mod usage;

pub use acp::AcpAgent;
pub use agent::{Agent, Kind, Launch, LaunchError, Order, PromptBy, StopBy};
pub use briefing::Briefing;
pub use bundle::Bundle;
pub use definition::{Definition, Role};
pub use event::{AgentEvent, ProgramEnd, StreamReader};
pub use prices::Prices;
pub use program::{Models, Program, ProgramAgent};
pub use reach::Reach;
pub use template::Template;
