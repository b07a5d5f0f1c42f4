//! Formats with one directory per feature: `specs/NAME/tasks.md` and the files next to it.
//!
//! One of them is read: the one that the user named, or else the only unfinished one.

use crate::detect::ReadOptions;
use afresh_formats::findings::Finding;
use afresh_formats::folder::PlanFolder;
use afresh_formats::reading::PlanReading;

/// The most directories that a message names.
const MAX_NAMED: usize = 10;

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
    options: &ReadOptions,
    features: &[FeatureDir],
    read: impl Fn(&FeatureDir) -> PlanReading,
) -> PlanReading {
    if let Some(only) = &options.only {
        let holds = |feature: &&FeatureDir| only.starts_with(&feature.directory);
        let nearest = features.iter().filter(holds).max_by_key(|feature| feature.directory.len());
        return nearest.map_or_else(|| nothing(only), read);
    }
    let mut open: Vec<(&FeatureDir, PlanReading)> = Vec::new();
    let mut finished = None;
    for feature in features {
        let reading = read(feature);
        let tasks = reading.plan.as_ref().map(afresh_core::Plan::tasks);
        if tasks.is_some_and(|tasks| tasks.iter().all(|task| task.done_before.is_some())) {
            finished = Some(reading);
        } else {
            open.push((feature, reading));
        }
    }
    match (open.len(), finished) {
        (0, Some(finished)) => finished,
        (0, None) => nothing("."),
        (1, _) => open.remove(0).1,
        _ => several(&open),
    }
}

fn nothing(file: &str) -> PlanReading {
    let finding = Finding::for_file(file, "empty-plan", "no tasks here: nothing to do");
    PlanReading::failed(finding.with_hint("expected a tasks.md next to it"))
}

fn several(open: &[(&FeatureDir, PlanReading)]) -> PlanReading {
    let names: Vec<&str> =
        open.iter().take(MAX_NAMED).map(|(feature, _)| feature.directory.as_str()).collect();
    let message = format!("{} plans are unfinished: {}", open.len(), names.join(", "));
    let finding = Finding::for_file(".", "several-plans", message);
    PlanReading::failed(finding.with_hint(format!("name one of them, for example {}", names[0])))
}
