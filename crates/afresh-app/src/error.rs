//! Errors: what failed, why, and what to do about it.
//!
//! Every error has a class, which becomes the exit code, and a kind, a stable word for scripts.

use std::path::Path;

use afresh_engine::cleanup::CleanupError;
use afresh_engine::{DriveError, OpenError};
use afresh_formats::Finding;
use afresh_git::{DiscoverError, GitProgramError, RefError};
use afresh_store::{IoFault, IoFaultKind, JournalError, LockError};

/// Whose fault it is, or what has to happen first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// Wrong usage, or input that cannot be read as what it should be.
    Usage,
    /// The machine refused: disk, permission, network.
    Machine,
    /// It was understood and could not be done.
    Incomplete,
    /// The run is halted.
    Halted,
    /// Another process drives the run.
    Busy,
    /// A bug in afresh.
    Bug,
}

/// Why an operation failed, for people and for scripts.
#[derive(Debug)]
pub struct AppError {
    pub class: ErrorClass,
    /// A stable word for scripts.
    pub kind: &'static str,
    pub message: String,
    pub causes: Vec<String>,
    pub hint: Option<String>,
    /// The file it is about, as the user named it.
    pub file: Option<String>,
    /// Everything that is wrong with that file.
    pub findings: Vec<Finding>,
}

impl std::fmt::Display for AppError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        self.causes.iter().try_for_each(|cause| write!(f, ": {cause}"))
    }
}

impl std::error::Error for AppError {}

impl AppError {
    pub fn new(class: ErrorClass, kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            class,
            kind,
            message: message.into(),
            causes: vec![],
            hint: None,
            file: None,
            findings: vec![],
        }
    }

    /// Wrong usage, or unreadable input.
    pub fn usage(kind: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorClass::Usage, kind, message)
    }

    /// The machine refused.
    pub fn machine(kind: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorClass::Machine, kind, message)
    }

    pub fn incomplete(kind: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorClass::Incomplete, kind, message)
    }

    pub fn halted(message: impl Into<String>) -> Self {
        Self::new(ErrorClass::Halted, "halted", message)
    }

    pub fn busy(message: impl Into<String>) -> Self {
        Self::new(ErrorClass::Busy, "busy", message)
    }

    pub fn bug(kind: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorClass::Bug, kind, message)
            .hint("please report this with the command that you ran")
    }

    /// A file or directory that cannot be written.
    pub fn cannot_write(kind: &'static str, path: &Path, error: impl std::fmt::Display) -> Self {
        let shown = path.display().to_string();
        // A directory that does not exist is a mistake in the path, not a fault of the machine.
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let (class, hint) = match parent {
            Some(parent) if !parent.exists() => {
                (ErrorClass::Usage, format!("create the directory {} first", parent.display()))
            }
            _ => (ErrorClass::Machine, "check the permissions and the free space there".to_owned()),
        };
        Self::new(class, kind, format!("cannot write {shown}"))
            .cause(error.to_string())
            .in_file(shown)
            .hint(hint)
    }

    /// A record of the journal that this version cannot read.
    pub fn journal(error: impl std::fmt::Display) -> Self {
        Self::usage("journal", error.to_string())
            .hint("`afresh doctor` checks the journal; a newer afresh may have written it")
    }

    /// A git command that failed on a repository that afresh could open.
    pub fn git(error: impl std::fmt::Display) -> Self {
        Self::machine("git", format!("git failed: {error}"))
            .hint("`git fsck` checks the repository; `afresh doctor` checks the machine")
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// A hint for an error that has none.
    #[must_use]
    pub fn or_hint(self, hint: &str) -> Self {
        if self.hint.is_some() { self } else { self.hint(hint) }
    }

    /// The file it is about.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// The file it is about, for an error that names none.
    #[must_use]
    pub fn or_in_file(self, file: &str) -> Self {
        if self.file.is_some() { self } else { self.in_file(file) }
    }

    #[must_use]
    pub fn cause(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    /// A file that cannot be read as what it should be.
    pub fn with_findings(kind: &'static str, what: &str, findings: Vec<Finding>) -> Self {
        let errors = findings.iter().filter(|finding| finding.is_error()).count();
        let problems =
            if errors == 1 { "1 problem".to_owned() } else { format!("{errors} problems") };
        Self { findings, ..Self::usage(kind, format!("{what}: {problems}")) }
    }
}

fn with_causes(mut failure: AppError, error: &dyn std::error::Error) -> AppError {
    let mut cause = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        // Some errors end with what caused them.
        if !failure.message.ends_with(&text) {
            failure.causes.push(text);
        }
        cause = inner.source();
    }
    failure
}

impl From<GitProgramError> for AppError {
    fn from(error: GitProgramError) -> Self {
        with_causes(Self::usage("git", error.to_string()).hint(error.hint()), &error)
    }
}

impl From<DiscoverError> for AppError {
    fn from(error: DiscoverError) -> Self {
        let class = match &error {
            DiscoverError::Git(_) => ErrorClass::Machine,
            _ => ErrorClass::Usage,
        };
        let failure = with_causes(Self::new(class, "repository", error.to_string()), &error);
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

impl From<LockError> for AppError {
    fn from(error: LockError) -> Self {
        match &error {
            LockError::Held(_) => Self::busy(error.to_string())
                .hint("`afresh status` shows its progress; `afresh halt` stops it"),
            LockError::Unsupported { .. } => Self::machine("lock", error.to_string())
                .hint("work in a clone of the repository on a local file system"),
            LockError::Fault(fault) => {
                with_causes(Self::machine("lock", error.to_string()), &error)
                    .hint(fault_hint(fault))
            }
        }
    }
}

/// What to do about a full disk, a directory that cannot be written, or another failure of the machine.
fn fault_hint(fault: &IoFault) -> String {
    let parent = fault.path.parent().filter(|_| !fault.path.is_dir());
    let place = parent.unwrap_or(&fault.path).display();
    match fault.kind {
        IoFaultKind::DiskFull => format!(
            "free some space on the disk that holds {place}, then start the command again; nothing is lost"
        ),
        IoFaultKind::ReadOnly => {
            format!("make {place} writable, then start the command again; nothing is lost")
        }
        IoFaultKind::Busy => format!("wait for the other process, or look what uses {place}"),
        IoFaultKind::Io => {
            format!("look at {place}: what is there, its permissions, and the free space")
        }
    }
}

impl From<JournalError> for AppError {
    fn from(error: JournalError) -> Self {
        let class = match &error {
            JournalError::Newer { .. }
            | JournalError::Foreign { .. }
            | JournalError::Damaged { .. }
            | JournalError::MissesHead { .. }
            | JournalError::HeadMissing { .. }
            | JournalError::DatabaseGone { .. }
            | JournalError::HeadDamaged { .. } => ErrorClass::Usage,
            _ => ErrorClass::Machine,
        };
        let failure = with_causes(Self::new(class, "journal", error.to_string()), &error);
        match error {
            JournalError::Unfit { .. } => {
                failure.hint("name a directory on a local file system: AFRESH_STATE=DIR")
            }
            JournalError::Fault(ref fault) => failure.hint(fault_hint(fault)),
            JournalError::DatabaseGone { .. } => failure.hint(
                "restore it from a copy, or start over: `afresh run --new PLAN`; what has landed is on \
                 the branches afresh/…, and `git merge` lands it",
            ),
            JournalError::Damaged { .. }
            | JournalError::MissesHead { .. }
            | JournalError::HeadMissing { .. }
            | JournalError::HeadDamaged { .. } => failure.hint(
                "without a copy: move the state directory away, then `afresh run --new PLAN` starts \
                 over; what has landed is on the branches afresh/…, and `git merge` lands it",
            ),
            _ => failure,
        }
    }
}

impl From<OpenError> for AppError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Discover(error) => error.into(),
            OpenError::Lock(error) => error.into(),
            OpenError::Journal(error) => error.into(),
            OpenError::StateLost(ref lost) => {
                Self::usage("state-lost", lost.to_string()).hint(lost.hint())
            }
            // Another git process holds the lock; it can be waited for.
            OpenError::Refs(error @ RefError::Locked { .. }) => {
                Self::machine("locked", error.to_string()).hint(error.hint().unwrap_or_default())
            }
            OpenError::Unborn => Self::usage("unborn", error.to_string())
                .hint("`afresh run --init-git …` creates an empty first commit; your files stay as they are"),
            OpenError::OtherRepository { .. } => Self::usage("state", error.to_string())
                .hint("give each repository its own AFRESH_STATE"),
            OpenError::StillRunning(_) => Self::machine("still-running", error.to_string())
                .hint("end the processes listed there, then try again"),
            OpenError::BranchMoved { ref branch, ref tip, ref foreign } => {
                let hint = format!(
                    "`git branch -f {branch} {tip}` moves it back, after `git branch NAME {foreign}` if you want to \
                     keep that commit; `afresh run --new` starts another run"
                );
                Self::usage("branch-moved", error.to_string()).hint(hint)
            }
            OpenError::CheckedOut { .. } => Self::usage("checked-out", error.to_string())
                .hint("switch that checkout to another branch, then try again"),
            OpenError::Record(error) => Self::journal(error),
            _ => with_causes(Self::machine("open", error.to_string()), &error)
                .hint("fix the cause, then try again; nothing was lost"),
        }
    }
}

impl From<DriveError> for AppError {
    fn from(error: DriveError) -> Self {
        let kind = match &error {
            DriveError::Journal(_) | DriveError::Ended(_) => "journal",
            DriveError::Pool(_) | DriveError::Directory(..) => "directory",
        };
        let failure = with_causes(Self::machine(kind, error.to_string()), &error);
        if is_caused_by_vanished_journal(&error) {
            return failure.hint(
                "work in progress is saved in its workspace, and what has landed is on the run's \
                 branch; put the files back, then `afresh run` continues; `afresh status` says what is left",
            );
        }
        failure.hint("fix the cause; `afresh run` continues where it stopped")
    }
}

fn is_caused_by_vanished_journal(error: &DriveError) -> bool {
    matches!(error, DriveError::Journal(JournalError::Vanished { .. }))
}

impl From<CleanupError> for AppError {
    fn from(error: CleanupError) -> Self {
        let text = error.to_string();
        match error {
            CleanupError::Open(error) => error.into(),
            CleanupError::NothingToDiscard(_) => Self::usage("discard", text)
                .hint("`afresh clean --dry-run` lists what is kept, and how to discard it"),
            CleanupError::StillNeeded(run) => Self::usage("unfinished", text)
                .hint(format!("`afresh resume {run}` continues it; `afresh abort {run}` ends it")),
            CleanupError::Pool(_)
            | CleanupError::Refs(_)
            | CleanupError::Git(_)
            | CleanupError::File(_) => {
                Self::machine("clean", text).hint("fix the cause, then run `afresh clean` again")
            }
        }
    }
}
