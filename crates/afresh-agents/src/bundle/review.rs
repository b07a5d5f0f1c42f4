//! What a reviewer gets in addition to the task: the change, and what is known about it (EX-08).

use afresh_core::ids::CommitId;
use afresh_core::review::{ReviewId, ReviewReceipt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much of a change is put into the prompt; the rest is in the reviewer's directory.
pub const MAX_PATCH_BYTES: usize = 64 * 1024;

/// The work to be reviewed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReviewAssignment {
    pub review: ReviewId,
    /// Where the worker started.
    pub base: CommitId,
    /// What it left; the reviewer's directory holds exactly this.
    pub work: CommitId,
    /// The start of the difference, as git prints it.
    pub patch: String,
    /// The patch is longer than what is here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// One line for each changed file.
    pub files: Vec<String>,
    /// What the worker reported about its work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// The commands that passed on this tree.
    pub passed: Vec<String>,
    /// What was wanted of the attempt before this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<ReviewReceipt>,
}
