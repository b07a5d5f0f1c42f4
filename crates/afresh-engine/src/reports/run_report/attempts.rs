//! Every attempt of a run: when it ran, what it used, and how it ended.

use std::collections::BTreeMap;

use afresh_core::Event;
use afresh_core::denial;
use afresh_core::ids::{AttemptId, CommitId, TaskId};
use afresh_core::input::{AgentIdentity, AttemptEnd};
use afresh_core::review::ReviewId;
use afresh_core::status::{ContextStatus, UsageStatus};
use afresh_core::usage::Usage;
use schemars::JsonSchema;
use serde::Serialize;

use super::agents::AgentSelection;
use super::denials::DenialReport;
use super::landings::LandedCommit;
use super::models::ModelUsageReport;
use super::reviews::ReviewReport;

#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct AttemptReport {
    pub attempt: String,
    #[serde(skip)]
    pub id: AttemptId,
    pub number: u32,
    pub started_at: Option<String>,
    pub ended_at: Option<String>,
    pub duration_ms: Option<u64>,
    pub result: AttemptResult,
    /// Why it failed.
    pub reason: Option<String>,
    /// Whether it counted against the limit of attempts.
    pub counted: bool,
    pub commit: Option<CommitId>,
    /// How many files its work changes; none if nothing was taken over.
    pub files_changed: Option<usize>,
    /// The agent that it was given to.
    pub agent: Option<String>,
    /// Who made it by hand, if no agent did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<String>,
    /// The model that its program reported.
    pub model: Option<String>,
    /// The program's own id of the conversation.
    pub session: Option<String>,
    /// The attempt whose conversation it continued.
    pub resumes: Option<u32>,
    /// How much of its context the prompt filled.
    pub prompt: Option<ContextStatus>,
    /// How full its context was at the end.
    pub context: Option<ContextStatus>,
    pub usage: UsageStatus,
    /// What reviewers said about its work; their usage is not part of its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<ReviewReport>,
    /// Usage by model, if the program reports it.
    pub models: Vec<ModelUsageReport>,
    /// What it and its checks were denied.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refusals: Vec<DenialReport>,
    /// The same in whole numbers, for adding up.
    #[serde(skip)]
    pub used: Usage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttemptResult {
    /// Nothing has been decided about it yet.
    Underway,
    /// It never had a process.
    NotStarted,
    Rejected,
    Merged,
    /// Its work passed its checks, and that of another agent was chosen, or none yet.
    Passed,
    /// It was merged, and a rewind took it back.
    Undone,
}

impl AttemptResult {
    /// The word that scripts see.
    pub fn word(self) -> &'static str {
        match self {
            Self::Underway => "underway",
            Self::NotStarted => "not-started",
            Self::Rejected => "rejected",
            Self::Merged => "merged",
            Self::Passed => "passed",
            Self::Undone => "undone",
        }
    }
}

impl AttemptReport {
    pub(super) fn new(id: &AttemptId) -> Self {
        Self {
            attempt: id.to_string(),
            id: id.clone(),
            number: id.number,
            started_at: None,
            ended_at: None,
            duration_ms: None,
            result: AttemptResult::Underway,
            reason: None,
            counted: false,
            commit: None,
            files_changed: None,
            agent: None,
            by_hand: None,
            model: None,
            session: None,
            resumes: None,
            prompt: None,
            context: None,
            reviews: Vec::new(),
            models: Vec::new(),
            refusals: Vec::new(),
            usage: UsageStatus::from(&Usage::default()),
            used: Usage::default(),
        }
    }

    pub(super) fn had_process(&self) -> bool {
        self.started_at.is_some()
    }

    /// Reported usage is a running total, and may be reported twice.
    pub(super) fn use_at_least(&mut self, usage: &Usage) {
        self.used = self.used.at_least(usage);
        self.usage = UsageStatus::from(&self.used);
    }

    /// Earlier values stay if a later report has fewer.
    fn identify(&mut self, identity: &AgentIdentity) {
        let AgentIdentity { session, model, .. } = identity.clone();
        self.session = session.or(self.session.take());
        self.model = model.or(self.model.take());
    }

    fn end(&mut self, end: &AttemptEnd, at: String) {
        self.ended_at = Some(at);
        self.duration_ms = Some(end.duration_ms);
        self.use_at_least(&end.usage);
        self.models = end.models.iter().map(ModelUsageReport::from_usage).collect();
    }
}

/// The attempts, updated with each event.
#[derive(Debug)]
pub(super) struct AttemptHistory {
    seen: BTreeMap<TaskId, BTreeMap<u32, AttemptReport>>,
    wanted: AgentSelection,
    moment: fn(i64) -> String,
}

impl AttemptHistory {
    pub(super) fn new(moment: fn(i64) -> String) -> Self {
        Self { seen: BTreeMap::new(), wanted: AgentSelection::default(), moment }
    }

    pub(super) fn note_event(&mut self, event: &Event, wall_ms: i64) {
        let at = (self.moment)(wall_ms);
        self.wanted.note_event(event);
        for met in denial::met(event) {
            let Some(attempt) = met.attempt else { continue };
            self.report_mut(attempt).refusals.push(DenialReport::from_context(&met));
        }
        match event {
            Event::AttemptStarting { attempt, by_hand: Some(by), .. } => {
                self.report_mut(attempt).by_hand = Some(by.clone());
            }
            Event::AttemptStarting { attempt, agent, resumes, .. } => {
                let agent = agent.clone().or_else(|| self.wanted.agent_of_task(&attempt.task));
                let told = self.report_mut(attempt);
                told.agent = agent;
                told.resumes = resumes.as_ref().map(|resumption| resumption.of);
            }
            Event::AttemptSpawned { attempt } => self.report_mut(attempt).started_at = Some(at),
            Event::PromptMeasured { attempt, fill } => {
                self.report_mut(attempt).prompt = Some(ContextStatus::from(*fill));
            }
            Event::SpawnFailed { attempt, failure, .. } => {
                let told = self.report_mut(attempt);
                told.result = AttemptResult::NotStarted;
                told.reason = Some(failure.message.clone());
            }
            Event::UsageCounted { attempt, usage } => self.report_mut(attempt).use_at_least(usage),
            Event::AttemptIdentified { attempt, identity } => {
                self.report_mut(attempt).identify(identity);
            }
            Event::ContextSeen { attempt, fill } => {
                self.report_mut(attempt).context = Some(ContextStatus::from(*fill));
            }
            Event::AttemptEnded { attempt, end } => self.report_mut(attempt).end(end, at),
            Event::AttemptHarvested { attempt, harvest } => {
                self.report_mut(attempt).files_changed = Some(harvest.changes.len());
            }
            Event::ReviewStarting { review, agent, tier, .. } => {
                let report = ReviewReport::new(review, agent, *tier);
                self.report_mut(&review.attempt).reviews.push(report);
            }
            Event::ReviewUsageCounted { review, usage } => {
                if let Some(report) = self.review_mut(review) {
                    report.use_at_least(usage);
                }
            }
            Event::ReviewEnded { review, end, .. } => {
                if let Some(report) = self.review_mut(review) {
                    report.end(end);
                }
            }
            Event::AttemptRejected { attempt, reason, counts, .. } => {
                let told = self.report_mut(attempt);
                told.result = AttemptResult::Rejected;
                told.reason = Some(reason.describe());
                told.counted = *counts;
            }
            Event::ContestEntered { attempt, .. } => {
                self.report_mut(attempt).result = AttemptResult::Passed;
            }
            Event::ContestDecided { attempt } => {
                self.report_mut(attempt).result = AttemptResult::Underway;
            }
            Event::Merged { attempt, commit } => {
                let told = self.report_mut(attempt);
                told.result = AttemptResult::Merged;
                told.commit = Some(commit.clone());
            }
            _ => {}
        }
    }

    /// These landed, and a rewind took them back.
    pub(super) fn undo(&mut self, undone: &[LandedCommit]) {
        for landed in undone {
            let told = self.report_mut(&landed.attempt);
            told.result = AttemptResult::Undone;
            told.reason = Some("it was merged, and the run went back to before that".to_owned());
        }
    }

    fn review_mut(&mut self, review: &ReviewId) -> Option<&mut ReviewReport> {
        let reviews = &mut self.report_mut(&review.attempt).reviews;
        reviews.iter_mut().find(|report| report.number == review.number)
    }

    fn report_mut(&mut self, attempt: &AttemptId) -> &mut AttemptReport {
        let task = self.seen.entry(attempt.task.clone()).or_default();
        task.entry(attempt.number).or_insert_with(|| AttemptReport::new(attempt))
    }

    /// The attempts of one task, in order.
    pub(super) fn take_task(&mut self, task: &TaskId) -> Vec<AttemptReport> {
        self.seen.remove(task).into_iter().flat_map(BTreeMap::into_values).collect()
    }

    /// The attempts that `take_task` did not return.
    pub(super) fn rest(self) -> Vec<AttemptReport> {
        self.seen.into_values().flat_map(BTreeMap::into_values).collect()
    }
}
