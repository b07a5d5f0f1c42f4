//! Whether every first-parent commit of a branch has a receipt.
//!
//! The caller reads commits and notes and verifies signatures. This module judges: [`LineVerifier`] gives one verdict
//! per commit, [`default_extent`] finds the part of a history that is a run's.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`commit`] | a commit with its trailers and its note |
//! | [`verdict`] | what is said about a commit |
//! | `judge` | the rules |
//! | `extent` | where a run begins |

pub mod commit;
mod extent;
mod judge;
pub mod verdict;

pub use commit::{
    CheckedLine, CommitRole, CommitTrailers, FoundNote, HistoryCommit, SignatureState,
};
pub use extent::{ExtentCommit, RunExtent, default_extent};
pub use judge::{LineVerifier, verify_line};
pub use verdict::{CommitProblem, CommitVerdict, SignaturePolicy, refute};
