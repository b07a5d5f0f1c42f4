//! Runs programs so that nothing of them is left behind.
//!
//! One runner for agents, checks and set-up commands. The driver starts a *supervisor* (its own
//! executable with the hidden argument [`HIDDEN_COMMAND`]), which starts the program, keeps its
//! output within bounds, enforces the limits, and ends the whole tree when the program ended, when
//! it is told to, or when the driver is gone. What the program is for, and what its output means,
//! is left to others; so is the sandbox, which is only a command line to start through to this crate.
//!
//! ```text
//! driver ── control pipe ──▶ supervisor ── socket ──▶ stage (enters the cgroup or namespace) ─exec─▶ program
//!        ◀── news, report ──            ◀── stdout, stderr ───────────────────────────────────────────┘
//! ```
//!
//! | module | idea |
//! | --- | --- |
//! | `job`, `report` | what to run; how it went |
//! | `running`, `lost` | the driver's side: start, stop, wait; and a supervisor that died |
//! | `sweep`, `registry`, `rollcall`, `traces` | ending what earlier drivers left |
//! | `supervise`, `supervisor`, `watch` | the hidden command: dispatch, ladder of rungs, the loop over one program |
//! | `stage`, `enter`, `namespace`, `program` | from the supervisor to the program |
//! | `held`, `cgroup`, `hierarchy`, `tree`, `table`, `family` | finding, ending and reaping processes |
//! | `bounds`, `guard`, `fence`, `meter`, `disk`, `walk`, `offer`, `hand_down` | how much a whole tree may use: kept by the kernel, or counted |
//! | `capture`, `streams` | bounded output, redacted by `afresh-secrets` |
//! | `wire`, `signals` | small parts that several of these need |

mod bounds;
mod capture;
mod cgroup;
mod disk;
mod enter;
mod family;
mod fence;
mod guard;
mod hand_down;
mod held;
mod hierarchy;
mod job;
mod lost;
mod meter;
mod namespace;
mod offer;
mod program;
mod registry;
mod report;
mod rollcall;
mod running;
mod signals;
mod stage;
mod streams;
mod supervise;
mod supervisor;
mod sweep;
mod table;
mod traces;
mod tree;
mod walk;
mod watch;
mod wire;

pub use afresh_core::process::{LimitExceeded, LimitedResource, ProcessEnd, StopSignal};
pub use bounds::{Bounds, Keeper, Keeping, Kept};
pub use disk::Disk;
pub use fence::CONTROLLERS;
pub use hand_down::hand_down;
pub use job::{Containment, Job, JobProblem, Limits};
pub use lost::{become_subreaper, reap_strays};
pub use offer::{keepers, own_memory_limit};
pub use report::{Report, Rung, SpawnError, SpawnErrorKind};
pub use running::{Activity, Running, StartError, Stopper};
pub use supervise::{HIDDEN_COMMAND, supervise_main};
pub use sweep::{SweepReport, sweep};
