//! Agents: programs, definitions, protocols, and agents that misbehave.
//!
//! | module | what it tests |
//! | --- | --- |
//! | [`acp`] | the Agent Client Protocol |
//! | [`agent_events`] | what agent programs report while they work |
//! | [`bad_agents`] | agents that do not start, crash or hang |
//! | [`bad_workers`] | workers that lie or leave their scope |
//! | [`definitions`] | agent definitions, and agents per task |
//! | [`programs`] | `afresh agents` |
//! | [`real_agents`] | real agent programs with a scripted model |
//! | [`scripted`] | the scripted agent |
//! | [`started_programs`] | links, wrappers and interpreters in every sandbox |

#[path = "../support/mod.rs"]
mod support;

mod acp;
mod agent_events;
mod bad_agents;
mod bad_workers;
mod definitions;
mod programs;
mod real_agents;
mod scripted;
mod started_programs;
