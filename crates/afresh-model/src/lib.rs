//! A model server that follows a script.
//!
//! Real agent programs do whole tasks against it, without a key and without a network. It speaks
//! Anthropic Messages, `OpenAI` Responses, Chat Completions and Gemini, streaming and plain.
//!
//! The name of the script is part of the base URL, so that one server serves many programs at once.
//! Which step comes next follows from the number of turns that are in the request: conversations that
//! were killed, taken up again or run side by side stay deterministic.
//!
//! | module | idea |
//! | --- | --- |
//! | [`script`] | what the model says and does, step by step, and how it fails |
//! | [`conversation`] | a request in no program's words: turns, tools, the last thing said |
//! | `tools` | shell and reports, by whatever names a program offers them |
//! | `anthropic`, `responses`, `chat`, `gemini` | one protocol each: request in, reply out |
//! | [`client`] | how each program is told to ask this server |
//! | `http` | as much of HTTP as these programs need |
//! | [`server`] | one thread per connection |

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
