//! The planning run that was driven last, and the stages that are left: what is merged is not paid for twice.

use afresh_core::run::TaskStage;
use afresh_engine::session::RecordedRun;
use afresh_planner::stages::PlanningStage;

use super::progress::PlanningPhase;
use super::subject::PlanningSubject;
use crate::context::AppContext;
use crate::error::AppError;

/// Where planning starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanningStart {
    /// Where it stopped.
    Resume,
    /// From the beginning.
    Again,
    From(PlanningStage),
}

impl PlanningSubject {
    /// The planning run of this specification that was driven last.
    pub fn last_run(&self, context: &AppContext) -> Result<Option<RecordedRun>, AppError> {
        let source = self.home.stages().to_string_lossy().into_owned();
        match context.repository_around(self.files.root()) {
            Ok(repository) => Ok(repository.find_run(|run| run.settings().source == source)?),
            // Without a repository there is no run; that one is missing is said when one is needed.
            Err(_) => Ok(None),
        }
    }

    /// The stages that agents have to carry out. What the last run has merged is copied first.
    pub fn open_stages(
        &self,
        start: PlanningStart,
        last: Option<&RecordedRun>,
        context: &AppContext,
    ) -> Result<Vec<PlanningStage>, AppError> {
        let all = self.route.stages(self.config.acceptance);
        let from = |first: PlanningStage| {
            all.iter().copied().skip_while(move |stage| *stage != first).collect()
        };
        match start {
            PlanningStart::Again => return Ok(all),
            PlanningStart::From(first) if all.contains(&first) => return Ok(from(first)),
            PlanningStart::From(first) => return Err(no_such_stage(first, &all)),
            PlanningStart::Resume => {}
        }
        if let Some(last) = last {
            if is_underway(last) {
                return Ok(stages_of(last));
            }
            self.take_merged(last, context)?;
        }
        let progress = self.progress()?;
        Ok(match progress.phase {
            PlanningPhase::Ingestion => all,
            // A person has to edit something first.
            PlanningPhase::Stage(PlanningStage::Validation) if progress.is_blocked() => Vec::new(),
            PlanningPhase::Stage(stage) => from(stage),
            PlanningPhase::Sequencing | PlanningPhase::Ready => Vec::new(),
        })
    }

    /// Copies what a run merged before afresh was killed.
    fn take_merged(&self, last: &RecordedRun, context: &AppContext) -> Result<(), AppError> {
        let stages = stages_of(last);
        // What an update proposes is only applied after it was shown.
        if !is_finished(last) || stages.contains(&PlanningStage::Update) {
            return Ok(());
        }
        let git = context.repository_around(self.files.root())?.git;
        for stage in stages {
            if !self.home.holds(stage) {
                self.home.take_stage(stage, &git, last.run.tip())?;
            }
        }
        Ok(())
    }
}

fn no_such_stage(stage: PlanningStage, all: &[PlanningStage]) -> AppError {
    let words: Vec<&str> = all.iter().map(|stage| stage.word()).collect();
    let message = format!("this plan has no stage {:?}", stage.word());
    AppError::usage("stage", message).hint(format!("its stages are: {}", words.join(", ")))
}

/// Whether every stage of a planning run is merged.
pub fn is_finished(recorded: &RecordedRun) -> bool {
    recorded.run.tasks().all(|(_, state)| matches!(state.stage, TaskStage::Done { .. }))
}

/// Whether a planning run can be continued.
pub fn is_underway(recorded: &RecordedRun) -> bool {
    !is_finished(recorded) && !recorded.run.is_ended_for_good()
}

/// The stages that a planning run consists of.
pub fn stages_of(recorded: &RecordedRun) -> Vec<PlanningStage> {
    let tasks = recorded.run.plan().tasks().iter();
    let all = [PlanningStage::REPEATABLE, &[PlanningStage::Update]].concat();
    tasks.filter_map(|task| all.iter().copied().find(|it| it.word() == task.id.as_str())).collect()
}
