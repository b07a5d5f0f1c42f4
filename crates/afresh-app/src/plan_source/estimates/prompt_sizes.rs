//! The minimum size of each task's prompt, compared to the context window (PR-06).

use afresh_agents::prompt::size;
use afresh_core::plan::TaskIndex;
use afresh_core::run::settings::Settings;
use afresh_core::usage::ContextFill;
use afresh_engine::bundle::rendered;
use afresh_engine::execution_config::WorkerConfig;

use crate::plan_source::PlanFile;
use crate::plan_source::unstarted_run;

#[derive(Debug)]
pub struct PromptSizes {
    fills: Vec<ContextFill>,
    limit: u8,
}

impl PromptSizes {
    /// For a run that starts now.
    pub fn measure(file: &PlanFile, settings: &Settings, workers: &WorkerConfig) -> Self {
        let run = unstarted_run::without_commit(&file.plan, settings);
        let fills = file.plan.indices().map(|at| rendered::least(&run, at, workers)).collect();
        Self { fills, limit: settings.context.hard }
    }

    pub fn fill(&self, at: TaskIndex) -> ContextFill {
        self.fills[at.position()]
    }

    /// Why no worker could start, if none could.
    pub fn refused(&self, at: TaskIndex) -> Option<String> {
        size::check_fits(self.fills[at.position()], self.limit).err().map(|error| error.to_string())
    }
}
