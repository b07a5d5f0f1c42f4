//! The end of an attempt: how its process ended, what it answered, and what it used.

use std::fs;

use afresh_agents::ProgramEnd;
use afresh_core::Input;
use afresh_core::input::AttemptEnd;
use afresh_core::model_error::{ModelError, ModelErrorClass};
use afresh_core::outcome::Outcome;
use afresh_core::printable;
use afresh_core::process::ProcessEnd;
use afresh_formats::result::{self, ResultContext};
use afresh_git::WorkspaceId;
use afresh_process::JobReport;
use afresh_secrets::redact;

use super::AttemptJob;
use super::files::{AttemptFiles, end_of};
use super::starting::failure;
use crate::driver::clock;
use crate::execution_config::ExecutionConfig;
use crate::executor::ExecutorContext;
use crate::executor::attempt::output::OutputFollower;
use crate::executor::sandbox::denials;
use crate::mailbox::REFUSED_RESULT;

/// How much of a refused report is shown.
const REPORT_CHARS: usize = 500;
/// How many lines of advice an error has at most.
const ADVICE_LINES: usize = 8;
/// How much of a failed program's last line is shown.
const LAST_WORDS_CHARS: usize = 200;

impl AttemptJob {
    pub(super) fn conclude(
        &self,
        shared: &ExecutorContext,
        report: &JobReport,
        files: &AttemptFiles,
        follower: Option<&OutputFollower>,
    ) -> Input {
        let ending = match &report.ended {
            Ok(ending) => *ending,
            Err(error) => {
                let hint = "check the agent's `command` in .afresh/config.toml";
                return Input::SpawnFailed(
                    self.attempt.clone(),
                    failure(&error.message, Some(hint)),
                );
            }
        };
        let used = follower.map(OutputFollower::used).unwrap_or_default();
        let outcome = self.answer(shared, files, follower);
        let mut end = AttemptEnd::new(ending, outcome, used, report.wall_ms);
        let complaints = end_of(&files.stderr);
        end.error = self.not_started(shared, ending, report, &complaints);
        if let (Some(follower), None) = (follower, &end.error) {
            end.models = follower.models();
            end.error = match ending {
                // A worker that we stopped may report an error about that.
                ProcessEnd::Stopped => follower.hopeless().cloned(),
                _ => follower.error(&program_end(ending, &complaints)),
            };
        }
        end.time_limit_ms = time_limit(ending, &shared.config);
        end.last_words = last_words(ending, &[&complaints, &end_of(&files.stdout)]);
        end.refusals = denials::of_worker(
            shared,
            WorkspaceId::Work(self.slot),
            &report.enforced_limits,
            files.room.as_ref(),
            &[&end_of(&files.stdout), &complaints],
        );
        // Whatever else ended it ended its whole process tree, too.
        if matches!(ending, ProcessEnd::Exited(_) | ProcessEnd::Signaled(_)) {
            end.refusals.extend(denials::of_left_behind(report.left_behind));
        }
        self.ended(end)
    }

    /// Why its program did not start, although its sandbox did.
    fn not_started(
        &self,
        shared: &ExecutorContext,
        ending: ProcessEnd,
        report: &JobReport,
        stderr: &str,
    ) -> Option<ModelError> {
        let ProcessEnd::Exited(code) = ending else { return None };
        if shared.config.sandbox.level.is_off() || report.stdout_bytes > 0 {
            return None;
        }
        let why = afresh_sandbox::start_failure(code, stderr)?;
        let level = shared.config.sandbox.level.word();
        let agent = self.agent.as_deref().unwrap_or(&shared.config.workers.default_agent);
        let message = format!("{agent} does not start in the sandbox ({level}): {why}");
        Some(ModelError::new(ModelErrorClass::NotStarted, message))
    }

    /// A worker's answer: its result file if it wrote one, else its final text. If its output is its answer, the end
    /// of that output.
    fn answer(
        &self,
        shared: &ExecutorContext,
        files: &AttemptFiles,
        follower: Option<&OutputFollower>,
    ) -> Outcome {
        let prompt = fs::read_to_string(&files.prompt).unwrap_or_default();
        let task = &self.bundle.task;
        let steps = task.steps.iter().map(|step| step.name.as_str());
        let asked = ResultContext {
            task: task.id.as_str(),
            names: std::iter::once(task.title.as_str()).chain(steps).collect(),
            prompt: &prompt,
        };
        let printed = || end_of(&files.stdout);
        // Its output was redacted on its way to disk; the worker wrote this file itself.
        let raw = end_of(&files.result);
        let written = redact(&raw, &shared.config.workers.secrets());
        if written != raw {
            files.rewrite_result(&written);
        }
        if !written.trim().is_empty() {
            let text = follower.map_or_else(printed, |follower| follower.final_text().to_owned());
            return result::read_file(&written, &text, &asked);
        }
        let outcome = match follower {
            Some(follower) => follower.outcome(&asked),
            None => result::read(&printed(), &asked),
        };
        match refused_report(files) {
            Some(refused) if outcome.is_missing() => refused,
            _ => outcome,
        }
    }
}

/// The limit that a program ran into.
fn time_limit(ending: ProcessEnd, config: &ExecutionConfig) -> Option<u64> {
    let limit = match ending {
        ProcessEnd::TimedOut => config.attempt_timeout,
        ProcessEnd::WentSilent => config.silence_timeout,
        _ => None,
    };
    limit.map(|limit| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX))
}

/// The last line that a failed program printed: to its standard error, else to its output.
fn last_words(ending: ProcessEnd, printed: &[&str]) -> Option<String> {
    if matches!(ending, ProcessEnd::Exited(0)) {
        return None;
    }
    let last_line = |text: &&str| {
        let plain = printable::without_colors(text);
        let line = reason_line(&plain)?;
        Some(printable::line(line).chars().take(LAST_WORDS_CHARS).collect())
    };
    printed.iter().find_map(last_line)
}

/// The last line; if that is only advice, the error above it.
fn reason_line(text: &str) -> Option<&str> {
    let mut lines = text.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    let last = lines.next()?;
    if !["hint:", "help:", "note:", "cause:"].iter().any(|start| last.starts_with(start)) {
        return Some(last);
    }
    Some(lines.take(ADVICE_LINES).find(|line| line.starts_with("error")).unwrap_or(last))
}

/// The last report that was refused: it says more than that there is none.
fn refused_report(files: &AttemptFiles) -> Option<Outcome> {
    let text = end_of(&files.worker.join(REFUSED_RESULT));
    let (why, report) = text.split_once('\n')?;
    let excerpt = report.chars().take(REPORT_CHARS).collect();
    Some(Outcome::Unintelligible { reason: format!("its report was refused: {why}"), excerpt })
}

fn program_end(ending: ProcessEnd, stderr: &str) -> ProgramEnd<'_> {
    let exit = match ending {
        ProcessEnd::Exited(code) => Some(code),
        _ => None,
    };
    ProgramEnd { exit, at_s: clock::wall_seconds(), stderr }
}

#[cfg(test)]
mod tests {
    use super::reason_line;

    /// B38: the reason is the last line, or the error that advice at the end is about.
    #[test]
    fn advice_is_no_reason() {
        let ours = "starting\nerror: cannot read the result\n  cause: no such file\n  hint: name a file\n\n";
        assert_eq!(reason_line(ours), Some("error: cannot read the result"));
        assert_eq!(reason_line("error: first\nno API key\n"), Some("no API key"));
        assert_eq!(reason_line("hint: use another branch\n"), Some("hint: use another branch"));
        assert_eq!(reason_line("\n \n"), None);
    }
}
