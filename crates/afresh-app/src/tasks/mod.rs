//! Commands about one task of a run.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`attempt_diff`] | what an attempt changed, as one bounded patch for views |
//! | [`attempt_parts`] | output, prompt, errors and result of one attempt, for views |
//! | [`bundles`] | what its workers are given |
//! | [`by_hand`] | attempts that a person makes, or an agent that they drive |
//! | [`checkpoint`] | the batch of tasks that a script is at |
//! | `commented_part` | the part of an attempt's change that a comment is on |
//! | [`details`] | everything about one task |
//! | [`diff`] | what an attempt changed, or what landed |
//! | [`plan_edit`] | adding and changing it in the plan's file |
//! | `saved_work` | the commits that the attempts of a task left |
//! | [`tell`] | a person's comment for its workers |
//! | [`workspace_copy`] | a copy of its workspace |

pub mod attempt_diff;
pub mod attempt_parts;
pub mod bundles;
pub mod by_hand;
pub mod checkpoint;
mod commented_part;
pub mod details;
pub mod diff;
pub mod plan_edit;
mod saved_work;
pub mod tell;
pub mod workspace_copy;
