//! What each event adds to the history.

use afresh_core::ids::{AttemptId, CommitId, QuestionId, TaskId};
use afresh_core::rejection::Rejection;
use afresh_core::review::{ReviewOutcome, ReviewVerdict};
use afresh_core::usage::Usage;
use afresh_core::{Event, Run};

use super::attempt::{AttemptTrack, RejectionKind, SegmentKind, TrackEnd};
use super::{Period, RunHistory};

impl RunHistory {
    /// Adds one event; `run` is the run after it or later: only its plan and settings are read.
    pub fn record(&mut self, wall_ms: i64, event: &Event, run: &Run) {
        // A clock that was put back must not turn time around.
        let at_ms = if self.events == 0 { wall_ms } else { wall_ms.max(self.last_ms) };
        if self.events == 0 {
            self.started_ms = at_ms;
        }
        self.events += 1;
        if let Event::Opened { .. } = event {
            self.driver_opened(at_ms);
        }
        self.last_ms = at_ms;
        self.attempt_event(at_ms, event, run);
        self.worker_event(at_ms, event);
        self.task_event(at_ms, event);
        self.run_event(at_ms, event);
    }

    /// Between the last record and now nothing happened: the driver before was dead.
    fn driver_opened(&mut self, at_ms: i64) {
        let before = self.last_ms;
        if let Some(drive) = self.drives.last_mut() {
            drive.close(before);
            for track in &mut self.attempts {
                let Some(kind) = track.open_segment().map(|open| open.kind) else { continue };
                track.close(before);
                track.enter(kind, at_ms);
            }
            for period in self.final_checks.iter_mut().chain(self.probe.as_mut()) {
                period.close(before);
            }
        }
        self.drives.push(Period::since(at_ms));
    }

    fn attempt_event(&mut self, at_ms: i64, event: &Event, run: &Run) {
        match event {
            Event::AttemptStarting { attempt, tier, agent, by_hand, .. } => {
                let since = self.queued_since(&attempt.task, run);
                let waits = self.person_waits.remove(&attempt.task).unwrap_or_default();
                let track = self.track(attempt);
                track.tier = *tier;
                track.by_hand.clone_from(by_hand);
                let named = agent.clone().or_else(|| agent_of(run, &attempt.task));
                track.agent = named.filter(|_| by_hand.is_none());
                track.enter_waiting(since, at_ms, &waits);
                track.enter(SegmentKind::SetUp, at_ms);
            }
            Event::AttemptSpawned { attempt } => self.enter(attempt, SegmentKind::Work, at_ms),
            Event::AttemptEnded { attempt, .. } | Event::ChecksResumed { attempt } => {
                self.enter(attempt, SegmentKind::Checks, at_ms);
            }
            Event::ChecksPassed { attempt, .. } | Event::ReviewWaived { attempt, .. } => {
                self.enter(attempt, SegmentKind::Queue, at_ms);
            }
            Event::ContestEntered { attempt, .. } => self.end(attempt, TrackEnd::Passed, at_ms),
            Event::ContestDecided { attempt } => {
                self.track(attempt).end = None;
                self.enter(attempt, SegmentKind::Queue, at_ms);
            }
            Event::ReviewRequested { attempt } => self.enter(attempt, SegmentKind::Review, at_ms),
            Event::ReviewEnded { review, end, .. } if is_approval(&end.outcome) => {
                self.enter(&review.attempt, SegmentKind::Queue, at_ms);
            }
            Event::MergeStarted { attempt, .. } => self.enter(attempt, SegmentKind::Merge, at_ms),
            Event::BatchStarted { attempts, .. } => {
                for attempt in attempts {
                    self.enter(attempt, SegmentKind::Merge, at_ms);
                }
            }
            Event::ChecksDeferred { attempt } => self.enter(attempt, SegmentKind::Queue, at_ms),
            Event::MergesPostponed { attempts, .. } => {
                for attempt in attempts {
                    self.enter(attempt, SegmentKind::Queue, at_ms);
                }
            }
            Event::MergeFailed { attempt, .. } => self.enter(attempt, SegmentKind::Checks, at_ms),
            Event::Merged { attempt, commit } => {
                self.track(attempt).finish(TrackEnd::Merged(commit.clone()), at_ms);
                self.landed.push((attempt.clone(), commit.clone()));
                self.met_at.insert(attempt.task.clone(), at_ms);
            }
            Event::SpawnFailed { attempt, failure, .. } => {
                self.end(attempt, TrackEnd::NotStarted(failure.message.clone()), at_ms);
            }
            Event::AttemptRejected { attempt, reason, counts, .. } => {
                let (kind, counts) = (rejection_kind(reason), *counts);
                let end = TrackEnd::Rejected { reason: reason.describe(), counts, kind };
                self.end(attempt, end, at_ms);
            }
            _ => {}
        }
    }

    fn worker_event(&mut self, at_ms: i64, event: &Event) {
        match event {
            Event::UsageCounted { attempt, usage } => self.use_tokens(attempt, usage, at_ms),
            Event::AttemptEnded { attempt, end } => self.use_tokens(attempt, &end.usage, at_ms),
            Event::ReviewUsageCounted { review, usage } => {
                self.spending.note(&review.attempt, review.number, usage, at_ms);
            }
            Event::ReviewEnded { review, end, .. } => {
                self.spending.note(&review.attempt, review.number, &end.usage, at_ms);
            }
            Event::PromptMeasured { attempt, fill } => self.track(attempt).prompt = Some(*fill),
            Event::ContextSeen { attempt, fill } => self.track(attempt).context = Some(*fill),
            Event::StepDone { attempt, step, .. } => self.track(attempt).steps_done = *step,
            Event::AttemptIdentified { attempt, identity } => {
                let track = self.track(attempt);
                track.model = identity.model.clone().or(track.model.take());
            }
            _ => {}
        }
    }

    fn task_event(&mut self, at_ms: i64, event: &Event) {
        match event {
            Event::TaskRetried { task } => self.release(task, at_ms),
            Event::TaskSettled { task, .. }
            | Event::NeedIgnored { task }
            | Event::LandingInherited { task, .. } => {
                self.met_at.insert(task.clone(), at_ms);
            }
            Event::QuestionAsked { question } => {
                self.asked.insert(question.id, (at_ms, question.task.clone()));
                self.hold_for_person(&question.task, at_ms);
            }
            Event::QuestionAnswered { question, .. } => self.answered(*question, at_ms),
            _ => {}
        }
    }

    fn run_event(&mut self, at_ms: i64, event: &Event) {
        match event {
            Event::ProbeStarted { .. } => self.probe = Some(Period::since(at_ms)),
            Event::Probed { .. } => self.probe.iter_mut().for_each(|probe| probe.close(at_ms)),
            Event::FinalChecksStarted { .. } => self.final_checks.push(Period::since(at_ms)),
            Event::FinalChecked { .. } | Event::ChecksStopped { attempt: None, .. } => {
                self.final_checks.iter_mut().for_each(|period| period.close(at_ms));
            }
            Event::HaltRequested { .. } => self.halted_at = Some(at_ms),
            Event::HaltCleared => self.halted_at = None,
            Event::Rewound { to } => self.rewound(to, at_ms),
            _ => {}
        }
    }

    fn track(&mut self, attempt: &AttemptId) -> &mut AttemptTrack {
        let next = self.attempts.len();
        let at = *self.by_id.entry(attempt.clone()).or_insert(next);
        if at == next {
            self.attempts.push(AttemptTrack::new(attempt.clone()));
        }
        &mut self.attempts[at]
    }

    fn enter(&mut self, attempt: &AttemptId, kind: SegmentKind, at_ms: i64) {
        self.track(attempt).enter(kind, at_ms);
    }

    fn end(&mut self, attempt: &AttemptId, end: TrackEnd, at_ms: i64) {
        self.track(attempt).finish(end, at_ms);
        self.release(&attempt.task, at_ms);
    }

    fn release(&mut self, task: &TaskId, at_ms: i64) {
        self.free_at.insert(task.clone(), at_ms);
    }

    fn use_tokens(&mut self, attempt: &AttemptId, usage: &Usage, at_ms: i64) {
        let track = self.track(attempt);
        track.usage = track.usage.at_least(usage);
        self.spending.note(attempt, 0, usage, at_ms);
    }

    fn queued_since(&self, task: &TaskId, run: &Run) -> i64 {
        let plan = run.plan();
        let needs = plan.index_of(task).map(|at| plan.needs(at)).unwrap_or_default();
        self.ready_since(task, needs.iter().map(|need| &plan.task(*need).id))
    }

    /// The task's attempt that is underway after its worker has ended.
    fn open_track(&mut self, task: &TaskId) -> Option<&mut AttemptTrack> {
        let mut tracks = self.attempts.iter_mut().rev().filter(|track| track.id.task == *task);
        tracks.next().filter(|track| track.end.is_none() && track.open_segment().is_some())
    }

    fn hold_for_person(&mut self, task: &TaskId, at_ms: i64) {
        if let Some(track) = self.open_track(task)
            && track.open_segment().is_some_and(|open| open.kind != SegmentKind::Work)
        {
            track.enter(SegmentKind::Person, at_ms);
        } else if !self.has_worker(task) {
            self.person_waits.entry(task.clone()).or_default().push(Period::since(at_ms));
        }
    }

    fn has_worker(&mut self, task: &TaskId) -> bool {
        self.open_track(task).is_some()
    }

    fn answered(&mut self, question: QuestionId, at_ms: i64) {
        let Some((asked, task)) = self.asked.remove(&question) else { return };
        let waits = self.person_waits.get_mut(&task).into_iter().flatten();
        waits.filter(|wait| wait.from_ms == asked).for_each(|wait| wait.close(at_ms));
        let waiting = self.attempts.iter_mut().filter(|track| {
            let open = track.open_segment();
            open.is_some_and(|open| open.kind == SegmentKind::Person && open.from_ms == asked)
        });
        waiting.for_each(|track| {
            // What it was at when the question came up.
            let before = track.segments.iter().rev().nth(1).map_or(SegmentKind::Queue, |s| s.kind);
            track.enter(before, at_ms);
        });
    }

    /// What landed after the commit is to be done again.
    fn rewound(&mut self, to: &CommitId, at_ms: i64) {
        self.final_checks.iter_mut().for_each(|period| period.close(at_ms));
        let kept = self.landed.iter().rposition(|(_, commit)| commit == to);
        let undone = self.landed.split_off(kept.map_or(0, |at| at + 1));
        for (attempt, _) in undone {
            self.met_at.remove(&attempt.task);
            self.release(&attempt.task, at_ms);
            if let Some(at) = self.by_id.get(&attempt) {
                self.attempts[*at].end = Some(TrackEnd::Undone);
            }
        }
    }
}

fn agent_of(run: &Run, task: &TaskId) -> Option<String> {
    let at = run.plan().index_of(task)?;
    run.agent_of(at).map(str::to_owned)
}

fn is_approval(outcome: &ReviewOutcome) -> bool {
    matches!(outcome, ReviewOutcome::Given(review) if review.verdict == ReviewVerdict::Approved)
}

fn rejection_kind(reason: &Rejection) -> RejectionKind {
    match reason {
        Rejection::OutOfScope { .. }
        | Rejection::NoChange
        | Rejection::FilesMissing { .. }
        | Rejection::ChecksFailed { .. }
        | Rejection::NotRed { .. }
        | Rejection::Refused { .. }
        | Rejection::Unintelligible { .. } => RejectionKind::Work,
        Rejection::Conflict { .. } | Rejection::BrokenMerge { .. } => RejectionKind::Conflict,
        Rejection::ReviewRejected { .. } => RejectionKind::Review,
        Rejection::GaveUp { .. }
        | Rejection::Partial { .. }
        | Rejection::Blocked { .. }
        | Rejection::Asked => RejectionKind::Worker,
        _ => RejectionKind::Machine,
    }
}
