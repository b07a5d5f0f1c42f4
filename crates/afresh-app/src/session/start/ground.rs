//! What a run was prepared from: a commit, the plan's files, and what every prompt contains. Preparing takes seconds
//! where programs are started, and a user may commit, switch branches or save a file meanwhile. That is noticed before
//! the first worker starts.

use std::path::PathBuf;

use afresh_core::ids::CommitId;
use afresh_engine::RepoContext;
use afresh_engine::execution_config::WorkerConfig;

use crate::error::AppError;
use crate::notice::Notice;
use crate::plan_source::PlanFile;
use crate::plan_source::caller_paths::relative_path;
use crate::plan_source::file_states::FileStates;
use crate::session::briefing;
use crate::session::start::preflight;

/// The commit and the files that a run was prepared from.
#[derive(Debug)]
pub struct PreparedGround {
    head: Option<CommitId>,
    files: FileStates,
}

impl PreparedGround {
    pub(in crate::session) fn read(repository: &RepoContext, file: &PlanFile) -> Self {
        Self { head: repository.git.head().ok().flatten(), files: file.states.clone() }
    }

    /// Adds the files that prompts contain.
    pub(in crate::session) fn add_sources(
        &mut self,
        repository: &RepoContext,
        file: &PlanFile,
        workers: &WorkerConfig,
    ) {
        let root = briefing::root(repository, file);
        let sources = workers.briefing.sources.iter().map(|source| root.join(&source.path));
        self.files.add(sources);
    }

    /// Fails if a file changed: the run would do something else than the user wrote last.
    pub(in crate::session) fn check_files(
        &mut self,
        repository: &RepoContext,
    ) -> Result<(), AppError> {
        let changed = self.files.take_changes();
        if changed.is_empty() {
            return Ok(());
        }
        let root = repository.git.root().map(PathBuf::from).unwrap_or_default();
        let names: Vec<String> =
            changed.iter().map(|path| relative_path(&root, path).display().to_string()).collect();
        let message =
            format!("these files changed while the run was being prepared: {}", names.join(", "));
        Err(AppError::usage("changed", message)
            .hint("nothing was started; the same command reads them again"))
    }

    /// A new run starts from the current commit. If that is another one than the run was prepared for, it is checked
    /// as well.
    pub(in crate::session) fn check_head(
        &self,
        repository: &RepoContext,
        file: &PlanFile,
    ) -> Result<Option<Notice>, AppError> {
        let now = repository.git.head().ok().flatten();
        let (Some(before), Some(now)) = (&self.head, now) else { return Ok(None) };
        if *before == now {
            return Ok(None);
        }
        preflight::check_commit(repository, file)?;
        Ok(Some(Notice::note(format!(
            "your branch moved from {} to {} while the run was being prepared; the run starts from {}",
            &before.as_str()[..10],
            &now.as_str()[..10],
            &now.as_str()[..10]
        ))))
    }
}
