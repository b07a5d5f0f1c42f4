//! A finished step: a commit of what its worker has so far, and the answer to the worker.

use afresh_core::commit::{compose_step_body, compose_subject};
use afresh_core::harvest::Harvest;
use afresh_core::ids::{AttemptId, WorkspaceSlot};
use afresh_core::plan::AcceptanceFile;
use afresh_core::step::{StartPoint, StepAnswer};
use afresh_core::{Input, Run};
use afresh_git::ref_names::{salvage_ref, step_ref};
use afresh_git::{CommitSignature, HarvestLimits, SnapshotRequest, WorkspaceId};
use afresh_secrets::redact;

use crate::driver::clock::wall_seconds;
use crate::executor::ExecutorContext;
use crate::executor::causes::describe;
use crate::executor::harvest::measured;
use crate::executor::sandbox::git_sandbox::GitSandbox;
use crate::mailbox::Mailbox;

pub(crate) struct StepJob {
    attempt: AttemptId,
    slot: WorkspaceSlot,
    ground: StartPoint,
    step: u32,
    files: Vec<String>,
    acceptance: Vec<AcceptanceFile>,
    message: String,
}

impl StepJob {
    pub(crate) fn new(
        run: &Run,
        attempt: AttemptId,
        slot: WorkspaceSlot,
        ground: StartPoint,
        step: u32,
    ) -> Self {
        let at = run.plan().index_of(&attempt.task).expect("effects name tasks of this plan");
        let task = run.plan().task(at);
        let files = task.patterns().map(ToString::to_string).collect();
        let subject = compose_subject(&task.steps[step as usize - 1].name, task.commit.as_ref());
        let message = format!("{subject}\n\n{}", compose_step_body(&attempt, &task.title));
        let acceptance = task.acceptance.clone();
        Self { attempt, slot, ground, step, files, acceptance, message }
    }

    pub(crate) fn carry_out(&self, shared: &ExecutorContext) -> Input {
        let place = WorkspaceId::Work(self.slot);
        let saved = shared.git_sandbox(place).and_then(|room| {
            self.save(shared, place, room.as_ref().map_or(&[], GitSandbox::before))
        });
        Input::StepSaved { attempt: self.attempt.clone(), step: self.step, saved }
    }

    fn save(
        &self,
        shared: &ExecutorContext,
        place: WorkspaceId,
        through: &[String],
    ) -> Result<Harvest, String> {
        let (run, attempt) = (shared.run.as_str(), self.attempt.to_string());
        let signature = CommitSignature {
            identity: shared.pool.identity().clone(),
            at_seconds: wall_seconds(),
        };
        let request = SnapshotRequest {
            base: &self.ground.base,
            prepared: &self.ground.prepared,
            onto: &self.ground.onto,
            files: &self.files,
            acceptance: &self.acceptance,
            keep: &shared.config.keep,
            message: &redact(&self.message, &shared.config.workers.secrets()),
            signature: &signature,
            owner: &salvage_ref(run, &attempt),
            keep_as: &step_ref(run, &attempt, self.step as usize),
            limits: HarvestLimits::default(),
            through,
        };
        let saved = shared.pool.snapshot(place, &request);
        saved.map(|it| measured(shared, it)).map_err(|error| describe(&error))
    }
}

/// Answers the worker that waits; one that has ended needs no answer.
pub(crate) fn answer(
    shared: &ExecutorContext,
    attempt: &AttemptId,
    step: u32,
    answer: &StepAnswer,
) {
    let mailbox = Mailbox::for_attempt(shared.layout.worker(&shared.run, attempt));
    let _ = mailbox.answer_step(step, answer);
}
