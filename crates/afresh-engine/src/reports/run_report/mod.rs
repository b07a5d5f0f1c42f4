//! The summary of a run, as plain data (EX-10, LO-03).
//!
//! A projection of the journal: [`RunReport::from_run`] reads it, and changes nothing. Markdown, JSON and pages
//! are rendered from it. Texts of plans and workers are in it as they were recorded; the renderers make them
//! printable.

mod agents;
mod attempts;
mod base;
mod denials;
mod files;
mod forecast;
mod landings;
mod models;
mod next;
mod questions;
mod receipt_notes;
mod requirements;
mod reviews;

use std::collections::BTreeMap;

use afresh_core::Event;
use afresh_core::check::CheckResult;
use afresh_core::hook::HookFailure;
use afresh_core::ids::{CommitId, RunId, TaskId, TreeId};
use afresh_core::outcome::{CriterionReport, Deviation};
use afresh_core::plan::Contest;
use afresh_core::run::{FinalChecks, Run};
use afresh_core::status::trace::history::TextHistory;
use afresh_core::status::{ReceiptStatus, RunState, RunStatus, TaskPhase, UsageStatus};
use afresh_core::usage::Usage;
use schemars::JsonSchema;
use serde::Serialize;

pub use agents::AgentReport;
pub use attempts::{AttemptReport, AttemptResult};
pub use base::{BaseReport, EarlierFailureReport, ProbedCheckReport};
pub use denials::DenialReport;
pub use files::FilesReport;
pub use forecast::{ForecastReport, TaskEstimateReport, WorkScore};
pub use models::ModelUsageReport;
pub use next::{NextStep, next_steps};
pub use questions::QuestionReport;
pub use receipt_notes::NoteReport;
pub use requirements::{RequirementGap, RequirementsReport};
pub use reviews::{ReviewReport, ReviewResult};

use crate::journal_records::{self, RecordError};
use crate::reports::flaky::{FlakyCheck, FlakyHistory};
use crate::session::RecordedRun;
use attempts::AttemptHistory;

/// What `afresh report --json` prints.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct RunReport {
    pub run: RunId,
    pub plan: String,
    pub state: RunState,
    /// A driver is running it right now.
    pub driven: bool,
    pub branch: String,
    pub base: CommitId,
    pub tip: CommitId,
    /// The user's current branch, if it contains all of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landed_on: Option<String>,
    pub started_at: String,
    /// The time of the last event.
    pub last_at: String,
    /// How long a driver was running; breaks between two drivers do not count.
    pub driven_ms: u64,
    /// How workers and checks were sandboxed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// The resource limits of each job, and what enforced them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<String>,
    pub counts: BTreeMap<TaskPhase, usize>,
    pub tasks: Vec<TaskReport>,
    pub waves: Vec<WaveReport>,
    /// Attempts of tasks that a plan change removed.
    pub dropped: Vec<AttemptReport>,
    pub files: FilesReport,
    /// What was measured before the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<BaseReport>,
    pub final_checks: Option<FinalChecksReport>,
    /// Checks that failed and passed on the same tree.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flaky: Vec<FlakyCheck>,
    /// None if the plan states no requirements.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requirements: Option<RequirementsReport>,
    pub questions: Vec<QuestionReport>,
    pub accounts: UsageReport,
    /// What reviews used of that; none if nothing was reviewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_accounts: Option<UsageReport>,
    /// Usage by model, if programs report it.
    pub models: Vec<ModelUsageReport>,
    /// Usage by agent, with the results.
    pub agents: Vec<AgentReport>,
    /// None for runs of versions that made no forecast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forecast: Option<ForecastReport>,
    /// How well the plan worked.
    pub score: WorkScore,
    /// Receipts that are missing in the git notes, or unsigned although a key is configured.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub note_problems: Vec<NoteReport>,
    /// Hooks that failed, the newest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hook_failures: Vec<HookFailure>,
    /// What is wrong with the run as a whole, besides its tasks.
    pub error: Option<String>,
    pub next: Vec<NextStep>,
}

#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct TaskReport {
    pub id: TaskId,
    pub title: String,
    /// Counted from 1.
    pub wave: u32,
    pub state: TaskPhase,
    /// Why it failed, was skipped or is blocked.
    pub error: Option<String>,
    pub commits: Vec<CommitId>,
    /// The proof, for a task that is done.
    pub receipt: Option<ReceiptStatus>,
    /// Where the worker's report and the facts differ.
    pub differences: Vec<String>,
    /// The category of the last worker's error, as reported by the worker.
    pub error_category: Option<String>,
    /// The criteria that the last worker reports as met, with its evidence.
    pub criteria: Vec<CriterionReport>,
    /// What the worker reports to have done beyond its task.
    pub deviations: Vec<Deviation>,
    /// The worker's notes.
    pub notes: Option<String>,
    /// The agents that competed for it, and whose work was to land.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contest: Option<Contest>,
    pub attempts: Vec<AttemptReport>,
    pub accounts: UsageReport,
}

#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct WaveReport {
    /// Counted from 1.
    pub number: u32,
    pub tasks: Vec<TaskId>,
    pub accounts: UsageReport,
}

/// The final checks, on the last tree.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct FinalChecksReport {
    pub tree: TreeId,
    pub passed: bool,
    pub results: Vec<CheckResult>,
    /// Tasks that the plan marks as done, although a check of them fails.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refuted: Vec<RefutedTaskReport>,
}

/// A task that is marked as done, and the check of it that fails.
#[derive(Debug, Clone, PartialEq, JsonSchema, Serialize)]
pub struct RefutedTaskReport {
    pub task: TaskId,
    pub command: String,
}

/// What was used. A price that was not reported is unknown, not zero.
#[derive(Debug, Clone, Copy, PartialEq, JsonSchema, Serialize)]
pub struct UsageReport {
    /// Attempts that had a process.
    pub attempts: usize,
    /// Those that reported no price.
    pub without_price: usize,
    /// Those that reported no tokens.
    pub without_tokens: usize,
    pub tokens: u64,
    #[serde(flatten)]
    pub usage: UsageStatus,
    /// The total working time of the workers.
    pub worked_ms: u64,
}

impl UsageReport {
    /// What workers used.
    fn from_attempts<'a>(attempts: impl IntoIterator<Item = &'a AttemptReport>) -> Self {
        let processes = attempts.into_iter().filter(|attempt| attempt.had_process());
        Self::sum(processes.map(|attempt| (attempt.used, attempt.duration_ms)))
    }

    /// What their reviewers used; `attempts` is the number of reviews.
    fn from_reviews<'a>(attempts: impl IntoIterator<Item = &'a AttemptReport>) -> Self {
        let reviews = attempts.into_iter().flat_map(|attempt| &attempt.reviews);
        Self::sum(reviews.map(|review| (review.used, review.duration_ms)))
    }

    /// What workers and reviewers used; `attempts` is the number of attempts.
    fn with_reviews<'a>(attempts: impl IntoIterator<Item = &'a AttemptReport> + Clone) -> Self {
        let workers = Self::from_attempts(attempts.clone());
        let every = attempts.into_iter().filter(|attempt| attempt.had_process());
        let all = every.flat_map(|attempt| {
            let reviews = attempt.reviews.iter().map(|review| (review.used, review.duration_ms));
            std::iter::once((attempt.used, attempt.duration_ms)).chain(reviews)
        });
        let without_tokens = workers.without_tokens;
        Self { attempts: workers.attempts, without_tokens, ..Self::sum(all) }
    }

    fn sum(parts: impl Iterator<Item = (Usage, Option<u64>)>) -> Self {
        let mut sum = Usage::default();
        let (mut count, mut without_price, mut without_tokens, mut worked_ms) = (0, 0, 0, 0_u64);
        for (used, duration_ms) in parts {
            count += 1;
            without_price += usize::from(used.cost_micros.is_none());
            without_tokens += usize::from(used.tokens() == 0);
            worked_ms = worked_ms.saturating_add(duration_ms.unwrap_or(0));
            sum = sum.plus(&used);
        }
        let (tokens, usage) = (sum.tokens(), UsageStatus::from(&sum));
        Self { attempts: count, without_price, without_tokens, tokens, usage, worked_ms }
    }
}

/// What the report needs besides the journal.
#[derive(Debug, Clone)]
pub struct ReportContext {
    /// A driver is running this run right now.
    pub is_driven: bool,
    /// Commands without a name use this run.
    pub is_last: bool,
    /// The user's branch that contains all of it.
    pub landed_on: Option<String>,
    /// Formats a time; calendars are the command's responsibility.
    pub moment: fn(i64) -> String,
}

impl RunReport {
    pub fn from_run(found: &RecordedRun, around: ReportContext) -> Result<Self, RecordError> {
        let run = &found.run;
        let mut attempts = AttemptHistory::new(around.moment);
        let mut landings = landings::LandingHistory::default();
        let mut questions = questions::QuestionHistory::new(around.moment);
        let mut flaky = FlakyHistory::default();
        let mut texts = TextHistory::default();
        let (mut note_problems, mut hook_failures) = (Vec::new(), Vec::new());
        let mut conflicts = 0;
        for record in &found.records {
            let event = journal_records::to_event(record)?;
            attempts.note_event(&event, record.wall_ms);
            attempts.undo(&landings.note_event(&event));
            questions.note_event(&event, record.wall_ms);
            flaky.note_event(&event);
            texts.note_event(&event);
            conflicts += usize::from(forecast::is_conflict(&event));
            note_problems.extend(NoteReport::from_event(&event));
            if let Event::HookFailed { failure } = &event {
                hook_failures.push(failure.clone());
            }
        }
        let moment = |record: Option<&afresh_store::JournalRecord>| {
            record.map_or_else(String::new, |record| (around.moment)(record.wall_ms))
        };
        let status = RunStatus::from_run(run);
        let tasks = tasks(run, &status, &mut attempts);
        let dropped = attempts.rest();
        let driven_ms = found.last_at.0;
        let everything = || tasks.iter().flat_map(|task| &task.attempts).chain(&dropped);
        let accounts = UsageReport::with_reviews(everything());
        let review_accounts = UsageReport::from_reviews(everything());
        let totals = forecast::RunTotals { state: status.state, driven_ms, accounts };
        let forecast = ForecastReport::new(run, &tasks, &totals);
        Ok(Self {
            run: run.id().clone(),
            plan: run.plan().name.clone(),
            state: status.state,
            driven: around.is_driven,
            branch: run.branch().to_owned(),
            base: run.base().clone(),
            tip: run.tip().clone(),
            started_at: moment(found.records.first()),
            last_at: moment(found.records.last()),
            driven_ms,
            sandbox: status.sandbox,
            limits: status.limits,
            counts: status.counts,
            waves: waves(run, &tasks),
            files: FilesReport::from_receipts(landings.receipts()),
            measured: base::base_report(run),
            final_checks: final_checks(run),
            flaky: flaky.into_checks(),
            requirements: RequirementsReport::from_run(run, &texts),
            questions: questions.settled(run),
            accounts,
            review_accounts: (review_accounts.attempts > 0).then_some(review_accounts),
            models: models::by_model(everything()),
            agents: agents::by_agent(everything()),
            score: WorkScore::new(&tasks, conflicts, forecast.as_ref()),
            forecast,
            note_problems,
            hook_failures,
            error: status.error,
            next: next_steps(run, &around),
            landed_on: around.landed_on,
            dropped,
            tasks,
        })
    }
}

fn tasks(run: &Run, status: &RunStatus, attempts: &mut AttemptHistory) -> Vec<TaskReport> {
    let statuses = run.plan().indices().zip(&status.tasks);
    statuses
        .map(|(at, status)| {
            let own = attempts.take_task(&status.id);
            TaskReport {
                id: status.id.clone(),
                title: status.title.clone(),
                wave: run.plan().wave(at),
                state: status.state,
                error: status.error.clone(),
                commits: status.commits.clone(),
                receipt: status.receipt.clone(),
                differences: status.differences.clone(),
                error_category: status.error_category.clone(),
                criteria: status.criteria.clone(),
                deviations: status.deviations.clone(),
                notes: status.notes.clone(),
                contest: run.plan().task(at).contest.clone(),
                accounts: UsageReport::with_reviews(&own),
                attempts: own,
            }
        })
        .collect()
}

fn waves(run: &Run, tasks: &[TaskReport]) -> Vec<WaveReport> {
    let waves = run.plan().waves().into_iter().zip(1..);
    waves
        .map(|(positions, number)| WaveReport {
            number,
            tasks: positions.iter().map(|at| tasks[at.position()].id.clone()).collect(),
            accounts: UsageReport::with_reviews(
                positions.iter().flat_map(|at| &tasks[at.position()].attempts),
            ),
        })
        .collect()
}

fn final_checks(run: &Run) -> Option<FinalChecksReport> {
    let FinalChecks::Ended { tree, results, .. } = run.final_checks() else { return None };
    // Work that landed afterwards made another tree, of which they say nothing.
    if run.tip_tree().is_some_and(|tip| tip != tree) {
        return None;
    }
    let passed = results.iter().all(CheckResult::is_accepted);
    let refuted = run.refuted_marks().into_iter().map(|mark| RefutedTaskReport {
        task: mark.task.id.clone(),
        command: mark.result.command.clone(),
    });
    let refuted = refuted.collect();
    Some(FinalChecksReport { tree: tree.clone(), passed, results: results.clone(), refuted })
}

#[cfg(test)]
mod tests {
    use super::*;
    use afresh_core::ids::AttemptId;

    fn attempt(number: u32, used: Usage) -> AttemptReport {
        let task = TaskId::new("T1").expect("an id");
        let mut attempt = AttemptReport::new(&AttemptId { task, number });
        attempt.started_at = Some(String::new());
        attempt.use_at_least(&used);
        attempt
    }

    /// LO-03: known prices are added up; unknown ones are counted, never taken as zero.
    #[test]
    fn an_unknown_price_is_counted_and_not_added() {
        let known =
            Usage { input: 10, output: 5, cost_micros: Some(1_500_000), ..Usage::default() };
        let silent = Usage::default();
        let sum = UsageReport::from_attempts(&[attempt(1, known), attempt(2, silent)]);
        assert_eq!((sum.attempts, sum.without_price, sum.without_tokens), (2, 1, 1));
        assert_eq!((sum.tokens, sum.usage.cost_usd), (15, Some(1.5)));
        let nothing = UsageReport::from_attempts(&[attempt(1, silent)]);
        assert_eq!(nothing.usage.cost_usd, None);
    }
}
