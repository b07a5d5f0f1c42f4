//! Finished tasks of earlier runs, for forecasts (PL-20). A projection of the journal.

use std::collections::BTreeMap;

use afresh_core::Event;
use afresh_core::check::CheckResult;
use afresh_core::estimate::history::TaskSample;
use afresh_core::ids::{AttemptId, TaskId};
use afresh_core::rejection::Rejection;
use afresh_core::usage::Usage;
use afresh_store::JournalRecord;

use crate::journal_records::{self, RecordError};

/// The events that samples are made from; all others are not even parsed.
const KINDS: &[&str] = &[
    "forecast-made",
    "attempt-starting",
    "usage-counted",
    "attempt-identified",
    "context-seen",
    "attempt-ended",
    "attempt-rejected",
    "checks-passed",
    "land-intended",
    "merged",
];

/// Every finished task of a journal that was estimated before it ran, in the order in which they ended.
pub fn collect_samples(records: &[JournalRecord]) -> Result<Vec<TaskSample>, RecordError> {
    let mut runs: BTreeMap<&str, SampledRun> = BTreeMap::new();
    let mut samples = Vec::new();
    for record in records.iter().filter(|record| KINDS.contains(&record.kind.as_str())) {
        let event = journal_records::to_event(record)?;
        let run = runs.entry(record.run.as_str()).or_default();
        samples.extend(run.note_event(&event));
    }
    Ok(samples)
}

/// The tasks of one run so far.
#[derive(Debug, Default)]
struct SampledRun(BTreeMap<TaskId, SampledTask>);

#[derive(Debug)]
struct SampledTask {
    agent: String,
    raw_tokens: u64,
    model: Option<String>,
    /// Reports of one attempt are running totals.
    usages: BTreeMap<u32, Usage>,
    context_tokens: Option<u64>,
    worked_ms: u64,
}

impl SampledRun {
    /// The sample, if the event finishes a task.
    fn note_event(&mut self, event: &Event) -> Option<TaskSample> {
        match event {
            Event::ForecastMade { forecast } => {
                for task in &forecast.tasks {
                    let new = SampledTask::new(task.agent.clone(), task.raw_tokens);
                    self.0.insert(task.task.clone(), new);
                }
            }
            Event::UsageCounted { attempt, usage } => {
                self.task(attempt)?.use_at_least(attempt, usage);
            }
            Event::AttemptIdentified { attempt, identity } => {
                let task = self.task(attempt)?;
                task.model = identity.model.clone().or(task.model.take());
            }
            Event::ContextSeen { attempt, fill } => {
                let task = self.task(attempt)?;
                task.context_tokens = task.context_tokens.max(Some(fill.used));
            }
            Event::AttemptEnded { attempt, end } => {
                let task = self.task(attempt)?;
                task.use_at_least(attempt, &end.usage);
                task.worked_ms = task.worked_ms.saturating_add(end.duration_ms);
            }
            Event::AttemptRejected {
                attempt,
                reason: Rejection::ChecksFailed { results } | Rejection::BrokenMerge { results, .. },
                ..
            }
            | Event::ChecksPassed { attempt, results, .. } => {
                self.task(attempt)?.add_checks(results);
            }
            // What a person did, or several agents together, says nothing about one agent.
            Event::AttemptStarting { attempt, by_hand: Some(_), .. }
            | Event::ContestEntered { attempt, .. } => {
                self.0.remove(&attempt.task);
            }
            Event::LandIntended { attempt, receipt, .. } => {
                self.task(attempt)?.add_checks(&receipt.checks);
            }
            Event::Merged { attempt, .. } => return self.task(attempt).map(|task| task.sample()),
            _ => {}
        }
        None
    }

    fn task(&mut self, attempt: &AttemptId) -> Option<&mut SampledTask> {
        self.0.get_mut(&attempt.task)
    }
}

impl SampledTask {
    fn new(agent: String, raw_tokens: u64) -> Self {
        let (usages, context_tokens) = (BTreeMap::new(), None);
        Self { agent, raw_tokens, model: None, usages, context_tokens, worked_ms: 0 }
    }

    fn use_at_least(&mut self, attempt: &AttemptId, usage: &Usage) {
        let used = self.usages.entry(attempt.number).or_default();
        *used = used.at_least(usage);
    }

    fn add_checks(&mut self, results: &[CheckResult]) {
        let ran = results.iter().filter(|result| !result.reused);
        let lasted = ran.map(|result| result.duration_ms).fold(0, u64::saturating_add);
        self.worked_ms = self.worked_ms.saturating_add(lasted);
    }

    fn sample(&self) -> TaskSample {
        TaskSample {
            agent: self.agent.clone(),
            model: self.model.clone(),
            raw_tokens: self.raw_tokens,
            usage: self.usages.values().fold(Usage::default(), |sum, used| sum.plus(used)),
            context_tokens: self.context_tokens,
            worked_ms: self.worked_ms,
        }
    }
}
