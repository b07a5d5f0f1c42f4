//! What to run, and with which limits.
//!
//! Plain data, sent to the supervisor as one line.

use std::path::{Path, PathBuf};
use std::time::Duration;

use afresh_core::process::StopSignal;
use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::limits::tree_limits::TreeLimits;

/// One program to run, completely described: nothing is inherited from the driver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobSpec {
    /// Unique among the jobs that run at the same time: names the registry entry and the cgroup.
    pub name: String,
    pub argv: Vec<String>,
    /// A command line to start the program with, such as a sandbox.
    pub wrapper: Vec<String>,
    pub cwd: PathBuf,
    /// The whole environment of the program.
    pub env: Vec<(String, String)>,
    /// Opened read-only; without it the program reads from `/dev/null`.
    pub stdin: Option<PathBuf>,
    pub stdout: PathBuf,
    /// If this equals `stdout`, both go there in the order in which they were written.
    pub stderr: PathBuf,
    /// Values that are redacted from its output before anything is on disk.
    pub secrets: Vec<String>,
    pub limits: JobLimits,
    /// Limits of its whole process tree.
    pub tree_limits: TreeLimits,
    pub containment: Containment,
    /// The directory of the entries that [`crate::sweep_leftovers`] reads after a crash.
    pub registry: PathBuf,
}

/// The limits of one job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobLimits {
    /// The longest it may run, by the monotonic clock.
    pub wall: Option<Duration>,
    /// The longest it may run without output.
    pub silence: Option<Duration>,
    /// Kept on disk per stream; the beginning and the end stay, the middle is left out.
    pub output_bytes: u64,
    /// The time between the stop signal and the kill.
    pub grace: Duration,
    /// The signal that asks the program to stop.
    pub stop_signal: StopSignal,
}

/// The number of a stop signal.
pub(crate) fn stop_signal_number(signal: StopSignal) -> Signal {
    match signal {
        StopSignal::Terminate => Signal::SIGTERM,
        StopSignal::Interrupt => Signal::SIGINT,
        StopSignal::Kill => Signal::SIGKILL,
    }
}

/// How the process tree is contained. `Auto` chooses the strongest method that this machine offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Containment {
    Auto,
    Cgroup,
    Namespace,
    Group,
}

/// Why a job is invalid.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JobProblem {
    #[error(
        "job name {0:?} is invalid: use 1 to 100 characters of A-Z a-z 0-9 . _ - and do not begin with a dot"
    )]
    Name(String),
    #[error("the command line of job {0} is empty: name a program")]
    NoProgram(String),
    #[error("{what} of job {job} is the relative path {path:?}: use an absolute one")]
    RelativePath { job: String, what: &'static str, path: PathBuf },
    #[error("{what} of job {job} contains a NUL byte, which no program can receive")]
    Nul { job: String, what: &'static str },
    #[error(
        "{name:?} of job {job} is not the name of an environment variable: it is empty or contains `=`"
    )]
    Variable { job: String, name: String },
}

const MAX_NAME_LEN: usize = 100;

impl JobSpec {
    /// Everything that is wrong with the job itself; the machine is not examined.
    pub fn problems(&self) -> Vec<JobProblem> {
        let mut problems = Vec::new();
        if !is_usable_name(&self.name) {
            problems.push(JobProblem::Name(self.name.clone()));
        }
        if self.argv.first().is_none_or(String::is_empty) {
            problems.push(JobProblem::NoProgram(self.name.clone()));
        }
        problems.extend(self.relative_paths());
        problems.extend(self.unpassable_texts());
        problems
    }

    fn relative_paths(&self) -> Vec<JobProblem> {
        let mut paths: Vec<(&'static str, &Path)> = vec![
            ("the directory", &self.cwd),
            ("stdout", &self.stdout),
            ("stderr", &self.stderr),
            ("the registry", &self.registry),
        ];
        paths.extend(self.stdin.as_deref().map(|stdin| ("stdin", stdin)));
        let relative = paths.into_iter().filter(|(_, path)| !path.is_absolute());
        relative
            .map(|(what, path)| JobProblem::RelativePath {
                job: self.name.clone(),
                what,
                path: path.to_owned(),
            })
            .collect()
    }

    fn unpassable_texts(&self) -> Vec<JobProblem> {
        let mut problems = Vec::new();
        if self.argv.iter().chain(&self.wrapper).any(|argument| argument.contains('\0')) {
            problems.push(JobProblem::Nul { job: self.name.clone(), what: "an argument" });
        }
        if self.env.iter().any(|(name, value)| name.contains('\0') || value.contains('\0')) {
            problems
                .push(JobProblem::Nul { job: self.name.clone(), what: "an environment variable" });
        }
        let unusable = self.env.iter().filter(|(name, _)| name.is_empty() || name.contains('='));
        problems.extend(
            unusable.map(|(name, _)| JobProblem::Variable {
                job: self.name.clone(),
                name: name.clone(),
            }),
        );
        problems
    }
}

fn is_usable_name(name: &str) -> bool {
    let usable = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (1..=MAX_NAME_LEN).contains(&name.len()) && !name.starts_with('.') && name.chars().all(usable)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> JobSpec {
        JobSpec {
            name: "T001.1".into(),
            argv: vec!["true".into()],
            wrapper: vec![],
            cwd: "/".into(),
            env: vec![("PATH".into(), "/bin".into())],
            stdin: None,
            stdout: "/tmp/out".into(),
            stderr: "/tmp/out".into(),
            secrets: vec![],
            limits: JobLimits {
                wall: None,
                silence: None,
                output_bytes: 1,
                grace: Duration::from_secs(1),
                stop_signal: StopSignal::Terminate,
            },
            tree_limits: TreeLimits::default(),
            containment: Containment::Auto,
            registry: "/tmp".into(),
        }
    }

    #[test]
    fn an_ordinary_job_has_no_problems() {
        assert_eq!(job().problems(), []);
    }

    #[test]
    fn all_problems_are_reported_at_once() {
        let wrong = JobSpec {
            name: "../x".into(),
            argv: vec![],
            cwd: "here".into(),
            env: vec![("A=B".into(), "x\0".into())],
            ..job()
        };
        assert_eq!(wrong.problems().len(), 5, "{:?}", wrong.problems());
    }
}
