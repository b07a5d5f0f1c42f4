//! Checks: on a clean checkout in a workspace that no worker can write to, with a time limit and their own process
//! tree.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `slots` | the workspaces for checks, and the right to use them |
//! | `command` | one command, and what it printed |
//! | `round` | the checks of an attempt or of the whole run, on one tree |
//! | `groups` | its groups of checks, side by side |
//! | `hooks` | the user's hooks around a round |
//! | `written_reports` | test reports that a check wrote to files |
//! | `mutation` | deliberate faults, and whether the tests notice them |
//! | `cache` | passes that need not be seen again |
//! | [`probe`] | checks before any work: what each is worth |
//! | [`standalone`] | checks before any work, without a run |
//! | `probe_cache` | what probes have shown, kept between runs |

mod cache;
mod command;
mod groups;
pub(crate) mod hooks;
mod mutation;
pub(crate) mod probe;
mod probe_cache;
mod round;
mod slots;
pub(crate) mod standalone;
mod written_reports;

pub(crate) use command::ends_of;
pub(crate) use round::carry_out;
pub(crate) use slots::CheckSlots;
