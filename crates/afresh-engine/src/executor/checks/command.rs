//! One check: a command in its own process tree, with a time limit, and what it printed.

use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use afresh_checks::{TestReport, add_up, fingerprint, read_test_reports};
use afresh_core::check::{CheckEnd, CheckResult, TestTally};
use afresh_core::ids::AttemptId;
use afresh_core::plan::Check;
use afresh_core::printable;
use afresh_process::{JobLimits, JobReport, JobSpec, ProcessEnd, RunningJob, StopSignal};
use afresh_secrets::redact_value;

use super::slots::{CheckTicket, OccupiedSlot};
use super::written_reports::read_written_reports;
use crate::executor::sandbox::denials;
use crate::executor::sandbox::{SandboxGuard, SandboxSubject};
use crate::worker_files::open_plain;

/// How many bytes of one check's output are kept on disk.
const OUTPUT_BYTES: u64 = 8 * 1024 * 1024;
/// How many bytes of its end go to the journal and to the next worker.
const TAIL_BYTES: usize = 4_000;
const GRACE: Duration = Duration::from_secs(2);

/// A check, and where it runs.
#[derive(Debug)]
pub(super) struct CheckCommand<'a> {
    pub(super) check: &'a Check,
    pub(super) ticket: CheckTicket,
    /// Whose work is checked, if it is one attempt's.
    pub(super) attempt: Option<&'a AttemptId>,
    pub(super) log: PathBuf,
    pub(super) limit: Duration,
    /// Variables of its own.
    pub(super) variables: Vec<(&'static str, String)>,
}

/// How a check ended, and what its output shows.
#[derive(Debug)]
pub(super) struct EndedCheck {
    pub(super) result: CheckResult,
    pub(super) output: String,
    pub(super) reports: Vec<TestReport>,
}

impl OccupiedSlot<'_> {
    /// Runs one command; none if it was stopped.
    pub(super) fn run(&self, command: &CheckCommand<'_>) -> Result<Option<EndedCheck>, String> {
        let argv = ["/bin/sh", "-c", &command.check.command].map(str::to_owned).to_vec();
        let started_at = SystemTime::now();
        let Some((report, guard)) = self.run_job(argv, command)? else { return Ok(None) };
        let end = match report.ended {
            Err(error) => CheckEnd::NotStarted(error.message),
            Ok(ProcessEnd::Stopped) => return Ok(None),
            Ok(ProcessEnd::Exited(code)) => CheckEnd::Exited(code),
            Ok(ProcessEnd::Signaled(signal)) => CheckEnd::Signaled(signal),
            Ok(ProcessEnd::TimedOut | ProcessEnd::WentSilent) => CheckEnd::TimedOut,
            Ok(ProcessEnd::OverLimit(limit)) => CheckEnd::OverLimit(limit),
            Ok(ProcessEnd::SupervisorLost | ProcessEnd::Lost) => {
                return Err("the supervisor of a check was killed".to_owned());
            }
        };
        let output = read_output(&command.log);
        let mut reports = read_test_reports(&command.check.command, &output);
        if reports.is_empty() {
            let tree = self.shared.pool.tree(self.place());
            reports = read_written_reports(&tree, &command.check.command, started_at);
        }
        let output_tail = tail_of(&command.log);
        let denied = denials::of_program(
            self.shared,
            &report.enforced_limits,
            guard.as_ref(),
            &[&output_tail],
        );
        let left = denials::of_left_behind(report.left_behind);
        let limit_ms = u64::try_from(command.limit.as_millis()).unwrap_or(u64::MAX);
        let mut result = CheckResult {
            time_limit_ms: (end == CheckEnd::TimedOut).then_some(limit_ms),
            duration_ms: report.wall_ms,
            output_digest: digest(&command.log),
            refusals: denied.into_iter().chain(left).collect(),
            output_tail,
            tests: self.redacted(add_up(&reports)),
            ..CheckResult::new(command.check, end)
        };
        if !result.passed() {
            result.fingerprint = Some(fingerprint(&result.command, &output));
        }
        Ok(Some(EndedCheck { result, output, reports }))
    }

    /// Names of tests may come from files, which nothing redacted on their way.
    fn redacted(&self, tests: Option<TestTally>) -> Option<TestTally> {
        let secrets = self.shared.config.workers.secrets();
        tests.map(|tests| redact_value(tests, &secrets))
    }

    /// What the shell says about a command line that is no valid one; nothing of it is executed.
    pub(super) fn find_syntax_error(&self, command: &CheckCommand<'_>) -> Option<String> {
        let argv = ["/bin/sh", "-n", "-c", &command.check.command].map(str::to_owned).to_vec();
        let (report, _guard) = self.run_job(argv, command).ok()??;
        if report.ended == Ok(ProcessEnd::Exited(0)) {
            return None;
        }
        let output = read_output(&command.log);
        let first = output.lines().find(|line| !line.trim().is_empty());
        Some(printable::line(first.unwrap_or("the shell cannot read the command")))
    }

    /// Runs a program in the workspace; none if the checks were stopped meanwhile.
    fn run_job(
        &self,
        argv: Vec<String>,
        command: &CheckCommand<'_>,
    ) -> Result<Option<(JobReport, Option<SandboxGuard>)>, String> {
        let config = &self.shared.config;
        let mut own = vec![("AFRESH_RUN", self.shared.run.to_string())];
        if let Some(attempt) = command.attempt {
            own.push(("AFRESH_TASK", attempt.task.to_string()));
        }
        own.extend(command.variables.iter().cloned());
        let job = JobSpec {
            name: format!("{}check-{}", self.shared.job_prefix, self.slot),
            argv,
            wrapper: vec![],
            cwd: self.shared.pool.tree(self.place()),
            env: self.shared.environment(&config.workers.check_env, &own).into_iter().collect(),
            stdin: None,
            stdout: command.log.clone(),
            stderr: command.log.clone(),
            secrets: config.workers.secrets(),
            limits: JobLimits {
                wall: Some(command.limit),
                silence: None,
                output_bytes: OUTPUT_BYTES,
                grace: GRACE,
                stop_signal: StopSignal::Terminate,
            },
            tree_limits: config.bounds.clone(),
            containment: config.containment,
            registry: self.shared.layout.processes(),
        };
        let (job, guard) = self.shared.enclosed(job, &SandboxSubject::Check)?;
        let mut running =
            RunningJob::start(&config.exe, &job).map_err(|error| error.to_string())?;
        self.handle.attach(running.stopper());
        let report = running.wait();
        // The result of a check that we stopped means nothing.
        let is_void = self.shared.check_slots.is_void(command.ticket);
        Ok((!is_void).then_some((report, guard)))
    }
}

/// Makes room for a log file. The worker may have put a link in its place that leads elsewhere, or a pipe that blocks us.
pub(super) fn new_log(log: &Path) -> Result<(), String> {
    let directory = log.parent().unwrap_or(log);
    if !fs::symlink_metadata(directory).is_ok_and(|found| found.is_dir()) {
        let _ = fs::remove_file(directory);
    }
    fs::create_dir_all(directory)
        .map_err(|error| format!("cannot make {}: {error}", directory.display()))?;
    let _ = fs::remove_file(log);
    Ok(())
}

fn digest(log: &Path) -> String {
    let mut hash = blake3::Hasher::new();
    if let Ok(file) = open_plain(log) {
        let _ = hash.update_reader(file);
    }
    hash.finalize().to_hex().to_string()
}

/// Everything that it printed, within the limit.
fn read_output(log: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = open_plain(log) {
        let _ = file.take(OUTPUT_BYTES * 2).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The beginning and the end of an output, printable: some programs print their help after the error.
pub(crate) fn ends_of(log: &Path) -> String {
    let mut head = Vec::new();
    let length = open_plain(log).and_then(|file| {
        let length = file.metadata()?.len();
        file.take(TAIL_BYTES as u64).read_to_end(&mut head)?;
        Ok(length)
    });
    let tail = tail_of(log);
    match length {
        Ok(length) if length > TAIL_BYTES as u64 => {
            let head = printable::lines(&String::from_utf8_lossy(&head));
            let whole = head.rsplit_once('\n').map_or(head.as_str(), |(lines, _)| lines);
            let rest = tail.split_once('\n').map_or(tail.as_str(), |(_, lines)| lines);
            format!("{whole}\n[…]\n{rest}")
        }
        _ => tail,
    }
}

/// The end of an output, printable: no control characters except line breaks.
fn tail_of(log: &Path) -> String {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut file = open_plain(log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES as u64)))?;
        let mut bytes = Vec::new();
        file.take(TAIL_BYTES as u64).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let text = String::from_utf8_lossy(&read().unwrap_or_default()).into_owned();
    printable::lines(&text)
}
