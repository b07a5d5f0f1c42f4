//! One attempt: a clean workspace, a bundle, a new process, and its result.

pub(crate) mod by_hand;
pub(crate) mod comments;
pub(crate) mod context_warning;
mod ending;
pub(crate) mod files;
pub(crate) mod launch;
pub(crate) mod output;
mod repetition;
mod request_log;
pub(crate) mod resume;
pub(crate) mod session_log;
pub(crate) mod starting;
mod usage_account;

use std::collections::BTreeSet;
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use afresh_agents::{Briefing, Bundle};
use afresh_core::hook::HookPoint;
use afresh_core::ids::{AttemptId, CommitId, WorkspaceSlot};
use afresh_core::input::AttemptEnd;
use afresh_core::interruption::AttemptResumption;
use afresh_core::outcome::Outcome;
use afresh_core::plan::ModelTier;
use afresh_core::process::ProcessEnd;
use afresh_core::step::StartPoint;
use afresh_core::usage::Usage;
use afresh_core::{Input, Run};
use afresh_process::{JobReport, RunningJob};

use crate::bundle;
use crate::executor::ExecutorContext;
use crate::executor::attempt::output::OutputFollower;
use crate::executor::attempt::resume::SessionResume;
use crate::executor::cancel::CancelHandle;
use crate::executor::hooks::{HookEvent, HookResult, failure_after, run_hooks};
use files::AttemptFiles;
use session_log::SessionLogSource;
use starting::{StartFailure, StartedWorker};

/// How an input reaches the driver.
pub(crate) type MailInput<'a> = &'a (dyn Fn(Input) + Sync);

/// How often a program's reports are read at least.
const READ_EVERY: Duration = Duration::from_millis(100);

/// What the core asks for.
pub(crate) struct AttemptRequest {
    pub(crate) attempt: AttemptId,
    pub(crate) slot: WorkspaceSlot,
    pub(crate) ground: StartPoint,
    pub(crate) tier: ModelTier,
    pub(crate) resumes: Option<AttemptResumption>,
}

impl AttemptRequest {
    pub(crate) fn by_hand(attempt: AttemptId, slot: WorkspaceSlot, ground: StartPoint) -> Self {
        Self { attempt, slot, ground, tier: ModelTier::Standard, resumes: None }
    }
}

/// Everything one attempt needs, taken from the run before the thread starts.
pub(crate) struct AttemptJob {
    attempt: AttemptId,
    slot: WorkspaceSlot,
    ground: StartPoint,
    /// The conversation that it continues.
    resuming: Option<SessionResume>,
    bundle: Bundle,
    /// The commit that the run started from.
    run_base: CommitId,
    /// Commits of the tasks that it needs.
    needs: Vec<CommitId>,
    /// Files that tasks deleted or moved away.
    gone: BTreeSet<String>,
    agent: Option<String>,
    tier: ModelTier,
    grace: Duration,
    /// The limit on how full its context may become, in per cent.
    fullest: u8,
    hook_before: Option<HookEvent>,
    hook_after: HookEvent,
}

impl AttemptJob {
    pub(crate) fn new(run: &Run, ordered: AttemptRequest, briefing: &Briefing) -> Self {
        let AttemptRequest { attempt, slot, ground, tier, resumes } = ordered;
        let at = run.plan().index_of(&attempt.task).expect("effects name tasks of this plan");
        let settings = run.settings();
        let bundle = bundle::bundle(run, at, &attempt, &ground, briefing);
        let (gone, fullest) = (bundle::deleted_files(run, at), settings.context.hard);
        let (agent, grace) = (bundle.task.agent.clone(), settings.halt_grace);
        let resuming = resumes.map(|resumption| SessionResume::new(run, at, resumption));
        let run_base = run.base().clone();
        let needs = run.task(at).stage.work().map(|work| work.needs.clone()).unwrap_or_default();
        let hook_before = HookEvent::before(run, HookPoint::BeforeAttempt, &attempt);
        let hook_after = HookEvent::new(run, HookPoint::AfterAttempt, Some(&attempt));
        Self {
            attempt,
            slot,
            ground,
            resuming,
            bundle,
            run_base,
            needs,
            gone,
            agent,
            tier,
            grace,
            fullest,
            hook_before,
            hook_after,
        }
    }

    pub(crate) fn attempt(&self) -> &AttemptId {
        &self.attempt
    }

    pub(crate) fn carry_out(
        &self,
        shared: &ExecutorContext,
        handle: &CancelHandle,
        mail: MailInput<'_>,
    ) {
        if let Some(HookResult::Failed(failure)) =
            self.hook_before.as_ref().map(|event| run_hooks(shared, event, handle))
        {
            shared.cancels.forget(&self.attempt);
            return mail(Input::HookFailed(failure));
        }
        let answer = match self.start(shared, handle) {
            Ok(None) => {
                let (ending, outcome) = (ProcessEnd::Stopped, Outcome::Silent);
                self.ended(AttemptEnd::new(ending, outcome, Usage::default(), 0))
            }
            Ok(Some(StartedWorker { mut running, files, fill })) => {
                handle.attach(running.stopper());
                if running.has_started() {
                    mail(Input::Spawned(self.attempt.clone()));
                    mail(Input::PromptMeasured(self.attempt.clone(), fill));
                }
                let mut follower = self.follower(shared, &files);
                let report = match &mut follower {
                    Some(follower) => watch(&mut running, follower, handle, self.grace, mail),
                    None => running.wait_watching(|| {}),
                };
                follower.as_mut().map(OutputFollower::finish).into_iter().flatten().for_each(mail);
                self.conclude(shared, &report, &files, follower.as_ref())
            }
            Err(StartFailure::Failed(failure)) => Input::SpawnFailed(self.attempt.clone(), failure),
            Err(StartFailure::NotResumed(why)) => Input::CannotResume(self.attempt.clone(), why),
        };
        if let Input::AttemptEnded(_, end) = &answer {
            let ended = end.ending.describe();
            let event = self.hook_after.clone().with("ended", ended.into());
            let failure = failure_after(shared, &event);
            failure.map(Input::HookFailed).into_iter().for_each(mail);
        }
        shared.cancels.forget(&self.attempt);
        mail(answer);
    }

    /// The reader of the agent's reports, if the agent makes any.
    fn follower(&self, shared: &ExecutorContext, files: &AttemptFiles) -> Option<OutputFollower> {
        let agent = shared.config.workers.agent_for(self.agent.as_deref())?;
        let (model, prices) = (agent.model(self.tier), Arc::clone(&shared.config.workers.prices));
        let before = self.resuming.as_ref().map(SessionResume::used_before).unwrap_or_default();
        let environment = shared.config.workers.variables(&agent.variables());
        let logs = SessionLogSource { agent: agent.clone(), environment };
        let requests = agent.request_log(&files.worker);
        let follower =
            OutputFollower::new(agent, model, prices, self.attempt.clone(), files.stdout.clone())?;
        Some(follower.with_earlier_usage(before).with_session_logs(logs).with_request_log(requests))
    }

    fn ended(&self, end: AttemptEnd) -> Input {
        Input::AttemptEnded(self.attempt.clone(), Box::new(end))
    }
}

/// Waits for the end of a program. Its reports are read whenever it writes something, and regularly: its own record of
/// the conversation may grow without any output.
pub(crate) fn watch(
    running: &mut RunningJob,
    follower: &mut OutputFollower,
    handle: &CancelHandle,
    grace: Duration,
    mail: MailInput<'_>,
) -> JobReport {
    let follower = Mutex::new(follower);
    let read = || {
        let mut follower = follower.lock().unwrap_or_else(PoisonError::into_inner);
        follower.read_reports().into_iter().for_each(mail);
        if follower.hopeless().is_some() {
            handle.stop(grace);
        }
    };
    std::thread::scope(|scope| {
        let (ended, is_over) = std::sync::mpsc::channel::<()>();
        scope.spawn(|| {
            let is_over = is_over;
            while is_over.recv_timeout(READ_EVERY) == Err(RecvTimeoutError::Timeout) {
                read();
            }
        });
        let report = running.wait_watching(read);
        drop(ended);
        report
    })
}
