//! Coding agents: how each is started, what it is given, and how its output is read.
//!
//! Everything here is pure. Starting processes, storing transcripts and checking the work is left to
//! the engine.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`agent`] | an agent as the configuration names it: kind, models, capabilities, definition files |
//! | [`adapters`] | one module per agent program: command line, output, errors; any command; ACP; scripts |
//! | [`bundle`] | everything that one worker is given, as data |
//! | [`prompt`] | the same as text, by a template, and its size |
//! | [`stream`] | what agents report while they work: lines, events, usage, errors |
//! | [`prices`] | what models cost, and the size of their context |
//! | [`json_rpc`] | messages of JSON-RPC |
//! | [`worker_tools`] | the tools that a worker's model is offered |

pub mod adapters;
pub mod agent;
pub mod bundle;
pub mod json_rpc;
pub mod prices;
pub mod prompt;
pub mod stream;
pub mod worker_tools;

pub use adapters::acp::AcpAgent;
pub use adapters::network::NetworkNeeds;
pub use adapters::program::{AgentProgram, ModelNames, ProgramAgent};
pub use agent::definition::{AgentDefinition, WorkerRole};
pub use agent::{Agent, AgentKind, LaunchCommand, LaunchError, LaunchRequest, PromptDelivery};
pub use bundle::Bundle;
pub use bundle::briefing::Briefing;
pub use prices::PriceTable;
pub use prompt::template::{PromptRole, PromptTemplate, PromptTemplates};
pub use stream::event::{AgentEvent, ProgramEnd, StreamReader};
