//! Plans of foreign formats, recognised by the files in a directory.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use afresh_formats::findings::{not_utf8, wide_encoding};
use afresh_import::detect::{self, PlanFormat, ReadOptions};

use super::caller_paths::CallerPaths;
use super::disk::DiskFolder;
use super::tool_dirs::{self, PlanReach};
use super::{FoundPlan, PlanReadOptions, PlanReader, unreadable};
use crate::error::AppError;

/// A plan as the caller named it.
pub(super) struct NamedPlan<'a> {
    pub(super) directory: &'a Path,
    /// Relative to the directory.
    pub(super) given: &'a Path,
    /// The same, for messages.
    pub(super) shown: &'a str,
}

/// How many parents of a named file are searched.
const MAX_CLIMB: usize = 6;
/// How much of a file that belongs to no format is examined.
const MAX_PROBED: u64 = 1 << 20;

/// Reads the plan in the directory `path`, or the one that the file `path` belongs to.
pub(super) fn read(
    path: &Path,
    named: &NamedPlan<'_>,
    how: &PlanReadOptions,
) -> Result<FoundPlan, AppError> {
    let shown = named.shown;
    let path = path.canonicalize().map_err(|error| unreadable(shown, &error))?;
    if path.is_dir() {
        if let Some((format, folder, only)) = around(&path, shown, how)? {
            let options = ReadOptions { unit: how.unit, only: Some(only) };
            return Ok(read_with(format, folder, &path, named, &options));
        }
        let folder = DiskFolder::open(&path);
        let format = choose(&folder, shown, how)?.ok_or_else(|| nothing_there(&path, shown))?;
        let options = ReadOptions { unit: how.unit, only: None };
        return Ok(read_with(format, folder, &path, named, &options));
    }
    let found = above(&path, shown, how)?;
    let (format, folder) = found.ok_or_else(|| not_text(&path, shown))?;
    let inside = path.strip_prefix(folder.root()).ok();
    let only = inside.map(|inside| inside.to_string_lossy().into_owned());
    let options = ReadOptions { unit: how.unit, only };
    Ok(read_with(format, folder, &path, named, &options))
}

/// For a directory inside a tool's own one: the project around it, and the directory as seen from
/// there. Order and finished work are known only from the whole project.
fn around(
    path: &Path,
    shown: &str,
    how: &PlanReadOptions,
) -> Result<Option<(&'static PlanFormat, DiskFolder, String)>, AppError> {
    let Some(root) = project_root(path) else { return Ok(None) };
    let inside = path.strip_prefix(root).ok().and_then(Path::to_str);
    let Some(only) = inside.map(|inside| format!("{inside}/")) else { return Ok(None) };
    let folder = DiskFolder::open(root);
    let format = match &how.format {
        Some(name) => detect::format_by_name(name),
        None => owner(&folder, &only, shown)?,
    };
    Ok(format.map(|format| (format, folder, only)))
}

/// The project around a tool's own directory, if the path is in one.
fn project_root(path: &Path) -> Option<&Path> {
    let is_own = |place: &&Path| {
        let name = place.file_name().and_then(|name| name.to_str());
        name.and_then(tool_dirs::find).is_some_and(|found| found.reach == PlanReach::WholeProject)
    };
    path.ancestors().find(is_own).and_then(Path::parent)
}

/// Whether a file belongs to a foreign format.
pub(super) fn owns(path: &Path, shown: &str, how: &PlanReadOptions) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    above(&path, shown, how).is_ok_and(|found| found.is_some())
}

fn named_or_owner(
    folder: &DiskFolder,
    path: &Path,
    shown: &str,
    how: &PlanReadOptions,
) -> Result<Option<&'static PlanFormat>, AppError> {
    match &how.format {
        Some(name) => Ok(detect::format_by_name(name)),
        None => file_owner(folder, path, shown),
    }
}

/// The format that a file belongs to. A checklist is recognised only in the file's own directory.
fn file_owner(
    folder: &DiskFolder,
    path: &Path,
    shown: &str,
) -> Result<Option<&'static PlanFormat>, AppError> {
    let inside = path.strip_prefix(folder.root()).ok().and_then(Path::to_str);
    let Some(inside) = inside else { return Ok(None) };
    let found = detect::formats_of_file(folder, inside);
    if found.len() < 2 { Ok(found.first().copied()) } else { Err(ambiguous(shown, &found)) }
}

/// The format whose plans are in this directory.
fn owner(
    folder: &DiskFolder,
    only: &str,
    shown: &str,
) -> Result<Option<&'static PlanFormat>, AppError> {
    let found = detect::formats_within(folder, only);
    if found.len() < 2 { Ok(found.first().copied()) } else { Err(ambiguous(shown, &found)) }
}

/// The format that a file belongs to, and the highest parent directory with that format: earlier plans
/// and other sources may be next to the file's own directory.
fn above(
    path: &Path,
    shown: &str,
    how: &PlanReadOptions,
) -> Result<Option<(&'static PlanFormat, DiskFolder)>, AppError> {
    if let Some(root) = project_root(path) {
        let folder = DiskFolder::open(root);
        let format = named_or_owner(&folder, path, shown, how)?;
        return Ok(format.map(|format| (format, folder)));
    }
    let is_in_repository = path.ancestors().any(|place| place.join(".git").exists());
    let mut found: Option<(&'static PlanFormat, DiskFolder)> = None;
    // The root of the file system is nobody's project.
    let parents = path.ancestors().skip(1).filter(|root| root.parent().is_some());
    for root in parents.take(MAX_CLIMB) {
        let folder = DiskFolder::open(root);
        match &found {
            None => {
                let format = named_or_owner(&folder, path, shown, how)?;
                found = format.map(|format| (format, folder));
            }
            Some((format, _)) if (format.is_present)(&folder) && is_part(&folder, path, how) => {
                found = Some((*format, folder));
            }
            Some(_) => {}
        }
        // Outside a repository nothing shows where a project ends, and all of it would be listed.
        if root.join(".git").exists() || (found.is_some() && !is_in_repository) {
            break;
        }
    }
    Ok(found)
}

/// Whether a project counts a file among its plans. One that lies elsewhere in it is a plan by itself.
fn is_part(folder: &DiskFolder, path: &Path, how: &PlanReadOptions) -> bool {
    let inside = path.strip_prefix(folder.root()).ok().and_then(Path::to_str);
    let checklist =
        |format: &&PlanFormat| format.name == afresh_import::formats::checklist::FORMAT.name;
    how.format.is_some()
        || inside.is_some_and(|inside| {
            let found = detect::formats_of_file(folder, inside);
            found.iter().any(|format| !checklist(format))
        })
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
    Err(ambiguous(shown, &found))
}

fn ambiguous(shown: &str, found: &[&'static PlanFormat]) -> AppError {
    let names: Vec<&str> = found.iter().map(|format| format.name).collect();
    let message = format!("{shown} contains plans of several formats: {}", names.join(", "));
    let help = format!("choose one with `--format {}`", names[0]);
    AppError::usage("plan", message).in_file(shown).hint(help)
}

fn read_with(
    format: &'static PlanFormat,
    folder: DiskFolder,
    path: &Path,
    named: &NamedPlan<'_>,
    options: &ReadOptions,
) -> FoundPlan {
    let paths = CallerPaths::new(folder.root(), named.directory, named.given);
    let folder = folder.shown_as(paths.clone());
    let mut reading = format.read_traced(&folder, options);
    reading.findings.extend(folder.trouble());
    let (path, base) = (path.to_owned(), folder.root().to_owned());
    let folder = Box::new(folder);
    let reader = PlanReader::Foreign(format, options.clone());
    let (shown, format) = (named.shown.to_owned(), format.name);
    FoundPlan { path, shown, format, reading, folder, base, paths: Some(paths), reader }
}

/// For a file that belongs to no format: perhaps because it cannot be read as text.
fn not_text(path: &Path, shown: &str) -> AppError {
    let mut bytes = Vec::new();
    let opened = File::open(path).and_then(|file| file.take(MAX_PROBED).read_to_end(&mut bytes));
    if opened.is_err() {
        return nothing_there(path, shown);
    }
    let finding = wide_encoding(shown, &bytes).or_else(|| match std::str::from_utf8(&bytes) {
        // The end of what was read may be in the middle of a character.
        Err(error) if error.error_len().is_some() => {
            Some(not_utf8(shown, &bytes, error.valid_up_to()))
        }
        _ => None,
    });
    let Some(finding) = finding else { return nothing_there(path, shown) };
    AppError::usage("not-utf8", format!("cannot read the plan {shown}: {}", finding.message))
        .in_file(shown)
        .hint("save the file as UTF-8")
}

fn nothing_there(path: &Path, shown: &str) -> AppError {
    let names: Vec<&str> = detect::FORMATS.iter().map(|format| format.name).collect();
    let directory = if shown == "." { "this directory" } else { shown };
    let is_markdown = Path::new(shown).extension().is_some_and(|ending| ending == "md");
    let why = if is_markdown {
        ": it has no check box `- [ ] …` and no heading `### Task 1: …` outside of code blocks"
    } else {
        ""
    };
    let message = format!("{directory} contains no plan{why}");
    let next = if let Some(plan) = planned(path).filter(|_| shown == ".") {
        format!("`afresh run {plan}` runs the plan that was made from a specification")
    } else {
        // A name that a shell would split cannot be copied.
        let is_plain = is_markdown && !shown.contains(|c: char| c.is_whitespace() || c == '\'');
        let spec = if is_plain { shown } else { "SPEC.md" };
        format!("`afresh plan {spec}` makes a plan from a specification")
    };
    AppError::usage(super::NO_PLAN, message).in_file(shown).hint(format!(
        "{next}; {}; `afresh new` writes one to start from; the formats are: native, {}",
        super::WHAT_IS_A_PLAN,
        names.join(", ")
    ))
}

/// The first plan that `afresh plan` has made in this directory.
fn planned(directory: &Path) -> Option<String> {
    const PLANS: &str = ".afresh/plans";
    let made = directory.join(PLANS).read_dir().ok()?.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let plan = format!("{PLANS}/{name}/{name}.plan.toml");
        directory.join(&plan).is_file().then_some(plan)
    });
    made.min()
}
