//! Jobs with real processes: how they start and end, what they may use, what they leave behind.
//!
//! | module | what it tests |
//! | --- | --- |
//! | [`job_ends`] | how a program starts and ends, and what it inherits |
//! | [`leftovers`] | nothing outlives a program |
//! | [`limits`] | limits of a whole process tree |
//! | [`output`] | output is stored, limited, and never a reason to block |
#![cfg(target_os = "linux")]

mod common;
mod job_ends;
mod leftovers;
mod limits;
mod output;
