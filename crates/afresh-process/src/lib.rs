//! Runs programs under a supervisor, so that nothing that they start is left behind.
//!
//! Agents, checks and set-up commands all run this way. The driver starts a *supervisor* (its own
//! executable with the hidden argument [`HIDDEN_COMMAND`]). The supervisor starts the program, limits
//! its output, enforces its limits, and ends the whole process tree when the program has exited, when
//! the driver says so, or when the driver is gone. What the program is for and what its output means
//! is left to the caller. So is the sandbox, which is only a command line to start the program with.
//!
//! ```text
//! driver ── control pipe ──▶ supervisor ── socket ──▶ stage (enters the cgroup or namespace) ─exec─▶ program
//!        ◀── status, report ─           ◀── stdout, stderr ───────────────────────────────────────────┘
//! ```
//!
//! | module | what it holds |
//! | --- | --- |
//! | `driver` | the driver's side: job, handle, report |
//! | `supervisor` | the supervisor process and its child |
//! | `containment` | cgroup, PID namespace or process group: keeping a process tree together, and ending it |
//! | `limits` | memory, processes and disk of a whole process tree |
//! | `leftovers` | ending what earlier drivers left behind |
//! | `output` | redacted output files of limited size |

mod containment;
mod driver;
mod leftovers;
mod limits;
mod output;
mod supervisor;

pub use afresh_core::process::{LimitExceeded, LimitedResource, ProcessEnd, StopSignal};
pub use driver::handle::{JobStopper, OutputCounter, RunningJob, SilenceLimit, StartError};
pub use driver::job::{Containment, JobLimits, JobProblem, JobSpec};
pub use driver::lost::{become_subreaper, reap_strays};
pub use driver::report::{ContainmentLevel, JobReport, SpawnError, SpawnErrorKind};
pub use leftovers::sweep::{SweepReport, sweep_leftovers};
pub use limits::capabilities::{detect_enforcers, own_memory_limit};
pub use limits::cgroup_limits::CONTROLLERS;
pub use limits::delegate::delegate_controllers;
pub use limits::disk::DiskLimit;
pub use limits::tree_limits::{EnforcedLimits, LimitEnforcer, LimitMethod, TreeLimits};
pub use supervisor::main::{HIDDEN_COMMAND, supervise_main};
