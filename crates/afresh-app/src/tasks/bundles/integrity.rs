//! Whether the sources of a bundle are unchanged: files of the user, and files on the run's branch of the
//! tasks that it builds on.

use afresh_agents::Bundle;
use afresh_agents::bundle::{FileChecksum, FileOrigin};
use afresh_core::Run;
use afresh_core::run::TaskStage;
use afresh_engine::RepoContext;
use serde::Serialize;
use std::collections::BTreeSet;

use crate::error::AppError;
use crate::tasks::bundles::select::SelectedBundle;
use crate::text::files;

/// More than any source of a bundle.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// One source of a bundle.
#[derive(Debug, Serialize)]
pub struct BundleSource {
    pub path: String,
    pub from: FileOrigin,
    pub state: SourceState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceState {
    Same,
    Changed,
    Missing,
}

/// One bundle.
#[derive(Debug, Serialize)]
pub struct BundleIntegrity {
    pub bundle: String,
    pub file: String,
    pub ok: bool,
    pub sources: Vec<BundleSource>,
}

/// Compares the sources of bundles with their current contents.
pub fn check(
    repository: &RepoContext,
    run: Option<&Run>,
    bundles: &[SelectedBundle],
) -> Result<Vec<BundleIntegrity>, AppError> {
    let check = IntegrityCheck { repository, run };
    bundles.iter().map(|one| check.bundle(one)).collect()
}

struct IntegrityCheck<'a> {
    repository: &'a RepoContext,
    run: Option<&'a Run>,
}

impl IntegrityCheck<'_> {
    fn bundle(&self, chosen: &SelectedBundle) -> Result<BundleIntegrity, AppError> {
        let shown = chosen.file.display().to_string();
        let bundle = read(chosen)?;
        let mut sources: Vec<BundleSource> =
            bundle.sources.iter().map(|sum| self.source(sum)).collect::<Result<_, _>>()?;
        sources.extend(self.missing_files(&bundle)?);
        let ok = sources.iter().all(|source| source.state == SourceState::Same);
        Ok(BundleIntegrity { bundle: chosen.name.clone(), file: shown, ok, sources })
    }

    fn source(&self, sum: &FileChecksum) -> Result<BundleSource, AppError> {
        let bytes = match sum.from {
            FileOrigin::Checkout => self.in_checkout(&sum.path),
            FileOrigin::Branch => self.on_branch(&sum.path)?,
        };
        let same =
            |bytes: Vec<u8>| FileChecksum::from_bytes(&sum.path, &bytes).sha256 == sum.sha256;
        let state = match bytes.map(same) {
            None => SourceState::Missing,
            Some(true) => SourceState::Same,
            Some(false) => SourceState::Changed,
        };
        Ok(BundleSource { path: sum.path.clone(), from: sum.from, state })
    }

    fn in_checkout(&self, path: &str) -> Option<Vec<u8>> {
        let root = self.repository.git.root()?;
        files::read_bounded(&root.join(path), MAX_BYTES).ok()
    }

    fn on_branch(&self, path: &str) -> Result<Option<Vec<u8>>, AppError> {
        let Some(run) = self.run else { return Ok(None) };
        let found = self.repository.git.show_file(run.tip(), path);
        found.map_err(AppError::git)
    }

    /// Files of its dependencies that are missing on the branch, although no task deleted them.
    fn missing_files(&self, bundle: &Bundle) -> Result<Vec<BundleSource>, AppError> {
        let Some(run) = self.run.filter(|_| !bundle.built_on.is_empty()) else {
            return Ok(Vec::new());
        };
        let there = self.repository.git.list_files(run.tip());
        let there = there.map_err(AppError::git)?;
        let mut fine: BTreeSet<&str> = there.iter().map(|file| file.path.as_str()).collect();
        for (_, state) in run.tasks() {
            if let TaskStage::Done { receipt, .. } = &state.stage {
                fine.extend(receipt.deleted.iter().map(String::as_str));
            }
        }
        fine.extend(bundle.interfaces.iter().map(|file| file.path.as_str()));
        let made =
            bundle.built_on.iter().flat_map(|need| need.created.iter().chain(&need.modified));
        let gone = made.filter(|path| !fine.contains(path.as_str()));
        let source = |path: &String| BundleSource {
            path: path.clone(),
            from: FileOrigin::Branch,
            state: SourceState::Missing,
        };
        Ok(gone.map(source).collect())
    }
}

fn read(chosen: &SelectedBundle) -> Result<Bundle, AppError> {
    let failure = |why: String| {
        AppError::usage("bundle", format!("cannot read the bundle {}", chosen.name))
            .cause(why)
            .in_file(chosen.file.display().to_string())
            .hint("`afresh bundle validate` shows what is wrong with it")
    };
    let bytes =
        files::read_bounded(&chosen.file, MAX_BYTES).map_err(|error| failure(error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| failure(error.to_string()))
}
