//! `afresh open`: a copy of a task's workspace for a person (HU-08).
//!
//! The copy is a private clone of its own, so nothing that is done in it reaches the worker, its workspace or the user's
//! repository. Of a worker that is still at work, only the files are copied: its `.git` is not trusted.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

use afresh_core::ids::{CommitId, WorkspaceSlot};
use afresh_core::run::TaskStage;
use afresh_engine::RepoContext;
use afresh_engine::cleanup::copies_directory;
use afresh_engine::session::RecordedRun;
use afresh_git::{PrepareTarget, WorkspaceId, WorkspacePool};
use nix::errno::Errno;
use nix::fcntl::OFlag;
use schemars::JsonSchema;
use serde::Serialize;

use super::diff::find_task_diff;
use crate::error::AppError;
use crate::notice::Notice;
use crate::session::runs::select::find_task_or_attempt;

/// How many copies one task may have before the next is refused.
const MAX_COPIES: u32 = 1_000;
const SLOT: WorkspaceId = WorkspaceId::Work(WorkspaceSlot(1));

/// What `afresh open --json` prints.
#[derive(Debug, JsonSchema, Serialize)]
pub struct WorkspaceCopy {
    pub run: String,
    pub task: String,
    /// The commit that is checked out; of a worker that is at work, the one that it started from.
    pub commit: CommitId,
    /// Whether the worker is still at work, and its files may be half written.
    pub at_work: bool,
    /// Where the copy is; only `afresh clean --opened` removes it.
    pub directory: PathBuf,
}

/// Copies the workspace of a task or attempt: what its worker has written so far, what it left, or what landed.
pub fn copy_workspace(
    repository: &RepoContext,
    found: &RecordedRun,
    named: &str,
    notices: &mut Vec<Notice>,
) -> Result<WorkspaceCopy, AppError> {
    let (task, number) = find_task_or_attempt(&found.run, named)?;
    let live = found.run.state_of(&task).and_then(|state| match &state.stage {
        TaskStage::Running(work) if number.is_none_or(|it| it == work.attempt.number) => Some(work),
        _ => None,
    });
    let commit = match live {
        Some(work) => work.ground.prepared.clone(),
        None => find_task_diff(repository, found, &[named.to_owned()], notices)?.commit,
    };
    let source = match live {
        Some(work) => WorkspacePool::find(repository.git.clone(), &repository.layout.cache)
            .map_err(|error| cannot_copy(&error))?
            .map(|pool| pool.tree(WorkspaceId::Work(work.slot))),
        None => None,
    };
    let run = found.run.id().to_string();
    let place =
        new_directory(&copies_directory(&repository.layout.cache), &format!("{run}-{named}"))?;
    let pool = WorkspacePool::open(repository.git.clone(), &place);
    let pool = pool.map_err(|error| cannot_copy(&error))?;
    let prepared = pool.prepare(SLOT, PrepareTarget::Commit(&commit), &[]);
    prepared.map_err(|error| cannot_copy(&error))?;
    let directory = pool.tree(SLOT);
    if let Some(source) = &source {
        replace_files(source, &directory).map_err(|error| cannot_copy(&error))?;
    }
    let at_work = source.is_some();
    Ok(WorkspaceCopy { run, task: task.to_string(), commit, at_work, directory })
}

/// A directory that did not exist before.
fn new_directory(parent: &Path, name: &str) -> Result<PathBuf, AppError> {
    let failed = |error: &io::Error| AppError::cannot_write("open", parent, error);
    fs::create_dir_all(parent).map_err(|error| failed(&error))?;
    for number in 1..=MAX_COPIES {
        let path = parent.join(format!("{name}-{number}"));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(&error)),
        }
    }
    Err(AppError::usage("open", format!("there are {MAX_COPIES} copies of {name} already"))
        .hint("`afresh clean --opened` removes all copies"))
}

/// Makes the files of `to` those of `from`, without its repository. Links are copied, never followed.
fn replace_files(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(to)?.flatten().filter(|entry| entry.file_name() != ".git") {
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    copy_files(from, to)
}

fn copy_files(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)?.flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        // The worker continues: a file may be gone by now.
        let Ok(kind) = entry.file_type() else { continue };
        if name.eq_ignore_ascii_case(".git") {
            continue;
        }
        let target = to.join(&name);
        let copied = if kind.is_dir() {
            fs::create_dir(&target).and_then(|()| copy_files(&path, &target))
        } else if kind.is_symlink() {
            fs::read_link(&path).and_then(|link| symlink(link, &target))
        } else if kind.is_file() {
            copy_file(&path, &target)
        } else {
            Ok(())
        };
        match copied {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            other => other?,
        }
    }
    Ok(())
}

/// Copies a regular file; the worker may put a link or a pipe in its place at any time, which is then left out.
fn copy_file(from: &Path, to: &Path) -> io::Result<()> {
    let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
    let mut opened = match OpenOptions::new().read(true).custom_flags(flags.bits()).open(from) {
        Err(error) if error.raw_os_error() == Some(Errno::ELOOP as i32) => return Ok(()),
        opened => opened?,
    };
    let metadata = opened.metadata()?;
    if !metadata.is_file() {
        return Ok(());
    }
    let mut copy = File::create_new(to)?;
    io::copy(&mut opened, &mut copy)?;
    copy.set_permissions(metadata.permissions())
}

fn cannot_copy(error: &dyn std::error::Error) -> AppError {
    let cause =
        error.source().map_or_else(|| error.to_string(), |source| format!("{error}: {source}"));
    AppError::machine("open", "cannot copy the workspace")
        .cause(cause)
        .hint("check the permissions and the free space of the cache directory")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HU-08: what a worker puts in the place of a file is neither followed nor waited for.
    #[test]
    fn only_regular_files_are_copied() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = |name: &str| directory.path().join(name);
        fs::write(path("file"), "text").expect("written");
        symlink(path("file"), path("link")).expect("a link");
        nix::unistd::mkfifo(&path("pipe"), nix::sys::stat::Mode::S_IRWXU).expect("a pipe");
        for name in ["file", "link", "pipe"] {
            copy_file(&path(name), &path(&format!("{name}.copy"))).expect("no failure");
        }
        assert_eq!(fs::read(path("file.copy")).expect("the copy"), b"text");
        assert!(!path("link.copy").exists() && !path("pipe.copy").exists());
    }
}
