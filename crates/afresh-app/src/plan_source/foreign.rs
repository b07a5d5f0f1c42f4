//! Plans of foreign formats, recognised by the files in a directory.

use std::path::Path;

use afresh_import::detect::{self, PlanFormat, ReadOptions};

use super::disk::DiskFolder;
use super::{FoundPlan, PlanReadOptions, PlanReader, unreadable};
use crate::error::AppError;

/// How many parents of a named file are searched.
const MAX_CLIMB: usize = 6;

/// Reads the plan in the directory `path`, or the one that the file `path` belongs to.
pub(super) fn read(path: &Path, shown: &str, how: &PlanReadOptions) -> Result<FoundPlan, AppError> {
    let path = path.canonicalize().map_err(|error| unreadable(shown, &error))?;
    if path.is_dir() {
        let folder = DiskFolder::open(&path);
        let format = choose(&folder, shown, how)?.ok_or_else(|| nothing_there(shown))?;
        let wishes = ReadOptions { unit: how.unit, only: None };
        return Ok(read_with(format, folder, &path, shown, &wishes));
    }
    let (format, folder) = above(&path, shown, how)?.ok_or_else(|| nothing_there(shown))?;
    let inside = path.strip_prefix(folder.root()).ok();
    let only = inside.map(|inside| inside.to_string_lossy().into_owned());
    let wishes = ReadOptions { unit: how.unit, only };
    Ok(read_with(format, folder, &path, shown, &wishes))
}

/// The format that a file belongs to, and the highest parent directory with that format: earlier plans
/// and other sources may be next to the file's own directory.
fn above(
    path: &Path,
    shown: &str,
    how: &PlanReadOptions,
) -> Result<Option<(&'static PlanFormat, DiskFolder)>, AppError> {
    let mut found: Option<(&'static PlanFormat, DiskFolder)> = None;
    for root in path.ancestors().skip(1).take(MAX_CLIMB) {
        let folder = DiskFolder::open(root);
        match &found {
            None => found = choose(&folder, shown, how)?.map(|format| (format, folder)),
            Some((format, _)) if (format.is_present)(&folder) => found = Some((*format, folder)),
            Some(_) => {}
        }
        if root.join(".git").exists() {
            break;
        }
    }
    Ok(found)
}

/// The named format, else the recognised one.
fn choose(
    folder: &DiskFolder,
    shown: &str,
    how: &PlanReadOptions,
) -> Result<Option<&'static PlanFormat>, AppError> {
    if let Some(name) = &how.format {
        return Ok(detect::format_by_name(name));
    }
    let found = detect::detect_formats(folder);
    if found.len() < 2 {
        return Ok(found.first().copied());
    }
    let names: Vec<&str> = found.iter().map(|format| format.name).collect();
    let message = format!("{shown} contains plans of several formats: {}", names.join(", "));
    let help = format!("choose one with `--format {}`", names[0]);
    Err(AppError::usage("plan", message).in_file(shown).hint(help))
}

fn read_with(
    format: &'static PlanFormat,
    folder: DiskFolder,
    path: &Path,
    shown: &str,
    wishes: &ReadOptions,
) -> FoundPlan {
    let mut reading = (format.read)(&folder, wishes);
    reading.findings.extend(folder.trouble());
    let (path, base) = (path.to_owned(), folder.root().to_owned());
    let folder = Box::new(folder);
    let reader = PlanReader::Foreign(format, wishes.clone());
    FoundPlan { path, shown: shown.to_owned(), format: format.name, reading, folder, base, reader }
}

fn nothing_there(shown: &str) -> AppError {
    let names: Vec<&str> = detect::FORMATS.iter().map(|format| format.name).collect();
    AppError::usage("plan", format!("{shown} contains no plan")).in_file(shown).hint(format!(
        "{}; the formats are: native, {}",
        super::WHAT_IS_A_PLAN,
        names.join(", ")
    ))
}
