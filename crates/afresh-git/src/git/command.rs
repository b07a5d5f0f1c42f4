//! One run of the git program, in an environment that no configuration outside of afresh can
//! change.
//!
//! The caller says which repository, index and tree it works on, and interprets the output.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::git::program::GitProgram;
use crate::workspace::lock::PreemptFlag;

/// Settings that no configuration file can override: no program of the user's or of a worker's
/// runs, nothing is fetched, and what git writes is on disk before git returns.
const SETTINGS: &[&str] = &[
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.splitIndex=false",
    "core.sparseCheckout=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.sshCommand=false",
    "core.askPass=false",
    "core.editor=false",
    "core.pager=cat",
    "core.quotePath=false",
    "core.fsync=committed,reference",
    "core.fsyncMethod=fsync",
    "core.alternateRefsCommand=",
    "credential.helper=",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
    "i18n.commitEncoding=UTF-8",
    "i18n.logOutputEncoding=UTF-8",
    "log.showSignature=false",
    "trailer.separators=:",
    "index.version=2",
];

/// How much of git's error output is kept.
const MAX_COMPLAINT_BYTES: usize = 8 * 1024;

/// Why a git process did not do what it was started for.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error("cannot {doing}: git could not be run: {source}")]
    Start { doing: String, source: std::io::Error },
    #[error("cannot {doing}: git {verb} ended with {status}: {complaint}")]
    Failed { doing: String, verb: String, status: ExitStatus, complaint: String },
    #[error("cannot {doing}: git {verb} printed something unexpected: {detail}")]
    Unexpected { doing: String, verb: String, detail: String },
    #[error("cannot {doing}: git {verb} did not end within {} s", limit.as_secs())]
    TimedOut { doing: String, verb: String, limit: Duration },
    #[error("cannot {doing}: git {verb} was ended because another call needed the workspace")]
    Preempted { doing: String, verb: String },
}

impl CommandError {
    /// Full disk or exhausted quota: the run can pause and continue later.
    pub fn is_out_of_space(&self) -> bool {
        let Self::Failed { complaint, .. } = self else { return false };
        ["No space left on device", "Disk quota exceeded"].iter().any(|s| complaint.contains(s))
    }
}

/// How a git process ended and what it printed.
#[derive(Debug)]
pub(crate) struct GitOutput {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    doing: String,
    verb: String,
}

impl GitOutput {
    pub(crate) fn code(&self) -> Option<i32> {
        self.status.code()
    }

    pub(crate) fn complaint(&self) -> String {
        let end = self.stderr.len().min(MAX_COMPLAINT_BYTES);
        String::from_utf8_lossy(&self.stderr[..end]).trim().to_owned()
    }

    pub(crate) fn failure(self) -> CommandError {
        let complaint = self.complaint();
        let Self { status, doing, verb, .. } = self;
        CommandError::Failed { doing, verb, status, complaint }
    }

    pub(crate) fn unexpected(&self, detail: impl Into<String>) -> CommandError {
        let (doing, verb) = (self.doing.clone(), self.verb.clone());
        CommandError::Unexpected { doing, verb, detail: detail.into() }
    }

    /// Returns an error unless git exited with 0.
    pub(crate) fn success(self) -> Result<Self, CommandError> {
        if self.status.success() { Ok(self) } else { Err(self.failure()) }
    }

    /// The whole output as one trimmed line.
    pub(crate) fn line(&self) -> Result<&str, CommandError> {
        let text = std::str::from_utf8(&self.stdout);
        text.map(str::trim).map_err(|_| self.unexpected("a line that is not UTF-8"))
    }

    /// The NUL-separated parts of the output, without the empty one at the end.
    pub(crate) fn fields(&self) -> impl Iterator<Item = &[u8]> {
        let whole = self.stdout.strip_suffix(b"\0").unwrap_or(&self.stdout);
        whole.split(|byte| *byte == 0).filter(move |_| !whole.is_empty())
    }
}

/// A git process that is about to be started.
#[derive(Debug)]
pub(crate) struct GitCommand {
    command: Command,
    doing: String,
    verb: Option<String>,
    input: Option<Vec<u8>>,
    limit: Option<Duration>,
    preempt_flag: Option<PreemptFlag>,
    wrapper: Vec<String>,
}

impl GitCommand {
    /// Without any of the user's configuration.
    pub(crate) fn scrubbed(program: &GitProgram, doing: impl Into<String>) -> Self {
        let mut call = Self::bare(program, doing);
        for name in ["PATH", "HOME"] {
            if let Some(value) = program.git_env().get(name) {
                call.command.env(name, value);
            }
        }
        call.command
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_ATTR_NOSYSTEM", "1")
            .env("GIT_NO_REPLACE_OBJECTS", "1");
        for setting in SETTINGS {
            call.command.arg("-c").arg(setting);
        }
        call
    }

    /// With the user's own configuration: only to find the repository and who the user is.
    pub(crate) fn as_user(program: &GitProgram, doing: impl Into<String>) -> Self {
        let mut call = Self::bare(program, doing);
        call.command.envs(program.git_env().user_variables());
        call.command.args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"]);
        call
    }

    fn bare(program: &GitProgram, doing: impl Into<String>) -> Self {
        let mut command = Command::new(program.path());
        command
            .env_clear()
            .env("LANG", "C")
            .env("LC_ALL", "C")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0");
        Self {
            command,
            doing: doing.into(),
            verb: None,
            input: None,
            limit: None,
            preempt_flag: None,
            wrapper: Vec::new(),
        }
    }

    pub(crate) fn setting(mut self, name: &str, value: &OsStr) -> Self {
        let mut text = OsString::from(name);
        text.push("=");
        text.push(value);
        self.command.arg("-c").arg(text);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn directory(mut self, directory: &Path) -> Self {
        self.command.current_dir(directory);
        self
    }

    /// The git verb and its arguments; the first call names the verb.
    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        for arg in args {
            let arg = arg.as_ref();
            self.verb.get_or_insert_with(|| arg.to_string_lossy().into_owned());
            self.command.arg(arg);
        }
        self
    }

    pub(crate) fn stdin(mut self, input: Vec<u8>) -> Self {
        self.input = Some(input);
        self
    }

    /// For reading what a worker wrote: a worker can make git take forever.
    pub(crate) fn limit(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Ends it early when another call needs the workspace; only together with a limit.
    pub(crate) fn preempted_by(mut self, preempt_flag: &PreemptFlag) -> Self {
        self.preempt_flag = Some(preempt_flag.clone());
        self
    }

    /// A command line to start git with, such as a sandbox; may be empty.
    pub(crate) fn wrapped_in(mut self, before: &[String]) -> Self {
        self.wrapper = before.to_vec();
        self
    }

    /// Starts it with pipes for stdin, stdout and stderr; the caller ends it.
    pub(crate) fn start(mut self) -> Result<Child, CommandError> {
        self.spawn(Stdio::piped())
    }

    /// Puts the wrapper's command line before git's.
    fn apply_wrapper(&mut self) {
        let Some((first, rest)) = self.wrapper.split_first() else { return };
        let mut command = Command::new(first);
        command.args(rest).arg(self.command.get_program()).args(self.command.get_args());
        let set = self.command.get_envs().filter_map(|(name, value)| Some((name, value?)));
        command.env_clear().envs(set);
        if let Some(directory) = self.command.get_current_dir() {
            command.current_dir(directory);
        }
        self.command = command;
    }

    fn spawn(&mut self, stdin: Stdio) -> Result<Child, CommandError> {
        self.apply_wrapper();
        self.command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C reaches the terminal's whole process group; it must not interrupt git.
        self.command.process_group(0);
        self.command
            .spawn()
            .map_err(|source| CommandError::Start { doing: self.doing.clone(), source })
    }

    /// Runs it; the caller interprets the exit status.
    pub(crate) fn run(mut self) -> Result<GitOutput, CommandError> {
        let stdin = if self.input.is_some() { Stdio::piped() } else { Stdio::null() };
        let mut child = self.spawn(stdin)?;
        let verb = self.verb.take().unwrap_or_default();
        let doing = self.doing;
        let start = |source| CommandError::Start { doing: doing.clone(), source };
        let (input, limit) = (self.input.take(), self.limit);
        let preempt_flag = self.preempt_flag.unwrap_or_default();
        let ended = exchange(&mut child, input.as_deref(), limit, &preempt_flag).map_err(start)?;
        let Some((status, stdout, stderr)) = ended else {
            if preempt_flag.is_set() {
                return Err(CommandError::Preempted { doing, verb });
            }
            let limit = limit.unwrap_or_default();
            return Err(CommandError::TimedOut { doing, verb, limit });
        };
        Ok(GitOutput { status, stdout, stderr, doing, verb })
    }

    /// Runs it, and fails unless it exits with 0.
    pub(crate) fn run_checked(self) -> Result<GitOutput, CommandError> {
        self.run()?.success()
    }
}

/// Texts as git reads them from a pipe, one per line.
pub(crate) fn lines<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<u8> {
    texts.flat_map(|text| text.bytes().chain([b'\n'])).collect()
}

/// Feeds and drains all pipes at once, so that neither side blocks the other forever.
#[expect(clippy::type_complexity, reason = "used once, right above")]
fn exchange(
    child: &mut Child,
    input: Option<&[u8]>,
    limit: Option<Duration>,
    preempt_flag: &PreemptFlag,
) -> std::io::Result<Option<(ExitStatus, Vec<u8>, Vec<u8>)>> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let complaints = scope.spawn(move || drain(stderr));
        // A writer thread is only needed where the input does not fit into the pipe.
        let mut written = Ok(());
        let mut writer = None;
        if let (Some(mut pipe), Some(bytes)) = (stdin, input) {
            if bytes.len() <= 4096 {
                written = pipe.write_all(bytes);
            } else {
                writer = Some(scope.spawn(move || pipe.write_all(bytes)));
            }
        }
        let answer;
        let status;
        if let Some(limit) = limit {
            let answers = scope.spawn(move || drain(stdout));
            let ended = wait_at_most(child, limit, preempt_flag)?;
            answer = answers.join().unwrap_or_default();
            let Some(in_time) = ended else { return Ok(None) };
            status = in_time;
        } else {
            answer = drain(stdout);
            status = child.wait()?;
        }
        if let Some(writer) = writer {
            written = writer.join().unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into()));
        }
        // A child that fails early breaks the pipe, and its exit status says why. One that succeeds
        // must have read everything: it would do half of what it was asked for.
        if status.success() {
            written?;
        }
        Ok(Some((status, answer, complaints.join().unwrap_or_default())))
    })
}

fn drain(pipe: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut pipe) = pipe {
        // What was read before an error is still useful; the exit status decides.
        let _ = pipe.read_to_end(&mut bytes);
    }
    bytes
}

/// `None` if the time was up or the call was preempted; the process was ended.
fn wait_at_most(
    child: &mut Child,
    limit: Duration,
    preempt_flag: &PreemptFlag,
) -> std::io::Result<Option<ExitStatus>> {
    let started = Instant::now();
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() >= limit || preempt_flag.is_set() {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}
