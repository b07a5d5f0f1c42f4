//! Simulated reviewers.

use afresh_core::Run;
use afresh_core::effect::ReviewRequest;
use afresh_core::ids::{AttemptId, WorkspaceSlot};
use afresh_core::input::Input;
use afresh_core::model_error::{ModelError, ModelErrorClass};
use afresh_core::review::{Review, ReviewEnd, ReviewId, ReviewIssue, ReviewOutcome, ReviewVerdict};
use afresh_core::usage::Usage;

use super::SimulatedWorld;
use crate::simulation::random::SeededRandom;
use crate::simulation::scenario::Scenario;

#[derive(Debug)]
pub(super) struct LiveReviewer {
    review: ReviewId,
    slot: WorkspaceSlot,
}

impl SimulatedWorld {
    pub(super) fn review(
        &mut self,
        request: &ReviewRequest,
        random: &mut SeededRandom,
        scenario: &Scenario,
        run: &Run,
    ) -> Result<Vec<Input>, String> {
        let ReviewRequest { review, slot, .. } = request;
        self.check_reviewer(review, *slot, run)?;
        let reviewer = LiveReviewer { review: review.clone(), slot: *slot };
        self.reviewers.insert(review.attempt.clone(), reviewer);
        if random.chance(scenario.review_fails) {
            return Ok(vec![failed(review, random)]);
        }
        let tokens = random.below(300);
        let seen = Usage { input: tokens / 2, ..Usage::default() };
        let usage = Usage { input: tokens, ..Usage::default() };
        if self.review_spent.insert(review.clone(), usage).is_some() {
            return Err(format!("R2: {review} is started twice"));
        }
        let verdict = if random.chance(scenario.review_rejects) {
            ReviewVerdict::ChangesRequested
        } else {
            ReviewVerdict::Approved
        };
        let description = "this".to_owned();
        let issues = vec![ReviewIssue { file: None, line: None, description }];
        let outcome = ReviewOutcome::Given(Review { verdict, summary: "so".to_owned(), issues });
        let end = ReviewEnd { usage, duration_ms: 1, ..ReviewEnd::unused(outcome) };
        Ok(vec![
            Input::ReviewUsageSeen(review.clone(), seen),
            Input::ReviewEnded(review.clone(), Box::new(end)),
        ])
    }

    /// One reviewer for each attempt, whose worker is gone, in a workspace without unsaved work.
    fn check_reviewer(
        &self,
        review: &ReviewId,
        slot: WorkspaceSlot,
        run: &Run,
    ) -> Result<(), String> {
        let attempt = &review.attempt;
        if self.alive.contains(attempt) || self.reviewers.contains_key(attempt) {
            return Err(format!("R2: {review} starts while another process of {attempt} lives"));
        }
        self.check_reviewers(attempt, slot)?;
        if self.alive.len() + self.reviewers.len() >= usize::from(run.settings().parallel) {
            return Err("EX-01: more workers and reviewers than allowed".to_owned());
        }
        if let Some(last) = self.slots.get(&slot)
            && !self.saved.contains(last)
        {
            return Err(format!("R16: {review} overwrites what {last} left in slot {slot}"));
        }
        Ok(())
    }

    /// No workspace has two users.
    pub(super) fn check_reviewers(
        &self,
        attempt: &AttemptId,
        slot: WorkspaceSlot,
    ) -> Result<(), String> {
        match self.reviewers.values().find(|other| other.slot == slot) {
            Some(other) => Err(format!("R2: {attempt} takes slot {slot} of {}", other.review)),
            None => Ok(()),
        }
    }

    pub(super) fn stop_reviewer(&mut self, attempt: &AttemptId) -> Vec<Input> {
        let Some(reviewer) = self.reviewers.remove(attempt) else { return vec![] };
        let usage = self.review_spent.get(&reviewer.review).copied().unwrap_or_default();
        let end = ReviewEnd { usage, ..ReviewEnd::unused(ReviewOutcome::Stopped) };
        vec![Input::ReviewEnded(reviewer.review, Box::new(end))]
    }

    /// The attempts whose reviewers are alive.
    pub(in crate::simulation) fn reviewed_attempts(&self) -> impl Iterator<Item = &AttemptId> {
        self.reviewers.keys()
    }

    pub(super) fn review_is_over(&mut self, review: &ReviewId) {
        self.reviewers.retain(|_, reviewer| reviewer.review != *review);
    }
}

fn failed(review: &ReviewId, random: &mut SeededRandom) -> Input {
    let outcome = match random.below(3) {
        0 => ReviewOutcome::Unintelligible { reason: "noise".to_owned(), excerpt: String::new() },
        1 => ReviewOutcome::Failed { reason: "exit code 1".to_owned(), error: None },
        _ => ReviewOutcome::Failed {
            reason: String::new(),
            error: Some(ModelError::new(ModelErrorClass::RateLimit, "later")),
        },
    };
    Input::ReviewEnded(review.clone(), Box::new(ReviewEnd::unused(outcome)))
}
