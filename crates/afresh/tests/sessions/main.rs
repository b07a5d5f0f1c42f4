//! Agent sessions of people: `afresh mcp` as a client of the protocol and as real programs see it, and what
//! `afresh init --claude` and its siblings write.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `mcp_client` | a small client of the protocol |
//! | `installing` | what `afresh init` writes for agent programs, and takes away |
//! | `protocol` | versions, schemas, cancellation, several requests, clients that close |
//! | `driving` | a whole run, driven through tools alone |
//! | `refusals` | what no tool does |

#[path = "../support/mod.rs"]
mod support;

mod driving;
mod installing;
mod mcp_client;
mod protocol;
mod refusals;
