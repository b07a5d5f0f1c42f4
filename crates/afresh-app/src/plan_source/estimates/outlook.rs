//! What `afresh show` says about a plan beyond the plan itself: sizes, forecast, score.

use afresh_core::estimate::forecast::RunForecast;
use afresh_core::plan::Task;
use afresh_core::probe::CheckClass;
use afresh_core::status::score::{PlanScore, ScoreFacts};
use afresh_engine::RepoContext;
use afresh_engine::session::RecordedRun;

use super::ContextEstimates;
use super::forecast::read_samples;
use super::prompt_sizes::PromptSizes;
use crate::agents::assignment::TaskAssignments;
use crate::context::AppContext;
use crate::plan_source::PlanFile;

#[derive(Debug)]
pub struct PlanOutlook {
    /// The share of its context window that each task will fill, in per cent, in the plan's order.
    pub percents: Vec<u64>,
    pub sizes: Option<PromptSizes>,
    /// None where the configuration cannot be used.
    pub forecast: Option<RunForecast>,
    pub score: PlanScore,
}

impl PlanOutlook {
    /// `ungrounded` is the number of references that resolve to nothing, if they were resolved.
    pub fn new(
        file: &PlanFile,
        assignments: &TaskAssignments,
        ungrounded: Option<usize>,
        context: &AppContext,
    ) -> Self {
        // A plan may be outside of any repository, and then it has no history.
        let repository = context.repository_around(&file.root()).ok();
        let estimates = ContextEstimates::new(&file.plan, &file.root());
        let percent = |task: &Task| estimates.estimate(task, assignments.window(task)).percent();
        let percents: Vec<u64> = file.plan.tasks().iter().map(percent).collect();
        let samples = repository.as_ref().map(read_samples).unwrap_or_default();
        let worked = file.plan.tasks().iter().zip(&percents).filter(|(task, _)| task.has_worker());
        let measured = repository.and_then(|repository| last_probe(file, &repository));
        let class_of = |found: RecordedRun| {
            move |command: &str| -> Option<CheckClass> {
                found.run.probed(command).map(|probed| probed.class)
            }
        };
        let facts = ScoreFacts {
            class_of: measured.map(class_of),
            ungrounded,
            largest_context: worked.map(|(_, percent)| *percent).max().unwrap_or(0),
        };
        Self {
            sizes: assignments.prompt_sizes(file),
            forecast: assignments.forecast(file, &estimates, &samples),
            score: PlanScore::new(&file.plan, &facts),
            percents,
        }
    }
}

/// The newest run of the plan whose checks were run before the work.
fn last_probe(file: &PlanFile, repository: &RepoContext) -> Option<RecordedRun> {
    let source = file.path.to_string_lossy();
    let is_probed = |run: &afresh_core::Run| {
        run.settings().source == source && run.probed_checks().next().is_some()
    };
    repository.find_run(is_probed).ok().flatten()
}
