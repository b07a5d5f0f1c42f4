//! What workers and checks cannot do: sandbox, network, limits, secrets.
//!
//! | module | what it tests |
//! | --- | --- |
//! | [`agent_network`] | the hosts that workers can reach |
//! | [`hostile_worker`] | one worker that tries everything |
//! | [`leaks`] | secrets in changes do not land |
//! | [`limits`] | memory, processes, disk |
//! | [`links`] | links that leave the repository |
//! | [`machines`] | machines without namespaces or Landlock |
//! | [`names`] | names that are `.git` elsewhere, changed modes, daemons of checks |
//! | [`sandbox`] | files that workers and checks can reach |
//! | [`scanning`] | `afresh scan` |
//! | [`secrets`] | keys appear in nothing that is stored or shown |

#[path = "../support/mod.rs"]
mod support;

mod agent_network;
mod hostile_worker;
mod leaks;
mod limits;
mod links;
mod machines;
mod names;
mod sandbox;
mod scanning;
mod secrets;
