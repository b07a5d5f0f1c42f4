//! The sandbox: what a program may access, and how that is enforced.
//!
//! A [`SandboxSpec`] says it for all levels: what may be written, what is hidden, what of that may
//! be read nevertheless, whether there is a network, and the limits of each process. A
//! [`SandboxLevel`] is one way to enforce it: bubblewrap if it works, else Landlock and seccomp.
//! [`WrappedCommand`] is the command line that starts the program inside; running and ending it is
//! left to the caller.
//!
//! ```text
//! bwrap … ─▶ afresh confine (handoff, limits) ─exec─▶ program
//! afresh confine (limits, Landlock, seccomp) ─exec─▶ program
//! ```
//!
//! | module | what it holds |
//! | --- | --- |
//! | `spec` | what a program may access |
//! | `links` | links on the way to a path |
//! | `level` | what this machine offers, and why nothing stronger |
//! | `bubblewrap` | a spec as arguments of `bwrap` |
//! | `landlock`, `seccomp` | a spec as rules for the kernel |
//! | `rlimits` | resource limits of each process |
//! | `handoff` | listeners and counters that a sandbox with its own network hands over |
//! | `exec_stage` | the hidden command: the last stage before the program |

mod bubblewrap;
mod exec_stage;
mod handoff;
mod landlock;
mod level;
mod links;
mod rlimits;
mod seccomp;
mod spec;

pub use crate::exec_stage::{CONFINE, confine_main, start_failure};
pub use crate::handoff::{ConnectionCounters, HandedOver, HandoffListener};
pub use crate::rlimits::ProcessRlimits;
pub use crate::spec::{ProxyPorts, SandboxNetwork, SandboxSpec, WrappedCommand};
pub use level::{DetectedSandbox, SandboxLevel, detect_sandbox};
