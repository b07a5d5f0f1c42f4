//! Formats with one directory per feature: `specs/NAME/tasks.md` and the files next to it.
//!
//! One of them is read: the one that the user named, or else the only unfinished one.

use crate::detect::ReadOptions;
use crate::draft::unfinished::{PlanCandidate, choose_unfinished};
use afresh_formats::findings::Finding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::PlanReading;

/// A directory with a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FeatureDir {
    /// Empty, or ends in a slash.
    pub(crate) directory: String,
}

impl FeatureDir {
    pub(crate) fn file(&self, name: &str) -> String {
        format!("{}{name}", self.directory)
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        self.directory.trim_end_matches('/').rsplit('/').next().unwrap_or_default()
    }

    pub(crate) fn text(
        &self,
        folder: &dyn PlanFolder,
        name: &str,
    ) -> Option<Result<String, Finding>> {
        folder.text(&self.file(name))
    }
}

/// The directories with a file of this name, directly below one of the parents, or at the top.
pub(crate) fn features(folder: &dyn PlanFolder, parents: &[&str], file: &str) -> Vec<FeatureDir> {
    let directory = |path: &String| {
        let directory = path.strip_suffix(file)?;
        let below = |parent: &str| {
            let name = directory.strip_prefix(parent).and_then(|rest| rest.strip_suffix('/'));
            name.is_some_and(|name| !name.is_empty() && !name.contains('/'))
        };
        let found = directory.is_empty() || parents.iter().any(|parent| below(parent));
        found.then(|| FeatureDir { directory: directory.to_owned() })
    };
    folder.paths().iter().filter_map(directory).collect()
}

/// Reads the named feature, or the only unfinished one.
pub(crate) fn read_one(
    folder: &dyn PlanFolder,
    options: &ReadOptions,
    features: &[FeatureDir],
    read: impl Fn(&FeatureDir) -> PlanReading,
) -> PlanReading {
    let mut features: Vec<&FeatureDir> = features.iter().collect();
    if let Some(only) = &options.only {
        // A file of a feature, the feature itself, or the directory of several.
        let holds = |feature: &&FeatureDir| only.starts_with(&feature.directory);
        let own = features.iter().copied().filter(holds).max_by_key(|f| f.directory.len());
        match own.filter(|own| !own.directory.is_empty() || !only.ends_with('/')) {
            Some(own) => return read(own),
            None => features.retain(|feature| feature.directory.starts_with(only)),
        }
        if features.is_empty() {
            return nothing(only);
        }
    }
    let candidates = features.into_iter().map(|feature| {
        let (path, reading) = (feature.directory.clone(), read(feature));
        PlanCandidate { path, reading }
    });
    choose_unfinished(folder, candidates.collect()).unwrap_or_else(|| nothing("."))
}

fn nothing(file: &str) -> PlanReading {
    let finding = Finding::for_file(file, "empty-plan", "no tasks here: nothing to do");
    PlanReading::failed(finding.with_hint("expected a tasks.md next to it"))
}
