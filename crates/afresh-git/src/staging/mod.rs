//! Objects of ours from their creation until a ref reaches them.
//!
//! `git gc --prune=now` deletes every object that no ref reached when it began, however new the
//! object is. So nothing is created in the user's object directory. New objects are written to a
//! directory of our own, which no garbage collection knows. From there they go into the user's
//! repository as a pinned pack, which every garbage collection leaves alone, and only then does a
//! ref point to them.
//!
//! ```text
//! <objects>/afresh                         the staging directory
//! <objects>/afresh/state                   a note of the caller's
//! <objects>/pack/pack-….keep               pins a pack until a ref reaches it
//! ```
//!
//! The staging directory is emptied when the next driver takes over, after it has checked its refs.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `pinned_pack` | from the staging directory into the user's repository |
//! | `small_pack` | a few new objects as a pinned pack, without a git process |
//! | `combine` | makes one pack out of many small ones |
//! | `dead_refs` | refs of ours whose objects are gone |
//! | `remains` | what is left of work whose objects are partly gone |

mod combine;
pub(crate) mod dead_refs;
pub(crate) mod pinned_pack;
pub(crate) mod remains;
pub(crate) mod small_pack;

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use crate::git::command::GitCommand;
use crate::git::error::{FileContext, FileError};
use crate::git::repository::Repository;
use crate::workspace::clone::quote;
use crate::workspace::remove::TreeRemover;

/// The name of the caller's note.
const STATE_NOTE: &str = "state";

impl Repository {
    /// Where new objects are written; it may not exist yet.
    pub fn staging_dir(&self) -> PathBuf {
        self.objects().join("afresh")
    }

    /// Creates the staging directory.
    pub fn ensure_staging(&self) -> Result<PathBuf, FileError> {
        let staging = self.staging_dir();
        let packs = staging.join("pack");
        if !packs.is_dir() {
            fs::create_dir_all(&packs).context("make", &packs)?;
        }
        Ok(staging)
    }

    /// Lets a command write new objects to the staging directory and read all objects.
    pub(crate) fn stage_objects_of(&self, call: GitCommand) -> Result<GitCommand, FileError> {
        let staging = self.ensure_staging()?;
        Ok(call
            .env("GIT_OBJECT_DIRECTORY", staging)
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", object_list(&[&self.objects()]))
            // A pinned pack is durable before a ref reaches it; this directory need not be.
            .setting("core.fsync", "none".as_ref()))
    }

    /// Lets a command that only reads see staged objects too.
    pub(crate) fn show_staged_to(&self, call: GitCommand) -> GitCommand {
        let staging = self.staging_dir();
        if !staging.is_dir() {
            return call;
        }
        call.env("GIT_ALTERNATE_OBJECT_DIRECTORIES", object_list(&[&staging]))
    }

    /// Whether the object has its own file in the staging directory.
    pub(crate) fn is_staged(&self, id: &str) -> bool {
        self.staged_file(id).is_file()
    }

    pub(crate) fn staged_file(&self, id: &str) -> PathBuf {
        let (directory, rest) = id.split_at(2);
        self.staging_dir().join(directory).join(rest)
    }

    /// A file that says where the caller keeps its state; it stays when the directory is emptied.
    pub fn state_note(&self) -> PathBuf {
        self.staging_dir().join(STATE_NOTE)
    }

    /// Removes what earlier drivers staged. Everything that is needed is in the user's repository,
    /// and after a power cut the rest may be damaged.
    pub fn empty_staging(&self) -> Result<(), FileError> {
        let staging = self.staging_dir();
        self.reader.restart();
        if !staging.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            return Ok(());
        }
        for entry in fs::read_dir(&staging).context("list", &staging)? {
            let entry = entry.context("list", &staging)?;
            if entry.file_name() != STATE_NOTE {
                TreeRemover::new(&staging).remove(&entry.path())?;
            }
        }
        Ok(())
    }
}

/// Object directories as git reads them from a variable.
pub(crate) fn object_list(directories: &[&Path]) -> OsString {
    let quoted: Vec<Vec<u8>> = directories.iter().map(|path| quote(path)).collect();
    OsString::from_vec(quoted.join(&b':'))
}
