//! The hidden command: a process that starts one program, watches it, and ends its process tree.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `main` | which part this process plays |
//! | `run` | one job from start to report |
//! | `event_loop` | output, limits, control messages and exits of one program |
//! | `stage` | starting the child process that becomes the program |
//! | `child` | that child: entering its cgroup, then exec |
//! | `namespace` | the same in a PID namespace |
//! | `exec` | finding the executable, or the reason why it cannot run |
//! | `reaper` | reaping children |
//! | `protocol` | messages between driver, supervisor and child |
//! | `signals` | signals and inherited descriptors |

pub(crate) mod child;
pub(crate) mod event_loop;
pub(crate) mod exec;
pub(crate) mod main;
pub(crate) mod namespace;
pub(crate) mod protocol;
pub(crate) mod reaper;
pub(crate) mod run;
pub(crate) mod signals;
pub(crate) mod stage;
