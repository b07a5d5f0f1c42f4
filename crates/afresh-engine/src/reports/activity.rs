//! The activity log (LO-01): one line per transition, for people and for `grep`.
//!
//! `[moment] [LEVEL] [who] event: message`. A projection of the journal: never read back.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use afresh_core::Event;
use afresh_core::comment::TaskComment;
use afresh_core::denial;
use afresh_core::harvest::Harvest;
use afresh_core::ids::TaskId;
use afresh_core::printable;
use afresh_core::probe::count_classes;
use afresh_core::rejection::Rejection;
use afresh_core::review::{Review, ReviewIssue, ReviewOutcome, ReviewVerdict};

use super::activity_batches::describe_batch_event;
use crate::driver::reporter::{RecordedEvent, Reporter};

#[derive(Debug)]
pub struct ActivityLog {
    file: File,
    /// Formats a time; calendars are the command's responsibility.
    moment: fn(i64) -> String,
}

impl ActivityLog {
    pub fn open(path: &Path, moment: fn(i64) -> String) -> std::io::Result<Self> {
        Ok(Self { file: OpenOptions::new().create(true).append(true).open(path)?, moment })
    }
}

impl Reporter for ActivityLog {
    fn event_recorded(&mut self, seen: &RecordedEvent<'_>) {
        let at = (self.moment)(seen.wall_ms);
        let text: String = lines(seen.event).iter().map(|line| line.render(&at) + "\n").collect();
        // The log is a convenience; the journal has everything.
        let _ = self.file.write_all(text.as_bytes());
    }
}

/// What one event says in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivityLine {
    pub level: &'static str,
    pub who: String,
    pub event: &'static str,
    pub message: String,
}

impl ActivityLine {
    /// The line as it is written.
    pub fn render(&self, at: &str) -> String {
        let Self { level, who, event, message } = self;
        format!("[{at}] [{level}] [{who}] {event}: {}", one_line(message))
    }
}

/// Text that a worker printed must not end a line or move the cursor.
pub fn one_line(text: &str) -> String {
    printable::line(text).chars().take(500).collect()
}

/// The log lines of an event: its own, and one for each denial.
pub fn lines(event: &Event) -> Vec<ActivityLine> {
    let (level, who, name, message) = describe(event);
    let own = ActivityLine { level, who, event: name, message };
    let refused = denial::met(event).into_iter().map(|met| ActivityLine {
        level: "WARN",
        who: met.attempt.map_or_else(|| "afresh".to_owned(), ToString::to_string),
        event: "refused",
        message: met.describe(),
    });
    std::iter::once(own).chain(refused).collect()
}

fn changed_paths(harvest: &Harvest) -> String {
    match harvest.changes.len() {
        1 => "1 path changed".to_owned(),
        number => format!("{number} paths changed"),
    }
}

/// Enough of an object id for people.
pub(super) fn short(id: &str) -> &str {
    id.get(..10).unwrap_or(id)
}

/// The level and the message of a review that ended.
fn describe_review(outcome: &ReviewOutcome) -> (&'static str, String) {
    match outcome {
        ReviewOutcome::Given(Review { verdict: ReviewVerdict::Approved, summary, .. }) => {
            ("INFO", format!("approved: {summary}"))
        }
        ReviewOutcome::Given(Review { summary, issues, .. }) => {
            let mut lines = vec![format!("changes requested: {summary}")];
            lines.extend(issues.iter().map(ReviewIssue::describe));
            ("WARN", lines.join("; "))
        }
        ReviewOutcome::Stopped => ("INFO", "stopped; another one starts later".to_owned()),
        ReviewOutcome::Lost => ("INFO", "was running when afresh ended".to_owned()),
        failed => ("WARN", failed.failure().unwrap_or_default()),
    }
}

pub(super) type ActivityParts = (&'static str, String, &'static str, String);

#[expect(clippy::too_many_lines, reason = "one arm per event, and each says one thing")]
fn describe(event: &Event) -> ActivityParts {
    let ours = || "afresh".to_owned();
    match event {
        Event::ChecksDeferred { .. }
        | Event::GatheringStarted { .. }
        | Event::BatchStarted { .. }
        | Event::BatchPassed { .. }
        | Event::BatchFailed { .. }
        | Event::PrefixesChosen { .. }
        | Event::PrefixChecked { .. }
        | Event::MergesPostponed { .. }
        | Event::MergeFailed { .. } => describe_batch_event(event),
        Event::RunStarted { run, plan, branch, .. } => {
            ("INFO", ours(), "run-started", format!("{run}: {} tasks on {branch}", plan.len()))
        }
        Event::Opened { epoch } => {
            ("INFO", ours(), "opened", format!("driver {epoch} opened the run"))
        }
        Event::AgentsHeldBack => {
            ("INFO", ours(), "by-hand", "no agent starts; a person drives the run".to_owned())
        }
        Event::PlanChanged { plan } => {
            ("INFO", ours(), "plan-changed", format!("{} tasks", plan.len()))
        }
        Event::SettingsChanged { settings } => {
            let described = settings.describe();
            let parts = described.iter().map(|(name, value)| format!("{name}: {value}"));
            let message = parts.collect::<Vec<_>>().join(", ");
            ("INFO", ours(), "settings-changed", message)
        }
        Event::ForecastMade { forecast } => {
            let tokens = forecast.expected.and_then(|expected| expected.tokens);
            let message = tokens.map_or_else(
                || "no history".to_owned(),
                |it| format!("{} tokens, at most {} in nine of ten cases", it.p50, it.p90),
            );
            ("INFO", ours(), "forecast", message)
        }
        Event::AttemptStarting { attempt, slot, by_hand: Some(by), .. } => (
            "INFO",
            attempt.to_string(),
            "spawn",
            format!("{by} works by hand in workspace {slot}"),
        ),
        Event::AttemptStarting { attempt, slot, resumes: Some(resumption), .. } => (
            "INFO",
            attempt.to_string(),
            "resume",
            format!("continues attempt {} in workspace {slot}", resumption.of),
        ),
        Event::AttemptStarting { attempt, slot, agent: Some(agent), .. } => (
            "INFO",
            attempt.to_string(),
            "spawn",
            format!("a fresh worker by {agent} in workspace {slot}"),
        ),
        Event::AttemptStarting { attempt, slot, .. } => {
            ("INFO", attempt.to_string(), "spawn", format!("a fresh worker in workspace {slot}"))
        }
        Event::AttemptSpawned { attempt } => {
            ("INFO", attempt.to_string(), "spawned", "the worker is running".to_owned())
        }
        Event::PromptMeasured { attempt, fill } => (
            "DEBUG",
            attempt.to_string(),
            "prompt",
            format!("{} tokens, {} % of {}", fill.used, fill.percent(), fill.window),
        ),
        Event::SpawnFailed { attempt, failure, .. } => {
            ("ERROR", attempt.to_string(), "spawn-failed", failure.message.clone())
        }
        Event::UsageCounted { attempt, usage } => {
            ("DEBUG", attempt.to_string(), "usage", format!("{} tokens", usage.tokens()))
        }
        Event::AttemptIdentified { attempt, identity } => {
            let parts = [("session", &identity.session), ("model", &identity.model)];
            let known = parts.iter().filter_map(|(what, value)| Some((what, value.as_ref()?)));
            let said: Vec<String> = known.map(|(what, value)| format!("{what} {value}")).collect();
            ("INFO", attempt.to_string(), "identified", said.join(", "))
        }
        Event::ContextSeen { attempt, fill } => (
            "DEBUG",
            attempt.to_string(),
            "context",
            format!("{} % of {} tokens", fill.percent(), fill.window),
        ),
        Event::ContextWarned { attempt, fill } => (
            "WARN",
            attempt.to_string(),
            "context-warned",
            format!("{} % of its context is full; worker warned", fill.percent()),
        ),
        Event::AttemptInterrupted { attempt, conversation } => {
            let message = match conversation {
                Some(it) => format!("conversation {} can be continued", it.session),
                None => "the next worker is given what it left".to_owned(),
            };
            ("INFO", attempt.to_string(), "interrupted", message)
        }
        Event::ContextReached { attempt, fill } => (
            "WARN",
            attempt.to_string(),
            "context-reached",
            format!("{} % of its context is full; a fresh worker continues", fill.percent()),
        ),
        Event::AgentParked { agent, tier, why, .. } => {
            let agent = agent.as_deref().unwrap_or("the run's agent");
            let message = format!("{agent}, {} model: {why}", tier.word());
            ("WARN", ours(), "agent-parked", message)
        }
        Event::AttemptEnded { attempt, end } => (
            "INFO",
            attempt.to_string(),
            "spawn-complete",
            format!("{} after {} ms", end.ending.describe(), end.duration_ms),
        ),
        Event::AttemptHarvested { attempt, harvest } => {
            ("INFO", attempt.to_string(), "harvested", changed_paths(harvest))
        }
        Event::NoteWarned { attempt, problem } => {
            ("WARN", attempt.to_string(), "receipt-note", problem.describe())
        }
        Event::HookFailed { failure } => {
            let who = failure.attempt.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
            ("WARN", who, "hook-failed", failure.describe())
        }
        Event::WorkerLogged { attempt, level, event, message } => {
            (level.word(), attempt.to_string(), "worker", format!("{event}: {message}"))
        }
        Event::StepClaimed { attempt, step, .. } => {
            ("DEBUG", attempt.to_string(), "step-claimed", format!("step {step}"))
        }
        Event::StepSaved { attempt, step, harvest } => (
            "DEBUG",
            attempt.to_string(),
            "step-saved",
            format!("step {step}: {}", changed_paths(harvest)),
        ),
        Event::StepDone { attempt, step, .. } => {
            ("INFO", attempt.to_string(), "step-done", format!("step {step}"))
        }
        Event::StepRefused { attempt, step, reason } => (
            "WARN",
            attempt.to_string(),
            "step-refused",
            format!("step {step}: {}", reason.describe()),
        ),
        Event::StepsDropped { task } => {
            ("INFO", task.to_string(), "steps-dropped", "the next worker starts over".to_owned())
        }
        Event::LeavingsSaved { attempt } => {
            ("INFO", attempt.to_string(), "leavings-saved", "its task left the plan".to_owned())
        }
        Event::AttemptRejected { attempt, reason, .. } => {
            let level = if matches!(reason, Rejection::Stopped | Rejection::Asked) {
                "INFO"
            } else {
                "WARN"
            };
            (level, attempt.to_string(), "rejected", reason.describe())
        }
        Event::AttemptAccepted { attempt, differences } => {
            let message = if differences.is_empty() {
                "all changes are within the task".to_owned()
            } else {
                differences.join("; ")
            };
            ("INFO", attempt.to_string(), "in-scope", message)
        }
        Event::RedSeen { attempt, .. } => {
            let message = "the check fails before the work, as it should".to_owned();
            ("INFO", attempt.to_string(), "red-seen", message)
        }
        Event::ContestEntered { attempt, .. } => (
            "INFO",
            attempt.to_string(),
            "entry",
            "passed its checks; the other agents try next".to_owned(),
        ),
        Event::ContestForfeited { task, reason } => {
            ("WARN", task.to_string(), "forfeit", format!("the next agent tries: {reason}"))
        }
        Event::ContestDecided { attempt } => {
            ("INFO", attempt.to_string(), "chosen", "its work lands next".to_owned())
        }
        Event::ChecksPassed { attempt, tree, results } => (
            "INFO",
            attempt.to_string(),
            "validation",
            match results.len() {
                1 => format!("1 check passed on tree {}", short(tree.as_str())),
                count => format!("{count} checks passed on tree {}", short(tree.as_str())),
            },
        ),
        Event::ChecksStopped { attempt, .. } => (
            "INFO",
            attempt.as_ref().map_or_else(ours, ToString::to_string),
            "checks-stopped",
            "they run again when the run continues".to_owned(),
        ),
        Event::ChecksResumed { attempt } => {
            ("INFO", attempt.to_string(), "checks-resumed", "checks run again".to_owned())
        }
        Event::ReviewRequested { attempt } => {
            ("INFO", attempt.to_string(), "review", "a reviewer is next".to_owned())
        }
        Event::ReviewStarting { review, slot, agent, tier, .. } => (
            "INFO",
            review.attempt.to_string(),
            "review-spawn",
            format!("reviewer {} ({agent}, {}) in workspace {slot}", review.number, tier.word()),
        ),
        Event::ReviewUsageCounted { review, usage } => (
            "DEBUG",
            review.attempt.to_string(),
            "review-usage",
            format!("{} tokens", usage.tokens()),
        ),
        Event::ReviewEnded { review, end, .. } => {
            let (level, message) = describe_review(&end.outcome);
            (level, review.attempt.to_string(), "review-ended", message)
        }
        Event::ReviewWaived { attempt, by } => {
            let message = format!("accepted by {by} without an approval");
            ("WARN", attempt.to_string(), "review-waived", message)
        }
        Event::MergeStarted { attempt, onto } => {
            ("INFO", attempt.to_string(), "merge", format!("onto {}", short(onto.as_str())))
        }
        Event::MergeBuilt { attempt, merged } => (
            "INFO",
            attempt.to_string(),
            "merge-built",
            format!("tree {}", short(merged.tree.as_str())),
        ),
        Event::LandIntended { attempt, merged, .. } if merged.unwritten.is_some() => {
            let why = merged.unwritten.as_deref().unwrap_or_default();
            let message = format!(
                "{}; the plan's files do not say that {} is done: {why}",
                short(merged.commit.as_str()),
                attempt.task
            );
            ("WARN", attempt.to_string(), "landing", message)
        }
        Event::LandIntended { attempt, merged, .. } => {
            ("INFO", attempt.to_string(), "landing", short(merged.commit.as_str()).to_owned())
        }
        Event::LandDelayed { attempt, why } => {
            ("ERROR", attempt.to_string(), "landing-delayed", why.clone())
        }
        Event::Merged { attempt, commit } => (
            "INFO",
            attempt.to_string(),
            "task-result",
            format!("{} merged as {}", attempt.task, short(commit.as_str())),
        ),
        Event::BranchRestoreAllowed { attempt, foreign } => (
            "WARN",
            attempt.to_string(),
            "branch-restored",
            format!("{} is kept under refs/afresh/salvage", short(foreign.as_str())),
        ),
        Event::TaskFailed { task, reason } => {
            ("ERROR", task.to_string(), "task-result", format!("failed: {reason}"))
        }
        Event::TaskSkipped { task, reason } => {
            ("WARN", task.to_string(), "task-result", format!("skipped: {reason}"))
        }
        Event::TaskSettled { task, how } => {
            ("INFO", task.to_string(), "task-result", format!("settled: {how}"))
        }
        Event::NeedIgnored { task } => {
            ("WARN", task.to_string(), "ignored", "its dependents continue without it".to_owned())
        }
        Event::TaskRetried { task } => {
            ("INFO", task.to_string(), "retried", "fresh workers try again".to_owned())
        }
        Event::TaskCommented { task, comment, .. } => (
            "INFO",
            comment.by.clone(),
            "comment",
            format!("{}: {}", place_of(task, comment), printable::join_lines(&comment.text)),
        ),
        Event::CommentRead { attempt, comment } => {
            ("INFO", attempt.to_string(), "comment-read", format!("comment {comment}"))
        }
        Event::Aborted { reason, .. } => ("ERROR", ours(), "aborted", reason.clone()),
        Event::QuestionAsked { question } => (
            "WARN",
            question.task.to_string(),
            "question",
            format!("{}: {}", question.id, printable::join_lines(&question.text)),
        ),
        Event::QuestionAnswered { question, answer, by } => {
            ("INFO", by.clone(), "answer", format!("{question}: {answer}"))
        }
        Event::HaltRequested { now, reason, by, .. } => {
            ("WARN", by.clone(), if *now { "halt-now" } else { "halt" }, reason.clone())
        }
        Event::HaltCleared => ("INFO", ours(), "halt-cleared", "tasks may start again".to_owned()),
        Event::BudgetReached { spent } => (
            "WARN",
            ours(),
            "budget-reached",
            format!("{} tokens, {} micro-dollars", spent.tokens, spent.cost_micros),
        ),
        Event::LandingInherited { from, task, commit, .. } => (
            "INFO",
            task.to_string(),
            "inherited",
            format!("merged in run {from} as {}", short(commit.as_str())),
        ),
        Event::RewindWanted { wave } => {
            ("WARN", ours(), "rewind", format!("to before wave {wave}"))
        }
        Event::RewindRequested { to, by } => {
            ("WARN", by.clone(), "rewind", format!("to {}", short(to.as_str())))
        }
        Event::RewindIntended { from, to } => (
            "WARN",
            ours(),
            "rewinding",
            format!("from {} to {}", short(from.as_str()), short(to.as_str())),
        ),
        Event::Rewound { to } => ("WARN", ours(), "rewound", short(to.as_str()).to_owned()),
        Event::RewindGivenUp { why } => ("ERROR", ours(), "not-rewound", why.clone()),
        Event::ProbeStarted { commit } => {
            ("INFO", ours(), "probe", format!("running checks on {}", short(commit.as_str())))
        }
        Event::Probed { checks, .. } => ("INFO", ours(), "probed", count_classes(checks)),
        Event::FinalChecksStarted { tree } => {
            let on = tree.as_ref().map_or_else(
                || "on the base".to_owned(),
                |tree| format!("on tree {}", short(tree.as_str())),
            );
            ("INFO", ours(), "final-checks", on)
        }
        Event::FinalChecked { results, .. } => {
            let failed = results.iter().filter(|result| !result.is_accepted()).count();
            let level = if failed == 0 { "INFO" } else { "ERROR" };
            (
                level,
                ours(),
                "validation",
                format!("final checks: {} passed, {failed} failed", results.len() - failed),
            )
        }
    }
}

/// The task, or the part of a change, that a comment is on.
fn place_of(task: &TaskId, comment: &TaskComment) -> String {
    match &comment.on {
        None => task.to_string(),
        Some(on) => format!("{task}.{}, {}", on.attempt, printable::line(&on.to_string())),
    }
}
