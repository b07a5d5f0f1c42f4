//! Runs proposed commands once, in a clean clone of the last commit: a check that fails, or that tests nothing, is seen
//! before it judges any work.

use std::path::Path;
use std::time::{Duration, Instant};

use afresh_checks::executed_tests;
use afresh_process::ProcessEnd;
use serde::Serialize;

use crate::agents::probe::{ProbeCommand, ProbeRunner};
use crate::context::environment::Environment;

/// For all commands together.
const TOTAL_LIMIT: Duration = Duration::from_secs(5 * 60);
const OUTPUT_BYTES: u64 = 4 * 1024 * 1024;
/// How many of its last lines are shown.
const LAST_LINES: usize = 6;

/// How one command ended.
#[derive(Debug, Serialize)]
pub struct TriedCommand {
    pub command: String,
    pub passed: bool,
    /// How it ended, in words.
    pub ended: String,
    pub seconds: f64,
    /// How many tests were executed; none if no test runner was recognised.
    pub executed_tests: Option<u64>,
    pub last_lines: Vec<String>,
}

impl TriedCommand {
    /// Whether it passed without executing any test (TR-04).
    pub fn passed_without_a_test(&self) -> bool {
        self.passed && self.executed_tests == Some(0)
    }
}

/// Runs the set-up commands and then the checks; stops at a set-up command that fails. `announce` is called before each.
pub fn try_commands(
    root: &Path,
    setup: &[String],
    checks: &[String],
    environment: &Environment,
    mut announce: impl FnMut(&str),
) -> Result<Vec<TriedCommand>, String> {
    let runner = ProbeRunner::new(environment)?;
    let directory = tempfile::Builder::new().prefix("afresh-try-").tempdir();
    let directory = directory.map_err(|error| format!("cannot make a directory: {error}"))?;
    let clone = directory.path().join("clone");
    let trial = Trial { runner, environment, started: Instant::now() };
    let words = ["git", "clone", "--quiet", "--shared"].map(str::to_owned);
    let places = [root, &clone].map(|path| path.to_string_lossy().into_owned());
    let argv: Vec<String> = words.into_iter().chain(places).collect();
    let cloned = trial.run(&argv, directory.path())?;
    if !cloned.passed {
        return Err(format!("cannot clone the repository: {}", cloned.last_lines.join(" ")));
    }
    let mut tried = Vec::new();
    for (at, command) in setup.iter().chain(checks).enumerate() {
        announce(command);
        let argv = ["/bin/sh", "-c", command.as_str()].map(str::to_owned);
        let ended = TriedCommand { command: command.clone(), ..trial.run(&argv, &clone)? };
        let continues = ended.passed || at >= setup.len();
        tried.push(ended);
        if !continues {
            break;
        }
    }
    Ok(tried)
}

struct Trial<'a> {
    runner: ProbeRunner,
    environment: &'a Environment,
    started: Instant,
}

impl Trial<'_> {
    fn run(&self, argv: &[String], cwd: &Path) -> Result<TriedCommand, String> {
        let limit = TOTAL_LIMIT.saturating_sub(self.started.elapsed());
        let env = self.environment.all().into_iter().collect();
        let began = Instant::now();
        let command =
            ProbeCommand { argv, cwd, wrapper: Vec::new(), env, limit, output_bytes: OUTPUT_BYTES };
        let (report, output) = self.runner.errand(&command, |_| ())?;
        let lines: Vec<&str> = output.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(LAST_LINES)..];
        Ok(TriedCommand {
            command: argv.join(" "),
            passed: matches!(report.ended, Ok(ProcessEnd::Exited(0))),
            ended: match &report.ended {
                Ok(ended) => ended.describe(),
                Err(error) => error.message.clone(),
            },
            seconds: began.elapsed().as_secs_f64(),
            executed_tests: argv.last().and_then(|command| executed_tests(command, &output)),
            last_lines: last.iter().map(|line| (*line).to_owned()).collect(),
        })
    }
}
