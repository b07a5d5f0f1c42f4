//! How much of the context window each task will fill, estimated from the current files.

use std::path::Path;

use afresh_core::estimate::{ContextEstimate, DEFAULT_WINDOW};
use afresh_core::plan::{Plan, Task};

use crate::plan_source::file_sizes::FileSizes;

#[derive(Debug)]
pub struct ContextEstimates(FileSizes);

impl ContextEstimates {
    pub fn new(plan: &Plan, root: &Path) -> Self {
        Self(FileSizes::measure(root, plan.tasks().iter().flat_map(Task::patterns)))
    }

    pub fn percent(&self, task: &Task) -> u64 {
        ContextEstimate::for_task(task, DEFAULT_WINDOW, |pattern| self.0.bytes_of(pattern))
            .percent()
    }
}
