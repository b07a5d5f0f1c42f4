//! Ending what earlier, killed drivers and supervisors left behind.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `sweep` | ending all leftovers of a registry |
//! | `registry` | a file for each running job |
//! | `member_log` | the processes of a job, recorded while it runs |
//! | `find` | finding the processes of a dead supervisor |

pub(crate) mod find;
pub(crate) mod member_log;
pub(crate) mod registry;
pub(crate) mod sweep;
