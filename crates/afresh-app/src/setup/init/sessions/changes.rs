//! Which files change for people's agent sessions, and changing them.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use afresh_secrets::redact;
use afresh_store::write_atomically;
use schemars::JsonSchema;
use serde::Serialize;
use similar::TextDiff;

use super::EntryEdit;
use super::programs::{InstallScope, NeededFile, SessionProgram};
use crate::error::AppError;
use crate::text::files::{ReplaceError, read_bounded, replace_unchanged};

/// Larger files are left alone; one program keeps its history in the file that names its servers.
const MAX_BYTES: usize = 64 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupDirection {
    Install,
    Remove,
}

/// What is wanted.
#[derive(Debug)]
pub struct SessionSetup {
    pub programs: Vec<SessionProgram>,
    pub scope: InstallScope,
    pub direction: SetupDirection,
    /// Values that are not shown: files of programs may hold keys beside our entry.
    pub secrets: Vec<String>,
}

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SessionFileAction {
    Create,
    Change,
    Delete,
    /// It is as it should be.
    Same,
    /// It is left alone, for a reason.
    Leave,
}

/// A file, and what happens to it.
#[derive(Debug, JsonSchema, Serialize)]
pub struct SessionFileChange {
    pub program: &'static str,
    pub path: PathBuf,
    pub action: SessionFileAction,
    /// The contents of a new file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What changes in a file that is the user's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Its contents now.
    #[serde(skip)]
    before: Option<String>,
    /// Its new contents.
    #[serde(skip)]
    after: Option<String>,
    #[serde(skip)]
    root: PathBuf,
}

impl SessionSetup {
    /// Every file of the programs; nothing is written.
    pub fn find_changes(&self) -> Vec<SessionFileChange> {
        let files = self.programs.iter().flat_map(|program| {
            let files = program.files(&self.scope).into_iter();
            files.map(|file| self.find_change(*program, file))
        });
        files.collect()
    }

    fn find_change(&self, program: SessionProgram, file: NeededFile) -> SessionFileChange {
        let path = file.root.join(&file.path);
        let before = match read_own(&file.root, &path) {
            Ok(before) => before,
            Err(reason) => {
                let hint = "make it a regular file, or edit it yourself".to_owned();
                let edit = EntryEdit::Leave { reason, hint };
                return self.change(program, path, file.root, None, edit);
            }
        };
        let edit = match self.direction {
            SetupDirection::Install => file.content.install(before.as_deref()),
            SetupDirection::Remove => file.content.remove(before.as_deref()),
        };
        self.change(program, path, file.root, before, edit)
    }

    fn change(
        &self,
        program: SessionProgram,
        path: PathBuf,
        root: PathBuf,
        before: Option<String>,
        edit: EntryEdit,
    ) -> SessionFileChange {
        let program = program.name();
        let (text, diff, reason, hint, after) = (None, None, None, None, None);
        let action = SessionFileAction::Same;
        let same = SessionFileChange {
            program,
            path,
            action,
            text,
            diff,
            reason,
            hint,
            before,
            after,
            root,
        };
        match (edit, &same.before) {
            (EntryEdit::Same, _) => same,
            (EntryEdit::Delete, _) => {
                SessionFileChange { action: SessionFileAction::Delete, ..same }
            }
            (EntryEdit::Write(text), None) => {
                let after = Some(text.clone());
                let action = SessionFileAction::Create;
                SessionFileChange { action, text: Some(text), after, ..same }
            }
            (EntryEdit::Write(text), Some(before)) => {
                let diff = Some(redact(&describe_difference(before, &text), &self.secrets));
                let action = SessionFileAction::Change;
                SessionFileChange { action, diff, after: Some(text), ..same }
            }
            (EntryEdit::Leave { reason, hint }, _) => {
                let (reason, hint) = (Some(reason), Some(hint));
                SessionFileChange { action: SessionFileAction::Leave, reason, hint, ..same }
            }
        }
    }
}

/// Only the lines that change: their neighbours are none of our business.
fn describe_difference(before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff().context_radius(0).header("now", "new").to_string()
}

impl SessionFileChange {
    pub fn is_edit(&self) -> bool {
        !matches!(self.action, SessionFileAction::Same | SessionFileAction::Leave)
    }

    /// Carries it out, if the file still is as it was read.
    pub fn apply(&self) -> Result<(), AppError> {
        let failed = |error: String| AppError::cannot_write("session", &self.path, error);
        let changed = || failed("it changed meanwhile".to_owned()).hint("run the command again");
        match (self.action, &self.after) {
            (SessionFileAction::Create, Some(text)) => {
                let directory = self.path.parent().unwrap_or(&self.root);
                fs::create_dir_all(directory).map_err(|error| failed(error.to_string()))?;
                match read_own(&self.root, &self.path) {
                    Ok(None) => {}
                    _ => return Err(changed()),
                }
                write_atomically(&self.path, text.as_bytes())
                    .map_err(|error| failed(error.to_string()))
            }
            (SessionFileAction::Change, Some(text)) => {
                let before = self.before.as_deref().unwrap_or_default();
                replace_unchanged(&self.path, before.as_bytes(), text.as_bytes()).map_err(|error| {
                    match error {
                        ReplaceError::Changed => changed(),
                        ReplaceError::Io(error) => failed(error.to_string()),
                    }
                })
            }
            (SessionFileAction::Delete, _) => {
                if read_own(&self.root, &self.path).ok().flatten() != self.before {
                    return Err(changed());
                }
                fs::remove_file(&self.path).map_err(|error| failed(error.to_string()))?;
                self.remove_empty_directories();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Directories that the file was alone in, up to the root.
    fn remove_empty_directories(&self) {
        let above = self.path.ancestors().skip(1);
        for directory in above.take_while(|it| *it != self.root && it.starts_with(&self.root)) {
            // One that has other files stays, and so do those above it.
            if fs::remove_dir(directory).is_err() {
                return;
            }
        }
    }
}

/// The text of a file below a root; none if it does not exist. Links below the root may lead anywhere and are not
/// followed.
fn read_own(root: &Path, path: &Path) -> Result<Option<String>, String> {
    let below = path.strip_prefix(root).map_err(|_| "it is outside of the directory".to_owned())?;
    let mut at = root.to_owned();
    for part in below.components() {
        at.push(part);
        match fs::symlink_metadata(&at) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("cannot read {}: {error}", at.display())),
            Ok(found) if found.is_symlink() => {
                return Err(format!("{} is a symbolic link", at.display()));
            }
            Ok(found) if at == path && !found.is_file() => {
                return Err("it is not a regular file".to_owned());
            }
            Ok(_) => {}
        }
    }
    let bytes = read_bounded(path, MAX_BYTES).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map(Some).map_err(|_| "it is not UTF-8".to_owned())
}
