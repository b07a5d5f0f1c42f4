//! Why an attempt was rejected, for people and for the next worker.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::CheckResult;
use crate::ids::TaskId;
use crate::model_error::{ModelError, ModelErrorClass};
use crate::process::LimitExceeded;
use crate::process::{ProcessEnd, describe_signal};
use crate::review::ReviewIssue;
use crate::scope::ScopeViolation;
use crate::time::render_span;
use crate::usage::ContextFill;

/// Why an attempt was rejected; the next worker is given this too (PR-07).
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(tag = "why", rename_all = "kebab-case")]
pub enum Rejection {
    /// It changed files that it may not change.
    OutOfScope {
        violations: Vec<ScopeViolation>,
    },
    /// It claimed success and changed nothing, although files were expected.
    NoChange,
    /// It claimed success, and files that the task was to create are not there (EX-07).
    FilesMissing {
        paths: Vec<String>,
    },
    ChecksFailed {
        results: Vec<CheckResult>,
    },
    /// A check that must fail before the work already passed.
    NotRed {
        results: Vec<CheckResult>,
    },
    /// Work that landed meanwhile changed the same lines.
    Conflict {
        paths: Vec<String>,
        detail: String,
    },
    /// It passed alone, and failed together with work that landed meanwhile.
    BrokenMerge {
        results: Vec<CheckResult>,
        /// What had landed since it started: something of it breaks with this work.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        with: Vec<TaskId>,
    },
    /// The worker reported that it failed.
    GaveUp {
        failed_at: String,
        error: String,
        output: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        category: Option<String>,
    },
    /// The worker reported that only a part is done.
    Partial {
        reason: String,
    },
    /// The worker reported that something else has to be done first.
    Blocked {
        reason: String,
        /// The unfinished tasks that it waits for; none if a person is asked.
        by: Vec<TaskId>,
    },
    /// Its answer could not be understood.
    Unintelligible {
        reason: String,
        excerpt: String,
    },
    /// Its process failed.
    Died {
        ending: ProcessEnd,
        /// The last line that it printed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        last_words: Option<String>,
    },
    TimedOut {
        ending: ProcessEnd,
        /// The limit; earlier versions did not record it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit_ms: Option<u64>,
        /// How long it ran.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ran_ms: Option<u64>,
    },
    /// It exceeded a resource limit.
    OverLimit {
        excess: LimitExceeded,
        /// Why its work could not be saved completely.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unsaved: Option<String>,
    },
    /// Its model failed.
    ModelFailed {
        error: ModelError,
    },
    /// Its context reached the hard limit.
    ContextFull {
        fill: ContextFill,
    },
    /// The run was halted or the budget was reached.
    Stopped,
    /// It was running when afresh was killed.
    Orphaned,
    /// The conversation of the previous attempt could not be continued.
    NotResumed {
        reason: String,
    },
    /// It stopped to ask; the answer goes to the next worker.
    Asked,
    /// A person refused the change.
    Refused {
        paths: Vec<String>,
    },
    /// Its checks passed, but a reviewer wants changes.
    ReviewRejected {
        summary: String,
        issues: Vec<ReviewIssue>,
    },
    /// Something on our side failed; this says nothing about the work.
    Trouble {
        message: String,
    },
}

impl Rejection {
    /// One line for people.
    pub fn describe(&self) -> String {
        match self {
            Self::OutOfScope { violations } => {
                let first = violations
                    .first()
                    .map(|v| format!("{} {}", v.path, v.why.explain()))
                    .unwrap_or_default();
                match violations.len() {
                    0 | 1 => first,
                    n => format!("{first} (and {} more)", n - 1),
                }
            }
            Self::NoChange => "no-op: the worker exited normally but changed no files".to_owned(),
            Self::FilesMissing { paths } => {
                let verb = if paths.len() == 1 { "is" } else { "are" };
                format!("{} {verb} to be created, and missing", paths.join(", "))
            }
            Self::ChecksFailed { results } => failed(results),
            Self::NotRed { results } => format!(
                "{} passes before the work is done, so it proves nothing",
                results.last().map_or("a check", |r| r.command.as_str())
            ),
            Self::Conflict { paths, .. } => {
                format!("conflicts with work that landed meanwhile: {}", paths.join(", "))
            }
            Self::BrokenMerge { results, with } => {
                let with = match &with[..] {
                    [] => "work that landed meanwhile".to_owned(),
                    [task] => format!("{task}, which landed meanwhile"),
                    tasks => format!("work that landed meanwhile ({})", join(tasks)),
                };
                format!("passes alone but not with {with}: {}", failed(results))
            }
            Self::GaveUp { error, category: Some(category), .. } => {
                format!("the worker gave up ({category}): {error}")
            }
            Self::GaveUp { error, .. } => format!("the worker gave up: {error}"),
            Self::Partial { reason } => format!("partial: {reason}"),
            Self::Blocked { reason, by } if by.is_empty() => format!("blocked: {reason}"),
            Self::Blocked { reason, by } => {
                let tasks: Vec<&str> = by.iter().map(TaskId::as_str).collect();
                format!("blocked until {} is done: {reason}", tasks.join(", "))
            }
            Self::Unintelligible { reason, .. } => format!("unintelligible answer: {reason}"),
            Self::Died { ending, last_words } => describe_death(*ending, last_words.as_deref()),
            Self::TimedOut { ending, limit_ms, ran_ms } => {
                describe_timeout(*ending, *limit_ms, *ran_ms)
            }
            Self::OverLimit { excess, unsaved } => {
                let what = excess.describe();
                let rest = unsaved.as_ref().map(|why| format!("; {why}")).unwrap_or_default();
                format!("failed:limit: it {what}, and was ended with all that it had started{rest}")
            }
            Self::ModelFailed { error } => error.describe(),
            Self::ContextFull { fill } => {
                format!("failed:context: {} % of its context was full", fill.percent())
            }
            Self::Stopped => "ended by afresh before it was finished".to_owned(),
            Self::Orphaned => "was running when afresh ended".to_owned(),
            Self::NotResumed { reason } => format!("could not continue the conversation: {reason}"),
            Self::Asked => "stopped to ask".to_owned(),
            Self::Refused { paths } => {
                format!("a person refused the change to {}", paths.join(", "))
            }
            Self::ReviewRejected { summary, issues } => describe_review(summary, issues),
            Self::Trouble { message } => message.clone(),
        }
    }
}

/// What a reviewer wants changed, in a line.
fn describe_review(summary: &str, issues: &[ReviewIssue]) -> String {
    let first = summary.lines().next().filter(|line| !line.is_empty());
    let what = first.map_or_else(
        || issues.first().map(ReviewIssue::describe).unwrap_or_default(),
        str::to_owned,
    );
    match issues.len() {
        0 => format!("the review asks for changes: {what}"),
        1 => format!("the review asks for changes: {what} (1 issue)"),
        count => format!("the review asks for changes: {what} ({count} issues)"),
    }
}

/// What a worker did not do in time, the limit, the setting that it comes from, and how long the worker ran.
fn describe_timeout(ending: ProcessEnd, limit_ms: Option<u64>, ran_ms: Option<u64>) -> String {
    let limit = limit_ms.map(|limit| render_span(Duration::from_millis(limit)));
    // People do not read milliseconds of a long time.
    let seconds = |ran: u64| Duration::from_secs(Duration::from_millis(ran).as_secs());
    let ran = ran_ms.map(|ran| format!("; it ran for {}", render_span(seconds(ran))));
    let ran = ran.unwrap_or_default();
    match (ending, limit) {
        (ProcessEnd::WentSilent, Some(limit)) => {
            format!("failed:timeout: no output for {limit} (`run.silence_timeout`){ran}")
        }
        (ProcessEnd::WentSilent, None) => {
            "failed:timeout: no output for longer than `run.silence_timeout`".to_owned()
        }
        (_, Some(limit)) => {
            format!("failed:timeout: the worker did not end within {limit} (`run.attempt_timeout`)")
        }
        (_, None) => {
            "failed:timeout: the worker did not end within `run.attempt_timeout`".to_owned()
        }
    }
}

/// How a program failed, with the last line that it printed.
pub(crate) fn describe_death(ending: ProcessEnd, last_words: Option<&str>) -> String {
    let how = match ending {
        ProcessEnd::Signaled(signal) => {
            format!("failed:signal: the worker was ended by {}", describe_signal(signal))
        }
        ProcessEnd::Exited(code) => format!("failed:exit: the worker ended with exit code {code}"),
        _ => return "failed:lost: the worker's supervisor was killed".to_owned(),
    };
    last_words.map_or(how.clone(), |words| format!("{how}: {words}"))
}

impl Rejection {
    /// Whether its program failed, for whatever reason.
    pub(crate) fn is_death(&self) -> bool {
        let unknown = |error: &ModelError| error.class == ModelErrorClass::Unknown;
        matches!(self, Self::Died { .. })
            || matches!(self, Self::ModelFailed { error } if unknown(error))
    }

    /// Whether it was interrupted from outside.
    pub fn is_interruption(&self) -> bool {
        match self {
            Self::Stopped | Self::Orphaned => true,
            Self::Died { ending, .. } => ending.is_by_signal(),
            Self::ModelFailed { error } => error.is_passing(),
            _ => false,
        }
    }

    /// Whether it says something about the work, not about what surrounds it.
    pub(crate) fn is_about_work(&self) -> bool {
        !matches!(
            self,
            Self::Stopped
                | Self::Orphaned
                | Self::NotResumed { .. }
                | Self::Asked
                | Self::Trouble { .. }
                | Self::ModelFailed { .. }
        )
    }

    /// The fingerprint of the check that failed first (TR-09).
    pub(crate) fn fingerprint(&self) -> Option<&str> {
        match self {
            Self::ChecksFailed { results } | Self::BrokenMerge { results, .. } => {
                let failed = results.iter().find(|result| !result.is_accepted())?;
                failed.fingerprint.as_deref()
            }
            _ => None,
        }
    }

    /// The end of the output of the worker or a check, if that is informative.
    pub fn printed(&self) -> String {
        match self {
            Self::ChecksFailed { results } | Self::BrokenMerge { results, .. } => {
                let failed = results.iter().find(|result| !result.is_accepted());
                failed.map(|result| result.output_tail.clone()).unwrap_or_default()
            }
            Self::GaveUp { output, .. } => output.clone(),
            Self::Unintelligible { excerpt, .. } => excerpt.clone(),
            _ => String::new(),
        }
    }

    /// Everything that the next worker needs to fix it, in a few lines.
    pub fn explain(&self) -> String {
        let mut lines = vec![self.describe()];
        match self {
            Self::OutOfScope { violations } => {
                let rest = violations.iter().skip(1).take(20);
                lines.extend(rest.map(|v| format!("{} {}", v.path, v.why.explain())));
            }
            Self::ReviewRejected { issues, .. } => {
                lines.extend(issues.iter().take(20).map(ReviewIssue::describe));
            }
            _ => lines.push(self.printed()),
        }
        lines.join("\n")
    }
}

fn failed(results: &[CheckResult]) -> String {
    results
        .iter()
        .find(|result| !result.is_accepted())
        .map_or_else(|| "a check failed".to_owned(), CheckResult::describe)
}

/// `T1, T2 and 3 more`.
fn join(tasks: &[TaskId]) -> String {
    const NAMED: usize = 5;
    let named: Vec<&str> = tasks.iter().take(NAMED).map(TaskId::as_str).collect();
    match tasks.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeout(ending: ProcessEnd, limit_ms: Option<u64>) -> String {
        let ran_ms = limit_ms.map(|_| 1_500_400);
        Rejection::TimedOut { ending, limit_ms, ran_ms }.describe()
    }

    /// AG-09: earlier versions did not record limits, and their journals are still read.
    #[test]
    fn a_timeout_names_its_limit_its_setting_and_the_time_that_passed() {
        assert_eq!(
            timeout(ProcessEnd::WentSilent, Some(600_000)),
            "failed:timeout: no output for 10m (`run.silence_timeout`); it ran for 25m"
        );
        assert_eq!(
            timeout(ProcessEnd::TimedOut, Some(90_000)),
            "failed:timeout: the worker did not end within 90s (`run.attempt_timeout`)"
        );
        let old: Rejection =
            serde_json::from_str(r#"{"why":"timed-out","ending":"timed-out"}"#).expect("a reason");
        assert_eq!(
            old.describe(),
            "failed:timeout: the worker did not end within `run.attempt_timeout`"
        );
    }
}
