//! Effects, carried out in the real world: each in a thread of its own that answers with an input.

pub(crate) mod attempt;
pub(crate) mod cancel;
pub(crate) mod causes;
pub(crate) mod check_cache;
pub(crate) mod checks;
pub(crate) mod denials;
pub(crate) mod harvest;
pub(crate) mod landing;
pub(crate) mod rewind;
pub(crate) mod sandbox;
pub(crate) mod secret_scan;
pub(crate) mod setup;
pub(crate) mod steps;
use std::sync::mpsc::Sender;
use std::sync::{Arc, OnceLock};
use std::thread;

use afresh_core::ids::RunId;
use afresh_core::settings::History;
use afresh_core::{Effect, Input, Run};
use afresh_git::Pool;
use afresh_proxy::Crowd;

use crate::driver::Mail;
use crate::execution_config::ExecutionConfig;
use crate::executor::sandbox::home_tools::HomeTools;
use crate::layout::StateLayout;
use attempt::{AttemptJob, AttemptRequest};
pub(crate) use cancel::CancelRegistry;
pub(crate) use checks::CheckSlots;
use harvest::HarvestJob;
use landing::MergeJob;
pub(crate) use landing::{full_name, tip_ref};
use rewind::RewindJob;
use steps::StepJob;

/// Everything that the threads share.
pub(crate) struct ExecutorContext {
    pub(crate) run: RunId,
    pub(crate) pool: Pool,
    pub(crate) layout: StateLayout,
    pub(crate) rules: ExecutionConfig,
    pub(crate) stoppers: CancelRegistry,
    pub(crate) desk: CheckSlots,
    /// What of the home directory workers and checks need; looked for once.
    pub(crate) tools: OnceLock<HomeTools>,
    /// The connections of all workers.
    pub(crate) crowd: Crowd,
    /// Tells the jobs of this repository from those of others in one registry of cgroups.
    pub(crate) job_prefix: String,
}

pub(crate) struct LocalExecutor {
    shared: Arc<ExecutorContext>,
    mail: Sender<Mail>,
}

impl LocalExecutor {
    pub(crate) fn new(shared: ExecutorContext, mail: Sender<Mail>) -> Self {
        Self { shared: Arc::new(shared), mail }
    }

    /// Starts carrying out an effect; the answer comes by mail.
    pub(crate) fn perform(&self, effect: Effect, run: &Run) {
        // A lock of the user's git must not prolong a halt that ends everything (R7).
        let at_once = run.halt().is_some_and(|halt| halt.now);
        self.shared.pool.repository().hurry(at_once);
        match effect {
            Effect::Start { attempt, slot, ground, tier, resumes } => {
                let ordered = AttemptRequest { attempt, slot, ground, tier, resumes };
                let job = AttemptJob::new(run, ordered, &self.shared.rules.briefing);
                // Registered before the thread starts, so that a stop cannot miss it.
                let handle = self.shared.stoppers.register(job.attempt());
                self.spawn(move |shared, mail| job.carry_out(shared, &handle, mail));
            }
            Effect::Warn { attempt, fill } => {
                attempt::context_warning::leave(&self.shared, run, &attempt, fill)
            }
            Effect::Stop { attempt, grace } => self.shared.stoppers.stop(&attempt, grace),
            Effect::SaveStep { attempt, slot, ground, step } => {
                self.shared.stoppers.excuse(&attempt, true);
                let job = StepJob::new(run, attempt, slot, ground, step);
                self.spawn(move |shared, mail| mail(job.carry_out(shared)));
            }
            Effect::AnswerStep { attempt, step, answer } => {
                steps::answer(&self.shared, &attempt, step, &answer);
                self.shared.stoppers.excuse(&attempt, false);
            }
            Effect::Harvest { attempt, slot, ground } => {
                let job = HarvestJob::new(run, attempt, slot, ground);
                self.spawn(move |shared, mail| mail(job.carry_out(shared)));
            }
            Effect::Check(request) => {
                let head = run.tip().clone();
                let ticket = self.shared.desk.ticket();
                self.spawn(move |shared, mail| {
                    mail(checks::carry_out(shared, &request, &head, ticket));
                });
            }
            Effect::StopChecks => self.shared.desk.stop_all(run.settings().halt_grace),
            Effect::BuildMerge { attempt, base, onto, theirs } => {
                let linear = run.settings().history == History::Linear;
                let job = MergeJob::new(run, attempt, base, onto, theirs, linear);
                self.spawn(move |shared, mail| mail(job.carry_out(shared)));
            }
            Effect::MoveBack { from, to } => {
                let job = RewindJob { branch: run.branch().to_owned(), from, to };
                self.spawn(move |shared, mail| mail(job.carry_out(shared)));
            }
            Effect::MoveBranch { attempt, from, to, restore } => {
                let reached = landing::reached(run, &attempt);
                let job = landing::MoveJob {
                    branch: run.branch().to_owned(),
                    attempt,
                    from,
                    to,
                    restore,
                    reached,
                };
                self.spawn(move |shared, mail| mail(job.carry_out(shared)));
            }
        }
    }

    fn spawn(&self, work: impl FnOnce(&ExecutorContext, &dyn Fn(Input)) + Send + 'static) {
        let shared = Arc::clone(&self.shared);
        let mail = self.mail.clone();
        thread::spawn(move || {
            // A driver that is gone needs no answer.
            work(&shared, &|input| drop(mail.send(Mail::Input(Box::new(input)))));
        });
    }

    /// Ends everything at once: the driver cannot go on.
    pub(crate) fn kill_all(&self) {
        self.shared.stoppers.kill_all();
        self.shared.desk.stop_all(std::time::Duration::ZERO);
    }
}
