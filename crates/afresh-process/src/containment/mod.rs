//! Keeping a process tree together, and ending all of it.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `contained` | the process tree of one job, and how it is ended |
//! | `cgroup` | cgroups made by afresh |
//! | `cgroup_mounts` | where the own cgroup is mounted |
//! | `kill` | ending a set of processes that may still grow |
//! | `proc_table` | the process table in `/proc` |

pub(crate) mod cgroup;
pub(crate) mod cgroup_mounts;
pub(crate) mod contained;
pub(crate) mod kill;
pub(crate) mod proc_table;
