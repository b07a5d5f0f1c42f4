//! A review: a fresh agent in a clean checkout of an attempt's work, which reports a verdict (EX-08).
//!
//! It is started as a worker is, with the same limits, sandbox and accounts. Nothing of what it writes is harvested.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use afresh_agents::agent::SessionRef;
use afresh_agents::bundle::review::{MAX_PATCH_BYTES, ReviewAssignment};
use afresh_agents::prompt::size;
use afresh_agents::{Agent, Briefing, Bundle, ProgramEnd};
use afresh_core::effect::ReviewRequest;
use afresh_core::harvest::{Change, ChangeKind};
use afresh_core::model_error::ModelError;
use afresh_core::outcome::SpawnFailure;
use afresh_core::process::ProcessEnd;
use afresh_core::review::{ReviewEnd, ReviewOutcome};
use afresh_core::run::TaskStage;
use afresh_core::step::StartPoint;
use afresh_core::{Input, Run, printable};
use afresh_formats::result;
use afresh_git::{DiffFormat, PrepareTarget, WorkspaceId};
use afresh_process::{JobReport, RunningJob};
use afresh_secrets::redact;

use super::ExecutorContext;
use super::attempt::files::{AttemptFiles, end_of};
use super::attempt::launch::{WorkerLaunch, attempt_variables};
use super::attempt::output::OutputFollower;
use super::attempt::session_log::SessionLogSource;
use super::attempt::starting::{failure, machine_failure};
use super::attempt::{MailInput, watch};
use super::cancel::CancelHandle;
use super::causes::describe;
use super::setup::SetupOutcome;
use crate::bundle::{self, RenderedBundle};
use crate::driver::clock;
use crate::unique;

/// Everything a review needs, taken from the run before the thread starts.
pub(crate) struct ReviewJob {
    request: ReviewRequest,
    bundle: Bundle,
    grace: Duration,
    /// The limit on how full its context may be at the start, in per cent.
    fullest: u8,
}

/// A reviewer whose supervisor has started.
struct StartedReviewer {
    running: RunningJob,
    files: AttemptFiles,
}

impl ReviewJob {
    pub(crate) fn new(run: &Run, request: ReviewRequest, briefing: &Briefing) -> Self {
        let attempt = &request.review.attempt;
        let at = run.plan().index_of(&attempt.task).expect("effects name tasks of this plan");
        let ground = StartPoint::fresh(request.base.clone());
        let mut bundle = bundle::bundle(run, at, attempt, &ground, briefing);
        // The reviewer's program and model, not the worker's.
        bundle.task.agent = Some(request.agent.clone()).filter(|name| !name.is_empty());
        bundle.role = None;
        let comments = &run.task(at).people.comments;
        bundle.comments = comments.iter().map(|kept| kept.comment.clone()).collect();
        bundle.left = None;
        bundle.resumes_session = false;
        let state = run.task(at);
        let (changes, passed) = match &state.stage {
            TaskStage::Reviewing { harvest, results, .. } => {
                let passed = results.iter().filter(|result| result.passed());
                (harvest.changes.as_slice(), passed.map(|it| it.command.clone()).collect())
            }
            _ => (&[][..], Vec::new()),
        };
        let earlier = match &bundle.feedback {
            Some(afresh_core::rejection::Rejection::ReviewRejected { summary, issues }) => {
                Some((summary.clone(), issues.clone()))
            }
            _ => None,
        };
        bundle.review = Some(ReviewAssignment {
            review: request.review.clone(),
            base: request.base.clone(),
            work: request.work.clone(),
            patch: String::new(),
            cut: false,
            files: changes.iter().map(describe_change).collect(),
            notes: state.claim().and_then(|claim| claim.notes.clone()),
            passed,
            earlier: earlier.map(|(summary, issues)| afresh_core::review::ReviewReceipt {
                review: None,
                agent: String::new(),
                tier: None,
                summary,
                issues,
                accepted_by: None,
            }),
        });
        let (grace, fullest) = (run.settings().halt_grace, run.settings().context.hard);
        Self { request, bundle, grace, fullest }
    }

    pub(crate) fn carry_out(
        &self,
        shared: &ExecutorContext,
        handle: &CancelHandle,
        mail: MailInput<'_>,
    ) {
        let end = match self.start(shared, handle) {
            Ok(None) => ReviewEnd::unused(ReviewOutcome::Stopped),
            Ok(Some(started)) => self.wait(shared, started, handle, mail),
            Err(failed) => {
                let reason = format!("the reviewer could not be started: {}", failed.message);
                ReviewEnd::unused(ReviewOutcome::Failed { reason, error: None })
            }
        };
        shared.cancels.forget_same(&self.request.review.attempt, handle);
        mail(Input::ReviewEnded(self.request.review.clone(), Box::new(end)));
    }

    /// None if it was stopped before any of its processes ran.
    fn start(
        &self,
        shared: &ExecutorContext,
        handle: &CancelHandle,
    ) -> Result<Option<StartedReviewer>, SpawnFailure> {
        let place = WorkspaceId::Work(self.request.slot);
        shared
            .pool
            .prepare(place, PrepareTarget::Commit(&self.request.work), &shared.config.keep)
            .map_err(|error| machine_failure(&describe(&error)))?;
        if handle.is_asked() {
            return Ok(None);
        }
        let ready = shared.set_up(place, handle, None);
        let ready = ready.map_err(|failed| machine_failure(&failed.message))?;
        if ready == SetupOutcome::Stopped {
            return Ok(None);
        }
        let tree = shared.pool.tree(place);
        let mut files =
            AttemptFiles::new(shared.layout.review(&self.bundle.run, &self.request.review));
        let made = self.render(shared, &tree.to_string_lossy())?;
        made.save(&files.directory)
            .and_then(|()| fs::create_dir_all(&files.worker))
            .map_err(|error| machine_failure(&format!("cannot write the bundle: {error}")))?;
        let agent = self.agent(shared)?;
        let new = unique::uuid();
        let launch = WorkerLaunch {
            agent,
            tier: self.request.tier,
            session: SessionRef::New(&new),
            slot: self.request.slot,
            cwd: tree,
            own: attempt_variables(&self.bundle, &files),
            grace: self.grace,
        };
        let job = shared.worker_job(&launch, &mut files)?;
        if handle.is_asked() {
            return Ok(None);
        }
        let running = RunningJob::start(&shared.config.exe, &job)
            .map_err(|error| failure(&error.to_string(), None))?;
        Ok(Some(StartedReviewer { running, files }))
    }

    fn agent<'s>(&self, shared: &'s ExecutorContext) -> Result<&'s Agent, SpawnFailure> {
        shared.find_agent(self.bundle.task.agent.as_deref())
    }

    fn render(
        &self,
        shared: &ExecutorContext,
        directory: &str,
    ) -> Result<RenderedBundle, SpawnFailure> {
        let mut bundle = Bundle { target: directory.to_owned(), ..self.bundle.clone() };
        let (base, work) = (&self.request.base, &self.request.work);
        let patch = shared.pool.repository().render_diff(base, work, DiffFormat::Patch);
        let patch = patch.map_err(|error| machine_failure(&describe(&error)))?;
        if let Some(review) = &mut bundle.review {
            (review.patch, review.cut) = first_lines(&patch);
        }
        let made = RenderedBundle::render(bundle, &shared.config.workers, self.request.tier)
            .map_err(|error| failure(&error.to_string(), None))?;
        size::check_fits(made.fill, self.fullest)
            .map_err(|error| failure(&error.to_string(), Some(size::SIZE_HINT)))?;
        Ok(made)
    }

    fn wait(
        &self,
        shared: &ExecutorContext,
        started: StartedReviewer,
        handle: &CancelHandle,
        mail: MailInput<'_>,
    ) -> ReviewEnd {
        let StartedReviewer { mut running, files } = started;
        handle.attach(running.stopper());
        // Its reports come as those of the attempt; only what it uses concerns the run.
        let counted = |input| {
            if let Input::UsageSeen(_, usage) = input {
                mail(Input::ReviewUsageSeen(self.request.review.clone(), usage));
            }
        };
        let mut follower = self.follower(shared, &files);
        let report = match &mut follower {
            Some(follower) => watch(&mut running, follower, handle, self.grace, &counted),
            None => running.wait_watching(|| {}),
        };
        follower.as_mut().map(OutputFollower::finish).into_iter().flatten().for_each(counted);
        ReviewEnd {
            outcome: conclude(shared, &report, &files, follower.as_ref()),
            usage: follower.as_ref().map(OutputFollower::used).unwrap_or_default(),
            duration_ms: report.wall_ms,
            models: follower.as_ref().map(OutputFollower::models).unwrap_or_default(),
        }
    }

    fn follower(&self, shared: &ExecutorContext, files: &AttemptFiles) -> Option<OutputFollower> {
        let agent = self.agent(shared).ok()?;
        let workers = &shared.config.workers;
        let (model, prices) = (agent.model(self.request.tier), Arc::clone(&workers.prices));
        let environment = workers.variables(&agent.variables());
        let logs = SessionLogSource { agent: agent.clone(), environment };
        let requests = agent.request_log(&files.worker);
        let (attempt, output) = (self.request.review.attempt.clone(), files.stdout.clone());
        let follower = OutputFollower::new(agent, model, prices, attempt, output)?;
        Some(follower.with_session_logs(logs).with_request_log(requests))
    }
}

/// The verdict, or why there is none.
fn conclude(
    shared: &ExecutorContext,
    report: &JobReport,
    files: &AttemptFiles,
    follower: Option<&OutputFollower>,
) -> ReviewOutcome {
    let ending = match &report.ended {
        Ok(ending) => *ending,
        Err(error) => {
            let reason = format!("the reviewer could not be started: {}", error.message);
            return ReviewOutcome::Failed { reason, error: None };
        }
    };
    if ending == ProcessEnd::Stopped && follower.and_then(OutputFollower::hopeless).is_none() {
        return ReviewOutcome::Stopped;
    }
    let raw = end_of(&files.result);
    let written = redact(&raw, &shared.config.workers.secrets());
    if written != raw {
        files.rewrite_result(&written);
    }
    let text = match follower {
        Some(follower) => follower.final_text().to_owned(),
        None => end_of(&files.stdout),
    };
    let prompt = fs::read_to_string(&files.prompt).unwrap_or_default();
    let given = result::read_review(&written, &text, &prompt);
    if matches!(given, ReviewOutcome::Given(_)) {
        return given;
    }
    let complaints = end_of(&files.stderr);
    let error = model_error(ending, &complaints, follower);
    match (ending, error) {
        (_, Some(error)) => ReviewOutcome::Failed { reason: String::new(), error: Some(error) },
        (ProcessEnd::Exited(0), None) => given,
        (ending, None) => {
            let last = complaints.lines().rev().find(|line| !line.trim().is_empty());
            let last = last.map(|line| format!(": {}", printable::line(line))).unwrap_or_default();
            let reason = format!("the reviewer {}{last}", describe_end(ending));
            ReviewOutcome::Failed { reason, error: None }
        }
    }
}

fn model_error(
    ending: ProcessEnd,
    stderr: &str,
    follower: Option<&OutputFollower>,
) -> Option<ModelError> {
    let follower = follower?;
    let exit = match ending {
        ProcessEnd::Exited(code) => Some(code),
        _ => None,
    };
    match ending {
        ProcessEnd::Stopped => follower.hopeless().cloned(),
        _ => follower.error(&ProgramEnd { exit, at_s: clock::wall_seconds(), stderr }),
    }
}

fn describe_end(ending: ProcessEnd) -> String {
    match ending {
        ProcessEnd::Exited(code) => format!("ended with exit code {code}"),
        ProcessEnd::TimedOut => "did not end within `run.attempt_timeout`".to_owned(),
        ProcessEnd::WentSilent => {
            "printed nothing for longer than `run.silence_timeout`".to_owned()
        }
        ProcessEnd::OverLimit(excess) => excess.describe(),
        _ => "was ended by a signal".to_owned(),
    }
}

/// `created src/a.py`.
fn describe_change(change: &Change) -> String {
    let word = match change.kind {
        ChangeKind::Created => "created",
        ChangeKind::Modified => "modified",
        ChangeKind::Deleted => "deleted",
    };
    format!("{word} {}", printable::line(&change.path))
}

/// As many whole lines as a prompt has room for, and whether that is not all.
fn first_lines(patch: &[u8]) -> (String, bool) {
    let text = String::from_utf8_lossy(patch);
    let (start, cut) = afresh_agents::bundle::spec_section::cut_at_line(&text, MAX_PATCH_BYTES);
    (start.to_owned(), cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// EX-08, PR-06: a long patch ends at a line, and says that it goes on.
    #[test]
    fn a_long_patch_is_cut_at_a_line() {
        let line = format!("+{}\n", "x".repeat(1_000));
        let (text, cut) = first_lines(line.repeat(200).as_bytes());
        assert!(cut && text.len() <= MAX_PATCH_BYTES);
        assert!(text.lines().all(|whole| whole == line.trim_end()), "no line is cut");
        assert_eq!(first_lines(b"+a\n"), ("+a".to_owned(), false));
    }
}
