//! The sandbox of our own git while it reads the workspace of a running worker (B03).
//!
//! Such a worker can replace a directory with a link at any moment. Git, with our rights, would then read the link's
//! target and store it where the worker can see it. So git sees no more than the worker: not the home directory, not
//! the user's checkout, not afresh's own state.

use std::path::{Path, PathBuf};

use afresh_git::WorkspaceId;
use afresh_sandbox::{SandboxNetwork, SandboxSpec};

use crate::executor::ExecutorContext;
use crate::executor::sandbox::home_tools::ToolSearch;
use crate::executor::sandbox::{TempDir, objects};

/// How git is started, for as long as this is kept.
#[derive(Debug)]
pub(crate) struct GitSandbox {
    before: Vec<String>,
    _temp: TempDir,
}

impl GitSandbox {
    /// The command line that precedes git and its arguments.
    pub(crate) fn before(&self) -> &[String] {
        &self.before
    }
}

impl ExecutorContext {
    /// None if the worker has no sandbox either.
    pub(crate) fn git_sandbox(&self, place: WorkspaceId) -> Result<Option<GitSandbox>, String> {
        let sandbox = &self.config.sandbox;
        if sandbox.level.is_off() {
            return Ok(None);
        }
        let repository = self.pool.repository();
        let common = repository.common_dir();
        let git = repository.program().path();
        let home = self.config.workers.environment.get("HOME").map(PathBuf::from);
        let temp = self.new_temp(&format!("{}git-{place}", self.job_prefix))?;
        let mut readable = vec![self.config.exe.clone(), git.to_owned(), common.join("shallow")];
        readable.extend(objects(&common.join("objects")));
        let path = self.config.workers.environment.get("PATH").map_or("", String::as_str);
        let search = ToolSearch { home: home.as_deref(), path };
        readable.extend(search.for_command(&[git.to_string_lossy().into_owned()]));
        let slot = self.pool.directory().join(place.to_string());
        let staging = repository.ensure_staging().map_err(|error| error.to_string())?;
        let room = SandboxSpec {
            writable: vec![slot, self.pool.directory().join("shadow.git"), staging],
            hidden: self.hidden(),
            private: home.into_iter().filter(|path| path.parent().is_some()).collect(),
            readable,
            temp: temp.path().to_owned(),
            network: SandboxNetwork::Off,
            handoff: None,
            sockets: sandbox.sockets,
            limits: sandbox.limits,
        };
        let tree: &Path = &self.pool.tree(place);
        let before = room.wrap_command(&sandbox.level, &self.config.exe, tree).wrapper;
        Ok(Some(GitSandbox { before, _temp: temp }))
    }
}
