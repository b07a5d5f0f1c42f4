//! The driver's side: what to run, starting and stopping it, how it went.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `job` | one program to run, with its limits |
//! | `handle` | starting a supervisor; stopping it; waiting for the report |
//! | `report` | how a job went |
//! | `lost` | ending the process tree of a supervisor that died |

pub(crate) mod handle;
pub(crate) mod job;
pub(crate) mod lost;
pub(crate) mod report;
