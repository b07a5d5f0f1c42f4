//! Runs the checks of a plan right here, inside of a check of the planning run: that is a clean tree of the base,
//! sandboxed and supervised already.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use afresh_checks::classify::{ProbeFacts, classify};
use afresh_checks::runners::read_test_reports;
use afresh_core::Plan;
use afresh_core::check::{CheckEnd, CheckResult};
use afresh_core::ids::TreeId;
use afresh_core::plan::{Check, Task};
use afresh_core::printable;
use afresh_core::probe::ProbedCheck;
use afresh_process::{
    Containment, JobLimits, JobSpec, ProcessEnd, RunningJob, StopSignal, TreeLimits,
};

/// For one command.
const TIME_LIMIT: Duration = Duration::from_secs(60);
/// For all of them.
const TOTAL_LIMIT: Duration = Duration::from_secs(5 * 60);
const OUTPUT_BYTES: u64 = 1024 * 1024;
/// How much of an output is shown.
const TAIL_CHARS: usize = 2_000;

/// What is needed to run a command.
#[derive(Debug)]
pub struct CheckTrial<'a> {
    /// Our own program, for supervisors.
    pub exe: &'a Path,
    /// Where commands run.
    pub root: &'a Path,
    pub environment: &'a BTreeMap<String, String>,
}

impl CheckTrial<'_> {
    /// Each distinct check of the plan once, until the time is up.
    pub fn run_checks(&self, plan: &Plan) -> Result<Vec<ProbedCheck>, String> {
        let directory = tempfile::Builder::new().prefix("afresh-trial-").tempdir();
        let directory =
            directory.map_err(|error| format!("cannot create a temporary directory: {error}"))?;
        let started = Instant::now();
        let mut probed: Vec<ProbedCheck> = Vec::new();
        for check in plan.tasks().iter().flat_map(Task::all_checks) {
            let is_known = probed.iter().any(|known| known.command() == check.command);
            if is_known || started.elapsed() > TOTAL_LIMIT {
                continue;
            }
            probed.push(self.run_check(check, plan, probed.len(), directory.path())?);
        }
        Ok(probed)
    }

    fn run_check(
        &self,
        check: &Check,
        plan: &Plan,
        number: usize,
        directory: &Path,
    ) -> Result<ProbedCheck, String> {
        let log = directory.join(format!("{number}.log"));
        let job = JobSpec {
            name: format!("trial-{}-{number}", std::process::id()),
            argv: ["/bin/sh", "-c", &check.command].map(str::to_owned).to_vec(),
            wrapper: vec![],
            cwd: self.root.to_owned(),
            env: self.environment.clone().into_iter().collect(),
            stdin: None,
            stdout: log.clone(),
            stderr: log.clone(),
            secrets: vec![],
            limits: JobLimits {
                wall: Some(TIME_LIMIT),
                silence: None,
                output_bytes: OUTPUT_BYTES,
                grace: Duration::ZERO,
                stop_signal: StopSignal::Terminate,
            },
            tree_limits: TreeLimits::default(),
            containment: Containment::Group,
            registry: directory.join("processes"),
        };
        let started = RunningJob::start(self.exe, &job).map_err(|error| error.to_string())?;
        let report = { started }.wait();
        let end = match report.ended {
            Ok(ProcessEnd::Exited(code)) => CheckEnd::Exited(code),
            Ok(ProcessEnd::Signaled(signal)) => CheckEnd::Signaled(signal),
            Ok(ProcessEnd::OverLimit(limit)) => CheckEnd::OverLimit(limit),
            Ok(ProcessEnd::SupervisorLost | ProcessEnd::Lost) => {
                return Err("the supervisor of a check was killed".to_owned());
            }
            Ok(_) => CheckEnd::TimedOut,
            Err(error) => CheckEnd::NotStarted(error.message),
        };
        let output = String::from_utf8_lossy(&fs::read(&log).unwrap_or_default()).into_owned();
        let reports = read_test_reports(&check.command, &output);
        let facts = ProbeFacts {
            check,
            end: &end,
            output: &output,
            reports: &reports,
            is_flaky: false,
            syntax_error: None,
        };
        let classified = classify(&facts, plan);
        let skipped = output.chars().count().saturating_sub(TAIL_CHARS);
        let tail: String = output.chars().skip(skipped).collect();
        Ok(ProbedCheck {
            class: classified.class,
            detail: classified.detail,
            cause: classified.cause,
            tree: TreeId::new("0".repeat(40)).expect("zeros are an id"),
            result: CheckResult {
                output_tail: printable::lines(&tail),
                ..CheckResult::new(check, end)
            },
        })
    }
}
