//! Running a forge's program to its end: supervised, bounded, without a terminal.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use afresh_core::printable;
use afresh_process::{
    Containment, JobLimits, JobSpec, ProcessEnd, RunningJob, StopSignal, TreeLimits,
};
use tempfile::TempDir;

use crate::context::AppContext;

const TIME_LIMIT: Duration = Duration::from_secs(120);
const OUTPUT_BYTES: u64 = 1024 * 1024;
/// How much of an error message is kept.
const MAX_COMPLAINT_CHARS: usize = 500;

/// What the programs need so that they never ask.
const QUIET: &[(&str, &str)] = &[
    ("GH_PROMPT_DISABLED", "1"),
    ("GH_NO_UPDATE_NOTIFIER", "1"),
    ("GLAB_CHECK_UPDATE", "false"),
    ("NO_PROMPT", "1"),
    ("NO_COLOR", "1"),
    ("LC_ALL", "C"),
];

/// Runs programs in the user's repository, as the user.
#[derive(Debug)]
pub(super) struct ForgeRunner {
    exe: PathBuf,
    containment: Containment,
    environment: BTreeMap<String, String>,
    directory: PathBuf,
    scratch: TempDir,
    started: AtomicU32,
}

/// What a program printed, and whether it ended with exit code 0.
#[derive(Debug)]
pub(super) struct ForgeOutput {
    pub(super) succeeded: bool,
    pub(super) stdout: String,
    stderr: String,
}

impl ForgeOutput {
    /// The end of its error message, in one line.
    pub(super) fn complaint(&self) -> String {
        let lines = self.stderr.lines().chain(self.stdout.lines()).map(str::trim);
        let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
        let last = lines[lines.len().saturating_sub(3)..].join("; ");
        printable::line(&last).chars().take(MAX_COMPLAINT_CHARS).collect()
    }
}

impl ForgeRunner {
    pub(super) fn new(context: &AppContext, directory: &Path) -> Result<Self, String> {
        let scratch = tempfile::Builder::new().prefix("afresh-forge-").tempdir();
        let scratch =
            scratch.map_err(|error| format!("cannot create a temporary directory: {error}"))?;
        let environment = &context.environment;
        Ok(Self {
            exe: environment.executable.clone(),
            containment: environment.containment().unwrap_or(Containment::Auto),
            environment: environment.all(),
            directory: directory.to_owned(),
            scratch,
            started: AtomicU32::new(0),
        })
    }

    /// An error means that it could not be run, or did not end by itself.
    pub(super) fn run(&self, argv: &[String], stdin: Option<&str>) -> Result<ForgeOutput, String> {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        let program = argv.first().map_or("", String::as_str);
        let file = |kind: &str| self.scratch.path().join(format!("{number}.{kind}"));
        let (input, stdout, stderr) = (file("in"), file("out"), file("err"));
        if let Some(text) = stdin {
            fs::write(&input, text).map_err(|error| format!("cannot write a file: {error}"))?;
        }
        let mut env = self.environment.clone();
        env.retain(|name, _| !name.starts_with("GIT_") || name.starts_with("GIT_SSH"));
        env.extend(QUIET.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let job = JobSpec {
            name: format!("forge-{}-{number}", std::process::id()),
            argv: argv.to_vec(),
            wrapper: vec![],
            cwd: self.directory.clone(),
            env: env.into_iter().collect(),
            stdin: stdin.map(|_| input),
            stdout: stdout.clone(),
            stderr: stderr.clone(),
            secrets: vec![],
            limits: JobLimits {
                wall: Some(TIME_LIMIT),
                silence: None,
                output_bytes: OUTPUT_BYTES,
                grace: Duration::from_secs(1),
                stop_signal: StopSignal::Terminate,
            },
            tree_limits: TreeLimits::default(),
            containment: self.containment,
            registry: self.scratch.path().join("processes"),
        };
        let mut started = RunningJob::start(&self.exe, &job).map_err(|error| error.to_string())?;
        match started.wait().ended {
            Ok(ProcessEnd::Exited(code)) => Ok(ForgeOutput {
                succeeded: code == 0,
                stdout: read_text(&stdout),
                stderr: read_text(&stderr),
            }),
            Ok(ProcessEnd::TimedOut) => {
                Err(format!("{program} did not end within {} s", TIME_LIMIT.as_secs()))
            }
            Ok(other) => Err(format!("{program} failed: {}", other.describe())),
            Err(error) => Err(format!("{program} could not be run: {}", error.message)),
        }
    }
}

fn read_text(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}
