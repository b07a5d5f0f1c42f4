//! Starting a program as a run would, only to see that it starts: supervised, bounded, in a
//! directory of its own.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use afresh_agents::agent::COMMON_VARIABLES;
use afresh_process::{Containment, Job, Limits, Report, Running, StopBy};
use tempfile::TempDir;

use crate::environment;

/// How long a harmless argument may take.
const LIMIT: Duration = Duration::from_secs(10);
const OUTPUT_BYTES: u64 = 64 * 1024;

/// A place for trials, gone when this is dropped.
#[derive(Debug)]
pub(super) struct Trial {
    directory: TempDir,
    exe: PathBuf,
    environment: BTreeMap<String, String>,
}

/// How a trial went, and the first line that it printed.
#[derive(Debug)]
pub(super) struct Tried {
    pub(super) report: Report,
    pub(super) said: String,
}

impl Trial {
    pub(super) fn new() -> Result<Self, String> {
        let directory = tempfile::Builder::new()
            .prefix("afresh-doctor-")
            .tempdir()
            .map_err(|error| format!("cannot make a temporary directory: {error}"))?;
        let exe = std::env::current_exe().map_err(|error| error.to_string())?;
        Ok(Self { directory, exe, environment: environment::all() })
    }

    /// Runs a command line to its end, or to the limit.
    pub(super) fn run(&self, argv: &[String], env: &[String]) -> Result<Tried, String> {
        let at = self.directory.path();
        let output = at.join("output");
        let named = COMMON_VARIABLES.iter().copied().chain(env.iter().map(String::as_str));
        let variables = named.filter_map(|name| {
            self.environment.get(name).map(|value| (name.to_owned(), value.clone()))
        });
        let job = Job {
            name: format!("doctor-{}", std::process::id()),
            argv: argv.to_vec(),
            cwd: at.to_owned(),
            env: variables.collect(),
            stdin: None,
            stdout: output.clone(),
            stderr: output.clone(),
            secrets: vec![],
            limits: Limits {
                wall: Some(LIMIT),
                silence: None,
                output_bytes: OUTPUT_BYTES,
                grace: Duration::from_secs(1),
                stop_by: StopBy::Terminate,
            },
            containment: environment::containment().unwrap_or(Containment::Auto),
            registry: at.join("processes"),
        };
        let mut running = Running::start(&self.exe, &job).map_err(|error| error.to_string())?;
        let report = running.wait();
        let bytes = std::fs::read(&output).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let said = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        Ok(Tried { report, said: said.chars().take(80).collect() })
    }
}
