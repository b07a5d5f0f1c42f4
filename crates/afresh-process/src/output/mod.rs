//! A program's output: read from pipes, redacted, written to files of limited size.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `capture` | one output file |
//! | `pipes` | the pipes that a program writes to |

pub(crate) mod capture;
pub(crate) mod pipes;
