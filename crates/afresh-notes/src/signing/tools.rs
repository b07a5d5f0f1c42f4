//! Running one of the programs that sign and verify.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use afresh_core::printable;
use afresh_process::{
    Containment, JobLimits, JobSpec, ProcessEnd, RunningJob, StopSignal, TreeLimits,
};
use tempfile::TempDir;

/// More than enough for a program that asks nobody.
const TIME_LIMIT: Duration = Duration::from_secs(5);
const OUTPUT_BYTES: u64 = 64 * 1024;
/// How much of an error message is kept.
const MAX_COMPLAINT_CHARS: usize = 300;

/// What the programs see of the environment: where keys and agents are. No display and no terminal.
const VARIABLES: [&str; 9] = [
    "HOME",
    "PATH",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
    "GNUPGHOME",
    "SSH_AUTH_SOCK",
];

/// Distinguishes the jobs of one process.
static NUMBER: AtomicU64 = AtomicU64::new(0);

/// What is needed to run programs.
#[derive(Debug, Clone)]
pub struct SigningTools {
    /// Our own program, for supervisors.
    pub exe: PathBuf,
    pub containment: Containment,
    /// Our own environment; the programs see a part of it.
    pub environment: BTreeMap<String, String>,
    /// Where the next driver looks for what a killed one left running; none outside of a run.
    pub registry: Option<PathBuf>,
    /// The prefix of the driver's job names.
    pub job_prefix: String,
}

/// A private directory for one signature: its files are removed with it.
#[derive(Debug)]
pub(super) struct Workbench<'a> {
    tools: &'a SigningTools,
    directory: TempDir,
}

/// What a program printed, and whether it ended with exit code 0.
#[derive(Debug)]
pub(super) struct ProgramOutput {
    pub(super) succeeded: bool,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl ProgramOutput {
    /// The end of its error message, in one line.
    pub(super) fn complaint(&self) -> String {
        let lines = self.stderr.lines().chain(self.stdout.lines()).map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with("[GNUPG:]"));
        let lines: Vec<&str> = lines.collect();
        let last = lines[lines.len().saturating_sub(2)..].join("; ");
        printable::line(&last).chars().take(MAX_COMPLAINT_CHARS).collect()
    }
}

impl SigningTools {
    pub(super) fn bench(&self) -> Result<Workbench<'_>, String> {
        let made = tempfile::Builder::new().prefix("afresh-sign-").tempdir();
        let directory =
            made.map_err(|error| format!("cannot create a temporary directory: {error}"))?;
        Ok(Workbench { tools: self, directory })
    }
}

impl Workbench<'_> {
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file that only this user can read.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, String> {
        let path = self.path(name);
        fs::write(&path, bytes)
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(path)
    }

    pub(super) fn read(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.path(name)).ok()
    }

    /// Runs a program to its end. An error means that it could not be run, or did not end by itself.
    pub(super) fn run(&self, argv: &[&str], stdin: Option<&Path>) -> Result<ProgramOutput, String> {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let program = argv.first().copied().unwrap_or_default();
        let (stdout, stderr) =
            (self.path(&format!("{number}.out")), self.path(&format!("{number}.err")));
        let job = JobSpec {
            name: format!("{}sign-{}-{number}", self.tools.job_prefix, std::process::id()),
            argv: argv.iter().map(|&text| text.to_owned()).collect(),
            wrapper: vec![],
            cwd: self.directory.path().to_owned(),
            env: self.environment(),
            stdin: stdin.map(Path::to_owned),
            stdout: stdout.clone(),
            stderr: stderr.clone(),
            secrets: vec![],
            limits: JobLimits {
                wall: Some(TIME_LIMIT),
                silence: None,
                output_bytes: OUTPUT_BYTES,
                grace: Duration::ZERO,
                stop_signal: StopSignal::Terminate,
            },
            tree_limits: TreeLimits::default(),
            containment: self.tools.containment,
            registry: self.tools.registry.clone().unwrap_or_else(|| self.path("processes")),
        };
        let started = RunningJob::start(&self.tools.exe, &job);
        let report = started.map_err(|error| error.to_string())?.wait();
        match report.ended {
            Ok(ProcessEnd::Exited(code)) => Ok(ProgramOutput {
                succeeded: code == 0,
                stdout: text(&stdout),
                stderr: text(&stderr),
            }),
            Ok(ProcessEnd::TimedOut) => {
                Err(format!("{program} did not end within {} s", TIME_LIMIT.as_secs()))
            }
            Ok(other) => Err(format!("{program} failed: {}", other.describe())),
            Err(error) => Err(format!("{program} could not be run: {}", error.message)),
        }
    }

    /// Nothing in it lets a program ask for a passphrase: no terminal, no display, no helper program.
    fn environment(&self) -> Vec<(String, String)> {
        let own = |name: &&str| {
            let value = self.tools.environment.get(*name)?;
            Some(((*name).to_owned(), value.clone()))
        };
        let fixed =
            [("LC_ALL", "C"), ("LANG", "C"), ("TZ", "UTC"), ("SSH_ASKPASS_REQUIRE", "never")];
        let fixed = fixed.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        VARIABLES.iter().filter_map(own).chain(fixed).collect()
    }
}

fn text(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}
