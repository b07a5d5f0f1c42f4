//! What a program may touch, and how it is held to that.
//!
//! A [`Room`] says it once for all ways of holding: what may be written, what is not even seen, what
//! of that may be read nevertheless, whether there is a network, how much of the machine may be
//! used. A [`Level`] is one way: bubblewrap where it works, Landlock and seccomp where it does not.
//! [`Enclosed`] is the command line that starts the program inside; running it, watching it and
//! ending it is for others.
//!
//! ```text
//! bwrap … ─▶ afresh confine (hands out, limits) ─exec─▶ program
//! afresh confine (limits, Landlock, seccomp) ─exec─▶ program
//! ```
//!
//! | module | idea |
//! | --- | --- |
//! | `room` | what a program may touch |
//! | `level` | what this machine offers, and why not more |
//! | `bubblewrap` | a room as arguments of `bwrap` |
//! | `landlock`, `seccomp` | a room as rules for the kernel |
//! | `limits` | how much of the machine may be used |
//! | `outside` | what a room with a network of its own hands out: its listeners, its counters |
//! | `confine` | the hidden command: the last step before the program |

mod bubblewrap;
mod exec_stage;
mod handoff;
mod landlock;
mod level;
mod rlimits;
mod seccomp;
mod spec;

pub use crate::exec_stage::{CONFINE, confine_main};
pub use crate::handoff::{ConnectionCounters, HandedOver, HandoffListener};
pub use crate::rlimits::ProcessRlimits;
pub use crate::spec::{ProxyPorts, SandboxNetwork, SandboxSpec, WrappedCommand};
pub use level::{DetectedSandbox, SandboxLevel, detect_sandbox};
