//! Carries out effects on this machine, each in its own thread, which answers with an input.

pub(crate) mod attempt;
pub(crate) mod cancel;
pub(crate) mod causes;
pub(crate) mod checks;
mod full_disk;
pub(crate) mod harvest;
pub(crate) mod hooks;
pub(crate) mod landing;
pub(crate) mod review;
pub(crate) mod sandbox;
pub(crate) mod setup;
pub(crate) mod steps;
use std::sync::mpsc::Sender;
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};

use afresh_core::hook::{HookFailure, HookPoint};
use afresh_core::ids::RunId;
use afresh_core::question::Question;
use afresh_core::{Effect, Input, Run};
use afresh_git::{LockWaiting, WorkspacePool};
use afresh_notes::write::LineMaker;
use afresh_process::SilenceLimit;
use afresh_proxy::ConnectionLimit;

use crate::bundle::related_tests::TestFinder;
use crate::execution_config::ExecutionConfig;
use crate::executor::sandbox::home_tools::HomeTools;
use crate::layout::StateLayout;
use attempt::{AttemptJob, AttemptRequest};
pub(crate) use cancel::CancelRegistry;
pub(crate) use checks::CheckSlots;
use checks::hooks::CheckHooks;
use harvest::HarvestJob;
use hooks::{HookEvent, HookHandles};
use landing::BatchJob;
use landing::rewind::RewindJob;
use review::ReviewJob;
use steps::StepJob;

/// Everything that the threads share.
pub(crate) struct ExecutorContext {
    pub(crate) run: RunId,
    pub(crate) pool: WorkspacePool,
    pub(crate) layout: StateLayout,
    pub(crate) config: ExecutionConfig,
    pub(crate) cancels: CancelRegistry,
    pub(crate) check_slots: CheckSlots,
    pub(crate) hooks: HookHandles,
    /// What workers and checks need from the home directory; searched for once.
    pub(crate) home_tools: OnceLock<HomeTools>,
    /// Existing tests that touch the files of tasks; read once for each commit.
    pub(crate) test_finder: TestFinder,
    /// The limit on the connections of all workers together.
    pub(crate) connections: ConnectionLimit,
    /// Distinguishes the jobs of this repository from those of others in a shared cgroup registry.
    pub(crate) job_prefix: String,
    /// Makes the lines of notes; it remembers whether the user's key can sign.
    pub(crate) note_lines: LineMaker,
}

pub(crate) struct LocalExecutor {
    context: Arc<ExecutorContext>,
    inputs: Sender<Input>,
}

impl LocalExecutor {
    pub(crate) fn new(context: ExecutorContext, inputs: Sender<Input>) -> Self {
        Self { context: Arc::new(context), inputs }
    }

    /// Starts carrying out an effect; the answer comes back as an input.
    pub(crate) fn perform(&self, effect: Effect, run: &Run) {
        // A lock held by the user's git must not prolong an immediate halt (R7).
        let at_once = run.halt().is_some_and(|halt| halt.now);
        let waiting = if at_once { LockWaiting::FailFast } else { LockWaiting::Wait };
        self.context.pool.repository().set_lock_waiting(waiting);
        self.context.hooks.set_closed(at_once);
        match effect {
            Effect::Start { attempt, slot, ground, tier, resumes } => {
                let ordered = AttemptRequest { attempt, slot, ground, tier, resumes };
                let job = AttemptJob::new(run, ordered, &self.context.config.workers.briefing);
                // Registered before the thread starts, so that a stop cannot miss it.
                let handle = self.context.cancels.register(job.attempt());
                self.spawn(move |context, answer| job.carry_out(context, &handle, answer));
            }
            Effect::Prepare { attempt, slot, ground } => {
                let ordered = AttemptRequest::by_hand(attempt, slot, ground);
                let job = AttemptJob::new(run, ordered, &self.context.config.workers.briefing);
                let handle = self.context.cancels.register(job.attempt());
                self.spawn(move |context, answer| answer(job.prepare_by_hand(context, &handle)));
            }
            Effect::Warn { attempt, fill } => {
                attempt::context_warning::leave(&self.context, run, &attempt, fill);
            }
            Effect::SendComment { attempt, comment } => {
                attempt::comments::leave(&self.context, &attempt, &comment);
            }
            Effect::Stop { attempt, grace } => self.context.cancels.stop(&attempt, grace),
            Effect::SaveStep { attempt, slot, ground, step } => {
                self.context.cancels.set_silence_limit(&attempt, SilenceLimit::Paused);
                let job = StepJob::new(run, attempt, slot, ground, step);
                self.spawn(move |context, answer| answer(job.carry_out(context)));
            }
            Effect::AnswerStep { attempt, step, answer } => {
                steps::answer(&self.context, &attempt, step, &answer);
                self.context.cancels.set_silence_limit(&attempt, SilenceLimit::Applies);
            }
            Effect::Harvest { attempt, slot, ground } => {
                let hook = attempt::by_hand::hook_after(run, &attempt);
                let job = HarvestJob::new(run, attempt, slot, ground);
                self.spawn(move |context, answer| {
                    let failure = hook.and_then(|event| hooks::failure_after(context, &event));
                    failure.map(Input::HookFailed).into_iter().for_each(answer);
                    answer(job.carry_out(context));
                });
            }
            Effect::Check(request) => {
                let head = run.tip().clone();
                let slots = &self.context.check_slots;
                let ticket = match request.batch {
                    Some(batch) => slots.merge_ticket(batch),
                    None => slots.ticket(),
                };
                let hooks = CheckHooks::new(run, &request);
                self.spawn(move |context, answer| {
                    hooks.run_around(context, &request, answer, || {
                        checks::carry_out(context, &request, &head, ticket)
                    });
                });
            }
            Effect::Probe(request) => {
                let plan = run.plan().clone();
                let ticket = self.context.check_slots.probe_ticket();
                self.spawn(move |context, answer| {
                    answer(checks::probe::carry_out(context, &request, &plan, ticket));
                });
            }
            Effect::StopProbe => self.context.check_slots.stop_probes(run.settings().halt_grace),
            Effect::Review(request) => {
                let briefing = &self.context.config.workers.briefing;
                // Registered before the thread starts, so that a stop cannot miss it.
                let handle = self.context.cancels.register(&request.review.attempt);
                let job = ReviewJob::new(run, request, briefing);
                self.spawn(move |context, answer| job.carry_out(context, &handle, answer));
            }
            Effect::StopChecks => {
                let grace = run.settings().halt_grace;
                self.context.check_slots.stop_all(grace);
                self.context.hooks.stop_all(grace);
            }
            Effect::BuildMerge { batch, onto, members } => {
                let job = BatchJob::new(run, batch, onto, members);
                self.spawn(move |context, answer| job.carry_out(context, answer));
            }
            Effect::DropBatch { batch, last } => {
                self.context.check_slots.stop_batch(batch);
                if let Some(last) = last {
                    self.context.pool.repository().abandon(&last);
                }
            }
            Effect::MoveBack { from, to } => {
                let job = RewindJob { branch: run.branch().to_owned(), from, to };
                self.spawn(move |context, answer| {
                    answer(job.carry_out(&context.run, context.pool.repository()));
                });
            }
            Effect::MoveBranch { attempts, from, to, restore } => {
                let job = landing::MoveJob::new(run, &attempts, from, to, restore);
                self.spawn(move |context, answer| job.carry_out(context, answer));
            }
        }
    }

    fn spawn(&self, work: impl FnOnce(&ExecutorContext, &(dyn Fn(Input) + Sync)) + Send + 'static) {
        let context = Arc::clone(&self.context);
        let inputs = self.inputs.clone();
        thread::spawn(move || {
            // A driver that has ended needs no answer.
            work(&context, &|input| {
                for input in full_disk::explain(&context, input) {
                    let _ = inputs.send(input);
                }
            });
        });
    }

    /// Runs the hooks of a question that a person has to answer, beside everything else.
    pub(crate) fn ask_hooks(&self, run: &Run, question: &Question) -> JoinHandle<()> {
        let event = HookEvent::question(run, question);
        let (context, inputs) = (Arc::clone(&self.context), self.inputs.clone());
        thread::spawn(move || {
            if let Some(failure) = hooks::failure_after(&context, &event) {
                // A driver that has ended needs no answer.
                let _ = inputs.send(Input::HookFailed(failure));
            }
        })
    }

    /// Runs the hooks at the end of a drive, and waits for them.
    pub(crate) fn end_hooks(&self, run: &Run, state: &str) -> Option<HookFailure> {
        let event = HookEvent::new(run, HookPoint::OnEnd, None);
        let event = event.with("state", state.into()).with("tip", run.tip().as_str().into());
        hooks::failure_after(&self.context, &event)
    }

    /// Ends everything at once, because the driver cannot continue.
    pub(crate) fn cancel_all(&self) {
        self.context.cancels.cancel_all();
        self.context.hooks.stop_all(std::time::Duration::ZERO);
        self.context.check_slots.stop_all(std::time::Duration::ZERO);
    }
}
