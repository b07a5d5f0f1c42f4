//! Reviews: asked for, started, ended, and what they cost.

use crate::ids::AttemptId;
use crate::review::{Review, ReviewEnd, ReviewId, ReviewOutcome, ReviewReceipt, ReviewVerdict};
use crate::run::task::{ActiveReviewer, ReviewActivity, ReviewStage, TaskStage};
use crate::run::{IllegalEvent, Run};
use crate::time::Timestamp;
use crate::usage::{BudgetAmount, Usage};

impl Run {
    pub(super) fn review_requested(&mut self, attempt: &AttemptId) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let TaskStage::Queued { work, harvest, results } = self.tasks[at].stage.clone() else {
            return Err(self.wrong_stage(at));
        };
        self.leave_merge(at);
        let review = ReviewStage::default();
        self.set(at, TaskStage::Reviewing { work, harvest, results, review });
        Ok(())
    }

    pub(super) fn review_starting(
        &mut self,
        review: &ReviewId,
        reviewer: ActiveReviewer,
    ) -> Result<(), IllegalEvent> {
        let slot = reviewer.slot;
        let stage = self.review_stage(&review.attempt)?;
        stage.number = review.number;
        stage.not_before = None;
        stage.activity = ReviewActivity::Running(reviewer);
        self.slots.insert(slot, review.attempt.clone());
        Ok(())
    }

    pub(super) fn count_review(
        &mut self,
        review: &ReviewId,
        usage: &Usage,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&review.attempt.task)?;
        let key = (review.attempt.number, review.number);
        let counted = self.tasks[at].records.review_usages.entry(key).or_default();
        let before = BudgetAmount::from(&*counted);
        *counted = counted.at_least(usage);
        let after = BudgetAmount::from(&*counted);
        self.note_report(before, after);
        Ok(())
    }

    pub(super) fn review_ended(
        &mut self,
        review: &ReviewId,
        end: &ReviewEnd,
        not_before: Option<Timestamp>,
    ) -> Result<(), IllegalEvent> {
        self.count_review(review, &end.usage)?;
        self.free_slot(&review.attempt);
        let has_failed = end.outcome.failure().is_some();
        let stage = self.review_stage(&review.attempt)?;
        let before = std::mem::take(&mut stage.activity);
        let ReviewActivity::Running(reviewer) = before else {
            stage.activity = before;
            let at = self.index(&review.attempt.task)?;
            return Err(self.wrong_stage(at));
        };
        stage.not_before = not_before;
        stage.failures = if has_failed { stage.failures + 1 } else { 0 };
        if let ReviewOutcome::Given(given) = &end.outcome {
            self.keep_review(review, reviewer, given)?;
        }
        Ok(())
    }

    /// Approved work lands; what is to be changed is decided with the next event.
    fn keep_review(
        &mut self,
        review: &ReviewId,
        reviewer: ActiveReviewer,
        given: &Review,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&review.attempt.task)?;
        self.tasks[at].last.review = Some(ReviewReceipt {
            review: Some(review.clone()),
            agent: reviewer.agent,
            tier: Some(reviewer.tier),
            summary: given.summary.clone(),
            issues: given.issues.clone(),
            accepted_by: None,
        });
        match given.verdict {
            ReviewVerdict::Approved => self.leave_review(&review.attempt),
            ReviewVerdict::ChangesRequested => Ok(()),
        }
    }

    /// A person accepts the work, or no review is wanted any more.
    pub(super) fn review_waived(
        &mut self,
        attempt: &AttemptId,
        by: &str,
    ) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let receipt = self.tasks[at].last.review.get_or_insert(ReviewReceipt {
            review: None,
            agent: String::new(),
            tier: None,
            summary: String::new(),
            issues: Vec::new(),
            accepted_by: None,
        });
        receipt.accepted_by = Some(by.to_owned());
        self.leave_review(attempt)
    }

    fn leave_review(&mut self, attempt: &AttemptId) -> Result<(), IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let TaskStage::Reviewing { work, harvest, results, .. } = self.tasks[at].stage.clone()
        else {
            return Err(self.wrong_stage(at));
        };
        self.merge_queue.push(at);
        self.set(at, TaskStage::Queued { work, harvest, results });
        Ok(())
    }

    pub(super) fn set_review(
        &mut self,
        attempt: &AttemptId,
        activity: ReviewActivity,
    ) -> Result<(), IllegalEvent> {
        self.review_stage(attempt)?.activity = activity;
        Ok(())
    }

    fn review_stage(&mut self, attempt: &AttemptId) -> Result<&mut ReviewStage, IllegalEvent> {
        let at = self.index(&attempt.task)?;
        let wrong = self.wrong_stage(at);
        match &mut self.tasks[at].stage {
            TaskStage::Reviewing { review, .. } => Ok(review),
            _ => Err(wrong),
        }
    }
}
