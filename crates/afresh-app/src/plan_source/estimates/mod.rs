//! What a plan is expected to take, and how good it is, before it runs.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`file_sizes`] | sizes of the files that a plan lists |
//! | [`forecast`] | tokens, cost and time, from earlier runs |
//! | [`grounding`] | references of a plan that resolve to nothing |
//! | [`outlook`] | everything that `afresh show` says beyond the plan itself |
//! | [`prompt_sizes`] | the minimum size of each prompt |

pub mod file_sizes;
pub mod forecast;
pub mod grounding;
pub mod outlook;
pub mod prompt_sizes;

use std::path::Path;

use afresh_core::estimate::{ContextEstimate, DEFAULT_WINDOW};
use afresh_core::plan::{Plan, Task};

use file_sizes::FileSizes;

/// How much of the context window each task will fill, estimated from the current files.
#[derive(Debug)]
pub struct ContextEstimates(FileSizes);

impl ContextEstimates {
    pub fn new(plan: &Plan, root: &Path) -> Self {
        Self(FileSizes::measure(root, plan.tasks().iter().flat_map(Task::patterns)))
    }

    /// Of a window of this size, in tokens.
    pub fn estimate(&self, task: &Task, window: u64) -> ContextEstimate {
        ContextEstimate::for_task(task, window, |pattern| self.0.bytes_of(pattern))
    }

    /// Of the default window.
    pub fn percent(&self, task: &Task) -> u64 {
        self.estimate(task, DEFAULT_WINDOW).percent()
    }
}
