//! The progress of a run: one plain line per event, readable without colour.

use std::cell::Cell;
use std::time::{Duration, Instant};

use afresh_core::Event;
use afresh_core::Run;
use afresh_core::check::CheckResult;
use afresh_core::denial::{self, DeniedAction};
use afresh_core::ids::{AttemptId, TaskId};
use afresh_core::probe::ProbedCheck;
use afresh_core::rejection::Rejection;
use afresh_core::review::{Review, ReviewId, ReviewOutcome, ReviewVerdict};
use afresh_core::run::TaskStage;
use afresh_core::time::Timestamp;
use afresh_core::usage::dollars;
use afresh_engine::reports::quiet::QuietWatch;
use afresh_engine::{RecordedEvent, Reporter};

use crate::terminal::output::{Output, Paint, ProgressMode, count, safe};
use afresh_app::agents::agent_backoff;
use afresh_app::text::{measured_base, ongoing_work, time};

#[derive(Debug)]
pub(crate) struct ProgressReporter {
    output: Output,
    started: Instant,
    /// The time that is shown, of a recorded run.
    recorded: Cell<Option<Duration>>,
    questions: QuestionDisplay,
    quiet: QuietWatch,
    /// Whether a line was printed since the quiet watch was told.
    has_printed: Cell<bool>,
}

/// Who tells people about questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuestionDisplay {
    ShownHere,
    AskedElsewhere,
}

impl ProgressReporter {
    pub(crate) fn new(output: Output, questions: QuestionDisplay) -> Self {
        let (started, quiet) = (Instant::now(), QuietWatch::default());
        let (recorded, has_printed) = (Cell::new(None), Cell::new(true));
        Self { output, started, recorded, questions, quiet, has_printed }
    }

    /// What follows happened so long after the start of a recorded run.
    pub(crate) fn show_recorded_time(&self, since: Duration) {
        self.recorded.set(Some(since));
    }

    fn line(&self, mark: &str, paint: Paint, who: &str, text: &str) {
        self.has_printed.set(true);
        let since = self.recorded.get().unwrap_or_else(|| self.started.elapsed());
        let since = time::format_duration(since);
        let mark = self.output.paint(paint, &format!("{mark:>9}"));
        let mut lines = text.lines();
        let first = lines.next().unwrap_or_default();
        self.output.note(&format!("{since:>8} {mark} {who} {}", safe(first)));
        // The end of an output stands below the sentence about it.
        for line in lines.filter(|line| !line.trim().is_empty()) {
            self.output.note(&format!("{:>20}{}", "", safe(line)));
        }
    }
}

impl Reporter for ProgressReporter {
    fn event_recorded(&mut self, seen: &RecordedEvent<'_>) {
        if self.output.progress() == ProgressMode::None {
            return self.question_event(seen.event);
        }
        self.denials(seen.event);
        self.attempt_event(seen.run, seen.event);
        if let Some((who, text)) = agent_backoff::describe_wait(seen) {
            self.line("waits", Paint::Yellow, &who, &text);
        }
        self.task_event(seen.event);
        self.run_event(seen.run, seen.event);
        self.user_event(seen.event);
    }

    fn time_passed(&mut self, run: &Run, now: Timestamp) {
        if self.has_printed.take() {
            self.quiet.note_shown(now);
        }
        let is_visible = self.output.region().is_active();
        let reminders = self.quiet.take_reminder(run, now);
        for work in reminders.into_iter().filter(|_| !is_visible) {
            let (who, text) = ongoing_work::describe(&work);
            self.line(work.activity.word(), Paint::Dim, &who, &text);
        }
        self.has_printed.set(false);
    }

    fn command_refused(&mut self, why: &str) {
        self.line("refused", Paint::Yellow, "-", why);
    }
}

impl ProgressReporter {
    /// What happens to attempts, from start to merge.
    fn attempt_event(&self, run: &Run, event: &Event) {
        match event {
            // The live region has a line for each worker.
            Event::AttemptSpawned { .. } if self.output.region().is_active() => {}
            Event::AttemptSpawned { attempt } => {
                let state = run.state_of(&attempt.task);
                let resumed =
                    state.is_some_and(|state| state.records.resumed.contains_key(&attempt.number));
                let mark = if resumed { "continue" } else { "start" };
                let by_hand = state.and_then(|state| state.records.by_hand.get(&attempt.number));
                let by_hand = by_hand.map(|by| format!(" (by hand: {})", safe(by)));
                let title = title(run, &attempt.task) + &by_hand.unwrap_or_default();
                self.line(mark, Paint::Cyan, &attempt.to_string(), &title);
            }
            Event::ContextWarned { attempt, fill } => {
                let text = format!(
                    "{} % of its context window is used; the worker was notified",
                    fill.percent()
                );
                self.line("context", Paint::Yellow, &attempt.to_string(), &text);
            }
            Event::SpawnFailed { attempt, failure, .. } => {
                let hint =
                    failure.hint.as_ref().map(|hint| format!(" ({hint})")).unwrap_or_default();
                self.line(
                    "no-start",
                    Paint::Red,
                    &attempt.to_string(),
                    &format!("{}{hint}", failure.message),
                );
            }
            Event::StepDone { attempt, step, .. } => {
                let steps = run.plan().index_of(&attempt.task).map(|at| &run.plan().task(at).steps);
                let name = steps.and_then(|all| all.get(*step as usize - 1)).map(|s| &s.name);
                let (of, name) = (steps.map_or(0, Vec::len), name.map_or("", String::as_str));
                let text = format!("step {step} of {of}: {name}");
                self.line("step", Paint::Cyan, &attempt.to_string(), &text);
            }
            Event::StepRefused { attempt, step, reason } => {
                let text = format!("step {step}: {}", reason.describe());
                self.line("refused", Paint::Yellow, &attempt.to_string(), &text);
            }
            Event::AttemptRejected { attempt, reason, .. } => {
                self.rejected(&attempt.to_string(), reason);
            }
            Event::AttemptHarvested { attempt, harvest } if !harvest.notes.is_empty() => {
                self.line("note", Paint::Yellow, &attempt.to_string(), &harvest.notes.join("; "));
            }
            Event::Merged { attempt, commit } => {
                let text = format!("{} ({})", title(run, &attempt.task), &commit.as_str()[..10]);
                self.line("merged", Paint::Green, &attempt.to_string(), &text);
                self.receipt_remarks(run, attempt);
            }
            Event::NoteWarned { attempt, problem } => {
                self.line("note", Paint::Yellow, &attempt.to_string(), &problem.describe());
            }
            Event::HookFailed { failure } => {
                let who = failure.attempt.as_ref().map_or("-".to_owned(), ToString::to_string);
                self.line("hook", Paint::Yellow, &who, &failure.describe());
            }
            Event::LandDelayed { attempt, why } => {
                self.line("delayed", Paint::Red, &attempt.to_string(), why);
            }
            Event::ReviewStarting { review, agent, tier, .. } => {
                let text = format!("by {agent} ({})", tier.word());
                self.line("review", Paint::Cyan, &review.attempt.to_string(), &text);
            }
            Event::ReviewEnded { review, end, .. } => self.review_ended(review, &end.outcome),
            Event::ReviewWaived { attempt, by } => {
                let text = format!("by {by}, without an approval");
                self.line("accepted", Paint::Yellow, &attempt.to_string(), &text);
            }
            Event::ContestEntered { .. }
            | Event::ContestForfeited { .. }
            | Event::ContestDecided { .. } => self.contest_event(run, event),
            Event::ChecksPassed { attempt, results, .. } if self.output.is_verbose() => {
                self.line(
                    "checked",
                    Paint::Dim,
                    &attempt.to_string(),
                    &format!("{} passed", count(results.len(), "check")),
                );
            }
            _ => {}
        }
    }

    /// BE-08: what happens where several agents compete for one task.
    fn contest_event(&self, run: &Run, event: &Event) {
        match event {
            Event::ContestEntered { attempt, .. } => {
                let text = format!("{} passed its checks", contestant(run, attempt));
                self.line("entry", Paint::Cyan, &attempt.to_string(), &text);
            }
            Event::ContestForfeited { task, reason } => {
                self.line("forfeit", Paint::Yellow, task.as_str(), reason);
            }
            Event::ContestDecided { attempt } => {
                let text = format!("the work of {} lands next", contestant(run, attempt));
                self.line("chosen", Paint::Green, &attempt.to_string(), &text);
            }
            _ => {}
        }
    }

    /// A rejection has a line of its own.
    fn review_ended(&self, review: &ReviewId, outcome: &ReviewOutcome) {
        let who = review.attempt.to_string();
        match outcome {
            ReviewOutcome::Given(Review { verdict: ReviewVerdict::Approved, summary, .. }) => {
                let first = summary.lines().next().unwrap_or_default();
                self.line("approved", Paint::Green, &who, first);
            }
            other => {
                if let Some(why) = other.failure() {
                    self.line("no-review", Paint::Yellow, &who, &why);
                }
            }
        }
    }

    /// What a merge rests on that is less than it seems.
    fn receipt_remarks(&self, run: &Run, attempt: &AttemptId) {
        let stage = run.state_of(&attempt.task).map(|state| &state.stage);
        let Some(TaskStage::Done { receipt, .. }) = stage else { return };
        let who = attempt.to_string();
        self.check_remarks(&who, &receipt.checks);
        for path in &receipt.unexecuted_tests {
            let text = format!("no check executed the changed test file {path}");
            self.line("note", Paint::Yellow, &who, &text);
        }
    }

    fn task_event(&self, event: &Event) {
        match event {
            Event::StepsDropped { task } => {
                let text = "its finished steps are no longer valid; the next worker starts over";
                self.line("dropped", Paint::Yellow, task.as_str(), text);
            }
            Event::TaskFailed { task, reason } => {
                self.line("failed", Paint::Red, task.as_str(), reason);
            }
            Event::TaskSkipped { task, reason } => {
                self.line("skipped", Paint::Yellow, task.as_str(), reason);
            }
            Event::TaskSettled { task, how } => {
                self.line("settled", Paint::Green, task.as_str(), how);
            }
            Event::NeedIgnored { task } => {
                let text = "tasks that need it will run without it";
                self.line("ignored", Paint::Yellow, task.as_str(), text);
            }
            Event::TaskRetried { task } => {
                self.line("retry", Paint::Yellow, task.as_str(), "retrying with fresh workers");
            }
            _ => {}
        }
    }

    fn run_event(&self, run: &Run, event: &Event) {
        match event {
            Event::PlanChanged { plan } => {
                self.line(
                    "plan",
                    Paint::Yellow,
                    "-",
                    &format!(
                        "changed; continuing with the new version ({})",
                        count(plan.len(), "task")
                    ),
                );
            }
            Event::ProbeStarted { commit } => {
                let text =
                    format!("running checks on {} before any worker", &commit.as_str()[..10]);
                self.line("probe", Paint::Cyan, "-", &text);
            }
            Event::Probed { checks, .. } => self.measured(run, checks),
            Event::Aborted { reason, .. } => self.line("aborted", Paint::Red, "-", reason),
            Event::FinalChecked { results, .. } => self.finals(run, results),
            Event::Rewound { to } => {
                let text = format!("the branch is back at {}", &to.as_str()[..10]);
                self.line("rewound", Paint::Yellow, "-", &text);
            }
            _ => {}
        }
    }

    /// Denials; those that only a program's output mentions are in the report.
    fn denials(&self, event: &Event) {
        let met = denial::met(event);
        for met in met.iter().filter(|met| met.refusal.what != DeniedAction::Said) {
            let who = met.attempt.map_or_else(|| "-".to_owned(), ToString::to_string);
            self.line("refused", Paint::Yellow, &who, &met.describe());
        }
    }

    /// Questions, answers, halts.
    fn user_event(&self, event: &Event) {
        self.question_event(event);
        match event {
            Event::QuestionAnswered { question, answer, by } => {
                self.line(
                    "answer",
                    Paint::Cyan,
                    &question.to_string(),
                    &format!("{answer} (by {by})"),
                );
            }
            Event::HaltRequested { now, reason, .. } => {
                let how = if *now {
                    "ending running attempts"
                } else {
                    "running attempts finish; a second request ends them"
                };
                self.line("halt", Paint::Yellow, "-", &format!("{reason}; {how}"));
            }
            Event::TaskCommented { task, comment, .. } => {
                let on = comment.on.as_ref().map(|on| format!(" on {on} of .{}", on.attempt));
                let on = on.unwrap_or_default();
                let text = format!("{} (by {}{on})", comment.text, comment.by);
                self.line("comment", Paint::Cyan, task.as_str(), &text);
            }
            Event::CommentRead { attempt, comment } => {
                let text = format!("the worker has comment {comment}");
                self.line("comment", Paint::Dim, &attempt.to_string(), &text);
            }
            Event::HaltCleared => self.line("resume", Paint::Cyan, "-", "halt cleared"),
            Event::BudgetReached { .. } => {
                self.line("budget", Paint::Red, "-", "budget reached; no new attempts");
            }
            _ => {}
        }
    }

    fn question_event(&self, event: &Event) {
        if let Event::QuestionAsked { question } = event
            && self.questions == QuestionDisplay::ShownHere
        {
            self.line("question", Paint::Yellow, &question.id.to_string(), &question.text);
        }
    }

    fn rejected(&self, attempt: &str, reason: &Rejection) {
        let (mark, paint) = match reason {
            Rejection::Orphaned => ("orphan", Paint::Yellow),
            Rejection::Stopped => ("stopped", Paint::Yellow),
            Rejection::NotResumed { .. } => ("afresh", Paint::Yellow),
            Rejection::Asked => ("asks", Paint::Yellow),
            Rejection::Partial { .. } => ("partial", Paint::Yellow),
            Rejection::Blocked { .. } => ("blocked", Paint::Yellow),
            Rejection::Conflict { .. } | Rejection::BrokenMerge { .. } => {
                ("collided", Paint::Yellow)
            }
            _ => ("rejected", Paint::Red),
        };
        self.line(mark, paint, attempt, &reason.describe());
    }

    fn measured(&self, run: &Run, checks: &[ProbedCheck]) {
        for line in measured_base::describe(run, checks) {
            let paint = if line.matters { Paint::Yellow } else { Paint::Cyan };
            self.line(line.mark, paint, &line.who, &line.text);
        }
    }

    /// Checks whose result is not what it seems.
    fn check_remarks(&self, who: &str, results: &[CheckResult]) {
        for result in results.iter().filter(|result| result.is_flaky()) {
            let how = if result.passed() {
                "failed and passed on the same tree"
            } else {
                "failed on the same tree with and without more failures than before the work"
            };
            let text = format!("`{}` {how}", result.command);
            self.line("flaky", Paint::Yellow, who, &text);
        }
    }

    fn finals(&self, run: &Run, results: &[CheckResult]) {
        self.check_remarks("-", results);
        let excused = results.iter().filter(|result| result.excuse.is_some()).count();
        if results.iter().all(CheckResult::is_accepted) {
            let passed = count(results.len() - excused, "check");
            let before = if excused == 0 {
                String::new()
            } else {
                format!("; {excused} failed as before the work, or in quarantine")
            };
            let text = format!("{passed} passed on the final tree{before}");
            self.line("checked", Paint::Green, "-", &text);
        }
        for failure in run.final_failures() {
            self.line("broken", Paint::Red, "-", &failure);
        }
    }
}

/// The agent of an attempt, with what it used.
fn contestant(run: &Run, attempt: &AttemptId) -> String {
    let Some(at) = run.plan().index_of(&attempt.task) else { return String::new() };
    let agent = run.agent_of_attempt(at, attempt.number).unwrap_or("its agent");
    let usage = run.task(at).records.usages.get(&attempt.number).copied().unwrap_or_default();
    match usage.cost_micros {
        Some(cost) => format!("{agent} ({})", dollars(cost)),
        None if usage.tokens() > 0 => format!("{agent} ({} tokens)", usage.tokens()),
        None => agent.to_owned(),
    }
}

fn title(run: &Run, task: &TaskId) -> String {
    let at = run.plan().index_of(task);
    at.map_or_else(String::new, |at| run.plan().task(at).title.clone())
}
