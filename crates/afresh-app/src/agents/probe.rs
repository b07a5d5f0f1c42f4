//! Running a program once to see what it prints: supervised and bounded.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use afresh_agents::Agent;
use afresh_agents::agent::COMMON_VARIABLES;
use afresh_engine::ProbeSandbox;
use afresh_process::{Containment, JobLimits, JobReport, JobSpec, RunningJob, StopSignal};
use tempfile::TempDir;

use crate::agents::programs::version::ProgramVersion;
use crate::config::policy::limits;
use crate::context::environment::Environment;

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
    /// The command line in front of it, such as that of a sandbox.
    pub wrapper: Vec<String>,
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
        let (cwd, env) = (self.directory.path(), self.visible(env).into_iter().collect());
        let wrapper = Vec::new();
        let errand = ProbeCommand { argv, cwd, wrapper, env, limit, output_bytes: OUTPUT_BYTES };
        self.probe(&errand)
    }

    /// The same inside a sandbox, as a worker of this agent is started.
    pub fn run_inside(
        &self,
        argv: &[String],
        agent: &Agent,
        sandbox: &ProbeSandbox,
        limit: Duration,
    ) -> Result<ProbeResult, String> {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let cwd = self.directory.path().join(format!("sandbox-{number}"));
        let wrapped = std::fs::create_dir_all(&cwd).and_then(|()| sandbox.wrap(agent, &cwd));
        let wrapped = wrapped.map_err(|error| format!("cannot prepare a sandbox: {error}"))?;
        let mut env = self.visible(&agent.variables());
        env.extend(wrapped.env);
        self.probe(&ProbeCommand {
            argv,
            cwd: &cwd,
            wrapper: wrapped.wrapper,
            env: env.into_iter().collect(),
            limit,
            output_bytes: OUTPUT_BYTES,
        })
    }

    /// The variables that a worker sees.
    fn visible(&self, more: &[String]) -> BTreeMap<String, String> {
        let named = COMMON_VARIABLES.iter().copied().chain(more.iter().map(String::as_str));
        let variables = named.filter_map(|name| {
            self.environment.get(name).map(|value| (name.to_owned(), value.clone()))
        });
        variables.collect()
    }

    fn probe(&self, errand: &ProbeCommand<'_>) -> Result<ProbeResult, String> {
        let (report, text) = self.errand(errand, |_| ())?;
        Ok(ProbeResult { report, said: telling_line(&text).chars().take(120).collect() })
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
            wrapper: errand.wrapper.clone(),
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

/// The line with a version, if there is one: some programs print warnings first. Else the first line.
fn telling_line(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.clone().next().unwrap_or_default();
    lines.find(|line| ProgramVersion::parse(line).is_some()).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// AG-01: a warning before the version is not the version.
    #[test]
    fn a_version_is_found_behind_a_warning() {
        let text = "WARNING: proceeding, even though we could not update PATH\ncodex-cli 0.166.0\n";
        assert_eq!(telling_line(text), "codex-cli 0.166.0");
        assert_eq!(telling_line("\n  usage: x\nmore"), "usage: x");
        assert_eq!(telling_line(""), "");
    }
}
