//! A model server that follows a script.
//!
//! Real agent programs do whole tasks with it, without a key and without a network. It speaks
//! Anthropic Messages, `OpenAI` Responses, Chat Completions and Gemini, streaming and plain.
//!
//! The name of the script is part of the base URL, so that one server serves many programs at once.
//! The next step follows from the number of turns in the request, so that conversations that are
//! killed, resumed or run in parallel stay deterministic.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`script`] | what the model says and does, step by step, and how it fails |
//! | [`conversation`] | requests and replies, independent of any protocol |
//! | `tools` | shell and reporting tools, under each program's names |
//! | `anthropic`, `responses`, `chat`, `gemini` | one protocol each: request in, reply out |
//! | [`client`] | how each program is configured to use this server |
//! | `http` | the parts of HTTP that these programs need |
//! | [`server`] | one thread per connection, one script per name |

mod anthropic;
mod chat;
pub mod client;
pub mod conversation;
mod gemini;
mod http;
mod responses;
pub mod script;
pub mod server;
mod tools;

pub use client::ModelClient;
pub use script::{ModelFault, ModelScript, ModelStep, ScriptedCall, TokenCounts};
pub use server::{ModelServer, ReceivedRequest};
