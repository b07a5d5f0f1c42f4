//! EX-08: work that is to be reviewed lands only if a reviewer approved it, or a person or the settings waived that.

use std::collections::BTreeSet;

use afresh_core::event::Event;
use afresh_core::ids::AttemptId;
use afresh_core::review::{Review, ReviewId, ReviewOutcome, ReviewVerdict};
use afresh_core::run::settings::{ReviewWhen, Settings};

#[derive(Debug, Default)]
pub(super) struct ReviewInvariants {
    /// Attempts that left something.
    changed: BTreeSet<AttemptId>,
    /// Attempts that must not land without an approval.
    wanted: BTreeSet<AttemptId>,
    approved: BTreeSet<AttemptId>,
    /// Every review that was ever started.
    started: BTreeSet<ReviewId>,
    running: BTreeSet<ReviewId>,
    /// Those of the driver before.
    orphaned: BTreeSet<ReviewId>,
}

impl ReviewInvariants {
    pub(super) fn note(&mut self, event: &Event, settings: &Settings) -> Result<(), String> {
        match event {
            Event::AttemptHarvested { attempt, harvest } if harvest.commit.is_some() => {
                self.changed.insert(attempt.clone());
            }
            Event::ChecksPassed { attempt, .. } | Event::ContestDecided { attempt }
                if settings.review.when == ReviewWhen::Always && self.changed.contains(attempt) =>
            {
                self.wanted.insert(attempt.clone());
            }
            Event::ReviewRequested { attempt } => {
                self.wanted.insert(attempt.clone());
            }
            Event::ReviewStarting { review, .. } => {
                if let Some(other) = self.running.iter().find(|it| it.attempt == review.attempt) {
                    return Err(format!("R2: {review} starts beside {other}"));
                }
                if !self.started.insert(review.clone()) {
                    return Err(format!("R2: {review} is used twice"));
                }
                if self.approved.contains(&review.attempt) {
                    return Err(format!("EX-08: {review} starts after an approval"));
                }
                self.running.insert(review.clone());
            }
            Event::ReviewEnded { review, end, .. } => {
                if !self.running.remove(review) && !self.orphaned.remove(review) {
                    return Err(format!("R2: a late answer of {review} changes the run"));
                }
                if let ReviewOutcome::Given(Review { verdict: ReviewVerdict::Approved, .. }) =
                    &end.outcome
                {
                    self.approved.insert(review.attempt.clone());
                }
            }
            Event::ReviewWaived { attempt, .. } => {
                self.approved.insert(attempt.clone());
            }
            // Reviewers die with their driver.
            Event::Opened { .. } => self.orphaned = std::mem::take(&mut self.running),
            Event::LandIntended { attempt, receipt, .. } => {
                let is_wanted = self.wanted.contains(attempt);
                if is_wanted && (!self.approved.contains(attempt) || receipt.review.is_none()) {
                    return Err(format!("EX-08: {attempt} lands without an approval"));
                }
            }
            _ => {}
        }
        Ok(())
    }
}
