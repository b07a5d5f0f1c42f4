//! Why a command did not do what it was asked: for people, and as JSON.

use std::fmt::Write as _;

use afresh_engine::{DriveError, OpenError};
use afresh_formats::Finding;
use afresh_git::{DiscoverError, ProgramError, RefError};
use afresh_store::{JournalError, LockError};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::terminal::output::safe;

#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    /// A stable word for scripts.
    pub(crate) kind: &'static str,
    pub(crate) message: String,
    pub(crate) causes: Vec<String>,
    pub(crate) help: Option<String>,
    /// The file it is about, as the user named it.
    pub(crate) file: Option<String>,
    /// What is wrong with a file, all of it.
    pub(crate) findings: Vec<Finding>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            exit,
            kind,
            message: message.into(),
            causes: vec![],
            help: None,
            file: None,
            findings: vec![],
        }
    }

    pub(crate) fn usage(kind: &'static str, message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, kind, message)
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// What to do, where it does not know better.
    pub(crate) fn or_help(self, help: &str) -> Self {
        if self.help.is_some() { self } else { self.help(help) }
    }

    pub(crate) fn about(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// The file it is about, where it does not know better.
    pub(crate) fn or_about(self, file: &str) -> Self {
        if self.file.is_some() { self } else { self.about(file) }
    }

    pub(crate) fn cause(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    /// A file that cannot be read as what it should be.
    pub(crate) fn in_file(kind: &'static str, what: &str, findings: Vec<Finding>) -> Self {
        let errors = findings.iter().filter(|finding| finding.is_error()).count();
        let problems =
            if errors == 1 { "1 problem".to_owned() } else { format!("{errors} problems") };
        Self { findings, ..Self::usage(kind, format!("{what}: {problems}")) }
    }

    pub(crate) fn to_json(&self) -> Value {
        let first = self.findings.iter().find(|finding| finding.is_error());
        let help = self.help.clone().or_else(|| first.and_then(|finding| finding.hint.clone()));
        let message = first.map_or_else(|| self.full_message(), |finding| finding.message.clone());
        json!({"error": {
            "kind": first.map_or(self.kind, |finding| finding.code.as_str()),
            "message": message,
            "help": help,
            "file": first.map(|finding| finding.file.clone()).or_else(|| self.file.clone()),
            "line": first.map(|finding| finding.line).filter(|line| *line > 0),
            "column": first.map(|finding| finding.column).filter(|column| *column > 0),
            "findings": self.findings,
        }})
    }

    /// For people. Names and messages may come from anywhere, so no line of it can move a cursor.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        for finding in &self.findings {
            text.push_str(&finding.render());
        }
        let _ = writeln!(text, "error: {}", self.message);
        for cause in &self.causes {
            let _ = writeln!(text, "  cause: {cause}");
        }
        if let Some(help) = &self.help {
            let _ = writeln!(text, "  hint: {help}");
        }
        text.lines().map(|line| safe(line) + "\n").collect()
    }

    fn full_message(&self) -> String {
        let parts: Vec<&str> = std::iter::once(self.message.as_str())
            .chain(self.causes.iter().map(String::as_str))
            .collect();
        parts.join(": ")
    }
}

fn with_causes(mut failure: Failure, error: &dyn std::error::Error) -> Failure {
    let mut cause = error.source();
    while let Some(inner) = cause {
        failure.causes.push(inner.to_string());
        cause = inner.source();
    }
    failure
}

impl From<ProgramError> for Failure {
    fn from(error: ProgramError) -> Self {
        with_causes(Self::usage("git", error.to_string()).help(error.hint()), &error)
    }
}

impl From<DiscoverError> for Failure {
    fn from(error: DiscoverError) -> Self {
        let failure = with_causes(Self::usage("repository", error.to_string()), &error);
        match error.hint() {
            Some(hint) => failure.help(hint),
            None => failure,
        }
    }
}

impl From<LockError> for Failure {
    fn from(error: LockError) -> Self {
        match &error {
            LockError::Held(_) => Self::new(Exit::Busy, "busy", error.to_string())
                .help("`afresh status` shows where it stands; `afresh halt` stops it"),
            LockError::Unsupported { .. } => Self::usage("lock", error.to_string())
                .help("work in a clone of the repository on a local file system"),
            LockError::Fault(_) => with_causes(Self::usage("lock", error.to_string()), &error),
        }
    }
}

impl From<JournalError> for Failure {
    fn from(error: JournalError) -> Self {
        let failure = with_causes(Self::usage("journal", error.to_string()), &error);
        match error {
            JournalError::Unfit { .. } => {
                failure.help("name a directory on a local file system: AFRESH_STATE=DIR")
            }
            _ => failure,
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Discover(error) => error.into(),
            OpenError::Lock(error) => error.into(),
            OpenError::Journal(error) => error.into(),
            // Somebody else's lock is no bug of ours, and can be waited for.
            OpenError::Refs(error @ RefError::Locked { .. }) => {
                Self::usage("locked", error.to_string()).help(error.hint().unwrap_or_default())
            }
            OpenError::Unborn => Self::usage("unborn", error.to_string())
                .help("`afresh run --init-git …` makes an empty first commit and leaves your files as they are"),
            OpenError::OtherRepository { .. } => Self::usage("state", error.to_string())
                .help("give each repository its own AFRESH_STATE"),
            OpenError::StillRunning(_) => Self::usage("still-running", error.to_string())
                .help("end the processes named there, then try again"),
            OpenError::CheckedOut { .. } => Self::usage("checked-out", error.to_string())
                .help("switch that checkout to another branch, then try again"),
            _ => with_causes(Self::new(Exit::Bug, "open", error.to_string()), &error),
        }
    }
}

impl From<DriveError> for Failure {
    fn from(error: DriveError) -> Self {
        let (exit, kind) = match &error {
            DriveError::Journal(_) | DriveError::Ended(_) => (Exit::Bug, "journal"),
            DriveError::Pool(_) | DriveError::Directory(..) => (Exit::Usage, "directory"),
        };
        with_causes(Self::new(exit, kind, error.to_string()), &error)
            .help("once the cause is mended, `afresh run` goes on where it stopped")
    }
}
