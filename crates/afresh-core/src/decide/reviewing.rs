//! Reviews by a fresh agent, after the checks (EX-08): who is reviewed, when a reviewer starts, and what follows.
//!
//! A reviewer takes a workspace and a part of the budget as a worker does, and starts before new tasks: its task is
//! nearly done. Rounds are bounded, and then a person decides.

use std::time::Duration;

use super::Decider;
use super::attempt::verdict::AttemptCounts;
use crate::effect::{Effect, ReviewRequest};
use crate::event::Event;
use crate::harvest::Harvest;
use crate::ids::AttemptId;
use crate::model_error::ModelError;
use crate::outcome::DecisionOption;
use crate::plan::TaskIndex;
use crate::question::{Question, QuestionTopic};
use crate::rejection::Rejection;
use crate::review::{Review, ReviewEnd, ReviewId, ReviewOutcome, ReviewVerdict};
use crate::run::settings::OnFailure;
use crate::run::{ActiveReviewer, ReviewActivity, ReviewStage, TaskStage};
use crate::time::Timestamp;
use crate::usage::Usage;

/// Reviewers in a row that may fail before a person is asked.
const MAX_REVIEW_FAILURES: u32 = 3;
/// The same, if the failure may pass by itself.
const MAX_PASSING_FAILURES: u32 = 8;
/// The first pause after a model that could not answer for now, and the longest.
const FIRST_PAUSE: Duration = Duration::from_secs(30);
const LONGEST_PAUSE: Duration = Duration::from_secs(600);
/// How many issues a question lists.
const MAX_LISTED_ISSUES: usize = 10;

impl Decider<'_> {
    /// Work whose checks passed goes to a reviewer, if the settings want that. An approval holds when the checks have
    /// to run again, after a hook that failed.
    pub(super) fn request_review(&mut self, at: TaskIndex) {
        if self.run.task(at).last.review.is_some() {
            return;
        }
        let TaskStage::Queued { work, harvest, .. } = &self.run.task(at).stage else { return };
        if self.wants_review(at, harvest) {
            let attempt = work.attempt.clone();
            self.record(Event::ReviewRequested { attempt });
        }
    }

    pub(super) fn wants_review(&self, at: TaskIndex, harvest: &Harvest) -> bool {
        let has_work = harvest.commit.is_some();
        let tier = self.run.planned_tier(at);
        has_work && self.run.settings().review.applies_to(tier, harvest.changes.len())
    }

    /// Starts reviewers as long as workspaces and budget last.
    pub(super) fn start_reviews(&mut self) {
        let run = &*self.run;
        if run.halt().is_some() || run.aborted().is_some() || run.budget_reached() {
            return;
        }
        let waiting: Vec<TaskIndex> = run.waiting_reviews().collect();
        for at in waiting {
            if self.run.review_held_until(at).is_some_and(|moment| moment > self.now) {
                continue;
            }
            if let Some(reason) = self.task_budget_reached(at) {
                self.settle_review(at, &format!("it cannot be reviewed: {reason}"));
                continue;
            }
            let Some(slot) = self.unclaimed_slot() else { break };
            let Some(reserved) = self.reservation() else { break };
            let policy = &self.run.settings().review;
            let reviewer = ActiveReviewer {
                slot,
                reserved,
                agent: self.run.review_agent().to_owned(),
                tier: policy.tier,
            };
            self.start_review(at, reviewer);
        }
    }

    fn start_review(&mut self, at: TaskIndex, reviewer: ActiveReviewer) {
        let TaskStage::Reviewing { work, harvest, review: stage, .. } = &self.run.task(at).stage
        else {
            return;
        };
        let Some(commit) = harvest.commit.clone() else { return };
        let base = work.ground.base.clone();
        let review = ReviewId { attempt: work.attempt.clone(), number: stage.number + 1 };
        let ActiveReviewer { slot, reserved, agent, tier } = reviewer;
        self.record(Event::ReviewStarting {
            review: review.clone(),
            slot,
            reserved,
            agent: agent.clone(),
            tier,
        });
        self.request(Effect::Review(ReviewRequest {
            review,
            slot,
            agent,
            tier,
            base,
            work: commit,
        }));
    }

    pub(super) fn review_usage_seen(&mut self, review: &ReviewId, usage: &Usage) {
        if !self.is_reviewing(review) {
            return;
        }
        let attempt = &review.attempt;
        let was_stopped = self.is_over_budget(attempt);
        self.record(Event::ReviewUsageCounted { review: review.clone(), usage: *usage });
        if was_stopped {
            // It ignores the signal: every further second would cost more.
            return self.request(Effect::Stop { attempt: attempt.clone(), grace: Duration::ZERO });
        }
        self.enforce_budget();
        self.enforce_task_budget(attempt);
    }

    pub(super) fn review_ended(&mut self, review: &ReviewId, end: &ReviewEnd) {
        if !self.is_reviewing(review) {
            return;
        }
        let at = self.index(&review.attempt.task);
        let (failures, not_before) = match &end.outcome {
            ReviewOutcome::Failed { error: Some(error), .. } if error.is_passing() => {
                let failures = self.failed_reviews(at);
                (MAX_PASSING_FAILURES, Some(self.next_review_at(failures, error)))
            }
            outcome if outcome.failure().is_some() => {
                (MAX_REVIEW_FAILURES, self.backoff_deadline(self.failed_reviews(at)))
            }
            _ => (MAX_REVIEW_FAILURES, None),
        };
        self.record(Event::ReviewEnded { review: review.clone(), end: end.clone(), not_before });
        self.enforce_budget();
        match &end.outcome {
            ReviewOutcome::Given(given) if given.verdict == ReviewVerdict::ChangesRequested => {
                self.changes_requested(at, given);
            }
            outcome => {
                if let Some(why) = outcome.failure()
                    && self.failed_reviews(at) >= failures
                {
                    self.settle_review(at, &format!("it could not be reviewed: {why}"));
                }
            }
        }
    }

    /// The next worker gets the feedback; after some rounds a person decides.
    fn changes_requested(&mut self, at: TaskIndex, given: &Review) {
        let reason = Rejection::ReviewRejected {
            summary: given.summary.clone(),
            issues: given.issues.clone(),
        };
        let rejected = self.run.task(at).retries.reviews_rejected + 1;
        if rejected < self.run.settings().review.rounds.max(1) {
            return self.reject(at, reason, AttemptCounts::Yes);
        }
        let mut why =
            format!("reviewers asked for changes {rejected} times, last: {}", given.summary);
        if rejected == 1 {
            why = format!("the reviewer asks for changes: {}", given.summary);
        }
        for issue in given.issues.iter().take(MAX_LISTED_ISSUES) {
            why.push_str("\n- ");
            why.push_str(&issue.describe());
        }
        self.settle_review(at, &why);
    }

    /// What the policy for failures says, else a person.
    fn settle_review(&mut self, at: TaskIndex, why: &str) {
        match self.run.settings().on_failure {
            OnFailure::Skip => self.skip_reviewed(at, why),
            // The question stays for the next start: nobody has approved the work.
            OnFailure::Abort => {
                self.ask_about_review(at, why);
                self.abort_over_review(at, why);
            }
            OnFailure::Ask | OnFailure::Retry => self.ask_about_review(at, why),
        }
    }

    fn abort_over_review(&mut self, at: TaskIndex, why: &str) {
        let task = &self.run.plan().task(at).id;
        let first = why.lines().next().unwrap_or_default();
        self.abort(format!("task {task}: {first}"));
    }

    fn ask_about_review(&mut self, at: TaskIndex, why: &str) {
        let task = &self.run.plan().task(at).id;
        let text = format!("the checks of task {task} pass, but {why}");
        let options = vec![
            DecisionOption::new("accept", "land the work as it is"),
            DecisionOption::new("retry", "a fresh worker tries again with the feedback"),
            DecisionOption::new("review", "ask another reviewer"),
            DecisionOption::new("skip", "continue without the task"),
            DecisionOption::new("abort", "end the run here"),
        ];
        self.ask(at, QuestionTopic::Review, text, options);
    }

    /// A person's answer about reviewed work; `review` needs nothing but the answer itself.
    pub(super) fn review_answered(&mut self, question: &Question, answer: &str, by: &str) {
        let at = self.index(&question.task);
        match answer {
            "accept" => self.waive_review(at, by),
            "retry" => {
                let reason = self.review_rejection(at);
                self.reject(at, reason, AttemptCounts::No);
            }
            "skip" => {
                let first = question.text.lines().next().unwrap_or_default().to_owned();
                self.skip_reviewed(at, &first);
            }
            _ => {}
        }
    }

    fn waive_review(&mut self, at: TaskIndex, by: &str) {
        if let Some(attempt) = self.run.task(at).attempt().cloned() {
            self.record(Event::ReviewWaived { attempt, by: by.to_owned() });
        }
    }

    fn skip_reviewed(&mut self, at: TaskIndex, why: &str) {
        let reason = self.review_rejection(at);
        self.reject(at, reason, AttemptCounts::No);
        let task = self.run.plan().task(at).id.clone();
        let reason = why.lines().next().unwrap_or_default().to_owned();
        self.record(Event::TaskSkipped { task, reason });
    }

    fn review_rejection(&self, at: TaskIndex) -> Rejection {
        match &self.run.task(at).last.review {
            Some(last) => Rejection::ReviewRejected {
                summary: last.summary.clone(),
                issues: last.issues.clone(),
            },
            None => Rejection::Trouble { message: "the work could not be reviewed".to_owned() },
        }
    }

    /// A reviewer of the driver before is gone, and reviews may be wanted now, or no longer.
    pub(super) fn resume_reviews(&mut self) {
        for at in self.run.active() {
            self.request_review(at);
            let TaskStage::Reviewing { work, harvest, review, .. } = &self.run.task(at).stage
            else {
                continue;
            };
            let (attempt, number) = (work.attempt.clone(), review.number);
            let (is_wanted, activity) = (self.wants_review(at, harvest), review.activity.clone());
            if let ReviewActivity::Running(_) = activity {
                let review = ReviewId { attempt, number };
                let end = ReviewEnd::unused(ReviewOutcome::Lost);
                self.record(Event::ReviewEnded { review, end, not_before: None });
            }
            if !is_wanted && !matches!(activity, ReviewActivity::Asked(_)) {
                self.waive_review(at, "the settings");
            }
        }
    }

    /// Policies also answer questions that already wait.
    pub(super) fn apply_review_policy(&mut self, at: TaskIndex) {
        let TaskStage::Reviewing {
            review: ReviewStage { activity: ReviewActivity::Asked(id), .. },
            ..
        } = &self.run.task(at).stage
        else {
            return;
        };
        let (id, first) = (*id, self.run.question(*id).map(|question| question.text.clone()));
        let why = first.unwrap_or_default();
        match self.run.settings().on_failure {
            OnFailure::Skip => self.answer_by_policy(Some(id), "skip", |turn| {
                turn.skip_reviewed(at, &why);
            }),
            OnFailure::Abort => self.abort_over_review(at, &why),
            OnFailure::Ask | OnFailure::Retry => {}
        }
    }

    fn next_review_at(&self, failures: u32, error: &ModelError) -> Timestamp {
        let pause = FIRST_PAUSE.saturating_mul(1 << failures.min(16)).min(LONGEST_PAUSE);
        self.now + error.wait().unwrap_or(pause)
    }

    fn failed_reviews(&self, at: TaskIndex) -> u32 {
        match &self.run.task(at).stage {
            TaskStage::Reviewing { review, .. } => review.failures,
            _ => 0,
        }
    }

    /// Whether this reviewer is at work. A late report of an earlier one changes nothing.
    fn is_reviewing(&self, review: &ReviewId) -> bool {
        let number = self.stage_of(&review.attempt).and_then(running_review);
        number == Some(review.number)
    }

    /// Whether a reviewer of this attempt is at work.
    pub(super) fn has_reviewer(&self, attempt: &AttemptId) -> bool {
        self.stage_of(attempt).is_some_and(|stage| running_review(stage).is_some())
    }
}

/// The number of the review that is running.
fn running_review(stage: &TaskStage) -> Option<u32> {
    match stage {
        TaskStage::Reviewing { review, .. }
            if matches!(review.activity, ReviewActivity::Running(_)) =>
        {
            Some(review.number)
        }
        _ => None,
    }
}
