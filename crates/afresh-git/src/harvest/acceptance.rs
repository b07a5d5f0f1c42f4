//! Acceptance files: tests that another author wrote before the work (PL-17). They are put into the workspace before
//! the worker starts, and into the harvested tree exactly as they were written, whatever the worker did to them.

use std::fs;

use afresh_core::plan::AcceptanceFile;

use crate::git::error::FileContext;
use crate::harvest::collect::WorkCollector;
use crate::harvest::paths::is_safe_relative_path;
use crate::objects::diff::change::EntryMode;
use crate::objects::index::IndexFile;
use crate::objects::loose::ObjectKind;
use crate::workspace::pool::{PoolError, WorkspaceId, WorkspacePool};

/// Why an acceptance file could not be put into a workspace.
#[derive(Debug, thiserror::Error)]
pub enum AcceptanceError {
    #[error("{path} is not a path inside of the repository, or leads through a symbolic link")]
    Unsafe { path: String },
    #[error("cannot write an acceptance file")]
    Pool(#[from] PoolError),
}

impl WorkspacePool {
    /// Writes the files into a workspace that was just prepared. No process may be using it.
    pub fn write_acceptance_files(
        &self,
        id: WorkspaceId,
        files: &[AcceptanceFile],
    ) -> Result<(), AcceptanceError> {
        let tree = self.workspace_dir(id).tree();
        for AcceptanceFile { path, text } in files {
            let Some(text) = text else { continue };
            let refused = || AcceptanceError::Unsafe { path: path.clone() };
            if !is_safe_relative_path(path) {
                return Err(refused());
            }
            // The repository may have a link where a directory is expected, and it may lead anywhere.
            let mut at = tree.clone();
            let mut names = path.split('/').peekable();
            while let Some(name) = names.next() {
                at.push(name);
                let found = at.symlink_metadata().ok();
                let is_parent = names.peek().is_some();
                match found {
                    None if is_parent => {
                        fs::create_dir(&at).context("create", &at).map_err(PoolError::from)?;
                    }
                    None => {}
                    Some(found) if is_parent && found.is_dir() => {}
                    Some(found) if !is_parent && found.is_file() => {}
                    Some(_) => return Err(refused()),
                }
            }
            fs::write(&at, text).context("write", &at).map_err(PoolError::from)?;
        }
        Ok(())
    }
}

impl WorkCollector<'_> {
    /// Stages the files as they were written; returns a note about each that the worker changed.
    pub(crate) fn stage_acceptance(&self) -> Result<Vec<String>, PoolError> {
        let mut notes = Vec::new();
        let mut script = Vec::new();
        let repository = &self.pool.repository;
        let index = IndexFile::load(&self.index, repository.format).unwrap_or_default();
        for AcceptanceFile { path, text } in self.request.acceptance {
            let Some(text) = text.as_ref().filter(|_| is_safe_relative_path(path)) else {
                continue;
            };
            let id = repository.write_object(ObjectKind::Blob, text.as_bytes())?;
            let staged = index.entries().iter().find(|entry| entry.path == path.as_bytes());
            let is_same =
                staged.is_some_and(|entry| entry.id == id && entry.mode == EntryMode::File);
            if is_same {
                continue;
            }
            notes.push(format!(
                "{path} was changed by the worker; it lands as it was written before"
            ));
            script.extend(format!("100644 {id}\t{path}\0").into_bytes());
        }
        if !script.is_empty() {
            let call = self.git("stage acceptance files")?;
            let call = call.args(["update-index", "--add", "--replace", "-z", "--index-info"]);
            call.stdin(script).run_checked()?;
        }
        Ok(notes)
    }
}
