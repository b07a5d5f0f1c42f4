//! Files that set-up commands created before the worker started: they are not its work.

use std::fs;
use std::path::{Path, PathBuf};

use afresh_core::harvest::ChangeKind;
use afresh_core::ids::CommitId;

use crate::git::error::FileContext;
use crate::git::identity::{CommitIdentity, CommitSignature};
use crate::harvest::collect::{WorkCollector, WorkerPresence};
use crate::harvest::{HarvestLimits, HarvestRequest};
use crate::workspace::pool::{PoolError, WorkspaceId, WorkspacePool};
use crate::workspace::remove::remove_file;
use crate::workspace::slot::WorkspaceDir;

/// No set-up leaves more files that the project does not ignore.
const MAX_FILES: usize = 10_000;

impl WorkspacePool {
    /// Notes which files are in the workspace that neither its commit has nor the project ignores. Until the workspace
    /// is prepared again, they are harvested only if the task lists them.
    pub fn note_setup_files(&self, id: WorkspaceId, keep: &[String]) -> Result<(), PoolError> {
        let guard = self.locks.lock_workspace(id);
        let workspace = self.workspace_dir(id);
        let Some(prepared) = workspace.prepared().and_then(|commit| CommitId::new(commit).ok())
        else {
            return Ok(());
        };
        remove_file(&noted_in(&workspace))?;
        let signature = CommitSignature { identity: CommitIdentity::default(), at_seconds: 0 };
        let request = HarvestRequest {
            base: &prepared,
            prepared: &prepared,
            onto: &prepared,
            files: &[],
            acceptance: &[],
            keep,
            message: "",
            label: None,
            step_body: "",
            step_names: &[],
            signature: &signature,
            salvage: "",
            limits: HarvestLimits::default(),
        };
        // Read-only, as for a worker that is alive: the set-up needs everything as it is.
        let presence = WorkerPresence::Alive { preempt_flag: guard.preempt_flag(), through: &[] };
        let collector = WorkCollector::new(self, &workspace, &request, presence);
        let scan = collector.scan()?;
        let created = collector.collect(&scan)?.raw;
        let created = created.iter().filter(|change| change.kind == ChangeKind::Created);
        let lines: Vec<String> = created
            .take(MAX_FILES)
            .filter_map(|change| String::from_utf8(change.path.clone()).ok())
            .filter(|path| !path.contains(['\n', '\r']))
            .map(|path| format!("{}\n", exclude_line(&path)))
            .collect();
        let file = noted_in(&workspace);
        fs::write(&file, lines.concat()).context("write", &file)?;
        collector.remove_scratch_files()?;
        Ok(())
    }
}

fn noted_in(workspace: &WorkspaceDir) -> PathBuf {
    workspace.file("set-up.files")
}

/// The lines of an exclude file for what was noted.
pub(crate) fn exclude_lines(workspace: &WorkspaceDir) -> Vec<u8> {
    let file = noted_in(workspace);
    let is_plain = |file: &Path| file.symlink_metadata().is_ok_and(|found| found.is_file());
    if is_plain(&file) { fs::read(file).unwrap_or_default() } else { Vec::new() }
}

/// A pattern that matches exactly this path.
fn exclude_line(path: &str) -> String {
    let mut line = String::from("/");
    for c in path.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '\\' | ' ' | '!' | '#') {
            line.push('\\');
        }
        line.push(c);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_exactly_its_path() {
        assert_eq!(exclude_line("x.egg-info/PKG-INFO"), "/x.egg-info/PKG-INFO");
        assert_eq!(exclude_line("app/[id]/a b*"), "/app/\\[id\\]/a\\ b\\*");
    }
}
