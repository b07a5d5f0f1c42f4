//! Resource limits of a whole process tree: memory, processes, disk.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `tree_limits` | the limits, and how they are enforced |
//! | `monitor` | checks now and then whether a limit is exceeded |
//! | `cgroup_limits` | limits that the kernel enforces |
//! | `poll` | limits that are enforced by polling `/proc` |
//! | `disk` | disk limits |
//! | `du` | the disk usage of directories |
//! | `delegate` | delegating cgroup controllers |
//! | `capabilities` | what this machine can enforce |

pub(crate) mod capabilities;
pub(crate) mod cgroup_limits;
pub(crate) mod delegate;
pub(crate) mod disk;
pub(crate) mod du;
pub(crate) mod monitor;
pub(crate) mod poll;
pub(crate) mod tree_limits;
