//! Running a program once to see what it prints: supervised and bounded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use afresh_agents::agent::COMMON_VARIABLES;
use afresh_process::{Containment, JobLimits, JobReport, JobSpec, RunningJob, StopSignal};
use tempfile::TempDir;

use crate::context::environment::Environment;
use crate::policy::limits;

/// How long a probe may take.
pub const LIMIT: Duration = Duration::from_secs(10);
const OUTPUT_BYTES: u64 = 64 * 1024;

/// A temporary directory for probes, removed when this is dropped.
#[derive(Debug)]
pub struct ProbeRunner {
    directory: TempDir,
    exe: PathBuf,
    environment: BTreeMap<String, String>,
    containment: Containment,
    /// Several may run at the same time.
    started: AtomicU32,
}

/// How a probe ended, and the first line that it printed.
#[derive(Debug)]
pub struct ProbeResult {
    pub report: JobReport,
    pub said: String,
}

/// A longer command than a probe, with its own directory and environment.
#[derive(Debug)]
pub struct ProbeCommand<'a> {
    pub argv: &'a [String],
    pub cwd: &'a Path,
    pub env: Vec<(String, String)>,
    pub limit: Duration,
    pub output_bytes: u64,
}

impl ProbeRunner {
    pub fn new(environment: &Environment) -> Result<Self, String> {
        let directory = tempfile::Builder::new()
            .prefix("afresh-trial-")
            .tempdir()
            .map_err(|error| format!("cannot create a temporary directory: {error}"))?;
        Ok(Self {
            directory,
            exe: environment.executable.clone(),
            environment: environment.all(),
            containment: environment.containment().unwrap_or(Containment::Auto),
            started: AtomicU32::new(0),
        })
    }

    /// Runs a command line to its end, or to the limit, with the environment of a worker.
    pub fn run(
        &self,
        argv: &[String],
        env: &[String],
        limit: Duration,
    ) -> Result<ProbeResult, String> {
        let named = COMMON_VARIABLES.iter().copied().chain(env.iter().map(String::as_str));
        let variables = named.filter_map(|name| {
            self.environment.get(name).map(|value| (name.to_owned(), value.clone()))
        });
        let (cwd, env) = (self.directory.path(), variables.collect());
        let errand = ProbeCommand { argv, cwd, env, limit, output_bytes: OUTPUT_BYTES };
        let (report, text) = self.errand(&errand, |_| ())?;
        let said = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        Ok(ProbeResult { report, said: said.trim().chars().take(80).collect() })
    }

    /// Runs a longer command: how it ended, and everything it printed. `watch` gets the file with its
    /// output whenever that grows.
    pub fn errand(
        &self,
        errand: &ProbeCommand<'_>,
        mut watch: impl FnMut(&Path),
    ) -> Result<(JobReport, String), String> {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let at = self.directory.path();
        let output = at.join(format!("output-{number}"));
        let job = JobSpec {
            name: format!("trial-{}-{number}", std::process::id()),
            argv: errand.argv.to_vec(),
            wrapper: vec![],
            cwd: errand.cwd.to_owned(),
            env: errand.env.clone(),
            stdin: None,
            stdout: output.clone(),
            stderr: output.clone(),
            secrets: vec![],
            limits: JobLimits {
                wall: Some(errand.limit),
                silence: None,
                output_bytes: errand.output_bytes,
                grace: Duration::from_secs(1),
                stop_signal: StopSignal::Terminate,
            },
            tree_limits: limits::bounds(limits::LimitRequest::default()),
            containment: self.containment,
            registry: at.join("processes"),
        };
        let mut running = RunningJob::start(&self.exe, &job).map_err(|error| error.to_string())?;
        let report = running.wait_watching(|| watch(&output));
        let bytes = std::fs::read(&output).unwrap_or_default();
        Ok((report, String::from_utf8_lossy(&bytes).into_owned()))
    }
}
