//! Plans of the native format: one file, recognised by its name.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use afresh_formats::text::limits::MAX_DATA_BYTES;

use super::unreadable;
use crate::error::AppError;

pub(super) fn read(path: &Path, shown: &str) -> Result<Vec<u8>, AppError> {
    let metadata = fs::metadata(path).map_err(|error| unreadable(shown, &error))?;
    // A device or a pipe never ends.
    if !metadata.is_file() {
        return Err(AppError::usage("plan", format!("{shown} is not a regular file"))
            .in_file(shown)
            .hint(super::WHAT_IS_A_PLAN));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| unreadable(shown, &error))?;
    file.take(MAX_DATA_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| unreadable(shown, &error))?;
    Ok(bytes)
}

/// The only native plan in a directory, if there is one.
pub(super) fn only_one_in(directory: &Path, shown: &str) -> Result<Option<PathBuf>, AppError> {
    let mut found: Vec<PathBuf> = fs::read_dir(directory)
        .map_err(|error| unreadable(shown, &error))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| is_plan_name(path))
        .collect();
    found.sort();
    if found.len() < 2 {
        return Ok(found.pop());
    }
    let names: Vec<String> = found
        .iter()
        .filter_map(|path| path.file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    let message = format!("the directory {shown} contains several plans: {}", names.join(", "));
    Err(AppError::usage("plan", message).in_file(shown).hint("name one of them"))
}

/// The documents that state what a plan is for: its `spec`, and requirements beside that. They are next to
/// the plan or in the repository around it, and nowhere else.
pub(super) fn documents(plan: &Path, spec: Option<&str>) -> Vec<PathBuf> {
    let Some(beside) = plan.parent().and_then(|beside| beside.canonicalize().ok()) else {
        return Vec::new();
    };
    let Some(spec) = spec else { return Vec::new() };
    let root = beside.ancestors().find(|place| place.join(".git").exists());
    let bases: Vec<&Path> = std::iter::once(beside.as_path()).chain(root).collect();
    let inside = |path: &PathBuf| bases.iter().any(|base| path.starts_with(base));
    let found = bases.iter().filter_map(|base| base.join(spec).canonicalize().ok()).find(inside);
    let Some(spec) = found else { return Vec::new() };
    let more = spec.with_file_name("planning").join("requirements.md");
    let more = more.canonicalize().ok().filter(inside);
    std::iter::once(spec).chain(more).collect()
}

pub(super) fn is_plan_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".plan.toml") || name.ends_with(".plan.json")
}
